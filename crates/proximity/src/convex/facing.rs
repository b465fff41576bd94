//! The nearest points of two features that are apart, by the normal that they have in common.
//!
//! Source: the nearest points of convex bodies are farthest points along opposite directions, and the line between them is that
//! direction (001 §IV); Newton's method on it.
//! Differs: of features made of straight lines the direction has one unknown, the turn about the axis; of two cylinders none. The
//! system of the first step serves all; the last one is taken without a look at what it leaves.
//! Ends because: steps are counted.
//! Cost: one system of two unknowns and two or three farthest points of each feature.
//! Not promised: an answer for planes, splines, two cones, features that meet or are parallel; that the features are the closest
//! ones, or hold the points.

use super::newton::{Contact, Pair};
use super::solid::Solid;
use crate::tolerance;
use clearance_geometry::convex::{Round, Ruled, View};
use clearance_geometry::{DVec2, DVec3, Feature};

/// Newton steps.
const STEPS: usize = 5;

/// The longest of them; radians.
const LONGEST: f64 = 0.5;

/// Times the size of the pair and the distance: the square of how far points may go in the last step. What is left of them is about
/// that square over the size.
const ENOUGH: f64 = tolerance::SLIDE_LAST_STEP_REL * tolerance::SLIDE_LAST_STEP_REL;

/// The sine of the angle between axes below which rounding tells too much of what is across both.
const PARALLEL: f64 = 1.0 / 1024.0;

impl Pair<'_> {
    /// Runs from a direction near the normal; `None` where it does not settle, or a feature has no formula.
    #[inline]
    pub(crate) fn face(&self, features: [Feature; 2], start: DVec3) -> Option<Contact> {
        // All in the frame of A.
        let [near, far] = match (self.a.view(features[0])?, self.b.view(features[1])?) {
            (View::Round(Round::Point(one)), View::Round(Round::Point(other))) => {
                [On { point: one, at: DVec3::ZERO }, On { point: self.pose.apply(other), at: DVec3::ZERO }]
            }
            (View::Round(one), View::Round(other)) => {
                self.face_round(&one, &other.moved(&self.pose), start)?
            }
            (View::Ruled(one), View::Round(other)) => {
                face_ruled(&one, &other.moved(&self.pose), start, self.scale)?
            }
            (View::Round(one), View::Ruled(other)) => {
                let [far, near] = face_ruled(&other.moved(&self.pose), &one, -start, self.scale)?;
                [near, far]
            }
            (View::Ruled(one), View::Ruled(other)) => cross(&one, &other.moved(&self.pose), start)?,
        };
        self.contact(features, [near.at, far.at], [near.point, far.point])
    }

    /// Two features with a farthest point along every direction.
    #[inline]
    fn face_round(&self, one: &Round, other: &Round, start: DVec3) -> Option<[On; 2]> {
        let mut toward = shortened(start);
        let (f, g) = (one.farthest(toward)?, other.farthest(-toward)?);
        let mut apart = g.point - f.point;
        let mut n = shortened(toward);
        let signed = n.dot(apart);
        if !(signed > self.apart()) {
            return None;
        }
        let (s, t) = n.any_orthonormal_pair();
        let (near, far) = (one.sway(&f, s, t), other.sway(&g, s, t));
        // (distance + both sways) times the turn is what the direction misses.
        let (a, b, c) = (signed + near[0] + far[0], near[1] + far[1], signed + near[2] + far[2]);
        // How far points go in a turn of one, about.
        let way = 0.5 * a.max(c);
        let way_sq = way * way;
        let inverse = (a * c - b * b).recip();
        let (a, b, c) = (a * inverse, b * inverse, c * inverse);
        let enough = ENOUGH * self.scale * signed;
        let mut first = 0.0;
        for step in 0..STEPS {
            let off = apart - n * n.dot(apart);
            let (p, q) = (s.dot(off), t.dot(off));
            let turn = DVec2::new(c * p - b * q, a * q - b * p);
            let turn_sq = turn.length_squared();
            // Written so that NaN ends it.
            if !(turn_sq < LONGEST * LONGEST) {
                return None;
            }
            if step == 0 {
                first = turn_sq;
            }
            toward = n + s * turn.x + t * turn.y;
            let (f, g) = (one.farthest(toward)?, other.farthest(-toward)?);
            // A system that is not made anew leaves its own error times the step, not the square of that.
            if way_sq * way_sq * first * turn_sq <= enough * enough {
                return Some([On { point: f.point, at: f.at }, On { point: g.point, at: g.at }]);
            }
            apart = g.point - f.point;
            n = shortened(toward);
        }
        None
    }
}

/// Two features made of straight lines along their axes: the direction is across both.
#[inline]
fn cross(one: &Ruled, other: &Ruled, start: DVec3) -> Option<[On; 2]> {
    if one.slope != 0.0 || other.slope != 0.0 {
        return None;
    }
    let (z, w) = (one.axes.z_axis, other.axes.z_axis);
    let across = z.cross(w);
    let sine = across.length();
    if !(sine > PARALLEL) {
        return None;
    }
    let n = across * (start.dot(across).signum() / sine);
    let apart = other.origin - one.origin;
    let (cosine, square) = (z.dot(w), sine * sine);
    let (p, q) = (z.dot(apart), w.dot(apart));
    let heights = [(p - cosine * q) / square, (cosine * p - q) / square];
    Some([one.on(one.turn(n), heights[0]), other.on(other.turn(-n), heights[1])])
}

/// A vector of about unit length, nearer to it.
#[inline]
fn shortened(v: DVec3) -> DVec3 {
    v * (1.5 - 0.5 * v.length_squared())
}

/// A point with its state.
struct On {
    point: DVec3,
    at: DVec3,
}

/// What a ruled feature and directions have to do with each other.
trait Turned {
    /// The unit vector across the axis toward a direction.
    fn turn(&self, n: DVec3) -> DVec2;
    /// The point of a line at a height.
    fn on(&self, turn: DVec2, height: f64) -> On;
}

impl Turned for Ruled {
    #[inline]
    fn turn(&self, n: DVec3) -> DVec2 {
        DVec2::new(self.axes.x_axis.dot(n), self.axes.y_axis.dot(n)).normalize_or(DVec2::X)
    }

    #[inline]
    fn on(&self, turn: DVec2, height: f64) -> On {
        let out = self.radius + self.slope * height;
        let local = DVec3::new(out * turn.x, out * turn.y, height);
        On { point: self.origin + self.axes * local, at: self.state(turn, height) }
    }
}

/// The nearest points of a ruled feature and a round one, from a direction out of the ruled one: its normals have one unknown, the
/// turn about the axis, and what lies along its line is found at once.
#[inline]
fn face_ruled(ruled: &Ruled, round: &Round, start: DVec3, size: f64) -> Option<[On; 2]> {
    let Ruled { axes, slope, .. } = ruled;
    let stretch = 1.0 + slope * slope;
    let scale = if *slope == 0.0 { 1.0 } else { stretch.sqrt().recip() };
    let mut turn = ruled.turn(start);
    let mut settled = false;
    for _ in 0..=STEPS {
        let out = axes.x_axis * turn.x + axes.y_axis * turn.y;
        let n = (out - axes.z_axis * *slope) * scale;
        let far = round.farthest(-n)?;
        let seen = far.point - ruled.origin;
        let (ahead, above) = (out.dot(seen), axes.z_axis.dot(seen));
        if settled {
            let height = (slope * (ahead - ruled.radius) + above) / stretch;
            // The other nappe of a cone has other normals.
            if !(ruled.radius + slope * height >= 0.0) {
                return None;
            }
            return Some([ruled.on(turn, height), On { point: far.point, at: far.at }]);
        }
        let signed = (ahead - slope * above - ruled.radius) * scale;
        if !(signed > 0.0) {
            return None;
        }
        let along = axes.y_axis * turn.x - axes.x_axis * turn.y;
        let [sway, _, _] = round.sway(&far, along, along);
        let way = ahead + scale * sway;
        let by = along.dot(seen) / way;
        // Written so that NaN ends it.
        if !(by.abs() < LONGEST) {
            return None;
        }
        turn = (turn + turn.perp() * by).normalize_or(turn);
        settled = 0.25 * way * way * by * by <= ENOUGH * size * signed;
    }
    None
}

impl Solid<'_> {
    /// A feature of the core as directions see it; `None` for planes and what has no formula.
    #[inline]
    fn view(&self, feature: Feature) -> Option<View> {
        match (self, feature) {
            (Self::Round(shape), _) => shape.view(feature),
            (Self::Polytope(body), Feature::Vertex(v)) => Some(View::Round(Round::Point(body.vertex(v)))),
            (Self::Polytope(body), Feature::Edge(e)) => {
                let edge = body.edge(e);
                Some(View::Ruled(Ruled::of_line(body.vertex(edge.vertices[0]), edge.vector)?))
            }
            (Self::Polytope(_), Feature::Face(_)) => None,
        }
    }
}
