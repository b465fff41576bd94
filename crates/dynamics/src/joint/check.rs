//! Which joints can be.

use super::{JointKind, JointSpec};
use crate::error::{DynamicsError, at_least, finite};
use crate::tolerance;
use clearance_geometry::DVec3;
use std::f64::consts::PI;

/// Refuses what no joint has; its axis, where it has one.
pub(super) fn check(spec: &JointSpec, planar: bool) -> Result<Option<DVec3>, DynamicsError> {
    for (field, vector) in [("anchor", spec.anchor), ("axis", spec.axis)] {
        if vector.is_some_and(|vector| !vector.is_finite()) {
            return Err(DynamicsError::NotFinite { field });
        }
    }
    if planar && spec.kind == JointKind::Pivot {
        return Err(bad("kind", "a pivot does not exist in the plane"));
    }
    let axis = axis(spec, planar)?;
    check_limits(spec)?;
    if let Some(motor) = spec.motor {
        finite("motor.velocity", motor.velocity)?;
        at_least("motor.max_force", motor.max_force, 0.0)?;
        match spec.kind {
            JointKind::Fixed => return Err(bad("motor", "a fixed joint leaves nothing to drive")),
            JointKind::Distance if spec.limits.is_none() => {
                return Err(bad("motor", "a distance that is driven needs `limits`; without, it is held"));
            }
            _ => {}
        }
    }
    if let Some(motor) = spec.turn_motor {
        finite("turn_motor.velocity", motor.velocity)?;
        at_least("turn_motor.max_force", motor.max_force, 0.0)?;
    }
    let of_pivot = [("turn_limits", spec.turn_limits.is_some()), ("turn_motor", spec.turn_motor.is_some())];
    for (field, given) in of_pivot {
        if given && spec.kind != JointKind::Pivot {
            return Err(bad(field, "it belongs to a pivot; other joints have `limits` and `motor`"));
        }
    }
    Ok(axis)
}

/// The axis of a joint that has one; what needs one and has none, or none that it can use, is refused.
fn axis(spec: &JointSpec, planar: bool) -> Result<Option<DVec3>, DynamicsError> {
    let of_ball = spec.kind == JointKind::Ball && (spec.limits.is_some() || spec.motor.is_some());
    let (hinge, slides) =
        (spec.kind == JointKind::Hinge, matches!(spec.kind, JointKind::Slider | JointKind::Pivot));
    let Some(axis) = spec.axis else {
        return match (hinge && planar, of_ball || hinge || slides) {
            (true, _) => Ok(Some(DVec3::Z)),
            (false, true) => Err(bad("axis", "it needs an `axis`")),
            (false, false) => Ok(None),
        };
    };
    let Some(axis) = axis.try_normalize() else {
        return if of_ball || hinge || slides {
            Err(bad("axis", "its axis has no direction"))
        } else {
            Ok(None)
        };
    };
    let flat = axis.z.abs() <= tolerance::JOINT_REL;
    let upright = axis.x.hypot(axis.y) <= tolerance::JOINT_REL;
    if planar && hinge && !upright {
        return Err(bad("axis", "in the plane a hinge turns about the plane's normal: it takes no `axis`"));
    }
    if planar && slides && !flat {
        return Err(bad("axis", "in the plane a slider's axis lies in it"));
    }
    // About an axis in the plane nothing turns; about the normal nothing swings.
    let swings = planar && spec.kind == JointKind::Ball;
    if swings && ((spec.limits.is_some() && !flat) || (spec.motor.is_some() && !upright)) {
        return Err(bad("axis", "in the plane a ball's limits need an axis in it; a hinge takes a motor"));
    }
    Ok(Some(axis))
}

fn check_limits(spec: &JointSpec) -> Result<(), DynamicsError> {
    for (field, limits) in [("limits", spec.limits), ("turn_limits", spec.turn_limits)] {
        let Some([low, high]) = limits else { continue };
        finite(field, low)?;
        finite(field, high)?;
        if low > high {
            return Err(bad(field, "its limits are crossed"));
        }
    }
    let Some([low, high]) = spec.limits else { return Ok(()) };
    match spec.kind {
        JointKind::Fixed => Err(bad("limits", "a fixed joint leaves nothing to limit")),
        JointKind::Distance if low < 0.0 => Err(bad("limits", "a distance is never negative")),
        JointKind::Ball if low < 0.0 || high > PI || high <= 0.0 => {
            Err(bad("limits", "a ball's axis swings by 0 to 180 degrees, and by more than 0 at most"))
        }
        _ => Ok(()),
    }
}

pub(super) const fn bad(field: &'static str, reason: &'static str) -> DynamicsError {
    DynamicsError::BadJoint { field, reason }
}
