//! The pairs of a scene, updated frame by frame with nothing around them: what a control loop would run.

use crate::coupler::Coupled;
use crate::flat_curved::planar_body;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Scene, Track};
use clearance_geometry::{Body, PlanarPose, Polygon, Pose};
use clearance_proximity::planar::{self, PlanarNearest, PlanarProximity};
use clearance_proximity::{Precision, Proximity, Tracker};

/// The trackers of a scene, and the device of its coupler, which steps from one time to the next as `step` says. Once every pair has been updated, a step allocates nothing for polytopes, half-spaces, polygons,
/// and other solid bodies that are apart, but for first looks at parts of trimmed faces, and for bodies that deform so that patches come apart.
///
/// ```
/// use clearance_formats::{Context, Live, Scene};
/// let scene = Scene::parse(
///     r#"
///     [body.still]
///     shape = { kind = "sphere", radius = 1 }
///     [body.moving]
///     shape = { kind = "box", size = [1, 1, 1] }
///     pose = { translation = [3, 0, 0] }
///     motion = [{ velocity = [0, 1, 0] }]
///     [track]
///     frames = 11
///     step = 0.1
///     "#,
///     &Context::default(),
/// )?;
/// let mut live = Live::new(&scene, scene.track()?)?;
/// live.step(0.0)?;
/// assert!((live.distance(0).unwrap() - 1.5).abs() < 1e-12);
/// # Ok::<(), clearance_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Live<'a> {
    scene: &'a Scene,
    pairs: Vec<LivePair>,
    tool: Option<Tool>,
}

/// A body that hangs on a device.
#[derive(Debug)]
struct Tool {
    coupled: Coupled,
    /// The last time, and where the tool was.
    last: Option<(f64, Pose)>,
    /// Where all bodies are, the tool as its device.
    poses: Vec<AnyPose>,
}

#[derive(Debug)]
struct LivePair {
    bodies: [usize; 2],
    kernel: Kernel,
}

#[derive(Debug)]
enum Kernel {
    Solid {
        bodies: [Body; 2],
        tracker: Box<Tracker>,
        last: Option<Proximity>,
        /// Whether a body changes its shape.
        changes: bool,
    },
    Planar {
        bodies: [Polygon; 2],
        tracker: planar::Tracker,
        last: Option<PlanarProximity>,
    },
    Outlines {
        tracker: Box<planar::OutlinePair>,
        last: Option<PlanarNearest>,
    },
}

impl<'a> Live<'a> {
    /// Trackers for the pairs of `track`, with their memory in place.
    ///
    /// # Errors
    /// `dimension_mismatch` for a planar body against a solid one, what making bodies ready can have wrong, and what a coupler
    /// can.
    pub fn new(scene: &'a Scene, track: &Track) -> Result<Self, Error> {
        let pair = |bodies: &[usize; 2]| {
            let kernel = Kernel::new(bodies.map(|at| &scene.bodies[at].shape.body))?;
            Ok(LivePair { bodies: *bodies, kernel })
        };
        let tool = |spec| {
            let coupled = Coupled::new(scene, track, spec)?;
            Ok::<_, Error>(Tool { coupled, last: None, poses: Vec::with_capacity(scene.bodies.len()) })
        };
        let pairs = track.pairs.iter().map(pair).collect::<Result<_, Error>>()?;
        Ok(Self { scene, pairs, tool: track.coupler.map(tool).transpose()? })
    }

    /// Brings every pair to a time in seconds.
    ///
    /// # Errors
    /// What a query can have wrong, and `not_finite` when a motion outgrows double precision.
    pub fn step(&mut self, time: f64) -> Result<(), Error> {
        let tool = self.tool.as_mut().map(|tool| tool.step(self.scene, time)).transpose()?;
        for pair in &mut self.pairs {
            let [a, b] = pair.bodies.map(|at| &self.scene.bodies[at]);
            let mut poses = [a.pose_at(time)?, b.pose_at(time)?];
            for (pose, body) in poses.iter_mut().zip(pair.bodies) {
                if let Some((at, there)) = tool
                    && at == body
                {
                    *pose = AnyPose::Solid(there);
                }
            }
            pair.kernel.update(poses, time).map_err(|error| {
                self.scene.place(error.at_key(format!("{} and {} at {time} s", a.name, b.name)))
            })?;
        }
        Ok(())
    }

    /// The signed distance of a pair after the last step, or the distance where no depth is defined.
    pub fn distance(&self, pair: usize) -> Option<f64> {
        match &self.pairs.get(pair)?.kernel {
            Kernel::Solid { last, .. } => last.map(|answer| answer.signed_distance),
            Kernel::Planar { last, .. } => last.map(|answer| answer.signed_distance),
            Kernel::Outlines { last, .. } => {
                last.as_ref().map(|answer| answer.signed_distance.unwrap_or(answer.distance))
            }
        }
    }
}

impl Tool {
    /// The body and where it is at a time; the same time again moves nothing.
    fn step(&mut self, scene: &Scene, time: f64) -> Result<(usize, Pose), Error> {
        let pose = match self.last {
            Some((last, pose)) if last == time => pose,
            last => {
                self.poses.clear();
                for body in &scene.bodies {
                    self.poses.push(body.pose_at(time)?);
                }
                self.coupled.frame(scene, u32::from(last.is_some()), &self.poses)?.0
            }
        };
        self.last = Some((time, pose));
        Ok((self.coupled.body(), pose))
    }
}

impl Kernel {
    fn new(bodies: [&AnyBody; 2]) -> Result<Self, Error> {
        match bodies {
            [AnyBody::Solid(a), AnyBody::Solid(b)] => {
                let changes = [a, b].into_iter().any(|body| matches!(body.whole(), Body::Deforming(_)));
                let bodies = [a.clone(), b.clone()];
                Ok(Self::Solid { bodies, tracker: Box::default(), last: None, changes })
            }
            [AnyBody::Planar(a), AnyBody::Planar(b)] => Ok(Self::Planar {
                bodies: [a.clone(), b.clone()],
                tracker: planar::Tracker::new(),
                last: None,
            }),
            [a, b] => {
                let (Some(a), Some(b)) = (planar_body(a), planar_body(b)) else { return Err(mismatch()) };
                let tracker = Box::new(planar::OutlinePair::new(&a, &b)?);
                Ok(Self::Outlines { tracker, last: None })
            }
        }
    }

    fn update(&mut self, poses: [AnyPose; 2], time: f64) -> Result<(), Error> {
        match (self, poses) {
            (
                Self::Solid { bodies: [a, b], tracker, last, changes },
                [AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)],
            ) => {
                let pose = Pose::between(&pose_a, &pose_b);
                let found = if *changes {
                    tracker.find_at(a, b, &pose, &Precision::default(), time)?.proximity
                } else {
                    tracker.update(a, b, &pose)?
                };
                *last = Some(found);
            }
            (
                Self::Planar { bodies: [a, b], tracker, last },
                [AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)],
            ) => *last = Some(tracker.update(a, b, &PlanarPose::between(&pose_a, &pose_b))),
            (Self::Outlines { tracker, last }, [AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)]) => {
                *last = Some(tracker.update(&PlanarPose::between(&pose_a, &pose_b), None)?);
            }
            _ => return Err(mismatch()),
        }
        Ok(())
    }
}

fn mismatch() -> Error {
    ErrorKind::DimensionMismatch { reason: "a planar body against a solid one".to_owned() }.into()
}
