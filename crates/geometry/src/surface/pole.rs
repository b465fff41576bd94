//! Poles: parameter lines that collapse into a point, and the normals there.

use super::jet::unit;
use super::{NurbsSurface, ParametricSurface, Revolution, Surface};
use crate::Pose;
use crate::curve::{Curve, Direction, ParametricCurve, Turn, project};
use crate::tolerance::{CLOSED_REL, POLE_NORMAL_RAD, POLE_STEP_REL};
use glam::{DVec2, DVec3, DVec4};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A parameter line that is one point: a pole of a sphere, the apex of a cone, a collapsed row of a net.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pole {
    /// The parameter that is constant along the collapsed line: `V` for the poles of a sphere.
    pub direction: Direction,
    /// Its value.
    pub at: f64,
    /// The point.
    pub point: DVec3,
    /// The normal, where all directions of approach agree on one; a cone has none.
    pub normal: Option<DVec3>,
}

impl Surface {
    /// Every pole within the domain, in order of its parameter. Of a surface of revolution those that samples of
    /// its curve lead to; none of a parabola, hyperbola or helix, which have no ends.
    ///
    /// ```
    /// use clearance_geometry::{Pose, surface::{Cone, Surface}};
    /// let cone = Surface::from(Cone::new(Pose::IDENTITY, 1.0, -0.5)?);
    /// let poles = cone.poles();
    /// assert_eq!((poles[0].at, poles[0].normal), (2.0, None));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn poles(&self) -> Vec<Pole> {
        let on_axis = |frame: &Pose, at: f64, z: f64, normal: f64| Pole {
            direction: Direction::V,
            at,
            point: frame.apply(DVec3::Z * z),
            normal: (normal != 0.0).then(|| frame.rotate(DVec3::Z * normal)),
        };
        let ends = |frame: &Pose, z: f64| {
            vec![on_axis(frame, -FRAC_PI_2, -z, -1.0), on_axis(frame, FRAC_PI_2, z, 1.0)]
        };
        match self {
            Self::Sphere(sphere) => ends(sphere.frame(), sphere.radius()),
            Self::Ellipsoid(ellipsoid) => ends(ellipsoid.frame(), ellipsoid.radii()[2]),
            Self::Cone(cone) => vec![on_axis(cone.frame(), cone.apex(), cone.apex(), 0.0)],
            Self::Paraboloid(paraboloid) => vec![on_axis(paraboloid.frame(), 0.0, 0.0, -1.0)],
            Self::Torus(torus) if torus.minor() >= torus.major() => {
                let half = (-torus.major() / torus.minor()).acos();
                let height = torus.minor() * half.sin();
                if half >= PI {
                    return vec![on_axis(torus.frame(), PI, 0.0, 0.0)];
                }
                vec![
                    on_axis(torus.frame(), half, height, 0.0),
                    on_axis(torus.frame(), TAU - half, -height, 0.0),
                ]
            }
            Self::Revolution(_) => self.revolution_poles(),
            Self::Nurbs(nurbs) => nurbs.poles(),
            _ => Vec::new(),
        }
    }

    fn revolution_poles(&self) -> Vec<Pole> {
        let Self::Revolution(surface) = self else { return Vec::new() };
        let (curve, axis) = (surface.curve(), surface.axis());
        let mut poles: Vec<Pole> = Vec::new();
        for at in axis_candidates(surface) {
            let jet = curve.jet(at);
            let offset = jet.point - surface.origin();
            let size = jet.point.abs().max_element().max(offset.abs().max_element());
            let known = poles.iter().any(|pole| (pole.point - jet.point).length() <= POLE_STEP_REL * size);
            if !known && axis.cross(offset).length() <= CLOSED_REL * size {
                // All directions agree where the curve meets the axis at a right angle.
                let square = axis.dot(jet.first).abs() <= POLE_STEP_REL * jet.first.length();
                let normal = if square { self.normal(0.0, at) } else { None };
                poles.push(Pole { direction: Direction::V, at, point: jet.point, normal });
            }
        }
        poles.sort_by(|a, b| a.at.total_cmp(&b.at));
        poles
    }
}

/// Samples per piece of a curve in the search for points on the axis.
const SAMPLES: usize = 16;

/// Newton steps towards the axis.
const STEPS: usize = 40;

/// Parameters at which the curve of a surface of revolution is nearest to the axis.
fn axis_candidates(surface: &Revolution) -> Vec<f64> {
    let (curve, axis) = (surface.curve(), surface.axis());
    let out = |p: DVec3| p - axis * axis.dot(p);
    if let Curve::Line(line) = curve {
        let (from, step) = (out(line.origin() - surface.origin()), out(line.direction()));
        let square = step.length_squared();
        return if square > 0.0 { vec![-from.dot(step) / square] } else { Vec::new() };
    }
    let domain = curve.domain();
    if !domain.is_bounded() {
        return Vec::new();
    }
    let pieces = if let Curve::Nurbs(nurbs) = curve { nurbs.knots().piece_count() } else { 4 };
    let count = pieces * SAMPLES;
    let at = |k: usize| domain.at(k as f64 / count as f64);
    let height = |k: usize| out(curve.point(at(k)) - surface.origin()).length_squared();
    let heights: Vec<f64> = (0..=count).map(height).collect();
    let low = |k: &usize| {
        (*k == 0 || heights[*k] <= heights[*k - 1]) && (*k == count || heights[*k] <= heights[*k + 1])
    };
    let refine = |k: usize| {
        let mut t = at(k);
        for _ in 0..STEPS {
            let jet = curve.jet(t);
            let (p, d) = (out(jet.point - surface.origin()), out(jet.first));
            // Gauss–Newton: the distance vanishes at what is looked for.
            let step = p.dot(d) / d.length_squared();
            let next = domain.clamp(t - step);
            if !step.is_finite() || next == t {
                break;
            }
            t = next;
        }
        t
    };
    (0..=count).filter(low).map(refine).collect()
}

impl NurbsSurface {
    /// The sides of the domain along which all control points coincide.
    pub fn poles(&self) -> Vec<Pole> {
        let ([m, n], domain) = (self.tile_counts(), self.domain());
        let [p, q] = self.degrees();
        let mut poles = Vec::new();
        let mut push = |direction, at, line: Vec<DVec4>| {
            if !self.is_one_point(&line) {
                return;
            }
            let normals = [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| match direction {
                Direction::U => self.normal(at, domain.v.at(s)),
                Direction::V => self.normal(domain.u.at(s), at),
            });
            poles.push(Pole { direction, at, point: project(line[0]), normal: common(&normals) });
        };
        for (tile, row, at) in [(0, 0, domain.u.low), (m - 1, p, domain.u.high)] {
            let line = |j| self.tile_net([tile, j])[row * (q + 1)..(row + 1) * (q + 1)].to_vec();
            push(Direction::U, at, (0..n).flat_map(line).collect());
        }
        for (tile, column, at) in [(0, 0, domain.v.low), (n - 1, q, domain.v.high)] {
            let line = |i| (0..=p).map(move |k| self.tile_net([i, tile])[k * (q + 1) + column]);
            push(Direction::V, at, (0..m).flat_map(line).collect());
        }
        poles
    }

    fn is_one_point(&self, line: &[DVec4]) -> bool {
        let size = self.homogeneous_points().iter().map(|&p| project(p).abs().max_element());
        let slack = CLOSED_REL * size.fold(0.0, f64::max);
        line.iter().all(|&p| (project(p) - project(line[0])).abs().max_element() <= slack)
    }
}

/// The direction that all agree on.
fn common(normals: &[Option<DVec3>]) -> Option<DVec3> {
    let first = normals.first().copied().flatten()?;
    let agree = |n: &Option<DVec3>| {
        n.is_some_and(|n| n.cross(first).length() <= POLE_NORMAL_RAD && n.dot(first) > 0.0)
    };
    normals.iter().all(agree).then_some(first)
}

/// The normal in closed form where there is one, which holds at poles too.
pub(crate) fn normal(surface: &Surface, u: f64, v: f64) -> Option<DVec3> {
    let (tu, tv) = (Turn::from_angle(u), Turn::from_angle(v));
    let placed = |frame: &Pose, local: DVec3| unit(frame.rotate(local));
    match surface {
        Surface::Plane(plane) => Some(plane.frame().rotation().z_axis),
        Surface::Sphere(sphere) => {
            placed(sphere.frame(), DVec3::new(tv.cos * tu.cos, tv.cos * tu.sin, tv.sin))
        }
        Surface::Ellipsoid(ellipsoid) => {
            let [a, b, c] = ellipsoid.radii();
            // The gradient, times abc so that nothing is divided.
            let local = DVec3::new(b * c * tv.cos * tu.cos, a * c * tv.cos * tu.sin, a * b * tv.sin);
            placed(ellipsoid.frame(), local)
        }
        Surface::Cylinder(cylinder) => placed(cylinder.frame(), DVec3::new(tu.cos, tu.sin, 0.0)),
        Surface::Cone(cone) => {
            // On the nappe of negative radius S_u × S_v points to the axis.
            let side = if cone.radius() + cone.slope() * v < 0.0 { -1.0 } else { 1.0 };
            placed(cone.frame(), DVec3::new(tu.cos, tu.sin, -cone.slope()) * side)
        }
        Surface::Paraboloid(paraboloid) => {
            let rise = 0.5 * v / paraboloid.focal();
            let side = if v < 0.0 { -1.0 } else { 1.0 };
            placed(paraboloid.frame(), DVec3::new(rise * tu.cos, rise * tu.sin, -1.0) * side)
        }
        Surface::Torus(torus) => {
            let side = if torus.major() + torus.minor() * tv.cos < 0.0 { -1.0 } else { 1.0 };
            placed(torus.frame(), DVec3::new(tv.cos * tu.cos, tv.cos * tu.sin, tv.sin) * side)
        }
        Surface::Revolution(_) | Surface::Extrusion(_) => Swept(surface).normal(u, v),
        Surface::Nurbs(nurbs) => nurbs.normal(u, v),
    }
}

/// A surface without a closed normal: the trait's limit.
struct Swept<'a>(&'a Surface);

impl ParametricSurface for Swept<'_> {
    fn jet(&self, u: f64, v: f64) -> super::SurfaceJet {
        self.0.jet(u, v)
    }

    fn domain(&self) -> crate::curve::Rect {
        self.0.domain()
    }

    fn extents(&self, at: DVec2, jet: &super::SurfaceJet) -> DVec2 {
        self.0.extents(at, jet)
    }
}
