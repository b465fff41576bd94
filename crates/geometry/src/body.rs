//! A body of any kind.

use crate::{HalfSpace, Polytope};

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
}

/// A solid body; immutable and cheap to clone.
#[derive(Clone, Debug)]
pub enum Body {
    /// A point, segment, box or polytope.
    Polytope(Polytope),
    /// A half-space.
    HalfSpace(HalfSpace),
}

impl Body {
    /// What it was made as.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Polytope(polytope) => polytope.kind(),
            Self::HalfSpace(_) => Kind::HalfSpace,
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
