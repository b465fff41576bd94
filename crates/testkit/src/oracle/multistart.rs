//! Many starts and a blind descent: points of two bodies as near to each other as can be found without any theory.
//!
//! It shares nothing with the search but the evaluation of surfaces and curves: random points on all features, the
//! nearest pairs of them improved by trial steps in their parameters, halved where none helps, then by Newton's method
//! with derivatives from differences.

use crate::Random;
use clearance_geometry::curve::Range;
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, EdgeId, FaceId, LeafShape, Polytope, Pose, VertexId};

/// A feature that can be sampled.
enum Patch<'a> {
    Face(&'a TiledBody, FaceId, Pose),
    Edge(&'a TiledBody, EdgeId, Pose),
    Vertex(DVec3),
    Segment([DVec3; 2]),
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
            Self::Vertex(_) => [Range::new(0.0, 0.0); 2],
            Self::Segment(_) => [Range::new(0.0, 1.0), Range::new(0.0, 0.0)],
            Self::Triangle(_) => [Range::new(0.0, 1.0); 2],
        }
    }

    /// The point there, on the feature or on what it is a part of.
    fn reached(&self, at: DVec2) -> DVec3 {
        match self {
            Self::Face(body, face, pose) => pose.apply(body.face(*face).point(at)),
            Self::Edge(body, edge, pose) => pose.apply(body.edge(*edge).point(at.x)),
            Self::Vertex(point) => *point,
            Self::Segment([a, b]) => *a + (*b - *a) * at.x,
            Self::Triangle([a, b, c]) => *a + (*b - *a) * at.x + (*c - *a) * at.y,
        }
    }

    fn point(&self, at: DVec2) -> Option<DVec3> {
        let [u, v] = self.bounds();
        let inside = match self {
            // The rim is known to a tolerance only; its points are those of the edges.
            Self::Face(body, face, _) => body.face(*face).side(at) == Side::Inside,
            Self::Triangle(_) => at.x + at.y <= 1.0,
            _ => true,
        };
        (u.contains(at.x) && v.contains(at.y) && inside).then(|| self.reached(at))
    }
}

fn of_tiled<'a>(body: &'a TiledBody, pose: &Pose, patches: &mut Vec<Patch<'a>>) {
    patches.extend((0..body.face_count() as u32).map(|face| Patch::Face(body, FaceId(face), *pose)));
    patches.extend((0..body.edge_count() as u32).map(|edge| Patch::Edge(body, EdgeId(edge), *pose)));
    let corner = |vertex| Patch::Vertex(pose.apply(body.vertex(VertexId(vertex))));
    patches.extend((0..body.vertex_count() as u32).map(corner));
}

fn of_polytope(body: &Polytope, pose: &Pose, patches: &mut Vec<Patch<'_>>) {
    let at = |vertex| pose.apply(body.vertex(vertex) + body.anchor());
    for face in (0..body.face_count() as u32).map(FaceId) {
        let ring: Vec<DVec3> = body.sides(face).iter().map(|side| at(side.vertex)).collect();
        patches.extend((1..ring.len() - 1).map(|i| Patch::Triangle([ring[0], ring[i], ring[i + 1]])));
    }
    patches.extend(body.edges().iter().map(|edge| Patch::Segment(edge.vertices.map(at))));
    patches.extend((0..body.vertices().len() as u32).map(|vertex| Patch::Vertex(at(VertexId(vertex)))));
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
    let bounds: Vec<[Range; 2]> = patches.iter().map(Patch::bounds).collect();
    samples_within(patches, &bounds, count, random)
}

/// Samples of the same patches from the parameters of those that are nearest to a point: what is small beside a body is met by few
/// of its samples.
fn closer(
    patches: &[Patch<'_>],
    cloud: &[Sample],
    to: DVec3,
    count: usize,
    random: &mut Random,
) -> Vec<Sample> {
    let around = |patch: usize| {
        let mut own: Vec<&Sample> = cloud.iter().filter(|sample| sample.patch == patch).collect();
        own.sort_by(|x, y| x.point.distance(to).total_cmp(&y.point.distance(to)));
        own.truncate(NEIGHBOURS);
        let whole = patches[patch].bounds();
        std::array::from_fn(|k| {
            let (low, high) = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), sample| {
                (low.min(sample.at[k]), high.max(sample.at[k]))
            });
            if low <= high { Range::new(low, high) } else { whole[k] }
        })
    };
    let bounds: Vec<[Range; 2]> = (0..patches.len()).map(around).collect();
    samples_within(patches, &bounds, count, random)
}

/// How many samples of a patch say which of its parameters are close to something.
const NEIGHBOURS: usize = 6;

/// Random points of patches, from these parameters of each.
fn samples_within(
    patches: &[Patch<'_>],
    bounds: &[[Range; 2]],
    count: usize,
    random: &mut Random,
) -> Vec<Sample> {
    let mut all = Vec::new();
    for (patch, (shape, [u, v])) in patches.iter().zip(bounds).enumerate() {
        for _ in 0..count.div_ceil(patches.len()) {
            // Ends now and then: corners are where nearest points like to be.
            let mut pick = |range: Range| match random.index(8) {
                0 => range.low,
                1 => range.high,
                _ => range.at(random.unit()),
            };
            let at = DVec2::new(pick(*u), pick(*v));
            if let Some(point) = shape.point(at) {
                all.push(Sample { patch, at, point });
            }
        }
    }
    all
}

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Samples of each body.
    pub samples: usize,
    /// Pairs of samples, the nearest ones, that are improved.
    pub starts: usize,
    /// Rounds of trial steps; a round that does not help halves them.
    pub rounds: usize,
    /// How often samples are taken closer to where the nearest points may be: first about the middles of the bodies, then about
    /// the nearest points found, since one on a rim may be beside nearer ones.
    pub zooms: usize,
}

impl Effort {
    /// Enough to come below a bound that is too high by much.
    pub const QUICK: Self = Self { samples: 120, starts: 6, rounds: 30, zooms: 1 };

    /// Enough to find the distance itself to nine digits, most times.
    pub const CAREFUL: Self = Self { samples: 150, starts: 12, rounds: 60, zooms: 1 };

    /// More of everything.
    #[must_use]
    pub const fn harder(self) -> Self {
        Self {
            samples: 3 * self.samples,
            starts: 4 * self.starts,
            rounds: 2 * self.rounds,
            zooms: self.zooms + 1,
        }
    }
}

/// The least distance that a multistart descent finds between the boundaries of A and of B at `pose_ab`; an upper bound on
/// the true one.
///
/// # Panics
/// For half-spaces and algebraic surfaces.
pub fn multistart(a: &Body, b: &Body, pose_ab: &Pose, effort: Effort, random: &mut Random) -> f64 {
    let sides = [patches(a, &Pose::IDENTITY), patches(b, pose_ab)];
    let mut clouds = [0, 1].map(|side| samples(&sides[side], effort.samples, random));
    let middles = clouds.each_ref().map(|cloud| middle(cloud));
    let mut toward = [middles[1], middles[0]];
    let mut least = f64::INFINITY;
    for zoom in 0..effort.zooms {
        for side in 0..2 {
            let near = closer(&sides[side], &clouds[side], toward[side], effort.samples, random);
            clouds[side].extend(near);
        }
        let mut starts = nearest_of_patches(&sides, &clouds, effort.starts);
        starts.extend(spread(&clouds, effort.starts));
        if zoom > 0 {
            starts.extend(beside(&sides, &clouds, toward, effort.starts));
        }
        for (_, mut pair) in starts {
            improved(&sides, &mut pair, effort.rounds, random);
            let end = polished(&sides, &mut pair);
            if end < least {
                (least, toward) = (end, [pair[1].point, pair[0].point]);
            }
        }
    }
    least
}

/// The samples of every two patches that are nearest to a place each, the nearest to each other first.
fn beside(
    sides: &[Vec<Patch<'_>>; 2],
    clouds: &[Vec<Sample>; 2],
    places: [DVec3; 2],
    count: usize,
) -> Vec<Start> {
    let nearest = |side: usize| -> Vec<Sample> {
        let of_patch = |patch: usize| {
            let own = clouds[side].iter().filter(|sample| sample.patch == patch);
            let far = |sample: &Sample| sample.point.distance_squared(places[side]);
            own.min_by(|x, y| far(x).total_cmp(&far(y))).copied()
        };
        (0..sides[side].len()).filter_map(of_patch).collect()
    };
    let (of_a, of_b) = (nearest(0), nearest(1));
    let pairs = of_a.iter().flat_map(|p| of_b.iter().map(|q| (p.point.distance(q.point), [*p, *q])));
    let mut starts: Vec<Start> = pairs.collect();
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    starts.truncate(count);
    starts
}

/// The nearest samples of every two patches, the nearest first: minima on edges and in corners have starts of their own.
fn nearest_of_patches(sides: &[Vec<Patch<'_>>; 2], clouds: &[Vec<Sample>; 2], count: usize) -> Vec<Start> {
    let mut nearest: Vec<Option<Start>> = vec![None; sides[0].len() * sides[1].len()];
    for p in &clouds[0] {
        for q in &clouds[1] {
            let known = &mut nearest[p.patch * sides[1].len() + q.patch];
            let apart = p.point.distance(q.point);
            if known.is_none_or(|(best, _)| apart < best) {
                *known = Some((apart, [*p, *q]));
            }
        }
    }
    let mut starts: Vec<Start> = nearest.into_iter().flatten().collect();
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    starts.truncate(count);
    starts
}

/// The middle of a box around samples.
fn middle(cloud: &[Sample]) -> DVec3 {
    let (low, high) = corners(cloud);
    0.5 * (low + high)
}

/// The corners of a box around samples.
fn corners(cloud: &[Sample]) -> (DVec3, DVec3) {
    cloud.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), sample| {
        (low.min(sample.point), high.max(sample.point))
    })
}

/// Two samples and their distance.
type Start = (f64, [Sample; 2]);

/// The nearest samples of B to those of A, the nearest first and none close to another: bodies of one face have many minima.
fn spread(clouds: &[Vec<Sample>; 2], count: usize) -> Vec<Start> {
    let nearest = |p: &Sample| -> Option<Start> {
        let apart = |q: &Sample| p.point.distance_squared(q.point);
        let q = clouds[1].iter().min_by(|q, r| apart(q).total_cmp(&apart(r)))?;
        Some((p.point.distance(q.point), [*p, *q]))
    };
    let mut all: Vec<Start> = clouds[0].iter().filter_map(nearest).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let size = |cloud: &[Sample]| {
        let (low, high) = corners(cloud);
        low.distance(high)
    };
    let far = APART * size(&clouds[0]).min(size(&clouds[1]));
    let mut chosen: Vec<Start> = Vec::new();
    for start in all {
        let is_far = |other: &Start| (0..2).any(|i| other.1[i].point.distance(start.1[i].point) > far);
        if chosen.len() < count && chosen.iter().all(is_far) {
            chosen.push(start);
        }
    }
    chosen
}

/// The share of the smaller body's size that starts are apart.
const APART: f64 = 0.1;

/// Trial steps of a round.
const TRIALS: usize = 8;

/// Trial steps of both points, halved where none helps. The first of each round is the last one that helped, once more:
/// long valleys are walked in strides.
fn improved(sides: &[Vec<Patch<'_>>; 2], pair: &mut [Sample; 2], rounds: usize, random: &mut Random) {
    let mut best = pair[0].point.distance(pair[1].point);
    let mut stride = [DVec2::ZERO; 2];
    let mut share = 0.1;
    for _ in 0..rounds {
        let mut helped = false;
        for attempt in 0..TRIALS {
            let mut trial = *pair;
            for (side, sample) in trial.iter_mut().enumerate() {
                let shape = &sides[side][sample.patch];
                let bounds = shape.bounds();
                let mut step = |range: Range, t: f64, stride: f64| {
                    let by =
                        if attempt == 0 { stride } else { share * range.width() * random.uniform(-1.0, 1.0) };
                    if attempt > 0 && random.index(3) == 0 { t } else { range.clamp(t + by) }
                };
                let at = DVec2::new(
                    step(bounds[0], sample.at.x, stride[side].x),
                    step(bounds[1], sample.at.y, stride[side].y),
                );
                if let Some(point) = shape.point(at) {
                    (sample.at, sample.point) = (at, point);
                }
            }
            let distance = trial[0].point.distance(trial[1].point);
            if distance < best {
                stride = [0, 1].map(|side| trial[side].at - pair[side].at);
                (best, *pair, helped) = (distance, trial, true);
            }
        }
        if !helped {
            share *= 0.5;
        }
    }
}

/// Steps of Newton's method.
const NEWTON_STEPS: usize = 60;

/// Shares of the ranges of parameters by which differences are taken, in turn: the smaller the bodies' distance, the
/// smaller they must be.
const DIFFERENCES: [f64; 2] = [1e-5, 1e-7];

/// Newton's method on the square of the distance, damped until a step helps; the distance at its end.
fn polished(sides: &[Vec<Patch<'_>>; 2], pair: &mut [Sample; 2]) -> f64 {
    let shapes = [&sides[0][pair[0].patch], &sides[1][pair[1].patch]];
    let ranges = [shapes[0].bounds(), shapes[1].bounds()].concat();
    let at = |share: [f64; 4], side: usize| {
        let of = |k: usize| ranges[2 * side + k].low + ranges[2 * side + k].width() * share[2 * side + k];
        DVec2::new(of(0), of(1))
    };
    let share = |k: usize, pair: &[Sample; 2]| {
        let width = ranges[k].width();
        if width > 0.0 { (pair[k / 2].at[k % 2] - ranges[k].low) / width } else { 0.5 }
    };
    let squared =
        |share: [f64; 4]| shapes[0].reached(at(share, 0)).distance_squared(shapes[1].reached(at(share, 1)));
    let mut best = pair[0].point.distance(pair[1].point);
    for difference in DIFFERENCES {
        let mut damping = 1e-6;
        for _ in 0..NEWTON_STEPS {
            let from: [f64; 4] = std::array::from_fn(|k| share(k, pair));
            let (slope, bend) = differences(squared, from, difference);
            let step = solved(bend, slope, damping);
            let to: [f64; 4] = std::array::from_fn(|k| (from[k] - step[k]).clamp(0.0, 1.0));
            let trial = [0, 1].map(|side| (at(to, side), shapes[side].point(at(to, side))));
            match trial {
                [(u, Some(p)), (v, Some(q))] if p.distance(q) < best => {
                    best = p.distance(q);
                    for (sample, (at, point)) in pair.iter_mut().zip([(u, p), (v, q)]) {
                        (sample.at, sample.point) = (at, point);
                    }
                    damping = (0.1 * damping).max(1e-12);
                }
                _ if damping > 1e6 => break,
                _ => damping *= 10.0,
            }
        }
    }
    best
}

/// Slopes and second derivatives by differences, kept within the ranges.
#[allow(clippy::needless_range_loop, reason = "both halves of the matrix are filled")]
fn differences(f: impl Fn([f64; 4]) -> f64, at: [f64; 4], by: f64) -> ([f64; 4], [[f64; 4]; 4]) {
    let at = at.map(|x| x.clamp(by, 1.0 - by));
    let moved = |steps: [(usize, f64); 2]| {
        let mut x = at;
        for (k, sign) in steps {
            x[k] += sign * by;
        }
        f(x)
    };
    let middle = f(at);
    let (mut slope, mut bend) = ([0.0; 4], [[0.0; 4]; 4]);
    for i in 0..4 {
        let [up, down] = [1.0, -1.0].map(|sign| moved([(i, sign), (i, 0.0)]));
        slope[i] = (up - down) / (2.0 * by);
        bend[i][i] = (up - 2.0 * middle + down) / (by * by);
        for j in 0..i {
            let corner = |s: f64, t: f64| moved([(i, s), (j, t)]);
            let mixed = corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0);
            bend[i][j] = mixed / (4.0 * by * by);
            bend[j][i] = bend[i][j];
        }
    }
    (slope, bend)
}

/// The step of a damped system: by elimination, the damping in units of its largest diagonal entry.
fn solved(mut m: [[f64; 4]; 4], mut right: [f64; 4], damping: f64) -> [f64; 4] {
    let largest = (0..4).map(|i| m[i][i].abs()).fold(f64::MIN_POSITIVE, f64::max);
    for (i, row) in m.iter_mut().enumerate() {
        row[i] += damping * largest;
    }
    for i in 0..4 {
        let pivot = (i..4).max_by(|&j, &k| m[j][i].abs().total_cmp(&m[k][i].abs())).unwrap_or(i);
        m.swap(i, pivot);
        right.swap(i, pivot);
        for j in i + 1..4 {
            let factor = m[j][i] / m[i][i];
            let row = m[i];
            for (entry, above) in m[j].iter_mut().zip(row) {
                *entry -= factor * above;
            }
            right[j] -= factor * right[i];
        }
    }
    for i in (0..4).rev() {
        let known: f64 = (i + 1..4).map(|k| m[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / m[i][i];
    }
    right.map(|x| if x.is_finite() { x } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{BODY_KINDS, CurvedFamily, curved_pair};
    use clearance_geometry::DMat3;

    /// A sheet a hundredth as large as the other, 10⁻¹² from it.
    #[test]
    fn a_small_sheet_is_found_beside_a_large_one() {
        let pair =
            curved_pair(&mut Random::for_case(12, 5410), CurvedFamily::ALL[5410 % CurvedFamily::ALL.len()]);
        assert_eq!(pair.kinds.map(|kind| BODY_KINDS[kind]), ["sheet"; 2]);
        let turned = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
        let to = DVec3::new(-0.3466357123597908, 0.08327557326763069, 0.0526081705959226);
        let pose_ab = Pose::from_matrix(turned, to).unwrap_or(pair.pose_ab);
        for seed in 0..8 {
            let mut random = Random::new(seed);
            // Where it matters, it is tried harder until it is found; a nearest point on the rim hides it.
            let tries = [Effort::CAREFUL, Effort::CAREFUL.harder()];
            let ends = tries.map(|effort| multistart(&pair.a, &pair.b, &pose_ab, effort, &mut random));
            assert!(ends[0].min(ends[1]) < 1e-9, "{seed}: {ends:?}");
        }
    }
}
