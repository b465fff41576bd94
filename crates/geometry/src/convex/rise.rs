//! How far points of a spline may be above a height along a direction: a proof that none is farther.
//!
//! Source: the height of a Bézier patch along a direction is a quotient of two polynomials in Bernstein form; its
//! coefficients bound it, and a concave polynomial lies below its tangent plane.
//! Differs: "no point is higher than c" is proved for the polynomial N − c W, so that rational patches cost no more;
//! of low degrees it has a closed form (see `quadratic`);
//! where neither coefficients nor concavity decide, the coefficients alone are halved, never the points. A point that is likely to be
//! the highest is where the tangent plane touches; on tiles without one it is looked for after some halvings.
//! Ends because: halvings are counted.
//! Cost: one product per control point and a few evaluations where one cut at the highest point shows it.
//! Not promised: a bound that is reached, where the halvings run out.

use super::quadratic;
use super::tiles::{MOST, Tiles, basis};
use crate::curve::Range;
use crate::{DVec2, DVec3};

/// Halvings before the highest point of a tile is looked for.
const CLIMB_DEPTH: usize = 4;

/// Halvings one after the other in a proof.
const DEEPEST: usize = 48;

/// Roundings of coefficients before the first halving.
const FIRST_ROUNDINGS: f64 = 4.0;

/// Roundings of a coefficient for each level of a cut anywhere but in the middle.
const CUT_ROUNDINGS: f64 = 2.0;

impl Tiles {
    /// How far points may be above a height along `n`, at most, beside the rounding of coordinates; from a place near the
    /// highest point, where one is known.
    pub(super) fn rise(
        &self,
        n: DVec3,
        height: f64,
        touch: Option<(usize, DVec2)>,
        halvings: &mut usize,
    ) -> f64 {
        match self.size() {
            0..=9 => self.rise_by::<9>(n, height, touch, halvings),
            10..=16 => self.rise_by::<16>(n, height, touch, halvings),
            _ => self.rise_by::<MOST>(n, height, touch, halvings),
        }
    }

    fn rise_by<const K: usize>(
        &self,
        n: DVec3,
        height: f64,
        touch: Option<(usize, DVec2)>,
        halvings: &mut usize,
    ) -> f64 {
        let mut most = 0.0_f64;
        let length = 0.5 + 0.5 * n.length_squared();
        for (tile, (middle, radius)) in self.balls.iter().enumerate() {
            if middle.dot(n) + radius * length <= height {
                continue;
            }
            let mut part = Part::<K>::empty();
            let (mut highest, mut lowest, mut top) = (f64::NEG_INFINITY, f64::INFINITY, 0);
            for (k, (c, p)) in part.coefficients.iter_mut().zip(self.tile(tile)).enumerate() {
                *c = p.truncate().dot(n) - height * p.w;
                lowest = lowest.min(*c);
                if *c > highest {
                    (highest, top) = (*c, k);
                }
            }
            let unit = f64::EPSILON * highest.abs().max(lowest.abs());
            let bound = highest + FIRST_ROUNDINGS * unit;
            if bound <= most.max(2.0 * FIRST_ROUNDINGS * unit) {
                most = most.max(bound);
                continue;
            }
            if quadratic::is_closed(self.degrees) {
                let largest = quadratic::largest(&part.coefficients, self.degrees);
                most = most.max(largest + (FIRST_ROUNDINGS + quadratic::TOP_ROUNDINGS) * unit);
                continue;
            }
            // A place near the highest point: known, the one next to it, or looked for.
            let next =
                |(at, local)| if at == tile { local } else { self.local(tile, self.on_face(at, local)) };
            let mut proof = Proof { tiles: self, tile, n, touch: touch.map(next), unit };
            if proof.falls_away(&part, &mut most) {
                continue;
            }
            if touch.is_none_or(|(at, _)| at != tile) {
                proof.touch = Some(self.climb(n, tile, self.start(Some(top))).local);
                if proof.falls_away(&part, &mut most) {
                    continue;
                }
            }
            proof.look(&part, &mut most, halvings, 0);
        }
        most / self.least_weight
    }
}

/// A polynomial in Bernstein form over a part of a tile.
#[derive(Clone, Copy)]
struct Part<const K: usize> {
    coefficients: [f64; K],
    u: Range,
    v: Range,
}

impl<const K: usize> Part<K> {
    fn empty() -> Self {
        let unit = Range::new(0.0, 1.0);
        Self { coefficients: [0.0; K], u: unit, v: unit }
    }

    fn highest(&self, size: usize) -> f64 {
        self.coefficients[..size].iter().fold(f64::NEG_INFINITY, |most, &c| most.max(c))
    }

    /// Both parts of a cut across u (0) or v (1), at a share of the way.
    fn cut(&self, [p, q]: [usize; 2], direction: usize, share: f64) -> [Self; 2] {
        let (left, right) = (1.0 - share, share);
        let (mut low, mut high) = (*self, *self);
        let (rows, degree, stride, step) =
            if direction == 0 { (q + 1, p, q + 1, 1) } else { (p + 1, q, 1, q + 1) };
        for row in 0..rows {
            let at = |i: usize| row * step + i * stride;
            for level in 1..=degree {
                for i in (level..=degree).rev() {
                    low.coefficients[at(i)] =
                        left * low.coefficients[at(i - 1)] + right * low.coefficients[at(i)];
                }
                for i in 0..=degree - level {
                    high.coefficients[at(i)] =
                        left * high.coefficients[at(i)] + right * high.coefficients[at(i + 1)];
                }
            }
        }
        let parts = |range: Range| {
            let middle = range.at(share);
            [Range::new(range.low, middle), Range::new(middle, range.high)]
        };
        if direction == 0 {
            [low.u, high.u] = parts(self.u);
        } else {
            [low.v, high.v] = parts(self.v);
        }
        [low, high]
    }

    /// The largest second derivatives by u and v and the largest mixed one, in units of the part.
    fn bends(&self, [p, q]: [usize; 2]) -> [f64; 3] {
        let at = |i: usize, j: usize| self.coefficients[i * (q + 1) + j];
        let mut most =
            [if p < 2 { 0.0 } else { f64::NEG_INFINITY }, if q < 2 { 0.0 } else { f64::NEG_INFINITY }, 0.0];
        for i in 0..=p {
            for j in 0..=q {
                if i + 2 <= p {
                    let bend = at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j);
                    most[0] = most[0].max(bend * (p * (p - 1)) as f64);
                }
                if j + 2 <= q {
                    let bend = at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j);
                    most[1] = most[1].max(bend * (q * (q - 1)) as f64);
                }
                if i < p && j < q {
                    let twist = at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j);
                    most[2] = most[2].max(twist.abs() * (p * q) as f64);
                }
            }
        }
        most
    }

    /// What a concave polynomial is at most: its tangent plane at `touch`, of the tile's parameters.
    fn under_tangent(&self, degrees: [usize; 2], touch: DVec2) -> f64 {
        let local = |t: f64, range: Range| ((t - range.low) / range.width()).clamp(0.0, 1.0);
        let (x, y) = (local(touch.x, self.u), local(touch.y, self.v));
        let (bu, bv) = (basis(degrees[0], x), basis(degrees[1], y));
        let mut sums = [0.0; 3];
        let columns = degrees[1] + 1;
        for (k, c) in self.coefficients[..(degrees[0] + 1) * columns].iter().enumerate() {
            let (i, j) = (k / columns, k % columns);
            sums[0] += c * bu[0][i] * bv[0][j];
            sums[1] += c * bu[1][i] * bv[0][j];
            sums[2] += c * bu[0][i] * bv[1][j];
        }
        let rise = |slope: f64, at: f64| (slope * (1.0 - at)).max(-slope * at);
        sums[0] + rise(sums[1], x) + rise(sums[2], y)
    }
}

/// What is looked for in the parts of one tile: their largest value.
struct Proof<'a> {
    tiles: &'a Tiles,
    tile: usize,
    n: DVec3,
    /// A place near the largest value of the tile, once it is known.
    touch: Option<DVec2>,
    /// The last digit of the largest coefficient.
    unit: f64,
}

impl Proof<'_> {
    /// Whether the coefficients of the parts around the touching place show that the polynomial falls away from it on all sides,
    /// as it does where parameters run along conjugate directions; `most` is then raised as by [`Proof::look`].
    fn falls_away<const K: usize>(&self, whole: &Part<K>, most: &mut f64) -> bool {
        let Some(touch) = self.touch else { return false };
        let degrees = self.tiles.degrees;
        let rounding = (FIRST_ROUNDINGS + CUT_ROUNDINGS * (degrees[0] + degrees[1]) as f64) * self.unit;
        let mut is_enough = |[found, reached]: [f64; 2], rounding: f64| {
            let bound = found + rounding;
            // What the polynomial reaches nothing can be proven below.
            let enough = bound <= most.max(reached.max(0.0) + 2.0 * rounding);
            if enough {
                *most = most.max(bound);
            }
            enough
        };
        match whole.coefficients.first_chunk() {
            Some(coefficients) if degrees == [2, 2] => {
                let rounding = rounding + quadratic::TOP_ROUNDINGS * self.unit;
                (0..2).any(|k| is_enough(quadratic::highest_beside(coefficients, k, touch[k]), rounding))
            }
            _ => is_enough([self.highest_around(whole, touch), 0.0], rounding),
        }
    }

    /// The largest coefficient of the parts around a place.
    fn highest_around<const K: usize>(&self, whole: &Part<K>, touch: DVec2) -> f64 {
        let degrees = self.tiles.degrees;
        let size = (degrees[0] + 1) * (degrees[1] + 1);
        let is_inner = |k: usize| degrees[k] > 0 && touch[k] > 0.0 && touch[k] < 1.0;
        let highest = |part: &Part<K>| {
            if is_inner(1) {
                let [low, high] = part.cut(degrees, 1, touch.y);
                low.highest(size).max(high.highest(size))
            } else {
                part.highest(size)
            }
        };
        if is_inner(0) {
            let [low, high] = whole.cut(degrees, 0, touch.x);
            highest(&low).max(highest(&high))
        } else {
            highest(whole)
        }
    }

    /// Raises `most` to what the polynomial is at most; no more than needed to know that it is below.
    fn look<const K: usize>(&mut self, part: &Part<K>, most: &mut f64, halvings: &mut usize, depth: usize) {
        let (degrees, unit) = (self.tiles.degrees, self.unit);
        // Each level of a halving rounds once, by half a digit; there are as many as the degree.
        let most_degree = degrees[0].max(degrees[1]).max(1) as f64;
        let rounding = (FIRST_ROUNDINGS + 0.5 * most_degree * depth as f64) * unit;
        let size = (degrees[0] + 1) * (degrees[1] + 1);
        let mut bound = part.highest(size) + rounding;
        if bound <= *most {
            return;
        }
        let [uu, vv, uv] = part.bends(degrees);
        let bent = 4.0 * rounding * most_degree * most_degree;
        // A tangent plane is a value and two slopes, each a sum over all coefficients; those of slopes are larger by twice the degree.
        let summed = (3.0 + 0.5 * size as f64) * (1.0 + 4.0 * most_degree) * unit;
        let touch = self.place(part, depth);
        // Concave for certain; or else, lowered by `bent` along both parameters, which lowers it by no more than `bent`.
        if uu < -bent && vv < -bent && (uv + bent) * (uv + bent) <= (uu + bent) * (vv + bent) {
            bound = bound.min(part.under_tangent(degrees, touch) + rounding + summed);
        } else {
            let [low_u, low_v] = [uu - bent, vv - bent];
            if low_u <= 0.0 && low_v <= 0.0 && (uv * uv <= low_u * low_v || uv <= bent) {
                bound = bound.min(part.under_tangent(degrees, touch) + rounding + summed + 2.0 * bent);
            }
        }
        if bound <= *most {
            return;
        }
        if bound <= most.max(2.0 * (rounding + summed + bent)) || *halvings == 0 || depth == DEEPEST {
            *most = most.max(bound);
            return;
        }
        *halvings -= 1;
        let across_v = degrees[0] == 0 || (degrees[1] > 0 && vv.abs() > uu.abs());
        for half in part.cut(degrees, usize::from(across_v), 0.5).iter().rev() {
            self.look(half, most, halvings, depth + 1);
        }
    }

    /// Where a tangent plane may touch: near the largest value of the tile, looked for where halvings do not decide; before that the
    /// middle of a part.
    fn place<const K: usize>(&mut self, part: &Part<K>, depth: usize) -> DVec2 {
        let middle = DVec2::new(part.u.middle(), part.v.middle());
        if self.touch.is_none() && depth >= CLIMB_DEPTH {
            self.touch = Some(self.tiles.climb(self.n, self.tile, middle).local);
        }
        self.touch.unwrap_or(middle)
    }
}
