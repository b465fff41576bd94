//! Rays against bodies whose inside has a formula: dense samples of the formula along the ray.

use super::points::point;
use super::shapes::{Shape, shapes};
use clearance_geometry::{Body, DVec3, Polytope};
use clearance_proximity::{Probe, cast_ray};
use clearance_testkit::Random;

/// The first sample inside and the last before it; `None` where no sample is.
fn enters(shape: &Shape, origin: DVec3, direction: DVec3, reach: f64) -> Option<[f64; 2]> {
    let step = reach / 4000.0;
    let k = (0..4000).find(|k| (shape.inside)(origin + direction * (*k as f64 * step)) < 0.0)?;
    if k == 0 {
        return Some([0.0; 2]);
    }
    let (mut low, mut high) = ((k as f64 - 1.0) * step, k as f64 * step);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (shape.inside)(origin + direction * middle) < 0.0 { high = middle } else { low = middle }
    }
    Some([low.max(0.0), high])
}

#[test]
fn rays_enter_where_formulas_say() {
    let mut random = Random::new(21);
    for scale in [1e-6, 1.0, 1e6] {
        for shape in shapes(scale) {
            let mut probe = Probe::new(&Body::from(shape.body.clone())).unwrap();
            let (mut hits, mut misses, mut starts) = (0, 0, 0);
            for _ in 0..60 {
                let origin = point(&mut random, &shape, scale) * random.uniform(0.5, 3.0);
                let target = point(&mut random, &shape, scale);
                let direction =
                    if random.chance(0.2) { random.direction() } else { (target - origin).normalize() };
                // Along the wall of a cusp a ray may stay undecided.
                let Ok(found) = probe.cast_ray(origin, direction, f64::INFINITY) else {
                    assert!(["slit", "blade"].contains(&shape.name), "{}", shape.name);
                    continue;
                };
                let reach = 4.0 * (shape.half.length() + origin.length());
                let Some([low, high]) = enters(&shape, origin, direction, reach) else {
                    misses += usize::from(found.is_none());
                    hits += usize::from(found.is_some());
                    // Samples may step over a thin part, never the other way round.
                    if let Some(hit) = found {
                        assert!((shape.inside)(hit.point).abs() < 1e-9 * scale, "{} {hit:?}", shape.name);
                    }
                    continue;
                };
                let hit = found.unwrap_or_else(|| panic!("{} {origin} {direction} {low}", shape.name));
                assert!(hit.distance <= high + 1e-11 * reach, "{} {hit:?} {low} {high}", shape.name);
                if hit.feature.is_none() {
                    starts += 1;
                    assert_eq!(hit.distance, 0.0);
                    assert!((shape.inside)(origin) < 1e-12 * scale, "{} {origin}", shape.name);
                    continue;
                }
                hits += 1;
                let digits = if ["slit", "blade"].contains(&shape.name) { 1e-7 } else { 1e-11 };
                assert!((shape.inside)(hit.point).abs() < digits * reach, "{} {hit:?}", shape.name);
                assert!(hit.normal.dot(direction) < 1e-3, "{} {hit:?}", shape.name);
            }
            let all = format!("{} {hits} {misses} {starts}", shape.name);
            assert!(
                hits > 5 && misses > 2 && (starts > 0 || ["thin wall", "blade"].contains(&shape.name)),
                "{all}"
            );
        }
    }
}

#[test]
fn grazing_rays_hit_within_rounding() {
    let all = shapes(1.0);
    let cast = |k: usize, from: DVec3, along: DVec3| {
        cast_ray(&Body::from(all[k].body.clone()), from, along, 100.0).unwrap()
    };
    // Tangent to a ball, along a cylinder, along its lid, through an apex, along a seam.
    for off in [1e-9, 1e-3] {
        assert!(cast(0, DVec3::new(-5.0, 1.3 + off, 0.0), DVec3::X).is_none());
        assert!(cast(0, DVec3::new(-5.0, 1.3 - off, 0.0), DVec3::X).is_some());
        assert!(cast(3, DVec3::new(1.0 + off, 0.0, -5.0), DVec3::Z).is_none());
        let rim = cast(3, DVec3::new(1.0 - off, 0.0, -5.0), DVec3::Z).unwrap();
        assert!((rim.distance - 3.5).abs() < 1e-12);
    }
    let along = cast(3, DVec3::new(1.0, 0.0, -5.0), DVec3::Z).unwrap();
    assert!((along.distance - 3.5).abs() < 1e-9, "{along:?}");
    let lid = cast(3, DVec3::new(-5.0, 0.0, 1.5), DVec3::X).unwrap();
    assert!((lid.distance - 4.0).abs() < 1e-6, "{lid:?}");
    let apex = cast(4, DVec3::new(0.0, 0.0, 5.0), DVec3::NEG_Z).unwrap();
    assert!((apex.distance - 3.0).abs() < 1e-9, "{apex:?}");
    let pole = cast(0, DVec3::new(0.0, 0.0, -5.0), DVec3::Z).unwrap();
    assert!((pole.distance - 3.7).abs() < 1e-12 && (pole.normal + DVec3::Z).length() < 1e-9, "{pole:?}");
    let seam = cast(2, DVec3::new(5.0, 0.0, 0.0), DVec3::NEG_X).unwrap();
    assert!((seam.distance - 2.5).abs() < 1e-12);
}

#[test]
fn boundaries_are_hit_from_inside() {
    for shape in shapes(1.0).iter().filter(|s| ["sphere", "cylinder"].contains(&s.name)) {
        let boundary = Body::from(shape.body.clone()).boundary();
        let hit = cast_ray(&boundary, DVec3::ZERO, DVec3::new(1.0, 0.2, 0.3), 10.0).unwrap().unwrap();
        assert!((shape.inside)(hit.point).abs() < 1e-12 && hit.normal.dot(hit.point) > 0.0);
    }
    let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0)).unwrap()).boundary();
    let hit = cast_ray(&cube, DVec3::ZERO, DVec3::X, 10.0).unwrap().unwrap();
    assert_eq!((hit.distance, hit.normal), (1.0, DVec3::X));
}
