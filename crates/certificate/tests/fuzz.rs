//! No bytes and no numbers make the checker panic, run away, or accept nonsense.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod writer;

use clearance_certificate::{
    Axis, BodyDescription, Certificate, Fault, Level, Piece, Refusal, Shape, Side, Step, check,
    check_certificate,
};
use serde_json::Value;
use writer::Random;
use writer::scenes::{NAMES, body, scene, vertex};

/// Small ones of every kind.
fn small() -> Vec<Certificate> {
    let mut random = Random(11);
    let names = NAMES.iter().filter(|name| !name.contains("level") && **name != "spheres");
    names.map(|name| scene(name, 1.0, &mut random)).collect()
}

#[test]
fn mutated_bytes_never_panic() {
    let mut random = Random(12);
    let files: Vec<Vec<u8>> = small().iter().map(|c| c.to_json().into_bytes()).collect();
    let alphabet = b"0123456789.-+eE[]{}\",:abuvxyz \0\xff";
    let (mut unreadable, mut others) = (0, 0);
    for round in 0..10_000 {
        let mut bytes = files[round % files.len()].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = alphabet[random.below(alphabet.len())],
                1 => _ = bytes.remove(at),
                2 => bytes.insert(at, alphabet[random.below(alphabet.len())]),
                _ => bytes[at] = bytes[at].wrapping_add(1),
            }
        }
        match check(&bytes) {
            Err(refusal) if refusal.is_unreadable() => unreadable += 1,
            _ => others += 1,
        }
    }
    assert!(unreadable > 1000 && others > 1000, "{unreadable} unreadable, {others} readable");
}

/// Every number of a file in turn becomes a bad one, the digest is made to fit.
#[test]
fn hostile_numbers_never_panic() {
    let mut random = Random(13);
    let numbers = [0.0, -1.0, 1e308, -1e308, 1e-320, 5e-324, 1e154, 0.5, 1e17];
    let mut counts = [0, 0];
    for certificate in small() {
        for _ in 0..300 {
            let mut value: Value = serde_json::from_str(&certificate.to_json()).unwrap();
            let mut all = count(&value);
            for _ in 0..=random.below(3) {
                let number = numbers[random.below(numbers.len())];
                replace(&mut value, &mut random.below(all), &Value::from(number));
                all = count(&value);
            }
            let Ok(mut other) = Certificate::from_json(value.to_string().as_bytes()) else {
                counts[0] += 1;
                continue;
            };
            other.seal();
            counts[1] += 1;
            if let Ok(verdict) = check_certificate(&other) {
                assert!(verdict.lower_bound <= verdict.distance + 1e-9 && verdict.distance.is_finite());
            }
        }
    }
    assert!(counts[1] > 500, "{counts:?}");
}

fn count(value: &Value) -> usize {
    match value {
        Value::Number(_) => 1,
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

fn replace(value: &mut Value, at: &mut usize, number: &Value) {
    match value {
        Value::Number(_) => {
            if *at == 0 {
                *value = number.clone();
            }
            *at = at.wrapping_sub(1);
        }
        Value::Array(list) => list.iter_mut().for_each(|value| replace(value, at, number)),
        Value::Object(map) => map.values_mut().for_each(|value| replace(value, at, number)),
        _ => {}
    }
}

/// A value that no file can hold, for those who build certificates in memory.
#[test]
fn numbers_that_are_none_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for certificate in small() {
            let changes: [fn(&mut Certificate, f64); 6] = [
                |c, bad| c.distance = bad,
                |c, bad| c.lower_bound = bad.abs(),
                |c, bad| c.pose.translation[0] = bad,
                |c, bad| c.pose.rotation[1][1] = bad,
                |c, bad| c.bodies[1].pieces[0].slack = bad,
                |c, bad| {
                    for step in &mut c.proof {
                        *step = match *step {
                            Step::Slab { .. } => Step::Slab { direction: [1.0, bad, 0.0] },
                            Step::Free { side, beta, .. } => Step::Free { side, alpha: bad, beta },
                            step => step,
                        };
                    }
                },
            ];
            for (at, change) in changes.into_iter().enumerate() {
                let mut other = certificate.clone();
                change(&mut other, bad);
                other.seal();
                let half_space = matches!(other.bodies[0].pieces[0].shape, Shape::HalfSpace(_));
                // Against a half-space the direction of a slab is not looked at.
                let ignored =
                    at == 5 && half_space && !other.proof.iter().any(|s| matches!(s, Step::Free { .. }));
                assert!(check_certificate(&other).is_err() || ignored, "change {at} to {bad} is accepted");
            }
        }
    }
}

fn points() -> Certificate {
    let mut certificate = scene("point and sphere", 1.0, &mut Random(14));
    certificate.bodies = [body("a", vec![vertex([0.0; 3])]), body("b", vec![vertex([0.0; 3])])];
    certificate.pose.translation = [3.0, 0.0, 0.0];
    certificate.witnesses.iter_mut().for_each(|witness| (witness.piece, witness.at) = (0, vec![]));
    (certificate.distance, certificate.lower_bound) = (3.0, 2.999);
    certificate.proof = vec![Step::Slab { direction: [1.0, 0.0, 0.0] }];
    certificate.seal();
    certificate
}

#[test]
fn two_points_are_far_apart() {
    let verdict = check_certificate(&points()).unwrap();
    assert_eq!((verdict.leaves, verdict.steps, verdict.pieces), (1, 1, [1, 1]));
    let mut nothing = points();
    (nothing.lower_bound, nothing.proof) = (0.0, vec![]);
    assert_eq!(check_certificate(&nothing).unwrap().leaves, 0, "a distance is never negative");
    nothing.lower_bound = 1e-300;
    assert!(matches!(check_certificate(&nothing), Err(Refusal::Incomplete { step: 0, open: 1 })));
}

#[test]
fn endless_splits_end() {
    let mut certificate = scene("curves", 1.0, &mut Random(15));
    let mut proof =
        vec![Step::Split { side: Side::A, axis: None }, Step::Slab { direction: [0.0, 0.0, 1.0] }];
    proof.push(Step::Slab { direction: [0.0, 0.0, 1.0] });
    proof.extend(vec![Step::Split { side: Side::A, axis: Some(Axis::U) }; 100_000]);
    certificate.proof = proof;
    match check(certificate.to_json().as_bytes()) {
        Err(Refusal::Step { step: 53, reason: Fault::Mismatch(_) }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn deep_groups_are_no_trouble() {
    let depth = 100_000;
    let mut certificate = points();
    let deep = BodyDescription {
        groups: (1..=depth).map(|at| vec![if at == depth { 0 } else { -at }]).collect(),
        ..certificate.bodies[0].clone()
    };
    certificate.bodies[0] = deep;
    certificate.seal();
    assert_eq!(check_certificate(&certificate).unwrap().leaves, 1, "the root reaches down");
    certificate.proof.splice(0..0, vec![Step::Split { side: Side::A, axis: None }; depth as usize]);
    assert_eq!(check(certificate.to_json().as_bytes()).unwrap().leaves, 1);
    certificate.proof.remove(0);
    certificate.proof.insert(0, Step::Split { side: Side::A, axis: Some(Axis::U) });
    assert!(matches!(check_certificate(&certificate), Err(Refusal::Step { step: 0, .. })));
}

#[test]
fn huge_files_are_refused_before_they_are_loaded() {
    let mut certificate = points();
    certificate.proof = vec![Step::Slab { direction: [1.0, 0.0, 0.0] }; (1 << 22) + 1];
    assert!(matches!(check_certificate(&certificate), Err(Refusal::TooLarge { .. })));
    let terms = vec![(1.0, 12, 12, 12)];
    let level = Level { terms, within: [[0.0; 3], [1.0; 3]] };
    let piece = Piece { feature: String::new(), slack: 0.0, shape: Shape::Level(level) };
    let mut certificate = points();
    certificate.bodies[0].pieces = vec![piece; 2000];
    assert!(matches!(check_certificate(&certificate), Err(Refusal::TooLarge { .. })));
}

#[test]
fn other_versions_keys_and_shapes_are_unreadable() {
    let json = points().to_json();
    let with = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} is not in {json}");
        check(json.replacen(from, to, 1).as_bytes()).unwrap_err()
    };
    assert!(matches!(with("\"certificate\":1", "\"certificate\":2"), Refusal::Version { found: 2 }));
    for (from, to) in [
        ("\"units\":", "\"unit\":"),
        ("\"slack\":0.0", "\"slack\":0.0,\"color\":1"),
        ("\"slack\":0.0", "\"slack\":0.0,\"half_space\":{\"normal\":[0,0,1],\"offset\":0}"),
        ("\"degree\":[],", ""),
        ("\"degree\":[]", "\"degree\":[-1]"),
        ("[\"slab\",1.0,0.0,0.0]", "[\"slab\",1.0,0.0]"),
        ("[\"slab\",1.0,0.0,0.0]", "[\"slab\",1.0,0.0,0.0,0.0]"),
        ("[\"slab\",1.0,0.0,0.0]", "[\"slap\",1.0,0.0,0.0]"),
        ("[\"slab\",1.0,0.0,0.0]", "[\"split\",\"c\"]"),
        ("[\"slab\",1.0,0.0,0.0]", "[\"slab\",1e999,0.0,0.0]"),
        ("[\"slab\",1.0,0.0,0.0]", "[]"),
        ("\"proof\":[", "\"proof\":[null,"),
        ("\"distance\":3.0", "\"distance\":null"),
    ] {
        assert!(matches!(with(from, to), Refusal::Unreadable { .. }), "{to}");
    }
    assert!(check(b"").is_err() && check(b"[]").is_err() && check(&[b'['; 100_000]).is_err());
}
