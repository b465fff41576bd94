//! Certificates of pairs of every kind: accepted as they are written, refused once tampered with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_certificate::{Certificate, check};
use clearance_formats::{certificate_of, planar_certificate};
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, PlanarPose, Pose, VertexId};
use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
use clearance_proximity::planar::{PlanarPrepared, nearest, proven_nearest};
use clearance_proximity::{Precision, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, PLANAR_KINDS, body, planar_body};
use clearance_testkit::tamper::{TAMPERINGS, tampered};
use std::f64::consts::TAU;

/// Margins by which the slopes of a proof are to hold, tried in turn.
const MARGINS: [f64; 3] = [2.0, 8.0, 32.0];

/// Ways of tampering tried on one certificate; a long run tries all on each: `cargo xtask soak certificates`.
const TRIED: usize = 4;

/// Bodies of every kind, a half-space and an algebraic surface among them.
fn bodies(random: &mut Random, scale: f64) -> Vec<Body> {
    let mut all: Vec<Body> = (0..BODY_KINDS.len()).map(|kind| body(random, kind, scale)).collect();
    let within = Aabb { low: [-1.25 * scale; 3], high: [1.25 * scale; 3] };
    let square = scale * scale;
    let text = format!("x^2/{square} + y^2/{} + z^2/{} - 1", 0.36 * square, 0.09 * square);
    all.push(AlgebraicSurface::new(text.parse().unwrap(), within).unwrap().into());
    all.push(HalfSpace::new(random.direction(), -1.5 * scale).unwrap().into());
    all
}

/// The first of the certificates made with one margin after the other that the checker accepts.
fn accepted(mut make: impl FnMut(f64) -> Certificate) -> Certificate {
    let mut refusals = Vec::new();
    for margin in MARGINS {
        let file = make(margin);
        match check(file.to_json().as_bytes()) {
            Ok(verdict) => {
                assert_eq!(verdict.lower_bound, file.lower_bound);
                return file;
            }
            Err(why) => refusals.push(why.to_string()),
        }
    }
    panic!("refused: {refusals:?}")
}

fn written(bodies: [&Body; 2], pose: &Pose, max_error: f64) -> Certificate {
    let ready = bodies.map(|body| Ready::new(body).unwrap());
    let mut demand = ready[0].demand(&ready[1], pose);
    demand.max_error = max_error;
    accepted(|margin| {
        demand.proof = Some(margin);
        let found = nearest_of([&ready[0], &ready[1]], pose, &demand, &mut ReadyMemory::default()).unwrap();
        certificate_of([&ready[0], &ready[1]], ["a", "b"], pose, &found).expect("a finished search")
    })
}

/// Tampers with a certificate in some of the ways, beginning with one of them; all must be refused.
fn refuse(file: &Certificate, size: f64, first: usize, refused: &mut [usize], random: &mut Random) {
    let by = (2.0 * (file.distance - file.lower_bound)).max(1e-9 * size);
    for how in (first..first + TRIED).map(|how| how % TAMPERINGS.len()) {
        let Some(wrong) = tampered(file, how, by, random) else { continue };
        let verdict = check(wrong.to_json().as_bytes());
        assert!(verdict.is_err(), "{} by {by}: {verdict:?}", TAMPERINGS[how]);
        refused[how] += 1;
    }
}

#[test]
fn certificates_of_every_pair_are_accepted_and_tampered_ones_refused() {
    let mut random = Random::new(41);
    let scale = 1e3;
    let all = bodies(&mut random, scale);
    let (mut proved, mut refused) = (0, [0; TAMPERINGS.len()]);
    for (i, a) in all.iter().enumerate() {
        // Every kind meets a third of the others, each of them as A and as B.
        for b in all.iter().skip(i % 3).step_by(3) {
            if !(a.is_bounded() || b.is_bounded()) {
                continue;
            }
            let shift = random.direction() * random.uniform(2.0, 3.5) * scale;
            let pose = Pose::new(random.quaternion(), shift).unwrap();
            let file = written([a, b], &pose, 1e-5 * scale);
            if file.lower_bound > 0.0 {
                refuse(&file, scale, proved * TRIED, &mut refused, &mut random);
                proved += 1;
            }
        }
    }
    assert!(proved > 100 && refused.iter().all(|count| *count > 5), "{proved} {refused:?}");
}

#[test]
fn certificates_of_planar_bodies_are_accepted_and_tampered_ones_refused() {
    let mut random = Random::new(42);
    let (mut proved, mut refused) = (0, [0; TAMPERINGS.len()]);
    for case in 0..72 {
        let kinds = [case % PLANAR_KINDS.len(), case / PLANAR_KINDS.len() % PLANAR_KINDS.len()];
        let scale = [1.0, 1e-6, 1e6][case % 3];
        let bodies = kinds.map(|kind| PlanarPrepared::new(&planar_body(scale, kind, &mut random)).unwrap());
        let shift = DVec2::from_angle(random.uniform(0.0, TAU)) * random.uniform(1.5, 4.0) * scale;
        let pose = PlanarPose::new(random.uniform(0.0, TAU), shift).unwrap();
        let file = accepted(|margin| {
            let (found, pose) = proven_nearest([&bodies[0], &bodies[1]], &pose, None, margin).unwrap();
            planar_certificate([&bodies[0], &bodies[1]], ["a", "b"], &pose, &found)
                .expect("a finished search")
        });
        let answer = nearest(bodies[0].body(), bodies[1].body(), &pose, None).unwrap();
        assert!(file.lower_bound <= answer.distance + 1e-12 * scale || answer.state.overlaps(), "{answer:?}");
        if file.lower_bound > 0.0 {
            refuse(&file, scale, proved * TRIED, &mut refused, &mut random);
            proved += 1;
        }
    }
    assert!(proved > 40 && refused.iter().all(|count| *count > 3), "{proved} {refused:?}");
}

fn of_kind(random: &mut Random, name: &str, scale: f64) -> Body {
    let kind = BODY_KINDS.into_iter().position(|kind| kind == name).expect("a kind");
    body(random, kind, scale)
}

/// A witness in a corner of a trimmed face, or on its edge, is one of the face within rounding alone; cells outside the trim
/// are next to it.
#[test]
fn certificates_of_trimmed_faces_are_accepted_at_their_corners() {
    let mut random = Random::new(43);
    let mut corners = 0;
    for case in 0..60 {
        let scale = [1.0, 1e-3, 1e6][case % 3];
        let shell = of_kind(&mut random, "trimmed shell", scale);
        let other = of_kind(&mut random, ["point", "sphere", "box", "trimmed shell"][case % 4], 0.1 * scale);
        let Body::Tiled(tiled) = &shell else { panic!("a shell is one body of faces") };
        let corner = tiled.vertex(VertexId((case % tiled.vertex_count()) as u32));
        let middle = (0..tiled.vertex_count() as u32).map(|at| tiled.vertex(VertexId(at)));
        let middle = middle.sum::<DVec3>() / tiled.vertex_count() as f64;
        // Away from the other corners, and from the surface.
        let away = (corner - middle).normalize() + 0.3 * random.direction() + 0.3 * corner.normalize();
        let pose = Pose::new(random.quaternion(), corner + away * random.uniform(0.3, 1.0) * scale).unwrap();
        let file = written([&shell, &other], &pose, 1e-9 * scale);
        let feature = &file.bodies[0].pieces[file.witnesses[0].piece].feature;
        let error = file.distance - file.lower_bound;
        // What edges are off their faces by is never closed.
        assert!(file.lower_bound == 0.0 || error < 1e-7 * scale, "{case}: {} {error}", file.distance);
        corners += usize::from(file.lower_bound > 0.0 && !feature.starts_with("edge"));
        // On its face the witness is known to be inside, or within a very small part of the boundary.
        let verdict = check(file.to_json().as_bytes()).unwrap();
        assert!(!verdict.on_boundary[0] || feature.starts_with("face"));
    }
    assert!(corners > 20, "{corners}");
}

/// Where bodies are close compared with their size, derivatives of small cells are mostly rounding.
#[test]
fn certificates_of_bodies_close_to_each_other_are_accepted() {
    let mut random = Random::new(44);
    for case in 0..24 {
        let scale = [1.0, 1e6, 1e-5][case % 3];
        let names =
            [["union", "pillow"], ["pillow", "pillow"], ["torus", "union"], ["sheet", "pillow"]][case % 4];
        let bodies = names.map(|name| of_kind(&mut random, name, scale));
        let apart = Pose::new(random.quaternion(), random.direction() * 4.0 * scale).unwrap();
        let (near, _) = nearest_points(&bodies[0], &bodies[1], &apart, &Precision::default()).unwrap();
        let p = near.proximity;
        let gap = [1e-2, 1e-4, 1e-6][case / 8 % 3] * scale;
        let shift = apart.translation() + p.normal * (gap - p.distance);
        let file = written([&bodies[0], &bodies[1]], &apart.with_translation(shift), 1e-9 * scale);
        assert!(file.distance < 1.5 * gap && file.lower_bound > 0.5 * file.distance, "{case}");
    }
}
