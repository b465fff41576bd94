//! Half-spaces against every bounded body: support by closed forms, by dense samples, by the polytope's own kernel.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, Part, PartTree, Polytope, Pose, pieces};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_proximity::{Ended, State, distance};
use clearance_testkit::Random;

fn floor(offset: f64) -> Body {
    HalfSpace::new(DVec3::Z, offset).unwrap().into()
}

fn random_pose(random: &mut Random, size: f64) -> Pose {
    Pose::new(random.quaternion(), random.direction() * size * random.uniform(0.0, 3.0)).unwrap()
}

fn union(scale: f64) -> Body {
    let pin = TiledBody::cylinder(0.2 * scale, 2.0 * scale).unwrap();
    let cube = Polytope::cuboid(DVec3::new(1.0, 0.4, 0.4) * scale).unwrap();
    let at = |x: f64| Pose::from_axis_angle(DVec3::X, x, DVec3::X * x * scale).unwrap();
    PartTree::of_parts(vec![(Part::Polytope(cube), at(-0.8)), (Part::Tiled(pin), at(0.4))]).unwrap().into()
}

fn tiled(scale: f64) -> Vec<Body> {
    vec![
        TiledBody::sphere(scale).unwrap().into(),
        TiledBody::ellipsoid([scale, 0.6 * scale, 0.3 * scale]).unwrap().into(),
        TiledBody::torus(scale, 0.3 * scale).unwrap().into(),
        TiledBody::cylinder(0.5 * scale, 2.0 * scale).unwrap().into(),
        TiledBody::cone(0.7 * scale, 1.5 * scale, None).unwrap().into(),
        TiledBody::capsule(0.3 * scale, 1.2 * scale).unwrap().into(),
        union(scale),
        Body::from(TiledBody::torus(scale, 0.3 * scale).unwrap()).boundary(),
    ]
}

/// The least height of points all over the pieces of a body.
fn sampled(body: &Body, pose: &Pose) -> f64 {
    let tree = pieces::of_body(body).unwrap();
    let mut least = f64::INFINITY;
    for piece in tree.leaves() {
        if piece.trimmed {
            continue;
        }
        for i in 0..=16 {
            for j in 0..=16 {
                let local = DVec2::new(f64::from(i), f64::from(j)) / 16.0;
                least = least.min(pose.apply(piece.point(local)).z);
            }
        }
    }
    least
}

fn compare(scale: f64, rounds: usize) -> [usize; 4] {
    let mut random = Random::new(7);
    let mut mix = [0; 4];
    for body in tiled(scale) {
        for _ in 0..rounds {
            let pose = random_pose(&mut random, scale);
            let offset = scale * random.uniform(-0.5, 0.5);
            let got = distance(&floor(offset), &body, &pose).unwrap();
            let Ended::Certified(certificate) = got.ended else { panic!("{got:?}") };
            let size = 3.0 * scale;
            let want = sampled(&body, &pose) - offset;
            // Samples never find less than what is proven; they are a little too high.
            assert!(certificate.lower <= want + 1e-14 * size, "{got:?} {want}");
            assert!(
                got.signed_distance <= want + 1e-14 * size && want - got.signed_distance < 0.02 * scale,
                "{got:?}"
            );
            assert!(got.signed_distance - certificate.lower <= 1e-9 * size);
            let [foot, own] = got.witnesses.map(|witness| witness.point);
            assert!((own - foot - got.normal * got.signed_distance).length() <= 1e-14 * size);
            assert!((foot.z - offset).abs() <= 1e-14 * size);
            // Seen from the body.
            let other = distance(&body, &floor(offset), &pose.inverse()).unwrap();
            assert!((other.signed_distance - got.signed_distance).abs() <= 1e-12 * size);
            assert_eq!(other.state, got.state.swapped());
            mix[match got.state {
                State::Separated => 0,
                State::Penetrating => 1,
                State::BInsideA => 2,
                _ => 3,
            }] += 1;
        }
    }
    mix
}

#[test]
fn heights_agree_with_samples() {
    let [apart, deep, inside, _] = compare(1.0, 60);
    assert!(apart > 50 && deep > 50 && inside > 50, "{apart} {deep} {inside}");
}

#[test]
fn heights_agree_with_samples_at_every_scale() {
    compare(1e-6, 10);
    compare(1e6, 10);
}

#[test]
fn heights_have_closed_forms() {
    let mut random = Random::new(8);
    let within = Aabb { low: [-3.0; 3], high: [3.0; 3] };
    let level = |text: &str| Body::from(AlgebraicSurface::new(text.parse().unwrap(), within).unwrap());
    let twins = [
        (Body::from(TiledBody::ellipsoid([1.0, 2.0, 0.5]).unwrap()), level("x^2 + y^2/4 + 4z^2 - 1")),
        (
            Body::from(TiledBody::torus(2.0, 0.5).unwrap()),
            level("(x^2 + y^2 + z^2 + 3.75)^2 - 16*(x^2 + y^2)"),
        ),
    ];
    for (kind, bodies) in twins.iter().enumerate() {
        for _ in 0..50 {
            let pose = random_pose(&mut random, 3.0);
            let down = -pose.rotate_inverse(DVec3::Z);
            let support = match kind {
                0 => (down * DVec3::new(1.0, 2.0, 0.5)).length(),
                _ => 2.0 * down.x.hypot(down.y) + 0.5,
            };
            let want = pose.translation().z - support;
            for body in [&bodies.0, &bodies.1] {
                let got = distance(&floor(0.0), body, &pose).unwrap();
                assert!((got.signed_distance - want).abs() <= 1e-12, "{got:?} {want}");
                assert!(matches!(got.ended, Ended::Certified(_)));
            }
        }
    }
}

/// A cylinder that stands on the plane touches it in a disk, a torus in a circle.
#[test]
fn flat_contact_ends() {
    let standing = Pose::from_translation(DVec3::Z).unwrap();
    let got = distance(&floor(0.0), &TiledBody::cylinder(0.5, 2.0).unwrap().into(), &standing).unwrap();
    assert_eq!((got.state, got.signed_distance), (State::Touching, 0.0));
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let got = distance(&floor(0.0), &ring, &standing).unwrap();
    assert!((got.distance - 0.5).abs() < 1e-12, "{got:?}");
    assert!(got.work.iterations < 100_000, "{got:?}");
}

#[test]
fn polytopes_agree_with_their_own_kernel() {
    let mut random = Random::new(9);
    let cube = Body::from(Polytope::cuboid(DVec3::new(1.0, 2.0, 0.5)).unwrap());
    for _ in 0..100 {
        let pose = random_pose(&mut random, 2.0);
        let want = distance(&floor(0.1), &cube, &pose).unwrap();
        let got = distance(&floor(0.1), &cube.boundary(), &pose).unwrap();
        assert!((got.signed_distance - want.signed_distance).abs() <= 1e-14, "{got:?} {want:?}");
        assert_eq!(got.state, want.state);
    }
}

/// A plane alone has two sides, and the way out is the shorter one.
#[test]
fn planes_have_two_sides() {
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let plane = floor(0.0).boundary();
    for (z, want, state) in
        [(3.0, 2.0, State::Separated), (-3.0, 2.0, State::Separated), (-0.75, -0.25, State::Penetrating)]
    {
        let got = distance(&plane, &ball, &Pose::from_translation(DVec3::Z * z).unwrap()).unwrap();
        assert!((got.signed_distance - want).abs() < 1e-12 && got.state == state, "{got:?}");
        assert_eq!(got.normal.z.signum(), z.signum());
    }
}

#[test]
fn proofs_of_heights_end_every_branch() {
    let mut random = Random::new(10);
    for body in tiled(1.0) {
        let (half, ready) = (Ready::new(&floor(-4.0)).unwrap(), Ready::new(&body).unwrap());
        let pose = random_pose(&mut random, 1.0);
        let mut demand = half.demand(&ready, &pose);
        demand.max_error = 1e-6;
        demand.proof = Some(2.0);
        let got = nearest_of([&half, &ready], &pose, &demand, &mut ReadyMemory::default()).unwrap();
        assert!(got.lower >= got.proximity.distance - 1e-6);
        assert!(got.proof.is_some_and(|steps| !steps.is_empty()));
    }
}
