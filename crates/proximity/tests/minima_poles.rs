//! Local minima at the poles of surfaces: found where parameters are singular, as they are where the body is turned.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Proximity, local_minima, local_minima_within};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// The height (x² + a y²) bend over the square from −1 to 1, times a scale: one biquadratic patch.
fn hill(bend: f64, scale: f64) -> Body {
    let heights = [1.0, -1.0, 1.0];
    let row = |i: usize| {
        let point = |j: usize| {
            let z = bend * (heights[i] + 0.5 * heights[j]);
            scale * DVec3::new(i as f64 - 1.0, j as f64 - 1.0, z)
        };
        (0..3).map(point).collect::<Vec<DVec3>>()
    };
    let net: Vec<Vec<DVec3>> = (0..3).map(row).collect();
    let ends = || [vec![0.0; 3], vec![1.0; 3]].concat();
    let spline = NurbsSurface::new([2; 2], [ends(), ends()], &net, None).unwrap();
    TiledBody::from_patches(&[Patch::new(spline)], None).unwrap().into()
}

/// Two plates at these heights.
fn plates(low: f64, high: f64) -> Body {
    let plate = || Part::Polytope(Polytope::cuboid(DVec3::new(6.0, 6.0, 0.5)).unwrap());
    let parts = vec![(plate(), at(0.3, 0.2, low - 0.25)), (plate(), at(0.1, -0.4, high + 0.25))];
    PartTree::of_parts(parts).unwrap().into()
}

fn minima(a: &Body, b: &Body, pose: &Pose) -> Vec<Proximity> {
    let (found, complete) = local_minima(a, b, pose).unwrap();
    assert!(complete, "{found:?}");
    found
}

#[test]
fn ball_over_a_hill_has_its_pole_as_the_nearest_point() {
    for scale in [1e-3, 1.0, 1e6] {
        let ball = Body::from(TiledBody::sphere(0.25 * scale).unwrap());
        let hill = hill(-0.25, scale);
        let upright = minima(&hill, &ball, &at(0.0, 0.0, 2.0 * scale));
        let turned = Pose::from_axis_angle(DVec3::X, 0.4, DVec3::Z * 2.0 * scale).unwrap();
        let turned = minima(&hill, &ball, &turned);
        assert!(upright.len() == 1 && turned.len() == 1, "{upright:?} {turned:?}");
        assert!((upright[0].distance - turned[0].distance).abs() < 1e-9 * scale);
        let [foot, pole] = upright[0].witnesses.map(|witness| witness.point);
        assert!(foot.truncate().length() < 1e-6 * scale && pole.truncate().length() < 1e-12 * scale);
    }
}

#[test]
fn both_poles_of_a_ball_between_plates_are_minima() {
    let (plates, ball) = (plates(-2.0, 2.5), Body::from(TiledBody::sphere(1.0).unwrap()));
    let found = minima(&plates, &ball, &Pose::IDENTITY);
    let distances: Vec<f64> = found.iter().map(|p| p.distance).collect();
    assert!(distances.len() == 2, "{distances:?}");
    assert!((distances[0] - 1.0).abs() < 1e-12 && (distances[1] - 1.5).abs() < 1e-12, "{distances:?}");
    let egg = Body::from(TiledBody::ellipsoid([1.0, 0.7, 0.5]).unwrap());
    assert_eq!(minima(&plates, &egg, &Pose::IDENTITY).len(), 2);
}

#[test]
fn pole_that_is_no_minimum_is_not_listed() {
    // Over a valley that is narrower than a ball is high, the pole is the farthest point around.
    let ball = Body::from(TiledBody::sphere(0.25).unwrap());
    let (found, _) = local_minima(&hill(1.5, 1.0), &ball, &at(0.0, 0.0, 1.4)).unwrap();
    let pole = |p: &Proximity| p.witnesses[1].point.truncate().length() < 1e-6;
    assert!(!found.is_empty() && !found.iter().any(pole), "{found:?}");
    // Two balls, pole to pole: one minimum, at both poles.
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let (found, _) = local_minima(&ball, &ball, &at(0.0, 0.0, 3.0)).unwrap();
    assert!(found.len() == 1 && (found[0].distance - 1.0).abs() < 1e-12, "{found:?}");
}

/// Around a coaxial ring every point is a minimum: no list is complete, but it is over soon, and a ball elsewhere is on it.
#[test]
fn a_curve_of_minima_does_not_hide_the_others() {
    let ring = Body::from(TiledBody::torus(3.0, 0.1).unwrap());
    let can = Part::Tiled(TiledBody::cylinder(2.0, 3.0).unwrap());
    let ball = Part::Tiled(TiledBody::sphere(0.5).unwrap());
    let body =
        Body::from(PartTree::of_parts(vec![(can, Pose::IDENTITY), (ball, at(5.0, 0.4, 0.3))]).unwrap());
    let (found, complete) = local_minima_within(&body, &ring, &Pose::IDENTITY, 1_000_000).unwrap();
    assert!(!complete);
    let nearest = (25.16_f64.sqrt() - 3.0).hypot(0.3) - 0.6;
    assert!(found.iter().any(|pair| (pair.distance - nearest).abs() < 1e-9), "{found:?}");
}
