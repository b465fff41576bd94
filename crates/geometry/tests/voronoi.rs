//! Exterior Voronoi cells against the nearest feature by brute force.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, VertexId};
use common::{Random, cube_grid, cylinder, icosphere, random_sphere};

fn features(p: &Polytope) -> Vec<Feature> {
    let vertices = (0..p.vertex_count() as u32).map(|v| Feature::Vertex(VertexId(v)));
    let edges = (0..p.edge_count() as u32).map(|e| Feature::Edge(EdgeId(e)));
    let faces = (0..p.face_count() as u32).map(|f| Feature::Face(FaceId(f)));
    vertices.chain(edges).chain(faces).collect()
}

/// Distance to the closed feature: plain clamping on segments, projection into polygons.
fn distance_to(p: &Polytope, feature: Feature, x: DVec3) -> Option<f64> {
    match feature {
        Feature::Vertex(v) => Some(p.vertex(v).distance(x)),
        Feature::Edge(e) => {
            let [a, b] = p.edge(e).vertices.map(|v| p.vertex(v));
            let t = (x - a).dot(b - a) / (b - a).length_squared();
            (0.0..=1.0).contains(&t).then(|| x.distance(a + t * (b - a)))
        }
        Feature::Face(f) => {
            let corners: Vec<DVec3> = p.sides(f).iter().map(|s| p.vertex(s.vertex)).collect();
            let n = corners.len();
            let normal = (corners[1] - corners[0]).cross(corners[n - 1] - corners[0]).normalize();
            let foot = x - normal * normal.dot(x - corners[0]);
            let within = (0..n).all(|i| {
                let (a, b) = (corners[i], corners[(i + 1) % n]);
                normal.dot((b - a).cross(foot - a)) >= 0.0
            });
            within.then(|| x.distance(foot))
        }
    }
}

/// How far a point is outside a cell; negative within.
fn outside(p: &Polytope, feature: Feature, x: DVec3) -> f64 {
    p.voronoi_cell(feature).map(|wall| wall.plane.distance(x)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn cell_of_a_point_is_that_of_the_nearest_feature() {
    let mut random = Random(61);
    let mut seen = [0; 3];
    for round in 0..40 {
        let rotation = random.rotation();
        let points = match round % 4 {
            0 => random_sphere(&mut random, 5 + round),
            1 => cylinder(3 + round % 9, 1.0, 1.0),
            2 => cube_grid(2).iter().map(|&p| p * DVec3::new(1.0, 0.1, 0.02)).collect(),
            _ => icosphere(1),
        };
        let points: Vec<DVec3> = points.iter().map(|&p| rotation * p).collect();
        let body = Polytope::from_points(&points).unwrap();
        let features = features(&body);
        for _ in 0..60 {
            let x = random.in_cube() * random.range(0.2, 3.0) - body.anchor();
            if body.planes().iter().all(|plane| plane.distance(x) <= 1e-9) {
                continue;
            }
            // Of equally near features the lowest dimension comes first and stays.
            let mut best = (f64::INFINITY, features[0]);
            for &feature in &features {
                if let Some(distance) = distance_to(&body, feature, x).filter(|d| *d < best.0 - 1e-12) {
                    best = (distance, feature);
                }
            }
            seen[best.1.dimension()] += 1;
            assert!(outside(&body, best.1, x) <= 1e-9, "{} does not hold its point", best.1);
            // Other cells hold it only on their walls; a face's cell goes through the body, so that
            // points behind it do not count.
            for &feature in features.iter().filter(|&&f| f != best.1) {
                let behind = matches!(feature, Feature::Face(f) if body.plane(f).distance(x) <= 0.0);
                assert!(behind || outside(&body, feature, x) >= -1e-9, "{feature} also holds the point");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 150), "{seen:?}");
}

#[test]
fn walls_name_the_feature_beyond() {
    let body = Polytope::from_points(&cylinder(7, 1.0, 1.0)).unwrap();
    for feature in features(&body) {
        for wall in body.voronoi_cell(feature) {
            assert_eq!(feature.dimension().abs_diff(wall.neighbor.dimension()), 1);
            // The same wall seen from the other side.
            let back = body.voronoi_cell(wall.neighbor).find(|other| other.neighbor == feature).unwrap();
            assert!((back.plane.normal + wall.plane.normal).length() < 1e-14);
            assert!((back.plane.offset + wall.plane.offset).abs() < 1e-14);
        }
    }
    let counts = |f: Feature| body.voronoi_cell(f).len();
    assert_eq!(counts(Feature::Vertex(VertexId(0))), 3);
    assert_eq!(counts(Feature::Edge(EdgeId(0))), 4);
}

#[test]
fn points_and_segments_have_cells() {
    let point = Polytope::point();
    assert_eq!(point.voronoi_cell(Feature::Vertex(VertexId(0))).len(), 0);
    let segment = Polytope::segment([DVec3::ZERO, DVec3::X]).unwrap();
    let edge = Feature::Edge(EdgeId(0));
    assert_eq!(segment.voronoi_cell(edge).len(), 2);
    let at = |x: f64| DVec3::new(x, 1.0, 0.0) - segment.anchor();
    assert!(outside(&segment, edge, at(0.5)) < 0.0);
    assert!(outside(&segment, edge, at(1.5)) > 0.0);
    assert!(outside(&segment, Feature::Vertex(VertexId(1)), at(1.5)) < 0.0);
}
