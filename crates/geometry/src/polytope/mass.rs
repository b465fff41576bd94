//! Volume, mass centre and inertia of a convex polytope at unit density.
//!
//! Source: the moments of a tetrahedron in closed form, summed over a fan of every face.
//! Differs: tetrahedra stand on a point inside, so that all are positive; their volumes are exact sums (`twofold`).
//! Ends because: one pass over the faces.
//! Cost: linear in the corners of all faces.
//! Not promised: digits of the inertia of slivers beyond the rounding of their width.

use super::twofold::six_volume;
use crate::DVec3;
use glam::DMat3;

/// Mass properties at unit density, anchored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// Volume; 0 for points and segments.
    pub volume: f64,
    /// Mass centre; of a segment its middle, of a point itself.
    pub center: DVec3,
    /// Inertia tensor about the mass centre, body axes; zero for points and segments.
    pub inertia: DMat3,
}

/// By the signed tetrahedra between a point inside and the fan triangles of each face.
pub(crate) fn of_loops(vertices: &[DVec3], loops: &[Vec<u32>]) -> Mass {
    // Counting from a vertex average keeps the tetrahedra positive and the sums free of cancellation.
    let inside = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let mut volume = 0.0;
    let mut first = DVec3::ZERO;
    let mut second = DMat3::ZERO;
    for face in loops {
        let corner = |i: usize| vertices[face[i] as usize] - inside;
        for i in 2..face.len() {
            let six = six_volume(inside, [face[0], face[i - 1], face[i]].map(|k| vertices[k as usize]));
            let (p, q, r) = (corner(0), corner(i - 1), corner(i));
            let sum = p + q + r;
            let six = six.value();
            volume += six / 6.0;
            first += sum * (six / 24.0);
            for vector in [p, q, r, sum] {
                second += outer(vector) * (six / 120.0);
            }
        }
    }
    if volume <= 0.0 {
        return Mass { volume: 0.0, center: inside, inertia: DMat3::ZERO };
    }
    let offset = first / volume;
    let about_center = second - outer(offset) * volume;
    let trace = about_center.x_axis.x + about_center.y_axis.y + about_center.z_axis.z;
    Mass {
        volume,
        center: inside + offset,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about_center,
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}
