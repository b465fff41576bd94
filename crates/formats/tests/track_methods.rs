//! Tracks with a device, with a published method, and with sets of closest points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use clearance_formats::{Context, Error, Recorder, Row, Scene, Track, Units, impact_of_pair, run_track};
use clearance_proximity::published::Settings;
use common::Folder;
use std::path::Path;

fn load(name: &str) -> Scene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    Scene::load(&folder.join(name), Units::Metre).unwrap()
}

fn rows(scene: &Scene, track: &Track) -> Vec<Row> {
    let mut rows = Vec::new();
    run_track(scene, track, Default::default(), None, |row| {
        rows.push(row.clone());
        Ok(())
    })
    .unwrap();
    rows
}

fn parse(text: &str) -> Scene {
    Scene::parse(text, &Context::default()).unwrap()
}

/// 001 figure 5 at 1 kHz: it stays stable, and what the device feels at rest is what springs in a row say.
#[test]
fn figure_5_of_001_is_stable_in_contact() {
    let scene = load("001/figure-5.toml");
    let rows = rows(&scene, scene.track().unwrap());
    assert_eq!(rows.len(), 6001);
    let at = |time: f64| rows[(time * 1000.0).round() as usize].coupler.unwrap();
    // The device rests a tenth below where the capsule touches: 0.3 above the block.
    let expected = 0.1 * 800.0 * 20_000.0 / 20_800.0;
    let rest = at(1.99);
    assert!((rest.pull.force.z - expected).abs() < 1e-3 * expected, "{rest:?}, {expected}");
    assert!((rest.pull.contact - expected).abs() < 1e-3 * expected, "{rest:?}, {expected}");
    // In free air nothing is felt but the coupler's own lag.
    assert!(at(0.3).pull.contact == 0.0 && at(5.9).pull.contact == 0.0);
    assert!(rows.iter().all(|row| row.answer.signed_distance.unwrap() > -0.01), "no deeper than springs say");
    let contacts = rows.iter().filter(|row| row.coupler.unwrap().pull.contact > 0.0).count();
    assert!(contacts > 2000, "{contacts}");
    // While the device rests, energy does not grow from one step to the next.
    for pair in rows[1050..1990].windows(2) {
        let [one, next] = [&pair[0], &pair[1]].map(|row| row.coupler.unwrap().energy);
        assert!(next <= one * (1.0 + 1e-9), "{one} to {next} at {}", pair[0].time);
    }
}

/// Why a scene cannot be read, or run.
fn refused(text: &str) -> Error {
    let ran = |scene: Scene| {
        let track = scene.track().unwrap();
        run_track(&scene, track, Default::default(), None, |_| Ok(()))
    };
    Scene::parse(text, &Context::default()).and_then(ran).unwrap_err()
}

const PULLED: &str = r#"
[body.ball]
shape = { kind = "sphere", radius = 1 }
fixed = true
[body.tool]
shape = { kind = "box", size = [0.4, 0.3, 0.2] }
pose = { translation = [0.2, 0.1, 1.05], axis_angle = [1, 0, 0, 30] }
[track]
frames = 1500
step = 0.001
[track.coupler]
body = "tool"
mass = 0.1
stiffness = 500
"#;

/// Released in overlap with a curved body, a tool comes to rest without gaining energy, at any stiffness of the contact.
#[test]
fn coupler_gains_no_energy() {
    for stiffness in ["1e2", "1e4", "1e6"] {
        let scene = parse(&format!("{PULLED}contact_stiffness = {stiffness}\n"));
        let rows = rows(&scene, scene.track().unwrap());
        let energies: Vec<f64> = rows.iter().map(|row| row.coupler.unwrap().energy).collect();
        let first = energies[0];
        assert!(first > 0.0);
        let most = energies.iter().fold(0.0_f64, |most, e| most.max(*e));
        assert!(most <= first * (1.0 + 1e-6), "{stiffness}: {first} to {most}");
        let (late, last) = (energies[1000], energies[1499]);
        assert!(last <= late * (1.0 + 1e-9) && (late - last) <= 1e-3 * first, "{stiffness}: still moving");
    }
}

#[test]
fn coupler_with_bad_numbers_is_refused_with_its_place() {
    for (bad, code) in [
        ("stiffness = -1", "bad_value"),
        ("stiffness = 500\ndamping = -1", "bad_value"),
        ("stiffness = 500\nspring = 1", "unknown_key"),
        ("", "missing_field"),
    ] {
        let text = PULLED.replace("stiffness = 500", bad);
        let error = Scene::parse(&text, &Context::default()).unwrap_err();
        assert_eq!(error.code(), code, "{bad}: {error}");
    }
    let text = PULLED.replace("body = \"tool\"", "body = \"cup\"");
    assert_eq!(Scene::parse(&text, &Context::default()).unwrap_err().code(), "unknown_name");
}

const BALLS: &str = r#"
[body.big]
shape = { kind = "ellipsoid", radii = [1, 0.8, 2] }
fixed = true
[body.egg]
shape = { kind = "ellipsoid", radii = [0.3, 0.4, 0.5] }
pose = { translation = [3, 0, 0] }
motion = [{ velocity = [0, 0.5, 0.3], angular_velocity = [20, 10, 0] }]
[track]
frames = 1001
step = 0.001
"#;

#[test]
fn methods_follow_the_certified_answer() {
    for (method, gain, allowed) in
        [("newton", 1, 1e-3), ("feedback", 500, 1e-4), ("auto", 500, 1e-4), ("switching", 50, 1e-2)]
    {
        for integrator in ["euler", "rk2", "rk4"] {
            let scene = parse(&format!(
                "{BALLS}method = \"{method}\"\nintegrator = \"{integrator}\"\ngain = {gain}\n"
            ));
            let mut track = scene.track().unwrap().clone();
            track.frames = 301;
            let rows = rows(&scene, &track);
            let worst = rows
                .iter()
                .map(|row| (row.method.as_ref().unwrap().distance - row.answer.distance).abs())
                .fold(0.0, f64::max);
            assert!(worst < allowed, "{method} {integrator}: {worst}");
            assert_eq!(rows[0].method.as_ref().unwrap().features, ["S1", "S1"]);
        }
    }
}

#[test]
fn method_takes_several_steps_in_a_frame() {
    let text = BALLS.replace("frames = 1001\nstep = 0.001", "frames = 31\nstep = 0.01");
    let scene = parse(&format!("{text}method = \"feedback\"\nrate = 2000\n"));
    let rows = rows(&scene, scene.track().unwrap());
    assert!(
        rows.iter().all(|row| { (row.method.as_ref().unwrap().distance - row.answer.distance).abs() < 1e-5 })
    );
}

#[test]
fn point_through_an_outline_keeps_its_sign() {
    let scene = load("001/figure-8.toml");
    let mut track = scene.track().unwrap().clone();
    let settings = clearance_proximity::published::Settings { rate: 500.0, ..Default::default() };
    track = track.at_rate(10.0).unwrap();
    track.method = Some(settings);
    let rows = rows(&scene, &track);
    let (mut inside, mut crossings, mut worst, mut jumps) = (0, 0, 0.0_f64, 0);
    for pair in rows.windows(2) {
        let [one, next] = [&pair[0], &pair[1]].map(|row| row.answer.signed_distance.unwrap());
        inside += usize::from(next < 0.0);
        crossings += usize::from((one < 0.0) != (next < 0.0));
        jumps += usize::from(next < 0.0 && pair[0].answer.features != pair[1].answer.features);
        // The point moves little in a step, and a distance no more than it.
        let way: f64 = pair[1].poses.iter().zip(&pair[0].poses).map(|(p, q)| shift(p, q)).sum();
        assert!((next - one).abs() <= way + 1e-9, "{one} to {next} at {}", pair[0].time);
        worst = worst.max((pair[1].method.as_ref().unwrap().distance - next).abs());
    }
    assert!(
        inside > 100 && crossings >= 1 && jumps >= 1,
        "{inside} inside, {crossings} crossings, {jumps} jumps"
    );
    assert!(worst < 0.05, "the method as published is off by {worst}");
}

fn shift(p: &clearance_formats::AnyPose, q: &clearance_formats::AnyPose) -> f64 {
    match (p, q) {
        (clearance_formats::AnyPose::Planar(p), clearance_formats::AnyPose::Planar(q)) => {
            p.translation().distance(q.translation())
        }
        _ => 0.0,
    }
}

#[test]
fn methods_refuse_by_name_what_they_cannot() {
    let with = |shape: &str| BALLS.replace(r#"{ kind = "ellipsoid", radii = [1, 0.8, 2] }"#, shape);
    let written = |text: &str| {
        let error = refused(&format!("{text}method = \"feedback\"\n"));
        assert_eq!(
            (error.key(), error.line()),
            (Some("track.method"), Some(text.lines().count() + 1)),
            "{error}"
        );
        error
    };
    // As a command line does, which names a method for a scene without one.
    let run = |text: &str| {
        let scene = parse(text);
        let track = Track { method: Some(Settings::default()), ..scene.track().unwrap().clone() };
        run_track(&scene, &track, Default::default(), None, |_| Ok(())).unwrap_err()
    };
    for (shape, name) in [
        (r#"{ kind = "box", size = [1, 1, 1] }"#, "`box`"),
        (r#"{ kind = "cylinder", radius = 1, height = 2 }"#, "`big` has trimmed faces"),
        (r#"{ kind = "half_space", normal = [0, 0, 1], offset = -2 }"#, "`half_space`"),
        (r#"{ kind = "union", parts = [{ shape = { kind = "sphere", radius = 1 } }] }"#, "`union`"),
    ] {
        for error in [run(&with(shape)), written(&with(shape))] {
            assert_eq!(error.code(), "unsupported_pair", "{error}");
            assert!(error.message().contains(name), "{error}");
        }
    }
    for (bad, code) in [
        ("method = \"guess\"", "bad_value"),
        ("gain = 5", "bad_value"),
        ("method = \"auto\"\nintegrator = \"rk9\"", "bad_value"),
        ("method = \"auto\"\nrate = 1500", "bad_value"),
        ("want = [\"impact\"]", "bad_value"),
    ] {
        let error = Scene::parse(&format!("{BALLS}{bad}\n"), &Context::default()).unwrap_err();
        assert_eq!(error.code(), code, "{bad}: {error}");
    }
}

/// Frames of a pair whose closest points are not unique: the kind of set, and how far the witness jumps at most.
fn locus(shapes: [&str; 2], motion: &str) -> (Vec<String>, f64) {
    let text = format!(
        "[body.a]\nshape = {}\nfixed = true\n[body.b]\nshape = {}\n{motion}\n[track]\nframes = 8\nstep = 0.05\nwant = [\"locus\"]\n",
        shapes[0], shapes[1]
    );
    let scene = parse(&text);
    let rows = rows(&scene, scene.track().unwrap());
    let kind = |row: &Row| match row.answer.locus.as_ref().unwrap() {
        Some(locus) => locus.kind.to_owned(),
        None => "unique".to_owned(),
    };
    let jump = |pair: &[Row]| {
        let apart = |side: usize| {
            let [p, q] = [&pair[0], &pair[1]].map(|row| row.answer.points[side]);
            p.iter().zip(q.iter()).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
        };
        apart(0).max(apart(1))
    };
    (rows.iter().map(kind).collect(), rows.windows(2).map(jump).fold(0.0, f64::max))
}

#[test]
fn parallel_planes_are_an_area_and_the_witness_stays() {
    let cube = r#"{ kind = "box", size = [1, 1, 1] }"#;
    let (kinds, jump) = locus(
        [cube, cube],
        "pose = { translation = [0.2, 0.1, 2] }\nmotion = [{ velocity = [0.1, 0, 0.1] }]",
    );
    assert!(kinds.iter().all(|kind| kind == "area"), "{kinds:?}");
    assert!(jump < 0.1, "{jump}");
}

#[test]
fn plane_and_cylinder_are_a_curve_and_the_witness_stays() {
    let can = r#"{ kind = "cylinder", radius = 0.5, height = 2 }"#;
    let wall = r#"{ kind = "box", size = [4, 4, 1] }"#;
    let (kinds, jump) = locus(
        [wall, can],
        "pose = { translation = [0, 0, 2], axis_angle = [1, 0, 0, 90] }\nmotion = [{ velocity = [0.2, 0.1, 0.1] }]",
    );
    assert!(kinds.iter().all(|kind| kind == "curve"), "{kinds:?}");
    assert!(jump < 0.1, "{jump}");
}

#[test]
fn coaxial_cylinders_are_a_set_and_the_witness_stays() {
    // A ring around a shaft: every meridian is as near as every other.
    let shaft = r#"{ kind = "cylinder", radius = 0.5, height = 4 }"#;
    let ring = r#"{ kind = "revolve", profile = [{ line = [[1, -0.5], [1.5, -0.5]] }, { line = [[1.5, -0.5], [1.5, 0.5]] }, { line = [[1.5, 0.5], [1, 0.5]] }, { line = [[1, 0.5], [1, -0.5]] }] }"#;
    let (kinds, jump) =
        locus([shaft, ring], "motion = [{ velocity = [0, 0, 0.2], angular_velocity = [0, 0, 30] }]");
    assert!(kinds.iter().all(|kind| kind == "area"), "{kinds:?}");
    assert!(jump < 0.2, "{jump}");
}

#[test]
fn pen_on_the_axis_of_the_bowl_is_near_the_whole_rim() {
    let mut scene = load("004/pen-and-bowl.toml");
    let mut track = scene.track().unwrap().clone();
    // At Y = 4 the tip is on the axis; the run begins a little before.
    let pen = scene.bodies.iter().position(|body| body.name == "pen").unwrap();
    scene.bodies[pen].pose = clearance_formats::AnyPose::from_json(
        r#"{"translation": [0, -0.2, 8.2]}"#,
        false,
        &Context::default(),
    )
    .unwrap();
    assert!((track.step - 0.1).abs() < 1e-12);
    track.frames = 3;
    track.wants.add("locus").unwrap();
    let mut last = None;
    run_track(&scene, &track, Default::default(), None, |row| {
        last = Some(row.clone());
        Ok(())
    })
    .unwrap();
    let locus = last.unwrap().answer.locus.unwrap();
    let locus = locus.expect("the whole rim");
    assert_eq!(locus.kind, "curve");
    let rim: Vec<_> =
        locus.samples.iter().map(|pair| pair.iter().find(|p| p[0].hypot(p[1]) > 3.0).unwrap()).collect();
    assert!(rim.iter().any(|p| p[0] > 3.0) && rim.iter().any(|p| p[0] < -3.0), "all around");
}

/// What is recorded of a run with a device, or with a method, has the numbers that were computed.
#[test]
fn recordings_hold_what_devices_feel_and_methods_say() {
    let folder = Folder::new("felt");
    let record = |scene: &Scene| -> Vec<serde_json::Value> {
        let path = folder.0.join("run.jsonl");
        let track = scene.track().unwrap();
        let mut recorder = Recorder::create(&path, scene, track).unwrap();
        run_track(scene, track, Default::default(), None, |row| recorder.row(row)).unwrap();
        recorder.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|row: &serde_json::Value| row["frame"].is_number())
            .collect()
    };
    let pulled = parse(PULLED);
    let (lines, computed) = (record(&pulled), rows(&pulled, pulled.track().unwrap()));
    assert_eq!(lines.len(), computed.len());
    for (line, row) in lines.iter().zip(&computed) {
        let felt = row.coupler.unwrap();
        let force: Vec<f64> =
            line["device"]["force"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert_eq!(force, felt.pull.force.to_array());
        assert_eq!(line["device"]["contact_force"].as_f64(), Some(felt.pull.contact));
        // The device rests where the scene has the tool, which the contact pushes away.
        assert_eq!(line["device"]["pose"]["translation"], serde_json::json!([0.2, 0.1, 1.05]));
    }
    assert!(lines[1499]["device"]["contact_force"].as_f64().unwrap() > 1.0);

    let mut with = load("000/figure-9.toml");
    with.track = with.track.map(|track| Track { method: Some(Settings::default()), ..track });
    for line in record(&with) {
        let apart = line["distance"].as_f64().unwrap();
        assert!((line["method"]["distance"].as_f64().unwrap() - apart).abs() < 0.1 * apart, "{line}");
        assert!(line["method"]["features"][0].is_string() && line["device"].is_null());
    }
}

#[test]
fn methods_that_do_not_fit_are_refused_at_their_line() {
    let text = "[body.a]\nshape = { kind = \"cylinder\", radius = 1, height = 1 }\n[body.b]\nshape = { kind = \"point\" }\n\
                pose = { translation = [3, 0, 0] }\nmotion = [{ velocity = [-1, 0, 0] }]\n[track]\nframes = 3\nstep = 0.1\nmethod = \"auto\"\n";
    let refused = |text: &str| {
        let error = refused(text);
        (error.code(), error.key().map(str::to_owned), error.line())
    };
    assert_eq!(refused(text), ("unsupported_pair", Some("track.method".to_owned()), Some(10)));
    let pulled = text.replace("cylinder\", radius = 1, height = 1", "sphere\", radius = 1")
        + "[track.coupler]\nbody = \"b\"\nmass = 1\nstiffness = 1\n";
    assert_eq!(refused(&pulled), ("bad_value", Some("track.method".to_owned()), Some(10)));
    let fixed = PULLED.replace("body = \"tool\"", "body = \"ball\"");
    assert_eq!(refused(&fixed), ("bad_value", Some("track.coupler.body".to_owned()), Some(12)));
}

/// What a device does with its tool is not in the motions of the scene, so that nothing is proven by these.
#[test]
fn first_contacts_of_a_tool_on_a_device_are_refused() {
    let scene = parse(PULLED);
    let error = impact_of_pair(&scene, [0, 1], 1.0, Default::default()).unwrap_err();
    assert_eq!((error.code(), error.key()), ("bad_value", Some("track.coupler")));
}

/// A gain of half the method's rate is stable, and at a tenth of that rate it is not: other frames must not change the rate.
#[test]
fn methods_keep_a_rate_of_their_own_at_other_frame_rates() {
    let text = "[body.a]\nshape = { kind = \"sphere\", radius = 1 }\n[body.b]\nshape = { kind = \"point\" }\n\
                pose = { translation = [3, 0, 0] }\nmotion = [{ velocity = [-0.5, 1, 0.3] }]\n\
                [track]\nframes = 21\nstep = 0.1\nmethod = \"feedback\"\ngain = 500\nrate = 1000\n";
    let scene = parse(text);
    let track = scene.track().unwrap();
    for frames in [10.0, 100.0, 500.0] {
        let run = rows(&scene, &track.at_rate(frames).unwrap());
        let off = |row: &Row| (row.method.as_ref().unwrap().distance - row.answer.distance).abs();
        let most = run.iter().map(off).fold(0.0, f64::max);
        assert!(most < 1e-4, "{frames}: {most}");
    }
    // One step in a frame, unless it has a rate of its own.
    let plain = parse(&text.replace("rate = 1000\n", "").replace("gain = 500", "gain = 5"));
    assert_eq!(plain.track().unwrap().at_rate(250.0).unwrap().method.unwrap().rate, 250.0);
}
