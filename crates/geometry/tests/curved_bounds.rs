//! Every bound of every kind of curve and surface contains its samples.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_testkit::generate::{CURVE_KINDS, SURFACE_KINDS, curve, surface};
use clearance_testkit::{Random, check_curve_bounds, check_surface_bounds};

const CASES: u64 = 150;

#[test]
fn bounds_contain_samples_of_curves() {
    for (kind, name) in CURVE_KINDS.iter().enumerate() {
        for case in 0..CASES {
            let mut random = Random::for_case(21 + kind as u64, case);
            let (curve, part) = curve(&mut random, kind);
            check_curve_bounds(&curve, part, &mut random, 30)
                .unwrap_or_else(|fault| panic!("{name} {case}: {fault}\n{curve:?}\n{part:?}"));
        }
    }
}

#[test]
fn bounds_contain_samples_of_surfaces() {
    for (kind, name) in SURFACE_KINDS.iter().enumerate() {
        let mut cones = 0;
        for case in 0..CASES {
            let mut random = Random::for_case(41 + kind as u64, case);
            let (surface, part) = surface(&mut random, kind);
            let told = check_surface_bounds(&surface, part, &mut random, 30);
            cones += u64::from(
                told.unwrap_or_else(|fault| panic!("{name} {case}: {fault}\n{surface:?}\n{part:?}")),
            );
        }
        // A cone that is always full bounds nothing.
        assert!(cones > CASES / 4, "{name}: {cones} cones");
    }
}
