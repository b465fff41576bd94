//! Boxes along the axes.
//!
//! Source: one interval per axis.
//! Differs: nothing to differ from.
//! Ends because: loops run over axes and points.
//! Cost: O(points).
//! Not promised: a box around NaN; it is all of space.

use crate::Interval;
use crate::interval::{add_down, add_up, mul_down};
use crate::tolerance::BLEND_ERROR_REL;
use glam::{DVec2, DVec3};

/// A box along the axes, sides included; empty where `low > high`.
///
/// ```
/// use clearance_geometry::{DVec3, bound::Aabb};
/// let cube = Aabb::from_points([DVec3::ZERO, DVec3::ONE]);
/// assert!(cube.contains([0.5, 1.0, 0.0]));
/// assert_eq!(cube.joined(&Aabb::EMPTY), cube);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    /// Smallest coordinates.
    pub low: [f64; D],
    /// Largest coordinates.
    pub high: [f64; D],
}

impl<const D: usize> Aabb<D> {
    /// No point at all.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D] };

    /// All points.
    pub const ENTIRE: Self = Self { low: [f64::NEG_INFINITY; D], high: [f64::INFINITY; D] };

    /// The smallest box around points.
    pub fn from_points<P: Into<[f64; D]>>(points: impl IntoIterator<Item = P>) -> Self {
        let mut found = Self::EMPTY;
        for point in points {
            let point: [f64; D] = point.into();
            for (i, &x) in point.iter().enumerate() {
                if x.is_nan() {
                    return Self::ENTIRE;
                }
                found.low[i] = found.low[i].min(x);
                found.high[i] = found.high[i].max(x);
            }
        }
        found
    }

    /// The box of one interval per axis.
    pub fn from_intervals(intervals: [Interval; D]) -> Self {
        Self { low: intervals.map(Interval::low), high: intervals.map(Interval::high) }
    }

    /// Whether a point lies in it.
    pub fn contains(&self, point: [f64; D]) -> bool {
        (0..D).all(|i| self.low[i] <= point[i] && point[i] <= self.high[i])
    }

    /// Whether all of `other` lies in it.
    pub fn encloses(&self, other: &Self) -> bool {
        (0..D).all(|i| self.low[i] <= other.low[i] && other.high[i] <= self.high[i])
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|i| !(self.low[i] <= self.high[i]))
    }

    /// The smallest box around both.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mut both = *self;
        for i in 0..D {
            both.low[i] = both.low[i].min(other.low[i]);
            both.high[i] = both.high[i].max(other.high[i]);
        }
        both
    }

    /// Every side moved out by `by`, rounded outward.
    #[must_use]
    pub fn inflated(&self, by: f64) -> Self {
        if self.is_empty() {
            return *self;
        }
        Self { low: self.low.map(|x| add_down(x, -by)), high: self.high.map(|x| add_up(x, by)) }
    }

    /// Larger by what dividing by a weight may have lost of its corners.
    pub(crate) fn widened_by_a_rounding(&self) -> Self {
        let most = self.low.iter().chain(&self.high).fold(0.0_f64, |most, x| most.max(x.abs()));
        self.inflated(BLEND_ERROR_REL * most)
    }

    /// The middle; NaN for an unbounded box.
    pub fn center(&self) -> [f64; D] {
        std::array::from_fn(|i| 0.5 * self.low[i] + 0.5 * self.high[i])
    }

    /// A lower bound of the squared distance between points of the two boxes.
    pub fn distance_sq_below(&self, other: &Self) -> f64 {
        (0..D).fold(0.0, |sum, i| {
            let gap =
                add_down(other.low[i], -self.high[i]).max(add_down(self.low[i], -other.high[i])).max(0.0);
            // Unbounded or empty boxes may give NaN, which must not count as a distance.
            let square = if gap > 0.0 { mul_down(gap, gap) } else { 0.0 };
            add_down(sum, square)
        })
    }
}

impl Aabb<3> {
    /// Half the diagonal's extents; not rounded.
    pub fn half_extents(&self) -> DVec3 {
        (DVec3::from_array(self.high) - DVec3::from_array(self.low)) * 0.5
    }

    /// The x and y entries.
    pub fn flat(&self) -> Aabb<2> {
        Aabb { low: [self.low[0], self.low[1]], high: [self.high[0], self.high[1]] }
    }
}

impl Aabb<2> {
    /// The middle as a vector.
    pub fn middle(&self) -> DVec2 {
        DVec2::from_array(self.center())
    }
}
