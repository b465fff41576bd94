//! What rounding takes off a distance that is evaluated at one point of one or two cells.
//!
//! Source: forward error analysis (Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 2–3).
//! Differs: one bound for a point of a rational Bézier net and one for its tangents, from the degrees, the largest coordinate
//! and how uneven the weights are.
//! Ends because: closed formulas.
//! Cost: some ten operations.
//! Not promised: the smallest bounds; they are several times what is seen.

use super::side::Cell;
use crate::tolerance::EVALUATION_ERROR_REL;
use clearance_geometry::DVec4;

/// Roundings of a point that do not depend on the degrees, in units of those of one degree.
const BASE: f64 = 5.0;

/// Errors of a point, and of its tangents by parameters from 0 to 1; lengths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lost {
    pub(crate) point: f64,
    pub(crate) tangent: f64,
}

/// What evaluating a point of a net of these degrees may lose, whose control points have no coordinate above `reach`; a length.
pub(crate) fn point_lost([p, q]: [usize; 2], reach: f64) -> f64 {
    EVALUATION_ERROR_REL * ((p + q) as f64 + BASE) * reach
}

impl Lost {
    /// Of a net of these degrees whose control points have no coordinate above `reach`, and whose largest weight is `uneven`
    /// times the least.
    ///
    /// A basis function of degree p is off by 2p + 6 units of half the spacing of numbers, relatively, and all terms of its
    /// sum are positive: with both sums, the weights and the division 6 (p + q + 5) of them, √3 times that in space. The
    /// derivative of a basis is p times a difference of two, and the quotient rule subtracts p times the unevenness of the
    /// weights once more: 3 p `uneven` times as much.
    pub(super) fn of_net([p, q]: [usize; 2], uneven: f64, reach: f64) -> Self {
        let point = point_lost([p, q], reach);
        Self { point, tangent: 3.0 * p.max(q) as f64 * uneven * point }
    }

    /// Of the same surface by control points that are off by a length: what that does to tangents grows as rounding does.
    pub(super) fn off_by(self, length: f64) -> Self {
        let share = if self.point > 0.0 { (self.point + length) / self.point } else { 1.0 };
        Self { point: self.point + length, tangent: self.tangent * share }
    }

    /// Of a cell with its net, which may be empty where a cell stands for something else than a part of a piece.
    pub(super) fn of_cell(cell: &Cell, net: &[DVec4]) -> Self {
        let reach = cell.center.abs().max_element() + cell.radius;
        Self::of_net(cell.degrees, unevenness(net.iter().map(|p| p.w)), reach)
    }

    /// Of the vector between points of two of them.
    pub(super) fn with(self, other: Self) -> Self {
        Self { point: self.point + other.point, tangent: self.tangent.max(other.tangent) }
    }

    /// What the tangent plane of half a squared distance may be too high: `distance` is that of the points, off by
    /// `self.point`, and each slope is the product of both with a tangent, whose square is an entry of `metric`.
    pub(super) fn of_half_square(&self, distance: f64, metric: impl IntoIterator<Item = f64>) -> f64 {
        let slope = |square: f64| distance * self.tangent + (square.sqrt() + self.tangent) * self.point;
        distance * self.point + metric.into_iter().map(slope).sum::<f64>()
    }
}

impl Lost {
    /// Of a second derivative: once more what the quotient rule does to a tangent.
    pub(super) fn second(&self) -> f64 {
        let share = if self.point > 0.0 { self.tangent / self.point } else { 0.0 };
        4.0 * share * self.tangent
    }

    /// What a second derivative of half a squared distance may be off: `metric` has the squares of the tangents first and
    /// last, `sharpest` is the greatest second derivative. The factor is for the products' own rounding.
    pub(super) fn of_bend(&self, distance: f64, metric: [f64; 3], sharpest: f64) -> f64 {
        let tangents = metric[0].sqrt() + metric[2].sqrt() + self.tangent;
        4.0 * (self.tangent * tangents + distance * self.second() + self.point * sharpest)
    }
}

/// The greatest of the weights over the least; 1 of none.
pub(super) fn unevenness(weights: impl Iterator<Item = f64>) -> f64 {
    // Plain comparisons: a minimum that minds NaN costs six times as much.
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for w in weights {
        least = if w < least { w } else { least };
        most = if w > most { w } else { most };
    }
    if most > 0.0 { most / least } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::pieces::{Powers, jet};
    use clearance_geometry::{DVec2, DVec3};
    use clearance_testkit::Random;

    /// A net far from the origin against the same net about the origin, whose rounding is a thousand times smaller.
    #[test]
    fn evaluation_loses_less_than_is_said() {
        let mut random = Random::new(7);
        let mut worst = [0.0_f64; 3];
        for _ in 0..2_000 {
            let degrees = [1 + random.index(5), 1 + random.index(5)];
            let count = (degrees[0] + 1) * (degrees[1] + 1);
            let far = random.direction() * 1024.0;
            // Short numbers, so that moving and weighting them rounds nothing.
            let short = |x: f64| (x * 1024.0).round() / 1024.0;
            let far = DVec3::new(short(far.x), short(far.y), short(far.z));
            let points: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(short(random.unit()), short(random.unit()), short(random.unit())))
                .collect();
            let weights: Vec<f64> = (0..count).map(|_| 0.5 + short(random.unit())).collect();
            let net = |shift: DVec3| -> Vec<DVec4> {
                points.iter().zip(&weights).map(|(p, w)| ((*p + shift) * *w).extend(*w)).collect()
            };
            let at = DVec2::new(random.unit(), random.unit());
            let (there, here) = (jet(degrees, &net(far), at), jet(degrees, &net(DVec3::ZERO), at));
            let lost = Lost::of_net(degrees, unevenness(weights.iter().copied()), 1025.0);
            worst[0] = worst[0].max((there.point - far - here.point).length() / lost.point);
            let off = (there.u - here.u).length().max((there.v - here.v).length());
            worst[1] = worst[1].max(off / lost.tangent);
            let off = [there.uu - here.uu, there.uv - here.uv, there.vv - here.vv].map(|d| d.length());
            worst[2] = off.into_iter().fold(worst[2], |most, off| most.max(off / lost.second()));
        }
        assert!(worst.iter().all(|share| *share < 0.9), "{worst:?}");
        assert!(worst[..2].iter().all(|share| *share > 1e-3), "the bounds are far too wide: {worst:?}");
    }

    /// The same for powers, by what their terms sum to.
    #[test]
    fn powers_lose_less_than_is_said() {
        let mut random = Random::new(8);
        let mut worst = [0.0_f64; 3];
        for round in 0..2_000 {
            let degrees = [1 + random.index(5), 1 + random.index(5)];
            let count = (degrees[0] + 1) * (degrees[1] + 1);
            let short = |x: f64| (x * 1024.0).round() / 1024.0;
            let far = random.direction() * 1024.0;
            let far = DVec3::new(short(far.x), short(far.y), short(far.z));
            let rational = round % 2 == 0;
            let points: Vec<(DVec3, f64)> = (0..count)
                .map(|_| {
                    let p = DVec3::new(short(random.unit()), short(random.unit()), short(random.unit()));
                    (p, if rational { 0.5 + short(random.unit()) } else { 1.0 })
                })
                .collect();
            let net = |shift: DVec3| -> Vec<DVec4> {
                points.iter().map(|(p, w)| ((*p + shift) * *w).extend(*w)).collect()
            };
            let at = DVec2::new(random.unit(), random.unit());
            let powers = Powers::of_net(degrees, &net(far)).unwrap();
            let (there, here) = (powers.jet(at), jet(degrees, &net(DVec3::ZERO), at));
            let lost = Lost::of_net(degrees, unevenness(points.iter().map(|p| p.1)), powers.spread());
            let most = |of: &[DVec3]| of.iter().fold(0.0_f64, |most, d| most.max(d.length()));
            let off = [
                most(&[there.point - far - here.point]) / lost.point,
                most(&[there.u - here.u, there.v - here.v]) / lost.tangent,
                most(&[there.uu - here.uu, there.uv - here.uv, there.vv - here.vv]) / lost.second(),
            ];
            worst = [0, 1, 2].map(|k| worst[k].max(off[k]));
        }
        assert!(worst.iter().all(|share| *share < 0.9), "{worst:?}");
    }
}
