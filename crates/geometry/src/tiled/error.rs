//! Why a tiled body could not be made, or is not what was asked for; every variant names the offender.

use crate::curve::{ConvertError, NurbsError};
use crate::{EdgeId, FaceId, ShapeError, VertexId};
use thiserror::Error;

/// A tiled body that could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TiledError {
    /// No face at all.
    #[error("no faces given")]
    Empty,
    /// A number of a face, edge or vertex is NaN or infinite.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// `vertex`, `edge` or `face`.
        what: &'static str,
        /// Its number in the input.
        index: usize,
    },
    /// A loop names an edge that does not exist.
    #[error("face {} names edge {}, which does not exist", face.0, edge.0)]
    NoSuchEdge {
        /// The face.
        face: FaceId,
        /// The number it names.
        edge: EdgeId,
    },
    /// An edge or loop names a vertex that does not exist.
    #[error("vertex {} is named but does not exist", vertex.0)]
    NoSuchVertex {
        /// The number.
        vertex: VertexId,
    },
    /// An edge does not end in its vertex.
    #[error("edge {} ends {gap:e} away from vertex {}", edge.0, vertex.0)]
    VertexOffEdge {
        /// The edge.
        edge: EdgeId,
        /// The vertex.
        vertex: VertexId,
        /// The distance; a length.
        gap: f64,
    },
    /// An edge leaves the surface of its face.
    #[error("edge {} leaves the surface of face {} by {by:e}", edge.0, face.0)]
    EdgeOffSurface {
        /// The face.
        face: FaceId,
        /// The edge.
        edge: EdgeId,
        /// The largest distance found; a length.
        by: f64,
    },
    /// The end of an edge is not where the next of its loop begins.
    #[error("loop {at} of face {} has a gap of {gap:e} after edge {}", face.0, edge.0)]
    LoopGap {
        /// The face.
        face: FaceId,
        /// Number of the loop within the face.
        at: usize,
        /// The edge before the gap.
        edge: EdgeId,
        /// Width of the gap; a length.
        gap: f64,
    },
    /// The loops of a face leave it without an end: no loop where one is needed, or one that runs around a surface
    /// with neither another loop nor a pole on its far side.
    #[error("the loops of face {} do not bound it", face.0)]
    Unbounded {
        /// The face.
        face: FaceId,
    },
    /// The loops of a face run the wrong way around.
    #[error("the loops of face {} run with the face on the wrong side", face.0)]
    LoopTurned {
        /// The face.
        face: FaceId,
    },
    /// An edge with more than two faces.
    #[error("edge {} has {faces} faces", edge.0)]
    NotManifold {
        /// The edge.
        edge: EdgeId,
        /// How many times faces use it.
        faces: usize,
    },
    /// An edge that no face uses.
    #[error("edge {} has no face", edge.0)]
    UnusedEdge {
        /// The edge.
        edge: EdgeId,
    },
    /// No choice of sides makes the faces agree.
    #[error("faces {} and {} cannot agree on a side across edge {}", faces[0].0, faces[1].0, edge.0)]
    InconsistentOrientation {
        /// The edge.
        edge: EdgeId,
        /// Its faces.
        faces: [FaceId; 2],
    },
    /// An edge with only one face, where a closed body was asked for.
    #[error("edge {} is open; the nearest other open edge is {gap:e} away", edge.0)]
    OpenEdge {
        /// The edge.
        edge: EdgeId,
        /// Distance to the nearest other open edge, infinite where there is none; a length.
        gap: f64,
    },
    /// The segments of a profile do not join, or disagree with their ends.
    #[error("segment {segment} of the profile is off by {by:e}")]
    InconsistentProfile {
        /// Number of the segment.
        segment: usize,
        /// How far its end or its formula is off; a length.
        by: f64,
    },
    /// A profile crosses the axis.
    #[error("segment {segment} of the profile crosses the axis")]
    CrossesAxis {
        /// Number of the segment.
        segment: usize,
    },
    /// A profile that comes to the axis and leaves it again.
    #[error("segment {segment} of the profile runs along the axis between others")]
    AlongAxis {
        /// Number of the segment.
        segment: usize,
    },
    /// The curve of a planar body does not begin where the one before it ends.
    #[error("curve {curve} begins {gap:e} away from the end of the one before")]
    OutlineGap {
        /// Number of the curve.
        curve: usize,
        /// Width of the gap; a length.
        gap: f64,
    },
    /// A face without an extent.
    #[error("face {} is no larger than a point", face.0)]
    NoExtent {
        /// The face.
        face: FaceId,
    },
    /// A planar body or a profile without an area.
    #[error("the outline encloses no area")]
    Flat,
    /// Velocities that do not match the control points.
    #[error("{found} velocities are given for {expected} control points")]
    VelocityCount {
        /// Number of control points.
        expected: usize,
        /// Number of velocities.
        found: usize,
    },
    /// A size of a primitive.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A spline.
    #[error(transparent)]
    Nurbs(#[from] NurbsError),
    /// A conversion.
    #[error(transparent)]
    Convert(#[from] ConvertError),
}

impl TiledError {
    /// The same error about the faces that these stand for.
    pub(crate) fn with_faces(mut self, of: impl Fn(FaceId) -> FaceId) -> Self {
        match &mut self {
            Self::NoSuchEdge { face, .. }
            | Self::EdgeOffSurface { face, .. }
            | Self::LoopGap { face, .. }
            | Self::Unbounded { face }
            | Self::LoopTurned { face }
            | Self::NoExtent { face } => *face = of(*face),
            Self::InconsistentOrientation { faces, .. } => *faces = faces.map(of),
            Self::NotFinite { what: "face", index } => *index = of(FaceId(*index as u32)).index(),
            _ => {}
        }
        self
    }
}
