//! How a body moves: pose(t) = M_n ∘ … ∘ M_1 ∘ pose(0), each M steady, a spin, or keyframes.

use super::rates::Rates;
use crate::QueryError;
use crate::tolerance::{MOTION_ROUNDING_REL, UNIT_INPUT_REL};
use clearance_geometry::{DMat3, DQuat, DVec3, Pose};

/// The motion of one body; times are seconds, or whatever unit the rates are per.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// use clearance_proximity::impact::{Motion, Move};
/// // A wheel that turns about its own axis while its cart drives on.
/// let turn = Move::spin(DVec3::Y, DVec3::new(0.0, 0.0, 0.5), 2.0)?;
/// let drive = Move::steady(DVec3::X, DVec3::ZERO)?;
/// let wheel = Motion::new(Pose::from_translation(DVec3::new(0.0, 0.0, 0.5))?, vec![turn, drive]);
/// assert!((wheel.pose(3.0)?.translation() - DVec3::new(3.0, 0.0, 0.5)).length() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    start: Pose,
    moves: Vec<Move>,
}

/// One motion, in world axes unless it is taken in the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    law: Law,
    in_body: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Law {
    /// Turns about the body's own origin, wherever earlier motions have brought it.
    Steady {
        velocity: DVec3,
        axis: DVec3,
        rate: f64,
    },
    Spin {
        axis: DVec3,
        pivot: DVec3,
        rate: f64,
    },
    Keyframes(Vec<Keyframe>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Keyframe {
    time: f64,
    place: DVec3,
    turn: DQuat,
}

/// A move at a moment: x ↦ `turn` (x − `pivot`) + `pivot` + `shift`, and how it goes on until the next knot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) turn: DMat3,
    pub(super) pivot: DVec3,
    pub(super) shift: DVec3,
    /// How fast `shift` changes.
    pub(super) velocity: DVec3,
    /// Unit axis that it turns about, and how fast; not negative.
    pub(super) axis: DVec3,
    pub(super) rate: f64,
    /// How far it has turned.
    angle: f64,
    pub(super) kind: StageKind,
}

/// What a stage acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageKind {
    /// The body where it stands, in the world.
    World,
    /// As in the world, but about the body's own origin.
    OwnOrigin,
    /// The body before it is placed.
    Body,
}

impl Move {
    /// A velocity, and an angular velocity in radians about the body's own origin.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for a number that is not finite.
    pub fn steady(velocity: DVec3, angular: DVec3) -> Result<Self, QueryError> {
        QueryError::demand(velocity.is_finite(), "velocity")?;
        let rate = angular.length();
        QueryError::demand(rate.is_finite(), "angular")?;
        let axis = if rate > 0.0 { angular / rate } else { DVec3::Z };
        Ok(Self { law: Law::Steady { velocity, axis, rate }, in_body: false })
    }

    /// A rotation by `rate` radians per unit of time about an axis through `pivot`.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for a number that is not finite, or an axis that is not of unit length.
    pub fn spin(axis: DVec3, pivot: DVec3, rate: f64) -> Result<Self, QueryError> {
        let length = axis.length();
        QueryError::demand((length - 1.0).abs() <= UNIT_INPUT_REL, "axis")?;
        QueryError::demand(pivot.is_finite(), "pivot")?;
        QueryError::demand(rate.is_finite(), "rate")?;
        let axis = axis / length;
        let (axis, rate) = if rate < 0.0 { (-axis, -rate) } else { (axis, rate) };
        Ok(Self { law: Law::Spin { axis, pivot, rate }, in_body: false })
    }

    /// Poses at increasing times: along straight lines and shortest arcs between them, held outside.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for no frames, and times that do not increase.
    pub fn keyframes(frames: &[(f64, Pose)]) -> Result<Self, QueryError> {
        let increase = frames.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let finite = frames.iter().all(|(time, _)| time.is_finite());
        QueryError::demand(!frames.is_empty() && increase && finite, "keyframes")?;
        let frame = |(time, pose): &(f64, Pose)| Keyframe {
            time: *time,
            place: pose.translation(),
            turn: pose.quaternion(),
        };
        Ok(Self { law: Law::Keyframes(frames.iter().map(frame).collect()), in_body: false })
    }

    /// The same with axis, pivot and velocity in the frame of the body.
    #[must_use]
    pub fn in_body(self) -> Self {
        Self { in_body: true, ..self }
    }

    /// Whether it acts on two bodies as one rigid motion of the world.
    fn is_common(&self) -> bool {
        !self.in_body && !matches!(self.law, Law::Steady { rate, .. } if rate > 0.0)
    }

    fn stage(&self, t: f64) -> Stage {
        let kind = if self.in_body { StageKind::Body } else { StageKind::World };
        let stage = |axis: DVec3, rate: f64, angle: f64, turn: DMat3| Stage {
            turn,
            pivot: DVec3::ZERO,
            shift: DVec3::ZERO,
            velocity: DVec3::ZERO,
            axis,
            rate,
            angle,
            kind,
        };
        match &self.law {
            Law::Steady { velocity, axis, rate } => {
                let turned = stage(*axis, *rate, rate * t, rotation(*axis, rate * t));
                let kind = if self.in_body || *rate == 0.0 { kind } else { StageKind::OwnOrigin };
                Stage { shift: *velocity * t, velocity: *velocity, kind, ..turned }
            }
            Law::Spin { axis, pivot, rate } => {
                Stage { pivot: *pivot, ..stage(*axis, *rate, rate * t, rotation(*axis, rate * t)) }
            }
            Law::Keyframes(frames) => {
                let after = frames.partition_point(|frame| frame.time <= t);
                let from = frames[after.saturating_sub(1)];
                let to = if after == 0 { from } else { frames[after.min(frames.len() - 1)] };
                let duration = to.time - from.time;
                let start = DMat3::from_quat(from.turn);
                if duration <= 0.0 {
                    return Stage { shift: from.place, ..stage(DVec3::Z, 0.0, 0.0, start) };
                }
                let (axis, angle) = arc(from.turn, to.turn);
                let part = (t - from.time) / duration;
                let turned = stage(axis, angle / duration, angle, rotation(axis, angle * part) * start);
                let velocity = (to.place - from.place) / duration;
                Stage { shift: from.place.lerp(to.place, part), velocity, ..turned }
            }
        }
    }

    fn next_knot(&self, t: f64) -> f64 {
        let Law::Keyframes(frames) = &self.law else { return f64::INFINITY };
        let after = frames.partition_point(|frame| frame.time <= t);
        frames.get(after).map_or(f64::INFINITY, |frame| frame.time)
    }
}

impl Stage {
    fn apply(&self, pose: &Pose) -> Option<Pose> {
        let map = |at: DVec3| self.turn * (at - self.pivot) + self.pivot + self.shift;
        match self.kind {
            StageKind::World => Pose::from_matrix(self.turn * pose.rotation(), map(pose.translation())).ok(),
            StageKind::OwnOrigin => {
                Pose::from_matrix(self.turn * pose.rotation(), pose.translation() + self.shift).ok()
            }
            StageKind::Body => {
                Pose::from_matrix(pose.rotation() * self.turn, pose.apply(map(DVec3::ZERO))).ok()
            }
        }
    }
}

impl Motion {
    /// A body that starts at `start` and makes all moves at once, the first of them innermost.
    pub const fn new(start: Pose, moves: Vec<Move>) -> Self {
        Self { start, moves }
    }

    /// A body that stands still.
    pub const fn still(pose: Pose) -> Self {
        Self::new(pose, Vec::new())
    }

    /// Where it stands at time 0, before its moves.
    pub const fn start(&self) -> &Pose {
        &self.start
    }

    /// Where the body stands at time `t`.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] where the numbers outgrow double precision.
    pub fn pose(&self, t: f64) -> Result<Pose, QueryError> {
        let moved = |pose: Option<Pose>, stage: Stage| stage.apply(&pose?);
        let pose = self.stages(t).fold(Some(self.start), moved);
        pose.ok_or(QueryError::BadArgument { field: "motion" })
    }

    /// The velocity of the body's origin at time `t`, and its angular velocity in radians; in the world. Where a velocity jumps,
    /// that of the time after.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Pose};
    /// use clearance_proximity::impact::{Motion, Move};
    /// let spin = Move::spin(DVec3::Z, DVec3::ZERO, 2.0)?;
    /// let [velocity, angular] = Motion::new(Pose::from_translation(DVec3::X)?, vec![spin]).velocities(0.0);
    /// assert_eq!((velocity, angular), (DVec3::Y * 2.0, DVec3::Z * 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn velocities(&self, t: f64) -> [DVec3; 2] {
        let rates = Rates::of(self, DVec3::ZERO, t, 0.0);
        [rates.center.velocity, rates.spin]
    }

    /// The moves at a moment.
    pub(super) fn stages(&self, t: f64) -> impl Iterator<Item = Stage> {
        self.moves.iter().map(move |step| step.stage(t))
    }

    /// The next time after `t` at which a velocity jumps.
    pub(super) fn next_knot(&self, t: f64) -> f64 {
        self.moves.iter().map(|step| step.next_knot(t)).fold(f64::INFINITY, f64::min)
    }

    /// What a computed place at time `t` of a point within `reach` of the body's origin may be off; a length.
    pub(super) fn rounding(&self, t: f64, reach: f64) -> f64 {
        let size = |stage: &Stage| 2.0 * stage.pivot.length() + stage.shift.length();
        let angles: f64 = self.stages(t).map(|stage| stage.angle.abs()).sum();
        let sizes: f64 = self.stages(t).map(|stage| size(&stage)).sum();
        let all = (self.start.translation().length() + sizes + reach) * (self.moves.len() + 1) as f64;
        // An angle is off by its own rounding, which moves points by that times their distance from the axis.
        MOTION_ROUNDING_REL * all * (1.0 + angles)
    }

    /// Two motions without the outermost moves that they have in common: those carry both bodies as one.
    pub(super) fn apart(a: &Self, b: &Self) -> [Self; 2] {
        let (mut a, mut b) = (a.clone(), b.clone());
        while let (Some(of_a), Some(of_b)) = (a.moves.last(), b.moves.last())
            && of_a == of_b
            && of_a.is_common()
        {
            a.moves.pop();
            b.moves.pop();
        }
        [a, b]
    }
}

/// The rotation a `part` of the way along the shorter arc from one to another, at a steady rate.
///
/// ```
/// use clearance_geometry::{DQuat, DVec3};
/// use clearance_proximity::impact::shortest_arc;
/// let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
/// let turned = shortest_arc(DQuat::IDENTITY, quarter, 0.5) * DVec3::X;
/// assert!((turned.x - turned.y).abs() < 1e-15);
/// ```
pub fn shortest_arc(from: DQuat, to: DQuat, part: f64) -> DMat3 {
    let (axis, angle) = arc(from, to);
    rotation(axis, angle * part) * DMat3::from_quat(from)
}

/// Unit axis and angle, in [0, π], of the rotation from one orientation to another.
fn arc(from: DQuat, to: DQuat) -> (DVec3, f64) {
    let between = to * from.conjugate();
    let between = if between.w < 0.0 { -between } else { between };
    let across = between.xyz();
    let sine = across.length();
    if sine > 0.0 { (across / sine, 2.0 * sine.atan2(between.w)) } else { (DVec3::Z, 0.0) }
}

/// Rodrigues' formula.
fn rotation(axis: DVec3, angle: f64) -> DMat3 {
    if angle == 0.0 {
        return DMat3::IDENTITY;
    }
    DMat3::from_axis_angle(axis, angle)
}
