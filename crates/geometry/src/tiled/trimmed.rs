//! A face cut out of a surface by polygons in its parameters.
//!
//! Source: the `surface` shape with `trim` loops.
//! Differs: an edge must be a curve in space. Straight lines of parameters are exact where the surface is a plane or one
//! parameter is constant, else cubics fitted to [`FIT_REL`] of the surface's size.
//! Ends because: pieces are doubled at most [`DOUBLINGS`] times.
//! Cost: a few evaluations per side.
//! Not promised: that loops do not cross each other.

use super::draft::{Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, ParameterCurve};
use super::{TiledBody, TiledError};
use crate::curve::{Curve, Direction, NurbsCurve, ParametricCurve, PlanarCurve, Range};
use crate::surface::home::jet;
use crate::surface::{ParametricSurface, Surface};
use crate::tolerance::{FIT_REL, MATCH_REL, STRAIGHT_REL};
use crate::{DVec2, DVec3, EdgeId, FaceId, VertexId};

/// Doublings of the number of cubics along a side.
const DOUBLINGS: usize = 8;

impl TiledBody {
    /// The part of a surface that lies to the left of polygons in its parameters (seen with S_u × S_v toward the eye).
    /// `reversed` says that the outward normal is against S_u × S_v. A polygon that ends a whole period from where it
    /// begins goes around the surface and has no last side.
    ///
    /// ```
    /// use clearance_geometry::{DVec2, Pose, surface::Cylinder, tiled::TiledBody};
    /// let p = DVec2::new;
    /// // A triangular shell across the seam of a cylinder.
    /// let pipe = Cylinder::new(Pose::IDENTITY, 2.0)?;
    /// let shell = TiledBody::from_trim(pipe.into(), false, &[vec![p(-0.5, 0.0), p(0.5, 0.0), p(0.0, 1.0)]])?;
    /// assert!((shell.mass().area - 1.0).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TiledError::LoopTurned`] where the face would be on the wrong side, [`TiledError::NotFinite`],
    /// [`TiledError::Unbounded`] for a loop of fewer than two corners.
    pub fn from_trim(surface: Surface, reversed: bool, loops: &[Vec<DVec2>]) -> Result<Self, TiledError> {
        let points = || loops.iter().flatten().map(|p| jet(&surface, *p).point);
        if points().any(|p| !p.is_finite()) {
            return Err(TiledError::NotFinite { what: "face", index: 0 });
        }
        let (low, high) = points().fold((DVec3::MAX, DVec3::MIN), |(l, h), p| (l.min(p), h.max(p)));
        let size = (high - low).length();
        let mut draft = Draft::default();
        let mut bounds = Vec::new();
        for corners in loops {
            if corners.len() < 2 {
                return Err(TiledError::Unbounded { face: FaceId(0) });
            }
            let mut uses = Vec::new();
            let sides = if goes_around(&surface, corners) { corners.len() - 1 } else { corners.len() };
            for (i, &from) in corners.iter().enumerate().take(sides) {
                let to = corners[(i + 1) % corners.len()];
                // Along a pole there is nothing.
                if let Some(edge) = side(&surface, from, to, size)? {
                    let ends = [from, to].map(|p| vertex(&mut draft.vertices, jet(&surface, p).point, size));
                    draft.edges.push(DraftEdge { ends: Some(ends), ..edge });
                    let parameters =
                        ParameterCurve { curve: PlanarCurve::segment(from, to)?, ends: [0.0, 1.0] };
                    let edge = EdgeId(draft.edges.len() as u32 - 1);
                    uses.push(DraftUse { edge, reversed: false, parameters: Some(parameters) });
                }
            }
            if reversed {
                uses.reverse();
                uses.iter_mut().for_each(|used| used.reversed = true);
            }
            // A loop along a pole bounds nothing.
            if !uses.is_empty() {
                bounds.push(DraftLoop::Edges(uses));
            }
        }
        draft.faces.push(DraftFace { surface, reversed, loops: bounds, rect: None });
        Self::from_draft(draft)
    }
}

/// Whether a polygon ends where it begins only because the surface closes on itself.
pub fn goes_around(surface: &Surface, corners: &[DVec2]) -> bool {
    let (Some(first), Some(last)) = (corners.first(), corners.last()) else { return false };
    let by = (*last - *first).abs();
    let [along_u, along_v] = surface.periods();
    (is_turn(by.x, along_u) && by.y == 0.0) || (is_turn(by.y, along_v) && by.x == 0.0)
}

/// Whether a difference of parameters is a whole turn, but for the rounding of its ends.
pub fn is_turn(by: f64, period: Option<f64>) -> bool {
    period.is_some_and(|period| (by - period).abs() <= STRAIGHT_REL * period)
}

fn vertex(vertices: &mut Vec<DVec3>, point: DVec3, size: f64) -> VertexId {
    let found = vertices.iter().position(|p| p.distance(point) <= MATCH_REL * size);
    let at = found.unwrap_or_else(|| {
        vertices.push(point);
        vertices.len() - 1
    });
    VertexId(at as u32)
}

/// The curve over a straight line of parameters, run from 0 to 1 or along the parameter that changes; `None` for a point.
pub(super) fn side(
    surface: &Surface,
    from: DVec2,
    to: DVec2,
    size: f64,
) -> Result<Option<DraftEdge>, TiledError> {
    let at = |s: f64| jet(surface, from + s * (to - from));
    let spread = (1..=4).map(|k| at(f64::from(k) / 4.0).point.distance(at(0.0).point)).fold(0.0, f64::max);
    if !(spread > MATCH_REL * size) {
        return Ok(None);
    }
    let iso = |constant, value, low: f64, high: f64| {
        let along = Range::new(low, high);
        let curve = (low < high).then(|| surface.iso_curve(constant, value, along))??;
        let fits = curve.period().is_some() || curve.domain().encloses(along);
        fits.then_some(DraftEdge { curve, range: along, ends: None })
    };
    // Only forward, so that the edge runs as the side does; backward sides are fitted, which is as good.
    let exact = if from.y == to.y {
        iso(Direction::V, from.y, from.x, to.x)
    } else if from.x == to.x {
        iso(Direction::U, from.x, from.y, to.y)
    } else {
        None
    };
    if exact.is_some() {
        return Ok(exact);
    }
    let mut pieces = if matches!(surface, Surface::Plane(_)) { 1 } else { 4 };
    for _ in 0..DOUBLINGS {
        let curve = fitted(&at, to - from, pieces)?;
        let middle = |k: usize| (k as f64 + 0.5) / pieces as f64;
        let off =
            (0..pieces).map(|k| curve.point(middle(k)).distance(at(middle(k)).point)).fold(0.0, f64::max);
        if off <= FIT_REL * size {
            return Ok(Some(DraftEdge { curve, range: Range::new(0.0, 1.0), ends: None }));
        }
        pieces *= 2;
    }
    let curve = fitted(&at, to - from, pieces)?;
    Ok(Some(DraftEdge { curve, range: Range::new(0.0, 1.0), ends: None }))
}

/// Cubics with the right points and derivatives at their ends.
fn fitted(
    at: &dyn Fn(f64) -> crate::surface::SurfaceJet,
    step: DVec2,
    pieces: usize,
) -> Result<Curve, TiledError> {
    let third = 1.0 / (3.0 * pieces as f64);
    let mut points = Vec::with_capacity(3 * pieces + 1);
    let mut knots = vec![0.0];
    for k in 0..=pieces {
        let s = k as f64 / pieces as f64;
        let there = at(s);
        let slope = (there.u * step.x + there.v * step.y) * third;
        if k > 0 {
            points.push(there.point - slope);
        }
        points.push(there.point);
        if k < pieces {
            points.push(there.point + slope);
        }
        knots.extend([s; 3]);
    }
    knots.push(1.0);
    Ok(NurbsCurve::new(3, knots, &points, None)?.into())
}
