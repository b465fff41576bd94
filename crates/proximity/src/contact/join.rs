//! Branches put together to connected curves.
//!
//! Source: none. Ends that are closest to each other are one point.
//! Differs: where more than two ends meet, the curve goes on as straight as it can.
//! Ends because: every end is joined at most once.
//! Cost: O(n²) for n ends.
//! Not promised: the right continuation where three or more curves end in one point at like angles.

use super::branches::Branch;
use super::intersection::to_segment;
use clearance_geometry::DVec3;

/// What a distance of the whole tolerance counts against one minus the cosine of a bend.
const FAR: f64 = 0.05;

/// Times the tolerance: how far ends may be apart that are one point.
const LOOSE: f64 = 16.0;

/// Times the tolerance: the length of the chord that gives the direction of an end.
const CHORD: f64 = 64.0;

/// An end of a branch: which, whether its last point, where, and the tangent out of it.
#[derive(Clone, Copy)]
struct Tip {
    branch: usize,
    last: bool,
    point: DVec3,
    out: DVec3,
}

/// Branches without those that run along the common rim of two pieces and were found in the other piece too, and without
/// those that are no longer than what counts as one point.
pub(super) fn without_doubles(all: Vec<Branch>, near: f64) -> Vec<Branch> {
    let mut kept: Vec<Branch> = Vec::with_capacity(all.len());
    for branch in all {
        let first = branch.steps[0].point;
        if branch.steps.iter().all(|step| step.point.distance(first) <= 4.0 * near) {
            continue;
        }
        let on_rim = branch.is_on_rim();
        let double = on_rim && kept.iter().any(|other| other.is_on_rim() && runs_along(&branch, other, near));
        if !double {
            kept.push(branch);
        }
    }
    kept
}

/// Whether a branch lies on another and has the same ends.
fn runs_along(branch: &Branch, other: &Branch, near: f64) -> bool {
    let ends = |b: &Branch| [b.steps[0].point, b.steps[b.steps.len() - 1].point];
    let ([p, q], [r, s]) = (ends(branch), ends(other));
    let same = |a: DVec3, b: DVec3| a.distance(b) <= near;
    if !((same(p, r) && same(q, s)) || (same(p, s) && same(q, r))) {
        return false;
    }
    let middle = branch.steps[branch.steps.len() / 2];
    let bent = |k: usize| {
        let [one, next] = [&other.steps[k], &other.steps[k + 1]];
        one.point.distance(next.point) * one.tangent.distance(next.tangent)
    };
    (0..other.steps.len() - 1)
        .any(|k| to_segment(middle.point, [other.steps[k].point, other.steps[k + 1].point]) <= near + bent(k))
}

/// Branches in the order in which they follow each other, each with whether it is run backward; and whether the last
/// one leads to the first. Ends are one point within rounding, and else within the gaps of edges: whole branches may be no
/// longer than those.
pub(super) fn joined(all: &[Branch], [rounding, near]: [f64; 2]) -> Vec<(Vec<(usize, bool)>, bool)> {
    let mut mates: Vec<[Option<(usize, bool)>; 2]> = vec![[None; 2]; all.len()];
    // Ends at a point of tangency are less exact than others.
    for (one, other) in [rounding, near].into_iter().flat_map(|near| matches(all, LOOSE * near)) {
        let (place, mate) =
            (&mates[one.branch][usize::from(one.last)], &mates[other.branch][usize::from(other.last)]);
        if place.is_none() && mate.is_none() {
            mates[one.branch][usize::from(one.last)] = Some((other.branch, other.last));
            mates[other.branch][usize::from(other.last)] = Some((one.branch, one.last));
        }
    }
    let mut used = vec![false; all.len()];
    let mut curves = Vec::new();
    // Open curves first, from their ends.
    let open = |k: usize| mates[k].iter().position(Option::is_none).filter(|_| !all[k].closed);
    let starts = (0..all.len()).filter_map(|k| open(k).map(|end| (k, end == 1)));
    for (k, backward) in starts.chain((0..all.len()).map(|k| (k, false))) {
        if used[k] {
            continue;
        }
        let mut order = Vec::new();
        let mut here = (k, backward);
        let closed = loop {
            used[here.0] = true;
            order.push(here);
            if all[here.0].closed {
                break true;
            }
            let Some((next, last)) = mates[here.0][usize::from(!here.1)] else { break false };
            if used[next] {
                break next == k;
            }
            here = (next, last);
        };
        curves.push((order, closed));
    }
    curves
}

/// An end of a branch whose points are given from there on. The tangent is that of a chord: next to a point of tangency
/// that of the curve is lost in rounding.
fn tip(branch: usize, last: bool, points: impl Iterator<Item = DVec3>, near: f64) -> Tip {
    let mut points = points;
    let point = points.next().unwrap_or(DVec3::ZERO);
    let mut out = DVec3::ZERO;
    for other in points {
        out = point - other;
        if out.length() > CHORD * near {
            break;
        }
    }
    Tip { branch, last, point, out: out.normalize_or_zero() }
}

/// Pairs of ends that may be one point, the best first.
fn matches(all: &[Branch], near: f64) -> Vec<(Tip, Tip)> {
    let mut tips = Vec::new();
    for (branch, found) in all.iter().enumerate().filter(|(_, b)| !b.closed) {
        let count = found.steps.len();
        tips.push(tip(branch, false, found.steps.iter().map(|step| step.point), near));
        tips.push(tip(branch, true, (0..count).rev().map(|k| found.steps[k].point), near));
    }
    let mut pairs = Vec::new();
    for (i, one) in tips.iter().enumerate() {
        for other in &tips[i + 1..] {
            let apart = one.point.distance(other.point);
            let itself = one.branch == other.branch;
            let long =
                itself && all[one.branch].steps.iter().any(|s| s.point.distance(one.point) > 4.0 * near);
            if apart <= near && (!itself || long) {
                pairs.push((FAR * apart / near + 1.0 + one.out.dot(other.out), *one, *other));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    pairs.into_iter().map(|(_, one, other)| (one, other)).collect()
}
