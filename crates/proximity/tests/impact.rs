//! Time of impact against closed forms, and against dense sampling with its own motions and its own Lipschitz constants.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use clearance_geometry::surface::Plane;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{
    Body, DQuat, DVec2, DVec3, HalfSpace, Part, PartTree, PlanarTiled, Polygon, Polytope, Pose,
    curve::{PlanarCurve, Range},
};
use clearance_proximity::impact::{
    Impact, ImpactDemand, ImpactEnd, Motion, Move, planar_time_of_impact, time_of_impact,
};
use clearance_proximity::planar::PlanarBody;
use clearance_proximity::{Proximity, Scratch, State};
use clearance_testkit::Random;
use std::f64::consts::{PI, SQRT_2, TAU};
use std::time::Instant;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn linear(pose: Pose, velocity: DVec3) -> Motion {
    Motion::new(pose, vec![Move::steady(velocity, DVec3::ZERO).unwrap()])
}

fn sphere(radius: f64) -> Body {
    Body::from(TiledBody::sphere(radius).unwrap())
}

fn cuboid(x: f64, y: f64, z: f64) -> Body {
    Body::from(Polytope::cuboid(DVec3::new(x, y, z)).unwrap())
}

fn find(bodies: [&Body; 2], motions: [&Motion; 2], until: f64) -> Impact<Proximity> {
    time_of_impact(bodies, motions, [0.0, until], &ImpactDemand::default()).unwrap()
}

/// Asserts that the interval holds `exact`, within rounding, and is no wider than `width`.
#[track_caller]
fn assert_holds(found: &Impact<Proximity>, exact: f64, width: f64) {
    assert_eq!(found.ended, ImpactEnd::Contact, "{found:?}");
    let by = found.contact_by.unwrap();
    let rounding = 1e-12 * (1.0 + exact);
    assert!(found.free_until <= exact + rounding, "{} is after {exact}: {:?}", found.free_until, found.work);
    assert!(by >= exact - rounding, "{by} is before {exact}");
    assert!(by - found.free_until <= width, "{} … {by} around {exact}", found.free_until);
    assert!(found.contact.as_ref().is_some_and(|seen| seen.answer.state != State::Separated));
}

#[test]
fn spheres_meet_when_the_quadratic_says() {
    let mut random = Random::new(1);
    let (mut contacts, mut free) = (0, 0);
    for case in 0..150 {
        let scale = *random.pick(&[1e-6, 1.0, 1e6]);
        let far = if random.chance(0.5) { DVec3::ZERO } else { random.direction() * 2e4 * scale };
        let radii = [random.uniform(0.2, 1.0) * scale, random.uniform(0.2, 1.0) * scale];
        let places = [far, far + random.direction() * random.uniform(2.5, 5.0) * scale];
        let aimed = (places[0] - places[1]) / 3.0 * random.uniform(0.0, 2.0);
        let velocities = [random.in_ball() * scale, aimed + random.in_ball() * scale];
        let (p, v) = (places[1] - places[0], velocities[1] - velocities[0]);
        let sum = radii[0] + radii[1];
        let (a, b, c) = (v.length_squared(), p.dot(v), p.length_squared() - sum * sum);
        let under = b * b - a * c;
        // Grazing encounters are a test of their own.
        if under.abs() < 1e-3 * b * b {
            continue;
        }
        let until = 20.0;
        let exact = (under > 0.0 && b < 0.0).then(|| (-b - under.sqrt()) / a).filter(|t| *t < until);
        let [one, other] = radii.map(sphere);
        let motions =
            [0, 1].map(|i: usize| linear(Pose::from_translation(places[i]).unwrap(), velocities[i]));
        let found = find([&one, &other], [&motions[0], &motions[1]], until);
        match exact {
            Some(exact) => {
                contacts += 1;
                let rounding = if far == DVec3::ZERO { 1e-12 } else { 1e-8 };
                assert_eq!(found.ended, ImpactEnd::Contact, "case {case}: {found:?}");
                assert!(found.free_until <= exact + rounding, "case {case}");
                assert!(found.contact_by.unwrap() >= exact - rounding, "case {case}");
                // Spheres that pass at a flat angle are in contact a little later than they nearly are.
                assert!(found.contact_by.unwrap() - found.free_until < 1e-4, "case {case}: {found:?}");
            }
            None => {
                free += 1;
                assert_eq!(found.ended, ImpactEnd::Free, "case {case}: {found:?}");
            }
        }
        assert!(found.work.looks < 60, "case {case}: {:?}", found.work);
    }
    assert!(contacts > 15 && free > 40, "{contacts} contacts, {free} free");
}

#[test]
fn point_on_a_spinning_arm_meets_a_plane() {
    for scale in [1e-6, 1.0, 1e6] {
        let floor = Body::from(HalfSpace::new(DVec3::Z, -0.5 * scale).unwrap());
        let point = Body::from(Polytope::point());
        let still = Motion::still(Pose::IDENTITY);
        let spin = Move::spin(DVec3::Y, DVec3::ZERO, 2.0).unwrap();
        // From (1, 0, 0) the point goes to z = −sin 2t.
        let arm = Motion::new(at(scale, 0.0, 0.0), vec![spin]);
        let exact = 0.5_f64.asin() / 2.0;
        let found = find([&floor, &point], [&still, &arm], 10.0);
        assert_holds(&found, exact, 1e-5);
        // The same with the plane turning about the point instead, as seen from it.
        let back = Motion::new(Pose::IDENTITY, vec![Move::spin(DVec3::Y, DVec3::ZERO, -2.0).unwrap()]);
        let found = find([&floor, &point], [&back, &Motion::still(at(scale, 0.0, 0.0))], 10.0);
        assert_holds(&found, exact, 1e-5);
        let swapped = find([&point, &floor], [&Motion::still(at(scale, 0.0, 0.0)), &back], 10.0);
        assert_holds(&swapped, exact, 1e-5);
    }
}

#[test]
fn point_that_stays_over_the_plane_is_proven_free() {
    let floor = Body::from(HalfSpace::new(DVec3::Z, -1.5).unwrap());
    let point = Body::from(Polytope::point());
    let arm = Motion::new(at(1.0, 0.0, 0.0), vec![Move::spin(DVec3::Y, DVec3::ZERO, 2.0).unwrap()]);
    let found = find([&floor, &point], [&Motion::still(Pose::IDENTITY), &arm], 20.0);
    assert_eq!((found.ended, found.free_until), (ImpactEnd::Free, 20.0));
    assert!(found.work.looks < 400, "{:?}", found.work);
}

#[test]
fn start_in_contact_is_contact_at_the_start() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let still = Motion::still(Pose::IDENTITY);
    for x in [0.0, 0.5, 1.0] {
        let found = find([&cube, &cube], [&still, &linear(at(x, 0.0, 0.0), DVec3::X)], 1.0);
        assert_eq!((found.ended, found.free_until, found.contact_by), (ImpactEnd::Contact, 0.0, Some(0.0)));
        let state = found.contact.unwrap().answer.state;
        assert_eq!(state == State::Touching, x == 1.0);
    }
}

#[test]
fn bodies_without_motion_or_that_separate_are_free_at_once() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    for body in [&cube, &ring] {
        let found = find([&cube, body], [&still, &Motion::still(at(5.0, 0.0, 0.0))], 1e6);
        assert_eq!((found.ended, found.free_until), (ImpactEnd::Free, 1e6));
        assert!(found.work.looks <= 2);
        let found = find([&cube, body], [&still, &linear(at(5.0, 0.0, 0.0), DVec3::new(1.0, 0.3, 0.0))], 1e6);
        assert_eq!((found.ended, found.free_until), (ImpactEnd::Free, 1e6));
        assert!(found.work.looks <= 4, "{:?}", found.work);
    }
}

#[test]
fn resting_contact_is_contact_and_a_hair_above_is_free() {
    let block = cuboid(1.0, 1.0, 1.0);
    let floor = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    let sliding = |z: f64| linear(at(0.0, 0.0, z), DVec3::new(1.0, 0.5, 0.0));
    let found = find([&floor, &block], [&still, &sliding(0.5)], 10.0);
    assert_eq!((found.ended, found.contact_by), (ImpactEnd::Contact, Some(0.0)));
    let found = find([&floor, &block], [&still, &sliding(0.5 + 1e-9)], 10.0);
    assert_eq!(found.ended, ImpactEnd::Free);
}

#[test]
fn grazing_spheres_are_told_apart() {
    let ball = sphere(0.5);
    let still = Motion::still(Pose::IDENTITY);
    for (off, touches) in [(1e-7, false), (1e-10, false), (-1e-7, true), (-1e-10, true)] {
        let passing = linear(at(-4.0, 1.0 + off, 0.0), DVec3::X);
        let found = find([&ball, &ball], [&still, &passing], 10.0);
        assert_eq!(found.ended == ImpactEnd::Contact, touches, "{off}: {found:?}");
        assert!(found.work.looks < 200, "{off}: {:?}", found.work);
        if touches {
            let inside = (2.0 * -off).sqrt();
            assert!(
                found.free_until <= 4.0 - inside + 1e-9 && found.contact_by.unwrap() <= 4.0 + inside + 1e-9
            );
        }
    }
    // Exactly in touch for one moment: rounding decides, but the time before is free.
    let found = find([&ball, &ball], [&still, &linear(at(-4.0, 1.0, 0.0), DVec3::X)], 10.0);
    assert!(found.free_until > 4.0 - 1e-3, "{found:?}");
    assert_ne!(found.ended, ImpactEnd::Free);
}

#[test]
fn spin_about_the_own_axis_costs_little() {
    let can = Body::from(TiledBody::cylinder(0.5, 20.0).unwrap());
    let floor = Body::from(HalfSpace::new(DVec3::X, -0.75).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    // A long shaft at 1000 rad/s, a quarter above the floor.
    let shaft = Motion::new(Pose::IDENTITY, vec![Move::steady(DVec3::ZERO, DVec3::Z * 1000.0).unwrap()]);
    let found = find([&floor, &can], [&still, &shaft], 1.0);
    assert_eq!(found.ended, ImpactEnd::Free);
    assert!(found.work.looks < 2000, "{:?}", found.work);
    // Spinning about the normal is free of charge.
    let wall = Body::from(HalfSpace::new(DVec3::Z, -12.0).unwrap());
    let found = find([&wall, &can], [&still, &shaft], 1.0);
    assert_eq!(found.ended, ImpactEnd::Free);
    assert!(found.work.looks <= 3, "{:?}", found.work);
}

#[test]
fn motion_in_common_is_no_motion() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let platform = || Move::spin(DVec3::Z, DVec3::new(50.0, 0.0, 0.0), 100.0).unwrap();
    let drive = || Move::steady(DVec3::X * 1e3, DVec3::ZERO).unwrap();
    let riding = |x: f64| Motion::new(at(x, 0.0, 0.0), vec![platform(), drive()]);
    let found = find([&ring, &ring], [&riding(0.0), &riding(5.1)], 100.0);
    assert_eq!(found.ended, ImpactEnd::Free);
    assert!(found.work.looks <= 2);
}

#[test]
fn keyframes_are_followed_segment_by_segment() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let still = Motion::still(Pose::IDENTITY);
    // Past the cube at a distance, then back and down on it.
    let frames = [
        (0.0, at(-3.0, 0.0, 3.0)),
        (2.0, at(3.0, 0.0, 3.0)),
        (3.0, at(0.0, 0.0, 3.0)),
        (4.0, at(0.0, 0.0, 0.0)),
    ];
    let path = Motion::new(Pose::IDENTITY, vec![Move::keyframes(&frames).unwrap()]);
    let found = find([&cube, &cube], [&still, &path], 10.0);
    assert_holds(&found, 3.0 + 2.0 / 3.0, 1e-5);
    let held = Motion::new(Pose::IDENTITY, vec![Move::keyframes(&frames[..3]).unwrap()]);
    assert_eq!(find([&cube, &cube], [&still, &held], 1e4).ended, ImpactEnd::Free);
}

#[test]
fn budget_that_ends_leaves_a_proven_time() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let start = Pose::from_axis_angle(DVec3::X, PI / 2.0, DVec3::X * 2.0).unwrap();
    let spin = Move::steady(DVec3::ZERO, DVec3::new(0.0, 1.0, 0.4)).unwrap();
    let demand = ImpactDemand { max_looks: 3, ..ImpactDemand::default() };
    let motions = [&Motion::still(Pose::IDENTITY), &Motion::new(start, vec![spin])];
    let found = time_of_impact([&ring, &ring], motions, [0.0, 100.0], &demand).unwrap();
    assert_eq!(found.ended, ImpactEnd::Limit);
    assert!(found.free_until > 0.0 && found.free_until < 100.0 && found.contact_by.is_none());
    let late = ImpactDemand { deadline: Some(Instant::now()), ..ImpactDemand::default() };
    let found = time_of_impact([&ring, &ring], motions, [0.0, 100.0], &late).unwrap();
    assert_eq!((found.ended, found.work.looks), (ImpactEnd::Limit, 1));
    assert!(found.contact_by.is_none());
}

#[test]
fn bad_arguments_are_refused_by_name() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let floor = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    let ask = |bodies: [&Body; 2], span: [f64; 2], tolerance: Option<f64>| {
        let demand = ImpactDemand { tolerance, ..ImpactDemand::default() };
        time_of_impact(bodies, [&still, &still], span, &demand).map(|_| ()).unwrap_err().to_string()
    };
    assert!(ask([&cube, &cube], [0.0, f64::NAN], None).contains("span"));
    assert!(ask([&cube, &cube], [1.0, 0.0], None).contains("span"));
    assert!(ask([&cube, &cube], [0.0, 1.0], Some(0.0)).contains("tolerance"));
    assert!(ask([&floor, &floor], [0.0, 1.0], None).contains("half-space"));
    assert!(Move::spin(DVec3::ZERO, DVec3::ZERO, 1.0).is_err());
    assert!(Move::steady(DVec3::X * f64::NAN, DVec3::ZERO).is_err());
    assert!(Move::keyframes(&[]).is_err());
    assert!(Move::keyframes(&[(1.0, Pose::IDENTITY), (1.0, Pose::IDENTITY)]).is_err());
}

/// A motion as the test itself understands it: numbers, a pose by quaternions, and a speed limit for points of the body.
#[derive(Clone, Debug)]
struct Plan {
    start: (DVec3, DQuat),
    steady: (DVec3, DVec3),
    spin: (DVec3, DVec3, f64),
    inner: (DVec3, f64),
}

impl Plan {
    fn random(random: &mut Random, place: DVec3, speed: f64) -> Self {
        let axis = random.direction();
        let on = |random: &mut Random| if random.chance(0.6) { random.uniform(-speed, speed) } else { 0.0 };
        Self {
            start: (place, random.quaternion()),
            steady: ((random.in_ball() - place / 2.0) * speed, random.in_ball() * on(random)),
            spin: (axis, random.in_ball() * 2.0, on(random)),
            inner: (random.direction(), on(random)),
        }
    }

    fn motion(&self) -> Motion {
        let inner = Move::spin(self.inner.0, DVec3::new(0.1, 0.0, 0.2), self.inner.1).unwrap().in_body();
        let steady = Move::steady(self.steady.0, self.steady.1).unwrap();
        let spin = Move::spin(self.spin.0, self.spin.1, self.spin.2).unwrap();
        Motion::new(Pose::new(self.start.1, self.start.0).unwrap(), vec![inner, steady, spin])
    }

    fn pose(&self, t: f64) -> Pose {
        let turned = |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis, angle);
        // In the body, about a pivot of its own.
        let (q, pivot) = (turned(self.inner.0, self.inner.1 * t), DVec3::new(0.1, 0.0, 0.2));
        let (mut place, mut turn) = (self.start.0 + self.start.1 * (pivot - q * pivot), self.start.1 * q);
        let rate = self.steady.1.length();
        if rate > 0.0 {
            turn = turned(self.steady.1 / rate, rate * t) * turn;
        }
        place += self.steady.0 * t;
        let q = turned(self.spin.0, self.spin.2 * t);
        Pose::new((q * turn).normalize(), self.spin.1 + q * (place - self.spin.1)).unwrap()
    }

    /// No point within `reach` of the body's origin is faster up to time `until`.
    fn limit(&self, reach: f64, until: f64) -> f64 {
        let inner = self.inner.1.abs() * (reach + 0.25);
        let steady = self.steady.0.length() + self.steady.1.length() * (reach + 0.5);
        let far = self.start.0.length() + 1.0 + self.steady.0.length() * until + self.spin.1.length() + reach;
        inner + steady + self.spin.2.abs() * far
    }
}

#[test]
fn velocities_are_the_differences_of_poses() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let place = random.direction() * 3.0;
        let plan = Plan::random(&mut random, place, 2.0);
        let (motion, t, h) = (plan.motion(), random.uniform(0.0, 5.0), 1e-5);
        let [velocity, angular] = motion.velocities(t);
        let [before, after] = [t - h, t + h].map(|time| plan.pose(time));
        let slope = (after.translation() - before.translation()) / (2.0 * h);
        assert!(slope.distance(velocity) < 1e-6, "{slope} {velocity}");
        let turn = after.quaternion() * before.quaternion().conjugate();
        let turned = turn.to_scaled_axis();
        assert!((turned / (2.0 * h)).distance(angular) < 1e-6, "{turned} {angular}");
    }
}

/// The first time at which bodies are in contact, in steps that the speed limit allows; exact to
/// `resolution`. Returns (a time that nothing is closer before, whether there is contact then).
fn sampled(bodies: [&Body; 2], plans: [&Plan; 2], until: f64, speed: f64, resolution: f64) -> (f64, bool) {
    let mut scratch = Scratch::new();
    let mut distance = |t: f64| {
        let pose_ab = Pose::between(&plans[0].pose(t), &plans[1].pose(t));
        scratch.distance(bodies[0], bodies[1], &pose_ab).unwrap().distance
    };
    let mut t = 0.0;
    loop {
        let apart = distance(t);
        if apart == 0.0 || t >= until {
            return (t, apart == 0.0);
        }
        t = (t + (apart / speed).max(resolution)).min(until);
    }
}

fn pool() -> Vec<(&'static str, Body, f64)> {
    let corners: Vec<DVec3> = {
        let mut random = Random::new(9);
        (0..30).map(|_| random.direction()).collect()
    };
    let part = |x: f64| (Part::Polytope(Polytope::cuboid(DVec3::splat(0.6)).unwrap()), at(x, 0.0, 0.0));
    let ball = (Part::Tiled(TiledBody::sphere(0.4).unwrap()), at(0.0, 0.6, 0.0));
    vec![
        ("box", cuboid(1.0, 0.6, 0.4), 0.7),
        ("hull", Body::from(Polytope::from_points(&corners).unwrap()), 1.0),
        ("cylinder", Body::from(TiledBody::cylinder(0.4, 1.2).unwrap()), 0.8),
        ("ellipsoid", Body::from(TiledBody::ellipsoid([0.3, 0.6, 0.9]).unwrap()), 0.9),
        ("torus", Body::from(TiledBody::torus(0.7, 0.2).unwrap()), 0.9),
        ("union", Body::from(PartTree::of_parts(vec![part(-0.5), part(0.5), ball]).unwrap()), 1.1),
        ("point", Body::from(Polytope::point()), 0.0),
    ]
}

#[test]
fn random_motions_agree_with_sampling() {
    let bodies = pool();
    let mut random = Random::new(5);
    let (mut contacts, mut free, mut limits) = (0, 0, 0);
    for case in 0..120 {
        let (one, other) = (random.pick(&bodies).clone(), random.pick(&bodies).clone());
        let until = 2.0;
        let beside = random.direction() * 3.0;
        let plans = [Plan::random(&mut random, DVec3::ZERO, 0.8), Plan::random(&mut random, beside, 0.8)];
        let motions = [plans[0].motion(), plans[1].motion()];
        for (plan, motion) in plans.iter().zip(&motions) {
            let (own, theirs) = (plan.pose(1.3), motion.pose(1.3).unwrap());
            assert!(own.apply(DVec3::ONE).distance(theirs.apply(DVec3::ONE)) < 1e-13, "the same motion");
        }
        let demand = ImpactDemand { tolerance: Some(1e-5), max_looks: 500, ..ImpactDemand::default() };
        let pair = [&one.1, &other.1];
        let found = time_of_impact(pair, [&motions[0], &motions[1]], [0.0, until], &demand).unwrap();
        let speed = plans[0].limit(one.2, until) + plans[1].limit(other.2, until);
        let (first, meets) = sampled(pair, [&plans[0], &plans[1]], until, speed, 1e-4);
        let what = format!("case {case}: {} and {}, sampled {first} {meets}, {found:?}", one.0, other.0);
        match found.ended {
            ImpactEnd::Contact => {
                contacts += 1;
                let by = found.contact_by.unwrap();
                assert!(found.free_until <= first + 1e-9, "{what}");
                // Sampling steps over contacts that are shorter than its resolution.
                let [a, b] = [0, 1].map(|i: usize| plans[i].pose(by + 1e-9));
                let there = Scratch::new().distance(pair[0], pair[1], &Pose::between(&a, &b)).unwrap();
                assert!(there.distance < 1e-7, "{what}");
                assert!(by - found.free_until < 1e-2, "{what}");
            }
            ImpactEnd::Free => {
                free += 1;
                assert!(!meets, "{what}");
            }
            ImpactEnd::Limit => {
                limits += 1;
                assert!(found.free_until <= first + 1e-9, "{what}");
            }
        }
    }
    assert!(contacts >= 25 && free >= 25 && limits <= 5, "{contacts} contacts, {free} free, {limits} limits");
}

#[test]
fn scale_and_place_do_not_matter() {
    let mut counts = Vec::new();
    for (scale, far) in [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e4)] {
        let one = cuboid(scale, 0.6 * scale, 0.4 * scale);
        let other = Body::from(TiledBody::cylinder(0.4 * scale, 1.2 * scale).unwrap());
        let shift = DVec3::new(far, -far, far) * scale;
        let spin = Move::steady(DVec3::new(-1.0, 0.1, 0.0) * scale, DVec3::new(0.5, 1.0, 0.3)).unwrap();
        let moving = Motion::new(Pose::from_translation(shift + DVec3::X * 3.0 * scale).unwrap(), vec![spin]);
        let still = Motion::still(Pose::from_translation(shift).unwrap());
        let found = find([&one, &other], [&still, &moving], 10.0);
        assert_eq!(found.ended, ImpactEnd::Contact);
        counts.push((found.free_until, found.contact_by.unwrap()));
    }
    for (free, by) in &counts {
        assert!(free <= &(counts[0].1 + 1e-9) && by >= &(counts[0].0 - 1e-9), "{counts:?}");
        assert!(by - free < 1e-4, "{counts:?}");
    }
}

#[test]
fn swapped_bodies_meet_at_the_same_time() {
    let (one, other) = (cuboid(1.0, 0.6, 0.4), Body::from(TiledBody::torus(0.7, 0.2).unwrap()));
    let spin = Move::steady(DVec3::new(-1.0, 0.1, 0.0), DVec3::new(0.5, 1.0, 0.3)).unwrap();
    let (still, moving) = (Motion::still(Pose::IDENTITY), Motion::new(at(3.0, 0.0, 0.0), vec![spin]));
    let found = find([&one, &other], [&still, &moving], 10.0);
    let back = find([&other, &one], [&moving, &still], 10.0);
    assert_eq!((found.ended, back.ended), (ImpactEnd::Contact, ImpactEnd::Contact));
    assert!(found.free_until <= back.contact_by.unwrap() && back.free_until <= found.contact_by.unwrap());
}

#[test]
fn ring_on_a_pin_is_told_when_it_touches() {
    // A ring around a pin, which no plane separates, drifts until it touches.
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let pin = Body::from(TiledBody::cylinder(0.25, 6.0).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    let found = find([&ring, &pin], [&still, &linear(Pose::IDENTITY, DVec3::X)], 10.0);
    assert_holds(&found, 1.25, 1e-4);
    // Turning about its own axis all the while, it is charged for the turn of the pin by its radius only.
    let turning = Move::steady(DVec3::X, DVec3::Z * 3.0).unwrap();
    let found = find([&ring, &pin], [&still, &Motion::new(Pose::IDENTITY, vec![turning])], 10.0);
    assert_holds(&found, 1.25, 1e-4);
    assert!(found.work.looks < 100, "{:?}", found.work);
}

fn planar_at(x: f64, y: f64) -> Pose {
    at(x, y, 0.0)
}

#[test]
fn planar_bodies_meet_when_the_formula_says() {
    let circle = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false).unwrap();
    let disk = PlanarBody::from(PlanarTiled::new(vec![(circle, Range::new(0.0, TAU))]).unwrap());
    let square = PlanarBody::from(Polygon::rectangle(DVec2::splat(2.0)).unwrap());
    let still = Motion::still(Pose::IDENTITY);
    let demand = ImpactDemand::default();
    // The square turns about its centre, a disk comes from the right.
    let turning = Motion::new(Pose::IDENTITY, vec![Move::spin(DVec3::Z, DVec3::ZERO, 1.0).unwrap()]);
    let coming = linear(planar_at(4.0, 0.0), DVec3::X * -1.0);
    for (one, motion, exact) in [(&square, &still, 2.0), (&disk, &still, 2.0)] {
        let found = planar_time_of_impact([one, &disk], [motion, &coming], [0.0, 10.0], &demand).unwrap();
        assert_eq!(found.ended, ImpactEnd::Contact);
        assert!(found.free_until <= exact + 1e-12 && found.contact_by.unwrap() >= exact - 1e-12);
        assert!(found.contact_by.unwrap() - found.free_until < 1e-5, "{found:?}");
    }
    // A turning square beside a disk that its corners just miss, and one that they do not.
    for (x, meets) in [(1.0 + SQRT_2 + 1e-6, false), (1.0 + SQRT_2 - 1e-3, true)] {
        let beside = Motion::still(planar_at(x, 0.0));
        let found =
            planar_time_of_impact([&square, &disk], [&turning, &beside], [0.0, 3.0], &demand).unwrap();
        assert_eq!(found.ended == ImpactEnd::Contact, meets, "{x}: {found:?}");
    }
    let out_of_plane = Motion::new(Pose::IDENTITY, vec![Move::spin(DVec3::X, DVec3::ZERO, 1.0).unwrap()]);
    assert!(planar_time_of_impact([&square, &disk], [&out_of_plane, &coming], [0.0, 1.0], &demand).is_err());
}

/// A point is on a surface for a moment alone, and no look finds it inside anything.
#[test]
fn points_that_pass_through_surfaces_meet_them() {
    let mut random = Random::new(29);
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(DVec2::from).to_vec();
    let sheet = |size: f64| {
        let ring = square.iter().map(|p| *p * size).collect::<Vec<_>>();
        Body::from(TiledBody::from_trim(Plane::new(Pose::IDENTITY).into(), false, &[ring]).unwrap())
    };
    for size in [1e-5, 1.0, 1e5] {
        for k in 0..60 {
            let target = DVec3::new(random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), 0.0) * size;
            let (body, target) = match k % 3 {
                0 => (sheet(size), target),
                1 => (cuboid(2.0 * size, 2.0 * size, 2.0 * size).boundary(), target + DVec3::Z * size),
                _ => (sphere(size).boundary(), random.direction() * size),
            };
            let out = if k % 3 == 2 { target / size } else { DVec3::Z };
            let way = (random.direction() * 0.9 - out).normalize();
            let (speed, time) = (size * random.uniform(0.1, 3.0), random.uniform(0.3, 4.0));
            let start = Pose::from_translation(target - way * speed * time).unwrap();
            let point = Body::from(Polytope::point());
            let still = Motion::still(Pose::IDENTITY);
            let found = find([&point, &body], [&linear(start, way * speed), &still], 5.0);
            assert_eq!(found.ended, ImpactEnd::Contact, "{size} {k}: {found:?}");
            assert_holds(&found, time, 5e-5);
        }
    }
}
