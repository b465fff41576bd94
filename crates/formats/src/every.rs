//! What there is beyond the one answer: all local minima, all places of contact, all overlaps, and sets of closest points.

use crate::answer::{Answer, LocusAnswer, LocusSet, RegionAnswer};
use crate::solid::{SolidPair, TIE_PAIRS, solid};
use crate::{Error, Request, Units};
use clearance_geometry::DVec3;
use clearance_proximity::contact::{self, Overlap, OverlapRegion, RegionKind};
use clearance_proximity::convex::ways_out;
use clearance_proximity::tolerance::{COARSEST_CELL_REL, SAME_WAY_RAD};
use clearance_proximity::{
    Ended, Proximity, QueryError, State, local_minima_within, nearest_sets, overlap_regions_until,
};

/// What is said where minima may be missing, or cannot be listed at all.
const MAY_LACK: &str =
    "`all` may lack local minima: not all are isolated, or the search for them reached its limit";
const NO_LIST: &str =
    "`all` has the nearest pair alone: minima of algebraic surfaces cannot be listed (unsupported_pair)";

const WAYS_OUT: &str = "`all` has the ways out that were found from directions all around: the shortest is proven, that \
                        there are no others is not";

impl SolidPair<'_> {
    /// Every local minimum, and a warning where some may be missing.
    pub(crate) fn all_minima(
        &self,
        answer: &Answer,
        request: &Request<'_>,
    ) -> Result<(Vec<Answer>, Option<String>), Error> {
        if self.is_convex() && !answer.state.overlaps() {
            // Convex bodies have one.
            return Ok((vec![answer.clone()], None));
        }
        if answer.state.overlaps()
            && self.is_convex()
            && let Some(ways) = ways_out(self.a, self.b, self.pose_ab(), answer.state)
        {
            return Ok(self.all_ways_out(answer, &ways, request));
        }
        if answer.state.overlaps() {
            let what = if answer.normal.is_some() { "the shortest way out" } else { "this answer" };
            return Ok((vec![answer.clone()], Some(format!("`all` has {what} alone: the bodies overlap"))));
        }
        if answer.state == State::Touching {
            return Ok(self.all_contacts(answer, request));
        }
        let listed = local_minima_within(self.a, self.b, self.pose_ab(), &self.precision(request));
        let Ok((found, complete)) = listed else {
            return Ok((vec![answer.clone()], Some(NO_LIST.to_owned())));
        };
        let in_world = |found: &Proximity| self.in_world(found, found.ended, request.units);
        let mut all: Vec<Answer> = found.iter().map(in_world).collect();
        // The nearest one is the answer itself, which is proven; of several as near, the one at its place.
        let (known, apart) = self.same_minimum(&all, answer);
        let is_on_it = known.is_some() && (!complete || apart <= COARSEST_CELL_REL * self.size());
        match known.filter(|_| is_on_it) {
            Some(at) => {
                all[..=at].rotate_right(1);
                all[0] = answer.clone();
            }
            None => all.insert(0, answer.clone()),
        }
        let warning = (!complete).then(|| MAY_LACK.to_owned());
        Ok((all, warning))
    }

    /// Of the minima that are as near as the nearest pair, but for the error of that, the one that is closest to its place, and how
    /// far away it is; a length. Minima that are not isolated have one entry for all, anywhere on them.
    fn same_minimum(&self, all: &[Answer], nearest: &Answer) -> (Option<usize>, f64) {
        let error = match nearest.ended {
            Ended::Certified(proof) => nearest.distance - proof.lower,
            _ => 0.0,
        };
        let is_as_near = |found: &Answer| (found.distance - nearest.distance).abs() <= error + self.slack();
        let apart = |found: &Answer| {
            let [one, other] = [found, nearest].map(|answer| answer.points.iter().flat_map(|p| p.iter()));
            let ends = one.zip(other);
            ends.map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
        };
        let as_near = all.iter().enumerate().filter(|(_, found)| is_as_near(found));
        let closest = as_near.map(|(at, found)| (at, apart(found))).min_by(|a, b| a.1.total_cmp(&b.1));
        closest.map_or((None, f64::INFINITY), |(at, apart)| (Some(at), apart))
    }

    /// Every local minimum of the way out of an overlap of convex bodies; the shortest is the answer itself, which is proven.
    fn all_ways_out(
        &self,
        answer: &Answer,
        ways: &[Proximity],
        request: &Request<'_>,
    ) -> (Vec<Answer>, Option<String>) {
        let mut all = vec![answer.clone()];
        let in_world = ways.iter().map(|way| self.in_world(way, way.ended, request.units));
        let is_answer = |way: &Answer| {
            let off = |[one, other]: [f64; 2]| (one - other).abs();
            let turned =
                way.normal.iter().zip(&answer.normal).flat_map(|(one, other)| one.iter().zip(other.iter()));
            let depths = way.signed_distance.zip(answer.signed_distance);
            turned.into_iter().all(|(one, other)| off([*one, *other]) <= SAME_WAY_RAD)
                && depths.is_some_and(|(one, other)| off([one, other]) <= self.slack())
        };
        all.extend(in_world.filter(|way| !is_answer(way)));
        (all, Some(WAYS_OUT.to_owned()))
    }

    /// Every place of contact of bodies that touch, and the local minima of the distance elsewhere.
    fn all_contacts(&self, answer: &Answer, request: &Request<'_>) -> (Vec<Answer>, Option<String>) {
        let Ok(sets) = self.sets(answer.distance) else {
            return (vec![answer.clone()], Some(NO_LIST.to_owned()));
        };
        let places = sets.regions.iter().map(|region| region.witnesses);
        let contact = |witnesses| {
            let found = without_depth(State::Touching, witnesses);
            self.in_world(&found, Ended::Converged, request.units)
        };
        let mut all: Vec<Answer> = places.map(contact).collect();
        match all.first_mut() {
            Some(first) if sets.regions.len() == 1 => *first = answer.clone(),
            _ => {}
        }
        let few = self.few_pairs(request);
        let (minima, complete) =
            local_minima_within(self.a, self.b, self.pose_ab(), &few).unwrap_or_default();
        let apart = minima.iter().filter(|found| found.state == State::Separated);
        all.extend(apart.map(|found| self.in_world(found, found.ended, request.units)));
        (all, (!(complete && sets.complete)).then(|| MAY_LACK.to_owned()))
    }

    /// Every overlap of bodies that are not convex, as answers with one region each.
    pub(crate) fn all_overlaps(
        &self,
        found: &Proximity,
        regions: &[OverlapRegion],
        units: Units,
    ) -> (Vec<Answer>, Option<String>) {
        let overlap = |region: &OverlapRegion| {
            let alone = without_depth(found.state, region.witnesses);
            let answer = self.in_world(&alone, found.ended, units);
            Answer { regions: Some(vec![self.region(region)]), ..answer }
        };
        (regions.iter().map(overlap).collect(), None)
    }

    /// The connected parts of the overlap of bodies that are not convex; `None` where they do not overlap, and for surfaces
    /// without an inside, which have none.
    pub(crate) fn overlaps(&self, state: State, request: &Request<'_>) -> Option<Overlap> {
        if !state.overlaps() || self.a.is_surface_only() || self.b.is_surface_only() {
            return None;
        }
        overlap_regions_until(self.a, self.b, self.pose_ab(), request.deadline).ok()
    }

    /// One of them in the world.
    pub(crate) fn region(&self, region: &OverlapRegion) -> RegionAnswer {
        RegionAnswer {
            points: region.points.map(|point| solid(self.pose_a.apply(point))),
            normal: solid(self.pose_a.rotate(region.normal)),
            depth: region.depth,
            upper_bound: region.upper.is_finite().then_some(region.upper),
            definition: region.definition,
        }
    }

    /// The sets of closest points of bodies that are not both convex, where these are not unique; of bodies that touch, those
    /// of their contact. The outer `None` says that they were not found.
    pub(crate) fn curved_locus(
        &self,
        found: &Proximity,
        request: &Request<'_>,
    ) -> Option<Option<LocusAnswer>> {
        if found.state == State::Penetrating {
            return Some(None);
        }
        // A body inside the other has no distance, but its boundary has one.
        let [p, q] = found.witnesses.map(|witness| witness.point);
        // A budget that ends the search for one pair does not suffice for all.
        if request.max_pairs.is_some_and(|most| most < TIE_PAIRS) {
            return None;
        }
        Some(self.locus_of(&self.sets(p.distance(q)).ok()?))
    }

    fn sets(&self, least: f64) -> Result<contact::Locus, QueryError> {
        nearest_sets(self.a, self.b, self.pose_ab(), least)
    }

    /// Sets of closest points as an answer; `None` where they are one pair.
    fn locus_of(&self, sets: &contact::Locus) -> Option<LocusAnswer> {
        let has = |kind| sets.regions.iter().any(|region| region.kind == kind);
        let kind = match () {
            () if has(RegionKind::Area) => "area",
            () if has(RegionKind::Curve) => "curve",
            () if sets.regions.len() > 1 => "points",
            () => return None,
        };
        let set = |region: &contact::Region| LocusSet {
            kind: match region.kind {
                RegionKind::Point => "point",
                RegionKind::Curve => "curve",
                RegionKind::Area => "area",
            },
            closed: region.closed,
            samples: self.samples(&region.samples),
        };
        let samples = sets.regions.iter().flat_map(|region| self.samples(&region.samples)).collect();
        let several = sets.regions.len() > 1;
        let sets = if several { sets.regions.iter().map(set).collect() } else { Vec::new() };
        Some(LocusAnswer { kind, samples, sets })
    }
}

/// Two points where bodies meet, without a depth.
fn without_depth(state: State, witnesses: [clearance_proximity::Witness; 2]) -> Proximity {
    Proximity {
        state,
        distance: 0.0,
        signed_distance: 0.0,
        witnesses,
        normal: DVec3::ZERO,
        ended: Ended::Converged,
        work: clearance_proximity::Work::default(),
    }
}
