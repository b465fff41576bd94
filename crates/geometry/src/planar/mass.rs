//! Area, centroid and second moment of a convex polygon at unit density.

use glam::DVec2;

/// Mass properties at unit density, anchored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarMass {
    /// Area; 0 for points and segments.
    pub area: f64,
    /// Centroid; of a segment its middle, of a point itself.
    pub center: DVec2,
    /// ∫ |x − center|² over the area, the moment of inertia about the centroid; 0 for points and
    /// segments.
    pub second_moment: f64,
}

/// By the triangles between a point inside and the sides.
pub(crate) fn of_corners(corners: &[DVec2]) -> PlanarMass {
    // Counting from the average of the corners keeps every triangle positive.
    let inside = corners.iter().sum::<DVec2>() / corners.len() as f64;
    let (mut area, mut first, mut second) = (0.0, DVec2::ZERO, 0.0);
    for (i, &corner) in corners.iter().enumerate() {
        let p = corner - inside;
        let q = corners[(i + 1) % corners.len()] - inside;
        let twice = p.perp_dot(q);
        area += twice / 2.0;
        first += (p + q) * (twice / 6.0);
        second += (p.dot(p) + p.dot(q) + q.dot(q)) * (twice / 12.0);
    }
    if corners.len() < 3 || area <= 0.0 {
        return PlanarMass { area: 0.0, center: inside, second_moment: 0.0 };
    }
    let offset = first / area;
    let second_moment = (second - area * offset.length_squared()).max(0.0);
    PlanarMass { area, center: inside + offset, second_moment }
}
