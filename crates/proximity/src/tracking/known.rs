//! Why a part of a body is not beyond a plane or sphere, and how far both may move before it may be.
//!
//! Source: see `crest`.
//! Differs: nothing.
//! Ends because: closed formulas.
//! Cost: some dozens of operations.
//! Not promised: the longest time that the reason holds.

use super::sight::{BENDING, Sight};
use crate::global::side::{Part, Side};
use clearance_geometry::{DVec3, DVec4};

/// The share of its reach that the nearest point may go before a part is looked at again.
const WAY_SHARE: f64 = 0.25;

/// The share of what points may be beyond that nearest points may fall behind by before all parts are looked at again.
pub(super) const FALL_SHARE: f64 = 0.25;

/// The share of what points may be beyond that a corner may be off the nearest point, and that rounding may take there.
pub(super) const APEX_SHARE: f64 = 1.0 / 16.0;

/// What clocks are rounded up by.
pub(super) const ROUND_UP: f64 = 64.0 * f64::EPSILON;

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
    /// How often in a row nothing was found that lasts longer than that its points are below.
    pub(super) vain: u8,
}

impl Known {
    pub(super) fn new(side: &Side<'_>, part: Part, reason: Reason, sight: &Sight, margin: f64) -> Self {
        let Sight { normal, point, bend, share, .. } = *sight;
        let (center, radius) = side.ball(part);
        let reach = center.distance(point) + radius;
        Self { part, reason, normal, point, bend, margin, center, radius, reach, share, vain: 0 }
    }

    /// The same where nothing was found that lasts longer.
    pub(super) const fn in_vain(mut self) -> Self {
        self.vain = 1;
        self
    }

    /// Charges a part that is below for a change of shape that moves no point of it by more than `way`: one may gain that
    /// times the steepest slope of ψ, and leave the ball by it. Other reasons do not outlast one.
    pub(super) fn charge(&mut self, way: f64) {
        (self.radius, self.reach) = ((self.radius + way).next_up(), (self.reach + way).next_up());
        let steep = 1.0 + self.bend.abs() * self.reach;
        self.margin = (self.margin - steep * way * (1.0 + ROUND_UP)).next_down();
    }

    /// How far the normal may turn, and the nearest point go, from now on before it may be beyond, or a concave part not
    /// concave any more; `None` where it may be so now.
    pub(super) fn room(&self, now: &Sight) -> Option<[f64; 2]> {
        let moved = self.point - now.point;
        let turning = now.normal - self.normal + now.bend * moved;
        let turned = turning.length();
        let bent = now.bend - self.bend;
        match self.reason {
            Reason::Below => {
                let left = self.below(now);
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
                let room = if self.bend == 0.0 { left } else { left.min(bending * now.span) };
                (left >= 0.0 && bending >= 0.0).then_some([room, f64::INFINITY])
            }
        }
    }
}

/// A plane or sphere as far as lines ask for it: with g = n − κp, ψ(x) = g·x + κ/2 |x|² − n·p + κ/2 |p|².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// g and half of κ.
    lift: DVec4,
    /// The rest of ψ, less what points may be beyond.
    level: f64,
    /// How much the derivative of ψ has changed so far at any point of the body.
    turned: f64,
    /// What rounding may take off; a length.
    lost: f64,
}

impl Reading {
    pub(super) fn new(now: &Sight, turned: f64) -> Self {
        let Sight { normal, point, bend, share, .. } = *now;
        let level = 0.5 * bend * point.length_squared() - normal.dot(point) - share;
        // No point of the body is farther from its origin.
        let reach = point.length() + now.span;
        let lost = 2.0 * now.round * (1.0 + bend.abs() * reach) + ROUND_UP * turned * now.span;
        Self { lift: (normal - bend * point).extend(0.5 * bend), level, turned, lost }
    }
}

/// A bound on how far a part is beyond that is linear in a [`Reading`]: ψ at the middle of a ball around the part, and what
/// turning may add within it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The middle and its square.
    place: DVec4,
    /// Whether it is such a bound, or says only how much turning a part outlasts.
    level: f64,
    radius: f64,
    rest: f64,
}

impl Line {
    /// Of a part that is to be looked at in any case.
    const PAST: Self = Self { place: DVec4::ZERO, level: 0.0, radius: 0.0, rest: f64::INFINITY };

    #[inline]
    fn over(&self, now: &Reading) -> f64 {
        self.place.dot(now.lift) + self.level * now.level + now.turned * self.radius + self.rest
    }

    /// Whether the part has to be looked at.
    #[inline]
    pub(super) fn is_past(&self, now: &Reading) -> bool {
        // Written so that NaN is looked at.
        !(self.over(now) < -now.lost)
    }
}

impl Known {
    /// How long the part need not be looked at, and how far the nearest point may go meanwhile; `None` where it may be beyond,
    /// or not concave any more, now.
    pub(super) fn line(&self, now: &Sight, reading: &Reading) -> Option<(Line, f64)> {
        if matches!(self.reason, Reason::Below) {
            let left = self.below(now);
            let place = self.center.extend(self.center.length_squared());
            let line = Line { place, level: 1.0, radius: self.radius, rest: 0.0 };
            let rest = -left - line.over(reading);
            return (left >= 0.0).then_some((Line { rest, ..line }, f64::INFINITY));
        }
        let [turning, way] = self.room(now)?;
        let line = Line { level: 0.0, radius: 1.0, rest: -(reading.turned + turning), ..Line::PAST };
        Some((line, way))
    }

    /// The same for a part that was seen to be below just now, to be looked at again at once where it is not.
    pub(super) fn first_line(&self, now: &Sight, reading: &Reading) -> (Line, f64) {
        self.line(now, reading).unwrap_or((Line::PAST, 0.0))
    }

    /// What a part whose points were below is below by, beside what points may be beyond.
    fn below(&self, now: &Sight) -> f64 {
        let moved = self.point - now.point;
        let turning = now.normal - self.normal + now.bend * moved;
        let farther = now.normal.dot(moved) + 0.5 * now.bend * moved.length_squared();
        // A part that the turning lowers comes no closer but for its size.
        let raised = turning.dot(self.center - self.point) + turning.length() * self.radius;
        let bulged = 0.5 * (now.bend - self.bend).max(0.0) * self.reach * self.reach;
        self.margin + now.share - raised - bulged - farther
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::DVec2;
    use clearance_geometry::surface::SurfaceJet;
    use clearance_testkit::Random;

    /// A point of a part that is below stays so while the shape moves it by less than is charged, and the sphere turns and its
    /// nearest point goes by less than there is room for.
    #[test]
    fn parts_below_stay_there_while_there_is_room() {
        let mut random = Random::new(11);
        let (mut moved, mut tight) = (0, f64::NEG_INFINITY);
        for _ in 0..200_000 {
            let share = 1e-3;
            let sight = Sight {
                normal: random.direction(),
                point: random.direction() * random.uniform(0.0, 1.0),
                bend: random.uniform(-2.0, 2.0),
                share,
                round: 0.0,
                span: 10.0,
                piece: 0,
                at: DVec2::ZERO,
                jet: SurfaceJet::default(),
            };
            let center = sight.point + random.direction() * random.uniform(0.0, 2.0);
            let radius = random.uniform(0.0, 0.2);
            let x = center + random.direction() * random.uniform(0.0, radius);
            let margin = -sight.beyond(x);
            if margin < 0.0 {
                continue;
            }
            let Sight { normal, point, bend, .. } = sight;
            let reach = center.distance(point) + radius;
            let (part, reason) = (Part::Node(0), Reason::Below);
            let mut known =
                Known { part, reason, normal, point, bend, margin, center, radius, reach, share, vain: 0 };
            // Up the slope, which gains most.
            let way = random.uniform(0.0, 1.0) * margin / (1.0 + bend.abs() * reach);
            let there = x + sight.slope_at(x).normalize_or_zero() * way;
            let now = Sight { normal: (normal + random.in_ball() * 0.2).normalize(), ..sight };
            // In steps, as shapes change from frame to frame.
            let steps = 1 + random.index(4);
            (0..steps).for_each(|_| known.charge(way / steps as f64));
            let Some([turning, going]) = known.room(&now) else { continue };
            assert!(now.beyond(there) <= share + 1e-12, "{known:?}, {now:?}, {way}");
            if turning <= 0.0 {
                continue;
            }
            // As the nearest point goes along the sphere the normal follows it; the rest is turning.
            let off = random.direction() * going.min(0.1) * random.uniform(0.0, 1.0);
            let normal = (now.normal + bend * off).normalize_or_zero();
            let later = Sight { normal, point: now.point + off, ..now };
            let clock = (later.normal - now.normal - bend * off).length();
            let fallen = (later.normal.dot(-off) + 0.5 * bend * off.length_squared()).max(0.0);
            if clock <= turning && off.length() <= going && fallen <= FALL_SHARE * share {
                let beyond = later.beyond(there);
                assert!(beyond <= share + 1e-12, "{known:?}, {later:?}, {way}: {beyond}");
                (moved, tight) = (moved + 1, beyond.max(tight));
            }
        }
        assert!(moved > 1000 && tight > -0.1, "{moved} moved, {tight}");
    }

    /// A point of a part stays below while its line says so, wherever a sphere goes that turns, wanders and bends; and the line
    /// says so for some steps.
    #[test]
    fn points_stay_below_while_their_line_is_not_past() {
        let mut random = Random::new(12);
        let (mut stayed, mut renewed, mut tight) = (0, 0, f64::NEG_INFINITY);
        for _ in 0..20_000 {
            let share = 1e-3;
            let mut now = Sight {
                normal: random.direction(),
                point: random.direction() * random.uniform(0.0, 1.0),
                bend: random.uniform(-2.0, 2.0),
                share,
                round: 1e-15,
                span: 4.0,
                piece: 0,
                at: DVec2::ZERO,
                jet: SurfaceJet::default(),
            };
            let center = now.point + random.direction() * random.uniform(0.0, 1.0);
            let radius = random.uniform(0.0, 0.2);
            let x = center + random.direction() * random.uniform(0.0, radius);
            let margin = -now.beyond(x);
            if margin < 0.0 {
                continue;
            }
            let Sight { normal, point, bend, .. } = now;
            let reach = center.distance(point) + radius;
            let (part, reason) = (Part::Node(0), Reason::Below);
            let known =
                Known { part, reason, normal, point, bend, margin, center, radius, reach, share, vain: 0 };
            let mut turned = random.uniform(0.0, 10.0);
            let (mut line, _) = known.first_line(&now, &Reading::new(&now, turned));
            let pace = 0.1_f64.powf(random.uniform(1.0, 4.0));
            for _ in 0..16 {
                let before = now;
                now.normal = (now.normal + pace * random.in_ball()).normalize();
                now.point += pace * random.in_ball();
                now.bend += 0.1 * pace * random.uniform(-1.0, 1.0);
                let moved = before.point - now.point;
                turned += (now.normal - before.normal + now.bend * moved).length()
                    + (now.bend - before.bend).abs() * now.span;
                let reading = Reading::new(&now, turned);
                if line.is_past(&reading) {
                    let Some((again, _)) = known.line(&now, &reading) else { break };
                    (line, renewed) = (again, renewed + 1);
                } else {
                    (stayed, tight) = (stayed + 1, now.beyond(x).max(tight));
                }
                assert!(now.beyond(x) <= share + 1e-12, "{known:?}, {now:?}: {}", now.beyond(x));
            }
        }
        assert!(stayed > 10_000 && renewed > 500 && tight > 0.5e-3, "{stayed} {renewed} {tight}");
    }
}
