//! Certificates of algebraic surfaces and half-spaces are accepted by the checker, and refused once they claim more.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_certificate::check;
use clearance_formats::certificate_of;
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, HalfSpace, Part, PartTree, Polytope, Pose};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_testkit::Random;

fn algebraic(text: &str, half: [f64; 3]) -> Body {
    let within = Aabb { low: half.map(|x| -x), high: half };
    AlgebraicSurface::new(text.parse().unwrap(), within).unwrap().into()
}

fn bodies() -> Vec<Body> {
    let pin = TiledBody::cylinder(0.2, 1.5).unwrap();
    let cube = Polytope::cuboid(DVec3::new(1.0, 0.4, 0.6)).unwrap();
    let parts =
        vec![(Part::Tiled(pin.clone()), Pose::IDENTITY), (Part::Polytope(cube.clone()), Pose::IDENTITY)];
    vec![
        HalfSpace::new(DVec3::new(0.2, 0.3, 1.0), -2.5).unwrap().into(),
        algebraic("x^2 + y^2/0.36 + z^2/0.09 - 1", [1.25; 3]),
        algebraic("x^2 + y^2 - 0.25", [1.0; 3]),
        Polytope::point().into(),
        cube.into(),
        pin.into(),
        PartTree::of_parts(parts).unwrap().into(),
        TiledBody::torus(1.0, 0.3).unwrap().into(),
    ]
}

#[test]
fn certificates_are_accepted_and_raised_ones_refused() {
    let mut random = Random::new(11);
    let all = bodies();
    let (mut accepted, mut steps) = (0, 0);
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            // A half-space or an algebraic surface must be among them, and something bounded.
            if i > 2 && j > 2 || i == 0 && j == 0 {
                continue;
            }
            let pose =
                Pose::new(random.quaternion(), DVec3::new(0.3, 0.2, 1.0) * random.uniform(2.5, 4.0)).unwrap();
            let ready = [Ready::new(a).unwrap(), Ready::new(b).unwrap()];
            let mut demand = ready[0].demand(&ready[1], &pose);
            demand.max_error = 1e-5;
            demand.proof = Some(2.0);
            let found =
                nearest_of([&ready[0], &ready[1]], &pose, &demand, &mut ReadyMemory::default()).unwrap();
            let mut file = certificate_of([&ready[0], &ready[1]], ["a", "b"], &pose, &found).unwrap();
            steps += file.proof.len();
            let text = serde_json::to_vec(&file).unwrap();
            let verdict = check(&text).unwrap_or_else(|why| panic!("{i} {j}: {why} {:?}", found.proximity));
            if file.lower_bound == 0.0 {
                continue;
            }
            accepted += 1;
            assert!(verdict.lower_bound > found.proximity.distance - 2e-5);
            file.lower_bound += 3e-5;
            file.distance += 3e-5;
            file.seal();
            assert!(check(&serde_json::to_vec(&file).unwrap()).is_err());
        }
    }
    assert!(accepted >= 30 && steps > 1000, "{accepted} {steps}");
}
