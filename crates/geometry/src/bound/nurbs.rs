//! Bounds of rational splines: over the Bézier pieces that a part meets.
//!
//! Source: the pieces' own bounds, joined.
//! Differs: a piece that a part only touches counts, since derivatives at a knot are taken from either side.
//! Ends because: pieces are counted.
//! Cost: that of the bounds of each piece.
//! Not promised: a cone of a part that touches a crease without the normals beyond it.

use super::bezier::{curve_speeds, hull_of, patch_speeds};
use super::net::normal_cone_of;
use super::{ConvexBound, CurveSpeeds, DerivativeBound, DirectionCone, Hull, NormalCone, SurfaceSpeeds};
use crate::curve::{Bezier, Knots, NurbsCurve, Range, Rect};
use crate::surface::{BezierPatch, NurbsSurface};
use crate::tolerance::{LINE_REL, LINE_WIDTH_REL};
use std::ops::RangeInclusive;

/// The pieces that a range meets; one that only touches counts, for one-sided derivatives.
fn pieces(knots: &Knots, range: Range) -> RangeInclusive<usize> {
    let first = knots.find(range.low);
    let touches = first > 0 && knots.piece(first).low == range.low;
    let first = if touches { first - 1 } else { first };
    first..=knots.find(range.high).max(first)
}

/// The part of a piece that a range covers, in the piece's own 0 to 1; the nearest end where it covers none.
fn within(piece: Range, range: Range) -> Range {
    let local = |t: f64| {
        let t = piece.clamp(t);
        if t == piece.high { 1.0 } else { (t - piece.low) / piece.width() }
    };
    // NaN bounds everything.
    if range.low.is_nan() || range.high.is_nan() {
        return Range::new(0.0, 1.0);
    }
    Range::new(local(range.low), local(range.high))
}

impl NurbsCurve {
    fn parts(&self, range: Range) -> impl Iterator<Item = (Bezier, Range, f64)> + '_ {
        pieces(self.knots(), range).map(move |i| {
            let piece = self.knots().piece(i);
            (self.piece(i), within(piece, range), piece.width())
        })
    }
}

impl ConvexBound for NurbsCurve {
    type Part = Range;

    fn hull(&self, range: Range) -> Hull {
        join(self.parts(range).map(|(piece, local, _)| {
            let part = piece.restricted(local);
            hull_of(part.homogeneous_points(), part.roundings())
        }))
    }
}

impl DerivativeBound for NurbsCurve {
    type Part = Range;
    type Speeds = CurveSpeeds;

    fn derivative_bounds(&self, range: Range) -> CurveSpeeds {
        self.parts(range).fold(CurveSpeeds::ZERO, |most, (piece, local, width)| {
            let whole = curve_speeds(&piece, width);
            let part = curve_speeds(&piece.restricted(local), local.width() * width);
            let first = whole.first.min(part.first);
            most.joined(CurveSpeeds { first, second: whole.second.min(part.second) })
        })
    }
}

impl NurbsSurface {
    fn parts(&self, rect: Rect) -> impl Iterator<Item = (BezierPatch, Rect, [f64; 2])> + '_ {
        let [u, v] = self.knots();
        pieces(u, rect.u).flat_map(move |i| {
            pieces(v, rect.v).map(move |j| {
                let tile = self.tile_rect([i, j]);
                let local = Rect::new(within(tile.u, rect.u), within(tile.v, rect.v));
                (self.tile([i, j]), local, [tile.u.width(), tile.v.width()])
            })
        })
    }
}

impl NurbsSurface {
    /// The tile that a rectangle within one lies in.
    pub(crate) fn tile_of(&self, rect: Rect) -> [usize; 2] {
        let [u, v] = self.knots();
        [u.find(rect.u.middle()), v.find(rect.v.middle())]
    }

    /// A hull of the points of a tile over a rectangle, without those of tiles that it touches.
    pub(crate) fn hull_within(&self, tile: [usize; 2], rect: Rect) -> Hull {
        let whole = self.tile_rect(tile);
        if rect == whole {
            return hull_of(self.tile_net(tile), BezierPatch::extraction_blends(self.degrees()));
        }
        let part = self.tile(tile).restricted(Rect::new(within(whole.u, rect.u), within(whole.v, rect.v)));
        hull_of(part.net(), part.roundings())
    }

    /// Bounds of the derivatives of a tile over a rectangle, without those of tiles that it touches.
    pub(crate) fn speeds_within(&self, tile: [usize; 2], rect: Rect) -> SurfaceSpeeds {
        let whole = self.tile_rect(tile);
        let local = Rect::new(within(whole.u, rect.u), within(whole.v, rect.v));
        let width = [local.u.width() * whole.u.width(), local.v.width() * whole.v.width()];
        patch_speeds(&self.tile(tile).restricted(local), width)
    }
}

impl ConvexBound for NurbsSurface {
    type Part = Rect;

    fn hull(&self, rect: Rect) -> Hull {
        join(self.parts(rect).map(|(tile, local, _)| {
            let part = tile.restricted(local);
            hull_of(part.net(), part.roundings())
        }))
    }
}

impl DerivativeBound for NurbsSurface {
    type Part = Rect;
    type Speeds = SurfaceSpeeds;

    fn derivative_bounds(&self, rect: Rect) -> SurfaceSpeeds {
        self.parts(rect).fold(SurfaceSpeeds::ZERO, |most, (tile, local, [du, dv])| {
            let part = patch_speeds(&tile.restricted(local), [local.u.width() * du, local.v.width() * dv]);
            most.joined(patch_speeds(&tile, [du, dv]).least(part))
        })
    }
}

impl NormalCone for NurbsSurface {
    fn normal_cone(&self, rect: Rect) -> DirectionCone {
        let mut cone = DirectionCone::EMPTY;
        for (tile, local, _) in self.parts(rect) {
            let local = Rect::new(wide_enough(local.u), wide_enough(local.v));
            let sides = [local.u.low <= 0.0, local.u.high >= 1.0, local.v.low <= 0.0, local.v.high >= 1.0];
            cone = cone.joined(&normal_cone_of(&tile.restricted(local), sides));
            if cone.is_full() {
                break;
            }
        }
        cone
    }
}

/// A range of a tile that a rectangle only touches, or meets by a rounding, with some width: a patch without any has no
/// normals, and a sliver none that rounding leaves.
fn wide_enough(local: Range) -> Range {
    if local.width() > LINE_REL {
        return local;
    }
    Range::new((local.low - LINE_WIDTH_REL).max(0.0), (local.high + LINE_WIDTH_REL).min(1.0))
}

fn join(hulls: impl Iterator<Item = Hull>) -> Hull {
    let mut all = Hull { points: Vec::new(), slack: 0.0 };
    for hull in hulls {
        if !hull.slack.is_finite() {
            return Hull::unknown();
        }
        all.points.extend(hull.points);
        all.slack = all.slack.max(hull.slack);
    }
    all
}
