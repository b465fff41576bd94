//! All nearest points of two bodies, where there are several: local minima of the distance, and connected sets of pairs that
//! are equally near.

use crate::analytic::{ball_of, witness_on_ball};
use crate::contact::{self, locus};
use crate::global::{Demand, Minima, ONE_SHOT_PAIRS, Prepared, SearchMemory, minima, nearest, proximity_of};
use crate::met::near_pair;
use crate::tolerance::CONTACT_REL;
use crate::{Ended, Precision, Proximity, QueryError, Witness};
use clearance_geometry::{Body, DVec2, DVec3, FaceId, Feature, HalfSpace, Polytope, Pose};

/// Pairs of parts that a search for all minima may look at: about a minute.
const MINIMA_PAIRS: u64 = 8 * ONE_SHOT_PAIRS;

/// Times the size of a body that a block in place of a half-space is wide to each side.
const BLOCK_WIDTHS: f64 = 2.0;

/// All local minima of the distance from A to B at `pose_ab`, nearest first, and whether these are all.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] for two half-spaces, [`QueryError::UnsupportedBody`] for algebraic surfaces,
/// [`QueryError::NoPieces`] for surfaces swept by a helix.
///
/// ```
/// use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, Pose, tiled::TiledBody};
/// use clearance_proximity::local_minima;
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// let ball = Body::from(TiledBody::sphere(0.25)?);
/// let (minima, complete) = local_minima(&ring, &ball, &Pose::from_translation(DVec3::X * 0.5)?)?;
/// assert!(complete && minima.len() == 1);
/// // A ball beside a wall.
/// let wall = Body::from(HalfSpace::new(DVec3::X, 0.0)?);
/// let (minima, complete) = local_minima(&wall, &ball, &Pose::from_translation(DVec3::X)?)?;
/// assert!(complete && minima.len() == 1 && (minima[0].distance - 0.75).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local_minima(a: &Body, b: &Body, pose_ab: &Pose) -> Result<(Vec<Proximity>, bool), QueryError> {
    local_minima_within(a, b, pose_ab, &Precision::default())
}

/// As [`local_minima`], looking at no more pairs of parts than `precision` says, and no longer.
///
/// # Errors
/// As [`local_minima`].
pub fn local_minima_within(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
) -> Result<(Vec<Proximity>, bool), QueryError> {
    match beside_ball(a, b, pose_ab, precision)? {
        Some(minima) => Ok(minima),
        None => of_boundaries(a, b, pose_ab, precision),
    }
}

/// The minima of a ball are those of its middle, nearer by its radius: a search over two parameters in place of four. `None`
/// where neither body is a ball, and where the other one reaches into it.
fn beside_ball(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
) -> Result<Option<(Vec<Proximity>, bool)>, QueryError> {
    let bodies = [a, b];
    let known = (0..2).find_map(|side| Some((side, ball_of(bodies[side])?)));
    let Some((side, ball)) = known else { return Ok(None) };
    let (center, radius) = ball;
    let middle = Body::from(Polytope::point());
    let (mut found, complete) = if side == 0 {
        of_boundaries(&middle, b, &pose_ab.with_translation(pose_ab.translation() - center), precision)?
    } else {
        of_boundaries(a, &middle, &pose_ab.with_translation(pose_ab.apply(center)), precision)?
    };
    let reach = 2.0 * radius + center.abs().max_element() + pose_ab.translation().abs().max_element();
    let poses = [Pose::IDENTITY, *pose_ab];
    for minimum in &mut found {
        let distance = minimum.distance - radius;
        // Written so that NaN is left to the other search.
        if !(distance > CONTACT_REL * reach) {
            return Ok(None);
        }
        (minimum.distance, minimum.signed_distance) = (distance, distance);
        let outward = if side == 0 { minimum.normal } else { -minimum.normal };
        minimum.witnesses[side] = witness_on_ball(bodies[side], ball, outward, &poses[side]);
        if side == 0 {
            minimum.witnesses[1].point += center;
        }
    }
    Ok(Some((found, complete)))
}

/// As [`local_minima_within`], of all pairs of features.
fn of_boundaries(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
) -> Result<(Vec<Proximity>, bool), QueryError> {
    let [block_a, block_b] = blocks(a, b, pose_ab)?;
    let (of_a, of_b) = (Prepared::new(&block_a)?, Prepared::new(&block_b)?);
    let demand = of_a.demand(&of_b, pose_ab);
    let mut memory = SearchMemory::default();
    let trees = [of_a.tree(), of_b.tree()];
    let max_pairs = precision.max_pairs.map_or(MINIMA_PAIRS, |most| most.min(MINIMA_PAIRS));
    let demand = Demand { max_pairs, deadline: precision.deadline, ..demand };
    let Minima { pairs, complete } = minima([&block_a, &block_b], trees, pose_ab, demand, &mut memory);
    let answer = |pair| {
        let found = proximity_of(trees, pair, demand.contact, Ended::Converged);
        Proximity { witnesses: without_blocks([a, b], found.witnesses), ..found }
    };
    Ok((pairs.iter().map(answer).collect(), complete))
}

/// All pairs of points of the boundaries of A and of B at `pose_ab` that are as near as `least`, the distance of the nearest
/// that is known already, as connected sets: points, curves and areas. Of bodies that touch, the places of contact.
///
/// # Errors
/// As [`local_minima`].
///
/// ```
/// use clearance_geometry::{Body, DVec2, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{contact::RegionKind, nearest_sets};
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// // Two rings on one axis: a circle of nearest points on each.
/// let sets = nearest_sets(&ring, &ring, &Pose::from_translation(DVec3::Z * 2.0)?, 1.0)?;
/// assert!(sets.regions.len() == 1 && sets.regions[0].kind == RegionKind::Curve);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest_sets(a: &Body, b: &Body, pose_ab: &Pose, least: f64) -> Result<contact::Locus, QueryError> {
    let [block_a, block_b] = blocks(a, b, pose_ab)?;
    let (of_a, of_b) = (Prepared::new(&block_a)?, Prepared::new(&block_b)?);
    let usual = of_a.demand(&of_b, pose_ab);
    // The search for a first pair ends as soon as it has one as near as that.
    let demand = Demand { contact: least + usual.contact, ..usual };
    let found = nearest(&of_a, &of_b, pose_ab, &demand);
    let near = near_pair(&found.proximity, found.places);
    let mut sets = locus(&of_a, &of_b, pose_ab, &near, usual.contact);
    for region in &mut sets.regions {
        region.witnesses = without_blocks([a, b], region.witnesses);
    }
    Ok(sets)
}

/// Both bodies, with a block in place of a half-space.
fn blocks(a: &Body, b: &Body, pose_ab: &Pose) -> Result<[Body; 2], QueryError> {
    let pair = match (a.whole(), b.whole()) {
        (Body::HalfSpace(_), Body::HalfSpace(_)) => {
            return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
        }
        (Body::HalfSpace(half), _) => {
            let above = Above::new(b, half, |p| pose_ab.apply(p))?;
            [block(half, &above), Some(b.clone())]
        }
        (_, Body::HalfSpace(half)) => {
            let above = Above::new(a, half, |p| pose_ab.apply_inverse(p))?;
            [Some(a.clone()), block(half, &above)]
        }
        _ => return Ok([a.clone(), b.clone()]),
    };
    match pair {
        [Some(a), Some(b)] => Ok([a, b]),
        _ => Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() }),
    }
}

/// Where a body is as seen from a half-space.
struct Above {
    /// Middle and radius of a ball around it, in the frame of the half-space.
    ball: (DVec3, f64),
    /// Whether it is on the inner side of the plane.
    inside: bool,
}

impl Above {
    fn new(body: &Body, half: &HalfSpace, to_half: impl Fn(DVec3) -> DVec3) -> Result<Self, QueryError> {
        let ready = Prepared::new(body)?;
        let bound = ready.tree().root().bound;
        // Points of the body tell the side: the middle of a box around it may be on the other one. What is trimmed may have
        // its middle cut out, and has edges.
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for piece in ready.tree().leaves().iter().filter(|piece| !piece.trimmed) {
            let height = half.plane().distance(to_half(piece.point(DVec2::splat(0.5))));
            (low, high) = (low.min(height), high.max(height));
        }
        Ok(Self { ball: (to_half(bound.center), bound.half.length()), inside: high < -low })
    }
}

/// A block with one face in the plane of a half-space, under all of a body: seen from there it is the same.
fn block(half: &HalfSpace, above: &Above) -> Option<Body> {
    let plane = half.plane();
    let (center, radius) = above.ball;
    let height = plane.distance(center);
    let foot = center - plane.normal * height;
    // A body on the inner side of a plane alone is seen from there.
    let down = if above.inside { plane.normal } else { -plane.normal };
    let (u, v) = plane.normal.any_orthonormal_pair();
    let wide = BLOCK_WIDTHS * (radius + height.abs()).max(f64::MIN_POSITIVE);
    let corner = |k: usize| {
        let sign = |bit: usize| if k & bit == 0 { -wide } else { wide };
        foot + u * sign(1) + v * sign(2) + down * if k & 4 == 0 { 0.0 } else { wide }
    };
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    Some(Body::from(Polytope::from_points(&corners).ok()?))
}

/// Witnesses on blocks as such on the half-spaces that these stand for.
fn without_blocks(bodies: [&Body; 2], witnesses: [Witness; 2]) -> [Witness; 2] {
    let on = |i: usize| match bodies[i].whole() {
        Body::HalfSpace(_) => Witness::flat(witnesses[i].point, Feature::Face(FaceId(0))),
        _ => witnesses[i],
    };
    [on(0), on(1)]
}
