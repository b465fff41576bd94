//! Questions asked once: distance, depth, a margin, a point, a ray.

use crate::polytope::depth_local_from;
use crate::{Closer, Findings, Precision, Probe, Proximity, QueryError, Tracker};
use clearance_geometry::{Body, DVec3, FaceId, Feature, Plane, Polytope, Pose, Tolerance};

/// Corners that a one-shot depth search may hold before it ends in `limit`.
const ONE_SHOT_CORNERS: usize = 8192;

/// Distance, witnesses, normal and features of B at `pose_ab` in the frame of A; minus the exact
/// penetration depth when they overlap.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] for two half-spaces, [`QueryError::NoPieces`] for surfaces swept by a helix.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Polytope, Pose};
/// use clearance_proximity::{distance, State};
/// let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0))?);
/// let apart = distance(&cube, &cube, &Pose::from_translation(DVec3::new(5.0, 0.5, 0.0))?)?;
/// assert_eq!((apart.state, apart.distance), (State::Separated, 3.0));
/// let deep = distance(&cube, &cube, &Pose::from_translation(DVec3::new(1.75, 0.5, 0.0))?)?;
/// assert_eq!((deep.state, deep.signed_distance), (State::Penetrating, -0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
    Scratch::new().distance(a, b, pose_ab)
}

/// The exact penetration depth as an answer: the same as [`distance`], under the name that says so.
///
/// # Errors
/// As [`distance`].
pub fn depth_exact(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
    distance(a, b, pose_ab)
}

/// Whether B at `pose_ab` is closer to A than `margin`; see [`Tracker::closer_than`].
///
/// # Errors
/// As [`Tracker::closer_than`].
pub fn closer_than(a: &Body, b: &Body, pose_ab: &Pose, margin: f64) -> Result<Closer, QueryError> {
    Tracker::growing(ONE_SHOT_CORNERS).closer_than(a, b, pose_ab, margin)
}

/// Memory for one-shot queries: reusing it saves allocations and changes nothing else.
#[derive(Clone, Debug)]
pub struct Scratch {
    tracker: Tracker,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// Empty memory that grows with use.
    pub fn new() -> Self {
        Self { tracker: Tracker::growing(ONE_SHOT_CORNERS) }
    }

    /// As [`distance`](crate::distance()), from scratch whatever was asked before.
    ///
    /// # Errors
    /// As [`distance`](crate::distance()).
    pub fn distance(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        self.tracker.reset();
        self.tracker.update(a, b, pose_ab)
    }

    /// As [`Tracker::find`], from scratch whatever was asked before.
    ///
    /// # Errors
    /// As [`Tracker::find`].
    pub fn find(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        self.tracker.reset();
        self.tracker.find(a, b, pose_ab, precision)
    }
}

/// A local penetration depth: a separating translation that no neighbouring one shortens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalDepth {
    /// Length of the translation; 0 or less means that `normal` separates the bodies.
    pub depth: f64,
    /// Direction from A to B, in the frame of A, along which B moves out.
    pub normal: DVec3,
}

/// The penetration depth found by walking from the direction `start` over neighbouring faces and edge pairs
/// of A − B to ever shorter translations: fast, an upper bound on [`depth_exact`], not always equal to it.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] unless both are polytopes, [`QueryError::BadArgument`] for a `start`
/// that is not finite or zero.
pub fn depth_local(a: &Body, b: &Body, pose_ab: &Pose, start: DVec3) -> Result<LocalDepth, QueryError> {
    let (Body::Polytope(pa), Body::Polytope(pb)) = (a, b) else {
        return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
    };
    let start = unit(start).ok_or(QueryError::BadArgument { field: "start" })?;
    let (depth, normal) = depth_local_from(pa, pb, pose_ab, start);
    Ok(LocalDepth { depth, normal })
}

/// Where a point stands relative to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the interior.
    Inside,
    /// On the boundary, within rounding.
    Boundary,
    /// Outside.
    Outside,
}

impl Place {
    /// The place of a point at a height over the boundary, negative inside; `touch` is what counts as zero.
    pub(crate) fn at_height(height: f64, touch: f64) -> Self {
        if height > touch {
            Self::Outside
        } else if height >= -touch {
            Self::Boundary
        } else {
            Self::Inside
        }
    }
}

/// Where `point`, in the body's frame, stands. A body without interior has only boundary; a union has a point inside where
/// one of its parts does. For many points of a curved body make a [`Probe`] first.
///
/// # Errors
/// [`QueryError::BadArgument`] for a point that is not finite, [`QueryError::UnsupportedBody`] for an algebraic surface.
///
/// ```
/// use clearance_geometry::{Body, DVec3, tiled::TiledBody};
/// use clearance_proximity::{Place, locate_point};
/// let cone = Body::from(TiledBody::cone(1.0, 2.0, None)?);
/// assert_eq!(locate_point(&cone, DVec3::new(0.2, 0.0, 1.0))?, Place::Inside);
/// assert_eq!(locate_point(&cone, DVec3::new(0.0, 0.0, 2.0))?, Place::Boundary);
/// assert_eq!(locate_point(&cone, DVec3::new(0.2, 0.0, 2.0))?, Place::Outside);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locate_point(body: &Body, point: DVec3) -> Result<Place, QueryError> {
    match body {
        Body::HalfSpace(_) | Body::Polytope(_) => locate_flat(body, point),
        curved => Probe::new(curved)?.locate(point),
    }
}

/// [`locate_point`] for half-spaces and polytopes.
pub(crate) fn locate_flat(body: &Body, point: DVec3) -> Result<Place, QueryError> {
    QueryError::demand(point.is_finite(), "point")?;
    let (highest, size) = match body {
        Body::HalfSpace(half) => {
            let plane = half.plane();
            (plane.distance(point), point.abs().max_element() + plane.offset.abs())
        }
        Body::Polytope(polytope) => {
            let local = point - polytope.anchor();
            let size = polytope.reach() + local.abs().max_element();
            if polytope.face_count() == 0 {
                let near = distance_to_thin(polytope, local);
                let touch = Tolerance::for_size(size).length();
                return Ok(if near <= touch { Place::Boundary } else { Place::Outside });
            }
            let over = |plane: &Plane| plane.distance(local);
            (polytope.planes().iter().map(over).fold(f64::NEG_INFINITY, f64::max), size)
        }
        other => return Err(QueryError::UnsupportedBody { kind: other.kind() }),
    };
    Ok(Place::at_height(highest, Tolerance::for_size(size).length()))
}

/// Whether `point`, in the body's frame, lies in the closed body, within rounding.
///
/// # Errors
/// As [`locate_point`].
pub fn contains_point(body: &Body, point: DVec3) -> Result<bool, QueryError> {
    Ok(locate_point(body, point)? != Place::Outside)
}

fn distance_to_thin(body: &Polytope, point: DVec3) -> f64 {
    match *body.vertices() {
        [p] => p.distance(point),
        [p, q, ..] => {
            let along = q - p;
            let t = ((point - p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (p + along * t).distance(point)
        }
        [] => f64::INFINITY,
    }
}

/// Where a ray enters a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance along the ray; 0 when it starts inside.
    pub distance: f64,
    /// The point of entry, in the body's frame.
    pub point: DVec3,
    /// Outward normal there; opposite to the ray when it starts inside.
    pub normal: DVec3,
    /// The face that is entered; none when the ray starts inside.
    pub feature: Option<Feature>,
    /// The leaf of a union that is entered; 0 for other bodies.
    pub leaf: u32,
}

impl RayHit {
    /// The hit of a ray that starts inside.
    pub(crate) fn at_start(origin: DVec3, direction: DVec3) -> Self {
        Self { distance: 0.0, point: origin, normal: -direction, feature: None, leaf: 0 }
    }
}

/// The first point of the closed body on the ray from `origin` along `direction`, within `max_distance`.
/// All in the body's frame; `direction` need not be unit. Points and segments are never hit. A surface is hit from both
/// sides, with its own normal; a ray that only touches a curved face or an edge hits it, within rounding. For many rays to
/// a curved body make a [`Probe`] first.
///
/// # Errors
/// [`QueryError::BadArgument`] for an origin or direction that is not finite, or a zero direction;
/// [`QueryError::UnsupportedBody`] for an algebraic surface; [`QueryError::Undecided`] for a ray that runs along a curved
/// face, all but touching it, for longer than its budget lasts.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Polytope};
/// let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0))?);
/// let hit = clearance_proximity::cast_ray(&cube, DVec3::new(-5.0, 0.0, 0.0), DVec3::X, 100.0)?;
/// assert_eq!(hit.map(|h| h.distance), Some(4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast_ray(
    body: &Body,
    origin: DVec3,
    direction: DVec3,
    max_distance: f64,
) -> Result<Option<RayHit>, QueryError> {
    let unit = check_ray(origin.is_finite(), unit(direction), max_distance)?;
    match body {
        Body::HalfSpace(_) | Body::Polytope(_) => cast_flat(body, origin, unit, max_distance, true),
        curved => Probe::new(curved)?.cast_ray(origin, direction, max_distance),
    }
}

/// [`cast_ray`] for half-spaces and polytopes along a unit vector; the boundary alone unless `solid`.
pub(crate) fn cast_flat(
    body: &Body,
    origin: DVec3,
    direction: DVec3,
    max_distance: f64,
    solid: bool,
) -> Result<Option<RayHit>, QueryError> {
    let half_plane;
    let (planes, local) = match body {
        Body::HalfSpace(half) => {
            half_plane = [half.plane()];
            (&half_plane[..], origin)
        }
        Body::Polytope(polytope) => (polytope.planes(), origin - polytope.anchor()),
        other => return Err(QueryError::UnsupportedBody { kind: other.kind() }),
    };
    if planes.is_empty() {
        return Ok(None);
    }
    let crossings = || planes.iter().map(|plane| [plane.distance(local), plane.normal.dot(direction)]);
    let at_face = |distance: f64, face: usize| RayHit {
        distance,
        point: origin + direction * distance,
        normal: planes[face].normal,
        feature: Some(Feature::Face(FaceId(face as u32))),
        leaf: 0,
    };
    Ok(match clip_ray(crossings(), max_distance) {
        Some((distance, Some(face))) => Some(at_face(distance, face)),
        Some((_, None)) if solid => Some(RayHit::at_start(origin, direction)),
        // From inside, the boundary is met where the first plane is left.
        Some((_, None)) => {
            let leaving = crossings().enumerate().filter(|(_, [_, rate])| *rate > 0.0);
            let exits = leaving.map(|(face, [height, rate])| (-height / rate, face));
            let first = exits.min_by(|one, other| one.0.total_cmp(&other.0));
            first.filter(|(at, _)| *at <= max_distance).map(|(at, face)| at_face(at, face))
        }
        None => None,
    })
}

/// The unit direction of a ray, or the name of the argument that is none.
pub(crate) fn check_ray<V>(
    origin_is_finite: bool,
    direction: Option<V>,
    max_distance: f64,
) -> Result<V, QueryError> {
    QueryError::demand(origin_is_finite, "origin")?;
    let direction = direction.ok_or(QueryError::BadArgument { field: "direction" })?;
    QueryError::demand(!max_distance.is_nan(), "max_distance")?;
    Ok(direction)
}

/// Clips a ray by all planes of a body: the last entry before the first exit, and the number of the plane
/// entered by. A plane is given by the height of the ray's origin over it and the rate at which the ray rises.
pub(crate) fn clip_ray(
    planes: impl Iterator<Item = [f64; 2]>,
    max_distance: f64,
) -> Option<(f64, Option<usize>)> {
    let (mut enter, mut exit, mut entered) = (0.0, max_distance, None);
    for (index, [height, rate]) in planes.enumerate() {
        let at = -height / rate;
        if rate == 0.0 {
            if height > 0.0 {
                return None;
            }
        } else if rate > 0.0 {
            exit = f64::min(exit, at);
        } else if height > 0.0 && (at > enter || entered.is_none()) {
            (enter, entered) = (at, Some(index));
        }
        if enter > exit {
            return None;
        }
    }
    Some((enter, entered))
}

/// The unit vector along a finite vector of any length but zero; divided by its largest entry first, so that
/// neither a tiny nor a huge one loses its length.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    (vector.is_finite() && largest > 0.0).then(|| (vector / largest).normalize())
}
