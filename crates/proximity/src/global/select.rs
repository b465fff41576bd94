//! Which parts of bodies of many faces can matter at a pose, so that the others are never cut into pieces.
//!
//! Source: branch and bound over boxes of faces: two groups that are farther apart than some two points of the bodies do not
//! matter.
//! Differs: the points are vertices of faces at first, then those of a rough search between the most promising groups. Heights along
//! the line between these say more than boxes do, as edges bound a face.
//! Ends because: every pair of groups is looked at once or twice.
//! Cost: some tens of instructions for each pair of groups, and the pieces of those that are picked.
//! Not promised: that few are picked. Bodies of too many groups are left to be cut as a whole.

use super::answer::Prepared;
use super::found::{Demand, NearPair};
use super::search::{SearchMemory, search};
use super::side::PLACINGS;
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::Aabb;
use clearance_geometry::pieces::{FaceGroups, PiecesError};
use clearance_geometry::{Body, DVec2, DVec3, Pose};

/// Most pairs of groups.
const MOST_PAIRS: usize = 1 << 14;

/// The share of the distance of two middles that counts beside a bound when the first pair is picked.
const MIDDLE_SHARE: f64 = 0.25;

/// The error of the search for first points, as a share of the size of both bodies, and its budget.
const ROUGHLY: f64 = 1.0 / 256.0;
const ROUGH_PAIRS: u64 = 32;

/// Pairs of groups that are searched for first points: another one while there are none, and more than a few pairs are left.
const TRIES: usize = 3;
const FEW_PAIRS: usize = 4;

/// A body before a search.
pub(crate) enum Uncut<'a> {
    /// Made ready already.
    Ready(&'a Prepared),
    /// By its faces.
    Groups(&'a Body, &'a FaceGroups),
}

/// A box in the frame of A.
struct Placed {
    center: DVec3,
    /// Unit axes and half the sides along them.
    axes: [DVec3; 3],
    half: DVec3,
    lost: f64,
}

impl Placed {
    fn new(center: DVec3, axes: [DVec3; 3], half: DVec3, pose: &Pose) -> Self {
        let center = pose.apply(center);
        let far = pose.translation().abs().max_element();
        let reach = center.abs().max_element() + half.max_element() + far;
        let axes = axes.map(|axis| pose.rotate(axis));
        Self { center, axes, half, lost: PLACINGS * BLEND_ERROR_REL * reach }
    }

    fn of(bound: &Aabb<3>, pose: &Pose) -> Self {
        Self::new(DVec3::from_array(bound.center()), DVec3::AXES, bound.half_extents(), pose)
    }

    /// The greatest height over its middle along a direction.
    fn height(&self, along: DVec3) -> f64 {
        let part = |i: usize| self.axes[i].dot(along).abs() * self.half[i];
        part(0) + part(1) + part(2)
    }

    /// A lower bound on the distance to another box, no better than to show that they are farther apart than `some`, and how
    /// far the middles are apart.
    fn apart(&self, other: &Self, some: f64) -> [f64; 2] {
        let between = other.center - self.center;
        let distance = between.length();
        let reach = self.center.abs().max_element() + other.center.abs().max_element() + distance;
        let lost = self.lost + other.lost + 2.0 * HEIGHT_ERROR_REL * reach;
        let balls = distance - self.half.length() - other.half.length() - lost;
        if balls > some {
            return [balls, distance];
        }
        let along = |axis: DVec3| between.dot(axis).abs() - self.height(axis) - other.height(axis);
        let mut lower = if distance > 0.0 { along(between / distance) } else { 0.0 };
        for axis in self.axes.iter().chain(&other.axes) {
            lower = lower.max(along(*axis));
        }
        [lower - lost, distance]
    }
}

impl<'a> Uncut<'a> {
    const fn body(&self) -> &'a Body {
        match self {
            Self::Ready(ready) => ready.body(),
            Self::Groups(body, _) => body,
        }
    }

    fn extent(&self) -> (DVec3, f64) {
        match self {
            Self::Ready(ready) => ready.extent(),
            Self::Groups(_, groups) => {
                let whole = groups.whole();
                (DVec3::from_array(whole.center()), whole.half_extents().length())
            }
        }
    }

    fn boxes(&self, pose: &Pose) -> Vec<Placed> {
        match self {
            Self::Ready(ready) => {
                let bound = ready.tree().whole();
                let axes = [0, 1, 2].map(|i| bound.axes.col(i));
                vec![Placed::new(bound.center, axes, bound.half, pose)]
            }
            Self::Groups(_, groups) => groups.boxes().iter().map(|bound| Placed::of(bound, pose)).collect(),
        }
    }

    /// Some of its points, in the frame of A.
    fn points(&self, pose: &Pose) -> Vec<DVec3> {
        match self {
            Self::Ready(ready) => {
                // The corner of a trimmed piece may be off the body.
                let pieces = ready.tree().leaves().iter().filter(|piece| !piece.trimmed);
                pieces.map(|piece| pose.apply(piece.point(DVec2::ZERO))).collect()
            }
            Self::Groups(_, groups) => groups.corners().iter().flatten().map(|p| pose.apply(*p)).collect(),
        }
    }

    /// Greatest heights of its boxes' contents along a unit direction of the frame of A, rounding included, where they may
    /// matter; infinite elsewhere.
    fn heights(&self, along: DVec3, pose: &Pose, matters: &[bool]) -> Vec<f64> {
        let (own, offset) = (pose.rotate_inverse(along), pose.translation().dot(along));
        let (center, radius) = self.extent();
        let reach = center.abs().max_element() + radius + pose.translation().abs().max_element();
        let lost = PLACINGS * BLEND_ERROR_REL * reach;
        match self {
            Self::Ready(ready) => {
                let mut highest = f64::NEG_INFINITY;
                for piece in ready.tree().leaves() {
                    for p in &piece.net {
                        let height = p.truncate().dot(own) / p.w + piece.slack + piece.gap;
                        highest = if height > highest { height } else { highest };
                    }
                }
                vec![highest + offset + lost]
            }
            Self::Groups(_, groups) => {
                let of = |at: usize| {
                    if matters[at] { groups.height(at, own) + offset + lost } else { f64::INFINITY }
                };
                (0..matters.len()).map(of).collect()
            }
        }
    }

    /// Some of its groups made ready.
    fn cut(&self, picked: &[bool]) -> Result<Prepared, PiecesError> {
        Ok(match self {
            Self::Ready(ready) => (*ready).clone(),
            Self::Groups(body, groups) => {
                Prepared::of_part(body, groups.tree(|at| picked[at])?, self.extent())
            }
        })
    }
}

/// The least distance of some points of two bodies.
fn between(points: [&[DVec3]; 2]) -> f64 {
    let mut least = f64::INFINITY;
    for p in points[0] {
        for q in points[1] {
            let square = p.distance_squared(*q);
            least = if square < least { square } else { least };
        }
    }
    least.sqrt()
}

/// The pair of groups that promises most among those that were not tried and may be closer than `some`.
fn most_promising(pairs: &[[f64; 2]], some: f64, tried: &[usize]) -> Option<usize> {
    let promise = |at: &usize| pairs[*at][0].max(0.0) + MIDDLE_SHARE * pairs[*at][1];
    let open = (0..pairs.len()).filter(|at| !(pairs[*at][0] > some) && !tried.contains(at));
    open.min_by(|a, b| promise(a).total_cmp(&promise(b)))
}

/// A choice of one.
fn only(count: usize, at: usize) -> Vec<bool> {
    (0..count).map(|k| k == at).collect()
}

/// Which groups of both bodies are in a pair that may be no farther apart than `enough`.
fn matter(pairs: &[[f64; 2]], columns: usize, enough: f64) -> [Vec<bool>; 2] {
    let mut picked = [vec![false; pairs.len() / columns], vec![false; columns]];
    for (at, [lower, _]) in pairs.iter().enumerate() {
        // Written so that NaN is picked.
        if !(*lower > enough) {
            picked[0][at / columns] = true;
            picked[1][at % columns] = true;
        }
    }
    picked
}

/// Raises the bounds of pairs of groups by their heights along the line between two near points: it is nearly that of the nearest
/// ones, along which a box that leans reaches farther than what is in it.
fn raise(
    pairs: &mut [[f64; 2]],
    bodies: &[Uncut<'_>; 2],
    pose_ab: &Pose,
    near: &NearPair,
    matters: &[Vec<bool>; 2],
) {
    if !(near.distance > 0.0) {
        return;
    }
    let along = (near.points[1] - near.points[0]) / near.distance;
    let highest = bodies[0].heights(along, &Pose::IDENTITY, &matters[0]);
    let lowest = bodies[1].heights(-along, pose_ab, &matters[1]);
    let columns = lowest.len();
    for (at, [lower, _]) in pairs.iter_mut().enumerate() {
        let (high, low) = (highest[at / columns], lowest[at % columns]);
        // The direction is of unit length but for rounding.
        let between = -low - high - 8.0 * HEIGHT_ERROR_REL * (low.abs() + high.abs());
        // Written so that NaN is no bound.
        if between > *lower {
            *lower = between;
        }
    }
}

/// What of two bodies can be nearest to the other, or a tie with it within the error that is asked for, made ready. The nearest
/// points of all are among it. `None` where there is nothing to be gained.
///
/// # Errors
/// For surfaces swept by a helix.
pub(crate) fn that_matter(
    bodies: [Uncut<'_>; 2],
    pose_ab: &Pose,
    max_error: Option<f64>,
    memory: &mut SearchMemory,
) -> Result<Option<[Prepared; 2]>, PiecesError> {
    if bodies.iter().all(|body| matches!(body, Uncut::Ready(_))) {
        return Ok(None);
    }
    let boxes = [bodies[0].boxes(&Pose::IDENTITY), bodies[1].boxes(pose_ab)];
    if boxes[0].len() * boxes[1].len() > MOST_PAIRS {
        return Ok(None);
    }
    let columns = boxes[1].len();
    let (center, radius) = bodies[1].extent();
    let usual = Demand::usual([bodies[0].extent(), (pose_ab.apply(center), radius)]);
    let size = bodies[0].extent().1 + radius;
    let rough = Demand { max_error: ROUGHLY * size, max_pairs: ROUGH_PAIRS, ..usual };
    let points = [bodies[0].points(&Pose::IDENTITY), bodies[1].points(pose_ab)];
    let mut some = between([&points[0], &points[1]]);
    let limit = some + max_error.unwrap_or(usual.max_error);
    let mut pairs: Vec<[f64; 2]> = Vec::with_capacity(boxes[0].len() * columns);
    for one in &boxes[0] {
        pairs.extend(boxes[1].iter().map(|other| one.apart(other, limit)));
    }
    let mut tried = [usize::MAX; TRIES];
    let mut last = None;
    for k in 0..TRIES {
        let Some(first) = most_promising(&pairs, some, &tried[..k]) else { break };
        let one = [
            bodies[0].cut(&only(boxes[0].len(), first / columns))?,
            bodies[1].cut(&only(columns, first % columns))?,
        ];
        let trees = [one[0].tree(), one[1].tree()];
        let near = search(bodies.each_ref().map(Uncut::body), trees, pose_ab, rough, memory).nearest;
        some = near.map_or(some, |near| some.min(near.distance));
        tried[k] = first;
        last = Some((first, one));
        if let Some(near) = &near {
            let matters = matter(&pairs, columns, some + max_error.unwrap_or(usual.max_error));
            raise(&mut pairs, &bodies, pose_ab, near, &matters);
        }
        let few = pairs.iter().filter(|[lower, _]| *lower <= some).count() <= FEW_PAIRS;
        // Points of another pair are seldom much closer, and cost as much as some groups that do not matter.
        if few || near.is_some() {
            break;
        }
    }
    let enough = some + max_error.unwrap_or(usual.max_error);
    let picked = matter(&pairs, columns, enough);
    // Most often the pair that was looked at last is all that is left.
    let is_only =
        |picked: &[bool], at: usize| picked[at] && picked.iter().filter(|is_it| **is_it).count() == 1;
    match last {
        Some((at, one)) if is_only(&picked[0], at / columns) && is_only(&picked[1], at % columns) => {
            Ok(Some(one))
        }
        _ => Ok(Some([bodies[0].cut(&picked[0])?, bodies[1].cut(&picked[1])?])),
    }
}
