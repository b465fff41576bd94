//! Scenes as the published methods see them: the feature that a body is, and how the other one moves.

use crate::failure::Failure;
use crate::track;
use clearance_formats::{AnyBody, AnyPose, Scene};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DVec3, FaceId, Feature, PlanarTiled, Pose};
use clearance_proximity::published::{Carrier, Couple, Moment};
use clearance_proximity::{Precision, nearest_points};

/// Seconds before and after a time between which velocities are measured.
const INSTANT: f64 = 1.0 / 65_536.0;

/// A scene of two bodies, the first at rest.
pub(super) struct Stage {
    pub(super) scene: Scene,
}

impl Stage {
    pub(super) fn new(text: &str, name: &str) -> Result<Self, Failure> {
        Ok(Self { scene: track::scene(text, name)? })
    }

    /// A body with curved faces.
    pub(super) fn tiled(&self, at: usize) -> Result<TiledBody, Failure> {
        let wrong = || Failure::input("unsupported_pair", "the scene has other bodies than its figure");
        match self.scene.bodies.get(at).map(|body| &body.shape.body) {
            Some(AnyBody::Solid(body)) => match body.whole() {
                Body::Tiled(body) => Ok(body.clone()),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// A planar body of curves.
    pub(super) fn outline(&self, at: usize) -> Result<PlanarTiled, Failure> {
        match self.scene.bodies.get(at).map(|body| &body.shape.body) {
            Some(AnyBody::PlanarTiled(body)) => Ok(body.clone()),
            _ => Err(Failure::input("unsupported_pair", "the scene has other bodies than its figure")),
        }
    }

    /// The one face of the first body and the origin of the second.
    pub(super) fn patch_and_point(&self) -> Result<Couple, Failure> {
        let patch = Carrier::of(&self.tiled(0)?, Feature::Face(FaceId(0)));
        Ok(Couple { a: patch, b: Carrier::Point(DVec3::ZERO) })
    }

    /// Where the second body is; at rest if the scene's numbers outgrow their range.
    pub(super) fn pose(&self, time: f64) -> Pose {
        match self.scene.bodies.get(1).map(|body| body.pose_at(time)) {
            Some(Ok(AnyPose::Solid(pose))) => pose,
            Some(Ok(AnyPose::Planar(pose))) => {
                let (x, y) =
                    (pose.rotate(clearance_geometry::DVec2::X), pose.rotate(clearance_geometry::DVec2::Y));
                let turn = DMat3::from_cols(x.extend(0.0), y.extend(0.0), DVec3::Z);
                Pose::from_matrix(turn, pose.translation().extend(0.0)).unwrap_or(Pose::IDENTITY)
            }
            _ => Pose::IDENTITY,
        }
    }

    /// Where the second body is and how it moves.
    pub(super) fn moment(&self, time: f64) -> Moment {
        let (before, after) = (self.pose(time - INSTANT), self.pose(time + INSTANT));
        let span = 2.0 * INSTANT;
        let pose_ab = self.pose(time);
        let turn = (after.rotation() - before.rotation()) * (1.0 / span) * pose_ab.rotation().transpose();
        let angular = DVec3::new(
            turn.y_axis.z - turn.z_axis.y,
            turn.z_axis.x - turn.x_axis.z,
            turn.x_axis.y - turn.y_axis.x,
        ) / 2.0;
        let of_origin = (after.translation() - before.translation()) / span;
        Moment { pose_ab, velocity: of_origin - angular.cross(pose_ab.translation()), angular }
    }

    /// The certified distance at a time.
    pub(super) fn truth(&self, time: f64) -> Result<f64, Failure> {
        let body = |at: usize| match &self.scene.bodies[at].shape.body {
            AnyBody::Solid(body) => Ok(body.clone()),
            _ => Err(Failure::input("dimension_mismatch", "the scene is planar")),
        };
        let found = nearest_points(&body(0)?, &body(1)?, &self.pose(time), &Precision::default())
            .map_err(|error| Failure::input("unsupported_pair", error.to_string()))?;
        Ok(found.0.proximity.distance)
    }
}
