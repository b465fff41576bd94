//! Hulls against an enumeration of all planes through three points, in whole numbers.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, Polytope, PolytopeError};
use common::{Random, check_polytope, check_support, face_sets};
use std::collections::BTreeSet;

type Point = [i64; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The corners of every face of the hull, each sorted; of equal points the first counts.
fn faces_by_enumeration(points: &[Point]) -> BTreeSet<Vec<u32>> {
    let n = points.len();
    let first: Vec<usize> = (0..n).filter(|&i| !points[..i].contains(&points[i])).collect();
    let mut faces = BTreeSet::new();
    for (x, &i) in first.iter().enumerate() {
        for (y, &j) in first.iter().enumerate().skip(x + 1) {
            for &k in &first[y + 1..] {
                let normal = cross(minus(points[j], points[i]), minus(points[k], points[i]));
                let sides: Vec<i64> =
                    first.iter().map(|&p| dot(normal, minus(points[p], points[i]))).collect();
                let (above, below) = (sides.iter().any(|&s| s > 0), sides.iter().any(|&s| s < 0));
                if normal == [0; 3] || above == below {
                    continue;
                }
                let on: Vec<usize> = first
                    .iter()
                    .copied()
                    .filter(|&p| dot(normal, minus(points[p], points[i])) == 0)
                    .collect();
                faces.insert(corners_of(points, &on, normal));
            }
        }
    }
    faces
}

/// Coplanar points that are in no triangle and on no segment of the others.
fn corners_of(points: &[Point], on: &[usize], normal: Point) -> Vec<u32> {
    let inside = |p: usize| {
        let others = || on.iter().copied().filter(move |&q| q != p);
        let side = |a: usize, b: usize| {
            dot(normal, cross(minus(points[b], points[a]), minus(points[p], points[a]))).signum()
        };
        for a in others() {
            for b in others().filter(|&b| b > a) {
                let (u, v) = (minus(points[a], points[p]), minus(points[b], points[p]));
                if cross(u, v) == [0; 3] && dot(u, v) < 0 {
                    return true;
                }
                for c in others().filter(|&c| c > b) {
                    let signs = [side(a, b), side(b, c), side(c, a)];
                    if signs == [1; 3] || signs == [-1; 3] {
                        return true;
                    }
                }
            }
        }
        false
    };
    on.iter().copied().filter(|&p| !inside(p)).map(|p| p as u32).collect()
}

#[test]
fn faces_equal_the_enumerated_ones() {
    let mut random = Random(31);
    let (mut flat, mut merged, mut dropped) = (0, 0, 0);
    for round in 0..1500 {
        // Small ranges make coplanar, collinear and equal points common.
        let range = [2, 3, 4, 10, 1000][round % 5];
        let n = 4 + random.below(11);
        let points: Vec<Point> = (0..n).map(|_| [0; 3].map(|_| random.below(range) as i64)).collect();
        let expected = faces_by_enumeration(&points);
        let rotation = random.rotation();
        let scale = [1e-6, 1.0, 1e6][round % 3];
        for turned in [false, true] {
            let place = |p: &Point| {
                let v = DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64);
                if turned { (rotation * v) * scale } else { v }
            };
            let input: Vec<DVec3> = points.iter().map(place).collect();
            let body = match Polytope::from_points(&input) {
                Ok(body) => body,
                Err(PolytopeError::Flat { .. }) => {
                    assert!(expected.is_empty(), "round {round}");
                    flat += 1;
                    continue;
                }
                Err(error) => panic!("round {round}: {error}"),
            };
            let found: BTreeSet<Vec<u32>> = face_sets(&body).into_iter().collect();
            assert_eq!(found, expected, "round {round}, turned {turned}: {points:?}");
            check_polytope(&body, 128.0);
            check_support(&body, &mut random, 5);
            merged += usize::from(expected.iter().any(|face| face.len() > 3));
            dropped += usize::from(!body.notes().is_empty());
        }
    }
    assert!(flat > 20 && merged > 1000 && dropped > 1000, "{flat} {merged} {dropped}");
}
