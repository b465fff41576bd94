//! Two solid bodies at a moment: their distance with its proof, and the gap between them along a direction.

use super::advance::{Impact, ImpactDemand, Look, Pair, Subject, advance};
use super::heights::Heights;
use super::motion::Motion;
use crate::{Ended, Findings, Precision, Proximity, QueryError, Scratch, State, certify};
use clearance_geometry::bound::Aabb;
use clearance_geometry::{Body, DVec3, Pose};
use std::time::Instant;

/// When two moving bodies first touch, between the times `span[0]` and `span[1]`. Answers are in the world.
///
/// # Errors
/// What a distance query of the two bodies can have wrong, and [`QueryError::BadArgument`] for times that are not in order or
/// a tolerance that is not positive.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Polytope, Pose};
/// use clearance_proximity::impact::{ImpactDemand, ImpactEnd, Motion, Move, time_of_impact};
/// let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
/// let still = Motion::still(Pose::IDENTITY);
/// let start = Pose::from_translation(DVec3::X * 4.0)?;
/// let toward = Motion::new(start, vec![Move::steady(DVec3::X * -2.0, DVec3::ZERO)?]);
/// let found = time_of_impact([&cube, &cube], [&still, &toward], [0.0, 10.0], &ImpactDemand::default())?;
/// assert_eq!(found.ended, ImpactEnd::Contact);
/// assert!(found.free_until <= 1.5 && 1.5 <= found.contact_by.unwrap_or(0.0) + 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn time_of_impact(
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    span: [f64; 2],
    demand: &ImpactDemand,
) -> Result<Impact<Proximity>, QueryError> {
    let [a, b] = bodies;
    if !(a.is_bounded() || b.is_bounded()) {
        return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
    }
    let subjects = bodies.map(subject);
    let heights = [0, 1].map(|i: usize| Heights::of_body(bodies[i], subjects[i].reach()));
    let search = Search { scratch: Scratch::new(), deadline: demand.deadline, max_pairs: LOOK_PAIRS };
    let pair = SolidPair { bodies: bodies.map(Body::clone), heights, search, subjects };
    advance(pair, motions, span, demand)
}

struct SolidPair {
    bodies: [Body; 2],
    heights: [Heights; 2],
    search: Search,
    subjects: [Subject; 2],
}

/// Pairs of parts that a search of a look may take: bodies that graze each other closer than that decides are not told apart.
const LOOK_PAIRS: u64 = 1 << 16;

/// The same once a contact is known, where one look among many matters less.
const HURRIED_PAIRS: u64 = 1 << 13;

/// Distances until a moment at which a search ends with what it has.
struct Search {
    scratch: Scratch,
    deadline: Option<Instant>,
    max_pairs: u64,
}

impl Search {
    fn find(&mut self, a: &Body, b: &Body, pose_ab: &Pose, max_error: f64) -> Result<Findings, QueryError> {
        let precision = Precision {
            max_error: Some(max_error),
            max_pairs: Some(self.max_pairs),
            deadline: self.deadline,
            ..Precision::default()
        };
        self.scratch.find(a, b, pose_ab, &precision)
    }
}

impl Pair for SolidPair {
    type Answer = Proximity;

    fn subjects(&self) -> &[Subject; 2] {
        &self.subjects
    }

    fn look(&mut self, poses: [&Pose; 2], time: f64, max_error: f64) -> Result<Look<Proximity>, QueryError> {
        let changed = [self.at(0, time)?, self.at(1, time)?];
        let [a, b] = [0, 1].map(|i: usize| changed[i].as_ref().unwrap_or(&self.bodies[i]));
        let pose_ab = Pose::between(poses[0], poses[1]);
        let mut found = self.search.find(a, b, &pose_ab, max_error)?;
        let mut lower = proven(a, b, &pose_ab, &found)?;
        let distance = found.proximity.distance;
        if found.proximity.state == State::Separated && lower < distance * 0.5 {
            found = self.search.find(a, b, &pose_ab, distance * CLOSE)?;
            lower = lower.max(proven(a, b, &pose_ab, &found)?);
        }
        let answer = found.proximity;
        let world = answer.in_world(poses[0]);
        Ok(Look {
            state: answer.state,
            distance: answer.distance,
            lower,
            normal: (answer.normal != DVec3::ZERO).then_some(world.normal),
            points: world.witnesses.map(|witness| witness.point),
            answer,
        })
    }

    fn hurry(&mut self) {
        self.search.max_pairs = HURRIED_PAIRS;
    }

    fn gap(&mut self, poses: [&Pose; 2], normal: DVec3, max_error: f64) -> Result<Option<f64>, QueryError> {
        if self.subjects.iter().any(|subject| subject.growth > 0.0) {
            return Ok(None);
        }
        let normal = self.plane_normal(poses, normal).unwrap_or(normal);
        let mut sum = normal.dot(poses[1].translation() - poses[0].translation());
        for (i, along) in [(0, -normal), (1, normal)] {
            let up = poses[i].rotate_inverse(along);
            sum += match self.subjects[i].plane {
                Some(plane) => plane.offset.copysign(plane.offset * up.dot(plane.normal)),
                None => self.heights[i].lowest(up, max_error)?,
            };
        }
        Ok(Some(sum))
    }

    fn in_world(answer: &Proximity, pose_a: &Pose) -> Proximity {
        answer.in_world(pose_a)
    }
}

/// A share of the distance: how close the bound of a near pair is asked for.
const CLOSE: f64 = 1.0 / 8.0;

impl SolidPair {
    /// The normal of the half-space among the bodies, from A to B, as it stands now; of a plane alone, on the side of `toward`.
    fn plane_normal(&self, poses: [&Pose; 2], toward: DVec3) -> Option<DVec3> {
        let side = self.subjects.iter().position(|subject| subject.plane.is_some())?;
        let outward = poses[side].rotate(self.subjects[side].plane?.normal);
        let normal = if side == 0 { outward } else { -outward };
        let alone = matches!(self.bodies[side], Body::Boundary(_));
        Some(if alone && normal.dot(toward) < 0.0 { -normal } else { normal })
    }

    /// The shape of a body at a time, where it changes.
    fn at(&self, body: usize, time: f64) -> Result<Option<Body>, QueryError> {
        let body = &self.bodies[body];
        let Body::Deforming(deforming) = body.whole() else { return Ok(None) };
        let later =
            deforming.advance(time).map_err(|error| QueryError::NoPieces { reason: error.to_string() })?;
        let later = Body::from(later);
        Ok(Some(if matches!(body, Body::Boundary(_)) { later.boundary() } else { later }))
    }
}

/// The proven bound of a distance.
fn proven(a: &Body, b: &Body, pose_ab: &Pose, found: &Findings) -> Result<f64, QueryError> {
    if found.proximity.state != State::Separated {
        return Ok(0.0);
    }
    let is_flat = |body: &Body| matches!(body, Body::Polytope(_) | Body::HalfSpace(_));
    if is_flat(a) && is_flat(b) {
        return Ok(certify(a, b, pose_ab, &found.proximity)?.lower);
    }
    let of_ended = match found.proximity.ended {
        Ended::Certified(proof) => proof.lower,
        _ => 0.0,
    };
    Ok(found.lower.unwrap_or(0.0).max(of_ended))
}

fn subject(body: &Body) -> Subject {
    let of_box = |around: Aabb<3>| Subject::of_box(DVec3::from_array(around.center()), around.half_extents());
    match body.whole() {
        Body::Polytope(polytope) => {
            let points: Vec<DVec3> = polytope.vertices().iter().map(|v| *v + polytope.anchor()).collect();
            Subject::of_points(&points)
        }
        Body::HalfSpace(half) => Subject::of_plane(half.plane()),
        Body::Tiled(tiled) => of_box(tiled.aabb()),
        Body::Deforming(deforming) => of_box(deforming.shape().aabb()).growing(deforming.motion_bound(1.0)),
        Body::Algebraic(surface) => of_box(*surface.within()),
        Body::Union(tree) => {
            let bound = &tree.root().bound;
            Subject::of_frame(bound.center, bound.axes, bound.half)
        }
        // `whole` is no boundary.
        Body::Boundary(_) => Subject::of_points(&[]),
    }
}
