//! The cells of one body for searches from points: cut once, kept for all points that come.
//!
//! Source: de Casteljau's subdivision of rational Bézier nets, as in `side`.
//! Differs: a cell is always cut along the same parameter, whatever the point, and carries the bounds of its derivatives, so
//! that a later point only reads.
//! Ends because: loops run over control points.
//! Cost: a cut with the derivatives of both halves is about a microsecond for a bicubic patch, paid once. Third derivatives
//! are bounded at every second cut only.
//! Not promised: a cell smaller than [`SMALLEST`] of its piece.

use super::answer::Prepared;
use super::derivatives::{Ball, Patch, Slopes};
use super::evaluation::{Lost, unevenness};
use super::halve::halve;
use super::point::Value;
use super::point_bowl::Bowl;
use super::point_sweep::Sweep;
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::Obb;
use clearance_geometry::pieces::{self, Piece, Powers};
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DMat3, DVec2, DVec3, DVec4};

/// No cell.
const NONE: u32 = u32::MAX;

/// Cells kept for the next point; beyond, all are cut anew.
const MOST_CELLS: usize = 1 << 16;

/// Cells that memory begins with, and control points of each: a bicubic patch has 16. Larger: a body asked about once pays
/// for room that it does not fill. Smaller: cells are moved while memory grows, which costs as much as making some of them.
const FIRST_CELLS: usize = 96;
const POINTS_OF_A_CELL: usize = 16;

/// The part of a piece's parameter below which a cell is not cut.
const SMALLEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// Cells made beforehand for a body that is often asked about: at most, and of one patch by so many cuts.
const PREPARED: usize = 2048;
const PREPARED_CUTS: u32 = 6;

/// Of a tangent: where a ball around the first derivative of a cell has a larger radius, the cell is only cut. Larger: tests
/// that nearly always fail cost more than the cuts they save. Smaller: cells are cut that could have been settled.
const STEADY: f64 = 0.25;

/// A part of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointCell {
    pub(super) piece: u32,
    pub(super) dimension: usize,
    pub(super) degrees: [usize; 2],
    start: u32,
    count: u32,
    /// Its rectangle of the piece's parameters.
    pub(super) low: DVec2,
    pub(super) high: DVec2,
    /// A box along its tangents around it, slack included, and the radius of a ball about the middle of the box.
    pub(super) bound: Obb,
    pub(super) radius: f64,
    /// How far its points may be from its control points' surface; a length.
    pub(super) slack: f64,
    /// What of that came from cutting it; a length.
    pub(super) drift: f64,
    /// What its feature may be off its neighbours; a length.
    pub(super) gap: f64,
    /// Whether its derivatives are too little known for anything but cutting.
    pub(super) rough: bool,
    /// How much of it belongs to the face.
    cover: Cover,
    /// The first of its halves; the other follows.
    halves: u32,
    /// Its first derivatives, by its own parameters from 0 to 1; once it was looked at.
    pub(super) first: [Ball; 2],
    /// What a vector is multiplied with for the steps along the parameters that follow it best; zero where there are none.
    pub(super) dual: [DVec3; 2],
    looked_at: bool,
    /// Where is kept what second derivatives need of the first ones; once it was looked at, unless it is rough.
    slopes: u32,
    /// Where its bowl is; once it was looked at closely.
    bowl: u32,
    /// The bowl of the cell it was cut from, where that has bounds on third derivatives of its own, and the axis of the cut:
    /// they are used at every second cut, since they hardly differ.
    above: u32,
    cut_along: usize,
}

impl PointCell {
    /// Whether it is all of its piece, of which nothing more is known than that its face's boundary may cut it.
    fn is_whole(&self) -> bool {
        (0..self.dimension).all(|axis| self.high[axis] - self.low[axis] == 1.0)
    }

    fn patch(&self) -> Patch {
        Patch {
            dimension: self.dimension,
            degrees: self.degrees,
            center: self.bound.center,
            radius: self.radius,
            far: 0.0,
        }
    }
}

/// All cells made so far of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct PointCells {
    cells: Vec<PointCell>,
    /// What second derivatives need of the first ones, of cells that are not rough.
    slopes: Vec<Slopes>,
    /// Of cells that were looked at closely.
    bowls: Vec<Bowl>,
    net: Vec<DVec4>,
    roots: Vec<u32>,
    /// Of each piece, how it is evaluated once it was.
    powers: Vec<Evaluation>,
    /// The cells of ordinary size, where they are few and were made beforehand.
    pub(super) sweep: Sweep,
}

/// How a piece is evaluated.
#[derive(Clone, Debug, Default)]
enum Evaluation {
    /// It was not yet.
    #[default]
    Unknown,
    /// By its powers, and what these lose.
    Powers(Powers, Lost),
    /// By the nets of its cells.
    Nets,
}

impl PointCells {
    /// Room for the pieces of a body; forgets cells when there are too many. Whether it begins anew.
    pub(super) fn make_ready(&mut self, pieces: usize) -> bool {
        let anew = self.roots.len() != pieces || self.cells.len() > MOST_CELLS;
        if anew {
            self.cells.clear();
            self.slopes.clear();
            self.bowls.clear();
            self.net.clear();
            self.cells.reserve(FIRST_CELLS);
            self.slopes.reserve(FIRST_CELLS / 4);
            self.bowls.reserve(FIRST_CELLS / 4);
            self.net.reserve(FIRST_CELLS * POINTS_OF_A_CELL);
            self.roots.clear();
            self.roots.resize(pieces, NONE);
            self.powers.clear();
            self.powers.resize(pieces, Evaluation::Unknown);
            self.sweep.clear();
        }
        anew
    }

    pub(super) fn cell(&self, at: u32) -> &PointCell {
        &self.cells[at as usize]
    }

    /// Bounds the first derivatives of a cell when it is first looked at; `None` for one outside its face.
    pub(super) fn look_at(&mut self, ready: &Prepared, at: u32) -> Option<&PointCell> {
        if !self.cells[at as usize].looked_at {
            self.bound_first(ready, at);
        }
        let cell = &self.cells[at as usize];
        (cell.cover != Cover::Outside).then_some(cell)
    }

    fn bound_first(&mut self, ready: &Prepared, at: u32) {
        let cell = &self.cells[at as usize];
        // The trims of a face cost more than its boxes: a cell that a box settles is not held against them.
        let cover =
            if cell.cover == Cover::Unknown && !cell.is_whole() { cover(ready, cell) } else { cell.cover };
        if cover == Cover::Outside {
            let cell = &mut self.cells[at as usize];
            (cell.cover, cell.looked_at) = (cover, true);
            return;
        }
        let (patch, net) = (cell.patch(), self.net(cell));
        let slopes = Slopes::new(&patch, net);
        let first = slopes.rounded(&patch);
        let unknown = |ball: &Ball| !(ball.radius < STEADY * ball.center.length());
        let rough = first[..cell.dimension].iter().any(unknown);
        let cell = &mut self.cells[at as usize];
        if !rough {
            cell.slopes = self.slopes.len() as u32;
            self.slopes.push(slopes);
        }
        (cell.first, cell.dual) = (first, dual(&first, cell.dimension));
        (cell.rough, cell.cover, cell.looked_at) = (rough, cover, true);
    }

    /// The second derivatives too of a cell that was looked at and is not rough.
    pub(super) fn look_closer_at(&mut self, at: u32) -> (&PointCell, &Bowl) {
        let cell = &self.cells[at as usize];
        if cell.bowl == NONE {
            let (slopes, patch, net) = (&self.slopes[cell.slopes as usize], cell.patch(), self.net(cell));
            let (derivatives, third) = if cell.above == NONE {
                slopes.with_third(&patch, net)
            } else {
                let third = halved(&self.bowls[cell.above as usize], cell.cut_along);
                (slopes.with_second(&patch, net), third)
            };
            let bowl = Bowl::new(&derivatives, third, cell.radius);
            self.cells[at as usize].bowl = self.bowls.len() as u32;
            self.bowls.push(bowl);
        }
        let cell = &self.cells[at as usize];
        (cell, &self.bowls[cell.bowl as usize])
    }

    /// Makes a piece ready for evaluation. Most pieces that are cut never are.
    pub(super) fn make_evaluable(&mut self, ready: &Prepared, piece: u32) {
        let known = &mut self.powers[piece as usize];
        if !matches!(known, Evaluation::Unknown) {
            return;
        }
        let whole = &ready.tree().leaves()[piece as usize];
        *known = Powers::of(whole).map_or(Evaluation::Nets, |powers| {
            let uneven = unevenness(whole.net.iter().map(|p| p.w));
            let lost = Lost::of_net(whole.degrees, uneven, powers.spread());
            Evaluation::Powers(powers, lost)
        });
    }

    /// Half the squared distance of a point at parameters of a cell.
    pub(super) fn value(&self, cell: &PointCell, point: DVec3, at: DVec2) -> Value {
        match &self.powers[cell.piece as usize] {
            Evaluation::Powers(powers, _) => {
                let width = cell.high - cell.low;
                let local = cell.low + width * at;
                Value::new(&powers.jet(local), point, local).scaled(at, width)
            }
            _ => Value::new(&pieces::jet(cell.degrees, self.net(cell), at), point, at),
        }
    }

    /// What evaluating a cell may lose.
    pub(super) fn lost(&self, cell: &PointCell) -> Lost {
        match &self.powers[cell.piece as usize] {
            Evaluation::Powers(_, lost) => lost.off_by(cell.drift),
            _ => {
                let reach = cell.bound.center.abs().max_element() + cell.radius;
                Lost::of_net(cell.degrees, unevenness(self.net(cell).iter().map(|p| p.w)), reach)
            }
        }
    }

    /// Control points with their weights.
    pub(super) fn net(&self, cell: &PointCell) -> &[DVec4] {
        &self.net[cell.start as usize..][..cell.count as usize]
    }

    /// The cell of a whole piece.
    pub(super) fn root(&mut self, ready: &Prepared, piece: u32) -> u32 {
        let known = self.roots[piece as usize];
        if known != NONE {
            return known;
        }
        let whole = &ready.tree().leaves()[piece as usize];
        let start = self.net.len() as u32;
        self.net.extend_from_slice(&whole.net);
        let length = |along: usize| f64::from(u8::from(whole.dimension > along));
        let cell = PointCell {
            piece,
            dimension: whole.dimension,
            degrees: whole.degrees,
            start,
            count: whole.net.len() as u32,
            low: DVec2::ZERO,
            high: DVec2::new(length(0), length(1)),
            bound: Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO },
            radius: 0.0,
            slack: whole.slack,
            drift: 0.0,
            gap: whole.gap,
            rough: false,
            cover: if whole.trimmed { Cover::Unknown } else { Cover::Inside },
            halves: NONE,
            first: Default::default(),
            dual: Default::default(),
            looked_at: false,
            slopes: NONE,
            bowl: NONE,
            above: NONE,
            cut_along: 0,
        };
        let at = self.finish(cell, 1);
        self.roots[piece as usize] = at;
        at
    }

    /// Makes the cells of all patches down to ordinary size, as far as there is room.
    pub(super) fn prepare(&mut self, ready: &Prepared) {
        let leaves = ready.tree().leaves();
        let patches = leaves.iter().filter(|piece| piece.dimension == 2).count();
        let room = (PREPARED / (2 * patches).max(1)).checked_ilog2().unwrap_or(0);
        for (piece, _) in leaves.iter().enumerate().filter(|(_, piece)| piece.dimension == 2) {
            let root = self.root(ready, piece as u32);
            self.prepare_below(ready, root, room.min(PREPARED_CUTS));
        }
        // As fine as there is room for.
        for cuts in (0..=PREPARED_CUTS).rev() {
            self.sweep.clear();
            if (0..leaves.len() as u32).all(|piece| self.list(ready, piece, cuts)) {
                return;
            }
        }
        self.sweep.clear();
    }

    /// Lists the cells of a piece that are not rough, or have been cut so often; whether there was room.
    fn list(&mut self, ready: &Prepared, piece: u32, cuts: u32) -> bool {
        let root = self.root(ready, piece);
        self.list_below(ready, root, cuts)
    }

    fn list_below(&mut self, ready: &Prepared, at: u32, cuts: u32) -> bool {
        let Some(&PointCell { rough, halves, bound, radius, gap, .. }) = self.look_at(ready, at) else {
            return true;
        };
        if rough && halves != NONE && cuts > 0 {
            return (halves..halves + 2).all(|half| self.list_below(ready, half, cuts - 1));
        }
        self.sweep.push(at, bound.center, radius, gap)
    }

    fn prepare_below(&mut self, ready: &Prepared, at: u32, cuts: u32) {
        let Some(cell) = self.look_at(ready, at) else { return };
        if !cell.rough {
            self.look_closer_at(at);
        }
        if cuts > 0 {
            for half in self.halves(at).into_iter().flatten().flatten() {
                self.prepare_below(ready, half, cuts - 1);
            }
        }
    }

    /// Both halves of a cell, but for what is known to be outside its face; `None` where it cannot be cut any more.
    pub(super) fn halves(&mut self, at: u32) -> Option<[Option<u32>; 2]> {
        let known = self.cells[at as usize].halves;
        let first = if known == NONE { self.cut(at)? } else { known };
        Some([first, first + 1].map(|half| (self.cell(half).cover != Cover::Outside).then_some(half)))
    }

    fn cut(&mut self, at: u32) -> Option<u32> {
        let cell = self.cells[at as usize];
        let [u, v] = &cell.first;
        let longer = cell.dimension > 1 && v.center.length() + v.radius > u.center.length() + u.radius;
        let axis = usize::from(longer);
        let width = cell.high[axis] - cell.low[axis];
        if !(width > SMALLEST) {
            return None;
        }
        let (starts, degree) = halve(&mut self.net, cell.start as usize, cell.degrees, axis);
        let middle = cell.low[axis] + 0.5 * width;
        let above = if cell.above == NONE { cell.bowl } else { NONE };
        let mut first = NONE;
        for (half, start) in starts.into_iter().enumerate() {
            let mut part = PointCell {
                start: start as u32,
                halves: NONE,
                looked_at: false,
                slopes: NONE,
                bowl: NONE,
                above,
                cut_along: axis,
                ..cell
            };
            if half == 0 {
                part.high[axis] = middle
            } else {
                part.low[axis] = middle
            }
            let made = self.finish(part, degree);
            first = first.min(made);
        }
        self.cells[at as usize].halves = first;
        Some(first)
    }

    /// Stores a cell whose net stands at the end of the memory, with its bounds.
    fn finish(&mut self, mut cell: PointCell, blends: usize) -> u32 {
        let net = &self.net[cell.start as usize..][..cell.count as usize];
        let (first, last) = (in_space(&net[0]), in_space(&net[net.len() - 1]));
        let along = (last - first).normalize_or(DVec3::X);
        let side = in_space(&net[cell.degrees[1]]) - first;
        let axes = axes_along(along, side);
        let [low, high] = heights(net, first, axes);
        // No coordinate is larger than that of the first point and the way from there.
        let reach = first.abs().max_element() + low.abs().max(high.abs()).length() * (1.0 + HEIGHT_ERROR_REL);
        let moved = BLEND_ERROR_REL * (blends + 1) as f64 * reach;
        (cell.slack, cell.drift) = (cell.slack + moved, cell.drift + moved);
        // Heights and the slabs' leaning, and the middle, each a few roundings of what is no more than twice √3 the reach.
        let lost = 16.0 * HEIGHT_ERROR_REL * reach;
        let half = 0.5 * (high - low) + (cell.slack * (1.0 + HEIGHT_ERROR_REL) + lost);
        cell.bound = Obb { center: first + axes * (0.5 * (low + high)), axes, half };
        cell.radius = half.length() * (1.0 + HEIGHT_ERROR_REL);
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }
}

/// Axes of a box along a unit vector and a side of a cell. At a pole two corners are one point but for rounding, and the product of
/// the ways there is a vector of any direction; that of others leans by what it lost.
#[inline(always)]
fn axes_along(along: DVec3, side: DVec3) -> DMat3 {
    let normal = side.cross(along);
    let across = if normal.length_squared() > LEAST_TURN * side.length_squared() {
        let across = normal.normalize();
        (across - along * along.dot(across)).normalize()
    } else {
        along.any_orthonormal_vector()
    };
    DMat3::from_cols(along, across.cross(along), across)
}

/// The square of the sine of the least angle between sides that span a plane.
const LEAST_TURN: f64 = 1.0 / 65_536.0;

/// A control point without its weight.
#[inline(always)]
fn in_space(p: &DVec4) -> DVec3 {
    p.truncate() * (1.0 / p.w)
}

/// The least and the greatest heights of control points over one of them, along axes.
fn heights(net: &[DVec4], reference: DVec3, axes: DMat3) -> [DVec3; 2] {
    let to_axes = axes.transpose();
    let (mut low, mut high) = ([0.0_f64; 3], [0.0_f64; 3]);
    for p in net {
        for (k, height) in (to_axes * (in_space(p) - reference)).to_array().into_iter().enumerate() {
            low[k] = if height < low[k] { height } else { low[k] };
            high[k] = if height > high[k] { height } else { high[k] };
        }
    }
    [DVec3::from_array(low), DVec3::from_array(high)]
}

/// Third derivatives by the parameters of a half, one of which is half of the whole's along an axis.
fn halved(bowl: &Bowl, axis: usize) -> [Ball; 4] {
    let mut third = *bowl.third();
    for (k, ball) in third.iter_mut().enumerate() {
        // uuu, uuv, uvv, vvv: three to none along u.
        let times = if axis == 0 { 3 - k } else { k };
        let share = 0.5_f64.powi(times as i32);
        (ball.center, ball.radius) = (ball.center * share, ball.radius * share);
    }
    third
}

/// The rows of the inverse of a tangent plane's metric times the tangents; along a curve, the tangent's sign alone matters.
fn dual([u, v]: &[Ball; 2], dimension: usize) -> [DVec3; 2] {
    let (u, v) = (u.center, v.center);
    if dimension < 2 {
        return [u, DVec3::ZERO];
    }
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let area = uu * vv - uv * uv;
    let rows = [(u * vv - v * uv) / area, (v * uu - u * uv) / area];
    if area > 0.0 && rows[0].is_finite() && rows[1].is_finite() { rows } else { [DVec3::ZERO; 2] }
}

/// How much of a cell belongs to its face.
fn cover(ready: &Prepared, cell: &PointCell) -> Cover {
    let piece: &Piece = &ready.tree().leaves()[cell.piece as usize];
    let part = piece.span.part(cell.low, cell.high);
    piece.face(ready.body()).map_or(Cover::Inside, |face| face.region.cover(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    #[test]
    fn axes_are_upright_however_little_sides_turn() {
        let mut random = Random::new(3);
        for _ in 0..10_000 {
            let along = random.direction();
            let side =
                along * random.uniform(-2.0, 2.0) + random.direction() * random.log_uniform(-18.0, 0.0);
            let axes = axes_along(along, side);
            let off = axes.transpose() * axes - DMat3::IDENTITY;
            let most = off.to_cols_array().into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(most <= 8.0 * f64::EPSILON, "{along} {side}: {most:e}");
        }
    }
}
