//! The curves along which one parameter of a surface is constant: the sides of a patch, above all.

use super::jet::unit;
use super::{NurbsSurface, ParametricSurface, Surface};
use crate::Pose;
use crate::curve::{Circle, Curve, Direction, Ellipse, Knots, Line, NurbsCurve, NurbsError, Range, Turn};
use crate::tolerance::CLOSED_REL;
use glam::{DMat3, DVec3, DVec4};

impl NurbsSurface {
    /// The curve along which `constant` has the value `at`, with the other parameter as its own.
    ///
    /// # Errors
    /// When `at` is outside the domain.
    pub fn iso_curve(&self, constant: Direction, at: f64) -> Result<NurbsCurve, NurbsError> {
        let ([u, v], [rows, columns]) = (self.knots(), self.point_counts());
        let net = self.homogeneous_points();
        let on = |knots: &Knots, line: &dyn Fn(usize) -> DVec4| {
            let piece = knots.find(at);
            let start = knots.start(piece) - knots.degree();
            let acting: Vec<DVec4> = (start..=start + knots.degree()).map(line).collect();
            knots.polar(piece, &acting, |_| at)
        };
        let (across, along) = if constant == Direction::U { (u, v) } else { (v, u) };
        if !across.domain().contains(at) {
            return Err(NurbsError::OutsideDomain { direction: constant, at });
        }
        let points = match constant {
            Direction::U => (0..columns).map(|j| on(u, &|i| net[i * columns + j])).collect(),
            Direction::V => (0..rows).map(|i| on(v, &|j| net[i * columns + j])).collect(),
        };
        NurbsCurve::from_homogeneous(along.clone(), points)
    }
}

impl Surface {
    /// The curve along which `constant` has the value `at`, with the other parameter as its own. `along` is the range
    /// of that parameter which is asked for; only the meridians of a paraboloid depend on it, which are splines
    /// over that range.
    ///
    /// `None` where the line is a single point (a pole), and where `at` or `along` cannot be.
    ///
    /// ```
    /// use clearance_geometry::{Pose, curve::{Curve, Direction, Range}, surface::{Cylinder, Surface}};
    /// let pipe = Surface::from(Cylinder::new(Pose::IDENTITY, 2.0)?);
    /// let rim = pipe.iso_curve(Direction::V, 3.0, Range::TURN);
    /// assert!(matches!(rim, Some(Curve::Circle(circle)) if circle.radius() == 2.0));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn iso_curve(&self, constant: Direction, at: f64, along: Range) -> Option<Curve> {
        match (self, constant) {
            (Self::Nurbs(nurbs), _) => {
                let curve = nurbs.iso_curve(constant, at).ok()?;
                (!is_point(&curve)).then(|| curve.into())
            }
            (Self::Extrusion(extrusion), Direction::V) => {
                let moved = Pose::from_translation(extrusion.direction() * at).ok()?;
                Some(extrusion.curve().moved(&moved))
            }
            (Self::Revolution(revolution), Direction::U) => {
                // A turn about the axis is a turn about the origin, and what that does to a point of the axis back.
                let turn = Pose::from_axis_angle(revolution.axis(), at, DVec3::ZERO).ok()?;
                let back = revolution.origin() - turn.rotate(revolution.origin());
                Some(revolution.curve().moved(&turn.with_translation(back)))
            }
            (Self::Paraboloid(paraboloid), Direction::U) => {
                let turn = Turn::from_angle(at);
                let polar = |s: f64, t: f64| {
                    let r = 0.5 * (s + t);
                    let local = DVec3::new(r * turn.cos, r * turn.sin, 0.25 * s * t / paraboloid.focal());
                    paraboloid.frame().apply(local)
                };
                let Range { low, high } = along;
                let points = [polar(low, low), polar(low, high), polar(high, high)];
                let knots = vec![low, low, low, high, high, high];
                NurbsCurve::new(2, knots, &points, None).ok().map(Curve::from)
            }
            (Self::Plane(_) | Self::Cylinder(_) | Self::Cone(_), Direction::U)
            | (Self::Plane(_), Direction::V)
            | (Self::Extrusion(_), Direction::U) => self.straight(constant, at),
            (Self::Sphere(_) | Self::Ellipsoid(_) | Self::Torus(_), Direction::U) | (_, Direction::V) => {
                self.round(constant, at)
            }
        }
    }

    /// Where the surface is linear in the other parameter.
    fn straight(&self, constant: Direction, at: f64) -> Option<Curve> {
        let (jet, direction) = match constant {
            Direction::U => {
                let jet = self.jet(at, 0.0);
                (jet, jet.v)
            }
            Direction::V => {
                let jet = self.jet(0.0, at);
                (jet, jet.u)
            }
        };
        Line::new(jet.point, direction).ok().map(Curve::from)
    }

    /// Where the other parameter is the angle of a circle or an ellipse: center + cos t · x + sin t · y.
    fn round(&self, constant: Direction, at: f64) -> Option<Curve> {
        // The second derivative points from the curve to its centre.
        let (start, quarter) = match constant {
            Direction::U => (self.jet(at, 0.0), self.jet(at, std::f64::consts::FRAC_PI_2)),
            Direction::V => (self.jet(0.0, at), self.jet(std::f64::consts::FRAC_PI_2, at)),
        };
        let pick = |jet: &super::SurfaceJet| if constant == Direction::U { jet.vv } else { jet.uu };
        let (x, y) = (-pick(&start), -pick(&quarter));
        let center = start.point - x;
        let size = start.point.length() + x.length();
        let radii = [x.length(), y.length()];
        if radii[0] <= CLOSED_REL * size && radii[1] <= CLOSED_REL * size {
            return None;
        }
        let (x, y) = (unit(x)?, unit(y)?);
        let y = unit(y - x * x.dot(y))?;
        let frame = Pose::from_matrix(DMat3::from_cols(x, y, x.cross(y)), center).ok()?;
        // A circle up to rounding is one.
        if (radii[0] - radii[1]).abs() <= CLOSED_REL * radii[0] {
            return Circle::new(frame, radii[0]).ok().map(Curve::from);
        }
        Ellipse::new(frame, radii).ok().map(Curve::from)
    }
}

fn is_point(curve: &NurbsCurve) -> bool {
    let count = curve.homogeneous_points().len();
    let size = (0..count).fold(0.0_f64, |most, i| most.max(curve.control_point(i).abs().max_element()));
    let first = curve.control_point(0);
    (1..count).all(|i| (curve.control_point(i) - first).abs().max_element() <= CLOSED_REL * size)
}
