//! Motion bounds against the motion of points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_geometry::{Bound, Clock, DQuat, DVec3, Interval, Pose, motion_bound, relative_motion_bound};
use common::Random;

fn vector(random: &mut Random, size: f64) -> DVec3 {
    size * DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
}

fn pose(random: &mut Random, size: f64) -> Pose {
    let q = DQuat::from_xyzw(
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
    );
    Pose::new(q.normalize(), vector(random, size)).unwrap()
}

/// A pose near another: turned about the world's origin by up to `angle`, shifted by up to `shift`.
fn step(random: &mut Random, from: &Pose, angle: f64, shift: f64) -> Pose {
    let axis = vector(random, 1.0).normalize();
    Pose::from_axis_angle(axis, random.range(0.0, angle), vector(random, shift)).unwrap() * *from
}

/// A point of the ball, on its surface half of the time.
fn point_of(random: &mut Random, (center, radius): (DVec3, f64)) -> DVec3 {
    let direction = vector(random, 1.0).normalize();
    center + direction * radius * if random.below(2) == 0 { 1.0 - 1e-15 } else { random.range(0.0, 1.0) }
}

/// R x + t as an interval, so that the test's own rounding does not count as motion.
fn moved(pose: &Pose, x: DVec3) -> [Interval; 3] {
    let r = pose.rotation().transpose();
    let x = x.to_array().map(Interval::point);
    let row =
        |row: DVec3, t: f64| Interval::dot(&row.to_array().map(Interval::point), &x) + Interval::point(t);
    let t = pose.translation();
    [row(r.x_axis, t.x), row(r.y_axis, t.y), row(r.z_axis, t.z)]
}

fn length(v: [Interval; 3]) -> Interval {
    v.iter().fold(Interval::ZERO, |sum, x| sum + x.square()).sqrt()
}

fn difference(one: [Interval; 3], other: [Interval; 3]) -> [Interval; 3] {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

#[test]
fn points_move_no_farther_than_the_bound() {
    let mut random = Random(3);
    let mut tight = 0;
    for round in 0..40_000 {
        let size = 10f64.powi(random.below(13) as i32 - 6);
        let offset = size * [0.0, 1.0, 1e4][random.below(3)];
        let angle = [0.0, 1e-12, 1e-6, 1e-2, 3.0][random.below(5)];
        let before = pose(&mut random, offset);
        let shift = size * [0.0, 1e-9, 1.0][random.below(3)];
        let after = step(&mut random, &before, angle, shift);
        let ball = (vector(&mut random, offset), size * random.range(0.1, 1.0));
        let bound = motion_bound(&before, &after, ball.0, ball.1);
        let x = point_of(&mut random, ball);
        let way = length(difference(moved(&after, x), moved(&before, x)));
        assert!(way.low() <= bound, "round {round}: moved {way:?}, bound {bound:e}");
        tight += usize::from(way.high() > 0.9 * bound);
    }
    assert!(tight > 2000, "only {tight} points moved nearly as far as their bound");
}

#[test]
fn turning_bound_is_reached_across_the_axis() {
    for angle in [1e-9, 1e-4, 0.3, 2.0, 3.1] {
        let turned = Pose::from_axis_angle(DVec3::Z, angle, DVec3::ZERO).unwrap();
        let bound = motion_bound(&Pose::IDENTITY, &turned, DVec3::ZERO, 1.0);
        let way = 2.0 * (0.5 * angle).sin();
        assert!(bound >= way && bound <= way * (1.0 + 1e-12) + 1e-13, "{angle}: {bound} against {way}");
    }
}

#[test]
fn no_pair_of_points_comes_nearer_than_the_relative_bound() {
    let mut random = Random(4);
    let (mut world, mut relative) = (0, 0);
    for round in 0..30_000 {
        let size = 10f64.powi(random.below(13) as i32 - 6);
        let offset = size * [1.0, 1e4][random.below(2)];
        let before = [pose(&mut random, offset), pose(&mut random, offset)];
        let carried = random.below(2) == 0;
        let together = step(&mut random, &Pose::IDENTITY, 1.0, size);
        let after = before.map(|p| {
            let p = if carried { together * p } else { p };
            let angle = [0.0, 1e-6, 0.1][random.below(3)];
            step(&mut random, &p, angle, 0.0)
        });
        let balls = [0, 1].map(|_| (vector(&mut random, size), size * random.range(0.1, 1.0)));
        let bound = bound_of(&before, &after, balls);
        let mirrored =
            relative_motion_bound([&before[1], &before[0]], [&after[1], &after[0]], [balls[1], balls[0]]);
        assert!((bound - mirrored).abs() <= 1e-12 * (bound + offset), "mirrored: {bound:e} {mirrored:e}");
        let x = [point_of(&mut random, balls[0]), point_of(&mut random, balls[1])];
        let gap = |poses: &[Pose; 2]| length(difference(moved(&poses[1], x[1]), moved(&poses[0], x[0])));
        let nearer = gap(&before) - gap(&after);
        assert!(nearer.low() <= bound, "round {round}: {nearer:?} nearer, bound {bound:e}");
        let alone: f64 = (0..2).map(|i| motion_bound(&before[i], &after[i], balls[i].0, balls[i].1)).sum();
        if bound < 0.5 * alone { relative += 1 } else { world += 1 }
    }
    assert!(world > 3000 && relative > 3000, "the mix is off: {world} {relative}");
}

fn bound_of(before: &[Pose; 2], after: &[Pose; 2], balls: [(DVec3, f64); 2]) -> f64 {
    relative_motion_bound([&before[0], &before[1]], [&after[0], &after[1]], balls)
}

#[test]
fn standing_still_costs_nothing() {
    let mut random = Random(5);
    for _ in 0..100 {
        let poses = [pose(&mut random, 1e3), pose(&mut random, 1e3)];
        assert_eq!(bound_of(&poses, &poses, [(DVec3::ONE, 1.0); 2]), 0.0);
        assert_eq!(motion_bound(&poses[0], &poses[0], DVec3::ONE, 1.0), 0.0);
    }
}

#[test]
fn clock_only_grows_and_bounds_only_shrink() {
    let mut clock = Clock::default();
    let bound = clock.bound(1.0);
    let mut last = bound.now(&clock);
    for step in [0.1, 0.0, -3.0, 1e-300, 0.7, f64::NAN] {
        let before = clock;
        clock.advance(step);
        assert!(clock >= before && bound.now(&clock) <= last);
        last = bound.now(&clock);
    }
    assert_eq!(last, f64::NEG_INFINITY);
    assert_eq!(Bound::NONE.now(&Clock::default()), f64::NEG_INFINITY);
    assert_eq!(clock.bound(f64::INFINITY).now(&clock), f64::NEG_INFINITY);
}
