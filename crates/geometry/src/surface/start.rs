//! Where a search for the parameters of a point starts.
//!
//! Source: none.
//! Differs: of a sweep only its curve is sampled; each sample is turned or moved as near to the point as it can be.
//! Ends because: samples are counted.
//! Cost: some evaluations for each piece of a spline.
//! Not promised: the sheet that the point is on.

use super::home::jet;
use super::{Revolution, Surface};
use crate::curve::{Curve, ParametricCurve, Range, Rect};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Starts along each parameter, per piece of a spline or quarter of a turn.
const STARTS: usize = 4;

/// Least and most starts along the curve of a sweep; most along any parameter.
const SWEEP_STARTS: usize = 32;
const MOST_STARTS: usize = 64;

impl Surface {
    /// The nearest to `target` of some places over `within`.
    pub(super) fn near_start(&self, target: DVec3, within: Rect) -> DVec2 {
        let mut best = (f64::INFINITY, DVec2::new(within.u.low, within.v.low));
        let mut hold = |at: DVec2| {
            let distance = jet(self, at).point.distance_squared(target);
            if distance < best.0 {
                best = (distance, at);
            }
        };
        match self {
            Self::Revolution(revolution) => {
                let (origin, curve) = (revolution.origin(), revolution.curve());
                // Turned points keep their distance from the origin.
                let reached = curve.reached(within.v, origin, origin.distance(target));
                for v in starts(reached, sweep_pieces(curve)) {
                    hold(DVec2::new(turned(within.u, angle(revolution, v, target)), v));
                }
            }
            Self::Extrusion(extrusion) => {
                let (curve, along) = (extrusion.curve(), extrusion.direction());
                let far = far_along(curve, target);
                let reached = Range::new(within.u.low.max(-far), within.u.high.min(far));
                let range = if within.u.is_bounded() { within.u } else { reached };
                for u in starts(range, sweep_pieces(curve)) {
                    let height = (target - curve.point(u)).dot(along) / along.length_squared();
                    hold(DVec2::new(u, within.v.clamp(height)));
                }
            }
            _ => {
                let pieces = if let Self::Nurbs(nurbs) = self { nurbs.tile_counts() } else { [4, 4] };
                let vs = starts(within.v, pieces[1]);
                for u in starts(within.u, pieces[0]) {
                    vs.iter().for_each(|v| hold(DVec2::new(u, *v)));
                }
            }
        }
        best.1
    }
}

impl Curve {
    /// The nearest to `target` of some places over `within`.
    pub(super) fn near_start(&self, target: DVec3, within: Range) -> f64 {
        let pieces = if let Self::Nurbs(nurbs) = self { nurbs.knots().piece_count() } else { 4 };
        let distance = |t: &f64| self.point(*t).distance_squared(target);
        let starts = starts(within, pieces);
        starts.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(within.low)
    }
}

/// Evenly spaced parameters of a range; of an unbounded one, around zero.
fn starts(range: Range, pieces: usize) -> Vec<f64> {
    let near = Range::new(range.low.max(-1.0).min(range.high), range.high.min(1.0).max(range.low));
    let range = if range.is_bounded() { range } else { near };
    let count = (STARTS * pieces).min(MOST_STARTS);
    (0..=count).map(|k| range.at(k as f64 / count as f64)).collect()
}

fn sweep_pieces(curve: &Curve) -> usize {
    let pieces = if let Curve::Nurbs(nurbs) = curve { nurbs.knots().piece_count() } else { 4 };
    pieces.max(SWEEP_STARTS / STARTS)
}

/// How far the parameter of a curve without ends must go either way to come as near to `target` as it can.
fn far_along(curve: &Curve, target: DVec3) -> f64 {
    let start = curve.jet(0.0);
    (target.length() + start.point.length()) / start.first.length()
}

/// The angle by which the point of the curve at `v` comes nearest to `target`.
fn angle(surface: &Revolution, v: f64, target: DVec3) -> f64 {
    let axis = surface.axis();
    let out = |p: DVec3| (p - surface.origin()).reject_from_normalized(axis);
    let (from, to) = (out(surface.curve().point(v)), out(target));
    from.cross(to).dot(axis).atan2(from.dot(to))
}

/// The copy of an angle in a range, or the end nearest to a copy.
fn turned(range: Range, angle: f64) -> f64 {
    let up = angle + TAU * ((range.low - angle) / TAU).ceil();
    // Past the end, but it may be as near to the beginning from below.
    if range.contains(up) || up - range.high <= range.low - (up - TAU) { range.clamp(up) } else { range.low }
}
