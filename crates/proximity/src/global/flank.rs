//! What a search needs of a body, whether it is made of pieces or the zero set of a polynomial.

use super::answer::witness;
use super::derivatives::Derivatives;
use super::descend::Shape;
use super::evaluation::Lost;
use super::level::LevelSide;
use super::proof::ProofStep;
use super::scores::LENGTH_SHARE;
use super::side::{Cell, Children, Part, Side};
use crate::tolerance::HEIGHT_ERROR_REL;
use crate::{Parameters, Witness};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3, FaceId, Feature, pieces};

/// One half of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piecemeal {
    /// A cell.
    Cell(u32),
    /// Nothing, and why; the side is filled in by the search.
    Gone(fn(usize) -> ProofStep),
}

/// A body of a search, in the frame of A.
pub(super) trait Flank {
    /// Where a search begins; strata apart, or the whole as one.
    fn roots(&self, apart: bool) -> Vec<Part>;

    /// Middle and radius of a ball around a part.
    fn ball(&self, part: Part) -> (DVec3, f64);

    /// The greatest height of a part along a unit direction, and what rounding may have lost of it.
    fn height(&self, part: Part, along: DVec3) -> (f64, f64);

    /// A point near the middle of a part.
    fn middle(&self, part: Part) -> DVec3;

    /// A direction that is close to the normals of a part, where one is known.
    fn normal(&self, part: Part) -> Option<DVec3>;

    /// What a node stands for.
    fn below(&mut self, node: u32) -> Children;

    /// What the feature of a part may be off its neighbours; a length.
    fn gap(&self, part: Part) -> f64;

    /// A cell as a domain of parameters, with its first derivatives; without them nothing is known of its slopes.
    fn cell(&mut self, at: u32) -> (Cell, Option<Derivatives>);

    /// What evaluating a cell may lose.
    fn lost(&self, cell: &Cell) -> Lost;

    /// First and second derivatives over the whole domain of parameters, where the cell is known to have one.
    fn derivatives(&mut self, at: u32) -> Option<Derivatives>;

    /// The point at parameters; `strict` where it must not leave what [`Flank::derivatives`] is about.
    fn jet(&self, at: u32, local: DVec2, strict: bool) -> SurfaceJet;

    /// How far a descent may go beyond a cell, in its parameters: low and high ends.
    fn room(&self, at: u32) -> [DVec2; 2];

    /// How much a cut along each parameter or coordinate promises; 0 where it cannot be cut.
    fn scores(&self, at: u32, normal: DVec3) -> [f64; 3];

    /// Both halves of a cell.
    fn cut(&mut self, at: u32, axis: usize) -> [Piecemeal; 2];

    /// Whether the point at parameters belongs to the body.
    fn holds(&self, at: u32, local: DVec2, point: DVec3) -> bool;

    /// The piece of a cell and the parameters there.
    fn place(&self, at: u32, local: DVec2) -> (u32, DVec2);

    /// A point of a place as a witness.
    fn witness(&self, place: (u32, DVec2), point: DVec3) -> Witness;

    /// Cells made so far.
    fn cells(&self) -> usize;
}

/// A cell as a function of its parameters.
pub(super) struct On<'a, F> {
    pub(super) flank: &'a F,
    pub(super) at: u32,
    pub(super) strict: bool,
}

impl<F: Flank> Shape for On<'_, F> {
    fn jet(&self, local: DVec2) -> SurfaceJet {
        self.flank.jet(self.at, local, self.strict)
    }
}

impl Flank for Side<'_> {
    fn roots(&self, _: bool) -> Vec<Part> {
        vec![Part::Node(0)]
    }

    fn ball(&self, part: Part) -> (DVec3, f64) {
        Side::ball(self, part)
    }

    fn height(&self, part: Part, along: DVec3) -> (f64, f64) {
        Side::height(self, part, along)
    }

    fn lost(&self, cell: &Cell) -> Lost {
        Lost::of_cell(cell, self.net(cell))
    }

    fn middle(&self, part: Part) -> DVec3 {
        Side::ball(self, part).0
    }

    fn normal(&self, part: Part) -> Option<DVec3> {
        let Part::Cell(at) = part else { return None };
        let cell = Side::cell(self, at);
        if cell.dimension < 2 {
            return None;
        }
        let ([p, q], points) = (cell.degrees, self.points(cell));
        let corner = |i: usize, j: usize| points[i * (q + 1) + j];
        let across = (corner(p, q) - corner(0, 0)).cross(corner(0, q) - corner(p, 0));
        across.try_normalize()
    }

    fn below(&mut self, node: u32) -> Children {
        Side::below(self, node)
    }

    fn gap(&self, part: Part) -> f64 {
        if let Part::Cell(at) = part { Side::cell(self, at).gap } else { 0.0 }
    }

    fn cell(&mut self, at: u32) -> (Cell, Option<Derivatives>) {
        let cell = *Side::cell(self, at);
        (cell, Some(Side::derivatives(self, at)))
    }

    fn derivatives(&mut self, at: u32) -> Option<Derivatives> {
        Some(Side::derivatives(self, at))
    }

    fn jet(&self, at: u32, local: DVec2, _: bool) -> SurfaceJet {
        let cell = Side::cell(self, at);
        pieces::jet(cell.degrees, self.net(cell), local)
    }

    fn room(&self, _: u32) -> [DVec2; 2] {
        [DVec2::ZERO, DVec2::ONE]
    }

    fn scores(&self, at: u32, normal: DVec3) -> [f64; 3] {
        let [along_u, along_v] = Side::scores(self, at, normal);
        [along_u, along_v, 0.0]
    }

    fn cut(&mut self, at: u32, axis: usize) -> [Piecemeal; 2] {
        self.halves(at, axis).map(|half| {
            if Side::cell(self, half).cover == Cover::Outside {
                Piecemeal::Gone(|side| ProofStep::Outside { side })
            } else {
                Piecemeal::Cell(half)
            }
        })
    }

    fn holds(&self, at: u32, local: DVec2, _: DVec3) -> bool {
        let cell = Side::cell(self, at);
        Side::holds(self, cell, Flank::place(self, at, local).1)
    }

    fn place(&self, at: u32, local: DVec2) -> (u32, DVec2) {
        let cell = Side::cell(self, at);
        (cell.piece, cell.low + (cell.high - cell.low) * local)
    }

    fn witness(&self, (piece, local): (u32, DVec2), point: DVec3) -> Witness {
        witness(&self.tree.leaves()[piece as usize], local, point)
    }

    fn cells(&self) -> usize {
        self.cell_count()
    }
}

impl LevelSide<'_> {
    fn turned(&self, derivatives: &Derivatives) -> Derivatives {
        let mut turned = *derivatives;
        for ball in turned.first.iter_mut().chain(&mut turned.second) {
            // A rotation is off by its rounding.
            ball.radius += HEIGHT_ERROR_REL * ball.center.length();
            ball.center = self.pose.rotate(ball.center);
        }
        turned
    }
}

impl Flank for LevelSide<'_> {
    fn roots(&self, apart: bool) -> Vec<Part> {
        LevelSide::roots(self, apart).iter().map(|root| Part::Cell(*root)).collect()
    }

    fn ball(&self, part: Part) -> (DVec3, f64) {
        let Part::Cell(at) = part else { return (DVec3::ZERO, f64::INFINITY) };
        let cell = LevelSide::cell(self, at);
        let size =
            cell.low.abs().max(cell.high.abs()).max_element() + self.pose.translation().abs().max_element();
        let radius = 0.5 * cell.widths().length() + HEIGHT_ERROR_REL * size;
        (self.pose.apply(cell.center()), radius)
    }

    fn height(&self, part: Part, along: DVec3) -> (f64, f64) {
        let Part::Cell(at) = part else { return (f64::INFINITY, 0.0) };
        self.reach(LevelSide::cell(self, at), along)
    }

    fn middle(&self, part: Part) -> DVec3 {
        let Part::Cell(at) = part else { return DVec3::ZERO };
        self.pose.apply(LevelSide::cell(self, at).middle)
    }

    fn normal(&self, part: Part) -> Option<DVec3> {
        let Part::Cell(at) = part else { return None };
        self.pose.rotate(LevelSide::cell(self, at).slopes).try_normalize()
    }

    fn below(&mut self, _: u32) -> Children {
        Children::One(Part::Cell(0))
    }

    fn gap(&self, _: Part) -> f64 {
        0.0
    }

    fn lost(&self, cell: &Cell) -> Lost {
        Lost::of_cell(cell, &[])
    }

    fn cell(&mut self, at: u32) -> (Cell, Option<Derivatives>) {
        let shape = self.shape(at);
        let cell = *LevelSide::cell(self, at);
        let (center, radius) = Flank::ball(self, Part::Cell(at));
        let rounding = HEIGHT_ERROR_REL * (center.abs().max_element() + radius);
        if shape.dimension > 0 {
            let stand = Cell::around(center, radius, shape.dimension, rounding);
            return (stand, Some(self.turned(&shape.near)));
        }
        // Every zero of the cell is this close to the point that stands for it.
        let far = (shape.point - cell.low).abs().max((cell.high - shape.point).abs()).length();
        (Cell::around(self.pose.apply(shape.point), 0.0, 0, far + rounding), None)
    }

    fn derivatives(&mut self, at: u32) -> Option<Derivatives> {
        if self.shape(at).dimension == 0 {
            return Some(Derivatives::default());
        }
        self.wide(at).map(|derivatives| self.turned(&derivatives))
    }

    fn jet(&self, at: u32, local: DVec2, strict: bool) -> SurfaceJet {
        let cell = LevelSide::cell(self, at);
        let shape = &self.memory.shapes[cell.shape as usize];
        LevelSide::jet(self, cell, shape, local, strict)
    }

    fn room(&self, at: u32) -> [DVec2; 2] {
        let cell = LevelSide::cell(self, at);
        self.memory.shapes[cell.shape as usize].room(cell, self.within())
    }

    fn scores(&self, at: u32, normal: DVec3) -> [f64; 3] {
        self.promise(LevelSide::cell(self, at), normal, LENGTH_SHARE)
    }

    fn cut(&mut self, at: u32, axis: usize) -> [Piecemeal; 2] {
        self.halves(at, axis)
            .map(|half| half.map_or(Piecemeal::Gone(|side| ProofStep::Empty { side }), Piecemeal::Cell))
    }

    fn holds(&self, at: u32, _: DVec2, point: DVec3) -> bool {
        let cell = LevelSide::cell(self, at);
        let shape = &self.memory.shapes[cell.shape as usize];
        if shape.dimension == 0 {
            return shape.is_zero;
        }
        // What the pose rounds is no matter of the box.
        let (within, own) = (self.within(), self.pose.apply_inverse(point));
        let size = own.abs().max_element() + self.pose.translation().abs().max_element();
        within.inflated(HEIGHT_ERROR_REL * size).contains(own.to_array())
    }

    fn place(&self, _: u32, _: DVec2) -> (u32, DVec2) {
        (0, DVec2::ZERO)
    }

    fn witness(&self, _: (u32, DVec2), point: DVec3) -> Witness {
        let feature = Feature::Face(FaceId(0));
        Witness { point, feature, leaf: 0, parameters: Parameters::None }
    }

    fn cells(&self) -> usize {
        self.cell_count()
    }
}
