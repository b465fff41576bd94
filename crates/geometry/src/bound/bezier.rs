//! Bounds of rational Bézier curves and patches from their control points.
//!
//! Source: the convex-hull property; derivatives of Bernstein polynomials as differences of control points.
//! Differs: a priori rounding. DIFFERS: no interval arithmetic: every blend that a control point went through is
//! counted and charged [`BLEND_ERROR_REL`] of the largest coordinate, evaluation is charged as well.
//! Ends because: loops run over control points.
//! Cost: O(control points).
//! Not promised: the smallest bound; for strongly different weights the bounds of derivatives are generous.

use super::net::normal_cone_of;
use super::{ConvexBound, CurveSpeeds, DerivativeBound, DirectionCone, Hull, NormalCone, SurfaceSpeeds};
use crate::curve::{Bezier, Range, Rect, project, xyz};
use crate::surface::BezierPatch;
use crate::tolerance::BLEND_ERROR_REL;
use glam::{DVec3, DVec4};

/// How far control points may be from the exact ones, and the sizes that follow from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Largest error of an entry of (x·w, y·w, z·w) about `center`.
    pub(crate) error: f64,
    /// Largest error of a weight; 0 where all are equal, since blends of equal numbers are exact.
    pub(crate) error_w: f64,
    /// Smallest weight, less its error.
    pub(crate) least_w: f64,
    /// A point amid the control points.
    pub(crate) center: DVec3,
    /// Largest distance of a control point from it.
    pub(crate) radius: f64,
    /// Largest coordinate.
    pub(crate) largest: f64,
}

impl Sizes {
    pub(crate) fn of(points: &[DVec4], blends: u32) -> Self {
        // Evaluation is charged like a few blends more.
        let relative = f64::from(blends + 4) * BLEND_ERROR_REL;
        let (mut most, mut most_w, mut least_w, mut largest) = (0.0_f64, 0.0_f64, f64::INFINITY, 0.0_f64);
        for p in points {
            most = most.max(xyz(*p).abs().max_element());
            most_w = most_w.max(p.w);
            least_w = least_w.min(p.w);
            largest = largest.max(project(*p).abs().max_element());
        }
        let error_w = if most_w == least_w { 0.0 } else { relative * most_w };
        let sum = points.iter().fold(DVec3::ZERO, |sum, p| sum + project(*p));
        let center = sum / points.len() as f64;
        let radius = points.iter().fold(0.0_f64, |far, p| far.max((project(*p) - center).length()));
        let error = relative * (most + largest * most_w);
        Self { error, error_w, least_w: least_w - error_w, center, radius, largest }
    }

    /// How far the shape may reach outside the hull of its computed control points.
    pub(crate) fn slack(&self) -> f64 {
        // Three entries of the point, each off by `error`, and the division by a weight that is off.
        let slack = (2.0 * self.error + 2.0 * self.error_w * self.largest) / self.least_w;
        // Weights lost in their error tell nothing; NaN neither.
        if self.least_w > 0.0 && slack.is_finite() { slack } else { f64::INFINITY }
    }

    /// About the centre: x·w − center · w.
    pub(crate) fn centered(&self, p: DVec4) -> DVec4 {
        (xyz(p) - self.center * p.w).extend(p.w)
    }

    fn reach(&self) -> f64 {
        self.radius + self.slack()
    }
}

/// Bounds of one homogeneous derivative: of its vector part about the centre, and of its weight.
#[derive(Clone, Copy, Debug)]
struct Derivative {
    vector: f64,
    weight: f64,
}

/// The largest of the given differences of control points, times `factor`; `terms` is the sum of the absolute
/// coefficients in one difference.
fn largest(sizes: &Sizes, differences: impl Iterator<Item = DVec4>, factor: f64, terms: f64) -> Derivative {
    let (vector, weight) =
        differences.fold((0.0_f64, 0.0_f64), |(v, w), d| (v.max(xyz(d).length()), w.max(d.w.abs())));
    // An error of each entry has a length of √3 errors.
    let error = 2.0 * terms * (sizes.error + sizes.error_w * sizes.largest);
    Derivative { vector: factor * (vector + error), weight: factor * (weight + terms * sizes.error_w) }
}

/// Quotient rules as inequalities: bounds of S_a from those of X_a, w_a (and so on for second derivatives).
fn first(sizes: &Sizes, d: Derivative) -> f64 {
    (d.vector + sizes.reach() * d.weight) / sizes.least_w
}

fn second(sizes: &Sizes, d: Derivative, one: (f64, Derivative), other: (f64, Derivative)) -> f64 {
    (d.vector + one.0 * other.1.weight + other.0 * one.1.weight + sizes.reach() * d.weight) / sizes.least_w
}

/// Bounds of a computed bound must survive their own rounding.
fn up(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value * (1.0 + 2.0 * BLEND_ERROR_REL) }
}

pub(crate) fn hull_of(points: &[DVec4], blends: u32) -> Hull {
    Hull::checked(points.iter().map(|&p| project(p)).collect(), Sizes::of(points, blends).slack())
}

/// Speeds by a parameter that runs over `width` while the curve's own runs from 0 to 1.
pub(crate) fn curve_speeds(curve: &Bezier, width: f64) -> CurveSpeeds {
    let points = curve.homogeneous_points();
    let sizes = Sizes::of(points, curve.roundings());
    let p: Vec<DVec4> = points.iter().map(|&p| sizes.centered(p)).collect();
    let n = curve.degree() as f64;
    let d = largest(&sizes, p.windows(2).map(|w| w[1] - w[0]), n / width, 2.0);
    let dd = largest(
        &sizes,
        p.windows(3).map(|w| (w[2] - w[1]) - (w[1] - w[0])),
        n * (n - 1.0) / (width * width),
        4.0,
    );
    let speed = first(&sizes, d);
    CurveSpeeds { first: up(speed), second: up(second(&sizes, dd, (speed, d), (speed, d))) }
}

/// Speeds by parameters that run over `width` while the patch's own run from 0 to 1.
pub(crate) fn patch_speeds(patch: &BezierPatch, width: [f64; 2]) -> SurfaceSpeeds {
    let sizes = Sizes::of(patch.net(), patch.roundings());
    let net: Vec<DVec4> = patch.net().iter().map(|&p| sizes.centered(p)).collect();
    let [p, q] = patch.degrees();
    let at = |i: usize, j: usize| net[i * (q + 1) + j];
    let (pu, qv) = (p as f64 / width[0], q as f64 / width[1]);
    let grid = |rows: usize, columns: usize| (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)));
    let bound = |rows, columns, factor, terms, f: &dyn Fn(usize, usize) -> DVec4| {
        largest(&sizes, grid(rows, columns).map(|(i, j)| f(i, j)), factor, terms)
    };
    let du = bound(p, q + 1, pu, 2.0, &|i, j| at(i + 1, j) - at(i, j));
    let dv = bound(p + 1, q, qv, 2.0, &|i, j| at(i, j + 1) - at(i, j));
    let uu = bound(p - 1, q + 1, pu * (p as f64 - 1.0) / width[0], 4.0, &|i, j| {
        (at(i + 2, j) - at(i + 1, j)) - (at(i + 1, j) - at(i, j))
    });
    let uv = bound(p, q, pu * qv, 4.0, &|i, j| (at(i + 1, j + 1) - at(i, j + 1)) - (at(i + 1, j) - at(i, j)));
    let vv = bound(p + 1, q - 1, qv * (q as f64 - 1.0) / width[1], 4.0, &|i, j| {
        (at(i, j + 2) - at(i, j + 1)) - (at(i, j + 1) - at(i, j))
    });
    let (u, v) = ((first(&sizes, du), du), (first(&sizes, dv), dv));
    SurfaceSpeeds {
        u: up(u.0),
        v: up(v.0),
        uu: up(second(&sizes, uu, u, u)),
        uv: up(second(&sizes, uv, u, v)),
        vv: up(second(&sizes, vv, v, v)),
    }
}

impl ConvexBound for Bezier {
    type Part = Range;

    fn hull(&self, range: Range) -> Hull {
        let part = self.restricted(range);
        hull_of(part.homogeneous_points(), part.roundings())
    }
}

impl DerivativeBound for Bezier {
    type Part = Range;
    type Speeds = CurveSpeeds;

    fn derivative_bounds(&self, range: Range) -> CurveSpeeds {
        // Over all of the curve, since a part may be too short to divide by.
        let part = self.restricted(range);
        let whole = curve_speeds(self, 1.0);
        let of_part = curve_speeds(&part, range.width());
        CurveSpeeds { first: whole.first.min(of_part.first), second: whole.second.min(of_part.second) }
    }
}

impl ConvexBound for BezierPatch {
    type Part = Rect;

    fn hull(&self, rect: Rect) -> Hull {
        let part = self.restricted(rect);
        hull_of(part.net(), part.roundings())
    }
}

impl DerivativeBound for BezierPatch {
    type Part = Rect;
    type Speeds = SurfaceSpeeds;

    fn derivative_bounds(&self, rect: Rect) -> SurfaceSpeeds {
        let part = self.restricted(rect);
        let whole = patch_speeds(self, [1.0, 1.0]);
        whole.least(patch_speeds(&part, [rect.u.width(), rect.v.width()]))
    }
}

impl NormalCone for BezierPatch {
    fn normal_cone(&self, rect: Rect) -> DirectionCone {
        let sides = [rect.u.low <= 0.0, rect.u.high >= 1.0, rect.v.low <= 0.0, rect.v.high >= 1.0];
        normal_cone_of(&self.restricted(rect), sides)
    }
}
