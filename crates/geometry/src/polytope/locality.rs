//! Neighbours on the body become neighbours in memory.
//!
//! Source: Morton (1966), the order of points by their interleaved coordinates.
//! Differs: only bodies of more than a few dozen vertices are renumbered, so that small ones keep the order
//! of their input; labels carry the input's numbers either way.
//! Ends because: one sort of the vertices and one of the faces.
//! Cost: O(n log n).
//! Not promised: an order; it may change from version to version.

use super::assemble::Boundary;
use crate::DVec3;

/// Vertices up to which a body lies in a few cache lines whatever its order.
const FEW_VERTICES: usize = 64;

/// The same boundary with vertices in Morton order and faces in the order of their first vertex.
pub(super) fn localized(boundary: Boundary) -> Boundary {
    if boundary.vertices.len() <= FEW_VERTICES {
        return boundary;
    }
    let low = boundary.vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = boundary.vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let scale = DVec3::splat(GRID) / (high - low).max(DVec3::splat(f64::MIN_POSITIVE));
    let mut order: Vec<(u64, u32)> = boundary
        .vertices
        .iter()
        .zip(0..)
        .map(|(&vertex, index)| (morton((vertex - low) * scale), index))
        .collect();
    order.sort_unstable();
    let mut place = vec![0; order.len()];
    for (new, &(_, old)) in order.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    let moved = |old: &u32| place[*old as usize];
    let mut faces: Vec<(u32, u32)> = boundary
        .loops
        .iter()
        .zip(0..)
        .map(|(face, index)| (face.iter().map(moved).min().unwrap_or(0), index))
        .collect();
    faces.sort_unstable();
    let mut chords: Vec<[u32; 2]> =
        boundary.chords.iter().map(|[from, to]| [moved(from), moved(to)]).collect();
    chords.sort_unstable();
    Boundary {
        vertices: order.iter().map(|&(_, old)| boundary.vertices[old as usize]).collect(),
        vertex_labels: order.iter().map(|&(_, old)| boundary.vertex_labels[old as usize]).collect(),
        loops: faces
            .iter()
            .map(|&(_, old)| boundary.loops[old as usize].iter().map(moved).collect())
            .collect(),
        face_labels: faces.iter().map(|&(_, old)| boundary.face_labels[old as usize]).collect(),
        chords,
        notes: boundary.notes,
    }
}

/// Cells per axis: 16 bits of each coordinate are interleaved.
const GRID: f64 = 65_535.0;

/// Interleaves the bits of three whole numbers below 2¹⁶; anything else saturates.
fn morton(cell: DVec3) -> u64 {
    let spread = |x: f64| (0..16).fold(0, |bits, i| bits | ((x as u64 >> i & 1) << (3 * i)));
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}
