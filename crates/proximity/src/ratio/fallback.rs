//! The linear program on all planes of both bodies: cold start of last resort, and the oracle.
//!
//! Source: 002, (2.12), solved as in [`super::lp`].
//! Differs: lengths are counted in units of the centres' distance and the growth in units of an upper
//! bound, |d| over the sum of the inradii, so that the optimum lies in a box of known size.
//! Ends because: the LP does; the search for weights looks at each set of a few tight planes once.
//! Cost: expected linear in the number of planes.
//! Not promised: a basis with weights that are not negative, where rounding leaves none.

use super::active_set::{Outcome, Pair, PlaneId, Sided, Start};
use super::lp::{self, MOST_VARIABLES, Row};
use super::space::{MOST_PLANES, Vector};
use super::touch::Touch;
use crate::Work;
use crate::tolerance;

/// Where a search ended and what touches there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<V> {
    pub(super) outcome: Outcome<V>,
    pub(super) touch: Touch<V>,
    pub(super) work: Work,
}

impl<V> Found<V> {
    /// Where the next search may start.
    pub(super) fn start(&self) -> Start {
        Start { basis: self.outcome.basis, vertices: self.touch.vertices }
    }
}

/// Most planes that the search for weights looks at.
const MOST_TIGHT: usize = 12;

impl<V: Vector, A: Sided<Vector = V>, B: Sided<Vector = V>> Pair<A, B> {
    /// By the active set; by the program where that has not converged, if it does better.
    pub(super) fn find(&self, start: Option<Start>, touch_of: impl Fn(&Outcome<V>) -> Touch<V>) -> Found<V> {
        let outcome = self.run(start);
        let touch = touch_of(&outcome);
        let mut work = Work { iterations: outcome.pivots, ..Work::default() };
        if outcome.settled && touch.is_converged() {
            return Found { outcome, touch, work };
        }
        work.escapes = 1;
        match self.find_by_lp(touch.vertices, work, touch_of) {
            Some(other) if other.touch.is_better_than(&touch) => other,
            _ => Found { outcome, touch, work },
        }
    }

    /// By the program; none where it leaves no basis.
    pub(super) fn find_by_lp(
        &self,
        vertices: [u32; 2],
        mut work: Work,
        touch_of: impl Fn(&Outcome<V>) -> Touch<V>,
    ) -> Option<Found<V>> {
        let (outcome, reads) = self.by_lp(vertices)?;
        work.moves += reads;
        Some(Found { outcome, touch: touch_of(&outcome), work })
    }

    /// Solves the program on all planes. The second value counts the rows read.
    fn by_lp(&self, vertices: [u32; 2]) -> Option<(Outcome<V>, u32)> {
        let length = self.between.length();
        let [inradius, radius] = self.a.radii();
        let growth = length / (inradius + if self.both_grow { self.b.radii()[0] } else { 0.0 });
        let count_a = self.a.face_count() as usize;
        let count = count_a + self.b.face_count() as usize;
        let plane = |index: usize| {
            let of_b = index >= count_a;
            PlaneId { of_b, face: (index - if of_b { count_a } else { 0 }) as u32 }
        };
        let row = |index: usize| {
            let row = self.row(plane(index));
            let mut coefficients = [0.0; MOST_VARIABLES];
            let last = V::PLANES - 1;
            coefficients[..last].copy_from_slice(&row.normal.coordinates()[..last]);
            coefficients[last] = -row.growth * (growth / length);
            let size = coefficients[last].hypot(1.0);
            Row { coefficients: coefficients.map(|c| c / size), bound: row.offset / length / size }
        };
        let mut walls = [2.0 * (1.0 + radius * (growth / length)); MOST_VARIABLES];
        walls[V::PLANES - 1] = 2.0;
        let optimum = lp::minimise_last(&row, count, V::PLANES, walls);

        let mut basis = [PlaneId { of_b: false, face: 0 }; MOST_PLANES];
        let tight = &optimum.tight[..V::PLANES];
        if tight.iter().all(|&index| index < count) {
            basis.iter_mut().zip(tight).for_each(|(slot, &index)| *slot = plane(index));
            if let Some(outcome) = self.outcome_at(basis, vertices).filter(|outcome| outcome.settled) {
                return Some((outcome, optimum.reads));
            }
        }
        let mut coordinates = [0.0; 3];
        let scaled = optimum.z[..V::PLANES - 1].iter().map(|z| z * length);
        coordinates.iter_mut().zip(scaled).for_each(|(slot, value)| *slot = value);
        let at = (V::from_coordinates(coordinates), optimum.z[V::PLANES - 1] * growth);
        let outcome = self.by_tight_planes((0..count).map(plane), at, vertices)?;
        Some((outcome, optimum.reads))
    }

    /// The best basis among the planes that are tight at a point.
    fn by_tight_planes(
        &self,
        planes: impl Iterator<Item = PlaneId>,
        (x, t): (V, f64),
        vertices: [u32; 2],
    ) -> Option<Outcome<V>> {
        let size = x.length() + self.between.length();
        let mut tight = [PlaneId { of_b: false, face: 0 }; MOST_TIGHT];
        let mut count = 0;
        for plane in planes {
            let row = self.row(plane);
            let excess = row.normal.dot(x) - row.growth * t - row.offset;
            let noise = tolerance::RATIO_TIE_REL * (size + row.growth * t);
            if excess >= -noise && count < MOST_TIGHT {
                tight[count] = plane;
                count += 1;
            }
        }
        let mut best: Option<Outcome<V>> = None;
        for mask in 0_u32..1 << count {
            if mask.count_ones() as usize != V::PLANES {
                continue;
            }
            let mut basis = [tight[0]; MOST_PLANES];
            let chosen = (0..count).filter(|i| mask >> i & 1 == 1);
            basis.iter_mut().zip(chosen).for_each(|(slot, i)| *slot = tight[i]);
            let Some(outcome) = self.outcome_at(basis, vertices) else { continue };
            if outcome.settled {
                return Some(outcome);
            }
            let least = |outcome: &Outcome<V>| outcome.weights.iter().copied().fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|best| least(&outcome) > least(best)) {
                best = Some(outcome);
            }
        }
        best
    }
}
