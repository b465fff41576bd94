//! A body reduced to what the checker may know: its points, or its half-space, and its faces as loops.

use crate::oracle::{Double, Double3, Placement, point_polygon, separation};
use clearance_geometry::{Body, FaceId, Feature, HalfSpace, Polytope, VertexId};
use glam::DVec3;

/// A body for the checker.
pub(crate) enum Shape<'a> {
    /// The corners in the body frame.
    Points(&'a Polytope, Vec<DVec3>),
    /// A half-space.
    HalfSpace(&'a HalfSpace),
}

/// How far a unit normal may turn away from a half-space's own; more is another direction, along which
/// the half-space has no end.
const SAME_NORMAL_REL: f64 = 8.0 * f64::EPSILON;

impl<'a> Shape<'a> {
    pub(crate) fn new(body: &'a Body) -> Self {
        match body {
            Body::Polytope(polytope) => Self::Points(polytope, corners(polytope)),
            Body::HalfSpace(half_space) => Self::HalfSpace(half_space),
            other => panic!("no checker knows {}", other.kind()),
        }
    }

    pub(crate) fn points(&self) -> &[DVec3] {
        match self {
            Self::Points(_, points) => points,
            Self::HalfSpace(_) => &[],
        }
    }

    pub(crate) fn face_count(&self) -> usize {
        match self {
            Self::Points(polytope, _) => polytope.face_count(),
            Self::HalfSpace(_) => 1,
        }
    }

    /// Largest coordinate that enters: the farthest corner from the frame's origin, or the offset.
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Points(_, points) => points.iter().map(|p| p.length()).fold(0.0, f64::max),
            Self::HalfSpace(half_space) => half_space.plane().offset.abs(),
        }
    }

    /// The lower bound on the signed distance that `normal` proves; `None` where a half-space has no end.
    pub(crate) fn separation(&self, b: &Shape<'_>, place: &Placement, normal: DVec3) -> Option<f64> {
        match (self, b) {
            (Self::Points(_, a), Shape::Points(_, b)) => Some(separation(a, b, place, normal)),
            (Self::HalfSpace(a), Shape::Points(_, b)) => {
                let own = a.plane().normal;
                let height = |p: &DVec3| place.apply(*p).dot(own.into());
                let low = b.iter().map(height).reduce(Double::min)?;
                let length = Double3::from(own).length();
                ((normal - own).length() <= SAME_NORMAL_REL)
                    .then(|| ((low - Double::from(a.plane().offset)) / length).value())
            }
            (Self::Points(_, a), Shape::HalfSpace(b)) => {
                let own = b.plane().normal;
                let turned = Double3::turned(&place.rotation, own.into());
                let height = |p: &DVec3| (Double3::from(*p) - place.translation.into()).dot(turned);
                let low = a.iter().map(height).reduce(Double::min)?;
                let length = Double3::from(own).length();
                ((normal + turned.value()).length() <= SAME_NORMAL_REL)
                    .then(|| ((low - Double::from(b.plane().offset)) / length).value())
            }
            (Self::HalfSpace(_), Shape::HalfSpace(_)) => None,
        }
    }

    /// Distance of `point` (in the frame of A) from the closure of a feature of this body, placed.
    pub(crate) fn off_feature(
        &self,
        feature: Feature,
        point: DVec3,
        place: &Placement,
    ) -> Result<f64, String> {
        let missing = || format!("there is no {feature}");
        match self {
            Self::Points(polytope, _) => {
                let corners: Vec<Double3> = feature_corners(polytope, feature)
                    .ok_or_else(missing)?
                    .iter()
                    .map(|&v| place.apply(polytope.body_vertex(v)))
                    .collect();
                Ok(point_polygon(point.into(), &corners).value())
            }
            Self::HalfSpace(half_space) => {
                if feature != Feature::Face(FaceId(0)) {
                    return Err(missing());
                }
                let plane = half_space.plane();
                let back =
                    Double3::turned_back(&place.rotation, Double3::from(point) - place.translation.into());
                Ok((back.dot(plane.normal.into()) - Double::from(plane.offset)).value().abs())
            }
        }
    }

    /// How far a point of this body's frame lies outside it; the distance from a body without inside.
    fn beyond(&self, point: Double3) -> f64 {
        match self {
            Self::HalfSpace(half_space) => {
                let plane = half_space.plane();
                (point.dot(plane.normal.into()) - Double::from(plane.offset)).value()
            }
            Self::Points(polytope, points) if polytope.face_count() == 0 => {
                let corners: Vec<Double3> = points.iter().map(|&p| p.into()).collect();
                point_polygon(point, &corners).value()
            }
            Self::Points(polytope, _) => (0..polytope.face_count())
                .map(|f| beyond_face(polytope, FaceId(f as u32), &[point]))
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// How far the worst corner of `other`, moved into this body's frame, lies outside this body;
    /// infinite when this body has no inside or `other` no end.
    pub(crate) fn excess(&self, other: &Shape<'_>, moved: impl Fn(DVec3) -> Double3) -> f64 {
        let Shape::Points(_, points) = other else { return f64::INFINITY };
        let points: Vec<Double3> = points.iter().map(|&p| moved(p)).collect();
        match self {
            Self::HalfSpace(half_space) => {
                let plane = half_space.plane();
                let height = |p: &Double3| (p.dot(plane.normal.into()) - Double::from(plane.offset)).value();
                points.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Points(polytope, _) if polytope.face_count() == 0 => f64::INFINITY,
            Self::Points(polytope, _) => (0..polytope.face_count())
                .map(|f| beyond_face(polytope, FaceId(f as u32), &points))
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// How far a point in the frame of A lies outside the worse of two bodies; infinite where one has no inside
/// and the point is off it.
pub fn excess_of_point(a: &Body, b: &Body, place: &Placement, point: DVec3) -> f64 {
    let (a, b) = (Shape::new(a), Shape::new(b));
    let back = Double3::turned_back(&place.rotation, Double3::from(point) - place.translation.into());
    a.beyond(point.into()).max(b.beyond(back))
}

/// The corners of every face of a polytope, in the body frame.
pub fn faces_of(polytope: &Polytope) -> Vec<Vec<DVec3>> {
    let face = |f: usize| {
        polytope.sides(FaceId(f as u32)).iter().map(|side| polytope.body_vertex(side.vertex)).collect()
    };
    (0..polytope.face_count()).map(face).collect()
}

/// The farthest of some points beyond a face's plane. The plane comes from the corners in double-double;
/// heights above one of them are then good in f64.
fn beyond_face(polytope: &Polytope, face: FaceId, points: &[Double3]) -> f64 {
    let loop_of: Vec<DVec3> =
        polytope.sides(face).iter().map(|side| polytope.body_vertex(side.vertex)).collect();
    let base = Double3::from(loop_of[0]);
    let arm = |i: usize| Double3::from(loop_of[i % loop_of.len()]) - base;
    let area = (0..loop_of.len()).fold(Double3::ZERO, |sum, i| sum + arm(i).cross(arm(i + 1)));
    let length = area.length();
    if length <= Double::ZERO {
        return f64::NEG_INFINITY;
    }
    let one = Double::from(1.0) / length;
    let normal = (area * one).value();
    points.iter().map(|&p| (p - base).value().dot(normal)).fold(f64::NEG_INFINITY, f64::max)
}

fn corners(polytope: &Polytope) -> Vec<DVec3> {
    (0..polytope.vertex_count()).map(|i| polytope.body_vertex(VertexId(i as u32))).collect()
}

/// The corners of a feature in order; `None` when the body has no such feature.
fn feature_corners(polytope: &Polytope, feature: Feature) -> Option<Vec<VertexId>> {
    match feature {
        Feature::Vertex(v) => (v.index() < polytope.vertex_count()).then(|| vec![v]),
        Feature::Edge(e) => (e.index() < polytope.edge_count()).then(|| polytope.edge(e).vertices.to_vec()),
        Feature::Face(f) => (f.index() < polytope.face_count())
            .then(|| polytope.sides(f).iter().map(|side| side.vertex).collect()),
    }
}
