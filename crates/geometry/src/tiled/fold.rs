//! Patches cut along the knots across which their surface folds, so that every fold is an edge.
//!
//! Source: 001 §II, whose patches are smooth inside; knots of low continuity are boundaries between features.
//! Differs: a knot that allows a fold but has none (those of a circle as a spline) is no boundary, unless all are asked
//! for. The parts are restricted to their own side of the knots, so that their normals at an edge are their own.
//! Ends because: knots, samples and periods are counted.
//! Cost: nine pairs of normals for each tile beside a knot of continuity 0; one knot refinement for each part.
//! Not promised: a fold that shows only between two samples stays inside a face.

use super::crease::{Fold, folds};
use super::{Patch, TiledError};
use crate::curve::{Curve, Range, Rect};
use crate::surface::home::spline_axes;
use crate::surface::{Extrusion, ParametricSurface, Revolution, Surface};
use crate::tolerance::STRAIGHT_REL;

/// A range of one parameter, and the side of the folds that it is on.
#[derive(Clone, Copy)]
struct Strip {
    range: Range,
    /// From fold to fold, or to an end of the domain.
    side: Range,
}

impl Patch {
    /// The patch cut along the knots across which its surface folds by more than [`SMOOTH_EDGE_RAD`] or may be torn, and
    /// at the seam of a closed spline that its rectangle runs across; along u first. One that folds nowhere, or has trim
    /// loops, is its only part.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, surface::NurbsSurface, tiled::Patch};
    /// let row = |x: f64, z: f64| vec![DVec3::new(x, 0.0, z), DVec3::new(x, 1.0, z)];
    /// let knots = [vec![0.0, 0.0, 1.0, 2.0, 2.0], vec![0.0, 0.0, 1.0, 1.0]];
    /// let roof = |height: f64| {
    ///     NurbsSurface::new([1, 1], knots.clone(), &[row(0.0, 0.0), row(1.0, height), row(2.0, 0.0)], None)
    /// };
    /// assert_eq!(Patch::new(roof(1.0)?).parts()?.len(), 2);
    /// assert_eq!(Patch::new(roof(0.0)?).parts()?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When rounding makes a weight of a part vanish.
    ///
    /// [`SMOOTH_EDGE_RAD`]: crate::tolerance::SMOOTH_EDGE_RAD
    pub fn parts(&self) -> Result<Vec<Self>, TiledError> {
        self.cut(|fold| fold.shows())
    }

    /// Cut along all knots that allow a fold: parts that stay the same however the surface changes.
    pub(crate) fn foldable_parts(&self) -> Result<Vec<Self>, TiledError> {
        self.cut(|_| true)
    }

    fn cut(&self, is_cut: impl Fn(&Fold<'_>) -> bool) -> Result<Vec<Self>, TiledError> {
        // What is no rectangle is left as it is, for the one who tiles it to say so.
        if !self.trim.is_empty() || self.check(0).is_err() {
            return Ok(vec![self.clone()]);
        }
        let (domain, periods, splines) =
            (self.surface.domain(), self.surface.periods(), spline_axes(&self.surface));
        let home_u = home_ranges(self.rect.u, domain.u, periods[0].filter(|_| splines[0]));
        let home_v = home_ranges(self.rect.v, domain.v, periods[1].filter(|_| splines[1]));
        // All of a spline that the rectangle touches: folds along its ends say on which side of them it is.
        let around = Rect::new(
            if splines[0] { domain.u } else { self.rect.u },
            if splines[1] { domain.v } else { self.rect.v },
        );
        let found = |rect: Rect, at_u: bool, homes: &[Range]| -> Vec<f64> {
            let touches = |fold: &Fold<'_>| homes.iter().any(|range| range.contains(fold.at));
            let folds = folds(&self.surface, rect).into_iter();
            folds.filter(|f| f.is_at_u() == at_u && touches(f) && is_cut(f)).map(|f| f.at).collect()
        };
        let at_u = found(Rect::new(around.u, self.rect.v), true, &home_u);
        let at_v = found(Rect::new(self.rect.u, around.v), false, &home_v);
        let (along, across) = (strips(&home_u, around.u, &at_u), strips(&home_v, around.v, &at_v));
        let mut parts = Vec::with_capacity(along.len() * across.len());
        for u in &along {
            for v in &across {
                let side = Rect::new(u.side, v.side);
                let surface =
                    if side == around { self.surface.clone() } else { restricted(&self.surface, side)? };
                let rect = Rect::new(u.range, v.range);
                parts.push(Self { surface, rect, reversed: self.reversed, trim: Vec::new() });
            }
        }
        Ok(parts)
    }
}

/// The parts of a range in the periods of a closed spline, moved into its domain; the range itself of anything else.
fn home_ranges(range: Range, domain: Range, period: Option<f64>) -> Vec<Range> {
    let Some(period) = period.filter(|_| !domain.encloses(range)) else { return vec![range] };
    let first = ((range.low - domain.low) / period).floor();
    let mut found = Vec::new();
    // No more than a period wide, the range lies in two periods at most; a third is for rounding.
    for turn in [first, first + 1.0, first + 2.0] {
        let moved = Range::new(range.low - turn * period, range.high - turn * period);
        found.extend(moved.intersection(domain).filter(|part| part.width() > STRAIGHT_REL * period));
    }
    found
}

fn strips(ranges: &[Range], domain: Range, folds: &[f64]) -> Vec<Strip> {
    let mut ends = vec![domain.low];
    ends.extend(folds.iter().filter(|&&at| domain.low < at && at < domain.high));
    ends.push(domain.high);
    let sides = || ends.windows(2).map(|pair| Range::new(pair[0], pair[1]));
    let strip = |range: &Range, side: Range| {
        let part = range.intersection(side).filter(|part| part.width() > STRAIGHT_REL * range.width());
        part.map(|range| Strip { range, side })
    };
    ranges
        .iter()
        .flat_map(|range| sides().filter_map(|side| strip(range, side)).collect::<Vec<_>>())
        .collect()
}

/// The part of a spline over a rectangle, with the same parameters.
fn restricted(surface: &Surface, rect: Rect) -> Result<Surface, TiledError> {
    let part = |curve: &Curve, range: Range| match curve {
        Curve::Nurbs(nurbs) if nurbs.knots().domain() != range => nurbs.restricted(range).map(Curve::from),
        other => Ok(other.clone()),
    };
    Ok(match surface {
        Surface::Nurbs(nurbs) => nurbs.restricted(rect)?.into(),
        Surface::Revolution(revolution) => {
            let curve = part(revolution.curve(), rect.v)?;
            Revolution::new(curve, revolution.origin(), revolution.axis())?.into()
        }
        Surface::Extrusion(extrusion) => {
            Extrusion::new(part(extrusion.curve(), rect.u)?, extrusion.direction())?.into()
        }
        other => other.clone(),
    })
}
