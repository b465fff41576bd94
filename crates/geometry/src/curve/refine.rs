//! Other control points for the same spline: knots inserted, degree raised, a part cut out.
//!
//! Source: Boehm's knot insertion; Ramshaw's polar forms for the rest: a control point is the polar form of any
//! of its pieces at consecutive knots.
//! Differs: nothing in substance.
//! Ends because: loops run over knots.
//! Cost: O(degree) for an inserted knot, O(points · degree³) to raise the degree or cut.
//! Not promised: knots that could be removed again are not.

use super::knots::Blend;
use super::{Direction, Knots, NurbsCurve, NurbsError, Range};
use glam::DVec4;

/// A knot vector and the control points that go with it.
pub(crate) type Spline = (Vec<f64>, Vec<DVec4>);

/// The same spline with `t` inserted once more.
pub(crate) fn insert(
    knots: &Knots,
    points: &[DVec4],
    t: f64,
    direction: Direction,
) -> Result<Spline, NurbsError> {
    let (p, values) = (knots.degree(), knots.values());
    if !knots.domain().contains(t) {
        return Err(NurbsError::OutsideDomain { direction, at: t });
    }
    let after = values.partition_point(|&knot| knot <= t);
    let multiplicity = knots.multiplicity(t);
    if multiplicity > p {
        return Err(NurbsError::Multiplicity { direction, at: after, degree: p });
    }
    let (k, s) = (after - 1, multiplicity);
    let at = |i: usize| {
        if i + p <= k {
            points[i]
        } else if i + s <= k {
            points[i - 1].blend(points[i], (t - values[i]) / (values[i + p] - values[i]))
        } else {
            points[i - 1]
        }
    };
    let new_points = (0..=points.len()).map(at).collect();
    let mut new_knots = values.to_vec();
    new_knots.insert(after, t);
    Ok((new_knots, new_points))
}

/// The same spline with its degree raised by one; each knot stands once more, so that it is as smooth as before.
pub(crate) fn elevate(knots: &Knots, points: &[DVec4]) -> Spline {
    let p = knots.degree();
    let mut values = Vec::new();
    for (i, &knot) in knots.values().iter().enumerate() {
        values.push(knot);
        if knots.values().get(i + 1) != Some(&knot) {
            values.push(knot);
        }
    }
    // Knots before and after the domain that no new control point needs.
    let domain = knots.domain();
    let before = values.partition_point(|&knot| knot <= domain.low).saturating_sub(p + 2);
    let after = values.partition_point(|&knot| knot < domain.high) + p + 2;
    let values = values[before..after.min(values.len())].to_vec();
    let new_points = from_polar(p + 1, &values, knots, |piece, arguments| {
        // The polar form of degree p + 1 is the mean of the old one with each argument left out in turn.
        let without = |left_out: usize| {
            polar(knots, points, piece, |r| arguments[if r > left_out { r } else { r - 1 }])
        };
        (0..=p).map(without).fold(DVec4::ZERO, |sum, value| sum + value) / (p + 1) as f64
    });
    (values, new_points)
}

/// The part of a spline over `range`, clamped at both ends.
pub(crate) fn restrict(
    knots: &Knots,
    points: &[DVec4],
    range: Range,
    direction: Direction,
) -> Result<Spline, NurbsError> {
    let (p, domain) = (knots.degree(), knots.domain());
    for at in [range.low, range.high] {
        if !domain.contains(at) {
            return Err(NurbsError::OutsideDomain { direction, at });
        }
    }
    if !(range.low < range.high) {
        return Err(NurbsError::EmptyDomain { direction });
    }
    let inner = knots.values().iter().copied().filter(|&knot| range.low < knot && knot < range.high);
    let values: Vec<f64> = std::iter::repeat_n(range.low, p + 1)
        .chain(inner)
        .chain(std::iter::repeat_n(range.high, p + 1))
        .collect();
    let new_points =
        from_polar(p, &values, knots, |piece, arguments| polar(knots, points, piece, |r| arguments[r - 1]));
    Ok((values, new_points))
}

/// The control points for the knots `values` of degree `degree`: `value(piece, arguments)` is the polar form of a
/// piece of the old spline.
fn from_polar(
    degree: usize,
    values: &[f64],
    old: &Knots,
    value: impl Fn(usize, &[f64]) -> DVec4,
) -> Vec<DVec4> {
    let (count, domain) = (values.len() - degree - 1, old.domain());
    let point = |j: usize| {
        // The piece nearest to the middle of what the point acts on, for the least extrapolation.
        let center = j + degree / 2;
        let acts = (j..=j + degree).filter(|&i| {
            values[i] < values[i + 1] && domain.contains(values[i]) && domain.contains(values[i + 1])
        });
        let span = acts.min_by_key(|&i| i.abs_diff(center));
        let piece = span.map_or(0, |i| old.find(0.5 * values[i] + 0.5 * values[i + 1]));
        value(piece, &values[j + 1..=j + degree])
    };
    (0..count).map(point).collect()
}

fn polar(knots: &Knots, points: &[DVec4], piece: usize, argument: impl Fn(usize) -> f64) -> DVec4 {
    let start = knots.start(piece) - knots.degree();
    knots.polar(piece, &points[start..=start + knots.degree()], argument)
}

impl NurbsCurve {
    fn rebuilt(degree: usize, (values, points): Spline) -> Result<Self, NurbsError> {
        Self::from_homogeneous(Knots::new(degree, values, points.len(), Direction::U)?, points)
    }

    /// The same curve with the knot `t` inserted once more.
    ///
    /// # Errors
    /// When `t` is outside the domain or already stands degree + 1 times.
    pub fn with_knot(&self, t: f64) -> Result<Self, NurbsError> {
        Self::rebuilt(self.degree(), insert(self.knots(), self.homogeneous_points(), t, Direction::U)?)
    }

    /// The same curve with its degree raised by one.
    ///
    /// # Errors
    /// When rounding makes a weight vanish.
    pub fn elevated(&self) -> Result<Self, NurbsError> {
        Self::rebuilt(self.degree() + 1, elevate(self.knots(), self.homogeneous_points()))
    }

    /// The part over `range`, with the same parameters.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, curve::{NurbsCurve, ParametricCurve, Range}};
    /// let points = [DVec3::ZERO, DVec3::X, DVec3::ONE];
    /// let curve = NurbsCurve::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], &points, None)?;
    /// let part = curve.restricted(Range::new(0.25, 0.5))?;
    /// assert_eq!(part.point(0.25), curve.point(0.25));
    /// # Ok::<(), clearance_geometry::curve::NurbsError>(())
    /// ```
    ///
    /// # Errors
    /// When the range is empty or reaches outside the domain.
    pub fn restricted(&self, range: Range) -> Result<Self, NurbsError> {
        Self::rebuilt(self.degree(), restrict(self.knots(), self.homogeneous_points(), range, Direction::U)?)
    }

    /// The parts before and after `t`.
    ///
    /// # Errors
    /// When `t` is not inside the domain.
    pub fn split_at(&self, t: f64) -> Result<[Self; 2], NurbsError> {
        let Range { low, high } = self.knots().domain();
        Ok([self.restricted(Range::new(low, t))?, self.restricted(Range::new(t, high))?])
    }
}
