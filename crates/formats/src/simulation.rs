//! The `[simulation]` of a scene: its bodies, joints and settings as a world, and running it.

use crate::fields::At;
use crate::scene::Names;
use crate::{AnyBody, Error, ErrorKind, Scene, SceneBody, Units, events};
use clearance_dynamics::tolerance::EVENT_BELOW_REL;
use clearance_dynamics::{BodySpec, Cone, DynamicsError, MassOf, Settings, Shake, Shape, Sleep, World};
use clearance_geometry::{Body, DMat3, DVec3};
use std::path::PathBuf;

mod joints;
mod run;

pub(crate) use joints::joint_word;
pub use run::{Frame, GaveWay, SimulationSummary, run_simulation};

/// A simulation that is ready to run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The world at its start; bodies in the order of the scene.
    pub world: World,
    /// Number of frames: the start and one for each step.
    pub frames: u64,
    /// What was assumed.
    pub warnings: Vec<String>,
    /// The bodies' names with the lines they stand on, and the file: for what goes wrong later.
    names: Vec<(String, Option<usize>)>,
    file: Option<PathBuf>,
    /// The line on which the solver is named.
    solver_line: Option<usize>,
}

const SIMULATION_KEYS: [&str; 14] = [
    "step",
    "duration",
    "gravity",
    "friction",
    "restitution",
    "stabilization",
    "cone",
    "solver",
    "sweeps",
    "correction",
    "outside",
    "sleep",
    "shake",
    "ignore",
];

/// Checks the keys of what a simulation reads, so that a misspelt one is found by every command.
pub(crate) fn check_simulation_keys(root: &At<'_>) -> Result<(), Error> {
    if let Some(table) = root.get("simulation") {
        table.check_keys(&SIMULATION_KEYS)?;
    }
    if let Some(joints) = root.get("joint") {
        joints::check_keys(&joints)?;
    }
    if let Some(pairs) = root.get("friction") {
        pairs.items()?.iter().try_for_each(|pair| pair.check_keys(&["pair", "value"]))?;
    }
    Ok(())
}

impl Scene {
    /// Makes the world that `simulate` runs.
    ///
    /// # Errors
    /// `missing_field` without `[simulation]` or where a moving body has neither density nor mass, `bad_value` for masses
    /// and joints that cannot be, `unsupported_feature` for bodies that change their shape and algebraic surfaces, `unknown_name` for
    /// unknown bodies and solvers; with the place in the file.
    pub fn simulation(&self) -> Result<Simulation, Error> {
        self.simulation_with(|_| {})
    }

    /// The same with settings changed: another step, say. The duration stays.
    ///
    /// # Errors
    /// As [`Scene::simulation`].
    pub fn simulation_with(&self, change: impl FnOnce(&mut Settings)) -> Result<Simulation, Error> {
        let root = At::root(&self.document, "");
        self.make_simulation(&root, change).map_err(|error| self.place(error))
    }

    fn make_simulation(
        &self,
        root: &At<'_>,
        change: impl FnOnce(&mut Settings),
    ) -> Result<Simulation, Error> {
        let table = root.need("simulation")?;
        let planar = self.bodies.first().is_some_and(|body| body.shape.body.is_planar());
        let mut settings = settings(&table, planar, self.units)?;
        change(&mut settings);
        settings.solver.check(settings.cone, planar).map_err(|error| narrowed(&table, error))?;
        let mut world = World::new(settings).map_err(|error| narrowed(&table, error))?;
        let bodies = root.need("body")?;
        let mut places = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let at = bodies.need(&body.name)?;
            let spec = body_spec(body, &at, planar)?;
            world.add_body(spec).map_err(|error| narrowed(&at, error))?;
            places.push((body.name.clone(), at.line()));
        }
        let names = Names::of(&self.bodies);
        for [a, b] in &self.ignore {
            world.ignore(*a, *b);
        }
        if let Some(pairs) = root.get("friction") {
            let mut known: Vec<[usize; 2]> = Vec::new();
            for pair in pairs.items()? {
                let field = pair.need("pair")?;
                let [a, b] = names.pair(&field)?;
                if known.iter().any(|pair| *pair == [a, b] || *pair == [b, a]) {
                    let reason = "the friction of this pair is given twice".to_owned();
                    return Err(field.error(ErrorKind::BadValue { reason }));
                }
                known.push([a, b]);
                let value = pair.need("value")?;
                let set = world.set_friction(a, b, value.number()?);
                set.map_err(|error| value.place(error.into()))?;
            }
        }
        let mut warnings = Vec::new();
        if let Some(joints) = root.get("joint") {
            warnings = joints::add(&mut world, &joints, &names, planar)?;
        }
        let duration = table.need("duration")?.positive()?;
        let steps = (duration / settings.step).round();
        if !(1.0..=MOST_STEPS).contains(&steps) {
            let reason = format!("{duration} s in steps of {} s cannot be run", settings.step);
            return Err(table.error(ErrorKind::BadValue { reason }));
        }
        warnings.extend(self.warnings(&world));
        let file = self.file.clone();
        let solver_line = table.get("solver").and_then(|field| field.line());
        Ok(Simulation { world, frames: steps as u64 + 1, warnings, names: places, file, solver_line })
    }

    /// What overlaps at the start, and which joints start outside their limits.
    fn warnings(&self, world: &World) -> Vec<String> {
        let mut started = world.clone();
        started.start();
        // Less is the rounding of bodies that touch.
        let mut deep: Vec<_> = started.overlaps().filter(|(_, _, share)| *share > EVENT_BELOW_REL).collect();
        deep.sort_by(|a, b| b.1.total_cmp(&a.1));
        let said = |([a, b], depth, _): &([usize; 2], f64, f64)| {
            let [a, b] = [a, b].map(|&body| &self.bodies[body].name);
            format!("`{a}` and `{b}` overlap by {depth:e} at the start; they are pushed apart")
        };
        let mut warnings: Vec<String> = deep.iter().take(MOST_NAMED).map(said).collect();
        if deep.len() > MOST_NAMED {
            warnings.push(format!("{} more pairs overlap at the start by less", deep.len() - MOST_NAMED));
        }
        warnings.extend(joints::warnings(&started));
        warnings
    }
}

/// Pairs that overlap at the start, the deepest first, that are named.
const MOST_NAMED: usize = 20;

/// More steps than this are a mistake.
const MOST_STEPS: f64 = 1e9;

/// A vector of the scene's dimension, the third entry 0 in the plane.
fn vector(at: &At<'_>, planar: bool) -> Result<DVec3, Error> {
    if planar {
        let [x, y] = at.vector::<2>()?;
        return Ok(DVec3::new(x, y, 0.0));
    }
    Ok(DVec3::from_array(at.vector::<3>()?))
}

/// An error at the field that it is about, where that stands in the file, or at `at`.
fn narrowed(at: &At<'_>, error: DynamicsError) -> Error {
    let path: Vec<&str> = error.field().map_or_else(Vec::new, |field| field.split('.').collect());
    at_path(at, &path, error.into())
}

fn at_path(at: &At<'_>, path: &[&str], error: Error) -> Error {
    match path.split_first().and_then(|(first, rest)| Some((at.get(first)?, rest))) {
        Some((child, rest)) => at_path(&child, rest, error),
        None => at.place(error),
    }
}

fn settings(at: &At<'_>, planar: bool, units: Units) -> Result<Settings, Error> {
    let number = |key: &str, usual: f64| at.get(key).map_or(Ok(usual), |field| field.number());
    let optional = |key: &str| at.get(key).map(|field| field.number()).transpose();
    let usual = Settings::default();
    let down = if planar { DVec3::NEG_Y } else { DVec3::NEG_Z } * Units::Metre.to(units).apply(9.81);
    let cone = match at.get("cone") {
        None => Cone::Exact,
        Some(field) => match field.text() {
            Ok("exact") => Cone::Exact,
            Ok(other) => {
                let reason = format!("a cone is `exact` or has `facets`, not `{other}`");
                return Err(field.error(ErrorKind::BadValue { reason }));
            }
            Err(_) => {
                field.check_keys(&["facets"])?;
                Cone::Facets(field.need("facets")?.count(1000)? as usize)
            }
        },
    };
    let solver = match at.get("solver") {
        None => usual.solver,
        Some(field) => field.text()?.parse().map_err(|error| {
            let error: DynamicsError = error;
            field.place(error.into())
        })?,
    };
    Ok(Settings {
        step: at.need("step")?.positive()?,
        gravity: at.get("gravity").map_or(Ok(down), |field| vector(&field, planar))?,
        friction: number("friction", usual.friction)?,
        restitution: number("restitution", usual.restitution)?,
        stabilization: number("stabilization", usual.stabilization)?,
        cone,
        solver,
        sweeps: at.get("sweeps").map_or(Ok(usual.sweeps as u32), |field| field.count(10_000))? as usize,
        correction: optional("correction")?,
        outside: optional("outside")?,
        sleep: at.get("sleep").map_or(Ok(None), |field| sleep(&field))?,
        shake: at.get("shake").map(|field| shake(&field, planar)).transpose()?,
    })
}

/// How all that is fixed swings: a length along each axis, and how often per second.
fn shake(field: &At<'_>, planar: bool) -> Result<Shake, Error> {
    field.check_keys(&["amplitude", "frequency"])?;
    let amplitude = vector(&field.need("amplitude")?, planar)?;
    Ok(Shake { amplitude, frequency: field.need("frequency")?.positive()? })
}

/// `true`, `false`, or a table with `speed` and `after`.
fn sleep(field: &At<'_>) -> Result<Option<Sleep>, Error> {
    if let Ok(wanted) = field.bool() {
        return Ok(wanted.then(Sleep::default));
    }
    field.check_keys(&["speed", "after"])?;
    let speed = field.get("speed").map(|speed| speed.number()).transpose()?;
    let after = field.get("after").map_or(Ok(Sleep::default().after), |after| after.number())?;
    Ok(Some(Sleep { speed, after }))
}

fn body_spec(body: &SceneBody, at: &At<'_>, planar: bool) -> Result<BodySpec, Error> {
    let unsupported = || {
        let of_itself = matches!(body.shape.body, AnyBody::Solid(Body::Algebraic(_)));
        if body.shape.surface_only && !of_itself {
            let what = "`surface_only`, the boundary of a body alone, in a simulation".to_owned();
            return at_path(at, &["shape", "surface_only"], ErrorKind::UnsupportedFeature { what }.into());
        }
        let what = format!("`{}` as a shape in a simulation", body.shape.kind);
        at.error(ErrorKind::UnsupportedFeature { what })
    };
    if !body.motions.is_empty() {
        let what = "a body with a motion of its own in a simulation".to_owned();
        return Err(at.error(ErrorKind::UnsupportedFeature { what }));
    }
    let shape = events::shape_of(&body.shape).ok_or_else(unsupported)?;
    let pose = events::space_pose(&body.pose).map_err(|error| at.place(error))?;
    let mass = if body.fixed { fixed(&shape, at)? } else { mass(&shape, at)? };
    let mut spec = BodySpec::new(shape, pose, mass);
    if let Some(field) = at.get("velocity") {
        spec.velocity = vector(&field, planar)?;
    }
    if let Some(field) = at.get("angular_velocity") {
        let degrees = if planar { DVec3::Z * field.number()? } else { vector(&field, false)? };
        spec.angular_velocity = degrees * 1_f64.to_radians();
    }
    let moving = [("velocity", spec.velocity), ("angular_velocity", spec.angular_velocity)];
    for (key, velocity) in moving {
        if let (true, Some(field)) = (body.fixed && velocity != DVec3::ZERO, at.get(key)) {
            let reason = "a fixed body does not move".to_owned();
            return Err(field.error(ErrorKind::BadValue { reason }));
        }
    }
    let optional = |key: &str| at.get(key).map(|field| field.number()).transpose();
    spec.friction = optional("friction")?;
    spec.restitution = optional("restitution")?;
    Ok(spec)
}

/// A fixed body may say what it would weigh; that is checked, so that a mistake does not wait until it is let go.
fn fixed(shape: &Shape, at: &At<'_>) -> Result<MassOf, Error> {
    if at.get("mass").is_some() || at.get("density").is_some() || at.get("inertia").is_some() {
        mass(shape, at)?;
    }
    Ok(MassOf::Fixed)
}

/// `density`, or `mass` with `inertia`; a mass alone is spread evenly over the shape.
fn mass(shape: &Shape, at: &At<'_>) -> Result<MassOf, Error> {
    let Some(field) = at.get("mass") else {
        if let (Some(_), Some(inertia)) = (at.get("density"), at.get("inertia")) {
            let reason = "a density makes the inertia; `inertia` goes with `mass`".to_owned();
            return Err(inertia.error(ErrorKind::BadValue { reason }));
        }
        return Ok(MassOf::Density(at.need("density")?.positive()?));
    };
    if at.get("density").is_some() {
        let reason = "a body has a density or a mass, not both".to_owned();
        return Err(field.error(ErrorKind::BadValue { reason }));
    }
    let mass = field.positive()?;
    match (at.get("inertia"), shape) {
        (None, Shape::HalfSpace(_)) => Ok(MassOf::Density(1.0)),
        (None, Shape::Body(body)) if body.is_surface_only() => {
            Err(at.place(clearance_dynamics::DynamicsError::OpenShell.into()))
        }
        (None, shape) => Ok(MassOf::Density(mass / shape.amount())),
        (Some(field), Shape::Planar(_) | Shape::PlanarCurved(_)) => {
            let inertia = DMat3::from_diagonal(DVec3::splat(field.positive()?));
            Ok(MassOf::Given { mass, inertia })
        }
        (Some(field), _) => {
            let [xx, yy, zz, xy, yz, zx] = field.vector::<6>()?;
            let inertia = DMat3::from_cols_array(&[xx, xy, zx, xy, yy, yz, zx, yz, zz]);
            Ok(MassOf::Given { mass, inertia })
        }
    }
}
