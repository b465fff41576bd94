//! The little linear algebra that the plane and the solid case share.

use clearance_geometry::{DVec2, DVec3};
use std::ops::{Add, Mul, Neg, Sub};

/// Most planes a basis can hold: one more than the largest dimension.
pub(super) const MOST_PLANES: usize = 4;

/// One value per plane of a basis; the plane case leaves the last one zero.
pub(super) type PerPlane<T> = [T; MOST_PLANES];

/// A vector of the plane or of space.
pub(super) trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> + Neg<Output = Self>
{
    /// Planes of a basis: the dimension plus one.
    const PLANES: usize;
    /// The zero vector.
    const ZERO: Self;

    /// Inner product.
    fn dot(self, other: Self) -> f64;

    /// Length.
    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Coordinates, the missing ones zero.
    fn coordinates(self) -> [f64; 3];

    /// From coordinates.
    fn from_coordinates(coordinates: [f64; 3]) -> Self;

    /// Numbers c, not all zero unless the normals are degenerate, with Σ cᵢ nᵢ = 0: the cofactors of
    /// the matrix of normals. |cᵢ| is the volume spanned by the other normals.
    fn dependency(normals: &PerPlane<Self>) -> PerPlane<f64>;

    /// Vectors g with gᵢ·nⱼ = δᵢⱼ over all planes but `skip`, where g is zero.
    fn reciprocal(normals: &PerPlane<Self>, skip: usize) -> PerPlane<Self>;
}

impl Vector for DVec2 {
    const PLANES: usize = 3;
    const ZERO: Self = Self::ZERO;

    #[inline]
    fn dot(self, other: Self) -> f64 {
        Self::dot(self, other)
    }

    #[inline]
    fn coordinates(self) -> [f64; 3] {
        [self.x, self.y, 0.0]
    }

    #[inline]
    fn from_coordinates([x, y, _]: [f64; 3]) -> Self {
        Self::new(x, y)
    }

    #[inline]
    fn dependency(n: &PerPlane<Self>) -> PerPlane<f64> {
        [n[1].perp_dot(n[2]), n[2].perp_dot(n[0]), n[0].perp_dot(n[1]), 0.0]
    }

    #[inline]
    fn reciprocal(n: &PerPlane<Self>, skip: usize) -> PerPlane<Self> {
        let [i, j] = [[1, 2], [0, 2], [0, 1]][skip.min(2)];
        let determinant = n[i].perp_dot(n[j]);
        let mut g = [Self::ZERO; MOST_PLANES];
        g[i] = -n[j].perp() / determinant;
        g[j] = n[i].perp() / determinant;
        g
    }
}

impl Vector for DVec3 {
    const PLANES: usize = 4;
    const ZERO: Self = Self::ZERO;

    #[inline]
    fn dot(self, other: Self) -> f64 {
        Self::dot(self, other)
    }

    #[inline]
    fn coordinates(self) -> [f64; 3] {
        self.to_array()
    }

    #[inline]
    fn from_coordinates(coordinates: [f64; 3]) -> Self {
        Self::from_array(coordinates)
    }

    #[inline]
    fn dependency(n: &PerPlane<Self>) -> PerPlane<f64> {
        let (first, second) = (n[0].cross(n[1]), n[2].cross(n[3]));
        [n[1].dot(second), -n[0].dot(second), n[3].dot(first), -n[2].dot(first)]
    }

    #[inline]
    fn reciprocal(n: &PerPlane<Self>, skip: usize) -> PerPlane<Self> {
        let [i, j, k] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][skip & 3];
        let jk = n[j].cross(n[k]);
        let determinant = n[i].dot(jk);
        let mut g = [Self::ZERO; MOST_PLANES];
        g[i] = jk / determinant;
        g[j] = n[k].cross(n[i]) / determinant;
        g[k] = n[i].cross(n[j]) / determinant;
        g
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<V: Vector + std::fmt::Debug>(normals: PerPlane<V>) {
        let weights = V::dependency(&normals);
        let sum = (0..V::PLANES).fold(V::ZERO, |sum, i| sum + normals[i] * weights[i]);
        assert!(sum.length() < 1e-15, "{sum:?}");
        for skip in 0..V::PLANES {
            let g = V::reciprocal(&normals, skip);
            for i in (0..V::PLANES).filter(|&i| i != skip) {
                for j in (0..V::PLANES).filter(|&j| j != skip) {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((g[i].dot(normals[j]) - expected).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn dependency_and_reciprocal_hold_in_both_dimensions() {
        let p = |x, y| DVec2::new(x, y).normalize();
        check([p(1.0, 0.2), p(-0.3, 1.0), p(-0.8, -0.9), DVec2::ZERO]);
        let s = |x, y, z| DVec3::new(x, y, z).normalize();
        check([s(1.0, 0.2, -0.1), s(-0.3, 1.0, 0.4), s(-0.8, -0.9, 0.2), s(0.1, 0.0, -1.0)]);
    }
}
