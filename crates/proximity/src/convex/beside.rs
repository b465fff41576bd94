//! Whether a way out of an overlap is locally shortest, and where a shorter one is beside it.
//!
//! Source: the least depth on circles of directions around it; where the smallest circle tells nothing, wider ones do.
//! Differs: along an edge of A − B the depth falls like the square of an angle and rises steeply to both sides, so that shorter
//! ways lie in a sector of the circle as narrow as its radius: each low place among a few samples is narrowed down.
//! Ends because: circles, samples, sections and turns are counted.
//! Cost: some hundred farthest points a circle, mostly one circle.
//! Not promised: that a way which is as short as all beside it, to rounding, has no shorter one farther on.

use super::newton::{Contact, Pair};
use crate::tolerance;
use clearance_geometry::DVec3;
use std::f64::consts::TAU;

/// Angles between a direction and those of the circles around it.
const CIRCLES_RAD: [f64; 5] =
    [tolerance::PROBE_RAD, 10.0 * tolerance::PROBE_RAD, 100.0 * tolerance::PROBE_RAD, 0.1, 0.3];

/// How many of them tell whether a direction is a minimum; the others, how far the way falls from one that is not.
const NEAR: usize = 3;

/// Samples of a circle.
const SAMPLES: usize = 24;

/// Low places of a circle that are narrowed down: an edge of A − B has one to each side.
const PLACES: usize = 4;

/// Sections of the place of a minimum on a circle: to the last digits that its depth tells.
const SECTIONS: usize = 40;

/// The largest turn downhill, in radians, how often the slopes of a valley are mended before turns become smaller, and most
/// turns in all.
const FIRST_TURN: f64 = 0.25;
const TRIES: usize = 4;
const TURNS: usize = 160;

impl Pair<'_> {
    /// The lowest direction on the widest circle around a way out to which it falls; `None` where none beside it is shorter.
    pub(super) fn shorter_beside(&self, contact: &Contact) -> Option<DVec3> {
        let n = contact.normal;
        let slack = tolerance::CURVED_GAP_REL * self.scale;
        let here = self.way(n).depth.min(-contact.signed);
        let mut lowest: Option<(DVec3, f64)> = None;
        for (at, angle) in CIRCLES_RAD.into_iter().enumerate() {
            let (way, depth) = self.lowest_on(n, angle);
            match lowest {
                None if depth < here - slack => lowest = Some((way, depth)),
                // All around it the way is longer; or as long, and no telling.
                None if depth > here + slack || at + 1 >= NEAR => return None,
                None => {}
                Some((_, known)) if depth < known => lowest = Some((way, depth)),
                Some(_) => break,
            }
        }
        lowest.map(|(way, _)| way)
    }

    /// The direction of the least depth among those at an angle to `n`, and that depth.
    fn lowest_on(&self, n: DVec3, angle: f64) -> (DVec3, f64) {
        let (s, t) = n.any_orthonormal_pair();
        let (height, radius) = (angle.cos(), angle.sin());
        let way = |turn: f64| (n * height + (s * turn.cos() + t * turn.sin()) * radius).normalize();
        let depth = |turn: f64| self.way(way(turn)).depth;
        let step = TAU / SAMPLES as f64;
        let samples: [f64; SAMPLES] = std::array::from_fn(|k| depth(step * k as f64));
        let is_low = |k: &usize| {
            let [before, after] = [SAMPLES - 1, 1].map(|by| samples[(k + by) % SAMPLES]);
            samples[*k] <= before && samples[*k] <= after
        };
        let mut low: Vec<usize> = (0..SAMPLES).filter(is_low).collect();
        low.sort_by(|one, other| samples[*one].total_cmp(&samples[*other]));
        let lowest =
            |best: (f64, f64), (turn, depth): (f64, f64)| if depth < best.1 { (turn, depth) } else { best };
        let narrowed = low.iter().take(PLACES).map(|&k| {
            let middle = step * k as f64;
            let found = least_between(&depth, middle - step, middle + step);
            lowest((middle, samples[k]), found)
        });
        let (turn, depth) = narrowed.fold((0.0, samples[0]), lowest);
        (way(turn), depth)
    }

    /// Downhill from a direction, also along valleys that are not smooth: a turn that lengthens the way tells the slope of the
    /// valley's other side, and the next one leans on both.
    pub(super) fn rolled_down(&self, start: DVec3) -> DVec3 {
        let mut here = self.way(start);
        let mut pull = across(here.s, here.n);
        let (mut turn, mut tries) = (FIRST_TURN, 0);
        for _ in 0..TURNS {
            let length = pull.length();
            if tries > TRIES || !(length > tolerance::GAP_REL * self.scale) {
                turn *= 0.3;
                if turn < tolerance::PROBE_RAD {
                    break;
                }
                (pull, tries) = (across(here.s, here.n), 0);
                continue;
            }
            let there = self.way((here.n - pull * (turn / length)).normalize_or(here.n));
            if there.depth < here.depth {
                here = there;
                (pull, tries) = (across(here.s, here.n), 0);
                turn = (1.5 * turn).min(FIRST_TURN);
            } else {
                pull = least_between_points(pull, across(there.s, here.n));
                tries += 1;
            }
        }
        here.n
    }
}

/// The part of a vector across a unit vector.
fn across(v: DVec3, n: DVec3) -> DVec3 {
    v - n * n.dot(v)
}

/// The shortest vector on the segment between two.
fn least_between_points(p: DVec3, q: DVec3) -> DVec3 {
    let along = q - p;
    let share = -p.dot(along) / along.length_squared();
    if share.is_finite() { p + along * share.clamp(0.0, 1.0) } else { p }
}

/// Where a function with one low place between two numbers is least, and its value there: by golden sections.
fn least_between(f: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let inner = |low: f64, high: f64| [high - (high - low) * SHARE, low + (high - low) * SHARE];
    let [p, q] = inner(low, high);
    let (mut p, mut q) = ((p, f(p)), (q, f(q)));
    for _ in 0..SECTIONS {
        if p.1 < q.1 {
            (high, q) = (q.0, p);
            let at = inner(low, high)[0];
            p = (at, f(at));
        } else {
            (low, p) = (p.0, q);
            let at = inner(low, high)[1];
            q = (at, f(at));
        }
    }
    if p.1 < q.1 { p } else { q }
}
