//! Bodies of few pieces: all pairs of these at once, in place of their trees.
//!
//! Source: with an upper bound at hand, balls around pieces and their heights along one direction rule out most pairs (the
//! bounds of Johnson and Cohen, without a hierarchy).
//! Differs: the first upper bound is a descent from the pair whose balls promise most.
//! Ends because: loops run over pieces.
//! Cost: some ten instructions for each pair that is ruled out.
//! Not promised: anything for bodies of many pieces, and where a proof is to be kept, whose steps are those of trees.

use super::search::{MIDDLE_SHARE, Search};
use super::side::{Part, Side};
use super::slab::Slab;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::DVec3;

/// Most pairs of pieces.
const MOST_PAIRS: usize = 4096;

/// A piece as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(super) piece: u32,
    /// A ball around it, gap and rounding included.
    center: DVec3,
    radius: f64,
    /// Its greatest height along the direction of the last survey.
    height: f64,
    is_patch: bool,
    /// Whether it is left to the patches that it bounds.
    pub(super) is_spare: bool,
}

impl Side<'_> {
    /// Balls around all pieces.
    fn wholes(&self, all: &mut Vec<Whole>) {
        all.clear();
        all.extend(self.tree.leaves().iter().zip(self.tree.bounds()).enumerate().map(
            |(at, (piece, bound))| {
                let (center, radius) = self.ball_of(bound);
                let is_patch = piece.dimension == 2;
                Whole { piece: at as u32, center, radius, height: f64::INFINITY, is_patch, is_spare: false }
            },
        ));
    }
}

impl Search<'_> {
    /// Begins with all pairs of pieces that may matter, if both bodies have few; whether it did.
    pub(super) fn begin_with_few(&mut self) -> bool {
        let count = self.a.tree.leaves().len() * self.b.tree.leaves().len();
        let whole = [self.a.is_convex_whole(Part::Node(0)), self.b.is_convex_whole(Part::Node(0))];
        if self.record.is_kept() || count > MOST_PAIRS || whole[0] || whole[1] {
            return false;
        }
        let mut few = std::mem::take(self.few);
        self.a.wholes(&mut few[0]);
        self.b.wholes(&mut few[1]);
        let begun = self.first_points(&few);
        self.is_of_few = begun;
        if begun {
            match self.plane().filter(|lower| *lower >= self.enough()) {
                Some(lower) => (self.aside, self.stuck) = (lower, lower),
                None => self.pair_up(&mut few),
            }
        }
        *self.few = few;
        begun
    }

    /// Descends from the middles of the two patches, or else pieces, whose balls promise most; whether points were found.
    fn first_points(&mut self, [of_a, of_b]: &[Vec<Whole>; 2]) -> bool {
        let mut best = (f64::INFINITY, None);
        // Edges are the rims of patches, where a descent on these may end.
        let have_patches = [of_a, of_b].map(|all| all.iter().any(|whole| whole.is_patch));
        for one in of_a.iter().filter(|one| one.is_patch || !have_patches[0]) {
            for other in of_b.iter().filter(|other| other.is_patch || !have_patches[1]) {
                let apart = one.center.distance(other.center);
                let lower = apart - one.radius - other.radius;
                let promise = if lower > 0.0 { lower } else { 0.0 } + MIDDLE_SHARE * apart;
                if promise < best.0 {
                    best = (promise, Some([one.piece, other.piece]));
                }
            }
        }
        let Some([one, other]) = best.1 else { return false };
        let (one, other) = (self.a.root(one), self.b.root(other));
        let roots = [*self.a.cell(one), *self.b.cell(other)];
        let [p, q] = roots.each_ref().map(|cell| 0.5 * (cell.low + cell.high));
        self.explore(roots, [p.x, p.y, q.x, q.y]);
        self.nearest.is_some()
    }

    /// Lets all pairs wait that neither their balls nor their heights along the last direction settle.
    fn pair_up(&mut self, few: &mut [Vec<Whole>; 2]) {
        self.a.leave_rims(&mut few[0]);
        self.b.leave_rims(&mut few[1]);
        let surveyed = self.surveyed;
        if surveyed.is_some() {
            let sides = [&self.a, &self.b];
            for (side, wholes) in sides.into_iter().zip(few.iter_mut()) {
                wholes.iter_mut().for_each(|whole| whole.height = side.surveyed_at(whole.piece));
            }
        }
        let [of_a, of_b] = &*few;
        let highest = of_b.iter().fold(f64::NEG_INFINITY, |most, other| most.max(other.height));
        for one in of_a.iter().filter(|one| !one.is_spare) {
            let most = -highest - one.height - HEIGHT_ERROR_REL * (one.height.abs() + highest.abs());
            if most >= self.enough() {
                self.aside = self.aside.min(most);
                continue;
            }
            for other in of_b.iter().filter(|other| !other.is_spare) {
                let enough = self.enough();
                let round = HEIGHT_ERROR_REL * (one.height.abs() + other.height.abs());
                let heights = -other.height - one.height - round;
                if heights >= enough {
                    self.aside = self.aside.min(heights);
                    continue;
                }
                let between = other.center - one.center;
                let apart = between.length();
                let balls = apart * (1.0 - HEIGHT_ERROR_REL) - one.radius - other.radius;
                if balls >= enough {
                    self.aside = self.aside.min(balls);
                    continue;
                }
                let normal = surveyed.filter(|_| heights > balls).unwrap_or(between / apart);
                let known = Slab { lower: if heights > balls { heights } else { balls }, normal };
                let parts = [Part::Cell(self.a.root(one.piece)), Part::Cell(self.b.root(other.piece))];
                self.push(parts, Some(&known).filter(|known| known.normal.is_finite()), 0);
            }
        }
    }
}
