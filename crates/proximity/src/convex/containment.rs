//! Whether one of two overlapping convex bodies lies inside the other.
//!
//! Source: A lies in B where h_A ≤ h_B in every direction; of a polytope B its face normals suffice.
//! Differs: elsewhere the directions are searched by branch and bound (`sphere`): h_A is convex, so that over a cell
//! it is at most a mixture of its values at the corners. DIFFERS: first a test of one direction, since a body inside
//! another cannot leave it by less than its own width.
//! Ends because: halvings are counted.
//! Cost: two farthest points when the depth is small.
//! Not promised: a proof where the inner body touches the outer one from inside along a curve: then no direction
//! that was looked at shows it to stick out.

use super::depth::Memory;
use super::newton::Pair;
use super::solid::Solid;
use super::sphere::{AXES, Cell, OCTANTS, game, longest_side};
use crate::State;
use clearance_geometry::{DVec3, Pose, Ranked};

/// Halvings of cells before it ends.
const HALVINGS: usize = 2000;

/// The state of two overlapping bodies whose penetration depth along `n` is `depth`.
pub(crate) fn overlap_state(pair: &Pair<'_>, n: DVec3, depth: f64, memory: &mut Memory) -> State {
    let Pair { a, b, pose, .. } = pair;
    let touch = pair.touch();
    let seen_b = pose.rotate_inverse(n);
    if depth + touch >= width(a, n) && lies_inside(a, b, pose, touch, memory) {
        State::AInsideB
    } else if depth + touch >= width(b, seen_b) && lies_inside(b, a, &pose.inverse(), touch, memory) {
        State::BInsideA
    } else {
        State::Penetrating
    }
}

fn width(body: &Solid<'_>, n: DVec3) -> f64 {
    n.dot(body.farthest(n).point - body.farthest(-n).point) + 2.0 * body.radius()
}

/// `pose` is that of `outer` seen from `inner`.
fn lies_inside(inner: &Solid<'_>, outer: &Solid<'_>, pose: &Pose, touch: f64, memory: &mut Memory) -> bool {
    let shift = pose.translation();
    if let Solid::Polytope(polytope) = outer {
        return polytope.face_count() > 0
            && polytope.planes().iter().all(|plane| {
                let normal = pose.rotate(plane.normal);
                let height = normal.dot(inner.farthest(normal).point - shift) + inner.radius();
                height - plane.offset <= touch
            });
    }
    // How far the outer body reaches beyond the inner one along n, and its own farthest point.
    let look = |n: DVec3| {
        let far = outer.farthest(pose.rotate_inverse(n)).point;
        let far = pose.rotate(far) + shift + n * outer.radius();
        let within = inner.farthest(n).point.dot(n) + inner.radius();
        Look { n, far, within }
    };
    let Memory { looks, cells, .. } = memory;
    looks.clear();
    cells.clear();
    looks.extend(AXES.iter().map(|n| look(*n)));
    if looks.iter().any(|look| look.margin() < -touch) {
        return false;
    }
    for corners in OCTANTS {
        cells.push(Cell { corners, lower: bound(looks, corners), level: 0 }.ranked());
    }
    for _ in 0..HALVINGS {
        let Some(Ranked { item: cell, .. }) = cells.pop() else { break };
        if cell.lower >= -touch {
            return true;
        }
        let corners = cell.corners.map(|corner| looks[corner as usize].n);
        let (i, j, k) = longest_side(corners);
        let middle = look((corners[i] + corners[j]).normalize_or(corners[i]));
        if middle.margin() < -touch {
            return false;
        }
        let new = looks.len() as u32;
        looks.push(middle);
        let [i, j, k] = [i, j, k].map(|at| cell.corners[at]);
        for corners in [[i, new, k], [new, j, k]] {
            cells.push(Cell { corners, lower: bound(looks, corners), level: cell.level + 1 }.ranked());
        }
    }
    true
}

/// A direction with how far both bodies reach along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    n: DVec3,
    far: DVec3,
    within: f64,
}

impl Look {
    fn margin(&self) -> f64 {
        self.far.dot(self.n) - self.within
    }
}

/// No direction n = Σ λ n_j of the cell has a smaller margin than this times Σ λ ≥ 1, if it is positive.
fn bound(looks: &[Look], corners: [u32; 3]) -> f64 {
    let cell = corners.map(|corner| looks[corner as usize]);
    let row = |far: DVec3| cell.map(|look| far.dot(look.n) - look.within);
    game(&[row(cell[0].far), row(cell[1].far), row(cell[2].far)])
}
