//! Primitives of every size and of slender shapes: they are built, closed, and have their volumes, areas and boxes.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::tiled::{Convexity, Segment, TiledBody, TiledError};
use std::f64::consts::PI;

/// A body at one size, with its volume and half the extents of its box.
struct Case {
    name: &'static str,
    body: Result<TiledBody, TiledError>,
    volume: f64,
    half: DVec3,
}

fn case(name: &'static str, body: Result<TiledBody, TiledError>, volume: f64, [out, up]: [f64; 2]) -> Case {
    Case { name, body, volume, half: DVec3::new(out, out, up) }
}

/// All primitives with radius `r` and height `h`.
fn primitives(r: f64, h: f64) -> Vec<Case> {
    let ball = 4.0 / 3.0 * PI * r.powi(3);
    let tube = PI * r * r * h;
    let stump = |top: f64| PI * h * (r * r + r * top + top * top) / 3.0;
    let (major, minor) = (r.max(h), 0.5 * r.min(h));
    let p = clearance_geometry::DVec2::new;
    let profile = [
        Segment::Line { from: p(0.0, 0.0), to: p(r, 0.3 * h) },
        Segment::Line { from: p(r, 0.3 * h), to: p(r, h) },
        Segment::Line { from: p(r, h), to: p(0.0, h) },
    ];
    vec![
        case("sphere", TiledBody::sphere(r), ball, [r, r]),
        case("ellipsoid", TiledBody::ellipsoid([r, r, h]), 4.0 / 3.0 * PI * r * r * h, [r, h]),
        case(
            "torus",
            TiledBody::torus(major, minor),
            2.0 * PI * PI * major * minor * minor,
            [major + minor, minor],
        ),
        case("cylinder", TiledBody::cylinder(r, h), tube, [r, 0.5 * h]),
        case("capsule", TiledBody::capsule(r, h), tube + ball, [r, 0.5 * h + r]),
        case("cone", TiledBody::cone(r, h, None), tube / 3.0, [r, 0.5 * h]),
        case("stump", TiledBody::cone(r, h, Some(0.4 * r)), stump(0.4 * r), [r, 0.5 * h]),
        case("wide stump", TiledBody::cone(r, h, Some(1.7 * r)), stump(1.7 * r), [1.7 * r, 0.5 * h]),
        case("blunt stump", TiledBody::cone(r, h, Some(1e-3 * r)), stump(1e-3 * r), [r, 0.5 * h]),
        case("prism", TiledBody::cone(r, h, Some(r)), tube, [r, 0.5 * h]),
        case("pen", TiledBody::revolve(&profile), 0.8 * tube, [r, 0.5 * h]),
    ]
}

fn check(case: Case, at: &str) {
    let name = case.name;
    let body = case.body.unwrap_or_else(|e| panic!("{name} {at}: {e:?}"));
    assert!(body.is_closed() && body.notes().is_empty(), "{name} {at}: {:?}", body.notes());
    let off = (body.mass().volume - case.volume).abs();
    assert!(off <= 1e-9 * case.volume, "{name} {at}: volume {} for {}", body.mass().volume, case.volume);
    let half = body.aabb().half_extents();
    let size = case.half.length();
    assert!((half - case.half).abs().max_element() <= 1e-5 * size, "{name} {at}: {half:?}");
    if name != "torus" {
        assert_eq!(body.convexity(), Convexity::Convex, "{name} {at}");
    }
}

#[test]
fn primitives_are_built_at_every_size() {
    let mut count = 0;
    for power in (-9..=9).step_by(2).chain([-8, -6, 6, 8]) {
        let k = 10.0_f64.powi(power);
        for one in primitives(1.034 * k, 2.2528 * k) {
            check(one, &format!("at 1e{power}"));
            count += 1;
        }
    }
    assert_eq!(count, 14 * 11);
}

#[test]
fn slender_primitives_are_built_at_every_size() {
    for power in [-9, 0, 9] {
        let k = 10.0_f64.powi(power);
        for [r, h] in [[1.034, 1.0e3], [1.0e3, 1.034]] {
            for one in primitives(r * k, h * k) {
                check(one, &format!("{r} × {h} at 1e{power}"));
            }
        }
    }
}
