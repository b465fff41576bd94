//! Bodies, seeded randomness and independent oracles for the tests of the ratio metric.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use clearance_geometry::{DQuat, DVec3, FaceId, Polytope, Pose};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.range(0.0, std::f64::consts::TAU)).normalize()
    }
}

/// Corners and faces, to be stretched before they become a body.
#[derive(Clone)]
pub struct Solid {
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Vec<u32>>,
}

impl Solid {
    pub fn stretched(mut self, by: DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v *= by);
        self
    }

    pub fn turned(mut self, by: DQuat) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = by * *v);
        self
    }

    pub fn shifted(mut self, by: DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v += by);
        self
    }

    /// The hull of the corners: for corners whose faces are no longer flat.
    pub fn hull(&self) -> Polytope {
        Polytope::from_points(&self.vertices).unwrap()
    }

    pub fn build(&self) -> Polytope {
        Polytope::from_faces(&self.vertices, &self.faces).unwrap()
    }
}

pub fn cuboid(size: DVec3) -> Solid {
    let cube = Polytope::cuboid(size).unwrap();
    let loops = (0..6).map(|f| cube.sides(FaceId(f)).iter().map(|side| side.vertex.0).collect());
    Solid { vertices: cube.vertices().to_vec(), faces: loops.collect() }
}

pub fn prism(sides: u32) -> Solid {
    let ring = |z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(sides)).sin_cos();
            DVec3::new(cos, sin, z)
        })
    };
    let mut faces: Vec<Vec<u32>> =
        (0..sides).map(|i| [i, (i + 1) % sides, sides + (i + 1) % sides, sides + i].to_vec()).collect();
    faces.push((0..sides).rev().collect());
    faces.push((sides..2 * sides).collect());
    Solid { vertices: ring(-1.0).chain(ring(1.0)).collect(), faces }
}

/// The hull of points in general position, by looking at every triple.
pub fn hull(points: Vec<DVec3>) -> Solid {
    let mut faces = Vec::new();
    let n = points.len();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (points[j] - points[i]).cross(points[k] - points[i]);
                let side = |p: &DVec3| normal.dot(*p - points[i]);
                let others = || (0..n).filter(|l| ![i, j, k].contains(l)).map(|l| side(&points[l]));
                let (i, j, k) = (i as u32, j as u32, k as u32);
                if others().all(|s| s < 0.0) {
                    faces.push(vec![i, j, k]);
                } else if others().all(|s| s > 0.0) {
                    faces.push(vec![i, k, j]);
                }
            }
        }
    }
    Solid { vertices: points, faces }
}

pub fn random_hull(random: &mut Random, corners: usize) -> Solid {
    loop {
        let solid = hull((0..corners).map(|_| random.direction()).collect());
        // The origin must be well inside, so that the body is not a sliver by accident.
        let deep = solid.faces.iter().all(|face| {
            let [p, q, r] = [0, 1, 2].map(|i| solid.vertices[face[i] as usize]);
            (q - p).cross(r - p).normalize().dot(p) > 0.05
        });
        if deep {
            return solid;
        }
    }
}

pub fn icosahedron() -> Solid {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    hull(points.into_iter().map(DVec3::normalize).collect())
}

/// The icosahedron with each face cut into four, `levels` times, corners on the unit sphere.
pub fn icosphere(levels: usize) -> Solid {
    let mut solid = icosahedron();
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut faces = Vec::new();
        for face in solid.faces.clone() {
            let mids: Vec<u32> = (0..3)
                .map(|i| {
                    let (p, q) = (face[i], face[(i + 1) % 3]);
                    *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                        let middle = solid.vertices[p as usize] + solid.vertices[q as usize];
                        solid.vertices.push(middle.normalize());
                        solid.vertices.len() as u32 - 1
                    })
                })
                .collect();
            for i in 0..3 {
                faces.push(vec![face[i], mids[i], mids[(i + 2) % 3]]);
            }
            faces.push(mids);
        }
        solid.faces = faces;
    }
    solid
}

/// A body of a random family, stretched by up to 10^`aspect`, of size `scale`.
pub fn random_solid(random: &mut Random, aspect: f64, scale: f64) -> Solid {
    let solid = match random.below(5) {
        0 => cuboid(DVec3::splat(2.0)),
        1 => {
            let sides = 3 + random.below(6) as u32;
            prism(sides)
        }
        2 => icosahedron(),
        3 => {
            let corners = 4 + random.below(8);
            random_hull(random, corners)
        }
        _ => random_hull(random, 6),
    };
    let mut stretch = || 10.0_f64.powf(random.range(-aspect, 0.0)) * scale;
    let by = DVec3::new(stretch(), stretch(), stretch());
    let rotation = random.rotation();
    solid.stretched(by).turned(rotation)
}

/// Corners from the centre, in the axes of A.
pub fn centred(body: &Polytope, pose: &Pose) -> Vec<DVec3> {
    body.vertices().iter().map(|v| pose.rotate(*v - body.center())).collect()
}

/// From A's centre to B's, in the frame of A.
pub fn between(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> DVec3 {
    (pose_ab.apply(b.anchor()) - a.anchor()) + pose_ab.rotate(b.center()) - a.center()
}

/// Every normal that a separating plane of two scaled copies can have, from the corners alone: of the
/// faces and of the pairs of edges, in the axes of A.
pub fn candidate_normals(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Vec<DVec3> {
    let mut normals = Vec::new();
    let own = |body: &Polytope, pose: &Pose| -> Vec<DVec3> {
        (0..body.face_count())
            .map(|f| {
                let sides = body.sides(FaceId(f as u32));
                let corner = |i: usize| body.vertex(sides[i % sides.len()].vertex);
                let base = corner(0);
                let area: DVec3 =
                    (1..sides.len()).map(|i| (corner(i) - base).cross(corner(i + 1) - base)).sum();
                pose.rotate(area.normalize())
            })
            .collect()
    };
    normals.extend(own(a, &Pose::IDENTITY));
    normals.extend(own(b, pose_ab).into_iter().map(|n| -n));
    for e in a.edges() {
        for f in b.edges() {
            let across = e.vector.normalize().cross(pose_ab.rotate(f.vector.normalize()));
            if across.length() > 1e-9 {
                normals.push(across.normalize());
                normals.push(-across.normalize());
            }
        }
    }
    normals
}

fn support(points: &[DVec3], n: DVec3) -> f64 {
    points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max)
}

/// r = max n·d / (h₁(n) + h₂(−n)) over all candidate normals.
pub fn oracle_ratio(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> f64 {
    let (p, q) = (centred(a, &Pose::IDENTITY), centred(b, pose_ab));
    let d = between(a, b, pose_ab);
    let ratio = |n: DVec3| n.dot(d) / (support(&p, n) + support(&q, -n));
    candidate_normals(a, b, pose_ab).into_iter().map(ratio).fold(f64::NEG_INFINITY, f64::max)
}

/// max n·d − h₁(n) − h₂(−n) over all candidate normals: minus the depth when overlapping, and only a
/// lower bound on the distance otherwise.
pub fn oracle_separation(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> f64 {
    let (p, q) = (centred(a, &Pose::IDENTITY), centred(b, pose_ab));
    let d = between(a, b, pose_ab);
    let gap = |n: DVec3| n.dot(d) - support(&p, n) - support(&q, -n);
    candidate_normals(a, b, pose_ab).into_iter().map(gap).fold(f64::NEG_INFINITY, f64::max)
}
