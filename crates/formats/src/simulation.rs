//! The `[simulation]` of a scene: its bodies, joints and settings as a world, and running it.

use crate::fields::At;
use crate::scene::Names;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Scene, SceneBody};
use clearance_dynamics::tolerance::EVENT_BELOW_REL;
use clearance_dynamics::{
    BodySpec, Cone, JointKind, JointSpec, MassOf, Motor, Settings, Shape, Sleep, World,
};
use clearance_geometry::{Body, DMat3, DVec3, Pose};
use std::ops::ControlFlow;

/// A simulation that is ready to run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The world at its start; bodies in the order of the scene.
    pub world: World,
    /// Number of frames: the start and one for each step.
    pub frames: u64,
    /// What was assumed.
    pub warnings: Vec<String>,
}

/// One frame of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number, from 0.
    pub index: u64,
    /// Its time in seconds.
    pub time: f64,
    /// The world as it stands.
    pub world: &'a World,
}

impl Frame<'_> {
    /// Where a body stands.
    pub fn pose(&self, body: usize) -> AnyPose {
        let body = &self.world.bodies()[body];
        if body.is_planar() { AnyPose::Planar(body.planar_pose()) } else { AnyPose::Solid(body.pose()) }
    }
}

/// How a simulation went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulationSummary {
    /// Steps taken.
    pub steps: u64,
    /// Mean and largest infeasibility over the run, a length.
    pub infeasibility: [f64; 2],
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Most events of a step.
    pub events: usize,
    /// Steps in which friction was only relaxed.
    pub relaxed: u64,
    /// Steps in which a program had no solution and constraints gave way.
    pub elastic: u64,
    /// Largest natural residual, a velocity.
    pub residual: f64,
}

const SIMULATION_KEYS: [&str; 13] = [
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
    "ignore",
];

const JOINT_KEYS: [&str; 7] = ["kind", "a", "b", "anchor", "axis", "limits", "motor"];

/// Checks the keys of what a simulation reads, so that a misspelt one is found by every command.
pub(crate) fn check_simulation_keys(root: &At<'_>) -> Result<(), Error> {
    if let Some(table) = root.get("simulation") {
        table.check_keys(&SIMULATION_KEYS)?;
    }
    if let Some(joints) = root.get("joint") {
        joints.items()?.iter().try_for_each(|joint| joint.check_keys(&JOINT_KEYS))?;
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
        let mut settings = settings(&table, planar)?;
        change(&mut settings);
        let mut world = World::new(settings).map_err(|error| table.place(error.into()))?;
        let bodies = root.need("body")?;
        for body in &self.bodies {
            let at = bodies.need(&body.name)?;
            let spec = body_spec(body, &at, planar)?;
            world.add_body(spec).map_err(|error| at.place(error.into()))?;
        }
        let names = Names::of(&self.bodies);
        for [a, b] in &self.ignore {
            world.ignore(*a, *b);
        }
        if let Some(pairs) = root.get("friction") {
            for pair in pairs.items()? {
                let [a, b] = names.pair(&pair.need("pair")?)?;
                let value = pair.need("value")?;
                let set = world.set_friction(a, b, value.number()?);
                set.map_err(|error| value.place(error.into()))?;
            }
        }
        if let Some(joints) = root.get("joint") {
            for joint in joints.items()? {
                let spec = joint_spec(&joint, &names, planar)?;
                world.add_joint(&spec).map_err(|error| joint.place(error.into()))?;
            }
        }
        let duration = table.need("duration")?.positive()?;
        let steps = (duration / settings.step).round();
        if !(1.0..=MOST_STEPS).contains(&steps) {
            let reason = format!("{duration} s in steps of {} s cannot be run", settings.step);
            return Err(table.error(ErrorKind::BadValue { reason }));
        }
        let mut started = world.clone();
        started.start();
        let overlap = started.report().infeasibility;
        let mut warnings = Vec::new();
        // Less is the rounding of bodies that touch.
        if started.report().infeasibility_rho > EVENT_BELOW_REL {
            let deepest = started.events().iter().min_by(|a, b| a.event.gap.total_cmp(&b.event.gap));
            let names = deepest.map_or_else(
                || "bodies".to_owned(),
                |event| {
                    format!(
                        "`{}` and `{}`",
                        self.bodies[event.bodies[0]].name, self.bodies[event.bodies[1]].name
                    )
                },
            );
            warnings.push(format!("{names} overlap by {overlap:e} at the start; they are pushed apart"));
        }
        Ok(Simulation { world, frames: steps as u64 + 1, warnings })
    }
}

/// More steps than this are a mistake.
const MOST_STEPS: f64 = 1e9;

/// Runs a simulation and hands every frame to `on_frame`, the start first. It can break off; the summary is of what was
/// run.
///
/// # Errors
/// `not_finite` when a step outgrows double precision, and whatever `on_frame` returns, at which the run stops.
pub fn run_simulation(
    simulation: &Simulation,
    mut on_frame: impl FnMut(&Frame<'_>) -> Result<ControlFlow<()>, Error>,
) -> Result<SimulationSummary, Error> {
    let mut world = simulation.world.clone();
    let mut summary = SimulationSummary::default();
    world.start();
    for index in 0..simulation.frames {
        if index > 0 {
            let placed = |error: Error| error.at_key(format!("frame {index}"));
            let report = world.step().map_err(|error| placed(error.into()))?;
            summary.steps += 1;
            summary.infeasibility[0] += report.infeasibility;
            summary.infeasibility[1] = summary.infeasibility[1].max(report.infeasibility);
            summary.events = summary.events.max(report.events);
            summary.relaxed += u64::from(report.relaxed);
            summary.elastic += u64::from(report.elastic.is_some());
            summary.residual = summary.residual.max(report.residual);
            summary.kinetic = report.kinetic;
        }
        let time = index as f64 * world.settings().step;
        if on_frame(&Frame { index, time, world: &world })?.is_break() {
            break;
        }
    }
    summary.infeasibility[0] /= summary.steps.max(1) as f64;
    Ok(summary)
}

/// A vector of the scene's dimension, the third entry 0 in the plane.
fn vector(at: &At<'_>, planar: bool) -> Result<DVec3, Error> {
    if planar {
        let [x, y] = at.vector::<2>()?;
        return Ok(DVec3::new(x, y, 0.0));
    }
    Ok(DVec3::from_array(at.vector::<3>()?))
}

fn settings(at: &At<'_>, planar: bool) -> Result<Settings, Error> {
    let number = |key: &str, usual: f64| at.get(key).map_or(Ok(usual), |field| field.number());
    let optional = |key: &str| at.get(key).map(|field| field.number()).transpose();
    let usual = Settings::default();
    let down = if planar { DVec3::NEG_Y } else { DVec3::NEG_Z };
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
            let error: clearance_dynamics::DynamicsError = error;
            field.place(error.into())
        })?,
    };
    Ok(Settings {
        step: at.need("step")?.positive()?,
        gravity: at.get("gravity").map_or(Ok(down * 9.81), |field| vector(&field, planar))?,
        friction: number("friction", usual.friction)?,
        restitution: number("restitution", usual.restitution)?,
        stabilization: number("stabilization", usual.stabilization)?,
        cone,
        solver,
        sweeps: at.get("sweeps").map_or(Ok(usual.sweeps as u32), |field| field.count(10_000))? as usize,
        correction: optional("correction")?,
        outside: optional("outside")?,
        sleep: at.get("sleep").map_or(Ok(None), |field| sleep(&field))?,
    })
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
        let what = format!("`{}` as a shape in a simulation", body.shape.kind);
        at.error(ErrorKind::UnsupportedFeature { what })
    };
    if !body.motions.is_empty() {
        let what = "a body with a motion of its own in a simulation".to_owned();
        return Err(at.error(ErrorKind::UnsupportedFeature { what }));
    }
    let shape = match &body.shape.body {
        AnyBody::Solid(Body::Polytope(polytope)) => Shape::Solid(polytope.clone()),
        AnyBody::Solid(Body::HalfSpace(half_space)) => Shape::HalfSpace(*half_space),
        AnyBody::Solid(body @ (Body::Tiled(_) | Body::Union(_))) => Shape::Body(body.clone()),
        AnyBody::Planar(polygon) => Shape::Planar(polygon.clone()),
        _ => return Err(unsupported()),
    };
    let pose = match body.pose {
        AnyPose::Solid(pose) => pose,
        AnyPose::Planar(pose) => {
            let turn = DMat3::from_cols(
                DVec3::new(pose.cos(), pose.sin(), 0.0),
                DVec3::new(-pose.sin(), pose.cos(), 0.0),
                DVec3::Z,
            );
            Pose::from_matrix(turn, pose.translation().extend(0.0)).map_err(|error| at.place(error.into()))?
        }
    };
    let mass = if body.fixed { MassOf::Fixed } else { mass(&shape, at)? };
    let mut spec = BodySpec::new(shape, pose, mass);
    if let Some(field) = at.get("velocity") {
        spec.velocity = vector(&field, planar)?;
    }
    if let Some(field) = at.get("angular_velocity") {
        let degrees = if planar { DVec3::Z * field.number()? } else { vector(&field, false)? };
        spec.angular_velocity = degrees * 1_f64.to_radians();
    }
    let optional = |key: &str| at.get(key).map(|field| field.number()).transpose();
    spec.friction = optional("friction")?;
    spec.restitution = optional("restitution")?;
    Ok(spec)
}

/// `density`, or `mass` with `inertia`; a mass alone is spread evenly over the shape.
fn mass(shape: &Shape, at: &At<'_>) -> Result<MassOf, Error> {
    let Some(field) = at.get("mass") else {
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
        (Some(field), Shape::Planar(_)) => {
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

const JOINT_KINDS: [JointKind; 6] = [
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Fixed,
    JointKind::Slider,
    JointKind::Pivot,
    JointKind::Distance,
];

/// What files call a kind of joint.
pub(crate) const fn joint_word(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Ball => "ball",
        JointKind::Hinge => "hinge",
        JointKind::Fixed => "fixed",
        JointKind::Slider => "slider",
        JointKind::Pivot => "pivot",
        JointKind::Distance => "distance",
    }
}

fn joint_spec(at: &At<'_>, names: &Names<'_>, planar: bool) -> Result<JointSpec, Error> {
    let field = at.need("kind")?;
    let text = field.text()?;
    let Some(kind) = JOINT_KINDS.into_iter().find(|kind| joint_word(*kind) == text) else {
        let known = JOINT_KINDS.map(joint_word).join(", ");
        let reason = format!("unknown kind of joint `{text}`; kinds are {known}");
        return Err(field.error(ErrorKind::BadValue { reason }));
    };
    let end = |key: &str| -> Result<Option<usize>, Error> {
        let field = at.need(key)?;
        if field.text()? == "world" { Ok(None) } else { names.body(&field).map(Some) }
    };
    let place = |key: &str| at.get(key).map(|field| vector(&field, planar)).transpose();
    // Angles are degrees in files.
    let unit = if kind == JointKind::Hinge { 1_f64.to_radians() } else { 1.0 };
    let limits = at.get("limits").map(|field| field.vector::<2>()).transpose()?;
    let motor = match at.get("motor") {
        None => None,
        Some(field) => {
            field.check_keys(&["velocity", "max_force"])?;
            let velocity = field.need("velocity")?.number()? * unit;
            Some(Motor { velocity, max_force: field.need("max_force")?.number()? })
        }
    };
    Ok(JointSpec {
        kind,
        bodies: [end("a")?, end("b")?],
        anchor: place("anchor")?,
        axis: place("axis")?,
        limits: limits.map(|limits| limits.map(|limit| limit * unit)),
        motor,
    })
}
