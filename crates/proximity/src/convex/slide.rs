//! The nearest points of two features that are apart, from points close to them.
//!
//! Source: Newton's method on half the squared distance (004 §3).
//! Differs: the last step is taken without a look at what it leaves, where that is too little to be seen in the distance.
//! Ends because: steps are counted.
//! Cost: two jets and one system of four unknowns a step; one or two steps are typical.
//! Not promised: an answer where features meet or are parallel; that the features are the closest ones, or hold the points.

use super::newton::{Contact, Pair};
use super::solve::solve_definite;
use crate::tolerance;
use clearance_geometry::convex::LocalJet;
use clearance_geometry::{DVec3, Feature};

/// Newton steps.
const STEPS: usize = 4;

impl Pair<'_> {
    /// Runs from states on two features; `None` where it does not settle.
    #[inline]
    pub(crate) fn slide(&self, features: [Feature; 2], mut at: [DVec3; 2]) -> Option<Contact> {
        let steps =
            if features.iter().all(|feature| matches!(feature, Feature::Vertex(_))) { 0 } else { STEPS };
        let mut settled = steps == 0;
        for _ in 0..steps {
            let (f, g) = (self.a.jet(features[0], at[0]), self.b.jet(features[1], at[1]));
            let Step { by, way_sq, distance_sq } = self.step_of(&f, &g)?;
            // A plane across the end of a straight line falls off by its length times the angle, not by a square.
            let straight = is_straight(&f) || is_straight(&g);
            let last =
                if straight { tolerance::NEWTON_LAST_STEP_REL } else { tolerance::SLIDE_LAST_STEP_REL };
            let enough = last * last * self.scale;
            at[0] = self.a.stepped(features[0], at[0], [by[0], by[1]]);
            at[1] = self.b.stepped(features[1], at[1], [by[2], by[3]]);
            // What is left of the points is the square of the step over the size; of the normal, that over the distance.
            settled = way_sq * way_sq <= enough * enough * distance_sq;
            if settled {
                break;
            }
        }
        if !settled {
            return None;
        }
        let points = [self.a.point(features[0], at[0]), self.pose.apply(self.b.point(features[1], at[1]))];
        self.contact(features, at, points)
    }

    /// The contact between two points, if their distance tells its direction well.
    #[inline]
    pub(super) fn contact(
        &self,
        features: [Feature; 2],
        at: [DVec3; 2],
        points: [DVec3; 2],
    ) -> Option<Contact> {
        let between = points[1] - points[0];
        let signed = between.length();
        // Written so that NaN is left to the signed system.
        if !(signed > self.apart()) {
            return None;
        }
        Some(Contact { features, at, points, normal: between / signed, signed })
    }

    /// Beyond this distance the points tell their direction well; a length.
    #[inline]
    pub(crate) fn apart(&self) -> f64 {
        tolerance::GAP_REL.sqrt() * self.scale
    }

    /// One step from two jets, each in the frame of its body; `None` where the distance is not convex there.
    #[inline]
    fn step_of(&self, f: &LocalJet, g: &LocalJet) -> Option<Step> {
        let apart = self.pose.apply(g.point) - f.point;
        let seen_b = self.pose.rotate_inverse(apart);
        let [p, q] = f.first;
        let (r, s) = (self.pose.rotate(g.first[0]), self.pose.rotate(g.first[1]));
        let metric = [p.length_squared(), q.length_squared(), r.length_squared(), s.length_squared()];
        let mut matrix = [
            [metric[0] - apart.dot(f.second[0]), 0.0, 0.0, 0.0],
            [p.dot(q) - apart.dot(f.second[1]), metric[1] - apart.dot(f.second[2]), 0.0, 0.0],
            [-r.dot(p), -r.dot(q), metric[2] + seen_b.dot(g.second[0]), 0.0],
            [-s.dot(p), -s.dot(q), r.dot(s) + seen_b.dot(g.second[1]), metric[3] + seen_b.dot(g.second[2])],
        ];
        let mut by = [p.dot(apart), q.dot(apart), -r.dot(apart), -s.dot(apart)];
        // Directions that a feature does not have: larger than any other entry, so that they decide nothing.
        let most = matrix[0][0].max(matrix[1][1]).max(matrix[2][2]).max(matrix[3][3]);
        if f.count < 2 {
            matrix[1][1] = most;
            if f.count == 0 {
                matrix[0][0] = most;
            }
        }
        if g.count < 2 {
            matrix[3][3] = most;
            if g.count == 0 {
                matrix[2][2] = most;
            }
        }
        solve_definite(&matrix, &mut by)?;
        let way = |i: usize| by[i] * by[i] * metric[i];
        let way_sq = way(0).max(way(1)).max(way(2).max(way(3)));
        Some(Step { by, way_sq, distance_sq: apart.length_squared() })
    }
}

/// A Newton step.
struct Step {
    by: [f64; 4],
    /// The square of how far a point goes by one parameter, at most.
    way_sq: f64,
    distance_sq: f64,
}

/// Whether a feature has straight lines in it.
#[inline]
fn is_straight(jet: &LocalJet) -> bool {
    match jet.count {
        0 => false,
        1 => jet.second[0] == DVec3::ZERO,
        _ => jet.second[2] == DVec3::ZERO || jet.second[0] == DVec3::ZERO,
    }
}
