//! One body below a plane or a sphere across the nearest points, proven for parts of it that last for many frames.
//!
//! Source: no two points are closer than two parallel planes, or two spheres around one middle, that keep the bodies apart.
//! Differs: with n the normal at p and κ the curvature of the sphere, ψ(x) = n·(x − p) + κ/2 |x − p|² says how far x is
//! beyond it. When n and p move, ψ changes by no more than |n′ − n + κ(p − p′)| |x − p| and a constant, so every part
//! comes with the turning that it outlasts: parts near p, whose ψ is the square of how far they are, last as long as their
//! distance from p asks for. Around p itself ψ is concave, and the Newton step that found p bounds it; where p is a corner of
//! a part with ψ(x) ≤ −m |x − p|, the part lasts while turnings stay below m, whatever its size.
//! Ends because: a budget of parts for each frame; parts get smaller.
//! Cost: some ten operations for each part that is known, one pass over control points for those that ran out.
//! Not promised: a sphere where the distance has a minimum that is nearly none, or one across a saddle.

#[cfg(test)]
mod tests;

use super::beyond::Beyond;
use super::hull::without_leaf;
use super::known::{APEX_SHARE, FALL_SHARE, Known, Line, ROUND_UP, Reading, Reason};
use super::sight::{BENDING, Bending, Sight, axis_of, corner_beyond, fall, farthest, slope};
use super::summit::Summits;
use crate::global::derivatives::Derivatives;
use crate::global::side::{Cell, Children, Part, Side};
use clearance_geometry::pieces;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// Parts of one body that a frame may look at, and that are kept: where nothing is known of what pairs of parts take, and at
/// most.
const MOST_KNOWN: [usize; 2] = [384, 1536];

/// Frames of the last turning for which a part is meant to last.
const AHEAD: f64 = 4.0;

/// Frames of the last turning for which parts around the nearest point are meant to last, the best first.
const LASTING: [f64; 3] = [64.0, 16.0, AHEAD];

/// Looks at a part in a row that ask only for the height of its points, after one that found nothing better.
const VAIN_LOOKS: u8 = 6;

/// A part is next to the nearest point where that is within so many of its radii.
const NEXT_TO: f64 = 2.0;

/// A part beyond keeps so many of its radii away from the nearest point, if it can.
const AWAY: f64 = 2.0;

/// What a look at a body came to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict {
    /// No point is beyond, but for those of the parts that are said to be.
    Below,
    /// A point next to the nearest one is: of a piece, at its parameters.
    Beyond(u32, DVec2),
    /// Not known within the budget.
    Unknown,
}

impl Core {
    fn has(&self, cell: &Cell) -> bool {
        cell.piece == self.piece && cell.low.cmpge(self.low).all() && cell.high.cmple(self.high).all()
    }

    /// Whether no point of it can be beyond, by the slope that is left at the nearest point.
    fn is_safe(&self, now: &Sight) -> bool {
        let slopes = DVec2::new(now.normal.dot(now.jet.u), now.normal.dot(now.jet.v));
        let rise = |slope: f64, bend: f64| if slope == 0.0 { 0.0 } else { 0.5 * slope * slope / bend };
        let rises = rise(slopes.x, self.least.x) + rise(slopes.y, self.least.y);
        let reach = (now.point.abs().max_element() + now.jet.u.length() + now.jet.v.length()) * f64::EPSILON;
        rises + 2.0 * now.round + reach <= now.share
    }
}

/// What became of one part.
enum Outcome {
    Known(Known),
    Beyond(DVec2),
    Cut(usize),
    Open,
    /// No point of it belongs to the body.
    Outside,
}

/// What is known of one body.
#[derive(Clone, Debug)]
pub(super) struct Crest {
    /// Parts that a frame may look at, and that are kept.
    budget: usize,
    known: Vec<Known>,
    /// What tells for each of them whether it has to be looked at.
    lines: Vec<Line>,
    /// The plane or sphere of now, as lines read it.
    reading: Reading,
    /// Which of them are concave: they are asked for in every frame.
    are_concave: Vec<bool>,
    /// Parts to look at, and whether they were known before.
    waiting: Vec<(Part, bool)>,
    /// Parts with points beyond.
    pub(super) beyond: Beyond,
    /// Whether some of them may be so no more.
    unsure: bool,
    /// Looks so far.
    pub(super) looks: u64,
    /// The turning of the last frame.
    step: f64,
    last: Option<(DVec3, DVec3, f64)>,
    clocks: Clocks,
    /// No part with a corner at the nearest point need be looked at before that has gone so far.
    due: f64,
    /// How many parts are concave.
    concave: usize,
    /// Concave parts that fill a box, while no part has come or gone; or a piece that none of them is of.
    core: Option<Core>,
    coreless: Option<u32>,
    /// Where points of concave parts were farthest beyond.
    summits: Summits,
    /// The shape of the body that it was last looked at in, by number, and how far points could have moved before.
    shape: (u32, f64),
}

/// What has happened to the plane or sphere so far.
#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    /// How much the derivative of ψ has changed at any point of the body.
    turned: f64,
    /// How far the nearest point has gone.
    way: f64,
    /// How much nearest points were beyond what followed them; a length.
    fallen: f64,
    /// That when all parts were looked at last, and what points might be beyond then.
    fallen_before: f64,
    share: f64,
}

/// A box of concave parts of one piece.
#[derive(Clone, Copy, Debug)]
struct Core {
    piece: u32,
    low: DVec2,
    high: DVec2,
    /// How concave they are at least, by the parameters of the piece.
    least: DVec2,
    /// Whether these are all concave parts that there are.
    is_all: bool,
}

impl Crest {
    pub(super) fn new() -> Self {
        Self {
            budget: MOST_KNOWN[0],
            known: Vec::with_capacity(MOST_KNOWN[1] + 2),
            lines: Vec::with_capacity(MOST_KNOWN[1] + 2),
            reading: Reading::default(),
            are_concave: Vec::with_capacity(MOST_KNOWN[1] + 2),
            waiting: Vec::with_capacity(2 * MOST_KNOWN[1]),
            beyond: Beyond::new(),
            unsure: false,
            looks: 0,
            step: 0.0,
            last: None,
            clocks: Clocks::default(),
            due: 0.0,
            concave: 0,
            core: None,
            coreless: None,
            summits: Summits::default(),
            shape: (0, 0.0),
        }
    }

    /// Allows so many looks in a frame, within limits.
    pub(super) fn allow(&mut self, looks: usize) {
        self.budget = looks.clamp(MOST_KNOWN[0], MOST_KNOWN[1]);
    }

    /// How many parts are known.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// How much the plane or sphere has turned since it began.
    pub(super) const fn turned(&self) -> f64 {
        self.clocks.turned
    }

    /// Begins with all of the body.
    pub(super) fn begin(&mut self) {
        self.known.clear();
        self.lines.clear();
        self.are_concave.clear();
        self.waiting.clear();
        self.beyond.clear();
        self.waiting.push((Part::Node(0), false));
        (self.clocks, self.due) = (Clocks::default(), f64::INFINITY);
        (self.concave, self.core, self.coreless) = (0, None, None);
        self.summits.clear();
        self.unsure = false;
    }

    /// Takes note of another curvature, by which other parts are beyond.
    pub(super) fn doubt_beyond(&mut self) {
        self.unsure = self.beyond.len() > 0;
    }

    /// Takes note of how far the normal has turned since the last frame.
    pub(super) fn turn(&mut self, now: &Sight) {
        let Some((normal, point, bend)) = self.last.replace((now.normal, now.point, now.bend)) else {
            return;
        };
        let moved = point - now.point;
        let step = (now.normal - normal + now.bend * moved).length();
        self.step = if step > 0.0 { step } else { self.step };
        let clocks = &mut self.clocks;
        // What rounding takes off sums of some thousands of terms.
        let up = 1.0 + ROUND_UP;
        clocks.turned += (step + (now.bend - bend).abs() * now.span) * up;
        clocks.way += moved.length() * up;
        clocks.fallen += (now.normal.dot(moved) + 0.5 * now.bend * moved.length_squared()).max(0.0) * up;
    }

    /// Charges parts that are known for another shape than before, and takes those out that rest on more than the height of
    /// their points; whether there is another one.
    fn reshape(&mut self, side: &mut Side<'_>) -> bool {
        let shape = side.shape();
        let before = std::mem::replace(&mut self.shape, shape);
        if before.0 == shape.0 {
            return false;
        }
        self.summits.clear();
        let way = (shape.1 - before.1).next_up();
        self.beyond.parts().for_each(|part| side.renew_part(part));
        let mut at = 0;
        while let Some(known) = self.known.get_mut(at) {
            if matches!(known.reason, Reason::Below) {
                known.charge(way);
                at += 1;
            } else {
                let gone = self.remove(at);
                self.waiting.push((gone, true));
            }
        }
        true
    }

    /// Takes parts that may be beyond out of those that are known.
    fn expire(&mut self, side: &mut Side<'_>, now: &Sight) {
        let reshaped = self.reshape(side);
        let clocks = &mut self.clocks;
        let all = reshaped
            || clocks.fallen - clocks.fallen_before > FALL_SHARE * now.share
            || clocks.share != now.share;
        if all {
            (clocks.fallen_before, clocks.share) = (clocks.fallen, now.share);
        }
        let Clocks { turned, way, .. } = self.clocks;
        self.reading = Reading::new(now, turned);
        let gone_far = all || way >= self.due;
        if gone_far {
            self.due = f64::INFINITY;
        }
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            let is_past = all || line.is_past(&self.reading);
            if is_past || gone_far && matches!(self.known[at].reason, Reason::Apex) {
                let Some((line, going)) = self.known[at].line(now, &self.reading) else {
                    if self.is_still_below(side, at, now) {
                        at += 1;
                        continue;
                    }
                    let gone = self.remove(at);
                    self.waiting.push((gone, true));
                    continue;
                };
                self.lines[at] = line;
                self.due = self.due.min(way + going);
            }
            at += 1;
        }
    }

    /// Whether a cell whose bound ran out is below by its control points, where nothing better was found of it before. Next to
    /// the nearest point that is so in every frame, and the rest of a look is in vain.
    fn is_still_below(&mut self, side: &mut Side<'_>, at: usize, now: &Sight) -> bool {
        let Known { part, vain, .. } = self.known[at];
        if vain == 0 || vain > VAIN_LOOKS || matches!(part, Part::Node(_)) {
            return false;
        }
        side.renew_part(part);
        let (most, reach) = farthest(side, part, now);
        // Written so that NaN is looked at.
        if !(most <= now.share) {
            return false;
        }
        self.looks += 1;
        let is_lasting = -most >= AHEAD * self.step * reach;
        let vain = if is_lasting { 0 } else { vain + 1 };
        self.known[at] = Known::new(side, part, Reason::Below, now, -most);
        self.known[at].vain = vain;
        self.lines[at] = self.known[at].first_line(now, &self.reading).0;
        true
    }

    /// Takes a part out of those that are known.
    fn remove(&mut self, at: usize) -> Part {
        self.lines.swap_remove(at);
        if self.are_concave.swap_remove(at) {
            self.count_concave(self.concave - 1);
        }
        self.known.swap_remove(at).part
    }

    /// Takes note of how many parts are concave now: what is known of all of them together is not any more.
    fn count_concave(&mut self, concave: usize) {
        (self.concave, self.core, self.coreless) = (concave, None, None);
    }

    /// When a part has to be looked at again.
    fn line_of(&mut self, known: &Known, now: &Sight) -> Line {
        let (line, going) = known.first_line(now, &self.reading);
        self.due = self.due.min(self.clocks.way + going);
        line
    }

    /// Notes a part that is not beyond.
    fn keep(&mut self, known: Known, now: &Sight) {
        let is_concave = matches!(known.reason, Reason::Concave(_));
        if is_concave {
            self.count_concave(self.concave + 1);
        }
        let line = self.line_of(&known, now);
        self.lines.push(line);
        self.are_concave.push(is_concave);
        self.known.push(known);
    }

    /// Takes concave parts with points that may be beyond out of those that are known.
    fn expire_concave(&mut self, side: &Side<'_>, now: &Sight) {
        if self.concave == 0 {
            return;
        }
        let holds = |core: &Core| {
            core.piece == now.piece && now.at.cmpge(core.low).all() && now.at.cmple(core.high).all()
        };
        if !self.core.as_ref().is_some_and(holds) && self.coreless != Some(now.piece) {
            self.core = self.filled_box(side, now);
        }
        let safe = self.core.filter(|core| holds(core) && core.is_safe(now));
        if safe.is_some_and(|core| core.is_all) {
            return;
        }
        let mut at = 0;
        while let Some(&is_concave) = self.are_concave.get(at) {
            let stays = !is_concave
                || match (self.known[at].reason, self.known[at].part) {
                    (Reason::Concave(bends), Part::Cell(cell)) => {
                        safe.is_some_and(|core| core.has(side.cell(cell)))
                            || self.stays_below(side, at, cell, now, bends)
                    }
                    _ => true,
                };
            if stays {
                at += 1;
            } else {
                let gone = self.remove(at);
                self.waiting.push((gone, true));
            }
        }
    }

    /// Whether a concave part away from the nearest point is not beyond; where it is well below, that is known of it from now on.
    fn stays_below(&mut self, side: &Side<'_>, at: usize, cell: u32, now: &Sight, bends: [f64; 2]) -> bool {
        let (most, _) = self.summits.top(side, cell, now, bends);
        let whole = side.cell(cell);
        let reach = whole.center.distance(now.point) + whole.radius;
        if -most >= AHEAD * self.step * reach {
            let below = Known::new(side, Part::Cell(cell), Reason::Below, now, -most);
            self.lines[at] = self.line_of(&below, now);
            (self.known[at], self.are_concave[at]) = (below, false);
            self.count_concave(self.concave - 1);
        }
        most <= now.share
    }

    /// Looks at all that is not known any more. Where points next to the nearest one are beyond, it says so if it `may`, and
    /// cuts their parts otherwise.
    pub(super) fn check(&mut self, side: &mut Side<'_>, now: &Sight, may_say: bool) -> Verdict {
        self.expire(side, now);
        self.expire_concave(side, now);
        if std::mem::take(&mut self.unsure) {
            self.take_back(side, now);
        }
        let mut left = self.budget;
        while let Some((part, again)) = self.waiting.pop() {
            side.renew_part(part);
            if left == 0 || !side.can_cut(part) || !self.has_room() {
                return Verdict::Unknown;
            }
            left -= 1;
            self.looks += 1;
            match (self.look(side, part, now, again), part) {
                (Outcome::Known(known), _) => self.keep(known, now),
                (Outcome::Outside, _) => {}
                (Outcome::Open, Part::Node(node)) => match side.below(node) {
                    Children::One(child) => self.waiting.push((child, false)),
                    Children::Two(children) => {
                        self.waiting.extend(children.map(|child| (without_leaf(side, child), false)));
                    }
                },
                (Outcome::Cut(axis), Part::Cell(cell)) => self.cut(side, cell, axis),
                (Outcome::Beyond(local), Part::Cell(cell)) => {
                    let whole = *side.cell(cell);
                    let near = whole.center.distance(now.point) <= NEXT_TO * whole.radius;
                    if near && may_say {
                        self.waiting.push((part, again));
                        return Verdict::Beyond(whole.piece, local);
                    }
                    let axis = if near { axis_of(side, cell, now) } else { None };
                    match axis {
                        Some(axis) => self.cut(side, cell, axis),
                        None if near => return Verdict::Unknown,
                        None => {
                            if self.beyond.is_full() {
                                self.take_back(side, now);
                            }
                            if self.beyond.is_full() {
                                return Verdict::Unknown;
                            }
                            self.set_aside(side, cell, now);
                        }
                    }
                }
                _ => return Verdict::Unknown,
            }
        }
        Verdict::Below
    }

    /// A box of concave parts around the nearest point: that of all concave parts of its piece if they fill it, else one part.
    fn filled_box(&mut self, side: &Side<'_>, now: &Sight) -> Option<Core> {
        let (mut low, mut high, mut least) = (DVec2::INFINITY, DVec2::NEG_INFINITY, DVec2::INFINITY);
        let (mut filled, mut single, mut is_all) = (0.0, None, true);
        let area = |size: DVec2| if size.y == 0.0 { size.x } else { size.x * size.y };
        for (known, _) in self.known.iter().zip(&self.are_concave).filter(|(_, is_concave)| **is_concave) {
            let (Reason::Concave(bends), Part::Cell(at)) = (known.reason, known.part) else { continue };
            let cell = side.cell(at);
            if cell.piece != now.piece {
                is_all = false;
                continue;
            }
            let size = cell.high - cell.low;
            let own = DVec2::from(bends) / (size * size).max(DVec2::splat(f64::MIN_POSITIVE));
            (low, high, least) = (low.min(cell.low), high.max(cell.high), least.min(own));
            filled += area(size);
            if now.at.cmpge(cell.low).all() && now.at.cmple(cell.high).all() {
                let Cell { low, high, .. } = *cell;
                single = Some(Core { piece: now.piece, low, high, least: own, is_all: false });
            }
        }
        self.coreless = if filled > 0.0 { None } else { Some(now.piece) };
        // Corners of cells are sums of a few powers of two: areas are exact.
        if filled > 0.0 && filled == area(high - low) {
            return Some(Core { piece: now.piece, low, high, least, is_all });
        }
        single
    }

    fn cut(&mut self, side: &mut Side<'_>, cell: u32, axis: usize) {
        for half in side.halves(cell, axis) {
            if side.cell(half).cover != Cover::Outside {
                self.waiting.push((Part::Cell(half), false));
            }
        }
    }

    /// Notes that a cell is beyond, and with it the largest one around it that keeps away from the nearest point: where a
    /// bump comes through the sphere, the small cells around it would follow one by one.
    fn set_aside(&mut self, side: &mut Side<'_>, cell: u32, now: &Sight) {
        let is_away = |cell: &Cell| cell.center.distance(now.point) > AWAY * cell.radius;
        let largest = side.largest_around(cell, is_away);
        let part = Part::Cell(largest);
        let side = &*side;
        let has = |part: Part| matches!(part, Part::Cell(at) if side.has(largest, at));
        let mut at = 0;
        while let Some(known) = self.known.get(at) {
            if has(known.part) {
                self.remove(at);
            } else if matches!(known.reason, Reason::Sloped) && are_next(side, known.part, part) {
                // Slopes next to it say nothing any more: they may lead into it.
                let gone = self.remove(at);
                self.waiting.push((gone, true));
            } else {
                at += 1;
            }
        }
        self.waiting.retain(|&(part, _)| !has(part));
        self.beyond.let_go_all(has);
        self.beyond.push(part);
    }

    /// Takes parts back that are not beyond any more, and will not be for some frames.
    fn take_back(&mut self, side: &mut Side<'_>, now: &Sight) {
        let mut at = 0;
        while at < self.beyond.len() {
            let entry = self.beyond.take(at);
            self.looks += 1;
            match self.look(side, entry.part, now, true) {
                Outcome::Known(known) if self.has_room() && self.outlasts(&known, now, AHEAD) => {
                    self.beyond.let_go(entry);
                    self.keep(known, now);
                }
                _ => {
                    self.beyond.put_back(at, entry);
                    at += 1;
                }
            }
        }
    }

    fn has_room(&self) -> bool {
        self.known.len() + self.waiting.len() < self.budget
    }

    /// Whether a part may have points in common with one that is beyond.
    fn is_next_to_beyond(&self, side: &Side<'_>, part: Part) -> bool {
        self.beyond.has_any(|beyond| are_next(side, part, beyond))
    }

    fn look(&mut self, side: &mut Side<'_>, part: Part, now: &Sight, again: bool) -> Outcome {
        let (most, reach) = farthest(side, part, now);
        let wanted = AHEAD * self.step;
        let below = Known::new(side, part, Reason::Below, now, -most);
        if most <= now.share && (!again || -most >= wanted * reach) {
            return Outcome::Known(below);
        }
        let Part::Cell(at) = part else {
            return if self.outlasts(&below, now, 1.0) { Outcome::Known(below) } else { Outcome::Open };
        };
        if most > now.share && side.is_outside(at) {
            return Outcome::Outside;
        }
        let cell = *side.cell(at);
        if let Some(fall) = fall(side, &cell, now, APEX_SHARE * now.share) {
            return Outcome::Known(Known::new(side, part, Reason::Apex, now, fall));
        }
        // Where a corner away from the nearest point is beyond, no slope would stand: it leads there.
        let is_near = cell.center.distance(now.point) <= NEXT_TO * cell.radius;
        if most > now.share
            && !is_near
            && let Some(local) = corner_beyond(side, &cell, now)
        {
            return Outcome::Beyond(local);
        }
        let derivatives = (cell.dimension > 0).then(|| side.derivatives(at));
        if let Some(derivatives) = &derivatives {
            let margin = slope(&cell, derivatives, now);
            if margin > 0.0 && margin * reach > -most && !self.is_next_to_beyond(side, part) {
                return Outcome::Known(Known::new(side, part, Reason::Sloped, now, margin));
            }
        }
        if most <= now.share {
            // Around the nearest point a part that is concave lasts longer.
            if let Some(derivatives) = &derivatives
                && cell.piece == now.piece
            {
                let bending = Bending::new(&cell, derivatives, now);
                for margin in LASTING.map(|frames| frames * self.step) {
                    if let Some(bends) = bending.concave(margin) {
                        return Outcome::Known(Known::new(side, part, Reason::Concave(bends), now, margin));
                    }
                }
            }
            return Outcome::Known(below.in_vain());
        }
        match &derivatives {
            Some(derivatives) => self.look_closer(side, at, &cell, derivatives, now, reach),
            None => Outcome::Beyond(DVec2::ZERO),
        }
    }

    /// Whether a part need not be looked at for some frames.
    fn outlasts(&self, known: &Known, now: &Sight, frames: f64) -> bool {
        known.room(now).is_some_and(|[turning, _]| turning > frames * self.step)
    }

    /// At a cell whose control points are beyond.
    fn look_closer(
        &mut self,
        side: &mut Side<'_>,
        at: u32,
        cell: &Cell,
        derivatives: &Derivatives,
        now: &Sight,
        reach: f64,
    ) -> Outcome {
        if let Some(local) = corner_beyond(side, cell, now) {
            return Outcome::Beyond(local);
        }
        let bending = Bending::new(cell, derivatives, now);
        for margin in [LASTING[0] * self.step, LASTING[1] * self.step, AHEAD * self.step, 0.0] {
            let Some(bends) = bending.concave(margin) else { continue };
            let (most, point) = self.summits.top(side, at, now, bends);
            if -most >= AHEAD * self.step * reach {
                return Outcome::Known(Known::new(side, Part::Cell(at), Reason::Below, now, -most));
            }
            if most <= now.share {
                let known = Known::new(side, Part::Cell(at), Reason::Concave(bends), now, margin);
                return Outcome::Known(known);
            }
            let local = cell.low + (cell.high - cell.low) * point;
            let there = pieces::jet(cell.degrees, side.net(cell), point).point;
            if now.beyond(there) > now.share && side.holds(cell, local) {
                return Outcome::Beyond(local);
            }
            break;
        }
        axis_of(side, at, now).map_or(Outcome::Beyond(0.5 * (cell.low + cell.high)), Outcome::Cut)
    }
}

/// Whether two parts may have points in common.
fn are_next(side: &Side<'_>, one: Part, other: Part) -> bool {
    if let (Part::Cell(one), Part::Cell(other)) = (one, other) {
        let (one, other) = (side.cell(one), side.cell(other));
        if one.piece == other.piece {
            return one.low.cmple(other.high).all() && other.low.cmple(one.high).all();
        }
    }
    // Edges of files stand off their faces.
    let gap = |part: Part| if let Part::Cell(at) = part { side.cell(at).gap } else { 0.0 };
    let gaps = gap(one) + gap(other);
    let [(one, near), (other, far)] = [side.ball(one), side.ball(other)];
    one.distance(other) <= (near + far) * (1.0 + BENDING) + gaps
}
