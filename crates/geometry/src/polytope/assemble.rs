//! From vertices and merged, outward, convex face loops to the finished polytope.

use super::graph::Graph;
use super::locality::localized;
use super::start::{StartTable, scatter};
use super::twofold::{area_vector, dot_minus, unit};
use super::{Center, Data, Kernel, Mass, Note, Polytope, mass};
use crate::{DVec3, FaceId, Kind, Plane, PolytopeError, VertexId};
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
    /// From and to: chords across faces for climbing, ascending.
    pub(crate) chords: Vec<[u32; 2]>,
    pub(crate) notes: Vec<Note>,
}

/// The numbers that a solid's features carry in the input.
pub(super) struct Labels {
    pub(super) vertices: Vec<u32>,
    pub(super) faces: Vec<u32>,
    pub(super) notes: Vec<Note>,
}

/// Builds every table of a polytope. `center` is in the body frame.
pub(crate) fn assemble(kind: Kind, boundary: Boundary, center: Option<DVec3>) -> Polytope {
    let boundary = localized(boundary);
    let anchor = exact_anchor(&boundary.vertices);
    let vertices: Vec<DVec3> = boundary.vertices.iter().map(|&v| v - anchor).collect();
    let planes: Vec<Plane> = boundary.loops.iter().map(|face| loop_plane(&vertices, face)).collect();
    let graph = Graph::new(&boundary.loops, &boundary.vertex_labels);
    let edge_labels = graph.edge_labels(&boundary.vertex_labels);
    let edges = graph.edges(&vertices, &planes);
    let sides = graph.sides(&vertices, &edges);
    let rings = graph.rings(&vertices, &boundary.chords);
    let blunt = rings.blunt();
    let mass = mass_of(&vertices, &boundary.loops);
    let center = center.map_or(mass.center, |c| c - anchor);
    let fingerprint = fingerprint(&boundary);
    let reach = farthest(&vertices, DVec3::ZERO);
    let (mean, spread) = scatter(&vertices);
    let kernel = Kernel::new(mean, &spread, &planes);
    let mut data = Data {
        kind,
        anchor,
        vertices,
        vertex_labels: boundary.vertex_labels,
        ring_starts: rings.starts,
        ring_ends: rings.ends,
        blunt,
        most_slack: rings.spokes.iter().map(|spoke| f64::from(spoke.slack)).fold(0.0, f64::max),
        spokes: rings.spokes,
        spoke_edges: rings.edges,
        spoke_faces: rings.faces,
        edges,
        planes,
        edge_labels,
        face_labels: boundary.face_labels,
        side_starts: graph.starts,
        sides,
        start: StartTable::default(),
        spread,
        oblong: is_oblong(&spread),
        kernel,
        reach,
        mass,
        notes: boundary.notes,
        fingerprint,
    };
    data.start = StartTable::build(data.vertices.len(), &spread, |direction, from| {
        data.climb(from, direction, direction.length())
    });
    let center = Center::new(&data, center);
    Polytope { data: Arc::new(data), center }
}

/// Whether an ellipsoid is clearly not a ball: the squares of its half axes stray from their mean by more
/// than a third of it.
fn is_oblong(spread: &DMat3) -> bool {
    let mean = (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z) / 3.0;
    let off = *spread - DMat3::from_diagonal(DVec3::splat(mean));
    let off_sq = [off.x_axis, off.y_axis, off.z_axis].map(DVec3::length_squared);
    off_sq.iter().sum::<f64>() > mean * mean / 9.0
}

impl Center {
    /// About an anchored point.
    fn new(data: &Data, point: DVec3) -> Self {
        let inradius =
            data.planes.iter().map(|p| -dot_minus(p.normal, point, p.offset)).fold(f64::INFINITY, f64::min);
        let inradius = if inradius.is_finite() { inradius.max(0.0) } else { 0.0 };
        Self { point, inradius, radius: farthest(&data.vertices, point) }
    }
}

impl Polytope {
    /// The same body with another interior point for the ratio metric, given in the body frame. The
    /// tables are shared with this one.
    ///
    /// # Errors
    /// When the point is not finite or not strictly inside, or the body has no inside.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Polytope};
    /// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
    /// let body = cube.with_center(DVec3::new(0.5, 0.0, 0.0)).unwrap();
    /// assert_eq!((cube.inradius(), body.inradius()), (1.0, 0.5));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn with_center(&self, center: DVec3) -> Result<Self, PolytopeError> {
        if !center.is_finite() {
            return Err(PolytopeError::NotFinite { point: 0 });
        }
        if self.data.planes.is_empty() {
            return Err(PolytopeError::Flat { thickness: 0.0, diameter: 2.0 * self.center.radius });
        }
        let point = center - self.data.anchor;
        for (plane, &label) in self.data.planes.iter().zip(&self.data.face_labels) {
            let by = dot_minus(plane.normal, point, plane.offset);
            if by >= 0.0 {
                return Err(PolytopeError::CenterOutside { face: label as usize, by });
            }
        }
        Ok(Self { data: Arc::clone(&self.data), center: Center::new(&self.data, point) })
    }

    /// The same solid with other labels and notes, faces in the order of their labels.
    pub(super) fn relabeled(&self, labels: Labels, center: Option<DVec3>) -> Self {
        let count = self.data.planes.len() as u32;
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&face| labels.faces[face as usize]);
        let corners = |&face: &u32| self.sides(FaceId(face)).iter().map(|side| side.vertex.0).collect();
        let boundary = Boundary {
            vertices: self.data.vertices.iter().map(|&v| v + self.data.anchor).collect(),
            vertex_labels: labels.vertices,
            loops: order.iter().map(corners).collect(),
            face_labels: order.iter().map(|&face| labels.faces[face as usize]).collect(),
            chords: self.chords(),
            notes: labels.notes,
        };
        assemble(self.data.kind, boundary, center)
    }

    fn chords(&self) -> Vec<[u32; 2]> {
        let mut chords = Vec::new();
        for vertex in (0..self.data.vertices.len() as u32).map(VertexId) {
            let beyond = self.climb_spokes(vertex).iter().skip(self.spokes(vertex).len());
            chords.extend(beyond.map(|spoke| [vertex.0, spoke.vertex.0]));
        }
        chords
    }

    /// Farthest that a vertex lies above the plane of a face; a length. Rounding, unless merged faces
    /// lean.
    pub(super) fn overhang(&self) -> f64 {
        let faces = self.data.planes.iter().zip(&self.data.side_starts);
        let heights = faces.map(|(plane, &side)| {
            let from = self.data.sides[side as usize].vertex;
            plane.distance(self.vertex(self.climb(from, plane.normal, 1.0)))
        });
        heights.fold(0.0, f64::max)
    }
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
    let normal = unit(area_vector(corners.clone()));
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

/// After FNV-1a, word by word over the bits of all vertices and loops, with a rotation that carries high bits down.
fn fingerprint(boundary: &Boundary) -> u64 {
    let coordinates = boundary.vertices.iter().flat_map(|v| v.to_array()).map(f64::to_bits);
    let loops = boundary.loops.iter().flatten().map(|&index| u64::from(index));
    coordinates.chain(loops).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}
