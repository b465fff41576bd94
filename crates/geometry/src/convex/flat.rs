//! The points of a spline that lie in a supporting plane.
//!
//! Source: the height of a Bézier tile along a direction is analytic, so what is level along a part of a line of parameters is
//! level along all of it: a place at the top that is level along one parameter is on a ruling, along both on a flat tile.
//! Differs: nothing.
//! Ends because: each tile is climbed once, and sampled along its sides at most.
//! Cost: a product per control point; a climb and some evaluations for tiles that reach the plane.
//! Not promised: rulings that run across both parameters of a tile.

use super::tiles::Tiles;
use crate::{DVec2, DVec3};

/// Places along a line of parameters that are level where all of it is.
const LEVEL_AT: [f64; 5] = [0.0, 0.21, 0.5, 0.77, 1.0];

impl Tiles {
    /// Points, with their parameters on the face, whose hull holds all points that are no lower than `floor` along `n`, where
    /// `floor` is about the height of the highest: the ends of rulings, `samples` around flat tiles; and apart from these the tops
    /// of round places, one for each tile, which may be the same but for what a climb leaves.
    pub(super) fn flat(&self, n: DVec3, floor: f64, samples: usize) -> [Vec<(DVec3, DVec2)>; 2] {
        let (mut points, mut tops) = (Vec::new(), Vec::new());
        for tile in 0..self.count() {
            let Some(start) = self.highest_of(n, floor, tile) else { continue };
            let peak = self.climb(n, tile, start);
            if !(peak.height >= floor) {
                continue;
            }
            let along = |axis: usize, t: f64| {
                let mut local = peak.local;
                local[axis] = t;
                local
            };
            let is_level = |local: DVec2| self.slope(n, tile, local).0.value >= floor;
            let degrees = self.degrees();
            let level =
                [0, 1].map(|axis| degrees[axis] > 0 && LEVEL_AT.iter().all(|&t| is_level(along(axis, t))));
            let mut add =
                |local: DVec2| points.push((self.slope(n, tile, local).1, self.on_face(tile, local)));
            match level {
                [false, false] => tops.push((peak.point, peak.at)),
                [true, true] => around(samples).for_each(add),
                // A curve in the plane.
                [true, _] if degrees[1] == 0 => {
                    (0..=samples).for_each(|k| add(DVec2::X * (k as f64 / samples as f64)));
                }
                [first, _] => [0.0, 1.0].into_iter().for_each(|t| add(along(usize::from(!first), t))),
            }
        }
        [points, tops]
    }
}

/// Places around the unit square.
fn around(samples: usize) -> impl Iterator<Item = DVec2> {
    let each = samples.div_ceil(4);
    let sides = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y];
    let from = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    (0..4 * each).map(move |k| from[k / each] + sides[k / each] * ((k % each) as f64 / each as f64))
}
