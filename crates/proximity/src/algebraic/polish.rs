//! Newton's method on the conditions of a common normal, for any two of point, curve, patch and quadric.
//!
//! Source: 003, section 4.2, equations for closest points and tangential contact.
//! Differs: the unknowns include the unit normal m and the signed gap δ with y − x = δ m. 003's multipliers are quotients
//! by the gap, which vanish or diverge in contact; here the equations stay regular through it.
//! Ends because: a fixed number of steps.
//! Cost: one elimination of at most 12 rows a step, four steps for a good start.
//! Not promised: convergence from a poor start, or to the critical pair nearest to it.

use crate::tolerance::{CRITICAL_REL, CRITICAL_SINGULAR_REL, CRITICAL_STEP_REL};
use clearance_geometry::curve::{Circle, Ellipse};
use clearance_geometry::surface::{BezierPatch, ParametricSurface};
use clearance_geometry::{DMat3, DVec3};
use clearance_roots::Matrix;

/// Newton steps; four are usual, thirty are needed at a double solution.
const MOST_STEPS: usize = 40;

/// The quadric xᵀ F x + 2 b·x + c = 0 in the coordinates of a [`Frame`], F of size one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) form: DMat3,
    pub(super) half_linear: DVec3,
    pub(super) constant: f64,
}

impl Form {
    pub(super) fn half_gradient(&self, x: DVec3) -> DVec3 {
        self.form * x + self.half_linear
    }

    pub(super) fn value(&self, x: DVec3) -> f64 {
        x.dot(self.form * x + 2.0 * self.half_linear) + self.constant
    }
}

/// Coordinates in which a problem is of size one: x = (world − origin) / unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) origin: DVec3,
    pub(super) unit: f64,
}

impl Frame {
    pub(super) fn local(&self, world: DVec3) -> DVec3 {
        (world - self.origin) / self.unit
    }

    pub(super) fn world(&self, local: DVec3) -> DVec3 {
        self.origin + self.unit * local
    }

    pub(super) fn form(&self, quadric: &super::Quadric) -> Form {
        let offset = self.origin - quadric.anchor();
        let shifted = quadric.form() * offset + quadric.half_linear();
        let (u, size) = (self.unit, largest(quadric.form()));
        let constant = offset.dot(shifted + quadric.half_linear()) + quadric.constant();
        Form {
            form: quadric.form() * (1.0 / size),
            half_linear: shifted / (size * u),
            constant: constant / (size * u) / u,
        }
    }

    /// centre + a cos t + b sin t.
    pub(super) fn circle(&self, circle: &Circle) -> Curve {
        self.oval(circle.frame(), [circle.radius(); 2])
    }

    pub(super) fn ellipse(&self, ellipse: &Ellipse) -> Curve {
        self.oval(ellipse.frame(), ellipse.radii())
    }

    fn oval(&self, frame: &clearance_geometry::Pose, radii: [f64; 2]) -> Curve {
        let axes = frame.rotation();
        Curve::Oval {
            centre: self.local(frame.translation()),
            a: axes.x_axis * (radii[0] / self.unit),
            b: axes.y_axis * (radii[1] / self.unit),
        }
    }
}

pub(super) fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()))
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Curve {
    /// `centre + a cos t + b sin t`.
    Oval { centre: DVec3, a: DVec3, b: DVec3 },
    /// `origin + t direction`, the direction of unit length.
    Straight { origin: DVec3, direction: DVec3 },
}

impl Curve {
    /// Point, first and second derivative.
    pub(super) fn jet(&self, t: f64) -> [DVec3; 3] {
        match *self {
            Self::Oval { centre, a, b } => {
                let (sin, cos) = t.sin_cos();
                let arm = a * cos + b * sin;
                [centre + arm, b * cos - a * sin, -arm]
            }
            Self::Straight { origin, direction } => [origin + t * direction, direction, DVec3::ZERO],
        }
    }

    fn speed(&self) -> f64 {
        match self {
            Self::Oval { a, b, .. } => a.length().max(b.length()),
            Self::Straight { .. } => 1.0,
        }
    }
}

/// One of the two.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side<'a> {
    Point(DVec3),
    Curve(Curve),
    Patch(&'a BezierPatch, Frame),
    Surface(Form),
}

/// Where a side starts or ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Point,
    Curve(f64),
    Patch(f64, f64),
    Surface(DVec3),
}

/// A pair of sides, and the frame they are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) frame: Frame,
}

/// A solution of the conditions.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) points: [DVec3; 2],
    pub(super) places: [Place; 2],
    /// Unit normal; y − x = gap · normal.
    pub(super) normal: DVec3,
    /// Largest violation: points off their surfaces, over the unit; sines of angles off the normals.
    pub(super) residual: f64,
    /// Whether the equations are regular there.
    pub(super) regular: bool,
    state: Vec<f64>,
}

impl Side<'_> {
    /// Number of its unknowns.
    fn count(&self) -> usize {
        match self {
            Self::Point(_) => 0,
            Self::Curve(_) => 1,
            Self::Patch(..) => 2,
            Self::Surface(_) => 4,
        }
    }

    pub(super) fn point(&self, place: Place) -> DVec3 {
        match (self, place) {
            (Self::Curve(curve), Place::Curve(t)) => curve.jet(t)[0],
            (Self::Patch(patch, frame), Place::Patch(u, v)) => frame.local(patch.point(u, v)),
            (Self::Surface(_), Place::Surface(x)) => x,
            (Self::Point(p), _) => *p,
            _ => DVec3::NAN,
        }
    }

    /// The place of a point that lies on a quadric or an oval.
    pub(super) fn nearest(&self, point: DVec3) -> Place {
        match self {
            Self::Surface(_) => Place::Surface(point),
            Self::Curve(Curve::Oval { centre, a, b }) => {
                let arm = point - *centre;
                Place::Curve((arm.dot(*b) / b.length_squared()).atan2(arm.dot(*a) / a.length_squared()))
            }
            _ => Place::Point,
        }
    }

    fn unknowns(&self, place: Place, normal: DVec3, state: &mut Vec<f64>) {
        match (self, place) {
            (Self::Surface(form), Place::Surface(x)) => {
                state.extend(x.to_array());
                state.push(form.half_gradient(x).dot(normal));
            }
            (_, Place::Curve(t)) => state.push(t),
            (_, Place::Patch(u, v)) => state.extend([u, v]),
            _ => {}
        }
    }

    fn place(&self, unknowns: &[f64]) -> Place {
        match self {
            Self::Point(_) => Place::Point,
            Self::Curve(_) => Place::Curve(unknowns[0]),
            Self::Patch(..) => Place::Patch(unknowns[0], unknowns[1]),
            Self::Surface(_) => Place::Surface(DVec3::from_slice(unknowns)),
        }
    }
}

/// Equations and their derivatives, filled side by side.
struct System {
    values: Vec<f64>,
    matrix: Matrix,
    row: usize,
}

impl System {
    fn put(&mut self, value: f64, entries: &[(usize, f64)]) {
        self.values[self.row] = value;
        for &(column, entry) in entries {
            self.matrix[(self.row, column)] += entry;
        }
        self.row += 1;
    }

    /// The rows of one side, whose unknowns start at `at`; `normal_at` is where the normal's start. Returns the point
    /// and its derivatives by the unknowns.
    fn side(&mut self, side: &Side<'_>, state: &[f64], at: usize, normal_at: usize) -> (DVec3, Vec<DVec3>) {
        let m = DVec3::from_slice(&state[normal_at..]);
        let axis = |k: usize| DVec3::AXES[k];
        let lean = |system: &mut Self, tangent: DVec3, size: f64, turning: &[DVec3]| {
            let mut entries: Vec<(usize, f64)> = (0..3).map(|k| (normal_at + k, tangent[k] / size)).collect();
            entries.extend(turning.iter().enumerate().map(|(k, t)| (at + k, m.dot(*t) / size)));
            system.put(m.dot(tangent) / size, &entries);
        };
        match side {
            Side::Point(p) => (*p, Vec::new()),
            Side::Curve(curve) => {
                let [point, tangent, turning] = curve.jet(state[at]);
                lean(self, tangent, curve.speed(), &[turning]);
                (point, vec![tangent])
            }
            Side::Patch(patch, frame) => {
                let jet = patch.jet(state[at], state[at + 1]);
                let size = jet.u.length().max(jet.v.length()).max(f64::MIN_POSITIVE);
                lean(self, jet.u, size, &[jet.uu, jet.uv]);
                lean(self, jet.v, size, &[jet.uv, jet.vv]);
                (frame.local(jet.point), vec![jet.u / frame.unit, jet.v / frame.unit])
            }
            Side::Surface(form) => {
                let (x, alpha) = (DVec3::from_slice(&state[at..]), state[at + 3]);
                let gradient = form.half_gradient(x);
                self.put(form.value(x), &[0, 1, 2].map(|k| (at + k, 2.0 * gradient[k])));
                for i in 0..3 {
                    let mut entries: Vec<(usize, f64)> =
                        (0..3).map(|k| (at + k, form.form.col(k)[i])).collect();
                    entries.extend([(at + 3, -m[i]), (normal_at + i, -alpha)]);
                    self.put(gradient[i] - alpha * m[i], &entries);
                }
                (x, (0..3).map(axis).collect())
            }
        }
    }
}

impl Pair<'_> {
    /// Newton's method from two places, and the normal if it is known; none where it does not settle on a solution.
    pub(super) fn polish(&self, places: [Place; 2], normal: Option<DVec3>) -> Option<Solution> {
        let [x, y] = [0, 1].map(|k| self.sides[k].point(places[k]));
        let of_gradient = || {
            self.sides.iter().zip(places).find_map(|(side, place)| match (side, place) {
                (Side::Surface(form), Place::Surface(x)) => form.half_gradient(x).try_normalize(),
                _ => None,
            })
        };
        let normal = normal.or_else(of_gradient).or_else(|| (y - x).try_normalize())?;
        let mut state = Vec::with_capacity(12);
        for (side, place) in self.sides.iter().zip(places) {
            side.unknowns(place, normal, &mut state);
        }
        state.extend(normal.to_array());
        state.push((y - x).dot(normal));
        self.settle(state, false)
    }

    fn system(&self, state: &[f64]) -> System {
        let n = state.len();
        let mut system = System { values: vec![0.0; n], matrix: Matrix::zero(n, n), row: 0 };
        let (normal_at, second) = (n - 4, self.sides[0].count());
        let (x, dx) = system.side(&self.sides[0], state, 0, normal_at);
        let (y, dy) = system.side(&self.sides[1], state, second, normal_at);
        let (m, gap) = (DVec3::from_slice(&state[normal_at..]), state[n - 1]);
        for i in 0..3 {
            let mut entries = vec![(normal_at + i, -gap), (n - 1, -m[i])];
            entries.extend(dx.iter().enumerate().map(|(k, d)| (k, -d[i])));
            entries.extend(dy.iter().enumerate().map(|(k, d)| (second + k, d[i])));
            system.put(y[i] - x[i] - gap * m[i], &entries);
        }
        system.put(0.5 * (m.length_squared() - 1.0), &[0, 1, 2].map(|k| (normal_at + k, m[k])));
        system
    }

    /// Steps until they vanish; `damped_only` keeps close to the start where solutions are not isolated.
    fn settle(&self, mut state: Vec<f64>, damped_only: bool) -> Option<Solution> {
        let n = state.len();
        for _ in 0..MOST_STEPS {
            let System { values, matrix, .. } = self.system(&state);
            let size = norm(&values);
            if !size.is_finite() {
                return None;
            }
            let factors = matrix.clone().factors();
            let mut step = values.clone();
            if factors.ratio() > CRITICAL_SINGULAR_REL && !damped_only {
                factors.solve(&mut step);
            } else {
                step = damped(&matrix, &values, size);
            }
            for (x, d) in state.iter_mut().zip(&step) {
                *x -= d;
            }
            if norm(&step) <= CRITICAL_STEP_REL * norm(&state) {
                break;
            }
        }
        // The normal may have left the unit sphere by the last step.
        let m = DVec3::from_slice(&state[n - 4..]).try_normalize()?;
        state[n - 4..n - 1].copy_from_slice(&m.to_array());
        let second = self.sides[0].count();
        let places = [self.sides[0].place(&state), self.sides[1].place(&state[second..])];
        let points = [0, 1].map(|k| self.sides[k].point(places[k]));
        let residual = self.residual(places, points, m);
        let regular = self.system(&state).matrix.factors().ratio() > CRITICAL_SINGULAR_REL;
        let solution = Solution { points, places, normal: m, residual, regular, state };
        (residual <= CRITICAL_REL).then_some(solution)
    }

    /// Points off their surfaces, the gap off the normal, tangents off orthogonal.
    fn residual(&self, places: [Place; 2], points: [DVec3; 2], m: DVec3) -> f64 {
        let between = points[1] - points[0];
        let mut most = (between - m * between.dot(m)).length();
        for (side, place) in self.sides.iter().zip(places) {
            let off = match (side, place) {
                (Side::Curve(curve), Place::Curve(t)) => m.dot(curve.jet(t)[1]).abs() / curve.speed(),
                (Side::Patch(patch, _), Place::Patch(u, v)) => {
                    let jet = patch.jet(u, v);
                    let size = jet.u.length().max(jet.v.length()).max(f64::MIN_POSITIVE);
                    m.dot(jet.u).abs().max(m.dot(jet.v).abs()) / size
                }
                (Side::Surface(form), Place::Surface(x)) => {
                    let (value, gradient) = (form.value(x).abs(), form.half_gradient(x));
                    let size = gradient.length();
                    let lean = if size > CRITICAL_REL { gradient.cross(m).length() / size } else { 0.0 };
                    lean.max(0.5 * value / size.max(value.sqrt()).max(f64::MIN_POSITIVE))
                }
                _ => 0.0,
            };
            most = if off <= most { most } else { off };
        }
        most
    }

    /// Whether more solutions lie next to this one: a step along what the equations do not hold fast is followed by
    /// Newton's method, which comes back to an isolated solution.
    pub(super) fn continues(&self, solution: &Solution, reach: f64) -> bool {
        let matrix = self.system(&solution.state).matrix;
        let n = solution.state.len();
        let square = Matrix::from_fn(n, n, |i, j| (0..n).map(|k| matrix[(k, i)] * matrix[(k, j)]).sum());
        let free = clearance_roots::eigenvector(&square, 0.0);
        [reach, -reach].iter().any(|step| {
            let state = solution.state.iter().zip(&free).map(|(x, d)| x + step * d).collect();
            self.settle(state, true).is_some_and(|moved| {
                let way = |k: usize| (moved.points[k] - solution.points[k]).length();
                let far = way(0).max(way(1));
                far > 0.1 * reach && far < 10.0 * reach
            })
        })
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A Levenberg–Marquardt step with the damping |F|, under which convergence to a curve of solutions stays fast; never so
/// small that rounding moves the state along the curve.
fn damped(matrix: &Matrix, values: &[f64], size: f64) -> Vec<f64> {
    let n = values.len();
    let damping = size.max(CRITICAL_SINGULAR_REL);
    let stacked = Matrix::from_fn(2 * n, n, |i, j| match i.checked_sub(n) {
        None => matrix[(i, j)],
        Some(k) if k == j => damping,
        Some(_) => 0.0,
    });
    let mut right = values.to_vec();
    right.resize(2 * n, 0.0);
    stacked.least_squares(&right)
}
