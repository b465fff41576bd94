//! Integrals over the trimmed region of a face.
//!
//! Source: Green's theorem in the plane of parameters, ∬ f du dv = −∮ (∫ f dv) du, both integrals by Gauss's rule with
//! eight nodes on pieces between knots and of at most a quarter of a turn.
//! Differs: nothing to differ from.
//! Ends because: pieces are counted.
//! Cost: 64 evaluations per piece of the boundary and crossed span, times 4 per level.
//! Not promised: the error of one level. Two levels are compared by the caller.

use super::invert::jet;
use super::region::Region;
use super::trace::TrimPiece;
use crate::curve::{Curve, Range};
use crate::surface::{Surface, SurfaceJet};
use glam::DVec2;
use std::f64::consts::FRAC_PI_2;

/// Nodes of Gauss's rule on −1 … 1, the positive ones.
const NODES: [f64; 4] =
    [0.183_434_642_495_649_8, 0.525_532_409_916_329, 0.796_666_477_413_626_7, 0.960_289_856_497_536_3];

/// Their weights.
const WEIGHTS: [f64; 4] =
    [0.362_683_783_378_362, 0.313_706_645_877_887_3, 0.222_381_034_453_374_48, 0.101_228_536_290_376_26];

/// Bisections by which a knot is found on a piece.
const BISECTIONS: usize = 50;

/// How finely to integrate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fineness {
    /// Two nodes: a few digits, for a sign.
    Rough,
    /// Eight nodes on pieces cut into 2^level.
    Level(u32),
}

/// The nodes and weights of Gauss's rule on a range.
fn gauss(range: Range, fineness: Fineness) -> impl Iterator<Item = (f64, f64)> {
    let (middle, half) = (range.middle(), 0.5 * range.width());
    let count = if fineness == Fineness::Rough { 2 } else { 8 };
    (0..count).map(move |i| {
        if count == 2 {
            let side = if i == 0 { -1.0 } else { 1.0 };
            return (middle + side * half / 3.0_f64.sqrt(), half);
        }
        let (side, k) = if i < 4 { (-1.0, 3 - i) } else { (1.0, i - 4) };
        (middle + side * half * NODES[k], half * WEIGHTS[k])
    })
}

/// Where a surface may fail to be analytic along each parameter, and the longest step along it.
struct Grain {
    cuts: [Vec<f64>; 2],
    steps: [f64; 2],
}

/// The integral of `f` du dv over the region, and that of the sizes of all terms.
pub(crate) fn over_region<const N: usize>(
    region: &Region,
    fineness: Fineness,
    f: &dyn Fn(&SurfaceJet) -> [f64; N],
) -> ([f64; N], [f64; N]) {
    let surface = region.surface();
    let grain = grain(surface);
    let level = if let Fineness::Level(level) = fineness { level } else { 0 };
    let low = region.bounds().v.low;
    let (mut sum, mut sizes) = ([0.0; N], [0.0; N]);
    for piece in region.chains().iter().flatten() {
        let (from, to) = (piece.from(), piece.to());
        let flat = piece.curve.is_none();
        // Nothing over a line along v, and nothing below the lowest line.
        if flat && (from.x == to.x || (from.y == low && to.y == low)) {
            continue;
        }
        for part in parts(piece, &grain, level) {
            for (s, weight) in gauss(part, fineness) {
                let (at, slope) = piece.exact(surface, region.curves(), s);
                let factor = -weight * slope.x;
                let under = Range::new(low, at.y);
                for cut in cut(under, &grain.cuts[1], grain.steps[1], level) {
                    for (v, weight) in gauss(cut, fineness) {
                        let value = f(&jet(surface, DVec2::new(at.x, v)));
                        for i in 0..N {
                            let term = factor * weight * value[i];
                            sum[i] += term;
                            sizes[i] += term.abs();
                        }
                    }
                }
            }
        }
    }
    (sum, sizes)
}

fn grain(surface: &Surface) -> Grain {
    let of_curve = |curve: &Curve| match curve {
        Curve::Nurbs(nurbs) => {
            let pieces = nurbs.knots().piece_count();
            let ends = (0..pieces).flat_map(|i| [nurbs.knots().piece(i).low, nurbs.knots().piece(i).high]);
            (ends.collect(), f64::INFINITY)
        }
        Curve::Line(_) | Curve::Parabola(_) => (Vec::new(), f64::INFINITY),
        _ => (Vec::new(), FRAC_PI_2),
    };
    let turn = || (Vec::new(), FRAC_PI_2);
    let free = || (Vec::new(), f64::INFINITY);
    let [u, v] = match surface {
        Surface::Plane(_) => [free(), free()],
        Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Torus(_) => [turn(), turn()],
        Surface::Cylinder(_) | Surface::Cone(_) | Surface::Paraboloid(_) => [turn(), free()],
        Surface::Revolution(revolution) => [turn(), of_curve(revolution.curve())],
        Surface::Extrusion(extrusion) => [of_curve(extrusion.curve()), free()],
        Surface::Nurbs(nurbs) => [0, 1].map(|i| {
            let knots = &nurbs.knots()[i];
            let ends = (0..knots.piece_count()).flat_map(|k| [knots.piece(k).low, knots.piece(k).high]);
            let mut cuts: Vec<f64> = ends.collect();
            if nurbs.is_closed()[i] {
                let period = knots.domain().width();
                let copies = |shift: f64| cuts.iter().map(move |t| t + shift).collect::<Vec<f64>>();
                let (below, above) = (copies(-period), copies(period));
                cuts.extend(below.into_iter().chain(above));
            }
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            (cuts, f64::INFINITY)
        }),
    };
    Grain { cuts: [u.0, v.0], steps: [u.1, v.1] }
}

/// A range, which may run backward, cut at the given places, into steps of at most `step`, and 2^level times more.
fn cut(range: Range, cuts: &[f64], step: f64, level: u32) -> Vec<Range> {
    let Range { low, high } = range;
    let mut ends = vec![low];
    let between = |t: &&f64| (low < **t && **t < high) || (high < **t && **t < low);
    let mut inner: Vec<f64> = cuts.iter().filter(between).copied().collect();
    if high < low {
        inner.reverse();
    }
    ends.append(&mut inner);
    ends.push(high);
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        let whole = Range::new(pair[0], pair[1]);
        let count = ((whole.width().abs() / step).ceil().max(1.0) as usize) << level;
        let end = |k: usize| whole.at(k as f64 / count as f64);
        found.extend((0..count).map(|k| Range::new(end(k), end(k + 1))));
    }
    found
}

/// The piece in parts between the surface's knots along u.
fn parts(piece: &TrimPiece, grain: &Grain, level: u32) -> Vec<Range> {
    let (from, to) = (piece.from().x, piece.to().x);
    let mut cuts: Vec<f64> = Vec::new();
    for &knot in &grain.cuts[0] {
        if (from < knot) == (to < knot) || from == knot || to == knot {
            continue;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if (piece.cubic.at(middle).x < knot) == (from < knot) { low = middle } else { high = middle }
        }
        cuts.push(low);
    }
    cuts.sort_by(f64::total_cmp);
    let step = grain.steps[0] / (to - from).abs().max(f64::MIN_POSITIVE);
    cut(Range::new(0.0, 1.0), &cuts, step, level)
}
