//! A sphere that keeps two whole bodies apart, where no plane does.
//!
//! Source: no two points x and y are closer than their distances from a center c differ: |x − y| ≥ |y − c| − |x − c|. With c on the
//! line between the nearest points this is the distance itself, if one body is inside a ball about c and the other outside a larger
//! one.
//! Differs: how much the sphere may bend between the nearest points is known from points of both bodies: 2 h / s² for one of height h
//! over the tangent plane, s away from the place where that touches. Parts of bodies are settled as beside a plane: by control
//! points, by a slope, or where half the squared distance from c bends one way throughout.
//! Ends because: a budget of cuts; a point on the wrong side ends it at once.
//! Cost: some ten instructions for each corner of a piece where bodies reach around each other; some twenty cells of each where not.
//! Not promised: a proof for bodies that no sphere keeps apart.

use super::columns::Heights as _;
use super::derivatives::{Ball, Derivatives, steepest};
use super::evaluation::Lost;
use super::found::NearPair;
use super::search::Search;
use super::side::{Cell, Part, Side};
use crate::tolerance::{HEIGHT_ERROR_REL, LEAST_BEND_REL};
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3, pieces};

/// Most cells of one body that are cut.
const MOST_CUTS: usize = 64;

/// Newton steps toward the extreme distance over a cell.
const STEPS: usize = 6;

/// How far from the nearest points the surface is looked at, by the parameters of a piece.
const AROUND: f64 = 0.25;

/// Roundings of a distance from a center, in units of [`HEIGHT_ERROR_REL`].
const ROUNDINGS: f64 = 8.0;

/// One body and a sphere.
#[derive(Clone, Copy)]
struct Round {
    center: DVec3,
    /// Where the nearest point is, from the center.
    radius: f64,
    /// 1 where the body is to be within the radius, −1 where beyond it.
    sign: f64,
    /// How far over the radius is allowed; a length.
    share: f64,
}

impl Round {
    /// What a distance from the center may lose to rounding, of points that reach so far.
    fn lost(&self, reach: f64) -> f64 {
        ROUNDINGS * HEIGHT_ERROR_REL * (reach + self.radius + self.center.abs().max_element())
    }

    /// How far a cell reaches over the radius at most, by its control points.
    fn over(&self, side: &Side, cell: &Cell) -> f64 {
        let (columns, reach) = (side.columns(cell), cell.center.abs().max_element() + cell.radius);
        let lost = cell.slack + self.lost(reach);
        if self.sign > 0.0 {
            return columns.farthest_square(self.center).sqrt() - self.radius + lost;
        }
        let toward = cell.center - self.center;
        let length = toward.length();
        let Some(along) = (toward / length).is_finite().then(|| toward / length) else {
            return f64::INFINITY;
        };
        let plane = columns.least(along) - along.dot(self.center);
        self.radius - plane + lost
    }

    /// How far a point is over the radius.
    fn off(&self, point: DVec3) -> f64 {
        self.sign * (point.distance(self.center) - self.radius)
    }
}

impl Side<'_> {
    /// How much a sphere that touches the plane across a unit normal at the nearest point may bend away along the normal (`sign` 1), or
    /// has to (−1), to leave all of some points of the body beyond it: corners, or with `around` points about the nearest one.
    fn bend_at(&self, near: &NearPair, at: usize, normal: DVec3, sign: f64, around: bool) -> f64 {
        let (own, touch) = (self.pose.rotate_inverse(normal), self.pose.apply_inverse(near.points[at]));
        let leaves = self.tree.leaves();
        let least = LEAST_BEND_REL * self.tree.whole().half.length_squared();
        let mut found = f64::INFINITY;
        let mut look = |x: DVec3| {
            let from = x - touch;
            let square = from.length_squared();
            // Most points bend less: a product tells.
            let height = sign * 2.0 * from.dot(own);
            if square > least && height < found * square {
                found = height / square;
            }
        };
        if !around {
            for piece in leaves.iter().filter(|piece| piece.dimension == 2 && !piece.trimmed) {
                let (last, width) = (piece.net.len() - 1, piece.degrees[1]);
                for k in [0, width, last - width, last] {
                    let corner = &piece.net[k];
                    look(if corner.w == 1.0 {
                        corner.truncate()
                    } else {
                        corner.truncate() * (1.0 / corner.w)
                    });
                }
            }
            return sign * found;
        }
        let piece = &leaves[near.pieces[at] as usize];
        let high = DVec2::new(1.0, if piece.dimension == 2 { 1.0 } else { 0.0 });
        for (u, v) in [(AROUND, 0.0), (-AROUND, 0.0), (0.0, AROUND), (0.0, -AROUND)] {
            if piece.dimension > 0 && !piece.trimmed {
                look(piece.point((near.local[at] + DVec2::new(u, v)).clamp(DVec2::ZERO, high)));
            }
        }
        sign * found
    }

    /// How far the whole body is over a sphere's radius at most, with the gaps of its edges; `None` where that is more than its share, or
    /// not known within the budget.
    fn over_sphere(&mut self, round: &Round, waiting: &mut Vec<Part>) -> Option<f64> {
        waiting.clear();
        let mut most = f64::NEG_INFINITY;
        for piece in 0..self.tree.leaves().len() {
            let (center, radius) = self.ball_of(&self.tree.bounds()[piece]);
            let lost = round.lost(center.abs().max_element() + radius);
            let over = round.off(center) + radius + lost;
            if over <= round.share {
                most = most.max(over);
            } else {
                waiting.push(Part::Cell(self.root(piece as u32)));
            }
        }
        let mut cuts = MOST_CUTS;
        while let Some(part) = waiting.pop() {
            let Part::Cell(at) = part else { return None };
            match self.look_over(round, at) {
                Outcome::Below(over) => most = most.max(over + self.cell(at).gap),
                Outcome::Cut(axis) if cuts > 0 => {
                    cuts -= 1;
                    waiting.extend(self.halves(at, axis).map(Part::Cell));
                }
                _ => return None,
            }
        }
        Some(most)
    }

    fn look_over(&mut self, round: &Round, at: u32) -> Outcome {
        if self.is_outside(at) {
            return Outcome::Below(f64::NEG_INFINITY);
        }
        let cell = *self.cell(at);
        let over = round.over(self, &cell);
        if over <= round.share {
            return Outcome::Below(over);
        }
        let points = self.points(&cell);
        let (last, width) = (points.len() - 1, cell.degrees[1]);
        let is_over = |k: usize| round.off(points[k]) - cell.slack > round.share;
        if cell.dimension == 0
            || cell.cover == Cover::Inside && [0, width, last - width, last].into_iter().any(is_over)
        {
            return Outcome::Above;
        }
        let first = self.first(at);
        let toward = round.sign * (cell.center - round.center);
        let longest = toward.length() + cell.radius;
        // Where the distance from the center has a slope its extreme is elsewhere, on the same body.
        if let Some([u, v]) = steepest(&first, cell.dimension, toward) {
            let along = first[0].center * u + first[1].center * v;
            let error = longest * (u.abs() * first[0].radius + v.abs() * first[1].radius);
            let columns = self.columns(&cell);
            let low = columns.least(round.sign * along) - round.sign * along.dot(round.center);
            let reach = cell.center.abs().max_element() + cell.radius;
            if low - along.length() * (cell.slack + round.lost(reach)) > error {
                return Outcome::Below(f64::NEG_INFINITY);
            }
        }
        if let Some(outcome) = self.extreme(round, at, &cell) {
            return outcome;
        }
        let scores = Side::scores_of(&cell, &first, toward / longest);
        let axis = usize::from(scores[1] > scores[0]);
        if scores[axis] > 0.0 { Outcome::Cut(axis) } else { Outcome::Above }
    }

    /// How far a cell is over a sphere's radius, where half the squared distance from the center bends down (within) or up (beyond)
    /// throughout: from its tangent plane near its extreme. `None` where it does not, or no such plane is found.
    fn extreme(&mut self, round: &Round, at: u32, cell: &Cell) -> Option<Outcome> {
        let derivatives = self.derivatives(at);
        let [uu, uv, vv] = bends(round, cell, &derivatives)?;
        let high = DVec2::new(1.0, if cell.dimension == 2 { 1.0 } else { 0.0 });
        let (net, lost) = (self.net(cell), Lost::of_cell(cell, self.net(cell)));
        let rounded = cell.slack + round.lost(cell.center.abs().max_element() + cell.radius);
        let mut local = 0.5 * high;
        for _ in 0..STEPS {
            let jet = pieces::jet(cell.degrees, net, local);
            let from = jet.point - round.center;
            // In units in which the body is to be low.
            let slope = round.sign * DVec2::new(from.dot(jet.u), from.dot(jet.v));
            let rise = |g: f64, t: f64, high: f64| (g * (high - t)).max(-g * t).max(0.0);
            let rise = rise(slope.x, local.x, high.x) + rise(slope.y, local.y, high.y);
            let metric = [jet.u.length_squared(), jet.v.length_squared()];
            let distance = from.length();
            let rounding = lost.of_half_square(distance, metric);
            let square = distance * distance + 2.0 * round.sign * (rise + rounding);
            let over = round.sign * (square.max(0.0).sqrt() - round.radius) + rounded;
            if over <= round.share {
                return Some(Outcome::Below(over));
            }
            if round.off(jet.point) - lost.point - rounded > round.share
                && self.holds(cell, cell.low + (cell.high - cell.low) * local)
            {
                return Some(Outcome::Above);
            }
            let step =
                DVec2::new(vv * slope.x - uv * slope.y, uu * slope.y - uv * slope.x) / (uu * vv - uv * uv);
            let next = (local + step).clamp(DVec2::ZERO, high);
            // Written so that NaN ends it.
            if !(next != local && next.is_finite()) {
                break;
            }
            local = next;
        }
        None
    }
}

/// The second derivatives of half the squared distance from a sphere's center at the middle of a cell, with their opposites where the
/// body is to be within, if they make it convex throughout.
fn bends(round: &Round, cell: &Cell, derivatives: &Derivatives) -> Option<[f64; 3]> {
    let between = Ball { center: cell.center - round.center, radius: cell.radius };
    let far = between.center.length();
    let entry = |i: usize, j: usize| {
        let second = &derivatives.second[i + j];
        let [metric, off] = derivatives.first[i].dot(&derivatives.first[j]);
        let [bend, wide] = between.dot(second);
        let lost = ROUNDINGS * HEIGHT_ERROR_REL * (metric.abs() + far * second.center.length());
        (-round.sign * (metric + bend), off + wide + lost)
    };
    let (uu, off_uu) = entry(0, 0);
    // Written so that NaN is none.
    if !(uu > off_uu) {
        return None;
    }
    if cell.dimension < 2 {
        return Some([uu, 0.0, 1.0]);
    }
    let ((uv, off_uv), (vv, off_vv)) = (entry(0, 1), entry(1, 1));
    let mixed = uv.abs() + off_uv;
    let is_convex = vv > off_vv && (uu - off_uu) * (vv - off_vv) > mixed * mixed * (1.0 + HEIGHT_ERROR_REL);
    is_convex.then_some([uu, uv, vv])
}

enum Outcome {
    /// The cell is over the radius by no more than this, or its extreme is on the boundary of its feature.
    Below(f64),
    /// A point of it is over the radius by more than its share, or nothing is left to cut.
    Above,
    /// It must be cut along a parameter.
    Cut(usize),
}

impl Search<'_> {
    /// A proven lower bound as good as is asked for, from a sphere through the middle of the nearest points found so far, where
    /// corners do not tell that there is none.
    pub(super) fn sphere(&mut self, near: &NearPair) -> Option<f64> {
        let apart = near.distance;
        let normal = (near.points[1] - near.points[0]) / apart;
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for around in [false, true] {
            most = most.min(self.b.bend_at(near, 1, normal, 1.0, around));
            least = least.max(self.a.bend_at(near, 0, normal, -1.0, around));
            // About the same center, but farther out by the distance.
            if !(least * apart < 1.0 && least / (1.0 - least * apart) < most) {
                return None;
            }
        }
        let least = least / (1.0 - least * apart);
        let bend = 0.5 * (least + most);
        let size = self.a.tree.whole().half.length() + self.b.tree.whole().half.length();
        // Written so that NaN is none.
        if !(least < most && most.is_finite() && (bend * size).powi(2) > LEAST_BEND_REL) {
            return None;
        }
        let center = near.points[1] + normal / bend;
        let share = 0.25 * self.demand.max_error;
        let sign = bend.signum();
        let of_b = Round { center, radius: near.points[1].distance(center), sign, share };
        let of_a = Round { radius: near.points[0].distance(center), sign: -sign, ..of_b };
        let over_b = self.b.over_sphere(&of_b, self.parts)?.max(0.0);
        let over_a = self.a.over_sphere(&of_a, self.parts)?.max(0.0);
        Some(sign * (of_a.radius - of_b.radius) - over_a - over_b - of_a.lost(of_b.radius))
    }
}
