//! Algebraic surfaces against other bodies: the same surface made of patches gives the same distance.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_proximity::{Ended, State, distance};
use clearance_testkit::{Random, check_nearest};

fn algebraic(text: &str, low: [f64; 3], high: [f64; 3], scale: f64) -> Body {
    let polynomial: clearance_geometry::algebraic::Polynomial = text.parse().unwrap();
    let within = Aabb { low: low.map(|x| x * scale), high: high.map(|x| x * scale) };
    AlgebraicSurface::new(polynomial.enlarged(scale).unwrap(), within).unwrap().into()
}

/// The round face of a body alone.
fn round_face(body: &TiledBody) -> Body {
    let face = body.faces().iter().find(|face| !matches!(face.surface, Surface::Plane(_))).unwrap();
    let nurbs = face.surface.to_nurbs(face.region.bounds()).unwrap();
    TiledBody::from_patches(&[Patch::new(nurbs)], None).unwrap().into()
}

/// An algebraic surface and the same made of patches.
fn twins(scale: f64) -> Vec<(&'static str, Body, Body)> {
    let tiled = |body: TiledBody| Body::from(body);
    let tube = TiledBody::cylinder(0.5 * scale, 2.0 * scale).unwrap();
    let cone = TiledBody::cone(0.75 * scale, 1.5 * scale, None).unwrap();
    vec![
        (
            "sphere",
            algebraic("x^2 + y^2 + z^2 - 1", [-1.5; 3], [1.25; 3], scale),
            tiled(TiledBody::sphere(scale).unwrap()),
        ),
        (
            "ellipsoid",
            algebraic("x^2 + y^2/0.36 + z^2/0.09 - 1", [-1.1; 3], [1.2; 3], scale),
            tiled(TiledBody::ellipsoid([scale, 0.6 * scale, 0.3 * scale]).unwrap()),
        ),
        (
            "torus",
            algebraic(
                "(x^2 + y^2 + z^2 + 0.91)^2 - 4*(x^2 + y^2)",
                [-1.5, -1.4, -0.5],
                [1.4, 1.5, 0.4],
                scale,
            ),
            tiled(TiledBody::torus(scale, 0.3 * scale).unwrap()),
        ),
        ("tube", algebraic("x^2 + y^2 - 0.25", [-1.0; 3], [1.0; 3], scale), round_face(&tube)),
        (
            "cone",
            algebraic("4*(x^2 + y^2) - (z - 1.5)^2", [-1.0, -1.0, 0.0], [1.0, 1.0, 1.5], scale),
            round_face(&cone),
        ),
    ]
}

fn others(scale: f64) -> Vec<(&'static str, Body)> {
    let pin = TiledBody::cylinder(0.2 * scale, 1.5 * scale).unwrap();
    let cube = Polytope::cuboid(DVec3::new(1.0, 0.4, 0.6) * scale).unwrap();
    let at = |x: f64| Pose::from_axis_angle(DVec3::Y, x, DVec3::X * x * scale).unwrap();
    let union = PartTree::of_parts(vec![
        (Part::Tiled(pin.clone()), at(0.5)),
        (Part::Polytope(cube.clone()), at(-0.7)),
    ]);
    vec![
        ("point", Polytope::point().into()),
        ("box", cube.into()),
        ("pin", pin.into()),
        ("union", union.unwrap().into()),
        ("ring", TiledBody::torus(0.8 * scale, 0.25 * scale).unwrap().into()),
        ("level ellipsoid", algebraic("x^2 + 4y^2 + 9z^2 - 0.5", [-1.0; 3], [1.0; 3], scale)),
    ]
}

fn random_pose(random: &mut Random, size: f64) -> Pose {
    Pose::new(random.quaternion(), random.direction() * size * random.uniform(0.2, 2.5)).unwrap()
}

/// How many answers were apart and how many in contact.
fn compare(scale: f64, seed: u64, rounds: usize) -> [usize; 2] {
    let mut mix = [0; 2];
    for (name, level, tiled) in &twins(scale) {
        for (other, body) in &others(scale) {
            let ready = [level, tiled, body].map(|body| Ready::new(body).unwrap());
            let mut memory = ReadyMemory::default();
            let mut random = Random::new(seed);
            for round in 0..rounds {
                let pose = random_pose(&mut random, scale);
                let demand = ready[0].demand(&ready[2], &pose);
                let got = nearest_of([&ready[0], &ready[2]], &pose, &demand, &mut memory).unwrap();
                // Boundaries alone: an algebraic surface has no inside, and neither is one looked for here.
                let want = nearest_of(
                    [&ready[1], &Ready::new(&body.boundary()).unwrap()],
                    &pose,
                    &demand,
                    &mut memory,
                );
                let want = want.unwrap();
                let here = format!("{name}-{other} {round} at {scale}: {got:?}\n{:?}", want.proximity);
                let size = 4.0 * scale;
                let off = (got.proximity.distance - want.proximity.distance).abs();
                assert!(off <= 1e-9 * size, "off by {off} {here}");
                assert!(got.lower <= want.proximity.distance + 1e-14 * size, "{here}");
                // Around an apex rounding hides the zero set at odd scales: the gap is told.
                let gap = match got.proximity.ended {
                    Ended::Stalled { residual } if *name == "cone" && scale != 1.0 => {
                        assert!(
                            residual >= got.proximity.distance - got.lower && got.work.pairs < 20_000,
                            "{here}"
                        );
                        1e-6 * size
                    }
                    ended => {
                        assert!(matches!(ended, Ended::Certified(_)), "{here}");
                        demand.max_error
                    }
                };
                assert!(got.lower >= got.proximity.distance - gap * (1.0 + 1e-6), "{here}");
                check_nearest(level, body, &pose, &got.proximity, size).unwrap();
                on_surface(level, got.proximity.witnesses[0].point);
                mix[usize::from(got.proximity.state == State::Touching)] += 1;
            }
        }
    }
    mix
}

fn on_surface(body: &Body, point: DVec3) {
    let Body::Algebraic(surface) = body else { panic!() };
    let jet = surface.polynomial().jet(point);
    let size = point.abs().max_element();
    assert!(
        jet.value.abs()
            <= 1e-10 * size * jet.gradient.length() + 1e-12 * size * size * jet.hessian.x_axis.length()
    );
}

#[test]
fn twins_of_patches_are_as_far() {
    let [apart, touching] = compare(1.0, 1, 6);
    assert!(apart >= 60 && touching >= 20, "{apart} {touching}");
}

#[test]
fn twins_of_patches_are_as_far_at_every_scale() {
    compare(1e-6, 2, 2);
    compare(1e6, 3, 2);
}

#[test]
fn exchanged_bodies_are_as_far() {
    let mut random = Random::new(4);
    for (_, level, _) in &twins(1.0) {
        for (_, body) in &others(1.0) {
            let pose = random_pose(&mut random, 3.0);
            let one = distance(level, body, &pose).unwrap();
            let other = distance(body, level, &pose.inverse()).unwrap();
            assert!((one.distance - other.distance).abs() <= 1e-12, "{one:?} {other:?}");
        }
    }
}

/// The nearest point is on the curve where the surface meets a wall, or in a corner of it.
#[test]
fn walls_end_the_surface() {
    let point = Body::from(Polytope::point());
    let mut random = Random::new(5);
    let tube = algebraic("x^2 + y^2 - 1", [-2.0, -2.0, -0.5], [0.75, 2.0, 0.5], 1.0);
    let (mut rims, mut corners) = (0, 0);
    for _ in 0..200 {
        let p = random.direction() * random.uniform(0.1, 3.0);
        let got = distance(&tube, &point, &Pose::from_translation(p).unwrap()).unwrap();
        // The tube is cut off at x = 0.75: an arc in the plane.
        let z = p.z.clamp(-0.5, 0.5);
        let radius = p.x.hypot(p.y);
        let height = (1.0_f64 - 0.75 * 0.75).sqrt();
        let cut = p.x > 0.75 * radius;
        let flat = if cut { (p.x - 0.75).hypot(p.y.abs() - height) } else { (radius - 1.0).abs() };
        let want = flat.hypot(p.z - z);
        rims += usize::from(z != p.z && !cut || cut && z == p.z);
        corners += usize::from(z != p.z && cut);
        assert!((got.distance - want).abs() <= 1e-12, "{p} {} {want}", got.distance);
        assert!(matches!(got.ended, Ended::Certified(_)));
    }
    assert!(rims > 40 && corners > 10, "{rims} {corners}");
}

#[test]
fn far_from_the_origin_digits_are_lost_honestly() {
    let (_, level, tiled) = twins(1.0).swap_remove(1);
    let pin = Body::from(TiledBody::cylinder(0.2, 1.5).unwrap());
    let mut random = Random::new(6);
    for _ in 0..5 {
        let near = random_pose(&mut random, 2.0);
        let away = Pose::from_translation(random.direction() * 1e4).unwrap();
        // Both bodies stand far away: the pin's frame is what moved it there.
        let far = Pose::new(near.quaternion(), near.translation() + away.translation()).unwrap();
        let moved = Pose::between(&away, &far);
        let got = distance(&level, &pin, &moved).unwrap();
        let want = distance(&tiled, &pin, &near).unwrap();
        assert!((got.distance - want.distance).abs() < 1e-10, "{got:?} {want:?}");
    }
}
