//! All local minima of the distance from a point to the outline of a planar body.
//!
//! Source: 001 §V, planar bodies seen from inside and outside: one witness for each curve, and corners where both curves
//! lead away from the point: reflex ones seen from inside, convex ones from outside.
//! Differs: the critical points of a curve are all roots of one polynomial, W (M·M′) − (M·M) W′ with M = N − pW over the
//! Bézier pieces N / W, isolated by the signs of its Bernstein coefficients. So a curve may have several witnesses.
//! Ends because: intervals are halved at most [`DEPTH`] times.
//! Cost: O(d²) products for a piece of degree d, then a few halvings for each root.
//! Not promised: minima and maxima closer to each other than the halvings tell apart. Where all points of an arc are equally
//! near, the ends of its pieces stand for it.

use super::{CurveWitness, PlanarBody, PlanarPrepared};
use crate::tolerance::{CERTIFIED_REL, FOOT_ROUNDING_REL, SMOOTH_EDGE_RAD};
use crate::{Place, QueryError};
use clearance_geometry::pieces::Piece;
use clearance_geometry::{DVec2, Feature, VertexId};

/// Halvings of an interval with more than one root.
const DEPTH: usize = 40;

/// Halvings of an interval with one.
const STEPS: usize = 60;

/// A point of the outline that no neighbour on it is nearer than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarMinimum {
    /// Its distance from the point.
    pub distance: f64,
    /// Where it is, in the body's frame.
    pub witness: CurveWitness,
    /// Whether the outline is seen from its inside there: reflex corners always are, convex ones never. Of the nearest
    /// one this says where the point is.
    pub from_inside: bool,
}

/// Where `point`, in the body's frame, stands, and all local minima of its distance to the outline, the nearest first.
///
/// # Errors
/// [`QueryError::BadArgument`] for a point that is not finite, [`QueryError::NoPieces`] for a curve that is no rational spline.
///
/// ```
/// use clearance_geometry::{DVec2, Polygon};
/// use clearance_proximity::planar::{PlanarPrepared, local_minima};
/// let square = PlanarPrepared::new(&Polygon::rectangle(DVec2::splat(2.0))?.into())?;
/// // From inside every side has its foot, and no corner counts.
/// let (_, minima) = local_minima(&square, DVec2::new(0.5, 0.1))?;
/// assert_eq!(minima.len(), 4);
/// assert_eq!(minima[0].distance, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local_minima(body: &PlanarPrepared, point: DVec2) -> Result<(Place, Vec<PlanarMinimum>), QueryError> {
    let place = body.body().locate(point)?;
    let outline = outline(body);
    let mut found: Vec<PlanarMinimum> = Vec::new();
    for (piece, _) in &outline {
        let coefficients = slope(piece, point);
        let mut roots = Vec::new();
        rising_roots(&coefficients, [0.0, 1.0], DEPTH, &mut roots);
        for s in roots {
            let at = piece.point(DVec2::new(s, 0.0)).truncate();
            let curved = !piece.is_flat;
            let parameter = curved.then(|| piece.span.parameters(DVec2::new(s, 0.0)).x);
            let witness = CurveWitness { point: at, feature: piece.feature, parameter };
            let normal = body.body().normal(piece.feature, parameter);
            let from_inside = normal.is_some_and(|normal| normal.dot(point - at) < 0.0);
            found.push(PlanarMinimum { distance: at.distance(point), witness, from_inside });
        }
    }
    let size = point.abs().max_element() + body.tree().root().bound.half.length();
    for k in 0..outline.len() {
        let before = &outline[(k + outline.len() - 1) % outline.len()];
        joint(body.body(), before, &outline[k], point, &mut found);
    }
    if let [only] = body.tree().leaves() {
        // A single point.
        let at = only.point(DVec2::ZERO).truncate();
        let witness = CurveWitness { point: at, feature: only.feature, parameter: None };
        found.push(PlanarMinimum { distance: at.distance(point), witness, from_inside: false });
    }
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut kept: Vec<PlanarMinimum> = Vec::with_capacity(found.len());
    for minimum in found {
        let same =
            |k: &PlanarMinimum| k.witness.point.distance(minimum.witness.point) <= CERTIFIED_REL * size;
        if !kept.iter().any(same) {
            kept.push(minimum);
        }
    }
    Ok((place, kept))
}

/// The pieces of the edges in the order of the outline, and whether it runs against each.
fn outline(body: &PlanarPrepared) -> Vec<(&Piece, bool)> {
    let edges = body.tree().leaves().iter().filter(|piece| piece.dimension == 1);
    let PlanarBody::Tiled(tiled) = body.body() else {
        let mut all: Vec<(&Piece, bool)> = edges.map(|piece| (piece, false)).collect();
        // A segment runs out and back.
        if let [only] = all[..] {
            all.push((only.0, true));
        }
        return all;
    };
    let mut all: Vec<(&Piece, bool)> = Vec::new();
    let mut start = 0;
    for piece in edges {
        let reversed = tiled.sides()[piece.feature.number() as usize].reversed;
        if all[start..].first().is_some_and(|(first, _)| first.feature != piece.feature) {
            start = all.len();
        }
        if reversed {
            all.insert(start, (piece, true));
        } else {
            all.push((piece, false));
        }
    }
    all
}

/// Adds the place where two pieces of the outline meet, if the distance grows along both.
fn joint(
    body: &PlanarBody,
    before: &(&Piece, bool),
    after: &(&Piece, bool),
    point: DVec2,
    found: &mut Vec<PlanarMinimum>,
) {
    let end = |&(piece, reversed): &(&Piece, bool), last: bool| {
        let s = if last == reversed { 0.0 } else { 1.0 };
        let jet = piece.jet(DVec2::new(s, 0.0));
        let along = jet.u.truncate().normalize_or_zero();
        (jet.point.truncate(), if reversed { -along } else { along }, s)
    };
    let ((_, arriving, _), (at, leaving, s)) = (end(before, true), end(after, false));
    let away = at - point;
    let distance = away.length();
    let off = FOOT_ROUNDING_REL * (distance + at.abs().max_element());
    if away.dot(arriving) > off || away.dot(leaving) < -off {
        return;
    }
    let (piece, _) = *after;
    // Pieces of one curve meet inside it; those of two in a corner, which the later one begins at.
    let inside = before.0.feature == piece.feature && !std::ptr::eq(before.0, piece);
    let (feature, parameter) = match body {
        PlanarBody::Tiled(_) if inside => (piece.feature, Some(piece.span.parameters(DVec2::new(s, 0.0)).x)),
        PlanarBody::Tiled(_) => (Feature::Vertex(VertexId(piece.feature.number())), None),
        PlanarBody::Polygon(polygon) => {
            let edge = polygon.sides()[piece.feature.number() as usize];
            (Feature::Vertex(edge.vertices[usize::from(s > 0.5)]), None)
        }
    };
    // Where the outline turns neither way the normal tells.
    let turn = arriving.perp_dot(leaving);
    let from_inside = match feature {
        Feature::Vertex(_) if turn.abs() > SMOOTH_EDGE_RAD || arriving.dot(leaving) < 0.0 => turn < 0.0,
        _ => leaving.perp_dot(away) < 0.0,
    };
    let witness = CurveWitness { point: at, feature, parameter };
    found.push(PlanarMinimum { distance, witness, from_inside });
}

/// Bernstein coefficients of the slope of the squared distance along a piece, times a positive function.
fn slope(piece: &Piece, point: DVec2) -> Vec<f64> {
    let moved: Vec<DVec2> = piece.net.iter().map(|p| p.truncate().truncate() - point * p.w).collect();
    let weights: Vec<f64> = piece.net.iter().map(|p| p.w).collect();
    let [x, y] = [0, 1].map(|axis| moved.iter().map(|p| p[axis]).collect::<Vec<f64>>());
    let derived = |c: &[f64]| -> Vec<f64> {
        let degree = (c.len() - 1) as f64;
        c.windows(2).map(|pair| degree * (pair[1] - pair[0])).collect()
    };
    let sum = |a: Vec<f64>, b: Vec<f64>, sign: f64| -> Vec<f64> {
        a.iter().zip(&b).map(|(a, b)| a + sign * b).collect()
    };
    let rate = sum(product(&x, &derived(&x)), product(&y, &derived(&y)), 1.0);
    let square = sum(product(&x, &x), product(&y, &y), 1.0);
    sum(product(&weights, &rate), product(&square, &derived(&weights)), -1.0)
}

/// The product of two polynomials by their Bernstein coefficients.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let (m, n) = (a.len() - 1, b.len() - 1);
    let mut found = vec![0.0; m + n + 1];
    for i in 0..=m {
        for j in 0..=n {
            found[i + j] += binomial(m, i) * binomial(n, j) * a[i] * b[j];
        }
    }
    for (k, value) in found.iter_mut().enumerate() {
        *value /= binomial(m + n, k);
    }
    found
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |value, i| value * (n - i) as f64 / (i + 1) as f64)
}

/// Roots strictly within an interval where a polynomial goes from negative to positive.
fn rising_roots(coefficients: &[f64], [low, high]: [f64; 2], depth: usize, roots: &mut Vec<f64>) {
    let most = coefficients.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let signs = coefficients.iter().filter(|c| c.abs() > FOOT_ROUNDING_REL * most).map(|c| *c > 0.0);
    let signs: Vec<bool> = signs.collect();
    let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let middle = 0.5 * (low + high);
    let (first, last) = (signs.first().copied().unwrap_or(true), signs.last().copied().unwrap_or(true));
    if changes == 0 || (changes == 1 && first) {
        return;
    }
    if changes == 1 && !first && last {
        roots.push(low + (high - low) * single_root(coefficients));
        return;
    }
    let [one, other] = split(coefficients);
    // A root at the cut belongs to neither half.
    let near_zero = other[0].abs() <= FOOT_ROUNDING_REL * most;
    let rises = one.iter().rev().nth(1).is_some_and(|c| *c < 0.0) && other.get(1).is_some_and(|c| *c > 0.0);
    if near_zero && rises {
        roots.push(middle);
    }
    if depth > 0 {
        rising_roots(&one, [low, middle], depth - 1, roots);
        rising_roots(&other, [middle, high], depth - 1, roots);
    }
}

/// The one root between 0 and 1 of a polynomial that is negative before it.
fn single_root(coefficients: &[f64]) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if value(coefficients, middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn value(coefficients: &[f64], s: f64) -> f64 {
    let mut row = coefficients.to_vec();
    for level in (1..row.len()).rev() {
        for i in 0..level {
            row[i] += s * (row[i + 1] - row[i]);
        }
    }
    row[0]
}

/// De Casteljau's cut in the middle.
fn split(coefficients: &[f64]) -> [Vec<f64>; 2] {
    let mut row = coefficients.to_vec();
    let mut left = Vec::with_capacity(row.len());
    // What falls off the left side of the triangle is one half, what stays at the right side the other.
    for level in (0..row.len()).rev() {
        left.push(row[0]);
        for i in 0..level {
            row[i] = 0.5 * (row[i] + row[i + 1]);
        }
    }
    [left, row]
}
