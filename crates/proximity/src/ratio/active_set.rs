//! Growth until touch as a dual active set over the planes of two bodies.
//!
//! Source: 002, (2.12): min t such that aᵢ·x ≤ t·bᵢ for the planes of A (x counted from A's centre, bᵢ
//! the centre's distance from the plane) and aⱼ·(x − d) ≤ t·bⱼ for those of B, d the vector between the
//! centres. Known before 002 as the growth distance (Ong and Gilbert 1996).
//! Differs: 002 hands all rows to a solver. DIFFERS: here a basis of dimension + 1 planes is kept
//! whose weights λ (Σ λ a = 0, Σ λ b = 1) are not negative, so its value is a lower bound, and a plane
//! is entered only if the ray from a centre to x pierces it, which a walk over face adjacency finds.
//! A basis whose weights have gone negative by a rotation is replaced by one of its planes together
//! with the planes at the other body's support vertex, whose weights cannot be negative; or, after a
//! jump, by the cold start, the same with the face on the line between the centres, if that is higher.
//! Ends because: each pivot with a positive step raises the value and a basis determines its value;
//! zero steps (parallel faces) are ended by the limit on pivots.
//! Cost: two face walks and one small system per pivot; no pivot at all where the event has not changed.
//! Not promised: an optimum after the limit (`Outcome::settled` is false); the caller then runs the LP.

use super::space::{MOST_PLANES, PerPlane, Vector};
use crate::tolerance;

/// What the active set asks of a body: everything in the axes of A, counted from the body's centre.
pub(super) trait Sided {
    type Vector: Vector;

    /// Unit outward normal of a face and the centre's distance from its plane.
    fn plane(&self, face: u32) -> (Self::Vector, f64);

    /// The face that the ray from the centre through `towards` leaves by, walking from face `from`.
    fn pierced(&self, from: u32, towards: Self::Vector) -> u32;

    /// The vertex farthest along `direction`, climbing from vertex `from`.
    fn support(&self, from: u32, direction: Self::Vector) -> u32;

    /// Faces at a vertex, one fewer than a basis holds, whose normals have `direction` in their cone,
    /// or nearly; the rest of the array is unused.
    fn cone(&self, vertex: u32, direction: Self::Vector) -> [u32; MOST_PLANES - 1];

    /// Where a walk towards `direction` may start: a face and a vertex.
    fn start(&self, direction: Self::Vector) -> (u32, u32);

    fn face_count(&self) -> u32;

    fn vertex_count(&self) -> u32;

    /// Distance of the centre from the nearest plane, and from the farthest vertex.
    fn radii(&self) -> [f64; 2];
}

/// The two bodies, placed.
pub(super) struct Pair<A: Sided, B: Sided<Vector = A::Vector>> {
    pub(super) a: A,
    pub(super) b: B,
    /// From A's centre to B's.
    pub(super) between: A::Vector,
    /// Whether B grows along with A; else it keeps its size (remark 2.18 of 002).
    pub(super) both_grow: bool,
    /// Size of the numbers that the centres and the vector between them were computed from.
    pub(super) size: f64,
}

/// A plane of either body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlaneId {
    pub(super) of_b: bool,
    pub(super) face: u32,
}

/// Names to start from; any values are allowed, bad ones only cost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) basis: PerPlane<PlaneId>,
    pub(super) vertices: [u32; 2],
}

/// `normal · x − growth · t ≤ offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairRow<V> {
    pub(super) normal: V,
    pub(super) growth: f64,
    pub(super) offset: f64,
}

/// Where the active set ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<V> {
    pub(super) basis: PerPlane<PlaneId>,
    /// Weights of the basis, summing with the growths to 1.
    pub(super) weights: PerPlane<f64>,
    /// Touching point from A's centre, and growth.
    pub(super) x: V,
    pub(super) t: f64,
    /// Faces pierced by the rays from the centres to x.
    pub(super) pierced: [u32; 2],
    pub(super) vertices: [u32; 2],
    pub(super) settled: bool,
    pub(super) pivots: u32,
}

/// A basis with its numbers.
struct Solved<V> {
    growths: PerPlane<f64>,
    weights: PerPlane<f64>,
    /// Rounding of the weights.
    weight_noise: f64,
    /// Reciprocal vectors of all planes but `skip`.
    reciprocal: PerPlane<V>,
    skip: usize,
    x: V,
    t: f64,
}

impl<V: Vector, A: Sided<Vector = V>, B: Sided<Vector = V>> Pair<A, B> {
    /// The row of a plane.
    #[inline]
    pub(super) fn row(&self, plane: PlaneId) -> PairRow<V> {
        if !plane.of_b {
            let (normal, growth) = self.a.plane(plane.face);
            return PairRow { normal, growth, offset: 0.0 };
        }
        let (normal, reach) = self.b.plane(plane.face);
        let offset = normal.dot(self.between);
        if self.both_grow {
            PairRow { normal, growth: reach, offset }
        } else {
            PairRow { normal, growth: 0.0, offset: offset + reach }
        }
    }

    /// Whether the centres cannot be told apart.
    pub(super) fn is_concentric(&self) -> bool {
        self.between.length() <= tolerance::TOUCH_REL * self.size
    }

    /// Whether A's centre lies in B.
    pub(super) fn b_holds_center(&self) -> bool {
        let to_a = -self.between;
        let (normal, reach) = self.b.plane(self.b.pierced(self.b.start(to_a).0, to_a));
        normal.dot(to_a) <= reach
    }

    /// Pivots from `start`, or from the faces on the line between the centres, to the optimum.
    pub(super) fn run(&self, start: Option<Start>) -> Outcome<V> {
        let warm = start.filter(|start| self.is_in_range(start));
        let mut outcome = self.outcome_of(&warm.unwrap_or_else(|| self.cold()));
        let mut solved = self.solve(&outcome.basis);
        let mut may_restart = warm.is_some();
        for pivot in 0..tolerance::RATIO_PIVOT_LIMIT {
            outcome.pivots = pivot;
            let broken = !solved.as_ref().is_some_and(Solved::is_dual_feasible);
            if broken {
                // After a rotation, or by rounding among parallel faces.
                let start = self.repaired(&outcome, solved.as_ref());
                solved = self.adopt(&mut outcome, &start);
            }
            if may_restart && (broken || pivot == tolerance::RATIO_PIVOTS_BEFORE_RESTART) {
                // Perhaps the motion was a jump, and the faces between the centres are the better start.
                may_restart = false;
                let (before, value) = (outcome, solved.as_ref().map_or(f64::NEG_INFINITY, |at| at.t));
                let cold = self.cold();
                let other = self.adopt(&mut outcome, &cold);
                if other.as_ref().is_some_and(|at| at.t > value) {
                    solved = other;
                } else {
                    outcome = before;
                }
            }
            let Some(at) = solved.as_ref().filter(|at| at.is_dual_feasible()) else { break };
            self.note(&mut outcome, at);
            let Some(entering) = self.most_violated(&mut outcome) else {
                outcome.settled = true;
                break;
            };
            let Some(leaving) = self.leaving(&outcome, at, entering) else { break };
            outcome.basis[leaving] = entering;
            solved = self.solve(&outcome.basis);
        }
        outcome
    }

    /// Continues from another basis.
    fn adopt(&self, outcome: &mut Outcome<V>, start: &Start) -> Option<Solved<V>> {
        *outcome = Outcome { pivots: outcome.pivots, ..self.outcome_of(start) };
        self.solve(&outcome.basis)
    }

    /// The outcome that a basis chosen from outside stands for; none where its planes are dependent.
    pub(super) fn outcome_at(&self, basis: PerPlane<PlaneId>, vertices: [u32; 2]) -> Option<Outcome<V>> {
        let solved = self.solve(&basis)?;
        let mut outcome = self.outcome_of(&Start { basis, vertices });
        self.note(&mut outcome, &solved);
        let feasible = self.most_violated(&mut outcome).is_none();
        outcome.settled = feasible && solved.is_dual_feasible();
        Some(outcome)
    }

    fn is_in_range(&self, start: &Start) -> bool {
        let basis = &start.basis[..V::PLANES];
        let in_range =
            |plane: &PlaneId| plane.face < if plane.of_b { self.b.face_count() } else { self.a.face_count() };
        let distinct = (1..basis.len()).all(|i| !basis[..i].contains(&basis[i]));
        distinct
            && basis.iter().all(in_range)
            && start.vertices[0] < self.a.vertex_count()
            && start.vertices[1] < self.b.vertex_count()
    }

    fn outcome_of(&self, start: &Start) -> Outcome<V> {
        let first_of = |of_b: bool| start.basis[..V::PLANES].iter().find(|plane| plane.of_b == of_b);
        let pierced = [false, true].map(|of_b| first_of(of_b).map_or(0, |plane| plane.face));
        Outcome {
            basis: start.basis,
            weights: [0.0; MOST_PLANES],
            x: V::ZERO,
            t: 0.0,
            pierced,
            vertices: start.vertices,
            settled: false,
            pivots: 0,
        }
    }

    fn note(&self, outcome: &mut Outcome<V>, at: &Solved<V>) {
        outcome.weights = at.weights;
        outcome.x = at.x;
        outcome.t = at.t;
    }

    /// The better of the two bases that the faces on the line between the centres stand for.
    fn cold(&self) -> Start {
        let (face_a, vertex_a) = self.a.start(self.between);
        let (face_b, vertex_b) = self.b.start(-self.between);
        let vertices = [vertex_a, vertex_b];
        let on_a = PlaneId { of_b: false, face: self.a.pierced(face_a, self.between) };
        let on_b = PlaneId { of_b: true, face: self.b.pierced(face_b, -self.between) };
        let starts = [on_a, on_b].map(|plane| self.event_start(plane, vertices));
        let value = |start: &Start| self.solve(&start.basis).map_or(f64::NEG_INFINITY, |at| at.t);
        if value(&starts[1]) > value(&starts[0]) { starts[1] } else { starts[0] }
    }

    /// A basis that cannot have negative weights: a plane and the cone at the other body's vertex.
    fn event_start(&self, plane: PlaneId, mut vertices: [u32; 2]) -> Start {
        let normal = self.row(plane).normal;
        let other = usize::from(!plane.of_b);
        let faces = if plane.of_b {
            vertices[0] = self.a.support(vertices[0], -normal);
            self.a.cone(vertices[0], -normal)
        } else {
            vertices[1] = self.b.support(vertices[1], -normal);
            self.b.cone(vertices[1], -normal)
        };
        let mut basis = [plane; MOST_PLANES];
        for (slot, face) in basis[1..].iter_mut().zip(faces) {
            *slot = PlaneId { of_b: other == 1, face };
        }
        Start { basis, vertices }
    }

    /// A basis without negative weights near one that has some: keeps the face of a corner–face event, or
    /// the heaviest plane of another, and finds its partner anew.
    fn repaired(&self, outcome: &Outcome<V>, solved: Option<&Solved<V>>) -> Start {
        let basis = &outcome.basis[..V::PLANES];
        let count = |of_b: bool| basis.iter().filter(|plane| plane.of_b == of_b).count();
        let lone = basis.iter().find(|plane| count(plane.of_b) == 1);
        let heaviest = || {
            let weights = solved.map_or([0.0; MOST_PLANES], |at| at.weights);
            let best = (0..V::PLANES).max_by(|&i, &j| weights[i].total_cmp(&weights[j]));
            basis[best.unwrap_or(0)]
        };
        self.event_start(lone.copied().unwrap_or_else(heaviest), outcome.vertices)
    }

    fn solve(&self, basis: &PerPlane<PlaneId>) -> Option<Solved<V>> {
        let mut normals = [V::ZERO; MOST_PLANES];
        let mut growths = [0.0; MOST_PLANES];
        let mut offsets = [0.0; MOST_PLANES];
        for i in 0..V::PLANES {
            let row = self.row(basis[i]);
            (normals[i], growths[i], offsets[i]) = (row.normal, row.growth, row.offset);
        }
        let mut weights = V::dependency(&normals);
        let sum: f64 = weights.iter().zip(growths).map(|(w, b)| w * b).sum();
        let mut skip = 0;
        for i in 1..V::PLANES {
            if weights[i].abs() > weights[skip].abs() {
                skip = i;
            }
        }
        let independent = weights[skip].abs() > tolerance::RATIO_WEIGHT_REL && sum.abs() > 0.0;
        if !independent {
            return None;
        }
        weights = weights.map(|weight| weight / sum);
        let t = -weights.iter().zip(offsets).map(|(w, e)| w * e).sum::<f64>();
        let reciprocal = V::reciprocal(&normals, skip);
        let x = (0..V::PLANES).fold(V::ZERO, |x, i| x + reciprocal[i] * (growths[i] * t + offsets[i]));
        let weight_noise = tolerance::RATIO_WEIGHT_REL / sum.abs();
        Some(Solved { growths, weights, weight_noise, reciprocal, skip, x, t })
    }

    /// The plane to enter, of the two pierced ones; none when x is inside both grown bodies.
    fn most_violated(&self, outcome: &mut Outcome<V>) -> Option<PlaneId> {
        let x = outcome.x;
        outcome.pierced[0] = self.a.pierced(outcome.pierced[0], x);
        outcome.pierced[1] = self.b.pierced(outcome.pierced[1], x - self.between);
        let size = x.length() + self.between.length();
        let mut worst = (0.0, None);
        for of_b in [false, true] {
            let plane = PlaneId { of_b, face: outcome.pierced[usize::from(of_b)] };
            let row = self.row(plane);
            let excess = row.normal.dot(x) - row.growth * outcome.t - row.offset;
            let noise = tolerance::RATIO_FEASIBLE_REL * (size + (row.growth * outcome.t).abs());
            let known = outcome.basis[..V::PLANES].contains(&plane);
            // In units of growth, so that a thin body's planes count as much as a thick one's.
            let weight = if row.growth > 0.0 { excess / row.growth } else { excess / self.a_size() };
            if excess > noise && !known && weight > worst.0 {
                worst = (weight, Some(plane));
            }
        }
        worst.1
    }

    /// A length of A's size, to compare excesses of planes that do not grow.
    fn a_size(&self) -> f64 {
        self.a.plane(0).1
    }

    /// The ratio test: the plane whose weight first falls to zero as the entering one takes over.
    fn leaving(&self, outcome: &Outcome<V>, at: &Solved<V>, entering: PlaneId) -> Option<usize> {
        let row = self.row(entering);
        // The entering row as a combination of the basis rows: free of `skip` first, then shifted along
        // the dependency until the growths agree as well.
        let mut shares = at.reciprocal.map(|g| g.dot(row.normal));
        shares[at.skip] = 0.0;
        let grown: f64 = shares.iter().zip(at.growths).map(|(s, b)| s * b).sum();
        for (share, weight) in shares.iter_mut().zip(at.weights) {
            *share += (row.growth - grown) * weight;
        }
        let bland = outcome.pivots >= tolerance::RATIO_PIVOT_LIMIT / 2;
        let largest = shares.iter().fold(0.0_f64, |most, share| most.max(*share));
        let mut best: Option<(f64, usize)> = None;
        // Written so that NaN does not leave.
        for i in (0..V::PLANES).filter(|&i| shares[i] > tolerance::RATIO_SHARE_REL * largest) {
            let step = at.weights[i].max(0.0) / shares[i];
            let better = match best {
                None => true,
                Some((least, chosen)) => {
                    let tie = (step - least).abs() <= tolerance::RATIO_SHARE_REL * (step + least);
                    match (tie, bland) {
                        (false, _) => step < least,
                        (true, true) => outcome.basis[i] < outcome.basis[chosen],
                        (true, false) => shares[i] > shares[chosen],
                    }
                }
            };
            if better {
                best = Some((step, i));
            }
        }
        best.map(|(_, i)| i)
    }
}

impl<V: Vector> Solved<V> {
    /// Whether no weight is negative beyond rounding.
    fn is_dual_feasible(&self) -> bool {
        self.weights.iter().all(|&weight| weight >= -self.weight_noise)
    }
}
