//! Bodies that meet: which of them overlap, however small or flush the place, and which only touch.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "inside/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use clearance_geometry::surface::{NurbsSurface, Plane};
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DQuat, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::contact::{Contact, classify};
use clearance_proximity::global::Prepared;
use clearance_proximity::{Ended, Precision, Scratch, State, Tracker, nearest_points, overlap_regions};
use clearance_testkit::Random;
use shapes::Shape;

fn state(a: &Body, b: &Body, pose_ab: &Pose) -> State {
    Tracker::new().update(a, b, pose_ab).unwrap().state
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// A prism over a polygon between two heights, its ends trimmed planes as a file of parts has them.
fn prism(corners: &[[f64; 2]], low: f64, high: f64) -> TiledBody {
    let polygon: Vec<DVec2> = corners.iter().map(|p| DVec2::from(*p)).collect();
    let end = |z: f64| Patch::new(Plane::new(at(0.0, 0.0, z))).trimmed(vec![polygon.clone()]);
    let mut bottom = end(low);
    bottom.reversed = true;
    let mut patches = vec![bottom, end(high)];
    for (k, from) in polygon.iter().enumerate() {
        let to = polygon[(k + 1) % polygon.len()];
        let knots = || vec![0.0, 0.0, 1.0, 1.0];
        let row = |p: DVec2| vec![p.extend(low), p.extend(high)];
        let net = [row(*from), row(to)];
        patches.push(Patch::new(NurbsSurface::new([1, 1], [knots(), knots()], &net, None).unwrap()));
    }
    let body = TiledBody::from_patches(&patches, None).unwrap();
    assert!(body.is_closed());
    body
}

/// An angle of two arms, 4 long, 1 wide and 2 high.
fn bracket() -> Body {
    let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    Body::from(prism(&corners, -1.0, 1.0))
}

#[test]
fn a_corner_in_a_large_face_is_an_overlap_however_small() {
    for scale in [1e-6, 1.0, 1e6] {
        let ring = Body::from(TiledBody::torus(20.0 * scale, 10.0 * scale).unwrap());
        let cube = Body::from(Polytope::cuboid(DVec3::splat(10.0 * scale)).unwrap());
        let half = 5.0 * scale;
        let square = [[-half, -half], [half, -half], [half, half], [-half, half]];
        let trimmed = Body::from(prism(&square, -half, half));
        let corner = DVec3::splat(-half);
        for depth in [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6] {
            for (k, lean) in [0.0, 0.3, 0.7].into_iter().enumerate() {
                let down = DQuat::from_rotation_arc(corner.normalize(), DVec3::NEG_Z);
                let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.5 * lean)
                    * DQuat::from_axis_angle(DVec3::Z, 0.2 + k as f64)
                    * down;
                let tip = DVec3::new(20.0, 0.0, 10.0 - depth) * scale;
                let pose = Pose::new(turn, tip - turn * corner).unwrap();
                for body in [&cube, &trimmed] {
                    let found = Tracker::new().update(&ring, body, &pose).unwrap();
                    assert_eq!(found.state, State::Penetrating, "{scale} {depth} {lean}");
                    let [a, b] = [&ring, body].map(|body| Prepared::new(body).unwrap());
                    let kind = classify(&a, &b, &pose, 1e-12 * scale);
                    assert!(matches!(kind, Contact::Crossing(_)), "{scale} {depth} {lean} {kind:?}");
                }
            }
        }
    }
}

#[test]
fn flush_bodies_overlap_where_they_share_an_inside() {
    let angle = bracket();
    let block =
        |x: f64, y: f64, to: Pose| (Part::Polytope(Polytope::cuboid(DVec3::new(x, y, 2.0)).unwrap()), to);
    let blocks = vec![block(1.0, 3.0, at(0.5, 2.5, 0.0)), block(4.0, 1.0, at(2.0, 0.5, 0.0))];
    let pair = Body::from(PartTree::of_parts(blocks).unwrap());
    // Shifted along themselves, every face of the overlap lies in one of both bodies or ends on its rim.
    for shift in [
        [2.0, 0.0, 0.0],
        [0.5, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
        [-3.0, 0.0, 0.0],
        [0.0, 1.0, 1.5],
    ] {
        let pose = at(shift[0], shift[1], shift[2]);
        assert_eq!(state(&angle, &angle, &pose), State::Penetrating, "{shift:?}");
        assert_eq!(state(&angle, &pair, &pose), State::Penetrating, "{shift:?}");
    }
    // Face on face, face on a part of a face, an edge on an edge.
    for shift in [
        [0.0, 0.0, 2.0],
        [4.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, -4.0, 0.0],
        [4.0, 0.0, 2.0],
        [1.0, 1.0, 2.0],
    ] {
        let pose = at(shift[0], shift[1], shift[2]);
        for body in [&angle, &pair] {
            let found = Tracker::new().update(&angle, body, &pose).unwrap();
            assert_eq!(found.state, State::Touching, "{shift:?}");
            assert_ne!(found.ended, Ended::Limit, "{shift:?}");
        }
    }
}

#[test]
fn contact_from_inside_is_no_mere_touch() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let ball = Body::from(TiledBody::sphere(0.3).unwrap());
    assert_eq!(state(&ring, &ball, &at(2.2, 0.0, 0.0)), State::BInsideA);
    assert_eq!(state(&ball, &ring, &at(-2.2, 0.0, 0.0)), State::AInsideB);
    assert_eq!(state(&ring, &ball, &at(2.8, 0.0, 0.0)), State::Touching);
}

#[test]
fn segments_overlap_and_surfaces_touch() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let rod = Body::from(Polytope::segment([DVec3::X * -4.0, DVec3::X * 4.0]).unwrap());
    let pose = at(0.0, 0.1, 0.05);
    for (a, b, pose) in [(&ring, &rod, pose), (&rod, &ring, pose.inverse())] {
        let found = Tracker::new().update(a, b, &pose).unwrap();
        assert_eq!((found.state, found.normal), (State::Penetrating, DVec3::ZERO));
        let regions = overlap_regions(a, b, &pose).unwrap().regions;
        assert_eq!(regions.len(), 2);
        for region in regions {
            // The rod passes the middle circle of the tube at this height.
            assert!((region.depth - 0.45).abs() < 1e-3, "{}", region.depth);
            let between = region.points[1] - region.points[0] + region.normal * region.depth;
            assert!(between.length() < 1e-6);
        }
    }
    // One end in the tube; a short one within it.
    let end = Body::from(Polytope::segment([DVec3::X * 2.0, DVec3::X * 4.0]).unwrap());
    assert_eq!(state(&ring, &end, &Pose::IDENTITY), State::Penetrating);
    let regions = overlap_regions(&ring, &end, &Pose::IDENTITY).unwrap().regions;
    assert!(regions.len() == 1 && (regions[0].depth - 0.5).abs() < 1e-3);
    let short = Body::from(Polytope::segment([DVec3::X * 1.9, DVec3::X * 2.1]).unwrap());
    assert_eq!(state(&ring, &short, &Pose::IDENTITY), State::BInsideA);
    // A sheet through the tube, and one within it.
    let sheet = |half: f64| {
        let corners = vec![vec![
            DVec2::new(-half, -half),
            DVec2::new(half, -half),
            DVec2::new(half, half),
            DVec2::new(-half, half),
        ]];
        Body::from(TiledBody::from_trim(Plane::new(Pose::IDENTITY).into(), false, &corners).unwrap())
    };
    let found = Tracker::new().update(&ring, &sheet(1.0), &at(2.0, 0.0, 0.1)).unwrap();
    assert_eq!((found.state, found.normal, found.distance), (State::Touching, DVec3::ZERO, 0.0));
    assert!(overlap_regions(&ring, &sheet(1.0), &at(2.0, 0.0, 0.1)).unwrap().regions.is_empty());
    assert_eq!(state(&ring, &sheet(0.1), &at(2.0, 0.0, 0.1)), State::BInsideA);
}

#[test]
fn a_budget_that_ends_is_said_of_contained_bodies_too() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let ball = Body::from(TiledBody::sphere(0.2).unwrap());
    let precision = Precision { max_pairs: Some(1), ..Precision::default() };
    let found = Tracker::new().find(&ring, &ball, &at(2.1, 0.05, 0.02), &precision).unwrap();
    assert_eq!((found.proximity.state, found.proximity.ended), (State::BInsideA, Ended::Limit));
    assert!(found.lower.unwrap() <= 0.3);
    let found = Tracker::new().find(&ring, &ball, &at(2.1, 0.05, 0.02), &Precision::default()).unwrap();
    assert_eq!((found.proximity.state, found.proximity.ended), (State::BInsideA, Ended::Converged));
}

#[test]
fn what_is_kept_of_a_pair_changes_no_answer() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let (small, large) = (TiledBody::sphere(0.2).unwrap(), TiledBody::sphere(4.0).unwrap());
    let balls = [small, large].map(Body::from);
    let mut tracker = Tracker::new();
    let mut seen = Vec::new();
    for (k, ball) in [0, 0, 1, 1, 0, 1].into_iter().enumerate() {
        for x in [0.3, 2.1, 3.0] {
            let pose = at(x + 0.01 * k as f64, 0.03, 0.02);
            let found = tracker.update(&ring, &balls[ball], &pose).unwrap().state;
            assert_eq!(found, state(&ring, &balls[ball], &pose));
            seen.push(found);
        }
    }
    assert!([State::Separated, State::BInsideA, State::AInsideB].iter().all(|state| seen.contains(state)));
}

fn bracket_shape() -> Shape {
    let Body::Tiled(body) = bracket() else { panic!("a tiled body") };
    let inside = |p: DVec3| {
        let arm = |x: f64, y: f64| (-x).max(x - 4.0).max(-y).max(y - 1.0);
        arm(p.x, p.y).min(arm(p.y, p.x)).max(p.z.abs() - 1.0)
    };
    let special = vec![
        DVec3::new(0.0, 0.0, 1.0),
        DVec3::new(4.0, 1.0, -1.0),
        DVec3::new(1.0, 1.0, 0.3),
        DVec3::new(2.0, 0.0, 1.0),
        DVec3::new(0.5, 4.0, 0.2),
    ];
    Shape { name: "bracket", body, inside: Box::new(inside), half: DVec3::new(4.0, 4.0, 1.0), special }
}

/// Points that deserve a look are brought together and moved by a little: a corner of one in a face of the other, edges
/// across each other, a rim along a face. Points inside both by their formulas say that the bodies overlap.
#[test]
fn bodies_with_a_common_inner_point_never_only_touch() {
    let mut all: Vec<Shape> =
        shapes::shapes(1.0).into_iter().filter(|shape| shape.name != "thin wall").collect();
    all.extend([bracket_shape(), bracket_shape()]);
    let bodies: Vec<Body> = all.iter().map(|shape| Body::from(shape.body.clone())).collect();
    let (mut shared, mut apart) = (0, 0);
    // A ball in the middle of a ring has all but a circle of nearest points.
    let precision = Precision { max_pairs: Some(20_000), ..Precision::default() };
    for case in 0..400 {
        let mut random = Random::for_case(21, case);
        let [i, j] = [0, 1].map(|_| random.index(all.len()));
        let (a, b) = (&all[i], &all[j]);
        let (p, q) = (*random.pick(&a.special), *random.pick(&b.special));
        let turn = random.quaternion();
        let off = random.direction() * 10.0_f64.powf(random.uniform(-6.0, 0.3));
        let pose = Pose::new(turn, p - turn * q + off).unwrap();
        let margin = 1e-9;
        let inner = (0..600).any(|_| {
            let reach = 10.0_f64.powf(random.uniform(-7.0, 0.0));
            let z = p + off * random.unit() + random.in_ball() * reach;
            (a.inside)(z) < -margin && (b.inside)(pose.apply_inverse(z)) < -margin
        });
        let found = Tracker::new().find(&bodies[i], &bodies[j], &pose, &precision).unwrap().proximity;
        if inner {
            shared += 1;
            assert!(found.state.overlaps(), "case {case}: {} {} {found:?}", a.name, b.name);
        }
        apart += usize::from(found.state == State::Separated);
        // Points in general position do not touch.
        assert_ne!(found.state, State::Touching, "case {case}: {} {} {off}", a.name, b.name);
    }
    assert!(shared > 250 && apart > 15, "{shared} {apart}");
}

#[test]
fn rings_touch_what_goes_through_them_along_a_circle() {
    for scale in [1e-4, 1.0, 1e5] {
        let ring = Body::from(TiledBody::torus(2.0 * scale, 0.5 * scale).unwrap());
        let pin = Body::from(TiledBody::cylinder(1.5 * scale, 6.0 * scale).unwrap());
        let block = Body::from(TiledBody::cylinder(4.0 * scale, 2.0 * scale).unwrap());
        for turn in [0.0, 0.3] {
            let along = Pose::new(DQuat::from_rotation_z(turn), DVec3::Z * 0.7 * scale).unwrap();
            let flat = Pose::new(DQuat::from_rotation_z(turn), DVec3::Z * 1.5 * scale).unwrap();
            for (other, pose) in [(&pin, &along), (&block, &flat)] {
                assert_eq!(state(&ring, other, pose), State::Touching, "scale {scale:e}");
                // By the search too, which knows no formula for them.
                let (near, _) = nearest_points(&ring, other, pose, &Precision::default()).unwrap();
                assert_eq!(near.proximity.state, State::Touching, "scale {scale:e}: {near:?}");
                assert!(near.work.pairs < 2_000, "{:?}", near.work);
            }
        }
    }
}

/// A stump of height 1.7 with a flat top of radius 0.2.
fn stump(scale: f64) -> Body {
    turned(&[[0.0, 0.0], [0.75, 0.0], [0.2, 1.7], [0.0, 1.7]], scale)
}

/// A bowl with a flat foot of radius 0.5 at height 0.
fn bowl(scale: f64) -> Body {
    turned(&[[0.0, 0.0], [0.5, 0.0], [0.4, 0.3], [1.2, 1.0], [1.0, 1.0], [0.0, 0.4]], scale)
}

fn turned(profile: &[[f64; 2]], scale: f64) -> Body {
    let corner = |p: &[f64; 2]| DVec2::from(*p) * scale;
    let lines: Vec<Segment> = profile
        .windows(2)
        .map(|ends| Segment::Line { from: corner(&ends[0]), to: corner(&ends[1]) })
        .collect();
    Body::from(TiledBody::revolve(&lines).unwrap())
}

#[test]
fn flush_bodies_sunk_by_less_than_the_error_of_a_search_overlap() {
    let mut random = Random::new(41);
    for scale in [1e-5, 1.0, 1e5] {
        let (stump, bowl) = (stump(scale), bowl(scale));
        for round in 0..24 {
            let depth = [1e-12, 1e-11, 1e-10, 1e-9][round % 4] * scale;
            let turn = DQuat::from_rotation_z(random.uniform(0.0, 6.0));
            let beside = DVec2::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)) * 0.3 * scale;
            let on_top = |lift: f64| Pose::new(turn, beside.extend(1.7 * scale + lift)).unwrap();
            let mut tracker = Tracker::new();
            let mut tracked = |pose: &Pose| tracker.update(&stump, &bowl, pose).unwrap().state;
            tracked(&on_top(0.05 * scale));
            let sunk = on_top(-depth);
            assert_eq!(state(&stump, &bowl, &sunk), State::Penetrating, "{scale} {depth} {beside}");
            assert_eq!(tracked(&sunk), State::Penetrating, "{scale} {depth} {beside}");
            let lifted = on_top(depth);
            assert_eq!(state(&stump, &bowl, &lifted), State::Separated, "{scale} {depth} {beside}");
            assert_eq!(tracked(&lifted), State::Separated, "{scale} {depth} {beside}");
        }
    }
}

#[test]
fn a_large_error_asked_for_hides_no_body_in_another() {
    // A block of side 2 with a slit 0.05 wide from its top to its middle.
    let corners = [
        [-1.0, -1.0],
        [1.0, -1.0],
        [1.0, 1.0],
        [0.05, 1.0],
        [0.05, 0.0],
        [0.0, 0.0],
        [0.0, 1.0],
        [-1.0, 1.0],
    ];
    let block = Body::from(prism(&corners, -1.0, 1.0));
    let ball = Body::from(TiledBody::sphere(0.05).unwrap());
    let mut random = Random::new(43);
    for round in 0..60 {
        let side = if round % 2 == 0 { -0.15 } else { 0.2 };
        let pose = at(side, random.uniform(0.2, 0.8), random.uniform(-0.8, 0.8));
        for max_error in [None, Some(1e-6), Some(0.05), Some(0.2), Some(0.5)] {
            let precision = Precision { max_error, ..Precision::default() };
            let found = Scratch::new().find(&block, &ball, &pose, &precision).unwrap();
            assert_eq!(found.proximity.state, State::BInsideA, "{max_error:?} {pose:?}");
            let found = Tracker::new().find(&block, &ball, &pose, &precision).unwrap();
            assert_eq!(found.proximity.state, State::BInsideA, "tracked {max_error:?} {pose:?}");
        }
    }
}
