//! The zero set of a polynomial inside a box: a point on each of its sheets.
//!
//! Source: subdivision with Bernstein bounds; bisection between corners of different signs.
//! Differs: a cell is settled once the polynomial is proved to have no zero in it, or once corners of both signs
//! prove one and a partial derivative is proved to have none, so that the surface is smooth there.
//! Ends because: cells are split at most [`MOST_DEPTH`] times and at most [`MOST_CELLS`] are looked at, fewer of
//! high degree.
//! Cost: proportional to the area of the surface over that of a cell; a few ms for a torus.
//! Not promised: that two sheets that meet the same or neighbouring cells are told apart; a sheet may be given
//! more than one point.

use super::{AlgebraicError, Polynomial};
use crate::bound::Aabb;
use crate::surface::unit;
use crate::tolerance::SINGULAR_REL;
use glam::DVec3;
use std::collections::BTreeMap;

/// Halvings of the box in each direction.
const MOST_DEPTH: u32 = 8;

/// Halvings before a smooth cell is settled.
const LEAST_DEPTH: u32 = 3;

/// Cells looked at, and how many at least where each is costly.
const MOST_CELLS: usize = 40_000;
const LEAST_CELLS: usize = 512;

/// Coefficients looked at, all cells together: a second or so.
const MOST_COEFFICIENTS: usize = 2_000_000;

/// Halvings of a segment between a positive and a negative point.
const BISECTIONS: usize = 80;

/// Steps of the search for a zero with vanishing gradient.
const DESCENTS: usize = 60;

/// A connected part of the surface, as far as the cells tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// A point of it, to rounding.
    pub point: DVec3,
    /// Unit gradient there.
    pub normal: DVec3,
}

/// The real zero set of a polynomial inside a box; the box's walls do not count.
///
/// ```
/// use clearance_geometry::{algebraic::AlgebraicSurface, bound::Aabb};
/// let within = Aabb { low: [-4.0; 3], high: [4.0; 3] };
/// let two = AlgebraicSurface::new("x^2 - y^2 - z^2 - 1".parse()?, within)?;
/// assert_eq!(two.sheets().len(), 2);
/// # Ok::<(), clearance_geometry::algebraic::AlgebraicError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AlgebraicSurface {
    polynomial: Polynomial,
    within: Aabb<3>,
    sheets: Vec<Sheet>,
    singular: Vec<DVec3>,
    undecided: usize,
}

/// A cell of the subdivision, with the signs at its corners.
#[derive(Clone, Copy, Debug)]
struct Cell {
    place: Aabb<3>,
    depth: u32,
    /// A corner where the polynomial is not negative, and one where it is.
    ends: Option<[DVec3; 2]>,
}

impl AlgebraicSurface {
    /// Searches the box.
    ///
    /// # Errors
    /// When the box is not finite or flat, when the zero set is proved empty, when every zero found is singular,
    /// and when nothing could be decided.
    pub fn new(polynomial: Polynomial, within: Aabb<3>) -> Result<Self, AlgebraicError> {
        for axis in 0..3 {
            let (low, high) = (within.low[axis], within.high[axis]);
            // Written so that NaN is refused.
            if !(low < high && low.is_finite() && high.is_finite()) {
                return Err(AlgebraicError::BadBox { axis });
            }
        }
        let gradient = [0, 1, 2].map(|axis| polynomial.derivative(axis));
        let found = settle(&polynomial, &gradient, within);
        if found.smooth.is_empty() && found.rough.is_empty() && found.undecided.is_empty() {
            return Err(AlgebraicError::Empty);
        }
        let singular = singular_points(&polynomial, &within, &found);
        let sheets = sheets(&polynomial, &within, &found);
        if sheets.is_empty() {
            return Err(match singular.first() {
                Some(at) => AlgebraicError::Singular { at: at.to_array() },
                None => AlgebraicError::Undecided { cells: found.undecided.len() + found.rough.len() },
            });
        }
        let undecided = found.undecided.len();
        Ok(Self { polynomial, within, sheets, singular, undecided })
    }

    /// The polynomial.
    pub const fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }

    /// The box.
    pub const fn within(&self) -> &Aabb<3> {
        &self.within
    }

    /// A point on each sheet.
    pub fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// Zeros at which the gradient vanishes, one for each group of cells: apexes, self-crossings, isolated points.
    pub fn singular_points(&self) -> &[DVec3] {
        &self.singular
    }

    /// Cells in which a zero was neither proved nor excluded; 0 where the search is complete.
    pub const fn undecided_cells(&self) -> usize {
        self.undecided
    }

    /// The nearest zero along the gradient, by Newton steps from `start`; `None` where they do not converge inside
    /// the box.
    pub fn refine(&self, start: DVec3) -> Option<DVec3> {
        let mut point = start;
        let mut best = f64::INFINITY;
        for _ in 0..DESCENTS {
            let jet = self.polynomial.jet(point);
            let square = jet.gradient.length_squared();
            if jet.value == 0.0 {
                break;
            }
            if !(jet.value.abs() < best && square > 0.0) {
                // No closer than before: rounding, if the last step was as small.
                return (best < f64::INFINITY && self.within.contains(point.to_array())).then_some(point);
            }
            best = jet.value.abs();
            let step = jet.gradient * (jet.value / square);
            if point - step == point {
                break;
            }
            point -= step;
        }
        self.within.contains(point.to_array()).then_some(point)
    }
}

/// What became of the cells.
#[derive(Default)]
struct Found {
    /// A zero is in it, and the surface is smooth.
    smooth: Vec<Cell>,
    /// A zero is in it, but the gradient may vanish.
    rough: Vec<Cell>,
    /// A zero may be in it.
    undecided: Vec<Cell>,
}

fn settle(polynomial: &Polynomial, gradient: &[Polynomial; 3], within: Aabb<3>) -> Found {
    let mut found = Found::default();
    let mut level = vec![Cell { place: within, depth: 0, ends: None }];
    let mut looked_at = 0;
    let limit = (MOST_COEFFICIENTS / polynomial.coefficient_count()).clamp(LEAST_CELLS, MOST_CELLS);
    while !level.is_empty() {
        let mut next = Vec::new();
        for mut cell in level {
            looked_at += 1;
            let range = polynomial.range(&cell.place);
            if range.low() > 0.0 || range.high() < 0.0 {
                continue;
            }
            cell.ends = ends(polynomial, &cell.place);
            let last = cell.depth >= MOST_DEPTH || looked_at + next.len() >= limit;
            let settled = cell.ends.is_some() && (last || cell.depth >= LEAST_DEPTH);
            let smooth = settled
                && gradient.iter().any(|g| {
                    let range = g.range(&cell.place);
                    range.low() > 0.0 || range.high() < 0.0
                });
            if smooth {
                found.smooth.push(cell);
            } else if last {
                let list = if cell.ends.is_some() { &mut found.rough } else { &mut found.undecided };
                list.push(cell);
            } else {
                next.extend(halves(&cell));
            }
        }
        level = next;
    }
    found
}

/// The eight parts of a cell.
fn halves(cell: &Cell) -> impl Iterator<Item = Cell> {
    let (place, middle, depth) = (cell.place, cell.place.center(), cell.depth + 1);
    (0..8).map(move |k| {
        let mut part = place;
        for (axis, &cut) in middle.iter().enumerate() {
            if k >> axis & 1 == 0 {
                part.high[axis] = cut;
            } else {
                part.low[axis] = cut;
            }
        }
        Cell { place: part, depth, ends: None }
    })
}

fn corner(place: &Aabb<3>, k: usize) -> DVec3 {
    let end = |axis: usize| if k >> axis & 1 == 0 { place.low[axis] } else { place.high[axis] };
    DVec3::new(end(0), end(1), end(2))
}

/// Two corners with different signs.
fn ends(polynomial: &Polynomial, place: &Aabb<3>) -> Option<[DVec3; 2]> {
    let (mut above, mut below) = (None, None);
    for k in 0..8 {
        let point = corner(place, k);
        let value = polynomial.value(point);
        if value >= 0.0 {
            above = above.or(Some(point));
        } else if value < 0.0 {
            below = below.or(Some(point));
        }
    }
    Some([above?, below?])
}

/// One point for each group of neighbouring cells that hold a zero.
fn sheets(polynomial: &Polynomial, within: &Aabb<3>, found: &Found) -> Vec<Sheet> {
    let cells: Vec<Cell> = found.smooth.iter().chain(&found.rough).copied().collect();
    let mut sheets = Vec::new();
    for group in groups(&cells, within) {
        let points = group.iter().filter_map(|&i| {
            let point = bisect(polynomial, cells[i].ends?);
            let gradient = polynomial.jet(point).gradient;
            (!is_singular(polynomial, within, point)).then_some((point, unit(gradient)?))
        });
        // The steepest, which is the best known.
        let steep = |p: &(DVec3, DVec3)| polynomial.jet(p.0).gradient.length();
        let best = points.take(MOST_TRIED).max_by(|a, b| steep(a).total_cmp(&steep(b)));
        sheets.extend(best.map(|(point, normal)| Sheet { point, normal }));
    }
    sheets
}

/// Cells of a group whose points are compared.
const MOST_TRIED: usize = 16;

/// A zero between a point where the polynomial is not negative and one where it is.
fn bisect(polynomial: &Polynomial, [mut above, mut below]: [DVec3; 2]) -> DVec3 {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (above + below);
        if middle == above || middle == below {
            break;
        }
        if polynomial.value(middle) >= 0.0 {
            above = middle;
        } else {
            below = middle;
        }
    }
    // The end where the value is smaller.
    if polynomial.value(above) <= -polynomial.value(below) { above } else { below }
}

/// Whether the gradient at a point is as good as zero: against what the polynomial's terms make of it over the box.
fn is_singular(polynomial: &Polynomial, within: &Aabb<3>, point: DVec3) -> bool {
    let jet = polynomial.jet(point);
    let size = within.half_extents().max_element();
    let turning = jet.hessian.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // Written so that NaN and a vanishing polynomial are singular.
    !(jet.gradient.length() > SINGULAR_REL * turning * size)
}

/// Zeros with vanishing gradient near the cells that could not be settled.
fn singular_points(polynomial: &Polynomial, within: &Aabb<3>, found: &Found) -> Vec<DVec3> {
    let cells: Vec<Cell> = found.rough.iter().chain(&found.undecided).copied().collect();
    let mut points = Vec::new();
    for group in groups(&cells, within) {
        let place = group.iter().fold(Aabb::EMPTY, |all, &i| all.joined(&cells[i].place));
        // A cell's width of room: the point may lie on the border of its group.
        let first = cells[group[0]].place;
        let near = place.inflated(2.0 * first.half_extents().max_element());
        let spread = group.iter().step_by(group.len().div_ceil(MOST_TRIED));
        let starts = spread.map(|&i| DVec3::from_array(cells[i].place.center()));
        let mut found = starts.filter_map(|start| critical_zero(polynomial, within, start));
        points.extend(found.find(|point| near.contains(point.to_array())));
    }
    points
}

/// Newton steps to a zero, then to a point where the gradient vanishes (by least squares where they are many), kept if the
/// polynomial does too.
fn critical_zero(polynomial: &Polynomial, within: &Aabb<3>, start: DVec3) -> Option<DVec3> {
    let mut point = start;
    let size = within.half_extents().max_element();
    // Towards a zero first: each step halves the distance from a double one.
    for _ in 0..DESCENTS {
        let jet = polynomial.jet(point);
        let step = jet.gradient * (jet.value / jet.gradient.length_squared());
        if !(step.length() > SINGULAR_REL * size && step.is_finite()) {
            break;
        }
        point -= step;
    }
    for _ in 0..DESCENTS {
        let jet = polynomial.jet(point);
        let square = jet.hessian * jet.hessian;
        let trace = square.x_axis.x + square.y_axis.y + square.z_axis.z;
        // Damped, so that whole curves and surfaces of such points are no obstacle.
        let damped = square + glam::DMat3::from_diagonal(DVec3::splat(trace * SINGULAR_REL));
        let step = damped.inverse() * (jet.hessian * jet.gradient);
        if !step.is_finite() {
            break;
        }
        point -= step;
        if step.length() <= f64::EPSILON * size {
            break;
        }
    }
    let jet = polynomial.jet(point);
    let turning = jet.hessian.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let zero = jet.value.abs() <= SINGULAR_REL * turning * size * size;
    (zero && within.contains(point.to_array()) && is_singular(polynomial, within, point)).then_some(point)
}

/// Fine cells along the side of a bucket, in which cells that touch are looked for.
const BUCKET: i32 = 8;

/// Cells that touch each other, directly or through others.
fn groups(cells: &[Cell], within: &Aabb<3>) -> Vec<Vec<usize>> {
    // Places are counted in steps of the finest grid.
    let mut parent: Vec<usize> = (0..cells.len()).collect();
    let steps = f64::from(1 << MOST_DEPTH);
    let index = |x: f64, axis: usize| {
        ((x - within.low[axis]) / (within.high[axis] - within.low[axis]) * steps).round() as i32
    };
    let spans: Vec<[[i32; 2]; 3]> = cells
        .iter()
        .map(|cell| {
            [0, 1, 2].map(|axis| [cell.place.low[axis], cell.place.high[axis]].map(|x| index(x, axis)))
        })
        .collect();
    let mut buckets: BTreeMap<[i32; 3], Vec<usize>> = BTreeMap::new();
    for (i, span) in spans.iter().enumerate() {
        let [x, y, z] = span.map(|[low, high]| low / BUCKET..=high / BUCKET);
        for x in x {
            for y in y.clone() {
                for z in z.clone() {
                    buckets.entry([x, y, z]).or_default().push(i);
                }
            }
        }
    }
    for bucket in buckets.values() {
        for (k, &i) in bucket.iter().enumerate() {
            for &j in &bucket[k + 1..] {
                if spans[i].iter().zip(&spans[j]).all(|(a, b)| a[0] <= b[1] && b[0] <= a[1]) {
                    let (a, b) = (root(&mut parent, i), root(&mut parent, j));
                    // The smaller is the root, so that groups come in order of their first cell.
                    parent[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    for i in 0..cells.len() {
        groups[root(&mut parent, i)].push(i);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
