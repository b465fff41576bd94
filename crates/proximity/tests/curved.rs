//! Curved bodies have no distance yet: every question about them says so, and none panics.
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
    QueryError, Tracker, cast_ray, certify, closer_than, contains_point, depth_local, distance, gradient,
    locus,
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
fn curved_bodies_are_refused_by_every_question() {
    let flat =
        [Body::from(Polytope::cuboid(DVec3::ONE).unwrap()), HalfSpace::new(DVec3::Z, 0.0).unwrap().into()];
    let pose = Pose::from_translation(DVec3::new(0.0, 0.0, 3.0)).unwrap();
    let known = distance(&flat[0], &flat[0], &pose).unwrap();
    let mut tracker = Tracker::new();
    for a in curved() {
        let others: Vec<Body> = flat.iter().cloned().chain(curved()).collect();
        for b in &others {
            for (a, b) in [(&a, b), (b, &a)] {
                let refused = QueryError::UnsupportedPair { a: a.kind(), b: b.kind() };
                assert_eq!(distance(a, b, &pose).unwrap_err(), refused);
                assert_eq!(tracker.update(a, b, &pose).unwrap_err(), refused);
                assert_eq!(closer_than(a, b, &pose, 1.0).unwrap_err(), refused);
                assert_eq!(depth_local(a, b, &pose, DVec3::Z).unwrap_err(), refused);
                assert_eq!(certify(a, b, &pose, &known).unwrap_err(), refused);
                assert!(growth_of_bodies(a, b, &pose).is_err());
                // The answer of another pair: there is nothing to say, but nothing breaks.
                let _ = locus(a, b, &pose, &known);
                let _ = gradient(a, b, &pose, &known);
            }
        }
        // A polynomial's zero set has no patches to meet.
        let refused =
            matches!(a, Body::Algebraic(_)).then_some(QueryError::UnsupportedBody { kind: a.kind() });
        assert_eq!(contains_point(&a, DVec3::ZERO).err(), refused);
        assert_eq!(cast_ray(&a, DVec3::ZERO, DVec3::X, 1.0).err(), refused);
        let Body::Polytope(cube) = &flat[0] else { panic!() };
        assert_eq!(growth_against(cube, &a, &pose), Err(RatioError::Curved { body: 1 }));
    }
}

#[test]
fn refusals_name_the_kinds() {
    let (ball, sheet) = (&curved()[0], &curved()[2]);
    let error = distance(ball, sheet, &Pose::IDENTITY).unwrap_err().to_string();
    assert_eq!(error, "no distance can be computed between a tiled body and an algebraic surface");
    let error = contains_point(sheet, DVec3::ZERO).unwrap_err().to_string();
    assert_eq!(error, "this cannot be answered for an algebraic surface");
}
