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

/// A piece of positive length; what an evaluation reads, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    low: f64,
    high: f64,
    middle: f64,
    /// One over its length.
    inverse: f64,
    /// Index of the knot that it starts at.
    start: u32,
}

/// A checked knot vector with its pieces of positive length.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    degree: usize,
    values: Vec<f64>,
    pieces: Vec<Piece>,
    /// For equal parts of the domain, the piece in which each begins.
    buckets: Vec<u32>,
    /// Parts per unit of the parameter.
    bucket_scale: f64,
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
        let mut knots = Self { degree, values, pieces: Vec::new(), buckets: Vec::new(), bucket_scale: 0.0 };
        knots.find_pieces(points, direction)?;
        knots.fill_buckets();
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
                let middle = 0.5 * low + 0.5 * high;
                self.pieces.push(Piece { low, high, middle, inverse, start: at as u32 });
            }
        }
        if self.pieces.is_empty() { Err(NurbsError::EmptyDomain { direction }) } else { Ok(()) }
    }

    /// Uniform knots are then found without a search, and uneven ones with a short one.
    fn fill_buckets(&mut self) {
        let (domain, count) = (self.domain(), self.pieces.len());
        let scale = count as f64 / domain.width();
        // A domain as wide as f64 reaches has no scale; all parameters then start at the first piece.
        self.bucket_scale = if scale.is_finite() { scale } else { 0.0 };
        let mut piece = 0;
        for bucket in 0..count {
            let low = domain.at(bucket as f64 / count as f64);
            while piece + 1 < count && self.pieces[piece].high <= low {
                piece += 1;
            }
            self.buckets.push(piece as u32);
        }
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
        Range::new(self.pieces[0].low, self.pieces[self.pieces.len() - 1].high)
    }

    /// Number of pieces of positive length.
    #[inline]
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The parameters of a piece.
    #[inline]
    pub fn piece(&self, piece: usize) -> Range {
        Range::new(self.pieces[piece].low, self.pieces[piece].high)
    }

    /// Index of the knot that a piece starts at.
    #[inline]
    pub(crate) fn start(&self, piece: usize) -> usize {
        self.pieces[piece].start as usize
    }

    /// The piece that `t` falls into: the one that starts at `t` where two meet, the outermost beyond the
    /// ends, the first for NaN.
    #[inline]
    pub fn find(&self, t: f64) -> usize {
        // Negative numbers and NaN become 0, large ones the last.
        let bucket = ((t - self.pieces[0].low) * self.bucket_scale) as u32 as usize;
        let mut piece = self.buckets[bucket.min(self.buckets.len() - 1)] as usize;
        let last = self.pieces.len() - 1;
        // The comparison that is rarely true stands first: it is the one that processors foresee.
        while self.pieces[piece].high <= t && piece < last {
            piece += 1;
        }
        // Rounding may have put `t` into the next bucket.
        while t < self.pieces[piece].low && piece > 0 {
            piece -= 1;
        }
        piece
    }

    /// The control points that act on a range.
    pub(crate) fn acting(&self, range: Range) -> std::ops::Range<usize> {
        let [first, last] = [range.low, range.high].map(|t| self.start(self.find(t)));
        first - self.degree..last + 1
    }

    /// [`Knots::find`], looking at the piece in `hint` first: faster for coherent parameters, slower for jumping
    /// ones.
    #[inline]
    pub fn find_from(&self, hint: &mut SpanHint, t: f64) -> usize {
        let known = hint.0 as usize;
        if let Some(piece) = self.pieces.get(known)
            && piece.low <= t
            && t < piece.high
        {
            return known;
        }
        let piece = self.find(t);
        *hint = SpanHint(piece as u32);
        piece
    }

    /// `t` in the coordinate of a piece, −½ to ½ from end to end, and one over the piece's length.
    #[inline]
    pub(crate) fn local(&self, piece: usize, t: f64) -> (f64, f64) {
        let Piece { middle, inverse, .. } = self.pieces[piece];
        ((t - middle) * inverse, inverse)
    }

    /// How many times `t` stands in the vector.
    pub fn multiplicity(&self, t: f64) -> usize {
        self.values.iter().filter(|&&knot| knot == t).count()
    }

    /// The inner knots across which fewer than two derivatives are continuous.
    pub fn breaks(&self) -> Vec<Break> {
        let inner = self.pieces[1..].iter().map(|piece| piece.low);
        let of = |at: f64| Break { at, continuity: self.degree as i32 - self.multiplicity(at) as i32 };
        inner.map(of).filter(|b| b.continuity < 2).collect()
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
        let mut inline = [acting[0]; INLINE];
        let mut heap = Vec::new();
        let d = if p < INLINE {
            inline[..=p].copy_from_slice(acting);
            &mut inline[..]
        } else {
            heap.extend_from_slice(acting);
            &mut heap[..]
        };
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

/// Control points of ordinary degrees need no allocation.
const INLINE: usize = 8;

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
