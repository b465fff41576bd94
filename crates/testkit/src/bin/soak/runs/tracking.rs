//! Tracked answers against those from scratch, along smooth motions with jumps and poisoned hints in between.
//!
//! A case is one pair of bodies, one speed and some frames. In some cases the tracker is thrown to an unrelated pose before
//! every frame. A case of convex bodies has a pose with many starts beside, each from features at random, back faces of thin
//! slabs included: fifty cases of a pair are ten thousand of them.

use super::tracked_pairs::{Tracked, pairs};
use super::{Case, kind};
use crate::tally::{Failure, Tally};
use clearance_geometry::{DVec2, EdgeId, FaceId, Feature, PlanarPose, Polygon, Pose, VertexId};
use clearance_proximity::convex::is_convex;
use clearance_proximity::planar::{self, OutlinePair, PlanarBody};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Proximity, Scratch, State};
use clearance_testkit::Random;
use clearance_testkit::generate::{PLANAR_KINDS, Wander, planar_body, planar_polygon};
use std::cell::RefCell;

/// Frames of a case: a thousand cases of a pair are a hundred thousand of them.
const FRAMES: usize = 100;

/// Starts of a case of convex bodies.
const STARTS: usize = 200;

/// Degrees per frame, as powers of ten: 0.05 to 5.
const SPEEDS: [f64; 2] = [-1.3, 0.699];

/// What pairs of parts of the plane are called.
const PLANAR: [&str; 2] = ["polygons", "outlines"];

/// Pairs take turns: convex ones, others, polygons, outlines of curves.
pub(super) fn tracking(seed: u64) -> Box<Case<'static>> {
    let pairs = pairs();
    let mut random = Random::new(seed);
    let polygons: Vec<Polygon> = (0..40).map(|_| planar_polygon(1.0, &mut random)).collect();
    let outlines: Vec<PlanarBody> =
        (0..30).map(|k| planar_body(1.0, k % PLANAR_KINDS.len(), &mut random)).collect();
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        let turn = case as usize % (pairs.len() + PLANAR.len());
        let name = pairs.get(turn).map_or_else(|| PLANAR[turn - pairs.len()], |pair| pair.name);
        tally.case(name.to_string());
        let outcome = match pairs.get(turn) {
            Some(pair) => followed(pair, &mut random, tally, case),
            None if name == PLANAR[0] => in_the_plane(&polygons, &mut random, tally),
            None => along_outlines(&outlines, &mut random, tally),
        };
        if let Err(fault) = outcome {
            let repeat = format!("{name}, case {case} of seed {seed}");
            tally.fail(Failure {
                case,
                group: format!("{name}: {}", kind(&fault)),
                complexity: 0,
                fault,
                repeat,
            });
        }
    })
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

fn followed(pair: &Tracked, random: &mut Random, tally: &mut Tally, case: u64) -> Result<(), String> {
    let [a, b] = &pair.bodies;
    let degrees = 10.0_f64.powf(random.uniform(SPEEDS[0], SPEEDS[1]));
    let jumps = random.chance(0.2);
    let poisoned = !jumps && random.chance(0.2);
    let mut tracker = CurvedTracker::new(a, b).map_err(|why| format!("no tracker: {why}"))?;
    let mut last = None;
    for pose in Wander::new(random.bits(), degrees, pair.range[0], pair.range[1]).take(FRAMES) {
        if jumps {
            let place = random.direction() * random.uniform(pair.range[0], pair.range[1]);
            let start = Pose::new(random.quaternion(), place).map_err(|why| why.to_string())?;
            tracker.update(&start).map_err(|why| format!("no start: {why}"))?;
        }
        if poisoned {
            poison(&mut tracker, random);
        }
        let answer = tracker.update(&pose).map_err(|why| format!("no answer: {why}"))?;
        let scratch = |scratch: &mut Scratch| scratch.find(a, b, &pose, &Precision::default());
        let truth = SCRATCH.with_borrow_mut(scratch).map_err(|why| format!("no truth: {why}"))?;
        tally.answer(&answer);
        tally.minimum(format!("{}: frames", pair.name));
        let off = compared(&answer, tracker.lower(), &truth.proximity, pair)
            .map_err(|fault| format!("{fault}; at {degrees}°, {pose:?}"))?;
        tally.measure("difference in sizes", off, case);
        let features = answer.witnesses.map(|witness| (witness.leaf, witness.feature));
        if last.replace(features).is_some_and(|last| last != features) {
            tally.minimum(format!("{}: features switch", pair.name));
        }
    }
    if is_convex(a) && is_convex(b) { started(pair, random, tally) } else { Ok(()) }
}

/// One pose of convex bodies from many starts.
fn started(pair: &Tracked, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let [a, b] = &pair.bodies;
    let mut tracker = CurvedTracker::new(a, b).map_err(|why| format!("no tracker: {why}"))?;
    let place = random.direction() * random.uniform(pair.range[0], pair.range[1]);
    let pose = Pose::new(random.quaternion(), place).map_err(|why| why.to_string())?;
    let scratch = |scratch: &mut Scratch| scratch.find(a, b, &pose, &Precision::default());
    let truth = SCRATCH.with_borrow_mut(scratch).map_err(|why| format!("no truth: {why}"))?;
    for _ in 0..STARTS {
        poison(&mut tracker, random);
        let answer = tracker.update(&pose).map_err(|why| format!("no answer from a start: {why}"))?;
        compared(&answer, tracker.lower(), &truth.proximity, pair)
            .map_err(|fault| format!("from a start: {fault}; {pose:?}"))?;
        tally.minimum(format!("{}: starts", pair.name));
    }
    Ok(())
}

fn poison(tracker: &mut CurvedTracker, random: &mut Random) {
    let features = [0, 1].map(|_| match random.index(3) {
        0 => Feature::Face(FaceId(random.index(9) as u32)),
        1 => Feature::Edge(EdgeId(random.index(9) as u32)),
        _ => Feature::Vertex(VertexId(random.index(9) as u32)),
    });
    let wild = |random: &mut Random| DVec2::new(random.uniform(-9.0, 9.0), random.uniform(-9.0, 9.0));
    let parameters = [wild(random), if random.chance(0.2) { DVec2::NAN } else { wild(random) }];
    tracker.hint(features, parameters);
}

/// Whether two answers are the same; by how much their distances differ, in sizes.
fn compared(answer: &Proximity, lower: f64, truth: &Proximity, pair: &Tracked) -> Result<f64, String> {
    let size = pair.size;
    let error = 2e-9 * size + pair.gap;
    if answer.ended == Ended::Limit && answer.state == State::Separated {
        // A budget that ended is counted, not a fault, as long as what is said holds: two points, and a bound.
        let honest =
            lower <= truth.distance + 1e-12 * size + pair.gap && answer.distance >= truth.distance - error;
        return if honest {
            Ok(0.0)
        } else {
            Err(format!("a limit that does not hold: {lower} {answer:?} {truth:?}"))
        };
    }
    let off = (answer.signed_distance - truth.signed_distance).abs();
    let deep = |p: &Proximity| p.state != State::Separated && p.state != State::Touching;
    // The depth of bodies that are not convex is said by neither.
    if deep(answer) && deep(truth) {
        return Ok(0.0);
    }
    if off > error || (deep(answer) != deep(truth) && off > 1e-12 * size) {
        return Err(format!("tracked is not from scratch: {answer:?} {truth:?}"));
    }
    if answer.state == State::Separated {
        if lower > truth.distance + 1e-12 * size + pair.gap {
            return Err(format!("the bound is above the distance: {lower} {truth:?}"));
        }
        let proven = matches!(answer.ended, Ended::Certified(_)) && answer.distance - lower <= error;
        if !proven && matches!(truth.ended, Ended::Certified(_)) {
            return Err(format!("tracked is not proven: {answer:?} {lower}"));
        }
        let apart = answer.witnesses[0].point.distance(answer.witnesses[1].point);
        if (apart - answer.distance).abs() > 1e-12 * size {
            return Err(format!("the witnesses are not that far apart: {apart} {answer:?}"));
        }
    }
    Ok(off / size)
}

/// Poses of the plane that turn by up to 5° and go around by as much.
fn wander_in_the_plane(size: f64, random: &mut Random) -> Result<Vec<PlanarPose>, String> {
    let angle = 10.0_f64.powf(random.uniform(SPEEDS[0], SPEEDS[1])).to_radians();
    let (mut turn, mut place, mut range) =
        (random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), random.uniform(0.3, 1.5));
    let mut pose = || {
        (turn, place) = (turn + angle, place + angle * random.uniform(-1.0, 1.0));
        range = (range + angle * random.uniform(-0.5, 0.5)).clamp(0.3, 1.5);
        PlanarPose::new(turn, DVec2::from_angle(place) * (range * size)).map_err(|why| why.to_string())
    };
    (0..FRAMES).map(|_| pose()).collect()
}

fn in_the_plane(polygons: &[Polygon], random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let (a, b) = (random.pick(polygons), random.pick(polygons));
    let size = a.radius() + b.radius();
    let mut tracker = planar::Tracker::new();
    for pose in wander_in_the_plane(size, random)? {
        if random.chance(0.1) {
            tracker.suggest([VertexId(random.index(20) as u32), VertexId(random.index(20) as u32)]);
        }
        let (answer, truth) = (tracker.update(a, b, &pose), planar::distance(a, b, &pose));
        *tally.states.entry(format!("{:?}", answer.state)).or_default() += 1;
        tally.minimum(format!("{}: frames", PLANAR[0]));
        let off = (answer.signed_distance - truth.signed_distance).abs();
        if off > 1e-12 * size {
            return Err(format!("tracked is not from scratch: {answer:?} {truth:?}"));
        }
    }
    Ok(())
}

/// Outlines cut into pieces once, with the memory of all poses before, against outlines made for one pose.
fn along_outlines(outlines: &[PlanarBody], random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let (a, b) = (random.pick(outlines), random.pick(outlines));
    let mut pair = OutlinePair::new(a, b).map_err(|why| format!("no pair: {why}"))?;
    // Both are at most one from their origins.
    let size = 2.0;
    for pose in wander_in_the_plane(size, random)? {
        let answer = pair.update(&pose, None).map_err(|why| format!("no answer: {why}"))?;
        let truth = planar::nearest(a, b, &pose, None).map_err(|why| format!("no truth: {why}"))?;
        *tally.states.entry(format!("{:?}", answer.state)).or_default() += 1;
        tally.minimum(format!("{}: frames", PLANAR[1]));
        let off = match (answer.signed_distance, truth.signed_distance) {
            (Some(one), Some(other)) => (one - other).abs(),
            (None, None) => 0.0,
            _ => f64::INFINITY,
        };
        let false_bound = answer.state == State::Separated && answer.lower > truth.distance + 1e-12 * size;
        if off > 2e-9 * size || false_bound {
            return Err(format!("tracked is not from scratch: {answer:?} {truth:?}"));
        }
    }
    Ok(())
}
