//! Bodies of a STEP file: shells, faces, loops, edges, vertices.

use super::source::Record;
use super::surfaces::{self, Read};
use super::units::Scales;
use super::{
    Fault, StepBody, StepBodyKind, StepCourse, StepEdge, StepEdgeUse, StepFace, StepLoop, StepShell,
    StepVertex,
};
use clearance_geometry::curve::Curve;
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::{EdgeId, FaceId, VertexId};
use std::collections::{BTreeMap, BTreeSet};

/// Shells, faces and edges that refer to their like are followed this far.
const DEEPEST: usize = 16;

/// Edges in loops for each record of a file. A file that names one loop in very many faces would fill the memory;
/// real ones stay below one.
const USES_PER_RECORD: usize = 8;

/// Whether a record is a body that [`body`] reads.
pub(super) fn is_body(record: Record<'_>) -> bool {
    let kinds = [
        "MANIFOLD_SOLID_BREP",
        "BREP_WITH_VOIDS",
        "FACETED_BREP",
        "SHELL_BASED_SURFACE_MODEL",
        "FACE_BASED_SURFACE_MODEL",
        "CLOSED_SHELL",
        "OPEN_SHELL",
        "CONNECTED_FACE_SET",
    ];
    kinds.iter().any(|kind| record.is(kind))
}

/// Reads a body. The first record that cannot be represented ends it.
pub(super) fn body<'a>(
    record: Record<'a>,
    name: &str,
    scales: &'a Scales,
    warnings: &mut Vec<Fault>,
) -> Result<StepBody, Fault> {
    let mut reader = BodyReader::new(scales, record.source().len());
    let solid = ["MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP"].iter().any(|kind| record.is(kind));
    if solid {
        let chain = [("REPRESENTATION_ITEM", 1), ("MANIFOLD_SOLID_BREP", 1), ("BREP_WITH_VOIDS", 1)];
        reader.shell(record.own("MANIFOLD_SOLID_BREP", &chain)?.link(0)?, false)?;
        if record.is("BREP_WITH_VOIDS") {
            let voids = record.own("BREP_WITH_VOIDS", &chain)?.links(0)?;
            each_once(record, &voids)?;
            for void in voids {
                reader.shell(void, true)?;
            }
        }
    } else if record.is("SHELL_BASED_SURFACE_MODEL") || record.is("FACE_BASED_SURFACE_MODEL") {
        let shells = record.fields().links(1)?;
        each_once(record, &shells)?;
        for shell in shells {
            reader.shell(shell, false)?;
        }
    } else {
        reader.shell(record, false)?;
    }
    let kind = if solid { StepBodyKind::Solid } else { StepBodyKind::Sheet };
    reader.finish(record, name, kind, warnings)
}

/// What is read of one body so far. Features are listed as they are met, and sorted at the end.
pub(super) struct BodyReader<'a> {
    pub(super) scales: &'a Scales,
    pub(super) shells: Vec<StepShell>,
    pub(super) faces: Vec<StepFace>,
    pub(super) edges: Vec<StepEdge>,
    pub(super) vertices: Vec<StepVertex>,
    /// Edges of each record, head to tail along it; whether each runs against it.
    pub(super) edges_of: BTreeMap<u64, Vec<(EdgeId, bool)>>,
    /// The geometry of edges that are all of their record, for its parameter curves.
    pub(super) geometry_of: BTreeMap<EdgeId, Record<'a>>,
    /// Edges between two points of polygons.
    pub(super) edges_between: BTreeMap<(VertexId, VertexId), EdgeId>,
    pub(super) vertices_of: BTreeMap<u64, VertexId>,
    pub(super) warnings: Vec<Fault>,
    /// Surfaces and curves read so far, for records may share them.
    surfaces: BTreeMap<u64, Read>,
    pub(super) curves: BTreeMap<u64, (Curve, bool)>,
    /// Edges in loops so far, and how many there may be.
    pub(super) uses: usize,
    most_uses: usize,
    /// Vertices off their curves, kept until the size of the body is known.
    pub(super) gaps: Vec<(f64, Fault)>,
}

/// A face record with what leads to it.
struct FaceRecord<'a> {
    record: Record<'a>,
    reversed: bool,
}

impl<'a> BodyReader<'a> {
    fn new(scales: &'a Scales, records: usize) -> Self {
        Self {
            scales,
            shells: Vec::new(),
            faces: Vec::new(),
            edges: Vec::new(),
            vertices: Vec::new(),
            edges_of: BTreeMap::new(),
            geometry_of: BTreeMap::new(),
            edges_between: BTreeMap::new(),
            vertices_of: BTreeMap::new(),
            warnings: Vec::new(),
            surfaces: BTreeMap::new(),
            curves: BTreeMap::new(),
            uses: 0,
            most_uses: USES_PER_RECORD * records,
            gaps: Vec::new(),
        }
    }

    fn shell(&mut self, record: Record<'a>, void: bool) -> Result<(), Fault> {
        let mut shell = record;
        let mut reversed = false;
        let mut depth = 0;
        while ["ORIENTED_CLOSED_SHELL", "ORIENTED_OPEN_SHELL"].iter().any(|kind| shell.is(kind)) {
            depth += 1;
            if depth > DEEPEST {
                return Err(shell.fault("refers to itself"));
            }
            reversed ^= !shell.fields().flag(3)?;
            shell = shell.fields().link(2)?;
        }
        let closed = shell.is("CLOSED_SHELL");
        if !closed && !["OPEN_SHELL", "CONNECTED_FACE_SET"].iter().any(|kind| shell.is(kind)) {
            return Err(shell.unsupported("a shell"));
        }
        let records = shell.own_or_all("CONNECTED_FACE_SET");
        let skip = usize::from(!shell.simple_kind().is_empty());
        let mut faces = Vec::new();
        let listed = records.links(skip)?;
        each_once(shell, &listed)?;
        for face in listed {
            let id = FaceId(count(self.faces.len(), face)?);
            self.face(FaceRecord { record: face, reversed })?;
            faces.push(id);
        }
        if faces.is_empty() {
            return Err(shell.fault("has no faces"));
        }
        self.shells.push(StepShell { entity: shell.id(), closed, void, faces });
        Ok(())
    }

    fn face(&mut self, found: FaceRecord<'a>) -> Result<(), Fault> {
        let FaceRecord { mut record, mut reversed } = found;
        let mut depth = 0;
        while record.is("ORIENTED_FACE") {
            depth += 1;
            if depth > DEEPEST {
                return Err(record.fault("refers to itself"));
            }
            reversed ^= !record.fields().flag(3)?;
            record = record.fields().link(2)?;
        }
        let known = ["ADVANCED_FACE", "FACE_SURFACE", "FACE"];
        if !known.contains(&record.simple_kind()) {
            return Err(record.unsupported("a face"));
        }
        let fields = record.fields();
        let bounds = fields.links(1)?;
        each_once(record, &bounds)?;
        let (read, against) = if record.is("FACE") {
            let plane = self.plane_of(record, &bounds)?;
            (Read { surface: plane, flipped: false, parameters: None }, false)
        } else {
            (self.surface(fields.link(2)?)?, !fields.flag(3)?)
        };
        let mut loops = Vec::with_capacity(bounds.len());
        for bound in bounds {
            loops.push(self.bound(bound, reversed)?);
        }
        if !loops.iter().any(|bound| matches!(bound.course, StepCourse::Edges(_))) {
            self.check_whole(record, &read.surface, loops.is_empty())?;
        }
        let mut face = StepFace {
            entity: record.id(),
            line: record.line(),
            reversed: reversed ^ against ^ read.flipped,
            surface: read.surface,
            loops,
        };
        if let (Some(units), false) = (read.parameters, record.is("FACE")) {
            self.attach_parameters(&mut face, fields.link(2)?, units)?;
        }
        self.faces.push(face);
        Ok(())
    }

    fn surface(&mut self, record: Record<'a>) -> Result<Read, Fault> {
        if let Some(read) = self.surfaces.get(&record.id()) {
            return Ok(read.clone());
        }
        let read = surfaces::surface(record, self.scales, &mut self.warnings)?;
        self.surfaces.insert(record.id(), read.clone());
        Ok(read)
    }

    /// Counts edges in loops; too many are refused.
    pub(super) fn count_uses(&mut self, path: Record<'a>, more: usize) -> Result<(), Fault> {
        self.uses += more;
        if self.uses > self.most_uses { Err(path.fault("is used too often")) } else { Ok(()) }
    }

    /// A face without edges must be the whole of a surface that ends.
    fn check_whole(&mut self, face: Record<'a>, surface: &Surface, unbounded: bool) -> Result<(), Fault> {
        if !surface.domain().is_bounded() {
            return Err(face.fault("has no edges on a surface that has no end"));
        }
        if matches!(surface, Surface::Torus(torus) if torus.minor() > torus.major()) {
            return Err(face.fault("has no edges on a torus that crosses itself"));
        }
        if unbounded {
            self.warnings.push(face.fault("has no bounds; the whole of its surface is taken"));
        }
        Ok(())
    }

    /// One bound of a face; turned with the face.
    fn bound(&mut self, record: Record<'a>, turned: bool) -> Result<StepLoop, Fault> {
        if !["FACE_BOUND", "FACE_OUTER_BOUND"].contains(&record.simple_kind()) {
            return Err(record.unsupported("a bound of a face"));
        }
        let fields = record.fields();
        let path = fields.link(1)?;
        let backwards = !fields.flag(2)? ^ turned;
        let course = match path.simple_kind() {
            "VERTEX_LOOP" => StepCourse::Vertex(self.vertex(path.fields().link(1)?)?),
            "EDGE_LOOP" => StepCourse::Edges(self.edge_loop(path, backwards)?),
            "POLY_LOOP" => StepCourse::Edges(self.polygon(path, backwards)?),
            _ => return Err(path.unsupported("a loop")),
        };
        Ok(StepLoop { entity: path.id(), outer: record.is("FACE_OUTER_BOUND"), course })
    }

    fn edge_loop(&mut self, record: Record<'a>, backwards: bool) -> Result<Vec<StepEdgeUse>, Fault> {
        let mut uses = Vec::new();
        for oriented in record.fields().links(1)? {
            let mut edge = oriented;
            let mut reversed = false;
            let mut depth = 0;
            while edge.is("ORIENTED_EDGE") {
                depth += 1;
                if depth > DEEPEST {
                    return Err(edge.fault("refers to itself"));
                }
                reversed ^= !edge.fields().flag(4)?;
                edge = edge.fields().link(3)?;
            }
            let start = uses.len();
            let each = |(edge, reversed)| StepEdgeUse { edge, reversed, parameters: None };
            uses.extend(self.edge(edge)?.into_iter().map(each));
            if reversed {
                reverse(&mut uses[start..]);
            }
        }
        if uses.is_empty() {
            return Err(record.fault("has no edges"));
        }
        self.count_uses(record, uses.len())?;
        if backwards {
            reverse(&mut uses);
        }
        self.check_chain(record, &uses);
        Ok(uses)
    }

    /// Says so where a loop does not run head to tail.
    fn check_chain(&mut self, record: Record<'a>, uses: &[StepEdgeUse]) {
        for (at, this) in uses.iter().enumerate() {
            let next = &uses[(at + 1) % uses.len()];
            let [end, start] = [self.ends(this)[1], self.ends(next)[0]];
            if end != start {
                let gap = self.vertices[end.index()].point.distance(self.vertices[start.index()].point);
                let (a, b) = (self.edges[this.edge.index()].entity, self.edges[next.edge.index()].entity);
                let fault =
                    record.fault(format!("has edges #{a} and #{b} end to end without a common vertex"));
                if gap == 0.0 { self.warnings.push(fault) } else { self.gaps.push((gap, fault)) }
            }
        }
    }

    fn ends(&self, used: &StepEdgeUse) -> [VertexId; 2] {
        let [start, end] = self.edges[used.edge.index()].vertices;
        if used.reversed { [end, start] } else { [start, end] }
    }
}

/// The same loop run the other way.
pub(super) fn reverse(uses: &mut [StepEdgeUse]) {
    uses.reverse();
    for used in uses {
        used.reversed = !used.reversed;
    }
}

/// Refuses a list that names a record twice.
fn each_once(owner: Record<'_>, listed: &[Record<'_>]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    match listed.iter().find(|record| !seen.insert(record.id())) {
        Some(twice) => Err(owner.fault(format!("names #{} twice", twice.id()))),
        None => Ok(()),
    }
}

pub(super) fn count(number: usize, at: Record<'_>) -> Result<u32, Fault> {
    u32::try_from(number).map_err(|_| at.fault("is one too many"))
}
