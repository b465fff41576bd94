//! What allocates and what does not, beyond the trackers of the conformance suite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::{Cylinder, NurbsSurface};
use clearance_geometry::tiled::{DeformingPatch, Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, DeformingBody, DeformingFace, HalfSpace, Pose};
use clearance_proximity::convex::ConvexTracker;
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Probe, Scratch, State, Tracker};
use clearance_testkit::generate::{Solid, Wander};
use clearance_testkit::{CountingAllocator, allocations, counts_allocations};

use std::hint::black_box;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn body(solid: &Solid) -> Body {
    Body::from(solid.polytope().unwrap())
}

#[test]
fn counting_allocator_is_installed() {
    assert!(counts_allocations());
    assert_eq!(allocations(|| drop(black_box(vec![1, 2, 3]))), 1);
}

/// Large bodies, overlapping and apart: the walks over features and facets, the searches, and the depth shell.
#[test]
fn tracker_of_large_bodies_allocates_nothing() {
    let (a, b) = (body(&Solid::icosphere(4)), body(&Solid::prism(500, 1.0)));
    for (near, far) in [(0.1, 1.9), (2.0, 3.0)] {
        let poses: Vec<Pose> = Wander::new(3, 1.0, near, far).take(300).collect();
        let mut tracker = Tracker::new();
        let mut overlaps = 0;
        let count = allocations(|| {
            for pose in &poses {
                overlaps += usize::from(black_box(tracker.update(&a, &b, pose)).unwrap().state.overlaps());
            }
        });
        assert_eq!(count, 0);
        assert!(if far < 2.0 { overlaps > 150 } else { overlaps < 150 }, "{overlaps} overlaps to {far}");
    }
}

#[test]
fn half_space_tracker_allocates_nothing() {
    let (floor, b) = (Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap()), body(&Solid::icosphere(2)));
    let mut tracker = Tracker::new();
    let poses: Vec<Pose> = Wander::new(4, 2.0, 0.5, 1.5).take(300).collect();
    let count = allocations(|| {
        for pose in &poses {
            black_box(tracker.update(&floor, &b, pose)).unwrap();
            black_box(tracker.update(&b, &floor, pose)).unwrap();
        }
    });
    assert_eq!(count, 0);
}

/// A one-shot query may grow its scratch on first use and not after.
#[test]
fn one_shot_allocates_nothing_after_first_use_of_its_scratch() {
    let (a, b) = (body(&Solid::icosphere(2)), body(&Solid::prism(24, 1.0)));
    let poses: Vec<Pose> = Wander::new(5, 10.0, 0.2, 3.0).take(200).collect();
    let mut scratch = Scratch::new();
    let mut run = || {
        for pose in &poses {
            black_box(scratch.distance(&a, &b, pose)).unwrap();
        }
    };
    run();
    assert_eq!(allocations(run), 0);
}

/// Curved bodies, apart and overlapping.
#[test]
fn convex_tracker_allocates_nothing_after_first_use() {
    let bodies = [
        Body::from(TiledBody::cylinder(0.6, 2.0).unwrap()),
        Body::from(TiledBody::ellipsoid([1.5, 0.7, 0.4]).unwrap()),
        Body::from(TiledBody::cone(0.9, 1.5, None).unwrap()),
        body(&Solid::icosphere(2)),
    ];
    for a in &bodies[..3] {
        for b in &bodies {
            let poses: Vec<Pose> = Wander::new(6, 10.0, 0.5, 4.0).take(200).collect();
            let mut tracker = ConvexTracker::new();
            let mut run = || {
                for pose in &poses {
                    black_box(tracker.update(a, b, pose)).unwrap();
                }
            };
            run();
            assert_eq!(allocations(run), 0);
        }
    }
}

/// A body inside or beside one that is not convex: pieces and rays are made ready once, so that a frame costs a few
/// lists of ties and no more.
#[test]
fn containment_is_made_ready_once() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let ball = Body::from(TiledBody::sphere(0.2).unwrap());
    let at = |k: usize| DVec3::new(2.1 + 0.005 * k as f64, 0.03, 0.02 + 0.05 * (k % 3) as f64);
    let poses: Vec<Pose> = (0..30).map(|k| Pose::from_translation(at(k)).unwrap()).collect();
    let mut tracker = Tracker::new();
    let mut inside = 0;
    let mut run = || {
        for pose in &poses {
            let found = black_box(tracker.update(&ring, &ball, pose)).unwrap();
            inside += usize::from(found.state == State::BInsideA);
        }
    };
    run();
    let count = allocations(&mut run);
    assert!(count <= 4 * poses.len() as u64, "{count} for {} frames", poses.len());
    assert!(inside > 20, "{inside}");
}

/// Formulas allocate nothing; cells of splines are made once.
#[test]
fn probe_allocates_nothing_for_points_asked_before() {
    let flat = |z: f64| (0..4).map(move |j| DVec3::new(z, f64::from(j), (z * f64::from(j)).sin())).collect();
    let rows: Vec<Vec<DVec3>> = (0..4).map(|i| flat(f64::from(i))).collect();
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let sheet = NurbsSurface::new([3, 3], [knots(), knots()], &rows, None).unwrap();
    for body in [
        TiledBody::torus(1.0, 0.3).unwrap(),
        TiledBody::cylinder(1.0, 2.0).unwrap(),
        TiledBody::from_patches(&[Patch::new(sheet)], None).unwrap(),
    ] {
        let mut probe = Probe::new(&Body::from(body).boundary()).unwrap();
        let ask = |probe: &mut Probe| {
            for k in 0..40 {
                let point = DVec3::new(1.3, 0.4, 0.2)
                    + DVec3::from_array([2.0, 1.0, 3.0].map(|w| (w * f64::from(k)).sin()));
                black_box(probe.distance(point, None)).unwrap();
            }
        };
        ask(&mut probe);
        assert_eq!(allocations(|| ask(&mut probe)), 0);
    }
}

/// Bodies that are not convex, apart.
#[test]
fn curved_tracker_allocates_nothing() {
    let (ring, ball) = (
        Body::from(TiledBody::torus(2.0, 0.5).unwrap()),
        Body::from(TiledBody::ellipsoid([0.8, 0.6, 0.4]).unwrap()),
    );
    for (seed, degrees) in [(1, 0.1), (2, 1.0), (3, 5.0)] {
        let poses: Vec<Pose> = Wander::new(seed, degrees, 5.0, 7.0).take(200).collect();
        let mut tracker = CurvedTracker::new(&ring, &ball).unwrap();
        // Which body is inside the other is asked for once.
        tracker.update(&poses[0]).unwrap();
        let mut apart = 0;
        let count = allocations(|| {
            for pose in &poses {
                apart += usize::from(black_box(tracker.update(pose)).unwrap().state == State::Separated);
            }
        });
        assert_eq!((count, apart), (0, 200), "{degrees} degrees");
    }
}

/// A wavy bicubic patch; weights that differ, where asked for.
fn wavy(phase: f64, rational: bool) -> Body {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0];
    let grid = |of: &dyn Fn(usize, usize) -> DVec3| -> Vec<Vec<DVec3>> {
        (0..5).map(|i| (0..5).map(|j| of(i, j)).collect()).collect()
    };
    let height = |i: usize, j: usize| (2.0 * i as f64 + phase).sin() + (1.5 * j as f64 - phase).cos();
    let net = grid(&|i, j| DVec3::new(i as f64 - 2.0, j as f64 - 2.0, 0.4 * height(i, j)));
    let weights: Vec<Vec<f64>> =
        (0..5).map(|i| (0..5).map(|j| 1.0 + 0.3 * (3.0 * i as f64 + j as f64).sin()).collect()).collect();
    let surface =
        NurbsSurface::new([3, 3], [ends(), ends()], &net, rational.then_some(weights.as_slice())).unwrap();
    Body::from(TiledBody::from_patches(&[Patch::new(surface)], None).unwrap())
}

/// The bowl and the pen of 004, whose faces are trimmed next to their axes.
fn bowl_and_pen() -> [Body; 2] {
    let p = DVec2::new;
    let line = |from: DVec2, to: DVec2| Segment::Line { from, to };
    let bowl = [
        Segment::Parabola { from: p(0.0, 0.0), to: p(4.0, 4.0), focal: None },
        Segment::Arc { center: p(0.0, 7.0), from: p(4.0, 4.0), to: p(0.0, 2.0), ccw: false },
    ];
    let pen =
        [line(p(0.0, 0.0), p(0.5, 1.0)), line(p(0.5, 1.0), p(0.5, 7.0)), line(p(0.5, 7.0), p(0.0, 7.0))];
    [bowl.as_slice(), pen.as_slice()].map(|profile| Body::from(TiledBody::revolve(profile).unwrap()))
}

/// Every kind of pair that is followed in a front, for long: whatever is cut, left, set aside or made anew has its place.
#[test]
fn fronts_allocate_nothing_in_long_runs() {
    let [bowl, pen] = bowl_and_pen();
    let window = TiledBody::cylinder(0.7, 2.0).unwrap();
    let triangle = [(-0.5, 0.0), (0.5, 0.0), (0.0, 1.0)].map(|(u, v)| DVec2::new(u, v)).to_vec();
    let pipe = Cylinder::new(Pose::IDENTITY, 1.0).unwrap();
    let shell = TiledBody::from_trim(pipe.into(), false, &[triangle]).unwrap();
    let pairs = [
        ([wavy(0.3, false), wavy(1.7, false)], [5.0, 7.0]),
        ([wavy(0.3, true), wavy(1.7, true)], [5.0, 7.0]),
        ([wavy(0.3, false), Body::from(window)], [4.5, 6.0]),
        ([bowl, pen], [9.0, 14.0]),
        ([Body::from(shell), wavy(0.3, true)], [4.5, 6.0]),
    ];
    for (at, ([a, b], [near, far])) in pairs.iter().enumerate() {
        for (seed, degrees) in [(1, 0.1), (2, 1.0), (3, 5.0)] {
            let poses: Vec<Pose> = Wander::new(seed, degrees, *near, *far).take(1500).collect();
            let mut tracker = CurvedTracker::new(a, b).unwrap();
            // Which body is inside the other is asked for once.
            tracker.update(&poses[0]).unwrap();
            let (mut apart, mut allocating) = (0, 0);
            for pose in &poses {
                let mut state = State::Touching;
                let count = allocations(|| state = black_box(tracker.update(pose)).unwrap().state);
                // What kind of contact it is, is found from scratch.
                if state == State::Separated {
                    (apart, allocating) = (apart + 1, allocating + u32::from(count > 0));
                }
            }
            assert!(allocating == 0 && apart > 1200, "pair {at}, {degrees} degrees: {allocating} of {apart}");
        }
    }
}

/// A sail that fills and slackens beside a stay at rest: its face is cut at the sides, which move with it.
#[test]
fn sail_allocates_nothing() {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let width = |i: usize, j: usize| i as f64 * [1.0, 1.0, 0.8, 0.4][j];
    let grid = |of: &dyn Fn(usize, usize) -> DVec3| -> Vec<Vec<DVec3>> {
        (0..4).map(|i| (0..4).map(|j| of(i, j)).collect()).collect()
    };
    let net = grid(&|i, j| DVec3::new(width(i, j), 0.0, 2.0 * j as f64));
    let inner = |j: usize| j == 1 || j == 2;
    let speed = |i: usize, j: usize| match (i, inner(j)) {
        (0, _) | (3, false) => 0.0,
        (3, true) => 0.3,
        (_, inner) => 0.2 + 0.8 * f64::from(u8::from(inner)),
    };
    let velocities = grid(&|i, j| DVec3::Y * speed(i, j));
    let cloth = NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    let face = DeformingFace::moving(DeformingPatch::new(cloth, &velocities).unwrap(), false);
    let sail = Body::from(DeformingBody::new(vec![face], None).unwrap());
    let stay = Body::from(TiledBody::cylinder(0.05, 9.0).unwrap());
    let lean = Pose::from_axis_angle(DVec3::X, 10_f64.to_radians(), DVec3::new(1.5, 1.6, 3.0)).unwrap();
    let mut tracker = CurvedTracker::new(&sail, &stay).unwrap();
    tracker.update(&lean).unwrap();
    let mut apart = 0;
    let count = allocations(|| {
        for frame in 0..3000 {
            tracker.set_time(0.7 - 0.7 * (0.003 * f64::from(frame)).cos()).unwrap();
            apart += usize::from(black_box(tracker.update(&lean)).unwrap().state == State::Separated);
        }
    });
    assert_eq!((count, apart), (0, 3000));
}

/// Bodies that change their shape, apart: the pieces are moved in place.
#[test]
fn curved_tracker_allocates_nothing_while_shapes_change() {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let at = |i: usize, j: usize| DVec3::new(i as f64 - 1.5, j as f64 - 1.5, 0.0);
    let grid = |of: &dyn Fn(usize, usize) -> DVec3| -> Vec<Vec<DVec3>> {
        (0..4).map(|i| (0..4).map(|j| of(i, j)).collect()).collect()
    };
    let sheet = NurbsSurface::new([3, 3], [ends(), ends()], &grid(&at), None).unwrap();
    let velocities = grid(&|i, j| DVec3::new(0.1, 0.0, (2.0 * i as f64 + 3.0 * j as f64).sin()));
    let face = DeformingFace::moving(DeformingPatch::new(sheet, &velocities).unwrap(), false);
    let flag = Body::from(DeformingBody::new(vec![face], None).unwrap());
    let ball = Body::from(TiledBody::ellipsoid([0.8, 0.6, 0.4]).unwrap());
    for (seed, degrees) in [(1, 0.1), (2, 1.0), (3, 5.0)] {
        let poses: Vec<Pose> = Wander::new(seed, degrees, 4.0, 6.0).take(200).collect();
        for bodies in [[&flag, &ball], [&flag, &flag]] {
            let mut tracker = CurvedTracker::new(bodies[0], bodies[1]).unwrap();
            // Which body is inside the other is asked for once.
            tracker.update(&poses[0]).unwrap();
            let mut apart = 0;
            let count = allocations(|| {
                for (frame, pose) in poses.iter().enumerate() {
                    tracker.set_time((0.01 * degrees * frame as f64).sin()).unwrap();
                    apart += usize::from(black_box(tracker.update(pose)).unwrap().state == State::Separated);
                }
            });
            assert_eq!((count, apart), (0, 200), "{degrees} degrees");
        }
    }
}
