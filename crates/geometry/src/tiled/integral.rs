//! Integrals over the trimmed region of a face, with bounds of their errors.
//!
//! Source: Green's theorem in the plane of parameters, ∬ f du dv = −∮ (∫ f dv) du, so that every piece of the boundary is
//! charged with the strip between it and a line v = const; Gauss's rule on cells of the strips, whose remainder for a
//! function bounded by M on an ellipse about the interval with half axes of sum ρ is at most (64/15) M ρ⁻²ⁿ / (1 − ρ⁻²)
//! for n nodes (Trefethen, Approximation Theory and Approximation Practice, theorem 19.3).
//! Differs: cells with the largest remainders are halved until the sum is small enough. DIFFERS: where a piece of the
//! boundary is known by projection alone there is no M along it; the last Legendre coefficients of the integrand at the
//! nodes stand for the remainder, and the result says that it is not proved. So it does where bounds stay too large.
//! Ends because: [`PATIENCE`] and [`MOST_MORE`] limit the number of cells.
//! Cost: 16 to 1024 evaluations per cell by the degrees, 64 for most; one to four cells per piece of the boundary and knot
//! span for most faces.
//! Not promised: that the error is as small as asked for when these are used up.

use super::growth::is_one_piece;
use super::majorant::{ComplexBox, Majorant, Reach, curve_reach};
use super::region::Region;
use super::rule::{USUAL, count_for, gauss, legendre};
use super::strip::{Strip, Top, strips};
use crate::curve::{Curve, Range, Rect};
use crate::surface::home::jet;
use crate::surface::{Surface, SurfaceJet};
use crate::tolerance::{BOUND_NEAR_REL, ESTIMATE_CAUTION_REL};
use crate::{DVec2, DVec3};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

/// Ellipses that are tried for a remainder: sums of their half axes.
const ELLIPSES: [f64; 9] = [1.5, 2.0, 3.0, 4.5, 7.0, 11.0, 18.0, 32.0, 64.0];

/// Cells of a face by which bounds must have come near to what is allowed: of closed formulas, and of splines, whose
/// bounds are wider and whose faces are more numerous. Where they have not, estimates take their place.
const PATIENCE: [usize; 2] = [2_000, 600];

/// Most cells that a face is cut into after that.
const MOST_MORE: usize = 1_000;

/// Cells after which the errors are summed again.
const SUM_EVERY: usize = 4;

/// What is integrated: functions of the jet, their bounds from those of the jet, and where they are polynomials.
pub(crate) trait Integrands<const N: usize> {
    /// The values at a point.
    fn at(&self, jet: &SurfaceJet) -> [f64; N];

    /// Bounds of the values over complex parameters; infinite where [`Reach::area`] is needed and unknown.
    fn bound(&self, reach: &Reach) -> [f64; N];

    /// The point about which lengths in [`Integrands::bound`] are measured.
    fn about(&self) -> DVec3;

    /// Which of them contain the length of the normal.
    fn has_area(&self, at: usize) -> bool;
}

/// Integrals with what is known of their errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integrals<const N: usize> {
    pub(crate) value: [f64; N],
    /// Bounds of the remainders, or cautious estimates of them.
    pub(crate) error: [f64; N],
    /// Sums of the sizes of all terms.
    pub(crate) sizes: [f64; N],
    /// Whether each error is a bound.
    pub(crate) proven: [bool; N],
}

/// Where a cell lies.
#[derive(Clone, Copy)]
struct Place<'a> {
    strip: &'a Strip<'a>,
    s: Range,
    t: Range,
    /// A rectangle of (x, y) around it.
    around: Rect,
}

/// Integrals along one side of a cell at the nodes of the other: over t for each s, and over s for each t.
struct Sums<const N: usize> {
    rows: Vec<[f64; N]>,
    columns: Vec<[f64; N]>,
}

/// Part of a strip.
struct Cell<'a, const N: usize> {
    strip: &'a Strip<'a>,
    s: Range,
    t: Range,
    value: [f64; N],
    size: [f64; N],
    around: Rect,
    /// Bounds of the errors by the rules along s and t, infinite where there is none.
    bounds: [[f64; N]; 2],
    /// Estimates of them.
    estimates: [[f64; N]; 2],
    /// The largest error in units of what is allowed.
    worst: f64,
}

impl<const N: usize> PartialEq for Cell<'_, N> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const N: usize> Eq for Cell<'_, N> {}

impl<const N: usize> PartialOrd for Cell<'_, N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for Cell<'_, N> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Cells of equal worth in the order of their places, so that the same face gives the same bits.
        let place = |cell: &Self| (cell.strip.number, cell.s.low, cell.t.low);
        let (a, b) = (place(self), place(other));
        self.worst
            .total_cmp(&other.worst)
            .then(b.0.cmp(&a.0))
            .then(b.1.total_cmp(&a.1))
            .then(b.2.total_cmp(&a.2))
    }
}

/// The integrals over the region, refined until every error is at most what `allowed` says of the sums of sizes.
pub(crate) fn over_region<const N: usize>(
    region: &Region,
    integrands: &dyn Integrands<N>,
    allowed: &dyn Fn(&[f64; N]) -> [f64; N],
) -> Integrals<N> {
    let strips = strips(region);
    let frame = Frame::new(region, integrands);
    let mut cells: Vec<Cell<N>> = Vec::new();
    for strip in &strips {
        for (s, t) in strip.cells() {
            cells.push(frame.cell(strip, s, t));
        }
    }
    let most = allowed(&total(cells.iter().map(|cell| cell.size)));
    // First with bounds where there are any: near a pole those of the area would take all cells.
    let mut proven = [strips.iter().all(Strip::is_known); N];
    if proven[0] {
        let spline = matches!(region.surface(), Surface::Nurbs(_));
        let patience = PATIENCE[usize::from(spline)];
        for area in [false, true] {
            let near = std::array::from_fn(|i| {
                if integrands.has_area(i) == area { BOUND_NEAR_REL * most[i] } else { f64::INFINITY }
            });
            // Bounds of a spline's area would take thousands of cells.
            let limit = if spline && area { 0 } else { patience.max(cells.len()) };
            frame.refine(&mut cells, &near, &proven, limit);
            let bound = total(cells.iter().map(|cell| cell.error(&[true; N])));
            for i in 0..N {
                // Written so that NaN is not proved.
                proven[i] &= bound[i] <= near[i];
            }
        }
    }
    let limit = cells.len() + MOST_MORE;
    frame.refine(&mut cells, &most, &proven, limit);
    cells.sort_by(|a, b| {
        let place = |cell: &Cell<N>| (cell.strip.number, cell.s.low, cell.t.low);
        let (a, b) = (place(a), place(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    Integrals {
        value: total(cells.iter().map(|cell| cell.value)),
        error: total(cells.iter().map(|cell| cell.error(&proven))),
        sizes: total(cells.iter().map(|cell| cell.size)),
        proven,
    }
}

fn total<const N: usize>(all: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    all.fold([0.0; N], |sum, one| std::array::from_fn(|i| sum[i] + one[i]))
}

impl<const N: usize> Cell<'_, N> {
    /// The bound where it counts, else the estimate.
    fn error(&self, proven: &[bool; N]) -> [f64; N] {
        let sum = |[s, t]: &[[f64; N]; 2], i: usize| s[i] + t[i];
        std::array::from_fn(|i| {
            let bound = sum(&self.bounds, i);
            // An estimate above the bound helps nobody.
            if proven[i] { bound } else { sum(&self.estimates, i).min(bound) }
        })
    }

    /// Whether to halve s: where its remainder is worse, or both are as bad and the normal changes more
    /// along it. Of the integral that is farthest from what is allowed.
    fn is_worse_along_s(&self, frame: &Frame<N>, most: &[f64; N], proven: &[bool; N]) -> bool {
        let error = self.error(proven);
        let ratio = |i: usize| error[i] / most[i];
        let worst = (0..N).fold(0, |worst, i| if ratio(i) > ratio(worst) { i } else { worst });
        let [by_s, by_t] = if proven[worst] { self.bounds } else { self.estimates };
        // Both are equal where nothing but the size of the cell bounds them.
        if by_s[worst] != by_t[worst] {
            return by_s[worst] > by_t[worst];
        }
        let majorant =
            Majorant::new(frame.surface, self.strip.middle(self.s, self.t), frame.integrands.about());
        let rough = self.strip.turned(majorant.roughness(self.strip.params(self.around)));
        rough.x >= rough.y
    }
}

/// The integral by some nodes along each side of the first cells, within the guiding cubics of the trim, and the sum of
/// the sizes of its terms: a few digits.
pub(crate) fn roughly(region: &Region, nodes: usize, f: &dyn Fn(&SurfaceJet) -> f64) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0);
    for strip in strips(region) {
        for (s, t) in strip.cells() {
            for (s, weight) in gauss(nodes, s) {
                let (at, slope) = strip.guided(s);
                let [low, high] = strip.ends(at);
                for (t, inner) in gauss(nodes, t) {
                    let place = strip.turned(DVec2::new(at.x, low + (high - low) * t));
                    let term = strip.sign()
                        * weight
                        * inner
                        * slope.x
                        * (high - low)
                        * f(&jet(region.surface(), place));
                    sum += term;
                    size += term.abs();
                }
            }
        }
    }
    (sum, size)
}

/// Where the boundary is at the nodes of a part, its derivatives, and the weights.
type Nodes = Rc<Vec<(DVec2, DVec2, f64)>>;

/// Which nodes: piece, part, number.
type NodesOf = (usize, [u64; 2], usize);

/// What is the same for all cells of a region.
struct Frame<'a, const N: usize> {
    surface: &'a Surface,
    integrands: &'a dyn Integrands<N>,
    degrees: [Option<usize>; 2],
    area_degrees: [bool; 2],
    /// Points of the boundary that were found, by piece, part and number of nodes.
    known: RefCell<BTreeMap<NodesOf, Nodes>>,
}

impl<'a, const N: usize> Frame<'a, N> {
    fn new(region: &'a Region, integrands: &'a dyn Integrands<N>) -> Self {
        let surface = region.surface();
        let (degrees, area_degrees) = (Majorant::degrees(surface), Majorant::is_area_polynomial(surface));
        Self { surface, integrands, degrees, area_degrees, known: RefCell::default() }
    }

    /// Halves the worst cells until the errors are small enough or there are `limit` cells.
    fn refine<'b>(&self, cells: &mut Vec<Cell<'b, N>>, most: &[f64; N], proven: &[bool; N], limit: usize) {
        let ratio = |error: &[f64; N]| (0..N).map(|i| error[i] / most[i]).fold(0.0, f64::max);
        for cell in cells.iter_mut() {
            cell.worst = ratio(&cell.error(proven));
        }
        let mut heap = BinaryHeap::from(std::mem::take(cells));
        let mut error = total(heap.iter().map(|cell| cell.error(proven)));
        while heap.len() < limit && ratio(&error) > 1.0 {
            let Some(worst) = heap.pop() else { break };
            let halves = if worst.is_worse_along_s(self, most, proven) {
                worst.s.halves().map(|s| (s, worst.t))
            } else {
                worst.t.halves().map(|t| (worst.s, t))
            };
            for (s, t) in halves {
                let mut cell = self.cell(worst.strip, s, t);
                cell.worst = ratio(&cell.error(proven));
                heap.push(cell);
            }
            // Summed anew: infinite errors cannot be taken out of a sum, and small ones are lost in it.
            if heap.len().is_multiple_of(SUM_EVERY) {
                error = total(heap.iter().map(|cell| cell.error(proven)));
            }
        }
        *cells = heap.into_vec();
    }

    /// Degrees of the integrand in s and t, where it is a polynomial.
    fn degrees(&self, strip: &Strip) -> [Option<usize>; 2] {
        let [mut u, mut v] = self.degrees;
        if strip.swapped {
            (u, v) = (v, u);
        }
        let along = match strip.top {
            _ if !strip.is_straight() => None,
            Top::Level(_) => u,
            // A line that is not level: y and the height of the strip change along it too.
            Top::Piece if strip.is_level() => u,
            Top::Piece => u.zip(v).map(|(u, v)| u + v + 1),
        };
        [along, v]
    }

    /// The points of the boundary at the nodes of a part.
    fn nodes(&self, strip: &Strip, count: usize, s: Range) -> Nodes {
        let find = || {
            let at = |(s, weight): (f64, f64)| {
                let (at, slope) = strip.exact(s);
                (at, slope, weight)
            };
            Rc::new(gauss(count, s).map(at).collect())
        };
        if strip.is_straight() {
            return find();
        }
        let key = (strip.piece_number, [s.low.to_bits(), s.high.to_bits()], count);
        Rc::clone(self.known.borrow_mut().entry(key).or_insert_with(find))
    }

    fn cell<'b>(&self, strip: &'b Strip<'b>, s: Range, t: Range) -> Cell<'b, N> {
        let degrees = self.degrees(strip);
        let counts = [0, 1].map(|axis| count_for(degrees[axis], self.least_count(strip, axis)));
        let (mut value, mut size) = ([0.0; N], [0.0; N]);
        let mut sums = Sums { rows: Vec::with_capacity(counts[0]), columns: vec![[0.0; N]; counts[1]] };
        let mut around = strip.cell_bounds(s, t);
        for &(at, slope, weight) in self.nodes(strip, counts[0], s).iter() {
            let [low, high] = strip.ends(at);
            let factor = strip.sign() * slope.x * (high - low);
            let mut row = [0.0; N];
            for (j, (at_t, inner)) in gauss(counts[1], t).enumerate() {
                let place = strip.turned(DVec2::new(at.x, low + (high - low) * at_t));
                let f = self.integrands.at(&jet(self.surface, place));
                for i in 0..N {
                    let term = factor * f[i];
                    row[i] += inner * term;
                    size[i] += weight * inner * term.abs();
                    sums.columns[j][i] += weight * term;
                }
            }
            for i in 0..N {
                value[i] += weight * row[i];
            }
            let [v, w] = [t.low, t.high].map(|t| low + (high - low) * t);
            let here = Rect::new(Range::new(at.x, at.x), Range::new(v.min(w), v.max(w)));
            around = joined(around, here);
            sums.rows.push(row);
        }
        let place = Place { strip, s, t, around };
        let estimates = [estimated(&sums.rows, s.width()), estimated(&sums.columns, t.width())];
        let bounds = self.remainders(&place, &estimates, degrees, counts);
        let exact = |axis: usize, i: usize| self.is_exact(strip, degrees[axis], counts[axis], axis, i);
        let rest = |axis: usize| {
            std::array::from_fn::<f64, N, _>(|i| if exact(axis, i) { 0.0 } else { estimates[axis][i] })
        };
        let estimates = [rest(0), rest(1)];
        Cell { strip, s, t, around, value, size, bounds, estimates, worst: 0.0 }
    }

    /// Whether the rule is exact: for polynomials of low degree.
    fn is_exact(&self, strip: &Strip, degree: Option<usize>, count: usize, axis: usize, at: usize) -> bool {
        let polynomial = !self.integrands.has_area(at) || self.is_area_exact(strip, axis);
        degree.is_some_and(|d| d < 2 * count) && polynomial
    }

    /// Fewest nodes to use: few for polynomials, more where bounds have to be reached with few cells.
    fn least_count(&self, strip: &Strip, axis: usize) -> usize {
        if self.is_area_exact(strip, axis) {
            return 4;
        }
        let wide = matches!(self.surface, Surface::Nurbs(_) | Surface::Ellipsoid(_));
        if wide && strip.is_known() { 16 } else { USUAL }
    }

    /// Whether the length of the normal is a polynomial along s or t, of no higher degree than the rest.
    fn is_area_exact(&self, strip: &Strip, axis: usize) -> bool {
        let [u, v] = self.area_degrees;
        let inner = if strip.swapped { u } else { v };
        if axis == 1 { inner } else { u && v }
    }

    /// Bounds of the errors by the rules along s and along t; along a piece whose parameters are not known for complex
    /// s the estimate.
    fn remainders(
        &self,
        place: &Place,
        estimates: &[[f64; N]; 2],
        degrees: [Option<usize>; 2],
        counts: [usize; 2],
    ) -> [[f64; N]; 2] {
        let Place { strip, s, t, around } = *place;
        let exact = |axis: usize, i: usize| self.is_exact(strip, degrees[axis], counts[axis], axis, i);
        let needed = [0, 1].map(|axis| !(0..N).all(|i| exact(axis, i)));
        if needed == [false, false] {
            return [[0.0; N]; 2];
        }
        let majorant = Majorant::new(self.surface, strip.middle(s, t), self.integrands.about());
        let (ds, dt) = (s.width(), t.width());
        // What the cell holds at most; twice that is an error for which nothing needs to be analytic.
        let crude = {
            let reach = majorant.reach(&ComplexBox { re: strip.params(around), im: DVec2::ZERO });
            let reach = Reach { area: Some(majorant.largest_area(strip.params(around))), ..reach };
            let (slope, height) = strip.real_factors(s, around);
            self.integrands.bound(&reach).map(|most| 2.0 * ds * dt * slope * height * most)
        };
        let mut by_s = match (strip.is_straight(), strip.is_known()) {
            (true, _) => crude,
            (false, true) => [f64::INFINITY; N],
            (false, false) => estimates[0],
        };
        let mut by_t = crude;
        for rho in ELLIPSES {
            let factor = |count: usize| 64.0 / 15.0 * rho.powi(-2 * count as i32) / (1.0 - rho.powi(-2));
            if needed[0] && strip.is_known() {
                let most = self.along_s(strip, &majorant, s, t, rho);
                for i in 0..N {
                    by_s[i] = by_s[i].min(factor(counts[0]) * 0.5 * ds * dt * most[i]);
                }
            }
            if needed[1] {
                let most = self.along_t(place, &majorant, rho);
                for i in 0..N {
                    by_t[i] = by_t[i].min(factor(counts[1]) * 0.5 * ds * dt * most[i]);
                }
            }
        }
        for i in 0..N {
            by_s[i] = if exact(0, i) { 0.0 } else { by_s[i] };
            by_t[i] = if exact(1, i) { 0.0 } else { by_t[i] };
        }
        [by_s, by_t]
    }

    /// Bounds of the integrand for s in the ellipse and real t.
    fn along_s(&self, strip: &Strip, majorant: &Majorant, s: Range, t: Range, rho: f64) -> [f64; N] {
        let (re, im) = ellipse(s, rho);
        if let Some((curve, range, step)) = strip.plane_curve() {
            // On a plane the curve itself says where it is.
            let mine = [s.low, s.high].map(|s| range.low + step * s);
            let mine = Range::new(mine[0].min(mine[1]), mine[0].max(mine[1]));
            if let Curve::Nurbs(nurbs) = curve
                && !is_one_piece(nurbs, mine)
            {
                return [f64::INFINITY; N];
            }
            let along = Range::new(range.low + step * re.low, range.low + step * re.high);
            let along = Range::new(along.low.min(along.high), along.low.max(along.high));
            let (about, foot) = (self.integrands.about(), strip.foot(self.surface, s));
            let [far, speed, _] = curve_reach(curve, along, im * step.abs(), about);
            let [high, ..] = curve_reach(curve, along, im * step.abs(), foot);
            let level = if let Top::Level(top) = strip.top { Some((top - strip.low).abs()) } else { None };
            // From a point of the curve to one of the strip: at most the strip's height and what the top is below.
            let point = far + high + level.unwrap_or(0.0);
            let bounds = strip.cell_bounds(s, Range::new(0.0, 1.0));
            let over = ComplexBox { re: strip.params(bounds), im: DVec2::ZERO };
            let reach = Reach { point, ..majorant.reach(&over) };
            let factor = speed * step.abs() * level.unwrap_or(high);
            return self.integrands.bound(&reach).map(|most| most * factor);
        }
        let (over, height) = strip.complex(re, im, t);
        let factor = strip.slope().abs() * height;
        self.integrands.bound(&majorant.reach(&over)).map(|most| most * factor)
    }

    /// Bounds of the integrand for t in the ellipse and real s.
    fn along_t(&self, place: &Place, majorant: &Majorant, rho: f64) -> [f64; N] {
        let Place { strip, s, t, around } = *place;
        let (re, im) = ellipse(t, rho);
        let (slope, height) = strip.real_factors(s, around);
        let beyond = (t.low - re.low) * height;
        let v = Range::new(around.v.low - beyond, around.v.high + beyond);
        let over = strip.complex_box(Rect::new(around.u, v), DVec2::new(0.0, im * height));
        self.integrands.bound(&majorant.reach(&over)).map(|most| most * slope * height)
    }
}

/// Real parts and largest imaginary part of the ellipse about a range.
fn ellipse(range: Range, rho: f64) -> (Range, f64) {
    let (middle, half) = (range.middle(), 0.5 * range.width());
    let (long, short) = (0.5 * (rho + 1.0 / rho), 0.5 * (rho - 1.0 / rho));
    (Range::new(middle - half * long, middle + half * long), half * short)
}

fn joined(a: Rect, b: Rect) -> Rect {
    let both = |a: Range, b: Range| Range::new(a.low.min(b.low), a.high.max(b.high));
    Rect::new(both(a.u, b.u), both(a.v, b.v))
}

/// From the values at the nodes of Gauss's rule: the last three Legendre coefficients of a function whose coefficients fall
/// like a power stand for those of twice the number.
fn estimated<const N: usize>(values: &[[f64; N]], width: f64) -> [f64; N] {
    let count = values.len();
    let nodes: Vec<(f64, f64)> = gauss(count, Range::new(-1.0, 1.0)).collect();
    let last = [count - 3, count - 2, count - 1];
    let factors: Vec<[f64; 3]> =
        nodes.iter().map(|(x, w)| last.map(|k| w * legendre(k, *x)[0] * (k as f64 + 0.5))).collect();
    std::array::from_fn(|i| {
        let coefficient = |k: usize| {
            factors.iter().zip(values).map(|(factor, value)| factor[k] * value[i]).sum::<f64>().abs()
        };
        let last = [0, 1, 2].map(coefficient).into_iter().fold(0.0, f64::max);
        let scale = values.iter().map(|value| value[i].abs()).fold(0.0, f64::max);
        if scale == 0.0 { 0.0 } else { width * last * (ESTIMATE_CAUTION_REL * last / scale).min(1.0) }
    })
}
