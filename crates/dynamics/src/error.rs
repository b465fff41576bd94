//! What can be wrong with a simulation.

use thiserror::Error;

/// Why a body, a joint or a setting is refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// A number is NaN or infinite.
    #[error("`{field}` is not finite")]
    NotFinite {
        /// Which.
        field: &'static str,
    },
    /// A number that must be positive, not negative, or not too large, is not.
    #[error("`{field}` is {value}; it must be {wanted}")]
    OutOfRange {
        /// Which.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// A body that moves has no mass, or an inertia that no body has.
    #[error("a body that moves needs a mass and an inertia that are positive")]
    NoMass,
    /// An inertia that no body has.
    #[error("no body has this inertia: none of its three principal moments exceeds the sum of the other two")]
    NoInertia,
    /// A body that moves has no inside: a point, a segment, a half-space.
    #[error("this shape cannot move: it has no inside or no bounds")]
    CannotMove,
    /// An open surface moves by a density.
    #[error("an open surface has no volume: it needs a `mass` and an `inertia` of its own to move")]
    OpenShell,
    /// A kind of body that has no events.
    #[error("{kind} as a shape in a simulation is not supported")]
    UnsupportedShape {
        /// What it was made as.
        kind: clearance_geometry::Kind,
    },
    /// A polytope or a polygon that is flat has no centre to grow from.
    #[error("a flat body has no inside")]
    NoInside,
    /// Planar and solid bodies in one world.
    #[error("planar and solid bodies cannot share a world")]
    MixedDimensions,
    /// A joint names a body that is not there, or the same body twice, or no body that moves.
    #[error("a joint needs two different bodies, one of them moving")]
    BadJointBodies,
    /// A joint's axis or distance has no direction, its limits are crossed, or it has no meaning in the plane.
    #[error("the joint cannot be made: {reason}")]
    BadJoint {
        /// What of it.
        field: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// No solver has this name.
    #[error("no solver is called `{name}`; there are {}", crate::SolverChoice::names())]
    UnknownSolver {
        /// The name.
        name: String,
    },
    /// A solver that cannot do what is asked of it.
    #[error("the solver `{name}` cannot be used: {reason}")]
    SolverCannot {
        /// What it is called.
        name: &'static str,
        /// Why.
        reason: String,
    },
    /// The step drove the numbers out of double precision; the world is as it was before.
    #[error("the step of body {body} is not finite")]
    Diverged {
        /// The body.
        body: usize,
    },
}

impl DynamicsError {
    /// The field of a setting, a body or a joint that is at fault, where it is one; `motor.max_force` is a field of a field.
    pub const fn field(&self) -> Option<&'static str> {
        match self {
            Self::NotFinite { field } | Self::OutOfRange { field, .. } | Self::BadJoint { field, .. } => {
                Some(field)
            }
            Self::NoMass | Self::NoInertia => Some("inertia"),
            Self::SolverCannot { .. } | Self::UnknownSolver { .. } => Some("solver"),
            _ => None,
        }
    }
}

/// Refuses what is not finite.
pub(crate) fn finite(field: &'static str, value: f64) -> Result<f64, DynamicsError> {
    if value.is_finite() { Ok(value) } else { Err(DynamicsError::NotFinite { field }) }
}

/// Refuses what is not finite and at least `low`, which is 0.
pub(crate) fn at_least(field: &'static str, value: f64, low: f64) -> Result<f64, DynamicsError> {
    finite(field, value)?;
    if value >= low {
        Ok(value)
    } else {
        Err(DynamicsError::OutOfRange { field, value, wanted: "at least 0" })
    }
}

/// Refuses what is not finite or not between 0 and `most`.
pub(crate) fn up_to(
    field: &'static str,
    value: f64,
    most: f64,
    wanted: &'static str,
) -> Result<f64, DynamicsError> {
    finite(field, value)?;
    if (0.0..=most).contains(&value) {
        Ok(value)
    } else {
        Err(DynamicsError::OutOfRange { field, value, wanted })
    }
}
