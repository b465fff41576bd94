//! Recordings of a simulation: for every frame one row per body that moves, then one with the events of all.

use super::{Layout, Recorder, header, pose_numbers, quoted, write_pose};
use crate::json::{Json, shortest};
use crate::simulation::joint_word;
use crate::{Error, Frame, Scene, Simulation, events};
use clearance_dynamics::WorldEvent;
use clearance_geometry::DVec3;
use std::path::Path;

impl Recorder {
    /// Starts a recording of a simulation of `scene`, laid out by the ending of `path`, and writes its header.
    ///
    /// # Errors
    /// As [`Recorder::create`].
    pub fn create_simulation(path: &Path, scene: &Scene, simulation: &Simulation) -> Result<Self, Error> {
        let step = simulation.world.settings().step;
        let header =
            header(scene, "simulate", simulation.frames, step, |json| write_joints(json, scene, simulation));
        Self::open(path, scene, header, &columns(simulation.world.is_planar()))
    }

    /// Adds the rows of a frame.
    ///
    /// # Errors
    /// `write_failed`.
    pub fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        self.begin_frame(frame.index)?;
        let bodies = frame.world.bodies();
        for body in (0..bodies.len()).filter(|&body| frame.index == 0 || bodies[body].moves()) {
            let line = match self.layout {
                Layout::JsonLines | Layout::Page => self.json_body(frame, body),
                Layout::Csv => self.csv_body(frame, body),
            };
            self.rows += 1;
            self.line(&line)?;
        }
        if self.layout != Layout::Csv {
            self.rows += 1;
            self.line(&self.json_step(frame))?;
        }
        Ok(())
    }

    fn json_body(&self, frame: &Frame<'_>, body: usize) -> String {
        let planar = frame.world.is_planar();
        let mut json = Json::default();
        json.object(|json| {
            json.field("frame", |json| json.whole(frame.index));
            json.field("time", |json| json.number(frame.time));
            json.field("body", |json| json.string(&self.names[body]));
            json.field("pose", |json| write_pose(json, &frame.pose(body)));
            json.field("velocity", |json| json.numbers(&linear(planar, frame.world.velocity(body))));
            let turning = frame.world.angular_velocity(body);
            json.field("angular_velocity", |json| write_turning(json, planar, turning));
        });
        json.into_text()
    }

    /// What all bodies came to: energy, infeasibility, events with their impulses.
    fn json_step(&self, frame: &Frame<'_>) -> String {
        let report = frame.world.report();
        let planar = frame.world.is_planar();
        let mut json = Json::default();
        json.object(|json| {
            json.field("frame", |json| json.whole(frame.index));
            json.field("time", |json| json.number(frame.time));
            let numbers = [
                ("kinetic", report.kinetic),
                ("potential", report.potential),
                ("constraint_work", report.constraint_work),
                ("infeasibility", report.infeasibility),
                ("infeasibility_rho", finite(report.infeasibility_rho)),
                ("residual", report.residual),
            ];
            for (name, value) in numbers {
                json.field(name, |json| json.number(value));
            }
            json.field("momentum", |json| json.numbers(&linear(planar, report.momentum)));
            json.field("angular_momentum", |json| write_momentum(json, planar, report.angular_momentum));
            json.field("relaxed", |json| json.bool(report.relaxed));
            if let Some(elastic) = report.elastic {
                json.field("elastic", |json| json.number(elastic));
                json.field("thrown", |json| json.bool(report.thrown));
            }
            json.field("capped", |json| json.whole(report.capped as u64));
            json.field("asleep", |json| json.whole(report.asleep as u64));
            write_joint_places(json, frame);
            json.field("work", |json| {
                json.object(|json| {
                    json.field("islands", |json| json.whole(report.islands as u64));
                    json.field("sweeps", |json| json.whole(report.sweeps as u64));
                    json.field("iterations", |json| json.whole(report.iterations as u64));
                });
            });
            json.field("events", |json| {
                json.array(frame.world.events(), |json, event| self.json_event(json, frame, event));
            });
        });
        json.into_text()
    }

    fn json_event(&self, json: &mut Json, frame: &Frame<'_>, at: &WorldEvent) {
        let (bodies, planar) = (frame.world.bodies(), frame.world.is_planar());
        json.object(|json| {
            json.field("pair", |json| json.array(at.bodies, |json, body| json.string(&self.names[body])));
            json.field("kind", |json| json.string(events::kind_word(at.event.id.kind)));
            json.field("features", |json| {
                let features = events::features(&at.event, at.bodies.map(|body| bodies[body].shape()));
                json.array(features, |json, feature| json.string(&feature.to_string()));
            });
            json.field("point", |json| json.numbers(&linear(planar, at.event.point)));
            json.field("normal", |json| json.numbers(&linear(planar, at.event.normal)));
            json.field("gap", |json| json.number(at.event.gap));
            let parts = if planar { 2 } else { 3 };
            json.field("impulse", |json| json.numbers(&at.impulse[..parts]));
        });
    }

    fn csv_body(&self, frame: &Frame<'_>, body: usize) -> String {
        let report = frame.world.report();
        let planar = frame.world.is_planar();
        let mut cells = vec![frame.index.to_string(), shortest(frame.time), quoted(&self.names[body])];
        cells.extend(pose_numbers(&frame.pose(body)).into_iter().map(shortest));
        cells.extend(linear(planar, frame.world.velocity(body)).into_iter().map(shortest));
        let turning = frame.world.angular_velocity(body) * 1_f64.to_degrees();
        if planar {
            cells.push(shortest(turning.z));
        } else {
            cells.extend(turning.to_array().map(shortest));
        }
        cells.extend([report.kinetic, report.potential, report.infeasibility, report.residual].map(shortest));
        cells.push(report.events.to_string());
        cells.join(",")
    }
}

fn columns(planar: bool) -> Vec<String> {
    let axes: &[&str] = if planar { &["x", "y"] } else { &["x", "y", "z"] };
    let turns: &[&str] = if planar { &["angle"] } else { &["qx", "qy", "qz", "qw"] };
    let mut columns = ["frame", "time", "body"].map(str::to_owned).to_vec();
    columns.extend(axes.iter().chain(turns).map(|part| format!("pose_{part}")));
    columns.extend(axes.iter().map(|axis| format!("velocity_{axis}")));
    if planar {
        columns.push("angular_velocity".to_owned());
    } else {
        columns.extend(axes.iter().map(|axis| format!("angular_velocity_{axis}")));
    }
    let report = ["kinetic", "potential", "infeasibility", "residual", "events"];
    columns.extend(report.map(str::to_owned));
    columns
}

/// What holds bodies together: its two points, each in the axes of its body.
fn write_joints(json: &mut Json, scene: &Scene, simulation: &Simulation) {
    let world = &simulation.world;
    let ends: Vec<_> = world.joint_ends().collect();
    if ends.is_empty() {
        return;
    }
    json.field("joints", |json| {
        json.array(&ends, |json, joint| {
            json.object(|json| {
                json.field("kind", |json| json.string(joint_word(joint.kind)));
                json.field("bodies", |json| {
                    json.array(joint.bodies, |json, body| match body {
                        Some(body) => json.string(&scene.bodies[body].name),
                        None => json.null(),
                    });
                });
                json.field("points", |json| {
                    json.array(joint.bodies.into_iter().zip(joint.points), |json, (body, point)| {
                        let own = body.map_or(point, |body| world.bodies()[body].pose().apply_inverse(point));
                        json.numbers(&linear(world.is_planar(), own));
                    });
                });
            });
        });
    });
}

/// How far joints have turned, in degrees with whole turns counted, and slid: what their limits are compared with.
fn write_joint_places(json: &mut Json, frame: &Frame<'_>) {
    let ends: Vec<_> = frame.world.joint_ends().collect();
    if ends.is_empty() {
        return;
    }
    json.field("joints", |json| {
        json.array(&ends, |json, joint| {
            json.object(|json| {
                if let Some(angle) = joint.angle {
                    json.field("angle", |json| json.number(angle.to_degrees()));
                }
                if let Some(place) = joint.place {
                    json.field("place", |json| json.number(place));
                }
            });
        });
    });
}

fn linear(planar: bool, vector: DVec3) -> Vec<f64> {
    vector.to_array()[..if planar { 2 } else { 3 }].to_vec()
}

/// Degrees per second.
fn write_turning(json: &mut Json, planar: bool, radians: DVec3) {
    let degrees = radians * 1_f64.to_degrees();
    if planar { json.number(degrees.z) } else { json.numbers(&degrees.to_array()) }
}

fn write_momentum(json: &mut Json, planar: bool, momentum: DVec3) {
    if planar { json.number(momentum.z) } else { json.numbers(&momentum.to_array()) }
}

/// Centres that coincide have ρ = −∞, which no file holds.
fn finite(rho: f64) -> f64 {
    rho.min(f64::MAX)
}
