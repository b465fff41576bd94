//! The point of a plane, quadric of revolution or torus nearest to a given point.
//!
//! Source: in the half-plane through the axis each of them is a line or a circle; elementary geometry does the rest.
//! Differs: nothing to differ from.
//! Ends because: there are no loops.
//! Cost: two turns of a vector and at most two square roots.
//! Not promised: which point, when many are equally near (on an axis, at a centre): any of them.

use clearance_geometry::curve::{Circle, Curve, Line, Range};
use clearance_geometry::surface::Surface;
use clearance_geometry::{DMat3, DVec2, DVec3, angle};
use std::f64::consts::TAU;

/// A surface in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    origin: DVec3,
    axes: DMat3,
    shape: FormShape,
}

#[derive(Clone, Copy, Debug)]
enum FormShape {
    Plane,
    Sphere(f64),
    /// Radius at z = 0, its slope, and 1 / (1 + slope²).
    Tube(f64, f64, f64),
    /// Major and minor radius.
    Torus(f64, f64),
}

/// A nearest point of a surface, in the surface's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalFoot {
    pub(super) at: DVec3,
    /// From the foot to the point asked about.
    pub(super) away: DVec3,
    /// Unit vector from the axis to the foot.
    pub(super) radial: DVec2,
}

impl Form {
    /// `None` for a surface without a closed formula here.
    pub(super) fn of(surface: &Surface) -> Option<Self> {
        let (frame, shape) = match surface {
            Surface::Plane(plane) => (plane.frame(), FormShape::Plane),
            Surface::Sphere(sphere) => (sphere.frame(), FormShape::Sphere(sphere.radius())),
            Surface::Cylinder(tube) => (tube.frame(), FormShape::Tube(tube.radius(), 0.0, 1.0)),
            Surface::Cone(cone) => {
                let slope = cone.slope();
                (cone.frame(), FormShape::Tube(cone.radius(), slope, 1.0 / (1.0 + slope * slope)))
            }
            // One that crosses itself has more than one nearest point per side.
            Surface::Torus(torus) if torus.minor() < torus.major() => {
                (torus.frame(), FormShape::Torus(torus.major(), torus.minor()))
            }
            _ => return None,
        };
        Some(Self { origin: frame.translation(), axes: frame.rotation(), shape })
    }

    /// The nearest point of the whole surface; of a cone, of the nappe on which its radius is positive. `None` where that
    /// nappe has none but its apex.
    #[inline]
    pub(super) fn foot(&self, point: DVec3) -> Option<LocalFoot> {
        let local = self.axes.transpose() * (point - self.origin);
        let across = local.truncate();
        let foot = |radial: DVec2, r: f64, z: f64| {
            let at = (radial * r).extend(z);
            LocalFoot { at, away: local - at, radial }
        };
        Some(match self.shape {
            FormShape::Plane => {
                LocalFoot { at: across.extend(0.0), away: DVec3::Z * local.z, radial: across }
            }
            FormShape::Sphere(radius) => {
                let length = local.length();
                let out = if length > 0.0 { local / length } else { DVec3::X };
                LocalFoot { at: out * radius, away: local - out * radius, radial: across }
            }
            FormShape::Tube(radius, slope, share) => {
                let rho = across.length();
                let radial = if rho > 0.0 { across / rho } else { DVec2::X };
                let z = (local.z + slope * (rho - radius)) * share;
                let r = radius + slope * z;
                if !(r >= 0.0) {
                    return None;
                }
                foot(radial, r, z)
            }
            FormShape::Torus(major, minor) => {
                let rho = across.length();
                let radial = if rho > 0.0 { across / rho } else { DVec2::X };
                let (x, z) = (rho - major, local.z);
                let length = (x * x + z * z).sqrt();
                let (x, z) = if length > 0.0 { (x / length, z / length) } else { (1.0, 0.0) };
                foot(radial, major + minor * x, minor * z)
            }
        })
    }

    /// A point of the surface's frame in the body's.
    #[inline]
    pub(super) fn outside(&self, at: DVec3) -> DVec3 {
        self.origin + self.axes * at
    }

    /// The height of a point of the surface's frame over the surface, in the sense of S_u × S_v.
    pub(super) fn height(&self, foot: &LocalFoot) -> f64 {
        match self.shape {
            FormShape::Plane => foot.away.z,
            FormShape::Sphere(_) => foot.away.dot(foot.at),
            FormShape::Tube(_, slope, _) => foot.away.truncate().dot(foot.radial) - slope * foot.away.z,
            FormShape::Torus(major, _) => foot.away.dot(foot.at - (foot.radial * major).extend(0.0)),
        }
    }

    /// The surface's parameters of a foot.
    #[inline]
    pub(super) fn parameters(&self, foot: &LocalFoot) -> DVec2 {
        let around = || angle(foot.radial.y, foot.radial.x);
        match self.shape {
            FormShape::Plane => foot.at.truncate(),
            FormShape::Sphere(_) => DVec2::new(around(), angle(foot.at.z, foot.at.x.hypot(foot.at.y))),
            FormShape::Tube(..) => DVec2::new(around(), foot.at.z),
            FormShape::Torus(major, _) => {
                DVec2::new(around(), angle(foot.at.z, foot.at.truncate().dot(foot.radial) - major))
            }
        }
    }

    /// Numbers of this size went into its feet: the largest coordinate of its origin and its radii.
    pub(super) fn reach(&self) -> f64 {
        let radii = match self.shape {
            FormShape::Plane => 0.0,
            FormShape::Sphere(radius) | FormShape::Tube(radius, ..) => radius.abs(),
            FormShape::Torus(major, minor) => major + minor,
        };
        self.origin.abs().max_element() + radii
    }

    /// Whether some of the parameters are on a cone's other nappe.
    pub(super) fn has_apex_within(&self, v: Range) -> bool {
        match self.shape {
            FormShape::Tube(radius, slope, _) if slope != 0.0 => {
                let least = (radius + slope * v.low).min(radius + slope * v.high);
                least < -f64::EPSILON.sqrt() * radius.abs().max(slope.abs() * v.width())
            }
            _ => false,
        }
    }
}

/// A straight or round edge.
#[derive(Clone, Copy, Debug)]
pub(super) enum Strand {
    /// From a point along a vector, over part of it.
    Straight { origin: DVec3, along: DVec3, range: Range },
    /// Around a centre; over a range of angles, or all around.
    Round { center: DVec3, x: DVec3, y: DVec3, radius: f64, range: Option<Range> },
}

impl Strand {
    /// `None` for other curves.
    pub(super) fn of(curve: &Curve, range: Range, is_closed: bool) -> Option<Self> {
        Some(match curve {
            Curve::Line(line) => Self::straight(line, range),
            Curve::Circle(circle) => Self::round(circle, (!is_closed).then_some(range)),
            _ => return None,
        })
    }

    fn straight(line: &Line, range: Range) -> Self {
        Self::Straight { origin: line.origin(), along: line.direction(), range }
    }

    fn round(circle: &Circle, range: Option<Range>) -> Self {
        let axes = circle.frame().rotation();
        let center = circle.frame().translation();
        Self::Round { center, x: axes.x_axis, y: axes.y_axis, radius: circle.radius(), range }
    }

    /// The nearest point; `None` where it is not on the edge, so that an end is nearer.
    #[inline]
    pub(super) fn foot(&self, point: DVec3) -> Option<DVec3> {
        self.has_foot(point).then(|| self.foot_around(point))
    }

    /// The nearest point of a segment, or of all of a circle, whatever part of it the edge is.
    #[inline]
    pub(super) fn foot_around(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Straight { origin, along, .. } => *origin + *along * self.parameter(point),
            Self::Round { center, x, y, radius, .. } => {
                let off = point - *center;
                let out = DVec2::new(off.dot(*x), off.dot(*y)).normalize_or(DVec2::X);
                *center + (*x * out.x + *y * out.y) * *radius
            }
        }
    }

    /// Whether [`Strand::foot_around`] is on the edge.
    #[inline]
    pub(super) fn has_foot(&self, point: DVec3) -> bool {
        match self {
            Self::Straight { .. } | Self::Round { range: None, .. } => true,
            Self::Round { range: Some(range), .. } => !(self.parameter(point) > range.high),
        }
    }

    /// Numbers of this size went into its feet.
    pub(super) fn reach(&self) -> f64 {
        match self {
            Self::Straight { origin, .. } => origin.abs().max_element(),
            Self::Round { center, radius, .. } => center.abs().max_element() + radius,
        }
    }

    /// The parameter of the nearest point; beyond the range where the point is not on an arc.
    pub(super) fn parameter(&self, point: DVec3) -> f64 {
        match self {
            Self::Straight { origin, along, range } => {
                range.clamp((point - *origin).dot(*along) / along.length_squared())
            }
            Self::Round { center, x, y, range, .. } => {
                let off = point - *center;
                let t = off.dot(*y).atan2(off.dot(*x));
                let low = range.map_or(0.0, |range| range.low);
                t + TAU * ((low - t) / TAU).ceil()
            }
        }
    }
}
