//! Solids whose faces are all NURBS surfaces, as CAD systems hand them over: nothing tells of spheres or cylinders.

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use glam::DVec3;
use std::f64::consts::FRAC_1_SQRT_2;

/// A unit circle of four quadratic arcs: x, y and weight.
const CIRCLE: [[f64; 3]; 9] = [
    [1.0, 0.0, 1.0],
    [1.0, 1.0, FRAC_1_SQRT_2],
    [0.0, 1.0, 1.0],
    [-1.0, 1.0, FRAC_1_SQRT_2],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, FRAC_1_SQRT_2],
    [0.0, -1.0, 1.0],
    [1.0, -1.0, FRAC_1_SQRT_2],
    [1.0, 0.0, 1.0],
];

/// The knots of [`CIRCLE`].
const ROUND: [f64; 12] = [0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0];

/// An ellipsoid of one surface, its poles on z.
///
/// # Panics
/// When it cannot be built, which is a finding about the constructor; so do the others here.
pub fn nurbs_ellipsoid(radii: DVec3) -> TiledBody {
    let half: Vec<[f64; 3]> = (0..5).map(|i| CIRCLE[(i + 6) % 8]).collect();
    let knots = vec![0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0];
    solid(&[turned(&half, 2, knots, radii)])
}

/// A torus of one surface about z.
pub fn nurbs_torus(major: f64, minor: f64) -> TiledBody {
    let section = CIRCLE.map(|[x, y, weight]| [major + minor * x, minor * y, weight]);
    solid(&[turned(&section, 2, ROUND.to_vec(), DVec3::ONE)])
}

/// A solid of one surface for each side of a profile, radius and height, that ends on the axis.
pub fn nurbs_lathe(profile: &[[f64; 2]]) -> TiledBody {
    let side = |ends: &[[f64; 2]]| {
        let line = [[ends[0][0], ends[0][1], 1.0], [ends[1][0], ends[1][1], 1.0]];
        turned(&line, 1, vec![0.0, 0.0, 1.0, 1.0], DVec3::ONE)
    };
    let patches: Vec<Patch> = profile.windows(2).map(side).collect();
    solid(&patches)
}

/// An open bicubic patch of 8 × 8 control points, two lengths wide, that waves gently.
pub fn nurbs_net(phase: f64) -> TiledBody {
    let at = |i: usize| 2.0 * i as f64 / 7.0 - 1.0;
    let height =
        |i: usize, j: usize| 0.2 * (0.9 * i as f64 + phase).sin() + 0.15 * (1.1 * j as f64 - phase).cos();
    let row = |i: usize| (0..8).map(|j| DVec3::new(at(i), at(j), height(i, j))).collect();
    let net: Vec<Vec<DVec3>> = (0..8).map(row).collect();
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0];
    solid(&[Patch::new(NurbsSurface::new([3, 3], [knots(), knots()], &net, None).expect("a net"))])
}

fn solid(patches: &[Patch]) -> TiledBody {
    TiledBody::from_patches(patches, None).expect("a solid of NURBS")
}

/// Radius, height and weight along a profile turned about z, then stretched.
fn turned(profile: &[[f64; 3]], degree: usize, knots: Vec<f64>, stretch: DVec3) -> Patch {
    let row = |[x, y, _]: &[f64; 3]| {
        profile.iter().map(|[r, z, _]| DVec3::new(r * x, r * y, *z) * stretch).collect()
    };
    let rows: Vec<Vec<DVec3>> = CIRCLE.iter().map(row).collect();
    let weights: Vec<Vec<f64>> =
        CIRCLE.iter().map(|c| profile.iter().map(|p| p[2] * c[2]).collect()).collect();
    let knots = [ROUND.to_vec(), knots];
    Patch::new(NurbsSurface::new([2, degree], knots, &rows, Some(&weights)).expect("a surface"))
}
