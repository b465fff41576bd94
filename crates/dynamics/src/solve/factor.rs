//! Cholesky factor of a sparse symmetric matrix of small blocks: 6 × 6 for bodies, smaller ones for joints.
//!
//! Source: George and Liu 1981: minimum degree ordering, then elimination column by column.
//! Differs: blocks of one body each in place of numbers; degrees are exact, since graphs of bodies are small.
//! Ends because: one pass over the columns.
//! Cost: the sum of the squares of the columns' heights, in blocks: linear for chains and trees, n^1.5 for walls, n² for heaps.
//! Not promised: the least fill.

use std::collections::BTreeSet;

/// Numbers of one body.
pub(crate) const SIDE: usize = 6;

/// One block, column by column.
pub(crate) type Block<const N: usize> = [[f64; N]; N];

/// The part of one body.
pub(crate) type Part = [f64; SIDE];

/// The product of all parts of two vectors.
pub(crate) fn inner(one: &[Part], two: &[Part]) -> f64 {
    one.iter().zip(two).map(|(a, b)| (0..SIDE).map(|i| a[i] * b[i]).sum::<f64>()).sum()
}

/// Where the blocks of a factor lie: it depends on which bodies meet alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pattern {
    /// Which bodies meet: pairs of slots, lower first, sorted.
    pairs: Vec<[u32; 2]>,
    /// Place of each slot in the order of elimination.
    places: Vec<u32>,
    /// Where each column's blocks below the diagonal start, and the places of their rows, rising.
    starts: Vec<usize>,
    rows: Vec<u32>,
    /// Products of blocks that a factorisation takes.
    work: usize,
}

impl Pattern {
    /// The pattern of bodies that meet in `pairs` (lower slot first, sorted, without repeats); none where a factorisation would
    /// take more than `most` products of blocks.
    pub(crate) fn within(slots: usize, pairs: Vec<[u32; 2]>, most: usize) -> Option<Self> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); slots];
        for &[a, b] in &pairs {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        near.iter_mut().for_each(|list| list.sort_unstable());
        let mut places = vec![u32::MAX; slots];
        let mut columns: Vec<Vec<u32>> = Vec::with_capacity(slots);
        let mut left: BTreeSet<(usize, u32)> = near.iter().map(Vec::len).zip(0..).collect();
        let (mut merged, mut work) = (Vec::new(), 0);
        while let Some((_, slot)) = left.pop_first() {
            places[slot as usize] = columns.len() as u32;
            let list = std::mem::take(&mut near[slot as usize]);
            work += products(list.len());
            if work > most {
                return None;
            }
            // Those that meet it now meet each other.
            for &other in &list {
                merge_without(&near[other as usize], &list, [slot, other], &mut merged);
                if merged.len() != near[other as usize].len() {
                    left.remove(&(near[other as usize].len(), other));
                    left.insert((merged.len(), other));
                }
                std::mem::swap(&mut near[other as usize], &mut merged);
            }
            columns.push(list);
        }
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for column in columns {
            let from = rows.len();
            rows.extend(column.into_iter().map(|slot| places[slot as usize]));
            rows[from..].sort_unstable();
            starts.push(rows.len());
        }
        Some(Self { pairs, places, starts, rows, work })
    }

    /// Whether it is the pattern of these pairs.
    pub(crate) fn is_of(&self, slots: usize, pairs: &[[u32; 2]]) -> bool {
        self.places.len() == slots && self.pairs == pairs
    }

    /// Whether a factorisation takes no more than so many products of blocks.
    pub(crate) fn is_within(&self, most: usize) -> bool {
        self.work <= most
    }

    fn column(&self, place: usize) -> std::ops::Range<usize> {
        self.starts[place]..self.starts[place + 1]
    }

    /// Where the block of two slots lies: its number, and whether the first slot is its row.
    fn find(&self, a: usize, b: usize) -> Option<(usize, bool)> {
        let [one, two] = [self.places[a], self.places[b]];
        let (row, column) = (one.max(two), one.min(two) as usize);
        let range = self.column(column);
        let at = self.rows[range.clone()].binary_search(&row).ok()?;
        Some((range.start + at, one == row))
    }
}

/// Products of blocks that a column of so many blocks takes.
const fn products(height: usize) -> usize {
    height * (height + 3) / 2 + 1
}

/// The union of two rising lists, without two of their members.
fn merge_without(one: &[u32], two: &[u32], without: [u32; 2], merged: &mut Vec<u32>) {
    merged.clear();
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < two.len() {
        let next = match (one.get(i), two.get(j)) {
            (Some(&p), Some(&q)) => p.min(q),
            (Some(&p), None) | (None, Some(&p)) => p,
            (None, None) => break,
        };
        i += usize::from(one.get(i) == Some(&next));
        j += usize::from(two.get(j) == Some(&next));
        if !without.contains(&next) {
            merged.push(next);
        }
    }
}

/// A matrix with a pattern, and after [`Factor::factorise`] its lower factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor<const N: usize> {
    diagonal: Vec<Block<N>>,
    below: Vec<Block<N>>,
}

impl<const N: usize> Factor<N> {
    /// The identity.
    pub(crate) fn reset(&mut self, pattern: &Pattern) {
        let zero = [[0.0; N]; N];
        let mut one = zero;
        (0..N).for_each(|i| one[i][i] = 1.0);
        self.diagonal.clear();
        self.diagonal.resize(pattern.places.len(), one);
        self.below.clear();
        self.below.resize(pattern.rows.len(), zero);
    }

    /// Adds Σ leftᵢ · rightᵢᵀ to the block of slots `a` (rows) and `b` (columns), and its mirror image to the mirrored
    /// one, which is the same for a = b.
    pub(crate) fn add(
        &mut self,
        pattern: &Pattern,
        [a, b]: [usize; 2],
        left: &[[f64; N]],
        right: &[[f64; N]],
    ) {
        if a == b {
            let block = &mut self.diagonal[pattern.places[a] as usize];
            left.iter().zip(right).for_each(|(l, r)| outer(block, l, r));
        } else if let Some((at, straight)) = pattern.find(a, b) {
            let block = &mut self.below[at];
            let (rows, columns) = if straight { (left, right) } else { (right, left) };
            rows.iter().zip(columns).for_each(|(l, r)| outer(block, l, r));
        }
    }

    /// Becomes a copy of another matrix.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.diagonal.clone_from(&other.diagonal);
        self.below.clone_from(&other.below);
    }

    /// Gives a slot another block on the diagonal.
    pub(crate) fn set_diagonal(&mut self, pattern: &Pattern, slot: usize, block: Block<N>) {
        self.diagonal[pattern.places[slot] as usize] = block;
    }

    /// Puts the factor in the place of the matrix; false where it is not positive definite.
    pub(crate) fn factorise(&mut self, pattern: &Pattern) -> bool {
        let positive = |pivot: f64| pivot > 0.0 && pivot.is_finite();
        self.eliminate(pattern, |_, _, pivot| positive(pivot).then(|| pivot.sqrt()))
    }

    /// The same for a matrix that may be singular: where no more than `share` is left of a number on the diagonal, it depends
    /// on those before it, and solutions are zero there.
    pub(crate) fn factorise_dependent(&mut self, pattern: &Pattern, share: f64) {
        let least: Vec<[f64; N]> =
            self.diagonal.iter().map(|block| std::array::from_fn(|i| share * block[i][i])).collect();
        let root = |place: usize, k: usize, pivot: f64| {
            Some(if pivot > least[place][k] { pivot.sqrt() } else { f64::INFINITY })
        };
        self.eliminate(pattern, root);
    }

    /// Elimination with a rule for the roots of pivots: by column, place in it, and pivot; false where it gives none.
    fn eliminate(&mut self, pattern: &Pattern, root: impl Fn(usize, usize, f64) -> Option<f64>) -> bool {
        for place in 0..self.diagonal.len() {
            if !cholesky(&mut self.diagonal[place], |k, pivot| root(place, k, pivot)) {
                return false;
            }
            let range = pattern.column(place);
            let rows = &pattern.rows[range.clone()];
            let triangle = self.diagonal[place];
            let (done, rest) = self.below.split_at_mut(range.end);
            let column = &mut done[range.start..];
            column.iter_mut().for_each(|block| divide(block, &triangle));
            for (at, &target) in rows.iter().enumerate() {
                let target = target as usize;
                subtract(&mut self.diagonal[target], &column[at], &column[at]);
                // The rows below are a part of the target column's own.
                let own = pattern.column(target);
                let mut to = own.start;
                for (&row, block) in rows[at + 1..].iter().zip(&column[at + 1..]) {
                    while pattern.rows[to] != row {
                        to += 1;
                    }
                    subtract(&mut rest[to - range.end], block, &column[at]);
                    to += 1;
                }
            }
        }
        true
    }

    /// Solves with the factor, in place; `parts` is in the order of the slots.
    pub(crate) fn solve(&self, pattern: &Pattern, parts: &mut [[f64; N]], scratch: &mut Vec<[f64; N]>) {
        scratch.clear();
        scratch.resize(parts.len(), [0.0; N]);
        for (slot, part) in parts.iter().enumerate() {
            scratch[pattern.places[slot] as usize] = *part;
        }
        for place in 0..scratch.len() {
            let mut part = scratch[place];
            forward(&self.diagonal[place], &mut part);
            scratch[place] = part;
            for at in pattern.column(place) {
                let to = &mut scratch[pattern.rows[at] as usize];
                for (column, x) in self.below[at].iter().zip(part) {
                    to.iter_mut().zip(column).for_each(|(to, entry)| *to -= entry * x);
                }
            }
        }
        for place in (0..scratch.len()).rev() {
            let mut part = scratch[place];
            for at in pattern.column(place) {
                let from = &scratch[pattern.rows[at] as usize];
                for (x, column) in part.iter_mut().zip(&self.below[at]) {
                    *x -= column.iter().zip(from).map(|(entry, from)| entry * from).sum::<f64>();
                }
            }
            backward(&self.diagonal[place], &mut part);
            scratch[place] = part;
        }
        for (slot, part) in parts.iter_mut().enumerate() {
            *part = scratch[pattern.places[slot] as usize];
        }
    }
}

#[inline]
fn outer<const N: usize>(block: &mut Block<N>, rows: &[f64; N], columns: &[f64; N]) {
    for (column, times) in block.iter_mut().zip(columns) {
        column.iter_mut().zip(rows).for_each(|(to, row)| *to += row * times);
    }
}

/// target −= one · twoᵀ.
#[inline]
fn subtract<const N: usize>(target: &mut Block<N>, one: &Block<N>, two: &Block<N>) {
    for (k, from) in one.iter().enumerate() {
        for (c, to) in target.iter_mut().enumerate() {
            let times = two[k][c];
            to.iter_mut().zip(from).for_each(|(to, from)| *to -= from * times);
        }
    }
}

/// The lower factor in place of a block, with a rule for the roots of its pivots; false where it gives none.
#[inline]
fn cholesky<const N: usize>(block: &mut Block<N>, root: impl Fn(usize, f64) -> Option<f64>) -> bool {
    for k in 0..N {
        let Some(root) = root(k, block[k][k]) else { return false };
        block[k].iter_mut().for_each(|entry| *entry /= root);
        block[k][k] = root;
        let column = block[k];
        for j in k + 1..N {
            let times = column[j];
            block[j].iter_mut().zip(column).skip(j).for_each(|(to, from)| *to -= from * times);
        }
    }
    true
}

/// block · triangle⁻ᵀ in place.
#[inline]
fn divide<const N: usize>(block: &mut Block<N>, triangle: &Block<N>) {
    for k in 0..N {
        let pivot = triangle[k][k];
        block[k].iter_mut().for_each(|entry| *entry /= pivot);
        let column = block[k];
        for j in k + 1..N {
            let times = triangle[k][j];
            block[j].iter_mut().zip(column).for_each(|(to, from)| *to -= from * times);
        }
    }
}

fn forward<const N: usize>(triangle: &Block<N>, part: &mut [f64; N]) {
    for k in 0..N {
        part[k] /= triangle[k][k];
        for j in k + 1..N {
            part[j] -= triangle[k][j] * part[k];
        }
    }
}

fn backward<const N: usize>(triangle: &Block<N>, part: &mut [f64; N]) {
    for k in (0..N).rev() {
        for j in k + 1..N {
            part[k] -= triangle[k][j] * part[j];
        }
        part[k] /= triangle[k][k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    fn random_pairs(random: &mut Random, slots: usize, count: usize) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = (0..count)
            .map(|_| [random.index(slots) as u32, random.index(slots) as u32])
            .filter(|pair| pair[0] != pair[1])
            .map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    #[test]
    fn factor_solves_what_it_was_made_of() {
        let mut random = Random::new(11);
        for (slots, count) in [(1, 0), (2, 1), (7, 9), (30, 60), (60, 59)] {
            let pairs = random_pairs(&mut random, slots, count);
            let pattern = Pattern::within(slots, pairs.clone(), usize::MAX).unwrap();
            let mut factor = Factor::<SIDE>::default();
            factor.reset(&pattern);
            let mut dense = vec![vec![0.0; SIDE * slots]; SIDE * slots];
            (0..SIDE * slots).for_each(|i| dense[i][i] = 1.0);
            for &[a, b] in &pairs {
                // A row between two bodies, added as its square.
                let mut part = || -> Part { std::array::from_fn(|_| random.uniform(-1.0, 1.0)) };
                let row = [part(), part()];
                let slots = [a as usize, b as usize];
                for i in 0..2 {
                    for j in 0..=i {
                        factor.add(&pattern, [slots[i], slots[j]], &[row[i]], &[row[j]]);
                    }
                    for (j, other) in row.iter().enumerate() {
                        for (p, x) in row[i].iter().enumerate() {
                            for (q, y) in other.iter().enumerate() {
                                dense[SIDE * slots[i] + p][SIDE * slots[j] + q] += x * y;
                            }
                        }
                    }
                }
            }
            let wanted: Vec<Part> =
                (0..slots).map(|_| std::array::from_fn(|_| random.uniform(-1.0, 1.0))).collect();
            let flat: Vec<f64> = wanted.iter().flatten().copied().collect();
            let mut parts: Vec<Part> = (0..slots)
                .map(|slot| {
                    std::array::from_fn(|i| {
                        dense[SIDE * slot + i].iter().zip(&flat).map(|(a, x)| a * x).sum()
                    })
                })
                .collect();
            assert!(factor.factorise(&pattern));
            factor.solve(&pattern, &mut parts, &mut Vec::new());
            for (got, wanted) in parts.iter().flatten().zip(&flat) {
                assert!((got - wanted).abs() < 1e-10, "{slots}: {got} {wanted}");
            }
        }
    }

    #[test]
    fn chains_have_no_fill() {
        let pairs: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
        let pattern = Pattern::within(100, pairs.clone(), usize::MAX).unwrap();
        assert_eq!(pattern.rows.len(), 99);
        // 98 columns of one block, and the last two.
        assert!(Pattern::within(100, pairs.clone(), 3 * 99 + 1).is_some());
        assert!(Pattern::within(100, pairs, 3 * 99).is_none());
    }
}
