//! Rational Bézier curves: the pieces that bounds and subdivision work on.
//!
//! Source: de Casteljau's triangle; degree elevation by the classical blend.
//! Differs: points are homogeneous, so that rational and polynomial curves are one code.
//! Ends because: loops run over control points.
//! Cost: degree² blends for a split.
//! Not promised: the exact curve after a split: each split moves points by a few roundings of the largest
//! coordinate, which [`Bezier::roundings`] counts.

use super::knots::Blend;
use super::nurbs::{check_homogeneous, homogeneous, project, xyz};
use super::tile::bezier_taylor;
use super::{CurveJet, NurbsError, ParametricCurve, Range, Subdivide};
use glam::{DVec3, DVec4};

/// A rational Bézier curve over the parameters 0 to 1.
///
/// ```
/// use clearance_geometry::{DVec3, curve::{Bezier, ParametricCurve, Subdivide}};
/// let curve = Bezier::new(&[DVec3::ZERO, DVec3::Y, DVec3::X], None)?;
/// let [left, right] = curve.split(0.5);
/// assert_eq!(left.point(1.0), right.point(0.0));
/// # Ok::<(), clearance_geometry::curve::NurbsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bezier {
    points: Vec<DVec4>,
    /// Blends that a control point has gone through since the curve was given.
    blends: u32,
}

impl Bezier {
    /// From control points, at least two, and weights for a rational curve.
    ///
    /// # Errors
    /// As for [`super::NurbsCurve::new`].
    pub fn new(points: &[DVec3], weights: Option<&[f64]>) -> Result<Self, NurbsError> {
        if points.len() < 2 {
            return Err(NurbsError::DegreeZero { direction: super::Direction::U });
        }
        let points = homogeneous(points, weights)?;
        check_homogeneous(&points)?;
        Ok(Self { points, blends: 0 })
    }

    pub(crate) fn from_checked(points: Vec<DVec4>) -> Self {
        let blends = Self::extraction_blends(points.len());
        Self { points, blends }
    }

    /// Blends behind a control point of a spline's piece with so many: one per degree.
    pub(crate) const fn extraction_blends(count: usize) -> u32 {
        count as u32
    }

    /// Number of control points less one.
    pub fn degree(&self) -> usize {
        self.points.len() - 1
    }

    /// Control points as (x·w, y·w, z·w, w).
    pub fn homogeneous_points(&self) -> &[DVec4] {
        &self.points
    }

    /// Its control points as (x·w, y·w, z·w, w), without a copy.
    pub(crate) fn into_points(self) -> Vec<DVec4> {
        self.points
    }

    /// Control points in space: the curve lies in their convex hull.
    pub fn hull(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.points.iter().map(|&p| project(p))
    }

    /// How many rounded blends lie behind a control point: what a bound must allow for.
    pub const fn roundings(&self) -> u32 {
        self.blends
    }

    /// The part over `range`, its parameters running from 0 to 1 again.
    #[must_use]
    pub fn restricted(&self, range: Range) -> Self {
        let mut part = self.clone();
        if range.high < 1.0 {
            blend_in_place(&mut part.points, range.high, Keep::Before);
            part.blends += part.degree() as u32;
        }
        if range.low > 0.0 {
            let low = if range.high > 0.0 { (range.low / range.high).min(1.0) } else { 0.0 };
            blend_in_place(&mut part.points, low, Keep::After);
            part.blends += part.degree() as u32 + 1;
        }
        part
    }

    /// The same curve with one control point more.
    #[must_use]
    pub fn elevated(&self) -> Self {
        let (n, p) = (self.points.len(), &self.points);
        let at = |i: usize| {
            if i == 0 || i == n {
                return p[if i == 0 { 0 } else { n - 1 }];
            }
            p[i].blend(p[i - 1], i as f64 / n as f64)
        };
        Self { points: (0..=n).map(at).collect(), blends: self.blends + 1 }
    }
}

impl ParametricCurve for Bezier {
    type Vector = DVec3;

    fn jet(&self, t: f64) -> CurveJet {
        let taylor = bezier_taylor(&self.points, t);
        let over = 1.0 / taylor.value.w;
        let point = xyz(taylor.value) * over;
        let first = (xyz(taylor.first) - point * taylor.first.w) * over;
        let second = taylor.half_second * 2.0;
        CurveJet {
            point,
            first,
            second: (xyz(second) - first * (2.0 * taylor.first.w) - point * second.w) * over,
        }
    }

    fn domain(&self) -> Range {
        Range::new(0.0, 1.0)
    }
}

impl Subdivide for Bezier {
    fn split(&self, t: f64) -> [Self; 2] {
        [Keep::Before, Keep::After].map(|keep| {
            let mut part = self.clone();
            blend_in_place(&mut part.points, t, keep);
            part.blends += part.degree() as u32;
            part
        })
    }
}

/// Which part of a curve to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Before,
    After,
}

/// De Casteljau's triangle at `t`, leaving the control points of one part.
pub(crate) fn blend_in_place(points: &mut [DVec4], t: f64, keep: Keep) {
    blend_strided(points, 0, 1, points.len() - 1, t, keep);
}

/// [`blend_in_place`] on the points `start`, `start + stride`, …, `degree + 1` of them.
pub(crate) fn blend_strided(
    points: &mut [DVec4],
    start: usize,
    stride: usize,
    degree: usize,
    t: f64,
    keep: Keep,
) {
    let at = |i: usize| start + i * stride;
    for round in 1..=degree {
        match keep {
            Keep::Before => {
                for i in (round..=degree).rev() {
                    points[at(i)] = points[at(i - 1)].blend(points[at(i)], t);
                }
            }
            Keep::After => {
                for i in 0..=degree - round {
                    points[at(i)] = points[at(i)].blend(points[at(i + 1)], t);
                }
            }
        }
    }
}
