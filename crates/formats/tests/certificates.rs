//! Certificates of pairs of every kind: accepted as they are written, refused once tampered with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_certificate::{Certificate, check};
use clearance_formats::certificate_of;
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::{Body, HalfSpace, Pose};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, body};
use clearance_testkit::tamper::{TAMPERINGS, tampered};

/// Margins by which the slopes of a proof are to hold, tried in turn.
const MARGINS: [f64; 3] = [2.0, 8.0, 32.0];

/// Bodies of every kind, a half-space and an algebraic surface among them.
fn bodies(random: &mut Random, scale: f64) -> Vec<(&'static str, Body)> {
    let mut all: Vec<(&str, Body)> =
        (0..BODY_KINDS.len()).map(|kind| (BODY_KINDS[kind], body(random, kind, scale))).collect();
    let within = Aabb { low: [-1.25 * scale; 3], high: [1.25 * scale; 3] };
    let square = scale * scale;
    let text = format!("x^2/{square} + y^2/{} + z^2/{} - 1", 0.36 * square, 0.09 * square);
    all.push(("algebraic", AlgebraicSurface::new(text.parse().unwrap(), within).unwrap().into()));
    all.push(("half-space", HalfSpace::new(random.direction(), -1.5 * scale).unwrap().into()));
    all
}

/// A certificate that the checker accepts, what is the least change that it must notice.
fn written(bodies: [&Body; 2], pose: &Pose, max_error: f64) -> (Certificate, f64) {
    let ready = bodies.map(|body| Ready::new(body).unwrap());
    let mut demand = ready[0].demand(&ready[1], pose);
    let size = (demand.max_error / 1e-9).max(1e-3 * pose.translation().length());
    demand.max_error = max_error * size;
    let mut refusals = Vec::new();
    for margin in MARGINS {
        demand.proof = Some(margin);
        let found = nearest_of([&ready[0], &ready[1]], pose, &demand, &mut ReadyMemory::default()).unwrap();
        let file =
            certificate_of([&ready[0], &ready[1]], ["a", "b"], pose, &found).expect("a finished search");
        match check(file.to_json().as_bytes()) {
            Ok(verdict) => {
                assert!(verdict.lower_bound <= found.proximity.distance + 1e-12 * size);
                let by = (2.0 * (file.distance - file.lower_bound)).max(1e-9 * size);
                return (file, by);
            }
            Err(why) => refusals.push(why.to_string()),
        }
    }
    panic!("refused: {refusals:?}")
}

#[test]
fn certificates_of_every_pair_are_accepted_and_tampered_ones_refused() {
    let mut random = Random::new(41);
    let scale = 1e3;
    let all = bodies(&mut random, scale);
    let (mut proved, mut refused) = (0, [0; TAMPERINGS.len()]);
    for (i, (name_a, a)) in all.iter().enumerate() {
        for (name_b, b) in &all[i..] {
            if !(a.is_bounded() || b.is_bounded()) {
                continue;
            }
            let shift = random.direction() * random.uniform(1.5, 3.5) * scale;
            let pose = Pose::new(random.quaternion(), shift).unwrap();
            let (file, by) = written([a, b], &pose, 1e-6);
            if file.lower_bound == 0.0 {
                continue;
            }
            proved += 1;
            for (how, count) in refused.iter_mut().enumerate() {
                let Some(wrong) = tampered(&file, how, by, &mut random) else { continue };
                let verdict = check(wrong.to_json().as_bytes());
                assert!(verdict.is_err(), "{name_a} and {name_b}, {} by {by}: {verdict:?}", TAMPERINGS[how]);
                *count += 1;
            }
        }
    }
    assert!(proved > 120 && refused.iter().all(|count| *count > 60), "{proved} {refused:?}");
}
