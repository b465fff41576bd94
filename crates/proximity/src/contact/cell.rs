//! A part of one surface, and how deep it is at most inside the other body.
//!
//! Source: Lipschitz's condition: where a ball of radius ρ around o is outside a body, a point p inside it is at most |p − o| − ρ
//! deep. The bound is convex in p, so that its greatest value over a part is at a control point.
//! Differs: balls lie beyond the boundary point nearest to the middle of the part. The larger they are, the flatter the bound: it
//! is off by the square of the part's size where the surface has a summit. On a ridge, where points of the other boundary tie,
//! a mean of the bounds of two balls is as flat.
//! Ends because: lists of balls and of control points are short.
//! Cost: a distance of a point from the other body for the middle and mostly one for the ball.
//! Not promised: a proof: which side of the boundary a point is on is told by rays.

use super::field::Field;
use super::net::Net;
use super::scene::Scene;
use crate::Place;
use crate::global::descend::Shape;
use crate::tolerance::{CERTIFIED_REL, HEIGHT_ERROR_REL};
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// A ball outside the other body, in the frame of the part's own body.
#[derive(Clone, Copy, Debug)]
struct Ball {
    center: DVec3,
    radius: f64,
}

/// A part of a surface.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Of A (0) or of B (1).
    pub(super) side: usize,
    pub(super) piece: u32,
    /// In the frame of its own body.
    pub(super) net: Net,
    pub(super) middle: DVec3,
    /// How far its points are at most from its middle.
    pub(super) radius: f64,
    /// How deep its middle is inside the other body; negative outside.
    pub(super) depth: f64,
    /// Whether its middle is on the surface: not where a face is cut away, or another part of a union covers it.
    pub(super) is_real: bool,
    /// Whether all of it is on the surface.
    pub(super) is_whole: bool,
    /// No point of it is deeper.
    pub(super) upper: f64,
    balls: Vec<Ball>,
    /// How far beyond the boundary balls are looked for.
    throw: f64,
}

impl Cell {
    /// Whether its middle is a point of the surface inside the other body.
    pub(super) const fn is_sample(&self) -> bool {
        self.is_real && self.depth > 0.0
    }

    /// Whether its middle is on the other surface, or cut away.
    pub(super) fn may_be_flush(&self) -> bool {
        self.depth == 0.0 || !self.is_real
    }

    /// Local parameters of its middle on its piece.
    pub(super) fn local(&self) -> DVec2 {
        self.net.in_piece(DVec2::splat(0.5))
    }
}

/// Most balls that a part keeps.
const MOST_BALLS: usize = 6;

/// Most balls that are tried for one part.
const TRIES: usize = 3;

/// The error of a distance, as a share of the part's radius.
const ERROR_SHARE: f64 = 1.0 / 64.0;

/// Halvings of the range of the weights of two balls.
const WEIGHTINGS: usize = 12;

/// Makes parts of surfaces.
pub(super) struct Surveyor<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) field: Field,
}

impl Surveyor<'_> {
    /// A whole piece of a body; `None` where no point of it is inside the other.
    pub(super) fn whole(&mut self, side: usize, piece: u32) -> Option<Cell> {
        let net = self.scene.own_net(side, piece);
        if self.scene.is_off(side, net.center, net.radius) {
            return None;
        }
        self.look(side, piece, net, &[], 2.0 * self.field.sizes[1 - side])
    }

    /// Both halves of a part, without those that are outside.
    pub(super) fn halves(&mut self, cell: &Cell) -> [Option<Cell>; 2] {
        let (axis, _) = cell.net.longest();
        let mut made =
            cell.net.halves(axis).map(|net| self.look(cell.side, cell.piece, net, &cell.balls, cell.throw));
        // What is beyond one half bounds the other: a ridge may run between them.
        if let [Some(one), Some(other)] = &mut made {
            let own = one.balls.clone();
            one.balls.extend_from_slice(&other.balls);
            other.balls.extend(own);
            self.bound(one);
            self.bound(other);
        }
        made.map(|half| half.filter(|half| half.upper > 0.0))
    }

    /// A part with what is known of it.
    fn look(&mut self, side: usize, piece: u32, net: Net, known: &[Ball], throw: f64) -> Option<Cell> {
        let cover = self.scene.cover(side, piece, net.low, net.high);
        if cover == Cover::Outside {
            return None;
        }
        let middle = net.jet(DVec2::splat(0.5)).point;
        let radius = net.points().iter().fold(0.0_f64, |most, p| most.max(p.distance(middle))) + net.slack;
        let mut cell = Cell {
            side,
            piece,
            net,
            middle,
            radius,
            depth: 0.0,
            is_real: true,
            is_whole: cover == Cover::Inside,
            upper: f64::INFINITY,
            balls: known.to_vec(),
            throw,
        };
        cell.is_real = self.scene.holds(side, piece, cell.local()) && self.is_bare(&mut cell)?;
        self.measure(&mut cell)?;
        self.bound(&mut cell);
        (cell.upper > 0.0).then_some(cell)
    }

    /// Whether no other part of its own union covers the middle; `None` where the whole part is covered.
    fn is_bare(&mut self, cell: &mut Cell) -> Option<bool> {
        if !self.field.is_union(cell.side) {
            return Some(true);
        }
        let (error, leaf) = (self.error(cell.radius), self.scene.piece(cell.side, cell.piece).leaf);
        let covered = self.field.depth_beside(cell.side, leaf, cell.middle, error);
        cell.is_whole &= covered < -cell.radius;
        (covered <= cell.radius).then_some(covered <= CERTIFIED_REL * self.scene.size)
    }

    fn error(&self, radius: f64) -> f64 {
        (ERROR_SHARE * radius).max(CERTIFIED_REL * self.scene.size)
    }

    /// The depth of the middle, and balls beyond the boundary next to it; `None` where the part is outside.
    fn measure(&mut self, cell: &mut Cell) -> Option<()> {
        let (other, error) = (1 - cell.side, self.error(cell.radius));
        let target = self.field.across(cell.side, cell.middle);
        let found = self.field.at(other, target, Some(error))?;
        let (foot, distance) = (found.witness.point, found.signed_distance.abs());
        let away = match found.place {
            Place::Inside => foot - target,
            Place::Outside => target - foot,
            Place::Boundary => found.normal.unwrap_or_default(),
        };
        if found.place == Place::Outside && found.lower > cell.radius {
            return None;
        }
        // In a union the foot may be covered by another part.
        let is_sure = found.place != Place::Inside || !self.field.is_union(other) || found.exact;
        if is_sure {
            cell.balls.push(Ball { center: self.field.across(other, foot), radius: 0.0 });
        }
        (cell.depth, cell.upper) = match found.place {
            Place::Inside if is_sure => (distance, distance + cell.radius),
            Place::Inside => (distance, f64::INFINITY),
            Place::Outside => (-distance, cell.radius - found.lower),
            Place::Boundary => (0.0, cell.radius),
        };
        if cell.net.dimension > 0 || !is_sure {
            self.throw_balls(cell, foot, away.normalize_or_zero());
        }
        Some(())
    }

    /// Looks for balls that touch the boundary from outside at its point nearest to the middle, as large as there are.
    fn throw_balls(&mut self, cell: &mut Cell, foot: DVec3, away: DVec3) {
        if away == DVec3::ZERO {
            return;
        }
        let other = 1 - cell.side;
        for _ in 0..TRIES {
            let center = foot + away * cell.throw;
            // What a ball of this size leaves open.
            let open = 0.25 * cell.radius * cell.radius / cell.throw;
            let error = self.error(cell.radius).min(0.5 * open).max(CERTIFIED_REL * self.scene.size);
            let Some(found) = self.field.at(other, center, Some(error)) else { return };
            let outside = found.place == Place::Outside;
            if outside {
                cell.balls.push(Ball { center: self.field.across(other, center), radius: found.lower });
            }
            let lost = if outside { cell.throw - found.lower } else { cell.throw };
            if lost <= open + error || cell.throw <= cell.radius {
                return;
            }
            cell.throw *= 0.5;
        }
    }

    /// How deep a part is at most, by its balls; the best are kept.
    fn bound(&self, cell: &mut Cell) {
        let lost = cell.net.slack + 4.0 * HEIGHT_ERROR_REL * self.scene.reach;
        let heights = |ball: &Ball| -> Vec<f64> {
            cell.net.points().iter().map(|p| p.distance(ball.center) - ball.radius).collect()
        };
        let most = |heights: &[f64]| heights.iter().fold(f64::NEG_INFINITY, |most, h| most.max(*h));
        let mut ranked: Vec<(f64, Vec<f64>, Ball)> = Vec::with_capacity(cell.balls.len());
        for ball in &cell.balls {
            let heights = heights(ball);
            ranked.push((most(&heights), heights, *ball));
        }
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        let same = CERTIFIED_REL * self.scene.size;
        ranked.dedup_by(|one, other| one.2.center.distance(other.2.center) <= same);
        ranked.truncate(MOST_BALLS);
        let mut least = ranked.first().map_or(f64::INFINITY, |(height, ..)| *height);
        for (i, one) in ranked.iter().enumerate() {
            for other in &ranked[..i] {
                least = least.min(least_mean(&one.1, &other.1));
            }
        }
        cell.balls = ranked.into_iter().map(|(_, _, ball)| ball).collect();
        cell.upper = cell.upper.min(least + lost);
    }
}

/// The least over all weights of the greatest weighted mean of two lists; it is convex in the weight.
fn least_mean(one: &[f64], other: &[f64]) -> f64 {
    // The greatest mean at a weight, and how it grows there.
    let at = |weight: f64| {
        let means = one.iter().zip(other).map(|(p, q)| (weight * p + (1.0 - weight) * q, p - q));
        means.fold((f64::NEG_INFINITY, 0.0), |most, mean| if mean.0 > most.0 { mean } else { most })
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut least = f64::INFINITY;
    for _ in 0..WEIGHTINGS {
        let weight = 0.5 * (low + high);
        let (height, slope) = at(weight);
        least = least.min(height);
        if slope > 0.0 { high = weight } else { low = weight }
    }
    least
}
