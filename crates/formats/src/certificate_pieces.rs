//! The pieces of a body, as the file that [`clearance_certificate`] checks describes them.
//!
//! Source: the control points that the search worked on, and its tree of boxes.
//! Differs: the boundary of a trimmed face is written as parts with rectangles around them, halved until none meets a cell
//! that the proof says is outside.
//! Ends because: loops run over pieces; parts are halved a bounded number of times.
//! Cost: proportional to the file.
//! Not promised: the fewest parts of a trim.

use clearance_certificate::{Patch, Piece as FilePiece, Shape, TrimPart};
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::tolerance::LOCAL_PARAMETER_REL;
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

pub(crate) fn pieces(prepared: &Prepared, outside: &[Vec<[DVec2; 2]>]) -> Vec<FilePiece> {
    let body = prepared.body();
    let one = |(piece, outside): (&Piece, &Vec<[DVec2; 2]>)| {
        let trim = piece.trimmed.then(|| trim(body, piece, outside)).flatten();
        described(piece, named(body, piece), trim)
    };
    prepared.tree().leaves().iter().zip(outside).map(one).collect()
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

/// The boundary of the face in the parameters of one of its pieces.
fn trim(body: &Body, piece: &Piece, outside: &[[DVec2; 2]]) -> Option<Vec<TrimPart>> {
    let face = piece.face(body)?;
    let clear: Vec<_> = outside.iter().map(|[low, high]| piece.span.part(*low, *high)).collect();
    let within = |p: DVec2| p.clamp(DVec2::splat(-0.5), DVec2::splat(1.5));
    let clamped = |p: DVec2| within(piece.span.local(p));
    let part = |([from, to], rect): ([DVec2; 2], clearance_geometry::curve::Rect)| {
        let low = within(clamped(DVec2::new(rect.u.low, rect.v.low)) - DVec2::splat(LOCAL_PARAMETER_REL));
        let high = within(clamped(DVec2::new(rect.u.high, rect.v.high)) + DVec2::splat(LOCAL_PARAMETER_REL));
        let (from, to) = (clamped(from), clamped(to));
        TrimPart {
            from: from.to_array(),
            to: to.to_array(),
            low: low.min(from).min(to).to_array(),
            high: high.max(from).max(to).to_array(),
        }
    };
    let over = |part: &TrimPart| part.high[0] >= 0.0 && part.low[0] <= 1.0;
    Some(face.region.boundary(&clear).into_iter().map(part).filter(over).collect())
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
