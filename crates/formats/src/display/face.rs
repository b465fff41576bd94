//! A face as triangles, for drawing only.
//!
//! Source: a grid over a rectangle of parameters; else ears cut off the polygons of the boundary (Meisters 1975, by the
//! crate `earcut`), then edges halved where their chords are off the surface.
//! Differs: whether an edge is halved depends on the edge alone, so that triangles beside it agree.
//! Ends because: edges are halved at most [`ROUNDS`] times, a grid is refined until [`MOST_STEPS`].
//! Cost: some evaluations of the surface for each triangle.
//! Not promised: that triangles of neighbouring faces share their vertices; gaps are below the sag.

use super::{Display, MOST_TRIANGLES};
use clearance_geometry::curve::Rect;
use clearance_geometry::tiled::Face;
use clearance_geometry::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Rounds of halving.
const ROUNDS: usize = 9;

/// Most steps of a grid in either direction.
const MOST_STEPS: usize = 256;

/// Adds a face; where its points are in its parameters.
pub(super) fn add(display: &mut Display, face: &Face, sag: f64) -> Vec<DVec2> {
    let mesh = match face.region.rect() {
        Some(rect) => grid(face, rect, sag),
        None => trimmed(face, sag, MOST_TRIANGLES.saturating_sub(display.triangles.len())),
    };
    let base = display.points.len() as u32;
    let middles = centers(&mesh);
    for (at, toward) in mesh.places.iter().zip(&middles) {
        display.points.push(face.point(*at));
        display.normals.push(normal(face, *at, *toward));
    }
    let turned = |[a, b, c]: [u32; 3]| if face.reversed { [a, c, b] } else { [a, b, c] };
    display.triangles.extend(mesh.triangles.iter().map(|t| turned(t.map(|at| base + at))));
    mesh.places
}

/// Triangles over parameters.
struct Flat {
    places: Vec<DVec2>,
    triangles: Vec<[u32; 3]>,
}

/// The middle of some triangle at each point.
fn centers(mesh: &Flat) -> Vec<DVec2> {
    let mut centers = mesh.places.clone();
    for triangle in &mesh.triangles {
        let middle = triangle.iter().map(|at| mesh.places[*at as usize]).sum::<DVec2>() / 3.0;
        for at in triangle {
            centers[*at as usize] = middle;
        }
    }
    centers
}

/// The outward normal, at a pole the one a little way toward a point beside it.
fn normal(face: &Face, at: DVec2, toward: DVec2) -> DVec3 {
    let step = |part: f64| face.normal(at.lerp(toward, part));
    step(0.0).or_else(|| step(1.0 / 64.0)).or_else(|| step(1.0)).unwrap_or(DVec3::Z)
}

fn grid(face: &Face, rect: Rect, sag: f64) -> Flat {
    let at = |s: f64, t: f64| face.point(DVec2::new(rect.u.at(s), rect.v.at(t)));
    let along_u = steps(at, sag);
    let along_v = steps(|s, across| at(across, s), sag);
    let mut mesh = Flat { places: Vec::new(), triangles: Vec::new() };
    for j in 0..=along_v {
        for i in 0..=along_u {
            let (s, t) = (i as f64 / along_u as f64, j as f64 / along_v as f64);
            mesh.places.push(DVec2::new(rect.u.at(s), rect.v.at(t)));
        }
    }
    let number = |i: usize, j: usize| (j * (along_u + 1) + i) as u32;
    for j in 0..along_v {
        for i in 0..along_u {
            let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// Equal steps in one direction, at some places across it, whose chords are close.
fn steps(at: impl Fn(f64, f64) -> DVec3, sag: f64) -> usize {
    let mut count = 1;
    while count < MOST_STEPS {
        let step = 1.0 / count as f64;
        let close = |k: usize, across: f64| {
            let from = k as f64 * step;
            let ends = [at(from, across), at(from + step, across)];
            [0.25, 0.5, 0.75]
                .iter()
                .all(|&s| at(from + s * step, across).distance(ends[0].lerp(ends[1], s)) <= sag)
        };
        let across = [0.0, 0.25, 0.5, 0.75, 1.0];
        if (0..count).all(|k| across.iter().all(|&t| close(k, t))) {
            break;
        }
        count *= 2;
    }
    count
}

/// Whether a closed polygon runs around counter-clockwise.
fn area(ring: &[DVec2]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f64>() / 2.0
}

fn contains(ring: &[DVec2], at: DVec2) -> bool {
    let next = ring.iter().cycle().skip(1);
    let crossings = ring.iter().zip(next).filter(|(a, b)| {
        (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossings.count() % 2 == 1
}

fn trimmed(face: &Face, sag: f64, budget: usize) -> Flat {
    let outlines = face.region.outlines(sag);
    let mut mesh = Flat { places: Vec::new(), triangles: Vec::new() };
    let (outer, inner): (Vec<_>, Vec<_>) = outlines.iter().partition(|ring| area(ring) > 0.0);
    let mut rim = BTreeMap::new();
    for around in outer {
        let holes: Vec<_> = inner.iter().filter(|hole| contains(around, hole[0])).collect();
        let base = mesh.places.len() as u32;
        let mut starts = Vec::new();
        for (at, ring) in std::iter::once(&around).chain(holes).enumerate() {
            let first = mesh.places.len() as u32;
            if at > 0 {
                starts.push(first - base);
            }
            let count = ring.len() as u32;
            rim.extend((0..count).map(|k| (ordered(first + k, first + (k + 1) % count), None)));
            mesh.places.extend_from_slice(ring);
        }
        let flat: Vec<[f64; 2]> = mesh.places[base as usize..].iter().map(|at| at.to_array()).collect();
        let mut corners: Vec<u32> = Vec::new();
        earcut::Earcut::new().earcut(flat, &starts, &mut corners);
        mesh.triangles.extend(corners.chunks_exact(3).map(|t| {
            let t = [base + t[0], base + t[1], base + t[2]];
            let [a, b, c] = t.map(|at| mesh.places[at as usize]);
            if (b - a).perp_dot(c - a) < 0.0 { [t[0], t[2], t[1]] } else { t }
        }));
    }
    refine(face, &mut mesh, rim, sag, budget);
    mesh
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Halves edges whose chords are off the surface; those of the rim stay as they are.
fn refine(
    face: &Face,
    mesh: &mut Flat,
    mut halved: BTreeMap<(u32, u32), Option<u32>>,
    sag: f64,
    budget: usize,
) {
    for _ in 0..ROUNDS {
        if mesh.triangles.len() > budget {
            return;
        }
        let before = mesh.triangles.len();
        let mut finer = Vec::with_capacity(2 * before);
        for &triangle in &mesh.triangles {
            let [a, b, c] = triangle;
            let middles = [(a, b), (b, c), (c, a)].map(|(p, q)| {
                *halved.entry(ordered(p, q)).or_insert_with(|| {
                    let ends = [p, q].map(|at| mesh.places[at as usize]);
                    bends(face, ends, sag).then(|| {
                        mesh.places.push(ends[0].midpoint(ends[1]));
                        mesh.places.len() as u32 - 1
                    })
                })
            });
            split(triangle, middles, &mut finer);
        }
        mesh.triangles = finer;
        if mesh.triangles.len() == before {
            return;
        }
    }
}

fn bends(face: &Face, ends: [DVec2; 2], sag: f64) -> bool {
    let [from, to] = ends.map(|at| face.point(at));
    [0.25, 0.5, 0.75].iter().any(|&s| face.point(ends[0].lerp(ends[1], s)).distance(from.lerp(to, s)) > sag)
}

/// A triangle cut at the middles of some of its sides.
fn split([a, b, c]: [u32; 3], middles: [Option<u32>; 3], out: &mut Vec<[u32; 3]>) {
    match middles {
        [None, None, None] => out.push([a, b, c]),
        [Some(x), Some(y), Some(z)] => out.extend([[a, x, z], [x, b, y], [z, y, c], [x, y, z]]),
        [Some(x), None, None] => out.extend([[a, x, c], [x, b, c]]),
        [None, Some(y), None] => out.extend([[b, y, a], [y, c, a]]),
        [None, None, Some(z)] => out.extend([[c, z, b], [z, a, b]]),
        [Some(x), Some(y), None] => out.extend([[x, b, y], [a, x, y], [a, y, c]]),
        [None, Some(y), Some(z)] => out.extend([[y, c, z], [b, y, z], [b, z, a]]),
        [Some(x), None, Some(z)] => out.extend([[z, a, x], [c, z, x], [c, x, b]]),
    }
}
