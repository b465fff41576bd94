//! Solids and patches as CAD systems hand them over: everything a NURBS surface, nothing told of spheres or cylinders.

use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

/// A point of a profile in the half-plane of radius and height, with its weight.
type Profile = [f64; 3];

/// A circle of radius 1 as four quadratic arcs: x, y and weight.
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

const ROUND: [f64; 12] = [0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0];

/// All solids with their names: the sizes are those of the primitives.
pub fn solids() -> Vec<(&'static str, Value)> {
    vec![
        ("nurbs-ellipsoid", tiled(vec![ellipsoid([1.0, 0.6, 0.35])])),
        ("nurbs-torus", tiled(vec![torus(1.0, 0.3)])),
        ("nurbs-cylinder", lathe(&[[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]])),
        ("nurbs-cone", lathe(&[[0.0, 0.0], [0.7, 0.0], [0.0, 1.5]])),
        ("net8", net8(0.0)),
    ]
}

/// The surface of an ellipsoid, poles on z.
pub fn ellipsoid(radii: [f64; 3]) -> Value {
    let half: Vec<Profile> = (0..5).map(|i| CIRCLE[(i + 6) % 8]).collect();
    let knots = [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0];
    turned(&half, 2, &knots, radii)
}

/// The surface of a torus about z.
pub fn torus(major: f64, minor: f64) -> Value {
    let section = CIRCLE.map(|[x, y, weight]| [major + minor * x, minor * y, weight]);
    turned(&section, 2, &ROUND, [1.0; 3])
}

/// A bicubic patch of 8 × 8 control points, two lengths wide, that waves gently.
pub fn net8(phase: f64) -> Value {
    let at = |i: usize| 2.0 * i as f64 / 7.0 - 1.0;
    let height =
        |i: usize, j: usize| 0.2 * (0.9 * i as f64 + phase).sin() + 0.15 * (1.1 * j as f64 - phase).cos();
    let points: Vec<Vec<[f64; 3]>> =
        (0..8).map(|i| (0..8).map(|j| [at(i), at(j), height(i, j)]).collect()).collect();
    let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0];
    json!({ "kind": "nurbs", "degree": [3, 3], "knots": [knots, knots], "points": points })
}

/// A solid of one surface for each side of a profile that ends on the axis.
pub fn lathe(profile: &[[f64; 2]]) -> Value {
    let side = |ends: &[[f64; 2]]| {
        let line = [[ends[0][0], ends[0][1], 1.0], [ends[1][0], ends[1][1], 1.0]];
        turned(&line, 1, &[0.0, 0.0, 1.0, 1.0], [1.0; 3])
    };
    tiled(profile.windows(2).map(side).collect())
}

/// A solid of some surfaces.
pub fn tiled(faces: Vec<Value>) -> Value {
    json!({ "kind": "tiled", "faces": faces })
}

/// A profile turned about z, then stretched.
fn turned(profile: &[Profile], degree: usize, knots: &[f64], stretch: [f64; 3]) -> Value {
    let row = |[x, y, _]: &[f64; 3]| -> Vec<[f64; 3]> {
        profile.iter().map(|[r, z, _]| [r * x * stretch[0], r * y * stretch[1], z * stretch[2]]).collect()
    };
    let weights = |[_, _, weight]: &[f64; 3]| -> Vec<f64> { profile.iter().map(|p| p[2] * weight).collect() };
    json!({
        "kind": "nurbs",
        "degree": [2, degree],
        "knots": [ROUND.to_vec(), knots.to_vec()],
        "points": CIRCLE.iter().map(row).collect::<Vec<_>>(),
        "weights": CIRCLE.iter().map(weights).collect::<Vec<_>>(),
    })
}
