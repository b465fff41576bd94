//! Coal's distance between convex meshes, through the shim.

use crate::candidate::{Answer, Candidate};
use crate::shape::Shape;
use crate::stream::{PosePair, Scene};
use std::ffi::{c_int, c_uint};
use std::ops::Range;

/// Where Coal's GJK starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Always the same direction, Coal's default.
    Default = 0,
    /// The last answer's direction and vertices.
    Cached = 1,
    /// The line between the centres of the bounding boxes.
    Boxes = 2,
}

/// How exactly Coal is asked to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Tolerance 1e-10 in both of its loops: what our answers are compared with.
    Tight,
    /// Coal's own tolerance, 1e-6; shown for information.
    Loose,
}

#[repr(C)]
struct RawPair {
    private: [u8; 0],
}

unsafe extern "C" {
    fn coal_pair_new(
        points: *const f64,
        point_count: c_uint,
        triangles: *const c_uint,
        triangle_count: c_uint,
        guess: c_int,
        tolerance: f64,
        penetration: bool,
    ) -> *mut RawPair;
    fn coal_pair_free(pair: *mut RawPair);
    fn coal_pair_load(pair: *mut RawPair, numbers: *const f64, count: c_uint);
    fn coal_pair_run(pair: *mut RawPair, start: c_uint, end: c_uint, answers: *mut Answer);
}

/// Coal on one pair.
pub struct Coal {
    pair: *mut RawPair,
    poses: usize,
    name: &'static str,
    exactness: Exactness,
}

impl Coal {
    /// Two copies of `shape`.
    pub fn new(shape: &Shape, scene: Scene, guess: Guess, exactness: Exactness) -> Self {
        let points: Vec<f64> = shape.points.iter().flat_map(|p| p.to_array()).collect();
        let triangles: Vec<c_uint> = shape.triangles().into_iter().flatten().collect();
        let tolerance = if exactness == Exactness::Tight { 1e-10 } else { 0.0 };
        // SAFETY: both arrays are as long as the counts say and are copied by the callee; the
        // triangles' numbers are below the number of points.
        let pair = unsafe {
            coal_pair_new(
                points.as_ptr(),
                (points.len() / 3) as c_uint,
                triangles.as_ptr(),
                (triangles.len() / 3) as c_uint,
                guess as c_int,
                tolerance,
                scene == Scene::Overlapping,
            )
        };
        let name = match (guess, exactness) {
            (Guess::Default, Exactness::Tight) => "Coal 1e-10",
            (Guess::Default, Exactness::Loose) => "Coal default",
            (Guess::Cached, Exactness::Tight) => "Coal cached 1e-10",
            (Guess::Cached, Exactness::Loose) => "Coal cached default",
            (Guess::Boxes, Exactness::Tight) => "Coal boxes 1e-10",
            (Guess::Boxes, Exactness::Loose) => "Coal boxes default",
        };
        Self { pair, poses: 0, name, exactness }
    }
}

impl Drop for Coal {
    fn drop(&mut self) {
        // SAFETY: made by `coal_pair_new`, freed here only.
        unsafe { coal_pair_free(self.pair) }
    }
}

impl Candidate for Coal {
    fn name(&self) -> &'static str {
        self.name
    }

    fn counts(&self) -> bool {
        self.exactness == Exactness::Tight
    }

    fn load(&mut self, poses: &[PosePair]) {
        let mut numbers = Vec::with_capacity(24 * poses.len());
        for pose in poses.iter().flatten() {
            numbers.extend(pose.rotation().to_cols_array());
            numbers.extend(pose.translation().to_array());
        }
        // SAFETY: 24 numbers per pair of poses, copied by the callee.
        unsafe { coal_pair_load(self.pair, numbers.as_ptr(), poses.len() as c_uint) }
        self.poses = poses.len();
    }

    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]) {
        assert!(range.end <= self.poses && range.len() <= answers.len());
        // SAFETY: the poses are loaded and there is room for the answers, as just checked; `Answer`
        // has the layout the shim expects.
        unsafe {
            let (start, end) = (range.start as c_uint, range.end as c_uint);
            coal_pair_run(self.pair, start, end, answers.as_mut_ptr());
        }
    }
}
