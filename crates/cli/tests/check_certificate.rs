//! `clearance check-certificate`: accepted, refused, unreadable.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::{clearance, file};

/// A point 3 above a square plate, with its edges and vertices in one group.
const PROOF: &str = r#"{
  "certificate": 1, "units": "mm",
  "bodies": [
    {"name": "plate", "pieces": [
      {"feature": "face:0", "degree": [1, 1], "slack": 0,
       "points": [[0, 0, 0, 1], [0, 4, 0, 1], [4, 0, 0, 1], [4, 4, 0, 1]]},
      {"feature": "edge:0", "degree": [1], "points": [[0, 0, 0, 1], [4, 0, 0, 1]], "slack": 0},
      {"feature": "vertex:0", "degree": [], "points": [[0, 0, 0, 1]], "slack": 0}],
     "groups": [[0, -1], [1, 2]]},
    {"name": "tip", "pieces": [{"feature": "vertex:0", "degree": [], "points": [[0, 0, 0, 1]], "slack": 0}],
     "groups": [[0]]}],
  "pose": {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [1, 2, 3]},
  "distance": 3, "lower_bound": 2.9999999999,
  "witnesses": [{"piece": 0, "at": [0.25, 0.5]}, {"piece": 0, "at": []}],
  "proof": [["split", "a"], ["slab", 0, 0, 1], ["split", "a"], ["slab", 0, 0, 1], ["slab", 0.1, 0.2, 1]],
  "digest": "DIGEST"
}"#;

/// Computed by a program of another language from the description of its bytes.
const DIGEST: &str = "7e98dd02e4044ae8ac0fbd0eda421d6ab14e3d2ec806e51e4485f80d552179f8";

fn check(test: &str, change: impl Fn(&str) -> String, more: &[&str]) -> common::Run {
    let path = file(test, "proof.json", &change(&PROOF.replace("DIGEST", DIGEST)));
    clearance(&[&["check-certificate", &path][..], more].concat(), b"")
}

#[test]
fn proof_is_accepted_in_words_and_json() {
    let run = check("accepted", str::to_owned, &[]).expect_status(0);
    for part in
        ["accepted", "plate, 3 pieces", "tip, 1 pieces", "distance  3 mm", "proven", "5 steps, 3 leaves"]
    {
        assert!(run.out.contains(part), "`{part}` is missing in:\n{}", run.out);
    }
    let json = check("accepted_json", str::to_owned, &["--json"]).expect_status(0).json();
    assert_eq!(json["accepted"], true);
    assert_eq!(json["bodies"][1], "tip");
    assert_eq!(json["lower_bound"], 2.9999999999);
    assert_eq!(json["leaves"], 3);
}

#[test]
fn tampering_is_refused_with_the_step() {
    let drop = |text: &str| text.replace("[\"slab\", 0.1, 0.2, 1]", "[\"slab\", -1, 0.2, 1]");
    let run = check("refused", drop, &[]).expect_status(1);
    assert!(run.out.contains("REFUSED") && run.out.contains("step 4"), "{}", run.out);
    let json = check("refused_json", drop, &["--json"]).expect_status(1).json();
    assert_eq!((&json["accepted"], &json["step"]), (&false.into(), &4.into()));
    let bodies = |text: &str| text.replace("[4, 4, 0, 1]", "[4, 4, 0.5, 1]");
    let run = check("refused_body", bodies, &[]).expect_status(1);
    assert!(run.out.contains("digest"), "{}", run.out);
}

#[test]
fn what_is_no_certificate_is_bad_input() {
    clearance(&["check-certificate", "no-such-file.json"], b"").expect_error(&["no-such-file.json"]);
    clearance(&["check-certificate", "-"], b"{}").expect_error(&["not a certificate"]);
    let version = |text: &str| text.replace("\"certificate\": 1", "\"certificate\": 7");
    check("version", version, &[]).expect_error(&["version 7"]);
    let key = |text: &str| text.replace("\"units\"", "\"unit\"");
    check("key", key, &[]).expect_error(&["unknown field `unit`"]);
}
