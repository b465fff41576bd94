//! Loops that run the wrong way around on a torus, as files have them: on a surface without an end both sides of a loop
//! are bounded, and only the seam tells which of them is the face. Volumes are Pappus's.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Curve, Line, Range};
use clearance_geometry::surface::{Cone, Cylinder, Plane, Surface, Torus};
use clearance_geometry::tiled::{
    Convexity, Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, Side, TiledBody, TiledNote,
};
use clearance_geometry::{DMat3, DVec3, EdgeId, FaceId, Pose, VertexId};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// A frame at a height, with its axes z and x.
fn frame(at: DVec3, z: DVec3, x: DVec3) -> Pose {
    Pose::from_matrix(DMat3::from_cols(x, z.cross(x), z), at).unwrap()
}

fn upright(z: f64) -> Pose {
    frame(DVec3::Z * z, DVec3::Z, DVec3::X)
}

fn arc(frame: Pose, radius: f64, to: f64, ends: [u32; 2]) -> DraftEdge {
    let curve: Curve = Circle::new(frame, radius).unwrap().into();
    DraftEdge { curve, range: Range::new(0.0, to), ends: Some(ends.map(VertexId)) }
}

fn face(surface: impl Into<Surface>, reversed: bool, loops: Vec<Vec<DraftUse>>) -> DraftFace {
    let loops = loops.into_iter().map(DraftLoop::Edges).collect();
    DraftFace { surface: surface.into(), reversed, loops, rect: None }
}

fn uses(list: &[(u32, bool)], turned: bool) -> Vec<DraftUse> {
    let each = |&(edge, reversed): &(u32, bool)| DraftUse::new(EdgeId(edge), reversed ^ turned);
    if turned { list.iter().rev().map(each).collect() } else { list.iter().map(each).collect() }
}

/// A cylinder of radius `k` 2 and height `k` 1 with a round of radius `k` 0.5 on top.
fn rounded(k: f64, turned: bool) -> TiledBody {
    let vertices = [DVec3::X * 2.0, DVec3::new(2.0, 0.0, 1.0), DVec3::new(1.5, 0.0, 1.5)];
    let meridian = frame(DVec3::new(1.5, 0.0, 1.0) * k, DVec3::NEG_Y, DVec3::X);
    let edges = vec![
        arc(upright(0.0), 2.0 * k, TAU, [0, 0]),
        arc(upright(k), 2.0 * k, TAU, [1, 1]),
        arc(upright(1.5 * k), 1.5 * k, TAU, [2, 2]),
        arc(meridian, 0.5 * k, FRAC_PI_2, [1, 2]),
    ];
    let side = Cylinder::new(upright(0.0), 2.0 * k).unwrap();
    let torus = Torus::new(upright(k), 1.5 * k, 0.5 * k).unwrap();
    let faces = vec![
        face(side, false, vec![uses(&[(0, false)], false), uses(&[(1, true)], false)]),
        face(torus, false, vec![uses(&[(1, false), (3, false), (2, true), (3, true)], turned)]),
        face(Plane::new(upright(1.5 * k)), false, vec![uses(&[(2, false)], false)]),
        face(Plane::new(upright(0.0)), true, vec![uses(&[(0, true)], false)]),
    ];
    let vertices = vertices.map(|p| p * k).to_vec();
    TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap()
}

/// A whole torus whose only loop is its two seams, there and back.
fn ring(k: f64, turned: bool) -> TiledBody {
    let meridian = frame(DVec3::X * 3.0 * k, DVec3::NEG_Y, DVec3::X);
    let edges = vec![arc(upright(0.0), 4.0 * k, TAU, [0, 0]), arc(meridian, k, TAU, [0, 0])];
    let torus = Torus::new(upright(0.0), 3.0 * k, k).unwrap();
    let around = uses(&[(0, false), (1, false), (0, true), (1, true)], turned);
    let faces = vec![face(torus, false, vec![around])];
    let vertices = vec![DVec3::X * 4.0 * k];
    TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap()
}

#[test]
fn seam_tells_which_side_of_a_torus_is_the_face() {
    let volume = PI * (4.0 + 0.5 * 2.25 + 3.0 * PI / 16.0 + (0.125 - 0.125 / 3.0));
    for k in [1e-6, 1.0, 1e6] {
        for turned in [false, true] {
            let body = rounded(k, turned);
            assert!(body.is_closed());
            let expected = TiledNote::TurnedLoops { faces: vec![FaceId(1)] };
            assert_eq!(body.notes(), if turned { vec![expected] } else { vec![] });
            let found = body.mass().volume / k.powi(3);
            assert!((found - volume).abs() < 1e-9 * volume, "{found} for {volume}");
            let region = &body.faces()[1].region;
            assert_eq!(region.side(1.0, FRAC_PI_4), Side::Inside);
            assert_eq!(region.side(1.0, PI), Side::Outside);
        }
    }
}

#[test]
fn whole_torus_run_backwards_is_still_a_torus() {
    for k in [1e-6, 1.0, 1e6] {
        for turned in [false, true] {
            let body = ring(k, turned);
            let expected = TiledNote::TurnedLoops { faces: vec![FaceId(0)] };
            assert_eq!(body.notes(), if turned { vec![expected] } else { vec![] });
            let (found, volume) = (body.mass().volume / k.powi(3), 2.0 * PI * PI * 3.0);
            assert!((found - volume).abs() < 1e-9 * volume, "{found} for {volume}");
            assert_eq!(body.faces()[0].region.side(2.0, 5.0), Side::Inside);
        }
    }
}

/// A cone whose seam ends in its apex, with the angle as a file has it: rounded to twelve digits.
fn cone_of_a_file(radius: f64, height: f64) -> TiledBody {
    let angle: f64 = format!("{:.11e}", (radius / height).atan()).parse().unwrap();
    let vertices = vec![DVec3::X * radius, DVec3::Z * height];
    let along = (vertices[1] - vertices[0]) / height;
    let seam = Line::new(vertices[0], along).unwrap().into();
    let ends = Some([VertexId(0), VertexId(1)]);
    let edges = vec![
        arc(upright(0.0), radius, TAU, [0, 0]),
        DraftEdge { curve: seam, range: Range::new(0.0, height), ends },
    ];
    let side = Cone::new(upright(0.0), radius, -angle.tan()).unwrap();
    let around = uses(&[(0, false), (1, false), (1, true)], false);
    let base = uses(&[(0, true)], false);
    let faces = vec![face(side, false, vec![around]), face(Plane::new(upright(0.0)), true, vec![base])];
    TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap()
}

#[test]
fn cone_with_an_angle_of_twelve_digits_is_convex() {
    // Rounded up and down, so that the side ends before its apex or goes on behind it.
    let mut beyond = [0; 2];
    for (radius, height) in
        [(6.0, 10.0), (5.0, 10.0), (3.0, 7.0), (2.0, 9.0), (4.0, 4.0), (7.0, 3.0), (9.0, 2.0)]
    {
        let body = cone_of_a_file(radius, height);
        let Surface::Cone(cone) = &body.faces()[0].surface else { panic!("a cone") };
        beyond[usize::from(cone.radius() + cone.slope() * height < 0.0)] += 1;
        assert_eq!(body.convexity(), Convexity::Convex, "{radius} {height}");
        let shape = body.convex_shape().unwrap();
        let top = shape.farthest(DVec3::new(0.1, 0.0, 1.0)).point;
        assert!(top.distance(DVec3::Z * height) < 1e-9 * height, "{top}");
    }
    assert!(beyond[0] > 0 && beyond[1] > 0, "{beyond:?}");
}
