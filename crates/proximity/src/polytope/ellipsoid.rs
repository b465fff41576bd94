//! A first direction between two bodies, from the ellipsoids that they resemble.
//!
//! Source: own. Newton's method on the separation of two ellipsoids along a direction d,
//! s(d) = c·d − √(d·Md) − √(d·Nd), which is concave and largest where the nearest points lie.
//! Differs: starts from (M + N)⁻¹c, the direction that best tells two clouds of points apart.
//! Ends because: rounds are counted.
//! Cost: about 250 operations a round.
//! Not promised: anything; the search that follows starts from any direction.

use clearance_geometry::{DMat3, DVec3, Polytope, Pose};

/// Three directions from A to B about the one along which the ellipsoids are farthest apart.
pub(crate) struct Guess {
    /// That one, unit.
    pub(crate) middle: DVec3,
    /// Half as far from the middle as one vertex is from the next.
    pub(crate) around: [DVec3; 3],
}

/// A direction from A to B, of any length.
pub(crate) fn direction(a: &Polytope, b: &Polytope, pose: &Pose) -> DVec3 {
    if a.is_oblong() || b.is_oblong() { Models::new(a, b, pose).direction() } else { between(a, b, pose) }
}

/// The directions about that one.
pub(crate) fn guess(a: &Polytope, b: &Polytope, pose: &Pose) -> Guess {
    if !(a.is_oblong() || b.is_oblong()) {
        return around_balls(a, b, pose);
    }
    let models = Models::new(a, b, pose);
    let direction = models.direction();
    models.around(direction / direction.length())
}

/// From the centre of A to that of B; any direction where they are the same.
fn between(a: &Polytope, b: &Polytope, pose: &Pose) -> DVec3 {
    let between = pose.apply(b.center()) - a.center();
    if between == DVec3::ZERO { DVec3::X } else { between }
}

/// As for ellipsoids, where all axes are equal.
fn around_balls(a: &Polytope, b: &Polytope, pose: &Pose) -> Guess {
    let between = between(a, b, pose);
    let unit = between / between.length();
    let (right, up) = unit.any_orthonormal_pair();
    let turn = AROUND * step_sq(a).min(step_sq(b)).sqrt();
    let (low, side) = (unit - right * (0.5 * turn), up * (HALF_ROOT_3 * turn));
    Guess { middle: unit, around: [unit + right * turn, low + side, low - side] }
}

/// How far the three directions are from the middle, as a share of the angle from one vertex to the next; a tuning
/// constant.
const AROUND: f64 = 0.5;

/// Height of a triangle over half of its side.
const HALF_ROOT_3: f64 = 0.5 * 1.732_050_807_568_877_2;

/// The squared angle from one vertex to the next on a ball with as many vertices.
fn step_sq(body: &Polytope) -> f64 {
    4.0 * std::f64::consts::PI / body.vertex_count() as f64
}

struct Models {
    /// From the centre of A to that of B.
    between: DVec3,
    spreads: [DMat3; 2],
    /// Angles between neighbouring vertices, squared, as on a ball.
    steps_sq: [f64; 2],
}

impl Models {
    fn new(a: &Polytope, b: &Polytope, pose: &Pose) -> Self {
        let turn = pose.rotation();
        Self {
            between: between(a, b, pose),
            spreads: [*a.spread(), turn * *b.spread() * turn.transpose()],
            steps_sq: [step_sq(a), step_sq(b)],
        }
    }

    fn direction(&self) -> DVec3 {
        let mut best = solve(&(self.spreads[0] + self.spreads[1]), self.between);
        if !(best.length_squared() > 0.0 && best.is_finite()) {
            return self.between;
        }
        for _ in 0..ROUNDS {
            match improved(&self.spreads, self.between, best) {
                Some(next) => best = next,
                None => break,
            }
        }
        best
    }

    fn around(&self, unit: DVec3) -> Guess {
        let (right, up) = unit.any_orthonormal_pair();
        let mut bend = [0.0; 3];
        let mut heights_sq = [0.0; 2];
        for (spread, height_sq) in self.spreads.iter().zip(&mut heights_sq) {
            let far = *spread * unit;
            *height_sq = far.dot(unit);
            let inverse = height_sq.sqrt().recip();
            let (x, y) = (far.dot(right) * inverse, far.dot(up) * inverse);
            let (along, across) = (*spread * right, *spread * up);
            bend[0] += (right.dot(along) - x * x) * inverse;
            bend[1] += (right.dot(across) - x * y) * inverse;
            bend[2] += (up.dot(across) - y * y) * inverse;
        }
        // The eigenvectors of the bend across the direction.
        let half = 0.5 * (bend[0] - bend[2]);
        let radius = (half * half + bend[1] * bend[1]).sqrt();
        let axis = if half >= 0.0 { (half + radius, bend[1]) } else { (bend[1], radius - half) };
        let size = (axis.0 * axis.0 + axis.1 * axis.1).sqrt();
        let (x, y) = if size > 0.0 { (axis.0 / size, axis.1 / size) } else { (1.0, 0.0) };
        let [wide, narrow] = [right * x + up * y, up * x - right * y].map(|axis| {
            let turn_sq = |i: usize| self.steps_sq[i] * heights_sq[i] / axis.dot(self.spreads[i] * axis);
            axis * (AROUND * turn_sq(0).min(turn_sq(1)).sqrt())
        });
        let (low, side) = (unit - 0.5 * wide, HALF_ROOT_3 * narrow);
        Guess { middle: unit, around: [unit + wide, low + side, low - side] }
    }
}

fn bend(spread: &DMat3, far: DVec3, inverse: f64) -> DMat3 {
    let scaled = far * inverse;
    *spread * inverse - DMat3::from_cols(far * scaled.x, far * scaled.y, far * scaled.z)
}

/// Rounds of Newton's method, and the share of the separation's gradient along the sphere that is small enough
/// for a start; tuning constants.
const ROUNDS: u32 = 8;
const SMALL_SLOPE_SQ: f64 = 4e-4;

/// One step uphill on the separation along directions of unit length; `None` at the top or without a gain.
fn improved(spreads: &[DMat3; 2], between: DVec3, direction: DVec3) -> Option<DVec3> {
    let unit = direction / direction.length();
    let reach = spreads.map(|spread| {
        let far = spread * unit;
        let height = unit.dot(far).sqrt();
        (far / height, height.recip())
    });
    let across = between - reach[0].0 - reach[1].0;
    let apart = across.dot(unit);
    let slope = across - unit * apart;
    if !(slope.length_squared() > SMALL_SLOPE_SQ * across.length_squared()) {
        return None;
    }
    // Along the unit sphere the separation itself adds to the curvature; overlapping models keep some.
    let least = LEAST_GAP_REL * (reach[0].1.recip() + reach[1].1.recip());
    let bent = bend(&spreads[0], reach[0].0, reach[0].1) + bend(&spreads[1], reach[1].0, reach[1].1);
    let step = solve(&(bent + DMat3::from_diagonal(DVec3::splat(apart.max(least)))), slope);
    let next = unit + (step - unit * step.dot(unit));
    next.is_finite().then_some(next)
}

/// Dimensionless. The least gap between the models as a share of their reach, so that a step stays finite.
const LEAST_GAP_REL: f64 = 0.05;

/// `x` with `matrix·x` in the direction of `right` for a symmetric matrix; not finite or zero where that is singular.
fn solve(matrix: &DMat3, right: DVec3) -> DVec3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *matrix;
    let rows = [y.cross(z), z.cross(x), x.cross(y)];
    DVec3::new(rows[0].dot(right), rows[1].dot(right), rows[2].dot(right)) / x.dot(rows[0])
}
