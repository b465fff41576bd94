//! What the runs about curved pairs share: a drawn pair, the production answer, the lengths it is held to.

use super::kind;
use crate::tally::Failure;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, FaceId, LeafShape, Pose};
use clearance_proximity::global::Prepared;
use clearance_proximity::{Precision, Proximity, Scratch, State, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, CurvedFamily, CurvedPair, Stand, curved_pair};

/// Pairs of parts that a search may look at; more at a generic pose is a failure.
const MAX_PAIRS: u64 = 60_000;

/// What every search is asked for.
pub(super) fn precision() -> Precision {
    Precision { max_pairs: Some(MAX_PAIRS), ..Precision::default() }
}

/// A pair with what it was drawn from.
pub(super) struct CurvedCase {
    pub(super) family: CurvedFamily,
    pub(super) pair: CurvedPair,
    /// The gap that was made between them, in sizes.
    pub(super) gap: Option<f64>,
    pub(super) random: Random,
}

impl CurvedCase {
    /// Families take turns.
    pub(super) fn new(seed: u64, case: u64) -> Self {
        let mut random = Random::for_case(seed, case);
        let family = CurvedFamily::ALL[case as usize % CurvedFamily::ALL.len()];
        let mut pair = curved_pair(&mut random, family);
        let gap = approach(&mut pair, &mut random);
        Self { family, pair, gap, random }
    }

    /// How they stand, in words.
    pub(super) fn stand(&self) -> String {
        self.gap.map_or_else(|| format!("{:?}", self.pair.stand), |gap| format!("gap of {gap:e} sizes"))
    }

    /// What went wrong with it.
    pub(super) fn failure(&self, case: u64, fault: String) -> Failure {
        let pair = &self.pair;
        Failure {
            case,
            group: format!("{}, {}: {}", self.stand(), pair.names(), kind(&fault)),
            // The simplest is of size 1 and not far away.
            complexity: 10 * u64::from(pair.scale != 1.0) + u64::from(pair.stand == Stand::Far),
            fault,
            repeat: format!(
                "a: {}; b: {}; scale {:e}; pose_ab: {:?}",
                described(&pair.a, BODY_KINDS[pair.kinds[0]]),
                described(&pair.b, BODY_KINDS[pair.kinds[1]]),
                pair.scale,
                pair.pose_ab
            ),
        }
    }
}

/// A body by the surface of its first face, which says all of most primitives, and where it stands in its frame.
fn described(body: &Body, kind: &str) -> String {
    let first = |tiled: &TiledBody| {
        let face = tiled.face(FaceId(0));
        // Control points would fill pages.
        format!("{:?} over {:?}", face.surface, face.region.bounds()).chars().take(400).collect::<String>()
    };
    match body {
        Body::Tiled(tiled) if kind != "pillow" => format!("{kind}: {}", first(tiled)),
        Body::Union(parts) => match &parts.leaves()[0].shape {
            LeafShape::Tiled(tiled) => {
                format!("{kind} at {:?}: {}", parts.leaves()[0].pose.translation(), first(tiled))
            }
            LeafShape::Polytope(_) => kind.to_string(),
        },
        _ => kind.to_string(),
    }
}

/// Moves some pairs until a small gap is between them; the gap in sizes.
fn approach(pair: &mut CurvedPair, random: &mut Random) -> Option<f64> {
    if !matches!(pair.stand, Stand::Close | Stand::Aligned) || random.chance(0.5) {
        return None;
    }
    let gap = *random.pick(&[1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-6, -1e-3]);
    let (near, _) = nearest_points(&pair.a, &pair.b, &pair.pose_ab, &precision()).ok()?;
    let p = near.proximity;
    (p.state == State::Separated).then(|| {
        let by = p.normal * (gap * pair.scale - p.distance);
        pair.pose_ab = pair.pose_ab.with_translation(pair.pose_ab.translation() + by);
        gap
    })
}

/// The production answer, within the budget.
pub(super) fn ask(a: &Body, b: &Body, pose_ab: &Pose, scratch: &mut Scratch) -> Result<Proximity, String> {
    let found = scratch.find(a, b, pose_ab, &precision()).map_err(|why| format!("no answer: {why}"))?;
    Ok(found.proximity)
}

/// Lengths that a pair is held to.
pub(super) struct Lengths {
    /// What rounding of coordinates may do.
    pub(super) rounding: f64,
    /// What a certified distance may be off by.
    pub(super) error: f64,
    /// Both bodies together.
    pub(super) size: f64,
}

pub(super) fn lengths(bodies: &[Prepared; 2], pose_ab: &Pose) -> Lengths {
    let size = bodies[0].radius() + bodies[1].radius();
    let middle = |body: &Prepared| body.tree().root().bound.center.abs().max_element();
    let reach = size + middle(&bodies[0]) + middle(&bodies[1]) + pose_ab.translation().abs().max_element();
    let rounding = 256.0 * f64::EPSILON * reach;
    // What surfaces are off their edges is no part of the error that was asked for.
    let gap = |body: &Prepared| body.tree().leaves().iter().map(|piece| piece.gap).fold(0.0, f64::max);
    let gaps = gap(&bodies[0]) + gap(&bodies[1]);
    Lengths { rounding, error: 1e-9 * size + gaps + rounding, size }
}

/// Whether two answers may both be right: states differ only within rounding of contact.
pub(super) fn compatible(one: &Proximity, other: &Proximity, lengths: &Lengths) -> bool {
    let off = (one.signed_distance - other.signed_distance).abs();
    let close = |p: &Proximity| p.signed_distance.abs() <= 16.0 * lengths.rounding;
    off <= 2.0 * lengths.error && (one.state == other.state || (close(one) && close(other)))
}
