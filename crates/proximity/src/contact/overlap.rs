//! The connected parts of the overlap of two bodies, and how deep each is.
//!
//! Source: algorithms §6: a depth for each loop of the intersection, for bodies that need not be convex.
//! Differs: parts of the surfaces inside the other body are connected with each other and with the curves that bound them;
//! what hangs together is one region. Its depth is [`DEEPEST_POINT`]: it is continuous while regions do not join, zero at first
//! contact, and equals the penetration depth where a cap of one body enters another. It comes with a bound from above.
//! Ends because: budgets of questions about points.
//! Cost: some thousand distances of points from each body.
//! Not promised: regions whose inner surfaces are connected only through strips narrower than the parts may be split in two.

use super::cell::{Cell, Surveyor};
use super::field::Field;
use super::intersection::{Intersection, TraceDemand, trace};
use super::patches::{Part, group};
use super::scene::Scene;
use super::summit::{Summit, summit};
use crate::Witness;
use crate::global::{Prepared, witness};
use clearance_geometry::{DVec3, Pose};

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
    /// No point of the region is deeper, as far as its surfaces were looked at; infinite where nothing is known.
    pub upper: f64,
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
    /// Whether points of one surface were found on the other and none inside: bodies that coincide have no region, since by
    /// its definition it would have no depth.
    pub is_flush: bool,
    /// Whether the time was up before all was looked at: regions may be missing, in parts, or deeper than was found.
    pub is_late: bool,
    /// The curves along which the surfaces cross.
    pub intersection: Intersection,
}

/// Questions about points that the depths of all regions may take, and those of each at least.
const MOST_QUESTIONS: usize = 8_000;
const LEAST_QUESTIONS: usize = 400;

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
        return Overlap { regions: Vec::new(), is_flush: false, is_late: intersection.late, intersection };
    }
    let mut surveyor = Surveyor { scene: &scene, field: Field::new([a, b], pose_ab, demand.deadline) };
    let survey = group(&mut surveyor, &intersection);
    let questions = (MOST_QUESTIONS / survey.parts.len().max(1)).max(LEAST_QUESTIONS);
    let region = |part: Part| {
        let Summit { cell, upper } = summit(&mut surveyor, part.cells, questions)?;
        region(&mut surveyor, &cell, upper, part.curves)
    };
    let mut regions: Vec<OverlapRegion> = survey.parts.into_iter().filter_map(region).collect();
    regions.sort_by(|one, other| other.depth.total_cmp(&one.depth));
    let is_late = intersection.late || surveyor.field.is_late;
    Overlap { is_flush: survey.flush && regions.is_empty(), is_late, regions, intersection }
}

/// A region by its deepest point, the middle of a part.
fn region(surveyor: &mut Surveyor, cell: &Cell, upper: f64, curves: Vec<usize>) -> Option<OverlapRegion> {
    let (side, other) = (cell.side, 1 - cell.side);
    let target = surveyor.field.across(side, cell.middle);
    let found = surveyor.field.at(other, target, None).filter(|found| found.signed_distance < 0.0)?;
    let point = surveyor.field.in_a(side, cell.middle);
    let own = witness(surveyor.scene.piece(side, cell.piece), cell.local(), point);
    let foot = surveyor.field.in_a(other, found.witness.point);
    let nearest = Witness { point: foot, ..found.witness };
    let witnesses = if side == 0 { [own, nearest] } else { [nearest, own] };
    let points = witnesses.map(|witness| witness.point);
    let depth = -found.signed_distance;
    let normal = ((points[0] - points[1]) / depth).normalize_or_zero();
    let upper = upper.max(depth);
    Some(OverlapRegion { points, normal, depth, upper, witnesses, definition: DEEPEST_POINT, curves })
}
