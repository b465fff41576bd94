//! Every bound of every kind of curve and surface contains its samples.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::bound::{Aabb, ConvexBound};
use clearance_geometry::surface::ParametricSurface;
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

#[test]
fn bounds_are_not_much_larger_than_their_samples() {
    for (kind, name) in SURFACE_KINDS.iter().enumerate() {
        let mut ratios = Vec::new();
        for case in 0..CASES {
            let mut random = Random::for_case(61 + kind as u64, case);
            let (surface, part) = surface(&mut random, kind);
            assert!(surface.hull(part).slack.is_finite(), "{name} {case}");
            let mut point = || surface.point(part.u.at(random.unit()), part.v.at(random.unit()));
            let samples: Vec<DVec3> = (0..200).map(|_| point()).collect();
            let spread = Aabb::from_points(samples).half_extents().length();
            ratios.push(surface.obb(part).half.length() / spread);
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        assert!(median < 2.5, "{name}: the median box is {median} times its samples");
    }
}
