//! What a direction and a point prove about the ratio at which two bodies, scaled about their centres,
//! touch.
//!
//! Source: `algorithms.md` section 2. r = max over n of n·d / (h_A(n) + h_B(−n)) with supports about the
//! centres, so any direction proves a lower bound; and a point proves the upper bound that is the larger
//! of the two factors at which each body reaches it.
//! Cost: all vertices and all faces, in double-double.

use super::double_double::{Double, Double3};
use super::placement::Placement;
use glam::DVec3;

/// Lower and upper bound on the ratio. `faces` are the corners of each face of A and of B in their own
/// frames, `centers` the centres in their own frames, `normal` and `point` in the frame of A.
pub fn growth_bounds(
    faces: [&[Vec<DVec3>]; 2],
    centers: [DVec3; 2],
    placement: &Placement,
    normal: DVec3,
    point: DVec3,
) -> [f64; 2] {
    let center_b = placement.apply(centers[1]);
    let n = Double3::from(normal);
    let apart = n.dot(center_b - centers[0].into());
    let height_a = |v: &DVec3| n.dot(Double3::from(*v) - centers[0].into());
    let height_b = |v: &DVec3| -n.dot(placement.apply(*v) - center_b);
    let reach_a = faces[0].iter().flatten().map(height_a).reduce(Double::max);
    let reach_b = faces[1].iter().flatten().map(height_b).reduce(Double::max);
    let lower = match (reach_a, reach_b) {
        (Some(a), Some(b)) => (apart / (a + b)).value(),
        _ => f64::NAN,
    };
    let in_b = Double3::turned_back(&placement.rotation, Double3::from(point) - placement.translation.into());
    let upper = gauge(faces[0], centers[0], point.into()).max(gauge(faces[1], centers[1], in_b));
    [lower, upper]
}

/// The factor by which a body must grow about its centre to reach a point.
fn gauge(faces: &[Vec<DVec3>], center: DVec3, point: Double3) -> f64 {
    let arm = point - center.into();
    let factor = |corners: &Vec<DVec3>| {
        let base = Double3::from(corners[0]);
        let side = |i: usize| Double3::from(corners[i % corners.len()]) - base;
        let area = (0..corners.len()).fold(Double3::ZERO, |sum, i| sum + side(i).cross(side(i + 1)));
        (arm.dot(area) / (base - center.into()).dot(area)).value()
    };
    faces.iter().map(factor).fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Solid;

    #[test]
    fn cubes_three_apart_grow_by_half() {
        let cube = Solid::cuboid(DVec3::splat(2.0));
        let faces: Vec<Vec<DVec3>> =
            cube.faces.iter().map(|f| f.iter().map(|&i| cube.vertices[i as usize]).collect()).collect();
        let place = Placement::shift(DVec3::new(3.0, 0.0, 0.5));
        let bounds =
            growth_bounds([&faces, &faces], [DVec3::ZERO; 2], &place, DVec3::X, DVec3::new(1.5, 0.0, 0.25));
        assert_eq!(bounds, [1.5, 1.5]);
    }
}
