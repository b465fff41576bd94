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

/// Dimensionless, times the touching distance. A triangle of a depth shell whose plane a new corner misses by no
/// more is level with it, and gives way where the cone to the corner would fold back over it.
/// Larger: the shell loses what it had. Smaller: large caps, whose slender triangles have uncertain planes, fold.
pub const FOLD_TOUCHES: f64 = 64.0;

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

/// Dimensionless: sin² of the angle between two edges below which they count as parallel and their
/// common normal is not trusted.
/// Larger: honest edge pairs take the longer way. Smaller: the normal of a nearly parallel pair is noise.
pub const PARALLEL_EDGES_SQ: f64 = 1e-14;

/// Dimensionless, a share of the facet's side of the inequality. By how much the proof that a facet of A − B is the
/// nearest must hold: more than the rounding of its few products and roots.
/// Larger: depths that are proved take the longer way. Smaller: rounding may prove a facet that is not the nearest.
pub const FACET_PROOF_REL: f64 = 1e-6;

/// Dimensionless, times the size of the coordinates at hand. How far above the least depth so far the height of an
/// edge pair in plain arithmetic may lie for it to be computed again in doubled precision.
/// Larger: time is lost on edge pairs that are not the nearest. Smaller: the nearest is passed over where the edges
/// are so nearly parallel that their normal is mostly rounding.
pub const CANDIDATE_REL: f64 = 1e-6;

/// Dimensionless: a sine. How far the common normal of two edges, in plain arithmetic, may lean out of an edge's arc
/// on the Gauss map for the pair to be looked at in doubled precision.
/// Larger: time is lost on pairs that are no facet. Smaller: facets of slivers are missed.
pub const ARC_REL: f64 = 1e-5;

/// Dimensionless: the square of a height over a length. A corner that is no farther off the span of those before it
/// adds nothing to the first tetrahedron of a depth shell.
/// Larger: corners of honest slivers are thrown away. Smaller: the tetrahedron is flat but for rounding, and folds.
pub const SPAN_SQ: f64 = 1e-14;

/// Dimensionless: sin² of the angle between two edges below which the depth of their facet is left to doubled
/// precision: the depth depends on the direction of their common normal to first order.
/// Larger: honest edge pairs take the longer way. Smaller: the depth is off by rounding over this sine.
pub const FACET_EDGES_SQ: f64 = 1e-3;

/// Dimensionless: inradius over radius below which a body's depth is found by enumeration in doubled precision.
/// Larger: honest bodies take milliseconds. Smaller: rounding decides which of two nearly parallel faces is
/// nearer (`random_depths_equal_enumeration`).
pub const SLENDER_REL: f64 = 1e-3;

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

/// Dimensionless, times the diameter. Vertices this close to a supporting plane belong to its flat when the
/// set of all closest points is asked for.
/// Larger: bodies tilted on purpose are called parallel. Smaller: faces parallel but for the rounding of
/// their pose have one closest point, which jumps when they turn.
pub const SUPPORT_TIE_REL: f64 = 1e-10;

/// Dimensionless, times the smaller radius. How far a body is pushed deeper to see whether another way out
/// of the overlap is as short.
/// Larger: near ties count as ties. Smaller: the change of the depth drowns in rounding.
pub const TIE_PROBE_REL: f64 = 1e-7;

/// Dimensionless. The part of the push that the depth may fail to grow by.
/// Larger: ties between directions a few degrees apart pass. Smaller: rounding is taken for a tie.
pub const TIE_GROWTH_REL: f64 = 1e-6;

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

/// Dimensionless. What a sum of a few products in the linear program may be off, relative to the sum of
/// their sizes. Larger: rows that bind are passed over. Smaller: rows that already hold are solved
/// again, and projected rows keep directions that are only rounding.
pub const LP_NOISE_REL: f64 = 16.0 * f64::EPSILON;

/// Dimensionless, for determinants of unit normals. Weights of a growth basis above minus this are
/// not negative. Larger: the lower bound of a basis fails by as much. Smaller: parallel faces, whose
/// weights are zero, are refused by rounding.
pub const RATIO_WEIGHT_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless, times the size of x, d and the grown body. A plane is violated beyond this.
/// Larger: the ratio is too small by as much. Smaller: the basis pivots on rounding.
pub const RATIO_FEASIBLE_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless. Shares in the ratio test of a growth basis below this part of the largest are zero,
/// and steps closer than it tie. Larger: a weight is driven negative. Smaller: nearly dependent
/// planes form a basis.
pub const RATIO_SHARE_REL: f64 = 1e-12;

/// Dimensionless: a sine, or a length over the size of the pair. Features this close to a support plane
/// lie in it, and a touching point this close to the rim of a feature is on it.
/// Larger: a tilted face is called parallel. Smaller: rounding decides between a corner and the middle
/// of a face.
pub const RATIO_TIE_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless: the sine of the angle between two edges below which they have no common normal.
/// Larger: true edge–edge events lose their exact normal. Smaller: the normal is rounding; the
/// neighbouring corner–face events cover it.
pub const RATIO_PARALLEL_REL: f64 = 1e-7;

/// Dimensionless, times the size of the numbers at hand. Rounding of the bounds of a ratio.
/// Larger: a poor answer counts as converged. Smaller: a good one counts as stalled.
pub const RATIO_ROUNDING_REL: f64 = 64.0 * f64::EPSILON;

/// Pivots. After this many the growth basis is left to the linear program; after half of them, ties are
/// broken by the smallest plane. Larger: degenerate pairs cycle for longer. Smaller: large bodies
/// after a jump go through all their planes.
pub const RATIO_PIVOT_LIMIT: u32 = 64;

/// Pivots. A tracked growth basis that needs more than this, or whose weights have gone negative, is
/// compared with the one a cold start would take. Larger: jumps are walked off pivot by pivot. Smaller:
/// coherent motions pay for cold starts.
pub const RATIO_PIVOTS_BEFORE_RESTART: u32 = 1;

/// Steps. A walk over faces that is longer than this looks into the table of directions once.
/// Larger: jumps are walked face by face. Smaller: short walks pay for the table.
pub const RATIO_STEPS_BEFORE_JUMP: u32 = 4;

/// Steps. A walk over faces goes on for this long among faces that rounding cannot order: flat regions
/// that the hull left in triangles. Larger: rounding may lead it in circles for longer. Smaller: the walk
/// ends before the face that the ray leaves by, and an upper bound of the ratio is none.
pub const RATIO_LEVEL_STEPS: u32 = 16;

/// Pivots over vertices in doubled precision. Larger: no cost, since a few tens are the rule. Smaller:
/// finely faceted bodies end with bounds apart.
pub const RATIO_CAREFUL_PIVOTS: u32 = 512;

/// Dimensionless: the part of the rounding allowed to the bounds of a ratio above which the ratio is found again in
/// doubled precision. Larger: slivers keep answers a few roundings worse than need be. Smaller: well
/// conditioned pairs pay for it.
pub const RATIO_TIGHT_REL: f64 = 0.125;

/// Rounds. Cuts of the bracket along a segment that keeps its size. Larger: no cost, since each round
/// discards a face. Smaller: segments along finely faceted bodies stall.
pub const RATIO_CUT_LIMIT: u32 = 200;

/// Sides times sides. Contacts of larger faces give an inner point in place of their centroid.
/// Larger: two cylinders end to end take a millisecond. Smaller: ordinary faces lose their centroid.
pub const RATIO_OUTLINE_PRODUCT: usize = 4096;

/// Sides. Faces with more are searched by bisection. Larger: caps of cylinders are scanned side by
/// side. Smaller: bisection where a scan is faster.
pub const RATIO_SCAN_SIDES: usize = 16;

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

/// Dimensionless: |S_u × S_v|² over (|S_u|² + |S_v|²)² below which two tangents of a surface span no plane.
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

/// Dimensionless, times a derivative, and times the largest coordinate of a cell and the square of its degree. What
/// differences of control points may lose to rounding.
/// Larger: fewer cells are recognised as convex or free. Smaller: a bound on a derivative may miss it.
pub const DERIVATIVE_ROUNDING_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless, times half the squared distance: a descent whose next step promises less has arrived.
/// Larger: witnesses are less exact. Smaller: steps are taken that rounding undoes.
pub const DESCENT_GAIN_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless: a pivot of a factorisation below this share of its diagonal entry is lost in rounding.
/// Larger: descents take more steps near flat minima. Smaller: steps of nearly singular matrices are noise.
pub const LEVENBERG_REL: f64 = 1e-12;

/// Dimensionless, times the size of the coordinates: two pairs of nearest points that close are one.
/// Larger: different minima are reported as one. Smaller: one minimum is reported from each of the cells around it.
pub const SAME_PLACE_REL: f64 = 1e-6;

/// Dimensionless, times the size of both bodies: the error of a certified distance unless another is asked for.
/// Larger: less is proven. Smaller: curves of nearest points take a search too long.
pub const CERTIFIED_REL: f64 = 1e-9;

/// Dimensionless, times the largest coordinate: points of curved bodies that close are in contact.
/// Larger: small clearances are called contact. Smaller: rounding keeps bodies that touch apart.
pub const CONTACT_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless: parameters of a Bézier piece that run from 0 to 1. Common points of a curve and a patch that close are
/// one, and one that close to the rim of a part is looked for on it.
/// Larger: two crossings become one. Smaller: a crossing on the rim of two parts is missed by both through rounding.
pub const CROSSING_BORDER_REL: f64 = 1e-9;

/// Dimensionless: a parameter of a Bézier piece. A point of a common curve this close to the rim is on it.
/// Larger: curves end early. Smaller: a curve that runs along the rim leaves and enters by rounding.
pub const PIECE_BORDER_REL: f64 = 1e-10;

/// Dimensionless: a determinant over the product of its columns' lengths, or a pivot over the first one. Below it a matrix
/// counts as singular.
/// Larger: honest crossings at small angles are left open. Smaller: solutions are rounding.
pub const PIVOT_REL: f64 = 1e-13;

/// Dimensionless, times the size of the coordinates: how far apart the two points of a common point may be.
/// Larger: common curves are less exact. Smaller: rounding fails good points.
pub const MARCH_RESIDUAL_REL: f64 = 1e-13;

/// Dimensionless, times the size of the coordinates: the least step along a common curve; closer points of it are one.
/// Larger: curves end before singular points. Smaller: steps are rounding.
pub const MARCH_STEP_REL: f64 = 1e-10;

/// Dimensionless: a sine. Surfaces at a smaller angle have no common tangent that can be trusted.
/// Larger: curves through a point of tangency lose their direction early. Smaller: the direction is rounding.
pub const PARALLEL_NORMALS_REL: f64 = 1e-7;

/// Dimensionless, times the size of the coordinates: surfaces that are this close at all samples are one.
/// Larger: surfaces that cross at a tiny angle are taken for one. Smaller: copies of one surface are searched for crossings.
pub const COINCIDENT_REL: f64 = 1e-11;

/// Radians. A part whose normals turn by less is flat.
/// Larger: shallow parts are taken for planes. Smaller: planes written as splines are searched for where they touch.
pub const FLAT_CONE_RAD: f64 = 1e-11;

/// Dimensionless, times the size of both bodies: ends of common curves this close are one point, beside the gaps of edges.
/// Larger: ends of different curves are joined. Smaller: a curve falls apart at the edges it crosses.
pub const JOIN_REL: f64 = 1e-7;

/// Dimensionless, times the size of both bodies: the radius below which surfaces that may touch are not cut further.
/// Larger: small loops stay unresolved. Smaller: tangent surfaces take longer.
pub const TRACE_FLOOR_REL: f64 = 1e-4;

/// Radians. Normals of two faces at a contact that are this close to parallel have a common tangent plane.
/// Larger: faces that meet at a slant are called tangent. Smaller: a contact found within its tolerance, which is off by
/// the root of it, is called a boundary contact.
pub const PARALLEL_CONTACT_RAD: f64 = 1e-3;

/// Dimensionless, a share of a piece's parameters: the last step of a climb to the deepest point of an overlap.
/// Larger: depths are less exact. Smaller: a climb takes more steps than rounding is worth.
pub const ASCENT_REL: f64 = 1e-9;
/// Dimensionless: a sine. A ray that meets a face at a smaller angle only grazes it.
/// Larger: more rays are cast again. Smaller: the side that a ray comes from is decided by rounding.
pub const GRAZING_REL: f64 = 1e-4;

/// Dimensionless, times the largest coordinate: two points that a ray meets within this distance are one.
/// Larger: walls thinner than this are one surface, and more rays are cast again. Smaller: a ray through an edge seems to
/// cross one of its faces alone.
pub const RAY_MARGIN_REL: f64 = 1e-12;

/// Radians. Faces that meet at a larger angle between their normals may fold back on each other.
/// Larger: next to a cusp the sum of two normals decides, which is made of rounding. Smaller: more points are located by rays.
pub const CUSP_RAD: f64 = 3.0;

/// Dimensionless: a sine. The vector to the nearest point of a face or edge may lean this much off its normals.
/// Larger: the rim of a face is taken for its inside. Smaller: nearest points found with few digits are located by rays.
pub const FOOT_REL: f64 = 1e-5;

/// Radians. How far a direction is turned to both sides to find the ends of the flat side that it is normal to.
/// Larger: the ends of the penetration vector are off on round bodies. Smaller: sides that are flat but for rounding are
/// taken for corners.
pub const FLAT_PROBE_RAD: f64 = 1e-7;

/// Dimensionless, times the largest coefficient, or times a distance: what the slope of a squared distance along a curve may
/// lose to rounding.
/// Larger: a foot close to a corner is taken for the corner. Smaller: where all points of an arc are equally near, rounding
/// finds feet.
pub const FOOT_ROUNDING_REL: f64 = 64.0 * f64::EPSILON;
/// Dimensionless, times the size of both bodies: cells of a search for all minima are not cut below this.
/// Larger: minima next to each other are not told apart. Smaller: a curve of minima takes the search too long.
pub const SMALLEST_CELL_REL: f64 = 1e-5;

/// Dimensionless, times a distance and the cells' size: the slope of a distance at a critical pair of points.
/// Larger: points at the end of a cell count as minima. Smaller: rounding hides minima.
pub const CRITICAL_SLOPE_REL: f64 = 1e-9;

/// Dimensionless, times the size of the bodies: how far from a point its neighbours are probed.
/// Larger: curvature is mistaken for a slope. Smaller: rounding is.
pub const PROBE_REL: f64 = 1e-6;

/// Dimensionless: a distance that falls by this share of a step has a slope.
/// Larger: points beside a minimum count as minima. Smaller: curvature is mistaken for a slope.
pub const PROBE_SLOPE: f64 = 1e-4;

/// Dimensionless, times the distance or the size of both bodies, whichever is less: how far a curved body is moved to see
/// whether its distance has a derivative.
/// Larger: bends of the distance are taken for kinks. Smaller: kinks drown in the error of the distance.
pub const KINK_PROBE_REL: f64 = 1e-5;

/// Dimensionless, times the probing motion: a second difference of the distance that is larger is a kink.
/// Larger: pairs of nearest points with almost the same normal count as one. Smaller: bends are taken for kinks.
pub const KINK_REL: f64 = 1e-3;

/// Dimensionless, times the probing motion: the error of the distances that are compared.
/// Larger: it is taken for a kink. Smaller: the searches take longer and tell no more.
pub const KINK_ERROR_REL: f64 = 1e-4;
/// Dimensionless, times the size of a convex body and its distance from the origin. What the rounding of one farthest point
/// along a direction, and of its height, amounts to at most.
/// Larger: certificates give away more. Smaller: they may claim what rounding added.
pub const SUPPORT_ROUNDING_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless. Residual of the signed system of two features, lengths relative to the pair, at which it is solved.
/// Larger: the last digits of witnesses are lost. Smaller: rounding keeps the steps going.
pub const NEWTON_SETTLED_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times the largest entry of that system. Pivots below are none: the features are parallel.
/// Larger: features that lean to each other a little are taken for parallel and never settle. Smaller: steps along a
/// locus are made of rounding.
pub const NEWTON_PIVOT_REL: f64 = 1e-11;

/// Dimensionless, times the size of the pair. Gap between a distance of curved bodies and the separation along its normal
/// at which the features are accepted as the closest.
/// Larger: neighbouring features pass. Smaller: rounding refuses the right ones.
pub const CURVED_GAP_REL: f64 = 1e-13;

/// Dimensionless. What is added to the angle by which a search's direction may be off, when features perpendicular to it
/// are picked.
/// Larger: features are tried in vain. Smaller: flat faces seen along their normal are missed by rounding.
pub const LEAN_REL: f64 = 1e-6;

/// Dimensionless, times the size of the pair. Gap at which the search for the least depth over all directions ends.
/// Larger: a depth may be off by as much. Smaller: more directions are looked at.
pub const DEPTH_GAP_REL: f64 = 1e-10;

/// Radians. Two ways out of an overlap that are closer are one.
/// Larger: neighbouring minima are lost. Smaller: minima found from two sides are listed twice.
pub const SAME_WAY_RAD: f64 = 1e-5;

/// Radians. How far directions beside a minimum of the depth are from it that tell which features meet there and whether
/// it is one.
/// Larger: narrow minima are missed. Smaller: the change of the depth, of the order of its square, drowns in rounding.
pub const PROBE_RAD: f64 = 1e-4;

/// Dimensionless, times the size of the pair. The gap or depth below which bodies with curved faces touch: what the
/// rounding of their jets adds to [`TOUCH_REL`], and what a search leaves open where the normal of a contact is not unique.
/// Larger: real gaps are called contact. Smaller: bodies brought together by their own distance overlap by rounding.
pub const CURVED_TOUCH_REL: f64 = 128.0 * f64::EPSILON;

/// Dimensionless, times the largest entry of a small system. Pivots by columns above this need no search of all entries.
/// Larger: regular systems take the longer way. Smaller: a singular one gets steps made of rounding.
pub const REGULAR_PIVOT_REL: f64 = 1e-6;
/// Dimensionless, times the error by gaps at edges. An integral whose own error is this part of it is good enough.
/// Larger: the stated error is more than the gaps make. Smaller: cells are cut for digits that the gaps take away again.
pub const GAP_SHARE_REL: f64 = 1.0 / 1024.0;

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
/// Dimensionless, over the size of the problem; also a sine. A pair of points of the algebraic route is critical if it
/// violates no condition by more.
/// Larger: places where Newton's method got stuck pass. Smaller: double solutions, which it reaches only to the square
/// root of rounding, are lost.
pub const CRITICAL_REL: f64 = 1e-10;

/// Dimensionless, over the size of the unknowns. A Newton step of the algebraic route below this is the last.
/// Larger: digits are given away. Smaller: rounding is chased until the limit of steps.
pub const CRITICAL_STEP_REL: f64 = 2.0 * f64::EPSILON;

/// Dimensionless: smallest over largest pivot. Equations for a critical pair below this are singular there: damped
/// steps are taken, and the solution is examined for neighbours.
/// Larger: honest solutions of slender bodies are called multiple. Smaller: a curve of solutions passes for points.
pub const CRITICAL_SINGULAR_REL: f64 = 1e-8;

/// Dimensionless, over the size of the problem. Two critical pairs, or two distances along a curve of them, that
/// differ by less are one.
/// Larger: two solutions about to part are merged. Smaller: a double solution is listed twice.
pub const CRITICAL_MERGE_REL: f64 = 1e-7;

/// Dimensionless, over the size of the problem. The length of the step that looks for neighbours of a singular
/// solution.
/// Larger: small circles of solutions are stepped over. Smaller: a solution that is flat to fourth order passes for a
/// curve of solutions.
pub const CRITICAL_PROBE_REL: f64 = 1e-2;

/// Dimensionless, over the largest entry of a quadric's form. An eigenvalue below this is zero, and a value this small
/// over its terms makes a centre an apex.
/// Larger: very slender quadrics become cylinders, small hyperboloids cones. Smaller: the rounding of a rotation gives a
/// cylinder a far end.
pub const QUADRIC_FLAT_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless: smallest over largest pivot of a resultant matrix. Equations below this nearly share a factor, as
/// they do in symmetric configurations: disturbed ones are solved besides.
/// Larger: time is lost on honest configurations. Smaller: solutions next to a symmetric configuration lose so many
/// digits that Newton's method does not find them again.
pub const SYMMETRIC_REL: f64 = 1e-9;

/// Dimensionless, over the sizes of the coefficients. By how much equations with a common factor are disturbed.
/// Larger: Newton's method has a longer way back, and may end elsewhere. Smaller: the disturbed equations are still
/// nearly singular.
pub const DISTURB_REL: f64 = 3e-3;

/// Dimensionless, over the extent of a patch's parameters. A critical point this far outside counts as on the patch.
/// Larger: points of the continued surface are reported. Smaller: one on the very side is lost by rounding.
pub const PATCH_EDGE_REL: f64 = 1e-12;

/// Dimensionless, over the sum of the sizes of its terms. The margin by which two ellipsoids are apart, or one is
/// inside the other, below which they touch.
/// Larger: small gaps are called contact. Smaller: rounding decides.
pub const ELLIPSOID_TOUCH_REL: f64 = 1e-13;

/// Dimensionless, times the largest of the polynomials' sizes. Terms without a factor below this are rounding: the
/// factor that belongs to a cylinder is divided out.
/// Larger: very long ellipsoids are taken for cylinders. Smaller: cylinders take the longer way.
pub const CYLINDER_REL: f64 = 1e-13;

/// Dimensionless: a squared ratio of half axes. Beyond it a quadric is so slender that the equations for its common
/// normals lose digits, and pairs of ends of axes are starts besides.
/// Larger: time is lost on honest quadrics. Smaller: common normals of thin discs are missed
/// (`far_apart_and_slender_quadrics_miss_nothing`).
pub const SLENDER_QUADRIC_SQ: f64 = 1e-3;

/// Dimensionless, times the size of the coordinates: steps to a zero of a polynomial that no longer shrink and are below
/// this are its rounding.
/// Larger: points beside an algebraic surface count as on it. Smaller: zeros of badly scaled polynomials are not found.
pub const LEVEL_NOISE_REL: f64 = 1e-12;

/// Dimensionless, times the size of the coordinates: a zero of a polynomial whose place rounding makes less certain than this
/// is not taken for a point of its surface.
/// Larger: points beside a singular point count as on the surface. Smaller: no point of a badly scaled polynomial does.
pub const LEVEL_ZERO_REL: f64 = 1e-9;
/// Dimensionless, times the largest coordinate: a ray that passes an edge this closely does not tell inside from outside.
/// Larger: more rays are cast again. Smaller: between two faces that meet at next to no angle a ray crosses one alone.
pub const RAY_BESIDE_REL: f64 = 1e-9;

/// Dimensionless, times the largest coordinate: how far beyond its first point a ray must pass no edge closely.
/// Larger: more rays are cast again. Smaller: a ray at a small angle to a face crosses it farther from its rim than this.
pub const RAY_BEYOND_REL: f64 = 1e-5;
