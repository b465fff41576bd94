//! The parts of a segment inside the other body.
//!
//! Source: a curve is inside or outside a closed body between two of its crossings with the surface.
//! Differs: nothing.
//! Ends because: pieces are counted, and crossings are found with a budget.
//! Cost: one pass over the faces' balls, some ten parts for each crossing, and a test for the inside for each part.
//! Not promised: parts shorter than what counts as one crossing.

use super::crossing::crossings;
use super::inside::is_inside;
use super::intersection::to_segment;
use super::patches::{Part, Spot};
use super::scene::{Scene, has_faces, has_inside};
use crate::global::descend::Shape;
use crate::tolerance::CROSSING_BORDER_REL;
use clearance_geometry::DVec2;

/// Parts that the crossings of one piece may take.
const MOST_PARTS: u64 = 20_000;

/// The parts inside the other body of all edges of a body that has no faces.
pub(super) fn threads(scene: &Scene, floor: f64) -> Vec<Part> {
    let mut found = Vec::new();
    for side in 0..2 {
        if has_faces(scene.bodies[side]) || !has_inside(scene.bodies[1 - side]) {
            continue;
        }
        let leaves = scene.bodies[side].tree().leaves();
        for at in (0..leaves.len()).filter(|&at| leaves[at].dimension == 1) {
            found.extend(inside_parts(scene, side, at as u32, floor));
        }
    }
    found
}

fn inside_parts(scene: &Scene, side: usize, piece: u32, floor: f64) -> Vec<Part> {
    let curve = scene.net(side, piece);
    let cuts = cuts(scene, side, piece, floor);
    let mut parts: Vec<[f64; 2]> = Vec::new();
    for pair in cuts.windows(2).filter(|pair| pair[1] - pair[0] > CROSSING_BORDER_REL) {
        let point = curve.jet(DVec2::new(0.5 * (pair[0] + pair[1]), 0.0)).point;
        if is_inside(scene, 1 - side, point) != Some(true) {
            continue;
        }
        match parts.last_mut() {
            // A crossing through which the curve stays inside: faces that meet there, or parts of a union.
            Some(last) if last[1] == pair[0] => last[1] = pair[1],
            _ => parts.push([pair[0], pair[1]]),
        }
    }
    let spot = |[from, to]: [f64; 2]| {
        let local = DVec2::new(0.5 * (from + to), 0.0);
        Spot { side, piece, local, point: curve.jet(local).point, step: 0.25 * (to - from) }
    };
    parts.into_iter().map(|part| Part { spots: vec![spot(part)], curves: Vec::new() }).collect()
}

/// The ends of a curve and where it crosses faces of the other body, in order.
fn cuts(scene: &Scene, side: usize, piece: u32, floor: f64) -> Vec<f64> {
    let (curve, other) = (scene.net(side, piece), 1 - side);
    let ends = [0.0, 1.0].map(|t| curve.jet(DVec2::new(t, 0.0)).point);
    let straight = scene.piece(side, piece).is_flat;
    let mut cuts = vec![0.0, 1.0];
    let mut budget = MOST_PARTS;
    for (at, face) in scene.bodies[other].tree().leaves().iter().enumerate() {
        let net = scene.net(other, at as u32);
        if face.dimension != 2 || (straight && to_segment(net.center, ends) > net.radius) {
            continue;
        }
        let all = crossings(curve, net, floor, &mut budget).found;
        cuts.extend(all.iter().filter(|c| scene.holds(other, at as u32, c.at)).map(|c| c.t));
    }
    cuts.sort_by(f64::total_cmp);
    cuts
}
