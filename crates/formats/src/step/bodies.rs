//! Bodies of a STEP file: shells, faces, loops, edges, vertices.

use super::curves::{self, Piece};
use super::source::Record;
use super::surfaces::{self, Read};
use super::trim::{self, Span};
use super::units::Scales;
use super::{
    Fault, StepBody, StepBodyKind, StepCourse, StepEdge, StepEdgeUse, StepFace, StepLoop, StepShell,
    StepVertex,
};
use clearance_geometry::curve::{ParametricCurve, Range};
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::{EdgeId, FaceId, VertexId};
use std::collections::BTreeMap;

/// Shells, faces and edges that refer to their like are followed this far.
const DEEPEST: usize = 16;

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
    let mut reader = BodyReader::new(scales);
    let solid = ["MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP"].iter().any(|kind| record.is(kind));
    if solid {
        let chain = [("REPRESENTATION_ITEM", 1), ("MANIFOLD_SOLID_BREP", 1), ("BREP_WITH_VOIDS", 1)];
        reader.shell(record.own("MANIFOLD_SOLID_BREP", &chain)?.link(0)?, false)?;
        if record.is("BREP_WITH_VOIDS") {
            for void in record.own("BREP_WITH_VOIDS", &chain)?.links(0)? {
                reader.shell(void, true)?;
            }
        }
    } else if record.is("SHELL_BASED_SURFACE_MODEL") || record.is("FACE_BASED_SURFACE_MODEL") {
        for shell in record.fields().links(1)? {
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
    edges_of: BTreeMap<u64, Vec<(EdgeId, bool)>>,
    /// The geometry of edges that are all of their record, for its parameter curves.
    pub(super) geometry_of: BTreeMap<EdgeId, Record<'a>>,
    /// Edges between two points of polygons.
    pub(super) edges_between: BTreeMap<(VertexId, VertexId), EdgeId>,
    pub(super) vertices_of: BTreeMap<u64, VertexId>,
    pub(super) warnings: Vec<Fault>,
    /// Vertices off their curves, kept until the size of the body is known.
    pub(super) gaps: Vec<(f64, Fault)>,
}

/// A face record with what leads to it.
struct FaceRecord<'a> {
    record: Record<'a>,
    reversed: bool,
}

impl<'a> BodyReader<'a> {
    fn new(scales: &'a Scales) -> Self {
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
        for face in records.links(skip)? {
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
        let (read, against) = if record.is("FACE") {
            let plane = self.plane_of(record, &bounds)?;
            (Read { surface: plane, flipped: false, parameters: None }, false)
        } else {
            (surfaces::surface(fields.link(2)?, self.scales, &mut self.warnings)?, !fields.flag(3)?)
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

    /// The edges of a record, head to tail along it, and whether each runs against it.
    fn edge(&mut self, record: Record<'a>) -> Result<Vec<(EdgeId, bool)>, Fault> {
        if let Some(found) = self.edges_of.get(&record.id()) {
            return Ok(found.clone());
        }
        if !record.is("EDGE_CURVE") {
            return Err(record.unsupported("an edge"));
        }
        let chain = [("REPRESENTATION_ITEM", 1), ("EDGE", 2), ("EDGE_CURVE", 2)];
        let ends = record.own("EDGE", &chain)?;
        let own = record.own("EDGE_CURVE", &chain)?;
        let vertices = [self.vertex(ends.link(0)?)?, self.vertex(ends.link(1)?)?];
        let geometry = own.link(0)?;
        let forward = own.flag(1)?;
        let spatial = curves::spatial(geometry)?.unwrap_or(geometry);
        let found = if curves::is_composite(spatial) {
            self.composite_edge(record, spatial, vertices, forward)?
        } else {
            self.simple_edge(record, spatial, vertices, forward)?
        };
        if let [(edge, _)] = found[..] {
            self.geometry_of.insert(edge, geometry);
        }
        self.edges_of.insert(record.id(), found.clone());
        Ok(found)
    }

    fn simple_edge(
        &mut self,
        record: Record<'a>,
        geometry: Record<'a>,
        vertices: [VertexId; 2],
        forward: bool,
    ) -> Result<Vec<(EdgeId, bool)>, Fault> {
        let (curve, reversed) = curves::curve(geometry, self.scales)?;
        let mut against = !forward ^ reversed;
        let mut along = vertices;
        if against {
            along.swap(0, 1);
        }
        let [from, to] = along.map(|vertex| self.vertices[vertex.index()].point);
        let closed = along[0] == along[1];
        let Span { ends: [low, high], gap, turned } = trim::span(&curve, from, to, closed);
        if turned {
            self.warnings.push(record.fault("runs against its sense; its vertices are believed"));
            along.swap(0, 1);
            against = !against;
        }
        let domain = curve.domain();
        let whole = closed && low == high;
        if whole && curve.period().is_none() {
            return Err(record.fault("begins and ends in one vertex on a curve that is not closed"));
        }
        if gap > 0.0 {
            self.gaps.push((gap, record.fault("has a curve that does not end in its vertices")));
        }
        if !closed && low == high {
            self.warnings.push(record.fault("has length zero"));
        }
        let parts = if low <= high && !whole {
            vec![(low, high, along)]
        } else {
            // Past the ends of a closed spline: two edges with a vertex between them.
            let seam = self.push_vertex(record, curve.point(domain.low))?;
            vec![(low, domain.high, [along[0], seam]), (domain.low, high, [seam, along[1]])]
        };
        let mut found = Vec::with_capacity(parts.len());
        for (low, high, vertices) in parts {
            let range = Range::new(low, high);
            let edge = StepEdge { entity: record.id(), curve: curve.clone(), range, vertices, gap };
            found.push((self.push_edge(record, edge)?, against));
        }
        if against {
            found.reverse();
        }
        Ok(found)
    }

    fn composite_edge(
        &mut self,
        record: Record<'a>,
        geometry: Record<'a>,
        vertices: [VertexId; 2],
        forward: bool,
    ) -> Result<Vec<(EdgeId, bool)>, Fault> {
        let mut pieces = curves::pieces(geometry, self.scales)?;
        if !forward {
            pieces.reverse();
            pieces.iter_mut().for_each(|piece| piece.reversed = !piece.reversed);
        }
        let mut found = Vec::with_capacity(pieces.len());
        let mut start = vertices[0];
        let last = pieces.len().saturating_sub(1);
        for (at, Piece { curve, range, reversed }) in pieces.into_iter().enumerate() {
            let mut ends = [curve.point(range.low), curve.point(range.high)];
            if reversed {
                ends.swap(0, 1);
            }
            let end = if at == last { vertices[1] } else { self.push_vertex(record, ends[1])? };
            let corners = [start, end].map(|vertex| self.vertices[vertex.index()].point);
            let gap = corners[0].distance(ends[0]).max(corners[1].distance(ends[1]));
            if gap > 0.0 {
                self.gaps
                    .push((gap, record.fault("has segments that do not meet or do not end in its vertices")));
            }
            let along = if reversed { [end, start] } else { [start, end] };
            let edge = StepEdge { entity: record.id(), curve, range, vertices: along, gap };
            found.push((self.push_edge(record, edge)?, reversed));
            start = end;
        }
        if found.is_empty() {
            return Err(geometry.fault("has no segments"));
        }
        Ok(found)
    }
}

/// The same loop run the other way.
pub(super) fn reverse(uses: &mut [StepEdgeUse]) {
    uses.reverse();
    for used in uses {
        used.reversed = !used.reversed;
    }
}

pub(super) fn count(number: usize, at: Record<'_>) -> Result<u32, Fault> {
    u32::try_from(number).map_err(|_| at.fault("is one too many"))
}
