//! Planar bodies bounded by curves, end to end.
//!
//! Source: 001 §III, whose planar bodies are tiled from convex curves.
//! Differs: curves of any kind; corners may be reflex or smooth.
//! Ends because: every curve is visited once; pieces of splines are halved at most [`DEPTH`] times to decide convexity.
//! Cost: O(curves) with a few evaluations each.
//! Not promised: that an outline does not cross itself, unless it is found convex.

use crate::curve::{Bezier, Curve, CurveJet, ParametricCurve, PlanarCurve, Range, Subdivide};
use crate::surface::SurfaceJet;
use crate::tiled::{
    DraftEdge, DraftLoop, DraftUse, EdgeKind, Integrands, Reach, Region, Side, TiledError, TiledNote,
    over_region, planar_region,
};
use crate::tolerance::{COLLINEAR_SQ, HOLLOW_REL, MASS_REL, MASS_ROUNDING_REL, MATCH_REL, SMOOTH_EDGE_RAD};
use crate::{DVec3, EdgeId, PlanarMass, VertexId};
use glam::DVec2;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Halvings of a piece of a spline whose control points do not show that it is convex.
const DEPTH: usize = 6;

/// Samples of a curve's tangent for the turning of the outline.
const SAMPLES: usize = 64;

/// A planar body bounded by curves, immutable and cheap to clone.
///
/// Curves run counter-clockwise, so that the outside is on their right; curve `i` begins in corner `i`.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarTiled, curve::{PlanarCurve, Range}};
/// // Half a disk.
/// let arc = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
/// let side = PlanarCurve::segment(DVec2::NEG_X, DVec2::X)?;
/// let body = PlanarTiled::new(vec![(arc, Range::new(0.0, std::f64::consts::PI)), (side, Range::new(0.0, 1.0))])?;
/// assert!((body.mass().area - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
/// assert_eq!(body.corners().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanarTiled {
    data: Arc<Data>,
}

#[derive(Debug)]
struct Data {
    sides: Vec<PlanarSide>,
    corners: Vec<PlanarCorner>,
    region: Region,
    mass: PlanarMass,
    mass_error: f64,
    convexity: PlanarConvexity,
    notes: Vec<TiledNote>,
}

/// A curve of the outline.
#[derive(Clone, Debug)]
pub struct PlanarSide {
    /// The curve.
    pub curve: PlanarCurve,
    /// The piece of it.
    pub range: Range,
    /// Whether the outline runs against its parameter.
    pub reversed: bool,
}

/// Where two curves meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarCorner {
    /// Where it is.
    pub point: DVec2,
    /// Convex, reflex or smooth.
    pub kind: EdgeKind,
    /// By how much the outline turns left; radians.
    pub angle: f64,
}

/// Whether a planar body is convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanarConvexity {
    /// It is.
    Convex,
    /// It turns outward at this corner.
    ReflexCorner(VertexId),
    /// It curves outward at this parameter of a curve.
    Hollow {
        /// The curve.
        edge: EdgeId,
        /// The parameter.
        at: f64,
    },
    /// Nothing shows that it is not.
    Unknown,
}

impl PlanarSide {
    /// Parameters at which the outline enters and leaves it.
    pub fn ends(&self) -> [f64; 2] {
        let Range { low, high } = self.range;
        if self.reversed { [high, low] } else { [low, high] }
    }

    /// Point and derivatives in the direction of the outline.
    pub fn jet(&self, t: f64) -> CurveJet<DVec2> {
        let jet = self.curve.jet(t);
        if self.reversed { CurveJet { first: -jet.first, ..jet } } else { jet }
    }

    /// The unit normal at `t` that points out of the body; `None` where the curve stands still.
    pub fn normal(&self, t: f64) -> Option<DVec2> {
        let along = self.jet(t).first;
        (along.length() > 0.0).then(|| DVec2::new(along.y, -along.x) / along.length())
    }
}

impl PlanarTiled {
    /// A body from its outline: pieces of curves, each beginning where the one before ends, the last one closing it. A
    /// clockwise outline is turned, which is noted. A spline is cut at knots where it may have a corner.
    ///
    /// # Errors
    /// [`TiledError::OutlineGap`] where curves do not join within [`MATCH_REL`] of the size, [`TiledError::Flat`],
    /// [`TiledError::NotFinite`].
    pub fn new(curves: Vec<(PlanarCurve, Range)>) -> Result<Self, TiledError> {
        let plain = |(curve, range)| PlanarSide { curve, range, reversed: false };
        let given: Vec<PlanarSide> = curves.into_iter().map(plain).collect();
        let gap = check(&given)?;
        let mut sides = cut_at_corners(given)?;
        check(&sides)?;
        let mut notes = Vec::new();
        let region = match region_of(&sides, gap) {
            Err(TiledError::LoopTurned { .. }) => {
                sides.reverse();
                sides.iter_mut().for_each(|side| side.reversed = true);
                notes.push(TiledNote::Turned);
                region_of(&sides, gap)?
            }
            Err(TiledError::Unbounded { .. }) => return Err(TiledError::Flat),
            other => other?,
        };
        let (mass, mass_error) = mass_of(&region);
        let size = region.bounds().u.width() + region.bounds().v.width();
        if !(mass.area > MATCH_REL * gap * size) {
            return Err(TiledError::Flat);
        }
        let corners = corners_of(&sides);
        let convexity = convexity_of(&sides, &corners, size);
        Ok(Self { data: Arc::new(Data { sides, corners, region, mass, mass_error, convexity, notes }) })
    }

    /// The curves, counter-clockwise.
    pub fn sides(&self) -> &[PlanarSide] {
        &self.data.sides
    }

    /// The corners: number `i` is where curve `i` begins.
    pub fn corners(&self) -> &[PlanarCorner] {
        &self.data.corners
    }

    /// Where a point lies.
    pub fn side_of(&self, point: DVec2) -> Side {
        self.data.region.side(point.x, point.y)
    }

    /// Area, centroid and second moment at unit density, body frame.
    pub fn mass(&self) -> &PlanarMass {
        &self.data.mass
    }

    /// How far the area may be off.
    pub fn area_error(&self) -> f64 {
        self.data.mass_error
    }

    /// Whether it is convex.
    pub fn convexity(&self) -> PlanarConvexity {
        self.data.convexity
    }

    /// What was repaired.
    pub fn notes(&self) -> &[TiledNote] {
        &self.data.notes
    }
}

/// Finite curves that join; the widest gap allowed.
fn check(sides: &[PlanarSide]) -> Result<f64, TiledError> {
    if sides.is_empty() {
        return Err(TiledError::Empty);
    }
    let (mut low, mut high) = (DVec2::MAX, DVec2::MIN);
    for (index, side) in sides.iter().enumerate() {
        for k in 0..=SAMPLES {
            let p = side.curve.point(side.range.at(k as f64 / SAMPLES as f64));
            if !(side.range.is_bounded() && p.is_finite()) {
                return Err(TiledError::NotFinite { what: "curve", index });
            }
            (low, high) = (low.min(p), high.max(p));
        }
    }
    let allowed = MATCH_REL * (high - low).length();
    for curve in 0..sides.len() {
        let before = &sides[(curve + sides.len() - 1) % sides.len()];
        let gap =
            before.curve.point(before.range.high).distance(sides[curve].curve.point(sides[curve].range.low));
        if !(gap <= allowed) {
            return Err(TiledError::OutlineGap { curve, gap });
        }
    }
    Ok(allowed)
}

/// The same outline with splines cut where their tangent may jump.
fn cut_at_corners(sides: Vec<PlanarSide>) -> Result<Vec<PlanarSide>, TiledError> {
    let mut cut = Vec::with_capacity(sides.len());
    for side in sides {
        let Range { low, high } = side.range;
        let corners = side.curve.breaks().into_iter().filter(|at| at.continuity <= 0).map(|at| at.at);
        let mut ends: Vec<f64> = corners.filter(|at| low < *at && *at < high).collect();
        let (Curve::Nurbs(nurbs), false) = (side.curve.curve(), ends.is_empty()) else {
            cut.push(side);
            continue;
        };
        ends.push(high);
        let mut from = low;
        for to in ends {
            let range = Range::new(from, to);
            let curve = PlanarCurve::projected(nurbs.restricted(range)?.into());
            cut.push(PlanarSide { curve, range, reversed: side.reversed });
            from = to;
        }
    }
    Ok(cut)
}

fn region_of(sides: &[PlanarSide], gap: f64) -> Result<Region, TiledError> {
    let edge =
        |side: &PlanarSide| DraftEdge { curve: side.curve.curve().clone(), range: side.range, ends: None };
    let edges: Vec<DraftEdge> = sides.iter().map(edge).collect();
    let used = |(i, side): (usize, &PlanarSide)| DraftUse::new(EdgeId(i as u32), side.reversed);
    let outline = sides.iter().enumerate().map(used).collect();
    planar_region(&edges, &[DraftLoop::Edges(outline)], 2.0 * gap)
}

/// Area and its moments about a point.
struct PlanarMoments {
    middle: DVec2,
}

impl Integrands<4> for PlanarMoments {
    fn at(&self, jet: &SurfaceJet) -> [f64; 4] {
        let p = jet.point.truncate() - self.middle;
        [1.0, p.x, p.y, p.length_squared()]
    }

    fn bound(&self, reach: &Reach) -> [f64; 4] {
        [1.0, reach.point, reach.point, reach.point * reach.point]
    }

    fn about(&self) -> DVec3 {
        self.middle.extend(0.0)
    }

    fn has_area(&self, _: usize) -> bool {
        false
    }
}

fn mass_of(region: &Region) -> (PlanarMass, f64) {
    let bounds = region.bounds();
    let middle = DVec2::new(bounds.u.middle(), bounds.v.middle());
    let reach = 0.5 * bounds.u.width().hypot(bounds.v.width());
    let allowed = |sizes: &[f64; 4]| {
        let area = MASS_REL * sizes[0];
        [area, area * reach, area * reach, area * reach * reach]
    };
    let found = over_region(region, &PlanarMoments { middle }, &allowed);
    let [area, x, y, square] = found.value;
    let offset = DVec2::new(x, y) / area;
    let second_moment = square - area * offset.length_squared();
    let rounding = MASS_ROUNDING_REL * (found.sizes[0] + middle.length() * bounds.u.width());
    (PlanarMass { area, center: middle + offset, second_moment }, found.error[0] + rounding)
}

fn corners_of(sides: &[PlanarSide]) -> Vec<PlanarCorner> {
    let corner = |i: usize| {
        let before = &sides[(i + sides.len() - 1) % sides.len()];
        let arriving = before.jet(before.ends()[1]).first;
        let leaving = sides[i].jet(sides[i].ends()[0]);
        let angle = arriving.perp_dot(leaving.first).atan2(arriving.dot(leaving.first));
        let kind = if angle.abs() <= SMOOTH_EDGE_RAD {
            EdgeKind::Smooth
        } else if angle > 0.0 {
            EdgeKind::Convex
        } else {
            EdgeKind::Reflex
        };
        PlanarCorner { point: leaving.point, kind, angle }
    };
    (0..sides.len()).map(corner).collect()
}

/// Convex where every curve and corner turns left, all of them together once.
fn convexity_of(sides: &[PlanarSide], corners: &[PlanarCorner], size: f64) -> PlanarConvexity {
    if let Some(at) = corners.iter().position(|corner| corner.kind == EdgeKind::Reflex) {
        return PlanarConvexity::ReflexCorner(VertexId(at as u32));
    }
    let mut turning: f64 = corners.iter().map(|corner| corner.angle).sum();
    let mut proved = true;
    for (index, side) in sides.iter().enumerate() {
        let mut last: Option<DVec2> = None;
        for k in 0..=SAMPLES {
            let s = k as f64 / SAMPLES as f64;
            let [from, to] = side.ends();
            let t = from + s * (to - from);
            let jet = side.jet(t);
            let speed = jet.first.length();
            if jet.first.perp_dot(jet.second) * size < -HOLLOW_REL * speed * speed * speed {
                return PlanarConvexity::Hollow { edge: EdgeId(index as u32), at: t };
            }
            if let Some(last) = last {
                turning += last.perp_dot(jet.first).atan2(last.dot(jet.first));
            }
            last = Some(jet.first);
        }
        proved &= turns_left(side);
    }
    let once = (turning - TAU).abs() < 1.0;
    if proved && once { PlanarConvexity::Convex } else { PlanarConvexity::Unknown }
}

/// Whether a side that does so at one point turns left everywhere.
fn turns_left(side: &PlanarSide) -> bool {
    let Curve::Nurbs(nurbs) = side.curve.curve() else {
        // The curvature of a conic keeps its sign.
        return !matches!(side.curve.curve(), Curve::Helix(_));
    };
    (0..nurbs.knots().piece_count()).all(|i| polygon_turns_left(&nurbs.piece(i), side.reversed, DEPTH))
}

/// Whether the control polygon of a piece, or those of its parts, turn left: then so does the piece.
fn polygon_turns_left(piece: &Bezier, reversed: bool, depth: usize) -> bool {
    let mut points: Vec<DVec2> = piece.hull().map(|p| p.truncate()).collect();
    if reversed {
        points.reverse();
    }
    let sides: Vec<DVec2> =
        points.windows(2).map(|pair| pair[1] - pair[0]).filter(|d| *d != DVec2::ZERO).collect();
    let left = sides.windows(2).all(|pair| {
        let cross = pair[0].perp_dot(pair[1]);
        let flat = COLLINEAR_SQ.sqrt() * pair[0].length() * pair[1].length();
        cross >= -flat && (cross.abs() > flat || pair[0].dot(pair[1]) > 0.0)
    });
    left || (depth > 0 && piece.split(0.5).iter().all(|half| polygon_turns_left(half, reversed, depth - 1)))
}
