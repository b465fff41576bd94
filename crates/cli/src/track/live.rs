//! Running a scene against the clock, with an empty loop beside it.
//!
//! Ticks are waited for by sleeping to shortly before them and then asking for the time again and again. An update begins at
//! its tick and has missed its deadline when it ends after the next one. Blocks of updates take turns with blocks of ticks
//! in which nothing is done, so that both meet the same machine.

use crate::failure::Failure;
use crate::run::Surroundings;
use crate::terminal::{Side, Table};
use clearance_formats::{Live, Scene, Track, shortest};
use std::time::{Duration, Instant};

/// Ticks of a block.
const BLOCK: u32 = 256;

/// How long before a tick the waiting stops to sleep.
const AWAKE: Duration = Duration::from_micros(300);

/// How long something took at every tick.
pub(crate) struct Distribution {
    /// Nanoseconds, in order once the run is over.
    took: Vec<u64>,
    missed: usize,
}

/// A run against the clock.
pub(crate) struct Timing {
    rate: f64,
    pub(crate) updates: Distribution,
    pub(crate) empty: Distribution,
}

impl Distribution {
    fn with_room(ticks: usize) -> Self {
        Self { took: Vec::with_capacity(ticks), missed: 0 }
    }

    /// The time, in seconds, within which a share of all ticks was done.
    pub(crate) fn within(&self, share: f64) -> f64 {
        let last = self.took.len().saturating_sub(1);
        let at = ((self.took.len() as f64 * share).ceil() as usize).saturating_sub(1).min(last);
        self.took.get(at).map_or(0.0, |nanoseconds| *nanoseconds as f64 / NANOSECONDS)
    }

    fn json(&self) -> String {
        let second = |share: f64| shortest(self.within(share));
        format!(
            "{{\"p50\": {}, \"p99\": {}, \"p99_99\": {}, \"max\": {}, \"missed\": {}, \"ticks\": {}}}",
            second(0.5),
            second(0.99),
            second(0.9999),
            second(1.0),
            self.missed,
            self.took.len()
        )
    }
}

const NANOSECONDS: f64 = 1.0e9;

impl Timing {
    /// A table for a person.
    pub(crate) fn in_words(&self) -> String {
        let mut table = Table::new(&[
            ("at each tick", Side::Left),
            ("p50 (µs)", Side::Right),
            ("p99", Side::Right),
            ("p99.99", Side::Right),
            ("max", Side::Right),
            ("deadlines missed", Side::Right),
        ]);
        for (name, of) in [("all pairs updated", &self.updates), ("nothing", &self.empty)] {
            let micro = |share: f64| format!("{:.2}", of.within(share) * 1.0e6);
            table.row([
                name.to_owned(),
                micro(0.5),
                micro(0.99),
                micro(0.9999),
                micro(1.0),
                format!("{} of {}", of.missed, of.took.len()),
            ]);
        }
        format!("against the clock at {} Hz\n{}", self.rate, table.render())
    }

    /// The fields of one JSON object.
    pub(crate) fn json(&self) -> String {
        let rate = shortest(self.rate);
        format!(
            "{{\"rate\": {rate}, \"updates\": {}, \"empty\": {}}}",
            self.updates.json(),
            self.empty.json()
        )
    }
}

/// Follows every pair of a scene at its own speed.
pub(crate) fn run(
    scene: &Scene,
    track: &Track,
    rate: f64,
    surroundings: &Surroundings,
) -> Result<Timing, Failure> {
    let mut live = Live::new(scene, track)?;
    // What trackers need in place for their first answers is no part of the loop.
    live.step(0.0)?;
    let ticks = track.frames as usize;
    let mut timing =
        Timing { rate, updates: Distribution::with_room(ticks), empty: Distribution::with_room(ticks) };
    let mut failure = None;
    let mut frame = 0;
    while frame < track.frames && failure.is_none() {
        if surroundings.expired() {
            return Err(surroundings.gave_up("the scene was not followed to its end"));
        }
        let end = track.frames.min(frame.saturating_add(BLOCK));
        beat(rate, end - frame, &mut timing.updates, |tick| {
            if let Err(error) = live.step(f64::from(frame + tick) * track.step) {
                failure = Some(error);
            }
        });
        beat(rate, end - frame, &mut timing.empty, |tick| {
            std::hint::black_box(tick);
        });
        frame = end;
    }
    if let Some(error) = failure {
        return Err(error.into());
    }
    timing.updates.took.sort_unstable();
    timing.empty.took.sort_unstable();
    Ok(timing)
}

/// Calls `work` at each of some ticks. Takes no lock and allocates nothing.
fn beat(rate: f64, ticks: u32, into: &mut Distribution, mut work: impl FnMut(u32)) {
    let start = Instant::now();
    let tick = |k: u32| start + Duration::from_secs_f64(f64::from(k) / rate);
    for k in 0..ticks {
        wait_until(tick(k));
        let began = Instant::now();
        work(k);
        let ended = Instant::now();
        into.took.push((ended - began).as_nanos() as u64);
        into.missed += usize::from(ended > tick(k + 1));
    }
}

fn wait_until(tick: Instant) {
    let left = tick.saturating_duration_since(Instant::now());
    if left > AWAKE {
        std::thread::sleep(left - AWAKE);
    }
    while Instant::now() < tick {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distribution_counts_from_the_top() {
        let all = Distribution { took: (1..=100).map(|k| k * 1000).collect(), missed: 0 };
        assert_eq!(
            [0.5, 0.99, 0.9999, 1.0].map(|share| (all.within(share) * 1e6).round()),
            [50.0, 99.0, 100.0, 100.0]
        );
        assert_eq!(Distribution::with_room(0).within(0.5), 0.0);
    }

    #[test]
    fn ticks_keep_their_time_and_late_work_is_counted() {
        let mut seen = Distribution::with_room(20);
        let began = Instant::now();
        beat(1000.0, 20, &mut seen, |_| {});
        assert!(began.elapsed() >= Duration::from_millis(19));
        assert_eq!(seen.took.len(), 20);
        let mut late = Distribution::with_room(3);
        beat(1000.0, 3, &mut late, |_| std::thread::sleep(Duration::from_millis(3)));
        assert_eq!(late.missed, 3);
    }
}
