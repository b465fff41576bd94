//! The distance from a circle to a convex body, with a proven lower bound.
//!
//! Source: the distance to a convex body is a convex function of a point, so that the plane across the nearest points bounds
//! it from below everywhere (Kelley's cutting planes); along a circle this bound is a constant and one cosine.
//! Differs: where one plane does not prove the nearest points of the whole circle, arcs between points are kept with the
//! planes of both ends, the lowest first, and cut where their bound is least (as in Piyavskii's method).
//! Ends because: arcs are counted.
//! Cost: about six nearest points of a point where the body is outside the ring, about thirty where it reaches through it:
//! the bound errs by the square of an arc's length, the distance grows likewise, so that arcs halve toward the minimum.
//! A body turned about the circle's axis is everywhere equally far; one that is turned about it only nearly, or has
//! corners around it, takes as many points as the inverse root of the error.
//! Not promised: an answer where the circle meets the body; then there is none.

use super::ring::Circle;
use super::target::{Near, Target};
use crate::tolerance::{RING_STEP_RAD, SAME_PLACE_REL, SUPPORT_ROUNDING_REL};
use clearance_geometry::{DVec2, DVec3, Ranked};
use std::collections::BinaryHeap;

/// Most points of the circle whose distance is asked for.
const MOST_SAMPLES: u32 = 1 << 17;

/// Most minima kept; a body about the ring's axis has no end of them.
const MOST_TIES: usize = 16;

/// Steps of one descent.
const STEPS: u32 = 12;

/// The longest step of a descent; radians.
const LONGEST: f64 = 0.6;

/// Arcs that are shorter are halved: where both bounds cross next to an end, nothing would be gained there.
const SHORT_SHARE: f64 = 1.0 / 16.0;

/// Times the error asked for: a point this close to the least distance may be beside another minimum.
const TIE_ERRORS: f64 = 4.0;

/// A share of the error asked for: what a point must be nearer by to be followed beside a known minimum too.
const BETTER_SHARE: f64 = 0.25;

/// Sine of the angle around a known minimum in which no other is looked for.
const BESIDE: f64 = 1.0 / 256.0;

/// A point of the circle with its nearest point of the body, and the bound that they show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Direction from the circle's centre.
    pub(super) at: DVec2,
    pub(super) distance: f64,
    /// Unit vector from the body to the circle.
    pub(super) normal: DVec3,
    pub(super) near: Near,
    /// The bound is `offset + tilt · at`.
    offset: f64,
    tilt: DVec2,
}

impl Sample {
    #[inline]
    fn bound(&self, at: DVec2) -> f64 {
        self.offset + self.tilt.dot(at)
    }

    /// Of the distance by the angle.
    #[inline]
    fn slope(&self) -> f64 {
        self.tilt.dot(self.at.perp())
    }

    /// Where its bound is least.
    fn lowest(&self) -> DVec2 {
        -self.tilt.normalize_or(DVec2::X)
    }
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) best: Sample,
    pub(super) lower: f64,
    pub(super) samples: u32,
}

/// An arc, counterclockwise between two samples, with its bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    ends: [u32; 2],
    /// Where its bound is least.
    lowest: DVec2,
}

/// Memory of earlier searches.
#[derive(Clone, Debug)]
pub(super) struct ArcMemory {
    /// Most points of the circle whose distance is asked for.
    most: u32,
    samples: Vec<Sample>,
    waiting: BinaryHeap<Ranked<Arc>>,
    /// Minima as near as the best, within the error asked for; the best first.
    pub(super) ties: Vec<Sample>,
}

impl Default for ArcMemory {
    fn default() -> Self {
        Self { most: MOST_SAMPLES, samples: Vec::new(), waiting: BinaryHeap::new(), ties: Vec::new() }
    }
}

impl ArcMemory {
    /// With room for searches that are not long, and for no others.
    pub(super) fn with_room() -> Self {
        Self {
            most: ROOM as u32,
            samples: Vec::with_capacity(ROOM),
            waiting: BinaryHeap::with_capacity(ROOM),
            ties: Vec::with_capacity(ROOM),
        }
    }
}

/// Points of a search that is not long.
const ROOM: usize = 512;

struct Search<'a, 'b> {
    circle: Circle,
    target: &'a mut Target<'b>,
    memory: &'a mut ArcMemory,
    /// What the arithmetic of a bound may lose.
    slack: f64,
    max_error: f64,
    best: Sample,
    count: u32,
    /// The least bound of arcs that do not matter.
    aside: f64,
}

/// The nearest points of a circle, in the frame of the target, and of a convex body. `None` where they meet, where the
/// error asked for is within rounding, and where it takes too long.
pub(super) fn nearest(
    circle: Circle,
    target: &mut Target,
    max_error: f64,
    memory: &mut ArcMemory,
) -> Option<Nearest> {
    let size = target.size() + circle.center.length() + circle.radius;
    let slack = 4.0 * SUPPORT_ROUNDING_REL * size;
    if !(max_error > 4.0 * slack) {
        return None;
    }
    memory.samples.clear();
    memory.waiting.clear();
    memory.ties.clear();
    let mut count = 0;
    let start = sample(&circle, target, circle.toward(target.middle()), &mut count)?;
    if target.is_point() {
        // The circle's point nearest to a point is known.
        let lower = start.distance - slack;
        memory.ties.push(start);
        return Some(Nearest { best: start, lower, samples: count });
    }
    let mut search =
        Search { circle, target, memory, slack, max_error, best: start, count, aside: f64::INFINITY };
    let lowest = search.descend(start)?;
    search.note(lowest);
    let lower = search.prove()?;
    let Search { best, count: samples, memory, .. } = search;
    memory.ties.retain(|tie| tie.distance <= best.distance + max_error);
    memory.ties.sort_unstable_by(|one, other| one.distance.total_cmp(&other.distance));
    Some(Nearest { best, lower: lower.min(best.distance), samples })
}

/// A point of the circle; `None` where it is in the body.
#[inline]
fn sample(circle: &Circle, target: &mut Target, at: DVec2, count: &mut u32) -> Option<Sample> {
    *count += 1;
    let point = circle.point(at);
    let near = target.nearest(point)?;
    let apart = point - near.point;
    let distance = apart.length();
    let normal = apart / distance;
    let height = target.height_above(normal);
    let tilt = circle.along(normal) * circle.radius;
    let offset = normal.dot(circle.center) - height;
    let sample = Sample { at, distance, normal, near, offset, tilt };
    // In the body, or too close to tell: the plane does not keep them apart. NaN too.
    (sample.bound(at) > 0.5 * distance).then_some(sample)
}

impl Search<'_, '_> {
    fn sample(&mut self, at: DVec2) -> Option<Sample> {
        sample(&self.circle, self.target, at, &mut self.count)
    }

    /// Takes a minimum into account.
    fn note(&mut self, found: Sample) {
        let better = found.distance < self.best.distance;
        if better {
            self.best = found;
        }
        let limit = self.best.distance + self.max_error;
        let ties = &mut self.memory.ties;
        ties.retain(|tie| tie.distance <= limit);
        match ties.iter().position(|tie| tie.at.distance(found.at) <= SAME_PLACE_REL) {
            Some(at) if found.distance < ties[at].distance => ties[at] = found,
            None if better || ties.len() < MOST_TIES && found.distance <= limit => ties.push(found),
            _ => {}
        }
    }

    /// A minimum next to a sample: a zero of the slope by the secant method, from the nearest point's own nearest point.
    fn descend(&mut self, start: Sample) -> Option<Sample> {
        let (mut last, mut best) = (start, start);
        let mut at = self.circle.toward(start.near.point);
        for _ in 0..STEPS {
            let next = self.sample(at)?;
            if next.distance < best.distance {
                best = next;
            }
            let turned = last.at.perp_dot(next.at);
            let bend = (next.slope() - last.slope()) / turned;
            let step = -next.slope() / bend;
            let toward = if bend > 0.0 && step.is_finite() {
                let step = step.clamp(-LONGEST, LONGEST);
                (next.at + next.at.perp() * step).normalize_or(next.at)
            } else {
                self.circle.toward(next.near.point)
            };
            // The next one would be the same.
            if next.at.perp_dot(toward).abs() <= RING_STEP_RAD || !(turned.abs() > 0.0) {
                break;
            }
            (last, at) = (next, toward);
        }
        Some(best)
    }

    /// The bound from which on an arc does not matter.
    fn enough(&self) -> f64 {
        self.best.distance - self.max_error
    }

    /// A proven lower bound; `None` where it takes too long.
    fn prove(&mut self) -> Option<f64> {
        let everywhere = self.best.bound(self.best.lowest()) - self.slack;
        if everywhere >= self.enough() {
            return Some(everywhere);
        }
        if let Some(off) = self.off_axis() {
            let lower = self.best.bound(self.best.at) - self.slack - off;
            if lower >= self.enough() {
                return Some(lower);
            }
        }
        self.start()?;
        let mut turn = 0;
        while let Some(Ranked { rank, item: arc, .. }) = self.memory.waiting.pop() {
            if -rank >= self.enough() {
                self.aside = self.aside.min(-rank);
                break;
            }
            if self.count >= self.memory.most {
                return None;
            }
            let next = self.sample(arc.lowest)?;
            let at = self.keep(next);
            self.look(next)?;
            for ends in [[arc.ends[0], at], [at, arc.ends[1]]] {
                turn += 1;
                self.push(ends, turn);
            }
        }
        Some(self.aside)
    }

    /// Where the body is turned about an axis: how far points of the circle are from one about that.
    fn off_axis(&self) -> Option<f64> {
        let axis = self.target.axis()?;
        let Circle { center, x, y, radius } = self.circle;
        let own = x.cross(y);
        let way = axis.direction.unwrap_or(own);
        let between = center - axis.origin;
        let aside = (between - way * between.dot(way)).length();
        // A body that is off its axis is nearer than it by as much at one point, and farther at another.
        Some(aside + 2.0 * own.cross(way).length() * radius + 2.0 * axis.off)
    }

    /// The circle as four arcs, the best point at the end of two.
    fn start(&mut self) -> Option<()> {
        let first = self.best;
        let begin = self.keep(first);
        let mut at = first.at;
        let mut from = begin;
        for quarter in 1..4 {
            at = at.perp();
            let next = self.sample(at)?;
            let to = self.keep(next);
            self.look(next)?;
            self.push([from, to], -quarter);
            from = to;
        }
        self.push([from, begin], -4);
        Some(())
    }

    /// Goes down from a sample that is nearer than the best, or may be next to another minimum as good.
    fn look(&mut self, next: Sample) -> Option<()> {
        let better = next.distance < self.best.distance - BETTER_SHARE * self.max_error;
        let close = next.distance < self.best.distance + TIE_ERRORS * self.max_error;
        let beside = |tie: &Sample| tie.at.distance(next.at) <= BESIDE;
        let ties = &self.memory.ties;
        if better || close && ties.len() < MOST_TIES && !ties.iter().any(beside) {
            let lowest = self.descend(next)?;
            self.note(lowest);
        }
        Some(())
    }

    fn keep(&mut self, sample: Sample) -> u32 {
        self.memory.samples.push(sample);
        self.memory.samples.len() as u32 - 1
    }

    /// Bounds an arc and lets it wait.
    fn push(&mut self, ends: [u32; 2], turn: i64) {
        let [a, b] = ends.map(|end| &self.memory.samples[end as usize]);
        let (lower, lowest) = lowest_between(a, b);
        let lower = lower - self.slack;
        let chord = a.at.distance(b.at);
        let close = lowest.distance(a.at).min(lowest.distance(b.at)) < SHORT_SHARE * chord;
        let lowest = if close { (a.at + b.at).normalize_or(a.at.perp()) } else { lowest };
        if lower < self.enough() {
            self.memory.waiting.push(Ranked { rank: -lower, turn, item: Arc { ends, lowest } });
        } else {
            self.aside = self.aside.min(lower);
        }
    }
}

/// The least value of the greater of two bounds over the arc from a to b, and where.
fn lowest_between(a: &Sample, b: &Sample) -> (f64, DVec2) {
    let within = |at: DVec2| a.at.perp_dot(at) >= 0.0 && at.perp_dot(b.at) >= 0.0;
    let mut best = (f64::INFINITY, a.at);
    let mut offer = |at: DVec2| {
        let value = a.bound(at).max(b.bound(at));
        if value < best.0 {
            best = (value, at);
        }
    };
    offer(a.at);
    offer(b.at);
    for lowest in [a.lowest(), b.lowest()] {
        if within(lowest) {
            offer(lowest);
        }
    }
    // Where both are equal: a cosine of the angle from the difference of their tilts.
    let apart = a.tilt - b.tilt;
    let length = apart.length();
    let cos = (b.offset - a.offset) / length;
    if length > 0.0 && cos.abs() <= 1.0 {
        let (axis, sin) = (apart / length, ((1.0 - cos) * (1.0 + cos)).sqrt());
        for at in [axis * cos + axis.perp() * sin, axis * cos - axis.perp() * sin] {
            if within(at) {
                offer(at);
            }
        }
    }
    best
}
