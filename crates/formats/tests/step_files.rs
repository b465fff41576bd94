//! Real STEP files against numbers that Open CASCADE computed; see `step_reference/make.py`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod step_common;
mod step_quadrature;

use clearance_formats::{
    Units,
    step::{StepBodyKind, StepCourse, StepEdge, StepModel},
};
use clearance_geometry::DVec3;
use clearance_geometry::curve::ParametricCurve;
use clearance_geometry::surface::ParametricSurface;
use std::collections::BTreeMap;
use std::path::Path;
use step_common::{LOOSE, REFERENCE_REL, files, kind, off};
use step_quadrature::face_sums;

#[test]
fn counts_and_kinds_equal_the_reference() {
    for (name, model, reference) in files("counts_and_kinds_equal_the_reference") {
        assert!(model.refused.is_empty(), "{name}: {:?}", model.refused);
        let bodies = || model.instances.iter().map(|instance| &model.bodies[instance.body]);
        let solids = bodies().filter(|body| body.kind == StepBodyKind::Solid).count();
        assert_eq!(solids as u64, reference["solids"], "{name}");
        let shells: usize = bodies().map(|body| body.shells.len()).sum();
        assert_eq!(shells as u64, reference["shells"], "{name}");
        let mut kinds = BTreeMap::new();
        let mut found = BTreeMap::new();
        for face in bodies().flat_map(|body| &body.faces) {
            *kinds.entry(kind(&face.surface).to_owned()).or_insert(0_u64) += 1;
            found.insert(face.entity, kind(&face.surface));
        }
        let expected: BTreeMap<String, u64> =
            serde_json::from_value(reference["faces_by_surface"].clone()).unwrap();
        assert_eq!(kinds, expected, "{name}");
        for face in reference["face_list"].as_array().unwrap() {
            assert_eq!(face["surface"], found[&face["id"].as_u64().unwrap()], "{name} {face}");
        }
    }
}

#[test]
fn areas_and_volumes_equal_the_reference() {
    for (name, model, reference) in files("areas_and_volumes_equal_the_reference") {
        let faces = reference["face_list"].as_array().unwrap();
        let solids = reference["solid_list"].as_array().unwrap();
        for body in &model.bodies {
            let mut volume = 0.0;
            let mut doubt = 0.0;
            for face in &body.faces {
                let sums = face_sums(body, face, body.vertices[0].point);
                let reference = faces.iter().find(|known| known["id"] == face.entity).unwrap();
                let (off, expected) = off(sums.area, reference, "area");
                let relative = if LOOSE.contains(&(name, face.entity)) { 2e-5 } else { REFERENCE_REL };
                // Where edges are off their surface, the reference has them elsewhere.
                assert!(
                    off <= relative * expected + 2.0 * sums.doubt,
                    "{name}: #{} is {}, not {expected}; edges are {} off",
                    face.entity,
                    sums.area,
                    sums.gap
                );
                volume += sums.volume;
                doubt += sums.doubt;
            }
            if body.kind == StepBodyKind::Sheet {
                continue;
            }
            let solid = solids.iter().find(|solid| solid["id"] == body.entity).unwrap();
            let (off, expected) = off(volume, solid, "volume");
            let size = expected.cbrt();
            assert!(
                off <= REFERENCE_REL * expected + doubt * size,
                "{name}: #{} has the volume {volume}, not {expected}",
                body.entity
            );
        }
    }
}

#[test]
fn edges_lie_in_the_reference_box() {
    for (name, model, reference) in files("edges_lie_in_the_reference_box") {
        let corner = |at: usize| -> DVec3 {
            let [x, y, z]: [f64; 3] = serde_json::from_value(reference["box"][at].clone()).unwrap();
            DVec3::new(x, y, z)
        };
        let (low, high) = (corner(0), corner(1));
        let slack = DVec3::splat(1e-6 * (high - low).length());
        for instance in &model.instances {
            for edge in &model.bodies[instance.body].edges {
                for step in 0..=16 {
                    let p = edge.curve.point(edge.range.at(f64::from(step) / 16.0));
                    let p = instance.pose.apply(p);
                    let inside = p.cmpge(low - slack).all() && p.cmple(high + slack).all();
                    assert!(inside, "{name}: #{} {p}", edge.entity);
                }
            }
        }
    }
}

/// The distance from a point to an edge's curve, by the nearest of many samples.
fn distance_to(edge: &StepEdge, place: DVec3) -> f64 {
    let at = |step: u32| edge.curve.point(edge.range.at(f64::from(step) / 2000.0)).distance(place);
    (0..=2000).map(at).fold(f64::INFINITY, f64::min)
}

#[test]
fn parameter_curves_follow_their_edges() {
    let (mut all, mut found) = (0, 0);
    for (name, model, _) in files("parameter_curves_follow_their_edges") {
        for body in &model.bodies {
            for (face, bound) in body.faces.iter().flat_map(|face| face.loops.iter().map(move |b| (face, b)))
            {
                let StepCourse::Edges(uses) = &bound.course else { continue };
                for (at, used) in uses.iter().enumerate() {
                    all += 1;
                    let Some(parameters) = &used.parameters else { continue };
                    found += 1;
                    let edge = &body.edges[used.edge.index()];
                    let [from, to] = parameters.ends;
                    let extent = distance_between_ends_and_middle(edge);
                    for step in 0..=4 {
                        let p = parameters.curve.point(from + (to - from) * f64::from(step) / 4.0);
                        let off = distance_to(edge, face.surface.point(p.x, p.y));
                        let allowed = 2e-2 * extent;
                        assert!(off <= allowed, "{name}: #{} on #{} is {off} off", edge.entity, face.entity);
                    }
                    let next = &uses[(at + 1) % uses.len()];
                    let Some(after) = &next.parameters else { continue };
                    let end = parameters.curve.point(parameters.ends[usize::from(!used.reversed)]);
                    let start = after.curve.point(after.ends[usize::from(next.reversed)]);
                    let ends = [end, start].map(|p| face.surface.point(p.x, p.y));
                    assert!(
                        ends[0].distance(ends[1])
                            <= 2e-2
                                * extent
                                    .max(distance_between_ends_and_middle(&body.edges[next.edge.index()]))
                    );
                }
            }
        }
    }
    // Only what is made here is there for certain.
    assert!(found > 100 && found <= all, "{found} of {all}");
}

fn distance_between_ends_and_middle(edge: &StepEdge) -> f64 {
    let [a, b, c] = [0.0, 0.5, 1.0].map(|s| edge.curve.point(edge.range.at(s)));
    a.distance(b).max(b.distance(c)).max(c.distance(a))
}

#[test]
fn seams_take_one_parameter_curve_on_each_side() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made/poles.step");
    let model = StepModel::read(&path, Units::Millimetre).unwrap();
    let mut seams = 0;
    for face in model.bodies.iter().flat_map(|body| &body.faces) {
        for bound in &face.loops {
            let StepCourse::Edges(uses) = &bound.course else { continue };
            for (at, one) in uses.iter().enumerate() {
                let Some(two) = uses[at + 1..].iter().find(|two| two.edge == one.edge) else { continue };
                seams += 1;
                let [a, b] = [one, two].map(|used| {
                    let parameters = used.parameters.as_ref().unwrap();
                    (parameters.curve.point(parameters.ends[0]), used.reversed)
                });
                assert_ne!(a.1, b.1);
                assert!(((a.0.x - b.0.x).abs() - std::f64::consts::TAU).abs() < 1e-9, "{a:?} {b:?}");
            }
        }
    }
    assert!(seams > 0);
}
