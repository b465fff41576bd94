//! The suite that every tracker must pass, invoked once per implementation by `tracker_tests!`.
//!
//! A tracker is anything that answers for two polytopes at a pose and remembers something between
//! answers. The macro takes how to make one and how to ask it, and expands to the named tests.

use crate::generate::{Solid, Tumble, Wander};
use crate::{Random, check_mirror, check_proximity, check_tolerance, counts_allocations};
use clearance_geometry::{Body, Polytope, Pose};
use clearance_proximity::Proximity;
use glam::DVec3;

/// Poses that every pair of the suite runs through.
const STEPS: usize = 150;

/// How to make a tracker and how to ask it.
pub struct Subject<T, N, U>
where
    N: Fn() -> T,
    U: Fn(&mut T, &Polytope, &Polytope, &Pose) -> Proximity,
{
    /// Makes a tracker that knows nothing.
    pub new: N,
    /// Asks it.
    pub update: U,
}

/// Two bodies and a motion of B in the frame of A that takes them apart and into each other.
struct Course {
    a: Polytope,
    b: Polytope,
    poses: Vec<Pose>,
}

fn courses(steps: usize) -> Vec<Course> {
    let build = |solid: Solid| solid.polytope().expect("a well-formed solid");
    let mut random = Random::new(71);
    let needle = Solid::prism(8, 2.0).stretched(DVec3::new(0.05, 0.05, 1.0));
    let plate = Solid::cuboid(DVec3::new(1.5, 1.0, 0.02));
    let hull = Solid::on_sphere(40, &mut random);
    let pairs = [
        (Solid::cuboid(DVec3::ONE), Solid::cuboid(DVec3::new(0.5, 1.0, 1.5)), 0.4, 2.0),
        (Solid::icosphere(2), Solid::icosphere(1), 1.6, 2.2),
        (needle.clone(), plate, 0.05, 1.2),
        (hull.clone(), Solid::prism(64, 1.0), 1.2, 2.5),
        (hull, Solid::tetrahedron(&mut random), 0.1, 2.0),
    ];
    let mut courses: Vec<Course> = Vec::new();
    for (i, (a, b, near, far)) in pairs.into_iter().enumerate() {
        for degrees in [0.5, 5.0, 60.0] {
            let poses = Wander::new(100 + i as u64, degrees, near, far).take(steps).collect();
            courses.push(Course { a: build(a.clone()), b: build(b.clone()), poses });
        }
    }
    let poses = Tumble::new(9, 3.0, DVec3::new(1.3, 0.2, 0.0)).take(steps).collect();
    courses.push(Course { a: build(needle.clone()), b: build(needle), poses });
    courses
}

impl<T, N, U> Subject<T, N, U>
where
    N: Fn() -> T,
    U: Fn(&mut T, &Polytope, &Polytope, &Pose) -> Proximity,
{
    fn once(&self, a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Proximity {
        (self.update)(&mut (self.new)(), a, b, pose_ab)
    }

    /// Every tracked answer is right and equals the answer of a tracker that knows nothing.
    pub fn tracked_equals_one_shot(&self) {
        let mut apart = 0;
        let mut total = 0;
        for course in courses(STEPS) {
            let mut tracker = (self.new)();
            for pose in &course.poses {
                let tracked = (self.update)(&mut tracker, &course.a, &course.b, pose);
                let fresh = self.once(&course.a, &course.b, pose);
                agree(&course.a, &course.b, pose, &tracked, &fresh, "tracked and one-shot");
                apart += usize::from(tracked.signed_distance > 0.0);
                total += 1;
            }
        }
        let share = apart as f64 / total as f64;
        assert!((0.3..0.9).contains(&share), "the motions are apart in {share:.2} of their poses");
    }

    /// Exchanging the bodies mirrors the answer.
    pub fn swap_symmetric(&self) {
        for course in courses(STEPS / 3) {
            for pose in &course.poses {
                let p = self.once(&course.a, &course.b, pose);
                let mirror = self.once(&course.b, &course.a, &pose.inverse());
                let (a, b) = (Body::from(course.a.clone()), Body::from(course.b.clone()));
                must(check_mirror(&a, &b, pose, &p, &mirror), &p);
            }
        }
    }

    /// Moving both bodies together changes the answer by the motion alone.
    pub fn rigid_motion_invariant(&self) {
        let mut random = Random::new(72);
        for course in courses(STEPS / 3) {
            for pose in &course.poses {
                let world = Pose::new(random.quaternion(), 10.0 * random.in_ball()).unwrap_or_default();
                let moved = Pose::between(&world, &(world * *pose));
                let (here, there) =
                    (self.once(&course.a, &course.b, pose), self.once(&course.a, &course.b, &moved));
                let (a, b) = (Body::from(course.a.clone()), Body::from(course.b.clone()));
                // The composed pose is off by the rounding of the world's numbers.
                let slack = check_tolerance(&a, &b, pose, here.signed_distance) + 64.0 * f64::EPSILON * 20.0;
                assert!((here.signed_distance - there.signed_distance).abs() <= slack, "{here:?} {there:?}");
            }
        }
    }

    /// Scaling everything by a power of two scales the answer and changes nothing else.
    pub fn scale_invariant(&self) {
        for course in courses(STEPS / 3) {
            for scale in [2.0_f64.powi(-20), 2.0_f64.powi(20)] {
                let (a, b) = (scaled(&course.a, scale), scaled(&course.b, scale));
                for pose in &course.poses {
                    let p = self.once(&course.a, &course.b, pose);
                    let q = self.once(&a, &b, &pose.with_translation(scale * pose.translation()));
                    assert_eq!(p.state, q.state);
                    let tolerance = check_tolerance(
                        &Body::from(course.a.clone()),
                        &Body::from(course.b.clone()),
                        pose,
                        p.signed_distance,
                    );
                    assert!(
                        (q.signed_distance / scale - p.signed_distance).abs() <= tolerance,
                        "{p:?} {q:?}"
                    );
                }
            }
        }
    }

    /// What a tracker remembers of other bodies and poses does not change its answer.
    pub fn poisoned_hint_changes_nothing(&self) {
        let mut tracker = (self.new)();
        let courses = courses(STEPS / 5);
        for step in 0..STEPS / 5 {
            // The bodies change with every update, so that every memory is of other bodies.
            for course in &courses {
                let pose = &course.poses[step];
                let poisoned = (self.update)(&mut tracker, &course.a, &course.b, pose);
                let fresh = self.once(&course.a, &course.b, pose);
                agree(&course.a, &course.b, pose, &poisoned, &fresh, "poisoned and fresh");
            }
        }
    }

    /// An update allocates nothing; the binary must install [`crate::CountingAllocator`].
    pub fn no_allocation_per_update(&self) {
        assert!(counts_allocations(), "the counting allocator is not installed");
        for course in courses(STEPS) {
            let mut tracker = (self.new)();
            let count = crate::allocations(|| {
                for pose in &course.poses {
                    std::hint::black_box((self.update)(&mut tracker, &course.a, &course.b, pose));
                }
            });
            assert_eq!(count, 0, "allocations in {STEPS} updates");
        }
    }
}

fn scaled(body: &Polytope, scale: f64) -> Polytope {
    let vertices: Vec<DVec3> = (0..body.vertex_count())
        .map(|i| scale * body.body_vertex(clearance_geometry::VertexId(i as u32)))
        .collect();
    Polytope::from_points(&vertices).expect("a scaled body")
}

fn agree(a: &Polytope, b: &Polytope, pose: &Pose, one: &Proximity, other: &Proximity, what: &str) {
    let (a, b) = (Body::from(a.clone()), Body::from(b.clone()));
    must(check_proximity(&a, &b, pose, one), one);
    must(check_proximity(&a, &b, pose, other), other);
    let tolerance = 2.0 * check_tolerance(&a, &b, pose, one.signed_distance);
    let off = (one.signed_distance - other.signed_distance).abs();
    assert!(off <= tolerance, "{what} differ by {off:e}: {one:?} {other:?} at {pose:?}");
}

fn must<T>(checked: Result<T, String>, p: &Proximity) {
    if let Err(fault) = checked {
        panic!("{fault}: {p:?}");
    }
}

/// Expands to the tests that every tracker must pass, in a module of the given name.
///
/// ```text
/// tracker_tests!(polytope_tracker, PolytopeTracker::new, PolytopeTracker::update);
/// ```
#[macro_export]
macro_rules! tracker_tests {
    ($module:ident, $new:expr, $update:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "what the caller's expressions need")]
            use super::*;

            macro_rules! case {
                ($name:ident) => {
                    #[test]
                    fn $name() {
                        $crate::conformance::Subject { new: $new, update: $update }.$name();
                    }
                };
            }
            case!(tracked_equals_one_shot);
            case!(swap_symmetric);
            case!(rigid_motion_invariant);
            case!(scale_invariant);
            case!(poisoned_hint_changes_nothing);
            case!(no_allocation_per_update);
        }
    };
}
