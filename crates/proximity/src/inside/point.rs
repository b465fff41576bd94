//! A point against one part or all of a body.
//!
//! Source: the nearest boundary point by branch and bound, then the side of the boundary that the point is on.
//! Differs: in a union the depth is that in the deepest of the parts around the point.
//! Ends because: the search has a budget.
//! Cost: one search for each part whose box holds the point.
//! Not promised: the depth in a union where parts overlap at the witness; the answer says so.

use super::side::{Closed, normal_at};
use super::{Memory, Part, Probe, Shape, made_ready};
use crate::analytic::{Feet, egg};
use crate::global::{Demand, Found, NearPair, Prepared, search, witness};
use crate::query::locate_flat;
use crate::tolerance::{CERTIFIED_REL, CONTACT_REL, LOCATE_ERROR_REL, RAY_MARGIN_REL, TRIM_BOUNDARY_REL};
use crate::{Parameters, Place, QueryError, Witness};
use clearance_geometry::tiled::{self, TiledBody};
use clearance_geometry::{Body, DVec3, FaceId, Feature, Polytope, Pose};

/// Pairs that a search may look at before the point is located by other means.
const LOCATE_PAIRS: u64 = 3_000;

/// Times the distance at which rays no longer tell: where the nearest point is looked for within rounding.
const CLOSE_MARGINS: f64 = 4.0;

/// Times the uncertainty of a trim: a point that close to the rim of a face is on the boundary.
const RIM_TRIMS: f64 = 2.0;

/// Pairs that a search for a distance may look at.
const DISTANCE_PAIRS: u64 = 60_000;

/// How far a point is from the boundary of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointDistance {
    /// Where the point stands.
    pub place: Place,
    /// Distance to the nearest boundary point, negative inside.
    pub signed_distance: f64,
    /// The nearest boundary point, in the body's frame.
    pub witness: Witness,
    /// Unit vector along which the signed distance grows; `None` on the boundary where there is no normal.
    pub normal: Option<DVec3>,
    /// Proven: no boundary point is closer. In a union, inside: the depth in one part.
    pub lower: f64,
    /// Whether the distance is within the error asked for. False where the budget ran out, and inside a union where
    /// another part covers the witness, so that the true depth is larger.
    pub exact: bool,
}

impl Probe {
    /// The signed distance of `point`, in the body's frame, within `max_error` (a length; 10⁻⁹ of the size unless given).
    ///
    /// # Errors
    /// As [`Probe::locate`].
    pub fn distance(&mut self, point: DVec3, max_error: Option<f64>) -> Result<PointDistance, QueryError> {
        QueryError::demand(point.is_finite(), "point")?;
        QueryError::demand(max_error.is_none_or(|error| error > 0.0), "max_error")?;
        if let [part @ Part { is_still: true, .. }] = self.parts.as_mut_slice() {
            return part.distance(point, max_error, &mut self.memory);
        }
        let mut best: Option<PointDistance> = None;
        for part in &mut self.parts {
            let local = part.pose.apply_inverse(point);
            // Outside its box, a part farther away than what is known does not matter.
            if best.is_some_and(|best| part.beyond(local) > best.signed_distance.max(0.0)) {
                continue;
            }
            let found = part.distance(local, max_error, &mut self.memory)?;
            if best.is_none_or(|best| found.signed_distance < best.signed_distance) {
                let point = part.pose.apply(found.witness.point);
                let witness = Witness { point, leaf: part.leaf, ..found.witness };
                let normal = found.normal.map(|normal| part.pose.rotate(normal));
                best = Some(PointDistance { witness, normal, ..found });
            }
        }
        let mut best = best.ok_or(QueryError::BadArgument { field: "body" })?;
        if best.place == Place::Inside && self.parts.len() > 1 {
            best.exact &= !self.covers(best.witness.point, best.witness.leaf)?;
        }
        Ok(best)
    }

    /// The signed distance of a point, in the body's frame, from the nearest part other than one leaf; infinite where there is
    /// none.
    pub(crate) fn distance_beside(
        &mut self,
        leaf: u32,
        point: DVec3,
        max_error: f64,
    ) -> Result<f64, QueryError> {
        let mut least = f64::INFINITY;
        for part in self.parts.iter_mut().filter(|part| part.leaf != leaf) {
            let local = part.pose.apply_inverse(point);
            if part.beyond(local) < least.max(0.0) {
                least = least.min(part.distance(local, Some(max_error), &mut self.memory)?.signed_distance);
            }
        }
        Ok(least)
    }

    /// Whether a part other than this one has a point inside.
    fn covers(&mut self, point: DVec3, leaf: u32) -> Result<bool, QueryError> {
        for part in self.parts.iter_mut().filter(|part| part.leaf != leaf) {
            if part.locate(part.pose.apply_inverse(point), &mut self.memory)? == Place::Inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Part {
    /// Where a point in its own frame stands.
    pub(super) fn locate(&mut self, point: DVec3, memory: &mut Memory) -> Result<Place, QueryError> {
        let touch = self.touch(point);
        if self.beyond(point) > touch {
            return Ok(Place::Outside);
        }
        let (solid, size) = (self.solid, self.size());
        let (body, ready) = match &mut self.shape {
            Shape::HalfSpace(half) => return Ok(hollow(locate_flat(&Body::from(*half), point)?, solid)),
            Shape::Polytope(flat) => {
                return Ok(hollow(locate_flat(&Body::from(flat.clone()), point)?, solid));
            }
            Shape::Tiled { body, ready, .. } => (&*body, made_ready(body, ready)?),
        };
        // At first what shows that the point is off the boundary will do; close to it the nearest point is needed. Where
        // many points are equally near, it is enough that none is at the point itself.
        let fine = CERTIFIED_REL * size;
        let mut demand = Demand {
            max_error: LOCATE_ERROR_REL * size,
            contact: touch,
            max_pairs: LOCATE_PAIRS,
            proof: None,
            deadline: None,
        };
        let mut found = nearest(ready, point, demand, memory)?;
        if found.lower <= touch {
            demand.max_error = fine;
            found = nearest(ready, point, demand, memory)?;
        }
        if found.lower <= touch && !found.proven {
            demand.max_error = 0.5 * found.nearest.map_or(size, |near| near.distance);
            demand.max_pairs = DISTANCE_PAIRS;
            found = nearest(ready, point, demand, memory)?;
        }
        if found.nearest.is_some_and(|near| is_on(body, ready, &near, touch)) {
            return Ok(Place::Boundary);
        }
        if !solid {
            return Ok(Place::Outside);
        }
        let near = closest(ready, point, found.nearest, touch, memory)?;
        let inside = Closed { body, ready, memory: &mut memory.ray }.holds(point, near.as_ref());
        Ok(if inside { Place::Inside } else { Place::Outside })
    }

    /// The signed distance of a point in its own frame.
    #[inline]
    fn distance(
        &mut self,
        point: DVec3,
        max_error: Option<f64>,
        memory: &mut Memory,
    ) -> Result<PointDistance, QueryError> {
        let (touch, size, solid) = (self.touch(point), self.size(), self.solid);
        if let Shape::Tiled { near, .. } = &self.shape
            && let Some(Some(feet)) = &near.feet
            && let Some(known) = by_formula(feet, point, touch, max_error, solid)
        {
            return Ok(known);
        }
        if let Shape::Tiled { body, .. } = &self.shape
            && let Some(known) = by_egg(body, point, touch, max_error.unwrap_or(CERTIFIED_REL * size), solid)
        {
            return Ok(known);
        }
        let (body, ready, field) = match &mut self.shape {
            Shape::HalfSpace(half) => {
                let plane = half.plane();
                let height = plane.distance(point);
                let witness = Witness::flat(point - plane.normal * height, Feature::Face(FaceId(0)));
                let place = hollow(Place::at_height(height, touch), solid);
                return Ok(known(place, height, witness, Some(plane.normal)));
            }
            Shape::Polytope(flat) => return flat_distance(flat, point, solid),
            Shape::Tiled { body, ready, near } => {
                if near.feet.is_none()
                    && let Some(feet) = near.feet.insert(Feet::of(body))
                    && let Some(known) = by_formula(feet, point, touch, max_error, solid)
                {
                    return Ok(known);
                }
                (&*body, made_ready(body, ready)?, &mut near.field)
            }
        };
        let max_error = max_error.unwrap_or(CERTIFIED_REL * size);
        let demand =
            Demand { max_error, contact: touch, max_pairs: DISTANCE_PAIRS, proof: None, deadline: None };
        let found = match field.nearest(ready, point, &demand) {
            Some(found) => found,
            None => nearest(ready, point, demand, memory)?,
        };
        let near = found.nearest.ok_or(QueryError::BadArgument { field: "max_error" })?;
        let piece = &ready.tree().leaves()[near.pieces[0] as usize];
        let witness = witness(piece, near.local[0], near.points[0]);
        let answer = |place, signed_distance, normal| PointDistance {
            place,
            signed_distance,
            witness,
            normal,
            lower: found.lower,
            exact: found.proven,
        };
        if is_on(body, ready, &near, touch) {
            return Ok(answer(Place::Boundary, 0.0, normal_at(body, piece, near.local[0])));
        }
        let away = (point - near.points[0]) / near.distance;
        let inside = solid && {
            let near = closest(ready, point, Some(near), touch, memory)?;
            Closed { body, ready, memory: &mut memory.ray }.holds(point, near.as_ref())
        };
        Ok(if inside {
            answer(Place::Inside, -near.distance, Some(-away))
        } else {
            answer(Place::Outside, near.distance, Some(away))
        })
    }
}

/// Whether a nearest point is as near as the rounding of its feature and the gaps around it: on the rim of a face as near
/// as its trim is known.
fn is_on(body: &TiledBody, ready: &Prepared, near: &NearPair, touch: f64) -> bool {
    let piece = &ready.tree().leaves()[near.pieces[0] as usize];
    let allowed = touch + piece.slack + piece.gap;
    if near.distance <= allowed {
        return true;
    }
    let rim = RIM_TRIMS * TRIM_BOUNDARY_REL * ready.radius();
    let Feature::Face(face) = piece.feature else { return false };
    near.distance <= rim
        && piece.trimmed
        && body.face(face).side(piece.span.parameters(near.local[0])) == tiled::Side::Boundary
}

/// The same boundary point, or a nearer one where it is so near that the nearest within rounding is needed.
fn closest(
    ready: &Prepared,
    point: DVec3,
    near: Option<NearPair>,
    touch: f64,
    memory: &mut Memory,
) -> Result<Option<NearPair>, QueryError> {
    let is_close = |near: NearPair| near.distance <= CLOSE_MARGINS * touch * (RAY_MARGIN_REL / CONTACT_REL);
    if !near.is_some_and(is_close) {
        return Ok(near);
    }
    let max_pairs = LOCATE_PAIRS;
    let demand = Demand { max_error: 0.5 * touch, contact: 0.0, max_pairs, proof: None, deadline: None };
    Ok(nearest(ready, point, demand, memory)?.nearest)
}

/// The boundary's point nearest to a point.
fn nearest(ready: &Prepared, point: DVec3, demand: Demand, memory: &mut Memory) -> Result<Found, QueryError> {
    let single = match &mut memory.point {
        Some(known) => known,
        none => none.insert(Box::new(Prepared::new(&Body::from(Polytope::point()))?)),
    };
    let at = Pose::IDENTITY.with_translation(point);
    let trees = [ready.tree(), single.tree()];
    Ok(search([ready.body(), single.body()], trees, &at, demand, &mut memory.search))
}

/// The answer of closed formulas; `None` on the boundary, and where they do not tell the side.
#[inline]
fn by_formula(
    feet: &Feet,
    point: DVec3,
    touch: f64,
    max_error: Option<f64>,
    solid: bool,
) -> Option<PointDistance> {
    let foot = feet.nearest(point);
    let exact = foot.distance - foot.lower <= max_error.unwrap_or(CERTIFIED_REL * feet.size());
    // As close to the boundary as trims are known, the search decides.
    let rim = 2.0 * RIM_TRIMS * TRIM_BOUNDARY_REL * feet.size();
    if !(foot.distance > touch + rim && exact) {
        return None;
    }
    let inside = solid && !feet.is_outside(&foot)?;
    let away = (point - foot.point) / foot.distance;
    let witness =
        Witness { point: foot.point, feature: foot.feature, leaf: 0, parameters: feet.parameters(&foot) };
    Some(PointDistance {
        place: if inside { Place::Inside } else { Place::Outside },
        signed_distance: if inside { -foot.distance } else { foot.distance },
        witness,
        normal: Some(if inside { -away } else { away }),
        lower: foot.lower,
        exact,
    })
}

/// The answer for a whole ellipsoid; `None` on its boundary, and for others.
fn by_egg(body: &TiledBody, point: DVec3, touch: f64, max_error: f64, solid: bool) -> Option<PointDistance> {
    let found = egg::nearest(egg::whole(body)?, point)?;
    let exact = found.distance - found.lower <= max_error;
    if !(found.distance > CLOSE_MARGINS * touch && exact) {
        return None;
    }
    let inside = solid && found.inside;
    let away = (point - found.point) / found.distance;
    let at = body.face(FaceId(0)).region.wrapped(found.at.x, found.at.y);
    let witness = Witness {
        point: found.point,
        feature: Feature::Face(FaceId(0)),
        leaf: 0,
        parameters: Parameters::Surface(at),
    };
    Some(PointDistance {
        place: if inside { Place::Inside } else { Place::Outside },
        signed_distance: if inside { -found.distance } else { found.distance },
        witness,
        normal: Some(if inside { -away } else { away }),
        lower: found.lower,
        exact,
    })
}

/// A place for a body whose boundary alone may be meant.
fn hollow(place: Place, solid: bool) -> Place {
    if solid || place != Place::Inside { place } else { Place::Outside }
}

fn known(place: Place, height: f64, witness: Witness, normal: Option<DVec3>) -> PointDistance {
    let inside = place == Place::Inside;
    let distance = if place == Place::Boundary { 0.0 } else { height.abs() };
    let sign = if inside { -1.0 } else { 1.0 };
    let outward = normal.map(|normal| if height < 0.0 && !inside { -normal } else { normal });
    PointDistance {
        place,
        signed_distance: sign * distance,
        witness,
        normal: outward,
        lower: distance,
        exact: true,
    }
}

/// The signed distance of a point from the boundary of a polytope.
fn flat_distance(body: &Polytope, point: DVec3, solid: bool) -> Result<PointDistance, QueryError> {
    let whole = Body::from(body.clone());
    let at = Pose::IDENTITY.with_translation(point);
    let found = crate::distance(&whole, &Body::from(Polytope::point()), &at)?;
    let place = hollow(locate_flat(&whole, point)?, solid);
    Ok(known(place, found.signed_distance, found.witnesses[0], Some(found.normal)))
}
