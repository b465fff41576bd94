//! Scene files that simulate: the problems of 002, and those under `scenes/dynamics`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use clearance_dynamics::World;
use clearance_formats::{Context, Scene, Simulation, Units, run_simulation};
use clearance_geometry::DVec3;
use std::ops::ControlFlow;
use std::path::Path;

fn scene(name: &str) -> Scene {
    let folder = if name.contains('/') { "../../scenes" } else { "../../scenes/002" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    Scene::load(&path, Units::Metre).unwrap()
}

fn parse(text: &str) -> Result<Simulation, clearance_formats::Error> {
    Scene::parse(text, &Context::default()).and_then(|scene| scene.simulation())
}

/// Runs the first steps of a problem of 002.
fn run(name: &str, steps: u64) -> clearance_formats::SimulationSummary {
    let mut simulation = scene(name).simulation().unwrap();
    assert!(simulation.frames > steps);
    assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
    simulation.frames = steps + 1;
    let mut frames = 0;
    let summary = run_simulation(&simulation, |frame| {
        assert_eq!(frame.index, frames);
        frames += 1;
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    assert_eq!((frames, summary.steps, summary.elastic), (steps + 1, steps, 0));
    summary
}

#[test]
fn section_7_1_of_002_balance2_runs() {
    assert!(run("balance2.toml", 150).infeasibility[1] < 1e-3);
}

#[test]
fn section_7_2_of_002_pyramid1_falls() {
    assert!(run("pyramid1.toml", 100).infeasibility[1] < 1e-3);
}

#[test]
fn section_7_3_of_002_dice3_is_not_quite_at_rest() {
    let summary = run("dice3.toml", 299);
    assert!(summary.infeasibility[1] < 1e-3, "{summary:?}");
    assert!(summary.kinetic > 1e-6 && summary.kinetic < 0.1, "{summary:?}");
}

#[test]
fn section_7_4_of_002_setup6_comes_to_rest() {
    let summary = run("setup6.toml", 400);
    assert!(summary.infeasibility[1] < 1e-3 && summary.kinetic < 1e-9, "{summary:?}");
}

/// The kinetic energy of every frame of a scene, and what `of` says about each.
fn watch<T>(simulation: &Simulation, of: impl Fn(&World) -> T) -> (Vec<f64>, Vec<T>) {
    let (mut kinetic, mut seen) = (Vec::new(), Vec::new());
    run_simulation(simulation, |frame| {
        kinetic.push(frame.world.report().kinetic);
        seen.push(of(frame.world));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    (kinetic, seen)
}

#[test]
fn cans_come_to_rest() {
    let simulation = scene("dynamics/cylinder.toml").simulation().unwrap();
    let (kinetic, deepest) = watch(&simulation, |world| world.report().infeasibility);
    assert!(deepest.iter().all(|&deep| deep < 1e-3));
    let (most, last) = (kinetic.iter().copied().fold(0.0, f64::max), &kinetic[kinetic.len() - 100..]);
    assert!(most > 100.0 && last.iter().all(|&energy| energy < 1e-6 * most), "{most} {last:?}");
}

#[test]
fn eggs_rock() {
    let simulation = scene("dynamics/ellipsoid.toml").simulation().unwrap();
    // How far the axis of the flat one leans over, and all energy.
    let (_, seen) = watch(&simulation, |world| {
        (world.bodies()[1].pose().rotate(DVec3::Z).x, world.report().energy(), world.report().infeasibility)
    });
    assert!(seen.iter().all(|(_, _, deep)| *deep < 1e-3));
    let turns: Vec<f64> = (1..seen.len() - 1)
        .filter(|&k| (seen[k].0 - seen[k - 1].0) * (seen[k + 1].0 - seen[k].0) < 0.0)
        .map(|k| seen[k].0)
        .collect();
    // Over and back, each time to the other side, and as far but for a little.
    assert!(turns.len() > 6, "{turns:?}");
    for pair in turns.windows(2) {
        assert!(pair[0] * pair[1] < 0.0 && pair[1].abs() < 1.02 * pair[0].abs(), "{turns:?}");
        assert!(pair[1].abs() > 0.5 * pair[0].abs(), "{turns:?}");
    }
    // Energy is lost where they land and slip; what the steps bring in, most while the tall one falls over, is less than a part in a thousand.
    let means: Vec<f64> = seen
        .chunks_exact(200)
        .map(|part| part.iter().map(|(_, energy, _)| energy).sum::<f64>() / part.len() as f64)
        .collect();
    assert!(means.iter().all(|&mean| mean < means[0] * (1.0 + 1e-3)), "{means:?}");
}

/// A part of a STEP file dropped on a table or a floor.
fn dropped(part: &str, pose: &str, table: Option<f64>, step: f64) -> Option<Simulation> {
    let file =
        clearance_testkit::data::data_or_skip("parts_of_step_files_come_to_rest", &format!("step/{part}"))?;
    let below = match table {
        Some(size) => format!(
            "shape = {{ kind = \"box\", size = [{}, {}, {size}] }}\npose = {{ translation = [0, 0, {}] }}",
            20.0 * size,
            20.0 * size,
            -size / 2.0
        ),
        None => "shape = { kind = \"half_space\", normal = [0, 0, 1], offset = 0 }".to_owned(),
    };
    let text = format!(
        "[body.below]\n{below}\nfixed = true\n[body.part]\nshape = {{ kind = \"step\", file = \"{}\" }}\n\
         pose = {{ {pose} }}\ndensity = 7800\n[simulation]\nstep = {step}\nduration = 4",
        file.display()
    );
    Some(parse(&text).unwrap())
}

#[test]
fn parts_of_step_files_come_to_rest() {
    let drops = [
        ("screw.step", "translation = [0, 0, 0.04], axis_angle = [0, 1, 0, 60]", 0.05),
        ("linkrods.step", "translation = [0, 0, 0.004], axis_angle = [0.6, 0.8, 0, 60]", 0.02),
        ("m6-countersunk-screw.step", "translation = [0, 0, 0.013], axis_angle = [1, 0, 0, 30]", 0.03),
    ];
    for (part, pose, size) in drops {
        for (step, table) in [(0.01, Some(size)), (0.005, None)] {
            let Some(simulation) = dropped(part, pose, table, step) else { return };
            let (kinetic, seen) =
                watch(&simulation, |world| (world.bodies()[1].position(), world.report().infeasibility));
            let last = (1.0 / step) as usize;
            let most = kinetic.iter().copied().fold(0.0, f64::max);
            let rest = kinetic[kinetic.len() - last..].iter().copied().fold(0.0, f64::max);
            assert!(rest < 1e-6 * most, "{part} at {step} {table:?}: {rest:e} of {most:e}");
            let moved = seen[seen.len() - 1].0.distance(seen[seen.len() - last].0);
            assert!(moved < 1e-2 * size, "{part} at {step} {table:?}: {moved:e}");
            assert!(
                seen[seen.len() - last..].iter().all(|(_, deep)| *deep < 1e-5 * size),
                "{part} at {step}"
            );
        }
    }
}

/// A cylinder on a hinge, a cube and a screw of STEP files on ball joints, which swing down to the floor.
fn flail() -> Option<Simulation> {
    let file = |part: &str| {
        clearance_testkit::data::data_or_skip("mechanisms_of_step_parts_hold", &format!("step/{part}.step"))
    };
    let body = |name: &str, part: &str, pose: &str| {
        let file = file(part)?;
        let shape = format!("{{ kind = \"step\", file = \"{}\" }}", file.display());
        Some(format!("[body.{name}]\nshape = {shape}\npose = {{ {pose} }}\ndensity = 7800\n"))
    };
    let joint = |kind: &str, a: &str, b: &str, x: f64| {
        let axis = if kind == "hinge" { "axis = [0, 1, 0]\n" } else { "" };
        format!("[[joint]]\nkind = \"{kind}\"\na = \"{a}\"\nb = \"{b}\"\nanchor = [{x}, 0, 0.03]\n{axis}")
    };
    let text = [
        "[body.floor]\nshape = { kind = \"half_space\", normal = [0, 0, 1], offset = 0 }\nfixed = true\n"
            .to_owned(),
        body("arm", "occt-cylinder", "translation = [0, 0, 0.03], axis_angle = [0, 1, 0, 90]")?,
        body("cube", "occt-cube", "translation = [0.012, -0.005, 0.02]")?,
        body("screw", "screw", "translation = [0.06, 0, 0.05]")?,
        joint("hinge", "world", "arm", 0.0),
        joint("ball", "arm", "cube", 0.011),
        joint("ball", "cube", "screw", 0.024),
        "[simulation]\nstep = 0.005\nduration = 1\nfriction = 0.3".to_owned(),
    ];
    Some(parse(&text.concat()).unwrap())
}

#[test]
fn mechanisms_of_step_parts_hold() {
    let Some(simulation) = flail() else { return };
    let (_, seen) = watch(&simulation, |world| {
        let open = world.joint_ends().map(|ends| ends.points[0].distance(ends.points[1])).fold(0.0, f64::max);
        let lands = world.events().iter().any(|event| event.impulse[0] > 0.0);
        (open, lands, world.report().infeasibility, world.bodies()[3].position())
    });
    assert!(seen.iter().any(|frame| frame.1), "nothing reached the floor");
    let fell = seen[0].3.distance(seen[seen.len() - 1].3);
    assert!(fell > 0.01, "the screw moved by {fell}");
    // Of parts of a centimetre.
    assert!(
        seen.iter().all(|frame| frame.0 < 1e-7),
        "{:?}",
        seen.iter().map(|frame| frame.0).fold(0.0, f64::max)
    );
    assert!(
        seen.iter().all(|frame| frame.2 < 1e-5),
        "{:?}",
        seen.iter().map(|frame| frame.2).fold(0.0, f64::max)
    );
}

#[test]
fn rings_roll_and_drop() {
    assert!(run("dynamics/torus.toml", 300).infeasibility[1] < 2e-3);
}

#[test]
fn parts_settle() {
    let summary = run("dynamics/part.toml", 200);
    assert!(summary.infeasibility[1] < 1e-4, "{summary:?}");
}

#[test]
fn cradle_and_billiard_run() {
    assert!(run("dynamics/cradle.toml", 1000).infeasibility[1] < 1e-4);
    assert!(run("dynamics/billiard.toml", 400).infeasibility[1] < 1e-4);
}

/// By how much the energy of a scene of joints alone leaves that of its start, over the most kinetic energy it has, and how far
/// joints open, over how far they reach.
fn kept(name: &str, steps: u64) -> [f64; 2] {
    let mut simulation = scene(name).simulation().unwrap();
    assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
    simulation.frames = steps + 1;
    let of = |world: &World| (world.report().kinetic + world.report().potential, world.joints_off());
    let (kinetic, seen) = watch(&simulation, of);
    let most = kinetic.iter().copied().fold(0.0, f64::max);
    let drift = seen.iter().map(|(energy, _)| (energy - seen[0].0).abs() / most).fold(0.0, f64::max);
    [drift, seen.iter().map(|(_, open)| *open).fold(0.0, f64::max)]
}

#[test]
fn chain_and_loop_keep_their_energy_and_their_joints() {
    let [drift, open] = kept("dynamics/chain.toml", 150);
    assert!(drift < 1e-2 && open < 1e-8, "chain: {drift} {open}");
    let [drift, open] = kept("dynamics/loop.toml", 600);
    assert!(drift < 1e-2 && open < 1e-8, "loop: {drift} {open}");
}

#[test]
fn stack_stands_and_shaken_bodies_stay_in_their_box() {
    let mut stack = scene("dynamics/stack.toml").simulation().unwrap();
    stack.frames = 300;
    let heights = |world: &World| world.bodies()[1..].iter().map(|body| body.position()).collect::<Vec<_>>();
    let (_, seen) = watch(&stack, heights);
    for places in &seen {
        for (place, start) in places.iter().zip(&seen[0]) {
            assert!(place.distance(*start) < 1e-6, "{place} {start}");
        }
    }
    let mut shaken = scene("dynamics/shaken.toml").simulation().unwrap();
    assert!(shaken.warnings.is_empty(), "{:?}", shaken.warnings);
    shaken.frames = 400;
    let outside = |world: &World| {
        let inside = DVec3::new(2.0, 2.0, 3.0);
        let off = |body: &clearance_dynamics::RigidBody| {
            ((body.position() - DVec3::Z * 3.0).abs() - inside).max_element()
        };
        world.bodies().iter().filter(|body| body.moves()).map(off).fold(f64::NEG_INFINITY, f64::max)
    };
    let (kinetic, outside) = watch(&shaken, outside);
    assert!(outside.iter().all(|&off| off < 0.0), "{outside:?}");
    assert!(kinetic.iter().skip(200).all(|&kinetic| kinetic > 1.0), "it is not shaken");
}

#[test]
fn painleves_rod_and_a_part_of_a_step_file_end() {
    let summary = run("dynamics/painleve.toml", 500);
    assert!(summary.infeasibility[1] < 0.05, "{:?}", summary.infeasibility);
    let simulation = scene("dynamics/step-part.toml").simulation().unwrap();
    let (kinetic, _) = watch(&simulation, |_| ());
    let most = kinetic.iter().copied().fold(0.0, f64::max);
    assert!(kinetic[kinetic.len() - 1] < 1e-6 * most, "{:?}", &kinetic[kinetic.len() - 10..]);
}
