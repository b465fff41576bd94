//! How a body of a scene moves: pose(t) = M_n ∘ … ∘ M_1 ∘ pose(0).

use crate::angle::rotation;
use crate::fields::At;
use crate::keyframes::{self, Keyframes};
use crate::pose::unit;
use crate::{AnyPose, Context, Error, ErrorKind, Value};
use clearance_geometry::{DVec2, DVec3, PlanarPose, Pose};
use clearance_proximity::impact::Move;

/// One motion of a body, in world axes unless `frame = "body"`.
///
/// A steady velocity turns the body about its own origin, wherever earlier motions have brought it.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    law: Law,
    in_body: bool,
}

/// Lengths per second and degrees per second.
#[derive(Clone, Debug, PartialEq)]
enum Law {
    Steady { velocity: DVec3, degrees: DVec3 },
    Spin { axis: DVec3, pivot: DVec3, degrees: f64 },
    PlanarSteady { velocity: DVec2, degrees: f64 },
    PlanarSpin { pivot: DVec2, degrees: f64 },
    Keyframes(Keyframes),
}

impl Motion {
    /// Reads one motion table.
    pub(crate) fn parse(at: At<'_>, planar: bool, context: &Context) -> Result<Self, Error> {
        at.check_keys(&["velocity", "angular_velocity", "spin", "keyframes", "frame"])?;
        let steady = at.get("velocity").is_some() || at.get("angular_velocity").is_some();
        let laws = [steady, at.get("spin").is_some(), at.get("keyframes").is_some()];
        if laws.iter().filter(|given| **given).count() != 1 {
            let reason = "a motion is `velocity` with `angular_velocity`, or `spin`, or `keyframes`";
            return Err(at.error(ErrorKind::BadValue { reason: reason.to_owned() }));
        }
        let in_body = match at.get("frame") {
            None => false,
            Some(field) => match field.text()? {
                "world" => false,
                "body" => true,
                other => {
                    let reason = format!("the frame is `world` or `body`, not `{other}`");
                    return Err(field.error(ErrorKind::BadValue { reason }));
                }
            },
        };
        let law = if let Some(spin) = at.get("spin") {
            spin_law(&spin, planar, context)?
        } else if let Some(file) = at.get("keyframes") {
            Law::Keyframes(keyframes::read(&file, planar, context)?)
        } else {
            steady_law(&at, planar, context)?
        };
        Ok(Self { law, in_body })
    }

    /// Reads one motion such as `{"velocity": [1, 0, 0]}` from JSON text.
    ///
    /// # Errors
    /// `bad_value` on none or several laws, `bad_json`, and what any object can have wrong.
    pub fn from_json(text: &str, planar: bool, context: &Context) -> Result<Self, Error> {
        Self::parse(At::root(&Value::from_json(text)?, ""), planar, context)
    }

    /// The same motion as the kernel for first contacts has it; planar ones in the plane z = 0.
    pub(crate) fn to_move(&self) -> Result<Move, Error> {
        let found = match &self.law {
            Law::Steady { velocity, degrees } => Move::steady(*velocity, degrees.map(f64::to_radians))?,
            Law::Spin { axis, pivot, degrees } => Move::spin(*axis, *pivot, degrees.to_radians())?,
            Law::PlanarSteady { velocity, degrees } => {
                Move::steady(velocity.extend(0.0), DVec3::Z * degrees.to_radians())?
            }
            Law::PlanarSpin { pivot, degrees } => {
                Move::spin(DVec3::Z, pivot.extend(0.0), degrees.to_radians())?
            }
            Law::Keyframes(keyframes) => Move::keyframes(&keyframes.poses()?)?,
        };
        Ok(if self.in_body { found.in_body() } else { found })
    }

    /// The pose at time `t` of a body that earlier motions have brought to `pose` at that time.
    ///
    /// # Errors
    /// `not_finite` when the numbers outgrow double precision, `dimension_mismatch` when the pose is of
    /// the other dimension.
    pub fn apply(&self, pose: &AnyPose, t: f64) -> Result<AnyPose, Error> {
        match pose {
            AnyPose::Solid(pose) => self.apply_solid(pose, t).map(AnyPose::Solid),
            AnyPose::Planar(pose) => self.apply_planar(pose, t).map(AnyPose::Planar),
        }
    }

    fn apply_solid(&self, pose: &Pose, t: f64) -> Result<Pose, Error> {
        let map = match &self.law {
            Law::Steady { velocity, degrees } => {
                let speed = degrees.length();
                let turn = if speed > 0.0 {
                    rotation(*degrees / speed, speed * t)
                } else {
                    Pose::IDENTITY.rotation()
                };
                if !self.in_body {
                    let moved = pose.translation() + *velocity * t;
                    return Ok(Pose::from_matrix(turn * pose.rotation(), moved)?);
                }
                Pose::from_matrix(turn, *velocity * t)?
            }
            Law::Spin { axis, pivot, degrees } => {
                let turn = rotation(*axis, degrees * t);
                Pose::from_matrix(turn, *pivot - turn * *pivot)?
            }
            Law::Keyframes(keyframes) => keyframes.solid_at(t)?,
            Law::PlanarSteady { .. } | Law::PlanarSpin { .. } => return Err(other_dimension()),
        };
        Ok(if self.in_body { *pose * map } else { map * *pose })
    }

    fn apply_planar(&self, pose: &PlanarPose, t: f64) -> Result<PlanarPose, Error> {
        let map = match &self.law {
            Law::PlanarSteady { velocity, degrees } => {
                let turn = PlanarPose::from_degrees(degrees * t, DVec2::ZERO)?;
                if !self.in_body {
                    let turned = turn * pose.with_translation(DVec2::ZERO);
                    return finite(turned.with_translation(pose.translation() + *velocity * t));
                }
                turn.with_translation(*velocity * t)
            }
            Law::PlanarSpin { pivot, degrees } => {
                let turn = PlanarPose::from_degrees(degrees * t, DVec2::ZERO)?;
                turn.with_translation(*pivot - turn.rotate(*pivot))
            }
            Law::Keyframes(keyframes) => keyframes.planar_at(t)?,
            Law::Steady { .. } | Law::Spin { .. } => return Err(other_dimension()),
        };
        finite(if self.in_body { *pose * map } else { map * *pose })
    }
}

fn finite(pose: PlanarPose) -> Result<PlanarPose, Error> {
    Ok(PlanarPose::from_cos_sin(pose.cos(), pose.sin(), pose.translation())?)
}

/// The error of a planar motion on a solid body or the reverse.
pub(crate) fn other_dimension() -> Error {
    let reason = "the motion and the body differ in dimension".to_owned();
    ErrorKind::DimensionMismatch { reason }.into()
}

fn steady_law(at: &At<'_>, planar: bool, context: &Context) -> Result<Law, Error> {
    let scale = context.scale();
    let (velocity, angular) = (at.get("velocity"), at.get("angular_velocity"));
    if planar {
        return Ok(Law::PlanarSteady {
            velocity: velocity.map_or(Ok([0.0; 2]), |field| field.vector())?.map(|v| scale.apply(v)).into(),
            degrees: angular.map_or(Ok(0.0), |field| field.number())?,
        });
    }
    Ok(Law::Steady {
        velocity: velocity.map_or(Ok([0.0; 3]), |field| field.vector())?.map(|v| scale.apply(v)).into(),
        degrees: angular.map_or(Ok([0.0; 3]), |field| field.vector())?.into(),
    })
}

fn spin_law(at: &At<'_>, planar: bool, context: &Context) -> Result<Law, Error> {
    let degrees = |at: &At<'_>| at.need("degrees_per_second")?.number();
    if planar {
        at.check_keys(&["pivot", "degrees_per_second"])?;
        let pivot = at.get("pivot").map_or(Ok([0.0; 2]), |field| field.vector())?;
        return Ok(Law::PlanarSpin { pivot: context.scale().apply_all(pivot).into(), degrees: degrees(at)? });
    }
    at.check_keys(&["axis", "pivot", "degrees_per_second"])?;
    let field = at.need("axis")?;
    let axis = unit(&field, DVec3::from_array(field.vector()?))?;
    let pivot = at.get("pivot").map_or(Ok([0.0; 3]), |field| field.vector())?;
    Ok(Law::Spin { axis, pivot: context.scale().apply_all(pivot).into(), degrees: degrees(at)? })
}
