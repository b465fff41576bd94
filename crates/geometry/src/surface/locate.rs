//! The parameters of the point of a surface or curve nearest to a given point.
//!
//! Source: Newton's method on half the squared distance, restricted to a box of parameters.
//! Differs: where the second derivatives make no descent, the Gauss–Newton metric takes their place; every step is
//! halved until it lowers the distance.
//! Ends because: accepted steps lower the distance, and there are at most [`STEPS`].
//! Cost: a grid of starts unless one is given; then a few evaluations, since it converges quadratically near the
//! surface.
//! Not promised: the nearest of several local minima, unless a start of the grid leads to it. It is meant for points
//! on or close to the shape.

use super::{ParametricSurface, Surface, SurfaceJet};
use crate::curve::{Curve, ParametricCurve, Range, Rect};
use crate::tolerance::LOCATE_STEP_REL;
use glam::{DVec2, DVec3};

/// Newton steps.
const STEPS: usize = 60;

/// Halvings of a step.
const HALVINGS: usize = 30;

/// Starts along each parameter, per piece of a spline or quarter of a turn.
const STARTS: usize = 4;

/// Most starts along a parameter.
const MOST_STARTS: usize = 64;

/// A point of a shape with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located<P> {
    /// t of a curve, (u, v) of a surface.
    pub parameters: P,
    /// The point there.
    pub point: DVec3,
    /// Its distance from the point that was asked about.
    pub distance: f64,
}

impl Surface {
    /// The point over `within` nearest to `target`, searched from `start` or else from a grid.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Pose, surface::{ParametricSurface, Surface, Torus}};
    /// let torus = Surface::from(Torus::new(Pose::IDENTITY, 3.0, 1.0)?);
    /// let found = torus.locate(torus.point(2.0, 5.0), torus.domain(), None);
    /// assert!((found.parameters.x - 2.0).abs() + (found.parameters.y - 5.0).abs() < 1e-12);
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn locate(&self, target: DVec3, within: Rect, start: Option<DVec2>) -> Located<DVec2> {
        self.locate_jet(target, within, start).0
    }

    /// The same with the derivatives there.
    pub(crate) fn locate_jet(
        &self,
        target: DVec3,
        within: Rect,
        start: Option<DVec2>,
    ) -> (Located<DVec2>, SurfaceJet) {
        let start = start.unwrap_or_else(|| {
            let mut best = (f64::INFINITY, DVec2::new(within.u.low, within.v.low));
            for at in self.starts(within) {
                let distance = self.point(at.x, at.y).distance_squared(target);
                if distance < best.0 {
                    best = (distance, at);
                }
            }
            best.1
        });
        descend(self, target, within, start)
    }

    /// A grid of parameters from which searches start.
    pub(crate) fn starts(&self, within: Rect) -> impl Iterator<Item = DVec2> {
        let pieces = self.piece_counts();
        let (us, vs) = (starts(within.u, pieces[0]), starts(within.v, pieces[1]));
        us.into_iter().flat_map(move |u| vs.clone().into_iter().map(move |v| DVec2::new(u, v)))
    }

    /// Pieces along u and v over the whole domain, for the density of starts.
    fn piece_counts(&self) -> [usize; 2] {
        let of = |curve: &Curve| match curve {
            Curve::Nurbs(nurbs) => nurbs.knots().piece_count(),
            _ => 4,
        };
        match self {
            Self::Nurbs(nurbs) => nurbs.tile_counts(),
            Self::Revolution(revolution) => [4, of(revolution.curve())],
            Self::Extrusion(extrusion) => [of(extrusion.curve()), 1],
            _ => [4, 4],
        }
    }
}

impl Curve {
    /// The point over `within` nearest to `target`, searched from `start` or else from evenly spaced starts.
    pub fn locate(&self, target: DVec3, within: Range, start: Option<f64>) -> Located<f64> {
        let pieces = if let Self::Nurbs(nurbs) = self { nurbs.knots().piece_count() } else { 4 };
        let start = start.unwrap_or_else(|| {
            let distance = |t: &f64| self.point(*t).distance_squared(target);
            let starts = starts(within, pieces);
            starts.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(within.low)
        });
        // A curve is the surface that does not depend on v.
        let (found, _) =
            descend(&Ruled(self), target, Rect::new(within, Range::new(0.0, 0.0)), DVec2::new(start, 0.0));
        Located { parameters: found.parameters.x, point: found.point, distance: found.distance }
    }
}

struct Ruled<'a>(&'a Curve);

impl ParametricSurface for Ruled<'_> {
    fn jet(&self, u: f64, _: f64) -> SurfaceJet {
        let jet = self.0.jet(u);
        SurfaceJet { point: jet.point, u: jet.first, uu: jet.second, ..SurfaceJet::default() }
    }

    fn domain(&self) -> Rect {
        Rect::new(self.0.domain(), Range::new(0.0, 0.0))
    }
}

/// Evenly spaced parameters of a range; of an unbounded one, around zero.
fn starts(range: Range, pieces: usize) -> Vec<f64> {
    let near = Range::new(range.low.max(-1.0).min(range.high), range.high.min(1.0).max(range.low));
    let range = if range.is_bounded() { range } else { near };
    let count = (STARTS * pieces).min(MOST_STARTS);
    (0..=count).map(|k| range.at(k as f64 / count as f64)).collect()
}

fn descend<S: ParametricSurface + ?Sized>(
    surface: &S,
    target: DVec3,
    within: Rect,
    start: DVec2,
) -> (Located<DVec2>, SurfaceJet) {
    let clamp = |p: DVec2| DVec2::new(within.u.clamp(p.x), within.v.clamp(p.y));
    let mut at = clamp(start);
    let mut jet = surface.jet(at.x, at.y);
    let mut square = jet.point.distance_squared(target);
    for _ in 0..STEPS {
        let step = newton_step(&jet, jet.point - target, at, within);
        // Of steps that would not move the point there is nothing to be had.
        let (still, moved) =
            (LOCATE_STEP_REL * jet.point.length(), (jet.u * step.x + jet.v * step.y).length());
        let mut factor = 1.0;
        let mut accepted = None;
        for _ in 0..HALVINGS {
            if factor * moved <= still {
                break;
            }
            let next = clamp(at + factor * step);
            let there = surface.jet(next.x, next.y);
            let distance = there.point.distance_squared(target);
            if distance < square {
                accepted = Some((next, there, distance));
                break;
            }
            factor *= 0.5;
        }
        // No lower point along the step: this is as near as rounding tells.
        let Some((next, there, distance)) = accepted else { break };
        let moved = (there.point - jet.point).length();
        (at, jet, square) = (next, there, distance);
        if moved <= LOCATE_STEP_REL * jet.point.length() {
            break;
        }
    }
    (Located { parameters: at, point: jet.point, distance: square.sqrt() }, jet)
}

/// The step to the minimum of the quadratic model, parameters at a bound that push outward left where they are.
fn newton_step(jet: &SurfaceJet, rest: DVec3, at: DVec2, within: Rect) -> DVec2 {
    let gradient = DVec2::new(rest.dot(jet.u), rest.dot(jet.v));
    let held = |t: f64, range: Range, slope: f64| {
        (t <= range.low && slope > 0.0) || (t >= range.high && slope < 0.0)
    };
    let free = [!held(at.x, within.u, gradient.x), !held(at.y, within.v, gradient.y)];
    let (e, f, g) = (jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared());
    let exact = [e + rest.dot(jet.uu), f + rest.dot(jet.uv), g + rest.dot(jet.vv)];
    // The second derivatives where they make a minimum, the metric alone otherwise.
    solve(exact, gradient, free).or_else(|| solve([e, f, g], gradient, free)).unwrap_or_else(|| {
        // Nothing but slopes, as at a pole.
        let along = |slope: f64, square: f64| if square > 0.0 { -slope / square } else { 0.0 };
        DVec2::new(along(gradient.x, e), along(gradient.y, g))
    })
}

/// −H⁻¹ · gradient over the free parameters, if H is positive definite there.
fn solve([a, b, c]: [f64; 3], gradient: DVec2, free: [bool; 2]) -> Option<DVec2> {
    match free {
        [true, true] => {
            let determinant = a * c - b * b;
            // Comfortably, so that the step is not made of rounding.
            (a > 0.0 && c > 0.0 && determinant > LOCATE_STEP_REL * a * c).then(|| {
                -DVec2::new(c * gradient.x - b * gradient.y, a * gradient.y - b * gradient.x) / determinant
            })
        }
        [true, false] => (a > 0.0).then(|| DVec2::new(-gradient.x / a, 0.0)),
        [false, true] => (c > 0.0).then(|| DVec2::new(0.0, -gradient.y / c)),
        [false, false] => Some(DVec2::ZERO),
    }
}
