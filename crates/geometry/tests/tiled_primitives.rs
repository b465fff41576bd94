//! Primitives and bodies of revolution: counts, closed-form volumes, areas, centres and inertias, at all scales.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{Cylinder, Ellipsoid, Surface, Torus};
use clearance_geometry::tiled::{
    Convexity, Draft, DraftFace, EdgeKind, Patch, Segment, Side, TiledBody, TiledError,
};
use clearance_geometry::{DQuat, DVec2, DVec3, Feature, Pose, ShapeError, VertexId};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const SCALES: [f64; 3] = [1e-6, 1.0, 1e6];

/// Checks a mass against closed forms (volume, area, centre's height, inertia about z and about x) for a body scaled by `k`.
fn check(name: &str, body: &TiledBody, k: f64, volume: f64, area: f64, height: f64, inertia: [f64; 2]) {
    let mass = body.mass();
    let close = |what: &str, found: f64, expected: f64, stated: f64| {
        let off = (found - expected).abs();
        assert!(
            off <= stated,
            "{name} {what} at {k}: {found} for {expected}, off {off:e}, stated {stated:e}"
        );
        assert!(
            stated <= 1e-9 * expected.abs().max(1e-9),
            "{name} {what} at {k}: stated error {stated:e} is wide"
        );
    };
    close("volume", mass.volume / k.powi(3), volume, mass.volume_error / k.powi(3));
    close("area", mass.area / k.powi(2), area, mass.area_error / k.powi(2));
    assert!((mass.center - DVec3::Z * height * k).length() <= mass.center_error, "{name} {:?}", mass.center);
    assert!(mass.center_error <= 1e-9 * k);
    let stated = mass.inertia_error / k.powi(5);
    close("inertia about z", mass.inertia.z_axis.z / k.powi(5), inertia[0], stated);
    close("inertia about x", mass.inertia.x_axis.x / k.powi(5), inertia[1], stated);
    assert!(
        body.is_closed() && body.shell_count() == 1 && body.notes().is_empty(),
        "{name} {:?}",
        body.notes()
    );
}

#[test]
fn primitives_have_their_closed_form_masses() {
    for k in SCALES {
        let (r, h) = (1.5, 4.0);
        let ball = TiledBody::sphere(r * k).unwrap();
        let v = 4.0 / 3.0 * PI * r.powi(3);
        check("sphere", &ball, k, v, 4.0 * PI * r * r, 0.0, [0.4 * v * r * r; 2]);

        let [a, b, c] = [1.0, 1.0, 3.0];
        let egg = TiledBody::ellipsoid([a * k, b * k, c * k]).unwrap();
        let v = 4.0 / 3.0 * PI * a * b * c;
        let e = (1.0 - a * a / (c * c)).sqrt();
        let area = 2.0 * PI * a * a * (1.0 + c / (a * e) * e.asin());
        check("ellipsoid", &egg, k, v, area, 0.0, [0.2 * v * (a * a + b * b), 0.2 * v * (b * b + c * c)]);

        let pin = TiledBody::cylinder(r * k, h * k).unwrap();
        let v = PI * r * r * h;
        let iz = 0.5 * v * r * r;
        check("cylinder", &pin, k, v, 2.0 * PI * r * (r + h), 0.0, [iz, v * (3.0 * r * r + h * h) / 12.0]);

        let cone = TiledBody::cone(r * k, h * k, None).unwrap();
        let v = PI * r * r * h / 3.0;
        let area = PI * r * (r + r.hypot(h));
        check("cone", &cone, k, v, area, h / 4.0, [0.3 * v * r * r, v * (0.15 * r * r + 0.0375 * h * h)]);

        let (major, minor) = (3.0, 1.0);
        let ring = TiledBody::torus(major * k, minor * k).unwrap();
        let v = 2.0 * PI * PI * major * minor * minor;
        let iz = v * (major * major + 0.75 * minor * minor);
        let ix = v * (0.5 * major * major + 0.625 * minor * minor);
        check("torus", &ring, k, v, 4.0 * PI * PI * major * minor, 0.0, [iz, ix]);

        let pill = TiledBody::capsule(r * k, h * k).unwrap();
        let (tube, ball) = (PI * r * r * h, 4.0 / 3.0 * PI * r.powi(3));
        let iz = 0.5 * tube * r * r + 0.4 * ball * r * r;
        let ix = tube * (3.0 * r * r + h * h) / 12.0 + ball * (0.4 * r * r + 0.375 * r * h + 0.25 * h * h);
        check("capsule", &pill, k, tube + ball, 2.0 * PI * r * h + 4.0 * PI * r * r, 0.0, [iz, ix]);
    }
}

#[test]
fn frustum_is_the_difference_of_two_cones() {
    let frustum = TiledBody::cone(2.0, 3.0, Some(1.0)).unwrap();
    assert_eq!((frustum.face_count(), frustum.edge_count(), frustum.vertex_count()), (3, 2, 0));
    let volume = PI * (4.0 * 6.0 - 3.0) / 3.0;
    assert!((frustum.mass().volume - volume).abs() < 1e-12);
    let straight = TiledBody::cone(2.0, 3.0, Some(2.0)).unwrap();
    assert!((straight.mass().volume - 12.0 * PI).abs() < 1e-12);
    let wide = TiledBody::cone(1.0, 3.0, Some(2.0)).unwrap();
    assert!((wide.mass().volume - PI * 7.0).abs() < 1e-12);
}

#[test]
fn primitives_have_their_features() {
    let counts = |body: &TiledBody| (body.face_count(), body.edge_count(), body.vertex_count());
    assert_eq!(counts(&TiledBody::sphere(1.0).unwrap()), (1, 0, 0));
    assert_eq!(counts(&TiledBody::torus(2.0, 1.0).unwrap()), (1, 0, 0));
    let pill = TiledBody::capsule(1.0, 2.0).unwrap();
    assert_eq!(counts(&pill), (3, 2, 0));
    assert!(pill.edges().iter().all(|edge| edge.kind == EdgeKind::Smooth && edge.is_closed()));
    let cone = TiledBody::cone(1.0, 2.0, None).unwrap();
    assert_eq!(counts(&cone), (2, 1, 1));
    assert_eq!(cone.vertex(VertexId(0)), DVec3::Z * 2.0);
    let apex = Feature::Vertex(VertexId(0));
    let side = cone.coboundary(apex)[0];
    assert!(cone.boundary(side).contains(&apex));
    for (name, body) in [("pill", &pill), ("cone", &cone)] {
        assert_eq!(body.convexity(), Convexity::Convex, "{name}");
        for at in 0..body.edge_count() {
            let edge = Feature::Edge(clearance_geometry::EdgeId(at as u32));
            for face in body.coboundary(edge) {
                assert!(body.boundary(face).contains(&edge), "{name}");
            }
            assert_eq!(body.coboundary(edge).len(), 2);
        }
    }
    assert!(matches!(TiledBody::torus(2.0, 1.0).unwrap().convexity(), Convexity::NotConvex(_)));
    assert_eq!(TiledBody::sphere(1.0).unwrap().convexity(), Convexity::Convex);
}

#[test]
fn bad_sizes_are_named() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let found = [
            TiledBody::sphere(bad),
            TiledBody::cylinder(1.0, bad),
            TiledBody::cylinder(bad, 1.0),
            TiledBody::cone(bad, 1.0, None),
            TiledBody::cone(1.0, bad, None),
            TiledBody::capsule(1.0, bad),
            TiledBody::torus(2.0, bad),
            TiledBody::ellipsoid([1.0, bad, 1.0]),
        ];
        for one in found {
            assert!(matches!(one, Err(TiledError::Shape(ShapeError::BadSize { .. }))), "{bad} {one:?}");
        }
    }
    assert!(TiledBody::torus(1.0, 2.0).is_err());
}

fn p(r: f64, z: f64) -> DVec2 {
    DVec2::new(r, z)
}

fn line(from: DVec2, to: DVec2) -> Segment {
    Segment::Line { from, to }
}

#[test]
fn pen_and_bowl_of_004_have_their_features() {
    let pen = TiledBody::revolve(&[
        line(p(0.0, 0.0), p(1.0, 2.0)),
        line(p(1.0, 2.0), p(1.0, 10.0)),
        line(p(1.0, 10.0), p(0.0, 10.0)),
    ])
    .unwrap();
    assert_eq!((pen.face_count(), pen.edge_count(), pen.vertex_count()), (3, 2, 1));
    assert_eq!(pen.convexity(), Convexity::Convex);
    let volume = PI * 2.0 / 3.0 + PI * 8.0;
    assert!((pen.mass().volume - volume).abs() < 1e-11, "{:?}", pen.mass());

    // Outside a paraboloid z = r²/8, inside a sphere about (0, 16) through the rim (8, 8).
    let radius = 8.0_f64.hypot(8.0);
    let bowl = TiledBody::revolve(&[
        Segment::Parabola { from: p(0.0, 0.0), to: p(8.0, 8.0), focal: Some(2.0) },
        Segment::Arc { center: p(0.0, 16.0), from: p(8.0, 8.0), to: p(0.0, 16.0 - radius), ccw: false },
    ])
    .unwrap();
    assert_eq!((bowl.face_count(), bowl.edge_count(), bowl.vertex_count()), (2, 1, 0));
    assert!(bowl.is_closed() && bowl.notes().is_empty(), "{:?}", bowl.notes());
    assert_eq!(bowl.edges()[0].kind, EdgeKind::Convex);
    assert!(matches!(bowl.convexity(), Convexity::NotConvex(_)));
    // Under the paraboloid's rim plane: π r² h / 2; the cap of the sphere below that plane is taken out.
    let h = 8.0 - (16.0 - radius);
    let volume = PI * 64.0 * 8.0 / 2.0 - PI * h * h * (3.0 * radius - h) / 3.0;
    assert!((bowl.mass().volume - volume).abs() < 1e-10 * volume, "{} {volume}", bowl.mass().volume);
}

#[test]
fn profile_of_a_solid_may_run_either_way() {
    let forward = [
        line(p(1.0, 0.0), p(2.0, 0.0)),
        line(p(2.0, 0.0), p(2.0, 3.0)),
        line(p(2.0, 3.0), p(1.0, 3.0)),
        line(p(1.0, 3.0), p(1.0, 0.0)),
    ];
    let backward: Vec<Segment> = forward.iter().rev().map(|s| line(s.ends()[1], s.ends()[0])).collect();
    for profile in [&forward[..], &backward] {
        let tube = TiledBody::revolve(profile).unwrap();
        assert_eq!((tube.face_count(), tube.edge_count(), tube.vertex_count()), (4, 4, 0));
        assert!(tube.notes().is_empty());
        assert!((tube.mass().volume - 9.0 * PI).abs() < 1e-11);
        assert!((tube.mass().area - (6.0 * PI + 18.0 * PI)).abs() < 1e-11);
        assert!(tube.edges().iter().all(|edge| edge.kind == EdgeKind::Convex));
    }
}

#[test]
fn arcs_make_tori_spheres_and_apples() {
    let circle = |center: DVec2| Segment::Arc {
        center,
        from: center + p(1.0, 0.0),
        to: center + p(1.0, 0.0),
        ccw: false,
    };
    let torus = TiledBody::revolve(&[circle(p(3.0, 5.0))]).unwrap();
    assert_eq!((torus.face_count(), torus.edge_count()), (1, 0));
    assert!((torus.mass().volume - 6.0 * PI * PI).abs() < 1e-11);
    assert!((torus.mass().center - DVec3::Z * 5.0).length() < 1e-13);

    let ball = TiledBody::revolve(&[Segment::Arc {
        center: p(0.0, 1.0),
        from: p(0.0, -1.0),
        to: p(0.0, 3.0),
        ccw: true,
    }])
    .unwrap();
    assert_eq!((ball.face_count(), ball.edge_count(), ball.vertex_count()), (1, 0, 0));
    assert!((ball.mass().volume - 32.0 * PI / 3.0).abs() < 1e-11);

    // A circle of radius 2 about (1, 0), right of the axis: an apple; left of it: a lemon.
    let (h, angle) = (3.0_f64.sqrt(), 2.0 * PI / 3.0);
    let arc = |from, to, ccw| Segment::Arc { center: p(1.0, 0.0), from, to, ccw };
    let apple = TiledBody::revolve(&[arc(p(0.0, -h), p(0.0, h), true)]).unwrap();
    assert_eq!((apple.face_count(), apple.edge_count(), apple.vertex_count()), (1, 0, 2));
    // ∫ π (1 + 2 cos v)² 2 cos v dv from −angle to angle.
    let primitive =
        |v: f64| 2.0 * v.sin() + 4.0 * (v + v.sin() * v.cos()) + 8.0 * (v.sin() - v.sin().powi(3) / 3.0);
    let volume = PI * (primitive(angle) - primitive(-angle));
    assert!((apple.mass().volume - volume).abs() < 1e-9, "{} {volume}", apple.mass().volume);

    // Half a torus: closed by a cylinder.
    let half = TiledBody::revolve(&[arc3(), line(p(3.0, 1.0), p(3.0, -1.0))]).unwrap();
    let volume = PI * PI * 3.0 + 4.0 / 3.0 * PI;
    assert!((half.mass().volume - volume).abs() < 1e-10, "{} {volume}", half.mass().volume);
    assert_eq!(half.edge_count(), 2);
}

fn arc3() -> Segment {
    Segment::Arc { center: p(3.0, 0.0), from: p(3.0, -1.0), to: p(3.0, 1.0), ccw: true }
}

#[test]
fn open_profile_looks_to_the_left() {
    // Upward along a cylinder: left is the axis.
    let pipe = TiledBody::revolve(&[line(p(1.0, 0.0), p(1.0, 2.0))]).unwrap();
    assert_eq!((pipe.face_count(), pipe.edge_count(), pipe.open_edges().len()), (1, 2, 2));
    let normal = pipe.faces()[0].normal(DVec2::new(0.0, 1.0)).unwrap();
    assert!((normal + DVec3::X).length() < 1e-15);
    assert!((pipe.open_edges()[0].gap - 2.0).abs() < 1e-12);
    assert!(
        matches!(pipe.check_closed(), Err(TiledError::OpenEdge { gap, .. }) if (gap - 2.0).abs() < 1e-12)
    );
    assert_eq!(pipe.mass().volume, 0.0);
    assert!((pipe.mass().area - 4.0 * PI).abs() < 1e-12);
    // Outward along a disk: left is up. A parabola outward: left is up.
    let at = |body: &TiledBody, r: f64| {
        let face = &body.faces()[0];
        let v = face.region.bounds().v;
        let at = if matches!(face.surface, clearance_geometry::surface::Surface::Plane(_)) {
            p(r, 0.0)
        } else {
            p(0.0, v.middle())
        };
        assert_eq!(face.side(at), Side::Inside);
        face.normal(at).unwrap()
    };
    let disk = TiledBody::revolve(&[line(p(0.0, 1.0), p(2.0, 1.0))]).unwrap();
    assert!(at(&disk, 1.0).z > 0.9);
    let dish =
        TiledBody::revolve(&[Segment::Parabola { from: p(0.0, 0.0), to: p(2.0, 1.0), focal: None }]).unwrap();
    assert!(at(&dish, 1.0).z > 0.0);
    let dome =
        TiledBody::revolve(&[Segment::Parabola { from: p(0.0, 1.0), to: p(2.0, 0.0), focal: None }]).unwrap();
    assert!(at(&dome, 1.0).z > 0.0);
    assert!((dome.mass().area - dish.mass().area).abs() < 1e-12);
    let cap =
        TiledBody::revolve(&[Segment::Parabola { from: p(2.0, 0.0), to: p(0.0, 1.0), focal: Some(-1.0) }])
            .unwrap();
    assert!(at(&cap, 1.0).z < 0.0);
}

#[test]
fn a_line_along_the_axis_is_left_out() {
    let [o, a, b, c] = [p(0.0, 0.0), p(1.0, 0.0), p(1.0, 2.0), p(0.0, 2.0)];
    let can = [line(o, a), line(a, b), line(b, c), line(c, o)];
    for begin in 0..4 {
        let turned: Vec<Segment> = (0..4).map(|k| can[(begin + k) % 4]).collect();
        let backward: Vec<Segment> =
            turned.iter().rev().map(|part| line(part.ends()[1], part.ends()[0])).collect();
        for profile in [turned, backward] {
            let body = TiledBody::revolve(&profile).unwrap();
            assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (3, 2, 0));
            assert!((body.mass().volume - TAU).abs() < 1e-12);
        }
    }
    // An open profile may end along the axis too.
    assert_eq!(TiledBody::revolve(&can[..3]).unwrap().face_count(), 3);
    assert_eq!(TiledBody::revolve(&[line(p(0.0, -1.0), o), can[0], can[1], can[2]]).unwrap().face_count(), 3);
    let hourglass =
        [line(o, a), line(a, p(0.0, 1.0)), line(p(0.0, 1.0), c), line(c, b), line(b, p(0.0, 3.0))];
    assert_eq!(TiledBody::revolve(&hourglass).unwrap_err(), TiledError::AlongAxis { segment: 2 });
}

#[test]
fn profiles_that_enclose_nothing_are_refused() {
    let flat = |profile: &[Segment]| assert_eq!(TiledBody::revolve(profile).unwrap_err(), TiledError::Flat);
    flat(&[line(p(0.0, 0.0), p(1.0, 0.0)), line(p(1.0, 0.0), p(0.0, 0.0))]);
    flat(&[line(p(0.0, 0.0), p(0.0, 2.0))]);
    let there = Segment::Arc { center: p(3.0, 0.0), from: p(4.0, 0.0), to: p(3.0, 1.0), ccw: true };
    let back = Segment::Arc { center: p(3.0, 0.0), from: p(3.0, 1.0), to: p(4.0, 0.0), ccw: false };
    flat(&[there, back]);
    let cup = |from: DVec2, to: DVec2| Segment::Parabola { from, to, focal: None };
    flat(&[cup(p(1.0, 0.25), p(2.0, 1.0)), cup(p(2.0, 1.0), p(1.0, 0.25))]);
    // A thin one has an inside.
    let thin =
        [line(p(1.0, 0.0), p(2.0, 0.0)), line(p(2.0, 0.0), p(2.0, 1e-4)), line(p(2.0, 1e-4), p(1.0, 0.0))];
    assert!(TiledBody::revolve(&thin).is_ok());
}

#[test]
fn faults_of_profiles_are_named() {
    let bad = |profile: &[Segment]| TiledBody::revolve(profile).unwrap_err();
    assert_eq!(bad(&[]), TiledError::Empty);
    let gap = bad(&[line(p(0.0, 0.0), p(1.0, 0.0)), line(p(1.0, 0.5), p(0.0, 1.0))]);
    assert!(matches!(gap, TiledError::InconsistentProfile { segment: 1, by } if (by - 0.5).abs() < 1e-12));
    let arc = bad(&[Segment::Arc { center: p(1.0, 0.0), from: p(2.0, 0.0), to: p(1.0, 2.0), ccw: true }]);
    assert!(matches!(arc, TiledError::InconsistentProfile { segment: 0, by } if (by - 1.0).abs() < 1e-12));
    assert_eq!(bad(&[line(p(-1.0, 0.0), p(1.0, 0.0))]), TiledError::CrossesAxis { segment: 0 });
    let across = Segment::Arc { center: p(1.0, 0.0), from: p(1.0, 2.0), to: p(1.0, -2.0), ccw: true };
    assert_eq!(bad(&[across]), TiledError::CrossesAxis { segment: 0 });
    assert!(matches!(bad(&[line(p(1.0, 1.0), p(1.0, 1.0))]), TiledError::InconsistentProfile { .. }));
    assert!(matches!(bad(&[line(p(f64::NAN, 1.0), p(1.0, 1.0))]), TiledError::NotFinite { .. }));
    let wrong = Segment::Parabola { from: p(0.0, 0.0), to: p(2.0, 1.0), focal: Some(2.0) };
    assert!(matches!(bad(&[wrong]), TiledError::InconsistentProfile { segment: 0, .. }));
}

#[test]
fn boxes_are_tight_however_a_body_is_turned() {
    let mut random = clearance_testkit::Random::new(21);
    for _ in 0..40 {
        let pose = Pose::new(random.quaternion(), random.in_ball() * 3.0).unwrap();
        let axis = pose.rotate(DVec3::Z);
        let (major, minor) = (3.0, 1.0);
        let place = |surface: Surface| {
            let faces = vec![DraftFace { surface, reversed: false, loops: Vec::new(), rect: None }];
            TiledBody::from_draft(Draft { faces, ..Draft::default() }).unwrap()
        };
        let ring = place(Torus::new(pose, major, minor).unwrap().into());
        let egg = place(Ellipsoid::new(pose, [1.0, 2.0, 3.0]).unwrap().into());
        for i in 0..3 {
            // The support of a torus along e: major · sin(angle between e and the axis) + minor.
            let ring_reach = major * (1.0 - axis[i] * axis[i]).max(0.0).sqrt() + minor;
            let row = DVec3::new(pose.rotation().x_axis[i], 2.0 * pose.rotation().y_axis[i], 3.0 * axis[i]);
            for (body, reach) in [(&ring, ring_reach), (&egg, row.length())] {
                let (low, high) = (body.aabb().low[i], body.aabb().high[i]);
                let center = pose.translation()[i];
                let (below, above) = (center - reach - low, high - center - reach);
                assert!(below >= -1e-12 && above >= -1e-12, "{below:e} {above:e}");
                assert!(below < 1e-4 && above < 1e-4, "{below:e} {above:e}");
            }
        }
    }
    let pin = TiledBody::cylinder(1.0, 2.0).unwrap();
    assert!(
        (0..3).all(|i| (pin.aabb().high[i] - 1.0).abs() < 1e-5 && (pin.aabb().low[i] + 1.0).abs() < 1e-5)
    );
}

#[test]
fn cheap_boxes_hold_the_body() {
    let bodies = [
        TiledBody::cone(1.0, 2.0, None).unwrap(),
        TiledBody::cone(1.0, 2.0, Some(0.3)).unwrap(),
        TiledBody::cylinder(1.0, 3.0).unwrap(),
        TiledBody::capsule(0.5, 2.0).unwrap(),
        TiledBody::sphere(1.0).unwrap(),
        TiledBody::torus(2.0, 0.5).unwrap(),
    ];
    for (at, body) in bodies.iter().enumerate() {
        assert_in_hull_box(body, &format!("{at}"));
    }
    // Turned by so little off an axis that the rest of a square is lost to rounding.
    for turn in [0.0, FRAC_PI_2, FRAC_PI_2 + 5e-9, 0.7] {
        let pose = Pose::new(DQuat::from_rotation_y(turn), DVec3::ZERO).unwrap();
        let tube = Cylinder::new(pose, 1.0).unwrap();
        let patch = Patch::new(tube).over(Rect::new(Range::new(0.0, TAU), Range::new(0.0, 1.0)));
        assert_in_hull_box(&TiledBody::from_patches(&[patch], None).unwrap(), &format!("turned by {turn}"));
    }
}

fn assert_in_hull_box(body: &TiledBody, what: &str) {
    // Points are rounded too.
    let bound = body.hull_box().inflated(1e-15);
    let mut count = 0;
    for face in body.faces() {
        let Rect { u, v } = face.region.bounds();
        for k in 0..33 * 33 {
            let at = DVec2::new(u.at(f64::from(k % 33) / 32.0), v.at(f64::from(k / 33) / 32.0));
            if face.side(at) != Side::Outside {
                count += 1;
                let point = face.point(at);
                assert!(bound.contains(point.to_array()), "{what}: {bound:?} {point}");
            }
        }
    }
    assert!(count > 100, "{what}: {count}");
}
