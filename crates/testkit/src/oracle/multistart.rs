//! Many starts and a blind descent: points of two bodies as near to each other as can be found without any theory.
//!
//! It shares nothing with the search but the evaluation of surfaces and curves: random points on all features, the
//! nearest pairs of them improved by trial steps in their parameters, halved where none helps.

use crate::Random;
use clearance_geometry::curve::Range;
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, EdgeId, FaceId, LeafShape, Polytope, Pose};

/// A feature that can be sampled.
enum Patch<'a> {
    Face(&'a TiledBody, FaceId, Pose),
    Edge(&'a TiledBody, EdgeId, Pose),
    Triangle([DVec3; 3]),
}

/// A point by its patch and parameters.
#[derive(Clone, Copy)]
struct Sample {
    patch: usize,
    at: DVec2,
    point: DVec3,
}

impl Patch<'_> {
    fn bounds(&self) -> [Range; 2] {
        match self {
            Self::Face(body, face, _) => {
                let bounds = body.face(*face).region.bounds();
                [bounds.u, bounds.v]
            }
            Self::Edge(body, edge, _) => [body.edge(*edge).range, Range::new(0.0, 0.0)],
            Self::Triangle(_) => [Range::new(0.0, 1.0); 2],
        }
    }

    fn point(&self, at: DVec2) -> Option<DVec3> {
        let [u, v] = self.bounds();
        if !(u.contains(at.x) && v.contains(at.y)) {
            return None;
        }
        match self {
            Self::Face(body, face, pose) => {
                let face = body.face(*face);
                // The rim is known to a tolerance only; its points are those of the edges.
                (face.side(at) == Side::Inside).then(|| pose.apply(face.point(at)))
            }
            Self::Edge(body, edge, pose) => Some(pose.apply(body.edge(*edge).point(at.x))),
            Self::Triangle([a, b, c]) => {
                (at.x + at.y <= 1.0).then(|| *a + (*b - *a) * at.x + (*c - *a) * at.y)
            }
        }
    }
}

fn of_tiled<'a>(body: &'a TiledBody, pose: &Pose, patches: &mut Vec<Patch<'a>>) {
    patches.extend((0..body.face_count() as u32).map(|face| Patch::Face(body, FaceId(face), *pose)));
    patches.extend((0..body.edge_count() as u32).map(|edge| Patch::Edge(body, EdgeId(edge), *pose)));
}

fn of_polytope(body: &Polytope, pose: &Pose, patches: &mut Vec<Patch<'_>>) {
    let at = |vertex| pose.apply(body.vertex(vertex) + body.anchor());
    for face in (0..body.face_count() as u32).map(FaceId) {
        let ring: Vec<DVec3> = body.sides(face).iter().map(|side| at(side.vertex)).collect();
        patches.extend((1..ring.len() - 1).map(|i| Patch::Triangle([ring[0], ring[i], ring[i + 1]])));
    }
    if body.face_count() == 0 {
        let ends: Vec<DVec3> = body.vertices().iter().map(|p| pose.apply(*p + body.anchor())).collect();
        patches.push(Patch::Triangle([ends[0], ends[ends.len() - 1], ends[0]]));
    }
}

fn patches<'a>(body: &'a Body, pose: &Pose) -> Vec<Patch<'a>> {
    let mut all = Vec::new();
    match body.whole() {
        Body::Polytope(polytope) => of_polytope(polytope, pose, &mut all),
        Body::Tiled(tiled) => of_tiled(tiled, pose, &mut all),
        Body::Deforming(deforming) => of_tiled(deforming.shape(), pose, &mut all),
        Body::Union(parts) => {
            for leaf in parts.leaves() {
                let pose = *pose * leaf.pose;
                match &leaf.shape {
                    LeafShape::Polytope(polytope) => of_polytope(polytope, &pose, &mut all),
                    LeafShape::Tiled(tiled) => of_tiled(tiled, &pose, &mut all),
                }
            }
        }
        other => panic!("no samples of {}", other.kind()),
    }
    all
}

fn samples(patches: &[Patch<'_>], count: usize, random: &mut Random) -> Vec<Sample> {
    let mut all = Vec::new();
    for (patch, shape) in patches.iter().enumerate() {
        let [u, v] = shape.bounds();
        for _ in 0..count.div_ceil(patches.len()) {
            // Ends now and then: corners are where nearest points like to be.
            let mut pick = |range: Range| match random.index(8) {
                0 => range.low,
                1 => range.high,
                _ => range.at(random.unit()),
            };
            let at = DVec2::new(pick(u), pick(v));
            if let Some(point) = shape.point(at) {
                all.push(Sample { patch, at, point });
            }
        }
    }
    all
}

/// The least distance that a multistart descent finds between the boundaries of A and of B at `pose_ab`; an upper bound on
/// the true one.
///
/// # Panics
/// For half-spaces and algebraic surfaces.
pub fn multistart(a: &Body, b: &Body, pose_ab: &Pose, samples_each: usize, random: &mut Random) -> f64 {
    let sides = [patches(a, &Pose::IDENTITY), patches(b, pose_ab)];
    let clouds = [0, 1].map(|side| samples(&sides[side], samples_each, random));
    let mut pairs: Vec<(f64, Sample, Sample)> = Vec::new();
    for p in &clouds[0] {
        let near = clouds[1].iter().map(|q| (p.point.distance(q.point), *p, *q));
        pairs.extend(near.min_by(|x, y| x.0.total_cmp(&y.0)));
    }
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    let starts = pairs.iter().take(6);
    starts.map(|(_, p, q)| improved(&sides, [*p, *q], random)).fold(f64::INFINITY, f64::min)
}

/// Rounds of trial steps; a round that does not help halves them.
const ROUNDS: usize = 200;

/// Trial steps of both points, halved where none helps.
fn improved(sides: &[Vec<Patch<'_>>; 2], mut pair: [Sample; 2], random: &mut Random) -> f64 {
    let mut best = pair[0].point.distance(pair[1].point);
    let mut share = 0.1;
    for _ in 0..ROUNDS {
        let mut helped = false;
        for _ in 0..8 {
            let mut trial = pair;
            for (side, sample) in trial.iter_mut().enumerate() {
                let shape = &sides[side][sample.patch];
                let bounds = shape.bounds();
                let mut step = |range: Range, t: f64| {
                    let moved = t + share * range.width() * (2.0 * random.unit() - 1.0);
                    if random.index(3) == 0 { t } else { range.clamp(moved) }
                };
                let at = DVec2::new(step(bounds[0], sample.at.x), step(bounds[1], sample.at.y));
                if let Some(point) = shape.point(at) {
                    (sample.at, sample.point) = (at, point);
                }
            }
            let distance = trial[0].point.distance(trial[1].point);
            if distance < best {
                (best, pair, helped) = (distance, trial, true);
            }
        }
        if !helped {
            share *= 0.5;
        }
    }
    best
}
