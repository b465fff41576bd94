//! The pieces of a body, as the file that [`clearance_certificate`] checks describes them.
//!
//! Source: the control points that the search worked on, and its tree of boxes.
//! Differs: the boundary of a trimmed face is written as parts with rectangles around them, halved until none meets a cell
//! that the proof says is outside, nor the witness. A witness on the boundary is moved into the rectangle of a part.
//! Ends because: loops run over pieces; parts are halved a bounded number of times.
//! Cost: proportional to the file.
//! Not promised: the fewest parts of a trim.

use clearance_certificate::{Patch, Piece as FilePiece, Shape, TrimPart};
use clearance_geometry::curve::Rect;
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::tolerance::TRIM_BOUNDARY_REL;
use clearance_geometry::{Below, Body, DVec2};
use clearance_proximity::global::Prepared;
use clearance_proximity::planar::{PlanarBody, PlanarPrepared};

/// Inner nodes as groups, the root first.
pub(crate) fn groups(tree: &PieceTree) -> Vec<Vec<i64>> {
    let mut numbers = vec![0_i64; tree.nodes().len()];
    let mut count = 0;
    for (at, node) in tree.nodes().iter().enumerate() {
        if matches!(node.below, Below::Nodes(_)) {
            numbers[at] = count;
            count += 1;
        }
    }
    if let Below::Leaf(piece) = tree.root().below {
        return vec![vec![i64::from(piece)]];
    }
    let child = |at: u32| match tree.nodes()[at as usize].below {
        Below::Leaf(piece) => i64::from(piece),
        Below::Nodes(_) => -numbers[at as usize],
    };
    let group = |below: Below| match below {
        Below::Nodes(pair) => Some(pair.map(child).to_vec()),
        Below::Leaf(_) => None,
    };
    tree.nodes().iter().filter_map(|node| group(node.below)).collect()
}

/// What must be told from the boundary of a trimmed face.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clear {
    /// Cells that are outside, by their corners.
    pub(crate) outside: Vec<[DVec2; 2]>,
    /// The witness, if it is there.
    pub(crate) witness: Option<DVec2>,
}

pub(crate) fn pieces(prepared: &Prepared, wanted: &[Clear]) -> Vec<FilePiece> {
    let body = prepared.body();
    let one = |(piece, wanted): (&Piece, &Clear)| {
        let trim = piece.trimmed.then(|| trim(body, piece, wanted)).flatten();
        described(piece, named(body, piece), trim)
    };
    prepared.tree().leaves().iter().zip(wanted).map(one).collect()
}

/// The curves and corners of an outline.
pub(crate) fn curves(prepared: &PlanarPrepared) -> Vec<FilePiece> {
    let named = |piece: &Piece| match prepared.body() {
        PlanarBody::Polygon(polygon) => polygon.label(piece.feature).to_string(),
        PlanarBody::Tiled(_) => piece.feature.to_string(),
    };
    prepared.tree().leaves().iter().map(|piece| described(piece, named(piece), None)).collect()
}

fn described(piece: &Piece, feature: String, trim: Option<Vec<TrimPart>>) -> FilePiece {
    FilePiece {
        feature,
        slack: piece.slack + piece.gap,
        shape: Shape::Patch(Patch {
            degree: piece.degrees[..piece.dimension].to_vec(),
            points: piece.net.iter().map(|p| p.to_array()).collect(),
            trim,
        }),
    }
}

/// The boundary of the face in the parameters of one of its pieces, cut so finely that no rectangle of a part meets a cell
/// that is outside, or holds the witness, but for one on the boundary itself.
fn trim(body: &Body, piece: &Piece, wanted: &Clear) -> Option<Vec<TrimPart>> {
    let face = piece.face(body)?;
    let lost = piece.span.rounding();
    let within = |p: DVec2| p.clamp(DVec2::splat(-0.5), DVec2::splat(1.5));
    let clamped = |p: DVec2| within(piece.span.local(p));
    let part = |[from, to]: [DVec2; 2], rect: Rect| {
        let low = within(clamped(DVec2::new(rect.u.low, rect.v.low)) - lost);
        let high = within(clamped(DVec2::new(rect.u.high, rect.v.high)) + lost);
        let (from, to) = (clamped(from), clamped(to));
        TrimPart {
            from: from.to_array(),
            to: to.to_array(),
            low: low.min(from).min(to).to_array(),
            high: high.max(from).max(to).to_array(),
        }
    };
    let meets = |part: &TrimPart, [low, high]: [DVec2; 2]| {
        DVec2::from(part.low).cmple(high).all() && low.cmple(DVec2::from(part.high)).all()
    };
    let is_coarse = |ends, rect| {
        let part = part(ends, rect);
        wanted.outside.iter().any(|cell| meets(&part, *cell))
            || wanted.witness.is_some_and(|at| meets(&part, [at; 2]))
    };
    let over = |part: &TrimPart| part.high[0] >= 0.0 && part.low[0] <= 1.0;
    let parts = face.region.boundary(is_coarse).into_iter().map(|(ends, rect)| part(ends, rect));
    Some(parts.filter(over).collect())
}

/// A witness of a trimmed face as the checker takes it: one that is on the boundary within [`TRIM_BOUNDARY_REL`], but beside
/// every rectangle of it and outside, is moved into the nearest one.
pub(crate) fn on_face(body: &Body, piece: &Piece, described: &FilePiece, local: DVec2) -> DVec2 {
    let (Shape::Patch(Patch { trim: Some(parts), .. }), Some(face)) = (&described.shape, piece.face(body))
    else {
        return local;
    };
    if parts.is_empty() || is_inside(parts, local) {
        return local;
    }
    let Rect { u, v } = face.region.bounds();
    let [along, across] = [piece.span.rect.u.width(), piece.span.rect.v.width()];
    let near = BESIDE * TRIM_BOUNDARY_REL * DVec2::new(u.width() / along, v.width() / across);
    let moved = |part: &TrimPart| {
        local.clamp(DVec2::from(part.low), DVec2::from(part.high)).clamp(DVec2::ZERO, DVec2::ONE)
    };
    let off = |to: DVec2| ((to - local) / near).length();
    let nearest = parts.iter().map(moved).min_by(|one, other| off(*one).total_cmp(&off(*other)));
    nearest.filter(|to| off(*to) <= 1.0).unwrap_or(local)
}

/// How far a point may be from the nearest part of a boundary that it is on, in units of [`TRIM_BOUNDARY_REL`]: parameters of
/// a piece do not run evenly over those of its face.
const BESIDE: f64 = 4.0;

/// Whether a point is in the rectangle of a part, or the boundary runs around it.
fn is_inside(parts: &[TrimPart], at: DVec2) -> bool {
    let mut around = 0;
    for part in parts {
        let (low, high) = (DVec2::from(part.low), DVec2::from(part.high));
        if low.cmple(at).all() && at.cmple(high).all() {
            return true;
        }
        if at.y > high.y {
            around += i32::from(part.to[0] > at.x) - i32::from(part.from[0] > at.x);
        }
    }
    around != 0
}

/// The feature, with the path of its part before it in a union.
fn named(body: &Body, piece: &Piece) -> String {
    match body.whole() {
        Body::Union(parts) => {
            let path: Vec<String> =
                parts.leaves()[piece.leaf as usize].path.iter().map(ToString::to_string).collect();
            format!("{}/{}", path.join("/"), piece.feature)
        }
        Body::Polytope(polytope) => polytope.label(piece.feature).to_string(),
        _ => piece.feature.to_string(),
    }
}
