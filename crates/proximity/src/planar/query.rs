//! Planar questions asked once: distance, a margin, a point, a ray.

use super::{PlanarProximity, Tracker};
use crate::query::{check_ray, clip_ray};
use crate::{Closer, Place, QueryError};
use clearance_geometry::{DVec2, Feature, PlanarEdge, PlanarPose, Polygon, Tolerance};

/// Distance, witnesses, normal and features of B at `pose_ab` in the frame of A; minus the exact
/// penetration depth when they overlap.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::{State, planar};
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// let apart = planar::distance(&square, &square, &PlanarPose::from_translation(DVec2::new(5.0, 0.5))?);
/// assert_eq!((apart.state, apart.distance), (State::Separated, 3.0));
/// let deep = planar::distance(&square, &square, &PlanarPose::from_translation(DVec2::new(1.75, 0.5))?);
/// assert_eq!((deep.state, deep.signed_distance), (State::Penetrating, -0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose) -> PlanarProximity {
    Tracker::new().update(a, b, pose_ab)
}

/// [`distance`] for a slice of poses, each tracked from the one before.
pub fn distances(a: &Polygon, b: &Polygon, poses_ab: &[PlanarPose]) -> Vec<PlanarProximity> {
    let mut tracker = Tracker::new();
    poses_ab.iter().map(|pose_ab| tracker.update(a, b, pose_ab)).collect()
}

/// Whether B at `pose_ab` is closer to A than `margin`; see [`Tracker::closer_than`].
///
/// # Errors
/// As [`Tracker::closer_than`].
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// let square = Polygon::rectangle(DVec2::ONE)?;
/// let pose_ab = PlanarPose::from_translation(DVec2::new(3.0, 0.0))?;
/// let near = clearance_proximity::planar::closer_than(&square, &square, &pose_ab, 0.5)?;
/// assert!(!near.closer && near.lower > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closer_than(
    a: &Polygon,
    b: &Polygon,
    pose_ab: &PlanarPose,
    margin: f64,
) -> Result<Closer, QueryError> {
    Tracker::new().closer_than(a, b, pose_ab, margin)
}

/// Where `point`, in the body's frame, stands. A point or a segment has only boundary.
///
/// # Errors
/// [`QueryError::BadArgument`] for a point that is not finite.
pub fn locate_point(body: &Polygon, point: DVec2) -> Result<Place, QueryError> {
    QueryError::demand(point.is_finite(), "point")?;
    let local = point - body.anchor();
    let touch = Tolerance::for_size(body.reach() + local.abs().max_element()).length();
    if body.dimension() < 2 {
        let at = PlanarPose::IDENTITY.with_translation(point);
        let near = distance(body, &Polygon::point(), &at);
        return Ok(if near.distance <= touch { Place::Boundary } else { Place::Outside });
    }
    let highest = body
        .sides()
        .iter()
        .map(|side| side.normal.dot(local - body.vertex(side.vertices[0])))
        .fold(f64::NEG_INFINITY, f64::max);
    Ok(Place::at_height(highest, touch))
}

/// Whether `point`, in the body's frame, lies in the closed body, within rounding.
///
/// # Errors
/// As [`locate_point`].
///
/// ```
/// use clearance_geometry::{DVec2, Polygon};
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// assert!(clearance_proximity::planar::contains_point(&square, DVec2::new(1.0, 0.3))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contains_point(body: &Polygon, point: DVec2) -> Result<bool, QueryError> {
    Ok(locate_point(body, point)? != Place::Outside)
}

/// Where a ray enters a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarRayHit {
    /// Distance along the ray; 0 when it starts inside.
    pub distance: f64,
    /// The point of entry, in the body's frame.
    pub point: DVec2,
    /// Outward normal there; opposite to the ray when it starts inside.
    pub normal: DVec2,
    /// The edge that is entered; none when the ray starts inside.
    pub feature: Option<Feature>,
}

/// The first point of the closed body on the ray from `origin` along `direction`, within
/// `max_distance`. All in the body's frame; `direction` need not be unit. A segment is hit where the
/// ray crosses it, a point or a segment along the ray never.
///
/// # Errors
/// [`QueryError::BadArgument`] for an origin or direction that is not finite, a zero direction, or a
/// `max_distance` that is NaN.
///
/// ```
/// use clearance_geometry::{DVec2, Polygon};
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// let hit = clearance_proximity::planar::cast_ray(&square, DVec2::new(-5.0, 0.0), DVec2::X, 100.0)?;
/// assert_eq!(hit.map(|h| h.distance), Some(4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast_ray(
    body: &Polygon,
    origin: DVec2,
    direction: DVec2,
    max_distance: f64,
) -> Result<Option<PlanarRayHit>, QueryError> {
    let direction = check_ray(origin.is_finite(), unit(direction), max_distance)?;
    let local = origin - body.anchor();
    let hit = match body.dimension() {
        0 => None,
        1 => cross_segment(body, local, direction, max_distance),
        _ => {
            let height = |side: &PlanarEdge| side.normal.dot(local - body.vertex(side.vertices[0]));
            let crossings = body.sides().iter().map(|side| [height(side), side.normal.dot(direction)]);
            clip_ray(crossings, max_distance)
        }
    };
    Ok(hit.map(|(distance, side)| match side {
        Some(side) => PlanarRayHit {
            distance,
            point: origin + direction * distance,
            normal: body.sides()[side].normal,
            feature: Some(Feature::Edge(body.edge_of_side(side))),
        },
        None => PlanarRayHit { distance: 0.0, point: origin, normal: -direction, feature: None },
    }))
}

/// Where the ray crosses a segment, and the side that faces it.
fn cross_segment(
    body: &Polygon,
    origin: DVec2,
    direction: DVec2,
    max_distance: f64,
) -> Option<(f64, Option<usize>)> {
    let facing = body.sides().iter().position(|side| side.normal.dot(direction) < 0.0)?;
    let side = &body.sides()[facing];
    let from_tail = origin - body.vertex(side.vertices[0]);
    let at = -side.normal.dot(from_tail) / side.normal.dot(direction);
    let along = (from_tail + direction * at).dot(side.vector);
    let on_segment = along >= 0.0 && along <= side.vector.length_squared();
    (on_segment && at >= 0.0 && at <= max_distance).then_some((at, Some(facing)))
}

/// The unit vector along a finite vector of any length but zero, as for solid bodies.
fn unit(vector: DVec2) -> Option<DVec2> {
    let largest = vector.abs().max_element();
    (vector.is_finite() && largest > 0.0).then(|| (vector / largest).normalize())
}
