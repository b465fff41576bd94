//! Which of two bodies is inside the other, once their boundaries are known to be apart.
//!
//! Source: a connected surface that does not meet the boundary of a body is wholly inside it or wholly outside: one point
//! tells.
//! Differs: one point for each shell of each part of a union, so that hollow bodies and unions are told apart.
//! Ends because: shells are counted.
//! Cost: a ray for each shell none of whose vertices lies outside the other's box; a search for the nearest point where boundaries are
//! closer than rays tell.
//! Not promised: anything where the boundaries meet.

use super::apart::leaves_apart;
use super::side::Closed;
use super::{Memory, Part, Probe, Shape, beyond, made_ready};
use crate::global::Prepared;
use crate::query::locate_flat;
use crate::tolerance::CONTACT_REL;
use crate::{Place, Proximity, QueryError, State};
use clearance_geometry::bound::Aabb;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, FaceId, Pose, VertexId};

/// How B at `pose_ab` stands to A where no point of one boundary is on the other: [`State::AInsideB`],
/// [`State::BInsideA`], [`State::Penetrating`] where only a part is inside; `None` where they share no point.
///
/// # Errors
/// [`QueryError::NoPieces`] for a surface swept by a helix.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{State, containment};
/// let (ring, ball) = (Body::from(TiledBody::torus(2.0, 0.5)?), Body::from(TiledBody::sphere(0.2)?));
/// assert_eq!(containment(&ring, &ball, &Pose::IDENTITY)?, None);
/// assert_eq!(containment(&ring, &ball, &Pose::from_translation(DVec3::X * 2.0)?)?, Some(State::BInsideA));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn containment(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Option<State>, QueryError> {
    Containment::new(a, b)?.find(pose_ab, None, f64::INFINITY)
}

/// Two bodies made ready for [`containment`]. Parts are cut into pieces when a point of the other comes into their box, once.
#[derive(Clone, Debug)]
pub(crate) struct Containment {
    bodies: [Body; 2],
    leaves: [Vec<Leaf>; 2],
    memory: Memory,
}

impl Containment {
    pub(crate) fn new(a: &Body, b: &Body) -> Result<Self, QueryError> {
        let leaves = [leaves(a)?, leaves(b)?];
        Ok(Self { bodies: [a.clone(), b.clone()], leaves, memory: Memory::default() })
    }

    /// Takes over bodies that were made ready for something else.
    pub(crate) fn lend(&mut self, bodies: [Option<&Prepared>; 2]) {
        for (i, lent) in bodies.into_iter().enumerate() {
            // Before another body came, these may have been its pieces.
            let lent = lent.filter(|lent| lent.body().is_same(&self.bodies[i]));
            let [Leaf { part: Some(Part { shape: Shape::Tiled { ready, .. }, pose, .. }), .. }] =
                self.leaves[i].as_mut_slice()
            else {
                continue;
            };
            // Pieces of a body are in its own frame, which a part that stands elsewhere in it does not share.
            if let (None, Some(lent)) = (&ready, lent)
                && *pose == Pose::IDENTITY
            {
                *ready = Some(Box::new(lent.boundary()));
            }
        }
    }

    /// Takes over boxes around the leaves of bodies, in the bodies' frames, which need not be tight.
    pub(crate) fn lend_boxes(&mut self, boxes: &[Vec<Aabb<3>>; 2]) {
        for (leaves, boxes) in self.leaves.iter_mut().zip(boxes) {
            if leaves.len() == boxes.len() {
                leaves.iter_mut().zip(boxes).for_each(|(leaf, bound)| leaf.around = Some(*bound));
            }
        }
    }

    /// Whether it was made for these bodies.
    pub(crate) fn is_for(&self, a: &Body, b: &Body) -> bool {
        self.bodies[0].is_same(a) && self.bodies[1].is_same(b)
    }

    /// As [`containment`]; `nearest` is the answer of a search, which tells of the parts that have the nearest points. The
    /// boundaries are `apart_by`; a length.
    pub(crate) fn find(
        &mut self,
        pose_ab: &Pose,
        nearest: Option<&Proximity>,
        apart_by: f64,
    ) -> Result<Option<State>, QueryError> {
        let [a, b] = &self.bodies;
        let apart = nearest.map_or([None; 2], |found| leaves_apart(a, b, found, pose_ab));
        let own = nearest.map_or([0; 2], |found| found.witnesses.map(|witness| witness.leaf as usize));
        let Self { leaves: [leaves_a, leaves_b], memory, .. } = self;
        leaves_a.iter_mut().chain(leaves_b.iter_mut()).for_each(|leaf| leaf.inside = false);
        let mut meet = false;
        for (i, leaf_a) in leaves_a.iter_mut().enumerate() {
            for (k, leaf_b) in leaves_b.iter_mut().enumerate() {
                // What has the nearest points, in one shell, is outside where one of them shows it.
                let is_out = |keeper: Option<u32>, other: &Leaf| {
                    [i, k] == own && keeper.is_some() && other.samples.len() == 1
                };
                let of_a = if is_out(apart[1], leaf_a) {
                    0
                } else {
                    leaf_b.count(leaf_a, |p| pose_ab.apply_inverse(p), apart_by, memory)?
                };
                let of_b = if is_out(apart[0], leaf_b) {
                    0
                } else {
                    leaf_a.count(leaf_b, |p| pose_ab.apply(p), apart_by, memory)?
                };
                meet |= of_a + of_b > 0;
                leaf_a.inside |= of_a > 0 && of_a == leaf_a.samples.len() && of_b == 0;
                leaf_b.inside |= of_b > 0 && of_b == leaf_b.samples.len() && of_a == 0;
            }
        }
        let all = |leaves: &[Leaf]| !leaves.is_empty() && leaves.iter().all(|leaf| leaf.inside);
        Ok(if all(leaves_a) {
            Some(State::AInsideB)
        } else if all(leaves_b) {
            Some(State::BInsideA)
        } else {
            meet.then_some(State::Penetrating)
        })
    }
}

/// A part of a body with a point of each of its shells, in the body's frame.
#[derive(Clone, Debug)]
struct Leaf {
    /// `None` for an algebraic surface.
    part: Option<Part>,
    samples: Vec<DVec3>,
    /// A box around it, where one is known.
    around: Option<Aabb<3>>,
    /// Whether it is inside a part of the other body.
    inside: bool,
}

fn leaves(body: &Body) -> Result<Vec<Leaf>, QueryError> {
    if let Body::Algebraic(surface) = body.whole() {
        let samples = surface.sheets().iter().map(|sheet| sheet.point).collect();
        return Ok(vec![Leaf { part: None, samples, around: None, inside: false }]);
    }
    let with_samples = |part: Part| {
        let points = match &part.shape {
            Shape::HalfSpace(_) => Vec::new(),
            Shape::Polytope(body) => vec![body.body_vertex(VertexId(0))],
            Shape::Tiled { body, .. } => shell_points(body),
        };
        let samples = points.into_iter().map(|p| part.pose.apply(p)).collect();
        Leaf { part: Some(part), samples, around: None, inside: false }
    };
    Ok(Probe::new(body)?.parts.into_iter().map(with_samples).collect())
}

impl Leaf {
    /// How many shells of a leaf of the other body are inside, by their points brought into the frame of its own.
    fn count(
        &mut self,
        other: &Self,
        to_own: impl Fn(DVec3) -> DVec3,
        apart_by: f64,
        memory: &mut Memory,
    ) -> Result<usize, QueryError> {
        let is_beyond = |p: DVec3| self.is_beyond(to_own(p));
        // Any point of its one shell tells.
        if other.samples.len() == 1
            && (other.samples.iter().copied().any(is_beyond) || other.has_corner(is_beyond))
        {
            return Ok(0);
        }
        let Some(part) = &mut self.part else { return Ok(0) };
        let mut inside = 0;
        for point in &other.samples {
            inside += usize::from(part.holds(part.pose.apply_inverse(to_own(*point)), apart_by, memory)?);
        }
        Ok(inside)
    }

    /// Whether a point of the body's frame is outside the box around it, where one is known.
    fn is_beyond(&self, point: DVec3) -> bool {
        self.around.is_some_and(|around| {
            let off = (point - DVec3::from_array(around.center())).abs() - around.half_extents();
            off.max_element() > CONTACT_REL * point.abs().max_element()
        })
    }

    /// Whether one of its vertices, in the body's frame, is such.
    fn has_corner(&self, is_such: impl Fn(DVec3) -> bool) -> bool {
        self.part.as_ref().is_some_and(|part| match &part.shape {
            Shape::HalfSpace(_) => false,
            Shape::Polytope(body) => {
                body.vertices().iter().any(|p| is_such(part.pose.apply(*p + body.anchor())))
            }
            Shape::Tiled { body, .. } => body.vertices().iter().any(|p| is_such(part.pose.apply(*p))),
        })
    }
}

impl Part {
    /// Whether a point at least `apart_by` off its boundary, in its own frame, is inside.
    fn holds(&mut self, point: DVec3, apart_by: f64, memory: &mut Memory) -> Result<bool, QueryError> {
        if !self.solid {
            return Ok(false);
        }
        // A ball around a convex body is known before any box.
        if let Shape::Tiled { body, .. } = &self.shape
            && let Some(shape) = body.convex_shape()
            && point.distance(shape.anchor()) > (shape.reach() + shape.radius()) * (1.0 + CONTACT_REL)
        {
            return Ok(false);
        }
        // The box of its pieces is as tight as its own, and known where they are.
        let apart = match &self.shape {
            Shape::Tiled { ready: Some(ready), .. } => beyond(&ready.tree().root().bound, point),
            // Until then a box that is less tight will do.
            Shape::Tiled { body, .. } if self.bound.get().is_none() => {
                let bound = body.hull_box();
                let off = (point - DVec3::from_array(bound.center())).abs() - bound.half_extents();
                off.max_element() - CONTACT_REL * point.abs().max_element()
            }
            _ => self.beyond(point),
        };
        if apart > 0.0 {
            return Ok(false);
        }
        match &mut self.shape {
            Shape::HalfSpace(half) => Ok(locate_flat(&Body::from(*half), point)? == Place::Inside),
            Shape::Polytope(body) => Ok(locate_flat(&Body::from(body.clone()), point)? == Place::Inside),
            Shape::Tiled { body, ready, .. } => {
                let ready = made_ready(body, ready)?;
                let mut closed = Closed { body, ready, memory: &mut memory.ray };
                if apart_by > closed.margin(point) {
                    return Ok(closed.holds(point, None));
                }
                // A ray may miss the crossing that it begins at.
                Ok(self.locate(point, memory)? == Place::Inside)
            }
        }
    }
}

/// A point of each shell.
fn shell_points(body: &TiledBody) -> Vec<DVec3> {
    let mut known = vec![false; body.shell_count()];
    let mut points = Vec::with_capacity(known.len());
    for (at, face) in body.faces().iter().enumerate() {
        let shell = body.shell(FaceId(at as u32));
        if std::mem::replace(&mut known[shell], true) {
            continue;
        }
        points.push(match face.loops.iter().flatten().next() {
            Some(used) => {
                let edge = body.edge(used.edge);
                edge.point(edge.range.middle())
            }
            // A face without an edge is all of its surface.
            None => {
                let bounds = face.region.bounds();
                face.point(clearance_geometry::DVec2::new(bounds.u.middle(), bounds.v.middle()))
            }
        });
    }
    points
}
