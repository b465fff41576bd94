//! A box of a hundred bodies that is shaken, as plain shapes and poses: the tests step it for a while, `soak` for long.

use crate::Random;
use clearance_geometry::{DQuat, DVec3, HalfSpace, Polytope, Pose};

/// Six walls, what is between them, and how they are shaken.
#[derive(Clone, Debug)]
pub struct ShakenBox {
    /// The walls.
    pub walls: Vec<HalfSpace>,
    /// The bodies and where they start, apart from each other.
    pub bodies: Vec<(Polytope, Pose)>,
}

impl ShakenBox {
    /// The side of the box, from the origin; bodies have a size of about 1.
    pub const SIDE: f64 = 7.0;

    /// Bodies in it.
    pub const BODIES: usize = 100;

    /// Seconds per step.
    pub const STEP: f64 = 0.005;

    /// The depth that no step may reach: one part in twenty of the bodies' size. They move at up to 10 lengths per second, which
    /// is as much in a step.
    pub const BOUND: f64 = 0.05;

    /// The same of overlap along the plane of the ratio metric, which is not the shortest way out: some of the hulls are slivers,
    /// and what has sunk into one of them by its thickness leaves it by this measure along its width.
    pub const BOUND_ALONG_PLANES: f64 = 0.2;

    /// The box of a seed: boxes, and hulls of 4 to 12 points.
    pub fn new(seed: u64) -> Self {
        let mut walls = Vec::new();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for (normal, offset) in [(axis, 0.0), (-axis, -Self::SIDE)] {
                walls.push(HalfSpace::new(normal, offset).expect("a plane"));
            }
        }
        let mut random = Random::new(seed);
        let bodies = (0..Self::BODIES).map(|place| one(&mut random, place)).collect();
        Self { walls, bodies }
    }

    /// Gravity in the axes of the box, whose acceleration is a part of it, at the start of a step.
    pub fn gravity(frame: u64) -> DVec3 {
        let phase = frame as f64 * Self::STEP * 12.0;
        DVec3::Z * -9.81 + DVec3::new(phase.sin(), (0.7 * phase).cos(), 1.5 * (1.3 * phase).sin()) * 15.0
    }

    /// Whether a place lies in the box.
    pub fn holds(place: DVec3) -> bool {
        place.min_element() > 0.0 && place.max_element() < Self::SIDE
    }
}

fn one(random: &mut Random, place: usize) -> (Polytope, Pose) {
    let points: Vec<DVec3> = (0..4 + place % 9).map(|_| random.direction() / 2.0).collect();
    let cuboid = || Polytope::cuboid(DVec3::new(0.5, 0.6, 0.7)).expect("a box");
    let body = if place.is_multiple_of(3) {
        cuboid()
    } else {
        // A flat one has no mass; a box stands in.
        let hull = Polytope::from_points(&points).ok().filter(|hull| hull.mass().volume > 0.0);
        hull.unwrap_or_else(cuboid)
    };
    let spot = DVec3::new((place % 5) as f64, (place / 5 % 5) as f64, (place / 25) as f64) * 1.2;
    let turn = DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 3.0));
    (body, Pose::new(turn, spot + DVec3::splat(1.0)).expect("a pose"))
}
