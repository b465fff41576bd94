//! Corners so blunt that a climb would take them for the top in the opposite direction.
//!
//! Source: own. All edges of a corner fall away from its tangent plane by some slope; the corner is blunt
//! when, after tilting the plane as well as possible, no edge falls by more than rounding. By duality
//! that slope is the largest mean slope over three edges that surround the corner.
//! Ends because: three nested loops over a corner's edges.
//! Cost: linear, plus the cube of the degree at corners that are nearly flat.
//! Not promised: the exact slope at nearly flat corners with more than `MOST_EDGES` edges, which may be
//! called blunter than they are.

use super::hull::Hull;
use super::twofold::{area_vector, unit};
use crate::{DVec3, tolerance};
use glam::DVec2;

/// Edges looked at, at most, at a nearly flat corner.
const MOST_EDGES: usize = 24;

/// Whether each point is a corner of the hull with no edge steeper than `tolerance::BLUNT_REL`.
pub(crate) fn blunt_corners(points: &[DVec3], whole: &Hull) -> Vec<bool> {
    let at = |i: u32| points[i as usize];
    let mut normals = vec![DVec3::ZERO; points.len()];
    for triangle in &whole.triangles {
        let normal = unit(area_vector(triangle.corners.iter().map(|&i| at(i))));
        for corner in triangle.corners {
            normals[corner as usize] += normal;
        }
    }
    let sides = || {
        let corners = whole.triangles.iter().map(|triangle| triangle.corners);
        corners.flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)])
    };
    let mut steepest = vec![0.0_f64; points.len()];
    for (from, to) in sides() {
        let slope = -unit(normals[from as usize]).dot(unit(at(to) - at(from)));
        steepest[from as usize] = steepest[from as usize].max(slope.abs());
    }
    let flat = |corner: u32| steepest[corner as usize] <= tolerance::NEARLY_FLAT_REL;
    let mut edges: Vec<(u32, u32)> = sides().filter(|&(from, _)| flat(from)).collect();
    edges.sort_unstable();
    let mut blunt = vec![false; points.len()];
    for around in edges.chunk_by(|a, b| a.0 == b.0) {
        let corner = around[0].0;
        let normal = unit(normals[corner as usize]);
        let (across, up) = normal.any_orthonormal_pair();
        let step = around.len().div_ceil(MOST_EDGES);
        let slopes = around.iter().step_by(step).map(|&(_, to)| {
            let edge = unit(at(to) - at(corner));
            (DVec2::new(edge.dot(across), edge.dot(up)), -edge.dot(normal))
        });
        let slope = least_slope(&slopes.collect::<Vec<_>>());
        blunt[corner as usize] = slope.is_some_and(|slope| slope <= tolerance::BLUNT_REL);
    }
    blunt
}

/// The largest mean slope of three edges around a corner: what no tilt of the plane can get below. None
/// where the edges do not surround the corner.
fn least_slope(edges: &[(DVec2, f64)]) -> Option<f64> {
    let mut least: Option<f64> = None;
    for (i, &(u, a)) in edges.iter().enumerate() {
        for (j, &(v, b)) in edges.iter().enumerate().skip(i + 1) {
            for &(w, c) in &edges[j + 1..] {
                let shares = [v.perp_dot(w), w.perp_dot(u), u.perp_dot(v)];
                let sum = shares[0] + shares[1] + shares[2];
                if shares.iter().all(|share| share / sum >= 0.0) {
                    let mean = (shares[0] * a + shares[1] * b + shares[2] * c) / sum;
                    least = Some(least.map_or(mean, |most| most.max(mean)));
                }
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilt_is_taken_out_of_the_slope() {
        // Four edges in a plane that leans by 1: flat. One of them lowered by 4: a mean of 1.
        let lean = |x: f64, y: f64, drop: f64| (DVec2::new(x, y), x + drop);
        let mut edges =
            vec![lean(1.0, 0.0, 0.0), lean(0.0, 1.0, 0.0), lean(-1.0, 0.0, 0.0), lean(0.0, -1.0, 0.0)];
        assert_eq!(least_slope(&edges), Some(0.0));
        edges[1].1 += 4.0;
        assert_eq!(least_slope(&edges), Some(2.0));
        assert_eq!(least_slope(&edges[..2]), None);
    }
}
