//! The proof that two surfaces cross: a line of parameters on one pierces the other.
//!
//! Source: Krawczyk's operator on a slice of three dimensions, one of the four parameters held.
//! Differs: the line held is the one that meets the other surface most steeply. The points that are tried are spread by length
//! between the ends of a branch: those of the march may all be on the rims of faces, where nothing can be proven.
//! Ends because: a few points of a branch are tried, each with a few boxes.
//! Cost: a few microseconds for each box.
//! Not promised: that every crossing is proven; surfaces at an angle of a millionth may be left unproven.

use super::branches::Branch;
use super::crossing::{Crossing, Proof, crossings, prove};
use super::march::{March, Step, onto_rim};
use super::scene::Scene;
use crate::global::NearPair;
use crate::global::descend::Shape;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3, Feature};

/// A proven crossing: a curve on one surface passes through the other, within these boxes of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossingProof {
    /// A point in the middle of the boxes, in the frame of A.
    pub point: DVec3,
    /// The features of A and B.
    pub features: [Feature; 2],
    /// The pieces, by their place in each tree.
    pub pieces: [u32; 2],
    /// Rectangles of the pieces' parameters with exactly one common point of the curve and the surface; on the side of the
    /// curve one parameter is held, or it is an edge.
    pub boxes: [[DVec2; 2]; 2],
    /// The sine of the angle between the curve and the surface.
    pub sine: f64,
}

/// Where along a branch its crossing is tried to be proven, as shares of its length.
const TRIES: [f64; 7] = [0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875];

/// Proves the crossing at one of the points of a branch.
pub(super) fn prove_on(scene: &Scene, branch: &Branch) -> Option<CrossingProof> {
    TRIES.iter().find_map(|share| prove_at(scene, branch.pieces, &between(scene, branch, *share)?))
}

/// The point of a branch at a share of its length.
pub(super) fn between(scene: &Scene, branch: &Branch, share: f64) -> Option<Step> {
    let chord = |pair: &[Step]| pair[0].point.distance(pair[1].point);
    let length: f64 = branch.steps.windows(2).map(chord).sum();
    let mut left = share * length;
    let pair = branch.steps.windows(2).find(|pair| {
        left -= chord(pair);
        left <= 0.0
    })?;
    let [from, to] = [&pair[0], &pair[1]];
    let back = (-left / chord(pair).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let march = March::new(scene, branch.pieces);
    let at = march.across(from, to, to.point.lerp(from.point, back))?.map(onto_rim);
    let inside = at.iter().all(|x| (0.0..=1.0).contains(x));
    inside.then(|| march.step(at, from.tangent))
}

/// Proves that bodies cross at their nearest points: two faces, or a face and an edge, neither of an open part.
pub(super) fn prove_near(scene: &Scene, near: &NearPair) -> Option<CrossingProof> {
    if !scene.are_whole(near.pieces) {
        return None;
    }
    let [a, b] = near.local;
    let owners = [0, 1].map(|i| scene.piece(i, near.pieces[i]));
    match owners.map(|piece| piece.dimension) {
        [2, 2] => {
            let at = [a.x, a.y, b.x, b.y];
            let step = Step { at, point: near.points[0], tangent: DVec3::ZERO, along_cross: true };
            prove_at(scene, near.pieces, &step)
        }
        // An edge off its faces says nothing about these.
        [1, 2] if owners[0].gap == 0.0 => prove_pierced(scene, 0, near.pieces, [a.x, b.x, b.y]),
        [2, 1] if owners[1].gap == 0.0 => prove_pierced(scene, 1, near.pieces, [b.x, a.x, a.y]),
        _ => None,
    }
}

/// Proves that a segment, which has no faces, pierces a face of the other body.
pub(super) fn prove_segment(scene: &Scene, floor: f64) -> Option<CrossingProof> {
    let mut budget = MOST_PARTS;
    for pieces in scene.pairs(false, 0.0) {
        let Some(side) = (0..2).find(|&i| {
            scene.piece(i, pieces[i]).dimension == 1 && scene.piece(1 - i, pieces[1 - i]).dimension == 2
        }) else {
            continue;
        };
        let other = 1 - side;
        let (curve, patch) = (scene.net(side, pieces[side]), scene.net(other, pieces[other]));
        let found = crossings(curve, patch, floor, &mut budget).found;
        let prove = |c: &Crossing| prove_pierced(scene, side, pieces, [c.t, c.at.x, c.at.y]);
        if let Some(proof) = found.iter().find_map(prove) {
            return Some(proof);
        }
    }
    None
}

/// Proves that an edge, a piece of the body `side`, pierces a face next to the parameters of both.
fn prove_pierced(scene: &Scene, side: usize, pieces: [u32; 2], at: [f64; 3]) -> Option<CrossingProof> {
    let other = 1 - side;
    let (curve, patch) = (scene.net(side, pieces[side]), scene.net(other, pieces[other]));
    let inside =
        |proof: &Proof| scene.cover(other, pieces[other], proof.rect[0], proof.rect[1]) == Cover::Inside;
    let proof = prove(curve, patch, at, inside)?;
    let mut boxes = [proof.t.map(|t| DVec2::new(t, 0.0)); 2];
    boxes[other] = proof.rect;
    let jet = patch.jet(DVec2::new(at[1], at[2]));
    let along = curve.jet(DVec2::new(at[0], 0.0)).u.normalize_or_zero();
    let sine = jet.u.cross(jet.v).normalize_or_zero().dot(along).abs();
    let features = [0, 1].map(|i| scene.piece(i, pieces[i]).feature);
    Some(CrossingProof { point: jet.point, features, pieces, boxes, sine })
}

/// Parts looked at for a segment.
const MOST_PARTS: u64 = 20_000;

fn prove_at(scene: &Scene, pieces: [u32; 2], step: &Step) -> Option<CrossingProof> {
    let local = [DVec2::new(step.at[0], step.at[1]), DVec2::new(step.at[2], step.at[3])];
    let nets = [0, 1].map(|i| scene.net(i, pieces[i]));
    let jets = [0, 1].map(|i| nets[i].jet(local[i]));
    // Which line meets the other surface most steeply.
    let (mut sine, mut side, mut held) = (0.0, 0, 0);
    for i in 0..2 {
        let normal = jets[1 - i].u.cross(jets[1 - i].v).normalize_or_zero();
        for (axis, along) in [jets[i].v, jets[i].u].into_iter().enumerate() {
            let steep = along.normalize_or_zero().dot(normal).abs();
            if steep > sine {
                (sine, side, held) = (steep, i, axis);
            }
        }
    }
    if !(sine > 0.0) {
        return None;
    }
    let other = 1 - side;
    let line = nets[side].line(held, local[side][held]);
    let on_line = |range: [f64; 2]| {
        range.map(|t| {
            let mut at = DVec2::splat(t);
            at[held] = local[side][held];
            at
        })
    };
    let inside = |proof: &Proof| {
        let [low, high] = on_line(proof.t);
        scene.cover(side, pieces[side], low, high) == Cover::Inside
            && scene.cover(other, pieces[other], proof.rect[0], proof.rect[1]) == Cover::Inside
    };
    let at = [local[side][1 - held], local[other].x, local[other].y];
    let proof = prove(&line, nets[other], at, inside)?;
    let mut boxes = [on_line(proof.t); 2];
    boxes[other] = proof.rect;
    let features = [0, 1].map(|i| scene.piece(i, pieces[i]).feature);
    Some(CrossingProof { point: step.point, features, pieces, boxes, sine })
}
