//! A tool pulled by a device through a spring and a damper, and pushed back by what it touches.
//!
//! Source: 001 figure 5: between a haptic device and the bodies of a scene stands a virtual coupler; the minimum distance
//! goes into the forward dynamics, and the force of the coupler back to the device.
//! Differs: DIFFERS: 001 leaves coupler and dynamics open. Here the springs and dampers of coupler and contacts are taken at
//! the end of the step (implicit Euler), so that no stiffness is too high for the rate; contacts push by the depth of the
//! nearest points below a margin, without friction.
//! Ends because: a step solves at most once more than there are contacts.
//! Cost: a factorisation of six rows for each solution.
//! Not promised: that energy falls where the normal of a contact turns much within one step.

use crate::DynamicsError;
use crate::error::at_least;
use clearance_geometry::{DMat3, DQuat, DVec3, Pose};

/// How a tool hangs on its device; in the units of the scene, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplerSettings {
    /// Mass of the tool.
    pub mass: f64,
    /// Moment of inertia of the tool about every axis through its centre.
    pub inertia: f64,
    /// Force per length between device and tool.
    pub stiffness: f64,
    /// Force per speed.
    pub damping: f64,
    /// Torque per radian.
    pub turning_stiffness: f64,
    /// Torque per radian per second.
    pub turning_damping: f64,
    /// Force per length that a contact gives way.
    pub contact_stiffness: f64,
    /// Force per speed at which a contact closes.
    pub contact_damping: f64,
    /// Contacts push where bodies are closer than this; a length.
    pub margin: f64,
}

impl CouplerSettings {
    /// A tool of some mass and radius on a spring, damped so that it does not swing; contacts are ten times as stiff and push
    /// from contact on.
    pub fn new(mass: f64, radius: f64, stiffness: f64) -> Self {
        // A ball of uniform density; the springs that turn it act at its radius.
        let (inertia, turning) = (0.4 * mass * radius * radius, stiffness * radius * radius);
        let contact = 10.0 * stiffness;
        Self {
            mass,
            inertia,
            stiffness,
            damping: 2.0 * (stiffness * mass).sqrt(),
            turning_stiffness: turning,
            turning_damping: 2.0 * (turning * inertia).sqrt(),
            contact_stiffness: contact,
            contact_damping: 2.0 * (contact * mass).sqrt(),
            margin: 0.0,
        }
    }

    fn checked(self) -> Result<Self, DynamicsError> {
        for (field, value) in [("mass", self.mass), ("inertia", self.inertia)] {
            at_least(field, value, f64::MIN_POSITIVE)?;
        }
        for (field, value) in [
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("turning_stiffness", self.turning_stiffness),
            ("turning_damping", self.turning_damping),
            ("contact_stiffness", self.contact_stiffness),
            ("contact_damping", self.contact_damping),
            ("margin", self.margin),
        ] {
            at_least(field, value, 0.0)?;
        }
        Ok(self)
    }
}

/// Where the tool is near a body; in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The nearest point of the tool.
    pub point: DVec3,
    /// Unit vector from the body to the tool.
    pub normal: DVec3,
    /// Distance, or minus the depth.
    pub gap: f64,
}

/// What a device does at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Device {
    /// Where it wants the tool.
    pub pose: Pose,
    /// How fast the tool's centre would go there.
    pub velocity: DVec3,
    /// Angular velocity.
    pub angular: DVec3,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Force of the coupler on the device: what a hand would feel.
    pub force: DVec3,
    /// Torque on the device.
    pub torque: DVec3,
    /// Sum of the forces of all contacts.
    pub contact: f64,
}

/// The most contacts of one step; those beyond do not push.
pub const MOST_TOUCHES: usize = 16;

/// A tool on its device.
///
/// ```
/// use clearance_dynamics::{Coupler, CouplerSettings, Device, Touch};
/// use clearance_geometry::{DVec3, Pose};
/// // A ball of radius 1 over a floor at z = 0, pulled a tenth below it.
/// let mut tool = Coupler::new(CouplerSettings::new(0.1, 1.0, 100.0), DVec3::ZERO, Pose::from_translation(DVec3::Z * 1.2)?)?;
/// let device = Device { pose: Pose::from_translation(DVec3::Z * 0.9)?, velocity: DVec3::ZERO, angular: DVec3::ZERO };
/// let mut pull = Default::default();
/// for _ in 0..2000 {
///     let center = tool.pose().translation();
///     let floor = Touch { point: center - DVec3::Z, normal: DVec3::Z, gap: center.z - 1.0 };
///     pull = tool.step(0.001, &device, &[floor]);
/// }
/// // Two springs in a row, of 100 and 1000, share a tenth.
/// assert!((pull.force.z - 0.1 * 100.0 * 1000.0 / 1100.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Coupler {
    settings: CouplerSettings,
    /// In the frame of the tool.
    center: DVec3,
    pose: Pose,
    velocity: DVec3,
    angular: DVec3,
}

type Six = [f64; 6];

impl Coupler {
    /// A tool at rest at `pose`, with its centre of mass at `center` of its frame.
    ///
    /// # Errors
    /// When a number of the settings is not finite, negative, or a mass zero.
    pub fn new(settings: CouplerSettings, center: DVec3, pose: Pose) -> Result<Self, DynamicsError> {
        let (velocity, angular) = (DVec3::ZERO, DVec3::ZERO);
        Ok(Self { settings: settings.checked()?, center, pose, velocity, angular })
    }

    /// Where the tool stands.
    pub const fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Velocity of the tool's centre, and its angular velocity.
    pub const fn velocities(&self) -> [DVec3; 2] {
        [self.velocity, self.angular]
    }

    /// Sets them.
    pub const fn set_velocities(&mut self, [velocity, angular]: [DVec3; 2]) {
        (self.velocity, self.angular) = (velocity, angular);
    }

    /// Kinetic energy, and that of all springs.
    pub fn energy(&self, device: &Pose, touches: &[Touch]) -> f64 {
        let s = &self.settings;
        let [off, turned] = self.off(device);
        let depth = |touch: &Touch| (s.margin - touch.gap).max(0.0);
        let contacts: f64 = touches.iter().map(|touch| depth(touch) * depth(touch)).sum();
        0.5 * (s.mass * self.velocity.length_squared()
            + s.inertia * self.angular.length_squared()
            + s.stiffness * off.length_squared()
            + s.turning_stiffness * turned.length_squared()
            + s.contact_stiffness * contacts)
    }

    /// One step of `h` seconds towards where the device is at its end. Allocates nothing.
    pub fn step(&mut self, h: f64, device: &Device, touches: &[Touch]) -> Pull {
        let s = self.settings;
        let touches = &touches[..touches.len().min(MOST_TOUCHES)];
        let [off, turned] = self.off(&device.pose);
        let middle = self.pose.apply(self.center);
        let mut active = [false; MOST_TOUCHES];
        for (active, touch) in active.iter_mut().zip(touches) {
            *active = touch.gap < s.margin;
        }
        let row = |touch: &Touch| join(touch.normal, (touch.point - middle).cross(touch.normal));
        let (mut speeds, mut forces) = ([0.0; 6], [0.0; MOST_TOUCHES]);
        // Each round drops a contact, or is the last.
        for _ in 0..=touches.len() {
            let straight = s.mass + h * s.damping + h * h * s.stiffness;
            let round = s.inertia + h * s.turning_damping + h * h * s.turning_stiffness;
            let mut matrix = [[0.0; 6]; 6];
            for (k, line) in matrix.iter_mut().enumerate() {
                line[k] = if k < 3 { straight } else { round };
            }
            let mut right = join(
                self.velocity * s.mass + (off * s.stiffness + device.velocity * s.damping) * h,
                self.angular * s.inertia
                    + (turned * s.turning_stiffness + device.angular * s.turning_damping) * h,
            );
            for (touch, _) in touches.iter().zip(active).filter(|(_, active)| *active) {
                add(&mut matrix, &mut right, &row(touch), &s, h, s.margin - touch.gap);
            }
            speeds = solved(matrix, right);
            let force = |touch: &Touch| {
                let away = dot(&row(touch), &speeds);
                s.contact_stiffness * (s.margin - touch.gap - h * away) - s.contact_damping * away
            };
            forces = [0.0; MOST_TOUCHES];
            let mut worst = None;
            for (k, touch) in touches.iter().enumerate().filter(|(k, _)| active[*k]) {
                forces[k] = force(touch);
                if forces[k] < 0.0 && worst.is_none_or(|w: usize| forces[k] < forces[w]) {
                    worst = Some(k);
                }
            }
            // A contact does not hold what leaves it.
            let Some(worst) = worst else { break };
            (active[worst], forces[worst]) = (false, 0.0);
        }
        self.moved(h, &speeds);
        let [off, turned] = self.off(&device.pose);
        Pull {
            force: -(off * s.stiffness + (device.velocity - self.velocity) * s.damping),
            torque: -(turned * s.turning_stiffness + (device.angular - self.angular) * s.turning_damping),
            contact: forces.iter().sum(),
        }
    }

    /// From the tool to the device: the way of the centre, and the rotation vector.
    fn off(&self, device: &Pose) -> [DVec3; 2] {
        let way = device.apply(self.center) - self.pose.apply(self.center);
        let turn = DQuat::from_mat3(&(device.rotation() * self.pose.rotation().transpose()));
        let turn = if turn.w < 0.0 { -turn } else { turn };
        [way, turn.to_scaled_axis()]
    }

    fn moved(&mut self, h: f64, speeds: &Six) {
        self.velocity = DVec3::new(speeds[0], speeds[1], speeds[2]);
        self.angular = DVec3::new(speeds[3], speeds[4], speeds[5]);
        let middle = self.pose.apply(self.center) + self.velocity * h;
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(self.angular * h)) * self.pose.rotation();
        let place = middle - turn * self.center;
        // What is not finite leaves the tool where it is.
        if let Ok(pose) = Pose::from_matrix(turn, place) {
            self.pose = pose;
        }
    }
}

fn join(first: DVec3, second: DVec3) -> Six {
    [first.x, first.y, first.z, second.x, second.y, second.z]
}

fn dot(one: &Six, other: &Six) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Adds a contact of some depth to the system.
fn add(matrix: &mut [Six; 6], right: &mut Six, row: &Six, s: &CouplerSettings, h: f64, depth: f64) {
    let weight = h * s.contact_damping + h * h * s.contact_stiffness;
    for i in 0..6 {
        for j in 0..6 {
            matrix[i][j] += weight * row[i] * row[j];
        }
        right[i] += h * s.contact_stiffness * depth * row[i];
    }
}

/// Solves a symmetric positive definite system by its square roots.
fn solved(mut a: [Six; 6], mut b: Six) -> Six {
    for j in 0..6 {
        for k in 0..j {
            a[j][j] -= a[j][k] * a[j][k];
        }
        a[j][j] = a[j][j].max(f64::MIN_POSITIVE).sqrt();
        for i in j + 1..6 {
            for k in 0..j {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] /= a[j][j];
        }
    }
    for i in 0..6 {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for i in (0..6).rev() {
        for k in i + 1..6 {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    b
}
