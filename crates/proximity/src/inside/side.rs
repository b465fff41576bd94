//! On which side of a closed curved body a point lies.
//!
//! Source: the side from which a ray first crosses the inside of a face; the first ray goes to the nearest boundary point,
//! which it meets along the normal. A ray that grazes, or passes an edge closely, is cast again in another direction.
//! Differs: closer to the boundary than a ray can tell, the sign of the outward normal at the nearest point decides; on an
//! edge that of the sum of both faces' normals (Bærentzen and Aanæs' pseudonormal).
//! Ends because: a fixed number of directions.
//! Cost: some tens of cells for each ray, mostly one.
//! Not promised: a proof. A point on the boundary within rounding must be told apart before.

use crate::global::{Cast, NearPair, Prepared, RayMemory, cast};
use crate::tolerance::{CERTIFIED_REL, CONTACT_REL, CUSP_RAD, FOOT_REL, RAY_MARGIN_REL, SMOOTH_EDGE_RAD};
use clearance_geometry::pieces::Piece;
use clearance_geometry::tiled::{Face, TiledBody};
use clearance_geometry::{DVec3, EdgeId, Feature};

/// Rays cast before the most frequent answer has to do.
const RAYS: usize = 24;

/// A closed tiled body made ready, with the memory of rays.
pub(super) struct Closed<'a> {
    pub(super) body: &'a TiledBody,
    pub(super) ready: &'a Prepared,
    pub(super) memory: &'a mut RayMemory,
}

/// Whether a point is inside a body whose nearest point to it is inside an edge; from there it lies along `away`, but for a sine
/// of `loose`. `None` where that is not told.
pub(super) fn is_behind_edge(body: &TiledBody, id: EdgeId, t: f64, away: DVec3, loose: f64) -> Option<bool> {
    let edge = body.edge(id);
    let [Some(left), Some(right)] = edge.faces else { return None };
    let along = edge.jet(t).first.try_normalize()?;
    let normal = |face, against| {
        let at = body.parameters(face, id, t, against);
        body.face(face).normal(at)
    };
    let (n, m) = (normal(left, false)?, normal(right, true)?);
    let angle = n.cross(m).dot(along).atan2(n.dot(m));
    let height = away.dot(n + m);
    if away.dot(along).abs() > loose || angle.abs() > CUSP_RAD {
        return None;
    }
    // Only the outside of a convex edge and the inside of a reflex one have their nearest points on it.
    let smooth = angle.abs() <= SMOOTH_EDGE_RAD;
    (smooth || (height > 0.0) == (angle > 0.0)).then_some(height < 0.0)
}

impl Closed<'_> {
    /// Whether a point off the boundary is inside; `near` is its nearest boundary point, or one as near within an error.
    /// Close to the boundary it must be the nearest within rounding.
    pub(super) fn holds(&mut self, point: DVec3, near: Option<&NearPair>) -> bool {
        let close = near.filter(|near| near.distance <= self.margin(point));
        match close.and_then(|near| self.by_normal(point, near)) {
            Some(inside) => inside,
            None => self.by_rays(point, near.map(|near| near.points[0] - point)),
        }
    }

    /// Closer to the boundary than this, rays do not tell.
    pub(super) fn margin(&self, point: DVec3) -> f64 {
        let [rounding, _] = self.sizes(point);
        rounding * (RAY_MARGIN_REL / CONTACT_REL)
    }

    /// What a length may be off because of rounding, and the size that nearness is measured by.
    fn sizes(&self, point: DVec3) -> [f64; 2] {
        let bound = &self.ready.tree().root().bound;
        let size = bound.half.length();
        let reach = point.abs().max(bound.center.abs()).max_element() + size;
        [CONTACT_REL * reach, size]
    }

    /// The side by the normal at the nearest point; `None` where it does not tell.
    fn by_normal(&self, point: DVec3, near: &NearPair) -> Option<bool> {
        let piece = &self.ready.tree().leaves()[near.pieces[0] as usize];
        let foot = near.points[0];
        let [rounding, size] = self.sizes(point);
        let away = (point - foot) / near.distance;
        let loose = FOOT_REL + rounding / near.distance;
        let at = piece.span.parameters(near.local[0]);
        match piece.feature {
            Feature::Face(id) => {
                let face = self.body.face(id);
                let normal = face.normal(at)?;
                let height = normal.dot(away);
                if (away - normal * height).length() <= loose {
                    return (!self.is_at_cusp(face, foot, size)).then_some(height < 0.0);
                }
                // The foot is on the rim of the face.
                let (edge, t) = self.edge_at(face, foot, size)?;
                self.by_edge(edge, t, away, loose)
            }
            Feature::Edge(edge) => self.by_edge(edge, at.x, away, loose),
            Feature::Vertex(_) => None,
        }
    }

    /// Whether the point of a face is on an edge along which faces may fold back on each other.
    fn is_at_cusp(&self, face: &Face, foot: DVec3, size: f64) -> bool {
        face.loops.iter().flatten().any(|used| {
            let edge = self.body.edge(used.edge);
            let folded = edge.angles.iter().any(|angle| angle.abs() > CUSP_RAD);
            folded && edge.curve.place_of(foot, edge.range, CERTIFIED_REL * size + edge.gap).is_some()
        })
    }

    /// The edge of a face that a point of it is on, with its parameter there.
    fn edge_at(&self, face: &Face, foot: DVec3, size: f64) -> Option<(EdgeId, f64)> {
        face.loops.iter().flatten().find_map(|used| {
            let edge = self.body.edge(used.edge);
            let found = edge.curve.place_of(foot, edge.range, CERTIFIED_REL * size + edge.gap)?;
            Some((used.edge, found.parameters))
        })
    }

    /// The side of a point whose nearest point is inside an edge.
    fn by_edge(&self, id: EdgeId, t: f64, away: DVec3, loose: f64) -> Option<bool> {
        is_behind_edge(self.body, id, t, away, loose)
    }

    /// The side by where rays first cross a face: toward a boundary point if one is known, then all around.
    fn by_rays(&mut self, point: DVec3, toward: Option<DVec3>) -> bool {
        let mut inside = 0;
        let margin = self.margin(point);
        let toward = toward.and_then(DVec3::try_normalize);
        for direction in toward.into_iter().chain((0..RAYS).map(direction)) {
            let found = self.cast(point, direction);
            let from_inside = self.comes_from_inside(&found, direction);
            let apart = found.first.is_none_or(|c| c.distance > margin);
            if let Some(answer) = from_inside
                && found.clean
                && apart
            {
                return answer;
            }
            inside += match from_inside {
                Some(true) => 1,
                Some(false) => -1,
                None => 0,
            };
        }
        inside > 0
    }

    /// The first point of the boundary on a ray.
    pub(super) fn cast(&mut self, origin: DVec3, direction: DVec3) -> Cast {
        cast(self.ready.body(), self.ready.tree(), origin, direction, f64::INFINITY, self.memory)
    }

    /// Whether a ray first crosses a face from its inside; one that meets nothing is outside.
    pub(super) fn comes_from_inside(&self, found: &Cast, direction: DVec3) -> Option<bool> {
        let Some(first) = found.first else { return Some(false) };
        let piece = &self.ready.tree().leaves()[first.piece as usize];
        Some(normal_at(self.body, piece, first.local)?.dot(direction) > 0.0)
    }
}

/// The outward normal at a point of a piece: on an edge the sum of both faces' normals.
pub(super) fn normal_at(body: &TiledBody, piece: &Piece, local: clearance_geometry::DVec2) -> Option<DVec3> {
    let at = piece.span.parameters(local);
    match piece.feature {
        Feature::Face(face) => body.face(face).normal(at),
        Feature::Edge(id) => {
            let faces = body.edge(id).faces;
            let normal = |side: usize| {
                let face = faces[side]?;
                body.face(face).normal(body.parameters(face, id, at.x, side == 1))
            };
            let sum = normal(0).unwrap_or_default() + normal(1).unwrap_or_default();
            sum.try_normalize()
        }
        Feature::Vertex(_) => None,
    }
}

/// Directions spread over the sphere along a spiral of the golden angle, none along an axis.
fn direction(k: usize) -> DVec3 {
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    // Far apart from one to the next.
    let step = (k * 7) % RAYS;
    let z = 1.0 - (2.0 * step as f64 + 1.0) / RAYS as f64;
    let (sin, cos) = (golden * step as f64 + 0.7).sin_cos();
    let radius = (1.0 - z * z).sqrt();
    DVec3::new(radius * cos, radius * sin, z)
}
