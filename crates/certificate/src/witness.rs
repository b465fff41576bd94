//! The points that make the stated distance an upper bound.
//!
//! Source: de Casteljau's evaluation; a continuous function that changes its sign has a zero between.
//! Differs: all in intervals.
//! Ends because: there are no loops but those over control points.
//! Cost: a few evaluations.
//! Not promised: on which side of its trim a witness lies that is in the rectangle of a part of the boundary; it is
//! said to be on the boundary.

use crate::body::{Body, Node};
use crate::interval::{Interval, Vector, dot, length, minus, vector};
use crate::model::{Certificate, Level, Shape, Witness};
use crate::refusal::Refusal;
use crate::step::Side;
use crate::tolerance::{LEVEL_WITNESS_REL, WITNESS_REL};
use crate::trim::winding;

/// A witness in the frame of A.
struct Found {
    point: Vector,
    /// How far it may be from its body.
    off: f64,
    on_boundary: bool,
}

/// Checks that the witnesses are on their bodies, as far apart as stated, and not nearer than the bound. Says of each
/// whether its side of the trim is left open.
pub(crate) fn check(certificate: &Certificate, bodies: &[Body<'_>; 2]) -> Result<[bool; 2], Refusal> {
    let size = bodies[0].size().max(bodies[1].size());
    let find = |side: Side, at: usize| {
        let found = find(&certificate.witnesses[at], &bodies[at], certificate, at, size);
        found.map_err(|reason| Refusal::Witness { side, reason })
    };
    let [a, b] = [find(Side::A, 0)?, find(Side::B, 1)?];
    let (apart, off, on_boundary) = match (a, b) {
        (Some(a), Some(b)) => {
            (length(&minus(&b.point, &a.point)), a.off + b.off, [a.on_boundary, b.on_boundary])
        }
        (None, Some(b)) => (above(&bodies[0], &b.point), b.off, [false, b.on_boundary]),
        (Some(a), None) => (above(&bodies[1], &a.point), a.off, [a.on_boundary, false]),
        (None, None) => {
            return Err(Refusal::Body { side: Side::B, piece: Some(0), reason: "both are half-spaces" });
        }
    };
    let Certificate { distance, lower_bound, .. } = *certificate;
    let rounding = WITNESS_REL * size + 4.0 * apart.width();
    let (low, high) = (apart.low - rounding - off, apart.high + rounding + off);
    // Both written so that what is not a number is refused.
    if !(distance >= 0.0 && low <= distance && distance <= high && high.is_finite()) {
        return Err(Refusal::Distance { stated: distance, low: low.max(0.0), high });
    }
    if !(lower_bound <= distance + rounding) {
        return Err(Refusal::Bound { bound: lower_bound, distance });
    }
    Ok(on_boundary)
}

/// Distance of a point from a half-space.
fn above(body: &Body<'_>, point: &Vector) -> Interval {
    let Some((normal, offset)) = &body.half_space else { return Interval::ENTIRE };
    let Interval { low, high } = (dot(normal, point) - *offset) / length(normal);
    Interval { low: low.max(0.0), high: high.max(0.0) }
}

/// None for a half-space.
fn find(
    witness: &Witness,
    body: &Body<'_>,
    certificate: &Certificate,
    side: usize,
    size: f64,
) -> Result<Option<Found>, &'static str> {
    let node = body.piece(witness.piece).ok_or("there is no such piece")?;
    let slack = body.slack(witness.piece);
    let wrong = Err("the number of its coordinates does not go with its piece");
    match node {
        Node::Patch(cell) => {
            if witness.at.len() != cell.parameters {
                return wrong;
            }
            if !witness.at.iter().all(|t| (0.0..=1.0).contains(t)) {
                return Err("its parameters are not in [0, 1]");
            }
            let of = |axis: usize| witness.at.get(axis).copied().unwrap_or(0.0);
            let parts = body.trim(witness.piece);
            let around = if parts.is_empty() { Some(1) } else { winding(parts, [of(0), of(1)]) };
            if around == Some(0) {
                return Err("it is outside the trimmed region");
            }
            let [x, y, z, w] = cell.net.at([of(0), of(1), 0.0]);
            Ok(Some(Found { point: [x / w, y / w, z / w], off: slack, on_boundary: around.is_none() }))
        }
        Node::Level(_) => {
            let Ok(at) = <[f64; 3]>::try_from(witness.at.as_slice()) else { return wrong };
            let near = LEVEL_WITNESS_REL * size;
            match &certificate.bodies[side].pieces[witness.piece].shape {
                Shape::Level(level) if changes_sign(level, at, near) => {}
                _ => return Err("the polynomial does not change its sign there"),
            }
            let own = vector(at);
            let point = body.placement.as_ref().map_or(own, |placement| placement.point(&own));
            Ok(Some(Found { point, off: slack + near, on_boundary: false }))
        }
        Node::HalfSpace if witness.at.is_empty() => Ok(None),
        Node::HalfSpace | Node::Group(_) => wrong,
    }
}

/// Whether the polynomial changes its sign on the line through a point along its gradient, within `near` of the point and
/// within the box.
fn changes_sign(level: &Level, at: [f64; 3], near: f64) -> bool {
    let gradient = [0, 1, 2].map(|axis| value(level, vector(at), Some(axis)).center());
    let long = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [low, high] = level.within;
    let end = |sign: f64| {
        let moved = |k: usize| at[k] + sign * 0.5 * near * gradient[k] / long;
        [0, 1, 2].map(|k| moved(k).max(low[k]).min(high[k]))
    };
    let [one, other] = [1.0, -1.0].map(|sign| value(level, vector(end(sign)), None));
    let inside = (0..3).all(|k| low[k] <= at[k] && at[k] <= high[k]);
    inside && long > 0.0 && one.is_positive() && (-other).is_positive()
}

/// The polynomial, or its derivative by a coordinate.
fn value(level: &Level, at: Vector, derivative: Option<usize>) -> Interval {
    let mut sum = Interval::ZERO;
    for &(factor, i, j, k) in &level.terms {
        let mut powers = [i, j, k];
        let mut product = Interval::point(factor);
        if let Some(axis) = derivative {
            product = product * powers[axis] as f64;
            powers[axis] = powers[axis].saturating_sub(1);
        }
        for (&base, power) in at.iter().zip(powers) {
            product = (0..power).fold(product, |product, _| product * base);
        }
        sum = sum + product;
    }
    sum
}
