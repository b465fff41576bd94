//! Recordings: header, rows, last line, what is there while they are written, and pages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clearance_formats::{Context, Page, Recorder, Scene, VIEWER, Wants, run_track};
use common::{Folder, numbers};
use serde_json::{Value, json};
use std::io::Read as _;

const SCENE: &str = r#"
title = "Two"
[shape.cube]
kind = "box"
size = [2, 2, 2]
[body."a, b"]
shape = "cube"
fixed = true
[body.mover]
shape = "cube"
pose = { translation = [4, 0, 0] }
motion = [{ velocity = [-1, 0, 0] }]
[body.floor]
shape = { kind = "half_space", normal = [0, 0, 1], offset = -5 }
fixed = true
[track]
frames = 3
step = 1
"#;

fn scene() -> Scene {
    Scene::parse(SCENE, &Context::default()).unwrap()
}

fn record(folder: &Folder, name: &str, scene: &Scene) -> String {
    let path = folder.0.join(name);
    let track = scene.track().unwrap();
    let mut recorder = Recorder::create(&path, scene, track).unwrap();
    run_track(scene, track, Wants::default(), None, |row| recorder.row(row)).unwrap();
    recorder.finish().unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn json_lines_have_header_rows_and_end() {
    let folder = Folder::new("jsonl");
    let text = record(&folder, "run.jsonl", &scene());
    assert_eq!(folder.names(), ["run.jsonl"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = &lines[0];
    assert_eq!((&header["recording"], &header["scene"]), (&json!(2), &json!("Two")));
    assert!(header["clearance"].is_string());
    let body = &header["bodies"][0];
    assert_eq!(
        (&body["name"], &body["shape"], &body["fixed"]),
        (&json!("a, b"), &json!("cube"), &json!(true))
    );
    assert_eq!(body["pose"]["translation"], json!([0, 0, 0]));
    let cube = &header["shapes"]["cube"];
    for (what, count) in [("corners", 8), ("edges", 12), ("faces", 6), ("triangles", 36), ("points", 72)] {
        assert_eq!(cube[what].as_array().unwrap().len(), count, "{what}");
    }
    assert_eq!(header["shapes"]["floor"]["offset"], -5);
    assert_eq!((&header["frames"], &header["step"]), (&json!(3), &json!(1)));
    // Pairs: mover against each fixed body; three frames each.
    assert_eq!(lines.len(), 1 + 6 + 1);
    let row = &lines[3];
    assert_eq!((&row["frame"], &row["time"]), (&json!(1), &json!(1)));
    assert_eq!(row["pair"], json!(["a, b", "mover"]));
    assert_eq!(row["poses"][1]["translation"], json!([3, 0, 0]));
    assert_eq!(numbers(&row["poses"][1]["rotation"]), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!((&row["state"], &row["distance"]), (&json!("separated"), &json!(1)));
    for key in ["signed_distance", "points", "normal", "features", "ended", "work"] {
        assert!(row.get(key).is_some(), "{key}");
    }
    assert_eq!(lines[7], json!({"complete": true, "rows": 6}));
}

#[test]
fn csv_has_header_columns_rows_and_end() {
    let folder = Folder::new("csv");
    let text = record(&folder, "run.csv", &scene());
    let lines: Vec<&str> = text.lines().collect();
    let header: Value = serde_json::from_str(lines[0].strip_prefix("# ").unwrap()).unwrap();
    assert_eq!(header["scene"], "Two");
    let columns: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(&columns[..8], ["frame", "time", "a", "b", "state", "inside", "distance", "signed_distance"]);
    assert_eq!(lines.len(), 2 + 6 + 1);
    let row = lines[4].replace("\"a, b\"", "ab");
    let cells: Vec<&str> = row.split(',').collect();
    assert_eq!(cells.len(), columns.len());
    let cell = |name: &str| cells[columns.iter().position(|column| *column == name).unwrap()];
    assert_eq!((cell("frame"), cell("a"), cell("b")), ("1", "ab", "mover"));
    assert_eq!((cell("distance"), cell("pose_b_x"), cell("normal_x")), ("1", "3", "1"));
    assert_eq!(lines[8], r##"# {"complete":true,"rows":6}"##);
}

#[test]
fn planar_recordings_have_planar_columns() {
    let text = "planar = true\n[body.a]\nshape = { kind = \"point\" }\n[body.b]\nshape = { kind = \"point\" }\n\
                pose = { translation = [3, 4], angle = 90 }\n[track]\nframes = 1\nstep = 1\n";
    let scene = Scene::parse(text, &Context::default()).unwrap();
    let folder = Folder::new("planar-csv");
    let text = record(&folder, "run.csv", &scene);
    let columns: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    let cells: Vec<&str> = text.lines().nth(2).unwrap().split(',').collect();
    assert_eq!(cells.len(), columns.len());
    let cell = |name: &str| cells[columns.iter().position(|column| *column == name).unwrap()];
    assert_eq!((cell("distance"), cell("pose_b_angle")), ("5", "90"));
    let lines = record(&folder, "run.jsonl", &scene);
    let row: Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(row["poses"][1], json!({"translation": [3, 4], "angle": 90}));
}

#[test]
fn recordings_without_a_row_leave_things_as_they_were() {
    let folder = Folder::new("dropped");
    let scene = scene();
    let path = folder.write("run.jsonl", "before");
    drop(Recorder::create(&path, &scene, scene.track().unwrap()).unwrap());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before", "what was there stays");
    drop(Recorder::create(&folder.0.join("other.jsonl"), &scene, scene.track().unwrap()).unwrap());
    assert_eq!(folder.names(), ["run.jsonl"]);
}

#[test]
fn recordings_cut_off_have_all_frames_before_and_no_end() {
    let folder = Folder::new("cut");
    let scene = scene();
    let path = folder.0.join("run.jsonl");
    let mut recorder = Recorder::create(&path, &scene, scene.track().unwrap()).unwrap();
    run_track(&scene, scene.track().unwrap(), Wants::default(), None, |row| {
        recorder.row(row)?;
        // Rows of whole frames are in the file while the run goes on: two pairs a frame, after the header.
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines as u32 > 2 * row.frame, "{lines} lines in frame {}", row.frame);
        Ok(())
    })
    .unwrap();
    drop(recorder);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1 + 6);
    assert!(!text.contains("complete"));
}

#[test]
fn pages_hold_the_viewer_and_the_parts_of_the_recording() {
    let folder = Folder::new("page");
    let text = record(&folder, "run.html", &scene());
    assert!(text.starts_with(VIEWER));
    let parts: Vec<&str> = text[VIEWER.len()..].lines().collect();
    let names = ["header", "frames", "end"];
    assert_eq!(parts.len(), names.len());
    for (part, name) in parts.iter().zip(names) {
        assert!(part.starts_with(&format!("<script type=\"text/plain\" data-part=\"{name}\">")), "{part}");
    }
}

#[test]
fn pages_of_recordings_that_are_none_are_refused() {
    let mut page = Page::new(Vec::new(), 1).unwrap();
    assert_eq!(page.line("{}").unwrap_err().code(), "bad_file");
    assert_eq!(page.line("{").unwrap_err().code(), "bad_json");
    assert_eq!(page.read(&b"{\"recording\": 2, \"bod"[..], || true).unwrap_err().code(), "bad_file");
    assert_eq!(page.read(&b""[..], || true).unwrap_err().code(), "bad_file");
}

/// What the parts of a page hold: their names, and the rows of those with frames.
fn parts(page: &str) -> Vec<(String, usize)> {
    let parts = page[VIEWER.len()..].lines().map(|part| {
        let (name, text) = part.split_once("data-part=\"").unwrap().1.split_once("\">").unwrap();
        let packed = STANDARD.decode(text.strip_suffix("</script>").unwrap()).unwrap();
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        if name != "frames" {
            return (name.to_owned(), 0);
        }
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        let rows = json["rows"].as_array().unwrap().iter().map(|rows| rows.as_array().unwrap().len()).sum();
        (name.to_owned(), rows)
    });
    parts.collect()
}

/// Wherever the lines were cut off, a page has every row that is whole.
#[test]
fn lines_cut_off_at_any_byte_become_a_page_up_to_their_last_row() {
    let folder = Folder::new("any-byte");
    let text = record(&folder, "run.jsonl", &scene());
    let header = text.lines().next().unwrap().len();
    let mut whole = 0;
    for cut in 0..=text.len() {
        let mut page = Page::new(Vec::new(), 1).unwrap();
        let read = page.read(&text.as_bytes()[..cut], || true);
        if cut < header {
            assert_eq!(read.unwrap_err().code(), "bad_file", "cut at {cut}");
            continue;
        }
        assert!(read.unwrap(), "cut at {cut}");
        let found = parts(std::str::from_utf8(&page.into_inner().unwrap()).unwrap());
        // The last byte of a line is its brace; the end of the line may be missing.
        let rows = text[header..cut].matches("}}").count();
        let complete = cut + 1 >= text.len();
        let rows = if complete { 6 } else { rows };
        assert_eq!(found.iter().map(|(_, rows)| rows).sum::<usize>(), rows, "cut at {cut}");
        assert_eq!(found.iter().any(|(name, _)| name == "end"), complete, "cut at {cut}");
        whole += usize::from(complete);
    }
    assert_eq!(whole, 2, "with and without the end of its last line");
}

/// Events of a simulation are most of what it records; on a page they are packed.
#[test]
fn pages_pack_events_and_bodies_at_rest() {
    let header =
        r#"{"recording": 2, "bodies": [{"name": "a", "pose": {"translation": [1, 2, 3]}}], "shapes": {}}"#;
    let length = |frames: u64| {
        let mut page = Page::new(Vec::new(), 1).unwrap();
        page.line(header).unwrap();
        for frame in 0..frames {
            let pose = r#"{"translation": [1, 2, 3], "rotation": [0, 0, 0, 1]}"#;
            page.line(&format!(r#"{{"frame": {frame}, "time": {frame}, "body": "a", "pose": {pose}}}"#))
                .unwrap();
            // Impulses at rest differ in their last digits from step to step.
            let event = |k: u64| {
                let push = 1.0 + 1e-9 * ((frame * 7 + k) % 11) as f64;
                format!(
                    r#"{{"point": [{k}.25, 0, 0.1], "normal": [0, 0, 1], "impulse": [{push}, 0, 0], "gap": 0}}"#
                )
            };
            let events: Vec<String> = (0..40).map(event).collect();
            page.line(&format!(
                r#"{{"frame": {frame}, "time": {frame}, "events": [{}]}}"#,
                events.join(", ")
            ))
            .unwrap();
        }
        page.into_inner().unwrap().len() - VIEWER.len()
    };
    let (few, many) = (length(128), length(1280));
    assert!(many - few < 9 * 3000, "{few} bytes, {many} bytes");
}

#[test]
fn pages_show_every_so_many_frames() {
    let folder = Folder::new("every");
    let lines = record(&folder, "run.jsonl", &scene());
    let length = |every: u32| {
        let mut page = Page::new(Vec::new(), every).unwrap();
        lines.lines().for_each(|line| page.line(line).unwrap());
        page.into_inner().unwrap().len()
    };
    assert!(length(3) < length(1));
}

#[test]
fn names_without_a_layout_are_refused() {
    let folder = Folder::new("layout");
    let scene = scene();
    let create = |name: &str| {
        Recorder::create(&folder.0.join(name), &scene, scene.track().unwrap()).unwrap_err().code()
    };
    assert_eq!(create("run.txt"), "bad_file");
    assert_eq!(create("nowhere/run.csv"), "write_failed");
    assert!(folder.names().is_empty());
}
