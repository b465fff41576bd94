//! A body of any kind.

use crate::algebraic::AlgebraicSurface;
use crate::tiled::TiledBody;
use crate::{DeformingBody, HalfSpace, PartTree, Polytope};
use std::fmt;
use std::sync::Arc;

/// What a body was made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A single point.
    Point,
    /// A segment.
    Segment,
    /// A box.
    Box,
    /// A convex polytope.
    Polytope,
    /// A half-space.
    HalfSpace,
    /// A body with curved faces.
    Tiled,
    /// A body with curved faces that change their shape.
    Deforming,
    /// The zero set of a polynomial.
    Algebraic,
    /// Several bodies that move as one.
    Union,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Point => "a point",
            Self::Segment => "a segment",
            Self::Box => "a box",
            Self::Polytope => "a polytope",
            Self::HalfSpace => "a half-space",
            Self::Tiled => "a tiled body",
            Self::Deforming => "a deforming body",
            Self::Algebraic => "an algebraic surface",
            Self::Union => "a union",
        })
    }
}

/// A solid body or a surface in space; immutable and cheap to clone.
///
/// ```
/// use clearance_geometry::{Body, Kind, Polytope, DVec3, tiled::TiledBody};
/// let ball = Body::from(TiledBody::sphere(1.0)?);
/// assert_eq!(ball.kind(), Kind::Tiled);
/// assert!(!ball.is_surface_only());
/// assert!(ball.boundary().is_surface_only());
/// # Ok::<(), clearance_geometry::tiled::TiledError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Body {
    /// A point, segment, box or polytope.
    Polytope(Polytope),
    /// A half-space.
    HalfSpace(HalfSpace),
    /// A body with curved faces; a surface only, unless it is closed.
    Tiled(TiledBody),
    /// A body with curved faces that change their shape.
    Deforming(DeformingBody),
    /// The zero set of a polynomial: a surface only.
    Algebraic(Arc<AlgebraicSurface>),
    /// Several bodies that move as one.
    Union(PartTree),
    /// The boundary alone of another body: nothing is ever inside it. Made by [`Body::boundary`].
    Boundary(Arc<Body>),
}

impl Body {
    /// What it was made as; of a boundary, what the whole body was made as.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Polytope(polytope) => polytope.kind(),
            Self::HalfSpace(_) => Kind::HalfSpace,
            Self::Tiled(_) => Kind::Tiled,
            Self::Deforming(_) => Kind::Deforming,
            Self::Algebraic(_) => Kind::Algebraic,
            Self::Union(_) => Kind::Union,
            Self::Boundary(whole) => whole.kind(),
        }
    }

    /// Whether it is a surface without an inside: an open one, an algebraic one, or a boundary alone. A union is one
    /// where every part is.
    pub fn is_surface_only(&self) -> bool {
        match self {
            Self::Polytope(_) | Self::HalfSpace(_) => false,
            Self::Tiled(body) => !body.is_closed(),
            Self::Deforming(body) => !body.shape().is_closed(),
            Self::Algebraic(_) | Self::Boundary(_) => true,
            Self::Union(tree) => tree.leaves().iter().all(|leaf| leaf.is_surface_only()),
        }
    }

    /// Its boundary alone; of a union, each part's.
    #[must_use]
    pub fn boundary(&self) -> Self {
        match self {
            Self::Boundary(_) => self.clone(),
            whole => Self::Boundary(Arc::new(whole.clone())),
        }
    }

    /// Whether it has bounds: every body but a half-space.
    pub fn is_bounded(&self) -> bool {
        !matches!(self.whole(), Self::HalfSpace(_))
    }

    /// Whether the other is a clone of this one; two bodies made alike are not the same.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Polytope(a), Self::Polytope(b)) => a.is_same(b),
            (Self::HalfSpace(a), Self::HalfSpace(b)) => a == b,
            (Self::Tiled(a), Self::Tiled(b)) => a.is_same(b),
            (Self::Deforming(a), Self::Deforming(b)) => a.shape().is_same(b.shape()),
            (Self::Algebraic(a), Self::Algebraic(b)) => Arc::ptr_eq(a, b),
            (Self::Union(a), Self::Union(b)) => a.is_same(b),
            (Self::Boundary(a), Self::Boundary(b)) => Arc::ptr_eq(a, b) || a.is_same(b),
            _ => false,
        }
    }

    /// The body whose boundary this is; itself where it is no boundary.
    pub fn whole(&self) -> &Self {
        match self {
            Self::Boundary(whole) => whole.whole(),
            other => other,
        }
    }
}

impl From<Polytope> for Body {
    fn from(polytope: Polytope) -> Self {
        Self::Polytope(polytope)
    }
}

impl From<HalfSpace> for Body {
    fn from(half_space: HalfSpace) -> Self {
        Self::HalfSpace(half_space)
    }
}

impl From<TiledBody> for Body {
    fn from(body: TiledBody) -> Self {
        Self::Tiled(body)
    }
}

impl From<DeformingBody> for Body {
    fn from(body: DeformingBody) -> Self {
        Self::Deforming(body)
    }
}

impl From<AlgebraicSurface> for Body {
    fn from(surface: AlgebraicSurface) -> Self {
        Self::Algebraic(Arc::new(surface))
    }
}

impl From<PartTree> for Body {
    fn from(tree: PartTree) -> Self {
        Self::Union(tree)
    }
}
