//! When two moving bodies first touch, in the world.

use crate::flat_curved::planar_body;
use crate::json::Json;
use crate::{Answer, AnyBody, AnyPose, Error, ErrorKind, Motion, Request, Scene, Shape, Units, answer};
use clearance_geometry::{DMat3, DVec3, PlanarPose, Pose};
use clearance_proximity::impact::{
    Impact, ImpactDemand, ImpactEnd, ImpactWork, Motion as Course, Seen, planar_time_of_impact,
    time_of_impact,
};

/// A question about two moving bodies.
#[derive(Clone, Debug)]
pub struct ImpactRequest<'a> {
    /// Both bodies.
    pub shapes: [&'a Shape; 2],
    /// Where they stand at time 0.
    pub poses: [AnyPose; 2],
    /// How they move; applied first to last.
    pub motions: [&'a [Motion]; 2],
    /// The end of the time that is asked about, in seconds; it begins at 0.
    pub until: f64,
    /// How closely, and how long it may take.
    pub demand: ImpactDemand,
    /// The unit of every length, for the answer to repeat.
    pub units: Units,
}

/// When two bodies first touch.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactAnswer {
    /// How the search ended.
    pub ended: ImpactEnd,
    /// Proven: there is no contact before this time.
    pub free_until: f64,
    /// A time at which the bodies are in contact.
    pub contact_by: Option<f64>,
    /// How they stand to each other at the last moment that was looked at before the contact.
    pub before: Option<Seen<Box<Answer>>>,
    /// How they stand to each other in contact.
    pub contact: Option<Seen<Box<Answer>>>,
    /// Work done.
    pub work: ImpactWork,
}

impl ImpactAnswer {
    /// The word of `ended`.
    pub const fn ended_word(&self) -> &'static str {
        match self.ended {
            ImpactEnd::Contact => "contact",
            ImpactEnd::Free => "free",
            ImpactEnd::Limit => "limit",
        }
    }

    /// As one JSON object.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        self.write(&mut json);
        json.into_text()
    }

    pub(crate) fn write(&self, json: &mut Json) {
        let seen = |json: &mut Json, seen: &Option<Seen<Box<Answer>>>| match seen {
            None => json.null(),
            Some(seen) => json.object(|json| {
                json.field("time", |json| json.number(seen.time));
                seen.answer.write_core(json);
            }),
        };
        json.object(|json| {
            json.field("ended", |json| json.string(self.ended_word()));
            json.field("free_until", |json| json.number(self.free_until));
            json.field("contact_by", |json| json.number(self.contact_by.unwrap_or(f64::NAN)));
            json.field("before", |json| seen(json, &self.before));
            json.field("contact", |json| seen(json, &self.contact));
            json.field("work", |json| {
                json.object(|json| {
                    json.field("looks", |json| json.whole(self.work.looks.into()));
                    json.field("gaps", |json| json.whole(self.work.gaps.into()));
                });
            });
        });
    }
}

/// When two bodies first touch, up to a time.
///
/// # Errors
/// What a query can have wrong, and `not_finite` when a motion outgrows double precision.
///
/// ```
/// use clearance_formats::{AnyPose, Context, ImpactRequest, Motion, Shape, Units, impact};
/// let context = Context::default();
/// let ball = Shape::from_json(r#"{"kind": "sphere", "radius": 1}"#, &context)?;
/// let start = AnyPose::from_json(r#"{"translation": [5, 0, 0]}"#, false, &context)?;
/// let moves = [Motion::from_json(r#"{"velocity": [-1, 0, 0]}"#, false, &context)?];
/// let found = impact(&ImpactRequest {
///     shapes: [&ball, &ball],
///     poses: [AnyPose::identity(false), start],
///     motions: [&[], &moves],
///     until: 10.0,
///     demand: Default::default(),
///     units: Units::Metre,
/// })?;
/// assert!(found.free_until <= 3.0 + 1e-12 && found.contact_by.is_some_and(|by| by >= 3.0 - 1e-12));
/// # Ok::<(), clearance_formats::Error>(())
/// ```
pub fn impact(request: &ImpactRequest<'_>) -> Result<ImpactAnswer, Error> {
    let of = |body: usize| course(&request.poses[body], request.motions[body]);
    let courses = [of(0)?, of(1)?];
    let demand = &request.demand;
    let (motions, span) = ([&courses[0], &courses[1]], [0.0, request.until]);
    match [&request.shapes[0].body, &request.shapes[1].body] {
        [AnyBody::Solid(a), AnyBody::Solid(b)] => {
            let found = time_of_impact([a, b], motions, span, demand)?;
            placed(request, &courses, &found)
        }
        [a, b] => {
            let (Some(a), Some(b)) = (planar_body(a), planar_body(b)) else {
                let reason = "a planar body against a solid one".to_owned();
                return Err(ErrorKind::DimensionMismatch { reason }.into());
            };
            let found = planar_time_of_impact([&a, &b], motions, span, demand)?;
            placed(request, &courses, &found)
        }
    }
}

/// As [`impact`], for two bodies of a scene, by index.
///
/// # Errors
/// As [`impact`].
pub fn impact_of_pair(
    scene: &Scene,
    pair: [usize; 2],
    until: f64,
    demand: ImpactDemand,
) -> Result<ImpactAnswer, Error> {
    let bodies = pair.map(|at| &scene.bodies[at]);
    let pulled = scene.track.as_ref().and_then(|track| track.coupler).map(|coupler| coupler.body);
    if let Some(tool) = pulled.filter(|tool| pair.contains(tool)) {
        let name = &scene.bodies[tool].name;
        let reason = format!("`{name}` hangs on a device: how it moves is not known before it is tracked");
        return Err(scene.place_in_track("coupler", ErrorKind::BadValue { reason }.into()));
    }
    let request = ImpactRequest {
        shapes: bodies.map(|body| &body.shape),
        poses: bodies.map(|body| body.pose),
        motions: bodies.map(|body| body.motions.as_slice()),
        until,
        demand,
        units: scene.units,
    };
    let [a, b] = bodies.map(|body| &body.name);
    impact(&request).map_err(|error| scene.place(error.at_key(format!("{a} and {b}"))))
}

/// The motion of a body as the kernel has it.
pub(crate) fn course(start: &AnyPose, motions: &[Motion]) -> Result<Course, Error> {
    let start = match start {
        AnyPose::Solid(pose) => *pose,
        AnyPose::Planar(pose) => in_space(pose)?,
    };
    let moves = motions.iter().map(Motion::to_move).collect::<Result<_, _>>()?;
    Ok(Course::new(start, moves))
}

/// A pose of the plane as one of space that stays in the plane z = 0.
pub(crate) fn in_space(pose: &PlanarPose) -> Result<Pose, Error> {
    let (x, y) = (DVec3::new(pose.cos(), pose.sin(), 0.0), DVec3::new(-pose.sin(), pose.cos(), 0.0));
    Ok(Pose::from_matrix(DMat3::from_cols(x, y, DVec3::Z), pose.translation().extend(0.0))?)
}

/// The answers at both ends of the interval, in the words of the format.
fn placed<A>(
    request: &ImpactRequest<'_>,
    courses: &[Course; 2],
    found: &Impact<A>,
) -> Result<ImpactAnswer, Error> {
    let seen = |moment: &Option<Seen<A>>| -> Result<Option<Seen<Box<Answer>>>, Error> {
        let Some(Seen { time, .. }) = *moment else { return Ok(None) };
        let later = |body: usize| -> Result<(Shape, AnyPose), Error> {
            let pose = courses[body].pose(time)?;
            let pose = match request.poses[body] {
                AnyPose::Solid(_) => AnyPose::Solid(pose),
                AnyPose::Planar(_) => {
                    let along = pose.rotation().x_axis;
                    let place = pose.translation().truncate();
                    AnyPose::Planar(PlanarPose::from_cos_sin(along.x, along.y, place)?)
                }
            };
            Ok((request.shapes[body].at_time(time)?.into_owned(), pose))
        };
        let [(a, pose_a), (b, pose_b)] = [later(0)?, later(1)?];
        let asked = Request { units: request.units, ..Request::new(&a, pose_a, &b, pose_b) };
        Ok(Some(Seen { time, answer: Box::new(answer(&asked)?) }))
    };
    Ok(ImpactAnswer {
        ended: found.ended,
        free_until: found.free_until,
        contact_by: found.contact_by,
        before: seen(&found.before)?,
        contact: seen(&found.contact)?,
        work: found.work,
    })
}
