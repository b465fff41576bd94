//! The parts that bodies collide by: each of one form, at a place of its own in the body.

use super::surface::Skin;
use clearance_geometry::surface::{ParametricSurface as _, Surface};
use clearance_geometry::tiled::{TiledBody, is_turn};
use clearance_geometry::{Body, DVec3, HalfSpace, LeafShape, Polytope, Pose};
use std::sync::Arc;

/// A part of a body.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The part in its own frame, as queries take it.
    pub(crate) body: Body,
    /// Where it stands in the frame of the body.
    pub(crate) pose: Pose,
    /// A ball around it, in its own frame.
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
    pub(crate) form: Form,
}

/// How the events of a part are found.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    HalfSpace(HalfSpace),
    Polytope(Polytope),
    /// A convex body with curved faces.
    Convex(TiledBody),
    /// All points within a radius of a circle: the solid of a torus.
    Ring(Ring),
    /// Any other body with curved faces.
    Skin(Arc<Skin>),
}

/// The circle in the middle of a ring, in the part's frame, and how far the ring reaches beyond it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) center: DVec3,
    pub(crate) x: DVec3,
    pub(crate) y: DVec3,
    pub(crate) major: f64,
    pub(crate) minor: f64,
}

impl Form {
    /// Pairs are handled with the lower rank first.
    pub(crate) const fn rank(&self) -> usize {
        match self {
            Self::HalfSpace(_) => 0,
            Self::Polytope(_) => 1,
            Self::Convex(_) => 2,
            Self::Ring(_) => 3,
            Self::Skin(_) => 4,
        }
    }
}

impl Part {
    /// The parts of a body; none where it is of a kind that does not collide.
    pub(crate) fn all(body: &Body) -> Option<Vec<Self>> {
        match body {
            Body::HalfSpace(half) => {
                let form = Form::HalfSpace(*half);
                // A point of its plane, from which heights count.
                let (center, radius) = (half.plane().normal * half.plane().offset, f64::INFINITY);
                Some(vec![Self { body: body.clone(), pose: Pose::IDENTITY, center, radius, form }])
            }
            Body::Polytope(polytope) => Some(vec![Self::of_polytope(polytope, Pose::IDENTITY)]),
            Body::Tiled(tiled) => Some(vec![Self::of_tiled(tiled, Pose::IDENTITY)]),
            Body::Union(tree) => {
                let whole = tree.leaves().iter().filter(|leaf| !leaf.boundary);
                let parts: Vec<Self> = whole
                    .map(|leaf| match &leaf.shape {
                        LeafShape::Polytope(polytope) => Self::of_polytope(polytope, leaf.pose),
                        LeafShape::Tiled(tiled) => Self::of_tiled(tiled, leaf.pose),
                    })
                    .collect();
                (parts.len() == tree.leaves().len()).then_some(parts)
            }
            _ => None,
        }
    }

    fn of_polytope(polytope: &Polytope, pose: Pose) -> Self {
        Self {
            body: Body::Polytope(polytope.clone()),
            pose,
            center: polytope.center() + polytope.anchor(),
            radius: polytope.radius(),
            form: Form::Polytope(polytope.clone()),
        }
    }

    fn of_tiled(tiled: &TiledBody, pose: Pose) -> Self {
        let bounds = tiled.aabb();
        let (center, half) = (DVec3::from_array(bounds.center()), bounds.half_extents());
        let (form, radius) = match (Ring::of(tiled), tiled.convex_shape()) {
            (Some(ring), _) => (Form::Ring(ring), ring.major + ring.minor),
            (None, Some(shape)) => {
                let off = (shape.anchor() - center).length();
                (Form::Convex(tiled.clone()), half.length().min(off + shape.reach() + shape.radius()))
            }
            (None, None) => (Form::Skin(Arc::new(Skin::new(tiled))), half.length()),
        };
        Self { body: Body::Tiled(tiled.clone()), pose, center, radius, form }
    }

    /// A bound on the distance of its points from a point of the body's frame.
    pub(crate) fn reach_from(&self, point: DVec3) -> f64 {
        self.pose.apply(self.center).distance(point) + self.radius
    }
}

impl Ring {
    /// The ring that a body is; `None` for other bodies.
    fn of(body: &TiledBody) -> Option<Self> {
        let [face] = body.faces() else { return None };
        let Surface::Torus(torus) = &face.surface else { return None };
        let rect = face.region.rect()?;
        let periods = face.surface.periods();
        let whole = is_turn(rect.u.width(), periods[0]) && is_turn(rect.v.width(), periods[1]);
        let axes = torus.frame().rotation();
        (whole && !face.reversed && torus.minor() < torus.major()).then(|| Self {
            center: torus.frame().translation(),
            x: axes.x_axis,
            y: axes.y_axis,
            major: torus.major(),
            minor: torus.minor(),
        })
    }

    /// The same ring seen from where the part stands at a pose.
    pub(crate) fn moved(&self, pose: &Pose) -> Self {
        Self { center: pose.apply(self.center), x: pose.rotate(self.x), y: pose.rotate(self.y), ..*self }
    }

    /// The point of the circle at an angle.
    pub(crate) fn point(&self, angle: f64) -> DVec3 {
        let (sin, cos) = angle.sin_cos();
        self.center + (self.x * cos + self.y * sin) * self.major
    }

    /// The unit tangent of the circle at an angle.
    pub(crate) fn tangent(&self, angle: f64) -> DVec3 {
        let (sin, cos) = angle.sin_cos();
        self.y * cos - self.x * sin
    }

    /// The angle of the point of the circle farthest along a direction; 0 where all are as far.
    pub(crate) fn farthest(&self, direction: DVec3) -> f64 {
        let (along, across) = (direction.dot(self.x), direction.dot(self.y));
        if along.hypot(across) > crate::tolerance::EVENT_LEVEL { across.atan2(along) } else { 0.0 }
    }

    /// The distance of a point from the circle, and the unit vector from the circle to it.
    pub(crate) fn off_circle(&self, point: DVec3) -> (f64, DVec3) {
        let off = point - self.center;
        let nearest = self.center
            + (self.x * off.dot(self.x) + self.y * off.dot(self.y)).normalize_or(self.x) * self.major;
        let away = point - nearest;
        let axis = self.x.cross(self.y);
        (away.length(), away.normalize_or(axis))
    }
}
