//! Parts of a cell whose derivatives are known, bounded by what is seen at their middles.
//!
//! Source: Taylor's theorem about the middle m of a part, whose own parameters are off it by no more than a half:
//! S = m + S_u a + S_v b + ½ (S_uu a² + 2 S_uv ab + S_vv b²) + R with |R| ≤ (t₀ + 3t₁ + 3t₂ + t₃) / 48, where t are bounds on the
//! third derivatives; one and two orders less for the derivatives.
//! Differs: third derivatives are those of the cell that was cut, by the parameters of the part. So a part needs no control
//! points, and costs a tenth of one that has them.
//! Ends because: closed formulas.
//! Cost: some four hundred operations beside an evaluation.
//! Not promised: third derivatives as tight as those of the part's own control points.

use super::derivatives::{Ball, Derivatives};
use super::evaluation::Lost;
use super::point_bowl::Bowl;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::bound::{Obb, upright_axes};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// What is known of a part of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointPart {
    /// A box along its tangents, slack included, and the radius of a ball about the middle of the box.
    pub(super) bound: Obb,
    pub(super) radius: f64,
    /// Its first derivatives.
    pub(super) first: [Ball; 2],
    pub(super) bowl: Bowl,
}

impl PointPart {
    /// Of a part evaluated at its middle, by its own parameters, as its third derivatives are; its points may be off by a slack.
    pub(super) fn new(middle: SurfaceJet, third: [Ball; 4], lost: &Lost, slack: f64) -> Self {
        let [t0, t1, t2, t3] = third.map(|ball| ball.center.length() + ball.radius);
        let SurfaceJet { u, v, uu, uv, vv, .. } = middle;
        let (of_uu, of_uv, of_vv) = (uu.length(), uv.length(), vv.length());
        let (tangent, second) = (lost.tangent, lost.second());
        let ball = |center: DVec3, radius: f64, lost: f64| Ball {
            center,
            radius: radius * (1.0 + HEIGHT_ERROR_REL) + lost,
        };
        let first = [
            ball(u, 0.5 * (of_uu + of_uv) + 0.125 * (t0 + 2.0 * t1 + t2), tangent + second),
            ball(v, 0.5 * (of_uv + of_vv) + 0.125 * (t1 + 2.0 * t2 + t3), tangent + second),
        ];
        let second = [
            ball(uu, 0.5 * (t0 + t1), second),
            ball(uv, 0.5 * (t1 + t2), second),
            ball(vv, 0.5 * (t2 + t3), second),
        ];
        let beyond = (t0 + 3.0 * (t1 + t2) + t3) / 48.0 + (lost.point + tangent + lost.second());
        let bound = around(&middle, beyond, slack);
        let radius = bound.half.length() * (1.0 + HEIGHT_ERROR_REL);
        let bowl = Bowl::new(middle, &Derivatives { first, second }, third, radius);
        Self { bound, radius, first, bowl }
    }
}

/// Third derivatives by parameters of which so many make one of these.
pub(super) fn third_by(third: &[Ball; 4], width: DVec2) -> [Ball; 4] {
    let (x, y) = (width.x, width.y);
    let shares = [x * x * x, x * x * y, x * y * y, y * y * y];
    [0, 1, 2, 3].map(|k| Ball { center: third[k].center * shares[k], radius: third[k].radius * shares[k] })
}

/// A box around Taylor's terms of second order and a length beyond them. Squares of a parameter are from 0 to a quarter, so that
/// they move the middle by half of what they reach.
fn around(middle: &SurfaceJet, beyond: f64, slack: f64) -> Obb {
    let SurfaceJet { point, u, v, uu, uv, vv } = *middle;
    let (along, side) = if u.length_squared() < v.length_squared() { (v, u) } else { (u, v) };
    let axes = upright_axes(along.normalize_or(DVec3::X), side);
    let center = point + (uu + vv) * (1.0 / 16.0);
    let to_axes = axes.transpose();
    let of = |way: DVec3| (to_axes * way).abs();
    let half = (of(u) + of(v)) * 0.5 + of(uv) * 0.25 + (of(uu) + of(vv)) * (1.0 / 16.0) + beyond;
    // As for a box around control points.
    let reach = center.abs().max_element() + half.length() * (1.0 + HEIGHT_ERROR_REL);
    let lost = 16.0 * HEIGHT_ERROR_REL * reach;
    Obb { center, axes, half: half + (slack * (1.0 + HEIGHT_ERROR_REL) + lost) }
}

#[cfg(test)]
mod tests {
    use super::super::derivatives::{Patch, Slopes};
    use super::super::evaluation::unevenness;
    use super::*;
    use clearance_geometry::DVec4;
    use clearance_geometry::pieces::Powers;
    use clearance_testkit::Random;

    /// Samples of parts are in their boxes, balls and bounds on derivatives, and some all but reach them.
    #[test]
    fn parts_hold_their_samples() {
        let mut random = Random::new(61);
        let mut reached = [0.0_f64; 3];
        for round in 0..1_500 {
            let degrees = *random.pick(&[[1, 1], [2, 2], [3, 3], [3, 1], [2, 4], [4, 5]]);
            let wave = random.log_uniform(-3.0, 0.0);
            let far = random.direction() * random.log_uniform(-1.0, 2.0);
            let mut net = Vec::new();
            for i in 0..=degrees[0] {
                for j in 0..=degrees[1] {
                    let flat = DVec3::new(i as f64 / degrees[0] as f64, j as f64 / degrees[1] as f64, 0.0);
                    let w = if round % 2 == 0 { random.uniform(0.6, 1.5) } else { 1.0 };
                    net.push(((flat + random.direction() * wave + far) * w).extend(w));
                }
            }
            let center = far + DVec3::new(0.5, 0.5, 0.0);
            let radius =
                net.iter().fold(0.0_f64, |most, p: &DVec4| most.max((p.truncate() / p.w).distance(center)));
            let patch = Patch { dimension: 2, degrees, center, radius: radius * (1.0 + 1e-15), far: 0.0 };
            let (_, third) = Slopes::new(&patch, &net).with_third(&patch, &net);
            let powers = Powers::of_net(degrees, &net).unwrap();
            let lost = Lost::of_net(degrees, unevenness(net.iter().map(|p| p.w)), powers.spread());
            let cuts = [random.index(5), random.index(5)];
            let width = DVec2::new(0.5_f64.powi(cuts[0] as i32), 0.5_f64.powi(cuts[1] as i32));
            let low =
                width * DVec2::new(random.index(1 << cuts[0]) as f64, random.index(1 << cuts[1]) as f64);
            let own = |jet: SurfaceJet| jet.per_extents(width);
            let part =
                PointPart::new(own(powers.jet(low + 0.5 * width)), third_by(&third, width), &lost, 0.0);
            for k in 0..40 {
                let at = DVec2::new(random.unit(), random.unit());
                let at = if k % 2 == 0 { at.round() } else { at };
                let sample = own(powers.jet(low + width * at));
                let off = sample.point - part.bound.center;
                let heights = (part.bound.axes.transpose() * off).abs() / part.bound.half;
                reached[0] = reached[0].max(heights.max_element());
                reached[0] = reached[0].max(off.length() / part.radius);
                for (ball, derivative) in part.first.iter().zip([sample.u, sample.v]) {
                    reached[1] = reached[1].max(derivative.distance(ball.center) / ball.radius);
                }
                let point = part.bound.center + random.direction();
                let terms = part.bowl.terms(point);
                let cubics = part.bowl.cubics(point - part.bound.center, 1.0);
                let least = part.bowl.least(2, &terms, &cubics, &lost);
                let half_square = 0.5 * sample.point.distance_squared(point);
                reached[2] = reached[2].max(least / half_square);
            }
        }
        assert!(reached.iter().all(|share| *share <= 1.0 && *share > 0.97), "{reached:?}");
    }
}
