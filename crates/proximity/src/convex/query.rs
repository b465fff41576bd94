//! Distance and depth of two convex bodies, at least one of them curved.
//!
//! Source: none; puts `search` and `depth` together.
//! Differs: nothing.
//! Ends because: both do.
//! Cost: theirs, and two upper bounds of heights for the certificate.
//! Not promised: closed gaps where a budget ended the search; the answer says so.

use super::depth::Memory;
use super::newton::{Contact, Pair};
use super::search::Outcome;
use super::solid::Solid;
use crate::tolerance;
use crate::{Certificate, Ended, Proximity, State, Witness, Work};
use clearance_geometry::{Body, DVec3, FaceId, Feature, HalfSpace, Pose, Tolerance};

/// Whether the body is one that [`distance`] takes: a polytope, a half-space, or a closed body with curved faces
/// that is known to be convex.
pub fn is_convex(body: &Body) -> bool {
    matches!(body, Body::HalfSpace(_)) || Solid::of(body).is_some()
}

/// Distance, witnesses, normal, features and parameters of B at `pose_ab` in the frame of A, both convex; minus the
/// penetration depth when they overlap. `None` where [`is_convex`] is false for one, and for two half-spaces.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::convex;
/// let (can, ball) = (Body::from(TiledBody::cylinder(1.0, 4.0)?), Body::from(TiledBody::sphere(0.5)?));
/// let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.0, 1.0))?;
/// let answer = convex::distance(&can, &ball, &pose_ab).unwrap();
/// assert!((answer.distance - 1.5).abs() < 1e-15);
/// assert_eq!(answer.witnesses[0].feature.to_string(), "face:0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(a: &Body, b: &Body, pose_ab: &Pose) -> Option<Proximity> {
    match (a, b) {
        (Body::HalfSpace(_), Body::HalfSpace(_)) => None,
        (Body::HalfSpace(half), _) => Some(from_half_space(half, &Solid::of(b)?, pose_ab)),
        (_, Body::HalfSpace(half)) => {
            let pose_ba = pose_ab.inverse();
            Some(from_half_space(half, &Solid::of(a)?, &pose_ba).swapped(&pose_ba))
        }
        _ => {
            let pair = Pair::of(a, b, pose_ab)?;
            Some(between(&pair, &mut Memory::default()).0)
        }
    }
}

/// A proven lower bound of the signed distance along the normal of an answer; `None` as for [`distance`].
pub(crate) fn certify(a: &Body, b: &Body, pose_ab: &Pose, answer: &Proximity) -> Option<Certificate> {
    match (a, b) {
        (Body::HalfSpace(_), _) | (_, Body::HalfSpace(_)) => match distance(a, b, pose_ab)?.ended {
            Ended::Certified(certificate) => Some(certificate),
            _ => None,
        },
        _ => {
            let pair = Pair::of(a, b, pose_ab)?;
            Some(Certificate { lower: separation_below(&pair, answer.normal), normal: answer.normal })
        }
    }
}

impl<'a> Pair<'a> {
    /// `None` where a body is not convex or not bounded.
    #[inline]
    pub(crate) fn of(a: &'a Body, b: &'a Body, pose_ab: &Pose) -> Option<Self> {
        Some(Self::new(Solid::of(a)?, Solid::of(b)?, pose_ab))
    }

    #[inline]
    pub(crate) fn new(a: Solid<'a>, b: Solid<'a>, pose_ab: &Pose) -> Self {
        let pose = pose_ab.with_translation(pose_ab.apply(b.anchor()) - a.anchor());
        let scale = a.reach() + a.radius() + b.reach() + b.radius() + pose.translation().length();
        let size = scale + a.anchor().length() + b.anchor().length();
        Self { a, b, pose, scale, size }
    }

    /// Both radii together: how far the cores may be apart when the bodies touch.
    #[inline]
    pub(crate) fn rounding(&self) -> f64 {
        self.a.radius() + self.b.radius()
    }

    /// The gap below which the bodies touch.
    pub(crate) fn touch(&self) -> f64 {
        tolerance::CURVED_TOUCH_REL * self.size
    }

    /// Whether the separation along its normal is close enough to the distance of a contact to certify it.
    #[inline]
    pub(crate) fn certifies(&self, contact: &Contact, lower: f64) -> bool {
        contact.signed - self.rounding() - lower <= tolerance::CERTIFIED_REL * self.size
    }
}

/// The answer from scratch, and the contact behind it where the cores are apart.
pub(crate) fn between(pair: &Pair<'_>, memory: &mut Memory) -> (Proximity, Option<Contact>) {
    let mut work = Work::default();
    match pair.search(&mut work) {
        Outcome::Apart { contact, limit } => (apart(pair, &contact, limit, memory, work), Some(contact)),
        Outcome::Rough { contact, limit } => {
            let mut answer = apart(pair, &contact, limit, memory, work);
            // Whatever is proven of the distance: the witnesses are not on the features that they name.
            if let Ended::Certified(Certificate { lower, .. }) = answer.ended {
                answer.ended = Ended::Stalled { residual: answer.signed_distance - lower };
            }
            (answer, None)
        }
        Outcome::Meeting(meeting) => (super::depth::overlap(pair, &meeting, memory, work), None),
    }
}

/// The answer for cores that are apart; the bodies may overlap by their radii.
pub(crate) fn apart(
    pair: &Pair<'_>,
    contact: &Contact,
    limit: bool,
    memory: &mut Memory,
    work: Work,
) -> Proximity {
    apart_by(pair, contact, separation_at(pair, contact), limit, memory, work)
}

/// As [`apart`], with the separation along the normal.
#[inline(always)]
pub(crate) fn apart_by(
    pair: &Pair<'_>,
    contact: &Contact,
    lower: f64,
    limit: bool,
    memory: &mut Memory,
    work: Work,
) -> Proximity {
    let signed = contact.signed - pair.rounding();
    let ended = if pair.certifies(contact, lower) {
        Ended::Certified(Certificate { lower, normal: contact.normal })
    } else if limit {
        Ended::Limit
    } else {
        Ended::Stalled { residual: signed - lower }
    };
    let touch = pair.touch();
    let state = if signed > touch {
        State::Separated
    } else if signed >= -touch {
        State::Touching
    } else {
        super::containment::overlap_state(pair, contact.normal, -signed, memory)
    };
    answer(pair, contact, state, ended, work)
}

/// A proven lower bound of the signed distance of the bodies along `n`.
#[inline]
pub(crate) fn separation_below(pair: &Pair<'_>, n: DVec3) -> f64 {
    let seen_b = -pair.pose.rotate_inverse(n);
    separation_of(pair, n, [pair.a.height_above(n), pair.b.height_above(seen_b)])
}

/// The same for the normal of a contact, whose points are likely to be the farthest.
#[inline]
pub(crate) fn separation_at(pair: &Pair<'_>, contact: &Contact) -> f64 {
    let Contact { features, at, points, normal, .. } = contact;
    let seen_b = -pair.pose.rotate_inverse(*normal);
    let heights = [
        pair.a.height_above_known(*normal, (features[0], at[0]), || points[0]),
        pair.b.height_above_known(seen_b, (features[1], at[1]), || pair.pose.apply_inverse(points[1])),
    ];
    separation_of(pair, *normal, heights)
}

/// The same, where the heights are known that no point exceeds, each seen from its body.
#[inline]
fn separation_of(pair: &Pair<'_>, n: DVec3, [highest, toward]: [f64; 2]) -> f64 {
    let lowest = n.dot(pair.pose.translation()) - toward;
    let radii = pair.rounding();
    let rounding = tolerance::SUPPORT_ROUNDING_REL * pair.size;
    let separation = lowest - highest - radii - rounding;
    // n is a unit vector within rounding only.
    separation - separation.abs() * tolerance::SUPPORT_ROUNDING_REL
}

/// The answer with the witnesses of a contact between the cores.
#[inline(always)]
pub(crate) fn answer(
    pair: &Pair<'_>,
    contact: &Contact,
    state: State,
    ended: Ended,
    work: Work,
) -> Proximity {
    let n = contact.normal;
    let anchor = pair.a.anchor();
    let (feature_a, parameters_a) = pair.a.witness(contact.features[0], contact.at[0], n);
    let seen_b = -pair.pose.rotate_inverse(n);
    let (feature_b, parameters_b) = pair.b.witness(contact.features[1], contact.at[1], seen_b);
    let points =
        [contact.points[0] + n * pair.a.radius() + anchor, contact.points[1] - n * pair.b.radius() + anchor];
    let signed = contact.signed - pair.rounding();
    let signed_distance = if state == State::Touching { 0.0 } else { signed };
    Proximity {
        state,
        distance: signed_distance.max(0.0),
        signed_distance,
        witnesses: [
            Witness { point: points[0], feature: feature_a, leaf: 0, parameters: parameters_a },
            Witness { point: points[1], feature: feature_b, leaf: 0, parameters: parameters_b },
        ],
        normal: n,
        ended,
        work,
    }
}

/// A half-space A against a body B, in the frame of A.
fn from_half_space(half: &HalfSpace, b: &Solid<'_>, pose_ab: &Pose) -> Proximity {
    let plane = half.plane();
    let n = plane.normal;
    let down = -pose_ab.rotate_inverse(n);
    let far = b.farthest(down);
    let anchor = pose_ab.apply(b.anchor());
    let height = plane.distance(anchor) + n.dot(pose_ab.rotate(far.point)) - b.radius();
    let size = b.reach() + b.radius() + anchor.abs().max_element() + plane.offset.abs();
    let touch = Tolerance::for_size(size).length();
    let rounding = 2.0 * tolerance::SUPPORT_ROUNDING_REL * size;
    let lower = plane.distance(anchor) - b.height_above(down) - b.radius() - rounding;
    let highest = plane.distance(anchor) + b.height_above(-down) + b.radius();
    let state = if height > touch {
        State::Separated
    } else if height >= -touch {
        State::Touching
    } else if highest <= touch + rounding {
        State::BInsideA
    } else {
        State::Penetrating
    };
    let signed_distance = if state == State::Touching { 0.0 } else { height };
    let (feature, parameters) = b.witness(far.feature, far.at, down);
    let point = anchor + pose_ab.rotate(far.point) - n * b.radius();
    Proximity {
        state,
        distance: signed_distance.max(0.0),
        signed_distance,
        witnesses: [
            Witness::flat(point - n * signed_distance, Feature::Face(FaceId(0))),
            Witness { point, feature, leaf: 0, parameters },
        ],
        normal: n,
        ended: Ended::Certified(Certificate { lower, normal: n }),
        work: Work { iterations: 1, supports: 1, ..Work::default() },
    }
}
