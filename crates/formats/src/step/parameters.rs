//! Edges in the parameters of a face's surface, where the file gives them.
//!
//! They are a help, not a need: an edge's curve in space stands for itself. A parameter curve whose ends are not
//! the edge's, or of a kind that does not survive a change of units, is passed over.

use super::bodies::BodyReader;
use super::curves;
use super::features::extent;
use super::source::{Mixed, Record};
use super::{Fault, StepCourse, StepEdge, StepEdgeUse, StepFace, StepParameterCurve};
use clearance_geometry::curve::{Curve, ParametricCurve, PlanarCurve, Range};
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::{DVec3, tolerance};

/// Loops with more seams than this get no parameter curves on them: the choices double with each.
const MOST_SEAMS: usize = 6;

impl<'a> BodyReader<'a> {
    /// Gives the edges of a face their parameter curves. `units` are the surface's parameters for one of the file's.
    pub(super) fn attach_parameters(
        &mut self,
        face: &mut StepFace,
        surface: Record<'a>,
        units: [f64; 2],
    ) -> Result<(), Fault> {
        for bound in &mut face.loops {
            let StepCourse::Edges(uses) = &mut bound.course else { continue };
            let mut choices = Vec::with_capacity(uses.len());
            for used in uses.iter() {
                choices.push(self.candidates(used, &face.surface, surface, units)?);
            }
            choose(uses, &choices, face.reversed);
        }
        Ok(())
    }

    /// All parameter curves of an edge on a surface: two on a seam.
    fn candidates(
        &self,
        used: &StepEdgeUse,
        surface: &Surface,
        surface_record: Record<'a>,
        units: [f64; 2],
    ) -> Result<Vec<StepParameterCurve>, Fault> {
        let mut found = Vec::new();
        let Some(geometry) = self.geometry_of.get(&used.edge) else { return Ok(found) };
        if curves::spatial(*geometry)?.is_none() {
            return Ok(found);
        }
        let skip = usize::from(!geometry.simple_kind().is_empty());
        for item in geometry.own_or_all("SURFACE_CURVE").mixed(skip + 1)? {
            let Mixed::Link(record) = item else { continue };
            if !record.is("PCURVE") || record.fields().link(1)?.id() != surface_record.id() {
                continue;
            }
            let representation = record.fields().link(2)?;
            let Some(flat) = representation.fields().links(1)?.first().copied() else { continue };
            let curve = if matches!(surface, Surface::Plane(_)) {
                curves::curve(flat, self.scales)
                    .ok()
                    .filter(|(_, reversed)| !reversed)
                    .map(|(curve, _)| curve)
            } else {
                curves::planar(flat, units)?
            };
            let Some(curve) = curve else { continue };
            let edge = &self.edges[used.edge.index()];
            if let Some(ends) = self.ends_on(edge, &curve, surface) {
                found.push(StepParameterCurve { curve: PlanarCurve::projected(curve), ends });
            }
        }
        Ok(found)
    }

    /// The parameters at which a parameter curve begins and ends where the edge does.
    fn ends_on(&self, edge: &StepEdge, curve: &Curve, surface: &Surface) -> Option<[f64; 2]> {
        let goal = edge.vertices.map(|vertex| self.vertices[vertex.index()].point);
        let limit = tolerance::STEP_PARAMETER_GAP_REL * extent(edge) + self.scales.uncertainty.unwrap_or(0.0);
        // Both curves share their parameter as a rule; angles of the file may be degrees.
        let round = matches!(edge.curve, Curve::Circle(_) | Curve::Ellipse(_));
        let unit = if round { 1.0 / self.scales.angle } else { 1.0 };
        let Range { low, high } = curve.domain();
        let shared = [edge.range.low * unit, edge.range.high * unit];
        let mut tries = vec![shared];
        if let (true, Some(period)) = (round, edge.curve.period()) {
            tries.push(shared.map(|t| t - period * unit));
        }
        if low.is_finite() && high.is_finite() {
            tries.extend([[low, high], [high, low]]);
        }
        tries.into_iter().find_map(|ends| {
            let found = [0, 1].map(|at| settle(surface, curve, ends[at], goal[at]));
            found.iter().all(|(_, gap)| *gap <= limit).then(|| found.map(|(t, _)| t))
        })
    }
}

/// Steps towards a vertex; the parameter is the right one or nearly so, and one or two steps end it.
const SETTLING_STEPS: usize = 8;

/// The parameter near `t` at which a parameter curve passes nearest to a point, and the distance there.
fn settle(surface: &Surface, curve: &Curve, t: f64, goal: DVec3) -> (f64, f64) {
    let domain = if curve.period().is_some() { Range::UNBOUNDED } else { curve.domain() };
    let look = |t: f64| {
        let flat = curve.jet(t);
        let jet = surface.jet(flat.point.x, flat.point.y);
        let along = jet.u * flat.first.x + jet.v * flat.first.y;
        let off = goal - jet.point;
        (off.length(), off.dot(along) / along.length_squared())
    };
    let mut t = domain.clamp(t);
    let (mut gap, mut step) = look(t);
    for _ in 0..SETTLING_STEPS {
        let next = domain.clamp(t + step);
        let (closer, after) = look(next);
        // Written so that NaN, as at a pole, ends it.
        if !(closer < gap) {
            break;
        }
        (t, gap, step) = (next, closer, after);
    }
    (t, gap)
}

/// Gives each use its curve; on seams, the choice that keeps the loop together and, where several do, the one
/// with the face on the right side.
fn choose(uses: &mut [StepEdgeUse], choices: &[Vec<StepParameterCurve>], reversed: bool) {
    let mut seams: Vec<_> =
        uses.iter().zip(choices).filter(|(_, c)| c.len() == 2).map(|(u, _)| u.edge).collect();
    seams.sort_unstable();
    seams.dedup();
    if seams.len() > MOST_SEAMS {
        return;
    }
    let pick = |bits: usize| -> Vec<Option<StepParameterCurve>> {
        let each = |(used, curves): (&StepEdgeUse, &Vec<StepParameterCurve>)| match &curves[..] {
            [only] => Some(only.clone()),
            [first, second] => {
                let seam = seams.iter().position(|edge| *edge == used.edge)?;
                // The two uses of a seam run against each other and take one curve each.
                let second_for = (bits >> seam & 1 == 1) != used.reversed;
                Some(if second_for { second.clone() } else { first.clone() })
            }
            _ => None,
        };
        uses.iter().zip(choices).map(each).collect()
    };
    let mut best: Option<(Fit, Vec<Option<StepParameterCurve>>)> = None;
    for bits in 0..1_usize << seams.len() {
        let picked = pick(bits);
        let fit = Fit::of(uses, &picked, reversed);
        if best.as_ref().is_none_or(|(least, _)| fit.beats(least)) {
            best = Some((fit, picked));
        }
    }
    let Some((_, picked)) = best else { return };
    for (used, parameters) in uses.iter_mut().zip(picked) {
        used.parameters = parameters;
    }
}

/// How well a choice of parameter curves makes a loop.
struct Fit {
    /// Sum of the gaps between consecutive curves.
    jumps: f64,
    /// Sum of the distances between their ends, for scale.
    length: f64,
    /// Whether the polygon of their ends has the face inside.
    inside: bool,
}

impl Fit {
    fn of(uses: &[StepEdgeUse], curves: &[Option<StepParameterCurve>], reversed: bool) -> Self {
        let mut ends = Vec::with_capacity(2 * uses.len());
        for (used, curve) in uses.iter().zip(curves) {
            let Some(curve) = curve else { continue };
            let [start, end] = curve.ends.map(|t| curve.curve.point(t));
            ends.push(if used.reversed { [end, start] } else { [start, end] });
        }
        let mut fit = Self { jumps: 0.0, length: 0.0, inside: false };
        let mut area = 0.0;
        let next = |at: usize| ends[(at + 1) % ends.len()][0];
        for (at, [start, end]) in ends.iter().enumerate() {
            fit.length += start.distance(*end);
            fit.jumps += end.distance(next(at));
            area += start.perp_dot(*end) + end.perp_dot(next(at));
        }
        fit.inside = (area > 0.0) != reversed;
        fit
    }

    fn beats(&self, other: &Self) -> bool {
        let slack = tolerance::STEP_VERTEX_REL * self.length.max(other.length);
        if (self.jumps - other.jumps).abs() <= slack {
            self.inside && !other.inside
        } else {
            self.jumps < other.jumps
        }
    }
}
