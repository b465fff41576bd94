//! A half-plane of parameters that holds what of a rectangle belongs to a face.
//!
//! Source: what of a rectangle is beyond the whole boundary along some direction is convex and has no boundary in it, so that one
//! of its points tells of all whether they are outside.
//! Differs: the direction is across the way that the boundary takes through the rectangle. Where that is one smooth curve, what is
//! left beyond the curve is as thin as the curve bends, a square of the rectangle's size.
//! Ends because: parts of the boundary are halved at most [`DEPTH`] times.
//! Cost: as a look at the cover of the rectangle, and the side of one point.
//! Not promised: a half-plane, where the boundary has a corner in the rectangle or runs through it twice, and on surfaces that go
//! around more than once.

use super::cover::{is_cubic_near, segment_meets};
use super::trace::TrimPiece;
use super::{Region, Side};
use crate::curve::Rect;
use crate::tolerance::TRIM_BOUNDARY_REL;
use glam::DVec2;

/// Halvings of a piece of the boundary.
const DEPTH: usize = 32;

/// Parts of the boundary in a rectangle beyond which none is looked at.
const MOST: usize = 16;

/// A share of a rectangle: how far the parts of the boundary in it may be off their edges.
const CLOSE: f64 = 1.0 / 4096.0;

/// All points p with normal · p ≤ offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane {
    /// Across its line; of any length.
    pub normal: DVec2,
    /// Where the line is.
    pub offset: f64,
}

impl HalfPlane {
    /// How far a point is beyond it, in lengths of the normal; negative inside.
    pub fn beyond(&self, point: DVec2) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

impl Region {
    /// A half-plane that holds all points of the face in a rectangle within [`Region::bounds`], and leaves out some of the
    /// rectangle; `None` where none is found.
    pub fn clip(&self, rect: Rect) -> Option<HalfPlane> {
        let size = DVec2::new(rect.u.width(), rect.v.width());
        if self.rect().is_some() || !(size.min_element() > 0.0) || self.goes_around_twice() {
            return None;
        }
        let mut near: Vec<TrimPiece> = Vec::new();
        for piece in self.chains().iter().flatten() {
            if !self.gather(piece, rect, DEPTH, &mut near) {
                return None;
            }
        }
        let low = DVec2::new(rect.u.low, rect.v.low);
        let scaled = |p: DVec2| (p - low) / size;
        let along: DVec2 = near.iter().map(|piece| scaled(piece.to()) - scaled(piece.from())).sum();
        // The face is on the left.
        let normal = DVec2::new(along.y, -along.x).try_normalize()?;
        let height = |piece: &TrimPiece| {
            let highest = piece.cubic.bezier_points().into_iter().map(|p| normal.dot(scaled(p)));
            highest.fold(f64::NEG_INFINITY, f64::max) + normal.abs().dot(piece.slack / size)
        };
        let extent = DVec2::new(self.bounds().u.width(), self.bounds().v.width());
        let rounding = TRIM_BOUNDARY_REL * (extent / size).max_element();
        let offset = near.iter().map(height).fold(f64::NEG_INFINITY, f64::max) + rounding;
        let corner = DVec2::new(f64::from(u8::from(normal.x > 0.0)), f64::from(u8::from(normal.y > 0.0)));
        // Written so that NaN is refused.
        if !(normal.dot(corner) > offset) {
            return None;
        }
        let far = low + corner * size;
        if self.side(far.x, far.y) != Side::Outside {
            return None;
        }
        let normal = normal / size;
        Some(HalfPlane { normal, offset: offset + normal.dot(low) })
    }

    /// Gathers the parts of a piece of the boundary that may run through a rectangle and are no longer than it; false where
    /// these are too many.
    fn gather(&self, piece: &TrimPiece, rect: Rect, depth: usize, near: &mut Vec<TrimPiece>) -> bool {
        let bounds = piece.bounds();
        if bounds.intersection(rect).is_none() {
            return true;
        }
        if piece.curve.is_none() {
            if segment_meets(piece.from(), piece.to(), rect) {
                near.push(piece.clone());
            }
            return near.len() < MOST;
        }
        if !is_cubic_near(piece, rect) {
            return true;
        }
        let long = bounds.u.width() > rect.u.width() || bounds.v.width() > rect.v.width();
        let rough = piece.slack.x > CLOSE * rect.u.width() || piece.slack.y > CLOSE * rect.v.width();
        if depth == 0 || !(long || rough) {
            near.push(piece.clone());
            return near.len() < MOST;
        }
        let halves = piece.halves(self.surface(), self.curves());
        halves.iter().all(|half| self.gather(half, rect, depth - 1, near))
    }
}
