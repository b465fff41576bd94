//! Every threshold of this crate and of those that share it: its unit, its reason, and what breaks on either side of it.
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

/// Dimensionless, a share of squared half axes. An ellipsoid inside a body is made smaller by this much.
/// Larger: fewer depths are proved quickly. Smaller: rounding may push it out of thin bodies.
pub const KERNEL_REL: f64 = 1e-4;

/// Dimensionless: the square of a ratio of half axes. A body more slender than this has no ellipsoid inside: the
/// rounding of its form, as this squared, must stay far below [`KERNEL_REL`].
/// Larger: a depth is proved by a point outside the body. Smaller: the depths of slender bodies take longer.
pub const KERNEL_ASPECT_SQ: f64 = 1e5;

/// Dimensionless: a slope. A vertex all of whose spokes are steeper than this against their mean is not blunt:
/// where they are level within rounding, no vertex is higher by more than that rounding over this slope.
/// Larger: finely divided spheres look beyond level spokes for nothing. Smaller: a climb stops below the top by
/// more than the gap that ends a search.
pub const BLUNT_SLOPE_REL: f64 = 1.0 / 256.0;

/// Dimensionless, times |direction|·|edge|. A climb leaves a vertex only for a gain above this,
/// so that every accepted step is a true gain and no plateau is walked in a circle.
/// Larger: the climb stops short on flat caps. Smaller: rounding noise is taken for ascent.
pub const CLIMB_REL: f64 = 4.0 * f64::EPSILON;

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

/// Dimensionless, times the size. How far the surface of a mesh file may run inside its hull and still
/// count as convex: single precision and six printed digits leave this much.
/// Larger: shallow dents are filled without a word. Smaller: convex parts exported as `.stl` are refused.
pub const MESH_CONVEX_REL: f64 = 2e-6;

/// Dimensionless, times the sum of the absolute terms of a 3 × 3 determinant. A determinant larger than
/// this has the right sign as computed; else it is computed exactly. The proven bound is 3.5 ε.
/// Larger: time is lost. Smaller than the bound: a hull may be inconsistent.
pub const ORIENT_FILTER_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless: a slope. A vertex all of whose edges fall by less from one plane is no corner. It must exceed
/// [`CLIMB_REL`], or a climb may stop there and miss the far side.
/// Larger: blunt corners disappear. Smaller: a climb stops on a plateau.
pub const BLUNT_REL: f64 = 16.0 * f64::EPSILON;

/// Dimensionless: a slope. Corners with a steeper edge are not tested for bluntness.
/// Larger: time is lost on real corners. Smaller: a blunt corner with one steep edge is missed.
pub const NEARLY_FLAT_REL: f64 = 1e-6;

/// Times [`COPLANAR_REL`] of the diameter. How far a left-out point may lie outside the body.
/// Larger: rounding adds up unseen. Smaller: noisy caps fall into triangles.
pub const DROPPED_SLACKS: f64 = 4.0;

/// Times [`COPLANAR_REL`] of the diameter. How far merged faces may be from flat and convex.
/// Larger: kernels see faces that their corners do not lie on. Smaller: noisy caps fall into triangles.
pub const HELD_SLACKS: f64 = 4.0;

/// Powers of two below the size of the body at which coordinates are rounded to zero before a hull is
/// taken: three factors and their rounding then stay within the range of f64, and the predicates exact.
/// Larger: products underflow and the predicates may contradict each other. Smaller: nothing until
/// 2⁻⁵², where real coordinates are lost.
pub const SMALLEST_COORDINATE_REL: f64 = 1.0 / (1_u128 << 120) as f64 / (1_u128 << 120) as f64;

/// Dimensionless, times its length. An edge of the triangulated hull that a merged face swallowed is kept
/// for climbing when it rises by more than this over the face's sides at its end.
/// Larger: a climb may stop short by as much of the body on faces that are flat only to rounding. Smaller: climbs
/// look at more neighbours.
pub const CHORD_REL: f64 = 8.0 * f64::EPSILON;

/// A length below which squares leave the range of f64 and vectors are normalised by a longer way.
/// Larger: the longer way is taken needlessly. Smaller: a unit vector loses its digits.
pub const SMALLEST_LENGTH: f64 = 1e-140;

/// Dimensionless. Relative rounding allowed for in a motion bound: more than the sums, products and
/// roots behind one bound can lose together.
/// Larger: the clock runs fast and bounds expire early. Smaller: a bound is not one
/// (`points_move_no_farther_than_the_bound`).
pub const MOTION_ROUNDING_REL: f64 = 16.0 * f64::EPSILON;

/// A length. Largest coordinate of a body: the slack of a climb, kept in single precision, and the products
/// of four coordinates that the exact predicates form stay finite.
/// Larger: a slack becomes infinite and every climb ends where it starts
/// (`support_is_right_at_every_accepted_size`). Smaller: somebody's unit is refused for nothing.
pub const LARGEST_EXTENT: f64 = 1e50;

/// A length. Smallest extent of a body that has any: the slack of a climb along its edges does not
/// underflow in single precision, nor do the products of its differences.
/// Larger: real bodies are refused. Smaller: a slack becomes zero and a climb goes round for ever
/// (`support_is_right_at_every_accepted_size`).
pub const SMALLEST_EXTENT: f64 = 1e-20;

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

/// Dimensionless. Relative difference within which a reproduced number counts as the printed or derived one.
/// Larger: a wrong digit passes. Smaller: the rounding of poses and hulls fails a right one.
pub const AGREEMENT_REL: f64 = 1e-10;

/// Highest degree whose polynomial pieces are kept as powers about their middle.
/// Larger: a value loses up to 2^degree roundings to cancellation. Smaller: ordinary patches are evaluated
/// by the slower Bernstein form.
pub const POWER_DEGREE: usize = 6;

/// Dimensionless, times the largest control coordinate: how far apart the ends of a closed curve may be.
/// Larger: a curve with a real gap is taken for a loop. Smaller: ends printed with twelve digits stay open.
pub const CLOSED_REL: f64 = 1e-11;

/// Dimensionless: |S_u × S_v|² over (|S_u|² + |S_v|²)² below which two tangents of a surface span no plane, both by
/// parameters in multiples of their extents.
/// Larger: long thin patches are taken for poles. Smaller: the normal next to a pole is made of rounding.
pub const DEGENERATE_SQ: f64 = 1e-14;

/// Dimensionless. The part of the domain that a normal by limit steps inside where derivatives leave it open,
/// and the ratio of squared tangents from which one of them has collapsed.
/// Larger: the normal is that of a point too far inside. Smaller: it is made of rounding.
pub const POLE_STEP_REL: f64 = 1e-6;

/// Radians. Within this angle the limits of a normal at a pole are one normal.
/// Larger: the tip of a needle counts as smooth. Smaller: control points with six digits have no common normal.
pub const POLE_NORMAL_RAD: f64 = 1e-5;

/// Dimensionless, times the extent of a curve: a vertex read from a file this close to a spline's end is at the end.
/// Larger: a spline cut just before its end is taken for whole. Smaller: vertices written with eight digits are
/// searched for along the whole spline.
pub const STEP_VERTEX_REL: f64 = 1e-6;

/// Dimensionless, times the extent of the edge: a parameter curve whose ends are that far from the edge's is not
/// used. Real files have edges that are a thousandth of their length off their surfaces.
/// Larger: a curve of another edge is accepted. Smaller: curves fitted to a loose tolerance are thrown away and
/// must be found again.
pub const STEP_PARAMETER_GAP_REL: f64 = 1e-2;

/// Dimensionless, times the extent of the body: a vertex that far off its edge's curve is worth a warning, unless
/// the file itself allows more.
/// Larger: gaps go unsaid. Smaller: every file written in single precision is full of warnings.
pub const STEP_GAP_REL: f64 = 1e-5;

/// Dimensionless, times the largest coordinate. What one blend (a + t(b − a)) of control points may lose, the
/// rounding of t included: at most 11 roundings, each half of the spacing of f64.
/// Larger: bounds are looser. Smaller: a bound may miss the surface (`bounds_contain_samples`).
pub const BLEND_ERROR_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times the size of the coordinates. What the evaluation of a closed formula in its frame may lose.
/// Larger: bounds are looser. Smaller: computed points may lie outside (`bounds_contain_samples`).
pub const CLOSED_FORM_ERROR_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless. Largest relative error of the platform's cosine, sine and hyperbolic functions.
/// Larger: bounds are looser. Smaller: a library that is off by two units breaks them.
pub const TRIG_ERROR_REL: f64 = 4.0 * f64::EPSILON;

/// Radians. Beyond this angle nothing is said of cosine and sine over an interval.
/// Larger: multiples of π are not told apart. Smaller: real ranges lose their bounds.
pub const LARGEST_ANGLE_RAD: f64 = 1e6;

/// Radians. What the angles of a cone of directions may lose to rounding.
/// Larger: cones are looser. Smaller: a normal on the rim may be refused.
pub const CONE_ROUNDING_RAD: f64 = 64.0 * f64::EPSILON;

/// Dimensionless, times the largest second derivative and the size of the box: a gradient of a polynomial below
/// this vanishes.
/// Larger: shallow zeros of a smooth surface are called singular. Smaller: the apex of a cone is not recognised.
pub const SINGULAR_REL: f64 = 1e-9;

/// Dimensionless, times a distance. What the height of a point along a unit axis may lose to rounding.
/// Larger: oriented boxes are looser. Smaller: they may miss a point (`bounds_contain_samples`).
pub const HEIGHT_ERROR_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times the size of the coordinates: a step of the search for parameters that moves the point by less
/// is the last; and the relative determinant below which its equations are not trusted.
/// Larger: parameters are less exact than they could be. Smaller: rounding is chased.
pub const LOCATE_STEP_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless, times the size of the coordinates and of what the rounding of parameters moves: a place of a surface this
/// near to a point is where the point is.
/// Larger: a sheet that all but touches is taken for it. Smaller: for points of a surface all of it is searched in vain.
pub const LOCATED_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless, times the largest radius of a conical face. How far past its apex a face may go, by radius, and be on one side
/// of it all the same.
/// Larger: a cone that does go on behind its apex counts as convex. Smaller: cones from files, whose angles have twelve
/// digits and whose seams are followed to an apex within 1e-9, are not known to be convex, and have no depth.
pub const APEX_REL: f64 = 1e-8;

/// Dimensionless, times the diagonal of a spline face of degree one. Thickness below which it is flat.
/// Larger: the heights of its body are bounded by that much less closely. Smaller: planes written as splines with twelve
/// digits are not known to be flat, and the corners that are trimmed away count as parts of the body.
pub const FLAT_SPLINE_REL: f64 = 1e-11;

/// Dimensionless, times the diameter of a tiled body. How far apart sides of patches, ends of edges and surfaces may be
/// that should coincide, unless the caller says.
/// Larger: narrow slits between patches are closed without a word. Smaller: patches printed with seven digits come apart.
pub const MATCH_REL: f64 = 1e-6;

/// Dimensionless, times the diameter of a tiled body. An edge that is farther from the surface of its face is refused;
/// one that is nearer but beyond the tolerance is noted. Times the extent of a surface: a projection that ends farther
/// from its point is begun again elsewhere.
/// Larger: an edge of another face passes, or the wrong side of a thin wall. Smaller: parts that modellers exchange every
/// day are refused, or read slowly.
pub const EDGE_OFF_REL: f64 = 1e-3;

/// Dimensionless, times the size of the edge. How far the cubic that stands for a piece of a trim curve may be from it;
/// near the curve itself decides.
/// Larger: more queries need the curve itself. Smaller: more pieces.
pub const TRACE_REL: f64 = 1e-4;

/// Dimensionless, times the size of the edge. A trim curve that is this close to a straight line of parameters is one.
/// Larger: shallow arcs become straight. Smaller: the rims of patches miss the fast path by rounding.
pub const STRAIGHT_REL: f64 = 1e-12;

/// Dimensionless, times the extent of the region of parameters. Within this a point lies on the trim curve.
/// Larger: points beside an edge are called part of it. Smaller: rounding of the projection decides the side.
pub const TRIM_BOUNDARY_REL: f64 = 1e-11;

/// Radians. Faces that meet at less are smooth across their edge.
/// Larger: shallow creases disappear. Smaller: fillets fitted by a modeller to six digits get a crease.
pub const SMOOTH_EDGE_RAD: f64 = 1e-4;

/// Dimensionless, times the curvature: a normal curvature toward the outside below this is none.
/// Larger: shallow hollows pass for convex. Smaller: rounding makes a cylinder hollow.
pub const HOLLOW_REL: f64 = 1e-9;

/// Dimensionless. Relative error at which the integrals of mass properties are good enough.
/// Larger: inertias lose digits. Smaller: time is lost on the rounding of sums.
pub const MASS_REL: f64 = 1e-12;

/// Dimensionless. Relative error at which the area of a face is good enough; next to a pole of a spline, where the length
/// of the normal is not smooth, its error falls with the size of the cells alone.
/// Larger: areas lose digits. Smaller: thousands of cells around each pole.
pub const MASS_AREA_REL: f64 = 1e-10;

/// Dimensionless, times the sum of the sizes of all terms. What the sums behind mass properties lose to rounding.
/// Larger: the stated error is too large. Smaller: it may not cover the rounding
/// (`primitives_have_their_closed_form_masses`).
pub const MASS_ROUNDING_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless, times the size of a face. How much wider than the face its box may be.
/// Larger: boxes are looser. Smaller: more rectangles are looked at around extreme points.
pub const EXTENT_REL: f64 = 1e-6;

/// Dimensionless, times the size of a trimmed face. How far a cubic fitted to a line of parameters may be from it.
/// Larger: edges leave their surface visibly. Smaller: more pieces.
pub const FIT_REL: f64 = 1e-10;

/// Dimensionless, times the size of the coordinates: two pairs of nearest points that close are one.
/// Larger: different minima are reported as one. Smaller: one minimum is reported from each of the cells around it.
pub const SAME_PLACE_REL: f64 = 1e-6;

/// Dimensionless, times the largest coordinate: points of curved bodies that close are in contact.
/// Larger: small clearances are called contact. Smaller: rounding keeps bodies that touch apart.
pub const CONTACT_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless: a determinant over the product of its columns' lengths, or a pivot over the first one. Below it a matrix
/// counts as singular.
/// Larger: honest crossings at small angles are left open. Smaller: solutions are rounding.
pub const PIVOT_REL: f64 = 1e-13;

/// Dimensionless, times the distance or the size of both bodies, whichever is less: how far a curved body is moved to see
/// whether its distance has a derivative.
/// Larger: bends of the distance are taken for kinks. Smaller: kinks drown in the error of the distance.
pub const KINK_PROBE_REL: f64 = 1e-5;

/// Dimensionless, times the probing motion: a second difference of the distance that is larger is a kink.
/// Larger: pairs of nearest points with almost the same normal count as one. Smaller: bends are taken for kinks.
pub const KINK_REL: f64 = 1e-3;

/// Dimensionless, times the reach of a body. A spline that may be higher than a known point by less is taken to be as high: what a proof
/// leaves by its rounding.
/// Larger: heights are too rough to tell the nearest features. Smaller: the farthest point is looked for in vain.
pub const SPLINE_RISE_REL: f64 = 1e-11;

/// Dimensionless, times the probing motion: the error of the distances that are compared.
/// Larger: it is taken for a kink. Smaller: the searches take longer and tell no more.
pub const KINK_ERROR_REL: f64 = 1e-4;
/// Dimensionless, times the size of a convex body and its distance from the origin. What the rounding of one farthest point
/// along a direction, and of its height, amounts to at most.
/// Larger: certificates give away more. Smaller: they may claim what rounding added.
pub const SUPPORT_ROUNDING_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless, times the sum of the sizes of the flux. From here on two nodes along a cell tell the sign of a volume.
/// Larger: the finer rule runs for bodies of ordinary shape. Smaller: a thin body may be turned inside out.
pub const ROUGH_FLUX_REL: f64 = 1.0 / 8.0;

/// The same of four nodes, which are limited by the cubics that guide trims.
/// Larger: the exact integral runs for thin plates. Smaller: a body as thin as the cubics are off is turned inside out.
pub const FINE_FLUX_REL: f64 = 1.0 / 256.0;

/// Dimensionless, times the error that is allowed. A proven bound within this is waited for; else estimates take its place.
/// Larger: faces whose bounds never come near use up their cells. Smaller: bounds that would be proven are given up.
pub const BOUND_NEAR_REL: f64 = 1e3;

/// Dimensionless. How many times the square of the last Legendre coefficients, over the largest, an estimated remainder is.
/// Larger: cells are halved without need. Smaller: an estimate may fall below the true remainder.
pub const ESTIMATE_CAUTION_REL: f64 = 64.0;

/// Dimensionless, times |S_u × S_v| at the middle of a cell: what it may change by within a complex neighbourhood in which
/// its length is analytic. |a + d|² stays in the right half-plane while |d| < (√2 − 1) |a|.
/// Larger, from √2 − 1 on: bounds of areas are wrong. Smaller: ellipses are smaller, and cells more.
pub const ANALYTIC_CHANGE_REL: f64 = 0.4;

/// Dimensionless, of a tile's side. The part of a tile beside a line whose normals stand for those along the line.
/// Larger: cones about the normals of a line are wider than needed. Smaller: where the normals turn fast, or end in
/// a degenerate point, the part has no cone.
pub const LINE_WIDTH_REL: f64 = 1.0 / 256.0;

/// Dimensionless, of a tile's side. A part that is no wider is a line.
/// Larger: thin parts get the cone of wider ones. Smaller: the net of a part is made of rounding.
pub const LINE_REL: f64 = 1.0 / 1_048_576.0;

/// Dimensionless, times the error by gaps at edges. An integral whose own error is this part of it is good enough.
/// Larger: the stated error is more than the gaps make. Smaller: cells are cut for digits that the gaps take away again.
pub const GAP_SHARE_REL: f64 = 1.0 / 1024.0;

/// Dimensionless. What mapping the parameters of a feature to those of a piece, from 0 to 1, may lose.
/// Larger: trims in certificates are wider than they need be. Smaller: a trim may leave out a part of its curve.
pub const LOCAL_PARAMETER_REL: f64 = 64.0 * f64::EPSILON;
