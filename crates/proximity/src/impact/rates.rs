//! Bounds on how fast, and how unsteadily, the points of a body move over an interval of time.
//!
//! Source: the velocities and accelerations of a point under composed rigid motions: Ω × r and v, Ω × (Ω × r), 2Ω × v and
//! their sums, with the sup over the interval in place of each factor.
//! Differs: DIFFERS from |ċ| + ωR for every rotation: where all rotation is about one direction u, points count by their
//! distance from that axis, and accelerations along n by |n × u|, so that what spins about the normal, or about its own
//! axis, is not charged for it. The motion that two bodies share is taken out before.
//! Ends because: one pass over the moves of a body.
//! Cost: some hundred multiplications per move.
//! Not promised: sharp bounds for rotations about different axes at once.

use super::motion::{Motion, Stage, StageKind};
use crate::tolerance::{MOTION_ROUNDING_REL, RATE_MARGIN_REL};
use clearance_geometry::{DMat3, DVec3, Pose};

/// What is known of a body's motion over an interval that begins now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Where the body stands now.
    pub(super) pose: Pose,
    /// Where its centre is now, and how it goes on.
    pub(super) center: Course,
    /// Angular velocity now.
    pub(super) spin: DVec3,
    /// Bound on the angular speed.
    pub(super) turn: f64,
    /// Bound on the angular acceleration.
    pub(super) twist: f64,
    /// The unit direction of all rotation, where there is only one.
    pub(super) axis: Option<DVec3>,
}

/// A point of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub(super) place: DVec3,
    pub(super) velocity: DVec3,
    /// Bounds on its speed and acceleration over the interval.
    pub(super) speed: f64,
    pub(super) bend: f64,
}

impl Course {
    const fn still(place: DVec3) -> Self {
        Self { place, velocity: DVec3::ZERO, speed: 0.0, bend: 0.0 }
    }

    /// Moved by a stage of the world.
    fn moved(&self, stage: &Stage, span: f64) -> Self {
        let arm = self.place - stage.pivot;
        let turned = stage.turn * arm;
        let far = self.speed * span + off_axis(arm, stage) + rounding(self.place, stage);
        Self {
            place: turned + stage.pivot + stage.shift,
            velocity: stage.axis.cross(turned) * stage.rate + stage.velocity + stage.turn * self.velocity,
            speed: turning(stage.rate, far) + stage.velocity.length() + self.speed,
            bend: turning(stage.rate * stage.rate, far) + 2.0 * turning(stage.rate, self.speed) + self.bend,
        }
    }
}

/// 0 for what does not turn, however far it is.
fn turning(rate: f64, far: f64) -> f64 {
    if rate == 0.0 { 0.0 } else { rate * far }
}

fn off_axis(arm: DVec3, stage: &Stage) -> f64 {
    stage.axis.cross(arm).length()
}

fn rounding(place: DVec3, stage: &Stage) -> f64 {
    MOTION_ROUNDING_REL * (place.length() + stage.pivot.length())
}

/// A body's motion as it is put together move by move: the origin and the centre of the body are followed.
struct Chain {
    rates: Rates,
    origin: Course,
    /// The centre in the body.
    local: DVec3,
    span: f64,
}

impl Rates {
    /// Bounds over the time from `from` to `from + span`, in which no velocity jumps; `center` is in the body.
    pub(super) fn of(motion: &Motion, center: DVec3, from: f64, span: f64) -> Self {
        let pose = *motion.start();
        let rates = Self {
            pose,
            center: Course::still(pose.apply(center)),
            spin: DVec3::ZERO,
            turn: 0.0,
            twist: 0.0,
            axis: None,
        };
        let mut chain = Chain { rates, origin: Course::still(pose.translation()), local: center, span };
        for stage in motion.stages(from) {
            match stage.kind {
                StageKind::World => chain.in_world(&stage),
                StageKind::OwnOrigin => chain.about_origin(&stage),
                StageKind::Body => chain.in_body(&stage),
            }
        }
        let up = 1.0 + RATE_MARGIN_REL;
        let found = chain.rates;
        let center = Course { speed: found.center.speed * up, bend: found.center.bend * up, ..found.center };
        Self { center, turn: found.turn * up, twist: found.twist * up, ..found }
    }

    /// Velocity now of the point of the body that is at `point` in the world.
    pub(super) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.center.velocity + self.spin.cross(point - self.center.place)
    }
}

impl Chain {
    fn in_world(&mut self, stage: &Stage) {
        self.origin = self.origin.moved(stage, self.span);
        self.rates.center = self.rates.center.moved(stage, self.span);
        self.rates.axis = self.rates.axis.map(|axis| stage.turn * axis);
        self.rates.spin = stage.turn * self.rates.spin;
        let turned = stage.turn * self.rates.pose.rotation();
        self.turned(turned, stage.axis, stage.rate);
    }

    /// Turned about the body's own origin, which goes straight on.
    fn about_origin(&mut self, stage: &Stage) {
        self.origin.velocity += stage.velocity;
        self.origin.speed += stage.velocity.length();
        self.origin.place += stage.shift;
        self.rates.axis = self.rates.axis.map(|axis| stage.turn * axis);
        self.rates.spin = stage.turn * self.rates.spin;
        let turned = stage.turn * self.rates.pose.rotation();
        self.turned(turned, stage.axis, stage.rate);
        self.center_from_origin();
    }

    /// The body is moved before it is placed.
    fn in_body(&mut self, stage: &Stage) {
        let (pose, old) = (self.rates.pose, self.rates);
        let place = |local: DVec3| {
            let inner = Course::still(local).moved(stage, self.span);
            let arm = pose.rotate(inner.place);
            // Two points of the placed body are known; the bound is the better one of both.
            let reach = inner.place.length() + inner.speed * self.span;
            let beside = inner.place.distance(self.local) + inner.speed * self.span;
            let pull = old.turn * old.turn + old.twist;
            let speed = (self.origin.speed + turning(old.turn, reach))
                .min(old.center.speed + turning(old.turn, beside));
            let bend = (self.origin.bend + turning(pull, reach)).min(old.center.bend + turning(pull, beside));
            Course {
                place: self.origin.place + arm,
                velocity: self.origin.velocity + old.spin.cross(arm) + pose.rotate(inner.velocity),
                speed: speed + inner.speed,
                bend: bend + 2.0 * turning(old.turn, inner.speed) + inner.bend,
            }
        };
        let (origin, center) = (place(DVec3::ZERO), place(self.local));
        (self.origin, self.rates.center) = (origin, center);
        let axis = pose.rotate(stage.axis);
        self.turned(pose.rotation() * stage.turn, axis, stage.rate);
    }

    /// Adds a rotation; the orientation is the new one.
    fn turned(&mut self, rotation: DMat3, axis: DVec3, rate: f64) {
        let rates = &mut self.rates;
        if rate > 0.0 {
            let parallel = rates.axis.is_some_and(|known| known.cross(axis) == DVec3::ZERO);
            if rates.turn > 0.0 && !parallel {
                rates.twist += rate * rates.turn;
                rates.axis = None;
            } else {
                rates.axis = Some(axis);
            }
            rates.turn += rate;
            rates.spin += axis * rate;
        }
        rates.pose = Pose::from_matrix(rotation, self.origin.place).unwrap_or(rates.pose);
    }

    /// The centre by what is known of the origin and of the rotation.
    fn center_from_origin(&mut self) {
        let rates = &mut self.rates;
        let arm = rates.pose.rotate(self.local);
        let far = match rates.axis {
            Some(axis) => axis.cross(arm).length() + MOTION_ROUNDING_REL * arm.length(),
            None => arm.length(),
        };
        rates.center = Course {
            place: self.origin.place + arm,
            velocity: self.origin.velocity + rates.spin.cross(arm),
            speed: self.origin.speed + rates.turn * far,
            bend: self.origin.bend + (rates.turn * rates.turn + rates.twist) * far,
        };
    }
}
