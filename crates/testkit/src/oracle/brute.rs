//! Distance of two convex bodies by trying every pair of features.
//!
//! Source: the definition. The closest points of disjoint bodies lie on a vertex and a face, or on two
//! edges.
//! Cost: (vertices × faces + edges × edges) in double-double; meant for up to 64 faces each.

use super::closest::{point_polygon, segment_segment};
use super::double_double::{Double, Double3};
use super::placement::Placement;
use glam::DVec3;

/// A convex body as plain arrays: corners, and faces (or one edge, or nothing) that index them.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Corners in the body's frame.
    pub vertices: &'a [DVec3],
    /// Faces as loops of corner indices; empty for points and segments.
    pub faces: &'a [Vec<u32>],
}

/// Distance of two *disjoint* bodies; for overlapping ones the distance of their surfaces.
pub fn feature_distance(a: Surface<'_>, b: Surface<'_>, placement: &Placement) -> f64 {
    let a = Pieces::new(a, |p| p.into());
    let b = Pieces::new(b, |p| placement.apply(p));
    let mut best = Double::from(f64::INFINITY);
    for (one, other) in [(&a, &b), (&b, &a)] {
        for &corner in &one.corners {
            for face in &other.faces {
                best = best.min(point_polygon(corner, face));
            }
        }
    }
    for &edge in &a.edges {
        for &other in &b.edges {
            best = best.min(segment_segment(edge, other));
        }
    }
    best.value()
}

/// Features in the frame of A. A body without faces counts as its own face, so that corners meet it.
struct Pieces {
    corners: Vec<Double3>,
    edges: Vec<[Double3; 2]>,
    faces: Vec<Vec<Double3>>,
}

impl Pieces {
    fn new(surface: Surface<'_>, place: impl Fn(DVec3) -> Double3) -> Self {
        let corners: Vec<Double3> = surface.vertices.iter().map(|&v| place(v)).collect();
        let mut faces: Vec<Vec<Double3>> = Vec::new();
        let mut edges = Vec::new();
        for face in surface.faces {
            let loop_of: Vec<Double3> = face.iter().map(|&i| corners[i as usize]).collect();
            for (i, &from) in face.iter().enumerate() {
                let to = face[(i + 1) % face.len()];
                // Every edge is met twice, once in each direction.
                if from < to {
                    edges.push([corners[from as usize], corners[to as usize]]);
                }
            }
            faces.push(loop_of);
        }
        if surface.faces.is_empty() {
            faces.push(corners.clone());
            if let [tail, head] = corners[..] {
                edges.push([tail, head]);
            }
        }
        Self { corners, edges, faces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_segments_and_triangles_mix() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let flat = Surface { vertices: &triangle, faces: &[vec![0, 1, 2]] };
        let point = Surface { vertices: &[DVec3::new(0.25, 0.25, 3.0)], faces: &[] };
        let segment =
            Surface { vertices: &[DVec3::new(2.0, 0.0, -1.0), DVec3::new(2.0, 0.0, 1.0)], faces: &[] };
        assert_eq!(feature_distance(flat, point, &Placement::IDENTITY), 3.0);
        assert_eq!(feature_distance(flat, segment, &Placement::IDENTITY), 1.0);
        assert_eq!(feature_distance(segment, point, &Placement::shift(DVec3::new(1.75, -0.25, 0.0))), 2.0);
    }
}
