//! One polynomial tile: value and derivatives from powers or from its Bézier net.
//!
//! Source: nested multiplication in v for each row, then in u.
//! Differs: the three quantities that u needs of each row are computed together.
//! Ends because: loops run over coefficients.
//! Cost: for degrees (p, q), (p + 1)(3q − 3) + 6p − 4 four-lane products; bicubic 38.
//! Not promised: accuracy far outside the tile.

use super::SurfaceJet;
use crate::curve::{bernstein_of, horner, horner_first, horner_value, with_bernstein, xyz};
use glam::DVec4;

/// Derivatives of (x·w, y·w, z·w, w) by the local coordinates; the pure second ones are halved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Homogeneous {
    value: DVec4,
    u: DVec4,
    v: DVec4,
    half_uu: DVec4,
    uv: DVec4,
    half_vv: DVec4,
}

impl Homogeneous {
    /// In space, by the parameters, where w = 1; `du` and `dv` are one over the sides of the tile.
    #[inline(always)]
    pub(crate) fn plain(&self, du: f64, dv: f64) -> SurfaceJet {
        SurfaceJet {
            point: xyz(self.value),
            u: xyz(self.u) * du,
            v: xyz(self.v) * dv,
            uu: xyz(self.half_uu) * (2.0 * du * du),
            uv: xyz(self.uv) * (du * dv),
            vv: xyz(self.half_vv) * (2.0 * dv * dv),
        }
    }

    /// In space, by the parameters, divided by w.
    #[inline(always)]
    pub(crate) fn quotient(&self, du: f64, dv: f64) -> SurfaceJet {
        let over = 1.0 / self.value.w;
        let (over_u, over_v) = (over * du, over * dv);
        let point = xyz(self.value) * over;
        // Derivatives of w over w, by the parameters.
        let (w_u, w_v) = (self.u.w * over_u, self.v.w * over_v);
        let u = xyz(self.u) * over_u - point * w_u;
        let v = xyz(self.v) * over_v - point * w_v;
        let (uu, uv, vv) = (2.0 * du * over_u, du * over_v, 2.0 * dv * over_v);
        SurfaceJet {
            point,
            u,
            v,
            uu: xyz(self.half_uu) * uu - u * (2.0 * w_u) - point * (self.half_uu.w * uu),
            uv: xyz(self.uv) * uv - u * w_v - v * w_u - point * (self.uv.w * uv),
            vv: xyz(self.half_vv) * vv - v * (2.0 * w_v) - point * (self.half_vv.w * vv),
        }
    }
}

/// From powers about the middle, at local coordinates −½ … ½.
#[inline(always)]
pub(crate) fn power_jet(degrees: [usize; 2], tile: &[DVec4], x: f64, y: f64) -> Homogeneous {
    // The usual degrees with loops of known length; the others with room for the highest.
    match degrees {
        [1, 1] => fixed::<2, 2>(tile, x, y),
        [1, 2] => fixed::<2, 3>(tile, x, y),
        [1, 3] => fixed::<2, 4>(tile, x, y),
        [2, 1] => fixed::<3, 2>(tile, x, y),
        [2, 2] => fixed::<3, 3>(tile, x, y),
        [2, 3] => fixed::<3, 4>(tile, x, y),
        [3, 1] => fixed::<4, 2>(tile, x, y),
        [3, 2] => fixed::<4, 3>(tile, x, y),
        [3, 3] => fixed::<4, 4>(tile, x, y),
        [_, q] => any(q, tile, x, y),
    }
}

#[inline(always)]
fn fixed<const M: usize, const N: usize>(tile: &[DVec4], x: f64, y: f64) -> Homogeneous {
    let mut rows = [[DVec4::ZERO; M]; 3];
    let tile = &tile[..M * N];
    for i in 0..M {
        let row = horner(&tile[i * N..i * N + N], y);
        rows[0][i] = row.value;
        rows[1][i] = row.first;
        rows[2][i] = row.half_second;
    }
    across(&rows[0], &rows[1], &rows[2], x)
}

#[inline(never)]
fn any(q: usize, tile: &[DVec4], x: f64, y: f64) -> Homogeneous {
    const MOST: usize = crate::tolerance::POWER_DEGREE + 1;
    let mut rows = [[DVec4::ZERO; MOST]; 3];
    let mut count = 0;
    for (i, row) in tile.chunks_exact(q + 1).enumerate() {
        let row = horner(row, y);
        rows[0][i] = row.value;
        rows[1][i] = row.first;
        rows[2][i] = row.half_second;
        count += 1;
    }
    across(&rows[0][..count], &rows[1][..count], &rows[2][..count], x)
}

/// The second half: along u, from what each row gave along v.
#[inline(always)]
fn across(values: &[DVec4], firsts: &[DVec4], half_seconds: &[DVec4], x: f64) -> Homogeneous {
    let value = horner(values, x);
    let [v, uv] = horner_first(firsts, x);
    Homogeneous {
        value: value.value,
        u: value.first,
        v,
        half_uu: value.half_second,
        uv,
        half_vv: horner_value(half_seconds, x),
    }
}

/// From a Bézier net, at coordinates 0 … 1: stable at any degree.
pub(crate) fn bernstein_jet(degrees: [usize; 2], net: &[DVec4], s: f64, t: f64) -> Homogeneous {
    // The usual degrees with loops of known length.
    match degrees {
        [1, 0] => of_fixed::<2, 1>(net, s, t),
        [1, 1] => of_fixed::<2, 2>(net, s, t),
        [2, 0] => of_fixed::<3, 1>(net, s, t),
        [2, 1] => of_fixed::<3, 2>(net, s, t),
        [2, 2] => of_fixed::<3, 3>(net, s, t),
        [3, 0] => of_fixed::<4, 1>(net, s, t),
        [3, 3] => of_fixed::<4, 4>(net, s, t),
        _ => of_any(degrees, net, s, t),
    }
}

#[inline(always)]
fn of_fixed<const M: usize, const N: usize>(net: &[DVec4], s: f64, t: f64) -> Homogeneous {
    let ([u0, u1, u2], [v0, v1, v2]) = (bernstein_of::<M>(s), bernstein_of::<N>(t));
    let net = &net[..M * N];
    let zero = DVec4::ZERO;
    let mut jet = Homogeneous { value: zero, u: zero, v: zero, half_uu: zero, uv: zero, half_vv: zero };
    for j in 0..N {
        let (mut value, mut first, mut second) = (zero, zero, zero);
        for i in 0..M {
            let point = net[i * N + j];
            value += point * u0[i];
            first += point * u1[i];
            second += point * u2[i];
        }
        jet.value += value * v0[j];
        jet.u += first * v0[j];
        jet.half_uu += second * v0[j];
        jet.v += value * v1[j];
        jet.uv += first * v1[j];
        jet.half_vv += value * v2[j];
    }
    jet
}

#[inline(never)]
fn of_any([p, q]: [usize; 2], net: &[DVec4], s: f64, t: f64) -> Homogeneous {
    with_bernstein(p, s, |u0, u1, u2| {
        with_bernstein(q, t, |v0, v1, v2| {
            let zero = DVec4::ZERO;
            let mut jet =
                Homogeneous { value: zero, u: zero, v: zero, half_uu: zero, uv: zero, half_vv: zero };
            // First along the higher degree, so that fewer lines are left for the other.
            if p >= q {
                for j in 0..=q {
                    let [value, first, second] = line(net[j..].iter().step_by(q + 1), [u0, u1, u2]);
                    jet.value += value * v0[j];
                    jet.u += first * v0[j];
                    jet.half_uu += second * v0[j];
                    jet.v += value * v1[j];
                    jet.uv += first * v1[j];
                    jet.half_vv += value * v2[j];
                }
            } else {
                for (i, row) in net.chunks_exact(q + 1).enumerate() {
                    let [value, first, second] = line(row.iter(), [v0, v1, v2]);
                    jet.value += value * u0[i];
                    jet.u += value * u1[i];
                    jet.half_uu += value * u2[i];
                    jet.v += first * u0[i];
                    jet.uv += first * u1[i];
                    jet.half_vv += second * u0[i];
                }
            }
            jet
        })
    })
}

/// The sums of points with each basis.
#[inline(always)]
fn line<'a>(points: impl Iterator<Item = &'a DVec4>, [zeroth, first, second]: [&[f64]; 3]) -> [DVec4; 3] {
    let mut sums = [DVec4::ZERO; 3];
    for (((&point, &a), &b), &c) in points.zip(zeroth).zip(first).zip(second) {
        sums[0] += point * a;
        sums[1] += point * b;
        sums[2] += point * c;
    }
    sums
}
