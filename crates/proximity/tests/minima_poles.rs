//! Local minima at the poles of surfaces: found where parameters are singular, as they are where the body is turned.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::{NurbsSurface, ParametricSurface};
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Precision, Proximity, local_minima, local_minima_within};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// The height (x² + a y²) bend over the square from −1 to 1, times a scale: one biquadratic patch.
fn hill(bend: f64, scale: f64) -> Body {
    let heights = [1.0, -1.0, 1.0];
    let row = |i: usize| {
        let point = |j: usize| {
            let z = bend * (heights[i] + 0.5 * heights[j]);
            scale * DVec3::new(i as f64 - 1.0, j as f64 - 1.0, z)
        };
        (0..3).map(point).collect::<Vec<DVec3>>()
    };
    let net: Vec<Vec<DVec3>> = (0..3).map(row).collect();
    let ends = || [vec![0.0; 3], vec![1.0; 3]].concat();
    let spline = NurbsSurface::new([2; 2], [ends(), ends()], &net, None).unwrap();
    TiledBody::from_patches(&[Patch::new(spline)], None).unwrap().into()
}

/// Two plates at these heights.
fn plates(low: f64, high: f64) -> Body {
    let plate = || Part::Polytope(Polytope::cuboid(DVec3::new(6.0, 6.0, 0.5)).unwrap());
    let parts = vec![(plate(), at(0.3, 0.2, low - 0.25)), (plate(), at(0.1, -0.4, high + 0.25))];
    PartTree::of_parts(parts).unwrap().into()
}

fn minima(a: &Body, b: &Body, pose: &Pose) -> Vec<Proximity> {
    let (found, complete) = local_minima(a, b, pose).unwrap();
    assert!(complete, "{found:?}");
    found
}

#[test]
fn ball_over_a_hill_has_its_pole_as_the_nearest_point() {
    for scale in [1e-3, 1.0, 1e6] {
        let ball = Body::from(TiledBody::sphere(0.25 * scale).unwrap());
        let hill = hill(-0.25, scale);
        let upright = minima(&hill, &ball, &at(0.0, 0.0, 2.0 * scale));
        let turned = Pose::from_axis_angle(DVec3::X, 0.4, DVec3::Z * 2.0 * scale).unwrap();
        let turned = minima(&hill, &ball, &turned);
        assert!(upright.len() == 1 && turned.len() == 1, "{upright:?} {turned:?}");
        assert!((upright[0].distance - turned[0].distance).abs() < 1e-9 * scale);
        let [foot, pole] = upright[0].witnesses.map(|witness| witness.point);
        assert!(foot.truncate().length() < 1e-6 * scale && pole.truncate().length() < 1e-12 * scale);
    }
}

#[test]
fn both_poles_of_a_ball_between_plates_are_minima() {
    let (plates, ball) = (plates(-2.0, 2.5), Body::from(TiledBody::sphere(1.0).unwrap()));
    let found = minima(&plates, &ball, &Pose::IDENTITY);
    let distances: Vec<f64> = found.iter().map(|p| p.distance).collect();
    assert!(distances.len() == 2, "{distances:?}");
    assert!((distances[0] - 1.0).abs() < 1e-12 && (distances[1] - 1.5).abs() < 1e-12, "{distances:?}");
    let egg = Body::from(TiledBody::ellipsoid([1.0, 0.7, 0.5]).unwrap());
    assert_eq!(minima(&plates, &egg, &Pose::IDENTITY).len(), 2);
}

#[test]
fn pole_that_is_no_minimum_is_not_listed() {
    // Over a valley that is narrower than a ball is high, the pole is the farthest point around.
    let ball = Body::from(TiledBody::sphere(0.25).unwrap());
    let (found, _) = local_minima(&hill(1.5, 1.0), &ball, &at(0.0, 0.0, 1.4)).unwrap();
    let pole = |p: &Proximity| p.witnesses[1].point.truncate().length() < 1e-6;
    assert!(!found.is_empty() && !found.iter().any(pole), "{found:?}");
    // Two balls, pole to pole: one minimum, at both poles.
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let (found, _) = local_minima(&ball, &ball, &at(0.0, 0.0, 3.0)).unwrap();
    assert!(found.len() == 1 && (found[0].distance - 1.0).abs() < 1e-12, "{found:?}");
}

/// Around a coaxial ring every point is a minimum: no list is complete, but it is over soon, and a ball elsewhere is on it.
#[test]
fn a_curve_of_minima_does_not_hide_the_others() {
    let ring = Body::from(TiledBody::torus(3.0, 0.1).unwrap());
    let can = Part::Tiled(TiledBody::cylinder(2.0, 3.0).unwrap());
    let ball = Part::Tiled(TiledBody::sphere(0.5).unwrap());
    let body =
        Body::from(PartTree::of_parts(vec![(can, Pose::IDENTITY), (ball, at(5.0, 0.4, 0.3))]).unwrap());
    let million = Precision { max_pairs: Some(1_000_000), ..Precision::default() };
    let (found, complete) = local_minima_within(&body, &ring, &Pose::IDENTITY, &million).unwrap();
    assert!(!complete);
    let nearest = (25.16_f64.sqrt() - 3.0).hypot(0.3) - 0.6;
    assert!(found.iter().any(|pair| (pair.distance - nearest).abs() < 1e-9), "{found:?}");
}

/// Patches with hundreds of bumps have more pairs of critical points than memory: the list ends there, or with its time, and says so.
#[test]
fn lists_of_minima_end_with_their_memory_and_time() {
    let bumpy = |phase: f64| {
        let knots = || (0..=34).map(|k| f64::from((k - 8).clamp(0, 18))).collect::<Vec<f64>>();
        let bump = |k: usize| (2.3 * (k * k) as f64 + phase).sin();
        let net: Vec<Vec<DVec3>> = (0..26)
            .map(|i| (0..26).map(|j| DVec3::new(i as f64, j as f64, 3.0 * bump(31 * i + 17 * j))).collect())
            .collect();
        let spline = NurbsSurface::new([8; 2], [knots(), knots()], &net, None).unwrap();
        Body::from(TiledBody::from_patches(&[Patch::new(spline)], None).unwrap())
    };
    let (a, b) = (bumpy(0.3), bumpy(1.9));
    let over = at(0.0, 0.0, 12.0);
    let (found, complete) = local_minima(&a, &b, &over).unwrap();
    assert!(!complete && !found.is_empty());
    let past = Precision { deadline: Some(std::time::Instant::now()), ..Precision::default() };
    let (found, complete) = local_minima_within(&a, &b, &over, &past).unwrap();
    assert!(!complete && found.is_empty());
}

/// Minima of a ball are found from its middle. A union of this ball alone is searched as any other body.
#[test]
fn minima_of_balls_are_those_of_unions_of_one_ball() {
    let ball = || TiledBody::sphere(0.3).unwrap();
    let alone = Body::from(ball());
    let union = Body::from(PartTree::of_parts(vec![(Part::Tiled(ball()), Pose::IDENTITY)]).unwrap());
    let others = [hill(0.4, 1.0), plates(-1.5, 1.5), Body::from(TiledBody::torus(2.0, 0.5).unwrap())];
    let mut counts = [0; 3];
    for (k, other) in others.iter().enumerate() {
        for pose in [at(0.2, 0.1, 1.0), at(-0.4, 0.3, 0.9), at(3.4, 0.2, 0.4), at(0.1, 0.7, -0.95)] {
            let turned = Pose::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.7, pose.translation()).unwrap();
            for (one, as_union) in [
                (local_minima(other, &alone, &turned), local_minima(other, &union, &turned)),
                (local_minima(&alone, other, &turned), local_minima(&union, other, &turned)),
            ] {
                let ((one, complete), (as_union, as_complete)) = (one.unwrap(), as_union.unwrap());
                assert_eq!((one.len(), complete), (as_union.len(), as_complete), "{one:?} {as_union:?}");
                for (one, other) in one.iter().zip(&as_union) {
                    counts[k] += 1;
                    assert!((one.distance - other.distance).abs() < 1e-9);
                    assert!(one.normal.distance(other.normal) < 1e-5, "{one:?} {other:?}");
                    for (p, q) in one.witnesses.iter().zip(&other.witnesses) {
                        assert!(p.point.distance(q.point) < 1e-5 && p.feature == q.feature, "{p:?} {q:?}");
                    }
                    let [p, q] = one.witnesses.map(|witness| witness.point);
                    assert!((q - p).distance(one.normal * one.signed_distance) < 1e-12);
                }
            }
        }
    }
    assert!(counts.into_iter().all(|count| count >= 8), "{counts:?}");
}

/// Descents that end where rounding hides how far the distance still falls are minima all the same: an egg between two plates
/// has one under each, at a distance by its support function.
#[test]
fn eggs_between_plates_have_a_minimum_toward_each() {
    let radii = DVec3::new(0.3, 0.31, 0.32);
    let egg = Body::from(TiledBody::ellipsoid(radii.to_array()).unwrap());
    for step in 0..40 {
        let angle = 0.15 + 0.07 * f64::from(step);
        let place = DVec3::new(-0.4, 0.3, 0.9 - 0.04 * f64::from(step));
        let pose = Pose::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), angle, place).unwrap();
        let reach = (radii * pose.rotate_inverse(DVec3::Z)).length();
        let mut asked = [1.5 - place.z - reach, 1.5 + place.z - reach];
        asked.sort_by(f64::total_cmp);
        let found = minima(&plates(-1.5, 1.5), &egg, &pose);
        let found: Vec<f64> = found.iter().map(|pair| pair.distance).collect();
        assert_eq!(found.len(), 2, "{step}: {found:?}");
        assert!(
            found.iter().zip(asked).all(|(one, other)| (one - other).abs() < 1e-9),
            "{found:?} {asked:?}"
        );
    }
}

/// The dips of a grid of distances, each followed down by steps in sixteen directions that are halved, and nothing else: corners
/// whose edges end at them but for rounding, and edges of patches that wind past themselves.
#[test]
fn minima_of_points_are_the_dips_of_a_grid() {
    const GRID: usize = 96;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let (mut corners, mut edges, mut inner) = (0, 0, 0);
    for case in 0..240 {
        let counts = [4 + case % 4, 4 + case / 4 % 3];
        let knots =
            |count: usize| (0..count + 4).map(|k| k.clamp(3, count) as f64 - 3.0).collect::<Vec<f64>>();
        let net: Vec<Vec<DVec3>> = (0..counts[0])
            .map(|i| {
                let x = 2.0 * i as f64 / (counts[0] - 1) as f64 - 1.0;
                let y = |j: usize| 2.0 * j as f64 / (counts[1] - 1) as f64 - 1.0;
                (0..counts[1]).map(|j| DVec3::new(x, y(j), 1.6 * random())).collect()
            })
            .collect();
        let spline = NurbsSurface::new([3; 2], [knots(counts[0]), knots(counts[1])], &net, None).unwrap();
        let ends = counts.map(|count| (count - 3) as f64);
        let target = DVec3::new(random(), random(), random()) * 1.8;
        let point = |u: f64, v: f64| spline.jet(u.clamp(0.0, ends[0]), v.clamp(0.0, ends[1])).point;
        let far = |u: f64, v: f64| point(u, v).distance(target);
        let lowest_around = |u: f64, v: f64, step: f64| {
            let around = (0..16).map(|k| (std::f64::consts::TAU * f64::from(k) / 16.0).sin_cos());
            let places = around.map(|(sin, cos)| {
                [
                    (u + step * cos * ends[0]).clamp(0.0, ends[0]),
                    (v + step * sin * ends[1]).clamp(0.0, ends[1]),
                ]
            });
            places.min_by(|a, b| far(a[0], a[1]).total_cmp(&far(b[0], b[1]))).unwrap()
        };
        let at = |i: usize, j: usize| [i, j].map(|k| k as f64 / GRID as f64);
        let mut dips: Vec<DVec3> = Vec::new();
        for i in 0..=GRID {
            for j in 0..=GRID {
                let [mut u, mut v] = [at(i, j)[0] * ends[0], at(i, j)[1] * ends[1]];
                let beside = |k: usize| k.saturating_sub(1)..=(k + 1).min(GRID);
                let is_dip = beside(i).all(|k| {
                    beside(j).all(|l| far(at(k, l)[0] * ends[0], at(k, l)[1] * ends[1]) >= far(u, v))
                });
                let mut step = 1.0 / GRID as f64;
                while is_dip && step > 1e-9 {
                    match lowest_around(u, v, step) {
                        [x, y] if far(x, y) < far(u, v) => (u, v) = (x, y),
                        _ => step *= 0.5,
                    }
                }
                if is_dip && dips.iter().all(|dip| dip.distance(point(u, v)) > 1e-3) {
                    dips.push(point(u, v));
                }
            }
        }
        let sheet = Body::from(TiledBody::from_patches(&[Patch::new(spline.clone())], None).unwrap());
        let found = minima(&sheet, &Body::from(Polytope::point()), &Pose::from_translation(target).unwrap());
        for dip in &dips {
            let is_near = |pair: &Proximity| pair.witnesses[0].point.distance(*dip) < 1e-3;
            assert!(found.iter().any(is_near), "{case}: no minimum at {dip}, {found:?}");
        }
        let fine = |k: usize| [k / 400, k % 400].map(|k| k as f64 / 399.0);
        let fine: Vec<DVec3> =
            (0..160_000).map(|k| point(fine(k)[0] * ends[0], fine(k)[1] * ends[1])).collect();
        for pair in &found {
            let own = pair.witnesses[0].point;
            let beside = |p: &DVec3| p.distance(own) < 0.03;
            // By more than what may bend down beside a minimum so near.
            let falls = |p: DVec3| p.distance(target) < pair.distance - 0.05 * p.distance(own) - 1e-9;
            assert!(!fine.iter().copied().filter(beside).any(falls), "{case}: it falls beside {pair:?}");
            match pair.witnesses[0].feature {
                clearance_geometry::Feature::Vertex(_) => corners += 1,
                clearance_geometry::Feature::Edge(_) => edges += 1,
                clearance_geometry::Feature::Face(_) => inner += 1,
            }
        }
    }
    assert!(corners > 20 && edges > 40 && inner > 20, "{corners} {edges} {inner}");
}
