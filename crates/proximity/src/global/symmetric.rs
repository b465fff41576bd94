//! A lower bound on the distance of two features with a common axis or direction, in closed form.
//!
//! Source: surfaces of revolution about one axis are nearest to each other within a half-plane that ends in the axis, and
//! surfaces swept along one direction within a plane across it. There planes, cylinders, cones, spheres, tori, circles and
//! lines are points, segments and circles, whose distances are closed formulas.
//! Differs: axes need not coincide. A feature is thought moved until they do, and how far that moves its points is taken
//! off the bound; so nothing has to be decided, and axes that differ by rounding are as good as equal ones.
//! Ends because: there are no loops but those over control points.
//! Cost: a pass or two over the control points of both pieces for each of the two ways to look at them.
//! Not promised: the distance of the features as they are trimmed; whole circles stand for arcs.

use super::side::{Cell, Side};
use crate::tolerance::CLOSED_FORM_ERROR_REL;
use clearance_geometry::curve::Curve;
use clearance_geometry::pieces::Span;
use clearance_geometry::surface::{Revolution, Surface};
use clearance_geometry::{DVec2, DVec3, DVec4, Pose};

/// The sine of the angle between a direction and the normal of a plane that is taken to run along it.
const LEAST_LEANING: f64 = 0.5;

/// What a feature lies on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Plane,
    Line,
    Point,
    Circle(f64),
    Sphere(f64),
    /// Radius at the origin, and its growth along the axis: a cylinder does not grow.
    Cone(f64, f64),
    /// Radius of the middle of the tube, and that of the tube.
    Torus(f64, f64),
    /// Any other surface of revolution.
    Turned,
}

/// A cell and what its feature lies on, in the frame of A.
pub(super) struct Placed<'a> {
    pub(super) shape: Shape,
    /// Centre, or a point on the axis, the line or the plane.
    pub(super) origin: DVec3,
    /// Axis, direction or normal; of unit length.
    pub(super) axis: DVec3,
    pub(super) cell: &'a Cell,
    pub(super) points: &'a [DVec3],
}

/// A feature within a plane or half-plane.
#[derive(Clone, Copy, Debug)]
pub(super) enum Profile {
    Point(DVec2),
    Segment([DVec2; 2]),
    Circle(DVec2, f64),
}

/// A profile, and how far points of the feature may be from what the profile sweeps; a length.
pub(super) struct Seen {
    pub(super) profile: Profile,
    pub(super) off: f64,
}

/// A length that no two points of the features of two cells are closer than, within the extents of the cells; −∞ or NaN
/// where nothing is known.
pub(super) fn lower_bound(sides: [&Side; 2], cells: [&Cell; 2]) -> f64 {
    let [Some(a), Some(b)] = [0, 1].map(|i| Placed::new(sides[i], cells[i])) else {
        return f64::NEG_INFINITY;
    };
    let about = common_axis(&a, &b).and_then(|axis| Some([a.about(axis)?, b.about(axis)?]));
    let along = a.direction().or_else(|| b.direction()).and_then(|way| Some([a.along(way)?, b.along(way)?]));
    let bound = |[one, other]: [Seen; 2]| apart(&one.profile, &other.profile) - one.off - other.off;
    let best = [about, along].into_iter().flatten().map(bound).fold(f64::NEG_INFINITY, f64::max);
    best - a.rounding() - b.rounding()
}

/// The middle and the radii of the torus that a circle is turned into by an axis in its plane.
fn torus_of(swept: &Revolution) -> Option<(DVec3, [f64; 2])> {
    let Curve::Circle(circle) = swept.curve() else { return None };
    let (center, across) = (circle.frame().translation(), circle.frame().rotation().z_axis);
    let between = center - swept.origin();
    let along = swept.axis() * swept.axis().dot(between);
    // What it is off by counts as rounding.
    let allowed = 0.25 * CLOSED_FORM_ERROR_REL;
    let lies_in = across.dot(swept.axis()).abs() <= allowed
        && across.dot(between).abs() <= allowed * (between.length() + circle.radius());
    lies_in.then(|| (swept.origin() + along, [(between - along).length(), circle.radius()]))
}

/// An axis of both, as a point and a direction, if there may be one: that of one of them where it has a single one.
pub(super) fn common_axis(a: &Placed, b: &Placed) -> Option<[DVec3; 2]> {
    let own = |one: &Placed| match one.shape {
        Shape::Cone(..) | Shape::Torus(..) | Shape::Circle(_) | Shape::Turned => Some([one.origin, one.axis]),
        _ => None,
    };
    let any = match (a.shape, b.shape) {
        (Shape::Plane, Shape::Plane) => Some([a.origin, a.axis]),
        // A ball has every axis through its centre.
        (Shape::Sphere(_), Shape::Sphere(_) | Shape::Point) => Some([a.origin, toward(a.origin, b.origin)]),
        (Shape::Point, Shape::Sphere(_)) => Some([b.origin, toward(b.origin, a.origin)]),
        (Shape::Sphere(_), Shape::Plane | Shape::Line) => Some([a.origin, b.axis]),
        (Shape::Plane | Shape::Line, Shape::Sphere(_)) => Some([b.origin, a.axis]),
        _ => None,
    };
    own(a).or_else(|| own(b)).or(any)
}

/// The direction from one point to another; any one where they are the same.
fn toward(from: DVec3, to: DVec3) -> DVec3 {
    (to - from).normalize_or(DVec3::Z)
}

impl<'a> Placed<'a> {
    /// `None` where the feature has none of the shapes.
    pub(super) fn new(side: &'a Side, cell: &'a Cell) -> Option<Self> {
        let (piece, points) = (side.piece(cell), side.points(cell));
        let placed = |shape: Shape, origin: DVec3, axis: DVec3| Self { shape, origin, axis, cell, points };
        let first = *points.first()?;
        let last = points[points.len() - 1];
        if cell.dimension == 0 {
            return Some(placed(Shape::Point, first, DVec3::Z));
        }
        if piece.is_flat {
            // Of a polytope: the control points are its corners.
            return Some(if cell.dimension == 1 {
                placed(Shape::Line, first, (last - first).try_normalize()?)
            } else {
                let normal = (points[1] - first).cross(last - first);
                placed(Shape::Plane, first, normal.try_normalize()?)
            });
        }
        let pose = side.pose_of(piece);
        // The core of a body has the name of a feature, but is none: a segment, or a quarter of a circle.
        if piece.span == Span::POINT {
            let point = |p: &DVec4| pose.apply(p.truncate() / p.w);
            return match &piece.net[..] {
                [from, to] => {
                    let (from, to) = (point(from), point(to));
                    Some(placed(Shape::Line, from, (to - from).try_normalize()?))
                }
                [from, corner, to] => {
                    let (from, corner, to) = (point(from), point(corner), point(to));
                    // The middle, both ends and the corner of the tangents are a square.
                    let middle = from + to - corner;
                    let axis = (from - middle).cross(to - middle).try_normalize()?;
                    Some(placed(Shape::Circle(from.distance(middle)), middle, axis))
                }
                _ => None,
            };
        }
        let framed = |shape: Shape, frame: &Pose| {
            placed(shape, pose.apply(frame.translation()), pose.rotate(frame.rotation().z_axis))
        };
        if let Some(face) = side.face(piece) {
            return Some(match &face.surface {
                Surface::Plane(plane) => framed(Shape::Plane, plane.frame()),
                Surface::Sphere(sphere) => framed(Shape::Sphere(sphere.radius()), sphere.frame()),
                Surface::Cylinder(cylinder) => framed(Shape::Cone(cylinder.radius(), 0.0), cylinder.frame()),
                Surface::Cone(cone) => framed(Shape::Cone(cone.radius(), cone.slope()), cone.frame()),
                Surface::Torus(torus) => framed(Shape::Torus(torus.major(), torus.minor()), torus.frame()),
                Surface::Revolution(swept) => match torus_of(swept) {
                    Some((middle, [major, minor])) => {
                        placed(Shape::Torus(major, minor), pose.apply(middle), pose.rotate(swept.axis()))
                    }
                    None => placed(Shape::Turned, pose.apply(swept.origin()), pose.rotate(swept.axis())),
                },
                Surface::Paraboloid(bowl) => framed(Shape::Turned, bowl.frame()),
                Surface::Ellipsoid(ball) if ball.radii()[0] == ball.radii()[1] => {
                    framed(Shape::Turned, ball.frame())
                }
                _ => return None,
            });
        }
        match &side.edge(piece)?.curve {
            Curve::Circle(circle) => Some(framed(Shape::Circle(circle.radius()), circle.frame())),
            Curve::Line(line) => {
                let way = pose.rotate(line.direction()).try_normalize()?;
                Some(placed(Shape::Line, pose.apply(line.origin()), way))
            }
            _ => None,
        }
    }

    /// What the formulas may lose to rounding, the slack of the cell included; a length.
    pub(super) fn rounding(&self) -> f64 {
        let size = match self.shape {
            Shape::Plane | Shape::Line | Shape::Point | Shape::Turned => 0.0,
            Shape::Circle(radius) | Shape::Sphere(radius) | Shape::Cone(radius, _) => radius,
            Shape::Torus(major, minor) => major + minor,
        };
        let reach = self.origin.length() + self.cell.center.length() + self.cell.radius + size;
        self.cell.slack + 2.0 * CLOSED_FORM_ERROR_REL * reach
    }

    /// How far points of the cell may be from a point.
    pub(super) fn reach_from(&self, point: DVec3) -> f64 {
        self.cell.center.distance(point) + self.cell.radius
    }

    /// The point of the axis or line beside the middle of the cell.
    pub(super) fn foot(&self) -> DVec3 {
        self.origin + self.axis * self.axis.dot(self.cell.center - self.origin)
    }

    /// How far the axis is from one of two opposite directions, and on which side of them it is. Turned by as much, a point
    /// moves by this part of its distance from the centre of turning.
    fn tilt(&self, way: DVec3) -> (f64, f64) {
        let side = if self.axis.dot(way) < 0.0 { -1.0 } else { 1.0 };
        ((self.axis * side - way).length(), side)
    }

    /// Least and greatest of a coordinate over the cell.
    pub(super) fn range(&self, coordinate: impl Fn(DVec3) -> f64) -> [f64; 2] {
        let wider = |[low, high]: [f64; 2], t: f64| [low.min(t), high.max(t)];
        let [low, high] =
            self.points.iter().map(|p| coordinate(*p)).fold([f64::INFINITY, f64::NEG_INFINITY], wider);
        [low - self.cell.slack, high + self.cell.slack]
    }

    /// How far a plane face is from its plane: those of polytopes are flat only nearly.
    fn warp(&self) -> f64 {
        self.points.iter().fold(0.0, |most, p| self.axis.dot(*p - self.origin).abs().max(most))
    }

    /// In the half-plane of distance from an axis and height along it.
    pub(super) fn about(&self, [start, way]: [DVec3; 2]) -> Option<Seen> {
        let height = |p: DVec3| way.dot(p - start);
        let out = |p: DVec3| (p - start - way * height(p)).length();
        let (tilt, side) = self.tilt(way);
        let (origin, level) = (self.origin, height(self.origin));
        let moved = || out(origin) + tilt * self.reach_from(origin);
        Some(match self.shape {
            // Off the axis its nearest points are isolated, and a search finds them better without their distance.
            Shape::Point => Seen { profile: Profile::Point(DVec2::new(0.0, level)), off: out(origin) },
            Shape::Circle(radius) => {
                Seen { profile: Profile::Point(DVec2::new(radius, level)), off: moved() }
            }
            Shape::Sphere(radius) => {
                Seen { profile: Profile::Circle(DVec2::new(0.0, level), radius), off: out(origin) }
            }
            Shape::Torus(major, minor) if minor <= major => {
                Seen { profile: Profile::Circle(DVec2::new(major, level), minor), off: moved() }
            }
            Shape::Plane => {
                let middle = self.cell.center;
                let level = height(middle) + side * self.axis.dot(origin - middle);
                let least = (out(middle) - self.cell.radius).max(0.0);
                let ends = [least, self.range(out)[1]].map(|out| DVec2::new(out, level));
                // Turned about the middle, points come to lie beyond the ends by no more than they are moved.
                Seen { profile: Profile::Segment(ends), off: 2.0 * tilt * self.cell.radius + self.warp() }
            }
            Shape::Cone(radius, slope) => {
                let foot = self.foot();
                let own = |p: DVec3| self.axis.dot(p - origin);
                let end = |v: f64| DVec2::new(radius + slope * v, height(foot) + side * (v - own(foot)));
                let mut ends = self.range(own).map(end);
                if ends[0].x.max(ends[1].x) <= 0.0 {
                    ends = ends.map(|end| DVec2::new(-end.x, end.y));
                } else if ends[0].x.min(ends[1].x) < 0.0 {
                    return None;
                }
                Seen { profile: Profile::Segment(ends), off: out(foot) + tilt * self.reach_from(foot) }
            }
            // As a point: only on the axis.
            Shape::Line => {
                let ends = self.range(height).map(|level| DVec2::new(0.0, level));
                Seen { profile: Profile::Segment(ends), off: self.range(out)[1] }
            }
            Shape::Torus(..) | Shape::Turned => return None,
        })
    }

    /// The direction along which it is the same everywhere, if there is a single one.
    fn direction(&self) -> Option<DVec3> {
        match self.shape {
            Shape::Line => Some(self.axis),
            Shape::Cone(_, 0.0) => Some(self.axis),
            _ => None,
        }
    }

    /// In the plane across a direction.
    fn along(&self, way: DVec3) -> Option<Seen> {
        let (x, y) = way.any_orthonormal_pair();
        let flat = |p: DVec3| DVec2::new(x.dot(p), y.dot(p));
        let swept = |profile: Profile| Seen { profile, off: self.tilt(way).0 * self.reach_from(self.foot()) };
        match self.shape {
            Shape::Line => Some(swept(Profile::Point(flat(self.foot())))),
            Shape::Cone(radius, 0.0) => Some(swept(Profile::Circle(flat(self.foot()), radius))),
            Shape::Plane => {
                let leaning = self.axis - way * self.axis.dot(way);
                // Across the direction, nothing but rounding is left of it.
                let normal = (leaning.length() > LEAST_LEANING).then(|| leaning.normalize())?;
                let middle = self.cell.center;
                let base = middle + normal * self.axis.dot(self.origin - middle);
                let across = normal.cross(way);
                let ends = self.range(|p| across.dot(p - middle)).map(|t| flat(base + across * t));
                let off = 2.0 * (normal - self.axis).length() * self.cell.radius + self.warp();
                Some(Seen { profile: Profile::Segment(ends), off })
            }
            _ => None,
        }
    }
}

/// The distance of two profiles.
fn apart(one: &Profile, other: &Profile) -> f64 {
    match (one, other) {
        (Profile::Point(p), Profile::Point(q)) => p.distance(*q),
        (Profile::Point(p), Profile::Segment(ends)) | (Profile::Segment(ends), Profile::Point(p)) => {
            from_segment(*p, ends)
        }
        (Profile::Segment(ends), Profile::Segment(others)) => between_segments(ends, others),
        (Profile::Circle(center, radius), Profile::Circle(other, with)) => {
            let middle = center.distance(*other);
            (middle - radius - with).max((radius - with).abs() - middle).max(0.0)
        }
        (Profile::Circle(center, radius), Profile::Point(p))
        | (Profile::Point(p), Profile::Circle(center, radius)) => (p.distance(*center) - radius).abs(),
        (Profile::Circle(center, radius), Profile::Segment(ends))
        | (Profile::Segment(ends), Profile::Circle(center, radius)) => {
            let farthest = center.distance(ends[0]).max(center.distance(ends[1]));
            (from_segment(*center, ends) - radius).max(radius - farthest).max(0.0)
        }
    }
}

fn from_segment(p: DVec2, [from, to]: &[DVec2; 2]) -> f64 {
    let along = *to - *from;
    let square = along.length_squared();
    let share = if square > 0.0 { ((p - *from).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(*from + along * share)
}

pub(super) fn between_segments(one: &[DVec2; 2], other: &[DVec2; 2]) -> f64 {
    let parts = |[from, to]: &[DVec2; 2], others: &[DVec2; 2]| {
        let [p, q] = others.map(|end| (*to - *from).perp_dot(end - *from));
        p * q < 0.0
    };
    if parts(one, other) && parts(other, one) {
        return 0.0;
    }
    let ends = one.map(|p| from_segment(p, other)).into_iter().chain(other.map(|p| from_segment(p, one)));
    ends.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const COUNT: usize = 300;

    /// Points along a profile.
    fn sampled(profile: &Profile) -> Vec<DVec2> {
        let at = |k: usize| k as f64 / COUNT as f64;
        (0..=COUNT)
            .map(|k| match profile {
                Profile::Point(p) => *p,
                Profile::Segment([from, to]) => from.lerp(*to, at(k)),
                Profile::Circle(center, radius) => *center + DVec2::from_angle(TAU * at(k)) * *radius,
            })
            .collect()
    }

    #[test]
    fn distances_of_profiles_agree_with_samples() {
        let mut state = 7_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut profile = |kind: usize| {
            let mut point = || DVec2::new(unit(), unit()) * 2.0 - 1.0;
            match kind {
                0 => Profile::Point(point()),
                1 => Profile::Segment([point(), point()]),
                _ => Profile::Circle(point(), point().length()),
            }
        };
        let (mut apart_count, mut meeting) = (0, 0);
        for case in 0..360 {
            let (one, other) = (profile(case % 3), profile(case / 3 % 3));
            let found = apart(&one, &other);
            let pairs = sampled(&one);
            let others = sampled(&other);
            let least = pairs.iter().flat_map(|p| others.iter().map(move |q| p.distance(*q)));
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(found <= least + 1e-12, "{one:?} {other:?}: {found} above {least}");
            assert!(found >= least - 0.05, "{one:?} {other:?}: {found} far below {least}");
            assert!((found - apart(&other, &one)).abs() < 1e-12);
            if found > 0.0 { apart_count += 1 } else { meeting += 1 }
        }
        assert!(apart_count > 150 && meeting > 30, "{apart_count} {meeting}");
    }
}
