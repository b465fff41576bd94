//! A polytope from half-spaces with a point inside all of them.
//!
//! Source: polar duality; the half-space n · (x − c) ≤ s is the point n / s, and the facets of the hull
//! of these points are the vertices of the body.
//! Differs: the dual is taken twice, first about the given point and then about the middle of the
//! vertices found, since a point close to a face makes a dual that is all rounding. Dual facets merge
//! when their half-spaces pass one point within the slack of the body, not of the dual.
//! Ends because: two hulls, and one of the vertices.
//! Cost: O(n log n) expected.
//! Not promised: a face for a half-space that cuts off less than the slack.

use super::assemble::Labels;
use super::cloud::Cloud;
use super::hull::{NoHull, Triangle, hull};
use super::merge::groups;
use super::twofold::{area_vector, dot_minus, six_volume, unit};
use super::{Note, Polytope};
use crate::{DVec3, FaceId, Plane, PolytopeError, tolerance};

impl Polytope {
    /// The intersection of half-spaces `normal · x ≤ offset`, not necessarily unit, around a point
    /// strictly inside all of them, which becomes [`Polytope::center`]. Faces carry the numbers of
    /// their half-spaces; those that touch no face are left out and noted.
    ///
    /// # Errors
    /// When a number is not finite, a normal is zero, the centre is not strictly inside, or the
    /// half-spaces leave a direction open.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Polytope};
    /// let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    /// let sides: Vec<_> = axes.iter().flat_map(|&n| [(n, 1.0), (-n, 1.0)]).collect();
    /// let cube = Polytope::from_half_spaces(&sides, DVec3::ZERO)?;
    /// assert_eq!((cube.vertex_count(), cube.face_count()), (8, 6));
    /// # Ok::<(), clearance_geometry::PolytopeError>(())
    /// ```
    pub fn from_half_spaces(half_spaces: &[(DVec3, f64)], center: DVec3) -> Result<Self, PolytopeError> {
        if !center.is_finite() {
            return Err(PolytopeError::NotFinite { point: 0 });
        }
        let planes = half_spaces.iter().enumerate().map(|(i, &(normal, offset))| prepared(i, normal, offset));
        let planes: Vec<Plane> = planes.collect::<Result<_, _>>()?;
        let gaps = gaps(&planes, center);
        if let Some(face) = gaps.iter().position(|&gap| gap <= 0.0) {
            return Err(PolytopeError::CenterOutside { face, by: -gaps[face] });
        }
        check_bounded(&planes)?;
        let first = Dual::new(&planes, &gaps)?;
        let ends: Vec<DVec3> =
            (0..first.triangles.len()).map(|t| first.vertex(&[t])).collect::<Result<_, _>>()?;
        let low = ends.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = ends.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let size = (high - low).max_element();
        let middle = center + ends.iter().sum::<DVec3>() / ends.len() as f64;
        let about_middle = self::gaps(&planes, middle);
        let (dual, origin) = if about_middle.iter().all(|&gap| gap > 0.0) {
            (Dual::new(&planes, &about_middle)?, middle)
        } else {
            (first, center)
        };
        let corners = dual.corners(tolerance::COPLANAR_REL * size)?;
        let points: Vec<DVec3> = corners.iter().map(|corner| origin + corner.offset).collect();
        let body = Cloud::new(&points)?.polytope(&points)?;
        let faces = face_labels(&body, &corners, &planes);
        let notes = unused_note(planes.len(), &faces);
        let vertices = (0..body.vertex_count() as u32).collect();
        body.relabeled(Labels { vertices, faces, notes }, None).with_center(center)
    }
}

/// The half-space divided by a power of two, so that no product leaves the range.
fn prepared(half_space: usize, normal: DVec3, offset: f64) -> Result<Plane, PolytopeError> {
    let largest = normal.abs().max_element();
    if !(normal.is_finite() && offset.is_finite() && largest > 0.0) {
        return Err(PolytopeError::NoNormal { half_space });
    }
    let unit = 2.0_f64.powi(largest.log2().floor() as i32);
    let plane = Plane { normal: normal / unit, offset: offset / unit };
    if plane.offset.abs() > tolerance::LARGEST_EXTENT {
        return Err(PolytopeError::OutOfRange { extent: plane.offset.abs() });
    }
    Ok(plane)
}

/// Distances from a point to the planes, positive inside.
fn gaps(planes: &[Plane], point: DVec3) -> Vec<f64> {
    planes.iter().map(|p| -dot_minus(p.normal, point, p.offset) / p.normal.length()).collect()
}

/// Bodies are bounded when their normals hold the origin strictly within their hull.
fn check_bounded(planes: &[Plane]) -> Result<(), PolytopeError> {
    let unbounded = |direction: DVec3| PolytopeError::Unbounded { direction: direction.to_array() };
    let normals: Vec<DVec3> = planes.iter().map(|p| p.normal.normalize()).collect();
    let all: Vec<u32> = (0..normals.len() as u32).collect();
    match hull(&normals, &all, &[], tolerance::FLAT_REL) {
        Ok(hull) => {
            for triangle in &hull.triangles {
                let corners = triangle.corners.map(|i| normals[i as usize]);
                let outward = unit(area_vector(corners.into_iter()));
                if outward.dot(corners[0]) <= tolerance::FLAT_REL {
                    return Err(unbounded(outward));
                }
            }
            Ok(())
        }
        Err(NoHull::Flat { normal, .. }) => {
            let one = normals.first().copied().unwrap_or(DVec3::NEG_X);
            let normal = if normal == DVec3::ZERO { one } else { normal };
            // All normals have the same product with the plane's normal, if not zero.
            Err(unbounded(if one.dot(normal) > 0.0 { -normal } else { normal }))
        }
        Err(NoHull::Broken) => Err(unbounded(DVec3::X)),
    }
}

/// The hull of the dual points; scaled.
struct Dual {
    cloud: Cloud,
    triangles: Vec<Triangle>,
}

/// A vertex of the body, counted from the dual's origin, and its half-spaces, ascending.
struct Corner {
    half_spaces: Vec<u32>,
    offset: DVec3,
}

impl Dual {
    fn new(planes: &[Plane], gaps: &[f64]) -> Result<Self, PolytopeError> {
        let points: Vec<DVec3> = planes.iter().zip(gaps).map(|(p, gap)| p.normal.normalize() / gap).collect();
        let cloud = Cloud::new(&points)?;
        let all: Vec<u32> = (0..cloud.points.len() as u32).collect();
        let hull = hull(&cloud.points, &all, &[], 0.0).map_err(|e| cloud.error(e))?;
        Ok(Self { cloud, triangles: hull.triangles })
    }

    /// The point where the half-spaces of coplanar dual triangles meet: the pole of their plane.
    fn vertex(&self, triangles: &[usize]) -> Result<DVec3, PolytopeError> {
        let (mut area, mut six) = (DVec3::ZERO, 0.0);
        for &triangle in triangles {
            let corners = self.triangles[triangle].corners.map(|i| self.cloud.points[i as usize]);
            area += area_vector(corners.into_iter());
            six += six_volume(DVec3::ZERO, corners).value();
        }
        if six > 0.0 {
            Ok(area / six / self.cloud.unit)
        } else {
            Err(PolytopeError::Unbounded { direction: unit(area).to_array() })
        }
    }

    /// The vertices of the body, in the order of their half-spaces; those within `slack` of one
    /// another by all their half-spaces are one.
    fn corners(&self, slack: f64) -> Result<Vec<Corner>, PolytopeError> {
        let points = &self.cloud.points;
        // A dual point p at distance d from the plane n · p = o stands for a half-space that passes the
        // plane's pole at distance d / (o |p|), in units of 1 / unit.
        let within =
            |plane: &Plane, i: u32| slack * self.cloud.unit * plane.offset * points[i as usize].length();
        let groups = groups(points, &self.triangles, &within);
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&t| groups[t]);
        let mut corners = Vec::new();
        for group in order.chunk_by(|&s, &t| groups[s] == groups[t]) {
            let mut half_spaces: Vec<u32> = group
                .iter()
                .flat_map(|&t| self.triangles[t].corners)
                .map(|i| self.cloud.labels[i as usize])
                .collect();
            half_spaces.sort_unstable();
            half_spaces.dedup();
            corners.push(Corner { half_spaces, offset: self.vertex(group)? });
        }
        corners.sort_by(|a, b| a.half_spaces.cmp(&b.half_spaces));
        Ok(corners)
    }
}

/// For each face the half-space that most of its vertices lie on.
fn face_labels(body: &Polytope, corners: &[Corner], planes: &[Plane]) -> Vec<u32> {
    let mut votes: Vec<u32> = Vec::new();
    let label = |face: u32| {
        let face = FaceId(face);
        votes.clear();
        for side in body.sides(face) {
            let corner = body.data.vertex_labels[side.vertex.index()];
            votes.extend(&corners[corner as usize].half_spaces);
        }
        votes.sort_unstable();
        let mut best = (0, f64::NEG_INFINITY, 0);
        for same in votes.chunk_by(|a, b| a == b) {
            let along = planes[same[0] as usize].normal.normalize().dot(body.plane(face).normal);
            if same.len() > best.0 || (same.len() == best.0 && along > best.1) {
                best = (same.len(), along, same[0]);
            }
        }
        best.2
    };
    (0..body.face_count() as u32).map(label).collect()
}

fn unused_note(count: usize, faces: &[u32]) -> Vec<Note> {
    let mut used = vec![false; count];
    faces.iter().for_each(|&face| used[face as usize] = true);
    let half_spaces: Vec<u32> = (0..count as u32).filter(|&i| !used[i as usize]).collect();
    if half_spaces.is_empty() { Vec::new() } else { vec![Note::DroppedHalfSpaces { half_spaces }] }
}
