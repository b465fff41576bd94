//! The walk through a proof.
//!
//! Source: a tree of cases in prefix order, each pair of nodes dealt with by its own step.
//! Differs: the pairs that wait are kept on a stack of their own, so that no proof is too deep for the machine.
//! Ends because: each step is looked at once.
//! Cost: O(control points) for most steps; see the bounds.
//! Not promised: that the bodies are what the files they came from describe; the proof is about what stands in the
//! certificate.

use crate::body::{Body, Node};
use crate::bounds::{free, slab};
use crate::digest::digest;
use crate::model::{BodyDescription, Certificate, Shape, VERSION};
use crate::placement::Placement;
use crate::refusal::{Fault, Refusal};
use crate::step::{Axis, Side, Step};
use crate::tolerance::{MAX_POINTS, MAX_POWER, MAX_STEPS};
use crate::{trim, witness};
use std::rc::Rc;

/// What an accepted certificate proves.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Names of the bodies.
    pub names: [Option<String>; 2],
    /// The unit of lengths.
    pub units: Option<String>,
    /// An upper bound: the witnesses are that far apart.
    pub distance: f64,
    /// No two points of the bodies are nearer.
    pub lower_bound: f64,
    /// Steps that leave out a pair.
    pub leaves: usize,
    /// All steps.
    pub steps: usize,
    /// Pieces of each body.
    pub pieces: [usize; 2],
    /// Of each witness, whether it is on the boundary of its trimmed face as closely as the description tells: it may then
    /// be outside by the extent of a part of that boundary.
    pub on_boundary: [bool; 2],
}

impl Verdict {
    /// How far the true distance may be below the stated one.
    pub fn error(&self) -> f64 {
        (self.distance - self.lower_bound).max(0.0)
    }
}

/// Checks the file of a certificate.
///
/// # Errors
/// Why it is refused; the first reason that was found.
pub fn check(bytes: &[u8]) -> Result<Verdict, Refusal> {
    check_certificate(&Certificate::from_json(bytes)?)
}

/// Checks a certificate.
///
/// # Errors
/// Why it is refused; the first reason that was found.
pub fn check_certificate(certificate: &Certificate) -> Result<Verdict, Refusal> {
    if certificate.certificate != VERSION {
        return Err(Refusal::Version { found: certificate.certificate });
    }
    check_sizes(certificate)?;
    if certificate.digest != digest(&certificate.bodies, &certificate.pose) {
        return Err(Refusal::Digest);
    }
    let [a, b] = &certificate.bodies;
    let body = |side: Side, description, placement| {
        Body::new(description, placement).map_err(|(piece, reason)| Refusal::Body { side, piece, reason })
    };
    let placement = Placement::new(&certificate.pose);
    let bodies = [body(Side::A, a, None)?, body(Side::B, b, Some(placement))?];
    let on_boundary = witness::check(certificate, &bodies)?;
    let leaves = walk(&bodies, &certificate.proof, certificate.lower_bound)?;
    Ok(Verdict {
        names: [a.name.clone(), b.name.clone()],
        units: certificate.units.clone(),
        distance: certificate.distance,
        lower_bound: certificate.lower_bound,
        leaves,
        steps: certificate.proof.len(),
        pieces: [a.pieces.len(), b.pieces.len()],
        on_boundary,
    })
}

/// Nothing is loaded that would not fit into memory.
fn check_sizes(certificate: &Certificate) -> Result<(), Refusal> {
    if certificate.proof.len() > MAX_STEPS {
        return Err(Refusal::TooLarge { reason: "steps" });
    }
    let points = |body: &BodyDescription| -> usize {
        let of = |shape: &Shape| match shape {
            Shape::Patch(patch) => patch.points.len(),
            Shape::Level(_) => (MAX_POWER + 1).pow(3),
            Shape::HalfSpace(_) => 1,
        };
        body.pieces.iter().map(|piece| of(&piece.shape)).sum()
    };
    if certificate.bodies.iter().map(points).sum::<usize>() > MAX_POINTS {
        return Err(Refusal::TooLarge { reason: "control points" });
    }
    Ok(())
}

/// Goes through the proof and counts its leaves.
fn walk(bodies: &[Body<'_>; 2], proof: &[Step], bound: f64) -> Result<usize, Refusal> {
    // Every distance is at least 0.
    if bound <= 0.0 && proof.is_empty() {
        return Ok(0);
    }
    let mut leaves = 0;
    let mut waiting = vec![[Node::Group(0), Node::Group(0)]];
    for (step, &action) in proof.iter().enumerate() {
        let pair = waiting.pop().ok_or(Refusal::Surplus { step })?;
        let done = match action {
            Step::Split { side, axis } => {
                split(bodies, pair, side as usize, axis, &mut waiting).map(|()| leaves -= 1)
            }
            Step::Slab { direction } => slab(bodies, &pair, direction, bound),
            Step::Free { side, alpha, beta } => free(bodies, &pair, side as usize, alpha, beta),
            Step::Outside { side } => match &pair[side as usize] {
                Node::Patch(cell) => {
                    trim::outside(bodies[side as usize].trim(cell.piece), cell.low, cell.high)
                }
                _ => Err(Fault::Mismatch("only cells of faces can be outside")),
            },
            Step::Empty { side } => match &pair[side as usize] {
                Node::Level(cell) if cell.is_empty() => Ok(()),
                Node::Level(_) => Err(Fault::MayVanish),
                _ => Err(Fault::Mismatch("only cells of level sets can be empty")),
            },
        };
        done.map_err(|reason| Refusal::Step { step, reason })?;
        leaves += 1;
    }
    if waiting.is_empty() {
        return Ok(leaves as usize);
    }
    Err(Refusal::Incomplete { step: proof.len(), open: waiting.len() })
}

/// Puts the parts of one node of a pair on the stack, so that the first part comes next.
fn split(
    bodies: &[Body<'_>; 2],
    pair: [Node; 2],
    side: usize,
    axis: Option<Axis>,
    waiting: &mut Vec<[Node; 2]>,
) -> Result<(), Fault> {
    let mut add = |part: Node| {
        let other = pair[1 - side].clone();
        waiting.push(if side == 0 { [part, other] } else { [other, part] });
    };
    const SMALL: Fault = Fault::Mismatch("the cell has no such halves, or is too small for them");
    match (&pair[side], axis) {
        (Node::Group(group), None) => bodies[side].children(*group).rev().for_each(add),
        (Node::Patch(cell), Some(axis @ (Axis::U | Axis::V))) => {
            let [low, high] = cell.halved(axis as usize).ok_or(SMALL)?;
            [high, low].into_iter().for_each(|half| add(Node::Patch(Rc::new(half))));
        }
        (Node::Level(cell), Some(axis @ (Axis::X | Axis::Y | Axis::Z))) => {
            let [low, high] = cell.halved(axis as usize - Axis::X as usize).ok_or(SMALL)?;
            [high, low].into_iter().for_each(|half| add(Node::Level(Rc::new(half))));
        }
        _ => return Err(Fault::Mismatch("the node cannot be split so")),
    }
    Ok(())
}
