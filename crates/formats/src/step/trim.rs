//! Where a point lies on a curve, and which piece of the curve runs between two vertices.
//!
//! Source: closed formulas for lines and conics; for splines the nearer end, or else [`Curve::locate`].
//! Differs: nothing to differ from.
//! Ends because: no loops but those of `locate`.
//! Cost: O(1) for lines and conics and for splines that end at the point; else a few evaluations per span.
//! Not promised: an exact parameter for a point far from a conic. The gap returned is always true for the parameter
//! returned, so a bad guess is seen by the caller.

use clearance_geometry::curve::{Curve, NurbsCurve, ParametricCurve, Range};
use clearance_geometry::{DVec3, tolerance};
use std::f64::consts::TAU;

/// The parameter of the point of `curve` nearest to `place`, and their distance. Angles lie in [0, 2π).
pub(super) fn nearest(curve: &Curve, place: DVec3) -> (f64, f64) {
    let t = match curve {
        Curve::Line(line) => {
            let along = line.direction();
            (place - line.origin()).dot(along) / along.length_squared()
        }
        Curve::Circle(circle) => angle(circle.frame().apply_inverse(place), [1.0, 1.0]),
        Curve::Ellipse(ellipse) => angle(ellipse.frame().apply_inverse(place), ellipse.radii()),
        Curve::Parabola(parabola) => parabola.frame().apply_inverse(place).y / (2.0 * parabola.focal()),
        Curve::Hyperbola(hyperbola) => {
            (hyperbola.frame().apply_inverse(place).y / hyperbola.radii()[1]).asinh()
        }
        Curve::Nurbs(spline) => return nearest_on_spline(curve, spline, place),
        _ => 0.0,
    };
    (t, curve.point(t).distance(place))
}

/// The parameter of an ellipse's point in the direction of `p`; exact for points on it.
fn angle(p: DVec3, radii: [f64; 2]) -> f64 {
    let angle = (p.y / radii[1]).atan2(p.x / radii[0]);
    // The sum may round up to a whole turn.
    if angle < 0.0 { (angle + TAU) % TAU } else { angle }
}

fn nearest_on_spline(curve: &Curve, spline: &NurbsCurve, place: DVec3) -> (f64, f64) {
    let domain = spline.domain();
    let off = |t: f64| spline.point(t).distance(place);
    let ends = [(domain.low, off(domain.low)), (domain.high, off(domain.high))];
    let end = if ends[1].1 < ends[0].1 { ends[1] } else { ends[0] };
    let size = spline.point(domain.middle()).distance(place).max(ends[0].1).max(ends[1].1);
    if end.1 <= tolerance::STEP_VERTEX_REL * size {
        return end;
    }
    let found = curve.locate(place, domain, None);
    if found.distance < end.1 { (found.parameters, found.distance) } else { end }
}

/// The piece of a curve between two vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// First and last parameter along the curve; the last may be a period further on, or on a closed spline
    /// smaller than the first, which means that the piece passes the spline's own ends.
    pub(super) ends: [f64; 2],
    /// The larger distance from a vertex to its end.
    pub(super) gap: f64,
    /// Whether the vertices stand the other way round than said.
    pub(super) turned: bool,
}

/// The piece from `from` to `to` along the curve; `closed` when both are the same vertex.
pub(super) fn span(curve: &Curve, from: DVec3, to: DVec3, closed: bool) -> Span {
    let (first, gap) = nearest(curve, from);
    let (mut last, gap_last) = if closed { (first, gap) } else { nearest(curve, to) };
    let mut span = Span { ends: [first, last], gap: gap.max(gap_last), turned: false };
    match curve {
        Curve::Circle(_) | Curve::Ellipse(_) => {
            if closed {
                last = first + TAU;
            } else if last < first {
                last += TAU;
            }
            // Two vertices in one place, the second a rounding before the first: nothing, not a whole turn.
            if !closed && last - first > TAU - tolerance::STEP_VERTEX_REL && from.distance(to) <= span.gap {
                last = first;
            }
            span.ends = [first, last];
        }
        Curve::Nurbs(spline) => span.ends = spline_ends(spline, first, last, closed),
        _ => {}
    }
    let wraps = matches!(curve, Curve::Nurbs(spline) if spline.is_closed());
    if span.ends[1] < span.ends[0] && !wraps {
        span.ends.swap(0, 1);
        span.turned = true;
    }
    span
}

/// On a closed spline both ends of the domain are one point, and which is meant follows from the other.
fn spline_ends(spline: &NurbsCurve, first: f64, last: f64, closed: bool) -> [f64; 2] {
    let Range { low, high } = spline.domain();
    let at_end = |t: f64| t == low || t == high;
    if !spline.is_closed() {
        // One vertex on an open spline: nothing of it, unless the file means all.
        return if closed && at_end(first) { [low, high] } else { [first, last] };
    }
    match (at_end(first), at_end(last)) {
        (true, true) => [low, high],
        (true, false) => [low, last],
        (false, true) => [first, high],
        (false, false) => [first, last],
    }
}
