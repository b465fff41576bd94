//! The distance of two circles in space, with a proven lower bound.
//!
//! Source: the second circle's nearest point is known in closed form, so that half the squared distance is a function of the
//! first circle's angle: a cosine, less the second radius times the length of a vector in the second circle's plane.
//! Differs: instead of the roots of a polynomial of degree 8 its least value is looked for among arcs, each bounded by its
//! value, slope and a bound of its bend at one point. The bend's bound meets the bend itself as arcs shorten, so that an arc
//! around a minimum is closed as soon as the function bends upward on it.
//! Ends because: arcs are counted.
//! Cost: ten to thirty arcs, each some tens of products.
//! Not promised: an answer where circles are nearly everywhere equally far from each other; then there is none.

use super::ring::Circle;
use crate::tolerance::{CLOSED_FORM_ERROR_REL, RING_STEP_RAD, SAME_PLACE_REL};
use clearance_geometry::{DVec2, Ranked};
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};

/// Arcs that the first circle is cut into.
const FIRST_ARCS: usize = 6;

/// Most arcs looked at.
const MOST_ARCS: u32 = 2_000;

/// Most minima kept; circles that are everywhere equally near have no end of them.
const MOST_MINIMA: usize = 16;

/// Steps of one descent.
const STEPS: usize = 16;

/// The longest step of a descent; radians.
const LONGEST: f64 = 0.5;

/// Half the squared distance as a function of an angle θ of the first circle, with e = (cos θ, sin θ):
/// ½ constant + linear · e − radius · |middle + turn · e|.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    constant: f64,
    linear: DVec2,
    radius: f64,
    middle: DVec2,
    turn: [DVec2; 2],
    /// What rounding may change of it.
    pub(super) noise: f64,
}

/// Value, slope and what bounds the bend of [`Half`] at one angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
    /// Length of the vector in the second plane, and its change along itself and across by the sine of an angle.
    length: f64,
    ahead: [f64; 2],
    aside: [f64; 2],
    /// Second derivative of the linear part, turned around.
    hang: f64,
}

impl Half {
    pub(super) fn new(first: &Circle, second: &Circle) -> Self {
        let apart = first.center - second.center;
        let (r, s) = (first.radius, second.radius);
        let linear = first.along(apart) * r;
        let turn = [second.along(first.x) * r, second.along(first.y) * r];
        let size = apart.length() + r + s;
        // Terms are as large as the square of the coordinates that they are differences of.
        let reach = size + first.center.length().max(second.center.length());
        Self {
            constant: 0.5 * (apart.length_squared() + r * r + s * s),
            linear,
            radius: s,
            middle: second.along(apart),
            turn,
            noise: CLOSED_FORM_ERROR_REL * size * reach,
        }
    }

    #[inline]
    pub(super) fn jet(&self, e: DVec2) -> Jet {
        let t = e.perp();
        let (out, along) = (self.turn[0] * e.x + self.turn[1] * e.y, self.turn[0] * t.x + self.turn[1] * t.y);
        let vector = self.middle + out;
        let length = vector.length();
        let unit = if length > 0.0 { vector / length } else { DVec2::X };
        let ahead = [unit.dot(along), unit.dot(out)];
        let aside = [unit.perp_dot(along), unit.perp_dot(out)];
        let hang = self.linear.dot(e) - self.radius * ahead[1];
        Jet {
            value: self.constant + self.linear.dot(e) - self.radius * length,
            slope: self.linear.dot(t) - self.radius * ahead[0],
            bend: -hang - self.radius * aside[0] * aside[0] / length,
            length,
            ahead,
            aside,
            hang,
        }
    }

    /// A lower bound over all angles within `width` (less than half a right angle) of the jet's.
    ///
    /// With t the sine of the angle from the jet's and s one minus its cosine, the vector changes by `along t − out s`; its
    /// length is at most its part along the jet's own vector plus the square of the part across over twice the former.
    #[inline]
    pub(super) fn bound(&self, jet: &Jet, width: &Width) -> f64 {
        let Width { most, cos, lean } = *width;
        let shortest = jet.length - most * (jet.ahead[0].abs() + lean * jet.ahead[1].abs());
        let share = |hang: f64| if hang > 0.0 { hang / (1.0 + cos) } else { 0.5 * hang };
        let below = if shortest > 0.0 {
            let across = jet.aside[0].abs() + lean * jet.aside[1].abs();
            // value + slope t − hold t²
            let hold = share(jet.hang) + self.radius * across * across / (2.0 * shortest);
            if hold < 0.0 && jet.slope.abs() < -2.0 * hold * most {
                jet.slope * jet.slope / (-4.0 * hold)
            } else {
                most * (jet.slope.abs() + hold * most)
            }
        } else {
            // Near the second circle's axis the length has a kink.
            let linear = jet.slope.abs() + self.radius * jet.ahead[0].abs();
            let longest = jet.ahead[0].hypot(jet.aside[0]) + lean * jet.ahead[1].hypot(jet.aside[1]);
            let hang = jet.hang + self.radius * jet.ahead[1];
            most * (linear + self.radius * longest + share(hang).max(0.0) * most)
        };
        jet.value - below.max(0.0) - self.noise
    }
}

/// Half the width of an arc: its sine and cosine, and the tangent of its half.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) most: f64,
    pub(super) cos: f64,
    lean: f64,
}

impl Width {
    pub(super) fn new(angle: f64) -> Self {
        Self { most: angle.sin(), cos: angle.cos(), lean: (0.5 * angle).tan() }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Direction of the nearest point from the first centre.
    pub(super) at: DVec2,
    pub(super) lower: f64,
    pub(super) arcs: u32,
}

/// An arc: its middle, half its width.
#[derive(Clone, Copy, Debug)]
struct Arc {
    middle: f64,
    width: f64,
}

struct Search<'a> {
    half: Half,
    max_error: f64,
    /// Angles of minima with their values.
    minima: &'a mut Vec<(f64, f64)>,
    best: f64,
    waiting: &'a mut BinaryHeap<Ranked<Arc>>,
    aside: f64,
    turn: i64,
}

/// Memory of earlier searches.
#[derive(Clone, Debug, Default)]
pub(super) struct RingMemory {
    waiting: BinaryHeap<Ranked<Arc>>,
    minima: Vec<(f64, f64)>,
}

impl RingMemory {
    /// With room for all that a search may need.
    pub(super) fn with_room() -> Self {
        Self { waiting: BinaryHeap::with_capacity(ROOM), minima: Vec::with_capacity(ROOM) }
    }

    /// Directions of all points of the first circle as near as the nearest, within the error; the nearest first.
    pub(super) fn nearest(&self) -> impl Iterator<Item = DVec2> + '_ {
        self.minima.iter().map(|(angle, _)| turned(*angle))
    }
}

/// Arcs that wait at most.
const ROOM: usize = MOST_ARCS as usize + FIRST_ARCS;

/// The nearest points of two circles in one frame. `None` where it takes too long.
pub(super) fn nearest(
    first: &Circle,
    second: &Circle,
    max_error: f64,
    memory: &mut RingMemory,
) -> Option<Nearest> {
    let RingMemory { waiting, minima } = memory;
    waiting.clear();
    minima.clear();
    let half = Half::new(first, second);
    let mut search =
        Search { half, max_error, minima, best: f64::INFINITY, waiting, aside: f64::INFINITY, turn: 0 };
    let start = first.along(second.center - first.center);
    let start = start.y.atan2(start.x);
    search.descend(start);
    let width = PI / FIRST_ARCS as f64;
    for arc in 0..FIRST_ARCS {
        search.push(Arc { middle: start + 2.0 * width * arc as f64, width });
    }
    let mut arcs = 0;
    while let Some(Ranked { rank, item: arc, .. }) = search.waiting.pop() {
        if -rank >= search.enough() {
            search.aside = search.aside.min(-rank);
            break;
        }
        arcs += 1;
        if arcs > MOST_ARCS {
            return None;
        }
        let width = 0.5 * arc.width;
        for middle in [arc.middle - width, arc.middle + width] {
            search.push(Arc { middle, width });
        }
    }
    search.finish(arcs)
}

impl Search<'_> {
    /// The value from which on an arc does not matter.
    fn enough(&self) -> f64 {
        let least = (2.0 * self.best.max(0.0)).sqrt() - self.max_error;
        0.5 * least.max(0.0) * least.max(0.0)
    }

    /// Bounds an arc and lets it wait, unless it does not matter.
    fn push(&mut self, arc: Arc) {
        let jet = self.half.jet(turned(arc.middle));
        let mut lower = self.half.bound(&jet, &Width::new(arc.width));
        let open = lower < self.enough();
        let known = |&(angle, _): &(f64, f64)| off(arc.middle, angle).abs() <= arc.width;
        // A closed arc may still have a minimum as good as the best.
        let other = self.is_promising(&jet, &arc) && (open || !self.minima.iter().any(known));
        if other || open && jet.value < self.best {
            self.descend(arc.middle);
        }
        if open {
            // From a minimum the bound is better.
            for &(angle, _) in self.minima.iter() {
                let off = off(arc.middle, angle).abs();
                let width = off + arc.width;
                if off <= arc.width && width < WIDEST {
                    lower = lower.max(self.half.bound(&self.half.jet(turned(angle)), &Width::new(width)));
                }
            }
        }
        if lower >= self.enough() {
            self.aside = self.aside.min(lower);
            return;
        }
        self.turn += 1;
        self.waiting.push(Ranked { rank: -lower, turn: self.turn, item: arc });
    }

    /// Whether another minimum as good as the best may be on an arc.
    fn is_promising(&self, jet: &Jet, arc: &Arc) -> bool {
        let step = if jet.bend > 0.0 { -jet.slope / jet.bend } else { f64::INFINITY };
        let reached = jet.value + 0.5 * jet.slope * step;
        step.abs() <= arc.width
            && reached < self.best + self.half.noise + self.max_error * (2.0 * self.best).sqrt()
    }

    /// A minimum next to an angle, by Newton's method.
    fn descend(&mut self, start: f64) {
        let mut angle = start;
        let mut jet = self.half.jet(turned(angle));
        for _ in 0..STEPS {
            let step = if jet.bend > 0.0 { -jet.slope / jet.bend } else { -LONGEST * jet.slope.signum() };
            let mut step = step.clamp(-LONGEST, LONGEST);
            let mut next = self.half.jet(turned(angle + step));
            while next.value > jet.value + self.half.noise && step.abs() > RING_STEP_RAD {
                step *= 0.25;
                next = self.half.jet(turned(angle + step));
            }
            angle += step;
            jet = next;
            if !(step.abs() > RING_STEP_RAD) {
                break;
            }
        }
        let better = jet.value < self.best;
        self.best = self.best.min(jet.value);
        let near = |known: f64| off(known, angle).abs() <= SAME_PLACE_REL;
        if (better || self.minima.len() < MOST_MINIMA) && !self.minima.iter().any(|(known, _)| near(*known)) {
            self.minima.push((angle, jet.value));
        }
    }

    fn finish(self, arcs: u32) -> Option<Nearest> {
        let limit = (2.0 * self.best.max(0.0)).sqrt() + self.max_error;
        let minima = self.minima;
        minima.retain(|(_, value)| (2.0 * value.max(0.0)).sqrt() <= limit);
        minima.sort_unstable_by(|one, other| one.1.total_cmp(&other.1));
        let lower = (2.0 * self.aside.min(self.best - self.half.noise).max(0.0)).sqrt();
        minima.first().map(|(angle, _)| Nearest { at: turned(*angle), lower, arcs })
    }
}

/// The widest range of angles around a minimum that a bound is asked for; radians.
const WIDEST: f64 = 0.75;

/// How far one angle is from another, less than half a turn.
fn off(angle: f64, from: f64) -> f64 {
    (angle - from + PI).rem_euclid(TAU) - PI
}

fn turned(angle: f64) -> DVec2 {
    DVec2::new(angle.cos(), angle.sin())
}
