//! Anchored frames of the plane, and what counts as noise in them.

use clearance_geometry::{DVec2, PlanarPose, Polygon, Tolerance};

/// `pose_ab` between the anchored frames of both bodies.
#[inline]
pub(super) fn anchored(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose) -> PlanarPose {
    let (from, to) = (a.anchor(), b.anchor());
    if from == DVec2::ZERO && to == DVec2::ZERO {
        return *pose_ab;
    }
    let (cos, sin, t) = (pose_ab.cos(), pose_ab.sin(), pose_ab.translation());
    // Bodies modelled far from their origins meet where large terms cancel; twice the precision keeps
    // what is left.
    pose_ab.with_translation(DVec2::new(
        sum_of_products([(cos, to.x), (-sin, to.y), (1.0, t.x), (-1.0, from.x)]),
        sum_of_products([(sin, to.x), (cos, to.y), (1.0, t.y), (-1.0, from.y)]),
    ))
}

/// Noise of coordinates in the anchored frame of A.
#[inline]
pub(super) fn tolerance(a: &Polygon, b: &Polygon, pose: &PlanarPose) -> Tolerance {
    Tolerance::for_size(a.reach() + b.reach() + pose.translation().abs().max_element())
}

/// Σ xᵢ yᵢ with the rounding error of each step carried along (Ogita, Rump and Oishi 2005).
fn sum_of_products<const N: usize>(terms: [(f64, f64); N]) -> f64 {
    let (mut sum, mut error) = (0.0_f64, 0.0_f64);
    for (x, y) in terms {
        let product = x * y;
        let next = sum + product;
        let from_product = next - sum;
        error += (sum - (next - from_product)) + (product - from_product);
        error += x.mul_add(y, -product);
        sum = next;
    }
    sum + error
}
