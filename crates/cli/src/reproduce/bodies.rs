//! Bodies and poses made on the spot: spheres, prisms, random hulls.

use crate::failure::Failure;
use clearance_geometry::{DQuat, DVec3, Polytope, Pose};
use std::collections::BTreeMap;

/// Seeded random numbers (splitmix64).
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between −1 and 1.
    pub(super) fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A direction, evenly spread.
    pub(super) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            let length = v.length();
            if length > 0.1 && length <= 1.0 {
                return v / length;
            }
        }
    }

    pub(super) fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.signed() * std::f64::consts::PI)
    }
}

/// The hull of 6 to 24 random points in a box of random proportions.
pub(super) fn random_hull(random: &mut Random) -> Result<Polytope, Failure> {
    let sides = DVec3::ONE + random.vector() * 0.8;
    let count = 6 + random.below(19);
    let points: Vec<DVec3> = (0..count).map(|_| random.vector() * sides).collect();
    hull(&points)
}

/// A sphere-like polytope: an icosahedron, each triangle split in four `level` times. 10·4^level + 2 vertices.
pub(super) fn sphere(level: usize) -> Result<Polytope, Failure> {
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    let mut points: Vec<DVec3> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let points: Vec<DVec3> = points.into_iter().map(DVec3::normalize).collect();
    // Neighbours on a unit icosahedron are closer than 1.2, others are not.
    let near = |a: usize, b: usize| points[a].distance(points[b]) < 1.2;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            faces.extend((b + 1..12).filter(|&c| near(a, b) && near(b, c) && near(a, c)).map(|c| [a, b, c]));
        }
    }
    let (mut points, mut faces): (Vec<DVec3>, Vec<[usize; 3]>) = (points, faces);
    for _ in 0..level {
        let mut middles: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut middle = |a: usize, b: usize| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                points.push(((points[a] + points[b]) / 2.0).normalize());
                points.len() - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let (d, e, f) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            })
            .collect();
    }
    hull(&points)
}

/// A prism with `sides` sides that stands for a cylinder of radius 1 and height 2.
pub(super) fn prism(sides: usize) -> Result<Polytope, Failure> {
    let corner = |k: usize, z: f64| {
        let angle = std::f64::consts::TAU * k as f64 / sides as f64;
        DVec3::new(angle.cos(), angle.sin(), z)
    };
    let points: Vec<DVec3> = (0..sides).flat_map(|k| [corner(k, -1.0), corner(k, 1.0)]).collect();
    hull(&points)
}

/// A pose from a rotation and a place.
pub(super) fn pose(rotation: DQuat, translation: DVec3) -> Result<Pose, Failure> {
    Pose::new(rotation, translation).map_err(|error| Failure::from(clearance_formats::Error::from(error)))
}

fn hull(points: &[DVec3]) -> Result<Polytope, Failure> {
    Polytope::from_points(points).map_err(|error| Failure::from(clearance_formats::Error::from(error)))
}
