//! How the parameters 0 to 1 of a Bézier piece run over those of the feature that it is a part of.
//!
//! Source: a rational quadratic arc runs through the tangent of half the angle at constant speed; of a hyperbola, the
//! hyperbolic tangent.
//! Differs: nothing.
//! Ends because: closed formulas.
//! Cost: one arc tangent for a round parameter.
//! Not promised: the last bits; what is decided from these parameters allows for rounding.

use crate::curve::{Curve, Range, Rect};
use crate::surface::Surface;
use crate::tolerance::LOCAL_PARAMETER_REL;
use glam::DVec2;

/// How one parameter runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At constant speed.
    Even,
    /// Through an angle.
    Round,
    /// Through the parameter of a hyperbola.
    Hyperbolic,
}

impl Pace {
    /// The parameter of the feature at the fraction `s` of the piece.
    fn at(self, range: Range, s: f64) -> f64 {
        if s == 0.0 || s == 1.0 || self == Self::Even {
            return range.at(s);
        }
        let quarter = 0.25 * range.width();
        let offset = 2.0 * s - 1.0;
        range.middle()
            + 2.0
                * match self {
                    Self::Round => (offset * quarter.tan()).atan(),
                    _ => (offset * quarter.tanh()).atanh(),
                }
    }

    /// The fraction at a parameter; outside the piece it goes on at constant speed.
    fn fraction(self, range: Range, t: f64) -> f64 {
        if self == Self::Even || !range.contains(t) {
            return (t - range.low) / range.width();
        }
        let (half, quarter) = (0.5 * (t - range.middle()), 0.25 * range.width());
        let share =
            if self == Self::Round { half.tan() / quarter.tan() } else { half.tanh() / quarter.tanh() };
        0.5 + 0.5 * share
    }

    const fn of_curve(curve: &Curve) -> Self {
        match curve {
            Curve::Circle(_) | Curve::Ellipse(_) => Self::Round,
            Curve::Hyperbola(_) => Self::Hyperbolic,
            Curve::Line(_) | Curve::Parabola(_) | Curve::Helix(_) | Curve::Nurbs(_) => Self::Even,
        }
    }
}

/// The parameters of a feature that a piece covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The rectangle; the second range is empty for a curve, both for a point.
    pub rect: Rect,
    /// How each parameter runs.
    pub paces: [Pace; 2],
}

impl Span {
    /// Of a single point.
    pub const POINT: Self = Self { rect: Rect::new(NONE, NONE), paces: [Pace::Even; 2] };

    pub(super) fn of_curve(curve: &Curve, range: Range) -> Self {
        Self { rect: Rect::new(range, NONE), paces: [Pace::of_curve(curve), Pace::Even] }
    }

    pub(super) fn of_surface(surface: &Surface, rect: Rect) -> Self {
        let paces = match surface {
            Surface::Plane(_) | Surface::Nurbs(_) => [Pace::Even; 2],
            Surface::Cylinder(_) | Surface::Cone(_) | Surface::Paraboloid(_) => [Pace::Round, Pace::Even],
            Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Torus(_) => [Pace::Round; 2],
            Surface::Revolution(revolution) => [Pace::Round, Pace::of_curve(revolution.curve())],
            Surface::Extrusion(extrusion) => [Pace::of_curve(extrusion.curve()), Pace::Even],
        };
        Self { rect, paces }
    }

    /// The feature's parameters at a point of the piece.
    pub fn parameters(&self, local: DVec2) -> DVec2 {
        DVec2::new(self.paces[0].at(self.rect.u, local.x), self.paces[1].at(self.rect.v, local.y))
    }

    /// The rectangle of the feature's parameters over a rectangle of the piece.
    pub fn part(&self, low: DVec2, high: DVec2) -> Rect {
        let (low, high) = (self.parameters(low), self.parameters(high));
        Rect::new(Range::new(low.x, high.x), Range::new(low.y, high.y))
    }

    /// What [`Span::local`] and [`Span::parameters`] may lose, in parameters of the piece: more where it is a short part of a
    /// long range of the feature's parameters.
    pub fn rounding(&self) -> DVec2 {
        let of = |range: Range| {
            let most = range.low.abs().max(range.high.abs());
            LOCAL_PARAMETER_REL * if range.width() > 0.0 { 1.0 + most / range.width() } else { 1.0 }
        };
        DVec2::new(of(self.rect.u), of(self.rect.v))
    }

    /// Where in the piece the feature's parameters are.
    pub fn local(&self, parameters: DVec2) -> DVec2 {
        let fraction = |i: usize, range: Range, t: f64| {
            if range.width() > 0.0 { self.paces[i].fraction(range, t) } else { 0.0 }
        };
        DVec2::new(fraction(0, self.rect.u, parameters.x), fraction(1, self.rect.v, parameters.y))
    }
}

const NONE: Range = Range::new(0.0, 0.0);
