//! The cells of one body for searches from points: cut once, kept for all points that come.
//!
//! Source: de Casteljau's subdivision of rational Bézier nets, as in `side`.
//! Differs: a cell is always cut along the same parameter, whatever the point, and carries the bounds of its derivatives, so
//! that a later point only reads.
//! Ends because: loops run over control points.
//! Cost: a cut with the derivatives of both halves is about a microsecond for a bicubic patch, paid once. Third derivatives
//! are bounded at every third cut only.
//! Not promised: a cell smaller than [`SMALLEST`] of its piece.

use super::answer::Prepared;
use super::derivatives::{Ball, Patch, Slopes};
use super::evaluation::{Lost, unevenness};
use super::halve::halve;
use super::point_bowl::Bowl;
use super::point_parts::{PointPart, third_by};
use super::point_sweep::{Entry, MOST_BLOCKS, MOST_IN_A_ROW, Place, Row, Sweep};
use super::point_value::Value;
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::{Obb, upright_axes};
use clearance_geometry::pieces::{self, Piece, Powers};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DMat3, DVec2, DVec3, DVec4};
use std::collections::VecDeque;

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

/// Cells made beforehand for a body that is often asked about, at most.
const PREPARED: usize = 4096;

/// Rows below a block, cuts from one to the next, and cuts of cells that are not rough any more. More: cells around the nearest
/// point are held against a point one by one. Fewer: cells that are not near have to be looked at closely.
const ROWS: u32 = 2;
const CUTS_OF_A_ROW: u32 = MOST_IN_A_ROW.ilog2();
const MORE_CUTS: u32 = 3;

/// Of a tangent: where a ball around the first derivative of a cell has a larger radius, the cell is only cut. Larger: tests
/// that nearly always fail cost more than the cuts they save. Smaller: cells are cut that could have been settled.
const STEADY: f64 = 0.25;

/// The same for cells that are a small part of their pieces: where these still turn, the surface is round, and third derivatives
/// tell little more of smaller ones.
const STEADY_WHERE_SMALL: f64 = 0.4;
const SMALL: f64 = 1.0 / 64.0;

/// Cuts by which cells share bounds on third derivatives.
const SHARED_CUTS: u32 = 2;

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
    /// The cell whose bounds on third derivatives are used for it too, since they hardly differ, and the cuts from there along
    /// both parameters; none where it has its own.
    above: u32,
    cuts: [u32; 2],
}

impl PointCell {
    /// Whether it is all of its piece, of which nothing more is known than that its face's boundary may cut it.
    fn is_whole(&self) -> bool {
        (0..self.dimension).all(|axis| self.high[axis] - self.low[axis] == 1.0)
    }

    /// Where it is, for rows.
    fn place(&self) -> Place {
        let Self { bound, gap, piece, low, high, .. } = *self;
        Place { bound, gap, piece, low, high }
    }

    /// One of its halves, of which nothing is known yet.
    fn half(&self, half: usize, axis: usize, middle: f64) -> Self {
        let (halves, slopes, bowl) = (NONE, NONE, NONE);
        let mut part = Self { halves, slopes, bowl, looked_at: false, ..*self };
        if half == 0 {
            part.high[axis] = middle;
        } else {
            part.low[axis] = middle;
        }
        part
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
    pub(super) cells: Vec<PointCell>,
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
    /// Whether it is known if the body is small enough for that.
    is_listed: bool,
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
    /// Room for the pieces of a body; forgets cells when there are too many.
    pub(super) fn make_ready(&mut self, pieces: usize) {
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
            self.is_listed = false;
        }
    }

    /// Lists the body in blocks where it is small; whether it is.
    pub(super) fn is_small(&mut self, ready: &Prepared) -> bool {
        if !self.is_listed {
            self.list(ready);
        }
        !self.sweep.is_empty()
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
        // Of a part that is evaluated by powers all else is known.
        if cover == Cover::Outside || cell.bowl != NONE {
            let cell = &mut self.cells[at as usize];
            (cell.cover, cell.looked_at) = (cover, true);
            return;
        }
        let (patch, net) = (cell.patch(), self.net(cell));
        let slopes = Slopes::new(&patch, net);
        let first = slopes.rounded(&patch);
        let rough = is_rough(&first[..cell.dimension], cell);
        let cell = &mut self.cells[at as usize];
        if !rough {
            cell.slopes = self.slopes.len() as u32;
            self.slopes.push(slopes);
        }
        (cell.first, cell.dual) = (first, dual(&first, cell.dimension));
        (cell.rough, cell.cover, cell.looked_at) = (rough, cover, true);
    }

    /// The second derivatives too of a cell that was looked at and is not rough.
    pub(super) fn look_closer_at(&mut self, ready: &Prepared, at: u32) -> (&PointCell, &Bowl) {
        if self.cells[at as usize].bowl == NONE {
            let PointCell { piece, above, .. } = self.cells[at as usize];
            self.make_evaluable(ready, piece);
            if above != NONE {
                self.look_closer_at(ready, above);
            }
            let cell = &self.cells[at as usize];
            let (slopes, patch, net) = (&self.slopes[cell.slopes as usize], cell.patch(), self.net(cell));
            let (derivatives, third) = if cell.above == NONE {
                slopes.with_third(&patch, net)
            } else {
                let third = scaled(self.known_closer(cell.above).1.third(), cell.cuts);
                (slopes.with_second(&patch, net), third)
            };
            let bowl = Bowl::new(self.middle(cell), &derivatives, third, cell.radius);
            self.cells[at as usize].bowl = self.bowls.len() as u32;
            self.bowls.push(bowl);
        }
        self.known_closer(at)
    }

    /// A cell that was looked at closely.
    pub(super) fn known_closer(&self, at: u32) -> (&PointCell, &Bowl) {
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

    /// A cell at the middle of its parameters.
    fn middle(&self, cell: &PointCell) -> SurfaceJet {
        let along = |axis: usize| if cell.dimension > axis { 0.5 } else { 0.0 };
        let at = DVec2::new(along(0), along(1));
        match &self.powers[cell.piece as usize] {
            Evaluation::Powers(powers, _) => {
                let width = cell.high - cell.low;
                powers.jet(cell.low + width * at).per_extents(width)
            }
            _ => pieces::jet(cell.degrees, self.net(cell), at),
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
            cuts: [0; 2],
        };
        let at = self.finish(cell, 1);
        self.roots[piece as usize] = at;
        at
    }

    /// Lists a small body in blocks: its pieces, of which rough ones are cut as long as there is room.
    fn list(&mut self, ready: &Prepared) {
        self.is_listed = true;
        let count = ready.tree().leaves().len();
        if count > MOST_BLOCKS {
            return;
        }
        let mut blocks: VecDeque<u32> = (0..count as u32).map(|piece| self.root(ready, piece)).collect();
        let mut kept = Vec::new();
        while let Some(at) = blocks.pop_front() {
            let Some(&PointCell { rough, .. }) = self.look_at(ready, at) else { continue };
            if rough
                && blocks.len() + kept.len() + 2 <= MOST_BLOCKS
                && let Some(halves) = self.halves(ready, at)
            {
                blocks.extend(halves.into_iter().flatten());
            } else {
                kept.push(at);
            }
        }
        for at in kept {
            let cell = &self.cells[at as usize];
            let entry = Entry::new(at, MORE_CUTS, ROWS, is_fine(cell.dimension, cell.rough, MORE_CUTS));
            self.sweep.add_block(entry, cell.place(), cell.radius);
        }
    }

    /// The row of the cells below one in a row; `None` where it is fine enough itself.
    #[inline]
    pub(super) fn row_below(&mut self, ready: &Prepared, at: u32) -> Option<Row> {
        let (known, is_missing) = self.sweep.entry(at).below();
        if is_missing { Some(self.make_row(ready, at)) } else { known }
    }

    #[cold]
    fn make_row(&mut self, ready: &Prepared, at: u32) -> Row {
        let (start, Entry { cell, more, rows, .. }) = (self.sweep.count(), *self.sweep.entry(at));
        self.gather(ready, cell, CUTS_OF_A_ROW, [more, rows - 1]);
        self.sweep.close_row(at, start)
    }

    /// Makes the rows and the bowls that points will ask for, as far as they are not too many. No answer shows it.
    pub(super) fn prepare(&mut self, ready: &Prepared) {
        let mut at = 0;
        while at < self.sweep.count() && self.cells.len() < PREPARED {
            self.row_below(ready, at);
            at += 1;
        }
        for at in 0..self.cells.len() as u32 {
            if self.look_at(ready, at).is_some_and(|cell| !cell.rough) {
                self.look_closer_at(ready, at);
            }
        }
    }

    /// Adds the parts of a cell to a row: as many cuts as make them steady, and some more.
    fn gather(&mut self, ready: &Prepared, at: u32, cuts: u32, [more, rows]: [u32; 2]) {
        // Parts of steady cells are steady, until they are looked at.
        let is_known = self.cells[at as usize].above != NONE;
        if !is_known && self.look_at(ready, at).is_none() {
            return;
        }
        let (PointCell { rough, radius, .. }, place) =
            (self.cells[at as usize], self.cells[at as usize].place());
        let rough = rough && !is_known;
        let is_fine = is_fine(self.cells[at as usize].dimension, rough, more);
        if !is_fine
            && cuts > 0
            && let Some(halves) = self.halves(ready, at)
        {
            let more = if rough { more } else { more - 1 };
            for half in halves.into_iter().flatten() {
                self.gather(ready, half, cuts - 1, [more, rows]);
            }
        } else {
            self.sweep.push(Entry::new(at, more, rows, is_fine || cuts > 0), place, radius);
        }
    }

    /// Both halves of a cell, but for what is known to be outside its face; `None` where it cannot be cut any more.
    pub(super) fn halves(&mut self, ready: &Prepared, at: u32) -> Option<[Option<u32>; 2]> {
        let known = self.cells[at as usize].halves;
        let first = if known == NONE { self.cut(ready, at)? } else { known };
        Some([first, first + 1].map(|half| (self.cell(half).cover != Cover::Outside).then_some(half)))
    }

    fn cut(&mut self, ready: &Prepared, at: u32) -> Option<u32> {
        let cell = self.cells[at as usize];
        let [u, v] = &cell.first;
        let longer = cell.dimension > 1 && v.center.length() + v.radius > u.center.length() + u.radius;
        let axis = usize::from(longer);
        let width = cell.high[axis] - cell.low[axis];
        if !(width > SMALLEST) {
            return None;
        }
        let middle = cell.low[axis] + 0.5 * width;
        if let Some(first) = self.cut_by_powers(ready, at, axis, middle) {
            return Some(first);
        }
        let (starts, degree) = halve(&mut self.net, cell.start as usize, cell.degrees, axis);
        let [u, v] = cell.cuts;
        // A cell without bounds from above was looked at before it is cut: whatever was asked before, parts have the same bounds.
        let above = match cell.above {
            NONE if !cell.rough => at,
            NONE => NONE,
            above => {
                if u + v < SHARED_CUTS {
                    above
                } else {
                    NONE
                }
            }
        };
        let mut cuts = [0; 2];
        if above != NONE {
            cuts = cell.cuts;
            cuts[axis] += 1;
        }
        let mut first = NONE;
        for (half, start) in starts.into_iter().enumerate() {
            let part = cell.half(half, axis, middle);
            let made = self.finish(PointCell { start: start as u32, above, cuts, ..part }, degree);
            first = first.min(made);
        }
        self.cells[at as usize].halves = first;
        Some(first)
    }

    /// Cuts a cell whose derivatives are known, or a part of one, where it is evaluated by powers: the halves need no nets.
    fn cut_by_powers(&mut self, ready: &Prepared, at: u32, axis: usize, middle: f64) -> Option<u32> {
        let cell = self.cells[at as usize];
        let above = match cell.above {
            // A cell without bounds from above was looked at before it is cut.
            NONE if cell.rough || cell.dimension != 2 => return None,
            NONE => at,
            above => above,
        };
        self.make_evaluable(ready, cell.piece);
        let Evaluation::Powers(_, lost) = self.powers[cell.piece as usize] else { return None };
        let (known, bowl) = self.look_closer_at(ready, above);
        let (whole, third) = (known.high - known.low, *bowl.third());
        let first = self.cells.len() as u32;
        for half in 0..2 {
            let mut part = cell.half(half, axis, middle);
            (part.above, part.count) = (above, 0);
            // Exact: both are powers of two.
            let third = third_by(&third, (part.high - part.low) / whole);
            let known = PointPart::new(self.middle(&part), third, &lost, part.slack);
            (part.bound, part.radius, part.first) = (known.bound, known.radius, known.first);
            part.dual = dual(&part.first, part.dimension);
            part.rough = is_rough(&part.first, &part);
            part.looked_at = part.cover != Cover::Unknown;
            part.bowl = self.bowls.len() as u32;
            self.bowls.push(known.bowl);
            self.cells.push(part);
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
        let axes = upright_axes(along, side);
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

/// Whether a cell need not be cut for rows, when steady cells are to be cut so often.
const fn is_fine(dimension: usize, rough: bool, more: u32) -> bool {
    dimension == 0 || !rough && more == 0
}

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

/// Whether first derivatives of a cell are too little known.
fn is_rough(first: &[Ball], cell: &PointCell) -> bool {
    let width = cell.high - cell.low;
    let steady = if width.x * width.y <= SMALL { STEADY_WHERE_SMALL } else { STEADY };
    first.iter().any(|ball| !(ball.radius < steady * ball.center.length()))
}

/// Third derivatives by the parameters of a part that was cut so often along both.
fn scaled(third: &[Ball; 4], [u, v]: [u32; 2]) -> [Ball; 4] {
    let mut third = *third;
    for (k, ball) in (0..).zip(third.iter_mut()) {
        // uuu, uuv, uvv, vvv: three to none along u.
        let share = 1.0 / f64::from(1_u32 << (u * (3 - k) + v * k));
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
