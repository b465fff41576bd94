//! The signed distance of two features along their common normal, by Newton's method.
//!
//! Source: the signed system f(x) + σ n = g(y), n perpendicular to both features; regular through σ = 0, so that
//! distance and penetration are one branch (the "extremal distance" that 000, 001 and 004 leave open).
//! Differs: n is an unknown of its own on the unit sphere, so that vertices and edges are the same system with fewer
//! unknowns; σ is eliminated; tangents and lengths are scaled to one; directions that a locus leaves open get no
//! step.
//! Ends because: steps are counted.
//! Cost: two jets and one elimination of at most six unknowns a step; four steps are typical.
//! Not promised: that the features are the closest ones, that the points lie within them, that σ is extremal.

use super::solid::Solid;
use super::solve::{MOST, solve, solve_definite};
use crate::tolerance;
use clearance_geometry::convex::LocalJet;
use clearance_geometry::{DVec3, Feature, Pose};

/// Newton steps for one pair of features.
const STEPS: usize = 16;

/// Two features with a point on each; anchored frame of A, of the cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) features: [Feature; 2],
    pub(crate) at: [DVec3; 2],
    pub(crate) points: [DVec3; 2],
    /// Unit vector out of A.
    pub(crate) normal: DVec3,
    /// `normal · (point of B − point of A)`.
    pub(crate) signed: f64,
}

/// A pair of bodies at a pose between their anchored frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) a: Solid<'a>,
    pub(crate) b: Solid<'a>,
    pub(crate) pose: Pose,
    /// Size of the coordinates at hand; a length.
    pub(crate) scale: f64,
    /// The same with what its anchors lose; a length.
    pub(crate) size: f64,
}

/// A jet with tangents of unit length; those of length 0 stay so.
struct Scaled {
    jet: LocalJet,
    sizes: [f64; 2],
}

impl Scaled {
    #[inline]
    fn of(mut jet: LocalJet, scale: f64) -> Self {
        let mut sizes = [0.0; 2];
        for (size, d) in sizes.iter_mut().zip(&mut jet.first).take(jet.count) {
            let length = d.length();
            if length > tolerance::POLE_STEP_REL * tolerance::POLE_STEP_REL * scale {
                *size = scale / length;
                *d /= length;
            } else {
                *d = DVec3::ZERO;
            }
        }
        let [u, v] = sizes;
        jet.second = [
            jet.second[0] * (u * u / scale),
            jet.second[1] * (u * v / scale),
            jet.second[2] * (v * v / scale),
        ];
        Self { jet, sizes }
    }

    /// `n ·` second derivatives: rows by local coordinates.
    #[inline]
    fn bends(&self, n: DVec3) -> [[f64; 2]; 2] {
        let [uu, uv, vv] = self.jet.second.map(|d| n.dot(d));
        [[uu, uv], [uv, vv]]
    }
}

impl Pair<'_> {
    /// B's jet in the frame of A.
    #[inline]
    fn jet_b(&self, feature: Feature, at: DVec3) -> LocalJet {
        let mut jet = self.b.jet(feature, at);
        jet.point = self.pose.apply(jet.point);
        for d in &mut jet.first[..jet.count] {
            *d = self.pose.rotate(*d);
        }
        if jet.count > 0 && jet.second != [DVec3::ZERO; 3] {
            jet.second = jet.second.map(|d| self.pose.rotate(d));
        }
        jet
    }

    /// Runs from states on two features and a direction; `None` where it does not settle. A `quick` run takes a last step that
    /// is short enough on trust: what proves its result is the separation along the normal, which is second order in what is
    /// left.
    pub(crate) fn polish(
        &self,
        features: [Feature; 2],
        mut at: [DVec3; 2],
        start: DVec3,
        quick: bool,
    ) -> Option<Contact> {
        let mut n = start;
        let mut last = f64::INFINITY;
        for step in 0..STEPS {
            let f = Scaled::of(self.a.jet(features[0], at[0]), self.scale);
            let g = Scaled::of(self.jet_b(features[1], at[1]), self.scale);
            let signed = n.dot(g.jet.point - f.jet.point);
            let linear = Linear::new(&f, &g, n, signed / self.scale, self.scale);
            let off = linear.off();
            if !off.is_finite() {
                return None;
            }
            let settled = off <= tolerance::NEWTON_SETTLED_REL;
            // Rounding stops it where steps no longer help.
            if settled || (step > 3 && off <= tolerance::GAP_REL && off >= 0.25 * last) || step + 1 == STEPS {
                let done = settled || off <= tolerance::GAP_REL;
                let points = [f.jet.point, g.jet.point];
                let contact = Contact { features, at, points, normal: n, signed };
                return done.then_some(contact);
            }
            last = off;
            let by = linear.step();
            let longest = by.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let scale = if longest > 0.5 { 0.5 / longest } else { 1.0 };
            n = (n + linear.across[0] * (by[0] * scale) + linear.across[1] * (by[1] * scale)).normalize_or(n);
            at[0] = self.a.stepped(features[0], at[0], local(&f, [by[2], by[3]], scale));
            at[1] = self.b.stepped(features[1], at[1], local(&g, [by[4], by[5]], scale));
            if quick && longest <= tolerance::NEWTON_LAST_STEP_REL {
                let points = [
                    self.a.jet(features[0], at[0]).point,
                    self.pose.apply(self.b.jet(features[1], at[1]).point),
                ];
                let between = points[1] - points[0];
                // Well apart, the points tell their direction better than the step did.
                if signed > tolerance::GAP_REL.sqrt() * self.scale {
                    n = between.normalize_or(n);
                }
                return Some(Contact { features, at, points, normal: n, signed: n.dot(between) });
            }
        }
        None
    }
}

/// The signed system at a point: −σδ + Tx = r along the plane across the normal, and Tᵀδ + Kx = q along the features.
struct Linear {
    /// Two directions across the normal, which δ counts along.
    across: [DVec3; 2],
    sigma: f64,
    tangents: [[f64; 4]; 2],
    /// K: both features' curvatures toward each other.
    bends: [[[f64; 2]; 2]; 2],
    counts: [usize; 2],
    right: [f64; 6],
}

impl Linear {
    #[inline]
    fn new(f: &Scaled, g: &Scaled, n: DVec3, sigma: f64, scale: f64) -> Self {
        let apart = g.jet.point - f.jet.point;
        let (s, t) = n.any_orthonormal_pair();
        // Differences of both points: B's tangents count up, A's down.
        let all = [-f.jet.first[0], -f.jet.first[1], g.jet.first[0], g.jet.first[1]];
        let bends = [f.bends(n).map(|row| row.map(|x| -x)), g.bends(n)];
        let [q0, q1, q2, q3] = all.map(|d| -n.dot(d));
        Self {
            across: [s, t],
            sigma,
            tangents: [all.map(|d| s.dot(d)), all.map(|d| t.dot(d))],
            bends,
            counts: [f.jet.count, g.jet.count],
            right: [-s.dot(apart) / scale, -t.dot(apart) / scale, q0, q1, q2, q3],
        }
    }

    /// The largest residual.
    #[inline]
    fn off(&self) -> f64 {
        // A sum keeps NaN, which a maximum drops.
        let sum: f64 = self.right.iter().map(|x| x.abs()).sum();
        if sum.is_finite() { self.right.iter().fold(0.0_f64, |most, x| most.max(x.abs())) } else { sum }
    }

    /// The step: across the normal, along A, along B.
    #[inline]
    fn step(&self) -> [f64; 6] {
        self.reduced().unwrap_or_else(|| self.whole())
    }

    /// By elimination of the normal, where the features are apart and their distance is a minimum:
    /// (K + TᵀT/σ) x = q + Tᵀr/σ, a positive definite system.
    #[inline]
    fn reduced(&self) -> Option<[f64; 6]> {
        // Written so that NaN takes the other way.
        if !(self.sigma > tolerance::GAP_REL.sqrt()) {
            return None;
        }
        let inverse = self.sigma.recip();
        let [s, t] = &self.tangents;
        let mut x = [0.0; 4];
        let mut matrix = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..=i {
                let bend = if i / 2 == j / 2 { self.bends[i / 2][i % 2][j % 2] } else { 0.0 };
                matrix[i][j] = bend + (s[i] * s[j] + t[i] * t[j]) * inverse;
            }
            x[i] = self.right[2 + i] + (s[i] * self.right[0] + t[i] * self.right[1]) * inverse;
            if i % 2 >= self.counts[i / 2] {
                matrix[i][i] = 1.0;
            }
        }
        solve_definite(&matrix, &mut x)?;
        let along = |row: &[f64; 4]| row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3];
        let normal = [(along(s) - self.right[0]) * inverse, (along(t) - self.right[1]) * inverse];
        Some([normal[0], normal[1], x[0], x[1], x[2], x[3]])
    }

    /// As it stands, with pivots.
    #[cold]
    fn whole(&self) -> [f64; 6] {
        let [p, q] = self.counts;
        let mut rows = [[0.0; MOST + 1]; MOST];
        for (k, row) in rows.iter_mut().enumerate().take(2) {
            row[k] = -self.sigma;
            row[MOST] = self.right[k];
        }
        for (first, side, count) in [(2, 0, p), (2 + p, 1, q)] {
            for i in 0..count {
                let row = first + i;
                for (k, tangents) in self.tangents.iter().enumerate() {
                    rows[k][row] = tangents[2 * side + i];
                    rows[row][k] = tangents[2 * side + i];
                }
                for j in 0..count {
                    rows[row][first + j] = self.bends[side][i][j];
                }
                rows[row][MOST] = self.right[2 + 2 * side + i];
            }
        }
        let found = solve(&rows, 2 + p + q, tolerance::NEWTON_PIVOT_REL);
        let mut by = [found[0], found[1], 0.0, 0.0, 0.0, 0.0];
        by[2..2 + p].copy_from_slice(&found[2..2 + p]);
        by[4..4 + q].copy_from_slice(&found[2 + p..2 + p + q]);
        by
    }
}

/// A step in the feature's own coordinates.
#[inline]
fn local(scaled: &Scaled, steps: [f64; 2], scale: f64) -> [f64; 2] {
    [steps[0] * scaled.sizes[0] * scale, steps[1] * scaled.sizes[1] * scale]
}
