//! Whether half the squared distance from a point is a bowl over a cell, seen from one place of it.
//!
//! Source: Taylor's theorem along the segment from a place x of the cell to another, y = x + (a, b):
//! f(y) = f(x) + g·(a, b) + ½ (a, b) H (a, b) + ∫ ½ (1 − t)² f‴ dt, where f‴ is no more than F₀|a|³ + 3F₁a²|b| + 3F₂|a|b² + F₃|b|³.
//! With |a| ≤ α and |b| ≤ β the last term is at least −½ (a² (F₀α + 3F₁β) + b² (3F₂α + F₃β)) / 3: where H less these is
//! positive, the tangent plane at x is below the function all over the cell.
//! Differs: convexity all over the cell asks for three times as small third derivatives, and for all of H's range.
//! From the middle of a cell the same terms are a quadratic, whose least value over a square of parameters bounds f wherever
//! H is not positive too.
//! Ends because: closed formulas.
//! Cost: some eighty operations.
//! Not promised: the largest cells.

use super::derivatives::{Ball, Derivatives};
use super::evaluation::Lost;
use super::point_value::Value;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// Bounds on derivatives of half the squared distance from a point p over a cell with middle c, but for the terms with
/// p − c: these are dot products with derivatives of the cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bowl {
    /// The cell at the middle of its parameters.
    middle: SurfaceJet,
    /// Tangents' products uu, uv, vv there.
    metric: [f64; 3],
    /// Third derivatives for p = c: a middle and half a width; uuu, uuv, uvv, vvv.
    cubic: [[f64; 2]; 4],
    /// Third derivatives of the cell.
    third: [Ball; 4],
    /// The greatest second derivative of the cell.
    sharpest: f64,
}

impl Bowl {
    /// Of a cell within a radius about its middle. Third derivatives of ½|S − p|² are sums of S_i·S_jk, and
    /// (S − c)·S_ijk − (p − c)·S_ijk.
    pub(super) fn new(middle: SurfaceJet, derivatives: &Derivatives, third: [Ball; 4], radius: f64) -> Self {
        let ([u, v], [uu, uv, vv]) = (&derivatives.first, &derivatives.second);
        let sum = |at: usize, terms: [(f64, &Ball, &Ball); 2]| {
            let turn = radius * (third[at].center.length() + third[at].radius);
            terms.into_iter().fold([0.0, turn], |[middle, half], (times, one, other)| {
                let [dot, wide] = one.dot(other);
                [middle + times * dot, half + times * wide]
            })
        };
        let none = (0.0, u, u);
        let cubic = [
            sum(0, [(3.0, u, uu), none]),
            sum(1, [(2.0, u, uv), (1.0, v, uu)]),
            sum(2, [(2.0, v, uv), (1.0, u, vv)]),
            sum(3, [(3.0, v, vv), none]),
        ];
        let sharpest =
            [uu, uv, vv].into_iter().fold(0.0_f64, |most, ball| most.max(ball.center.length() + ball.radius));
        let metric = [middle.u.length_squared(), middle.u.dot(middle.v), middle.v.length_squared()];
        Self { middle, metric, cubic, third, sharpest }
    }

    /// Third derivatives of the cell.
    pub(super) const fn third(&self) -> &[Ball; 4] {
        &self.third
    }

    /// Bounds on the third derivatives for a point that is `off` from the middle, `length` away.
    #[inline]
    pub(super) fn cubics(&self, off: DVec3, length: f64) -> Cubics {
        let mut bounds = [0.0; 4];
        for ((bound, [middle, half]), third) in bounds.iter_mut().zip(&self.cubic).zip(&self.third) {
            *bound = (middle - off.dot(third.center)).abs() + half + length * third.radius;
        }
        Cubics { bounds, sharpest: self.sharpest }
    }

    /// Half the squared distance of a point at the middle, by Taylor's first terms.
    #[inline]
    pub(super) fn terms(&self, point: DVec3) -> Terms {
        let SurfaceJet { point: middle, u, v, uu, uv, vv } = self.middle;
        let r = middle - point;
        let bend = [self.metric[0] + r.dot(uu), self.metric[1] + r.dot(uv), self.metric[2] + r.dot(vv)];
        Terms { half_square: 0.5 * r.length_squared(), gradient: DVec2::new(r.dot(u), r.dot(v)), bend }
    }

    /// A lower bound on half the squared distance over a cell: Taylor's first terms at its middle are least on its parameters,
    /// once what third derivatives may take is taken off the second ones, and what rounding may.
    pub(super) fn least(&self, dimension: usize, terms: &Terms, cubics: &Cubics, lost: &Lost) -> f64 {
        let Terms { half_square, gradient: g, bend: [uu, uv, vv] } = *terms;
        let [uuu, uuv, uvv, vvv] = cubics.bounds;
        let distance = (2.0 * half_square).sqrt();
        let error = lost.of_half_square(distance, [self.metric[0], self.metric[2]])
            + 0.5 * lost.of_bend(distance, self.metric, self.sharpest);
        let size = half_square + g.x.abs() + g.y.abs() + uu.abs() + 2.0 * uv.abs() + vv.abs();
        let rounding = LEAST_ROUNDING * f64::EPSILON * (size + uuu + uuv + uvv + vvv);
        let least = match dimension {
            0 => 0.0,
            1 => least_along(g.x, uu - uuu / 6.0),
            _ => least_over(g, [uu - (uuu / 6.0 + 0.5 * uuv), uv, vv - (0.5 * uvv + vvv / 6.0)]),
        };
        half_square + least - error - rounding
    }

    /// Whether it is worth evaluating a place of the cell: by derivatives at its middle.
    pub(super) fn is_likely(&self, dimension: usize, terms: &Terms, at: DVec2, cubics: &Cubics) -> bool {
        let bend = terms.bend;
        let way = at - DVec2::splat(0.5);
        let gradient =
            terms.gradient + DVec2::new(bend[0] * way.x + bend[1] * way.y, bend[1] * way.x + bend[2] * way.y);
        is_positive(dimension, bend, gradient, &View { at, cubics: cubics.bounds }, 0.0)
    }
}

/// Taylor's first terms of half a squared distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    half_square: f64,
    pub(super) gradient: DVec2,
    /// Second derivatives uu, uv, vv.
    pub(super) bend: [f64; 3],
}

/// Roundings of the sums of [`Bowl::least`], each of less than their terms.
const LEAST_ROUNDING: f64 = 64.0;

/// The least of g a + ½ h a² for |a| ≤ ½.
#[inline]
fn least_along(g: f64, h: f64) -> f64 {
    let g = g.abs();
    // Not convex, or least beyond an end.
    if 2.0 * g >= h { 0.125 * h - 0.5 * g } else { -0.5 * g * g / h }
}

/// The least of g·d + ½ d H d over the square of half a unit around none: within it, or on a side.
#[inline]
fn least_over(g: DVec2, [uu, uv, vv]: [f64; 3]) -> f64 {
    let area = uu * vv - uv * uv;
    if uu > 0.0 && area > 0.0 {
        let (a, b) = (uv * g.y - vv * g.x, uv * g.x - uu * g.y);
        if 2.0 * a.abs() <= area && 2.0 * b.abs() <= area {
            return 0.5 * (g.x * a + g.y * b) / area;
        }
    }
    let side = |g: f64, h: f64, along: f64, mixed: f64, bend: f64| {
        let (one, other) = (
            0.5 * g + least_along(along + 0.5 * mixed, bend),
            -0.5 * g + least_along(along - 0.5 * mixed, bend),
        );
        0.125 * h + if one < other { one } else { other }
    };
    let (one, other) = (side(g.x, uu, g.y, uv, vv), side(g.y, vv, g.x, uv, uu));
    if one < other { one } else { other }
}

/// Bounds on derivatives of half the squared distance from one point over a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubics {
    /// Third ones: uuu, uuv, uvv, vvv.
    bounds: [f64; 4],
    /// The greatest second derivative of the cell.
    sharpest: f64,
}

impl Cubics {
    /// Whether the tangent plane at a value is below the function all over the cell.
    pub(super) fn is_proven(&self, dimension: usize, value: &Value, lost: &Lost) -> bool {
        let distance = (2.0 * value.half_square).sqrt();
        let error = lost.of_bend(distance, value.metric, self.sharpest);
        let slope = lost.of_half_square(distance, [value.metric[0], value.metric[2]]);
        let gradient = DVec2::from_array(value.gradient.to_array().map(|g| g.signum() * (g.abs() - slope)));
        is_positive(dimension, value.bend, gradient, &View { at: value.at, cubics: self.bounds }, error)
    }
}

/// A place of a cell with bounds on the third derivatives over the cell.
#[derive(Clone, Copy, Debug)]
struct View {
    at: DVec2,
    cubics: [f64; 4],
}

/// Whether second derivatives stay positive when bounds on third ones over the ways to the sides are taken off, and an error.
/// On a side from which the function rises into the cell, g a ≥ g a² / α is added: the tangent plane is lowest there anyway.
fn is_positive(
    dimension: usize,
    [uu, uv, vv]: [f64; 3],
    gradient: DVec2,
    View { at, cubics: [uuu, uuv, uvv, vvv] }: &View,
    error: f64,
) -> bool {
    let [a, b] = at.to_array().map(|at| at.max(1.0 - at));
    let rise = |at: f64, slope: f64| {
        let inward = if at <= 0.0 { slope } else { -slope };
        if (at <= 0.0 || at >= 1.0) && inward > 0.0 { 2.0 * inward } else { 0.0 }
    };
    match dimension {
        0 => true,
        1 => uu + rise(at.x, gradient.x) - error - uuu * a / 3.0 > 0.0,
        _ => {
            let along_u = uu + rise(at.x, gradient.x) - error - (uuu * a / 3.0 + uuv * b);
            let along_v = vv + rise(at.y, gradient.y) - error - (uvv * a + vvv * b / 3.0);
            let mixed = uv.abs() + error;
            along_u > 0.0 && along_v > 0.0 && along_u * along_v > mixed * mixed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::derivatives::{Patch, Slopes};
    use super::super::evaluation::unevenness;
    use super::*;
    use clearance_geometry::DVec4;
    use clearance_geometry::pieces::jet;
    use clearance_testkit::Random;

    /// A net near a plane, some way off the origin, with a ball around it.
    fn patch(random: &mut Random, degrees: [usize; 2], rational: bool) -> (Patch, Vec<DVec4>) {
        let wave = random.log_uniform(-3.0, 0.0);
        let far = random.direction() * random.log_uniform(-1.0, 2.0);
        let mut net = Vec::new();
        for i in 0..=degrees[0] {
            for j in 0..=degrees[1] {
                let flat = DVec3::new(i as f64 / degrees[0] as f64, j as f64 / degrees[1].max(1) as f64, 0.0);
                let w = if rational { random.uniform(0.6, 1.5) } else { 1.0 };
                net.push(((flat + random.direction() * wave + far) * w).extend(w));
            }
        }
        let center = far + DVec3::new(0.5, 0.5, 0.0);
        let radius = net.iter().fold(0.0_f64, |most, p| most.max((p.truncate() / p.w).distance(center)));
        let dimension = if degrees[1] > 0 { 2 } else { 1 };
        (Patch { dimension, degrees, center, radius: radius * (1.0 + 1e-15), far: 0.0 }, net)
    }

    /// Wherever it is proven, no sample of the cell is below the tangent plane.
    #[test]
    fn tangent_planes_are_below_bowls() {
        let mut random = Random::new(31);
        let (mut counts, mut closest) = ([0; 2], f64::INFINITY);
        for round in 0..6_000 {
            let degrees = *random.pick(&[[1, 1], [2, 2], [3, 3], [3, 1], [2, 4], [3, 0], [5, 0], [4, 5]]);
            let (patch, net) = patch(&mut random, degrees, round % 2 == 0);
            let (derivatives, third) = Slopes::new(&patch, &net).with_third(&patch, &net);
            let bowl = Bowl::new(jet(degrees, &net, DVec2::splat(0.5)), &derivatives, third, patch.radius);
            let off = random.direction() * random.log_uniform(-1.0, 1.0);
            let point = patch.center + off;
            let most = if patch.dimension == 2 { 1.0 } else { 0.0 };
            let side =
                |random: &mut Random| if random.chance(0.4) { random.unit().round() } else { random.unit() };
            let at = DVec2::new(side(&mut random), side(&mut random) * most);
            let value = Value::new(&jet(degrees, &net, at), point, at);
            let reach = patch.center.abs().max_element() + patch.radius;
            let lost = Lost::of_net(degrees, unevenness(net.iter().map(|p| p.w)), reach);
            let cubics = bowl.cubics(off, off.length());
            let terms = bowl.terms(point);
            let all_over = bowl.least(patch.dimension, &terms, &cubics, &lost);
            for _ in 0..20 {
                let there = DVec2::new(side(&mut random), side(&mut random) * most);
                let sample = Value::new(&jet(degrees, &net, there), point, there);
                assert!(sample.half_square >= all_over, "{degrees:?} {there} {all_over}");
                closest = closest.min((sample.half_square - all_over) / sample.half_square);
            }
            let is_proven = cubics.is_proven(patch.dimension, &value, &lost);
            counts[usize::from(is_proven)] += 1;
            if !is_proven {
                continue;
            }
            // Where the function rises into the cell, its least place is that side: the plane is level there.
            let fall = |at: f64, slope: f64| (-at * slope).min((1.0 - at) * slope);
            let least =
                value.half_square + fall(at.x, value.gradient.x) + most * fall(at.y, value.gradient.y);
            for _ in 0..60 {
                let there = DVec2::new(random.unit(), random.unit() * most);
                let sample = Value::new(&jet(degrees, &net, there), point, there);
                let slack = 1e-12 * (1.0 + reach) * (1.0 + off.length());
                assert!(sample.half_square >= least - slack, "{degrees:?} {at} {there} {least}");
            }
        }
        assert!(counts.iter().all(|count| *count > 600), "{counts:?}");
        assert!(closest < 1e-3, "the bounds are far too low: {closest:e}");
    }

    /// The least of a quadratic over a square is that of its places within rounding.
    #[test]
    fn quadratics_are_least_where_they_are_said_to_be() {
        let mut random = Random::new(32);
        for _ in 0..4_000 {
            let mut term = || random.uniform(-1.0, 1.0) * random.log_uniform(-3.0, 1.0);
            let (g, [uu, uv, vv]) = (DVec2::new(term(), term()), [term(), term(), term()]);
            let least = least_over(g, [uu, uv, vv]);
            let mut sampled = f64::INFINITY;
            for k in 0..=40 {
                for l in 0..=40 {
                    let (a, b) = (f64::from(k) / 40.0 - 0.5, f64::from(l) / 40.0 - 0.5);
                    let value = g.x * a + g.y * b + 0.5 * (uu * a * a + vv * b * b) + uv * a * b;
                    sampled = sampled.min(value);
                }
            }
            let size = g.x.abs() + g.y.abs() + uu.abs() + uv.abs() + vv.abs();
            assert!(least <= sampled + 1e-14 * size, "{g} {uu} {uv} {vv}: {least} {sampled}");
            assert!(least >= sampled - 1e-2 * size, "{g} {uu} {uv} {vv}: {least} {sampled}");
        }
    }
}
