//! Rational Bézier patches: what bounds and subdivision work on.
//!
//! Source: de Casteljau's triangle along one parameter at a time.
//! Differs: points are homogeneous, so that rational and polynomial patches are one code.
//! Ends because: loops run over control points.
//! Cost: (degree + 1)³ blends for a split of a bicubic.
//! Not promised: the exact patch after a split: each split moves points by a few roundings of the largest
//! coordinate, which [`BezierPatch::roundings`] counts.

use super::tile::bernstein_jet;
use super::{ParametricSurface, SurfaceJet};
use crate::curve::{
    Direction, Keep, NurbsError, Range, Rect, blend_strided, check_homogeneous, homogeneous, project,
};
use glam::{DVec3, DVec4};

/// A rational Bézier patch over the parameters 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct BezierPatch {
    degrees: [usize; 2],
    net: Vec<DVec4>,
    blends: u32,
}

impl BezierPatch {
    /// From a net of control points whose outer list runs along u, and weights for a rational patch.
    ///
    /// # Errors
    /// As for [`super::NurbsSurface::new`].
    pub fn new(points: &[Vec<DVec3>], weights: Option<&[Vec<f64>]>) -> Result<Self, NurbsError> {
        let columns = points.first().map_or(0, Vec::len);
        for (direction, count) in [(Direction::U, points.len()), (Direction::V, columns)] {
            if count < 2 {
                return Err(NurbsError::DegreeZero { direction });
            }
        }
        if let Some(row) = points.iter().position(|row| row.len() != columns) {
            return Err(NurbsError::RaggedNet { row, expected: columns, found: points[row].len() });
        }
        let weights = weights.map(<[Vec<f64>]>::concat);
        let net = homogeneous(&points.concat(), weights.as_deref())?;
        check_homogeneous(&net)?;
        Ok(Self { degrees: [points.len() - 1, columns - 1], net, blends: 0 })
    }

    pub(crate) fn from_checked(degrees: [usize; 2], net: Vec<DVec4>) -> Self {
        Self { degrees, net, blends: Self::extraction_blends(degrees) }
    }

    /// Blends behind a control point of a spline's tile: one per degree.
    pub(crate) const fn extraction_blends(degrees: [usize; 2]) -> u32 {
        (degrees[0] + degrees[1]) as u32
    }

    /// Degrees along u and v.
    pub const fn degrees(&self) -> [usize; 2] {
        self.degrees
    }

    /// Control points as (x·w, y·w, z·w, w), row by row; a row runs along v.
    pub fn net(&self) -> &[DVec4] {
        &self.net
    }

    /// Its net, without a copy.
    pub(crate) fn into_net(self) -> Vec<DVec4> {
        self.net
    }

    /// Control points in space: the patch lies in their convex hull.
    pub fn hull(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.net.iter().map(|&p| project(p))
    }

    /// How many rounded blends lie behind a control point: what a bound must allow for.
    pub const fn roundings(&self) -> u32 {
        self.blends
    }

    /// Both parts of a cut across `direction` at `t`.
    pub fn split(&self, direction: Direction, t: f64) -> [Self; 2] {
        [Keep::Before, Keep::After].map(|keep| {
            let mut part = self.clone();
            part.cut(direction, t, keep);
            part
        })
    }

    /// The part over `rect`, its parameters running from 0 to 1 again.
    #[must_use]
    pub fn restricted(&self, rect: Rect) -> Self {
        let mut part = self.clone();
        for (direction, range) in [(Direction::U, rect.u), (Direction::V, rect.v)] {
            if range.high < 1.0 {
                part.cut(direction, range.high, Keep::Before);
            }
            if range.low > 0.0 {
                let low = if range.high > 0.0 { (range.low / range.high).min(1.0) } else { 0.0 };
                part.cut(direction, low, Keep::After);
                part.blends += 1;
            }
        }
        part
    }

    fn cut(&mut self, direction: Direction, t: f64, keep: Keep) {
        let [p, q] = self.degrees;
        match direction {
            Direction::U => {
                for j in 0..=q {
                    blend_strided(&mut self.net, j, q + 1, p, t, keep);
                }
                self.blends += p as u32;
            }
            Direction::V => {
                for i in 0..=p {
                    blend_strided(&mut self.net, i * (q + 1), 1, q, t, keep);
                }
                self.blends += q as u32;
            }
        }
    }
}

impl ParametricSurface for BezierPatch {
    fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        bernstein_jet(self.degrees, &self.net, u, v).quotient(1.0, 1.0)
    }

    fn domain(&self) -> Rect {
        let unit = Range::new(0.0, 1.0);
        Rect::new(unit, unit)
    }
}
