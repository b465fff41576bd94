//! Scene files: shapes, bodies, motions, and what is to be done with them.

use crate::fields::At;
use crate::impact::course;
use crate::motion::Motion;
use crate::shape::read_text;
use crate::simulation::check_simulation_keys;
use crate::{
    AnyPose, Context, CouplerSpec, Error, ErrorKind, Shape, Units, Value, Wants, coupler, method, pose, shape,
};
use clearance_proximity::impact::Motion as Course;
use clearance_proximity::published::Settings;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene that has been read.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// The unit of every length.
    pub units: Units,
    /// Whether its bodies live in the plane.
    pub planar: bool,
    /// Bodies in the order of the file.
    pub bodies: Vec<SceneBody>,
    /// Pairs of bodies that are never compared, lower index first.
    pub ignore: Vec<[usize; 2]>,
    /// What `track` runs.
    pub track: Option<Track>,
    /// Sections that are known but not supported yet, as `plan`.
    pub later_sections: Vec<String>,
    /// What was read; `simulation` makes its world from it.
    pub(crate) document: Arc<Value>,
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Its name.
    pub name: String,
    /// The name of its shape; its own name where the shape stands inline.
    pub shape_name: String,
    /// Its shape.
    pub shape: Shape,
    /// Where it stands at time 0.
    pub pose: AnyPose,
    /// Whether it never moves.
    pub fixed: bool,
    /// How it moves; applied first to last.
    pub motions: Vec<Motion>,
}

/// What `track` runs: frame k at time k·step.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Pairs of bodies, by index.
    pub pairs: Vec<[usize; 2]>,
    /// Number of frames.
    pub frames: u32,
    /// Seconds between frames.
    pub step: f64,
    /// What is wanted of every answer beyond the distance.
    pub wants: Wants,
    /// A published method to run beside the certified answers.
    pub method: Option<Settings>,
    /// A body that hangs on a device, whose path is the body's motion.
    pub coupler: Option<CouplerSpec>,
}

impl Track {
    /// The same span of time with `rate` frames per second. A method that makes one step in a frame does so then; another keeps
    /// its own rate.
    ///
    /// # Errors
    /// `bad_value` when the rate is not positive or asks for too many frames.
    pub fn at_rate(&self, rate: f64) -> Result<Self, Error> {
        let frames = (f64::from(self.frames.saturating_sub(1)) * self.step * rate).round() + 1.0;
        if !(rate > 0.0 && rate.is_finite() && frames <= f64::from(u32::MAX)) {
            let reason = format!("a rate of {rate} frames per second cannot be run");
            return Err(ErrorKind::BadValue { reason }.into());
        }
        let method = self.method.map(|method| method::at_rate(method, self.step, rate));
        Ok(Self { frames: frames as u32, step: 1.0 / rate, method, ..self.clone() })
    }
}

impl SceneBody {
    /// Its motion as the kernel for first contacts has it.
    pub(crate) fn course(&self) -> Result<Course, Error> {
        course(&self.pose, &self.motions)
    }

    /// Where it stands at time `t`, in seconds.
    ///
    /// # Errors
    /// `not_finite` when the numbers outgrow double precision.
    pub fn pose_at(&self, t: f64) -> Result<AnyPose, Error> {
        self.motions.iter().try_fold(self.pose, |pose, motion| motion.apply(&pose, t))
    }

    /// Its shape at time `t`, in seconds: another one than at time 0 where it deforms.
    ///
    /// # Errors
    /// When its patches outgrow double precision, or no longer make a body.
    pub fn shape_at(&self, t: f64) -> Result<Cow<'_, Shape>, Error> {
        self.shape.at_time(t)
    }
}

const SECTIONS: [&str; 11] = [
    "title",
    "units",
    "planar",
    "shape",
    "body",
    "track",
    "ignore",
    "simulation",
    "plan",
    "joint",
    "friction",
];

impl Scene {
    /// Reads a scene file; names of other files in it count from its folder. `units` hold where it states none.
    ///
    /// # Errors
    /// Whatever can be wrong with one; the error names the file, the line and the key.
    pub fn load(path: &Path, units: Units) -> Result<Self, Error> {
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        read_text(path)
            .and_then(|text| Self::parse(&text, &Context::new(directory, units)))
            .map(|scene| Self { file: Some(path.to_path_buf()), ..scene })
            .map_err(|error| error.in_file(path))
    }

    /// Reads a scene from text.
    ///
    /// # Errors
    /// As [`Scene::load`], without the file.
    ///
    /// ```
    /// use clearance_formats::{Context, Scene};
    /// let scene = Scene::parse(
    ///     r#"
    ///     [shape.cube]
    ///     kind = "box"
    ///     size = [1, 1, 1]
    ///     [body.still]
    ///     shape = "cube"
    ///     fixed = true
    ///     [body.moving]
    ///     shape = "cube"
    ///     pose = { translation = [3, 0, 0] }
    ///     motion = [{ velocity = [-1, 0, 0] }]
    ///     [track]
    ///     frames = 11
    ///     step = 0.1
    ///     "#,
    ///     &Context::default(),
    /// )?;
    /// assert_eq!(scene.bodies.len(), 2);
    /// assert_eq!(scene.track()?.pairs, [[0, 1]]);
    /// # Ok::<(), clearance_formats::Error>(())
    /// ```
    pub fn parse(text: &str, context: &Context) -> Result<Self, Error> {
        let document = Arc::new(Value::from_toml(text)?);
        let root = At::root(&document, "");
        root.check_keys(&SECTIONS)?;
        let units = match root.get("units") {
            Some(field) => field.text()?.parse().map_err(|error| field.place(error))?,
            None => context.units(),
        };
        let planar = root.get("planar").map_or(Ok(false), |field| field.bool())?;
        let context = context.in_units(units).with_planar(planar);
        let shapes = shapes(&root, &context)?;
        let bodies = bodies(&root, &shapes, &context)?;
        let names = Names::of(&bodies);
        let mut scene = Self {
            title: root.get("title").map(|field| field.text().map(str::to_owned)).transpose()?,
            file: None,
            units,
            planar,
            ignore: ignored(&root, &names)?,
            bodies: Vec::new(),
            track: None,
            later_sections: later_sections(&root)?,
            document: Arc::clone(&document),
        };
        scene.track = track(&root, &names, &bodies, &scene.ignore)?;
        check_simulation_keys(&root)?;
        scene.bodies = bodies;
        Ok(scene)
    }

    /// What `track` runs.
    ///
    /// # Errors
    /// `missing_field` when the scene has no `[track]`.
    pub fn track(&self) -> Result<&Track, Error> {
        let missing = || Error::new(ErrorKind::MissingField { field: "track".to_owned() });
        self.track.as_ref().ok_or_else(|| self.place(missing()))
    }

    /// Says that a section cannot be run yet.
    ///
    /// # Errors
    /// Always: `unsupported_feature` where the scene has the section, else `missing_field`.
    pub fn run_section(&self, section: &str) -> Result<(), Error> {
        let known = self.later_sections.iter().any(|name| name == section);
        Err(self.place(Error::new(if known {
            ErrorKind::UnsupportedFeature { what: format!("`[{section}]`") }
        } else {
            ErrorKind::MissingField { field: section.to_owned() }
        })))
    }

    /// The error with the scene's file, and the line of the key under `[track]` where the scene has it.
    pub(crate) fn place_in_track(&self, key: &str, error: Error) -> Error {
        let root = At::root(&self.document, "");
        let Some(track) = root.get("track") else { return self.place(error) };
        self.place(match track.get(key) {
            Some(field) => field.place(error),
            None => error,
        })
    }

    /// The error with the scene's file.
    pub(crate) fn place(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}

type Shapes = BTreeMap<String, Shape>;

fn shapes(root: &At<'_>, context: &Context) -> Result<Shapes, Error> {
    let Some(table) = root.get("shape") else { return Ok(Shapes::new()) };
    let mut shapes = Shapes::new();
    for (name, at) in table.entries()? {
        shapes.insert(name.to_owned(), shape::parse(at, context)?);
    }
    Ok(shapes)
}

const BODY_KEYS: [&str; 11] = [
    "shape",
    "pose",
    "fixed",
    "motion",
    "friction",
    "restitution",
    "density",
    "mass",
    "inertia",
    "velocity",
    "angular_velocity",
];

fn bodies(root: &At<'_>, shapes: &Shapes, context: &Context) -> Result<Vec<SceneBody>, Error> {
    let table = root.need("body")?;
    let mut bodies = Vec::new();
    for (name, at) in table.entries()? {
        bodies.push(body(name, &at, shapes, context)?);
    }
    if bodies.is_empty() {
        return Err(table.error(ErrorKind::BadValue { reason: "the scene has no bodies".to_owned() }));
    }
    Ok(bodies)
}

fn body(name: &str, at: &At<'_>, shapes: &Shapes, context: &Context) -> Result<SceneBody, Error> {
    at.check_keys(&BODY_KEYS)?;
    let field = at.need("shape")?;
    let (shape_name, shape) = match field.text() {
        Err(_) => {
            let own = if shapes.contains_key(name) { format!("body.{name}") } else { name.to_owned() };
            (own, shape::parse(field, context)?)
        }
        Ok(wanted) => match shapes.get(wanted) {
            Some(shape) => (wanted.to_owned(), shape.clone()),
            None => {
                let kind = ErrorKind::UnknownName { what: "shape".into(), name: wanted.to_owned() };
                return Err(field.error(kind));
            }
        },
    };
    let planar = shape.body.is_planar();
    let pose = match at.get("pose") {
        Some(field) => pose::parse(field, planar, context)?,
        None => AnyPose::identity(planar),
    };
    let fixed = at.get("fixed").map_or(Ok(false), |field| field.bool())?;
    let mut motions = Vec::new();
    if let Some(list) = at.get("motion") {
        for item in list.items()? {
            motions.push(Motion::parse(item, planar, context)?);
        }
        if fixed && !motions.is_empty() {
            let reason = "a fixed body cannot have a motion".to_owned();
            return Err(list.error(ErrorKind::BadValue { reason }));
        }
    }
    Ok(SceneBody { name: name.to_owned(), shape_name, shape, pose, fixed, motions })
}

/// Bodies by name.
pub(crate) struct Names<'a> {
    index: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(bodies: &'a [SceneBody]) -> Self {
        Self { index: bodies.iter().enumerate().map(|(at, body)| (body.name.as_str(), at)).collect() }
    }

    /// Reads a list of pairs of names.
    fn pairs(&self, list: &At<'_>) -> Result<Vec<[usize; 2]>, Error> {
        list.items()?.iter().map(|pair| self.pair(pair)).collect()
    }

    pub(crate) fn pair(&self, at: &At<'_>) -> Result<[usize; 2], Error> {
        let items = at.items()?;
        let [a, b] = items.as_slice() else {
            let found = format!("{} entries", items.len());
            return Err(at.error(ErrorKind::WrongType { expected: "two names".to_owned(), found }));
        };
        let pair = [self.body(a)?, self.body(b)?];
        if pair[0] == pair[1] {
            let reason = "a body has no distance from itself".to_owned();
            return Err(at.error(ErrorKind::BadValue { reason }));
        }
        Ok(pair)
    }

    pub(crate) fn body(&self, at: &At<'_>) -> Result<usize, Error> {
        let name = at.text()?;
        let unknown = || at.error(ErrorKind::UnknownName { what: "body".into(), name: name.to_owned() });
        self.index.get(name).copied().ok_or_else(unknown)
    }
}

/// Pairs never compared: at the top, or in any section.
fn ignored(root: &At<'_>, names: &Names<'_>) -> Result<Vec<[usize; 2]>, Error> {
    let mut ignored = Vec::new();
    if let Some(list) = root.get("ignore") {
        ignored.extend(names.pairs(&list)?);
    }
    for section in ["track", "simulation", "plan"] {
        if let Some(table) = root.get(section)
            && let Some(list) = table.get("ignore")
        {
            ignored.extend(names.pairs(&list)?);
        }
    }
    for pair in &mut ignored {
        pair.sort_unstable();
    }
    ignored.sort_unstable();
    ignored.dedup();
    Ok(ignored)
}

const TRACK_KEYS: [&str; 10] =
    ["pairs", "frames", "step", "ignore", "want", "method", "gain", "integrator", "rate", "coupler"];

fn track(
    root: &At<'_>,
    names: &Names<'_>,
    bodies: &[SceneBody],
    ignore: &[[usize; 2]],
) -> Result<Option<Track>, Error> {
    let Some(at) = root.get("track") else { return Ok(None) };
    at.check_keys(&TRACK_KEYS)?;
    let frames = at.need("frames")?;
    let count = frames.count(u32::MAX)?;
    if count == 0 {
        return Err(frames.error(ErrorKind::BadValue { reason: "there must be a frame".to_owned() }));
    }
    let step = at.need("step")?.positive()?;
    let allowed = |pair: &[usize; 2]| !ignore.contains(&[pair[0].min(pair[1]), pair[0].max(pair[1])]);
    let pairs = match at.get("pairs") {
        Some(list) => {
            let mut pairs = Vec::new();
            for item in list.items()? {
                let pair = names.pair(&item)?;
                check_pair(&item, pair, bodies)?;
                if pairs.contains(&pair) {
                    let reason = "the pair stands in the list twice".to_owned();
                    return Err(item.error(ErrorKind::DuplicateName { reason }));
                }
                pairs.push(pair);
            }
            pairs
        }
        None => all_pairs(bodies),
    };
    let wants = at.get("want").map_or_else(|| Ok(Wants::default()), Wants::parse)?;
    if wants.impact {
        let reason = "`clearance impact` tells when bodies first touch".to_owned();
        return Err(at.error(ErrorKind::BadValue { reason }));
    }
    let coupler = at.get("coupler").map(|field| coupler::parse(&field, names, bodies)).transpose()?;
    let method = method::parse(&at, step)?;
    let pairs = pairs.into_iter().filter(allowed).collect();
    Ok(Some(Track { pairs, frames: count, step, wants, method, coupler }))
}

/// Refuses a pair that has no distance.
fn check_pair(at: &At<'_>, pair: [usize; 2], bodies: &[SceneBody]) -> Result<(), Error> {
    let [a, b] = pair.map(|index| &bodies[index].shape.body);
    if a.is_planar() != b.is_planar() {
        let reason = "a planar body against a solid one".to_owned();
        return Err(at.error(ErrorKind::DimensionMismatch { reason }));
    }
    if a.is_unbounded() && b.is_unbounded() {
        let reason = "no distance is defined between two half-spaces".to_owned();
        return Err(at.error(ErrorKind::UnsupportedPair { reason }));
    }
    Ok(())
}

/// Every pair that has a distance and of which at least one body may move.
fn all_pairs(bodies: &[SceneBody]) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            let same = a.shape.body.is_planar() == b.shape.body.is_planar();
            let unbounded = a.shape.body.is_unbounded() && b.shape.body.is_unbounded();
            if same && !unbounded && !(a.fixed && b.fixed) {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}

/// Sections that later versions run: their keys are checked, their values are not.
fn later_sections(root: &At<'_>) -> Result<Vec<String>, Error> {
    let Some(table) = root.get("plan") else { return Ok(Vec::new()) };
    table.check_keys(&["robot", "start", "goal", "ignore"])?;
    Ok(vec!["plan".to_owned()])
}
