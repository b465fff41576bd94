//! Streams of poses: smooth, seeded, and never repeating.

use crate::Random;
use clearance_geometry::Pose;
use glam::{DQuat, DVec3};

/// How far per step the axis of rotation may wander; radians.
const AXIS_DRIFT_RAD: f64 = 0.05;

/// Smooth random motion: every step turns by the given angle about an axis that drifts, and moves
/// along a direction that drifts, inside a shell around the origin. Poses never repeat, so that no
/// branch predictor can learn the stream.
///
/// ```
/// use clearance_testkit::generate::Wander;
/// let poses: Vec<_> = Wander::new(1, 1.0, 2.0, 2.5).take(100).collect();
/// assert!(poses.iter().all(|p| (1.99..2.51).contains(&p.translation().length())));
/// ```
#[derive(Clone, Debug)]
pub struct Wander {
    random: Random,
    rotation: DQuat,
    axis: DVec3,
    place: DVec3,
    heading: DVec3,
    angle: f64,
    near: f64,
    far: f64,
    range: f64,
    range_rate: f64,
}

impl Wander {
    /// Turns `degrees` per step; the translation turns about the origin by as much and stays between
    /// `near` and `far` from it.
    pub fn new(seed: u64, degrees: f64, near: f64, far: f64) -> Self {
        let mut random = Random::new(seed);
        let place = random.direction();
        Self {
            rotation: random.quaternion(),
            axis: random.direction(),
            place,
            heading: random.direction(),
            angle: degrees.to_radians(),
            near,
            far,
            range: 0.0,
            range_rate: 0.0,
            random,
        }
    }
}

impl Iterator for Wander {
    type Item = Pose;

    fn next(&mut self) -> Option<Pose> {
        let drift = |v: DVec3, random: &mut Random| (v + AXIS_DRIFT_RAD * random.in_ball()).normalize();
        self.axis = drift(self.axis, &mut self.random);
        self.heading = drift(self.heading, &mut self.random);
        self.rotation = (DQuat::from_axis_angle(self.axis, self.angle) * self.rotation).normalize();
        // Perpendicular to the place, so that the turn is by the whole angle.
        let across = self.place.cross(self.heading);
        let about = if across.length_squared() > 0.0 { across.normalize() } else { self.axis };
        self.place = (DQuat::from_axis_angle(about, self.angle) * self.place).normalize();
        // The range swings like a pendulum with a random push, at a rate that matches the turning.
        self.range_rate = 0.98 * self.range_rate + 0.2 * self.angle * self.random.uniform(-1.0, 1.0)
            - 0.01 * self.angle * self.range;
        self.range = (self.range + self.range_rate).clamp(-1.0, 1.0);
        let distance = self.near + (self.far - self.near) * 0.5 * (1.0 + self.range);
        Pose::new(self.rotation, self.place * distance).ok()
    }
}

/// A body that tumbles in place while another stands at a fixed offset: the closest features run over
/// the whole surface, which a pair of spheres at any motion never shows.
#[derive(Clone, Debug)]
pub struct Tumble {
    wander: Wander,
    offset: DVec3,
}

impl Tumble {
    /// Turns `degrees` per step about a drifting axis, at `offset` from the origin.
    pub fn new(seed: u64, degrees: f64, offset: DVec3) -> Self {
        Self { wander: Wander::new(seed, degrees, 1.0, 1.0), offset }
    }
}

impl Iterator for Tumble {
    type Item = Pose;

    fn next(&mut self) -> Option<Pose> {
        self.wander.next().map(|pose| pose.with_translation(self.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wander_turns_by_its_angle_and_does_not_repeat() {
        for degrees in [0.1, 1.0, 10.0, 90.0] {
            let poses: Vec<Pose> = Wander::new(9, degrees, 1.5, 2.5).take(2000).collect();
            for pair in poses.windows(2) {
                let turn = pair[0].quaternion().angle_between(pair[1].quaternion()).to_degrees();
                assert!((turn - degrees).abs() < 1e-6 * degrees.max(1.0), "{turn}");
                let swing = pair[0].translation().angle_between(pair[1].translation()).to_degrees();
                assert!(swing <= degrees + 1e-6, "{swing}");
            }
            let (low, high) = poses
                .iter()
                .map(|p| p.translation().length())
                .fold((f64::INFINITY, 0.0_f64), |(low, high), r| (low.min(r), high.max(r)));
            assert!(low >= 1.5 - 1e-12 && high <= 2.5 + 1e-12);
            for (i, pose) in poses.iter().enumerate().skip(1) {
                assert!((pose.translation() - poses[0].translation()).length() > 0.0, "{i}");
            }
        }
    }

    #[test]
    fn tumble_stays_in_place() {
        let offset = DVec3::new(3.0, 0.0, 0.0);
        assert!(Tumble::new(4, 1.0, offset).take(50).all(|p| p.translation() == offset));
    }
}
