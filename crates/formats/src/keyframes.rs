//! Motions from keyframe files: linear and shortest-arc in between, held outside.

use crate::fields::At;
use crate::impact::in_space;
use crate::motion::other_dimension;
use crate::shape::read_text;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::{DQuat, DVec2, DVec3, PlanarPose, Pose};
use clearance_proximity::impact::shortest_arc;
use std::f64::consts::FRAC_1_SQRT_2;

/// Poses at increasing times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keyframes {
    times: Vec<f64>,
    frames: Frames,
}

#[derive(Clone, Debug, PartialEq)]
enum Frames {
    Solid(Vec<(DVec3, DQuat)>),
    /// Places and angles in degrees.
    Planar(Vec<(DVec2, f64)>),
}

const SOLID_HEADER: &str = "t,x,y,z,qx,qy,qz,qw";
const PLANAR_HEADER: &str = "t,x,y,angle";

/// Reads the file that a scene names.
pub(crate) fn read(at: &At<'_>, planar: bool, context: &Context) -> Result<Keyframes, Error> {
    let path = context.resolve(at.text()?);
    read_text(&path)
        .and_then(|text| parse(&text, planar, context))
        .map_err(|error| at.place(error.about_file(&path)))
}

fn parse(text: &str, planar: bool, context: &Context) -> Result<Keyframes, Error> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header = if planar { PLANAR_HEADER } else { SOLID_HEADER };
    let found: String = lines.next().map(|(_, line)| line).unwrap_or_default().split_whitespace().collect();
    if found != header {
        return Err(bad_file(format!("the first line must be `{header}`")));
    }
    let mut times: Vec<f64> = Vec::new();
    let (mut solid, mut flat) = (Vec::new(), Vec::new());
    let scale = context.scale();
    for (at, line) in lines {
        let wrong = |what: String| bad_file(format!("line {}: {what}", at + 1));
        let time = if planar {
            let [t, x, y, degrees] = numbers(line).map_err(wrong)?;
            flat.push((DVec2::from_array(scale.apply_all([x, y])), degrees));
            t
        } else {
            let [t, x, y, z, qx, qy, qz, qw] = numbers(line).map_err(wrong)?;
            let turn = DQuat::from_xyzw(qx, qy, qz, qw);
            Pose::new(turn, DVec3::ZERO).map_err(|error| {
                Error::new(ErrorKind::BadRotation { reason: format!("line {}: {error}", at + 1) })
            })?;
            solid.push((DVec3::from_array(scale.apply_all([x, y, z])), turn.normalize()));
            t
        };
        if times.last().is_some_and(|last| *last >= time) {
            return Err(wrong("times must increase".to_owned()));
        }
        times.push(time);
    }
    if times.is_empty() {
        return Err(bad_file("the file has no keyframes".to_owned()));
    }
    Ok(Keyframes { times, frames: if planar { Frames::Planar(flat) } else { Frames::Solid(solid) } })
}

fn bad_file(reason: String) -> Error {
    Error::new(ErrorKind::BadFile { reason })
}

fn numbers<const N: usize>(line: &str) -> Result<[f64; N], String> {
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let words =
        <[&str; N]>::try_from(words).map_err(|words| format!("{} entries instead of {N}", words.len()))?;
    let mut numbers = [0.0_f64; N];
    for (number, word) in numbers.iter_mut().zip(words) {
        *number = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !number.is_finite() {
            return Err(format!("`{word}` is not finite"));
        }
    }
    Ok(numbers)
}

impl Keyframes {
    /// The keyframes around `t` and how far it lies between them.
    fn around(&self, t: f64) -> (usize, usize, f64) {
        let after = self.times.partition_point(|time| *time <= t);
        if after == 0 {
            return (0, 0, 0.0);
        }
        if after == self.times.len() {
            return (after - 1, after - 1, 0.0);
        }
        let (from, to) = (self.times[after - 1], self.times[after]);
        (after - 1, after, (t - from) / (to - from))
    }

    pub(crate) fn solid_at(&self, t: f64) -> Result<Pose, Error> {
        let Frames::Solid(frames) = &self.frames else { return Err(other_dimension()) };
        let (before, after, part) = self.around(t);
        let ((place, turn), (next_place, next_turn)) = (frames[before], frames[after]);
        if part == 0.0 {
            return Ok(Pose::new(turn, place)?);
        }
        Ok(Pose::from_matrix(shortest_arc(turn, next_turn, part), place.lerp(next_place, part))?)
    }

    /// All frames in space, planar ones in the plane z = 0. Between frames that are more than a quarter turn apart stands the one
    /// half-way: a pose does not tell which way a half turn went, and these have no half turn between them.
    pub(crate) fn poses(&self) -> Result<Vec<(f64, Pose)>, Error> {
        let mut found = Vec::with_capacity(self.times.len());
        for (at, time) in self.times.iter().enumerate() {
            if let Some(before) = at.checked_sub(1)
                && self.turns_far(before)
            {
                let between = 0.5 * (self.times[before] + time);
                // Times next to each other have none between them.
                if self.times[before] < between && between < *time {
                    found.push((between, self.pose_at(between)?));
                }
            }
            found.push((*time, self.pose_at(*time)?));
        }
        Ok(found)
    }

    /// The pose at a time, planar ones in the plane z = 0.
    fn pose_at(&self, t: f64) -> Result<Pose, Error> {
        match &self.frames {
            Frames::Solid(_) => self.solid_at(t),
            Frames::Planar(_) => in_space(&self.planar_at(t)?),
        }
    }

    /// Whether a frame and the next are more than a quarter turn apart.
    fn turns_far(&self, at: usize) -> bool {
        match &self.frames {
            Frames::Solid(frames) => frames[at].1.dot(frames[at + 1].1).abs() < FRAC_1_SQRT_2,
            Frames::Planar(frames) => shorter_arc(frames[at].1, frames[at + 1].1).abs() > 90.0,
        }
    }

    pub(crate) fn planar_at(&self, t: f64) -> Result<PlanarPose, Error> {
        let Frames::Planar(frames) = &self.frames else { return Err(other_dimension()) };
        let (before, after, part) = self.around(t);
        let ((place, degrees), (next_place, next_degrees)) = (frames[before], frames[after]);
        let shorter = shorter_arc(degrees, next_degrees);
        Ok(PlanarPose::from_degrees(degrees + shorter * part, place.lerp(next_place, part))?)
    }
}

/// The shorter way from one angle to another, in degrees; of two that are as long the one that is written.
fn shorter_arc(from: f64, to: f64) -> f64 {
    let arc = (to - from) % 360.0;
    if arc > 180.0 {
        arc - 360.0
    } else if arc < -180.0 {
        arc + 360.0
    } else {
        arc
    }
}
