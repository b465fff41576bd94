//! Which way faces look: neighbours made to agree, connected pieces found.
//!
//! Source: a walk over the faces; two faces agree where their loops run a common edge in opposite directions.
//! Differs: nothing to differ from.
//! Ends because: every face is visited once.
//! Cost: O(faces + edges).
//! Not promised: which way an open body looks; the first face of each piece decides.

use super::error::TiledError;
use crate::{EdgeId, FaceId};

/// A face's use of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) face: FaceId,
    /// Whether the face's loop runs against the edge.
    pub(super) reversed: bool,
}

/// What the walk found.
pub(super) struct Orientation {
    /// Whether each face must be turned to agree with the first of its piece.
    pub(super) turn: Vec<bool>,
    /// The piece of each face.
    pub(super) shells: Vec<u32>,
}

/// `uses` lists one or two uses of each edge.
pub(super) fn orient(face_count: usize, uses: &[Vec<Use>]) -> Result<Orientation, TiledError> {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); face_count];
    for (edge, list) in uses.iter().enumerate() {
        for one in list {
            around[one.face.index()].push(edge);
        }
    }
    let mut found = Orientation { turn: vec![false; face_count], shells: vec![u32::MAX; face_count] };
    let mut shell = 0;
    for first in 0..face_count {
        if found.shells[first] != u32::MAX {
            continue;
        }
        found.shells[first] = shell;
        let mut waiting = vec![first];
        while let Some(face) = waiting.pop() {
            for &edge in &around[face] {
                let [one, other] = uses[edge][..] else { continue };
                let (here, there) = if one.face.index() == face { (one, other) } else { (other, one) };
                let neighbour = there.face.index();
                let turned = (here.reversed == there.reversed) != found.turn[face];
                if found.shells[neighbour] == u32::MAX {
                    found.shells[neighbour] = shell;
                    found.turn[neighbour] = turned;
                    waiting.push(neighbour);
                } else if found.turn[neighbour] != turned {
                    let faces = [here.face, there.face];
                    return Err(TiledError::InconsistentOrientation { edge: EdgeId(edge as u32), faces });
                }
            }
        }
        shell += 1;
    }
    Ok(found)
}
