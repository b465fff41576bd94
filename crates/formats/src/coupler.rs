//! The virtual coupler of a track: one body follows its motion as a tool follows the device that it hangs on.

use crate::fields::At;
use crate::scene::Names;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Scene, SceneBody, Track};
use clearance_dynamics::{Coupler, CouplerSettings, Device, DynamicsError, MOST_TOUCHES, Pull, Touch};
use clearance_geometry::{Body, DVec3, Pose};
use clearance_proximity::{State, Tracker};

/// Which body hangs on a device, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplerSpec {
    /// The body, by index.
    pub body: usize,
    /// How it hangs on the device.
    pub settings: CouplerSettings,
}

/// What a coupler did at a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplerRow {
    /// Where the device is.
    pub device: Pose,
    /// What it feels, and the contacts.
    pub pull: Pull,
    /// Energy of the tool and of all springs.
    pub energy: f64,
}

const KEYS: [&str; 10] = [
    "body",
    "mass",
    "inertia",
    "stiffness",
    "damping",
    "turning_stiffness",
    "turning_damping",
    "contact_stiffness",
    "contact_damping",
    "margin",
];

/// Reads `[track.coupler]`.
pub(crate) fn parse(at: &At<'_>, names: &Names<'_>, bodies: &[SceneBody]) -> Result<CouplerSpec, Error> {
    at.check_keys(&KEYS)?;
    let field = at.need("body")?;
    let body = names.body(&field)?;
    let Some(radius) = solid(&bodies[body]).and_then(radius) else {
        let reason = "a device pulls a solid body with bounds".to_owned();
        return Err(field.error(ErrorKind::BadValue { reason }));
    };
    if bodies[body].fixed {
        let reason = "a device does not pull a fixed body".to_owned();
        return Err(field.error(ErrorKind::BadValue { reason }));
    }
    let usual = CouplerSettings::new(at.need("mass")?.positive()?, radius, at.need("stiffness")?.positive()?);
    let number = |key: &str, usual: f64| at.get(key).map_or(Ok(usual), |field| field.number());
    let settings = CouplerSettings {
        inertia: number("inertia", usual.inertia)?,
        damping: number("damping", usual.damping)?,
        turning_stiffness: number("turning_stiffness", usual.turning_stiffness)?,
        turning_damping: number("turning_damping", usual.turning_damping)?,
        contact_stiffness: number("contact_stiffness", usual.contact_stiffness)?,
        contact_damping: number("contact_damping", usual.contact_damping)?,
        margin: number("margin", usual.margin)?,
        ..usual
    };
    Coupler::new(settings, DVec3::ZERO, Pose::IDENTITY).map_err(|error| at.place(refused(&error)))?;
    Ok(CouplerSpec { body, settings })
}

fn refused(error: &DynamicsError) -> Error {
    ErrorKind::BadValue { reason: error.to_string() }.into()
}

fn solid(body: &SceneBody) -> Option<&Body> {
    match &body.shape.body {
        AnyBody::Solid(solid) if solid.is_bounded() => Some(solid),
        _ => None,
    }
}

/// Half the diagonal of a box around a body; the length of 1 for a point.
fn radius(body: &Body) -> Option<f64> {
    let found = match body.whole() {
        Body::Polytope(polytope) => polytope.radius(),
        Body::Tiled(tiled) => tiled.aabb().half_extents().length(),
        Body::Union(tree) => tree.root().bound.half.length(),
        _ => return None,
    };
    Some(if found > 0.0 { found } else { 1.0 })
}

/// A middle of the body, about which it turns.
fn middle(body: &Body) -> DVec3 {
    match body.whole() {
        Body::Polytope(polytope) => polytope.center() + polytope.anchor(),
        Body::Tiled(tiled) => DVec3::from_array(tiled.aabb().center()),
        Body::Union(tree) => tree.root().bound.center,
        _ => DVec3::ZERO,
    }
}

/// A coupler in a run.
#[derive(Debug)]
pub(crate) struct Coupled {
    spec: CouplerSpec,
    coupler: Coupler,
    /// The other body of each pair with the tool, which is B here.
    pairs: Vec<(usize, Box<Tracker>)>,
    /// The last touch of each pair, for contacts without a depth.
    last: Vec<Option<Touch>>,
    touches: Vec<Touch>,
    device: Pose,
    step: f64,
}

impl Coupled {
    pub(crate) fn new(scene: &Scene, track: &Track, spec: CouplerSpec) -> Result<Self, Error> {
        let tool = &scene.bodies[spec.body];
        let (Some(body), AnyPose::Solid(pose)) = (solid(tool), tool.pose_at(0.0)?) else {
            let reason = "a device pulls a solid body with bounds".to_owned();
            return Err(ErrorKind::BadValue { reason }.into());
        };
        let coupler = Coupler::new(spec.settings, middle(body), pose).map_err(|error| refused(&error))?;
        let with = |pair: &[usize; 2]| {
            let side = pair.iter().position(|at| *at == spec.body)?;
            Some((pair[1 - side], Box::<Tracker>::default()))
        };
        let pairs: Vec<_> = track.pairs.iter().filter_map(with).take(MOST_TOUCHES).collect();
        let (last, touches) = (vec![None; pairs.len()], Vec::with_capacity(pairs.len()));
        Ok(Self { spec, coupler, pairs, last, touches, device: pose, step: track.step })
    }

    pub(crate) const fn body(&self) -> usize {
        self.spec.body
    }

    /// Where the tool is at a frame; `poses` are those of all bodies, the tool's being that of the device.
    pub(crate) fn frame(
        &mut self,
        scene: &Scene,
        frame: u32,
        poses: &[AnyPose],
    ) -> Result<(Pose, CouplerRow), Error> {
        let AnyPose::Solid(device) = poses[self.spec.body] else {
            let reason = "a device pulls solid bodies".to_owned();
            return Err(ErrorKind::DimensionMismatch { reason }.into());
        };
        self.look(scene, poses)?;
        let energy = self.coupler.energy(&device, &self.touches);
        let mut pull = Pull::default();
        if frame > 0 {
            let turn = Pose::between(&self.device, &device).quaternion().to_scaled_axis();
            let wanted = Device {
                pose: device,
                velocity: (device.translation() - self.device.translation()) / self.step,
                angular: self.device.rotate(turn) / self.step,
            };
            pull = self.coupler.step(self.step, &wanted, &self.touches);
        }
        self.device = device;
        Ok((*self.coupler.pose(), CouplerRow { device, pull, energy }))
    }

    /// Where the tool is near other bodies.
    fn look(&mut self, scene: &Scene, poses: &[AnyPose]) -> Result<(), Error> {
        self.touches.clear();
        let tool_pose = *self.coupler.pose();
        let AnyBody::Solid(tool) = &scene.bodies[self.spec.body].shape.body else { return Ok(()) };
        for ((other, tracker), last) in self.pairs.iter_mut().zip(&mut self.last) {
            let (AnyBody::Solid(body), AnyPose::Solid(pose)) =
                (&scene.bodies[*other].shape.body, poses[*other])
            else {
                continue;
            };
            let found = tracker.update(body, tool, &Pose::between(&pose, &tool_pose))?.in_world(&pose);
            let touch = if found.normal == DVec3::ZERO && found.state != State::Separated {
                // Nothing tells the way out: the last one is kept, at no distance.
                last.map(|known: Touch| Touch { gap: known.gap.min(0.0), ..known })
            } else {
                let (point, normal) = (found.witnesses[1].point, found.normal);
                Some(Touch { point, normal, gap: found.signed_distance })
            };
            *last = touch;
            self.touches.extend(touch);
        }
        Ok(())
    }
}
