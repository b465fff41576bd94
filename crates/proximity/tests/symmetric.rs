//! Bodies with a common axis or direction, whose nearest points are curves and areas: found and proven in few pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Range, Rect};
use clearance_geometry::surface::{Plane, Revolution};
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
            assert!(
                found.lower <= distance && found.lower > distance - 2e-8,
                "{name}: {}, {:?}",
                found.lower,
                found.work
            );
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

/// A plane across a cylinder is not swept along its axis, however that is rounded: the cylinder comes through the plane's edge,
/// beside a ball that is not as near.
#[test]
fn cylinders_through_the_edge_of_a_plane_across_them_touch_it() {
    let mut random = clearance_testkit::Random::new(31);
    let range = |low: f64, high: f64| Range::new(low, high);
    let frame = Pose::from_translation(DVec3::new(1.0, 0.0, 0.5)).unwrap();
    let plane = Patch::new(Plane::new(frame)).over(Rect::new(range(-1.0, 5.0), range(-1.0, 1.0)));
    let plane = Body::from(TiledBody::from_patches(&[plane], None).unwrap());
    let ball = Part::Tiled(TiledBody::sphere(0.25).unwrap());
    let beside = Pose::from_translation(DVec3::X).unwrap();
    for pin in [TiledBody::cylinder(0.25, 2.0).unwrap(), TiledBody::capsule(0.25, 2.0).unwrap()] {
        let parts = vec![(ball.clone(), beside), (Part::Tiled(pin), Pose::IDENTITY)];
        let union = Body::from(PartTree::of_parts(parts).unwrap());
        for case in 0..200 {
            let mut moved = |to: DVec3| {
                let turned = Pose::new(random.quaternion(), to).unwrap();
                turned.inverse() * turned
            };
            // Rounded away from the identity, as the difference of two poses.
            let pose = moved(DVec3::splat(f64::from(case) / 64.0));
            for (a, b, pose) in [(&plane, &union, pose), (&union, &plane, pose.inverse())] {
                let found = found(a, b, &pose).proximity;
                assert!(found.distance < 1e-9, "{case}: {found:?}");
            }
        }
    }
}

/// The core of a ring is a circle and no edge of it.
#[test]
fn rings_around_boundaries_of_convex_bodies_are_searched_by_their_cores() {
    let ring = Body::from(TiledBody::torus(2.0, 0.25).unwrap()).boundary();
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let cases = [
        ("box", Body::from(Polytope::cuboid(DVec3::splat(0.5)).unwrap()), 1.75 - 0.125_f64.sqrt()),
        ("cylinder", TiledBody::cylinder(1.0, 1.0).unwrap().into(), 0.75),
        ("cone", TiledBody::cone(1.0, 1.0, None).unwrap().into(), 0.75),
        ("corner", Body::from(Polytope::from_points(&corners).unwrap()), 0.75),
    ];
    for (name, body, distance) in cases {
        let body = body.boundary();
        for (a, b) in [(&ring, &body), (&body, &ring)] {
            let found = Scratch::new().find(a, b, &Pose::IDENTITY, &Precision::default()).unwrap().proximity;
            assert!((found.distance - distance).abs() < 1e-9, "{name}: {found:?}");
            assert!(matches!(found.ended, Ended::Certified(_)), "{name}: {found:?}");
        }
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

/// Solids of revolution about z, with curved profiles, and how far that of each reaches.
fn turned_solids() -> Vec<(&'static str, Body, Vec<DVec2>)> {
    let count = 4_000;
    let along = |k: usize| k as f64 / count as f64;
    let arc = |center: DVec2, radius: f64, from: f64, to: f64| -> Vec<DVec2> {
        (0..=count).map(|k| center + DVec2::from_angle(from + (to - from) * along(k)) * radius).collect()
    };
    let line =
        |from: DVec2, to: DVec2| -> Vec<DVec2> { (0..=count).map(|k| from.lerp(to, along(k))).collect() };
    let parabola: Vec<DVec2> = (0..=count).map(|k| p(4.0 * along(k), 4.0 * along(k) * along(k))).collect();
    let pen = [p(0.0, 0.0), p(0.5, 1.0), p(0.5, 7.0), p(0.0, 7.0)];
    let ring = [p(3.0, 0.0), p(3.5, 0.0), p(3.5, 1.0), p(3.0, 1.0), p(3.0, 0.0)];
    let ends = [p(4.0, 4.0), p(0.0, 2.0)];
    let hollow = (ends[0] - p(0.0, 7.0)).to_angle();
    let bowl = TiledBody::revolve(&[
        Segment::Parabola { from: p(0.0, 0.0), to: ends[0], focal: None },
        Segment::Arc { center: p(0.0, 7.0), from: ends[0], to: ends[1], ccw: false },
    ]);
    let chain = |corners: &[DVec2]| {
        let lines = corners.windows(2).map(|pair| Segment::Line { from: pair[0], to: pair[1] });
        TiledBody::revolve(&lines.collect::<Vec<_>>()).unwrap().into()
    };
    let lines = |corners: &[DVec2]| corners.windows(2).flat_map(|pair| line(pair[0], pair[1])).collect();
    vec![
        ("bowl", bowl.unwrap().into(), [parabola, arc(p(0.0, 7.0), 5.0, hollow, -FRAC_PI_2)].concat()),
        ("pen", chain(&pen), lines(&pen)),
        ("ring", chain(&ring), lines(&ring)),
        ("torus", TiledBody::torus(3.0, 0.5).unwrap().into(), arc(p(3.0, 0.0), 0.5, 0.0, TAU)),
        (
            "egg",
            TiledBody::ellipsoid([1.0, 1.0, 2.0]).unwrap().into(),
            arc(p(0.0, 0.0), 1.0, -FRAC_PI_2, FRAC_PI_2).iter().map(|q| p(q.x, 2.0 * q.y)).collect(),
        ),
        (
            "capsule",
            TiledBody::capsule(0.5, 2.0).unwrap().into(),
            [arc(p(0.0, 1.0), 0.5, 0.0, FRAC_PI_2), arc(p(0.0, -1.0), 0.5, -FRAC_PI_2, 0.0)].concat(),
        ),
    ]
}

/// The distance of two profiles of which points are known, to the square of their steps.
fn sampled_apart(one: &[DVec2], other: &[DVec2]) -> f64 {
    let coarse = |points: &[DVec2]| points.iter().copied().enumerate().step_by(40).collect::<Vec<_>>();
    let (few, others) = (coarse(one), coarse(other));
    let pairs = few.iter().flat_map(|(i, p)| others.iter().map(move |(j, q)| (p.distance(*q), *i, *j)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0));
    let around =
        |points: &[DVec2], at: usize| points[at.saturating_sub(40)..(at + 41).min(points.len())].to_vec();
    let mut least = f64::INFINITY;
    for (_, i, j) in pairs.into_iter().take(12) {
        for p in around(one, i) {
            for q in around(other, j) {
                least = least.min(p.distance(q));
            }
        }
    }
    least
}

#[test]
fn curved_solids_about_a_common_axis_are_proven_in_few_pairs() {
    let solids = turned_solids();
    let mut apart = 0;
    for (i, (name, a, profile)) in solids.iter().enumerate() {
        for (other, b, other_profile) in &solids[i..] {
            for (flip, height) in [(1.0, 3.3), (1.0, 12.0), (-1.0, 12.0), (-1.0, 15.0)] {
                let to = DVec3::Z * height;
                let angle = if flip > 0.0 { 0.3 } else { std::f64::consts::PI };
                let pose =
                    Pose::from_axis_angle(if flip > 0.0 { DVec3::Z } else { DVec3::X }, angle, to).unwrap();
                let placed: Vec<_> = other_profile.iter().map(|q| p(q.x, height + flip * q.y)).collect();
                let distance = sampled_apart(profile, &placed);
                if distance < 0.1 {
                    continue;
                }
                apart += 1;
                // Axes that differ less than the error asked for, and those that differ a little more.
                for (shift, most) in [(0.0, 10_000), (1e-10, 10_000), (1e-6, 50_000)] {
                    let pose = pose.with_translation(pose.translation() + DVec3::X * shift);
                    let found = Scratch::new()
                        .find(a, b, &pose, &Precision { max_pairs: Some(most), ..Precision::default() })
                        .unwrap();
                    let (at, found) = (format!("{name}, {other}, {height}, {shift:e}"), found.proximity);
                    let Ended::Certified(proof) = &found.ended else { panic!("{at}: {found:?}") };
                    assert!((found.distance - distance).abs() < 1e-5 + shift, "{at}: {found:?} {distance}");
                    assert!(found.distance <= distance + 1e-9 + shift, "{at}: {found:?} {distance}");
                    assert!(
                        proof.lower <= distance + shift && proof.lower > found.distance - 1e-7,
                        "{at}: {proof:?}"
                    );
                }
            }
        }
    }
    assert!(apart > 40, "{apart} poses apart");
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

/// A cup between two balls about a point of its axis, with a flat rim; and points of its rims.
fn cup(radius: f64, wall: f64) -> (Body, Vec<DVec3>) {
    let (center, inner) = (p(0.0, radius), radius - wall);
    let profile = [
        Segment::Arc { center, from: p(0.0, 0.0), to: p(radius, radius), ccw: true },
        Segment::Line { from: p(radius, radius), to: p(inner, radius) },
        Segment::Arc { center, from: p(inner, radius), to: p(0.0, wall), ccw: false },
    ];
    let around = |r: f64| {
        let at = move |k: usize| TAU * k as f64 / 600.0;
        (0..600).map(move |k| DVec3::new(r * at(k).cos(), r * at(k).sin(), radius))
    };
    (TiledBody::revolve(&profile).unwrap().into(), around(radius).chain(around(inner)).collect())
}

/// A part of a ball is no part of what its meridian sweeps about another axis through the middle.
#[test]
fn rims_of_cups_beside_balls_are_not_passed_over() {
    let (one, rims) = cup(0.7, 0.16);
    let (other, others) = cup(0.52, 0.03);
    let mut random = clearance_testkit::Random::new(7);
    let mut long = 0;
    for k in 0..120 {
        let wide = if k == 0 { 0.0 } else { 0.05 };
        let to = DVec3::new(-0.6, -0.7, 1.5) + random.in_ball() * wide;
        let turn = Pose::from_axis_angle(DVec3::Y, 130_f64.to_radians(), to).unwrap();
        let lean = Pose::from_axis_angle(random.direction(), wide * random.unit(), DVec3::ZERO).unwrap();
        let pose = turn * lean;
        let found = Scratch::new().find(&one, &other, &pose, &Precision::default()).unwrap();
        let back = Scratch::new().find(&other, &one, &pose.inverse(), &Precision::default()).unwrap();
        let moved: Vec<DVec3> = others.iter().map(|q| pose.apply(*q)).collect();
        let sampled = rims.iter().flat_map(|p| moved.iter().map(|q| p.distance_squared(*q)));
        let sampled = sampled.fold(f64::INFINITY, f64::min).sqrt();
        for answer in [&found, &back] {
            let Ended::Certified(proof) = answer.proximity.ended else { panic!("{answer:?}") };
            assert!(proof.lower <= sampled, "{k}: {answer:?} beside {sampled}");
        }
        assert!((found.proximity.distance - back.proximity.distance).abs() < 1e-8, "{k}: {found:?} {back:?}");
        long += usize::from(found.proximity.work.iterations > 256);
    }
    // Profiles are looked at only in long searches.
    assert!(long > 60, "{long}");
}
