//! Curves in the plane: trim loops in parameter space, outlines of planar bodies.

use super::{Break, Circle, Curve, CurveJet, Ellipse, Line, NurbsCurve, NurbsError, ParametricCurve, Range};
use crate::{Pose, ShapeError};
use glam::{DMat3, DVec2, DVec3};

/// A curve in the plane: a curve in space whose third coordinate is 0, so that both share every algorithm.
///
/// ```
/// use clearance_geometry::{DVec2, curve::{ParametricCurve, PlanarCurve}};
/// let side = PlanarCurve::segment(DVec2::ZERO, DVec2::new(2.0, 1.0))?;
/// assert_eq!(side.point(0.5), DVec2::new(1.0, 0.5));
/// assert_eq!(side.domain().high, 1.0);
/// # Ok::<(), clearance_geometry::curve::NurbsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarCurve {
    curve: Curve,
}

impl PlanarCurve {
    /// The unbounded line `origin + t · direction`.
    ///
    /// # Errors
    /// As [`Line::new`].
    pub fn line(origin: DVec2, direction: DVec2) -> Result<Self, ShapeError> {
        Ok(Self { curve: Line::new(origin.extend(0.0), direction.extend(0.0))?.into() })
    }

    /// The segment between two points, over the parameters 0 to 1.
    ///
    /// # Errors
    /// When a coordinate is not finite.
    pub fn segment(from: DVec2, to: DVec2) -> Result<Self, NurbsError> {
        Self::nurbs(1, vec![0.0, 0.0, 1.0, 1.0], &[from, to], None)
    }

    /// A circle that starts in the direction `angle` (radians) and runs counter-clockwise, or clockwise where
    /// `clockwise` is set.
    ///
    /// # Errors
    /// When a number is not finite or the radius not positive.
    pub fn circle(center: DVec2, radius: f64, angle: f64, clockwise: bool) -> Result<Self, ShapeError> {
        Ok(Self { curve: Circle::new(frame(center, angle, clockwise)?, radius)?.into() })
    }

    /// An ellipse whose first half-axis points in the direction `angle` (radians).
    ///
    /// # Errors
    /// When a number is not finite or a half-axis not positive.
    pub fn ellipse(center: DVec2, radii: [f64; 2], angle: f64, clockwise: bool) -> Result<Self, ShapeError> {
        Ok(Self { curve: Ellipse::new(frame(center, angle, clockwise)?, radii)?.into() })
    }

    /// A rational B-spline.
    ///
    /// # Errors
    /// As [`NurbsCurve::new`].
    pub fn nurbs(
        degree: usize,
        knots: Vec<f64>,
        points: &[DVec2],
        weights: Option<&[f64]>,
    ) -> Result<Self, NurbsError> {
        let points: Vec<DVec3> = points.iter().map(|p| p.extend(0.0)).collect();
        Ok(Self { curve: NurbsCurve::new(degree, knots, &points, weights)?.into() })
    }

    /// Any curve of space, seen along z. The third coordinate of its frame or points is ignored, but a frame
    /// tilted out of the plane gives the projection of the curve.
    pub const fn projected(curve: Curve) -> Self {
        Self { curve }
    }

    /// The curve in space.
    pub const fn curve(&self) -> &Curve {
        &self.curve
    }

    /// The parameters at which the curve may be less than twice continuously differentiable.
    pub fn breaks(&self) -> Vec<Break> {
        self.curve.breaks()
    }
}

impl ParametricCurve for PlanarCurve {
    type Vector = DVec2;

    #[inline]
    fn jet(&self, t: f64) -> CurveJet<DVec2> {
        self.curve.jet(t).flat()
    }

    fn domain(&self) -> Range {
        self.curve.domain()
    }

    fn period(&self) -> Option<f64> {
        self.curve.period()
    }
}

/// x in the direction `angle`; y to its left, or to its right for a clockwise curve.
fn frame(center: DVec2, angle: f64, clockwise: bool) -> Result<Pose, ShapeError> {
    if !center.is_finite() {
        return Err(ShapeError::NotFinite { field: "center" });
    }
    let (sin, cos) = angle.sin_cos();
    let side = if clockwise { -1.0 } else { 1.0 };
    let x = DVec3::new(cos, sin, 0.0);
    let y = DVec3::new(-sin, cos, 0.0) * side;
    Pose::from_matrix(DMat3::from_cols(x, y, DVec3::Z * side), center.extend(0.0))
        .map_err(|_| ShapeError::NotFinite { field: "angle" })
}
