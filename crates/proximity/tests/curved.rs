//! Curved bodies of every kind: every question is answered or refused by name, and none panics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{DeformingPatch, TiledBody};
use clearance_geometry::{
    Body, DVec3, DeformingBody, DeformingFace, HalfSpace, Part, PartTree, Polytope, Pose,
};
use clearance_proximity::ratio::{RatioError, growth_against, growth_of_bodies};
use clearance_proximity::{
    QueryError, State, Tracker, cast_ray, closer_than, contains_point, depth_local, distance, gradient, locus,
};

fn deforming() -> Body {
    let ends = || vec![0.0, 0.0, 1.0, 1.0];
    let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
    let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None).unwrap();
    let motion = DeformingPatch::new(sheet, &[vec![DVec3::Z; 2], vec![DVec3::Z; 2]]).unwrap();
    DeformingBody::new(vec![DeformingFace::moving(motion, false)], None).unwrap().into()
}

fn curved() -> Vec<Body> {
    let ball = TiledBody::sphere(1.0).unwrap();
    let cube = Polytope::cuboid(DVec3::ONE).unwrap();
    let within = Aabb { low: [-2.0; 3], high: [2.0; 3] };
    let sheet = AlgebraicSurface::new("x^2 + y^2 - 1".parse().unwrap(), within).unwrap();
    let union = PartTree::of_parts(vec![(Part::Polytope(cube.clone()), Pose::IDENTITY)]).unwrap();
    vec![ball.into(), deforming(), sheet.into(), union.into(), Body::from(cube).boundary()]
}

#[test]
fn every_pair_with_a_curved_body_has_a_distance() {
    let flat =
        [Body::from(Polytope::cuboid(DVec3::ONE).unwrap()), HalfSpace::new(DVec3::Z, -4.0).unwrap().into()];
    let pose = Pose::from_translation(DVec3::new(0.0, 0.0, 6.0)).unwrap();
    let mut tracker = Tracker::new();
    for a in curved() {
        let others: Vec<Body> = flat.iter().cloned().chain(curved()).collect();
        for b in &others {
            for (a, b, pose) in [(&a, b, pose), (b, &a, pose.inverse())] {
                // A half-space as B moves with its pose and swallows A.
                let p = distance(a, b, &pose).unwrap();
                assert!(p.distance.is_finite() && p.distance >= 0.0, "{p:?}");
                let swapped = distance(b, a, &pose.inverse()).unwrap();
                assert!((swapped.distance - p.distance).abs() < 1e-9, "{p:?} {swapped:?}");
                assert_eq!(swapped.state, p.state.swapped());
                assert_eq!(tracker.update(a, b, &pose).unwrap().state, p.state);
                if p.state == State::Separated {
                    assert!(!closer_than(a, b, &pose, 0.5 * p.distance).unwrap().closer);
                }
                assert!(growth_of_bodies(a, b, &pose).is_err());
                let refused = QueryError::UnsupportedPair { a: a.kind(), b: b.kind() };
                assert_eq!(depth_local(a, b, &pose, DVec3::Z).unwrap_err(), refused);
                let _ = locus(a, b, &pose, &p);
                let _ = gradient(a, b, &pose, &p);
            }
        }
        let _ = contains_point(&a, DVec3::ZERO);
        let _ = cast_ray(&a, DVec3::ZERO, DVec3::X, 1.0);
        let Body::Polytope(cube) = &flat[0] else { panic!() };
        assert_eq!(growth_against(cube, &a, &pose), Err(RatioError::Curved { body: 1 }));
    }
}

#[test]
fn two_half_spaces_are_refused_by_name() {
    let half = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let error = distance(&half, &half, &Pose::IDENTITY).unwrap_err().to_string();
    assert_eq!(error, "no distance can be computed between a half-space and a half-space");
}
