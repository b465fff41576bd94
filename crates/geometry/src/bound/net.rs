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
use crate::curve::{binomial, project, xyz};
use crate::surface::BezierPatch;
use crate::tolerance::UNIT_ROUNDOFF_REL;
use glam::{DVec3, DVec4};
use std::ops::AddAssign;

/// Roundings charged for one product of coefficients with its sum.
const PRODUCT_ROUNDINGS: f64 = 64.0;

/// Bernstein coefficients times their binomials, each with a bound of its error and of its own size.
pub(super) struct Net<T> {
    rows: usize,
    columns: usize,
    pub(super) entries: Vec<Entry<T>>,
}

#[derive(Clone, Copy)]
pub(super) struct Entry<T> {
    pub(super) value: T,
    pub(super) size: f64,
    pub(super) error: f64,
}

impl<T: Copy> Net<T> {
    pub(super) fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> Entry<T>) -> Self {
        let entries = (0..rows * columns).map(|k| entry(k / columns, k % columns)).collect();
        Self { rows, columns, entries }
    }

    /// The net of products, by `product`.
    pub(super) fn times<U: Copy, V: Copy + Default + AddAssign>(
        &self,
        other: &Net<U>,
        product: impl Fn(T, U) -> V,
    ) -> Net<V> {
        let (rows, columns) = (self.rows + other.rows - 1, self.columns + other.columns - 1);
        let empty = Entry { value: V::default(), size: 0.0, error: 0.0 };
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

    /// The sum with a net of the same size.
    pub(super) fn plus(mut self, other: &Self) -> Self
    where
        T: AddAssign,
    {
        for (total, part) in self.entries.iter_mut().zip(&other.entries) {
            total.value += part.value;
            total.size += part.size;
            total.error += part.error;
        }
        self
    }

    pub(super) fn map<U>(&self, f: impl Fn(Entry<T>) -> Entry<U>) -> Net<U> {
        Net { rows: self.rows, columns: self.columns, entries: self.entries.iter().map(|&e| f(e)).collect() }
    }
}

/// The nets of a patch and of its normals, as polynomials.
pub(super) struct Normals {
    /// S_u × S_v up to a positive factor.
    pub(super) normal: Net<DVec3>,
    /// X · (X_u × X_v), for rational patches alone.
    pub(super) triple: Option<Net<f64>>,
}

/// The control points of a patch about a point amid them, with their errors.
pub(super) struct Maker {
    net: Vec<DVec4>,
    /// Error of a point, a length times a weight.
    pub(super) off: f64,
    pub(super) degrees: [usize; 2],
    /// Which sides (low and high u, low and high v) are single points, and which the one about which all is measured.
    collapsed: [bool; 4],
    pole: [bool; 4],
    rational: bool,
}

impl Maker {
    /// `sides` says which of the patch's sides (low and high u, low and high v) are sides of the patch as it was given:
    /// only there a collapsed row is one point.
    pub(super) fn new(patch: &BezierPatch, sides: [bool; 4]) -> Self {
        let mut sizes = Sizes::of(patch.net(), patch.roundings());
        // Errors: each entry of a centred point is off by `error`, a difference by twice that.
        let off = 2.0 * (sizes.error + sizes.error_w * sizes.largest);
        let collapsed = collapsed_sides(patch, sides, &sizes);
        let center = collapsed.iter().flatten().next().copied();
        let pole = collapsed.map(|point| point.is_some() && point == center);
        sizes.center = center.unwrap_or(sizes.center);
        let mut maker = Self {
            net: patch.net().iter().map(|&point| sizes.centered(point)).collect(),
            off,
            degrees: patch.degrees(),
            collapsed: collapsed.map(|point| point.is_some()),
            pole,
            rational: sizes.error_w != 0.0,
        };
        // About the point that a side is, that side is exactly zero, whatever its weights.
        let columns = maker.degrees[1] + 1;
        for k in 0..maker.net.len() {
            if maker.is_pole(k / columns, k % columns) {
                maker.net[k] = DVec4::new(0.0, 0.0, 0.0, maker.net[k].w);
            }
        }
        maker
    }

    fn sides(&self, i: usize, j: usize) -> [bool; 4] {
        let [p, q] = self.degrees;
        [i == 0, i == p, j == 0, j == q]
    }

    fn is_pole(&self, i: usize, j: usize) -> bool {
        let on = self.sides(i, j);
        (0..4).any(|side| on[side] && self.pole[side])
    }

    /// Whether the difference of two points is exactly zero.
    fn is_still(&self, [one, other]: [[usize; 2]; 2]) -> bool {
        if self.is_pole(one[0], one[1]) && self.is_pole(other[0], other[1]) {
            return true;
        }
        let (a, b) = (self.sides(one[0], one[1]), self.sides(other[0], other[1]));
        // Of points with weights only those about the centre are.
        !self.rational && one != other && (0..4).any(|side| a[side] && b[side] && self.collapsed[side])
    }

    pub(super) fn at(&self, i: usize, j: usize) -> DVec4 {
        self.net[i * (self.degrees[1] + 1) + j]
    }

    pub(super) fn entry(value: DVec4, factor: f64, error: f64) -> Entry<DVec4> {
        let value = value * factor;
        let size = xyz(value).length() + value.w.abs();
        Entry { value, size, error: factor * error }
    }

    /// A net of vectors and one of weights, from points or differences of points and the points that are in them.
    fn nets(
        &self,
        [rows, columns]: [usize; 2],
        f: &dyn Fn(usize, usize) -> DVec4,
        points: &dyn Fn(usize, usize) -> [[usize; 2]; 2],
        terms: f64,
    ) -> (Net<DVec3>, Net<f64>) {
        let factor = |i, j| binomial(rows - 1, i) * binomial(columns - 1, j);
        let vectors = Net::new(rows, columns, |i, j| {
            let value = xyz(f(i, j)) * factor(i, j);
            let error = if self.is_still(points(i, j)) { 0.0 } else { terms * self.off * factor(i, j) };
            Entry { value, size: value.length(), error }
        });
        let weights = Net::new(rows, columns, |i, j| {
            let value = f(i, j).w * factor(i, j);
            Entry { value, size: value.abs(), error: terms * self.off * factor(i, j) }
        });
        (vectors, weights)
    }

    pub(super) fn normals(&self) -> Normals {
        let [p, q] = self.degrees;
        let at = |i: usize, j: usize| self.at(i, j);
        let (x_u, w_u) =
            self.nets([p, q + 1], &|i, j| at(i + 1, j) - at(i, j), &|i, j| [[i + 1, j], [i, j]], 2.0);
        let (x_v, w_v) =
            self.nets([p + 1, q], &|i, j| at(i, j + 1) - at(i, j), &|i, j| [[i, j + 1], [i, j]], 2.0);
        let cross = x_u.times(&x_v, DVec3::cross);
        if !self.rational {
            return Normals { normal: cross, triple: None };
        }
        let (x, w) = self.nets([p + 1, q + 1], &at, &|i, j| [[i, j]; 2], 1.0);
        let triple = cross.times(&x, DVec3::dot);
        let normal = cross
            .times(&w, |n, w| n * w)
            .plus(&x_u.times(&x, DVec3::cross).times(&w_v, |n: DVec3, w| n * -w))
            .plus(&x.times(&x_v, DVec3::cross).times(&w_u, |n: DVec3, w| n * -w));
        Normals { normal, triple: Some(triple) }
    }
}

pub(super) fn vector(e: Entry<DVec4>) -> Entry<DVec3> {
    Entry { value: xyz(e.value), size: e.size, error: e.error }
}

pub(super) fn weight(e: Entry<DVec4>) -> Entry<f64> {
    Entry { value: e.value.w, size: e.size, error: e.error }
}

/// The cone of the normals of all of `patch`; `sides` as in [`Maker::new`].
pub(crate) fn normal_cone_of(patch: &BezierPatch, sides: [bool; 4]) -> DirectionCone {
    let normals = Maker::new(patch, sides).normals().normal;
    let vectors: Vec<(DVec3, f64)> = normals.entries.iter().map(|e| (e.value, e.error)).collect();
    DirectionCone::of_combinations(&vectors)
}

/// The point that a side (low and high u, low and high v) is, if all its points are equal up to the rounding of their
/// weights.
fn collapsed_sides(patch: &BezierPatch, sides: [bool; 4], sizes: &Sizes) -> [Option<DVec3>; 4] {
    let ([p, q], net) = (patch.degrees(), patch.net());
    let slack = if sizes.error_w == 0.0 { 0.0 } else { sizes.slack() };
    let one_point = |count: usize, at: &dyn Fn(usize) -> DVec4| {
        let first = project(at(0));
        (1..=count).all(|k| (project(at(k)) - first).abs().max_element() <= slack).then_some(first)
    };
    let row = |i: usize| one_point(q, &|j| net[i * (q + 1) + j]);
    let column = |j: usize| one_point(p, &|i| net[i * (q + 1) + j]);
    let [low_u, high_u, low_v, high_v] = sides;
    [
        low_u.then(|| row(0)).flatten(),
        high_u.then(|| row(p)).flatten(),
        low_v.then(|| column(0)).flatten(),
        high_v.then(|| column(q)).flatten(),
    ]
}
