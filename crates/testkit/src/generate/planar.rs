//! Polygons of all kinds.

use crate::Random;
use clearance_geometry::Polygon;
use glam::DVec2;
use std::f64::consts::TAU;

/// A point, a segment, a rectangle, a regular polygon, or the hull of random points; some stretched up to a
/// million to one, some modelled away from their origin.
///
/// # Panics
/// When it cannot be built, which is a finding about the constructor.
pub fn planar_polygon(size: f64, random: &mut Random) -> Polygon {
    let count = match random.index(5) {
        0 if random.chance(0.3) => return Polygon::point(),
        0 => 2,
        1 => 4,
        _ => 3 + random.index(60),
    };
    let regular = random.chance(0.3);
    let stretch = if random.chance(0.3) { random.log_uniform(-6.0, 0.0) } else { 1.0 };
    let turn = DVec2::from_angle(random.uniform(0.0, TAU));
    let offset = if random.chance(0.2) { size * random.log_uniform(0.0, 6.0) } else { 0.0 };
    let shift = offset * DVec2::from_angle(random.uniform(0.0, TAU));
    let points: Vec<DVec2> = (0..count)
        .map(|i| {
            let angle = if regular { TAU * i as f64 / count as f64 } else { random.uniform(0.0, TAU) };
            let flat = size * DVec2::from_angle(angle) * DVec2::new(1.0, stretch);
            turn.rotate(flat) + shift
        })
        .collect();
    let built = if let [tail, head] = points[..] {
        Polygon::segment([tail, head])
    } else {
        Polygon::hull_of(&points)
    };
    built.unwrap_or_else(|error| panic!("{error}: {points:?}"))
}
