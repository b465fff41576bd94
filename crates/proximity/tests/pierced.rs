//! Sheets that go through convex bodies: a sheet with points on both sides of a boundary crosses it, and has to be said to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Pose};
use clearance_proximity::{Ended, Precision, Scratch, State};
use clearance_testkit::Random;

/// Control points along each side of a sheet.
const COUNT: usize = 7;

/// A body with what is negative inside it where it has no scale.
type Solid = (Body, fn(DVec3) -> f64);

/// Uniform cubic knots with both ends clamped.
fn knots() -> Vec<f64> {
    let inner = (1..COUNT - 3).map(|i| i as f64 / (COUNT - 3) as f64);
    [0.0; 4].into_iter().chain(inner).chain([1.0; 4]).collect()
}

/// The value of basis function `i` of a degree, by its definition.
fn basis(knots: &[f64], i: usize, degree: usize, t: f64) -> f64 {
    if degree == 0 {
        return f64::from(u8::from(knots[i] <= t && t < knots[i + 1]));
    }
    let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    let rises = share(t - knots[i], knots[i + degree] - knots[i]);
    let falls = share(knots[i + degree + 1] - t, knots[i + degree + 1] - knots[i + 1]);
    rises * basis(knots, i, degree - 1, t) + falls * basis(knots, i + 1, degree - 1, t)
}

/// The basis functions at places along a side. The spans are half open.
fn rows() -> Vec<Vec<f64>> {
    let knots = knots();
    let at = |k: usize| (k as f64 / 24.0).min(1.0 - 1e-12);
    (0..=24).map(|k| (0..COUNT).map(|i| basis(&knots, i, 3, at(k))).collect()).collect()
}

/// Points of a sheet, by the definition of its basis.
fn samples(rows: &[Vec<f64>], net: &[Vec<DVec3>]) -> Vec<DVec3> {
    let point = |u: &[f64], v: &[f64]| {
        (0..COUNT * COUNT).map(|k| net[k / COUNT][k % COUNT] * (u[k / COUNT] * v[k % COUNT])).sum::<DVec3>()
    };
    rows.iter().flat_map(|u| rows.iter().map(move |v| point(u, v))).collect()
}

/// Bodies whose farthest points are formulas, scaled.
fn solids(s: f64) -> [Solid; 4] {
    let body = |tiled: TiledBody| Body::from(tiled);
    [
        (body(TiledBody::ellipsoid([s, 0.6 * s, 0.4 * s]).unwrap()), |p| {
            (p / DVec3::new(1.0, 0.6, 0.4)).length() - 1.0
        }),
        (body(TiledBody::cylinder(0.6 * s, 1.6 * s).unwrap()), |p| {
            (p.truncate().length() / 0.6).max(p.z.abs() / 0.8) - 1.0
        }),
        (body(TiledBody::cone(0.8 * s, 1.2 * s, None).unwrap()), |p| {
            (p.truncate().length() / 0.8 + p.z / 1.2 - 1.0).max(-p.z / 1.2)
        }),
        (body(TiledBody::sphere(0.7 * s).unwrap()), |p| p.length() / 0.7 - 1.0),
    ]
}

/// Wavy sheets, some long, around a convex body: one, or a body of many, in half of the cases one of them inside. Those with
/// points well inside and well outside cross its boundary.
#[test]
fn sheets_through_convex_bodies_are_seen_to_cross() {
    let mut random = Random::new(404);
    let scales = [1.0, 1e-6, 1e6].map(|scale| (scale, solids(scale)));
    let (rows, mut scratch) = (rows(), Scratch::new());
    let (mut crossing, mut apart, mut with_inner) = (0, 0, 0);
    for case in 0..1200 {
        let (scale, solids) = &scales[case % scales.len()];
        let (solid, inside) = &solids[case % solids.len()];
        let (mut crosses, mut has_inner, mut is_off, mut patches) = (false, false, true, Vec::new());
        for number in 0..[1, 2, 2, 6][case / 12 % 4] {
            let inner = number == 0 && case % 2 == 0;
            let width = 10_f64.powf(random.uniform(-1.7, 0.2));
            let (length, width, reach) =
                if inner { (0.4, 0.2 * width, 0.1) } else { (random.uniform(0.5, 3.0), width, 1.5) };
            let (turn, off) = (random.rotation(), reach * random.in_ball() + DVec3::Z * 0.2);
            let wave = random.uniform(0.0, 0.4) * width;
            let mut point = |i: usize, j: usize| {
                let place = |k: usize| k as f64 / (COUNT - 1) as f64 - 0.5;
                turn * DVec3::new(length * place(i), width * place(j), wave * random.uniform(-1.0, 1.0)) + off
            };
            let net: Vec<Vec<DVec3>> =
                (0..COUNT).map(|i| (0..COUNT).map(|j| point(i, j)).collect()).collect();
            let heights: Vec<f64> = samples(&rows, &net).into_iter().map(inside).collect();
            let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let most = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            crosses |= least < -1e-3 && most > 1e-3;
            has_inner |= most < 0.0;
            is_off &= least > 0.2;
            let scaled: Vec<Vec<DVec3>> =
                net.iter().map(|row| row.iter().map(|p| *p * *scale).collect()).collect();
            let surface = NurbsSurface::new([3, 3], [knots(), knots()], &scaled, None).unwrap();
            patches.push(Patch::new(surface));
        }
        let sheets = Body::from(TiledBody::from_patches(&patches, None).unwrap());
        let found = scratch.find(solid, &sheets, &Pose::IDENTITY, &Precision::default()).unwrap().proximity;
        if crosses {
            crossing += 1;
            with_inner += usize::from(has_inner);
            assert_eq!(found.state, State::Touching, "{case}: {found:?}");
            assert!(matches!(found.ended, Ended::Certified(_)), "{case}: {found:?}");
            assert!(found.work.iterations < 20_000, "{case}: {found:?}");
        } else if is_off {
            apart += 1;
            assert_eq!(found.state, State::Separated, "{case}: {found:?}");
        }
    }
    assert!(crossing > 300 && with_inner > 100 && apart > 50, "{crossing} {with_inner} {apart}");
}
