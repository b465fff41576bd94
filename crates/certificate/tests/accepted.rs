//! Certificates of scenes with known answers are accepted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod writer;

use clearance_certificate::{Certificate, check};
use writer::Random;
use writer::scenes::{NAMES, scene};

#[test]
fn every_scene_is_accepted_at_every_scale() {
    let mut random = Random(1);
    for name in NAMES {
        for scale in [1e-6, 1.0, 1e6] {
            for round in 0..3 {
                let certificate = scene(name, scale, &mut random);
                let json = certificate.to_json();
                let verdict = check(json.as_bytes())
                    .unwrap_or_else(|refusal| panic!("{name} at {scale}, {round}: {refusal}"));
                assert!(verdict.leaves > 0 && verdict.error() < 0.06 * scale);
                assert_eq!(
                    Certificate::from_json(json.as_bytes()).unwrap(),
                    certificate,
                    "the file is the data"
                );
            }
        }
    }
}
