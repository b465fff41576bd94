//! The methods of the source documents beside the certified answers of a track: `method`, `gain`, `integrator`, `rate`.

use crate::fields::At;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Scene, SceneBody};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec2, DVec3, FaceId, Feature, Kind, PlanarPose, PlanarTiled, Pose};
use clearance_proximity::impact::Motion as Course;
use clearance_proximity::published::{
    Carrier, FeatureGraph, Hybrid, Moment, OutlineTracker, Settings, Stepped, UnknownName,
};
use clearance_proximity::{distance, planar};

/// What a published method says of a pair at a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodRow {
    /// Between its two points; negative for a point inside a planar body.
    pub distance: f64,
    /// The features that it is on: `S1`, `C2`, `V3`, counted from 1.
    pub features: [String; 2],
    /// How often its matrix was singular since the last frame, so that it stood still.
    pub singular: u32,
    /// How often it has changed features so far.
    pub switches: usize,
}

/// Reads `method` with its numbers; nothing where it is not there.
pub(crate) fn parse(track: &At<'_>, step: f64) -> Result<Option<Settings>, Error> {
    let mut settings = Settings { rate: 1.0 / step, ..Settings::default() };
    let keys = ["gain", "integrator", "rate"];
    let Some(field) = track.get("method") else {
        let Some(stray) = keys.iter().find_map(|key| track.get(key)) else { return Ok(None) };
        let reason = "this goes with `method`".to_owned();
        return Err(stray.error(ErrorKind::BadValue { reason }));
    };
    settings.method = field.text()?.parse().map_err(|error| field.place(unknown(&error)))?;
    if let Some(field) = track.get("integrator") {
        settings.integrator = field.text()?.parse().map_err(|error| field.place(unknown(&error)))?;
    }
    if let Some(field) = track.get("gain") {
        settings.gain = field.positive()?;
    }
    if let Some(field) = track.get("rate") {
        settings.rate = field.positive()?;
        steps(&settings, step).map_err(|error| field.place(error))?;
    }
    Ok(Some(settings))
}

/// The error of a name that no method or integrator has.
pub(crate) fn unknown(error: &UnknownName) -> Error {
    ErrorKind::BadValue { reason: error.to_string() }.into()
}

/// How far a count of steps may be off a whole number.
const WHOLE: f64 = 1.0 / 1024.0;

/// Steps of a method in one frame.
fn steps(settings: &Settings, step: f64) -> Result<u32, Error> {
    let count = settings.rate * step;
    let whole = count.round();
    // Written so that NaN is refused.
    if whole >= 1.0 && whole < f64::from(u32::MAX) && (count - whole).abs() <= WHOLE {
        return Ok(whole as u32);
    }
    let reason = format!("{count} steps in a frame: a method makes a whole number of them");
    Err(ErrorKind::BadValue { reason }.into())
}

/// The settings for frames at another rate: of a method that makes one step in a frame, whatever their length is.
pub(crate) fn at_rate(settings: Settings, step: f64, rate: f64) -> Settings {
    let own = (settings.rate * step - 1.0).abs() > WHOLE;
    if own { settings } else { Settings { rate, ..settings } }
}

/// The error of a method beside a device.
pub(crate) fn pulled() -> Error {
    let reason =
        "a method follows motions as they are written; a tool that a device pulls has none".to_owned();
    ErrorKind::BadValue { reason }.into()
}

/// A published method on one pair of a scene.
pub(crate) struct MethodPair {
    courses: [Course; 2],
    settings: Settings,
    steps: u32,
    runner: Runner,
}

enum Runner {
    Hybrid(Box<Hybrid>),
    /// A planar body and a point, which may be inside; `swapped` where the point is A.
    Outline {
        tracker: Box<OutlineTracker>,
        swapped: bool,
    },
}

impl MethodPair {
    /// Starts at the certified nearest points of the first frame.
    pub(crate) fn new(scene: &Scene, pair: [usize; 2], settings: Settings, step: f64) -> Result<Self, Error> {
        let bodies = pair.map(|at| &scene.bodies[at]);
        let runner = Runner::new(bodies, settings)?;
        let courses = [bodies[0].course()?, bodies[1].course()?];
        Ok(Self { courses, settings, steps: steps(&settings, step)?, runner })
    }

    /// Runs on to a frame, the first at the start of the scene, and says where the method is.
    pub(crate) fn frame(&mut self, frame: u32, time: f64) -> Result<MethodRow, Error> {
        // Fails where the motion does, so that the steps between need not.
        let pose_ab = moment(&self.courses, time)?.pose_ab;
        let steps = if frame == 0 { 0 } else { self.steps };
        let mut singular = 0;
        for k in (1..=steps).rev() {
            let from = time - f64::from(k) / self.settings.rate;
            singular += u32::from(self.runner.step(&self.courses, from));
        }
        let (distance, features) = self.runner.now(&pose_ab);
        Ok(MethodRow { distance, features, singular, switches: self.runner.switches() })
    }
}

impl Runner {
    fn new(bodies: [&SceneBody; 2], settings: Settings) -> Result<Self, Error> {
        let poses = [bodies[0].pose_at(0.0)?, bodies[1].pose_at(0.0)?];
        match ([&bodies[0].shape.body, &bodies[1].shape.body], poses) {
            ([AnyBody::Solid(a), AnyBody::Solid(b)], [AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)]) => {
                let graphs = [graph(bodies[0], a)?, graph(bodies[1], b)?];
                let pose_ab = Pose::between(&pose_a, &pose_b);
                let found = distance(a, b, &pose_ab)?;
                let [on_a, on_b] = &found.witnesses;
                let starts = [
                    start(a, on_a.feature, on_a.point),
                    start(b, on_b.feature, pose_ab.apply_inverse(on_b.point)),
                ];
                let (active, at) = (starts.map(|(node, _)| node), starts.map(|(_, at)| at));
                Ok(Self::Hybrid(Box::new(Hybrid::new(graphs, active, settings, at))))
            }
            (
                [AnyBody::PlanarTiled(a), AnyBody::PlanarTiled(b)],
                [AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)],
            ) => {
                let pose_ab = PlanarPose::between(&pose_a, &pose_b);
                let found = planar::nearest(&a.clone().into(), &b.clone().into(), &pose_ab, None)?;
                let [on_a, on_b] = &found.witnesses;
                let starts = [
                    outline_start(a, on_a.feature, on_a.point),
                    outline_start(b, on_b.feature, pose_ab.apply_inverse(on_b.point)),
                ];
                let (active, at) = (starts.map(|(node, _)| node), starts.map(|(_, at)| at));
                let graphs = [FeatureGraph::of_outline(a), FeatureGraph::of_outline(b)];
                Ok(Self::Hybrid(Box::new(Hybrid::new(graphs, active, settings, at))))
            }
            ([AnyBody::PlanarTiled(body), AnyBody::Planar(point)], poses) if point.dimension() == 0 => {
                Self::outline(body, poses, false, settings)
            }
            ([AnyBody::Planar(point), AnyBody::PlanarTiled(body)], [a, b]) if point.dimension() == 0 => {
                Self::outline(body, [b, a], true, settings)
            }
            _ => Err(misfit(bodies)),
        }
    }

    /// A planar body and a point; poses of the body, then of the point.
    fn outline(
        body: &PlanarTiled,
        poses: [AnyPose; 2],
        swapped: bool,
        settings: Settings,
    ) -> Result<Self, Error> {
        let mut tracker = Box::new(OutlineTracker::new(body, settings, &[], &[]));
        if let [AnyPose::Planar(pose), AnyPose::Planar(point)] = poses {
            let at = pose.apply_inverse(point.translation());
            for (k, side) in body.sides().iter().enumerate() {
                let carrier = Carrier::Arc { curve: side.curve.curve().clone(), range: side.range };
                tracker.place(k, carrier.nearest_to(at.extend(0.0))[0]);
            }
        }
        Ok(Self::Outline { tracker, swapped })
    }

    fn step(&mut self, courses: &[Course; 2], from: f64) -> bool {
        // A motion that fails has been refused at the end of the frame.
        let moments = |time: f64| moment(courses, time).unwrap_or(Moment::resting(Pose::IDENTITY));
        match self {
            Self::Hybrid(hybrid) => hybrid.step(&moments, from) == Stepped::Singular,
            Self::Outline { tracker, swapped } => {
                let path = |time: f64| {
                    let there = moments(time);
                    let (point, velocity) = if *swapped {
                        let back = there.pose_ab.inverse();
                        let place = back.translation();
                        // The origin of A, seen from B, moves against what B does there.
                        (place, -there.pose_ab.rotate_inverse(there.at(DVec3::ZERO)))
                    } else {
                        let place = there.pose_ab.translation();
                        (place, there.at(place))
                    };
                    (point.truncate(), velocity.truncate())
                };
                tracker.step(&path, from);
                false
            }
        }
    }

    fn now(&self, pose_ab: &Pose) -> (f64, [String; 2]) {
        match self {
            Self::Hybrid(hybrid) => (hybrid.state(pose_ab).distance(), hybrid.names().map(str::to_owned)),
            Self::Outline { tracker, swapped } => {
                let mut names = [tracker.name().to_owned(), "Q".to_owned()];
                if *swapped {
                    names.reverse();
                }
                (tracker.signed_distance(), names)
            }
        }
    }

    fn switches(&self) -> usize {
        match self {
            Self::Hybrid(hybrid) => {
                hybrid.automata().iter().map(|automaton| automaton.switches().len()).sum()
            }
            Self::Outline { tracker, .. } => tracker.automaton().switches().len(),
        }
    }
}

/// B seen from A, and how it moves there.
fn moment(courses: &[Course; 2], time: f64) -> Result<Moment, Error> {
    let poses = [courses[0].pose(time)?, courses[1].pose(time)?];
    let [a, b] = [courses[0].velocities(time), courses[1].velocities(time)];
    let arm = poses[0].translation() - poses[1].translation();
    let velocity = b[0] + b[1].cross(arm) - a[0];
    Ok(Moment {
        pose_ab: Pose::between(&poses[0], &poses[1]),
        velocity: poses[0].rotate_inverse(velocity),
        angular: poses[0].rotate_inverse(b[1] - a[1]),
    })
}

fn refused(kind: &str, these: &str) -> Error {
    let reason = format!("`method` goes with {these}, not with `{kind}`");
    ErrorKind::UnsupportedPair { reason }.into()
}

/// The error of a pair of planar bodies that no method can follow.
fn misfit(bodies: [&SceneBody; 2]) -> Error {
    let flat = bodies.iter().find(|body| !matches!(body.shape.body, AnyBody::PlanarTiled(_)));
    refused(flat.map_or("this pair", |body| body.shape.kind), "planar bodies of curves, and points")
}

/// The features of a body that the published methods take.
fn graph(body: &SceneBody, solid: &Body) -> Result<FeatureGraph, Error> {
    let these = "bodies tiled of whole patches, and points";
    match solid {
        Body::Tiled(tiled) => {
            let trimmed = (0..tiled.face_count())
                .map(|face| tiled.face(FaceId(face as u32)))
                .any(|face| face.region.rect().is_none());
            if trimmed {
                let reason = format!("`method` goes with {these}; `{}` has trimmed faces", body.name);
                return Err(ErrorKind::UnsupportedPair { reason }.into());
            }
            Ok(FeatureGraph::of_body(tiled))
        }
        Body::Polytope(polytope) if polytope.kind() == Kind::Point => Ok(FeatureGraph::of_point(DVec3::ZERO)),
        _ => Err(refused(body.shape.kind, these)),
    }
}

/// The place of a feature in the graph of its body, and the parameters of a point on it.
fn start(body: &Body, feature: Feature, point: DVec3) -> (usize, [f64; 2]) {
    let Body::Tiled(tiled) = body else { return (0, [0.0; 2]) };
    (place(tiled, feature), Carrier::of(tiled, feature).nearest_to(point))
}

fn place(body: &TiledBody, feature: Feature) -> usize {
    let number = feature.number() as usize;
    match feature {
        Feature::Face(_) => number,
        Feature::Edge(_) => body.face_count() + number,
        Feature::Vertex(_) => body.face_count() + body.edge_count() + number,
    }
}

fn outline_start(body: &PlanarTiled, feature: Feature, point: DVec2) -> (usize, [f64; 2]) {
    let number = feature.number() as usize;
    match (feature, body.sides().get(number)) {
        (Feature::Edge(_), Some(side)) => {
            let carrier = Carrier::Arc { curve: side.curve.curve().clone(), range: side.range };
            (number, carrier.nearest_to(point.extend(0.0)))
        }
        _ => (body.sides().len() + number, [0.0; 2]),
    }
}
