//! The zero set in a box as a graph over two of the coordinates, with bounds on its derivatives.
//!
//! Source: the implicit function theorem: where ∂f/∂z has one sign, z = φ(x, y), φ_x = −f_x / f_z and on in the same way.
//! Differs: bounds come from differences of Bernstein coefficients. Slopes are bounded over the box itself. For convexity the
//! graph must go on over the whole rectangle of its parameters, so that the box is made higher by what the graph may climb.
//! Ends because: loops run over coefficients; at most [`ROOT_STEPS`] steps to a zero.
//! Cost: a pass over the coefficients for each derivative.
//! Not promised: a graph near points where the gradient vanishes; there a point stands for the box.

use super::derivatives::{Ball, Derivatives};
use super::level::{Half, LevelCell, LevelSide, blend};
use super::level_range::Range;
use super::side::NONE;
use crate::tolerance::{LEVEL_NOISE_REL, LEVEL_VALUE_REL, LEVEL_ZERO_REL, UNIT_ROUNDOFF_REL};
use clearance_geometry::bound::Aabb;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// Newton steps to the zero above a point of the rectangle.
const ROOT_STEPS: usize = 30;

/// Halvings of a segment between a positive and a negative corner.
const BISECTIONS: usize = 60;

/// Share that a box is made higher beyond what the slopes over it ask for, since slopes grow with it.
const CLIMB_SHARE: f64 = 0.25;

/// Heights of a box beyond which a descent does not follow its graph.
const FOLLOWED: f64 = 8.0;

/// Widths of a cell that a descent may go beyond it.
const BESIDE: f64 = 2.0;

/// The zero set in a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Number of parameters; 0 where a point stands for the cell.
    pub(super) dimension: usize,
    /// Coordinates that are the parameters.
    over: [usize; 2],
    /// The coordinate that is a function of them.
    along: usize,
    /// The point that stands for the cell, and whether it is a zero.
    pub(super) point: DVec3,
    pub(super) is_zero: bool,
    /// First derivatives over the cell; second ones are left out.
    pub(super) near: Derivatives,
    wide: Wide,
}

impl Shape {
    /// The rectangle of parameters that a descent may use: the cell and as much on each side, within the walls.
    pub(super) fn room(&self, cell: &LevelCell, within: &Aabb<3>) -> [DVec2; 2] {
        let (mut low, mut high) = (DVec2::ZERO, DVec2::ONE);
        for (k, &axis) in self.over[..self.dimension].iter().enumerate() {
            let width = cell.high[axis] - cell.low[axis];
            low[k] = ((within.low[axis] - cell.low[axis]) / width).clamp(-BESIDE, 0.0);
            high[k] = ((within.high[axis] - cell.low[axis]) / width).clamp(1.0, 1.0 + BESIDE);
        }
        [low, high]
    }
}

/// A graph over the whole rectangle.
#[derive(Clone, Copy, Debug)]
enum Wide {
    Unknown,
    None,
    /// Its derivatives, and how far it may leave the box.
    Known(Derivatives, f64),
}

/// Coefficients over a box.
struct Net<'a> {
    values: &'a [f64],
    degrees: [usize; 3],
    strides: [usize; 3],
    widths: DVec3,
    error: f64,
    largest: f64,
}

impl Net<'_> {
    /// A bound on a derivative of first order, or of second order where a second coordinate is given.
    fn derivative(&self, first: usize, second: Option<usize>) -> Range {
        let mut orders = [0; 3];
        orders[first] += 1;
        if let Some(second) = second {
            orders[second] += 1;
        }
        if (0..3).any(|axis| orders[axis] > self.degrees[axis]) {
            return Range::point(0.0);
        }
        let rows = [0, 1, 2].map(|axis| self.degrees[axis] - orders[axis]);
        let s = self.strides;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..=rows[0] {
            for j in 0..=rows[1] {
                for k in 0..=rows[2] {
                    let at = i * s[0] + j * s[1] + k * s[2];
                    let v = |by: usize| self.values[at + by];
                    let value = match second {
                        None => v(s[first]) - v(0),
                        Some(second) => (v(s[first] + s[second]) - v(s[first])) - (v(s[second]) - v(0)),
                    };
                    (low, high) = (low.min(value), high.max(value));
                }
            }
        }
        let degree = |axis: usize| self.degrees[axis] as f64 / self.widths[axis];
        let factor = match second {
            None => degree(first),
            Some(second) if second == first => {
                degree(first) * (self.degrees[first] - 1) as f64 / self.widths[first]
            }
            Some(second) => degree(first) * degree(second),
        };
        let terms = if second.is_some() { 4.0 } else { 2.0 };
        let lost = terms * (self.error + UNIT_ROUNDOFF_REL * 2.0 * self.largest);
        Range::new(low - lost, high + lost) * Range::point(factor)
    }
}

impl LevelSide<'_> {
    /// The shape of a cell.
    pub(super) fn shape(&mut self, at: u32) -> Shape {
        let cell = *self.cell(at);
        if cell.shape != NONE {
            return self.memory.shapes[cell.shape as usize];
        }
        let shape = self.graph(&cell).unwrap_or_else(|| self.stand_in(&cell));
        self.set_shape(at, shape);
        shape
    }

    /// The cell as a graph along the coordinate that the polynomial changes most with.
    fn graph(&self, cell: &LevelCell) -> Option<Shape> {
        let steep = |axis: usize| if cell.fixed[axis] { -1.0 } else { cell.slopes[axis].abs() };
        let along = (0..3).fold(0, |best, axis| if steep(axis) > steep(best) { axis } else { best });
        let mut others = (0..3).filter(|&axis| axis != along && !cell.fixed[axis]);
        let first = others.next()?;
        let second = others.next();
        let net = self.net(cell);
        let climb = net.derivative(along, None);
        if climb.contains_zero() {
            return None;
        }
        let mut shape = Shape {
            dimension: 1 + usize::from(second.is_some()),
            over: [first, second.unwrap_or(first)],
            along,
            point: cell.middle,
            is_zero: false,
            near: Derivatives::default(),
            wide: Wide::Unknown,
        };
        for k in 0..shape.dimension {
            let slope = -(net.derivative(shape.over[k], None) / climb);
            shape.near.first[k] = tangent(shape.over[k], along, slope, net.widths);
        }
        Some(shape)
    }

    fn net(&self, cell: &LevelCell) -> Net<'_> {
        Net {
            values: self.coefficients(cell),
            degrees: cell.degrees,
            strides: cell.strides(),
            widths: cell.widths(),
            error: cell.error,
            largest: cell.largest,
        }
    }

    /// A point for a cell that is no graph: a zero where one is known.
    fn stand_in(&self, cell: &LevelCell) -> Shape {
        let zero = self.known_zero(cell);
        Shape {
            dimension: 0,
            over: [0; 2],
            along: 0,
            point: zero.unwrap_or(cell.middle),
            is_zero: zero.is_some(),
            near: Derivatives::default(),
            wide: Wide::None,
        }
    }

    /// A zero in a cell, or as close to it as its size: a singular one, or one between two points of different signs.
    fn known_zero(&self, cell: &LevelCell) -> Option<DVec3> {
        let inside = |p: &DVec3| p.cmpge(cell.low).all() && p.cmple(cell.high).all();
        if let Some(point) = self.surface.singular_points().iter().find(|p| inside(p)) {
            return Some(*point);
        }
        // A cusp has both signs on one side only: among the corners of neighbours there may be both where in the cell there
        // are not.
        let (within, widths) = (self.within(), cell.widths());
        let low = (cell.low - widths).max(DVec3::from_array(within.low));
        let high = (cell.high + widths).min(DVec3::from_array(within.high));
        self.zero_between(&[cell.low, cell.high])
            .or_else(|| self.zero_between(&[cell.low, cell.high, low, high]))
    }

    /// A zero between two points of a grid where the polynomial has different signs that rounding cannot have made.
    fn zero_between(&self, grid: &[DVec3]) -> Option<DVec3> {
        let count = grid.len();
        let corner =
            |k: usize| DVec3::new(grid[k % count].x, grid[k / count % count].y, grid[k / count / count].z);
        let polynomial = self.surface.polynomial();
        let signed = |sign: f64| {
            (0..count.pow(3)).map(corner).find(|p| {
                let [value, _, terms] = polynomial.value_and_slope(*p, 0);
                sign * value > LEVEL_VALUE_REL * terms
            })
        };
        let (mut above, mut below) = (signed(1.0)?, signed(-1.0)?);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (above + below);
            if polynomial.value(middle) >= 0.0 {
                above = middle;
            } else {
                below = middle;
            }
        }
        Some(above)
    }

    /// Derivatives of the graph over the whole rectangle of a cell, first and second.
    pub(super) fn wide(&mut self, at: u32) -> Option<Derivatives> {
        let shape = self.shape(at);
        let place = self.cell(at).shape as usize;
        if matches!(shape.wide, Wide::Unknown) {
            let cell = *self.cell(at);
            let found = self.widened(&cell, &shape);
            self.memory.shapes[place].wide = found.map_or(Wide::None, |(d, margin)| Wide::Known(d, margin));
        }
        match self.memory.shapes[place].wide {
            Wide::Known(derivatives, _) => Some(derivatives),
            _ => None,
        }
    }

    fn widened(&self, cell: &LevelCell, shape: &Shape) -> Option<(Derivatives, f64)> {
        let (along, widths) = (shape.along, cell.widths());
        let over = &shape.over[..shape.dimension];
        let climbs = |d: &Derivatives| -> f64 {
            (0..over.len()).map(|k| d.first[k].center[along].abs() + d.first[k].radius).sum()
        };
        // Parameters run over the cell, so that derivatives are lengths.
        let margin = climbs(&shape.near) * (1.0 + CLIMB_SHARE);
        let more = margin / widths[along];
        let degree = cell.degrees[along];
        let mut values = self.coefficients(cell).to_vec();
        let stride = cell.strides()[along];
        for first in 0..values.len() {
            if (first / stride).is_multiple_of(degree + 1) {
                blend(&mut values[first..], stride, degree, Half::High(-more));
                // From −more … 1 to −more … 1 + more.
                blend(&mut values[first..], stride, degree, Half::Low((1.0 + 2.0 * more) / (1.0 + more)));
            }
        }
        let growth = (1.0 + 2.0 * more).powi(2 * degree as i32);
        let error = growth * (cell.error + 4.0 * degree as f64 * f64::EPSILON * cell.largest);
        let largest = growth * cell.largest;
        let mut taller = widths;
        taller[along] *= 1.0 + 2.0 * more;
        let net = Net {
            values: &values,
            degrees: cell.degrees,
            strides: cell.strides(),
            widths: taller,
            error,
            largest,
        };
        let climb = net.derivative(along, None);
        if climb.contains_zero() {
            return None;
        }
        let found = derivatives(&net, over, along, climb, widths);
        (climbs(&found) <= margin).then_some((found, margin))
    }

    /// The point of the zero set over parameters, with derivatives in the frame of A; NaN where there is none near the box.
    /// `strict` where it must not leave what the derivatives of the graph are about.
    pub(super) fn jet(&self, cell: &LevelCell, shape: &Shape, local: DVec2, strict: bool) -> SurfaceJet {
        if shape.dimension == 0 {
            return SurfaceJet { point: self.pose.apply(shape.point), ..SurfaceJet::default() };
        }
        let none = SurfaceJet { point: DVec3::NAN, ..SurfaceJet::default() };
        let (along, widths) = (shape.along, cell.widths());
        let over = &shape.over[..shape.dimension];
        let mut p = cell.middle;
        for (k, &axis) in over.iter().enumerate() {
            p[axis] =
                if local[k] == 1.0 { cell.high[axis] } else { cell.low[axis] + widths[axis] * local[k] };
            p[along] -= cell.slopes[axis] / cell.slopes[along] * (p[axis] - cell.middle[axis]);
        }
        let room = match shape.wide {
            Wide::Known(_, margin) if strict => margin,
            _ => FOLLOWED * widths.max_element(),
        };
        let Some(p) = self.zero_along(p, along, [cell.low[along] - room, cell.high[along] + room]) else {
            return none;
        };
        let jet = self.surface.polynomial().jet(p);
        let (g, h) = (jet.gradient, jet.hessian);
        let up = DVec3::AXES[along];
        let slope = |i: usize| -g[i] / g[along];
        let bend = |i: usize, j: usize| {
            let (a, b) = (slope(i), slope(j));
            -(h.col(i)[j] + h.col(i)[along] * b + h.col(j)[along] * a + h.col(along)[along] * a * b)
                / g[along]
        };
        let mut found = SurfaceJet { point: p, ..SurfaceJet::default() };
        let [i, j] = shape.over;
        found.u = (DVec3::AXES[i] + up * slope(i)) * widths[i];
        found.uu = up * bend(i, i) * (widths[i] * widths[i]);
        if shape.dimension == 2 {
            found.v = (DVec3::AXES[j] + up * slope(j)) * widths[j];
            found.uv = up * bend(i, j) * (widths[i] * widths[j]);
            found.vv = up * bend(j, j) * (widths[j] * widths[j]);
        }
        found.moved(&self.pose)
    }

    /// The zero along one coordinate, by Newton's method.
    fn zero_along(&self, start: DVec3, along: usize, [low, high]: [f64; 2]) -> Option<DVec3> {
        let mut p = start;
        let size = start.abs().max_element() + (high - low);
        let mut last = f64::INFINITY;
        for _ in 0..ROOT_STEPS {
            p[along] = p[along].clamp(low, high);
            let [value, slope, terms] = self.surface.polynomial().value_and_slope(p, along);
            let step = value / slope;
            if !step.is_finite() {
                return None;
            }
            let length = step.abs();
            p[along] -= step;
            if length <= 2.0 * f64::EPSILON * size || length >= 0.5 * last && length <= LEVEL_NOISE_REL * size
            {
                let certain = f64::EPSILON * terms <= LEVEL_ZERO_REL * size * slope.abs();
                return (certain && low <= p[along] && p[along] <= high).then_some(p);
            }
            last = length;
        }
        None
    }
}

/// A tangent e_i + φ_i e_k, for a parameter that runs from 0 to 1 over the cell.
fn tangent(over: usize, along: usize, slope: Range, widths: DVec3) -> Ball {
    let width = widths[over];
    Ball {
        center: (DVec3::AXES[over] + DVec3::AXES[along] * slope.middle()) * width,
        radius: slope.half_width() * width * (1.0 + 4.0 * f64::EPSILON) + 4.0 * f64::EPSILON * width,
    }
}

/// All derivatives of a graph.
fn derivatives(net: &Net<'_>, over: &[usize], along: usize, climb: Range, widths: DVec3) -> Derivatives {
    let mut found = Derivatives::default();
    let slopes: Vec<Range> = over.iter().map(|&i| -(net.derivative(i, None) / climb)).collect();
    let straight = net.derivative(along, Some(along));
    for (k, &axis) in over.iter().enumerate() {
        found.first[k] = tangent(axis, along, slopes[k], widths);
    }
    for (a, &i) in over.iter().enumerate() {
        for (b, &j) in over.iter().enumerate().skip(a) {
            let mixed =
                net.derivative(i, Some(along)) * slopes[b] + net.derivative(j, Some(along)) * slopes[a];
            let product = if a == b { slopes[a].square() } else { slopes[a] * slopes[b] };
            let sum = net.derivative(i, Some(j)) + mixed + straight * product;
            let bend = -(sum / climb) * Range::point(widths[i] * widths[j]);
            found.second[a + b] = Ball {
                center: DVec3::AXES[along] * bend.middle(),
                radius: bend.half_width() * (1.0 + 4.0 * f64::EPSILON),
            };
        }
    }
    found
}
