//! Features of a convex body as directions see them: what a search for a common normal walks on.
//!
//! Source: the gradient of a support function is the farthest point, its second derivative how that point moves with the direction.
//! Differs: features made of straight lines have farthest points along directions across these only; they say which.
//! Ends because: there are no loops.
//! Cost: a few dozen products.
//! Not promised: that a farthest point lies within its feature; [`ConvexShape::holds`] says.

use super::{ConvexShape, Sheet, Strand};
use crate::{DMat3, DVec2, DVec3, Feature, Pose};

/// A feature as directions see it.
#[derive(Clone, Copy, Debug)]
pub enum View {
    /// One farthest point along every direction.
    Round(Round),
    /// A line of farthest points along some directions.
    Ruled(Ruled),
}

/// A feature with one farthest point along every direction, or nearly so.
#[derive(Clone, Copy, Debug)]
pub enum Round {
    /// A vertex.
    Point(DVec3),
    /// `center + x cos t + y sin t`.
    Ring {
        /// The centre.
        center: DVec3,
        /// The half axes.
        axes: [DVec3; 2],
    },
    /// `center + axes · w` for unit vectors w.
    Ball {
        /// The centre.
        center: DVec3,
        /// The half axes.
        axes: DMat3,
    },
}

/// A farthest point.
#[derive(Clone, Copy, Debug)]
pub struct Far {
    /// The point, anchored.
    pub point: DVec3,
    /// Its state, as [`ConvexShape::jet`] takes it.
    pub at: DVec3,
    /// What a turn of the direction is divided by.
    over: f64,
}

/// A straight edge, or `origin + (radius + slope z) (x cos u + y sin u) + z axis` for unit vectors x, y and the axis.
#[derive(Clone, Copy, Debug)]
pub struct Ruled {
    /// Where heights count from, anchored.
    pub origin: DVec3,
    /// x, y and the axis.
    pub axes: DMat3,
    /// At height 0; 0 of an edge.
    pub radius: f64,
    /// How it grows; 0 of an edge.
    pub slope: f64,
    /// The length that an edge's parameter counts; 0 of a face.
    unit: f64,
}

impl Round {
    /// In the frame in which it stands at a pose.
    #[inline(always)]
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        match self {
            Self::Point(point) => Self::Point(pose.apply(*point)),
            Self::Ring { center, axes: [x, y] } => {
                Self::Ring { center: pose.apply(*center), axes: [pose.rotate(*x), pose.rotate(*y)] }
            }
            Self::Ball { center, axes } => {
                Self::Ball { center: pose.apply(*center), axes: turned(axes, pose) }
            }
        }
    }

    /// The farthest point along a vector of about unit length; `None` where all are equally far.
    #[inline(always)]
    pub fn farthest(&self, n: DVec3) -> Option<Far> {
        match self {
            Self::Point(point) => Some(Far { point: *point, at: DVec3::ZERO, over: 0.0 }),
            Self::Ring { center, axes: [x, y] } => {
                let along = DVec2::new(x.dot(n), y.dot(n));
                let length = along.length();
                let over = length.recip();
                let turn = along * over;
                let point = *center + *x * turn.x + *y * turn.y;
                (length > 0.0).then_some(Far { point, at: turn.extend(0.0), over })
            }
            Self::Ball { center, axes } => {
                let along = DVec3::new(axes.x_axis.dot(n), axes.y_axis.dot(n), axes.z_axis.dot(n));
                let length = along.length();
                let over = length.recip();
                let at = along * over;
                (length > 0.0).then_some(Far { point: *center + *axes * at, at, over })
            }
        }
    }

    /// How far a farthest point goes along each of two unit vectors across the direction, when that turns toward the first or
    /// the second: the entries (first, first), (first, second) and (second, second).
    #[inline(always)]
    pub fn sway(&self, far: &Far, s: DVec3, t: DVec3) -> [f64; 3] {
        match self {
            Self::Point(_) => [0.0; 3],
            Self::Ring { axes: [x, y], .. } => {
                let along = *y * far.at.x - *x * far.at.y;
                let (p, q) = (along.dot(s), along.dot(t));
                [p * p * far.over, p * q * far.over, q * q * far.over]
            }
            Self::Ball { axes, .. } => {
                let seen = |d: DVec3| DVec3::new(axes.x_axis.dot(d), axes.y_axis.dot(d), axes.z_axis.dot(d));
                let (p, q) = (seen(s), seen(t));
                let (a, b) = (far.at.dot(p), far.at.dot(q));
                [
                    (p.length_squared() - a * a) * far.over,
                    (p.dot(q) - a * b) * far.over,
                    (q.length_squared() - b * b) * far.over,
                ]
            }
        }
    }
}

/// Vectors turned by a pose.
#[inline(always)]
fn turned(axes: &DMat3, pose: &Pose) -> DMat3 {
    DMat3 {
        x_axis: pose.rotate(axes.x_axis),
        y_axis: pose.rotate(axes.y_axis),
        z_axis: pose.rotate(axes.z_axis),
    }
}

impl Ruled {
    /// In the frame in which it stands at a pose.
    #[inline(always)]
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { origin: pose.apply(self.origin), axes: turned(&self.axes, pose), ..*self }
    }

    /// Of a straight edge; `None` where it has no length.
    #[inline]
    pub fn of_line(origin: DVec3, along: DVec3) -> Option<Self> {
        let unit = along.length();
        let z = along / unit;
        let (x, y) = z.any_orthonormal_pair();
        (unit > 0.0).then_some(Self {
            origin,
            axes: DMat3 { x_axis: x, y_axis: y, z_axis: z },
            radius: 0.0,
            slope: 0.0,
            unit,
        })
    }

    /// The state of the point at a height, on the line that a direction across the axis points to.
    #[inline]
    pub fn state(&self, turn: DVec2, height: f64) -> DVec3 {
        if self.unit > 0.0 { DVec3::new(height / self.unit, 0.0, 0.0) } else { turn.extend(height) }
    }
}

impl ConvexShape {
    /// A feature of the core as directions see it; `None` for planes and what has no formula.
    #[inline]
    pub fn view(&self, feature: Feature) -> Option<View> {
        match feature {
            Feature::Face(face) => match &self.faces[face.index()].sheet {
                Sheet::Ball { center, axes, .. } => {
                    Some(View::Round(Round::Ball { center: *center, axes: *axes }))
                }
                Sheet::Tube { origin, axes, radius, slope } => Some(View::Ruled(Ruled {
                    origin: *origin,
                    axes: *axes,
                    radius: *radius,
                    slope: *slope,
                    unit: 0.0,
                })),
                Sheet::Plane { .. } | Sheet::Other(_) => None,
            },
            Feature::Edge(edge) => match &self.edges[edge.index()].strand {
                Strand::Round { center, x, y } => {
                    Some(View::Round(Round::Ring { center: *center, axes: [*x, *y] }))
                }
                Strand::Line { origin, along } => Some(View::Ruled(Ruled::of_line(*origin, *along)?)),
                Strand::Other(_) => None,
            },
            Feature::Vertex(vertex) => Some(View::Round(Round::Point(self.vertices[vertex.index()]))),
        }
    }
}
