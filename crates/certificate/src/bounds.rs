//! The two ways to leave out a pair of nodes that need both of them: a slab, and a derivative that keeps its sign.
//!
//! Source: a pair of nearest points is orthogonal to the tangents of the two faces, edges or vertices in whose interior it
//! lies (Mortenson, *Geometric Modeling*, 1985, and any calculus).
//! Differs: both are decided by reaches of hulls, in outward-rounded arithmetic. D·(q − p) is linear in D, q and p, so that
//! it suffices to look at the coefficients of D and the control points.
//! Ends because: loops run over coefficients.
//! Cost: a slab takes two reaches, a derivative two for each of its coefficients.
//! Not promised: that a true statement is found to be true; hulls may be too wide for it.

use crate::body::{Body, Node};
use crate::interval::{Interval, Vector, dot, length, vector};
use crate::refusal::Fault;

/// Whether a slab across `direction`, from A toward B, is as wide as `bound`. Against a half-space the direction is that
/// of its normal.
pub(crate) fn slab(
    bodies: &[Body<'_>; 2],
    pair: &[Node; 2],
    direction: [f64; 3],
    bound: f64,
) -> Result<(), Fault> {
    let normal = match [&bodies[0].half_space, &bodies[1].half_space] {
        [Some((normal, _)), None] => *normal,
        [None, Some((normal, _))] => normal.map(|x| -x),
        _ => vector(direction),
    };
    let long = length(&normal);
    if !(long.is_positive() && long.high.is_finite()) {
        return Err(Fault::NoDirection);
    }
    // How far A reaches toward B, and B toward A.
    let reach = |side: usize, toward: &Vector| match &bodies[side].half_space {
        Some((_, offset)) => *offset,
        None => Interval { low: f64::MIN, high: bodies[side].reach(&pair[side], toward, long.high) },
    };
    let width = -(reach(0, &normal) + reach(1, &normal.map(|x| -x)));
    let needed = long * bound;
    // The least width is the lower end: the reaches are upper bounds.
    if width.low >= needed.high {
        return Ok(());
    }
    Err(Fault::Narrow { width: width.low / long.high, needed: bound })
}

/// Whether the derivative of a cell along fixed parameters keeps its sign against the other node.
///
/// Against a half-space with normal n this is that of n·q: the point of the body that is deepest toward the half-space has
/// no such derivative, and whatever is not left out is beyond the slab.
pub(crate) fn free(
    bodies: &[Body<'_>; 2],
    pair: &[Node; 2],
    side: usize,
    alpha: f64,
    beta: Option<f64>,
) -> Result<(), Fault> {
    let Node::Patch(cell) = &pair[side] else {
        return Err(Fault::Mismatch("only cells of patches and curves have derivatives"));
    };
    if cell.parameters != 1 + usize::from(beta.is_some()) {
        return Err(Fault::Mismatch("the number of factors does not go with that of parameters"));
    }
    let derivatives = cell.derivatives([alpha, beta.unwrap_or(0.0)]).ok_or(Fault::NoDirection)?;
    let other = 1 - side;
    let keeps_sign = |sign: f64| {
        derivatives.iter().all(|derivative| {
            let forward = derivative.map(|x| x * sign);
            if let Some((normal, _)) = &bodies[other].half_space {
                return dot(&forward, normal).is_positive();
            }
            // From this cell to the other node, along the derivative; slack is no matter of derivatives.
            let back = forward.map(|x| -x);
            let apart = bodies[other].reach(&pair[other], &back, 0.0) + cell.reach(&forward);
            apart.next_up() < 0.0
        })
    };
    if keeps_sign(1.0) || keeps_sign(-1.0) { Ok(()) } else { Err(Fault::NotFree) }
}
