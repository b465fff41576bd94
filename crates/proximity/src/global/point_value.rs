//! Half the squared distance from a point at places of a cell, and the steps that make it smaller.
//!
//! Source: Newton's method on ½|S − p|², whose second derivatives are S_i·S_j + (S − p)·S_ij.
//! Differs: where these do not bend up, the tangents' products alone do (Gauss and Newton). A parameter at its end that the
//! function rises from stays there.
//! Ends because: closed formulas.
//! Cost: some fifty operations beside an evaluation.
//! Not promised: that a step makes the value smaller; who steps asks.

use super::point_cells::PointCell;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// Half the squared distance at a point of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) at: DVec2,
    pub(super) foot: DVec3,
    pub(super) half_square: f64,
    pub(super) gradient: DVec2,
    /// Second derivatives uu, uv, vv, and the metric's.
    pub(super) bend: [f64; 3],
    pub(super) metric: [f64; 3],
}

impl Value {
    /// Of a point, at parameters where the surface is known.
    #[inline]
    pub(super) fn new(jet: &SurfaceJet, point: DVec3, at: DVec2) -> Self {
        let r = jet.point - point;
        let metric = [jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared()];
        let bend = [metric[0] + r.dot(jet.uu), metric[1] + r.dot(jet.uv), metric[2] + r.dot(jet.vv)];
        let gradient = DVec2::new(r.dot(jet.u), r.dot(jet.v));
        Self { at, foot: jet.point, half_square: 0.5 * r.length_squared(), gradient, bend, metric }
    }

    /// The same at other parameters, of which so many make one of these.
    pub(super) fn scaled(&self, at: DVec2, width: DVec2) -> Self {
        let squares = [width.x * width.x, width.x * width.y, width.y * width.y];
        let times = |entries: [f64; 3]| [0, 1, 2].map(|k| entries[k] * squares[k]);
        let (bend, metric) = (times(self.bend), times(self.metric));
        Self { at, gradient: self.gradient * width, bend, metric, ..*self }
    }
}

/// Parameters of a piece as those of a cell of it.
pub(super) fn local_on(cell: &PointCell, at: DVec2) -> DVec2 {
    let along = |axis: usize| {
        if cell.dimension > axis {
            (at[axis] - cell.low[axis]) / (cell.high[axis] - cell.low[axis])
        } else {
            0.0
        }
    };
    DVec2::new(along(0), along(1))
}

/// The largest parameters of a cell.
pub(super) fn most_of(cell: &PointCell) -> DVec2 {
    let along = |axis: usize| f64::from(u8::from(cell.dimension > axis));
    DVec2::new(along(0), along(1))
}

/// Newton's step, where it leads to a minimum.
#[inline]
pub(super) fn solve(g: DVec2, [uu, uv, vv]: [f64; 3]) -> Option<DVec2> {
    let area = uu * vv - uv * uv;
    let step = DVec2::new(uv * g.y - vv * g.x, uv * g.x - uu * g.y) / area;
    (uu > 0.0 && area > f64::EPSILON * uu * vv && step.is_finite()).then_some(step)
}

/// A step that descends along the parameters that are free to move.
pub(super) fn newton_step(value: &Value, most: DVec2) -> DVec2 {
    let free = |at: f64, most: f64, slope: f64| {
        most > 0.0 && !(at <= 0.0 && slope >= 0.0) && !(at >= most && slope <= 0.0)
    };
    let u = free(value.at.x, most.x, value.gradient.x);
    let v = free(value.at.y, most.y, value.gradient.y);
    let (g, [uu, uv, vv], [e, f, h]) = (value.gradient, value.bend, value.metric);
    let single = |slope: f64, bend: f64, metric: f64| -slope / if bend > 0.0 { bend } else { metric };
    match (u, v) {
        (false, false) => DVec2::ZERO,
        (true, false) => DVec2::new(single(g.x, uu, e), 0.0),
        (false, true) => DVec2::new(0.0, single(g.y, vv, h)),
        (true, true) => solve(g, [uu, uv, vv])
            .or_else(|| solve(g, [e, f, h]))
            .unwrap_or_else(|| DVec2::new(single(g.x, 0.0, e), single(g.y, 0.0, h))),
    }
}
