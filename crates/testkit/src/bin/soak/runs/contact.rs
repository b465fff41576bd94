//! Pairs with a curved body: the state that is said of them against points sampled on the surfaces, against the tracked
//! answer, and against the regions of an overlap.

use super::Case;
use super::curved_case::{CurvedCase, Lengths, ask, compatible, lengths, precision};
use crate::tally::Tally;
use clearance_geometry::{Body, DVec2};
use clearance_proximity::global::Prepared;
use clearance_proximity::{Ended, Place, Probe, Proximity, Scratch, State, Tracker, overlap_regions};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, CurvedPair};

/// Points of one body whose place in the other is asked for.
const PLACES: usize = 12;

/// Two bodies at a pose.
pub(super) fn contact(seed: u64) -> Box<Case<'static>> {
    Box::new(move |case, tally| {
        let mut drawn = CurvedCase::new(seed, case);
        tally.case(drawn.stand());
        if let Err(fault) = checked(&mut drawn, tally) {
            tally.fail(drawn.failure(case, fault));
        }
    })
}

fn checked(drawn: &mut CurvedCase, tally: &mut Tally) -> Result<(), String> {
    let CurvedCase { pair, random, .. } = drawn;
    let CurvedPair { a, b, pose_ab, .. } = &*pair;
    let ready = |body: &Body| Prepared::new(body).map_err(|why| why.to_string());
    let bodies = [ready(a)?, ready(b)?];
    let lengths = lengths(&bodies, pose_ab);
    let answer = ask(a, b, pose_ab, &mut Scratch::new())?;
    tally.answer(&answer);
    let numbers = [answer.distance, answer.signed_distance, answer.normal.length()];
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(format!("not finite: {answer:?}"));
    }
    tracked(pair, &answer, &lengths, random)?;
    stands(pair, &bodies, &answer, &lengths, random)
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
    let mut find = |pose| tracker.find(&pair.a, &pair.b, pose, &precision()).map_err(|why| why.to_string());
    find(&before)?;
    let warm = find(&pair.pose_ab)?.proximity;
    // A frame whose budget ends may be above the truth, never below.
    let above = warm.ended == Ended::Limit && warm.signed_distance >= answer.signed_distance - lengths.error;
    if above || compatible(answer, &warm, lengths) {
        return Ok(());
    }
    Err(format!(
        "tracked otherwise: {:?} {:e} {:?} against {:?} {:e} {:?}",
        answer.state, answer.signed_distance, answer.ended, warm.state, warm.signed_distance, warm.ended
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
    let solids = !(a.is_surface_only() || b.is_surface_only() || pair.kinds.into_iter().any(thin));
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
            // A point that is so deep has at least that far to go until the bodies are apart.
            let most = answer.signed_distance.abs() * (1.0 + 1.0 / 32.0) + 1e-8 * lengths.size;
            if answer.signed_distance < 0.0 && depths().any(|depth| depth > most) {
                let all: Vec<f64> = depths().collect();
                return Err(format!("regions {all:?} deeper than the way out: {what}"));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
