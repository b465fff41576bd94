//! One feature alone: a patch of a surface, a piece of a curve, a point; with its parameters, bounds and derivatives.

use clearance_geometry::curve::{Curve, ParametricCurve, Range, Rect};
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{DVec3, Feature, Pose};

/// A surface patch, a piece of a curve or a point, as the published methods see a feature: a map from 2, 1 or 0 bounded
/// parameters to space.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, curve::{Range, Rect}, surface::Plane};
/// use clearance_proximity::published::Carrier;
/// let unit = Range::new(0.0, 1.0);
/// let square = Carrier::Patch { surface: Plane::new(Pose::IDENTITY).into(), rect: Rect::new(unit, unit) };
/// assert_eq!(square.dimension(), 2);
/// assert_eq!(square.jet([0.5, 0.25]).point, DVec3::new(0.5, 0.25, 0.0));
/// ```
#[derive(Clone, Debug)]
pub enum Carrier {
    /// A patch of a surface over a rectangle of its parameters.
    Patch {
        /// The surface.
        surface: Surface,
        /// The parameters that belong to it.
        rect: Rect,
    },
    /// A piece of a curve.
    Arc {
        /// The curve.
        curve: Curve,
        /// The parameters that belong to it.
        range: Range,
    },
    /// A point.
    Point(DVec3),
}

/// A point with its derivatives by up to two parameters; those that do not exist are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CarrierJet {
    /// The point.
    pub point: DVec3,
    /// By the first and the second parameter.
    pub first: [DVec3; 2],
    /// Twice by the first, by both, twice by the second.
    pub second: [DVec3; 3],
}

impl CarrierJet {
    /// The jet seen from another frame.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self {
            point: pose.apply(self.point),
            first: self.first.map(|v| pose.rotate(v)),
            second: self.second.map(|v| pose.rotate(v)),
        }
    }
}

impl Carrier {
    /// A feature of a tiled body; of a face the rectangle around its region.
    pub fn of(body: &TiledBody, feature: Feature) -> Self {
        match feature {
            Feature::Face(face) => {
                let face = body.face(face);
                Self::Patch { surface: face.surface.clone(), rect: face.region.bounds() }
            }
            Feature::Edge(edge) => {
                let edge = body.edge(edge);
                Self::Arc { curve: edge.curve.clone(), range: edge.range }
            }
            Feature::Vertex(vertex) => Self::Point(body.vertex(vertex)),
        }
    }

    /// Number of parameters.
    pub const fn dimension(&self) -> usize {
        match self {
            Self::Patch { .. } => 2,
            Self::Arc { .. } => 1,
            Self::Point(_) => 0,
        }
    }

    /// Point and derivatives; outside the bounds the surface or curve is continued.
    pub fn jet(&self, at: [f64; 2]) -> CarrierJet {
        match self {
            Self::Patch { surface, .. } => {
                let jet = surface.jet(at[0], at[1]);
                CarrierJet { point: jet.point, first: [jet.u, jet.v], second: [jet.uu, jet.uv, jet.vv] }
            }
            Self::Arc { curve, .. } => {
                let jet = curve.jet(at[0]);
                CarrierJet {
                    point: jet.point,
                    first: [jet.first, DVec3::ZERO],
                    second: [jet.second, DVec3::ZERO, DVec3::ZERO],
                }
            }
            Self::Point(point) => CarrierJet { point: *point, ..CarrierJet::default() },
        }
    }

    /// The bounds of a parameter; all of the line where the feature returns to its start.
    pub fn bounds(&self, parameter: usize) -> Range {
        let (range, period) = match self {
            Self::Patch { surface, rect } => {
                let range = if parameter == 0 { rect.u } else { rect.v };
                (range, surface.periods()[parameter.min(1)])
            }
            Self::Arc { curve, range } => (*range, curve.period()),
            Self::Point(_) => return Range::new(0.0, 0.0),
        };
        // All the way round but for rounding: no bound at all.
        match period {
            Some(period) if range.width() >= period * (1.0 - crate::tolerance::CLOSED_REL) => {
                Range::UNBOUNDED
            }
            _ => range,
        }
    }

    /// The range that a parameter is taken from where a start is wanted; bounded, unless the surface is not.
    pub fn home(&self, parameter: usize) -> Range {
        match self {
            Self::Patch { rect, .. } => {
                if parameter == 0 {
                    rect.u
                } else {
                    rect.v
                }
            }
            Self::Arc { range, .. } => *range,
            Self::Point(_) => Range::new(0.0, 0.0),
        }
    }

    /// The parameters of the point of the feature nearest to `target`.
    pub fn nearest_to(&self, target: DVec3) -> [f64; 2] {
        match self {
            Self::Patch { surface, rect } => surface.locate(target, *rect, None).parameters.to_array(),
            Self::Arc { curve, range } => [curve.locate(target, *range, None).parameters, 0.0],
            Self::Point(_) => [0.0; 2],
        }
    }
}
