//! The boundary of a face as polygons of parameters, for drawing.

use super::Region;
use crate::surface::ParametricSurface as _;
use glam::DVec2;

/// Halvings of a piece.
const DEPTH: usize = 10;

impl Region {
    /// The chains of the boundary as closed polygons, the region on their left: points of the edges so close that a chord
    /// is within `sag` (a length) of the surface's curve halfway along it, as far as a thousand points to a piece reach.
    ///
    /// ```
    /// use clearance_geometry::tiled::TiledBody;
    /// let ring = TiledBody::cylinder(1.0, 2.0)?;
    /// let cap = ring.faces().iter().find(|face| face.region.rect().is_none()).ok_or("a cap")?;
    /// let outline = cap.region.outlines(1e-3);
    /// assert!(outline.len() == 1 && outline[0].len() > 60);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outlines(&self, sag: f64) -> Vec<Vec<DVec2>> {
        self.chains()
            .iter()
            .map(|chain| {
                let mut points = Vec::new();
                let mut waiting: Vec<_> = chain.iter().rev().map(|piece| (piece.clone(), DEPTH)).collect();
                while let Some((piece, depth)) = waiting.pop() {
                    let halves = piece.halves(self.surface(), self.curves());
                    let [from, middle, to] =
                        [piece.from(), halves[0].to(), piece.to()].map(|at| self.surface().point(at.x, at.y));
                    if depth == 0 || (from.midpoint(to)).distance(middle) <= sag {
                        points.push(piece.from());
                    } else {
                        let [one, other] = halves;
                        waiting.extend([(other, depth - 1), (one, depth - 1)]);
                    }
                }
                points
            })
            .collect()
    }
}
