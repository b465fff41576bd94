//! A point and a planar body, inside or outside: one witness for each curve, the nearest of them active.
//!
//! Source: 001 §V.B, figures 8–11: outside the automaton goes from curve to corner to curve, inside it jumps across
//! the medial axis from curve to curve.
//! Differs: neither the Voronoi regions nor the medial axis are computed. DIFFERS: each curve keeps its own witness,
//! held at its ends; the nearest one is active, which changes exactly where the point crosses one of those lines.
//! Ends because: nothing is repeated.
//! Cost: one step of a controller per curve.
//! Not promised: the nearest point where a curve has several feet.

use super::{Automaton, Carrier, Controller, Couple, Hold, Moment, Settings};
use clearance_geometry::tiled::Side;
use clearance_geometry::{DVec2, DVec3, PlanarTiled, Pose};

/// The closest point of a planar body to a moving point.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarTiled, curve::{PlanarCurve, Range}};
/// use clearance_proximity::published::{OutlineTracker, Settings};
/// let arc = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
/// let side = PlanarCurve::segment(DVec2::NEG_X, DVec2::X)?;
/// let body = PlanarTiled::new(vec![(arc, Range::new(0.0, 3.141592653589793)), (side, Range::new(0.0, 1.0))])?;
/// let mut tracker = OutlineTracker::new(&body, Settings::default(), &["arc", "side"], &["right", "left"]);
/// for step in 0..50 {
///     tracker.step(&|_| (DVec2::new(0.1, 0.2), DVec2::ZERO), f64::from(step) / 1000.0);
/// }
/// assert_eq!(tracker.name(), "side");
/// assert!((tracker.signed_distance() + 0.2).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OutlineTracker {
    body: PlanarTiled,
    couples: Vec<Couple>,
    controllers: Vec<Controller>,
    names: [Vec<String>; 2],
    active: usize,
    point: DVec2,
    automaton: Automaton,
}

impl OutlineTracker {
    /// A tracker whose witnesses start in the middle of each curve. Corner k is where curve k begins.
    pub fn new(body: &PlanarTiled, settings: Settings, curves: &[&str], corners: &[&str]) -> Self {
        let carrier = |k: usize| {
            let side = &body.sides()[k];
            Carrier::Arc { curve: side.curve.curve().clone(), range: side.range }
        };
        let couple = |k: usize| Couple { a: carrier(k), b: Carrier::Point(DVec3::ZERO) };
        let start = |k: usize| [body.sides()[k].range.middle(), 0.0, 0.0, 0.0];
        let count = body.sides().len();
        let name = |given: &[&str], letter: &str, k: usize| {
            given.get(k).map_or_else(|| format!("{letter}{}", k + 1), |name| (*name).to_owned())
        };
        let names: [Vec<String>; 2] = [
            (0..count).map(|k| name(curves, "C", k)).collect(),
            (0..count).map(|k| name(corners, "V", k)).collect(),
        ];
        Self {
            body: body.clone(),
            automaton: possible(&names),
            couples: (0..count).map(couple).collect(),
            controllers: (0..count).map(|k| Controller::new(settings, start(k))).collect(),
            names,
            active: 0,
            point: DVec2::ZERO,
        }
    }

    /// The parameter of the witness on a curve now.
    pub fn parameter(&self, curve: usize) -> f64 {
        self.controllers[curve].at[0]
    }

    /// Puts the witness of a curve at a parameter.
    pub fn place(&mut self, curve: usize, at: f64) {
        self.controllers[curve].restart([at, 0.0, 0.0, 0.0]);
    }

    /// One step from `time`; `path` says where the point is at a time and how fast.
    pub fn step(&mut self, path: &dyn Fn(f64) -> (DVec2, DVec2), time: f64) {
        let moments = |at: f64| {
            let (point, velocity) = path(at);
            Moment::moving(Pose::IDENTITY.with_translation(point.extend(0.0)), velocity.extend(0.0))
        };
        let mut after = time;
        for (controller, couple) in self.controllers.iter_mut().zip(&self.couples) {
            controller.step(couple, &moments, time);
            after = time + 1.0 / controller.settings.rate;
        }
        self.point = path(after).0;
        let incumbent = self.apart(self.active);
        let nearest = (0..self.couples.len()).min_by(|&x, &y| self.apart(x).total_cmp(&self.apart(y)));
        if let Some(nearest) = nearest
            && self.apart(nearest) < incumbent
        {
            self.active = nearest;
        }
        let name = self.name().to_owned();
        self.automaton.enter(after, &name);
    }

    fn apart(&self, curve: usize) -> f64 {
        self.witness_of(curve).distance(self.point)
    }

    fn witness_of(&self, curve: usize) -> DVec2 {
        self.couples[curve].a.jet([self.parameter(curve), 0.0]).point.truncate()
    }

    /// The active curve.
    pub const fn curve(&self) -> usize {
        self.active
    }

    /// The corner that the witness is held at, seen from outside; `None` on a curve.
    pub fn corner(&self) -> Option<usize> {
        if self.is_inside() {
            return None;
        }
        let count = self.couples.len();
        let [from, _] = self.body.sides()[self.active].ends();
        match self.controllers[self.active].holds[0] {
            Hold::Free => None,
            _ if self.parameter(self.active) == from => Some(self.active),
            _ => Some((self.active + 1) % count),
        }
    }

    /// The name of the active curve or corner.
    pub fn name(&self) -> &str {
        match self.corner() {
            Some(corner) => &self.names[1][corner],
            None => &self.names[0][self.active],
        }
    }

    /// The nearest point.
    pub fn witness(&self) -> DVec2 {
        self.witness_of(self.active)
    }

    /// Whether the point is inside.
    pub fn is_inside(&self) -> bool {
        self.body.side_of(self.point) == Side::Inside
    }

    /// The distance, negative inside.
    pub fn signed_distance(&self) -> f64 {
        let apart = self.apart(self.active);
        if self.is_inside() { -apart } else { apart }
    }

    /// What has switched when.
    pub const fn automaton(&self) -> &Automaton {
        &self.automaton
    }
}

/// The automaton of 001's figure 9: outside from curve to corner to curve, inside from curve to curve.
fn possible([curves, corners]: &[Vec<String>; 2]) -> Automaton {
    let mut automaton = Automaton::default();
    for k in 0..curves.len() {
        let next = (k + 1) % curves.len();
        automaton.declare(&corners[k]);
        automaton.declare(&curves[k]);
        for (from, to) in
            [(&corners[k], &curves[k]), (&curves[k], &corners[next]), (&curves[k], &curves[next])]
        {
            automaton.allow(from, to);
            automaton.allow(to, from);
        }
    }
    automaton
}
