//! What was repaired while a body was built, in words.

use super::AnyBody;
use crate::json::shortest;
use clearance_geometry::tiled::TiledNote;
use clearance_geometry::{Body, LeafShape, Note, PartLeaf};

/// What was repaired while the body was built, in words.
pub(crate) fn warnings(body: &AnyBody) -> Vec<String> {
    match body {
        AnyBody::Solid(body) => of_solid(body.whole()),
        AnyBody::Planar(polygon) => polygon.notes().iter().map(flat).collect(),
        AnyBody::PlanarTiled(body) => body.notes().iter().map(curved).collect(),
    }
}

fn of_solid(body: &Body) -> Vec<String> {
    match body {
        Body::Polytope(polytope) => polytope.notes().iter().map(flat).collect(),
        Body::Tiled(body) => body.notes().iter().map(curved).collect(),
        Body::Deforming(body) => body.shape().notes().iter().map(curved).collect(),
        Body::Union(tree) => tree.leaves().iter().flat_map(of_leaf).collect(),
        _ => Vec::new(),
    }
}

fn of_leaf(leaf: &PartLeaf) -> Vec<String> {
    let notes: Vec<String> = match &leaf.shape {
        LeafShape::Polytope(polytope) => polytope.notes().iter().map(flat).collect(),
        LeafShape::Tiled(body) => body.notes().iter().map(curved).collect(),
    };
    notes.into_iter().map(|note| format!("part {}: {note}", path_in_words(&leaf.path))).collect()
}

/// The place of a part, as it stands before its features: `2/0`.
pub(crate) fn path_in_words(path: &[u32]) -> String {
    let steps: Vec<String> = path.iter().map(u32::to_string).collect();
    steps.join("/")
}

fn flat(note: &Note) -> String {
    let first =
        |list: &[u32]| list.first().map(|number| format!(", the first is {number}")).unwrap_or_default();
    match note {
        Note::Turned => "the boundary was inside-out and has been turned".to_owned(),
        Note::DroppedVertices { vertices } => {
            format!("points that are no corners were left out: {}{}", vertices.len(), first(vertices))
        }
        Note::MergedFaces { merged } => format!("coplanar faces were merged into their neighbours: {merged}"),
        Note::DroppedHalfSpaces { half_spaces } => {
            let count = half_spaces.len();
            format!("half-spaces that do not touch the body were left out: {count}{}", first(half_spaces))
        }
        other => format!("{other:?}"),
    }
}

pub(super) fn curved(note: &TiledNote) -> String {
    match note {
        TiledNote::Turned => "the boundary was inside-out and has been turned".to_owned(),
        TiledNote::TurnedFaces { faces } => {
            let first = faces.first().map(|face| format!(", the first is {}", face.0)).unwrap_or_default();
            format!(
                "faces that looked the other way than their neighbours were turned: {}{first}",
                faces.len()
            )
        }
        TiledNote::TurnedLoops { faces } => {
            let first = faces.first().map(|face| format!(", the first is {}", face.0)).unwrap_or_default();
            format!(
                "faces whose loops ran the wrong way around, as their seams show, were mended: {}{first}",
                faces.len()
            )
        }
        TiledNote::LooseEdges { count, gap } => {
            format!("edges off the surfaces of their faces: {count}, by up to {}", rough(*gap))
        }
        TiledNote::CollapsedSides { count } => {
            format!("sides of patches that are single points became vertices: {count}")
        }
        TiledNote::JoinedSides { count, gap } => {
            format!("sides of patches were joined across gaps: {count}, of up to {}", rough(*gap))
        }
        TiledNote::FoldedFaces { faces } => {
            let first = faces.first().map(|face| format!(", the first is {}", face.0)).unwrap_or_default();
            format!(
                "trimmed faces that fold along knots of their surfaces have no edges there: {}{first}",
                faces.len()
            )
        }
        other => format!("{other:?}"),
    }
}

/// A gap with as many digits as anybody needs.
fn rough(gap: f64) -> String {
    let short = format!("{gap:.2e}");
    short.parse().map_or(short, shortest)
}
