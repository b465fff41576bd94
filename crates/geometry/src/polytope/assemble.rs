//! From vertices and merged, outward, convex face loops to the finished polytope.

use super::graph::Graph;
use super::start::StartTable;
use super::twofold::area_vector;
use super::{Data, Mass, Note, Polytope, mass};
use crate::{DVec3, Kind, Plane};
use glam::DMat3;
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
    let graph = Graph::new(&boundary.loops, &boundary.vertex_labels);
    let edges = graph.edges(&vertices, &planes);
    let sides = graph.sides(&vertices, &edges);
    let rings = graph.rings(&vertices);
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
        ring_starts: rings.starts,
        spokes: rings.spokes,
        spoke_edges: rings.edges,
        spoke_faces: rings.faces,
        edges,
        planes,
        face_labels: boundary.face_labels,
        side_starts: graph.starts,
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
pub(crate) fn exact_anchor(vertices: &[DVec3]) -> DVec3 {
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

/// The plane of a loop: the direction of its area vector, moved out to the farthest corner, so that it
/// supports the body.
fn loop_plane(vertices: &[DVec3], face: &[u32]) -> Plane {
    let corners = face.iter().map(|&i| vertices[i as usize]);
    let normal = area_vector(corners.clone()).normalize_or_zero();
    Plane { normal, offset: corners.map(|corner| normal.dot(corner)).fold(f64::NEG_INFINITY, f64::max) }
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
