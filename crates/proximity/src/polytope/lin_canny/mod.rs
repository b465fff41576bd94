//! Closest features of two convex polytopes by walking their Voronoi cells.
//!
//! Source: 003, chapter 3 and appendices A and B (Lin–Canny), and the pseudo Voronoi regions of its future work.
//! Differs: 003 assumes general position and bodies apart. DIFFERS: a walk that meets a pair again is
//! noticed (Brent's cycle detection) and settled by the slower look of `settle`; an answer counts as converged
//! only when the bound of `bounds` meets its distance; overlap is answered only with a point of both bodies.
//! Ends because: the next pair depends on the current pair alone, so a walk either stops or meets a pair again,
//! which ends it; it is taken up again only when the distance has fallen by more than the flare, or after a
//! restart, and restarts are counted.
//! Cost: O(1) expected per coherent update; O(n) cold, and in contact.
//! Not promised: a feature, when several are equally near. Penetration depth.

mod applicability;
mod bounds;
mod careful;
mod cases;
mod cells;
mod common;
mod escape;
mod nearest;
mod pair;
mod settle;
mod subdivide;

pub use cells::Cells;

use crate::{Ended, Proximity, State, Witness, Work};
use careful::Found;
use cases::Step;
use cells::CellId;
use clearance_geometry::{DVec3, Feature, Polytope, Pose};
use escape::Place;
use pair::{Near, Pair};
use settle::{Best, Settled};

/// Restarts from farthest vertices before an answer is given as stalled.
const RESTARTS: u32 = 4;

/// How to leave a local minimum beneath a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escape {
    /// Search all faces of the body for the nearest one.
    #[default]
    LinearSearch,
    /// Walk through the pyramids between centroid and faces.
    InteriorWalk,
}

/// How to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The way out of local minima.
    pub escape: Escape,
    /// Feature pairs to visit at most; the answer then ends with [`Ended::Limit`].
    pub max_pairs: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { escape: Escape::default(), max_pairs: u32::MAX }
    }
}

/// How two bodies stand to each other, as far as a walk can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// A positive distance apart.
    Separated,
    /// In contact without overlap, within rounding.
    Touching,
    /// Overlapping; how deep is not known.
    Overlapping {
        /// A point of both bodies, within rounding, in A's frame.
        common: DVec3,
    },
}

/// Where a walk ended, in the frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// How the bodies stand to each other.
    pub relation: Relation,
    /// The closest pair of features, or the pair that showed the overlap; where to start the next walk.
    pub features: [Feature; 2],
    /// Closest points; when overlapping, the common point twice.
    pub points: [DVec3; 2],
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Unit vector from A to B; meaningless when overlapping.
    pub normal: DVec3,
    /// How the walk ended.
    pub ended: Ended,
    /// Work done: `iterations` counts the feature pairs visited.
    pub work: Work,
}

impl Walk {
    /// The walk as the answer to a query; `None` when the bodies overlap, for a walk knows no depth.
    pub fn proximity(&self) -> Option<Proximity> {
        let state = match self.relation {
            Relation::Separated => State::Separated,
            Relation::Touching => State::Touching,
            Relation::Overlapping { .. } => return None,
        };
        let witness = |i: usize| Witness::flat(self.points[i], self.features[i]);
        let between = (self.points[1] - self.points[0]).dot(self.normal);
        Some(Proximity {
            state,
            distance: self.distance,
            signed_distance: if state == State::Separated { self.distance } else { between },
            witnesses: [witness(0), witness(1)],
            normal: self.normal,
            ended: self.ended,
            work: self.work,
        })
    }
}

/// The closest features of `a` and `b`, walking from `start` (any pair; `None`, or features that the bodies do
/// not have: from vertices that face each other).
///
/// ```
/// use clearance_geometry::{DVec3, Polytope, Pose};
/// use clearance_proximity::lin_canny::{self, Cells, Options};
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// let cells = Cells::new(&cube);
/// let pose_ab = Pose::from_translation(DVec3::new(5.0, 0.5, 0.0))?;
/// let body = (&cube, &cells);
/// let walk = lin_canny::closest_features(body, body, &pose_ab, None, Options::default());
/// assert_eq!(walk.distance, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest_features(
    a: (&Polytope, &Cells),
    b: (&Polytope, &Cells),
    pose_ab: &Pose,
    start: Option<[Feature; 2]>,
    options: Options,
) -> Walk {
    let pair = Pair::new(a, b, pose_ab);
    let at = start.and_then(|s| cells_of(&pair, s)).unwrap_or_else(|| facing(&pair));
    Walker { pair, options, at, best: None, restarts: 0, work: Work::default() }.run()
}

fn cells_of(pair: &Pair, features: [Feature; 2]) -> Option<[CellId; 2]> {
    Some([pair.cells[0].root(features[0])?, pair.cells[1].root(features[1])?])
}

/// Vertices that lie toward each other's body.
fn facing(pair: &Pair) -> [CellId; 2] {
    let direction = pair.in_a(1, pair.cells[1].centroid()) - pair.cells[0].centroid();
    let a = pair.bodies[0].start_vertex(direction);
    let b = pair.bodies[1].start_vertex(-pair.turned(0, direction));
    [pair.cells[0].vertex(a), pair.cells[1].vertex(b)]
}

/// Brent's cycle detection: one pair is remembered, for twice as long each time.
struct Watch {
    kept: [CellId; 2],
    age: u32,
    limit: u32,
}

impl Watch {
    fn new(at: [CellId; 2]) -> Self {
        Self { kept: at, age: 0, limit: 1 }
    }

    /// Whether `at` has been met before.
    fn meets(&mut self, at: [CellId; 2]) -> bool {
        if self.kept == at {
            return true;
        }
        self.age += 1;
        if self.age == self.limit {
            (self.kept, self.age, self.limit) = (at, 0, self.limit.saturating_mul(2));
        }
        false
    }
}

/// How a walk with this pair ends: converged only if the pair carries its own claim.
fn stalled(pair: &Pair, best: &Best, ended: Ended) -> Ended {
    let residual = careful::residual(pair, best);
    match ended {
        Ended::Converged if residual > pair.touch() => Ended::Stalled { residual },
        Ended::Stalled { residual: known } => Ended::Stalled { residual: known.max(residual) },
        ended => ended,
    }
}

struct Walker<'a> {
    pair: Pair<'a>,
    options: Options,
    at: [CellId; 2],
    best: Option<Best>,
    restarts: u32,
    work: Work,
}

impl Walker<'_> {
    fn run(mut self) -> Walk {
        let mut watch = Watch::new(self.at);
        loop {
            if self.work.iterations >= self.options.max_pairs {
                return self.limit();
            }
            self.work.iterations += 1;
            let next = match cases::step(&self.pair, self.at) {
                Step::Closest(near) => match self.judge(near) {
                    Ok(walk) => return walk,
                    Err(next) => {
                        watch = Watch::new(next);
                        self.at = next;
                        continue;
                    }
                },
                Step::Common(point) => return self.contact(point, self.pair.features(self.at), None),
                Step::Move(next) => next,
                Step::Beneath { under, point } => {
                    let by = self.options.escape;
                    match escape::escape(&self.pair, by, under, self.at[under], point, &mut self.work) {
                        Place::Inside => {
                            let common = self.pair.in_a(under, point);
                            return self.overlap(common, self.pair.features(self.at));
                        }
                        Place::Outside(cell) => pair::ordered(under, cell, self.at[1 - under]),
                    }
                }
            };
            self.work.moves += 1;
            self.at = next;
            if watch.meets(next) {
                match self.settle() {
                    Ok(walk) => return walk,
                    Err(next) => {
                        watch = Watch::new(next);
                        self.at = next;
                    }
                }
            }
        }
    }

    /// A pair that passed all tests: the answer, or where to go on.
    fn judge(&mut self, near: Near) -> Result<Walk, [CellId; 2]> {
        let features = self.pair.features(self.at);
        if near.distance <= self.pair.touch() {
            return Ok(self.contact(near.points[0], features, Some(near)));
        }
        let bound = bounds::best(&self.pair, &near, features, false);
        if bound.lower >= bounds::enough(&self.pair, &near) && near.agrees(bound.direction, self.pair.touch())
        {
            let near = Near { direction: bound.direction, ..near };
            return Ok(self.separated(Best { near, features }, Ended::Converged));
        }
        if self.best.is_none_or(|best| near.distance < best.near.distance) {
            self.best = Some(Best { near, features });
        }
        self.settle()
    }

    /// The slow look: the answer, or where to go on.
    fn settle(&mut self) -> Result<Walk, [CellId; 2]> {
        self.work.escapes += 1;
        match settle::settle(&self.pair, self.pair.features(self.at), self.best) {
            Settled::Inside(point, features) => Ok(self.overlap(point, features)),
            Settled::Common(point, features) => Ok(self.contact(point, features, None)),
            Settled::Nearer(best) => {
                self.best = Some(best);
                if best.near.distance <= self.pair.touch() {
                    return Ok(self.contact(best.near.points[0], best.features, Some(best.near)));
                }
                Err(cells_of(&self.pair, best.features).unwrap_or(self.at))
            }
            Settled::Stands(mut best, bound) => {
                best.near.direction = bound.direction;
                if best.near.distance <= self.pair.touch() {
                    return Ok(self.contact(best.near.points[0], best.features, Some(best.near)));
                }
                if bound.lower >= bounds::enough(&self.pair, &best.near) {
                    return Ok(self.separated(best, Ended::Converged));
                }
                if self.restarts < RESTARTS {
                    self.restarts += 1;
                    let [a, b] = bound.supports;
                    return Err([self.pair.cells[0].vertex(a), self.pair.cells[1].vertex(b)]);
                }
                if let Some(common) = common::interior_point(&self.pair, best.near.points[0]) {
                    return Ok(self.overlap(common, best.features));
                }
                let residual = best.near.distance - bound.lower;
                Ok(self.separated(best, Ended::Stalled { residual }))
            }
        }
    }

    /// The closest pair, or what the doubled search finds where the pair does not carry its own claim.
    fn separated(&mut self, best: Best, ended: Ended) -> Walk {
        if ended == Ended::Converged && careful::carries(&self.pair, &best) {
            return self.apart(Relation::Separated, best, ended);
        }
        match careful::nearest(&self.pair, best.features, &mut self.work) {
            Some(Found::Apart(best, ended)) => self.apart(Relation::Separated, best, ended),
            Some(Found::Meeting(best)) => self.meeting(best),
            None => self.apart(Relation::Separated, best, stalled(&self.pair, &best, ended)),
        }
    }

    fn apart(&self, relation: Relation, best: Best, ended: Ended) -> Walk {
        let Best { near, features } = best;
        let anchor = self.pair.bodies[0].anchor();
        Walk {
            relation,
            features,
            points: near.points.map(|p| p + anchor),
            distance: if relation == Relation::Separated { near.distance } else { 0.0 },
            normal: near.direction,
            ended,
            work: self.work,
        }
    }

    fn overlap(&self, common: DVec3, features: [Feature; 2]) -> Walk {
        let common = common + self.pair.bodies[0].anchor();
        Walk {
            relation: Relation::Overlapping { common },
            features,
            points: [common; 2],
            distance: 0.0,
            normal: DVec3::ZERO,
            ended: Ended::Converged,
            work: self.work,
        }
    }

    /// Bodies that share `point` within rounding: overlapping, or touching at `near`.
    fn contact(&mut self, point: DVec3, features: [Feature; 2], near: Option<Near>) -> Walk {
        if let Some(common) = common::interior_point(&self.pair, point) {
            return self.overlap(common, features);
        }
        let near = near.unwrap_or(Near { points: [point; 2], direction: DVec3::ZERO, distance: 0.0 });
        let best = Best { near, features };
        let Some((touching, ended)) = self.touching(best) else { return self.overlap(point, features) };
        if ended == Ended::Converged && careful::carries(&self.pair, &touching) {
            return self.apart(Relation::Touching, touching, ended);
        }
        match careful::nearest(&self.pair, features, &mut self.work) {
            Some(Found::Apart(best, ended)) => self.apart(Relation::Separated, best, ended),
            Some(Found::Meeting(best)) => self.meeting(best),
            None => self.apart(Relation::Touching, touching, stalled(&self.pair, &touching, ended)),
        }
    }

    /// Bodies that the doubled search found to meet.
    fn meeting(&self, best: Best) -> Walk {
        let point = best.near.points[0];
        if let Some(common) = common::interior_point(&self.pair, point) {
            return self.overlap(common, best.features);
        }
        match self.touching(best) {
            Some((best, ended)) => self.apart(Relation::Touching, best, stalled(&self.pair, &best, ended)),
            None => self.overlap(point, best.features),
        }
    }

    /// A contact with the direction that separates it best; `None` when nothing does.
    fn touching(&self, best: Best) -> Option<(Best, Ended)> {
        let Best { mut near, features } = best;
        // A separating plane may be shown only by what meets in the very point.
        let met = [0, 1].map(|side| bounds::met(&self.pair, side, features[side], near.points[side]));
        let bound = bounds::best(&self.pair, &near, met, true);
        near.direction = bound.direction;
        let ended = if bound.lower >= bounds::enough(&self.pair, &near) {
            Ended::Converged
        } else if bound.exhaustive && self.pair.bodies.iter().any(|body| body.face_count() > 0) {
            // A common point, and nothing that separates: an overlap too thin to have an inside.
            return None;
        } else {
            Ended::Stalled { residual: near.distance - bound.lower }
        };
        Some((Best { near, features }, ended))
    }

    /// Out of budget: the nearest points of the features at hand.
    fn limit(&mut self) -> Walk {
        let features = self.pair.features(self.at);
        match settle::settle(&self.pair, features, None) {
            Settled::Nearer(best) | Settled::Stands(best, _) => {
                self.apart(Relation::Separated, best, Ended::Limit)
            }
            Settled::Inside(point, features) => self.overlap(point, features),
            Settled::Common(point, features) => self.contact(point, features, None),
        }
    }
}
