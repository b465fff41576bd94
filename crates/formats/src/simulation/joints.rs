//! The `[[joint]]` tables of a scene.

use super::{narrowed, vector};
use crate::fields::At;
use crate::scene::Names;
use crate::{Error, ErrorKind};
use clearance_dynamics::tolerance::BEND_TURN_RAD;
use clearance_dynamics::{JointKind, JointSpec, Motor, World};

const JOINT_KEYS: [&str; 9] =
    ["kind", "a", "b", "anchor", "axis", "limits", "motor", "turn_limits", "turn_motor"];

const JOINT_KINDS: [JointKind; 6] = [
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Fixed,
    JointKind::Slider,
    JointKind::Pivot,
    JointKind::Distance,
];

/// What files call a kind of joint.
pub(crate) const fn joint_word(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Ball => "ball",
        JointKind::Hinge => "hinge",
        JointKind::Fixed => "fixed",
        JointKind::Slider => "slider",
        JointKind::Pivot => "pivot",
        JointKind::Distance => "distance",
    }
}

/// Refuses keys that no joint has.
pub(super) fn check_keys(joints: &At<'_>) -> Result<(), Error> {
    joints.items()?.iter().try_for_each(|joint| joint.check_keys(&JOINT_KEYS))
}

/// Adds the joints of a scene to its world; what is doubtful about them.
pub(super) fn add(
    world: &mut World,
    joints: &At<'_>,
    names: &Names<'_>,
    planar: bool,
) -> Result<Vec<String>, Error> {
    let mut warnings = Vec::new();
    for joint in joints.items()? {
        let spec = spec(&joint, names, planar)?;
        world.add_joint(&spec).map_err(|error| narrowed(&joint, error))?;
        let turning = match spec.kind {
            JointKind::Hinge | JointKind::Ball => spec.motor,
            _ => spec.turn_motor,
        };
        let turn = turning.map_or(0.0, |motor| motor.velocity.abs() * world.settings().step);
        if turn > BEND_TURN_RAD {
            let (path, turn) = (joint.path(), turn.to_degrees());
            warnings.push(format!(
                "the motor of `{path}` turns by {turn:.0} degrees in a step, which joints in a heap do not hold; take a smaller `step`"
            ));
        }
    }
    Ok(warnings)
}

/// Says which joints start outside their limits.
pub(super) fn warnings(started: &World) -> Vec<String> {
    let said = |(joint, outside, is_angle): (usize, f64, bool)| {
        let (outside, unit) = if is_angle { (outside.to_degrees(), " degrees") } else { (outside, "") };
        format!("`joint[{joint}]` starts {outside:e}{unit} outside its limits; it is led to them")
    };
    started.strayed_joints().map(said).collect()
}

fn spec(at: &At<'_>, names: &Names<'_>, planar: bool) -> Result<JointSpec, Error> {
    let field = at.need("kind")?;
    let text = field.text()?;
    let Some(kind) = JOINT_KINDS.into_iter().find(|kind| joint_word(*kind) == text) else {
        let known = JOINT_KINDS.map(joint_word).join(", ");
        let reason = format!("unknown kind of joint `{text}`; kinds are {known}");
        return Err(field.error(ErrorKind::BadValue { reason }));
    };
    let end = |key: &str| -> Result<Option<usize>, Error> {
        let field = at.need(key)?;
        if field.text()? == "world" { Ok(None) } else { names.body(&field).map(Some) }
    };
    let place = |key: &str| at.get(key).map(|field| vector(&field, planar)).transpose();
    // Angles are degrees in files.
    let unit = if matches!(kind, JointKind::Hinge | JointKind::Ball) { 1_f64.to_radians() } else { 1.0 };
    Ok(JointSpec {
        kind,
        bodies: [end("a")?, end("b")?],
        anchor: place("anchor")?,
        axis: place("axis")?,
        limits: limits(at, "limits", unit)?,
        motor: motor(at, "motor", unit)?,
        turn_limits: limits(at, "turn_limits", 1_f64.to_radians())?,
        turn_motor: motor(at, "turn_motor", 1_f64.to_radians())?,
    })
}

fn limits(at: &At<'_>, key: &str, unit: f64) -> Result<Option<[f64; 2]>, Error> {
    let limits = at.get(key).map(|field| field.vector::<2>()).transpose()?;
    Ok(limits.map(|limits| limits.map(|limit| limit * unit)))
}

fn motor(at: &At<'_>, key: &str, unit: f64) -> Result<Option<Motor>, Error> {
    let Some(field) = at.get(key) else { return Ok(None) };
    field.check_keys(&["velocity", "max_force"])?;
    let velocity = field.need("velocity")?.number()? * unit;
    Ok(Some(Motor { velocity, max_force: field.need("max_force")?.number()? }))
}
