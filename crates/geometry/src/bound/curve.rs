//! Bounds of curves with closed formulas, by evaluating the formulas over intervals.
//!
//! Source: interval evaluation (Moore 1966).
//! Differs: the box of a curve in a frame is taken in that frame and kept as its corners, so that a turned
//! circle has as tight a hull as one along the axes.
//! Ends because: no loops but over axes.
//! Cost: a cosine and sine per end of the range.
//! Not promised: the smallest box.

use super::interval_jet::{CurveBox, Vector, ZERO, aabb, corners, longest, moved, plus, scaled, vector};
use super::{Aabb, ConvexBound, CurveSpeeds, DerivativeBound, Hull, trig};
use crate::curve::{Curve, Helix, PlanarCurve, Range};
use crate::tolerance::CLOSED_FORM_ERROR_REL;
use crate::{Interval, Pose};

/// The curve over a range: its box in its own frame, and that frame. Splines have none.
pub(crate) fn local_box(curve: &Curve, range: Range) -> Option<(CurveBox, Pose)> {
    let t = Interval::between(range.low, range.high);
    let flat = |x: Interval, y: Interval| [x, y, Interval::ZERO];
    let conic = |a: f64, b: f64, c: Interval, s: Interval| {
        let (a, b) = (Interval::point(a), Interval::point(b));
        CurveBox { point: flat(a * c, b * s), first: flat(-(a * s), b * c), second: flat(-(a * c), -(b * s)) }
    };
    Some(match curve {
        Curve::Line(line) => {
            let (origin, direction) = (vector(line.origin()), vector(line.direction()));
            let point = plus(origin, scaled(direction, t));
            (CurveBox { point, first: direction, second: ZERO }, Pose::IDENTITY)
        }
        Curve::Circle(circle) => {
            (conic(circle.radius(), circle.radius(), trig::cos(t), trig::sin(t)), *circle.frame())
        }
        Curve::Ellipse(ellipse) => {
            let [a, b] = ellipse.radii();
            (conic(a, b, trig::cos(t), trig::sin(t)), *ellipse.frame())
        }
        Curve::Parabola(parabola) => {
            let f = Interval::point(parabola.focal());
            let two = f * 2.0;
            let point = flat(f * t.square(), two * t);
            (
                CurveBox { point, first: flat(two * t, two), second: flat(two, Interval::ZERO) },
                *parabola.frame(),
            )
        }
        Curve::Hyperbola(hyperbola) => {
            let [a, b] = hyperbola.radii().map(Interval::point);
            let (c, s) = (trig::cosh(t), trig::sinh(t));
            let point = flat(a * c, b * s);
            (CurveBox { point, first: flat(a * s, b * c), second: point }, *hyperbola.frame())
        }
        Curve::Helix(helix) => (helix_box(helix, t, conic), *helix.frame()),
        Curve::Nurbs(_) => return None,
    })
}

fn helix_box(
    helix: &Helix,
    t: Interval,
    conic: impl Fn(f64, f64, Interval, Interval) -> CurveBox,
) -> CurveBox {
    let mut jet = conic(helix.radius(), helix.radius(), trig::cos(t), trig::sin(t));
    let slope = Interval::point(helix.slope());
    jet.point[2] = slope * t;
    jet.first[2] = slope;
    jet
}

/// A local box as a hull in space: its corners, with what their rounding may lose and what the closed formula,
/// evaluated in f64, may lie outside.
pub(crate) fn hull_of_box(point: Vector, frame: &Pose) -> Hull {
    let Some(corners) = corners(point) else { return Hull::unknown() };
    let points: Vec<_> = corners.iter().map(|&p| frame.apply(p)).collect();
    let size = longest(point) + frame.translation().length();
    Hull { points, slack: CLOSED_FORM_ERROR_REL * size }
}

impl ConvexBound for Curve {
    type Part = Range;

    fn hull(&self, range: Range) -> Hull {
        match (self, local_box(self, range)) {
            (Self::Nurbs(nurbs), _) => nurbs.hull(range),
            // The ends of a segment are better than its box.
            (Self::Line(line), _) => {
                let points: Vec<_> = [range.low, range.high].map(|t| line.jet(t).point).to_vec();
                let size = points.iter().fold(line.origin().length(), |most, p| most.max(p.length()));
                Hull::checked(points, CLOSED_FORM_ERROR_REL * size)
            }
            (_, Some((local, frame))) => hull_of_box(local.point, &frame),
            (_, None) => Hull::unknown(),
        }
    }

    fn aabb(&self, range: Range) -> Aabb<3> {
        if let Self::Line(line) = self {
            let ends = [range.low, range.high].map(|t| line.jet(t).point);
            let size = ends[0].length().max(ends[1].length()) + line.origin().length();
            let bound = Aabb::from_points(ends).inflated(CLOSED_FORM_ERROR_REL * size);
            return if size.is_finite() { bound } else { Aabb::ENTIRE };
        }
        match (self, local_box(self, range)) {
            (Self::Nurbs(nurbs), _) => nurbs.aabb(range),
            (_, Some((local, frame))) => {
                let size = longest(local.point) + frame.translation().length();
                aabb(moved(&frame, local.point)).inflated(CLOSED_FORM_ERROR_REL * size)
            }
            (_, None) => Aabb::ENTIRE,
        }
    }
}

impl DerivativeBound for Curve {
    type Part = Range;
    type Speeds = CurveSpeeds;

    fn derivative_bounds(&self, range: Range) -> CurveSpeeds {
        // A frame's axes are of unit length up to rounding.
        let upward = 1.0 + CLOSED_FORM_ERROR_REL;
        match (self, local_box(self, range)) {
            (Self::Nurbs(nurbs), _) => nurbs.derivative_bounds(range),
            (_, Some((local, _))) => {
                CurveSpeeds { first: longest(local.first) * upward, second: longest(local.second) * upward }
            }
            (_, None) => CurveSpeeds { first: f64::INFINITY, second: f64::INFINITY },
        }
    }
}

impl PlanarCurve {
    /// A box along the axes around the part over `range`.
    ///
    /// ```
    /// use clearance_geometry::{DVec2, curve::{PlanarCurve, Range}};
    /// let circle = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
    /// let quarter = circle.aabb(Range::new(0.0, 1.5));
    /// assert!(quarter.low[0] > 0.07 && quarter.contains([1.0, 0.0]));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn aabb(&self, range: Range) -> Aabb<2> {
        self.curve().aabb(range).flat()
    }
}
