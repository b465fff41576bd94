//! The one checker that every answer goes through.
//!
//! An answer is held to its own bounds: its normal proves a lower bound on the signed distance by a scan
//! over all vertices in double-double, its witnesses an upper one. Nothing is taken from the kernel but
//! the answer, and nothing from the body but its vertices and which of them make a feature.
//!
//! Tolerance: [`CHECK_ROUNDINGS`] roundings of the largest coordinate that enters (both bodies in their
//! own frames, and the translation), plus the relative duality gap at which a kernel may stop,
//! `GAP_REL` × distance. The first is what a rigid transformation, a subtraction and the rounding of
//! two witness points cost; no conditioning enters, for a distance is perfectly conditioned: it changes by
//! no more than its input does.

use crate::oracle::{Double, Double3, Placement};
use crate::shape::Shape;
use clearance_geometry::{Body, Pose, tolerance};
use clearance_proximity::{Ended, Proximity, State};

/// Roundings (units of `f64::EPSILON` times the largest coordinates) that an answer may be off by.
/// Larger: an unlucky formula passes. Smaller: honest answers fail.
pub const CHECK_ROUNDINGS: f64 = 32.0;

/// Dimensionless. How far a normal may be off unit length: one normalisation and one rotation by a matrix
/// that is itself rounded. Larger: a forgotten normalisation passes. Smaller: honest normals fail.
const UNIT_NORMAL_REL: f64 = 8.0 * f64::EPSILON;

/// Most products of vertices and faces for which containment is checked.
const CONTAINMENT_BUDGET: usize = 4_000_000;

/// What was measured while an answer was checked, in units of the tolerance: 1 is just acceptable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margins {
    /// Signed distance against the lower bound that the normal proves.
    pub gap: f64,
    /// Difference of the witnesses against signed distance times normal.
    pub vector: f64,
    /// Farther witness from its feature.
    pub feature: f64,
    /// The tolerance; a length.
    pub tolerance: f64,
}

impl Margins {
    /// The largest of them.
    pub fn worst(&self) -> f64 {
        self.gap.max(self.vector).max(self.feature)
    }
}

/// Rounding allowed to an answer about these bodies; a length.
pub fn check_tolerance(a: &Body, b: &Body, pose_ab: &Pose, signed_distance: f64) -> f64 {
    let (a, b) = (Shape::new(a), Shape::new(b));
    tolerance_of(&a, &b, pose_ab, signed_distance)
}

fn tolerance_of(a: &Shape, b: &Shape, pose_ab: &Pose, signed_distance: f64) -> f64 {
    let scale = a.reach() + b.reach() + pose_ab.translation().length();
    // Never zero: two points in the same place are compared with something.
    f64::MIN_POSITIVE + CHECK_ROUNDINGS * f64::EPSILON * scale + tolerance::GAP_REL * signed_distance.max(0.0)
}

/// Checks an answer in the frame of A against everything that it claims.
///
/// # Errors
/// A sentence that says which claim is false and by how much.
pub fn check_proximity(a: &Body, b: &Body, pose_ab: &Pose, p: &Proximity) -> Result<Margins, String> {
    let (shape_a, shape_b) = (Shape::new(a), Shape::new(b));
    let tolerance = tolerance_of(&shape_a, &shape_b, pose_ab, p.signed_distance);
    check_plain(p, tolerance)?;
    let place = Placement::from(pose_ab);
    let mut margins = Margins { tolerance, ..Margins::default() };

    let [w_a, w_b] = p.witnesses;
    let between = Double3::from(w_b.point) - w_a.point.into();
    let claimed = Double3::from(p.normal) * Double::from(p.signed_distance);
    margins.vector = (between - claimed).length().value() / tolerance;
    demand(margins.vector <= 1.0, || {
        format!("the witnesses differ from signed distance × normal by {:.3} tolerances", margins.vector)
    })?;

    let off_a = shape_a.off_feature(w_a.feature, w_a.point, &Placement::IDENTITY)?;
    let off_b = shape_b.off_feature(w_b.feature, w_b.point, &place)?;
    margins.feature = off_a.max(off_b) / tolerance;
    demand(margins.feature <= 1.0, || {
        format!(
            "witness off its feature by {:.3} tolerances ({} {off_a:e}, {} {off_b:e})",
            margins.feature, w_a.feature, w_b.feature
        )
    })?;

    let lower = shape_a
        .separation(&shape_b, &place, p.normal)
        .ok_or_else(|| "the normal bounds nothing: it is not that of the half-space".to_string())?;
    margins.gap = (p.signed_distance - lower).abs() / tolerance;
    // An honest residual does not excuse an answer: it must be right all the same.
    demand(margins.gap <= 1.0, || {
        let how = if let Ended::Stalled { .. } = p.ended { "stalled at" } else { "signed distance" };
        format!(
            "{how} {:e}, but its normal proves {lower:e}: {:.3} tolerances",
            p.signed_distance, margins.gap
        )
    })?;
    check_certificate(&shape_a, &shape_b, &place, p, tolerance)?;
    check_containment(&shape_a, &shape_b, &place, p.state, tolerance)?;
    Ok(margins)
}

/// As [`check_proximity`], for tests: says what was asked and stops.
///
/// # Panics
/// When the answer is wrong.
#[track_caller]
pub fn assert_proximity(a: &Body, b: &Body, pose_ab: &Pose, p: &Proximity) -> Margins {
    match check_proximity(a, b, pose_ab, p) {
        Ok(margins) => margins,
        Err(fault) => panic!("{fault}\nanswer: {p:?}\npose_ab: {pose_ab:?}\na: {a:?}\nb: {b:?}"),
    }
}

/// Checks that `mirror`, the answer with the bodies exchanged, says the same as `p`.
///
/// # Errors
/// A sentence that says what differs.
pub fn check_mirror(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    p: &Proximity,
    mirror: &Proximity,
) -> Result<(), String> {
    let tolerance = 2.0 * check_tolerance(a, b, pose_ab, p.signed_distance);
    let off = (p.signed_distance - mirror.signed_distance).abs() / tolerance;
    demand(off <= 1.0, || {
        format!("exchanged, the signed distance {:e} becomes {:e}", p.signed_distance, mirror.signed_distance)
    })?;
    // States are told apart by margins; within rounding of the margin either is right.
    let same = p.state == mirror.state.swapped();
    let contact = p.signed_distance.abs() <= tolerance;
    let both_overlap = p.state.overlaps() && mirror.state.overlaps();
    demand(same || contact || (both_overlap && nearly_contained(a, b, pose_ab, tolerance)), || {
        format!("exchanged, the state {:?} becomes {:?}", p.state, mirror.state)
    })
}

/// Asks a query both ways round, checks both answers and that they mirror each other.
///
/// # Errors
/// A sentence that says which claim is false.
pub fn check_query(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    mut query: impl FnMut(&Body, &Body, &Pose) -> Proximity,
) -> Result<(Proximity, Margins), String> {
    let p = query(a, b, pose_ab);
    let margins = check_proximity(a, b, pose_ab, &p).map_err(|fault| format!("{fault}; {p:?}"))?;
    let pose_ba = pose_ab.inverse();
    let mirror = query(b, a, &pose_ba);
    check_proximity(b, a, &pose_ba, &mirror)
        .map_err(|fault| format!("{fault}; with the bodies exchanged, {mirror:?}"))?;
    check_mirror(a, b, pose_ab, &p, &mirror)?;
    Ok((p, margins))
}

/// Claims that need no geometry.
fn check_plain(p: &Proximity, tolerance: f64) -> Result<(), String> {
    let finite = p.signed_distance.is_finite()
        && p.distance.is_finite()
        && p.normal.is_finite()
        && p.witnesses.iter().all(|w| w.point.is_finite());
    demand(finite, || "a number is not finite".to_string())?;
    let stretch = (Double3::from(p.normal).length() - Double::from(1.0)).value();
    demand(stretch.abs() <= UNIT_NORMAL_REL, || format!("the normal has length 1 + {stretch:e}"))?;
    demand(p.ended != Ended::Limit, || "ended by a limit that was not set".to_string())?;
    let agrees = match p.state {
        State::Separated => p.signed_distance > 0.0 && p.distance == p.signed_distance,
        State::Touching => p.signed_distance.abs() <= tolerance && p.distance == 0.0,
        _ => p.signed_distance <= 0.0 && p.distance == 0.0,
    };
    demand(agrees, || {
        format!("{:?} with distance {:e} and signed distance {:e}", p.state, p.distance, p.signed_distance)
    })
}

/// A certificate is a proof: its bound must hold without any tolerance, and be worth something.
fn check_certificate(
    a: &Shape,
    b: &Shape,
    place: &Placement,
    p: &Proximity,
    tolerance: f64,
) -> Result<(), String> {
    let Ended::Certified(certificate) = p.ended else { return Ok(()) };
    let proven = a
        .separation(b, place, certificate.normal)
        .ok_or_else(|| "the certificate's normal bounds nothing".to_string())?;
    demand(certificate.lower <= proven, || {
        format!("the certificate claims {:e}, its normal proves {proven:e}", certificate.lower)
    })?;
    let loss = (p.signed_distance - certificate.lower) / tolerance;
    demand(loss <= 4.0, || format!("the certificate gives away {loss:.3} tolerances"))
}

fn check_containment(
    a: &Shape,
    b: &Shape,
    place: &Placement,
    state: State,
    tolerance: f64,
) -> Result<(), String> {
    if !state.overlaps()
        || a.points().len() * b.face_count() + b.points().len() * a.face_count() > CONTAINMENT_BUDGET
    {
        return Ok(());
    }
    let (a_out, b_out) = excesses(a, b, place);
    let agrees = match state {
        State::AInsideB => a_out <= tolerance,
        State::BInsideA => b_out <= tolerance,
        _ => a_out >= -tolerance && b_out >= -tolerance,
    };
    demand(agrees, || format!("{state:?}, but A sticks out of B by {a_out:e} and B out of A by {b_out:e}"))
}

/// How far A sticks out of B and B out of A.
fn excesses(a: &Shape, b: &Shape, place: &Placement) -> (f64, f64) {
    let a_out =
        b.excess(a, |p| Double3::turned_back(&place.rotation, Double3::from(p) - place.translation.into()));
    (a_out, a.excess(b, |p| place.apply(p)))
}

fn nearly_contained(a: &Body, b: &Body, pose_ab: &Pose, tolerance: f64) -> bool {
    let (a_out, b_out) = excesses(&Shape::new(a), &Shape::new(b), &Placement::from(pose_ab));
    a_out.abs() <= tolerance || b_out.abs() <= tolerance || (a_out <= 0.0 && b_out <= 0.0)
}

fn demand(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
