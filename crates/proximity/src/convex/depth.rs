//! The penetration depth of two convex bodies: the least h_A(n) + h_B(−n) over all directions n.
//!
//! Source: local minima are solutions of the signed system (`newton`); which of them is the least is decided by
//! branch and bound over directions (`sphere`).
//! Differs: where balls in both bodies that touch at a contact are as large as the depth there, nothing is left to search.
//! The depth of bodies with a radius is that of their cores and both radii, exactly; where the cores are
//! apart it needs no search at all.
//! Where both are turned about one axis only directions in a half-plane are looked at: others are as deep.
//! Ends because: halvings are counted.
//! Cost: some hundred farthest points for one isolated minimum; a budget where minima form a curve.
//! Not promised: a closed gap where the shortest ways out are many; the answer states what is left.

use super::containment::{Look, overlap_state};
use super::newton::{Contact, Pair};
use super::query::{answer, separation_below};
use super::search::Meeting;
use super::solid::Solid;
use super::sphere::{AXES, Cell, OCTANTS, game, longest_side};
use crate::locus::common_middle;
use crate::tolerance;
use crate::{Certificate, Ended, LocalDepth, Proximity, State, Work};
use clearance_geometry::convex::Farthest;
use clearance_geometry::{Body, DVec3, Pose, Ranked, Tolerance};
use std::collections::BinaryHeap;

/// Halvings of cells before the search ends with the gap it has.
const HALVINGS: usize = 6000;

/// Halvings of an octant below which features are not looked for.
const FIRST_LEVEL: u32 = 3;

/// Halvings of how a depth is shared between balls in both bodies: to the last digits.
const BALL_HALVINGS: usize = 50;

/// Most directions to go downhill from: those all around, and those beside saddles.
const MOST_STARTS: usize = 400;

/// What a search over directions keeps between queries, so that the next one allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    ways: Vec<Way>,
    pub(super) looks: Vec<Look>,
    pub(super) cells: BinaryHeap<Ranked<Cell>>,
}

/// A direction with the farthest points along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) n: DVec3,
    a: Farthest,
    b: Farthest,
    /// Point of A − B farthest along `n`.
    pub(super) s: DVec3,
    /// Its height: the way out along `n`.
    pub(super) depth: f64,
}

/// The least depth of the cores, proven between bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub(crate) contact: Contact,
    /// No way out is shorter than this; of the cores.
    pub(crate) lower: f64,
    /// Whether the contact solves its system.
    pub(crate) settled: bool,
}

/// The answer for bodies whose cores meet.
pub(crate) fn overlap(pair: &Pair<'_>, meeting: &Meeting, memory: &mut Memory, mut work: Work) -> Proximity {
    let found = pair.deepest(meeting, memory, &mut work);
    let touch = pair.touch();
    let signed = found.contact.signed - pair.rounding();
    let state = if signed > touch {
        State::Separated
    } else if signed >= -touch {
        State::Touching
    } else {
        overlap_state(pair, found.contact.normal, -signed, memory)
    };
    // How far the depth may be off, from above and from below.
    let below = separation_below(pair, found.contact.normal);
    let residual = (-found.contact.signed - found.lower).max(signed - below);
    let ended = if residual <= tolerance::CERTIFIED_REL * pair.size && found.settled {
        Ended::Certified(Certificate { lower: below, normal: found.contact.normal })
    } else {
        Ended::Stalled { residual }
    };
    answer(pair, &found.contact, state, ended, work)
}

/// All local minima of the way out of the overlap of B at `pose_ab` with A, both convex, that are found from
/// directions all around, shortest first: directions along which neither turning helps. `None` where
/// [`super::is_convex`] is false for one, and for half-spaces.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::convex;
/// let egg = Body::from(TiledBody::ellipsoid([3.0, 2.0, 1.0])?);
/// let ways = convex::depths(&egg, &egg, &Pose::from_translation(DVec3::Z * 0.5)?).unwrap();
/// assert!((ways[0].depth - 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn depths(a: &Body, b: &Body, pose_ab: &Pose) -> Option<Vec<LocalDepth>> {
    let (Some(a), Some(b)) = (Solid::of(a), Solid::of(b)) else { return None };
    let pair = Pair::new(a, b, pose_ab);
    let depth = |way: &Contact| LocalDepth { depth: pair.rounding() - way.signed, normal: way.normal };
    Some(pair.ways_out().iter().map(depth).collect())
}

/// As [`depths`], with the points that touch at the end of each way: answers of the same state as that of the bodies,
/// `overlap`. None of them is proven to be a minimum, nor the list to be complete.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{State, convex};
/// let egg = Body::from(TiledBody::ellipsoid([3.0, 2.0, 1.0])?);
/// let ways = convex::ways_out(&egg, &egg, &Pose::from_translation(DVec3::Z * 0.5)?, State::Penetrating).unwrap();
/// // Up, and down.
/// assert!(ways.len() == 2 && (ways[1].signed_distance + 2.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ways_out(a: &Body, b: &Body, pose_ab: &Pose, overlap: State) -> Option<Vec<Proximity>> {
    let (Some(a), Some(b)) = (Solid::of(a), Solid::of(b)) else { return None };
    let pair = Pair::new(a, b, pose_ab);
    let way = |way: &Contact| answer(&pair, way, overlap, Ended::Converged, Work::default());
    Some(pair.ways_out().iter().map(way).collect())
}

/// Directions all around: those of an octahedron, its edges and faces, and between them.
fn seeds() -> impl Iterator<Item = DVec3> {
    let steps = [-1.0, -0.5, 0.0, 0.5, 1.0];
    let grid = move |k: usize| DVec3::new(steps[k / 25], steps[k / 5 % 5], steps[k % 5]);
    (0..125).map(grid).filter(|v| v.abs().max_element() == 1.0).map(|v| v.normalize())
}

impl Pair<'_> {
    pub(super) fn way(&self, n: DVec3) -> Way {
        let (a, b) = (self.a.farthest(n), self.b.farthest(-self.pose.rotate_inverse(n)));
        let s = a.point - self.pose.apply(b.point);
        Way { n, a, b, s, depth: n.dot(s) }
    }

    /// Local minima of the way out from directions all around, shortest first. What Newton's method ends in may be a saddle
    /// between two of them: from there it goes on downhill, to both sides.
    fn ways_out(&self) -> Vec<Contact> {
        let mut found: Vec<Contact> = Vec::new();
        let mut saddles: Vec<Contact> = Vec::new();
        let mut starts: Vec<DVec3> = seeds().collect();
        let mut at = 0;
        while at < starts.len().min(MOST_STARTS) {
            let start = starts[at];
            at += 1;
            // A valley that is not smooth stops the one, a round one the other.
            for end in [start, self.rolled_down(start)].into_iter().filter_map(|n| self.local_minimum(n)) {
                let is_same = |known: &Contact| {
                    known.normal.distance(end.normal) <= tolerance::SAME_WAY_RAD
                        && (known.signed - end.signed).abs() <= tolerance::CERTIFIED_REL * self.scale
                };
                if found.iter().chain(&saddles).any(is_same) {
                    continue;
                }
                match self.shorter_beside(&end) {
                    None => found.push(end),
                    Some(lower) => {
                        let n = end.normal;
                        starts.extend([lower, n * (2.0 * n.dot(lower)) - lower]);
                        saddles.push(end);
                    }
                }
            }
        }
        found.sort_by(|one, other| other.signed.total_cmp(&one.signed));
        found
    }

    /// The least depth of the cores over all directions.
    pub(crate) fn deepest(&self, meeting: &Meeting, memory: &mut Memory, work: &mut Work) -> Deepest {
        let touch = Tolerance::for_size(self.scale).length();
        let accepted = tolerance::DEPTH_GAP_REL * self.scale;
        let Memory { ways, cells, .. } = memory;
        ways.clear();
        cells.clear();
        ways.extend(AXES.iter().map(|n| self.way(*n)));
        let mut best = self.way(meeting.toward);
        for way in ways.iter() {
            best = if way.depth < best.depth { *way } else { best };
        }
        let mut contact = meeting.contact.or_else(|| self.features_at(&[best, best, best], work));
        contact = contact.or_else(|| self.local_minimum(best.n));
        if let Some(proven) = contact.and_then(|contact| self.proven_by_balls(contact, accepted)) {
            return proven;
        }
        let sliver = self.common_axis().filter(|(_, off)| *off <= accepted);
        let off = sliver.map_or(0.0, |(_, off)| off);
        let accepted = accepted - off;
        if let Some((way, _)) = sliver {
            // All directions that lean as much against the axis are as deep: those between two half-planes will do.
            let first = ways.len() as u32;
            let (out, beside) = way.any_orthonormal_pair();
            let near = (out + beside * tolerance::SLIVER_RAD).normalize();
            ways.extend([way, -way, out, near].map(|n| self.way(n)));
            for corners in [[first, first + 2, first + 3], [first + 1, first + 2, first + 3]] {
                cells.push(Cell { corners, lower: bound(ways, corners, touch), level: 0 }.ranked());
            }
        } else {
            for corners in OCTANTS {
                cells.push(Cell { corners, lower: bound(ways, corners, touch), level: 0 }.ranked());
            }
        }
        let mut lower = f64::INFINITY;
        let mut halvings = HALVINGS;
        while let Some(Ranked { item: cell, .. }) = cells.pop() {
            let least = contact.map_or(best.depth, |contact| best.depth.min(-contact.signed));
            if cell.lower >= least - accepted || halvings == 0 {
                lower = lower.min(cell.lower);
                break;
            }
            halvings -= 1;
            let corners = cell.corners.map(|corner| ways[corner as usize]);
            let (i, j, k) = longest_side(corners.map(|way| way.n));
            let middle = self.way((corners[i].n + corners[j].n).normalize_or(corners[i].n));
            work.supports += 1;
            if cell.level >= FIRST_LEVEL
                && promises(&corners, contact, least, cell.lower)
                && let Some(found) = self.features_at(&corners, work)
                && contact.is_none_or(|contact| found.signed > contact.signed)
            {
                if let Some(proven) = self.proven_by_balls(found, accepted) {
                    work.iterations += (HALVINGS - halvings) as u32;
                    return proven;
                }
                contact = Some(found);
            }
            if middle.depth < best.depth {
                best = middle;
            }
            let new = ways.len() as u32;
            ways.push(middle);
            let [i, j, k] = [i, j, k].map(|at| cell.corners[at]);
            for corners in [[i, new, k], [new, j, k]] {
                let lower = bound(ways, corners, touch).max(cell.lower);
                cells.push(Cell { corners, lower, level: cell.level + 1 }.ranked());
            }
        }
        work.iterations += (HALVINGS - halvings) as u32;
        let lower = lower.min(cells.pop().map_or(f64::INFINITY, |cell| cell.item.lower));
        self.concluded(meeting, best, contact, lower - off)
    }

    /// The direction of an axis that both are turned about, and how much less deep than along others they may be for its sake.
    fn common_axis(&self) -> Option<(DVec3, f64)> {
        let (Solid::Round(a), Solid::Round(b)) = (self.a, self.b) else { return None };
        let (one, other) = (a.axis()?, b.axis()?);
        let turned = other.direction.map(|way| self.pose.rotate(way));
        let way = one.direction.or(turned)?;
        let between = self.pose.apply(other.origin) - one.origin;
        let aside = (between - way * between.dot(way)).length();
        let tilt = turned.map_or(0.0, |own| own.cross(way).length());
        Some((way, 2.0 * (aside + 2.0 * tilt * b.reach() + one.off + other.off)))
    }

    /// A contact that the ball it touches proves to be the least way out.
    fn proven_by_balls(&self, contact: Contact, accepted: f64) -> Option<Deepest> {
        let lower = self.depth_below(&contact);
        (-contact.signed - lower <= accepted).then_some(Deepest { contact, lower, settled: true })
    }

    /// A lower bound of the depth from a ball in A − B that touches its boundary at the contact: where its radius is the
    /// depth, it is the ball of all ways out that are shorter. Balls in A and in −B add up to it.
    fn depth_below(&self, contact: &Contact) -> f64 {
        let depth = -contact.signed;
        let [feature_a, feature_b] = contact.features;
        let seen_b = -self.pose.rotate_inverse(contact.normal);
        let point_b = self.pose.apply_inverse(contact.points[1]);
        let off_a =
            |share: f64| self.a.ball_sticks_out(feature_a, contact.points[0], contact.normal, share * depth);
        let off_b = |share: f64| self.b.ball_sticks_out(feature_b, point_b, seen_b, (1.0 - share) * depth);
        let off = |share: f64| off_a(share) + off_b(share);
        let mut least = [1.0, 0.0, 0.5].into_iter().map(off).fold(f64::INFINITY, f64::min);
        let rounding = tolerance::SUPPORT_ROUNDING_REL * self.scale;
        if least > tolerance::DEPTH_GAP_REL * self.scale && depth > 0.0 {
            // The largest ball that fits in A leaves the least to B.
            let (mut fits, mut sticks) = (0.0, 1.0);
            for _ in 0..BALL_HALVINGS {
                let middle = 0.5 * (fits + sticks);
                *(if off_a(middle) <= rounding { &mut fits } else { &mut sticks }) = middle;
            }
            least = least.min(off(fits));
        }
        depth - least - rounding
    }

    fn concluded(&self, meeting: &Meeting, best: Way, contact: Option<Contact>, lower: f64) -> Deepest {
        match contact {
            Some(contact) if -contact.signed <= best.depth + tolerance::CERTIFIED_REL * self.scale => {
                Deepest { contact, lower: lower.min(-contact.signed), settled: true }
            }
            _ => {
                let common = meeting.common;
                if let Some(contact) =
                    self.over(common, common, best.n, self.scale).or_else(|| self.between_flats(best.n))
                    && -contact.signed <= best.depth + tolerance::CURVED_GAP_REL * self.scale
                {
                    return Deepest { contact, lower: lower.min(-contact.signed), settled: true };
                }
                let point = self.pose.apply(best.b.point);
                let contact = Contact {
                    features: [best.a.feature, best.b.feature],
                    at: [best.a.at, best.b.at],
                    points: [point + best.n * best.depth, point],
                    normal: best.n,
                    signed: -best.depth,
                };
                Deepest { contact, lower: lower.min(best.depth), settled: false }
            }
        }
    }

    /// The contact in the middle of two parallel flats along `n`.
    fn between_flats(&self, n: DVec3) -> Option<Contact> {
        let slack = tolerance::SUPPORT_TIE_REL * self.scale;
        let seen_b = -self.pose.rotate_inverse(n);
        let flat_a = self.a.flat(n, slack);
        let flat_b: Vec<DVec3> =
            self.b.flat(seen_b, slack).into_iter().map(|point| self.pose.apply(point)).collect();
        let middle = common_middle(&flat_a, &flat_b, n, slack)?;
        let (across, up) = n.any_orthonormal_pair();
        let at_height = |height: f64| across * middle.x + up * middle.y + n * height;
        let point_a = at_height(flat_a.first()?.dot(n));
        let point_b = at_height(flat_b.first()?.dot(n));
        self.over(point_a, point_b, n, slack)
    }

    /// The contact of the features over two points of the frame of A, where those are no farther than `slack`.
    fn over(&self, point_a: DVec3, point_b: DVec3, n: DVec3, slack: f64) -> Option<Contact> {
        let seen_b = -self.pose.rotate_inverse(n);
        let (feature_a, at_a) = self.a.feature_under(point_a, n, slack)?;
        let (feature_b, at_b) = self.b.feature_under(self.pose.apply_inverse(point_b), seen_b, slack)?;
        let contact = self.polish([feature_a, feature_b], [at_a, at_b], n, false)?;
        (self.is_within(&contact) && self.proves(&contact)).then_some(contact)
    }

    /// A local minimum among the features that are farthest along the corners of a cell.
    fn features_at(&self, corners: &[Way; 3], work: &mut Work) -> Option<Contact> {
        work.moves += 1;
        let lowest =
            corners.iter().fold(corners[0], |low, way| if way.depth < low.depth { *way } else { low });
        let off = corners.iter().fold(0.0_f64, |most, way| most.max(way.n.distance(lowest.n)));
        let off = off + tolerance::LEAN_REL;
        let n = lowest.n;
        let seen_b = -self.pose.rotate_inverse(n);
        let (found_a, found_b) = (corners.map(|way| way.a), corners.map(|way| way.b));
        let list_a = self.a.candidates(&found_a, n, off, lowest.a.point);
        let list_b = self.b.candidates(&found_b, seen_b, off, lowest.b.point);
        let mut best: Option<Contact> = None;
        for &a in list_a.list().iter().take(3) {
            for &b in list_b.list().iter().take(3) {
                if let Some(contact) = self.polish([a.0, b.0], [a.1, b.1], n, false)
                    && self.is_within(&contact)
                    && self.proves(&contact)
                    && best.is_none_or(|best| contact.signed > best.signed)
                {
                    best = Some(contact);
                }
            }
        }
        best
    }

    /// Downhill from a direction by turning toward shorter ways, then Newton's method; `None` unless it ends in a
    /// minimum.
    fn local_minimum(&self, start: DVec3) -> Option<Contact> {
        let mut here = self.way(start);
        let mut turn = 0.25;
        for _ in 0..60 {
            // Turning n away from the farthest point's sideways part shortens the way.
            let sideways = here.s - here.n * here.depth;
            let length = sideways.length();
            if !(length > tolerance::GAP_REL * self.scale) || turn < tolerance::LEAN_REL {
                break;
            }
            let there = self.way((here.n - sideways * (turn / length)).normalize_or(here.n));
            if there.depth < here.depth {
                here = there;
                turn = (turn * 1.5).min(0.25);
            } else {
                turn *= 0.5;
            }
        }
        let (s, t) = here.n.any_orthonormal_pair();
        let spread = tolerance::PROBE_RAD;
        let around = [s, -s * 0.5 + t, -s * 0.5 - t]
            .map(|side| self.way((here.n + side * spread).normalize_or(here.n)));
        let mut work = Work::default();
        let contact = self.features_at(&around, &mut work)?;
        self.is_minimum(&contact).then_some(contact)
    }

    /// Whether no neighbouring direction is shorter.
    fn is_minimum(&self, contact: &Contact) -> bool {
        let n = contact.normal;
        let (s, t) = n.any_orthonormal_pair();
        let slack = tolerance::CURVED_GAP_REL * self.scale;
        (0..8).all(|k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
            let near = (n + (s * cos + t * sin) * tolerance::PROBE_RAD).normalize_or(n);
            self.way(near).depth >= -contact.signed - slack
        })
    }
}

/// Whether a cell may hold a minimum that is less than the one known: it is not around that, and a corner is not much
/// higher.
fn promises(corners: &[Way; 3], contact: Option<Contact>, least: f64, lower: f64) -> bool {
    let Some(contact) = contact else { return true };
    let width = corners[0].n.distance(corners[1].n).max(corners[0].n.distance(corners[2].n));
    let lowest = corners.iter().fold(f64::INFINITY, |low, way| low.min(way.depth));
    corners[0].n.distance(contact.normal) > 2.0 * width && lowest < least + 0.25 * (least - lower)
}

/// No direction of the cell has a shorter way out than this.
fn bound(ways: &[Way], corners: [u32; 3], touch: f64) -> f64 {
    let [p, q, r] = corners.map(|corner| &ways[corner as usize]);
    let row = |s: DVec3| [s.dot(p.n), s.dot(q.n), s.dot(r.n)];
    // The cores meet, so that no way is shorter than none.
    game(&[row(p.s), row(q.s), row(r.s)]).max(-touch)
}
