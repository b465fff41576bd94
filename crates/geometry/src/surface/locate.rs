//! The parameters of the point of a surface or curve nearest to a given point.
//!
//! Source: Newton's method on half the squared distance, restricted to a box of parameters.
//! Differs: where the second derivatives make no descent, the Gauss–Newton metric takes their place; every step is
//! halved until it lowers the distance. Without a start, a search that ends off the point is held against the hulls of all
//! parts of the shape: on one that winds past itself it may have ended on the wrong sheet.
//! Ends because: accepted steps lower the distance, and there are at most [`STEPS`]; of parts see `branch_and_bound`.
//! Cost: a grid of starts unless one is given; then a few evaluations, since it converges quadratically near the
//! surface. Off the surface also that of bounding its parts.
//! Not promised: from a start, the nearest of several local minima; without one, the nearest of those whose distances differ
//! by less than a share ([`NEAREST_SHARE`]) of them.

use super::branch_and_bound::{Bounded, nearer, piece_of};
use super::home::{home, home_parts, jet};
use super::{ParametricSurface, Surface, SurfaceJet};
use crate::bound::{ConvexBound, DerivativeBound, Hull};
use crate::curve::{Curve, ParametricCurve, Range, Rect};
use crate::tolerance::{LOCATE_STEP_REL, LOCATED_REL};
use glam::{DVec2, DVec3};

/// Newton steps.
const STEPS: usize = 60;

/// Halvings of a step.
const HALVINGS: usize = 30;

/// A place is not the nearest where another's distance is less than this share of its own.
/// Larger: about the middle of a sphere all of it is looked at. Smaller: far from a surface the wrong fold may do.
const NEAREST_SHARE: f64 = 63.0 / 64.0;

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

/// A point of a surface and the derivatives there.
pub(crate) type Found = (Located<DVec2>, SurfaceJet);

impl Located<DVec2> {
    /// Whether it is the point that was asked about, but for rounding of the coordinates and of the parameters.
    pub(super) fn is_on(&self, target: DVec3, jet: &SurfaceJet) -> bool {
        let moved = jet.u.length() * self.parameters.x.abs() + jet.v.length() * self.parameters.y.abs();
        self.distance <= LOCATED_REL * (target.length() + self.point.length() + moved)
    }

    const fn of_curve(self) -> Located<f64> {
        Located { parameters: self.parameters.x, point: self.point, distance: self.distance }
    }
}

/// Nothing found: what comes instead is within `off`, but for rounding.
fn farther_than(off: f64) -> Found {
    let distance = off / NEAREST_SHARE;
    (Located { parameters: DVec2::NAN, point: DVec3::NAN, distance }, SurfaceJet::default())
}

impl Surface {
    /// The point over `within` nearest to `target`; or where a descent from `start` ends. Beyond its domain a periodic
    /// surface goes on.
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

    /// The place over `within` where the surface comes nearest to `point`, if that is within `off` of it.
    pub fn place_of(&self, point: DVec3, within: Rect, off: f64) -> Option<Located<DVec2>> {
        Some(self.nearer(point, within, farther_than(off), NEAREST_SHARE).0).filter(|at| at.distance <= off)
    }

    /// The same as [`Surface::locate`] with the derivatives there.
    pub(crate) fn locate_jet(&self, target: DVec3, within: Rect, start: Option<DVec2>) -> Found {
        match start {
            Some(start) => self.descend(target, within, start),
            None => {
                let found = self.located_near(target, within);
                self.nearer(target, within, found, NEAREST_SHARE)
            }
        }
    }

    /// Where a descent from the nearest of some places ends.
    pub(crate) fn located_near(&self, target: DVec3, within: Rect) -> Found {
        self.descend(target, within, self.near_start(target, within))
    }

    /// What was found, unless there is a place over `within` whose distance is less than `share` times that.
    pub(crate) fn nearer(&self, target: DVec3, within: Rect, found: Found, share: f64) -> Found {
        if found.0.is_on(target, &found.1) {
            return found;
        }
        let within = self.reached(within, target, found.0.distance);
        let parts = home_parts(self, within).into_iter().filter_map(|part| {
            let own = home(self, part)?;
            Some((own, DVec2::new(part.u.low - own.u.low, part.v.low - own.v.low)))
        });
        nearer(self, target, parts, found, share)
    }

    fn descend(&self, target: DVec3, within: Rect, start: DVec2) -> Found {
        let Rect { u, v } = self.domain();
        if u.encloses(within.u) && v.encloses(within.v) {
            descend(self, target, within, start)
        } else {
            descend(&Unrolled(self), target, within, start)
        }
    }
}

impl Curve {
    /// The point over `within` nearest to `target`; or where a descent from `start` ends.
    pub fn locate(&self, target: DVec3, within: Range, start: Option<f64>) -> Located<f64> {
        // A curve is the surface that does not depend on v.
        let part = Rect::new(within, Range::new(0.0, 0.0));
        let from = start.unwrap_or_else(|| self.near_start(target, within));
        let found = descend(&Ruled(self), target, part, DVec2::new(from, 0.0));
        if start.is_some() || found.0.is_on(target, &found.1) {
            return found.0.of_curve();
        }
        self.nearer(target, within, found)
    }

    /// The place over `within` where the curve comes nearest to `point`, if that is within `off` of it.
    pub fn place_of(&self, point: DVec3, within: Range, off: f64) -> Option<Located<f64>> {
        Some(self.nearer(point, within, farther_than(off))).filter(|at| at.distance <= off)
    }

    /// What was found, unless there is a nearer place.
    fn nearer(&self, target: DVec3, within: Range, found: Found) -> Located<f64> {
        let part = Rect::new(self.reached(within, target, found.0.distance), Range::new(0.0, 0.0));
        nearer(&Ruled(self), target, [(part, DVec2::ZERO)], found, NEAREST_SHARE).0.of_curve()
    }
}

/// A periodic surface beyond its domain.
struct Unrolled<'a>(&'a Surface);

impl ParametricSurface for Unrolled<'_> {
    fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        jet(self.0, DVec2::new(u, v))
    }

    fn domain(&self) -> Rect {
        self.0.domain()
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

impl Bounded for Ruled<'_> {
    fn hull_over(&self, part: Rect) -> Hull {
        self.0.hull(part.u)
    }

    fn bends(&self, part: Rect) -> [f64; 3] {
        [self.0.derivative_bounds(part.u).second, 0.0, 0.0]
    }

    fn piece(&self, axis: usize, at: f64) -> Option<Range> {
        if axis == 0 { piece_of(self.0, at) } else { None }
    }
}

/// Where a descent within a box ends.
pub(super) fn descend<S: ParametricSurface + ?Sized>(
    surface: &S,
    target: DVec3,
    within: Rect,
    start: DVec2,
) -> Found {
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
