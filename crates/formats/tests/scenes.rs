//! Scene files: what they mean and every way to get them wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{AnyPose, Context, Error, Scene, Units, Wants, impact_of_pair, run_track};
use clearance_geometry::{DVec3, PlanarPose, Pose};
use clearance_proximity::impact::ImpactEnd;
use common::Folder;

const SHAPES: &str = r#"
[shape.cube]
kind = "box"
size = [2, 2, 2]
[body.still]
shape = "cube"
fixed = true
"#;

fn parse(text: &str) -> Result<Scene, Error> {
    Scene::parse(text, &Context::default())
}

fn moving(motion: &str) -> Scene {
    let text = format!(
        "{SHAPES}\n[body.mover]\nshape = \"cube\"\npose = {{ translation = [5, 0, 0] }}\nmotion = [{motion}]\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Where the mover's point `point` is at time `t`.
fn place(scene: &Scene, t: f64, point: DVec3) -> DVec3 {
    let AnyPose::Solid(pose) = scene.bodies[1].pose_at(t).unwrap() else { panic!() };
    pose.apply(point)
}

fn assert_near(found: DVec3, wanted: [f64; 3]) {
    assert!((found - DVec3::from_array(wanted)).length() < 1e-14, "{found} is not {wanted:?}");
}

#[test]
fn scene_is_read_in_the_order_of_the_file() {
    let scene = parse(
        r#"
        title = "Three"
        units = "mm"
        ignore = [["c", "b"]]
        [body.z]
        shape = { kind = "point" }
        [body.b]
        shape = "cube"
        [body.c]
        shape = "cube"
        pose = { translation = [3, 0, 0], axis_angle = [0, 0, 1, 90] }
        [shape.cube]
        kind = "box"
        size = [2, 2, 2]
        [track]
        frames = 3
        step = 0.5
        "#,
    )
    .unwrap();
    assert_eq!(scene.title.as_deref(), Some("Three"));
    assert_eq!(scene.units, Units::Millimetre);
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["z", "b", "c"]);
    assert_eq!(scene.bodies[0].shape_name, "z");
    assert_eq!(scene.ignore, [[1, 2]]);
    let track = scene.track().unwrap();
    assert_eq!((track.frames, track.step), (3, 0.5));
    assert_eq!(track.pairs, [[0, 1], [0, 2]], "all pairs but the ignored");
}

#[test]
fn pairs_are_taken_as_given_without_the_ignored() {
    let text = format!(
        "{SHAPES}\n[body.b]\nshape = \"cube\"\n[body.c]\nshape = \"cube\"\n\
         [track]\npairs = [[\"c\", \"still\"], [\"b\", \"c\"]]\nignore = [[\"c\", \"b\"]]\nframes = 1\nstep = 1\n"
    );
    assert_eq!(parse(&text).unwrap().track().unwrap().pairs, [[2, 0]]);
}

#[test]
fn velocities_move_the_origin_and_turn_about_it() {
    let scene = moving("{ velocity = [0, 1, 0], angular_velocity = [0, 0, 45] }");
    assert_near(place(&scene, 2.0, DVec3::ZERO), [5.0, 2.0, 0.0]);
    assert_near(place(&scene, 2.0, DVec3::X), [5.0, 3.0, 0.0]);
}

#[test]
fn spin_turns_about_a_line_of_the_world() {
    let scene = moving("{ spin = { axis = [0, 0, 1], pivot = [4, 0, 0], degrees_per_second = 90 } }");
    assert_near(place(&scene, 1.0, DVec3::ZERO), [4.0, 1.0, 0.0]);
    assert_near(place(&scene, 2.0, DVec3::ZERO), [3.0, 0.0, 0.0]);
    let origin = moving("{ spin = { axis = [0, 0, 1], degrees_per_second = 90 } }");
    assert_near(place(&origin, 1.0, DVec3::ZERO), [0.0, 5.0, 0.0]);
}

#[test]
fn motions_compose_first_to_last() {
    let scene = moving(
        "{ velocity = [1, 0, 0] }, { spin = { axis = [0, 0, 1], pivot = [0, 0, 0], degrees_per_second = 90 } }",
    );
    // At t = 1 the first motion has brought the origin to (6, 0, 0); the second turns that.
    assert_near(place(&scene, 1.0, DVec3::ZERO), [0.0, 6.0, 0.0]);
}

#[test]
fn body_frames_take_axis_and_pivot_in_the_body() {
    let scene = moving(
        "{ spin = { axis = [0, 0, 1], pivot = [1, 0, 0], degrees_per_second = 90 }, frame = \"body\" }",
    );
    assert_near(place(&scene, 1.0, DVec3::X), [6.0, 0.0, 0.0]);
    assert_near(place(&scene, 1.0, DVec3::ZERO), [6.0, -1.0, 0.0]);
    let text = format!(
        "{SHAPES}\n[body.mover]\nshape = \"cube\"\npose = {{ axis_angle = [0, 0, 1, 90] }}\n\
         motion = [{{ velocity = [1, 0, 0], frame = \"body\" }}]\n"
    );
    assert_near(place(&parse(&text).unwrap(), 2.0, DVec3::ZERO), [0.0, 2.0, 0.0]);
}

#[test]
fn keyframes_are_interpolated_and_held() {
    let folder = Folder::new("keyframes");
    let half = std::f64::consts::FRAC_1_SQRT_2;
    folder.write(
        "poses.csv",
        format!("t,x,y,z,qx,qy,qz,qw\r\n1,0,0,0,0,0,0,1\r\n3,2,4,0,0,0,{half},{half}\n5,2,4,8,0,0,-{half},-{half}\n"),
    );
    let scene_file = folder.write(
        "scene.toml",
        format!("{SHAPES}\n[body.mover]\nshape = \"cube\"\nmotion = [{{ keyframes = \"poses.csv\" }}]\n"),
    );
    let scene = Scene::load(&scene_file, Units::Metre).unwrap();
    assert_near(place(&scene, 0.0, DVec3::X), [1.0, 0.0, 0.0]);
    assert_near(place(&scene, 3.0, DVec3::ZERO), [2.0, 4.0, 0.0]);
    assert_near(place(&scene, 2.0, DVec3::ZERO), [1.0, 2.0, 0.0]);
    assert_near(place(&scene, 2.0, DVec3::X), [1.0 + half, 2.0 + half, 0.0]);
    // The next quaternion is the same rotation with the other sign: the short way is to stay.
    assert_near(place(&scene, 4.0, DVec3::X), [2.0, 5.0, 4.0]);
    assert_near(place(&scene, 99.0, DVec3::ZERO), [2.0, 4.0, 8.0]);
}

/// A bar from the origin along x makes a half turn by keyframes. Beside its way, at 90 or at -90 degrees, a post stands: the bar
/// comes to it half-way, or never, as it goes round this way or that.
fn post_is_met(folder: &Folder, frames: &str, planar: bool, side: f64) -> (bool, bool) {
    folder.write("turn.csv", frames);
    let (bar, post, place) = if planar {
        (
            "[2, -0.1], [2, 0.1], [0, 0.1], [0, -0.1]",
            "[-0.1, -0.5], [0.1, -0.5], [0, 0.5]",
            format!("[0, {side}]"),
        )
    } else {
        (
            "[2, -0.1, 0], [2, 0.1, 0], [0, 0, 0.1], [0, 0, -0.1]",
            "[-0.1, -0.5, 0], [0.1, -0.5, 0], [0, 0.5, 0.1], [0, 0, -0.1]",
            format!("[0, {side}, 0]"),
        )
    };
    let kind = if planar { "polygon" } else { "polytope" };
    let text = format!(
        "planar = {planar}\n[body.bar]\nshape = {{ kind = \"{kind}\", points = [{bar}] }}\nmotion = [{{ keyframes = \"turn.csv\" }}]\n\
         [body.post]\nshape = {{ kind = \"{kind}\", points = [{post}] }}\npose = {{ translation = {place} }}\n\
         [track]\nframes = 41\nstep = 0.025\n"
    );
    let scene = Scene::load(&folder.write("turn.toml", text), Units::Metre).unwrap();
    let track = scene.track().unwrap();
    let tracked = run_track(&scene, track, Wants::default(), None, |_| Ok(())).unwrap().contacts > 0;
    let found = impact_of_pair(&scene, track.pairs[0], 1.0, Default::default()).unwrap();
    assert_ne!(found.ended, ImpactEnd::Limit);
    (tracked, found.ended == ImpactEnd::Contact)
}

#[test]
fn half_turns_of_keyframes_go_the_same_way_for_tracks_and_first_contacts() {
    let folder = Folder::new("half-turns");
    let planar = |from: f64, to: f64| format!("t,x,y,angle\n0,0,0,{from}\n1,0,0,{to}\n");
    let solid = |from: &str, to: &str| format!("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,{from}\n1,0,0,0,{to}\n");
    // Whether the way leads over 90 degrees: as the angles are written, and as quaternions have it.
    let ways = [
        (true, planar(0.0, 180.0), true),
        (true, planar(0.0, -180.0), false),
        (true, planar(180.0, 0.0), true),
        (true, planar(-180.0, 0.0), false),
        (true, planar(10.0, 190.0), true),
        (true, planar(30.0, 210.0), true),
        (true, planar(37.0, -143.0), false),
        (true, planar(0.0, 540.0), true),
        (true, planar(0.0, 179.0), true),
        (true, planar(0.0, -179.0), false),
        (false, solid("0,0,0,1", "0,0,1,0"), true),
        (false, solid("0,0,0,1", "0,0,-1,0"), false),
        (false, solid("0,0,0,1", "0,0,1,-1e-9"), false),
        (false, solid("0,0,1,0", "0,0,0,1"), true),
    ];
    for (is_planar, frames, upward) in ways {
        for (side, met) in [(1.5, upward), (-1.5, !upward)] {
            let found = post_is_met(&folder, &frames, is_planar, side);
            assert_eq!(found, (met, met), "{frames} at {side}");
        }
    }
}

#[test]
fn bad_keyframes_name_file_and_line() {
    let folder = Folder::new("bad-keyframes");
    let scene_file = folder.write(
        "scene.toml",
        format!("{SHAPES}\n[body.mover]\nshape = \"cube\"\nmotion = [{{ keyframes = \"poses.csv\" }}]\n"),
    );
    let load = || Scene::load(&scene_file, Units::Metre).unwrap_err();
    let missing = load();
    assert_eq!((missing.code(), missing.line()), ("file_not_found", Some(11)));
    assert!(missing.to_string().contains("poses.csv"), "{missing}");
    let header = "t,x,y,z,qx,qy,qz,qw\n";
    for (text, code, word) in [
        ("time,x\n".to_owned(), "bad_file", "first line"),
        (header.to_owned(), "bad_file", "no keyframes"),
        (format!("{header}0,0,0,0,0,0,0,1\n0,0,0,0,0,0,0,1\n"), "bad_file", "line 3"),
        (format!("{header}0,0,0,0,0,0,1\n"), "bad_file", "line 2"),
        (format!("{header}0,0,0,x,0,0,0,1\n"), "bad_file", "`x`"),
        (format!("{header}0,0,0,inf,0,0,0,1\n"), "bad_file", "not finite"),
        (format!("{header}0,0,0,0,0,0,0,2\n"), "bad_rotation", "line 2"),
    ] {
        folder.write("poses.csv", &text);
        let error = load();
        assert_eq!(error.code(), code, "{text}");
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(error.key(), Some("body.mover.motion[0].keyframes"));
        assert_eq!(error.file(), Some(scene_file.as_path()));
    }
}

#[test]
fn planar_scenes_have_planar_poses_and_motions() {
    let folder = Folder::new("planar-scene");
    folder.write("poses.csv", "t,x,y,angle\n0,0,0,170\n2,2,0,-170\n");
    let text = r#"
        planar = true
        [body.a]
        shape = { kind = "polygon", points = [[0, 0], [1, 0], [0, 1]] }
        pose = { translation = [1, 2], angle = 90 }
        motion = [{ velocity = [1, 0], angular_velocity = 90 }]
        [body.b]
        shape = { kind = "point" }
        pose = { translation = [5, 0] }
        motion = [{ spin = { pivot = [4, 0], degrees_per_second = 90 } }]
        [body.c]
        shape = { kind = "segment", points = [[0, 0], [1, 0]] }
        motion = [{ keyframes = "poses.csv" }]
        [track]
        frames = 2
        step = 1
        "#;
    let scene = Scene::load(&folder.write("scene.toml", text), Units::Metre).unwrap();
    let pose = |body: usize, t: f64| -> PlanarPose {
        let AnyPose::Planar(pose) = scene.bodies[body].pose_at(t).unwrap() else { panic!() };
        pose
    };
    assert_eq!((pose(0, 1.0).cos(), pose(0, 1.0).translation().to_array()), (-1.0, [2.0, 2.0]));
    assert_eq!(pose(1, 1.0).translation().to_array(), [4.0, 1.0]);
    assert!((pose(2, 1.0).angle().abs() - std::f64::consts::PI).abs() < 1e-14, "the short way round");
    let summary = run_track(&scene, scene.track().unwrap(), Wants::default(), None, |_| Ok(())).unwrap();
    assert_eq!(summary.rows, 6);
}

#[test]
fn planar_scenes_refuse_solid_shapes() {
    let error = parse("planar = true\n[body.a]\nshape = { kind = \"box\", size = [1, 1, 1] }\n").unwrap_err();
    assert_eq!((error.code(), error.line()), ("dimension_mismatch", Some(3)));
}

#[test]
fn mixed_pairs_are_refused() {
    let text = format!(
        "{SHAPES}\n[body.flat]\nshape = {{ kind = \"point\", planar = true }}\n\
         [track]\npairs = [[\"flat\", \"still\"]]\nframes = 1\nstep = 1\n"
    );
    assert_eq!(parse(&text).unwrap_err().code(), "dimension_mismatch");
}

#[test]
fn errors_name_line_and_key() {
    for (text, code, line, key) in [
        ("title = ", "bad_toml", 1, None),
        ("title = \"a\"\n[body\n", "bad_toml", 2, None),
        ("[shape.a]\nkind = \"point\"\n[shape.a]\nkind = \"point\"\n", "duplicate_name", 3, None),
        ("[body.a]\nshape = \"x\"\nshape = \"y\"\n", "duplicate_name", 3, None),
        ("colour = 1\n[body.a]\nshape = { kind = \"point\" }\n", "unknown_key", 1, Some("colour")),
        ("title = \"a\"\n", "missing_field", 1, None),
        ("[body.a]\nshape = \"x\"\n", "unknown_name", 2, Some("body.a.shape")),
        ("[body.a]\nmass = 1\n", "missing_field", 1, Some("body.a")),
        ("[body.a]\nshape = { kind = \"point\" }\ncolour = 1\n", "unknown_key", 3, Some("body.a.colour")),
        (
            "[shape.s]\nkind = \"box\"\nsize = [1, 2, nan]\n[body.a]\nshape = \"s\"",
            "not_finite",
            3,
            Some("shape.s.size"),
        ),
        (
            "[shape.s]\nkind = \"box\"\nsize = [1, 2, 1e999]\n[body.a]\nshape = \"s\"",
            "number_out_of_range",
            3,
            Some("shape.s.size[2]"),
        ),
        ("[shape.s]\nkind = \"sphere\"\n[body.a]\nshape = \"s\"", "missing_field", 1, Some("shape.s")),
        ("[shape.s]\nkind = \"ball\"\n[body.a]\nshape = \"s\"", "unknown_kind", 2, Some("shape.s.kind")),
        ("units = \"ft\"\n[body.a]\nshape = { kind = \"point\" }\n", "unknown_units", 1, Some("units")),
        (
            "[body.a]\nshape = { kind = \"point\" }\npose = { rotation = [0, 0, 0, 2] }\n",
            "bad_rotation",
            3,
            Some("body.a.pose.rotation"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\npose = { rotation = [0, 0, 0, 1], axis_angle = [0, 0, 1, 1] }\n",
            "pose_conflict",
            3,
            Some("body.a.pose"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\nmotion = [{ spin = { axis = [0, 0, 2], degrees_per_second = 1 } }]\n",
            "bad_rotation",
            3,
            Some("body.a.motion[0].spin.axis"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\nmotion = [{ speed = 1 }]\n",
            "unknown_key",
            3,
            Some("body.a.motion[0].speed"),
        ),
        ("[body.a]\nshape = { kind = \"point\" }\nmotion = [{}]\n", "bad_value", 3, Some("body.a.motion[0]")),
        (
            "[body.a]\nshape = { kind = \"point\" }\nfixed = true\nmotion = [{ velocity = [1, 0, 0] }]\n",
            "bad_value",
            4,
            Some("body.a.motion"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 0\nstep = 1\n",
            "bad_value",
            4,
            Some("track.frames"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 1.5\nstep = 1\n",
            "bad_value",
            4,
            Some("track.frames"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 2\nstep = 0\n",
            "bad_value",
            5,
            Some("track.step"),
        ),
        ("[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 2\n", "missing_field", 3, Some("track")),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 2\nstep = 1\npairs = [[\"a\", \"b\"]]\n",
            "unknown_name",
            6,
            Some("track.pairs[0][1]"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[track]\nframes = 2\nstep = 1\npairs = [[\"a\", \"a\"]]\n",
            "bad_value",
            6,
            Some("track.pairs[0]"),
        ),
        ("ignore = [[\"a\"]]\n[body.a]\nshape = { kind = \"point\" }\n", "wrong_type", 1, Some("ignore[0]")),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[simulation]\nspeed = 1\n",
            "unknown_key",
            4,
            Some("simulation.speed"),
        ),
        (
            "[body.a]\nshape = { kind = \"point\" }\n[[joint]]\nkind = \"ball\"\ncolour = 1\n",
            "unknown_key",
            5,
            Some("joint[0].colour"),
        ),
        (
            "[body.a]\nshape = { kind = \"mesh\", file = \"nowhere.stl\" }\n",
            "file_not_found",
            2,
            Some("body.a.shape.file"),
        ),
    ] {
        let error = parse(text).map(|_| ()).expect_err(text);
        assert_eq!((error.code(), error.line(), error.key()), (code, Some(line), key), "{text}\n{error}");
    }
}

#[test]
fn sections_of_later_versions_are_read_and_refused_when_run() {
    let text = format!(
        "{SHAPES}\n[simulation]\nstep = 0.01\nduration = 1\ngravity = [0, 0, -9.81]\ncone = {{ facets = 8 }}\n\
         [plan]\nrobot = \"still\"\nignore = []\n[[joint]]\nkind = \"ball\"\na = \"still\"\nb = \"world\"\n"
    );
    let scene = parse(&text).unwrap();
    assert_eq!(scene.later_sections, ["plan"]);
    assert_eq!(scene.run_section("plan").unwrap_err().code(), "unsupported_feature");
    assert_eq!(scene.simulation().unwrap_err().code(), "bad_value", "nothing that moves hangs on the joint");
    assert_eq!(parse(SHAPES).unwrap().run_section("plan").unwrap_err().code(), "missing_field");
    assert_eq!(scene.track().unwrap_err().code(), "missing_field");
}

#[test]
fn missing_scene_names_the_file() {
    let path = std::path::Path::new("nowhere.toml");
    let error = Scene::load(path, Units::Metre).unwrap_err();
    assert_eq!((error.code(), error.file()), ("file_not_found", Some(path)));
}

#[test]
fn scene_units_hold_unless_given() {
    assert_eq!(Scene::parse(SHAPES, &Context::new("", Units::Inch)).unwrap().units, Units::Inch);
    let text = format!("units = \"mm\"\n{SHAPES}");
    assert_eq!(Scene::parse(&text, &Context::new("", Units::Inch)).unwrap().units, Units::Millimetre);
}

#[test]
fn rate_keeps_the_span_of_time() {
    let text = format!("{SHAPES}\n[track]\nframes = 11\nstep = 0.1\n");
    let scene = parse(&text).unwrap();
    let faster = scene.track().unwrap().at_rate(100.0).unwrap();
    assert_eq!((faster.frames, faster.step), (101, 0.01));
    assert_eq!(scene.track().unwrap().at_rate(0.0).unwrap_err().code(), "bad_value");
    assert_eq!(scene.track().unwrap().at_rate(f64::NAN).unwrap_err().code(), "bad_value");
}

#[test]
fn tracked_rows_agree_with_single_questions() {
    let text = format!(
        "{SHAPES}\n[body.mover]\nshape = \"cube\"\npose = {{ translation = [4, 0.3, 0.2] }}\n\
         motion = [{{ velocity = [-1, 0, 0], angular_velocity = [10, 20, 30] }}]\n\
         [track]\npairs = [[\"mover\", \"still\"]]\nframes = 81\nstep = 0.1\n"
    );
    let scene = parse(&text).unwrap();
    let mut states = std::collections::BTreeMap::new();
    let summary = run_track(&scene, scene.track().unwrap(), Wants::default(), None, |row| {
        let [a, b] = row.pair;
        let request = clearance_formats::Request::new(
            &scene.bodies[a].shape,
            row.poses[0],
            &scene.bodies[b].shape,
            row.poses[1],
        );
        let once = clearance_formats::answer(&request)?;
        assert!((once.nearness() - row.answer.nearness()).abs() < 1e-12, "frame {}", row.frame);
        assert_eq!(once.state, row.answer.state);
        *states.entry(row.answer.state_words().0).or_insert(0) += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(summary.rows, 81);
    assert!(states["separated"] > 20 && states["penetrating"] > 10, "{states:?}");
    assert_eq!(summary.contacts, 81 - states["separated"]);
    assert!(summary.closest.unwrap().0 < -1.0);
}

#[test]
fn committed_scenes_are_read_and_run() {
    let root = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    let mut run = 0;
    for folder in
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_none_or(|end| end != "toml") {
                continue;
            }
            let scene = Scene::load(&file, Units::Metre).unwrap_or_else(|error| panic!("{error}"));
            let Some(track) = &scene.track else { continue };
            let short = clearance_formats::Track { frames: track.frames.min(3), ..track.clone() };
            let summary = run_track(&scene, &short, Wants::default(), None, |_| Ok(())).unwrap();
            assert_eq!(summary.rows, short.pairs.len() * short.frames as usize);
            run += 1;
        }
    }
    assert!(run > 0);
}

#[test]
fn runaway_motions_are_errors() {
    let scene = moving("{ velocity = [1e308, 0, 0] }");
    let error = scene.bodies[1].pose_at(1e10).unwrap_err();
    assert_eq!(error.code(), "not_finite");
    assert_eq!(scene.bodies[0].pose_at(1e10).unwrap(), AnyPose::Solid(Pose::IDENTITY));
}

#[test]
fn a_pair_that_stands_twice_is_refused() {
    let text = format!(
        "{SHAPES}\n[body.mover]\nshape = \"cube\"\n[track]\nframes = 2\nstep = 0.1\npairs = [[\"still\", \"mover\"], [\"still\", \"mover\"]]\n"
    );
    let error = parse(&text).unwrap_err();
    assert_eq!((error.code(), error.key()), ("duplicate_name", Some("track.pairs[1]")), "{error}");
}

const WALLS: &str = r#"
[body.floor]
shape = { kind = "half_space", normal = [0, 0, 1], offset = 0 }
[body.wall]
shape = { kind = "half_space", normal = [1, 0, 0], offset = 0 }
[body.cube]
shape = { kind = "box", size = [2, 2, 2] }
pose = { translation = [5, 0, 5] }
[track]
frames = 2
step = 0.1
"#;

#[test]
fn two_half_spaces_are_no_pair() {
    assert_eq!(parse(WALLS).unwrap().track().unwrap().pairs, [[0, 2], [1, 2]]);
    let error = parse(&format!("{WALLS}pairs = [[\"floor\", \"wall\"]]\n")).unwrap_err();
    assert_eq!((error.code(), error.key()), ("unsupported_pair", Some("track.pairs[0]")), "{error}");
}

#[test]
fn errors_while_tracking_name_file_frame_and_bodies() {
    let folder = Folder::new("far-away");
    let fast = WALLS.replace("pose =", "motion = [{ velocity = [1e60, 0, 0] }]\npose =");
    let scene = Scene::load(&folder.write("fast.toml", fast), Units::Metre).unwrap();
    let track = scene.track().unwrap().clone();
    let error = run_track(&scene, &track, Wants::default(), None, |_| Ok(())).unwrap_err();
    assert_eq!(error.code(), "number_out_of_range");
    let text = error.to_string();
    for part in ["fast.toml", "frame 1", "floor", "cube"] {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}
