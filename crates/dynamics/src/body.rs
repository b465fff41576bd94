//! Rigid bodies: what moves, and how it stands.

use crate::error::DynamicsError;
use crate::events::{Outline, Part};
use crate::rotation::{Turned, turn_freely};
use crate::tolerance;
use clearance_geometry::{
    Body, DMat3, DQuat, DVec3, HalfSpace, Kind, LeafShape, PlanarMass, PlanarPose, PlanarTiled, Polygon,
    Polytope, Pose,
};
use std::sync::Arc;

/// The shape of a body.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A convex polytope.
    Solid(Polytope),
    /// A half-space, which never moves.
    HalfSpace(HalfSpace),
    /// A convex polygon in the plane z = 0.
    Planar(Polygon),
    /// A body bounded by curves in the plane z = 0.
    PlanarCurved(PlanarTiled),
    /// Any other body: with curved faces, or of several parts, each of which collides by itself.
    Body(Body),
}

/// What a body weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MassOf {
    /// It never moves.
    Fixed,
    /// Mass and inertia follow from the shape.
    Density(f64),
    /// Mass, and inertia about the mass centre in body axes.
    Given {
        /// The mass.
        mass: f64,
        /// The inertia; in the plane only its zz entry counts.
        inertia: DMat3,
    },
}

/// A body to be added to a world.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Its shape.
    pub shape: Shape,
    /// Where it stands; in the plane a turn about z.
    pub pose: Pose,
    /// What it weighs.
    pub mass: MassOf,
    /// Velocity of its mass centre.
    pub velocity: DVec3,
    /// Angular velocity in radians per second, world axes.
    pub angular_velocity: DVec3,
    /// Its own coefficient of friction, in place of the world's.
    pub friction: Option<f64>,
    /// Its own restitution, in place of the world's.
    pub restitution: Option<f64>,
}

impl BodySpec {
    /// A body at rest.
    pub const fn new(shape: Shape, pose: Pose, mass: MassOf) -> Self {
        Self {
            shape,
            pose,
            mass,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            friction: None,
            restitution: None,
        }
    }
}

/// Linear and angular velocity, or force and torque, at a mass centre in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Linear part.
    pub linear: DVec3,
    /// Angular part.
    pub angular: DVec3,
}

impl Twist {
    /// The unit force along `direction` at `arm` from the mass centre.
    pub fn at(direction: DVec3, arm: DVec3) -> Self {
        Self { linear: direction, angular: arm.cross(direction) }
    }

    /// A turn alone.
    pub const fn turn(angular: DVec3) -> Self {
        Self { linear: DVec3::ZERO, angular }
    }

    /// The opposite.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }

    /// Power of a wrench on a velocity.
    pub fn dot(self, other: Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }
}

/// A body of a world.
#[derive(Clone, Debug)]
pub struct RigidBody {
    pub(crate) shape: Shape,
    /// What it collides by; none in the plane.
    pub(crate) parts: Arc<[Part]>,
    /// The same in the plane.
    pub(crate) outline: Option<Arc<Outline>>,
    /// Mass; 0 for one that never moves.
    pub(crate) mass: f64,
    /// Lower Cholesky factor of the inertia about the mass centre, body axes, and its inverse.
    pub(crate) root: DMat3,
    pub(crate) inverse_root: DMat3,
    /// Mass centre in the body frame.
    pub(crate) center_local: DVec3,
    pub(crate) position: DVec3,
    pub(crate) orientation: DQuat,
    pub(crate) velocity: DVec3,
    /// Angular momentum about the mass centre, world axes.
    pub(crate) spin: DVec3,
    /// Largest distance of its points from the mass centre.
    pub(crate) radius: f64,
    pub(crate) friction: Option<f64>,
    pub(crate) restitution: Option<f64>,
    /// What constraints add to its velocity and, as the angular part, to its spin until the time of its pose.
    pub(crate) ahead: Twist,
    /// What motors add to that.
    pub(crate) driven: Twist,
}

impl RigidBody {
    /// Forgets what is added to its velocity until the time of its pose.
    pub(crate) fn forget_ahead(&mut self) {
        (self.ahead, self.driven) = (Twist::default(), Twist::default());
    }

    pub(crate) fn new(spec: BodySpec) -> Result<Self, DynamicsError> {
        let parts = parts(&spec.shape)?;
        let outline = outline(&spec.shape)?;
        let weight = weight(&spec.shape);
        let (center_local, radius) = center_and_radius(&spec.shape, &weight, &parts, outline.as_deref());
        if !spec.velocity.is_finite() || !spec.angular_velocity.is_finite() {
            return Err(DynamicsError::NotFinite { field: "velocity" });
        }
        let (mass, root) = mass_and_root(&spec, &weight)?;
        let mut body = Self {
            shape: spec.shape,
            parts,
            outline,
            mass,
            root,
            inverse_root: DMat3::ZERO,
            center_local,
            position: spec.pose.apply(center_local),
            orientation: spec.pose.quaternion(),
            velocity: spec.velocity,
            spin: DVec3::ZERO,
            radius,
            friction: spec.friction,
            restitution: spec.restitution,
            ahead: Twist::default(),
            driven: Twist::default(),
        };
        if body.moves() {
            if body.is_planar() {
                body.velocity.z = 0.0;
                // Turns about x and y do not exist; their inverse inertia is zero.
                body.inverse_root = DMat3::from_diagonal(DVec3::new(0.0, 0.0, 1.0 / root.z_axis.z));
            } else {
                body.inverse_root = root.inverse();
            }
            if !body.inverse_root.is_finite() {
                return Err(DynamicsError::NoMass);
            }
            body.spin = body.inertia() * spec.angular_velocity;
        } else {
            body.velocity = DVec3::ZERO;
        }
        Ok(body)
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.mass > 0.0
    }

    /// Whether it lives in the plane.
    pub const fn is_planar(&self) -> bool {
        matches!(self.shape, Shape::Planar(_) | Shape::PlanarCurved(_))
    }

    /// Whether it is more than a polytope, a polygon or a half-space.
    pub(crate) const fn is_curved(&self) -> bool {
        matches!(self.shape, Shape::Body(_) | Shape::PlanarCurved(_))
    }

    /// Its shape.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its mass; 0 for one that never moves.
    pub const fn mass(&self) -> f64 {
        self.mass
    }

    /// Its mass centre.
    pub const fn position(&self) -> DVec3 {
        self.position
    }

    /// Its orientation.
    pub const fn orientation(&self) -> DQuat {
        self.orientation
    }

    /// Angular momentum about its mass centre, world axes.
    pub const fn spin(&self) -> DVec3 {
        self.spin
    }

    /// Angular velocity in radians per second, world axes: what steps carry on, half a step older than the pose where constraints act.
    pub fn angular_velocity(&self) -> DVec3 {
        self.turns_with(self.spin)
    }

    /// The angular velocity that belongs to an angular momentum.
    pub(crate) fn turns_with(&self, spin: DVec3) -> DVec3 {
        let local = self.orientation.conjugate() * spin;
        self.orientation * (self.inverse_root.transpose() * (self.inverse_root * local))
    }

    /// Its kinetic energy with a velocity and, as the angular part, an angular momentum.
    pub(crate) fn kinetic(&self, moving: Twist) -> f64 {
        let turning = moving.angular.dot(self.turns_with(moving.angular));
        (self.mass * moving.linear.length_squared() + turning) / 2.0
    }

    /// How it turns within a time after a change of its angular momentum.
    pub(crate) fn turned_freely(&self, kick: DVec3, time: f64) -> Turned {
        let inverse_inertia = self.inverse_root.transpose() * self.inverse_root;
        turn_freely(self.orientation, self.spin + kick, &inverse_inertia, time)
    }

    /// How far a point at unit distance may move by turning within a time after a change of its angular momentum; a bound where that
    /// is little.
    pub(crate) fn turns_by(&self, kick: DVec3, time: f64) -> f64 {
        let inverse = self.inverse_root.to_cols_array().iter().map(|x| x * x).sum::<f64>();
        let most = inverse * (self.spin + kick).length() * time;
        if most <= tolerance::BEND_TURN_RAD { most } else { self.turned_freely(kick, time).way }
    }

    /// Inertia in world axes.
    pub(crate) fn inertia(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.orientation);
        rotation * (self.root * self.root.transpose()) * rotation.transpose()
    }

    /// The pose of its body frame.
    pub fn pose(&self) -> Pose {
        let rotation = DMat3::from_quat(self.orientation);
        let translation = self.position - rotation * self.center_local;
        // A unit quaternion and a finite position always make a pose; a step checks both.
        Pose::from_matrix(rotation, translation).unwrap_or_default()
    }

    /// The pose of a planar body.
    pub fn planar_pose(&self) -> PlanarPose {
        let q = self.orientation;
        let translation = self.pose().translation().truncate();
        PlanarPose::from_cos_sin(q.w * q.w - q.z * q.z, 2.0 * q.w * q.z, translation).unwrap_or_default()
    }

    /// A bound on the speed of its points.
    pub(crate) fn speed(&self) -> f64 {
        let now = || Twist { linear: self.velocity, angular: self.angular_velocity() };
        if self.moves() { self.speed_with(now()) } else { 0.0 }
    }

    /// The same with other velocities.
    pub(crate) fn speed_with(&self, twist: Twist) -> f64 {
        twist.linear.length() + twist.angular.length() * self.radius
    }
}

/// What a shape weighs at unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    /// Volume, in the plane area; 0 for what has no inside.
    pub(crate) amount: f64,
    /// Mass centre in the body frame.
    pub(crate) center: DVec3,
    /// Inertia about it, body axes.
    pub(crate) inertia: DMat3,
}

impl Shape {
    /// Volume of the shape, or area of a planar one: the mass at unit density. 0 for what has no inside or no bounds; parts of
    /// a union that overlap count twice.
    pub fn amount(&self) -> f64 {
        weight(self).amount
    }
}

fn weight(shape: &Shape) -> Weight {
    match shape {
        Shape::Solid(polytope) => of_polytope(polytope),
        Shape::HalfSpace(_) => Weight { amount: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO },
        Shape::Planar(polygon) => {
            let mass = polygon.mass();
            of_plane(&PlanarMass { center: mass.center + polygon.anchor(), ..*mass })
        }
        Shape::PlanarCurved(tiled) => of_plane(tiled.mass()),
        Shape::Body(body) => of_body(body),
    }
}

/// Of a mass in the plane, in the body frame.
fn of_plane(mass: &PlanarMass) -> Weight {
    let inertia = DMat3::from_diagonal(DVec3::splat(mass.second_moment));
    Weight { amount: mass.area, center: mass.center.extend(0.0), inertia }
}

fn of_polytope(polytope: &Polytope) -> Weight {
    let mass = polytope.mass();
    Weight { amount: mass.volume, center: mass.center + polytope.anchor(), inertia: mass.inertia }
}

fn of_body(body: &Body) -> Weight {
    match body {
        Body::Polytope(polytope) => of_polytope(polytope),
        Body::Tiled(tiled) => {
            let mass = tiled.mass();
            Weight { amount: mass.volume, center: mass.center, inertia: mass.inertia }
        }
        Body::Union(tree) => {
            let of_leaf = |leaf: &clearance_geometry::PartLeaf| {
                let own = match &leaf.shape {
                    LeafShape::Polytope(polytope) => of_polytope(polytope),
                    LeafShape::Tiled(tiled) => of_body(&Body::Tiled(tiled.clone())),
                };
                let turn = leaf.pose.rotation();
                Weight {
                    center: leaf.pose.apply(own.center),
                    inertia: turn * own.inertia * turn.transpose(),
                    ..own
                }
            };
            joined(&tree.leaves().iter().map(of_leaf).collect::<Vec<Weight>>())
        }
        _ => Weight { amount: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO },
    }
}

/// What several parts weigh together.
fn joined(parts: &[Weight]) -> Weight {
    let amount: f64 = parts.iter().map(|part| part.amount).sum();
    let mean = parts.iter().map(|part| part.center).sum::<DVec3>() / parts.len().max(1) as f64;
    let center = if amount > 0.0 {
        parts.iter().map(|part| part.center * part.amount).sum::<DVec3>() / amount
    } else {
        mean
    };
    let mut inertia = DMat3::ZERO;
    for part in parts {
        let off = part.center - center;
        let outer = DMat3::from_cols(off * off.x, off * off.y, off * off.z);
        inertia +=
            part.inertia + (DMat3::from_diagonal(DVec3::splat(off.length_squared())) - outer) * part.amount;
    }
    Weight { amount, center, inertia }
}

/// What a shape collides by.
fn parts(shape: &Shape) -> Result<Arc<[Part]>, DynamicsError> {
    let body = match shape {
        Shape::Solid(polytope) => &Body::Polytope(polytope.clone()),
        Shape::HalfSpace(half) => &Body::HalfSpace(*half),
        Shape::Planar(_) | Shape::PlanarCurved(_) => return Ok(Arc::new([])),
        Shape::Body(body) => body,
    };
    let parts = Part::all(body).ok_or(DynamicsError::UnsupportedShape { kind: body.kind() })?;
    Ok(parts.into())
}

/// The outline of a planar shape.
fn outline(shape: &Shape) -> Result<Option<Arc<Outline>>, DynamicsError> {
    let outline = match shape {
        Shape::Planar(polygon) => Outline::of_polygon(polygon),
        Shape::PlanarCurved(tiled) => Outline::of_tiled(tiled),
        _ => return Ok(None),
    };
    // A curve that is no rational spline.
    let outline = outline.map_err(|_| DynamicsError::UnsupportedShape { kind: Kind::Tiled })?;
    Ok(Some(Arc::new(outline)))
}

/// The mass centre and the largest distance of a point from it.
fn center_and_radius(
    shape: &Shape,
    weight: &Weight,
    parts: &[Part],
    outline: Option<&Outline>,
) -> (DVec3, f64) {
    let radius = match shape {
        Shape::Solid(polytope) => {
            let center = polytope.mass().center;
            polytope.vertices().iter().map(|v| v.distance(center)).fold(0.0, f64::max)
        }
        Shape::HalfSpace(_) => f64::INFINITY,
        Shape::Planar(_) | Shape::PlanarCurved(_) => outline.map_or(0.0, |outline| outline.radius),
        Shape::Body(_) => parts.iter().map(|part| part.reach_from(weight.center)).fold(0.0, f64::max),
    };
    (weight.center, radius)
}

fn mass_and_root(spec: &BodySpec, weight: &Weight) -> Result<(f64, DMat3), DynamicsError> {
    let (mass, inertia) = match (spec.mass, &spec.shape) {
        (MassOf::Fixed, _) => return Ok((0.0, DMat3::ZERO)),
        (_, Shape::HalfSpace(_)) => return Err(DynamicsError::CannotMove),
        (MassOf::Density(_), Shape::Body(body)) if body.is_surface_only() => {
            return Err(DynamicsError::OpenShell);
        }
        (MassOf::Density(density), _) => (density * weight.amount, weight.inertia * density),
        (MassOf::Given { mass, inertia }, Shape::Planar(_) | Shape::PlanarCurved(_)) => {
            (mass, DMat3::from_diagonal(DVec3::splat(inertia.z_axis.z)))
        }
        (MassOf::Given { mass, inertia }, _) => (mass, inertia),
    };
    if !mass.is_finite() || !inertia.is_finite() {
        return Err(DynamicsError::NotFinite { field: "mass" });
    }
    let root = cholesky(inertia).filter(|_| mass > 0.0).ok_or(DynamicsError::NoMass)?;
    Ok((mass, root))
}

/// The lower factor of a symmetric matrix; none unless it is positive definite.
fn cholesky(m: DMat3) -> Option<DMat3> {
    let a = m.x_axis.x.sqrt();
    let (b, c) = (m.x_axis.y / a, m.x_axis.z / a);
    let d = (m.y_axis.y - b * b).sqrt();
    let e = (m.y_axis.z - c * b) / d;
    let f = (m.z_axis.z - c * c - e * e).sqrt();
    let positive = a > 0.0 && d > 0.0 && f > 0.0;
    positive.then(|| DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(0.0, d, e), DVec3::new(0.0, 0.0, f)))
}
