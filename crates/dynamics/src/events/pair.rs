//! The events of two bodies of any shape, by the method for what they are.

use super::half_space::half_space_events;
use super::outline_pair::{OutlineMemory, outline_events};
use super::planar::planar_events;
use super::solid::{SolidMemory, followed_events};
use super::union::{PartMemories, part_events};
use super::{EventId, Limits, PairEvents, turned};
use crate::body::{BodySpec, MassOf, RigidBody, Shape};
use crate::error::{DynamicsError, at_least};
use crate::tolerance;
use clearance_geometry::Pose;
use clearance_proximity::ratio::{PlanarTracker, RatioError};

/// What is kept of a pair from step to step: its cost, and which events are let go later.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairMemory {
    solid: SolidMemory,
    planar: PlanarTracker,
    parts: PartMemories,
    outline: Option<Box<OutlineMemory>>,
    /// The events of the last look, sorted.
    pub(crate) known: Vec<EventId>,
}

impl PairMemory {
    /// The events of a pair.
    pub(crate) fn events(
        &mut self,
        [a, b]: [&RigidBody; 2],
        limits: &Limits,
    ) -> Result<PairEvents, RatioError> {
        let known = &self.known;
        let found = match (&a.shape, &b.shape) {
            (Shape::Solid(p), Shape::Solid(q)) => {
                followed_events([p, q], [&a.pose(), &b.pose()], limits, known, &mut self.solid)?
            }
            (Shape::Planar(p), Shape::Planar(q)) => {
                let poses = [a.planar_pose(), b.planar_pose()];
                planar_events(p, q, &poses[0], &poses[1], limits, known, &mut self.planar)?
            }
            (Shape::HalfSpace(p), Shape::Solid(q)) => {
                half_space_events(p, q, &a.pose(), &b.pose(), limits, known)
            }
            (Shape::Solid(p), Shape::HalfSpace(q)) => {
                half_space_events(q, p, &b.pose(), &a.pose(), limits, &turned(known)).swapped()
            }
            (Shape::PlanarCurved(_), _) | (_, Shape::PlanarCurved(_)) => {
                let (Some(p), Some(q)) = (&a.outline, &b.outline) else { return Ok(PairEvents::none()) };
                let (flat, space) = ([a.planar_pose(), b.planar_pose()], [a.pose(), b.pose()]);
                let memory = self.outline.get_or_insert_with(Box::default);
                outline_events([p, q], flat.each_ref(), space.each_ref(), limits, known, memory)
            }
            (Shape::Body(_), _) | (_, Shape::Body(_)) => {
                part_events([&a.parts, &b.parts], [&a.pose(), &b.pose()], limits, known, &mut self.parts)
            }
            _ => PairEvents::none(),
        };
        self.known = found.events.iter().map(|event| event.id).collect();
        Ok(found)
    }
}

/// The events of two bodies that stand at their poses, in the world: those with a gap of at most `margin`, a thousandth of the
/// smaller body's radius unless given.
///
/// # Errors
/// [`DynamicsError::UnsupportedShape`] for kinds that have no events, [`DynamicsError::MixedDimensions`] for a planar body and a
/// solid one, [`DynamicsError::NoInside`] for polytopes and polygons that are flat, [`DynamicsError::OutOfRange`] for a margin
/// below zero.
///
/// ```
/// use clearance_dynamics::{EventKind, Shape, events_between};
/// use clearance_geometry::{DVec3, Polytope, Pose};
/// let cube = Shape::Solid(Polytope::cuboid(DVec3::splat(2.0))?);
/// let above = Pose::from_translation(DVec3::new(0.5, 0.5, 2.01))?;
/// let found = events_between([cube.clone(), cube], [Pose::IDENTITY, above], Some(0.1))?;
/// // One corner of each over a face of the other, and two crossings of their edges.
/// let corners = found.events.iter().filter(|event| event.id.kind == EventKind::CornerFace);
/// assert_eq!((corners.count(), found.events.len()), (2, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn events_between(
    shapes: [Shape; 2],
    poses: [Pose; 2],
    margin: Option<f64>,
) -> Result<PairEvents, DynamicsError> {
    let [a, b] = shapes;
    let body = |shape, pose| RigidBody::new(BodySpec::new(shape, pose, MassOf::Fixed));
    let (a, b) = (body(a, poses[0])?, body(b, poses[1])?);
    if a.is_planar() != b.is_planar() {
        return Err(DynamicsError::MixedDimensions);
    }
    let size = a.radius.min(b.radius);
    let margin =
        margin.map_or(Ok(tolerance::EVENT_MARGIN_REL * size), |margin| at_least("margin", margin, 0.0))?;
    let limits = Limits {
        margin,
        outside: tolerance::EVENT_OUTSIDE_REL * size,
        below: tolerance::EVENT_BELOW_REL * size,
    };
    PairMemory::default().events([&a, &b], &limits).map_err(|_| DynamicsError::NoInside)
}
