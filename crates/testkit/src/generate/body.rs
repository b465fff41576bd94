//! Bodies of every kind: primitives, polytopes, splines open and closed, trimmed shells, unions.

use crate::Random;
use clearance_geometry::curve::{Line, Range};
use clearance_geometry::surface::{Cylinder, NurbsSurface, Plane, Sphere};
use clearance_geometry::tiled::{
    Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, Patch, Segment, TiledBody,
};
use clearance_geometry::{Body, DMat3, DQuat, DVec2, EdgeId, Part, PartTree, Polytope, Pose, VertexId};
use glam::DVec3;
use std::f64::consts::TAU;

/// Names of what [`body`] makes.
pub const BODY_KINDS: [&str; 19] = [
    "sphere",
    "ellipsoid",
    "cylinder",
    "cone",
    "stump",
    "capsule",
    "torus",
    "box",
    "hull",
    "point",
    "segment",
    "sheet",
    "rational sheet",
    "trimmed shell",
    "pillow",
    "bowl",
    "cup",
    "star",
    "union",
];

/// The smallest bodies are about this large: round faces of a radius below 10⁻⁷ count as degenerate.
pub(super) const SMALLEST: f64 = 1e-5;

/// A sheet of splines of degree 2 or 3 over a square, waves of a random height in it.
fn sheet(random: &mut Random, scale: f64, rational: bool) -> NurbsSurface {
    let degree = 2 + random.index(2);
    let count = degree + 1 + random.index(3);
    let inner = count - degree;
    let knots: Vec<f64> =
        (0..count + degree + 1).map(|i| i.saturating_sub(degree).min(inner) as f64 / inner as f64).collect();
    let height = *random.pick(&[0.0, 0.1, 0.5, 1.0]);
    let step = 2.0 / (count - 1) as f64;
    let mut point = |i: usize, j: usize| {
        scale * DVec3::new(step * i as f64 - 1.0, step * j as f64 - 1.0, height * random.uniform(-1.0, 1.0))
    };
    let net: Vec<Vec<DVec3>> = (0..count).map(|i| (0..count).map(|j| point(i, j)).collect()).collect();
    let mut weight = || random.uniform(0.4, 2.5);
    let weights: Vec<Vec<f64>> = (0..count).map(|_| (0..count).map(|_| weight()).collect()).collect();
    NurbsSurface::new([degree; 2], [knots.clone(), knots], &net, rational.then_some(&weights[..]))
        .expect("a sheet")
}

/// A cube of six bicubic patches, its control points pulled in and out.
fn pillow(random: &mut Random, scale: f64) -> TiledBody {
    let waves = [random.direction() * 2.0, random.direction() * 3.0];
    let swell = random.uniform(0.0, 0.6);
    // By place alone, so that neighbours share their rows.
    let moved = |p: DVec3| {
        let round = p.lerp(p.normalize() * 1.2, swell);
        scale * round * (1.0 + 0.1 * (p.dot(waves[0])).sin() + 0.05 * (p.dot(waves[1])).cos())
    };
    let faces = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let patches: Vec<Patch> = faces
        .map(|normal| {
            let u = DVec3::new(normal.y, normal.z, normal.x);
            let v = normal.cross(u);
            let at = |k: usize| 2.0 / 3.0 * k as f64 - 1.0;
            let row = |i: usize| (0..4).map(|j| moved(normal + u * at(i) + v * at(j))).collect::<Vec<_>>();
            let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
            let ends = || [vec![0.0; 4], vec![1.0; 4]].concat();
            Patch::new(NurbsSurface::new([3; 2], [ends(), ends()], &net, None).expect("a patch"))
        })
        .collect();
    TiledBody::from_patches(&patches, None).expect("a pillow")
}

/// A bowl with a foot and a reflex edge.
fn bowl(random: &mut Random, scale: f64) -> TiledBody {
    let mut p = |r: f64, z: f64| DVec2::new(r * random.uniform(0.95, 1.05), z) * scale;
    let corners = [p(0.0, 0.0), p(0.5, 0.0), p(0.4, 0.3), p(1.2, 1.0), p(1.0, 1.0), p(0.0, 0.4)];
    let profile: Vec<Segment> =
        corners.windows(2).map(|ends| Segment::Line { from: ends[0], to: ends[1] }).collect();
    TiledBody::revolve(&profile).expect("a bowl")
}

/// A cup of two parts of balls about its axis with a flat rim between them: circles beside balls.
fn cup(random: &mut Random, scale: f64) -> TiledBody {
    let radius = scale * random.uniform(0.6, 1.0);
    let inner = radius * random.uniform(0.6, 0.97);
    let (center, at) = (DVec2::new(0.0, radius), |r: f64| DVec2::new(r, radius));
    let (lowest, lower) = (DVec2::ZERO, DVec2::new(0.0, radius - inner));
    let profile = [
        Segment::Arc { center, from: lowest, to: at(radius), ccw: true },
        Segment::Line { from: at(radius), to: at(inner) },
        Segment::Arc { center, from: at(inner), to: lower, ccw: false },
    ];
    TiledBody::revolve(&profile).expect("a cup")
}

/// A star that grows narrower toward its top: many flat faces, all of them trimmed, with reflex edges between them.
fn star(random: &mut Random, scale: f64) -> TiledBody {
    let count = 2 * (3 + random.index(3));
    let (height, top) = (scale * random.uniform(0.3, 1.5), random.uniform(0.3, 0.8));
    let corner = |k: usize, share: f64, z: f64| {
        let (out, angle) =
            (if k.is_multiple_of(2) { scale } else { 0.45 * scale }, TAU * k as f64 / count as f64);
        DVec3::new(share * out * angle.cos(), share * out * angle.sin(), z)
    };
    let vertices: Vec<DVec3> = (0..2 * count)
        .map(|k| if k < count { corner(k, 1.0, 0.0) } else { corner(k - count, top, height) })
        .collect();
    // Around the bottom, around the top, and up.
    let ends = |k: usize| match k / count {
        0 => [k, (k + 1) % count],
        1 => [k, count + (k + 1) % count],
        _ => [k - 2 * count, k - count],
    };
    let edge = |k: usize| {
        let [from, to] = ends(k);
        DraftEdge {
            curve: Line::new(vertices[from], vertices[to] - vertices[from]).expect("an edge").into(),
            range: Range::new(0.0, 1.0),
            ends: Some([from, to].map(|at| VertexId(at as u32))),
        }
    };
    let used = |k: usize, reversed: bool| DraftUse::new(EdgeId(k as u32), reversed);
    let face = |normal: DVec3, along: DVec3, origin: DVec3, uses: Vec<DraftUse>| {
        let (z, x) = (normal.normalize(), along.normalize());
        let turn = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        DraftFace {
            surface: Plane::new(Pose::new(turn, origin).expect("a frame")).into(),
            reversed: false,
            loops: vec![DraftLoop::Edges(uses)],
            rect: None,
        }
    };
    let side = |k: usize| {
        let next = (k + 1) % count;
        let (along, up) = (vertices[next] - vertices[k], vertices[count + k] - vertices[k]);
        let uses = vec![
            used(k, false),
            used(2 * count + next, false),
            used(count + k, true),
            used(2 * count + k, true),
        ];
        face(along.cross(up), along, vertices[k], uses)
    };
    let bottom = (0..count).rev().map(|k| used(k, true)).collect();
    let faces = (0..count).map(side).chain([
        face(-DVec3::Z, DVec3::X, vertices[0], bottom),
        face(DVec3::Z, DVec3::X, vertices[count], (count..2 * count).map(|k| used(k, false)).collect()),
    ]);
    let faces = faces.collect();
    let edges = (0..3 * count).map(edge).collect();
    TiledBody::from_draft(Draft { faces, edges, vertices: vertices.clone(), tolerance: None })
        .expect("a star")
}

/// A part of a cylinder or sphere within a polygon of its parameters.
fn shell(random: &mut Random, scale: f64) -> TiledBody {
    let corners = 3 + random.index(4);
    let turn = random.unit();
    let corner = |k: usize| {
        let angle = TAU * (k as f64 + turn) / corners as f64;
        let out = random.uniform(0.4, 1.0);
        DVec2::new(out * angle.cos(), out * angle.sin())
    };
    let ring: Vec<DVec2> = (0..corners).map(corner).collect();
    let surface = if turn < 0.5 {
        Cylinder::new(Pose::IDENTITY, scale).expect("a cylinder").into()
    } else {
        Sphere::new(Pose::IDENTITY, scale).expect("a sphere").into()
    };
    let height = if turn < 0.5 { scale } else { 1.0 };
    let ring = ring.iter().map(|p| DVec2::new(p.x, p.y * height)).collect();
    TiledBody::from_trim(surface, false, &[ring]).expect("a shell")
}

fn union(random: &mut Random, scale: f64) -> PartTree {
    let mut at = || Pose::new(random.quaternion(), random.in_ball() * scale).expect("a pose");
    let pin = TiledBody::cylinder(0.2 * scale, 2.0 * scale).expect("a pin");
    let cube = Polytope::cuboid(DVec3::new(1.0, 0.4, 0.4) * scale).expect("a box");
    let ball = TiledBody::sphere(0.4 * scale).expect("a ball");
    let ring = TiledBody::torus(0.6 * scale, 0.15 * scale).expect("a ring");
    let inner = Part::Union(vec![(Part::Polytope(cube), at()), (Part::Tiled(pin), at())]);
    PartTree::of_parts(vec![(inner, at()), (Part::Tiled(ball), at()), (Part::Tiled(ring), at())])
        .expect("a union")
}

fn polytope(random: &mut Random, kind: usize, scale: f64) -> Polytope {
    let mut side = || scale * random.uniform(0.3, 2.0);
    match BODY_KINDS[kind] {
        "box" => Polytope::cuboid(DVec3::new(side(), side(), side())).expect("a box"),
        "segment" => Polytope::segment([DVec3::ZERO, random.direction() * scale * 1.5]).expect("a segment"),
        "point" => Polytope::point(),
        _ => loop {
            let points: Vec<DVec3> = (0..5 + random.index(20))
                .map(|_| random.direction() * scale * random.uniform(0.7, 1.0))
                .collect();
            if let Ok(hull) = Polytope::from_points(&points) {
                break hull;
            }
        },
    }
}

/// A body of [`BODY_KINDS`]`[kind]`, about `scale` in size.
pub fn body(random: &mut Random, kind: usize, scale: f64) -> Body {
    let mut share = |low: f64, high: f64| scale * random.uniform(low, high);
    match BODY_KINDS[kind] {
        "sphere" => TiledBody::sphere(share(0.3, 1.0)).expect("a sphere").into(),
        "ellipsoid" => TiledBody::ellipsoid([share(0.1, 1.0), share(0.1, 1.0), share(0.1, 1.0)])
            .expect("an ellipsoid")
            .into(),
        "cylinder" => TiledBody::cylinder(share(0.1, 1.0), share(0.1, 2.0)).expect("a cylinder").into(),
        "cone" => TiledBody::cone(share(0.1, 1.0), share(0.1, 2.0), None).expect("a cone").into(),
        "stump" => {
            TiledBody::cone(share(0.5, 1.0), share(0.1, 2.0), Some(share(0.1, 0.45))).expect("a stump").into()
        }
        "capsule" => TiledBody::capsule(share(0.1, 0.5), share(0.1, 1.5)).expect("a capsule").into(),
        "torus" => TiledBody::torus(share(0.6, 1.0), share(0.05, 0.5)).expect("a torus").into(),
        "sheet" | "rational sheet" => {
            let spline = sheet(random, scale, BODY_KINDS[kind] != "sheet");
            TiledBody::from_patches(&[Patch::new(spline)], None).expect("a sheet").into()
        }
        "trimmed shell" => shell(random, scale).into(),
        "pillow" => pillow(random, 0.6 * scale).into(),
        "bowl" => bowl(random, scale).into(),
        "cup" => cup(random, scale).into(),
        "star" => star(random, scale).into(),
        "union" => union(random, scale).into(),
        _ => polytope(random, kind, scale).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_can_be_made() {
        let mut random = Random::new(5);
        for (kind, name) in BODY_KINDS.into_iter().enumerate() {
            for scale in [SMALLEST, 1.0, 1e6] {
                let made = body(&mut random, kind, scale);
                let closed = !matches!(name, "sheet" | "rational sheet" | "trimmed shell");
                assert_eq!(!made.is_surface_only(), closed, "{name}");
            }
        }
    }
}
