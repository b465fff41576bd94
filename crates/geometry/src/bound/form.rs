//! Whether a Bézier patch is convex, from the signs of its second fundamental form.
//!
//! Source: for a rational patch with homogeneous points H the numbers det(H, H_u, H_v, H_uu) and so on are the entries of
//! the second fundamental form up to one positive factor, and polynomials; a polynomial is no less than the least of its
//! Bernstein coefficients.
//! Differs: a sign counts up to [`HOLLOW_REL`] of the size of the products behind a coefficient, without which rounding
//! would make a cylinder hollow.
//! Ends because: loops run over control points.
//! Cost: (p q)³ products for a polynomial patch of degrees (p, q), (p q)⁴ for a rational one.
//! Not promised: an answer for patches that are convex but whose coefficients are not all of one sign; halves have closer
//! ones.

use super::net::{Entry, Maker, Net, Normals, vector, weight};
use crate::curve::binomial;
use crate::surface::BezierPatch;
use crate::tolerance::HOLLOW_REL;
use glam::DVec4;

/// What the coefficients of the second fundamental form say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bend {
    /// Not at all.
    Flat,
    /// Against the normal, or flat, in all directions at all points.
    Inward,
    /// Toward the normal, or flat, in all directions at all points.
    Outward,
    /// Nothing is shown.
    Undecided,
}

/// The way in which a patch bends as seen from S_u × S_v.
pub(crate) fn bend_of(patch: &BezierPatch) -> Bend {
    let maker = Maker::new(patch, [false; 4]);
    let normals = maker.normals();
    let [p, q] = maker.degrees;
    let at = |i: usize, j: usize| maker.at(i, j);
    let uu = (p > 1).then(|| {
        Net::new(p - 1, q + 1, |i, j| {
            let factor = binomial(p - 2, i) * binomial(q, j) * (p as f64 - 1.0) / p as f64;
            Maker::entry(at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j), factor, 4.0 * maker.off)
        })
    });
    let uv = Net::new(p, q, |i, j| {
        let factor = binomial(p - 1, i) * binomial(q - 1, j);
        let value = at(i + 1, j + 1) - at(i, j + 1) - at(i + 1, j) + at(i, j);
        Maker::entry(value, factor, 4.0 * maker.off)
    });
    let vv = (q > 1).then(|| {
        Net::new(p + 1, q - 1, |i, j| {
            let factor = binomial(p, i) * binomial(q - 2, j) * (q as f64 - 1.0) / q as f64;
            Maker::entry(at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j), factor, 4.0 * maker.off)
        })
    });
    let l = uu.map(|uu| entry_of_form(&normals, &uu));
    let n = vv.map(|vv| entry_of_form(&normals, &vv));
    let m = entry_of_form(&normals, &uv);
    let sign = |net: &Option<Net<f64>>, sign: f64| {
        net.as_ref().is_none_or(|net| net.entries.iter().all(|e| is_above(e, sign)))
    };
    // Differences of neighbours make derivatives up to a positive factor, the same for L N and M M: (p q)².
    let squared = m.times(&m, |a, b| -a * b);
    let gauss = match (&l, &n) {
        (Some(l), Some(n)) => squared.plus(&l.times(n, |a, b| a * b)),
        _ => squared,
    };
    if !gauss.entries.iter().all(|e| is_above(e, 1.0)) {
        return Bend::Undecided;
    }
    match [-1.0, 1.0].map(|toward| sign(&l, toward) && sign(&n, toward)) {
        [true, true] => Bend::Flat,
        [true, false] => Bend::Inward,
        [false, true] => Bend::Outward,
        [false, false] => Bend::Undecided,
    }
}

/// det(H, H_u, H_v, D) for a second derivative D, up to a positive factor.
fn entry_of_form(normals: &Normals, second: &Net<DVec4>) -> Net<f64> {
    let along = normals.normal.times(&second.map(vector), glam::DVec3::dot);
    match &normals.triple {
        None => along,
        Some(triple) => along.plus(&triple.times(&second.map(weight), |t, w: f64| -t * w)),
    }
}

/// Whether a coefficient times `sign` is not negative, up to rounding and what counts as flat.
fn is_above(entry: &Entry<f64>, sign: f64) -> bool {
    // Written so that NaN is not.
    entry.value * sign >= -(HOLLOW_REL * entry.size + entry.error)
}
