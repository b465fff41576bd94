//! Closest points of points, segments, triangles and flat polygons, in double-double.
//!
//! Source: the orthogonality conditions, solved case by case; degenerate pieces fall back on lower
//! ones. Nothing here is shared with the kernels under test.

use super::double_double::{Double, Double3};

/// Point of the segment nearest to `p`.
pub fn on_segment(p: Double3, [tail, head]: [Double3; 2]) -> Double3 {
    let along = head - tail;
    let square = along.dot(along);
    if square <= Double::ZERO {
        return tail;
    }
    tail + along * ((p - tail).dot(along) / square).clamp_unit()
}

/// Distance of `p` from a convex polygon (any number of corners in order; one or two make a point
/// or a segment).
pub fn point_polygon(p: Double3, corners: &[Double3]) -> Double {
    let sides = corners.len();
    let along_sides = (0..sides)
        .map(|i| (p - on_segment(p, [corners[i], corners[(i + 1) % sides]])).length())
        .reduce(Double::min)
        .unwrap_or(Double::from(f64::INFINITY));
    if sides < 3 {
        return along_sides;
    }
    let from = |i: usize| corners[i % sides] - p;
    let area = (0..sides).fold(Double3::ZERO, |sum, i| sum + from(i).cross(from(i + 1)));
    let length = area.length();
    let inside =
        length > Double::ZERO && (0..sides).all(|i| from(i).cross(from(i + 1)).dot(area) >= Double::ZERO);
    if !inside {
        return along_sides;
    }
    // The middle height: corners of a polygon that came through rounding are not quite coplanar.
    let height = (0..sides).fold(Double::ZERO, |sum, i| sum + from(i).dot(area));
    (height / (length * Double::from(sides as f64))).abs().min(along_sides)
}

/// Distance of two segments.
pub fn segment_segment(first: [Double3; 2], second: [Double3; 2]) -> Double {
    let mut best = Double::from(f64::INFINITY);
    for (ends, other) in [(first, second), (second, first)] {
        for p in ends {
            best = best.min((p - on_segment(p, other)).length());
        }
    }
    let (u, v, w) = (first[1] - first[0], second[1] - second[0], second[0] - first[0]);
    let normal = u.cross(v);
    let square = normal.dot(normal);
    if square > Double::ZERO {
        let unit = Double::from(1.0);
        let (s, t) = (w.cross(v).dot(normal) / square, w.cross(u).dot(normal) / square);
        if s >= Double::ZERO && s <= unit && t >= Double::ZERO && t <= unit {
            let between = w + v * t - u * s;
            best = best.min(between.length());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use glam::DVec3;

    fn point(x: f64, y: f64, z: f64) -> Double3 {
        DVec3::new(x, y, z).into()
    }

    #[test]
    fn square_is_near_from_all_sides() {
        let square = [point(0.0, 0.0, 0.0), point(1.0, 0.0, 0.0), point(1.0, 1.0, 0.0), point(0.0, 1.0, 0.0)];
        for (p, d) in [
            (point(0.5, 0.5, 2.0), 2.0),
            (point(0.5, 0.5, 0.0), 0.0),
            (point(4.0, 0.5, 4.0), 5.0),
            (point(4.0, 5.0, 0.0), 5.0),
            (point(0.0, 0.5, -3.0), 3.0),
        ] {
            assert!((point_polygon(p, &square).value() - d).abs() < 1e-30);
        }
    }

    #[test]
    fn segments_agree_with_dense_sampling() {
        let mut random = Random::new(31);
        for _ in 0..200 {
            let mut p = || Double3::from(random.in_ball());
            let (first, second) = ([p(), p()], [p(), p()]);
            let exact = segment_segment(first, second).value();
            let sampled = (0..=200)
                .map(|i| {
                    let at = first[0] + (first[1] - first[0]) * Double::from(f64::from(i) / 200.0);
                    (at - on_segment(at, second)).length().value()
                })
                .fold(f64::INFINITY, f64::min);
            assert!(exact <= sampled + 1e-15 && sampled - exact < 0.02, "{exact} {sampled}");
        }
    }

    #[test]
    fn crossing_segments_meet() {
        let exact = segment_segment(
            [point(-1.0, 0.0, 0.0), point(1.0, 0.0, 0.0)],
            [point(0.25, -1.0, 1e-20), point(0.25, 1.0, 1e-20)],
        );
        assert_eq!(exact.value(), 1e-20);
    }
}
