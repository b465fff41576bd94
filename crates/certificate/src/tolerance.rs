//! The numbers of the checker that are not exact, and its limits.

/// Dimensionless, times the size of the larger body. How far the stated distance may be from that of the witnesses, beside
/// what the checker's own rounding explains: the writer rounds as well.
/// Larger: an altered distance passes. Smaller: the last digits of an honest writer are refused.
pub(crate) const WITNESS_REL: f64 = 1e-12;

/// Dimensionless, times the size of the larger body. How near a zero of a level set must be to its witness.
/// Larger: a witness beside the surface passes. Smaller: rounding hides the change of sign at an honest one.
pub(crate) const LEVEL_WITNESS_REL: f64 = 1e-11;

/// Of the width of a column of trimmed parameters. Ends of trim parts that are nearer to its sides may be without a next
/// part: on a surface that closes on itself the next part is on its other side.
/// Larger: a part left out at a side passes. Smaller: rounding at the seam is taken for a gap.
pub(crate) const SEAM_REL: f64 = 1e-6;

/// Halvings of a cell in one direction. Corners of cells stay exact.
pub(crate) const MAX_DEPTH: u32 = 50;

/// Halvings of the two cells of one slab. A claim about a support is separable, so that the two are halved apart.
/// Larger: a false slab costs more. Smaller: proofs need more leaves.
pub(crate) const HALVINGS: usize = 256;

/// Degree of a patch in one parameter. Binomials of it are exact floats.
pub(crate) const MAX_DEGREE: usize = 24;

/// Degree of a polynomial in one coordinate.
pub(crate) const MAX_POWER: usize = 12;

/// Control points and coefficients of both bodies together: some 250 MB.
pub(crate) const MAX_POINTS: usize = 1 << 21;

/// Steps of a proof.
pub(crate) const MAX_STEPS: usize = 1 << 22;

/// Longest file, in bytes.
pub(crate) const MAX_BYTES: usize = 1 << 28;
