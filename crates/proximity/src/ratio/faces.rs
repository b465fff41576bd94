//! A polytope seen from its centre: planes, the face that a ray pierces, support vertices.
//!
//! Source: 002, definition 2.1 (planes and an interior point); the walk to the pierced face is hill
//! climbing on the polar polytope, whose vertices a/b are the faces and whose edges are the edges.
//! Differs: 002 has no walk; it hands over all planes.
//! Ends because: a step is taken only to a face with a strictly larger a·y/b, but for a limited number of
//! steps in a row over faces whose values cannot be told apart.
//! Cost: the sides of the faces passed, or the logarithm of their number on faces with many sides.
//! Not promised: which face, when the ray leaves through an edge or a vertex.

use super::active_set::Sided;
use super::space::{MOST_PLANES, Vector};
use crate::double::Double3;
use crate::tolerance;
use clearance_geometry::{DMat3, DVec3, FaceId, Plane, Polytope, Side, VertexId};

/// How body axes turn into the axes of A.
pub(super) trait Turn {
    fn out(&self, vector: DVec3) -> DVec3;
    fn back(&self, vector: DVec3) -> DVec3;
    /// As `out`, in doubled precision.
    fn exact(&self, vector: Double3) -> Double3;
}

/// A itself.
pub(super) struct Still;

impl Turn for Still {
    #[inline]
    fn out(&self, vector: DVec3) -> DVec3 {
        vector
    }

    #[inline]
    fn back(&self, vector: DVec3) -> DVec3 {
        vector
    }

    fn exact(&self, vector: Double3) -> Double3 {
        vector
    }
}

/// B, by its rotation in the frame of A.
pub(super) struct Turned(pub(super) DMat3);

impl Turn for Turned {
    #[inline]
    fn out(&self, vector: DVec3) -> DVec3 {
        self.0 * vector
    }

    #[inline]
    fn back(&self, vector: DVec3) -> DVec3 {
        DVec3::new(self.0.x_axis.dot(vector), self.0.y_axis.dot(vector), self.0.z_axis.dot(vector))
    }

    fn exact(&self, vector: Double3) -> Double3 {
        Double3(std::array::from_fn(|i| Double3::from(self.0.row(i)).dot(vector)))
    }
}

/// A polytope in the axes of A, counted from its centre.
pub(super) struct Centred<'a, T> {
    pub(super) polytope: &'a Polytope,
    pub(super) turn: T,
}

impl<T: Turn> Centred<'_, T> {
    /// A vertex from the centre, in the axes of A.
    pub(super) fn vertex(&self, vertex: u32) -> DVec3 {
        self.turn.out(self.polytope.vertex(VertexId(vertex)) - self.polytope.center())
    }

    /// The centre's distance from a plane.
    #[inline]
    fn reach(&self, plane: &Plane) -> f64 {
        -plane.distance(self.polytope.center())
    }

    fn neighbours(&self, face: FaceId) -> impl Iterator<Item = FaceId> {
        self.polytope.sides(face).iter().map(move |side| self.behind(face, side))
    }

    /// The face on the other side of a side.
    #[inline]
    pub(super) fn behind(&self, face: FaceId, side: &Side) -> FaceId {
        let faces = self.polytope.edge(side.edge).faces;
        if faces[0] == face { faces[1] } else { faces[0] }
    }

    /// The face behind the side that the piercing point lies beyond, if any.
    fn next_face(&self, face: FaceId, at: DVec3) -> Option<FaceId> {
        let side = self.shallowest_side(face, at)?;
        (depth(side, at) < 0.0).then(|| self.behind(face, side))
    }

    /// How deep within a face a point of its plane lies, in anchored body coordinates; negative
    /// outside. On faces with many sides it is exact only near the boundary and outside.
    pub(super) fn depth_within(&self, face: FaceId, at: DVec3) -> f64 {
        self.shallowest_side(face, at).map_or(f64::NEG_INFINITY, |side| depth(side, at))
    }

    /// The side of a face that a point of its plane is least within.
    fn shallowest_side(&self, face: FaceId, at: DVec3) -> Option<&Side> {
        let sides = self.polytope.sides(face);
        if sides.len() <= tolerance::RATIO_SCAN_SIDES {
            return sides.iter().reduce(|s, t| if depth(t, at) < depth(s, at) { t } else { s });
        }
        // Bisection over the fan of triangles at the first corner: the wedge that holds the point has
        // one side of the polygon opposite the corner.
        let normal = self.polytope.plane(face).normal;
        let corner = |i: usize| self.polytope.vertex(sides[i].vertex);
        let from = at - corner(0);
        let (mut low, mut high) = (1, sides.len() - 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if normal.dot((corner(middle) - corner(0)).cross(from)) >= 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let candidates = [&sides[0], &sides[low], &sides[sides.len() - 1]];
        candidates.into_iter().reduce(|s, t| if depth(t, at) < depth(s, at) { t } else { s })
    }
}

/// Signed distance of a point in the plane of the face from a side, positive within the face.
#[inline]
fn depth(side: &Side, at: DVec3) -> f64 {
    side.inward.dot(at) - side.offset
}

impl<T: Turn> Sided for Centred<'_, T> {
    type Vector = DVec3;

    #[inline]
    fn plane(&self, face: u32) -> (DVec3, f64) {
        let plane = self.polytope.plane(FaceId(face));
        (self.turn.out(plane.normal), self.reach(plane))
    }

    fn pierced(&self, from: u32, towards: DVec3) -> u32 {
        let towards = self.turn.back(towards);
        let center = self.polytope.center();
        let gauge = |face: FaceId| {
            let plane = self.polytope.plane(face);
            plane.normal.dot(towards) / self.reach(plane)
        };
        let highest = |face: FaceId| self.neighbours(face).max_by(|f, g| gauge(*f).total_cmp(&gauge(*g)));
        let level = tolerance::RATIO_TIE_REL * towards.length();
        let mut at = (FaceId(from), gauge(FaceId(from)));
        let (mut best, mut before) = (at, at.0);
        let (mut steps, mut level_steps) = (0, 0);
        loop {
            let (face, value) = at;
            let next =
                if value > 0.0 { self.next_face(face, center + towards / value) } else { highest(face) };
            let Some(mut next) = next.map(|next| (next, gauge(next))) else { break };
            steps += 1;
            if steps == tolerance::RATIO_STEPS_BEFORE_JUMP {
                // The ray has turned far: the table of directions may know a nearer face.
                let start = FaceId(self.start_inside(towards).0);
                if gauge(start) > next.1 {
                    next = (start, gauge(start));
                }
            }
            let rises = |(_, value): (FaceId, f64)| value > best.1;
            if !rises(next)
                && let Some(other) = highest(face)
                && rises((other, gauge(other)))
            {
                // Beyond two sides at the tip of a sliver, the farther one may lead along the level.
                next = (other, gauge(other));
            }
            // Written so that NaN ends the walk.
            if rises(next) {
                level_steps = 0;
            } else {
                // Of two faces nearly in one plane, rounding may call the farther one lower.
                let reach = self.reach(self.polytope.plane(next.0));
                let is_level = next.1 >= best.1 - level / reach;
                if !is_level || next.0 == before || level_steps == tolerance::RATIO_LEVEL_STEPS {
                    break;
                }
                level_steps += 1;
            }
            before = face;
            at = next;
            if at.1 > best.1 {
                best = at;
            }
        }
        best.0.0
    }

    #[inline]
    fn support(&self, from: u32, direction: DVec3) -> u32 {
        let direction = self.turn.back(direction);
        self.polytope.climb(VertexId(from), direction, direction.length()).0
    }

    fn cone(&self, vertex: u32, direction: DVec3) -> [u32; MOST_PLANES - 1] {
        let direction = self.turn.back(direction);
        let faces = self.polytope.ring(VertexId(vertex)).faces;
        let normal = |i: usize| self.polytope.plane(faces[i]).normal;
        // Fan triangulation of the cone; the triangle whose smallest coordinate is largest holds the
        // direction, or misses it by the least.
        let mut best = (f64::NEG_INFINITY, [0, 1, 2]);
        for i in 1..faces.len().saturating_sub(1) {
            let normals = [normal(0), normal(i), normal(i + 1), direction];
            let weights = DVec3::dependency(&normals);
            let least = (0..3).map(|k| -weights[k] / weights[3]).fold(f64::INFINITY, f64::min);
            if least > best.0 {
                best = (least, [0, i, i + 1]);
            }
        }
        best.1.map(|i| faces.get(i).map_or(0, |face| face.0))
    }

    fn start(&self, direction: DVec3) -> (u32, u32) {
        self.start_inside(self.turn.back(direction))
    }

    fn face_count(&self) -> u32 {
        self.polytope.face_count() as u32
    }

    fn vertex_count(&self) -> u32 {
        self.polytope.vertex_count() as u32
    }

    fn radii(&self) -> [f64; 2] {
        [self.polytope.inradius(), self.polytope.radius()]
    }
}

impl<T: Turn> Centred<'_, T> {
    /// A face and a vertex far out in a direction given in body axes.
    fn start_inside(&self, direction: DVec3) -> (u32, u32) {
        let vertex = self.polytope.start_vertex(direction);
        let face = self.polytope.ring(vertex).faces.first().map_or(0, |face| face.0);
        (face, vertex.0)
    }
}
