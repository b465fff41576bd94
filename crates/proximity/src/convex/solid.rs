//! A convex body as the kernels of this folder see it: farthest points, features and their local coordinates.
//!
//! Source: the nearest points of convex bodies lie on features that are perpendicular to the direction between them and hold
//! the farthest points along it (001 §IV, 003 §3).
//! Differs: the direction is known only within an angle. Features that must be perpendicular come first, then those that
//! may be, and across smooth edges the neighbours of what was found.
//! Ends because: loops run over the features around at most four farthest points.
//! Cost: a farthest point is that of its body; candidates take a pass over the features around it.
//! Not promised: that the true feature is first, or among the candidates where the angle is too small.
//!
//! Coordinates are anchored, as those of the polytope kernels.

use crate::Parameters;
use crate::tolerance;
use clearance_geometry::convex::{ConvexShape, Farthest, LocalJet};
use clearance_geometry::{Body, DVec3, Feature, Polytope, VertexId};

/// Points that stand for the rim of a round flat face.
const FLAT_SAMPLES: usize = 24;

/// A feature that leans by less than this part of what the direction may be off is likely to be perpendicular to it.
const LIKELY: f64 = 0.25;

/// One that leans by less than this many times as much may be: its own lean is taken at a point that may be off too.
const MAYBE: f64 = 3.0;

/// A convex body with a farthest point in every direction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Solid<'a> {
    /// Flat features.
    Polytope(&'a Polytope),
    /// Curved features.
    Round(&'a ConvexShape),
}

/// Features that may hold a witness, with a state on each: the likeliest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates {
    entries: [(Feature, DVec3); Self::MOST],
    len: usize,
}

impl Candidates {
    const MOST: usize = 4;

    fn new() -> Self {
        Self { entries: [(Feature::Vertex(VertexId(0)), DVec3::ZERO); Self::MOST], len: 0 }
    }

    fn push(&mut self, feature: Feature, at: DVec3) {
        let known = self.entries[..self.len].iter().any(|(known, _)| *known == feature);
        if !known && self.len < Self::MOST {
            self.entries[self.len] = (feature, at);
            self.len += 1;
        }
    }

    pub(crate) fn list(&self) -> &[(Feature, DVec3)] {
        &self.entries[..self.len]
    }
}

impl<'a> Solid<'a> {
    /// `None` for what is not convex, not bounded, or has no support function.
    pub(crate) fn of(body: &'a Body) -> Option<Self> {
        match body {
            Body::Polytope(polytope) => Some(Self::Polytope(polytope)),
            Body::Tiled(tiled) => tiled.convex_shape().map(Self::Round),
            _ => None,
        }
    }

    /// Whether the core has a feature of this number.
    #[inline]
    pub(crate) fn has(&self, feature: Feature) -> bool {
        let counts = match self {
            Self::Polytope(body) => [body.vertex_count(), body.edge_count(), body.face_count()],
            Self::Round(shape) if shape.is_own_core() => shape.counts(),
            // The faces are those of the body around the core.
            Self::Round(shape) => [shape.counts()[0], shape.counts()[1], 0],
        };
        (feature.number() as usize) < counts[feature.dimension()]
    }

    #[inline]
    pub(crate) fn anchor(&self) -> DVec3 {
        match self {
            Self::Polytope(polytope) => polytope.anchor(),
            Self::Round(shape) => shape.anchor(),
        }
    }

    /// How far the body reaches beyond its core.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Polytope(_) => 0.0,
            Self::Round(shape) => shape.radius(),
        }
    }

    /// At least the largest distance of a point of the core from the anchor.
    #[inline]
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Polytope(polytope) => polytope.reach(),
            Self::Round(shape) => shape.reach(),
        }
    }

    /// A point well inside.
    #[inline]
    pub(crate) fn center(&self) -> DVec3 {
        match self {
            Self::Polytope(polytope) => polytope.center(),
            Self::Round(shape) => shape.middle(),
        }
    }

    /// The point of the core farthest along a unit vector.
    #[inline]
    pub(crate) fn farthest(&self, n: DVec3) -> Farthest {
        match self {
            Self::Polytope(polytope) => {
                let vertex = polytope.support_far(n, 1.0);
                Farthest { point: polytope.vertex(vertex), feature: Feature::Vertex(vertex), at: DVec3::ZERO }
            }
            Self::Round(shape) => shape.farthest(n),
        }
    }

    /// A height that no point of the core exceeds along `n`, rounding included.
    pub(crate) fn height_above(&self, n: DVec3) -> f64 {
        match self {
            Self::Polytope(polytope) => {
                let highest = polytope.vertices().iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
                let size = polytope.reach() + polytope.anchor().length();
                highest + tolerance::SUPPORT_ROUNDING_REL * size * n.length()
            }
            Self::Round(shape) => shape.height_above(n),
        }
    }

    /// As [`Solid::height_above`], where a point is known that is likely to be the farthest: its feature, its state, the point.
    #[inline]
    pub(crate) fn height_above_known(
        &self,
        n: DVec3,
        (feature, at): (Feature, DVec3),
        point: impl FnOnce() -> DVec3,
    ) -> f64 {
        match self {
            Self::Round(shape) if shape.has_splines() => shape.height_above_known(n, (feature, at, point())),
            _ => self.height_above(n),
        }
    }

    #[inline]
    pub(crate) fn jet(&self, feature: Feature, at: DVec3) -> LocalJet {
        match (self, feature) {
            (Self::Round(shape), _) => shape.jet(feature, at),
            (Self::Polytope(body), Feature::Vertex(v)) => {
                LocalJet { point: body.vertex(v), ..LocalJet::default() }
            }
            (Self::Polytope(body), Feature::Edge(e)) => {
                let edge = body.edge(e);
                LocalJet {
                    count: 1,
                    point: body.vertex(edge.vertices[0]) + edge.vector * at.x,
                    first: [edge.vector, DVec3::ZERO],
                    ..LocalJet::default()
                }
            }
            (Self::Polytope(body), Feature::Face(f)) => {
                let (x, y) = body.plane(f).normal.any_orthonormal_pair();
                let origin = body.vertex(body.sides(f)[0].vertex);
                LocalJet {
                    count: 2,
                    point: origin + x * at.x + y * at.y,
                    first: [x, y],
                    ..LocalJet::default()
                }
            }
        }
    }

    /// The point at a state.
    #[inline]
    pub(crate) fn point(&self, feature: Feature, at: DVec3) -> DVec3 {
        match self {
            Self::Round(shape) => shape.point(feature, at),
            Self::Polytope(_) => self.jet(feature, at).point,
        }
    }

    #[inline]
    pub(crate) fn stepped(&self, feature: Feature, at: DVec3, by: [f64; 2]) -> DVec3 {
        match self {
            Self::Round(shape) => shape.stepped(feature, at, by),
            Self::Polytope(_) => at + DVec3::new(by[0], by[1], 0.0),
        }
    }

    /// The state that follows two others at the same pace.
    #[inline]
    pub(crate) fn ahead(&self, feature: Feature, before: DVec3, now: DVec3) -> DVec3 {
        match self {
            Self::Round(shape) => shape.ahead(feature, before, now),
            Self::Polytope(_) => 2.0 * now - before,
        }
    }

    /// A state whose point is near `point` and whose normal is near `n`.
    pub(crate) fn near(&self, feature: Feature, point: DVec3, n: DVec3) -> DVec3 {
        match (self, feature) {
            (Self::Round(shape), _) => shape.located(feature, point, n),
            (Self::Polytope(_), Feature::Vertex(_)) => DVec3::ZERO,
            (Self::Polytope(body), Feature::Edge(e)) => {
                let edge = body.edge(e);
                let off = point - body.vertex(edge.vertices[0]);
                DVec3::X * (off.dot(edge.vector) / edge.vector.length_squared())
            }
            (Self::Polytope(body), Feature::Face(f)) => {
                let (x, y) = body.plane(f).normal.any_orthonormal_pair();
                let off = point - body.vertex(body.sides(f)[0].vertex);
                DVec3::new(off.dot(x), off.dot(y), 0.0)
            }
        }
    }

    /// Whether a state belongs to its feature, within `slack` on flat ones.
    pub(crate) fn holds(&self, feature: Feature, at: DVec3, slack: f64) -> bool {
        match (self, feature) {
            (Self::Round(shape), _) => shape.holds(feature, at),
            (Self::Polytope(_), Feature::Vertex(_)) => true,
            (Self::Polytope(body), Feature::Edge(e)) => {
                let slack = slack / body.edge(e).vector.length();
                at.x >= -slack && at.x <= 1.0 + slack
            }
            (Self::Polytope(body), Feature::Face(f)) => {
                let point = self.jet(feature, at).point;
                body.sides(f).iter().all(|side| side.inward.dot(point) >= side.offset - slack)
            }
        }
    }

    /// How far a feature leans from being perpendicular to `n`: the largest sine; infinite for a face that looks
    /// away.
    fn lean(&self, feature: Feature, at: DVec3, jet: &LocalJet, n: DVec3) -> f64 {
        if let Feature::Face(face) = feature {
            let outward = match self {
                Self::Polytope(body) => Some(body.plane(face).normal),
                Self::Round(shape) => shape.outward(face, at, jet),
            };
            return match outward {
                Some(outward) if outward.dot(n) > 0.0 => (n - outward * n.dot(outward)).length(),
                _ => f64::INFINITY,
            };
        }
        let lean = |d: DVec3| {
            let length = d.length();
            if length > 0.0 { n.dot(d).abs() / length } else { 0.0 }
        };
        jet.first[..jet.count].iter().map(|d| lean(*d)).fold(0.0, f64::max)
    }

    /// The features that may hold the witness near `point`, where `found` are farthest points along directions
    /// within the angle `off` of `n`: those that hold all of them and may be perpendicular to the true direction;
    /// the largest first.
    pub(crate) fn candidates(&self, found: &[Farthest], n: DVec3, off: f64, point: DVec3) -> Candidates {
        let mut list = Candidates::new();
        let mut features = [Feature::Vertex(VertexId(0)); 4];
        let mut count = 0;
        for far in found.iter().take(4) {
            if !features[..count].contains(&far.feature) {
                features[count] = far.feature;
                count += 1;
            }
        }
        let features = &features[..count];
        let mut common = [Feature::Vertex(VertexId(0)); 12];
        let common_count = match self {
            Self::Round(shape) => shape.common_features(features, &mut common),
            Self::Polytope(body) => common_of_polytope(body, features, n, off, &mut common),
        };
        let mut placed = [(DVec3::ZERO, 0.0); 12];
        for (place, &feature) in placed.iter_mut().zip(&common[..common_count]) {
            *place = self.placed(feature, found, n, off, point);
        }
        // Certainly perpendicular first, the largest of them before the rest; then what was found; then what may be.
        for (most, own) in [(LIKELY * off, false), (0.0, true), (MAYBE * off, false)] {
            for dimension in [2, 1, 0] {
                let all = common[..common_count].iter().zip(placed);
                for (&feature, (at, lean)) in all.filter(|(feature, _)| feature.dimension() == dimension) {
                    let is_own = own && count == 1 && feature == features[0];
                    if is_own || (!own && lean <= most) {
                        list.push(feature, at);
                    }
                }
            }
        }
        if let Self::Round(shape) = self {
            // Across an edge that is smooth or nearly so, the farthest points of a curved face are next to a flat
            // one.
            for far in found {
                let Feature::Face(face) = far.feature else { continue };
                for feature in shape.faces_across(face) {
                    let at = self.near(feature, far.point, n);
                    if self.lean(feature, at, &self.jet(feature, at), n) <= off {
                        list.push(feature, at);
                    }
                }
            }
        }
        for far in found {
            list.push(far.feature, far.at);
        }
        list
    }

    /// A state of a feature near `point`, and how far the feature leans from being perpendicular to `n` there.
    fn placed(&self, feature: Feature, found: &[Farthest], n: DVec3, off: f64, point: DVec3) -> (DVec3, f64) {
        let lean = |at: DVec3| self.lean(feature, at, &self.jet(feature, at), n);
        let own = found.iter().find(|far| far.feature == feature);
        let at = match own {
            Some(far) if !self.is_pole(feature, far.at) => far.at,
            _ => self.near(feature, point, n),
        };
        let mut best = (at, lean(at));
        if let (Self::Round(shape), Feature::Face(face)) = (self, feature)
            && shape.has_splines()
            && !(best.1 <= LIKELY * off)
        {
            // Next to the apex of a cone all rulings are near the point: the farthest points at their other ends tell which.
            let is_new = |k: usize| !found[..k].iter().any(|far| far.feature == found[k].feature);
            let others = (0..found.len()).filter(|&k| found[k].feature != feature && is_new(k));
            for far in others.map(|k| &found[k]) {
                let Some(from) = shape.located_on(face, far.point, None) else { continue };
                if self.is_pole(feature, from) {
                    continue;
                }
                let Some(at) = shape.located_on(face, point, Some(from)) else { continue };
                let lean = lean(at);
                if lean < best.1 {
                    best = (at, lean);
                }
            }
        }
        best
    }

    /// Whether a state is one that a parameter does not move: at the apex of a cone that is a spline, which is its farthest point
    /// along many directions, the state says nothing of where a witness is.
    fn is_pole(&self, feature: Feature, at: DVec3) -> bool {
        let Self::Round(shape) = self else { return false };
        let Feature::Face(_) = feature else { return false };
        if !shape.has_splines() {
            return false;
        }
        let [u, v] = shape.jet(feature, at).first.map(|d| d.length_squared());
        u.min(v) <= tolerance::LEAN_REL * tolerance::LEAN_REL * u.max(v)
    }

    /// The largest feature perpendicular to `n` that has a point nearest to `point`, no farther than `slack`.
    pub(crate) fn feature_under(&self, point: DVec3, n: DVec3, slack: f64) -> Option<(Feature, DVec3)> {
        self.feature_among(&[self.farthest(n)], point, n, slack)
    }

    /// The same among the features that some farthest points have in common.
    pub(crate) fn feature_among(
        &self,
        found: &[Farthest],
        point: DVec3,
        n: DVec3,
        slack: f64,
    ) -> Option<(Feature, DVec3)> {
        let list = self.candidates(found, n, tolerance::LEAN_REL, point);
        let on = |&(feature, _): &(Feature, DVec3)| {
            let at = self.near(feature, point, n);
            let close = self.jet(feature, at).point.distance(point) <= slack;
            let rounding = tolerance::SUPPORT_TIE_REL * self.reach();
            (close && self.holds(feature, at, rounding)).then_some((feature, at))
        };
        list.list().iter().find_map(on)
    }

    /// How far the ball of a radius that touches the core from inside at a point sticks out of it.
    pub(crate) fn ball_sticks_out(&self, feature: Feature, point: DVec3, n: DVec3, radius: f64) -> f64 {
        match self {
            _ if radius == 0.0 => 0.0,
            Self::Round(shape) => shape.ball_sticks_out(feature, point, n, radius),
            Self::Polytope(body) if body.face_count() > 0 => {
                let center = point - n * radius;
                let off = body.planes().iter().map(|plane| plane.distance(center) + radius);
                off.fold(0.0, f64::max)
            }
            Self::Polytope(_) => f64::INFINITY,
        }
    }

    /// The points of the core's supporting flat along `n`.
    pub(crate) fn flat(&self, n: DVec3, slack: f64) -> Vec<DVec3> {
        match self {
            Self::Polytope(polytope) => {
                let highest = self.farthest(n).point.dot(n);
                let points = polytope.vertices().iter().copied();
                points.filter(|vertex| vertex.dot(n) >= highest - slack).collect()
            }
            Self::Round(shape) => {
                let mut points = shape.flat(n, slack, FLAT_SAMPLES);
                points.iter_mut().for_each(|point| *point -= n * shape.radius());
                points
            }
        }
    }

    /// The body's feature and parameters for a state on the core, seen along the outward unit normal.
    #[inline]
    pub(crate) fn witness(&self, feature: Feature, at: DVec3, n: DVec3) -> (Feature, Parameters) {
        let Self::Round(shape) = self else { return (feature, Parameters::None) };
        if shape.is_own_core() {
            let parameters = match feature {
                Feature::Vertex(_) => Parameters::None,
                Feature::Edge(edge) => Parameters::Curve(shape.edge_parameter(edge, at)),
                Feature::Face(face) => Parameters::Surface(shape.face_parameters(face, at)),
            };
            return (feature, parameters);
        }
        let (on_body, found) = shape.on_body(feature, at, n);
        let parameters = match on_body {
            Feature::Vertex(_) => Parameters::None,
            Feature::Edge(_) => Parameters::Curve(found.x),
            Feature::Face(_) => Parameters::Surface(found),
        };
        (on_body, parameters)
    }
}

/// As [`ConvexShape::common_features`], leaving out what leans from `n` by more than `off`.
fn common_of_polytope(
    body: &Polytope,
    features: &[Feature],
    n: DVec3,
    off: f64,
    out: &mut [Feature],
) -> usize {
    let mut vertices = features.iter().filter_map(|feature| match feature {
        Feature::Vertex(vertex) => Some(*vertex),
        _ => None,
    });
    let Some(first) = vertices.next() else { return 0 };
    let rest = || {
        features[1..].iter().filter_map(|feature| match feature {
            Feature::Vertex(vertex) => Some(*vertex),
            _ => None,
        })
    };
    let mut count = 0;
    let mut offer = |feature: Feature| {
        if count < out.len() {
            out[count] = feature;
            count += 1;
        }
    };
    if rest().next().is_none() {
        offer(Feature::Vertex(first));
    }
    let ring = body.ring(first);
    for (spoke, &edge) in ring.spokes.iter().zip(ring.edges) {
        let lean = n.dot(spoke.vector).abs() / spoke.vector.length();
        if lean <= off && rest().all(|vertex| vertex == spoke.vertex) {
            offer(Feature::Edge(edge));
        }
    }
    for &face in ring.faces {
        let normal = body.plane(face).normal;
        let lean = (n - normal * n.dot(normal)).length();
        if n.dot(normal) > 0.0 && lean <= off && rest().all(|vertex| body.ring(vertex).faces.contains(&face))
        {
            offer(Feature::Face(face));
        }
    }
    count
}
