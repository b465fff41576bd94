//! What of two cells may hold points closer than the nearest ones known: a smaller rectangle of each.
//!
//! Source: Bézier clipping (Sederberg and Nishita): coefficients of a height, as points over their parameters, have a convex hull
//! that crosses a level no farther in than the height itself.
//! Differs: heights are along the slab between two cells, and the level is that at which points are as far apart as the nearest ones
//! known, so that what is cut off is settled. Homogeneous coefficients make one formula of polynomial and rational cells.
//! Ends because: loops run over control points.
//! Cost: one product for each control point, and two de Casteljau cuts for each parameter that is shaved.
//! Not promised: the smallest rectangle.

use super::halve::restrict;
use super::search::{Search, Waiting};
use super::side::{Cell, NONE, Part, Side};
use super::slab::Slab;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3, DVec4};

/// The share of a parameter's range that is worth keeping apart from the rest.
const WORTH: f64 = 0.8;

/// Parameters of cells that are worth shaving run over more than this; their size is so many times their rounding.
const LEAST_WIDTH: f64 = 1024.0 * f64::EPSILON;
const LEAST_SLACKS: f64 = 1024.0;

/// Highest degree of cells that are shaved.
const MOST_DEGREE: usize = 8;

/// What of a cell's parameters matters.
#[derive(Clone, Copy, Debug)]
struct Kept {
    low: DVec2,
    high: DVec2,
}

impl Kept {
    const ALL: Self = Self { low: DVec2::ZERO, high: DVec2::ONE };

    fn share(&self, axis: usize) -> f64 {
        (self.high[axis] - self.low[axis]).max(0.0)
    }

    /// Whether nothing matters.
    fn is_empty(&self) -> bool {
        !(self.volume() > 0.0)
    }

    fn volume(&self) -> f64 {
        self.share(0) * self.share(1)
    }

    /// The same without shaving a parameter of which most is left.
    fn worth(mut self) -> Self {
        for axis in 0..2 {
            if !(self.share(axis) < WORTH) {
                (self.low[axis], self.high[axis]) = (0.0, 1.0);
            }
        }
        self
    }
}

/// What of two cells matters, and how far they are apart along the direction that tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearParts {
    kept: [Kept; 2],
    pub(super) slab: Slab,
}

impl NearParts {
    /// How much of all pairs of points that is.
    pub(super) fn share(&self) -> f64 {
        self.kept[0].volume() * self.kept[1].volume()
    }
}

impl Side<'_> {
    /// The parameters of a cell over which it may be higher than `level` along a unit direction.
    fn above(&self, cell: &Cell, along: DVec3, level: f64) -> Kept {
        let [p, q] = cell.degrees;
        if p.max(q) > MOST_DEGREE {
            return Kept::ALL;
        }
        let net = self.net(cell);
        let mut kept = Kept::ALL;
        let [of_u, of_v] = match cell.degrees {
            [3, 3] => most_over::<4, 4>(net, [4, 4], along, level),
            [3, 0] => most_over::<4, 1>(net, [4, 1], along, level),
            _ => most_over::<0, 0>(net, [p + 1, q + 1], along, level),
        };
        for (axis, of) in [&of_u[..=p], &of_v[..=q]].into_iter().enumerate().take(cell.dimension) {
            kept.low[axis] = if of[0] > 0.0 { 0.0 } else { first_above(of) };
            if !(of[of.len() - 1] > 0.0) {
                let mut back = [0.0; MOST_DEGREE + 1];
                back.iter_mut().zip(of.iter().rev()).for_each(|(to, from)| *to = *from);
                kept.high[axis] = 1.0 - first_above(&back[..of.len()]);
            }
        }
        kept
    }

    /// A part of a cell, by its own parameters.
    fn part(&mut self, at: u32, kept: &Kept) -> u32 {
        let cell = *self.cell(at);
        let start = self.memory.net.len();
        let from = cell.start as usize;
        self.memory.net.extend_from_within(from..from + cell.count as usize);
        let size = cell.high - cell.low;
        let mut part = Cell {
            start: start as u32,
            // No less than what the net is of: parameters round too.
            low: (cell.low + size * kept.low - f64::EPSILON).max(cell.low),
            high: (cell.low + size * kept.high + f64::EPSILON).min(cell.high),
            halves: [[NONE; 2]; 2],
            first: NONE,
            derivatives: NONE,
            middle: NONE,
            ..cell
        };
        let mut blends = 0;
        for axis in 0..cell.dimension {
            if kept.share(axis) < 1.0 {
                blends += restrict(
                    &mut self.memory.net[start..],
                    cell.degrees,
                    axis,
                    [kept.low[axis], kept.high[axis]],
                );
            } else {
                (part.low[axis], part.high[axis]) = (cell.low[axis], cell.high[axis]);
            }
        }
        self.finish_part(part, blends)
    }
}

/// Coefficients of a height over a level, by each parameter the greatest.
#[inline(always)]
fn most_over<const ROWS: usize, const COLUMNS: usize>(
    net: &[DVec4],
    counts: [usize; 2],
    along: DVec3,
    level: f64,
) -> [[f64; MOST_DEGREE + 1]; 2] {
    let [rows, columns] = if ROWS > 0 { [ROWS, COLUMNS] } else { counts };
    let net = &net[..rows * columns];
    let mut most = [[f64::NEG_INFINITY; MOST_DEGREE + 1]; 2];
    for row in 0..rows {
        let mut of_row = f64::NEG_INFINITY;
        for column in 0..columns {
            let point = net[row * columns + column];
            let over = point.truncate().dot(along) - level * point.w;
            of_row = if over > of_row { over } else { of_row };
            most[1][column] = if over > most[1][column] { over } else { most[1][column] };
        }
        most[0][row] = of_row;
    }
    most
}

/// Where a polynomial of these Bernstein coefficients, of which the first is not, may first be above zero; 1 where it is not.
fn first_above(coefficients: &[f64]) -> f64 {
    let step = 1.0 / (coefficients.len() - 1) as f64;
    let mut first = 1.0_f64;
    for (i, above) in coefficients.iter().enumerate() {
        if *above <= 0.0 {
            continue;
        }
        for (j, below) in coefficients[..i].iter().enumerate() {
            let crossing = (j as f64 + (i - j) as f64 * (*below / (*below - *above))) * step;
            // Those from above zero on are behind it.
            first = if *below <= 0.0 && crossing < first { crossing } else { first };
        }
    }
    // A quotient and two products, each a rounding.
    (first - 8.0 * f64::EPSILON).max(0.0)
}

impl Search<'_> {
    /// What of a pair of cells may hold points nearer than those known, along the unit vector from one to the other.
    pub(super) fn near_parts(&self, [a, b]: [u32; 2], normal: DVec3) -> Option<NearParts> {
        let most = self.upper();
        let (of_a, of_b) = (self.a.cell(a), self.b.cell(b));
        // A checker knows of halves alone.
        if self.record.is_kept() || !most.is_finite() || !(is_wide(of_a) && is_wide(of_b)) {
            return None;
        }
        let (high, _) = self.a.height(Part::Cell(a), normal);
        let (low, _) = self.b.height(Part::Cell(b), -normal);
        let reach =
            of_a.center.abs().max_element() + of_b.center.abs().max_element() + of_a.radius + of_b.radius;
        // The direction is of unit length but for rounding.
        let lost = of_a.slack + of_b.slack + 4.0 * HEIGHT_ERROR_REL * (reach + most);
        // What is cut off is as far away as the points known, and farther by what features may be off.
        let far = most + lost + of_a.gap + of_b.gap;
        let kept = [
            self.a.above(of_a, normal, -low - far).worth(),
            self.b.above(of_b, -normal, -high - far).worth(),
        ];
        Some(NearParts { kept, slab: Slab { lower: -low - high - lost, normal } })
    }

    /// Leaves of a pair of cells what may hold nearer points.
    pub(super) fn shave(&mut self, [a, b]: [u32; 2], near: Option<NearParts>, pair: &Waiting) {
        let Some(NearParts { kept, .. }) = near else { return };
        self.aside = self.aside.min(self.upper());
        if kept.iter().any(Kept::is_empty) {
            return;
        }
        let parts = [
            Part::Cell(if kept[0].volume() < 1.0 { self.a.part(a, &kept[0]) } else { a }),
            Part::Cell(if kept[1].volume() < 1.0 { self.b.part(b, &kept[1]) } else { b }),
        ];
        let is_outside =
            |side: &Side, part: Part| matches!(part, Part::Cell(at) if side.cell(at).cover == Cover::Outside);
        if !(is_outside(&self.a, parts[0]) || is_outside(&self.b, parts[1])) {
            self.push(parts, Some(&pair.slab), pair.mark);
        }
    }
}

impl Search<'_> {
    /// Leaves of a cell beside the whole of a convex body (0: A, 1: B) what may hold nearer points, if that is much less; whether it
    /// did.
    pub(super) fn shave_beside(&mut self, body: usize, at: u32, pair: &Waiting) -> bool {
        let most = self.upper();
        let toward = if body == 0 { pair.slab.normal } else { -pair.slab.normal };
        let (side, whole) = if body == 0 { (&mut self.b, &self.a) } else { (&mut self.a, &self.b) };
        let cell = *side.cell(at);
        if !(most.is_finite() && is_wide(&cell)) {
            return false;
        }
        let (height, lost) = whole.height(Part::Node(0), toward);
        let reach = cell.center.abs().max_element() + cell.radius + height.abs();
        let lost = lost + cell.slack + 4.0 * HEIGHT_ERROR_REL * (reach + most);
        let kept = side.above(&cell, -toward, -height - most - lost - cell.gap).worth();
        if !(kept.volume() < 1.0) {
            return false;
        }
        if kept.is_empty() {
            self.aside = self.aside.min(most);
            return true;
        }
        let part = side.part(at, &kept);
        let is_outside = side.cell(part).cover == Cover::Outside;
        self.aside = self.aside.min(most);
        let part = Part::Cell(part);
        if !is_outside {
            let parts = if body == 0 { [Part::Node(0), part] } else { [part, Part::Node(0)] };
            self.push(parts, Some(&pair.slab), pair.mark);
        }
        true
    }
}

/// Whether a cell is far from the end of numbers.
fn is_wide(cell: &Cell) -> bool {
    let wide = |axis: usize| cell.high[axis] - cell.low[axis] > LEAST_WIDTH;
    cell.dimension == 0 || (0..cell.dimension).all(wide) && cell.radius > LEAST_SLACKS * cell.slack
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    /// No polynomial is above zero before the place that its coefficients tell.
    #[test]
    fn nothing_is_above_zero_before_the_crossing() {
        let mut random = Random::new(10);
        for _ in 0..2_000 {
            let mut coefficients = [0; 4].map(|_| random.unit() - 0.5);
            coefficients[0] = -random.unit();
            let first = first_above(&coefficients);
            let value = |t: f64| {
                let s = 1.0 - t;
                let [a, b, c, d] = coefficients;
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            assert!(
                (0..=64).all(|k| value(first * f64::from(k) / 64.0) <= 1e-15),
                "{coefficients:?} {first}"
            );
        }
    }
}
