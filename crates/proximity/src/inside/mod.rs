//! Points and rays against bodies of any kind: inside or outside, how far, what a ray meets first.

mod apart;
mod contain;
mod point;
mod ray;
mod side;

pub(crate) use apart::is_apart;
pub(crate) use contain::Containment;
pub use contain::containment;
pub use point::PointDistance;

use crate::analytic::Feet;
use crate::global::{PointField, Prepared, RayMemory, SearchMemory};
use crate::tolerance::CONTACT_REL;
use crate::{Place, QueryError};
use clearance_geometry::bound::Obb;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, HalfSpace, LeafShape, Polytope, Pose};
use std::sync::OnceLock;

/// A body made ready for points and rays. Its curved parts are cut into pieces when they are first needed, once.
///
/// ```
/// use clearance_geometry::{Body, DVec3, tiled::TiledBody};
/// use clearance_proximity::{Place, Probe};
/// let mut ring = Probe::new(&Body::from(TiledBody::torus(2.0, 0.5)?))?;
/// assert_eq!(ring.locate(DVec3::X * 2.2)?, Place::Inside);
/// assert_eq!(ring.locate(DVec3::ZERO)?, Place::Outside);
/// let deep = ring.distance(DVec3::X * 2.2, None)?;
/// assert!((deep.signed_distance + 0.3).abs() < 1e-12);
/// let hit = ring.cast_ray(DVec3::X * 5.0, DVec3::NEG_X, 100.0)?;
/// assert!((hit.map_or(0.0, |hit| hit.distance) - 2.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    parts: Vec<Part>,
    memory: Memory,
}

/// A leaf of a union, or the one part of another body.
#[derive(Clone, Debug)]
struct Part {
    shape: Shape,
    pose: Pose,
    /// Whether its frame is that of the body.
    is_still: bool,
    /// Whether it has an inside.
    solid: bool,
    leaf: u32,
    /// A box around it, once it is asked for; none of a half-space.
    bound: OnceLock<Option<Extent>>,
}

/// A box with half its diagonal.
#[derive(Clone, Copy, Debug)]
struct Extent {
    bound: Obb,
    size: f64,
}

#[derive(Clone, Debug)]
enum Shape {
    HalfSpace(HalfSpace),
    Polytope(Polytope),
    Tiled { body: TiledBody, ready: Option<Box<Prepared>>, near: Box<Near> },
}

/// What nearest points of a tiled body are found with: formulas where it has some for all of its features, else cells that
/// are kept from point to point.
#[derive(Clone, Debug)]
struct Near {
    /// `None` before the first question.
    feet: Option<Option<Feet>>,
    field: PointField,
}

#[derive(Clone, Debug, Default)]
struct Memory {
    search: SearchMemory,
    ray: RayMemory,
    /// A single point, made ready.
    point: Option<Box<Prepared>>,
}

impl Probe {
    /// Makes a body ready.
    ///
    /// # Errors
    /// [`QueryError::UnsupportedBody`] for an algebraic surface.
    pub fn new(body: &Body) -> Result<Self, QueryError> {
        let solid = !matches!(body, Body::Boundary(_));
        let parts = match body.whole() {
            Body::HalfSpace(half) => vec![Part::new(Shape::HalfSpace(*half), solid)],
            Body::Polytope(body) => vec![Part::new(Shape::Polytope(body.clone()), solid)],
            Body::Tiled(body) => vec![Part::tiled(body, solid)],
            Body::Deforming(body) => vec![Part::tiled(body.shape(), solid)],
            Body::Union(tree) => {
                let part = |(at, leaf): (usize, &clearance_geometry::PartLeaf)| {
                    let solid = solid && !leaf.is_surface_only();
                    let part = match &leaf.shape {
                        LeafShape::Polytope(body) => Part::new(Shape::Polytope(body.clone()), solid),
                        LeafShape::Tiled(body) => Part::tiled(body, solid),
                    };
                    Part { pose: leaf.pose, is_still: false, leaf: at as u32, ..part }
                };
                tree.leaves().iter().enumerate().map(part).collect()
            }
            Body::Algebraic(_) | Body::Boundary(_) => {
                return Err(QueryError::UnsupportedBody { kind: body.kind() });
            }
        };
        Ok(Self { parts, memory: Memory::default() })
    }

    /// The parts that have an inside of a body that was made ready; `None` where none has.
    pub(crate) fn of_solids(body: &Prepared) -> Result<Option<Self>, QueryError> {
        let mut probe = Self::new(body.body())?;
        probe.parts.retain(|part| part.solid);
        if let (Body::Tiled(_), [Part { shape: Shape::Tiled { ready, .. }, .. }]) =
            (body.body(), probe.parts.as_mut_slice())
        {
            *ready = Some(Box::new(body.boundary()));
        }
        Ok((!probe.parts.is_empty()).then_some(probe))
    }

    /// How many parts it has.
    pub(crate) const fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Where `point`, in the body's frame, stands: inside a union where it is inside one of its parts. A surface has only
    /// boundary. A point within 2 · 10⁻¹¹ of the size of a trimmed face's rim, or within the gap of an edge that does not lie
    /// on its faces, is on the boundary.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for a point that is not finite, [`QueryError::NoPieces`] for a surface swept by a helix.
    pub fn locate(&mut self, point: DVec3) -> Result<Place, QueryError> {
        QueryError::demand(point.is_finite(), "point")?;
        let mut best = Place::Outside;
        for part in &mut self.parts {
            match part.locate(part.pose.apply_inverse(point), &mut self.memory)? {
                Place::Inside => return Ok(Place::Inside),
                Place::Boundary => best = Place::Boundary,
                Place::Outside => {}
            }
        }
        Ok(best)
    }
}

impl Part {
    const fn new(shape: Shape, solid: bool) -> Self {
        Self { shape, pose: Pose::IDENTITY, is_still: true, solid, leaf: 0, bound: OnceLock::new() }
    }

    fn tiled(body: &TiledBody, solid: bool) -> Self {
        let near = Box::new(Near { feet: None, field: PointField::for_many() });
        Self::new(Shape::Tiled { body: body.clone(), ready: None, near }, solid && body.is_closed())
    }

    #[inline]
    fn bound(&self) -> Option<&Extent> {
        let bound = self.bound.get_or_init(|| {
            let bound = match &self.shape {
                Shape::HalfSpace(_) => return None,
                Shape::Polytope(body) => LeafShape::Polytope(body.clone()).obb(),
                Shape::Tiled { body, .. } => LeafShape::Tiled(body.clone()).obb(),
            };
            Some(Extent { bound, size: bound.half.length() })
        });
        bound.as_ref()
    }

    /// How far a point is at least, by the box around it; negative inside.
    fn beyond(&self, point: DVec3) -> f64 {
        self.bound().map_or(f64::NEG_INFINITY, |extent| beyond(&extent.bound, point))
    }

    /// A length that counts as none, for a point.
    fn touch(&self, point: DVec3) -> f64 {
        let (center, half) =
            self.bound().map_or((DVec3::ZERO, 0.0), |extent| (extent.bound.center, extent.size));
        CONTACT_REL * (point.abs().max(center.abs()).max_element() + half)
    }

    /// Half the diagonal of its box.
    fn size(&self) -> f64 {
        self.bound().map_or(0.0, |extent| extent.size)
    }
}

/// How far a point is from a box at least; negative inside.
fn beyond(bound: &Obb, point: DVec3) -> f64 {
    let local = (bound.axes.transpose() * (point - bound.center)).abs() - bound.half;
    local.max_element()
}

/// The boundary of a tiled body made ready, once.
fn made_ready<'a>(
    body: &TiledBody,
    ready: &'a mut Option<Box<Prepared>>,
) -> Result<&'a Prepared, QueryError> {
    match ready {
        Some(known) => Ok(known),
        // The boundary: nearest points are wanted from the inside too.
        none => Ok(none.insert(Box::new(Prepared::new(&Body::from(body.clone()).boundary())?))),
    }
}
