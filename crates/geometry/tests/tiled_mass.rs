//! Stated errors of mass properties hold against closed forms and finer quadrature, and say where they are proved.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Ellipse, NurbsCurve, Range, Rect};
use clearance_geometry::surface::{
    Cone, Cylinder, Ellipsoid, NurbsSurface, ParametricSurface, Plane, Sphere, Surface, Torus,
};
use clearance_geometry::tiled::{
    Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, Patch, Segment, TiledBody, TiledMass,
};
use clearance_geometry::{DVec2, DVec3, EdgeId, Pose};
use clearance_testkit::{Random, data};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Scales and places.
fn places() -> Vec<(f64, Pose)> {
    let mut random = Random::new(41);
    let mut found = Vec::new();
    for (k, far) in [(1e-6, 0.0), (1.0, 0.0), (1e6, 0.0), (1.0, 1e3), (1e-3, 10.0), (1e3, 1e7)] {
        found.push((
            k,
            Pose::new(random.quaternion(), random.in_ball().normalize_or(DVec3::X) * far).unwrap(),
        ));
    }
    found
}

fn check(name: &str, k: f64, found: f64, expected: f64, stated: f64, most: f64) {
    let off = (found - expected).abs();
    assert!(off <= stated, "{name} at {k}: {found} for {expected}, off {off:e}, stated {stated:e}");
    assert!(stated <= most * expected.abs(), "{name} at {k}: stated {stated:e} of {expected}");
}

fn whole(surface: impl Into<Surface>) -> TiledBody {
    let faces = vec![DraftFace { surface: surface.into(), reversed: false, loops: Vec::new(), rect: None }];
    TiledBody::from_draft(Draft { faces, ..Draft::default() }).unwrap()
}

fn is_proven(mass: &TiledMass) -> bool {
    mass.proven && mass.area_proven
}

#[test]
fn closed_surfaces_have_proven_errors() {
    for (k, pose) in places() {
        // Far away coordinates themselves lose digits.
        let most = 1e-9 * (1.0 + pose.translation().length() / k);
        let ball = whole(Sphere::new(pose, 2.0 * k).unwrap());
        let mass = ball.mass();
        assert!(is_proven(mass));
        check("sphere", k, mass.volume, 32.0 / 3.0 * PI * k.powi(3), mass.volume_error, most);
        check("sphere's area", k, mass.area, 16.0 * PI * k * k, mass.area_error, most);
        assert!((mass.center - pose.translation()).length() <= mass.center_error);
        let ring = whole(Torus::new(pose, 3.0 * k, k).unwrap());
        let mass = ring.mass();
        assert!(is_proven(mass));
        check("torus", k, mass.volume, 6.0 * PI * PI * k.powi(3), mass.volume_error, most);
        check("torus's area", k, mass.area, 12.0 * PI * PI * k * k, mass.area_error, most);
        let egg = whole(Ellipsoid::new(pose, [k, k, 3.0 * k]).unwrap());
        let mass = egg.mass();
        assert!(is_proven(mass));
        check("ellipsoid", k, mass.volume, 4.0 * PI * k.powi(3), mass.volume_error, most);
        let e = (1.0 - 1.0 / 9.0_f64).sqrt();
        let area = 2.0 * PI * (1.0 + 3.0 / e * e.asin());
        check("ellipsoid's area", k, mass.area, area * k * k, mass.area_error, most);
        // The inertia of the egg about its axis, turned into place.
        let axis = pose.rotate(DVec3::Z);
        let about = axis.dot(mass.inertia * axis);
        let size = 0.4 * 4.0 * PI * k.powi(5);
        assert!((about - size).abs() <= 3.0 * mass.inertia_error && mass.inertia_error < 1e3 * most * size);
    }
}

#[test]
fn revolved_profiles_have_proven_errors() {
    let p = DVec2::new;
    let line = |from, to| Segment::Line { from, to };
    for k in [1e-6, 1.0, 1e6] {
        let at = |r: f64, z: f64| p(r, z) * k;
        let bullet = TiledBody::revolve(&[
            line(at(0.0, 0.0), at(2.0, 0.0)),
            line(at(2.0, 0.0), at(2.0, 3.0)),
            line(at(2.0, 3.0), at(1.0, 4.0)),
            Segment::Arc { center: at(0.0, 4.0), from: at(1.0, 4.0), to: at(0.0, 5.0), ccw: true },
        ])
        .unwrap();
        let mass = bullet.mass();
        assert!(is_proven(mass), "{mass:?}");
        let volume = PI * (12.0 + 7.0 / 3.0 + 2.0 / 3.0);
        check("bullet", k, mass.volume, volume * k.powi(3), mass.volume_error, 1e-9);
        let area = PI * (4.0 + 12.0 + 3.0 * 2.0_f64.sqrt() + 2.0);
        check("bullet's area", k, mass.area, area * k * k, mass.area_error, 1e-9);
        let bowl = TiledBody::revolve(&[
            Segment::Parabola { from: at(0.0, 0.0), to: at(2.0, 1.0), focal: None },
            line(at(2.0, 1.0), at(0.0, 1.0)),
        ])
        .unwrap();
        let mass = bowl.mass();
        assert!(is_proven(mass), "{mass:?}");
        check("paraboloid", k, mass.volume, 2.0 * PI * k.powi(3), mass.volume_error, 1e-9);
        // ∫ 2π r √(1 + r²/4) dr from 0 to 2, and the lid.
        let area = 8.0 * PI / 3.0 * (2.0_f64.powf(1.5) - 1.0) + 4.0 * PI;
        check("paraboloid's area", k, mass.area, area * k * k, mass.area_error, 1e-9);
        // An apple: a tube that meets itself on the axis.
        let (h, angle) = (3.0_f64.sqrt(), 2.0 * PI / 3.0);
        let arc = Segment::Arc { center: at(1.0, 0.0), from: at(0.0, -h), to: at(0.0, h), ccw: true };
        let apple = TiledBody::revolve(&[arc]).unwrap();
        let mass = apple.mass();
        assert!(is_proven(mass), "{mass:?}");
        let primitive =
            |v: f64| 2.0 * v.sin() + 4.0 * (v + v.sin() * v.cos()) + 8.0 * (v.sin() - v.sin().powi(3) / 3.0);
        check(
            "apple",
            k,
            mass.volume,
            PI * (primitive(angle) - primitive(-angle)) * k.powi(3),
            mass.volume_error,
            1e-9,
        );
        // 2π · 2 ∫ (1 + 2 cos v) dv.
        let area = 8.0 * PI * (angle + 2.0 * angle.sin());
        check("apple's area", k, mass.area, area * k * k, mass.area_error, 1e-9);
    }
}

fn ring(curve: impl Into<clearance_geometry::curve::Curve>) -> DraftEdge {
    DraftEdge { curve: curve.into(), range: Range::TURN, ends: None }
}

#[test]
fn plane_regions_of_conics_are_proven() {
    let mut random = Random::new(42);
    for (k, pose) in places() {
        for _ in 0..10 {
            let radii = [random.uniform(2.0, 5.0), random.uniform(2.0, 5.0)];
            let hole = random.uniform(0.1, 1.0);
            let at = DVec3::new(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0.0) * k;
            let frame = Pose::from_matrix(pose.rotation(), pose.apply(at)).unwrap();
            let edges = vec![
                ring(Ellipse::new(pose, radii.map(|r| r * k)).unwrap()),
                ring(Circle::new(frame, hole * k).unwrap()),
            ];
            let used =
                |edge: u32, reversed: bool| DraftLoop::Edges(vec![DraftUse::new(EdgeId(edge), reversed)]);
            let faces = vec![DraftFace {
                surface: Plane::new(pose).into(),
                reversed: false,
                loops: vec![used(0, false), used(1, true)],
                rect: None,
            }];
            let body = TiledBody::from_draft(Draft { faces, edges, ..Draft::default() }).unwrap();
            let mass = body.mass();
            assert!(is_proven(mass));
            let area = PI * (radii[0] * radii[1] - hole * hole) * k * k;
            let most = 1e-9 * (1.0 + pose.translation().length() / k);
            check("ellipse with a hole", k, mass.area, area, mass.area_error, most);
        }
    }
}

#[test]
fn random_trims_keep_their_stated_errors() {
    let mut random = Random::new(43);
    for case in 0..60 {
        let k = [1e-6, 1.0, 1e6][case % 3];
        // A star-shaped polygon about a point of the parameters.
        let (count, middle) = (random.index(5) + 3, DVec2::new(random.uniform(-3.0, 3.0), 0.1));
        let scale = DVec2::new(0.6, 0.6);
        let mut polygon: Vec<DVec2> = (0..count)
            .map(|i| {
                let angle = (i as f64 + 0.8 * random.unit()) / count as f64 * TAU;
                middle + scale * DVec2::new(angle.cos(), angle.sin()) * random.uniform(0.5, 1.0)
            })
            .collect();
        let edges = |polygon: &[DVec2]| -> Vec<[DVec2; 2]> {
            (0..polygon.len()).map(|i| [polygon[i], polygon[(i + 1) % polygon.len()]]).collect()
        };
        let flat: f64 = edges(&polygon).iter().map(|[a, b]| 0.5 * (*a - middle).perp_dot(*b - middle)).sum();
        if flat < 0.05 {
            continue;
        }
        // On a sphere ∬ cos v = −∮ sin v du along straight lines.
        let round: f64 = edges(&polygon)
            .iter()
            .map(|[a, b]| {
                let d = *b - *a;
                let mean = if d.y == 0.0 { a.y.sin() } else { (a.y.cos() - b.y.cos()) / d.y };
                -d.x * mean
            })
            .sum();
        let ball = Surface::from(Sphere::new(Pose::IDENTITY, k).unwrap());
        let body = TiledBody::from_trim(ball, false, &[polygon.clone()]).unwrap();
        let mass = body.mass();
        check("part of a sphere", k, mass.area, round * k * k, mass.area_error, 1e-4);
        for p in &mut polygon {
            p.y *= k;
        }
        let pipe = Surface::from(Cylinder::new(Pose::IDENTITY, 2.0 * k).unwrap());
        let body = TiledBody::from_trim(pipe, case % 2 == 0, &[polygon.clone()]).unwrap();
        let mass = body.mass();
        check("part of a cylinder", k, mass.area, 2.0 * flat * k * k, mass.area_error, 1e-4);
        for p in &mut polygon {
            p.x *= k;
        }
        let plane = Surface::from(Plane::new(Pose::IDENTITY));
        let body = TiledBody::from_trim(plane, false, &[polygon]).unwrap();
        assert!(body.mass().proven);
        check("polygon", k, body.mass().area, flat * k * k, body.mass().area_error, 1e-9);
    }
}

#[test]
fn cut_cylinders_say_that_they_are_not_proven() {
    // A cylinder cut by a slanted plane: the ellipse is known on it by projection alone.
    let up = DVec3::new(-0.5, 0.0, 1.0).normalize();
    let long = DVec3::new(1.0, 0.0, 0.5);
    let axes = clearance_geometry::DMat3::from_cols(long.normalize(), up.cross(long.normalize()), up);
    let top = Pose::from_matrix(axes, DVec3::Z * 2.0).unwrap();
    let edges = vec![
        ring(Circle::new(Pose::IDENTITY, 1.0).unwrap()),
        ring(Ellipse::new(top, [long.length(), 1.0]).unwrap()),
    ];
    let used = |edge: u32, reversed: bool| DraftLoop::Edges(vec![DraftUse::new(EdgeId(edge), reversed)]);
    let face = |surface: Surface, reversed: bool, loops: Vec<DraftLoop>| DraftFace {
        surface,
        reversed,
        loops,
        rect: None,
    };
    let faces = vec![
        face(Cylinder::new(Pose::IDENTITY, 1.0).unwrap().into(), false, vec![used(0, false), used(1, true)]),
        face(Plane::new(Pose::IDENTITY).into(), true, vec![used(0, true)]),
        face(Plane::new(top).into(), false, vec![used(1, false)]),
    ];
    let body = TiledBody::from_draft(Draft { faces, edges, ..Draft::default() }).unwrap();
    let mass = body.mass();
    assert!(!mass.proven && !mass.area_proven);
    check("slanted cylinder", 1.0, mass.volume, TAU, mass.volume_error, 1e-9);
}

#[test]
fn converted_surfaces_keep_their_stated_errors() {
    let mut proven = 0;
    for (k, pose) in places() {
        let most = 1e-8 * (1.0 + pose.translation().length() / k);
        let converted = |surface: Surface| {
            let spline = surface.to_nurbs(surface.domain()).unwrap();
            TiledBody::from_patches(&[Patch::new(spline)], None).unwrap()
        };
        let ball = converted(Sphere::new(pose, k).unwrap().into());
        let mass = ball.mass();
        proven += usize::from(mass.proven);
        check("spline sphere", k, mass.volume, 4.0 / 3.0 * PI * k.powi(3), mass.volume_error, most);
        check("spline sphere's area", k, mass.area, 4.0 * PI * k * k, mass.area_error, most);
        let ring = converted(Torus::new(pose, 3.0 * k, k).unwrap().into());
        let mass = ring.mass();
        proven += usize::from(mass.proven);
        check("spline torus", k, mass.volume, 6.0 * PI * PI * k.powi(3), mass.volume_error, most);
        check("spline torus's area", k, mass.area, 12.0 * PI * PI * k * k, mass.area_error, most);
        let side = Surface::from(Cone::new(pose, 2.0 * k, -0.5).unwrap());
        let rect = Rect::new(Range::TURN, Range::new(0.0, 3.0 * k));
        let spline = side.to_nurbs(rect).unwrap();
        let cone = TiledBody::from_patches(&[Patch::new(spline)], None).unwrap();
        let area = PI * 2.5 * 3.0 * 1.25_f64.sqrt() * k * k;
        check("spline cone's area", k, cone.mass().area, area, cone.mass().area_error, most);
    }
    assert_eq!(proven, 12, "all volumes are proved");
}

/// ∬ |n| and ∬ p·n/3 over the unit square by Gauss's rule with three nodes on a fine grid.
fn finely(surface: &NurbsSurface, about: DVec3) -> [f64; 2] {
    let n = 96;
    let nodes = [(-0.6_f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6_f64.sqrt(), 5.0 / 9.0)];
    let mut sum = [0.0; 2];
    for i in 0..n * n {
        let corner = DVec2::new((i / n) as f64, (i % n) as f64);
        for (x, a) in nodes {
            for (y, b) in nodes {
                let at = (corner + 0.5 + 0.5 * DVec2::new(x, y)) / n as f64;
                let jet = surface.jet(at.x, at.y);
                let weight = a * b / (4 * n * n) as f64;
                sum[0] += weight * jet.cross().length();
                sum[1] += weight * (jet.point - about).dot(jet.cross()) / 3.0;
            }
        }
    }
    sum
}

#[test]
fn edge_across_the_seam_of_its_spline_keeps_stated_errors() {
    // A loop with a corner at its seam, in one piece and in two.
    let loop_of = |range: Range, double: bool| {
        let points = [DVec3::ZERO, DVec3::X * 3.0, DVec3::Y * 3.0, DVec3::ZERO];
        let ends = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let mut curve = NurbsCurve::new(3, ends, &points, None).unwrap();
        if double {
            curve = curve.with_knot(0.3).unwrap();
        }
        let edge = DraftEdge { curve: curve.into(), range, ends: None };
        let loops = vec![DraftLoop::Edges(vec![DraftUse::new(EdgeId(0), false)])];
        let plane = Plane::new(Pose::IDENTITY);
        let faces = vec![DraftFace { surface: plane.into(), reversed: false, loops, rect: None }];
        let body = TiledBody::from_draft(Draft { faces, edges: vec![edge], ..Draft::default() }).unwrap();
        *body.mass()
    };
    // ½ ∮ x dy − y dx with x = 9t(1 − t)², y = 9t²(1 − t): 81/2 ∫ t²(1 − t)² dt.
    let area = 81.0 / 60.0;
    for low in [0.0, 0.4, 0.45, -0.3, -0.55] {
        for double in [false, true] {
            let mass = loop_of(Range::new(low, low + 1.0), double);
            check("loop's area", low, mass.area, area, mass.area_error, 1e-8);
            assert!(mass.area_proven, "{low} {double}: {mass:?}");
        }
    }
}

#[test]
fn random_patches_agree_with_finer_quadrature() {
    let mut random = Random::new(44);
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    for case in 0..6 {
        let net: Vec<Vec<DVec3>> = (0..4)
            .map(|i| (0..4).map(|j| DVec3::new(i as f64, j as f64, 0.0) + 0.4 * random.in_ball()).collect())
            .collect();
        let weights: Vec<Vec<f64>> =
            (0..4).map(|_| (0..4).map(|_| random.uniform(0.8, 1.2)).collect()).collect();
        let weights = (case % 2 == 0).then_some(&weights[..]);
        let spline = NurbsSurface::new([3, 3], [ends(), ends()], &net, weights).unwrap();
        let [area, _] = finely(&spline, DVec3::ZERO);
        let body = TiledBody::from_patches(&[Patch::new(spline)], None).unwrap();
        let mass = body.mass();
        let off = (mass.area - area).abs();
        assert!(off <= mass.area_error + 1e-9 * area, "{case}: {off:e} stated {:e}", mass.area_error);
        assert!(mass.area_error <= 1e-6 * area, "{case}: stated {:e}", mass.area_error);
    }
}

#[test]
fn teapot_agrees_with_finer_quadrature() {
    let test = "teapot_agrees_with_finer_quadrature";
    let Some(file) = data::data_or_skip(test, "teapot-patches.json") else { return };
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let patches: Vec<NurbsSurface> = data::bezier_patches(&file)
        .iter()
        .map(|net| NurbsSurface::new([3, 3], [ends(), ends()], net, None).unwrap())
        .collect();
    let area: f64 = patches.iter().map(|patch| finely(patch, DVec3::ZERO)[0]).sum();
    let all: Vec<Patch> = patches.into_iter().map(Patch::new).collect();
    let body = TiledBody::from_patches(&all, None).unwrap();
    let mass = body.mass();
    let off = (mass.area - area).abs();
    assert!(off <= mass.area_error + 1e-8 * area, "off {off:e}, stated {:e}", mass.area_error);
    assert!(mass.area_error <= 1e-6 * area, "stated {:e}", mass.area_error);
}

#[test]
fn quarter_of_a_ball_of_patches_is_exact_in_its_sum() {
    // Octants of a sphere over natural rectangles, as patches: one spline each.
    let ball = Surface::from(Sphere::new(Pose::IDENTITY, 1.0).unwrap());
    let patches: Vec<Patch> = (0..8)
        .map(|i| {
            let u = f64::from(i % 4) * FRAC_PI_2;
            let v = if i < 4 { Range::new(0.0, FRAC_PI_2) } else { Range::new(-FRAC_PI_2, 0.0) };
            Patch::new(ball.clone()).over(Rect::new(Range::new(u, u + FRAC_PI_2), v))
        })
        .collect();
    let body = TiledBody::from_patches(&patches, None).unwrap();
    let mass = body.mass();
    assert!(body.is_closed() && mass.proven);
    check("ball of octants", 1.0, mass.volume, 4.0 / 3.0 * PI, mass.volume_error, 1e-9);
}
