//! Bodies of the usual shapes.
//!
//! Source: their definitions.
//! Differs: nothing to differ from.
//! Ends because: there are no loops.
//! Cost: that of building a body of at most three faces.
//! Not promised: shapes whose surface meets itself; they are refused.

use super::draft::{Draft, DraftEdge, DraftFace, DraftLoop, DraftUse};
use super::{TiledBody, TiledError};
use crate::curve::{Circle, Range, positive};
use crate::surface::{Cone, Cylinder, Ellipsoid, Plane, Sphere, Surface, Torus};
use crate::{DMat3, DVec3, EdgeId, Pose, ShapeError, VertexId};

/// The frame at height `z`, axes along those of the body, or turned about x by half a turn.
pub(super) fn at_height(z: f64, turned: bool) -> Result<Pose, ShapeError> {
    let side = if turned { -1.0 } else { 1.0 };
    let axes = DMat3::from_diagonal(DVec3::new(1.0, side, side));
    Pose::from_matrix(axes, DVec3::Z * z).map_err(|_| ShapeError::NotFinite { field: "height" })
}

/// A circle about z as an edge without a vertex.
pub(super) fn rim(radius: f64, z: f64) -> Result<DraftEdge, ShapeError> {
    let curve = Circle::new(at_height(z, false)?, radius)?.into();
    Ok(DraftEdge { curve, range: Range::TURN, ends: None })
}

pub(super) fn ring(edge: u32, reversed: bool) -> DraftLoop {
    DraftLoop::Edges(vec![DraftUse::new(EdgeId(edge), reversed)])
}

fn face(surface: impl Into<Surface>, loops: Vec<DraftLoop>) -> DraftFace {
    DraftFace { surface: surface.into(), reversed: false, loops, rect: None }
}

fn closed(surface: impl Into<Surface>) -> Result<TiledBody, TiledError> {
    TiledBody::from_draft(Draft { faces: vec![face(surface, Vec::new())], ..Draft::default() })
}

impl TiledBody {
    /// A ball about the origin: one face, no edges.
    ///
    /// # Errors
    /// When the radius is not positive and finite.
    pub fn sphere(radius: f64) -> Result<Self, TiledError> {
        closed(Sphere::new(Pose::IDENTITY, radius)?)
    }

    /// An ellipsoid about the origin; a ball where all radii are the same.
    ///
    /// # Errors
    /// When a radius is not positive and finite.
    pub fn ellipsoid(radii: [f64; 3]) -> Result<Self, TiledError> {
        if radii[1] == radii[0] && radii[2] == radii[0] && radii[0].is_finite() && radii[0] > 0.0 {
            return Self::sphere(radii[0]);
        }
        closed(Ellipsoid::new(Pose::IDENTITY, radii)?)
    }

    /// A torus about z.
    ///
    /// # Errors
    /// When a radius is not positive and finite, or the tube meets itself.
    pub fn torus(major: f64, minor: f64) -> Result<Self, TiledError> {
        let torus = Torus::new(Pose::IDENTITY, major, minor)?;
        if !(minor < major) {
            return Err(ShapeError::BadSize { field: "minor", value: minor }.into());
        }
        closed(torus)
    }

    /// A capped cylinder about z, centred: faces side, bottom, top; rims likewise.
    ///
    /// # Errors
    /// When a size is not positive and finite.
    pub fn cylinder(radius: f64, height: f64) -> Result<Self, TiledError> {
        let half = 0.5 * positive("height", height)?;
        let side = Cylinder::new(Pose::IDENTITY, radius)?;
        let faces = vec![
            face(side, vec![ring(0, false), ring(1, true)]),
            face(Plane::new(at_height(-half, true)?), vec![ring(0, true)]),
            face(Plane::new(at_height(half, false)?), vec![ring(1, false)]),
        ];
        Self::from_draft(Draft {
            faces,
            edges: vec![rim(radius, -half)?, rim(radius, half)?],
            ..Draft::default()
        })
    }

    /// A cone about z with its base at z = 0: faces side, bottom, top. Without a `top_radius` (or with 0) it ends in an
    /// apex, vertex 0.
    ///
    /// # Errors
    /// When a size is not positive and finite.
    pub fn cone(radius: f64, height: f64, top_radius: Option<f64>) -> Result<Self, TiledError> {
        let (radius, height) = (positive("radius", radius)?, positive("height", height)?);
        let top = top_radius.unwrap_or(0.0);
        if top == radius {
            return Self::prism_of_circle(radius, height);
        }
        if !(top >= 0.0 && top.is_finite()) {
            return Err(ShapeError::BadSize { field: "top_radius", value: top }.into());
        }
        let side = Cone::new(Pose::IDENTITY, radius, (top - radius) / height)?;
        let bottom = face(Plane::new(at_height(0.0, true)?), vec![ring(0, true)]);
        if top == 0.0 {
            let faces = vec![face(side, vec![ring(0, false), DraftLoop::Vertex(VertexId(0))]), bottom];
            let vertices = vec![DVec3::Z * height];
            return Self::from_draft(Draft {
                faces,
                edges: vec![rim(radius, 0.0)?],
                vertices,
                ..Draft::default()
            });
        }
        let lid = face(Plane::new(at_height(height, false)?), vec![ring(1, false)]);
        let faces = vec![face(side, vec![ring(0, false), ring(1, true)]), bottom, lid];
        Self::from_draft(Draft {
            faces,
            edges: vec![rim(radius, 0.0)?, rim(top, height)?],
            ..Draft::default()
        })
    }

    /// A cone that does not taper.
    fn prism_of_circle(radius: f64, height: f64) -> Result<Self, TiledError> {
        let faces = vec![
            face(Cylinder::new(Pose::IDENTITY, radius)?, vec![ring(0, false), ring(1, true)]),
            face(Plane::new(at_height(0.0, true)?), vec![ring(0, true)]),
            face(Plane::new(at_height(height, false)?), vec![ring(1, false)]),
        ];
        Self::from_draft(Draft {
            faces,
            edges: vec![rim(radius, 0.0)?, rim(radius, height)?],
            ..Draft::default()
        })
    }

    /// A capsule about z, centred; `height` is between the centres of its balls. Faces side, bottom, top.
    ///
    /// # Errors
    /// When a size is not positive and finite.
    pub fn capsule(radius: f64, height: f64) -> Result<Self, TiledError> {
        let half = 0.5 * positive("height", height)?;
        let faces = vec![
            face(Cylinder::new(Pose::IDENTITY, radius)?, vec![ring(0, false), ring(1, true)]),
            face(Sphere::new(at_height(-half, false)?, radius)?, vec![ring(0, true)]),
            face(Sphere::new(at_height(half, false)?, radius)?, vec![ring(1, false)]),
        ];
        Self::from_draft(Draft {
            faces,
            edges: vec![rim(radius, -half)?, rim(radius, half)?],
            ..Draft::default()
        })
    }
}
