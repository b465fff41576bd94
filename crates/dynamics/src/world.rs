//! A world: bodies, joints, and the events between them.

use crate::body::{BodySpec, RigidBody, Shape};
use crate::broad::{self, Bounds};
use crate::error::DynamicsError;
use crate::events::{Limits, PairEvents, PairMemory};
use crate::joint::{Joint, JointEnds, JointSpec};
use crate::patience::Patience;
use crate::report::{StepReport, WorldEvent};
use crate::seen::Factored;
use crate::settings::Settings;
use crate::sleep::Rest;
use crate::step::EventContact;
use crate::threads;
use crate::tolerance;
use clearance_geometry::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Rigid bodies that move step by step.
///
/// ```
/// use clearance_dynamics::{BodySpec, MassOf, Settings, Shape, World};
/// use clearance_geometry::{DVec3, HalfSpace, Polytope, Pose};
/// let mut world = World::new(Settings::default())?;
/// let floor = Shape::HalfSpace(HalfSpace::new(DVec3::Z, 0.0)?);
/// world.add_body(BodySpec::new(floor, Pose::IDENTITY, MassOf::Fixed))?;
/// let cube = Shape::Solid(Polytope::cuboid(DVec3::ONE)?);
/// let high = Pose::from_translation(DVec3::new(0.0, 0.0, 0.7))?;
/// world.add_body(BodySpec::new(cube, high, MassOf::Density(1000.0)))?;
/// for _ in 0..100 {
///     world.step()?;
/// }
/// assert!((world.bodies()[1].position().z - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) bodies: Vec<RigidBody>,
    pub(crate) joints: Vec<Joint>,
    /// Pairs that never collide, lower index first.
    pub(crate) ignored: BTreeSet<[usize; 2]>,
    /// Friction of pairs that have their own.
    pub(crate) pair_friction: BTreeMap<[usize; 2], f64>,
    /// What is kept of near pairs, sorted.
    memory: Vec<([usize; 2], Box<Memory>)>,
    /// Pairs that may be near each other, good for some steps.
    broad: broad::Kept,
    /// How far the points of each body have moved at most since the start.
    pub(crate) travel: Vec<f64>,
    /// Whether each body stands elsewhere than before the last step.
    pub(crate) moved: Vec<bool>,
    /// A bound on how fast the points of each body move in the step to come.
    pub(crate) reach: Vec<f64>,
    pub(crate) rests: Vec<Rest>,
    /// What was learnt of each body's group.
    pub(crate) patience: Vec<Patience>,
    /// Sorted by their pairs.
    pub(crate) events: Vec<WorldEvent>,
    pub(crate) report: StepReport,
    /// What was factored at the present poses.
    pub(crate) factored: Vec<Factored>,
    pub(crate) started: bool,
    /// What bodies fall by in the step to come: gravity, and what shaking adds.
    pub(crate) gravity: DVec3,
    /// The step that those of this world are parts of: overlaps are made good over as long.
    pub(crate) whole: Option<f64>,
    /// Room for the contacts of the next step: megabytes in a heap, which would else be given back and asked for at every step.
    pub(crate) spare: Vec<EventContact>,
}

/// What is kept of a pair from step to step: its cost, and which events are let go later.
#[derive(Clone, Debug, Default)]
struct Memory {
    pair: PairMemory,
    /// The gap and ρ when it was last looked at, and how far its bodies had moved then.
    gap: f64,
    rho: f64,
    travel: f64,
    /// How near events counted then.
    margin: f64,
    /// Whether it has been looked at.
    seen: bool,
}

/// A pair that is looked at.
struct Look {
    pair: [usize; 2],
    memory: Box<Memory>,
    /// Its events of the last step.
    before: Range<usize>,
    found: Vec<WorldEvent>,
}

/// Pairs that a thread takes at a time, at least: of polytopes, a few microseconds each, and of others.
const PAIRS_AT_ONCE: [usize; 2] = [256, 1];

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// When a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, DynamicsError> {
        settings.check()?;
        Ok(Self::empty(settings))
    }

    pub(crate) fn empty(settings: Settings) -> Self {
        Self {
            settings,
            bodies: Vec::new(),
            joints: Vec::new(),
            ignored: BTreeSet::new(),
            pair_friction: BTreeMap::new(),
            memory: Vec::new(),
            broad: broad::Kept::default(),
            travel: Vec::new(),
            moved: Vec::new(),
            reach: Vec::new(),
            rests: Vec::new(),
            patience: Vec::new(),
            events: Vec::new(),
            report: StepReport::default(),
            factored: Vec::new(),
            started: false,
            gravity: settings.gravity,
            whole: None,
            spare: Vec::new(),
        }
    }

    /// Adds a body; its number.
    ///
    /// # Errors
    /// When it has no mass, cannot move, or lives in another dimension than the bodies before it.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<usize, DynamicsError> {
        crate::admit::check_body(&spec)?;
        let body = RigidBody::new(spec)?;
        if self.bodies.first().is_some_and(|first| first.is_planar() != body.is_planar()) {
            return Err(DynamicsError::MixedDimensions);
        }
        self.settings.solver.check(self.settings.cone, body.is_planar())?;
        self.push_body(body);
        Ok(self.bodies.len() - 1)
    }

    pub(crate) fn push_body(&mut self, body: RigidBody) {
        self.bodies.push(body);
        self.travel.push(0.0);
        self.moved.push(false);
        self.rests.push(Rest::default());
        self.patience.push(Patience::default());
    }

    /// Adds a joint; the bodies it joins no longer collide.
    ///
    /// # Errors
    /// When it names no bodies to join or has no direction.
    pub fn add_joint(&mut self, spec: &JointSpec) -> Result<usize, DynamicsError> {
        let joint = Joint::new(spec, &self.bodies, self.is_planar())?;
        if let [Some(a), Some(b)] = joint.bodies {
            self.ignore(a, b);
        }
        self.joints.push(joint);
        Ok(self.joints.len() - 1)
    }

    /// Never looks for contacts of these two.
    pub fn ignore(&mut self, a: usize, b: usize) {
        self.ignored.insert([a.min(b), a.max(b)]);
    }

    /// Gives a pair its own coefficient of friction.
    ///
    /// # Errors
    /// When it is negative, not finite or above [`MOST_FRICTION`](crate::MOST_FRICTION).
    pub fn set_friction(&mut self, a: usize, b: usize, friction: f64) -> Result<(), DynamicsError> {
        crate::admit::check_friction("value", friction)?;
        self.pair_friction.insert([a.min(b), a.max(b)], friction);
        Ok(())
    }

    /// The bodies in the order in which they were added.
    pub fn bodies(&self) -> &[RigidBody] {
        &self.bodies
    }

    /// Where its joints are held now, in the order in which they were added.
    pub fn joint_ends(&self) -> impl Iterator<Item = JointEnds> {
        self.joints.iter().map(|joint| joint.ends(&self.bodies))
    }

    /// Pairs that overlap at the present poses, with the depth along the plane of the ratio metric, and which share of a body that
    /// is: ρ of 002 between polytopes; of others, whose centres may lie within each other where they hardly touch, over the
    /// smaller radius.
    pub fn overlaps(&self) -> impl Iterator<Item = ([usize; 2], f64, f64)> {
        let overlapping = self.memory.iter().filter(|(_, memory)| memory.seen && memory.gap < 0.0);
        overlapping.map(|(pair, memory)| {
            let curved = pair.iter().any(|&at| self.bodies[at].is_curved());
            let share = if curved { -memory.gap / self.size(*pair) } else { -memory.rho };
            (*pair, -memory.gap, share)
        })
    }

    /// A bound on how fast any point moves or may be pushed by a correction, and what gravity adds to it in a step.
    pub fn fastest(&self) -> f64 {
        let moving = || self.bodies.iter().filter(|body| body.moves());
        let most = moving().map(|body| self.reach_speed(body)).fold(0.0, f64::max);
        let of = |body: &RigidBody| self.settings.fastest_correction(body.radius, 2.0 * most);
        most + moving().map(of).fold(0.0, f64::max)
    }

    /// What it is run with.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The events at the present poses, with the impulses of the step that led here.
    pub fn events(&self) -> &[WorldEvent] {
        &self.events
    }

    /// The last report.
    pub const fn report(&self) -> &StepReport {
        &self.report
    }

    /// Whether its bodies live in the plane.
    pub fn is_planar(&self) -> bool {
        self.bodies.first().is_some_and(RigidBody::is_planar)
    }

    pub(crate) fn friction_of(&self, a: usize, b: usize) -> f64 {
        let own = |at: usize| self.bodies[at].friction.unwrap_or(self.settings.friction);
        self.pair_friction.get(&[a, b]).copied().unwrap_or_else(|| (own(a) + own(b)) / 2.0)
    }

    pub(crate) fn restitution_of(&self, a: usize, b: usize) -> f64 {
        let own = |at: usize| self.bodies[at].restitution.unwrap_or(self.settings.restitution);
        (own(a) + own(b)) / 2.0
    }

    /// Finds the events at the present poses, and what they say about overlap.
    pub(crate) fn find_events(&mut self) {
        self.reach = self.reach_speeds();
        self.find_events_of(None);
    }

    /// The same with bodies that reach as far as is known, looking again at the pairs of some alone.
    pub(crate) fn find_events_of(&mut self, some: Option<&[bool]>) {
        let pairs = self.near_pairs();
        let memory = std::mem::take(&mut self.memory);
        let events = std::mem::take(&mut self.events);
        let mut looks = Vec::with_capacity(pairs.len());
        let (mut old, mut end) = (memory.into_iter().peekable(), 0);
        for pair in pairs {
            while old.next_if(|(known, _)| *known < pair).is_some() {}
            let memory = old.next_if(|(known, _)| *known == pair).map(|(_, memory)| memory);
            end += events[end..].iter().take_while(|event| event.bodies < pair).count();
            let start = end;
            end += events[end..].iter().take_while(|event| event.bodies == pair).count();
            let memory = memory.unwrap_or_default();
            looks.push(Look { pair, memory, before: start..end, found: Vec::new() });
        }
        let costly = self.bodies.iter().any(RigidBody::is_curved);
        threads::each(&mut looks, PAIRS_AT_ONCE[usize::from(costly)], |look| {
            self.look(look, &events, some);
        });
        let (mut deepest, mut rho) = (0.0_f64, 0.0_f64);
        self.events.reserve(looks.iter().map(|look| look.found.len()).sum());
        self.memory.reserve(looks.len());
        for look in looks {
            deepest = deepest.max(-look.memory.gap);
            rho = rho.max(-look.memory.rho);
            self.events.extend(look.found);
            self.memory.push((look.pair, look.memory));
        }
        self.report.infeasibility = deepest;
        self.report.infeasibility_rho = rho;
        let near: Vec<[usize; 2]> = self.memory.iter().map(|(pair, _)| *pair).collect();
        self.drop_seams(&near);
    }

    /// The events of one pair, with the impulses that they had.
    fn look(&self, look: &mut Look, events: &[WorldEvent], some: Option<&[bool]>) {
        let pair = look.pair;
        let before = &events[look.before.clone()];
        let passed_over = some.is_some_and(|some| !pair.iter().any(|&body| some[body]));
        let asleep = !pair.iter().any(|&body| self.is_awake(body));
        if look.memory.seen && (asleep || passed_over) {
            look.found.extend_from_slice(before);
            return;
        }
        let limits = self.limits(pair);
        let moved = pair.iter().any(|&body| self.moved[body]);
        if look.memory.seen && !moved && limits.margin <= look.memory.margin {
            look.found.extend_from_slice(before);
            return;
        }
        let travel = self.travel[pair[0]] + self.travel[pair[1]];
        // Apart by more than they have moved since, and the margin: nothing to see. Gaps of curved bodies that are not convex may
        // be larger than the nearest pair's.
        let bounded = pair.iter().all(|&at| !matches!(self.bodies[at].shape, Shape::Body(_)));
        let apart = look.memory.gap - (travel - look.memory.travel);
        if bounded && look.memory.seen && apart > limits.margin * tolerance::EVENT_KEEP {
            look.memory.pair.known.clear();
            return;
        }
        let found = self.pair_events(pair, &limits, &mut look.memory.pair);
        let known = found.gap.is_finite();
        (look.memory.gap, look.memory.rho) = (found.gap, found.rho);
        (look.memory.travel, look.memory.margin, look.memory.seen) = (travel, limits.margin, known);
        look.found.extend(found.events.into_iter().map(|event| {
            let last = before.iter().find(|last| last.event.id == event.id);
            let impulse = last.map(|last| last.impulse).unwrap_or_default();
            let guess = last.map(|last| last.guess).unwrap_or_default();
            WorldEvent { bodies: pair, event, impulse, guess }
        }));
    }

    fn pair_events(&self, pair: [usize; 2], limits: &Limits, memory: &mut PairMemory) -> PairEvents {
        let found = memory.events(pair.map(|at| &self.bodies[at]), limits);
        // Bodies without an inside have been refused, and a step out of range ends in an error of its own.
        found.unwrap_or_else(|_| {
            memory.known.clear();
            PairEvents::none()
        })
    }

    /// ε_t, ε_x and ε₀ of a pair: the first from how fast it may close.
    pub(crate) fn limits(&self, pair: [usize; 2]) -> Limits {
        let size = self.size(pair);
        let h = self.settings.step;
        let speed = self.pair_speed(pair);
        Limits {
            margin: (h * speed).max(tolerance::EVENT_MARGIN_REL * size),
            outside: self.settings.outside.unwrap_or(tolerance::EVENT_OUTSIDE_REL) * size,
            below: tolerance::EVENT_BELOW_REL * size,
        }
    }

    /// The smaller radius of a pair.
    pub(crate) fn size(&self, pair: [usize; 2]) -> f64 {
        pair.map(|at| self.bodies[at].radius).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// A bound on how fast points of a pair close within the next step.
    fn pair_speed(&self, pair: [usize; 2]) -> f64 {
        pair.map(|at| self.reach[at]).into_iter().sum()
    }

    /// How fast the points of each body may move in the step to come: as fast as now, or as what is about to touch it, which may
    /// push it along.
    fn reach_speeds(&self) -> Vec<f64> {
        let own: Vec<f64> = self.bodies.iter().map(|body| self.reach_speed(body)).collect();
        let mut reach = own.clone();
        for [a, b] in self.events.iter().map(|event| event.bodies) {
            for [struck, by] in [[a, b], [b, a]] {
                if self.bodies[struck].moves() {
                    reach[struck] = reach[struck].max(own[by]);
                }
            }
        }
        reach
    }

    fn reach_speed(&self, body: &RigidBody) -> f64 {
        if body.moves() { body.speed() + self.gravity.length() * self.settings.step } else { 0.0 }
    }

    /// Pairs whose boxes come within the margin; sorted.
    fn near_pairs(&mut self) -> Vec<[usize; 2]> {
        let bounds: Vec<Bounds> = (0..self.bodies.len()).map(|at| self.bounds(at)).collect();
        let mut pairs = self.broad.near_pairs(&bounds);
        if !self.ignored.is_empty() {
            pairs.retain(|pair| !self.ignored.contains(pair));
        }
        pairs
    }

    /// The events that pairs of some bodies have with what they may reach, whether they are known or not; sorted.
    pub(crate) fn events_of(&self, some: &[bool]) -> Vec<WorldEvent> {
        let all: Vec<Bounds> = (0..self.bodies.len()).map(|at| self.bounds(at)).collect();
        let mut looks: Vec<Look> = Vec::new();
        for pair in broad::pairs_of(&all, some) {
            if self.ignored.contains(&pair) {
                continue;
            }
            let known = self.memory.binary_search_by_key(&pair, |(known, _)| *known);
            let memory = known.map_or_else(|_| Box::default(), |at| self.memory[at].1.clone());
            let start = self.events.partition_point(|event| event.bodies < pair);
            let count = self.events[start..].iter().take_while(|event| event.bodies == pair).count();
            looks.push(Look { pair, memory, before: start..start + count, found: Vec::new() });
        }
        let costly = self.bodies.iter().any(RigidBody::is_curved);
        threads::each(&mut looks, PAIRS_AT_ONCE[usize::from(costly)], |look| {
            self.look(look, &self.events, None);
        });
        looks.into_iter().flat_map(|look| look.found).collect()
    }

    /// A body's box, grown by its share of the margin.
    fn bounds(&self, at: usize) -> Bounds {
        let body = &self.bodies[at];
        let least = tolerance::EVENT_MARGIN_REL * body.radius;
        let margin = tolerance::EVENT_KEEP * (self.settings.step * self.reach[at]).max(least);
        let reach = match &body.shape {
            Shape::Solid(polytope) if polytope.vertex_count() <= MOST_VERTICES => {
                let pose = body.pose();
                let points = polytope.vertices().iter().map(|&v| pose.apply(v + polytope.anchor()));
                points
                    .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
            }
            _ => [body.position - DVec3::splat(body.radius), body.position + DVec3::splat(body.radius)],
        };
        let [low, high] = [reach[0] - DVec3::splat(margin), reach[1] + DVec3::splat(margin)];
        Bounds { low, high, active: body.moves() }
    }
}

/// Vertices up to which a body's box is made from them; beyond, from its radius.
const MOST_VERTICES: usize = 64;
