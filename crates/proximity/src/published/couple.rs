//! Two features in motion: the projection errors Ψ of 001 (1)–(4), their derivatives M by the parameters and b by time.
//!
//! Source: 001 (5)–(11), 004 (2)–(5).
//! Differs: Ψ is the gradient of F = ½|f − h|², so the two entries of B carry the opposite sign of 001's and M is the
//! symmetric matrix ∇²F; M as printed is diag(1, 1, −1, −1)·∇²F, which is neither symmetric nor ever positive definite.
//! b has the velocity of the material point of B; the printed b has its rotation alone, and is
//! [`Velocity::RotationAlone`].
//! Ends because: nothing is repeated.
//! Cost: two evaluations of surfaces with their second derivatives.
//! Not promised: anything at a pole, where a tangent vanishes and M is singular.

use super::small;
use super::{Carrier, CarrierJet};
use clearance_geometry::{DVec3, Pose};

/// Two features; the parameters are those of A, then those of B.
#[derive(Clone, Debug)]
pub struct Couple {
    /// The feature of A.
    pub a: Carrier,
    /// The feature of B.
    pub b: Carrier,
}

/// Where B is in the frame of A, and how it moves there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Where.
    pub pose_ab: Pose,
    /// Velocity of the point of B that is at the origin of A; lengths per second.
    pub velocity: DVec3,
    /// Angular velocity; radians per second.
    pub angular: DVec3,
}

impl Moment {
    /// B at rest.
    pub const fn resting(pose_ab: Pose) -> Self {
        Self { pose_ab, velocity: DVec3::ZERO, angular: DVec3::ZERO }
    }

    /// A point that moves without turning.
    pub const fn moving(pose_ab: Pose, velocity: DVec3) -> Self {
        Self { pose_ab, velocity, angular: DVec3::ZERO }
    }

    /// The velocity of the point of B that is at `point` now.
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular.cross(point)
    }
}

/// Which part of the motion the feedforward knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Velocity {
    /// All of it.
    #[default]
    Full,
    /// The rotation alone, as 000 and 001 print it: with a translation the prediction is wrong.
    RotationAlone,
    /// None: the feedback has to make up for the motion.
    Ignored,
}

/// Up to four numbers: the parameters of A, then of B.
pub type Four = [f64; 4];

/// A couple at some parameters.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Number of parameters of A and of B.
    pub dimensions: [usize; 2],
    /// Both points, in the frame of A.
    pub points: [DVec3; 2],
    /// ΔR: from the point of B to the point of A.
    pub difference: DVec3,
    /// The tangents by each parameter; those of B with their own sign.
    pub tangents: [DVec3; 4],
    /// Ψ: the gradient of half the squared distance.
    pub errors: Four,
    /// M: its second derivatives.
    pub matrix: [Four; 4],
}

impl Couple {
    /// Number of parameters of both.
    pub const fn dimension(&self) -> usize {
        self.a.dimension() + self.b.dimension()
    }

    /// The carrier of a parameter, and its number there.
    pub(super) fn owner(&self, parameter: usize) -> (&Carrier, usize) {
        let of_a = self.a.dimension();
        if parameter < of_a { (&self.a, parameter) } else { (&self.b, parameter - of_a) }
    }

    /// Parameters of both from those of each.
    pub fn joined(&self, a: [f64; 2], b: [f64; 2]) -> Four {
        let mut all = [0.0; 4];
        let (of_a, of_b) = (self.a.dimension(), self.b.dimension());
        all[..of_a].copy_from_slice(&a[..of_a]);
        all[of_a..of_a + of_b].copy_from_slice(&b[..of_b]);
        all
    }

    /// Parameters of A and of B.
    pub fn parted(&self, all: &Four) -> [[f64; 2]; 2] {
        let (of_a, of_b) = (self.a.dimension(), self.b.dimension());
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        a[..of_a].copy_from_slice(&all[..of_a]);
        b[..of_b].copy_from_slice(&all[of_a..of_a + of_b]);
        [a, b]
    }

    /// Everything at the given parameters.
    pub fn state(&self, at: &Four, pose_ab: &Pose) -> State {
        let [of_a, of_b] = self.parted(at);
        let dimensions = [self.a.dimension(), self.b.dimension()];
        let (f, h) = (self.a.jet(of_a), self.b.jet(of_b).moved(pose_ab));
        let difference = f.point - h.point;
        let mut tangents = [DVec3::ZERO; 4];
        // The derivatives of ΔR: of B they are minus its tangents.
        let mut slopes = [DVec3::ZERO; 4];
        for k in 0..dimensions[0] {
            (tangents[k], slopes[k]) = (f.first[k], f.first[k]);
        }
        for k in 0..dimensions[1] {
            (tangents[dimensions[0] + k], slopes[dimensions[0] + k]) = (h.first[k], -h.first[k]);
        }
        let mut matrix = [[0.0; 4]; 4];
        let count = dimensions[0] + dimensions[1];
        for i in 0..count {
            for j in 0..count {
                matrix[i][j] = slopes[i].dot(slopes[j]) + difference.dot(bend(&f, &h, dimensions[0], i, j));
            }
        }
        State {
            dimensions,
            points: [f.point, h.point],
            difference,
            tangents,
            errors: slopes.map(|slope| difference.dot(slope)),
            matrix,
        }
    }
}

/// The second derivative of ΔR by two parameters.
fn bend(f: &CarrierJet, h: &CarrierJet, of_a: usize, i: usize, j: usize) -> DVec3 {
    if i < of_a && j < of_a {
        f.second[i + j]
    } else if i >= of_a && j >= of_a {
        -h.second[i + j - 2 * of_a]
    } else {
        DVec3::ZERO
    }
}

impl State {
    /// Number of parameters.
    pub const fn count(&self) -> usize {
        self.dimensions[0] + self.dimensions[1]
    }

    /// The distance between the two points.
    pub fn distance(&self) -> f64 {
        self.difference.length()
    }

    /// b: how fast Ψ changes by the motion of B alone.
    pub fn drift(&self, moment: &Moment, velocity: Velocity) -> Four {
        let of_b = match velocity {
            Velocity::Full => moment.at(self.points[1]),
            Velocity::RotationAlone => moment.angular.cross(self.points[1]),
            Velocity::Ignored => return [0.0; 4],
        };
        let mut drift = [0.0; 4];
        for (k, (slot, tangent)) in drift.iter_mut().zip(self.tangents).take(self.count()).enumerate() {
            *slot = if k < self.dimensions[0] {
                -of_b.dot(tangent)
            } else {
                // ΔR changes by −v, the tangent of B turns with B.
                of_b.dot(tangent) - self.difference.dot(moment.angular.cross(tangent))
            };
        }
        drift
    }

    /// Ψ over the lengths of the difference and of the tangents: cosines, as the figures of 000 and 001 show them.
    pub fn normalized_errors(&self) -> Four {
        let length = self.distance();
        let mut cosines = [0.0; 4];
        for ((slot, error), tangent) in
            cosines.iter_mut().zip(self.errors).zip(self.tangents).take(self.count())
        {
            let scale = length * tangent.length();
            *slot = if scale > 0.0 { error / scale } else { 0.0 };
        }
        cosines
    }

    /// The largest of the normalised errors of the parameters that `free` names.
    pub fn largest_error(&self, free: [bool; 4]) -> f64 {
        let cosines = self.normalized_errors();
        (0..self.count()).filter(|&k| free[k]).map(|k| cosines[k].abs()).fold(0.0, f64::max)
    }

    /// M⁻¹ times a vector, over the parameters that `free` names; the others stay. `None` where M is singular there.
    pub fn solved(&self, right: &Four, free: [bool; 4]) -> Option<Four> {
        small::solve(&self.matrix, right, free, self.count())
    }

    /// Whether M is positive definite over the parameters that `free` names.
    pub fn is_convex(&self, free: [bool; 4]) -> bool {
        small::is_positive(&self.matrix, free, self.count())
    }

    /// The blocks of M that belong to A and to B alone are positive definite: conditions (4) and (5) of 004, which are
    /// necessary for a minimum but not sufficient.
    pub fn is_convex_each(&self) -> bool {
        let of_a = std::array::from_fn(|k| k < self.dimensions[0]);
        let of_b = std::array::from_fn(|k| k >= self.dimensions[0]);
        self.is_convex(of_a) && self.is_convex(of_b)
    }

    /// The first fundamental forms of both features: blocks of A and of B.
    pub fn metric(&self) -> [Four; 4] {
        let (of_a, count) = (self.dimensions[0], self.count());
        let entry = |i: usize, j: usize| {
            let both = i < count && j < count && (i < of_a) == (j < of_a);
            if both { self.tangents[i].dot(self.tangents[j]) } else { 0.0 }
        };
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }
}
