//! From the loops of a face to closed chains in the plane of its parameters.
//!
//! Source: the covering of a periodic surface by the plane: a loop becomes a chain that is followed without jumps, and
//! is closed there if it can be shrunk on the surface.
//! Differs: nothing to differ from.
//! Ends because: every loop and every edge is visited once.
//! Cost: that of following each edge, see `trace`.
//! Not promised: loops that run around a torus both ways at once; they are refused.
//!
//! All chains run with the face on their left in the plane of u and v, whichever way the face looks. Lines that are not
//! edges are added where a chain would be open: along a pole from one meridian to another; to a pole inside the
//! face and back; between two loops that run around the surface in opposite directions, out and back. The latter
//! cancel in every sum over all copies of the chain.

use super::draft::{DraftEdge, DraftLoop, DraftUse};
use super::error::TiledError;
use super::invert::invert_jet;
use super::region::{Region, is_rectangle};
use super::trace::{Trace, TrimPiece, trace, wrapped_jet};
use crate::curve::{Curve, Direction, Range, Rect};
use crate::surface::home::jet;
use crate::surface::{ParametricSurface, Pole, Surface};
use crate::tolerance::STRAIGHT_REL;
use crate::{EdgeId, FaceId};
use glam::DVec2;

/// A loop followed in the plane; closed but for a number of periods.
struct Walk {
    pieces: Vec<TrimPiece>,
    shift: [i64; 2],
}

/// What the loops of a face bound.
pub(super) struct Bounded {
    pub(super) region: Region,
    /// How far each edge is from the surface.
    pub(super) off: Vec<(EdgeId, f64)>,
    /// Whether the loops ran the wrong way around, and are to be turned.
    pub(super) turned: bool,
}

pub(super) struct Builder<'a> {
    pub(super) face: FaceId,
    pub(super) surface: &'a Surface,
    pub(super) reversed: bool,
    pub(super) edges: &'a [DraftEdge],
    /// Of points that should coincide; a length.
    pub(super) tolerance: f64,
    /// Of edges that should be on the surface; a length.
    pub(super) most_off: f64,
    poles: Vec<Pole>,
    periods: [Option<f64>; 2],
    curves: Vec<Curve>,
    /// How far each edge followed is from the surface.
    off: Vec<(EdgeId, f64)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        face: FaceId,
        surface: &'a Surface,
        reversed: bool,
        edges: &'a [DraftEdge],
        [tolerance, most_off]: [f64; 2],
    ) -> Self {
        let (poles, periods) = (surface.poles(), surface.periods());
        Self {
            face,
            surface,
            reversed,
            edges,
            tolerance,
            most_off,
            poles,
            periods,
            curves: Vec::new(),
            off: Vec::new(),
        }
    }

    /// The region that the loops enclose, and how far each edge is from the surface.
    pub(super) fn region(mut self, loops: &[DraftLoop], rect: Option<Rect>) -> Result<Bounded, TiledError> {
        if let Some(pieces) = rect.and_then(|rect| self.natural(loops, rect)) {
            let region = Region::new(self.surface.clone(), Vec::new(), vec![pieces]);
            return Ok(Bounded { region, off: self.off, turned: false });
        }
        let mut closed = Vec::new();
        let mut rings = Vec::new();
        for (at, one) in loops.iter().enumerate() {
            let DraftLoop::Edges(uses) = one else { continue };
            let walk = self.walk(at, uses)?;
            if walk.shift == [0, 0] { closed.push(walk.pieces) } else { rings.push(walk) }
        }
        if !rings.is_empty() {
            closed.extend(self.joined(rings)?);
        }
        let mut area: f64 = closed.iter().map(|chain| area(chain)).sum();
        let turned = area < 0.0 && closed.iter().any(|chain| self.is_unrolled(chain));
        if turned {
            closed = closed.into_iter().map(backwards).collect();
            area = -area;
        }
        let rect = rect.filter(|rect| closed.is_empty() && rect.is_bounded());
        if closed.is_empty() || area < 0.0 {
            // Loops around holes alone: the rest of a closed surface.
            let whole = rect.or_else(|| self.whole()).ok_or(if closed.is_empty() {
                TiledError::Unbounded { face: self.face }
            } else {
                TiledError::LoopTurned { face: self.face }
            })?;
            closed.push(rectangle(whole));
        }
        let region = Region::new(self.surface.clone(), self.curves, closed);
        Ok(Bounded { region, off: self.off, turned })
    }

    /// Whether a chain runs along a seam and back along another copy of it: then what it goes around is the face unrolled,
    /// since a seam is in the face. Left of a chain that goes around it the other way there would be all but the face.
    fn is_unrolled(&self, chain: &[TrimPiece]) -> bool {
        let far = |off: DVec2| {
            let beyond =
                |axis: usize| self.periods[axis].is_some_and(|period| off[axis].abs() > 0.5 * period);
            beyond(0) || beyond(1)
        };
        chain.iter().filter(|piece| piece.edge.is_some()).any(|piece| {
            let returns = |other: &TrimPiece| {
                other.edge == piece.edge
                    && other.along[1] == piece.along[0]
                    && (other.along[0] > other.along[1]) == (piece.along[1] > piece.along[0])
                    && far(other.to() - piece.from())
            };
            chain.iter().any(returns)
        })
    }

    /// The sides of a rectangle, where the loop is known to run along them: sides that match their neighbours' only
    /// within the tolerance stay straight.
    fn natural(&mut self, loops: &[DraftLoop], rect: Rect) -> Option<Vec<TrimPiece>> {
        let [DraftLoop::Edges(uses)] = loops else { return None };
        let mut order: Vec<&DraftUse> = uses.iter().collect();
        if self.reversed {
            order.reverse();
        }
        let mut pieces: Vec<TrimPiece> = Vec::new();
        let mut off = Vec::new();
        let join = |pieces: &mut Vec<TrimPiece>, to: DVec2| {
            if let Some(from) = pieces.last().map(TrimPiece::to).filter(|from| *from != to) {
                pieces.push(TrimPiece::straight(from, to));
            }
        };
        for one in order {
            let (edge, hint) = (self.edges.get(one.edge.index())?, one.parameters.as_ref()?);
            let piece = TrimPiece::side(one.edge, edge.range, [hint.at(0.0), hint.at(1.0)]);
            let piece = if one.reversed != self.reversed { piece.reversed() } else { piece };
            join(&mut pieces, piece.from());
            let distance = |s: f64| {
                let point = wrapped_jet(&edge.curve, edge.range.at(s)).point;
                invert_jet(self.surface, point, Some(hint.at(s))).1.point.distance(point)
            };
            off.push((one.edge, [0.25, 0.5, 0.75].map(distance).into_iter().fold(0.0, f64::max)));
            pieces.push(piece);
        }
        let start = pieces.first()?.from();
        join(&mut pieces, start);
        let tolerated = off.iter().all(|(_, off)| *off <= self.most_off);
        (is_rectangle(&pieces, rect) && tolerated).then(|| {
            self.off = off;
            pieces
        })
    }

    /// The domain, where the surface has no sides: periodic, or ending in poles.
    fn whole(&self) -> Option<Rect> {
        let domain = self.surface.domain();
        let ends_in_poles = |direction: Direction, low: f64, high: f64| {
            let is_pole = |at: f64| self.poles.iter().any(|p| p.direction == direction && p.at == at);
            is_pole(low) && is_pole(high)
        };
        let closed_u = self.periods[0].is_some() || ends_in_poles(Direction::U, domain.u.low, domain.u.high);
        let closed_v = self.periods[1].is_some() || ends_in_poles(Direction::V, domain.v.low, domain.v.high);
        (domain.is_bounded() && closed_u && closed_v).then_some(domain)
    }

    fn follow(&mut self, of: &DraftUse) -> Result<(Trace, u32), TiledError> {
        let edge = self.edges.get(of.edge.index());
        let edge = edge.ok_or(TiledError::NoSuchEdge { face: self.face, edge: of.edge })?;
        let hint = of.parameters.as_ref();
        let found = trace(self.surface, &self.poles, &edge.curve, edge.range, hint, self.tolerance);
        // Written so that NaN is refused.
        if !(found.off <= self.most_off) {
            return Err(TiledError::EdgeOffSurface { face: self.face, edge: of.edge, by: found.off });
        }
        self.off.push((of.edge, found.off));
        self.curves.push(edge.curve.clone());
        Ok((found, self.curves.len() as u32 - 1))
    }

    fn walk(&mut self, at: usize, uses: &[DraftUse]) -> Result<Walk, TiledError> {
        let mut pieces: Vec<TrimPiece> = Vec::new();
        let mut order: Vec<&DraftUse> = uses.iter().collect();
        if self.reversed {
            order.reverse();
        }
        for one in &order {
            let (found, curve) = self.follow(one)?;
            let against = one.reversed != self.reversed;
            let mut next = found.pieces(one.edge, curve, against, DVec2::ZERO);
            if let Some(last) = pieces.last() {
                let (from, to) = (last.to(), next[0].from());
                let again = last.edge == Some(one.edge);
                let (bridge, target) = self.bridge(at, last, from, to, again)?;
                next = next.into_iter().map(|piece| piece.moved(target - to)).collect();
                pieces.extend(bridge);
                next[0].set_from(target);
            }
            pieces.append(&mut next);
        }
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return Err(TiledError::Unbounded { face: self.face });
        };
        let (start, end) = (first.from(), last.to());
        let again = pieces.len() > 1 && uses.len() > 1 && first.edge == last.edge;
        let (bridge, target) = self.bridge(at, last, end, start, again)?;
        pieces.extend(bridge);
        let turns = |axis: usize| match self.periods[axis] {
            Some(period) => ((target - start)[axis] / period).round(),
            None => 0.0,
        };
        let turns = DVec2::new(turns(0), turns(1));
        let target = start + self.span(turns);
        if let Some(last) = pieces.last_mut() {
            last.set_to(target);
        }
        Ok(Walk { pieces, shift: [turns.x as i64, turns.y as i64] })
    }

    fn span(&self, turns: DVec2) -> DVec2 {
        turns * DVec2::new(self.periods[0].unwrap_or(0.0), self.periods[1].unwrap_or(0.0))
    }

    /// How a chain gets from `from`, the end of `last`, to a copy of `to`: directly, or along a pole. The copy, and the
    /// line that leads there if one is needed. `again`: it leaves along the edge that it came by.
    fn bridge(
        &self,
        at: usize,
        last: &TrimPiece,
        from: DVec2,
        to: DVec2,
        again: bool,
    ) -> Result<(Option<TrimPiece>, DVec2), TiledError> {
        let nearest = |axis: usize| match self.periods[axis] {
            Some(period) => to[axis] + period * ((from - to)[axis] / period).round(),
            None => to[axis],
        };
        let mut target = DVec2::new(nearest(0), nearest(1));
        let ends = [jet(self.surface, from), jet(self.surface, target)];
        let gap = ends[0].point.distance(ends[1].point);
        let pole = self.poles.iter().find(|p| {
            let line = if p.direction == Direction::U { 0 } else { 1 };
            from[line] == p.at && target[line] == p.at
        });
        if let Some(pole) = pole {
            let (line, run) = if pole.direction == Direction::U { (0, 1) } else { (1, 0) };
            if let Some(period) = self.periods[run] {
                // The face lies on the left: below a pole on top the chain runs against u, and so on around.
                let rising = last.cubic.at(0.5)[line] < pole.at;
                let forward = if line == 1 { !rising } else { rising };
                let ahead = (target[run] - from[run]) * if forward { 1.0 } else { -1.0 };
                let same = (target[run] - from[run]).abs() <= period * crate::tolerance::POLE_STEP_REL;
                if (same && again) || (!same && ahead < 0.0) {
                    target[run] += if forward { period } else { -period };
                }
            }
            let bridge = (target != from).then(|| TrimPiece::straight(from, target));
            return Ok((bridge, target));
        }
        // Written so that NaN is refused.
        if gap <= self.tolerance {
            // A step that is no more than rounding or a tolerated gap is closed by a line of its own, so that the
            // pieces stay what they are.
            let bridge = (target != from).then(|| TrimPiece::straight(from, target));
            return Ok((bridge, target));
        }
        let edge = last.edge.unwrap_or(EdgeId(0));
        Err(TiledError::LoopGap { face: self.face, at, edge, gap })
    }

    /// Closes loops that run around the surface: pairs of them, or one with a pole.
    fn joined(&self, rings: Vec<Walk>) -> Result<Vec<Vec<TrimPiece>>, TiledError> {
        let fail = TiledError::Unbounded { face: self.face };
        let axis = usize::from(rings[0].shift[0] == 0);
        let straight = |w: &Walk| w.shift[axis].abs() == 1 && w.shift[1 - axis] == 0;
        if !rings.iter().all(straight) {
            return Err(fail);
        }
        // Turned so that rings run along and the face of a forward one lies across from it.
        let across = |p: DVec2| if axis == 0 { p.y } else { -p.x };
        let height = |w: &Walk| across(w.pieces[0].from());
        let mut order: Vec<Walk> = rings;
        order.sort_by(|a, b| height(a).total_cmp(&height(b)));
        let forward = |w: &Walk| w.shift[axis] > 0;
        let period = self.periods[1 - axis];
        // Begin with a forward ring where the surface goes around; else a backward one at the bottom has a pole.
        if period.is_some()
            && let Some(first) = order.iter().position(forward)
        {
            order.rotate_left(first);
        }
        let mut chains = Vec::new();
        let mut open: Option<Walk> = None;
        for ring in order {
            let ring = self.leveled(ring, axis);
            match (open.take(), forward(&ring)) {
                (None, true) => open = Some(ring),
                (None, false) => chains.push(self.capped(ring, axis, false).ok_or(fail.clone())?),
                (Some(low), false) => chains.push(self.pair(low, ring, axis)),
                (Some(_), true) => return Err(fail),
            }
        }
        if let Some(low) = open {
            chains.push(self.capped(low, axis, true).ok_or(fail)?);
        }
        Ok(chains)
    }

    /// A ring along which one parameter is constant, begun at the domain's end, so that the region is a rectangle. Its
    /// edges keep their own parameters, by which points of sweeps and splines are found.
    fn leveled(&self, ring: Walk, axis: usize) -> Walk {
        let start = ring.pieces[0].from();
        let level = start[1 - axis];
        // In space: one parameter may be an angle where the other is a length.
        let there = jet(self.surface, start);
        let speeds = [there.u.length(), there.v.length()];
        let size = there.point.length().max(self.periods[axis].unwrap_or(0.0) * speeds[axis]);
        let is_level = |p: &TrimPiece| {
            let off = (p.to()[1 - axis] - level).abs() * speeds[1 - axis];
            p.curve.is_none() && off <= STRAIGHT_REL * size
        };
        let low = if axis == 0 { self.surface.domain().u.low } else { self.surface.domain().v.low };
        match self.periods[axis] {
            Some(period) if low.is_finite() && ring.pieces.iter().all(is_level) => {
                let pieces = begun_at(ring.pieces, axis, Range::new(low, low + period), ring.shift[axis] > 0);
                Walk { pieces, ..ring }
            }
            _ => ring,
        }
    }

    fn pair(&self, low: Walk, high: Walk, axis: usize) -> Vec<TrimPiece> {
        let (start, end) = (low.pieces[0].from(), low.pieces[low.pieces.len() - 1].to());
        let other = high.pieces[0].from();
        let mut shift = DVec2::ZERO;
        if let Some(period) = self.periods[axis] {
            shift[axis] = period * ((end - other)[axis] / period).round();
        }
        if let Some(period) = self.periods[1 - axis] {
            // The next copy on the face's side of the lower ring.
            let sign = if axis == 0 { 1.0 } else { -1.0 };
            let ahead = sign * (other - end)[1 - axis];
            shift[1 - axis] = -sign * period * (ahead / period).floor();
        }
        let mut pieces = low.pieces;
        let mut back: Vec<TrimPiece> = high.pieces.into_iter().map(|piece| piece.moved(shift)).collect();
        let (from, to) = (back[0].from(), back[back.len() - 1].to());
        pieces.push(TrimPiece::straight(end, from));
        pieces.append(&mut back);
        pieces.push(TrimPiece::straight(to, start));
        pieces
    }

    /// A ring and the pole on its face's side: above a forward one.
    fn capped(&self, ring: Walk, axis: usize, above: bool) -> Option<Vec<TrimPiece>> {
        let line = 1 - axis;
        let direction = if line == 0 { Direction::U } else { Direction::V };
        let sign = if (axis == 0) == above { 1.0 } else { -1.0 };
        let (start, end) = (ring.pieces[0].from(), ring.pieces[ring.pieces.len() - 1].to());
        let ahead = |pole: &&Pole| pole.direction == direction && sign * (pole.at - start[line]) > 0.0;
        let distance = |pole: &&Pole| (pole.at - start[line]).abs();
        let pole = self.poles.iter().filter(ahead).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let at = |p: DVec2| {
            let mut p = p;
            p[line] = pole.at;
            p
        };
        let mut pieces = ring.pieces;
        pieces.push(TrimPiece::straight(end, at(end)));
        pieces.push(TrimPiece::straight(at(end), at(start)));
        pieces.push(TrimPiece::straight(at(start), start));
        Some(pieces)
    }
}

/// The pieces of a ring at one level, from end to end of a period: cut where it ends, and what lies before that put behind.
fn begun_at(pieces: Vec<TrimPiece>, axis: usize, period: Range, forward: bool) -> Vec<TrimPiece> {
    let start = pieces[0].from();
    let sign = if forward { 1.0 } else { -1.0 };
    let turns = (start[axis] - period.low) / period.width();
    // The next seam on the way; a start within rounding of one is on it.
    let turns = sign * (sign * turns - STRAIGHT_REL).ceil();
    let seam = period.low + turns * period.width();
    let ahead = |p: DVec2| sign * (p[axis] - seam) / period.width();
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for piece in pieces {
        let [from, to] = [ahead(piece.from()), ahead(piece.to())];
        if from >= -STRAIGHT_REL {
            behind.push(piece);
        } else if to <= STRAIGHT_REL {
            before.push(piece);
        } else {
            let [one, other] = piece.cut(from / (from - to));
            before.push(one);
            behind.push(other);
        }
    }
    let [first, last] = if forward { [period.low, period.high] } else { [period.high, period.low] };
    let place = |t: f64| {
        let mut at = start;
        at[axis] = t;
        at
    };
    let shift = |by: f64| place(by) - place(0.0);
    let mut found: Vec<TrimPiece> =
        behind.into_iter().map(|piece| piece.moved(shift(first - seam))).collect();
    found.extend(before.into_iter().map(|piece| piece.moved(shift(last - seam))));
    // One line from end to end.
    let mut from = place(first);
    let count = found.len();
    for (at, piece) in found.iter_mut().enumerate() {
        let to = place(if at + 1 == count { last } else { piece.to()[axis] });
        piece.set_from(from);
        piece.set_to(to);
        from = to;
    }
    found
}

/// A chain run the other way.
fn backwards(chain: Vec<TrimPiece>) -> Vec<TrimPiece> {
    chain.into_iter().rev().map(TrimPiece::reversed).collect()
}

/// The sides of a rectangle, counter-clockwise.
fn rectangle(rect: Rect) -> Vec<TrimPiece> {
    let Rect { u, v } = rect;
    let corners = [
        DVec2::new(u.low, v.low),
        DVec2::new(u.high, v.low),
        DVec2::new(u.high, v.high),
        DVec2::new(u.low, v.high),
    ];
    (0..4).map(|i| TrimPiece::straight(corners[i], corners[(i + 1) % 4])).collect()
}

/// Signed area of a chain, from its cubics' ends and middles.
fn area(chain: &[TrimPiece]) -> f64 {
    let reference = chain.first().map_or(DVec2::ZERO, TrimPiece::from);
    let samples =
        chain.iter().flat_map(|piece| [0.25, 0.5, 0.75, 1.0].map(|s| piece.cubic.at(s) - reference));
    let mut last = DVec2::ZERO;
    let mut twice = 0.0;
    for p in samples {
        twice += last.perp_dot(p);
        last = p;
    }
    0.5 * twice
}
