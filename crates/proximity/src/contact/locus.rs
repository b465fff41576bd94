//! All nearest points of two bodies, where they are not unique: points, curves and areas.
//!
//! Source: the nearest pairs of two bodies are those of their features; along a direction in which the Hessian of the
//! squared distance vanishes they go on (003 §4.2.3, infinitely many solutions; algorithms §6).
//! Differs: the set is not traced but sampled. Pairs of parts of all features that may be as near as the nearest are cut down
//! to a spacing, and from the middle of each the distance is descended: that leaves what is flat as it is and leads
//! everything else to the set. Vertices and edges have parts of their own, so that the ends of a curve and the corners of
//! an area are among the samples.
//! Ends because: parts are not cut below the spacing, and there is a budget of pairs.
//! Cost: some pairs of parts for each sample of a curve, some ten for one of an area.
//! Not promised: regions narrower than the spacing keep their samples but may be called curves.

use super::net::{Net, gap};
use super::scene::Scene;
use super::shape::connected;
use crate::Witness;
use crate::global::descend::{Bounds, descend};
use crate::global::{NearPair, Prepared, witness};
use crate::tolerance::TOUCH_REL;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3, Pose};

/// What the nearest points of a region form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// A single pair.
    Point,
    /// A curve on each body.
    Curve,
    /// An area on each body.
    Area,
}

/// A connected set of nearest pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Pairs of points on A and B, in the frame of A; of a curve in order.
    pub samples: Vec<[DVec3; 2]>,
    /// Whether a curve ends where it begins.
    pub closed: bool,
    /// One of the samples with the features that it is on; of a curve one of its middle, of an area one within it.
    pub witnesses: [Witness; 2],
}

/// All nearest pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Locus {
    /// Connected sets; never empty.
    pub regions: Vec<Region>,
    /// How far samples of one region are apart; a length.
    pub spacing: f64,
    /// Whether the budget sufficed.
    pub complete: bool,
}

/// Parts along the smaller body at first, and along the set once it is known how large that is.
const PARTS: f64 = 8.0;
const SET_PARTS: f64 = 12.0;

/// Pairs of parts looked at for one spacing.
const MOST_PAIRS: u64 = 60_000;

/// Times that the spacing is made finer.
const REFINEMENTS: usize = 3;

/// The share of the spacing within which samples are one.
pub(super) const SAME: f64 = 0.5;

/// A pair of points found on two parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) points: [DVec3; 2],
    pieces: [u32; 2],
    local: [DVec2; 2],
    /// Dimensions of both features together: the least first, so that corners are kept.
    freedom: usize,
}

/// Finds all pairs of points that are no farther apart than a nearest pair, within `error` (a length).
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::contact::{RegionKind, locus};
/// use clearance_proximity::global::{Prepared, SearchMemory, search};
/// let rod = Prepared::new(&Body::from(TiledBody::cylinder(1.0, 4.0)?))?;
/// let beside = Pose::from_translation(DVec3::X * 3.0)?;
/// let demand = rod.demand(&rod, &beside);
/// let bodies = [rod.body(), rod.body()];
/// let found = search(bodies, [rod.tree(), rod.tree()], &beside, demand, &mut SearchMemory::default());
/// let near = found.nearest.ok_or("nothing found")?;
/// let set = locus(&rod, &rod, &beside, &near, 1e-9);
/// assert_eq!((set.regions.len(), set.regions[0].kind), (1, RegionKind::Curve));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locus(a: &Prepared, b: &Prepared, pose_ab: &Pose, nearest: &NearPair, error: f64) -> Locus {
    let scene = Scene::new(a, b, pose_ab);
    let bound = nearest.distance + error.max(TOUCH_REL * scene.reach);
    let mut spacing = 2.0 * a.radius().min(b.radius()) / PARTS;
    if !(spacing > 0.0) {
        spacing = 2.0 * a.radius().max(b.radius()) / PARTS;
    }
    let freedom = (0..2).map(|i| scene.piece(i, nearest.pieces[i]).dimension).sum();
    let NearPair { points, pieces, local, .. } = *nearest;
    let given = Sample { points, pieces, local, freedom };
    for _ in 0..REFINEMENTS {
        let (samples, complete) = samples(&scene, bound, spacing, given);
        let finer = extent(&samples) / SET_PARTS;
        // The set is a point, or sampled well enough.
        if samples.len() == 1 || finer >= 0.5 * spacing || !complete {
            return Locus { regions: regions(&scene, samples, spacing), spacing, complete };
        }
        spacing = finer;
    }
    let (samples, complete) = samples(&scene, bound, spacing, given);
    Locus { regions: regions(&scene, samples, spacing), spacing, complete }
}

/// How far samples spread.
fn extent(samples: &[Sample]) -> f64 {
    let points = samples.iter().map(|sample| sample.points);
    let (low, high) = points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), s| {
        (l.min(s[0].min(s[1])), h.max(s[0].max(s[1])))
    });
    let apart = samples.first().map_or(0.0, |s| s.points[0].distance(s.points[1]));
    ((high - low).length() - apart).max(0.0)
}

/// Pairs of points within the bound at a spacing.
fn samples(scene: &Scene, bound: f64, spacing: f64, given: Sample) -> (Vec<Sample>, bool) {
    let mut found = vec![given];
    let mut budget = MOST_PAIRS;
    for pieces in scene.pairs(false, bound) {
        let mut waiting = vec![[0, 1].map(|i| scene.net(i, pieces[i]).clone())];
        while let Some(nets) = waiting.pop() {
            let outside = |i: usize| scene.cover(i, pieces[i], nets[i].low, nets[i].high) == Cover::Outside;
            if gap(&nets[0], &nets[1], bound) > bound || outside(0) || outside(1) {
                continue;
            }
            if budget == 0 {
                return (thinned(found, spacing), false);
            }
            budget -= 1;
            let [(axis_a, long_a), (axis_b, long_b)] = [nets[0].longest(), nets[1].longest()];
            let [a, b] = &nets;
            if a.dimension > 0 && long_a > spacing && (long_a >= long_b || b.dimension == 0) {
                waiting.extend(a.halves(axis_a).map(|half| [half, b.clone()]));
            } else if b.dimension > 0 && long_b > spacing {
                waiting.extend(b.halves(axis_b).map(|half| [a.clone(), half]));
            } else {
                found.extend(descended(scene, pieces, &nets, bound));
            }
        }
    }
    (thinned(found, spacing), true)
}

/// The nearest pair of two parts, if it is within the bound and on both faces.
fn descended(scene: &Scene, pieces: [u32; 2], nets: &[Net; 2], bound: f64) -> Option<Sample> {
    let bounds = Bounds::whole([nets[0].dimension, nets[1].dimension]);
    let mut work = 0;
    let value = descend(&nets[0], &nets[1], bounds.middle(), &bounds, &mut work);
    if !((2.0 * value.half_square).sqrt() <= bound) {
        return None;
    }
    let own = [DVec2::new(value.at[0], value.at[1]), DVec2::new(value.at[2], value.at[3])];
    let local = [0, 1].map(|i| nets[i].in_piece(own[i]));
    let held = (0..2).all(|i| scene.holds(i, pieces[i], local[i]));
    let freedom = nets[0].dimension + nets[1].dimension;
    held.then_some(Sample { points: value.points, pieces, local, freedom })
}

/// One sample for each place.
fn thinned(mut all: Vec<Sample>, spacing: f64) -> Vec<Sample> {
    all.sort_by_key(|sample| sample.freedom);
    let mut kept: Vec<Sample> = Vec::new();
    for sample in all {
        let ([p, q], near) = (sample.points, SAME * spacing);
        let same = |Sample { points: [r, s], .. }: &Sample| p.distance(*r).max(q.distance(*s)) <= near;
        if !kept.iter().any(same) {
            kept.push(sample);
        }
    }
    kept
}

/// Connected regions of samples.
fn regions(scene: &Scene, samples: Vec<Sample>, spacing: f64) -> Vec<Region> {
    let region = |(kind, samples, closed): (RegionKind, Vec<Sample>, bool)| {
        // Of an area one that is on no edge.
        let most = (0..samples.len()).max_by_key(|&k| samples[k].freedom).unwrap_or(0);
        let middle = samples[if kind == RegionKind::Area { most } else { samples.len() / 2 }];
        let on = |i: usize| witness(scene.piece(i, middle.pieces[i]), middle.local[i], middle.points[i]);
        let samples = samples.into_iter().map(|sample| sample.points).collect();
        Region { kind, samples, closed, witnesses: [on(0), on(1)] }
    };
    connected(samples, spacing).into_iter().map(region).collect()
}
