//! What the solvers return, and how candidates become it: polished, told apart, sorted.
//!
//! Source: candidates from eigenvalues are starts of Newton's method (003 §4.2); what it ends in is kept once.
//! Differs: of a connected set of solutions, along which the distance does not change, one stands for all.
//! Ends because: loops run over candidates.
//! Cost: one polish for each candidate and a comparison with each solution so far.
//! Not promised: that two solutions closer than [`CRITICAL_MERGE_REL`] are told apart, nor two connected sets at the same
//! distance.

use super::polish::{Pair, Place, Solution};
use super::quadrics::Mirror;
use crate::tolerance::{CRITICAL_MERGE_REL, CRITICAL_PROBE_REL};
use clearance_geometry::DVec3;

/// How a critical pair stands to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// The equations are regular there: no other solution is near.
    Isolated,
    /// A solution of higher multiplicity, no others next to it as far as could be seen: two are about to meet or part,
    /// or the surface has a singular point, such as the apex of a cone.
    Multiple,
    /// One of a curve or surface of solutions of the same distance (coaxial, concentric, parallel); one pair stands for
    /// all of them.
    Continuum,
}

/// Two points whose connection is normal to both curves or surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Critical {
    /// One on each, in the order of the arguments.
    pub points: [DVec3; 2],
    /// Length between them.
    pub distance: f64,
    /// The unit normal there, along the connection; also where the distance is zero.
    pub normal: DVec3,
    /// A length: how far the points are off their curves or surfaces, or the connection off the normals (as a sine,
    /// times the size of the problem).
    pub residual: f64,
    /// Whether others are next to it.
    pub isolation: Isolation,
}

/// All real critical pairs of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalSet {
    /// Nearest first.
    pub pairs: Vec<Critical>,
    /// Size of the eigenproblem, or degree of the polynomial, that was solved; complex solutions included.
    pub size: usize,
    /// Whether the equations had to be disturbed first because they vanish on more than points (symmetric
    /// configurations).
    pub disturbed: bool,
}

impl CriticalSet {
    /// The nearest pair.
    pub fn nearest(&self) -> Option<&Critical> {
        self.pairs.first()
    }
}

/// Solutions of one problem so far.
pub(super) struct Collector<'a> {
    pub(super) pair: Pair<'a>,
    pub(super) found: Vec<Solution>,
}

impl<'a> Collector<'a> {
    pub(super) const fn new(pair: Pair<'a>) -> Self {
        Self { pair, found: Vec::new() }
    }

    /// Polishes a candidate and keeps it if it is new.
    pub(super) fn offer(&mut self, places: [Place; 2], normal: Option<DVec3>) {
        let Some(solution) = self.pair.polish(places, normal) else { return };
        let same = |a: &Solution, b: &Solution| {
            (0..2).all(|k| {
                let size = 1.0 + a.points[k].length();
                (a.points[k] - b.points[k]).length() <= CRITICAL_MERGE_REL * size
            })
        };
        match self.found.iter_mut().find(|known| same(known, &solution)) {
            Some(known) if solution.residual < known.residual => *known = solution,
            Some(_) => {}
            None => self.found.push(solution),
        }
    }

    /// Offers the mirror images of all solutions so far.
    pub(super) fn reflect(&mut self, mirror: Mirror) {
        let images: Vec<([Place; 2], DVec3)> = self
            .found
            .iter()
            .map(|solution| {
                let image = |k: usize| self.pair.sides[k].nearest(mirror.image(solution.points[k]));
                let normal = solution.normal - mirror.normal * (2.0 * mirror.normal.dot(solution.normal));
                ([image(0), image(1)], normal)
            })
            .collect();
        for (places, normal) in images {
            self.offer(places, Some(normal));
        }
    }

    pub(super) fn finish(self, size: usize, disturbed: bool) -> CriticalSet {
        let (frame, pair) = (self.pair.frame, self.pair);
        let mut kept: Vec<(Critical, f64)> = Vec::new();
        for solution in &self.found {
            let isolation = if solution.regular {
                Isolation::Isolated
            } else if pair.continues(solution, CRITICAL_PROBE_REL) {
                Isolation::Continuum
            } else {
                Isolation::Multiple
            };
            let distance = (solution.points[1] - solution.points[0]).length();
            // Along a connected set of solutions the distance does not change: one stands for all.
            let told = |known: &(Critical, f64)| {
                known.0.isolation == Isolation::Continuum && (known.1 - distance).abs() <= CRITICAL_MERGE_REL
            };
            if isolation == Isolation::Continuum && kept.iter().any(told) {
                continue;
            }
            let points = solution.points.map(|p| frame.world(p));
            let critical = Critical {
                points,
                distance: frame.unit * distance,
                normal: solution.normal,
                residual: frame.unit * solution.residual,
                isolation,
            };
            kept.push((critical, distance));
        }
        sorted(kept.into_iter().map(|(critical, _)| critical).collect(), size, disturbed)
    }
}

pub(super) fn sorted(mut pairs: Vec<Critical>, size: usize, disturbed: bool) -> CriticalSet {
    pairs.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    CriticalSet { pairs, size, disturbed }
}
