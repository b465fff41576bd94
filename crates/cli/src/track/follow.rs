//! Running a scene and keeping what each pair went through.

use super::history::{Felt, History, Sample};
use crate::failure::Failure;
use crate::interrupt;
use crate::run::Surroundings;
use clearance_formats::{Error, ErrorKind, Recorder, Row, Scene, Track, Wants, run_track};
use indicatif::ProgressBar;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// A scene that has been run.
pub(crate) struct Followed {
    /// In the order of the scene's pairs.
    pub(crate) histories: Vec<History>,
    /// How long the run took.
    pub(crate) took: Duration,
    /// Whether an interrupt ended it before its time.
    pub(crate) stopped: bool,
}

/// Rows of one thread that wait to be recorded.
const ROWS_AHEAD: usize = 1024;

/// Follows every pair of a scene, without recording or progress.
pub(crate) fn follow(scene: &Scene) -> Result<Vec<History>, Failure> {
    let track = scene.track()?;
    let mut histories = empty(scene, track);
    run_track(scene, track, Wants::default(), None, |row| {
        keep(&mut histories, track, row);
        Ok(())
    })?;
    Ok(histories)
}

/// Follows every pair; records each row where a file is named. Answers are the same with any number of threads.
pub(crate) fn run(
    scene: &Scene,
    track: &Track,
    surroundings: &Surroundings,
    record: Option<&Path>,
) -> Result<Followed, Failure> {
    let began = Instant::now();
    let recorder = record.map(|path| Recorder::create(path, scene, track)).transpose()?;
    let progress = surroundings.progress(u64::from(track.frames) * track.pairs.len() as u64, "answers");
    interrupt::listen();
    let mut threads = usize::from(surroundings.common.threads).min(track.pairs.len());
    if track.coupler.is_some() {
        // What a tool touches decides where it is: its pairs cannot be parted.
        threads = 1;
    }
    let mut histories = empty(scene, track);
    let ended = if threads > 1 {
        in_parallel(scene, track, surroundings, recorder, &progress, threads, &mut histories)
    } else {
        in_order(scene, track, surroundings, recorder, &progress, &mut histories)
    };
    progress.finish_and_clear();
    if surroundings.expired() {
        return Err(surroundings.gave_up("the scene was not followed to its end"));
    }
    let stopped = ended.is_err() && interrupt::asked();
    if !stopped {
        ended?;
    }
    Ok(Followed { histories, took: began.elapsed(), stopped })
}

fn in_order(
    scene: &Scene,
    track: &Track,
    surroundings: &Surroundings,
    mut recorder: Option<Recorder>,
    progress: &ProgressBar,
    histories: &mut [History],
) -> Result<(), Failure> {
    run_track(scene, track, wants(recorder.as_ref()), surroundings.common.max_error, |row| {
        stop_if(surroundings)?;
        keep(histories, track, row);
        progress.inc(1);
        recorder.as_mut().map_or(Ok(()), |recorder| recorder.row(row))
    })?;
    Ok(recorder.map_or(Ok(()), Recorder::finish)?)
}

/// Pairs are dealt out to threads; rows are kept and recorded in the order of a single thread, as they come.
fn in_parallel(
    scene: &Scene,
    track: &Track,
    surroundings: &Surroundings,
    mut recorder: Option<Recorder>,
    progress: &ProgressBar,
    threads: usize,
    histories: &mut [History],
) -> Result<(), Failure> {
    let wants = wants(recorder.as_ref());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let pairs = track.pairs.iter().skip(thread).step_by(threads).copied().collect();
                let own = Track { pairs, ..track.clone() };
                let (send, rows) = sync_channel(ROWS_AHEAD);
                let worker = scope.spawn(move || {
                    let mut heard = true;
                    let ended = run_track(scene, &own, wants, surroundings.common.max_error, |row| {
                        stop_if(surroundings)?;
                        heard = send.send(row.clone()).is_ok();
                        if heard { Ok(()) } else { Err(stopped()) }
                    });
                    // Where nobody listens any more another thread failed, and its error counts.
                    if heard { ended.map(|_| ()) } else { Ok(()) }
                });
                (worker, rows)
            })
            .collect();
        let mut recorded = Ok(());
        'frames: for _ in 0..track.frames {
            for at in 0..track.pairs.len() {
                let Ok(row) = workers[at % threads].1.recv() else { break 'frames };
                keep(histories, track, &row);
                progress.inc(1);
                recorded = recorder.as_mut().map_or(Ok(()), |recorder| recorder.row(&row));
                if recorded.is_err() {
                    break 'frames;
                }
            }
        }
        for (worker, rows) in workers {
            drop(rows);
            // A thread that panicked must not look like one without pairs; of several errors the first counts.
            let ended = worker.join().unwrap_or_else(|why| resume_unwind(why));
            recorded = recorded.and(ended);
        }
        recorded
    })?;
    Ok(recorder.map_or(Ok(()), Recorder::finish)?)
}

/// A recording keeps what is proven of every answer.
fn wants(recorder: Option<&Recorder>) -> Wants {
    Wants { certificate: recorder.is_some(), ..Wants::default() }
}

fn stopped() -> Error {
    ErrorKind::BadValue { reason: "the run was stopped".to_owned() }.into()
}

/// Ends a run whose time is over or that nobody wants any more; the caller says so in its own words.
fn stop_if(surroundings: &Surroundings) -> Result<(), Error> {
    if surroundings.expired() || interrupt::asked() {
        return Err(stopped());
    }
    Ok(())
}

fn empty(scene: &Scene, track: &Track) -> Vec<History> {
    let name = |at: usize| scene.bodies[at].name.clone();
    track.pairs.iter().map(|pair| History { names: pair.map(name), samples: Vec::new() }).collect()
}

fn keep(histories: &mut [History], track: &Track, row: &Row) {
    let Some(at) = track.pairs.iter().position(|pair| *pair == row.pair) else { return };
    let [p, q] = &row.answer.points;
    histories[at].samples.push(Sample {
        time: row.time,
        signed_distance: row.answer.signed_distance,
        distance: row.answer.distance,
        state: row.answer.state,
        features: row.answer.features.clone(),
        place: p.iter().zip(q.iter()).map(|(x, y)| (x + y) / 2.0).collect(),
        work: row.answer.work,
        method: row.method.as_ref().map(|method| (method.distance, method.switches)),
        coupler: row.coupler.map(|coupler| Felt {
            force: coupler.pull.force.length(),
            contact: coupler.pull.contact,
            energy: coupler.energy,
        }),
    });
}
