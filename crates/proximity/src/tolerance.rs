//! Every threshold of this crate: its unit, its reason, and what breaks on either side of it.
//!
//! What bodies themselves are measured by stands in `clearance_geometry::tolerance`, and is named from here too.

pub use clearance_geometry::tolerance::*;

/// Dimensionless, times the touching distance. A triangle of a depth shell whose plane a new corner misses by no
/// more is level with it, and gives way where the cone to the corner would fold back over it.
/// Larger: the shell loses what it had. Smaller: large caps, whose slender triangles have uncertain planes, fold.
pub const FOLD_TOUCHES: f64 = 64.0;

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

/// Dimensionless, times the largest coordinate of a Bézier net and the sum of its degrees and 5. What evaluating a point of it
/// may lose: 6 roundings, each half of the spacing of f64, of each coordinate, √3 times that in space, and as much again for
/// the square of a distance.
/// Larger: cells are closed later. Smaller: a lower bound may be above the distance by rounding
/// (`evaluation_loses_less_than_is_said`).
pub const EVALUATION_ERROR_REL: f64 = 8.0 * f64::EPSILON;

/// Dimensionless, times a derivative, and times the largest coordinate of a cell and the square of its degree. What
/// differences of control points may lose to rounding.
/// Larger: fewer cells are recognised as convex or free. Smaller: a bound on a derivative may miss it.
pub const DERIVATIVE_ROUNDING_REL: f64 = 32.0 * f64::EPSILON;

/// Dimensionless, times half the squared distance: a descent whose next step promises less has arrived.
/// Larger: witnesses are less exact. Smaller: steps are taken that rounding undoes.
pub const DESCENT_GAIN_REL: f64 = 4.0 * f64::EPSILON;

/// Dimensionless: a parameter whose squared tangent is at most this share of the other's moves no point, as at a pole. A tangent
/// that vanishes is what rounding of coordinates makes of it, which for bodies far away is much of the size.
/// Larger: descents next to poles leave a parameter alone that matters. Smaller: rounding makes a pivot.
pub const COLLAPSED_METRIC_REL: f64 = 1e-20;

/// Dimensionless: a pivot of a factorisation below this share of its diagonal entry is lost in rounding.
/// Larger: descents take more steps near flat minima. Smaller: steps of nearly singular matrices are noise.
pub const LEVENBERG_REL: f64 = 1e-12;

/// Dimensionless, times the size of both bodies: the error of a certified distance unless another is asked for.
/// Larger: less is proven. Smaller: curves of nearest points take a search too long.
pub const CERTIFIED_REL: f64 = 1e-9;

/// Dimensionless: parameters of a Bézier piece that run from 0 to 1. Common points of a curve and a patch that close are
/// one, and one that close to the rim of a part is looked for on it.
/// Larger: two crossings become one. Smaller: a crossing on the rim of two parts is missed by both through rounding.
pub const CROSSING_BORDER_REL: f64 = 1e-9;

/// Dimensionless: a parameter of a Bézier piece. A point of a common curve this close to the rim is on it.
/// Larger: curves end early. Smaller: a curve that runs along the rim leaves and enters by rounding.
pub const PIECE_BORDER_REL: f64 = 1e-10;

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

/// Dimensionless, times the size of both bodies: where minima form a curve, cells of a search for all of them up to this
/// large are left open in the end.
/// Larger: other minima next to the curve are missed. Smaller: a curve of minima takes the search too long.
pub const COARSEST_CELL_REL: f64 = 1.0 / 64.0;

/// Dimensionless, times a distance and the cells' size: the slope of a distance at a critical pair of points.
/// Larger: points at the end of a cell count as minima. Smaller: rounding hides minima.
pub const CRITICAL_SLOPE_REL: f64 = 1e-9;

/// Of the parameters of a face: how far from a point of its boundary it is looked whether the face goes on in a direction. Curves
/// of less speed than this share of what their second derivatives give them have none.
/// Larger: the boundary's curvature decides. Smaller: rounding of the parameters does.
pub const PROBE_STEP_REL: f64 = 1e-6;

/// Of the parameters of a face: how long the chords are that leave a singular point.
/// Larger: curvature is mistaken for a slope. Smaller: rounding is, where two derivatives vanish.
pub const PROBE_FAN_REL: f64 = 1e-5;

/// Dimensionless: a derivative by a parameter over the second derivatives, all by parameters in multiples of their extents. Below
/// this the parameter is singular to a look along the tangents.
/// Larger: a fan is searched where one direction would do. Smaller: the tangents turn within a step.
pub const SINGULAR_BEND_REL: f64 = 1e-2;

/// Dimensionless: a distance that falls by this share of a step has a slope. Tangents at an angle of a lesser sine are parallel.
/// Larger: points beside a minimum count as minima. Smaller: curvature is mistaken for a slope.
pub const PROBE_SLOPE: f64 = 1e-4;

/// Dimensionless. Residual of the signed system of two features, lengths relative to the pair, at which it is solved.
/// Larger: the last digits of witnesses are lost. Smaller: rounding keeps the steps going.
pub const NEWTON_SETTLED_REL: f64 = 8.0 * f64::EPSILON;

/// The longest step, as a share of a piece, across which the second derivatives stand for an evaluation: what is left out is
/// its cube. Larger: points that are off their piece. Smaller: evaluations that tell nothing new.
pub const TAYLOR_STEP_REL: f64 = 1e-5;

/// The longest last step of a tracked Newton run that is taken without a look at what it leaves; scaled unknowns. What is left is
/// some times its square. Larger: witnesses of fast motions are off by more than 1e-12 of the size. Smaller: one more step in
/// frames that need none.
pub const NEWTON_LAST_STEP_REL: f64 = 4e-7;

/// Dimensionless: the square of the longest last step of a tracked pair of features, over the square of this, is at most the
/// size of the pair times its distance, lengths both. What is left of the points is about that square over the size, and of the distance
/// the square of that over the distance. Larger: normals of fast motions are off by more than 1e-8. Smaller: one more step in
/// frames that need none.
pub const SLIDE_LAST_STEP_REL: f64 = 1e-4;

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

/// Radians. The angle between two half-planes that end in a common axis, between which a search for the least depth looks.
/// Larger: bounds err by its square. Smaller: the directions of a cell are in one plane by rounding.
pub const SLIVER_RAD: f64 = 1e-7;

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

/// Dimensionless, over the size of the problem; also a sine. A pair of points of the algebraic route is critical if it
/// violates no condition by more.
/// Larger: places where Newton's method got stuck pass. Smaller: double solutions, which it reaches only to the square
/// root of rounding, are lost.
pub const CRITICAL_REL: f64 = 1e-10;

/// Radians. By how much the tangent of a common curve should turn from point to point as it is followed.
/// Larger: curves are drawn coarsely, and steps are tried that are taken back. Smaller: more points than anybody needs.
pub const MARCH_TURN_RAD: f64 = 0.12;

/// Radians. By how much it may turn at most; a step that bends more is halved.
/// Larger: a step may end on another branch. Smaller: bends are followed in needlessly short steps.
pub const MARCH_MOST_TURN_RAD: f64 = 0.3;

/// Dimensionless, times the longest step. From here on a step may go through a crossing of two branches, where the cross
/// product of the normals changes its sense.
/// Larger: a step may go over to the opposite branch of a saddle. Smaller: a branch ends before the crossing.
pub const NODE_STEP_REL: f64 = 1.0 / 4096.0;

/// Dimensionless, times the length of a step. By how much a point found on a branch may miss one that was found before.
/// Larger: branches beside each other count as one. Smaller: a branch is followed a second time, or does not close.
pub const MARCH_MISS_REL: f64 = 1.0 / 1_048_576.0;

/// Dimensionless, times the sum of the sizes of a polynomial's terms. A value that is larger has its sign whatever rounding
/// did.
/// Larger: zeros between points of nearly the same value are not found. Smaller: rounding makes a zero.
pub const LEVEL_VALUE_REL: f64 = 16.0 * f64::EPSILON;

/// Dimensionless, times the error of Bernstein coefficients. A polynomial whose coefficients are all that far on one side of
/// zero has no zero in the cell; a checker's own errors are as large.
/// Larger: more cells beside the surface are kept. Smaller: a checker may refuse the proof.
pub const LEVEL_SIGN_ERRORS: f64 = 4.0;

/// Dimensionless: the sine of an angle that a cell too small to cut cannot hide. A vector that leans more from the normal in
/// its middle is not along a normal of the cell.
/// Larger: cells that slope are kept. Smaller: a cell is dropped whose normals turn that much within it.
pub const LEANING_REL: f64 = 1.0 / 64.0;

/// Dimensionless, times the size of a body. The error of the first search for its point nearest to a point that is to be
/// located.
/// Larger: more points need a second search. Smaller: the first takes longer for points that are clearly off.
pub const LOCATE_ERROR_REL: f64 = 1.0 / 32.0;

/// Dimensionless, times the size of both bodies. The error of the first search when a contact is classified.
/// Larger: more searches until the bounds are on one side of the tolerance. Smaller: bodies clearly apart take longer.
pub const CLASSIFY_ERROR_REL: f64 = 1.0 / 64.0;

/// Dimensionless, times the depth of a point within an overlap: the error that may be left of it, where that is less than
/// what was asked for.
/// Larger: shallow overlaps at edges are called deeper than they are. Smaller: more searches for each of their points.
pub const OVERLAP_ERROR_SHARE: f64 = 1.0 / 64.0;

/// Radians. A step along a circle toward its point nearest to a body that is shorter is the last: what is left to gain is its
/// square.
/// Larger: witnesses are less exact. Smaller: rounding is chased.
pub const RING_STEP_RAD: f64 = 1e-8;

/// Radians: a cosine. An iteration of the published methods has converged when the line between the points is this square to
/// every tangent.
/// Larger: tables of the sources are off in their last digits. Smaller: rounding keeps it from ever being met.
pub const PUBLISHED_ANGLE_RAD: f64 = 1e-12;

/// Dimensionless, times the size of both bodies. A step of the published iterations that moves no point by more ends them;
/// solutions this near to each other are ties; second derivatives this little negative count as zero.
/// Larger: a slow approach is taken for its end. Smaller: points at rest but for rounding go on to the limit of steps.
pub const PUBLISHED_STEP_REL: f64 = 1e-12;

/// Dimensionless, times the range of a parameter. A parameter this near to its bound is at it, for the switching of the
/// published methods.
/// Larger: features are left before their end. Smaller: a foot found by iteration is never quite at the end of a curve.
pub const PUBLISHED_BOUND_REL: f64 = 1e-6;

/// Radians: a cosine. How far a law must push a parameter that is at its bound for the published methods to change features.
/// Larger: features change late. Smaller: rounding makes them alternate at a tie.
pub const PUBLISHED_SWITCH_RAD: f64 = 1e-7;

/// Radians: a line between two points that is this close to perpendicular to both features ends Newton's method of a
/// tracked pair. Its distance is then right to 1e-16 of itself. Larger leaves witnesses visibly off their place; smaller
/// takes a step more in every frame that rounding undoes.
pub const RIGHT_ANGLE_RAD: f64 = 1e-8;

/// Dimensionless, a share of a speed or an acceleration. Bounds on rates of motion are larger by this share than computed:
/// thousands of times their rounding. Larger: steps to a first contact get shorter. Smaller: rounding of the rotations of
/// composed motions may exceed it.
pub const RATE_MARGIN_REL: f64 = 1e-12;

/// Dimensionless, a share of the size of both bodies. How far they may move within the interval that holds their first contact,
/// unless something else is asked for. Larger: the interval tells little. Smaller: more steps, and rounding ends them.
pub const IMPACT_TOLERANCE_REL: f64 = 1e-6;

/// Of a piece's parameters, which run from 0 to 1. A cell is outside its trimmed face, or inside it, only where the boundary
/// is no nearer: a certificate tells of the boundary by rectangles, which can be made this small.
/// Larger: cells beside the boundary of a trimmed face are cut more often. Smaller: rounding of the rectangles reaches into
/// cells that are said to be outside.
pub(crate) const TRIM_MARGIN_REL: f64 = 1.0 / (1_u64 << 36) as f64;

/// Dimensionless: the sine of the angle between the normal of a pole and the line to the nearest point that makes the two
/// nearest points of each other.
/// Larger: a minimum beside a pole is moved into it. Smaller: rounding hides minima at poles.
pub(crate) const POLE_LEAN: f64 = 1e-7;

/// Dimensionless, times the size of both bodies. How far from a pole its neighbours are looked at.
/// Larger: other minima come into sight. Smaller: how the distance bends drowns in rounding.
pub(crate) const POLE_PROBE_REL: f64 = 1.0 / 64.0;

/// Dimensionless, times the square of the probe over the size. A distance that rises by more all around a pole has a minimum
/// there.
/// Larger: shallow minima count as one of many. Smaller: rounding does not tell a minimum from a curve of them.
pub(crate) const POLE_BEND_REL: f64 = 1e-4;

/// Radians. A step along a circle that moves, toward its point nearest to another, is the last where it is shorter: what is left of
/// the point is its square, of the distance the square of that.
/// Larger: witnesses are less exact than those from scratch. Smaller: one more step in frames that need none.
pub const RING_LAST_STEP_RAD: f64 = 1e-5;

/// Dimensionless, times the size of the larger of two pieces. Points found by descent that are closer may be beside a place
/// where the features touch, which is then looked for.
/// Larger: steps are taken in vain beside small gaps. Smaller: descents that stop farther off never come to contact.
pub(crate) const CLOSE_TO_TOUCH_REL: f64 = 1e-6;

/// Times what bounds lose to rounding beside the nearest points. A search that is asked for less ends with this error.
/// Larger: bounds are less close than they could be. Smaller: convexity, which loses more than slabs do, settles nothing, and
/// cells are cut to the end of numbers.
pub(crate) const SEARCH_ROUNDINGS: f64 = 64.0;

/// Dimensionless, times the largest coordinate. By how much bodies that touch may reach over a plane between them: what cells cut
/// many times may be off.
/// Larger: a second contact that overlaps by less is not seen. Smaller: no plane is proven, and crossings are looked for in vain.
pub(crate) const PLANE_BETWEEN_REL: f64 = 4096.0 * f64::EPSILON;

/// Dimensionless: a tangent over the other one of the same face. A parameter whose tangent is shorter does not take part in the
/// search for a place where features touch.
/// Larger: contacts beside a pole are not found. Smaller: second derivatives over its square are rounding.
pub(crate) const POLE_TANGENT_REL: f64 = 1e-5;

/// Dimensionless, a share of a lower bound: by how much the claim of a certificate gives way where its checker, which rounds in
/// another order, shows a hair less.
/// Larger: claims lose digits that were proven. Smaller: proofs are not written because of rounding.
pub const CLAIM_REL: f64 = 1e-13;

/// Dimensionless: a sine. Nearest points at the end of a piece, where the line between them leans over that end by more, are
/// looked for on the next piece of the same feature.
/// Larger: the normal of an answer leans by as much. Smaller: points at the end of a piece for reasons of symmetry are looked for
/// in vain.
pub(crate) const CROSSING_LEAN: f64 = 1e-9;

/// Dimensionless: a tangent over the other one of the same face. Nearest points where it is less are looked for once more by
/// parameters that are regular at the pole, where the surface has such.
/// Larger: steps are taken in vain. Smaller: descents that creep around a pole are left where they are.
pub(crate) const BESIDE_POLE_REL: f64 = 1.0 / 16.0;

/// Dimensionless, times how far a body reaches. Control points of an edge and of the side of a patch that are no farther apart are the
/// same but for rounding, and the edge is left to the patch; bounds of the patch lose as much.
/// Larger: bounds lose digits. Smaller: edges that were computed apart from their faces have cells of their own.
pub(crate) const RIM_REL: f64 = 64.0 * f64::EPSILON;

/// Dimensionless. Points that are nearer to a place than this, squared and by the size of a body, say nothing of how much it bends
/// there; a sphere that bends less, squared and times the size of both bodies, is a plane.
/// Larger: fewer bodies are kept apart by a sphere. Smaller: spheres are so large that distances from their centers lose digits.
pub(crate) const LEAST_BEND_REL: f64 = 1e-6;
