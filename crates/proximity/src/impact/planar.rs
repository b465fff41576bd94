//! Two planar bodies at a moment; their motions are those of space that stay in the plane z = 0.

use super::advance::{Impact, ImpactDemand, Look, Pair, Subject, advance};
use super::heights::Heights;
use super::motion::Motion;
use crate::global::SearchMemory;
use crate::planar::{self, CurveWitness, PlanarBody, PlanarNearest, PlanarPrepared, nearest_with};
use crate::{QueryError, State};
use clearance_geometry::{DVec2, DVec3, PlanarPose, Pose};

/// When two moving planar bodies first touch; as [`time_of_impact`](super::time_of_impact). All spins must be about the z axis
/// and all translations in the plane.
///
/// # Errors
/// As [`time_of_impact`](super::time_of_impact), and [`QueryError::BadArgument`] for a motion that leaves the plane.
///
/// ```
/// use clearance_geometry::{DVec2, DVec3, Polygon, Pose};
/// use clearance_proximity::impact::{ImpactDemand, Motion, Move, planar_time_of_impact};
/// let square = Polygon::rectangle(DVec2::splat(2.0))?.into();
/// let still = Motion::still(Pose::IDENTITY);
/// // The corner of a square that turns in place meets the side of the other.
/// let start = Pose::from_translation(DVec3::new(2.25, 0.0, 0.0))?;
/// let turning = Motion::new(start, vec![Move::spin(DVec3::Z, DVec3::new(2.25, 0.0, 0.0), 1.0)?]);
/// let found = planar_time_of_impact([&square, &square], [&still, &turning], [0.0, 1.0], &ImpactDemand::default())?;
/// // Its corner is √2·cos(45° − t) = 1.25 to the left then.
/// let exact = std::f64::consts::FRAC_PI_4 - (1.25 / 2_f64.sqrt()).acos();
/// assert!(found.free_until <= exact && exact <= found.contact_by.unwrap_or(0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn planar_time_of_impact(
    bodies: [&PlanarBody; 2],
    motions: [&Motion; 2],
    span: [f64; 2],
    demand: &ImpactDemand,
) -> Result<Impact<PlanarNearest>, QueryError> {
    let prepared = [PlanarPrepared::new(bodies[0])?, PlanarPrepared::new(bodies[1])?];
    let corners = bodies.map(|body| match body {
        PlanarBody::Polygon(polygon) => {
            let corner = |v: &DVec2| (*v + polygon.anchor()).extend(0.0);
            polygon.vertices().iter().map(corner).collect()
        }
        PlanarBody::Tiled(_) => Vec::new(),
    });
    let subjects = [0, 1].map(|i: usize| {
        let bound = &prepared[i].tree().root().bound;
        match corners[i].as_slice() {
            [] => Subject::of_frame(bound.center, bound.axes, bound.half),
            corners => Subject::of_points(corners),
        }
    });
    let mut corners = corners.into_iter();
    let heights = [0, 1].map(|i: usize| match corners.next() {
        Some(corners) if !corners.is_empty() => Heights::of_corners(corners, subjects[i].reach()),
        _ => Heights::of_pieces(prepared[i].outline().clone(), subjects[i].reach()),
    });
    let pair = PlanarPair { prepared, heights, memory: SearchMemory::default(), subjects };
    advance(pair, motions, span, demand)
}

struct PlanarPair {
    prepared: [PlanarPrepared; 2],
    heights: [Heights; 2],
    memory: SearchMemory,
    subjects: [Subject; 2],
}

impl Pair for PlanarPair {
    type Answer = PlanarNearest;

    fn subjects(&self) -> &[Subject; 2] {
        &self.subjects
    }

    fn look(
        &mut self,
        poses: [&Pose; 2],
        _time: f64,
        max_error: f64,
    ) -> Result<Look<PlanarNearest>, QueryError> {
        let [pose_a, pose_b] = [flat(poses[0])?, flat(poses[1])?];
        let pose_ab = PlanarPose::between(&pose_a, &pose_b);
        let mut found = self.nearest(&pose_ab, max_error)?;
        if found.state == State::Separated && found.lower < 0.5 * found.distance {
            found = self.nearest(&pose_ab, CLOSE * found.distance)?;
        }
        let world = |point: DVec2| pose_a.apply(point).extend(0.0);
        Ok(Look {
            state: found.state,
            distance: found.distance,
            lower: found.lower,
            normal: found.normal.map(|normal| pose_a.rotate(normal).extend(0.0)),
            points: found.witnesses.map(|witness| world(witness.point)),
            answer: found,
        })
    }

    fn gap(&mut self, poses: [&Pose; 2], normal: DVec3, max_error: f64) -> Result<Option<f64>, QueryError> {
        let mut sum = normal.dot(poses[1].translation() - poses[0].translation());
        for (i, along) in [(0, -normal), (1, normal)] {
            sum += self.heights[i].lowest(poses[i].rotate_inverse(along), max_error)?;
        }
        Ok(Some(sum))
    }

    fn in_world(answer: &PlanarNearest, pose_a: &Pose) -> PlanarNearest {
        let Ok(pose) = flat(pose_a) else { return answer.clone() };
        let turned = |witness: CurveWitness| CurveWitness { point: pose.apply(witness.point), ..witness };
        PlanarNearest {
            witnesses: answer.witnesses.map(turned),
            normal: answer.normal.map(|normal| pose.rotate(normal)),
            ..answer.clone()
        }
    }
}

/// A share of the distance: how close the bound of a near pair is asked for.
const CLOSE: f64 = 1.0 / 8.0;

impl PlanarPair {
    fn nearest(&mut self, pose_ab: &PlanarPose, max_error: f64) -> Result<PlanarNearest, QueryError> {
        let [a, b] = &self.prepared;
        if let (PlanarBody::Polygon(of_a), PlanarBody::Polygon(of_b)) = (a.body(), b.body()) {
            let found = planar::distance(of_a, of_b, pose_ab);
            let lower = planar::certify(of_a, of_b, pose_ab, &found).lower;
            return Ok(PlanarNearest { lower, ..PlanarNearest::from(&found) });
        }
        nearest_with(a, b, pose_ab, Some(max_error), &mut self.memory)
    }
}

/// A pose of the plane.
fn flat(pose: &Pose) -> Result<PlanarPose, QueryError> {
    let (rotation, place) = (pose.rotation(), pose.translation());
    let off = QueryError::BadArgument { field: "motion" };
    if rotation.z_axis.truncate() != DVec2::ZERO || place.z != 0.0 {
        return Err(off);
    }
    PlanarPose::from_cos_sin(rotation.x_axis.x, rotation.x_axis.y, place.truncate()).map_err(|_| off)
}
