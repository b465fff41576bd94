//! What the plane and the solid case share on the way from a basis to the answer.
//!
//! Source: 002, section 2.3: the value of an event is t = n·d / (n·q₁ − n·q₂), with n its normal and qᵢ a
//! point of its feature of body i counted from the centre; with B kept at its size, n·(d + q₂) / n·q₁.
//! Differs: DIFFERS from the solution of the basis as a linear system: taken with support points, the
//! value is a lower bound whatever the rounding of the basis.
//! Ends because: there is no loop.
//! Cost: two face walks for the upper bound.
//! Not promised: bounds against rounding of the sums themselves; they are in plain arithmetic.

use super::active_set::{Outcome, Pair, PlaneId, Sided};
use super::answer::Smoothness;
use super::space::Vector;
use crate::Ended;
use crate::tolerance;
use clearance_geometry::Feature;

/// The touch of the grown bodies, counted from A's centre in A's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch<V> {
    pub(super) normal: V,
    /// The gradient's scale: the ratio changes by `per_length` × (motion of B along the normal).
    pub(super) per_length: f64,
    pub(super) t: f64,
    pub(super) rho: f64,
    pub(super) x: V,
    pub(super) features: [Feature; 2],
    pub(super) smoothness: Smoothness,
    pub(super) vertices: [u32; 2],
    pub(super) upper: f64,
    /// Rounding of the bounds.
    rounding: f64,
    /// Size of the numbers at hand; a length.
    size: f64,
}

impl<V> Touch<V> {
    /// Whether the bounds meet within rounding.
    pub(super) fn is_converged(&self) -> bool {
        // Written so that NaN has not converged.
        self.upper - self.t <= tolerance::GAP_REL * self.t.abs() + self.rounding
    }

    /// Whether the bounds meet so well that no other way could do better.
    pub(super) fn is_tight(&self) -> bool {
        self.upper - self.t <= tolerance::RATIO_TIGHT_REL * self.rounding
    }

    /// Whether the bounds are closer; any are closer than ones that are not numbers.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        let other_is_as_good = other.upper - other.t <= self.upper - self.t;
        !other_is_as_good
    }

    pub(super) fn ended(&self) -> Ended {
        if self.is_converged() { Ended::Converged } else { Ended::Stalled { residual: self.upper - self.t } }
    }

    /// ρ where it is defined.
    pub(super) fn finite_rho(&self) -> Option<f64> {
        (self.t > 0.0 && self.rho.is_finite()).then_some(self.rho)
    }

    /// Lengths below this are ties.
    pub(super) fn slack(&self) -> f64 {
        tolerance::RATIO_TIE_REL * self.size
    }
}

impl<V: Vector> Outcome<V> {
    /// The planes of one body that carry weight: how many, and the first two.
    pub(super) fn carriers(&self, of_b: bool) -> (usize, [Option<PlaneId>; 2]) {
        let heaviest = self.weights.iter().fold(0.0_f64, |most, weight| most.max(*weight));
        let mut two = [None; 2];
        let mut count = 0;
        for i in 0..V::PLANES {
            let carries = self.weights[i] > tolerance::RATIO_TIE_REL * heaviest;
            if carries && self.basis[i].of_b == of_b {
                if let Some(slot) = two.get_mut(count) {
                    *slot = Some(self.basis[i]);
                }
                count += 1;
            }
        }
        (count, two)
    }
}

impl<V: Vector, A: Sided<Vector = V>, B: Sided<Vector = V>> Pair<A, B> {
    /// The direction in which the planes of A push: the one that carries alone, else the weighted sum.
    pub(super) fn pull(&self, outcome: &Outcome<V>) -> V {
        match (outcome.carriers(false), outcome.carriers(true)) {
            ((1, [Some(plane), _]), _) => self.row(plane).normal,
            (_, (1, [Some(plane), _])) => -self.row(plane).normal,
            _ => {
                let of_a = (0..V::PLANES).filter(|&i| !outcome.basis[i].of_b);
                let sum =
                    of_a.fold(V::ZERO, |sum, i| sum + self.row(outcome.basis[i]).normal * outcome.weights[i]);
                let sum = if sum.length() > 0.0 { sum } else { self.between };
                sum * sum.length().recip()
            }
        }
    }

    /// By how much B is scaled.
    pub(super) fn b_scale(&self, t: f64) -> f64 {
        if self.both_grow { t } else { 1.0 }
    }

    /// The touch with this normal at these support points; place and bounds are left open.
    pub(super) fn open_touch(
        &self,
        normal: V,
        vertices: [u32; 2],
        points: [V; 2],
        features: [Feature; 2],
    ) -> Touch<V> {
        let [radius_a, radius_b] = [self.a.radii()[1], self.b.radii()[1]];
        let d = self.between;
        let (reach, way) = if self.both_grow {
            (normal.dot(points[0] - points[1]), normal.dot(d))
        } else {
            (normal.dot(points[0]), normal.dot(d + points[1]))
        };
        let t = way / reach;
        Touch {
            normal,
            per_length: reach.recip(),
            t,
            rho: normal.dot(d + points[1] - points[0]) / way,
            x: V::ZERO,
            features,
            smoothness: Smoothness::Differentiable,
            vertices,
            upper: f64::NAN,
            rounding: 0.0,
            size: d.length() + radius_a * t + radius_b * self.b_scale(t),
        }
    }

    /// The upper bound that x stands for, with its rounding.
    pub(super) fn bound_above(&self, touch: &mut Touch<V>, pierced: [u32; 2]) {
        let from_b = touch.x - self.between;
        let (normal, reach) = self.b.plane(self.b.pierced(pierced[1], from_b));
        let (other, thin) = if self.both_grow {
            (normal.dot(from_b) / reach, reach)
        } else {
            (touch.t + (normal.dot(from_b) - reach).max(0.0) * touch.per_length, f64::INFINITY)
        };
        self.bound_above_by_a(touch, pierced[0], other, thin);
    }

    /// The upper bound from A and one found elsewhere; `thin` is the other growing body's reach.
    pub(super) fn bound_above_by_a(&self, touch: &mut Touch<V>, pierced: u32, other: f64, thin: f64) {
        let (normal, reach) = self.a.plane(self.a.pierced(pierced, touch.x));
        let grown = normal.dot(touch.x) / reach;
        touch.upper = if grown.is_nan() || other.is_nan() { f64::NAN } else { grown.max(other).max(touch.t) };
        let rounding = tolerance::RATIO_ROUNDING_REL * (touch.size + touch.x.length());
        touch.rounding = rounding / reach.min(thin);
    }
}
