//! Streams of poses that never repeat.
//!
//! B turns about a wandering axis by the stated angle per step, its centre goes round A by half of
//! it, and A turns in the world as well. Along the line of centres B is put where the bodies touch,
//! then drawn back by the gap, or pushed in by the depth. So slender bodies meet as closely as round
//! ones, and the closest direction swings as they tumble.

use crate::parry::{Climbing, parry_pose};
use crate::random::Random;
use crate::shape::Shape;
use clearance_geometry::{DQuat, DVec3, Pose};
use parry3d_f64::query::details::closest_points_support_map_support_map_with_params as gjk;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};

/// Poses of both bodies in the world.
pub type PosePair = [Pose; 2];

/// How the bodies of a stream stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Half a radius apart.
    Separated,
    /// Overlapping by up to 5 % of the inradius.
    Overlapping,
}

/// How a pose follows from the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Turned by this many degrees.
    Degrees(f64),
    /// Not at all: independent random poses.
    Cold,
}

impl Pace {
    /// As in `0.1°` or `cold`.
    pub fn label(self) -> String {
        match self {
            Self::Degrees(degrees) => format!("{degrees}°"),
            Self::Cold => "cold".to_owned(),
        }
    }

    /// From `0.1` or `cold`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "cold" { Some(Self::Cold) } else { text.parse().ok().map(Self::Degrees) }
    }
}

/// An orientation that turns about a wandering axis.
struct Tumble {
    rotation: DQuat,
    axis: DVec3,
}

impl Tumble {
    fn new(random: &mut Random) -> Self {
        Self { rotation: random.rotation(), axis: random.direction() }
    }

    fn turn(&mut self, random: &mut Random, radians: f64) {
        self.axis = (self.axis + 0.1 * random.in_ball()).normalize();
        self.rotation = (DQuat::from_axis_angle(self.axis, radians) * self.rotation).normalize();
    }
}

/// `count` poses of two copies of `shape`.
pub fn stream(shape: &Shape, scene: Scene, pace: Pace, count: usize) -> Vec<PosePair> {
    let mut random = Random::named(&format!("{} {scene:?} {}", shape.name, pace.label()));
    let mut placer = Placer::new(shape);
    let [mut a, mut b, mut line] = [0; 3].map(|_| Tumble::new(&mut random));
    let mut phase = 0.0_f64;
    let mut poses = Vec::with_capacity(count);
    for _ in 0..count {
        match pace {
            Pace::Degrees(degrees) => {
                let step = degrees.to_radians();
                a.turn(&mut random, step);
                b.turn(&mut random, step);
                line.turn(&mut random, 0.5 * step);
                phase += 0.7 * step;
            }
            Pace::Cold => {
                [a, b, line] = [0; 3].map(|_| Tumble::new(&mut random));
                phase = 4.0 * random.signed();
            }
        }
        let direction = line.rotation * DVec3::X;
        let apart = match scene {
            Scene::Separated => shape.gap * (1.0 + 0.1 * phase.sin()),
            Scene::Overlapping => -shape.inradius * (0.0275 + 0.0225 * phase.sin()),
        };
        let range = placer.touching(b.rotation, direction) + apart;
        let world = DVec3::new(0.3, -0.2, 0.1) + 0.1 * (a.rotation * DVec3::X);
        let pose_a = pose(a.rotation, world);
        poses.push([pose_a, pose_a * pose(b.rotation, range * direction)]);
    }
    poses
}

fn pose(rotation: DQuat, translation: DVec3) -> Pose {
    Pose::new(rotation, translation).expect("a unit quaternion and a finite translation")
}

/// Finds where two copies of a body touch.
struct Placer<'a> {
    bodies: [Climbing<'a>; 2],
    simplex: VoronoiSimplex,
    normal: DVec3,
}

impl<'a> Placer<'a> {
    fn new(shape: &'a Shape) -> Self {
        let bodies = [Climbing::new(shape), Climbing::new(shape)];
        Self { bodies, simplex: VoronoiSimplex::new(), normal: DVec3::X }
    }

    /// How far along `direction` B's centre is when the bodies touch.
    ///
    /// Newton's method on the distance, from outside: the distance falls at the rate of the line's
    /// slope against the closest direction and is convex, so that a step never goes too far.
    fn touching(&mut self, rotation: DQuat, direction: DVec3) -> f64 {
        let mut range = 2.1;
        for _ in 0..100 {
            let pose_ab = parry_pose(rotation, range * direction);
            let guess = Some(parry3d_f64::math::Vector::from_array(self.normal.to_array()));
            let [a, b] = &self.bodies;
            let GJKResult::ClosestPoints(p, q, _) = gjk(&pose_ab, a, b, f64::MAX, &mut self.simplex, guess)
            else {
                break;
            };
            let between = DVec3::from_array((q - p).to_array());
            let distance = between.length();
            if distance < 1e-7 {
                break;
            }
            self.normal = between / distance;
            range -= distance / self.normal.dot(direction);
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_turn_by_the_stated_angle_and_never_repeat() {
        let shape = Shape::named("long10-162").expect("a family");
        for degrees in [0.1, 1.0, 10.0, 90.0] {
            let poses = stream(&shape, Scene::Separated, Pace::Degrees(degrees), 200);
            let relative: Vec<Pose> = poses.iter().map(|[a, b]| Pose::between(a, b)).collect();
            for pair in relative.windows(2) {
                let turn = (pair[0].rotation().transpose() * pair[1].rotation()).to_cols_array();
                let cosine = 0.5 * (turn[0] + turn[4] + turn[8] - 1.0);
                assert!((cosine - degrees.to_radians().cos()).abs() < 1e-9, "{degrees}");
            }
            for (i, p) in relative.iter().enumerate() {
                assert!(relative[..i].iter().all(|q| p != q));
            }
        }
    }
}
