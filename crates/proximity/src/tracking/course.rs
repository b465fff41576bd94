//! One body of a tracked pair, whose shape may change with time.
//!
//! Source: 001 §I, control points with velocities; `pieces::PieceMotion` moves the pieces of such a body in place.
//! Differs: the body itself is tiled anew only where it is asked for: near contact, and for what is inside. Where patches come
//! apart its pieces are others at other times; it is then tiled in every frame.
//! Ends because: closed formulas, and a tiling.
//! Cost: three products for each control point in a frame.
//! Not promised: that sides which meet become one edge before the body is tiled again.

use crate::QueryError;
use crate::global::Prepared;
use clearance_geometry::pieces::PieceMotion;
use clearance_geometry::{Body, DeformingBody};

/// A body made ready, and how it changes.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) ready: Prepared,
    course: Option<Box<Course>>,
}

#[derive(Clone, Debug)]
struct Course {
    /// The body as it was given, at time 0.
    start: DeformingBody,
    is_boundary: bool,
    motion: Motion,
    /// The time that the pieces are of, and the body.
    time: f64,
    tiled: f64,
}

/// How pieces move.
#[derive(Clone, Debug)]
enum Motion {
    /// Not asked for yet; the pieces are those of time 0.
    Unknown,
    InPlace(PieceMotion),
    /// They are others at other times.
    Retiled,
}

impl Motion {
    fn of(start: &DeformingBody, ready: &Prepared) -> Self {
        PieceMotion::new(start, ready.tree()).map_or(Self::Retiled, Self::InPlace)
    }
}

/// What a change of shape came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// Points have moved by no more than this; a length.
    Moved(f64),
    /// The body is cut into other pieces.
    Other,
}

impl Subject {
    pub(super) fn new(body: &Body) -> Result<Self, QueryError> {
        let ready = Prepared::new(body)?;
        let course = match body.whole() {
            Body::Deforming(start) => Some(Box::new(Course {
                start: start.clone(),
                is_boundary: matches!(body, Body::Boundary(_)),
                motion: Motion::of(start, &ready),
                time: 0.0,
                tiled: 0.0,
            })),
            _ => None,
        };
        Ok(Self { ready, course })
    }

    /// Takes over a body that is cut into the same pieces, as the shape of time 0; the most that points have moved, or `None`.
    pub(super) fn reshape(&mut self, body: &Body) -> Result<Option<f64>, QueryError> {
        let other = Prepared::new(body)?;
        let moved = self.ready.reshape(&other);
        if let (Some(course), Body::Deforming(start), Some(_)) = (&mut self.course, body.whole(), moved) {
            course.start = start.clone();
            (course.motion, course.time, course.tiled) = (Motion::Unknown, 0.0, 0.0);
        }
        Ok(moved)
    }

    /// Brings the pieces to a time.
    pub(super) fn set_time(&mut self, time: f64) -> Result<Change, QueryError> {
        let Some(course) = self.course.as_mut().filter(|course| course.time != time) else {
            return Ok(Change::Moved(0.0));
        };
        if let Motion::Unknown = course.motion {
            course.motion = Motion::of(&course.start, &self.ready);
        }
        if let Motion::InPlace(motion) = &mut course.motion {
            let moved = self.ready.set_time(motion, time)?;
            course.time = time;
            return Ok(Change::Moved(moved));
        }
        let other = Prepared::new(&course.body(time)?)?;
        (course.time, course.tiled) = (time, time);
        Ok(match self.ready.reshape(&other) {
            Some(moved) => Change::Moved(moved),
            None => {
                self.ready = other;
                Change::Other
            }
        })
    }

    /// Brings the body itself to the time of its pieces.
    pub(super) fn tile(&mut self) -> Result<Change, QueryError> {
        let Some(course) = self.course.as_mut().filter(|course| course.tiled != course.time) else {
            return Ok(Change::Moved(0.0));
        };
        let other = Prepared::new(&course.body(course.time)?)?;
        course.tiled = course.time;
        let is_same = |one: &Prepared| one.body().is_surface_only() == other.body().is_surface_only();
        if self.ready.is_alike(&other) && is_same(&self.ready) {
            self.ready.set_body(other.body());
            return Ok(Change::Moved(0.0));
        }
        (self.ready, course.motion) = (other, Motion::Retiled);
        Ok(Change::Other)
    }
}

impl Course {
    /// The body at a time.
    fn body(&self, time: f64) -> Result<Body, QueryError> {
        let later = self.start.advance(time);
        let later = Body::from(later.map_err(|error| QueryError::NoPieces { reason: error.to_string() })?);
        Ok(if self.is_boundary { later.boundary() } else { later })
    }
}
