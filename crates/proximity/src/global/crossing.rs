//! The last steps of a descent, over whole features: across the bounds of their pieces, and past poles.
//!
//! Source: Newton's method of `descend`, on the parameters of the features themselves.
//! Differs: next to a pole of a sphere or an ellipsoid the parameters are those of a plane that touches it (a gnomonic chart,
//! stretched with the body), which are regular there.
//! Ends because: one descent.
//! Cost: nothing where the nearest points are inside their pieces and not beside a pole; else one descent more, and a look at all
//! pieces for those that hold what it found.
//! Not promised: a step past poles of other surfaces; features that the pieces are no longer of, as those of a body that deforms.

use super::descend::{Bounds, Parameters, Shape, Value, descend};
use super::found::NearPair;
use super::search::{Over, Search};
use super::side::{Cell, Side};
use crate::tolerance::{BESIDE_POLE_REL, CROSSING_LEAN, HEIGHT_ERROR_REL};
use clearance_geometry::curve::{ParametricCurve, Range};
use clearance_geometry::pieces::{Piece, Span};
use clearance_geometry::surface::{ParametricSurface, Surface, SurfaceJet};
use clearance_geometry::tiled::{Face, TiledEdge};
use clearance_geometry::{DVec2, DVec3, Pose};

/// A feature as a function of two parameters, around the point that a descent has come to; in the frame of A.
enum Chart<'a> {
    Face {
        face: &'a Face,
        pose: Pose,
    },
    Edge {
        edge: &'a TiledEdge,
        pose: Pose,
    },
    /// The unit sphere seen from its middle on the plane through `axes[0]` along the other two, then stretched by `radii`.
    Ball {
        axes: [DVec3; 3],
        radii: DVec3,
        pose: Pose,
    },
    /// A piece that is a feature.
    Piece(Over<'a>),
}

impl Shape for Chart<'_> {
    fn jet(&self, at: DVec2) -> SurfaceJet {
        match self {
            Self::Face { face, pose } => face.jet(at).moved(pose),
            Self::Edge { edge, pose } => {
                let jet = edge.jet(at.x);
                let along =
                    SurfaceJet { point: jet.point, u: jet.first, uu: jet.second, ..SurfaceJet::default() };
                along.moved(pose)
            }
            Self::Ball { axes, radii, pose } => on_ball(axes, at).stretched(*radii).moved(pose),
            Self::Piece(over) => over.jet(at),
        }
    }
}

trait Stretched {
    fn stretched(&self, by: DVec3) -> Self;
}

impl Stretched for SurfaceJet {
    fn stretched(&self, by: DVec3) -> Self {
        let Self { point, u, v, uu, uv, vv } = *self;
        Self { point: point * by, u: u * by, v: v * by, uu: uu * by, uv: uv * by, vv: vv * by }
    }
}

/// The unit sphere by the plane that touches it at its first axis.
fn on_ball([top, e, f]: &[DVec3; 3], at: DVec2) -> SurfaceJet {
    let ray = *top + *e * at.x + *f * at.y;
    let n = (1.0 + at.length_squared()).sqrt().recip();
    let cube = n * n * n;
    let (n_x, n_y) = (-at.x * cube, -at.y * cube);
    let fifth = 3.0 * cube * n * n;
    SurfaceJet {
        point: ray * n,
        u: *e * n + ray * n_x,
        v: *f * n + ray * n_y,
        uu: *e * (2.0 * n_x) + ray * (fifth * at.x * at.x - cube),
        uv: *e * n_y + *f * n_x + ray * (fifth * at.x * at.y),
        vv: *f * (2.0 * n_y) + ray * (fifth * at.y * at.y - cube),
    }
}

/// One of the two features: its chart, where on it the descent has come to, and how far it may go.
struct Way<'a> {
    chart: Chart<'a>,
    start: DVec2,
    bounds: [Range; 2],
}

impl<'a> Way<'a> {
    /// The feature of a piece around a point of it.
    fn new(side: &'a Side<'_>, cell: &Cell, local: DVec2, at_pole: bool) -> Self {
        let piece = side.piece(cell);
        let width = |axis: usize| Range::new(0.0, f64::from(u8::from(cell.dimension > axis)));
        let over = Over { degrees: cell.degrees, net: side.net(cell) };
        let alone = Self { chart: Chart::Piece(over), start: local, bounds: [width(0), width(1)] };
        if !is_of_feature(piece) {
            return alone;
        }
        let pose = side.pose_of(piece);
        let at = piece.span.parameters(local);
        if let Some(face) = side.face(piece) {
            let ball = match &face.surface {
                Surface::Sphere(sphere) => Some((*sphere.frame(), DVec3::splat(sphere.radius()))),
                Surface::Ellipsoid(ellipsoid) => Some((*ellipsoid.frame(), ellipsoid.radii().into())),
                _ => None,
            };
            if let Some((frame, radii)) = ball.filter(|_| at_pole) {
                let ((sin_u, cos_u), (sin_v, cos_v)) = (at.x.sin_cos(), at.y.sin_cos());
                let top = DVec3::new(cos_u * cos_v, sin_u * cos_v, sin_v);
                let axes =
                    [top, DVec3::new(-sin_u, cos_u, 0.0), DVec3::new(-cos_u * sin_v, -sin_u * sin_v, cos_v)];
                let chart = Chart::Ball { axes, radii, pose: pose * frame };
                return Self { chart, start: DVec2::ZERO, bounds: [Range::new(-1.0, 1.0); 2] };
            }
            let own = face.region.bounds();
            let periods = face.surface.periods();
            let bounds = [around(own.u, periods[0], at.x), around(own.v, periods[1], at.y)];
            return Self { chart: Chart::Face { face, pose }, start: at, bounds };
        }
        if let Some(edge) = side.edge(piece) {
            let bounds = [around(edge.range, edge.curve.period(), at.x), Range::new(0.0, 0.0)];
            return Self { chart: Chart::Edge { edge, pose }, start: DVec2::new(at.x, 0.0), bounds };
        }
        alone
    }

    /// The piece that a point of the chart is on, and where; `None` where there is none.
    fn place(&self, side: &Side, cell: &Cell, at: DVec2) -> Option<(u32, DVec2)> {
        let (at, periods) = match &self.chart {
            Chart::Piece(_) => return Some((cell.piece, at)),
            Chart::Face { face, .. } => (at, face.surface.periods()),
            Chart::Edge { edge, .. } => (at, [edge.curve.period(), None]),
            Chart::Ball { axes, .. } => {
                let s = on_ball(axes, at).point;
                let latitude = s.z.atan2(s.x.hypot(s.y));
                (DVec2::new(s.y.atan2(s.x), latitude), [Some(std::f64::consts::TAU), None])
            }
        };
        let own = side.piece(cell);
        let pieces = side.tree.leaves().iter().enumerate();
        let mut same = pieces.filter(|(_, piece)| piece.feature == own.feature && piece.leaf == own.leaf);
        same.find_map(|(number, piece)| {
            let u = within(piece.span.rect.u, periods[0], at.x)?;
            let v = if piece.dimension == 2 { within(piece.span.rect.v, periods[1], at.y)? } else { 0.0 };
            let local = piece.span.local(DVec2::new(u, v)).clamp(DVec2::ZERO, DVec2::ONE);
            Some((number as u32, local))
        })
    }
}

/// Whether a piece is a part of a feature of its body, as those of a body's core are not.
fn is_of_feature(piece: &Piece) -> bool {
    piece.dimension > 0 && piece.span != Span::POINT
}

/// How far a parameter may go from where it is: as far as the feature does, once around where that closes.
fn around(own: Range, period: Option<f64>, at: f64) -> Range {
    match period {
        Some(period) if own.width() >= period * (1.0 - HEIGHT_ERROR_REL) => {
            Range::new(at - 0.5 * period, at + 0.5 * period)
        }
        _ => own,
    }
}

/// A parameter, or one of its copies a period away, that is within a range.
fn within(range: Range, period: Option<f64>, at: f64) -> Option<f64> {
    let copies = period.map_or([at; 3], |period| [at, at - period, at + period]);
    copies.into_iter().find(|t| range.contains(*t))
}

impl Search<'_> {
    /// Goes on with the last descent, where it was held at the end of a piece that is not the end of its feature, or beside a pole.
    pub(super) fn cross(&mut self, near: &NearPair) {
        let roots = [self.a.root(near.pieces[0]), self.b.root(near.pieces[1])];
        let cells: [Cell; 2] = [*self.a.cell(roots[0]), *self.b.cell(roots[1])];
        let over =
            |side: &Side, cell: &Cell, at: DVec2| Over { degrees: cell.degrees, net: side.net(cell) }.jet(at);
        let jets = [over(&self.a, &cells[0], near.local[0]), over(&self.b, &cells[1], near.local[1])];
        let between = near.points[1] - near.points[0];
        let poles = [0, 1].map(|i| cells[i].dimension == 2 && is_beside_pole(&jets[i]));
        let held =
            |i: usize| is_held(&cells[i], near.local[i], &jets[i], if i == 0 { between } else { -between });
        let held = [held(0), held(1)];
        if !(poles[0] || poles[1] || held[0] || held[1]) {
            return;
        }
        // An arc of a core goes on in the next one.
        for i in (0..2).filter(|&i| held[i] && cells[i].dimension == 1) {
            let side = if i == 0 { &self.a } else { &self.b };
            if !is_of_feature(side.piece(&cells[i]))
                && let Some((piece, end)) = next_arc(side, &cells[i], near.local[i])
            {
                let (mut pieces, mut local) = (near.pieces, near.local);
                (pieces[i], local[i]) = (piece, end);
                let roots = [self.a.root(pieces[0]), self.b.root(pieces[1])];
                let cells: [Cell; 2] = [*self.a.cell(roots[0]), *self.b.cell(roots[1])];
                self.descend_from(&cells, [local[0].x, local[0].y, local[1].x, local[1].y], f64::INFINITY);
            }
        }
        let ways = [
            Way::new(&self.a, &cells[0], near.local[0], poles[0]),
            Way::new(&self.b, &cells[1], near.local[1], poles[1]),
        ];
        // Pieces that were moved are not where the body's features are.
        let reach = near.points[0].abs().max_element() + near.points[1].abs().max_element();
        let is_there = |i: usize| {
            let off = ways[i].chart.jet(ways[i].start).point.distance(near.points[i]);
            off <= cells[i].slack + HEIGHT_ERROR_REL * reach
        };
        if !(is_there(0) && is_there(1)) {
            return;
        }
        let [[u, v], [s, t]] = [ways[0].bounds, ways[1].bounds];
        let bounds = Bounds { low: [u.low, v.low, s.low, t.low], high: [u.high, v.high, s.high, t.high] };
        let [p, q] = [ways[0].start, ways[1].start];
        let start: Parameters = [p.x, p.y, q.x, q.y];
        let value = descend(&ways[0].chart, &ways[1].chart, start, &bounds, &mut self.work.newton);
        let at = [DVec2::new(value.at[0], value.at[1]), DVec2::new(value.at[2], value.at[3])];
        let (Some(one), Some(other)) =
            (ways[0].place(&self.a, &cells[0], at[0]), ways[1].place(&self.b, &cells[1], at[1]))
        else {
            return;
        };
        let roots = [self.a.root(one.0), self.b.root(other.0)];
        let cells: [Cell; 2] = [*self.a.cell(roots[0]), *self.b.cell(roots[1])];
        let over_a = Over { degrees: cells[0].degrees, net: self.a.net(&cells[0]) };
        let over_b = Over { degrees: cells[1].degrees, net: self.b.net(&cells[1]) };
        let (p, q) = (one.1, other.1);
        let value = Value::at(&over_a, &over_b, [p.x, p.y, q.x, q.y]);
        self.offer(&cells[0], &cells[1], &value);
    }
}

/// The arc that begins or ends where another one does, and its end there.
fn next_arc(side: &Side, cell: &Cell, local: DVec2) -> Option<(u32, DVec2)> {
    let own = side.piece(cell).point(local);
    let arcs = side.tree.leaves().iter().enumerate();
    let mut others = arcs.filter(|(at, piece)| *at as u32 != cell.piece && piece.dimension == 1);
    others.find_map(|(at, piece)| {
        let is_there = |end: &DVec2| piece.point(*end).distance(own) <= piece.slack + cell.slack;
        Some((at as u32, [DVec2::ZERO, DVec2::X].into_iter().find(is_there)?))
    })
}

/// Whether one tangent is short beside the other.
fn is_beside_pole(jet: &SurfaceJet) -> bool {
    let (u, v) = (jet.u.length(), jet.v.length());
    u.min(v) <= BESIDE_POLE_REL * u.max(v)
}

/// Whether the distance falls beyond the end of a piece that a point is at: `outward` is from it to the other point.
fn is_held(cell: &Cell, local: DVec2, jet: &SurfaceJet, outward: DVec3) -> bool {
    let falls = |axis: usize, tangent: DVec3| {
        let beyond = if local[axis] <= 0.0 {
            -tangent
        } else if local[axis] >= 1.0 {
            tangent
        } else {
            return false;
        };
        beyond.dot(outward) > CROSSING_LEAN * tangent.length() * outward.length()
    };
    (0..cell.dimension).any(|axis| falls(axis, [jet.u, jet.v][axis]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Derivatives of the chart against differences.
    #[test]
    fn charts_of_balls_have_the_derivatives_they_say() {
        let axes = [DVec3::Z, DVec3::X, DVec3::Y];
        let step = 1e-4;
        for at in [DVec2::ZERO, DVec2::new(0.3, -0.7), DVec2::new(-0.9, 0.2)] {
            let jet = on_ball(&axes, at);
            let there = |u: f64, v: f64| on_ball(&axes, at + DVec2::new(u, v));
            assert!((jet.point.length() - 1.0).abs() < 1e-15);
            let [left, right, down, up] =
                [there(-step, 0.0), there(step, 0.0), there(0.0, -step), there(0.0, step)];
            for (found, differences) in [
                (jet.u, right.point - left.point),
                (jet.v, up.point - down.point),
                (jet.uu, right.u - left.u),
                (jet.uv, right.v - left.v),
                (jet.vv, up.v - down.v),
            ] {
                assert!((found - differences / (2.0 * step)).length() < 1e-7, "{found} {differences}");
            }
        }
    }
}
