//! The convex hull of points as triangles, decided by exact predicates.
//!
//! Source: Barber, Dobkin and Huhdanpaa (1996), Quickhull; Shewchuk (1997) for the orientation test.
//! Differs: DIFFERS from the source in that no facet is thick. A point is above a facet only when the
//! exact determinant says so, so every visible region is a disk with a simple rim, and points that are
//! coplanar with a facet join the hull as coplanar triangles; `merge` makes polygons of them.
//! Ends because: every step adds a point that was strictly outside, and no point is added twice.
//! Cost: O(n log n) expected; O(n²) on inputs that show every new point most of the hull.
//! Not promised: that every corner of a triangle is extreme; corners within a facet or on an edge of
//! the true hull may remain, and `reduce` takes them out.

use super::twofold::{area_vector, unit};
use crate::{DVec3, tolerance};
use robust::{Coord3D, orient3d};

/// A triangle, counter-clockwise seen from outside; neighbour i lies across the side from corner i to
/// the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    pub(crate) neighbors: [u32; 3],
}

/// A triangulated hull.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    pub(crate) triangles: Vec<Triangle>,
    /// Farthest that a passive point lies outside; a length.
    pub(crate) excess: f64,
}

/// Why there is no hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NoHull {
    /// The points lie in a plane with this normal, within `thickness`; zero for a single point.
    Flat { thickness: f64, diameter: f64, normal: DVec3 },
    /// The predicates contradicted each other; only coordinates beyond their range do that.
    Broken,
}

const NONE: u32 = u32::MAX;

/// The hull of the `active` points. The `passive` ones do not take part; how far they stick out is
/// measured. Points that are thinner than `flat` of their diameter have no hull.
pub(crate) fn hull(points: &[DVec3], active: &[u32], passive: &[u32], flat: f64) -> Result<Hull, NoHull> {
    let simplex = simplex(points, active, flat)?;
    let mut builder = Builder::new(points, simplex);
    for &point in active {
        if !simplex.contains(&point) {
            builder.file(point, 0..4);
        }
    }
    builder.passive_from(passive);
    let mut waiting: Vec<u32> = (0..4).collect();
    while let Some(facet) = waiting.pop() {
        let apex = builder.facets[facet as usize].farthest;
        if apex != NONE {
            builder.add(facet, apex, &mut waiting).ok_or(NoHull::Broken)?;
        }
    }
    Ok(builder.finish(passive))
}

/// Four points in general position, far apart, oriented so that the last lies below the first three.
fn simplex(points: &[DVec3], active: &[u32], flat: f64) -> Result<[u32; 4], NoHull> {
    let at = |i: u32| points[i as usize];
    let Some(&first) = active.first() else {
        return Err(NoHull::Flat { thickness: 0.0, diameter: 0.0, normal: DVec3::ZERO });
    };
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best = (f64::NEG_INFINITY, first);
        for &i in active {
            let value = measure(at(i));
            if value > best.0 {
                best = (value, i);
            }
        }
        best
    };
    let ends: Vec<u32> = [DVec3::X, DVec3::Y, DVec3::Z]
        .iter()
        .flat_map(|&axis| [farthest(&|p| p.dot(axis)).1, farthest(&|p| -p.dot(axis)).1])
        .collect();
    let mut longest = (0.0, [first; 2]);
    for (k, &i) in ends.iter().enumerate() {
        for &j in &ends[..k] {
            let length = at(i).distance(at(j));
            if length > longest.0 {
                longest = (length, [i, j]);
            }
        }
    }
    let (diameter, [a, b]) = longest;
    let along = (at(b) - at(a)).normalize_or_zero();
    let c = farthest(&|p| (p - at(a)).cross(along).length_squared()).1;
    let normal = unit(area_vector([at(a), at(b), at(c)].into_iter()));
    let (high, top) = farthest(&|p| normal.dot(p - at(a)));
    let (low, bottom) = farthest(&|p| -normal.dot(p - at(a)));
    let thickness = high.max(0.0) + low.max(0.0);
    let d = if high > low { top } else { bottom };
    let height = above([at(a), at(b), at(c)], at(d));
    // Also when the determinant vanishes exactly although the rounded distance did not.
    if !(thickness > flat * diameter && height != 0.0) {
        let across = || if diameter > 0.0 { along.any_orthonormal_vector() } else { DVec3::ZERO };
        let normal = if normal == DVec3::ZERO { across() } else { normal };
        return Err(NoHull::Flat { thickness, diameter, normal });
    }
    Ok(if height > 0.0 { [b, a, c, d] } else { [a, b, c, d] })
}

/// Six times the volume between a triangle and a point; positive when the point lies above the
/// triangle, on the side from which its corners run counter-clockwise. The sign is exact.
pub(crate) fn above([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    -orient3d(coord(a), coord(b), coord(c), coord(point))
}

/// A triangle of the growing hull with the points filed under it: points strictly above it that are
/// filed nowhere else, as a linked list.
#[derive(Clone, Copy)]
struct Facet {
    corners: [u32; 3],
    neighbors: [u32; 3],
    origin: DVec3,
    /// (b − a) × (c − a), and the same with every term made positive: the size of its rounding.
    normal: DVec3,
    bound: DVec3,
    first: u32,
    farthest: u32,
    height: f64,
    /// The step that looked at it last, and what it saw.
    step: u32,
    visible: bool,
    alive: bool,
}

struct Builder<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// Links of the points filed under a facet.
    next: Vec<u32>,
    passive: Vec<bool>,
    /// New facet whose rim side starts at this point; scratch of one step.
    starting_at: Vec<u32>,
    rim: Vec<(u32, u32, u32)>,
    seen: Vec<u32>,
    step: u32,
}

impl<'a> Builder<'a> {
    fn new(points: &'a [DVec3], [a, b, c, d]: [u32; 4]) -> Self {
        let mut builder = Self {
            points,
            facets: Vec::new(),
            free: Vec::new(),
            next: vec![NONE; points.len()],
            passive: vec![false; points.len()],
            starting_at: vec![NONE; points.len()],
            rim: Vec::new(),
            seen: Vec::new(),
            step: 0,
        };
        for (corners, neighbors) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let facet = builder.facet(corners, neighbors);
            builder.facets.push(facet);
        }
        builder
    }

    fn facet(&self, corners: [u32; 3], neighbors: [u32; 3]) -> Facet {
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        let (u, v) = (b - a, c - a);
        let (s, t) = (u.abs(), v.abs());
        let bound = DVec3::new(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x);
        Facet {
            corners,
            neighbors,
            origin: a,
            normal: u.cross(v),
            bound,
            first: NONE,
            farthest: NONE,
            height: 0.0,
            step: 0,
            visible: false,
            alive: true,
        }
    }

    /// Six times the volume between a facet and a point, positive above; the sign is exact.
    #[inline]
    fn height(&self, facet: u32, point: u32) -> f64 {
        let facet = &self.facets[facet as usize];
        let position = self.points[point as usize];
        let offset = position - facet.origin;
        let height = facet.normal.dot(offset);
        if height.abs() > tolerance::ORIENT_FILTER_REL * facet.bound.dot(offset.abs()) {
            return height;
        }
        above(facet.corners.map(|i| self.points[i as usize]), position)
    }

    /// Files a point under the first of the given facets that it lies above, if any.
    fn file(&mut self, point: u32, among: std::ops::Range<u32>) {
        for facet in among {
            if self.file_under(point, facet) {
                return;
            }
        }
    }

    fn file_under(&mut self, point: u32, facet: u32) -> bool {
        let height = self.height(facet, point);
        if height <= 0.0 {
            return false;
        }
        let passive = self.passive[point as usize];
        let facet = &mut self.facets[facet as usize];
        self.next[point as usize] = facet.first;
        facet.first = point;
        if !passive && height > facet.height {
            facet.height = height;
            facet.farthest = point;
        }
        true
    }

    fn passive_from(&mut self, passive: &[u32]) {
        for &point in passive {
            self.passive[point as usize] = true;
            self.file(point, 0..4);
        }
    }

    /// Adds a point that lies above a facet: what it sees is replaced by a cone over the rim.
    fn add(&mut self, facet: u32, apex: u32, waiting: &mut Vec<u32>) -> Option<()> {
        self.look_from(facet, apex);
        let cone = self.raise_cone(apex)?;
        for i in 0..self.seen.len() {
            let mut point = self.facets[self.seen[i] as usize].first;
            while point != NONE {
                let after = self.next[point as usize];
                if point != apex {
                    for &facet in &cone {
                        if self.file_under(point, facet) {
                            break;
                        }
                    }
                }
                point = after;
            }
        }
        for &old in &self.seen {
            self.facets[old as usize].alive = false;
        }
        self.free.append(&mut self.seen);
        waiting.extend(cone.into_iter().filter(|&new| self.facets[new as usize].farthest != NONE));
        Some(())
    }

    /// Gathers the facets that `apex` lies above and the rim between them and the rest.
    fn look_from(&mut self, facet: u32, apex: u32) {
        self.step += 1;
        self.rim.clear();
        self.seen.clear();
        self.seen.push(facet);
        self.mark(facet, true);
        let mut at = 0;
        while at < self.seen.len() {
            let Facet { corners, neighbors, .. } = self.facets[self.seen[at] as usize];
            at += 1;
            for side in 0..3 {
                let neighbor = neighbors[side];
                if self.facets[neighbor as usize].step != self.step {
                    let visible = self.height(neighbor, apex) > 0.0;
                    self.mark(neighbor, visible);
                    if visible {
                        self.seen.push(neighbor);
                    }
                }
                if !self.facets[neighbor as usize].visible {
                    self.rim.push((corners[side], corners[(side + 1) % 3], neighbor));
                }
            }
        }
    }

    fn mark(&mut self, facet: u32, visible: bool) {
        let facet = &mut self.facets[facet as usize];
        facet.step = self.step;
        facet.visible = visible;
    }

    /// One new facet per rim side, linked around the apex. None when the rim is not one simple loop.
    fn raise_cone(&mut self, apex: u32) -> Option<Vec<u32>> {
        let rim = std::mem::take(&mut self.rim);
        let mut cone = Vec::with_capacity(rim.len());
        for &(from, to, outer) in &rim {
            let facet = self.facet([from, to, apex], [outer, NONE, NONE]);
            let id = if let Some(id) = self.free.pop() {
                self.facets[id as usize] = facet;
                id
            } else {
                self.facets.push(facet);
                self.facets.len() as u32 - 1
            };
            let beyond = &mut self.facets[outer as usize];
            let side = beyond.corners.iter().position(|&corner| corner == to)?;
            beyond.neighbors[side] = id;
            if self.starting_at[from as usize] != NONE {
                return None;
            }
            self.starting_at[from as usize] = id;
            cone.push(id);
        }
        for (&(_, to, _), &id) in rim.iter().zip(&cone) {
            let after = self.starting_at[to as usize];
            self.facets.get_mut(after as usize)?.neighbors[2] = id;
            self.facets[id as usize].neighbors[1] = after;
        }
        for &(from, ..) in &rim {
            self.starting_at[from as usize] = NONE;
        }
        self.rim = rim;
        Some(cone)
    }

    fn finish(self, passive: &[u32]) -> Hull {
        let mut excess = 0.0_f64;
        if !passive.is_empty() {
            for facet in self.facets.iter().filter(|facet| facet.alive) {
                let unit = facet.normal.normalize_or_zero();
                let mut point = facet.first;
                while point != NONE {
                    excess = excess.max(unit.dot(self.points[point as usize] - facet.origin));
                    point = self.next[point as usize];
                }
            }
        }
        let mut places = vec![NONE; self.facets.len()];
        let alive: Vec<usize> = (0..self.facets.len()).filter(|&i| self.facets[i].alive).collect();
        for (place, &id) in alive.iter().enumerate() {
            places[id] = place as u32;
        }
        let triangles = alive.iter().map(|&id| {
            let facet = &self.facets[id];
            Triangle { corners: facet.corners, neighbors: facet.neighbors.map(|n| places[n as usize]) }
        });
        Hull { triangles: triangles.collect(), excess }
    }
}
