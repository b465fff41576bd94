//! From vertices and merged, outward, convex face loops to the finished polytope.

use super::start::StartTable;
use super::{Data, Edge, Mass, Note, Polytope, Side, Spoke, mass};
use crate::{DVec3, EdgeId, FaceId, Kind, Plane, VertexId, tolerance};
use glam::DMat3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A checked boundary: extreme vertices in the body frame, faces as loops counter-clockwise seen from
/// outside, both with the numbers they carry in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boundary {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) vertex_labels: Vec<u32>,
    pub(crate) loops: Vec<Vec<u32>>,
    pub(crate) face_labels: Vec<u32>,
    pub(crate) notes: Vec<Note>,
}

/// Builds every table of a polytope. `center` is in the body frame.
pub(crate) fn assemble(kind: Kind, boundary: Boundary, center: Option<DVec3>) -> Polytope {
    let anchor = exact_anchor(&boundary.vertices);
    let vertices: Vec<DVec3> = boundary.vertices.iter().map(|&v| v - anchor).collect();
    let planes: Vec<Plane> = boundary.loops.iter().map(|face| loop_plane(&vertices, face)).collect();
    let edges = edges(&vertices, &boundary, &planes);
    let (ring_starts, spokes, spoke_edges, spoke_faces) = rings(&vertices, &boundary.loops, &edges);
    let (side_starts, sides) = sides(&vertices, &boundary.loops, &planes, &edges);
    let mass = mass_of(&vertices, &boundary.loops);
    let center = center.map_or(mass.center, |c| c - anchor);
    let inradius = planes.iter().map(|plane| -plane.distance(center)).fold(f64::INFINITY, f64::min);
    let fingerprint = fingerprint(&boundary);
    let radius = farthest(&vertices, center);
    let reach = farthest(&vertices, DVec3::ZERO);
    let mut data = Data {
        kind,
        anchor,
        vertices,
        vertex_labels: boundary.vertex_labels,
        ring_starts,
        spokes,
        spoke_edges,
        spoke_faces,
        edges: edges.into_values().map(|(_, edge)| edge).collect(),
        planes,
        face_labels: boundary.face_labels,
        side_starts,
        sides,
        start: StartTable::default(),
        center,
        inradius: if inradius.is_finite() { inradius.max(0.0) } else { 0.0 },
        radius,
        reach,
        mass,
        notes: boundary.notes,
        fingerprint,
    };
    data.start = StartTable::build(data.vertices.len(), |direction, from| {
        data.climb(from, direction, direction.length())
    });
    Polytope { data: Arc::new(data) }
}

/// A shift that every vertex survives without rounding: per axis, the middle of the extent where the
/// body lies clear of zero on that axis (then, by Sterbenz, the subtraction is exact), else zero.
fn exact_anchor(vertices: &[DVec3]) -> DVec3 {
    let low = vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let axis = |low: f64, high: f64| {
        let middle = 0.5 * low + 0.5 * high;
        // v/2 ≤ middle ≤ 2v for all v in [low, high] once the nearer end is beyond half the farther.
        if low.abs().min(high.abs()) >= 0.5 * low.abs().max(high.abs()) && low * high > 0.0 {
            middle
        } else {
            0.0
        }
    };
    DVec3::new(axis(low.x, high.x), axis(low.y, high.y), axis(low.z, high.z))
}

/// The plane of a loop: Newell's normal about the loop's own average, offset through that average.
fn loop_plane(vertices: &[DVec3], face: &[u32]) -> Plane {
    let corner = |i: usize| vertices[face[i % face.len()] as usize];
    let average = (0..face.len()).map(corner).sum::<DVec3>() / face.len() as f64;
    let area: DVec3 = (0..face.len()).map(|i| (corner(i) - average).cross(corner(i + 1) - average)).sum();
    let normal = area.normalize_or_zero();
    Plane { normal, offset: normal.dot(average) }
}

/// Edges by (low, high) label, each with its place in the order.
type Edges = BTreeMap<(u32, u32), (EdgeId, Edge)>;

fn edges(vertices: &[DVec3], boundary: &Boundary, planes: &[Plane]) -> Edges {
    let labels = &boundary.vertex_labels;
    let mut edges: Edges = BTreeMap::new();
    for (face, corners) in boundary.loops.iter().enumerate() {
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let forward = labels[from as usize] < labels[to as usize];
            let (tail, head) = if forward { (from, to) } else { (to, from) };
            let key = (labels[tail as usize], labels[head as usize]);
            let vector = vertices[head as usize] - vertices[tail as usize];
            let entry = edges.entry(key).or_insert_with(|| {
                let edge = Edge {
                    vertices: [VertexId(tail), VertexId(head)],
                    faces: [Edge::NO_FACE; 2],
                    vector,
                    inward: [DVec3::ZERO; 2],
                };
                (EdgeId(0), edge)
            });
            // The face lies to the left of its own direction of travel.
            let side = usize::from(!forward);
            entry.1.faces[side] = FaceId(face as u32);
            let along = if forward { vector } else { -vector };
            entry.1.inward[side] = planes[face].normal.cross(along).normalize_or_zero();
        }
    }
    if boundary.loops.is_empty() && vertices.len() == 2 {
        let edge = Edge {
            vertices: [VertexId(0), VertexId(1)],
            faces: [Edge::NO_FACE; 2],
            vector: vertices[1] - vertices[0],
            inward: [DVec3::ZERO; 2],
        };
        edges.insert((0, 1), (EdgeId(0), edge));
    }
    for (number, (id, _)) in edges.values_mut().enumerate() {
        *id = EdgeId(number as u32);
    }
    edges
}

/// Rings of spokes in counter-clockwise order, flattened.
fn rings(
    vertices: &[DVec3],
    loops: &[Vec<u32>],
    edges: &Edges,
) -> (Vec<u32>, Vec<Spoke>, Vec<EdgeId>, Vec<FaceId>) {
    // For each vertex and next-vertex: (face on the left, vertex before it in that face).
    let mut wedges: Vec<BTreeMap<u32, (u32, u32)>> = vec![BTreeMap::new(); vertices.len()];
    for (face, corners) in loops.iter().enumerate() {
        let n = corners.len();
        for i in 0..n {
            wedges[corners[i] as usize].insert(corners[(i + 1) % n], (face as u32, corners[(i + n - 1) % n]));
        }
    }
    let mut by_ends: BTreeMap<(u32, u32), EdgeId> = BTreeMap::new();
    for (id, edge) in edges.values() {
        let [tail, head] = edge.vertices;
        by_ends.insert((tail.0, head.0), *id);
        by_ends.insert((head.0, tail.0), *id);
    }
    let mut starts = Vec::with_capacity(vertices.len() + 1);
    let (mut spokes, mut spoke_edges, mut spoke_faces) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |from: u32, to: u32, face: Option<u32>| {
        let vector = vertices[to as usize] - vertices[from as usize];
        let slack = vector.length() * tolerance::CLIMB_REL;
        spokes.push(Spoke { vector, slack: slack as f32, vertex: VertexId(to) });
        spoke_edges.extend(by_ends.get(&(from, to)));
        spoke_faces.extend(face.map(FaceId));
        spokes.len()
    };
    let mut count = 0;
    for (vertex, wedge) in wedges.iter().enumerate() {
        starts.push(count as u32);
        let Some((&first, _)) = wedge.iter().min_by_key(|(_, (face, _))| *face) else {
            // A segment's end has one spoke and no face.
            if vertices.len() == 2 {
                count = push(vertex as u32, 1 - vertex as u32, None);
            }
            continue;
        };
        let mut next = first;
        while let Some(&(face, before)) = wedge.get(&next) {
            count = push(vertex as u32, next, Some(face));
            next = before;
            if next == first {
                break;
            }
        }
    }
    starts.push(count as u32);
    (starts, spokes, spoke_edges, spoke_faces)
}

fn sides(vertices: &[DVec3], loops: &[Vec<u32>], planes: &[Plane], edges: &Edges) -> (Vec<u32>, Vec<Side>) {
    let mut by_ends: BTreeMap<(u32, u32), (EdgeId, DVec3)> = BTreeMap::new();
    for (id, edge) in edges.values() {
        let [tail, head] = edge.vertices;
        by_ends.insert((tail.0, head.0), (*id, edge.inward[0]));
        by_ends.insert((head.0, tail.0), (*id, edge.inward[1]));
    }
    let mut starts = Vec::with_capacity(planes.len() + 1);
    let mut sides = Vec::new();
    for corners in loops {
        starts.push(sides.len() as u32);
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            if let Some(&(edge, inward)) = by_ends.get(&(from, to)) {
                let offset = inward.dot(vertices[from as usize]);
                sides.push(Side { inward, offset, vertex: VertexId(from), edge });
            }
        }
    }
    starts.push(sides.len() as u32);
    (starts, sides)
}

fn mass_of(vertices: &[DVec3], loops: &[Vec<u32>]) -> Mass {
    if loops.is_empty() {
        let center = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        return Mass { volume: 0.0, center, inertia: DMat3::ZERO };
    }
    mass::of_loops(vertices, loops)
}

fn farthest(vertices: &[DVec3], from: DVec3) -> f64 {
    vertices.iter().map(|v| v.distance(from)).fold(0.0, f64::max)
}

/// FNV-1a over the bits of all vertices and loops.
fn fingerprint(boundary: &Boundary) -> u64 {
    let coordinates = boundary.vertices.iter().flat_map(|v| v.to_array()).map(f64::to_bits);
    let loops = boundary.loops.iter().flatten().map(|&index| u64::from(index));
    coordinates.chain(loops).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}
