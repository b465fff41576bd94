//! Splines rebuilt with other control points stay the same; faults are named; hints change nothing.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::bound::ConvexBound;
use clearance_geometry::curve::{
    Bezier, Direction, NurbsCurve, NurbsError, ParametricCurve, PlanarCurve, Range, Rect, SpanHint, Subdivide,
};
use clearance_geometry::surface::{BezierPatch, NurbsSurface, ParametricSurface, SurfaceHint};
use clearance_geometry::{DVec2, DVec3};
use clearance_testkit::Random;
use clearance_testkit::generate::{nurbs_curve, nurbs_surface};
use std::f64::consts::FRAC_PI_4;

fn size(curve: &NurbsCurve) -> f64 {
    (0..curve.homogeneous_points().len()).fold(0.0, |most, i| curve.control_point(i).length().max(most))
}

/// The same points, and the same derivatives away from knots, which may look to the other side.
fn assert_same(a: &NurbsCurve, b: &NurbsCurve, range: Range, random: &mut Random, what: &str) {
    let tolerance = 1e-12 * size(a);
    for _ in 0..20 {
        let t = range.at(random.unit());
        let (x, y) = (a.jet(t), b.jet(t));
        assert!((x.point - y.point).length() <= tolerance, "{what} at {t}: {} {}", x.point, y.point);
        assert!((x.first - y.first).length() <= 1e4 * tolerance, "{what} at {t}: {} {}", x.first, y.first);
    }
}

#[test]
fn rebuilt_curves_are_the_same() {
    let mut random = Random::new(51);
    for case in 0..120 {
        let (degree, rational) = (1 + case % 7, case % 2 == 0);
        let scale = *random.pick(&[1e-6, 1.0, 1e6]);
        let curve = nurbs_curve(&mut random, degree, rational, scale, DVec3::splat(scale));
        let domain = curve.domain();
        let t = domain.at(random.unit());
        if let Ok(other) = curve.with_knot(t).and_then(|c| c.with_knot(domain.at(0.3))) {
            assert_same(&curve, &other, domain, &mut random, "insertion");
            assert_eq!(other.homogeneous_points().len(), curve.homogeneous_points().len() + 2);
        }
        let raised = curve.elevated().unwrap();
        assert_eq!((raised.degree(), raised.domain()), (degree + 1, domain));
        assert_same(&curve, &raised, domain, &mut random, "elevation");
        // As smooth as before.
        assert_eq!(raised.breaks().len(), curve.breaks().len());
        let [before, after] = curve.split_at(t).unwrap();
        assert_same(&curve, &before, before.domain(), &mut random, "before");
        assert_same(&curve, &after, after.domain(), &mut random, "after");
    }
}

#[test]
fn rebuilt_surfaces_are_the_same() {
    let mut random = Random::new(52);
    for case in 0..60 {
        let degrees = [1 + case % 4, 1 + case / 4 % 4];
        let surface = nurbs_surface(&mut random, degrees, [case % 2 == 0, case % 5 == 0], 1.0, DVec3::ONE);
        let domain = surface.domain();
        let part = Rect::new(
            Range::new(domain.u.at(0.2), domain.u.at(0.7)),
            Range::new(domain.v.at(0.4), domain.v.at(0.45)),
        );
        let same = |other: &NurbsSurface, rect: Rect, random: &mut Random| {
            for _ in 0..20 {
                let (u, v) = (rect.u.at(random.unit()), rect.v.at(random.unit()));
                let (x, y) = (surface.jet(u, v), other.jet(u, v));
                assert!((x.point - y.point).length() <= 1e-11, "{case}: {} {}", x.point, y.point);
                assert!((x.u - y.u).length() + (x.v - y.v).length() <= 1e-8, "{case}");
            }
        };
        same(&surface.restricted(part).unwrap(), part, &mut random);
        for direction in [Direction::U, Direction::V] {
            same(&surface.elevated(direction).unwrap(), domain, &mut random);
            let range = if direction == Direction::U { domain.u } else { domain.v };
            if let Ok(other) = surface.with_knot(direction, range.at(random.unit())) {
                same(&other, domain, &mut random);
            }
        }
    }
}

#[test]
fn bezier_parts_are_the_same() {
    let mut random = Random::new(53);
    let points: Vec<DVec3> = (0..6).map(|_| random.in_ball()).collect();
    let weights: Vec<f64> = (0..6).map(|_| random.uniform(0.5, 2.0)).collect();
    let curve = Bezier::new(&points, Some(&weights)).unwrap();
    let [left, right] = curve.split(0.3);
    let part = curve.restricted(Range::new(0.25, 0.75));
    let raised = curve.elevated().elevated();
    let net: Vec<Vec<DVec3>> = (0..4).map(|_| (0..3).map(|_| random.in_ball()).collect()).collect();
    let patch = BezierPatch::new(&net, None).unwrap();
    let [low, high] = patch.split(Direction::V, 0.25);
    for _ in 0..50 {
        let t = random.unit();
        let near = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-14, "{a} {b}");
        near(left.point(t), curve.point(0.3 * t));
        near(right.point(t), curve.point(0.3 + 0.7 * t));
        near(part.point(t), curve.point(0.25 + 0.5 * t));
        near(raised.point(t), curve.point(t));
        let u = random.unit();
        near(low.point(u, t), patch.point(u, 0.25 * t));
        near(high.point(u, t), patch.point(u, 0.25 + 0.75 * t));
    }
}

#[test]
fn poisoned_hints_change_nothing() {
    let mut random = Random::new(54);
    for _ in 0..50 {
        let curve = nurbs_curve(&mut random, 3, true, 1.0, DVec3::ZERO);
        let surface = nurbs_surface(&mut random, [2, 3], [true, false], 1.0, DVec3::ZERO);
        for _ in 0..20 {
            let hint = || SpanHint(*Random::new(3).pick(&[0, 1, 2, 7, u32::MAX]));
            // Knots themselves, and parameters beyond the ends, are where a wrong span would show.
            let pick = |random: &mut Random, values: &[f64], domain: Range| match random.index(3) {
                0 => *random.pick(values),
                1 => domain.at(random.uniform(-0.1, 1.1)),
                _ => domain.at(random.unit()),
            };
            let t = pick(&mut random, curve.knots().values(), curve.domain());
            assert_eq!(curve.jet_from(&mut hint(), t), curve.jet(t));
            let domain = surface.domain();
            let u = pick(&mut random, surface.knots()[0].values(), domain.u);
            let v = pick(&mut random, surface.knots()[1].values(), domain.v);
            let mut both = SurfaceHint { u: hint(), v: SpanHint(random.index(5) as u32) };
            assert_eq!(surface.jet_from(&mut both, u, v), surface.jet(u, v));
        }
    }
}

#[test]
fn span_search_agrees_with_a_scan() {
    let mut random = Random::new(55);
    for _ in 0..200 {
        // Knots of very different spacing, where equal parts of the domain are a poor guess.
        let mut inner: Vec<f64> = (0..12).map(|_| random.log_uniform(-9.0, 0.0)).collect();
        inner.sort_by(f64::total_cmp);
        let values: Vec<f64> = [0.0, 0.0].into_iter().chain(inner).chain([1.0, 1.0]).collect();
        let points: Vec<DVec3> = (0..values.len() - 2).map(|_| random.in_ball()).collect();
        let curve = NurbsCurve::new(1, values, &points, None).unwrap();
        let knots = curve.knots();
        for _ in 0..50 {
            let t = if random.chance(0.3) {
                *random.pick(knots.values())
            } else {
                random.log_uniform(-10.0, 0.1)
            };
            let scan = (0..knots.piece_count()).rev().find(|&i| knots.piece(i).low <= t).unwrap_or(0);
            assert_eq!(knots.find(t), scan);
        }
        assert_eq!(knots.find(f64::NAN), 0);
        assert_eq!(knots.find(f64::INFINITY), knots.piece_count() - 1);
        assert_eq!(knots.find(f64::NEG_INFINITY), 0);
    }
}

#[test]
fn faults_of_curves_are_named() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let good = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let fault =
        |knots: Vec<f64>, weights: Option<&[f64]>| NurbsCurve::new(3, knots, &points, weights).unwrap_err();
    let with = |at: usize, value: f64| {
        let mut knots = good.clone();
        knots[at] = value;
        knots
    };
    let direction = Direction::U;
    assert_eq!(fault(with(5, 0.5), None), NurbsError::KnotsDecrease { direction, at: 5 });
    assert_eq!(fault(with(2, f64::NAN), None), NurbsError::KnotNotFinite { direction, at: 2 });
    assert_eq!(fault(with(7, f64::INFINITY), None), NurbsError::KnotNotFinite { direction, at: 7 });
    assert_eq!(fault(with(4, 0.0), None), NurbsError::Multiplicity { direction, at: 4, degree: 3 });
    assert_eq!(fault(vec![0.0; 7], None), NurbsError::KnotCount { direction, expected: 8, found: 7 });
    assert_eq!(fault(vec![], None), NurbsError::KnotCount { direction, expected: 8, found: 0 });
    assert_eq!(fault(good.clone(), Some(&[1.0; 3])), NurbsError::WeightCount { expected: 4, found: 3 });
    for value in [0.0, -1.0, f64::INFINITY] {
        let weights = [1.0, 1.0, value, 1.0];
        assert_eq!(fault(good.clone(), Some(&weights)), NurbsError::BadWeight { at: 2, value });
    }
    assert!(matches!(
        fault(good.clone(), Some(&[1.0, f64::NAN, 1.0, 1.0])),
        NurbsError::BadWeight { at: 1, .. }
    ));
    let bad = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Z];
    assert_eq!(NurbsCurve::new(3, good.clone(), &bad, None), Err(NurbsError::PointNotFinite { at: 2 }));
    let huge = [DVec3::splat(1e300); 4];
    let heavy = NurbsCurve::new(3, good.clone(), &huge, Some(&[1e300; 4]));
    assert_eq!(heavy, Err(NurbsError::PointNotFinite { at: 0 }));
    assert_eq!(NurbsCurve::new(0, vec![0.0; 5], &points, None), Err(NurbsError::DegreeZero { direction }));
    let few = NurbsCurve::new(4, good.clone(), &points, None);
    assert_eq!(few, Err(NurbsError::TooFewPoints { direction, degree: 4, points: 4 }));
    let none = NurbsCurve::new(1, vec![0.0, 1.0, 1.0, 2.0], &points[..2], None);
    assert_eq!(none, Err(NurbsError::EmptyDomain { direction }));
    let tiny = NurbsCurve::new(1, vec![0.0, 0.0, 5e-324, 5e-324], &points[..2], None);
    assert!(matches!(tiny, Err(NurbsError::KnotSpacing { at: 1, .. })));
    let curve = NurbsCurve::new(3, good, &points, None).unwrap();
    assert_eq!(curve.with_knot(1.5), Err(NurbsError::OutsideDomain { direction, at: 1.5 }));
    assert!(matches!(curve.with_knot(1.0), Err(NurbsError::Multiplicity { .. })));
    assert!(matches!(curve.with_knot(f64::NAN), Err(NurbsError::OutsideDomain { .. })));
    assert_eq!(curve.restricted(Range::new(0.5, 0.5)), Err(NurbsError::EmptyDomain { direction }));
    assert!(matches!(curve.split_at(2.0), Err(NurbsError::OutsideDomain { .. })));
}

#[test]
fn faults_of_surfaces_are_named() {
    let ends = || vec![0.0, 0.0, 1.0, 1.0];
    let net = |rows: usize, columns: usize| vec![vec![DVec3::ZERO; columns]; rows];
    let fault = |knots, net: &[Vec<DVec3>], weights: Option<&[Vec<f64>]>| {
        NurbsSurface::new([1, 1], knots, net, weights).unwrap_err()
    };
    let mut ragged = net(2, 2);
    ragged[1].push(DVec3::X);
    assert_eq!(
        fault([ends(), ends()], &ragged, None),
        NurbsError::RaggedNet { row: 1, expected: 2, found: 3 }
    );
    let direction = Direction::V;
    assert_eq!(
        fault([ends(), vec![0.0, 0.0, 1.0, 0.5]], &net(2, 2), None),
        NurbsError::KnotsDecrease { direction, at: 3 }
    );
    assert_eq!(
        fault([ends(), ends()], &net(2, 3), None),
        NurbsError::KnotCount { direction, expected: 5, found: 4 }
    );
    assert!(matches!(fault([ends(), ends()], &[], None), NurbsError::TooFewPoints { .. }));
    let weights = [vec![1.0, 1.0], vec![1.0, -2.0]];
    assert_eq!(
        fault([ends(), ends()], &net(2, 2), Some(&weights)),
        NurbsError::BadWeight { at: 3, value: -2.0 }
    );
    let short = [vec![1.0, 1.0], vec![1.0]];
    assert!(matches!(fault([ends(), ends()], &net(2, 2), Some(&short)), NurbsError::RaggedNet { .. }));
    let few = [vec![1.0, 1.0]];
    assert!(matches!(fault([ends(), ends()], &net(2, 2), Some(&few)), NurbsError::WeightCount { .. }));
}

#[test]
fn coincident_knots_are_feature_boundaries() {
    let points: Vec<DVec3> = (0..7).map(|i| DVec3::new(i as f64, (i * i % 3) as f64, 0.0)).collect();
    let knots = vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0];
    let curve = NurbsCurve::new(3, knots, &points, None).unwrap();
    let breaks = curve.breaks();
    assert_eq!(breaks.len(), 1);
    assert_eq!((breaks[0].at, breaks[0].continuity), (2.0, 1));
    // The second derivative jumps there, and each side can be asked for.
    let pieces = [1, 2].map(|piece| curve.jet_in_piece(piece, 2.0));
    assert!((pieces[0].first - pieces[1].first).length() < 1e-13);
    assert!((pieces[0].second - pieces[1].second).length() > 0.1);
}

#[test]
fn periodic_knots_close_the_curve() {
    let ring: Vec<DVec3> = (0..8)
        .map(|i| DVec3::new((f64::from(i) * FRAC_PI_4).cos(), (f64::from(i) * FRAC_PI_4).sin(), 0.0))
        .collect();
    let points: Vec<DVec3> = ring.iter().chain(&ring[..3]).copied().collect();
    let knots: Vec<f64> = (0..points.len() + 4).map(|i| i as f64).collect();
    let curve = NurbsCurve::new(3, knots, &points, None).unwrap();
    assert_eq!(curve.domain(), Range::new(3.0, 11.0));
    assert_eq!(curve.period(), Some(8.0));
    let (start, end) = (curve.jet(3.0), curve.jet(11.0));
    assert!((start.point - end.point).length() < 1e-14 && (start.second - end.second).length() < 1e-13);
}

#[test]
fn planar_curves_share_the_evaluators() {
    let points = [DVec2::ZERO, DVec2::X, DVec2::ONE];
    let curve =
        PlanarCurve::nurbs(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], &points, Some(&[1.0, 0.5, 1.0])).unwrap();
    assert_eq!(curve.point(1.0), DVec2::ONE);
    let clockwise = PlanarCurve::circle(DVec2::new(1.0, 2.0), 2.0, 0.0, true).unwrap();
    let jet = clockwise.jet(0.0);
    assert_eq!((jet.point, jet.first), (DVec2::new(3.0, 2.0), DVec2::new(0.0, -2.0)));
    assert!(PlanarCurve::circle(DVec2::new(f64::NAN, 0.0), 1.0, 0.0, false).is_err());
    assert!(PlanarCurve::circle(DVec2::ZERO, 1.0, f64::NAN, false).is_err());
}

#[test]
fn bounds_tighten_with_the_part() {
    let mut random = Random::new(56);
    let surface = nurbs_surface(&mut random, [3, 3], [true, false], 1.0, DVec3::ZERO);
    let domain = surface.domain();
    let mut before = f64::INFINITY;
    for k in 1..8 {
        let width = 0.5_f64.powi(k);
        let part = Rect::new(
            Range::new(domain.u.at(0.3), domain.u.at(0.3 + 0.5 * width)),
            Range::new(domain.v.at(0.4), domain.v.at(0.4 + 0.5 * width)),
        );
        let half = surface.obb(part).half;
        assert!(half.max_element() < 0.9 * before, "{half} {before}");
        before = half.max_element();
    }
    let flat = surface.obb(Rect::new(Range::new(0.3, 0.301), Range::new(0.4, 0.401))).half;
    assert!(flat.min_element() < 0.05 * flat.max_element(), "a small part is nearly flat: {flat}");
}
