//! Names of the features of a body's boundary.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into per-feature tables.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A vertex of one body.
    VertexId
);
id!(
    /// An edge of one body.
    EdgeId
);
id!(
    /// A face of one body.
    FaceId
);

/// A vertex, edge or face of one body's boundary.
///
/// ```
/// use clearance_geometry::{EdgeId, Feature};
/// assert_eq!(Feature::Edge(EdgeId(11)).to_string(), "edge:11");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner.
    Vertex(VertexId),
    /// An open segment between two vertices.
    Edge(EdgeId),
    /// An open polygon between edges.
    Face(FaceId),
}

impl Feature {
    /// 0 for a vertex, 1 for an edge, 2 for a face.
    pub const fn dimension(self) -> usize {
        match self {
            Self::Vertex(_) => 0,
            Self::Edge(_) => 1,
            Self::Face(_) => 2,
        }
    }

    /// The number within its dimension.
    pub const fn number(self) -> u32 {
        match self {
            Self::Vertex(VertexId(n)) | Self::Edge(EdgeId(n)) | Self::Face(FaceId(n)) => n,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = ["vertex", "edge", "face"][self.dimension()];
        write!(f, "{word}:{}", self.number())
    }
}
