//! Bodies with a common axis or direction, whose nearest points are curves and areas: found and proven in few pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Range, Rect};
use clearance_geometry::surface::Revolution;
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::global::Nearest;
use clearance_proximity::{Ended, Precision, Scratch, nearest_points};
use std::f64::consts::{FRAC_PI_2, TAU};

fn p(r: f64, z: f64) -> DVec2 {
    DVec2::new(r, z)
}

/// The solid that a closed polygon of (radius, height) sweeps about z.
fn turned(corners: &[DVec2]) -> Body {
    let count = corners.len();
    let line = |i: usize| Segment::Line { from: corners[i], to: corners[(i + 1) % count] };
    TiledBody::revolve(&(0..count).map(line).collect::<Vec<Segment>>()).unwrap().into()
}

fn tube(inner: f64, outer: f64, height: f64) -> Body {
    let h = 0.5 * height;
    turned(&[p(inner, -h), p(outer, -h), p(outer, h), p(inner, h)])
}

/// A hollow with the shape of a ball, open above.
fn bowl(radius: f64) -> Body {
    let (low, rim) = (-radius, 0.0);
    TiledBody::revolve(&[
        Segment::Arc { center: p(0.0, 0.0), from: p(0.0, low), to: p(radius, rim), ccw: true },
        Segment::Line { from: p(radius, rim), to: p(radius + 1.0, rim) },
        Segment::Line { from: p(radius + 1.0, rim), to: p(radius + 1.0, low - 1.0) },
        Segment::Line { from: p(radius + 1.0, low - 1.0), to: p(0.0, low - 1.0) },
    ])
    .unwrap()
    .into()
}

/// Two boxes as one body: an L.
fn angle_iron() -> Body {
    let plate = |size: DVec3, to: DVec3| {
        (Part::Polytope(Polytope::cuboid(size).unwrap()), Pose::from_translation(to).unwrap())
    };
    let parts = vec![
        plate(DVec3::new(4.0, 2.0, 0.5), DVec3::ZERO),
        plate(DVec3::new(0.5, 2.0, 3.0), DVec3::new(-1.75, 0.0, 1.75)),
    ];
    Body::from(PartTree::of_parts(parts).unwrap())
}

/// The outer side of a torus as files of parts write it: an arc about an axis in its plane.
fn turned_arc() -> Body {
    let frame = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::X).unwrap();
    let arc = Circle::new(frame, 0.3).unwrap();
    let turned = Revolution::new(arc.into(), DVec3::Z * 5.0, DVec3::Z).unwrap();
    let patch = Patch::new(turned).over(Rect::new(Range::new(0.0, TAU), Range::new(-1.0, 1.0)));
    TiledBody::from_patches(&[patch], None).unwrap().into()
}

/// A pair of bodies, the pose of B and the distance of their boundaries.
type Scene = (&'static str, Body, Body, Pose, f64);

fn scenes() -> Vec<Scene> {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let about = |axis: DVec3, angle: f64, to: DVec3| Pose::from_axis_angle(axis, angle, to).unwrap();
    let cylinder = |r, h| Body::from(TiledBody::cylinder(r, h).unwrap());
    let torus = |r, s| Body::from(TiledBody::torus(r, s).unwrap());
    let ball = |r| Body::from(TiledBody::sphere(r).unwrap());
    let hole = || tube(1.2, 2.0, 4.0);
    let seat = turned(&[p(1.0, -1.0), p(3.0, -1.0), p(3.0, 1.0), p(2.0, 1.0)]);
    let plug = Body::from(TiledBody::cone(0.5, 2.0, Some(1.5)).unwrap());
    vec![
        ("pin in a hole", hole(), cylinder(1.0, 3.0), about(DVec3::Z, 0.7, DVec3::Z * 0.1), 0.2),
        ("pin through a hole", hole(), cylinder(1.0, 6.0), about(DVec3::Z, 0.7, DVec3::ZERO), 0.2),
        (
            "capsule in a hole",
            hole(),
            Body::from(TiledBody::capsule(1.0, 2.0).unwrap()),
            at(0.0, 0.0, 0.3),
            0.2,
        ),
        ("pin off the axis", hole(), cylinder(1.0, 3.0), at(0.1, 0.0, 0.1), 0.1),
        ("tubes end to end", hole(), tube(1.0, 1.5, 2.0), at(0.0, 0.0, 3.25), 0.25),
        ("tube in a tube", hole(), tube(0.5, 1.1, 2.0), about(DVec3::X, std::f64::consts::PI, DVec3::Z), 0.1),
        ("plug in a seat", seat, plug, at(0.0, 0.0, -1.0), 0.5 * 0.8_f64.sqrt()),
        ("stacked tori", torus(3.0, 0.5), torus(3.0, 0.75), about(DVec3::Z, 0.4, DVec3::Z * 2.0), 0.75),
        ("torus around a torus", torus(5.0, 0.5), torus(3.0, 0.5), at(0.0, 0.0, 0.5), 4.25_f64.sqrt() - 1.0),
        (
            "torus within a torus",
            torus(3.0, 1.0).boundary(),
            torus(3.0, 0.5).boundary(),
            at(0.0, 0.0, 0.0),
            0.5,
        ),
        ("torus around a pin", torus(3.0, 0.5), cylinder(1.0, 4.0), about(DVec3::Z, 0.2, DVec3::ZERO), 1.5),
        ("ball in a torus", torus(3.0, 0.5), ball(1.0), at(0.0, 0.0, 1.0), 10.0_f64.sqrt() - 1.5),
        ("ball in a bowl", bowl(2.0), ball(1.5), at(0.0, 0.0, 0.0), 0.5),
        ("torus around a turned arc", turned_arc(), torus(3.0, 0.5), about(DVec3::Z, 0.3, DVec3::ZERO), 1.2),
        ("angle irons", angle_iron(), angle_iron(), at(0.8, 0.2, 0.75), 0.25),
        (
            "pin along an angle iron",
            angle_iron(),
            cylinder(0.5, 1.5),
            about(DVec3::X, FRAC_PI_2, DVec3::new(0.5, 0.0, 1.0)),
            0.25,
        ),
    ]
}

/// The nearest points of two boundaries, within a budget that coaxial bodies do not need.
fn found(a: &Body, b: &Body, pose: &Pose) -> Nearest {
    let precision = Precision { max_pairs: Some(20_000), ..Precision::default() };
    nearest_points(a, b, pose, &precision).unwrap().0
}

#[test]
fn common_axes_are_proven_in_few_pairs() {
    for (name, a, b, pose, distance) in scenes() {
        for (a, b, pose) in [(&a, &b, pose), (&b, &a, pose.inverse())] {
            let found = found(a, b, &pose);
            assert!(matches!(found.proximity.ended, Ended::Certified(_)), "{name}: {:?}", found.work);
            assert!(
                (found.proximity.distance - distance).abs() < 1e-13,
                "{name}: {}",
                found.proximity.distance
            );
            assert!(found.lower <= distance && found.lower > distance - 1e-8, "{name}: {}", found.lower);
        }
    }
}

/// As they are asked for one after the other, where the cores of capsules, balls and rings stand in for them.
#[test]
fn common_axes_are_proven_in_few_pairs_by_their_cores() {
    let precision = Precision { max_pairs: Some(20_000), ..Precision::default() };
    for (name, a, b, pose, distance) in scenes() {
        for (a, b, pose) in [(&a, &b, pose), (&b, &a, pose.inverse())] {
            let mut scratch = Scratch::new();
            for _ in 0..2 {
                let found = scratch.find(a, b, &pose, &precision).unwrap().proximity;
                assert!(matches!(found.ended, Ended::Certified(_)), "{name}: {found:?}");
                assert!((found.distance - distance).abs() < 1e-13, "{name}: {found:?}");
            }
        }
    }
    // A rod along the axis of a tube that is not as long: every point beside the tube is as near.
    let rod = Body::from(TiledBody::capsule(0.3, 8.0).unwrap());
    for pose in [0.0, 0.3, 1.1].map(|z| Pose::from_translation(DVec3::Z * z).unwrap()) {
        let found = Scratch::new().find(&tube(1.2, 2.0, 4.0), &rod, &pose, &precision).unwrap().proximity;
        assert!(matches!(found.ended, Ended::Certified(_)), "{found:?}");
        assert!((found.distance - 0.9).abs() < 1e-13, "{found:?}");
    }
}

/// A pin in a hole, both `k` times as large.
fn pin_in_hole(k: f64) -> [Body; 2] {
    let h = 2.0 * k;
    let hole = turned(&[p(1.2 * k, -h), p(2.0 * k, -h), p(2.0 * k, h), p(1.2 * k, h)]);
    [hole, TiledBody::cylinder(k, 3.0 * k).unwrap().into()]
}

#[test]
fn pin_in_a_hole_is_proven_at_every_size_and_far_from_the_origin() {
    let mut random = clearance_testkit::Random::new(17);
    for k in [1e-6, 1.0, 1e6] {
        let [hole, pin] = pin_in_hole(k);
        for _ in 0..4 {
            // Bodies within unions stand anywhere, and their axes agree but for rounding.
            let place = Pose::new(random.quaternion(), random.in_ball() * (100.0 * k)).unwrap();
            let placed = |body: &Body| {
                let Body::Tiled(tiled) = body else { panic!("a tiled body") };
                Body::from(PartTree::of_parts(vec![(Part::Tiled(tiled.clone()), place)]).unwrap())
            };
            let found = found(&placed(&hole), &placed(&pin), &Pose::IDENTITY);
            let off = (found.proximity.distance - 0.2 * k).abs();
            assert!(off < 1e-12 * k, "at {k}: off {off:e}");
            assert!(matches!(found.proximity.ended, Ended::Certified(_)), "at {k}: {:?}", found.work);
        }
    }
}

#[test]
fn bounds_hold_however_slightly_a_pin_is_tilted_and_shifted() {
    let mut random = clearance_testkit::Random::new(23);
    let [hole, pin] = pin_in_hole(1.0);
    let mut strict = 0;
    for power in [-15, -12, -10, -9, -8, -6, -4, -2] {
        for _ in 0..4 {
            let small = 10.0_f64.powi(power);
            let axis = random.direction();
            let pose = Pose::from_axis_angle(axis, small * random.unit(), random.in_ball() * small).unwrap();
            // The hole is higher than the pin: the nearest point of the pin is on a rim.
            let out = |t: f64, z: f64| pose.apply(DVec3::new(t.cos(), t.sin(), z)).truncate().length();
            let count = 20_000;
            let angle = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(count);
            let far = (0..count).map(|k| out(angle(k), -1.5).max(out(angle(k), 1.5))).fold(0.0, f64::max);
            let sampled = 1.2 - far;
            let found = found(&hole, &pin, &pose);
            assert!(found.lower <= sampled + 1e-15, "{power}: {} above {sampled}", found.lower);
            // Where axes are off by more than the error asked for, the search may end by its budget; its bounds are as close
            // as the axes.
            let distance = found.proximity.distance;
            let open = distance - found.lower;
            assert!(open <= 1e-8 + 20.0 * small, "{power}: {open:e} between the bounds");
            let proven = matches!(found.proximity.ended, Ended::Certified(_));
            assert!(!proven || distance <= sampled + 1e-8, "{power}: {distance} above {sampled}");
            strict += u32::from(sampled < 0.2 - 1e-9);
        }
    }
    assert!((8..=24).contains(&strict), "{strict} poses differ from the coaxial one");
}
