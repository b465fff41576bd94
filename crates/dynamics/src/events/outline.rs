//! The outline of a planar body as contacts see it: straight sides, corners, and where curved sides face a direction or a point.
//!
//! Source: none; the plane's counterpart of `surface`.
//! Differs: nothing to differ from.
//! Ends because: loops over sides and samples; Newton steps are counted, and kept within a bracket.
//! Cost: a product for each sample, a few evaluations for each place found.
//! Not promised: places between two samples where a side bends there and back by less than an eighth of a half turn.

use crate::tolerance::{EVENT_LEVEL, EVENT_SHARP_RAD};
use clearance_geometry::curve::{Curve, ParametricCurve, Range};
use clearance_geometry::tiled::EdgeKind;
use clearance_geometry::{DVec2, EdgeId, Feature, PlanarSide, PlanarTiled, Polygon, VertexId};
use clearance_proximity::QueryError;
use clearance_proximity::planar::{PlanarBody, PlanarPrepared};
use std::f64::consts::PI;

/// Fewest and most stretches of a curved side between samples.
const ALONG: [usize; 2] = [4, 512];

/// Samples for each half turn that a side bends by.
const PER_HALF_TURN: f64 = 8.0;

/// Chords by which it is seen how far a side bends.
const CHORDS: usize = 256;

/// Newton steps to a place on a curve.
const STEPS: usize = 60;

/// Boxes around pieces of a side by which its farthest point is bounded.
const BOXES: usize = 64;

/// A planar body made ready.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(super) prepared: PlanarPrepared,
    pub(super) convex: bool,
    /// Mass centre, from which the radius counts; body frame.
    pub(crate) center: DVec2,
    /// No point is farther from the centre.
    pub(crate) radius: f64,
    pub(super) flats: Vec<FlatSide>,
    /// Corners that stick out, and the ends of straight sides.
    pub(super) corners: Vec<Corner>,
    rims: Vec<Rim>,
    joins: Vec<Join>,
}

/// A straight side.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatSide {
    pub(super) edge: EdgeId,
    pub(super) start: DVec2,
    /// Unit vector along it.
    pub(super) along: DVec2,
    pub(super) length: f64,
    /// Unit vector out of the body.
    pub(super) normal: DVec2,
}

/// A corner with the outward normals of the sides before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) vertex: VertexId,
    pub(super) point: DVec2,
    pub(super) normals: [DVec2; 2],
}

/// A curved side and its samples in the order of the outline.
#[derive(Clone, Debug)]
struct Rim {
    edge: EdgeId,
    side: PlanarSide,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    parameter: f64,
    point: DVec2,
    /// In the direction of the outline; not a unit vector.
    tangent: DVec2,
}

/// Where a curved side goes on smoothly as another one.
#[derive(Clone, Copy, Debug)]
struct Join {
    vertex: VertexId,
    point: DVec2,
    tangents: [DVec2; 2],
}

/// A place on a curved side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) feature: Feature,
    /// Which of the feature's places.
    pub(super) index: u32,
    pub(super) point: DVec2,
    /// Unit vector out of the body.
    pub(super) normal: DVec2,
}

/// What places are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Toward {
    /// Farthest along a direction, with the normal along it.
    Direction(DVec2),
    /// Nearest to a point.
    Point(DVec2),
}

impl Toward {
    /// How fast a point that runs along a curve comes farther, or nearer.
    fn slope(self, point: DVec2, tangent: DVec2) -> f64 {
        match self {
            Self::Direction(direction) => tangent.dot(direction),
            Self::Point(to) => tangent.dot(to - point),
        }
    }

    /// The derivative of the slope by the parameter; `sign` is that of the tangent against it.
    fn bend(self, point: DVec2, tangent: DVec2, second: DVec2, sign: f64) -> f64 {
        match self {
            Self::Direction(direction) => sign * second.dot(direction),
            Self::Point(to) => sign * (second.dot(to - point) - tangent.length_squared()),
        }
    }

    fn is_faced(self, normal: DVec2) -> bool {
        match self {
            Self::Direction(direction) => normal.dot(direction) > 0.0,
            Self::Point(_) => true,
        }
    }
}

impl Outline {
    pub(crate) fn of_polygon(polygon: &Polygon) -> Result<Self, QueryError> {
        let prepared = PlanarPrepared::new(&PlanarBody::Polygon(polygon.clone()))?;
        let center = polygon.mass().center;
        let radius = polygon.vertices().iter().map(|v| v.distance(center)).fold(0.0, f64::max);
        let center = center + polygon.anchor();
        let (mut flats, mut corners) = (Vec::new(), Vec::new());
        if polygon.dimension() == 2 {
            let sides = polygon.sides();
            for (at, side) in sides.iter().enumerate() {
                let before = &sides[(at + sides.len() - 1) % sides.len()];
                let [vertex, _] = side.vertices;
                let start = polygon.body_vertex(vertex);
                let along = side.vector / side.length;
                let edge = polygon.edge_of_side(at);
                flats.push(FlatSide { edge, start, along, length: side.length, normal: side.normal });
                corners.push(Corner { vertex, point: start, normals: [before.normal, side.normal] });
            }
        }
        let (rims, joins) = (Vec::new(), Vec::new());
        Ok(Self { prepared, convex: true, center, radius, flats, corners, rims, joins })
    }

    pub(crate) fn of_tiled(tiled: &PlanarTiled) -> Result<Self, QueryError> {
        let body = PlanarBody::Tiled(tiled.clone());
        let prepared = PlanarPrepared::new(&body)?;
        let center = tiled.mass().center;
        let sides = tiled.sides();
        let (mut flats, mut rims) = (Vec::new(), Vec::new());
        for (at, side) in sides.iter().enumerate() {
            let edge = EdgeId(at as u32);
            match flat(edge, side) {
                Some(flat) => flats.push(flat),
                None => rims.push(Rim::new(edge, side)),
            }
        }
        let is_flat = |at: usize| flats.iter().any(|flat| flat.edge.index() == at);
        let (mut corners, mut joins) = (Vec::new(), Vec::new());
        for (at, corner) in tiled.corners().iter().enumerate() {
            let last = (at + sides.len() - 1) % sides.len();
            let tangents =
                [tangent(&sides[last], sides[last].ends()[1]), tangent(&sides[at], sides[at].ends()[0])];
            let (vertex, point) = (VertexId(at as u32), corner.point);
            if corner.angle > EVENT_SHARP_RAD
                || (corner.kind != EdgeKind::Reflex && (is_flat(last) || is_flat(at)))
            {
                corners.push(Corner { vertex, point, normals: tangents.map(|t| -t.perp()) });
            } else if corner.angle > -EVENT_SHARP_RAD {
                joins.push(Join { vertex, point, tangents });
            }
        }
        let radius = sides.iter().map(|side| reach(side, center)).fold(0.0, f64::max);
        Ok(Self { prepared, convex: body.is_convex(), center, radius, flats, corners, rims, joins })
    }

    /// The places on curved sides that face a direction or a point.
    pub(super) fn facing(&self, toward: Toward) -> Vec<Place> {
        let mut found = Vec::new();
        for rim in &self.rims {
            let mut index = 0;
            for pair in rim.samples.windows(2) {
                let [from, to] = [pair[0], pair[1]];
                let turns =
                    toward.slope(from.point, from.tangent) >= 0.0 && toward.slope(to.point, to.tangent) < 0.0;
                let Some((point, normal)) = turns.then(|| rim.between(toward, [from, to])).flatten() else {
                    continue;
                };
                if toward.is_faced(normal) {
                    found.push(Place { feature: Feature::Edge(rim.edge), index, point, normal });
                    index += 1;
                }
            }
        }
        for join in &self.joins {
            let [before, after] = join.tangents;
            let normal = (-(before + after).perp()).normalize_or_zero();
            let turns = toward.slope(join.point, before) >= 0.0 && toward.slope(join.point, after) < 0.0;
            if turns && toward.is_faced(normal) {
                found.push(Place {
                    feature: Feature::Vertex(join.vertex),
                    index: 0,
                    point: join.point,
                    normal,
                });
            }
        }
        found
    }
}

impl Rim {
    fn new(edge: EdgeId, side: &PlanarSide) -> Self {
        let [start, end] = side.ends();
        let at = |share: f64| start + share * (end - start);
        let chord = |k: usize| side.curve.point(at(k as f64 / CHORDS as f64));
        let (mut bend, mut before, mut last) = (0.0, DVec2::ZERO, chord(0));
        for k in 1..=CHORDS {
            let next = chord(k);
            let step = (next - last).normalize_or_zero();
            if step != DVec2::ZERO {
                if before != DVec2::ZERO {
                    bend += before.angle_to(step).abs();
                }
                (before, last) = (step, next);
            }
        }
        let stretches = ((bend / PI * PER_HALF_TURN).ceil() as usize).clamp(ALONG[0], ALONG[1]);
        let sample = |k: usize| {
            let parameter = if k == stretches { end } else { at(k as f64 / stretches as f64) };
            let jet = side.jet(parameter);
            Sample { parameter, point: jet.point, tangent: jet.first }
        };
        Self { edge, side: side.clone(), samples: (0..=stretches).map(sample).collect() }
    }

    /// The place between two samples where the slope is zero, by Newton's method within the bracket, and the normal there.
    fn between(&self, toward: Toward, [from, to]: [Sample; 2]) -> Option<(DVec2, DVec2)> {
        let sign = if self.side.reversed { -1.0 } else { 1.0 };
        let (mut low, mut high) = (from.parameter, to.parameter);
        let mut at = 0.5 * (low + high);
        let mut jet = self.side.jet(at);
        for _ in 0..STEPS {
            let slope = toward.slope(jet.point, jet.first);
            if slope >= 0.0 {
                low = at;
            } else {
                high = at;
            }
            let step = at - slope / toward.bend(jet.point, jet.first, jet.second, sign);
            let inside = (step - low) * (step - high) < 0.0;
            let next = if inside { step } else { 0.5 * (low + high) };
            let done = slope == 0.0 || (next - at).abs() <= f64::EPSILON * (at.abs() + (high - low).abs());
            if done {
                break;
            }
            at = next;
            jet = self.side.jet(at);
        }
        let normal = (-jet.first.perp()).try_normalize()?;
        Some((jet.point, normal))
    }
}

/// The unit tangent at a parameter, in the direction of the outline.
fn tangent(side: &PlanarSide, at: f64) -> DVec2 {
    side.jet(at).first.normalize_or_zero()
}

/// A side as a straight one; none where it is curved.
fn flat(edge: EdgeId, side: &PlanarSide) -> Option<FlatSide> {
    let [start, end] = side.ends().map(|at| side.curve.point(at));
    let length = start.distance(end);
    let along = (end - start).try_normalize()?;
    let straight = match side.curve.curve() {
        Curve::Line(_) => true,
        Curve::Nurbs(nurbs) => (0..nurbs.homogeneous_points().len()).all(|at| {
            let off = nurbs.control_point(at).truncate() - start;
            along.perp_dot(off).abs() <= EVENT_LEVEL * length
        }),
        _ => false,
    };
    straight.then(|| FlatSide { edge, start, along, length, normal: -along.perp() })
}

/// A bound on the distance of a side's points from a point.
fn reach(side: &PlanarSide, center: DVec2) -> f64 {
    let cut = |k: usize| side.range.at(k as f64 / BOXES as f64);
    let farthest = |k: usize| {
        let bounds = side.curve.aabb(Range::new(cut(k), cut(k + 1)));
        let [low, high] = [DVec2::from(bounds.low) - center, DVec2::from(bounds.high) - center];
        low.abs().max(high.abs()).length()
    };
    (0..BOXES).map(farthest).fold(0.0, f64::max)
}
