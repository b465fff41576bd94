//! The pairs that are tracked, and how they move.

use crate::certified::bodies::patch;
use crate::certified::{data_folder, nurbs};
use crate::random::Random;
use clearance_geometry::{DQuat, DVec3, Pose};
use serde_json::{Value, json};

/// Two bodies and how far apart their origins are.
pub struct Pair {
    /// Their names.
    pub name: &'static str,
    /// The shape objects.
    pub specs: [Value; 2],
    /// Least and greatest distance of the origins.
    pub range: [f64; 2],
    /// What a median update may take, in bicubic evaluations.
    pub asked: f64,
    /// Whether B stays over A, leaning and turning a little, as a hand holds a part over another; else it goes all around.
    pub hovers: bool,
}

/// All pairs whose files are there.
pub fn all() -> Vec<Pair> {
    let sphere = json!({ "kind": "sphere", "radius": 1.0 });
    let cone = json!({ "kind": "cone", "radius": 1.0, "height": 2.0 });
    let ellipsoid = json!({ "kind": "ellipsoid", "radii": [1.2, 0.8, 0.5] });
    let cylinder = json!({ "kind": "cylinder", "radius": 0.7, "height": 2.0 });
    let capsule = json!({ "kind": "capsule", "radius": 0.5, "height": 1.5 });
    let torus = json!({ "kind": "torus", "major": 2.0, "minor": 0.5 });
    let teapot = json!({ "kind": "tiled", "file": "teapot-patches.json" });
    let pair = |name, a: &Value, b: &Value, range, asked| Pair {
        name,
        specs: [a.clone(), b.clone()],
        range,
        asked,
        hovers: false,
    };
    let solid =
        |name: &str| nurbs::solids().into_iter().find(|(known, _)| *known == name).map(|(_, spec)| spec);
    let [egg, ring, can, spike] = ["ellipsoid", "torus", "cylinder", "cone"]
        .map(|name| solid(&format!("nurbs-{name}")).unwrap_or_default());
    let mut pairs = vec![
        pair("sphere-sphere", &sphere, &sphere, [3.0, 5.0], 10.0),
        pair("cylinder-cylinder", &cylinder, &cylinder, [3.0, 5.0], 10.0),
        pair("capsule-cylinder", &capsule, &cylinder, [3.0, 5.0], 10.0),
        pair("cone-ellipsoid", &cone, &ellipsoid, [3.0, 5.0], 10.0),
        pair("ellipsoid-ellipsoid", &ellipsoid, &ellipsoid, [3.0, 5.0], 10.0),
        pair("torus-sphere", &torus, &sphere, [5.0, 7.0], 10.0),
        pair("torus-torus", &torus, &torus, [5.5, 7.0], 10.0),
        pair("sheet-sheet", &sheet(0.3), &sheet(1.7), [3.0, 5.0], 27.0),
        pair("patch-patch", &patch(false), &patch(false), [2.0, 3.5], 27.0),
        pair("rational-rational", &patch(true), &patch(true), [2.0, 3.5], 27.0),
        pair("nurbs-ellipsoids", &egg, &egg, [2.2, 3.2], 27.0),
        pair("nurbs-cylinder-cone", &can, &spike, [2.4, 3.4], 27.0),
        pair("nurbs-tori", &ring, &ring, [2.8, 3.6], 27.0),
        pair("net8-net8", &nurbs::net8(0.0), &nurbs::net8(1.0), [2.0, 3.5], 27.0),
        Pair { hovers: true, ..pair("net8-hovers", &nurbs::net8(0.0), &nurbs::net8(1.0), [0.8, 1.4], 27.0) },
        pair("bowl-pen", &bowl(), &pen(), [6.0, 14.0], 130.0),
    ];
    if data_folder().join("teapot-patches.json").is_file() {
        pairs.push(pair("teapot-teapot", &teapot, &teapot, [7.0, 9.0], 1300.0));
    }
    pairs
}

/// A wavy sheet of one bicubic patch.
fn sheet(phase: f64) -> Value {
    let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let point = |i: usize, j: usize| {
        let height = 0.4 * (2.0 * i as f64 + phase).sin() + 0.3 * (1.5 * j as f64 - phase).cos();
        [i as f64 - 1.5, j as f64 - 1.5, height]
    };
    let points: Vec<Vec<[f64; 3]>> = (0..4).map(|i| (0..4).map(|j| point(i, j)).collect()).collect();
    json!({ "kind": "nurbs", "degree": [3, 3], "knots": [knots, knots], "points": points })
}

/// The bowl of 004.
fn bowl() -> Value {
    json!({ "kind": "revolve", "profile": [
        { "parabola": { "from": [0, 0], "to": [4, 4] } },
        { "arc": { "center": [0, 7], "from": [4, 4], "to": [0, 2], "ccw": false } },
    ] })
}

/// The pen of 004.
fn pen() -> Value {
    json!({ "kind": "revolve", "profile": [
        { "line": [[0, 0], [0.5, 1]] }, { "line": [[0.5, 1], [0.5, 7]] }, { "line": [[0.5, 7], [0, 7]] },
    ] })
}

/// A smooth motion that never repeats: B turns about a wandering axis by the stated angle per frame, its origin goes round
/// that of A by as much, and its distance swings between two values.
pub struct Wander {
    random: Random,
    rotation: DQuat,
    axis: DVec3,
    place: DVec3,
    heading: DVec3,
    angle: f64,
    range: [f64; 2],
    hovers: bool,
    phases: [f64; 2],
}

/// How far B leans and slides while it hovers, of a radian and of its distance.
const HOVER: f64 = 0.35;

impl Wander {
    /// By a name, so that every stream has its own numbers.
    pub fn new(name: &str, degrees: f64, range: [f64; 2], hovers: bool) -> Self {
        let mut random = Random::named(name);
        let (rotation, axis) = (random.rotation(), random.direction());
        let (place, heading) = (random.direction(), random.direction());
        let angle = degrees.to_radians();
        Self { random, rotation, axis, place, heading, angle, range, hovers, phases: [0.0; 2] }
    }
}

impl Iterator for Wander {
    type Item = Pose;

    fn next(&mut self) -> Option<Pose> {
        let Self { random, angle, .. } = self;
        // Axes drift by less than the frames turn, so that the motion is smooth.
        let mut drift = |v: DVec3| (v + 0.1 * random.in_ball()).normalize();
        (self.axis, self.heading) = (drift(self.axis), drift(self.heading));
        self.rotation = (DQuat::from_axis_angle(self.axis, *angle) * self.rotation).normalize();
        let about = self.place.cross(self.heading).try_normalize().unwrap_or(self.axis);
        self.place = (DQuat::from_axis_angle(about, *angle) * self.place).normalize();
        // Two rates whose ratio is not rational.
        self.phases = [self.phases[0] + 0.31 * *angle, self.phases[1] + 0.31 * 2.0_f64.sqrt() * *angle];
        let swing = 0.5 + 0.25 * (self.phases[0].sin() + self.phases[1].sin());
        let distance = self.range[0] + (self.range[1] - self.range[0]) * swing;
        if self.hovers {
            // The same wandering as small leanings about facing each other. A frame still turns by the angle at most.
            let (axis, angle) = (self.rotation * DVec3::X, HOVER * (self.phases[0] / 0.31 / HOVER).sin());
            let facing = DQuat::from_axis_angle(axis, angle) * DQuat::from_rotation_x(std::f64::consts::PI);
            let place = (DVec3::Z + HOVER * self.place).normalize();
            return Pose::new(facing, place * distance).ok();
        }
        Pose::new(self.rotation, self.place * distance).ok()
    }
}
