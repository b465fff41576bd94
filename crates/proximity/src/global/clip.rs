//! What of a cell belongs to its face, as a polygon.
//!
//! Source: a cell of small parameters is nearly its tangent plane; a half-plane of parameters holds what of it belongs to the face.
//! Differs: hulls of control points reach beyond the rim of a trimmed face by a cell's size, polygons by its square. Where a rim all but
//! touches another surface, cells would be cut until they are as small as the gap otherwise.
//! Ends because: closed formulas and one look at the region.
//! Cost: a look at the region for each trimmed cell of a pair, so that easy searches do without.
//! Not promised: a polygon at corners of rims, and on surfaces whose parameters do not run evenly over a piece.

use super::descend::Shape as _;
use super::search::{Over, Search, Waiting};
use super::side::Side;
use super::slab::{across, along_both_ways, toward};
use crate::tolerance::{HEIGHT_ERROR_REL, TRIM_MARGIN_REL};
use clearance_geometry::curve::Rect;
use clearance_geometry::pieces::Pace;
use clearance_geometry::tiled::{Cover, HalfPlane};
use clearance_geometry::{DVec2, DVec3};

/// Pairs after which rims are taken to be close to another surface.
const CLIP_AFTER: u64 = 512;

/// Corners of a rectangle without a part beyond a line.
const MOST_CORNERS: usize = 5;

/// A polygon that holds what of a cell belongs to its face, but for a length.
struct Clipped {
    corners: [DVec3; MOST_CORNERS],
    count: usize,
    slack: f64,
}

impl Clipped {
    fn points(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }
}

impl Side<'_> {
    fn clipped(&mut self, at: u32) -> Option<Clipped> {
        let cell = *self.cell(at);
        let piece = self.piece(&cell);
        if cell.dimension < 2 || cell.cover != Cover::Unknown || piece.span.paces != [Pace::Even; 2] {
            return None;
        }
        let face = self.face(piece)?;
        let margin = DVec2::splat(TRIM_MARGIN_REL);
        let around = piece.span.part(cell.low - margin, cell.high + margin);
        let own = piece.span.part(cell.low, cell.high);
        let half = face.region.clip(around)?;
        let (polygon, count) = without_beyond(around, &half);
        let first = self.first(at);
        let net = Over { degrees: cell.degrees, net: self.net(&cell) };
        let middle = net.jet(DVec2::splat(0.5)).point;
        let low = DVec2::new(own.u.low, own.v.low);
        let size = DVec2::new(own.u.width(), own.v.width());
        let mut clipped = Clipped { corners: [DVec3::ZERO; MOST_CORNERS], count, slack: cell.slack };
        let mut off = 0.0_f64;
        for (corner, parameters) in clipped.corners.iter_mut().zip(&polygon[..count]) {
            let from_middle = (*parameters - low) / size - DVec2::splat(0.5);
            *corner = middle + first[0].center * from_middle.x + first[1].center * from_middle.y;
            off = off.max(first[0].radius * from_middle.x.abs() + first[1].radius * from_middle.y.abs());
        }
        clipped.slack += off;
        (count > 0 && off.is_finite()).then_some(clipped)
    }
}

/// The corners of what of a rectangle is not beyond a line.
fn without_beyond(Rect { u, v }: Rect, half: &HalfPlane) -> ([DVec2; MOST_CORNERS], usize) {
    let corners = [(u.low, v.low), (u.high, v.low), (u.high, v.high), (u.low, v.high)].map(DVec2::from);
    let (mut kept, mut count) = ([DVec2::ZERO; MOST_CORNERS], 0);
    let mut keep = |point: DVec2| {
        if count < MOST_CORNERS {
            kept[count] = point;
            count += 1;
        }
    };
    for (k, corner) in corners.iter().enumerate() {
        let next = corners[(k + 1) % 4];
        let heights = [half.beyond(*corner), half.beyond(next)];
        if heights[0] <= 0.0 {
            keep(*corner);
        }
        if (heights[0] > 0.0) != (heights[1] > 0.0) {
            keep(*corner + (next - *corner) * (heights[0] / (heights[0] - heights[1])));
        }
    }
    (kept, count)
}

impl Search<'_> {
    /// A pair of cells with the bound that what of them belongs to their faces has, where that is better.
    pub(super) fn clipped(&mut self, [a, b]: [u32; 2], mut pair: Waiting) -> Waiting {
        // A checker knows of control points alone.
        if self.record.is_kept() || self.work.pairs <= CLIP_AFTER || pair.slab.lower >= self.enough() {
            return pair;
        }
        let (of_a, of_b) = (self.a.clipped(a), self.b.clipped(b));
        if of_a.is_none() && of_b.is_none() {
            return pair;
        }
        let (cell_a, cell_b) = (self.a.cell(a), self.b.cell(b));
        let slack_of =
            |clipped: &Option<Clipped>, own: f64| clipped.as_ref().map_or(own, |clipped| clipped.slack);
        let slacks = slack_of(&of_a, cell_a.slack) + slack_of(&of_b, cell_b.slack);
        let whole = [self.a.points(cell_a), self.b.points(cell_b)];
        let points_a = of_a.as_ref().map_or(whole[0], Clipped::points);
        let points_b = of_b.as_ref().map_or(whole[1], Clipped::points);
        let between = middle(points_b) - middle(points_a);
        let reach = cell_a.center.abs().max_element() + cell_b.center.abs().max_element() + between.length();
        let slack = slacks + HEIGHT_ERROR_REL * reach;
        let enough = self.enough();
        toward(points_a, points_b, between, slack, enough, &mut pair.slab);
        for (cell, points) in [(cell_a, whole[0]), (cell_b, whole[1])] {
            if cell.dimension < 2 || pair.slab.lower >= enough {
                continue;
            }
            along_both_ways(points_a, points_b, across(cell.degrees, points), slack, &mut pair.slab);
        }
        pair
    }
}

fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}
