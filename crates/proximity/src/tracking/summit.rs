//! The point of a concave part that is farthest beyond a plane or sphere, followed from frame to frame.
//!
//! Source: Newton's method for the greatest value of a concave function on a rectangle; see `crest` for the function.
//! Differs: it begins where the point was last, with the derivatives of then: a part does not move in the frame of its body, so
//! that the first step costs no evaluation. Any place of the part gives a bound, since the function is concave by a known measure: a wrong start
//! changes the cost and no answer.
//! Ends because: steps are counted.
//! Cost: one evaluation as a rule, none where the sphere has hardly turned; two or three for a part that is new.
//! Not promised: the place itself, where the bound is good enough elsewhere.

use super::sight::Sight;
use crate::global::side::Side;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3, pieces};

/// Newton steps.
const STEPS: usize = 4;

/// Parts that are followed; of two that share a place the last one stays.
const MOST_SUMMITS: usize = 16;

/// Where points of parts were farthest beyond.
#[derive(Clone, Debug, Default)]
pub(super) struct Summits {
    known: [Option<Summit>; MOST_SUMMITS],
}

#[derive(Clone, Copy, Debug)]
struct Summit {
    cell: u32,
    /// In the cell's own parameters, with the derivatives by them.
    local: DVec2,
    jet: SurfaceJet,
}

impl Summits {
    /// Forgets all: cells may be others, or of another shape.
    pub(super) fn clear(&mut self) {
        self.known = [None; MOST_SUMMITS];
    }

    /// A bound on how far points of a concave cell are beyond, no better than asked for, and where, in the cell's own
    /// parameters.
    pub(super) fn top(&mut self, side: &Side<'_>, at: u32, now: &Sight, bends: [f64; 2]) -> (f64, DVec2) {
        let cell = side.cell(at);
        let high = DVec2::new(1.0, if cell.dimension == 2 { 1.0 } else { 0.0 });
        let lost = (cell.slack + now.round)
            * (1.0 + now.bend.abs() * (cell.center.distance(now.point) + cell.radius));
        let slot = &mut self.known[at as usize % MOST_SUMMITS];
        let is_in = cell.piece == now.piece && now.at.cmpge(cell.low).all() && now.at.cmple(cell.high).all();
        let size = cell.high - cell.low;
        let own =
            || ((now.at - cell.low) / size.max(DVec2::splat(f64::MIN_POSITIVE))).clamp(DVec2::ZERO, high);
        let (mut local, mut jet) = match slot {
            _ if is_in => (own(), Some(within(&now.jet, size))),
            Some(known) if known.cell == at => (known.local, Some(known.jet)),
            _ if cell.piece == now.piece => (own(), None),
            _ => (0.5 * high, None),
        };
        let mut best = (f64::INFINITY, local);
        for _ in 0..STEPS {
            let there = jet.take().unwrap_or_else(|| pieces::jet(cell.degrees, side.net(cell), local));
            let slope = now.slope_at(there.point);
            let rises = DVec2::new(slope.dot(there.u), slope.dot(there.v));
            let most = now.beyond(there.point)
                + rise(rises.x, bends[0], local.x, high.x)
                + rise(rises.y, bends[1], local.y, high.y)
                + lost;
            if most < best.0 {
                best = (most, local);
                *slot = Some(Summit { cell: at, local, jet: there });
            }
            if most <= now.share {
                break;
            }
            let next = (local + newton(&there, slope, now.bend, rises, local, high)).clamp(DVec2::ZERO, high);
            if next == local || !next.is_finite() {
                break;
            }
            local = next;
        }
        best
    }
}

/// The most that a function rises from a place in 0 … `high` whose slope is known and which bends down by `bend` at least.
fn rise(slope: f64, bend: f64, at: f64, high: f64) -> f64 {
    let room = if slope > 0.0 { high - at } else { at };
    let way = (slope.abs() / bend.max(f64::MIN_POSITIVE)).min(room);
    (slope.abs() - 0.5 * bend * way) * way
}

/// A Newton step toward the point of a cell that is farthest beyond. A parameter at an end that rises beyond it stays there.
fn newton(jet: &SurfaceJet, slope: DVec3, bend: f64, rises: DVec2, local: DVec2, high: DVec2) -> DVec2 {
    let held = |i: usize| if rises[i] > 0.0 { local[i] >= high[i] } else { local[i] <= 0.0 };
    let uu = slope.dot(jet.uu) + bend * jet.u.length_squared();
    let vv = slope.dot(jet.vv) + bend * jet.v.length_squared();
    match (held(0), high.y == 0.0 || held(1)) {
        (true, true) => DVec2::ZERO,
        (false, true) => DVec2::new(-rises.x / uu, 0.0),
        (true, false) => DVec2::new(0.0, -rises.y / vv),
        (false, false) => {
            let uv = slope.dot(jet.uv) + bend * jet.u.dot(jet.v);
            DVec2::new(uv * rises.y - vv * rises.x, uv * rises.x - uu * rises.y) / (uu * vv - uv * uv)
        }
    }
}

/// A jet by the parameters of a part of a piece, as wide as `size`.
fn within(jet: &SurfaceJet, size: DVec2) -> SurfaceJet {
    SurfaceJet {
        u: jet.u * size.x,
        v: jet.v * size.y,
        uu: jet.uu * (size.x * size.x),
        uv: jet.uv * (size.x * size.y),
        vv: jet.vv * (size.y * size.y),
        ..*jet
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::global::Prepared;
    use crate::global::side::Memory;
    use crate::tracking::sight::Bending;
    use clearance_geometry::Body;
    use clearance_geometry::tiled::TiledBody;
    use clearance_testkit::Random;

    /// No point of a grid is farther beyond than the bound says, wherever the search began; and the bound is close to the
    /// farthest of them.
    #[test]
    fn bounds_hold_for_any_start_and_are_tight() {
        let mut random = Random::new(7);
        let body = Body::from(TiledBody::ellipsoid([1.5, 1.0, 0.7]).unwrap());
        let ready = Prepared::new(&body).unwrap();
        let mut memory = Memory::with_capacity(4096, 65536, ready.tree().leaves().len());
        memory.clear(ready.tree());
        let mut side = Side::kept(&body, ready.tree(), &mut memory);
        let mut cells: Vec<u32> =
            (0..ready.tree().leaves().len() as u32).map(|piece| side.root(piece)).collect();
        for axis in [0, 1, 0, 1, 0, 1] {
            cells = cells.iter().flat_map(|&cell| side.halves(cell, axis)).collect();
        }
        let mut kept = Summits::default();
        let (mut bounded, mut tight) = (0, 0);
        for _ in 0..2000 {
            let normal = random.direction();
            let round = 1e-15;
            let sight = Sight {
                normal,
                point: normal * random.uniform(0.7, 1.5),
                bend: random.uniform(-0.3, 0.3),
                share: -10.0,
                round,
                span: 3.0,
                piece: u32::MAX,
                at: DVec2::ZERO,
                jet: SurfaceJet::default(),
            };
            for &at in &cells {
                let (cell, derivatives) = (*side.cell(at), side.derivatives(at));
                let Some(bends) = Bending::new(&cell, &derivatives, &sight).concave(0.0) else { continue };
                let place = |k: usize| DVec2::new((k / 17) as f64, (k % 17) as f64) / 16.0;
                let beyond =
                    |k: usize| sight.beyond(pieces::jet(cell.degrees, side.net(&cell), place(k)).point);
                let farthest = (0..289).map(beyond).fold(f64::NEG_INFINITY, f64::max);
                // Where the last plane left it, and from the beginning.
                for most in
                    [kept.top(&side, at, &sight, bends).0, Summits::default().top(&side, at, &sight, bends).0]
                {
                    assert!(most >= farthest, "{most}, {farthest}");
                    (bounded, tight) = (bounded + 1, tight + u32::from(most - farthest < 1e-2));
                }
            }
        }
        assert!(bounded > 500 && 10 * tight > 9 * bounded, "{tight} of {bounded}");
    }
}
