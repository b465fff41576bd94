//! Seeded generators and the one check that every built polytope must pass.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use clearance_geometry::{DQuat, DVec3, Edge, EdgeId, FaceId, Feature, Polytope, VertexId};

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// In the cube [−1, 1]³.
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube();
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.range(0.0, std::f64::consts::TAU))
    }
}

pub fn random_sphere(random: &mut Random, n: usize) -> Vec<DVec3> {
    (0..n).map(|_| random.direction()).collect()
}

/// Bottom rim then top rim.
pub fn cylinder(sides: usize, radius: f64, height: f64) -> Vec<DVec3> {
    let rim = |z: f64| {
        (0..sides).map(move |i| {
            let angle = std::f64::consts::TAU * i as f64 / sides as f64;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    rim(-0.5 * height).chain(rim(0.5 * height)).collect()
}

/// The points of an n × n × n lattice on the surface of the cube [−1, 1]³.
pub fn cube_grid(n: usize) -> Vec<DVec3> {
    let mut points = Vec::new();
    let at = |i: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                if [i, j, k].iter().any(|&x| x == 0 || x == n - 1) {
                    points.push(DVec3::new(at(i), at(j), at(k)));
                }
            }
        }
    }
    points
}

/// An icosahedron with its faces split into four, `level` times, on the unit sphere.
pub fn icosphere(level: usize) -> Vec<DVec3> {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points: Vec<DVec3> = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-g, g] {
            points.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
        }
    }
    points.iter_mut().for_each(|p| *p = p.normalize());
    for _ in 0..level {
        let hull = Polytope::from_points(&points).unwrap();
        let middles = hull.edges().iter().map(|edge| {
            let [a, b] = edge.vertices.map(|v| hull.body_vertex(v));
            (a + b).normalize()
        });
        let middles: Vec<DVec3> = middles.collect();
        points.extend(middles);
    }
    points
}

/// Every promise of a solid polytope that can be seen from outside, with lengths measured against
/// the size of the body: `slack` units of rounding.
pub fn check_polytope(p: &Polytope, slack: f64) {
    let (v, e, f) = (p.vertex_count(), p.edge_count(), p.face_count());
    assert_eq!(v + f, e + 2, "Euler: {v} − {e} + {f}");
    let size = p.radius();
    let tolerance = slack * f64::EPSILON * size;
    let mut sides_seen = 0;
    for face in (0..f as u32).map(FaceId) {
        let plane = p.plane(face);
        assert!((plane.normal.length() - 1.0).abs() < 4.0 * f64::EPSILON);
        let sides = p.sides(face);
        assert!(sides.len() >= 3);
        sides_seen += sides.len();
        let far = p.vertex(p.support(plane.normal));
        assert!(plane.distance(far) <= tolerance, "{:e} above {face:?}", plane.distance(far) / size);
        for (i, side) in sides.iter().enumerate() {
            let next = &sides[(i + 1) % sides.len()];
            let (from, to) = (p.vertex(side.vertex), p.vertex(next.vertex));
            assert!(plane.distance(from).abs() <= tolerance, "{:e}", plane.distance(from) / size);
            let edge = p.edge(side.edge);
            let left = edge.vertices == [side.vertex, next.vertex];
            assert!(left || edge.vertices == [next.vertex, side.vertex]);
            assert_eq!(edge.faces[usize::from(!left)], face);
            assert_ne!(edge.faces[0], edge.faces[1]);
            assert_eq!(edge.inward[usize::from(!left)], side.inward);
            assert!((side.inward.length() - 1.0).abs() < 8.0 * f64::EPSILON);
            assert!((side.inward.dot(from) - side.offset).abs() <= tolerance);
            assert!((side.inward.dot(to) - side.offset).abs() <= tolerance);
            let after = p.vertex(sides[(i + 2) % sides.len()].vertex);
            assert!(side.inward.dot(after) - side.offset >= -tolerance, "reflex corner");
            assert_eq!(p.edge_between(side.vertex, next.vertex), Some(side.edge));
        }
    }
    assert_eq!(sides_seen, 2 * e);
    for vertex in (0..v as u32).map(VertexId) {
        check_ring(p, vertex);
    }
    // Edges are numbered by the labels of their ends, whatever their order in memory.
    let numbered = |(edge, id): (&Edge, u32)| {
        (p.label(Feature::Edge(EdgeId(id))).number(), edge.vertices.map(|v| label(p, v)))
    };
    let mut ends: Vec<_> = p.edges().iter().zip(0..).map(numbered).collect();
    ends.sort_unstable();
    assert!(ends.iter().zip(0..).all(|(&(number, [low, high]), place)| number == place && low < high));
    assert!(ends.iter().map(|&(_, ends)| ends).is_sorted());
    assert!(p.inradius() > 0.0, "centre not inside");
    assert!(p.mass().volume > 0.0);
}

pub fn label(p: &Polytope, vertex: VertexId) -> u32 {
    p.label(Feature::Vertex(vertex)).number()
}

fn check_ring(p: &Polytope, vertex: VertexId) {
    let ring = p.ring(vertex);
    let n = ring.spokes.len();
    assert!(n >= 3, "{vertex:?} has {n} edges");
    assert_eq!((ring.edges.len(), ring.faces.len()), (n, n));
    for i in 0..n {
        let edge = p.edge(ring.edges[i]);
        let neighbor = ring.spokes[i].vertex;
        let out = edge.vertices == [vertex, neighbor];
        assert!(out || edge.vertices == [neighbor, vertex]);
        // The face after a spoke lies to its left, the one before to its right.
        assert_eq!(edge.faces[usize::from(!out)], ring.faces[i]);
        assert_eq!(edge.faces[usize::from(out)], ring.faces[(i + n - 1) % n]);
        assert_eq!(ring.spokes[i].vector, p.vertex(neighbor) - p.vertex(vertex));
    }
}

/// The support by climbing, from the table and from anywhere, is as high as the one by looking at every
/// vertex; also along directions next to the faces' normals, where flat faces are stages of plateaus.
pub fn check_support(p: &Polytope, random: &mut Random, directions: usize) {
    let mut axes: Vec<DVec3> = (0..directions).map(|_| random.direction()).collect();
    for _ in 0..directions.min(4 * p.face_count()) {
        let normal = p.plane(FaceId(random.below(p.face_count()) as u32)).normal;
        let tilt = 10.0_f64.powf(random.range(-17.0, -3.0));
        axes.extend([
            normal,
            -normal,
            normal + tilt * random.direction(),
            -normal + tilt * random.direction(),
        ]);
    }
    for direction in axes {
        let height = |v: VertexId| p.vertex(v).dot(direction);
        let scanned = height(p.support_by_scan(direction));
        let from = VertexId(random.below(p.vertex_count()) as u32);
        for found in [p.support(direction), p.climb(from, direction, direction.length())] {
            let error = (scanned - height(found)) / p.radius();
            assert!(error <= 64.0 * f64::EPSILON, "climb stops {error:e} short in {direction}");
        }
    }
}

/// No point lies outside the body by more than `slack` units of rounding of its size.
pub fn check_encloses(p: &Polytope, points: &[DVec3], slack: f64) {
    for (i, &point) in points.iter().enumerate() {
        let point = point - p.anchor();
        for plane in p.planes() {
            let by = plane.distance(point) / p.radius();
            assert!(by <= slack * f64::EPSILON, "point {i} lies {by:e} outside");
        }
    }
}

/// Faces as sorted lists of vertex labels, sorted.
pub fn face_sets(p: &Polytope) -> Vec<Vec<u32>> {
    let mut faces: Vec<Vec<u32>> = (0..p.face_count() as u32)
        .map(|f| {
            let mut face: Vec<u32> = p.sides(FaceId(f)).iter().map(|side| label(p, side.vertex)).collect();
            face.sort_unstable();
            face
        })
        .collect();
    faces.sort();
    faces
}
