//! Poses that align features of two bodies, exactly or within a few roundings.

use super::pair::{Arrangement, Pair};
use super::pool::Member;
use crate::Random;
use clearance_geometry::{EdgeId, FaceId, Polytope, Pose};
use glam::{DMat3, DQuat, DVec3};

/// What is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// A face of each, opposite.
    ParallelFaces,
    /// A face of each, off opposite by a few roundings.
    NearlyParallelFaces,
    /// An edge of each, parallel, their outward sides opposite.
    ParallelEdges,
    /// An edge of each, off parallel by a few roundings.
    NearlyParallelEdges,
    /// An edge of B in the plane of a face of A.
    EdgeAlongFace,
    /// A corner of B on a face of A.
    VertexOnFace,
    /// A corner of B on an edge of A.
    VertexOnEdge,
    /// A corner of B on a corner of A.
    VertexOnVertex,
    /// Edges that cross in a point.
    CrossingEdges,
    /// The same body twice, not turned or turned back onto itself, shifted a little or not at all.
    Identical,
    /// The same body twice, shifted along an edge, a face normal or a corner.
    Twins,
    /// B's middle inside A, on a face of A.
    MiddleOnFace,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::ParallelFaces,
        Self::NearlyParallelFaces,
        Self::ParallelEdges,
        Self::NearlyParallelEdges,
        Self::EdgeAlongFace,
        Self::VertexOnFace,
        Self::VertexOnEdge,
        Self::VertexOnVertex,
        Self::CrossingEdges,
        Self::Identical,
        Self::Twins,
        Self::MiddleOnFace,
    ];
}

/// A place on a body's boundary with an outward direction and one along the feature.
#[derive(Clone, Copy)]
struct Spot {
    point: DVec3,
    outward: DVec3,
    along: DVec3,
}

/// Two bodies posed for trouble; `b` is replaced by `a` where the trouble is being the same.
pub fn troubled_pair<'a>(a: &'a Member, b: &'a Member, trouble: Trouble, random: &mut Random) -> Pair<'a> {
    let b = if matches!(trouble, Trouble::Identical | Trouble::Twins) { a } else { b };
    let pose_ab = match trouble {
        Trouble::Identical => identical(a, random),
        Trouble::Twins => twins(a, random),
        _ => facing(a, b, trouble, random),
    };
    Pair { a, b, pose_ab, arrangement: Arrangement::Troubled(trouble) }
}

fn identical(a: &Member, random: &mut Random) -> Pose {
    let shift = match random.index(4) {
        0 => DVec3::ZERO,
        1 => a.radius * f64::EPSILON * random.in_ball() * 8.0,
        2 => a.radius * random.log_uniform(-14.0, -1.0) * random.direction(),
        _ => a.radius * random.log_uniform(-14.0, 0.0) * *random.pick(&[DVec3::X, DVec3::Y, DVec3::Z]),
    };
    Pose::from_translation(shift).unwrap_or_default()
}

/// Shifted by the difference of two corners (they share corners or edges), or along a face normal by
/// the whole thickness (face to face).
fn twins(a: &Member, random: &mut Random) -> Pose {
    let shift = if a.body.face_count() > 0 && random.chance(0.5) {
        let normal = a.body.plane(FaceId(random.index(a.body.face_count()) as u32)).normal;
        let heights = a.vertices.iter().map(|v| (*v - a.middle).dot(normal));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        normal * (high - low) + gap(a.radius, random) * normal
    } else {
        *random.pick(&a.vertices) - *random.pick(&a.vertices)
    };
    Pose::from_translation(shift).unwrap_or_default()
}

/// Zero, a few roundings, or some part of the size; either sign.
fn gap(size: f64, random: &mut Random) -> f64 {
    let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
    match random.index(4) {
        0 => 0.0,
        1 => sign * size * f64::EPSILON * random.uniform(0.0, 32.0),
        2 => sign * size * random.log_uniform(-14.0, -2.0),
        _ => sign * size * random.log_uniform(-2.0, 0.3),
    }
}

fn facing(a: &Member, b: &Member, trouble: Trouble, random: &mut Random) -> Pose {
    let (spot_a, spot_b) = match trouble {
        Trouble::ParallelFaces | Trouble::NearlyParallelFaces => (face_spot(a, random), face_spot(b, random)),
        Trouble::ParallelEdges | Trouble::NearlyParallelEdges | Trouble::CrossingEdges => {
            (edge_spot(a, random), edge_spot(b, random))
        }
        Trouble::EdgeAlongFace => (face_spot(a, random), edge_spot(b, random)),
        Trouble::VertexOnFace => (face_spot(a, random), vertex_spot(b, random)),
        Trouble::VertexOnEdge => (edge_spot(a, random), vertex_spot(b, random)),
        Trouble::MiddleOnFace => (face_spot(a, random), Spot { point: b.middle, ..vertex_spot(b, random) }),
        _ => (vertex_spot(a, random), vertex_spot(b, random)),
    };
    // B's outward direction against A's, their `along`s parallel or, for crossing edges, turned.
    let crossing = if trouble == Trouble::CrossingEdges { random.uniform(0.1, 1.5) } else { 0.0 };
    let frame_b = frame(spot_b.outward, spot_b.along);
    let turn = DMat3::from_axis_angle(DVec3::Z, crossing);
    let flipped = DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0));
    let mut rotation = frame(spot_a.outward, spot_a.along) * turn * flipped * frame_b.transpose();
    if matches!(trouble, Trouble::NearlyParallelEdges | Trouble::NearlyParallelFaces) {
        let tiny = random.direction() * (f64::EPSILON * random.uniform(0.5, 16.0));
        rotation = DMat3::from_quat(DQuat::from_xyzw(tiny.x, tiny.y, tiny.z, 1.0)) * rotation;
    }
    let pose = Pose::from_matrix(rotation, DVec3::ZERO).unwrap_or_default();
    let apart = gap(a.radius.min(b.radius), random);
    pose.with_translation(spot_a.point - pose.rotate(spot_b.point) + spot_a.outward * apart)
}

/// Orthonormal columns: along, outward × along, outward.
fn frame(outward: DVec3, along: DVec3) -> DMat3 {
    let y = outward.cross(along).normalize_or(outward.any_orthonormal_vector());
    let x = y.cross(outward).normalize();
    DMat3::from_cols(x, y, outward)
}

fn vertex_spot(member: &Member, random: &mut Random) -> Spot {
    let point = *random.pick(&member.vertices);
    let outward = (point - member.middle).normalize_or(random.direction());
    Spot { point, outward, along: outward.any_orthonormal_vector() }
}

fn edge_spot(member: &Member, random: &mut Random) -> Spot {
    let body: &Polytope = &member.body;
    if body.edge_count() == 0 {
        return vertex_spot(member, random);
    }
    let edge = body.edge(EdgeId(random.index(body.edge_count()) as u32));
    let along = edge.vector.normalize();
    let outward = if body.face_count() > 0 {
        body.plane(edge.faces[0]).normal + body.plane(edge.faces[1]).normal
    } else {
        random.direction()
    };
    let outward = outward.reject_from_normalized(along).normalize_or(along.any_orthonormal_vector());
    // The middle, an end, or anywhere between.
    let part = *random.pick(&[0.0, 0.5, 1.0, 0.25]);
    Spot { point: body.body_vertex(edge.vertices[0]) + edge.vector * part, outward, along }
}

fn face_spot(member: &Member, random: &mut Random) -> Spot {
    let body: &Polytope = &member.body;
    if body.face_count() == 0 {
        return edge_spot(member, random);
    }
    let face = FaceId(random.index(body.face_count()) as u32);
    let sides = body.sides(face);
    let corner = |i: usize| body.body_vertex(sides[i % sides.len()].vertex);
    let start = random.index(sides.len());
    let (first, second, third) = (corner(start), corner(start + 1), corner(start + 2));
    // Inside, on a side, or on a corner of the face.
    let weights = *random.pick(&[DVec3::new(0.5, 0.25, 0.25), DVec3::new(0.5, 0.5, 0.0), DVec3::X]);
    let point = first + weights.y * (second - first) + weights.z * (third - first);
    Spot { point, outward: body.plane(face).normal, along: (second - first).normalize() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Family, Solid};

    #[test]
    fn parallel_faces_are_parallel() {
        let mut random = Random::new(6);
        let cube = Member::new(Family::Box, 0, 0.0, Solid::cuboid(DVec3::ONE).polytope().unwrap());
        for _ in 0..100 {
            let pair = troubled_pair(&cube, &cube, Trouble::ParallelFaces, &mut random);
            let turned = pair.pose_ab.rotation();
            let sharpest = (0..3).map(|i| turned.col(i).abs().max_element()).fold(f64::INFINITY, f64::min);
            // Some axis of B is along an axis of A.
            assert!(turned.to_cols_array().iter().any(|e| e.abs() > 1.0 - 1e-15), "{sharpest}");
        }
    }
}
