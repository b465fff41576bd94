//! What a witness is on: the name of its feature and its parameters, as the format has them.
//!
//! Source: the strata of a body: a point belongs to the least feature whose closure contains it.
//! Differs: a search names any feature with the point in its closure, so vertices are looked for first, then edges, within
//! rounding and the gaps of the edges.
//! Ends because: loops run over the boundary of one feature.
//! Cost: proportional to that boundary; a projection for each of its edges where the point is on the rim of a face.
//! Not promised: which of several vertices or edges that are as near.

use clearance_geometry::curve::Curve;
use clearance_geometry::surface::{ParametricSurface as _, Surface};
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec2, Feature, LeafShape, Polytope};
use clearance_proximity::{Parameters, Witness};
use std::fmt;

/// A feature of a body, or of a part of a union.
///
/// ```
/// use clearance_formats::PartFeature;
/// use clearance_geometry::{FaceId, Feature};
/// let feature = PartFeature { path: vec![2, 0], feature: Feature::Face(FaceId(3)) };
/// assert_eq!(feature.to_string(), "2/0/face:3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartFeature {
    /// The number of the part in each union from the outermost inward; empty for a body that is no union.
    pub path: Vec<u32>,
    /// The feature, in the numbering of the input.
    pub feature: Feature,
}

impl From<Feature> for PartFeature {
    fn from(feature: Feature) -> Self {
        Self { path: Vec::new(), feature }
    }
}

impl fmt::Display for PartFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.path {
            write!(f, "{part}/")?;
        }
        self.feature.fmt(f)
    }
}

/// A body without parts.
enum Single<'a> {
    Polytope(&'a Polytope),
    Tiled(&'a TiledBody),
    Other,
}

/// The path of a part, and the part.
fn part(body: &Body, leaf: u32) -> (Vec<u32>, Single<'_>) {
    let single = match body.whole() {
        Body::Polytope(polytope) => Single::Polytope(polytope),
        Body::Tiled(tiled) => Single::Tiled(tiled),
        Body::Deforming(deforming) => Single::Tiled(deforming.shape()),
        Body::Union(parts) => {
            let Some(leaf) = parts.leaves().get(leaf as usize) else {
                return (Vec::new(), Single::Other);
            };
            let single = match &leaf.shape {
                LeafShape::Polytope(polytope) => Single::Polytope(polytope),
                LeafShape::Tiled(tiled) => Single::Tiled(tiled),
            };
            return (leaf.path.clone(), single);
        }
        Body::HalfSpace(_) | Body::Algebraic(_) | Body::Boundary(_) => Single::Other,
    };
    (Vec::new(), single)
}

/// The witness on the least feature of a curved body that its point belongs to; a search names any whose closure contains
/// it. Points are one that are `near`.
pub(crate) fn lowest(body: &Body, witness: &Witness, near: f64) -> Witness {
    let (_, Single::Tiled(tiled)) = part(body, witness.leaf) else { return *witness };
    let (point, on_boundary) = match (witness.feature, witness.parameters) {
        (Feature::Face(id), Parameters::Surface(at)) => {
            let face = tiled.face(id);
            (face.point(at), face.side(at) == Side::Boundary)
        }
        (Feature::Edge(id), Parameters::Curve(t)) => (tiled.edge(id).point(t), false),
        _ => return *witness,
    };
    let below = tiled.boundary(witness.feature);
    let gap = |feature: &Feature| if let Feature::Edge(id) = feature { tiled.edge(*id).gap } else { 0.0 };
    let near = near + below.iter().map(gap).fold(gap(&witness.feature), f64::max);
    let ends = below.iter().flat_map(|feature| match feature {
        Feature::Edge(_) => tiled.boundary(*feature),
        _ => vec![*feature],
    });
    let at_end = |feature: &Feature| match feature {
        Feature::Vertex(id) => tiled.vertex(*id).distance(point) <= near,
        _ => false,
    };
    if let Some(feature) = ends.into_iter().find(at_end) {
        return Witness { feature, parameters: Parameters::None, ..*witness };
    }
    if !on_boundary {
        return *witness;
    }
    let along = |feature: &Feature| {
        let Feature::Edge(id) = feature else { return None };
        let edge = tiled.edge(*id);
        let found = edge.curve.place_of(point, edge.range, near)?;
        Some((*feature, Parameters::Curve(found.parameters)))
    };
    match below.iter().find_map(along) {
        Some((feature, parameters)) => Witness { feature, parameters, ..*witness },
        None => *witness,
    }
}

/// The feature that a witness is on, in the numbering of the input.
pub(crate) fn feature(body: &Body, witness: &Witness) -> PartFeature {
    named(body, witness.leaf, witness.feature)
}

/// A feature of a part of a body, in the numbering of the input.
pub(crate) fn named(body: &Body, leaf: u32, feature: Feature) -> PartFeature {
    let (path, single) = part(body, leaf);
    let feature = match single {
        Single::Polytope(polytope) => polytope.label(feature),
        Single::Tiled(_) | Single::Other => feature,
    };
    PartFeature { path, feature }
}

/// Where on its feature a witness is: nothing on a vertex, `None` on flat faces and straight edges.
pub(crate) fn parameters(body: &Body, witness: &Witness) -> Option<Vec<f64>> {
    let (_, single) = part(body, witness.leaf);
    match (witness.feature, single) {
        (Feature::Vertex(_), _) => Some(Vec::new()),
        (Feature::Edge(edge), Single::Tiled(tiled)) => {
            let Parameters::Curve(t) = witness.parameters else { return None };
            curve_parameter(&tiled.edge(edge).curve, t)
        }
        (Feature::Face(face), Single::Tiled(tiled)) => {
            let Parameters::Surface(at) = witness.parameters else { return None };
            on_surface(&tiled.face(face).surface, at, tiled.tolerance())
        }
        _ => None,
    }
}

/// The parameter of a curve; none of a straight line.
pub(crate) fn curve_parameter(curve: &Curve, t: f64) -> Option<Vec<f64>> {
    (!matches!(curve, Curve::Line(_))).then(|| vec![along(curve, t)])
}

/// Angles in degrees, heights and splines as they are. An angle about a pole nearer than `tolerance` is 0.
fn on_surface(surface: &Surface, at: DVec2, tolerance: f64) -> Option<Vec<f64>> {
    let angle = || {
        let from_axis = surface.jet(at.x, at.y).u.length();
        if from_axis <= tolerance { 0.0 } else { degrees(at.x) }
    };
    Some(match surface {
        Surface::Plane(_) => return None,
        Surface::Sphere(_) | Surface::Ellipsoid(_) => vec![angle(), at.y.to_degrees()],
        Surface::Cylinder(_) | Surface::Cone(_) | Surface::Paraboloid(_) => vec![angle(), at.y],
        Surface::Torus(_) => vec![angle(), degrees(at.y)],
        Surface::Revolution(revolution) => vec![angle(), along(revolution.curve(), at.y)],
        Surface::Extrusion(extrusion) => vec![along(extrusion.curve(), at.x), at.y],
        Surface::Nurbs(_) => at.to_array().to_vec(),
    })
}

/// The parameter of a curve; of a circle or ellipse an angle in degrees.
fn along(curve: &Curve, t: f64) -> f64 {
    match curve {
        Curve::Circle(_) | Curve::Ellipse(_) => degrees(t),
        _ => t,
    }
}

/// An angle in degrees, at least 0 and below 360.
fn degrees(radians: f64) -> f64 {
    let turned = radians.to_degrees().rem_euclid(360.0);
    // What is below zero by less than a rounding comes out as a whole turn.
    if turned < 360.0 { turned } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_stay_below_a_turn() {
        for (radians, expected) in
            [(0.0, 0.0), (-1e-300, 0.0), (std::f64::consts::PI, 180.0), (-std::f64::consts::FRAC_PI_2, 270.0)]
        {
            assert!((degrees(radians) - expected).abs() < 1e-12, "{radians}");
        }
        assert!(degrees(std::f64::consts::TAU) < 360.0);
    }
}
