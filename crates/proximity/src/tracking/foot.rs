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

    /// Half the squared distance with its derivatives, for B at a pose.
    #[inline]
    pub(super) fn value(&self, pose: &Pose) -> Value {
        Value::of_jets(&self.jets[0], &self.jets[1].moved(pose), self.at)
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

/// Follows a pair of points to the nearest ones within `bounds`, in place; counts steps in `work`.
pub(super) fn follow(
    shapes: [&Piece; 2],
    pose: &Pose,
    here: &mut Foot,
    bounds: &Bounds,
    work: &mut u32,
) -> Value {
    let clamped = bounds.clamped(here.at);
    if clamped != here.at {
        *here = Foot::new(shapes, here.pieces, clamped);
    }
    let mut value = here.value(pose);
    for _ in 0..STEPS {
        let free = bounds.free(&value);
        let critical = slope(&value, free) <= RIGHT_ANGLE_RAD * (2.0 * value.half_square).sqrt();
        let went = if critical {
            down_from_saddle(shapes, pose, here, &mut value, free, bounds)
        } else {
            let step = definite_step(&value, free);
            if step.is_some_and(|step| last_step(pose, here, &mut value, free, bounds, step)) {
                break;
            }
            let step = step.or_else(|| newton_step(&value, free));
            step.is_some_and(|step| stepped(shapes, pose, here, &mut value, free, bounds, step))
        };
        if !went {
            break;
        }
        *work += 1;
    }
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
    let jets = [ahead(&here.jets[0], step[0], step[1]), ahead(&here.jets[1], step[2], step[3])];
    let points = [jets[0].point, pose.apply(jets[1].point)];
    let apart = points[1] - points[0];
    let seen = pose.rotate_inverse(apart);
    let gradient = [-jets[0].u.dot(apart), -jets[0].v.dot(apart), jets[1].u.dot(seen), jets[1].v.dot(seen)];
    // Nobody asks for the second derivatives after the last step; they stay those of where it began.
    let there = Value { at, points, half_square: 0.5 * apart.length_squared(), gradient, ..*value };
    let is_nearer = there.half_square <= value.half_square * (1.0 + 4.0 * f64::EPSILON);
    let freed = bounds.free(&there);
    let takes = is_nearer && (0..4).all(|i| free[i] == freed[i] || free[i]);
    if takes {
        (here.at, here.jets, *value) = (at, jets, there);
    }
    takes
}

/// A jet a little farther, by its own second derivatives.
fn ahead(jet: &SurfaceJet, u: f64, v: f64) -> SurfaceJet {
    let (along_u, along_v) = (jet.uu * u + jet.uv * v, jet.uv * u + jet.vv * v);
    SurfaceJet {
        point: jet.point + (jet.u + 0.5 * along_u) * u + (jet.v + 0.5 * along_v) * v,
        u: jet.u + along_u,
        v: jet.v + along_v,
        ..*jet
    }
}

/// The lower half of the Hessian by free parameters, and of the unit matrix by the others.
fn reduced(value: &Value, free: [bool; 4]) -> [[f64; 4]; 4] {
    let mut matrix = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..=i {
            matrix[i][j] = if free[i] && free[j] { value.hessian[j][i] } else { f64::from(u8::from(i == j)) };
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
    for _ in 0..HALVINGS {
        let at = bounds.clamped([0, 1, 2, 3].map(|i| here.at[i] + share * step[i]));
        if at == here.at {
            return false;
        }
        let foot = Foot::new(shapes, here.pieces, at);
        let there = foot.value(pose);
        let as_near = there.half_square <= value.half_square * (1.0 + 4.0 * f64::EPSILON);
        if there.half_square < value.half_square * (1.0 - 4.0 * f64::EPSILON)
            || as_near && slope(&there, bounds.free(&there)) < 0.5 * slope(value, free)
        {
            (*here, *value) = (foot, there);
            return true;
        }
        share *= 0.5;
    }
    false
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
