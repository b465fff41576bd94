//! Errors of the other crates as errors of this one: each gets its code here.

use crate::{Error, ErrorKind};
use clearance_dynamics::{DynamicsError, SolverChoice};
use clearance_geometry::algebraic::{AlgebraicError, PolynomialError};
use clearance_geometry::curve::{ConvertError, NurbsError};
use clearance_geometry::tiled::TiledError;
use clearance_geometry::{PolytopeError, PoseError, ShapeError};

impl From<DynamicsError> for Error {
    fn from(error: DynamicsError) -> Self {
        use DynamicsError as D;
        Self::new(match error {
            D::NotFinite { field } => ErrorKind::NotFinite { what: format!("`{field}`") },
            D::Diverged { body } => ErrorKind::NotFinite { what: format!("the next step of body {body}") },
            D::MixedDimensions => ErrorKind::DimensionMismatch { reason: error.to_string() },
            D::UnknownSolver { name } => {
                ErrorKind::UnknownName { what: format!("solver ({})", SolverChoice::names()).into(), name }
            }
            D::UnsupportedShape { kind } => {
                ErrorKind::UnsupportedFeature { what: format!("{kind} as a shape in a simulation") }
            }
            other => ErrorKind::BadValue { reason: other.to_string() },
        })
    }
}

impl From<PoseError> for Error {
    fn from(error: PoseError) -> Self {
        Self::new(match error {
            PoseError::NotFinite => ErrorKind::NotFinite { what: "the pose".to_owned() },
            other => ErrorKind::BadRotation { reason: other.to_string() },
        })
    }
}

impl From<PolytopeError> for Error {
    fn from(error: PolytopeError) -> Self {
        use PolytopeError as P;
        Self::new(match error {
            P::NotFinite { point } => ErrorKind::NotFinite { what: format!("point {point}") },
            P::OutOfRange { extent } => {
                ErrorKind::NumberOutOfRange { number: format!("{extent:e} (an extent)") }
            }
            P::Empty | P::Flat { .. } | P::NoLength => ErrorKind::FlatPolytope(error),
            P::NotConvex { .. } | P::ReflexCorner { .. } => {
                ErrorKind::NotConvex { reason: error.to_string() }
            }
            P::NotClosed { .. } | P::SeveralPieces { .. } | P::DegenerateFace { .. } => {
                ErrorKind::NotManifold { reason: error.to_string() }
            }
            P::InconsistentOrientation { .. } => {
                ErrorKind::InconsistentOrientation { reason: error.to_string() }
            }
            P::Unbounded { .. } => ErrorKind::Unbounded(error),
            P::CenterOutside { .. } => ErrorKind::CenterOutside(error),
            other => ErrorKind::BadValue { reason: other.to_string() },
        })
    }
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        match error {
            ShapeError::Polytope(inner) => inner.into(),
            ShapeError::NotFinite { field } => Self::new(ErrorKind::NotFinite { what: format!("`{field}`") }),
            other => Self::new(ErrorKind::BadValue { reason: other.to_string() }),
        }
    }
}

impl From<NurbsError> for Error {
    fn from(error: NurbsError) -> Self {
        use NurbsError as N;
        let reason = error.to_string();
        Self::new(match error {
            N::KnotCount { .. }
            | N::KnotsDecrease { .. }
            | N::Multiplicity { .. }
            | N::KnotSpacing { .. }
            | N::EmptyDomain { .. } => ErrorKind::BadKnots { reason },
            N::WeightCount { .. } | N::BadWeight { .. } => ErrorKind::BadWeight { reason },
            N::KnotNotFinite { at, .. } => ErrorKind::NotFinite { what: format!("knot {at}") },
            N::PointNotFinite { at } => ErrorKind::NotFinite { what: format!("control point {at}") },
            _ => ErrorKind::BadValue { reason },
        })
    }
}

impl From<ConvertError> for Error {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::Nurbs(inner) => inner.into(),
            other => Self::new(ErrorKind::BadValue { reason: other.to_string() }),
        }
    }
}

impl From<TiledError> for Error {
    fn from(error: TiledError) -> Self {
        use TiledError as T;
        let reason = error.to_string();
        Self::new(match error {
            T::Shape(inner) => return inner.into(),
            T::Nurbs(inner) => return inner.into(),
            T::Convert(inner) => return inner.into(),
            T::NotFinite { what, index } => ErrorKind::NotFinite { what: format!("{what} {index}") },
            T::NotManifold { .. } | T::OpenEdge { .. } => ErrorKind::NotManifold { reason },
            T::InconsistentOrientation { .. } => ErrorKind::InconsistentOrientation { reason },
            T::InconsistentProfile { .. } | T::CrossesAxis { .. } | T::AlongAxis { .. } => {
                ErrorKind::InconsistentProfile { reason }
            }
            _ => ErrorKind::BadValue { reason },
        })
    }
}

impl From<PolynomialError> for Error {
    fn from(error: PolynomialError) -> Self {
        Self::new(ErrorKind::BadPolynomial { reason: error.to_string() })
    }
}

impl From<AlgebraicError> for Error {
    fn from(error: AlgebraicError) -> Self {
        match error {
            AlgebraicError::Polynomial(inner) => inner.into(),
            AlgebraicError::BadBox { .. } => Self::new(ErrorKind::BadValue { reason: error.to_string() }),
            other => Self::new(ErrorKind::NoSurface { reason: other.to_string() }),
        }
    }
}
