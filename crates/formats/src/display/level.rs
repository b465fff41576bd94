//! An algebraic surface as triangles, for drawing only.
//!
//! Source: marching tetrahedra (Doi and Koide 1991) over a grid of cubes, six tetrahedra each.
//! Differs: points are brought onto the surface by Newton steps along the gradient; normals are the gradient's.
//! Ends because: the grid is finite.
//! Cost: one value a node of the grid, some values and gradients a point.
//! Not promised: sheets and handles smaller than a step of the grid.

use super::Display;
use clearance_geometry::DVec3;
use clearance_geometry::algebraic::AlgebraicSurface;
use std::collections::BTreeMap;

/// Steps of the grid along each axis.
const STEPS: usize = 40;

/// Newton steps.
const STEPS_OF_NEWTON: usize = 4;

/// The tetrahedra of a cube whose corners are numbered by the bits of their coordinates; all share its long diagonal.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

struct Grid<'a> {
    surface: &'a AlgebraicSurface,
    values: Vec<f64>,
    low: DVec3,
    step: DVec3,
}

impl Grid<'_> {
    fn place(&self, node: usize) -> DVec3 {
        let n = STEPS + 1;
        let steps = DVec3::new((node % n) as f64, (node / n % n) as f64, (node / (n * n)) as f64);
        self.low + steps * self.step
    }

    /// The surface between two nodes, brought onto it.
    fn crossing(&self, [p, q]: [usize; 2]) -> DVec3 {
        let (at, to) = (self.values[p], self.values[q]);
        let mut point = self.place(p).lerp(self.place(q), at / (at - to));
        let reach = self.step.max_element();
        for _ in 0..STEPS_OF_NEWTON {
            let jet = self.surface.polynomial().jet(point);
            let step = jet.gradient * (jet.value / jet.gradient.length_squared());
            if !step.is_finite() || step.length() > reach {
                break;
            }
            point -= step;
        }
        point
    }
}

/// Adds a surface; where its polynomial is negative is behind it.
pub(super) fn add(display: &mut Display, surface: &AlgebraicSurface) {
    let within = surface.within();
    let [low, high] = [DVec3::from_array(within.low), DVec3::from_array(within.high)];
    let mut grid = Grid { surface, values: Vec::new(), low, step: (high - low) / STEPS as f64 };
    let n = STEPS + 1;
    grid.values = (0..n * n * n).map(|node| surface.polynomial().value(grid.place(node))).collect();
    let mut made: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let first = display.triangles.len();
    for cube in 0..STEPS * STEPS * STEPS {
        let base = cube % STEPS + n * (cube / STEPS % STEPS) + n * n * (cube / (STEPS * STEPS));
        let corner = |bits: usize| base + (bits & 1) + n * (bits >> 1 & 1) + n * n * (bits >> 2);
        for tetrahedron in TETRAHEDRA {
            march(display, &grid, tetrahedron.map(corner), &mut made);
        }
    }
    display.close_face("f0".to_owned(), first);
}

fn march(
    display: &mut Display,
    grid: &Grid<'_>,
    nodes: [usize; 4],
    made: &mut BTreeMap<(usize, usize), u32>,
) {
    let (below, above): (Vec<usize>, Vec<usize>) = nodes.iter().partition(|node| grid.values[**node] < 0.0);
    let mut at = |p: usize, q: usize| {
        *made.entry((p.min(q), p.max(q))).or_insert_with(|| {
            let point = grid.crossing([p, q]);
            let gradient = grid.surface.polynomial().jet(point).gradient;
            display.points.push(point);
            display.normals.push(gradient.normalize_or(DVec3::Z));
            display.points.len() as u32 - 1
        })
    };
    let triangles = match (&below[..], &above[..]) {
        (&[a], &[p, q, r]) | (&[p, q, r], &[a]) => vec![[at(a, p), at(a, q), at(a, r)]],
        (&[a, b], &[p, q]) => {
            let ring = [at(a, p), at(a, q), at(b, q), at(b, p)];
            vec![[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]]
        }
        _ => return,
    };
    for [a, b, c] in triangles {
        // Seen from where the polynomial is positive.
        let [p, q, r] = [a, b, c].map(|at| display.points[at as usize]);
        let outward = (q - p).cross(r - p).dot(display.normals[a as usize]) >= 0.0;
        display.triangles.push(if outward { [a, b, c] } else { [a, c, b] });
    }
}
