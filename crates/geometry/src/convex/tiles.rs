//! The farthest point of a spline along a direction, and a proof that nothing is farther.
//!
//! Source: the height of a Bézier patch along a direction is a quotient of two polynomials in Bernstein form; its
//! coefficients bound it, and a concave polynomial lies below its tangent plane.
//! Differs: "no point is higher than c" is proved for the polynomial N − c W, so that rational patches cost no more;
//! where neither coefficients nor concavity decide, the coefficients alone are halved, never the points. A point that is likely to be
//! the highest is where the tangent plane touches; on tiles without one it is looked for after some halvings.
//! Ends because: Newton steps and halvings are counted.
//! Cost: one product per control point, a few evaluations, and about as much again for the proof.
//! Not promised: the highest point of a patch that is no part of a convex body's boundary.

use crate::curve::{Range, Rect};
use crate::{DVec2, DVec3, DVec4};

/// Most coefficients of a tile: degrees up to 7.
const MOST: usize = 64;

/// A step so short that the next one is lost in rounding; a share of a tile.
const SHORT: f64 = 1.0 / (1_u64 << 28) as f64;

/// Newton steps on one tile.
const STEPS: usize = 24;

/// Halvings in a proof before it settles for the bound it has.
const HALVINGS: usize = 400;

/// Halvings before the highest point of a tile is looked for.
const CLIMB_DEPTH: usize = 4;

/// Halvings one after the other in a proof.
const DEEPEST: usize = 48;

/// Roundings of coefficients before the first halving.
const FIRST_ROUNDINGS: f64 = 4.0;

/// A spline as Bézier tiles.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    degrees: [usize; 2],
    rects: Vec<Rect>,
    net: Vec<DVec4>,
    least_weight: f64,
    /// Whether the parameters are those of the face.
    pub(super) own: bool,
}

/// A farthest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) point: DVec3,
    pub(super) at: DVec2,
    height: f64,
    tile: usize,
    local: DVec2,
}

/// A quotient with its derivatives.
#[derive(Clone, Copy)]
struct Slope {
    value: f64,
    first: [f64; 2],
    second: [f64; 3],
}

impl Tiles {
    /// `None` where the degree is too high or a number is not finite.
    pub(super) fn new(degrees: [usize; 2], tiles: Vec<(Rect, Vec<DVec4>)>, own: bool) -> Option<Self> {
        let size = (degrees[0] + 1) * (degrees[1] + 1);
        if size > MOST || degrees[0] > 7 || degrees[1] > 7 || tiles.is_empty() {
            return None;
        }
        let rects = tiles.iter().map(|(rect, _)| *rect).collect();
        let net: Vec<DVec4> = tiles.into_iter().flat_map(|(_, net)| net).collect();
        let least_weight = net.iter().fold(f64::INFINITY, |least, p| least.min(p.w));
        let sound = net.iter().all(|p| p.is_finite()) && least_weight > 0.0;
        sound.then_some(Self { degrees, rects, net, least_weight, own })
    }

    /// All control points.
    pub(super) fn controls(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.net.iter().map(|p| p.truncate() / p.w)
    }

    fn size(&self) -> usize {
        (self.degrees[0] + 1) * (self.degrees[1] + 1)
    }

    fn tile(&self, tile: usize) -> &[DVec4] {
        &self.net[tile * self.size()..(tile + 1) * self.size()]
    }

    /// The farthest point along `n`.
    pub(super) fn farthest(&self, n: DVec3) -> Peak {
        let mut best: Option<Peak> = None;
        let mut looked = 0_u64;
        // The tile with the highest control point first; then any that may still be higher.
        while looked.count_ones() < 8 {
            let floor = best.map_or(f64::NEG_INFINITY, |peak| peak.height);
            let Some((tile, start)) = self.highest_control(n, floor, looked) else { break };
            looked |= 1 << (tile % 64);
            let peak = self.climb(n, tile, start);
            let inner = peak.local.cmpgt(DVec2::ZERO).all() && peak.local.cmplt(DVec2::ONE).all();
            if best.is_none_or(|best| peak.height > best.height) {
                best = Some(peak);
            }
            if inner {
                break;
            }
        }
        best.unwrap_or_else(|| self.climb(n, 0, DVec2::splat(0.5)))
    }

    /// The highest control point above `floor` among tiles not looked at, as its tile and the parameters it stands
    /// for.
    fn highest_control(&self, n: DVec3, floor: f64, looked: u64) -> Option<(usize, DVec2)> {
        let (mut highest, mut found) = (floor, None);
        for tile in 0..self.rects.len() {
            if looked >> (tile % 64) & 1 == 1 {
                continue;
            }
            for (k, p) in self.tile(tile).iter().enumerate() {
                let height = p.truncate().dot(n) / p.w;
                if height > highest {
                    highest = height;
                    found = Some((tile, k));
                }
            }
        }
        found.map(|(tile, k)| (tile, self.start(Some(k))))
    }

    /// The parameters that a control point stands for; the middle without one.
    fn start(&self, control: Option<usize>) -> DVec2 {
        let Some(k) = control else { return DVec2::splat(0.5) };
        let columns = self.degrees[1] + 1;
        let share = |i: usize, degree: usize| if degree == 0 { 0.0 } else { i as f64 / degree as f64 };
        DVec2::new(share(k / columns, self.degrees[0]), share(k % columns, self.degrees[1]))
    }

    fn slope(&self, n: DVec3, tile: usize, at: DVec2) -> (Slope, DVec3) {
        let net = self.tile(tile);
        let [p, q] = self.degrees;
        let (bu, bv) = (basis(p, at.x), basis(q, at.y));
        let mut sums = [DVec4::ZERO; 6];
        for i in 0..=p {
            let mut row = [DVec4::ZERO; 3];
            for j in 0..=q {
                let c = net[i * (q + 1) + j];
                for (sum, weights) in row.iter_mut().zip(&bv) {
                    *sum += c * weights[j];
                }
            }
            sums[0] += row[0] * bu[0][i];
            sums[1] += row[0] * bu[1][i];
            sums[2] += row[1] * bu[0][i];
            sums[3] += row[0] * bu[2][i];
            sums[4] += row[1] * bu[1][i];
            sums[5] += row[2] * bu[0][i];
        }
        let w = sums[0].w;
        let h = sums.map(|s| s.truncate().dot(n));
        let value = h[0] / w;
        let first = [(h[1] - value * sums[1].w) / w, (h[2] - value * sums[2].w) / w];
        let second = [
            (h[3] - value * sums[3].w - 2.0 * first[0] * sums[1].w) / w,
            (h[4] - value * sums[4].w - first[0] * sums[2].w - first[1] * sums[1].w) / w,
            (h[5] - value * sums[5].w - 2.0 * first[1] * sums[2].w) / w,
        ];
        (Slope { value, first, second }, sums[0].truncate() / w)
    }

    /// Newton's method uphill within a tile.
    fn climb(&self, n: DVec3, tile: usize, start: DVec2) -> Peak {
        let mut at = start;
        let (mut slope, mut point) = self.slope(n, tile, at);
        'steps: for _ in 0..STEPS {
            let step = uphill(&slope, at);
            let mut scale = 1.0;
            for _ in 0..8 {
                let next = (at + step * scale).clamp(DVec2::ZERO, DVec2::ONE);
                if next == at {
                    break 'steps;
                }
                let (there, reached) = self.slope(n, tile, next);
                let moved = (next - at).abs().max_element();
                if there.value > slope.value {
                    (at, slope, point) = (next, there, reached);
                    // What such a step leaves is its square.
                    if moved <= SHORT {
                        break 'steps;
                    }
                    continue 'steps;
                }
                if moved <= SHORT {
                    break 'steps;
                }
                scale *= 0.25;
            }
            break;
        }
        let rect = self.rects[tile];
        let at_face = DVec2::new(rect.u.at(at.x), rect.v.at(at.y));
        Peak { point, at: at_face, height: slope.value, tile, local: at }
    }

    /// The highest control point along `n`.
    pub(super) fn top(&self, n: DVec3) -> f64 {
        self.net.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.truncate().dot(n) / p.w))
    }

    /// A height that no point exceeds along `n`, beside the rounding of coordinates.
    pub(super) fn height_above(&self, n: DVec3) -> f64 {
        let peak = self.farthest(n);
        peak.height + self.rise(n, peak.height, Some((peak.tile, peak.local)), &mut { HALVINGS })
    }

    /// A place near the highest point along `n`, from one close to it; `None` where the tiles have no such parameters.
    pub(super) fn touch(&self, n: DVec3, at: DVec2) -> Option<(usize, DVec2)> {
        let is_in = |rect: &Rect| rect.u.contains(at.x) && rect.v.contains(at.y);
        let tile = self.rects.iter().position(is_in).filter(|_| self.own)?;
        let rect = &self.rects[tile];
        let share =
            |t: f64, range: Range| if range.width() > 0.0 { (t - range.low) / range.width() } else { 0.0 };
        let mut local = DVec2::new(share(at.x, rect.u), share(at.y, rect.v));
        // What a short step leaves is its square.
        let (slope, _) = self.slope(n, tile, local);
        local = (local + uphill(&slope, local)).clamp(DVec2::ZERO, DVec2::ONE);
        Some((tile, local))
    }

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
        for tile in 0..self.rects.len() {
            let mut part = Part::<K>::empty();
            let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
            for (c, p) in part.coefficients.iter_mut().zip(self.tile(tile)) {
                *c = p.truncate().dot(n) - height * p.w;
                (highest, lowest) = (highest.max(*c), lowest.min(*c));
            }
            let unit = f64::EPSILON * highest.abs().max(lowest.abs());
            if highest + FIRST_ROUNDINGS * unit <= most {
                continue;
            }
            let touch = touch.and_then(|(at, local)| (at == tile).then_some(local));
            let mut proof = Proof { tiles: self, tile, n, touch, unit };
            proof.look(&part, &mut most, halvings, 0);
        }
        most / self.least_weight
    }
}

/// A step uphill for a height whose slope at `at` is given, within the unit square.
fn uphill(slope: &Slope, at: DVec2) -> DVec2 {
    let stuck = |k: usize| (at[k] <= 0.0 && slope.first[k] <= 0.0) || (at[k] >= 1.0 && slope.first[k] >= 0.0);
    let [a, b, c] = slope.second;
    let along = |k: usize| {
        let bend = [a, c][k];
        if bend < 0.0 { -slope.first[k] / bend } else { slope.first[k].signum() }
    };
    match (stuck(0), stuck(1)) {
        (true, true) => DVec2::ZERO,
        (true, false) => DVec2::new(0.0, along(1)),
        (false, true) => DVec2::new(along(0), 0.0),
        (false, false) => {
            let determinant = a * c - b * b;
            if a < 0.0 && determinant > f64::EPSILON * (a * c).abs() {
                let [g, h] = slope.first;
                DVec2::new(-(c * g - b * h), -(a * h - b * g)) / determinant
            } else {
                // One parameter at a time: beside a ruling that is as high all along, where both would creep along it.
                let steps = [along(0), along(1)];
                let gain = |k: usize| {
                    let step = (at[k] + steps[k]).clamp(0.0, 1.0) - at[k];
                    slope.first[k] * step + 0.5 * [a, c][k] * step * step
                };
                let [u, v] = steps;
                if gain(0) >= gain(1) { DVec2::new(u, 0.0) } else { DVec2::new(0.0, v) }
            }
        }
    }
}

/// Bernstein polynomials of a degree up to 7 at t with their first and second derivatives.
fn basis(degree: usize, t: f64) -> [[f64; 8]; 3] {
    let mut rows = [[0.0; 8]; 3];
    let mut row = [0.0; 8];
    row[0] = 1.0;
    for level in 0..=degree {
        if level + 2 == degree {
            let scale = (degree * (degree - 1)) as f64;
            for i in 0..=degree {
                let at = |k: usize| if i >= k && i - k <= level { row[i - k] } else { 0.0 };
                rows[2][i] = scale * (at(2) - 2.0 * at(1) + at(0));
            }
        }
        if level + 1 == degree {
            let scale = degree as f64;
            for i in 0..=degree {
                let at = |k: usize| if i >= k && i - k <= level { row[i - k] } else { 0.0 };
                rows[1][i] = scale * (at(1) - at(0));
            }
        }
        if level == degree {
            break;
        }
        for i in (0..=level + 1).rev() {
            let below = if i > 0 { row[i - 1] } else { 0.0 };
            let here = if i <= level { row[i] } else { 0.0 };
            row[i] = t * below + (1.0 - t) * here;
        }
    }
    rows[0] = row;
    rows
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

    /// Both halves across u (0) or v (1).
    fn halves(&self, [p, q]: [usize; 2], direction: usize) -> [Self; 2] {
        let (mut low, mut high) = (*self, *self);
        let (rows, degree, stride, step) =
            if direction == 0 { (q + 1, p, q + 1, 1) } else { (p + 1, q, 1, q + 1) };
        for row in 0..rows {
            let at = |i: usize| row * step + i * stride;
            for level in 1..=degree {
                for i in (level..=degree).rev() {
                    low.coefficients[at(i)] = 0.5 * (low.coefficients[at(i - 1)] + low.coefficients[at(i)]);
                }
                for i in 0..=degree - level {
                    high.coefficients[at(i)] =
                        0.5 * (high.coefficients[at(i)] + high.coefficients[at(i + 1)]);
                }
            }
        }
        if direction == 0 {
            [low.u, high.u] = self.u.halves();
        } else {
            [low.v, high.v] = self.v.halves();
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
        for half in part.halves(degrees, usize::from(across_v)).iter().rev() {
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
