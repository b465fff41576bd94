//! Quadrics in general form.

use clearance_geometry::algebraic::Polynomial;
use clearance_geometry::surface::{Cone, Cylinder, Ellipsoid, Paraboloid, Sphere};
use clearance_geometry::{DMat3, DVec3, Pose};
use thiserror::Error;

/// Why coefficients are no quadric.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QuadricError {
    /// A coefficient is not a finite number.
    #[error("a coefficient of the quadric is not finite")]
    NotFinite,
    /// No term of degree two, or terms of a higher degree.
    #[error("the polynomial has degree {degree}, not 2")]
    NotQuadratic {
        /// Degree found.
        degree: u32,
    },
    /// A half axis that is not positive.
    #[error("half axis {axis} is {value}, not positive")]
    BadAxis {
        /// Which one, from 0.
        axis: usize,
        /// Value found.
        value: f64,
    },
}

/// The surface yᵀ F y + 2 b·y + c = 0 with y = x − anchor: every surface of degree two.
///
/// Coefficients are kept relative to an anchor, so that a small quadric far from the origin keeps its digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quadric {
    anchor: DVec3,
    form: DMat3,
    half_linear: DVec3,
    constant: f64,
}

impl Quadric {
    /// From the form F, b and c about an anchor; F is made symmetric.
    ///
    /// # Errors
    /// [`QuadricError::NotFinite`]; [`QuadricError::NotQuadratic`] where F is zero.
    pub fn new(anchor: DVec3, form: DMat3, half_linear: DVec3, constant: f64) -> Result<Self, QuadricError> {
        let finite =
            anchor.is_finite() && form.is_finite() && half_linear.is_finite() && constant.is_finite();
        if !finite {
            return Err(QuadricError::NotFinite);
        }
        let form = (form + form.transpose()) * 0.5;
        if form == DMat3::ZERO {
            return Err(QuadricError::NotQuadratic { degree: u32::from(half_linear != DVec3::ZERO) });
        }
        Ok(Self { anchor, form, half_linear, constant })
    }

    /// From a symmetric matrix M: (x, y, z, 1) M (x, y, z, 1)ᵀ = 0.
    ///
    /// # Errors
    /// As for [`Quadric::new`].
    pub fn from_matrix(m: [[f64; 4]; 4]) -> Result<Self, QuadricError> {
        let form = DMat3::from_cols(
            DVec3::new(m[0][0], m[1][0], m[2][0]),
            DVec3::new(m[0][1], m[1][1], m[2][1]),
            DVec3::new(m[0][2], m[1][2], m[2][2]),
        );
        let half = |i: usize| 0.5 * (m[i][3] + m[3][i]);
        Self::new(DVec3::ZERO, form, DVec3::new(half(0), half(1), half(2)), m[3][3])
    }

    /// From a polynomial of degree two.
    ///
    /// ```
    /// use clearance_geometry::DVec3;
    /// use clearance_proximity::algebraic::{Quadric, point_quadric};
    /// let ellipsoid = Quadric::from_polynomial(&"x^2/4 + y^2 + z^2 - 1".parse()?)?;
    /// let nearest = point_quadric(DVec3::new(5.0, 0.0, 0.0), &ellipsoid)?.pairs[0];
    /// assert!((nearest.distance - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`QuadricError::NotQuadratic`] for another degree.
    pub fn from_polynomial(polynomial: &Polynomial) -> Result<Self, QuadricError> {
        let degree = polynomial.degree();
        if degree != 2 {
            return Err(QuadricError::NotQuadratic { degree });
        }
        let jet = polynomial.jet(DVec3::ZERO);
        Self::new(DVec3::ZERO, jet.hessian * 0.5, jet.gradient * 0.5, jet.value)
    }

    /// An ellipsoid with half axes along the frame's.
    ///
    /// # Errors
    /// [`QuadricError::BadAxis`].
    pub fn ellipsoid(frame: &Pose, half_axes: [f64; 3]) -> Result<Self, QuadricError> {
        positive(&half_axes)?;
        // Scaled by the smallest half axis, so that the form is of size one.
        let least = half_axes.iter().copied().fold(f64::INFINITY, f64::min);
        checked(frame, half_axes.map(|r| (least / r) * (least / r)), DVec3::ZERO, -least * least)
    }

    /// An elliptic cylinder along the frame's z, with half axes along x and y.
    ///
    /// # Errors
    /// [`QuadricError::BadAxis`].
    pub fn elliptic_cylinder(frame: &Pose, half_axes: [f64; 2]) -> Result<Self, QuadricError> {
        positive(&half_axes)?;
        let least = half_axes[0].min(half_axes[1]);
        let [a, b] = half_axes.map(|r| (least / r) * (least / r));
        checked(frame, [a, b, 0.0], DVec3::ZERO, -least * least)
    }

    /// Both nappes of an elliptic cone with its apex at the frame's origin: x²/s₀² + y²/s₁² = z².
    ///
    /// # Errors
    /// [`QuadricError::BadAxis`].
    pub fn elliptic_cone(frame: &Pose, slopes: [f64; 2]) -> Result<Self, QuadricError> {
        positive(&slopes)?;
        let least = slopes[0].min(slopes[1]);
        let [a, b] = slopes.map(|s| (least / s) * (least / s));
        checked(frame, [a, b, -least * least], DVec3::ZERO, 0.0)
    }

    /// An elliptic paraboloid x²/p + y²/q = z with its apex at the frame's origin; p and q are lengths.
    ///
    /// # Errors
    /// [`QuadricError::BadAxis`].
    pub fn elliptic_paraboloid(frame: &Pose, parameters: [f64; 2]) -> Result<Self, QuadricError> {
        positive(&parameters)?;
        let least = parameters[0].min(parameters[1]);
        let [a, b] = parameters.map(|p| least / p);
        checked(frame, [a, b, 0.0], DVec3::new(0.0, 0.0, -0.5 * least), 0.0)
    }

    /// The point that coefficients refer to.
    pub const fn anchor(&self) -> DVec3 {
        self.anchor
    }

    /// F.
    pub const fn form(&self) -> DMat3 {
        self.form
    }

    /// b.
    pub const fn half_linear(&self) -> DVec3 {
        self.half_linear
    }

    /// c.
    pub const fn constant(&self) -> f64 {
        self.constant
    }

    /// The left side of the equation at a point: negative inside an ellipsoid.
    pub fn value(&self, point: DVec3) -> f64 {
        let y = point - self.anchor;
        y.dot(self.form * y + 2.0 * self.half_linear) + self.constant
    }

    /// Half the gradient at a point.
    pub fn half_gradient(&self, point: DVec3) -> DVec3 {
        self.form * (point - self.anchor) + self.half_linear
    }

    /// The same surface moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        let r = pose.rotation();
        Self {
            anchor: pose.apply(self.anchor),
            form: r * self.form * r.transpose(),
            half_linear: r * self.half_linear,
            constant: self.constant,
        }
    }
}

fn positive(values: &[f64]) -> Result<(), QuadricError> {
    match values.iter().position(|&v| !(v > 0.0 && v.is_finite())) {
        Some(axis) => Err(QuadricError::BadAxis { axis, value: values[axis] }),
        None => Ok(()),
    }
}

impl From<&Sphere> for Quadric {
    fn from(sphere: &Sphere) -> Self {
        let anchor = sphere.frame().translation();
        let constant = -sphere.radius() * sphere.radius();
        Self { anchor, form: DMat3::IDENTITY, half_linear: DVec3::ZERO, constant }
    }
}

/// d₀ x² + d₁ y² + d₂ z² + 2 b·(x, y, z) + c in the frame's axes.
fn framed(frame: &Pose, diagonal: [f64; 3], half_linear: DVec3, constant: f64) -> Quadric {
    let axes = frame.rotation();
    let form = axes * DMat3::from_diagonal(DVec3::from_array(diagonal)) * axes.transpose();
    let form = (form + form.transpose()) * 0.5;
    Quadric { anchor: frame.translation(), form, half_linear: axes * half_linear, constant }
}

fn checked(
    frame: &Pose,
    diagonal: [f64; 3],
    half_linear: DVec3,
    constant: f64,
) -> Result<Quadric, QuadricError> {
    let quadric = framed(frame, diagonal, half_linear, constant);
    Quadric::new(quadric.anchor, quadric.form, quadric.half_linear, quadric.constant)
}

impl From<&Ellipsoid> for Quadric {
    fn from(ellipsoid: &Ellipsoid) -> Self {
        let radii = ellipsoid.radii();
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let diagonal = radii.map(|r| (least / r) * (least / r));
        framed(ellipsoid.frame(), diagonal, DVec3::ZERO, -least * least)
    }
}

impl From<&Cylinder> for Quadric {
    fn from(cylinder: &Cylinder) -> Self {
        let constant = -cylinder.radius() * cylinder.radius();
        framed(cylinder.frame(), [1.0, 1.0, 0.0], DVec3::ZERO, constant)
    }
}

impl From<&Cone> for Quadric {
    fn from(cone: &Cone) -> Self {
        // About the apex, where the form has no other terms.
        let frame = cone.frame().with_translation(cone.frame().apply(DVec3::new(0.0, 0.0, cone.apex())));
        framed(&frame, [1.0, 1.0, -cone.slope() * cone.slope()], DVec3::ZERO, 0.0)
    }
}

impl From<&Paraboloid> for Quadric {
    fn from(paraboloid: &Paraboloid) -> Self {
        let half_linear = DVec3::new(0.0, 0.0, -2.0 * paraboloid.focal());
        framed(paraboloid.frame(), [1.0, 1.0, 0.0], half_linear, 0.0)
    }
}
