//! Tracked answers against those from scratch, along smooth motions with jumps and poisoned hints in between.
//!
//! A case is one pair of bodies, one speed and some frames. In some cases the tracker is thrown to an unrelated pose before
//! every frame. A case of convex bodies has a pose with many starts beside, each from features at random, back faces of thin
//! slabs included: fifty cases of a pair are ten thousand of them.

use super::{Case, kind};
use crate::tally::{Failure, Tally};
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{
    Body, DVec2, DVec3, EdgeId, FaceId, Feature, Part, PartTree, PlanarPose, Polygon, Polytope, Pose,
    VertexId, surface::NurbsSurface,
};
use clearance_proximity::convex::is_convex;
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Proximity, Scratch, State, planar};
use clearance_testkit::Random;
use clearance_testkit::data::{bezier_patches, data_file};
use clearance_testkit::generate::{Wander, planar_polygon};
use std::cell::RefCell;

/// Frames of a case.
const FRAMES: usize = 24;

/// Starts of a case of convex bodies.
const STARTS: usize = 200;

/// Degrees per frame, as powers of ten: 0.05 to 5.
const SPEEDS: [f64; 2] = [-1.3, 0.699];

/// What a pair of parts of the plane is called.
const PLANAR: &str = "polygons";

/// Two bodies and how far apart their origins are.
struct Tracked {
    name: &'static str,
    bodies: [Body; 2],
    range: [f64; 2],
    /// Sum of their radii.
    size: f64,
    /// A length below which their boundaries are not known: edges of files stand off their faces.
    gap: f64,
}

/// Of the sizes of bodies from files: what the largest gaps of the parts at hand come to, rounded up.
const FILE_GAP_REL: f64 = 2e-5;

/// Pairs take turns, convex ones, others and polygons.
pub(super) fn tracking(seed: u64) -> Box<Case<'static>> {
    let pairs = pairs();
    let mut random = Random::new(seed);
    let polygons: Vec<Polygon> = (0..40).map(|_| planar_polygon(1.0, &mut random)).collect();
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        let turn = case as usize % (pairs.len() + 1);
        let name = pairs.get(turn).map_or(PLANAR, |pair| pair.name);
        tally.case(name.to_string());
        let outcome = match pairs.get(turn) {
            Some(pair) => followed(pair, &mut random, tally, case),
            None => in_the_plane(&polygons, &mut random, tally),
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

fn pairs() -> Vec<Tracked> {
    let body = |tiled: Result<TiledBody, _>| Body::from(tiled.expect("a primitive"));
    let ball = body(TiledBody::sphere(1.0));
    let can = body(TiledBody::cylinder(0.7, 2.0));
    let cone = body(TiledBody::cone(1.0, 2.0, None));
    let egg = body(TiledBody::ellipsoid([1.2, 0.8, 0.5]));
    let capsule = body(TiledBody::capsule(0.5, 1.5));
    let coin = body(TiledBody::cylinder(1.5, 0.03));
    let slab = Body::from(Polytope::cuboid(DVec3::new(3.0, 2.0, 0.02)).expect("a slab"));
    let ring = body(TiledBody::torus(2.0, 0.5));
    let pair = |name, a: &Body, b: &Body, range| tracked(name, [a.clone(), b.clone()], range);
    let mut pairs = vec![
        pair("ball and cylinder", &ball, &can, [2.5, 5.0]),
        pair("cylinders", &can, &can, [2.5, 5.0]),
        pair("cone and ellipsoid", &cone, &egg, [2.5, 5.0]),
        pair("capsules", &capsule, &capsule, [2.5, 5.0]),
        pair("coins", &coin, &coin, [2.0, 5.0]),
        pair("slab and cone", &slab, &cone, [2.5, 5.0]),
        pair("rings", &ring, &ring, [4.0, 7.0]),
        pair("ring and cylinder", &ring, &can, [3.0, 5.0]),
        pair("bowl and pen", &bowl(), &pen(), [5.0, 14.0]),
        pair("unions", &union(), &union(), [3.0, 6.0]),
        pair("sheets", &sheet(0.3), &sheet(1.7), [2.5, 5.0]),
    ];
    if let Some(pot) = teapot() {
        pairs.push(pair("teapots", &pot, &pot, [6.0, 9.0]));
    }
    pairs.extend(step_pairs());
    pairs
}

fn tracked(name: &'static str, bodies: [Body; 2], range: [f64; 2]) -> Tracked {
    let radius = |body: &Body| {
        clearance_proximity::global::Prepared::new(body).map_or(1.0, |prepared| prepared.radius())
    };
    let size = radius(&bodies[0]) + radius(&bodies[1]);
    Tracked { name, bodies, range, size, gap: 0.0 }
}

/// Two pairs of files, where they are there and the program can read them.
#[cfg(feature = "certificates")]
fn step_pairs() -> Vec<Tracked> {
    use clearance_formats::{AnyBody, Context, Shape, Units};
    let read = |name: &str| {
        let file = data_file(&format!("step/{name}"))?;
        let spec = format!("{{\"kind\": \"step\", \"file\": \"{name}\"}}");
        let context = Context::new(file.parent()?.to_path_buf(), Units::Millimetre);
        match Shape::from_json(&spec, &context).ok()?.body {
            AnyBody::Solid(body) => Some(body),
            _ => None,
        }
    };
    let pair = |name, files: [&str; 2]| {
        let bodies = [read(files[0])?, read(files[1])?];
        let found = tracked(name, bodies, [0.0; 2]);
        let size = found.size;
        Some(Tracked { range: [0.6 * size, 1.2 * size], gap: FILE_GAP_REL * size, ..found })
    };
    let names = [
        ("screws from files", ["m6-countersunk-screw.step"; 2]),
        ("parts from files", ["abc-0006.step", "abc-0008.step"]),
    ];
    names.into_iter().filter_map(|(name, files)| pair(name, files)).collect()
}

#[cfg(not(feature = "certificates"))]
fn step_pairs() -> Vec<Tracked> {
    Vec::new()
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

fn in_the_plane(polygons: &[Polygon], random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let (a, b) = (random.pick(polygons), random.pick(polygons));
    let size = a.radius() + b.radius();
    let angle = 10.0_f64.powf(random.uniform(SPEEDS[0], SPEEDS[1])).to_radians();
    let (mut turn, mut place, mut range) =
        (random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), random.uniform(0.3, 1.5));
    let mut tracker = planar::Tracker::new();
    for _ in 0..FRAMES {
        (turn, place) = (turn + angle, place + angle * random.uniform(-1.0, 1.0));
        range = (range + angle * random.uniform(-0.5, 0.5)).clamp(0.3, 1.5);
        let pose = PlanarPose::new(turn, DVec2::from_angle(place) * (range * size))
            .map_err(|why| why.to_string())?;
        if random.chance(0.1) {
            tracker.suggest([VertexId(random.index(20) as u32), VertexId(random.index(20) as u32)]);
        }
        let (answer, truth) = (tracker.update(a, b, &pose), planar::distance(a, b, &pose));
        *tally.states.entry(format!("{:?}", answer.state)).or_default() += 1;
        let off = (answer.signed_distance - truth.signed_distance).abs();
        if off > 1e-12 * size {
            return Err(format!("tracked is not from scratch: {answer:?} {truth:?}"));
        }
    }
    Ok(())
}

/// The bowl of 004.
fn bowl() -> Body {
    let v = DVec2::new;
    let profile = [
        Segment::Parabola { from: v(0.0, 0.0), to: v(4.0, 4.0), focal: None },
        Segment::Arc { center: v(0.0, 7.0), from: v(4.0, 4.0), to: v(0.0, 2.0), ccw: false },
    ];
    TiledBody::revolve(&profile).expect("the bowl").into()
}

/// The pen of 004.
fn pen() -> Body {
    let v = DVec2::new;
    let line = |from, to| Segment::Line { from, to };
    let profile =
        [line(v(0.0, 0.0), v(0.5, 1.0)), line(v(0.5, 1.0), v(0.5, 7.0)), line(v(0.5, 7.0), v(0.0, 7.0))];
    TiledBody::revolve(&profile).expect("the pen").into()
}

/// A ball, a bar and a ring in one body.
fn union() -> Body {
    let at = |x: f64| Pose::from_translation(DVec3::X * x).expect("a pose");
    let bar = Polytope::cuboid(DVec3::new(3.0, 0.4, 0.4)).expect("a bar");
    let parts = vec![
        (Part::Tiled(TiledBody::sphere(0.6).expect("a ball")), at(1.6)),
        (Part::Polytope(bar), at(0.0)),
        (Part::Tiled(TiledBody::torus(0.8, 0.2).expect("a ring")), at(-1.8)),
    ];
    PartTree::of_parts(parts).expect("a union").into()
}

fn bicubic(net: &[Vec<DVec3>]) -> Patch {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    Patch::new(NurbsSurface::new([3, 3], [ends(), ends()], net, None).expect("a patch"))
}

/// A wavy sheet of one patch.
fn sheet(phase: f64) -> Body {
    let row = |i: usize| {
        let height = |j: usize| 0.4 * (2.0 * i as f64 + phase).sin() + 0.3 * (1.5 * j as f64 - phase).cos();
        (0..4).map(|j| DVec3::new(i as f64 - 1.5, j as f64 - 1.5, height(j))).collect::<Vec<_>>()
    };
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    TiledBody::from_patches(&[bicubic(&net)], None).expect("a sheet").into()
}

/// The teapot of the data folder, where there is one.
fn teapot() -> Option<Body> {
    let file = data_file("teapot-patches.json")?;
    let patches: Vec<Patch> = bezier_patches(&file).iter().map(|net| bicubic(net)).collect();
    TiledBody::from_patches(&patches, None).ok().map(Body::from)
}
