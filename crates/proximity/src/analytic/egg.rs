//! The point of an ellipsoid nearest to any point, inside or outside, with a proven lower bound.
//!
//! Source: the nearest point is a² y / (a² + t) for the root t > −c² of Σ (a y / (a² + t))² = 1, c the least radius (Eberly,
//! *Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid*); where there is no root, the point is on the plane
//! of symmetry across the least radius, and both points beside that are nearest.
//! Differs: the root is looked for as s = t + c², so that nothing cancels next to the pole of the function; and the bound is that of
//! weak duality: for every t ≥ −c² the square of the distance is at least Σ y² t / (a² + t) − t.
//! Ends because: Newton's steps on a convex function from its left are counted.
//! Cost: some five to some twenty steps of about twenty operations; the more the closer the point is to the plane of symmetry.
//! Not promised: an answer where the steps run out; then there is none.

use clearance_geometry::surface::{Ellipsoid, Surface};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{DVec2, DVec3, angle};

/// Newton steps.
const STEPS: usize = 64;

/// The share of itself by which the root may move in the last step.
const SETTLED: f64 = 4.0 * f64::EPSILON;

/// Roundings of the bound, of its largest terms.
const ROUNDINGS: f64 = 32.0 * f64::EPSILON;

/// A nearest point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) point: DVec3,
    pub(crate) distance: f64,
    /// No point is closer.
    pub(crate) lower: f64,
    pub(crate) inside: bool,
    /// Longitude and latitude.
    pub(crate) at: DVec2,
}

/// The ellipsoid that a body is, if it is a whole one.
pub(crate) fn whole(body: &TiledBody) -> Option<&Ellipsoid> {
    let [face] = body.faces() else { return None };
    match &face.surface {
        Surface::Ellipsoid(egg) if face.loops.is_empty() && !face.reversed => Some(egg),
        _ => None,
    }
}

/// The nearest point of an ellipsoid, in the frame that the ellipsoid stands in.
pub(crate) fn nearest(egg: &Ellipsoid, point: DVec3) -> Option<Nearest> {
    let frame = egg.frame();
    let local = frame.apply_inverse(point);
    let radii = DVec3::from_array(egg.radii());
    let y = local.abs();
    let least = radii.min_element();
    // a² − c², without cancellation, and a y.
    let beyond = (radii - least) * (radii + least);
    let scaled = radii * y;
    let s = root(beyond, scaled)?;
    let share = |i: usize| if y[i] == 0.0 { 0.0 } else { y[i] / (beyond[i] + s) };
    let shares = DVec3::new(share(0), share(1), share(2));
    let mut found = radii * radii * shares;
    let rest = 1.0 - (found / radii).length_squared();
    if s == 0.0 && rest > 0.0 {
        let along = (0..3).find(|i| radii[*i] == least)?;
        found[along] = least * rest.sqrt();
    }
    // On the ellipsoid but for the last digit.
    found /= (found / radii).length();
    let signed = DVec3::new(found.x.copysign(local.x), found.y.copysign(local.y), found.z.copysign(local.z));
    let unit = signed / radii;
    let at = DVec2::new(angle(unit.y, unit.x), unit.z.atan2(unit.x.hypot(unit.y)));
    let distance = found.distance(y);
    let t = s - least * least;
    let dual = (y * shares).element_sum() * t - t;
    let lost = ROUNDINGS * ((y * shares).element_sum() * t.abs() + t.abs() + y.length_squared());
    let lower = (dual - lost).max(0.0).sqrt().min(distance);
    (distance.is_finite() && lower.is_finite()).then(|| Nearest {
        point: frame.apply(signed),
        distance,
        lower,
        inside: (y / radii).length_squared() < 1.0,
        at,
    })
}

/// The root of Σ (a y / (a² − c² + s))² = 1 over s > 0, or 0 where there is none.
fn root(beyond: DVec3, scaled: DVec3) -> Option<f64> {
    let value = |s: f64| {
        let (mut value, mut slope) = (-1.0, 0.0);
        for i in 0..3 {
            if scaled[i] > 0.0 {
                let inverse = 1.0 / (beyond[i] + s);
                let share = scaled[i] * inverse;
                value += share * share;
                slope -= 2.0 * share * share * inverse;
            }
        }
        (value, slope)
    };
    // With each term alone the root is known, and no more than the root of all.
    let alone = scaled - beyond;
    let mut s = alone.max_element().max(0.0);
    if s == 0.0 && value(0.0).0 <= 0.0 {
        return Some(0.0);
    }
    // Where all radii are the least one.
    let most = scaled.length();
    for _ in 0..STEPS {
        let (off, slope) = value(s);
        let step = -off / slope;
        if !step.is_finite() {
            return None;
        }
        s = (s + step).min(most);
        if step <= SETTLED * s {
            return Some(s);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::Pose;
    use clearance_testkit::Random;
    use std::f64::consts::{FRAC_PI_2, TAU};

    /// The distance by ever finer grids of longitudes and latitudes around the best few of a coarse one.
    fn by_grids(radii: DVec3, point: DVec3) -> f64 {
        let at = |u: f64, v: f64| radii * DVec3::new(u.cos() * v.cos(), u.sin() * v.cos(), v.sin());
        const STEP: f64 = TAU / 60.0;
        let count = 60;
        let mut coarse: Vec<(f64, f64, f64)> = Vec::new();
        for i in 0..count {
            for j in 0..=count / 2 {
                let (u, v) = (f64::from(i) * STEP, f64::from(j) * STEP - FRAC_PI_2);
                coarse.push((at(u, v).distance(point), u, v));
            }
        }
        coarse.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut least = f64::INFINITY;
        for &(mut best, mut u, mut v) in coarse.iter().take(24) {
            let mut step = 0.1;
            while step > 1e-9 {
                let around = [
                    (1.0, 0.0),
                    (-1.0, 0.0),
                    (0.0, 1.0),
                    (0.0, -1.0),
                    (1.0, 1.0),
                    (-1.0, -1.0),
                    (1.0, -1.0),
                    (-1.0, 1.0),
                ];
                let next = around.map(|(du, dv)| (u + du * step, v + dv * step));
                let next = next.into_iter().map(|(u, v)| (at(u, v).distance(point), u, v));
                let next = next.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap();
                if next.0 < best {
                    (best, u, v) = next;
                } else {
                    step *= 0.5;
                }
            }
            least = least.min(best);
        }
        least
    }

    #[test]
    fn nearest_points_of_ellipsoids_agree_with_grids() {
        let mut random = Random::new(71);
        let (mut within, mut level) = (0, 0);
        for case in 0..240 {
            let scale = [1e-6, 1.0, 1e6][case % 3];
            let mut radii =
                DVec3::new(random.uniform(0.2, 3.0), random.uniform(0.2, 3.0), random.uniform(0.2, 3.0));
            if case % 5 == 0 {
                radii.y = radii.x;
            }
            if case % 7 == 0 {
                radii.z = radii.x;
            }
            let mut point = random.in_ball() * radii * random.uniform(0.0, 1.6);
            // On planes of symmetry and axes, and next to them.
            for axis in 0..3 {
                if random.chance(0.3) {
                    point[axis] *= *random.pick(&[0.0, 1e-15, 1e-9, 1e-4]);
                    level += 1;
                }
            }
            let pose = Pose::new(random.quaternion(), random.in_ball() * scale).unwrap();
            let egg = Ellipsoid::new(pose, (radii * scale).to_array()).unwrap();
            let found = nearest(&egg, pose.apply(point * scale)).unwrap();
            let expected = by_grids(radii, point) * scale;
            let at = format!("{radii} {point} {scale:e}: {expected} {found:?}");
            assert!(
                (found.distance - expected).abs() < 1e-7 * scale && found.distance < expected + 1e-12 * scale,
                "{at}"
            );
            assert!(found.lower <= found.distance && found.lower > found.distance - 1e-6 * scale, "{at}");
            let near = (found.distance - found.lower) * (found.distance + found.lower);
            assert!(near < 1e-12 * scale * scale, "{at}");
            let local = pose.apply_inverse(found.point) / scale / radii;
            assert!((local.length() - 1.0).abs() < 1e-12, "{at}");
            let (u, v) = (found.at.x, found.at.y);
            let there = DVec3::new(u.cos() * v.cos(), u.sin() * v.cos(), v.sin());
            assert!(there.distance(local) < 1e-9, "{at} {there} {local}");
            within += usize::from(found.inside);
        }
        assert!(within > 60 && level > 100, "{within} inside, {level} next to planes of symmetry");
    }
}
