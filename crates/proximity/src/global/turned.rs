//! Whether two cells about a common axis are as far apart as asked for, by their profiles.
//!
//! Source: surfaces of revolution about one axis are nearest to each other within a half-plane that ends in the axis (as in
//! `symmetric`); there they are curves, the rows of their control points.
//! Differs: profiles are rational Bézier curves of any kind, cut until lines keep their control points apart; so it is known
//! of every part of a profile, and not of whole circles alone. Axes need not coincide: what a cell sways about the other
//! one is taken off, and that is the less the narrower it is. That is the only proof where all points of a circle are
//! nearest ones: pairs of cells around it would grow with the inverse of the error.
//! Ends because: cuts are counted.
//! Cost: some ten looks at pairs of profiles, of some hundred instructions; about one for every halving of the error where
//! the nearest points of the profiles are within both.
//! Not promised: an answer where profiles run beside each other.

use super::search::Search;
use super::side::{Cell, Side};
use super::slab::Slab;
use super::symmetric::{Placed, Profile, Shape, between_segments, common_axis};
use clearance_geometry::{DVec2, DVec3};
use std::f64::consts::SQRT_2;

/// Most control points of a profile.
const MOST_POINTS: usize = 8;

/// Pairs after which profiles are looked at: nearest points that are isolated are mostly proven before.
const TURNED_AFTER: u64 = 256;

/// Looks at profiles for every pair of cells, on the mean.
const LOOKS_PER_PAIR: u64 = 64;

/// Cuts of two profiles, one after the other.
const MOST_CUTS: u32 = 64;

/// The weight in the middle of an arc that is taken for a profile: longer ones are left to be cut.
const LEAST_WEIGHT: f64 = 0.25;

/// A part of a profile: distances from the axis and heights along it times weights, and weights.
#[derive(Clone, Copy, Debug)]
struct Arc {
    count: usize,
    net: [DVec3; MOST_POINTS],
}

impl Arc {
    fn of(points: impl ExactSizeIterator<Item = (DVec2, f64)>) -> Option<Self> {
        let count = points.len();
        let mut net = [DVec3::ZERO; MOST_POINTS];
        if count > MOST_POINTS {
            return None;
        }
        net.iter_mut().zip(points).for_each(|(to, (point, weight))| *to = (point * weight).extend(weight));
        Some(Self { count, net })
    }

    fn point(&self, at: usize) -> DVec2 {
        let p = self.net[at];
        p.truncate() / p.z
    }

    fn points(&self) -> impl Iterator<Item = DVec2> {
        (0..self.count).map(|at| self.point(at))
    }

    fn ends(&self) -> [DVec2; 2] {
        [self.point(0), self.point(self.count - 1)]
    }

    /// At least how long it is, nearly.
    fn length(&self) -> f64 {
        let first = self.point(0);
        self.points().map(|p| p.distance_squared(first)).fold(0.0, f64::max).sqrt()
    }

    /// What cutting it may lose to rounding; a length.
    fn lost(&self) -> f64 {
        let reach = self.points().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        f64::from(MOST_CUTS) * self.count as f64 * f64::EPSILON * reach
    }

    fn halves(&self) -> [Self; 2] {
        let (mut low, mut high) = (*self, *self);
        let last = self.count - 1;
        for step in 1..=last {
            for at in 0..=last - step {
                high.net[at] = 0.5 * (high.net[at] + high.net[at + 1]);
            }
            low.net[step] = high.net[0];
        }
        [low, high]
    }
}

/// Whether two profiles are everywhere at least so far apart, as far as so many looks tell.
fn are_apart(one: &Arc, other: &Arc, least: f64, cuts: u32, looks: &mut u64) -> bool {
    if *looks == 0 || cuts == 0 {
        return false;
    }
    *looks -= 1;
    let (ends, others) = (one.ends(), other.ends());
    if ends.iter().any(|p| others.iter().any(|q| p.distance(*q) < least)) {
        return false;
    }
    let between = others[0] + others[1] - ends[0] - ends[1];
    if let Some(along) = between.try_normalize() {
        let high = one.points().map(|p| p.dot(along)).fold(f64::NEG_INFINITY, f64::max);
        let low = other.points().map(|p| p.dot(along)).fold(f64::INFINITY, f64::min);
        if low - high >= least {
            return true;
        }
    }
    if one.count <= 2 && other.count <= 2 {
        return between_segments(&ends, &others) >= least;
    }
    let lengths = [one.length(), other.length()];
    // Two points are not cut.
    if !(lengths[0].max(lengths[1]) > 0.0) {
        return false;
    }
    if lengths[0] >= lengths[1] {
        one.halves().iter().all(|half| are_apart(half, other, least, cuts - 1, looks))
    } else {
        other.halves().iter().all(|half| are_apart(one, half, least, cuts - 1, looks))
    }
}

/// The profile of a cell about an axis, and how far its points may be from what that sweeps.
fn profile(side: &Side, placed: &Placed, axis: [DVec3; 2]) -> Option<(Arc, f64)> {
    let Placed { cell, points, .. } = placed;
    let [start, way] = axis;
    let net = side.net(cell);
    // The row of control points along v: angles are along u.
    let row = match placed.shape {
        Shape::Circle(_) => 1,
        Shape::Sphere(radius) => return around_ball(placed, radius, axis),
        Shape::Cone(..) | Shape::Torus(..) | Shape::Turned if cell.is_turned => net.len(),
        Shape::Cone(..) | Shape::Torus(..) | Shape::Turned => cell.degrees[1] + 1,
        Shape::Point | Shape::Line | Shape::Plane => {
            let seen = placed.about(axis)?;
            let arc = match seen.profile {
                Profile::Point(point) => Arc::of([(point, 1.0)].into_iter()),
                Profile::Segment(ends) => Arc::of(ends.map(|end| (end, 1.0)).into_iter()),
                Profile::Circle(..) => None,
            };
            return Some((arc?, seen.off));
        }
    };
    let local = |k: usize| {
        let p = points[k] - start;
        let height = way.dot(p);
        (p - way * height, height)
    };
    let across = |k: usize| local(k).0;
    let widest =
        (0..row).max_by(|i, j| across(*i).length_squared().total_cmp(&across(*j).length_squared()))?;
    let ends = [widest, points.len() - row + widest].map(across);
    let [out, last] = [ends[0].try_normalize()?, ends[1].try_normalize()?];
    let (mut least, mut aside) = (f64::INFINITY, 0.0_f64);
    for k in 0..row {
        let outward = across(k).dot(out);
        least = least.min(outward);
        aside = aside.max((across(k) - out * outward).length());
    }
    // Beside the half-plane points are farther from the axis than in it.
    let beside = if least > 0.0 { aside * aside / (least + least.hypot(aside)) } else { aside - 2.0 * least };
    let arc = Arc::of((0..row).map(|k| (DVec2::new(across(k).dot(out), local(k).1), net[k].w)))?;
    Some((arc, beside + swayed(placed, axis, (out - last).length(), ends[0].length().min(ends[1].length()))))
}

/// The profile of a cell of a ball about an axis that need not be the one its parameters turn about: the arc of a great circle
/// between the least and the greatest height of the cell. Where the middle is off the axis, the arc is moved by as much of that as is
/// toward the cell, and the rest is what its points may be off.
fn around_ball(placed: &Placed, radius: f64, [start, way]: [DVec3; 2]) -> Option<(Arc, f64)> {
    let aside = |p: DVec3| p - way * way.dot(p);
    let (level, beside) = (way.dot(placed.origin - start), aside(placed.origin - start));
    let (toward, wide) = (aside(placed.cell.center - placed.origin), placed.cell.radius);
    let out = toward.normalize_or_zero();
    // Directions within a right angle: a chord is no more than √2 times the sine.
    let least = toward.length() - wide;
    let chord = if least > 0.0 { SQRT_2 * wide / toward.length() } else { 2.0 };
    let off = beside.length() * (chord + 2.0 * beside.length() / least.max(0.0)).min(2.0);
    let lost = placed.rounding();
    let heights = placed.range(|p| way.dot(p - placed.origin));
    let angle = |height: f64| (height / radius).clamp(-1.0, 1.0).acos();
    let [low, high] = [angle(heights[1] + lost), angle(heights[0] - lost)];
    let (half, along) = (0.5 * (high - low), 0.5 * (high + low));
    let weight = half.cos();
    let middle = DVec2::new(beside.dot(out), level);
    let at = |angle: f64, out: f64| middle + out * DVec2::new(angle.sin(), angle.cos());
    let points = [(at(low, radius), 1.0), (at(along, radius / weight), weight), (at(high, radius), 1.0)];
    let arc = (weight > LEAST_WEIGHT).then(|| Arc::of(points.into_iter()))??;
    // Written so that NaN is no profile.
    (off >= 0.0).then_some((arc, off))
}

/// How far points of a cell that is turned about its own axis are from those of its first row turned about another as much: by
/// what that moves its middle, and by twice what it tilts, times the chord of the angle on a circle of radius 1.
fn swayed(placed: &Placed, [start, way]: [DVec3; 2], chord: f64, radius: f64) -> f64 {
    let (own, middle) = match placed.shape {
        Shape::Circle(_) => (placed.axis, placed.origin),
        _ => (placed.axis, placed.foot()),
    };
    let between = middle - start;
    let aside = (between - way * way.dot(between)).length();
    let tilt = (own - way).length().min((own + way).length());
    let most = aside + 2.0 * tilt * placed.reach_from(middle);
    // The angle was taken about the other axis.
    most * (chord + 2.0 * most / radius).min(2.0)
}

impl Search<'_> {
    /// Whether a pair of cells is settled by a common axis.
    pub(super) fn is_turned_apart(&mut self, cells: [&Cell; 2], slab: &Slab) -> bool {
        // A checker knows of no axes.
        if self.work.pairs < TURNED_AFTER || self.record.is_kept() || self.nearest.is_none() {
            return false;
        }
        let spare = (LOOKS_PER_PAIR * self.work.pairs).saturating_sub(self.turned_looks);
        let mut looks = spare;
        let found = self.are_profiles_apart(cells, slab.lower, &mut looks);
        self.turned_looks += spare - looks;
        found.unwrap_or(false)
    }

    fn are_profiles_apart(&self, cells: [&Cell; 2], known: f64, looks: &mut u64) -> Option<bool> {
        let ([one, other], lost) = self.profiles(cells, self.enough() - known)?;
        Some(are_apart(&one, &other, self.enough() + lost, MOST_CUTS, looks))
    }

    /// Whether a cell and the whole of a convex body (0: A, 1: B) beside it have a common axis.
    pub(super) fn is_turned_beside(&mut self, body: usize, cell: &Cell) -> bool {
        if self.work.pairs < TURNED_AFTER || self.record.is_kept() {
            return false;
        }
        let whole = if body == 0 { &mut self.a } else { &mut self.b };
        let near = whole.root(whole.piece_near(cell.center));
        let near = *whole.cell(near);
        self.profiles(if body == 0 { [&near, cell] } else { [cell, &near] }, self.error).is_some()
    }

    /// The profiles of two cells about a common axis, and how far these are off; `None` where that is as much as `most`.
    fn profiles(&self, cells: [&Cell; 2], most: f64) -> Option<([Arc; 2], f64)> {
        let [a, b] = [Placed::new(&self.a, cells[0])?, Placed::new(&self.b, cells[1])?];
        let axis = common_axis(&a, &b)?;
        let ((one, off), (other, with)) = (profile(&self.a, &a, axis)?, profile(&self.b, &b, axis)?);
        let lost = off + with + a.rounding() + b.rounding() + one.lost() + other.lost();
        (lost < most).then_some(([one, other], lost))
    }
}
