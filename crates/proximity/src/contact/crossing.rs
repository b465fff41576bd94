//! All points that a curve and a patch have in common, and the proof that one is there.
//!
//! Source: Krawczyk's operator for the three equations c(t) = S(u, v): x − Y F(x) + (1 − Y J)(X − x) inside X proves one
//! common point in X, outside X that there is none (Krawczyk 1969; Moore 1977).
//! Differs: the derivatives over X are balls of vectors. The slack of both nets is added to F, so that by Brouwer's
//! theorem the features themselves have a common point, not their rounded nets alone.
//! Ends because: parts are halved until the operator decides, they are smaller than the floor, or the budget is used up.
//! Cost: some ten parts for each common point.
//! Not promised: common points of a curve that touches the patch or runs in it: what is left of those is returned open.

use super::net::{Net, apart};
use crate::global::derivatives::Derivatives;
use crate::global::descend::Shape;
use crate::tolerance::{CROSSING_BORDER_REL, PIVOT_REL, TOUCH_REL};
use clearance_geometry::{DMat3, DVec2, DVec3};

/// A common point of a curve and a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// The curve's parameter in its piece.
    pub(super) t: f64,
    /// The patch's parameters in its piece.
    pub(super) at: DVec2,
}

/// A place where the search for common points did not decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unresolved {
    /// Its middle, in the frame of A.
    pub point: DVec3,
    /// How far around it nothing is known; a length.
    pub radius: f64,
}

/// What a search for common points found.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossings {
    pub(super) found: Vec<Crossing>,
    pub(super) open: Vec<Unresolved>,
}

/// Newton steps for one common point.
const STEPS: usize = 12;

/// Parts looked at for one curve and one patch: more are needed only where the curve runs in the patch or touches it.
const MOST_PARTS: u64 = 160;

/// Halvings of the box of a proof.
const BOXES: i32 = 16;

/// The largest row sum of 1 − Y J at which Newton's method is trusted to find the only common point.
const CONTRACTION: f64 = 0.5;

/// The equations c(t) − S(u, v) = 0 over the whole of both nets, linearised at their middle.
struct System {
    /// Rows of Y, the inverse of the middle derivative.
    rows: [DVec3; 3],
    /// Row sums of 1 − Y J.
    sums: [f64; 3],
}

impl System {
    fn new(curve: &Derivatives, patch: &Derivatives) -> Option<Self> {
        let balls = [&curve.first[0], &patch.first[0], &patch.first[1]];
        let matrix = DMat3::from_cols(balls[0].center, -balls[1].center, -balls[2].center);
        let volume = balls.iter().map(|ball| ball.center.length()).product::<f64>();
        if !(matrix.determinant().abs() > PIVOT_REL * volume) {
            return None;
        }
        let inverse = matrix.inverse();
        if !inverse.is_finite() {
            return None;
        }
        let rows = [0, 1, 2].map(|i| inverse.row(i));
        let residue = DMat3::IDENTITY - inverse * matrix;
        let sums = [0, 1, 2].map(|i| {
            let own = residue.row(i).abs().element_sum();
            own + balls.iter().map(|ball| ball.radius * rows[i].length()).sum::<f64>()
        });
        Some(Self { rows, sums })
    }

    /// Krawczyk's operator over both nets: its middle, and half its width.
    fn image(&self, curve: &Net, patch: &Net) -> ([f64; 3], [f64; 3]) {
        let middle = DVec2::splat(0.5);
        let (c, s) = (curve.jet(middle).point, patch.jet(middle).point);
        let off = c - s;
        let reach = c.abs().max(s.abs()).max_element();
        let lost = curve.slack + patch.slack + TOUCH_REL * reach;
        let center = self.rows.map(|row| 0.5 - row.dot(off));
        let half = [0, 1, 2].map(|i| self.rows[i].length() * lost + 0.5 * self.sums[i]);
        (center, half)
    }
}

/// All common points of a curve and a patch; `budget` counts parts down.
pub(super) fn crossings(curve: &Net, patch: &Net, floor: f64, budget: &mut u64) -> Crossings {
    let mut all = Crossings::default();
    let mut waiting = vec![(curve.clone(), patch.clone())];
    let least = budget.saturating_sub(MOST_PARTS);
    while let Some((curve, patch)) = waiting.pop() {
        if apart(&curve, &patch) {
            continue;
        }
        let give_up = *budget <= least;
        *budget = budget.saturating_sub(1);
        if !give_up && settle(&curve, &patch, &mut all.found) {
            continue;
        }
        let ((_, long), (axis, wide)) = (curve.longest(), patch.longest());
        if give_up || long.max(wide) <= floor.max(8.0 * (curve.slack + patch.slack)) {
            let (point, radius) = if curve.radius < patch.radius {
                (curve.center, curve.radius)
            } else {
                (patch.center, patch.radius)
            };
            all.open.push(Unresolved { point, radius });
            continue;
        }
        if long >= wide {
            waiting.extend(curve.halves(0).map(|half| (half, patch.clone())));
        } else {
            waiting.extend(patch.halves(axis).map(|half| (curve.clone(), half)));
        }
    }
    all
}

/// Whether it is known which common points two nets have; they are noted.
fn settle(curve: &Net, patch: &Net, found: &mut Vec<Crossing>) -> bool {
    let Some(system) = System::new(&curve.derivatives(), &patch.derivatives()) else { return false };
    if system.sums.iter().any(|sum| *sum >= 1.0) {
        return false;
    }
    let (center, half) = system.image(curve, patch);
    // A common point on the rim of one net is on that of its neighbour too, which may miss it by rounding.
    let rim = CROSSING_BORDER_REL;
    if (0..3).any(|i| center[i] + half[i] < -rim || center[i] - half[i] > 1.0 + rim) {
        return true;
    }
    if system.sums.iter().any(|sum| *sum > CONTRACTION) {
        return false;
    }
    let Some(root) = newton(curve, patch, center) else { return false };
    if root.iter().any(|x| *x < -rim || *x > 1.0 + rim) {
        return false;
    }
    let root = root.map(|x| x.clamp(0.0, 1.0));
    let t = curve.in_piece(DVec2::new(root[0], 0.0)).x;
    let own = DVec2::new(root[1], root[2]);
    let at = patch.in_piece(own);
    let same = |other: &Crossing| {
        (other.t - t).abs() <= CROSSING_BORDER_REL
            && (other.at - at).abs().max_element() <= CROSSING_BORDER_REL
    };
    if !found.iter().any(same) {
        found.push(Crossing { t, at });
    }
    true
}

/// The common point that Newton's method leads to, as (t, u, v) of the nets' own parameters.
fn newton(curve: &Net, patch: &Net, start: [f64; 3]) -> Option<[f64; 3]> {
    let mut x = start;
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let (c, s) = (curve.jet(DVec2::new(x[0], 0.0)), patch.jet(DVec2::new(x[1], x[2])));
        let matrix = DMat3::from_cols(c.u, -s.u, -s.v);
        let step = matrix.inverse() * (c.point - s.point);
        if !step.is_finite() {
            return None;
        }
        let length = step.abs().max_element();
        // Steps that no longer shrink are rounding.
        if length >= last && length <= CROSSING_BORDER_REL {
            return Some(x);
        }
        for i in 0..3 {
            x[i] -= step[i];
        }
        last = length;
        if length <= f64::EPSILON || x.iter().any(|x| x.abs() > 4.0) {
            break;
        }
    }
    (last <= CROSSING_BORDER_REL).then_some(x)
}

/// The parameters of a box in which a curve and a patch are proven to have exactly one common point, and cross there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Proof {
    /// The curve's parameters, of its net's own.
    pub(super) t: [f64; 2],
    /// The patch's rectangle, of its net's own parameters.
    pub(super) rect: [DVec2; 2],
}

/// Proves that a curve and a patch cross next to a point given by their own parameters. `inside` says whether a
/// rectangle of the patch belongs to its face, or a range of the curve to its feature.
pub(super) fn prove(
    curve: &Net,
    patch: &Net,
    [t, u, v]: [f64; 3],
    inside: impl Fn(&Proof) -> bool,
) -> Option<Proof> {
    for halving in 2..BOXES {
        let half = 0.25_f64.powi(halving);
        let range = |x: f64| [(x - half).max(0.0), (x + half).min(1.0)];
        let (along, [u_low, u_high], [v_low, v_high]) = (range(t), range(u), range(v));
        let rect = [DVec2::new(u_low, v_low), DVec2::new(u_high, v_high)];
        let small_curve = curve.restricted(DVec2::new(along[0], 0.0), DVec2::new(along[1], 0.0));
        let small_patch = patch.restricted(rect[0], rect[1]);
        let system = System::new(&small_curve.derivatives(), &small_patch.derivatives());
        let Some(system) = system else { continue };
        let (center, half) = system.image(&small_curve, &small_patch);
        let proof = Proof { t: along, rect };
        let held = (0..3).all(|i| center[i] - half[i] > 0.0 && center[i] + half[i] < 1.0);
        if held && system.sums.iter().all(|sum| *sum < 1.0) && inside(&proof) {
            return Some(proof);
        }
    }
    None
}
