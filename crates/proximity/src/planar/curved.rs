//! Planar bodies of curves against each other, polygons, segments and points.
//!
//! Source: the certified search of the solid bodies, over the curves and corners of both outlines in the plane z = 0; 001's
//! planar bodies.
//! Differs: what is inside what is decided by one point once the outlines are apart; depths of convex bodies by the search
//! of [`super::curved_depth`].
//! Ends because: the search has a budget.
//! Cost: some tens of microseconds for two outlines of a few curves.
//! Not promised: the depth of bodies that are not convex, unless one is a point. Whether two outlines that touch overlap
//! nearby is decided by the tangents there and by samples.

use super::curved_depth::{Depth, depth};
use super::{PlanarProximity, answer};
use crate::global::{self, Demand, Nearest, Prepared, SearchMemory, SearchWork, search};
use crate::tolerance::GRAZING_REL;
use crate::{Certificate, Ended, Place, QueryError, State};
use clearance_geometry::curve::Range;
use clearance_geometry::pieces::{self, PieceTree};
use clearance_geometry::tiled::Side;
use clearance_geometry::{
    DMat3, DVec2, DVec3, Feature, PlanarConvexity, PlanarPose, PlanarTiled, Polygon, Pose,
};

/// Pairs of parts that a search may look at.
const MOST_PAIRS: u64 = 200_000;

/// Times the distance of contact: outlines that close are in contact unless they are proven apart.
const NEAR_CONTACT: f64 = 64.0;

/// Samples of a piece of an outline when it is looked for overlap.
const SAMPLES: usize = 16;

/// A planar body of any kind; cheap to clone.
#[derive(Clone, Debug)]
pub enum PlanarBody {
    /// A polygon, segment or point.
    Polygon(Polygon),
    /// Bounded by curves.
    Tiled(PlanarTiled),
}

impl From<Polygon> for PlanarBody {
    fn from(body: Polygon) -> Self {
        Self::Polygon(body)
    }
}

impl From<PlanarTiled> for PlanarBody {
    fn from(body: PlanarTiled) -> Self {
        Self::Tiled(body)
    }
}

impl PlanarBody {
    /// Whether it is known to be convex.
    pub fn is_convex(&self) -> bool {
        match self {
            Self::Polygon(_) => true,
            Self::Tiled(body) => body.convexity() == PlanarConvexity::Convex,
        }
    }

    /// Where a point, in the body's frame, stands. A point or a segment has only boundary.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for a point that is not finite.
    pub fn locate(&self, point: DVec2) -> Result<Place, QueryError> {
        QueryError::demand(point.is_finite(), "point")?;
        match self {
            Self::Polygon(body) => super::locate_point(body, point),
            Self::Tiled(body) => Ok(match body.side_of(point) {
                Side::Inside => Place::Inside,
                Side::Boundary => Place::Boundary,
                Side::Outside => Place::Outside,
            }),
        }
    }

    /// Whether it is a single point.
    fn is_point(&self) -> bool {
        matches!(self, Self::Polygon(body) if body.dimension() == 0)
    }

    fn holds(&self, point: DVec2) -> bool {
        self.locate(point) == Ok(Place::Inside)
    }

    /// The outward normal at a parameter of an edge.
    pub(super) fn normal(&self, feature: Feature, parameter: Option<f64>) -> Option<DVec2> {
        match (self, feature) {
            (Self::Polygon(body), Feature::Edge(edge)) if body.dimension() == 2 => {
                Some(body.edge(edge).normal)
            }
            (Self::Tiled(body), Feature::Edge(edge)) => body.sides()[edge.index()].normal(parameter?),
            _ => None,
        }
    }

    /// The parameter on a curve of a point on it; none on flat features and corners.
    pub(super) fn parameter(&self, feature: Feature, point: DVec2) -> Option<f64> {
        let (Self::Tiled(body), Feature::Edge(edge)) = (self, feature) else { return None };
        let side = &body.sides()[edge.index()];
        Some(side.curve.curve().locate(point.extend(0.0), side.range, None).parameters)
    }
}

/// A planar body made ready for searches: its curves in a tree.
#[derive(Clone, Debug)]
pub struct PlanarPrepared {
    body: PlanarBody,
    /// Curves and corners in the plane z = 0.
    outline: Prepared,
}

impl PlanarPrepared {
    /// Cuts the outline of a body into pieces.
    ///
    /// # Errors
    /// [`QueryError::NoPieces`] for a curve that is no rational spline.
    pub fn new(body: &PlanarBody) -> Result<Self, QueryError> {
        let tree = match body {
            PlanarBody::Polygon(polygon) => pieces::of_polygon(polygon)?,
            PlanarBody::Tiled(tiled) => pieces::of_planar(tiled)?,
        };
        Ok(Self { body: body.clone(), outline: Prepared::of_curves(tree) })
    }

    /// The body.
    pub const fn body(&self) -> &PlanarBody {
        &self.body
    }

    /// Its pieces.
    pub const fn tree(&self) -> &PieceTree {
        self.outline.tree()
    }

    /// Curves and corners in the plane z = 0.
    pub(crate) const fn outline(&self) -> &Prepared {
        &self.outline
    }

    /// What is asked of a search between two outlines, one of them at `pose_ab`.
    fn demand(&self, other: &Self, pose_ab: &Pose, max_error: Option<f64>) -> Demand {
        let usual = self.outline.demand(&other.outline, pose_ab);
        Demand { max_error: max_error.unwrap_or(usual.max_error), max_pairs: MOST_PAIRS, ..usual }
    }

    fn any_point(&self) -> DVec2 {
        self.tree().leaves()[0].point(DVec2::ZERO).truncate()
    }
}

/// A point on a curve or corner of a planar body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveWitness {
    /// Where, in the frame of A.
    pub point: DVec2,
    /// An edge or corner whose closure contains the point.
    pub feature: Feature,
    /// The parameter of the edge's curve; none for corners and for polygons.
    pub parameter: Option<f64>,
}

/// The answer for two planar bodies of curves, in the frame of A.
///
/// Where there is a signed distance, `witnesses[1].point − witnesses[0].point = signed_distance × normal`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarNearest {
    /// How the bodies stand to each other.
    pub state: State,
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Distance, or minus the penetration depth; `None` for overlapping bodies that are not convex.
    pub signed_distance: Option<f64>,
    /// Closest points when separated, the ends of the penetration vector otherwise; of bodies without a depth the nearest
    /// points of the outlines.
    pub witnesses: [CurveWitness; 2],
    /// Unit vector from A to B; `None` where bodies without a depth meet in corners.
    pub normal: Option<DVec2>,
    /// Proven: no two points of the outlines are closer; of overlapping convex bodies minus an upper bound on the depth.
    pub lower: f64,
    /// How the query ended.
    pub ended: Ended,
    /// Work done.
    pub work: SearchWork,
}

/// Distance, witnesses and state of two planar bodies, B at `pose_ab` in the frame of A, within `max_error` (a length; 10⁻⁹
/// of the size unless given).
///
/// # Errors
/// [`QueryError::NoPieces`] for a curve that is no rational spline.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, PlanarTiled, Polygon, curve::{PlanarCurve, Range}};
/// use clearance_proximity::{State, planar};
/// let circle = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
/// let disk = PlanarTiled::new(vec![(circle, Range::new(0.0, std::f64::consts::TAU))])?;
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// let at = |x: f64| PlanarPose::from_translation(DVec2::new(x, 0.5));
/// let apart = planar::nearest(&disk.clone().into(), &square.clone().into(), &at(3.0)?, None)?;
/// assert!(apart.state == State::Separated && (apart.distance - 1.0).abs() < 1e-12);
/// let deep = planar::nearest(&disk.into(), &square.into(), &at(1.9)?, None)?;
/// assert!(deep.state == State::Penetrating && (deep.signed_distance.unwrap() + 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest(
    a: &PlanarBody,
    b: &PlanarBody,
    pose_ab: &PlanarPose,
    max_error: Option<f64>,
) -> Result<PlanarNearest, QueryError> {
    if let (PlanarBody::Polygon(a), PlanarBody::Polygon(b)) = (a, b) {
        return Ok(PlanarNearest::from(&super::distance(a, b, pose_ab)));
    }
    let (a, b) = (PlanarPrepared::new(a)?, PlanarPrepared::new(b)?);
    nearest_with(&a, &b, pose_ab, max_error, &mut SearchMemory::default())
}

/// As [`nearest`], for bodies made ready and with memory of an earlier search.
///
/// # Errors
/// [`QueryError::BadArgument`] for an error that is not positive.
pub fn nearest_with(
    a: &PlanarPrepared,
    b: &PlanarPrepared,
    pose_ab: &PlanarPose,
    max_error: Option<f64>,
    memory: &mut SearchMemory,
) -> Result<PlanarNearest, QueryError> {
    QueryError::demand(max_error.is_none_or(|error| error > 0.0), "max_error")?;
    let pose = in_space(pose_ab)?;
    let demand = a.demand(b, &pose, max_error);
    let contact = demand.contact;
    let found = search([a.outline.body(), b.outline.body()], [a.tree(), b.tree()], &pose, demand, memory);
    let near = found.nearest.ok_or(QueryError::BadArgument { field: "max_error" })?;
    let witness = |i: usize, of: &PlanarPrepared| {
        let piece = &of.tree().leaves()[near.pieces[i] as usize];
        let curved = piece.dimension == 1 && !piece.is_flat;
        CurveWitness {
            point: near.points[i].truncate(),
            feature: piece.feature,
            parameter: curved.then(|| piece.span.parameters(near.local[i]).x),
        }
    };
    let witnesses = [witness(0, a), witness(1, b)];
    let normal = (witnesses[1].point - witnesses[0].point).normalize_or_zero();
    let certificate = Certificate { lower: found.lower, normal: answer::flat(normal) };
    let apart = PlanarNearest {
        state: State::Separated,
        distance: near.distance,
        signed_distance: Some(near.distance),
        witnesses,
        normal: Some(normal),
        lower: found.lower,
        ended: if found.proven { Ended::Certified(certificate) } else { Ended::Limit },
        work: found.work,
    };
    // A descent to a point of contact stops where squares of distances are lost in rounding.
    let meets = near.distance <= contact || (found.lower <= 0.0 && near.distance <= NEAR_CONTACT * contact);
    Ok(if meets {
        in_contact(a, b, pose_ab, contact, apart)
    } else {
        off_each_other(a, b, pose_ab, contact, apart)
    })
}

/// The nearest points of two outlines with their proof, as between bodies of space, and the pose of B in the plane z = 0
/// that it is about. `margin` is by how much the slopes of the proof are to hold; see [`Demand::proof`].
///
/// # Errors
/// [`QueryError::BadArgument`] for an error that is not positive.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::planar::{PlanarPrepared, proven_nearest};
/// let square = PlanarPrepared::new(&Polygon::rectangle(DVec2::splat(2.0))?.into())?;
/// let beside = PlanarPose::from_translation(DVec2::new(3.0, 0.5))?;
/// let (nearest, _) = proven_nearest([&square, &square], &beside, None, 2.0)?;
/// assert!(nearest.lower > 1.0 - 1e-8 && nearest.proof.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn proven_nearest(
    [a, b]: [&PlanarPrepared; 2],
    pose_ab: &PlanarPose,
    max_error: Option<f64>,
    margin: f64,
) -> Result<(Nearest, Pose), QueryError> {
    QueryError::demand(max_error.is_none_or(|error| error > 0.0), "max_error")?;
    let pose = in_space(pose_ab)?;
    let demand = Demand { proof: Some(margin), ..a.demand(b, &pose, max_error) };
    Ok((global::nearest(&a.outline, &b.outline, &pose, &demand), pose))
}

/// Outlines that do not meet: the bodies are apart, or one is inside the other.
fn off_each_other(
    a: &PlanarPrepared,
    b: &PlanarPrepared,
    pose_ab: &PlanarPose,
    contact: f64,
    apart: PlanarNearest,
) -> PlanarNearest {
    let state = if b.body.holds(pose_ab.apply_inverse(a.any_point())) {
        State::AInsideB
    } else if a.body.holds(pose_ab.apply(b.any_point())) {
        State::BInsideA
    } else {
        return apart;
    };
    if a.body.is_convex() && b.body.is_convex() {
        let out = depth(a, b, pose_ab, contact);
        return deep(a, b, pose_ab, state, &out, apart);
    }
    let single = a.body.is_point() || b.body.is_point();
    let inward = apart.normal.map(|normal| -normal);
    // The shortest way out for a single point is to the nearest point of the outline.
    let signed_distance = single.then_some(-apart.distance);
    let normal = if single { inward } else { apart.normal };
    PlanarNearest { state, distance: 0.0, signed_distance, normal, ..apart }
}

/// Outlines that meet: the bodies touch or overlap.
fn in_contact(
    a: &PlanarPrepared,
    b: &PlanarPrepared,
    pose_ab: &PlanarPose,
    contact: f64,
    apart: PlanarNearest,
) -> PlanarNearest {
    let of_a = a.body.normal(apart.witnesses[0].feature, apart.witnesses[0].parameter);
    let of_b = b.body.normal(apart.witnesses[1].feature, apart.witnesses[1].parameter);
    let of_b = of_b.map(|normal| -pose_ab.rotate(normal));
    let touching = PlanarNearest {
        state: State::Touching,
        distance: 0.0,
        signed_distance: Some(0.0),
        normal: of_a.or(of_b),
        ..apart.clone()
    };
    if a.body.is_convex() && b.body.is_convex() {
        let out = depth(a, b, pose_ab, contact);
        if out.depth > contact {
            return deep(a, b, pose_ab, State::Penetrating, &out, apart);
        }
        if out.depth < -contact {
            return apart;
        }
        return PlanarNearest { normal: Some(out.normal), ..touching };
    }
    let crossing = matches!((of_a, of_b), (Some(n), Some(m)) if n.perp_dot(m).abs() > GRAZING_REL)
        && [a, b].iter().zip(&apart.witnesses).all(|(of, witness)| is_inside_edge(of, witness));
    if crossing || reaches_into(a, b, &pose_ab.inverse()) || reaches_into(b, a, pose_ab) {
        return PlanarNearest { state: State::Penetrating, signed_distance: None, ..touching };
    }
    touching
}

/// Whether a witness is well inside its curve, so that the curve goes on to both sides.
fn is_inside_edge(of: &PlanarPrepared, witness: &CurveWitness) -> bool {
    let PlanarBody::Tiled(body) = &of.body else { return false };
    let (Feature::Edge(edge), Some(t)) = (witness.feature, witness.parameter) else { return false };
    let Range { low, high } = body.sides()[edge.index()].range;
    (t - low).min(high - t) > GRAZING_REL * (high - low)
}

/// Whether a sample of the outline of `a` is inside `b`; `pose` takes the frame of `a` to that of `b`.
fn reaches_into(a: &PlanarPrepared, b: &PlanarPrepared, pose: &PlanarPose) -> bool {
    a.tree().leaves().iter().any(|piece| {
        let count = if piece.dimension == 1 { SAMPLES } else { 0 };
        (0..=count).any(|k| {
            let at = DVec2::X * (k as f64 / SAMPLES as f64);
            b.body.holds(pose.apply(piece.point(at).truncate()))
        })
    })
}

/// Overlapping convex bodies with their depth.
fn deep(
    a: &PlanarPrepared,
    b: &PlanarPrepared,
    pose_ab: &PlanarPose,
    state: State,
    out: &Depth,
    apart: PlanarNearest,
) -> PlanarNearest {
    let [from, to] = out.points;
    let local = pose_ab.apply_inverse(to);
    let witnesses = [
        CurveWitness {
            point: from,
            feature: out.features[0],
            parameter: a.body.parameter(out.features[0], from),
        },
        CurveWitness {
            point: to,
            feature: out.features[1],
            parameter: b.body.parameter(out.features[1], local),
        },
    ];
    PlanarNearest {
        state,
        distance: 0.0,
        signed_distance: Some(-out.depth),
        witnesses,
        normal: Some(out.normal),
        lower: -out.depth,
        ended: if out.depth - out.lower <= out.allowed {
            Ended::Converged
        } else {
            Ended::Stalled { residual: out.depth - out.lower }
        },
        ..apart
    }
}

impl From<&PlanarProximity> for PlanarNearest {
    fn from(found: &PlanarProximity) -> Self {
        let witness = |i: usize| CurveWitness {
            point: found.witnesses[i].point,
            feature: found.witnesses[i].feature,
            parameter: None,
        };
        Self {
            state: found.state,
            distance: found.distance,
            signed_distance: Some(found.signed_distance),
            witnesses: [witness(0), witness(1)],
            normal: Some(found.normal),
            lower: if let Ended::Certified(proof) = found.ended {
                proof.lower
            } else {
                found.signed_distance
            },
            ended: found.ended,
            work: SearchWork::default(),
        }
    }
}

/// The pose in the plane z = 0.
fn in_space(pose: &PlanarPose) -> Result<Pose, QueryError> {
    let (cos, sin) = (pose.cos(), pose.sin());
    let axes = DMat3::from_cols(DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0), DVec3::Z);
    Pose::from_matrix(axes, pose.translation().extend(0.0))
        .map_err(|_| QueryError::BadArgument { field: "pose" })
}
