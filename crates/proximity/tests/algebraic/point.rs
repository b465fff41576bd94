use crate::oracle::{self, criticals};
use crate::{case_of, check, check_pair, placed, pose};
use clearance_geometry::curve::{Circle, Ellipse, Line};
use clearance_geometry::surface::{BezierPatch, Cone, Cylinder, Ellipsoid, Paraboloid, Surface, Torus};
use clearance_geometry::{DVec3, Pose};
use clearance_proximity::algebraic::{
    Isolation, PatchPlace, Quadric, RouteError, circle_circle, line_circle, point_circle, point_ellipse,
    point_patch, point_quadric, point_torus,
};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

const ROUND: [f64; 2] = [0.0, TAU];
const LATITUDE: [f64; 2] = [-FRAC_PI_2, FRAC_PI_2];

/// A surface as the oracle and as the route see it, and how many starts the oracle needs.
fn on_quadric<S: Into<Surface> + Copy>(
    surface: S,
    ranges: [[f64; 2]; 2],
    starts: usize,
) -> (oracle::Part<'static>, Quadric, usize)
where
    for<'a> Quadric: From<&'a S>,
{
    (oracle::surface(surface, ranges), Quadric::from(&surface), starts)
}

#[test]
fn point_quadric_misses_nothing() {
    let mut count = 0;
    for case in 0..150 {
        let (mut random, scale, offset) = case_of(41, case);
        let frame = placed(pose(&mut random, scale), offset);
        let p = offset + random.in_ball() * (3.0 * scale);
        let r = [0; 3].map(|_| scale * random.uniform(0.3, 2.0));
        let size = 4.0 * scale;
        let tall = [-5.0 * scale, 5.0 * scale];
        let what = format!("case {case}");
        let short = [0.0, 5.0 * scale];
        let (part, quadric, starts) = match case % 4 {
            0 => on_quadric(Ellipsoid::new(frame, r).unwrap(), [ROUND, LATITUDE], 60),
            1 => on_quadric(Cylinder::new(frame, r[0]).unwrap(), [ROUND, tall], 30),
            2 => on_quadric(Cone::new(frame, r[0], r[1] / scale).unwrap(), [ROUND, tall], 60),
            _ => on_quadric(Paraboloid::new(frame, r[0]).unwrap(), [ROUND, short], 60),
        };
        let found = criticals([&oracle::point(p), &part], size, starts, &mut random);
        let set = point_quadric(p, &quadric).unwrap();
        check(&set, &found, size, &what);
        count += set.pairs.len();
    }
    assert!(count > 280, "{count}");
}

#[test]
fn point_on_planes_of_symmetry_keeps_all_solutions() {
    let ellipsoid = Quadric::ellipsoid(&Pose::IDENTITY, [3.0, 2.0, 1.0]).unwrap();
    // The centre: both ends of all three axes.
    let set = point_quadric(DVec3::ZERO, &ellipsoid).unwrap();
    let distances: Vec<f64> = set.pairs.iter().map(|p| p.distance).collect();
    assert_eq!(distances.len(), 6, "{set:?}");
    for (d, w) in distances.iter().zip([1.0, 1.0, 2.0, 2.0, 3.0, 3.0]) {
        assert!((d - w).abs() < 1e-14);
    }
    // Near the centre on the longest axis: the ends of that axis, and pairs off it.
    let set = point_quadric(DVec3::new(0.25, 0.0, 0.0), &ellipsoid).unwrap();
    assert_eq!(set.pairs.len(), 6, "{set:?}");
    assert!(set.pairs.iter().all(|p| p.isolation == Isolation::Isolated));
}

#[test]
fn point_with_a_continuum_says_so() {
    let ball = Quadric::ellipsoid(&Pose::IDENTITY, [2.0; 3]).unwrap();
    let set = point_quadric(DVec3::ZERO, &ball).unwrap();
    assert_eq!(set.pairs.len(), 1, "{set:?}");
    assert_eq!(set.pairs[0].isolation, Isolation::Continuum);
    let frame = Pose::from_axis_angle(DVec3::ONE.normalize(), 0.4, DVec3::new(5.0, 6.0, 7.0)).unwrap();
    let cylinder = Quadric::elliptic_cylinder(&frame, [2.0, 2.0]).unwrap();
    let set = point_quadric(frame.apply(DVec3::new(0.0, 0.0, 3.0)), &cylinder).unwrap();
    assert_eq!(set.pairs.len(), 1, "{set:?}");
    assert_eq!(set.pairs[0].isolation, Isolation::Continuum);
    assert!((set.pairs[0].distance - 2.0).abs() < 1e-12);
    let cone = Quadric::elliptic_cone(&frame, [1.0, 1.0]).unwrap();
    let set = point_quadric(frame.apply(DVec3::new(0.0, 0.0, 2.0)), &cone).unwrap();
    assert!((set.pairs[0].distance - 2.0_f64.sqrt()).abs() < 1e-12, "{set:?}");
    assert_eq!(set.pairs[0].isolation, Isolation::Continuum);
    // The apex, where the surface has no normal.
    assert!(
        set.pairs.iter().any(|p| (p.distance - 2.0).abs() < 1e-9 && p.isolation == Isolation::Multiple),
        "{set:?}"
    );
    let torus = Torus::new(Pose::IDENTITY, 3.0, 1.0).unwrap();
    let set = point_torus(DVec3::new(3.0, 0.0, 0.0), &torus).unwrap();
    assert_eq!(set.pairs[0].isolation, Isolation::Continuum, "{set:?}");
    assert!((set.pairs[0].distance - 1.0).abs() < 1e-12);
    let set = point_torus(DVec3::new(0.0, 0.0, 1.0), &torus).unwrap();
    assert!(set.pairs.iter().all(|p| p.isolation == Isolation::Continuum), "{set:?}");
}

#[test]
fn point_torus_circle_and_ellipse_miss_nothing() {
    for case in 0..150 {
        let (mut random, scale, offset) = case_of(42, case);
        let frame = placed(pose(&mut random, scale), offset);
        let p = offset + random.in_ball() * (3.0 * scale);
        let size = 4.0 * scale;
        let what = format!("case {case}");
        let torus =
            Torus::new(frame, scale * random.uniform(1.0, 2.0), scale * random.uniform(0.2, 0.9)).unwrap();
        let found =
            criticals([&oracle::point(p), &oracle::surface(torus, [ROUND, ROUND])], size, 40, &mut random);
        assert!(found.len() >= 2);
        check(&point_torus(p, &torus).unwrap(), &found, size, &what);
        let radii = [scale * random.uniform(0.2, 2.0), scale * random.uniform(0.2, 2.0)];
        let ellipse = Ellipse::new(frame, radii).unwrap();
        let found = criticals([&oracle::point(p), &oracle::curve(ellipse, ROUND)], size, 40, &mut random);
        check(&point_ellipse(p, &ellipse).unwrap(), &found, size, &what);
        let circle = Circle::new(frame, radii[0]).unwrap();
        let found = criticals([&oracle::point(p), &oracle::curve(circle, ROUND)], size, 40, &mut random);
        let set = point_circle(p, &circle).unwrap();
        assert_eq!(set.pairs.len(), 2);
        check(&set, &found, size, &what);
    }
}

#[test]
fn point_on_an_axis_of_an_ellipse_keeps_all_solutions() {
    let ellipse = Ellipse::new(Pose::IDENTITY, [3.0, 1.0]).unwrap();
    assert_eq!(point_ellipse(DVec3::new(0.0, 0.0, 0.5), &ellipse).unwrap().pairs.len(), 4);
    assert_eq!(point_ellipse(DVec3::new(1.0, 0.0, 0.0), &ellipse).unwrap().pairs.len(), 4);
    assert_eq!(point_ellipse(DVec3::new(4.0, 0.0, 0.0), &ellipse).unwrap().pairs.len(), 2);
    let set = point_ellipse(DVec3::Z, &Ellipse::new(Pose::IDENTITY, [2.0, 2.0]).unwrap()).unwrap();
    assert_eq!((set.pairs.len(), set.pairs[0].isolation), (1, Isolation::Continuum), "{set:?}");
}

#[test]
fn line_circle_and_circle_circle_miss_nothing() {
    let mut most = 0;
    for case in 0..200 {
        let (mut random, scale, offset) = case_of(43, case);
        let reach = scale * random.uniform(0.0, 2.0);
        let frames = [0; 2].map(|_| placed(pose(&mut random, reach), offset));
        let radii = [0; 2].map(|_| scale * random.uniform(0.3, 2.0));
        let circles = [0, 1].map(|k| Circle::new(frames[k], radii[k]).unwrap());
        let size = 4.0 * scale;
        let what = format!("case {case}");
        let parts = [0, 1].map(|k| oracle::curve(circles[k], ROUND));
        let found = criticals([&parts[0], &parts[1]], size, 80, &mut random);
        let set = circle_circle(&circles[0], &circles[1]).unwrap();
        assert!(set.pairs.len() <= 8 && set.pairs.len() >= 2, "{what}: {set:?}");
        most = most.max(set.pairs.len());
        check(&set, &found, size, &what);
        let line = Line::new(frames[0].translation(), random.direction()).unwrap();
        let part = oracle::curve(line, [-size, size]);
        let found = criticals([&part, &parts[1]], size, 60, &mut random);
        let set = line_circle(&line, &circles[1]).unwrap();
        assert!(set.pairs.len() <= 4 && set.pairs.len() >= 2, "{what}: {set:?}");
        check(&set, &found, size, &what);
    }
    assert!(most >= 6, "{most}");
}

#[test]
fn coaxial_circles_and_axis_are_continua() {
    let frame = Pose::from_axis_angle(DVec3::Y, 0.3, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let one = Circle::new(frame, 2.0).unwrap();
    let other = Circle::new(frame.with_translation(frame.apply(DVec3::new(0.0, 0.0, 1.0))), 1.0).unwrap();
    let set = circle_circle(&one, &other).unwrap();
    assert!(set.pairs.iter().all(|p| p.isolation == Isolation::Continuum), "{set:?}");
    let distances: Vec<f64> = set.pairs.iter().map(|p| p.distance).collect();
    assert_eq!(distances.len(), 2, "{set:?}");
    assert!((distances[0] - 2.0_f64.sqrt()).abs() < 1e-12 && (distances[1] - 10.0_f64.sqrt()).abs() < 1e-12);
    let axis = Line::new(frame.translation(), frame.rotate(DVec3::Z)).unwrap();
    let set = line_circle(&axis, &one).unwrap();
    assert_eq!((set.pairs.len(), set.pairs[0].isolation), (1, Isolation::Continuum), "{set:?}");
    // Linked circles in orthogonal planes through each other's centres.
    let upright = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::X).unwrap();
    let set = circle_circle(&Circle::new(Pose::IDENTITY, 1.0).unwrap(), &Circle::new(upright, 1.0).unwrap())
        .unwrap();
    for pair in &set.pairs {
        check_pair(pair, 2.0, "linked");
    }
    assert!((set.pairs[0].distance - 1.0).abs() < 1e-9, "{set:?}");
}

fn random_patch(
    random: &mut Random,
    degrees: [usize; 2],
    scale: f64,
    offset: DVec3,
    rational: bool,
) -> BezierPatch {
    let net: Vec<Vec<DVec3>> = (0..=degrees[0])
        .map(|i| {
            (0..=degrees[1])
                .map(|j| {
                    let flat = DVec3::new(i as f64 / degrees[0] as f64, j as f64 / degrees[1] as f64, 0.0);
                    offset + scale * (flat + 0.6 * random.in_ball())
                })
                .collect()
        })
        .collect();
    let weights: Vec<Vec<f64>> =
        net.iter().map(|row| row.iter().map(|_| random.uniform(0.5, 2.0)).collect()).collect();
    BezierPatch::new(&net, rational.then_some(&weights[..])).unwrap()
}

#[test]
fn point_patch_misses_nothing() {
    let mut inside = 0;
    for case in 0..120 {
        let (mut random, scale, offset) = case_of(44, case);
        let degrees = [[2, 2], [1, 1], [2, 1], [2, 2], [1, 2], [3, 3]][case as usize % 6];
        let patch = random_patch(&mut random, degrees, scale, offset, case % 4 == 3 && degrees != [3, 3]);
        let p = offset + scale * (DVec3::new(0.5, 0.5, 0.0) + random.in_ball());
        let size = 2.0 * scale;
        let found = criticals([&oracle::point(p), &oracle::patch(&patch)], size, 80, &mut random);
        let all = point_patch(p, &patch).unwrap();
        for one in &all {
            check_pair(&one.critical, size, &format!("case {case}"));
        }
        inside += all.iter().filter(|one| one.place == PatchPlace::Inside).count();
        for f in found.iter().filter(|f| f.parameters.iter().all(|t| (1e-6..=1.0 - 1e-6).contains(t))) {
            let near = all.iter().any(|one| {
                one.place == PatchPlace::Inside
                    && (one.critical.points[1] - f.points[1]).length() < 1e-6 * size
            });
            assert!(near, "case {case}: missed {:?}", f.parameters);
        }
        // The closest of all samples of the domain is not closer.
        let nearest = all[0].critical.distance;
        for i in 0..=20 {
            for j in 0..=20 {
                let q = clearance_geometry::surface::ParametricSurface::point(
                    &patch,
                    f64::from(i) / 20.0,
                    f64::from(j) / 20.0,
                );
                assert!((q - p).length() >= nearest - 1e-9 * size, "case {case}: a sample is nearer");
            }
        }
    }
    assert!(inside > 60, "{inside}");
}

#[test]
fn patch_with_a_continuum_or_too_high_a_degree_says_so() {
    // A flat patch: one foot point.
    let flat: Vec<Vec<DVec3>> =
        (0..3).map(|i| (0..3).map(|j| DVec3::new(f64::from(i), f64::from(j), 0.0)).collect()).collect();
    let all = point_patch(DVec3::new(0.7, 1.1, 2.0), &BezierPatch::new(&flat, None).unwrap()).unwrap();
    assert!((all[0].critical.distance - 2.0).abs() < 1e-12 && all[0].place == PatchPlace::Inside, "{all:?}");
    // A quarter of a cylinder about an axis through the point.
    let arc = [DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    let net: Vec<Vec<DVec3>> = arc.iter().map(|c| vec![*c, *c + DVec3::Z]).collect();
    let w = 0.5_f64.sqrt();
    let weights = vec![vec![1.0; 2], vec![w; 2], vec![1.0; 2]];
    let quarter = BezierPatch::new(&net, Some(&weights)).unwrap();
    let all = point_patch(DVec3::new(0.0, 0.0, 0.5), &quarter).unwrap();
    assert!((all[0].critical.distance - 1.0).abs() < 1e-12, "{all:?}");
    assert!(all.iter().any(|one| one.critical.isolation == Isolation::Continuum), "{all:?}");
    let net: Vec<Vec<DVec3>> = (0..5).map(|i| vec![DVec3::X * f64::from(i), DVec3::Y]).collect();
    let high = BezierPatch::new(&net, None).unwrap();
    assert!(matches!(point_patch(DVec3::ZERO, &high), Err(RouteError::DegreeTooHigh { .. })));
    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    assert!(matches!(point_patch(nan, &quarter), Err(RouteError::NotFinite { .. })));
    assert!(matches!(
        point_quadric(nan, &Quadric::elliptic_cone(&Pose::IDENTITY, [1.0; 2]).unwrap()),
        Err(RouteError::NotFinite { .. })
    ));
}
