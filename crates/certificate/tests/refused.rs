//! Every way to tamper with a certificate is refused, and the refusal says where.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod writer;

use clearance_certificate::{
    Axis, Certificate, Fault, Patch, Pose, Refusal, Shape, Side, Step, TrimPart, check, check_certificate,
};
use writer::scenes::{NAMES, plate, plate_with_hole, scene, sphere, vertex};
use writer::{Random, V, length};

fn refused(certificate: &Certificate) -> Refusal {
    match check(certificate.to_json().as_bytes()) {
        Ok(verdict) => panic!("accepted: {verdict:?}"),
        Err(refusal) => refusal,
    }
}

/// One of each kind, with the size of its larger body.
fn all() -> Vec<(&'static str, Certificate, f64)> {
    let mut random = Random(2);
    NAMES.map(|name| (name, scene(name, 1.0, &mut random), 1.0)).into()
}

fn tampered(certificate: &Certificate, change: impl FnOnce(&mut Certificate)) -> Certificate {
    let mut other = certificate.clone();
    change(&mut other);
    assert!(&other != certificate, "nothing was changed");
    other
}

fn sealed(mut certificate: Certificate) -> Certificate {
    certificate.seal();
    certificate
}

fn points(certificate: &mut Certificate, side: usize, piece: usize) -> &mut Vec<[f64; 4]> {
    match &mut certificate.bodies[side].pieces[piece].shape {
        Shape::Patch(patch) => &mut patch.points,
        _ => panic!("not a patch"),
    }
}

#[test]
fn altered_distance_is_refused() {
    for (name, certificate, size) in all() {
        let error = certificate.distance - certificate.lower_bound;
        let by = (2.0 * error).max(1e-9 * size);
        for sign in [1.0, -1.0] {
            let other = tampered(&certificate, |c| c.distance += sign * by);
            assert!(matches!(refused(&other), Refusal::Distance { .. } | Refusal::Bound { .. }), "{name}");
        }
    }
}

#[test]
fn raised_bound_is_refused() {
    for (name, certificate, size) in all() {
        let error = certificate.distance - certificate.lower_bound;
        for by in [(2.0 * error).max(1e-9 * size), 10.0, 1e300] {
            let other = tampered(&certificate, |c| c.lower_bound += by);
            assert!(matches!(refused(&other), Refusal::Bound { .. }), "{name}");
        }
        // Up to the distance itself some step no longer holds.
        let other = tampered(&certificate, |c| c.lower_bound = c.distance);
        match refused(&other) {
            Refusal::Step { reason: Fault::Narrow { width, needed }, .. } => {
                assert!(width < needed, "{name}")
            }
            refusal => panic!("{name}: {refusal}"),
        }
    }
}

#[test]
fn dropped_and_repeated_steps_are_refused() {
    let mut random = Random(3);
    for (name, certificate, _) in all() {
        let count = certificate.proof.len();
        for round in 0..60 {
            let at = if round < 2 { round * (count - 1) } else { random.below(count) };
            let drop = tampered(&certificate, |c| _ = c.proof.remove(at));
            let refusal = refused(&drop);
            let named = match refusal {
                Refusal::Step { step, .. } | Refusal::Incomplete { step, .. } | Refusal::Surplus { step } => {
                    step
                }
                _ => panic!("{name}: {refusal}"),
            };
            assert!(named >= at, "{name}: {refusal} before the change at {at}");
            let twice = tampered(&certificate, |c| c.proof.insert(at, c.proof[at]));
            refused(&twice);
        }
        assert!(matches!(
            refused(&tampered(&certificate, |c| c.proof.clear())),
            Refusal::Incomplete { step: 0, .. }
        ));
        let more = tampered(&certificate, |c| c.proof.push(Step::Outside { side: Side::A }));
        assert_eq!(refused(&more), Refusal::Surplus { step: count }, "{name}");
    }
}

/// A leaf that stands for a whole group or a larger cell: the smaller ones below it are gone.
#[test]
fn shrunk_proofs_are_refused() {
    for (name, certificate, _) in all() {
        for leaf in [
            Step::Slab { direction: [0.3, 0.2, -0.9] },
            Step::Free { side: Side::A, alpha: 1.0, beta: None },
            Step::Free { side: Side::B, alpha: 1.0, beta: Some(0.0) },
            Step::Outside { side: Side::A },
            Step::Empty { side: Side::B },
        ] {
            let other = tampered(&certificate, |c| c.proof = vec![leaf]);
            assert!(matches!(refused(&other), Refusal::Step { step: 0, .. }), "{name}: {leaf:?}");
        }
    }
}

/// Leaves are exchanged for others. Some still hold, so not all are refused, but whatever is accepted claims no more.
#[test]
fn replaced_leaves_are_refused_where_they_matter() {
    let mut random = Random(4);
    let mut counts = [0, 0];
    for (name, certificate, _) in all() {
        for _ in 0..60 {
            let at = random.below(certificate.proof.len());
            if matches!(certificate.proof[at], Step::Split { .. }) {
                continue;
            }
            let mut other = certificate.clone();
            other.proof[at] = match random.below(4) {
                0 => Step::Slab { direction: random.direction() },
                1 => {
                    Step::Free { side: Side::B, alpha: random.unit() - 0.5, beta: Some(random.unit() - 0.5) }
                }
                2 => Step::Outside { side: Side::A },
                _ => Step::Empty { side: Side::B },
            };
            match check_certificate(&other) {
                Ok(_) => counts[1] += 1,
                Err(Refusal::Step { step, .. }) => {
                    assert_eq!(step, at, "{name}");
                    counts[0] += 1;
                }
                Err(refusal) => panic!("{name}: {refusal}"),
            }
        }
    }
    assert!(counts[0] > 4 * counts[1], "{counts:?}");
}

#[test]
fn moved_splits_are_refused() {
    let mut random = Random(5);
    let mut counts = [0, 0];
    for (name, certificate, _) in all() {
        let splits: Vec<usize> = (0..certificate.proof.len())
            .filter(|&at| matches!(certificate.proof[at], Step::Split { .. }))
            .collect();
        for _ in 0..if splits.is_empty() { 0 } else { 40 } {
            let at = splits[random.below(splits.len())];
            let other = tampered(&certificate, |c| {
                if let Step::Split { side, axis } = &mut c.proof[at] {
                    *side = if *side == Side::A { Side::B } else { Side::A };
                    *axis = axis.map(|axis| if axis == Axis::U { Axis::V } else { axis });
                }
            });
            match check_certificate(&other) {
                Err(
                    Refusal::Step { step, .. } | Refusal::Incomplete { step, .. } | Refusal::Surplus { step },
                ) => {
                    assert!(step >= at, "{name}");
                    counts[0] += 1;
                }
                Err(refusal) => panic!("{name}: {refusal}"),
                // Two cells that are both far away may be split either way.
                Ok(_) => counts[1] += 1,
            }
        }
    }
    assert!(counts[0] > 8 * counts[1], "{counts:?}");
}

#[test]
fn changed_bodies_and_poses_break_the_seal() {
    for (name, certificate, _) in all() {
        let mut changes: Vec<Certificate> = vec![
            tampered(&certificate, |c| c.pose.translation[1] += 1e-15),
            tampered(&certificate, |c| c.pose.rotation[2][0] += 1e-15),
            tampered(&certificate, |c| c.bodies[0].name = None),
            tampered(&certificate, |c| c.bodies[1].pieces[0].feature.push('1')),
            tampered(&certificate, |c| c.bodies[1].pieces[0].slack += 1e-9),
            tampered(&certificate, |c| c.bodies[1].groups[0].push(0)),
        ];
        for side in 0..2 {
            for piece in 0..certificate.bodies[side].pieces.len() {
                let mut other = certificate.clone();
                match &mut other.bodies[side].pieces[piece].shape {
                    Shape::Patch(patch) => {
                        let x = &mut patch.points[0][piece % 4];
                        *x = x.next_up();
                        if let Some(trim) = &mut patch.trim {
                            trim[5].high[0] = trim[5].high[0].next_up();
                        }
                    }
                    Shape::Level(level) => level.terms[1].1 += 1,
                    Shape::HalfSpace(half) => half.offset -= 1e-300,
                }
                changes.push(other);
            }
        }
        for other in changes {
            if other != certificate {
                assert_eq!(refused(&other), Refusal::Digest, "{name}");
            }
        }
    }
}

/// With a digest that was computed anew, what the proof rests on is still seen to be gone.
#[test]
fn bodies_changed_and_sealed_again_are_refused() {
    let mut random = Random(6);
    for (name, certificate, _) in all() {
        // B moved toward A, and away: the witnesses are no longer that far apart.
        for factor in [0.999, 1.001] {
            let other = sealed(tampered(&certificate, |c| {
                c.pose.translation = c.pose.translation.map(|x| x * factor + 1e-3 * (factor - 1.0));
            }));
            assert!(matches!(refused(&other), Refusal::Distance { .. }), "{name}");
        }
        // A corner pulled onto or into the other body.
        let Pose { rotation, translation } = certificate.pose;
        let on_b = if name == "curves" { [0.0, 0.0, translation[2] + 0.25] } else { translation };
        let on_a = if name == "curves" { [0.0, 0.0, 1.0] } else { [0.0; 3] };
        let off = writer::sub(on_a, translation);
        let on_a = [0, 1, 2].map(|k| (0..3).map(|row| rotation[row][k] * off[row]).sum());
        for _ in 0..20 {
            let side = random.below(2);
            let piece = random.below(certificate.bodies[side].pieces.len());
            let mut other = certificate.clone();
            match &mut other.bodies[side].pieces[piece].shape {
                Shape::Patch(patch) => {
                    let [x, y, z]: V = [on_b, on_a][side];
                    let w = patch.points[0][3];
                    patch.points[0] = [x * w, y * w, z * w, w];
                }
                Shape::Level(level) => level.terms[3].0 -= 0.1,
                Shape::HalfSpace(half) => half.offset += 0.1,
            }
            other.seal();
            let refusal = refused(&other);
            let expected =
                matches!(refusal, Refusal::Step { .. } | Refusal::Distance { .. } | Refusal::Witness { .. });
            assert!(expected, "{name}: {refusal}");
        }
        let loose = sealed(tampered(&certificate, |c| {
            c.bodies[1].pieces.iter_mut().for_each(|piece| piece.slack = 2.0 * (c.distance - c.lower_bound));
        }));
        assert!(matches!(refused(&loose), Refusal::Step { reason: Fault::Narrow { .. }, .. }), "{name}");
    }
}

fn hole() -> Certificate {
    scene("hole", 1.0, &mut Random(7))
}

#[test]
fn malformed_bodies_name_the_piece() {
    let certificate = hole();
    let piece = |c: &Certificate| match refused(c) {
        Refusal::Body { side: Side::A, piece, .. } => piece,
        refusal => panic!("{refusal}"),
    };
    for weight in [0.0, -1.0, -1e-300] {
        let other = sealed(tampered(&certificate, |c| points(c, 0, 10)[1][3] = weight));
        assert_eq!(piece(&other), Some(10));
    }
    let other = sealed(tampered(&certificate, |c| c.bodies[0].pieces[3].slack = -1e-3));
    assert_eq!(piece(&other), Some(3));
    let other = sealed(tampered(&certificate, |c| _ = points(c, 0, 4).pop()));
    assert_eq!(piece(&other), Some(4));
    for degree in [vec![0], vec![1, 0], vec![25, 25], vec![usize::MAX], vec![usize::MAX; 2], vec![1; 3]] {
        let other = sealed(tampered(&certificate, |c| {
            if let Shape::Patch(patch) = &mut c.bodies[0].pieces[1].shape {
                patch.degree = degree;
            }
        }));
        assert_eq!(piece(&other), Some(1));
    }
}

#[test]
fn broken_groups_are_refused() {
    let certificate = hole();
    let changes: [fn(&mut Vec<Vec<i64>>); 10] = [
        |groups| _ = groups[1].pop(),
        |groups| groups[1].push(0),
        |groups| groups[2].push(-1),
        |groups| groups[2].push(-2),
        |groups| groups[1].push(99),
        |groups| groups[1].push(-9),
        |groups| groups[1].push(i64::MIN),
        |groups| groups.push(vec![]),
        |groups| groups[0].clear(),
        |groups| groups.clear(),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let other = sealed(tampered(&certificate, |c| change(&mut c.bodies[0].groups)));
        assert!(matches!(refused(&other), Refusal::Body { side: Side::A, .. }), "{at}");
    }
}

fn trim(certificate: &mut Certificate) -> &mut Vec<TrimPart> {
    match &mut certificate.bodies[0].pieces[0].shape {
        Shape::Patch(Patch { trim: Some(parts), .. }) => parts,
        _ => panic!("no trim"),
    }
}

#[test]
fn changed_trims_are_refused_though_sealed() {
    let certificate = hole();
    // The hole is what the steps rest on.
    let whole = sealed(tampered(&certificate, |c| trim(c).clear()));
    assert!(matches!(refused(&whole), Refusal::Step { reason: Fault::NotOutside, .. }));
    let small = sealed(tampered(&certificate, |c| {
        for part in &mut trim(c)[4..] {
            for corner in [&mut part.from, &mut part.to, &mut part.low, &mut part.high] {
                *corner = corner.map(|x| 0.5 + 0.2 * (x - 0.5));
            }
        }
    }));
    assert!(matches!(refused(&small), Refusal::Step { .. }), "a smaller hole");
    let open = sealed(tampered(&certificate, |c| _ = trim(c).remove(9)));
    assert!(matches!(refused(&open), Refusal::Body { piece: Some(0), .. }), "a part left out");
    let shifted = sealed(tampered(&certificate, |c| trim(c)[9].from[0] += 1e-12));
    assert!(matches!(refused(&shifted), Refusal::Body { piece: Some(0), .. }), "a part moved");
    let far = sealed(tampered(&certificate, |c| trim(c)[1].high[0] = 7.0));
    assert!(matches!(refused(&far), Refusal::Body { piece: Some(0), .. }), "not clamped");
}

#[test]
fn moved_witnesses_are_refused() {
    for (name, certificate, _) in all() {
        for side in 0..2 {
            if certificate.witnesses[side].at.is_empty() {
                let other = tampered(&certificate, |c| c.witnesses[side].at.push(0.5));
                assert!(matches!(refused(&other), Refusal::Witness { .. }), "{name}");
            } else {
                let other = tampered(&certificate, |c| c.witnesses[side].at[0] *= 0.99);
                assert!(
                    matches!(refused(&other), Refusal::Witness { .. } | Refusal::Distance { .. }),
                    "{name}"
                );
                let other = tampered(&certificate, |c| c.witnesses[side].at[0] = 1.5);
                assert!(matches!(refused(&other), Refusal::Witness { .. }), "{name}");
            }
            let other = tampered(&certificate, |c| c.witnesses[side].piece = 1000);
            assert!(matches!(refused(&other), Refusal::Witness { .. }), "{name}");
        }
    }
}

/// In the hole there is no plate, however near it is.
#[test]
fn witness_in_a_hole_is_refused() {
    let below = |c: &mut Certificate| {
        c.witnesses[0].piece = 0;
        c.witnesses[0].at = vec![c.pose.translation[0], c.pose.translation[1]];
        c.distance = c.pose.translation[2];
        c.lower_bound = 0.0;
        c.proof.clear();
    };
    let refusal = refused(&tampered(&hole(), below));
    assert_eq!(refusal, Refusal::Witness { side: Side::A, reason: "it is outside the trimmed region" });
}

/// A proof of more than is true, by a writer that gives up at small cells and claims what it likes.
#[test]
fn false_bounds_are_never_proven() {
    let mut random = Random(8);
    let bodies = [
        plate_with_hole(1.0),
        sphere(0.5),
        plate([[0.0; 3], [0.1, 1.0, 0.3], [1.0, 0.1, 0.2], [1.0, 1.0, 1.0]]),
    ];
    let mut leaves = 0;
    for round in 0..20 {
        let a = bodies[random.below(3)].clone();
        let at: V = random.direction().map(|x| 0.3 * x);
        let tip = [0.5, 0.5, 1.0];
        let mut b = writer::scenes::body("point", vec![vertex(at), vertex(tip)]);
        if round % 2 == 0 {
            b = bodies[random.below(3)].clone();
            b.pieces.push(vertex([0.5, 0.5, 3.0]));
            let last = b.pieces.len() as i64 - 1;
            b.groups[0].push(last);
        }
        let last = b.pieces.len() - 1;
        let corner = a.pieces.len() - 1;
        let mut certificate = hole();
        certificate.bodies = [a, b];
        certificate.pose.rotation = random.rotation();
        certificate.pose.translation = random.direction().map(|x| 0.2 * x);
        certificate.witnesses[0].piece = corner.min(7);
        certificate.witnesses[1].piece = last;
        certificate.witnesses[1].at = vec![];
        let (proof, distance) = cheat(&certificate, &mut random);
        certificate.witnesses[0].at = vec![0.5; degree(&certificate, 0, corner.min(7))];
        certificate.proof = proof;
        leaves += certificate.proof.len();
        certificate.lower_bound = distance + 0.05;
        certificate.seal();
        // Whatever the witnesses are apart.
        if let Refusal::Distance { low, .. } = refused(&certificate) {
            certificate.distance = low + 1e-13;
        }
        let refusal = refused(&certificate);
        assert!(matches!(refusal, Refusal::Step { .. } | Refusal::Bound { .. }), "{round}: {refusal}");
    }
    assert!(leaves > 2000, "{leaves}");
}

fn degree(certificate: &Certificate, side: usize, piece: usize) -> usize {
    match &certificate.bodies[side].pieces[piece].shape {
        Shape::Patch(patch) => patch.degree.len(),
        _ => 0,
    }
}

/// Splits to a fixed depth with leaves that hold where the naive writer finds one, and a guess elsewhere; and a distance
/// that two vertices or corners really have.
fn cheat(certificate: &Certificate, random: &mut Random) -> (Vec<Step>, f64) {
    let corners = |side: usize| -> Vec<V> {
        let mut all = Vec::new();
        for piece in &certificate.bodies[side].pieces {
            let Shape::Patch(patch) = &piece.shape else { continue };
            // Corner control points are points of the piece; those of a trimmed plate are kept by its vertices.
            for p in [patch.points.first(), patch.points.last()].into_iter().flatten() {
                all.push([p[0] / p[3], p[1] / p[3], p[2] / p[3]]);
            }
        }
        all
    };
    let mut least = f64::MAX;
    for p in corners(0) {
        for q in corners(1) {
            least = least.min(length(writer::sub(writer::moved(&certificate.pose, q), p)));
        }
    }
    let mut writer =
        writer::Writer::new(&certificate.bodies, certificate.pose, least + 0.05, vec![random.direction()]);
    writer.give_up_at = Some(8);
    writer.prove(&[writer::Part::Group(0), writer::Part::Group(0)]);
    (std::mem::take(&mut writer.proof), least)
}
