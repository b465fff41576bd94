//! The STEP files that tests read, with the numbers that Open CASCADE computed for them; see `step_reference/make.py`.

use clearance_formats::{Units, step::StepModel};
use clearance_geometry::surface::Surface;
use clearance_testkit::data;
use serde_json::Value;
use std::path::Path;

pub(crate) const FILES: [&str; 13] = [
    "abc-0000",
    "abc-0006",
    "abc-0008",
    "abc-0035",
    "featuretype",
    "linkrods",
    "m6-countersunk-screw",
    "occt-cone",
    "occt-cube",
    "occt-cylinder",
    "occt-sphere",
    "occt-torus",
    "screw",
];

pub(crate) fn reference(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_reference");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Made for these tests; see `step_made/make.py`.
pub(crate) const MADE: [&str; 7] = ["assembly", "nurbs", "poles", "prism", "sheet", "vase", "void"];

/// Every file that is there, in millimetres, with its reference numbers.
pub(crate) fn files(test: &str) -> Vec<(&'static str, StepModel, Value)> {
    let load = |name: &'static str, path: &Path| {
        (name, StepModel::read(path, Units::Millimetre).unwrap(), reference(name))
    };
    let real = FILES
        .into_iter()
        .filter_map(|name| Some(load(name, &data::data_or_skip(test, &format!("step/{name}.step"))?)));
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made");
    real.chain(MADE.into_iter().map(|name| load(name, &made.join(format!("{name}.step"))))).collect()
}

/// As Open CASCADE names it.
pub(crate) fn kind(surface: &Surface) -> &'static str {
    match surface {
        Surface::Plane(_) => "Plane",
        Surface::Cylinder(_) => "Cylinder",
        Surface::Cone(_) => "Cone",
        Surface::Sphere(_) => "Sphere",
        Surface::Torus(_) => "Torus",
        Surface::Nurbs(_) => "BSplineSurface",
        Surface::Revolution(_) => "SurfaceOfRevolution",
        Surface::Extrusion(_) => "SurfaceOfExtrusion",
        _ => "other",
    }
}

/// How well Open CASCADE knows areas and volumes, by the better of its two methods.
pub(crate) const REFERENCE_REL: f64 = 2e-6;

/// Faces whose area it knows less well: it integrates over parameter curves that it fitted itself. The first is a cap
/// of a sphere of radius 11.605668 cut by a circle of radius 10.1852553, so that its area is
/// 2π·11.605668·(11.605668 + √(11.605668² − 10.1852553²)) = 1251.98258; the reference has 1251.98799.
pub(crate) const LOOSE: [(&str, u64); 4] =
    [("abc-0000", 74), ("featuretype", 2619), ("linkrods", 16765), ("linkrods", 18327)];

/// The distance from a number to the nearer of two reference values, and that one.
pub(crate) fn off(found: f64, reference: &Value, what: &str) -> (f64, f64) {
    let value = |key: &str| reference[key].as_f64().unwrap();
    let both = [value(what), value(&format!("{what}_fixed"))];
    let nearer = if (found - both[0]).abs() <= (found - both[1]).abs() { both[0] } else { both[1] };
    ((found - nearer).abs(), nearer)
}
