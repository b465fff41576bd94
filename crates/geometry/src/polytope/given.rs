//! A polytope from vertices and faces as given, checked.
//!
//! Source: own. The surface is checked as a graph (closed, in one piece, one orientation), then against
//! the hull of its vertices, from which the body is built.
//! Differs: from a check edge by edge, which also passes surfaces that wind twice around the body.
//! Ends because: no loop but over faces, sides and the climbs of `support`.
//! Cost: a hull and a sort of the sides.
//! Not promised: the convexity of polygons narrower than the slack, whose planes are rounding.

use super::assemble::Labels;
use super::cloud::{Cloud, dropped_note, first_equals};
use super::twofold::{area_vector, six_volume, unit};
use super::{Note, Polytope};
use crate::{DVec3, FaceId, PolytopeError, VertexId, tolerance};

impl Polytope {
    /// From vertices and faces, each face listing its vertices counter-clockwise seen from outside.
    /// Equal vertices are taken as one, coplanar neighbours merged under the lowest number, vertices
    /// that are not corners left out; a surface that is inside-out as a whole is turned. Each is noted.
    ///
    /// # Errors
    /// When the surface is not closed, not in one piece, not convex within
    /// [`tolerance::COPLANAR_REL`] of its extent, not consistently oriented, or flat; the error names
    /// the offender.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Note, Polytope};
    /// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let inside_out = [vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]];
    /// let body = Polytope::from_faces(&vertices, &inside_out)?;
    /// assert_eq!(body.notes(), [Note::Turned]);
    /// # Ok::<(), clearance_geometry::PolytopeError>(())
    /// ```
    pub fn from_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Self, PolytopeError> {
        let first = first_equals(vertices)?;
        let mut faces = welded(&first, faces)?;
        let mut pairs = paired_sides(&faces)?;
        one_orientation(&faces, &pairs)?;
        one_piece(faces.len(), &pairs)?;
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let hull = Cloud::chosen(vertices, used)?.polytope(vertices)?;
        let mut notes = Vec::new();
        let surface = Surface { vertices, hull: &hull };
        if surface.volume(&faces) < 0.0 {
            faces.iter_mut().for_each(|face| face.reverse());
            pairs = paired_sides(&faces)?;
            notes.push(Note::Turned);
        }
        surface.check_convex(&faces, &pairs)?;
        let labels = surface.face_labels(&faces);
        let merged = faces.len() - labels.1;
        if merged > 0 {
            notes.push(Note::MergedFaces { merged });
        }
        let vertex_labels = hull.data.vertex_labels.clone();
        notes.extend(dropped_note(vertices.len(), &vertex_labels));
        Ok(hull.relabeled(Labels { vertices: vertex_labels, faces: labels.0, notes }, None))
    }
}

/// The faces over the first of equal vertices, without repeats.
fn welded(first: &[u32], faces: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, PolytopeError> {
    let mut result = Vec::with_capacity(faces.len());
    let mut sorted = Vec::new();
    for (face, corners) in faces.iter().enumerate() {
        let mut kept = Vec::with_capacity(corners.len());
        for &corner in corners {
            let vertex = corner as usize;
            let &same = first.get(vertex).ok_or(PolytopeError::NoSuchVertex { face, vertex })?;
            kept.push(same);
        }
        kept.dedup();
        while kept.len() > 1 && kept.first() == kept.last() {
            kept.pop();
        }
        sorted.clone_from(&kept);
        sorted.sort_unstable();
        if kept.len() < 3 || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(PolytopeError::DegenerateFace { face });
        }
        result.push(kept);
    }
    Ok(result)
}

/// Two faces that share an edge, with the number of the side in each.
struct Pair {
    faces: [u32; 2],
    sides: [u32; 2],
    vertices: [u32; 2],
}

fn paired_sides(faces: &[Vec<u32>]) -> Result<Vec<Pair>, PolytopeError> {
    let mut sides = Vec::new();
    for (face, corners) in faces.iter().enumerate() {
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            sides.push((from.min(to), from.max(to), face as u32, i as u32));
        }
    }
    sides.sort_unstable();
    let mut pairs = Vec::with_capacity(sides.len() / 2);
    for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let &[a, b] = edge else {
            return Err(PolytopeError::NotClosed {
                vertices: [edge[0].0 as usize, edge[0].1 as usize],
                faces: edge.len(),
                face: edge[0].2 as usize,
            });
        };
        pairs.push(Pair { faces: [a.2, b.2], sides: [a.3, b.3], vertices: [a.0, a.1] });
    }
    Ok(pairs)
}

fn one_orientation(faces: &[Vec<u32>], pairs: &[Pair]) -> Result<(), PolytopeError> {
    let start = |pair: &Pair, i: usize| faces[pair.faces[i] as usize][pair.sides[i] as usize];
    match pairs.iter().find(|pair| start(pair, 0) == start(pair, 1)) {
        Some(pair) => Err(PolytopeError::InconsistentOrientation {
            faces: pair.faces.map(|face| face as usize),
            vertices: pair.vertices.map(|vertex| vertex as usize),
        }),
        None => Ok(()),
    }
}

fn one_piece(faces: usize, pairs: &[Pair]) -> Result<(), PolytopeError> {
    let mut parent: Vec<u32> = (0..faces as u32).collect();
    fn root(parent: &mut [u32], mut face: u32) -> u32 {
        while parent[face as usize] != face {
            parent[face as usize] = parent[parent[face as usize] as usize];
            face = parent[face as usize];
        }
        face
    }
    let mut pieces = faces;
    for pair in pairs {
        let [a, b] = pair.faces.map(|face| root(&mut parent, face));
        if a != b {
            parent[a.max(b) as usize] = a.min(b);
            pieces -= 1;
        }
    }
    if pieces > 1 { Err(PolytopeError::SeveralPieces { pieces }) } else { Ok(()) }
}

/// A given surface beside the hull of its vertices.
struct Surface<'a> {
    vertices: &'a [DVec3],
    hull: &'a Polytope,
}

impl Surface<'_> {
    /// Anchored as the hull is.
    fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize] - self.hull.anchor()
    }

    fn volume(&self, faces: &[Vec<u32>]) -> f64 {
        let mut six = 0.0;
        for face in faces {
            for i in 2..face.len() {
                let corners = [face[0], face[i - 1], face[i]].map(|k| self.at(k));
                six += six_volume(self.hull.center(), corners).value();
            }
        }
        six / 6.0
    }

    /// Whether every face's plane has the vertices next to it, and the one farthest out, below it, and
    /// the surface winds around the body once.
    fn check_convex(&self, faces: &[Vec<u32>], pairs: &[Pair]) -> Result<(), PolytopeError> {
        let slack = tolerance::COPLANAR_REL * 2.0 * self.hull.radius();
        let mut bases = Vec::with_capacity(faces.len());
        for (number, face) in faces.iter().enumerate() {
            let base = Base::new(face.iter().map(|&i| self.at(i)));
            if base.normal == DVec3::ZERO {
                return Err(PolytopeError::DegenerateFace { face: number });
            }
            let far = self.hull.support(base.normal);
            let label = self.hull.data.vertex_labels[far.index()];
            base.check(self.hull.vertex(far), slack).map_err(|by| not_convex(number, label, by))?;
            for &corner in face {
                base.check(self.at(corner), slack).map_err(|by| not_convex(number, corner, by))?;
            }
            bases.push(base);
        }
        for pair in pairs {
            for (here, there) in [(0, 1), (1, 0)] {
                let face = pair.faces[here] as usize;
                let corners = &faces[pair.faces[there] as usize];
                let (side, n) = (pair.sides[there] as usize, corners.len());
                for next in [corners[(side + 2) % n], corners[(side + n - 1) % n]] {
                    bases[face].check(self.at(next), slack).map_err(|by| not_convex(face, next, by))?;
                }
            }
        }
        let excess = self.volume(faces) - self.hull.mass().volume;
        // A surface that winds k times around has k times the volume.
        if excess.abs() > 0.5 * self.hull.mass().volume {
            return Err(not_convex(0, faces[0][0], 0.0));
        }
        Ok(())
    }

    /// The lowest given face within each face of the hull, and how many given faces were lowest.
    fn face_labels(&self, faces: &[Vec<u32>]) -> (Vec<u32>, usize) {
        const NONE: u32 = u32::MAX;
        let mut labels = vec![NONE; self.hull.face_count()];
        for (number, face) in faces.iter().enumerate() {
            let middle = face.iter().map(|&i| self.at(i)).sum::<DVec3>() / face.len() as f64;
            let height = |f: FaceId| self.hull.plane(f).distance(middle);
            let corners = face.iter().filter_map(|&i| self.hull.data.vertex_labels.binary_search(&i).ok());
            let around = corners.flat_map(|v| self.hull.ring(VertexId(v as u32)).faces).copied();
            let higher = |a: FaceId, b: FaceId| if height(b) > height(a) { b } else { a };
            // A face without a corner of the body lies within a merged one.
            let all = || (0..labels.len() as u32).map(FaceId);
            let Some(place) = around.reduce(higher).or_else(|| all().reduce(higher)) else { continue };
            labels[place.index()] = labels[place.index()].min(number as u32);
        }
        let used = labels.iter().filter(|&&label| label != NONE).count();
        for face in 0..labels.len() {
            if labels[face] == NONE {
                // A split of a given polygon that is flat only to rounding carries its neighbour's number.
                let sides = self.hull.sides(FaceId(face as u32));
                let beyond = sides.iter().flat_map(|side| self.hull.edge(side.edge).faces);
                labels[face] =
                    beyond.map(|f| labels[f.index()]).min().unwrap_or(0).min(faces.len() as u32 - 1);
            }
        }
        (labels, used)
    }
}

fn not_convex(face: usize, vertex: u32, by: f64) -> PolytopeError {
    PolytopeError::NotConvex { face, vertex: vertex as usize, by }
}

/// Three corners of a face, far apart, and the face's plane.
struct Base {
    corners: [DVec3; 3],
    normal: DVec3,
    offset: f64,
    /// Reciprocal of twice the area of the three.
    per_area: f64,
}

impl Base {
    fn new(corners: impl Iterator<Item = DVec3> + Clone) -> Self {
        let farthest = |measure: &dyn Fn(DVec3) -> f64| {
            corners.clone().max_by(|&p, &q| measure(p).total_cmp(&measure(q))).unwrap_or_default()
        };
        let start = corners.clone().next().unwrap_or_default();
        let a = farthest(&|p| p.distance_squared(start));
        let b = farthest(&|p| p.distance_squared(a));
        let c = farthest(&|p| (p - a).cross(b - a).length_squared());
        let normal = unit(area_vector(corners.clone()));
        let count = corners.clone().count() as f64;
        let offset = corners.map(|p| normal.dot(p)).sum::<f64>() / count;
        let per_area = (b - a).cross(c - a).length().recip();
        Self { corners: [a, b, c], normal, offset, per_area }
    }

    /// Refuses a point above the plane by more than the slack of the point and of the three corners,
    /// seen from the point: the plane of a narrow face is sure only near the face.
    fn check(&self, point: DVec3, slack: f64) -> Result<(), f64> {
        let by = self.normal.dot(point) - self.offset;
        if by <= slack {
            return Ok(());
        }
        let [a, b, c] = self.corners.map(|corner| corner - point);
        let weights = (a.cross(b).length() + b.cross(c).length() + c.cross(a).length()) * self.per_area;
        if by <= slack * (1.0 + weights) { Ok(()) } else { Err(by) }
    }
}
