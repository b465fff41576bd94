//! Control points as columns of coordinates, so that their heights along a direction are taken several at a time.
//!
//! Source: plain loops over lanes; a height is the same sum of products as that of one point, so that its bits are the same.
//! Differs: the least height is looked for as a value; which point has it is asked for only where that matters.
//! Ends because: loops run over control points.
//! Cost: some five instructions for each point.
//! Not promised: which of several lowest points is named.

use clearance_geometry::DVec3;

/// Points that are looked at together.
const LANES: usize = 4;

/// A set of points of which heights are asked for.
pub(crate) trait Heights {
    /// The least height along a direction; infinite of no points.
    fn least(&self, along: DVec3) -> f64;

    /// The first point whose height is that.
    fn lowest(&self, along: DVec3, least: f64) -> DVec3;
}

impl Heights for [DVec3] {
    fn least(&self, along: DVec3) -> f64 {
        self.iter().fold(f64::INFINITY, |least, p| lesser(p.dot(along), least))
    }

    fn lowest(&self, along: DVec3, least: f64) -> DVec3 {
        self.iter().find(|p| p.dot(along) == least).copied().unwrap_or_default()
    }
}

/// Points by their coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    x: &'a [f64],
    y: &'a [f64],
    z: &'a [f64],
}

impl<'a> Columns<'a> {
    /// Of so many points, whose coordinates stand one kind after the other.
    #[inline]
    pub(super) fn new(all: &'a [f64], count: usize) -> Self {
        let (x, rest) = all.split_at(count);
        let (y, rest) = rest.split_at(count);
        Self { x, y, z: &rest[..count] }
    }

    /// The corners of the box around them.
    pub(super) fn corners(&self) -> [DVec3; 2] {
        let [x, y, z] = [range(self.x), range(self.y), range(self.z)];
        [DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1])]
    }

    /// The greatest squared distance from a point; 0 of no points.
    pub(super) fn farthest_square(&self, from: DVec3) -> f64 {
        let square = |x: f64, y: f64, z: f64| {
            let (x, y, z) = (x - from.x, y - from.y, z - from.z);
            x * x + y * y + z * z
        };
        self.fold(0.0, square, greater)
    }

    /// The greatest value of a function at the points; that of no points is below all others.
    #[inline]
    pub(crate) fn most(&self, value: impl Fn(f64, f64, f64) -> f64) -> f64 {
        self.fold(f64::NEG_INFINITY, value, greater)
    }

    /// The best of a value and those of a function at all points.
    #[inline(always)]
    fn fold(
        &self,
        first: f64,
        value: impl Fn(f64, f64, f64) -> f64,
        better: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let ((xs, x_rest), (ys, y_rest), (zs, z_rest)) =
            (self.x.as_chunks::<LANES>(), self.y.as_chunks::<LANES>(), self.z.as_chunks::<LANES>());
        let mut lanes = [first; LANES];
        for ((x, y), z) in xs.iter().zip(ys).zip(zs) {
            for k in 0..LANES {
                lanes[k] = better(value(x[k], y[k], z[k]), lanes[k]);
            }
        }
        let mut best = better(better(lanes[0], lanes[1]), better(lanes[2], lanes[3]));
        for ((x, y), z) in x_rest.iter().zip(y_rest).zip(z_rest) {
            best = better(value(*x, *y, *z), best);
        }
        best
    }
}

impl Heights for Columns<'_> {
    #[inline]
    fn least(&self, along: DVec3) -> f64 {
        self.fold(f64::INFINITY, |x, y, z| x * along.x + y * along.y + z * along.z, lesser)
    }

    #[inline]
    fn lowest(&self, along: DVec3, least: f64) -> DVec3 {
        let points = || self.x.iter().zip(self.y).zip(self.z).map(|((x, y), z)| DVec3::new(*x, *y, *z));
        points().find(|p| p.dot(along) == least).unwrap_or_default()
    }
}

/// The least and the greatest of some values.
fn range(values: &[f64]) -> [f64; 2] {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    for chunk in chunks {
        for k in 0..LANES {
            low[k] = lesser(chunk[k], low[k]);
            high[k] = greater(chunk[k], high[k]);
        }
    }
    let mut low = lesser(lesser(low[0], low[1]), lesser(low[2], low[3]));
    let mut high = greater(greater(high[0], high[1]), greater(high[2], high[3]));
    for x in rest {
        (low, high) = (lesser(*x, low), greater(*x, high));
    }
    [low, high]
}

/// Plain comparisons: a minimum that minds NaN costs six times as much.
#[inline(always)]
fn lesser(x: f64, other: f64) -> f64 {
    if x < other { x } else { other }
}

#[inline(always)]
fn greater(x: f64, other: f64) -> f64 {
    if x > other { x } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    /// Heights several at a time have the bits of those of single points, for counts that are no multiple of the lanes too.
    #[test]
    fn columns_are_the_points() {
        let mut random = Random::new(3);
        for count in 0..40 {
            let points: Vec<DVec3> = (0..count).map(|_| random.direction() * (1.0 + random.unit())).collect();
            let all: Vec<f64> = (0..3).flat_map(|k| points.iter().map(move |p| p[k])).collect();
            let columns = Columns::new(&all, count);
            let along = random.direction();
            let least = points[..].least(along);
            assert_eq!(columns.least(along).to_bits(), least.to_bits());
            assert_eq!(columns.lowest(along, least), points[..].lowest(along, least));
            let corners = points
                .iter()
                .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| [low.min(*p), high.max(*p)]);
            assert_eq!(columns.corners(), corners);
            let square = points.iter().map(|p| p.distance_squared(along)).fold(0.0, f64::max);
            assert_eq!(columns.farthest_square(along).to_bits(), square.to_bits());
        }
    }
}
