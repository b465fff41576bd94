//! Vertices, polygons and planes of a body while it is read, and the order of its features when it is done.

use super::bodies::{BodyReader, count, reverse};
use super::placement::point;
use super::source::Record;
use super::{Fault, StepBody, StepBodyKind, StepCourse, StepEdge, StepEdgeUse, StepVertex};
use clearance_geometry::curve::{Line, ParametricCurve, Range};
use clearance_geometry::surface::{Plane, Surface};
use clearance_geometry::{DMat3, DVec3, EdgeId, FaceId, Pose, VertexId, tolerance};

impl<'a> BodyReader<'a> {
    /// The vertex of a `VERTEX_POINT`.
    pub(super) fn vertex(&mut self, record: Record<'a>) -> Result<VertexId, Fault> {
        if !record.is("VERTEX_POINT") {
            return Err(record.unsupported("a vertex"));
        }
        let place =
            record.own("VERTEX_POINT", &[("REPRESENTATION_ITEM", 1), ("VERTEX_POINT", 1)])?.link(0)?;
        self.vertex_at(record, place)
    }

    /// The vertex of a record at the place of another, or the same.
    fn vertex_at(&mut self, record: Record<'a>, place: Record<'a>) -> Result<VertexId, Fault> {
        if let Some(found) = self.vertices_of.get(&record.id()) {
            return Ok(*found);
        }
        let id = self.push_vertex(record, point(place, self.scales)?)?;
        self.vertices_of.insert(record.id(), id);
        Ok(id)
    }

    pub(super) fn push_vertex(&mut self, record: Record<'a>, point: DVec3) -> Result<VertexId, Fault> {
        let id = VertexId(count(self.vertices.len(), record)?);
        self.vertices.push(StepVertex { entity: record.id(), point });
        Ok(id)
    }

    pub(super) fn push_edge(&mut self, record: Record<'a>, edge: StepEdge) -> Result<EdgeId, Fault> {
        let id = EdgeId(count(self.edges.len(), record)?);
        self.edges.push(edge);
        Ok(id)
    }

    /// The edges of a polygon, shared with the polygons next to it.
    pub(super) fn polygon(&mut self, record: Record<'a>, backwards: bool) -> Result<Vec<StepEdgeUse>, Fault> {
        let mut corners = Vec::new();
        for place in record.fields().links(1)? {
            corners.push(self.vertex_at(place, place)?);
        }
        corners.dedup();
        if corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        if corners.len() < 3 {
            return Err(record.fault("has fewer than three corners"));
        }
        self.count_uses(record, corners.len())?;
        let mut uses = Vec::with_capacity(corners.len());
        for (at, &from) in corners.iter().enumerate() {
            let to = corners[(at + 1) % corners.len()];
            uses.push(self.side(record, from, to)?);
        }
        if backwards {
            reverse(&mut uses);
        }
        Ok(uses)
    }

    /// The straight edge between two vertices.
    fn side(&mut self, record: Record<'a>, from: VertexId, to: VertexId) -> Result<StepEdgeUse, Fault> {
        let key = (from.min(to), from.max(to));
        let edge = match self.edges_between.get(&key) {
            Some(edge) => *edge,
            None => {
                let [start, end] = [key.0, key.1].map(|vertex| self.vertices[vertex.index()].point);
                let line = Line::new(start, end - start)
                    .map_err(|_| record.fault("has two corners in one place"))?;
                let edge = StepEdge {
                    entity: record.id(),
                    line: record.line(),
                    curve: line.into(),
                    range: Range::new(0.0, 1.0),
                    vertices: [key.0, key.1],
                    gap: 0.0,
                };
                let id = self.push_edge(record, edge)?;
                self.edges_between.insert(key, id);
                id
            }
        };
        Ok(StepEdgeUse { edge, reversed: from > to, parameters: None })
    }

    /// The plane through the first polygon of a face that names no surface; its normal is the polygon's.
    pub(super) fn plane_of(&self, record: Record<'a>, bounds: &[Record<'a>]) -> Result<Surface, Fault> {
        let outer = bounds.iter().find(|bound| bound.is("FACE_OUTER_BOUND")).or(bounds.first());
        let Some(bound) = outer else { return Err(record.fault("has no bounds")) };
        let path = bound.fields().link(1)?;
        if !path.is("POLY_LOOP") {
            return Err(record.fault("has no surface"));
        }
        let corners = path.fields().links(1)?;
        let corners = corners.into_iter().map(|p| point(p, self.scales)).collect::<Result<Vec<_>, _>>()?;
        let Some(&origin) = corners.first() else { return Err(path.fault("has no corners")) };
        // Twice the area as a vector; exact for flat polygons, convex or not.
        let mut area = DVec3::ZERO;
        for (at, corner) in corners.iter().enumerate() {
            area += (corner - origin).cross(corners[(at + 1) % corners.len()] - origin);
        }
        let Some(normal) = area.try_normalize() else { return Err(path.fault("has no area")) };
        let normal = if bound.fields().flag(2)? { normal } else { -normal };
        let x = normal.any_orthonormal_vector();
        let frame = Pose::from_matrix(DMat3::from_cols(x, normal.cross(x), normal), origin)
            .map_err(|error| path.fault(format!("has no plane: {error}")))?;
        Ok(Plane::new(frame).into())
    }

    /// Sorts all features by their records and hands them out.
    pub(super) fn finish(
        mut self,
        record: Record<'a>,
        name: &str,
        kind: StepBodyKind,
        warnings: &mut Vec<Fault>,
    ) -> Result<StepBody, Fault> {
        warnings.append(&mut self.warnings);
        let allowed = self.size() * tolerance::STEP_GAP_REL;
        let allowed = allowed.max(self.scales.uncertainty.unwrap_or(0.0));
        for (gap, mut fault) in self.gaps.drain(..).filter(|(gap, _)| !(*gap <= allowed)) {
            fault.message += &format!(" (by {gap:e})");
            warnings.push(fault);
        }
        let vertex_places = sort_by_entity(&mut self.vertices, |vertex| vertex.entity);
        let edge_places = sort_by_entity(&mut self.edges, |edge| edge.entity);
        let face_places = sort_by_entity(&mut self.faces, |face| face.entity);
        for edge in &mut self.edges {
            edge.vertices = edge.vertices.map(|old| VertexId(vertex_places[old.index()]));
        }
        for course in self.faces.iter_mut().flat_map(|face| &mut face.loops).map(|bound| &mut bound.course) {
            match course {
                StepCourse::Vertex(vertex) => *vertex = VertexId(vertex_places[vertex.index()]),
                StepCourse::Edges(uses) => {
                    uses.iter_mut().for_each(|used| used.edge = EdgeId(edge_places[used.edge.index()]));
                }
            }
        }
        for face in self.shells.iter_mut().flat_map(|shell| &mut shell.faces) {
            *face = FaceId(face_places[face.index()]);
        }
        Ok(StepBody {
            entity: record.id(),
            line: record.line(),
            name: name.to_owned(),
            kind,
            shells: self.shells,
            faces: self.faces,
            edges: self.edges,
            vertices: self.vertices,
            uncertainty: self.scales.uncertainty,
            written_in: self.scales.name.clone(),
        })
    }

    /// The diagonal of the box of all vertices and of the middles of all edges; a length.
    fn size(&self) -> f64 {
        let middles = self.edges.iter().map(|edge| edge.curve.point(edge.range.middle()));
        let points = self.vertices.iter().map(|vertex| vertex.point).chain(middles);
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for point in points {
            low = low.min(point);
            high = high.max(point);
        }
        let diagonal = (high - low).length();
        if diagonal.is_finite() { diagonal } else { 0.0 }
    }
}

/// Sorts by record and returns where each item went. Items of one record keep their order.
fn sort_by_entity<T>(items: &mut Vec<T>, entity: impl Fn(&T) -> u64) -> Vec<u32> {
    let mut tagged: Vec<(u32, T)> = (0_u32..).zip(items.drain(..)).collect();
    tagged.sort_by_key(|(_, item)| entity(item));
    let mut places = vec![0; tagged.len()];
    for (new, (old, _)) in (0_u32..).zip(&tagged) {
        places[*old as usize] = new;
    }
    items.extend(tagged.into_iter().map(|(_, item)| item));
    places
}

/// Largest distance between the ends and the middle of an edge; a length.
pub(super) fn extent(edge: &StepEdge) -> f64 {
    let Range { low, high } = edge.range;
    let [a, b, c] = [low, edge.range.middle(), high].map(|t| edge.curve.point(t));
    a.distance(b).max(b.distance(c)).max(c.distance(a))
}
