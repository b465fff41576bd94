//! Components of the common curve of two splines, counted on a fine grid; primitives at random poses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::contact::{Contact, TraceDemand, classify, intersection};
use clearance_proximity::global::Prepared;
use clearance_testkit::Random;

/// Lines of the grid that counts components.
const GRID: usize = 300;

/// A height over the square from 0 to 1, as a bicubic spline whose parameters are x and y.
struct Hills {
    surface: NurbsSurface,
}

impl Hills {
    fn random(spans: usize, height: f64, random: &mut Random) -> Self {
        let mut knots = vec![0.0; 4];
        knots.extend((1..spans).map(|k| k as f64 / spans as f64));
        knots.extend([1.0; 4]);
        let greville = |i: usize| (knots[i + 1] + knots[i + 2] + knots[i + 3]) / 3.0;
        let points: Vec<Vec<DVec3>> = (0..spans + 3)
            .map(|i| {
                let row = |j: usize, h: f64| DVec3::new(greville(i), greville(j), h);
                (0..spans + 3).map(|j| row(j, height * random.uniform(-1.0, 1.0))).collect()
            })
            .collect();
        let surface = NurbsSurface::new([3, 3], [knots.clone(), knots], &points, None).unwrap();
        Self { surface }
    }

    fn height(&self, x: f64, y: f64) -> f64 {
        use clearance_geometry::surface::ParametricSurface;
        self.surface.point(x, y).z
    }

    fn body(&self) -> Prepared {
        let patch = Patch::new(self.surface.clone());
        Prepared::new(&Body::from(TiledBody::from_patches(&[patch], None).unwrap())).unwrap()
    }
}

/// Components of the zero set of a function on the square, how many of them reach the rim, and their length; `None` where
/// the grid does not tell.
fn count(value: impl Fn(f64, f64) -> f64) -> Option<(usize, usize, f64)> {
    let step = 1.0 / GRID as f64;
    let at = |i: usize, j: usize| value(i as f64 * step, j as f64 * step);
    let values: Vec<Vec<f64>> = (0..=GRID).map(|i| (0..=GRID).map(|j| at(i, j)).collect()).collect();
    // Edges of the grid: along x from (i, j), then along y.
    let edge = |i: usize, j: usize, up: bool| 2 * (i * (GRID + 1) + j) + usize::from(up);
    let mut parent: Vec<usize> = (0..2 * (GRID + 1) * (GRID + 1)).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    let mut crossed = Vec::new();
    let mut rim = Vec::new();
    let mut length = 0.0;
    for i in 0..GRID {
        for j in 0..GRID {
            let corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
            let ids = [edge(i, j, false), edge(i + 1, j, true), edge(i, j + 1, false), edge(i, j, true)];
            let on_rim = [j == 0, i + 1 == GRID, j + 1 == GRID, i == 0];
            let mut hit = Vec::new();
            for k in 0..4 {
                let ([a, b], [c, d]) = (corners[k], corners[(k + 1) % 4]);
                let (one, other) = (values[a][b], values[c][d]);
                if (one > 0.0) != (other > 0.0) {
                    let share = one / (one - other);
                    let mix = |p: usize, q: usize| p as f64 + (q as f64 - p as f64) * share;
                    hit.push((ids[k], mix(a, c) * step, mix(b, d) * step));
                    crossed.push(ids[k]);
                    if on_rim[k] {
                        rim.push(ids[k]);
                    }
                }
            }
            match hit[..] {
                [] => {}
                [(p, x, y), (q, z, w)] => {
                    let (p, q) = (root(&mut parent, p), root(&mut parent, q));
                    parent[p] = q;
                    let (h, k) = (value(x, y), value(z, w));
                    assert!(h.abs() < 1e-2 && k.abs() < 1e-2);
                    length += ((x - z).powi(2) + (y - w).powi(2)).sqrt();
                }
                // A saddle within one cell.
                _ => return None,
            }
        }
    }
    let mut roots: Vec<usize> = crossed.iter().map(|&e| root(&mut parent, e)).collect();
    roots.sort_unstable();
    roots.dedup();
    let mut open: Vec<usize> = rim.iter().map(|&e| root(&mut parent, e)).collect();
    open.sort_unstable();
    open.dedup();
    Some((roots.len(), open.len(), length))
}

#[test]
fn all_components_of_crossing_splines_are_found() {
    let mut random = Random::new(0x5eed_c0de);
    let (mut checked, mut loops, mut several, mut incomplete) = (0, 0, 0, 0);
    for case in 0..60 {
        let height = [0.5, 0.15, 1.5][case % 3];
        let (a, b) = (
            Hills::random(1 + case % 6, height, &mut random),
            Hills::random(1 + case % 5, height, &mut random),
        );
        let Some((components, open, flat_length)) = count(|x, y| a.height(x, y) - b.height(x, y)) else {
            continue;
        };
        let (first, second) = (a.body(), b.body());
        let found = intersection(&first, &second, &Pose::IDENTITY, &TraceDemand::for_bodies(&first, &second));
        if !found.complete {
            incomplete += 1;
            continue;
        }
        let closed = found.curves.iter().filter(|curve| curve.closed).count();
        assert_eq!(found.curves.len(), components, "case {case}");
        assert_eq!(closed, components - open, "case {case}");
        let seen: f64 = found
            .curves
            .iter()
            .flat_map(|curve| &curve.stretches)
            .flat_map(|stretch| stretch.points.windows(2))
            .map(|pair| pair[0].point.truncate().distance(pair[1].point.truncate()))
            .sum();
        assert!((seen - flat_length).abs() <= 2e-2 * flat_length + 1e-2, "case {case}: {seen} {flat_length}");
        for p in found.curves.iter().flat_map(|curve| curve.points()) {
            let p = p.point;
            assert!((a.height(p.x, p.y) - p.z).abs() < 1e-10 && (b.height(p.x, p.y) - p.z).abs() < 1e-10);
        }
        checked += 1;
        loops += closed;
        several += usize::from(components > 1);
    }
    assert!(checked >= 25 && loops >= 5 && several >= 10 && incomplete <= 3);
}

#[test]
fn primitives_at_random_poses_are_apart_or_cross_in_closed_curves() {
    let mut random = Random::new(0xc0ff_ee00);
    let solids = [
        Body::from(TiledBody::sphere(1.0).unwrap()),
        Body::from(TiledBody::torus(1.0, 0.3).unwrap()),
        Body::from(TiledBody::cylinder(0.6, 1.6).unwrap()),
        Body::from(TiledBody::cone(0.8, 1.5, None).unwrap()),
        Body::from(TiledBody::capsule(0.4, 1.2).unwrap()),
        Body::from(TiledBody::ellipsoid([1.2, 0.7, 0.5]).unwrap()),
        Body::from(Polytope::cuboid(DVec3::new(1.0, 1.4, 0.8)).unwrap()),
    ];
    let solids: Vec<Prepared> = solids.iter().map(|body| Prepared::new(body).unwrap()).collect();
    let (mut crossing, mut apart, mut incomplete) = (0, 0, 0);
    for case in 0..240 {
        let (a, b) = (random.pick(&solids).clone(), random.pick(&solids).clone());
        let far = random.uniform(0.2, 2.2);
        let to = random.direction() * far;
        let pose = Pose::from_axis_angle(random.direction(), random.uniform(0.0, 3.0), to).unwrap();
        let found = intersection(&a, &b, &pose, &TraceDemand::for_bodies(&a, &b));
        match classify(&a, &b, &pose, 1e-9) {
            Contact::Crossing(proof) => {
                crossing += 1;
                assert!(proof.sine > 0.0 && !found.curves.is_empty(), "case {case}");
            }
            Contact::Apart { .. } => {
                apart += 1;
                assert!(found.curves.is_empty() && found.complete, "case {case}");
            }
            other => panic!("case {case}: {other:?}"),
        }
        incomplete += usize::from(!found.complete);
    }
    assert!(crossing >= 100 && apart >= 30 && incomplete <= 2, "{crossing} {apart} {incomplete}");
}
