//! Critical points of the distance from a point to a quadric, an ellipse, a circle and a torus.
//!
//! Source: Lagrange's condition x + λ (F x + b) = p. In the axes of F it gives x as a function of λ, and the surface's
//! equation becomes a polynomial of degree 6 in λ (4 for an ellipse). A torus is a circle made thick.
//! Differs: where p lies on a plane of symmetry, x is 0/0 at λ = −1/eigenvalue. Those λ are candidates of their own, with
//! the free coordinate from the equation of the surface, so that symmetric configurations lose nothing.
//! Ends because: roots of one polynomial, each polished.
//! Cost: some microseconds.
//! Not promised: anything beyond [`super::Isolation`] about points that lie on a whole curve of solutions.

use super::collect::{Collector, Critical, CriticalSet, Isolation, sorted};
use super::polish::{Form, Frame, Pair, Place, Side};
use super::{Quadric, RouteError};
use crate::tolerance::{CRITICAL_MERGE_REL, QUADRIC_FLAT_REL};
use clearance_geometry::curve::{Circle, Ellipse};
use clearance_geometry::surface::Torus;
use clearance_geometry::{DMat3, DVec3};
use clearance_roots::{Matrix, Polynomial, RootsError, symmetric_eigen};
use std::f64::consts::FRAC_PI_2;

/// All critical points of the distance from `point` to a quadric, at most 6 that are isolated. The first of each pair is
/// the point itself.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// use clearance_proximity::algebraic::{Isolation, Quadric, point_quadric};
/// let ball = Quadric::ellipsoid(&Pose::IDENTITY, [2.0, 2.0, 1.0])?;
/// let set = point_quadric(DVec3::ZERO, &ball)?;
/// // The two poles, and the equator.
/// assert_eq!(set.pairs.iter().map(|p| p.isolation == Isolation::Isolated).collect::<Vec<_>>(), [true, true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn point_quadric(point: DVec3, quadric: &Quadric) -> Result<CriticalSet, RouteError> {
    if !point.is_finite() {
        return Err(RouteError::NotFinite { what: "point" });
    }
    let frame = frame_of(quadric, point);
    let (form, p) = (frame.form(quadric), frame.local(point));
    let mut collector = Collector::new(Pair { sides: [Side::Point(p), Side::Surface(form)], frame });
    for (x, normal) in candidates(&form, p) {
        collector.offer([Place::Point, Place::Surface(x)], normal);
    }
    Ok(collector.finish(6, false))
}

/// Coordinates about the quadric's anchor in which it and a point are of size one.
pub(super) fn frame_of(quadric: &Quadric, point: DVec3) -> Frame {
    let origin = quadric.anchor();
    let unit = size_of(quadric).max((point - origin).length());
    Frame { origin, unit: if unit > 0.0 && unit.is_finite() { unit } else { 1.0 } }
}

/// A length that its coefficients speak of: for an ellipsoid about its centre, the least half axis.
pub(super) fn size_of(quadric: &Quadric) -> f64 {
    let largest = super::polish::largest(quadric.form());
    (quadric.half_linear().length() / largest).max((quadric.constant().abs() / largest).sqrt())
}

/// Axes of the form: eigenvalues, those within rounding of zero made zero, and the matrix of eigenvectors.
pub(super) fn axes(form: DMat3) -> ([f64; 3], DMat3) {
    let (values, vectors) = symmetric_eigen(&Matrix::from_fn(3, 3, |i, j| form.col(j)[i]));
    let column = |j: usize| DVec3::new(vectors[(0, j)], vectors[(1, j)], vectors[(2, j)]);
    let flat = |value: f64| if value.abs() <= QUADRIC_FLAT_REL { 0.0 } else { value };
    ([flat(values[0]), flat(values[1]), flat(values[2])], DMat3::from_cols(column(0), column(1), column(2)))
}

/// c Π(1 + aᵢλ)² − Σ bᵢ² λ (2 + aᵢλ) Π_{j≠i} (1 + aⱼλ)²: the equation of the surface at x(λ), where b is half the
/// gradient at the point and c the value there.
fn secular(a: &[f64], b: &[f64], c: f64) -> Result<Polynomial, RootsError> {
    let square = |a: f64| Polynomial::new(vec![1.0, 2.0 * a, a * a]);
    let mut sum = Polynomial::new(vec![c])?;
    for &a in a {
        sum = sum.times(&square(a)?);
    }
    for (i, (&ai, &bi)) in a.iter().zip(b).enumerate() {
        let mut term = Polynomial::new(vec![0.0, 2.0 * bi * bi, ai * bi * bi])?;
        for (_, &aj) in a.iter().enumerate().filter(|&(j, _)| j != i) {
            term = term.times(&square(aj)?);
        }
        sum = sum.plus(&term, -1.0);
    }
    Ok(sum)
}

/// Places on the quadric from which every critical point is reached, with the normal where it is known.
pub(super) fn candidates(form: &Form, p: DVec3) -> Vec<(DVec3, Option<DVec3>)> {
    let (a, vectors) = axes(form.form);
    let g = vectors.transpose() * form.half_gradient(p);
    let b = g.to_array();
    let value = form.value(p);
    let world = |step: [f64; 3]| p + vectors * DVec3::from_array(step);
    let mut found = Vec::new();
    if let Ok(roots) = secular(&a, &b, value).and_then(|s| s.real_roots()) {
        for root in roots {
            let step = [0, 1, 2].map(|i| -root.value * b[i] / (1.0 + root.value * a[i]));
            found.push((world(step), None));
        }
    }
    // λ = −1/aᵢ: coordinate i is free, those with the same eigenvalue stay where they are.
    for i in (0..3).filter(|&i| a[i] != 0.0) {
        let lambda = -1.0 / a[i];
        let mut step = [0.0; 3];
        let mut rest = value;
        for j in (0..3).filter(|&j| j != i) {
            let weight = 1.0 + lambda * a[j];
            step[j] = if weight.abs() > CRITICAL_MERGE_REL { -lambda * b[j] / weight } else { -b[j] / a[j] };
            rest += step[j] * (a[j] * step[j] + 2.0 * b[j]);
        }
        for root in clearance_roots::quadratic_roots(a[i], 2.0 * b[i], rest) {
            step[i] = root;
            found.push((world(step), None));
        }
    }
    if let Some(apex) = apex(form) {
        found.push((apex, (apex - p).try_normalize()));
    }
    found
}

/// The point of a quadric where its gradient vanishes: the apex of a cone.
pub(super) fn apex(form: &Form) -> Option<DVec3> {
    let (a, vectors) = axes(form.form);
    if a.contains(&0.0) {
        return None;
    }
    let centre = -(vectors * (vectors.transpose() * form.half_linear / DVec3::from_array(a)));
    let size = form.constant.abs() + centre.length_squared();
    (form.value(centre).abs() <= QUADRIC_FLAT_REL * size).then_some(centre)
}

/// The nearest and the farthest point of a circle: on the axis, all of them.
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn point_circle(point: DVec3, circle: &Circle) -> Result<CriticalSet, RouteError> {
    if !point.is_finite() {
        return Err(RouteError::NotFinite { what: "point" });
    }
    let origin = circle.frame().translation();
    let frame = Frame { origin, unit: circle.radius().max((point - origin).length()) };
    let p = frame.local(point);
    let arm = circle.frame().rotate_inverse(p);
    let mut collector =
        Collector::new(Pair { sides: [Side::Point(p), Side::Curve(frame.circle(circle))], frame });
    for angle in [arm.y.atan2(arm.x), (-arm.y).atan2(-arm.x)] {
        collector.offer([Place::Point, Place::Curve(angle)], circle_normal(&collector, p, angle));
    }
    Ok(collector.finish(2, false))
}

/// A direction normal to a circle through a point on it: the connection's, or any where the two coincide.
fn circle_normal(collector: &Collector<'_>, p: DVec3, angle: f64) -> Option<DVec3> {
    let Side::Curve(curve) = collector.pair.sides[1] else { return None };
    let [point, tangent, _] = curve.jet(angle);
    (point - p).try_normalize().or_else(|| Some(tangent.any_orthonormal_vector()))
}

/// All critical points of the distance from a point to an ellipse in space, at most 4 that are isolated.
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn point_ellipse(point: DVec3, ellipse: &Ellipse) -> Result<CriticalSet, RouteError> {
    if !point.is_finite() {
        return Err(RouteError::NotFinite { what: "point" });
    }
    let (origin, radii) = (ellipse.frame().translation(), ellipse.radii());
    let unit = radii[0].max(radii[1]).max((point - origin).length());
    let frame = Frame { origin, unit };
    let p = frame.local(point);
    let flat = ellipse.frame().rotate_inverse(p);
    let mut collector =
        Collector::new(Pair { sides: [Side::Point(p), Side::Curve(frame.ellipse(ellipse))], frame });
    for angle in ellipse_angles([flat.x, flat.y], radii.map(|r| r / unit))? {
        collector.offer([Place::Point, Place::Curve(angle)], circle_normal(&collector, p, angle));
    }
    Ok(collector.finish(4, false))
}

/// Angles on an ellipse about the origin from which every critical point of the distance to `p` is reached.
fn ellipse_angles(p: [f64; 2], radii: [f64; 2]) -> Result<Vec<f64>, RootsError> {
    let least = radii[0].min(radii[1]);
    let a = radii.map(|r| (least / r) * (least / r));
    let b = [a[0] * p[0], a[1] * p[1]];
    let value = b[0] * p[0] + b[1] * p[1] - least * least;
    let angle = |x: [f64; 2]| (x[1] / radii[1]).atan2(x[0] / radii[0]);
    // The ends of the axes as well: cheap, and exact where p is on an axis.
    let mut angles: Vec<f64> = (0..4).map(|k| f64::from(k) * FRAC_PI_2).collect();
    for root in secular(&a, &b, value)?.real_roots().unwrap_or_default() {
        angles.push(angle([0, 1].map(|i| p[i] / (1.0 + root.value * a[i]))));
    }
    for i in 0..2 {
        let j = 1 - i;
        let other = p[j] / (1.0 - a[j] / a[i]);
        let rest = (1.0 - (other / radii[j]) * (other / radii[j])).max(0.0).sqrt() * radii[i];
        for free in [rest, -rest] {
            let x = if i == 0 { [free, other] } else { [other, free] };
            angles.push(angle(x));
        }
    }
    angles.retain(|angle| angle.is_finite());
    Ok(angles)
}

/// All critical points of the distance from a point to a torus: four in general, in the plane through the axis.
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn point_torus(point: DVec3, torus: &Torus) -> Result<CriticalSet, RouteError> {
    let centre = centre_circle(torus)?;
    let mut set = thicken(point_circle(point, &centre)?, torus.minor());
    let size = torus.major() + torus.minor();
    for pair in &mut set.pairs {
        // On the centre of the tube, every direction across it is normal.
        let on_centre = (pair.distance - torus.minor()).abs() <= CRITICAL_MERGE_REL * size;
        if on_centre && pair.isolation == Isolation::Multiple {
            pair.isolation = Isolation::Continuum;
        }
    }
    Ok(set)
}

/// The circle that the tube of a torus follows.
pub(super) fn centre_circle(torus: &Torus) -> Result<Circle, RouteError> {
    Circle::new(*torus.frame(), torus.major()).map_err(|_| RouteError::NotFinite { what: "torus" })
}

/// The critical pairs with a tube of this radius about the second curve: each normal to the curve meets the tube twice.
pub(super) fn thicken(set: CriticalSet, radius: f64) -> CriticalSet {
    let both = |pair: Critical| {
        [radius, -radius].map(|r| {
            let points = [pair.points[0], pair.points[1] + r * pair.normal];
            Critical { points, distance: (points[1] - points[0]).length(), ..pair }
        })
    };
    let (size, disturbed) = (2 * set.size, set.disturbed);
    sorted(set.pairs.into_iter().flat_map(both).collect(), size, disturbed)
}
