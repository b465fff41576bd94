//! The common curve of two patches, followed from a point of it.
//!
//! Source: predictor along the cross product of the normals, corrector by Newton's method on f(u, v) = g(s, t) in the plane
//! across the step (algorithms §6); steps by how far the tangent turns.
//! Differs: a step that bends too much, or is corrected by more than a share of itself, is halved, so that it stays on its
//! branch. Where both normals are parallel, the direction is kept, so that a crossing of two branches is stepped over.
//! Ends because: steps have a least length, and a branch has at most [`MOST_POINTS`] points.
//! Cost: three corrections for each point.
//! Not promised: a branch closer to its neighbour than a share of the step may be left for it where both are nearly parallel.

use super::net::Net;
use super::scene::Scene;
use crate::global::descend::Shape;
use crate::tolerance::{
    MARCH_MISS_REL, MARCH_MOST_TURN_RAD, MARCH_RESIDUAL_REL, MARCH_STEP_REL, MARCH_TURN_RAD, NODE_STEP_REL,
    PARALLEL_NORMALS_REL, PIECE_BORDER_REL, PIVOT_REL,
};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// Most points of one branch.
const MOST_POINTS: usize = 20_000;

/// The share of a step by which it may be corrected.
const MOST_CORRECTION: f64 = 0.25;

/// The share of a piece that a step may be long.
const STEP_SHARE: f64 = 1.0 / 16.0;

/// Newton steps of a correction.
const CORRECTIONS: usize = 10;

/// How far beyond its patch a point may be looked for before it is brought back to the rim.
const BEYOND: f64 = 0.25;

/// Parameters of both patches: u, v of A, then s, t of B.
pub(super) type Place = [f64; 4];

/// A point of the common curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) at: Place,
    pub(super) point: DVec3,
    /// Unit tangent in the direction of travel.
    pub(super) tangent: DVec3,
    /// Whether the tangent runs along the cross product of the normals of the patches, or against it.
    pub(super) along_cross: bool,
}

/// How a branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// On the rim of one of the patches.
    Rim,
    /// At its own start.
    Closed,
    /// Steps became too small, or too many.
    Stuck,
}

/// Two patches whose common curve is followed.
pub(super) struct March<'a> {
    pub(super) nets: [&'a Net; 2],
    /// The size of the coordinates.
    pub(super) reach: f64,
    /// The longest step.
    pub(super) most_step: f64,
    /// How far an edge may be from the faces that it bounds.
    pub(super) mark: f64,
}

fn halves(at: &Place) -> [DVec2; 2] {
    [DVec2::new(at[0], at[1]), DVec2::new(at[2], at[3])]
}

impl<'a> March<'a> {
    /// A piece of A and one of B.
    pub(super) fn new(scene: &'a Scene, pieces: [u32; 2]) -> Self {
        let nets = [0, 1].map(|i| scene.net(i, pieces[i]));
        let most_step = STEP_SHARE * 2.0 * nets[0].radius.min(nets[1].radius);
        Self { nets, reach: scene.reach, most_step, mark: scene.join_distance() }
    }

    pub(super) fn jets(&self, at: &Place) -> [SurfaceJet; 2] {
        let [a, b] = halves(at);
        [self.nets[0].jet(a), self.nets[1].jet(b)]
    }

    /// The unit tangent, and the sine of the angle between the patches; `None` where they are parallel.
    pub(super) fn tangent(&self, at: &Place) -> Option<(DVec3, f64)> {
        let [f, g] = self.jets(at);
        let cross = f.u.cross(f.v).normalize_or_zero().cross(g.u.cross(g.v).normalize_or_zero());
        let sine = cross.length();
        (sine > PARALLEL_NORMALS_REL).then(|| (cross / sine, sine))
    }

    /// A common point next to `start` on which a linear condition holds: `condition` gives its value and its derivative.
    fn corrected(
        &self,
        start: Place,
        condition: impl Fn(&Place, &SurfaceJet) -> (f64, Place),
    ) -> Option<Place> {
        let mut at = start;
        for round in 0..CORRECTIONS {
            let [f, g] = self.jets(&at);
            let off = f.point - g.point;
            let (value, slope) = condition(&at, &f);
            let small =
                off.length() <= MARCH_RESIDUAL_REL * self.reach && value.abs() <= MARCH_STEP_REL * self.reach;
            if small && round > 0 {
                return Some(at);
            }
            let columns = [f.u, f.v, -g.u, -g.v];
            let rows = [0, 1, 2].map(|k| columns.map(|column| column[k]));
            let step = solve([rows[0], rows[1], rows[2], slope], [off.x, off.y, off.z, value])?;
            for i in 0..4 {
                at[i] -= step[i];
                if !(at[i] > -BEYOND && at[i] < 1.0 + BEYOND) {
                    return None;
                }
            }
        }
        None
    }

    /// The common point a length `h` further along the tangent of a step.
    pub(super) fn advanced(&self, from: &Step, h: f64) -> Option<Place> {
        let guess = self.predicted(from, h);
        let (origin, along) = (from.point, from.tangent);
        self.corrected(guess, |_, f| {
            ((f.point - origin).dot(along) - h, [f.u.dot(along), f.v.dot(along), 0.0, 0.0])
        })
    }

    fn predicted(&self, from: &Step, h: f64) -> Place {
        let pace = self.pace(from);
        [0, 1, 2, 3].map(|i| (from.at[i] + h * pace[i]).clamp(-0.5 * BEYOND, 1.0 + 0.5 * BEYOND))
    }

    /// How fast the parameters change along the tangent of a step.
    pub(super) fn pace(&self, from: &Step) -> Place {
        let jets = self.jets(&from.at);
        let mut at = [0.0; 4];
        for (i, jet) in jets.iter().enumerate() {
            let (uu, uv, vv) = (jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared());
            let (u, v) = (jet.u.dot(from.tangent), jet.v.dot(from.tangent));
            let area = uu * vv - uv * uv;
            if area > PIVOT_REL * uu * vv {
                at[2 * i] += (vv * u - uv * v) / area;
                at[2 * i + 1] += (uu * v - uv * u) / area;
            } else if vv > uu {
                at[2 * i + 1] += v / vv;
            } else if uu > 0.0 {
                at[2 * i] += u / uu;
            }
        }
        at
    }

    pub(super) fn step(&self, at: Place, along: DVec3) -> Step {
        let point = self.jets(&at)[0].point;
        let (cross, _) = self.tangent(&at).unwrap_or((along, 0.0));
        let along_cross = cross.dot(along) >= 0.0;
        Step { at, point, tangent: if along_cross { cross } else { -cross }, along_cross }
    }

    /// Follows the branch from `start` in the direction of its tangent; the start itself is the first point.
    pub(super) fn follow(&self, start: Step) -> (Vec<Step>, End) {
        let mut steps = vec![start];
        let least = MARCH_STEP_REL * self.reach;
        let mut h = 0.25 * self.most_step;
        let mut here = start;
        while steps.len() < MOST_POINTS {
            if h < least {
                return (steps, End::Stuck);
            }
            let Some((next, turn)) = self.try_step(&here, h) else {
                h *= 0.5;
                continue;
            };
            if let Some(rim) = self.rim_between(&here, &next) {
                let Some(last) = rim else {
                    h *= 0.5;
                    continue;
                };
                if last.point.distance(here.point) > least {
                    steps.push(last);
                }
                return (steps, End::Rim);
            }
            if steps.len() > 1 && self.passes(&here, &next, &start) && start.tangent.dot(next.tangent) > 0.0 {
                steps.push(start);
                return (steps, End::Closed);
            }
            steps.push(next);
            here = next;
            let factor = (MARCH_TURN_RAD / turn.max(0.25 * MARCH_TURN_RAD)).clamp(0.5, 2.0);
            h = (h * factor).min(self.most_step);
        }
        (steps, End::Stuck)
    }

    /// The next point, and by how much the tangent turns to it; `None` where the step is too long.
    fn try_step(&self, here: &Step, h: f64) -> Option<(Step, f64)> {
        let at = self.advanced(here, h)?;
        let next = self.step(at.map(onto_rim), here.tangent);
        let turn = here.tangent.dot(next.tangent).clamp(-1.0, 1.0).acos();
        let corrected = next.point.distance(here.point + here.tangent * h);
        // The cross product keeps its sense along a branch: where it does not, the step went over to the opposite branch of
        // a saddle, or through a crossing of two branches, which small steps tell.
        let same_sense = next.along_cross == here.along_cross || h <= NODE_STEP_REL * self.most_step;
        (same_sense && turn <= MARCH_MOST_TURN_RAD && corrected <= MOST_CORRECTION * h)
            .then_some((next, turn))
    }

    /// Where a step leaves the patches: `None` where it does not, `Some(None)` where the rim was not found.
    fn rim_between(&self, here: &Step, next: &Step) -> Option<Option<Step>> {
        let mut leaving: Vec<(f64, usize, f64)> = (0..4)
            .filter_map(|i| {
                let (from, to) = (here.at[i], next.at[i]);
                let bound = if to < 0.0 { 0.0 } else { 1.0 };
                (!(0.0..=1.0).contains(&to)).then(|| ((bound - from) / (to - from), i, bound))
            })
            .collect();
        leaving.sort_by(|a, b| a.0.total_cmp(&b.0));
        leaving.first()?;
        for (share, i, bound) in leaving {
            if share <= 0.0 {
                // From the rim out of the piece at once, or into it and out again: then the step is too long.
                let pace = self.pace(here);
                let most = pace.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                let inward = if bound == 0.0 { pace[i] } else { -pace[i] };
                return Some((inward <= PARALLEL_NORMALS_REL * most).then_some(*here));
            }
            let mut guess = [0, 1, 2, 3].map(|k| here.at[k] + (next.at[k] - here.at[k]) * share);
            guess[i] = bound;
            let on_rim = |at: &Place, _: &SurfaceJet| {
                let mut slope = [0.0; 4];
                slope[i] = self.reach;
                ((at[i] - bound) * self.reach, slope)
            };
            let Some(at) = self.corrected(guess, on_rim) else { continue };
            let at = at.map(onto_rim);
            if at.iter().all(|x| (0.0..=1.0).contains(x)) {
                return Some(Some(self.step(at, here.tangent)));
            }
        }
        Some(None)
    }

    /// The point of the branch between two neighbouring points in the plane through a third across their chord.
    pub(super) fn across(&self, here: &Step, next: &Step, through: DVec3) -> Option<Place> {
        let chord = next.point - here.point;
        let length = chord.length().max(f64::MIN_POSITIVE);
        let direction = chord / length;
        let share = ((through - here.point).dot(direction) / length).clamp(0.0, 1.0);
        let guess = [0, 1, 2, 3].map(|k| here.at[k] + (next.at[k] - here.at[k]) * share);
        self.corrected(guess, |_, f| {
            ((f.point - through).dot(direction), [f.u.dot(direction), f.v.dot(direction), 0.0, 0.0])
        })
    }

    /// Whether the branch leaves the pieces between two neighbouring points on the same rim.
    pub(super) fn is_outside_between(&self, here: &Step, next: &Step) -> bool {
        let on = |x: f64| x == 0.0 || x == 1.0;
        let same = (0..4).any(|i| on(here.at[i]) && here.at[i] == next.at[i]);
        let chord = next.point - here.point;
        if !same || !(chord.length() > MARCH_STEP_REL * self.reach) {
            return false;
        }
        let found = self.across(here, next, 0.5 * (here.point + next.point));
        found.is_some_and(|at| at.map(onto_rim).iter().any(|x| !(0.0..=1.0).contains(x)))
    }

    /// The first of a branch's steps that runs through another common point.
    pub(super) fn passes_at(&self, steps: &[Step], other: &Step) -> Option<usize> {
        steps.windows(2).position(|pair| self.passes(&pair[0], &pair[1], other))
    }

    /// Whether the branch between two neighbouring points runs through another common point.
    pub(super) fn passes(&self, here: &Step, next: &Step, other: &Step) -> bool {
        let chord = next.point - here.point;
        let length = chord.length();
        let slack = MARCH_STEP_REL * self.reach;
        let along = (other.point - here.point).dot(chord) / length.max(f64::MIN_POSITIVE);
        if !(along >= -slack && along <= length + slack)
            || other.point.distance(here.point).max(other.point.distance(next.point)) > 2.0 * length + slack
        {
            return false;
        }
        let close = |at: &Place| {
            let [a, b] = self.jets(at);
            a.point.distance(other.point).max(b.point.distance(other.point))
                <= 4.0 * slack + MARCH_MISS_REL * length
        };
        if close(&here.at) && other.point.distance(here.point) <= slack {
            return true;
        }
        let found = self.across(here, next, other.point);
        found.is_some_and(|at| close(&at))
    }
}

/// A parameter on the rim within rounding is on the rim.
pub(super) fn onto_rim(x: f64) -> f64 {
    if x.abs() <= PIECE_BORDER_REL {
        0.0
    } else if (x - 1.0).abs() <= PIECE_BORDER_REL {
        1.0
    } else {
        x
    }
}

/// Solves four equations by elimination with full pivoting; unknowns that they say nothing about are 0.
fn solve(mut rows: [[f64; 4]; 4], mut right: [f64; 4]) -> Option<[f64; 4]> {
    let mut order = [0, 1, 2, 3];
    let mut rank = 4;
    let mut first = 0.0;
    for k in 0..4 {
        let mut best = (0.0, k, k);
        for (i, row) in rows.iter().enumerate().skip(k) {
            for (j, entry) in row.iter().enumerate().skip(k) {
                if entry.abs() > best.0 {
                    best = (entry.abs(), i, j);
                }
            }
        }
        if k == 0 {
            first = best.0;
        }
        if !(best.0 > PIVOT_REL * first) {
            rank = k;
            break;
        }
        rows.swap(k, best.1);
        right.swap(k, best.1);
        for row in &mut rows {
            row.swap(k, best.2);
        }
        order.swap(k, best.2);
        for i in k + 1..4 {
            let (above, row) = (rows[k], &mut rows[i]);
            let factor = row[k] / above[k];
            row.iter_mut().zip(above).for_each(|(entry, other)| *entry -= factor * other);
            right[i] -= factor * right[k];
        }
    }
    let mut x = [0.0; 4];
    for k in (0..rank).rev() {
        let sum: f64 = (k + 1..rank).map(|j| rows[k][j] * x[order[j]]).sum();
        x[order[k]] = (right[k] - sum) / rows[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
