//! Pairs with a curved body: the proven distance against a blind descent, the production answer and its mirror image.

use super::Case;
use super::curved_case::{CurvedCase, Lengths, ask, compatible, lengths, precision};
use crate::tally::Tally;
use clearance_proximity::global::Nearest;
use clearance_proximity::{Ended, Proximity, Scratch, State, nearest_points};
use clearance_testkit::generate::{CurvedPair, Stand};
use clearance_testkit::oracle::{Effort, multistart};
use clearance_testkit::{Random, check_nearest};

/// How often the blind descent may try again, harder each time, before it disagrees.
const ATTEMPTS: usize = 4;

/// Pairs as near as the nearest: so many are points of a curve or of an area.
const MANY: usize = 9;

/// Two bodies at a pose.
pub(super) fn certified(seed: u64) -> Box<Case<'static>> {
    Box::new(move |case, tally| {
        let mut drawn = CurvedCase::new(seed, case);
        tally.case(drawn.stand());
        if let Err(fault) = checked(&mut drawn, tally, case) {
            tally.fail(drawn.failure(case, fault));
        }
    })
}

fn checked(drawn: &mut CurvedCase, tally: &mut Tally, case: u64) -> Result<(), String> {
    let CurvedCase { pair, random, .. } = drawn;
    let CurvedPair { a, b, pose_ab, stand, .. } = &*pair;
    let started = std::time::Instant::now();
    let (near, bodies) =
        nearest_points(a, b, pose_ab, &precision()).map_err(|why| format!("no answer: {why}"))?;
    tally.measure("milliseconds of a search", started.elapsed().as_secs_f64() * 1e3, case);
    let lengths = lengths(&bodies, pose_ab);
    let p = near.proximity;
    tally.ended(p.ended);
    tally.measure("pairs of parts in thousands", near.work.pairs as f64 / 1e3, case);
    check_nearest(a, b, pose_ab, &p, lengths.size)?;
    bounded(&near, &lengths, *stand != Stand::Aligned && drawn.gap.is_none())?;
    tally.minimum(format!("{:?}: {}", drawn.family, place_of(&near)));
    tally.minimum(format!("{:?}: {}", drawn.family, number_of(&near)));
    let tries = agrees(pair, &near, &lengths, random)?;
    if let Some(tries) = tries {
        tally.minimum(format!("{:?}: multistart agrees", drawn.family));
        tally.measure("tries of multistart", tries as f64, case);
    }
    let answer = ask(a, b, pose_ab, &mut Scratch::new())?;
    *tally.states.entry(format!("{:?}", answer.state)).or_default() += 1;
    same_as_nearest(&answer, &near, &lengths)?;
    mirrored(pair, &answer, &lengths)
}

/// What the nearest points are on.
fn place_of(near: &Nearest) -> &'static str {
    if near.proximity.state == State::Touching {
        return "contact";
    }
    let least = near.proximity.witnesses.iter().map(|witness| witness.feature.dimension()).min();
    ["on a vertex", "on an edge", "on two faces"][least.unwrap_or(0)]
}

/// Whether there are others as near.
fn number_of(near: &Nearest) -> &'static str {
    match (near.proximity.state, near.ties.len()) {
        (State::Touching, _) => "in contact",
        (_, MANY..) => "a set of nearest points",
        (_, 2..) => "a tie",
        _ if matches!(near.proximity.ended, Ended::Certified(_)) => "unique",
        _ => "not decided",
    }
}

/// Multistart never finds less than the bound, and finds what is certified; after how many tries.
fn agrees(
    pair: &CurvedPair,
    near: &Nearest,
    lengths: &Lengths,
    random: &mut Random,
) -> Result<Option<usize>, String> {
    let distance = near.proximity.distance;
    let (mut effort, mut least) = (Effort::CAREFUL, f64::INFINITY);
    for tries in 1..=ATTEMPTS {
        least = least.min(multistart(&pair.a, &pair.b, &pair.pose_ab, effort, random));
        if least < near.lower - lengths.rounding {
            return Err(format!("multistart finds less than the lower bound: {least:e} {:e}", near.lower));
        }
        // Points in common were checked to be on both bodies: a corner that is just pierced has no start that leads to it.
        if !matches!(near.proximity.ended, Ended::Certified(_)) || near.proximity.state == State::Touching {
            return Ok(None);
        }
        if least - distance <= lengths.error {
            return Ok(Some(tries));
        }
        effort = effort.harder();
    }
    let size = lengths.size;
    Err(format!("multistart finds more than certified: {least:e} {distance:e}, size {size:e}"))
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

fn mirrored(pair: &CurvedPair, answer: &Proximity, lengths: &Lengths) -> Result<(), String> {
    let swapped = ask(&pair.b, &pair.a, &pair.pose_ab.inverse(), &mut Scratch::new())?;
    let back = Proximity { state: swapped.state.swapped(), ..swapped };
    if compatible(answer, &back, lengths) {
        return Ok(());
    }
    Err(format!(
        "swapped otherwise: {:?} {:e} against {:?} {:e}",
        answer.state, answer.signed_distance, back.state, back.signed_distance
    ))
}
