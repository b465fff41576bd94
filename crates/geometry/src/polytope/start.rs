//! A start vertex for every direction: a cube map over directions that says where a climb begins.
//!
//! Source: the multi-level Voronoi marching of Ehmann and Lin (2000) reduced to one level, since one
//! load and a few climbing steps were measured to beat a hierarchy below 10⁵ vertices.
//! Differs: directions are first warped by a root of the vertices' covariance, so that slender bodies, whose
//! normals crowd together, spread over the cells as round ones do.
//! Ends because: one climb per cell.
//! Cost: 6·r² vertices for resolution r, one climb each to build; one division per look-up.
//! Not promised: that the start is the support vertex; only that it is a vertex.

use crate::{DVec3, VertexId};
use glam::DMat3;

/// Start vertices over the six sides of a cube of directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartTable {
    /// A power of two, or 0 for no table.
    resolution: usize,
    cells: Vec<u32>,
    warp: DMat3,
}

impl StartTable {
    /// `support` is asked once per cell, with the direction through its middle and the last answer.
    pub(crate) fn build(
        count: usize,
        spread: &DMat3,
        mut support: impl FnMut(DVec3, VertexId) -> VertexId,
    ) -> Self {
        let resolution = resolution_for(count);
        let warp = root(spread);
        let back = warp.inverse();
        let mut cells = Vec::with_capacity(6 * resolution * resolution);
        let mut last = VertexId(0);
        for side in 0..6 {
            for row in 0..resolution {
                for column in 0..resolution {
                    let middle = |index: usize| 2.0 * (index as f64 + 0.5) / resolution as f64 - 1.0;
                    last = support(back * cell_direction(side, middle(column), middle(row)), last);
                    cells.push(last.0);
                }
            }
        }
        Self { resolution, cells, warp }
    }

    /// The vertex filed under the cell that `direction` passes through; any vertex for NaN or zero.
    #[inline]
    pub(crate) fn vertex(&self, direction: DVec3) -> VertexId {
        if self.resolution == 0 {
            return VertexId(0);
        }
        // The warp is upper triangular.
        let DMat3 { x_axis, y_axis, z_axis } = self.warp;
        let direction = DVec3::new(
            x_axis.x * direction.x + y_axis.x * direction.y + z_axis.x * direction.z,
            y_axis.y * direction.y + z_axis.y * direction.z,
            z_axis.z * direction.z,
        );
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
        let row = whole(v * scale + half) & (self.resolution - 1);
        let column = whole(u * scale + half) & (self.resolution - 1);
        VertexId(self.cells[(side * self.resolution + row) * self.resolution + column])
    }
}

/// The whole part of a small number that is not negative, give or take rounding at the boundary; anything else
/// gives anything. Added to 2⁵², a number leaves its whole part in the low bits, and no case needs a branch; the
/// caller cuts them to a valid cell.
#[inline]
fn whole(number: f64) -> usize {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    (number - 0.5 + SHIFT).to_bits() as usize
}

/// The mean of the vertices, and three times their covariance: the square of the half axes where they lie on an
/// ellipsoid.
pub(crate) fn scatter(vertices: &[DVec3]) -> (DVec3, DMat3) {
    let count = vertices.len() as f64;
    let mean = vertices.iter().map(|&v| v / count).sum::<DVec3>();
    let mut sums = DMat3::ZERO;
    for &vertex in vertices {
        let v = vertex - mean;
        sums += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * (3.0 / count);
    }
    (mean, sums)
}

/// An upper triangular U with UᵀU in proportion to `spread`; the identity where that is singular.
fn root(spread: &DMat3) -> DMat3 {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let sums = *spread * trace.recip();
    let x = sums.x_axis.x.sqrt();
    let (xy, xz) = (sums.y_axis.x / x, sums.z_axis.x / x);
    let y = (sums.y_axis.y - xy * xy).sqrt();
    let yz = (sums.z_axis.y - xy * xz) / y;
    let z = (sums.z_axis.z - xz * xz - yz * yz).sqrt();
    let root = DMat3::from_cols(DVec3::new(x, 0.0, 0.0), DVec3::new(xy, y, 0.0), DVec3::new(xz, yz, z));
    // Flat and single points leave roots of zero or NaN.
    if root.inverse().is_finite() { root } else { DMat3::IDENTITY }
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

    /// Points on a spiral over an elongated ball.
    fn round(count: usize) -> Vec<DVec3> {
        let at = |i: usize| {
            let z = 2.0 * (i as f64 + 0.5) / count as f64 - 1.0;
            let (sin, cos) = (2.4 * i as f64).sin_cos();
            DVec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, 10.0 * z)
        };
        (0..count).map(at).collect()
    }

    #[test]
    fn every_direction_finds_its_own_cell() {
        // With one vertex per cell the table must return the cell that the direction was made from.
        let mut next = 0;
        let table = StartTable::build(1000, &scatter(&round(1000)).1, |_, _| {
            next += 1;
            VertexId(next - 1)
        });
        let mut cell = 0;
        for side in 0..6 {
            for row in 0..table.resolution {
                for column in 0..table.resolution {
                    let at = |i: usize| 2.0 * (i as f64 + 0.5) / table.resolution as f64 - 1.0;
                    let direction = table.warp.inverse() * cell_direction(side, at(column), at(row)) * 1e-30;
                    assert_eq!(table.vertex(direction), VertexId(cell));
                    cell += 1;
                }
            }
        }
    }

    #[test]
    fn no_direction_is_out_of_range() {
        let table = StartTable::build(100, &scatter(&round(100)).1, |_, _| VertexId(7));
        for bad in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ONE] {
            assert_eq!(table.vertex(bad), VertexId(7));
        }
    }
}
