//! Critical points of the distance from a point to a Bézier patch: inside, on its sides, at its corners.
//!
//! Source: 003, section 4.2.1: (S − p)·S_u = 0 and (S − p)·S_v = 0, solved by resultants and eigenvalues.
//! Differs: for a rational patch the derivative of the quotient is cleared of its denominator, which leaves degrees
//! (3m − 2, 3n) and (3m, 3n − 2). Sides are polynomials in one variable.
//! Ends because: one eigenproblem, at most four times where the zeros are not isolated; each candidate is polished.
//! Cost: an eigenproblem of size 25 for a biquadratic patch, 61 for a bicubic one, 52 and 130 if rational.
//! Not promised: critical points where the patch is degenerate (a pole: S_u = 0) are found as such only by luck.

use super::RouteError;
use super::collect::{Collector, Critical, Isolation};
use super::polish::{Frame, Pair, Place, Side};
use super::quadrics::solve_or_disturb;
use super::torus::add_product;
use crate::tolerance::{CRITICAL_MERGE_REL, PATCH_EDGE_REL};
use clearance_geometry::DVec3;
use clearance_geometry::surface::{BezierPatch, ParametricSurface};
use clearance_roots::{Bivariate, Polynomial, RootsError, Shape, solve_pair};

/// Largest degree in each direction.
const MOST_DEGREE: usize = 3;

/// Where on a patch a critical point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchPlace {
    /// Both derivatives of the distance vanish.
    Inside,
    /// On a side of the domain; the derivative along it vanishes.
    Side,
    /// A corner of the domain.
    Corner,
}

/// A critical point of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchCritical {
    /// Parameters u and v, from 0 to 1.
    pub parameters: [f64; 2],
    /// Inside, on a side, or a corner.
    pub place: PatchPlace,
    /// The point asked for and the point of the patch.
    pub critical: Critical,
}

/// All critical points of the distance from `point` to a patch, nearest first; the first is the closest point.
///
/// ```
/// use clearance_geometry::{DVec3, surface::BezierPatch};
/// use clearance_proximity::algebraic::{PatchPlace, point_patch};
/// let bowl: Vec<Vec<DVec3>> = (0..3)
///     .map(|i| (0..3).map(|j| DVec3::new(f64::from(i), f64::from(j), if i == 1 && j == 1 { -1.0 } else { 0.0 })).collect())
///     .collect();
/// let patch = BezierPatch::new(&bowl, None)?;
/// let nearest = point_patch(DVec3::new(1.0, 1.0, -2.0), &patch)?[0];
/// assert_eq!(nearest.place, PatchPlace::Inside);
/// assert!((nearest.critical.distance - 1.75).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RouteError::DegreeTooHigh`] beyond bicubic; [`RouteError::NotFinite`]; [`RouteError::Roots`] where the zeros are not
/// isolated however the equations are disturbed.
pub fn point_patch(point: DVec3, patch: &BezierPatch) -> Result<Vec<PatchCritical>, RouteError> {
    let degrees = patch.degrees();
    if degrees.iter().any(|&d| d > MOST_DEGREE) {
        return Err(RouteError::DegreeTooHigh { degrees, most: MOST_DEGREE });
    }
    if !point.is_finite() {
        return Err(RouteError::NotFinite { what: "point" });
    }
    let unit = patch.hull().map(|c| (c - point).length()).fold(0.0, f64::max);
    let frame = Frame { origin: point, unit: if unit > 0.0 { unit } else { 1.0 } };
    let cone = Cone::new(patch, frame)?;
    let mut all = inside(patch, &cone, frame)?;
    for side in 0..4 {
        cone.side(patch, side, frame, &mut all)?;
    }
    for corner in 0..4_u8 {
        let parameters = [f64::from(corner & 1), f64::from(corner >> 1)];
        all.push(bounded(patch, frame, parameters, PatchPlace::Corner, 0.0));
    }
    all.sort_by(|a, b| a.critical.distance.total_cmp(&b.critical.distance));
    Ok(all)
}

fn inside(patch: &BezierPatch, cone: &Cone, frame: Frame) -> Result<Vec<PatchCritical>, RouteError> {
    let side = Side::Patch(patch, frame);
    let mut collector = Collector::new(Pair { sides: [Side::Point(DVec3::ZERO), side], frame });
    let mut parameters: Vec<[f64; 2]> = Vec::new();
    solve_or_disturb(
        |factor| {
            let [f, g] = cone.disturbed(factor).equations();
            let solved = solve_pair(&f, &g)?;
            Ok((solved.candidates, solved.condition))
        },
        |candidate| {
            let uv = [candidate.s, candidate.t].map(|[top, bottom]| 0.5 + 0.5 * top / bottom);
            // Newton's method has its own way outside; far from the domain it would only come back by accident.
            if uv.iter().all(|t| (-0.5..=1.5).contains(t)) {
                parameters.push(uv);
            }
        },
    )?;
    for [u, v] in parameters {
        let jet = patch.jet(u, v);
        let apart = jet.point - frame.origin;
        let near = apart.length() <= CRITICAL_MERGE_REL * frame.unit;
        let normal = if near { jet.normal() } else { apart.try_normalize() };
        collector.offer([Place::Point, Place::Patch(u, v)], normal);
    }
    let in_domain = |t: f64| (-PATCH_EDGE_REL..=1.0 + PATCH_EDGE_REL).contains(&t);
    collector.found.retain(|s| matches!(s.places[1], Place::Patch(u, v) if in_domain(u) && in_domain(v)));
    let places: Vec<(DVec3, [f64; 2])> = collector
        .found
        .iter()
        .filter_map(|s| match s.places[1] {
            Place::Patch(u, v) => Some((frame.world(s.points[1]), [u.clamp(0.0, 1.0), v.clamp(0.0, 1.0)])),
            _ => None,
        })
        .collect();
    let set = collector.finish(0, false);
    let find = |critical: Critical| {
        let (_, parameters) = places.iter().find(|(point, _)| *point == critical.points[1])?;
        Some(PatchCritical { parameters: *parameters, place: PatchPlace::Inside, critical })
    };
    Ok(set.pairs.into_iter().filter_map(find).collect())
}

/// A point of the boundary as a critical one; `lean` is the sine by which it misses its condition.
fn bounded(
    patch: &BezierPatch,
    frame: Frame,
    parameters: [f64; 2],
    place: PatchPlace,
    lean: f64,
) -> PatchCritical {
    let jet = patch.jet(parameters[0], parameters[1]);
    let between = jet.point - frame.origin;
    let normal = between.try_normalize().or_else(|| jet.normal()).unwrap_or(DVec3::ZERO);
    let critical = Critical {
        points: [frame.origin, jet.point],
        distance: between.length(),
        normal,
        residual: frame.unit * lean,
        isolation: Isolation::Isolated,
    };
    PatchCritical { parameters, place, critical }
}

/// The patch seen from the point: numerators and denominator in powers of s = 2u − 1 and t = 2v − 1.
struct Cone {
    numerators: [Bivariate; 3],
    /// None where all weights are equal.
    weight: Option<Bivariate>,
}

impl Cone {
    fn new(patch: &BezierPatch, frame: Frame) -> Result<Self, RootsError> {
        let [m, n] = patch.degrees();
        let shape = Shape::Box(m, n);
        let mut sums: [Bivariate; 4] = [0; 4].map(|_| Bivariate::zero(shape));
        let first = patch.net()[0].w;
        for (k, c) in patch.net().iter().enumerate() {
            let p = bernstein(m, k / (n + 1))?;
            let q = bernstein(n, k % (n + 1))?;
            let seen = (c.truncate() - frame.origin * c.w) / (frame.unit * first);
            for (sum, value) in sums.iter_mut().zip([seen.x, seen.y, seen.z, c.w / first]) {
                add_product(sum, &p, &q, value);
            }
        }
        let rational = patch.net().iter().any(|c| c.w != first);
        let [x, y, z, w] = sums;
        Ok(Self { numerators: [x, y, z], weight: rational.then_some(w) })
    }

    /// Moved by a small amount that no symmetry survives.
    fn disturbed(&self, factor: f64) -> Self {
        let mut k = 0.0_f64;
        let numerators = [0, 1, 2].map(|axis| {
            let own = &self.numerators[axis];
            let mut changed = own.clone();
            let noise: Vec<f64> = own
                .coefficients()
                .iter()
                .map(|_| {
                    k += 1.0;
                    factor * (1.7 * k).sin()
                })
                .collect();
            changed.add(&Bivariate::from_fn(own.shape(), |i, j| noise[own.shape().index(i, j)]), 1.0);
            changed
        });
        Self { numerators, weight: self.weight.clone() }
    }

    /// S·S_u and S·S_v without denominators.
    fn equations(&self) -> [Bivariate; 2] {
        [0, 1].map(|axis| {
            let mut sum: Option<Bivariate> = None;
            for x in &self.numerators {
                let term = match &self.weight {
                    None => x.times(&derivative(x, axis)),
                    Some(w) => x.times(&quotient(x, w, axis)),
                };
                match &mut sum {
                    None => sum = Some(term),
                    Some(sum) => sum.add(&term, 1.0),
                }
            }
            sum.unwrap_or_else(|| Bivariate::zero(Shape::Box(0, 0)))
        })
    }

    /// Critical points on one side of the domain: u = 0, u = 1, v = 0, v = 1.
    fn side(
        &self,
        patch: &BezierPatch,
        side: usize,
        frame: Frame,
        all: &mut Vec<PatchCritical>,
    ) -> Result<(), RootsError> {
        let (axis, end) = (side / 2, (side % 2) as f64);
        let along = |p: &Bivariate| restricted(p, axis, 2.0 * end - 1.0);
        let mut sum = Polynomial::new(vec![0.0])?;
        for x in &self.numerators {
            let x = along(x)?;
            let slope = x.derivative();
            let factor = match &self.weight {
                None => slope,
                Some(w) => {
                    let w = along(w)?;
                    slope.times(&w).plus(&x.times(&w.derivative()), -1.0)
                }
            };
            sum = sum.plus(&x.times(&factor), 1.0);
        }
        // A side in whose every point the condition holds (a circle about the point, or a pole) has its corners.
        for root in sum.roots_in(-1.0, 1.0).unwrap_or_default() {
            let t = 0.5 + 0.5 * root.value;
            let parameters = if axis == 0 { [end, t] } else { [t, end] };
            let jet = patch.jet(parameters[0], parameters[1]);
            let tangent = if axis == 0 { jet.v } else { jet.u }.normalize_or_zero();
            let lean = tangent.dot((jet.point - frame.origin).normalize_or_zero()).abs();
            all.push(bounded(patch, frame, parameters, PatchPlace::Side, lean));
        }
        Ok(())
    }
}

/// The Bernstein polynomial of a degree, in powers of s = 2u − 1.
fn bernstein(degree: usize, index: usize) -> Result<Polynomial, RootsError> {
    let mut product = Polynomial::new(vec![1.0])?;
    let mut binomial = 1.0;
    for k in 0..degree {
        let factor = if k < index { vec![0.5, 0.5] } else { vec![0.5, -0.5] };
        product = product.times(&Polynomial::new(factor)?);
        if k < index {
            binomial = binomial * (degree - k) as f64 / (k + 1) as f64;
        }
    }
    Ok(product.times(&Polynomial::new(vec![binomial])?))
}

fn degrees(p: &Bivariate) -> [usize; 2] {
    match p.shape() {
        Shape::Box(m, n) => [m, n],
        Shape::Total(d) => [d, d],
    }
}

fn derivative(p: &Bivariate, axis: usize) -> Bivariate {
    let [m, n] = degrees(p);
    if axis == 0 {
        Bivariate::from_fn(Shape::Box(m - 1, n), |i, j| (i + 1) as f64 * p.coefficient(i + 1, j))
    } else {
        Bivariate::from_fn(Shape::Box(m, n - 1), |i, j| (j + 1) as f64 * p.coefficient(i, j + 1))
    }
}

/// x' w − x w', whose highest power along the axis cancels.
fn quotient(x: &Bivariate, w: &Bivariate, axis: usize) -> Bivariate {
    let mut difference = derivative(x, axis).times(w);
    difference.add(&x.times(&derivative(w, axis)), -1.0);
    let [m, n] = degrees(&difference);
    let shape = if axis == 0 { Shape::Box(m - 1, n) } else { Shape::Box(m, n - 1) };
    Bivariate::from_fn(shape, |i, j| difference.coefficient(i, j))
}

/// The polynomial along a side: the variable of `axis` fixed.
fn restricted(p: &Bivariate, axis: usize, value: f64) -> Result<Polynomial, RootsError> {
    let [m, n] = degrees(p);
    let (fixed, free) = if axis == 0 { (m, n) } else { (n, m) };
    let at = |k: usize, l: usize| if axis == 0 { p.coefficient(k, l) } else { p.coefficient(l, k) };
    let sum = |l: usize| (0..=fixed).rev().fold(0.0, |sum, k| sum * value + at(k, l));
    Polynomial::new((0..=free).map(sum).collect())
}
