//! Convex bodies with spline faces, STEP parts and bodies far from their origin.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{Cylinder, NurbsSurface, ParametricSurface, Plane, Sphere, Surface};
use clearance_geometry::tiled::{Draft, DraftFace, Patch, TiledBody};
use clearance_geometry::{Body, DMat3, DVec3, Polytope, Pose};
use clearance_proximity::{Ended, Parameters, convex};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A loaf: a square bottom, four flat sides, and a top that is bent along both axes; every face a spline.
fn loaf(bend: f64) -> TiledBody {
    let ends = |degree: usize| [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat();
    let spline = |degrees: [usize; 2], rows: &[Vec<DVec3>]| {
        Patch::new(NurbsSurface::new(degrees, degrees.map(ends), rows, None).unwrap())
    };
    // A parabola over −1 … 1 that falls by `bend` at both ends has its middle control point as much above its top.
    let top = |i: usize, j: usize| {
        let rise = |k: usize| if k == 1 { bend } else { -bend };
        DVec3::new(i as f64 - 1.0, j as f64 - 1.0, 1.0 + rise(i) + rise(j))
    };
    let rows: Vec<Vec<DVec3>> = (0..3).map(|i| (0..3).map(|j| top(i, j)).collect()).collect();
    let mut patches = vec![spline([2, 2], &rows)];
    // Each side hangs from a side of the top, which it runs along the other way.
    let hanging = |upper: [DVec3; 3]| {
        let lower = upper.map(|p| DVec3::new(p.x, p.y, -1.0));
        (0..3).map(|k| vec![upper[k], lower[k]]).collect::<Vec<_>>()
    };
    let sides = [
        [top(0, 0), top(0, 1), top(0, 2)],
        [top(0, 2), top(1, 2), top(2, 2)],
        [top(2, 2), top(2, 1), top(2, 0)],
        [top(2, 0), top(1, 0), top(0, 0)],
    ];
    for upper in sides {
        patches.push(spline([2, 1], &hanging(upper)));
    }
    let corner = |x: f64, y: f64| DVec3::new(x, y, -1.0);
    let bottom = [vec![corner(-1.0, -1.0), corner(1.0, -1.0)], vec![corner(-1.0, 1.0), corner(1.0, 1.0)]];
    patches.push(spline([1, 1], &bottom));
    TiledBody::from_patches(&patches, None).unwrap()
}

/// A capped cylinder whose side is a rational spline.
fn spline_can(radius: f64, height: f64) -> TiledBody {
    let half = 0.5 * height;
    let side = Surface::from(Cylinder::new(Pose::IDENTITY, radius).unwrap());
    with_lids(&side, Range::new(-half, half), radius, height)
}

/// The side of a can as a spline, between lids.
fn with_lids(side: &Surface, along: Range, radius: f64, height: f64) -> TiledBody {
    let spline = side.to_nurbs(Rect::new(Range::new(0.0, TAU), along)).unwrap();
    closed(spline.into(), radius, height, |frame| Plane::new(frame).into())
}

/// A can of a side and lids on the surfaces that a frame gives, each trimmed by its rim.
fn closed(side: Surface, radius: f64, height: f64, lid: impl Fn(Pose) -> Surface) -> TiledBody {
    let half = 0.5 * height;
    let analytic = TiledBody::cylinder(radius, height).unwrap();
    let lids = [1, 2].map(|face| analytic.faces()[face].clone());
    let Surface::Plane(_) = lids[0].surface else { panic!("a lid is flat") };
    // The same draft as the primitive's, with another side.
    let mut draft = Draft::default();
    for edge in analytic.edges() {
        draft.edges.push(clearance_geometry::tiled::DraftEdge {
            curve: edge.curve.clone(),
            range: edge.range,
            ends: None,
        });
    }
    let ring = |edge: u32, reversed: bool| {
        clearance_geometry::tiled::DraftLoop::Edges(vec![clearance_geometry::tiled::DraftUse::new(
            clearance_geometry::EdgeId(edge),
            reversed,
        )])
    };
    draft.faces.push(DraftFace {
        surface: side,
        reversed: false,
        loops: vec![ring(0, false), ring(1, true)],
        rect: None,
    });
    let turned =
        Pose::from_matrix(DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0)), DVec3::Z * -half).unwrap();
    let upright = Pose::from_translation(DVec3::Z * half).unwrap();
    for (frame, ring) in [(turned, ring(0, true)), (upright, ring(1, false))] {
        draft.faces.push(DraftFace { surface: lid(frame), reversed: false, loops: vec![ring], rect: None });
    }
    TiledBody::from_draft(draft).unwrap()
}

/// Heights of samples of the boundary along a direction: never above the support function.
fn highest_sample(body: &TiledBody, n: DVec3) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for face in body.faces() {
        let bounds = face.region.bounds();
        for k in 0..400 {
            let at = clearance_geometry::DVec2::new(
                bounds.u.at(f64::from(k / 20) / 19.0),
                bounds.v.at(f64::from(k % 20) / 19.0),
            );
            most = most.max(face.point(at).dot(n));
        }
    }
    most
}

#[test]
fn spline_supports_are_above_all_samples_and_proved() {
    let body = loaf(0.2);
    let shape = body.convex_shape().unwrap_or_else(|| panic!("{:?} {:?}", body.convexity(), body.notes()));
    let mut random = Random::new(61);
    for _ in 0..300 {
        let n = random.direction();
        let far = shape.farthest(n);
        let height = far.point.dot(n);
        let sampled = highest_sample(&body, n);
        assert!(height >= sampled - 1e-14 && height - sampled < 0.02, "{n} {height} {sampled}");
        let above = shape.height_above(n);
        assert!(above >= height && above - height < 1e-12, "{n} {height} {:e}", above - height);
    }
}

#[test]
fn spline_bodies_have_their_distance() {
    let body = loaf(0.2);
    let bread = Body::from(body.clone());
    assert!(convex::is_convex(&bread));
    let ball = Body::from(TiledBody::sphere(0.5).unwrap());
    let cube = Body::from(Polytope::cuboid(DVec3::splat(1.5)).unwrap());
    let mut random = Random::new(62);
    let mut faces = 0;
    for k in 0..200 {
        let other = [&bread, &ball, &cube][k % 3];
        let pose =
            Pose::from_matrix(random.rotation(), random.direction() * random.uniform(4.0, 7.0)).unwrap();
        let answer = convex::distance(&bread, other, &pose).unwrap();
        let Ended::Certified(proof) = answer.ended else { panic!("{answer:?}") };
        assert!(answer.distance - proof.lower < 1e-11, "{:e}", answer.distance - proof.lower);
        let [pa, pb] = answer.witnesses.map(|w| w.point);
        assert!((pa.distance(pb) - answer.distance).abs() < 1e-12);
        if let Parameters::Surface(at) = answer.witnesses[0].parameters {
            let clearance_geometry::Feature::Face(face) = answer.witnesses[0].feature else { panic!() };
            let off = body.face(face).point(at).distance(pa);
            assert!(off < 1e-12, "{off:e} {k} {answer:?} {pose:?}");
            faces += 1;
        }
    }
    assert!(faces > 10, "{faces}");
}

#[test]
fn spline_cylinders_are_cylinders() {
    let spline = Body::from(spline_can(0.6, 2.0));
    let Body::Tiled(can) = &spline else { panic!() };
    assert!(
        convex::is_convex(&spline),
        "{:?} {:?}",
        can.convexity(),
        can.face(clearance_geometry::FaceId(0)).region.rect()
    );
    let plain = Body::from(TiledBody::cylinder(0.6, 2.0).unwrap());
    let egg = Body::from(TiledBody::ellipsoid([0.5, 0.9, 0.3]).unwrap());
    let mut random = Random::new(63);
    for _ in 0..100 {
        let pose =
            Pose::from_matrix(random.rotation(), random.direction() * random.uniform(1.0, 5.0)).unwrap();
        let (one, two) =
            (convex::distance(&spline, &egg, &pose).unwrap(), convex::distance(&plain, &egg, &pose).unwrap());
        assert!((one.signed_distance - two.signed_distance).abs() < 1e-9, "{one:?} {two:?}");
        if two.signed_distance > 0.0 {
            assert!((one.signed_distance - two.signed_distance).abs() < 1e-12, "{one:?} {two:?}");
            assert!(matches!(one.ended, Ended::Certified(_)), "{one:?}");
        }
    }
}

/// The parameters of a trimmed side may be those of another turn than the spline's; its belly counts all the same.
#[test]
fn barrels_reach_as_far_as_their_bellies() {
    let zone = 0.6_f64;
    let side = Surface::from(Sphere::new(Pose::IDENTITY, 1.0).unwrap());
    let barrel = Body::from(with_lids(&side, Range::new(-zone, zone), zone.cos(), 2.0 * zone.sin()));
    assert!(convex::is_convex(&barrel));
    let ball = Body::from(TiledBody::sphere(0.5).unwrap());
    let mut random = Random::new(64);
    let mut bellies = 0;
    for _ in 0..200 {
        let to = random.direction();
        let pose = Pose::from_translation(to * random.uniform(1.6, 4.0)).unwrap();
        let answer = convex::distance(&barrel, &ball, &pose).unwrap();
        if to.z.abs() > 0.9 * zone.sin() {
            continue;
        }
        bellies += 1;
        let known = pose.translation().length() - 1.5;
        assert!((answer.distance - known).abs() < 1e-9, "{answer:?} {known}");
        assert!(
            matches!(answer.ended, Ended::Certified(proof) if proof.lower <= known + 1e-12),
            "{answer:?}"
        );
    }
    assert!(bellies > 60, "{bellies}");
}

#[test]
fn bodies_far_from_their_origin_keep_their_digits() {
    let far = DVec3::new(1e6, -2e6, 5e5);
    let at = |shift: DVec3| {
        let frame = Pose::from_translation(shift).unwrap();
        let surface = Sphere::new(frame, 0.5).unwrap();
        let mut draft = Draft::default();
        draft.faces.push(DraftFace {
            surface: surface.into(),
            reversed: false,
            loops: Vec::new(),
            rect: None,
        });
        Body::from(TiledBody::from_draft(draft).unwrap())
    };
    let can = Body::from(TiledBody::cylinder(0.6, 2.0).unwrap());
    let mut random = Random::new(64);
    for _ in 0..50 {
        let pose = Pose::from_matrix(random.rotation(), random.direction() * 3.0).unwrap();
        let near = convex::distance(&can, &at(DVec3::ZERO), &pose).unwrap();
        let shifted = pose.with_translation(pose.translation() - pose.rotate(far));
        let answer = convex::distance(&can, &at(far), &shifted).unwrap();
        assert!((near.distance - answer.distance).abs() < 1e-8, "{near:?} {answer:?}");
        let Ended::Certified(proof) = answer.ended else { panic!("{answer:?}") };
        assert!(proof.lower <= near.distance + 1e-9 && answer.distance - proof.lower < 1e-7);
    }
}

#[test]
fn half_balls_of_two_faces_are_a_ball() {
    let sphere = Surface::from(Sphere::new(Pose::IDENTITY, 0.8).unwrap());
    let half = |low: f64, high: f64| {
        Patch::new(sphere.clone()).over(Rect::new(Range::new(0.0, TAU), Range::new(low, high)))
    };
    let Ok(body) = TiledBody::from_patches(&[half(-FRAC_PI_2, 0.0), half(0.0, FRAC_PI_2)], None) else {
        panic!("two half balls make a body")
    };
    assert_eq!(sphere.domain().u.width(), TAU);
    let (two, one) = (Body::from(body), Body::from(TiledBody::sphere(0.8).unwrap()));
    let egg = Body::from(TiledBody::ellipsoid([0.5, 0.9, 0.3]).unwrap());
    let mut random = Random::new(65);
    for _ in 0..100 {
        let pose =
            Pose::from_matrix(random.rotation(), random.direction() * random.uniform(1.0, 5.0)).unwrap();
        let (a, b) =
            (convex::distance(&two, &egg, &pose).unwrap(), convex::distance(&one, &egg, &pose).unwrap());
        assert!((a.signed_distance - b.signed_distance).abs() < 1e-12, "{a:?} {b:?}");
    }
}

#[test]
fn corners_that_are_trimmed_away_keep_no_proof_from_a_depth() {
    // Each lid is cut out of a square whose corners stand out of the can.
    let square = |frame: Pose| {
        let all = Range::new(-3.0, 3.0);
        Surface::from(Surface::from(Plane::new(frame)).to_nurbs(Rect::new(all, all)).unwrap())
    };
    let side = Surface::from(Cylinder::new(Pose::IDENTITY, 2.0).unwrap());
    let can = Body::from(closed(side, 2.0, 4.0, square));
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let mut random = Random::new(71);
    for _ in 0..200 {
        // Beside the middle of the side, where the way out is along the radius.
        let (turn, depth) = (random.uniform(0.0, TAU), random.uniform(0.01, 0.9));
        let out = DVec3::new(turn.cos(), turn.sin(), 0.0);
        let place = out * (3.0 - depth) + DVec3::Z * random.uniform(-0.5, 0.5);
        let found =
            clearance_proximity::distance(&can, &ball, &Pose::from_translation(place).unwrap()).unwrap();
        assert!((found.signed_distance + depth).abs() < 1e-9, "{} for {depth}", found.signed_distance);
        assert!(matches!(found.ended, Ended::Certified(_)), "{found:?}");
    }
}
