//! What a body, a pair or the settings may have: bodies that no step could be made with are refused at the door.

use crate::body::{BodySpec, MassOf, Shape};
use crate::error::{DynamicsError, up_to};
use crate::islands::Island;
use crate::settings::Settings;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::{DMat3, DVec3};

/// The largest coefficient of Coulomb's law that solvers cope with. Measured on boxes and cylinders that slide, drop and stand, and
/// on three heaps of twelve boxes, in steps of 0.01 with every solver: up to 10 no overlap is deeper than 7 % of a box and nothing
/// gives way; at 40 a heap sinks into itself by half a box or is torn apart; at 10⁵ a box alone sinks in.
pub const MOST_FRICTION: f64 = 10.0;

/// Refuses friction that no solver can resolve.
pub(crate) fn check_friction(field: &'static str, friction: f64) -> Result<f64, DynamicsError> {
    up_to(field, friction, MOST_FRICTION, "from 0 to 10")
}

/// Refuses bounces that make energy.
pub(crate) fn check_restitution(restitution: f64) -> Result<f64, DynamicsError> {
    up_to("restitution", restitution, 1.0, "from 0 to 1")
}

/// Refuses what no body has.
pub(crate) fn check_body(spec: &BodySpec) -> Result<(), DynamicsError> {
    spec.friction.map_or(Ok(0.0), |friction| check_friction("friction", friction))?;
    spec.restitution.map_or(Ok(0.0), check_restitution)?;
    match (spec.mass, &spec.shape) {
        (MassOf::Given { .. }, Shape::Planar(_) | Shape::PlanarCurved(_) | Shape::HalfSpace(_)) => Ok(()),
        (MassOf::Given { inertia, .. }, _) if inertia.is_finite() && !is_inertia(inertia) => {
            Err(DynamicsError::NoInertia)
        }
        _ => Ok(()),
    }
}

/// Whether an inertia is that of some mass, which has no negative square of its extent along any direction.
fn is_inertia(inertia: DMat3) -> bool {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    // Half the trace less the inertia is the matrix of these squares; a little is added for what is flat, in rounded numbers.
    let slack = DVec3::splat(trace * (0.5 + tolerance::INERTIA_REL));
    let extents = DMat3::from_diagonal(slack) - inertia;
    let at = |i: usize, j: usize| extents.col(j)[i];
    // No direction has a negative one where no principal minor is.
    let minors = |i: usize, j: usize| at(i, i) >= 0.0 && at(i, i) * at(j, j) >= at(i, j) * at(j, i);
    minors(0, 1) && minors(1, 2) && minors(2, 0) && extents.determinant() >= 0.0
}

impl World {
    /// Refuses groups that are too large for the solver that was asked for.
    pub(crate) fn check_sizes(&self, islands: &[Island]) -> Result<(), DynamicsError> {
        let Settings { solver, cone, .. } = self.settings;
        let check = |island: &Island| {
            solver.check_size(cone, self.is_planar(), island.contacts.len(), island.rows.len())
        };
        islands.iter().try_for_each(check)
    }
}

#[cfg(test)]
mod tests {
    use super::is_inertia;
    use clearance_geometry::{DMat3, DQuat, DVec3};

    #[test]
    fn moments_obey_the_triangle_inequality_in_any_axes() {
        let cases = [
            ([1.0, 1.0, 1.0], true),
            ([1.0, 1.0, 2.0], true),
            ([0.0833, 0.0833, 0.1667], true),
            ([1.0, 1.0, 2.1], false),
            ([1.0, 1.0, 10.0], false),
            ([5.0, 1.0, 1.0], false),
        ];
        for (moments, sound) in cases {
            for turn in [DQuat::IDENTITY, DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7))] {
                let turn = DMat3::from_quat(turn);
                let inertia = turn * DMat3::from_diagonal(DVec3::from_array(moments)) * turn.transpose();
                assert_eq!(is_inertia(inertia), sound, "{moments:?}");
            }
        }
    }
}
