//! Running the `[track]` section of a scene: every pair at every frame.

use crate::coupler::Coupled;
use crate::method::{self, MethodPair};
use crate::{Answer, AnyPose, CouplerRow, Error, MethodRow, PairTracker, Request, Scene, Track, Wants};
use clearance_proximity::State;

/// One pair at one frame.
#[derive(Clone, Debug)]
pub struct Row {
    /// Number of the frame, from 0.
    pub frame: u32,
    /// Its time in seconds.
    pub time: f64,
    /// The two bodies, by index.
    pub pair: [usize; 2],
    /// Where they stand.
    pub poses: [AnyPose; 2],
    /// How they stand to each other.
    pub answer: Answer,
    /// What the track's published method says.
    pub method: Option<MethodRow>,
    /// What the track's device feels; the same in all rows of a frame.
    pub coupler: Option<CouplerRow>,
}

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackSummary {
    /// Rows made.
    pub rows: usize,
    /// Rows in which the bodies touch or overlap.
    pub contacts: usize,
    /// Smallest signed distance, or distance where no depth is defined, with its frame and pair; none without pairs.
    pub closest: Option<(f64, u32, [usize; 2])>,
}

/// Pairs of parts of curved bodies that are looked at in one frame: less than a second. Where nearest points are a curve or
/// an area, frames end in `limit` with the bounds they have.
const FRAME_PAIRS: u64 = 200_000;

/// Runs `track` on `scene` and hands every row to `on_row`, frame by frame; the answers do not depend on
/// what was tracked before, only their cost does.
///
/// # Errors
/// What a query can have wrong, `not_finite` when a motion outgrows double precision, and whatever `on_row`
/// returns, at which the run stops.
pub fn run_track(
    scene: &Scene,
    track: &Track,
    wants: Wants,
    max_error: Option<f64>,
    mut on_row: impl FnMut(&Row) -> Result<(), Error>,
) -> Result<TrackSummary, Error> {
    let mut trackers: Vec<PairTracker> = track.pairs.iter().map(|_| PairTracker::new()).collect();
    let wants = wants.with(track.wants);
    if track.method.is_some() && track.coupler.is_some() {
        return Err(scene.place_in_track("method", method::pulled()));
    }
    let mut coupled = track.coupler.map(|spec| Coupled::new(scene, track, spec)).transpose()?;
    let method_of = |pair: &[usize; 2]| match track.method {
        Some(settings) => MethodPair::new(scene, *pair, settings, track.step).map(Some),
        None => Ok(None),
    };
    let placed = |error| scene.place(error);
    let mut methods: Vec<_> = track
        .pairs
        .iter()
        .map(method_of)
        .collect::<Result<_, _>>()
        .map_err(|error| scene.place_in_track("method", error))?;
    let mut summary = TrackSummary::default();
    for frame in 0..track.frames {
        let time = f64::from(frame) * track.step;
        let mut poses = Vec::with_capacity(scene.bodies.len());
        let mut shapes = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            let place =
                |error: Error| scene.place(error.at_key(format!("frame {frame} of body.{}", body.name)));
            poses.push(body.pose_at(time).map_err(place)?);
            shapes.push(body.shape_at(time).map_err(place)?);
        }
        let mut coupler = None;
        if let Some(coupled) = &mut coupled {
            let (pose, row) = coupled.frame(scene, frame, &poses).map_err(placed)?;
            poses[coupled.body()] = AnyPose::Solid(pose);
            coupler = Some(row);
        }
        for ((pair, tracker), method) in track.pairs.iter().zip(&mut trackers).zip(&mut methods) {
            let [a, b] = *pair;
            let request = Request {
                a: &shapes[a],
                pose_a: poses[a],
                b: &shapes[b],
                pose_b: poses[b],
                wants,
                max_error,
                max_pairs: Some(FRAME_PAIRS),
                margin: None,
                deadline: None,
                units: scene.units,
            };
            let answer = tracker.answer(&request).map_err(|error| {
                let [a, b] = [a, b].map(|body| &scene.bodies[body].name);
                scene.place(error.at_key(format!("frame {frame} of {a} and {b}")))
            })?;
            let method =
                method.as_mut().map(|method| method.frame(frame, time)).transpose().map_err(placed)?;
            let row = Row { frame, time, pair: *pair, poses: [poses[a], poses[b]], answer, method, coupler };
            summary.add(&row);
            on_row(&row)?;
        }
    }
    Ok(summary)
}

impl TrackSummary {
    fn add(&mut self, row: &Row) {
        self.rows += 1;
        if row.answer.state != State::Separated {
            self.contacts += 1;
        }
        let nearness = row.answer.nearness();
        if self.closest.is_none_or(|(least, _, _)| nearness < least) {
            self.closest = Some((nearness, row.frame, row.pair));
        }
    }
}
