//! Tangential contact of two quadrics, and how two ellipsoids lie to each other, from the pencil λA + B.
//!
//! Source: 003, section 4.2.3, tangential intersection. Two quadrics touch where λA + B, their matrices in homogeneous
//! coordinates, is singular to second order in λ: det(λA + B) has a multiple root, and its null vector is the point. For
//! ellipsoids the signs decide everything: they are apart if and only if λA + B is positive definite for some
//! λ > 0 (Wang, Wang and Kim 2001), and one holds the other if and only if μA − B is for some μ > 0 (the S-lemma).
//! Differs: the pencil only gives candidates, which Newton's method turns into contacts with a gap in units of length. The
//! signs are taken from the determinant's factored form in the axes of one ellipsoid, which does not cancel.
//! Ends because: roots of polynomials of degree 3, null spaces of size 4; a monotone function of one variable is bisected.
//! Cost: about a millisecond for contacts, most of it Newton's method on candidates that are none; microseconds for the
//! relation of two ellipsoids.
//! Not promised: contacts at singular points (the apex of a cone).

use super::Quadric;
use super::collect::{Collector, Isolation};
use super::point::{axes, size_of};
use super::polish::{Form, Frame, Pair, Place, Side};
use crate::tolerance::ELLIPSOID_TOUCH_REL;
use clearance_geometry::{DMat3, DVec3};
use clearance_roots::{Matrix, Polynomial, RootsError, symmetric_eigen};

/// Steps of bisection and Newton's method; each halves the interval at least.
const MOST_STEPS: usize = 200;

/// A place where two surfaces touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentContact {
    /// Midway between the two surfaces.
    pub point: DVec3,
    /// Common unit normal.
    pub normal: DVec3,
    /// Length between the two surfaces along it; at most what was asked for.
    pub gap: f64,
    /// Whether the inner sides (where the equations are negative) are the same: one surface touches the other from
    /// inside.
    pub inner: bool,
    /// Whether it is one of a curve of contacts.
    pub isolation: Isolation,
}

/// All places where two quadrics touch within `max_gap`, a length.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// use clearance_proximity::algebraic::{Quadric, tangent_contacts};
/// let one = Quadric::ellipsoid(&Pose::IDENTITY, [1.0, 2.0, 3.0])?;
/// let other = Quadric::ellipsoid(&Pose::from_translation(DVec3::new(2.5, 0.0, 0.0))?, [1.5, 1.0, 1.0])?;
/// let contacts = tangent_contacts(&one, &other, 1e-9)?;
/// assert_eq!(contacts.len(), 1);
/// assert!((contacts[0].point - DVec3::X).length() < 1e-9 && !contacts[0].inner);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RootsError::Zero`] where the pencil is singular throughout (two cones with one apex, two parallel cylinders): then
/// every λ is a root, and [`super::quadric_quadric`] is the way.
pub fn tangent_contacts(
    first: &Quadric,
    second: &Quadric,
    max_gap: f64,
) -> Result<Vec<TangentContact>, RootsError> {
    let frame = common_frame(first, second);
    let forms = [frame.form(first), frame.form(second)];
    let matrices = forms.map(|form| homogeneous(&form));
    let mut collector = Collector::new(Pair { sides: forms.map(Side::Surface), frame });
    for (one, other) in [(0, 1), (1, 0)] {
        let polynomial = determinant(&matrices[one], &matrices[other])?;
        let noise = polynomial.coefficients().iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        if noise <= ELLIPSOID_TOUCH_REL {
            return Err(RootsError::Zero);
        }
        // A multiple root is a root of the derivative, and well conditioned as such.
        for root in polynomial.derivative().real_roots().unwrap_or_default() {
            let pencil =
                Matrix::from_fn(4, 4, |i, j| root.value * matrices[one][(i, j)] + matrices[other][(i, j)]);
            for point in null_points(&pencil, &matrices) {
                collector.offer([Place::Surface(point), Place::Surface(point)], None);
            }
        }
    }
    let close = collector.finish(4, false).pairs.into_iter().filter(|pair| pair.distance <= max_gap);
    let contact = |pair: super::Critical| {
        let gradients = [first.half_gradient(pair.points[0]), second.half_gradient(pair.points[1])];
        TangentContact {
            point: 0.5 * (pair.points[0] + pair.points[1]),
            normal: pair.normal,
            gap: pair.distance,
            inner: gradients[0].dot(gradients[1]) > 0.0,
            isolation: pair.isolation,
        }
    };
    Ok(close.map(contact).collect())
}

fn common_frame(first: &Quadric, second: &Quadric) -> Frame {
    let apart = (second.anchor() - first.anchor()).length();
    let unit = size_of(first).max(size_of(second)).max(apart);
    Frame { origin: first.anchor(), unit: if unit > 0.0 { unit } else { 1.0 } }
}

fn homogeneous(form: &Form) -> Matrix {
    Matrix::from_fn(4, 4, |i, j| match (i, j) {
        (3, 3) => form.constant,
        (3, k) | (k, 3) => form.half_linear[k],
        _ => form.form.col(j)[i],
    })
}

/// det(λA + B), in the coordinates of a frame in which both are of size one.
fn determinant(a: &Matrix, b: &Matrix) -> Result<Polynomial, RootsError> {
    let entry = |i: usize, j: usize| Polynomial::new(vec![b[(i, j)], a[(i, j)]]);
    let minor = |rows: [usize; 2], p: usize, q: usize| -> Result<Polynomial, RootsError> {
        let product = entry(rows[0], p)?.times(&entry(rows[1], q)?);
        Ok(product.plus(&entry(rows[0], q)?.times(&entry(rows[1], p)?), -1.0))
    };
    // Laplace's expansion by the first two rows.
    let mut sum = Polynomial::new(vec![0.0])?;
    for (p, q, sign) in [(0, 1, 1.0), (0, 2, -1.0), (0, 3, 1.0), (1, 2, 1.0), (1, 3, -1.0), (2, 3, 1.0)] {
        let rest: Vec<usize> = (0..4).filter(|&k| k != p && k != q).collect();
        sum = sum.plus(&minor([0, 1], p, q)?.times(&minor([2, 3], rest[0], rest[1])?), sign);
    }
    Ok(sum)
}

/// Points of the null space of a nearly singular pencil member: the null vector, and where lines through two of them
/// meet the surfaces. Which eigenvalues count as zero is left to Newton's method: all but the largest are tried.
fn null_points(pencil: &Matrix, matrices: &[Matrix; 2]) -> Vec<DVec3> {
    let (values, vectors) = symmetric_eigen(pencil);
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|&i, &j| values[i].abs().total_cmp(&values[j].abs()));
    let vector = |k: usize| [0, 1, 2, 3].map(|i| vectors[(i, order[k])]);
    let mut found = Vec::new();
    let mut keep = |v: [f64; 4]| {
        let point = DVec3::new(v[0], v[1], v[2]) / v[3];
        if point.is_finite() {
            found.push(point);
        }
    };
    keep(vector(0));
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let (v, w) = (vector(p), vector(q));
        for matrix in matrices {
            let form = |a: [f64; 4], b: [f64; 4]| {
                (0..4).map(|i| a[i] * (0..4).map(|j| matrix[(i, j)] * b[j]).sum::<f64>()).sum::<f64>()
            };
            for t in clearance_roots::quadratic_roots(form(w, w), 2.0 * form(v, w), form(v, v)) {
                keep([0, 1, 2, 3].map(|i| v[i] + t * w[i]));
            }
        }
    }
    found
}

/// How two ellipsoids lie to each other, as solid bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EllipsoidRelation {
    /// No point in common.
    Separate,
    /// One point in common.
    TouchingOutside,
    /// The surfaces cross.
    Overlapping,
    /// The first is inside the second; `touching` if their surfaces meet.
    FirstInside {
        /// Whether the surfaces have a point in common.
        touching: bool,
    },
    /// The second is inside the first.
    SecondInside {
        /// Whether the surfaces have a point in common.
        touching: bool,
    },
    /// The same ellipsoid.
    Equal,
}

/// Classifies two ellipsoids; none if one of the quadrics is not an ellipsoid.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// use clearance_proximity::algebraic::{EllipsoidRelation, Quadric, ellipsoid_relation};
/// let one = Quadric::ellipsoid(&Pose::IDENTITY, [1.0, 2.0, 3.0])?;
/// let at = |x: f64| Quadric::ellipsoid(&Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap(), [0.5, 0.5, 0.5]);
/// assert_eq!(ellipsoid_relation(&one, &at(1.75)?), Some(EllipsoidRelation::Separate));
/// assert_eq!(ellipsoid_relation(&one, &at(1.5)?), Some(EllipsoidRelation::TouchingOutside));
/// assert_eq!(ellipsoid_relation(&one, &at(1.0)?), Some(EllipsoidRelation::Overlapping));
/// assert_eq!(ellipsoid_relation(&one, &at(0.25)?), Some(EllipsoidRelation::SecondInside { touching: false }));
/// # Ok::<(), clearance_proximity::algebraic::QuadricError>(())
/// ```
pub fn ellipsoid_relation(first: &Quadric, second: &Quadric) -> Option<EllipsoidRelation> {
    let frame = common_frame(first, second);
    let [one, two] = [first, second].map(|quadric| solid(&frame.form(quadric)));
    let (one, two) = (one?, two?);
    let seen = Seen::new(&one, &two);
    match seen.outside() {
        Margin::Positive => return Some(EllipsoidRelation::Separate),
        Margin::Zero => return Some(EllipsoidRelation::TouchingOutside),
        Margin::Negative => {}
    }
    let inside = [seen.holds(), Seen::new(&two, &one).holds()];
    Some(match inside {
        [Margin::Zero, Margin::Zero] => EllipsoidRelation::Equal,
        [Margin::Negative, Margin::Negative] => EllipsoidRelation::Overlapping,
        [Margin::Negative, held] => EllipsoidRelation::SecondInside { touching: held == Margin::Zero },
        [held, _] => EllipsoidRelation::FirstInside { touching: held == Margin::Zero },
    })
}

/// (x − centre)ᵀ F (x − centre) = 1 with F positive definite.
struct Solid {
    form: DMat3,
    centre: DVec3,
    /// z ↦ centre + `stretch` z takes the unit ball to the ellipsoid.
    stretch: DMat3,
    shrink: DMat3,
}

fn solid(form: &Form) -> Option<Solid> {
    let (values, vectors) = axes(form.form);
    let sign = if values[2] > 0.0 { 1.0 } else { -1.0 };
    let a = DVec3::from_array(values) * sign;
    if !(a.min_element() > 0.0) {
        return None;
    }
    let centre = -(vectors * (vectors.transpose() * (form.half_linear * sign) / a));
    let level = -form.value(centre) * sign;
    if !(level > 0.0) {
        return None;
    }
    let scaled = a / level;
    let roots = DVec3::new(scaled.x.sqrt(), scaled.y.sqrt(), scaled.z.sqrt());
    Some(Solid {
        form: form.form * (sign / level),
        centre,
        stretch: vectors * DMat3::from_diagonal(1.0 / roots),
        shrink: DMat3::from_diagonal(roots) * vectors.transpose(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Margin {
    Negative,
    Zero,
    Positive,
}

/// One ellipsoid where the other is the unit ball: eigenvalues of its form and squares of its centre's coordinates.
struct Seen {
    e: DVec3,
    c_sq: DVec3,
}

impl Seen {
    fn new(ball: &Solid, other: &Solid) -> Self {
        let form = ball.stretch.transpose() * other.form * ball.stretch;
        let centre = ball.shrink * (other.centre - ball.centre);
        let (values, vectors) = symmetric_eigen(&Matrix::from_fn(3, 3, |i, j| form.col(j)[i]));
        let column = |j: usize| DVec3::new(vectors[(0, j)], vectors[(1, j)], vectors[(2, j)]);
        let c = DVec3::new(column(0).dot(centre), column(1).dot(centre), column(2).dot(centre));
        Self { e: DVec3::new(values[0], values[1], values[2]), c_sq: c * c }
    }

    /// The largest value over λ > 0 of det(λA + B) / Π(λ + eᵢ) = −1 − λ + Σ eᵢ cᵢ² λ / (λ + eᵢ): positive when apart.
    fn outside(&self) -> Margin {
        let pull = |lambda: f64| {
            let share = self.e / (self.e + lambda);
            (share * share).dot(self.c_sq) - 1.0
        };
        if !(pull(0.0) > 0.0) {
            return Margin::Negative;
        }
        // The slope falls below zero where every share is below 1 / |c|.
        let far = self.e.max_element() * self.c_sq.element_sum().sqrt();
        let lambda = falling_zero(pull, 0.0, far);
        let sum = (self.e * lambda / (self.e + lambda)).dot(self.c_sq);
        margin(sum - 1.0 - lambda, sum + 1.0 + lambda)
    }

    /// The largest value over μ > max eᵢ of 1 − μ − Σ eᵢ cᵢ² μ / (μ − eᵢ): positive when the ball is inside the other.
    fn holds(&self) -> Margin {
        let top = self.e.max_element();
        let push = |mu: f64| {
            let share = self.e / (mu - self.e);
            let terms = share * share * self.c_sq;
            // Coordinates that are zero do not count, also at the pole.
            (0..3).filter(|&i| self.c_sq[i] > 0.0).map(|i| terms[i]).sum::<f64>() - 1.0
        };
        let far = top * (1.0 + self.c_sq.element_sum().sqrt());
        let mu = falling_zero(push, top, far);
        let term = |i: usize| {
            let (e, c_sq) = (self.e[i], self.c_sq[i]);
            if c_sq > 0.0 && mu > e { e * c_sq * mu / (mu - e) } else { 0.0 }
        };
        let sum: f64 = (0..3).map(term).sum();
        margin(1.0 - mu - sum, 1.0 + mu + sum)
    }
}

fn margin(value: f64, size: f64) -> Margin {
    if value.abs() <= ELLIPSOID_TOUCH_REL * size {
        Margin::Zero
    } else if value > 0.0 {
        Margin::Positive
    } else {
        Margin::Negative
    }
}

/// Where a falling function changes sign; the lower end if it is negative throughout.
fn falling_zero(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..MOST_STEPS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
