//! Convexity of faces and "nice" patches: analytic kinds, sweeps, splines, the teapot.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Curve, Ellipse, Line, NurbsCurve, PlanarCurve, Range, Rect};
use clearance_geometry::surface::{
    Cone, Cylinder, Ellipsoid, Extrusion, NurbsSurface, Paraboloid, ParametricSurface, Plane, Revolution,
    Sphere, Surface, Torus,
};
use clearance_geometry::tiled::{
    Convexity, Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, Hollow, ParameterCurve, Patch, Segment,
    Side, TiledBody, TiledNote,
};
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Pose, VertexId};
use clearance_testkit::{Random, data};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn pose() -> Pose {
    Pose::new(Random::new(9).quaternion(), DVec3::new(3.0, -2.0, 1.0)).unwrap()
}

fn patch(surface: impl Into<Surface>, u: [f64; 2], v: [f64; 2]) -> TiledBody {
    let rect = Rect::new(Range::new(u[0], u[1]), Range::new(v[0], v[1]));
    let surface = surface.into();
    match TiledBody::from_patches(&[Patch::new(surface.clone()).over(rect)], None) {
        Ok(body) => body,
        Err(error) => panic!("{surface:?}: {error}"),
    }
}

fn converted(surface: impl Into<Surface>, u: [f64; 2], v: [f64; 2], reversed: bool) -> TiledBody {
    let rect = Rect::new(Range::new(u[0], u[1]), Range::new(v[0], v[1]));
    let spline = Patch::new(surface.into().to_nurbs(rect).unwrap());
    TiledBody::from_patches(&[if reversed { spline.reversed() } else { spline }], None).unwrap()
}

fn of_face(body: &TiledBody) -> Convexity {
    body.face_convexity(FaceId(0))
}

/// The place of a hollow is on the face and does bend toward the outside.
fn check_hollow(name: &str, body: &TiledBody) {
    let Convexity::NotConvex(Hollow::Face { face, at }) = of_face(body) else {
        panic!("{name}: {:?}", of_face(body))
    };
    let face = body.face(face);
    assert_eq!(face.side(at), Side::Inside, "{name}");
    let (jet, normal) = (face.jet(at), face.normal(at).unwrap());
    let bent = (0..64).any(|k| {
        let (sin, cos) = (f64::from(k) * PI / 64.0).sin_cos();
        let second = jet.uu * (cos * cos) + jet.uv * (2.0 * cos * sin) + jet.vv * (sin * sin);
        second.dot(normal) > 0.0
    });
    assert!(bent, "{name} at {at}");
}

#[test]
fn converted_convex_surfaces_are_convex() {
    for scale in [1e-6, 1.0, 1e6] {
        let k = |x: f64| x * scale;
        let place = Pose::from_matrix(pose().rotation(), pose().translation() * scale).unwrap();
        let turn = [0.0, TAU];
        let cases: [(&str, Surface, [f64; 2], [f64; 2]); 7] = [
            ("sphere", Sphere::new(place, k(2.0)).unwrap().into(), turn, [-FRAC_PI_2, FRAC_PI_2]),
            ("part of a sphere", Sphere::new(place, k(2.0)).unwrap().into(), [0.3, 1.9], [-0.4, 1.0]),
            (
                "ellipsoid",
                Ellipsoid::new(place, [k(1.0), k(2.0), k(3.0)]).unwrap().into(),
                turn,
                [-FRAC_PI_2, FRAC_PI_2],
            ),
            ("cylinder", Cylinder::new(place, k(1.0)).unwrap().into(), [0.2, 3.0], [k(0.0), k(2.0)]),
            ("cone", Cone::new(place, k(1.0), 0.5).unwrap().into(), [0.2, 3.0], [k(0.0), k(2.0)]),
            ("paraboloid", Paraboloid::new(place, k(0.5)).unwrap().into(), [0.2, 3.0], [k(0.3), k(2.0)]),
            ("outer torus", Torus::new(place, k(3.0), k(1.0)).unwrap().into(), [0.2, 3.0], [-1.4, 1.4]),
        ];
        for (name, surface, u, v) in cases {
            let body = converted(surface.clone(), u, v, false);
            assert_eq!(of_face(&body), Convexity::Convex, "{name} at {scale}");
            // Seen from inside all of them are hollow, but for closed ones, which are turned.
            if !body.is_closed() {
                check_hollow(name, &converted(surface, u, v, true));
            }
        }
    }
    // A whole sphere is a convex body.
    let ball = Surface::from(Sphere::new(pose(), 1.0).unwrap());
    let body = TiledBody::from_patches(&[Patch::new(ball.to_nurbs(ball.domain()).unwrap())], None).unwrap();
    assert_eq!(body.convexity(), Convexity::Convex);
}

#[test]
fn saddles_are_shown() {
    check_hollow(
        "inner torus",
        &converted(Torus::new(pose(), 3.0, 1.0).unwrap(), [0.2, 3.0], [2.0, 4.0], false),
    );
    check_hollow("both", &converted(Torus::new(pose(), 3.0, 1.0).unwrap(), [0.2, 3.0], [1.0, 2.0], false));
    let ends = || vec![0.0, 0.0, 1.0, 1.0];
    let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::ONE]];
    let twisted = NurbsSurface::new([1, 1], [ends(), ends()], &net, None).unwrap();
    check_hollow("bilinear", &TiledBody::from_patches(&[Patch::new(twisted)], None).unwrap());
    // A dent between the samples of a grid.
    let knots: Vec<f64> = (0..36).map(|i| f64::from(i).clamp(3.0, 32.0) - 3.0).collect();
    let line = vec![0.0, 0.0, 1.0, 1.0];
    let points: Vec<Vec<DVec3>> = (0..32)
        .map(|i| {
            let x = f64::from(i) / 31.0 * 2.0 - 1.0;
            let dent = if i == 17 { 4e-3 } else { 0.0 };
            let z = 1.0 - 0.5 * x * x - dent;
            vec![DVec3::new(x, 0.0, z), DVec3::new(x, 1.0, z)]
        })
        .collect();
    let dented = NurbsSurface::new([3, 1], [knots.clone(), line.clone()], &points, None).unwrap();
    check_hollow("dented arch", &TiledBody::from_patches(&[Patch::new(dented)], None).unwrap());
    let smooth: Vec<Vec<DVec3>> = (0..32)
        .map(|i| {
            let x = f64::from(i) / 31.0 * 2.0 - 1.0;
            [0.0, 1.0].map(|y| DVec3::new(x, y, 1.0 - 0.5 * x * x)).to_vec()
        })
        .collect();
    let arch = NurbsSurface::new([3, 1], [knots, line], &smooth, None).unwrap();
    assert_eq!(of_face(&TiledBody::from_patches(&[Patch::new(arch)], None).unwrap()), Convexity::Convex);
}

fn bulge(hollow: bool) -> NurbsCurve {
    // In the plane of x and z, from the axis z out and back.
    let x = if hollow { -0.5 } else { 1.5 };
    let points = [
        DVec3::new(0.0, 0.0, -1.0),
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(x, 0.0, 0.0),
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(0.0, 0.0, 1.0),
    ];
    NurbsCurve::new(4, vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0], &points, None).unwrap()
}

#[test]
fn sweeps_of_splines_are_decided() {
    for hollow in [false, true] {
        let curve = Curve::from(bulge(hollow));
        let turned =
            patch(Revolution::new(curve.clone(), DVec3::ZERO, DVec3::Z).unwrap(), [0.0, TAU], [0.0, 1.0]);
        let pushed = patch(Extrusion::new(curve, DVec3::Y).unwrap(), [0.0, 1.0], [0.0, 2.0]);
        for (name, body) in [("revolved", turned), ("extruded", pushed)] {
            // Which way it looks depends on the curve's direction: one of both sides is convex, or none.
            let face = &body.faces()[0];
            let out = face.point(DVec2::new(0.5, 0.5));
            let looks_out = face.normal(DVec2::new(0.5, 0.5)).unwrap().dot(out) > 0.0;
            match (hollow, looks_out) {
                (false, true) => assert_eq!(of_face(&body), Convexity::Convex, "{name}"),
                _ => check_hollow(name, &body),
            }
        }
    }
    let oval = Ellipse::new(Pose::IDENTITY, [2.0, 1.0]).unwrap();
    let wall = patch(Extrusion::new(oval.into(), DVec3::Z).unwrap(), [0.0, 3.0], [0.0, 2.0]);
    assert_eq!(of_face(&wall), Convexity::Convex);
    let ring = Circle::new(
        Pose::from_matrix(
            clearance_geometry::DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y),
            DVec3::X * 3.0,
        )
        .unwrap(),
        1.0,
    )
    .unwrap();
    let tube = Revolution::new(ring.into(), DVec3::ZERO, DVec3::Z).unwrap();
    assert_eq!(of_face(&patch(tube.clone(), [0.0, 2.0], [-1.2, 1.2])), Convexity::Convex);
    check_hollow("inner tube", &patch(tube, [0.0, 2.0], [2.0, 4.0]));
}

/// A prism whose walls are one sweep of a closed polygon, so that only the caps have edges.
fn swept_prism(corners: &[DVec3], height: f64) -> TiledBody {
    let n = corners.len();
    let curve = |z: f64| {
        let points: Vec<DVec3> = (0..=n).map(|i| corners[i % n] + DVec3::Z * z).collect();
        let mut knots: Vec<f64> = (0..=n).map(|i| i as f64).collect();
        knots.insert(0, 0.0);
        knots.push(n as f64);
        Curve::from(NurbsCurve::new(1, knots, &points, None).unwrap())
    };
    let edge = |z: f64| DraftEdge { curve: curve(z), range: Range::new(0.0, n as f64), ends: None };
    let once = |edge: u32, reversed: bool| DraftLoop::Edges(vec![DraftUse::new(EdgeId(edge), reversed)]);
    let wall = |edge: u32, reversed: bool| {
        let v = f64::from(edge);
        let line = PlanarCurve::segment(DVec2::new(0.0, v), DVec2::new(n as f64, v)).unwrap();
        let parameters = Some(ParameterCurve { curve: line, ends: [0.0, 1.0] });
        DraftLoop::Edges(vec![DraftUse { edge: EdgeId(edge), reversed, parameters }])
    };
    let face = |surface: Surface, reversed: bool, loops: Vec<DraftLoop>| DraftFace {
        surface,
        reversed,
        loops,
        rect: None,
    };
    let cap = |z: f64| Plane::new(Pose::from_translation(DVec3::Z * z).unwrap()).into();
    let faces = vec![
        face(
            Extrusion::new(curve(0.0), DVec3::Z * height).unwrap().into(),
            false,
            vec![wall(0, false), wall(1, true)],
        ),
        face(cap(0.0), true, vec![once(0, true)]),
        face(cap(height), false, vec![once(1, false)]),
    ];
    TiledBody::from_draft(Draft { faces, edges: vec![edge(0.0), edge(height)], ..Draft::default() }).unwrap()
}

#[test]
fn creases_within_a_face_are_noticed() {
    for scale in [1e-6, 1.0, 1e6] {
        // Also with one corner pushed in: at the seam of the sweep or beside it.
        for (name, dents) in
            [("convex", vec![]), ("star", vec![1, 3, 5, 7, 9]), ("seam", vec![0]), ("one", vec![4])]
        {
            let corner = |i: usize| {
                let angle = TAU * i as f64 / 10.0;
                let radius = scale * if dents.contains(&i) { 0.5 } else { 1.0 };
                DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
            };
            let corners: Vec<DVec3> = (0..10).map(corner).collect();
            let body = swept_prism(&corners, scale);
            assert!(body.is_closed(), "{name}");
            // A trimmed face is not cut along its creases, and that is said.
            assert_eq!(
                body.notes(),
                [TiledNote::FoldedFaces { faces: vec![FaceId(0)] }],
                "{name} at {scale}"
            );
            match body.convexity() {
                Convexity::Convex => assert!(dents.is_empty(), "{name} at {scale}"),
                Convexity::NotConvex(Hollow::Face { face, at }) => {
                    let at = body.face(face).point(at);
                    let near =
                        dents.iter().map(|&i| (corner(i) - at.with_z(0.0)).length()).fold(9e9, f64::min);
                    assert!(near < 1e-6 * scale, "{name} at {scale}: {at}");
                }
                other => panic!("{name} at {scale}: {other:?}"),
            }
        }
    }
}

/// A thin frame on a cone between two rectangles of parameters.
fn cone_frame(reversed: bool) -> TiledBody {
    let cone = Surface::from(Cone::new(Pose::IDENTITY, 1.0, 0.5).unwrap());
    let mut draft = Draft::default();
    let mut loops = Vec::new();
    for (hole, [a, b]) in [[0.0, 1.0], [0.02, 0.98]].into_iter().enumerate() {
        let corner = draft.vertices.len() as u32;
        for (u, v) in [(a, a), (b, a), (b, b), (a, b)] {
            draft.vertices.push(cone.point(u, v));
        }
        let first = draft.edges.len() as u32;
        let arc = |v: f64| {
            let frame = Pose::from_translation(DVec3::Z * v).unwrap();
            Curve::from(Circle::new(frame, 1.0 + 0.5 * v).unwrap())
        };
        let ruling = |u: f64| {
            let from = cone.point(u, 0.0);
            Curve::from(Line::new(from, cone.point(u, 1.0) - from).unwrap())
        };
        let sides = [(arc(a), 0, 1), (ruling(b), 1, 2), (arc(b), 3, 2), (ruling(a), 0, 3)];
        for (curve, from, to) in sides {
            let ends = Some([from, to].map(|k| VertexId(corner + k)));
            draft.edges.push(DraftEdge { curve, range: Range::new(a, b), ends });
        }
        let mut uses: Vec<DraftUse> =
            (0..4).map(|k| DraftUse::new(EdgeId(first + k), (k >= 2) != (hole == 1))).collect();
        if hole == 1 {
            uses.reverse();
        }
        if reversed {
            uses.reverse();
            uses.iter_mut().for_each(|used| used.reversed = !used.reversed);
        }
        loops.push(DraftLoop::Edges(uses));
    }
    draft.faces.push(DraftFace { surface: cone, reversed, loops, rect: None });
    TiledBody::from_draft(draft).unwrap()
}

#[test]
fn cone_is_decided_where_no_sample_lies_inside() {
    assert_eq!(of_face(&cone_frame(false)), Convexity::Convex);
    let hollow = of_face(&cone_frame(true));
    assert!(matches!(hollow, Convexity::NotConvex(_) | Convexity::Unknown), "{hollow:?}");
    // Both nappes.
    let double = patch(Cone::new(pose(), 1.0, 0.5).unwrap(), [0.0, 3.0], [-4.0, 3.0]);
    assert_ne!(of_face(&double), Convexity::Convex);
}

#[test]
fn patches_of_high_degree_end_soon() {
    // A wave that is convex nowhere near its coefficients, and an arch.
    let degree = 30;
    let knots = || [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat();
    let mut random = Random::new(5);
    let net: Vec<Vec<DVec3>> = (0..=degree)
        .map(|i| {
            let point = |j: usize| {
                let (x, y) = (i as f64 / degree as f64 - 0.5, j as f64 / degree as f64 - 0.5);
                DVec3::new(x, y, -x * x - y * y + 1e-3 * random.unit())
            };
            (0..=degree).map(point).collect()
        })
        .collect();
    let spline = NurbsSurface::new([degree, degree], [knots(), knots()], &net, None).unwrap();
    let body = TiledBody::from_patches(&[Patch::new(spline)], None).unwrap();
    let start = std::time::Instant::now();
    let found = of_face(&body);
    assert!(start.elapsed().as_secs_f64() < 10.0, "{found:?} after {:?}", start.elapsed());
}

/// All patches are nice, cover the face, and hold the normals of samples.
fn check_nice(name: &str, body: &TiledBody, singular: usize) {
    let patches = body.nice_patches();
    let bad = patches.iter().filter(|p| !p.is_nice()).count();
    assert!(bad <= singular, "{name}: {bad} of {} patches are not nice", patches.len());
    let mut random = Random::new(3);
    let mut seen = 0;
    for _ in 0..400 {
        let at = random.index(body.face_count());
        let face = &body.faces()[at];
        let bounds = face.region.bounds();
        let p = DVec2::new(bounds.u.at(random.unit()), bounds.v.at(random.unit()));
        if face.side(p) != Side::Inside {
            continue;
        }
        seen += 1;
        let normal = face.jet(p).cross() * if face.reversed { -1.0 } else { 1.0 };
        let mine: Vec<_> =
            patches.iter().filter(|q| q.face.index() == at && q.rect.contains(p.x, p.y)).collect();
        assert!(!mine.is_empty(), "{name} at {p}");
        assert!(mine.iter().any(|q| q.normals.contains(normal)), "{name} at {p}");
    }
    assert!(seen > 100, "{name}: {seen}");
}

fn whole(surface: impl Into<Surface>) -> TiledBody {
    let faces = vec![DraftFace { surface: surface.into(), reversed: false, loops: Vec::new(), rect: None }];
    TiledBody::from_draft(Draft { faces, ..Draft::default() }).unwrap()
}

#[test]
fn analytic_faces_split_into_nice_patches() {
    let turn = [0.0, TAU];
    check_nice("sphere", &whole(Sphere::new(pose(), 2.0).unwrap()), 0);
    check_nice("ellipsoid", &whole(Ellipsoid::new(pose(), [1.0, 2.0, 3.0]).unwrap()), 0);
    check_nice("torus", &whole(Torus::new(pose(), 3.0, 1.0).unwrap()), 0);
    check_nice("horn torus", &patch(Torus::new(pose(), 1.0, 1.0).unwrap(), turn, [0.0, 3.1]), 0);
    check_nice("spindle torus", &patch(Torus::new(pose(), 1.0, 2.0).unwrap(), turn, [0.0, TAU]), 0);
    check_nice("plane", &patch(Plane::new(pose()), [0.0, 1.0], [0.0, 1.0]), 0);
    check_nice("cylinder", &patch(Cylinder::new(pose(), 1.0).unwrap(), turn, [0.0, 5.0]), 0);
    check_nice("cone", &patch(Cone::new(pose(), 1.0, 0.5).unwrap(), turn, [-2.0, 3.0]), 0);
    check_nice("both nappes", &patch(Cone::new(pose(), 1.0, 0.5).unwrap(), turn, [-4.0, 3.0]), 0);
    check_nice("paraboloid", &patch(Paraboloid::new(pose(), 0.5).unwrap(), turn, [0.0, 3.0]), 0);
    let p = DVec2::new;
    let (h, arc) = (3.0_f64.sqrt(), |from, to, ccw| Segment::Arc { center: p(1.0, 0.0), from, to, ccw });
    check_nice("apple", &TiledBody::revolve(&[arc(p(0.0, -h), p(0.0, h), true)]).unwrap(), 0);
    check_nice(
        "bullet",
        &TiledBody::revolve(&[
            Segment::Line { from: p(0.0, 0.0), to: p(2.0, 0.0) },
            Segment::Line { from: p(2.0, 0.0), to: p(2.0, 3.0) },
            Segment::Arc { center: p(0.0, 3.0), from: p(2.0, 3.0), to: p(0.0, 5.0), ccw: true },
        ])
        .unwrap(),
        0,
    );
}

#[test]
fn sweeps_and_splines_split_into_nice_patches() {
    for hollow in [false, true] {
        let curve = Curve::from(bulge(hollow));
        let turned = Revolution::new(curve.clone(), DVec3::ZERO, DVec3::Z).unwrap();
        check_nice("revolved spline", &patch(turned, [0.0, TAU], [0.0, 1.0]), 0);
        check_nice(
            "extruded spline",
            &patch(Extrusion::new(curve, DVec3::Y).unwrap(), [0.0, 1.0], [0.0, 2.0]),
            0,
        );
    }
    for (name, surface) in [
        ("sphere", Surface::from(Sphere::new(pose(), 2.0).unwrap())),
        ("ellipsoid", Ellipsoid::new(pose(), [1.0, 2.0, 3.0]).unwrap().into()),
        ("torus", Torus::new(pose(), 3.0, 1.0).unwrap().into()),
    ] {
        let domain = surface.domain();
        let body = converted(surface, [domain.u.low, domain.u.high], [domain.v.low, domain.v.high], false);
        check_nice(name, &body, 0);
    }
    // A collapsed row.
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let net: Vec<Vec<DVec3>> = (0..4)
        .map(|i| {
            let out = f64::from(i) / 3.0;
            (0..4)
                .map(|j| {
                    let angle = f64::from(j) / 3.0 * FRAC_PI_2;
                    DVec3::new(out * angle.cos(), out * angle.sin(), 1.0 - out * out)
                })
                .collect()
        })
        .collect();
    let cap = NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    assert!(!cap.poles().is_empty());
    check_nice("collapsed row", &TiledBody::from_patches(&[Patch::new(cap)], None).unwrap(), 0);
    // Folded over at one corner, where two sides leave in opposite directions: no normal there.
    let fold = [
        vec![DVec3::ZERO, DVec3::new(-0.5, 0.0, 0.0), DVec3::new(-1.0, 1.0, 0.0)],
        vec![DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.0, 0.6, 0.1), DVec3::new(-0.3, 1.2, 0.0)],
        vec![DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.5, 1.2, 0.0), DVec3::new(0.0, 2.0, 0.3)],
    ];
    let ends = || vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let folded = NurbsSurface::new([2, 2], [ends(), ends()], &fold, None).unwrap();
    let body = TiledBody::from_patches(&[Patch::new(folded)], None).unwrap();
    let bad: Vec<_> = body.nice_patches().iter().filter(|p| !p.is_nice()).collect();
    assert!(bad.len() <= 4, "{}", bad.len());
    assert!(bad.iter().all(|p| p.rect.u.low < 0.02 && p.rect.v.low < 0.02), "all at the corner: {bad:?}");
}

#[test]
fn teapot_patches_are_decided() {
    let test = "teapot_patches_are_decided";
    for file in ["teapot-patches.json", "teacup-patches.json", "teaspoon-patches.json"] {
        let Some(path) = data::data_or_skip(test, file) else { return };
        let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let mut counts = [0; 3];
        for net in data::bezier_patches(&path) {
            let spline = NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
            let Ok(body) = TiledBody::from_patches(&[Patch::new(spline.clone())], None) else { continue };
            // The spoon is folded over at its tip, along a line next to one side.
            let folded = body.nice_patches().iter().filter(|p| !p.is_nice());
            let folded =
                folded.inspect(|p| assert!(p.rect.u.low >= 0.99 || p.rect.u.high <= 0.01, "{p:?}")).count();
            assert!(folded == 0 || file.starts_with("teaspoon"), "{file}: {folded}");
            check_nice(file, &body, folded);
            match of_face(&body) {
                Convexity::Convex => counts[0] += 1,
                Convexity::NotConvex(_) => {
                    check_hollow(file, &body);
                    counts[1] += 1;
                }
                Convexity::Unknown => counts[2] += 1,
            }
        }
        assert!(counts[2] * 4 <= counts[0] + counts[1], "{file}: {counts:?}");
    }
}
