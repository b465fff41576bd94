//! The scenes, as plain numbers that every engine is given.

use crate::random::Random;
use clearance_geometry::{DQuat, DVec3, Polytope};

/// Seconds per step, for everyone.
pub const STEP: f64 = 0.01;

/// Coulomb's coefficient, for everyone.
pub const FRICTION: f64 = 0.5;

/// Mass over volume, for everyone.
pub const DENSITY: f64 = 1000.0;

/// Where a body stands: its mass centre, which is the origin of its frame, and its orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The mass centre.
    pub position: DVec3,
    /// The orientation.
    pub orientation: DQuat,
}

/// Bodies, planes that hold them, and ball joints.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// Corners of each body about its mass centre.
    pub bodies: Vec<Vec<DVec3>>,
    /// Which bodies are boxes, and their sizes.
    pub boxes: Vec<Option<DVec3>>,
    /// Where they start.
    pub start: Vec<Place>,
    /// Half-spaces that stand still: normal and offset.
    pub planes: Vec<(DVec3, f64)>,
    /// Ball joints: two bodies (none is the world) and the point they share at the start.
    pub joints: Vec<(Option<usize>, usize, DVec3)>,
    /// The size that gaps are compared with.
    pub size: f64,
    /// Steps to come to rest before anything is measured.
    pub settle: usize,
}

impl Scene {
    /// All scenes.
    pub fn all(hulls: usize) -> Vec<Self> {
        vec![Self::pyramid(), Self::hulls(hulls), Self::chain()]
    }

    fn empty(name: &'static str, settle: usize) -> Self {
        Self {
            name,
            bodies: Vec::new(),
            boxes: Vec::new(),
            start: Vec::new(),
            planes: vec![(DVec3::Z, 0.0)],
            joints: Vec::new(),
            size: 1.0,
            settle,
        }
    }

    fn add_box(&mut self, size: DVec3, position: DVec3) {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            size * DVec3::new(sign(0), sign(1), sign(2))
        };
        self.bodies.push((0..8).map(corner).collect());
        self.boxes.push(Some(size));
        self.start.push(Place { position, orientation: DQuat::IDENTITY });
    }

    /// A wall of ten rows, the longest below: 55 boxes.
    fn pyramid() -> Self {
        let mut scene = Self::empty("pyramid of 55 boxes", 200);
        for row in 0..10 {
            for place in 0..10 - row {
                let x = 1.1 * f64::from(place) + 0.55 * f64::from(row);
                scene.add_box(DVec3::ONE, DVec3::new(x, 0.0, 0.5 + f64::from(row)));
            }
        }
        scene
    }

    /// Random hulls of 20 vertices each, dropped into a box.
    pub fn hulls(count: usize) -> Self {
        let mut scene = Self::empty("random hulls in a box", 500);
        let mut random = Random::named("hulls");
        let side = (count as f64 / 1.4).cbrt().round().max(2.0);
        for (normal, offset) in [(DVec3::X, 0.0), (-DVec3::X, -side), (DVec3::Y, 0.0), (-DVec3::Y, -side)] {
            scene.planes.push((normal, offset));
        }
        let per_row = side as usize - 1;
        for at in 0..count {
            // On an ellipsoid of diameters 0.7 to 1, so that all twenty are corners.
            let stretch = DVec3::new(1.0, 0.85 + 0.15 * random.signed(), 0.85 + 0.15 * random.signed()) / 2.0;
            let points: Vec<DVec3> = (0..20).map(|_| random.direction() * stretch).collect();
            let Ok(body) = Polytope::from_points(&points) else { continue };
            let center = body.mass().center + body.anchor();
            scene.bodies.push(points.iter().map(|&point| point - center).collect());
            scene.boxes.push(None);
            let (layer, place) = (at / (per_row * per_row), at % (per_row * per_row));
            let position = DVec3::new(
                1.0 + (place % per_row) as f64 * (side - 2.0) / (per_row as f64 - 1.0).max(1.0),
                1.0 + (place / per_row) as f64 * (side - 2.0) / (per_row as f64 - 1.0).max(1.0),
                0.7 + 1.05 * layer as f64,
            );
            scene.start.push(Place { position, orientation: random.rotation() });
        }
        scene
    }

    /// A hundred links that hang from the world by ball joints, let go level.
    fn chain() -> Self {
        let mut scene = Self::empty("chain of 100 links", 100);
        scene.planes.clear();
        let size = DVec3::new(1.0, 0.2, 0.2);
        for link in 0..100 {
            scene.add_box(size, DVec3::new(0.5 + f64::from(link), 0.0, 0.0));
            let before = (link > 0).then(|| link as usize - 1);
            scene.joints.push((before, link as usize, DVec3::X * f64::from(link)));
        }
        scene
    }
}
