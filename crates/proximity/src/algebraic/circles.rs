//! Critical points of the distance between a line and a circle, and between two circles in space.
//!
//! Source: the point of the circle as a function of half its angle's tangent; one condition eliminated by hand leaves a
//! polynomial of degree 4 (line) or 8 (circle).
//! Differs: two charts of the angle instead of one, so that no root is at infinity; where the eliminated angle is
//! undetermined (a point on the other circle's axis) both conditions are asked for it.
//! Ends because: roots of two polynomials, each polished.
//! Cost: some tens of microseconds.
//! Not promised: anything beyond [`super::Isolation`] about coaxial circles.

use super::RouteError;
use super::collect::{Collector, CriticalSet};
use super::polish::{Curve, Frame, Pair, Place, Side};
use clearance_geometry::DVec3;
use clearance_geometry::curve::{Circle, Line};
use clearance_roots::{Polynomial, RootsError};
use std::f64::consts::{FRAC_PI_2, PI};

/// cos, sin and 1 times 1 + t², as polynomials in t.
pub(super) struct Chart {
    pub(super) cos: Polynomial,
    pub(super) sin: Polynomial,
    pub(super) one: Polynomial,
}

impl Chart {
    /// Angles about 0 (sign 1) or about π (sign −1).
    pub(super) fn new(sign: f64) -> Result<Self, RootsError> {
        Ok(Self {
            cos: Polynomial::new(vec![sign, 0.0, -sign])?,
            sin: Polynomial::new(vec![0.0, 2.0 * sign])?,
            one: Polynomial::new(vec![1.0, 0.0, 1.0])?,
        })
    }

    /// A trigonometric polynomial of degree one.
    pub(super) fn linear(&self, constant: f64, cos: f64, sin: f64) -> Polynomial {
        let zero = self.one.plus(&self.one, -1.0);
        zero.plus(&self.one, constant).plus(&self.cos, cos).plus(&self.sin, sin)
    }
}

/// All angles at which an equation holds, its polynomial given in terms of a chart, and four more: where the equation
/// holds everywhere, there are others to go on with.
fn angles(equation: impl Fn(&Chart) -> Polynomial) -> Result<Vec<f64>, RootsError> {
    let mut found: Vec<f64> = (0..4).map(|k| 0.1 + f64::from(k) * FRAC_PI_2).collect();
    for (sign, turn) in [(1.0, 0.0), (-1.0, PI)] {
        let chart = Chart::new(sign)?;
        if let Ok(roots) = equation(&chart).roots_in(-1.0, 1.0) {
            found.extend(roots.iter().map(|root| 2.0 * root.value.atan() + turn));
        }
    }
    Ok(found)
}

/// All critical pairs of a line and a circle, at most 4 that are isolated.
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn line_circle(line: &Line, circle: &Circle) -> Result<CriticalSet, RouteError> {
    let origin = circle.frame().translation();
    // The foot of the circle's centre on the line: what lies farther along it does not matter.
    let direction = line.direction().normalize_or_zero();
    let foot = line.origin() + direction * (origin - line.origin()).dot(direction);
    let frame = Frame { origin, unit: circle.radius().max((foot - origin).length()) };
    let oval = frame.circle(circle);
    let straight = Curve::Straight { origin: frame.local(foot), direction };
    let (Curve::Oval { centre, a, b }, Curve::Straight { origin: p, direction: u }) = (oval, straight) else {
        return Err(RouteError::NotFinite { what: "circle" });
    };
    let across = |v: DVec3| v - u * v.dot(u);
    let (w, a, b) = (across(centre - p), across(a), across(b));
    let found = angles(|chart| {
        let arm = chart.linear(0.0, w.dot(b), -w.dot(a));
        let (cos, sin) = (&chart.cos, &chart.sin);
        let double = cos.times(cos).plus(&sin.times(sin), -1.0);
        let product = cos.times(sin);
        let mixed = b.length_squared() - a.length_squared();
        arm.times(&chart.one).plus(&double, a.dot(b)).plus(&product, mixed)
    })?;
    let mut collector = Collector::new(Pair { sides: [Side::Curve(straight), Side::Curve(oval)], frame });
    for angle in found {
        let [x, tangent, _] = oval.jet(angle);
        let along = (x - p).dot(u);
        let normal = (x - p - along * u).try_normalize();
        // The two meet: the common normal is across both.
        let normal = normal.or_else(|| tangent.cross(u).try_normalize());
        collector.offer([Place::Curve(along), Place::Curve(angle)], normal);
    }
    Ok(collector.finish(4, false))
}

/// All critical pairs of two circles in space, at most 8 that are isolated.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, curve::Circle};
/// use clearance_proximity::algebraic::circle_circle;
/// let one = Circle::new(Pose::IDENTITY, 1.0)?;
/// let other = Circle::new(Pose::from_axis_angle(DVec3::X, 1.2, DVec3::new(3.0, 0.5, 0.2))?, 0.5)?;
/// let set = circle_circle(&one, &other)?;
/// assert!(set.pairs.len() >= 4 && set.pairs[0].residual < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RouteError::NotFinite`].
pub fn circle_circle(first: &Circle, second: &Circle) -> Result<CriticalSet, RouteError> {
    let origin = first.frame().translation();
    let apart = (second.frame().translation() - origin).length();
    let frame = Frame { origin, unit: first.radius().max(second.radius()).max(apart) };
    let ovals = [frame.circle(first), frame.circle(second)];
    let [Curve::Oval { centre: o1, a: a1, b: b1 }, Curve::Oval { centre: o2, a: a2, b: b2 }] = ovals else {
        return Err(RouteError::NotFinite { what: "circle" });
    };
    let d = o2 - o1;
    // With v the second circle's point seen from the first centre and w its tangent:
    // ((v·a₁)(a₁·w) + (v·b₁)(b₁·w))² = ((v·a₁)² + (v·b₁)²) (d·w)².
    let found = angles(|chart| {
        let [va, vb] = [a1, b1].map(|e| chart.linear(d.dot(e), a2.dot(e), b2.dot(e)));
        let [wa, wb, wd] = [a1, b1, d].map(|e| chart.linear(0.0, b2.dot(e), -a2.dot(e)));
        let left = va.times(&wa).plus(&vb.times(&wb), 1.0);
        let reach = va.times(&va).plus(&vb.times(&vb), 1.0);
        left.times(&left).plus(&reach.times(&wd).times(&wd), -1.0)
    })?;
    let mut collector = Collector::new(Pair { sides: ovals.map(Side::Curve), frame });
    for phi in found {
        let [y, w, _] = ovals[1].jet(phi);
        let v = y - o1;
        let radial = v.dot(b1).atan2(v.dot(a1));
        let mut thetas = vec![radial, radial + PI];
        // a₁·w cos θ + b₁·w sin θ = d·w.
        let (wa, wb, wd) = (a1.dot(w), b1.dot(w), d.dot(w));
        let (middle, size) = (wb.atan2(wa), wa.hypot(wb));
        let spread = if size > 0.0 { (wd / size).clamp(-1.0, 1.0).acos() } else { FRAC_PI_2 };
        thetas.extend([middle + spread, middle - spread]);
        for theta in thetas {
            let [x, tangent, _] = ovals[0].jet(theta);
            let normal = (y - x).try_normalize().or_else(|| tangent.cross(w).try_normalize());
            collector.offer([Place::Curve(theta), Place::Curve(phi)], normal);
        }
    }
    Ok(collector.finish(8, false))
}
