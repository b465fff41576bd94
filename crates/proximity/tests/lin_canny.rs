//! The reference kernel against brute force over all feature pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod lin_canny_oracle;

use clearance_geometry::{DMat3, DQuat, DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::lin_canny::{Cells, Escape, Options, Relation, Walk, closest_features};
use clearance_proximity::{Ended, distance};
use clearance_testkit::check_proximity;
use lin_canny_oracle::{Rng, Solid, bipyramid, cuboid, icosphere, prism, random_solid, truth};

const INTERIOR: Options = Options { escape: Escape::InteriorWalk, max_pairs: u32::MAX };
const SEARCH: Options = Options { escape: Escape::LinearSearch, max_pairs: u32::MAX };

struct Body {
    polytope: Polytope,
    cells: Cells,
    /// How far a vertex lies outside a face, by rounding of the input: slivers are not quite convex.
    defect: f64,
}

impl Body {
    fn new(polytope: Polytope) -> Self {
        let cells = Cells::new(&polytope);
        let over = polytope.planes().iter().flat_map(|p| polytope.vertices().iter().map(|&v| p.distance(v)));
        let defect = over.fold(0.0, f64::max);
        Self { polytope, cells, defect }
    }

    fn of(solid: &Solid) -> Self {
        Self::new(solid.polytope())
    }

    fn feature(&self, rng: &mut Rng) -> Feature {
        let p = &self.polytope;
        let n = rng.below(p.vertex_count() + p.edge_count() + p.face_count());
        if n < p.vertex_count() {
            Feature::Vertex(VertexId(n as u32))
        } else if n < p.vertex_count() + p.edge_count() {
            Feature::Edge(EdgeId((n - p.vertex_count()) as u32))
        } else {
            Feature::Face(FaceId((n - p.vertex_count() - p.edge_count()) as u32))
        }
    }
}

fn walk(a: &Body, b: &Body, pose: &Pose, start: Option<[Feature; 2]>, options: Options) -> Walk {
    closest_features((&a.polytope, &a.cells), (&b.polytope, &b.cells), pose, start, options)
}

/// Distance of a body-frame point from a feature's closure, roughly: its plane, line or point.
fn off_feature(body: &Polytope, feature: Feature, point: DVec3) -> f64 {
    let local = point - body.anchor();
    match feature {
        Feature::Vertex(v) => local.distance(body.vertex(v)),
        Feature::Edge(e) => {
            let edge = body.edge(e);
            let tail = body.vertex(edge.vertices[0]);
            let t = ((local - tail).dot(edge.vector) / edge.vector.length_squared()).clamp(0.0, 1.0);
            local.distance(tail + edge.vector * t)
        }
        Feature::Face(f) => {
            let sides = body.sides(f).iter().map(|s| s.offset - s.inward.dot(local)).fold(0.0, f64::max);
            body.plane(f).distance(local).abs().max(sides)
        }
    }
}

/// Everything an answer says about itself.
fn check(a: &Body, b: &Body, pose: &Pose, walk: &Walk, slack: f64) -> Result<(), String> {
    if let Relation::Overlapping { common } = walk.relation {
        for (body, point) in [(a, common), (b, pose.apply_inverse(common))] {
            let local = point - body.polytope.anchor();
            let out =
                body.polytope.planes().iter().map(|p| p.distance(local)).fold(f64::NEG_INFINITY, f64::max);
            if out > slack {
                return Err(format!("common point {out:e} outside"));
            }
        }
        return Ok(());
    }
    let length = walk.points[0].distance(walk.points[1]);
    if (length - walk.distance).abs() > slack {
        return Err(format!("witnesses {length} apart, distance {}", walk.distance));
    }
    if (walk.normal.length() - 1.0).abs() > 1e-12 {
        return Err(format!("normal {}", walk.normal));
    }
    if (walk.points[1] - walk.points[0] - walk.normal * walk.distance).length() > slack {
        return Err("the normal does not lead from witness to witness".into());
    }
    for (body, feature, point) in
        [(a, walk.features[0], walk.points[0]), (b, walk.features[1], pose.apply_inverse(walk.points[1]))]
    {
        let off = off_feature(&body.polytope, feature, point);
        if off > slack {
            return Err(format!("witness {off:e} off {feature}"));
        }
    }
    if walk.ended != Ended::Converged {
        return Err(format!("{:?}", walk.ended));
    }
    let bodies = [a, b].map(|body| clearance_geometry::Body::from(body.polytope.clone()));
    let answer = walk.proximity().ok_or("no answer")?;
    // Two points at the origin have no size to be wrong by.
    if a.polytope.reach() + b.polytope.reach() + pose.translation().length() > 0.0 {
        check_proximity(&bodies[0], &bodies[1], pose, &answer)?;
    }
    Ok(())
}

fn expect(a: &Body, b: &Body, pose: &Pose, start: Option<[Feature; 2]>, distance: f64, slack: f64) -> Walk {
    let mut last = None;
    for options in [SEARCH, INTERIOR] {
        let found = walk(a, b, pose, start, options);
        check(a, b, pose, &found, slack).unwrap();
        assert!(
            (found.distance - distance).abs() <= slack
                && !matches!(found.relation, Relation::Overlapping { .. }),
            "expected {distance}, found {found:?}"
        );
        last = Some(found);
    }
    last.unwrap()
}

fn every_start(a: &Body, b: &Body) -> Vec<[Feature; 2]> {
    let all = |p: &Polytope| {
        let mut list: Vec<Feature> =
            (0..p.vertex_count()).map(|i| Feature::Vertex(VertexId(i as u32))).collect();
        list.extend((0..p.edge_count()).map(|i| Feature::Edge(EdgeId(i as u32))));
        list.extend((0..p.face_count()).map(|i| Feature::Face(FaceId(i as u32))));
        list
    };
    let second = all(&b.polytope);
    all(&a.polytope).iter().flat_map(|&x| second.iter().map(move |&y| [x, y])).collect()
}

#[derive(Default, Debug)]
struct Tally {
    separated: usize,
    overlapping: usize,
    near: usize,
    failures: Vec<String>,
    stalled: usize,
    pairs: u64,
    escapes: u64,
}

/// One random pair against brute force, from random starts with both escapes.
fn one_random(rng: &mut Rng, tally: &mut Tally) {
    let aspect = [1.0, 10.0, 1e3, 1e6][rng.below(4)];
    let scale = [1e-6, 1.0, 1e6][rng.below(3)];
    let (a, b) = (random_solid(rng, aspect).scaled(DVec3::splat(scale)), random_solid(rng, aspect));
    let b = b.scaled(DVec3::splat(scale * [1.0, 1.0, 0.01, 100.0][rng.below(4)]));
    let reach = a.radius() + b.radius();
    let far = match rng.below(8) {
        0 => rng.range(0.0, 1e6),
        1..4 => rng.range(0.0, 0.3),
        _ => rng.range(0.0, 1.5),
    };
    let offset = rng.direction() * (far * reach);
    let pose = rng.pose(offset);
    let truth = truth(&a, &b, &pose);
    let size = reach + pose.translation().length();
    let slack = 64.0 * f64::EPSILON * size;
    let (a, b) = (Body::of(&a), Body::of(&b));
    // Slivers are given only within their own rounding.
    let slack = slack + 16.0 * (a.defect + b.defect);
    let near = truth.separation.abs() <= slack;
    for options in [SEARCH, INTERIOR] {
        let start = Some([a.feature(rng), b.feature(rng)]);
        let found = walk(&a, &b, &pose, start, options);
        tally.pairs += u64::from(found.work.iterations);
        tally.escapes += u64::from(found.work.escapes);
        let mut fail = |why: String| {
            tally.failures.push(format!(
                "aspect {aspect:e} scale {scale:e} far {far} {options:?}: {why}; defects {:e} {:e}; slack {slack:e}; truth {} {:e}; {found:?}",
                a.defect, b.defect, truth.distance, truth.separation
            ));
        };
        if let Ended::Stalled { .. } = found.ended {
            tally.stalled += 1;
        }
        if let Err(why) = check(&a, &b, &pose, &found, slack) {
            fail(why);
            continue;
        }
        let overlaps = matches!(found.relation, Relation::Overlapping { .. });
        if !near && overlaps != (truth.separation < 0.0) {
            fail("wrong relation".into());
        } else if !near && !overlaps && (found.distance - truth.distance).abs() > slack {
            fail(format!("distance off by {:e}", found.distance - truth.distance));
        }
    }
    match () {
        () if near => tally.near += 1,
        () if truth.separation > 0.0 => tally.separated += 1,
        () => tally.overlapping += 1,
    }
}

fn random_pairs(count: usize, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut rng = Rng(seed);
    for _ in 0..count {
        one_random(&mut rng, &mut tally);
    }
    tally
}

#[test]
fn random_pairs_equal_brute_force() {
    let count = std::env::var("LIN_CANNY_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let seed = std::env::var("LIN_CANNY_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let tally = random_pairs(count, seed);
    println!(
        "separated {} overlapping {} within rounding {} stalled {} mean pairs {:.2} escapes {:.3} failures {}",
        tally.separated,
        tally.overlapping,
        tally.near,
        tally.stalled,
        tally.pairs as f64 / (2 * count) as f64,
        tally.escapes as f64 / (2 * count) as f64,
        tally.failures.len()
    );
    for line in tally.failures.iter().take(10) {
        println!("{line}");
    }
    assert!(tally.failures.is_empty());
    let share = |n: usize| n as f64 / count as f64;
    assert!((0.3..0.8).contains(&share(tally.separated)), "{}", share(tally.separated));
    assert!((0.2..0.7).contains(&share(tally.overlapping)), "{}", share(tally.overlapping));
    assert!(share(tally.near) < 0.01);
}

fn cube(size: f64) -> Body {
    Body::new(Polytope::cuboid(DVec3::splat(size)).unwrap())
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: DVec3, degrees: f64, x: f64, y: f64, z: f64) -> Pose {
    Pose::from_axis_angle(axis.normalize(), degrees.to_radians(), DVec3::new(x, y, z)).unwrap()
}

/// From every pair of features, with both escapes.
fn expect_from_everywhere(a: &Body, b: &Body, pose: &Pose, distance: f64, slack: f64) {
    for start in every_start(a, b) {
        expect(a, b, pose, Some(start), distance, slack);
    }
    expect(a, b, pose, None, distance, slack);
}

fn expect_relation(a: &Body, b: &Body, pose: &Pose, wanted: &str) {
    for start in every_start(a, b) {
        for options in [SEARCH, INTERIOR] {
            let found = walk(a, b, pose, Some(start), options);
            check(a, b, pose, &found, 1e-12).unwrap();
            let name = match found.relation {
                Relation::Separated => "separated",
                Relation::Touching => "touching",
                Relation::Overlapping { .. } => "overlapping",
            };
            assert_eq!(name, wanted, "from {start:?}: {found:?}");
        }
    }
}

#[test]
fn parallel_faces_from_every_start() {
    for scale in [1e-6, 1.0, 1e6] {
        let (a, b) = (cube(2.0 * scale), cube(scale));
        let pose = shift(4.0 * scale, 0.25 * scale, -0.5 * scale);
        expect_from_everywhere(&a, &b, &pose, 2.5 * scale, 1e-14 * scale);
    }
    let found = expect(&cube(2.0), &cube(1.0), &shift(4.0, 0.25, 0.0), None, 2.5, 0.0);
    assert_eq!(found.normal, DVec3::X);
}

#[test]
fn parallel_edges_from_every_start() {
    let (a, b) = (cube(2.0), cube(2.0));
    // B stands on its edge along z, facing A's edge along z, and reaches half a length beyond it.
    let pose = turned(DVec3::Z, 0.0, 4.0, 4.0, 1.0);
    expect_from_everywhere(&a, &b, &pose, 8.0_f64.sqrt(), 1e-14);
}

#[test]
fn edge_over_face_from_every_start() {
    let pose = turned(DVec3::Z, 45.0, 4.0, 0.25, 0.5);
    expect_from_everywhere(&cube(2.0), &cube(2.0), &pose, 3.0 - 2.0_f64.sqrt(), 1e-14);
}

#[test]
fn vertex_over_edge_and_vertex_over_vertex() {
    let (a, b) = (cube(2.0), cube(2.0));
    expect_from_everywhere(&a, &b, &shift(5.0, 5.0, 5.0), 27.0_f64.sqrt(), 1e-14);
    let corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::new(-1.0, -1.0, 0.0).normalize());
    let pose = Pose::new(corner, DVec3::new(4.0, 4.0, 0.25)).unwrap();
    expect_from_everywhere(&a, &b, &pose, 18.0_f64.sqrt() - 3.0_f64.sqrt(), 1e-14);
}

#[test]
fn touching_bodies_touch() {
    let (a, b) = (cube(2.0), cube(2.0));
    for offset in [(2.0, 0.0, 0.0), (2.0, 0.5, 0.0), (2.0, 2.0, 0.0), (2.0, 2.0, 2.0), (2.0, 2.0, 0.7)] {
        expect_relation(&a, &b, &shift(offset.0, offset.1, offset.2), "touching");
    }
    let reach = 1.0 + 2.0_f64.sqrt();
    expect_relation(&a, &b, &turned(DVec3::Z, 45.0, reach, 0.3, 0.2), "touching");
    let crossed = turned(DVec3::X, 90.0, 0.0, 0.0, 0.0) * turned(DVec3::Z, 45.0, 0.0, 0.0, 0.0);
    let pose = crossed.with_translation(DVec3::new(reach, 0.0, 0.0));
    expect_relation(&a, &b, &pose, "touching");
    let tip = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::X);
    let pose = Pose::new(tip, DVec3::new(1.0 + 3.0_f64.sqrt(), 0.5, 0.1)).unwrap();
    expect_relation(&a, &b, &pose, "touching");
}

#[test]
fn overlapping_bodies_overlap() {
    let (a, b) = (cube(2.0), cube(2.0));
    expect_relation(&a, &b, &Pose::IDENTITY, "overlapping");
    expect_relation(&a, &b, &shift(1.9, 0.0, 0.0), "overlapping");
    expect_relation(&a, &b, &shift(1.9, 1.9, 1.9), "overlapping");
    expect_relation(&a, &b, &shift(1.0, 1.0, 0.0), "overlapping");
    expect_relation(&a, &b, &turned(DVec3::Z, 45.0, 2.4, 0.0, 0.0), "overlapping");
    expect_relation(&a, &cube(0.5), &shift(0.3, 0.1, 0.0), "overlapping");
    expect_relation(&cube(0.5), &a, &shift(0.3, 0.1, 0.0), "overlapping");
    // Crossed bars: edges pierce faces, no vertex is inside.
    let bar = |x, y, z| Body::new(Polytope::cuboid(DVec3::new(x, y, z)).unwrap());
    expect_relation(&bar(10.0, 1.0, 1.0), &bar(1.0, 10.0, 1.0), &shift(0.1, 0.2, 0.3), "overlapping");
    let pose = turned(DVec3::ONE, 50.0, 0.1, 0.2, 0.9);
    expect_relation(&bar(10.0, 1.0, 1.0), &bar(1.0, 10.0, 1.0), &pose, "overlapping");
}

#[test]
fn identical_bodies_overlap_wherever_they_share_space() {
    for solid in [icosphere(1), prism(12, 1.0, 2.0), bipyramid(9, 1.0, 2.0)] {
        let body = Body::of(&solid);
        for x in [0.0, 1e-9, 0.5, 1.0] {
            for start in every_start(&body, &body).into_iter().step_by(37) {
                let found = walk(&body, &body, &shift(x, 0.0, 0.0), Some(start), INTERIOR);
                check(&body, &body, &shift(x, 0.0, 0.0), &found, 1e-13).unwrap();
                assert!(matches!(found.relation, Relation::Overlapping { .. }), "{found:?}");
            }
        }
    }
}

#[test]
fn points_and_segments_have_no_faces() {
    let point = Body::new(Polytope::point());
    let segment =
        Body::new(Polytope::segment([DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)]).unwrap());
    let a = cube(2.0);
    expect_from_everywhere(&point, &point, &shift(3.0, 4.0, 0.0), 5.0, 1e-15);
    expect_from_everywhere(&point, &segment, &shift(0.5, 2.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&segment, &point, &shift(4.0, 4.0, 0.0), 5.0, 1e-15);
    expect_from_everywhere(&segment, &segment, &shift(0.5, 2.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&segment, &segment, &turned(DVec3::Z, 90.0, 0.2, 0.0, 2.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &point, &shift(0.5, 3.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &segment, &shift(0.5, 3.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &segment, &turned(DVec3::Z, 90.0, 0.0, 3.0, 0.0), 1.0, 1e-15);
    expect_relation(&point, &point, &Pose::IDENTITY, "touching");
    expect_relation(&segment, &segment, &turned(DVec3::Z, 90.0, 0.0, 0.0, 0.0), "touching");
    expect_relation(&point, &segment, &shift(0.5, 0.0, 0.0), "touching");
    expect_relation(&a, &point, &shift(0.2, 0.3, 0.4), "overlapping");
    expect_relation(&a, &point, &shift(1.0, 0.3, 0.4), "touching");
    expect_relation(&a, &segment, &shift(1.5, 0.3, 0.4), "overlapping");
    expect_relation(&a, &segment, &shift(0.0, 1.0, 0.4), "touching");
    let long = Body::new(Polytope::segment([DVec3::new(-9.0, 0.0, 0.0), DVec3::new(9.0, 0.0, 0.0)]).unwrap());
    expect_relation(&a, &long, &shift(0.5, 0.3, 0.4), "overlapping");
    expect_relation(&long, &a, &turned(DVec3::ONE, 20.0, 0.5, 0.3, 0.4), "overlapping");
}

#[test]
fn leaning_faces_keep_the_lowest_corner() {
    // B leans toward A by ever smaller angles; the true distance is that of its lowest corner or edge.
    let (a, b) = (cuboid(DVec3::splat(4.0)), cuboid(DVec3::splat(2.0)));
    let (body_a, body_b) = (Body::of(&a), Body::of(&b));
    for axis in [DVec3::Y, DVec3::new(0.0, 1.0, 0.7)] {
        for exponent in 1..17 {
            for gap in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
                let angle = 10.0_f64.powi(-exponent);
                let pose = Pose::from_axis_angle(axis.normalize(), angle, DVec3::new(3.0, 0.1, 0.2)).unwrap();
                let lowest = b.vertices.iter().map(|&v| pose.apply(v).x).fold(f64::INFINITY, f64::min);
                let pose = pose.with_translation(pose.translation() + DVec3::X * (2.0 + gap - lowest));
                let wanted = truth(&a, &b, &pose).distance;
                for start in every_start(&body_a, &body_b).into_iter().step_by(7) {
                    expect(&body_a, &body_b, &pose, Some(start), wanted, 2e-14);
                }
            }
        }
    }
}

#[test]
fn leaning_edges_keep_the_nearest_end() {
    // Edge to edge, nearly parallel, with gaps down to rounding.
    let b = cuboid(DVec3::splat(2.0)).map(DMat3::from_rotation_z(0.25 * std::f64::consts::PI), DVec3::ZERO);
    let body = Body::of(&b);
    for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 0.0)] {
        for exponent in 1..17 {
            for gap in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
                let angle = 10.0_f64.powi(-exponent);
                let offset = DVec3::new(2.0 * 2.0_f64.sqrt() + gap, 0.0, 0.4);
                let pose = Pose::from_axis_angle(axis.normalize(), angle, offset).unwrap();
                let known = truth(&b, &b, &pose);
                if known.separation < 1e-13 {
                    continue;
                }
                for start in every_start(&body, &body).into_iter().step_by(7) {
                    expect(&body, &body, &pose, Some(start), known.distance, 2e-14);
                }
            }
        }
    }
}

#[test]
fn small_gaps_between_turned_bodies() {
    // Bodies moved along the closest direction until a planted gap is left.
    let mut rng = Rng(11);
    for round in 0..400 {
        let (a, b) = (random_solid(&mut rng, 3.0), random_solid(&mut rng, 3.0));
        let offset = rng.direction() * 4.0;
        let pose = rng.pose(offset);
        let (body_a, body_b) = (Body::of(&a), Body::of(&b));
        let far = walk(&body_a, &body_b, &pose, None, SEARCH);
        let gap = 10.0_f64.powi(-(round % 13));
        let pose = pose.with_translation(pose.translation() - far.normal * (far.distance - gap));
        let start = [body_a.feature(&mut rng), body_b.feature(&mut rng)];
        expect(&body_a, &body_b, &pose, Some(start), gap, 1e-13);
    }
}

#[test]
fn needles_and_plates() {
    let needle = Body::new(Polytope::cuboid(DVec3::new(1.0, 1e-6, 1e-6)).unwrap());
    let plate = Body::new(Polytope::cuboid(DVec3::new(1.0, 1.0, 1e-6)).unwrap());
    expect_from_everywhere(&needle, &plate, &shift(0.2, 0.3, 0.5), 0.5 - 1e-6, 1e-15);
    expect_from_everywhere(&needle, &needle, &turned(DVec3::Z, 90.0, 0.2, 0.1, 1e-3), 1e-3 - 1e-6, 1e-15);
    expect_from_everywhere(&plate, &plate, &shift(0.2, 0.3, 3e-6), 2e-6, 1e-15);
    expect_from_everywhere(&plate, &needle, &turned(DVec3::Y, 90.0, 0.2, 0.3, 0.6), 0.1 - 0.5e-6, 1e-15);
    expect_relation(&plate, &needle, &turned(DVec3::Y, 90.0, 0.2, 0.3, 0.2), "overlapping");
    expect_relation(&needle, &needle, &turned(DVec3::Z, 90.0, 0.2, 0.1, 0.5e-6), "overlapping");
}

#[test]
fn cylinders_of_a_thousand_sides() {
    let (a, b) = (Body::of(&prism(1000, 1.0, 2.0)), Body::of(&prism(1000, 1.0, 2.0)));
    assert!(a.cells.largest() <= 5);
    let mut rng = Rng(5);
    for _ in 0..300 {
        let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
        expect(&a, &b, &shift(0.3, 0.4, 3.0), start, 1.0, 1e-14);
        expect(&a, &b, &shift(5.0, 0.0, 0.5), start, 3.0, 1e-14);
        let cap = expect(&a, &b, &turned(DVec3::X, 90.0, 0.0, 0.0, 2.5), start, 0.5, 1e-14);
        assert!(cap.work.iterations < 2500, "{cap:?}");
        let found = walk(&a, &b, &shift(0.1, 0.2, 0.3), start, INTERIOR);
        assert!(matches!(found.relation, Relation::Overlapping { .. }), "{found:?}");
    }
}

#[test]
fn vertices_of_a_thousand_edges_have_small_cells() {
    let (a, b) = (Body::of(&bipyramid(1000, 1.0, 1.0)), Body::of(&bipyramid(1000, 1.0, 0.5)));
    assert!(a.cells.largest() <= 5 && b.cells.largest() <= 5);
    let mut rng = Rng(6);
    for _ in 0..300 {
        let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
        let found = expect(&a, &b, &shift(0.1, 0.2, 3.0), start, (0.05_f64 + 2.25).sqrt(), 1e-14);
        assert_eq!(found.features.map(Feature::dimension), [0, 0]);
    }
}

#[test]
fn bodies_far_from_their_origins() {
    let far = f64::from(1_u32 << 20);
    let solid = cuboid(DVec3::ONE);
    let moved = Body::of(&solid.map(DMat3::IDENTITY, DVec3::new(far, -far, far)));
    let plain = cube(1.0);
    // The input vertices are rounded when they are moved; the pose is exact.
    let pose = shift(3.0 - far, far + 0.25, -far);
    expect_from_everywhere(&plain, &moved, &pose, 2.0, 4.0 * far * f64::EPSILON);
    // A million diameters apart.
    let pose = shift(1e6, 0.25, 0.0);
    expect_from_everywhere(&plain, &plain, &pose, 1e6 - 1.0, 1e-9);
}

#[test]
fn swapped_bodies_give_the_mirrored_answer() {
    let mut rng = Rng(21);
    for _ in 0..2000 {
        let (a, b) = (random_solid(&mut rng, 10.0), random_solid(&mut rng, 10.0));
        let offset = rng.direction() * rng.range(0.0, 3.0);
        let pose = rng.pose(offset);
        let (a, b) = (Body::of(&a), Body::of(&b));
        let start = [a.feature(&mut rng), b.feature(&mut rng)];
        let one = walk(&a, &b, &pose, Some(start), INTERIOR);
        let two = walk(&b, &a, &pose.inverse(), Some([start[1], start[0]]), INTERIOR);
        assert_eq!(one.proximity().is_some(), two.proximity().is_some());
        assert!((one.distance - two.distance).abs() <= 1e-14, "{one:?} {two:?}");
        if let Some(p) = one.proximity() {
            let mirrored = p.swapped(&pose);
            assert!((mirrored.normal - two.normal).length() < 1e-9);
        }
    }
}

#[test]
fn large_bodies_prove_their_answers() {
    // A separated answer is proved by its own normal, an overlap by its common point: no oracle is needed, so
    // that the bodies can be large and the gaps small, of either sign.
    let count = std::env::var("LIN_CANNY_LARGE").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut rng = Rng(51);
    let (mut apart, mut overlapping, mut pairs, mut failures) = (0, 0, 0, Vec::new());
    for _ in 0..count {
        let bodies = [0, 1].map(|_| {
            let points = 10 + rng.below(300);
            let stretch = 10.0_f64.powf(-rng.range(0.0, 3.0));
            let rotation = DMat3::from_quat(rng.rotation());
            let solid = Solid::hull(&mut rng, points).scaled(DVec3::new(1.0, stretch, rng.range(0.1, 1.0)));
            Body::of(&solid.map(rotation, DVec3::ZERO))
        });
        let [a, b] = &bodies;
        let offset = rng.direction() * 3.0;
        let mut pose = rng.pose(offset);
        for _ in 0..10 {
            let far = walk(a, b, &pose, None, SEARCH);
            let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
            for options in [SEARCH, INTERIOR] {
                let found = walk(a, b, &pose, start, options);
                pairs += found.work.iterations;
                if let Err(why) = check(a, b, &pose, &found, 1e-13) {
                    failures.push(format!("{why}: {found:?}"));
                }
                if found.proximity().is_some() { apart += 1 } else { overlapping += 1 }
            }
            // Next: a small gap or a small overlap, turned a little.
            let Some(near) = far.proximity() else { break };
            let sign = if rng.below(3) == 0 { -1.0 } else { 1.0 };
            let gap = sign * 10.0_f64.powf(-rng.range(0.0, 13.0));
            pose = pose.with_translation(pose.translation() - near.normal * (near.signed_distance - gap));
        }
    }
    println!("apart {apart}, overlapping {overlapping}, pairs {pairs}, failures {}", failures.len());
    assert!(failures.is_empty(), "{}", failures[..failures.len().min(5)].join("\n"));
    assert!(apart > 2 * count && overlapping > count / 2);
}

#[test]
fn both_kernels_agree() {
    let mut rng = Rng(61);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..1500 {
        let bodies = [0, 1].map(|_| {
            let points = 4 + rng.below(100);
            let size = DVec3::new(1.0, rng.range(0.01, 1.0), rng.range(0.1, 1.0));
            Body::of(&Solid::hull(&mut rng, points).scaled(size))
        });
        let [a, b] = &bodies;
        let offset = rng.direction() * rng.range(0.0, 2.5);
        let pose = rng.pose(offset);
        let found = walk(a, b, &pose, Some([a.feature(&mut rng), b.feature(&mut rng)]), INTERIOR);
        let [solid_a, solid_b] = [a, b].map(|body| clearance_geometry::Body::from(body.polytope.clone()));
        let other = distance(&solid_a, &solid_b, &pose).unwrap();
        assert!((found.distance - other.distance).abs() < 1e-13, "{found:?} {other:?}");
        if other.signed_distance.abs() > 1e-12 {
            assert_eq!(found.proximity().is_none(), other.state.overlaps(), "{found:?} {other:?}");
        }
        if found.proximity().is_some() { apart += 1 } else { overlapping += 1 }
    }
    assert!(apart > 300 && overlapping > 300, "{apart} {overlapping}");
}

#[test]
fn tracked_equals_one_shot() {
    let mut rng = Rng(31);
    let (mut separated, mut overlapping) = (0, 0);
    for _ in 0..60 {
        let (a, b) = (random_solid(&mut rng, 5.0), random_solid(&mut rng, 5.0));
        let (a, b) = (Body::of(&a), Body::of(&b));
        let axis = rng.direction();
        let step = Pose::from_axis_angle(axis, 0.05, rng.direction() * 0.02).unwrap();
        let offset = rng.direction() * 0.8;
        let mut pose = rng.pose(offset);
        let mut start = None;
        for _ in 0..100 {
            let tracked = walk(&a, &b, &pose, start, INTERIOR);
            let fresh = walk(&a, &b, &pose, None, SEARCH);
            check(&a, &b, &pose, &tracked, 1e-13).unwrap();
            assert_eq!(tracked.proximity().is_some(), fresh.proximity().is_some());
            assert!((tracked.distance - fresh.distance).abs() <= 1e-14);
            if tracked.proximity().is_some() {
                separated += 1
            } else {
                overlapping += 1
            }
            start = Some(tracked.features);
            pose = (step * pose).renormalized();
        }
    }
    assert!(separated > 1000 && overlapping > 1000, "{separated} {overlapping}");
}

#[test]
fn tracking_cost_does_not_grow_with_the_body() {
    for levels in 1..5 {
        let body = Body::of(&icosphere(levels));
        let other = Body::of(&icosphere(levels).map(DMat3::from_rotation_x(0.3), DVec3::ZERO));
        let step =
            Pose::from_axis_angle(DVec3::new(0.2, 1.0, 0.5).normalize(), 0.1_f64.to_radians(), DVec3::ZERO);
        let step = step.unwrap();
        let mut pose = shift(2.5, 0.3, -0.4);
        let mut start = Some(walk(&body, &other, &pose, None, SEARCH).features);
        let (mut moves, mut pairs, mut escapes) = (0, 0, 0);
        let steps = 2000;
        for _ in 0..steps {
            // B turns in place.
            pose = (pose * step).renormalized();
            let found = walk(&body, &other, &pose, start, SEARCH);
            moves += found.work.moves;
            pairs += found.work.iterations;
            escapes += found.work.escapes;
            start = Some(found.features);
        }
        let mean = |n: u32| f64::from(n) / f64::from(steps);
        println!(
            "{} vertices: {:.3} moves, {:.3} pairs per step, {escapes} escapes",
            body.polytope.vertex_count(),
            mean(moves),
            mean(pairs)
        );
        assert!(mean(moves) < 1.0 && mean(pairs) < 2.0 && escapes == 0);
    }
}

#[test]
fn escapes_are_taken_and_counted() {
    // A bar over a plate: from most far sides the walk comes to lie beneath a face.
    let a = Body::new(Polytope::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap());
    let b = Body::new(Polytope::cuboid(DVec3::new(1.0, 0.5, 2.0)).unwrap());
    let pose = turned(DVec3::new(1.0, 2.0, 0.5), 40.0, 0.3, 0.4, 3.0);
    let known = walk(&a, &b, &pose, None, SEARCH).distance;
    for options in [SEARCH, INTERIOR] {
        let mut escaped = 0;
        for start in every_start(&a, &b) {
            let found = walk(&a, &b, &pose, Some(start), options);
            check(&a, &b, &pose, &found, 1e-14).unwrap();
            assert!((found.distance - known).abs() < 1e-14);
            assert!(found.work.escapes <= 2, "{found:?}");
            escaped += found.work.escapes;
        }
        println!("{:?}: {escaped} escapes from {} starts", options.escape, every_start(&a, &b).len());
        assert!(escaped > 20);
    }
}

#[test]
fn a_budget_ends_with_limit_and_a_valid_upper_bound() {
    let body = Body::of(&icosphere(2));
    let pose = shift(3.0, 0.1, 0.2);
    let full = walk(&body, &body, &pose, None, SEARCH);
    let start = Some([Feature::Face(FaceId(0)), Feature::Face(FaceId(0))]);
    let cut = walk(&body, &body, &pose, start, Options { max_pairs: 2, ..SEARCH });
    assert_eq!(cut.ended, Ended::Limit);
    assert!(cut.distance >= full.distance);
    let off = [(0, cut.points[0]), (1, pose.apply_inverse(cut.points[1]))]
        .map(|(i, p)| off_feature(&body.polytope, cut.features[i], p));
    assert!(off[0] < 1e-14 && off[1] < 1e-14);
}

#[test]
fn a_start_that_does_not_exist_is_no_start() {
    let (a, b) = (cube(2.0), Body::new(Polytope::point()));
    for bad in [Feature::Vertex(VertexId(99)), Feature::Edge(EdgeId(u32::MAX)), Feature::Face(FaceId(7))] {
        expect(&a, &b, &shift(3.0, 0.0, 0.0), Some([bad, bad]), 2.0, 0.0);
    }
}
