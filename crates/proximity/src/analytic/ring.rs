//! A ring: every point within a radius of a circle, which a torus bounds.

use crate::{Parameters, Witness};
use clearance_geometry::surface::{ParametricSurface, Surface, Torus};
use clearance_geometry::tiled::{TiledBody, is_turn};
use clearance_geometry::{Body, DVec2, DVec3, FaceId, Feature, Pose, angle};

/// A circle, in some frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    pub(super) center: DVec3,
    /// Unit vectors in its plane.
    pub(super) x: DVec3,
    pub(super) y: DVec3,
    pub(super) radius: f64,
}

impl Circle {
    /// The point in a direction of its plane.
    #[inline]
    pub(super) fn point(&self, at: DVec2) -> DVec3 {
        self.center + (self.x * at.x + self.y * at.y) * self.radius
    }

    /// The direction in its plane of the point nearest to `point`: any one from its axis.
    #[inline]
    pub(super) fn toward(&self, point: DVec3) -> DVec2 {
        self.along(point - self.center).normalize_or(DVec2::X)
    }

    /// A vector in its plane.
    #[inline]
    pub(super) fn along(&self, vector: DVec3) -> DVec2 {
        DVec2::new(vector.dot(self.x), vector.dot(self.y))
    }

    pub(super) fn moved(&self, pose: &Pose) -> Self {
        Self {
            center: pose.apply(self.center),
            x: pose.rotate(self.x),
            y: pose.rotate(self.y),
            radius: self.radius,
        }
    }

    /// Seen from a frame that stands at a pose.
    pub(super) fn seen_from(&self, pose: &Pose) -> Self {
        Self {
            center: pose.apply_inverse(self.center),
            x: pose.rotate_inverse(self.x),
            y: pose.rotate_inverse(self.y),
            radius: self.radius,
        }
    }
}

/// A solid that is bounded by one whole torus, or that torus alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring<'a> {
    body: &'a TiledBody,
    torus: &'a Torus,
}

impl<'a> Ring<'a> {
    /// `None` for other bodies.
    pub(super) fn of(body: &'a Body) -> Option<Self> {
        let Body::Tiled(body) = body.whole() else { return None };
        let [face] = body.faces() else { return None };
        let Surface::Torus(torus) = &face.surface else { return None };
        let rect = face.region.rect()?;
        let turns =
            [(rect.u, 0), (rect.v, 1)].map(|(range, at)| is_turn(range.width(), face.surface.periods()[at]));
        // Seams lie on the torus, within their gaps.
        let whole = turns == [true; 2] && !face.reversed && torus.minor() < torus.major();
        let tight = body.edges().iter().all(|edge| edge.gap == 0.0);
        (whole && tight).then_some(Self { body, torus })
    }

    /// Of a body that is known to be one.
    #[inline]
    pub(super) fn known(body: &'a Body) -> Option<Self> {
        let Body::Tiled(body) = body.whole() else { return None };
        let Surface::Torus(torus) = &body.faces().first()?.surface else { return None };
        Some(Self { body, torus })
    }

    /// Its centre line, in the body's frame.
    pub(super) fn circle(&self) -> Circle {
        let axes = self.torus.frame().rotation();
        Circle {
            center: self.torus.frame().translation(),
            x: axes.x_axis,
            y: axes.y_axis,
            radius: self.torus.major(),
        }
    }

    /// How far it reaches beyond its centre line.
    pub(super) const fn radius(&self) -> f64 {
        self.torus.minor()
    }

    /// At most half the diagonal of a box around it.
    pub(super) fn size(&self) -> f64 {
        self.torus.major() + self.torus.minor()
    }

    /// A point of the torus as a witness: `point` is in the frame in which the body stands at `pose`.
    pub(super) fn witness(&self, point: DVec3, pose: &Pose) -> Witness {
        let local = self.torus.frame().apply_inverse(pose.apply_inverse(point));
        let across = local.truncate();
        let at = DVec2::new(angle(local.y, local.x), angle(local.z, across.length() - self.torus.major()));
        let at = self.body.face(FaceId(0)).region.wrapped(at.x, at.y);
        Witness { point, feature: Feature::Face(FaceId(0)), leaf: 0, parameters: Parameters::Surface(at) }
    }
}
