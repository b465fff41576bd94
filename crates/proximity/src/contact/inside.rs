//! Whether a point is inside a body: parity of the crossings of a segment with its faces.
//!
//! Source: the crossing number; every crossing is found by subdivision and Krawczyk's operator.
//! Differs: a segment that meets the rim of a piece, a trim, or runs along a face is given up for another direction.
//! Ends because: a fixed list of directions.
//! Cost: one pass over the faces' balls, and some ten parts for each crossing.
//! Not promised: an answer for points on the boundary; `None` then.

use super::crossing::crossings;
use super::net::Net;
use super::scene::{Scene, is_wall};
use crate::tolerance::{CROSSING_BORDER_REL, MARCH_STEP_REL};
use clearance_geometry::tiled::Side;
use clearance_geometry::{DVec2, DVec3};

/// Directions that are tried.
const DIRECTIONS: usize = 10;

/// Parts that the crossings of one segment may take.
const MOST_PARTS: u64 = 20_000;

/// Times the border of a crossing: a crossing closer to the rim of a piece may be found in two pieces, or in none.
const RIM: f64 = 64.0 * CROSSING_BORDER_REL;

/// Whether a point in the frame of A is inside body 0 (A) or 1 (B); a union where it is inside a part. Nothing is inside a
/// surface.
pub(super) fn is_inside(scene: &Scene, side: usize, point: DVec3) -> Option<bool> {
    let (center, radius) = scene.ball(side);
    if point.distance(center) > radius {
        return Some(false);
    }
    let length = point.distance(center) + 2.0 * radius;
    (0..DIRECTIONS).find_map(|k| parity(scene, side, [point, point + direction(k) * length]))
}

/// Directions spread over the sphere, none along an axis.
fn direction(k: usize) -> DVec3 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let z = 1.0 - (2.0 * k as f64 + 1.0) / DIRECTIONS as f64;
    let (sin, cos) = (std::f64::consts::TAU * golden * (k as f64 + golden)).sin_cos();
    DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
}

/// `None` where the segment does not decide.
fn parity(scene: &Scene, side: usize, ends: [DVec3; 2]) -> Option<bool> {
    let segment = Net::segment(ends);
    let mut odd: Vec<u32> = Vec::new();
    let floor = MARCH_STEP_REL * scene.reach;
    let mut budget = MOST_PARTS;
    for (at, piece) in scene.bodies[side].tree().leaves().iter().enumerate() {
        if !is_wall(scene.bodies[side], piece) {
            continue;
        }
        let net = scene.net(side, at as u32);
        if super::intersection::to_segment(net.center, ends) > net.radius {
            continue;
        }
        let found = crossings(&segment, net, floor, &mut budget);
        if !found.open.is_empty() {
            return None;
        }
        for crossing in found.found {
            let face_side = scene
                .face(side, piece)
                .filter(|_| piece.trimmed)
                .map_or(Side::Inside, |face| face.side(piece.span.parameters(crossing.at)));
            if face_side == Side::Outside || !scene.holds(side, at as u32, crossing.at) {
                continue;
            }
            let near_rim = |x: f64| !(RIM..=1.0 - RIM).contains(&x);
            let DVec2 { x, y } = crossing.at;
            if face_side == Side::Boundary || near_rim(x) || near_rim(y) || crossing.t < RIM {
                return None;
            }
            match odd.iter().position(|leaf| *leaf == piece.leaf) {
                Some(known) => {
                    odd.swap_remove(known);
                }
                None => odd.push(piece.leaf),
            }
        }
    }
    Some(!odd.is_empty())
}
