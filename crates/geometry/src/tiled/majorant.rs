//! Bounds of surfaces and curves over boxes of complex parameters, on which the remainders of Gauss's rule rest.
//!
//! Source: closed formulas continued to complex angles, |cos(x + iy)|² + |sin(x + iy)|² = cosh 2y, a turn by an imaginary
//! angle having the norm e^|y|; for splines Bernstein's inequality |P(z)| ≤ ρⁿ max |P| on the ellipse with foci at the
//! ends of the interval and ρ the sum of its half axes.
//! Differs: lengths of complex vectors are Hermitian, so that a frame's rotation changes none of them and products obey
//! the inequality of Cauchy and Schwarz.
//! Ends because: loops run over control points.
//! Cost: a few exponentials; O(control points of one tile) once per cell of a spline.
//! Not promised: the least bound. A weight that may vanish in the box gives infinity.

use super::growth::{TileSizes, spline_reach};
use crate::curve::{Curve, Range, Rect};
use crate::surface::Surface;
use crate::surface::home::{jet, wrapped};
use crate::tolerance::{ANALYTIC_CHANGE_REL, CLOSED_FORM_ERROR_REL};
use crate::{DVec2, DVec3};

/// Lengths over a box of complex parameters: of a point about a given one, and of derivatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) point: f64,
    pub(super) u: f64,
    pub(super) v: f64,
    pub(super) uu: f64,
    pub(super) uv: f64,
    pub(super) vv: f64,
    /// Of |S_u × S_v|, where that is known to be analytic in the box.
    pub(crate) area: Option<f64>,
}

impl Reach {
    /// Of S_u × S_v.
    pub(crate) fn normal(&self) -> f64 {
        self.u * self.v
    }
}

/// Complex parameters: real parts in a rectangle, imaginary parts up to a bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComplexBox {
    pub(super) re: Rect,
    pub(super) im: DVec2,
}

impl ComplexBox {
    fn farthest(range: Range, im: f64) -> f64 {
        range.low.abs().max(range.high.abs()) + im
    }

    /// How far a point of the box is from its middle, along u and v.
    fn radius(&self) -> DVec2 {
        DVec2::new(0.5 * self.re.u.width().abs(), 0.5 * self.re.v.width().abs()) + self.im
    }

    /// How far a point of the box is from real parameters, along u and v.
    fn radius_about(&self, at: DVec2) -> DVec2 {
        let far = |range: Range, at: f64| (range.low - at).abs().max((range.high - at).abs());
        DVec2::new(far(self.re.u, at.x), far(self.re.v, at.y)) + self.im
    }
}

/// A surface near a cell of its parameters.
pub(super) struct Majorant<'a> {
    surface: &'a Surface,
    /// The point about which points are measured.
    about: DVec3,
    /// What must be added to parameters to bring them into the domain.
    shift: DVec2,
    tile: Option<TileSizes>,
    /// The middle of the cell, which need not be that of a box around it.
    middle: DVec2,
    /// |S_u × S_v| there.
    normal: f64,
}

impl<'a> Majorant<'a> {
    /// For parameters around `middle`, where the surface is one formula.
    pub(super) fn new(surface: &'a Surface, middle: DVec2, about: DVec3) -> Self {
        let inside = wrapped(surface, middle);
        let tile = match surface {
            Surface::Nurbs(nurbs) => Some(TileSizes::new(nurbs, inside, about)),
            _ => None,
        };
        let normal = jet(surface, middle).cross().length();
        Self { surface, about, shift: inside - middle, tile, middle, normal }
    }

    /// Degrees along u and v of the integrands of a volume's moments, where they are polynomials: those of S three times
    /// and of S_u × S_v.
    pub(super) fn degrees(surface: &Surface) -> [Option<usize>; 2] {
        match surface {
            Surface::Plane(_) => [Some(3), Some(3)],
            Surface::Cylinder(_) => [None, Some(3)],
            Surface::Extrusion(_) => [None, Some(3)],
            Surface::Cone(_) => [None, Some(4)],
            Surface::Paraboloid(_) => [None, Some(8)],
            Surface::Nurbs(nurbs) if !nurbs.is_rational() => nurbs.degrees().map(|p| Some(5 * p - 1)),
            _ => [None, None],
        }
    }

    /// Whether |S_u × S_v| is such a polynomial too, along u and v.
    pub(super) const fn is_area_polynomial(surface: &Surface) -> [bool; 2] {
        match surface {
            Surface::Plane(_) => [true, true],
            Surface::Cylinder(_) | Surface::Extrusion(_) | Surface::Cone(_) => [false, true],
            _ => [false, false],
        }
    }

    /// The bounds over a box around the cell.
    pub(super) fn reach(&self, over: &ComplexBox) -> Reach {
        let moved = |range: Range, by: f64| Range::new(range.low + by, range.high + by);
        let re = Rect::new(moved(over.re.u, self.shift.x), moved(over.re.v, self.shift.y));
        let over = ComplexBox { re, im: over.im };
        let mut found = self.raw(&over);
        if found.area.is_none() && !self.has_area_formula() {
            // n = n₀ + d with |d| bounded by the derivatives of S_u × S_v.
            let radius = over.radius_about(self.middle + self.shift);
            let change = (found.uu * found.v + found.u * found.uv) * radius.x
                + (found.uv * found.v + found.u * found.vv) * radius.y;
            if change <= ANALYTIC_CHANGE_REL * self.normal {
                found.area = Some((1.0 + ANALYTIC_CHANGE_REL) * self.normal);
            }
        }
        let up = 1.0 + CLOSED_FORM_ERROR_REL;
        let Reach { point, u, v, uu, uv, vv, area } = found;
        Reach { point: point * up, u: u * up, v: v * up, uu, uv, vv, area: area.map(|a| a * up) }
    }

    /// The largest |S_u × S_v| over a real rectangle around the cell's middle.
    pub(super) fn largest_area(&self, re: Rect) -> f64 {
        let over = ComplexBox { re, im: DVec2::ZERO };
        let reach = self.reach(&over);
        if let Some(area) = reach.area {
            return area;
        }
        let radius = over.radius_about(self.middle);
        let change = (reach.uu * reach.v + reach.u * reach.uv) * radius.x
            + (reach.uv * reach.v + reach.u * reach.vv) * radius.y;
        reach.normal().min((self.normal + change) * (1.0 + CLOSED_FORM_ERROR_REL))
    }

    /// How much of what keeps |S_u × S_v| from being known as analytic comes from the extents along u and v.
    pub(super) fn roughness(&self, re: Rect) -> DVec2 {
        let over = ComplexBox { re, im: DVec2::ZERO };
        let radius = over.radius();
        if matches!(self.surface, Surface::Ellipsoid(_)) {
            return radius;
        }
        let reach = self.reach(&over);
        let along_u = (reach.uu * reach.v + reach.u * reach.uv) * radius.x;
        DVec2::new(along_u, (reach.uv * reach.v + reach.u * reach.vv) * radius.y)
    }

    fn has_area_formula(&self) -> bool {
        matches!(self.surface, Surface::Paraboloid(_) | Surface::Ellipsoid(_))
    }

    fn raw(&self, over: &ComplexBox) -> Reach {
        let turn = over.im.x.exp();
        let off = |at: DVec3| at.distance(self.about);
        match self.surface {
            Surface::Plane(plane) => {
                let middle = DVec2::new(over.re.u.middle(), over.re.v.middle());
                let point = off(plane.frame().apply(middle.extend(0.0))) + over.radius().length();
                Reach { point, u: 1.0, v: 1.0, uu: 0.0, uv: 0.0, vv: 0.0, area: Some(1.0) }
            }
            Surface::Sphere(sphere) => {
                let (r, c) = (sphere.radius(), cosh_pair(over.im.y));
                let area = r * r * over.im.y.cosh();
                round(off(sphere.frame().translation()), turn, r * over.im.y.cosh(), [r * c; 3], Some(area))
            }
            Surface::Cylinder(cylinder) => {
                let (at, rest) = self.level(cylinder.frame(), over);
                let r = cylinder.radius();
                Reach { vv: 0.0, ..round(at, turn, r, [r + rest, 1.0, 0.0], Some(r)) }
            }
            Surface::Cone(cone) => {
                let (at, rest) = self.level(cone.frame(), over);
                // Cells end at the apex, so that the radius keeps its sign on each.
                let far =
                    (cone.radius() + cone.slope() * over.re.v.middle()).abs() + cone.slope().abs() * rest;
                let along = 1.0_f64.hypot(cone.slope());
                round(at, turn, far, [far + rest, along, 0.0], Some(far * along))
            }
            Surface::Paraboloid(paraboloid) => {
                let far = ComplexBox::farthest(over.re.v, over.im.y);
                let slope = 0.5 * far / paraboloid.focal();
                let tame = over.im.y <= paraboloid.focal();
                let area = far * 1.0_f64.hypot(slope);
                let profile = [far.hypot(0.5 * slope * far), 1.0_f64.hypot(slope), 0.5 / paraboloid.focal()];
                let at = off(paraboloid.frame().translation());
                round(at, turn, far, profile, tame.then_some(area))
            }
            Surface::Torus(torus) => {
                let (major, minor, c) = (torus.major(), torus.minor(), cosh_pair(over.im.y));
                let far = major + minor * over.im.y.cosh();
                let at = off(torus.frame().translation());
                let profile = [major + minor * c, minor * c, minor * c];
                round(at, turn, far, profile, Some(minor * far))
            }
            Surface::Ellipsoid(ellipsoid) => self.ellipsoid(ellipsoid, over),
            Surface::Revolution(revolution) => {
                let profile = curve_reach(revolution.curve(), over.re.v, over.im.y, revolution.origin());
                round(off(revolution.origin()), turn, profile[0], profile, None)
            }
            Surface::Extrusion(extrusion) => {
                let [point, u, uu] = curve_reach(extrusion.curve(), over.re.u, over.im.x, self.about);
                let v = extrusion.direction().length();
                let far = ComplexBox::farthest(over.re.v, over.im.y) * v;
                Reach { point: point + far, u, v, uu, uv: 0.0, vv: 0.0, area: None }
            }
            Surface::Nurbs(_) => self.tile.as_ref().map_or_else(Reach::unknown, |tile| tile.reach(over)),
        }
    }

    /// For a surface with v along its axis: how far the middle of the axis is from `about`, and how far heights reach
    /// from there.
    fn level(&self, frame: &crate::Pose, over: &ComplexBox) -> (f64, f64) {
        let middle = frame.apply(DVec3::Z * over.re.v.middle());
        (middle.distance(self.about), over.radius().y)
    }

    fn ellipsoid(&self, ellipsoid: &crate::surface::Ellipsoid, over: &ComplexBox) -> Reach {
        let [a, b, c] = ellipsoid.radii();
        let turn = over.im.x.exp();
        let size = a.max(b).max(c) * turn * cosh_pair(over.im.y);
        // |S_u × S_v| = cos v |m| with m = (bc cos u cos v, ac sin u cos v, ab sin v).
        let [x, y, z] = [b * c, a * c, a * b];
        let (u, v) = (over.re.u.middle(), over.re.v.middle());
        let m = DVec3::new(x * u.cos() * v.cos(), y * u.sin() * v.cos(), z * v.sin()).length();
        let change = x.max(y).max(z) * turn * cosh_pair(over.im.y) * (over.radius().x + over.radius().y);
        let area = over.im.y.cosh() * (1.0 + ANALYTIC_CHANGE_REL) * m;
        Reach {
            point: ellipsoid.frame().translation().distance(self.about) + size,
            u: size,
            v: size,
            uu: size,
            uv: size,
            vv: size,
            area: (change <= ANALYTIC_CHANGE_REL * m).then_some(area),
        }
    }
}

impl Reach {
    fn unknown() -> Self {
        let far = f64::INFINITY;
        Self { point: far, u: far, v: far, uu: far, uv: far, vv: far, area: None }
    }
}

/// √(|cos z|² + |sin z|²) for an imaginary part.
fn cosh_pair(im: f64) -> f64 {
    (2.0 * im).cosh().sqrt()
}

/// A profile turned: lengths of its point, first and second derivative, the distance from the axis `far`.
fn round(at: f64, turn: f64, far: f64, profile: [f64; 3], area: Option<f64>) -> Reach {
    let [point, first, second] = profile;
    Reach {
        point: at + turn * point,
        u: turn * far,
        v: turn * first,
        uu: turn * far,
        uv: turn * first,
        vv: turn * second,
        area,
    }
}

/// Bounds of |c − about|, |c′|, |c″| for complex parameters with real parts in `re` and imaginary parts up to `im`.
pub(super) fn curve_reach(curve: &Curve, re: Range, im: f64, about: DVec3) -> [f64; 3] {
    let far = ComplexBox::farthest(re, im);
    let off = |at: DVec3| at.distance(about);
    let up = 1.0 + CLOSED_FORM_ERROR_REL;
    let found = match curve {
        Curve::Line(line) => {
            let along = line.direction().length();
            let middle = line.origin() + line.direction() * re.middle();
            [off(middle) + (0.5 * re.width().abs() + im) * along, along, 0.0]
        }
        Curve::Circle(circle) => {
            let r = circle.radius() * cosh_pair(im);
            [off(circle.frame().translation()) + r, r, r]
        }
        Curve::Ellipse(ellipse) => {
            let [a, b] = ellipse.radii();
            let r = a.max(b) * cosh_pair(im);
            [off(ellipse.frame().translation()) + r, r, r]
        }
        Curve::Parabola(parabola) => {
            let f = parabola.focal();
            let size = f * (far * far).hypot(2.0 * far);
            [off(parabola.frame().translation()) + size, 2.0 * f * far.hypot(1.0), 2.0 * f]
        }
        Curve::Hyperbola(hyperbola) => {
            let [a, b] = hyperbola.radii();
            let size = a.max(b) * cosh_pair(re.low.abs().max(re.high.abs()));
            [off(hyperbola.frame().translation()) + size, size, size]
        }
        Curve::Helix(helix) => {
            let r = helix.radius() * cosh_pair(im);
            let slope = helix.slope().abs();
            [off(helix.frame().translation()) + r.hypot(slope * far), r.hypot(slope), r]
        }
        Curve::Nurbs(nurbs) => spline_reach(nurbs, re, im, about),
    };
    found.map(|size| size * up)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::surface::NurbsSurface;

    #[test]
    fn area_is_bounded_about_a_place_beside_the_middle_of_a_box() {
        // x = u², y = v, so that |S_u × S_v| = 2u.
        let net = [0.0, 0.0, 4.0].map(|x| [0.0, 1.0].map(|y| DVec3::new(x, y, 0.0)).to_vec());
        let knots = [vec![0.0, 0.0, 0.0, 2.0, 2.0, 2.0], vec![0.0, 0.0, 1.0, 1.0]];
        let surface = Surface::from(NurbsSurface::new([2, 1], knots, &net, None).unwrap());
        let mut known = 0;
        for [low, middle, high] in [[1.0, 1.0, 1.7], [0.9, 1.7, 1.7], [0.3, 0.4, 1.0], [1.4, 1.5, 1.6]] {
            let majorant = Majorant::new(&surface, DVec2::new(middle, 0.5), DVec3::ZERO);
            let re = Rect::new(Range::new(low, high), Range::new(0.5, 0.5));
            let area = majorant.reach(&ComplexBox { re, im: DVec2::ZERO }).area;
            known += usize::from(area.is_some());
            assert!(area.is_none_or(|area| area >= 2.0 * high), "{low} {middle} {high}: {area:?}");
            assert!(majorant.largest_area(re) >= 2.0 * high, "{low} {middle} {high}");
        }
        assert_eq!(known, 1);
    }
}
