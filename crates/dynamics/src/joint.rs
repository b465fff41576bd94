//! Joints: what holds two bodies together, as rows with their gradients.
//!
//! Source: 002, section 4.1: Θ(q) = 0 with ν = ∇Θ, linearised as in (4.14).
//! Differs: DIFFERS: limits are inequalities and motors bounded multipliers, which 002 does not have; angles are measured by
//! the relative quaternion and by axes, not by Euler angles, and turns are counted from step to step. DIFFERS: errors are made
//! good no faster than overlaps are, and a joint that starts outside its limits is led to them at a speed that dies away, since
//! an inequality would throw it past them.
//! Ends because: a fixed number of rows.
//! Cost: up to six rows per joint, two for each pair of limits, four more for those of a ball.
//! Not promised: independence of the rows of closed loops; solvers cope with dependent ones. Whole turns where a step turns by
//! half a turn more than the angular velocity at its end says.

mod check;
mod frame;

use crate::body::{RigidBody, Twist};
use crate::error::DynamicsError;
use crate::program::Demand;
use crate::tolerance;
use crate::world::World;
use check::{bad, check};
use clearance_geometry::{DQuat, DVec3};
use frame::Frame;

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

/// A drive along what a joint leaves free.
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
    /// The axis. Of a ball: what its limits and its motor are about; in the plane it lies in it for these and for a slider.
    pub axis: Option<DVec3>,
    /// Lowest and highest angle (hinge; whole turns count), place (slider, pivot) or distance, from where it starts; a distance
    /// absolutely. Of a ball: of the angle between the axis on A and the axis on B.
    pub limits: Option<[f64; 2]>,
    /// A drive along what the limits are of; of a ball, about its axis on A.
    pub motor: Option<Motor>,
    /// Lowest and highest angle of a pivot, whose `limits` are of its place.
    pub turn_limits: Option<[f64; 2]>,
    /// A drive about the axis of a pivot, whose `motor` drives it along.
    pub turn_motor: Option<Motor>,
}

impl JointSpec {
    /// A joint at A's mass centre, without limits and motors.
    pub const fn new(kind: JointKind, bodies: [Option<usize>; 2]) -> Self {
        Self {
            kind,
            bodies,
            anchor: None,
            axis: None,
            limits: None,
            motor: None,
            turn_limits: None,
            turn_motor: None,
        }
    }
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
    /// Radians that a hinge or a pivot has turned by since the start, whole turns counted; of a ball with an axis, how far the
    /// axis on B has swung from that on A.
    pub angle: Option<f64>,
    /// How far a slider or a pivot has slid since the start; of a distance, its length.
    pub place: Option<f64>,
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
    /// How far it reaches, or the body that it holds: what its errors are compared with.
    size: f64,
    has_axis: bool,
    limits: Option<[f64; 2]>,
    motor: Option<Motor>,
    turn_limits: Option<[f64; 2]>,
    turn_motor: Option<Motor>,
    /// The angle about the axis when it was last followed, whole turns counted.
    turned: f64,
    /// Whether it started outside its limits, and outside those of a pivot's turning, and has not come back since.
    strayed: [bool; 2],
    /// By how much faster its equalities had to change in the last two steps to end them closed, over the step.
    bends: [[f64; 2]; 6],
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
    /// The share of its error that a step makes good at most.
    pub(crate) share: f64,
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
        let ends = spec.bodies.map(|body| End::of(bodies, body));
        let axis = check(spec, planar)?;
        let has_axis = axis.is_some();
        let axis = axis.unwrap_or(DVec3::Z);
        // In the plane one direction across lies in it, so that the other's rows vanish.
        let in_plane = if planar { axis.cross(DVec3::Z).try_normalize() } else { None };
        let across = in_plane.unwrap_or_else(|| axis.any_orthonormal_vector());
        let points = match spec.kind {
            JointKind::Distance => [spec.anchor.unwrap_or(ends[0].center), ends[1].center],
            _ => [spec.anchor.unwrap_or(ends[0].center); 2],
        };
        let distance = points[0].distance(points[1]);
        // A rope may start wound up; what is held at a distance needs a direction.
        let slack = spec.limits.is_some_and(|[low, _]| low == 0.0);
        let reach = |at: usize| {
            let body = bodies.get(spec.bodies[at]?)?;
            Some(body.radius.max(points[at].distance(ends[at].center)))
        };
        let size = [reach(0), reach(1)].into_iter().flatten().fold(f64::INFINITY, f64::min);
        let is_distance = spec.kind == JointKind::Distance;
        if is_distance && !slack && !(distance > tolerance::JOINT_REL * size) {
            return Err(bad("anchor", "its two points are one"));
        }
        let size = if is_distance { size.max(distance) } else { size };
        let local = |vector: DVec3| [0, 1].map(|at| ends[at].orientation.conjugate() * vector);
        Ok(Self {
            kind: spec.kind,
            bodies: spec.bodies,
            anchors: [0, 1].map(|at| ends[at].orientation.conjugate() * (points[at] - ends[at].center)),
            axes: local(axis),
            across: local(across),
            relative: ends[0].orientation.conjugate() * ends[1].orientation,
            distance,
            size,
            has_axis,
            limits: spec.limits,
            motor: spec.motor,
            turn_limits: spec.turn_limits,
            turn_motor: spec.turn_motor,
            turned: 0.0,
            strayed: [true; 2],
            bends: [[0.0; 2]; 6],
        })
        .map(|joint| joint.placed(bodies))
    }

    /// At its start: what is within its limits has not strayed.
    fn placed(mut self, bodies: &[RigidBody]) -> Self {
        self.follow(bodies, 0.0);
        self
    }

    /// Counts turns, and sees whether it has come back between its limits; `h` is the step that led here.
    pub(crate) fn follow(&mut self, bodies: &[RigidBody], h: f64) {
        if !self.has_directions() {
            self.strayed = [false; 2];
            return;
        }
        let frame = self.frame(bodies);
        let spin = |body: Option<usize>| {
            body.and_then(|body| bodies.get(body)).map_or(DVec3::ZERO, RigidBody::angular_velocity)
        };
        let rate = frame.axis.dot(spin(self.bodies[1]) - spin(self.bodies[0]));
        let expected = self.turned + if rate.is_finite() { rate * h } else { 0.0 };
        self.turned = frame.angle(expected);
        let free = self.free(&frame);
        for (at, free) in free.iter().enumerate() {
            let Some((free, [low, high])) = free.as_ref().and_then(|free| Some((free, free.limits?))) else {
                self.strayed[at] = false;
                continue;
            };
            let near = tolerance::STRAYED_REL * if free.is_angle() { 1.0 } else { self.size };
            self.strayed[at] &= free.place < low - near || free.place > high + near;
        }
    }

    /// By how much it is outside its limits, where it started outside them and has not come back since: a length, or radians
    /// where the second says so.
    pub(crate) fn strayed(&self, bodies: &[RigidBody]) -> Option<(f64, bool)> {
        let frame = self.frame(bodies);
        let outside = self.free(&frame).into_iter().zip(self.strayed).find(|(_, strayed)| *strayed);
        let free = outside?.0?;
        let [low, high] = free.limits?;
        Some(((low - free.place).max(free.place - high), free.is_angle()))
    }

    /// Its largest error as a length; of angles, at how far it reaches.
    pub(crate) fn off(&self, bodies: &[RigidBody]) -> f64 {
        let of_row = |row: JointRow| if is_turn(&row.twists) { row.off() * self.size } else { row.off() };
        self.rows(bodies).into_iter().map(of_row).fold(0.0, f64::max)
    }

    /// Whether it is led back to its limits.
    pub(crate) fn is_led(&self) -> bool {
        self.strayed.contains(&true)
    }

    /// Whether anything of it is measured along or about an axis.
    fn has_directions(&self) -> bool {
        self.has_axis || !matches!(self.kind, JointKind::Ball | JointKind::Fixed)
    }

    fn frame(&self, bodies: &[RigidBody]) -> Frame {
        Frame::new(self, self.bodies.map(|body| End::of(bodies, body)))
    }

    /// Where it is held at the bodies' present poses.
    pub(crate) fn ends(&self, bodies: &[RigidBody]) -> JointEnds {
        let points = [0, 1].map(|at| {
            let end = End::of(bodies, self.bodies[at]);
            end.center + end.orientation * self.anchors[at]
        });
        let (mut angle, mut place) = (None, None);
        for free in self.free(&self.frame(bodies)).into_iter().flatten() {
            *if free.is_angle() { &mut angle } else { &mut place } = Some(free.place);
        }
        JointEnds { kind: self.kind, bodies: self.bodies, points, angle, place }
    }

    /// What errors of a row are compared with.
    pub(crate) fn unit(&self, row: &JointRow) -> f64 {
        if is_turn(&row.twists) { 1.0 } else { self.size }
    }

    /// Whether it has a motor, be it one that only brakes.
    pub(crate) const fn is_driven(&self) -> bool {
        self.motor.is_some() || self.turn_motor.is_some()
    }

    /// Whether a motor of it wants to move.
    pub(crate) fn drives(&self) -> bool {
        let drives = |motor: Motor| motor.velocity != 0.0 && motor.max_force > 0.0;
        self.motor.is_some_and(drives) || self.turn_motor.is_some_and(drives)
    }

    /// The rows at the bodies' present poses.
    pub(crate) fn rows(&self, bodies: &[RigidBody]) -> Vec<JointRow> {
        let mut rows = Vec::with_capacity(12);
        self.rows_into(bodies, &mut rows);
        rows
    }

    /// What one of its equalities is likely to bend by in a step: it goes on as in the last two.
    pub(crate) fn bend(&self, place: usize, step: f64) -> f64 {
        self.bends.get(place).map_or(0.0, |[last, before]| step * (2.0 * last - before))
    }

    /// Remembers what it did bend by; none where it did not end the step closed.
    pub(crate) fn bent(&mut self, place: usize, bend: Option<f64>) {
        if let Some(bends) = self.bends.get_mut(place) {
            *bends = bend.map_or([0.0; 2], |bend| [bend, bends[0]]);
        }
    }

    pub(crate) fn forget_bends(&mut self) {
        self.bends = Default::default();
    }

    /// The same in place of those in a vector.
    pub(crate) fn rows_into(&self, bodies: &[RigidBody], rows: &mut Vec<JointRow>) {
        rows.clear();
        let frame = self.frame(bodies);
        match self.kind {
            JointKind::Ball => frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], rows),
            JointKind::Hinge => {
                frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], rows);
                frame.align(rows);
            }
            JointKind::Fixed => {
                frame.place(&[DVec3::X, DVec3::Y, DVec3::Z], rows);
                frame.hold(self.relative, rows);
            }
            JointKind::Slider => {
                frame.place(&frame.across, rows);
                frame.hold(self.relative, rows);
            }
            JointKind::Pivot => {
                frame.place(&frame.across, rows);
                frame.align(rows);
            }
            JointKind::Distance if self.limits.is_none() => {
                let (direction, length) = frame.between();
                rows.push(frame.along(direction, length - self.distance, Demand::Zero));
            }
            JointKind::Distance => {}
        }
        for (free, strayed) in self.free(&frame).iter().zip(self.strayed) {
            let Some(free) = free else { continue };
            free.limit_rows(strayed, rows);
            if self.kind == JointKind::Ball {
                frame.guards(free, rows);
            }
            if let Some(motor) = free.motor {
                let demand = Demand::Within(motor.max_force);
                rows.push(JointRow { velocity: motor.velocity, ..JointRow::new(free.driven, 0.0, demand) });
            }
        }
    }

    /// What the joint leaves free and measures: along its axis or its length first, then about its axis.
    fn free(&self, frame: &Frame) -> [Option<Free>; 2] {
        let is_positive = matches!(self.kind, JointKind::Ball | JointKind::Distance);
        let (limits, motor) = (self.limits, self.motor);
        let along = |twists, place| Free { twists, driven: twists, place, is_positive, limits, motor };
        let turning = [Twist::turn(-frame.axis), Twist::turn(frame.axis)];
        let slide = |direction| frame.along(direction, 0.0, Demand::Zero).twists;
        match self.kind {
            JointKind::Hinge => [Some(along(turning, frame.angle(self.turned))), None],
            JointKind::Slider => [Some(along(slide(frame.axis), frame.axis.dot(frame.apart))), None],
            JointKind::Pivot => {
                let mut turn = along(turning, frame.angle(self.turned));
                (turn.limits, turn.motor) = (self.turn_limits, self.turn_motor);
                [Some(along(slide(frame.axis), frame.axis.dot(frame.apart))), Some(turn)]
            }
            JointKind::Distance => {
                let (direction, length) = frame.between();
                [Some(along(slide(direction), length)), None]
            }
            JointKind::Ball if self.has_axis => {
                let (about, angle) = frame.swing();
                let swing = [Twist::turn(-about), Twist::turn(about)];
                [Some(Free { driven: turning, ..along(swing, angle) }), None]
            }
            JointKind::Ball | JointKind::Fixed => [None, None],
        }
    }
}

/// One thing that a joint leaves free.
struct Free {
    /// How its measure changes.
    twists: [Twist; 2],
    /// What its motor drives.
    driven: [Twist; 2],
    place: f64,
    /// Whether its place cannot be negative.
    is_positive: bool,
    limits: Option<[f64; 2]>,
    motor: Option<Motor>,
}

impl Free {
    fn is_angle(&self) -> bool {
        is_turn(&self.twists)
    }

    /// Between its limits it is free. Where it started outside, it is led back: an equality, because what an inequality pulls in
    /// keeps its speed and flies past.
    fn limit_rows(&self, strayed: bool, rows: &mut Vec<JointRow>) {
        let Some([low, high]) = self.limits else { return };
        let sides = [(self.twists, self.place - low), (self.twists.map(Twist::reversed), high - self.place)];
        // A length or a swing is never below nothing; a row that says so would stop what passes through it.
        let first = usize::from(self.is_positive && low <= 0.0);
        rows.extend(sides.into_iter().skip(first).map(|(twists, value)| {
            if strayed && value < 0.0 {
                JointRow { share: tolerance::STRAYED_SHARE, ..JointRow::new(twists, value, Demand::Zero) }
            } else {
                JointRow::new(twists, value, Demand::NotNegative)
            }
        }));
    }
}

impl JointRow {
    /// By how much it is off, a length or radians.
    pub(crate) fn off(&self) -> f64 {
        match self.demand {
            Demand::Zero => self.value.abs(),
            Demand::NotNegative => (-self.value).max(0.0),
            Demand::Within(_) => 0.0,
        }
    }

    const fn new(twists: [Twist; 2], value: f64, demand: Demand) -> Self {
        Self { twists, value, velocity: 0.0, demand, share: 1.0 }
    }
}

impl World {
    /// The velocity by which an error of a row is made good, and whether that is slower than a step could.
    pub(crate) fn correction(&self, joint: &Joint, row: &JointRow) -> (f64, bool) {
        let fall = self.settings.fastest_correction(joint.size, 0.0);
        let fastest = if is_turn(&row.twists) { fall / joint.size } else { fall };
        let share = if row.demand == Demand::NotNegative && row.value > 0.0 {
            self.settings.stabilization
        } else {
            self.made_good()
        };
        let wanted = share * row.value / self.settings.step;
        let most = match row.demand {
            Demand::NotNegative => f64::INFINITY,
            _ => fastest,
        };
        let slowed = (row.share * wanted).max(-fastest).min(most);
        let unit = joint.unit(row);
        // What rounding leaves is made good whatever the speed, or a speed of nothing would let joints open.
        if (slowed - wanted).abs() * self.settings.step <= tolerance::STRAYED_REL * unit {
            return (wanted, false);
        }
        (slowed, true)
    }

    /// The largest error of a joint now, over how far it reaches; of angles in radians.
    pub fn joints_off(&self) -> f64 {
        self.joints.iter().map(|joint| joint.off(&self.bodies) / joint.size).fold(0.0, f64::max)
    }

    /// Joints that started outside their limits and have not come back: their numbers, how far they are outside, and whether that
    /// is an angle in radians.
    pub fn strayed_joints(&self) -> impl Iterator<Item = (usize, f64, bool)> {
        let strayed = |(at, joint): (usize, &Joint)| {
            joint.strayed(&self.bodies).map(|(outside, is_angle)| (at, outside, is_angle))
        };
        self.joints.iter().enumerate().filter_map(strayed)
    }
}

/// Whether a row is one of turning alone.
pub(crate) fn is_turn(twists: &[Twist; 2]) -> bool {
    twists.iter().all(|twist| twist.linear == DVec3::ZERO)
}
