//! A point against surfaces with closed formulas, and against spline patches whose cells are kept.

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::pieces;
use clearance_geometry::surface::{
    Cone, Cylinder, NurbsSurface, ParametricSurface, Plane, Sphere, Surface, Torus,
};
use clearance_geometry::tiled::{Patch, Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Polytope, Pose};
use clearance_proximity::global::{Prepared, nearest};
use clearance_proximity::{Parameters, Place, Probe};
use clearance_testkit::Random;
use std::f64::consts::{PI, TAU};

/// The least distance of a grid of points of every face, each polished.
fn sampled(body: &TiledBody, point: DVec3) -> f64 {
    let mut best = f64::INFINITY;
    for face in body.faces() {
        let Rect { u, v } = face.region.bounds();
        let mut starts: Vec<(f64, DVec2)> = Vec::new();
        for i in 0..=24 {
            for j in 0..=24 {
                let at = DVec2::new(u.at(f64::from(i) / 24.0), v.at(f64::from(j) / 24.0));
                if face.side(at) != Side::Outside {
                    starts.push((face.surface.point(at.x, at.y).distance(point), at));
                }
            }
        }
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (distance, start) in starts.into_iter().take(4) {
            let found = face.surface.locate(point, Rect::new(u, v), Some(start));
            let polished =
                if face.side(found.parameters) == Side::Outside { distance } else { found.distance };
            best = best.min(distance).min(polished);
        }
    }
    for edge in body.edges() {
        best = best.min(edge.curve.locate(point, edge.range, None).distance);
    }
    best
}

fn searched(body: &Body, point: DVec3) -> (f64, f64) {
    let (ready, single) =
        (Prepared::new(body).unwrap(), Prepared::new(&Body::from(Polytope::point())).unwrap());
    let pose = Pose::from_translation(point).unwrap();
    let found = nearest(&ready, &single, &pose, &ready.demand(&single, &pose));
    (found.lower, found.proximity.distance)
}

/// Bodies and patches of surfaces with closed formulas, whole and trimmed.
pub(super) fn analytic() -> Vec<TiledBody> {
    let tilted =
        Pose::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.8, DVec3::new(0.3, 0.1, -0.2));
    let frame = tilted.unwrap();
    let patch = |surface: Surface, u: [f64; 2], v: [f64; 2]| {
        let rect = Rect::new(Range::new(u[0], u[1]), Range::new(v[0], v[1]));
        TiledBody::from_patches(&[Patch::new(surface).over(rect)], None).unwrap()
    };
    vec![
        TiledBody::sphere(1.0).unwrap(),
        TiledBody::cylinder(0.5, 2.0).unwrap(),
        TiledBody::cone(0.7, 1.5, None).unwrap(),
        TiledBody::cone(0.7, 1.5, Some(0.3)).unwrap(),
        TiledBody::capsule(0.4, 1.2).unwrap(),
        TiledBody::torus(1.0, 0.3).unwrap(),
        patch(Plane::new(frame).into(), [-1.0, 0.5], [-0.4, 0.7]),
        patch(Sphere::new(frame, 0.8).unwrap().into(), [0.3, 4.0], [-0.5, 1.1]),
        patch(Cylinder::new(frame, 0.6).unwrap().into(), [1.0, 5.5], [-0.5, 0.9]),
        patch(Cone::new(frame, 0.5, 0.4).unwrap().into(), [0.5, 3.0], [-0.8, 0.9]),
        patch(Torus::new(frame, 1.0, 0.4).unwrap().into(), [0.5, 4.0], [2.0, 6.0]),
    ]
}

#[test]
fn feet_agree_with_sampling_and_search() {
    let mut random = Random::new(21);
    let mut faces = 0;
    for tiled in analytic() {
        let body = Body::from(tiled.clone()).boundary();
        let mut probe = Probe::new(&body).unwrap();
        for _ in 0..30 {
            let point = random.in_ball() * 2.0;
            let found = probe.distance(point, None).unwrap();
            let distance = found.signed_distance;
            let (lower, upper) = searched(&body, point);
            assert!(found.exact && distance - found.lower < 1e-9, "{found:?}");
            assert!(found.lower <= upper + 1e-12 && lower <= distance + 1e-12, "{found:?} {upper} {lower}");
            let sampled = sampled(&tiled, point);
            assert!(found.lower <= sampled && distance <= sampled + 1e-9, "{found:?} {sampled}");
            assert!((found.witness.point.distance(point) - distance).abs() < 1e-12);
            if let (Parameters::Surface(at), clearance_geometry::Feature::Face(face)) =
                (found.witness.parameters, found.witness.feature)
            {
                faces += 1;
                let there = tiled.face(face).surface.point(at.x, at.y);
                assert!(there.distance(found.witness.point) < 1e-12, "{found:?} {there}");
            }
        }
    }
    assert!(faces > 150, "{faces} on faces");
}

#[test]
fn feet_tell_inside_from_outside() {
    let mut random = Random::new(22);
    let (mut inside, mut outside) = (0, 0);
    let torus = TiledBody::torus(1.0, 0.3).unwrap();
    let pin = TiledBody::cylinder(0.5, 2.0).unwrap();
    let in_torus = |p: DVec3| (p.truncate().length() - 1.0).hypot(p.z) - 0.3;
    let in_pin = |p: DVec3| (p.truncate().length() - 0.5).max(p.z.abs() - 1.0);
    let bodies: [(TiledBody, &dyn Fn(DVec3) -> f64); 2] = [(torus, &in_torus), (pin, &in_pin)];
    for (body, level) in bodies {
        let mut probe = Probe::new(&Body::from(body)).unwrap();
        for _ in 0..300 {
            let point = random.in_ball() * 1.5;
            let found = probe.distance(point, None).unwrap();
            let expected = level(point);
            assert_eq!(found.place == Place::Inside, expected < 0.0, "{point} {found:?}");
            if expected < 0.0 {
                inside += 1;
                assert!((found.signed_distance - expected).abs() < 1e-13, "{point} {found:?} {expected}");
            } else {
                outside += 1;
                assert!(found.signed_distance >= expected - 1e-13, "{point} {found:?} {expected}");
            }
        }
    }
    assert!(inside > 40 && outside > 100, "{inside} inside, {outside} outside");
}

/// Points from which a circle of points, or all, are equally near.
#[test]
fn feet_of_degenerate_points_are_as_near_as_they_should() {
    let cases = [
        (TiledBody::torus(1.0, 0.3).unwrap(), DVec3::Z * 0.7, 1.49_f64.sqrt() - 0.3),
        (TiledBody::torus(1.0, 0.3).unwrap(), DVec3::ZERO, 0.7),
        (TiledBody::torus(1.0, 0.3).unwrap(), DVec3::new(0.6, 0.8, 0.0), 0.3),
        (TiledBody::sphere(2.0).unwrap(), DVec3::ZERO, 2.0),
        (TiledBody::cylinder(0.5, 2.0).unwrap(), DVec3::ZERO, 0.5),
        (TiledBody::cylinder(0.5, 2.0).unwrap(), DVec3::Z * 3.0, 2.0),
        (TiledBody::cone(0.7, 1.5, None).unwrap(), DVec3::Z * 2.0, 0.5),
        (TiledBody::cone(0.75, 1.0, None).unwrap(), DVec3::Z * 0.5, 0.3),
        (TiledBody::capsule(0.4, 1.2).unwrap(), DVec3::Z * 0.6, 0.4),
    ];
    for (body, point, distance) in cases {
        for size in [0.0, 1e-9, 1e-15] {
            let off = DVec3::new(0.3, -0.2, 0.1) * size;
            let found = Probe::new(&Body::from(body.clone()).boundary()).unwrap().distance(point + off, None);
            let found = found.unwrap();
            assert!(
                (found.signed_distance.abs() - distance).abs() <= 1e-14 + off.length(),
                "{point} {found:?}"
            );
            assert!(found.exact && found.lower <= found.signed_distance, "{found:?}");
        }
    }
}

/// A wavy bicubic patch of 3 × 3 spans.
pub(crate) fn wavy(random: &mut Random, rational: bool) -> Surface {
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0];
    let at = |i: i32| 0.4 * f64::from(i) - 1.0;
    let mut unit = || random.uniform(-1.0, 1.0);
    let mut rows = Vec::new();
    let mut weights = Vec::new();
    for i in 0..6 {
        let row = |j: i32, unit: &mut dyn FnMut() -> f64| {
            DVec3::new(at(i) + 0.1 * unit(), at(j) + 0.1 * unit(), 0.4 * unit())
        };
        rows.push((0..6).map(|j| row(j, &mut unit)).collect::<Vec<_>>());
        weights.push((0..6).map(|_| 1.0 + 0.5 * unit()).collect::<Vec<_>>());
    }
    let weights = rational.then_some(&weights[..]);
    NurbsSurface::new([3, 3], [knots(), knots()], &rows, weights).unwrap().into()
}

#[test]
fn kept_cells_agree_with_the_search_and_with_sampling() {
    let mut random = Random::new(23);
    let (mut inner, mut rims) = (0, 0);
    for rational in [false, true] {
        let tiled = TiledBody::from_patches(&[Patch::new(wavy(&mut random, rational))], None).unwrap();
        let body = Body::from(tiled.clone()).boundary();
        let mut probe = Probe::new(&body).unwrap();
        for _ in 0..60 {
            let point = random.in_ball() * 1.6;
            let found = probe.distance(point, None).unwrap();
            let (lower, upper) = searched(&body, point);
            let distance = found.signed_distance;
            assert!(found.exact && distance - found.lower < 1e-8, "{found:?}");
            assert!(found.lower <= upper + 1e-12 && lower <= distance + 1e-12, "{found:?} {upper} {lower}");
            assert!(found.lower <= sampled(&tiled, point), "{point} {found:?}");
            // A probe that knows no other point.
            let fresh = Probe::new(&body).unwrap().distance(point, None).unwrap();
            assert_eq!(fresh, found);
            match found.witness.feature.dimension() {
                2 => inner += 1,
                _ => rims += 1,
            }
        }
    }
    assert!(inner > 30 && rims > 20, "{inner} on the face, {rims} on its rim");
}

/// On the axis of a spline that is a cylinder all of it is equally near.
#[test]
fn kept_cells_end_at_focal_points() {
    let round = Surface::from(Cylinder::new(Pose::IDENTITY, 1.0).unwrap());
    let rect = Rect::new(Range::new(0.0, PI), Range::new(0.0, 1.0));
    let spline = Surface::from(round.to_nurbs(rect).unwrap());
    let body = Body::from(TiledBody::from_patches(&[Patch::new(spline)], None).unwrap()).boundary();
    let mut probe = Probe::new(&body).unwrap();
    for point in [DVec3::Z * 0.5, DVec3::new(1e-12, 1e-9, 0.25), DVec3::new(0.0, 0.1, 0.5)] {
        let found = probe.distance(point, None).unwrap();
        let expected = 1.0 - point.truncate().length();
        assert!((found.signed_distance - expected).abs() < 2e-9, "{found:?}");
        assert!(found.lower <= expected + 1e-12, "{found:?}");
    }
}

#[test]
fn kept_cells_respect_trims() {
    let mut random = Random::new(24);
    let hole: Vec<DVec2> =
        (0..8).map(|k| DVec2::new(1.5, 1.5) + 0.8 * DVec2::from_angle(-TAU * f64::from(k) / 8.0)).collect();
    let rim = [[0.2, 0.2], [2.8, 0.2], [2.8, 2.8], [0.2, 2.8]].map(DVec2::from_array).to_vec();
    let tiled = TiledBody::from_trim(wavy(&mut random, false), false, &[rim, hole]).unwrap();
    let body = Body::from(tiled.clone()).boundary();
    assert!(pieces::of_body(&body).unwrap().leaves().iter().any(|piece| piece.trimmed));
    let mut probe = Probe::new(&body).unwrap();
    for _ in 0..25 {
        let point = random.in_ball() * 1.3;
        let found = probe.distance(point, None).unwrap();
        assert_eq!(Probe::new(&body).unwrap().distance(point, None).unwrap(), found);
        let (lower, upper) = searched(&body, point);
        assert!(found.lower <= upper + 1e-12 && lower <= found.signed_distance + 1e-12, "{found:?} {upper}");
        assert!(found.lower <= sampled(&tiled, point), "{point} {found:?}");
    }
}

/// A probe that was asked about many points, in another order, has made other cells by then.
#[test]
fn kept_cells_do_not_show_in_answers() {
    let mut random = Random::new(25);
    let sheets = [wavy(&mut random, false), wavy(&mut random, true)];
    for sheet in sheets {
        let body = Body::from(TiledBody::from_patches(&[Patch::new(sheet)], None).unwrap()).boundary();
        let points: Vec<DVec3> = (0..150).map(|_| random.in_ball() * 1.5).collect();
        let (mut one, mut other) = (Probe::new(&body).unwrap(), Probe::new(&body).unwrap());
        let found: Vec<_> = points.iter().map(|point| one.distance(*point, None).unwrap()).collect();
        for (point, found) in points.iter().zip(found).rev() {
            assert_eq!(other.distance(*point, None).unwrap(), found);
        }
    }
}
