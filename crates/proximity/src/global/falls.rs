//! Whether the distance to a point falls along an edge or into a face, from where that ends.
//!
//! Source: the tangent cone of a face at a point of its boundary is a sector of its tangent plane. A distance falls into a
//! sector if it falls along one of both sides, which are edges, or if the steepest direction of the plane is within it; then
//! it does not matter how wide the sector is.
//! Differs: where parameters are singular there is no one plane. Directions of a fan are searched instead, at a pole along
//! the whole line of parameters that is one point there.
//! Ends because: one direction, or [`FAN`] of them and [`POLISH`] cuts about each of the best.
//! Cost: one jet and one look at the side of a point; some thousand of them at singular points.
//! Not promised: slopes below [`PROBE_SLOPE`]; at singular points sectors narrower than the fan's steps, and those wider
//! than half a turn where no parameter line is one point and the tangents are parallel.

use crate::tolerance::{PROBE_FAN_REL, PROBE_SLOPE, PROBE_STEP_REL, SINGULAR_BEND_REL};
use clearance_geometry::curve::{Direction, Rect};
use clearance_geometry::surface::{ParametricSurface, Pole, SurfaceJet};
use clearance_geometry::tiled::{Face, Side, TiledEdge};
use clearance_geometry::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Directions of a fan, and steps of a golden section about one.
const FAN: usize = 128;
const POLISH: usize = 48;

/// Whether the distance falls from one end of an edge (0 or 1) along it. `way` is the unit vector to what it is the distance of.
pub(super) fn along_edge(edge: &TiledEdge, end: usize, way: DVec3) -> bool {
    let (at, sign) = if end == 0 { (edge.range.low, 1.0) } else { (edge.range.high, -1.0) };
    let (jet, width) = (edge.jet(at), edge.range.width());
    // Where a curve begins with no speed, its second derivative leads on, at both ends.
    let still = jet.first.length() <= PROBE_STEP_REL * jet.second.length() * width;
    let leaving = if still { jet.second } else { sign * jet.first };
    leaving.normalize_or_zero().dot(way) > PROBE_SLOPE
}

/// Whether the distance falls from a point of the boundary of a face, given by its parameters, into the face. Poles within
/// `off` of it are there.
pub(super) fn into_face(face: &Face, at: DVec2, off: f64, way: DVec3) -> bool {
    let jet = face.jet(at);
    let extents = face.surface.extents(at, &jet);
    let scaled = jet.per_extents(extents);
    if is_singular(&scaled) {
        return match pole_near(face, jet.point, off) {
            Some(pole) => from_pole(face, &pole, way),
            None => from_singular(face, at, extents, way),
        };
    }
    // The way's projection into the tangent plane, by parameters: the metric (E F; F G) times it is (S_u · way, S_v · way).
    let SurfaceJet { u, v, .. } = scaled;
    let (e, f, g) = (u.length_squared(), u.dot(v), v.length_squared());
    let (p, q) = (u.dot(way), v.dot(way));
    let steepest = DVec2::new(g * p - f * q, e * q - f * p) / (e * g - f * f);
    if !((u * steepest.x + v * steepest.y).length() > PROBE_SLOPE) {
        return false;
    }
    let Rect { u, v } = face.region.bounds();
    let step = steepest * extents;
    let shares = step.abs() / DVec2::new(u.width(), v.width());
    // Parameters that go around go on beyond a seam too, where another plane may be the tangent one.
    slope(face, at + step * (PROBE_STEP_REL / shares.max_element()), jet.point, way) > PROBE_SLOPE
}

/// Whether the distance falls from a point of a face that is a vertex on none of its edges: an apex.
pub(super) fn from_tip(face: &Face, tip: DVec3, off: f64, way: DVec3) -> bool {
    match pole_near(face, tip, off) {
        Some(pole) => from_pole(face, &pole, way),
        None => into_face(face, face.surface.locate(tip, face.region.bounds(), None).parameters, off, way),
    }
}

/// Whether the tangents span no plane, or one that turns within a step. The jet is that per extents.
fn is_singular(jet: &SurfaceJet) -> bool {
    let (u, v) = (jet.u.length(), jet.v.length());
    let mixed = jet.uv.length();
    // Written so that NaN is singular.
    !(u > SINGULAR_BEND_REL * (jet.uu.length() + mixed)
        && v > SINGULAR_BEND_REL * (jet.vv.length() + mixed)
        && jet.cross().length() > PROBE_SLOPE * u * v)
}

fn pole_near(face: &Face, point: DVec3, off: f64) -> Option<Pole> {
    let mut poles = face.surface.poles();
    poles.retain(|pole| pole.point.distance(point) <= off);
    poles.pop()
}

/// Whether the distance falls along one of the lines that leave a pole to both sides.
fn from_pole(face: &Face, pole: &Pole, way: DVec3) -> bool {
    let Rect { u, v } = face.region.bounds();
    let (out, along) = match pole.direction {
        Direction::U => (u, v),
        Direction::V => (v, u),
    };
    [-1.0, 1.0].into_iter().any(|sign| {
        let at = |t: f64| {
            let from = pole.at + sign * PROBE_FAN_REL * out.width();
            match pole.direction {
                Direction::U => DVec2::new(from, t),
                Direction::V => DVec2::new(t, from),
            }
        };
        is_falling(|share| slope(face, at(along.at(share)), pole.point, way))
    })
}

/// Whether the distance falls in one of all directions of the parameters.
fn from_singular(face: &Face, at: DVec2, extents: DVec2, way: DVec3) -> bool {
    let point = face.point(at);
    is_falling(|share| {
        let to = at + PROBE_FAN_REL * extents * DVec2::from_angle(TAU * share);
        slope(face, to, point, way)
    })
}

/// How fast the distance falls on the chord from a point of a face to another, if that belongs to it.
fn slope(face: &Face, to: DVec2, from: DVec3, way: DVec3) -> f64 {
    if face.side(to) == Side::Outside {
        return f64::NEG_INFINITY;
    }
    (face.point(to) - from).normalize_or_zero().dot(way)
}

/// Whether a function over the numbers from 0 to 1 is that of a fall somewhere: samples, and a golden section about each that
/// is above its neighbours.
fn is_falling(slope: impl Fn(f64) -> f64) -> bool {
    let at = |k: usize| k as f64 / FAN as f64;
    let samples: Vec<f64> = (0..=FAN).map(|k| slope(at(k))).collect();
    if samples.iter().any(|&slope| slope > PROBE_SLOPE) {
        return true;
    }
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    (0..=FAN).any(|k| {
        let (before, after) = (k.saturating_sub(1), (k + 1).min(FAN));
        if samples[k] < samples[before] || samples[k] < samples[after] || samples[k] == f64::NEG_INFINITY {
            return false;
        }
        let (mut low, mut high) = (at(before), at(after));
        (0..POLISH).any(|_| {
            let inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
            let [one, other] = inner.map(&slope);
            if one > other {
                high = inner[1];
            } else {
                low = inner[0];
            }
            one.max(other) > PROBE_SLOPE
        })
    })
}
