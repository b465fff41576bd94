//! Why a spline could not be made or a shape not converted.

use std::fmt;
use thiserror::Error;

/// Along which parameter a fault lies; curves have u alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first parameter, or the only one.
    U,
    /// The second parameter.
    V,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U => "u",
            Self::V => "v",
        })
    }
}

/// A rational B-spline that could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NurbsError {
    /// Degree 0.
    #[error("the degree along {direction} is 0")]
    DegreeZero {
        /// Along which parameter.
        direction: Direction,
    },
    /// Fewer control points than degree + 1.
    #[error("{points} control points along {direction} are too few for degree {degree}")]
    TooFewPoints {
        /// Along which parameter.
        direction: Direction,
        /// Degree.
        degree: usize,
        /// Points found.
        points: usize,
    },
    /// Knots that are not points + degree + 1.
    #[error("{found} knots along {direction} instead of {expected}")]
    KnotCount {
        /// Along which parameter.
        direction: Direction,
        /// Points + degree + 1.
        expected: usize,
        /// Knots found.
        found: usize,
    },
    /// A knot is NaN or infinite.
    #[error("knot {at} along {direction} is not finite")]
    KnotNotFinite {
        /// Along which parameter.
        direction: Direction,
        /// Index of the knot.
        at: usize,
    },
    /// A knot is smaller than the one before.
    #[error("knot {at} along {direction} is smaller than the one before")]
    KnotsDecrease {
        /// Along which parameter.
        direction: Direction,
        /// Index of the knot.
        at: usize,
    },
    /// A knot stands more than degree + 1 times.
    #[error("knot {at} along {direction} stands more than {degree} + 1 times")]
    Multiplicity {
        /// Along which parameter.
        direction: Direction,
        /// Index of the knot that is one too many.
        at: usize,
        /// Degree.
        degree: usize,
    },
    /// Neighbouring different knots whose distance, or one over it, is not a number.
    #[error("knots {at} and the next along {direction} are {width:e} apart")]
    KnotSpacing {
        /// Along which parameter.
        direction: Direction,
        /// Index of the first of the two.
        at: usize,
        /// Their distance.
        width: f64,
    },
    /// No two different knots in the domain.
    #[error("the knots along {direction} leave no domain")]
    EmptyDomain {
        /// Along which parameter.
        direction: Direction,
    },
    /// Rows of a net that differ in length.
    #[error("row {row} of the net has {found} points instead of {expected}")]
    RaggedNet {
        /// Index of the row.
        row: usize,
        /// Length of the first row.
        expected: usize,
        /// Length of this row.
        found: usize,
    },
    /// Not one weight per point.
    #[error("{found} weights instead of {expected}")]
    WeightCount {
        /// Number of points.
        expected: usize,
        /// Number of weights.
        found: usize,
    },
    /// A weight that is zero, negative or not finite.
    #[error("weight {at} is {value}, not positive")]
    BadWeight {
        /// Index of the weight; in a net, along u first: row × row length + column.
        at: usize,
        /// Value found.
        value: f64,
    },
    /// A control point (or its product with its weight) is not finite.
    #[error("control point {at} is not finite")]
    PointNotFinite {
        /// Index of the point, counted as for weights.
        at: usize,
    },
    /// A parameter at which nothing can be inserted or cut.
    #[error("the parameter {at} along {direction} is outside the domain")]
    OutsideDomain {
        /// Along which parameter.
        direction: Direction,
        /// The parameter.
        at: f64,
    },
}

/// A curve or surface that has no rational form over the range asked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// A helix, or a surface made of one.
    #[error("a helix is not a rational curve")]
    NotRational,
    /// A range with an infinite, NaN or reversed end, or of length zero.
    #[error("the range {low} to {high} along {direction} cannot be converted")]
    BadRange {
        /// Along which parameter.
        direction: Direction,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The spline behind it could not be built.
    #[error(transparent)]
    Nurbs(#[from] NurbsError),
}
