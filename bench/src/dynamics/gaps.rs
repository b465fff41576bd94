//! How deep bodies are in each other, by our exact distance, and how far joints are open: from poses alone.

use super::scene::{Place, Scene};
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::Scratch;

/// What poses show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gaps {
    /// Mean and largest depth over pairs of bodies closer than 1 % of the size; pairs apart count as 0.
    pub mean: f64,
    /// The largest.
    pub most: f64,
    /// Pairs counted.
    pub pairs: usize,
    /// The same of bodies and planes.
    pub wall_mean: f64,
    /// The largest.
    pub wall_most: f64,
    /// The largest opening of a joint.
    pub joint: f64,
    /// The lowest point of all, to see what was lost.
    pub lowest: f64,
}

/// Measures poses.
pub struct Ruler {
    bodies: Vec<Body>,
    radii: Vec<f64>,
}

impl Ruler {
    /// Makes the bodies ready.
    pub fn new(scene: &Scene) -> Self {
        let of = |points: &Vec<DVec3>| {
            Polytope::from_points(points).map(Body::from).unwrap_or_else(|error| panic!("{error}"))
        };
        let radius = |points: &Vec<DVec3>| points.iter().map(|p| p.length()).fold(0.0, f64::max);
        Self {
            bodies: scene.bodies.iter().map(of).collect(),
            radii: scene.bodies.iter().map(radius).collect(),
        }
    }

    /// What these poses show.
    pub fn measure(&self, scene: &Scene, places: &[Place]) -> Gaps {
        let mut gaps = Gaps { lowest: f64::INFINITY, ..Gaps::default() };
        let near = 0.01 * scene.size;
        let poses: Vec<Pose> = places
            .iter()
            .map(|place| Pose::new(place.orientation, place.position).unwrap_or_default())
            .collect();
        self.between_bodies(scene, places, &poses, near, &mut gaps);
        let (mut count, mut sum) = (0, 0.0);
        for (points, pose) in scene.bodies.iter().zip(&poses) {
            gaps.lowest = points.iter().map(|&p| pose.apply(p).z).fold(gaps.lowest, f64::min);
            for &(normal, offset) in &scene.planes {
                let gap =
                    points.iter().map(|&p| normal.dot(pose.apply(p)) - offset).fold(f64::INFINITY, f64::min);
                if gap < near {
                    count += 1;
                    sum += (-gap).max(0.0);
                    gaps.wall_most = gaps.wall_most.max(-gap);
                }
            }
        }
        gaps.wall_mean = if count > 0 { sum / f64::from(count) } else { 0.0 };
        for &(one, two, point) in &scene.joints {
            let local = |body: usize| point - scene.start[body].position;
            let first = one.map_or(point, |body| poses[body].apply(local(body)));
            gaps.joint = gaps.joint.max(first.distance(poses[two].apply(local(two))));
        }
        gaps
    }

    fn between_bodies(&self, scene: &Scene, places: &[Place], poses: &[Pose], near: f64, gaps: &mut Gaps) {
        let mut scratch = Scratch::new();
        let joined =
            |a: usize, b: usize| scene.joints.iter().any(|&(one, two, _)| one == Some(a) && two == b);
        let mut sum = 0.0;
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                let apart = places[a].position.distance(places[b].position);
                if apart > self.radii[a] + self.radii[b] + near || joined(a, b) {
                    continue;
                }
                let Ok(found) =
                    scratch.distance(&self.bodies[a], &self.bodies[b], &Pose::between(&poses[a], &poses[b]))
                else {
                    continue;
                };
                if found.signed_distance < near {
                    gaps.pairs += 1;
                    sum += (-found.signed_distance).max(0.0);
                    gaps.most = gaps.most.max(-found.signed_distance);
                }
            }
        }
        gaps.mean = if gaps.pairs > 0 { sum / gaps.pairs as f64 } else { 0.0 };
    }
}
