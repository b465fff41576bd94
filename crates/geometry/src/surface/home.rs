//! Parameters beyond the domain of a periodic surface, brought home.
//!
//! Source: none.
//! Differs: closed formulas hold anywhere, so that only along splines the copies matter.
//! Ends because: closed formulas.
//! Cost: a few operations; a list where a rectangle is cut.
//! Not promised: rectangles wider than a few periods.

use super::{ParametricSurface, Surface, SurfaceJet};
use crate::curve::{Curve, Range, Rect};
use crate::tolerance::STRAIGHT_REL;
use glam::DVec2;

/// The jet at any parameters: those of a periodic surface are brought into its domain first.
pub(crate) fn jet(surface: &Surface, at: DVec2) -> SurfaceJet {
    let at = wrapped(surface, at);
    surface.jet(at.x, at.y)
}

/// Parameters of the same point within the domain.
pub(crate) fn wrapped(surface: &Surface, at: DVec2) -> DVec2 {
    let (domain, periods) = (surface.domain(), surface.periods());
    DVec2::new(wrap(at.x, domain.u, periods[0]), wrap(at.y, domain.v, periods[1]))
}

fn wrap(t: f64, range: Range, period: Option<f64>) -> f64 {
    match period {
        Some(period) if !range.contains(t) => range.clamp(t - period * ((t - range.low) / period).floor()),
        _ => t,
    }
}

/// Along which parameters a surface is a spline, which nothing is known of outside its domain; closed formulas hold
/// anywhere.
pub(crate) fn spline_axes(surface: &Surface) -> [bool; 2] {
    let is_spline = |curve: &Curve| matches!(curve, Curve::Nurbs(_));
    match surface {
        Surface::Nurbs(_) => [true, true],
        Surface::Revolution(revolution) => [false, is_spline(revolution.curve())],
        Surface::Extrusion(extrusion) => [is_spline(extrusion.curve()), false],
        _ => [false, false],
    }
}

/// A rectangle cut where it leaves the domain of a spline; what is beyond one that does not close is left out.
pub(crate) fn home_parts(surface: &Surface, rect: Rect) -> Vec<Rect> {
    let (domain, splines) = (surface.domain(), spline_axes(surface));
    if (!splines[0] || domain.u.encloses(rect.u)) && (!splines[1] || domain.v.encloses(rect.v)) {
        return vec![rect];
    }
    let periods = surface.periods();
    let cut = |range: Range, domain: Range, period: Option<f64>, spline: bool| {
        if !spline || domain.encloses(range) {
            return vec![range];
        }
        let Some(period) = period else {
            return range.intersection(domain).into_iter().collect();
        };
        let mut ends = vec![range.low];
        ends.extend([-1.0, 0.0, 1.0, 2.0].map(|k| domain.low + k * period));
        ends.push(range.high);
        ends.retain(|t| range.contains(*t));
        ends.dedup();
        ends.windows(2).map(|pair| Range::new(pair[0], pair[1])).collect()
    };
    let across = cut(rect.v, domain.v, periods[1], splines[1]);
    let along = cut(rect.u, domain.u, periods[0], splines[0]);
    along.into_iter().flat_map(|u| across.iter().map(move |v| Rect::new(u, *v))).collect()
}

/// The rectangle of the same points within the domain, where there is one.
pub(crate) fn home(surface: &Surface, rect: Rect) -> Option<Rect> {
    let (domain, periods, splines) = (surface.domain(), surface.periods(), spline_axes(surface));
    let part = |range: Range, domain: Range, period: Option<f64>, spline: bool| {
        if !spline || domain.encloses(range) {
            return Some(range);
        }
        let period = period?;
        let shift = -period * ((range.middle() - domain.low) / period).floor();
        let moved = Range::new(range.low + shift, range.high + shift);
        // The shift is rounded.
        let slack = period * STRAIGHT_REL;
        let wide = Range::new(domain.low - slack, domain.high + slack);
        wide.encloses(moved).then(|| Range::new(domain.clamp(moved.low), domain.clamp(moved.high)))
    };
    let u = part(rect.u, domain.u, periods[0], splines[0])?;
    Some(Rect::new(u, part(rect.v, domain.v, periods[1], splines[1])?))
}

/// The part of a surface's domain that stands for a rectangle: the rectangle of the same points, or along a spline whose
/// domain it leaves all of it.
pub(crate) fn part_of_domain(surface: &Surface, rect: Rect) -> Rect {
    if let Some(part) = home(surface, rect) {
        return part;
    }
    let (domain, splines) = (surface.domain(), spline_axes(surface));
    let part = |range: Range, domain: Range, spline: bool| {
        if !spline || domain.encloses(range) { range } else { domain }
    };
    Rect::new(part(rect.u, domain.u, splines[0]), part(rect.v, domain.v, splines[1]))
}
