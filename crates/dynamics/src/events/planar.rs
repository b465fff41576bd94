//! Events of two convex polygons: corners near edges.

use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance;
use clearance_geometry::{DVec2, DVec3, EdgeId, Feature, PlanarPose, Polygon, VertexId};
use clearance_proximity::ratio::{PlanarTracker, RatioError};

/// The events of two polygons, in the world; points and normals lie in the plane z = 0.
///
/// # Errors
/// As [`clearance_proximity::ratio::planar_growth`].
pub fn planar_events(
    a: &Polygon,
    b: &Polygon,
    pose_a: &PlanarPose,
    pose_b: &PlanarPose,
    limits: &Limits,
    known: &[EventId],
    tracker: &mut PlanarTracker,
) -> Result<PairEvents, RatioError> {
    let growth = tracker.update(a, b, &PlanarPose::between(pose_a, pose_b))?.in_world(pose_a);
    let [a, b] = [Placed::new(a, pose_a), Placed::new(b, pose_b)];
    let between = b.center - a.center;
    // Concentric polygons have no normal; any direction out will do, and the deepest corner decides.
    let normal = growth.normal.try_normalize().unwrap_or(DVec2::Y);
    let rho = growth.rho.unwrap_or(f64::NEG_INFINITY);
    let gap = match growth.rho {
        Some(rho) => rho * normal.dot(between),
        None => -(a.polygon.inradius() + b.polygon.inradius()),
    };
    let mut events = Vec::new();
    if gap <= limits.margin * tolerance::EVENT_KEEP {
        let mut collect = Collect { limits, known, gap, events: &mut events };
        collect.corners(&a, &b, normal, false);
        collect.corners(&b, &a, -normal, true);
        if limits.misses(&events, gap) {
            let features =
                growth.features.unwrap_or([Feature::Vertex(VertexId(0)), Feature::Vertex(VertexId(0))]);
            let id = EventId::new(EventKind::Growth, features);
            events.push(Event { id, point: growth.point.extend(0.0), normal: normal.extend(0.0), gap });
        }
        tidy(&mut events, a.polygon.radius().min(b.polygon.radius()));
    }
    Ok(PairEvents { gap, rho, events })
}

/// A polygon in the world.
struct Placed<'a> {
    polygon: &'a Polygon,
    pose: &'a PlanarPose,
    center: DVec2,
}

impl<'a> Placed<'a> {
    fn new(polygon: &'a Polygon, pose: &'a PlanarPose) -> Self {
        Self { polygon, pose, center: pose.apply(polygon.center() + polygon.anchor()) }
    }

    fn corner(&self, at: usize) -> DVec2 {
        self.pose.apply(self.polygon.vertices()[at] + self.polygon.anchor())
    }
}

struct Collect<'a> {
    limits: &'a Limits,
    known: &'a [EventId],
    gap: f64,
    events: &'a mut Vec<Event>,
}

impl Collect<'_> {
    /// Corners of `on` over the sides of `under` that lean towards `normal`.
    fn corners(&mut self, under: &Placed<'_>, on: &Placed<'_>, normal: DVec2, swapped: bool) {
        let least = tolerance::EVENT_LEAN_RAD.cos();
        for (side, edge) in under.polygon.sides().iter().enumerate() {
            let outward = under.pose.rotate(edge.normal);
            if !(outward.dot(normal) >= least) {
                continue;
            }
            let start = under.corner(edge.vertices[0].index());
            let along = under.pose.rotate(edge.vector) / edge.length;
            for at in 0..on.polygon.vertex_count() {
                let corner = on.corner(at);
                let gap = outward.dot(corner - start);
                let beyond = {
                    let place = along.dot(corner - start);
                    (-place).max(place - edge.length)
                };
                let face = Feature::Edge(EdgeId(side as u32));
                let vertex = Feature::Vertex(VertexId(at as u32));
                let features = if swapped { [vertex, face] } else { [face, vertex] };
                let id = EventId::new(EventKind::CornerFace, features);
                let slack = Limits::slack(self.known, &id);
                if beyond <= self.limits.outside * slack && self.limits.holds(gap, self.gap, slack) {
                    let sign = if swapped { -1.0 } else { 1.0 };
                    let point: DVec3 = (corner - outward * (gap / 2.0)).extend(0.0);
                    self.events.push(Event { id, point, normal: (outward * sign).extend(0.0), gap });
                }
            }
        }
    }
}
