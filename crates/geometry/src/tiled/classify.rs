//! How faces meet in an edge, and how far open edges are from each other.
//!
//! Source: the sign of (n₀ × n₁) · τ, with τ the direction in which the face of n₀ lies on the left.
//! Differs: nothing to differ from.
//! Ends because: samples are counted.
//! Cost: [`SAMPLES`] normals of each face per edge.
//! Not promised: a change of sign between two samples is missed.

use super::trace::wrapped_jet;
use super::{EdgeKind, Face, OpenEdge, TiledEdge};
use crate::surface::unit;
use crate::tolerance::SMOOTH_EDGE_RAD;
use crate::{DVec3, EdgeId};

/// Points of an edge at which its faces' normals are compared.
const SAMPLES: usize = 9;

pub(super) fn edges(edges: &mut [TiledEdge], faces: &[Face]) {
    for (at, edge) in edges.iter_mut().enumerate() {
        let id = EdgeId(at as u32);
        let [Some(left), Some(right)] = edge.faces else { continue };
        let [left, right] = [left, right].map(|face| &faces[face.index()]);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..SAMPLES {
            let t = edge.range.at((k as f64 + 0.5) / SAMPLES as f64);
            let jet = wrapped_jet(&edge.curve, t);
            let normal = |face: &Face, against: bool| {
                face.normal(face.region.parameters_of(id, t, jet.point, against != face.reversed))
            };
            let (Some(n), Some(m), Some(along)) = (normal(left, false), normal(right, true), unit(jet.first))
            else {
                continue;
            };
            let angle = n.cross(m).dot(along).atan2(n.dot(m));
            (least, most) = (least.min(angle), most.max(angle));
        }
        if least > most {
            // No sample has normals on both sides: a line between degenerate points.
            edge.kind = EdgeKind::Smooth;
            continue;
        }
        edge.angles = [least, most];
        edge.kind = match (least < -SMOOTH_EDGE_RAD, most > SMOOTH_EDGE_RAD) {
            (false, false) => EdgeKind::Smooth,
            (false, true) => EdgeKind::Convex,
            (true, false) => EdgeKind::Reflex,
            (true, true) => EdgeKind::Mixed,
        };
    }
}

/// Edges with one face, and how far the nearest other one of them is.
pub(super) fn open_edges(edges: &[TiledEdge]) -> Vec<OpenEdge> {
    let open: Vec<usize> =
        (0..edges.len()).filter(|&i| edges[i].faces.iter().flatten().count() == 1).collect();
    let samples = |edge: &TiledEdge| -> Vec<DVec3> {
        (0..=SAMPLES).map(|k| edge.point(edge.range.at(k as f64 / SAMPLES as f64))).collect()
    };
    let points: Vec<Vec<DVec3>> = open.iter().map(|&i| samples(&edges[i])).collect();
    let farthest = |from: &[DVec3], other: &TiledEdge, of: &[DVec3]| {
        let nearest = |p: &DVec3| {
            let start = of.iter().enumerate().min_by(|a, b| a.1.distance(*p).total_cmp(&b.1.distance(*p)));
            let t = start.map_or(other.range.low, |(k, _)| other.range.at(k as f64 / SAMPLES as f64));
            other.curve.locate(*p, other.range, Some(t)).distance
        };
        from.iter().map(nearest).fold(0.0, f64::max)
    };
    let gap = |i: usize| {
        let others = (0..open.len()).filter(|&j| j != i);
        others.map(|j| farthest(&points[i], &edges[open[j]], &points[j])).fold(f64::INFINITY, f64::min)
    };
    open.iter().enumerate().map(|(i, &edge)| OpenEdge { edge: EdgeId(edge as u32), gap: gap(i) }).collect()
}
