//! Brute force over all features of small bodies, in plain arithmetic on plain arrays, and the bodies for it.

use clearance_geometry::{DMat3, DQuat, DVec3, FaceId, Polytope, Pose, VertexId};

/// SplitMix64.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.range(0.0, std::f64::consts::PI)).normalize()
    }

    pub(crate) fn pose(&mut self, translation: DVec3) -> Pose {
        Pose::new(self.rotation(), translation).unwrap()
    }
}

/// A body as plain arrays, faces counter-clockwise seen from outside.
#[derive(Clone)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Vec<u32>>,
}

impl Solid {
    pub(crate) fn polytope(&self) -> Polytope {
        Polytope::from_faces(&self.vertices, &self.faces).unwrap()
    }

    /// The hull of random points.
    pub(crate) fn hull(rng: &mut Rng, count: usize) -> Self {
        let points: Vec<DVec3> = (0..count).map(|_| rng.direction() * rng.range(0.6, 1.0)).collect();
        let hull = Polytope::from_points(&points).unwrap();
        let vertices = (0..hull.vertex_count()).map(|v| hull.body_vertex(VertexId(v as u32))).collect();
        let sides = |f: usize| hull.sides(FaceId(f as u32)).iter().map(|side| side.vertex.0).collect();
        Self { vertices, faces: (0..hull.face_count()).map(sides).collect() }
    }

    pub(crate) fn map(&self, linear: DMat3, shift: DVec3) -> Self {
        Self {
            vertices: self.vertices.iter().map(|&v| linear * v + shift).collect(),
            faces: self.faces.clone(),
        }
    }

    pub(crate) fn scaled(&self, size: DVec3) -> Self {
        self.map(DMat3::from_diagonal(size), DVec3::ZERO)
    }

    pub(crate) fn radius(&self) -> f64 {
        self.vertices.iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    fn edges(&self) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for face in &self.faces {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                if a < b {
                    edges.push((a as usize, b as usize));
                }
            }
        }
        edges
    }
}

pub(crate) fn cuboid(size: DVec3) -> Solid {
    prism(4, 1.0, 1.0)
        .map(DMat3::from_rotation_z(0.25 * std::f64::consts::PI), DVec3::ZERO)
        .scaled(DVec3::new(size.x / 2.0_f64.sqrt(), size.y / 2.0_f64.sqrt(), size.z))
}

pub(crate) fn prism(n: u32, radius: f64, height: f64) -> Solid {
    let ring = |z: f64| {
        (0..n).map(move |i| {
            let angle = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(n);
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    let vertices = ring(-0.5 * height).chain(ring(0.5 * height)).collect();
    let mut faces: Vec<Vec<u32>> = (0..n).map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i]).collect();
    faces.push((0..n).rev().collect());
    faces.push((n..2 * n).collect());
    Solid { vertices, faces }
}

/// A double cone: two vertices of degree `n`.
pub(crate) fn bipyramid(n: u32, radius: f64, height: f64) -> Solid {
    let mut vertices: Vec<DVec3> = prism(n, radius, 0.0).vertices[..n as usize].to_vec();
    vertices.push(DVec3::new(0.0, 0.0, -height));
    vertices.push(DVec3::new(0.0, 0.0, height));
    let faces = (0..n).flat_map(|i| [vec![i, (i + 1) % n, n + 1], vec![(i + 1) % n, i, n]]).collect();
    Solid { vertices, faces }
}

pub(crate) fn icosphere(levels: u32) -> Solid {
    let p = 0.5 * (1.0 + 5.0_f64.sqrt());
    let corners = [
        (-1.0, p, 0.0),
        (1.0, p, 0.0),
        (-1.0, -p, 0.0),
        (1.0, -p, 0.0),
        (0.0, -1.0, p),
        (0.0, 1.0, p),
        (0.0, -1.0, -p),
        (0.0, 1.0, -p),
        (p, 0.0, -1.0),
        (p, 0.0, 1.0),
        (-p, 0.0, -1.0),
        (-p, 0.0, 1.0),
    ];
    let mut vertices: Vec<DVec3> = corners.iter().map(|&(x, y, z)| DVec3::new(x, y, z).normalize()).collect();
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    Solid { vertices, faces: faces.iter().map(|f| f.to_vec()).collect() }
}

/// A small body of random kind, turned by its own rotation and stretched up to `aspect`.
pub(crate) fn random_solid(rng: &mut Rng, aspect: f64) -> Solid {
    let n = 3 + rng.below(10) as u32;
    let solid = match rng.below(6) {
        0 => cuboid(DVec3::ONE),
        1 => prism(n, 1.0, 1.0),
        2 => bipyramid(n, 1.0, 1.0),
        3 | 4 => Solid::hull(rng, 4 + n as usize),
        _ => icosphere(0),
    };
    let stretch = |rng: &mut Rng| aspect.powf(-rng.unit());
    let size = DVec3::new(stretch(rng), stretch(rng), stretch(rng));
    solid.scaled(size).map(DMat3::from_quat(rng.rotation()), DVec3::ZERO)
}

/// What brute force finds.
pub(crate) struct Truth {
    /// Least distance over all feature pairs; 0 when overlapping.
    pub(crate) distance: f64,
    /// Largest gap along any face normal or common perpendicular of edges: negative when overlapping.
    pub(crate) separation: f64,
}

/// `b` stands at `pose_ab` in the frame of `a`.
pub(crate) fn truth(a: &Solid, b: &Solid, pose_ab: &Pose) -> Truth {
    let b =
        Solid { vertices: b.vertices.iter().map(|&v| pose_ab.apply(v)).collect(), faces: b.faces.clone() };
    let separation = separation(a, &b);
    let distance = if separation <= 0.0 { 0.0 } else { least_distance(a, &b) };
    Truth { distance, separation }
}

/// The cross product with each component right to a few units of its own last place: in a sliver the plain
/// one is made of rounding, and tilts the face along its length.
fn cross(u: DVec3, v: DVec3) -> DVec3 {
    let difference = |a: f64, b: f64, c: f64, d: f64| {
        let cd = c * d;
        a.mul_add(b, -cd) - c.mul_add(d, -cd)
    };
    DVec3::new(difference(u.y, v.z, u.z, v.y), difference(u.z, v.x, u.x, v.z), difference(u.x, v.y, u.y, v.x))
}

fn normal(solid: &Solid, face: &[u32]) -> DVec3 {
    let corner = |i: usize| solid.vertices[face[i % face.len()] as usize];
    let sum: DVec3 =
        (1..face.len() - 1).map(|i| cross(corner(i) - corner(0), corner(i + 1) - corner(0))).sum();
    sum.normalize()
}

fn separation(a: &Solid, b: &Solid) -> f64 {
    let gap = |n: DVec3| {
        let far = a.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        b.vertices.iter().map(|v| v.dot(n)).fold(f64::INFINITY, f64::min) - far
    };
    let mut best = f64::NEG_INFINITY;
    for face in &a.faces {
        best = best.max(gap(normal(a, face)));
    }
    for face in &b.faces {
        best = best.max(gap(-normal(b, face)));
    }
    let (edges_a, edges_b) = (a.edges(), b.edges());
    for &(p, q) in &edges_a {
        for &(r, s) in &edges_b {
            let (u, v) = (a.vertices[q] - a.vertices[p], b.vertices[s] - b.vertices[r]);
            let cross = u.normalize().cross(v.normalize());
            if cross.length() > 1e-9 {
                best = best.max(gap(cross.normalize())).max(gap(-cross.normalize()));
            }
        }
    }
    best
}

fn least_distance(a: &Solid, b: &Solid) -> f64 {
    let mut best = f64::INFINITY;
    for (one, two) in [(a, b), (b, a)] {
        for &v in &one.vertices {
            for face in &two.faces {
                let n = normal(two, face);
                let corner = |i: usize| two.vertices[face[i % face.len()] as usize];
                let inside =
                    (0..face.len()).all(|i| n.cross(corner(i + 1) - corner(i)).dot(v - corner(i)) >= 0.0);
                if inside {
                    best = best.min(n.dot(v - corner(0)).abs());
                }
            }
        }
    }
    for (p, q) in a.edges() {
        for (r, s) in b.edges() {
            best = best.min(segments(a.vertices[p], a.vertices[q], b.vertices[r], b.vertices[s]));
        }
    }
    best
}

fn point_segment(x: DVec3, p: DVec3, q: DVec3) -> f64 {
    let t = ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
    x.distance(p + (q - p) * t)
}

fn segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> f64 {
    let (u, v) = (q - p, s - r);
    let n = u.cross(v);
    let mut best =
        [point_segment(p, r, s), point_segment(q, r, s), point_segment(r, p, q), point_segment(s, p, q)]
            .into_iter()
            .fold(f64::INFINITY, f64::min);
    let w = r - p;
    let size = n.length_squared();
    if size > 0.0 {
        let t = w.cross(v).dot(n) / size;
        let o = w.cross(u).dot(n) / size;
        if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&o) {
            best = best.min((w.dot(n) / size.sqrt()).abs());
        }
    }
    best
}
