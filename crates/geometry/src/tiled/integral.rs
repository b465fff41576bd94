//! Integrals over the trimmed region of a face, with bounds of their errors.
//!
//! Source: Green's theorem in the plane of parameters, ∬ f du dv = −∮ (∫ f dv) du, so that every piece of the boundary is
//! charged with the strip between it and a line v = const; Gauss's rule on cells of the strips, whose remainder for a
//! function bounded by M on an ellipse about the interval with half axes of sum ρ is at most (64/15) M ρ⁻²ⁿ / (1 − ρ⁻²)
//! for n nodes (Trefethen, Approximation Theory and Approximation Practice, theorem 19.3).
//! Differs: cells with the largest remainders are halved until the sum is small enough. DIFFERS: where a piece of the
//! boundary is known by projection alone there is no M along it; the last Legendre coefficients of the integrand at the
//! nodes stand for the remainder, and the result says that it is not proved.
//! Ends because: at most [`MOST_CELLS`] cells are made.
//! Cost: 16 or 64 evaluations per cell; one to four cells per piece of the boundary and knot span for most faces.
//! Not promised: that the error is as small as asked for when [`MOST_CELLS`] are used up.

use super::invert::jet;
use super::majorant::{ComplexBox, Majorant, Reach, curve_reach};
use super::region::Region;
use super::strip::{Strip, Top, strips};
use crate::curve::{Range, Rect};
use crate::surface::{Surface, SurfaceJet};
use crate::{DVec2, DVec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Nodes of Gauss's rules with 2, 4 and 8 nodes on −1 … 1, the positive ones, with their weights.
const RULES: [&[(f64, f64)]; 3] = [
    &[(0.577_350_269_189_625_7, 1.0)],
    &[(0.339_981_043_584_856_26, 0.652_145_154_862_546_1), (0.861_136_311_594_052_6, 0.347_854_845_137_453_85)],
    &[
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
    ],
];

/// Ellipses that are tried for a remainder: sums of their half axes.
const ELLIPSES: [f64; 9] = [1.5, 2.0, 3.0, 4.5, 7.0, 11.0, 18.0, 32.0, 64.0];

/// Most cells that one face is cut into.
const MOST_CELLS: usize = 4_000;

/// How many times the square of the last Legendre coefficients, over the largest, an estimated remainder is.
const CAUTION: f64 = 64.0;

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
    /// Whether all errors are bounds.
    pub(crate) proven: bool,
}

/// Part of a strip.
struct Cell<'a, const N: usize> {
    strip: &'a Strip<'a>,
    s: Range,
    t: Range,
    value: [f64; N],
    size: [f64; N],
    error: [f64; N],
    /// The worse of the two remainders comes from s.
    along_s: bool,
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

/// The nodes and weights of Gauss's rule on a range.
fn gauss(rule: usize, range: Range) -> impl Iterator<Item = (f64, f64)> {
    let (middle, half) = (range.middle(), 0.5 * range.width());
    let table = RULES[rule];
    let below = table.iter().rev().map(move |(x, w)| (middle - half * x, half * w));
    below.chain(table.iter().map(move |(x, w)| (middle + half * x, half * w)))
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
    let total = |cells: &[Cell<N>], of: &dyn Fn(&Cell<N>) -> [f64; N]| {
        cells.iter().map(of).fold([0.0; N], |sum, one| std::array::from_fn(|i| sum[i] + one[i]))
    };
    let most = allowed(&total(&cells, &|cell| cell.size));
    let ratio = |error: &[f64; N]| (0..N).map(|i| error[i] / most[i]).fold(0.0, f64::max);
    for cell in &mut cells {
        cell.worst = ratio(&cell.error);
    }
    let mut error = total(&cells, &|cell| cell.error);
    let mut count = cells.len();
    let mut heap = BinaryHeap::from(cells);
    // Errors that are infinite cannot be taken out of a sum again; they are summed anew once none is left.
    while count < MOST_CELLS && ratio(&error) > 1.0 {
        let Some(worst) = heap.pop() else { break };
        let halves = if worst.along_s {
            worst.s.halves().map(|s| (s, worst.t))
        } else {
            worst.t.halves().map(|t| (worst.s, t))
        };
        for (s, t) in halves {
            let mut cell = frame.cell(worst.strip, s, t);
            cell.worst = ratio(&cell.error);
            for i in 0..N {
                error[i] += cell.error[i];
            }
            heap.push(cell);
        }
        count += 1;
        let summed = worst.error.iter().all(|e| e.is_finite());
        for i in 0..N {
            error[i] -= worst.error[i];
        }
        if !summed || count.is_multiple_of(64) {
            error = heap.iter().fold([0.0; N], |sum, one| std::array::from_fn(|i| sum[i] + one.error[i]));
        }
    }
    let mut cells = heap.into_vec();
    let place = |cell: &Cell<N>| (cell.strip.number, cell.s.low, cell.t.low);
    cells.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    Integrals {
        value: total(&cells, &|cell| cell.value),
        error: total(&cells, &|cell| cell.error),
        sizes: total(&cells, &|cell| cell.size),
        proven: strips.iter().all(Strip::is_known),
    }
}

/// The integral by two nodes along each side of the first cells, and the sum of the sizes of its terms: a few digits.
pub(crate) fn roughly(region: &Region, f: &dyn Fn(&SurfaceJet) -> f64) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0);
    for strip in strips(region) {
        for (s, t) in strip.cells() {
            for (s, weight) in gauss(0, s) {
                let (at, slope) = strip.exact(s);
                let [low, high] = strip.ends(at);
                for (t, inner) in gauss(0, t) {
                    let place = DVec2::new(at.x, low + (high - low) * t);
                    let term = -weight * inner * slope.x * (high - low) * f(&jet(region.surface(), place));
                    sum += term;
                    size += term.abs();
                }
            }
        }
    }
    (sum, size)
}

/// What is the same for all cells of a region.
struct Frame<'a, const N: usize> {
    surface: &'a Surface,
    integrands: &'a dyn Integrands<N>,
    degrees: [Option<usize>; 2],
    area_degrees: [bool; 2],
}

impl<'a, const N: usize> Frame<'a, N> {
    fn new(region: &'a Region, integrands: &'a dyn Integrands<N>) -> Self {
        let surface = region.surface();
        let (degrees, area_degrees) = (Majorant::degrees(surface), Majorant::is_area_polynomial(surface));
        Self { surface, integrands, degrees, area_degrees }
    }

    /// Degrees of the integrand in s and t, where it is a polynomial.
    fn degrees(&self, strip: &Strip) -> [Option<usize>; 2] {
        let [u, v] = self.degrees;
        let along = match strip.top {
            _ if !strip.is_straight() => None,
            Top::Level(_) => u,
            // A line that is not level: v and the height of the strip change along it too.
            Top::Piece if strip.is_level() => u,
            Top::Piece => u.zip(v).map(|(u, v)| u + v + 1),
        };
        [along, v]
    }

    fn cell<'b>(&self, strip: &'b Strip<'b>, s: Range, t: Range) -> Cell<'b, N> {
        let degrees = self.degrees(strip);
        let rules = degrees.map(|degree| if degree.is_some_and(|d| d <= 7) { 1 } else { 2 });
        let (mut value, mut size) = ([0.0; N], [0.0; N]);
        let mut rows: Vec<[f64; N]> = Vec::with_capacity(8);
        let mut around: Option<Rect> = None;
        for (at_s, weight) in gauss(rules[0], s) {
            let (at, slope) = strip.exact(at_s);
            let [low, high] = strip.ends(at);
            let factor = -slope.x * (high - low);
            let mut row = [0.0; N];
            let mut terms = [0.0; N];
            for (at_t, inner) in gauss(rules[1], t) {
                let f = self.integrands.at(&jet(self.surface, DVec2::new(at.x, low + (high - low) * at_t)));
                for i in 0..N {
                    let term = factor * inner * f[i];
                    row[i] += term;
                    terms[i] += term.abs();
                }
            }
            for i in 0..N {
                value[i] += weight * row[i];
                size[i] += weight * terms[i];
            }
            let v = Range::new(low + (high - low) * t.low, low + (high - low) * t.high);
            let here = Rect::new(Range::new(at.x, at.x), Range::new(v.low.min(v.high), v.low.max(v.high)));
            around = Some(around.map_or(here, |all| joined(all, here)));
            rows.push(row);
        }
        let around = around.map_or(strip.bounds(s), |nodes| joined(nodes, strip.cell_bounds(s, t)));
        let [by_s, by_t] = self.remainders(strip, s, t, around, &rows, degrees, rules);
        let error = std::array::from_fn(|i| by_s[i] + by_t[i]);
        let weigh = |by: &[f64; N]| (0..N).map(|i| by[i] / size[i].max(f64::MIN_POSITIVE)).fold(0.0, f64::max);
        let along_s = self.is_worse(strip, s, t, weigh(&by_s), weigh(&by_t), around);
        Cell { strip, s, t, value, size, error, along_s, worst: 0.0 }
    }

    /// Whether to halve s: where its remainder is worse, or both are as bad and it is longer.
    fn is_worse(&self, strip: &Strip, s: Range, t: Range, by_s: f64, by_t: f64, around: Rect) -> bool {
        // Both are equal where nothing but the size of the cell bounds them.
        if by_s != by_t {
            return by_s > by_t;
        }
        let jet = jet(self.surface, strip.middle(s, t));
        jet.u.length() * around.u.width() >= jet.v.length() * around.v.width()
    }

    /// Errors by the rules along s and along t.
    #[allow(clippy::too_many_arguments)]
    fn remainders(
        &self,
        strip: &Strip,
        s: Range,
        t: Range,
        around: Rect,
        rows: &[[f64; N]],
        degrees: [Option<usize>; 2],
        rules: [usize; 2],
    ) -> [[f64; N]; 2] {
        let majorant = Majorant::new(self.surface, strip.middle(s, t), self.integrands.about());
        let exact = |axis: usize, i: usize| {
            let fits = degrees[axis].is_some_and(|d| d < 4 * RULES[rules[axis]].len());
            let flat = if axis == 0 { self.area_degrees[0] && self.area_degrees[1] } else { self.area_degrees[1] };
            fits && (flat || !self.integrands.has_area(i))
        };
        let (ds, dt) = (s.width(), t.width());
        // What the cell holds at most; twice that is an error for which nothing needs to be analytic.
        let crude = {
            let over = ComplexBox { re: around, im: DVec2::ZERO };
            let reach = majorant.reach(&over);
            let reach = Reach { area: Some(majorant.largest_area(around)), ..reach };
            let (slope, height) = strip.real_factors(s, around);
            self.integrands.bound(&reach).map(|most| 2.0 * ds * dt * slope * height * most)
        };
        let mut by_s = match (strip.is_straight(), strip.is_known()) {
            (true, _) => crude,
            (false, true) => [f64::INFINITY; N],
            (false, false) => estimated(rows, ds),
        };
        let mut by_t = crude;
        for rho in ELLIPSES {
            let nodes = |rule: usize| 2 * RULES[rule].len() as i32;
            let factor = |rule: usize| 64.0 / 15.0 * rho.powi(-2 * nodes(rule)) / (1.0 - rho.powi(-2));
            if strip.is_known() && !(0..N).all(|i| exact(0, i)) {
                let most = self.along_s(strip, &majorant, s, t, rho);
                for i in 0..N {
                    by_s[i] = by_s[i].min(factor(rules[0]) * 0.5 * ds * dt * most[i]);
                }
            }
            if !(0..N).all(|i| exact(1, i)) {
                let most = self.along_t(strip, &majorant, s, t, around, rho);
                for i in 0..N {
                    by_t[i] = by_t[i].min(factor(rules[1]) * 0.5 * ds * dt * most[i]);
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
            let along = Range::new(range.low + step * re.low, range.low + step * re.high);
            let along = Range::new(along.low.min(along.high), along.low.max(along.high));
            let (about, foot) = (self.integrands.about(), strip.foot(self.surface, s));
            let [far, speed, _] = curve_reach(curve, along, im * step.abs(), about);
            let [high, ..] = curve_reach(curve, along, im * step.abs(), foot);
            let level = if let Top::Level(top) = strip.top { Some((top - strip.low).abs()) } else { None };
            // From a point of the curve to one of the strip: at most the strip's height and what the top is below.
            let point = far + high + level.unwrap_or(0.0);
            let over = ComplexBox { re: strip.bounds(s), im: DVec2::ZERO };
            let reach = Reach { point, ..majorant.reach(&over) };
            let factor = speed * step.abs() * level.unwrap_or(high);
            return self.integrands.bound(&reach).map(|most| most * factor);
        }
        let (over, height) = strip.complex(re, im, t);
        let factor = strip.slope().abs() * height;
        self.integrands.bound(&majorant.reach(&over)).map(|most| most * factor)
    }

    /// Bounds of the integrand for t in the ellipse and real s.
    fn along_t(
        &self,
        strip: &Strip,
        majorant: &Majorant,
        s: Range,
        t: Range,
        around: Rect,
        rho: f64,
    ) -> [f64; N] {
        let (re, im) = ellipse(t, rho);
        let (slope, height) = strip.real_factors(s, around);
        let beyond = (t.low - re.low) * height;
        let v = Range::new(around.v.low - beyond, around.v.high + beyond);
        let over = ComplexBox { re: Rect::new(around.u, v), im: DVec2::new(0.0, im * height) };
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

/// From the values at eight nodes: the last Legendre coefficients c₅, c₆, c₇ of a function with coefficients that fall
/// like a power stand for that of its sixteenth.
fn estimated<const N: usize>(rows: &[[f64; N]], width: f64) -> [f64; N] {
    let legendre = |k: usize, x: f64| {
        let (mut last, mut this) = (1.0, x);
        for j in 1..k {
            let j = j as f64;
            (last, this) = (this, ((2.0 * j + 1.0) * x * this - j * last) / (j + 1.0));
        }
        this
    };
    let nodes: Vec<(f64, f64)> = gauss(2, Range::new(-1.0, 1.0)).collect();
    if rows.len() != nodes.len() {
        return [f64::INFINITY; N];
    }
    std::array::from_fn(|i| {
        let coefficient = |k: usize| {
            let sum: f64 = nodes.iter().zip(rows).map(|((x, w), row)| w * legendre(k, *x) * row[i]).sum();
            sum.abs() * (k as f64 + 0.5)
        };
        let last = [5, 6, 7].map(coefficient).into_iter().fold(0.0, f64::max);
        let scale = rows.iter().map(|row| row[i].abs()).fold(0.0, f64::max);
        if scale == 0.0 { 0.0 } else { width * last * (CAUTION * last / scale).min(1.0) }
    })
}
