//! Timing: candidates take turns on the same fresh poses, and the median speaks.

use crate::candidate::{Answer, Candidate, MeanWork};
use crate::clock::thread_nanoseconds;
use crate::reference::{Error, Reference};
use crate::shape::Shape;
use crate::stream::{Pace, PosePair, Scene, stream};
use std::ops::Range;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Poses that a candidate answers in one go.
    pub segment: usize,
    /// Rounds, each on its own poses; the first only warms up.
    pub rounds: usize,
    /// Processor time of one go; slow candidates answer only the first poses of a segment.
    pub budget_ns: f64,
    /// Answers checked against the reference.
    pub samples: usize,
}

impl Plan {
    /// For the tables.
    pub const FULL: Self = Self { segment: 3000, rounds: 10, budget_ns: 1e7, samples: 60 };
    /// To see that everything runs.
    pub const SMOKE: Self = Self { segment: 40, rounds: 3, budget_ns: 1e6, samples: 5 };
}

/// What was measured of one candidate.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name in the tables.
    pub name: &'static str,
    /// Whether ratios are taken against it.
    pub counts: bool,
    /// Median over the rounds, ns per query.
    pub median: f64,
    /// Least over the rounds, ns per query.
    pub least: f64,
    /// Largest error over the samples.
    pub error: Error,
    /// Work per query, where it is told.
    pub work: Option<MeanWork>,
}

/// One cell: a pair of bodies at one pace.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which bodies.
    pub family: String,
    /// Vertices of one of them.
    pub vertices: usize,
    /// How fast they turn.
    pub pace: Pace,
    /// Ours first, then the peers.
    pub columns: Vec<Column>,
    /// Hash of our answers' bits.
    pub hash: u64,
}

impl Row {
    /// Work of ours per query.
    pub fn work(&self) -> MeanWork {
        self.columns[0].work.unwrap_or_default()
    }

    /// The fastest peer that answers as exactly as ours.
    pub fn faster_peer(&self) -> Option<&Column> {
        let peers = self.columns[1..].iter().filter(|column| column.counts);
        peers.min_by(|a, b| a.median.total_cmp(&b.median))
    }

    /// How many times faster ours is than that peer.
    pub fn ratio(&self) -> f64 {
        self.faster_peer().map_or(f64::NAN, |peer| peer.median / self.columns[0].median)
    }

    /// The same by the least times.
    pub fn ratio_of_least(&self) -> f64 {
        let peers = self.columns[1..].iter().filter(|column| column.counts);
        let least = peers.map(|column| column.least).fold(f64::INFINITY, f64::min);
        least / self.columns[0].least
    }
}

/// The region that instruction counts are taken over.
#[inline(never)]
pub fn measured_region(candidate: &mut dyn Candidate, range: Range<usize>, answers: &mut [Answer]) {
    candidate.run(range, answers);
}

/// Measures ours (the first candidate) and its peers.
pub fn measure(
    shape: &Shape,
    scene: Scene,
    pace: Pace,
    mut candidates: Vec<Box<dyn Candidate>>,
    plan: Plan,
) -> Row {
    let poses = stream(shape, scene, pace, plan.segment * plan.rounds);
    for candidate in &mut candidates {
        candidate.load(&poses);
    }
    let mut answers = vec![vec![Answer::default(); plan.segment]; candidates.len()];
    let mut lengths = vec![plan.segment.min(20); candidates.len()];
    let mut times = vec![Vec::new(); candidates.len()];
    let mut hash = 0;
    for round in 0..plan.rounds {
        let start = round * plan.segment;
        for turn in 0..candidates.len() {
            // Everyone follows everyone else as often, so that nobody always finds a swept cache.
            let at = (turn + round) % candidates.len();
            let range = start..start + lengths[at];
            let before = thread_nanoseconds();
            measured_region(candidates[at].as_mut(), range, &mut answers[at]);
            let each = (thread_nanoseconds() - before) / lengths[at] as f64;
            if round == 0 {
                lengths[at] = ((plan.budget_ns / each) as usize).clamp(plan.segment.min(20), plan.segment);
                let rest = start..start + lengths[at];
                measured_region(candidates[at].as_mut(), rest, &mut answers[at]);
            } else {
                times[at].push(each);
            }
        }
        hash = answers[0].iter().fold(hash, hashed);
    }
    let last = (plan.rounds - 1) * plan.segment;
    let errors = errors(shape, scene, &poses[last..], &answers, &lengths, plan.samples);
    let columns = candidates.iter_mut().zip(times).zip(errors).map(|((candidate, mut times), error)| {
        times.sort_unstable_by(f64::total_cmp);
        Column {
            name: candidate.name(),
            counts: candidate.counts(),
            median: times[times.len() / 2],
            least: times[0],
            error,
            work: candidate.work(last..last + plan.segment.min(500)),
        }
    });
    let columns = columns.collect();
    Row { family: shape.name.clone(), vertices: shape.points.len(), pace, columns, hash }
}

fn errors(
    shape: &Shape,
    scene: Scene,
    poses: &[PosePair],
    answers: &[Vec<Answer>],
    lengths: &[usize],
    samples: usize,
) -> Vec<Error> {
    let reference = Reference::new(shape);
    let common = lengths.iter().copied().min().unwrap_or(0);
    let mut worst = vec![Error::default(); answers.len()];
    // Looking at all pairs of edges grows with the square of their number.
    let samples =
        if scene == Scene::Overlapping { samples.min(2 + 20_000 / shape.faces.len()) } else { samples };
    for at in (0..common).step_by((common / samples).max(1)) {
        let of_pose: Vec<Answer> = answers.iter().map(|answers| answers[at]).collect();
        for (worst, error) in worst.iter_mut().zip(reference.errors(scene, &poses[at], &of_pose)) {
            *worst = worst.max(error);
        }
    }
    worst
}

fn hashed(hash: u64, answer: &Answer) -> u64 {
    let numbers =
        [answer.distance, answer.a[0], answer.a[1], answer.a[2], answer.b[0], answer.b[1], answer.b[2]];
    let bits = numbers.map(f64::to_bits).into_iter().chain([answer.features]);
    bits.fold(hash, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95))
}
