//! Bodies of revolution from a profile in the (r, z) half-plane.
//!
//! Source: 004 §4, whose pen and bowl are such bodies: surfaces, circles between them, a vertex at a tip.
//! Differs: nothing to differ from.
//! Ends because: every segment is visited once.
//! Cost: O(segments).
//! Not promised: that a profile does not cross itself.
//!
//! Where a segment meets the axis at a right angle the surface is smooth and there is no vertex, as in 004.

use super::draft::{Draft, DraftFace, DraftLoop};
use super::primitive::{at_height, rim, ring};
use super::{TiledBody, TiledError, TiledNote};
use crate::curve::{Range, Rect};
use crate::surface::{Cone, Cylinder, Paraboloid, Plane, Sphere, Surface, Torus};
use crate::tolerance::MATCH_REL;
use crate::{DVec2, DVec3, VertexId};
use std::sync::Arc;

/// A piece of a profile; points are (r, z).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Segment {
    /// Straight.
    Line {
        /// Start.
        from: DVec2,
        /// End.
        to: DVec2,
    },
    /// Part of a circle; all of it where `from` = `to`.
    Arc {
        /// Centre.
        center: DVec2,
        /// Start.
        from: DVec2,
        /// End.
        to: DVec2,
        /// Counter-clockwise, seen with r to the right and z up.
        ccw: bool,
    },
    /// z = r²/4f + c.
    Parabola {
        /// Start.
        from: DVec2,
        /// End.
        to: DVec2,
        /// f, negative where it opens downward; found from the ends where it is not given.
        focal: Option<f64>,
    },
}

/// A segment turned about the axis.
struct Swept {
    surface: Surface,
    /// Normal to the left of travel is against the surface's.
    reversed: bool,
    /// Whether v grows along the travel (a plane's and a paraboloid's distance from the axis counts as v).
    rising: bool,
    /// Whether u runs against the rims: a paraboloid that opens downward.
    flipped: bool,
    /// Whether the start and the end, if on the axis, are tips.
    tips: [bool; 2],
    /// What it covers where both ends are tips.
    rect: Option<Rect>,
}

impl Segment {
    /// Start and end.
    pub const fn ends(&self) -> [DVec2; 2] {
        match *self {
            Self::Line { from, to } | Self::Arc { from, to, .. } | Self::Parabola { from, to, .. } => {
                [from, to]
            }
        }
    }

    /// ∫ r² dz along it: the volume between it and the axis, divided by π, positive where z grows.
    fn turned_area(&self) -> f64 {
        match *self {
            Self::Line { from, to } => {
                (from.x * from.x + from.x * to.x + to.x * to.x) * (to.y - from.y) / 3.0
            }
            Self::Arc { center, from, to, ccw } => {
                let radius = center.distance(from);
                let Range { low, high } = angles(center, from, to, ccw);
                let below = |angle: f64| {
                    let (sin, cos) = angle.sin_cos();
                    let ring = center.x * sin + radius * (angle + sin * cos);
                    radius * (center.x * ring + radius * radius * (sin - sin.powi(3) / 3.0))
                };
                (below(high) - below(low)).copysign(if ccw { 1.0 } else { -1.0 })
            }
            // z − c = k r², so that r² dz = 2 k r³ dr.
            Self::Parabola { from, to, .. } => 0.5 * (from.x * from.x + to.x * to.x) * (to.y - from.y),
        }
    }

    /// Whether it runs along the axis, which sweeps nothing.
    fn is_on_axis(&self, tolerance: f64) -> bool {
        matches!(self, Self::Line { from, to } if from.x.max(to.x) <= tolerance)
    }

    fn swept(&self, segment: usize, tolerance: f64) -> Result<Swept, TiledError> {
        match *self {
            Self::Line { from, to } => line(segment, from, to, tolerance),
            Self::Arc { center, from, to, ccw } => arc(segment, center, [from, to], ccw, tolerance),
            Self::Parabola { from, to, focal } => parabola(segment, from, to, focal, tolerance),
        }
    }
}

fn line(segment: usize, from: DVec2, to: DVec2, tolerance: f64) -> Result<Swept, TiledError> {
    let d = to - from;
    if !(d.length() > tolerance) {
        return Err(TiledError::InconsistentProfile { segment, by: d.length() });
    }
    if d.y.abs() <= tolerance * MATCH_REL && d.x != 0.0 {
        let surface = Plane::new(at_height(from.y, false)?).into();
        return Ok(Swept {
            surface,
            reversed: d.x < 0.0,
            rising: d.x > 0.0,
            flipped: false,
            tips: [false; 2],
            rect: None,
        });
    }
    let (reversed, rising) = (d.y > 0.0, d.y > 0.0);
    if d.x.abs() <= tolerance * MATCH_REL {
        let surface = Cylinder::new(at_height(0.0, false)?, from.x)?.into();
        return Ok(Swept { surface, reversed, rising, flipped: false, tips: [false; 2], rect: None });
    }
    // From the wider end, where the radius is certainly positive.
    let wide = if from.x > to.x { from } else { to };
    let surface = Cone::new(at_height(wide.y, false)?, wide.x, d.x / d.y)?.into();
    Ok(Swept { surface, reversed, rising, flipped: false, tips: [true; 2], rect: None })
}

fn arc(
    segment: usize,
    center: DVec2,
    [from, to]: [DVec2; 2],
    ccw: bool,
    tolerance: f64,
) -> Result<Swept, TiledError> {
    let radius = center.distance(from);
    let off = (center.distance(to) - radius).abs();
    if !(off <= tolerance) {
        return Err(TiledError::InconsistentProfile { segment, by: off });
    }
    // Across the axis: the arc passes the circle's point of least r, left of the axis.
    let angles = angles(center, from, to, ccw);
    let leftmost = [-3.0, -1.0, 1.0, 3.0].map(|turns| turns * std::f64::consts::PI);
    if center.x - radius < -tolerance && leftmost.iter().any(|&a| angles.low < a && a < angles.high) {
        return Err(TiledError::CrossesAxis { segment });
    }
    let (surface, tips) = if center.x.abs() <= tolerance * MATCH_REL {
        (Sphere::new(at_height(center.y, false)?, radius)?.into(), [false; 2])
    } else {
        (Torus::new(at_height(center.y, false)?, center.x, radius)?.into(), [true; 2])
    };
    let rect = Some(Rect::new(Range::TURN, angles));
    Ok(Swept { surface, reversed: ccw, rising: ccw, flipped: false, tips, rect })
}

/// The angles of an arc about its centre, counter-clockwise.
fn angles(center: DVec2, from: DVec2, to: DVec2, ccw: bool) -> Range {
    let turned = |p: DVec2| {
        let d = (p - center) * DVec2::new(1.0, if ccw { 1.0 } else { -1.0 });
        d.y.atan2(d.x)
    };
    let (start, mut end) = (turned(from), turned(to));
    if end <= start {
        end += std::f64::consts::TAU;
    }
    if ccw { Range::new(start, end) } else { Range::new(-end, -start) }
}

fn parabola(
    segment: usize,
    from: DVec2,
    to: DVec2,
    focal: Option<f64>,
    tolerance: f64,
) -> Result<Swept, TiledError> {
    let squares = to.x * to.x - from.x * from.x;
    let fitted = 0.25 * squares / (to.y - from.y);
    let focal = focal.unwrap_or(fitted);
    if !(focal.is_finite() && focal != 0.0) {
        return Err(TiledError::InconsistentProfile { segment, by: (to.y - from.y).abs() });
    }
    let off = (0.25 * squares / focal - (to.y - from.y)).abs();
    if !(off <= tolerance) {
        return Err(TiledError::InconsistentProfile { segment, by: off });
    }
    let bottom = from.y - 0.25 * from.x * from.x / focal;
    let down = focal < 0.0;
    let surface = Paraboloid::new(at_height(bottom, down)?, focal.abs())?.into();
    let rising = to.x > from.x;
    Ok(Swept { surface, reversed: rising != down, rising, flipped: down, tips: [false; 2], rect: None })
}

impl TiledBody {
    /// A profile turned about z. Closed, or with both ends on the axis, it is a solid, whichever way it runs. Otherwise it
    /// is an open shell whose normal is to the left of travel, seen with r to the right and z up.
    ///
    /// Faces come in the order of the segments, circles in the order in which they are met. A line along the axis has no face;
    /// the order of a closed profile begins after it.
    ///
    /// ```
    /// use clearance_geometry::{DVec2, tiled::{Segment, TiledBody}};
    /// let p = DVec2::new;
    /// let pen = TiledBody::revolve(&[
    ///     Segment::Line { from: p(0.0, 0.0), to: p(1.0, 2.0) },
    ///     Segment::Line { from: p(1.0, 2.0), to: p(1.0, 10.0) },
    ///     Segment::Line { from: p(1.0, 10.0), to: p(0.0, 10.0) },
    /// ])?;
    /// assert_eq!((pen.face_count(), pen.edge_count(), pen.vertex_count()), (3, 2, 1));
    /// # Ok::<(), clearance_geometry::tiled::TiledError>(())
    /// ```
    ///
    /// # Errors
    /// [`TiledError::InconsistentProfile`] where segments do not join or disagree with their ends,
    /// [`TiledError::CrossesAxis`], [`TiledError::AlongAxis`] for a profile that comes to the axis between its ends,
    /// [`TiledError::Flat`] for one that encloses nothing.
    pub fn revolve(profile: &[Segment]) -> Result<Self, TiledError> {
        let tolerance = check(profile)?;
        let given = profile.len();
        let (first, profile) = off_axis(profile, tolerance)?;
        let ends = |i: usize| profile[i].ends();
        let count = profile.len();
        let closed = ends(count - 1)[1].distance(ends(0)[0]) <= tolerance;
        let on_axis = |p: DVec2| p.x <= tolerance;
        let solid = closed || (on_axis(ends(0)[0]) && on_axis(ends(count - 1)[1]));
        let numbered = profile.iter().enumerate();
        let swept: Vec<Swept> =
            numbered.map(|(i, s)| s.swept((first + i) % given, tolerance)).collect::<Result<_, _>>()?;
        if solid && !encloses(&profile, tolerance) {
            return Err(TiledError::Flat);
        }
        let mut draft = Draft { tolerance: Some(tolerance), ..Draft::default() };
        // Joint i is where segment i begins; the last one where the profile ends.
        let joints = if closed { count } else { count + 1 };
        let mut bounds = Vec::with_capacity(joints);
        for joint in 0..joints {
            let place = if joint < count { ends(joint)[0] } else { ends(count - 1)[1] };
            let tip = (joint > 0 && swept[joint - 1].tips[1]) || (joint < count && swept[joint].tips[0]);
            bounds.push(if !on_axis(place) {
                draft.edges.push(rim(place.x, place.y)?);
                Bound::Rim(draft.edges.len() as u32 - 1)
            } else if tip {
                draft.vertices.push(DVec3::Z * place.y);
                Bound::Tip(VertexId(draft.vertices.len() as u32 - 1))
            } else {
                Bound::Smooth
            });
        }
        // A full circle has no ends: the whole of a torus.
        let whole = count == 1 && closed && matches!(profile[0], Segment::Arc { .. });
        if whole {
            draft.edges.clear();
        }
        for (i, part) in swept.into_iter().enumerate() {
            let (start, end) = (bounds[i], bounds[(i + 1) % joints]);
            let loops = if whole { Vec::new() } else { part.loops(start, end) };
            let rect = part.rect.filter(|_| !whole && !part.tips.contains(&false));
            draft.faces.push(DraftFace { surface: part.surface, reversed: part.reversed, loops, rect });
        }
        let mut body = Self::from_draft(draft)?;
        if solid && let Some(data) = Arc::get_mut(&mut body.data) {
            // The profile of a solid may run either way.
            data.notes.retain(|note| *note != TiledNote::Turned);
        }
        Ok(body)
    }
}

/// What a face ends in.
#[derive(Clone, Copy)]
enum Bound {
    Rim(u32),
    Tip(VertexId),
    Smooth,
}

impl Swept {
    fn loops(&self, start: Bound, end: Bound) -> Vec<DraftLoop> {
        let one = |bound: Bound, upper: bool| match bound {
            // Rims run with u; the lower one of a surface that is not reversed has it on its left.
            Bound::Rim(edge) => {
                Some(ring(edge, ((upper != self.is_polar()) != self.reversed) != self.flipped))
            }
            Bound::Tip(vertex) => Some(DraftLoop::Vertex(vertex)),
            Bound::Smooth => None,
        };
        [one(start, !self.rising), one(end, self.rising)].into_iter().flatten().collect()
    }

    /// Whether the surface's own orientation puts the face of an outer rim on its left: a plane with z up. A paraboloid
    /// looks away from its axis, like a cylinder.
    fn is_polar(&self) -> bool {
        matches!(self.surface, Surface::Plane(_))
    }
}

/// A profile without lines along the axis at its ends, and the number of its first segment. A closed profile begins after one.
fn off_axis(profile: &[Segment], tolerance: f64) -> Result<(usize, Vec<Segment>), TiledError> {
    let count = profile.len();
    let on_axis = |at: usize| profile[at].is_on_axis(tolerance);
    let closed = profile[count - 1].ends()[1].distance(profile[0].ends()[0]) <= tolerance;
    let last = if closed { (0..count).rev().find(|at| on_axis(*at)) } else { None };
    let begin = last.map_or(0, |at| at + 1);
    let mut order: Vec<usize> = (begin..begin + count).map(|at| at % count).collect();
    while order.last().is_some_and(|at| on_axis(*at)) {
        order.pop();
    }
    let leading = order.iter().take_while(|at| on_axis(**at)).count();
    order.drain(..leading);
    if let Some(segment) = order.iter().copied().find(|at| on_axis(*at)) {
        return Err(TiledError::AlongAxis { segment });
    }
    let first = *order.first().ok_or(TiledError::Flat)?;
    Ok((first, order.into_iter().map(|at| profile[at]).collect()))
}

/// Whether the profile of a solid has an inside.
fn encloses(profile: &[Segment], tolerance: f64) -> bool {
    let reach = profile.iter().flat_map(Segment::ends).map(|end| end.x).fold(0.0, f64::max);
    let area: f64 = profile.iter().map(Segment::turned_area).sum();
    // Written so that NaN is refused.
    area.abs() > tolerance * reach * reach
}

/// Segments with finite ends that join and stay right of the axis; the tolerance.
fn check(profile: &[Segment]) -> Result<f64, TiledError> {
    let mut size = 0.0_f64;
    for (segment, part) in profile.iter().enumerate() {
        for end in part.ends() {
            if !end.is_finite() {
                return Err(TiledError::NotFinite { what: "segment", index: segment });
            }
            size = size.max(end.abs().max_element());
        }
        if let Segment::Arc { center, from, .. } = part {
            size = size.max(center.distance(*from));
        }
    }
    if profile.is_empty() {
        return Err(TiledError::Empty);
    }
    let tolerance = MATCH_REL * size;
    for (segment, part) in profile.iter().enumerate() {
        if part.ends().iter().any(|end| end.x < -tolerance) {
            return Err(TiledError::CrossesAxis { segment });
        }
        if segment > 0 {
            let gap = profile[segment - 1].ends()[1].distance(part.ends()[0]);
            if !(gap <= tolerance) {
                return Err(TiledError::InconsistentProfile { segment, by: gap });
            }
        }
    }
    Ok(tolerance)
}
