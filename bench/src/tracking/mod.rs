//! Tracked updates of curved bodies, in units of one bicubic evaluation, beside Open CASCADE asked for the same poses.
//!
//! Updates are timed in blocks of 64, each followed by a block of evaluations: what slows the machine down slows both.
//! Single updates are timed by a second pass over the same poses, by the wall clock less what an empty pair of readings
//! takes.

pub mod pairs;
pub mod report;

use crate::certified::occt::{Occt, Reply};
use crate::certified::{data_folder, median, read};
use crate::clock::thread_nanoseconds;
use crate::random::Random;
use clearance_geometry::surface::{NurbsSurface, ParametricSurface};
use clearance_geometry::{Body, DVec3, Pose};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Scratch, State};
use pairs::{Pair, Wander};
use serde_json::{Value, json};
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Updates that are timed together.
pub const BLOCK: usize = 64;

/// Evaluations that are timed together.
const EVALUATIONS: usize = 1024;

/// Updates before the first that is timed.
const WARM_UP: usize = 64;

/// Turns per frame.
pub const PACES: [f64; 2] = [0.1, 1.0];

/// How much to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Blocks of each pair and pace.
    pub blocks: usize,
    /// Poses of each pair that Open CASCADE is asked for.
    pub asked: usize,
    /// Seconds after which an answer of Open CASCADE is not waited for any longer.
    pub limit: f64,
    /// Pairs to measure; all where it is empty.
    pub only: Vec<String>,
}

impl Plan {
    /// From the words after the name of the benchmark.
    ///
    /// # Errors
    /// For options without a number.
    pub fn from_words(words: &[&str]) -> Result<Self, Box<dyn Error>> {
        // All rows that are asked in vain come to less than five minutes.
        let mut plan = Self { blocks: 200, asked: 3, limit: 4.0, only: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).filter(|n| *n >= 0.0);
            match *word {
                "--blocks" => plan.blocks = number().ok_or("--blocks needs a number")?.max(1.0) as usize,
                "--asked" => plan.asked = number().ok_or("--asked needs a number")? as usize,
                "--limit" => plan.limit = number().ok_or("--limit needs seconds")?,
                name => plan.only.push(name.to_owned()),
            }
        }
        Ok(plan)
    }

    /// Whether everything is measured.
    pub fn is_whole(&self) -> bool {
        self.only.is_empty()
    }
}

/// One pair of bodies at one pace.
#[derive(Clone, Debug)]
pub struct Row {
    /// The names of the bodies.
    pub name: &'static str,
    /// Degrees per frame.
    pub degrees: f64,
    /// What a median update may take, in evaluations.
    pub asked: f64,
    /// One bicubic evaluation, ns: the median of the blocks between.
    pub yardstick: f64,
    /// The median of single updates, ns.
    pub single: f64,
    /// The median of blocks, and the value that all but one in a hundred of them stay below, ns per update.
    pub blocks: [f64; 2],
    /// Answered from scratch, ns.
    pub cold: f64,
    /// Open CASCADE, ns, where it took part.
    pub occt: f64,
    /// How many updates were apart, and of these how many were not proven as asked.
    pub apart: [usize; 2],
    /// How often the nearest features changed.
    pub switches: usize,
    /// Pairs looked at and Newton steps, per update.
    pub work: [f64; 2],
}

impl Row {
    /// A time in evaluations.
    pub fn yardsticks(&self, nanoseconds: f64) -> f64 {
        nanoseconds / self.yardstick
    }
}

/// All rows, and which version of Open CASCADE took part.
pub struct Measured {
    /// Pair by pair, each at all paces.
    pub rows: Vec<Row>,
    /// The version, where it took part.
    pub occt: Option<String>,
}

/// Measures everything in one run.
///
/// # Errors
/// When a body cannot be made or a query fails.
pub fn measure(plan: &Plan) -> Result<Measured, Box<dyn Error>> {
    let wanted = |pair: &Pair| plan.only.is_empty() || plan.only.iter().any(|name| name == pair.name);
    let pairs: Vec<Pair> = pairs::all().into_iter().filter(wanted).collect();
    let mut occt = if plan.asked == 0 { None } else { started(plan, &pairs) };
    let mut rows = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let bodies = [read(&pair.specs[0])?, read(&pair.specs[1])?];
        for (pace, degrees) in PACES.into_iter().enumerate() {
            let mut row = row(pair, &bodies, degrees, plan.blocks)?;
            if let Some(occt) = &mut occt {
                let times: Vec<f64> = (0..plan.asked)
                    .filter_map(|at| {
                        let asked = format!("distance {} {at}", PACES.len() * number + pace);
                        occt.ask(&asked).ok().filter(|reply| *reply != Reply::Late)?.number(0)
                    })
                    .collect();
                row.occt = median(times);
            }
            eprintln!("{}", report::line(&row));
            rows.push(row);
        }
    }
    Ok(Measured { rows, occt: occt.map(|_| crate::certified::occt::WHEEL.to_owned()) })
}

fn stream(pair: &Pair, degrees: f64, count: usize) -> Vec<Pose> {
    let name = format!("tracking {} {degrees}", pair.name);
    Wander::new(&name, degrees, pair.range, pair.hovers).take(count).collect()
}

fn row(pair: &Pair, bodies: &[Body; 2], degrees: f64, blocks: usize) -> Result<Row, Box<dyn Error>> {
    let poses = stream(pair, degrees, WARM_UP + BLOCK * blocks);
    let [a, b] = bodies;
    let mut yardstick = Yardstick::new()?;
    let mut tracker = CurvedTracker::new(a, b)?;
    for pose in &poses[..WARM_UP] {
        black_box(tracker.update(pose)?);
    }
    let (mut times, mut evaluations) = (Vec::new(), Vec::new());
    let (mut apart, mut switches, mut work, mut last) = ([0; 2], 0, [0.0; 2], None);
    for block in poses[WARM_UP..].chunks_exact(BLOCK) {
        let before = thread_nanoseconds();
        let answers = tracked_region(&mut tracker, block)?;
        times.push((thread_nanoseconds() - before) / BLOCK as f64);
        for answer in answers.iter().flatten() {
            apart[0] += usize::from(answer.state == State::Separated);
            let proven = matches!(answer.ended, Ended::Certified(_));
            apart[1] += usize::from(answer.state == State::Separated && !proven);
            let features = answer.witnesses.map(|witness| (witness.leaf, witness.feature));
            switches += usize::from(last.is_some_and(|last| last != features));
            last = Some(features);
            work[0] += f64::from(answer.work.iterations);
            work[1] += f64::from(answer.work.newton);
        }
        evaluations.push(yardstick.measure());
    }
    let count = (BLOCK * times.len()) as f64;
    let mut sorted = times.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(Row {
        name: pair.name,
        degrees,
        asked: pair.asked,
        yardstick: median(evaluations),
        single: single(bodies, &poses)?,
        blocks: [median(times), sorted[(99 * sorted.len()).div_ceil(100) - 1]],
        cold: cold(bodies, &poses)?,
        occt: f64::NAN,
        apart,
        switches,
        work: work.map(|sum| sum / count),
    })
}

/// What is timed, and what instruction counts are taken over.
#[inline(never)]
pub fn tracked_region(
    tracker: &mut CurvedTracker,
    poses: &[Pose],
) -> Result<[Option<clearance_proximity::Proximity>; BLOCK], Box<dyn Error>> {
    let mut answers = [None; BLOCK];
    for (answer, pose) in answers.iter_mut().zip(poses) {
        *answer = Some(tracker.update(pose)?);
    }
    Ok(answers)
}

/// The median of single updates.
fn single(bodies: &[Body; 2], poses: &[Pose]) -> Result<f64, Box<dyn Error>> {
    let mut tracker = CurvedTracker::new(&bodies[0], &bodies[1])?;
    let (mut times, mut empty) = (Vec::new(), Vec::new());
    for (at, pose) in poses.iter().enumerate() {
        let begin = Instant::now();
        black_box(tracker.update(pose)?);
        let middle = Instant::now();
        let end = Instant::now();
        if at >= WARM_UP {
            times.push((middle - begin).as_nanos() as f64);
            empty.push((end - middle).as_nanos() as f64);
        }
    }
    Ok(median(times) - median(empty))
}

/// The median of some poses answered from scratch.
fn cold(bodies: &[Body; 2], poses: &[Pose]) -> Result<f64, Box<dyn Error>> {
    let mut scratch = Scratch::new();
    let mut times = Vec::new();
    for pose in poses.iter().step_by((poses.len() / 32).max(1)) {
        let before = thread_nanoseconds();
        black_box(scratch.find(&bodies[0], &bodies[1], pose, &Precision::default())?);
        times.push(thread_nanoseconds() - before);
    }
    Ok(median(times))
}

/// One bicubic evaluation with all second derivatives, at random parameters.
struct Yardstick {
    surface: NurbsSurface,
    at: Vec<[f64; 2]>,
}

impl Yardstick {
    fn new() -> Result<Self, Box<dyn Error>> {
        let mut random = Random::new(5);
        let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let net: Vec<Vec<DVec3>> = (0..4)
            .map(|i| (0..4).map(|j| DVec3::new(f64::from(i), f64::from(j), random.signed())).collect())
            .collect();
        let surface = NurbsSurface::new([3, 3], [ends(), ends()], &net, None)?;
        let at = (0..EVALUATIONS).map(|_| [0, 1].map(|_| 0.5 * (1.0 + random.signed()))).collect();
        Ok(Self { surface, at })
    }

    fn measure(&mut self) -> f64 {
        let before = thread_nanoseconds();
        for at in &self.at {
            black_box(self.surface.jet(black_box(at[0]), at[1]));
        }
        (thread_nanoseconds() - before) / EVALUATIONS as f64
    }
}

/// Open CASCADE on a file with the first poses of all pairs and paces.
fn started(plan: &Plan, pairs: &[Pair]) -> Option<Occt> {
    let mut bodies = serde_json::Map::new();
    let mut rows = Vec::new();
    for pair in pairs {
        let names = [0, 1].map(|i| format!("{}/{i}", pair.name));
        for (name, spec) in names.iter().zip(&pair.specs) {
            bodies.insert(name.clone(), spec.clone());
        }
        for degrees in PACES {
            let poses: Vec<[f64; 7]> = stream(pair, degrees, plan.asked).iter().map(numbers).collect();
            rows.push(json!({ "bodies": names, "poses": poses }));
        }
    }
    let file: Value = json!({
        "folder": data_folder(), "limit_s": plan.limit, "bodies": bodies, "pairs": rows, "surfaces": [],
    });
    let path = PathBuf::from(env!("OUT_DIR")).join("tracking-plan.json");
    let begun = std::fs::write(&path, file.to_string()).map_err(Into::into).and_then(|()| Occt::start(path));
    begun
        .map_err(|error| eprintln!("Open CASCADE is not available here ({error}): its column is empty."))
        .ok()
}

fn numbers(pose: &Pose) -> [f64; 7] {
    let (q, t) = (clearance_geometry::DQuat::from_mat3(&pose.rotation()), pose.translation());
    [q.x, q.y, q.z, q.w, t.x, t.y, t.z]
}

/// Updates one pair for a profiler, the counted part inside [`tracked_region`].
///
/// # Errors
/// When there is no such pair, or a query fails.
pub fn region(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [name, degrees, blocks] = words[..] else { return Err("track-region PAIR DEGREES BLOCKS".into()) };
    let pair = pairs::all().into_iter().find(|pair| pair.name == name).ok_or("no such pair")?;
    let poses = stream(&pair, degrees.parse()?, WARM_UP + BLOCK * blocks.parse::<usize>()?);
    let mut tracker = CurvedTracker::new(&read(&pair.specs[0])?, &read(&pair.specs[1])?)?;
    for pose in &poses[..WARM_UP] {
        black_box(tracker.update(pose)?);
    }
    let mut sum = [0_u64; 2];
    for block in poses[WARM_UP..].chunks_exact(BLOCK) {
        for answer in tracked_region(&mut tracker, block)?.iter().flatten() {
            sum[0] += u64::from(answer.work.iterations);
            sum[1] += u64::from(answer.work.newton);
        }
    }
    println!("{name}: {} pairs and {} Newton steps in {} updates", sum[0], sum[1], poses.len() - WARM_UP);
    Ok(())
}
