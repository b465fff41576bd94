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
use crate::surface::home::{jet, spline_axes, wrapped};
use crate::surface::{ParametricSurface, Surface};
use crate::tolerance::{APEX_REL, POLE_STEP_REL, SMOOTH_EDGE_RAD, TRIM_BOUNDARY_REL};
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
pub(super) struct Fold<'a> {
    surface: &'a Surface,
    /// Whether u is constant along it.
    at_u: bool,
    pub(super) at: f64,
    /// How far beside it normals are taken.
    step: f64,
    /// Whether the surface may be torn there.
    torn: bool,
    /// Its parts between crossing knots.
    parts: Vec<Range>,
}

/// How a face folds along all knots of continuity 0 or less within it; that a cone goes past its apex by rounding does not count.
pub(super) fn crease(face: &Face) -> Crease {
    let mut found = Crease::Convex;
    let bounds = face.region.bounds();
    let is_apex = |fold: &Fold<'_>| {
        let v = bounds.v;
        let off = (fold.at - v.low).min(v.high - fold.at);
        matches!(face.surface, Surface::Cone(_)) && off <= APEX_REL * v.width()
    };
    for fold in folds(&face.surface, bounds).iter().filter(|fold| !is_apex(fold)) {
        for along in fold.samples() {
            match fold.crease(face, along) {
                Crease::Convex => {}
                Crease::Unknown => found = Crease::Unknown,
                reflex @ Crease::Reflex(_) => return reflex,
            }
        }
    }
    found
}

/// Whether a face visibly folds, or may be torn, along a knot within it.
pub(super) fn is_folded(face: &Face) -> bool {
    let shows = |fold: &Fold<'_>, along: Range| {
        let middle = along.middle();
        (fold.torn || fold.is_visible(middle)) && fold.is_inside(face, middle)
    };
    folds(&face.surface, face.region.bounds()).iter().any(|fold| fold.samples().any(|at| shows(fold, at)))
}

/// The knots of continuity 0 or less within a rectangle, those along which u is constant first.
pub(super) fn folds(surface: &Surface, rect: Rect) -> Vec<Fold<'_>> {
    let Rect { u, v } = rect;
    let (domain, periods, splines) = (surface.domain(), surface.periods(), spline_axes(surface));
    let [by_u, by_v] = surface.breaks();
    let along_u = knots(u, domain.u, periods[0].filter(|_| splines[0]), &by_u);
    let along_v = knots(v, domain.v, periods[1].filter(|_| splines[1]), &by_v);
    let mut found = Vec::new();
    if along_u.is_empty() && along_v.is_empty() {
        return found;
    }
    for (at_u, mine, range, other, others) in
        [(true, &along_u, u, v, &along_v), (false, &along_v, v, u, &along_u)]
    {
        let ends = cut(range, mine);
        for knot in mine.iter().filter(|knot| knot.continuity <= 0) {
            let apart = |end: &f64| (end - knot.at).abs();
            let room = ends.iter().map(apart).filter(|&d| d > 0.0).fold(range.width(), f64::min);
            let parts = cut(other, others).windows(2).map(|pair| Range::new(pair[0], pair[1])).collect();
            let (step, torn) = (POLE_STEP_REL * room, knot.continuity < 0);
            found.push(Fold { surface, at_u, at: knot.at, step, torn, parts });
        }
    }
    found
}

/// The breaks within a range and the ends of a closed spline's domain where the range runs across them, in all turns.
fn knots(range: Range, domain: Range, period: Option<f64>, breaks: &[Break]) -> Vec<Break> {
    let inside = |at: f64| range.low < at && at < range.high;
    let Some(period) = period else {
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
    /// Whether u is constant along it.
    pub(super) const fn is_at_u(&self) -> bool {
        self.at_u
    }

    /// Whether the normal visibly jumps somewhere along it, or the surface may be torn.
    pub(super) fn shows(&self) -> bool {
        self.torn || self.samples().any(|along| self.is_visible(along.middle()))
    }

    fn place(&self, across: f64, along: f64) -> DVec2 {
        if self.at_u { DVec2::new(across, along) } else { DVec2::new(along, across) }
    }

    /// What each sample stands for.
    fn samples(&self) -> impl Iterator<Item = Range> {
        let share = |part: &Range, k: usize| part.at(k as f64 / SAMPLES as f64);
        self.parts
            .iter()
            .flat_map(move |part| (0..SAMPLES).map(move |k| Range::new(share(part, k), share(part, k + 1))))
    }

    /// How the face folds around the middle of a part of the line.
    fn crease(&self, face: &Face, part: Range) -> Crease {
        let along = part.middle();
        let angle = self.angle(along).filter(|_| !self.torn);
        let angle = angle.map(|angle| if face.reversed { -angle } else { angle });
        // Written so that NaN tells nothing.
        if angle.is_some_and(|angle| (-SMOOTH_EDGE_RAD..PI - SMOOTH_EDGE_RAD).contains(&angle)) {
            return Crease::Convex;
        }
        let reflex = angle.is_some_and(|angle| angle < -SMOOTH_EDGE_RAD && angle > SMOOTH_EDGE_RAD - PI);
        if reflex && self.is_inside(face, along) {
            return Crease::Reflex(self.place(self.at, along));
        }
        let line = Range::new(self.at, self.at);
        let rect = if self.at_u { Rect::new(line, part) } else { Rect::new(part, line) };
        if face.region.misses(rect) { Crease::Convex } else { Crease::Unknown }
    }

    fn is_inside(&self, face: &Face, along: f64) -> bool {
        let beside = [self.at - self.step, self.at + self.step].map(|t| self.place(t, along));
        beside.iter().all(|&at| face.side(at) == Side::Inside)
    }

    fn is_visible(&self, along: f64) -> bool {
        self.angle(along).is_some_and(|angle| angle.abs() > SMOOTH_EDGE_RAD)
    }

    /// From S_u × S_v before the knot to that behind it, positive where the surface folds away from it.
    fn angle(&self, along: f64) -> Option<f64> {
        let (before, behind) = (self.at - self.step, self.at + self.step);
        if before == self.at || behind == self.at {
            return None;
        }
        let normal = |t: f64| {
            let at = wrapped(self.surface, self.place(t, along));
            self.surface.normal(at.x, at.y)
        };
        let (n, m) = (normal(before)?, normal(behind)?);
        let jet = jet(self.surface, self.place(before, along));
        // The direction in which the side before the knot lies on the left.
        let line = crate::surface::unit(if self.at_u { jet.v } else { -jet.u })?;
        Some(n.cross(m).dot(line).atan2(n.dot(m)))
    }
}
