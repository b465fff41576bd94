//! All closest points of two convex polygons, where they are not unique.
//!
//! Source: as the solid one: the pairs are where the supporting corners and edges along the normal
//! overlap when seen along it.
//! Differs: corners count as supporting within `SUPPORT_TIE_REL` of the body's size.
//! Ends because: one pass over the corners.
//! Cost: O(corners).
//! Not promised: which of several equally short ways out, when overlapping bodies have several; the locus
//! belongs to the answer's normal.

use super::PlanarProximity;
use crate::tolerance;
use clearance_geometry::{DVec2, PlanarPose, Polygon};

/// The set of closest pairs of an answer, or of the contact pairs at the end of the penetration vector.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarLocus {
    /// Pairs of points on A and B, in the frame of A: one where the closest points are unique, else the two
    /// ends of a segment.
    pub pairs: Vec<[DVec2; 2]>,
    /// Dimensions of the supporting flats of A and B along the normal: 0 corner, 1 edge.
    pub dimensions: [usize; 2],
    /// Whether the witnesses lie in the relative interior of both flats.
    pub is_interior: bool,
}

/// Finds the closest pairs that go with an answer for B at `pose_ab`.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::planar;
/// let square = Polygon::rectangle(DVec2::ONE)?;
/// let pose_ab = PlanarPose::from_translation(DVec2::new(3.0, 0.5))?;
/// let answer = planar::distance(&square, &square, &pose_ab);
/// assert_eq!(planar::locus(&square, &square, &pose_ab, &answer).pairs.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locus(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose, answer: &PlanarProximity) -> PlanarLocus {
    let [start_a, start_b] = answer.witnesses.map(|witness| witness.point);
    let along = answer.normal.perp();
    let (range_a, slack_a) = supporting(a, &PlanarPose::IDENTITY, answer.normal, along, start_a);
    let (range_b, slack_b) = supporting(b, pose_ab, -answer.normal, along, start_b);
    let dimension = |range: [f64; 2], slack: f64| usize::from(range[1] - range[0] > slack);
    let (from, to) = (range_a[0].max(range_b[0]), range_a[1].min(range_b[1]));
    let pairs = if to - from > slack_a.max(slack_b) {
        [from, to].map(|at| [start_a + along * at, start_b + along * at]).to_vec()
    } else {
        vec![[start_a, start_b]]
    };
    let dimensions = [dimension(range_a, slack_a), dimension(range_b, slack_b)];
    let surrounds = |range: [f64; 2], slack: f64| range[0] < -slack && slack < range[1];
    let is_interior = (dimensions[0] == 0 || surrounds(range_a, slack_a))
        && (dimensions[1] == 0 || surrounds(range_b, slack_b));
    PlanarLocus { pairs, dimensions, is_interior }
}

/// The extent of the corners farthest out, measured along the edge direction from `start`, and its slack.
fn supporting(body: &Polygon, pose: &PlanarPose, out: DVec2, along: DVec2, start: DVec2) -> ([f64; 2], f64) {
    let offset = pose.translation().length() + body.anchor().length();
    let slack = tolerance::SUPPORT_TIE_REL * 2.0 * body.radius() + tolerance::TOUCH_REL * offset;
    let local = pose.rotate_inverse(out);
    let highest = body.vertices().iter().fold(f64::NEG_INFINITY, |most, corner| most.max(local.dot(*corner)));
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for corner in body.vertices().iter().filter(|corner| local.dot(**corner) >= highest - slack) {
        let at = along.dot(pose.apply(*corner + body.anchor()) - start);
        range = [range[0].min(at), range[1].max(at)];
    }
    (range, slack)
}
