//! The one-sided ratio: A grows until it touches a body that keeps its size.
//!
//! Source: 002, remark 2.18, (2.13).
//! Differs: 002 asks for any closed convex body; here it is a half-space, point, segment or polytope.
//! Ends because: a half-space and a point have closed forms; the others end as the parts they use.
//! Cost: as the two-sided form; a segment takes a face walk per round.
//! Not promised: theorem 2.16's constants; with the inradius of A alone they hold in the same form.

use super::active_set::{PlaneId, Sided};
use super::answer::{ActivePlane, ActivePlanes, Growth, RatioError, Smoothness};
use super::contact::{Outline, middle};
use super::lowest::{Lowest, lowest_along};
use super::solid::{Hint, Query, check_interior, concentric, pose_gradients};
use super::touch::Touch;
use crate::tolerance;
use crate::{Ended, Work};
use clearance_geometry::{Body, DVec2, DVec3, FaceId, Feature, HalfSpace, Kind, Polytope, Pose};

/// The smallest t at which A, scaled by t about its centre, meets `fixed`; 0 if the centre is in it.
///
/// # Errors
/// [`RatioError::NoInterior`] when A is a point, a segment or flat, or `fixed` is a solid flat within
/// rounding; [`RatioError::NotFinite`] when the pose is out of range; [`RatioError::Curved`] when `fixed` is
/// curved.
///
/// ```
/// use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
/// use clearance_proximity::ratio;
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// let floor = Body::from(HalfSpace::new(DVec3::Z, -3.0)?);
/// let growth = ratio::growth_against(&cube, &floor, &Pose::IDENTITY)?;
/// assert_eq!(growth.ratio, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn growth_against(a: &Polytope, fixed: &Body, pose_ab: &Pose) -> Result<Growth, RatioError> {
    match fixed {
        Body::HalfSpace(half_space) => against_half_space(a, half_space, pose_ab),
        Body::Polytope(polytope) => against_polytope(a, polytope, pose_ab, &mut None),
        _ => Err(RatioError::Curved { body: 1 }),
    }
}

pub(super) fn against_polytope(
    a: &Polytope,
    fixed: &Polytope,
    pose_ab: &Pose,
    hint: &mut Option<Hint>,
) -> Result<Growth, RatioError> {
    check_interior(a, 0)?;
    if !matches!(fixed.kind(), Kind::Point | Kind::Segment) {
        check_interior(fixed, 1)?;
    }
    let query = Query::new(a, fixed, pose_ab, false)?;
    match fixed.kind() {
        Kind::Point => Ok(against_point(&query)),
        Kind::Segment => Ok(against_segment(&query)),
        _ if query.pair.is_concentric() || query.pair.b_holds_center() => Ok(query.concentric()),
        _ => Ok(query.answer(hint)),
    }
}

fn against_point(query: &Query<'_>) -> Growth {
    if query.pair.is_concentric() {
        return query.concentric();
    }
    let (a, at) = (&query.pair.a, query.pair.between);
    let (face, vertex) = a.start(at);
    let face = a.pierced(face, at);
    let (normal, _) = a.plane(face);
    let touch = query.pair.touch_along(normal, [a.support(vertex, normal), 0], at);
    finish(query, touch, [(face, 1.0), (face, 0.0)], Work { iterations: 1, ..Work::default() })
}

fn against_segment(query: &Query<'_>) -> Growth {
    let (a, b) = (&query.pair.a, &query.pair.b);
    let ends = [0, 1].map(|vertex| query.pair.between + b.vertex(vertex));
    let Some(lowest) = lowest_along(a, ends, a.polytope.radius()) else { return query.concentric() };
    let normal = crossing_normal(query, &lowest, ends[1] - ends[0]);
    let vertices = [a.support(a.start(normal).1, normal), b.support(0, -normal)];
    let touch = query.pair.touch_along(normal, vertices, lowest.point);
    let work = Work { iterations: lowest.rounds, ..Work::default() };
    finish(query, touch, lowest.shares, work)
}

/// The unit normal along the pull, made exact where A touches the segment with an edge.
fn crossing_normal(query: &Query<'_>, lowest: &Lowest<DVec3>, along: DVec3) -> DVec3 {
    let normal = lowest.pull.normalize_or_zero();
    let a = &query.pair.a;
    let planes = lowest.shares.map(|(face, share)| {
        let plane = PlaneId { of_b: false, face };
        (share > 0.0).then_some(plane)
    });
    let Some(edge) = a.edge_between(planes) else { return normal };
    let vector = a.polytope.edge(edge).vector;
    let across = vector.cross(along);
    if across.length() <= tolerance::RATIO_PARALLEL_REL * vector.length() * along.length() {
        return normal;
    }
    let unit = across.normalize();
    if unit.dot(normal) < 0.0 { -unit } else { unit }
}

/// The answer against a body without faces; the planes are A's, with their shares.
fn finish(query: &Query<'_>, mut touch: Touch<DVec3>, shares: [(u32, f64); 2], work: Work) -> Growth {
    let mut planes = ActivePlanes::NONE;
    for (face, share) in shares.into_iter().filter(|(_, share)| *share > 0.0) {
        let weight = share / query.pair.a.plane(face).1;
        planes.push(ActivePlane { body: 0, face: FaceId(face), weight });
    }
    let other = touch.t;
    query.pair.bound_above_by_a(&mut touch, shares[0].0, other, f64::INFINITY);
    query.growth_with(planes, &touch, work)
}

fn against_half_space(a: &Polytope, half_space: &HalfSpace, pose_ab: &Pose) -> Result<Growth, RatioError> {
    check_interior(a, 0)?;
    let plane = half_space.plane();
    // From A to the half-space.
    let normal = -pose_ab.rotate(plane.normal);
    let way = normal.dot(pose_ab.translation() - a.anchor()) - plane.offset - normal.dot(a.center());
    if !way.is_finite() {
        return Err(RatioError::NotFinite);
    }
    let center = a.anchor() + a.center();
    if way <= 0.0 {
        return Ok(concentric(center));
    }
    let vertex = a.support(normal);
    let reach = normal.dot(a.vertex(vertex) - a.center());
    let t = way / reach;
    let centred = super::faces::Centred { polytope: a, turn: super::faces::Still };
    let feature = centred.support_feature(vertex.0, normal);
    let (u, v) = normal.any_orthonormal_pair();
    let count = centred.corner_count(feature);
    let corner = |i: usize| {
        let x = centred.corner(feature, i);
        DVec2::new(u.dot(x), v.dot(x))
    };
    // The contact is the whole feature: the middle of its outline with itself.
    let slack = tolerance::RATIO_TIE_REL * a.radius();
    let [first, second] = [Outline { count, corner }, Outline { count, corner }];
    let at = middle(&first, &second, corner(0), slack).point;
    let x = (u * at.x + v * at.y + normal * reach) * t;
    let smoothness = match feature {
        Feature::Vertex(_) => Smoothness::Differentiable,
        _ => Smoothness::PointNotUnique,
    };
    let pull = normal / reach;
    Ok(Growth {
        ratio: t,
        rho: Some((way - reach) / way).filter(|rho| rho.is_finite()),
        point: center + x,
        normal,
        gradients: pose_gradients(center + x, pull, pose_ab.translation()),
        smoothness,
        features: Some([feature, Feature::Face(FaceId(0))]),
        planes: ActivePlanes::NONE,
        bounds: [t; 2],
        ended: Ended::Converged,
        work: Work { iterations: 1, supports: 1, ..Work::default() },
    })
}
