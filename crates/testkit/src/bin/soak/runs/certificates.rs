//! Certificates of pairs of every kind: accepted as they are written, refused once tampered with; and answers asked for without
//! one, found by other ways, that certificates do not contradict.

use super::Case;
use crate::tally::{Failure, Tally};
use clearance_certificate::{Certificate, check};
use clearance_formats::{certificate_of, planar_certificate};
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::{Body, DVec2, HalfSpace, PlanarPose, Pose};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_proximity::planar::{PlanarPrepared, proven_nearest};
use clearance_proximity::{Ended, Precision, QueryError, Scratch, State};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, PLANAR_KINDS, body, planar_body};
use clearance_testkit::tamper::{TAMPERINGS, tampered};
use std::f64::consts::TAU;

/// Kinds beside those of [`BODY_KINDS`].
const MORE_KINDS: [&str; 4] = ["half-space", "algebraic ellipsoid", "algebraic cylinder", "algebraic torus"];

/// Pairs of parts that a search may look at.
const MAX_PAIRS: u64 = 100_000;

/// Margins by which the slopes of a proof are to hold, tried in turn.
const MARGINS: [f64; 3] = [2.0, 8.0, 32.0];

fn algebraic(text: &str, half: f64) -> Body {
    let within = Aabb { low: [-half; 3], high: [half; 3] };
    AlgebraicSurface::new(text.parse().expect("a polynomial"), within).expect("a surface").into()
}

fn any_body(random: &mut Random, kind: usize, scale: f64) -> Body {
    match kind.checked_sub(BODY_KINDS.len()).map(|more| MORE_KINDS[more]) {
        None => body(random, kind, scale),
        Some("half-space") => HalfSpace::new(random.direction(), -1.5 * scale).expect("a half-space").into(),
        Some("algebraic ellipsoid") => algebraic("x^2 + y^2/0.36 + z^2/0.09 - 1", 1.25),
        Some("algebraic cylinder") => algebraic("x^2 + y^2 - 0.25", 1.0),
        Some(_) => algebraic("(x^2 + y^2 + z^2 + 0.5)^2 - 2.25*(x^2 + y^2)", 1.25),
    }
}

fn name(kind: usize) -> &'static str {
    BODY_KINDS.get(kind).copied().unwrap_or_else(|| MORE_KINDS[kind - BODY_KINDS.len()])
}

/// Kinds that are made of the same things: a certificate of one is as those of the others.
const CLASSES: [(&str, &[&str]); 6] = [
    ("polytope", &["box", "hull", "point", "segment"]),
    (
        "curved solid",
        &[
            "sphere",
            "ellipsoid",
            "cylinder",
            "cone",
            "stump",
            "capsule",
            "torus",
            "pillow",
            "bowl",
            "cup",
            "star",
        ],
    ),
    ("open patch", &["sheet", "rational sheet", "trimmed shell"]),
    ("union", &["union"]),
    ("algebraic", &["algebraic ellipsoid", "algebraic cylinder", "algebraic torus"]),
    ("half-space", &["half-space"]),
];

/// Of so many certificates one is tampered with, in every way.
const ONE_TAMPERED: u64 = 4;

/// Two bodies apart or close; all tamperings of some certificates.
pub(super) fn certificates(seed: u64) -> Box<Case<'static>> {
    let pairs: Vec<[usize; 2]> = (0..CLASSES.len())
        .flat_map(|i| (i..CLASSES.len()).map(move |j| [i, j]))
        .filter(|classes| classes.map(|class| CLASSES[class].0) != ["half-space"; 2])
        .collect();
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        // The turn after the last pair is that of the plane.
        let count = pairs.len() as u64 + 1;
        let tamper = (case / count).is_multiple_of(ONE_TAMPERED);
        let Some(&classes) = pairs.get((case % count) as usize) else {
            return planar(tamper, &mut random, tally, case);
        };
        let mut classes = classes;
        let group = classes.map(|class| CLASSES[class].0).join(" and ");
        if random.chance(0.5) {
            classes.reverse();
        }
        let kinds = classes.map(|class| numbered(random.pick::<&str>(CLASSES[class].1)));
        tally.case(group.clone());
        match checked(kinds, tamper, &mut random, tally, case) {
            Ok(how) => tally.minimum(format!("{group}: {how}")),
            Err((what, fault)) => {
                let [a, b] = kinds.map(name);
                let group = format!("{what}: {a} and {b}");
                tally.fail(Failure { case, group, complexity: 0, fault, repeat: String::new() });
            }
        }
    })
}

fn numbered(wanted: &str) -> usize {
    (0..BODY_KINDS.len() + MORE_KINDS.len()).find(|&kind| name(kind) == wanted).expect("a kind")
}

type Fault = (&'static str, String);

/// What came of it, in a word.
fn checked(
    kinds: [usize; 2],
    tamper: bool,
    random: &mut Random,
    tally: &mut Tally,
    case: u64,
) -> Result<&'static str, Fault> {
    let is_level = kinds.iter().any(|kind| *kind >= BODY_KINDS.len());
    let scale = if is_level { 1.0 } else { *random.pick(&[1.0, 1.0, 1e-3, 1e3, 1e6, 1e-5]) };
    let bodies = kinds.map(|kind| any_body(random, kind, scale));
    let far = if random.chance(0.8) { random.uniform(2.0, 4.0) } else { random.uniform(0.3, 2.0) };
    let pose = Pose::new(random.quaternion(), random.direction() * far * scale).expect("a pose");
    let Some((file, size)) = written(&bodies, &pose, is_level, tally).map_err(|fault| ("refused", fault))?
    else {
        return Ok("search not finished");
    };
    for (bodies, pose) in [([&bodies[0], &bodies[1]], pose), ([&bodies[1], &bodies[0]], pose.inverse())] {
        let named = |fault| ("contradicted", format!("{fault}; {pose:?}"));
        agrees(bodies, &pose, &file, size, tally).map_err(named)?;
    }
    verified(&file, size, tamper, random, tally, case)
}

/// Whether the answer to a question without a certificate is one that a certificate allows.
fn agrees(
    [a, b]: [&Body; 2],
    pose: &Pose,
    file: &Certificate,
    size: f64,
    tally: &mut Tally,
) -> Result<(), String> {
    let precision = Precision { max_pairs: Some(MAX_PAIRS), ..Precision::default() };
    let found = Scratch::new().find(a, b, pose, &precision).map_err(|why| format!("no answer: {why}"))?;
    let answer = &found.proximity;
    let apart = answer.state == State::Separated;
    *tally
        .ended
        .entry(format!("beside its certificate: {}", if apart { "apart" } else { "not apart" }))
        .or_default() += 1;
    let round = 1e-11 * size;
    // Of a body in another one the boundaries are apart as well.
    if !apart || file.lower_bound <= 0.0 {
        let touches = answer.state == State::Touching || answer.state == State::Penetrating;
        return if touches && file.lower_bound > round {
            Err(format!("{answer:?} where the certificate proves {:e}", file.lower_bound))
        } else {
            Ok(())
        };
    }
    let lower = match answer.ended {
        Ended::Certified(proof) => proof.lower,
        _ => 0.0,
    };
    if lower > file.distance + round || answer.distance < file.lower_bound - round {
        return Err(format!(
            "{answer:?} where the certificate has {:e} to {:e}",
            file.lower_bound, file.distance
        ));
    }
    Ok(())
}

/// Two planar bodies.
fn planar(tamper: bool, random: &mut Random, tally: &mut Tally, case: u64) {
    let group = "planar and planar".to_string();
    tally.case(group.clone());
    let kinds = [random.index(PLANAR_KINDS.len()), random.index(PLANAR_KINDS.len())];
    let scale = *random.pick(&[1.0, 1.0, 1e-3, 1e3, 1e6, 1e-6]);
    let far = random.uniform(1.0, 4.0) * scale;
    let shift = DVec2::from_angle(random.uniform(0.0, TAU)) * far;
    let pose = PlanarPose::new(random.uniform(0.0, TAU), shift).expect("a pose");
    let bodies = kinds
        .map(|kind| PlanarPrepared::new(&planar_body(scale, kind, random)).expect("curves that have pieces"));
    let made = accepted(scale + far, tally, |margin| {
        let (found, pose) = proven_nearest([&bodies[0], &bodies[1]], &pose, None, margin)?;
        let file = planar_certificate([&bodies[0], &bodies[1]], ["a", "b"], &pose, &found);
        Ok((file, found.proximity.distance))
    });
    let outcome = made.map_err(|fault| ("refused", fault)).and_then(|file| match file {
        Some(file) => verified(&file, scale, tamper, random, tally, case),
        None => Ok("search not finished"),
    });
    match outcome {
        Ok(how) => tally.minimum(format!("{group}: {how}")),
        Err((what, fault)) => {
            let [a, b] = kinds.map(|kind| PLANAR_KINDS[kind]);
            let group = format!("{what}: planar {a} and {b}");
            tally.fail(Failure { case, group, complexity: 0, fault, repeat: format!("{pose:?}") });
        }
    }
}

/// What is found of an accepted certificate; all tamperings of it where that is asked for.
fn verified(
    file: &Certificate,
    size: f64,
    tamper: bool,
    random: &mut Random,
    tally: &mut Tally,
    case: u64,
) -> Result<&'static str, Fault> {
    tally.measure("steps of a proof in thousands", file.proof.len() as f64 / 1e3, case);
    let error = file.distance - file.lower_bound;
    tally.measure("error in 1e-9 of the size", error / (1e-9 * size), case);
    if file.lower_bound <= 0.0 {
        return Ok("in contact, nothing to prove");
    }
    if !tamper {
        return Ok("proved");
    }
    let by = (2.0 * error).max(1e-9 * size);
    for (how, what) in TAMPERINGS.iter().enumerate() {
        let Some(wrong) = tampered(file, how, by, random) else { continue };
        if let Ok(verdict) = check(wrong.to_json().as_bytes()) {
            let fault = format!("{what} by {by:e} is accepted, size {size:e}, error {error:e}: {verdict:?}");
            return Err((what, fault));
        }
        *tally.ended.entry(format!("{what}: refused")).or_default() += 1;
    }
    Ok("proved, all tamperings refused")
}

/// A certificate that the checker accepts, and the size of both bodies; `None` where the search was not finished.
fn written(
    bodies: &[Body; 2],
    pose: &Pose,
    is_level: bool,
    tally: &mut Tally,
) -> Result<Option<(Certificate, f64)>, String> {
    let ready = [0, 1].map(|side| Ready::new(&bodies[side]).expect("a body of pieces"));
    let mut demand = ready[0].demand(&ready[1], pose);
    // A point over a plane has no size but its distance.
    let size = (demand.max_error / 1e-9).max(1e-3 * pose.translation().length());
    demand.max_pairs = MAX_PAIRS;
    if is_level {
        demand.max_error = 1e-5 * size;
    }
    let made = accepted(size, tally, |margin| {
        demand.proof = Some(margin);
        let found = nearest_of([&ready[0], &ready[1]], pose, &demand, &mut ReadyMemory::default())?;
        let file = certificate_of([&ready[0], &ready[1]], ["a", "b"], pose, &found);
        Ok((file, found.proximity.distance.max(0.0)))
    });
    Ok(made.map_err(|fault| format!("{fault}; {pose:?}"))?.map(|file| (file, size)))
}

/// Makes certificates with one margin after the other until one is accepted; `None` where a search was not finished.
fn accepted(
    size: f64,
    tally: &mut Tally,
    mut make: impl FnMut(f64) -> Result<(Option<Certificate>, f64), QueryError>,
) -> Result<Option<Certificate>, String> {
    let mut refusal = String::new();
    for margin in MARGINS {
        let (file, distance) = make(margin).map_err(|why| format!("no answer: {why}"))?;
        let Some(file) = file else { return Ok(None) };
        match check(file.to_json().as_bytes()) {
            Ok(verdict) if verdict.lower_bound <= distance + 1e-12 * size => return Ok(Some(file)),
            Ok(verdict) => return Err(format!("proved above the distance {distance:e}: {verdict:?}")),
            Err(why) => refusal = format!("margin {margin}: {why}; distance {distance:e}"),
        }
        *tally.ended.entry(format!("refused with margin {margin}")).or_default() += 1;
    }
    Err(refusal)
}
