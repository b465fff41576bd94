//! Faces cut into "nice" patches: those whose normals all lie within a hemisphere.
//!
//! Source: 000, which asks this of patches and notes that any other can be divided into such ones.
//! Differs: the angle is bounded by a cone around the normals of a rectangle of parameters, which may divide more often
//! than needed.
//! Ends because: rectangles are halved at most [`DEPTH`] times; one that is left over says so.
//! Cost: one cone of normals per rectangle.
//! Not promised: the fewest patches.

use super::build::{home_parts, part_of_domain};
use super::{Face, Side, TiledBody};
use crate::FaceId;
use crate::bound::{DerivativeBound, DirectionCone, NormalCone};
use crate::curve::Rect;
use glam::DVec2;

/// Halvings of a face's rectangle.
const DEPTH: usize = 8;

/// Halvings after which a part without any bound on its normals is left as it is.
const PATIENCE: usize = 5;

/// A part of a face with its normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NicePatch {
    /// The face.
    pub face: FaceId,
    /// The part: what of the face lies over this rectangle.
    pub rect: Rect,
    /// A cone around its outward normals.
    pub normals: DirectionCone,
}

impl NicePatch {
    /// Whether the normals are known to lie within a hemisphere. The tip of a needle may not have it.
    pub fn is_nice(&self) -> bool {
        self.normals.is_within_hemisphere()
    }
}

impl TiledBody {
    /// All faces cut into nice patches, in the order of the faces; computed on first use.
    pub fn nice_patches(&self) -> &[NicePatch] {
        self.data.nice.get_or_init(|| {
            let mut found = Vec::new();
            for (at, face) in self.faces().iter().enumerate() {
                for rect in home_parts(&face.surface, face.region.bounds()) {
                    split(FaceId(at as u32), face, rect, DEPTH, &mut found);
                }
            }
            found
        })
    }
}

fn split(id: FaceId, face: &Face, rect: Rect, depth: usize, found: &mut Vec<NicePatch>) {
    if face.region.misses(rect) {
        return;
    }
    let inside = part_of_domain(&face.surface, rect);
    let cone = face.surface.normal_cone(inside);
    let normals = if face.reversed { cone.reversed() } else { cone };
    // Where nothing is known of the normals after some halvings, more do not help.
    let hopeless = normals.is_full() && depth + PATIENCE <= DEPTH;
    if depth == 0 || hopeless || normals.is_within_hemisphere() {
        found.push(NicePatch { face: id, rect, normals });
        return;
    }
    // The way that leaves the narrower cones.
    let across_u = rect.u.halves().map(|u| Rect::new(u, rect.v));
    let across_v = rect.v.halves().map(|v| Rect::new(rect.u, v));
    let widest = |halves: &[Rect; 2]| {
        let angle = |half: &Rect| face.surface.normal_cone(part_of_domain(&face.surface, *half)).angle;
        angle(&halves[0]).max(angle(&halves[1]))
    };
    let speeds = face.surface.derivative_bounds(inside);
    let (u, v) = (widest(&across_u), widest(&across_v));
    let along_u = u < v || (u == v && speeds.u * rect.u.width() >= speeds.v * rect.v.width());
    let halves = if along_u { across_u } else { across_v };
    for half in halves {
        split(id, face, half, depth - 1, found);
    }
}

impl super::Region {
    /// Whether a rectangle within the bounds is known to have no point of the region.
    pub(crate) fn misses(&self, rect: Rect) -> bool {
        if self.rect().is_some() {
            return false;
        }
        let meets = |piece: &super::trace::TrimPiece| piece.bounds().intersection(rect).is_some();
        let middle = DVec2::new(rect.u.middle(), rect.v.middle());
        !self.chains().iter().flatten().any(meets) && self.side(middle.x, middle.y) == Side::Outside
    }
}
