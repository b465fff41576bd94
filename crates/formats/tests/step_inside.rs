//! Points against the solids of STEP files: their volume by counting, and steps off their faces to both sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "other tests use the rest")]
mod step_common;

use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3};
use clearance_proximity::{Place, Probe};
use clearance_testkit::Random;
use step_common::files;

/// Every closed body.
fn solids(test: &str) -> Vec<(String, TiledBody)> {
    let mut found = Vec::new();
    for (name, model, _) in files(test) {
        for body in &model.bodies {
            let tiled = body.to_tiled().unwrap();
            if tiled.is_closed() {
                found.push((format!("{name} #{}", body.entity), tiled));
            }
        }
    }
    found
}

#[test]
fn points_inside_fill_the_volume() {
    let mut random = Random::new(41);
    for (name, body) in solids("points_inside_fill_the_volume") {
        let mut probe = Probe::new(&Body::from(body.clone())).unwrap();
        let (center, half) = (DVec3::from_array(body.aabb().center()), body.aabb().half_extents());
        let cells = 6;
        let mut inside = 0;
        for k in 0..cells * cells * cells {
            let cell = DVec3::new((k % cells) as f64, (k / cells % cells) as f64, (k / cells / cells) as f64);
            let at = (cell + DVec3::new(random.unit(), random.unit(), random.unit())) / cells as f64;
            let p = center + half * (2.0 * at - 1.0);
            inside += usize::from(probe.locate(p).unwrap() == Place::Inside);
        }
        let count = (cells * cells * cells) as f64;
        let share = inside as f64 / count;
        let expected = body.mass().volume / (8.0 * half.x * half.y * half.z);
        let spread = (expected * (1.0 - expected) / count).sqrt();
        // Points spread evenly over cells scatter less than free ones.
        assert!((share - expected).abs() <= 3.0 * spread + 0.01, "{name}: {share} {expected}");
    }
}

#[test]
fn steps_off_a_face_lead_inside_and_outside() {
    let mut random = Random::new(42);
    let mut counts = [0; 2];
    for (name, body) in solids("steps_off_a_face_lead_inside_and_outside") {
        let mut probe = Probe::new(&Body::from(body.clone())).unwrap();
        let size = body.aabb().half_extents().length();
        for _ in 0..40 {
            let face = random.pick(body.faces());
            let bounds = face.region.bounds();
            let at = DVec2::new(bounds.u.at(random.unit()), bounds.v.at(random.unit()));
            if face.side(at) != Side::Inside {
                continue;
            }
            let (foot, Some(normal)) = (face.point(at), face.normal(at)) else { continue };
            let step = size * random.log_uniform(-6.0, -3.0);
            for (sign, place) in [(1.0, Place::Outside), (-1.0, Place::Inside)] {
                let p = foot + normal * (sign * step);
                let found = probe.distance(p, None).unwrap();
                // Another sheet is nearer, or the face bends as much as that.
                if (found.signed_distance.abs() - step).abs() > 1e-3 * step {
                    continue;
                }
                counts[usize::from(sign > 0.0)] += 1;
                assert_eq!(found.place, place, "{name} {p} {found:?}");
                assert_eq!(probe.locate(p).unwrap(), place, "{name} {p} {found:?}");
                let hit = probe.cast_ray(p, -normal * sign, size).unwrap().unwrap();
                assert_eq!(hit.feature.is_none(), place == Place::Inside, "{name} {p} {hit:?}");
                if place == Place::Outside {
                    assert!((hit.distance - step).abs() < 1e-3 * step, "{name} {hit:?}");
                }
            }
        }
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
}
