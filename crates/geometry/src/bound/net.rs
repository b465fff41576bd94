//! The cone of the normals of a Bézier patch.
//!
//! Source: the normal of a rational patch is a polynomial, N = w X_u × X_v − w_v X_u × X − w_u X × X_v up to a
//! positive factor; its Bernstein coefficients are products of those of its factors, and every normal is a
//! positive combination of them.
//! Differs: coefficients stay multiplied by their binomials, which changes no direction and makes products plain
//! convolutions. Each carries a bound of its error.
//! Ends because: loops run over control points.
//! Cost: (p q)² cross products for a polynomial patch of degrees (p, q), (p q)³ for a rational one.
//! Not promised: the smallest cone.

use super::DirectionCone;
use super::bezier::Sizes;
use crate::curve::{binomial, xyz};
use crate::surface::BezierPatch;
use crate::tolerance::UNIT_ROUNDOFF_REL;
use glam::{DVec3, DVec4};

/// Roundings charged for one product of coefficients with its sum.
const PRODUCT_ROUNDINGS: f64 = 64.0;

/// Bernstein coefficients times their binomials, each with a bound of its error and of its own size.
struct Net<T> {
    rows: usize,
    columns: usize,
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Copy)]
struct Entry<T> {
    value: T,
    size: f64,
    error: f64,
}

impl<T: Copy> Net<T> {
    fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> Entry<T>) -> Self {
        let entries = (0..rows * columns).map(|k| entry(k / columns, k % columns)).collect();
        Self { rows, columns, entries }
    }

    /// The net of products, by `product`.
    fn times<U: Copy>(&self, other: &Net<U>, product: impl Fn(T, U) -> DVec3) -> Net<DVec3> {
        let (rows, columns) = (self.rows + other.rows - 1, self.columns + other.columns - 1);
        let empty = Entry { value: DVec3::ZERO, size: 0.0, error: 0.0 };
        let mut entries = vec![empty; rows * columns];
        for (i, a) in self.entries.iter().enumerate() {
            for (j, b) in other.entries.iter().enumerate() {
                let row = i / self.columns + j / other.columns;
                let column = i % self.columns + j % other.columns;
                let out = &mut entries[row * columns + column];
                out.value += product(a.value, b.value);
                out.size += a.size * b.size;
                out.error += a.size * b.error
                    + a.error * b.size
                    + a.error * b.error
                    + PRODUCT_ROUNDINGS * UNIT_ROUNDOFF_REL * a.size * b.size;
            }
        }
        Net { rows, columns, entries }
    }

    fn map<U>(&self, f: impl Fn(Entry<T>) -> Entry<U>) -> Net<U> {
        Net { rows: self.rows, columns: self.columns, entries: self.entries.iter().map(|&e| f(e)).collect() }
    }
}

/// The cone of the normals of all of `patch`. `sides` says which of its sides (low and high u, low and high v) are
/// sides of the patch as it was given: only there a collapsed row is exactly one point.
pub(crate) fn normal_cone_of(patch: &BezierPatch, sides: [bool; 4]) -> DirectionCone {
    let sizes = Sizes::of(patch.net(), patch.roundings());
    let [p, q] = patch.degrees();
    let net: Vec<DVec4> = patch.net().iter().map(|&point| sizes.centered(point)).collect();
    let at = |i: usize, j: usize| net[i * (q + 1) + j];
    let collapsed = collapsed_sides(patch, sides);
    // Errors: each entry of a centred point is off by `error`, a difference by twice that.
    let off = 2.0 * (sizes.error + sizes.error_w * sizes.largest);
    let entry = |value: DVec4, factor: f64, error: f64| {
        let value = value * factor;
        let size = xyz(value).length() + value.w.abs();
        Entry { value, size, error: factor * error }
    };
    let by_u = Net::new(p, q + 1, |i, j| {
        let exact = (j == 0 && collapsed[2]) || (j == q && collapsed[3]);
        let factor = binomial(p - 1, i) * binomial(q, j);
        entry(at(i + 1, j) - at(i, j), factor, if exact { 0.0 } else { 2.0 * off })
    });
    let by_v = Net::new(p + 1, q, |i, j| {
        let exact = (i == 0 && collapsed[0]) || (i == p && collapsed[1]);
        let factor = binomial(p, i) * binomial(q - 1, j);
        entry(at(i, j + 1) - at(i, j), factor, if exact { 0.0 } else { 2.0 * off })
    });
    let vector = |e: Entry<DVec4>| Entry { value: xyz(e.value), size: e.size, error: e.error };
    let (x_u, x_v) = (by_u.map(vector), by_v.map(vector));
    let cross = x_u.times(&x_v, DVec3::cross);
    let normals = if sizes.error_w == 0.0 {
        cross
    } else {
        let weight = |e: Entry<DVec4>| Entry { value: e.value.w, size: e.size, error: e.error };
        let all = Net::new(p + 1, q + 1, |i, j| entry(at(i, j), binomial(p, i) * binomial(q, j), off));
        let (w_u, w_v) = (by_u.map(weight), by_v.map(weight));
        let (x, w) = (all.map(vector), all.map(weight));
        let mut sum = cross.times(&w, |n, w| n * w);
        let terms = [
            x_u.times(&x, DVec3::cross).times(&w_v, |n, w| n * -w),
            x.times(&x_v, DVec3::cross).times(&w_u, |n, w| n * -w),
        ];
        for term in terms {
            for (total, part) in sum.entries.iter_mut().zip(term.entries) {
                total.value += part.value;
                total.error += part.error;
            }
        }
        sum
    };
    let vectors: Vec<(DVec3, f64)> = normals.entries.iter().map(|e| (e.value, e.error)).collect();
    DirectionCone::of_combinations(&vectors)
}

/// Whether all points of a side (low and high u, low and high v) are the same, bit by bit.
fn collapsed_sides(patch: &BezierPatch, sides: [bool; 4]) -> [bool; 4] {
    let ([p, q], net) = (patch.degrees(), patch.net());
    let row = |i: usize| (0..=q).all(|j| net[i * (q + 1) + j] == net[i * (q + 1)]);
    let column = |j: usize| (0..=p).all(|i| net[i * (q + 1) + j] == net[j]);
    [sides[0] && row(0), sides[1] && row(p), sides[2] && column(0), sides[3] && column(q)]
}
