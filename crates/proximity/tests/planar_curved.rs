//! Planar bodies of curves against dense samples of their outlines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{PlanarCurve, Range};
use clearance_geometry::tiled::EdgeKind;
use clearance_geometry::{DVec2, Feature, PlanarPose, PlanarTiled, Polygon};
use clearance_proximity::planar::{self, PlanarBody, PlanarPrepared, local_minima, nearest};
use clearance_proximity::{Ended, Place, State};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn p(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

/// Scale and place of a body.
#[derive(Clone, Copy)]
struct Frame {
    scale: f64,
    origin: DVec2,
}

impl Frame {
    fn scaled(scale: f64) -> Self {
        Self { scale, origin: DVec2::ZERO }
    }

    fn at(&self, q: DVec2) -> DVec2 {
        q * self.scale + self.origin
    }
}

fn bezier(points: &[DVec2], s: Frame) -> (PlanarCurve, Range) {
    let points: Vec<DVec2> = points.iter().map(|q| s.at(*q)).collect();
    let n = points.len();
    let knots = [vec![0.0; n], vec![1.0; n]].concat();
    (PlanarCurve::nurbs(n - 1, knots, &points, None).unwrap(), Range::new(0.0, 1.0))
}

fn arc(center: DVec2, radius: f64, from: f64, angle: f64, s: Frame) -> (PlanarCurve, Range) {
    let clockwise = angle < 0.0;
    (
        PlanarCurve::circle(s.at(center), radius * s.scale, from, clockwise).unwrap(),
        Range::new(0.0, angle.abs()),
    )
}

fn tiled(curves: Vec<(PlanarCurve, Range)>) -> PlanarBody {
    PlanarTiled::new(curves).unwrap().into()
}

fn disk(r: f64) -> PlanarBody {
    tiled(vec![arc(DVec2::ZERO, r, 0.3, TAU, Frame::scaled(1.0))])
}

/// Bodies of about unit size: convex ones first.
fn bodies(s: Frame) -> Vec<(&'static str, PlanarBody)> {
    let half = vec![arc(DVec2::ZERO, 1.0, 0.0, PI, s), bezier(&[p(-1.0, 0.0), p(1.0, 0.0)], s)];
    let stadium = vec![
        bezier(&[p(-1.0, -0.4), p(1.0, -0.4)], s),
        arc(p(1.0, 0.0), 0.4, -FRAC_PI_2, PI, s),
        bezier(&[p(1.0, 0.4), p(-1.0, 0.4)], s),
        arc(p(-1.0, 0.0), 0.4, FRAC_PI_2, PI, s),
    ];
    let ellipse = PlanarCurve::ellipse(s.origin, [1.2 * s.scale, 0.5 * s.scale], 0.4, false).unwrap();
    // A cubic that bends inward, closed by a line; and a ring sector with reflex corners cut into it.
    let kidney = vec![
        bezier(&[p(-1.0, 0.0), p(-1.5, -2.0), p(1.5, -2.0), p(1.0, 0.0)], s),
        bezier(&[p(1.0, 0.0), p(0.5, -1.0), p(-0.5, -1.0), p(-1.0, 0.0)], s),
    ];
    let notch = vec![
        bezier(&[p(-1.0, -1.0), p(1.0, -1.0)], s),
        bezier(&[p(1.0, -1.0), p(1.0, 1.0)], s),
        bezier(&[p(1.0, 1.0), p(0.3, 0.8), p(0.3, 0.0)], s),
        arc(DVec2::ZERO, 0.3, 0.0, -PI, s),
        bezier(&[p(-0.3, 0.0), p(-1.0, 1.0)], s),
        bezier(&[p(-1.0, 1.0), p(-1.0, -1.0)], s),
    ];
    let bent = vec![
        bezier(&[p(-1.0, -1.0), p(1.0, -1.0)], s),
        bezier(&[p(1.0, -1.0), p(1.0, 0.0)], s),
        bezier(&[p(1.0, 0.0), p(0.5, -0.3), p(0.0, 0.0)], s),
        bezier(&[p(0.0, 0.0), p(0.0, 1.0)], s),
        bezier(&[p(0.0, 1.0), p(-0.5, 1.4), p(-1.0, 1.0)], s),
        bezier(&[p(-1.0, 1.0), p(-1.0, -1.0)], s),
    ];
    let corners = [p(-0.8, -0.5), p(0.9, -0.4), p(0.5, 0.6), p(-0.3, 0.7)].map(|q| s.at(q));
    vec![
        ("half disk", tiled(half)),
        ("stadium", tiled(stadium)),
        ("ellipse", tiled(vec![(ellipse, Range::new(0.0, TAU))])),
        ("polygon", Polygon::from_points(&corners).unwrap().into()),
        ("segment", Polygon::segment([s.at(p(-0.5, 0.1)), s.at(p(0.7, -0.2))]).unwrap().into()),
        ("point", Polygon::point().into()),
        ("kidney", tiled(kidney)),
        ("notch", tiled(notch)),
        ("bent", tiled(bent)),
    ]
}

/// A dense closed polygon along the outline; a segment runs out and back.
fn samples(body: &PlanarBody, count: usize) -> Vec<DVec2> {
    match body {
        PlanarBody::Tiled(body) => {
            let along = |side: &clearance_geometry::PlanarSide| -> Vec<DVec2> {
                let [from, to] = side.ends();
                (0..count).map(|k| side.jet(from + (to - from) * k as f64 / count as f64).point).collect()
            };
            body.sides().iter().flat_map(along).collect()
        }
        PlanarBody::Polygon(body) => {
            let n = body.vertex_count();
            let at = |i: usize| body.body_vertex(clearance_geometry::VertexId((i % n) as u32));
            let side = |i: usize| (0..count).map(move |k| at(i).lerp(at(i + 1), k as f64 / count as f64));
            (0..n).flat_map(side).collect()
        }
    }
}

/// The distance of a point from a segment.
fn to_segment(q: DVec2, a: DVec2, b: DVec2) -> f64 {
    let d = b - a;
    let t = if d == DVec2::ZERO { 0.0 } else { ((q - a).dot(d) / d.length_squared()).clamp(0.0, 1.0) };
    (a + d * t).distance(q)
}

/// The distance of two sampled outlines.
fn sampled(a: &[DVec2], b: &[DVec2]) -> f64 {
    let side = |b: &[DVec2], q: DVec2| {
        (0..b.len()).map(|k| to_segment(q, b[k], b[(k + 1) % b.len()])).fold(f64::INFINITY, f64::min)
    };
    let one = a.iter().map(|q| side(b, *q)).fold(f64::INFINITY, f64::min);
    b.iter().map(|q| side(a, *q)).fold(one, f64::min)
}

/// Whether a point is inside a sampled outline.
fn winds(outline: &[DVec2], q: DVec2) -> bool {
    let mut inside = false;
    for k in 0..outline.len() {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        if (a.y > q.y) != (b.y > q.y) && q.x < a.x + (b.x - a.x) * (q.y - a.y) / (b.y - a.y) {
            inside = !inside;
        }
    }
    inside
}

#[test]
fn random_pairs_agree_with_samples() {
    let mut random = Random::new(31);
    let mut states = [0; 5];
    for (scale, far) in [(1e-6, 0.0), (1.0, 0.0), (1e6, 0.0), (1.0, 1e4)] {
        // Both bodies are drawn far from their origins, B at another place than A.
        let [from, to] = [p(far, -0.3 * far), p(-0.5 * far, 0.8 * far)];
        let (all_a, all_b) = (bodies(Frame { scale, origin: from }), bodies(Frame { scale, origin: to }));
        for _ in 0..60 {
            let (name_a, a) = random.pick(&all_a);
            let (name_b, b) = random.pick(&all_b);
            let at = random.direction().truncate() * scale * random.uniform(0.0, 3.0);
            let turn = PlanarPose::new(random.uniform(-PI, PI), DVec2::ZERO).unwrap();
            // A point is drawn at the origin.
            let point = |name: &str, origin: DVec2| if name == "point" { DVec2::ZERO } else { origin };
            let (from, to) = (point(name_a, from), point(name_b, to));
            let pose = turn.with_translation(from + at - turn.rotate(to));
            let moved = |body: &PlanarBody| -> Vec<DVec2> {
                samples(body, 200).iter().map(|q| pose.apply(*q)).collect()
            };
            let found = nearest(a, b, &pose, None).unwrap();
            let (of_a, of_b) = (samples(a, 200), moved(b));
            let label = format!("{name_a} {name_b} {scale} {pose:?} {found:?}");
            let step = 2e-4 * scale;
            states[found.state as usize] += 1;
            match found.state {
                State::Separated => {
                    let expected = sampled(&of_a, &of_b);
                    assert!((found.distance - expected).abs() < step, "{expected} {label}");
                    let flat = matches!((a, b), (PlanarBody::Polygon(_), PlanarBody::Polygon(_)));
                    assert!(flat || matches!(found.ended, Ended::Certified(_)), "{label}");
                    assert!(!winds(&of_a, of_b[0]) && !winds(&of_b, of_a[0]), "{label}");
                    assert!(found.lower <= found.distance && found.distance - found.lower <= 1e-8 * scale);
                }
                State::AInsideB => assert!(winds(&of_b, of_a[0]), "{label}"),
                State::BInsideA => assert!(winds(&of_a, of_b[0]), "{label}"),
                State::Penetrating | State::Touching => {
                    assert!(sampled(&of_a, &of_b) < 0.05 * scale, "{label}");
                    if found.state == State::Touching {
                        let deep = of_b.iter().filter(|q| winds(&of_a, **q)).count();
                        assert!(deep < 3 || found.signed_distance == Some(0.0), "{label}");
                    }
                }
            }
            if let (Some(signed), Some(normal)) = (found.signed_distance, found.normal) {
                let off = found.witnesses[1].point - found.witnesses[0].point - normal * signed;
                assert!(off.length() < 1e-9 * scale.max(far), "{label}");
            }
        }
    }
    assert!(states[0] > 40 && states[2] > 40 && states[3] + states[4] > 3, "{states:?}");
}

#[test]
fn depths_of_convex_bodies_are_the_least_over_directions() {
    let mut random = Random::new(32);
    let mut deep = 0;
    for scale in [1e-6, 1.0, 1e6] {
        let all = &bodies(Frame::scaled(scale))[..6];
        for _ in 0..60 {
            let (name_a, a) = random.pick(all);
            let (name_b, b) = random.pick(all);
            let at = random.direction().truncate() * scale * random.uniform(0.0, 1.2);
            let pose = PlanarPose::new(random.uniform(-PI, PI), at).unwrap();
            let found = nearest(a, b, &pose, None).unwrap();
            if !found.state.overlaps() {
                continue;
            }
            let (of_a, of_b) = (samples(a, 300), samples(b, 300));
            let of_b: Vec<DVec2> = of_b.iter().map(|q| pose.apply(*q)).collect();
            let top =
                |points: &[DVec2], n: DVec2| points.iter().fold(f64::NEG_INFINITY, |m, q| m.max(q.dot(n)));
            let height = |k: usize| {
                let n = DVec2::from_angle(TAU * k as f64 / 2000.0);
                top(&of_a, n) + top(&of_b, -n)
            };
            let expected = (0..2000).map(height).fold(f64::INFINITY, f64::min);
            let depth = -found.signed_distance.unwrap();
            let label = format!("{name_a} {name_b} {expected} {found:?}");
            // Directions are 0.003 apart, so that the least sampled height is too large by as much of the size at most.
            assert!(depth <= expected + 1e-4 * scale && depth >= expected - 5e-3 * scale, "{label}");
            // Moved out by the depth the bodies touch: no nearer than rounding, no farther.
            let n = found.normal.unwrap();
            assert!((top(&of_a, n) + top(&of_b, -n) - depth).abs() < 1e-4 * scale, "{label}");
            assert!(
                !matches!(found.ended, Ended::Stalled { residual } if residual > 1e-9 * scale),
                "{label}"
            );
            let off = found.witnesses[1].point - found.witnesses[0].point + n * depth;
            assert!(off.length() < 1e-9 * scale, "{label}");
            let on = |outline: &[DVec2], q: DVec2| sampled(outline, &[q]) < 1e-4 * scale;
            assert!(on(&of_a, found.witnesses[0].point) && on(&of_b, found.witnesses[1].point), "{label}");
            deep += 1;
        }
    }
    assert!(deep > 80, "{deep}");
}

#[test]
fn disks_have_their_closed_forms() {
    for d in [0.0, 0.3, 0.5, 1.0, 1.5, 2.4999, 2.5, 2.6, 4.0] {
        let pose = PlanarPose::new(0.7, p(0.6, 0.8) * d).unwrap();
        let found = nearest(&disk(1.5), &disk(1.0), &pose, None).unwrap();
        let expected = d - 2.5;
        assert!((found.signed_distance.unwrap() - expected).abs() < 1e-12, "{d} {found:?}");
        let state = if d < 0.5 {
            State::BInsideA
        } else if d < 2.5 {
            State::Penetrating
        } else if d > 2.5 {
            State::Separated
        } else {
            State::Touching
        };
        assert!(found.state == state || d == 0.5, "{d} {found:?}");
    }
}

#[test]
fn a_point_inside_is_as_deep_as_its_distance() {
    let mut random = Random::new(33);
    let point = PlanarBody::from(Polygon::point());
    for (name, body) in
        bodies(Frame::scaled(1.0)).into_iter().filter(|(name, _)| !["segment", "point"].contains(name))
    {
        let ready = PlanarPrepared::new(&body).unwrap();
        let outline = samples(&body, 2000);
        let mut inside = 0;
        for _ in 0..60 {
            let q = p(random.uniform(-1.5, 1.5), random.uniform(-1.6, 1.5));
            let found = nearest(&body, &point, &PlanarPose::from_translation(q).unwrap(), None).unwrap();
            let expected = sampled(&outline, &[q]);
            let sign = if winds(&outline, q) { -1.0 } else { 1.0 };
            inside += usize::from(sign < 0.0);
            assert!((found.signed_distance.unwrap() - sign * expected).abs() < 1e-5, "{name} {q} {found:?}");
            let (place, minima) = local_minima(&ready, q).unwrap();
            assert_eq!(place == Place::Inside, sign < 0.0);
            assert!((minima[0].distance - expected).abs() < 1e-5, "{name} {q} {minima:?}");
        }
        assert!(inside > 5, "{name}");
    }
}

#[test]
fn local_minima_are_those_of_samples() {
    let mut random = Random::new(34);
    let (mut most, mut corners) = (0, [0; 2]);
    for scale in [1e-6, 1.0, 1e6] {
        for (name, body) in bodies(Frame::scaled(scale)) {
            if name == "point" {
                continue;
            }
            let ready = PlanarPrepared::new(&body).unwrap();
            let outline = samples(&body, 3000);
            for _ in 0..40 {
                let q = p(random.uniform(-1.5, 1.5), random.uniform(-1.6, 1.5)) * scale;
                let (place, minima) = local_minima(&ready, q).unwrap();
                let n = outline.len();
                let distance = |k: usize| outline[k % n].distance(q);
                let lowest =
                    |k: &usize| distance(*k + n) < distance(k + n - 1) && distance(*k + n) <= distance(k + 1);
                let expected: Vec<usize> = (0..n).filter(lowest).collect();
                let label = format!("{name} {scale} {q} {minima:?}");
                // A segment's samples run out and back.
                let count = if name == "segment" { minima.len() } else { expected.len() };
                assert_eq!(minima.len(), count, "{label}");
                for k in expected {
                    let near =
                        |m: &planar::PlanarMinimum| m.witness.point.distance(outline[k]) < 5e-2 * scale;
                    assert!(minima.iter().any(near), "{label}");
                }
                most = most.max(minima.len());
                assert_eq!(minima[0].from_inside, place == Place::Inside, "{label}");
                let PlanarBody::Tiled(tiled) = &body else { continue };
                for minimum in minima {
                    let Feature::Vertex(v) = minimum.witness.feature else { continue };
                    let kind = tiled.corners()[v.index()].kind;
                    corners[usize::from(minimum.from_inside)] += 1;
                    let expected = if minimum.from_inside { EdgeKind::Reflex } else { EdgeKind::Convex };
                    assert!(kind == expected || kind == EdgeKind::Smooth, "{label}");
                }
            }
        }
    }
    assert!(most >= 5 && corners[0] > 20 && corners[1] > 3, "{most} {corners:?}");
}
