//! The ratio metric: every ratio verified by the bounds that its normal and its point prove.

use super::{Case, PER_FAMILY, file, group};
use clearance_proximity::ratio::{Growth, growth};
use clearance_testkit::generate::{Pair, Pool, arrange};
use clearance_testkit::oracle::{Placement, growth_bounds};
use clearance_testkit::{CHECK_ROUNDINGS, Random, faces_of};

/// Pairs of bodies with an inside; the swapped pair must have the same ratio.
pub(super) fn ratio(seed: u64) -> Box<Case<'static>> {
    let pool = Pool::new(seed, PER_FAMILY, 162);
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        let pair = loop {
            let (a, b) = pool.two(&mut random);
            if a.body.face_count() > 0 && b.body.face_count() > 0 {
                break arrange(a, b, &mut random);
            }
        };
        tally.case(group(&pair));
        match check_growth(&pair) {
            Ok((found, off)) => {
                let state = if found.ratio > 1.0 { "Separated" } else { "Penetrating" };
                *tally.states.entry(state.to_string()).or_default() += 1;
                tally.ended(found.ended);
                tally.measure("ratio", off, case);
            }
            Err(fault) => file(tally, &pair, case, fault),
        }
    })
}

/// The answer and the error of its ratio in tolerances.
///
/// Tolerance: a rounding of the coordinates moves a face by eps × scale; about a centre that is only an
/// inradius away from it, that is a change of eps × scale × (1 + r) / inradius in the ratio.
fn check_growth(pair: &Pair<'_>) -> Result<(Growth, f64), String> {
    let (a, b, pose) = (&pair.a.body, &pair.b.body, &pair.pose_ab);
    let found = growth(a, b, pose).map_err(|error| format!("error: {error}"))?;
    let mirror = growth(b, a, &pose.inverse()).map_err(|error| format!("error: {error}"))?;
    let place = Placement::from(pose);
    let scale = clearance_testkit::oracle::scale(&pair.a.vertices, &pair.b.vertices, &place);
    let thin = a.inradius().min(b.inradius());
    let tolerance = CHECK_ROUNDINGS * f64::EPSILON * scale * (1.0 + found.ratio) / thin;
    if (found.ratio - mirror.ratio).abs() > 2.0 * tolerance {
        return Err(format!("exchanged, the ratio {:e} becomes {:e}", found.ratio, mirror.ratio));
    }
    if found.ratio <= tolerance {
        return Ok((found, 0.0));
    }
    let centers = [a.center() + a.anchor(), b.center() + b.anchor()];
    let (faces_a, faces_b) = (faces_of(a), faces_of(b));
    let [lower, upper] = growth_bounds([&faces_a, &faces_b], centers, &place, found.normal, found.point);
    let off = (found.ratio - lower).abs().max((upper - found.ratio).abs()) / tolerance;
    if off > 1.0 {
        return Err(format!(
            "the ratio {:e} is not within its bounds {lower:e} to {upper:e}: {off:.3} tolerances; {found:?}",
            found.ratio
        ));
    }
    Ok((found, off))
}
