//! Bodies built so that the answer is known: choose the witnesses and the normal first, then grow bodies
//! behind them.
//!
//! In the frame of planting the normal is +z and A's witness the origin: A lies in z ≤ 0 and reaches 0 with
//! the wanted feature only, B lies in z ≥ s and reaches s with its own. For overlap (s < 0) both are made
//! wide and tall against |s|, so that no other direction is a shorter way out; that is possible only
//! where the features make a facet of the Minkowski difference (corner–face, edge–edge, and flatter pairs).

use crate::Random;
use clearance_geometry::{Polytope, Pose};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};

/// Dimension of a planted feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tip {
    /// A corner.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
}

/// How the planted bodies stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stand {
    /// A positive distance apart.
    Separated,
    /// In contact.
    Touching,
    /// Overlapping.
    Penetrating,
}

/// Two bodies with the answer.
#[derive(Clone, Debug)]
pub struct Planted {
    /// First body.
    pub a: Polytope,
    /// Second body.
    pub b: Polytope,
    /// Pose of B in the frame of A.
    pub pose_ab: Pose,
    /// Features that meet.
    pub tips: [Tip; 2],
    /// Signed distance.
    pub signed_distance: f64,
    /// Unit normal from A to B, in the frame of A.
    pub normal: DVec3,
    /// The witnesses in the frame of A, where they are the only ones.
    pub witnesses: Option<[DVec3; 2]>,
    /// Size of the numbers that were rounded while the bodies were made; a length.
    pub scale: f64,
}

/// All pairs of features that can be closest in a state.
pub fn possible(stand: Stand) -> Vec<[Tip; 2]> {
    let tips = [Tip::Vertex, Tip::Edge, Tip::Face];
    let dimensions = |pair: &[Tip; 2]| pair[0] as usize + pair[1] as usize;
    let all = tips.iter().flat_map(|&a| tips.iter().map(move |&b| [a, b]));
    all.filter(|pair| stand != Stand::Penetrating || dimensions(pair) >= 2).collect()
}

/// Plants two bodies of about unit size times `size`.
///
/// # Panics
/// When a body cannot be built, which is a finding about the hull.
pub fn plant(tips: [Tip; 2], stand: Stand, size: f64, random: &mut Random) -> Planted {
    let signed_distance = match stand {
        Stand::Separated => random.log_uniform(-6.0, 3.0),
        Stand::Touching => 0.0,
        Stand::Penetrating => -random.log_uniform(-6.0, -1.0),
    };
    // Overlapping bodies need flanks that fall off far enough outside; others may be sharp.
    let width = if stand == Stand::Penetrating { random.uniform(1.5, 2.5) } else { random.uniform(0.3, 2.0) };
    let points_a = grow(tips[0], width, random);
    // B grows the other way; crossing edges cross at a right angle at most and 0.2 at least.
    let crossing = DMat3::from_rotation_z(random.uniform(0.2, PI - 0.2));
    let points_b: Vec<DVec3> = grow(tips[1], width, random)
        .iter()
        .map(|&p| crossing * DVec3::new(p.x, p.y, -p.z) + DVec3::Z * signed_distance)
        .collect();

    // The frame of A, and B's own frame somewhere else.
    let pose_a = Pose::new(random.quaternion(), random.in_ball()).unwrap_or_default();
    let pose_b = Pose::new(random.quaternion(), 3.0 * random.in_ball()).unwrap_or_default();
    let seen = |points: &[DVec3], pose: &Pose| -> Vec<DVec3> {
        points.iter().map(|&p| size * pose.apply_inverse(p)).collect()
    };
    let (corners_a, corners_b) = (seen(&points_a, &pose_a), seen(&points_b, &pose_b));
    let pose_ab = Pose::between(&pose_a, &pose_b);
    let pose_ab = pose_ab.with_translation(size * pose_ab.translation());
    let build =
        |corners: &[DVec3]| Polytope::from_points(corners).unwrap_or_else(|e| panic!("{e}: {corners:?}"));
    let (a, b) = (build(&corners_a), build(&corners_b));
    let largest = |points: &[DVec3]| points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let only_one = tips[0] as usize + tips[1] as usize <= 2;
    let witness = |z: f64| size * pose_a.apply_inverse(DVec3::Z * z);
    Planted {
        scale: largest(&corners_a) + largest(&corners_b) + pose_ab.translation().length(),
        a,
        b,
        pose_ab,
        tips,
        signed_distance: size * signed_distance,
        normal: pose_a.rotate_inverse(DVec3::Z),
        witnesses: only_one.then(|| [witness(0.0), witness(signed_distance)]),
    }
}

/// Points in z ≤ 0 whose hull reaches z = 0 with the tip alone, around the origin.
fn grow(tip: Tip, width: f64, random: &mut Random) -> Vec<DVec3> {
    let mut points = Vec::new();
    match tip {
        Tip::Vertex => points.push(DVec3::ZERO),
        Tip::Edge => points.extend([DVec3::X * width, DVec3::X * -width * random.uniform(0.5, 1.0)]),
        Tip::Face => {
            let corners = 3 + random.index(6);
            let start = random.uniform(0.0, TAU);
            // Evenly around, each moved by less than a quarter of the gap, so that the origin is inside.
            points.extend((0..corners).map(|i| {
                let angle = start + TAU * (i as f64 + random.uniform(-0.2, 0.2)) / corners as f64;
                DVec3::new(angle.cos(), angle.sin(), 0.0) * width
            }));
        }
    }
    // The rest lies well below the tip's plane, around the axis and out to the sides.
    let below = 4 + random.index(12);
    let start = random.uniform(0.0, TAU);
    for i in 0..below {
        let angle = start + TAU * (i as f64 + random.uniform(-0.3, 0.3)) / below as f64;
        let radius = width * random.uniform(1.0, 1.5);
        let depth = width * random.uniform(1.0, 2.0);
        points.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), -depth));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Placement, SmallHull, facet_separation, separation};
    use clearance_geometry::VertexId;

    fn corners(body: &Polytope) -> Vec<DVec3> {
        (0..body.vertex_count()).map(|i| body.body_vertex(VertexId(i as u32))).collect()
    }

    /// The planted normal proves the planted distance, and for overlap no facet direction is better.
    #[test]
    fn planted_answers_agree_with_the_oracles() {
        let mut random = Random::new(61);
        for stand in [Stand::Separated, Stand::Touching, Stand::Penetrating] {
            for tips in possible(stand) {
                for _ in 0..10 {
                    let planted = plant(tips, stand, 1.0, &mut random);
                    let (a, b) = (corners(&planted.a), corners(&planted.b));
                    let place = Placement::from(&planted.pose_ab);
                    let slack = 32.0 * f64::EPSILON * planted.scale;
                    let proven = separation(&a, &b, &place, planted.normal);
                    assert!((proven - planted.signed_distance).abs() <= slack, "{stand:?} {tips:?}");
                    if stand == Stand::Penetrating {
                        let best =
                            facet_separation(&SmallHull::new(&a), &SmallHull::new(&b), &place).unwrap();
                        assert!((best.value - proven).abs() <= slack, "{tips:?} {} {proven}", best.value);
                    }
                }
            }
        }
    }
}
