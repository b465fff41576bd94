//! Curves as rational splines, exactly.
//!
//! Source: conics as rational quadratics: an arc of half-angle α has the middle weight cos α (cosh for a
//! hyperbola), its middle control point where the end tangents meet.
//! Differs: nothing.
//! Ends because: loops run over arcs.
//! Cost: three control points per quarter turn.
//! Not promised: the same parameter inside an arc of a circle, ellipse or hyperbola: only its ends and its middle
//! have the parameter of the original; the point set is the same up to rounding.

use super::{ConvertError, Curve, Direction, Knots, NurbsCurve, ParametricCurve, Range, mapped};
use glam::{DMat3, DVec3, DVec4};
use std::f64::consts::FRAC_PI_2;

/// More arcs than any drawing has: beyond it a range of angles is a mistake.
const MOST_ARCS: f64 = 4096.0;

/// Parameter width of one piece of a hyperbola: its middle weight stays below cosh 1.
const HYPERBOLA_STEP: f64 = 2.0;

/// Turns of `range` in rational quadratics, in (cos, sin, ·, w) of the unit circle or, where `hyperbolic`,
/// (cosh, sinh, ·, w).
pub(crate) struct Arcs {
    pub(crate) knots: Vec<f64>,
    /// The homogeneous x, y and w of each control point.
    pub(crate) points: Vec<[f64; 3]>,
}

pub(crate) fn arcs(range: Range, hyperbolic: bool, direction: Direction) -> Result<Arcs, ConvertError> {
    let Range { low, high } = range;
    let step = if hyperbolic { HYPERBOLA_STEP } else { FRAC_PI_2 };
    let count = checked_width(range, direction)? / step;
    if count > MOST_ARCS {
        return Err(ConvertError::BadRange { direction, low, high });
    }
    // A full turn that rounding makes a little longer is still four arcs.
    let count = (count - count * f64::EPSILON * 4.0).ceil().max(1.0) as usize;
    let half = 0.5 * (high - low) / count as f64;
    let weight = if hyperbolic { half.cosh() } else { half.cos() };
    let mut knots = vec![low; 3];
    let mut points = Vec::with_capacity(2 * count + 1);
    for i in 0..=2 * count {
        let t = if i == 2 * count { high } else { low + half * i as f64 };
        let (x, y) = if hyperbolic { (t.cosh(), t.sinh()) } else { (snapped(t.cos()), snapped(t.sin())) };
        // A middle point is divided by cos α and has the weight cos α: its homogeneous x, y stay as they are.
        points.push(if i % 2 == 1 { [x, y, weight] } else { [x, y, 1.0] });
        if i % 2 == 0 && i > 0 && i < 2 * count {
            knots.extend([t, t]);
        }
    }
    knots.extend([high; 3]);
    Ok(Arcs { knots, points })
}

/// A cosine that is zero but for the rounding of π: the poles of a sphere become single points.
fn snapped(value: f64) -> f64 {
    if value.abs() <= f64::EPSILON { 0.0 } else { value }
}

pub(crate) fn checked_width(range: Range, direction: Direction) -> Result<f64, ConvertError> {
    let Range { low, high } = range;
    let width = high - low;
    // NaN and infinity fail.
    if width > 0.0 && width.is_finite() {
        Ok(width)
    } else {
        Err(ConvertError::BadRange { direction, low, high })
    }
}

impl Curve {
    /// The part over `range` as a rational spline: the same points, and the same parameters at its ends (for
    /// lines, parabolas and splines everywhere).
    ///
    /// ```
    /// use clearance_geometry::{Pose, curve::{Circle, Curve, ParametricCurve}};
    /// let circle = Curve::from(Circle::new(Pose::IDENTITY, 3.0)?);
    /// let spline = circle.to_nurbs(circle.domain())?;
    /// assert!((spline.point(1.0).length() - 3.0).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For a helix, and for a range that is not finite, not in order, or outside a spline's domain.
    pub fn to_nurbs(&self, range: Range) -> Result<NurbsCurve, ConvertError> {
        let Range { low, high } = range;
        checked_width(range, Direction::U)?;
        let segment = |points: &[DVec3]| {
            let degree = points.len() - 1;
            let knots = [vec![low; degree + 1], vec![high; degree + 1]].concat();
            Ok(NurbsCurve::new(degree, knots, points, None)?)
        };
        match self {
            Self::Line(line) => segment(&[line.jet(low).point, line.jet(high).point]),
            Self::Parabola(parabola) => {
                // The polar form of f · (t², 2t) at (low, low), (low, high), (high, high).
                let at = |s: f64, t: f64| DVec3::new(s * t, s + t, 0.0) * parabola.focal();
                let points = [at(low, low), at(low, high), at(high, high)];
                segment(&points.map(|p| parabola.frame().apply(p)))
            }
            Self::Circle(circle) => conic(range, false, [circle.radius(); 2], circle.frame()),
            Self::Ellipse(ellipse) => conic(range, false, ellipse.radii(), ellipse.frame()),
            Self::Hyperbola(hyperbola) => conic(range, true, hyperbola.radii(), hyperbola.frame()),
            Self::Helix(_) => Err(ConvertError::NotRational),
            Self::Nurbs(nurbs) if range == nurbs.domain() => Ok((**nurbs).clone()),
            Self::Nurbs(nurbs) => Ok(nurbs.restricted(range)?),
        }
    }
}

fn conic(
    range: Range,
    hyperbolic: bool,
    [a, b]: [f64; 2],
    frame: &crate::Pose,
) -> Result<NurbsCurve, ConvertError> {
    let Arcs { knots, points } = arcs(range, hyperbolic, Direction::U)?;
    let linear = frame.rotation() * DMat3::from_diagonal(DVec3::new(a, b, 1.0));
    let point = |&[x, y, w]: &[f64; 3]| mapped(DVec4::new(x, y, 0.0, w), &linear, frame.translation());
    let points: Vec<DVec4> = points.iter().map(point).collect();
    let knots = Knots::new(2, knots, points.len(), Direction::U)?;
    Ok(NurbsCurve::from_homogeneous(knots, points)?)
}
