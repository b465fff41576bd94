//! A ring against convex bodies and other rings.

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::global::{Prepared, SearchMemory, nearest_with};
use clearance_proximity::{Ended, Findings, Precision, Scratch, State, containment};
use clearance_testkit::Random;

fn ring(scale: f64) -> Body {
    TiledBody::torus(scale, 0.3 * scale).unwrap().into()
}

/// Convex bodies and a ring; thin ones reach through the ring. Of radii below a micrometre not all can be built.
fn others(scale: f64) -> Vec<Body> {
    let s = |x: f64| x * scale;
    let curved = [
        TiledBody::sphere(s(0.2)),
        TiledBody::ellipsoid([0.3, 0.2, 2.0].map(s)),
        TiledBody::cylinder(s(0.1), s(3.0)),
        TiledBody::cone(s(0.4), s(2.5), None),
        TiledBody::cone(s(0.4), s(2.0), Some(s(0.2))),
        TiledBody::capsule(s(0.15), s(2.0)),
        TiledBody::torus(s(0.8), s(0.1)),
    ];
    let mut bodies: Vec<Body> = curved.into_iter().flatten().map(Body::from).collect();
    bodies.push(Polytope::cuboid(DVec3::new(0.2, 0.3, 3.0) * scale).unwrap().into());
    assert!(bodies.len() == 8 || scale < 1.0 && bodies.len() >= 4);
    bodies
}

fn find(a: &Body, b: &Body, pose: &Pose) -> Findings {
    Scratch::new().find(a, b, pose, &Precision::default()).unwrap()
}

/// The general search over patches, the answer the closed forms are to agree with.
fn searched(a: &Prepared, b: &Prepared, pose: &Pose) -> (f64, f64) {
    let found = nearest_with(a, b, pose, &a.demand(b, pose), &mut SearchMemory::default());
    (found.lower, found.proximity.distance)
}

fn assert_consistent(found: &Findings, size: f64) {
    let answer = &found.proximity;
    let [from, to] = answer.witnesses.map(|witness| witness.point);
    assert!((to - from - answer.normal * answer.distance).length() < 1e-12 * size, "{answer:?}");
    assert!((answer.normal.length() - 1.0).abs() < 1e-12, "{answer:?}");
    assert!(found.ties.first() == Some(answer), "{found:?}");
}

#[test]
fn ring_and_body_agree_with_the_general_search() {
    for (seed, scale) in [(1, 1.0), (2, 1e-6), (3, 1e6)] {
        let mut random = Random::new(seed);
        let ring = ring(scale);
        let ready = Prepared::new(&ring).unwrap();
        let (mut apart, mut through) = (0, 0);
        for other in others(scale) {
            let ready_other = Prepared::new(&other).unwrap();
            for _ in 0..12 {
                let reach = random.uniform(0.0, 2.4) * scale;
                let pose = Pose::new(random.quaternion(), random.direction() * reach).unwrap();
                let found = find(&ring, &other, &pose);
                let turned = find(&other, &ring, &pose.inverse());
                assert_eq!(turned.proximity.state, found.proximity.state.swapped());
                if found.proximity.state != State::Separated {
                    continue;
                }
                apart += 1;
                through += usize::from(reach < scale);
                let (lower, upper) = searched(&ready, &ready_other, &pose);
                let (own_lower, own) = (found.lower.unwrap(), found.proximity.distance);
                let round = 1e-12 * scale;
                assert!(
                    own_lower <= upper + round && lower <= own + round,
                    "{own} {own_lower} {upper} {lower}"
                );
                assert!(own - own_lower <= 4e-9 * scale, "{own} {own_lower}");
                assert!((turned.proximity.distance - own).abs() <= round, "{own} {turned:?}");
                assert!(matches!(found.proximity.ended, Ended::Certified(_)), "{found:?}");
                assert!(containment(&ring, &other, &pose).unwrap().is_none());
                assert_consistent(&found, 4.0 * scale);
            }
        }
        assert!(apart > 15 && through > 3, "{apart} apart, {through} through the ring");
    }
}

/// Points of the ring and of the other body, by the thousand: none are closer than the proven bound.
#[test]
fn ring_and_body_no_samples_are_closer_than_the_bound() {
    let mut random = Random::new(4);
    let ring = ring(1.0);
    let mut apart = 0;
    for radius in [0.05, 0.2, 0.4] {
        let pin = Body::from(TiledBody::cylinder(radius, 2.0).unwrap());
        for _ in 0..10 {
            let pose = Pose::new(random.quaternion(), random.direction() * random.uniform(0.0, 2.0)).unwrap();
            let found = find(&ring, &pin, &pose);
            if found.proximity.state != State::Separated {
                continue;
            }
            apart += 1;
            for i in 0..400 {
                let angle = f64::from(i) * std::f64::consts::TAU / 400.0;
                let center = DVec3::new(angle.cos(), angle.sin(), 0.0);
                // The nearest point of a solid cylinder.
                let local = pose.apply_inverse(center);
                let across = local.truncate();
                let near = (across * (radius / across.length()).min(1.0)).extend(local.z.clamp(-1.0, 1.0));
                assert!(local.distance(near) - 0.3 >= found.lower.unwrap(), "{found:?}");
            }
        }
    }
    assert!(apart > 10, "{apart}");
}

#[test]
fn ring_and_ball_of_known_distance() {
    let ring = ring(1.0);
    let ball = Body::from(TiledBody::sphere(0.1).unwrap());
    for (at, distance) in [
        (DVec3::ZERO, 0.6),
        (DVec3::Z * 2.0, 5.0_f64.sqrt() - 0.4),
        (DVec3::X * 3.0, 1.6),
        (DVec3::new(0.6, 0.0, 0.3), 0.1),
        (DVec3::new(0.0, 1.0, -0.75), 0.35),
    ] {
        let found = find(&ring, &ball, &Pose::from_translation(at).unwrap());
        assert!((found.proximity.distance - distance).abs() < 1e-14, "{at} {found:?}");
        assert!(found.lower.unwrap() > distance - 1e-12);
    }
}

#[test]
fn ring_and_body_about_its_axis_have_an_answer() {
    // Everywhere equally near: the general search takes over, or the bounds hold anyway.
    let ring = ring(1.0);
    for (other, distance) in [
        (Body::from(TiledBody::cylinder(0.2, 3.0).unwrap()), 0.5),
        (Body::from(TiledBody::capsule(0.2, 3.0).unwrap()), 0.5),
        (Body::from(TiledBody::torus(0.4, 0.1).unwrap()), 0.2),
    ] {
        let found = find(&ring, &other, &Pose::IDENTITY);
        assert!((found.proximity.distance - distance).abs() < 1e-9, "{found:?}");
        assert!(found.lower.unwrap() <= distance + 1e-12);
    }
}

#[test]
fn rings_of_known_distance() {
    let upright =
        |x: f64| Pose::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::X * x).unwrap();
    let torus = |major: f64| Body::from(TiledBody::torus(major, 0.1).unwrap());
    // Linked, off the middle; in the middle with two nearest places; beside each other.
    for (other, pose, distance, ties) in [
        (torus(0.8), upright(0.9), 0.3, 1),
        (torus(0.5), upright(0.0), 0.1, 2),
        (torus(0.5), Pose::from_translation(DVec3::X * 4.0).unwrap(), 2.1, 1),
    ] {
        let found = find(&ring(1.0), &other, &pose);
        assert!((found.proximity.distance - distance).abs() < 1e-14, "{found:?}");
        assert!(found.lower.unwrap() > distance - 4e-9);
        assert_eq!(found.ties.len(), ties, "{found:?}");
    }
}

/// Each goes through the middle of the other: all points of both are equally near the other.
#[test]
fn linked_rings_of_one_size_are_everywhere_as_near() {
    let (a, b) = (ring(1.0), Body::from(TiledBody::torus(1.0, 0.1).unwrap()));
    let pose = Pose::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::X).unwrap();
    let found = find(&a, &b, &pose);
    assert!((found.proximity.distance - 0.6).abs() < 1e-9, "{found:?}");
    assert!(found.lower.unwrap() <= 0.6 + 1e-12);
}

#[test]
fn ring_in_contact_is_left_to_the_search() {
    let ring = ring(1.0);
    let ball = Body::from(TiledBody::sphere(0.1).unwrap());
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    assert_eq!(find(&ring, &ball, &at(1.4)).proximity.state, State::Touching);
    assert_eq!(find(&ring, &ball, &at(1.35)).proximity.state, State::Penetrating);
    assert_eq!(find(&ring, &ball, &at(1.05)).proximity.state, State::BInsideA);
    let around = Body::from(TiledBody::sphere(3.0).unwrap());
    let off = Pose::from_translation(DVec3::new(0.5, 0.2, 0.3)).unwrap();
    assert_eq!(find(&ring, &around, &off).proximity.state, State::AInsideB);
}

#[test]
fn ring_with_a_proof_asked_for_is_searched() {
    let (ring, ball) = (ring(1.0), Body::from(TiledBody::sphere(0.1).unwrap()));
    let pose = Pose::from_translation(DVec3::new(1.5, 0.3, 0.4)).unwrap();
    let precision = Precision { proof: Some(2.0), ..Precision::default() };
    let (nearest, _) = clearance_proximity::nearest_points(&ring, &ball, &pose, &precision).unwrap();
    assert!(nearest.proof.is_some());
    assert!((nearest.proximity.distance - find(&ring, &ball, &pose).proximity.distance).abs() < 1e-9);
}

#[test]
fn ring_far_from_its_origin_is_as_exact() {
    use clearance_geometry::surface::Torus;
    use clearance_geometry::tiled::Patch;
    let far = DVec3::new(1e3, -2e3, 5e2);
    let frame = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7, far).unwrap();
    let torus = Torus::new(frame, 1.0, 0.3).unwrap();
    let moved = Body::from(TiledBody::from_patches(&[Patch::new(torus)], None).unwrap());
    let pin = Body::from(TiledBody::cylinder(0.1, 2.0).unwrap());
    let mut random = Random::new(6);
    for _ in 0..10 {
        let off = random.direction() * random.uniform(0.2, 2.5);
        let here = Pose::new(random.quaternion(), off).unwrap();
        let near = find(&ring(1.0), &pin, &here);
        let there = find(&moved, &pin, &(frame * here));
        assert_eq!(near.proximity.state, there.proximity.state);
        assert!((near.proximity.distance - there.proximity.distance).abs() < 1e-9, "{near:?} {there:?}");
    }
}

/// Balls, capsules and rings against a spline patch: the search for their cores against the one for their surfaces.
#[test]
fn cores_agree_with_the_general_search() {
    let mut random = Random::new(8);
    let sheet = clearance_geometry::tiled::Patch::new(super::points::wavy(&mut random, true));
    let sheet = Body::from(TiledBody::from_patches(&[sheet], None).unwrap());
    let ready_sheet = Prepared::new(&sheet).unwrap();
    let mut apart = 0;
    for body in [TiledBody::sphere(0.3), TiledBody::capsule(0.2, 1.0), TiledBody::torus(0.6, 0.15)] {
        let body = Body::from(body.unwrap());
        let ready = Prepared::new(&body).unwrap();
        let mut scratch = Scratch::new();
        for _ in 0..8 {
            let reach = random.uniform(0.3, 1.8);
            let pose = Pose::new(random.quaternion(), random.direction() * reach).unwrap();
            let found = scratch.find(&body, &sheet, &pose, &Precision::default()).unwrap();
            let turned = Scratch::new().find(&sheet, &body, &pose.inverse(), &Precision::default()).unwrap();
            assert_eq!(turned.proximity.state, found.proximity.state);
            if found.proximity.state != State::Separated {
                continue;
            }
            apart += 1;
            let (lower, upper) = searched(&ready, &ready_sheet, &pose);
            let (own_lower, own) = (found.lower.unwrap(), found.proximity.distance);
            assert!(own_lower <= upper + 1e-12 && lower <= own + 1e-12, "{own} {own_lower} {upper} {lower}");
            assert!(own - own_lower <= 4e-9 && (turned.proximity.distance - own).abs() <= 4e-9, "{found:?}");
            assert_consistent(&found, 4.0);
        }
    }
    assert!(apart > 12, "{apart}");
}
