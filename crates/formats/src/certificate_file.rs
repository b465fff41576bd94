//! Certificates beside answers: made, checked, written.

use crate::flat_curved::CurvedPlanarPair;
use crate::solid::SolidPair;
use crate::{Answer, AnyBody, AnyPose, Error, ErrorKind, Request, certificate_of, planar_certificate};
use clearance_certificate::{Certificate, Fault, Refusal, check};
use clearance_geometry::Body;
use clearance_proximity::planar::{PlanarPrepared, proven_nearest};
use clearance_proximity::tolerance::CLAIM_REL;
use clearance_proximity::{Precision, nearest_points_of};
use std::path::Path;

/// Margins by which the slopes of a proof are to hold, tried one after the other until the checker accepts one.
const MARGINS: [f64; 3] = [2.0, 8.0, 32.0];

/// By which share a claim is lowered where the checker's own rounding shows less.
const CLAIMS: [f64; 2] = [0.0, CLAIM_REL];

/// Writes the proof of an answer as a file that [`clearance_certificate::check`] has accepted, and names it in the answer.
/// Where there is none to write, the answer says so in its warnings.
///
/// # Errors
/// `write_failed`.
pub fn write_certificate(request: &Request<'_>, answer: &mut Answer, path: &Path) -> Result<(), Error> {
    match accepted(request, answer) {
        Ok((bytes, lower)) => {
            std::fs::write(path, bytes).map_err(|error| {
                Error::new(ErrorKind::WriteFailed { reason: error.to_string() }).in_file(path)
            })?;
            answer.certificate = Some(path.to_path_buf());
            if let Some(Some(bound)) = &mut answer.lower_bound {
                *bound = bound.min(lower);
            }
        }
        Err(reason) => answer.warnings.push(format!("no certificate was written: {reason}")),
    }
    Ok(())
}

/// A certificate that the checker accepts, and the bound that it proves for the poses as given; or why there is none.
fn accepted(request: &Request<'_>, answer: &Answer) -> Result<(Vec<u8>, f64), String> {
    if answer.state.overlaps() {
        return Err("the bodies overlap, and a certificate proves a distance".to_owned());
    }
    let (a, b) = (&request.a.body, &request.b.body);
    match (a, b, request.pose_a, request.pose_b) {
        (AnyBody::Solid(a), AnyBody::Solid(b), AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)) => {
            of_solids(request, [a, b], SolidPair::new([a, b], [pose_a, pose_b]))
        }
        (_, _, AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)) => {
            let pair = CurvedPlanarPair::new([a, b], [pose_a, pose_b]);
            of_outlines(request, &pair.ok_or("one body is planar and one is not")?)
        }
        _ => Err("one body is planar and one is not".to_owned()),
    }
}

fn of_solids(
    request: &Request<'_>,
    [a, b]: [&Body; 2],
    pair: SolidPair<'_>,
) -> Result<(Vec<u8>, f64), String> {
    accepted_of(request, pair.slack(), |names, margin| {
        let precision = Precision { proof: Some(margin), ..pair.precision(request) };
        let (nearest, [of_a, of_b]) =
            nearest_points_of(a, b, pair.pose_ab(), &precision).map_err(|error| error.to_string())?;
        Ok(certificate_of([&of_a, &of_b], names, pair.pose_ab(), &nearest))
    })
}

fn of_outlines(request: &Request<'_>, pair: &CurvedPlanarPair) -> Result<(Vec<u8>, f64), String> {
    let [a, b] = pair.bodies().map(PlanarPrepared::new);
    let bodies = [&a.map_err(|error| error.to_string())?, &b.map_err(|error| error.to_string())?];
    let max_error = pair.error_asked(request);
    accepted_of(request, pair.slack(), |names, margin| {
        let (nearest, pose) =
            proven_nearest(bodies, pair.pose_ab(), max_error, margin).map_err(|error| error.to_string())?;
        Ok(planar_certificate(bodies, names, &pose, &nearest))
    })
}

/// Makes files until the checker accepts one; `slack` is what composing the poses may have rounded away.
fn accepted_of(
    request: &Request<'_>,
    slack: f64,
    make: impl Fn([&str; 2], f64) -> Result<Option<Certificate>, String>,
) -> Result<(Vec<u8>, f64), String> {
    let mut refusal = String::new();
    for margin in MARGINS {
        let Some(mut file) = make([request.a.kind, request.b.kind], margin)? else {
            return Err("the search was not finished".to_owned());
        };
        file.units = Some(request.units.symbol().to_owned());
        let claimed = file.lower_bound;
        for less in CLAIMS {
            file.lower_bound = (claimed * (1.0 - less)).max(0.0);
            let bytes = file.to_json().into_bytes();
            match check(&bytes) {
                Ok(verdict) => return Ok((bytes, (verdict.lower_bound - slack).max(0.0))),
                Err(refused) => {
                    refusal = refused.to_string();
                    // Only what misses the bound may be true of a lower one.
                    if !matches!(refused, Refusal::Step { reason: Fault::Narrow { .. }, .. }) {
                        break;
                    }
                }
            }
        }
    }
    Err(format!("the checker refused it: {refusal}"))
}
