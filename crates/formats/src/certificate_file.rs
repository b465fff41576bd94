//! Certificates beside answers: made, checked, written.

use crate::solid::SolidPair;
use crate::{Answer, AnyBody, AnyPose, Error, ErrorKind, Request, certificate_of};
use clearance_certificate::check;
use clearance_proximity::{Precision, nearest_points_of};
use std::path::Path;

/// Margins by which the slopes of a proof are to hold, tried one after the other until the checker accepts one.
const MARGINS: [f64; 3] = [2.0, 8.0, 32.0];

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
    let (AnyBody::Solid(a), AnyBody::Solid(b), AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)) =
        (&request.a.body, &request.b.body, request.pose_a, request.pose_b)
    else {
        return Err("there are none for planar bodies".to_owned());
    };
    if answer.state.overlaps() {
        return Err("the bodies overlap, and a certificate proves a distance".to_owned());
    }
    let pair = SolidPair::new([a, b], [pose_a, pose_b]);
    let mut refusal = String::new();
    for margin in MARGINS {
        let precision = Precision { proof: Some(margin), ..pair.precision(request) };
        let (nearest, [of_a, of_b]) =
            nearest_points_of(a, b, pair.pose_ab(), &precision).map_err(|error| error.to_string())?;
        let names = [request.a.kind, request.b.kind];
        let Some(mut file) = certificate_of([&of_a, &of_b], names, pair.pose_ab(), &nearest) else {
            return Err("the search was not finished".to_owned());
        };
        file.units = Some(request.units.symbol().to_owned());
        let bytes = file.to_json().into_bytes();
        match check(&bytes) {
            Ok(verdict) => return Ok((bytes, (verdict.lower_bound - pair.slack()).max(0.0))),
            Err(refused) => refusal = refused.to_string(),
        }
    }
    Err(format!("the checker refused it: {refusal}"))
}
