//! Which bodies come near each other: boxes in a grid.
//!
//! Source: spatial subdivision with sorted cells (Green 2008).
//! Differs: bodies much larger than the others, floors and walls among them, are kept out of the grid and compared with all.
//! DIFFERS: pairs of boxes with some room are kept until one leaves its room (Verlet 1967 keeps neighbours so); what is given are the
//! pairs whose boxes overlap now, so that nothing depends on what was kept.
//! Ends because: loops over cells and bodies.
//! Cost: linear in the pairs that are kept; where they are found anew, n log n for bodies of similar size, times the number of
//! large ones.
//! Not promised: that pairs touch; their boxes overlap.

use clearance_geometry::DVec3;

/// A body's box and whether it can start a pair: two bodies that cannot never make one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    pub(crate) active: bool,
}

impl Bounds {
    fn overlaps(&self, other: &Self) -> bool {
        (self.active || other.active) && self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Whether another box with the same right to pairs lies within this one; written so that NaN does not.
    fn holds(&self, other: &Self) -> bool {
        self.active == other.active && self.low.cmple(other.low).all() && other.high.cmple(self.high).all()
    }

    fn with_room(&self) -> Self {
        let room = DVec3::splat(ROOM * self.extent());
        Self { low: self.low - room, high: self.high + room, ..*self }
    }

    fn extent(&self) -> f64 {
        (self.high - self.low).max_element()
    }
}

/// The share of a box by which it is grown, so that pairs are good for some steps.
const ROOM: f64 = 0.05;

/// Pairs that were near with some room around their boxes, good while these stay within it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    roomy: Vec<Bounds>,
    pairs: Vec<[usize; 2]>,
}

impl Kept {
    /// As [`near_pairs`]; the same pairs, whatever is kept.
    pub(crate) fn near_pairs(&mut self, bounds: &[Bounds]) -> Vec<[usize; 2]> {
        let good = self.roomy.len() == bounds.len()
            && self.roomy.iter().zip(bounds).all(|(roomy, inner)| roomy.holds(inner));
        if !good {
            self.roomy = bounds.iter().map(Bounds::with_room).collect();
            self.pairs = near_pairs(&self.roomy);
        }
        let near = |pair: &&[usize; 2]| bounds[pair[0]].overlaps(&bounds[pair[1]]);
        self.pairs.iter().filter(near).copied().collect()
    }
}

/// Bodies that are compared with all others rather than sorted into a grid with them.
const FEW: usize = 32;

/// The pairs of some bodies with all others whose boxes overlap theirs, lower index first, sorted.
pub(crate) fn pairs_of(bounds: &[Bounds], some: &[bool]) -> Vec<[usize; 2]> {
    if some.iter().filter(|some| **some).count() > FEW {
        let mut pairs = near_pairs(bounds);
        pairs.retain(|pair| pair.iter().any(|&at| some[at]));
        return pairs;
    }
    let mut pairs = Vec::new();
    for one in (0..bounds.len()).filter(|&at| some[at]) {
        for two in (0..bounds.len()).filter(|&at| at != one && !(some[at] && at < one)) {
            if bounds[one].overlaps(&bounds[two]) {
                pairs.push([one.min(two), one.max(two)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// How many times the middle extent a box may have to be sorted into the grid.
const LARGE: f64 = 4.0;

/// Cells along each axis at most: keys stay exact, and bodies that fly away do not shrink the others' cells.
const MOST_CELLS: f64 = 1e6;

/// Pairs of overlapping boxes, lower index first, sorted.
pub(crate) fn near_pairs(bounds: &[Bounds]) -> Vec<[usize; 2]> {
    let mut extents: Vec<f64> =
        bounds.iter().map(Bounds::extent).filter(|extent| extent.is_finite()).collect();
    extents.sort_unstable_by(f64::total_cmp);
    let most = extents.get(extents.len() / 2).map_or(0.0, |middle| LARGE * middle);
    let (small, large): (Vec<usize>, Vec<usize>) =
        (0..bounds.len()).partition(|&at| bounds[at].extent() <= most && bounds[at].extent() > 0.0);
    let mut pairs = Vec::new();
    let mut check = |one: usize, two: usize| {
        if bounds[one].overlaps(&bounds[two]) {
            pairs.push([one.min(two), one.max(two)]);
        }
    };
    for (at, &one) in large.iter().enumerate() {
        large[at + 1..].iter().for_each(|&two| check(one, two));
        small.iter().for_each(|&two| check(one, two));
    }
    let side = small.iter().map(|&at| bounds[at].extent()).fold(0.0, f64::max);
    in_grid(bounds, &small, side, check);
    pairs.sort_unstable();
    pairs
}

/// Checks the pairs of bodies whose centres lie in the same or in neighbouring cells.
fn in_grid(bounds: &[Bounds], small: &[usize], side: f64, mut check: impl FnMut(usize, usize)) {
    let cell = |at: usize| -> [i64; 3] {
        let middle = (bounds[at].low + bounds[at].high) / (2.0 * side);
        [middle.z, middle.y, middle.x].map(|x| x.floor().clamp(-MOST_CELLS, MOST_CELLS) as i64)
    };
    let mut cells: Vec<([i64; 3], usize)> = small.iter().map(|&at| (cell(at), at)).collect();
    cells.sort_unstable();
    for (place, &(key, one)) in cells.iter().enumerate() {
        // The rest of its own cell and the next along x; then rows of three cells further on.
        let ahead = [key[0], key[1], key[2] + 1];
        cells[place + 1..]
            .iter()
            .take_while(|(other, _)| *other <= ahead)
            .for_each(|&(_, two)| check(one, two));
        for [z, y] in [[0, 1], [1, -1], [1, 0], [1, 1]] {
            let from = [key[0] + z, key[1] + y, key[2] - 1];
            let to = [from[0], from[1], key[2] + 1];
            let start = place + cells[place..].partition_point(|(other, _)| *other < from);
            cells[start..].iter().take_while(|(other, _)| *other <= to).for_each(|&(_, two)| check(one, two));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    #[test]
    fn pairs_are_those_of_all_against_all() {
        let mut random = Random::new(5);
        let mut found = 0;
        for round in 0..60 {
            let count = 1 + random.index(80);
            let far = random.log_uniform(-1.0, 8.0);
            let mut bounds: Vec<Bounds> = (0..count)
                .map(|_| {
                    let middle =
                        DVec3::from_array([0; 3].map(|_| random.uniform(-3.0, 3.0))) + DVec3::splat(far);
                    let half = DVec3::splat(random.log_uniform(-1.5, if round % 2 == 0 { 0.0 } else { 1.0 }));
                    Bounds { low: middle - half, high: middle + half, active: random.chance(0.8) }
                })
                .collect();
            if round % 3 == 0 {
                let all = DVec3::INFINITY;
                bounds.push(Bounds { low: -all, high: all, active: false });
            }
            let mut expected = Vec::new();
            for one in 0..bounds.len() {
                for two in one + 1..bounds.len() {
                    if bounds[one].overlaps(&bounds[two]) {
                        expected.push([one, two]);
                    }
                }
            }
            found += expected.len();
            assert_eq!(near_pairs(&bounds), expected);
            let some: Vec<bool> = bounds.iter().map(|_| random.chance(0.5)).collect();
            let of_some: Vec<[usize; 2]> =
                expected.into_iter().filter(|pair| pair.iter().any(|&at| some[at])).collect();
            assert_eq!(pairs_of(&bounds, &some), of_some);
        }
        assert!(found > 1000, "{found}");
    }
    #[test]
    fn pairs_that_are_kept_are_those_found_anew() {
        let mut random = Random::new(6);
        let mut kept = Kept::default();
        let mut bounds: Vec<Bounds> = Vec::new();
        let (mut anew, mut found) = (0, 0);
        for round in 0..400 {
            if round % 50 == 0 {
                let one = |_| {
                    let middle = DVec3::from_array([0; 3].map(|_| random.uniform(-3.0, 3.0)));
                    let half = DVec3::splat(random.uniform(0.2, 0.5));
                    Bounds { low: middle - half, high: middle + half, active: random.chance(0.8) }
                };
                bounds = (0..1 + round / 5).map(one).collect();
                bounds.push(Bounds { low: -DVec3::INFINITY, high: DVec3::INFINITY, active: false });
            }
            for bounds in &mut bounds {
                let step = DVec3::from_array([0; 3].map(|_| random.uniform(-0.01, 0.01)));
                let grown = DVec3::splat(random.uniform(-0.001, 0.001));
                (bounds.low, bounds.high) = (bounds.low + step - grown, bounds.high + step + grown);
            }
            let before = kept.roomy.clone();
            let near = kept.near_pairs(&bounds);
            anew += usize::from(before != kept.roomy);
            found += near.len();
            assert_eq!(near, near_pairs(&bounds));
        }
        assert!((20..200).contains(&anew) && found > 1000, "{anew} {found}");
    }
}
