//! Coplanar triangles of a hull gathered into groups, and the polygon around each group.
//!
//! Source: own. A group is a connected set of triangles whose corners all lie within a slack of one
//! plane through three of them.
//! Ends because: every pass over a group but the last changes its plane to one through a larger
//! triangle, and each triangle joins one group once.
//! Cost: O(n log n) for n triangles, plus one look at a group's corners per change of its plane.
//! Not promised: the largest possible groups, when corners lie near the edge of the slack.

use super::hull::{Triangle, above};
use super::twofold::{area_vector, unit};
use crate::{DVec3, Plane};

/// The groups have no consistent boundary: a hole, a pinched corner, or two corners only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inconsistent;

const NONE: u32 = u32::MAX;

/// The group of each triangle: equal numbers for triangles that are exactly coplanar and connected.
pub(crate) fn exact_groups(points: &[DVec3], triangles: &[Triangle]) -> Vec<u32> {
    let mut groups = vec![NONE; triangles.len()];
    let mut stack = Vec::new();
    for seed in 0..triangles.len() {
        if groups[seed] != NONE {
            continue;
        }
        groups[seed] = seed as u32;
        stack.push(seed);
        while let Some(at) = stack.pop() {
            let corners = triangles[at].corners.map(|i| points[i as usize]);
            for &neighbor in &triangles[at].neighbors {
                let beyond = opposite(triangles, at as u32, neighbor);
                if groups[neighbor as usize] == NONE && above(corners, points[beyond as usize]) == 0.0 {
                    groups[neighbor as usize] = seed as u32;
                    stack.push(neighbor as usize);
                }
            }
        }
    }
    groups
}

/// The group of each triangle: equal numbers for connected triangles with one plane that all their
/// corners keep to. `slack(plane, point)` is how far that point may lie off that plane; a length.
pub(crate) fn groups(
    points: &[DVec3],
    triangles: &[Triangle],
    slack: &impl Fn(&Plane, u32) -> f64,
) -> Vec<u32> {
    let areas: Vec<DVec3> = triangles.iter().map(|t| area_of(points, t.corners)).collect();
    let mut order: Vec<(f64, u32)> =
        areas.iter().enumerate().map(|(i, area)| (area.length_squared(), i as u32)).collect();
    // The largest first: the plane of a sliver says little about its neighbours.
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut groups = vec![NONE; triangles.len()];
    let mut member_of = vec![NONE; points.len()];
    for &(_, seed) in &order {
        if groups[seed as usize] != NONE {
            continue;
        }
        let base = triangles[seed as usize].corners;
        let mut group = Group { points, slack, base, plane: plane_of(points, base), members: base.to_vec() };
        groups[seed as usize] = seed;
        for corner in base {
            member_of[corner as usize] = seed;
        }
        let mut queue = vec![seed];
        loop {
            let before = group.base;
            let mut at = 0;
            while at < queue.len() {
                for neighbor in triangles[queue[at] as usize].neighbors {
                    // A triangle that looks the other way belongs to the far side of a thin body.
                    if groups[neighbor as usize] != NONE
                        || areas[neighbor as usize].dot(group.plane.normal) < 0.0
                    {
                        continue;
                    }
                    let beyond = opposite(triangles, queue[at], neighbor);
                    let known = member_of[beyond as usize] == seed;
                    if known || group.takes(beyond) {
                        groups[neighbor as usize] = seed;
                        member_of[beyond as usize] = seed;
                        if !known {
                            group.members.push(beyond);
                        }
                        queue.push(neighbor);
                    }
                }
                at += 1;
            }
            if group.base == before {
                break;
            }
        }
    }
    groups
}

/// The corner of `neighbor` that it does not share with `triangle`.
fn opposite(triangles: &[Triangle], triangle: u32, neighbor: u32) -> u32 {
    let Triangle { corners, neighbors } = triangles[neighbor as usize];
    match neighbors.iter().position(|&back| back == triangle) {
        Some(side) => corners[(side + 2) % 3],
        None => corners[0],
    }
}

fn area_of(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    area_vector(corners.iter().map(|&i| points[i as usize]))
}

fn plane_of(points: &[DVec3], corners: [u32; 3]) -> Plane {
    let normal = unit(area_of(points, corners));
    Plane { normal, offset: normal.dot(points[corners[0] as usize]) }
}

/// A growing group: its plane passes through the three points of `base`.
struct Group<'a, S> {
    points: &'a [DVec3],
    slack: &'a S,
    base: [u32; 3],
    plane: Plane,
    members: Vec<u32>,
}

impl<S: Fn(&Plane, u32) -> f64> Group<'_, S> {
    fn off(&self, plane: &Plane, point: u32) -> f64 {
        plane.distance(self.points[point as usize]).abs()
    }

    fn fits(&self, plane: &Plane, point: u32) -> bool {
        self.off(plane, point) <= (self.slack)(plane, point)
    }

    /// Whether a point keeps to the plane, or to a better plane that all members keep to as well;
    /// that plane is then taken.
    fn takes(&mut self, point: u32) -> bool {
        if self.fits(&self.plane, point) {
            return true;
        }
        // Seen from the point, the base carries its own slack, magnified by the weights that express
        // the point by the base. Beyond that no plane passes all four.
        let weights = self.weights(point);
        let of_base: f64 = (0..3).map(|i| weights[i].abs() * (self.slack)(&self.plane, self.base[i])).sum();
        let near = self.off(&self.plane, point) <= (self.slack)(&self.plane, point) + of_base;
        if !near {
            return false;
        }
        // Putting the point in place of the corner with the largest weight gives the largest triangle.
        let largest = (0..3).fold(0, |best, i| if weights[i].abs() > weights[best].abs() { i } else { best });
        if weights[largest].abs() <= 1.0 {
            return false;
        }
        let mut base = self.base;
        base[largest] = point;
        let mut plane = plane_of(self.points, base);
        if plane.normal.dot(self.plane.normal) < 0.0 {
            base.swap(0, 1);
            plane = Plane { normal: -plane.normal, offset: -plane.offset };
        }
        if !self.members.iter().all(|&member| self.fits(&plane, member)) {
            return false;
        }
        self.base = base;
        self.plane = plane;
        true
    }

    /// Barycentric coordinates of a point's foot on the plane with respect to the base.
    fn weights(&self, point: u32) -> [f64; 3] {
        let [a, b, c] = self.base.map(|i| self.points[i as usize]);
        let p = self.points[point as usize];
        let normal = self.plane.normal;
        let part = |u: DVec3, v: DVec3| normal.dot((u - p).cross(v - p));
        let parts = [part(b, c), part(c, a), part(a, b)];
        let whole = parts[0] + parts[1] + parts[2];
        parts.map(|part| part / whole)
    }
}

/// Number of group boundaries that meet at each point: 0 or 2 at points that are not corners.
pub(crate) fn degrees(points: usize, triangles: &[Triangle], groups: &[u32]) -> Vec<u32> {
    let mut degrees = vec![0; points];
    for (triangle, &group) in triangles.iter().zip(groups) {
        for side in 0..3 {
            if groups[triangle.neighbors[side] as usize] != group {
                degrees[triangle.corners[side] as usize] += 1;
            }
        }
    }
    degrees
}

/// The boundary of each group as one loop, counter-clockwise seen from outside.
pub(crate) fn loops(
    points: usize,
    triangles: &[Triangle],
    groups: &[u32],
) -> Result<Vec<Vec<u32>>, Inconsistent> {
    let mut sides: Vec<(u32, u32, u32)> = Vec::new();
    for (triangle, &group) in triangles.iter().zip(groups) {
        for side in 0..3 {
            if groups[triangle.neighbors[side] as usize] != group {
                sides.push((group, triangle.corners[side], triangle.corners[(side + 1) % 3]));
            }
        }
    }
    sides.sort_unstable();
    let mut after = vec![NONE; points];
    let mut loops = Vec::new();
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        for &(_, from, to) in group {
            // A pinched corner starts two sides.
            if std::mem::replace(&mut after[from as usize], to) != NONE {
                return Err(Inconsistent);
            }
        }
        let mut corners = Vec::with_capacity(group.len());
        let mut at = group[0].1;
        while after[at as usize] != NONE {
            corners.push(at);
            at = std::mem::replace(&mut after[at as usize], NONE);
        }
        if corners.len() != group.len() || corners.len() < 3 {
            return Err(Inconsistent);
        }
        loops.push(corners);
    }
    Ok(loops)
}
