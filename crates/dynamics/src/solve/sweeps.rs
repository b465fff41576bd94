//! The convex program, and Coulomb's law itself, by accelerated sweeps over the contacts.
//!
//! Source: block Gauss–Seidel on the cone complementarity problem (Tasora and Anitescu 2011; Jourdan, Alart and Jean 1998);
//! Anderson 1965 for the acceleration.
//! Differs: each contact first tries to stick, with its own 3 × 3 block; only where that leaves the cone it is projected.
//! DIFFERS: the shares of earlier sweeps are chosen by what sweeps change in the bodies' velocities, not in the impulses, which
//! are not unique where contacts are redundant.
//! DIFFERS: contacts that part and do not push, which are most of a heap's, are left out of sweeps, and looked at now and then by their
//! normal velocity alone; sweeps do not end before such a look.
//! DIFFERS: where there are joints, all of them are solved for at once after the contacts, since along a chain sweeps over single
//! rows carry an impulse by one link at a time; so joints hold, whatever contacts are left with.
//! Ends because: sweeps are limited.
//! Cost: linear in the contacts that push per sweep, and in the joints of chains.
//! Not promised: more digits than the residual says.

use super::equalities::Holder;
use super::factor::{Part, SIDE, inner};
use super::packed::{Packed, PackedContact};
use super::{Ended, Solution};
use crate::friction::project;
use crate::program::Demand;

/// Sweeps that are remembered.
const MEMORY: usize = 3;

/// A growth of the change from sweep to sweep at which memory is dropped.
const WORSE: f64 = 2.0;

/// How a contact is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// The convex relaxation: velocities in the dual of the friction cone.
    Relaxed,
    /// Non-penetration, and friction against the sliding.
    Coulomb,
}

/// Impulses of the contacts that sweeps pass over, with the y that belongs to them.
#[derive(Clone, Debug, Default)]
struct State {
    contacts: Vec<[f64; 3]>,
    rows: Vec<f64>,
    y: Vec<Part>,
}

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.rows.clone_from(&other.rows);
        self.y.clone_from(&other.y);
    }

    /// Takes the sizes of another, whatever it holds.
    fn resize_as(&mut self, other: &Self) {
        self.contacts.resize(other.contacts.len(), [0.0; 3]);
        self.rows.resize(other.rows.len(), 0.0);
        self.y.resize(other.y.len(), [0.0; SIDE]);
    }

    fn flat(&self) -> [&[f64]; 3] {
        [self.contacts.as_flattened(), &self.rows, self.y.as_flattened()]
    }

    /// Becomes the sum of `others` with these weights.
    fn combine(&mut self, others: &[Self], weights: &[f64]) {
        let to = [self.contacts.as_flattened_mut(), &mut self.rows, self.y.as_flattened_mut()];
        for (part, to) in to.into_iter().enumerate() {
            for (at, (other, w)) in others.iter().zip(weights).enumerate() {
                let both = to.iter_mut().zip(other.flat()[part]);
                if at == 0 {
                    both.for_each(|(to, from)| *to = w * from);
                } else {
                    both.for_each(|(to, from)| *to += w * from);
                }
            }
        }
    }
}

/// Sweeps after which contacts that part and do not push are looked at again: often while velocities still change much.
const LOOKS: [usize; 8] = [0, 1, 2, 4, 6, 9, 12, 16];

/// The contacts that push, or would be pushed: the others of a heap, which are most, are looked at now and then.
struct Live {
    /// Which they are, and whether each of all is among them.
    numbers: Vec<usize>,
    is_live: Vec<bool>,
}

impl Live {
    fn new(impulses: &[[f64; 3]], law: Law) -> (Self, Vec<[f64; 3]>) {
        let is_live: Vec<bool> =
            impulses.iter().map(|impulse| law == Law::Relaxed || *impulse != [0.0; 3]).collect();
        let numbers: Vec<usize> = (0..is_live.len()).filter(|&at| is_live[at]).collect();
        let pushes = numbers.iter().map(|&at| impulses[at]).collect();
        (Self { numbers, is_live }, pushes)
    }

    /// Takes in the contacts that close; whether there were any.
    fn look(&mut self, packed: &Packed, state: &mut State, memory: &mut Memory) -> bool {
        let before = self.numbers.len();
        for (at, contact) in packed.contacts.iter().enumerate() {
            // Written so that NaN is taken in.
            if !self.is_live[at] && !(contact.normal_velocity(&state.y) >= 0.0) {
                self.is_live[at] = true;
                self.numbers.push(at);
            }
        }
        // They have not pushed in any sweep so far.
        let count = self.numbers.len();
        state.contacts.resize(count, [0.0; 3]);
        memory.states.iter_mut().for_each(|state| state.contacts.resize(count, [0.0; 3]));
        count > before
    }

    /// The impulses of all contacts.
    fn all(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut all = vec![[0.0; 3]; self.is_live.len()];
        self.numbers.iter().zip(impulses).for_each(|(&at, impulse)| all[at] = *impulse);
        all
    }
}

/// Sweeps until no velocity changes by more than `enough`, at most `most` times; with what holds the joints, where there is such.
pub(crate) fn sweep(
    packed: &Packed,
    warm: Option<&Solution>,
    law: Law,
    enough: f64,
    most: usize,
    mut joints: Option<&mut Holder>,
) -> Solution {
    let (contacts, rows) = packed.started(warm);
    let y = packed.response(&contacts, &rows);
    let (mut live, contacts) = Live::new(&contacts, law);
    let mut state = State { contacts, rows, y };
    let mut memory = Memory::default();
    let mut ended = Ended::Limit;
    let mut count = 0;
    while count < most {
        if LOOKS.contains(&count) {
            live.look(packed, &mut state, &mut memory);
        }
        memory.before.clone_from(&state.y);
        let backwards = count % 2 == 1;
        let moved = pass(packed, &live.numbers, &mut state, law, backwards, joints.as_deref_mut());
        count += 1;
        if !(moved > enough) && !live.look(packed, &mut state, &mut memory) {
            ended = Ended::Converged;
            break;
        }
        if count < most {
            memory.accelerate(&mut state);
        }
    }
    let y = packed.unpacked(&state.y);
    Solution { y, contacts: live.all(&state.contacts), rows: state.rows, ended, iterations: count }
}

/// One sweep over some contacts, forwards or backwards; the largest change, as a velocity.
fn pass(
    packed: &Packed,
    numbers: &[usize],
    state: &mut State,
    law: Law,
    backwards: bool,
    joints: Option<&mut Holder>,
) -> f64 {
    let mut moved = 0.0_f64;
    for (row, impulse) in packed.rows.iter().zip(&mut state.rows) {
        let held = joints.is_some() && row.demand == Demand::Zero;
        if row.square > 0.0 && !held {
            let next = row.allowed(*impulse - row.velocity(&state.y) / row.square);
            row.push(next - *impulse, &mut state.y);
            moved = moved.max((next - *impulse).abs() * row.square);
            *impulse = next;
        }
    }
    let mut one = |contact: &PackedContact, impulse: &mut [f64; 3]| {
        if law == Law::Coulomb && *impulse == [0.0; 3] && contact.normal_velocity(&state.y) >= 0.0 {
            // It parts and does not push.
            return;
        }
        let next = contact.next(*impulse, contact.velocity(&state.y), law);
        let change: [f64; 3] = std::array::from_fn(|i| next[i] - impulse[i]);
        contact.push(change, &mut state.y);
        let most = change.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        moved = moved.max(most * contact.size);
        *impulse = next;
    };
    let both = numbers.iter().map(|&at| &packed.contacts[at]).zip(&mut state.contacts);
    if backwards {
        both.rev().for_each(|(contact, impulse)| one(contact, impulse));
    } else {
        both.for_each(|(contact, impulse)| one(contact, impulse));
    }
    // Last, so that they hold whatever contacts are left with.
    joints.map_or(moved, |joints| moved.max(joints.hold(packed, &mut state.rows, &mut state.y)))
}

impl PackedContact {
    /// The impulse that solves for this contact alone, or comes nearer to it.
    #[inline]
    fn next(&self, impulse: [f64; 3], u: [f64; 3], law: Law) -> [f64; 3] {
        if !(self.size > 0.0) {
            return impulse;
        }
        if let Some(inverse) = &self.inverse {
            let stop = |i: usize| inverse[i][0] * u[0] + inverse[i][1] * u[1] + inverse[i][2] * u[2];
            let stuck: [f64; 3] = std::array::from_fn(|i| impulse[i] - stop(i));
            let most = self.friction * stuck[0];
            if most >= 0.0 && stuck[1] * stuck[1] + stuck[2] * stuck[2] <= most * most {
                return stuck;
            }
        }
        match law {
            Law::Relaxed => {
                let stepped: [f64; 3] = std::array::from_fn(|i| impulse[i] - u[i] / self.size);
                project(self.friction, stepped)
            }
            Law::Coulomb => self.slides(impulse, u),
        }
    }

    /// Normal impulse, then friction within what it allows, a few times over.
    #[inline]
    fn slides(&self, impulse: [f64; 3], u: [f64; 3]) -> [f64; 3] {
        let (mut now, mut u) = (impulse, u);
        for _ in 0..3 {
            let normal = (now[0] - u[0] / self.block[0][0]).max(0.0);
            let change = normal - now[0];
            now[0] = normal;
            (0..3).for_each(|i| u[i] += self.block[i][0] * change);
            if !(self.size_across > 0.0) {
                break;
            }
            let mut across = [now[1] - u[1] / self.size_across, now[2] - u[2] / self.size_across];
            let length = (across[0] * across[0] + across[1] * across[1]).sqrt();
            let most = self.friction * normal;
            if length > most {
                across = across.map(|part| part * (most / length));
            }
            for k in 0..2 {
                let change = across[k] - now[k + 1];
                now[k + 1] = across[k];
                (0..3).for_each(|i| u[i] += self.block[i][k + 1] * change);
            }
        }
        now
    }
}

/// The last sweeps, and where they started.
#[derive(Debug, Default)]
struct Memory {
    /// y before the sweep at hand.
    before: Vec<Part>,
    /// States after sweeps, and what the sweeps changed in y; the oldest first.
    states: Vec<State>,
    changes: Vec<Vec<Part>>,
    /// Products of the changes with each other.
    products: Vec<Vec<f64>>,
    last: f64,
}

impl Memory {
    /// Goes on from the sweeps so far to where their changes would cancel, as far as they can.
    fn accelerate(&mut self, state: &mut State) {
        let mut change = std::mem::take(&mut self.before);
        change.iter_mut().zip(&state.y).for_each(|(c, y)| (0..SIDE).for_each(|i| c[i] = y[i] - c[i]));
        let length = inner(&change, &change).sqrt();
        if !(length <= WORSE * self.last) && self.last > 0.0 {
            self.states.clear();
            self.changes.clear();
            self.products.clear();
        }
        self.last = length;
        let (mut oldest, mut spare) = (State::default(), Vec::new());
        if self.states.len() > MEMORY {
            oldest = self.states.remove(0);
            spare = self.changes.remove(0);
            self.products.remove(0);
            self.products.iter_mut().for_each(|row| {
                row.remove(0);
            });
        }
        oldest.resize_as(state);
        spare.clone_from(&change);
        self.changes.push(spare);
        let fresh: Vec<f64> = self.changes.iter().map(|other| inner(other, &change)).collect();
        self.products.iter_mut().zip(&fresh).for_each(|(row, product)| row.push(*product));
        self.products.push(fresh);
        self.before = change;
        std::mem::swap(&mut oldest, state);
        self.states.push(oldest);
        let Some(shares) = self.shares() else {
            // The state that was just put away.
            self.states.iter().rev().take(1).for_each(|last| state.copy_from(last));
            return;
        };
        let mut weights = vec![0.0; self.states.len()];
        weights[shares.len()] = 1.0;
        for (at, share) in shares.into_iter().enumerate() {
            weights[at] += share;
            weights[at + 1] -= share;
        }
        state.combine(&self.states, &weights);
    }

    /// How much of each difference between neighbours is taken back, by least squares.
    fn shares(&self) -> Option<Vec<f64>> {
        let count = self.states.len().checked_sub(1).filter(|&count| count > 0)?;
        // Differences of neighbours, from the products of the changes themselves.
        let gram = &self.products;
        let of = |i: usize, j: usize| gram[i + 1][j + 1] - gram[i + 1][j] - gram[i][j + 1] + gram[i][j];
        let mut matrix: Vec<Vec<f64>> = (0..count).map(|i| (0..count).map(|j| of(i, j)).collect()).collect();
        let mut right: Vec<f64> = (0..count).map(|i| gram[i + 1][count] - gram[i][count]).collect();
        let trace: f64 = (0..count).map(|i| matrix[i][i]).sum();
        (0..count).for_each(|i| matrix[i][i] += crate::tolerance::MEMORY_RIDGE_REL * trace);
        if !(trace > 0.0) || !eliminate(&mut matrix, &mut right) {
            return None;
        }
        Some(right)
    }
}

/// Solves a small symmetric positive system in place; false where a pivot is not positive.
fn eliminate(matrix: &mut [Vec<f64>], right: &mut [f64]) -> bool {
    let count = right.len();
    for k in 0..count {
        let pivot = matrix[k][k];
        if !(pivot > 0.0) {
            return false;
        }
        let (done, rest) = matrix.split_at_mut(k + 1);
        for (row, i) in rest.iter_mut().zip(k + 1..) {
            let times = row[k] / pivot;
            row.iter_mut().zip(&done[k]).skip(k).for_each(|(to, from)| *to -= times * from);
            right[i] -= times * right[k];
        }
    }
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right.iter().all(|share| share.is_finite())
}
