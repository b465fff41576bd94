//! Whether a point of a face, edge or vertex is a local minimum of the distance to a point, seen from the faces around.
//!
//! Source: at a constrained minimum no direction into a face shortens the distance, and none leads into a solid.
//! Differs: directions are sampled around the point, inside the trimmed face, so that every kind of corner is one case.
//! Ends because: [`DIRECTIONS`] for each face, and [`TRIES`] to find the point on it.
//! Cost: one projection and some evaluations for each face around; a grid of places and some more projections where the first one
//! ends off the point, as on faces that wind past it.
//! Not promised: slopes below [`PROBE_SLOPE`], and faces narrower than the angle between two directions.

use crate::tolerance::{PROBE_REL, PROBE_SLOPE};
use clearance_geometry::curve::Range;
use clearance_geometry::pieces::Piece;
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::{Face, Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Feature, LeafShape, Polytope, Pose};

/// Directions around a point.
const DIRECTIONS: usize = 32;

/// Steps of a grid over a face along each parameter, and places of it that searches begin from.
const PLACES: usize = 24;
const TRIES: usize = 32;

/// Whether no point near `own`, which lies on a piece of a body, is closer to `toward`; both in the frame of the body.
pub(super) fn is_minimum_on(body: &Body, piece: &Piece, own: DVec3, toward: DVec3, size: f64) -> bool {
    if piece.dimension == 2 {
        return true;
    }
    match body.whole() {
        Body::Polytope(polytope) => on_polytope(polytope, piece.feature, toward - own),
        Body::Tiled(tiled) => on_tiled(tiled, piece.feature, own, toward, size),
        Body::Deforming(deforming) => on_tiled(deforming.shape(), piece.feature, own, toward, size),
        Body::Union(parts) => {
            let leaf = &parts.leaves()[piece.leaf as usize];
            let local = |p: DVec3, pose: &Pose| pose.apply_inverse(p);
            let (own, toward) = (local(own, &leaf.pose), local(toward, &leaf.pose));
            match &leaf.shape {
                LeafShape::Polytope(polytope) => on_polytope(polytope, piece.feature, toward - own),
                LeafShape::Tiled(tiled) => on_tiled(tiled, piece.feature, own, toward, size),
            }
        }
        Body::HalfSpace(_) | Body::Algebraic(_) | Body::Boundary(_) => true,
    }
}

/// Whether the part of a body with an inside that a piece is of has one itself: unions may have open parts.
pub(super) fn has_inside(body: &Body, piece: &Piece) -> bool {
    match body.whole() {
        Body::Union(parts) => !parts.leaves()[piece.leaf as usize].is_surface_only(),
        _ => true,
    }
}

/// Whether the way from a point of a face or an edge of a solid, given by local parameters, leads into the solid: what is
/// critical there is seen through it. `between` is the way in the frame of the body.
pub(super) fn is_behind(body: &Body, piece: &Piece, local: DVec2, between: DVec3, size: f64) -> bool {
    if !has_inside(body, piece) {
        return false;
    }
    let is_against = |normal: DVec3| normal.dot(between) < -PROBE_SLOPE * normal.length() * between.length();
    if piece.dimension == 2 {
        let jet = piece.jet(local);
        let reversed = piece.face(body).is_some_and(|face| face.reversed);
        return is_against(jet.u.cross(jet.v) * if reversed { -1.0 } else { 1.0 });
    }
    // An edge where faces go on smoothly, or that is reflex. Polytopes have no such edges.
    let (Some(edge), Some(tiled)) = (piece.edge(body), piece.tiled(body)) else { return false };
    let pose = match body.whole() {
        Body::Union(parts) => parts.leaves()[piece.leaf as usize].pose,
        _ => Pose::IDENTITY,
    };
    let point = pose.apply_inverse(piece.point(local));
    let faces = || edge.faces.into_iter().flatten().map(|id| tiled.face(id));
    faces().count() == 2
        && faces().all(|face| {
            let near = place_of(face, point, PROBE_REL * size);
            face.normal(near).is_some_and(|normal| is_against(pose.rotate(normal)))
        })
}

fn on_polytope(body: &Polytope, feature: Feature, between: DVec3) -> bool {
    let slope = PROBE_SLOPE * between.length();
    match feature {
        Feature::Face(_) => true,
        Feature::Edge(edge) => body.edge(edge).inward.iter().all(|inward| inward.dot(between) <= slope),
        Feature::Vertex(vertex) => {
            let from = body.vertex(vertex);
            let edges = body.edges().iter().filter(|edge| edge.vertices.contains(&vertex));
            edges.into_iter().all(|edge| {
                let other = edge.vertices[usize::from(edge.vertices[0] == vertex)];
                (body.vertex(other) - from).normalize_or_zero().dot(between) <= slope
            })
        }
    }
}

/// The parameters of a point on a face, but for `off`. A search from the nearest of a few places may end elsewhere on a face that
/// winds past the point; then it begins from others of a finer grid, nearest first.
fn place_of(face: &Face, point: DVec3, off: f64) -> DVec2 {
    let bounds = face.region.bounds();
    let mut best = face.surface.locate(point, bounds, None);
    if best.distance <= off {
        return best.parameters;
    }
    let along = |range: Range| (0..=PLACES).map(move |k| range.at(k as f64 / PLACES as f64));
    let places = along(bounds.u).flat_map(|u| along(bounds.v).map(move |v| DVec2::new(u, v)));
    let mut places: Vec<(f64, DVec2)> =
        places.map(|at| (face.surface.point(at.x, at.y).distance_squared(point), at)).collect();
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (_, start) in places.into_iter().take(TRIES) {
        let found = face.surface.locate(point, bounds, Some(start));
        if found.distance < best.distance {
            best = found;
        }
        if best.distance <= off {
            break;
        }
    }
    best.parameters
}

fn on_tiled(body: &TiledBody, feature: Feature, own: DVec3, toward: DVec3, size: f64) -> bool {
    let distance = own.distance(toward);
    let step = PROBE_REL * size;
    let closer = |point: DVec3| {
        let (gain, moved) = (distance - point.distance(toward), point.distance(own));
        // The end of an edge at the point itself is off it by rounding.
        moved > 0.5 * step && gain > PROBE_SLOPE * moved
    };
    body.coboundary(feature).into_iter().all(|around| match around {
        Feature::Vertex(_) => true,
        Feature::Edge(edge) => {
            let edge = body.edge(edge);
            let near = edge.curve.locate(own, edge.range, None).parameters;
            let speed = edge.jet(near).first.length().max(f64::MIN_POSITIVE);
            let ends = [near - step / speed, near + step / speed].map(|t| edge.range.clamp(t));
            !ends.into_iter().any(|t| closer(edge.point(t)))
        }
        Feature::Face(id) => {
            let face = body.face(id);
            let near = place_of(face, own, step);
            let Some(normal) = face.surface.normal(near.x, near.y) else { return true };
            let (across, up) = normal.any_orthonormal_pair();
            !(0..DIRECTIONS).any(|k| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / DIRECTIONS as f64).sin_cos();
                let target = own + step * (across * cos + up * sin);
                let at = face.surface.locate(target, face.region.bounds(), Some(near));
                // Only where the face really goes on that way.
                at.distance <= 0.25 * step && face.side(at.parameters) != Side::Outside && closer(at.point)
            })
        }
    })
}
