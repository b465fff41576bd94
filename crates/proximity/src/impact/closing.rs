//! How fast two moving bodies can come nearer, and how much that can change.
//!
//! Source: the bounds of `rates` for both bodies, each point counted from the centre of its body.
//! Differs: DIFFERS: of a half-space the plane counts, which turns with it: the height of a point over it is n·(x − q), q being
//! the foot of the other body's centre, and its derivatives have those of n too.
//! Ends because: closed formulas.
//! Cost: a pass over the moves of both bodies, and over the corners of their boxes.
//! Not promised: sharp bounds.

use super::motion::Motion;
use super::rates::Rates;
use crate::tolerance::MOTION_ROUNDING_REL;
use clearance_geometry::bound::Aabb;
use clearance_geometry::{DMat3, DVec3, Plane};

/// What is known of a body's size; in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The middle of a box around it.
    pub(super) center: DVec3,
    /// The corners of the box, seen from the middle.
    corners: Vec<DVec3>,
    /// The farthest of them.
    pub(super) radius: f64,
    /// The plane of a half-space, which has no size.
    pub(super) plane: Option<Plane>,
    /// How fast points move at most by a change of shape.
    pub(super) growth: f64,
}

impl Subject {
    /// A box with its own axes.
    pub(super) fn of_frame(center: DVec3, axes: DMat3, half: DVec3) -> Self {
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            axes * (half * DVec3::new(sign(1), sign(2), sign(4)))
        };
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let radius = farthest(&corners);
        Self { center, corners, radius, plane: None, growth: 0.0 }
    }

    /// A box along the axes of the body.
    pub(super) fn of_box(center: DVec3, half: DVec3) -> Self {
        Self::of_frame(center, DMat3::IDENTITY, half)
    }

    /// The hull of points; few of them are its corners themselves.
    pub(super) fn of_points(points: &[DVec3]) -> Self {
        let around = Aabb::<3>::from_points(points.iter().map(|p| p.to_array()));
        if points.is_empty() {
            return Self::of_box(DVec3::ZERO, DVec3::ZERO);
        }
        let center = DVec3::from_array(around.center());
        let corners: Vec<DVec3> = points.iter().map(|p| *p - center).collect();
        if corners.len() > 64 {
            let radius = farthest(&corners);
            return Self { radius, ..Self::of_box(center, around.half_extents()) };
        }
        let radius = farthest(&corners);
        Self { center, corners, radius, plane: None, growth: 0.0 }
    }

    /// A half-space.
    pub(super) fn of_plane(plane: Plane) -> Self {
        let foot = plane.normal * plane.offset;
        Self { plane: Some(plane), ..Self::of_box(foot, DVec3::ZERO) }
    }

    /// A body whose points move by a change of shape, no faster than this.
    pub(super) fn growing(self, growth: f64) -> Self {
        Self { growth, ..self }
    }

    /// No point is farther from the origin of the body's frame.
    pub(super) fn reach(&self) -> f64 {
        self.center.length() + self.radius
    }

    /// No point is farther from the axis through the middle along `axis`.
    fn radius_about(&self, axis: DVec3) -> f64 {
        let across = self.corners.iter().map(|corner| axis.cross(*corner).length()).fold(0.0, f64::max);
        across.min(self.radius) + MOTION_ROUNDING_REL * self.radius
    }
}

fn farthest(corners: &[DVec3]) -> f64 {
    corners.iter().map(|corner| corner.length()).fold(0.0, f64::max) * (1.0 + MOTION_ROUNDING_REL)
}

/// Two bodies over an interval of time.
pub(super) struct Closing<'a> {
    subjects: &'a [Subject; 2],
    rates: [Rates; 2],
    /// How far points of each body can be from its middle, or from the axis of its rotation.
    radii: [f64; 2],
    /// How far they can have moved by a change of shape.
    grown: [f64; 2],
    span: f64,
}

/// Bounds on the first and second derivative of the height of a point.
struct Course {
    speed: f64,
    bend: f64,
}

impl<'a> Closing<'a> {
    /// From `from` on, for a time in which no velocity jumps.
    pub(super) fn new(subjects: &'a [Subject; 2], motions: &[Motion; 2], from: f64, span: f64) -> Self {
        let center = |i: usize| subjects[i].center;
        let mut rates = [0, 1].map(|i: usize| Rates::of(&motions[i], center(i), from, span));
        for i in [0, 1] {
            // A half-space is followed at the foot of the other body's middle.
            if let Some(plane) = subjects[i].plane {
                let local = rates[i].pose.apply_inverse(rates[1 - i].center.place);
                let foot = local - plane.normal * plane.distance(local);
                rates[i] = Rates::of(&motions[i], foot, from, span);
            }
        }
        let grown = [0, 1].map(|i: usize| (from.abs() + span) * subjects[i].growth);
        let radii = [0, 1].map(|i: usize| match rates[i].axis {
            Some(axis) => grown[i] + subjects[i].radius_about(rates[i].pose.rotate_inverse(axis)),
            None => grown[i] + subjects[i].radius,
        });
        Self { subjects, rates, radii, grown, span }
    }

    /// How fast the distance can shrink at any time of the interval.
    pub(super) fn speed(&self) -> f64 {
        let between = self.between();
        match self.half_space() {
            Some(half) => self.over_plane(half, between).speed,
            None => between,
        }
    }

    /// How fast points of both bodies can move against each other.
    fn between(&self) -> f64 {
        let [a, b] = &self.rates;
        let (of_a, of_b) = (a.center.velocity, b.center.velocity);
        let rounding = MOTION_ROUNDING_REL * (of_a.length() + of_b.length());
        let middles = of_a.distance(of_b) + rounding + (a.center.bend + b.center.bend) * self.span;
        let own = |i: usize| self.rates[i].turn * self.radii[i] + self.subjects[i].growth;
        // A half-space turns about its foot, which is counted by `over_plane`.
        let turning: f64 = [0, 1].into_iter().filter(|i| self.subjects[*i].plane.is_none()).map(own).sum();
        middles + turning
    }

    /// How fast the speed along a normal of the world can change, or along that of a half-space.
    pub(super) fn bend(&self, normal: DVec3) -> f64 {
        match self.half_space() {
            Some(half) if self.rates[half].turn > 0.0 => self.over_plane(half, self.between()).bend,
            _ => self.bend_of(0, Some(normal)) + self.bend_of(1, Some(normal)),
        }
    }

    /// The largest acceleration of a point of a body, along a fixed normal or in any direction.
    fn bend_of(&self, i: usize, normal: Option<DVec3>) -> f64 {
        let rates = &self.rates[i];
        let radius = if self.subjects[i].plane.is_some() { 0.0 } else { self.radii[i] };
        let most = rates.center.bend + (rates.turn * rates.turn + rates.twist) * radius;
        match (normal, rates.axis) {
            // All accelerations are across the only axis.
            (Some(normal), Some(axis)) => most * (normal.cross(axis).length() + MOTION_ROUNDING_REL),
            _ => most,
        }
    }

    fn half_space(&self) -> Option<usize> {
        self.subjects.iter().position(|subject| subject.plane.is_some())
    }

    /// The height over the plane of a half-space that may turn.
    fn over_plane(&self, half: usize, between: f64) -> Course {
        let other = 1 - half;
        let turn = self.rates[half].turn;
        if turn == 0.0 {
            return Course { speed: between, bend: self.bend_of(other, None) };
        }
        let [foot, middle] = [half, other].map(|i| self.rates[i].center.place);
        let rounding = MOTION_ROUNDING_REL * (foot.length() + middle.length());
        let radius = self.subjects[other].radius + self.grown[other];
        let far = foot.distance(middle) + rounding + radius + between * self.span;
        let pull = turn * turn + self.rates[half].twist;
        Course {
            speed: turn * far + between,
            bend: pull * far
                + 2.0 * turn * between
                + self.rates[half].center.bend
                + self.bend_of(other, None),
        }
    }

    /// How fast two points of the bodies come nearer along a normal now.
    pub(super) fn nearing(&self, points: [DVec3; 2], normal: DVec3) -> f64 {
        let [a, b] = [0, 1].map(|i: usize| self.rates[i].velocity_at(points[i]));
        normal.dot(a - b)
    }
}
