//! Depths of overlap regions against dense samples of both surfaces, exchange of the bodies, and motion of both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::contact::OverlapRegion;
use clearance_proximity::overlap_regions;
use clearance_testkit::Random;
use std::f64::consts::TAU;

/// A body with its own signed distance and its own samples, which share nothing with the crate.
#[derive(Clone, Debug)]
enum Shape {
    Torus(f64, f64),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Cuboid(DVec3),
    /// Balls that do not meet, by centre and radius.
    Balls(Vec<(DVec3, f64)>),
}

use Shape::{Balls, Cone, Cuboid, Cylinder, Torus};

impl Shape {
    fn random(kind: usize, random: &mut Random) -> Self {
        let mut length = |low: f64, high: f64| random.uniform(low, high);
        match kind {
            0 => Torus(length(0.8, 1.5), length(0.1, 0.6)),
            1 => Cylinder(length(0.2, 0.8), length(0.2, 3.0)),
            2 => Cone(length(0.3, 1.0), length(0.4, 2.5)),
            3 => Cuboid(DVec3::new(length(0.3, 1.2), length(0.3, 1.2), length(0.2, 2.0))),
            _ => {
                let (one, other, gap) = (length(0.3, 0.8), length(0.3, 0.8), length(0.1, 0.6));
                Balls(vec![(DVec3::X * (one + 0.5 * gap), one), (DVec3::NEG_X * (other + 0.5 * gap), other)])
            }
        }
    }

    fn body(&self) -> Body {
        match self {
            Torus(major, minor) => TiledBody::torus(*major, *minor).unwrap().into(),
            Cylinder(radius, height) => TiledBody::cylinder(*radius, *height).unwrap().into(),
            Cone(radius, height) => TiledBody::cone(*radius, *height, None).unwrap().into(),
            Cuboid(size) => Polytope::cuboid(*size).unwrap().into(),
            Balls(balls) => {
                let ball = |&(center, radius): &(DVec3, f64)| {
                    let body = Part::Tiled(TiledBody::sphere(radius).unwrap());
                    (body, Pose::from_translation(center).unwrap())
                };
                PartTree::of_parts(balls.iter().map(ball).collect()).unwrap().into()
            }
        }
    }

    /// How deep a point is; negative outside, where it is a lower bound on the distance.
    fn depth(&self, p: DVec3) -> f64 {
        let around = p.truncate().length();
        match self {
            Torus(major, minor) => minor - DVec2::new(around - major, p.z).length(),
            Cylinder(radius, height) => (radius - around).min(0.5 * height - p.z.abs()),
            Cone(radius, height) => {
                let slant = DVec2::new(*height, *radius).normalize();
                (radius * slant.x - DVec2::new(around, p.z).dot(slant)).min(p.z)
            }
            Cuboid(size) => (0.5 * *size - p.abs()).min_element(),
            Balls(balls) => balls.iter().map(|(c, r)| r - p.distance(*c)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Points of the surface, with those of edges and corners.
    fn samples(&self) -> Vec<DVec3> {
        let disc = |radius: f64, z: f64| {
            grid(90, 20).map(move |(u, v)| (DVec2::from_angle(TAU * u) * radius * v).extend(z))
        };
        match self {
            Torus(major, minor) => grid(180, 90)
                .map(|(u, v)| {
                    let tube = DVec2::from_angle(TAU * v) * *minor;
                    (DVec2::from_angle(TAU * u) * (major + tube.x)).extend(tube.y)
                })
                .collect(),
            Cylinder(radius, height) => {
                let side = grid(180, 60)
                    .map(|(u, v)| (DVec2::from_angle(TAU * u) * *radius).extend(height * (v - 0.5)));
                side.chain(disc(*radius, 0.5 * height)).chain(disc(*radius, -0.5 * height)).collect()
            }
            Cone(radius, height) => {
                let side = grid(180, 60)
                    .map(|(u, v)| (DVec2::from_angle(TAU * u) * *radius * (1.0 - v)).extend(height * v));
                side.chain(disc(*radius, 0.0)).collect()
            }
            Cuboid(size) => (0..3)
                .flat_map(|axis| [-0.5, 0.5].map(|end| (axis, end)))
                .flat_map(|(axis, end)| {
                    grid(50, 50).map(move |(u, v)| {
                        let mut at = DVec3::ZERO;
                        (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (end, u - 0.5, v - 0.5);
                        *size * at
                    })
                })
                .collect(),
            Balls(balls) => balls
                .iter()
                .flat_map(|(center, radius)| {
                    grid(120, 60).map(move |(u, v)| {
                        let (sin, cos) = (0.5 * TAU * v).sin_cos();
                        *center + (DVec2::from_angle(TAU * u) * sin).extend(cos) * *radius
                    })
                })
                .collect(),
        }
    }
}

/// Points of the unit square, its rim among them.
fn grid(columns: usize, rows: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..=columns)
        .flat_map(move |i| (0..=rows).map(move |j| (i as f64 / columns as f64, j as f64 / rows as f64)))
}

/// The greatest depth of a sample of either surface in the other body.
fn sampled([a, b]: [&Shape; 2], pose: &Pose) -> f64 {
    let of_a = a.samples().into_iter().map(|p| b.depth(pose.apply_inverse(p)));
    let of_b = b.samples().into_iter().map(|p| a.depth(pose.apply(p)));
    of_a.chain(of_b).fold(0.0, f64::max)
}

/// Cells of a grid along each axis.
const GRID: usize = 64;

/// The connected parts of the overlap on a grid around A, and the width of its cells.
fn counted([a, b]: [&Shape; 2], pose: &Pose) -> (usize, f64) {
    let reach = a.samples().into_iter().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
    let step = 2.0 * reach / GRID as f64;
    let inside = |at: [usize; 3]| {
        let p = DVec3::from_array(at.map(|i| (i as f64 + 0.5) * step - reach));
        a.depth(p) > 0.0 && b.depth(pose.apply_inverse(p)) > 0.0
    };
    let place = |[i, j, k]: [usize; 3]| (i * GRID + j) * GRID + k;
    let all = || (0..GRID).flat_map(|i| (0..GRID).flat_map(move |j| (0..GRID).map(move |k| [i, j, k])));
    let mut open: Vec<bool> = all().map(inside).collect();
    let mut parts = 0;
    for start in all() {
        if !std::mem::take(&mut open[place(start)]) {
            continue;
        }
        parts += 1;
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            let near = |axis: usize| at[axis].saturating_sub(1)..=(at[axis] + 1).min(GRID - 1);
            for next in near(0).flat_map(|i| near(1).flat_map(move |j| near(2).map(move |k| [i, j, k]))) {
                if std::mem::take(&mut open[place(next)]) {
                    waiting.push(next);
                }
            }
        }
    }
    (parts, step)
}

/// What a region says of itself, by the signed distances of this file.
#[track_caller]
fn check(region: &OverlapRegion, [a, b]: [&Shape; 2], pose: &Pose) {
    let [p, q] = region.points;
    let heights = [a.depth(p), b.depth(pose.apply_inverse(q))];
    assert!(heights.iter().all(|height| height.abs() < 1e-8), "off the surfaces by {heights:?}");
    let deep = a.depth(q).max(b.depth(pose.apply_inverse(p)));
    assert!((deep - region.depth).abs() < 1e-8, "{deep}, not {}", region.depth);
    assert!((q - p + region.normal * region.depth).length() < 1e-8);
    assert!(region.upper >= region.depth);
}

fn random_pose(random: &mut Random, far: f64) -> Pose {
    Pose::new(random.quaternion(), random.direction() * random.uniform(0.0, far)).unwrap()
}

/// Whether regions are the same, the deepest first, when the bodies are exchanged.
#[track_caller]
fn same(one: &[OverlapRegion], other: &[OverlapRegion], what: &str) {
    let depths = |regions: &[OverlapRegion]| regions.iter().map(|region| region.depth).collect::<Vec<f64>>();
    assert_eq!(one.len(), other.len(), "{what}: {:?} and {:?}", depths(one), depths(other));
    for (one, other) in one.iter().zip(other) {
        assert!((one.depth - other.depth).abs() < 1e-6, "{what}: {} and {}", one.depth, other.depth);
    }
}

#[test]
fn no_sample_is_deeper_than_its_region() {
    let [mut deep, mut several, mut sharp, mut closed, mut fewer] = [0; 5];
    for case in 0..CASES {
        let mut random = Random::for_case(41, case);
        let kinds = [0, 4][random.index(2)];
        let (one, other) = (Shape::random(kinds, &mut random), Shape::random(case as usize % 5, &mut random));
        let (a, b) = if random.chance(0.5) { (one, other) } else { (other, one) };
        let pose = random_pose(&mut random, 1.8);
        let (body_a, body_b) = (a.body(), b.body());
        let found = overlap_regions(&body_a, &body_b, &pose).unwrap();
        let most = sampled([&a, &b], &pose);
        found.regions.iter().for_each(|region| check(region, [&a, &b], &pose));
        let what = format!("case {case}, {a:?} and {b:?} at {pose:?}");
        let Some(deepest) = found.regions.first() else {
            assert!(most < 1e-3, "no region, but a sample {most} deep: {what}");
            continue;
        };
        assert!(deepest.depth >= most - 1e-7, "{} deep, a sample {most}: {what}", deepest.depth);
        assert!(deepest.depth <= most + 0.05, "{} deep, all samples {most}: {what}", deepest.depth);
        deep += 1;
        // Parts that the grid resolves are not split.
        let (parts, step) = counted([&a, &b], &pose);
        let resolved = found.regions.iter().filter(|region| region.depth > 2.0 * step).count();
        let depths: Vec<f64> = found.regions.iter().map(|region| region.depth).collect();
        assert!(resolved <= parts, "{parts} parts on the grid, regions {depths:?}: {what}");
        // Thin parts fall to pieces on the grid.
        fewer += usize::from(found.regions.len() < parts);
        several += usize::from(found.regions.len() > 1);
        let own = deepest.witnesses.iter().any(|witness| witness.feature.dimension() < 2);
        sharp += usize::from(own);
        closed += usize::from(found.regions.iter().all(|region| region.upper - region.depth < 1e-6));
        let back = overlap_regions(&body_b, &body_a, &pose.inverse()).unwrap();
        same(&found.regions, &back.regions, &format!("exchanged: {what}"));
        let by = random_pose(&mut random, 100.0);
        let moved = Pose::between(&by, &(by * pose));
        let moved = overlap_regions(&body_a, &body_b, &moved).unwrap();
        same(&found.regions, &moved.regions, &format!("moved: {what}"));
    }
    // What the cases are like.
    assert!(
        deep >= 120 && several >= 40 && sharp >= 15,
        "{deep} overlap, {several} several, {sharp} at edges"
    );
    assert!(closed >= 120, "bounds of {closed} are closed");
    assert!(fewer <= 5, "{fewer} have fewer regions than parts on the grid");
}

fn placed(rotation: [f64; 4], translation: [f64; 3]) -> Pose {
    Pose::new(clearance_geometry::DQuat::from_array(rotation).normalize(), translation.into()).unwrap()
}

/// Both ways round: the same regions, the points of one on A those of the other on B.
#[track_caller]
fn both_ways([a, b]: [&Shape; 2], pose: &Pose) -> Vec<OverlapRegion> {
    let found = overlap_regions(&a.body(), &b.body(), pose).unwrap().regions;
    let back = overlap_regions(&b.body(), &a.body(), &pose.inverse()).unwrap().regions;
    same(&found, &back, "exchanged");
    for (one, other) in found.iter().zip(&back) {
        check(one, [a, b], pose);
        check(other, [b, a], &pose.inverse());
        // Which of two equally near points is the foot is open; the features tell that the same point is deepest.
        let own = |region: &OverlapRegion, side: usize| region.witnesses[side].feature;
        assert_eq!([own(one, 0), own(one, 1)], [own(other, 1), own(other, 0)]);
    }
    found
}

/// A corner of a box in a tube, and a face of one across the middle of another.
#[test]
fn corners_and_edges_are_the_deepest() {
    let tube = Torus(1.063_714_920_855_077, 0.528_174_280_485_800_8);
    let block = Cuboid(DVec3::new(0.950_760_064_751_055, 0.673_085_728_332_176_5, 1.227_751_583_427_696_9));
    let at_tube = placed(
        [
            -0.319_298_298_126_875_16,
            0.807_869_472_172_483_8,
            0.403_607_468_929_976_95,
            -0.287_222_080_921_664_46,
        ],
        [0.0; 3],
    );
    let at_block = placed(
        [
            -0.113_503_356_811_609_53,
            -0.669_555_714_075_570_2,
            -0.061_207_695_110_048_865,
            0.731_481_887_541_014_3,
        ],
        [0.838_590_007_668_003_2, -0.001_734_299_295_431_831_5, 0.952_505_069_277_901_5],
    );
    let regions = both_ways([&block, &tube], &Pose::between(&at_block, &at_tube));
    assert!((regions[0].depth - 0.092_167_859).abs() < 1e-8, "{}", regions[0].depth);
    let tube = Torus(0.872_783_348_048_751_1, 0.271_796_722_335_234_8);
    let block = Cuboid(DVec3::new(0.792_340_087_610_518_8, 1.039_620_586_230_493, 1.322_806_749_142_002_6));
    let at_tube = placed(
        [
            0.549_857_739_287_944_6,
            -0.194_017_352_671_372_1,
            0.765_606_706_217_225_3,
            -0.271_772_156_047_588_2,
        ],
        [0.0; 3],
    );
    let at_block = placed(
        [0.303_187_586_153_704_7, 0.393_317_101_544_464_36, 0.588_163_309_472_248_4, 0.638_312_514_858_986_2],
        [0.059_051_749_466_058_31, 0.046_587_364_872_950_62, 0.309_371_133_570_775_67],
    );
    let regions = both_ways([&tube, &block], &Pose::between(&at_tube, &at_block));
    assert!((regions[0].depth - 0.271_796_722_3).abs() < 1e-8, "{}", regions[0].depth);
}

#[test]
fn exchange_changes_no_region() {
    let (tube, can, cone) = (Torus(1.0, 0.3), Cylinder(0.5, 2.0), Cone(0.6, 1.2));
    let at_can = placed(
        [
            -0.423_595_190_024_470_8,
            -0.570_404_043_423_115_3,
            0.375_178_481_455_230_64,
            -0.595_354_893_561_512_9,
        ],
        [0.326_485_338_817_138_1, -0.204_445_904_971_058_66, 0.219_524_996_376_482_4],
    );
    let regions = both_ways([&tube, &can], &at_can);
    assert!((regions[0].depth - 0.5).abs() < 1e-8, "{}", regions[0].depth);
    let at_tube = placed(
        [
            -0.641_012_851_146_526_7,
            -0.042_761_524_329_957_11,
            -0.308_513_027_757_034_76,
            -0.701_493_897_625_750_2,
        ],
        [-0.635_181_525_910_255_7, 0.596_450_638_136_499_6, 0.708_511_181_322_463_5],
    );
    let regions = both_ways([&cone, &tube], &at_tube);
    assert_eq!(regions.len(), 1);
    assert!((regions[0].depth - 0.131_097).abs() < 1e-4, "{}", regions[0].depth);
}

const CASES: u64 = 200;
