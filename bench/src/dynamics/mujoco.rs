//! MuJoCo, through its Python wheel: one process per scene, which gets the scene as JSON and answers with times and poses.

use super::scene::{DENSITY, FRICTION, Place, STEP, Scene};
use crate::report::root;
use clearance_geometry::{DQuat, DVec3};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The wheels; later versions of the first have no binary for every Python.
pub const WHEELS: [&str; 2] = ["mujoco==3.17.0", "numpy"];

/// What it answered: seconds of each step, and the poses after the last.
pub struct Answer {
    /// Seconds of each step.
    pub times: Vec<f64>,
    /// Poses at the end.
    pub places: Vec<Place>,
}

/// Runs a scene from given poses at rest.
///
/// # Errors
/// When there is no Python, the wheel cannot be installed, or it does not answer.
pub fn run(
    scene: &Scene,
    start: &[Place],
    warm: usize,
    steps: usize,
    limit: f64,
) -> Result<Answer, Box<dyn Error>> {
    let python = python()?;
    let plan = json!({
        "step": STEP, "friction": FRICTION, "density": DENSITY, "warm": warm, "steps": steps, "limit": limit,
        "bodies": scene.bodies.iter().map(|points| points.iter().map(|p| p.to_array()).collect()).collect::<Vec<Vec<_>>>(),
        "boxes": scene.boxes.iter().map(|size| size.map(|size| size.to_array())).collect::<Vec<_>>(),
        "places": start.iter().map(|place| {
            let (p, q) = (place.position, place.orientation);
            [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
        }).collect::<Vec<_>>(),
        "planes": scene.planes.iter().map(|(normal, offset)| {
            let q = DQuat::from_rotation_arc(DVec3::Z, *normal);
            json!({"position": (*normal * *offset).to_array(), "turn": [q.w, q.x, q.y, q.z]})
        }).collect::<Vec<_>>(),
        "joints": scene.joints.iter().map(|(one, two, point)| {
            let local = |body: usize| (*point - scene.start[body].position).to_array();
            json!({"bodies": [one, Some(two)], "anchor": local(*two)})
        }).collect::<Vec<_>>(),
    });
    let mut child = Command::new(python)
        .arg(root().join("bench/mujoco/steps.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().ok_or("no way to ask")?.write_all(plan.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let place = |value: &Value| match numbers(value)[..] {
        [x, y, z, w, i, j, k] => {
            Some(Place { position: DVec3::new(x, y, z), orientation: DQuat::from_xyzw(i, j, k, w) })
        }
        _ => None,
    };
    let places: Vec<Place> = answer["places"].as_array().into_iter().flatten().filter_map(place).collect();
    if places.len() != scene.bodies.len() {
        return Err("it lost bodies or numbers".into());
    }
    Ok(Answer { times: numbers(&answer["times"]), places })
}

/// An interpreter with the wheel: the one named in the environment, else one made under the build folder.
fn python() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(named) = std::env::var_os("CLEARANCE_MUJOCO_PYTHON") {
        return Ok(named.into());
    }
    let folder = PathBuf::from(env!("OUT_DIR")).join("mujoco");
    let python = folder.join("bin/python");
    let has_wheel = |python: &Path| {
        let call = Command::new(python).args(["-c", "import mujoco"]).stderr(Stdio::null()).status();
        call.is_ok_and(|status| status.success())
    };
    if has_wheel(&python) {
        return Ok(python);
    }
    eprintln!("installing {} under the build folder", WHEELS[0]);
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status()?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if !made.success() || !Command::new(&python).args(install).args(WHEELS).status()?.success() {
        return Err(format!("{} could not be installed", WHEELS[0]).into());
    }
    if has_wheel(&python) { Ok(python) } else { Err("the wheel does not load".into()) }
}
