//! The reference kernel against brute force over all feature pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod lin_canny_oracle;

use clearance_geometry::{DMat3, DQuat, DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::Ended;
use clearance_proximity::lin_canny::{Cells, Escape, Options, Relation, Walk, closest_features};
use lin_canny_oracle::{Rng, Solid, bipyramid, cuboid, icosphere, prism, random_solid, truth};

const INTERIOR: Options = Options { escape: Escape::InteriorWalk, max_pairs: u32::MAX };
const SEARCH: Options = Options { escape: Escape::LinearSearch, max_pairs: u32::MAX };

struct Body {
    polytope: Polytope,
    cells: Cells,
}

impl Body {
    fn new(polytope: Polytope) -> Self {
        let cells = Cells::new(&polytope);
        Self { polytope, cells }
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
    touching: usize,
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
    let near = truth.separation.abs() <= slack;
    for options in [SEARCH, INTERIOR] {
        let start = Some([a.feature(rng), b.feature(rng)]);
        let found = walk(&a, &b, &pose, start, options);
        tally.pairs += u64::from(found.work.iterations);
        tally.escapes += u64::from(found.work.escapes);
        let mut fail = |why: String| {
            tally.failures.push(format!(
                "aspect {aspect:e} scale {scale:e} far {far} {options:?}: {why}; truth {} {:e}; {found:?}",
                truth.distance, truth.separation
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
