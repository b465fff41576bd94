//! Rational B-spline curves.
//!
//! Source: the polar form (blossom) for Bézier extraction and knot insertion; see also the book's page on
//! splines.
//! Differs: evaluation goes through polynomial pieces prepared at construction, not through the control points.
//! Ends because: loops run over knots and control points.
//! Cost: construction O(pieces · degree³); evaluation 6 four-lane products for a cubic, 1 division if rational.
//! Not promised: the same last bits as de Boor's algorithm.

use super::tile::{Taylor, bezier_taylor, has_powers, horner, powers_in_place};
use super::{
    Bezier, Break, CurveJet, Direction, Knots, NurbsError, ParametricCurve, Range, SpanHint, mapped,
};
use crate::Pose;
use crate::bound::Aabb;
use crate::pieces::Net;
use crate::tolerance::CLOSED_REL;
use glam::{DMat3, DVec3, DVec4};
use std::sync::Arc;

/// A rational B-spline curve of any degree and knot vector, checked.
///
/// ```
/// use clearance_geometry::{DVec3, curve::{NurbsCurve, ParametricCurve}};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)];
/// let curve = NurbsCurve::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], &points, None)?;
/// assert_eq!(curve.jet(0.5).point, DVec3::new(0.75, 0.25, 0.0));
/// assert_eq!(curve.jet(0.0).first, DVec3::new(2.0, 0.0, 0.0));
/// # Ok::<(), clearance_geometry::curve::NurbsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsCurve {
    knots: Knots,
    /// (x·w, y·w, z·w, w).
    points: Vec<DVec4>,
    rational: bool,
    closed: bool,
    /// Bézier points of the pieces, one after the other.
    bezier: Arc<[DVec4]>,
    /// Powers about the middle of the pieces, one after the other; the same as `bezier` for high degrees.
    tiles: Vec<DVec4>,
}

impl NurbsCurve {
    /// From degree, knots (points + degree + 1 of them), control points and, for a rational curve, weights.
    ///
    /// # Errors
    /// See [`NurbsError`].
    pub fn new(
        degree: usize,
        knots: Vec<f64>,
        points: &[DVec3],
        weights: Option<&[f64]>,
    ) -> Result<Self, NurbsError> {
        let knots = Knots::new(degree, knots, points.len(), Direction::U)?;
        Self::from_homogeneous(knots, homogeneous(points, weights)?)
    }

    /// From checked knots and points (x·w, y·w, z·w, w).
    pub(crate) fn from_homogeneous(knots: Knots, points: Vec<DVec4>) -> Result<Self, NurbsError> {
        check_homogeneous(&points)?;
        let degree = knots.degree();
        let mut bezier = Vec::with_capacity(knots.piece_count() * (degree + 1));
        for piece in 0..knots.piece_count() {
            let start = knots.start(piece) - degree;
            knots.extract(piece, &points[start..=start + degree], &mut bezier);
        }
        let tiles = tiles(degree, &bezier);
        let rational = points.iter().any(|p| p.w != 1.0);
        let ends = [bezier[0], bezier[bezier.len() - 1]].map(project);
        let size = points.iter().fold(0.0_f64, |most, &p| most.max(project(p).abs().max_element()));
        let closed = (ends[1] - ends[0]).abs().max_element() <= CLOSED_REL * size;
        Ok(Self { knots, points, rational, closed, bezier: bezier.into(), tiles })
    }

    /// The same curve moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        self.transformed(&pose.rotation(), pose.translation())
    }

    /// The curve under the affine map x ↦ linear · x + offset; maps of splines are maps of their points.
    #[must_use]
    pub fn transformed(&self, linear: &DMat3, offset: DVec3) -> Self {
        let map =
            |points: &[DVec4]| -> Vec<DVec4> { points.iter().map(|&p| mapped(p, linear, offset)).collect() };
        let bezier: Arc<[DVec4]> = map(&self.bezier).into();
        let tiles = tiles(self.degree(), &bezier);
        Self { knots: self.knots.clone(), points: map(&self.points), bezier, tiles, ..*self }
    }

    /// The knot vector with its pieces.
    pub const fn knots(&self) -> &Knots {
        &self.knots
    }

    /// Degree of the polynomial pieces.
    pub const fn degree(&self) -> usize {
        self.knots.degree()
    }

    /// Control points as (x·w, y·w, z·w, w).
    pub fn homogeneous_points(&self) -> &[DVec4] {
        &self.points
    }

    /// A control point.
    pub fn control_point(&self, index: usize) -> DVec3 {
        project(self.points[index])
    }

    /// A weight; 1 everywhere for a polynomial curve.
    pub fn weight(&self, index: usize) -> f64 {
        self.points[index].w
    }

    /// Whether any weight differs from 1.
    pub const fn is_rational(&self) -> bool {
        self.rational
    }

    /// Whether both ends are the same point, within rounding of the coordinates.
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// A box around the control points that act on a range: that part of the curve is within it.
    pub(crate) fn control_box(&self, range: Range) -> Aabb<3> {
        let acting = &self.points[self.knots.acting(range)];
        Aabb::from_points(acting.iter().map(|p| project(*p))).widened_by_a_rounding()
    }

    /// The inner knots across which the curve may be less than twice continuously differentiable.
    pub fn breaks(&self) -> Vec<Break> {
        self.knots.breaks()
    }

    /// A polynomial piece as a Bézier curve.
    pub fn piece(&self, piece: usize) -> Bezier {
        let n = self.degree() + 1;
        Bezier::from_checked(self.bezier[piece * n..(piece + 1) * n].to_vec())
    }

    /// The control points of a polynomial piece without a copy, and blends behind each.
    pub(crate) fn shared_piece(&self, piece: usize) -> (Net, u32) {
        let n = self.degree() + 1;
        (Net::shared(&self.bezier, piece * n, n), Bezier::extraction_blends(n))
    }

    /// As [`ParametricCurve::jet`], looking first at the piece used last.
    #[inline]
    pub fn jet_from(&self, hint: &mut SpanHint, t: f64) -> CurveJet {
        self.jet_in_piece(self.knots.find_from(hint, t), t)
    }

    /// The jet of one piece's formula, also at and beyond its ends: one-sided derivatives at a knot.
    #[inline]
    pub fn jet_in_piece(&self, piece: usize, t: f64) -> CurveJet {
        let n = self.degree() + 1;
        let tile = &self.tiles[piece * n..(piece + 1) * n];
        let (x, inverse) = self.knots.local(piece, t);
        let taylor = if has_powers(n - 1) { horner(tile, x) } else { bezier_taylor(tile, x + 0.5) };
        quotient(taylor, inverse, self.rational)
    }
}

impl ParametricCurve for NurbsCurve {
    type Vector = DVec3;

    fn jet(&self, t: f64) -> CurveJet {
        self.jet_in_piece(self.knots.find(t), t)
    }

    fn domain(&self) -> Range {
        self.knots.domain()
    }

    fn period(&self) -> Option<f64> {
        self.closed.then(|| self.domain().width())
    }
}

/// What evaluation reads, from the Bézier points of all pieces.
fn tiles(degree: usize, bezier: &[DVec4]) -> Vec<DVec4> {
    let mut tiles = bezier.to_vec();
    if has_powers(degree) {
        for start in (0..tiles.len()).step_by(degree + 1) {
            powers_in_place(&mut tiles, start, 1, degree);
        }
    }
    tiles
}

/// From homogeneous derivatives by the local coordinate to derivatives in space by the parameter.
#[inline]
fn quotient(t: Taylor, inverse: f64, rational: bool) -> CurveJet {
    let first = t.first * inverse;
    let second = t.half_second * (2.0 * inverse * inverse);
    if !rational {
        return CurveJet { point: xyz(t.value), first: xyz(first), second: xyz(second) };
    }
    let over = 1.0 / t.value.w;
    let point = xyz(t.value) * over;
    let velocity = (xyz(first) - point * first.w) * over;
    CurveJet {
        point,
        first: velocity,
        second: (xyz(second) - velocity * (2.0 * first.w) - point * second.w) * over,
    }
}

#[inline]
pub(crate) fn xyz(p: DVec4) -> DVec3 {
    p.truncate()
}

/// The point in space of (x·w, y·w, z·w, w).
#[inline]
pub(crate) fn project(p: DVec4) -> DVec3 {
    xyz(p) / p.w
}

/// (x·w, y·w, z·w, w) of points and weights; the caller's counts and weights are checked here.
pub(crate) fn homogeneous(points: &[DVec3], weights: Option<&[f64]>) -> Result<Vec<DVec4>, NurbsError> {
    let Some(weights) = weights else {
        return Ok(points.iter().map(|p| p.extend(1.0)).collect());
    };
    if weights.len() != points.len() {
        return Err(NurbsError::WeightCount { expected: points.len(), found: weights.len() });
    }
    Ok(points.iter().zip(weights).map(|(&p, &w)| (p * w).extend(w)).collect())
}

pub(crate) fn check_homogeneous(points: &[DVec4]) -> Result<(), NurbsError> {
    for (at, p) in points.iter().enumerate() {
        // Written so that NaN is refused.
        if !(p.w > 0.0 && p.w.is_finite()) {
            return Err(NurbsError::BadWeight { at, value: p.w });
        }
        if !p.is_finite() || !project(*p).is_finite() {
            return Err(NurbsError::PointNotFinite { at });
        }
    }
    Ok(())
}
