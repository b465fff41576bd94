//! Half-planes that hold what of a rectangle belongs to a trimmed face, against its points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use clearance_geometry::DVec2;
use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::Plane;
use clearance_geometry::tiled::{Patch, Region, Side, TiledBody};
use clearance_geometry::{FaceId, Pose};
use clearance_testkit::Random;

/// A rectangle about a point, no larger than the region.
fn around(random: &mut Random, middle: DVec2, region: &Region) -> Rect {
    let bounds = region.bounds();
    let size = |range: Range, random: &mut Random| range.width() * random.log_uniform(-7.0, -0.5);
    let (u, v) = (size(bounds.u, random), size(bounds.v, random));
    let at = |middle: f64, size: f64, random: &mut Random| {
        let low = middle - size * random.unit();
        Range::new(low, low + size)
    };
    Rect::new(at(middle.x, u, random), at(middle.y, v, random))
}

/// Faces with round rims, straight sides, corners and holes.
fn faces() -> Vec<(TiledBody, FaceId)> {
    let cap = TiledBody::cylinder(0.7, 1.0).unwrap();
    let rim = (0..cap.face_count()).map(|k| FaceId(k as u32));
    let rounds: Vec<FaceId> = rim.filter(|face| cap.face(*face).region.rect().is_none()).collect();
    let side = Range::new(-2.0, 2.0);
    let p = DVec2::new;
    let outer = vec![p(-1.0, -1.0), p(1.2, -0.8), p(0.9, 1.1), p(-0.7, 0.8)];
    let hole = vec![p(-0.2, -0.2), p(-0.1, 0.3), p(0.4, 0.2)];
    let patch = Patch::new(Plane::new(Pose::IDENTITY)).over(Rect::new(side, side)).trimmed(vec![outer, hole]);
    let sheet = TiledBody::from_patches(&[patch], None).unwrap();
    let mut all: Vec<(TiledBody, FaceId)> = rounds.into_iter().map(|face| (cap.clone(), face)).collect();
    all.push((sheet, FaceId(0)));
    all
}

#[test]
fn half_planes_hold_the_face() {
    let mut random = Random::new(31);
    let (mut clipped, mut inside, mut thin) = (0, 0, 0);
    for (body, face) in faces() {
        let region = &body.face(face).region;
        let parts = region.boundary(|ends, _| ends[0].distance(ends[1]) > 0.05);
        for _ in 0..1500 {
            let (ends, _) = parts[random.index(parts.len())];
            let middle = ends[0].lerp(ends[1], random.unit());
            let rect = around(&mut random, middle, region);
            let Some(half) = region.clip(rect) else { continue };
            clipped += 1;
            let (mut beyond, mut within) = (0.0_f64, f64::NEG_INFINITY);
            for _ in 0..40 {
                let at = DVec2::new(rect.u.at(random.unit()), rect.v.at(random.unit()));
                if region.side(at.x, at.y) == Side::Inside {
                    assert!(half.beyond(at) <= 0.0, "{at} of {rect:?} is beyond {half:?}");
                    inside += 1;
                    within = within.max(half.beyond(at));
                }
                beyond = beyond.max(half.beyond(at));
            }
            thin += usize::from(within > -0.1 && beyond > 0.0);
        }
    }
    assert!(clipped > 2000 && inside > 20_000 && thin > 800, "{clipped} {inside} {thin}");
}

/// What is left beyond a circle is as thin as the circle bends.
#[test]
fn a_half_plane_is_a_square_of_the_size_beyond_a_rim() {
    let (body, face) = faces().remove(0);
    let region = &body.face(face).region;
    let radius = 0.7;
    let middle = DVec2::new(region.bounds().u.middle(), region.bounds().v.middle());
    let mut random = Random::new(4);
    for _ in 0..300 {
        let (sin, cos) = (std::f64::consts::TAU * random.unit()).sin_cos();
        let size = radius * random.log_uniform(-6.0, -1.5);
        let at = middle + DVec2::new(cos, sin) * radius - DVec2::splat(0.5 * size);
        let rect = Rect::new(Range::new(at.x, at.x + size), Range::new(at.y, at.y + size));
        let Some(half) = region.clip(rect) else { continue };
        // How far the line is from the centre, in lengths.
        let far = -half.beyond(middle) / half.normal.length();
        assert!(
            far >= radius * (1.0 - 1e-9) && far <= radius + 2.0 * size * size / radius + 1e-9 * radius,
            "{size:e}: {far} {radius}"
        );
    }
}
