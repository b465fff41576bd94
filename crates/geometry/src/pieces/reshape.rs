//! The pieces of a body whose shape has changed, in the tree that is known of it.
//!
//! Source: a point of a rational Bézier piece is a mean of control points with factors that weights and parameters fix; so
//! none moves farther than the control point that moves farthest.
//! Differs: nothing.
//! Ends because: loops run over control points.
//! Cost: one pass over control points and one over the nodes of the tree.
//! Not promised: anything for pieces whose weights or parameters have changed: they are not the same pieces.

use super::{Piece, PieceTree, in_space};
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};

impl PieceTree {
    /// Whether another body is cut into the same pieces: features, parameters and weights are equal, and control points
    /// alone may differ.
    pub fn is_alike(&self, other: &Self) -> bool {
        let (own, others) = (self.leaves(), other.leaves());
        own.len() == others.len() && own.iter().zip(others).all(|(one, two)| one.is_alike(two))
    }

    /// Takes over the control points of a body that is cut into [the same pieces](PieceTree::is_alike). The most that a
    /// point of the body has moved, rounded up: a length, 0 where no control point has. `None`, and nothing done, for other
    /// bodies.
    ///
    /// ```
    /// use clearance_geometry::{Body, pieces, tiled::TiledBody};
    /// let mut tree = pieces::of_body(&Body::from(TiledBody::sphere(1.0)?))?;
    /// let larger = pieces::of_body(&Body::from(TiledBody::sphere(1.5)?))?;
    /// // Control points are outside of the sphere and move more than its own points do.
    /// let moved = tree.reshape(&larger).unwrap();
    /// assert!(moved >= 0.5 && moved < 1.0);
    /// assert_eq!(tree.reshape(&larger), Some(0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape(&mut self, other: &Self) -> Option<f64> {
        if !self.is_alike(other) {
            return None;
        }
        let mut most = 0.0_f64;
        self.refit(|at, piece| most = most.max(piece.take_over(&other.leaves()[at])), Piece::bound);
        Some(most)
    }
}

impl Piece {
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let shape = |piece: &Self| (piece.feature, piece.leaf, piece.dimension, piece.degrees, piece.span);
        shape(self) == shape(other)
            && (self.trimmed, self.is_flat) == (other.trimmed, other.is_flat)
            && self.net.len() == other.net.len()
            && self.net.iter().zip(&other.net).all(|(own, new)| own.w == new.w)
    }

    /// Takes over control points; the most that a point may have moved, rounding included.
    fn take_over(&mut self, other: &Self) -> f64 {
        let slack = self.slack + other.slack;
        (self.slack, self.gap) = (other.slack, other.gap);
        if self.net == other.net {
            // Whatever rounding hides is in the slack of both.
            return 0.0;
        }
        let (mut most, mut reach) = (0.0_f64, 0.0_f64);
        for (own, new) in self.net.to_mut().iter_mut().zip(&other.net) {
            let (before, after) = (in_space(own), in_space(new));
            let way = before.distance(after);
            most = most.max(if way.is_nan() { f64::INFINITY } else { way });
            reach = reach.max(before.abs().max_element() + after.abs().max_element());
            *own = *new;
        }
        (most * (1.0 + HEIGHT_ERROR_REL) + BLEND_ERROR_REL * reach + slack).next_up()
    }
}
