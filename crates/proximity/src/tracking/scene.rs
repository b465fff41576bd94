//! Two bodies at a pose, and what can be proven of a pair of their parts there.
//!
//! Source: the slab, slope and convexity tests of the certified search (see `global`).
//! Differs: every cell stays in the frame of its own body, so that cells are kept while the bodies move; directions are
//! turned instead. A slope comes with the motion that it outlasts, and convexity with how strong it is, so that
//! Newton's method may stop a step earlier.
//! Ends because: closed formulas and loops over control points.
//! Cost: a pass over the control points of both cells for each test.
//! Not promised: sharp bounds.

#[cfg(test)]
mod tests;

use super::border::Border;
use super::foot::Foot;
use super::hull::top_of;
use super::sight::Sight;
use crate::global::columns::Heights;
use crate::global::convexity::{hessian, inverse};
use crate::global::derivatives::{Ball, Derivatives};
use crate::global::descend::{Bounds, Cholesky, Value};
use crate::global::plane::highest_of;
use crate::global::side::{Cell, Part, Side};
use crate::global::slab::Slab;
use crate::tolerance::{HEIGHT_ERROR_REL, LEVENBERG_REL};
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::{DVec2, DVec3, Pose};

/// Steps of a slab's direction.
const STEPS: usize = 4;

/// A share of the distance of two hulls: when bound and distance are this close, the direction is good enough.
const CLOSE: f64 = 1.0 / 64.0;

/// Parts of one body that the proof by a plane may look at.
const PLANE_PARTS: u32 = 96;

/// How large two bodies are, whatever their poses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The sum of their largest coordinates, each in its own frame.
    reach: f64,
    /// Radii of balls around their boxes.
    radii: [f64; 2],
}

impl Sizes {
    pub(super) fn of(trees: [&PieceTree; 2]) -> Self {
        let bounds = trees.map(|tree| &tree.root().bound);
        let radii = bounds.map(|bound| bound.half.length());
        let reach = (0..2).map(|i| bounds[i].center.abs().max_element() + radii[i]).sum();
        Self { reach, radii }
    }
}

/// Two bodies at a pose.
pub(super) struct Scene<'a> {
    pub(super) sides: [Side<'a>; 2],
    /// B seen from A, and A seen from B.
    pub(super) poses: [Pose; 2],
    /// What rounding may take off a difference of heights; a length.
    pub(super) round: f64,
    /// Radius of the larger body, which tells how far a motion may turn.
    pub(super) largest: f64,
    /// Radii of both.
    radii: [f64; 2],
    /// Which bodies may change their shape.
    pub(super) pliant: [bool; 2],
    pub(super) borders: [&'a Border; 2],
}

/// The second derivatives of half the squared distance by the parameters of two cells, each from 0 to 1: at the middle, and
/// what they may be off.
pub(super) struct Bend {
    derivatives: [Derivatives; 2],
    middle: [[f64; 4]; 4],
    error: [[f64; 4]; 4],
    /// Which parameters there are.
    counts: [bool; 4],
    lost: f64,
}

/// Half the squared distance over two cells is at least as convex as a quadratic form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convex {
    factor: Cholesky,
    /// The share of the form that is left over all of the cells.
    share: f64,
    lost: f64,
}

impl<'a> Scene<'a> {
    /// With B seen from A, and A seen from B.
    pub(super) fn new(
        sides: [Side<'a>; 2],
        poses: [Pose; 2],
        sizes: &Sizes,
        borders: [&'a Border; 2],
    ) -> Self {
        let Sizes { reach, radii } = *sizes;
        let round = 4.0 * HEIGHT_ERROR_REL * (reach + poses[0].translation().abs().max_element());
        let pliant = [sides[0].is_pliant(), sides[1].is_pliant()];
        Self { sides, poses, round, largest: radii[0].max(radii[1]), radii, pliant, borders }
    }

    /// Whether one of the bodies may change its shape.
    pub(super) const fn is_pliant(&self) -> bool {
        self.pliant[0] || self.pliant[1]
    }

    /// How far points can have moved by all changes of shape so far, those of both bodies together; a length.
    pub(super) fn shaped(&self) -> f64 {
        (self.sides[0].shape().1 + self.sides[1].shape().1).next_up()
    }

    /// Brings two parts to the shapes that their bodies have now.
    pub(super) fn renew(&mut self, parts: [Part; 2]) {
        self.sides.iter_mut().zip(parts).for_each(|(side, part)| side.renew_part(part));
    }

    pub(super) fn cell(&self, side: usize, at: u32) -> &Cell {
        self.sides[side].cell(at)
    }

    pub(super) fn pieces(&self, pieces: [u32; 2]) -> [&'a Piece; 2] {
        [0, 1].map(|i| &self.sides[i].tree.leaves()[pieces[i] as usize])
    }

    /// Ball around a part in the frame of A.
    pub(super) fn ball(&self, side: usize, part: Part) -> (DVec3, f64) {
        let (center, radius) = self.sides[side].ball(part);
        (if side == 0 { center } else { self.poses[0].apply(center) }, radius)
    }

    /// The radius of the smaller of two parts as a share of that of the larger body: what a turn moves of it.
    pub(super) fn lever(&self, parts: [Part; 2]) -> f64 {
        let [a, b] = [0, 1].map(|i: usize| self.sides[i].ball(parts[i]).1);
        (a.min(b) / self.largest).min(1.0)
    }

    /// A lower bound on the distance of two parts; `hints` are directions to try, `enough` what is asked.
    pub(super) fn slab(&mut self, parts: [Part; 2], hints: [DVec3; 2], enough: f64) -> Slab {
        let [(center_a, radius_a), (center_b, radius_b)] = [self.ball(0, parts[0]), self.ball(1, parts[1])];
        let between = center_b - center_a;
        let distance = between.length();
        let normal = if distance > 0.0 { between / distance } else { DVec3::Z };
        let mut best = Slab { lower: distance - radius_a - radius_b - self.round, normal };
        if best.lower >= enough {
            return best;
        }
        for normal in [hints[0], hints[1], normal] {
            if normal == DVec3::ZERO {
                continue;
            }
            let lower = self.apart(parts, normal);
            if lower > best.lower {
                best = Slab { lower, normal };
            }
            if best.lower >= enough {
                return best;
            }
        }
        if let [Part::Cell(a), Part::Cell(b)] = parts
            && distance > 0.0
        {
            self.toward([a, b], between, enough, &mut best);
        } else if best.normal != DVec3::ZERO {
            self.toward_hulls(parts, enough, &mut best);
        }
        best
    }

    /// How far two parts are apart along a unit direction out of A.
    fn apart(&self, parts: [Part; 2], normal: DVec3) -> f64 {
        let (high, slack_a) = self.sides[0].height(parts[0], normal);
        let (low, slack_b) = self.sides[1].height(parts[1], -self.poses[0].rotate_inverse(normal));
        normal.dot(self.poses[0].translation()) - low - high - slack_a - slack_b - self.round
    }

    /// Frank–Wolfe's steps toward the nearest points of the hulls of two cells, as long as what is asked may be reached.
    fn toward(&self, cells: [u32; 2], start: DVec3, enough: f64, best: &mut Slab) {
        let [a, b] = [self.cell(0, cells[0]), self.cell(1, cells[1])];
        let (points_a, points_b) = (self.sides[0].columns(a), self.sides[1].columns(b));
        let slack = a.slack + b.slack + self.round;
        let pose = &self.poses[0];
        let mut x = start;
        for _ in 0..STEPS {
            let length = x.length();
            if !(length > 0.0) {
                return;
            }
            let normal = x / length;
            let own = pose.rotate_inverse(normal);
            let (low, high) = (points_b.least(own), points_a.least(-normal));
            let lower = normal.dot(pose.translation()) + low + high;
            if lower - slack > best.lower {
                *best = Slab { lower: lower - slack, normal };
            }
            if best.lower >= enough || length - lower <= CLOSE * length {
                return;
            }
            let vertex = pose.apply(points_b.lowest(own, low)) - points_a.lowest(-normal, high);
            let step = x - vertex;
            let share = (x.dot(step) / step.length_squared()).clamp(0.0, 1.0);
            if !(share > 0.0) {
                return;
            }
            x -= step * share;
            // No direction will do for points that are closer than what is asked.
            if enough.is_finite() && x.length_squared().min(vertex.length_squared()) < enough * enough {
                return;
            }
        }
    }

    /// The same for the hulls of parts of which one at least is a node, as long as what is asked may be reached.
    fn toward_hulls(&mut self, parts: [Part; 2], enough: f64, best: &mut Slab) {
        let mut x: Option<DVec3> = None;
        let mut normal = best.normal;
        for _ in 0..STEPS {
            let own = self.poses[0].rotate_inverse(normal);
            let [a, b] =
                [(0, normal), (1, -own)].map(|(i, along)| top_of(&mut self.sides[i], parts[i], along));
            let lower = normal.dot(self.poses[0].translation()) - a.height - b.height;
            let lower = lower - a.lost - b.lost - self.round;
            if lower > best.lower {
                *best = Slab { lower, normal };
            }
            if best.lower >= enough {
                return;
            }
            let vertex = self.poses[0].apply(b.point) - a.point;
            let last = x.unwrap_or(vertex);
            let step = last - vertex;
            let share = (last.dot(step) / step.length_squared()).clamp(0.0, 1.0);
            let next = if share > 0.0 { last - step * share } else { last };
            let length = next.length();
            // Points this close are in the difference of both hulls.
            if !(length > enough) {
                return;
            }
            (x, normal) = (Some(next), next / length);
        }
    }

    /// How far the other body may move, seen from this one, before the distance of two cells may lose its slope along the
    /// cell of this one; not positive where it has none. Points farther apart than `upper` do not matter. Where this body may
    /// change its shape, that counts as motion: the slope turns with the cell, by what `Side::yielding` says, and is
    /// asked to last no longer than the parts are apart, so that what both do to it together is no more than twice that.
    /// Unless it `may_leave` the feature of the cell, the slope holds for the sides of that too.
    pub(super) fn slope(&mut self, side: usize, cells: [u32; 2], upper: f64, may_leave: bool) -> f64 {
        let own = *self.cell(side, cells[side]);
        let other = *self.cell(1 - side, cells[1 - side]);
        if own.dimension == 0 {
            return 0.0;
        }
        let derivatives = self.sides[side].derivatives(cells[side]);
        let pose = &self.poses[side];
        let between = pose.apply(other.center) - own.center;
        let Some(steepest) = derivatives.steepest(own.dimension, between) else { return 0.0 };
        let within = || self.borders[side].within(&own, &derivatives.first, between, steepest);
        let Some(weights) = (if may_leave { Some(steepest) } else { within() }) else { return 0.0 };
        let [u, v] = &derivatives.first;
        let along = u.center * weights[0] + v.center * weights[1];
        let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
        let longest = (between.length() + own.radius + other.radius).min(upper);
        let size = along.length();
        // The balls tell most pairs without a look at the control points.
        if along.dot(between) <= error * longest {
            return 0.0;
        }
        let low = self.sides[1 - side].columns(&other).least(pose.rotate_inverse(along))
            + along.dot(pose.translation());
        let high = -self.sides[side].columns(&own).least(-along);
        let lost = own.slack + other.slack + self.round;
        let margin = low - high - size * lost - error * longest;
        if !self.pliant[side] {
            return margin / (size + error);
        }
        let yielding = self.sides[side].yielding(&own, weights);
        (margin / (size + error + 2.0 * yielding * longest)).min(longest)
    }

    /// A lower bound on the distance of two parts from the plane across a pair of points, each in the frame of its body, if
    /// no point of either part is beyond it by more than `share`.
    pub(super) fn plane(
        &mut self,
        parts: [Part; 2],
        normal: DVec3,
        points: [DVec3; 2],
        share: f64,
        waiting: &mut Vec<Part>,
    ) -> Option<f64> {
        let along = [normal, -self.poses[0].rotate_inverse(normal)];
        let mut lower = normal.dot(self.poses[0].translation()) - self.round;
        for side in 0..2 {
            let limit = points[side].dot(along[side]) + share;
            waiting.clear();
            waiting.push(parts[side]);
            highest_of(&mut self.sides[side], false, (along[side], limit, 0.0), PLANE_PARTS, waiting, None)?;
            lower -= limit;
        }
        Some(lower)
    }

    /// The plane or sphere across a pair of points as both bodies see it, curved as A sees it by `bend`.
    pub(super) fn sights(
        &self,
        foot: &Foot,
        normal: DVec3,
        distance: f64,
        bend: f64,
        share: f64,
    ) -> [Sight; 2] {
        let seen = |i: usize, normal: DVec3, bend: f64| Sight {
            normal,
            point: foot.jet(i).point,
            bend,
            share,
            round: self.round,
            span: 2.0 * self.radii[i],
            piece: foot.pieces[i],
            at: foot.local(i),
            jet: *foot.jet(i),
        };
        // One by one: what is mapped over an array is copied four times.
        [
            seen(0, normal, bend),
            seen(1, -self.poses[0].rotate_inverse(normal), -bend / (1.0 + bend * distance)),
        ]
    }

    /// The second derivatives of half the squared distance over two cells.
    pub(super) fn bend(&mut self, cells: [u32; 2]) -> Bend {
        let derivatives = [self.sides[0].derivatives(cells[0]), self.sides[1].derivatives(cells[1])];
        let derivatives = [derivatives[0], turned(&derivatives[1], &self.poses[0])];
        let (a, mut b) = (*self.cell(0, cells[0]), *self.cell(1, cells[1]));
        b.center = self.poses[0].apply(b.center);
        let (middle, error) = hessian([&a, &b], &derivatives);
        let counts = [a.dimension > 0, a.dimension > 1, b.dimension > 0, b.dimension > 1];
        Bend { derivatives, middle, error, counts, lost: self.lost(cells) }
    }

    /// What control points and rounding may take off a distance of two cells; a length.
    pub(super) fn lost(&self, cells: [u32; 2]) -> f64 {
        self.cell(0, cells[0]).slack + self.cell(1, cells[1]).slack + 2.0 * self.round
    }

    /// The parameters of two cells on their pieces.
    pub(super) fn bounds(&self, cells: [u32; 2]) -> Bounds {
        let [a, b] = [self.cell(0, cells[0]), self.cell(1, cells[1])];
        Bounds { low: [a.low.x, a.low.y, b.low.x, b.low.y], high: [a.high.x, a.high.y, b.high.x, b.high.y] }
    }

    /// Whether a pair of points of two pieces belongs to both bodies.
    pub(super) fn holds(&self, pieces: [u32; 2], local: [DVec2; 2]) -> bool {
        (0..2).all(|i| self.sides[i].holds_on(pieces[i], local[i]))
    }
}

impl Bend {
    /// How long the first derivatives are at most.
    fn sizes(&self) -> [f64; 4] {
        [0, 1, 2, 3].map(|i: usize| {
            let ball = &self.derivatives[i / 2].first[i % 2];
            ball.center.length() + ball.radius
        })
    }

    /// What may be added to an entry by a motion of points of one body seen from the other, and by a turn, which says how far
    /// it moves points of the unit ball.
    fn more(&self, sizes: &[f64; 4], [i, j]: [usize; 2], motion: f64, turn: f64) -> f64 {
        if i / 2 != j / 2 {
            return sizes[i] * sizes[j] * turn;
        }
        let ball = &self.derivatives[i / 2].second[i % 2 + j % 2];
        (ball.center.length() + ball.radius) * motion
    }

    /// How convex half the squared distance is, if it is, and whether it stays so whatever the bodies do up to a motion and a turn:
    /// then it is said how convex it stays.
    pub(super) fn convex(&self, motion: f64, turn: f64) -> Option<(Convex, bool)> {
        // An entry that is not positive is the shortest answer.
        if (0..4).any(|i| !(self.middle[i][i] > self.error[i][i])) {
            return None;
        }
        let factor = Cholesky::new(&self.middle, LEVENBERG_REL)?;
        let inverse = inverse(&factor.lower).map(|row| row.map(f64::abs));
        let now = share_left(&inverse, &self.error);
        if !(now > 0.0) {
            return None;
        }
        let sizes = self.sizes();
        let mut error = self.error;
        for (i, row) in error.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                if self.counts[i] && self.counts[j] {
                    *entry += self.more(&sizes, [i, j], motion, turn);
                }
            }
        }
        let lasting = share_left(&inverse, &error);
        let stays = lasting > 0.0;
        Some((Convex { factor, share: if stays { lasting } else { now }, lost: self.lost }, stays))
    }
}

/// The share of a matrix that is left of it whatever the error: by the row sums of |L⁻¹| E |L⁻ᵀ|, from the sizes in L⁻¹.
fn share_left(inverse: &[[f64; 4]; 4], error: &[[f64; 4]; 4]) -> f64 {
    let columns = [0, 1, 2, 3].map(|i| (0..4).map(|j| inverse[j][i]).sum::<f64>());
    let sums = [0, 1, 2, 3].map(|i| (0..4).map(|j| error[i][j] * columns[j]).sum::<f64>());
    let worst = (0..4).map(|i| (0..4).map(|j| inverse[i][j] * sums[j]).sum::<f64>()).fold(0.0, f64::max);
    1.0 - worst - LEVENBERG_REL
}

impl Convex {
    /// The same where control points and rounding take another share.
    pub(super) const fn with_lost(self, lost: f64) -> Self {
        Self { lost, ..self }
    }

    /// A lower bound on the distance over the cells from its value at a point of them.
    pub(super) fn lower_bound(&self, bounds: &Bounds, value: &Value) -> f64 {
        let free = bounds.free(value);
        // In the cells' own parameters; those held at an end only add.
        let gradient = [0, 1, 2, 3]
            .map(|i| if free[i] { value.gradient[i] * (bounds.high[i] - bounds.low[i]) } else { 0.0 });
        let step = self.factor.solve(gradient);
        let fall: f64 = (0..4).map(|i| gradient[i] * step[i]).sum();
        (2.0 * value.half_square - fall / self.share).max(0.0).sqrt() - self.lost
    }
}

fn turned(derivatives: &Derivatives, pose: &Pose) -> Derivatives {
    let turn = |ball: Ball| Ball { center: pose.rotate(ball.center), ..ball };
    Derivatives { first: derivatives.first.map(turn), second: derivatives.second.map(turn) }
}
