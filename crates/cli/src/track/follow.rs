//! Running a scene and keeping what each pair went through.

use super::history::{History, Sample};
use crate::failure::Failure;
use crate::run::Surroundings;
use clearance_formats::{Error, ErrorKind, Recorder, Row, Scene, Track, Wants, run_track};
use indicatif::{ProgressBar, ProgressStyle};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// A scene that has been run.
pub(crate) struct Followed {
    /// In the order of the scene's pairs.
    pub(crate) histories: Vec<History>,
    /// How long the run took.
    pub(crate) took: Duration,
}

/// What one thread brings back: for each of its pairs the history and, when recording, the rows.
type Part = Result<Vec<(usize, History, Vec<Row>)>, Error>;

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
    let progress = progress(track, surroundings);
    let threads = usize::from(surroundings.common.threads).min(track.pairs.len());
    let histories = if threads > 1 {
        in_parallel(scene, track, surroundings, recorder, &progress, threads)
    } else {
        in_order(scene, track, surroundings, recorder, &progress)
    };
    progress.finish_and_clear();
    if surroundings.expired() {
        return Err(surroundings.gave_up("the scene was not followed to its end"));
    }
    Ok(Followed { histories: histories?, took: began.elapsed() })
}

fn in_order(
    scene: &Scene,
    track: &Track,
    surroundings: &Surroundings,
    mut recorder: Option<Recorder>,
    progress: &ProgressBar,
) -> Result<Vec<History>, Failure> {
    let mut histories = empty(scene, track);
    run_track(scene, track, Wants::default(), surroundings.common.max_error, |row| {
        stop_if(surroundings)?;
        keep(&mut histories, track, row);
        progress.inc(1);
        recorder.as_mut().map_or(Ok(()), |recorder| recorder.row(row))
    })?;
    recorder.map_or(Ok(()), Recorder::finish)?;
    Ok(histories)
}

/// Pairs are dealt out to threads; rows are recorded afterwards in the order of a single thread.
fn in_parallel(
    scene: &Scene,
    track: &Track,
    surroundings: &Surroundings,
    recorder: Option<Recorder>,
    progress: &ProgressBar,
    threads: usize,
) -> Result<Vec<History>, Failure> {
    let recording = recorder.is_some();
    let parts: Vec<Part> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    (thread..track.pairs.len())
                        .step_by(threads)
                        .map(|at| one_pair(scene, track, at, surroundings, recording, progress))
                        .collect::<Part>()
                })
            })
            .collect();
        // A thread that panicked must not look like one without pairs.
        let brought =
            |worker: ScopedJoinHandle<'_, Part>| worker.join().unwrap_or_else(|why| resume_unwind(why));
        workers.into_iter().map(brought).collect()
    });
    let mut pairs = Vec::new();
    for part in parts {
        pairs.extend(part?);
    }
    pairs.sort_by_key(|(at, _, _)| *at);
    if let Some(mut recorder) = recorder {
        for frame in 0..track.frames as usize {
            for row in pairs.iter().filter_map(|(_, _, rows)| rows.get(frame)) {
                recorder.row(row)?;
            }
        }
        recorder.finish()?;
    }
    Ok(pairs.into_iter().map(|(_, history, _)| history).collect())
}

fn one_pair(
    scene: &Scene,
    track: &Track,
    at: usize,
    surroundings: &Surroundings,
    recording: bool,
    progress: &ProgressBar,
) -> Result<(usize, History, Vec<Row>), Error> {
    let alone = Track { pairs: vec![track.pairs[at]], ..track.clone() };
    let mut histories = empty(scene, &alone);
    let mut rows = Vec::new();
    run_track(scene, &alone, Wants::default(), surroundings.common.max_error, |row| {
        stop_if(surroundings)?;
        keep(&mut histories, &alone, row);
        progress.inc(1);
        if recording {
            rows.push(row.clone());
        }
        Ok(())
    })?;
    Ok((at, histories.swap_remove(0), rows))
}

/// Ends a run whose time is over; the caller says so in its own words.
fn stop_if(surroundings: &Surroundings) -> Result<(), Error> {
    if surroundings.expired() {
        return Err(ErrorKind::BadValue { reason: "the time is over".to_owned() }.into());
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
    });
}

fn progress(track: &Track, surroundings: &Surroundings) -> ProgressBar {
    if !surroundings.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::from(track.frames) * track.pairs.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} answers  {eta} left") {
        bar.set_style(style);
    }
    bar
}
