//! Planar bodies of curves, and unions.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{PlanarCurve, Range};
use clearance_geometry::tiled::{EdgeKind, Side, TiledBody, TiledError, TiledNote};
use clearance_geometry::{
    Below, DVec2, DVec3, LeafShape, Part, PartTree, PlanarConvexity, PlanarTiled, Polytope, Pose, VertexId,
};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const UNIT: Range = Range { low: 0.0, high: 1.0 };

fn p(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn bezier(points: &[DVec2]) -> (PlanarCurve, Range) {
    let n = points.len();
    let knots = [vec![0.0; n], vec![1.0; n]].concat();
    (PlanarCurve::nurbs(n - 1, knots, points, None).unwrap(), UNIT)
}

#[test]
fn half_disk_has_its_area_corners_and_sides() {
    for (k, origin) in [(1.0, p(0.0, 0.0)), (1e-6, p(0.0, 0.0)), (1e6, p(0.0, 0.0)), (1.0, p(1e4, -3e3))] {
        let arc = PlanarCurve::circle(origin, k, 0.0, false).unwrap();
        let side = bezier(&[origin - p(k, 0.0), origin + p(k, 0.0)]);
        let body = PlanarTiled::new(vec![(arc, Range::new(0.0, PI)), side]).unwrap();
        let mass = body.mass();
        assert!((mass.area - FRAC_PI_2 * k * k).abs() <= body.area_error(), "{mass:?}");
        assert!(body.area_error() < 1e-8 * k * k);
        assert!((mass.center - origin - p(0.0, 4.0 / (3.0 * PI)) * k).length() < 1e-9 * k);
        let about_origin = PI / 4.0 - FRAC_PI_2 * (4.0 / (3.0 * PI)).powi(2);
        assert!((mass.second_moment - about_origin * k.powi(4)).abs() < 1e-8 * k.powi(4));
        assert!(
            body.corners().iter().all(|c| c.kind == EdgeKind::Convex && (c.angle - FRAC_PI_2).abs() < 1e-9)
        );
        assert_eq!(body.convexity(), PlanarConvexity::Convex);
        assert!(body.notes().is_empty());
        let normal = body.sides()[0].normal(FRAC_PI_2).unwrap();
        assert!((normal - p(0.0, 1.0)).length() < 1e-12);
        assert!((body.sides()[1].normal(0.5).unwrap() - p(0.0, -1.0)).length() < 1e-12);
        let mut random = Random::new(3);
        let mut inside = 0;
        for _ in 0..2000 {
            let q = p(random.uniform(-1.2, 1.2), random.uniform(-0.3, 1.2));
            let value = (1.0 - q.length()).min(q.y);
            if value.abs() < 1e-9 {
                continue;
            }
            let expected = if value > 0.0 { Side::Inside } else { Side::Outside };
            assert_eq!(body.side_of(origin + q * k), expected);
            inside += usize::from(value > 0.0);
        }
        assert!(inside > 500 && inside < 1500);
    }
}

#[test]
fn clockwise_outline_is_turned() {
    let square = [p(0.0, 0.0), p(0.0, 2.0), p(2.0, 2.0), p(2.0, 0.0)];
    let sides = (0..4).map(|i| bezier(&[square[i], square[(i + 1) % 4]])).collect();
    let body = PlanarTiled::new(sides).unwrap();
    assert_eq!(body.notes(), [TiledNote::Turned]);
    assert!((body.mass().area - 4.0).abs() <= body.area_error());
    assert_eq!(body.convexity(), PlanarConvexity::Convex);
    for side in body.sides() {
        let jet = side.jet(0.5);
        assert!(
            (jet.point + side.normal(0.5).unwrap() - p(1.0, 1.0)).length() > 1.5,
            "normals point outward"
        );
    }
}

#[test]
fn one_closed_curve_is_a_body() {
    let circle = PlanarCurve::circle(p(1.0, 2.0), 3.0, 0.5, false).unwrap();
    let body = PlanarTiled::new(vec![(circle, Range::new(0.0, TAU))]).unwrap();
    assert!((body.mass().area - 9.0 * PI).abs() <= body.area_error());
    assert_eq!(body.corners()[0].kind, EdgeKind::Smooth);
    assert_eq!(body.convexity(), PlanarConvexity::Convex);
    let turned = PlanarCurve::ellipse(p(1.0, 2.0), [3.0, 1.0], 0.5, true).unwrap();
    let body = PlanarTiled::new(vec![(turned, Range::new(0.0, TAU))]).unwrap();
    assert_eq!(body.notes(), [TiledNote::Turned]);
    assert_eq!(body.convexity(), PlanarConvexity::Convex);
}

#[test]
fn hollows_are_shown() {
    // A square whose top is pressed in, by a curve or by a corner.
    let rest = |last: DVec2| {
        vec![
            bezier(&[p(0.0, 1.0), p(0.0, 0.0)]),
            bezier(&[p(0.0, 0.0), p(1.0, 0.0)]),
            bezier(&[p(1.0, 0.0), last]),
        ]
    };
    let mut sides = vec![bezier(&[p(1.0, 1.0), p(0.5, 0.6), p(0.0, 1.0)])];
    sides.extend(rest(p(1.0, 1.0)));
    let body = PlanarTiled::new(sides).unwrap();
    assert!(matches!(body.convexity(), PlanarConvexity::Hollow { .. }));
    let mut sides = vec![bezier(&[p(1.0, 1.0), p(0.5, 0.6)]), bezier(&[p(0.5, 0.6), p(0.0, 1.0)])];
    sides.extend(rest(p(1.0, 1.0)));
    let body = PlanarTiled::new(sides).unwrap();
    assert_eq!(body.convexity(), PlanarConvexity::ReflexCorner(VertexId(1)));
    assert_eq!(body.corners()[1].kind, EdgeKind::Reflex);
    let mut sides = vec![bezier(&[p(1.0, 1.0), p(0.5, 1.4), p(0.0, 1.0)])];
    sides.extend(rest(p(1.0, 1.0)));
    assert_eq!(PlanarTiled::new(sides).unwrap().convexity(), PlanarConvexity::Convex);
}

#[test]
fn faults_of_outlines_are_named() {
    assert_eq!(PlanarTiled::new(Vec::new()).unwrap_err(), TiledError::Empty);
    let gap =
        PlanarTiled::new(vec![bezier(&[p(0.0, 0.0), p(1.0, 0.0)]), bezier(&[p(1.0, 0.5), p(0.0, 0.0)])]);
    assert!(matches!(gap, Err(TiledError::OutlineGap { curve: 1, gap }) if (gap - 0.5).abs() < 1e-12));
    let flat =
        PlanarTiled::new(vec![bezier(&[p(0.0, 0.0), p(1.0, 0.0)]), bezier(&[p(1.0, 0.0), p(0.0, 0.0)])]);
    assert_eq!(flat.unwrap_err(), TiledError::Flat);
    let line = PlanarCurve::line(p(0.0, 0.0), p(1.0, 0.0)).unwrap();
    let endless = PlanarTiled::new(vec![(line, Range::UNBOUNDED)]);
    assert_eq!(endless.unwrap_err(), TiledError::NotFinite { what: "curve", index: 0 });
}

#[test]
fn union_tree_holds_all_its_parts() {
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mut parts = Vec::new();
        for i in 0..12 {
            let pose = Pose::new(random.quaternion(), random.in_ball() * 20.0).unwrap();
            let part = match i % 3 {
                0 => Part::Polytope(Polytope::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap()),
                1 => Part::Tiled(TiledBody::torus(2.0, 0.5).unwrap()),
                _ => Part::Union(vec![
                    (Part::Tiled(TiledBody::cone(1.0, 2.0, None).unwrap()), Pose::IDENTITY),
                    (Part::Union(Vec::new()), Pose::IDENTITY),
                    (Part::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), pose),
                ]),
            };
            parts.push((part, pose));
        }
        let tree = PartTree::of_parts(parts).unwrap();
        assert_eq!(tree.leaves().len(), 16);
        assert_eq!(tree.leaves()[3].path, [2, 2]);
        assert_eq!(tree.nodes().len(), 31);
        for (place, node) in tree.nodes().iter().enumerate() {
            // Every leaf below lies within.
            let mut waiting = vec![place as u32];
            while let Some(at) = waiting.pop() {
                match tree.nodes()[at as usize].below {
                    Below::Nodes(below) => {
                        assert!(below.iter().all(|&b| b > at));
                        waiting.extend(below);
                    }
                    Below::Leaf(leaf) => {
                        let leaf = &tree.leaves()[leaf as usize];
                        for point in samples(&leaf.shape, &mut random) {
                            assert!(node.bound.contains(leaf.pose.apply(point)));
                        }
                    }
                }
            }
        }
    }
    assert!(PartTree::of_parts(vec![(Part::Union(Vec::new()), Pose::IDENTITY)]).is_none());
}

fn samples(shape: &LeafShape, random: &mut Random) -> Vec<DVec3> {
    match shape {
        LeafShape::Polytope(body) => body.vertices().iter().map(|v| *v + body.anchor()).collect(),
        LeafShape::Tiled(body) => {
            let face = &body.faces()[0];
            let bounds = face.region.bounds();
            (0..20).map(|_| face.point(p(bounds.u.at(random.unit()), bounds.v.at(random.unit())))).collect()
        }
    }
}

#[test]
fn splines_are_cut_at_their_corners() {
    let outline = |points: &[DVec2]| {
        let last = points.len() - 1;
        let knots = [vec![0.0], (0..=last).map(|k| k as f64).collect(), vec![last as f64]].concat();
        let curve = PlanarCurve::nurbs(1, knots, points, None).unwrap();
        PlanarTiled::new(vec![(curve, Range::new(0.0, last as f64))]).unwrap()
    };
    let dart = outline(&[p(0.0, 0.0), p(4.0, 0.0), p(1.0, 1.0), p(0.0, 4.0), p(0.0, 0.0)]);
    let kinds: Vec<EdgeKind> = dart.corners().iter().map(|corner| corner.kind).collect();
    assert_eq!(kinds, [EdgeKind::Convex, EdgeKind::Convex, EdgeKind::Reflex, EdgeKind::Convex]);
    assert_eq!(dart.convexity(), PlanarConvexity::ReflexCorner(VertexId(2)));
    assert!((dart.mass().area - 4.0).abs() <= dart.area_error());
    let clockwise = outline(&[p(0.0, 0.0), p(0.0, 1.0), p(1.0, 0.0), p(0.0, 0.0)]);
    assert_eq!(clockwise.notes(), [TiledNote::Turned]);
    assert_eq!(clockwise.convexity(), PlanarConvexity::Convex);
}
