//! The trimmed part of a surface: a region of its parameters.
//!
//! Source: the crossing number of a ray, summed over all copies of the region on a periodic surface.
//! Differs: crossings are counted with their sign, so the count is the winding number. A piece of the boundary
//! is looked at closely only where the point lies in its rectangle, and is then halved at points of the edge itself.
//! Ends because: pieces are halved at most [`DEPTH`] times; what is left is on the boundary.
//! Cost: O(1) for a rectangle; else O(pieces), a few projections where the point is close to the boundary.
//! Not promised: the side of points within [`TRIM_BOUNDARY_REL`] of the region's extent from its boundary; they are on it.

use super::invert::{invert, rect_around};
use super::trace::TrimPiece;
use crate::EdgeId;
use crate::curve::{Curve, Range, Rect};
use crate::surface::{ParametricSurface, Surface};
use crate::tolerance::{STRAIGHT_REL, TRIM_BOUNDARY_REL};
use glam::{DVec2, DVec3};
use std::sync::Arc;

/// Halvings of a piece in an inside test.
const DEPTH: usize = 48;

/// Where a point of parameters lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Strictly within the face.
    Inside,
    /// On its boundary, within rounding.
    Boundary,
    /// Outside.
    Outside,
}

/// The parameters that a face covers; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    surface: Surface,
    curves: Arc<[Curve]>,
    chains: Arc<[Vec<TrimPiece>]>,
    bounds: Rect,
    rect: bool,
    periods: [Option<f64>; 2],
}

impl Region {
    pub(super) fn new(surface: Surface, curves: Vec<Curve>, mut chains: Vec<Vec<TrimPiece>>) -> Self {
        let periods = surface.periods();
        let domain = surface.domain();
        let around = |chains: &[Vec<TrimPiece>]| {
            let corners = |piece: &TrimPiece| {
                let Rect { u, v } = piece.bounds();
                [DVec2::new(u.low, v.low), DVec2::new(u.high, v.high)]
            };
            rect_around(chains.iter().flatten().flat_map(corners))
        };
        let bounds = around(&chains);
        // Into the first period, so that a full rectangle is the domain itself.
        let home = |range: Range, domain: Range, period: Option<f64>| match period {
            Some(period) if domain.low.is_finite() => {
                let slack = period * TRIM_BOUNDARY_REL;
                -period * ((range.low - domain.low + slack) / period).floor()
            }
            _ => 0.0,
        };
        let shift = DVec2::new(home(bounds.u, domain.u, periods[0]), home(bounds.v, domain.v, periods[1]));
        if shift != DVec2::ZERO {
            for piece in chains.iter_mut().flatten() {
                *piece = piece.clone().moved(shift);
            }
        }
        let bounds = around(&chains);
        let rect = chains.len() == 1 && is_rectangle(&chains[0], bounds);
        Self { surface, curves: curves.into(), chains: chains.into(), bounds, rect, periods }
    }

    /// A rectangle around the region; on a periodic surface it may leave the domain by less than a period.
    pub const fn bounds(&self) -> Rect {
        self.bounds
    }

    /// The rectangle that it is, if it is one.
    pub fn rect(&self) -> Option<Rect> {
        self.rect.then_some(self.bounds)
    }

    /// The copy of a point that lies in [`Region::bounds`], where the surface is periodic and there is one.
    #[inline]
    pub fn wrapped(&self, u: f64, v: f64) -> DVec2 {
        let wrap = |t: f64, range: Range, period: Option<f64>| match period {
            Some(period) if !range.contains(t) => {
                // Angles are mostly one turn below.
                let is_next = t < range.low && t >= range.low - period;
                let turns = if is_next { -1.0 } else { ((t - range.low) / period).floor() };
                let moved = t - period * turns;
                // A copy just below the lower end is as good as one a period above.
                if moved > range.high && range.low - (moved - period) <= period * TRIM_BOUNDARY_REL {
                    range.low
                } else {
                    moved
                }
            }
            _ => t,
        };
        DVec2::new(wrap(u, self.bounds.u, self.periods[0]), wrap(v, self.bounds.v, self.periods[1]))
    }

    /// Where a point of parameters lies; NaN lies outside.
    pub fn side(&self, u: f64, v: f64) -> Side {
        let at = self.wrapped(u, v);
        let Rect { u: along, v: across } = self.bounds;
        let slack = DVec2::new(along.width(), across.width()) * TRIM_BOUNDARY_REL;
        if self.rect {
            let u = side_of_range(at.x, along, slack.x, self.periods[0]);
            let v = side_of_range(at.y, across, slack.y, self.periods[1]);
            return match (u, v) {
                (Side::Inside, Side::Inside) => Side::Inside,
                (Side::Outside, _) | (_, Side::Outside) => Side::Outside,
                _ => Side::Boundary,
            };
        }
        if !(at.x >= along.low - slack.x
            && at.x <= along.high + slack.x
            && at.y >= across.low - slack.y
            && at.y <= across.high + slack.y)
        {
            return Side::Outside;
        }
        match self.winding(at, slack) {
            None => Side::Boundary,
            Some(0) => Side::Outside,
            Some(_) => Side::Inside,
        }
    }

    /// How often the boundary runs around the copies of a point; `None` on the boundary.
    fn winding(&self, at: DVec2, slack: DVec2) -> Option<i32> {
        // The point itself, or one for each period that the boundary may reach.
        let copies = |t: f64, range: Range, period: Option<f64>| {
            let step = period.unwrap_or(0.0);
            let (from, to) = match period {
                Some(_) => (((range.low - t) / step).floor() as i32, ((range.high - t) / step).ceil() as i32),
                None => (0, 0),
            };
            (from..=to).map(move |k| t + f64::from(k) * step)
        };
        let mut sum = 0;
        for u in copies(at.x, self.bounds.u, self.periods[0]) {
            for v in copies(at.y, self.bounds.v, self.periods[1]) {
                for piece in self.chains.iter().flatten() {
                    sum += self.crossings(piece, DVec2::new(u, v), slack, DEPTH)?;
                }
            }
        }
        Some(sum)
    }

    /// Signed crossings of the ray from `at` toward smaller v; `None` on the piece.
    fn crossings(&self, piece: &TrimPiece, at: DVec2, slack: DVec2, depth: usize) -> Option<i32> {
        let Rect { u, v } = piece.bounds();
        let beyond = |p: DVec2| i32::from(p.x > at.x);
        if at.y < v.low - slack.y || at.x < u.low - slack.x || at.x > u.high + slack.x {
            return Some(if at.y < v.low - slack.y { 0 } else { beyond(piece.to()) - beyond(piece.from()) });
        }
        if at.y > v.high + slack.y {
            return Some(beyond(piece.to()) - beyond(piece.from()));
        }
        if piece.curve.is_none() {
            return self.straight_crossings(piece, at, slack);
        }
        if depth == 0 || (u.width() <= slack.x && v.width() <= slack.y) {
            return None;
        }
        let [one, other] = piece.halves(&self.surface, &self.curves);
        Some(self.crossings(&one, at, slack, depth - 1)? + self.crossings(&other, at, slack, depth - 1)?)
    }

    fn straight_crossings(&self, piece: &TrimPiece, at: DVec2, slack: DVec2) -> Option<i32> {
        let (from, to) = (piece.from(), piece.to());
        // In units of the slack, in which "close" is a distance of 1.
        let scale = slack.max(DVec2::splat(f64::MIN_POSITIVE));
        let (a, d) = ((at - from) / scale, (to - from) / scale);
        let s = (a.dot(d) / d.length_squared()).clamp(0.0, 1.0);
        // Lines that close a chain are no boundary, and neither is a point without extent.
        if piece.edge.is_some() && (a - d * s).length() <= 1.0 {
            return None;
        }
        let beyond = |p: DVec2| i32::from(p.x > at.x);
        let crossing = beyond(to) - beyond(from);
        if crossing == 0 {
            return Some(0);
        }
        // Above the line: on its left where it runs toward larger u.
        let above = (to - from).perp_dot(at - from) * f64::from(crossing) > 0.0;
        Some(if above { crossing } else { 0 })
    }

    /// The parameters of a point of an edge at its parameter `t`, on the piece of the boundary that is this edge, run
    /// in its direction or `against` it.
    pub(super) fn parameters_of(&self, edge: EdgeId, t: f64, point: DVec3, against: bool) -> DVec2 {
        let runs_so =
            |piece: &&TrimPiece| piece.edge == Some(edge) && (piece.along[1] < piece.along[0]) == against;
        let off = |piece: &&TrimPiece| {
            let [a, b] = piece.along;
            Range::new(a.min(b), a.max(b)).clamp(t) - t
        };
        let all = || self.chains.iter().flatten();
        let nearest = |a: &&TrimPiece, b: &&TrimPiece| off(a).abs().total_cmp(&off(b).abs());
        let piece = all().filter(runs_so).min_by(nearest);
        let piece = piece.or_else(|| all().filter(|piece| piece.edge == Some(edge)).min_by(nearest));
        let near = piece.map(|piece| {
            let [a, b] = piece.along;
            piece.cubic.at(((t - a) / (b - a)).clamp(0.0, 1.0))
        });
        invert(&self.surface, point, near)
    }

    pub(super) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(super) fn curves(&self) -> &[Curve] {
        &self.curves
    }

    pub(super) fn chains(&self) -> &[Vec<TrimPiece>] {
        &self.chains
    }
}

fn side_of_range(t: f64, range: Range, slack: f64, period: Option<f64>) -> Side {
    // Written so that NaN is outside.
    if !(t >= range.low - slack && t <= range.high + slack) {
        return Side::Outside;
    }
    let around = period.is_some_and(|period| range.width() >= period * (1.0 - TRIM_BOUNDARY_REL));
    if around || (t > range.low + slack && t < range.high - slack) { Side::Inside } else { Side::Boundary }
}

/// Whether a chain runs straight along the sides of `bounds` and around all of it.
pub(super) fn is_rectangle(chain: &[TrimPiece], bounds: Rect) -> bool {
    let Rect { u, v } = bounds;
    let size = DVec2::new(u.width(), v.width());
    let near = |a: f64, b: f64, size: f64| (a - b).abs() <= STRAIGHT_REL * size.max(a.abs());
    let mut twice = 0.0;
    for piece in chain {
        let (a, b) = (piece.from(), piece.to());
        let on_u = [u.low, u.high].iter().any(|&end| near(a.x, end, size.x) && near(b.x, end, size.x));
        let on_v = [v.low, v.high].iter().any(|&end| near(a.y, end, size.y) && near(b.y, end, size.y));
        // A line across a surface that closes on itself runs out and back.
        let inner = piece.edge.is_none() && (near(a.x, b.x, size.x) || near(a.y, b.y, size.y));
        if piece.curve.is_some() || !(on_u || on_v || inner) {
            return false;
        }
        let corner = DVec2::new(u.low, v.low);
        twice += (a - corner).perp_dot(b - corner);
    }
    let whole = 2.0 * size.x * size.y;
    (twice - whole).abs() <= TRIM_BOUNDARY_REL * whole
}
