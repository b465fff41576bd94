//! The top-down search over pairs of surfaces, curves and vertices.
//!
//! Source: 004 §3: from every pair of surfaces Newton's iteration is started at the closest points of the frame
//! before; where it has no solution within bounds, every pair with a boundary feature in place of one of both is
//! tried, down to vertices. Results of pairs that were visited are stored, so that each is solved once per frame; a
//! pair without a result may be tried again from another pair of faces, whose closest points are another start.
//! Differs: parameters that run all the way round have no bounds; faces are bounded by their trims. The first
//! estimates, which 004 takes as given, come from a grid of samples. Contact ends an iteration, since no direction is
//! left there.
//! Ends because: each pair of features is tried at most once from each pair of faces, and an iteration has at most
//! [`ITERATIONS`] steps.
//! Cost: about one iteration of up to [`ITERATIONS`] evaluations for each pair of features.
//! Not promised: the least distance. 004 says that convex features have at most one local minimum and that an
//! iteration which does not converge means that there is none; neither holds. The answer is an upper bound.

use super::{Carrier, Couple, Four};
use crate::tolerance::{CURVED_TOUCH_REL, DEGENERATE_SQ, PUBLISHED_ANGLE_RAD, PUBLISHED_STEP_REL};
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{DVec2, DVec3, FaceId, Feature, Pose};
use std::collections::{BTreeMap, BTreeSet};

/// The most steps of an iteration, as in 004 §4.
pub const ITERATIONS: u32 = 12;

/// Samples along a parameter for the first estimate.
const GRID: usize = 12;

/// Two features.
type Pair = [Feature; 2];

/// The closest points of two features, by Newton's iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// Of A and of B.
    pub features: Pair,
    /// Both points, in the frame of A.
    pub points: [DVec3; 2],
    /// Their distance.
    pub distance: f64,
    /// Steps that Newton's iteration took.
    pub iterations: u32,
}

/// Which second-order test a solution has to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondOrder {
    /// 004 (4) and (5): each feature by itself; saddle points pass.
    #[default]
    Each,
    /// The whole matrix of second derivatives.
    Whole,
}

/// What one frame found.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The nearest of all pairs; `None` for a body without faces.
    pub nearest: Option<Solution>,
    /// Others as near as the nearest but for rounding, on other features.
    pub ties: Vec<Solution>,
    /// Pairs of features that Newton's iteration was applied to.
    pub visited: usize,
    /// Steps of all iterations.
    pub iterations: u32,
}

/// The top-down search for one pair of bodies, with the closest points of the frame before.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::published::TopDown;
/// let (can, ball) = (TiledBody::cylinder(1.0, 2.0)?, TiledBody::sphere(0.5)?);
/// let mut search = TopDown::new(&can, &ball);
/// let frame = search.update(&Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?);
/// assert!((frame.nearest.unwrap().distance - 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TopDown {
    bodies: [TiledBody; 2],
    /// Which solutions count.
    pub second_order: SecondOrder,
    size: f64,
    /// The closest points of each pair of faces in the frame before, each in the frame of its body.
    last: BTreeMap<Pair, [DVec3; 2]>,
    /// The results of this frame.
    stored: BTreeMap<Pair, Solution>,
    /// Pairs without a solution from the start at hand; another start may have one.
    failed: BTreeSet<Pair>,
    visited: usize,
    iterations: u32,
}

impl TopDown {
    /// A search that has seen nothing yet.
    pub fn new(a: &TiledBody, b: &TiledBody) -> Self {
        let size = [a, b].map(|body| body.aabb().half_extents().length()).into_iter().sum();
        Self {
            bodies: [a.clone(), b.clone()],
            second_order: SecondOrder::default(),
            size,
            last: BTreeMap::new(),
            stored: BTreeMap::new(),
            failed: BTreeSet::new(),
            visited: 0,
            iterations: 0,
        }
    }

    /// The closest points with B at `pose_ab`.
    pub fn update(&mut self, pose_ab: &Pose) -> Frame {
        self.stored.clear();
        (self.visited, self.iterations) = (0, 0);
        let mut found: Vec<Solution> = Vec::new();
        for a in 0..self.bodies[0].face_count() {
            for b in 0..self.bodies[1].face_count() {
                let pair = [a, b].map(|face| Feature::Face(FaceId(face as u32)));
                let start = self.last.get(&pair).copied().unwrap_or_else(|| self.sampled(pair, pose_ab));
                self.failed.clear();
                let Some(solution) = self.descend(pair, start, pose_ab) else { continue };
                let [of_a, of_b] = solution.points;
                self.last.insert(pair, [of_a, pose_ab.apply_inverse(of_b)]);
                if !found.iter().any(|known| known.features == solution.features) {
                    found.push(solution);
                }
            }
        }
        found.sort_by(|x, y| x.distance.total_cmp(&y.distance));
        let nearest = found.first().copied();
        let level = nearest.map_or(0.0, |n| n.distance + PUBLISHED_STEP_REL * self.size);
        let ties = found.into_iter().skip(1).take_while(|other| other.distance <= level).collect();
        Frame { nearest, ties, visited: self.visited, iterations: self.iterations }
    }

    /// The closest points of two features or of what bounds them.
    fn descend(&mut self, pair: Pair, start: [DVec3; 2], pose_ab: &Pose) -> Option<Solution> {
        if let Some(known) = self.stored.get(&pair) {
            return Some(*known);
        }
        if !self.failed.insert(pair) {
            return None;
        }
        let mut best = self.find_min(pair, start, pose_ab);
        if best.is_none() {
            let lower = |side: usize| self.bodies[side].boundary(pair[side]);
            let of_a = lower(0).into_iter().map(|feature| [feature, pair[1]]);
            let of_b = lower(1).into_iter().map(|feature| [pair[0], feature]);
            for pair in of_a.chain(of_b).collect::<Vec<Pair>>() {
                let other = self.descend(pair, start, pose_ab);
                if let Some(other) = other
                    && best.is_none_or(|best| other.distance < best.distance)
                {
                    best = Some(other);
                }
            }
        }
        if let Some(best) = best {
            self.stored.insert(pair, best);
        }
        best
    }

    /// FindMin of 004: Newton's iteration, bounds, second order, and once more from the other side of a round feature.
    fn find_min(&mut self, pair: Pair, start: [DVec3; 2], pose_ab: &Pose) -> Option<Solution> {
        self.visited += 1;
        let [a, b] = [0, 1].map(|side| Carrier::of(&self.bodies[side], pair[side]));
        let parameters = [
            off_pole(&a, a.nearest_to(start[0]), pose_ab.apply(start[1])),
            off_pole(&b, b.nearest_to(start[1]), pose_ab.apply_inverse(start[0])),
        ];
        let couple = Couple { a, b };
        let at = couple.joined(parameters[0], parameters[1]);
        let (mut at, mut steps) = self.newton(&couple, at, pose_ab)?;
        if !self.is_minimum(&couple, &at, pose_ab) {
            // 004: a new estimate by cyclosymmetry.
            let turned = opposite(&couple, &at);
            let (again, more) = self.newton(&couple, turned, pose_ab)?;
            (at, steps) = (again, steps + more);
            if !self.is_minimum(&couple, &at, pose_ab) {
                return None;
            }
        }
        let state = couple.state(&at, pose_ab);
        let inside = [0, 1].iter().all(|&side| self.is_within(side, pair[side], couple.parted(&at)[side]));
        inside.then_some(Solution {
            features: pair,
            points: state.points,
            distance: state.distance(),
            iterations: steps,
        })
    }

    /// 004 (1) until both conditions of its section 5 hold; `None` if they do not within [`ITERATIONS`] steps.
    fn newton(&mut self, couple: &Couple, mut at: Four, pose_ab: &Pose) -> Option<(Four, u32)> {
        for step in 0..=ITERATIONS {
            let state = couple.state(&at, pose_ab);
            let touching = state.distance() <= CURVED_TOUCH_REL * self.size;
            if touching || state.largest_error([true; 4]) <= PUBLISHED_ANGLE_RAD {
                return Some((at, step));
            }
            let by = state.solved(&state.errors.map(|e| -e), [true; 4])?;
            self.iterations += 1;
            let mut moved = 0.0_f64;
            for k in 0..state.count() {
                at[k] += by[k];
                moved = moved.max(by[k].abs() * state.tangents[k].length());
            }
            if moved <= PUBLISHED_STEP_REL * self.size {
                return Some((at, step + 1));
            }
        }
        None
    }

    /// A solution on a circle about the point has no second derivative; it counts.
    fn is_minimum(&self, couple: &Couple, at: &Four, pose_ab: &Pose) -> bool {
        let mut state = couple.state(at, pose_ab);
        for k in 0..state.count() {
            // Semi-definite: what is not clearly negative passes.
            state.matrix[k][k] += PUBLISHED_STEP_REL * state.tangents[k].length_squared();
        }
        match self.second_order {
            SecondOrder::Each => state.is_convex_each(),
            SecondOrder::Whole => state.is_convex([true; 4]),
        }
    }

    fn is_within(&self, side: usize, feature: Feature, at: [f64; 2]) -> bool {
        let body = &self.bodies[side];
        match feature {
            Feature::Face(face) => body.face(face).side(DVec2::from(at)) != Side::Outside,
            Feature::Edge(_) => Carrier::of(body, feature).bounds(0).contains(at[0]),
            Feature::Vertex(_) => true,
        }
    }

    /// The nearest two of a grid of points of each face.
    fn sampled(&self, pair: Pair, pose_ab: &Pose) -> [DVec3; 2] {
        let grid = |side: usize| -> Vec<DVec3> {
            let Feature::Face(face) = pair[side] else { return Vec::new() };
            let face = self.bodies[side].face(face);
            let bounds = face.region.bounds();
            let at = |k: usize| k as f64 / GRID as f64;
            (0..=GRID)
                .flat_map(|i| (0..=GRID).map(move |j| DVec2::new(bounds.u.at(at(i)), bounds.v.at(at(j)))))
                .filter(|&uv| face.side(uv) != Side::Outside)
                .map(|uv| face.point(uv))
                .collect()
        };
        let (of_a, of_b) = (grid(0), grid(1));
        let mut best = (f64::INFINITY, [DVec3::ZERO; 2]);
        for &a in &of_a {
            for &b in &of_b {
                let apart = a.distance_squared(pose_ab.apply(b));
                if apart < best.0 {
                    best = (apart, [a, b]);
                }
            }
        }
        best.1
    }
}

/// A start at a pole or apex, where a tangent vanishes and no iteration can begin, moved a little into the face, to
/// the side of `target`. DIFFERS: 004 does not say how it leaves the tip of its cone.
fn off_pole(carrier: &Carrier, at: [f64; 2], target: DVec3) -> [f64; 2] {
    let [u, v] = carrier.jet(at).first.map(|tangent| tangent.length_squared());
    let gone = match carrier.dimension() {
        2 if u <= DEGENERATE_SQ * v => 0,
        2 if v <= DEGENERATE_SQ * u => 1,
        _ => return at,
    };
    let (around, along) = (carrier.home(gone), carrier.home(1 - gone));
    let inward = along.width() / GRID as f64;
    let moved = if at[1 - gone] - along.low < along.high - at[1 - gone] { inward } else { -inward };
    let place = |k: usize| {
        let mut place = at;
        place[gone] = around.at(k as f64 / GRID as f64);
        place[1 - gone] += moved;
        place
    };
    let off = |place: &[f64; 2]| carrier.jet(*place).point.distance_squared(target);
    (0..=GRID).map(place).min_by(|x, y| off(x).total_cmp(&off(y))).unwrap_or(at)
}

/// Half a turn on along every parameter that runs all the way round.
fn opposite(couple: &Couple, at: &Four) -> Four {
    let mut turned = *at;
    for (k, value) in turned.iter_mut().enumerate().take(couple.dimension()) {
        let (carrier, number) = couple.owner(k);
        if !carrier.bounds(number).is_bounded() && carrier.home(number).is_bounded() {
            *value += carrier.home(number).width() / 2.0;
        }
    }
    turned
}
