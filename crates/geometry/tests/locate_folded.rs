//! Parameters of points on splines that wind past themselves: another sheet is near, and is not where the point is.
#![allow(clippy::unwrap_used)]

use clearance_geometry::curve::{Curve, NurbsCurve, ParametricCurve, Range, Rect};
use clearance_geometry::surface::{NurbsSurface, ParametricSurface, Surface};
use clearance_testkit::Random;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

const KINDS: [&str; 6] = ["spiral", "folded", "wavy", "tube", "collapsed", "tangled"];

/// The profile of a sheet at a share of its length: in a plane, about one unit large, and its sheets a few hundredths apart.
fn profile(random: &mut Random, kind: &str) -> Box<dyn Fn(f64) -> DVec2> {
    let gap = random.uniform(0.01, 0.1);
    match kind {
        "spiral" | "collapsed" => {
            let turns = random.uniform(1.5, 4.0);
            Box::new(move |s| {
                let (sin, cos) = (TAU * turns * s).sin_cos();
                (0.3 + gap * turns * s) * DVec2::new(cos, sin)
            })
        }
        "folded" => {
            let folds = 3.0 + random.index(4) as f64;
            Box::new(move |s| {
                let along = folds * s;
                let rest = along - along.floor();
                let back = if along.floor() % 2.0 == 0.0 { rest } else { 1.0 - rest };
                DVec2::new(back, gap * along)
            })
        }
        "tube" => Box::new(move |s| {
            let (sin, cos) = (TAU * s).sin_cos();
            DVec2::new(cos, gap * sin)
        }),
        _ => {
            let (waves, phase) = (random.uniform(2.0, 6.0), random.uniform(0.0, TAU));
            Box::new(move |s| DVec2::new(s, 0.5 * (TAU * waves * s + phase).sin()))
        }
    }
}

fn clamped(degree: usize, points: usize) -> Vec<f64> {
    let inner = (1..points - degree).map(|k| k as f64);
    let high = (points - degree) as f64;
    std::iter::repeat_n(0.0, degree + 1).chain(inner).chain(std::iter::repeat_n(high, degree + 1)).collect()
}

struct Case {
    surface: Surface,
    /// Its last side.
    curve: Curve,
    /// The largest coordinate, and how large the shape itself is.
    size: f64,
    scale: f64,
    rational: bool,
    far: bool,
}

/// A surface of the kind `KINDS[kind]`, of any size and anywhere.
fn case(random: &mut Random, kind: usize) -> Case {
    let kind = KINDS[kind];
    let degrees = [1 + random.index(7), 1 + random.index(7)];
    let counts = [degrees[0] + 13 + random.index(20), degrees[1] + 1 + random.index(4)];
    let (rational, far) = (random.chance(0.5), random.chance(0.3));
    let scale = random.log_uniform(-6.0, 6.0);
    let offset = if far { random.direction() * (1e4 * scale) } else { DVec3::ZERO };
    let profile = profile(random, kind);
    let lean = random.uniform(-0.2, 0.2);
    let mut point = |s: f64, t: f64| match kind {
        "tangled" => DVec3::from_array([(); 3].map(|()| random.uniform(-1.0, 1.0))),
        "wavy" => (profile(s) + DVec2::Y * 0.3 * (2.0 * TAU * t).sin()).extend(t),
        "collapsed" => (profile(s) * t).extend(0.5 * t * t),
        _ => (profile(s) * (1.0 + lean * t)).extend(t),
    };
    let share = |k: usize, count: usize| k as f64 / (count - 1) as f64;
    let net = |of: &mut dyn FnMut(f64, f64) -> DVec3| -> Vec<Vec<DVec3>> {
        let row = |i: usize, of: &mut dyn FnMut(f64, f64) -> DVec3| {
            (0..counts[1]).map(|j| of(share(i, counts[0]), share(j, counts[1]))).collect()
        };
        (0..counts[0]).map(|i| row(i, of)).collect()
    };
    let mut points = net(&mut |s, t| offset + scale * point(s, t));
    let weight = |random: &mut Random| if rational { random.log_uniform(-2.0, 2.0) } else { 1.0 };
    let mut weights: Vec<Vec<f64>> =
        (0..counts[0]).map(|_| (0..counts[1]).map(|_| weight(random)).collect()).collect();
    if kind == "tube" {
        points[counts[0] - 1] = points[0].clone();
        weights[counts[0] - 1] = weights[0].clone();
    }
    let knots = [0, 1].map(|i| clamped(degrees[i], counts[i]));
    let side: Vec<DVec3> = points.iter().filter_map(|row| row.last().copied()).collect();
    let side_weights: Vec<f64> = weights.iter().filter_map(|row| row.last().copied()).collect();
    let curve = NurbsCurve::new(degrees[0], knots[0].clone(), &side, Some(&side_weights)).unwrap();
    let size = points.iter().flatten().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
    let surface = NurbsSurface::new(degrees, knots, &points, Some(&weights)).unwrap();
    Case { surface: surface.into(), curve: curve.into(), size, scale, rational, far }
}

/// Places of a grid over a rectangle.
fn grid(part: Rect, [m, n]: [usize; 2]) -> impl Iterator<Item = DVec2> {
    let at =
        move |i: usize, j: usize| DVec2::new(part.u.at(i as f64 / m as f64), part.v.at(j as f64 / n as f64));
    (0..=m).flat_map(move |i| (0..=n).map(move |j| at(i, j)))
}

#[test]
fn places_on_sheets_beside_others_are_found() {
    let mut random = Random::new(75);
    let (mut astray, mut rational, mut far) = ([0; KINDS.len()], 0, 0);
    for k in 0..600 {
        let case = case(&mut random, k % KINDS.len());
        rational += usize::from(case.rational);
        far += usize::from(case.far);
        let (surface, near) = (&case.surface, 1e-12 * case.size);
        let domain = surface.domain();
        for _ in 0..5 {
            let at = DVec2::new(domain.u.at(random.unit()), domain.v.at(random.unit()));
            let target = surface.point(at.x, at.y);
            let found = surface.locate(target, domain, None);
            assert!(domain.contains(found.parameters.x, found.parameters.y));
            assert_eq!(found.point, surface.point(found.parameters.x, found.parameters.y));
            assert!(found.distance <= near, "{k}: {:e} at {at}", found.distance / case.size);
            let place = surface.place_of(target, domain, near);
            assert!(place.is_some_and(|place| place.point.distance(target) <= near), "{k} at {at}");
            // A descent from the nearest of many places is not enough.
            let off = |at: &DVec2| surface.point(at.x, at.y).distance(target);
            let start = grid(domain, [32, 8]).min_by(|a, b| off(a).total_cmp(&off(b)));
            astray[k % KINDS.len()] += usize::from(surface.locate(target, domain, start).distance > near);
            let target = case.curve.point(at.x);
            let found = case.curve.locate(target, domain.u, None);
            assert!(found.distance <= near, "{k}: {:e} at {} of a curve", found.distance / case.size, at.x);
            let place = case.curve.place_of(target, domain.u, near);
            assert!(place.is_some_and(|place| place.point.distance(target) <= near), "{k} at {}", at.x);
        }
    }
    assert!((200..400).contains(&rational) && (120..240).contains(&far), "{rational} {far}");
    assert!(astray.iter().all(|&count| count >= 15), "{astray:?}");
}

#[test]
fn parts_past_the_seam_are_searched() {
    let mut random = Random::new(76);
    let tube = KINDS.iter().position(|kind| *kind == "tube").unwrap();
    let mut beyond = 0;
    for _ in 0..60 {
        let Case { surface, size, .. } = case(&mut random, tube);
        let domain = surface.domain();
        let period = surface.periods()[0].unwrap();
        let low = domain.u.at(random.unit());
        let part = Rect::new(Range::new(low, low + period), domain.v);
        for _ in 0..5 {
            let at = DVec2::new(domain.u.at(random.unit()), domain.v.at(random.unit()));
            let target = surface.point(at.x, at.y);
            let found = surface.locate(target, part, None);
            let DVec2 { x, y } = found.parameters;
            assert!(part.contains(x, y));
            beyond += usize::from(x > domain.u.high);
            let home = surface.point(if x > domain.u.high { x - period } else { x }, y);
            assert!(found.distance <= 1e-12 * size && home.distance(target) <= 1e-9 * size, "{found:?}");
        }
    }
    assert!((90..210).contains(&beyond), "{beyond}");
}

#[test]
fn no_place_of_a_grid_is_nearer_to_points_off_the_surface() {
    let mut random = Random::new(77);
    let mut between = 0;
    for k in 0..120 {
        let case = case(&mut random, k % KINDS.len());
        let (surface, domain) = (&case.surface, case.surface.domain());
        let at = DVec2::new(domain.u.at(random.unit()), domain.v.at(random.unit()));
        let off = case.scale * random.log_uniform(-4.0, 0.0);
        let target = surface.point(at.x, at.y) + off * random.direction();
        let found = surface.locate(target, domain, None);
        let least =
            grid(domain, [400, 60]).map(|p| surface.point(p.x, p.y).distance(target)).fold(off, f64::min);
        assert!(
            found.distance * 63.0 / 64.0 <= least + 1e-12 * case.size,
            "{k}: {:e} {least:e}",
            found.distance
        );
        between += usize::from(found.distance < 0.99 * off);
        let least = 0.98 * found.distance.max(1e-11 * case.size);
        let place = surface.place_of(target, domain, least);
        assert!(place.is_none() || found.distance <= least, "{k}: {place:?}");
    }
    assert!(between > 60, "{between}");
}
