//! What samples of a set form: points, curves or areas.
//!
//! Source: none. Samples closer than a few spacings are connected; how they spread around each one tells its dimension.
//! Differs: nothing.
//! Ends because: loops run over pairs of samples.
//! Cost: O(n²).
//! Not promised: the kind of a region that is only a few spacings long.

use super::locus::{RegionKind, Sample};
use clearance_geometry::DMat3;

/// Spacings within which two samples are connected.
const LINK: f64 = 2.5;

/// The ratio of the second spread to the first from which on samples are spread over an area.
const WIDE: f64 = 0.4;

/// The fewest samples of a closed curve.
const LEAST_CLOSED: usize = 6;

fn apart(one: &Sample, other: &Sample) -> f64 {
    let [of_a, of_b] = [0, 1].map(|i| one.points[i].distance(other.points[i]));
    of_a.max(of_b)
}

/// What connected samples form, those of a curve in order, and whether a curve ends where it begins.
pub(super) type Group = (RegionKind, Vec<Sample>, bool);

/// Connected groups of samples, none of them empty.
pub(super) fn connected(samples: Vec<Sample>, spacing: f64) -> Vec<Group> {
    let reach = LINK * spacing;
    let mut left = samples;
    let mut found = Vec::new();
    while let Some(seed) = left.pop() {
        let mut group = vec![seed];
        let mut next = 0;
        while next < group.len() {
            let here = group[next];
            next += 1;
            let (near, far): (Vec<Sample>, Vec<Sample>) =
                left.into_iter().partition(|other| apart(&here, other) <= reach);
            group.extend(near);
            left = far;
        }
        found.push(region(group, spacing));
    }
    found
}

fn region(samples: Vec<Sample>, spacing: f64) -> Group {
    if samples.len() == 1 {
        return (RegionKind::Point, samples, false);
    }
    let wide = samples.iter().filter(|sample| is_wide(sample, &samples, LINK * spacing)).count();
    if 2 * wide > samples.len() {
        return (RegionKind::Area, samples, false);
    }
    let samples = in_order(samples);
    let closed =
        samples.len() >= LEAST_CLOSED && apart(&samples[0], &samples[samples.len() - 1]) <= LINK * spacing;
    (RegionKind::Curve, samples, closed)
}

/// Whether the samples around one spread in two directions. Of a pair of points, the one that moves more tells.
fn is_wide(here: &Sample, all: &[Sample], reach: f64) -> bool {
    let mut spreads = [DMat3::ZERO; 2];
    for other in all.iter().filter(|other| apart(here, other) <= reach) {
        for (spread, (to, from)) in spreads.iter_mut().zip(other.points.iter().zip(&here.points)) {
            let d = *to - *from;
            *spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
    }
    let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let spread = if trace(&spreads[0]) >= trace(&spreads[1]) { spreads[0] } else { spreads[1] };
    // The two greatest roots from the trace and the sum of the principal minors; the third is small on a surface.
    let sum = trace(&spread);
    let square = spread * spread;
    let minors = 0.5 * (sum * sum - trace(&square));
    let root = (0.25 * sum * sum - minors).max(0.0).sqrt();
    let (first, second) = (0.5 * sum + root, (0.5 * sum - root).max(0.0));
    second > WIDE * WIDE * first
}

/// Samples of a curve, each followed by the nearest that is left; from the one farthest from the first.
fn in_order(mut samples: Vec<Sample>) -> Vec<Sample> {
    let farthest = |from: Sample, of: &[Sample]| {
        let far = |k: &usize| apart(&from, &of[*k]);
        (0..of.len()).max_by(|i, j| far(i).total_cmp(&far(j))).unwrap_or(0)
    };
    // An end of an open curve is the farthest from anywhere.
    let start = farthest(samples[0], &samples);
    let mut here = samples.swap_remove(start);
    let mut order = vec![here];
    while !samples.is_empty() {
        let near = |k: &usize| apart(&here, &samples[*k]);
        let next = (0..samples.len()).min_by(|i, j| near(i).total_cmp(&near(j))).unwrap_or(0);
        here = samples.swap_remove(next);
        order.push(here);
    }
    order
}
