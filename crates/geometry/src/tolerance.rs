//! Every threshold of the workspace: its unit, its reason, and what breaks on either side of it.
//!
//! Names end in what they are: `_REL` (dimensionless), `_RAD`, `_SQ`, `_PER_LENGTH`.

/// Dimensionless. Half the spacing of f64 at 1: the relative error of one rounding.
pub const UNIT_ROUNDOFF_REL: f64 = f64::EPSILON / 2.0;

/// Dimensionless. How far a quaternion, an axis or a matrix read from a file may be off unit length.
/// Larger: a mistyped rotation passes. Smaller: six printed digits are refused.
pub const UNIT_INPUT_REL: f64 = 1e-6;

/// Dimensionless. A matrix whose RᵀR is this close to the identity is kept as it is.
/// Larger: drift accumulates. Smaller: products of rotations change their bits when read back.
pub const ROTATION_ROUNDING_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times a length the size of the coordinates at hand: the gap below which two
/// bodies touch. It covers the rounding of one rigid transformation and one subtraction.
/// Larger: real gaps are called contact. Smaller: bodies built face to face are called separated.
pub const TOUCH_REL: f64 = 16.0 * f64::EPSILON;

/// Dimensionless. Relative duality gap at which a distance is accepted as converged.
/// Larger: features are reported one step early. Smaller: rounding keeps the search going.
pub const GAP_REL: f64 = 1e-12;

/// Dimensionless, times |direction|·|edge|. A climb leaves a vertex only for a gain above this,
/// so that every accepted step is a true gain and no plateau is walked in a circle.
/// Larger: the climb stops short on flat caps. Smaller: rounding noise is taken for ascent.
pub const CLIMB_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless: sin² of the angle between two edges below which they count as parallel and their
/// common normal is not trusted.
/// Larger: honest edge pairs take the longer way. Smaller: the normal of a nearly parallel pair is noise.
pub const PARALLEL_EDGES_SQ: f64 = 1e-14;

/// Dimensionless, times the size of both bodies: how far apart bodies are moved to find the features
/// by which they touch. Larger: neighbours of the touching features are found. Smaller: rounding decides.
pub const CLEAR_REL: f64 = 1e-6;

/// Dimensionless: sin² of the angle at which three points count as collinear.
/// Larger: honest slivers are taken for lines. Smaller: the plane through a line is noise.
pub const COLLINEAR_SQ: f64 = 1e-28;

/// Dimensionless, times the diameter. Thickness below which a point set is flat.
/// Larger: real plates are refused. Smaller: rounding of the input decides the faces.
pub const FLAT_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless, times the diameter. How far a vertex may lie off a face's plane for the face to
/// be merged with its neighbour, or to pass the convexity check of given faces.
/// Larger: shallow edges disappear. Smaller: a quadrilateral read from a file falls into triangles.
pub const COPLANAR_REL: f64 = 32.0 * f64::EPSILON;

/// Radians. How far the constraint planes of a Voronoi cell lean outward, so that neighbouring cells overlap.
/// Larger: a vertex keeps a face although one of its edges leans closer to it. Smaller: a point on the border
/// of two cells is sent back and forth by rounding.
pub const FLARE_RAD: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times a length the size of the coordinates at hand: how far the constraint planes of a
/// Voronoi cell are displaced outward. It covers a point carried to the other body's frame and back.
/// Larger: features are kept one step too long. Smaller: rounding of the transformation decides the cell.
pub const FLARE_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless. Sine below which two edges are parallel, so that their nearest points are the middles of
/// their common range. Larger: edges that lean to each other are taken for parallel and their distance is off
/// by that lean. Smaller: the crossing point of parallel lines is made of rounding.
pub const PARALLEL_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless. Smallest sine between two face normals whose plane may divide the cell of their vertex.
/// Larger: vertices of shallow cones keep large cells. Smaller: rounding of the normals tilts the dividing plane.
pub const CELL_CHORD_REL: f64 = 1e-6;
/// A length below which squares leave the range of f64 and vectors are normalised by a longer way.
/// Larger: the longer way is taken needlessly. Smaller: a unit vector loses its digits.
pub const SMALLEST_LENGTH: f64 = 1e-140;

/// Dimensionless. Relative rounding allowed for in a motion bound: more than the sums, products and
/// roots behind one bound can lose together.
/// Larger: the clock runs fast and bounds expire early. Smaller: a bound is not one
/// (`points_move_no_farther_than_the_bound`).
pub const MOTION_ROUNDING_REL: f64 = 16.0 * f64::EPSILON;

/// Sizes below which differences are noise, for a pair of bodies.
///
/// ```
/// use clearance_geometry::Tolerance;
/// let t = Tolerance::for_size(2.0);
/// assert!(t.length() < 1e-13);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    scale: f64,
}

impl Tolerance {
    /// For coordinates of about this size (a length): the largest magnitude that enters a
    /// subtraction, so the larger diameter and, far from the origin, the offset.
    pub const fn for_size(scale: f64) -> Self {
        Self { scale }
    }

    /// The size it was made for; a length.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// Gap below which bodies touch; a length.
    pub fn length(&self) -> f64 {
        self.scale * TOUCH_REL
    }

    /// Largest duality gap of a converged distance `distance`; a length.
    pub fn gap(&self, distance: f64) -> f64 {
        self.length().max(distance.abs() * GAP_REL)
    }
}
