//! Tiled bodies as rational Bézier patches, curves and points.
//!
//! Source: the exact rational form of quadrics, tori, arcs and sweeps, and the Bézier pieces of splines.
//! Differs: a helix is a row of cubics, off by a bounded slack. Where an edge is off its faces, or a vertex off the ends of its
//! edges, the piece carries that gap.
//! Ends because: loops run over features and their spans.
//! Cost: one conversion for each face and edge.
//! Not promised: a form for surfaces swept by a helix.

use super::{Net, Piece, PiecesError, Span, direct};
use crate::curve::{ConvertError, Curve, NurbsCurve, ParametricCurve, Range, Rect};
use crate::surface::Surface;
use crate::surface::home::{home, home_parts};
use crate::tiled::{Cover, Face, TiledBody, TiledEdge};
use crate::tolerance::{BLEND_ERROR_REL, CLOSED_FORM_ERROR_REL};
use crate::{DVec3, DVec4, EdgeId, FaceId, Feature, VertexId};
use std::borrow::Cow;

/// Cubics per turn of a helix: each is off by its fourth derivative times step⁴/384, 2.5 · 10⁻¹¹ of the radius.
const HELIX_STEPS_PER_TURN: f64 = 512.0;

/// Pieces that there is room for at first: some groups of faces, or a simple body.
const FIRST_PIECES: usize = 32;

pub(super) fn pieces(body: &TiledBody) -> Result<Vec<Piece>, PiecesError> {
    let all = |_: usize| true;
    pieces_of(body, [&all, &all, &all])
}

/// The pieces of some faces, edges and vertices, by their places.
pub(super) fn pieces_of(
    body: &TiledBody,
    [faces, edges, vertices]: [&dyn Fn(usize) -> bool; 3],
) -> Result<Vec<Piece>, PiecesError> {
    let mut all = Vec::with_capacity(FIRST_PIECES);
    for (at, face) in body.faces().iter().enumerate().filter(|(at, _)| faces(*at)) {
        let feature = Feature::Face(FaceId(at as u32));
        of_face(feature, face, &mut all).map_err(|cause| PiecesError::Convert { feature, cause })?;
    }
    for (at, edge) in body.edges().iter().enumerate().filter(|(at, _)| edges(*at)) {
        let feature = Feature::Edge(EdgeId(at as u32));
        of_edge(feature, edge, &mut all).map_err(|cause| PiecesError::Convert { feature, cause })?;
    }
    for at in (0..body.vertex_count()).filter(|at| vertices(*at)) {
        let vertex = VertexId(at as u32);
        // A vertex stands for the ends of its edges.
        all.push(Piece { gap: body.vertex_gap(vertex), ..of_vertex(vertex, body.vertex(vertex)) });
    }
    Ok(all)
}

/// The piece of a vertex, gaps left aside.
pub(super) fn of_vertex(vertex: VertexId, point: DVec3) -> Piece {
    Piece {
        feature: Feature::Vertex(vertex),
        leaf: 0,
        dimension: 0,
        degrees: [0, 0],
        net: Net::single(point.extend(1.0)),
        slack: CLOSED_FORM_ERROR_REL * point.abs().max_element(),
        gap: 0.0,
        span: Span::POINT,
        is_flat: false,
        trimmed: false,
    }
}

pub(super) fn of_face(feature: Feature, face: &Face, all: &mut Vec<Piece>) -> Result<(), ConvertError> {
    let surface = &face.surface;
    for rect in home_parts(surface, face.region.first_turn()) {
        let Some(part) = home(surface, rect) else { continue };
        let shift = [rect.u.low - part.u.low, rect.v.low - part.v.low];
        if let Some(tiles) = direct::Tiles::of(surface, part) {
            let [columns, rows] = tiles.counts();
            for tile in (0..columns).flat_map(|i| (0..rows).map(move |j| [i, j])) {
                let [p, q] = tiles.degrees();
                // As many as a spline's tile has.
                let net = || ([p, q], tiles.net(tile).into(), (p + q) as u32);
                add_patch(feature, face, (tiles.rect(tile), shift), net, all);
            }
            continue;
        }
        let nurbs = match surface {
            Surface::Nurbs(nurbs) if part.u.width() > 0.0 && part.v.width() > 0.0 => Cow::Borrowed(&**nurbs),
            _ => Cow::Owned(surface.to_nurbs(part)?),
        };
        let [columns, rows] = nurbs.tile_counts();
        for tile in (0..columns).flat_map(|i| (0..rows).map(move |j| [i, j])) {
            let whole = nurbs.tile_rect(tile);
            let Some(over) = overlap(whole, part) else { continue };
            let net = || {
                // Only tiles that the rectangle cuts are cut.
                if over == whole {
                    return nurbs.shared_tile(tile);
                }
                let patch = nurbs.tile(tile).restricted(within(over, whole));
                let (degrees, roundings) = (patch.degrees(), patch.roundings());
                (degrees, patch.into_net().into(), roundings)
            };
            add_patch(feature, face, (over, shift), net, all);
        }
    }
    Ok(())
}

/// What two rectangles have in common, where that has an area.
fn overlap(one: Rect, other: Rect) -> Option<Rect> {
    let common = |a: Range, b: Range| a.intersection(b).filter(|range| range.width() > 0.0);
    Some(Rect::new(common(one.u, other.u)?, common(one.v, other.v)?))
}

/// A part of a rectangle by the fractions of its sides.
fn within(part: Rect, whole: Rect) -> Rect {
    Rect::new(share(part.u, whole.u), share(part.v, whole.v))
}

/// A part of a range by fractions of it; its ends are 0 and 1.
fn share(part: Range, whole: Range) -> Range {
    let at = |t: f64| (t - whole.low) / whole.width();
    let high = if part.high == whole.high { 1.0 } else { at(part.high) };
    Range::new(at(part.low), high)
}

/// Adds a tile of a face, unless it is outside its boundary. `shift` leads back to the region's copy of a periodic surface.
fn add_patch(
    feature: Feature,
    face: &Face,
    (Rect { u, v }, shift): (Rect, [f64; 2]),
    net: impl FnOnce() -> ([usize; 2], Net, u32),
    all: &mut Vec<Piece>,
) {
    let shifted = |range: Range, by: f64| Range::new(range.low + by, range.high + by);
    let over = Rect::new(shifted(u, shift[0]), shifted(v, shift[1]));
    let cover = face.region.cover(over);
    if cover == Cover::Outside {
        return;
    }
    let (degrees, net, roundings) = net();
    let slack = rounding(&net, roundings, !matches!(face.surface, Surface::Nurbs(_)));
    all.push(Piece {
        feature,
        leaf: 0,
        dimension: 2,
        degrees,
        net,
        slack,
        gap: 0.0,
        span: Span::of_surface(&face.surface, over),
        is_flat: false,
        trimmed: cover == Cover::Unknown,
    });
}

fn of_edge(feature: Feature, edge: &TiledEdge, all: &mut Vec<Piece>) -> Result<(), ConvertError> {
    of_curve(feature, &edge.curve, edge.range, edge.gap, all)
}

/// The pieces of a range of a curve.
pub(super) fn of_curve(
    feature: Feature,
    whole: &Curve,
    range: Range,
    gap: f64,
    all: &mut Vec<Piece>,
) -> Result<(), ConvertError> {
    for (range, part) in home_ranges(whole, range) {
        let by = range.low - part.low;
        let mut add = |over: Range, net: Net, slack: f64| {
            let over = Range::new(over.low + by, over.high + by);
            all.push(Piece {
                feature,
                leaf: 0,
                dimension: 1,
                degrees: [net.len() - 1, 0],
                net,
                slack,
                gap,
                span: Span::of_curve(whole, over),
                trimmed: false,
                is_flat: false,
            });
        };
        if let Some(pieces) = direct::of_curve(whole, part) {
            for (over, net) in pieces {
                let slack = rounding(&net, net.len() as u32, true);
                add(over, net.into(), slack);
            }
            continue;
        }
        let (spline, fitted) = match whole {
            Curve::Helix(helix) => {
                let turns = (part.width() / std::f64::consts::TAU).abs();
                let count = (turns * HELIX_STEPS_PER_TURN).ceil().max(1.0);
                let step = part.width() / count;
                (Cow::Owned(hermite(whole, part, count as usize)?), helix.radius() * step.powi(4) / 384.0)
            }
            Curve::Nurbs(spline) if part.width() > 0.0 => (Cow::Borrowed(&**spline), 0.0),
            curve => (Cow::Owned(curve.to_nurbs(part)?), 0.0),
        };
        for at in 0..spline.knots().piece_count() {
            let span = spline.knots().piece(at);
            let Some(over) = span.intersection(part).filter(|over| over.width() > 0.0) else { continue };
            let (net, roundings) = if over == span {
                spline.shared_piece(at)
            } else {
                let piece = spline.piece(at).restricted(share(over, span));
                let roundings = piece.roundings();
                (piece.into_points().into(), roundings)
            };
            let exact = matches!(whole, Curve::Nurbs(_));
            let slack = rounding(&net, roundings, !exact) + fitted;
            add(over, net, slack);
        }
    }
    Ok(())
}

/// A range of a curve cut where it leaves the domain of a closed spline, each part with its copy in the domain.
fn home_ranges(curve: &Curve, range: Range) -> Vec<(Range, Range)> {
    let domain = curve.domain();
    let (Curve::Nurbs(_), Some(period)) = (curve, curve.period()) else { return vec![(range, range)] };
    if domain.encloses(range) {
        return vec![(range, range)];
    }
    let mut ends = vec![range.low];
    ends.extend([-1.0, 0.0, 1.0, 2.0].map(|k| domain.low + k * period));
    ends.push(range.high);
    ends.retain(|t| range.contains(*t));
    ends.dedup();
    let parts = ends.windows(2).map(|pair| Range::new(pair[0], pair[1]));
    let homed = parts.map(|part| {
        let by = -period * ((part.middle() - domain.low) / period).floor();
        (part, Range::new(domain.clamp(part.low + by), domain.clamp(part.high + by)))
    });
    homed.filter(|(_, home)| home.width() > 0.0).collect()
}

/// Cubics with a curve's points and derivatives at even steps.
fn hermite(curve: &Curve, range: Range, count: usize) -> Result<NurbsCurve, ConvertError> {
    let third = range.width() / (3.0 * count as f64);
    let mut points: Vec<DVec3> = Vec::with_capacity(3 * count + 1);
    let mut knots = vec![range.low];
    for k in 0..=count {
        let t = range.at(k as f64 / count as f64);
        let jet = curve.jet(t);
        if k > 0 {
            points.push(jet.point - jet.first * third);
        }
        points.push(jet.point);
        if k < count {
            points.push(jet.point + jet.first * third);
        }
        knots.extend([t; 3]);
    }
    knots.push(range.high);
    Ok(NurbsCurve::new(3, knots, &points, None)?)
}

/// What the control points may have lost to rounding.
fn rounding(net: &[DVec4], roundings: u32, closed_form: bool) -> f64 {
    let mut reach = 0.0_f64;
    for p in net {
        let [x, y, z] = p.truncate().abs().to_array();
        let yz = if z > y { z } else { y };
        // The greatest quotient is that of the greatest: division is monotone.
        let most = if yz > x { yz } else { x } / p.w;
        reach = if most > reach { most } else { reach };
    }
    let formula = if closed_form { CLOSED_FORM_ERROR_REL } else { 0.0 };
    (BLEND_ERROR_REL * f64::from(roundings + 1) + formula) * reach
}
