//! Pairs with a curved body: the proven distance against a blind descent, its mirror image, the tracked answer, and
//! points sampled on the surfaces.

use super::{Case, kind};
use crate::tally::{Failure, Tally};
use clearance_geometry::{Body, DVec2, Pose};
use clearance_proximity::global::{Nearest, Prepared};
use clearance_proximity::{
    Ended, Place, Precision, Probe, Proximity, State, Tracker, nearest_points, overlap_regions,
};
use clearance_testkit::generate::{BODY_KINDS, CurvedPair, Stand, curved_pair};
use clearance_testkit::oracle::multistart;
use clearance_testkit::{Random, check_nearest};

/// Pairs of parts that a search may look at; more at a generic pose is a failure.
const MAX_PAIRS: u64 = 400_000;

/// Samples of each body for the blind descent.
const SAMPLES: usize = 150;

/// Points of one body whose place in the other is asked for.
const PLACES: usize = 12;

/// Two bodies at a pose.
pub(super) fn certified(seed: u64) -> Box<Case<'static>> {
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        let mut pair = curved_pair(&mut random);
        let gap = approach(&mut pair, &mut random);
        let stand = gap.map_or_else(|| format!("{:?}", pair.stand), |gap| format!("gap of {gap:e} sizes"));
        tally.case(stand.clone());
        if let Err(fault) = checked(&pair, gap.is_some(), &mut random, tally, case) {
            let group = format!("{stand}, {}: {}", pair.names(), kind(&fault));
            // The simplest is of size 1 and not far away.
            let complexity = 10 * u64::from(pair.scale != 1.0) + u64::from(pair.stand == Stand::Far);
            let repeat = format!("{:?}, scale {:e}, {:?}", pair.names(), pair.scale, pair.pose_ab);
            tally.fail(Failure { case, group, complexity, fault, repeat });
        }
    })
}

/// Moves some pairs until a small gap is between them; the gap in sizes.
fn approach(pair: &mut CurvedPair, random: &mut Random) -> Option<f64> {
    if !matches!(pair.stand, Stand::Close | Stand::Aligned) || random.chance(0.5) {
        return None;
    }
    let gap = *random.pick(&[1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-6, -1e-3]);
    let precision = Precision { max_pairs: Some(MAX_PAIRS), ..Precision::default() };
    let (near, _) = nearest_points(&pair.a, &pair.b, &pair.pose_ab, &precision).ok()?;
    let p = near.proximity;
    (p.state == State::Separated).then(|| {
        let by = p.normal * (gap * pair.scale - p.distance);
        pair.pose_ab = pair.pose_ab.with_translation(pair.pose_ab.translation() + by);
        gap
    })
}

/// The production answer, within the budget.
fn ask(a: &Body, b: &Body, pose_ab: &Pose, tracker: &mut Tracker) -> Result<Proximity, String> {
    let precision = Precision { max_pairs: Some(MAX_PAIRS), ..Precision::default() };
    let found = tracker.find(a, b, pose_ab, &precision).map_err(|why| format!("no answer: {why}"))?;
    Ok(found.proximity)
}

/// Lengths that a pair is held to.
struct Lengths {
    /// What rounding of coordinates may do.
    rounding: f64,
    /// What a certified distance may be off by.
    error: f64,
    /// Both bodies together.
    size: f64,
}

fn lengths(bodies: &[Prepared; 2], pose_ab: &Pose) -> Lengths {
    let size = bodies[0].radius() + bodies[1].radius();
    let middle = |body: &Prepared| body.tree().root().bound.center.abs().max_element();
    let reach = size + middle(&bodies[0]) + middle(&bodies[1]) + pose_ab.translation().abs().max_element();
    let rounding = 256.0 * f64::EPSILON * reach;
    Lengths { rounding, error: 1e-9 * size + rounding, size }
}

fn checked(
    pair: &CurvedPair,
    near_contact: bool,
    random: &mut Random,
    tally: &mut Tally,
    case: u64,
) -> Result<(), String> {
    let CurvedPair { a, b, pose_ab, stand, .. } = pair;
    let precision = Precision { max_pairs: Some(MAX_PAIRS), ..Precision::default() };
    let started = std::time::Instant::now();
    let (near, bodies) =
        nearest_points(a, b, pose_ab, &precision).map_err(|why| format!("no answer: {why}"))?;
    tally.measure("milliseconds of a search", started.elapsed().as_secs_f64() * 1e3, case);
    let lengths = lengths(&bodies, pose_ab);
    let p = near.proximity;
    tally.ended(p.ended);
    tally.measure("pairs of parts in thousands", near.work.pairs as f64 / 1e3, case);
    check_nearest(a, b, pose_ab, &p, lengths.size)?;
    bounded(&near, &lengths, *stand != Stand::Aligned && !near_contact)?;
    let found = multistart(a, b, pose_ab, SAMPLES, random);
    if found < near.lower - lengths.rounding {
        return Err(format!("multistart finds less than the lower bound: {found:e} {:e}", near.lower));
    }
    if matches!(p.ended, Ended::Certified(_)) {
        let agrees = found - p.distance <= lengths.error;
        let word = if agrees { "multistart agrees" } else { "multistart finds more" };
        *tally.groups.entry(word.to_string()).or_default() += 1;
    }
    let answer = ask(a, b, pose_ab, &mut Tracker::new())?;
    *tally.states.entry(format!("{:?}", answer.state)).or_default() += 1;
    same_as_nearest(&answer, &near, &lengths)?;
    mirrored(pair, &answer, &lengths)?;
    tracked(pair, &answer, &lengths, random)?;
    stands(pair, &bodies, &answer, &lengths, random)
}

fn bounded(near: &Nearest, lengths: &Lengths, generic: bool) -> Result<(), String> {
    let p = near.proximity;
    if !(near.lower <= p.distance + lengths.rounding) {
        return Err(format!("the lower bound is above the distance: {near:?}"));
    }
    match p.ended {
        Ended::Certified(_) if p.state == State::Separated && p.distance - near.lower > lengths.error => {
            Err(format!("certified with an error of {:e}: {near:?}", p.distance - near.lower))
        }
        Ended::Certified(_) => Ok(()),
        ended if generic => Err(format!("not certified at a generic pose: {ended:?} {:?}", near.work)),
        _ => Ok(()),
    }
}

/// The production answer says what the search between the boundaries does.
fn same_as_nearest(answer: &Proximity, near: &Nearest, lengths: &Lengths) -> Result<(), String> {
    let numbers = [answer.distance, answer.signed_distance, answer.normal.length()];
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(format!("not finite: {answer:?}"));
    }
    let p = &near.proximity;
    match answer.state {
        State::Separated
            if (answer.distance - p.distance).abs() > lengths.error + (p.distance - near.lower) =>
        {
            Err(format!("distance and nearest points differ: {:e} {:e}", answer.distance, p.distance))
        }
        State::Touching if near.lower > lengths.error => {
            Err(format!("touching though apart: proven {:e} {:e}", near.lower, p.distance))
        }
        State::Penetrating if answer.signed_distance > 0.0 || answer.distance != 0.0 => {
            Err(format!("penetrating with a distance: {answer:?}"))
        }
        _ => Ok(()),
    }
}

/// Whether two answers may both be right: states differ only within rounding of contact.
fn compatible(one: &Proximity, other: &Proximity, lengths: &Lengths) -> bool {
    let off = (one.signed_distance - other.signed_distance).abs();
    let close = |p: &Proximity| p.signed_distance.abs() <= 16.0 * lengths.rounding;
    off <= 2.0 * lengths.error && (one.state == other.state || (close(one) && close(other)))
}

fn mirrored(pair: &CurvedPair, answer: &Proximity, lengths: &Lengths) -> Result<(), String> {
    let swapped = ask(&pair.b, &pair.a, &pair.pose_ab.inverse(), &mut Tracker::new())?;
    let back = Proximity { state: swapped.state.swapped(), ..swapped };
    if compatible(answer, &back, lengths) {
        return Ok(());
    }
    Err(format!(
        "swapped otherwise: {:?} {:e} against {:?} {:e}",
        answer.state, answer.signed_distance, back.state, back.signed_distance
    ))
}

fn tracked(
    pair: &CurvedPair,
    answer: &Proximity,
    lengths: &Lengths,
    random: &mut Random,
) -> Result<(), String> {
    let mut tracker = Tracker::new();
    let shift = pair.pose_ab.translation() + random.direction() * 0.05 * lengths.size;
    let before = pair.pose_ab.with_translation(shift);
    ask(&pair.a, &pair.b, &before, &mut tracker)?;
    let warm = ask(&pair.a, &pair.b, &pair.pose_ab, &mut tracker)?;
    if compatible(answer, &warm, lengths) {
        return Ok(());
    }
    Err(format!(
        "tracked otherwise: {:?} {:e} against {:?} {:e}",
        answer.state, answer.signed_distance, warm.state, warm.signed_distance
    ))
}

/// How many sampled points of A are inside B, outside B, and how deep.
fn places(
    from: &Prepared,
    of: &Body,
    to_other: impl Fn(clearance_geometry::DVec3) -> clearance_geometry::DVec3,
    random: &mut Random,
) -> Result<[usize; 2], String> {
    let mut probe = Probe::new(of).map_err(|why| why.to_string())?;
    let untrimmed: Vec<_> = from.tree().leaves().iter().filter(|piece| !piece.trimmed).collect();
    let mut counts = [0; 2];
    if untrimmed.is_empty() {
        return Ok(counts);
    }
    for _ in 0..PLACES {
        let piece = random.pick(&untrimmed);
        let point = to_other(piece.point(DVec2::new(random.unit(), random.unit())));
        match probe.locate(point).map_err(|why| why.to_string())? {
            Place::Inside => counts[0] += 1,
            Place::Outside => counts[1] += 1,
            Place::Boundary => {}
        }
    }
    Ok(counts)
}

/// The state against points of both surfaces, and against the regions of an overlap.
fn stands(
    pair: &CurvedPair,
    bodies: &[Prepared; 2],
    answer: &Proximity,
    lengths: &Lengths,
    random: &mut Random,
) -> Result<(), String> {
    let CurvedPair { a, b, pose_ab, .. } = pair;
    let [in_b, out_b] = places(&bodies[0], b, |p| pose_ab.apply_inverse(p), random)?;
    let [in_a, out_a] = places(&bodies[1], a, |p| pose_ab.apply(p), random)?;
    let what = format!(
        "{in_b} points of A inside B, {out_b} outside; {in_a} of B inside A, {out_a} outside; {answer:?}"
    );
    // A point that is inside by less than the tolerance of contact may be on the boundary.
    let thin = |kind: usize| matches!(BODY_KINDS[kind], "point" | "segment");
    let solids = !(a.is_surface_only() || b.is_surface_only()) && !pair.kinds.into_iter().any(thin);
    let deep = answer.signed_distance.abs() > 1e-6 * lengths.size;
    match answer.state {
        State::Separated if in_a + in_b > 0 => Err(format!("separated, but {what}")),
        State::AInsideB if out_b > 0 || in_a > 0 => Err(format!("A inside B, but {what}")),
        State::BInsideA if out_a > 0 || in_b > 0 => Err(format!("B inside A, but {what}")),
        State::Touching if solids && in_a + in_b > 2 => Err(format!("touching, but {what}")),
        State::Penetrating if solids => {
            let overlap = overlap_regions(a, b, pose_ab).map_err(|why| why.to_string())?;
            if overlap.regions.is_empty() && (deep || in_a + in_b > 2) {
                return Err(format!("penetrating without a region: {what}"));
            }
            let depths = || overlap.regions.iter().map(|region| region.depth);
            if depths().any(|depth| !(depth.is_finite() && depth >= 0.0 && depth <= 2.0 * lengths.size)) {
                return Err(format!("a depth of no sense: {:?}", depths().collect::<Vec<_>>()));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
