//! The point of a small simplex nearest to the origin.
//!
//! Source: Gilbert, Johnson and Keerthi (1988) for its use; the regions of a triangle as in Ericson,
//! Real-Time Collision Detection (2005), section 5.1.5.
//! Differs: the interior of a triangle is solved through its normal, not through its weights, so that
//! a short distance to a large triangle keeps its digits; where the newest corner is known to carry part of the
//! point, regions without it are not looked at; a flat tetrahedron falls back to its faces.
//! Ends because: there is no loop beyond the four faces of a tetrahedron.
//! Cost: about 30 to 150 multiplications.
//! Not promised: which of several equally near sub-simplices is kept.

use crate::tolerance;
use clearance_geometry::DVec3;

/// A point of the Minkowski difference A − B with the vertices that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// `a − b`, in the anchored frame of A.
    pub(crate) w: DVec3,
    /// Vertex of A.
    pub(crate) a: u32,
    /// Vertex of B.
    pub(crate) b: u32,
}

/// One to four corners with the weights of the point nearest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    pub(crate) corners: [Corner; 4],
    pub(crate) weights: [f64; 4],
    pub(crate) len: usize,
}

impl Simplex {
    /// The corners in use.
    #[inline]
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    #[inline]
    pub(crate) fn push(&mut self, corner: Corner) {
        debug_assert!(self.len < 4, "a full simplex must be reduced before it grows");
        self.corners[self.len] = corner;
        self.len += 1;
    }

    #[inline]
    pub(crate) fn holds(&self, a: u32, b: u32) -> bool {
        self.corners().iter().any(|corner| corner.a == a && corner.b == b)
    }

    /// The corner that carries most of the nearest point.
    #[inline]
    pub(crate) fn heaviest(&self) -> Corner {
        let mut best = 0;
        for at in 1..self.len.min(4) {
            best = if self.weights[at] > self.weights[best] { at } else { best };
        }
        self.corners[best]
    }

    /// Whether a triangle is wide enough that its plane keeps its digits.
    pub(crate) fn is_wide(&self) -> bool {
        let [p, q, r, _] = self.corners.map(|corner| corner.w);
        let (pq, pr) = (q - p, r - p);
        let longest_sq = pq.length_squared().max(pr.length_squared());
        pq.cross(pr).length_squared() > tolerance::FACET_EDGES_SQ * longest_sq * longest_sq
    }

    /// Reduces to the corners that carry the nearest point and returns that point. Of up to three corners, any;
    /// a fourth must be as in [`Simplex::nearest_with_newest`]. `None`: the origin lies inside the tetrahedron, which
    /// is kept whole.
    #[inline]
    pub(crate) fn nearest(&mut self) -> Option<DVec3> {
        match self.len {
            1 => {
                self.weights[0] = 1.0;
                Some(self.corners[0].w)
            }
            2 => Some(self.nearest_on_segment()),
            3 => Some(self.nearest_on_triangle()),
            _ => self.nearest_in_tetrahedron(),
        }
    }

    /// The same where the last corner was found along the nearest point of the others, all of which carried it:
    /// then the new one carries part of the next, and fewer cases are left.
    #[inline]
    pub(crate) fn nearest_with_newest(&mut self) -> Option<DVec3> {
        if self.len != 3 {
            return self.nearest();
        }
        let corners = [self.corners[0].w, self.corners[1].w, self.corners[2].w];
        let region = triangle_with_newest(corners[0], corners[1], corners[2]);
        let point = region.point(corners);
        self.keep_region([0, 1, 2], region);
        Some(point)
    }

    #[inline]
    fn keep(&mut self, indices: &[usize], weights: &[f64]) {
        let old = self.corners;
        for (slot, (&index, &weight)) in indices.iter().zip(weights).enumerate() {
            self.corners[slot] = old[index];
            self.weights[slot] = weight;
        }
        self.len = indices.len();
    }

    #[inline]
    fn nearest_on_segment(&mut self) -> DVec3 {
        let (p, q) = (self.corners[0].w, self.corners[1].w);
        let along = q - p;
        let forward = -p.dot(along);
        let backward = q.dot(along);
        if forward <= 0.0 {
            self.keep(&[0], &[1.0]);
            return p;
        }
        if backward <= 0.0 {
            self.keep(&[1], &[1.0]);
            return q;
        }
        let t = forward / (forward + backward);
        self.weights[0] = 1.0 - t;
        self.weights[1] = t;
        between(p, q, t)
    }

    #[inline]
    fn nearest_on_triangle(&mut self) -> DVec3 {
        let corners = [self.corners[0].w, self.corners[1].w, self.corners[2].w];
        let region = triangle(corners[0], corners[1], corners[2]);
        let point = region.point(corners);
        self.keep_region([0, 1, 2], region);
        point
    }

    /// The last corner is the newest: the three others carried the nearest point before it came, so the
    /// origin cannot lie beyond their face, and only the faces through the new corner are looked at.
    fn nearest_in_tetrahedron(&mut self) -> Option<DVec3> {
        let [p, q, r, apex] = self.corners.map(|corner| corner.w);
        let (to_p, to_q, to_r) = (p - apex, q - apex, r - apex);
        let normals = [to_p.cross(to_q), to_q.cross(to_r), to_r.cross(to_p)];
        let volume = normals[0].dot(to_r);
        // A face has the origin beyond it where the two heights differ in sign; a flat tetrahedron has it
        // beyond every face. Written so that NaN counts as beyond.
        let beyond = normals.map(|normal| !(-normal.dot(apex) * volume > 0.0));
        const FACES: [[usize; 3]; 3] = [[0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mut best: Option<(f64, DVec3, [usize; 3], Region)> = None;
        for (face, beyond) in FACES.into_iter().zip(beyond) {
            if beyond {
                let [i, j, k] = face.map(|index| self.corners[index].w);
                let region = triangle_with_newest(i, j, k);
                let point = region.point([i, j, k]);
                let length_sq = point.length_squared();
                if best.as_ref().is_none_or(|(least, ..)| length_sq < *least) {
                    best = Some((length_sq, point, face, region));
                }
            }
        }
        let (_, point, face, region) = best?;
        self.keep_region(face, region);
        Some(point)
    }

    #[inline]
    fn keep_region(&mut self, face: [usize; 3], region: Region) {
        match region {
            Region::Corner(i) => self.keep(&[face[i]], &[1.0]),
            Region::Edge(i, j, t) => self.keep(&[face[i], face[j]], &[1.0 - t, t]),
            Region::Inside { weights, .. } => self.keep(&face, &weights),
        }
    }
}

/// Where on a triangle the nearest point lies.
enum Region {
    Corner(usize),
    /// Between corners `.0` and `.1`, at the fraction `.2` of the way.
    Edge(usize, usize, f64),
    Inside {
        weights: [f64; 3],
        point: DVec3,
    },
}

impl Region {
    #[inline]
    fn point(&self, corners: [DVec3; 3]) -> DVec3 {
        match *self {
            Self::Corner(i) => corners[i],
            Self::Edge(i, j, t) => between(corners[i], corners[j], t),
            Self::Inside { point, .. } => point,
        }
    }
}

/// From the nearer end, so that the far one does not bring its rounding along.
#[inline]
fn between(from: DVec3, to: DVec3, t: f64) -> DVec3 {
    if t < 0.5 { from + (to - from) * t } else { to - (to - from) * (1.0 - t) }
}

/// As `triangle` for a nearest point that `newest` carries part of; where rounding says otherwise, `triangle` itself.
#[inline]
fn triangle_with_newest(p: DVec3, q: DVec3, newest: DVec3) -> Region {
    let (to_p, to_q) = (p - newest, q - newest);
    let (toward_p, toward_q) = (-to_p.dot(newest), -to_q.dot(newest));
    if toward_p <= 0.0 && toward_q <= 0.0 {
        return Region::Corner(2);
    }
    let (p_sq, q_sq, both) = (to_p.length_squared(), to_q.length_squared(), to_p.dot(to_q));
    let at_q = toward_q * p_sq - toward_p * both;
    if at_q <= 0.0 && toward_p > 0.0 && toward_p < p_sq {
        return Region::Edge(2, 0, toward_p / p_sq);
    }
    let at_p = toward_p * q_sq - toward_q * both;
    if at_p <= 0.0 && toward_q > 0.0 && toward_q < q_sq {
        return Region::Edge(2, 1, toward_q / q_sq);
    }
    let normal = to_p.cross(to_q);
    let size = normal.length_squared();
    let at_newest = size - at_p - at_q;
    if !(at_p > 0.0 && at_q > 0.0 && at_newest > 0.0) {
        return triangle(p, q, newest);
    }
    let inverse = size.recip();
    let point = normal * (normal.dot(newest) * inverse);
    Region::Inside { weights: [at_p * inverse, at_q * inverse, at_newest * inverse], point }
}

/// The region of a triangle where the point nearest to the origin lies.
fn triangle(p: DVec3, q: DVec3, r: DVec3) -> Region {
    let (pq, pr) = (q - p, r - p);
    let (d1, d2) = (-pq.dot(p), -pr.dot(p));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Region::Corner(0);
    }
    let (d3, d4) = (-pq.dot(q), -pr.dot(q));
    if d3 >= 0.0 && d4 <= d3 {
        return Region::Corner(1);
    }
    let (d5, d6) = (-pq.dot(r), -pr.dot(r));
    if d6 >= 0.0 && d5 <= d6 {
        return Region::Corner(2);
    }
    // Weights from the Gram matrix of the edges: only products with an edge vector meet the distance to
    // the origin, so that small triangles far away keep their digits.
    let qr = r - q;
    let (pq_sq, pr_sq, pq_pr) = (pq.length_squared(), pr.length_squared(), pq.dot(pr));
    let at_r = d2 * pq_sq - d1 * pq_pr;
    if d1 >= 0.0 && d3 <= 0.0 && at_r <= 0.0 {
        return Region::Edge(0, 1, d1 / (d1 - d3));
    }
    let at_q = d1 * pr_sq - d2 * pq_pr;
    if d2 >= 0.0 && d6 <= 0.0 && at_q <= 0.0 {
        return Region::Edge(0, 2, d2 / (d2 - d6));
    }
    let (along, back) = (d4 - d3, d5 - d6);
    let at_p = along * qr.dot(pq) - d3 * qr.length_squared();
    if along >= 0.0 && back >= 0.0 && at_p <= 0.0 {
        return Region::Edge(1, 2, along / (along + back));
    }
    let normal = pq.cross(pr);
    let size = normal.length_squared();
    let total = at_p + at_q + at_r;
    if !(size > 0.0 && at_p > 0.0 && at_q > 0.0 && at_r > 0.0) {
        return on_sides(p, q, r);
    }
    let point = normal * (normal.dot(p) / size);
    Region::Inside { weights: [at_p / total, at_q / total, at_r / total], point }
}

/// A triangle without area: the nearest point on its sides.
fn on_sides(p: DVec3, q: DVec3, r: DVec3) -> Region {
    let corners = [p, q, r];
    let mut best = (f64::INFINITY, Region::Corner(0));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let along = corners[j] - corners[i];
        let size = along.length_squared();
        let t = if size > 0.0 { (-corners[i].dot(along) / size).clamp(0.0, 1.0) } else { 0.0 };
        let length_sq = (corners[i] + along * t).length_squared();
        if length_sq < best.0 {
            let region = if t <= 0.0 {
                Region::Corner(i)
            } else if t >= 1.0 {
                Region::Corner(j)
            } else {
                Region::Edge(i, j, t)
            };
            best = (length_sq, region);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(points: &[DVec3]) -> Simplex {
        let mut simplex = Simplex::default();
        for (i, &w) in points.iter().enumerate() {
            simplex.push(Corner { w, a: i as u32, b: i as u32 });
        }
        simplex
    }

    /// The nearest point by trying every sub-simplex: normal equations by Gauss elimination.
    fn by_subsets(points: &[DVec3]) -> f64 {
        let mut best = f64::INFINITY;
        for mask in 1_u32..1 << points.len() {
            let chosen: Vec<DVec3> =
                (0..points.len()).filter(|i| mask & (1 << i) != 0).map(|i| points[i]).collect();
            if let Some(weights) = affine_weights(&chosen)
                && weights.iter().all(|&w| w >= -1e-12)
            {
                let point: DVec3 = chosen.iter().zip(&weights).map(|(&p, &w)| p * w).sum();
                best = best.min(point.length());
            }
        }
        best
    }

    fn affine_weights(points: &[DVec3]) -> Option<Vec<f64>> {
        let n = points.len();
        let mut rows = vec![vec![0.0; n + 1]; n];
        rows[0] = vec![1.0; n + 1];
        for i in 1..n {
            let along = points[i] - points[0];
            for j in 0..n {
                rows[i][j] = along.dot(points[j]);
            }
        }
        for column in 0..n {
            let pivot =
                (column..n).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))?;
            rows.swap(column, pivot);
            if rows[column][column].abs() < 1e-12 {
                return None;
            }
            for row in 0..n {
                if row != column {
                    let factor = rows[row][column] / rows[column][column];
                    let pivot_row = rows[column].clone();
                    for (entry, &above) in rows[row].iter_mut().zip(&pivot_row) {
                        *entry -= factor * above;
                    }
                }
            }
        }
        Some((0..n).map(|i| rows[i][n] / rows[i][i]).collect())
    }

    #[test]
    fn nearest_agrees_with_all_subsets() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut inside, mut faces, mut edges, mut points) = (0, 0, 0, 0);
        for round in 0..80_000 {
            let shift = DVec3::new(random(), random(), random()) * 0.5;
            let cloud: Vec<DVec3> =
                (0..1 + round % 4).map(|_| DVec3::new(random(), random(), random()) + shift).collect();
            // As the search does it: a new corner comes to three that carry the nearest point.
            let mut simplex = corners(&cloud[..cloud.len().min(3)]);
            if cloud.len() == 4 {
                let before = simplex.nearest();
                let newest = Corner { w: cloud[3], a: 3, b: 3 };
                if simplex.len < 3 || before.is_none_or(|v| v.dot(newest.w) >= v.length_squared()) {
                    continue;
                }
                simplex.push(newest);
            }
            let expected = by_subsets(&cloud);
            match simplex.nearest() {
                None => {
                    inside += 1;
                    assert!(expected < 1e-9, "said inside, is {expected} away");
                }
                Some(point) => {
                    let sum: DVec3 =
                        simplex.corners().iter().zip(&simplex.weights).map(|(c, &w)| c.w * w).sum();
                    assert!((sum - point).length() < 1e-9, "weights disagree with the point");
                    assert!((point.length() - expected).abs() < 1e-9, "{} {expected}", point.length());
                    match simplex.len {
                        1 => points += 1,
                        2 => edges += 1,
                        _ => faces += 1,
                    }
                }
            }
        }
        for count in [inside, faces, edges, points] {
            assert!(count > 100, "a region was hardly met: {inside} {faces} {edges} {points}");
        }
    }

    #[test]
    fn nearest_with_newest_agrees_with_all_subsets() {
        let mut state = 11_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut lengths = [0; 4];
        for _ in 0..40_000 {
            let shift = DVec3::new(random(), random(), random());
            let cloud: Vec<DVec3> =
                (0..3).map(|_| DVec3::new(random(), random(), random()) + shift).collect();
            // As the search does it: a third corner comes to two that both carry the nearest point, from beyond it.
            let mut simplex = corners(&cloud[..2]);
            let before = simplex.nearest().unwrap();
            if simplex.len < 2 || before.dot(cloud[2]) >= before.length_squared() {
                continue;
            }
            simplex.push(Corner { w: cloud[2], a: 2, b: 2 });
            let point = simplex.nearest_with_newest().unwrap();
            let expected = by_subsets(&cloud);
            assert!((point.length() - expected).abs() < 1e-9, "{} {expected}", point.length());
            let sum: DVec3 = simplex.corners().iter().zip(&simplex.weights).map(|(c, &w)| c.w * w).sum();
            assert!((sum - point).length() < 1e-9, "weights disagree with the point");
            assert!(simplex.holds(2, 2), "the newest corner carries part of the point");
            lengths[simplex.len] += 1;
        }
        assert!(lengths[1..].iter().all(|&count| count > 100), "a region was hardly met: {lengths:?}");
    }
}
