//! Bodies of a simulation drawn at chosen times: polygons as they are, polytopes seen from a corner.

use super::sketch::{Sketch, sheet};
use crate::plot::{Color, PALETTE};
use clearance_formats::{AnyBody, AnyPose, Scene};
use clearance_geometry::{Body, DVec3, FaceId, Plane, Polytope, Pose, VertexId};

/// Where every body of a scene stands at a time.
pub(super) struct Moment {
    pub(super) time: f64,
    pub(super) poses: Vec<AnyPose>,
}

/// Bodies that never move.
const STILL: Color = "#777777";

/// An outline on the sheet.
struct Patch {
    /// Across, up and towards the eye.
    points: Vec<DVec3>,
    color: Color,
    shade: f64,
    /// Nearer ones are drawn later.
    nearness: f64,
    moves: bool,
}

/// From where solid scenes are seen: the direction to the eye.
const EYE: DVec3 = DVec3::new(0.62, 0.66, 0.42);
/// The direction to the light.
const LIGHT: DVec3 = DVec3::new(0.75, 0.25, 0.61);

/// One drawing for each moment, in rows of `columns`.
pub(super) fn drawn(
    title: &str,
    subtitle: &str,
    scene: &Scene,
    moments: &[Moment],
    columns: usize,
) -> String {
    let patches: Vec<Vec<Patch>> = moments.iter().map(|moment| patches(scene, &moment.poses)).collect();
    let window = window(patches.iter().flatten());
    let [left, right, low, high] = window;
    let sketches: Vec<Sketch> = moments
        .iter()
        .zip(&patches)
        .map(|(moment, patches)| {
            let mut sketch = Sketch::new(format!("{} s", moment.time), window);
            for patch in patches {
                let points = inside(&patch.points, window);
                sketch.area(points.iter().map(|p| (p.x, p.y)).collect(), patch.color, patch.shade);
            }
            sketch
        })
        .collect();
    let wide = 960.0 / columns as f64;
    let high = (wide * (high - low) / (right - left)).min(2.0 * wide) + 44.0;
    sheet(title, subtitle, &sketches, columns, (wide, high))
}

/// What the moving bodies need, with some room.
fn window<'a>(patches: impl Iterator<Item = &'a Patch>) -> [f64; 4] {
    let mut window = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for p in patches.filter(|patch| patch.moves).flat_map(|patch| &patch.points) {
        window = [window[0].min(p.x), window[1].max(p.x), window[2].min(p.y), window[3].max(p.y)];
    }
    let room = 0.05 * (window[1] - window[0]).max(window[3] - window[2]);
    [window[0] - room, window[1] + room, window[2] - room, window[3] + room]
}

/// The part of a convex outline where a height, linear in space, is not negative.
fn cut(points: &[DVec3], height: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::new();
    for (at, &p) in points.iter().enumerate() {
        let q = points[(at + 1) % points.len()];
        let (hp, hq) = (height(p), height(q));
        if hp >= 0.0 {
            kept.push(p);
        }
        if (hp < 0.0) != (hq < 0.0) {
            kept.push(p + (q - p) * (hp / (hp - hq)));
        }
    }
    kept
}

/// The part of an outline within the window.
fn inside(points: &[DVec3], [left, right, low, high]: [f64; 4]) -> Vec<DVec3> {
    let points = cut(&cut(points, |p| p.x - left), |p| right - p.x);
    cut(&cut(&points, |p| p.y - low), |p| high - p.y)
}

/// The outlines of all bodies, farthest first.
fn patches(scene: &Scene, poses: &[AnyPose]) -> Vec<Patch> {
    let mut patches = Vec::new();
    for (at, (body, pose)) in scene.bodies.iter().zip(poses).enumerate() {
        let color = if body.fixed { STILL } else { PALETTE[at % (PALETTE.len() - 1)] };
        match (&body.shape.body, pose) {
            (AnyBody::Planar(polygon), AnyPose::Planar(pose)) => {
                let corner = |k: usize| pose.apply(polygon.body_vertex(VertexId(k as u32))).extend(0.0);
                let points = (0..polygon.vertex_count()).map(corner).collect();
                let shade = if body.fixed { 0.25 } else { 0.55 };
                patches.push(Patch { points, color, shade, nearness: 0.0, moves: !body.fixed });
            }
            (AnyBody::Solid(Body::Polytope(polytope)), AnyPose::Solid(pose)) => {
                patches.extend(faces(polytope, pose, color, !body.fixed));
            }
            _ => {}
        }
    }
    patches.extend(grounds(scene));
    patches.sort_by(|a, b| a.nearness.total_cmp(&b.nearness));
    patches
}

/// Where a point is seen, and how near it is.
fn seen(point: DVec3) -> DVec3 {
    let eye = EYE.normalize();
    let right = DVec3::Z.cross(eye).normalize();
    DVec3::new(point.dot(right), point.dot(eye.cross(right)), point.dot(eye))
}

/// The faces of a polytope that are seen.
fn faces(polytope: &Polytope, pose: &Pose, color: Color, moves: bool) -> Vec<Patch> {
    let face = |at: usize| {
        let face = FaceId(at as u32);
        let normal = pose.rotate(polytope.plane(face).normal);
        let sides = polytope.sides(face);
        let points: Vec<DVec3> =
            sides.iter().map(|side| seen(pose.apply(polytope.body_vertex(side.vertex)))).collect();
        let nearness = points.iter().map(|p| p.z).sum::<f64>() / points.len().max(1) as f64;
        let shade = 0.4 + 0.5 * normal.dot(LIGHT.normalize()).max(0.0);
        (normal.dot(EYE) > 0.0).then_some(Patch { points, color, shade, nearness, moves })
    };
    (0..polytope.face_count()).filter_map(face).collect()
}

/// A piece of each half-space's boundary that reaches to the others', behind everything.
fn grounds(scene: &Scene) -> Vec<Patch> {
    /// Half a side of the piece, in units of the scene.
    const REACH: f64 = 4.0;
    let planes: Vec<Plane> = scene
        .bodies
        .iter()
        .filter_map(|body| match &body.shape.body {
            AnyBody::Solid(Body::HalfSpace(half_space)) => Some(half_space.plane()),
            _ => None,
        })
        .collect();
    let piece = |plane: &Plane| {
        let (across, along) = plane.normal.any_orthonormal_pair();
        let foot = plane.normal * plane.offset;
        let corner = |s: f64, t: f64| foot + (across * s + along * t) * REACH;
        let mut points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        for other in planes.iter().filter(|other| *other != plane) {
            points = cut(&points, |p| other.normal.dot(p) - other.offset);
        }
        let shade = 0.1 + 0.1 * plane.normal.dot(LIGHT).max(0.0);
        let points = points.into_iter().map(seen).collect();
        Patch { points, color: STILL, shade, nearness: f64::NEG_INFINITY, moves: false }
    };
    planes.iter().map(piece).collect()
}
