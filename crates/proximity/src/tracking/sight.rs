//! What one part of a body says of a plane or a sphere across the nearest points.
//!
//! Source: see `crest`; bounds on derivatives as in the certified search (see `global`).
//! Differs: with n the normal at p and κ the curvature of the sphere, ψ(x) = n·(x − p) + κ/2 |x − p|² says how far x is beyond.
//! Ends because: loops run over control points.
//! Cost: one pass over control points.
//! Not promised: the sharpest bound.

use super::foot::Foot;
use super::hull::top_of;
use crate::global::derivatives::{Ball, Derivatives};
use crate::global::side::{Cell, Part, Side};
use crate::global::slab::spread;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// The share of its curvature that a sphere may gain or lose while parts are known.
pub(super) const BENDING: f64 = 1.0 / 16.0;

/// A plane or a sphere through a nearest point, as its body sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// The unit normal, out of the body.
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
    /// The curvature: positive for a ball that holds the body, negative for one that is kept free of it.
    pub(super) bend: f64,
    /// What points may be beyond; a length.
    pub(super) share: f64,
    /// What rounding may take off; a length.
    pub(super) round: f64,
    /// No two points of the body are farther apart.
    pub(super) span: f64,
    /// Where the point is on its piece, and the derivatives there.
    pub(super) piece: u32,
    pub(super) at: DVec2,
    pub(super) jet: SurfaceJet,
}

impl Sight {
    /// How far a point is beyond.
    pub(super) fn beyond(&self, x: DVec3) -> f64 {
        let y = x - self.point;
        self.normal.dot(y) + 0.5 * self.bend * y.length_squared()
    }

    /// The derivative of that.
    pub(super) fn slope_at(&self, x: DVec3) -> DVec3 {
        self.normal + self.bend * (x - self.point)
    }
}

/// The parameter along which to cut a cell; `None` where it is too small.
pub(super) fn axis_of(side: &Side<'_>, at: u32, now: &Sight) -> Option<usize> {
    let cell = side.cell(at);
    let heights = spread(side, at, now.slope_at(cell.center));
    let small = cell.dimension == 0 || heights[0].max(heights[1]) <= cell.slack;
    (!small).then_some(usize::from(cell.dimension == 2 && heights[1] > heights[0]))
}

/// The most that a point of a part can be beyond, and be away from the nearest point.
pub(super) fn farthest(side: &mut Side<'_>, part: Part, now: &Sight) -> (f64, f64) {
    let (center, radius) = side.ball(part);
    let reach = center.distance(now.point) + radius;
    let steep = 1.0 + now.bend.abs() * reach;
    if let (Part::Cell(at), true) = (part, now.bend > 0.0) {
        // A convex function is greatest at control points.
        let cell = side.cell(at);
        let Sight { normal, point, bend, .. } = *now;
        let most = side.columns(cell).most(|x, y, z| {
            let (x, y, z) = (x - point.x, y - point.y, z - point.z);
            x * normal.x + y * normal.y + z * normal.z + 0.5 * bend * (x * x + y * y + z * z)
        });
        return (most + steep * (cell.slack + now.round), reach);
    }
    let along = now.slope_at(center);
    let (height, lost) = match part {
        Part::Cell(_) => side.height(part, along),
        Part::Node(_) => {
            let top = top_of(side, part, along);
            (top.height, top.lost)
        }
    };
    let bulge = 0.5 * now.bend.max(0.0) * radius * radius;
    (now.beyond(center) + (height - along.dot(center)) + bulge + steep * (lost + now.round), reach)
}

/// A corner of a cell that belongs to the body and is beyond, by the parameters of its piece.
pub(super) fn corner_beyond(side: &Side<'_>, cell: &Cell, now: &Sight) -> Option<DVec2> {
    let points = side.points(cell);
    let (last, width) = (points.len() - 1, cell.degrees[1]);
    let corners = [
        (0, cell.low),
        (width, DVec2::new(cell.low.x, cell.high.y)),
        (last - width, DVec2::new(cell.high.x, cell.low.y)),
        (last, cell.high),
    ];
    let beyond = |&(i, local): &(usize, DVec2)| {
        now.beyond(points[i]) - cell.slack > now.share
            && (cell.cover == Cover::Inside || side.holds(cell, local))
    };
    corners.into_iter().find(beyond).map(|(_, local)| local)
}

/// How much a cell of which one corner is the nearest point falls away from it, as a share of the distance: the turning that it
/// outlasts. `None` where it does not, or rounding takes more than `least` of it.
pub(super) fn fall(side: &Side<'_>, cell: &Cell, now: &Sight, least: f64) -> Option<f64> {
    let steep = 1.0 + now.bend.abs() * (cell.center.distance(now.point) + cell.radius);
    let lost = steep * (cell.slack + now.round);
    let points = side.points(cell);
    let near = |p: DVec3| p.distance(now.point) <= least;
    let (last, width) = (points.len() - 1, cell.degrees[1]);
    if lost > least || ![0, width, last - width, last].iter().any(|&i| near(points[i])) {
        return None;
    }
    let mut share = f64::INFINITY;
    for p in points.iter().filter(|p| !near(**p)) {
        let away = *p - now.point;
        let length = away.length();
        // A convex function is below what control points say; of a concave one the tangent plane is above it.
        let beyond = now.normal.dot(away) + 0.5 * now.bend.max(0.0) * length * length;
        share = share.min(-(beyond + lost) / length);
    }
    // Written so that NaN is refused.
    (share > 0.0 && share < f64::INFINITY).then_some(share)
}

/// The turning that the slope of a cell outlasts; not positive where it has none.
pub(super) fn slope(cell: &Cell, derivatives: &Derivatives, now: &Sight) -> f64 {
    let toward = now.slope_at(cell.center);
    let Some(weights) = derivatives.steepest(cell.dimension, toward) else { return 0.0 };
    let [u, v] = &derivatives.first;
    let along = u.center * weights[0] + v.center * weights[1];
    let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
    let size = along.length();
    let rise = along.dot(toward) - error * toward.length() - now.bend.abs() * cell.radius * (size + error);
    rise / (size + error)
}

/// The second derivatives of ψ over a cell, and what turning adds to them.
pub(super) struct Bending {
    /// Along u, along v and mixed: at the middle, what it may be off, and by how much more for each turning.
    entries: [[f64; 3]; 3],
    dimension: usize,
}

impl Bending {
    pub(super) fn new(cell: &Cell, derivatives: &Derivatives, now: &Sight) -> Self {
        let slope = Ball { center: now.slope_at(cell.center), radius: now.bend.abs() * cell.radius };
        let [u, v] = &derivatives.first;
        let entry = |second: &Ball, one: &Ball, other: &Ball| {
            let [bend, off] = slope.dot(second);
            let [metric, wide] = one.dot(other);
            let size = (one.center.length() + one.radius) * (other.center.length() + other.radius);
            let off = off + now.bend.abs() * (wide + BENDING * size);
            [bend + now.bend * metric, off, second.center.length() + second.radius]
        };
        let [uu, uv, vv] = &derivatives.second;
        let along_u = entry(uu, u, u);
        let dimension = cell.dimension;
        if dimension == 1 {
            return Self { entries: [along_u, [0.0; 3], [0.0; 3]], dimension };
        }
        Self { entries: [along_u, entry(vv, v, v), entry(uv, u, v)], dimension }
    }

    /// By how much the cell is at least concave along each parameter, for all turnings up to `margin`.
    pub(super) fn concave(&self, margin: f64) -> Option<[f64; 2]> {
        let [least_u, least_v, _] = self.entries.map(|[bend, off, grows]| -bend - (off + margin * grows));
        if self.dimension == 1 {
            return (least_u > 0.0).then_some([least_u, 0.0]);
        }
        if !(least_u > 0.0 && least_v > 0.0) {
            return None;
        }
        let [mixed, off, grows] = self.entries[2];
        // A matrix with these diagonal entries at least and this mixed one at most is above a diagonal one.
        let share = 1.0 - (mixed.abs() + (off + margin * grows)) / (least_u * least_v).sqrt();
        (share > 0.0).then_some([share * least_u, share * least_v])
    }
}

/// The curvature of a sphere that may keep both features apart at their nearest points, as A sees it; `None` where none does.
/// `radius` is that of the larger body: spheres that are flatter than both bodies are preferred.
pub(super) fn bend_between(
    foot: &Foot,
    normals: [DVec3; 2],
    distance: f64,
    radius: f64,
) -> Option<BendRange> {
    // A is below a sphere of less than this curvature; B is above one of more than that.
    let most = -foot.bulge(0, normals[0]);
    let bulge = foot.bulge(1, normals[1]);
    let least = if bulge == f64::NEG_INFINITY { -1.0 / distance } else { bulge / (1.0 - bulge * distance) };
    if !(bulge * distance < 1.0 && least < most) {
        return None;
    }
    let flat = FLATNESS / (radius + distance);
    let (low, high) = if least >= flat {
        (least, most.min(STEEPEST * least))
    } else if most <= -flat {
        (least.max(STEEPEST * most), most)
    } else {
        (least.max(-flat), most.min(flat))
    };
    Some(BendRange { least, best: 0.5 * (low + high), most })
}

/// Curvatures of spheres between two features at their nearest points.
#[derive(Clone, Copy, Debug)]
pub(super) struct BendRange {
    least: f64,
    pub(super) best: f64,
    most: f64,
}

impl BendRange {
    /// Whether a curvature is not close to the ends of the range.
    pub(super) fn has_well(&self, bend: f64) -> bool {
        // The most may be infinite.
        bend - self.least >= WELL_WITHIN * (self.best - self.least)
            && self.most - bend >= WELL_WITHIN * (self.most - self.best)
    }
}

/// The curvature that needs no better reason, over that of a ball around the larger body and the gap.
const FLATNESS: f64 = 0.5;

/// The share of the way from the best curvature to the ends of the range that a sphere keeps away from them.
const WELL_WITHIN: f64 = 0.25;

/// How much more than the least curvature that will do is thought of.
const STEEPEST: f64 = 3.0;
