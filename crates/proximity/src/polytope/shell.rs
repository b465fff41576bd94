//! Exact penetration depth: a closed shell of triangles inside A − B, grown until it proves the depth.
//!
//! Source: the expanding polytope algorithm of van den Bergen (2001); the clock of DESIGN.md, idea 5.
//! Differs: the shell need not be convex. Every triangle has its corners in A − B, which is convex, and
//! the closed shell surrounds the origin, so every ray from the origin passes a point of A − B at least
//! as far out as the nearest triangle: the least triangle distance is a proven lower bound on the depth.
//! That survives motion: corners move at most as far as the clock advances, so a triangle seen at distance
//! d when the clock stood at m is at least d + m − s away now, and only triangles whose key d + m has been
//! reached are looked at again. The upper bound is the height of A − B along the least triangle's normal.
//! Ends because: each round refreshes a triangle, or closes the gap, or adds a new corner of A − B, of
//! which there are finitely many; rounds are counted against the arena.
//! Cost: tracked, a scan of the keys and a few triangles; cold, 10 to 60 rounds of O(shell).
//! Not promised: an end within the arena when very many faces of A − B are nearly equally deep.

use super::gjk::support;
use super::simplex::{Corner, Simplex};
use super::tetrahedron::complete;
use crate::Work;
use crate::tolerance::{COLLINEAR_SQ, FOLD_TOUCHES};
use clearance_geometry::{DVec3, Polytope, Pose, Tolerance, VertexId};

/// One triangle: corners counter-clockwise seen from outside; neighbour `i` lies across the edge from
/// corner `i` to corner `i + 1`.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [u32; 3],
    neighbors: [u32; 3],
    normal: DVec3,
    distance: f64,
    /// The update in which normal and distance were computed; 0 for a free slot.
    seen: u32,
    /// The growth in which the triangle was last visited.
    mark: u32,
}

/// An edge of the hole that a growth leaves: from, to, and the triangle beyond.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    beyond: u32,
    across: u32,
}

/// A closed shell of triangles around the origin with corners in A − B.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    corners: Vec<Corner>,
    corner_seen: Vec<u32>,
    triangles: Vec<Triangle>,
    /// Lower bound on the triangle's distance plus the clock when it was seen; infinite when free.
    keys: Vec<f64>,
    free: Vec<u32>,
    stack: Vec<u32>,
    rim: Vec<Rim>,
    removed: Vec<u32>,
    /// For each corner, the new triangle that starts there.
    starts: Vec<u32>,
    update: u32,
    growth: u32,
    clock: f64,
    pose: Pose,
    capacity: usize,
    live: usize,
}

/// Why a shell gives no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The arena is full.
    Full,
    /// Rounding or motion folded the shell; it must be built anew.
    Folded,
    /// A − B has no interior.
    Flat,
}

/// A facet that may be the nearest: corners of it, and its distance from the origin; infinite if there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) corners: [Corner; 4],
    pub(crate) len: usize,
    pub(crate) depth: f64,
}

impl Candidate {
    /// No facet is known.
    pub(crate) const NONE: Self =
        Self { corners: [Corner { w: DVec3::ZERO, a: 0, b: 0 }; 4], len: 0, depth: f64::INFINITY };
}

/// The least translation that separates the bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// Outward normal of A − B at the nearest boundary point; from A to B.
    pub(crate) normal: DVec3,
    /// Distance of that boundary point from the origin.
    pub(crate) depth: f64,
    /// Upper minus lower bound; a length.
    pub(crate) gap: f64,
    /// The triangle through that point, weights of its corners.
    pub(crate) simplex: Simplex,
}

impl Shell {
    /// An empty shell with room for `capacity` corners.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let faces = 2 * capacity;
        Self {
            corners: Vec::with_capacity(capacity),
            corner_seen: Vec::with_capacity(capacity),
            triangles: Vec::with_capacity(faces),
            keys: Vec::with_capacity(faces),
            free: Vec::with_capacity(faces),
            stack: Vec::with_capacity(faces),
            rim: Vec::with_capacity(capacity),
            removed: Vec::with_capacity(faces),
            starts: Vec::with_capacity(capacity),
            update: 0,
            growth: 0,
            clock: 0.0,
            pose: Pose::IDENTITY,
            capacity,
            live: 0,
        }
    }

    /// An empty shell that takes its memory when it grows, up to `capacity` corners.
    pub(crate) fn growing(capacity: usize) -> Self {
        Self { capacity, ..Self::with_capacity(0) }
    }

    /// Whether there is a shell from an earlier update.
    pub(crate) fn is_built(&self) -> bool {
        !self.triangles.is_empty()
    }

    /// Forgets the shell, not its memory.
    pub(crate) fn clear(&mut self) {
        self.corners.clear();
        self.corner_seen.clear();
        self.triangles.clear();
        self.keys.clear();
        self.free.clear();
        self.live = 0;
    }

    /// Number of triangles in use.
    pub(crate) fn size(&self) -> usize {
        self.live
    }

    /// Builds the first tetrahedron from a simplex that holds the origin, adding support points where it
    /// is not a tetrahedron yet.
    pub(crate) fn start(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        simplex: &Simplex,
        tol: &Tolerance,
        work: &mut Work,
    ) -> Result<(), Trouble> {
        self.clear();
        self.update = 1;
        self.growth = 0;
        self.clock = 0.0;
        self.pose = *pose;
        let mut corners = complete(a, b, pose, simplex, tol, work)?;
        let [p, q, r, s] = corners.map(|corner| corner.w);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            corners.swap(0, 1);
        }
        for corner in corners {
            self.push_corner(corner);
        }
        const FACES: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        const NEIGHBORS: [[u32; 3]; 4] = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (corners, neighbors) in FACES.into_iter().zip(NEIGHBORS) {
            let (normal, distance) = self.plane(corners).ok_or(Trouble::Flat)?;
            if !(distance >= -tol.length()) {
                return Err(Trouble::Folded);
            }
            self.triangles.push(Triangle { corners, neighbors, normal, distance, seen: 1, mark: 0 });
            self.keys.push(distance);
            self.live += 1;
        }
        Ok(())
    }

    /// Carries the shell over to a new pose: the clock advances by the most that a corner can have moved.
    pub(crate) fn carry(&mut self, b: &Polytope, pose: &Pose) {
        let turn = pose.rotation() - self.pose.rotation();
        // |ΔR x| ≤ 2 sin(θ/2) |x|, and that factor is the Frobenius norm of ΔR over √2.
        let frobenius_sq =
            turn.x_axis.length_squared() + turn.y_axis.length_squared() + turn.z_axis.length_squared();
        let shift = turn * b.center() + (pose.translation() - self.pose.translation());
        let moved = shift.length() + (0.5 * frobenius_sq).sqrt() * b.radius();
        let rounding = f64::EPSILON * (b.reach() + pose.translation().abs().max_element());
        self.clock += moved * (1.0 + 8.0 * f64::EPSILON) + 8.0 * rounding;
        self.pose = *pose;
        self.update += 1;
    }

    /// Grows the shell until a depth is proved within the tolerance; `None` is the candidate's.
    pub(crate) fn depth(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        tol: &Tolerance,
        mut candidate: Candidate,
        work: &mut Work,
    ) -> Result<Option<Depth>, Trouble> {
        loop {
            let (nearest, key) = self.least_key();
            if key <= self.clock && self.triangles[nearest as usize].seen != self.update {
                // This triangle may have swept over the origin: look at all of them.
                self.refresh_all(a, b, tol)?;
                continue;
            }
            if key - self.clock >= candidate.depth - tol.length() {
                return Ok(None);
            }
            self.refresh_corners(a, b, nearest);
            let triangle = &self.triangles[nearest as usize];
            if triangle.seen != self.update {
                let (normal, distance) = self.plane(triangle.corners).ok_or(Trouble::Folded)?;
                if !(distance > tol.length()) {
                    return Err(Trouble::Folded);
                }
                self.see(nearest, normal, distance);
                continue;
            }
            let (normal, distance) = (triangle.normal, triangle.distance);
            work.iterations += 1;
            let ahead = |corner: &Corner| normal.dot(corner.w) - distance > tol.length();
            if let Some(at) = candidate.corners[..candidate.len].iter().position(ahead) {
                // A corner of the candidate is as good as any farther one, and nearer to what is to be proved.
                candidate.len -= 1;
                candidate.corners.swap(at, candidate.len);
                self.grow(a, b, nearest, candidate.corners[candidate.len], tol)?;
                continue;
            }
            work.supports += 1;
            let from = self.corners[triangle.corners[0] as usize];
            let corner = support(a, b, &self.pose, -normal, 1.0, Some(from));
            let gap = normal.dot(corner.w) - distance;
            let known = triangle.corners.iter().any(|&index| {
                let old = &self.corners[index as usize];
                old.a == corner.a && old.b == corner.b
            });
            if gap <= tol.length() || known {
                return Ok(Some(self.answer(a, b, nearest, gap.max(0.0), tol)));
            }
            self.grow(a, b, nearest, corner, tol)?;
        }
    }

    /// Sees every triangle anew. A closed shell whose triangles all face away from the origin surrounds it.
    fn refresh_all(&mut self, a: &Polytope, b: &Polytope, tol: &Tolerance) -> Result<(), Trouble> {
        for index in 0..self.triangles.len() as u32 {
            if self.keys[index as usize] == f64::INFINITY {
                continue;
            }
            self.refresh_corners(a, b, index);
            let corners = self.triangles[index as usize].corners;
            let (normal, distance) = self.plane(corners).ok_or(Trouble::Folded)?;
            if !(distance > tol.length()) {
                return Err(Trouble::Folded);
            }
            self.see(index, normal, distance);
        }
        Ok(())
    }

    fn answer(&mut self, a: &Polytope, b: &Polytope, nearest: u32, gap: f64, tol: &Tolerance) -> Depth {
        let Triangle { normal, distance, corners, .. } = self.triangles[nearest as usize];
        let foot = normal * distance;
        // The foot may lie in a neighbour of the same plane; the one that holds it best carries the witnesses.
        let mut best = (self.least_weight(corners, normal, foot), corners);
        if best.0 < 0.0 {
            let reach = distance + gap + tol.gap(distance);
            for index in 0..self.triangles.len() as u32 {
                if self.keys[index as usize] - self.clock <= reach {
                    self.refresh_corners(a, b, index);
                    let corners = self.triangles[index as usize].corners;
                    if let Some((other, height)) = self.plane(corners)
                        && (height - distance).abs() <= gap + 2.0 * tol.gap(distance)
                        && other.dot(normal) > 0.0
                    {
                        let least = self.least_weight(corners, normal, foot);
                        if least > best.0 {
                            best = (least, corners);
                        }
                    }
                }
            }
        }
        let mut simplex = Simplex { len: 3, ..Simplex::default() };
        for (slot, index) in best.1.into_iter().enumerate() {
            simplex.corners[slot] = self.corners[index as usize];
        }
        simplex.weights[..3].copy_from_slice(&self.weights(best.1, normal, foot));
        Depth { normal, depth: distance.max(0.0), gap, simplex }
    }

    /// Weights of the point of a triangle's plane below `foot`, seen along `normal`.
    fn weights(&self, corners: [u32; 3], normal: DVec3, foot: DVec3) -> [f64; 3] {
        let [p, q, r] = corners.map(|index| self.corners[index as usize].w - foot);
        let areas = [normal.dot(q.cross(r)), normal.dot(r.cross(p)), normal.dot(p.cross(q))];
        let total: f64 = areas.iter().sum();
        areas.map(|area| area / total)
    }

    fn least_weight(&self, corners: [u32; 3], normal: DVec3, foot: DVec3) -> f64 {
        let [p, q, r] = self.weights(corners, normal, foot);
        // NaN from a triangle without area counts as missing the foot altogether.
        if p.is_finite() && q.is_finite() && r.is_finite() { p.min(q).min(r) } else { f64::NEG_INFINITY }
    }

    fn push_corner(&mut self, corner: Corner) -> u32 {
        self.corners.push(corner);
        self.corner_seen.push(self.update);
        self.corners.len() as u32 - 1
    }

    #[inline]
    fn least_key(&self) -> (u32, f64) {
        let mut best = (0, f64::INFINITY);
        for (index, &key) in self.keys.iter().enumerate() {
            if key < best.1 {
                best = (index as u32, key);
            }
        }
        best
    }

    #[inline]
    fn refresh_corners(&mut self, a: &Polytope, b: &Polytope, triangle: u32) {
        for index in self.triangles[triangle as usize].corners {
            let index = index as usize;
            if self.corner_seen[index] != self.update {
                let corner = &mut self.corners[index];
                corner.w = a.vertex(VertexId(corner.a)) - self.pose.apply(b.vertex(VertexId(corner.b)));
                self.corner_seen[index] = self.update;
            }
        }
    }

    #[inline]
    fn see(&mut self, triangle: u32, normal: DVec3, distance: f64) {
        let entry = &mut self.triangles[triangle as usize];
        entry.normal = normal;
        entry.distance = distance;
        entry.seen = self.update;
        self.keys[triangle as usize] = distance + self.clock;
    }

    /// Unit normal and distance from the origin of the plane through three fresh corners; `None` where
    /// they are collinear within rounding.
    #[inline]
    fn plane(&self, corners: [u32; 3]) -> Option<(DVec3, f64)> {
        let [p, q, r] = corners.map(|index| self.corners[index as usize].w);
        // From the corner across the longest side: the product of two long sides would tilt the normal along
        // them by the rounding of their squares.
        let sides = [q - p, r - q, p - r];
        let squares = sides.map(DVec3::length_squared);
        let longest = if squares[0] > squares[1].max(squares[2]) {
            0
        } else {
            1 + usize::from(squares[2] > squares[1])
        };
        let area = sides[(longest + 1) % 3].cross(sides[(longest + 2) % 3]);
        let area_sq = area.length_squared();
        let longest_sq = squares[longest];
        if !(area_sq > COLLINEAR_SQ * longest_sq * longest_sq) {
            return None;
        }
        let normal = area / area_sq.sqrt();
        // From the corner nearest to the origin: a triangle with one side a million times the other leaves its
        // normal to rounding over the short one, and a far corner would magnify that.
        let nearer = |u: DVec3, v: DVec3| if u.length_squared() < v.length_squared() { u } else { v };
        Some((normal, normal.dot(nearer(nearer(p, q), r))))
    }

    /// Replaces all triangles that `corner` sees, starting with `from`, by a cone from their rim to it.
    fn grow(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        from: u32,
        corner: Corner,
        tol: &Tolerance,
    ) -> Result<(), Trouble> {
        if self.corners.len() >= self.capacity {
            return Err(Trouble::Full);
        }
        let apex = self.push_corner(corner);
        self.find_rim(a, b, from, corner.w, tol)?;
        for index in 0..self.removed.len() {
            let old = self.removed[index] as usize;
            self.triangles[old].seen = 0;
            self.keys[old] = f64::INFINITY;
            self.live -= 1;
        }
        self.free.extend_from_slice(&self.removed);
        self.close_rim(apex, tol)
    }

    /// Floods the triangles that `w` sees and collects the edges around them.
    fn find_rim(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        from: u32,
        w: DVec3,
        tol: &Tolerance,
    ) -> Result<(), Trouble> {
        self.growth += 1;
        self.stack.clear();
        self.rim.clear();
        self.removed.clear();
        self.stack.push(from);
        self.triangles[from as usize].mark = self.growth;
        while let Some(index) = self.stack.pop() {
            self.removed.push(index);
            let triangle = self.triangles[index as usize];
            for side in 0..3 {
                let beyond = triangle.neighbors[side];
                if self.triangles[beyond as usize].mark == self.growth {
                    continue;
                }
                self.refresh_corners(a, b, beyond);
                if self.triangles[beyond as usize].seen != self.update {
                    let corners = self.triangles[beyond as usize].corners;
                    let (normal, distance) = self.plane(corners).ok_or(Trouble::Folded)?;
                    self.see(beyond, normal, distance);
                }
                let neighbor = &self.triangles[beyond as usize];
                let (tail, head) = (triangle.corners[side], triangle.corners[(side + 1) % 3]);
                let rise = neighbor.normal.dot(w) - neighbor.distance;
                // In the neighbour's plane the cone must go on from the shared side, not fold back over it.
                let level = rise.abs() <= FOLD_TOUCHES * tol.length();
                let folds = level && !self.turns_left(tail, head, w, neighbor.normal);
                if rise > tol.length() || folds || self.collinear(tail, head, w) {
                    self.triangles[beyond as usize].mark = self.growth;
                    self.stack.push(beyond);
                }
            }
        }
        for at in 0..self.removed.len() {
            let index = self.removed[at];
            let triangle = self.triangles[index as usize];
            for side in 0..3 {
                let beyond = triangle.neighbors[side];
                if self.triangles[beyond as usize].mark != self.growth {
                    let (from, to) = (triangle.corners[side], triangle.corners[(side + 1) % 3]);
                    let across = self.triangles[beyond as usize].corners.iter().position(|&c| c == to);
                    let across = across.ok_or(Trouble::Folded)? as u32;
                    self.rim.push(Rim { from, to, beyond, across });
                }
            }
        }
        // Everything was seen: the new corner looks at the shell from inside out.
        if self.rim.len() < 3 { Err(Trouble::Folded) } else { Ok(()) }
    }

    /// Whether `w` lies to the left of a side, seen against `normal`.
    #[inline]
    fn turns_left(&self, tail: u32, head: u32, w: DVec3, normal: DVec3) -> bool {
        let (p, q) = (self.corners[tail as usize].w, self.corners[head as usize].w);
        (q - p).cross(w - p).dot(normal) > 0.0
    }

    #[inline]
    fn collinear(&self, tail: u32, head: u32, w: DVec3) -> bool {
        let (p, q) = (self.corners[tail as usize].w, self.corners[head as usize].w);
        let (along, aside) = (q - p, w - p);
        let longest_sq = along.length_squared().max(aside.length_squared());
        along.cross(aside).length_squared() <= COLLINEAR_SQ * longest_sq * longest_sq
    }

    fn close_rim(&mut self, apex: u32, tol: &Tolerance) -> Result<(), Trouble> {
        self.starts.clear();
        self.starts.resize(self.corners.len(), NONE);
        for at in 0..self.rim.len() {
            let Rim { from, to, beyond, across } = self.rim[at];
            let corners = [from, to, apex];
            let (normal, distance) = self.plane(corners).ok_or(Trouble::Folded)?;
            // The cone must keep the origin inside, or the shell would no longer surround it.
            if !(distance >= -tol.length()) {
                return Err(Trouble::Folded);
            }
            let neighbors = [beyond, NONE, NONE];
            let triangle = Triangle { corners, neighbors, normal, distance, seen: self.update, mark: 0 };
            let index = match self.free.pop() {
                Some(slot) => {
                    self.triangles[slot as usize] = triangle;
                    slot
                }
                None => {
                    self.triangles.push(triangle);
                    self.keys.push(0.0);
                    self.triangles.len() as u32 - 1
                }
            };
            self.keys[index as usize] = distance + self.clock;
            self.live += 1;
            self.triangles[beyond as usize].neighbors[across as usize] = index;
            // A rim that passes a corner twice would pinch the shell.
            if self.starts[from as usize] != NONE {
                return Err(Trouble::Folded);
            }
            self.starts[from as usize] = index;
        }
        for at in 0..self.rim.len() {
            let Rim { from, to, .. } = self.rim[at];
            let (this, next) = (self.starts[from as usize], self.starts[to as usize]);
            if next == NONE {
                return Err(Trouble::Folded);
            }
            self.triangles[this as usize].neighbors[1] = next;
            self.triangles[next as usize].neighbors[2] = this;
        }
        Ok(())
    }
}

/// No triangle.
const NONE: u32 = u32::MAX;
