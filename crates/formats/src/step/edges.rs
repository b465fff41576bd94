//! Edges of a body: a piece of a curve between two vertices, or several where a record is more than one.

use super::bodies::BodyReader;
use super::curves::{self, Piece};
use super::source::Record;
use super::trim::{self, Span};
use super::{Fault, StepEdge};
use clearance_geometry::curve::{Curve, ParametricCurve, Range};
use clearance_geometry::{EdgeId, VertexId};

impl<'a> BodyReader<'a> {
    /// The edges of a record, head to tail along it, and whether each runs against it.
    pub(super) fn edge(&mut self, record: Record<'a>) -> Result<Vec<(EdgeId, bool)>, Fault> {
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

    fn curve(&mut self, record: Record<'a>) -> Result<(Curve, bool), Fault> {
        if let Some(read) = self.curves.get(&record.id()) {
            return Ok(read.clone());
        }
        let read = curves::curve(record, self.scales)?;
        self.curves.insert(record.id(), read.clone());
        Ok(read)
    }

    fn simple_edge(
        &mut self,
        record: Record<'a>,
        geometry: Record<'a>,
        vertices: [VertexId; 2],
        forward: bool,
    ) -> Result<Vec<(EdgeId, bool)>, Fault> {
        let (curve, reversed) = self.curve(geometry)?;
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
            let edge = StepEdge {
                entity: record.id(),
                line: record.line(),
                curve: curve.clone(),
                range,
                vertices,
                gap,
            };
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
            let edge =
                StepEdge { entity: record.id(), line: record.line(), curve, range, vertices: along, gap };
            found.push((self.push_edge(record, edge)?, reversed));
            start = end;
        }
        if found.is_empty() {
            return Err(geometry.fault("has no segments"));
        }
        Ok(found)
    }
}
