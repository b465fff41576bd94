//! A start vertex for every direction: a cube map over directions that says where a climb begins.
//!
//! Source: the multi-level Voronoi marching of Ehmann and Lin (2000) reduced to one level, since one
//! load and a few climbing steps were measured to beat a hierarchy below 10⁵ vertices.
//! Cost: 6·r² vertices for resolution r, one climb each to build; one division per look-up.
//! Not promised: that the start is the support vertex; only that it is a vertex.

use crate::{DVec3, VertexId};

/// Start vertices over the six sides of a cube of directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartTable {
    resolution: usize,
    cells: Vec<u32>,
}

impl StartTable {
    /// `support` is asked once per cell, with the direction through its middle and the last answer.
    pub(crate) fn build(vertices: usize, mut support: impl FnMut(DVec3, VertexId) -> VertexId) -> Self {
        let resolution = resolution_for(vertices);
        let mut cells = Vec::with_capacity(6 * resolution * resolution);
        let mut last = VertexId(0);
        for side in 0..6 {
            for row in 0..resolution {
                for column in 0..resolution {
                    let middle = |index: usize| 2.0 * (index as f64 + 0.5) / resolution as f64 - 1.0;
                    last = support(cell_direction(side, middle(column), middle(row)), last);
                    cells.push(last.0);
                }
            }
        }
        Self { resolution, cells }
    }

    /// The vertex filed under the cell that `direction` passes through; any vertex for NaN or zero.
    #[inline]
    pub(crate) fn vertex(&self, direction: DVec3) -> VertexId {
        if self.resolution == 0 {
            return VertexId(0);
        }
        let size = direction.abs();
        let (axis, main, u, v) = if size.x >= size.y && size.x >= size.z {
            (0, direction.x, direction.y, direction.z)
        } else if size.y >= size.z {
            (2, direction.y, direction.z, direction.x)
        } else {
            (4, direction.z, direction.x, direction.y)
        };
        let side = axis + usize::from(main < 0.0);
        let half = 0.5 * self.resolution as f64;
        let scale = half / main.abs();
        // `as` saturates, so that NaN and rounding past the rim land in a valid cell.
        let last = self.resolution - 1;
        let column = ((u * scale + half) as usize).min(last);
        let row = ((v * scale + half) as usize).min(last);
        VertexId(self.cells[(side * self.resolution + row) * self.resolution + column])
    }
}

/// Enough cells that one holds a handful of vertices; none where every vertex is a neighbour anyway.
fn resolution_for(vertices: usize) -> usize {
    if vertices <= 4 {
        return 0;
    }
    let mut resolution = 2;
    while resolution < 64 && resolution * resolution < vertices {
        resolution *= 2;
    }
    resolution
}

fn cell_direction(side: usize, u: f64, v: f64) -> DVec3 {
    let main = if side.is_multiple_of(2) { 1.0 } else { -1.0 };
    match side / 2 {
        0 => DVec3::new(main, u, v),
        1 => DVec3::new(v, main, u),
        _ => DVec3::new(u, v, main),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_finds_its_own_cell() {
        // With one vertex per cell the table must return the cell that the direction was made from.
        let mut next = 0;
        let table = StartTable::build(1000, |_, _| {
            next += 1;
            VertexId(next - 1)
        });
        let mut cell = 0;
        for side in 0..6 {
            for row in 0..table.resolution {
                for column in 0..table.resolution {
                    let at = |i: usize| 2.0 * (i as f64 + 0.5) / table.resolution as f64 - 1.0;
                    let direction = cell_direction(side, at(column), at(row)) * 1e-30;
                    assert_eq!(table.vertex(direction), VertexId(cell));
                    cell += 1;
                }
            }
        }
    }

    #[test]
    fn no_direction_is_out_of_range() {
        let table = StartTable::build(100, |_, _| VertexId(7));
        for bad in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ONE] {
            assert_eq!(table.vertex(bad), VertexId(7));
        }
    }
}
