//! Convex bodies with curved faces, prepared for kernels that ask for the farthest point along a direction.
//!
//! A [`ConvexShape`] is the body as a *core* and a radius: the body is every point within the radius of the core. A
//! ball is a point and its radius, a capsule a segment and its radius; of every other body the radius is 0 and the
//! core the body. All coordinates are *anchored*: relative to [`ConvexShape::anchor`].

mod axis;
mod build;
mod flat;
mod inner;
mod local;
mod piece;
mod quadratic;
mod rise;
mod support;
mod tiles;
mod view;

pub use axis::Axis;
pub use local::LocalJet;
pub use support::Farthest;
pub use view::{Far, Round, Ruled, View};

use crate::curve::{Curve, Range, Rect};
use crate::surface::Surface;
use crate::{DMat3, DVec3, Feature};
use piece::Piece;

/// A convex body prepared for support queries; made by
/// [`TiledBody::convex_shape`](crate::tiled::TiledBody::convex_shape).
#[derive(Clone, Debug)]
pub struct ConvexShape {
    anchor: DVec3,
    radius: f64,
    reach: f64,
    middle: DVec3,
    slack: f64,
    pieces: Vec<Piece>,
    faces: Vec<FaceShape>,
    edges: Vec<EdgeShape>,
    vertices: Vec<DVec3>,
    /// Faces and edges around each edge and each vertex.
    edge_faces: Vec<[u32; 2]>,
    vertex_faces: Vec<Vec<u32>>,
    /// Faces across the edges of each face.
    face_faces: Vec<Vec<u32>>,
    vertex_edges: Vec<Vec<u32>>,
    /// The edges of a body whose core has others.
    rims: Vec<EdgeShape>,
    /// Whether a part of it is a spline.
    splines: bool,
    spine: Spine,
}

/// What the core is, where the radius is not 0.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spine {
    /// The body itself.
    Body,
    /// The centre of a ball: vertex 0 of the core.
    Center,
    /// The segment between the centres of a capsule's caps: vertices 0 and 1 of the core and edge 0. Which faces and
    /// rims of the body stand for it: the side, the cap at each end, the rim at each end.
    Axis { side: u32, caps: [u32; 2], rims: [u32; 2] },
}

/// The surface of a face, anchored.
#[derive(Clone, Debug)]
enum Sheet {
    /// `origin + u x + v y`.
    Plane { origin: DVec3, x: DVec3, y: DVec3 },
    /// `center + axes · w` for unit vectors w.
    Ball { center: DVec3, axes: DMat3, inverse: DMat3 },
    /// `origin + (radius + slope v)(x cos u + y sin u) + v z`.
    Tube { origin: DVec3, axes: DMat3, radius: f64, slope: f64 },
    /// Anything else, by its own parameters.
    Other(Surface),
}

/// Which parameters belong to a face.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trim {
    /// All of them.
    Whole,
    /// Those with v in a range.
    Band(Range),
    /// The points of a plane within an ellipse.
    Disc { center: DVec3, x: DVec3, y: DVec3 },
    /// What the face's region says.
    Region,
}

#[derive(Clone, Debug)]
struct FaceShape {
    sheet: Sheet,
    trim: Trim,
    region: Option<crate::tiled::Region>,
    side: f64,
}

/// The curve of an edge, anchored.
#[derive(Clone, Debug)]
enum Strand {
    /// `origin + t along`.
    Line { origin: DVec3, along: DVec3 },
    /// `center + x cos t + y sin t`.
    Round { center: DVec3, x: DVec3, y: DVec3 },
    /// Anything else.
    Other(Curve),
}

#[derive(Clone, Debug)]
struct EdgeShape {
    strand: Strand,
    range: Range,
    /// Whether every parameter belongs to it.
    whole: bool,
}

impl ConvexShape {
    /// The body-frame point that anchored coordinates count from.
    #[inline]
    pub const fn anchor(&self) -> DVec3 {
        self.anchor
    }

    /// How far the body reaches beyond its core.
    #[inline]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// At least the largest distance of a point of the core from the anchor.
    #[inline]
    pub const fn reach(&self) -> f64 {
        self.reach
    }

    /// The middle of the core's box, anchored.
    #[inline]
    pub const fn middle(&self) -> DVec3 {
        self.middle
    }

    /// Numbers of vertices and edges of the core and of faces of the body.
    pub const fn counts(&self) -> [usize; 3] {
        [self.vertices.len(), self.edges.len(), self.faces.len()]
    }

    /// The core's features that hold all of `features` in their closure, in ascending order: at most `out.len()`.
    pub fn common_features(&self, features: &[Feature], out: &mut [Feature]) -> usize {
        let mut count = 0;
        let mut offer = |feature: Feature| {
            if count < out.len() && !out[..count].contains(&feature) {
                out[count] = feature;
                count += 1;
            }
        };
        let Some(&first) = features.first() else { return 0 };
        let around = |feature: Feature| features.iter().all(|&inner| self.is_within(inner, feature));
        match first {
            Feature::Vertex(vertex) => {
                if around(first) {
                    offer(first);
                }
                for &edge in self.vertex_edges.get(vertex.index()).into_iter().flatten() {
                    let edge = Feature::Edge(crate::EdgeId(edge));
                    if around(edge) {
                        offer(edge);
                    }
                }
                for &face in self.vertex_faces.get(vertex.index()).into_iter().flatten() {
                    let face = Feature::Face(crate::FaceId(face));
                    if around(face) {
                        offer(face);
                    }
                }
            }
            Feature::Edge(edge) => {
                if around(first) {
                    offer(first);
                }
                for &face in self.edge_faces.get(edge.index()).into_iter().flatten() {
                    let face = Feature::Face(crate::FaceId(face));
                    if around(face) {
                        offer(face);
                    }
                }
            }
            Feature::Face(_) => {
                if around(first) {
                    offer(first);
                }
            }
        }
        count
    }

    /// Whether `inner` is `outer` or on its boundary.
    fn is_within(&self, inner: Feature, outer: Feature) -> bool {
        match (inner, outer) {
            _ if inner == outer => true,
            (Feature::Vertex(v), Feature::Edge(e)) => {
                self.vertex_edges.get(v.index()).is_some_and(|edges| edges.contains(&e.0))
            }
            (Feature::Vertex(v), Feature::Face(f)) => {
                self.vertex_faces.get(v.index()).is_some_and(|faces| faces.contains(&f.0))
            }
            (Feature::Edge(e), Feature::Face(f)) => {
                self.edge_faces.get(e.index()).is_some_and(|faces| faces.contains(&f.0))
            }
            _ => false,
        }
    }

    /// The faces across the edges of a face of the core on which [`ConvexShape::near`] has a formula.
    pub fn faces_across(&self, face: crate::FaceId) -> impl Iterator<Item = Feature> + '_ {
        let easy = |face: &&u32| !matches!(self.faces[**face as usize].sheet, Sheet::Other(_));
        let faces = self.face_faces.get(face.index()).into_iter().flatten();
        faces.filter(easy).map(|&face| Feature::Face(crate::FaceId(face)))
    }
}

/// The parameters of a surface within a box around those of a face. Where the face goes on past the seam of a closed surface they are
/// all of them: its own are then those of another turn.
fn own_part(bounds: Rect, domain: Rect, periods: [Option<f64>; 2]) -> Rect {
    let part = |bounds: Range, domain: Range, period: Option<f64>| match period {
        Some(_) if !domain.encloses(bounds) => domain,
        _ => bounds.intersection(domain).unwrap_or(domain),
    };
    Rect::new(part(bounds.u, domain.u, periods[0]), part(bounds.v, domain.v, periods[1]))
}
