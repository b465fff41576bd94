//! Ours and rapier behind one face.

use super::scene::{DENSITY, FRICTION, Place, STEP, Scene};
use clearance_dynamics::{BodySpec, JointKind, JointSpec, MassOf, Settings, Shape, World};
use clearance_geometry::{DVec3, HalfSpace, Polytope, Pose};
use rapier3d_f64::prelude as rapier;
use std::time::Instant;

/// An engine with a scene loaded.
pub trait Engine {
    /// Takes one step; the seconds that it took.
    fn step(&mut self) -> f64;

    /// Where the bodies stand.
    fn places(&self) -> Vec<Place>;

    /// What it says about its last step, in words.
    fn note(&self) -> String {
        String::new()
    }
}

fn seconds(run: impl FnOnce()) -> f64 {
    let before = Instant::now();
    run();
    before.elapsed().as_secs_f64()
}

/// Ours.
pub struct Ours {
    world: World,
    planes: usize,
    threads: rayon::ThreadPool,
}

impl Ours {
    /// Loads a scene with bodies at rest, to be stepped by so many threads.
    pub fn new(scene: &Scene, start: &[Place], settings: Settings, threads: usize) -> Self {
        let mut world =
            World::new(Settings { step: STEP, friction: FRICTION, ..settings }).expect("good settings");
        for &(normal, offset) in &scene.planes {
            let shape = Shape::HalfSpace(HalfSpace::new(normal, offset).expect("a plane"));
            world.add_body(BodySpec::new(shape, Pose::IDENTITY, MassOf::Fixed)).expect("a plane");
        }
        for (points, place) in scene.bodies.iter().zip(start) {
            let shape = Shape::Solid(Polytope::from_points(points).expect("a body"));
            let pose = Pose::new(place.orientation, place.position).expect("a pose");
            world.add_body(BodySpec::new(shape, pose, MassOf::Density(DENSITY))).expect("a body");
        }
        let planes = scene.planes.len();
        for &(one, two, point) in &scene.joints {
            let spec = JointSpec {
                anchor: Some(point),
                ..JointSpec::new(JointKind::Ball, [one.map(|body| body + planes), Some(two + planes)])
            };
            world.add_joint(&spec).expect("a joint");
        }
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Self { world, planes, threads }
    }

    /// Events of the last step.
    pub fn events(&self) -> usize {
        self.world.report().events
    }
}

impl Engine for Ours {
    fn step(&mut self) -> f64 {
        let world = &mut self.world;
        // By the clock of those threads: that another one hands the step over to them is no part of it.
        self.threads.install(|| seconds(|| world.step().map(|_| ()).expect("a step")))
    }

    fn places(&self) -> Vec<Place> {
        self.world.bodies()[self.planes..]
            .iter()
            .map(|body| Place { position: body.position(), orientation: body.orientation() })
            .collect()
    }

    fn note(&self) -> String {
        let report = self.world.report();
        format!(
            "{} events, {} islands, {} iterations, residual {:.0e}, relaxed {}, elastic {:?}, inf {:.0e}",
            report.events,
            report.islands,
            report.iterations,
            report.residual,
            report.relaxed,
            report.elastic,
            report.infeasibility
        )
    }
}

/// rapier with everything at its defaults but the step and the iterations.
pub struct Rapier {
    world: rapier::PhysicsWorld,
    bodies: Vec<rapier::RigidBodyHandle>,
}

impl Rapier {
    /// Loads a scene with bodies at rest that never sleep.
    pub fn new(scene: &Scene, start: &[Place], iterations: usize) -> Self {
        let vector = |v: DVec3| rapier::Vector::new(v.x, v.y, v.z);
        let mut world = rapier::PhysicsWorld::new();
        world.gravity = vector(DVec3::Z * -9.81);
        world.integration_parameters.dt = STEP;
        world.integration_parameters.num_solver_iterations = iterations;
        for &(normal, offset) in &scene.planes {
            let body =
                world.insert_body(rapier::RigidBodyBuilder::fixed().translation(vector(normal * offset)));
            let half = rapier::ColliderBuilder::new(rapier::SharedShape::halfspace(vector(normal)));
            world.insert_collider(half.friction(FRICTION), Some(body));
        }
        let mut bodies = Vec::new();
        for ((points, size), place) in scene.bodies.iter().zip(&scene.boxes).zip(start) {
            let q = place.orientation;
            let pose = rapier::Pose::from_parts(
                vector(place.position),
                rapier::Rotation::from_xyzw(q.x, q.y, q.z, q.w),
            );
            let shape = match size {
                Some(size) => rapier::ColliderBuilder::cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0),
                None => {
                    let points: Vec<rapier::Vector> = points.iter().map(|&point| vector(point)).collect();
                    rapier::ColliderBuilder::convex_hull(&points).expect("a hull")
                }
            };
            let body = rapier::RigidBodyBuilder::dynamic().pose(pose).can_sleep(false);
            bodies.push(world.insert(body, shape.friction(FRICTION).density(DENSITY)).0);
        }
        for &(one, two, point) in &scene.joints {
            let local = |body: usize| vector(point - scene.start[body].position);
            let joint =
                rapier::SphericalJointBuilder::new().local_anchor2(local(two)).contacts_enabled(false);
            match one {
                Some(one) => {
                    world.insert_impulse_joint(bodies[one], bodies[two], joint.local_anchor1(local(one)));
                }
                None => {
                    let held = world.insert_body(rapier::RigidBodyBuilder::fixed());
                    world.insert_impulse_joint(held, bodies[two], joint.local_anchor1(vector(point)));
                }
            }
        }
        Self { world, bodies }
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> f64 {
        seconds(|| self.world.step())
    }

    fn places(&self) -> Vec<Place> {
        let of = |&handle: &rapier::RigidBodyHandle| {
            let pose = self.world.bodies[handle].position();
            let (t, q) = (pose.translation, pose.rotation);
            Place {
                position: DVec3::new(t.x, t.y, t.z),
                orientation: clearance_geometry::DQuat::from_xyzw(q.x, q.y, q.z, q.w),
            }
        };
        self.bodies.iter().map(of).collect()
    }
}
