//! The methods as published: derivatives, boundary automaton, gains, switching, the top-down search.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{PlanarCurve, Range, Rect};
use clearance_geometry::surface::{Cylinder, Ellipsoid, NurbsSurface, Plane, Sphere};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec2, DVec3, PlanarTiled, Pose};
use clearance_proximity::published::{
    Carrier, Controller, Couple, Diagram, FeatureGraph, Four, GainRule, Hold, Hybrid, Integrator, Method,
    Moment, OutlineTracker, SecondOrder, Settings, Stepped, TopDown, Velocity, gain_limits,
    printed_lowest_gain,
};
use clearance_proximity::{Precision, nearest_points};

fn patch(surface: impl Into<clearance_geometry::surface::Surface>, u: (f64, f64), v: (f64, f64)) -> Carrier {
    Carrier::Patch { surface: surface.into(), rect: Rect::new(Range::new(u.0, u.1), Range::new(v.0, v.1)) }
}

fn at(translation: [f64; 3]) -> Pose {
    Pose::from_translation(translation.into()).unwrap()
}

/// An ellipsoid and a cylinder, apart.
fn two_patches() -> Couple {
    Couple {
        a: patch(Ellipsoid::new(Pose::IDENTITY, [1.0, 1.5, 0.8]).unwrap(), (-1.2, 1.2), (-1.0, 1.0)),
        b: patch(Cylinder::new(Pose::IDENTITY, 0.7).unwrap(), (2.0, 4.2), (-1.0, 1.0)),
    }
}

fn squared(couple: &Couple, x: &Four, pose: &Pose) -> f64 {
    couple.state(x, pose).difference.length_squared() / 2.0
}

#[test]
fn errors_and_matrix_are_derivatives_of_half_the_squared_distance() {
    let couple = two_patches();
    let pose = Pose::from_axis_angle(DVec3::new(0.3, 1.0, -0.2).normalize(), 0.7, DVec3::new(2.5, 0.3, -0.4))
        .unwrap();
    let x = [0.3, -0.2, 3.0, 0.4];
    let state = couple.state(&x, &pose);
    let step = 1e-5;
    for i in 0..4 {
        let moved = |by: f64| {
            let mut y = x;
            y[i] += by;
            y
        };
        let slope =
            (squared(&couple, &moved(step), &pose) - squared(&couple, &moved(-step), &pose)) / (2.0 * step);
        assert!((slope - state.errors[i]).abs() < 1e-8, "{i}: {slope} {}", state.errors[i]);
        for j in 0..4 {
            let [up, down] = [step, -step].map(|by| couple.state(&moved(by), &pose).errors[j]);
            assert!(((up - down) / (2.0 * step) - state.matrix[i][j]).abs() < 1e-8);
            assert_eq!(state.matrix[i][j], state.matrix[j][i]);
        }
    }
}

#[test]
fn drift_is_the_derivative_of_the_errors_by_time() {
    let couple = two_patches();
    let (velocity, angular) = (DVec3::new(0.4, -0.3, 0.2), DVec3::new(0.5, 0.8, -0.6));
    let start = Pose::from_axis_angle(DVec3::X, 0.4, DVec3::new(2.5, 0.3, -0.4)).unwrap();
    let pose = |t: f64| {
        let turn = Pose::from_axis_angle(angular.normalize(), angular.length() * t, velocity * t).unwrap();
        Pose::new(turn.quaternion() * start.quaternion(), turn.apply(start.translation())).unwrap()
    };
    let moment = Moment { pose_ab: start, velocity, angular };
    let x = [0.3, -0.2, 3.0, 0.4];
    let state = couple.state(&x, &start);
    let step = 1e-5;
    let [full, printed] = [Velocity::Full, Velocity::RotationAlone].map(|known| state.drift(&moment, known));
    let mut missed = 0.0_f64;
    for k in 0..4 {
        let [up, down] = [step, -step].map(|t| couple.state(&x, &pose(t)).errors[k]);
        let slope = (up - down) / (2.0 * step);
        assert!((slope - full[k]).abs() < 1e-8, "{k}: {slope} {}", full[k]);
        missed = missed.max((slope - printed[k]).abs());
    }
    assert!(missed > 0.1, "the printed b leaves out the translation");
    assert_eq!(state.drift(&moment, Velocity::Ignored), [0.0; 4]);
}

#[test]
fn names_choose_method_and_integrator() {
    for (name, method) in [("newton", Method::Newton), ("feedback", Method::Feedback), ("auto", Method::Auto)]
    {
        assert_eq!(name.parse(), Ok(method));
        assert_eq!(method.to_string(), name);
    }
    assert_eq!("rk2".parse(), Ok(Integrator::RungeKutta2));
    assert_eq!("euler".parse::<Integrator>().unwrap().to_string(), "euler");
    let error = "gauss".parse::<Method>().unwrap_err();
    assert!(error.to_string().contains("gauss") && error.to_string().contains("switching"));
}

/// The steps of a controller beside a point at rest; the parameters at its end.
fn settled(couple: &Couple, pose: Pose, settings: Settings, start: Four, steps: u32) -> Controller {
    let mut controller = Controller::new(settings, start);
    for step in 0..steps {
        controller.step(couple, &|_| Moment::resting(pose), f64::from(step) / settings.rate);
    }
    controller
}

#[test]
fn every_method_finds_the_closest_points_of_two_patches() {
    let couple = two_patches();
    let pose = at([2.5, 0.2, 0.1]);
    let mut found: Vec<f64> = Vec::new();
    for method in [Method::Newton, Method::Feedback, Method::Switching, Method::Auto] {
        for integrator in [Integrator::Euler, Integrator::RungeKutta2, Integrator::RungeKutta4] {
            let gain = if method == Method::Switching { 100.0 } else { 200.0 };
            let settings = Settings { method, integrator, gain, ..Settings::default() };
            let end = settled(&couple, pose, settings, [0.1, -0.1, 3.0, 0.0], 3000);
            found.push(couple.state(&end.at, &pose).distance());
        }
    }
    assert!(found.iter().all(|d| (d - found[0]).abs() < 1e-9), "{found:?}");
    assert!(found[0] > 0.5);
}

#[test]
fn corner_holds_both_parameters() {
    let couple = Couple {
        a: patch(Plane::new(Pose::IDENTITY), (0.0, 1.0), (0.0, 1.0)),
        b: Carrier::Point(DVec3::ZERO),
    };
    let settings = Settings { method: Method::Switching, gain: 50.0, ..Settings::default() };
    let controller = settled(&couple, at([-1.0, -2.0, 1.0]), settings, [0.5, 0.5, 0.0, 0.0], 400);
    assert_eq!(controller.at, [0.0; 4]);
    assert_eq!((controller.holds[0], controller.holds[1]), (Hold::Low, Hold::Low));
    assert_eq!(controller.mode(), "1+2");
    let free = Settings { saturated: false, ..settings };
    let outside = settled(&couple, at([-1.0, -2.0, 1.0]), free, [0.5, 0.5, 0.0, 0.0], 400);
    assert!((outside.at[0] + 1.0).abs() < 1e-6 && outside.mode() == "5");
}

#[test]
fn distance_falls_at_every_step_of_the_switching_controller() {
    let couple = two_patches();
    let pose = at([2.5, 1.2, 1.4]);
    for (enhanced, rule) in [
        (false, GainRule::Constant),
        (true, GainRule::Constant),
        (false, GainRule::Exponential { ball: 0.05 }),
    ] {
        let gain = if rule == GainRule::Constant { 40.0 } else { 2.0 };
        let settings = Settings {
            method: Method::Switching,
            gain,
            enhanced,
            rule,
            rate: 10_000.0,
            ..Settings::default()
        };
        let mut controller = Controller::new(settings, [-1.0, -0.9, 2.2, 0.9]);
        let mut last = f64::INFINITY;
        for step in 0..2000 {
            let now = couple.state(&controller.at, &pose).distance();
            assert!(now <= last * (1.0 + 1e-14), "{enhanced} {rule:?} step {step}: {now} after {last}");
            last = now;
            let moved = controller.step(&couple, &|_| Moment::resting(pose), f64::from(step) / settings.rate);
            assert_eq!(moved, Stepped::Moved);
        }
    }
}

#[test]
fn enhanced_form_lags_less_behind_a_moving_point() {
    let couple = Couple {
        a: patch(Sphere::new(Pose::IDENTITY, 1.0).unwrap(), (-1.5, 1.5), (-1.0, 1.0)),
        b: Carrier::Point(DVec3::ZERO),
    };
    let moments = |t: f64| {
        let place = DVec3::new(2.0 * (0.5 * t).cos(), 2.0 * (0.5 * t).sin(), 0.0);
        Moment::moving(Pose::from_translation(place).unwrap(), DVec3::new(-place.y, place.x, 0.0) * 0.5)
    };
    let lag = |enhanced: bool| {
        let settings = Settings { method: Method::Switching, gain: 5.0, enhanced, ..Settings::default() };
        let mut controller = Controller::new(settings, [0.0; 4]);
        for step in 0..2000 {
            controller.step(&couple, &moments, f64::from(step) / settings.rate);
        }
        (controller.at[0] - 1.0).abs()
    };
    let (plain, enhanced) = (lag(false), lag(true));
    // v / (K λ) with λ = 2: 0.05 radians.
    assert!((plain - 0.05).abs() < 0.005, "{plain}");
    assert!(enhanced < plain / 10.0, "{enhanced} {plain}");
}

#[test]
fn gain_limits_are_where_the_controller_breaks() {
    let couple = Couple {
        a: patch(Sphere::new(Pose::IDENTITY, 1.0).unwrap(), (-1.5, 1.5), (-1.0, 1.0)),
        b: Carrier::Point(DVec3::ZERO),
    };
    let pose = at([2.0, 0.0, 0.0]);
    for integrator in [Integrator::Euler, Integrator::RungeKutta2, Integrator::RungeKutta4] {
        for method in [Method::Switching, Method::Feedback] {
            let settings = Settings { method, integrator, ..Settings::default() };
            let limits = gain_limits(&couple, &[0.0; 4], &Moment::resting(pose), &settings, 0.01);
            assert_eq!(limits.lowest, 0.0, "nothing moves");
            let error = |share: f64| {
                let settings = Settings { gain: limits.highest * share, ..settings };
                let end = settled(&couple, pose, settings, [0.01, 0.01, 0.0, 0.0], 1000);
                end.at[0].abs().max(end.at[1].abs())
            };
            assert!(error(0.95) < 1e-6, "{method} {integrator}: {}", error(0.95));
            assert!(error(1.05) > 1e-3, "{method} {integrator}: {}", error(1.05));
        }
    }
    // The printed lower limit grows as the error shrinks.
    let printed = |u: f64| printed_lowest_gain(&couple.state(&[u, 0.0, 0.0, 0.0], &pose), 1.0, DVec3::NEG_X);
    assert!(printed(0.001) > 50.0 * printed(0.1));
}

#[test]
fn integrated_errors_drift_and_computed_ones_do_not() {
    let couple = Couple {
        a: patch(Sphere::new(Pose::IDENTITY, 1.0).unwrap(), (-3.0, 3.0), (-1.0, 1.0)),
        b: Carrier::Point(DVec3::ZERO),
    };
    let moments = |t: f64| {
        let place = DVec3::new(2.0 * t.cos(), 2.0 * t.sin(), 0.5);
        Moment::moving(Pose::from_translation(place).unwrap(), DVec3::new(-place.y, place.x, 0.0))
    };
    let error = |diagram: Diagram| {
        let settings = Settings {
            method: Method::Feedback,
            gain: 10.0,
            integrator: Integrator::Euler,
            rate: 50.0,
            diagram,
            ..Settings::default()
        };
        let mut controller = Controller::new(settings, [0.3, 0.0, 0.0, 0.0]);
        for step in 0..100 {
            controller.step(&couple, &moments, f64::from(step) / settings.rate);
        }
        couple.state(&controller.at, &moments(2.0).pose_ab).largest_error([true; 4])
    };
    let (integrated, computed) = (error(Diagram::Integrated), error(Diagram::Computed));
    assert!(computed < integrated / 5.0, "{computed} {integrated}");
}

#[test]
fn hybrid_reaches_the_certified_distance_from_every_face() {
    let unit = |n: usize| -> Vec<f64> { [vec![0.0; n], vec![1.0; n]].concat() };
    // A square pyramid frustum as six bilinear faces.
    let corner = |x: f64, y: f64, top: bool| {
        DVec3::new(x, y, 0.0) * if top { 0.6 } else { 1.0 } + DVec3::Z * if top { 0.8 } else { 0.0 }
    };
    let quad = |p: [DVec3; 4]| {
        let net = [vec![p[0], p[1]], vec![p[2], p[3]]];
        clearance_geometry::tiled::Patch::new(
            NurbsSurface::new([1, 1], [unit(2), unit(2)], &net, None).unwrap(),
        )
    };
    let ring = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let low: Vec<DVec3> = ring.iter().map(|&(x, y)| corner(x, y, false)).collect();
    let high: Vec<DVec3> = ring.iter().map(|&(x, y)| corner(x, y, true)).collect();
    let mut faces = vec![quad([low[0], low[1], low[3], low[2]]), quad([high[0], high[1], high[3], high[2]])];
    faces.extend((0..4).map(|k| quad([low[k], low[(k + 1) % 4], high[k], high[(k + 1) % 4]])));
    let body = TiledBody::from_patches(&faces, None).unwrap();
    let solid = Body::from(body.clone());
    let point = Body::from(clearance_geometry::Polytope::point());
    let targets = [[0.2, 0.1, 2.0], [2.0, 0.3, 0.3], [1.5, 1.6, 1.4], [-1.8, 0.2, -0.7], [0.9, -1.7, 0.9]];
    for target in targets {
        let pose = at(target);
        let truth =
            nearest_points(&solid, &point, &pose, &Precision::default()).unwrap().0.proximity.distance;
        for face in 0..6 {
            let graphs = [FeatureGraph::of_body(&body), FeatureGraph::of_point(DVec3::ZERO)];
            let settings = Settings { gain: 200.0, ..Settings::default() };
            let mut hybrid = Hybrid::new(graphs, [face, 0], settings, [[0.4, 0.6], [0.0; 2]]);
            for step in 0..250 {
                hybrid.step(&|_| Moment::resting(pose), f64::from(step) / settings.rate);
            }
            let off = hybrid.state(&pose).distance() - truth;
            assert!(off.abs() < 1e-6, "{target:?} from face {face}: off by {off} on {:?}", hybrid.names());
        }
    }
}

#[test]
fn outline_switches_across_the_medial_axis_and_keeps_its_sign() {
    let arc = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false).unwrap();
    let side = PlanarCurve::segment(DVec2::NEG_X, DVec2::X).unwrap();
    let half = Range::new(0.0, std::f64::consts::PI);
    let body = PlanarTiled::new(vec![(arc, half), (side, Range::new(0.0, 1.0))]).unwrap();
    let settings = Settings { gain: 200.0, ..Settings::default() };
    let mut tracker = OutlineTracker::new(&body, settings, &["arc", "side"], &["right", "left"]);
    // Straight up from below the flat side, through the body and out of the arc.
    let path = |t: f64| (DVec2::new(0.1, -0.5 + t), DVec2::Y);
    let mut signs = Vec::new();
    for step in 0..2000 {
        tracker.step(&path, f64::from(step) / settings.rate);
        signs.push(tracker.signed_distance());
    }
    let names: Vec<&str> = tracker.automaton().switches().iter().map(|s| s.to.as_str()).collect();
    assert_eq!(names, ["arc"]);
    let crossing = tracker.automaton().switches()[0].time;
    // Equally far from both where y = 1 − |p|.
    assert!((crossing - 0.995).abs() < 0.005, "{crossing}");
    let jump = signs.windows(2).skip(100).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(jump < 0.0015, "the signed distance goes on through the outline: {jump}");
}

#[test]
fn top_down_is_never_below_the_certified_distance() {
    let (can, ring) = (TiledBody::cylinder(0.6, 1.5).unwrap(), TiledBody::torus(1.0, 0.3).unwrap());
    let bodies = [Body::from(can.clone()), Body::from(ring.clone())];
    for second_order in [SecondOrder::Each, SecondOrder::Whole] {
        let mut search = TopDown::new(&can, &ring);
        search.second_order = second_order;
        let mut exact = 0;
        for k in 0..40 {
            let turn = f64::from(k) * 0.05;
            let pose = Pose::from_axis_angle(
                DVec3::new(0.3, 1.0, 0.2).normalize(),
                turn,
                DVec3::new(2.4, 0.3 * turn, 0.2),
            )
            .unwrap();
            let truth = nearest_points(&bodies[0], &bodies[1], &pose, &Precision::default()).unwrap().0;
            let frame = search.update(&pose);
            let found = frame.nearest.unwrap().distance;
            assert!(found >= truth.lower - 1e-9, "{k}: {found} below {}", truth.lower);
            assert!(frame.visited > 0);
            exact += usize::from(found - truth.proximity.distance < 1e-9);
        }
        assert!(exact >= 30, "{second_order:?}: {exact} of 40");
    }
}
