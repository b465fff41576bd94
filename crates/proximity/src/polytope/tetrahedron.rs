//! The tetrahedron that a shell around the origin begins with.
//!
//! Source: the start of the expanding polytope algorithm of van den Bergen (2001).
//! Differs: of the support points that leave the span of the corners so far, the one farthest off it is taken.
//! Ends because: each round adds a corner or finds that A − B is flat.
//! Cost: none for a simplex with volume, six supports for each corner that is missing.
//! Not promised: that the origin is inside; the simplex it is made from says that.

use super::gjk::support;
use super::shell::Trouble;
use super::simplex::{Corner, Simplex};
use crate::Work;
use crate::tolerance::SPAN_SQ;
use clearance_geometry::{DVec3, Polytope, Pose, Tolerance};

/// A tetrahedron with volume from a simplex that holds the origin.
pub(super) fn complete(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    simplex: &Simplex,
    tol: &Tolerance,
    work: &mut Work,
) -> Result<[Corner; 4], Trouble> {
    let mut corners = [Corner::default(); 4];
    let len = simplex.len.min(4);
    corners[..len].copy_from_slice(&simplex.corners[..len]);
    let mut len = independent(&mut corners, len);
    while len < 4 {
        let mut best: Option<(f64, Corner)> = None;
        for direction in directions_off(&corners[..len]) {
            let corner = support(a, b, pose, -direction, direction.length(), None);
            work.supports += 1;
            let off = distance_off(&corners[..len], corner.w);
            if best.is_none_or(|(most, _)| off > most) {
                best = Some((off, corner));
            }
        }
        match best {
            Some((off, corner)) if off > tol.length() => {
                corners[len] = corner;
                len += 1;
            }
            _ => return Err(Trouble::Flat),
        }
    }
    Ok(corners)
}

/// Drops corners that repeat the span of those before them; returns how many are left.
fn independent(corners: &mut [Corner; 4], len: usize) -> usize {
    let mut kept = 0;
    for i in 0..len {
        let size = corners[i].w - corners[0].w;
        let off = distance_off(&corners[..kept], corners[i].w);
        if kept == 0 || off * off > SPAN_SQ * size.length_squared() {
            corners[kept] = corners[i];
            kept += 1;
        }
    }
    kept
}

/// Distance of a point from the point, line or plane through the corners.
fn distance_off(corners: &[Corner], point: DVec3) -> f64 {
    match corners {
        [] => f64::INFINITY,
        [p] => (point - p.w).length(),
        [p, q] => {
            let along = q.w - p.w;
            along.cross(point - p.w).length() / along.length()
        }
        [p, q, r, ..] => {
            let normal = (q.w - p.w).cross(r.w - p.w);
            (normal.dot(point - p.w) / normal.length()).abs()
        }
    }
}

/// Directions that leave the span of the corners, both ways.
fn directions_off(corners: &[Corner]) -> impl Iterator<Item = DVec3> {
    let (first, second) = match corners {
        [p, q] => {
            let first = (q.w - p.w).any_orthogonal_vector().normalize_or(DVec3::X);
            (first, first.cross(q.w - p.w).normalize_or(DVec3::Y))
        }
        [p, q, r, ..] => {
            let normal = (q.w - p.w).cross(r.w - p.w).normalize_or(DVec3::Z);
            (normal, normal)
        }
        _ => (DVec3::X, DVec3::Y),
    };
    let third = if corners.len() == 1 { DVec3::Z } else { first + second };
    [first, -first, second, -second, third, -third].into_iter()
}
