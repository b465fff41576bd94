//! The places of a curved body, convex or not, that face a direction: corners, points of sharp edges, and where round faces
//! have their farthest points.
//!
//! Source: none.
//! Differs: nothing to differ from.
//! Ends because: loops over samples; ascents are counted.
//! Cost: a product for each sample, a dozen evaluations for each round place.
//! Not promised: every place: edges and round faces are looked at from samples, one for each eighth of a half turn that they bend
//! by, so that smaller bumps are missed.

use super::round::{around, is_corner};
use crate::tolerance::{EVENT_BELOW_REL, EVENT_SHARP_RAD, EVENT_SLOPE_REL};
use clearance_geometry::curve::{Curve, Rect};
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{EdgeKind, Side, TiledBody, TiledEdge};
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId};

/// Fewest and most points along each side of the grid over a round face.
const GRID: [usize; 2] = [6, 64];

/// Fewest and most stretches of a curved edge between samples.
const ALONG: [usize; 2] = [8, 512];

/// Samples for each half turn that a curve bends by.
const PER_HALF_TURN: f64 = 8.0;

/// Chords by which it is seen how far a curve bends.
const CHORDS: usize = 256;

/// The farthest points of edges are numbered from here.
const PEAKS: u32 = 1 << 16;

/// Steps of an ascent.
const STEPS: usize = 24;

/// Sections of an interval around a sample: heights are then right to their square, 1e-13 of the spacing.
const SECTIONS: usize = 30;

/// A body made ready: its samples.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    body: TiledBody,
    /// Corners and points of edges: places that touch of themselves.
    fixed: Vec<Spot>,
    /// Edges that are circles, or parts of them.
    circles: Vec<EdgeId>,
    /// Other curved edges, between whose samples the farthest point may lie.
    rims: Vec<Rim>,
    faces: Vec<Grid>,
}

/// A curved edge, but for circles.
#[derive(Clone, Debug)]
struct Rim {
    edge: EdgeId,
    /// Samples in order; of one with ends, both of them.
    points: Vec<DVec3>,
    closed: bool,
    /// Stretches between them.
    stretches: usize,
}

/// A place on the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) feature: Feature,
    /// Which of the feature's places.
    pub(crate) index: u32,
    pub(crate) point: DVec3,
}

/// Samples of a round face.
#[derive(Clone, Debug)]
struct Grid {
    face: FaceId,
    bounds: Rect,
    /// Rows, along u, and columns, along v.
    counts: [usize; 2],
    /// Row by row; none where the parameters are not the face's.
    points: Vec<Option<DVec3>>,
    /// The largest distance of neighbours.
    cell: f64,
}

impl Skin {
    pub(crate) fn new(body: &TiledBody) -> Self {
        let (mut fixed, mut rims) = (Vec::new(), Vec::new());
        let mut circles = Vec::new();
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); body.vertex_count()];
        for (at, edge) in body.edges().iter().enumerate().filter(|(_, edge)| touches(body, edge)) {
            for vertex in edge.vertices.into_iter().flatten() {
                ends[vertex.index()].push(at);
            }
            if matches!(edge.curve, Curve::Circle(_)) {
                circles.push(EdgeId(at as u32));
            } else if !matches!(edge.curve, Curve::Line(_)) {
                let feature = Feature::Edge(EdgeId(at as u32));
                let first = usize::from(edge.vertices.is_some());
                let stretches = samples(|s| edge.point(edge.range.at(s)), ALONG);
                let point = |k: usize| edge.point(edge.range.at(k as f64 / stretches as f64));
                fixed.extend((first..stretches).map(|k| Spot { feature, index: k as u32, point: point(k) }));
                let points = (0..stretches + first).map(point).collect();
                rims.push(Rim { edge: EdgeId(at as u32), points, closed: first == 0, stretches });
            }
        }
        let corners = body.vertices().iter().enumerate().filter(|(at, _)| is_corner(body, &ends[*at]));
        fixed.extend(corners.map(|(at, &point)| Spot {
            feature: Feature::Vertex(VertexId(at as u32)),
            index: 0,
            point,
        }));
        let round = (0..body.face_count()).filter(|&at| !is_straight(&body.faces()[at].surface));
        let faces = round.map(|at| Grid::new(body, FaceId(at as u32))).collect();
        Self { body: body.clone(), fixed, circles, rims, faces }
    }

    /// The places whose height along `direction` is `least` or more.
    pub(crate) fn facing(&self, direction: DVec3, least: f64) -> Vec<Spot> {
        let mut found: Vec<Spot> =
            self.fixed.iter().filter(|spot| spot.point.dot(direction) >= least).copied().collect();
        for &id in &self.circles {
            let near =
                around(self.body.edge(id), direction).filter(|(_, point)| point.dot(direction) >= least);
            let feature = Feature::Edge(id);
            found.extend(near.map(|(index, point)| Spot { feature, index: index as u32, point }));
        }
        for rim in &self.rims {
            let peaks = rim.peaks(self.body.edge(rim.edge), direction).into_iter().enumerate();
            found.extend(peaks.filter(|(_, point)| point.dot(direction) >= least).map(|(index, point)| {
                Spot { feature: Feature::Edge(rim.edge), index: PEAKS + index as u32, point }
            }));
        }
        for grid in &self.faces {
            for (index, at) in grid.peaks(direction, least).into_iter().enumerate() {
                if let Some(point) = self.ascend(grid, at, direction)
                    && point.dot(direction) >= least
                {
                    found.push(Spot { feature: Feature::Face(grid.face), index: index as u32, point });
                }
            }
        }
        found
    }

    /// The farthest point along `direction` near a place; none where there is none within the face.
    fn ascend(&self, grid: &Grid, start: DVec2, direction: DVec3) -> Option<DVec3> {
        let face = self.body.face(grid.face);
        let cell = DVec2::new(
            grid.bounds.u.width() / grid.counts[0] as f64,
            grid.bounds.v.width() / grid.counts[1] as f64,
        );
        let mut at = start;
        for _ in 0..STEPS {
            let jet = face.jet(at);
            let slope = DVec2::new(direction.dot(jet.u), direction.dot(jet.v));
            let level = EVENT_SLOPE_REL * DVec2::new(jet.u.length(), jet.v.length());
            if slope.x.abs() <= level.x && slope.y.abs() <= level.y {
                return (face.side(at) != Side::Outside).then_some(jet.point);
            }
            let [uu, uv, vv] = [jet.uu, jet.uv, jet.vv].map(|second| direction.dot(second));
            let area = uu * vv - uv * uv;
            let step = if uu < 0.0 && area > 0.0 {
                DVec2::new(uv * slope.y - vv * slope.x, uv * slope.x - uu * slope.y) / area
            } else {
                (slope * cell * cell).normalize_or_zero() * cell
            };
            let step = step.clamp(-cell, cell);
            let next = at + step;
            at = DVec2::new(
                kept(next.x, grid.bounds.u.low - cell.x, grid.bounds.u.high + cell.x),
                kept(next.y, grid.bounds.v.low - cell.y, grid.bounds.v.high + cell.y),
            );
        }
        None
    }
}

impl Rim {
    /// Points between samples that are farther along `direction` than these by more than counts.
    fn peaks(&self, edge: &TiledEdge, direction: DVec3) -> Vec<DVec3> {
        let count = self.points.len();
        let height = |at: usize| self.points[at % count].dot(direction);
        let mut found = Vec::new();
        for at in 0..count {
            // Beyond an end there is nothing.
            let (start, end) = (!self.closed && at == 0, !self.closed && at + 1 == count);
            let before = if start { f64::NEG_INFINITY } else { height(at + count - 1) };
            let after = if end { f64::NEG_INFINITY } else { height(at + 1) };
            let own = height(at);
            if !(own >= before && own > after) {
                continue;
            }
            let stretches = self.stretches as f64;
            let place = |s: f64| if self.closed { s.rem_euclid(stretches) } else { s };
            let share = |s: f64| edge.point(edge.range.at(place(at as f64 + s) / stretches));
            let range = [if start { 0.0 } else { -1.0 }, if end { 0.0 } else { 1.0 }];
            let point = farthest(share, range, direction);
            let size = self.points[at].distance(self.points[if end { at - 1 } else { (at + 1) % count }]);
            if point.dot(direction) > own + EVENT_BELOW_REL * size {
                found.push(point);
            }
        }
        found
    }
}

/// The farthest of the points of a range along a direction, of a curve that has one: by the golden section.
fn farthest(point: impl Fn(f64) -> DVec3, [mut low, mut high]: [f64; 2], direction: DVec3) -> DVec3 {
    let height = |s: f64| point(s).dot(direction);
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let mut inner = [high - golden * (high - low), low + golden * (high - low)];
    let mut heights = inner.map(height);
    for _ in 0..SECTIONS {
        if heights[0] < heights[1] {
            low = inner[0];
            inner = [inner[1], low + golden * (high - low)];
            heights = [heights[1], height(inner[1])];
        } else {
            high = inner[1];
            inner = [high - golden * (high - low), inner[0]];
            heights = [height(inner[0]), heights[0]];
        }
    }
    point((low + high) / 2.0)
}

/// Whether points of an edge touch of themselves: it is sharp, or bounds a face that is straight one way at least, and so touches
/// along a line or an area that ends there.
fn touches(body: &TiledBody, edge: &TiledEdge) -> bool {
    let sharp = edge.kind == EdgeKind::Open || edge.angles[1] > EVENT_SHARP_RAD;
    sharp || edge.faces.into_iter().flatten().any(|face| is_straight(&body.face(face).surface))
}

/// Whether a surface is straight one way at least: then it is farthest along a direction on its outline.
fn is_straight(surface: &Surface) -> bool {
    match surface {
        Surface::Plane(_) | Surface::Cylinder(_) | Surface::Cone(_) | Surface::Extrusion(_) => true,
        Surface::Nurbs(nurbs) => nurbs.degrees().contains(&1),
        _ => false,
    }
}

/// How many samples a curve over 0 to 1 needs, within bounds, by how far it bends.
fn samples(point: impl Fn(f64) -> DVec3, [least, most]: [usize; 2]) -> usize {
    let at = |k: usize| point(k as f64 / CHORDS as f64);
    let (mut bend, mut before, mut last) = (0.0, DVec3::ZERO, at(0));
    for k in 1..=CHORDS {
        let next = at(k);
        let chord = (next - last).normalize_or_zero();
        if chord != DVec3::ZERO {
            if before != DVec3::ZERO {
                bend += before.angle_between(chord);
            }
            (before, last) = (chord, next);
        }
    }
    ((bend / std::f64::consts::PI * PER_HALF_TURN).ceil() as usize).clamp(least, most)
}

fn kept(value: f64, low: f64, high: f64) -> f64 {
    value.max(low).min(high)
}

impl Grid {
    fn new(body: &TiledBody, id: FaceId) -> Self {
        let face = body.face(id);
        let bounds = face.region.bounds();
        let across = [1.0 / 6.0, 0.5, 5.0 / 6.0];
        let along_u = |v: f64| samples(|s| face.point(DVec2::new(bounds.u.at(s), bounds.v.at(v))), GRID);
        let along_v = |u: f64| samples(|s| face.point(DVec2::new(bounds.u.at(u), bounds.v.at(s))), GRID);
        let most = |counts: [usize; 3]| counts.into_iter().fold(GRID[0], usize::max);
        let counts = [most(across.map(along_u)), most(across.map(along_v))];
        let mut grid = Self { face: id, bounds, counts, points: Vec::new(), cell: 0.0 };
        for at in 0..counts[0] * counts[1] {
            let at = grid.place(at);
            let inside = face.side(at) != Side::Outside;
            grid.points.push(inside.then(|| face.point(at)));
        }
        for at in 0..grid.points.len() {
            for next in grid.neighbours(at) {
                if let [Some(one), Some(two)] = [grid.points[at], grid.points[next]] {
                    grid.cell = grid.cell.max(one.distance(two));
                }
            }
        }
        // A face with few samples within it is looked at all the same.
        let around = body.aabb().half_extents().length();
        grid.cell = if grid.cell > 0.0 { grid.cell } else { around };
        grid
    }

    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let [rows, columns] = self.counts;
        let (row, column) = (at / columns, at % columns);
        let near = row.saturating_sub(1)..(row + 2).min(rows);
        near.flat_map(move |r| {
            let near = column.saturating_sub(1)..(column + 2).min(columns);
            near.map(move |c| r * columns + c)
        })
        .filter(move |&next| next != at)
    }

    /// Parameters of samples that no neighbour is above, and that may be near a place at `least`.
    fn peaks(&self, direction: DVec3, least: f64) -> Vec<DVec2> {
        let height = |at: usize| self.points[at].map_or(f64::NEG_INFINITY, |point| point.dot(direction));
        let is_peak = |&at: &usize| {
            let own = height(at);
            own >= least - self.cell && self.neighbours(at).all(|next| height(next) <= own)
        };
        (0..self.points.len()).filter(is_peak).map(|at| self.place(at)).collect()
    }

    /// The parameters of a sample.
    fn place(&self, at: usize) -> DVec2 {
        let [rows, columns] = self.counts;
        let share = |k: usize, count: usize| (k as f64 + 0.5) / count as f64;
        let (u, v) = (self.bounds.u, self.bounds.v);
        DVec2::new(u.at(share(at / columns, rows)), v.at(share(at % columns, columns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rims_have_their_farthest_point() {
        let (radius, height) = (0.5, 1.0);
        let skin = Skin::new(&TiledBody::cylinder(radius, height).unwrap());
        for k in 0..40 {
            let (across, along) = (0.16 * f64::from(k)).sin_cos();
            let direction = DVec3::new(0.3 * along, 0.3 * across, -1.0).normalize();
            let most =
                skin.facing(direction, 0.0).iter().map(|spot| spot.point.dot(direction)).fold(0.0, f64::max);
            let exact = height / 2.0 * direction.z.abs() + radius * direction.truncate().length();
            assert!((most - exact).abs() < 1e-12, "{k}: {most} {exact}");
        }
        // Level, all are as far.
        assert_eq!(skin.facing(DVec3::NEG_Z, 0.4).len(), 8);
    }
}
