//! Features of a convex body near one of their points: what Newton's method walks on.
//!
//! Source: none; the parametrisations of `surface` and `curve`.
//! Differs: on round surfaces the state is a unit vector in place of angles, so that there is no pole and no
//! trigonometric function.
//! Ends because: there are no loops.
//! Cost: a few dozen products for round features; one jet for the rest.
//! Not promised: parameters within the feature; [`ConvexShape::holds`] says.

use super::{ConvexShape, EdgeShape, Sheet, Strand, own_part};
use crate::curve::ParametricCurve;
use crate::surface::ParametricSurface;
use crate::{DMat3, DVec2, DVec3, Feature, angle};

/// A point of a feature with its derivatives along local coordinates: 0 for a vertex, 1 for an edge, 2 for a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalJet {
    /// How many local coordinates there are.
    pub count: usize,
    /// The point, anchored.
    pub point: DVec3,
    /// First derivatives.
    pub first: [DVec3; 2],
    /// Second derivatives: by the first twice, mixed, by the second twice.
    pub second: [DVec3; 3],
}

impl Sheet {
    #[inline]
    pub(super) fn point(&self, at: DVec3) -> DVec3 {
        match self {
            Self::Plane { origin, x, y } => *origin + *x * at.x + *y * at.y,
            Self::Ball { center, axes, .. } => *center + *axes * at,
            Self::Tube { origin, axes, radius, slope } => {
                let r = radius + slope * at.z;
                *origin + *axes * DVec3::new(r * at.x, r * at.y, at.z)
            }
            Self::Other(surface) => surface.point(at.x, at.y),
        }
    }

    /// The surface's own parameters.
    #[inline]
    pub(super) fn parameters(&self, at: DVec3) -> DVec2 {
        match self {
            Self::Plane { .. } | Self::Other(_) => at.truncate(),
            // Unit vectors: their squares neither overflow nor vanish where it matters.
            Self::Ball { .. } => DVec2::new(angle(at.y, at.x), angle(at.z, at.truncate().length())),
            Self::Tube { .. } => DVec2::new(angle(at.y, at.x), at.z),
        }
    }

    #[inline]
    pub(super) fn jet(&self, at: DVec3) -> LocalJet {
        match self {
            Self::Plane { x, y, .. } => {
                LocalJet { count: 2, point: self.point(at), first: [*x, *y], ..LocalJet::default() }
            }
            Self::Ball { center, axes, .. } => {
                let (e, f) = at.any_orthonormal_pair();
                let out = *axes * at;
                LocalJet {
                    count: 2,
                    point: *center + out,
                    first: [*axes * e, *axes * f],
                    second: [-out, DVec3::ZERO, -out],
                }
            }
            Self::Tube { origin, axes, radius, slope } => {
                let r = radius + slope * at.z;
                let DMat3 { x_axis, y_axis, z_axis } = *axes;
                let (out, along) = (x_axis * at.x + y_axis * at.y, y_axis * at.x - x_axis * at.y);
                LocalJet {
                    count: 2,
                    point: *origin + out * r + z_axis * at.z,
                    first: [along * r, out * *slope + z_axis],
                    second: [out * -r, along * *slope, DVec3::ZERO],
                }
            }
            Self::Other(surface) => {
                let jet = surface.jet(at.x, at.y);
                LocalJet {
                    count: 2,
                    point: jet.point,
                    first: [jet.u, jet.v],
                    second: [jet.uu, jet.uv, jet.vv],
                }
            }
        }
    }

    #[inline]
    fn stepped(&self, at: DVec3, by: [f64; 2]) -> DVec3 {
        match self {
            Self::Plane { .. } => at + DVec3::new(by[0], by[1], 0.0),
            Self::Ball { .. } => {
                let (e, f) = at.any_orthonormal_pair();
                (at + e * by[0] + f * by[1]).normalize_or(at)
            }
            Self::Tube { .. } => turned(at, by[0]) + DVec3::Z * by[1],
            Self::Other(surface) => {
                let domain = surface.domain();
                let periods = surface.periods();
                let within = |t: f64, range: crate::curve::Range, period: Option<f64>| match period {
                    Some(period) if range.is_bounded() => t - period * ((t - range.low) / period).floor(),
                    _ => range.clamp(t),
                };
                DVec3::new(
                    within(at.x + by[0], domain.u, periods[0]),
                    within(at.y + by[1], domain.v, periods[1]),
                    0.0,
                )
            }
        }
    }

    /// A state whose point is near `point`; `None` where that takes a search.
    #[inline]
    pub(super) fn near(&self, point: DVec3) -> Option<DVec3> {
        match self {
            Self::Plane { origin, x, y } => {
                let off = point - *origin;
                Some(DVec3::new(off.dot(*x), off.dot(*y), 0.0))
            }
            Self::Ball { center, inverse, .. } => Some((*inverse * (point - *center)).normalize_or(DVec3::Z)),
            Self::Tube { origin, axes, radius, slope } => {
                let off = axes.transpose() * (point - *origin);
                // On the far nappe of a cone the radius is negative and the angle the opposite one.
                let side = if radius + slope * off.z < 0.0 { -1.0 } else { 1.0 };
                let turn = (off.truncate() * side).normalize_or(DVec2::X);
                Some(turn.extend(off.z))
            }
            Self::Other(_) => None,
        }
    }
}

impl Sheet {
    /// A state by the normal alone, and the height of a point along a tube: next to an apex the point says nothing.
    #[inline]
    fn facing(&self, point: DVec3, n: DVec3, nappe: f64) -> Option<DVec3> {
        match self {
            Self::Ball { axes, .. } => Some((axes.transpose() * n).normalize_or(DVec3::Z)),
            Self::Tube { origin, axes, .. } => {
                let across = (axes.transpose() * n).truncate();
                let turn = (across * nappe).try_normalize()?;
                Some(turn.extend(axes.z_axis.dot(point - *origin)))
            }
            Self::Plane { .. } | Self::Other(_) => None,
        }
    }
}

impl super::FaceShape {
    /// The sign of the radius where the face is: on the far nappe of a cone it is negative. At the apex rounding would tell.
    #[inline]
    fn nappe(&self) -> f64 {
        match (&self.sheet, &self.region) {
            (Sheet::Tube { radius, slope, .. }, Some(region)) if *slope != 0.0 => {
                let heights = region.bounds().v;
                if radius + slope * (0.5 * (heights.low + heights.high)) < 0.0 { -1.0 } else { 1.0 }
            }
            _ => 1.0,
        }
    }
}

/// (cos, sin, v) turned by a small angle, or any angle roughly.
#[inline]
fn turned(at: DVec3, by: f64) -> DVec3 {
    let turn = DVec2::new(at.x - by * at.y, at.y + by * at.x).normalize_or(DVec2::X);
    turn.extend(at.z)
}

impl Strand {
    #[inline]
    pub(super) fn jet(&self, at: DVec3) -> LocalJet {
        match self {
            Self::Line { origin, along } => LocalJet {
                count: 1,
                point: *origin + *along * at.x,
                first: [*along, DVec3::ZERO],
                ..LocalJet::default()
            },
            Self::Round { center, x, y } => {
                let out = *x * at.x + *y * at.y;
                let along = *y * at.x - *x * at.y;
                LocalJet {
                    count: 1,
                    point: *center + out,
                    first: [along, DVec3::ZERO],
                    second: [-out, DVec3::ZERO, DVec3::ZERO],
                }
            }
            Self::Other(curve) => {
                let jet = curve.jet(at.x);
                LocalJet {
                    count: 1,
                    point: jet.point,
                    first: [jet.first, DVec3::ZERO],
                    second: [jet.second, DVec3::ZERO, DVec3::ZERO],
                }
            }
        }
    }

    #[inline]
    fn point(&self, at: DVec3) -> DVec3 {
        match self {
            Self::Line { origin, along } => *origin + *along * at.x,
            Self::Round { center, x, y } => *center + *x * at.x + *y * at.y,
            Self::Other(curve) => curve.point(at.x),
        }
    }

    fn parameter(&self, at: DVec3) -> f64 {
        match self {
            Self::Round { .. } => angle(at.y, at.x),
            Self::Line { .. } | Self::Other(_) => at.x,
        }
    }

    /// The state at a parameter.
    pub(super) fn state(&self, t: f64) -> DVec3 {
        match self {
            Self::Round { .. } => DVec3::new(t.cos(), t.sin(), 0.0),
            Self::Line { .. } | Self::Other(_) => DVec3::new(t, 0.0, 0.0),
        }
    }
}

impl EdgeShape {
    fn stepped(&self, at: DVec3, by: f64) -> DVec3 {
        match &self.strand {
            Strand::Line { .. } => at + DVec3::X * by,
            Strand::Round { .. } => turned(at, by),
            Strand::Other(_) => {
                let t = at.x + by;
                let width = self.range.width();
                let t = if self.whole && width > 0.0 {
                    t - width * ((t - self.range.low) / width).floor()
                } else {
                    self.range.clamp(t)
                };
                DVec3::new(t, 0.0, 0.0)
            }
        }
    }

    fn holds(&self, at: DVec3) -> bool {
        if self.whole {
            return true;
        }
        let t = self.strand.parameter(at);
        match &self.strand {
            Strand::Round { .. } => super::piece::holds_angle(self.range, t),
            Strand::Line { .. } | Strand::Other(_) => self.range.low <= t && t <= self.range.high,
        }
    }

    /// The parameter in the edge's own range.
    pub(super) fn parameter(&self, at: DVec3) -> f64 {
        let t = self.strand.parameter(at);
        match &self.strand {
            Strand::Round { .. } => {
                let turn = std::f64::consts::TAU;
                // Angles are mostly within, or one turn below.
                let low = self.range.low;
                let up = if t >= low && t < low + turn {
                    0.0
                } else if t < low && t >= low - turn {
                    1.0
                } else {
                    ((low - t) / turn).ceil()
                };
                self.range.clamp(t + turn * up)
            }
            Strand::Line { .. } | Strand::Other(_) => self.range.clamp(t),
        }
    }

    pub(super) fn near(&self, point: DVec3) -> Option<DVec3> {
        match &self.strand {
            Strand::Line { origin, along } => {
                Some(DVec3::X * ((point - *origin).dot(*along) / along.length_squared()))
            }
            Strand::Round { center, x, y } => {
                let off = point - *center;
                let turn = DVec2::new(off.dot(*x) / x.length_squared(), off.dot(*y) / y.length_squared());
                Some(turn.normalize_or(DVec2::X).extend(0.0))
            }
            Strand::Other(_) => None,
        }
    }
}

impl ConvexShape {
    /// The point of a feature of the core at a state, with its derivatives.
    #[inline]
    pub fn jet(&self, feature: Feature, at: DVec3) -> LocalJet {
        match feature {
            Feature::Face(face) => self.faces[face.index()].sheet.jet(at),
            Feature::Edge(edge) => self.edges[edge.index()].strand.jet(at),
            Feature::Vertex(vertex) => {
                LocalJet { point: self.vertices[vertex.index()], ..LocalJet::default() }
            }
        }
    }

    /// The point of a feature of the core at a state.
    #[inline]
    pub fn point(&self, feature: Feature, at: DVec3) -> DVec3 {
        match feature {
            Feature::Face(face) => self.faces[face.index()].sheet.point(at),
            Feature::Edge(edge) => self.edges[edge.index()].strand.point(at),
            Feature::Vertex(vertex) => self.vertices[vertex.index()],
        }
    }

    /// The state after a step along the local coordinates of its jet.
    #[inline]
    #[must_use]
    pub fn stepped(&self, feature: Feature, at: DVec3, by: [f64; 2]) -> DVec3 {
        match feature {
            Feature::Face(face) => self.faces[face.index()].sheet.stepped(at, by),
            Feature::Edge(edge) => self.edges[edge.index()].stepped(at, by[0]),
            Feature::Vertex(_) => at,
        }
    }

    /// The state that follows two others at the same pace; `now` where that would leave a spline.
    #[inline]
    #[must_use]
    pub fn ahead(&self, feature: Feature, before: DVec3, now: DVec3) -> DVec3 {
        let next = 2.0 * now - before;
        let turned = || next.truncate().normalize_or(DVec2::X).extend(next.z);
        match feature {
            Feature::Face(face) => match &self.faces[face.index()].sheet {
                Sheet::Plane { .. } => next,
                Sheet::Ball { .. } => next.normalize_or(now),
                Sheet::Tube { .. } => turned(),
                Sheet::Other(_) => self.stepped(feature, now, [now.x - before.x, now.y - before.y]),
            },
            Feature::Edge(edge) => match &self.edges[edge.index()].strand {
                Strand::Line { .. } => next,
                Strand::Round { .. } => turned(),
                Strand::Other(_) => self.stepped(feature, now, [now.x - before.x, 0.0]),
            },
            Feature::Vertex(_) => now,
        }
    }

    /// A state whose point is near `point`; `None` where that takes a search.
    #[inline]
    pub fn near(&self, feature: Feature, point: DVec3) -> Option<DVec3> {
        match feature {
            Feature::Face(face) => self.faces[face.index()].sheet.near(point),
            Feature::Edge(edge) => self.edges[edge.index()].near(point),
            Feature::Vertex(_) => Some(DVec3::ZERO),
        }
    }

    /// A state whose point is near `point` and whose normal is near `n`, by a search where there is no formula.
    pub fn located(&self, feature: Feature, point: DVec3, n: DVec3) -> DVec3 {
        if let Feature::Face(face) = feature
            && let face = &self.faces[face.index()]
            && let Some(at) = face.sheet.facing(point, n, face.nappe())
        {
            return at;
        }
        if let Some(at) = self.near(feature, point) {
            return at;
        }
        match feature {
            Feature::Face(face) => self.located_on(face, point, None).unwrap_or(DVec3::ZERO),
            Feature::Edge(edge) => {
                let edge = &self.edges[edge.index()];
                match &edge.strand {
                    Strand::Other(curve) => {
                        DVec3::new(curve.locate(point, edge.range, None).parameters, 0.0, 0.0)
                    }
                    Strand::Line { .. } | Strand::Round { .. } => DVec3::ZERO,
                }
            }
            Feature::Vertex(_) => DVec3::ZERO,
        }
    }

    /// The state of a face without formulas whose point is nearest to `point`, searched for from another state or everywhere.
    pub fn located_on(&self, face: crate::FaceId, point: DVec3, from: Option<DVec3>) -> Option<DVec3> {
        let super::FaceShape { sheet: Sheet::Other(surface), region, .. } = &self.faces[face.index()] else {
            return None;
        };
        let domain = surface.domain();
        let within =
            region.as_ref().map_or(domain, |region| own_part(region.bounds(), domain, surface.periods()));
        Some(surface.locate(point, within, from.map(|at| at.truncate())).parameters.extend(0.0))
    }

    /// The state of an edge at its own parameter.
    pub fn state_of_edge(&self, edge: crate::EdgeId, t: f64) -> DVec3 {
        self.edges[edge.index()].strand.state(t)
    }

    /// Whether a state belongs to the feature.
    #[inline]
    pub fn holds(&self, feature: Feature, at: DVec3) -> bool {
        match feature {
            Feature::Face(face) => self.faces[face.index()].holds(at),
            Feature::Edge(edge) => self.edges[edge.index()].holds(at),
            Feature::Vertex(_) => true,
        }
    }

    /// The parameters of a state on its face; those of a periodic surface in the turn of the face.
    #[inline]
    pub fn face_parameters(&self, face: crate::FaceId, at: DVec3) -> DVec2 {
        let shape = &self.faces[face.index()];
        let at = shape.sheet.parameters(at);
        shape.region.as_ref().map_or(at, |region| region.wrapped(at.x, at.y))
    }

    /// The parameter of a state on its edge.
    #[inline]
    pub fn edge_parameter(&self, edge: crate::EdgeId, at: DVec3) -> f64 {
        self.edges[edge.index()].parameter(at)
    }

    /// The outward unit normal of a face at a state, where `jet` was taken; `None` where its tangents are parallel. At the apex of
    /// a cone it is that of the state's ruling.
    #[inline]
    pub fn outward(&self, face: crate::FaceId, at: DVec3, jet: &LocalJet) -> Option<DVec3> {
        let shape = &self.faces[face.index()];
        if let Sheet::Tube { axes, slope, .. } = &shape.sheet {
            let across = axes.x_axis * at.x + axes.y_axis * at.y - axes.z_axis * *slope;
            return Some(across * (shape.nappe() * shape.side / (1.0 + slope * slope).sqrt()));
        }
        let cross = jet.first[0].cross(jet.first[1]);
        let length = cross.length();
        if !(length > 0.0) {
            return None;
        }
        // The coordinates of a ball turn with its tangents; only its outward side is certain.
        let side = match &shape.sheet {
            Sheet::Ball { center, .. } => (jet.point - *center).dot(cross).signum(),
            _ => shape.side,
        };
        Some(cross * (side / length))
    }
}
