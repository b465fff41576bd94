//! Bounds of splines for complex parameters.
//!
//! Source: Bernstein's inequality |P(z)| ≤ ρⁿ max |P| for polynomials of degree n on the ellipse with foci at the ends of the
//! interval and ρ the sum of its half axes, along each parameter; quotient rules as inequalities.
//! Differs: nothing to differ from.
//! Ends because: loops run over control points.
//! Cost: O(control points of one piece).
//! Not promised: anything finite where a weight may vanish.

use super::majorant::{ComplexBox, Reach};
use crate::curve::{NurbsCurve, ParametricCurve, Range, Rect, xyz};
use crate::surface::NurbsSurface;
use crate::tolerance::STRAIGHT_REL;
use crate::{DVec2, DVec3};
use glam::DVec4;

/// Bounds of |c − about|, |c′|, |c″| of a spline for complex parameters with real parts in `re` and imaginary parts up to
/// `im`.
pub(super) fn spline_reach(nurbs: &NurbsCurve, re: Range, im: f64, about: DVec3) -> [f64; 3] {
    let (piece, shift) = piece_at(nurbs, re.middle());
    let range = nurbs.knots().piece(piece);
    let bezier = nurbs.piece(piece);
    let points: Vec<DVec4> = bezier.homogeneous_points().iter().map(|&p| centered(p, about)).collect();
    let p = bezier.degree();
    let by = Reparametrised::new(range, Range::new(re.low + shift, re.high + shift), im);
    let n = p as f64 / range.width();
    let [grown, once, twice] = by.growths(p);
    let first = largest(points.windows(2).map(|w| w[1] - w[0]));
    let second = largest(points.windows(3).map(|w| w[2] - 2.0 * w[1] + w[0]));
    let nn = n * (p as f64 - 1.0) / range.width();
    let x = largest(points.iter().copied());
    let least = points.iter().fold(f64::INFINITY, |least, p| least.min(p.w));
    let w = [first.1 * n * once, second.1 * nn * twice];
    quotient([x.0 * grown, first.0 * n * once, second.0 * nn * twice], w, least - w[0] * by.beyond)
}

/// The piece at a parameter, and what must be added to the parameter to bring it into the domain.
fn piece_at(nurbs: &NurbsCurve, t: f64) -> (usize, f64) {
    let domain = nurbs.domain();
    let shift = match nurbs.period() {
        Some(period) if !domain.contains(t) => -period * ((t - domain.low) / period).floor(),
        _ => 0.0,
    };
    (nurbs.knots().find(t + shift), shift)
}

/// Whether a range lies within one piece, without which [`spline_reach`] says nothing of it.
pub(super) fn is_one_piece(nurbs: &NurbsCurve, range: Range) -> bool {
    let (piece, shift) = piece_at(nurbs, range.middle());
    let piece = nurbs.knots().piece(piece);
    // Knots in other turns are rounded.
    let slack = STRAIGHT_REL * (nurbs.domain().width() + piece.low.abs());
    range.low + shift >= piece.low - slack && range.high + shift <= piece.high + slack
}

/// From bounds of X, X′, X″ and w′, w″ to those of X / w and its derivatives.
fn quotient(x: [f64; 3], w: [f64; 2], least: f64) -> [f64; 3] {
    if !(least > 0.0) {
        return [f64::INFINITY; 3];
    }
    let point = x[0] / least;
    let first = (x[1] + point * w[0]) / least;
    [point, first, (x[2] + 2.0 * first * w[0] + point * w[1]) / least]
}

fn centered(p: DVec4, about: DVec3) -> DVec4 {
    (xyz(p) - about * p.w).extend(p.w)
}

/// The longest vector part and the largest weight.
fn largest(points: impl Iterator<Item = DVec4>) -> (f64, f64) {
    points.fold((0.0, 0.0), |(v, w), p| (v.max(xyz(p).length()), w.max(p.w.abs())))
}

/// A range of complex numbers as a piece of a spline sees it, whose own parameter runs from −1 to 1.
struct Reparametrised {
    /// ρ of the ellipse with foci at the ends of the piece that holds it.
    rho: f64,
    /// How far a number of the range is from the nearest one of the piece at most, in the parameter of the spline.
    beyond: f64,
}

impl Reparametrised {
    fn new(piece: Range, re: Range, im: f64) -> Self {
        let half = 0.5 * piece.width();
        let local = |t: f64| (t - piece.middle()) / half;
        let b = im / half;
        let sum = |x: f64| 0.5 * ((x - 1.0).hypot(b) + (x + 1.0).hypot(b));
        let a = sum(local(re.low)).max(sum(local(re.high))).max(1.0);
        let over = (piece.low - re.low.min(re.high)).max(re.low.max(re.high) - piece.high).max(0.0);
        Self { rho: a + (a * a - 1.0).sqrt(), beyond: over.hypot(im) }
    }

    /// ρⁿ for polynomials of degree p, p − 1, p − 2.
    fn growths(&self, p: usize) -> [f64; 3] {
        let power = |less: i32| self.rho.powi((p as i32 - less).max(0));
        [power(0), power(1), power(2)]
    }
}

/// The largest control points of a tile and of its derivatives by u and v, (vectors, weights).
pub(super) struct TileSizes {
    rect: Rect,
    degrees: [usize; 2],
    least: f64,
    x: (f64, f64),
    u: (f64, f64),
    v: (f64, f64),
    uu: (f64, f64),
    uv: (f64, f64),
    vv: (f64, f64),
}

impl TileSizes {
    /// Of the tile at `at`, about a point.
    pub(super) fn new(nurbs: &NurbsSurface, at: DVec2, about: DVec3) -> Self {
        let [knots_u, knots_v] = nurbs.knots();
        let tile = [knots_u.find(at.x), knots_v.find(at.y)];
        let (rect, [p, q]) = (nurbs.tile_rect(tile), nurbs.degrees());
        let net: Vec<DVec4> = nurbs.tile_net(tile).iter().map(|&p| centered(p, about)).collect();
        let at = |i: usize, j: usize| net[i * (q + 1) + j];
        let over = |rows: usize, columns: usize, factor: f64, f: &dyn Fn(usize, usize) -> DVec4| {
            let all = (0..rows * columns).map(|k| f(k / columns, k % columns));
            let (vector, weight) = largest(all);
            (vector * factor, weight * factor)
        };
        let (n, m) = (p as f64 / rect.u.width(), q as f64 / rect.v.width());
        let (nn, mm) = (n * (p as f64 - 1.0) / rect.u.width(), m * (q as f64 - 1.0) / rect.v.width());
        Self {
            rect,
            degrees: [p, q],
            least: net.iter().fold(f64::INFINITY, |least, p| least.min(p.w)),
            x: over(p + 1, q + 1, 1.0, &at),
            u: over(p, q + 1, n, &|i, j| at(i + 1, j) - at(i, j)),
            v: over(p + 1, q, m, &|i, j| at(i, j + 1) - at(i, j)),
            uu: over(p - 1, q + 1, nn, &|i, j| at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j)),
            uv: over(p, q, n * m, &|i, j| at(i + 1, j + 1) - at(i, j + 1) - at(i + 1, j) + at(i, j)),
            vv: over(p + 1, q - 1, mm, &|i, j| at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j)),
        }
    }

    /// The bounds over a box of complex parameters.
    pub(super) fn reach(&self, over: &ComplexBox) -> Reach {
        let by_u = Reparametrised::new(self.rect.u, over.re.u, over.im.x);
        let by_v = Reparametrised::new(self.rect.v, over.re.v, over.im.y);
        let [g, gu, guu] = by_u.growths(self.degrees[0]);
        let [h, hv, hvv] = by_v.growths(self.degrees[1]);
        let least = self.least - self.u.1 * gu * h * by_u.beyond - self.v.1 * g * hv * by_v.beyond;
        let along_u = quotient(
            [self.x.0 * g * h, self.u.0 * gu * h, self.uu.0 * guu * h],
            [self.u.1 * gu * h, self.uu.1 * guu * h],
            least,
        );
        let along_v = quotient(
            [self.x.0 * g * h, self.v.0 * g * hv, self.vv.0 * g * hvv],
            [self.v.1 * g * hv, self.vv.1 * g * hvv],
            least,
        );
        let mixed = self.uv.0 * gu * hv
            + along_u[1] * self.v.1 * g * hv
            + along_v[1] * self.u.1 * gu * h
            + along_u[0] * self.uv.1 * gu * hv;
        Reach {
            point: along_u[0],
            u: along_u[1],
            v: along_v[1],
            uu: along_u[2],
            uv: if least > 0.0 { mixed / least } else { f64::INFINITY },
            vv: along_v[2],
            area: None,
        }
    }
}
