//! A spline as Bézier tiles, and its farthest point along a direction.
//!
//! Source: Newton's method on the height of a Bézier patch along a direction, a quotient of two polynomials.
//! Differs: begun on the tiles with the highest control points, as many as may be higher than what was found; where it is stuck,
//! one parameter at a time.
//! Ends because: Newton steps and tiles are counted.
//! Cost: one product per control point, and a few evaluations.
//! Not promised: the highest point of a patch that is no part of a convex body's boundary; `rise` proves heights.

use super::quadratic;
use crate::curve::{Range, Rect};
use crate::{DVec2, DVec3, DVec4};

/// Most coefficients of a tile: degrees up to 7.
pub(super) const MOST: usize = 64;

/// A step so short that the next one is lost in rounding; a share of a tile.
const SHORT: f64 = 1.0 / (1_u64 << 28) as f64;

/// Newton steps on one tile.
const STEPS: usize = 24;

/// Halvings in a proof before it settles for the bound it has.
const HALVINGS: usize = 400;

/// Roundings of a ball around control points and of its height.
const BALL_ROUNDINGS: f64 = 8.0;

/// Tiles on which the farthest point is looked for.
const MOST_CLIMBS: usize = 8;

/// A spline as Bézier tiles.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    pub(super) degrees: [usize; 2],
    rects: Vec<Rect>,
    net: Vec<DVec4>,
    /// A ball around the control points of each tile.
    pub(super) balls: Vec<(DVec3, f64)>,
    pub(super) least_weight: f64,
    /// Whether the parameters are those of the face.
    pub(super) own: bool,
}

/// A farthest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) point: DVec3,
    pub(super) at: DVec2,
    pub(super) height: f64,
    tile: usize,
    pub(super) local: DVec2,
}

/// A quotient with its derivatives.
#[derive(Clone, Copy)]
pub(super) struct Slope {
    pub(super) value: f64,
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
        let balls = net.chunks_exact(size).map(ball).collect();
        let least_weight = net.iter().fold(f64::INFINITY, |least, p| least.min(p.w));
        let sound = net.iter().all(|p| p.is_finite()) && least_weight > 0.0;
        sound.then_some(Self { degrees, rects, net, balls, least_weight, own })
    }

    /// The degrees along both parameters; the second is 0 for a curve.
    pub(super) const fn degrees(&self) -> [usize; 2] {
        self.degrees
    }

    /// The number of tiles.
    pub(super) const fn count(&self) -> usize {
        self.rects.len()
    }

    pub(super) fn size(&self) -> usize {
        (self.degrees[0] + 1) * (self.degrees[1] + 1)
    }

    pub(super) fn tile(&self, tile: usize) -> &[DVec4] {
        &self.net[tile * self.size()..(tile + 1) * self.size()]
    }

    /// The farthest point along `n`.
    pub(super) fn farthest(&self, n: DVec3) -> Peak {
        let mut best: Option<Peak> = None;
        let mut looked = [usize::MAX; MOST_CLIMBS];
        // The tile with the highest control point first; then any that may still be higher.
        for count in 0..MOST_CLIMBS {
            let floor = best.map_or(f64::NEG_INFINITY, |peak| peak.height);
            let Some((tile, start)) = self.highest_control(n, floor, &looked[..count]) else { break };
            looked[count] = tile;
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
    fn highest_control(&self, n: DVec3, floor: f64, looked: &[usize]) -> Option<(usize, DVec2)> {
        let (mut highest, mut found) = (floor, None);
        for tile in 0..self.rects.len() {
            if looked.contains(&tile) {
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

    /// The parameters that the highest control point of a tile stands for, unless it is below `floor`.
    pub(super) fn highest_of(&self, n: DVec3, floor: f64, tile: usize) -> Option<DVec2> {
        let heights = self.tile(tile).iter().map(|p| p.truncate().dot(n) / p.w).enumerate();
        let (k, height) = heights.max_by(|one, other| one.1.total_cmp(&other.1))?;
        (height >= floor).then(|| self.start(Some(k)))
    }

    /// The parameters that a control point stands for; the middle without one.
    pub(super) fn start(&self, control: Option<usize>) -> DVec2 {
        let Some(k) = control else { return DVec2::splat(0.5) };
        let columns = self.degrees[1] + 1;
        let share = |i: usize, degree: usize| if degree == 0 { 0.0 } else { i as f64 / degree as f64 };
        DVec2::new(share(k / columns, self.degrees[0]), share(k % columns, self.degrees[1]))
    }

    pub(super) fn slope(&self, n: DVec3, tile: usize, at: DVec2) -> (Slope, DVec3) {
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
    pub(super) fn climb(&self, n: DVec3, tile: usize, start: DVec2) -> Peak {
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
                let is_higher = there.value > slope.value;
                if is_higher {
                    (at, slope, point) = (next, there, reached);
                }
                // What such a step leaves is its square.
                if moved <= SHORT {
                    break 'steps;
                }
                if is_higher {
                    continue 'steps;
                }
                scale *= 0.25;
            }
            break;
        }
        Peak { point, at: self.on_face(tile, at), height: slope.value, tile, local: at }
    }

    /// The face's parameters of a place on a tile.
    pub(super) fn on_face(&self, tile: usize, local: DVec2) -> DVec2 {
        let rect = &self.rects[tile];
        DVec2::new(rect.u.at(local.x), rect.v.at(local.y))
    }

    /// The place on a tile nearest to parameters of the face.
    pub(super) fn local(&self, tile: usize, at: DVec2) -> DVec2 {
        let share = |t: f64, range: Range| {
            if range.width() > 0.0 { ((t - range.low) / range.width()).clamp(0.0, 1.0) } else { 0.0 }
        };
        DVec2::new(share(at.x, self.rects[tile].u), share(at.y, self.rects[tile].v))
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

    /// A place near the highest point along `n`, from one close to it; `None` where the tiles have no such parameters, or a rise
    /// does not ask for it.
    pub(super) fn touch(&self, n: DVec3, at: DVec2) -> Option<(usize, DVec2)> {
        if quadratic::is_closed(self.degrees) {
            return None;
        }
        let is_in = |rect: &Rect| rect.u.contains(at.x) && rect.v.contains(at.y);
        let tile = self.rects.iter().position(is_in).filter(|_| self.own)?;
        let mut local = self.local(tile, at);
        // What a short step leaves is its square.
        let (slope, _) = self.slope(n, tile, local);
        local = (local + uphill(&slope, local)).clamp(DVec2::ZERO, DVec2::ONE);
        Some((tile, local))
    }
}

/// A ball around the projections of homogeneous points, with what rounding can make of it and of its height along a direction.
fn ball(net: &[DVec4]) -> (DVec3, f64) {
    let points = || net.iter().map(|p| p.truncate() / p.w);
    let low = points().fold(DVec3::INFINITY, DVec3::min);
    let high = points().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = 0.5 * (low + high);
    let radius = points().fold(0.0_f64, |most, p| most.max(p.distance(middle)));
    (middle, radius + BALL_ROUNDINGS * f64::EPSILON * (radius + middle.length()))
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
pub(super) fn basis(degree: usize, t: f64) -> [[f64; 8]; 3] {
    let mut rows = [[0.0; 8]; 3];
    if degree == 2 {
        let s = 1.0 - t;
        rows[0][..3].copy_from_slice(&[s * s, 2.0 * (s * t), t * t]);
        rows[1][..3].copy_from_slice(&[-2.0 * s, 2.0 * (s - t), 2.0 * t]);
        rows[2][..3].copy_from_slice(&[2.0, -4.0, 2.0]);
        return rows;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An arch over each unit of x, as high as half the middle control point.
    fn arches(heights: &[f64]) -> Tiles {
        let arch = |(k, height): (usize, &f64)| {
            let x = k as f64;
            let net = vec![
                DVec4::new(x, 0.0, 0.0, 1.0),
                DVec4::new(x + 0.5, 0.0, *height, 1.0),
                DVec4::new(x + 1.0, 0.0, 0.0, 1.0),
            ];
            (Rect::new(Range::new(x, x + 1.0), Range::new(0.0, 1.0)), net)
        };
        Tiles::new([2, 0], heights.iter().enumerate().map(arch).collect(), true).unwrap()
    }

    #[test]
    fn farthest_points_are_found_among_more_than_64_tiles() {
        let mut heights = vec![0.0; 130];
        // One whose control point promises more than it keeps, since its ends weigh more; 64 tiles on there is more.
        heights[3] = 2.0;
        let mut tiles = arches(&heights);
        tiles.net[3 * 3].w = 8.0;
        tiles.net[3 * 3 + 2].w = 8.0;
        tiles.net[67 * 3 + 1].z = 1.5;
        let peak = tiles.farthest(DVec3::Z);
        assert_eq!((peak.tile, peak.height), (67, 0.75));
    }

    #[test]
    fn rises_are_above_all_points_and_close() {
        let tiles = arches(&[0.3, 1.0, 0.7, 0.2]);
        for k in 0..200 {
            let angle = 0.01 * f64::from(k) - 1.0;
            let n = DVec3::new(angle.sin(), 0.0, angle.cos());
            let at = |tile: usize, j: usize| tiles.slope(n, tile, DVec2::new(j as f64 / 1e3, 0.0)).0.value;
            let most = (0..4).flat_map(|tile| (0..=1000).map(move |j| (tile, j)));
            let most = most.map(|(tile, j)| at(tile, j)).fold(f64::NEG_INFINITY, f64::max);
            let above = tiles.height_above(n);
            assert!(above >= most && above <= most + 1e-5, "{k}: {most} {above}");
            // From a point that is not the highest, with a place that is wrong, the bound still holds.
            let rise =
                tiles.rise(n, most - 0.1, Some((k as usize % 4, DVec2::new(0.3, 0.0))), &mut { HALVINGS });
            assert!(rise >= 0.1 - 1e-12, "{k}: {rise}");
        }
    }
}
