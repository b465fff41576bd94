//! The nearest points of two features, followed from frame to frame.
//!
//! Source: 001's feedforward, 004's Newton step on the closest points, 000's saturation: parameters stop at the ends of
//! their box and leave them when the slope asks for it (an active set).
//! Differs: the feedforward is a whole Newton step for the new pose, and costs no evaluation: the jets of the last frame,
//! each in the frame of its body, are turned instead. So relative translation counts (which 000 and 001 leave out). A
//! feature that has changed its shape is evaluated where the last point was, so that the velocity of the shape counts too. Where
//! the Hessian is not positive definite a share of the Gauss–Newton metric is added (Levenberg–Marquardt); a point that
//! is critical and no minimum is left along a direction of negative curvature of the full reduced Hessian.
//! Ends because: accepted steps lower the distance, or the slope where rounding hides the distance; steps are counted.
//! Cost: one evaluation of each feature per step but the last, which is short enough for the derivatives at hand; one or two
//! evaluations at smooth motion.
//! Not promised: the least of several minima; the front sees to that.

use crate::convex::solve::solve_definite;
use crate::global::descend::{Bounds, Cholesky, Parameters, Value, newton_step};
use crate::tolerance::{LEVENBERG_REL, RIGHT_ANGLE_RAD, TAYLOR_STEP_REL};
use clearance_geometry::pieces::Piece;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3, Pose};

/// Newton steps.
const STEPS: u32 = 24;

/// Halvings of a step.
const HALVINGS: u32 = 12;

/// Ways down from a saddle, as shares of the box.
const WAYS_DOWN: [f64; 6] = [0.25, -0.25, 1.0 / 32.0, -1.0 / 32.0, 1.0 / 256.0, -1.0 / 256.0];

/// A pair of points on two pieces with the jets there, each in the frame of its own body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// The pieces, by their place in each tree.
    pub(super) pieces: [u32; 2],
    /// Parameters of the pieces: u, v of A, then u, v of B.
    pub(super) at: Parameters,
    jets: [SurfaceJet; 2],
}

impl Foot {
    pub(super) fn new(shapes: [&Piece; 2], pieces: [u32; 2], at: Parameters) -> Self {
        let local = [DVec2::new(at[0], at[1]), DVec2::new(at[2], at[3])];
        Self { pieces, at, jets: [shapes[0].jet(local[0]), shapes[1].jet(local[1])] }
    }

    /// Takes up the same places on features whose shape has changed, where it has. The step that follows is the feedforward
    /// of that change, as it is of the motion: whole and finite.
    pub(super) fn reshape(&mut self, shapes: [&Piece; 2], changed: [bool; 2]) {
        for i in 0..2 {
            if changed[i] {
                self.jets[i] = shapes[i].jet(self.local(i));
            }
        }
    }

    /// Goes to other places of the same features.
    #[inline]
    fn go(&mut self, shapes: [&Piece; 2], at: Parameters) {
        self.at = at;
        self.jets[0] = shapes[0].jet(DVec2::new(at[0], at[1]));
        self.jets[1] = shapes[1].jet(DVec2::new(at[2], at[3]));
    }

    /// Half the squared distance with its derivatives, for B at a pose. What needs one body only is done in its frame.
    #[inline]
    pub(super) fn value(&self, pose: &Pose) -> Value {
        let [f, g] = &self.jets;
        let there = pose.apply(g.point);
        let apart = there - f.point;
        let (seen, u, v) = (pose.rotate_inverse(apart), pose.rotate(g.u), pose.rotate(g.v));
        let metric = [f.u.length_squared(), f.v.length_squared(), g.u.length_squared(), g.v.length_squared()];
        let hessian = [
            [metric[0] - apart.dot(f.uu), f.u.dot(f.v) - apart.dot(f.uv), -f.u.dot(u), -f.u.dot(v)],
            [0.0, metric[1] - apart.dot(f.vv), -f.v.dot(u), -f.v.dot(v)],
            [0.0, 0.0, metric[2] + seen.dot(g.uu), g.u.dot(g.v) + seen.dot(g.uv)],
            [0.0, 0.0, 0.0, metric[3] + seen.dot(g.vv)],
        ];
        Value {
            at: self.at,
            points: [f.point, there],
            half_square: 0.5 * apart.length_squared(),
            gradient: [-f.u.dot(apart), -f.v.dot(apart), g.u.dot(seen), g.v.dot(seen)],
            hessian,
            metric,
        }
    }

    /// Both points, each in the frame of its own body.
    pub(super) fn points(&self) -> [DVec3; 2] {
        [self.jets[0].point, self.jets[1].point]
    }

    /// The greatest curvature of one feature toward a unit normal out of its body, in its own frame: negative where it bends
    /// away in all directions, minus infinity where it cannot move at all.
    pub(super) fn bulge(&self, side: usize, normal: DVec3) -> f64 {
        let jet = &self.jets[side];
        let [uu, uv, vv] = [jet.uu, jet.uv, jet.vv].map(|d| d.dot(normal));
        let (e, f, g) = (jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared());
        // At the pole of a patch one parameter goes nowhere.
        let least = RIGHT_ANGLE_RAD * RIGHT_ANGLE_RAD * e.max(g);
        let moves = |x: f64, square: f64| x > 0.0 && x < 1.0 && square > least;
        match (moves(self.at[2 * side], e), moves(self.at[2 * side + 1], g)) {
            (false, false) => f64::NEG_INFINITY,
            (true, false) => uu / e,
            (false, true) => vv / g,
            (true, true) => {
                // The greater root of det(second − λ first) = 0.
                let area = e * g - f * f;
                let half = 0.5 * (uu * g - 2.0 * uv * f + vv * e) / area;
                half + (half * half - (uu * vv - uv * uv) / area).max(0.0).sqrt()
            }
        }
    }

    /// The derivatives of one feature, in the frame of its body.
    pub(super) const fn jet(&self, side: usize) -> &SurfaceJet {
        &self.jets[side]
    }

    /// Whether both features bend away from the plane across the points: where one does not, no plane keeps them apart.
    pub(super) fn is_crest(&self, pose: &Pose, normal: DVec3, distance: f64) -> bool {
        let seen = [normal, -pose.rotate_inverse(normal)];
        // Flat within rounding counts as bending away.
        (0..2).all(|side| self.bulge(side, seen[side]) <= RIGHT_ANGLE_RAD / distance)
    }

    /// Parameters of the piece of one body.
    pub(super) fn local(&self, side: usize) -> DVec2 {
        DVec2::new(self.at[2 * side], self.at[2 * side + 1])
    }
}

/// Follows a pair of points to the nearest ones within `bounds`, in place, with the `value` there; counts steps in `work`.
pub(super) fn follow(
    shapes: [&Piece; 2],
    pose: &Pose,
    here: &mut Foot,
    bounds: &Bounds,
    value: &mut Value,
    work: &mut u32,
) {
    let clamped = bounds.clamped(here.at);
    if clamped != here.at {
        *here = Foot::new(shapes, here.pieces, clamped);
    }
    *value = here.value(pose);
    for _ in 0..STEPS {
        let free = bounds.free(value);
        let went = if is_critical(value, free) {
            down_from_saddle(shapes, pose, here, value, free, bounds)
        } else {
            let step = definite_step(value, free);
            if step.is_some_and(|step| last_step(pose, here, value, free, bounds, step)) {
                break;
            }
            let step = step.or_else(|| newton_step(value, free));
            step.is_some_and(|step| stepped(shapes, pose, here, value, free, bounds, step))
        };
        if !went {
            break;
        }
        *work += 1;
    }
}

/// As [`follow`], with a value of its own.
pub(super) fn followed(
    shapes: [&Piece; 2],
    pose: &Pose,
    here: &mut Foot,
    bounds: &Bounds,
    work: &mut u32,
) -> Value {
    let mut value = Value::default();
    follow(shapes, pose, here, bounds, &mut value, work);
    value
}

/// The Newton step where the Hessian by free parameters is positive definite.
fn definite_step(value: &Value, free: [bool; 4]) -> Option<Parameters> {
    let mut step = [0, 1, 2, 3].map(|i| if free[i] { -value.gradient[i] } else { 0.0 });
    solve_definite(&reduced(value, free), &mut step).map(|()| step)
}

/// Takes a Newton step so short that the derivatives here tell what is there as well as an evaluation would; not one that is
/// longer, meets an end of the box, or does not lead to a minimum. Whether it did.
#[inline]
fn last_step(
    pose: &Pose,
    here: &mut Foot,
    value: &mut Value,
    free: [bool; 4],
    bounds: &Bounds,
    step: Parameters,
) -> bool {
    let at = [0, 1, 2, 3].map(|i| here.at[i] + step[i]);
    // Written so that NaN takes the other way.
    let is_short = step.iter().all(|x| x.abs() <= TAYLOR_STEP_REL);
    if !is_short || bounds.clamped(at) != at {
        return false;
    }
    let ([point_a, u_a, v_a], [point_b, u_b, v_b]) =
        (ahead(&here.jets[0], step[0], step[1]), ahead(&here.jets[1], step[2], step[3]));
    let points = [point_a, pose.apply(point_b)];
    let apart = points[1] - points[0];
    let seen = pose.rotate_inverse(apart);
    let gradient = [-u_a.dot(apart), -v_a.dot(apart), u_b.dot(seen), v_b.dot(seen)];
    let half_square = 0.5 * apart.length_squared();
    let is_nearer = half_square <= value.half_square * (1.0 + 4.0 * f64::EPSILON);
    // A parameter that was held at an end stays there.
    let takes = is_nearer && (0..4).all(|i| free[i] || !bounds.is_free(i, at[i], gradient[i]));
    if takes {
        here.at = at;
        for (jet, [point, u, v]) in here.jets.iter_mut().zip([[point_a, u_a, v_a], [point_b, u_b, v_b]]) {
            (jet.point, jet.u, jet.v) = (point, u, v);
        }
        // Nobody asks for the second derivatives after the last step; they stay those of where it began.
        (value.at, value.points, value.half_square, value.gradient) = (at, points, half_square, gradient);
    }
    takes
}

/// The point and the first derivatives of a jet a little farther, by its own second ones.
#[inline]
fn ahead(jet: &SurfaceJet, u: f64, v: f64) -> [DVec3; 3] {
    let (along_u, along_v) = (jet.uu * u + jet.uv * v, jet.uv * u + jet.vv * v);
    [jet.point + (jet.u + 0.5 * along_u) * u + (jet.v + 0.5 * along_v) * v, jet.u + along_u, jet.v + along_v]
}

/// The lower half of the Hessian by free parameters, and of the unit matrix by the others.
fn reduced(value: &Value, free: [bool; 4]) -> [[f64; 4]; 4] {
    let h = &value.hessian;
    if free == [true; 4] {
        return [
            [h[0][0], 0.0, 0.0, 0.0],
            [h[0][1], h[1][1], 0.0, 0.0],
            [h[0][2], h[1][2], h[2][2], 0.0],
            [h[0][3], h[1][3], h[2][3], h[3][3]],
        ];
    }
    let mut matrix = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..=i {
            matrix[i][j] = if free[i] && free[j] { h[j][i] } else { f64::from(u8::from(i == j)) };
        }
    }
    matrix
}

/// Takes one step, halved until it helps; whether any did.
#[inline]
fn stepped(
    shapes: [&Piece; 2],
    pose: &Pose,
    here: &mut Foot,
    value: &mut Value,
    free: [bool; 4],
    bounds: &Bounds,
    step: Parameters,
) -> bool {
    let mut share = 1.0;
    let (before, half_square, steepness) = (here.at, value.half_square, slope(value, free));
    for _ in 0..HALVINGS {
        let at = bounds.clamped([0, 1, 2, 3].map(|i| before[i] + share * step[i]));
        if at == before {
            break;
        }
        // In place: the first step is taken as a rule, and copies would be seen in what a frame takes.
        here.go(shapes, at);
        *value = here.value(pose);
        let as_near = value.half_square <= half_square * (1.0 + 4.0 * f64::EPSILON);
        if value.half_square < half_square * (1.0 - 4.0 * f64::EPSILON)
            || as_near && slope(value, bounds.free(value)) < 0.5 * steepness
        {
            return true;
        }
        share *= 0.5;
    }
    if here.at != before {
        here.go(shapes, before);
        *value = here.value(pose);
    }
    false
}

/// Whether no free parameter has a slope left; see [`slope`], whose roots and quotients it does without.
#[inline]
fn is_critical(value: &Value, free: [bool; 4]) -> bool {
    let square = RIGHT_ANGLE_RAD * RIGHT_ANGLE_RAD * 2.0 * value.half_square;
    let bounds = value.metric.map(|metric| square * metric);
    // Squares of what is far smaller leave the range of numbers.
    if !bounds.iter().all(|bound| *bound > f64::MIN_POSITIVE / f64::EPSILON) {
        return slope(value, free) <= RIGHT_ANGLE_RAD * (2.0 * value.half_square).sqrt();
    }
    (0..4).all(|i| !free[i] || value.gradient[i] * value.gradient[i] <= bounds[i])
}

/// The slope of the distance in space along free parameters, times the distance.
fn slope(value: &Value, free: [bool; 4]) -> f64 {
    let along = |i: usize| value.gradient[i].abs() / value.metric[i].sqrt().max(f64::MIN_POSITIVE);
    (0..4).filter(|&i| free[i]).map(along).fold(0.0, f64::max)
}

/// Goes to a nearer pair of points along a direction in which the distance bends down; whether there is one.
fn down_from_saddle(
    shapes: [&Piece; 2],
    pose: &Pose,
    here: &mut Foot,
    value: &mut Value,
    free: [bool; 4],
    bounds: &Bounds,
) -> bool {
    let Some(down) = falling(value, free) else { return false };
    let longest = (0..4).map(|i| down[i].abs() / (bounds.high[i] - bounds.low[i]).max(f64::MIN_POSITIVE));
    let longest = longest.filter(|share| share.is_finite()).fold(0.0, f64::max);
    WAYS_DOWN.into_iter().any(|share| {
        let at = bounds.clamped([0, 1, 2, 3].map(|i| here.at[i] + share / longest * down[i]));
        let foot = Foot::new(shapes, here.pieces, at);
        let there = foot.value(pose);
        let nearer = there.half_square < value.half_square * (1.0 - 4.0 * f64::EPSILON);
        if nearer {
            (*here, *value) = (foot, there);
        }
        nearer
    })
}

/// A direction of clearly negative curvature among free parameters; `None` where the reduced Hessian has none.
fn falling(value: &Value, free: [bool; 4]) -> Option<Parameters> {
    if solve_definite(&reduced(value, free), &mut [0.0; 4]).is_some() {
        return None;
    }
    let mut index = [0; 4];
    let mut count = 0;
    for (i, _) in free.iter().enumerate().filter(|(_, free)| **free) {
        index[count] = i;
        count += 1;
    }
    let entry = |i: usize, j: usize| value.hessian[i.min(j)][i.max(j)];
    for k in 0..count {
        // The leading block before k is positive definite; the pivot of k decides.
        let mut block = [[0.0; 4]; 4];
        for (i, row) in block.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = if i < k && j < k { entry(index[i], index[j]) } else { f64::from(u8::from(i == j)) };
            }
        }
        let factor = Cholesky::new(&block, LEVENBERG_REL)?;
        let column = [0, 1, 2, 3].map(|i| if i < k { -entry(index[i], index[k]) } else { 0.0 });
        let rest = factor.solve(column);
        let diagonal = entry(index[k], index[k]);
        let pivot = diagonal + (0..k).map(|i| entry(index[i], index[k]) * rest[i]).sum::<f64>();
        if pivot < -RIGHT_ANGLE_RAD * value.metric[index[k]] {
            let mut down = [0.0; 4];
            for i in 0..k {
                down[index[i]] = rest[i];
            }
            down[index[k]] = 1.0;
            return Some(down);
        }
    }
    None
}
