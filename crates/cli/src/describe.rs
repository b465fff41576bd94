//! `clearance describe FILE|SHAPE`: what a shape, or every body of a scene, is made of.

use crate::failure::Failure;
use crate::json::quoted;
use crate::run::{Surroundings, Verdict};
use crate::{source, track};
use clearance_formats::{AnyBody, Scene, shortest};
use clearance_geometry::Body;
use std::fmt::Write as _;
use std::io::Write as _;

/// Prints what is known about a shape, or about every body of a scene.
pub(crate) fn describe(what: &str, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let json = surroundings.common.json;
    let text = if what.to_lowercase().ends_with(".toml") {
        let scene = track::read_scene(what, surroundings)?;
        if json { scene_json(&scene) } else { scene_in_words(&scene) }
    } else {
        let shape = source::shape(what, "SHAPE", &surroundings.context())?;
        let description = shape.describe(surroundings.units);
        if json { description.to_json() } else { description.to_text() }
    };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(Verdict::Clear)
}

fn scene_in_words(scene: &Scene) -> String {
    let mut text = format!("scene  {}\n", scene.title.as_deref().unwrap_or("(untitled)"));
    if let Some(track) = &scene.track {
        let _ = writeln!(
            text,
            "track  {} pairs, {} frames, one every {} s",
            track.pairs.len(),
            track.frames,
            shortest(track.step)
        );
    }
    for body in &scene.bodies {
        let moves = match (deforms(&body.shape.body), body.motions.is_empty()) {
            (true, true) => "deforming",
            (true, false) => "moving and deforming",
            (false, true) => "still",
            (false, false) => "moving",
        };
        let _ = writeln!(text, "\nbody {}: shape {}, {moves}", body.name, body.shape_name);
        for line in body.shape.describe(scene.units).to_text().lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.trim_end().to_owned()
}

/// Whether a body, or that of which it is the boundary, changes its shape.
fn deforms(body: &AnyBody) -> bool {
    matches!(body, AnyBody::Solid(body) if matches!(body.whole(), Body::Deforming(_)))
}

fn scene_json(scene: &Scene) -> String {
    let bodies: Vec<String> = scene
        .bodies
        .iter()
        .map(|body| {
            format!(
                "{}:{{\"shape\":{},\"moves\":{},\"deforms\":{},\"description\":{}}}",
                quoted(&body.name),
                quoted(&body.shape_name),
                !body.motions.is_empty(),
                deforms(&body.shape.body),
                body.shape.describe(scene.units).to_json()
            )
        })
        .collect();
    let track = scene.track.as_ref().map_or_else(
        || "null".to_owned(),
        |track| {
            let (pairs, step) = (track.pairs.len(), shortest(track.step));
            format!("{{\"pairs\":{pairs},\"frames\":{},\"step\":{step}}}", track.frames)
        },
    );
    let title = scene.title.as_deref().map_or_else(|| "null".to_owned(), quoted);
    format!("{{\"title\":{title},\"track\":{track},\"bodies\":{{{}}}}}", bodies.join(","))
}
