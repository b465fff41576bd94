//! Hulls of the parts of real meshes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]
mod common;

use clearance_geometry::{DVec3, FaceId, Polytope};
use common::{Random, check_encloses, check_polytope, check_support, label};
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
    let places = named.into_iter().chain([root.join("../shared/data"), root.join("scenes")]);
    places.map(|place| place.join("meshes")).find(|place| place.is_dir())
}

/// The points of each object of an `.obj` file.
fn parts(text: &str) -> Vec<Vec<DVec3>> {
    let mut parts = vec![Vec::new()];
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("o") => parts.push(Vec::new()),
            Some("v") => {
                let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
                parts.last_mut().unwrap().push(DVec3::new(numbers[0], numbers[1], numbers[2]));
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[test]
fn real_parts_have_hulls() {
    let Some(folder) = folder() else {
        eprintln!("skipped: 1 (no folder of meshes)");
        return;
    };
    let mut random = Random(81);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "obj"));
    files.sort();
    let mut count = 0;
    for path in &files {
        for points in parts(&std::fs::read_to_string(path).unwrap()) {
            let rotation = random.rotation();
            let turned: Vec<DVec3> = points.iter().map(|&p| rotation * p).collect();
            for points in [points, turned] {
                let body = Polytope::from_points(&points).unwrap_or_else(|e| panic!("{path:?}: {e}"));
                check_polytope(&body, 400.0);
                check_encloses(&body, &points, 400.0);
                check_support(&body, &mut random, 50);
                let face = |f: u32| body.sides(FaceId(f)).iter().map(|s| label(&body, s.vertex)).collect();
                let faces: Vec<Vec<u32>> = (0..body.face_count() as u32).map(face).collect();
                let back = Polytope::from_faces(&points, &faces).unwrap_or_else(|e| panic!("{path:?}: {e}"));
                assert_eq!(back.face_count(), body.face_count());
                count += 1;
            }
        }
    }
    assert!(files.is_empty() || count > files.len());
    eprintln!("{count} hulls from {} files", files.len());
}
