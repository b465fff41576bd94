//! One body of a search: its pieces, cut into cells on demand.
//!
//! Source: de Casteljau's subdivision of rational Bézier nets, in homogeneous coordinates.
//! Differs: a cell's control points stand in the frame of A, and carry what subdivision and the pose may have rounded
//! away as a slack.
//! Ends because: loops run over control points.
//! Cost: a cell of a bicubic patch is cut with 24 blends of a row; its memory is kept for the next search.
//! Not promised: a cell smaller than the spacing of numbers; the search stops before.

use crate::convex::solid::Solid;
use crate::tolerance::{BLEND_ERROR_REL, LEANING_REL};
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::tiled::{Cover, Face, Region, TiledEdge};
use clearance_geometry::{Below, Body, DVec2, DVec3, DVec4, Pose};

use super::age::{Ages, DERIVATIVES, FIRST};
use super::columns::{Columns, Heights as _};
use super::derivatives::{Ball, Derivatives, Patch, Slopes};
use super::halve::halve;
use super::local::has_inside;
use super::rims::{Closing, Ends};

/// No cell.
pub(crate) const NONE: u32 = u32::MAX;

/// Cells that memory begins with, and control points of each: a bicubic patch has 16.
const FIRST_CELLS: usize = 96;
const POINTS_OF_A_CELL: usize = 16;

/// Cells, and control points of all of them, that a search may keep of one body: a gigabyte of each. With more it ends as where its
/// pairs are used up.
const MOST_CELLS: usize = 1 << 21;
const MOST_POINTS: usize = 12 << 20;

/// Blends that moving a box and taking its height count for: 62 roundings of its coordinates, 19 of the move.
pub(super) const PLACINGS: f64 = 4.0;

/// A part of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Its piece.
    pub(crate) piece: u32,
    /// 2 for a patch, 1 for a curve, 0 for a point.
    pub(crate) dimension: usize,
    pub(crate) degrees: [usize; 2],
    /// Where its control points begin.
    pub(super) start: u32,
    pub(super) count: u32,
    /// Its rectangle of the piece's parameters.
    pub(crate) low: DVec2,
    pub(crate) high: DVec2,
    /// A ball around it.
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
    /// How far its points may be from its control points' surface; a length.
    pub(crate) slack: f64,
    /// What its feature may be off its neighbours; a length.
    pub(crate) gap: f64,
    /// How much of it belongs to the face: unknown until it was asked for.
    pub(crate) cover: Cover,
    pub(super) asked: bool,
    /// Whether it is a side or a corner of a patch, and not a piece's own part; see `rims`.
    pub(super) is_rim: bool,
    /// Whether its only parameter is the second one of its piece.
    pub(super) is_turned: bool,
    /// Its ends that stand for features without cells of their own.
    pub(super) closed: Ends,
    /// The rims at these ends, once they were asked for.
    pub(super) rims: [[u32; 2]; 2],
    /// Halves along u and along v.
    pub(super) halves: [[u32; 2]; 2],
    /// Where its first derivatives are, and where all of them.
    pub(super) first: u32,
    pub(super) derivatives: u32,
}

impl Cell {
    /// Which parameter of its piece one of its own is.
    #[inline]
    pub(super) fn parameter(&self, axis: usize) -> usize {
        axis ^ usize::from(self.is_turned)
    }

    /// Whether it is all of its piece.
    pub(super) fn is_whole(&self) -> bool {
        let whole = |axis: usize| self.dimension <= axis || self.high[axis] - self.low[axis] == 1.0;
        !self.is_rim && whole(0) && whole(1)
    }

    /// Sets its ball around its control points, and adds what so many blends rounded away.
    pub(super) fn surround(&mut self, points: &Columns<'_>, blends: usize) {
        let [low, high] = points.corners();
        let center = 0.5 * (low + high);
        let square = points.farthest_square(center);
        let reach = low.abs().max(high.abs()).max_element();
        self.center = center;
        self.slack += BLEND_ERROR_REL * (blends + 1) as f64 * reach;
        self.radius = square.sqrt() + self.slack;
    }

    /// Whether it is a point that stands for all that is within its slack.
    pub(crate) fn is_stand_in(&self) -> bool {
        self.dimension == 0 && self.radius == 0.0
    }

    /// What stands for a part of something else than a piece: its ball, and how far its points may be from its parameters'
    /// ones.
    pub(crate) fn around(center: DVec3, radius: f64, dimension: usize, slack: f64) -> Self {
        Self {
            piece: 0,
            dimension,
            degrees: [0; 2],
            start: 0,
            count: 0,
            low: DVec2::ZERO,
            high: DVec2::ONE,
            center,
            radius,
            slack,
            gap: 0.0,
            cover: Cover::Inside,
            asked: true,
            is_rim: false,
            is_turned: false,
            closed: [[false; 2]; 2],
            rims: [[NONE; 2]; 2],
            halves: [[NONE; 2]; 2],
            first: NONE,
            derivatives: NONE,
        }
    }
}

/// A node of the tree of pieces, or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Node(u32),
    Cell(u32),
}

/// Memory of one side, kept between searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(super) cells: Vec<Cell>,
    pub(super) net: Vec<DVec4>,
    pub(super) points: Vec<DVec3>,
    /// The same as columns: of each cell, all x, all y and all z of its points.
    pub(super) columns: Vec<f64>,
    first: Vec<[Ball; 2]>,
    /// What second derivatives need of the first ones, as many.
    slopes: Vec<Slopes>,
    derivatives: Vec<Derivatives>,
    roots: Vec<u32>,
    /// Boxes of nodes that were looked at, and where the box of each node is among them.
    pub(super) boxes: Vec<Placed>,
    pub(super) placed: Vec<u32>,
    /// Greatest heights of all nodes along one direction, or in a search of few pieces of these.
    pub(super) heights: Vec<f64>,
    /// Whether it may not grow.
    pub(super) fixed: bool,
    /// Which shape of the body cells are of, where they are kept while it changes.
    pub(super) ages: Ages,
}

/// The box of a node in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) center: DVec3,
    radius: f64,
    /// From its middle to the middles of its sides.
    pub(super) halves: [DVec3; 3],
    /// What its height may lose to rounding.
    lost: f64,
}

/// A body of a search, in the frame of A.
pub(crate) struct Side<'a> {
    pub(crate) tree: &'a PieceTree,
    pub(super) body: &'a Body,
    pub(super) pose: Pose,
    /// Whether it has an inside.
    pub(super) solid: bool,
    /// The body itself, where it is convex and its farthest points are formulas.
    pub(super) convex: Option<Solid<'a>>,
    /// Which ends of pieces stand for others, by pieces; none where that was not asked for.
    pub(super) closings: &'a [Closing],
    pub(super) memory: &'a mut Memory,
}

impl Memory {
    /// Memory for so many cells and control points that does not grow before they are used up.
    pub(crate) fn with_capacity(cells: usize, points: usize, pieces: usize) -> Self {
        Self {
            cells: Vec::with_capacity(cells),
            net: Vec::with_capacity(points),
            points: Vec::with_capacity(points),
            columns: Vec::with_capacity(3 * points),
            first: Vec::with_capacity(cells),
            slopes: Vec::with_capacity(cells),
            derivatives: Vec::with_capacity(cells),
            boxes: Vec::with_capacity(2 * pieces),
            placed: Vec::with_capacity(2 * pieces),
            heights: Vec::new(),
            roots: Vec::with_capacity(pieces),
            fixed: true,
            ages: Ages::with_capacity(cells),
        }
    }

    /// Forgets all cells, to begin with a body's pieces.
    pub(crate) fn clear(&mut self, tree: &PieceTree) {
        self.cells.clear();
        self.net.clear();
        self.points.clear();
        self.columns.clear();
        // What nearly every search fills is not to be grown into by steps.
        self.cells.reserve(FIRST_CELLS);
        self.net.reserve(FIRST_CELLS * POINTS_OF_A_CELL);
        self.points.reserve(FIRST_CELLS * POINTS_OF_A_CELL);
        self.columns.reserve(3 * FIRST_CELLS * POINTS_OF_A_CELL);
        self.first.clear();
        self.slopes.clear();
        self.derivatives.clear();
        self.first.reserve(FIRST_CELLS);
        self.slopes.reserve(FIRST_CELLS);
        self.derivatives.reserve(FIRST_CELLS / 2);
        self.boxes.clear();
        self.boxes.reserve(tree.node_count().min(FIRST_CELLS));
        self.placed.clear();
        self.placed.resize(tree.node_count(), NONE);
        self.roots.clear();
        self.roots.resize(tree.leaves().len(), NONE);
        self.ages.clear();
    }

    /// Whether it is better to begin anew.
    pub(crate) fn is_half_full(&self) -> bool {
        2 * self.cells.len() > self.cells.capacity() || 2 * self.net.len() > self.net.capacity()
    }

    /// Whether a search is to end before it takes more.
    fn is_full(&self) -> bool {
        self.cells.len() >= MOST_CELLS || self.net.len() >= MOST_POINTS
    }

    /// Sets the points of a cell in space from its net, in the places that they have.
    pub(super) fn project(&mut self, cell: &Cell) {
        let (start, count) = (cell.start as usize, cell.count as usize);
        let columns = &mut self.columns[3 * start..][..3 * count];
        let (xs, rest) = columns.split_at_mut(count);
        let (ys, zs) = rest.split_at_mut(count);
        let (net, points) = (&self.net[start..][..count], &mut self.points[start..][..count]);
        for k in 0..count {
            let point = net[k].truncate() * (1.0 / net[k].w);
            (points[k], xs[k], ys[k], zs[k]) = (point, point.x, point.y, point.z);
        }
    }

    /// Whether two more cells of so many control points each fit in.
    fn has_room(&self, points: usize) -> bool {
        !self.fixed
            || self.cells.len() + 2 <= self.cells.capacity()
                && self.net.len() + 2 * points <= self.net.capacity()
    }
}

impl<'a> Side<'a> {
    pub(crate) fn new(body: &'a Body, tree: &'a PieceTree, pose: Pose, memory: &'a mut Memory) -> Self {
        memory.clear(tree);
        Self { tree, body, pose, solid: !body.is_surface_only(), convex: None, closings: &[], memory }
    }

    /// A body in its own frame, with the cells that were made of it before.
    pub(crate) fn kept(body: &'a Body, tree: &'a PieceTree, memory: &'a mut Memory) -> Self {
        let solid = !body.is_surface_only();
        Self { tree, body, pose: Pose::IDENTITY, solid, convex: None, closings: &[], memory }
    }

    /// Whether there is room for what a part would be replaced by.
    pub(crate) fn can_cut(&self, part: Part) -> bool {
        let points = match part {
            Part::Cell(at) => self.cell(at).count as usize,
            Part::Node(at) => match self.tree.nodes()[at as usize].below {
                Below::Leaf(piece) => self.tree.leaves()[piece as usize].net.len(),
                Below::Nodes(_) => 0,
            },
        };
        self.memory.has_room(points)
    }

    pub(crate) fn cell(&self, cell: u32) -> &Cell {
        debug_assert!(self.memory.ages.is_current(cell), "a cell is renewed before it is looked at");
        &self.memory.cells[cell as usize]
    }

    /// The control points of a cell in space.
    pub(crate) fn points(&self, cell: &Cell) -> &[DVec3] {
        let start = cell.start as usize;
        &self.memory.points[start..start + cell.count as usize]
    }

    /// The same as columns of coordinates.
    #[inline]
    pub(crate) fn columns(&self, cell: &Cell) -> Columns<'_> {
        Columns::new(&self.memory.columns[3 * cell.start as usize..], cell.count as usize)
    }

    /// The control points of a cell with their weights.
    pub(crate) fn net(&self, cell: &Cell) -> &[DVec4] {
        let start = cell.start as usize;
        &self.memory.net[start..start + cell.count as usize]
    }

    pub(crate) fn piece(&self, cell: &Cell) -> &'a Piece {
        &self.tree.leaves()[cell.piece as usize]
    }

    /// Middle and radius of a ball around a part.
    pub(crate) fn ball(&self, part: Part) -> (DVec3, f64) {
        match part {
            Part::Cell(at) => (self.cell(at).center, self.cell(at).radius),
            Part::Node(at) => {
                let placed = self.placed(at);
                (placed.center, placed.radius)
            }
        }
    }

    /// The greatest height of a part along a unit direction, and what rounding may have lost of it.
    pub(crate) fn height(&self, part: Part, along: DVec3) -> (f64, f64) {
        match part {
            Part::Cell(at) => {
                let cell = self.cell(at);
                (-self.columns(cell).least(-along), cell.slack)
            }
            Part::Node(at) => {
                let of_box = |placed: &Placed| {
                    let [x, y, z] = placed.halves.map(|half| half.dot(along).abs());
                    (along.dot(placed.center) + (x + y + z), placed.lost)
                };
                let (of_box, lost) = match self.memory.placed[at as usize] {
                    NONE => of_box(&self.place(at)),
                    known => of_box(&self.memory.boxes[known as usize]),
                };
                let own = self.convex.filter(|_| at == 0).map(|solid| {
                    let own = self.pose.rotate_inverse(along);
                    solid.height_above(own) + own.dot(solid.anchor()) + along.dot(self.pose.translation())
                });
                (own.map_or(of_box, |own| own.min(of_box)), lost)
            }
        }
    }

    /// How far the pose moves it along the axes: coordinates of this size went into its rounding.
    pub(super) fn far(&self) -> f64 {
        self.pose.translation().abs().max_element()
    }

    /// The box of a node in the frame of A.
    pub(super) fn placed(&self, node: u32) -> Placed {
        match self.memory.placed[node as usize] {
            NONE => self.place(node),
            at => self.memory.boxes[at as usize],
        }
    }

    fn place(&self, node: u32) -> Placed {
        let bound = &self.tree.nodes()[node as usize].bound;
        let center = self.pose.apply(bound.center);
        let axis = |i: usize| self.pose.rotate(bound.axes.col(i) * bound.half[i]);
        let reach = center.abs().max_element() + bound.half.max_element() + self.far();
        Placed {
            center,
            radius: bound.half.length(),
            halves: [axis(0), axis(1), axis(2)],
            lost: PLACINGS * BLEND_ERROR_REL * reach,
        }
    }

    /// Keeps the box of a node in the frame of A, for all pairs that it will be part of.
    fn keep(&mut self, node: u32) {
        if self.memory.placed[node as usize] == NONE {
            let placed = self.place(node);
            self.memory.placed[node as usize] = self.memory.boxes.len() as u32;
            self.memory.boxes.push(placed);
        }
    }

    /// What a node stands for: its children, or the cell of its piece.
    pub(crate) fn below(&mut self, node: u32) -> Children {
        match self.tree.nodes()[node as usize].below {
            Below::Nodes(pair) => {
                pair.into_iter().for_each(|node| self.keep(node));
                Children::Two(pair.map(Part::Node))
            }
            Below::Leaf(piece) => Children::One(Part::Cell(self.root(piece))),
        }
    }

    /// Whether a node has one piece only.
    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        matches!(self.tree.nodes()[node as usize].below, Below::Leaf(_))
    }

    /// The cell of a whole piece.
    pub(crate) fn root(&mut self, piece: u32) -> u32 {
        let known = self.memory.roots[piece as usize];
        if known != NONE {
            self.renew(known);
            return known;
        }
        let whole = &self.tree.leaves()[piece as usize];
        let start = self.memory.net.len();
        for p in &whole.net[..] {
            let moved = self.pose.rotate(p.truncate()) + self.pose.translation() * p.w;
            self.memory.net.push(moved.extend(p.w));
        }
        let length = |along: usize| f64::from(u8::from(whole.dimension > along));
        let high = DVec2::new(length(0), length(1));
        let closing = self.closings.get(piece as usize).copied().unwrap_or_default();
        let cell = Cell {
            piece,
            dimension: whole.dimension,
            degrees: whole.degrees,
            start: start as u32,
            count: whole.net.len() as u32,
            low: DVec2::ZERO,
            high,
            center: DVec3::ZERO,
            radius: 0.0,
            slack: whole.slack + 2.0 * BLEND_ERROR_REL * self.far() + closing.off,
            gap: whole.gap.max(closing.gap),
            cover: if whole.trimmed { Cover::Unknown } else { Cover::Inside },
            asked: true,
            is_rim: false,
            is_turned: false,
            closed: closing.ends,
            rims: [[NONE; 2]; 2],
            halves: [[NONE; 2]; 2],
            first: NONE,
            derivatives: NONE,
        };
        let at = self.finish(cell, 1);
        self.memory.roots[piece as usize] = at;
        self.note_birth(at, None);
        at
    }

    /// The cell of the whole piece that a cell is a part of.
    pub(super) fn root_of(&self, cell: &Cell) -> u32 {
        self.memory.roots[cell.piece as usize]
    }

    /// Both halves of a cell along u (0) or v (1).
    pub(crate) fn halves(&mut self, at: u32, axis: usize) -> [u32; 2] {
        let known = self.memory.cells[at as usize].halves[axis];
        if known[0] != NONE {
            known.into_iter().for_each(|half| self.renew(half));
            return known;
        }
        let cell = self.memory.cells[at as usize];
        let (starts, degree) = halve(&mut self.memory.net, cell.start as usize, cell.degrees, axis);
        let along = cell.parameter(axis);
        let middle = 0.5 * (cell.low[along] + cell.high[along]);
        let none = [[NONE; 2]; 2];
        let part = Cell { rims: none, halves: none, first: NONE, derivatives: NONE, ..cell };
        let mut low = Cell { start: starts[0] as u32, ..part };
        low.high[along] = middle;
        low.closed[axis][1] = false;
        let mut high = Cell { start: starts[1] as u32, ..part };
        high.low[along] = middle;
        high.closed[axis][0] = false;
        let made = [self.finish_half(low, degree), self.finish_half(high, degree)];
        self.memory.cells[at as usize].halves[axis] = made;
        made.into_iter().for_each(|half| self.note_birth(half, Some((at, axis))));
        made
    }

    fn finish_half(&mut self, mut cell: Cell, degree: usize) -> u32 {
        // What is kept while bodies move is seldom asked for.
        cell.asked = cell.cover != Cover::Unknown || !self.memory.fixed;
        if cell.cover == Cover::Unknown && cell.asked {
            cell.cover = self.cover(&cell, Region::cover);
        }
        self.finish(cell, degree)
    }

    /// Stores a cell whose net stands at the end of the memory, with its ball.
    pub(super) fn finish(&mut self, mut cell: Cell, blends: usize) -> u32 {
        let start = cell.start as usize;
        let count = cell.count as usize;
        let memory = &mut *self.memory;
        memory.points.resize(start + count, DVec3::ZERO);
        memory.columns.resize(3 * (start + count), 0.0);
        memory.project(&cell);
        cell.surround(&Columns::new(&memory.columns[3 * start..], count), blends);
        self.memory.cells.push(cell);
        self.memory.cells.len() as u32 - 1
    }

    /// The curved face that a piece is a part of.
    pub(crate) fn face(&self, piece: &Piece) -> Option<&'a Face> {
        piece.face(self.body)
    }

    /// Whether a corner of a cell, which belongs to the body, is higher than a limit.
    pub(super) fn has_corner_above(&self, cell: &Cell, along: DVec3, limit: f64) -> bool {
        let points = self.points(cell);
        let last = points.len() - 1;
        let width = cell.degrees[1];
        cell.cover == Cover::Inside
            && [0, width, last - width, last].into_iter().any(|i| points[i].dot(along) - cell.slack > limit)
    }

    /// Bounds on the first derivatives over a cell.
    pub(super) fn first(&mut self, at: u32) -> [Ball; 2] {
        let cell = &self.memory.cells[at as usize];
        if cell.first != NONE {
            return self.memory.first[cell.first as usize];
        }
        let patch = Patch::of(cell, self.far());
        let slopes = Slopes::new(&patch, self.net(cell));
        let found = slopes.rounded(&patch);
        match self.memory.ages.spare(at, FIRST) {
            Some(slot) => {
                self.memory.cells[at as usize].first = slot;
                (self.memory.first[slot as usize], self.memory.slopes[slot as usize]) = (found, slopes);
            }
            None => {
                self.memory.cells[at as usize].first = self.memory.first.len() as u32;
                self.memory.first.push(found);
                self.memory.slopes.push(slopes);
            }
        }
        found
    }

    /// The edge of curved faces that a piece is a part of.
    pub(super) fn edge(&self, piece: &Piece) -> Option<&'a TiledEdge> {
        piece.edge(self.body)
    }

    /// Where the feature of a piece stands in the frame of A.
    pub(super) fn pose_of(&self, piece: &Piece) -> Pose {
        match self.body.whole() {
            Body::Union(parts) => self.pose * parts.leaves()[piece.leaf as usize].pose,
            _ => self.pose,
        }
    }

    /// Bounds on the derivatives over a cell.
    pub(crate) fn derivatives(&mut self, at: u32) -> Derivatives {
        let known = self.memory.cells[at as usize].derivatives;
        if known != NONE {
            return self.memory.derivatives[known as usize];
        }
        self.first(at);
        let cell = &self.memory.cells[at as usize];
        let slopes = &self.memory.slopes[cell.first as usize];
        let found = Derivatives::over(cell, self.net(cell), self.far(), slopes);
        let spare = self.memory.ages.spare(at, DERIVATIVES);
        self.memory.cells[at as usize].derivatives = stored(&mut self.memory.derivatives, spare, found);
        found
    }

    /// Whether the outward normals over a cell of a solid body all point away from another cell.
    pub(crate) fn is_turned_away(&self, cell: &Cell, derivatives: &Derivatives, other: &Cell) -> bool {
        if cell.dimension < 2 || !self.solid || !has_inside(self.body, self.piece(cell)) {
            return false;
        }
        let [u, v] = &derivatives.first;
        let reversed = self.face(self.piece(cell)).is_some_and(|face| face.reversed);
        let normal = u.center.cross(v.center) * if reversed { -1.0 } else { 1.0 };
        let error = u.center.length() * v.radius + v.center.length() * u.radius + u.radius * v.radius;
        let between = other.center - cell.center;
        let reach = cell.radius + other.radius;
        normal.dot(between) + normal.length() * reach + error * (between.length() + reach) < 0.0
    }

    /// Whether a vector is clearly not along the normal in the middle of a small cell.
    pub(crate) fn leans(&self, cell: &Cell, vector: DVec3) -> bool {
        let piece = self.piece(cell);
        let at = piece.span.parameters(0.5 * (cell.low + cell.high));
        let normal = self.face(piece).and_then(|face| face.normal(at));
        let across = normal.map_or(0.0, |normal| self.pose_of(piece).rotate(normal).cross(vector).length());
        across > LEANING_REL * vector.length()
    }

    /// Whether its cells have taken the memory that a search may have.
    pub(super) fn is_full(&self) -> bool {
        self.memory.is_full()
    }

    /// Cells made so far.
    pub(crate) fn cell_count(&self) -> usize {
        self.memory.cells.len()
    }
}

/// Stores a value, in place of one that is of no use any more where there is such a place; where it is.
fn stored<T>(all: &mut Vec<T>, spare: Option<u32>, value: T) -> u32 {
    if let Some(slot) = spare {
        all[slot as usize] = value;
        return slot;
    }
    all.push(value);
    all.len() as u32 - 1
}

/// What is below a node.
pub(crate) enum Children {
    One(Part),
    Two([Part; 2]),
}
