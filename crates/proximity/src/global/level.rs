//! The zero set of a polynomial in a search: boxes, cut in halves on demand.
//!
//! Source: where f(x) = 0, n·x = n·x − μ f(x) for any number μ, so that the greatest Bernstein coefficient of the right side
//! bounds how far the zeros in a box reach along n.
//! Differs: μ makes the slope of the right side along the mean gradient of f vanish. The zero set ends at the walls of its
//! box: where it meets a wall there is a curve, and where it meets two walls a point, each with boxes of its own.
//! Ends because: loops run over coefficients.
//! Cost: halving a box and its reach take a pass over the coefficients, 27 of a quadric and 125 of a torus. Boxes stand in
//! the frame of the surface and are kept for the next search.
//! Not promised: more than the box where the gradient vanishes.

use super::level_chart::Shape;
use super::side::NONE;
use crate::tolerance::{HEIGHT_ERROR_REL, LEVEL_SIGN_ERRORS};
use clearance_geometry::algebraic::{AlgebraicSurface, Polynomial};
use clearance_geometry::bound::Aabb;
use clearance_geometry::{DVec3, Interval, Pose};
use std::sync::Arc;

/// A half without a zero.
const EMPTY: u32 = NONE - 1;

/// Cells kept for the next search.
const MOST_KEPT: usize = 200_000;

/// Rounding errors below which a polynomial is noise. Fewer: thousands of cells around a singular point that none of them can
/// settle. More: a wider gap there.
const NOISE_ERRORS: f64 = 64.0;

/// Coefficients along one coordinate: one more than the largest degree.
const MOST_ROWS: usize = Polynomial::MOST_DEGREE as usize + 1;

/// A box, or a part of a wall or of an edge of the whole box.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelCell {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
    /// Coordinates that do not run: none in space, one on a wall, two on an edge of the box.
    pub(super) fixed: [bool; 3],
    /// Degrees of the polynomial; at least 1 along coordinates that run, 0 along others.
    pub(super) degrees: [usize; 3],
    start: u32,
    count: u32,
    /// What the coefficients may be off.
    pub(super) error: f64,
    /// The largest coefficient.
    pub(super) largest: f64,
    /// The mean gradient.
    pub(super) slopes: DVec3,
    /// A point in the box near the zero set.
    pub(super) middle: DVec3,
    halves: [[u32; 2]; 3],
    /// Its shape, once it was asked for.
    pub(super) shape: u32,
}

impl LevelCell {
    pub(super) fn widths(&self) -> DVec3 {
        self.high - self.low
    }

    /// Places between the first coefficients of neighbouring rows.
    pub(super) fn strides(&self) -> [usize; 3] {
        let [_, q, r] = self.degrees;
        [(q + 1) * (r + 1), r + 1, 1]
    }

    pub(super) fn center(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }
}

/// Cells of one algebraic surface, kept between searches.
#[derive(Clone, Debug, Default)]
pub(super) struct LevelMemory {
    surface: Option<Arc<AlgebraicSurface>>,
    cells: Vec<LevelCell>,
    coefficients: Vec<f64>,
    pub(super) shapes: Vec<Shape>,
    /// The whole box first, then walls and edges that may meet the zero set.
    roots: Vec<u32>,
}

/// An algebraic surface of a search, in the frame of A.
pub(super) struct LevelSide<'a> {
    pub(super) surface: &'a AlgebraicSurface,
    pub(super) pose: Pose,
    pub(super) memory: &'a mut LevelMemory,
}

impl<'a> LevelSide<'a> {
    pub(super) fn new(surface: &'a Arc<AlgebraicSurface>, pose: Pose, memory: &'a mut LevelMemory) -> Self {
        let known = memory.surface.as_ref().is_some_and(|known| Arc::ptr_eq(known, surface));
        let fresh = !known || memory.cells.len() > MOST_KEPT;
        if fresh {
            memory.surface = Some(Arc::clone(surface));
            memory.cells.clear();
            memory.coefficients.clear();
            memory.shapes.clear();
            memory.roots.clear();
        }
        let mut side = Self { surface, pose, memory };
        if fresh {
            side.grow_roots();
        }
        side
    }

    /// The box, then its walls and edges.
    fn grow_roots(&mut self) {
        for fixed in 0..3 {
            // Each coordinate runs, or is fixed at either end: 0, 1, 2.
            for code in 0..27 {
                let ends = [code % 3, code / 3 % 3, code / 9];
                if ends.iter().filter(|end| **end > 0).count() != fixed {
                    continue;
                }
                let root = self.root(ends);
                if fixed == 0 || self.has_zero(&self.memory.cells[root as usize]) {
                    self.memory.roots.push(root);
                }
            }
        }
    }

    fn root(&mut self, ends: [usize; 3]) -> u32 {
        let within = self.surface.within();
        let mut place = *within;
        for (axis, &end) in ends.iter().enumerate() {
            match end {
                1 => place.high[axis] = within.low[axis],
                2 => place.low[axis] = within.high[axis],
                _ => {}
            }
        }
        let fixed = ends.map(|end| end > 0);
        let (found, intervals) = self.surface.polynomial().bernstein(&place);
        let degrees: [usize; 3] = std::array::from_fn(|i| if fixed[i] { 0 } else { found[i].max(1) });
        let start = self.memory.coefficients.len();
        let mut error = 0.0_f64;
        for i in 0..=degrees[0] {
            for j in 0..=degrees[1] {
                for k in 0..=degrees[2] {
                    // A coordinate that does not count has the same coefficient at both ends.
                    let at = [i.min(found[0]), j.min(found[1]), k.min(found[2])];
                    let value = intervals[(at[0] * (found[1] + 1) + at[1]) * (found[2] + 1) + at[2]];
                    let middle = middle_of(value);
                    error = error.max(value.high() - middle).max(middle - value.low());
                    self.memory.coefficients.push(middle);
                }
            }
        }
        let count = (self.memory.coefficients.len() - start) as u32;
        let cell = LevelCell {
            low: DVec3::from_array(place.low),
            high: DVec3::from_array(place.high),
            fixed,
            degrees,
            start: start as u32,
            count,
            error: error * (1.0 + f64::EPSILON),
            largest: 0.0,
            slopes: DVec3::ZERO,
            middle: DVec3::ZERO,
            halves: [[NONE; 2]; 3],
            shape: NONE,
        };
        self.finish(cell)
    }

    /// The whole box, and where the parts of the zero set are to be told apart its walls and edges.
    pub(super) fn roots(&self, apart: bool) -> &[u32] {
        if apart { &self.memory.roots } else { &self.memory.roots[..1] }
    }

    pub(super) fn cell(&self, at: u32) -> &LevelCell {
        &self.memory.cells[at as usize]
    }

    pub(super) fn set_shape(&mut self, at: u32, shape: Shape) {
        self.memory.cells[at as usize].shape = self.memory.shapes.len() as u32;
        self.memory.shapes.push(shape);
    }

    pub(super) fn coefficients(&self, cell: &LevelCell) -> &[f64] {
        let start = cell.start as usize;
        &self.memory.coefficients[start..start + cell.count as usize]
    }

    /// Whether the polynomial may vanish in a cell.
    fn has_zero(&self, cell: &LevelCell) -> bool {
        let clear = LEVEL_SIGN_ERRORS * cell.error;
        let values = self.coefficients(cell);
        !(values.iter().all(|c| *c > clear) || values.iter().all(|c| *c < -clear))
    }

    /// Both halves of a cell across a coordinate; none where the polynomial has no zero in it.
    pub(super) fn halves(&mut self, at: u32, axis: usize) -> [Option<u32>; 2] {
        let known = self.memory.cells[at as usize].halves[axis];
        let made = if known[0] == NONE { self.cut(at, axis) } else { known };
        made.map(|half| (half != EMPTY).then_some(half))
    }

    fn cut(&mut self, at: u32, axis: usize) -> [u32; 2] {
        let cell = self.memory.cells[at as usize];
        let (degree, stride) = (cell.degrees[axis], cell.strides()[axis]);
        let (from, count) = (cell.start as usize, cell.count as usize);
        let starts = [self.memory.coefficients.len(), self.memory.coefficients.len() + count];
        self.memory.coefficients.extend_from_within(from..from + count);
        self.memory.coefficients.extend_from_within(from..from + count);
        let values = &mut self.memory.coefficients;
        let mut lost = [0.0; MOST_ROWS];
        for first in 0..count {
            if (first / stride).is_multiple_of(degree + 1) {
                halve(&mut values[starts[0] + first..], stride, degree, false, &mut lost);
                halve(&mut values[starts[1] + first..], stride, degree, true, &mut lost);
            }
        }
        let middle = cell.center()[axis];
        let error = (cell.error + lost.iter().sum::<f64>()) * (1.0 + HEIGHT_ERROR_REL);
        let made = [0, 1].map(|half| {
            let mut part =
                LevelCell { start: starts[half] as u32, error, halves: [[NONE; 2]; 3], shape: NONE, ..cell };
            if half == 0 {
                part.high[axis] = middle;
            } else {
                part.low[axis] = middle;
            }
            part
        });
        let made = made.map(|part| if self.has_zero(&part) { self.finish(part) } else { EMPTY });
        self.memory.cells[at as usize].halves[axis] = made;
        made
    }

    /// Stores a cell with its gradient and middle.
    fn finish(&mut self, mut cell: LevelCell) -> u32 {
        let values = self.coefficients(&cell);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let largest = values.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        let (strides, widths) = (cell.strides(), cell.widths());
        let mut slopes = [0.0; 3];
        for axis in (0..3).filter(|&axis| !cell.fixed[axis]) {
            let count = cell.degrees[axis] + 1;
            let mut sum = 0.0;
            for (place, value) in values.iter().enumerate() {
                let index = place / strides[axis] % count;
                if index == 0 {
                    sum -= value;
                }
                if index + 1 == count {
                    sum += value;
                }
            }
            slopes[axis] = sum * count as f64 / (values.len() as f64 * widths[axis]);
        }
        cell.slopes = DVec3::from_array(slopes);
        cell.largest = largest;
        let square = cell.slopes.length_squared();
        let step = if square > 0.0 { cell.slopes * (mean / square) } else { DVec3::ZERO };
        cell.middle = (cell.center() - step).clamp(cell.low, cell.high);
        self.memory.cells.push(cell);
        self.memory.cells.len() as u32 - 1
    }

    /// How far the zeros in a cell reach along a unit direction in the frame of A, and what rounding may have lost of it.
    pub(super) fn reach(&self, cell: &LevelCell, along: DVec3) -> (f64, f64) {
        let local = self.pose.rotate_inverse(along);
        let shift = along.dot(self.pose.translation());
        let mu = self.multiplier(cell, local);
        // Heights of the grid of control points, one coordinate at a time.
        let widths = cell.widths();
        let parts: [[f64; MOST_ROWS]; 3] = std::array::from_fn(|axis| {
            let step = widths[axis] / cell.degrees[axis].max(1) as f64;
            std::array::from_fn(|index| local[axis] * (cell.low[axis] + step * index as f64))
        });
        let mut rows = self.coefficients(cell).chunks_exact(cell.degrees[2] + 1);
        let mut most = f64::NEG_INFINITY;
        for x in &parts[0][..=cell.degrees[0]] {
            for y in &parts[1][..=cell.degrees[1]] {
                let Some(row) = rows.next() else { continue };
                let high = row.iter().zip(&parts[2]).fold(f64::NEG_INFINITY, |high, (value, z)| {
                    let height = z - mu * value;
                    if height > high { height } else { high }
                });
                most = most.max(x + y + high);
            }
        }
        let center = cell.center();
        let corner = local.dot(center) + 0.5 * widths.dot(local.abs());
        let size =
            cell.low.abs().max(cell.high.abs()).max_element() + self.pose.translation().abs().max_element();
        let lost = HEIGHT_ERROR_REL * (size + mu.abs() * cell.largest) + mu.abs() * cell.error;
        // Written so that NaN leaves the box.
        if most + lost < corner { (most + shift, lost) } else { (corner + shift, HEIGHT_ERROR_REL * size) }
    }

    /// The multiple of the polynomial that takes the slope along its gradient off a height.
    fn multiplier(&self, cell: &LevelCell, local: DVec3) -> f64 {
        let square = cell.slopes.length_squared();
        if square > 0.0 { cell.slopes.dot(local) / square } else { 0.0 }
    }

    /// How much a cut across each coordinate promises.
    pub(super) fn promise(&self, cell: &LevelCell, along: DVec3, length_share: f64) -> [f64; 3] {
        let local = self.pose.rotate_inverse(along);
        let tilted = local - self.multiplier(cell, local) * cell.slopes;
        let widths = cell.widths();
        let size = cell.low.abs().max(cell.high.abs()).max_element();
        // A polynomial that cannot be told from zero is no better known in parts of the cell.
        let known = cell.largest > NOISE_ERRORS * cell.error;
        [0, 1, 2].map(|axis| {
            let wide = known && !cell.fixed[axis] && widths[axis] > 4.0 * f64::EPSILON * size;
            if wide { widths[axis] * (tilted[axis].abs() + length_share) } else { 0.0 }
        })
    }

    /// Cells made so far.
    pub(super) fn cell_count(&self) -> usize {
        self.memory.cells.len()
    }

    /// The box that the surface is in.
    pub(super) fn within(&self) -> &Aabb<3> {
        self.surface.within()
    }
}

fn middle_of(value: Interval) -> f64 {
    0.5 * value.low() + 0.5 * value.high()
}

/// Replaces a row of Bernstein coefficients by those of its low or high half. What each level of blends rounds away is told
/// exactly: most polynomials have short coefficients, and near a point where the gradient vanishes every digit counts.
fn halve(row: &mut [f64], stride: usize, degree: usize, high: bool, lost: &mut [f64; MOST_ROWS]) {
    for (level, lost) in lost.iter_mut().enumerate().take(degree + 1).skip(1) {
        let mut most = 0.0_f64;
        let mut mean = |one: f64, other: f64| {
            // The error of a sum (Knuth); halving is exact.
            let sum = one + other;
            let from_other = sum - one;
            let error = (one - (sum - from_other)) + (other - from_other);
            most = most.max(0.5 * error.abs());
            0.5 * sum
        };
        if high {
            for i in 0..=degree - level {
                row[i * stride] = mean(row[i * stride], row[(i + 1) * stride]);
            }
        } else {
            for i in (level..=degree).rev() {
                row[i * stride] = mean(row[(i - 1) * stride], row[i * stride]);
            }
        }
        *lost = lost.max(most);
    }
}

/// Which part of a row of coefficients is asked for.
#[derive(Clone, Copy)]
pub(super) enum Half {
    /// From 0 to a parameter.
    Low(f64),
    /// From a parameter to 1.
    High(f64),
}

/// Replaces a row of Bernstein coefficients by those over a part, or over more than the whole.
pub(super) fn blend(row: &mut [f64], stride: usize, degree: usize, part: Half) {
    for level in 1..=degree {
        match part {
            Half::Low(t) => {
                for i in (level..=degree).rev() {
                    row[i * stride] = (1.0 - t) * row[(i - 1) * stride] + t * row[i * stride];
                }
            }
            Half::High(t) => {
                for i in 0..=degree - level {
                    row[i * stride] = (1.0 - t) * row[i * stride] + t * row[(i + 1) * stride];
                }
            }
        }
    }
}
