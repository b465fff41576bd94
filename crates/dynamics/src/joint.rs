//! Joints: what holds two bodies together, as rows with their gradients.
//!
//! Source: 002, section 4.1: Θ(q) = 0 with ν = ∇Θ, linearised as in (4.14).
//! Differs: DIFFERS: limits are inequalities and motors bounded multipliers, which 002 does not have; angles are measured by
//! the relative quaternion and by axes, not by Euler angles.
//! Ends because: a fixed number of rows.
//! Cost: up to six rows per joint, and two for its limits.
//! Not promised: independence of the rows of closed loops; solvers cope with dependent ones.

use crate::body::{RigidBody, Twist};
use crate::error::{DynamicsError, finite};
use crate::program::Demand;
use crate::tolerance;
use clearance_geometry::{DQuat, DVec3};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about a point.
    Ball,
    /// Turns about an axis.
    Hinge,
    /// Nothing.
    Fixed,
    /// Slides along an axis.
    Slider,
    /// Turns about and slides along an axis.
    Pivot,
    /// All but the distance of two points; with limits, a range of it.
    Distance,
}

/// A drive along what a hinge or a slider leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Wanted velocity of B against A: radians or lengths per second.
    pub velocity: f64,
    /// Largest torque or force.
    pub max_force: f64,
}

/// A joint to be added to a world; places and directions in the world at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSpec {
    /// What it leaves free.
    pub kind: JointKind,
    /// The bodies; none is the world.
    pub bodies: [Option<usize>; 2],
    /// The point both bodies share. Of a distance: the point of A; without it, its mass centre. B's is its mass centre.
    pub anchor: Option<DVec3>,
    /// The axis.
    pub axis: Option<DVec3>,
    /// Lowest and highest angle (hinge), place (slider, pivot) or distance, from where it starts; a distance absolutely.
    pub limits: Option<[f64; 2]>,
    /// A drive.
    pub motor: Option<Motor>,
}

/// Where a joint of a world is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointEnds {
    /// What it leaves free.
    pub kind: JointKind,
    /// The bodies; none is the world.
    pub bodies: [Option<usize>; 2],
    /// Its point of each body, in the world.
    pub points: [DVec3; 2],
}

/// A joint of a world.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    kind: JointKind,
    pub(crate) bodies: [Option<usize>; 2],
    /// Anchor, axis and a direction across it in each body's axes, from its mass centre.
    anchors: [DVec3; 2],
    axes: [DVec3; 2],
    across: [DVec3; 2],
    /// B's orientation in A's axes at the start.
    relative: DQuat,
    distance: f64,
    limits: Option<[f64; 2]>,
    motor: Option<Motor>,
}

/// One row: Θ, its gradient, and what is demanded of its change.
pub(crate) struct JointRow {
    pub(crate) twists: [Twist; 2],
    /// Θ for `Zero` and `NotNegative`.
    pub(crate) value: f64,
    /// Wanted velocity of a motor.
    pub(crate) velocity: f64,
    /// For a motor the largest force, not yet times the step.
    pub(crate) demand: Demand,
}

impl JointRow {
    /// Whether it is about an angle, not a length.
    pub(crate) fn turns(&self) -> bool {
        self.twists.iter().all(|twist| twist.linear == DVec3::ZERO)
    }
}

/// Where one end of a joint stands.
#[derive(Clone, Copy)]
struct End {
    center: DVec3,
    orientation: DQuat,
}

impl End {
    fn of(bodies: &[RigidBody], body: Option<usize>) -> Self {
        match body.and_then(|body| bodies.get(body)) {
            Some(body) => Self { center: body.position, orientation: body.orientation },
            None => Self { center: DVec3::ZERO, orientation: DQuat::IDENTITY },
        }
    }
}

impl Joint {
    pub(crate) fn new(spec: &JointSpec, bodies: &[RigidBody], planar: bool) -> Result<Self, DynamicsError> {
        let known = spec.bodies.iter().flatten().all(|&body| body < bodies.len());
        let moving = spec.bodies.iter().flatten().any(|&body| bodies.get(body).is_some_and(RigidBody::moves));
        if !known || !moving || spec.bodies[0] == spec.bodies[1] {
            return Err(DynamicsError::BadJointBodies);
        }
        check(spec, planar)?;
        let ends = spec.bodies.map(|body| End::of(bodies, body));
        let fallback = if planar { DVec3::Z } else { DVec3::ZERO };
        let axis = spec.axis.unwrap_or(fallback).try_normalize();
        let needs_axis = matches!(spec.kind, JointKind::Hinge | JointKind::Slider | JointKind::Pivot);
        if needs_axis && axis.is_none() {
            return Err(DynamicsError::BadJoint { reason: "its axis has no direction" });
        }
        let axis = axis.unwrap_or(DVec3::Z);
        // In the plane one direction across lies in it, so that the other's rows vanish.
        let in_plane = if planar { axis.cross(DVec3::Z).try_normalize() } else { None };
        let across = in_plane.unwrap_or_else(|| axis.any_orthonormal_vector());
        let points = match spec.kind {
            JointKind::Distance => [spec.anchor.unwrap_or(ends[0].center), ends[1].center],
            _ => [spec.anchor.unwrap_or(ends[0].center); 2],
        };
        let distance = points[0].distance(points[1]);
        if spec.kind == JointKind::Distance && !(distance > tolerance::JOINT_REL) {
            return Err(DynamicsError::BadJoint { reason: "its two points are one" });
        }
        let local = |vector: DVec3| [0, 1].map(|at| ends[at].orientation.conjugate() * vector);
        Ok(Self {
            kind: spec.kind,
            bodies: spec.bodies,
            anchors: [0, 1].map(|at| ends[at].orientation.conjugate() * (points[at] - ends[at].center)),
            axes: local(axis),
            across: local(across),
            relative: ends[0].orientation.conjugate() * ends[1].orientation,
            distance,
            limits: spec.limits,
            motor: spec.motor,
        })
    }

    /// Where it is held at the bodies' present poses.
    pub(crate) fn ends(&self, bodies: &[RigidBody]) -> JointEnds {
        let points = [0, 1].map(|at| {
            let end = End::of(bodies, self.bodies[at]);
            end.center + end.orientation * self.anchors[at]
        });
        JointEnds { kind: self.kind, bodies: self.bodies, points }
    }

    /// Whether a motor of it wants to move.
    pub(crate) fn drives(&self) -> bool {
        self.motor.is_some_and(|motor| motor.velocity != 0.0 && motor.max_force > 0.0)
    }

    /// The rows at the bodies' present poses.
    pub(crate) fn rows(&self, bodies: &[RigidBody]) -> Vec<JointRow> {
        let ends = self.bodies.map(|body| End::of(bodies, body));
        let frame = Frame::new(self, ends);
        let mut rows = Vec::with_capacity(8);
        match self.kind {
            JointKind::Ball => frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], &mut rows),
            JointKind::Hinge => {
                frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], &mut rows);
                frame.align(&mut rows);
            }
            JointKind::Fixed => {
                frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], &mut rows);
                frame.hold(self.relative, &mut rows);
            }
            JointKind::Slider => {
                frame.place(&frame.across, &mut rows);
                frame.hold(self.relative, &mut rows);
            }
            JointKind::Pivot => {
                frame.place(&frame.across, &mut rows);
                frame.align(&mut rows);
            }
            JointKind::Distance if self.limits.is_none() => {
                let (direction, length) = frame.between();
                rows.push(frame.along(direction, length - self.distance, Demand::Zero));
            }
            JointKind::Distance => {}
        }
        self.free_rows(&frame, &mut rows);
        rows
    }

    /// Limits and motor along what the joint leaves free.
    fn free_rows(&self, frame: &Frame, rows: &mut Vec<JointRow>) {
        let (twists, place) = match self.kind {
            JointKind::Hinge => ([Twist::turn(-frame.axis), Twist::turn(frame.axis)], frame.angle()),
            JointKind::Slider | JointKind::Pivot => {
                let row = frame.along(frame.axis, 0.0, Demand::Zero);
                (row.twists, frame.axis.dot(frame.apart))
            }
            JointKind::Distance => {
                let (direction, length) = frame.between();
                (frame.along(direction, 0.0, Demand::Zero).twists, length)
            }
            JointKind::Ball | JointKind::Fixed => return,
        };
        if let Some([low, high]) = self.limits {
            let demand = Demand::NotNegative;
            rows.push(JointRow { twists, value: place - low, velocity: 0.0, demand });
            let turned = twists.map(Twist::reversed);
            rows.push(JointRow { twists: turned, value: high - place, velocity: 0.0, demand });
        }
        if let Some(motor) = self.motor {
            let demand = Demand::Within(motor.max_force);
            rows.push(JointRow { twists, value: 0.0, velocity: motor.velocity, demand });
        }
    }
}

/// Refuses numbers that no joint has.
fn check(spec: &JointSpec, planar: bool) -> Result<(), DynamicsError> {
    let finite_vector = |v: Option<DVec3>| v.is_none_or(|v| v.is_finite());
    if !finite_vector(spec.anchor) || !finite_vector(spec.axis) {
        return Err(DynamicsError::NotFinite { field: "joint" });
    }
    if let Some([low, high]) = spec.limits {
        finite("limits", low)?;
        finite("limits", high)?;
        if low > high {
            return Err(DynamicsError::BadJoint { reason: "its limits are crossed" });
        }
        if matches!(spec.kind, JointKind::Ball | JointKind::Fixed) {
            return Err(DynamicsError::BadJoint { reason: "a ball and a fixed joint have no limits" });
        }
    }
    if let Some(motor) = spec.motor {
        finite("motor", motor.velocity)?;
        if !(motor.max_force >= 0.0 && motor.max_force.is_finite()) {
            return Err(DynamicsError::OutOfRange { field: "max_force", value: motor.max_force });
        }
        if !matches!(spec.kind, JointKind::Hinge | JointKind::Slider | JointKind::Pivot) {
            return Err(DynamicsError::BadJoint { reason: "this kind of joint has nothing to drive" });
        }
    }
    if planar && spec.kind == JointKind::Pivot {
        return Err(DynamicsError::BadJoint { reason: "a pivot does not exist in the plane" });
    }
    Ok(())
}

/// Both ends of a joint in the world.
struct Frame {
    /// From the mass centres to the anchors.
    arms: [DVec3; 2],
    /// From A's mass centre to B's anchor: where forces on A act whose direction turns with A.
    reach: DVec3,
    /// From A's anchor to B's.
    apart: DVec3,
    /// A's axis, and two directions across it.
    axis: DVec3,
    across: [DVec3; 2],
    axis_b: DVec3,
    across_b: DVec3,
    orientations: [DQuat; 2],
}

impl Frame {
    fn new(joint: &Joint, ends: [End; 2]) -> Self {
        let arms = [0, 1].map(|at| ends[at].orientation * joint.anchors[at]);
        let axis = ends[0].orientation * joint.axes[0];
        let first = ends[0].orientation * joint.across[0];
        let anchor_b = ends[1].center + arms[1];
        Self {
            arms,
            reach: anchor_b - ends[0].center,
            apart: anchor_b - (ends[0].center + arms[0]),
            axis,
            across: [first, axis.cross(first)],
            axis_b: ends[1].orientation * joint.axes[1],
            across_b: ends[1].orientation * joint.across[1],
            orientations: ends.map(|end| end.orientation),
        }
    }

    /// Keeps the anchors together along directions: fixed ones, or ones that turn with A.
    fn place(&self, directions: &[DVec3], rows: &mut Vec<JointRow>) {
        rows.extend(directions.iter().map(|&d| self.along(d, d.dot(self.apart), Demand::Zero)));
    }

    /// The change of a distance along a direction that turns with A; exact for fixed ones where the anchors meet.
    fn along(&self, direction: DVec3, value: f64, demand: Demand) -> JointRow {
        let twists = [Twist::at(direction, self.reach).reversed(), Twist::at(direction, self.arms[1])];
        JointRow { twists, value, velocity: 0.0, demand }
    }

    /// Keeps the axes parallel.
    fn align(&self, rows: &mut Vec<JointRow>) {
        for across in self.across {
            let turn = self.axis_b.cross(across);
            let value = across.dot(self.axis_b);
            let twists = [Twist::turn(-turn), Twist::turn(turn)];
            rows.push(JointRow { twists, value, velocity: 0.0, demand: Demand::Zero });
        }
    }

    /// Keeps the orientations together.
    fn hold(&self, relative: DQuat, rows: &mut Vec<JointRow>) {
        let off = self.orientations[1] * (self.orientations[0] * relative).conjugate();
        let sign = if off.w < 0.0 { -2.0 } else { 2.0 };
        let turn = DVec3::new(off.x, off.y, off.z) * sign;
        for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
            let twists = [Twist::turn(-direction), Twist::turn(direction)];
            let value = direction.dot(turn);
            rows.push(JointRow { twists, value, velocity: 0.0, demand: Demand::Zero });
        }
    }

    /// The angle of B about the axis from where it started.
    fn angle(&self) -> f64 {
        self.across[1].dot(self.across_b).atan2(self.across[0].dot(self.across_b))
    }

    /// Direction and length from A's anchor to B's.
    fn between(&self) -> (DVec3, f64) {
        let length = self.apart.length();
        (self.apart.try_normalize().unwrap_or(self.axis), length)
    }
}
