//! Facets and edges of a small convex hull by trying all triples of points.
//!
//! Source: the definition. A triple is on the boundary when no point lies on its positive side.
//! Cost: n⁴ / 6 double-double evaluations; meant for up to about 24 points, and no more than 64.

use super::double_double::{Double, Double3};
use glam::DVec3;
use std::collections::BTreeMap;

/// Facets and edges of the hull of a few points.
#[derive(Clone, Debug, Default)]
pub struct SmallHull {
    /// The points it was made from.
    pub points: Vec<DVec3>,
    /// Outward normals (of any length) with the points that lie on each facet.
    pub facets: Vec<(Double3, Vec<usize>)>,
    /// Pairs of points joined by an edge.
    pub edges: Vec<[usize; 2]>,
}

impl SmallHull {
    /// The hull of up to 64 points; two points give one edge, one point nothing.
    pub fn new(points: &[DVec3]) -> Self {
        let mut facets: BTreeMap<u64, Double3> = BTreeMap::new();
        let at = |i: usize| Double3::from(points[i]);
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                for k in j + 1..points.len() {
                    let (u, v) = (at(j) - at(i), at(k) - at(i));
                    let (normal, size) = (u.cross(v), u.value().length() * v.value().length());
                    for normal in [normal, -normal] {
                        if let Some(mask) = supported(points, normal, size, [i, j, k]) {
                            facets.entry(mask).or_insert(normal);
                        }
                    }
                }
            }
        }
        let edges = edges(points.len(), &facets);
        let members = |mask: u64| (0..points.len()).filter(|i| mask >> i & 1 == 1).collect();
        let facets = facets.iter().map(|(&mask, &normal)| (normal, members(mask))).collect();
        Self { points: points.to_vec(), facets, edges }
    }
}

/// Rounding of a determinant in double-double with room to spare, as a part of the product of its vectors'
/// lengths; far below what points given in f64 can mean.
const DETERMINANT_REL: f64 = 1.0 / (1_u128 << 96) as f64;

/// The points on the plane through a triple, if none lies beyond it. `size` is the product of the
/// lengths whose cross product is the normal, which for slivers is much longer than the normal.
fn supported(points: &[DVec3], normal: Double3, size: f64, triple: [usize; 3]) -> Option<u64> {
    if normal.dot(normal) <= Double::ZERO {
        return None;
    }
    let mut mask = triple.iter().fold(0, |mask, i| mask | 1_u64 << i);
    for (index, &point) in points.iter().enumerate() {
        if triple.contains(&index) {
            continue;
        }
        let arm = Double3::from(point) - points[triple[0]].into();
        let height = arm.dot(normal).value();
        let noise = size * arm.value().length() * DETERMINANT_REL;
        if height > noise {
            return None;
        }
        if height >= -noise {
            mask |= 1 << index;
        }
    }
    Some(mask)
}

/// Two points are joined when the facets that hold both have only those two in common.
fn edges(count: usize, facets: &BTreeMap<u64, Double3>) -> Vec<[usize; 2]> {
    if count == 2 {
        return vec![[0, 1]];
    }
    let mut edges = Vec::new();
    for i in 0..count {
        for j in i + 1..count {
            let both = 1_u64 << i | 1 << j;
            let common =
                facets.keys().filter(|&mask| mask & both == both).fold(u64::MAX, |all, mask| all & mask);
            if common == both {
                edges.push([i, j]);
            }
        }
    }
    edges
}

/// Every direction in which the Minkowski difference A − B can have a facet: facets of A, reversed
/// facets of B, and cross products of edges (which count with both signs).
pub(super) fn candidate_normals(
    a: &SmallHull,
    b: &SmallHull,
    rotation: &glam::DMat3,
    mut visit: impl FnMut(Double3),
) {
    for (normal, _) in &a.facets {
        visit(*normal);
    }
    for (normal, _) in &b.facets {
        visit(-Double3::turned(rotation, *normal));
    }
    let arm = |hull: &SmallHull, [i, j]: [usize; 2]| Double3::from(hull.points[j]) - hull.points[i].into();
    let edges_b: Vec<Double3> = b.edges.iter().map(|&e| Double3::turned(rotation, arm(b, e))).collect();
    for &e in &a.edges {
        let u = arm(a, e);
        for &v in &edges_b {
            // In double-double: the direction of nearly parallel edges has no digits to spare.
            let cross = u.cross(v);
            if cross.dot(cross) > Double::ZERO {
                visit(cross);
                visit(-cross);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn cube_has_six_facets_and_twelve_edges() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let hull = SmallHull::new(&corners);
        assert_eq!((hull.facets.len(), hull.edges.len()), (6, 12));
        assert!(hull.facets.iter().all(|(_, members)| members.len() == 4));
    }

    #[test]
    fn random_hulls_obey_euler() {
        let mut random = Random::new(41);
        for n in 4..16 {
            let points: Vec<DVec3> = (0..n).map(|_| random.direction()).collect();
            let hull = SmallHull::new(&points);
            assert_eq!(n + hull.facets.len(), hull.edges.len() + 2);
        }
    }

    #[test]
    fn blades_keep_all_their_faces() {
        let mut random = Random::new(42);
        for _ in 0..200 {
            let short = random.log_uniform(-6.0, -1.0);
            let turn = random.rotation();
            let at = |x: f64, y: f64, z: f64| turn * DVec3::new(short * x, short * y, z);
            let points = [at(-1.0, 0.0, -1.0), at(1.0, 0.0, -1.0), at(-0.3, -0.9, 1.0), at(0.3, 0.9, 1.0)];
            let hull = SmallHull::new(&points);
            assert_eq!((hull.facets.len(), hull.edges.len()), (4, 6), "{short:e}");
        }
    }

    #[test]
    fn segment_is_one_edge() {
        let hull = SmallHull::new(&[DVec3::ZERO, DVec3::X]);
        assert_eq!((hull.facets.len(), hull.edges.as_slice()), (0, [[0, 1]].as_slice()));
        assert!(SmallHull::new(&[DVec3::ZERO]).edges.is_empty());
    }
}
