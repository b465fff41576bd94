//! Voronoi cells of a polytope, cut to constant size and flared, and the pyramids of its interior.
//!
//! Source: 003 section 3.2 (the three criteria, the subdivision procedure, flared cells) and the pseudo
//! Voronoi regions of its future work (planes through the centroid and each edge).
//! Differs: a long boundary is cut by a balanced tree of quadrilaterals (DIFFERS: 003 leaves the cut open),
//! so that crossing a face of n sides takes O(log n) cells. The displacement of the flare depends on both
//! bodies and is therefore added by the query; the lean is built in here.
//! Ends because: every cut is shorter than what it was cut from.
//! Cost: linear in the number of features, once per body.
//! Not promised: constant size where the normals around a vertex are too close to divide its cell.

use super::subdivide::{Link, Part, subdivide};
use crate::tolerance;
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, VertexId};

/// A cell of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellId(u32);

impl CellId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constraint plane: points of the cell have `normal · x ≥ offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint {
    /// Unit, into the cell.
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    /// Where a point that violates it is nearer.
    pub(super) next: CellId,
}

/// A side of a face's cell: the part of the boundary under one constraint plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    pub(super) ends: [VertexId; 2],
    /// Unit normal of the plane through centroid and side, into the pyramid under the cell.
    pub(super) wall: DVec3,
    /// The face cell behind the wall.
    pub(super) beyond: CellId,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    feature: Feature,
    first: u32,
    count: u32,
}

/// The Voronoi cells of one polytope, made once and shared by all its queries.
///
/// ```
/// use clearance_geometry::{DVec3, Polytope};
/// use clearance_proximity::lin_canny::Cells;
/// let cube = Polytope::cuboid(DVec3::ONE)?;
/// assert_eq!(Cells::new(&cube).count(), 26);
/// # Ok::<(), clearance_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cells {
    cells: Vec<Cell>,
    constraints: Vec<Constraint>,
    /// For the constraints of face cells, which come first.
    rims: Vec<Rim>,
    face_roots: Vec<u32>,
    edge_base: u32,
    vertex_roots: Vec<u32>,
    centroid: DVec3,
}

impl Cells {
    /// Builds the cells of `body`.
    pub fn new(body: &Polytope) -> Self {
        let face_cuts: Vec<_> =
            (0..body.face_count()).map(|f| subdivide(body.sides(FaceId(f as u32)).len())).collect();
        let vertex_cuts: Vec<_> =
            (0..body.vertex_count()).map(|v| vertex_cut(body, VertexId(v as u32))).collect();
        let (face_roots, edge_base) = roots(0, face_cuts.iter().map(Vec::len));
        let (vertex_roots, _) =
            roots(edge_base + body.edge_count() as u32, vertex_cuts.iter().map(|cut| cut.len().max(1)));
        let mut cells = Self {
            cells: Vec::new(),
            constraints: Vec::new(),
            rims: Vec::new(),
            face_roots,
            edge_base,
            vertex_roots,
            centroid: body.mass().center,
        };
        let owners = owners(body, &face_cuts, &cells.face_roots);
        for (face, cut) in face_cuts.iter().enumerate() {
            cells.add_face(body, FaceId(face as u32), cut, &owners);
        }
        for (edge, &owners) in owners.iter().enumerate() {
            cells.add_edge(body, EdgeId(edge as u32), owners);
        }
        for (vertex, cut) in vertex_cuts.iter().enumerate() {
            cells.add_vertex(body, VertexId(vertex as u32), cut);
        }
        cells
    }

    /// Number of cells: one per feature, more where a boundary was cut.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// The largest number of constraint planes of a cell.
    pub fn largest(&self) -> usize {
        self.cells.iter().map(|cell| cell.count as usize).max().unwrap_or(0)
    }

    /// Where a walk enters a feature; `None` when the body has no such feature.
    pub(super) fn root(&self, feature: Feature) -> Option<CellId> {
        let at = feature.number() as usize;
        let root = match feature {
            Feature::Face(_) => *self.face_roots.get(at)?,
            Feature::Vertex(_) => *self.vertex_roots.get(at)?,
            Feature::Edge(_) => self.edge_base.checked_add(feature.number())?,
        };
        let found = self.cells.get(root as usize)?;
        (found.feature == feature).then_some(CellId(root))
    }

    /// The cell of an edge of this body.
    pub(super) fn edge(&self, edge: EdgeId) -> CellId {
        CellId(self.edge_base + edge.0)
    }

    /// The first cell of a vertex of this body.
    pub(super) fn vertex(&self, vertex: VertexId) -> CellId {
        CellId(self.vertex_roots[vertex.index()])
    }

    pub(super) fn feature(&self, cell: CellId) -> Feature {
        self.cells[cell.index()].feature
    }

    /// Constraints in the order of [`Cells::rims`] for a face; tail, head, left, right for an edge.
    pub(super) fn constraints(&self, cell: CellId) -> &[Constraint] {
        let Cell { first, count, .. } = self.cells[cell.index()];
        &self.constraints[first as usize..(first + count) as usize]
    }

    /// The sides of a face's cell, counter-clockwise seen from outside; none for other cells.
    pub(super) fn rims(&self, cell: CellId) -> &[Rim] {
        let Cell { first, count, .. } = self.cells[cell.index()];
        self.rims.get(first as usize..(first + count) as usize).unwrap_or(&[])
    }

    /// The apex of all interior pyramids.
    pub(super) fn centroid(&self) -> DVec3 {
        self.centroid
    }

    fn open(&mut self, feature: Feature) {
        self.cells.push(Cell { feature, first: self.constraints.len() as u32, count: 0 });
    }

    /// Adds a plane through `base`, leaning outward along `up`.
    fn constrain(&mut self, inward: DVec3, base: DVec3, up: DVec3, next: CellId) {
        let normal = inward + up * tolerance::FLARE_RAD;
        self.constraints.push(Constraint { normal, offset: normal.dot(base), next });
        if let Some(cell) = self.cells.last_mut() {
            cell.count += 1;
        }
    }

    fn add_face(&mut self, body: &Polytope, face: FaceId, cut: &[Vec<Part>], owners: &[[CellId; 2]]) {
        let sides = body.sides(face);
        let up = body.plane(face).normal;
        let root = self.face_roots[face.index()];
        for parts in cut {
            self.open(Feature::Face(face));
            for (at, part) in parts.iter().enumerate() {
                let ends = [part.corner, parts[(at + 1) % parts.len()].corner].map(|c| sides[c].vertex);
                let [from, to] = ends.map(|v| body.vertex(v));
                let (inward, next, beyond) = match part.link {
                    Link::Side(side) => {
                        let Edge { faces, .. } = *body.edge(sides[side].edge);
                        let other = owners[sides[side].edge.index()][usize::from(faces[0] == face)];
                        (sides[side].inward, self.edge(sides[side].edge), other)
                    }
                    Link::Cell(cell) => {
                        let sibling = CellId(root + cell as u32);
                        (up.cross(to - from).normalize_or_zero(), sibling, sibling)
                    }
                };
                // The short side is subtracted exactly; (to − centroid) instead would lose it.
                let wall = (from - self.centroid).cross(to - from).normalize_or_zero();
                self.rims.push(Rim { ends, wall, beyond });
                self.constrain(inward, from, up, next);
            }
        }
    }

    fn add_edge(&mut self, body: &Polytope, id: EdgeId, owners: [CellId; 2]) {
        let edge = body.edge(id);
        let [tail, head] = edge.vertices;
        let along = edge.vector.normalize_or_zero();
        let solid = edge.faces[0] != Edge::NO_FACE && edge.faces[1] != Edge::NO_FACE;
        let up = if solid {
            edge.faces.map(|f| body.plane(f).normal).iter().sum::<DVec3>().normalize_or_zero()
        } else {
            DVec3::ZERO
        };
        self.open(Feature::Edge(id));
        self.constrain(along, body.vertex(tail), up, self.vertex(tail));
        self.constrain(-along, body.vertex(head), up, self.vertex(head));
        if solid {
            for (cell, inward) in owners.into_iter().zip(edge.inward) {
                self.constrain(-inward, body.vertex(tail), up, cell);
            }
        }
    }

    fn add_vertex(&mut self, body: &Polytope, id: VertexId, cut: &[Vec<Part>]) {
        let ring = body.ring(id);
        let base = body.vertex(id);
        let normal = |face: usize| body.plane(ring.faces[face]).normal;
        let up = (0..ring.faces.len()).map(normal).sum::<DVec3>().normalize_or_zero();
        let outward = |spoke: usize| -ring.spokes[spoke].vector.normalize_or_zero();
        if cut.is_empty() {
            self.open(Feature::Vertex(id));
            for (spoke, &edge) in ring.edges.iter().enumerate() {
                self.constrain(outward(spoke), base, up, self.edge(edge));
            }
            return;
        }
        let root = self.vertex_roots[id.index()];
        for parts in cut {
            self.open(Feature::Vertex(id));
            for (at, part) in parts.iter().enumerate() {
                match part.link {
                    // Face i lies between spokes i and i + 1, so the side behind corner i is spoke i + 1.
                    Link::Side(side) => {
                        let spoke = (side + 1) % ring.spokes.len();
                        self.constrain(outward(spoke), base, up, self.edge(ring.edges[spoke]));
                    }
                    Link::Cell(cell) => {
                        let to = parts[(at + 1) % parts.len()].corner;
                        let inward = normal(part.corner).cross(normal(to)).normalize_or_zero();
                        self.constrain(inward, base, up, CellId(root + cell as u32));
                    }
                }
            }
        }
    }
}

/// First cell of each feature, and one past the last.
fn roots(base: u32, counts: impl Iterator<Item = usize>) -> (Vec<u32>, u32) {
    let mut next = base;
    let roots = counts
        .map(|count| {
            next += count as u32;
            next - count as u32
        })
        .collect();
    (roots, next)
}

/// For each edge the cells that it bounds, in its left and in its right face.
fn owners(body: &Polytope, cuts: &[Vec<Vec<Part>>], roots: &[u32]) -> Vec<[CellId; 2]> {
    let mut owners = vec![[CellId(0); 2]; body.edge_count()];
    for (face, cut) in cuts.iter().enumerate() {
        let sides = body.sides(FaceId(face as u32));
        for (cell, parts) in cut.iter().enumerate() {
            for part in parts {
                if let Link::Side(side) = part.link {
                    let edge = sides[side].edge;
                    let right = body.edge(edge).faces[0] != FaceId(face as u32);
                    owners[edge.index()][usize::from(right)] = CellId(roots[face] + cell as u32);
                }
            }
        }
    }
    owners
}

/// How to cut the cell of a vertex: its corners are the normals around it. Empty: not at all.
fn vertex_cut(body: &Polytope, vertex: VertexId) -> Vec<Vec<Part>> {
    let faces = body.ring(vertex).faces;
    let cut = subdivide(faces.len());
    let normal = |corner: usize| body.plane(faces[corner]).normal;
    let divides = |parts: &Vec<Part>| {
        (0..parts.len()).all(|at| {
            let to = parts[(at + 1) % parts.len()].corner;
            matches!(parts[at].link, Link::Side(_))
                || normal(parts[at].corner).cross(normal(to)).length() >= tolerance::CELL_CHORD_REL
        })
    };
    if cut.len() > 1 && cut.iter().all(divides) { cut } else { Vec::new() }
}
