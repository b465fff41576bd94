//! All common normals of two quadrics.
//!
//! Source: 003, section 4.2: closest points of two algebraic surfaces by multipliers. With n = y − x, F₁x + b₁ = σ n and
//! F₂y + b₂ = τ n are linear in x and y for given σ and τ; what is left are the two equations of the surfaces, of total
//! degree 6 in (σ, τ).
//! Differs: 003 counts the six-variable system. Here it is two equations in the projective plane (1 : σ : τ), with 36
//! zeros, 24 of which are common normals of general quadrics; 12 are three fourfold ones at which n is undetermined, and
//! are left out before the eigenproblem. A cylinder lowers the 24 to 12, two of them to 4.
//! Where the surfaces share a plane of symmetry the two equations have a common factor; then slightly disturbed quadrics
//! are solved, Newton's method on the true ones does the rest, and mirror images of solutions are added.
//! Ends because: an eigenproblem of size 24, at most five times; each candidate is polished.
//! Cost: some milliseconds, five times that in symmetric configurations; see `docs/algebraic-route.md`.
//! Not promised: a proof that nothing is missed where two solutions are about to meet and the equations are disturbed.

use super::collect::{Collector, CriticalSet};
use super::point::{apex, axes, candidates, size_of};
use super::polish::{Form, Frame, Pair, Place, Side};
use super::{Quadric, RouteError};
use crate::tolerance::{CRITICAL_MERGE_REL, CYLINDER_REL, DISTURB_REL, SLENDER_QUADRIC_SQ, SYMMETRIC_REL};
use clearance_geometry::{DMat3, DVec3};
use clearance_roots::{Bivariate, Candidate, RootsError, Shape, quadratic_roots, solve_outside};

/// Common normals of two general quadrics.
const SIZE: usize = 24;

/// Different disturbances that are tried; a pair of solutions that one makes complex, its opposite makes real.
const DISTURBANCES: [f64; 4] = [1.0, -1.0, 0.07, -0.07];

/// Where all those fail: so symmetric that solutions are far from isolated, and a coarse start will do.
const LAST_DISTURBANCE: f64 = 30.0;

/// All critical pairs of two quadrics: common normals, tangential contacts, and apexes of cones with what is critical
/// for them.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// use clearance_proximity::algebraic::{Quadric, quadric_quadric};
/// let one = Quadric::ellipsoid(&Pose::IDENTITY, [3.0, 2.0, 1.0])?;
/// let other = Quadric::ellipsoid(&Pose::from_axis_angle(DVec3::Y, 0.7, DVec3::new(5.0, 4.0, 3.0))?, [1.0, 2.0, 0.5])?;
/// let set = quadric_quadric(&one, &other)?;
/// assert!(set.pairs.len() >= 4 && set.pairs.iter().all(|pair| pair.residual < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RouteError::Roots`] where the eigenvalues do not settle, or every disturbance leaves a common factor.
pub fn quadric_quadric(first: &Quadric, second: &Quadric) -> Result<CriticalSet, RouteError> {
    let apart = (second.anchor() - first.anchor()).length();
    let unit = size_of(first).max(size_of(second)).max(apart);
    let frame = Frame { origin: first.anchor(), unit: if unit > 0.0 { unit } else { 1.0 } };
    let forms = [frame.form(first), frame.form(second)];
    let mut collector = Collector::new(Pair { sides: forms.map(Side::Surface), frame });
    let disturbed = solve_or_disturb(
        |factor| {
            Ok(Equations::new([0, 1].map(|k| disturbed(forms[k], factor, k, &frame, [first, second][k])))
                .solve()?)
        },
        |start: Start| {
            collector.offer([Place::Surface(start.points[0]), Place::Surface(start.points[1])], start.normal);
        },
    )?;
    for (k, form) in forms.iter().enumerate() {
        if let Some(apex) = apex(form) {
            for (x, _) in candidates(&forms[1 - k], apex) {
                let mut points = [apex, apex];
                points[1 - k] = x;
                collector.offer(points.map(Place::Surface), (points[1] - points[0]).try_normalize());
            }
        }
    }
    if forms.iter().any(slender) {
        let ends = forms.each_ref().map(axis_ends);
        for &x in &ends[0] {
            for &y in &ends[1] {
                collector.offer([x, y].map(Place::Surface), (y - x).try_normalize());
            }
        }
    }
    if disturbed {
        let mirrors = mirrors(&forms);
        for (k, one) in mirrors.iter().enumerate() {
            for other in &mirrors[k + 1..] {
                offer_axis(&mut collector, &forms, one, other);
            }
        }
        for mirror in mirrors {
            collector.reflect(mirror);
        }
    }
    Ok(collector.finish(SIZE, disturbed))
}

/// Whether the coefficients of the equations lose so many digits that Newton's method needs starts of its own besides.
fn slender(form: &Form) -> bool {
    let sizes = axes(form.form).0.map(f64::abs);
    sizes.iter().any(|&a| a > 0.0 && a < SLENDER_QUADRIC_SQ)
}

/// Where the axes of a quadric with a centre meet it.
fn axis_ends(form: &Form) -> Vec<DVec3> {
    let (a, vectors) = axes(form.form);
    if a.contains(&0.0) {
        return Vec::new();
    }
    let centre = -(vectors * (vectors.transpose() * form.half_linear / DVec3::from_array(a)));
    let level = form.value(centre);
    let ends = |k: usize| {
        let reach = (-level / a[k]).sqrt();
        [reach, -reach].map(|t| centre + vectors.col(k) * t)
    };
    (0..3).flat_map(ends).filter(|end| end.is_finite()).collect()
}

/// A plane n·x = `at`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mirror {
    pub(super) normal: DVec3,
    pub(super) at: f64,
}

impl Mirror {
    pub(super) fn image(&self, x: DVec3) -> DVec3 {
        x - self.normal * (2.0 * (self.normal.dot(x) - self.at))
    }
}

/// Planes of symmetry of all quadrics at once, normal to an axis of one of them.
pub(super) fn mirrors(forms: &[Form]) -> Vec<Mirror> {
    let mut found = Vec::new();
    for form in forms {
        let (_, vectors) = axes(form.form);
        for normal in [vectors.x_axis, vectors.y_axis, vectors.z_axis] {
            // F n = a n, and the centre (where there is one) on the plane: n·b + a at = 0.
            let stretch = |form: &Form| normal.dot(form.form * normal);
            let widest =
                forms.iter().fold(form, |w, f| if stretch(f).abs() > stretch(w).abs() { f } else { w });
            let at = -normal.dot(widest.half_linear) / stretch(widest);
            let keeps = |form: &Form| {
                let off = (form.form * normal - normal * stretch(form)).length();
                let beside = (normal.dot(form.half_linear) + stretch(form) * at).abs();
                off <= CRITICAL_MERGE_REL && beside <= CRITICAL_MERGE_REL
            };
            if at.is_finite() && forms.iter().all(keeps) {
                found.push(Mirror { normal, at });
            }
        }
    }
    found
}

/// Where two planes of symmetry meet, the surfaces are normal to their common line.
fn offer_axis(collector: &mut Collector<'_>, forms: &[Form; 2], one: &Mirror, other: &Mirror) {
    let Some(line) = one.normal.cross(other.normal).try_normalize() else { return };
    let across = line.cross(one.normal);
    // The second plane at the first's: other·(at₁ n₁ + s across) = at₂.
    let s = (other.at - one.at * other.normal.dot(one.normal)) / other.normal.dot(across);
    let foot = one.normal * one.at + across * s;
    let ends = forms.map(|form| {
        let stretch = line.dot(form.form * line);
        quadratic_roots(stretch, 2.0 * line.dot(form.half_gradient(foot)), form.value(foot))
    });
    for &t in ends[0].iter().filter(|t| t.is_finite()) {
        for &u in ends[1].iter().filter(|u| u.is_finite()) {
            collector.offer([t, u].map(|t| Place::Surface(foot + line * t)), Some(line));
        }
    }
}

/// Where Newton's method starts.
pub(super) struct Start {
    pub(super) points: [DVec3; 2],
    pub(super) normal: Option<DVec3>,
}

/// Solves the true equations (factor 0), and disturbed ones where those are singular or nearly so. Returns whether
/// they had to be disturbed.
pub(super) fn solve_or_disturb<T>(
    mut solve: impl FnMut(f64) -> Result<(Vec<T>, f64), RouteError>,
    mut each: impl FnMut(T),
) -> Result<bool, RouteError> {
    let plain = solve(0.0);
    let mut failure = None;
    let fine = match plain {
        Ok((starts, condition)) => {
            starts.into_iter().for_each(&mut each);
            condition > SYMMETRIC_REL
        }
        Err(RouteError::Roots(RootsError::NotIsolated | RootsError::NoConvergence { .. })) => false,
        Err(error) => return Err(error),
    };
    if fine {
        return Ok(false);
    }
    let mut solved = false;
    let last = [LAST_DISTURBANCE];
    for factor in DISTURBANCES.iter().chain(&last) {
        if solved && *factor == LAST_DISTURBANCE {
            break;
        }
        match solve(factor * DISTURB_REL) {
            Ok((starts, _)) => {
                solved = true;
                starts.into_iter().for_each(&mut each);
            }
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) if !solved => Err(error),
        _ => Ok(true),
    }
}

/// A quadric turned, stretched and moved by a small share of its own size so that no symmetry survives, differently for
/// the first and the second. It stays of its kind: a cylinder a cylinder, a slender ellipsoid as slender.
pub(super) fn disturbed(form: Form, factor: f64, which: usize, frame: &Frame, quadric: &Quadric) -> Form {
    if factor == 0.0 {
        return form;
    }
    let (map, shift) = [
        ([[0.43, -0.71, 0.29], [0.37, -0.59, 0.83], [-0.47, 0.61, 0.17]], DVec3::new(0.53, -0.67, 0.41)),
        ([[-0.31, 0.59, 0.67], [-0.73, 0.41, -0.19], [0.79, 0.23, -0.53]], DVec3::new(-0.37, 0.19, 0.73)),
    ][which.min(1)];
    let map = DMat3::IDENTITY + DMat3::from_cols_array_2d(&map) * factor;
    // x = centre + map (z − centre) + shift.
    let centre = frame.local(quadric.anchor());
    let shift = centre - map * centre + shift * (factor * size_of(quadric) / frame.unit);
    Form {
        form: map.transpose() * form.form * map,
        half_linear: map.transpose() * form.half_gradient(shift),
        constant: form.value(shift),
    }
}

/// The equations in (1 : σ : τ), and what x, y and n are there.
struct Equations {
    /// Total degree 3: x = `x` / `bottom`.
    x: [Bivariate; 3],
    bottom: Bivariate,
    /// Total degree 2: n = `n` / `bottom`.
    n: [Bivariate; 3],
    surfaces: [Bivariate; 2],
}

fn linear(constant: f64, s: f64, t: f64) -> Bivariate {
    Bivariate::from_fn(Shape::Total(1), |i, j| match (i, j) {
        (1, _) => s,
        (_, 1) => t,
        _ => constant,
    })
}

fn minus(a: Bivariate, b: &Bivariate) -> Bivariate {
    let mut difference = a;
    difference.add(b, -1.0);
    difference
}

impl Equations {
    fn new([one, two]: [Form; 2]) -> Self {
        let (f1, f2, b1, b2) = (one.form, two.form, one.half_linear, two.half_linear);
        // (F₂F₁ + σF₂ − τF₁) x = −F₂b₁ − σb₂ + τb₁.
        let (product, image) = (f2 * f1, f2 * b1);
        let entry = |i: usize, j: usize| linear(product.col(j)[i], f2.col(j)[i], -f1.col(j)[i]);
        let m: [[Bivariate; 3]; 3] = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        let right = [0, 1, 2].map(|i| linear(-image[i], -b2[i], b1[i]));
        // Adjugate: cofactors of the transpose.
        let minor = |i: usize, j: usize| {
            let (r, s) = ((j + 1) % 3, (j + 2) % 3);
            let (p, q) = ((i + 1) % 3, (i + 2) % 3);
            minus(m[r][p].times(&m[s][q]), &m[r][q].times(&m[s][p]))
        };
        let adjugate: [[Bivariate; 3]; 3] = [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(i, j)));
        let sum = |terms: [(&Bivariate, &Bivariate); 3]| {
            let mut sum = terms[0].0.times(terms[0].1);
            sum.add(&terms[1].0.times(terms[1].1), 1.0);
            sum.add(&terms[2].0.times(terms[2].1), 1.0);
            sum
        };
        let row = |i: usize, v: &[Bivariate; 3]| sum([0, 1, 2].map(|k| (&adjugate[i][k], &v[k])));
        let x = [0, 1, 2].map(|i| row(i, &right));
        let bottom = sum([0, 1, 2].map(|k| (&m[0][k], &adjugate[k][0])));
        // F₁x + b₁ = σ n: every term has a factor σ but for rounding.
        let gradient = [0, 1, 2].map(|i| gradient_row(f1, b1, &x, &bottom, i));
        let n = gradient.map(|g| Bivariate::from_fn(Shape::Total(2), |i, j| g.coefficient(i + 1, j)));
        let (x, n, bottom) = without_factors(x, n, bottom);
        let y = [0, 1, 2].map(|i| {
            let mut y = x[i].clone();
            y.add(&n[i], 1.0);
            y
        });
        let surfaces = [surface(&one, &x, &bottom), surface(&two, &y, &bottom)];
        Self { x, bottom, n, surfaces }
    }

    /// Starts for Newton's method, and how far the equations are from having a common factor.
    fn solve(&self) -> Result<(Vec<Start>, f64), RootsError> {
        let solved = solve_outside(&self.surfaces[0], &self.surfaces[1], &self.n)?;
        Ok((solved.candidates.iter().filter_map(|c| self.start(c)).collect(), solved.condition))
    }

    fn start(&self, candidate: &Candidate) -> Option<Start> {
        let ([s, weight], t) = (candidate.s, candidate.t[0]);
        let at = |p: &[Bivariate; 3]| DVec3::from_array([0, 1, 2].map(|i| p[i].homogeneous(s, t, weight)));
        let bottom = self.bottom.homogeneous(s, t, weight);
        let (x, n) = (at(&self.x) / bottom, at(&self.n));
        let y = x + n * (weight / bottom);
        (x.is_finite() && y.is_finite()).then(|| Start { points: [x, y], normal: n.try_normalize() })
    }
}

/// Divides by σ and by τ where all terms have that factor but for rounding: as they do if the first or the second is a
/// cylinder of any cross section. Each time the degree of the equations falls by 2.
fn without_factors(
    mut x: [Bivariate; 3],
    mut n: [Bivariate; 3],
    mut bottom: Bivariate,
) -> ([Bivariate; 3], [Bivariate; 3], Bivariate) {
    for axis in 0..2 {
        let rest = |p: &Bivariate| {
            let powers = p.shape().powers().into_iter().zip(p.coefficients());
            powers.filter(|((i, j), _)| [*i, *j][axis] == 0).map(|(_, c)| c.abs()).fold(0.0, f64::max)
        };
        let all = || x.iter().chain(&n).chain([&bottom]);
        let most = all().map(Bivariate::norm).fold(0.0, f64::max);
        if all().all(|p| rest(p) <= CYLINDER_REL * most) {
            let divided = |p: &Bivariate| match p.shape().minus(Shape::Total(1)) {
                Some(shape) => Bivariate::from_fn(shape, |i, j| p.coefficient(i + 1 - axis, j + axis)),
                None => p.clone(),
            };
            (x, n, bottom) = (x.each_ref().map(divided), n.each_ref().map(divided), divided(&bottom));
        }
    }
    (x, n, bottom)
}

fn gradient_row(f: DMat3, b: DVec3, x: &[Bivariate; 3], bottom: &Bivariate, i: usize) -> Bivariate {
    let mut sum = Bivariate::zero(bottom.shape());
    for (k, x) in x.iter().enumerate() {
        sum.add(x, f.col(k)[i]);
    }
    sum.add(bottom, b[i]);
    sum
}

/// The equation of a quadric at `x / bottom`, times the square of the bottom.
fn surface(form: &Form, x: &[Bivariate; 3], bottom: &Bivariate) -> Bivariate {
    let square = bottom.times(bottom);
    let mut sum = Bivariate::zero(square.shape());
    sum.add(&square, form.constant);
    for i in 0..3 {
        // x · (F x + 2 b bottom).
        let factor = gradient_row(form.form, 2.0 * form.half_linear, x, bottom, i);
        sum.add(&x[i].times(&factor), 1.0);
    }
    sum
}
