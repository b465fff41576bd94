//! The point of a segment or triangle nearest to the origin.
//!
//! Source: Gilbert, Johnson and Keerthi (1988), in the plane.
//! Differs: the foot on a segment is taken along its normal, so that a short distance to a long
//! segment keeps its digits. DIFFERS: the origin counts as inside a triangle only if the nearest point
//! of its outline is not a corner, since at the tip of a sliver all three signs can be wrong together.
//! Ends because: there are no loops beyond the three sides.
//! Cost: about 20 multiplications per side.
//! Not promised: which of several equally near sides is kept.

use clearance_geometry::{DVec2, VertexId};

/// A point of B − A with the corners that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    /// `b − a`, in the anchored frame of A.
    pub(super) w: DVec2,
    /// Corner of A.
    pub(super) a: u32,
    /// Corner of B.
    pub(super) b: u32,
}

impl Corner {
    pub(super) fn vertices(&self) -> [VertexId; 2] {
        [VertexId(self.a), VertexId(self.b)]
    }
}

/// One to three corners.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    corners: [Corner; 3],
    len: usize,
}

impl Simplex {
    /// The corners in use.
    #[inline]
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    #[inline]
    pub(super) fn corners_mut(&mut self) -> &mut [Corner] {
        &mut self.corners[..self.len]
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a corner; a full simplex gives up its oldest.
    #[inline]
    pub(super) fn push(&mut self, corner: Corner) {
        if self.len == 3 {
            self.corners.rotate_left(1);
            self.len = 2;
        }
        self.corners[self.len] = corner;
        self.len += 1;
    }

    #[inline]
    pub(super) fn holds(&self, corner: &Corner) -> bool {
        self.corners().iter().any(|own| own.a == corner.a && own.b == corner.b)
    }

    /// Reduces to the corners that carry the nearest point and returns that point; `None` when the
    /// origin lies inside the triangle, which is kept whole.
    #[inline]
    pub(super) fn nearest(&mut self) -> Option<DVec2> {
        match self.len {
            0 | 1 => Some(self.corners[0].w),
            2 => {
                let foot = Foot::on(self.corners[0].w, self.corners[1].w);
                self.keep(0, 1, foot);
                Some(foot.point)
            }
            _ => self.nearest_on_triangle(),
        }
    }

    fn nearest_on_triangle(&mut self) -> Option<DVec2> {
        const SIDES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];
        let w = |i: usize| self.corners[i].w;
        let (mut left, mut right) = (0, 0);
        let mut best = (0, Foot::on(w(0), w(1)));
        for (index, &(i, j)) in SIDES.iter().enumerate() {
            let turn = w(i).perp_dot(w(j) - w(i));
            left += usize::from(turn > 0.0);
            right += usize::from(turn < 0.0);
            let foot = Foot::on(w(i), w(j));
            if foot.point.length_squared() < best.1.point.length_squared() {
                best = (index, foot);
            }
        }
        if (left == 3 || right == 3) && best.1.end.is_none() {
            return None;
        }
        let (i, j) = SIDES[best.0];
        self.keep(i, j, best.1);
        Some(best.1.point)
    }

    fn keep(&mut self, i: usize, j: usize, foot: Foot) {
        let (p, q) = (self.corners[i], self.corners[j]);
        (self.corners[0], self.corners[1]) = if foot.end == Some(1) { (q, p) } else { (p, q) };
        self.len = if foot.end.is_some() { 1 } else { 2 };
    }
}

/// The point of a segment nearest to the origin.
#[derive(Clone, Copy, Debug)]
struct Foot {
    point: DVec2,
    /// The end it coincides with, if any.
    end: Option<usize>,
}

impl Foot {
    #[inline]
    fn on(p: DVec2, q: DVec2) -> Self {
        let along = q - p;
        if p.dot(along) >= 0.0 {
            return Self { point: p, end: Some(0) };
        }
        if q.dot(along) <= 0.0 {
            return Self { point: q, end: Some(1) };
        }
        let across = along.perp();
        // The nearer end has less to lose in the product.
        let end = if p.length_squared() < q.length_squared() { p } else { q };
        Self { point: across * (across.dot(end) / across.length_squared()), end: None }
    }
}
