//! The bodies of the benchmarks: points and faces, from which every library builds its own.

use crate::random::Random;
use clearance_geometry::DVec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::convex_hull;
use std::collections::BTreeMap;

/// A convex body centred at the origin with its farthest vertex at distance 1.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Name and number, as in `ico162`.
    pub name: String,
    /// Vertices.
    pub points: Vec<DVec3>,
    /// Faces, counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
    /// Neighbours of each vertex.
    pub neighbours: Vec<Vec<u32>>,
    /// Radius of the largest ball about the origin inside.
    pub inradius: f64,
    /// Half of the radius of a ball as large as the product of the half axes: the gap kept between
    /// separated bodies, so that slender ones come as near as their size allows.
    pub gap: f64,
}

/// Every family of the tables, in their order.
pub const FAMILIES: [&str; 21] = [
    "ico12",
    "ico42",
    "ico162",
    "ico642",
    "ico2562",
    "ico10242",
    "cube8",
    "cylinder8",
    "cylinder32",
    "cylinder100",
    "cylinder316",
    "cylinder1000",
    "random42",
    "random642",
    "random10242",
    "long10-162",
    "long10-2562",
    "long100-162",
    "flat10-162",
    "flat10-2562",
    "flat100-162",
];

impl Shape {
    /// The body called `name`.
    ///
    /// `ico`, `random`: that many vertices on the sphere, regular or not. `cylinder`: that many
    /// sides. `long10-162`: half axes 1, 1/10, 1/10 with 162 vertices; `flat10-162`: 1, 1, 1/10.
    pub fn named(name: &str) -> Option<Self> {
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (kind, size) = name.split_at(digits);
        let mut numbers = size.split('-').map(str::parse::<u32>);
        let first = numbers.next()?.ok()?;
        let second = numbers.next().and_then(Result::ok);
        let round = DVec3::ONE;
        let thin = 1.0 / f64::from(first);
        Some(match kind {
            "ico" => icosphere(name, first, round)?,
            "long" => icosphere(name, second?, DVec3::new(1.0, thin, thin))?,
            "flat" => icosphere(name, second?, DVec3::new(1.0, 1.0, thin))?,
            "cube" => cube(name),
            "cylinder" => cylinder(name, first),
            "random" => random(name, first),
            _ => return None,
        })
    }

    /// The faces cut into triangles in zigzag, so that no vertex gets many neighbours.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for face in &self.faces {
            let (mut low, mut high) = (0, face.len() - 1);
            let mut from_low = true;
            while high - low >= 2 {
                let middle = if from_low { low + 1 } else { high - 1 };
                triangles.push([face[low], face[middle], face[high]]);
                if from_low {
                    low += 1;
                } else {
                    high -= 1;
                }
                from_low = !from_low;
            }
        }
        triangles
    }

    /// Outward unit normal and offset of every face.
    pub fn planes(&self) -> Vec<(DVec3, f64)> {
        self.faces
            .iter()
            .map(|face| {
                let at = |i: usize| self.points[face[i % face.len()] as usize];
                let area: DVec3 = (0..face.len()).map(|i| at(i).cross(at(i + 1))).sum();
                let normal = area.normalize();
                let offset = face.iter().map(|&v| self.points[v as usize].dot(normal)).sum::<f64>();
                (normal, offset / face.len() as f64)
            })
            .collect()
    }

    fn new(name: &str, points: Vec<DVec3>, faces: Vec<Vec<u32>>, axes: DVec3) -> Self {
        let mut neighbours = vec![Vec::new(); points.len()];
        for face in &faces {
            for (i, &tail) in face.iter().enumerate() {
                neighbours[tail as usize].push(face[(i + 1) % face.len()]);
            }
        }
        let gap = 0.5 * (axes.x * axes.y * axes.z).cbrt();
        let mut shape = Self { name: name.to_owned(), points, faces, neighbours, inradius: 0.0, gap };
        shape.inradius = shape.planes().iter().fold(f64::INFINITY, |least, plane| least.min(plane.1));
        shape
    }
}

/// An icosahedron with every edge cut into equal parts, blown up to the sphere and scaled.
fn icosphere(name: &str, vertices: u32, axes: DVec3) -> Option<Shape> {
    let parts = (1..=64).find(|parts| 10 * parts * parts + 2 == vertices)?;
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let corner = |a: f64, b: f64, turn: usize| {
        let mut xyz = [0.0, a, b * golden];
        xyz.rotate_right(turn);
        DVec3::from_array(xyz)
    };
    let mut corners = Vec::new();
    for turn in 0..3 {
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            corners.push(corner(a, b, turn));
        }
    }
    let mut points = Vec::new();
    let mut faces = Vec::new();
    let mut seen = BTreeMap::new();
    for (i, &a) in corners.iter().enumerate() {
        for (j, &b) in corners.iter().enumerate().skip(i + 1) {
            for (k, &c) in corners.iter().enumerate().skip(j + 1) {
                let near = |p: DVec3, q: DVec3| (p - q).length_squared() < 4.5;
                if near(a, b) && near(b, c) && near(c, a) {
                    let flip = (b - a).cross(c - a).dot(a) < 0.0;
                    let abc = if flip { [(i, a), (k, c), (j, b)] } else { [(i, a), (j, b), (k, c)] };
                    divide(abc, parts, &mut points, &mut faces, &mut seen);
                }
            }
        }
    }
    for point in &mut points {
        *point = point.normalize() * axes;
    }
    Some(Shape::new(name, points, faces, axes))
}

/// One triangle of the icosahedron cut into `parts²`; vertices are shared by their exact weights.
fn divide(
    corners: [(usize, DVec3); 3],
    parts: u32,
    points: &mut Vec<DVec3>,
    faces: &mut Vec<Vec<u32>>,
    seen: &mut BTreeMap<[(usize, u32); 3], u32>,
) {
    let mut at = |i: u32, j: u32| {
        let weights = [parts - i - j, i, j];
        let mut key = [0, 1, 2]
            .map(|c: usize| if weights[c] == 0 { (usize::MAX, 0) } else { (corners[c].0, weights[c]) });
        key.sort_unstable();
        *seen.entry(key).or_insert_with(|| {
            points.push((0..3).map(|c| corners[c].1 * f64::from(weights[c])).sum());
            points.len() as u32 - 1
        })
    };
    for i in 0..parts {
        for j in 0..parts - i {
            faces.push(vec![at(i, j), at(i + 1, j), at(i, j + 1)]);
            if i + j + 1 < parts {
                faces.push(vec![at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
}

fn cube(name: &str) -> Shape {
    let half = 1.0 / 3.0_f64.sqrt();
    let sign = |i: u32, bit: u32| if i & bit == 0 { -half } else { half };
    let points = (0..8).map(|i| DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Shape::new(name, points, faces.map(|face| face.to_vec()).to_vec(), DVec3::ONE)
}

/// As high as wide.
fn cylinder(name: &str, sides: u32) -> Shape {
    let half = 0.5_f64.sqrt();
    let mut points = Vec::new();
    for z in [-half, half] {
        for i in 0..sides {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(sides)).sin_cos();
            points.push(DVec3::new(half * cos, half * sin, z));
        }
    }
    let mut faces = vec![(0..sides).rev().collect(), (sides..2 * sides).collect::<Vec<u32>>()];
    for i in 0..sides {
        let next = (i + 1) % sides;
        faces.push(vec![i, next, sides + next, sides + i]);
    }
    Shape::new(name, points, faces, DVec3::ONE)
}

/// Random points on the sphere; parry builds the hull.
fn random(name: &str, vertices: u32) -> Shape {
    let mut random = Random::named(name);
    let points: Vec<Vector> =
        (0..vertices).map(|_| Vector::from_array(random.direction().to_array())).collect();
    let (points, triangles) = convex_hull(&points);
    let points = points.iter().map(|p| DVec3::from_array(p.to_array())).collect();
    Shape::new(name, points, triangles.iter().map(|t| t.to_vec()).collect(), DVec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_a_convex_body() {
        for name in FAMILIES {
            let shape = Shape::named(name).expect(name);
            let edges = shape.faces.iter().map(Vec::len).sum::<usize>() / 2;
            assert_eq!(shape.points.len() + shape.faces.len(), edges + 2, "{name}");
            assert!(shape.inradius > 0.0, "{name}");
            let farthest = shape.points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
            assert!((farthest - 1.0).abs() < 1e-3, "{name}: {farthest}");
            for (normal, offset) in shape.planes().iter().step_by(1 + shape.faces.len() / 50) {
                assert!(shape.points.iter().all(|p| p.dot(*normal) < offset + 1e-12), "{name}");
            }
            let corners: usize = shape.faces.iter().map(|f| f.len() - 2).sum();
            assert_eq!(shape.triangles().len(), corners, "{name}");
        }
    }
}
