//! The four problems of 002, chapter 7: how each is run, and what its frames show.

use super::frames::{Moment, drawn};
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::terminal::number;
use crate::track;
use clearance_dynamics::Settings;
use clearance_formats::{AnyBody, AnyPose, Scene, SimulationSummary, run_simulation};
use clearance_geometry::{Body, DVec3};

/// A problem of chapter 7.
pub(super) struct Problem {
    pub(super) title: &'static str,
    scene: &'static str,
    text: &'static str,
    /// When its frames are shown, in seconds.
    moments: &'static [f64],
}

pub(super) const BALANCE2: Problem = Problem {
    title: "Balance2",
    scene: "scenes/002/balance2.toml",
    text: include_str!("../../../../scenes/002/balance2.toml"),
    moments: &[0.0, 2.0, 3.0, 5.0, 6.0, 12.0],
};

pub(super) const PYRAMID1: Problem = Problem {
    title: "Pyramid1",
    scene: "scenes/002/pyramid1.toml",
    text: include_str!("../../../../scenes/002/pyramid1.toml"),
    moments: &[0.0, 1.0, 2.0, 3.0, 4.0, 10.0],
};

pub(super) const DICE3: Problem = Problem {
    title: "Dice3",
    scene: "scenes/002/dice3.toml",
    text: include_str!("../../../../scenes/002/dice3.toml"),
    moments: &[0.0, 1.0, 2.0, 3.0],
};
use std::ops::ControlFlow;

pub(super) const SETUP6: Problem = Problem {
    title: "Setup6",
    scene: "scenes/002/setup6.toml",
    text: include_str!("../../../../scenes/002/setup6.toml"),
    moments: &[0.0, 2.0, 4.0, 6.0],
};

/// Most convex programs per step on the way to the complementarity problem, which is what 002 solves.
pub(super) const SWEEPS: usize = 40;

impl Problem {
    pub(super) fn scene(&self) -> Result<Scene, Failure> {
        track::scene(self.text, self.scene)
    }
}

/// A run: where the bodies were at the moments asked for, and how the whole went.
pub(super) struct Played {
    pub(super) moments: Vec<Moment>,
    /// Time and kinetic energy of every frame.
    kinetic: Vec<(f64, f64)>,
    /// Overlap of every frame.
    pub(super) overlaps: Vec<f64>,
    pub(super) summary: SimulationSummary,
}

/// Runs a scene with settings changed; with `until`, no longer than that.
pub(super) fn play(
    scene: &Scene,
    moments: &[f64],
    until: Option<f64>,
    change: impl FnOnce(&mut Settings),
) -> Result<Played, Failure> {
    let mut simulation = scene.simulation_with(change)?;
    let step = simulation.world.settings().step;
    let frame_of = |time: f64| (time / step).round() as u64;
    if let Some(time) = until {
        simulation.frames = simulation.frames.min(frame_of(time) + 1);
    }
    let (mut taken, mut kinetic, mut overlaps) = (Vec::new(), Vec::new(), Vec::new());
    let summary = run_simulation(&simulation, |frame| {
        kinetic.push((frame.time, frame.world.report().kinetic));
        overlaps.push(frame.world.report().infeasibility);
        for &time in moments.iter().filter(|time| frame_of(**time) == frame.index) {
            let poses = (0..scene.bodies.len()).map(|body| frame.pose(body)).collect();
            taken.push(Moment { time, poses });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(Played { moments: taken, kinetic, overlaps, summary })
}

impl Played {
    /// When the kinetic energy fell below a share of its largest for good; none if it did not.
    fn rest(&self) -> Option<f64> {
        let most = self.kinetic.iter().map(|k| k.1).fold(0.0, f64::max);
        let last = self.kinetic.iter().rposition(|k| !(k.1 <= AT_REST * most));
        self.kinetic.get(last.map_or(0, |last| last + 1)).map(|k| k.0)
    }

    /// What there is to say about every run.
    fn said(&self) -> String {
        let rest =
            self.rest().map_or("not at rest at the end".to_owned(), |t| format!("at rest from {t:.2} s on"));
        let [mean, most] = self.summary.infeasibility.map(number);
        let elastic = self.summary.elastic;
        format!(
            "{} steps, overlap {mean} in the mean and {most} at most, {elastic} steps gave way; {rest}",
            self.summary.steps
        )
    }
}

/// Share of the largest kinetic energy of a run below which bodies count as at rest.
const AT_REST: f64 = 1.0 / 1_000_000.0;

/// Runs a problem as 002's table has it, with friction as in its complementarity problem, and draws its frames.
fn shown(
    problem: &Problem,
    bench: &Bench<'_>,
    figure: &str,
    also: &[f64],
) -> Result<(Scene, Played), Failure> {
    let scene = problem.scene()?;
    let wanted: Vec<f64> = problem.moments.iter().chain(also).copied().collect();
    let mut played = play(&scene, &wanted, None, |settings| settings.sweeps = SWEEPS)?;
    let is_shown = |moment: &Moment| problem.moments.contains(&moment.time);
    let (drawn_ones, others): (Vec<Moment>, Vec<Moment>) = played.moments.into_iter().partition(is_shown);
    let columns = if problem.moments.len() > 4 { 3 } else { 4 };
    let svg = drawn(
        &format!("{}: 002, figure {figure}", problem.title),
        "times as printed; sizes ours, 002 prints none",
        &scene,
        &drawn_ones,
        columns,
    );
    bench.write_figure(&format!("002-figure-{figure}.svg"), &svg)?;
    played.moments = drawn_ones.into_iter().chain(others).collect();
    Ok((scene, played))
}

/// Where a named body was at a time and how it leant, in degrees; at the origin where there is none.
fn pose_of(scene: &Scene, played: &Played, body: &str, time: f64) -> (DVec3, f64) {
    let at = scene.bodies.iter().position(|one| one.name == body);
    let moment = played.moments.iter().find(|moment| moment.time == time);
    match at.zip(moment).and_then(|(at, moment)| moment.poses.get(at)) {
        Some(AnyPose::Planar(pose)) => (pose.translation().extend(0.0), pose.angle().to_degrees()),
        Some(AnyPose::Solid(pose)) => {
            // Of a cube: how far the face that is nearest to level is off.
            let upright = pose.rotation().row(2).abs().max_element().min(1.0);
            (pose.translation(), upright.acos().to_degrees())
        }
        None => (DVec3::ZERO, 0.0),
    }
}

/// How far the corners of a polytope reach against a direction, at a time.
fn lowest(scene: &Scene, played: &Played, body: &str, time: f64, direction: DVec3) -> f64 {
    let at = scene.bodies.iter().position(|one| one.name == body);
    let moment = played.moments.iter().find(|moment| moment.time == time);
    let Some((at, moment)) = at.zip(moment) else { return f64::NAN };
    match (&scene.bodies[at].shape.body, moment.poses.get(at)) {
        (AnyBody::Solid(Body::Polytope(polytope)), Some(AnyPose::Solid(pose))) => polytope
            .vertices()
            .iter()
            .map(|vertex| pose.apply(*vertex + polytope.anchor()).dot(direction))
            .fold(f64::INFINITY, f64::min),
        _ => f64::NAN,
    }
}

/// A length: a body as near as this to both walls, in scenes of size 1, is in their corner.
const NEAR: f64 = 0.05;

/// Figure 18: the balance holds until the square lands, and not after.
pub(super) fn figure_18(bench: &Bench<'_>) -> Result<Finding, Failure> {
    /// Before the square has landed.
    const BEFORE: f64 = 0.7;
    let (scene, played) = shown(&BALANCE2, bench, "18", &[BEFORE])?;
    let moved = ["fulcrum", "beam", "left", "right", "triangle"]
        .map(|body| pose_of(&scene, &played, body, BEFORE).0.distance(pose_of(&scene, &played, body, 0.0).0))
        .into_iter()
        .fold(0.0, f64::max);
    let tilts =
        BALANCE2.moments.iter().map(|&time| format!("{:.1}", pose_of(&scene, &played, "beam", time).1));
    let end = pose_of(&scene, &played, "beam", 12.0).1;
    Ok(Finding {
        ours: format!(
            "until {BEFORE} s no body of the balance moves by more than {}; then the square lands\n\
             tilt of the beam at the times shown: {} degrees\n{}",
            number(moved),
            tilts.collect::<Vec<_>>().join(", "),
            played.said()
        ),
        verdict: Judgement::of(moved < STANDS && end.abs() > FALLEN_TILT && played.rest().is_some()),
    })
}

/// A length: less is standing still, in scenes of size 1.
const STANDS: f64 = 0.001;

/// Degrees: a body that leans further has fallen.
const FALLEN_TILT: f64 = 5.0;

/// Figure 21: all nine fall, and all lie still at the end.
pub(super) fn figure_21(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (scene, played) = shown(&PYRAMID1, bench, "21", &[])?;
    let lean = |time: f64| -> Vec<f64> {
        (1..=9).map(|k| pose_of(&scene, &played, &format!("domino-{k}"), time).1).collect()
    };
    let fallen = |time: f64| lean(time).iter().filter(|angle| angle.abs() > FALLEN_TILT).count();
    let counts: Vec<String> = PYRAMID1.moments.iter().map(|&time| fallen(time).to_string()).collect();
    let angles: Vec<String> = lean(10.0).iter().map(|angle| format!("{angle:.0}")).collect();
    Ok(Finding {
        ours: format!(
            "rectangles that lean by more than {FALLEN_TILT} degrees at the times shown: {}\n\
             at 10 s they lean by {} degrees\n{}",
            counts.join(", "),
            angles.join(", "),
            played.said()
        ),
        verdict: Judgement::of(fallen(0.0) == 0 && fallen(10.0) == 9 && played.rest().is_some()),
    })
}

/// Figure 23: the upper cube ends on the floor.
pub(super) fn figure_23(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (scene, played) = shown(&DICE3, bench, "23", &[])?;
    let heights = |body: &str| -> Vec<String> {
        DICE3.moments.iter().map(|&time| format!("{:.3}", pose_of(&scene, &played, body, time).0.z)).collect()
    };
    let on_floor = |body: &str| (pose_of(&scene, &played, body, 3.0).0.z - 0.5).abs() < STANDS;
    let landed = on_floor("upper") && on_floor("lower");
    let ours = format!(
        "heights of the centres at the times shown: upper {}; lower {}\n{}",
        heights("upper").join(", "),
        heights("lower").join(", "),
        played.said()
    );
    let verdict = if played.rest().is_none() {
        Judgement::of(landed)
    } else {
        let why = "the cube that fell is at rest before 3 s, where 002's is not quite: how long it rocks and slides depends on \
                   the sizes and the place of the upper cube, which 002 does not print";
        Judgement::explained(landed, Judgement::Differs(why.to_owned()))
    };
    Ok(Finding { ours, verdict })
}

/// Figure 26: the cube ends on the floor, the tetrahedron in the corner.
pub(super) fn figure_26(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (scene, played) = shown(&SETUP6, bench, "26", &[])?;
    let (cube, lean) = pose_of(&scene, &played, "cube", 6.0);
    let gaps = [(DVec3::X, -0.75), (DVec3::Y, -0.58)]
        .map(|(normal, offset)| lowest(&scene, &played, "tetrahedron", 6.0, normal) - offset);
    let flat = (cube.z - 0.5).abs() < STANDS;
    let in_corner = gaps.iter().all(|gap| *gap < NEAR);
    Ok(Finding {
        ours: format!(
            "at 6 s the cube's centre is {:.3} above the floor, its face {lean:.1} degrees off level\n\
             the tetrahedron, which started 0.05 and 0.08 from the walls, is {} and {} from them\n{}",
            cube.z,
            number(gaps[0]),
            number(gaps[1]),
            played.said()
        ),
        verdict: Judgement::of(flat && in_corner && played.rest().is_some()),
    })
}
