//! The exact signed distance of two small convex bodies by trying every direction that can be it, and
//! whether one lies inside the other.
//!
//! Source: the distance from the origin to the boundary of the Minkowski difference; its facets have the
//! normals of a facet of A, of a facet of B, or of the cross product of an edge of each.
//! Every direction is worth a lower bound on the signed distance, so a superset of candidates does no
//! harm and the largest bound over overlapping bodies is the answer.
//! Cost: (facets + edges of A × edges of B) × vertices.
//! Not promised: the distance of separated bodies, for which vertices of the difference matter too
//! ([`super::brute`] has that).

use super::bounds::exact_separation;
use super::double_double::{Double, Double3};
use super::placement::Placement;
use super::small_hull::{SmallHull, candidate_normals};
use glam::DVec3;

/// Candidates within this part of the bodies' sizes of the best are looked at again in double-double.
/// Larger: slower. Smaller: rounding of the first look decides.
const SECOND_LOOK_REL: f64 = 1e-10;

/// What the facet directions prove about two bodies.
#[derive(Clone, Copy, Debug)]
pub struct FacetSeparation {
    /// Largest separation over all candidate directions: minus the penetration depth where it is not
    /// positive, and a lower bound on the distance where it is.
    pub value: f64,
    /// A direction in which it is reached; need not have unit length.
    pub normal: DVec3,
    /// How many directions were tried.
    pub candidates: usize,
}

/// Tries all directions. `None` when the Minkowski difference has no candidate at all
/// (a point against a point or a segment, parallel segments).
pub fn facet_separation(a: &SmallHull, b: &SmallHull, placement: &Placement) -> Option<FacetSeparation> {
    let placed: Vec<DVec3> = b.points.iter().map(|&p| placement.apply(p).value()).collect();
    // About the middle of A, so that the first look is not spoilt by an offset.
    let middle = a.points.iter().sum::<DVec3>() / a.points.len() as f64;
    let points_a: Vec<DVec3> = a.points.iter().map(|&p| p - middle).collect();
    let points_b: Vec<DVec3> = placed.iter().map(|&p| p - middle).collect();
    let size = points_a.iter().chain(&points_b).map(|p| p.length()).fold(0.0, f64::max);
    let slack = SECOND_LOOK_REL * size;

    let mut candidates: Vec<(f64, Double3)> = Vec::new();
    let mut best = f64::NEG_INFINITY;
    let mut count = 0;
    candidate_normals(a, b, &placement.rotation, |normal| {
        count += 1;
        let unit = normal.value().normalize_or_zero();
        let unit = if unit == DVec3::ZERO { normal_of_tiny(normal) } else { unit };
        let high_a = points_a.iter().map(|p| unit.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        let low_b = points_b.iter().map(|p| unit.dot(*p)).fold(f64::INFINITY, f64::min);
        let value = low_b - high_a;
        if value >= best - slack {
            best = best.max(value);
            candidates.push((value, normal));
        }
    });
    candidates
        .iter()
        .filter(|(value, _)| *value >= best - slack)
        .map(|&(_, normal)| (exact_separation(&a.points, &b.points, placement, normal), normal))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(value, normal)| FacetSeparation {
            value: value.value(),
            normal: normal_of_tiny(normal),
            candidates: count,
        })
}

/// The unit direction of a vector whose squares may underflow.
fn normal_of_tiny(normal: Double3) -> DVec3 {
    let value = normal.value();
    let largest = value.abs().max_element();
    if largest > 0.0 { (value / largest).normalize() } else { DVec3::ZERO }
}

/// How far the worst vertex of A lies outside the hull of B, over B's facets; negative when A is
/// strictly inside. `None` when B has no facets.
pub fn excess(a: &[DVec3], b: &SmallHull, a_in_b: impl Fn(DVec3) -> Double3) -> Option<f64> {
    let moved: Vec<Double3> = a.iter().map(|&p| a_in_b(p)).collect();
    let over = |(normal, members): &(Double3, Vec<usize>)| {
        let base = Double3::from(b.points[members[0]]);
        let height = moved.iter().map(|&p| (p - base).dot(*normal)).reduce(Double::max)?;
        Some((height / normal.length()).value())
    };
    b.facets.iter().filter_map(over).reduce(f64::max)
}

/// How two bodies stand to each other, with the margins that decide it.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Largest separation over the facet directions; positive: apart, negative: minus the depth.
    pub separation: f64,
    /// How far A sticks out of B; infinite when B has no inside.
    pub a_beyond_b: f64,
    /// How far B sticks out of A; infinite when A has no inside.
    pub b_beyond_a: f64,
}

/// The state of two small bodies by enumeration.
pub fn standing(a: &SmallHull, b: &SmallHull, placement: &Placement) -> Standing {
    let back =
        |p: DVec3| Double3::turned_back(&placement.rotation, Double3::from(p) - placement.translation.into());
    Standing {
        separation: facet_separation(a, b, placement).map_or(f64::NAN, |found| found.value),
        a_beyond_b: excess(&a.points, b, back).unwrap_or(f64::INFINITY),
        b_beyond_a: excess(&b.points, a, |p| placement.apply(p)).unwrap_or(f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::oracle::separation;

    fn cube() -> SmallHull {
        let corner = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        SmallHull::new(&(0..8).map(|i| 2.0 * corner(i) - DVec3::ONE).collect::<Vec<_>>())
    }

    #[test]
    fn cubes_overlap_by_the_slab() {
        let cube = cube();
        let found = facet_separation(&cube, &cube, &Placement::shift(DVec3::new(1.75, 0.5, 0.25))).unwrap();
        assert_eq!(found.value, -0.25);
        assert_eq!(found.normal, DVec3::X);
    }

    #[test]
    fn containment_is_seen() {
        let (big, half) =
            (cube(), SmallHull::new(&cube().points.iter().map(|p| 0.5 * p).collect::<Vec<_>>()));
        let stand = standing(&half, &big, &Placement::shift(DVec3::new(0.25, 0.0, 0.0)));
        assert_eq!((stand.separation, stand.a_beyond_b), (-1.25, -0.25));
        assert!(stand.b_beyond_a > 0.0);
    }

    #[test]
    fn no_sampled_direction_is_better() {
        let mut random = Random::new(51);
        for _ in 0..20 {
            let mut points = |n: usize| (0..n).map(|_| random.in_ball()).collect::<Vec<_>>();
            let (a, b) = (SmallHull::new(&points(12)), SmallHull::new(&points(9)));
            let placement = Placement { rotation: random.rotation(), translation: 0.2 * random.in_ball() };
            let found = facet_separation(&a, &b, &placement).unwrap();
            assert!(found.value < 0.0);
            for _ in 0..200 {
                let sampled = separation(&a.points, &b.points, &placement, random.direction());
                assert!(sampled <= found.value + 1e-15);
            }
        }
    }
}
