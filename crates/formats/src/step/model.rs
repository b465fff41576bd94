//! What a STEP file describes, as plain data: bodies with their faces, edges and vertices, and where they stand.

use clearance_geometry::curve::{Curve, PlanarCurve, Range};
use clearance_geometry::surface::Surface;
use clearance_geometry::{DVec3, EdgeId, FaceId, Pose, VertexId};
use std::fmt;

/// The content of a STEP file, lengths in the unit asked for, angles in radians.
///
/// A body that several products or instances share stands once in `bodies`; `instances` says where. Bodies that
/// could not be represented completely are not among them but in `refused`: no face is ever left out of a body.
#[derive(Clone, Debug, Default)]
pub struct StepModel {
    /// The bodies, in the order of their records.
    pub bodies: Vec<StepBody>,
    /// Every place at which a body stands, in the order of the assembly tree.
    pub instances: Vec<StepInstance>,
    /// Bodies that cannot be represented, each with the first reason.
    pub refused: Vec<StepRefusal>,
    /// What was repaired, assumed or passed over.
    pub warnings: Vec<Fault>,
    /// The names in the file's `FILE_SCHEMA`.
    pub schema: Vec<String>,
}

/// A body that was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRefusal {
    /// Number of the body's record.
    pub entity: u64,
    /// Product it belongs to.
    pub name: String,
    /// What stands in the way, at the record that does.
    pub reason: Fault,
}

/// Something to say about a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Number of the record.
    pub entity: Option<u64>,
    /// Line the record begins on, counted from 1.
    pub line: Option<u32>,
    /// What there is to say; names the kind of record.
    pub message: String,
}

impl Fault {
    pub(super) fn of_file(message: String) -> Self {
        Self { entity: None, line: None, message }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(entity) = self.entity {
            write!(f, "#{entity} ")?;
        }
        f.write_str(&self.message)
    }
}

/// Where a body stands.
#[derive(Clone, Debug)]
pub struct StepInstance {
    /// Products from the root of the assembly down to the body's own; a second child of the same name is
    /// `name:2`.
    pub path: Vec<String>,
    /// From the body's coordinates to those of the file's root.
    pub pose: Pose,
    /// Index into [`StepModel::bodies`].
    pub body: usize,
}

/// Whether a body has an inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepBodyKind {
    /// Bounded by closed shells.
    Solid,
    /// Surfaces only.
    Sheet,
}

/// A body: shells of faces with their edges and vertices, each list in the order of the records' numbers.
#[derive(Clone, Debug)]
pub struct StepBody {
    /// Number of its record.
    pub entity: u64,
    /// Line its record begins on.
    pub line: u32,
    /// Name of the product it belongs to; its own where there is none.
    pub name: String,
    /// Solid or sheet.
    pub kind: StepBodyKind,
    /// The outer shell of a solid first, then its voids.
    pub shells: Vec<StepShell>,
    /// Faces of all shells.
    pub faces: Vec<StepFace>,
    /// Edges of all faces.
    pub edges: Vec<StepEdge>,
    /// Vertices of all edges and loops.
    pub vertices: Vec<StepVertex>,
    /// How far points that should coincide may be apart, as the file says; a length.
    pub uncertainty: Option<f64>,
    /// The unit of length it was written in, such as `millimetre`.
    pub written_in: String,
}

/// A set of connected faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepShell {
    /// Number of its record.
    pub entity: u64,
    /// Whether the file calls it closed.
    pub closed: bool,
    /// Whether it bounds a hole inside the solid. Its faces' normals point out of the material, so into the hole.
    pub void: bool,
    /// Its faces.
    pub faces: Vec<FaceId>,
}

/// A face: the part of a surface that its loops enclose.
#[derive(Clone, Debug)]
pub struct StepFace {
    /// Number of its record.
    pub entity: u64,
    /// Line its record begins on.
    pub line: u32,
    /// The surface, without bounds.
    pub surface: Surface,
    /// Whether the outward normal is against the surface's S_u × S_v.
    pub reversed: bool,
    /// The bounds. Each runs with the face on its left seen from outside; in the parameters of a reversed
    /// face, therefore, with the face on its right.
    pub loops: Vec<StepLoop>,
}

/// One bound of a face.
#[derive(Clone, Debug)]
pub struct StepLoop {
    /// Number of its record.
    pub entity: u64,
    /// Whether the file calls it the outer one. Many files do not say.
    pub outer: bool,
    /// Its course.
    pub course: StepCourse,
}

/// The course of a loop.
#[derive(Clone, Debug)]
pub enum StepCourse {
    /// Edges head to tail.
    Edges(Vec<StepEdgeUse>),
    /// One point: the face is the whole of a closed surface, or ends at a pole or apex.
    Vertex(VertexId),
}

/// An edge in a loop.
#[derive(Clone, Debug)]
pub struct StepEdgeUse {
    /// The edge.
    pub edge: EdgeId,
    /// Whether the loop runs against the edge.
    pub reversed: bool,
    /// The edge in the parameters of the face's surface, where the file gives it.
    pub parameters: Option<StepParameterCurve>,
}

/// An edge in the parameters of a surface. It runs the same way as the edge, not as the loop.
#[derive(Clone, Debug)]
pub struct StepParameterCurve {
    /// The curve in (u, v).
    pub curve: PlanarCurve,
    /// Parameters at which the edge begins and ends; the second is smaller where the curve runs against it.
    pub ends: [f64; 2],
}

/// An edge: a piece of a curve between two vertices, which are one for a closed edge.
#[derive(Clone, Debug)]
pub struct StepEdge {
    /// Number of its record. Edges that one record was divided into share it.
    pub entity: u64,
    /// Line its record begins on.
    pub line: u32,
    /// The curve, without bounds.
    pub curve: Curve,
    /// The piece; `low` ≤ `high`. On a periodic curve it may leave the domain by up to a period.
    pub range: Range,
    /// Where it begins (at `range.low`) and ends.
    pub vertices: [VertexId; 2],
    /// How far the curve's ends are from the vertices; a length.
    pub gap: f64,
}

/// A vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepVertex {
    /// Number of its record.
    pub entity: u64,
    /// Where it is.
    pub point: DVec3,
}
