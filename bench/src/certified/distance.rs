//! Two bodies: cold proven distance, ours and Open CASCADE's, on the same poses by turns.

use super::bodies::{Group, Named};
use super::occt::{Occt, Reply};
use super::{median, read, uniform};
use crate::clock::thread_nanoseconds;
use crate::random::Random;
use clearance_geometry::{Body, DQuat, Pose};
use clearance_proximity::{Ended, Findings, Precision, Scratch, State};
use serde_json::{Value, json};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Poses asked in a row of one side.
const BLOCK: usize = 5;

/// Tries to find a pose at which the bodies are apart.
const TRIES: usize = 200;

/// Of the size: distances that differ by more are different answers.
const SAME: f64 = 1e-6;

/// A pair of bodies with its poses.
pub struct Pair {
    group: Group,
    names: [String; 2],
    specs: [Value; 2],
    bodies: [Body; 2],
    size: f64,
    poses: Vec<(DQuat, Pose)>,
}

/// One question and both answers.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Our time, ns.
    pub ours: f64,
    /// Our distance, the distance of two points.
    pub upper: f64,
    /// Proven lower bound.
    pub lower: f64,
    /// Whether the bounds met.
    pub proven: bool,
    /// Pairs of parts and Newton steps.
    pub work: [u32; 2],
    /// Open CASCADE's time and distance; `None` where it gave none.
    pub occt: Option<[f64; 2]>,
    /// Whether it was given up.
    pub late: bool,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the bodies are made of.
    pub group: Group,
    /// Their names.
    pub names: [String; 2],
    /// The sum of their radii.
    pub size: f64,
    /// What Open CASCADE's answers may be off by, by its own account.
    pub tolerance: f64,
    /// Our time with the preparation of both bodies, ns.
    pub with_preparation: f64,
    /// All questions.
    pub samples: Vec<Sample>,
    /// Poses, in the order of the samples: quaternion and translation.
    pub poses: Vec<[f64; 7]>,
}

/// Open CASCADE's answer, by our certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the bounds.
    Right,
    /// Above the distance of two points that we hold.
    TooFar,
    /// Below the proven bound.
    TooNear,
    /// None, or too late.
    Missing,
}

impl Pair {
    /// Two bodies by their names, at random poses at which they are apart.
    ///
    /// # Errors
    /// When a query fails, or no pose is found.
    pub fn new(
        named: &[Named],
        group: Group,
        names: [&str; 2],
        count: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let find = |name: &str| named.iter().find(|body| body.name == name).ok_or("no such body");
        let [a, b] = [find(names[0])?, find(names[1])?];
        let size = a.extent.1 + b.extent.1;
        let mut random = Random::named(&format!("certified {}-{}", names[0], names[1]));
        let mut scratch = Scratch::new();
        let mut poses = Vec::new();
        for _ in 0..TRIES * count {
            let rotation = random.rotation();
            let reach = uniform(&mut random, 0.4, 1.2) * size;
            let center = a.extent.0 + reach * random.direction();
            let pose = Pose::new(rotation, center - rotation * b.extent.0)?;
            let precision = Precision { max_pairs: Some(20_000), ..Precision::default() };
            if scratch.find(&a.body, &b.body, &pose, &precision)?.proximity.state == State::Separated {
                poses.push((rotation, pose));
            }
            if poses.len() == count {
                break;
            }
        }
        if poses.is_empty() {
            return Err("they are nowhere apart".into());
        }
        Ok(Self {
            group,
            names: names.map(str::to_owned),
            specs: [a.spec.clone(), b.spec.clone()],
            bodies: [a.body.clone(), b.body.clone()],
            size,
            poses,
        })
    }

    fn numbers(&self) -> Vec<[f64; 7]> {
        let numbers = |(q, pose): &(DQuat, Pose)| {
            let t = pose.translation();
            [q.x, q.y, q.z, q.w, t.x, t.y, t.z]
        };
        self.poses.iter().map(numbers).collect()
    }

    /// For the file that both sides read.
    pub fn json(&self) -> Value {
        json!({ "bodies": self.names, "poses": self.numbers() })
    }

    /// Asks both; no more poses once Open CASCADE has taken `limit` seconds for this pair.
    ///
    /// # Errors
    /// When a query fails or Open CASCADE cannot be started again.
    pub fn measure(&self, number: usize, limit: f64, occt: &mut Option<Occt>) -> Result<Row, Box<dyn Error>> {
        let [a, b] = &self.bodies;
        let mut spent = 0.0;
        let mut scratch = Scratch::new();
        let mut samples = Vec::new();
        let mut tolerance = 0.0;
        if let Some(occt) = occt {
            for name in &self.names {
                tolerance += occt.ask(&format!("body {name}"))?.number(0).unwrap_or(0.0);
            }
        }
        for (block, poses) in self.poses.chunks(BLOCK).enumerate() {
            if spent > limit {
                break;
            }
            // Wakes what slept while the other side worked, at a pose of another block where there is one.
            let other = &self.poses[self.poses.len() - 1 - block * BLOCK].1;
            black_box(scratch.find(a, b, other, &Precision::default())?);
            let begin = samples.len();
            for (_, pose) in poses {
                let began = thread_nanoseconds();
                let found = black_box(scratch.find(a, b, pose, &Precision::default())?);
                samples.push(Sample::of(&found, thread_nanoseconds() - began));
            }
            let Some(occt) = occt else { continue };
            let mut asked = begin;
            for (at, sample) in samples.iter_mut().enumerate().skip(begin) {
                if spent > limit {
                    break;
                }
                let began = Instant::now();
                let reply = occt.ask(&format!("distance {number} {at}"))?;
                spent += began.elapsed().as_secs_f64();
                asked = at + 1;
                sample.occt = reply.number(0).zip(reply.number(1)).map(|(time, distance)| [time, distance]);
                sample.late = reply == Reply::Late;
            }
            samples.truncate(asked);
        }
        Ok(Row {
            group: self.group,
            names: self.names.clone(),
            size: self.size,
            tolerance,
            with_preparation: self.with_preparation()?,
            samples,
            poses: self.numbers(),
        })
    }

    /// Asks for all poses again and again; with `fresh`, of bodies that were just read. The mean time and work of a question.
    ///
    /// # Errors
    /// When a query fails.
    pub fn repeat(&self, rounds: usize, fresh: bool) -> Result<String, Box<dyn Error>> {
        let mut scratch = Scratch::new();
        let (mut spent, mut work) = (0.0, [0_u64; 2]);
        for _ in 0..rounds {
            for (_, pose) in &self.poses {
                let [a, b] =
                    if fresh { [read(&self.specs[0])?, read(&self.specs[1])?] } else { self.bodies.clone() };
                let mut new = Scratch::new();
                let began = thread_nanoseconds();
                let found = found_region(if fresh { &mut new } else { &mut scratch }, [&a, &b], pose)?;
                spent += thread_nanoseconds() - began;
                work[0] += u64::from(found.proximity.work.iterations);
                work[1] += u64::from(found.proximity.work.newton);
            }
        }
        let count = (rounds * self.poses.len()) as f64;
        let [pairs, newton] = work.map(|sum| sum as f64 / count);
        Ok(format!("{:.1} µs, {pairs:.1} pairs, {newton:.1} Newton steps on the mean", spent / count / 1e3))
    }

    /// From bodies that were just read to the answer.
    fn with_preparation(&self) -> Result<f64, Box<dyn Error>> {
        // All are read before any is asked about: the other side's bodies were not read between its questions either.
        let anew = || Ok::<_, Box<dyn Error>>([read(&self.specs[0])?, read(&self.specs[1])?]);
        let wakes = anew()?;
        let bodies = self.poses.iter().map(|_| anew()).collect::<Result<Vec<_>, _>>()?;
        let ask = |[a, b]: &[Body; 2], pose: &Pose| {
            let began = thread_nanoseconds();
            black_box(Scratch::new().find(a, b, pose, &Precision::default())?);
            Ok::<_, Box<dyn Error>>(thread_nanoseconds() - began)
        };
        if let Some((_, pose)) = self.poses.last() {
            ask(&wakes, pose)?;
        }
        let asked = bodies.iter().zip(&self.poses).map(|(pair, (_, pose))| ask(pair, pose));
        Ok(median(asked.collect::<Result<_, _>>()?))
    }
}

/// One question: what instruction counts are taken over.
#[inline(never)]
fn found_region(scratch: &mut Scratch, [a, b]: [&Body; 2], pose: &Pose) -> Result<Findings, Box<dyn Error>> {
    Ok(black_box(scratch.find(a, b, pose, &Precision::default())?))
}

impl Sample {
    fn of(found: &Findings, ours: f64) -> Self {
        let Findings { proximity, lower, .. } = found;
        let proof = match proximity.ended {
            Ended::Certified(proof) => Some(proof.lower),
            _ => None,
        };
        Self {
            ours,
            upper: proximity.distance,
            lower: lower.or(proof).unwrap_or(0.0),
            proven: proof.is_some(),
            work: [proximity.work.iterations, proximity.work.newton],
            occt: None,
            late: false,
        }
    }
}

impl Row {
    /// The middle of one number of all samples.
    pub fn median(&self, number: impl Fn(&Sample) -> Option<f64>) -> f64 {
        median(self.samples.iter().filter_map(number).collect())
    }

    /// Our time, ns.
    pub fn ours(&self) -> f64 {
        self.median(|sample| Some(sample.ours))
    }

    /// Open CASCADE's time, ns, of the questions that it answered.
    pub fn theirs(&self) -> f64 {
        self.median(|sample| Some(sample.occt?[0]))
    }

    /// Their time over ours.
    pub fn ratio(&self) -> f64 {
        self.theirs() / self.ours()
    }

    /// The same where our bodies are prepared for the question.
    pub fn ratio_with_preparation(&self) -> f64 {
        self.theirs() / self.with_preparation
    }

    /// The largest of one number of all samples.
    pub fn largest(&self, number: impl Fn(&Sample) -> Option<f64>) -> f64 {
        self.samples.iter().filter_map(number).fold(0.0, f64::max)
    }

    /// How far apart our bounds are at most, over the size.
    pub fn gap(&self) -> f64 {
        self.largest(|sample| Some(sample.upper - sample.lower)) / self.size
    }

    /// How far outside the bounds Open CASCADE's answer is, a length.
    pub fn deviation(sample: &Sample) -> Option<f64> {
        let [_, distance] = sample.occt?;
        Some((distance - sample.upper).max(sample.lower - distance).max(0.0))
    }

    /// What is to be said of Open CASCADE's answer.
    pub fn verdict(&self, sample: &Sample) -> Verdict {
        let Some([_, distance]) = sample.occt else { return Verdict::Missing };
        let slack = SAME * self.size + self.tolerance;
        if distance > sample.upper + slack {
            Verdict::TooFar
        } else if distance < sample.lower - slack {
            Verdict::TooNear
        } else {
            Verdict::Right
        }
    }

    /// How many answers of a kind.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.samples.iter().filter(|sample| self.verdict(sample) == verdict).count()
    }

    /// Answers of ours whose bounds did not meet.
    pub fn open(&self) -> usize {
        self.samples.iter().filter(|sample| !sample.proven).count()
    }

    /// For the screen.
    pub fn line(&self) -> String {
        format!(
            "{}–{}: {:.1} µs (prepared too {:.0} µs), OCCT {:.0} µs, {:.0}×, gap {:.0e}, open {}, too far {}, too near {}, \
             missing {}",
            self.names[0],
            self.names[1],
            1e-3 * self.ours(),
            1e-3 * self.with_preparation,
            1e-3 * self.theirs(),
            self.ratio(),
            self.gap(),
            self.open(),
            self.count(Verdict::TooFar),
            self.count(Verdict::TooNear),
            self.count(Verdict::Missing),
        )
    }
}
