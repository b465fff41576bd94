//! The two ways to leave out a pair of nodes that need both of them: a slab, and a derivative that keeps its sign.
//!
//! Source: a pair of nearest points is orthogonal to the tangents of the two faces, edges or vertices in whose interior it
//! lies (Mortenson, *Geometric Modeling*, 1985, and any calculus).
//! Differs: both are decided by reaches of hulls, in outward-rounded arithmetic. D·(q − p) is linear in D, q and p, so that
//! it suffices to look at the coefficients of D and the control points.
//! Ends because: loops run over coefficients, or up to a fixed count.
//! Cost: a slab takes two reaches, or up to [`HALVINGS`] halvings where hulls are too wide for it; a derivative two reaches
//! for each of its coefficients.
//! Not promised: that a true statement is found to be true; hulls may be too wide for it.

use crate::body::{Body, Node};
use crate::interval::{Interval, Vector, dot, length, vector};
use crate::refusal::Fault;
use crate::tolerance::HALVINGS;
use std::rc::Rc;

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
    let needed = long * bound;
    // How far A reaches toward B, and B toward A.
    let toward = [normal, normal.map(|x| -x)];
    let mut fronts = [0, 1].map(|side| Front::new(&bodies[side], &pair[side], toward[side], long.high));
    let mut width = f64::NEG_INFINITY;
    for _ in 0..=HALVINGS {
        let [a, b] = [0, 1].map(|side| Interval { low: f64::MIN, high: fronts[side].reach() });
        // The least width is the lower end: the reaches are upper bounds.
        width = (-(a + b)).low;
        if width >= needed.high {
            return Ok(());
        }
        let looser = usize::from(fronts[1].excess() > fronts[0].excess());
        let hopeless = -(fronts[0].touched + fronts[1].touched) < needed.low;
        if hopeless || !fronts[looser].halve() {
            break;
        }
    }
    Err(Fault::Narrow { width: width / long.high, needed: bound })
}

/// How far one node reaches; the hull of a cell may be told more closely by those of its parts.
struct Front<'a> {
    body: &'a Body<'a>,
    toward: Vector,
    length: f64,
    /// Parts with their reach; what is no cell of a patch is one part that cannot be halved.
    parts: Vec<(f64, Node)>,
    /// Some point goes this far, about: less cannot be shown.
    touched: f64,
}

impl<'a> Front<'a> {
    fn new(body: &'a Body<'a>, node: &Node, toward: Vector, length: f64) -> Self {
        let reach = match &body.half_space {
            Some((_, offset)) => offset.high,
            None => body.reach(node, &toward, length),
        };
        let mut front = Self { body, toward, length, parts: vec![(reach, node.clone())], touched: reach };
        if let Node::Patch(cell) = node {
            front.touched = cell.touched(&toward) + body.slack(cell.piece) * length;
        }
        front
    }

    fn reach(&self) -> f64 {
        self.parts.iter().map(|part| part.0).fold(f64::NEG_INFINITY, f64::max)
    }

    fn excess(&self) -> f64 {
        self.reach() - self.touched
    }

    /// Halves the part that reaches farthest; false where that cannot be done.
    fn halve(&mut self) -> bool {
        let farthest = (0..self.parts.len()).max_by(|&i, &j| self.parts[i].0.total_cmp(&self.parts[j].0));
        let Some((_, Node::Patch(cell))) = farthest.map(|at| self.parts.swap_remove(at)) else {
            return false;
        };
        let wide = |axis: usize| cell.high[axis] - cell.low[axis];
        let axis = usize::from(cell.parameters == 2 && wide(1) > wide(0));
        let Some(halves) = cell.halved(axis) else { return false };
        for half in halves {
            let slack = self.body.slack(half.piece) * self.length;
            self.touched = self.touched.max(half.touched(&self.toward) + slack);
            let half = Node::Patch(Rc::new(half));
            self.parts.push((self.body.reach(&half, &self.toward, self.length), half));
        }
        true
    }
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
    let center = cell.center();
    let keeps_sign = |sign: f64| {
        derivatives.iter().all(|derivative| {
            let forward = derivative.map(|x| x * sign);
            if let Some((normal, _)) = &bodies[other].half_space {
                return dot(&forward, normal).is_positive();
            }
            // From this cell to the other node, along the derivative; slack is no matter of derivatives. Both from one point,
            // so that rounding of the derivative counts by how far they are apart, not by how far off the origin.
            let back = forward.map(|x| -x);
            let apart = match &pair[other] {
                Node::Patch(node) => node.reach_from(&center, &back) + cell.reach_from(&center, &forward),
                node => bodies[other].reach(node, &back, 0.0) + cell.reach(&forward),
            };
            apart.next_up() < 0.0
        })
    };
    if keeps_sign(1.0) || keeps_sign(-1.0) { Ok(()) } else { Err(Fault::NotFree) }
}
