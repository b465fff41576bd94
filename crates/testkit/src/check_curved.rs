//! The check that every bound of a curve or surface must pass: it contains its samples.

use crate::Random;
use clearance_geometry::bound::{Aabb, ConvexBound, DerivativeBound, DirectionCone, NormalCone, Obb};
use clearance_geometry::curve::{Curve, ParametricCurve, Range, Rect};
use clearance_geometry::surface::{ParametricSurface, Surface, SurfaceJet};
use glam::DVec3;

/// A parameter of a range, its ends often.
fn sample(random: &mut Random, range: Range) -> f64 {
    match random.index(16) {
        0 => range.low,
        1 => range.high,
        _ => range.clamp(range.at(random.unit())),
    }
}

/// The convex bounds of a part, the hull by its height in a random direction.
struct Convex {
    aabb: Aabb<3>,
    obb: Obb,
    direction: DVec3,
    highest: f64,
}

impl Convex {
    fn of<S: ConvexBound>(shape: &S, part: S::Part, random: &mut Random) -> Self {
        let direction = random.direction();
        let highest = shape.hull(part).support(direction);
        Self { aabb: shape.aabb(part), obb: shape.obb(part), direction, highest }
    }

    /// The bound that does not hold a point.
    fn missing(&self, point: DVec3) -> Option<&'static str> {
        if !self.aabb.contains(point.to_array()) {
            Some("the box")
        } else if !self.obb.contains(point) {
            Some("the oriented box")
        } else {
            (point.dot(self.direction) > self.highest).then_some("the hull")
        }
    }
}

/// Samples a part of a curve; an error names the bound that misses a sample.
///
/// # Errors
/// The bound and the sample.
pub fn check_curve_bounds(
    curve: &Curve,
    part: Range,
    random: &mut Random,
    samples: usize,
) -> Result<(), String> {
    let convex = Convex::of(curve, part, random);
    let speeds = curve.derivative_bounds(part);
    for _ in 0..samples {
        let t = sample(random, part);
        let jet = curve.jet(t);
        let fail = |what: &str| Err(format!("{what} misses t = {t:?}: {jet:?}"));
        if let Some(bound) = convex.missing(jet.point) {
            return fail(bound);
        }
        if jet.first.length() > speeds.first {
            return fail("the first derivative's bound");
        }
        if jet.second.length() > speeds.second {
            return fail("the second derivative's bound");
        }
    }
    Ok(())
}

/// Samples a part of a surface; an error names the bound that misses a sample. Returns whether the cone of normals
/// said anything.
///
/// # Errors
/// The bound and the sample.
pub fn check_surface_bounds(
    surface: &Surface,
    part: Rect,
    random: &mut Random,
    samples: usize,
) -> Result<bool, String> {
    let convex = Convex::of(surface, part, random);
    let (speeds, cone) = (surface.derivative_bounds(part), surface.normal_cone(part));
    for _ in 0..samples {
        let (u, v) = (sample(random, part.u), sample(random, part.v));
        let jet = surface.jet(u, v);
        let fail = |what: &str| Err(format!("{what} misses ({u:?}, {v:?}): {jet:?}"));
        if let Some(bound) = convex.missing(jet.point) {
            return fail(bound);
        }
        let pairs = [
            (jet.u, speeds.u, "u"),
            (jet.v, speeds.v, "v"),
            (jet.uu, speeds.uu, "uu"),
            (jet.uv, speeds.uv, "uv"),
            (jet.vv, speeds.vv, "vv"),
        ];
        for (found, most, name) in pairs {
            if found.length() > most {
                return fail(&format!("the bound {most:e} of derivative {name}, {:e},", found.length()));
            }
        }
        if !cone_holds(surface, &cone, &jet) {
            return fail(&format!("the cone {cone:?} of normals"));
        }
    }
    Ok(!cone.is_full())
}

/// Whether the sampled normal, which is rounded itself, can be one of the cone.
fn cone_holds(surface: &Surface, cone: &DirectionCone, jet: &SurfaceJet) -> bool {
    // What one rounding of the coordinates does to a tangent: over the shortest piece of a spline.
    let per_parameter = match surface {
        Surface::Nurbs(nurbs) => [0, 1].map(|i| {
            let knots = &nurbs.knots()[i];
            let widths = (0..knots.piece_count()).map(|k| knots.piece(k).width());
            4.0 * knots.degree() as f64 / widths.fold(f64::INFINITY, f64::min)
        }),
        _ => [1.0, 1.0],
    };
    let rounding = 64.0 * f64::EPSILON;
    let size = match surface {
        Surface::Nurbs(_) | Surface::Revolution(_) | Surface::Extrusion(_) => jet.point.length(),
        _ => 0.0,
    };
    let off = |tangent: DVec3, per: f64| rounding * (tangent.length() + size * per);
    let (off_u, off_v) = (off(jet.u, per_parameter[0]), off(jet.v, per_parameter[1]));
    let error = jet.u.length() * off_v + jet.v.length() * off_u + off_u * off_v;
    let normal = jet.cross();
    if normal.length() <= error || cone.is_full() {
        return true;
    }
    let angle = cone.axis.cross(normal).length().atan2(cone.axis.dot(normal));
    angle <= cone.angle + 2.0 * error / normal.length()
}
