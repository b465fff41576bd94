//! From points to the corners and polygons of their hull: what is coplanar or not a corner within
//! rounding goes, and what stays is the exact hull of the corners that stay.
//!
//! Source: own, over `hull` and `merge`.
//! Ends because: every round but the last drops a point.
//! Cost: one hull of the points, usually one or two more of the corners.
//! Not promised: a least set of corners. A dropped point lies within a few slacks of the result; where
//! that cannot be kept, or the polygons do not close, only what is exactly coplanar is merged.

use super::blunt::blunt_corners;
use super::hull::{Hull, NoHull, hull};
use super::merge::{Inconsistent, degrees, exact_groups, groups, loops};
use super::twofold::{area_vector, unit};
use crate::{DVec3, Plane, tolerance};
use std::borrow::Cow;

/// A merged hull.
#[derive(Clone, Debug)]
pub(crate) struct Polygons {
    /// Faces, counter-clockwise seen from outside.
    pub(crate) loops: Vec<Vec<u32>>,
    /// Swallowed edges, from and to, that a climb needs because the face is flat only to rounding.
    pub(crate) chords: Vec<[u32; 2]>,
}

/// A hull all of whose corners are corners of its groups.
struct Merged {
    whole: Hull,
    groups: Vec<u32>,
    loops: Vec<Vec<u32>>,
}

/// Shares of the slack that are tried in turn: features the size of the slack, which cannot be merged
/// into a convex body with all of it, often can with less.
const FALLING_SLACKS: [f64; 3] = [1.0, 0.25, 0.0625];

/// Rounds of dropping before only exact coplanarity counts; input that is clean to rounding takes one
/// or two.
const MOST_ROUNDS: usize = 32;

/// The polygons of the hull of `candidates`, as loops over the points, counter-clockwise seen from
/// outside. Triangles merge within `slack`, a length, or where that fails or is zero, only when they
/// are exactly coplanar.
pub(crate) fn reduce(points: &[DVec3], candidates: &[u32], slack: f64) -> Result<Polygons, NoHull> {
    let whole = hull(points, candidates, &[], tolerance::FLAT_REL)?;
    let merged = FALLING_SLACKS.iter().find_map(|share| within(points, &whole, share * slack));
    let merged = match merged {
        Some(merged) => merged,
        None => exactly(points, whole)?,
    };
    let chords = chords(points, &merged);
    Ok(Polygons { loops: merged.loops, chords })
}

/// Drops points that touch fewer than three exactly coplanar groups.
fn exactly(points: &[DVec3], mut whole: Hull) -> Result<Merged, NoHull> {
    loop {
        let groups = exact_groups(points, &whole.triangles);
        let degrees = degrees(points.len(), &whole.triangles, &groups);
        let (kept, dropped) = sort_out(&whole, |point| degrees[point as usize] >= 3);
        if dropped.is_empty() {
            return match loops(points.len(), &whole.triangles, &groups) {
                Ok(loops) => Ok(Merged { whole, groups, loops }),
                Err(Inconsistent) => Err(NoHull::Broken),
            };
        }
        whole = hull(points, &kept, &[], 0.0)?;
    }
}

/// Merges and drops within `slack`. None when the outcome would not be a convex polytope or a dropped
/// point would lie too far outside.
fn within(points: &[DVec3], whole: &Hull, slack: f64) -> Option<Merged> {
    if slack <= 0.0 {
        return None;
    }
    let mut whole = Cow::Borrowed(whole);
    let mut gone: Vec<u32> = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let groups = groups(points, &whole.triangles, &|_: &Plane, _| slack);
        let degrees = degrees(points.len(), &whole.triangles, &groups);
        let (mut kept, mut dropped) = sort_out(&whole, |point| degrees[point as usize] >= 3);
        if dropped.is_empty() {
            let loops = loops(points.len(), &whole.triangles, &groups).ok()?;
            let flat = flat_corners(points, &whole, &loops, slack);
            if flat.iter().all(|&flat| !flat) {
                let holds = holds(points, &loops, slack);
                return holds.then(|| Merged { whole: whole.into_owned(), groups, loops });
            }
            (kept, dropped) = sort_out(&whole, |point| !flat[point as usize]);
        }
        gone.extend(dropped);
        whole = Cow::Owned(hull(points, &kept, &gone, 0.0).ok()?);
        if whole.excess > tolerance::DROPPED_SLACKS * slack {
            return None;
        }
    }
    None
}

/// The hull's corners that pass and that fail, in ascending order.
fn sort_out(whole: &Hull, pass: impl Fn(u32) -> bool) -> (Vec<u32>, Vec<u32>) {
    let mut corners: Vec<u32> = whole.triangles.iter().flat_map(|t| t.corners).collect();
    corners.sort_unstable();
    corners.dedup();
    corners.into_iter().partition(|&corner| pass(corner))
}

/// Corners that are not corners within `slack`: those near the chord between their neighbours on some
/// face or inside it, and those whose edges all lie in one plane within rounding, where a climb would stop. No two
/// neighbours on a loop are marked at once.
fn flat_corners(points: &[DVec3], whole: &Hull, loops: &[Vec<u32>], slack: f64) -> Vec<bool> {
    let at = |i: u32| points[i as usize];
    let mut near_chord = vec![false; points.len()];
    let faces: Vec<DVec3> = loops.iter().map(|face| unit(area_vector(face.iter().map(|&i| at(i))))).collect();
    let mut wedges: Vec<[u32; 3]> = Vec::new();
    for (face, corners) in loops.iter().enumerate() {
        let n = corners.len();
        for i in 0..n {
            let (before, corner, after) = (corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n]);
            wedges.push([corner, before, after]);
            let chord = at(after) - at(before);
            let share = (chord.dot(at(corner) - at(before)) / chord.length_squared()).clamp(0.0, 1.0);
            let distance = at(corner).distance(at(before) + share * chord);
            // A corner that turns inward, if only by rounding, would let its sides cut the face.
            let inward = faces[face].cross(chord).dot(at(corner) - at(before)) >= 0.0;
            let limit = if inward { tolerance::HELD_SLACKS * slack } else { slack };
            near_chord[corner as usize] |= distance <= limit;
        }
    }
    let blunt = blunt_corners(points, whole);
    // The highest number goes first, so that of two near-duplicates the first given stays.
    wedges.sort_unstable_by(|a, b| b.cmp(a));
    let mut flat = vec![false; points.len()];
    for around in wedges.chunk_by(|a, b| a[0] == b[0]) {
        let corner = around[0][0] as usize;
        if near_chord[corner] || blunt[corner] {
            flat[corner] = around.iter().all(|w| !flat[w[1] as usize] && !flat[w[2] as usize]);
        }
    }
    flat
}

/// Whether loops bound a convex body within a few slacks: Euler's formula holds, every corner lies on
/// its face's plane, every neighbouring corner below it, and no face turns inward.
fn holds(points: &[DVec3], loops: &[Vec<u32>], slack: f64) -> bool {
    let mut corners: Vec<u32> = loops.iter().flatten().copied().collect();
    let sides = corners.len();
    corners.sort_unstable();
    corners.dedup();
    corners.len() + loops.len() == sides / 2 + 2
        && loops.iter().all(|face| {
            let normal = unit(area_vector(face.iter().map(|&i| points[i as usize])));
            let origin = points[face[0] as usize];
            let n = face.len();
            let limit = tolerance::HELD_SLACKS * slack;
            (0..n).all(|i| {
                let [a, b, c] =
                    [face[(i + n - 1) % n], face[i], face[(i + 1) % n]].map(|k| points[k as usize]);
                normal.dot(b - origin).abs() <= limit && normal.cross(c - a).dot(b - a) < 0.0
            })
        })
}

/// The edges of the triangles within a face that rise out of the cone of the face's sides at their
/// start by more than rounding.
fn chords(points: &[DVec3], merged: &Merged) -> Vec<[u32; 2]> {
    let at = |i: u32| points[i as usize];
    // Corners with those before and after them in a face.
    let mut wedges: Vec<[u32; 3]> = Vec::new();
    for face in merged.loops.iter().filter(|face| face.len() > 3) {
        let n = face.len();
        wedges.extend((0..n).map(|i| [face[i], face[(i + n - 1) % n], face[(i + 1) % n]]));
    }
    wedges.sort_unstable();
    let holds = |&[corner, before, after]: &[u32; 3], to: u32| {
        let [u, w, x] = [before, after, to].map(|i| at(i) - at(corner));
        let normal = area_vector([corner, after, before].iter().map(|&i| at(i)));
        let in_cone = normal.dot(x.cross(u)) >= 0.0 && normal.dot(w.cross(x)) >= 0.0;
        in_cone && normal.dot(x).abs() <= tolerance::CHORD_REL * x.length() * normal.length()
    };
    let mut chords = Vec::new();
    for (triangle, group) in merged.whole.triangles.iter().zip(&merged.groups) {
        for side in 0..3 {
            if merged.groups[triangle.neighbors[side] as usize] != *group {
                continue;
            }
            let [from, to] = [triangle.corners[side], triangle.corners[(side + 1) % 3]];
            let first = wedges.partition_point(|wedge| wedge[0] < from);
            let mut around = wedges[first..].iter().take_while(|wedge| wedge[0] == from);
            if !around.any(|wedge| holds(wedge, to)) {
                chords.push([from, to]);
            }
        }
    }
    chords
}
