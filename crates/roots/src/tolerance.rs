//! Every threshold of this crate: its unit, its reason, and what breaks on either side of it.
//!
//! It stands above `clearance-geometry`, so it cannot use the thresholds kept there.

/// Dimensionless, times the degree and the sum of the sizes of the terms: what rounding can make of a value of a
/// polynomial, or of a Bernstein coefficient.
/// Larger: close roots are called one. Smaller: rounding is read as a change of sign, and roots appear beside a double
/// one.
pub const VALUE_ROUNDING_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless, a share of the interval asked for. A bracket that still holds several roots and is this narrow is
/// not split again.
/// Larger: distinct roots are reported as a cluster. Smaller: more splits before a multiple root is given up.
pub const CLUSTER_WIDTH_REL: f64 = 1e-13;

/// Dimensionless, times the sizes of the neighbouring diagonal entries. A subdiagonal entry of a Hessenberg matrix
/// below this is zero.
/// Larger: eigenvalues lose digits. Smaller: the iteration does not settle.
pub const DEFLATION_REL: f64 = f64::EPSILON;

/// Dimensionless, times the largest entry. A pivot below this makes a matrix singular; inverse iteration puts it in
/// the place of a zero.
/// Larger: near-singular systems are refused. Smaller: a solution overflows.
pub const PIVOT_REL: f64 = f64::EPSILON;

/// Dimensionless, times the largest pivot. A Macaulay matrix whose pivots fall below this before its rank is reached,
/// or whose basis is this badly conditioned, belongs to equations with a common factor.
/// Larger: honest systems of poor scale are called degenerate. Smaller: the null space holds noise, and solutions are
/// lost among made-up ones.
pub const RANK_REL: f64 = 1e-13;

/// Dimensionless, times 1 + |value|. An eigenvalue with an imaginary part below this may stand for a real solution:
/// one of multiplicity k moves by the k-th root of rounding, and those of poorly conditioned systems move by as much.
/// Larger: time is lost on complex solutions. Smaller: multiple solutions are missed.
pub const NEAR_REAL_REL: f64 = 5e-2;

/// Dimensionless, times the largest coefficient. Coefficients below this do not take part in choosing units for the
/// variables.
/// Larger: units ignore honest small coefficients. Smaller: the rounding of one that should be zero decides.
pub const NEGLIGIBLE_REL: f64 = 1e-11;

/// Dimensionless, times the largest pivot. Generators of an ideal that add less than this to those before them add
/// nothing.
/// Larger: honest generators are dropped, and the count of zeros is wrong. Smaller: rounding counts as a generator.
pub const BASE_RANK_REL: f64 = 1e-9;
