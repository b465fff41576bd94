//! Shapes as a viewer draws them: triangles with the true normals, lines along edges, points at vertices.
//!
//! Nothing is ever computed from these meshes; they are made once for a recording and thrown away with it.

mod face;
mod level;
mod write;

pub(crate) use write::write_shape;

use crate::AnyBody;
use clearance_geometry::bound::Obb;
use clearance_geometry::tiled::{EdgeKind, TiledBody};
use clearance_geometry::{
    Below, Body, BoxTree, DVec2, DVec3, DeformingBody, EdgeId, FaceId, Feature, LeafShape, PatchTree,
    PlanarTiled, Polygon, Polytope, Pose, VertexId,
};

/// Chords are within this part of a body's size of what they stand for: less than a pixel where it fills a screen.
const SAG_REL: f64 = 1.0 / 2048.0;

/// Triangles of one body after which faces are no more refined.
const MOST_TRIANGLES: usize = 120_000;

/// Levels of a tree of boxes below its root.
const BOX_LEVELS: usize = 6;

/// Points of a line along an edge.
const EDGE_POINTS: usize = 256;

/// A shape for display.
#[derive(Clone, Debug, Default)]
pub(crate) struct Display {
    pub(crate) points: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    /// How fast each point moves, of bodies that deform; else empty. A length a second.
    pub(crate) velocities: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Runs of triangles that belong to one feature: its name and how many.
    pub(crate) faces: Vec<(String, usize)>,
    pub(crate) edges: Vec<Line>,
    pub(crate) corners: Vec<(String, DVec3)>,
    pub(crate) boxes: Vec<(usize, Obb)>,
}

/// A line along an edge.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) feature: String,
    /// `convex`, `reflex`, `smooth`, `mixed` or `open`.
    pub(crate) class: &'static str,
    pub(crate) points: Vec<DVec3>,
    /// The outward normals of its faces at each point; none where a face has none.
    pub(crate) normals: [Vec<DVec3>; 2],
}

/// What to draw of a body; of a half-space nothing, for it has no bounds.
pub(crate) fn display(body: &AnyBody) -> Display {
    let mut display = Display::default();
    match body {
        AnyBody::Solid(body) => display.add_body(body),
        AnyBody::Planar(polygon) => display.add_polygon(polygon),
        AnyBody::PlanarTiled(body) => display.add_planar(body),
    }
    display
}

impl Display {
    fn add_body(&mut self, body: &Body) {
        match body.whole() {
            Body::Polytope(polytope) => self.add_polytope(polytope, "", &Pose::IDENTITY),
            Body::Tiled(tiled) => {
                self.add_tiled(tiled, "", &Pose::IDENTITY);
                if let Some(tree) = PatchTree::of_body(tiled) {
                    self.add_boxes(&tree);
                }
            }
            Body::Deforming(deforming) => self.add_deforming(deforming),
            Body::Algebraic(surface) => level::add(self, surface),
            Body::Union(parts) => {
                self.add_boxes(parts);
                for leaf in parts.leaves() {
                    let path: String = leaf.path.iter().map(|part| format!("{part}/")).collect();
                    match &leaf.shape {
                        LeafShape::Polytope(polytope) => self.add_polytope(polytope, &path, &leaf.pose),
                        LeafShape::Tiled(tiled) => self.add_tiled(tiled, &path, &leaf.pose),
                    }
                }
            }
            Body::HalfSpace(_) | Body::Boundary(_) => {}
        }
    }

    /// The boxes of a tree, some levels deep.
    fn add_boxes<L>(&mut self, tree: &BoxTree<L>) {
        let mut waiting = vec![(0, 0)];
        while let Some((node, level)) = waiting.pop() {
            let node = &tree.nodes()[node];
            self.boxes.push((level, node.bound));
            if let Below::Nodes(children) = node.below
                && level < BOX_LEVELS
            {
                waiting.extend(children.map(|child| (child as usize, level + 1)));
            }
        }
    }

    /// Triangles from here on belong to a feature.
    fn close_face(&mut self, feature: String, first: usize) {
        if self.triangles.len() > first {
            self.faces.push((feature, self.triangles.len() - first));
        }
    }

    fn add_polytope(&mut self, body: &Polytope, path: &str, pose: &Pose) {
        let place = |vertex: VertexId| pose.apply(body.vertex(vertex) + body.anchor());
        for face in (0..body.face_count() as u32).map(FaceId) {
            let ring: Vec<DVec3> = body.sides(face).iter().map(|side| place(side.vertex)).collect();
            let normal = pose.rotate(body.plane(face).normal);
            let (base, first) = (self.points.len() as u32, self.triangles.len());
            self.normals.extend(std::iter::repeat_n(normal, ring.len()));
            self.triangles.extend((2..ring.len() as u32).map(|k| [base, base + k - 1, base + k]));
            self.points.extend(ring);
            self.close_face(format!("{path}{}", body.label(Feature::Face(face))), first);
        }
        for edge in (0..body.edge_count() as u32).map(EdgeId) {
            // A segment has an edge without faces.
            let sides = body.edge(edge).faces.map(|face| match (face.0 as usize) < body.face_count() {
                true => vec![pose.rotate(body.plane(face).normal); 2],
                false => Vec::new(),
            });
            self.edges.push(Line {
                feature: format!("{path}{}", body.label(Feature::Edge(edge))),
                class: "convex",
                points: body.edge(edge).vertices.map(place).to_vec(),
                normals: sides,
            });
        }
        for vertex in (0..body.vertex_count() as u32).map(VertexId) {
            self.corners.push((format!("{path}{}", body.label(Feature::Vertex(vertex))), place(vertex)));
        }
    }

    fn add_tiled(&mut self, body: &TiledBody, path: &str, pose: &Pose) {
        let sag = SAG_REL * 2.0 * body.aabb().half_extents().length();
        let from = self.points.len();
        for (at, face) in body.faces().iter().enumerate() {
            let first = self.triangles.len();
            face::add(self, face, sag);
            self.close_face(format!("{path}{}", Feature::Face(FaceId(at as u32))), first);
        }
        self.add_lines(body, path, pose, sag);
        for point in &mut self.points[from..] {
            *point = pose.apply(*point);
        }
        for normal in &mut self.normals[from..] {
            *normal = pose.rotate(*normal);
        }
    }

    fn add_lines(&mut self, body: &TiledBody, path: &str, pose: &Pose, sag: f64) {
        for (at, edge) in body.edges().iter().enumerate() {
            if edge.is_seam() {
                continue;
            }
            let class = match edge.kind {
                EdgeKind::Convex => "convex",
                EdgeKind::Reflex => "reflex",
                EdgeKind::Smooth => "smooth",
                EdgeKind::Open => "open",
                _ => "mixed",
            };
            let points: Vec<DVec3> = sampled(|s| edge.point(edge.range.at(s)), sag);
            let id = EdgeId(at as u32);
            let normal = |face: FaceId, against: bool, k: usize| {
                let t = edge.range.at(k as f64 / (points.len() - 1) as f64);
                let normal = body.face(face).normal(body.parameters(face, id, t, against))?;
                Some(pose.rotate(normal))
            };
            let normals = [false, true].map(|against| {
                let face = edge.faces[usize::from(against)];
                let all = face.and_then(|face| (0..points.len()).map(|k| normal(face, against, k)).collect());
                all.unwrap_or_default()
            });
            let points = points.iter().map(|point| pose.apply(*point)).collect();
            self.edges.push(Line { feature: format!("{path}{}", Feature::Edge(id)), class, points, normals });
        }
        for (at, vertex) in body.vertices().iter().enumerate() {
            let feature = format!("{path}{}", Feature::Vertex(VertexId(at as u32)));
            self.corners.push((feature, pose.apply(*vertex)));
        }
    }

    /// The shape at the start, and how fast each of its points moves.
    fn add_deforming(&mut self, body: &DeformingBody) {
        let shape = body.shape();
        let sag = SAG_REL * 2.0 * shape.aabb().half_extents().length();
        for (at, face) in shape.faces().iter().enumerate() {
            let (first, id) = (self.triangles.len(), FaceId(at as u32));
            let places = face::add(self, face, sag);
            self.velocities.extend(places.into_iter().map(|place| body.velocity(id, place)));
            self.close_face(Feature::Face(id).to_string(), first);
        }
    }

    fn add_polygon(&mut self, body: &Polygon) {
        let corner = |at: u32| (body.vertex(VertexId(at)) + body.anchor()).extend(0.0);
        let corners: Vec<DVec3> = (0..body.vertex_count() as u32).map(corner).collect();
        for (side, edge) in body.sides().iter().enumerate() {
            let id = body.edge_of_side(side);
            self.edges.push(Line {
                feature: body.label(Feature::Edge(id)).to_string(),
                class: "convex",
                points: edge.vertices.map(|vertex| corner(vertex.0)).to_vec(),
                normals: [vec![edge.normal.extend(0.0); 2], Vec::new()],
            });
        }
        for (at, point) in corners.iter().enumerate() {
            self.corners.push((body.label(Feature::Vertex(VertexId(at as u32))).to_string(), *point));
        }
        self.fill(&corners);
    }

    fn add_planar(&mut self, body: &PlanarTiled) {
        let rough = |side: &clearance_geometry::PlanarSide| {
            let [from, to] = side.ends();
            (0..=8)
                .map(move |k| side.jet(from + (to - from) * f64::from(k) / 8.0).point)
                .collect::<Vec<DVec2>>()
        };
        let all: Vec<DVec2> = body.sides().iter().flat_map(rough).collect();
        let low = all.iter().copied().reduce(DVec2::min).unwrap_or_default();
        let high = all.iter().copied().reduce(DVec2::max).unwrap_or_default();
        let sag = SAG_REL * low.distance(high);
        let mut ring = Vec::new();
        for (at, side) in body.sides().iter().enumerate() {
            let [from, to] = side.ends();
            let points = sampled(|s| side.jet(from + (to - from) * s).point.extend(0.0), sag);
            let at_point = |k: usize| side.normal(from + (to - from) * k as f64 / (points.len() - 1) as f64);
            let normals =
                (0..points.len()).map(|k| at_point(k).map(|n| n.extend(0.0))).collect::<Option<_>>();
            let normals: Vec<DVec3> = normals.unwrap_or_default();
            ring.extend_from_slice(&points[..points.len() - 1]);
            self.edges.push(Line {
                feature: Feature::Edge(EdgeId(at as u32)).to_string(),
                class: "convex",
                points,
                normals: [normals, Vec::new()],
            });
        }
        for (at, corner) in body.corners().iter().enumerate() {
            let feature = Feature::Vertex(VertexId(at as u32)).to_string();
            self.corners.push((feature, corner.point.extend(0.0)));
        }
        self.fill(&ring);
    }

    /// The inside of a polygon of the plane.
    fn fill(&mut self, ring: &[DVec3]) {
        let first = self.triangles.len();
        let base = self.points.len() as u32;
        let flat: Vec<[f64; 2]> = ring.iter().map(|point| [point.x, point.y]).collect();
        let mut corners: Vec<u32> = Vec::new();
        earcut::Earcut::new().earcut(flat, &[], &mut corners);
        self.points.extend(ring);
        self.normals.extend(ring.iter().map(|_| DVec3::Z));
        self.triangles.extend(corners.chunks_exact(3).map(|t| [base + t[0], base + t[1], base + t[2]]));
        self.close_face(Feature::Face(FaceId(0)).to_string(), first);
    }
}

/// Points of a curve over 0 to 1, so many that chords are within `sag` of it halfway.
fn sampled(point: impl Fn(f64) -> DVec3, sag: f64) -> Vec<DVec3> {
    let mut count = 1;
    loop {
        let points: Vec<DVec3> = (0..=2 * count).map(|k| point(k as f64 / (2 * count) as f64)).collect();
        let close = points
            .chunks(2)
            .zip(points[1..].chunks(2))
            .zip(points[2..].chunks(2))
            .all(|((a, b), c)| a[0].midpoint(c[0]).distance(b[0]) <= sag);
        if count > 2 && close || 2 * count >= EDGE_POINTS {
            return points;
        }
        count *= 2;
    }
}
