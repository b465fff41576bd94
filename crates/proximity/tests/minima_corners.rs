//! Local minima at corners of trims and at apexes: listed where the distance rises in all directions on the faces around, and
//! nowhere else. The directions are those of points of the faces near by, made here from formulas and polygons alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{
    Cone, Cylinder, NurbsSurface, ParametricSurface, Plane, Sphere, Surface, Torus,
};
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DQuat, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Precision, Proximity, local_minima, local_minima_within};

/// Numbers from −1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self) -> Pose {
        let turn = DQuat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize();
        Pose::new(turn, 3.0 * self.point()).unwrap()
    }
}

/// How the distance from a point changes from a corner, at the least, by how far points around are from it.
fn least_slope(corner: DVec3, target: DVec3, around: impl Iterator<Item = DVec3>) -> f64 {
    let far = corner.distance(target);
    around.map(|p| (p.distance(target) - far) / p.distance(corner)).fold(f64::INFINITY, f64::min)
}

/// A surface, the same as a formula, and polygons of its parameters.
struct Sheet {
    surface: Surface,
    formula: fn(f64, f64) -> DVec3,
    loops: Vec<Vec<DVec2>>,
}

impl Sheet {
    /// With one dent in its rim, and a hole, over a square of parameters.
    fn dented(surface: Surface, formula: fn(f64, f64) -> DVec3, low: [f64; 2], high: [f64; 2]) -> Self {
        let (low, high) = (DVec2::from_array(low), DVec2::from_array(high));
        let rim = [(0.05, 0.1), (0.9, 0.05), (0.95, 0.9), (0.5, 0.55), (0.1, 0.95)];
        let hole = [(0.2, 0.2), (0.25, 0.4), (0.45, 0.35), (0.5, 0.2)];
        let placed = |corners: &[(f64, f64)]| {
            corners.iter().map(|&(u, v)| low + (high - low) * DVec2::new(u, v)).collect::<Vec<DVec2>>()
        };
        Self { surface, formula, loops: vec![placed(&rim), placed(&hole)] }
    }

    fn all() -> Vec<(&'static str, Self)> {
        let frame = Pose::IDENTITY;
        vec![
            (
                "plane",
                Self::dented(Plane::new(frame).into(), |u, v| DVec3::new(u, v, 0.0), [-1.0; 2], [1.0; 2]),
            ),
            (
                "cylinder",
                Self::dented(
                    Cylinder::new(frame, 1.0).unwrap().into(),
                    |u, v| DVec3::new(u.cos(), u.sin(), v),
                    [-1.0; 2],
                    [1.0; 2],
                ),
            ),
            (
                "sphere",
                Self::dented(
                    Sphere::new(frame, 1.0).unwrap().into(),
                    |u, v| DVec3::new(v.cos() * u.cos(), v.cos() * u.sin(), v.sin()),
                    [-1.0; 2],
                    [1.0; 2],
                ),
            ),
            (
                "torus",
                Self::dented(
                    Torus::new(frame, 1.0, 0.4).unwrap().into(),
                    |u, v| {
                        DVec3::new(
                            (1.0 + 0.4 * v.cos()) * u.cos(),
                            (1.0 + 0.4 * v.cos()) * u.sin(),
                            0.4 * v.sin(),
                        )
                    },
                    [-1.0; 2],
                    [1.0; 2],
                ),
            ),
            (
                "cone",
                Self::dented(
                    Cone::new(frame, 1.0, -0.5).unwrap().into(),
                    |u, v| DVec3::new((1.0 - 0.5 * v) * u.cos(), (1.0 - 0.5 * v) * u.sin(), v),
                    [-1.0, 0.0],
                    [1.0, 1.5],
                ),
            ),
            ("spline", {
                // z = u² − 2 u v + v / 2, over the square from 0 to 1.
                let net = [[0.0, 0.25], [0.0, -0.75], [1.0, -0.5]];
                let net: Vec<Vec<DVec3>> = (0..3)
                    .map(|i| (0..2).map(|j| DVec3::new(0.5 * i as f64, j as f64, net[i][j])).collect())
                    .collect();
                let knots = [[vec![0.0; 3], vec![1.0; 3]].concat(), vec![0.0, 0.0, 1.0, 1.0]];
                let spline = NurbsSurface::new([2, 1], knots, &net, None).unwrap();
                Self::dented(Surface::from(spline), |_, _| DVec3::NAN, [0.0; 2], [1.0; 2])
            }),
        ]
    }

    fn point(&self, at: DVec2) -> DVec3 {
        let by_formula = (self.formula)(at.x, at.y);
        if by_formula.is_nan() { self.surface.point(at.x, at.y) } else { by_formula }
    }

    /// Whether parameters are within the rim and not in the hole: crossings of a ray with all polygons.
    fn holds(&self, at: DVec2) -> bool {
        let crosses = |corners: &Vec<DVec2>| {
            let sides = (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
            sides
                .filter(|(a, b)| {
                    (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
                })
                .count()
        };
        self.loops.iter().map(crosses).sum::<usize>() % 2 == 1
    }

    /// Points of the sheet around a corner.
    fn around(&self, corner: DVec2) -> impl Iterator<Item = DVec3> {
        let steps =
            (0..3600).map(|k| DVec2::from_angle(std::f64::consts::TAU * f64::from(k) / 3600.0) * 1e-5);
        steps.map(move |step| corner + step).filter(|at| self.holds(*at)).map(|at| self.point(at))
    }

    fn body(&self) -> Body {
        let patch = Patch::new(self.surface.clone()).trimmed(self.loops.clone());
        TiledBody::from_patches(&[patch], None).unwrap().into()
    }
}

/// The points of a sheet that are minima of the distance to the origin, in its frame, with bodies in any order, and whether all
/// were found.
fn minima_of(sheet: &Body, pose: &Pose, swapped: bool) -> (Vec<DVec3>, bool) {
    let point = Body::from(Polytope::point());
    let (found, complete) = if swapped {
        local_minima(sheet, &point, &pose.inverse()).unwrap()
    } else {
        local_minima(&point, sheet, pose).unwrap()
    };
    let own = |pair: &Proximity| {
        let [a, b] = pair.witnesses.map(|witness| witness.point);
        if swapped { a } else { pose.apply_inverse(b) }
    };
    (found.iter().map(own).collect(), complete)
}

#[test]
fn corners_of_trims_are_minima_where_the_distance_rises_all_around() {
    let mut random = Random(0x51ed_270b_9c1f_3a77);
    let (mut listed, mut falls_inside, mut tight) = (0, 0, 0);
    for (name, sheet) in Sheet::all() {
        let body = sheet.body();
        let middle = sheet.point(sheet.loops.iter().flatten().copied().sum::<DVec2>() / 9.0);
        for case in 0..150 {
            let pose = random.pose();
            let target = middle + 1.6 * random.point();
            // The point is the origin of its own frame.
            let pose = pose.with_translation(-pose.rotate(target));
            let (found, complete) = minima_of(&body, &pose, case % 2 == 0);
            assert!(complete, "{name} {case}");
            for corners in &sheet.loops {
                for k in 0..corners.len() {
                    let corner = sheet.point(corners[k]);
                    let slope = least_slope(corner, target, sheet.around(corners[k]));
                    let is_listed = found.iter().any(|own| own.distance(corner) < 1e-7);
                    if slope.abs() < 3e-3 {
                        tight += 1;
                        continue;
                    }
                    assert_eq!(is_listed, slope > 0.0, "{name} {case}: corner {k}, {slope}, {found:?}");
                    listed += usize::from(is_listed);
                    // What edges alone do not tell.
                    let sides = [1, corners.len() - 1].map(|n| corners[(k + n) % corners.len()]);
                    let along = sides.map(|to| sheet.point(corners[k] + (to - corners[k]) * 1e-5));
                    falls_inside +=
                        usize::from(slope < 0.0 && least_slope(corner, target, along.into_iter()) > 0.0);
                }
            }
        }
    }
    assert!(listed > 300 && falls_inside > 300 && tight < 60, "{listed} {falls_inside} {tight}");
}

/// Beside a ring as beside a point: the ring's witness is where the ring is seen from the corner.
#[test]
fn no_corner_beside_a_ring_is_one_that_the_distance_falls_from() {
    let ring = Body::from(TiledBody::torus(0.5, 0.2).unwrap());
    let mut random = Random(0x0dd0_c0de_1234_5678);
    let few = Precision { max_pairs: Some(200_000), ..Precision::default() };
    let (mut corners, mut others) = (0, 0);
    for (name, sheet) in Sheet::all() {
        let body = sheet.body();
        let known: Vec<DVec2> = sheet.loops.iter().flatten().copied().collect();
        for case in 0..5 {
            let pose = random.pose();
            let at = sheet.point(known[case % known.len()]) + 1.2 * random.point().normalize();
            let pose = pose.with_translation(-pose.rotate(at));
            let (found, _) = local_minima_within(&ring, &body, &pose, &few).unwrap();
            for pair in found.iter().filter(|pair| pair.distance > 1e-3) {
                let [seen, own] = pair.witnesses.map(|witness| pose.apply_inverse(witness.point));
                let Some(corner) = known.iter().find(|at| sheet.point(**at).distance(own) < 1e-7) else {
                    others += 1;
                    continue;
                };
                corners += 1;
                let slope = least_slope(own, seen, sheet.around(*corner));
                assert!(slope > -1e-3, "{name} {case}: {slope}, {pair:?}");
            }
        }
    }
    assert!(corners > 8 && others > 20, "{corners} {others}");
}

/// A patch whose side at u = 0 is one point: its lines leave that along a curve of directions.
fn fan() -> (NurbsSurface, Body) {
    let knots = || [vec![0.0; 3], vec![1.0; 3]].concat();
    let rim = [DVec3::new(1.0, -0.8, -0.3), DVec3::new(1.5, 0.1, 0.9), DVec3::new(0.2, 1.0, -0.4)];
    let net: Vec<Vec<DVec3>> =
        [0.0, 0.5, 1.0].iter().map(|&u| rim.iter().map(|&p| p * u).collect()).collect();
    let spline = NurbsSurface::new([2; 2], [knots(), knots()], &net, None).unwrap();
    let body = TiledBody::from_patches(&[Patch::new(spline.clone())], None).unwrap().into();
    (spline, body)
}

#[test]
fn apexes_are_minima_where_the_distance_rises_along_all_lines() {
    let mut random = Random(0xfeed_beef_0101_0202);
    let cone = |radius: f64, height: f64| TiledBody::cone(radius, height, None).unwrap();
    let apex = |height: f64| DVec3::Z * height;
    // Bodies, their apexes, and where the lines from these lead to.
    type Lines = Box<dyn Fn(f64) -> DVec3>;
    let lines = |radius: f64| -> Lines {
        Box::new(move |share| (DVec2::from_angle(std::f64::consts::TAU * share) * radius).extend(0.0))
    };
    let (spline, patch) = fan();
    let half = Patch::new(Cone::new(Pose::IDENTITY, 0.8, -0.8).unwrap())
        .over(Rect::new(Range::new(2.0, 4.5), Range::new(0.0, 1.0)));
    let cases: Vec<(&str, Body, DVec3, Lines)> = vec![
        ("surface", Body::from(cone(1.0, 1.0)).boundary(), apex(1.0), lines(1.0)),
        ("slender", Body::from(cone(0.3, 1.2)).boundary(), apex(1.2), lines(0.3)),
        ("flat", Body::from(cone(1.2, 0.5)).boundary(), apex(0.5), lines(1.2)),
        (
            "union",
            PartTree::of_parts(vec![(Part::Tiled(cone(0.7, 0.8)), Pose::IDENTITY)]).unwrap().into(),
            apex(0.8),
            lines(0.7),
        ),
        (
            "sector",
            TiledBody::from_patches(&[half], None).unwrap().into(),
            apex(1.0),
            Box::new(|share| (DVec2::from_angle(2.0 + 2.5 * share) * 0.8).extend(0.0)),
        ),
        ("patch", patch, DVec3::ZERO, Box::new(move |share| spline.point(1.0, share))),
    ];
    let (mut listed, mut refused, mut tight) = (0, 0, 0);
    for (name, body, apex, line) in cases {
        let mut of_kind = [0, 0];
        let middle = (0..64).map(|k| line(f64::from(k) / 64.0)).sum::<DVec3>() / 64.0;
        for case in 0..200 {
            let pose = random.pose();
            // Half of them about where the lines come from.
            let back = if case % 4 < 2 { (apex - middle).normalize() } else { DVec3::ZERO };
            let target = apex + 0.8 * back + random.point() * if case % 4 < 2 { 0.5 } else { 1.5 };
            let pose = pose.with_translation(-pose.rotate(target));
            let (found, complete) = minima_of(&body, &pose, case % 2 == 0);
            let ends = (0..=3600).map(|k| apex + (line(f64::from(k) / 3600.0) - apex) * 1e-5);
            let slope = least_slope(apex, target, ends);
            // Minima close to an apex are beyond the smallest cells. From within a solid nothing is seen.
            if slope.abs() < 3e-3 || !complete && slope < 0.05 {
                tight += 1;
                continue;
            }
            if found.is_empty() {
                continue;
            }
            let is_listed = found.iter().any(|own| own.distance(apex) < 1e-7);
            assert_eq!(is_listed, slope > 0.0, "{name} {case}: {slope}, {found:?}");
            of_kind[usize::from(is_listed)] += 1;
        }
        assert!(of_kind.into_iter().all(|count| count > 5), "{name}: {of_kind:?}");
        refused += of_kind[0];
        listed += of_kind[1];
    }
    assert!(listed > 60 && refused > 500 && tight < 20, "{listed} {refused} {tight}");
}

/// A tube with a heart for its profile: the notch is a seam, at which its one face begins and ends, and the tangent planes of both
/// sides lie apart. Minima are those of the profile, where they are and at the rims' heights.
#[test]
fn both_sides_of_a_seam_decide() {
    let profile = [(0.0, 0.3), (1.0, 1.2), (1.2, -0.5), (0.0, -1.0), (-1.2, -0.5), (-1.0, 1.2), (0.0, 0.3)];
    let net: Vec<Vec<DVec3>> =
        profile.iter().map(|&(x, y)| [-1.0, 1.0].map(|z| DVec3::new(x, y, z)).to_vec()).collect();
    let knots = [vec![0.0, 0.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.0, 1.0], vec![0.0, 0.0, 1.0, 1.0]];
    let spline = NurbsSurface::new([2, 1], knots, &net, None).unwrap();
    let count = 6000;
    let samples: Vec<DVec2> =
        (0..count).map(|k| spline.point(k as f64 / count as f64, 0.5).truncate()).collect();
    let body = Body::from(TiledBody::from_patches(&[Patch::new(spline)], None).unwrap());
    let mut random = Random(0x7777_1234_0bad_cafe);
    let (mut at_notch, mut at_rim, mut elsewhere, mut fallen) = (0, 0, 0, 0);
    for case in 0..300 {
        let target = random.point() * 1.6 + DVec3::Y * if case % 3 == 0 { 0.6 } else { 0.0 };
        let far = |k: usize| samples[k % count].distance(target.truncate());
        let is_dip = |k: &usize| far(*k) <= far(*k + count - 1) && far(*k) < far(*k + 1);
        let z = target.z.clamp(-1.0, 1.0);
        let dips: Vec<DVec3> = (0..count).filter(is_dip).map(|k| samples[k].extend(z)).collect();
        let pose = random.pose();
        let pose = pose.with_translation(-pose.rotate(target));
        let (found, complete) = minima_of(&body, &pose, case % 2 == 0);
        let is_near = |a: &DVec3, b: &DVec3| a.distance(*b) < 2e-3;
        let are_same = found.iter().all(|own| dips.iter().any(|dip| is_near(own, dip)))
            && dips.iter().all(|dip| found.iter().any(|own| is_near(own, dip)));
        assert!(complete && are_same, "{case}: {target}, {found:?}, {dips:?}");
        // At the notch the distance rises to both sides, or falls to one of them alone.
        let (before, after) = (far(count - 1) - far(0), far(1) - far(0));
        let is_notch = before > 0.0 && after > 0.0;
        at_notch += usize::from(is_notch);
        at_rim += usize::from(is_notch && z.abs() == 1.0);
        elsewhere += dips.len() - usize::from(is_notch);
        fallen += usize::from((before > 0.0) != (after > 0.0));
    }
    let counts = [at_notch, at_rim, elsewhere, fallen];
    assert!(counts.into_iter().all(|count| count > 15), "{counts:?}");
}
