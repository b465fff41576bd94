//! Points against closed bodies whose inside has a formula.

use super::shapes::{Shape, shapes};
use clearance_geometry::surface::Sphere;
use clearance_geometry::tiled::{Draft, DraftFace, TiledBody};
use clearance_geometry::{Body, DVec3, HalfSpace, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Place, Probe, State, Tracker, containment, distance, locate_point};
use clearance_testkit::Random;

/// A random point in a box around a shape, or close to one of its special points.
pub(crate) fn point(random: &mut Random, shape: &Shape, scale: f64) -> DVec3 {
    if random.chance(0.3) {
        let at = *random.pick(&shape.special);
        return at + random.direction() * scale * random.log_uniform(-9.0, -1.0);
    }
    let unit = DVec3::new(random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2));
    unit * shape.half
}

fn expected(value: f64) -> Place {
    if value < 0.0 { Place::Inside } else { Place::Outside }
}

#[test]
fn points_are_located_as_formulas_say() {
    let mut random = Random::new(11);
    for scale in [1e-6, 1.0, 1e6] {
        for shape in shapes(scale) {
            let mut probe = Probe::new(&Body::from(shape.body.clone())).unwrap();
            let mut counts = [0; 2];
            for _ in 0..60 {
                let p = point(&mut random, &shape, scale);
                let value = (shape.inside)(p);
                if value.abs() < 1e-9 * scale {
                    continue;
                }
                counts[usize::from(value < 0.0)] += 1;
                assert_eq!(probe.locate(p).unwrap(), expected(value), "{} {scale} {p} {value}", shape.name);
                let found = probe.distance(p, None).unwrap();
                assert_eq!(found.place, expected(value), "{} {scale} {p} {value}", shape.name);
                // In the middle of round bodies many points are equally near.
                let middle = shape.special.iter().any(|at| at.distance(p) < 1e-3 * scale);
                assert!(found.exact || middle, "{} {p}", shape.name);
                assert!(
                    (found.witness.point.distance(p) - found.signed_distance.abs()).abs() < 1e-12 * scale
                );
                // Formulas with a square root have half the digits where an arc is upright.
                let digits = if ["slit", "blade"].contains(&shape.name) { 1e-7 } else { 1e-11 };
                assert!((shape.inside)(found.witness.point).abs() < digits * scale, "{}", shape.name);
            }
            assert!(
                counts[0] > 5 && (counts[1] > 3 || ["thin wall", "blade"].contains(&shape.name)),
                "{} {counts:?}",
                shape.name
            );
        }
    }
}

#[test]
fn boundary_points_are_on_the_boundary() {
    let mut random = Random::new(12);
    for scale in [1e-6, 1.0, 1e6] {
        for shape in shapes(scale) {
            let mut probe = Probe::new(&Body::from(shape.body.clone())).unwrap();
            let edges = shape.body.edges().iter().map(|edge| edge.point(edge.range.at(0.37)));
            let vertices = shape.body.vertices().iter().copied();
            let faces = shape.body.faces().iter().map(|face| {
                let bounds = face.region.bounds();
                let at = [bounds.u.at(random.unit()), bounds.v.at(random.uniform(0.3, 0.7))];
                (face.side(at.into()) != clearance_geometry::tiled::Side::Outside)
                    .then(|| face.point(at.into()))
            });
            let faces: Vec<DVec3> = faces.flatten().collect();
            for p in edges.chain(vertices).chain(faces) {
                assert_eq!(probe.locate(p).unwrap(), Place::Boundary, "{} {scale} {p}", shape.name);
                assert_eq!(probe.distance(p, None).unwrap().signed_distance, 0.0);
            }
        }
    }
}

#[test]
fn distances_to_round_bodies_are_those_of_formulas() {
    let mut random = Random::new(13);
    for scale in [1e-6, 1.0, 1e6] {
        for shape in shapes(scale).iter().filter(|s| ["sphere", "torus", "capsule"].contains(&s.name)) {
            let mut probe = Probe::new(&Body::from(shape.body.clone())).unwrap();
            for _ in 0..60 {
                let p = point(&mut random, shape, scale);
                let found = probe.distance(p, None).unwrap();
                // The capsule's formula is that of the distance outside, and inside off the axis.
                let value = (shape.inside)(p);
                let error = if found.exact { 1e-12 } else { 1e-6 };
                assert!((found.signed_distance - value).abs() < error * scale, "{} {p}", shape.name);
                let normal = found.normal.unwrap();
                let gap = found.witness.point + normal * found.signed_distance - p;
                assert!(gap.length() < 1e-12 * scale);
            }
        }
    }
}

fn union(parts: Vec<(Part, DVec3)>) -> Body {
    let placed = |(part, at): (Part, DVec3)| (part, Pose::from_translation(at).unwrap());
    PartTree::of_parts(parts.into_iter().map(placed).collect()).unwrap().into()
}

#[test]
fn far_unions_are_located_by_their_parts() {
    let mut random = Random::new(14);
    let far = DVec3::new(3e5, -2e5, 1e6);
    let all = shapes(1.0);
    let (cone, slit) = (&all[4], &all[8]);
    let cube = Polytope::cuboid(DVec3::ONE).unwrap();
    let open = Part::Boundary(Box::new(Part::Tiled(all[0].body.clone())));
    let parts = vec![
        (Part::Tiled(cone.body.clone()), far),
        (Part::Tiled(slit.body.clone()), far + DVec3::X * 2.0),
        (Part::Polytope(cube), far + DVec3::Y),
        (open, far),
    ];
    let mut probe = Probe::new(&union(parts)).unwrap();
    let mut counts = [0; 2];
    for _ in 0..400 {
        let p = far + random.in_ball() * 4.0;
        let local = p - far;
        let cube_value = ((local - DVec3::Y).abs() - DVec3::splat(0.5)).max_element();
        let value = (cone.inside)(local).min((slit.inside)(local - DVec3::X * 2.0)).min(cube_value);
        if value.abs() < 1e-8 || ((all[0].inside)(local)).abs() < 1e-8 {
            continue;
        }
        counts[usize::from(value < 0.0)] += 1;
        assert_eq!(probe.locate(p).unwrap(), expected(value), "{local} {value}");
        let found = probe.distance(p, None).unwrap();
        assert_eq!(found.place, expected(value));
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}

#[test]
fn surfaces_have_no_inside() {
    for shape in shapes(1.0) {
        let boundary = Body::from(shape.body.clone()).boundary();
        for p in &shape.special {
            assert_ne!(locate_point(&boundary, *p).unwrap(), Place::Inside, "{}", shape.name);
        }
    }
}

#[test]
fn containment_is_that_of_points() {
    let all = shapes(1.0);
    let small = Body::from(TiledBody::sphere(1e-3).unwrap());
    let mut random = Random::new(15);
    let mut inside = 0;
    for shape in &all {
        let body = Body::from(shape.body.clone());
        let mut probe = Probe::new(&body).unwrap();
        for _ in 0..20 {
            let p = point(&mut random, shape, 1.0);
            let found = probe.distance(p, None).unwrap();
            if found.signed_distance.abs() < 2e-3 {
                continue;
            }
            let expected = (found.place == Place::Inside).then_some(State::BInsideA);
            inside += usize::from(expected.is_some());
            let pose = Pose::from_translation(p).unwrap();
            assert_eq!(containment(&body, &small, &pose).unwrap(), expected, "{} {p}", shape.name);
            let swapped = containment(&small, &body, &pose.inverse()).unwrap();
            assert_eq!(swapped, expected.map(State::swapped));
            assert_ne!(containment(&body.boundary(), &small, &pose).unwrap(), Some(State::BInsideA));
            // One of two parts inside is an overlap, both are containment.
            let ball = || Part::Tiled(TiledBody::sphere(1e-3).unwrap());
            let pair = union(vec![(ball(), p), (ball(), DVec3::X * 50.0)]);
            let partly = expected.map(|_| State::Penetrating);
            assert_eq!(containment(&body, &pair, &Pose::IDENTITY).unwrap(), partly);
        }
    }
    assert!(inside > 30);
}

/// A ball of radius 2 with a hollow of radius 1 in it.
/// A part that stands elsewhere in its body: pieces of the body are not in the frame of the part.
#[test]
fn containment_of_a_part_off_its_frame_is_told_by_every_query() {
    let away = DVec3::new(-3.0, 5.0, 2.0);
    let ball = union(vec![(Part::Tiled(TiledBody::sphere(1.0).unwrap()), away)]);
    let ring = union(vec![(Part::Tiled(TiledBody::torus(2.0, 0.9).unwrap()), away)]);
    let pin = Body::from(TiledBody::torus(0.2, 0.1).unwrap());
    for (body, place, state) in [
        (&ball, DVec3::new(0.2, 0.1, 0.3), State::BInsideA),
        (&ball, DVec3::X * 2.0, State::Separated),
        (&ring, DVec3::new(1.9, 0.3, 0.2), State::BInsideA),
        (&ring, DVec3::new(0.2, 0.1, 0.3), State::Separated),
        (&ring, -away, State::Separated),
    ] {
        let pose = Pose::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7, away + place).unwrap();
        assert_eq!(distance(body, &pin, &pose).unwrap().state, state, "{place}");
        let mut tracker = Tracker::new();
        assert_eq!(tracker.update(body, &pin, &pose).unwrap().state, state, "{place}");
        let mirrored = match state {
            State::BInsideA => State::AInsideB,
            other => other,
        };
        assert_eq!(distance(&pin, body, &pose.inverse()).unwrap().state, mirrored, "{place}");
    }
}

fn hollow_ball() -> Body {
    let face = |radius: f64, reversed: bool| DraftFace {
        surface: Sphere::new(Pose::IDENTITY, radius).unwrap().into(),
        reversed,
        loops: Vec::new(),
        rect: None,
    };
    let draft = Draft { faces: vec![face(2.0, false), face(1.0, true)], ..Draft::default() };
    TiledBody::from_draft(draft).unwrap().into()
}

#[test]
fn hollow_bodies_hold_what_is_in_their_walls() {
    let hollow = hollow_ball();
    let ball = |radius: f64| Body::from(TiledBody::sphere(radius).unwrap());
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let cases = [
        (0.5, 0.0, None),
        (0.3, 1.5, Some(State::BInsideA)),
        (1.5, 0.0, Some(State::Penetrating)),
        (3.0, 0.0, Some(State::AInsideB)),
        (0.5, 3.0, None),
    ];
    for (radius, x, expected) in cases {
        assert_eq!(containment(&hollow, &ball(radius), &at(x)).unwrap(), expected, "{radius} {x}");
        let swapped = containment(&ball(radius), &hollow, &at(-x)).unwrap();
        assert_eq!(swapped, expected.map(State::swapped));
    }
    let mut probe = Probe::new(&hollow).unwrap();
    for (x, place) in
        [(0.0, Place::Outside), (0.9, Place::Outside), (1.4, Place::Inside), (2.1, Place::Outside)]
    {
        assert_eq!(probe.locate(DVec3::X * x).unwrap(), place);
    }
    // A half-space holds what is below its plane.
    let floor = Body::from(HalfSpace::new(DVec3::X, 0.0).unwrap());
    assert_eq!(containment(&floor, &ball(1.0), &at(-2.0)).unwrap(), Some(State::BInsideA));
    assert_eq!(containment(&floor, &ball(1.0), &at(2.0)).unwrap(), None);
}

#[test]
fn arguments_that_are_no_numbers_are_refused() {
    let mut probe = Probe::new(&hollow_ball()).unwrap();
    let bad = DVec3::new(0.0, f64::NAN, 0.0);
    assert!(probe.locate(bad).is_err() && probe.distance(bad, None).is_err());
    assert!(probe.distance(DVec3::X, Some(f64::NAN)).is_err());
    assert!(
        probe.cast_ray(bad, DVec3::X, 1.0).is_err() && probe.cast_ray(DVec3::X, DVec3::ZERO, 1.0).is_err()
    );
    assert!(probe.cast_ray(DVec3::X, DVec3::X, f64::NAN).is_err());
    assert_eq!(probe.locate(DVec3::splat(1e300)).unwrap(), Place::Outside);
    assert!(probe.cast_ray(DVec3::X * 5.0, DVec3::X * 1e-300, f64::INFINITY).unwrap().is_none());
}
