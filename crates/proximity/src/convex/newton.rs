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
use super::solve::{MOST, solve};
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

    /// Runs from states on two features and a direction; `None` where it does not settle.
    pub(crate) fn polish(&self, features: [Feature; 2], mut at: [DVec3; 2], start: DVec3) -> Option<Contact> {
        let mut n = start;
        let mut last = f64::INFINITY;
        for step in 0..STEPS {
            let f = Scaled::of(self.a.jet(features[0], at[0]), self.scale);
            let g = Scaled::of(self.jet_b(features[1], at[1]), self.scale);
            let apart = g.jet.point - f.jet.point;
            let signed = n.dot(apart);
            let (s, t) = n.any_orthonormal_pair();
            let (p, q) = (f.jet.count, g.jet.count);
            let size = 2 + p + q;
            let mut rows = [[0.0; MOST + 1]; MOST];
            rows[0][MOST] = -s.dot(apart) / self.scale;
            rows[1][MOST] = -t.dot(apart) / self.scale;
            rows[0][0] = -signed / self.scale;
            rows[1][1] = rows[0][0];
            // Differences of both points: B's tangents count up, A's down.
            for (first, side, scaled) in [(2, -1.0, &f), (2 + p, 1.0, &g)] {
                let bends = scaled.bends(n);
                for (i, (d, bend)) in
                    scaled.jet.first.into_iter().zip(bends).enumerate().take(scaled.jet.count)
                {
                    let (along_s, along_t) = (side * s.dot(d), side * t.dot(d));
                    let row = first + i;
                    rows[0][row] = along_s;
                    rows[1][row] = along_t;
                    rows[row][0] = along_s;
                    rows[row][1] = along_t;
                    for (j, bend) in bend.into_iter().enumerate().take(scaled.jet.count) {
                        rows[row][first + j] = side * bend;
                    }
                    rows[row][MOST] = -side * n.dot(d);
                }
            }
            let off = rows[..size].iter().fold(0.0_f64, |most, row| most.max(row[MOST].abs()));
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
            let step_by = solve(&rows, size, tolerance::NEWTON_PIVOT_REL);
            let longest = step_by[..size].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let scale = if longest > 0.5 { 0.5 / longest } else { 1.0 };
            n = (n + s * (step_by[0] * scale) + t * (step_by[1] * scale)).normalize_or(n);
            at[0] = self.a.stepped(features[0], at[0], local(&f, &step_by[2..], scale));
            at[1] = self.b.stepped(features[1], at[1], local(&g, &step_by[2 + p..], scale));
        }
        None
    }
}

/// A step in the feature's own coordinates.
#[inline]
fn local(scaled: &Scaled, steps: &[f64], scale: f64) -> [f64; 2] {
    let mut by = [0.0; 2];
    for ((by, step), size) in by.iter_mut().zip(steps).zip(scaled.sizes).take(scaled.jet.count) {
        *by = step * size * scale;
    }
    by
}
