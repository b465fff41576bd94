//! The ratio of two polytopes from their vertices, in doubled precision, for the few pairs that the planes
//! do not settle.
//!
//! Source: the ratio is where the ray to d leaves M = A − B, both bodies counted from their centres: d = t w
//! with w on the boundary of M. That is the linear program min Σ μ with Σ μᵢ wᵢ = d and μ ≥ 0 over the vertices
//! of M, the dual of 002, (2.12).
//! Differs: 002 solves the program on the planes. DIFFERS: the plane of a sliver's face is known to rounding over
//! the sliver's width, the vertices are known exactly; so here the simplex method goes over vertices, which
//! support queries bring in one by one, with three in the basis.
//! Ends because: each pivot with a positive step lowers Σ μ; pivots are limited besides.
//! Cost: two climbs and a 3 × 3 system in `Double` a pivot; all vertices once at the end.
//! Not promised: an optimum after the limit; the bounds then say how far it is.

use super::active_set::Sided;
use super::faces::{Centred, Turn};
use super::solid_touch::SolidPair;
use crate::double::{Double, Double3};
use crate::tolerance;
use clearance_geometry::{DVec3, VertexId};

/// The touch that vertices prove.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proved {
    /// Unit vector from A to B.
    pub(super) normal: DVec3,
    /// Touching point from A's centre.
    pub(super) x: DVec3,
    /// Bounds on the ratio: by the normal and by the point.
    pub(super) bounds: [f64; 2],
    /// Support vertices along the normal.
    pub(super) vertices: [u32; 2],
}

/// A point of M, and the part of it that A has.
#[derive(Clone, Copy, Debug)]
struct Column {
    w: Double3,
    of_a: Double3,
}

impl SolidPair<'_> {
    /// The ratio by pivots over vertices, with climbs from `vertices`; none where rounding leaves no basis.
    pub(super) fn by_vertices(&self, mut vertices: [u32; 2]) -> Option<Proved> {
        let d = Double3::from(self.between);
        let mut basis = self.inner_start();
        for _ in 0..tolerance::RATIO_CAREFUL_PIVOTS {
            let solved = Solved::new(&basis)?;
            let normal = solved.normal();
            vertices = self.facing(normal.high(), vertices);
            let mut entering = self.column(vertices);
            if !is_beyond(normal, &entering) {
                vertices = self.facing_of_all(normal);
                entering = self.column(vertices);
                if !is_beyond(normal, &entering) {
                    return Some(self.proved(&basis, &solved, vertices));
                }
            }
            let leaving = solved.leaving(d, entering.w)?;
            basis[leaving] = entering;
        }
        let solved = Solved::new(&basis)?;
        Some(self.proved(&basis, &solved, self.facing_of_all(solved.normal())))
    }

    /// Points inside M on the axes, on the side of d: no optimum keeps them.
    fn inner_start(&self) -> [Column; 3] {
        let [a, b] = [self.a.polytope.inradius(), self.b.polytope.inradius()];
        let d = self.between.to_array();
        [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
            let side = if DVec3::from_array(d).dot(axis) < 0.0 { -axis } else { axis };
            Column { w: (side * (0.5 * (a + b))).into(), of_a: (side * (0.5 * a)).into() }
        })
    }

    fn column(&self, vertices: [u32; 2]) -> Column {
        let of_a = self.a.exact_vertex(vertices[0]);
        Column { w: of_a - self.b.exact_vertex(vertices[1]), of_a }
    }

    /// Vertices that face each other along a normal, by climbing.
    fn facing(&self, normal: DVec3, from: [u32; 2]) -> [u32; 2] {
        [self.a.support(from[0], normal), self.b.support(from[1], -normal)]
    }

    /// Vertices that face each other along a normal, by looking at all.
    fn facing_of_all(&self, normal: Double3) -> [u32; 2] {
        [self.a.exact_support(normal), self.b.exact_support(-normal)]
    }

    fn proved(&self, basis: &[Column; 3], solved: &Solved, vertices: [u32; 2]) -> Proved {
        let weights = solved.weights(Double3::from(self.between));
        let sum = weights.into_iter().fold(Double::ZERO, |sum, weight| sum + weight);
        let x = (0..3).fold(Double3::default(), |x, i| x + basis[i].of_a.times(weights[i]));
        let normal = solved.normal();
        let lower = normal.dot(self.between.into()) / normal.dot(self.column(vertices).w);
        let unit = normal.times(Double::from(1.0) / normal.length()).high();
        Proved { normal: unit.normalize_or(DVec3::X), x: x.high(), bounds: [lower.high, sum.high], vertices }
    }
}

/// Whether a column lies beyond the plane of the basis, n·w = 1, by what a ratio in f64 shows.
fn is_beyond(normal: Double3, column: &Column) -> bool {
    (normal.dot(column.w) - Double::from(1.0)).high > tolerance::UNIT_ROUNDOFF_REL
}

/// The inverse of a basis, by its rows.
struct Solved {
    rows: [Double3; 3],
}

impl Solved {
    fn new(basis: &[Column; 3]) -> Option<Self> {
        let [u, v, w] = basis.map(|column| column.w);
        let vw = v.cross(w);
        let determinant = u.dot(vw);
        let usable = determinant.high != 0.0 && determinant.high.is_finite();
        let over = Double::from(1.0) / determinant;
        usable.then(|| Self { rows: [vw, w.cross(u), u.cross(v)].map(|row| row.times(over)) })
    }

    /// n with n·w = 1 for the whole basis.
    fn normal(&self) -> Double3 {
        self.rows[0] + self.rows[1] + self.rows[2]
    }

    /// μ with Σ μᵢ wᵢ = v.
    fn weights(&self, v: Double3) -> [Double; 3] {
        self.rows.map(|row| row.dot(v))
    }

    /// The column whose weight first falls to zero as the entering one takes over; of several, the one that
    /// falls fastest.
    fn leaving(&self, d: Double3, entering: Double3) -> Option<usize> {
        let (weights, shares) = (self.weights(d), self.weights(entering));
        let mut best: Option<(Double, usize)> = None;
        for i in (0..3).filter(|&i| shares[i] > Double::ZERO) {
            let step = if weights[i] > Double::ZERO { weights[i] / shares[i] } else { Double::ZERO };
            if best.is_none_or(|(least, at)| step < least || (step == least && shares[i] > shares[at])) {
                best = Some((step, i));
            }
        }
        best.map(|(_, i)| i)
    }
}

impl<T: Turn> Centred<'_, T> {
    /// A vertex from the centre, in the axes of A.
    fn exact_vertex(&self, vertex: u32) -> Double3 {
        let from_center =
            Double3::from(self.polytope.vertex(VertexId(vertex))) - Double3::from(self.polytope.center());
        self.turn.exact(from_center)
    }

    fn exact_support(&self, direction: Double3) -> u32 {
        let mut best = (Double::from(f64::NEG_INFINITY), 0);
        for vertex in 0..self.vertex_count() {
            let height = self.exact_vertex(vertex).dot(direction);
            if height > best.0 {
                best = (height, vertex);
            }
        }
        best.1
    }
}
