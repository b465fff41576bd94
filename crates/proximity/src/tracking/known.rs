//! Why a part of a body is not beyond a plane or sphere, and how far both may move before it may be.
//!
//! Source: see `crest`.
//! Differs: nothing.
//! Ends because: closed formulas.
//! Cost: some dozens of operations.
//! Not promised: the longest time that the reason holds.

use super::sight::{BENDING, Sight};
use crate::global::side::{Part, Side};
use clearance_geometry::DVec3;

/// The share of its reach that the nearest point may go before a part is looked at again.
const WAY_SHARE: f64 = 0.25;

/// The share of what points may be beyond that nearest points may fall behind by before all parts are looked at again.
pub(super) const FALL_SHARE: f64 = 0.25;

/// The share of what points may be beyond that a corner may be off the nearest point, and that rounding may take there.
pub(super) const APEX_SHARE: f64 = 1.0 / 16.0;

/// Why a part is not beyond.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// Its control points are not.
    Below,
    /// One of its corners is the nearest point, and all of it falls away from there in proportion to the distance.
    Apex,
    /// It has a slope, so that other parts are farther beyond.
    Sloped,
    /// It is concave, by at least so much along each parameter; the nearest point tells of all of it.
    Concave([f64; 2]),
}

/// A part that is not beyond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) part: Part,
    pub(super) reason: Reason,
    /// What it was seen by.
    normal: DVec3,
    point: DVec3,
    bend: f64,
    /// What it is below by, or the turning that it outlasts.
    margin: f64,
    /// Ball around it.
    center: DVec3,
    radius: f64,
    /// The most that a point of it is away from the nearest one.
    reach: f64,
    /// What points were allowed to be beyond.
    share: f64,
}

impl Known {
    pub(super) fn new(side: &Side<'_>, part: Part, reason: Reason, sight: &Sight, margin: f64) -> Self {
        let Sight { normal, point, bend, share, .. } = *sight;
        let (center, radius) = side.ball(part);
        let reach = center.distance(point) + radius;
        Self { part, reason, normal, point, bend, margin, center, radius, reach, share }
    }

    /// How far the normal may turn, and the nearest point go, from now on before it may be beyond, or a concave part not
    /// concave any more; `None` where it may be so now. `span` is the most that two points of the body are apart.
    pub(super) fn room(&self, now: &Sight, span: f64) -> Option<[f64; 2]> {
        let moved = self.point - now.point;
        let turning = now.normal - self.normal + now.bend * moved;
        let turned = turning.length();
        let bent = now.bend - self.bend;
        match self.reason {
            Reason::Below => {
                let farther = now.normal.dot(moved) + 0.5 * now.bend * moved.length_squared();
                // A part that the turning lowers comes no closer but for its size.
                let raised = turning.dot(self.center - self.point) + turned * self.radius;
                let bulged = 0.5 * bent.max(0.0) * self.reach * self.reach;
                let left = self.margin + now.share - raised - bulged - farther;
                let reach = self.reach + moved.length();
                let room = (left - FALL_SHARE * now.share) / ((1.0 + WAY_SHARE) * reach);
                (left >= 0.0).then_some([room, WAY_SHARE * reach])
            }
            Reason::Apex => {
                let farther = now.normal.dot(moved) + 0.5 * now.bend * moved.length_squared();
                let left = self.margin - turned - 0.5 * bent.max(0.0) * self.reach;
                // Turning acts on the way of the nearest point too, which no corner follows.
                let way = APEX_SHARE * now.share - moved.length();
                // Four of these shares are taken by what the corner is off, one by that way, one by rounding; all of what was
                // allowed then.
                let allowed = now.share >= self.share;
                let near = farther <= (1.0 - FALL_SHARE - 6.0 * APEX_SHARE) * now.share;
                let stays = allowed && left > 0.0 && way >= 0.0 && near;
                stays.then_some([left, way])
            }
            Reason::Sloped => {
                let left = self.margin - turned - bent.abs() * self.reach;
                (left > 0.0).then_some([left, f64::INFINITY])
            }
            Reason::Concave(_) => {
                let left = self.margin - turned - bent.abs() * self.reach;
                let bending = BENDING * self.bend.abs() - bent.abs();
                let room = if self.bend == 0.0 { left } else { left.min(bending * span) };
                (left >= 0.0 && bending >= 0.0).then_some([room, f64::INFINITY])
            }
        }
    }
}
