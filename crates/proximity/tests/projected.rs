//! Points beside the seams and poles of ellipsoids against the foot by Lagrange's multiplier; depths that rest on such points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DVec3, Pose};
use clearance_proximity::{Probe, State, distance, overlap_regions};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, PI};

/// The distance of a point from an ellipsoid: its foot is where x² / (t + a²)² … sums up to 1 / a² …, found by bisection.
fn distance_by_multiplier(point: DVec3, radii: [f64; 3]) -> f64 {
    let at = point.to_array();
    let excess = |t: f64| {
        let term = |k: usize| (radii[k] * at[k] / (t + radii[k] * radii[k])).powi(2);
        term(0) + term(1) + term(2) - 1.0
    };
    let least = radii.into_iter().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (-least * least, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let foot = |k: usize| radii[k] * radii[k] * at[k] / (high + radii[k] * radii[k]);
    point.distance(DVec3::new(foot(0), foot(1), foot(2)))
}

#[test]
fn points_beside_seams_and_poles_of_ellipsoids_have_true_bounds() {
    let mut random = Random::new(5);
    for radii in [[0.5672396910813923, 0.39041213327873336, 0.8753448373833855], [1.0, 0.6, 0.35]] {
        let body = Body::from(TiledBody::ellipsoid(radii).unwrap());
        let mut kept = Probe::new(&body).unwrap();
        for case in 0..2_000 {
            let off = random.log_uniform(-8.0, -1.0) * if random.chance(0.5) { 1.0 } else { -1.0 };
            let u = *random.pick(&[0.0, FRAC_PI_2, PI, 0.25 * PI, 2.0]) + off;
            let v = if case % 3 == 0 { FRAC_PI_2 - off.abs() } else { random.uniform(-1.5, 1.5) };
            let unit = DVec3::new(u.cos() * v.cos(), u.sin() * v.cos(), v.sin());
            let point = unit
                * DVec3::from(radii)
                * (1.0 + random.uniform(-1.0, 1.0) * random.log_uniform(-9.0, -2.0));
            let known = distance_by_multiplier(point, radii);
            for found in [kept.distance(point, None), Probe::new(&body).unwrap().distance(point, None)] {
                let found = found.unwrap();
                assert!(found.lower <= known + 1e-12, "{u} {v}: {known:e}, but {found:?}");
                assert!(
                    (found.signed_distance.abs() - known).abs() < 3e-9,
                    "{u} {v}: {known:e}, not {found:?}"
                );
            }
        }
    }
}

#[test]
fn caps_of_ellipsoids_are_no_deeper_than_the_way_out() {
    let turned =
        |x: DVec3, y: DVec3, to: DVec3| Pose::from_matrix(DMat3::from_cols(x, y, x.cross(y)), to).unwrap();
    let pairs = [
        (
            [0.9750572689695904, 0.8691692742619398, 0.8681448913775195],
            [0.5672396910813923, 0.39041213327873336, 0.8753448373833855],
            turned(
                DVec3::NEG_X,
                DVec3::Y,
                DVec3::new(1.137143740534947, 9.230510064385662e-14, 1.2012023100686906),
            ),
        ),
        (
            [0.21124754463598772, 0.7293876077119721, 0.6319201993359254],
            [0.2981671695822554, 0.21844515415032162, 0.1878059105780297],
            turned(DVec3::Y, DVec3::NEG_X, DVec3::new(0.0, 0.0, -0.818726109913955)),
        ),
    ];
    for (one, other, pose_ab) in pairs {
        let [a, b] = [one, other].map(|radii| Body::from(TiledBody::ellipsoid(radii).unwrap()));
        let way_out = distance(&a, &b, &pose_ab).unwrap();
        assert_eq!(way_out.state, State::Penetrating);
        let found = overlap_regions(&a, &b, &pose_ab).unwrap();
        assert_eq!(found.regions.len(), 1);
        let depth = found.regions[0].depth;
        // Both caps are as deep as the way out, nearly: they are shallow.
        let share = depth / -way_out.signed_distance;
        assert!(share > 0.95 && share < 1.0 + 1e-6, "{depth:e} {way_out:?}");
    }
}
