//! The closest features of two convex bodies that are apart.
//!
//! Source: Gilbert, Johnson and Keerthi (1988) on farthest points, as in `polytope::gjk`.
//! Differs: GJK converges slowly on curved bodies, so that its corners only have to say which features are closest:
//! the angle by which its direction can be off follows from its own gap, and only features that may be perpendicular
//! to the true direction are tried, by Newton's method on the pair. What proves the result is the separation along
//! its normal.
//! Ends because: each round closes the gap, adds a corner that lowers the distance, or stops; rounds are counted.
//! Cost: three to six rounds and one or two runs of Newton's method.
//! Not promised: a closed gap where rounding stops both; the caller measures it.

use super::newton::{Contact, Pair};
use crate::Work;
use crate::polytope::{Corner, Simplex};
use crate::tolerance;
use clearance_geometry::convex::Farthest;
use clearance_geometry::{DVec3, Feature, Tolerance};

/// Rounds of GJK.
const ROUNDS: u32 = 100;

/// How the search ended; of the cores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// Apart, with the closest points and their features.
    Apart { contact: Contact, limit: bool },
    /// Apart, with points that are not known to be on their features.
    Rough { contact: Contact, limit: bool },
    /// The cores meet, or are so close that rounding cannot tell.
    Meeting(Meeting),
}

/// What is known of cores that meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// A direction out of A toward B.
    pub(crate) toward: DVec3,
    /// A point of both, within rounding.
    pub(crate) common: DVec3,
    /// A way out that was met in passing.
    pub(crate) contact: Option<Contact>,
}

/// The farthest points that made a corner.
#[derive(Clone, Copy, Debug)]
struct Ends {
    a: Farthest,
    b: Farthest,
}

/// Corners with the farthest points behind them.
struct Corners {
    simplex: Simplex,
    ends: [Ends; 5],
}

impl Corners {
    fn new(first: Ends, pair: &Pair<'_>) -> Self {
        let mut corners = Self { simplex: Simplex::default(), ends: [first; 5] };
        corners.push(first, pair);
        corners
    }

    fn push(&mut self, ends: Ends, pair: &Pair<'_>) {
        let free = |slot: &u32| self.simplex.corners().iter().all(|corner| corner.a != *slot);
        let slot = (0..5).find(free).unwrap_or(0);
        self.ends[slot as usize] = ends;
        let w = ends.a.point - pair.pose.apply(ends.b.point);
        self.simplex.push(Corner { w, a: slot, b: slot });
    }

    /// The end of the search where the origin lies in the corners' hull.
    fn meeting(&self, toward: DVec3, contact: Option<Contact>) -> Outcome {
        let [a, b, c, d] = self.simplex.corners.map(|corner| corner.w);
        let mut weights = self.simplex.weights;
        if self.simplex.len == 4 {
            let volume = |p: DVec3, q: DVec3, r: DVec3| p.dot(q.cross(r));
            let shares = [volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)];
            let sum: f64 = shares.iter().sum();
            weights = shares.map(|share| if sum == 0.0 { 0.25 } else { share / sum });
        }
        let mut common = DVec3::ZERO;
        for (corner, weight) in self.simplex.corners().iter().zip(weights) {
            common += self.ends[corner.a as usize].a.point * weight;
        }
        Outcome::Meeting(Meeting { toward, common, contact })
    }

    /// The farthest points that carry the nearest point, heaviest first, and the two points that they make.
    fn carried(&self) -> ([Ends; 4], usize, [DVec3; 2]) {
        let mut list = [self.ends[0]; 4];
        let mut points = [DVec3::ZERO; 2];
        let mut count = 0;
        let mut order = [0, 1, 2, 3];
        let weight = |i: usize| self.simplex.weights[i];
        let len = self.simplex.len.min(4);
        order[..len].sort_unstable_by(|&i, &j| weight(j).total_cmp(&weight(i)));
        for &i in &order[..len] {
            let ends = self.ends[self.simplex.corners[i].a as usize];
            points[0] += ends.a.point * weight(i);
            points[1] += ends.b.point * weight(i);
            if weight(i) > tolerance::LEAN_REL || count == 0 {
                list[count] = ends;
                count += 1;
            }
        }
        (list, count, points)
    }
}

impl Pair<'_> {
    /// The farthest points of A along the unit vector `n` and of B against it.
    #[inline]
    fn ends(&self, n: DVec3) -> Ends {
        Ends { a: self.a.farthest(n), b: self.b.farthest(-self.pose.rotate_inverse(n)) }
    }

    /// The separation of the cores along the unit vector `n`, in plain arithmetic.
    #[inline]
    fn separation(&self, n: DVec3, ends: &Ends) -> f64 {
        n.dot(self.pose.apply(ends.b.point) - ends.a.point)
    }

    /// The closest features, from scratch.
    pub(crate) fn search(&self, work: &mut Work) -> Outcome {
        let touch = Tolerance::for_size(self.scale).length();
        let start = self.pose.apply(self.b.center()) - self.a.center();
        let start = start.normalize_or(DVec3::Z);
        let mut corners = Corners::new(self.ends(start), self);
        work.supports += 1;
        let mut toward = start;
        let mut inner = None;
        let (mut lower, mut last_sq) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut found = corners.simplex.nearest();
        loop {
            let Some(nearest) = found else { return corners.meeting(toward, inner) };
            let length_sq = nearest.length_squared();
            let length = length_sq.sqrt();
            // Written so that NaN meets.
            if !(length > touch) {
                return self.last_attempt(&corners, toward, inner, work);
            }
            let n = nearest / -length;
            toward = n;
            work.iterations += 1;
            let stuck = length_sq >= last_sq;
            last_sq = length_sq;
            let ends = self.ends(n);
            work.supports += 1;
            lower = lower.max(self.separation(n, &ends));
            let gap = (length - lower).max(0.0);
            let limit = work.iterations >= ROUNDS;
            let ending = stuck || limit || gap <= touch;
            // |v − v*|² ≤ |v|² − |v*|² for the nearest point v* of a convex set and any other point v of it.
            let off = (2.0 * gap / length).sqrt() + tolerance::LEAN_REL;
            if inner.is_none()
                && off < 1.0
                && (work.iterations >= 2 || ending)
                && let Some(contact) = self.attempt(&corners, n, off, work)
            {
                if contact.signed > -tolerance::CURVED_GAP_REL * self.scale {
                    return Outcome::Apart { contact, limit: false };
                }
                // Along this direction they overlap; whether in all, the corners will tell.
                inner = Some(contact);
            }
            if ending {
                return match self.last_attempt(&corners, toward, inner, work) {
                    Outcome::Meeting(_) if lower > 0.0 => self.rough(&corners, n, limit),
                    outcome => outcome,
                };
            }
            corners.push(ends, self);
            found = corners.simplex.nearest_with_newest();
        }
    }

    /// Where rounding hides whether the cores are apart: whatever features the corners suggest, along any direction.
    #[cold]
    fn last_attempt(&self, corners: &Corners, n: DVec3, inner: Option<Contact>, work: &mut Work) -> Outcome {
        let inner = inner.or_else(|| self.attempt(corners, n, 1.0, work));
        match inner {
            Some(contact) if contact.signed > -tolerance::CURVED_GAP_REL * self.scale => {
                Outcome::Apart { contact, limit: false }
            }
            _ => corners.meeting(n, inner),
        }
    }

    /// Tries the features that may be closest, where the direction may be off by an angle; `None` unless some prove
    /// to be.
    fn attempt(&self, corners: &Corners, n: DVec3, off: f64, work: &mut Work) -> Option<Contact> {
        let (carried, count, points) = corners.carried();
        let (found_a, found_b) = (carried.map(|ends| ends.a), carried.map(|ends| ends.b));
        let seen_b = -self.pose.rotate_inverse(n);
        let list_a = self.a.candidates(&found_a[..count], n, off, points[0]);
        let list_b = self.b.candidates(&found_b[..count], seen_b, off, points[1]);
        let most = if work.iterations > 4 || off >= 1.0 { 4 } else { 2 };
        for &a in list_a.list().iter().take(most) {
            for &b in list_b.list().iter().take(most) {
                if let Some(contact) = self.try_features(a, b, n, work) {
                    return Some(contact);
                }
            }
        }
        None
    }

    /// One pair of features: a contact that proves itself, or nothing.
    fn try_features(
        &self,
        a: (Feature, DVec3),
        b: (Feature, DVec3),
        n: DVec3,
        work: &mut Work,
    ) -> Option<Contact> {
        work.moves += 1;
        let contact = self.polish([a.0, b.0], [a.1, b.1], n, false)?;
        (self.is_within(&contact) && self.proves(&contact)).then_some(contact)
    }

    /// Whether the points lie within their features.
    pub(crate) fn is_within(&self, contact: &Contact) -> bool {
        let slack = Tolerance::for_size(self.scale).length();
        self.a.holds(contact.features[0], contact.at[0], slack)
            && self.b.holds(contact.features[1], contact.at[1], slack)
    }

    /// Whether the separation along the normal is the signed distance, within the gap that is accepted.
    pub(crate) fn proves(&self, contact: &Contact) -> bool {
        let ends = self.ends(contact.normal);
        let separation = self.separation(contact.normal, &ends);
        contact.signed - separation <= tolerance::CURVED_GAP_REL * self.scale
    }

    /// What GJK alone knows: points inside the bodies and, where there are some, the features that hold them.
    #[cold]
    fn rough(&self, corners: &Corners, n: DVec3, limit: bool) -> Outcome {
        let (carried, count, [a, b]) = corners.carried();
        let ends = carried[0];
        let (found_a, found_b) = (carried.map(|ends| ends.a), carried.map(|ends| ends.b));
        let named = |features: [Feature; 2], at: [DVec3; 2], points: [DVec3; 2]| {
            let between = points[1] - points[0];
            let signed = between.length();
            // The corners of slivers have rough weights: the distance is that of the points, along the line between them.
            let normal = if signed > 0.0 { between / signed } else { n };
            Contact { features, at, points, normal, signed }
        };
        // Points are as close to where they belong as the root of what the distance is off.
        let slack = tolerance::CERTIFIED_REL.sqrt() * self.scale;
        let seen_b = -self.pose.rotate_inverse(n);
        let held = (
            self.a.feature_among(&found_a[..count], a, n, slack),
            self.b.feature_among(&found_b[..count], b, seen_b, slack),
        );
        if let (Some((of_a, at_a)), Some((of_b, at_b))) = held {
            let points = [self.a.point(of_a, at_a), self.pose.apply(self.b.point(of_b, at_b))];
            return Outcome::Apart { contact: named([of_a, of_b], [at_a, at_b], points), limit };
        }
        let contact =
            named([ends.a.feature, ends.b.feature], [ends.a.at, ends.b.at], [a, self.pose.apply(b)]);
        Outcome::Rough { contact, limit }
    }
}
