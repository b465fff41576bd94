//! Faces that go around a closed spline: rims of several edges that begin anywhere, and points found from bad starts.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Curve, Ellipse, NurbsCurve, ParametricCurve, Range};
use clearance_geometry::surface::{Extrusion, Plane, Revolution, Surface};
use clearance_geometry::tiled::{Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, EdgeKind, TiledBody};
use clearance_geometry::{DMat3, DVec3, EdgeId, FaceId, Pose, VertexId};
use std::f64::consts::{FRAC_PI_2, PI};

/// A closed spline much longer than wide, so that its sides are near each other.
fn blade(pose: &Pose) -> NurbsCurve {
    let ellipse = Curve::from(Ellipse::new(*pose, [1.0, 0.02]).unwrap());
    ellipse.to_nurbs(Range::TURN).unwrap()
}

/// One rim, cut into `pieces` from `start` on, given as a part of the period; `turned` runs all edges against it.
fn rim(draft: &mut Draft, curve: &NurbsCurve, pieces: usize, start: f64, turned: bool) -> Vec<EdgeId> {
    let domain = curve.domain();
    let at = |k: usize| domain.low + domain.width() * (start + k as f64 / pieces as f64);
    let on = |t: f64| if domain.contains(t) { curve.point(t) } else { curve.point(t - domain.width()) };
    let first = draft.vertices.len();
    draft.vertices.extend((0..pieces).map(|k| on(at(k))));
    let vertex = |k: usize| VertexId((first + k % pieces) as u32);
    let mut edges = Vec::new();
    for k in 0..pieces {
        edges.push(EdgeId(draft.edges.len() as u32));
        let (range, ends) = (Range::new(at(k), at(k + 1)), [vertex(k), vertex(k + 1)]);
        let (range, ends, curve) = if turned {
            let back = reversed(curve);
            (
                Range::new(
                    2.0 * domain.low + domain.width() - range.high,
                    2.0 * domain.low + domain.width() - range.low,
                ),
                [ends[1], ends[0]],
                back,
            )
        } else {
            (range, ends, curve.clone())
        };
        draft.edges.push(DraftEdge { curve: curve.into(), range, ends: Some(ends) });
    }
    edges
}

/// The same closed curve run the other way.
fn reversed(curve: &NurbsCurve) -> NurbsCurve {
    let Range { low, high } = curve.knots().domain();
    let knots: Vec<f64> = curve.knots().values().iter().rev().map(|t| low + high - t).collect();
    let count = curve.homogeneous_points().len();
    let points: Vec<DVec3> = (0..count).rev().map(|i| curve.control_point(i)).collect();
    let weights: Vec<f64> = (0..count).rev().map(|i| curve.weight(i)).collect();
    NurbsCurve::new(curve.degree(), knots, &points, Some(&weights)).unwrap()
}

fn ring(edges: &[EdgeId], forward: bool, against: bool) -> DraftLoop {
    let uses = edges.iter().map(|&edge| DraftUse::new(edge, against == forward));
    let uses: Vec<DraftUse> = if forward { uses.collect() } else { uses.rev().collect() };
    DraftLoop::Edges(uses)
}

fn face(surface: impl Into<Surface>, reversed: bool, loops: Vec<DraftLoop>) -> DraftFace {
    DraftFace { surface: surface.into(), reversed, loops, rect: None }
}

/// A wall between two rims and a flat cap on each; the wall's loops and the caps name the same edges.
fn closed_body(
    wall: Surface,
    rims: [&NurbsCurve; 2],
    caps: [Plane; 2],
    cuts: [(usize, f64, bool); 2],
) -> TiledBody {
    let mut draft = Draft::default();
    let [low, high] = [0, 1].map(|i| rim(&mut draft, rims[i], cuts[i].0, cuts[i].1, cuts[i].2));
    let [one, other] = caps;
    draft.faces = vec![
        face(wall, false, vec![ring(&low, true, cuts[0].2), ring(&high, false, cuts[1].2)]),
        face(one, true, vec![ring(&low, false, cuts[0].2)]),
        face(other, false, vec![ring(&high, true, cuts[1].2)]),
    ];
    TiledBody::from_draft(draft).unwrap()
}

/// Every edge lies on its faces where the body says, and the faces meet at right angles.
fn check(body: &TiledBody, name: &str) {
    assert!(body.is_closed(), "{name}");
    for (at, edge) in body.edges().iter().enumerate() {
        for k in 0..=32 {
            let t = edge.range.at(f64::from(k) / 32.0);
            for (side, of) in edge.faces.iter().enumerate() {
                let id = of.unwrap();
                let on = body.parameters(id, EdgeId(at as u32), t, side == 1);
                let off = body.face(id).point(on).distance(edge.point(t));
                assert!(off < 1e-9, "{name}: edge {at} at {t} is {off} off face {}", id.0);
            }
        }
        assert_eq!(edge.kind, EdgeKind::Convex, "{name}: edge {at} {:?}", edge.angles);
        assert!(
            edge.angles.iter().all(|angle| (angle - FRAC_PI_2).abs() < 1e-6),
            "{name}: {:?}",
            edge.angles
        );
    }
    assert!(body.face(FaceId(0)).region.rect().is_some(), "{name}: the fast path is kept");
}

const CUTS: [(usize, f64, bool); 8] = [
    (1, 0.0, false),
    (1, 0.3, false),
    (1, 0.3, true),
    (2, 0.0, false),
    (3, 0.0, true),
    (3, 0.2, false),
    (4, 0.9, true),
    (5, 0.65, false),
];

#[test]
fn rims_of_several_edges_may_begin_anywhere_on_an_extrusion() {
    for (k, low) in CUTS.into_iter().enumerate() {
        for high in [CUTS[k], CUTS[(k + 3) % CUTS.len()]] {
            let curve = blade(&Pose::IDENTITY);
            let lifted = blade(&Pose::from_translation(DVec3::Z).unwrap());
            let wall = Extrusion::new(curve.clone().into(), DVec3::Z).unwrap();
            let caps = [0.0, 1.0].map(|z| Plane::new(Pose::from_translation(DVec3::Z * z).unwrap()));
            let body = closed_body(wall.into(), [&curve, &lifted], caps, [low, high]);
            check(&body, &format!("{low:?} {high:?}"));
            let volume = 0.02 * PI;
            let mass = body.mass();
            assert!(
                (mass.volume - volume).abs() <= mass.volume_error + 1e-9 * volume,
                "{low:?} {high:?} {mass:?}"
            );
        }
    }
}

#[test]
fn rims_of_several_edges_may_begin_anywhere_on_a_revolution() {
    // Half a ring about z with a blade in the plane of x and z; rims run along v.
    let upright = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
    let at = Pose::from_matrix(upright, DVec3::X * 3.0).unwrap();
    for (k, low) in CUTS.into_iter().enumerate() {
        for high in [CUTS[k], CUTS[(k + 3) % CUTS.len()]] {
            let curve = blade(&at);
            let turn = Pose::from_axis_angle(DVec3::Z, PI, DVec3::ZERO).unwrap();
            let far = curve.moved(&turn);
            let wall = Revolution::new(curve.clone().into(), DVec3::ZERO, DVec3::Z).unwrap();
            // The wall lies to the left of the far rim.
            let caps = [Plane::new(at).moved(&turn), Plane::new(at)];
            let body = closed_body(wall.into(), [&far, &curve], caps, [low, high]);
            check(&body, &format!("{low:?} {high:?}"));
            let volume = 0.02 * PI * 3.0 * PI;
            let mass = body.mass();
            assert!(
                (mass.volume - volume).abs() <= mass.volume_error + 1e-9 * volume,
                "{low:?} {high:?} {mass:?}"
            );
        }
    }
}
