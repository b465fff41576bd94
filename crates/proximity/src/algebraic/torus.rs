//! All common normals of a quadric and a circle, and of a quadric and a torus.
//!
//! Source: 003, section 4.2, for a torus, its example of a surface that is not convex.
//! Differs: a torus of degree four is not treated as such: its normals are those of the circle in the tube's centre. For a
//! point y of the circle the multiplier λ with x + λ (F x + b) = y obeys the equation of degree 6 of a point and a
//! quadric; that the connection is normal to the circle is of degree 2 in λ. Both have degree 4 in the tangent of half
//! the angle.
//! Ends because: an eigenproblem of size 32, at most four times; each candidate is polished.
//! Cost: some milliseconds for an ellipsoid, under a tenth of one for spheres and cylinders; see `docs/algebraic-route.md`.
//! Not promised: as for two quadrics.

use super::circles::Chart;
use super::collect::{Collector, CriticalSet};
use super::point::{apex, axes, centre_circle, size_of, thicken};
use super::polish::{Curve, Form, Frame, Pair, Place, Side};
use super::quadrics::{disturbed, mirrors, solve_or_disturb};
use super::{Quadric, RouteError};
use crate::tolerance::{CRITICAL_MERGE_REL, QUADRIC_FLAT_REL};
use clearance_geometry::DVec3;
use clearance_geometry::curve::Circle;
use clearance_geometry::surface::Torus;
use clearance_roots::{Bivariate, Polynomial, RootsError, Shape, solve_pair};

/// Zeros of degrees (6, 4) and (2, 4).
const SIZE: usize = 32;

/// All critical pairs of a quadric and a circle in space.
///
/// # Errors
/// As for [`super::quadric_quadric`].
pub fn quadric_circle(quadric: &Quadric, circle: &Circle) -> Result<CriticalSet, RouteError> {
    let apart = (circle.frame().translation() - quadric.anchor()).length();
    let unit = size_of(quadric).max(circle.radius()).max(apart);
    let frame = Frame { origin: quadric.anchor(), unit };
    let (form, oval) = (frame.form(quadric), frame.circle(circle));
    let mut collector = Collector::new(Pair { sides: [Side::Surface(form), Side::Curve(oval)], frame });
    let disturbed = solve_or_disturb(
        |factor| Ok(starts(&disturbed(form, factor, 0, &frame, quadric), &oval)?),
        |(x, angle): (DVec3, f64)| {
            collector.offer([Place::Surface(x), Place::Curve(angle)], None);
        },
    )?;
    if let Some(apex) = apex(&form) {
        let arm = circle.frame().rotate_inverse(apex - frame.local(circle.frame().translation()));
        for angle in [arm.y.atan2(arm.x), (-arm.y).atan2(-arm.x)] {
            let normal = (oval.jet(angle)[0] - apex).try_normalize();
            collector.offer([Place::Surface(apex), Place::Curve(angle)], normal);
        }
    }
    if disturbed {
        let axis = circle.frame().rotation().z_axis;
        let centre = frame.local(circle.frame().translation());
        for mirror in mirrors(&[form]) {
            // Across the circle's plane or along its axis.
            let lean = mirror.normal.dot(axis).abs();
            let turned = lean <= CRITICAL_MERGE_REL || lean >= 1.0 - CRITICAL_MERGE_REL;
            if turned && (mirror.image(centre) - centre).length() <= CRITICAL_MERGE_REL {
                collector.reflect(mirror);
            }
        }
    }
    Ok(collector.finish(SIZE, disturbed))
}

/// All critical pairs of a quadric and a torus.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, surface::Torus};
/// use clearance_proximity::algebraic::{Quadric, quadric_torus};
/// let ball = Quadric::ellipsoid(&Pose::IDENTITY, [1.0, 1.0, 1.0])?;
/// let ring = Torus::new(Pose::from_translation(DVec3::new(7.0, 0.0, 1.0))?, 3.0, 0.5)?;
/// let nearest = quadric_torus(&ball, &ring)?.pairs[0];
/// assert!((nearest.distance - (17.0_f64.sqrt() - 1.5)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`super::quadric_quadric`].
pub fn quadric_torus(quadric: &Quadric, torus: &Torus) -> Result<CriticalSet, RouteError> {
    Ok(thicken(quadric_circle(quadric, &centre_circle(torus)?)?, torus.minor()))
}

/// Starts for Newton's method, and how far the equations are from having a common factor.
fn starts(form: &Form, oval: &Curve) -> Result<(Vec<(DVec3, f64)>, f64), RootsError> {
    let (a, vectors) = axes(form.form);
    let [f, g] = equations(form, oval, a, vectors.transpose())?;
    let solved = solve_pair(&f, &g)?;
    let start = |candidate: &clearance_roots::Candidate| {
        let angle = 2.0 * candidate.t[0].atan2(candidate.t[1]);
        let y = oval.jet(angle)[0];
        let u = vectors.transpose() * form.half_gradient(y);
        // λ = s₀ / s₁, so that it may be infinite.
        let [top, bottom] = candidate.s;
        let step = [0, 1, 2].map(|i| -top * u[i] / (bottom + top * a[i]));
        let x = y + vectors * DVec3::from_array(step);
        x.is_finite().then_some((x, angle))
    };
    Ok((solved.candidates.iter().filter_map(start).collect(), solved.condition))
}

fn equations(
    form: &Form,
    oval: &Curve,
    a: [f64; 3],
    turn: clearance_geometry::DMat3,
) -> Result<[Bivariate; 2], RootsError> {
    let chart = Chart::new(1.0)?;
    let Curve::Oval { centre, a: along, b: across } = *oval else { return Err(RootsError::BadSystem) };
    let (c, p, q, b) = (turn * centre, turn * along, turn * across, turn * form.half_linear);
    let y = [0, 1, 2].map(|i| chart.linear(c[i], p[i], q[i]));
    let tangent = [0, 1, 2].map(|i| chart.linear(0.0, q[i], -p[i]));
    // Half the gradient at y, in the axes of the form.
    let u = [0, 1, 2].map(|i| chart.linear(a[i] * c[i] + b[i], a[i] * p[i], a[i] * q[i]));
    let mut value = chart.one.times(&chart.one).times(&Polynomial::new(vec![form.constant])?);
    for i in 0..3 {
        // y (a y + b) + y b.
        let both = u[i].plus(&chart.one, b[i]);
        value = value.plus(&y[i].times(&both), 1.0);
    }
    // Axes of equal length together: on their own they would share a factor.
    let groups = equal(a);
    let product = |skip: Option<f64>| -> Result<Polynomial, RootsError> {
        let mut product = Polynomial::new(vec![1.0])?;
        for &(a, _) in groups.iter().filter(|group| Some(group.0) != skip) {
            product = product.times(&Polynomial::new(vec![1.0, a])?);
        }
        Ok(product)
    };
    let mut f = Bivariate::zero(Shape::Box(6, 4));
    let mut g = Bivariate::zero(Shape::Box(2, 4));
    let all = product(None)?;
    add_product(&mut f, &all.times(&all), &value, 1.0);
    for (a, members) in &groups {
        let others = product(Some(*a))?;
        let front = Polynomial::new(vec![0.0, 2.0, *a])?;
        for &i in members {
            add_product(&mut f, &front.times(&others).times(&others), &u[i].times(&u[i]), -1.0);
            add_product(&mut g, &others, &u[i].times(&tangent[i]), 1.0);
        }
    }
    Ok([trimmed(f), trimmed(g)])
}

/// Eigenvalues with the axes they belong to, those within rounding of each other together.
fn equal(a: [f64; 3]) -> Vec<(f64, Vec<usize>)> {
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for (i, &value) in a.iter().enumerate() {
        match groups.iter_mut().find(|group| (group.0 - value).abs() <= QUADRIC_FLAT_REL) {
            Some(group) => group.1.push(i),
            None => groups.push((value, vec![i])),
        }
    }
    groups
}

/// Without the highest powers of the multiplier, where they vanish: spheres, cylinders and surfaces of revolution have
/// fewer.
fn trimmed(p: Bivariate) -> Bivariate {
    let Shape::Box(mut top, n) = p.shape() else { return p };
    let noise = QUADRIC_FLAT_REL * p.norm();
    while top > 0 && (0..=n).all(|j| p.coefficient(top, j).abs() <= noise) {
        top -= 1;
    }
    Bivariate::from_fn(Shape::Box(top, n), |i, j| p.coefficient(i, j))
}

/// Adds `factor` p(s) q(t).
pub(super) fn add_product(sum: &mut Bivariate, p: &Polynomial, q: &Polynomial, factor: f64) {
    let (p, q) = (p.coefficients(), q.coefficients());
    let at = |c: &[f64], k: usize| c.get(k).copied().unwrap_or(0.0);
    let product = Bivariate::from_fn(sum.shape(), |i, j| at(p, i) * at(q, j));
    sum.add(&product, factor);
}
