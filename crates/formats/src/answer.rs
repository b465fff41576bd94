//! What a query answers, in world coordinates, and its JSON form.

use crate::json::Json;
use crate::{AnyPose, Units};
use clearance_geometry::Feature;
use clearance_proximity::{Ended, State, Work};
use std::ops::Deref;

/// A vector of the plane or of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    entries: [f64; 3],
    count: usize,
}

impl From<[f64; 2]> for Coordinates {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { entries: [x, y, 0.0], count: 2 }
    }
}

impl From<[f64; 3]> for Coordinates {
    fn from(entries: [f64; 3]) -> Self {
        Self { entries, count: 3 }
    }
}

impl Deref for Coordinates {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.entries[..self.count]
    }
}

/// Closest points that are not unique.
#[derive(Clone, Debug, PartialEq)]
pub struct LocusAnswer {
    /// `curve` or `area`.
    pub kind: &'static str,
    /// Pairs of closest points: the ends of the curve, or the corners of the area.
    pub samples: Vec<[Coordinates; 2]>,
}

/// The derivative of the signed distance by both poses.
#[derive(Clone, Debug, PartialEq)]
pub enum GradientAnswer {
    /// Twists of A and B: velocity, then angular velocity about the pose's origin, world axes, per radian.
    Twists([Vec<f64>; 2]),
    /// It does not exist; why.
    Missing(String),
}

/// The answer to a query, in world coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How the bodies stand to each other.
    pub state: State,
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Distance, or minus the penetration depth when overlapping.
    pub signed_distance: f64,
    /// One witness on each body.
    pub points: [Coordinates; 2],
    /// Unit vector from A to B.
    pub normal: Coordinates,
    /// Features the witnesses lie on, in the numbering of the input.
    pub features: [Feature; 2],
    /// How the query ended.
    pub ended: Ended,
    /// Work done.
    pub work: Work,
    /// What was repaired or assumed.
    pub warnings: Vec<String>,
    /// The unit of every length.
    pub units: Units,
    /// r of the ratio metric, on demand.
    pub ratio: Option<f64>,
    /// ρ = (r − 1)/r of the ratio metric; none where r is 0 or not asked for.
    pub rho: Option<f64>,
    /// A proven lower bound on the signed distance, on demand.
    pub lower_bound: Option<f64>,
    /// The derivative of the signed distance, on demand.
    pub gradient: Option<GradientAnswer>,
    /// Where closest points are not unique, on demand; the inner `None` says that they are unique.
    pub locus: Option<Option<LocusAnswer>>,
    /// Whether every local minimum is to be listed; convex bodies have one.
    pub all_minima: bool,
}

impl Answer {
    /// As one line of JSON without an `id`.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| self.write_fields(json));
        json.into_text()
    }

    /// The words of `state` and, when one body lies inside the other, of `inside`.
    pub const fn state_words(&self) -> (&'static str, Option<&'static str>) {
        match self.state {
            State::Separated => ("separated", None),
            State::Touching => ("touching", None),
            State::Penetrating => ("penetrating", None),
            State::AInsideB => ("containing", Some("a")),
            State::BInsideA => ("containing", Some("b")),
        }
    }

    /// The word of `ended`.
    pub const fn ended_word(&self) -> &'static str {
        match self.ended {
            Ended::Certified(_) => "certified",
            Ended::Converged => "converged",
            Ended::Stalled { .. } => "stalled",
            Ended::Limit => "limit",
        }
    }

    /// Writes every field but `id`.
    pub(crate) fn write_fields(&self, json: &mut Json) {
        self.write_core(json);
        if let Some(ratio) = self.ratio {
            json.field("ratio", |json| json.number(ratio));
            json.field("rho", |json| json.number(self.rho.unwrap_or(f64::NAN)));
        }
        if let Some(lower) = self.lower_bound {
            json.field("lower_bound", |json| json.number(lower));
        }
        match &self.gradient {
            None => {}
            Some(GradientAnswer::Twists([a, b])) => json.field("gradient", |json| {
                json.object(|json| {
                    json.field("a", |json| json.numbers(a));
                    json.field("b", |json| json.numbers(b));
                });
            }),
            Some(GradientAnswer::Missing(reason)) => {
                json.field("gradient", Json::null);
                json.field("gradient_reason", |json| json.string(reason));
            }
        }
        match &self.locus {
            None => {}
            Some(None) => json.field("locus", Json::null),
            Some(Some(locus)) => json.field("locus", |json| write_locus(json, locus)),
        }
        if self.all_minima {
            json.field("all", |json| json.array([()], |json, ()| json.object(|json| self.write_core(json))));
        }
        if !self.warnings.is_empty() {
            json.field("warnings", |json| json.strings(&self.warnings));
        }
        if self.units != Units::Metre {
            json.field("units", |json| json.string(self.units.symbol()));
        }
    }

    /// Writes what every answer has.
    fn write_core(&self, json: &mut Json) {
        let (state, inside) = self.state_words();
        json.field("state", |json| json.string(state));
        if let Some(inside) = inside {
            json.field("inside", |json| json.string(inside));
        }
        json.field("distance", |json| json.number(self.distance));
        json.field("signed_distance", |json| json.number(self.signed_distance));
        json.field("points", |json| json.array(&self.points, |json, point| json.numbers(point)));
        json.field("normal", |json| json.numbers(&self.normal));
        json.field("features", |json| {
            json.array(self.features, |json, feature| json.string(&feature.to_string()));
        });
        json.field("parameters", |json| json.array(self.features, write_parameters));
        json.field("ended", |json| json.string(self.ended_word()));
        json.field("work", |json| write_work(json, &self.work));
    }
}

/// A vertex has no parameters, flat faces and straight edges have none worth naming.
fn write_parameters(json: &mut Json, feature: Feature) {
    match feature {
        Feature::Vertex(_) => json.numbers(&[]),
        Feature::Edge(_) | Feature::Face(_) => json.null(),
    }
}

fn write_work(json: &mut Json, work: &Work) {
    let counts = [
        ("iterations", work.iterations),
        ("supports", work.supports),
        ("moves", work.moves),
        ("escapes", work.escapes),
    ];
    json.object(|json| {
        for (name, count) in counts {
            json.field(name, |json| json.whole(count.into()));
        }
    });
}

fn write_locus(json: &mut Json, locus: &LocusAnswer) {
    json.object(|json| {
        json.field("kind", |json| json.string(locus.kind));
        json.field("samples", |json| {
            json.array(&locus.samples, |json, pair| json.array(pair, |json, point| json.numbers(point)));
        });
    });
}

/// Writes a pose as the format has it: a unit quaternion, or an angle in degrees in the plane.
pub(crate) fn write_pose(json: &mut Json, pose: &AnyPose) {
    json.object(|json| match pose {
        AnyPose::Solid(pose) => {
            json.field("translation", |json| json.numbers(&pose.translation().to_array()));
            json.field("rotation", |json| json.numbers(&pose.quaternion().to_array()));
        }
        AnyPose::Planar(pose) => {
            json.field("translation", |json| json.numbers(&pose.translation().to_array()));
            json.field("angle", |json| json.number(pose.angle().to_degrees()));
        }
    });
}
