//! Critical pairs by Newton's method on the squared distance from many random parameters: no code in common with the
//! algebraic route, which works on implicit equations.

use clearance_geometry::DVec3;
use clearance_geometry::curve::{Curve, ParametricCurve};
use clearance_geometry::surface::{BezierPatch, ParametricSurface, Surface};
use clearance_roots::Matrix;
use clearance_testkit::Random;

/// Point, first and second derivatives.
pub(crate) struct Jet {
    point: DVec3,
    first: Vec<DVec3>,
    second: Vec<Vec<DVec3>>,
}

type Evaluate<'a> = Box<dyn Fn(&[f64]) -> Jet + 'a>;

/// Something with up to two parameters, each from a range.
pub(crate) struct Part<'a> {
    jet: Evaluate<'a>,
    ranges: Vec<[f64; 2]>,
}

pub(crate) fn point(p: DVec3) -> Part<'static> {
    Part { jet: Box::new(move |_| Jet { point: p, first: vec![], second: vec![] }), ranges: vec![] }
}

pub(crate) fn curve(curve: impl Into<Curve>, range: [f64; 2]) -> Part<'static> {
    let curve = curve.into();
    let jet = move |t: &[f64]| {
        let j = curve.jet(t[0]);
        Jet { point: j.point, first: vec![j.first], second: vec![vec![j.second]] }
    };
    Part { jet: Box::new(jet), ranges: vec![range] }
}

pub(crate) fn surface(surface: impl Into<Surface>, ranges: [[f64; 2]; 2]) -> Part<'static> {
    let surface = surface.into();
    Part { jet: Box::new(move |t| on(&surface, t)), ranges: ranges.to_vec() }
}

pub(crate) fn patch(patch: &BezierPatch) -> Part<'_> {
    Part { jet: Box::new(move |t| on(patch, t)), ranges: vec![[0.0, 1.0]; 2] }
}

fn on(surface: &impl ParametricSurface, t: &[f64]) -> Jet {
    let j = surface.jet(t[0], t[1]);
    Jet { point: j.point, first: vec![j.u, j.v], second: vec![vec![j.uu, j.uv], vec![j.uv, j.vv]] }
}

/// A critical pair, with its parameters.
pub(crate) struct Found {
    pub(crate) points: [DVec3; 2],
    pub(crate) parameters: Vec<f64>,
}

/// What is found from this many starts; pairs that meet, degenerate parameters and singular Hessians are left out.
pub(crate) fn criticals(parts: [&Part<'_>; 2], size: f64, starts: usize, random: &mut Random) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for _ in 0..starts {
        let start = parts.iter().flat_map(|p| p.ranges.clone()).map(|[a, b]| random.uniform(a, b)).collect();
        if let Some(new) = newton(parts, size, start) {
            let known = |f: &Found| (0..2).all(|k| (f.points[k] - new.points[k]).length() < 1e-6 * size);
            if !found.iter().any(known) {
                found.push(new);
            }
        }
    }
    found
}

fn newton(parts: [&Part<'_>; 2], size: f64, mut t: Vec<f64>) -> Option<Found> {
    let split = parts[0].ranges.len();
    let n = t.len();
    for _ in 0..50 {
        let [a, b] = [(parts[0].jet)(&t[..split]), (parts[1].jet)(&t[split..])];
        let r = a.point - b.point;
        let tangents: Vec<DVec3> = a.first.iter().copied().chain(b.first.iter().map(|d| -*d)).collect();
        let scale: Vec<f64> = tangents.iter().map(|d| d.length()).collect();
        if scale.iter().any(|s| !(*s > 1e-3 * size * 1e-3)) {
            return None;
        }
        let mut step: Vec<f64> = tangents.iter().map(|d| r.dot(*d)).collect();
        let settled = tangents.iter().all(|d| r.dot(*d).abs() <= 1e-12 * size * d.length());
        let hessian = Matrix::from_fn(n, n, |i, j| {
            let curved = match (i < split, j < split) {
                (true, true) => r.dot(a.second[i][j]),
                (false, false) => -r.dot(b.second[i - split][j - split]),
                _ => 0.0,
            };
            tangents[i].dot(tangents[j]) + curved
        });
        let scaled = Matrix::from_fn(n, n, |i, j| hessian[(i, j)] / (scale[i] * scale[j]));
        let factors = hessian.factors();
        if settled {
            let fine = r.length() > 1e-6 * size && scaled.factors().ratio() > 1e-5;
            return fine.then_some(Found { points: [a.point, b.point], parameters: t });
        }
        factors.solve(&mut step);
        t.iter_mut().zip(&step).for_each(|(x, d)| *x -= d);
        if t.iter().any(|x| !x.is_finite()) {
            return None;
        }
    }
    None
}
