//! Error codes: every one is listed, and every kind maps to one of the list.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::{CODES, Error, ErrorKind};
use clearance_geometry::{PolytopeError, PoseError, ShapeError};
use std::collections::BTreeSet;
use std::path::Path;

fn every_kind() -> Vec<ErrorKind> {
    let word = || "x".to_owned();
    let flat = || PolytopeError::Empty;
    vec![
        ErrorKind::BadJson { reason: word() },
        ErrorKind::BadToml { reason: word() },
        ErrorKind::UnknownKind { kind: word(), known: word() },
        ErrorKind::UnsupportedFeature { what: word() },
        ErrorKind::UnknownKey { key: word(), known: word() },
        ErrorKind::UnknownName { what: "shape".into(), name: word() },
        ErrorKind::DuplicateName { reason: word() },
        ErrorKind::MissingField { field: word() },
        ErrorKind::WrongType { expected: word(), found: word() },
        ErrorKind::BadValue { reason: word() },
        ErrorKind::UnknownUnits { units: word() },
        ErrorKind::NumberOutOfRange { number: word() },
        ErrorKind::NotFinite { what: word() },
        ErrorKind::FlatPolytope(flat()),
        ErrorKind::NotConvex { reason: word() },
        ErrorKind::NotManifold { reason: word() },
        ErrorKind::InconsistentOrientation { reason: word() },
        ErrorKind::InconsistentProfile { reason: word() },
        ErrorKind::BadKnots { reason: word() },
        ErrorKind::BadWeight { reason: word() },
        ErrorKind::BadPolynomial { reason: word() },
        ErrorKind::NoSurface { reason: word() },
        ErrorKind::Unbounded(flat()),
        ErrorKind::CenterOutside(flat()),
        ErrorKind::PoseConflict { found: word() },
        ErrorKind::BadRotation { reason: word() },
        ErrorKind::DimensionMismatch { reason: word() },
        ErrorKind::UnknownWant { want: word(), known: word() },
        ErrorKind::UnsupportedPair { reason: word() },
        ErrorKind::FileNotFound { reason: word() },
        ErrorKind::BadFile { reason: word() },
        ErrorKind::LineTooLong { limit: 1 },
        ErrorKind::TooLarge { what: word() },
        ErrorKind::WriteFailed { reason: word() },
    ]
}

#[test]
fn codes_are_those_of_the_kinds() {
    let found: BTreeSet<&str> = every_kind().iter().map(ErrorKind::code).collect();
    let listed: BTreeSet<&str> = CODES.into_iter().collect();
    assert_eq!(found, listed);
    assert_eq!(listed.len(), CODES.len(), "no code stands twice");
    assert!(CODES.is_sorted());
}

#[test]
fn codes_stand_in_the_book() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md")).unwrap();
    for code in CODES {
        assert!(page.contains(&format!("| `{code}` |")), "{code}");
    }
}

#[test]
fn errors_of_bodies_and_poses_have_codes() {
    let code = |error: PolytopeError| Error::from(error).code();
    assert_eq!(code(PolytopeError::NotFinite { point: 0 }), "not_finite");
    assert_eq!(code(PolytopeError::OutOfRange { extent: 1e200 }), "number_out_of_range");
    assert_eq!(code(PolytopeError::Flat { thickness: 0.0, diameter: 1.0 }), "flat_polytope");
    assert_eq!(code(PolytopeError::DegenerateFace { face: 0 }), "not_manifold");
    assert_eq!(code(PolytopeError::SeveralPieces { pieces: 2 }), "not_manifold");
    assert_eq!(code(PolytopeError::ReflexCorner { corner: 1 }), "not_convex");
    assert_eq!(code(PolytopeError::NoSuchVertex { face: 0, vertex: 9 }), "bad_value");
    assert_eq!(Error::from(PoseError::NotFinite).code(), "not_finite");
    assert_eq!(Error::from(PoseError::NotUnit { length: 2.0 }).code(), "bad_rotation");
    assert_eq!(Error::from(ShapeError::BadSize { field: "size", value: -1.0 }).code(), "bad_value");
    assert_eq!(Error::from(ShapeError::NotFinite { field: "offset" }).code(), "not_finite");
}

#[test]
fn places_are_shown_and_the_first_one_stays() {
    let error = Error::new(ErrorKind::BadValue { reason: "too big".to_owned() })
        .at_key("body.pen.pose")
        .at_key("body")
        .on_line(7)
        .on_line(1)
        .in_file(Path::new("scene.toml"))
        .in_file(Path::new("other.toml"));
    assert_eq!(error.to_string(), "scene.toml:7: body.pen.pose: too big");
    assert_eq!(error.message(), "body.pen.pose: too big");
    let about =
        Error::new(ErrorKind::BadFile { reason: "no faces".to_owned() }).about_file(Path::new("a.stl"));
    assert_eq!(about.to_string(), "a.stl: no faces");
}
