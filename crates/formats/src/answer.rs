//! What a query answers, in world coordinates, and its JSON form.

use crate::json::Json;
use crate::{AnyPose, EventAnswer, ImpactAnswer, PartFeature, Units};
use clearance_geometry::{Feature, VertexId};
use clearance_proximity::{Ended, State, Work};
use std::ops::Deref;
use std::path::PathBuf;

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
    /// `curve` or `area`; `points` where several pairs are equally near and nothing joins them, or what does is not known.
    /// Of several sets, what the largest is.
    pub kind: &'static str,
    /// Pairs of closest points: between flat bodies the ends of the curve or the corners of the area, between others points
    /// all over it.
    pub samples: Vec<[Coordinates; 2]>,
    /// The connected sets, where there are several.
    pub sets: Vec<LocusSet>,
}

impl LocusAnswer {
    /// One set, or points that nothing is known to join.
    pub(crate) const fn new(kind: &'static str, samples: Vec<[Coordinates; 2]>) -> Self {
        Self { kind, samples, sets: Vec::new() }
    }
}

/// A connected set of closest points.
#[derive(Clone, Debug, PartialEq)]
pub struct LocusSet {
    /// `point`, `curve` or `area`.
    pub kind: &'static str,
    /// Whether a curve ends where it begins.
    pub closed: bool,
    /// Pairs of closest points; of a curve in order.
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

/// One connected overlap of bodies that are not convex.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionAnswer {
    /// The ends of the local penetration vector.
    pub points: [Coordinates; 2],
    /// Unit vector from A to B.
    pub normal: Coordinates,
    /// The local depth; a length.
    pub depth: f64,
    /// No point of the region is deeper; none where nothing is known.
    pub upper_bound: Option<f64>,
    /// What is meant by it.
    pub definition: &'static str,
}

/// The answer to a query, in world coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How the bodies stand to each other.
    pub state: State,
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Distance, or minus the penetration depth when overlapping. None where no depth is defined: surfaces that cross, and
    /// overlapping bodies that are not convex.
    pub signed_distance: Option<f64>,
    /// One witness on each body.
    pub points: [Coordinates; 2],
    /// Unit vector from A to B; none where `signed_distance` is none.
    pub normal: Option<Coordinates>,
    /// Features the witnesses lie on, in the numbering of the input.
    pub features: [PartFeature; 2],
    /// Where on its feature each witness is: two numbers on a curved face, one on a curved edge, none on a vertex. Nothing
    /// on flat features.
    pub parameters: [Option<Vec<f64>>; 2],
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
    /// A proven lower bound on the signed distance, on demand; the inner `None` says that nothing is proven.
    pub lower_bound: Option<Option<f64>>,
    /// The file with the proof, where one was written.
    pub certificate: Option<PathBuf>,
    /// The derivative of the signed distance, on demand.
    pub gradient: Option<GradientAnswer>,
    /// Where closest points are not unique, on demand; the inner `None` says that they are unique.
    pub locus: Option<Option<LocusAnswer>>,
    /// Every local minimum, nearest first, on demand.
    pub all: Option<Vec<Answer>>,
    /// The overlaps of bodies that are not convex, one by one.
    pub regions: Option<Vec<RegionAnswer>>,
    /// What nearly touches, on demand.
    pub events: Option<Vec<EventAnswer>>,
    /// When the bodies first touch, on demand.
    pub impact: Option<ImpactAnswer>,
}

impl Answer {
    /// Two bodies of which nothing is known and nothing asked: what an answer is made from by filling in what was found.
    pub(crate) fn blank(units: Units) -> Self {
        let vertex = || PartFeature::from(Feature::Vertex(VertexId(0)));
        Self {
            state: State::Separated,
            distance: 0.0,
            signed_distance: None,
            points: [Coordinates::from([0.0; 3]); 2],
            normal: None,
            features: [vertex(), vertex()],
            parameters: [None, None],
            ended: Ended::Limit,
            work: Work::default(),
            warnings: Vec::new(),
            units,
            ratio: None,
            rho: None,
            lower_bound: None,
            certificate: None,
            gradient: None,
            locus: None,
            all: None,
            regions: None,
            events: None,
            impact: None,
        }
    }

    /// As one line of JSON without an `id`.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| self.write_fields(json));
        json.into_text()
    }

    /// The signed distance, or the distance where no depth is defined: what answers are ordered by.
    pub fn nearness(&self) -> f64 {
        self.signed_distance.unwrap_or(self.distance)
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
            json.field("lower_bound", |json| json.number(lower.unwrap_or(f64::NAN)));
        }
        if let Some(file) = &self.certificate {
            json.field("certificate", |json| json.string(&file.to_string_lossy()));
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
        if let Some(all) = &self.all {
            json.field("all", |json| {
                json.array(all, |json, answer| json.object(|json| answer.write_core(json)));
            });
        }
        if let Some(events) = &self.events {
            json.field("events", |json| json.array(events, |json, event| event.write(json)));
        }
        if let Some(impact) = &self.impact {
            json.field("impact", |json| impact.write(json));
        }
        if !self.warnings.is_empty() {
            json.field("warnings", |json| json.strings(&self.warnings));
        }
        if self.units != Units::Metre {
            json.field("units", |json| json.string(self.units.symbol()));
        }
    }

    /// Writes what every answer has.
    pub(crate) fn write_core(&self, json: &mut Json) {
        let (state, inside) = self.state_words();
        json.field("state", |json| json.string(state));
        if let Some(inside) = inside {
            json.field("inside", |json| json.string(inside));
        }
        json.field("distance", |json| json.number(self.distance));
        json.field("signed_distance", |json| json.number(self.signed_distance.unwrap_or(f64::NAN)));
        json.field("points", |json| json.array(&self.points, |json, point| json.numbers(point)));
        json.field("normal", |json| write_or_null(json, self.normal.as_deref()));
        json.field("features", |json| {
            json.array(&self.features, |json, feature| json.string(&feature.to_string()));
        });
        json.field("parameters", |json| {
            json.array(&self.parameters, |json, parameters| write_or_null(json, parameters.as_deref()));
        });
        json.field("ended", |json| json.string(self.ended_word()));
        json.field("work", |json| write_work(json, &self.work));
        if let Some(regions) = &self.regions {
            json.field("regions", |json| json.array(regions, write_region));
        }
    }
}

fn write_or_null(json: &mut Json, numbers: Option<&[f64]>) {
    match numbers {
        Some(numbers) => json.numbers(numbers),
        None => json.null(),
    }
}

fn write_region(json: &mut Json, region: &RegionAnswer) {
    json.object(|json| {
        json.field("points", |json| json.array(&region.points, |json, point| json.numbers(point)));
        json.field("normal", |json| json.numbers(&region.normal));
        json.field("depth", |json| json.number(region.depth));
        json.field("upper_bound", |json| json.number(region.upper_bound.unwrap_or(f64::NAN)));
        json.field("definition", |json| json.string(region.definition));
    });
}

fn write_work(json: &mut Json, work: &Work) {
    let counts = [
        ("iterations", work.iterations),
        ("supports", work.supports),
        ("moves", work.moves),
        ("escapes", work.escapes),
        ("newton", work.newton),
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
        json.field("samples", |json| write_pairs(json, &locus.samples));
        if !locus.sets.is_empty() {
            json.field("sets", |json| json.array(&locus.sets, write_set));
        }
    });
}

fn write_set(json: &mut Json, set: &LocusSet) {
    json.object(|json| {
        json.field("kind", |json| json.string(set.kind));
        json.field("closed", |json| json.bool(set.closed));
        json.field("samples", |json| write_pairs(json, &set.samples));
    });
}

fn write_pairs(json: &mut Json, pairs: &[[Coordinates; 2]]) {
    json.array(pairs, |json, pair| json.array(pair, |json, point| json.numbers(point)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Request, Shape, answer};

    fn overlapping() -> Answer {
        let cube = Shape::from_json(r#"{"kind": "box", "size": [2, 2, 2]}"#, &Context::default()).unwrap();
        let at = |text: &str| AnyPose::from_json(text, false, &Context::default()).unwrap();
        let pose_b = at(r#"{"translation": [1.75, 0.5, 0.25]}"#);
        answer(&Request::new(&cube, AnyPose::identity(false), &cube, pose_b)).unwrap()
    }

    #[test]
    fn regions_are_written_one_by_one() {
        let mut answer = overlapping();
        assert!(!answer.to_json().contains("regions"));
        let (points, normal) = (answer.points, [1.0, 0.0, 0.0].into());
        let region = RegionAnswer { points, normal, depth: 0.25, upper_bound: None, definition: "a test" };
        answer.regions = Some(vec![region]);
        let text = answer.to_json();
        let expected = r#""normal":[1,0,0],"depth":0.25,"upper_bound":null,"definition":"a test"}]"#;
        assert!(text.contains(r#""regions":[{"points":[["#) && text.contains(expected), "{text}");
    }

    #[test]
    fn what_is_not_defined_is_null() {
        let mut answer = overlapping();
        (answer.signed_distance, answer.normal, answer.lower_bound) = (None, None, Some(None));
        let text = answer.to_json();
        for part in [r#""signed_distance":null"#, r#""normal":null"#, r#""lower_bound":null"#] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(answer.nearness(), 0.0);
    }
}
