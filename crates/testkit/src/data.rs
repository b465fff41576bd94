//! Real files for tests, and an honest count of the tests that had to go without.

use glam::DVec3;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The root of the workspace.
fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A real file: in the folder named by `CLEARANCE_DATA`, else in `../shared/data` beside the workspace,
/// else among the committed `scenes/`. `None` when it is in none of them.
pub fn data_file(path: &str) -> Option<PathBuf> {
    let named = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
    let roots = [named, Some(workspace().join("../shared/data")), Some(workspace().join("scenes"))];
    roots.into_iter().flatten().map(|root| root.join(path)).find(|file| file.is_file())
}

/// Says that a test was skipped: prints `SKIPPED name: reason` and, where the environment names a file in
/// `CLEARANCE_SKIP_LOG`, adds the line to it, so that the runner can count.
#[allow(clippy::print_stderr, reason = "a skipped test must be seen")]
pub fn skip(name: &str, reason: &str) {
    let line = format!("SKIPPED {name}: {reason}");
    eprintln!("{line}");
    if let Some(log) = std::env::var_os("CLEARANCE_SKIP_LOG") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(log);
        if let Ok(mut file) = file {
            // A log that cannot be written must not fail the test.
            let _ = writeln!(file, "{line}");
        }
    }
}

/// A real file, or a line about the skipped test.
pub fn data_or_skip(test: &str, path: &str) -> Option<PathBuf> {
    let file = data_file(path);
    if file.is_none() {
        skip(test, &format!("no {path} in CLEARANCE_DATA, ../shared/data or scenes"));
    }
    file
}

/// The vertices (`v x y z` lines) of a Wavefront file, whatever else it holds.
///
/// # Panics
/// When the file cannot be read.
pub fn obj_points(file: &Path) -> Vec<DVec3> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let vertex = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next() != Some("v") {
            return None;
        }
        let mut number = || words.next().and_then(|word| word.parse().ok());
        Some(DVec3::new(number()?, number()?, number()?))
    };
    text.lines().filter_map(vertex).collect()
}

/// The bicubic Bézier patches of a `-patches.json` file, points by row and column.
///
/// # Panics
/// When the file cannot be read or is not made of patches of 4 × 4 points.
pub fn bezier_patches(file: &Path) -> Vec<Vec<Vec<DVec3>>> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let (_, list) = text.split_once("\"patches\"").expect("a list of patches");
    let number = |word: &str| word.parse::<f64>().ok();
    let words = list.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')));
    let numbers: Vec<f64> = words.filter_map(number).collect();
    assert_eq!(numbers.len() % 48, 0, "patches of 4 × 4 points");
    let point = |p: &[f64]| DVec3::new(p[0], p[1], p[2]);
    let row = |row: &[f64]| row.chunks_exact(3).map(point).collect();
    numbers.chunks_exact(48).map(|patch| patch.chunks_exact(12).map(row).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_is_none() {
        assert_eq!(data_file("no/such/file.obj"), None);
    }

    #[test]
    fn obj_points_reads_vertices_only() {
        let Some(file) = data_or_skip("obj_points_reads_vertices_only", "meshes/spot.obj") else { return };
        assert!(obj_points(&file).len() > 1000);
    }
}
