//! The connected parts of the overlap of two bodies, and how deep each is.
//!
//! Source: algorithms §6: a depth for each loop of the intersection, for bodies that need not be convex.
//! Differs: parts of the surfaces inside the other body are sampled and connected with the curves that bound them; what is
//! connected is one region. Its depth is [`DEEPEST_POINT`]: it is continuous while regions do not join, zero at first
//! contact, and equals the penetration depth where a cap of one body enters another.
//! Ends because: budgets of parts and of samples.
//! Cost: a test for the inside for each sample, and a search for nearest points for some of them.
//! Not promised: regions whose inner surfaces are connected only through strips narrower than the samples may be split in
//! two. Depths are found by local ascent from samples: a lower bound, exact where the right summit is climbed.

use super::inside::is_inside;
use super::intersection::{Intersection, TraceDemand, trace};
use super::patches::{Spot, group};
use super::scene::Scene;
use super::thread::threads;
use crate::Witness;
use crate::global::descend::Shape;
use crate::global::{Demand, Found, NearPair, Prepared, SearchMemory, search, witness};
use crate::tolerance::{ASCENT_REL, CERTIFIED_REL, OVERLAP_ERROR_REL, OVERLAP_ERROR_SHARE};
use clearance_geometry::{Body, DVec2, DVec3, Polytope, Pose};

/// The definition of the depth of a region.
pub const DEEPEST_POINT: &str =
    "largest distance of a point of either surface inside the other body from that body's surface";

/// A connected part of an overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapRegion {
    /// The deepest point, and the nearest point of the other surface; the first on A, the second on B, in the frame of A.
    pub points: [DVec3; 2],
    /// Unit vector from A to B: the second point minus the first is minus the depth times it.
    pub normal: DVec3,
    /// How deep; a length.
    pub depth: f64,
    /// The same points with the features that they are on.
    pub witnesses: [Witness; 2],
    /// What the depth is.
    pub definition: &'static str,
    /// The curves that bound the surfaces inside, by their place in [`Overlap::intersection`].
    pub curves: Vec<usize>,
}

/// The overlap of two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Its connected parts, the deepest first. None where one body is a surface without an inside, or where they do not
    /// overlap.
    pub regions: Vec<OverlapRegion>,
    /// The curves along which the surfaces cross.
    pub intersection: Intersection,
}

/// Samples of a region from which its depth is looked for, and how many of them are climbed from.
const MOST_SPOTS: usize = 32;
const CLIMBS: usize = 2;

/// Steps of a climb.
const MOST_STEPS: usize = 60;

/// Pairs that one search for the nearest point of a surface may look at.
const MOST_PAIRS: u64 = 400;

/// Finds the connected parts of the overlap of A and B at `pose_ab`.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::contact::{TraceDemand, overlap};
/// use clearance_proximity::global::Prepared;
/// let ball = Prepared::new(&Body::from(TiledBody::sphere(1.0)?))?;
/// let beside = Pose::from_translation(DVec3::X * 1.5)?;
/// let found = overlap(&ball, &ball, &beside, &TraceDemand::for_bodies(&ball, &ball));
/// assert_eq!(found.regions.len(), 1);
/// assert!((found.regions[0].depth - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap(a: &Prepared, b: &Prepared, pose_ab: &Pose, demand: &TraceDemand) -> Overlap {
    let scene = Scene::new(a, b, pose_ab);
    let intersection = trace(&scene, demand);
    if a.body().is_surface_only() || b.body().is_surface_only() {
        return Overlap { regions: Vec::new(), intersection };
    }
    let Ok(point) = Prepared::new(&Body::from(Polytope::point())) else {
        return Overlap { regions: Vec::new(), intersection };
    };
    let mut gauge = Gauge::new(&scene, *pose_ab, point);
    let mut regions: Vec<OverlapRegion> = group(&scene, &intersection)
        .into_iter()
        .chain(threads(&scene, demand.floor))
        .filter_map(|mut part| {
            part.spots.extend(under_curves(&scene, &mut gauge, &intersection, &part.curves));
            deepest(&scene, &mut gauge, part.spots)
                .map(|found| OverlapRegion { curves: part.curves, ..found })
        })
        .collect();
    regions.sort_by(|one, other| other.depth.total_cmp(&one.depth));
    Overlap { regions, intersection }
}

/// Distances of points from the surfaces of both bodies.
pub(super) struct Gauge<'a> {
    scene: &'a Scene<'a>,
    point: Prepared,
    surfaces: [Body; 2],
    pose_ab: Pose,
    memory: SearchMemory,
}

impl<'a> Gauge<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, pose_ab: Pose, point: Prepared) -> Self {
        let surfaces = scene.bodies.map(|body| body.body().boundary());
        Self { scene, point, surfaces, pose_ab, memory: SearchMemory::default() }
    }

    /// The point of a surface nearest to a point in the frame of A. The error is a share of the distance where that is less:
    /// next to an edge a point of the wrong face is hardly farther away than the edge.
    pub(super) fn nearest(&mut self, side: usize, target: DVec3, max_error: f64) -> Option<NearPair> {
        let mut error = max_error;
        let mut pair = self.search(side, target, error).nearest?;
        while error > (OVERLAP_ERROR_SHARE * pair.distance).max(CERTIFIED_REL * self.scene.size) {
            error = (OVERLAP_ERROR_SHARE * pair.distance).max(CERTIFIED_REL * self.scene.size);
            pair = self.search(side, target, error).nearest?;
        }
        if side == 1 {
            pair.points = pair.points.map(|p| self.pose_ab.apply(p));
        }
        Some(pair)
    }

    /// Proven: no point of a surface is closer to a point in the frame of A.
    pub(super) fn room(&mut self, side: usize, target: DVec3, max_error: f64) -> f64 {
        self.search(side, target, max_error).lower
    }

    fn search(&mut self, side: usize, target: DVec3, max_error: f64) -> Found {
        let local = if side == 0 { target } else { self.pose_ab.apply_inverse(target) };
        let pose = Pose::IDENTITY.with_translation(local);
        let demand = Demand { max_error, contact: 0.0, max_pairs: MOST_PAIRS, proof: None, deadline: None };
        let trees = [self.scene.bodies[side].tree(), self.point.tree()];
        let bodies = [&self.surfaces[side], self.point.body()];
        search(bodies, trees, &pose, demand, &mut self.memory)
    }

    /// How far a point of one surface is from the other.
    fn depth(&mut self, spot: &Spot, max_error: f64) -> f64 {
        self.nearest(1 - spot.side, spot.point, max_error).map_or(0.0, |pair| pair.distance)
    }
}

/// Points of both surfaces under the middle of each curve: where a small cap is deepest.
fn under_curves(scene: &Scene, gauge: &mut Gauge, found: &Intersection, curves: &[usize]) -> Vec<Spot> {
    let mut spots = Vec::new();
    for &curve in curves {
        let points: Vec<DVec3> = found.curves[curve].points().map(|p| p.point).collect();
        let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        for side in 0..2 {
            let Some(pair) = gauge.nearest(side, middle, OVERLAP_ERROR_REL * scene.size) else { continue };
            let piece = pair.pieces[0];
            if scene.piece(side, piece).dimension == 2
                && is_inside(scene, 1 - side, pair.points[0]) == Some(true)
            {
                let step = 1.0 / 8.0;
                spots.push(Spot { side, piece, local: pair.local[0], point: pair.points[0], step });
            }
        }
    }
    spots
}

/// The deepest point of a region.
fn deepest(scene: &Scene, gauge: &mut Gauge, spots: Vec<Spot>) -> Option<OverlapRegion> {
    let stride = spots.len().div_ceil(MOST_SPOTS).max(1);
    // The last ones are those under the curves.
    let chosen = spots.iter().rev().step_by(stride);
    let rough = OVERLAP_ERROR_REL * scene.size;
    let mut ranked: Vec<(f64, Spot)> = chosen.map(|spot| (gauge.depth(spot, rough), *spot)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    ranked.truncate(CLIMBS);
    let climbed = ranked.into_iter().map(|(_, spot)| climb(scene, gauge, spot));
    let (depth, spot) = climbed.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let nearest = gauge.nearest(1 - spot.side, spot.point, OVERLAP_ERROR_REL * scene.size)?;
    let foot = nearest.points[0];
    let on =
        |side: usize, piece: u32, local: DVec2, point: DVec3| witness(scene.piece(side, piece), local, point);
    let own = on(spot.side, spot.piece, spot.local, spot.point);
    let other = on(1 - spot.side, nearest.pieces[0], nearest.local[0], foot);
    let witnesses = if spot.side == 0 { [own, other] } else { [other, own] };
    let points = witnesses.map(|witness| witness.point);
    let normal = ((points[0] - points[1]) / depth.max(f64::MIN_POSITIVE)).normalize_or_zero();
    Some(OverlapRegion { points, normal, depth, witnesses, definition: DEEPEST_POINT, curves: Vec::new() })
}

/// Climbs from a sample on its piece, along each parameter by turns.
fn climb(scene: &Scene, gauge: &mut Gauge, start: Spot) -> (f64, Spot) {
    // Nearest points are found by descent, which is as exact as rounding allows whatever the error proven.
    let error = OVERLAP_ERROR_REL * scene.size;
    let mut best = (gauge.depth(&start, error), start);
    let mut step = start.step;
    let net = scene.net(start.side, start.piece);
    let mut steps = 0;
    while steps < MOST_STEPS && step > ASCENT_REL {
        let mut moved = false;
        for along in [DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y] {
            let local = (best.1.local + along * step).clamp(DVec2::ZERO, DVec2::ONE);
            if local == best.1.local || !scene.holds(start.side, start.piece, local) {
                continue;
            }
            let spot = Spot { local, point: net.jet(local).point, ..best.1 };
            steps += 1;
            let depth = gauge.depth(&spot, error);
            if depth > best.0 && is_inside(scene, 1 - start.side, spot.point) != Some(false) {
                best = (depth, spot);
                moved = true;
                break;
            }
        }
        if !moved {
            step *= 0.25;
        }
    }
    best
}
