//! Events of a polytope against a half-space: its corners near the plane.

use super::{Event, EventId, EventKind, Limits, PairEvents};
use clearance_geometry::{DVec3, FaceId, Feature, HalfSpace, Polytope, Pose, VertexId};

/// The events of the half-space (A) and the polytope (B), in the world.
///
/// ```
/// use clearance_dynamics::{Limits, half_space_events};
/// use clearance_geometry::{DVec3, HalfSpace, Polytope, Pose};
/// let floor = HalfSpace::new(DVec3::Z, 0.0)?;
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// let limits = Limits { margin: 0.1, outside: 0.0, below: 0.0 };
/// let up = Pose::from_translation(DVec3::Z)?;
/// assert_eq!(half_space_events(&floor, &cube, &Pose::IDENTITY, &up, &limits, &[]).events.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn half_space_events(
    a: &HalfSpace,
    b: &Polytope,
    pose_a: &Pose,
    pose_b: &Pose,
    limits: &Limits,
    known: &[EventId],
) -> PairEvents {
    let plane = a.plane();
    let normal = pose_a.rotate(plane.normal);
    let on_plane = pose_a.apply(plane.normal * plane.offset);
    let place = |v: DVec3| pose_b.apply(v + b.anchor());
    let gaps: Vec<f64> = b.vertices().iter().map(|&v| normal.dot(place(v) - on_plane)).collect();
    let gap = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let center = normal.dot(place(b.center()) - on_plane);
    // Only the polytope grows: the corner that is lowest touches when its depth below the centre has grown to the height
    // of the centre.
    let rho = if center > 0.0 { gap / center } else { f64::NEG_INFINITY };
    let mut events = Vec::new();
    for (at, (&vertex, &gap)) in b.vertices().iter().zip(&gaps).enumerate() {
        let features = [Feature::Face(FaceId(0)), Feature::Vertex(VertexId(at as u32))];
        let id = EventId::new(EventKind::CornerFace, features);
        if gap <= limits.margin * Limits::slack(known, &id) {
            events.push(Event { id, point: place(vertex) - normal * (gap / 2.0), normal, gap });
        }
    }
    PairEvents { gap, rho, events }
}
