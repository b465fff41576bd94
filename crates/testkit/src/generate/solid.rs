//! Convex bodies as plain arrays.

use crate::Random;
use crate::oracle::SmallHull;
use clearance_geometry::{Polytope, PolytopeError};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A convex body as corners and faces; counter-clockwise seen from outside. Without faces it is the
/// hull of its corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    /// Corners.
    pub vertices: Vec<DVec3>,
    /// Faces as loops of corner indices; empty where only the corners are known.
    pub faces: Vec<Vec<u32>>,
}

impl Solid {
    /// A sphere-like body: the icosahedron with every face cut into four, `subdivisions` times, and all
    /// corners on the unit sphere; 12, 42, 162, 642, 2562, 10242 … vertices.
    ///
    /// ```
    /// use clearance_testkit::generate::Solid;
    /// assert_eq!(Solid::icosphere(2).vertices.len(), 162);
    /// ```
    pub fn icosphere(subdivisions: usize) -> Self {
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let mut vertices = Vec::new();
        for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
            vertices.extend([DVec3::new(a, b, 0.0), DVec3::new(0.0, a, b), DVec3::new(b, 0.0, a)]);
        }
        for v in &mut vertices {
            *v = v.normalize();
        }
        let mut triangles = nearest_triangles(&vertices);
        for _ in 0..subdivisions {
            triangles = quarter(&mut vertices, &triangles);
        }
        Self { vertices, faces: triangles.iter().map(|t| t.to_vec()).collect() }
    }

    /// A cylinder with `sides` flat sides of radius 1, from z = −`height`/2 to `height`/2.
    pub fn prism(sides: usize, height: f64) -> Self {
        let corner = |i: usize, z: f64| {
            let (sin, cos) = (TAU * i as f64 / sides as f64).sin_cos();
            DVec3::new(cos, sin, z)
        };
        let half = 0.5 * height;
        let vertices =
            (0..sides).map(|i| corner(i, -half)).chain((0..sides).map(|i| corner(i, half))).collect();
        let n = sides as u32;
        let mut faces: Vec<Vec<u32>> = (0..n).map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i]).collect();
        faces.push((0..n).rev().collect());
        faces.push((n..2 * n).collect());
        Self { vertices, faces }
    }

    /// A box of these sizes about the origin.
    pub fn cuboid(size: DVec3) -> Self {
        let sign = |i: u32, bit: u32| if i & bit != 0 { 0.5 } else { -0.5 };
        let vertices = (0..8).map(|i| size * DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4))).collect();
        let loops = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Self { vertices, faces: loops.iter().map(|face| face.to_vec()).collect() }
    }

    /// The hull of random points on the unit sphere: every point is a corner.
    pub fn on_sphere(count: usize, random: &mut Random) -> Self {
        Self { vertices: (0..count).map(|_| random.direction()).collect(), faces: Vec::new() }
    }

    /// The hull of random points in the unit ball: some points are inside.
    pub fn in_ball(count: usize, random: &mut Random) -> Self {
        Self { vertices: (0..count).map(|_| random.in_ball()).collect(), faces: Vec::new() }
    }

    /// A random tetrahedron, not too flat.
    pub fn tetrahedron(random: &mut Random) -> Self {
        loop {
            let v: Vec<DVec3> = (0..4).map(|_| random.direction()).collect();
            let volume = (v[1] - v[0]).cross(v[2] - v[0]).dot(v[3] - v[0]);
            if volume > 0.05 {
                let faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]];
                return Self { vertices: v, faces };
            }
        }
    }

    /// Every corner multiplied, axis by axis.
    #[must_use]
    pub fn stretched(&self, by: DVec3) -> Self {
        self.map(|v| v * by)
    }

    /// Every corner turned.
    #[must_use]
    pub fn turned(&self, rotation: &DMat3) -> Self {
        self.map(|v| *rotation * v)
    }

    /// Every corner moved.
    #[must_use]
    pub fn shifted(&self, by: DVec3) -> Self {
        self.map(|v| v + by)
    }

    /// The hull of the corners by trying all triples; for up to 24 of them. Independent of the
    /// product's own hull. Corners that are on no face are left out.
    #[must_use]
    pub fn hulled(&self) -> Self {
        let hull = SmallHull::new(&self.vertices);
        let mut numbers = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        for &corner in hull.edges.iter().flatten() {
            if numbers[corner] == u32::MAX {
                numbers[corner] = vertices.len() as u32;
                vertices.push(self.vertices[corner]);
            }
        }
        let loops = hull.facets.iter().map(|(normal, members)| {
            let corners: Vec<usize> = members.iter().copied().filter(|&i| numbers[i] != u32::MAX).collect();
            let order = around(&self.vertices, normal.value(), &corners);
            order.iter().map(|&i| numbers[i as usize]).collect()
        });
        let faces = loops.collect();
        Self { vertices, faces }
    }

    fn map(&self, change: impl Fn(DVec3) -> DVec3) -> Self {
        Self { vertices: self.vertices.iter().map(|&v| change(v)).collect(), faces: self.faces.clone() }
    }

    /// The polytope: from the faces where there are any, else the hull of the corners.
    ///
    /// # Errors
    /// As the constructors of [`Polytope`].
    pub fn polytope(&self) -> Result<Polytope, PolytopeError> {
        match self.vertices[..] {
            [tail, head] => Polytope::segment([tail, head]),
            _ if self.faces.is_empty() => Polytope::from_points(&self.vertices),
            _ => Polytope::from_faces(&self.vertices, &self.faces),
        }
    }
}

/// The corners of a facet in counter-clockwise order seen from where its normal points.
fn around(vertices: &[DVec3], normal: DVec3, members: &[usize]) -> Vec<u32> {
    let middle = members.iter().map(|&i| vertices[i]).sum::<DVec3>() / members.len() as f64;
    let x = vertices[members[0]] - middle;
    let y = normal.normalize_or_zero().cross(x);
    let angle = |i: usize| (vertices[i] - middle).dot(y).atan2((vertices[i] - middle).dot(x));
    let mut order = members.to_vec();
    order.sort_by(|&i, &j| angle(i).total_cmp(&angle(j)));
    order.iter().map(|&i| i as u32).collect()
}

/// The faces of the icosahedron: triples of mutually nearest corners, turned outward.
fn nearest_triangles(vertices: &[DVec3]) -> Vec<[u32; 3]> {
    let near = |i: usize, j: usize| vertices[i].distance(vertices[j]) < 1.2;
    let mut triangles = Vec::new();
    for i in 0..vertices.len() {
        for j in i + 1..vertices.len() {
            for k in j + 1..vertices.len() {
                if near(i, j) && near(j, k) && near(i, k) {
                    let outward = vertices[i].cross(vertices[j]).dot(vertices[k]) > 0.0;
                    let (i, j, k) = (i as u32, j as u32, k as u32);
                    triangles.push(if outward { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    triangles
}

fn quarter(vertices: &mut Vec<DVec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut finer = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let mut middle = |i: u32, j: u32| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                vertices.push((vertices[i as usize] + vertices[j as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    finer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn euler(solid: &Solid) -> (usize, usize, usize) {
        let sides: usize = solid.faces.iter().map(Vec::len).sum();
        (solid.vertices.len(), sides / 2, solid.faces.len())
    }

    #[test]
    fn solids_obey_euler_and_face_outward() {
        let solids = [
            Solid::icosphere(0),
            Solid::icosphere(3),
            Solid::prism(3, 1.0),
            Solid::prism(1000, 4.0),
            Solid::cuboid(DVec3::new(1.0, 2.0, 3.0)),
            Solid::tetrahedron(&mut Random::new(1)),
        ];
        for solid in solids {
            let (v, e, f) = euler(&solid);
            assert_eq!(v + f, e + 2);
            let middle = solid.vertices.iter().sum::<DVec3>() / v as f64;
            for face in &solid.faces {
                let at = |i: usize| solid.vertices[face[i] as usize] - middle;
                assert!(at(0).cross(at(1)).dot(at(2)) > -1e-12);
            }
        }
    }

    #[test]
    fn hulled_finds_the_faces_of_a_prism() {
        let prism = Solid::prism(7, 2.0);
        let found = Solid { faces: Vec::new(), ..prism.clone() }.hulled();
        assert_eq!(euler(&found), euler(&prism));
    }

    #[test]
    fn icosphere_has_the_known_counts() {
        assert_eq!(euler(&Solid::icosphere(0)), (12, 30, 20));
        assert_eq!(Solid::icosphere(5).vertices.len(), 10_242);
    }
}
