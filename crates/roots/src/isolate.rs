//! All real roots of a polynomial, by Bernstein isolation and safeguarded Newton steps.
//!
//! Source: Lane and Riesenfeld 1981: coefficients over an interval that change sign once hold one root, never none.
//! Differs: signs within rounding are undecided, so what rounding cannot tell apart comes out as one cluster that says
//! how many roots it may stand for, instead of as a guess.
//! Ends because: an interval is halved until it holds at most one root, is flat to rounding, or has the least width.
//! Cost: O(degree²) per interval, about 10 to 50 intervals for each root that is not simple, 1 to 5 for a simple one.
//! Not promised: that a cluster holds a real root: two conjugate roots whose imaginary part drowns in rounding look
//! the same.

use crate::tolerance::{CLUSTER_WIDTH_REL, VALUE_ROUNDING_REL};
use crate::{Bernstein, Polynomial, RootsError};

/// Steps of the safeguarded Newton iteration; each third one halves the bracket.
const MOST_STEPS: usize = 200;

/// One real root, or several that rounding does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// Best estimate.
    pub value: f64,
    /// Lower end of where it may be.
    pub low: f64,
    /// Upper end of where it may be.
    pub high: f64,
    /// How many roots this may stand for: 1 is a proven change of sign; more is an upper bound of a cluster.
    pub multiplicity: usize,
}

/// What an interval came to.
struct Found {
    low: f64,
    high: f64,
    /// The value where a change of sign was seen.
    simple: Option<f64>,
}

pub(crate) fn roots_in(polynomial: &Polynomial, low: f64, high: f64) -> Result<Vec<Root>, RootsError> {
    if !(low <= high && low.is_finite() && high.is_finite()) {
        return Err(RootsError::BadInterval { low, high });
    }
    let size = polynomial.coefficients().iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    if size == 0.0 {
        return Err(RootsError::Zero);
    }
    if polynomial.degree() == 0 {
        return Ok(Vec::new());
    }
    if low == high {
        let (value, _, noise) = polynomial.jet(low);
        let root = Root { value: low, low, high, multiplicity: 1 };
        return Ok(if value.abs() <= noise { vec![root] } else { Vec::new() });
    }
    let mut found = Vec::new();
    let mut stack = vec![polynomial.bernstein(low, high)];
    if stack[0].coefficients().iter().any(|b| !b.is_finite()) {
        return Err(RootsError::NotFinite);
    }
    let least = CLUSTER_WIDTH_REL * (high - low);
    while let Some(piece) = stack.pop() {
        look_at(polynomial, piece, least, &mut stack, &mut found);
    }
    Ok(merged(polynomial, found))
}

/// Decides one interval, or puts its halves on the stack (the left one on top, so that roots come in order).
fn look_at(
    polynomial: &Polynomial,
    piece: Bernstein,
    least: f64,
    stack: &mut Vec<Bernstein>,
    found: &mut Vec<Found>,
) {
    let [low, high] = piece.interval();
    let (variations, flat) = piece.variations();
    if variations == 0 {
        return;
    }
    if flat || high - low <= least {
        found.push(Found { low, high, simple: None });
        return;
    }
    if variations == 1 {
        let ends = [piece.coefficients()[0], piece.coefficients()[polynomial.degree()]];
        let decided = ends.map(|b| b.abs() > piece.noise());
        if decided == [true, true] {
            let value = bracketed(polynomial, low, high, ends[0] > 0.0);
            let (_, slope, noise) = polynomial.jet(value);
            let error = if slope == 0.0 { 0.0 } else { (noise / slope.abs()).min(high - low) };
            let (low, high) = ((value - error).max(low), (value + error).min(high));
            found.push(Found { low, high, simple: Some(value) });
            return;
        }
        // All signs but the undecided one agree: the root, if any, is where that end is within rounding of zero.
        let rest = &piece.coefficients()[usize::from(!decided[0])..];
        let last = rest.len() - usize::from(!decided[1]);
        let one_sided = rest[..last].iter().all(|b| b.abs() > piece.noise());
        if decided != [false, false] && one_sided {
            let end = if decided[0] { high } else { low };
            let slope = (rest[0] - ends[0]).abs().max((ends[1] - rest[last - 1]).abs());
            let reach = (piece.noise() / slope).min(1.0) * (high - low);
            let [low, high] = if decided[0] { [end - reach, end] } else { [end, end + reach] };
            found.push(Found { low, high, simple: None });
            return;
        }
    }
    let [left, right] = piece.halves();
    stack.push(right);
    stack.push(left);
}

/// The root between two values of opposite sign.
fn bracketed(polynomial: &Polynomial, mut low: f64, mut high: f64, falls: bool) -> f64 {
    let mut t = 0.5 * (low + high);
    for step in 0..MOST_STEPS {
        let (value, slope, noise) = polynomial.jet(t);
        if value == 0.0 {
            return t;
        }
        if (value > 0.0) == falls {
            low = t;
        } else {
            high = t;
        }
        let newton = t - value / slope;
        let inside = newton > low && newton < high;
        let next = if inside && step % 3 != 2 { newton } else { 0.5 * (low + high) };
        let settled = inside && (newton - t).abs() <= VALUE_ROUNDING_REL * t.abs();
        if settled || next <= low || next >= high {
            return if inside { newton } else { t };
        }
        if value.abs() <= noise && inside {
            return newton;
        }
        t = next;
    }
    t
}

/// Neighbours that touch become one cluster, which gets its multiplicity from the derivatives.
fn merged(polynomial: &Polynomial, found: Vec<Found>) -> Vec<Root> {
    let mut groups: Vec<Vec<Found>> = Vec::new();
    for one in found {
        match groups.last_mut() {
            Some(group) if group.iter().any(|other| one.low <= other.high) => group.push(one),
            _ => groups.push(vec![one]),
        }
    }
    groups.iter().map(|group| cluster(polynomial, group)).collect()
}

fn cluster(polynomial: &Polynomial, group: &[Found]) -> Root {
    let low = group.iter().fold(f64::INFINITY, |least, f| least.min(f.low));
    let high = group.iter().fold(f64::NEG_INFINITY, |most, f| most.max(f.high));
    if let [Found { simple: Some(value), .. }] = *group {
        return Root { value, low, high, multiplicity: 1 };
    }
    let reach = 0.5 * (high - low) + VALUE_ROUNDING_REL * low.abs().max(high.abs());
    let mut derivatives = vec![polynomial.clone()];
    for _ in 1..polynomial.degree() {
        derivatives.extend(derivatives.last().map(Polynomial::derivative));
    }
    // The highest derivative with a root in the bracket at which everything below it drowns in rounding.
    let fits = |&multiplicity: &usize| {
        let value = newton(&derivatives[multiplicity - 1], 0.5 * (low + high));
        let taylor = polynomial.shifted(value).stretched(reach);
        let noise = 2.0 * polynomial.jet(value).2;
        let drowned = taylor.coefficients()[..multiplicity].iter().all(|c| c.abs() <= noise);
        let inside = value >= low - reach && value <= high + reach;
        (inside && drowned).then_some((value, multiplicity))
    };
    let best = (1..=polynomial.degree()).rev().find_map(|m| fits(&m));
    // A bracket with a change of sign at its end and none within rounding: the end itself.
    let (value, multiplicity) = best.unwrap_or((0.5 * (low + high), 1));
    Root { value, low: low.min(value), high: high.max(value), multiplicity }
}

fn newton(polynomial: &Polynomial, start: f64) -> f64 {
    let mut t = start;
    for _ in 0..MOST_STEPS {
        let (value, slope, noise) = polynomial.jet(t);
        if value.abs() <= noise || slope == 0.0 {
            break;
        }
        t -= value / slope;
    }
    t
}

/// All real roots: those inside the unit interval of a scaled variable, and the reciprocals of those outside.
pub(crate) fn real_roots(polynomial: &Polynomial) -> Result<Vec<Root>, RootsError> {
    let coefficients = polynomial.coefficients();
    if polynomial.is_zero() {
        return Err(RootsError::Zero);
    }
    let zeros = coefficients.iter().take_while(|&&c| c == 0.0).count();
    let rest = &coefficients[zeros..];
    let n = rest.len() - 1;
    let mut roots = Vec::new();
    if n > 0 {
        // A power of two near the geometric mean of the roots: scaling by it does not round.
        let exponent =
            ((rest[0].abs().log2() - rest[n].abs().log2()) / n as f64).round().clamp(-500.0, 500.0) as i32;
        let scaled = scaled_by_power(rest, exponent)?;
        let unit = 2.0_f64.powi(exponent);
        let scale = |value: f64| value * unit;
        for root in roots_in(&scaled, -1.0, 1.0)? {
            let multiplicity = root.multiplicity;
            roots.push(Root {
                value: scale(root.value),
                low: scale(root.low),
                high: scale(root.high),
                multiplicity,
            });
        }
        for root in roots_in(&scaled.reversed(), -1.0, 1.0)?.iter().filter(|root| root.value != 0.0) {
            let value = scale(1.0 / root.value);
            // An end of the bracket beyond zero is infinity.
            let end =
                |end: f64| if end * root.value > 0.0 { scale(1.0 / end) } else { value * f64::INFINITY };
            let (low, high) = (end(root.high).min(end(root.low)), end(root.low).max(end(root.high)));
            // Brackets that meet at the unit are the same root or cluster, cut in two.
            match roots.iter_mut().find(|known| low <= known.high && high >= known.low) {
                Some(known) => {
                    (known.low, known.high) = (known.low.min(low), known.high.max(high));
                    known.multiplicity = known.multiplicity.max(root.multiplicity);
                }
                None => roots.push(Root { value, low, high, multiplicity: root.multiplicity }),
            }
        }
    }
    if zeros > 0 {
        roots.push(Root { value: 0.0, low: 0.0, high: 0.0, multiplicity: zeros });
    }
    roots.sort_by(|a, b| a.value.total_cmp(&b.value));
    Ok(roots)
}

/// Coefficients of p(2^exponent t), divided by a power of two that keeps them in range.
fn scaled_by_power(coefficients: &[f64], exponent: i32) -> Result<Polynomial, RootsError> {
    let power = |k: usize| exponent.saturating_mul(k as i32);
    let logarithm = |(k, c): (usize, &f64)| (*c != 0.0).then(|| c.abs().log2().floor() as i32 + power(k));
    let most = coefficients.iter().enumerate().filter_map(logarithm).max().unwrap_or(0);
    let scale = |(k, c): (usize, &f64)| {
        let shift = power(k) - most;
        let half = shift / 2;
        c * 2.0_f64.powi(half) * 2.0_f64.powi(shift - half)
    };
    Polynomial::new(coefficients.iter().enumerate().map(scale).collect())
}
