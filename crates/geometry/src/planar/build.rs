//! Constructors of polygons and their checks.
//!
//! Source: Andrew (1979), monotone chain, with the exact orientation predicate.
//! Differs: the hull of an outline is compared with the outline itself: corners must come in the
//! hull's order, and what the hull leaves out must lie on it within rounding.
//! Ends because: each point enters and leaves the chain at most once.
//! Cost: O(n log n).
//! Not promised: that an outline which folds back on a straight edge is refused; its corners are the
//! same as without the fold.

use super::mass;
use super::polygon::{Data, PlanarEdge, Polygon};
use crate::{Note, PolytopeError, ShapeError, VertexId, tolerance};
use glam::DVec2;
use robust::{Coord, orient2d};
use std::sync::Arc;

impl Polygon {
    /// A point at the origin.
    pub fn point() -> Self {
        assemble(vec![DVec2::ZERO], vec![0], Vec::new())
    }

    /// The segment between two different points.
    ///
    /// # Errors
    /// When a point is not finite or out of range, or the two coincide.
    pub fn segment(points: [DVec2; 2]) -> Result<Self, PolytopeError> {
        check_range(&points)?;
        if points[0] == points[1] {
            return Err(PolytopeError::NoLength);
        }
        Ok(assemble(points.to_vec(), vec![0, 1], Vec::new()))
    }

    /// A rectangle of the given sizes, centred at the origin; corners counter-clockwise from the lower
    /// left.
    ///
    /// # Errors
    /// When a size is not positive and finite, or out of range.
    pub fn rectangle(size: DVec2) -> Result<Self, ShapeError> {
        for value in size.to_array() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::BadSize { field: "size", value });
            }
        }
        let half = 0.5 * size;
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let corners = corners.map(|sign| half * DVec2::from_array(sign));
        Ok(Self::from_points(&corners)?)
    }

    /// From the corners of a convex outline in order. A clockwise outline is turned and noted;
    /// corners that repeat another or lie on a straight edge are left out and noted.
    ///
    /// # Errors
    /// When there are no points, one is not finite or out of range, the outline encloses no area, or a
    /// corner turns inward.
    ///
    /// ```
    /// use clearance_geometry::{DVec2, Polygon, PolytopeError};
    /// let corners = [[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]].map(DVec2::from_array);
    /// let error = Polygon::from_points(&corners).unwrap_err();
    /// assert_eq!(error, PolytopeError::ReflexCorner { corner: 2 });
    /// ```
    pub fn from_points(points: &[DVec2]) -> Result<Self, PolytopeError> {
        check_range(points)?;
        let mut hull = hull_indices(points);
        check_thick(points, &hull)?;
        let mut notes = Vec::new();
        if check_outline(points, &hull)? {
            notes.push(Note::Turned);
        }
        start_at_lowest(&mut hull);
        note_dropped(points.len(), &hull, &mut notes);
        Ok(from_hull(points, hull, notes))
    }

    /// The convex hull of points in any order; points that are no corners are left out and noted.
    ///
    /// # Errors
    /// When there are no points, one is not finite or out of range, or all lie on a line.
    pub fn hull_of(points: &[DVec2]) -> Result<Self, PolytopeError> {
        check_range(points)?;
        let mut hull = hull_indices(points);
        check_thick(points, &hull)?;
        let mut notes = Vec::new();
        start_at_lowest(&mut hull);
        note_dropped(points.len(), &hull, &mut notes);
        Ok(from_hull(points, hull, notes))
    }

    /// The same body with another centre for the ratio metric, in the body frame.
    ///
    /// # Errors
    /// When the centre is not finite or not strictly inside.
    pub fn with_center(&self, center: DVec2) -> Result<Self, PolytopeError> {
        let center = center - self.anchor();
        for (number, side) in self.sides().iter().enumerate() {
            let by = side.normal.dot(center) - side.offset;
            if by >= 0.0 || by.is_nan() {
                return Err(PolytopeError::CenterOutside {
                    face: self.data.edge_labels[number] as usize,
                    by,
                });
            }
        }
        if self.dimension() == 0 && center != DVec2::ZERO {
            return Err(PolytopeError::CenterOutside { face: 0, by: center.length() });
        }
        let mut data = Data::clone(&self.data);
        data.center = center;
        data.inradius = inradius(&data.sides, center);
        data.radius = farthest(&data.vertices, center);
        Ok(Self { data: Arc::new(data) })
    }
}

/// All finite, and within the range in which the predicates are exact.
fn check_range(points: &[DVec2]) -> Result<(), PolytopeError> {
    if points.is_empty() {
        return Err(PolytopeError::Empty);
    }
    if let Some(point) = points.iter().position(|p| !p.is_finite()) {
        return Err(PolytopeError::NotFinite { point });
    }
    let low = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    let size = low.abs().max(high.abs()).max_element();
    let extent = (high - low).max_element();
    if size > tolerance::LARGEST_EXTENT {
        return Err(PolytopeError::OutOfRange { extent: size });
    }
    if extent > 0.0 && extent < tolerance::SMALLEST_EXTENT {
        return Err(PolytopeError::OutOfRange { extent });
    }
    Ok(())
}

/// The strict corners of the hull, counter-clockwise, by their indices; the lowest index of equals.
fn hull_indices(points: &[DVec2]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    // Adding zero turns −0 into 0, which the order tells apart.
    let key = |&i: &u32| points[i as usize] + DVec2::ZERO;
    order.sort_by(|i, j| {
        let (p, q) = (key(i), key(j));
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(i.cmp(j))
    });
    order.dedup_by(|later, earlier| key(later) == key(earlier));
    if order.len() < 3 {
        return order;
    }
    let mut hull: Vec<u32> = Vec::with_capacity(order.len() + 1);
    for pass in 0..2 {
        let base = hull.len();
        for &next in &order {
            while hull.len() >= base + 2 {
                let [one, two] = [hull[hull.len() - 2], hull[hull.len() - 1]];
                if turn(points[one as usize], points[two as usize], points[next as usize]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(next);
        }
        // The last point of each chain is the first of the other.
        hull.pop();
        if pass == 0 {
            order.reverse();
        }
    }
    hull
}

/// Positive where p, q, r turn left; the sign is exact.
fn turn(p: DVec2, q: DVec2, r: DVec2) -> f64 {
    let coord = |v: DVec2| Coord { x: v.x, y: v.y };
    orient2d(coord(p), coord(q), coord(r))
}

/// Refuses what is flat within rounding.
fn check_thick(points: &[DVec2], hull: &[u32]) -> Result<(), PolytopeError> {
    let corner = |i: usize| points[hull[i % hull.len()] as usize];
    let diameter = 2.0 * farthest(points, points[hull[0] as usize]);
    let mut thickness = if hull.len() < 3 { 0.0 } else { f64::INFINITY };
    // The narrowest strip runs along an edge; the corner opposite moves on as the edge does.
    let mut opposite = 1;
    for i in 0..hull.len() {
        if hull.len() < 3 {
            break;
        }
        let edge = unit(corner(i + 1) - corner(i));
        let height = |j: usize| edge.perp_dot(corner(j) - corner(i));
        opposite = opposite.max(i + 1);
        while height(opposite + 1) > height(opposite) {
            opposite += 1;
        }
        thickness = thickness.min(height(opposite));
    }
    if thickness <= diameter * tolerance::FLAT_REL {
        // Of what is flat, the lowest corner is an end, and the farthest from it the other.
        return Err(PolytopeError::Flat { thickness, diameter: 0.5 * diameter });
    }
    Ok(())
}

/// Whether the outline runs clockwise. Every point must be a corner of the hull, in its order, or lie
/// on the hull's edge between the corners before and after it, within rounding.
fn check_outline(points: &[DVec2], hull: &[u32]) -> Result<bool, PolytopeError> {
    let mut place = vec![None; points.len()];
    for (at, &corner) in hull.iter().enumerate() {
        place[corner as usize] = Some(at);
    }
    let corners: Vec<(usize, usize)> =
        place.iter().enumerate().filter_map(|(point, at)| at.map(|at| (point, at))).collect();
    let n = corners.len();
    // Three corners or more: the second step decides where the first could be either.
    let forward = (0..n).filter(|&i| corners[(i + 1) % n].1 == (corners[i].1 + 1) % n).count();
    let clockwise = 2 * forward < n;
    let step = if clockwise { n - 1 } else { 1 };
    let diameter = farthest(points, points[0]);
    for i in 0..n {
        let ((from, at), (to, next)) = (corners[i], corners[(i + 1) % n]);
        if next != (at + step) % n {
            return Err(PolytopeError::ReflexCorner { corner: to });
        }
        let along = points[to] - points[from];
        let mut between = from;
        loop {
            between = (between + 1) % points.len();
            if between == to {
                break;
            }
            let offset = points[between] - points[from];
            if unit(along).perp_dot(offset).abs() > diameter * tolerance::COPLANAR_REL {
                return Err(PolytopeError::ReflexCorner { corner: between });
            }
        }
    }
    Ok(clockwise)
}

/// Begins the cycle at its lowest index, so that an outline keeps its numbering.
fn start_at_lowest(hull: &mut [u32]) {
    let lowest = (0..hull.len()).min_by_key(|&i| hull[i]).unwrap_or(0);
    hull.rotate_left(lowest);
}

fn note_dropped(count: usize, hull: &[u32], notes: &mut Vec<Note>) {
    let mut kept = vec![false; count];
    for &corner in hull {
        kept[corner as usize] = true;
    }
    let vertices: Vec<u32> = (0..count as u32).filter(|&i| !kept[i as usize]).collect();
    if !vertices.is_empty() {
        notes.push(Note::DroppedVertices { vertices });
    }
}

fn from_hull(points: &[DVec2], hull: Vec<u32>, notes: Vec<Note>) -> Polygon {
    let corners = hull.iter().map(|&i| points[i as usize]).collect();
    assemble(corners, hull, notes)
}

/// Builds every table; `corners` are strictly convex and counter-clockwise, or one or two points.
fn assemble(corners: Vec<DVec2>, vertex_labels: Vec<u32>, notes: Vec<Note>) -> Polygon {
    let anchor = exact_anchor(&corners);
    let vertices: Vec<DVec2> = corners.iter().map(|&corner| corner - anchor).collect();
    let n = vertices.len();
    let sides: Vec<PlanarEdge> = (0..if n == 1 { 0 } else { n })
        .map(|i| {
            let (tail, head) = (vertices[i], vertices[(i + 1) % n]);
            let normal = -unit(head - tail).perp();
            PlanarEdge {
                vertices: [VertexId(i as u32), VertexId(((i + 1) % n) as u32)],
                vector: head - tail,
                length: tail.distance(head),
                normal,
                offset: normal.dot(0.5 * (tail + head)),
            }
        })
        .collect();
    let mass = mass::of_corners(&vertices);
    let data = Data {
        anchor,
        edge_labels: edge_labels(&vertex_labels),
        vertex_labels,
        center: mass.center,
        inradius: inradius(&sides, mass.center),
        radius: farthest(&vertices, mass.center),
        reach: farthest(&vertices, DVec2::ZERO),
        vertices,
        sides,
        mass,
        notes,
    };
    Polygon { data: Arc::new(data) }
}

/// A shift that every corner survives without rounding: per axis, the middle of the extent where the
/// body lies clear of zero on that axis (then, by Sterbenz, the subtraction is exact), else zero.
fn exact_anchor(corners: &[DVec2]) -> DVec2 {
    let low = corners.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = corners.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    let axis = |low: f64, high: f64| {
        let (near, far) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
        if near >= 0.5 * far && (low > 0.0) == (high > 0.0) { 0.5 * low + 0.5 * high } else { 0.0 }
    };
    DVec2::new(axis(low.x, high.x), axis(low.y, high.y))
}

/// For each side, the place of its edge among the (low, high) pairs of corner numbers.
fn edge_labels(corners: &[u32]) -> Vec<u32> {
    let n = corners.len();
    if n < 3 {
        return vec![0; n];
    }
    let ends = |i: usize| {
        let (one, other) = (corners[i], corners[(i + 1) % n]);
        (one.min(other), one.max(other))
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| ends(i));
    let mut labels = vec![0; n];
    for (label, &side) in order.iter().enumerate() {
        labels[side] = label as u32;
    }
    labels
}

fn inradius(sides: &[PlanarEdge], center: DVec2) -> f64 {
    let nearest =
        sides.iter().map(|side| side.offset - side.normal.dot(center)).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest.max(0.0) } else { 0.0 }
}

fn farthest(points: &[DVec2], from: DVec2) -> f64 {
    points.iter().map(|p| p.distance(from)).fold(0.0, f64::max)
}

/// The unit vector along `vector`, whatever its size; zero for zero.
fn unit(vector: DVec2) -> DVec2 {
    let largest = vector.abs().max_element();
    if largest == 0.0 {
        return DVec2::ZERO;
    }
    let scaled = vector / largest;
    scaled / scaled.length()
}
