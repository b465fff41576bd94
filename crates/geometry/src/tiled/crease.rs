//! Which way a face folds along the knots of its surface across which the normal may jump.
//!
//! Source: the sign of (n₀ × n₁) · τ with the normals on both sides of the knot, as at an edge between two faces.
//! Differs: nothing to differ from.
//! Ends because: knots and samples are counted.
//! Cost: [`SAMPLES`] pairs of normals for each tile beside such a knot.
//! Not promised: a change of sign between two samples is missed.

use super::{Face, Side};
use crate::DVec2;
use crate::curve::{Break, Range, Rect};
use crate::surface::ParametricSurface;
use crate::tolerance::{POLE_STEP_REL, SMOOTH_EDGE_RAD, TRIM_BOUNDARY_REL};
use std::f64::consts::PI;

/// Points of a knot line between two crossing ones at which normals are compared.
const SAMPLES: usize = 9;

/// How a face folds along its knots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Crease {
    /// Inward or not at all.
    Convex,
    /// Outward at these parameters.
    Reflex(DVec2),
    /// Some pair of normals does not tell.
    Unknown,
}

/// A line of parameters along which the normal may jump.
struct Fold<'a> {
    face: &'a Face,
    /// Whether u is constant along it.
    at_u: bool,
    at: f64,
    /// How far beside it normals are taken.
    step: f64,
    /// Whether the surface may be torn there.
    torn: bool,
}

/// All knots of continuity 0 or less within the face.
pub(super) fn crease(face: &Face) -> Crease {
    let Rect { u, v } = face.region.bounds();
    let (domain, periods) = (face.surface.domain(), face.surface.periods());
    let [by_u, by_v] = face.surface.breaks();
    let along_u = knots(u, domain.u, periods[0], &by_u);
    let along_v = knots(v, domain.v, periods[1], &by_v);
    let mut unknown = false;
    for (at_u, mine, range, other, others) in
        [(true, &along_u, u, v, &along_v), (false, &along_v, v, u, &along_u)]
    {
        let ends = cut(range, mine);
        for knot in mine.iter().filter(|knot| knot.continuity <= 0) {
            let apart = |end: &f64| (end - knot.at).abs();
            let room = ends.iter().map(apart).filter(|&d| d > 0.0).fold(range.width(), f64::min);
            let step = POLE_STEP_REL * room;
            let fold = Fold { face, at_u, at: knot.at, step, torn: knot.continuity < 0 };
            for pair in cut(other, others).windows(2) {
                match fold.sampled(Range::new(pair[0], pair[1])) {
                    Crease::Convex => {}
                    Crease::Unknown => unknown = true,
                    reflex @ Crease::Reflex(_) => return reflex,
                }
            }
        }
    }
    if unknown { Crease::Unknown } else { Crease::Convex }
}

/// The breaks within a range and the ends of the domain where the range runs across them, in all turns.
fn knots(range: Range, domain: Range, period: Option<f64>, breaks: &[Break]) -> Vec<Break> {
    let inside = |at: f64| range.low < at && at < range.high;
    // The sweep of an analytic curve has no knots, and an angle no seam.
    let Some(period) = period.filter(|_| !breaks.is_empty()) else {
        return breaks.iter().copied().filter(|knot| inside(knot.at)).collect();
    };
    // Around all of the surface the end of the range is a line within the face too.
    let around = range.width() >= period * (1.0 - TRIM_BOUNDARY_REL);
    let mut found = Vec::new();
    for turn in [-1.0, 0.0, 1.0] {
        for knot in breaks.iter().copied().chain([Break { at: domain.low, continuity: 0 }]) {
            let at = knot.at + turn * period;
            if inside(at) || (around && at == range.low) {
                found.push(Break { at, ..knot });
            }
        }
    }
    found.sort_by(|a, b| a.at.total_cmp(&b.at));
    found
}

fn cut(range: Range, knots: &[Break]) -> Vec<f64> {
    let mut ends = vec![range.low];
    ends.extend(knots.iter().map(|knot| knot.at));
    ends.push(range.high);
    ends.dedup();
    ends
}

impl Fold<'_> {
    fn place(&self, across: f64, along: f64) -> DVec2 {
        if self.at_u { DVec2::new(across, along) } else { DVec2::new(along, across) }
    }

    /// The part of the line over a range between crossing knots.
    fn sampled(&self, range: Range) -> Crease {
        let mut found = Crease::Convex;
        for k in 0..SAMPLES {
            let share = |by: f64| range.at((k as f64 + by) / SAMPLES as f64);
            let along = share(0.5);
            let angle = self.angle(along);
            // Written so that NaN tells nothing.
            if angle.is_some_and(|angle| (-SMOOTH_EDGE_RAD..PI - SMOOTH_EDGE_RAD).contains(&angle)) {
                continue;
            }
            let reflex = angle.is_some_and(|angle| angle < -SMOOTH_EDGE_RAD && angle > SMOOTH_EDGE_RAD - PI);
            let beside = [self.at - self.step, self.at + self.step].map(|t| self.place(t, along));
            if reflex && beside.iter().all(|&at| self.face.side(at) == Side::Inside) {
                return Crease::Reflex(self.place(self.at, along));
            }
            let (line, part) = (Range::new(self.at, self.at), Range::new(share(0.0), share(1.0)));
            let rect = if self.at_u { Rect::new(line, part) } else { Rect::new(part, line) };
            if !self.face.region.misses(rect) {
                found = Crease::Unknown;
            }
        }
        found
    }

    /// From the normal before the knot to that behind it, positive where the face folds inward.
    fn angle(&self, along: f64) -> Option<f64> {
        let (before, behind) = (self.at - self.step, self.at + self.step);
        if self.torn || before == self.at || behind == self.at {
            return None;
        }
        let [n, m] = [before, behind].map(|t| self.face.normal(self.place(t, along)));
        let (n, m) = (n?, m?);
        let jet = self.face.jet(self.place(before, along));
        // The direction in which the side before the knot lies on the left, seen from outside.
        let line = if self.at_u { jet.v } else { -jet.u };
        let line = crate::surface::unit(if self.face.reversed { -line } else { line })?;
        Some(n.cross(m).dot(line).atan2(n.dot(m)))
    }
}
