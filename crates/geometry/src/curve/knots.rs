//! Knot vectors: checking, spans, multiplicities.

use super::{Direction, NurbsError, Range};

/// Where the curve or surface is less smooth than twice continuously differentiable: a feature boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// The knot.
    pub at: f64,
    /// How many derivatives are continuous across it for certain: 1 where only the second jumps, 0 at a
    /// possible corner, −1 at a possible gap.
    pub continuity: i32,
}

/// Which polynomial piece was used last: the caller's memory for coherent parameters. Any value is valid and
/// none changes a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanHint(pub u32);

/// A checked knot vector with its pieces of positive length.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    degree: usize,
    values: Vec<f64>,
    /// For each piece, the index of the knot that it starts at.
    starts: Vec<u32>,
    /// Ends of the pieces; one more than pieces.
    ends: Vec<f64>,
    /// For each piece, its middle and one over its length.
    scales: Vec<[f64; 2]>,
}

impl Knots {
    /// Checks a knot vector for `points` control points.
    ///
    /// # Errors
    /// Names the first knot at fault; see [`NurbsError`].
    pub fn new(
        degree: usize,
        values: Vec<f64>,
        points: usize,
        direction: Direction,
    ) -> Result<Self, NurbsError> {
        if degree == 0 {
            return Err(NurbsError::DegreeZero { direction });
        }
        if points <= degree {
            return Err(NurbsError::TooFewPoints { direction, degree, points });
        }
        if values.len() != points + degree + 1 {
            let expected = points + degree + 1;
            return Err(NurbsError::KnotCount { direction, expected, found: values.len() });
        }
        check_values(degree, &values, direction)?;
        let mut knots = Self { degree, values, starts: Vec::new(), ends: Vec::new(), scales: Vec::new() };
        knots.find_pieces(points, direction)?;
        Ok(knots)
    }

    fn find_pieces(&mut self, points: usize, direction: Direction) -> Result<(), NurbsError> {
        for at in self.degree..points {
            let (low, high) = (self.values[at], self.values[at + 1]);
            if low < high {
                let (width, inverse) = (high - low, 1.0 / (high - low));
                if !width.is_finite() || !inverse.is_finite() {
                    return Err(NurbsError::KnotSpacing { direction, at, width });
                }
                self.starts.push(at as u32);
                self.ends.push(low);
                self.scales.push([0.5 * low + 0.5 * high, inverse]);
            }
        }
        if self.starts.is_empty() {
            return Err(NurbsError::EmptyDomain { direction });
        }
        self.ends.push(self.values[points]);
        Ok(())
    }

    /// Degree of the polynomial pieces.
    #[inline]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// All knots, as given.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The parameters between the first and last knot that count.
    #[inline]
    pub fn domain(&self) -> Range {
        Range::new(self.ends[0], self.ends[self.starts.len()])
    }

    /// Number of pieces of positive length.
    #[inline]
    pub fn piece_count(&self) -> usize {
        self.starts.len()
    }

    /// The parameters of a piece.
    #[inline]
    pub fn piece(&self, piece: usize) -> Range {
        Range::new(self.ends[piece], self.ends[piece + 1])
    }

    /// Index of the knot that a piece starts at.
    #[inline]
    pub(crate) fn start(&self, piece: usize) -> usize {
        self.starts[piece] as usize
    }

    /// The piece that `t` falls into: the one that starts at `t` where two meet, the outermost beyond the
    /// ends, the first for NaN.
    #[inline]
    pub fn find(&self, t: f64) -> usize {
        let inner = &self.ends[1..self.starts.len()];
        inner.partition_point(|&knot| knot <= t)
    }

    /// [`Knots::find`], looking at the piece in `hint` first.
    #[inline]
    pub fn find_from(&self, hint: &mut SpanHint, t: f64) -> usize {
        let piece = hint.0 as usize;
        if piece < self.starts.len() && self.ends[piece] <= t && t < self.ends[piece + 1] {
            return piece;
        }
        let piece = self.find(t);
        *hint = SpanHint(piece as u32);
        piece
    }

    /// `t` in the coordinate of a piece, −½ to ½ from end to end, and one over the piece's length.
    #[inline]
    pub(crate) fn local(&self, piece: usize, t: f64) -> (f64, f64) {
        let [middle, inverse] = self.scales[piece];
        ((t - middle) * inverse, inverse)
    }

    /// How many times `t` stands in the vector.
    pub fn multiplicity(&self, t: f64) -> usize {
        self.values.iter().filter(|&&knot| knot == t).count()
    }

    /// The inner knots across which fewer than two derivatives are continuous.
    pub fn breaks(&self) -> Vec<Break> {
        let inner = &self.ends[1..self.starts.len()];
        let of = |&at: &f64| Break { at, continuity: self.degree as i32 - self.multiplicity(at) as i32 };
        inner.iter().map(of).filter(|b| b.continuity < 2).collect()
    }

    /// Replaces each argument of the polar form in turn: the control points of piece `piece` as a Bézier
    /// curve, from the `degree + 1` control points that act on it.
    pub(crate) fn extract<V: Blend>(&self, piece: usize, acting: &[V], out: &mut Vec<V>) {
        let p = self.degree;
        let Range { low, high } = self.piece(piece);
        for j in 0..=p {
            // b_j is the polar form at (low, …, low, high, …, high) with j times `high`.
            out.push(self.polar(piece, acting, |r| if r <= p - j { low } else { high }));
        }
    }

    /// The polar form (blossom) of a piece at the arguments `argument(1 … degree)`.
    pub(crate) fn polar<V: Blend>(&self, piece: usize, acting: &[V], argument: impl Fn(usize) -> f64) -> V {
        let (p, k) = (self.degree, self.start(piece));
        let mut d = acting.to_vec();
        for r in 1..=p {
            let t = argument(r);
            for i in (r..=p).rev() {
                let low = self.values[i + k - p];
                let high = self.values[i + 1 + k - r];
                d[i] = d[i - 1].blend(d[i], (t - low) / (high - low));
            }
        }
        d[p]
    }
}

fn check_values(degree: usize, values: &[f64], direction: Direction) -> Result<(), NurbsError> {
    let mut equal = 1;
    for (at, &knot) in values.iter().enumerate() {
        if !knot.is_finite() {
            return Err(NurbsError::KnotNotFinite { direction, at });
        }
        let before = if at == 0 { f64::NEG_INFINITY } else { values[at - 1] };
        if knot < before {
            return Err(NurbsError::KnotsDecrease { direction, at });
        }
        equal = if knot == before { equal + 1 } else { 1 };
        if equal > degree + 1 {
            return Err(NurbsError::Multiplicity { direction, at, degree });
        }
    }
    Ok(())
}

/// Points that can be blended linearly.
pub(crate) trait Blend: Copy {
    /// `self` at 0, `other` at 1, both exactly; equal points blend to themselves exactly, so that collapsed
    /// rows stay collapsed.
    fn blend(self, other: Self, t: f64) -> Self;
}

impl Blend for glam::DVec4 {
    #[inline]
    fn blend(self, other: Self, t: f64) -> Self {
        let step = other - self;
        if t <= 0.5 { self + step * t } else { other - step * (1.0 - t) }
    }
}
