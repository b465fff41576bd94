//! The first point of a body on a ray.
//!
//! Source: the first crossing of each part's boundary (`global::ray`); the nearest of them.
//! Differs: a ray that starts inside a solid hits at its start; where its first crossing does not tell the side, the start is
//! located on its own.
//! Ends because: one cast for each part, and the cast has a budget.
//! Cost: that of the casts.
//! Not promised: an answer for a ray whose budget ends; it is an error, not a miss.

use super::side::{Closed, normal_at};
use super::{Memory, Part, Probe, Shape, made_ready};
use crate::query::{cast_flat, check_ray, unit};
use crate::{Place, QueryError, RayHit};
use clearance_geometry::{Body, DVec3};

impl Probe {
    /// The first point of the closed body on the ray from `origin` along `direction`, within `max_distance`; see
    /// [`cast_ray`](crate::cast_ray). Of a union the nearest of its parts' points.
    ///
    /// # Errors
    /// As [`cast_ray`](crate::cast_ray).
    pub fn cast_ray(
        &mut self,
        origin: DVec3,
        direction: DVec3,
        max_distance: f64,
    ) -> Result<Option<RayHit>, QueryError> {
        let direction = check_ray(origin.is_finite(), unit(direction), max_distance)?;
        let mut first: Option<RayHit> = None;
        for part in &mut self.parts {
            let limit = first.map_or(max_distance, |hit| hit.distance);
            let from = part.pose.apply_inverse(origin);
            let along = part.pose.rotate_inverse(direction);
            let Some(hit) = part.cast_ray(from, along, limit, &mut self.memory)? else { continue };
            if first.is_none_or(|first| hit.distance < first.distance || hit.feature.is_none()) {
                let point = part.pose.apply(hit.point);
                first = Some(RayHit { point, normal: part.pose.rotate(hit.normal), leaf: part.leaf, ..hit });
            }
        }
        Ok(first)
    }
}

impl Part {
    fn cast_ray(
        &mut self,
        origin: DVec3,
        direction: DVec3,
        max_distance: f64,
        memory: &mut Memory,
    ) -> Result<Option<RayHit>, QueryError> {
        let solid = self.solid;
        let (body, ready) = match &mut self.shape {
            Shape::HalfSpace(half) => {
                return cast_flat(&Body::from(*half), origin, direction, max_distance, solid);
            }
            Shape::Polytope(flat) => {
                return cast_flat(&Body::from(flat.clone()), origin, direction, max_distance, solid);
            }
            Shape::Tiled { body, ready, .. } => (body.clone(), made_ready(body, ready)?),
        };
        let mut closed = Closed { body: &body, ready, memory: &mut memory.ray };
        let found = closed.cast(origin, direction);
        if !found.complete {
            return Err(QueryError::Undecided { what: "a ray" });
        }
        if solid {
            let clear = closed.comes_from_inside(&found, direction).filter(|_| found.clean);
            let inside = match clear {
                Some(inside) => inside,
                None => self.locate(origin, memory)? != Place::Outside,
            };
            if inside {
                return Ok((max_distance >= 0.0).then_some(RayHit::at_start(origin, direction)));
            }
        }
        let Some(first) = found.first.filter(|first| first.distance <= max_distance) else { return Ok(None) };
        let Shape::Tiled { body, ready: Some(ready), .. } = &self.shape else { return Ok(None) };
        let piece = &ready.tree().leaves()[first.piece as usize];
        let normal = normal_at(body, piece, first.local).unwrap_or(-direction);
        Ok(Some(RayHit {
            distance: first.distance,
            point: origin + direction * first.distance,
            normal,
            feature: Some(piece.feature),
            leaf: 0,
        }))
    }
}
