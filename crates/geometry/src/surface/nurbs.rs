//! Rational B-spline surfaces.
//!
//! Source: as for curves, one parameter after the other.
//! Differs: evaluation goes through polynomial tiles prepared at construction: per pair of knot spans the powers
//! about its middle, (x·w, y·w, z·w, w) side by side.
//! Ends because: loops run over knots and control points.
//! Cost: construction O(tiles · degree³); a bicubic point with all derivatives takes 38 four-lane products, and
//! one division if rational.
//! Not promised: the same last bits as de Boor's algorithm.

use super::tile::{bernstein_jet, power_jet};
use super::{BezierPatch, ParametricSurface, SurfaceJet};
use crate::Pose;
use crate::bound::Aabb;
use crate::curve::{
    Break, Direction, Knots, NurbsError, Rect, SpanHint, check_homogeneous, has_powers, homogeneous, mapped,
    powers_in_place, project,
};
use crate::pieces::Net;
use crate::tolerance::CLOSED_REL;
use glam::{DMat3, DVec3, DVec4};
use std::sync::Arc;

/// Which tile was used last: the caller's memory for coherent parameters. Any value is valid and none changes
/// a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceHint {
    /// Along u.
    pub u: SpanHint,
    /// Along v.
    pub v: SpanHint,
}

/// A rational B-spline surface of any degrees and knot vectors, checked.
///
/// ```
/// use clearance_geometry::{DVec3, surface::{NurbsSurface, ParametricSurface}};
/// let row = |x: f64| vec![DVec3::new(x, 0.0, 0.0), DVec3::new(x, 1.0, x)];
/// let ends = || vec![0.0, 0.0, 1.0, 1.0];
/// let saddle = NurbsSurface::new([1, 1], [ends(), ends()], &[row(0.0), row(1.0)], None)?;
/// let jet = saddle.jet(0.5, 0.5);
/// assert_eq!((jet.point, jet.uv), (DVec3::new(0.5, 0.5, 0.25), DVec3::Z));
/// # Ok::<(), clearance_geometry::curve::NurbsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsSurface {
    knots: [Knots; 2],
    /// (x·w, y·w, z·w, w), row by row; a row runs along v.
    points: Vec<DVec4>,
    rational: bool,
    closed: [bool; 2],
    /// Bézier nets of the tiles, one after the other, each row by row; tiles run along v first.
    bezier: Arc<[DVec4]>,
    /// Powers about the middle of the tiles in the same order; empty for high degrees.
    powers: Vec<DVec4>,
}

impl NurbsSurface {
    /// From degrees, knots and a net of control points whose outer list runs along u, and for a rational
    /// surface weights in the same order.
    ///
    /// # Errors
    /// See [`NurbsError`].
    pub fn new(
        degree: [usize; 2],
        knots: [Vec<f64>; 2],
        points: &[Vec<DVec3>],
        weights: Option<&[Vec<f64>]>,
    ) -> Result<Self, NurbsError> {
        let columns = points.first().map_or(0, Vec::len);
        if let Some((row, found)) = ragged(points, columns) {
            return Err(NurbsError::RaggedNet { row, expected: columns, found });
        }
        let [u, v] = knots;
        let knots = [
            Knots::new(degree[0], u, points.len(), Direction::U)?,
            Knots::new(degree[1], v, columns, Direction::V)?,
        ];
        let weights = weights.map(|rows| match ragged(rows, columns) {
            Some((row, found)) => Err(NurbsError::RaggedNet { row, expected: columns, found }),
            None => Ok(rows.concat()),
        });
        let weights = weights.transpose()?;
        Self::from_homogeneous(knots, homogeneous(&points.concat(), weights.as_deref())?)
    }

    /// From checked knots and points (x·w, y·w, z·w, w), row by row.
    pub(crate) fn from_homogeneous(knots: [Knots; 2], points: Vec<DVec4>) -> Result<Self, NurbsError> {
        check_homogeneous(&points)?;
        let bezier: Arc<[DVec4]> = extract(&knots, &points).into();
        let powers = powers(&knots, &bezier);
        let rational = points.iter().any(|p| p.w != 1.0);
        let mut surface = Self { knots, points, rational, closed: [false; 2], bezier, powers };
        surface.closed = surface.find_closed();
        Ok(surface)
    }

    /// The same surface moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        self.transformed(&pose.rotation(), pose.translation())
    }

    /// The surface under the affine map x ↦ linear · x + offset; maps of splines are maps of their points.
    #[must_use]
    pub fn transformed(&self, linear: &DMat3, offset: DVec3) -> Self {
        let map =
            |points: &[DVec4]| -> Vec<DVec4> { points.iter().map(|&p| mapped(p, linear, offset)).collect() };
        let bezier: Arc<[DVec4]> = map(&self.bezier).into();
        let powers = powers(&self.knots, &bezier);
        Self { knots: self.knots.clone(), points: map(&self.points), bezier, powers, ..*self }
    }

    /// The knot vectors with their pieces.
    pub const fn knots(&self) -> &[Knots; 2] {
        &self.knots
    }

    /// Degrees along u and v.
    pub const fn degrees(&self) -> [usize; 2] {
        [self.knots[0].degree(), self.knots[1].degree()]
    }

    /// Control points along u and v.
    pub fn point_counts(&self) -> [usize; 2] {
        [0, 1].map(|i| self.knots[i].values().len() - self.knots[i].degree() - 1)
    }

    /// Control points as (x·w, y·w, z·w, w), row by row; a row runs along v.
    pub fn homogeneous_points(&self) -> &[DVec4] {
        &self.points
    }

    /// The control point of row `i` (along u) and column `j` (along v).
    pub fn control_point(&self, i: usize, j: usize) -> DVec3 {
        project(self.points[i * self.point_counts()[1] + j])
    }

    /// Whether any weight differs from 1.
    pub const fn is_rational(&self) -> bool {
        self.rational
    }

    /// Whether the surface meets itself at both ends of u, and of v, within rounding of the coordinates.
    pub const fn is_closed(&self) -> [bool; 2] {
        self.closed
    }

    /// The inner knots along u and along v across which the surface may be less than twice continuously
    /// differentiable: feature boundaries.
    pub fn breaks(&self) -> [Vec<Break>; 2] {
        [0, 1].map(|i| self.knots[i].breaks())
    }

    /// Number of tiles along u and v.
    pub fn tile_counts(&self) -> [usize; 2] {
        [0, 1].map(|i| self.knots[i].piece_count())
    }

    /// The parameters of a tile.
    pub fn tile_rect(&self, tile: [usize; 2]) -> Rect {
        Rect::new(self.knots[0].piece(tile[0]), self.knots[1].piece(tile[1]))
    }

    /// The Bézier net of a tile as (x·w, y·w, z·w, w), row by row.
    #[inline]
    pub fn tile_net(&self, tile: [usize; 2]) -> &[DVec4] {
        self.slice(&self.bezier, tile)
    }

    /// A box around the control points that act on a part: the part is within it.
    pub(crate) fn control_box(&self, part: Rect) -> Aabb<3> {
        let [u, v] = &self.knots;
        let (rows, columns) = (u.acting(part.u), v.acting(part.v));
        let width = self.point_counts()[1];
        let points = rows.flat_map(|i| &self.points[i * width..][columns.clone()]);
        Aabb::from_points(points.map(|p| project(*p))).widened_by_a_rounding()
    }

    /// A tile as a Bézier patch.
    pub fn tile(&self, tile: [usize; 2]) -> BezierPatch {
        BezierPatch::from_checked(self.degrees(), self.tile_net(tile).to_vec())
    }

    /// As [`NurbsSurface::tile`], without a copy: degrees, control points, and blends behind each of these.
    pub(crate) fn shared_tile(&self, [i, j]: [usize; 2]) -> ([usize; 2], Net, u32) {
        let [p, q] = self.degrees();
        let count = (p + 1) * (q + 1);
        let start = (i * self.knots[1].piece_count() + j) * count;
        ([p, q], Net::shared(&self.bezier, start, count), BezierPatch::extraction_blends([p, q]))
    }

    #[inline]
    fn slice<'a>(&self, all: &'a [DVec4], [i, j]: [usize; 2]) -> &'a [DVec4] {
        let [p, q] = self.degrees();
        let size = (p + 1) * (q + 1);
        let start = (i * self.knots[1].piece_count() + j) * size;
        &all[start..start + size]
    }

    /// As [`ParametricSurface::jet`], looking first at the tile used last.
    #[inline]
    pub fn jet_from(&self, hint: &mut SurfaceHint, u: f64, v: f64) -> SurfaceJet {
        let tile = [self.knots[0].find_from(&mut hint.u, u), self.knots[1].find_from(&mut hint.v, v)];
        self.jet_in_tile(tile, u, v)
    }

    /// The jet of one tile's formula, also at and beyond its sides: one-sided derivatives at knots.
    // One copy with everything inlined into it, which writes its answer once.
    #[inline(never)]
    pub fn jet_in_tile(&self, tile: [usize; 2], u: f64, v: f64) -> SurfaceJet {
        let (x, du) = self.knots[0].local(tile[0], u);
        let (y, dv) = self.knots[1].local(tile[1], v);
        let degrees = self.degrees();
        let jet = if self.powers.is_empty() {
            bernstein_jet(degrees, self.slice(&self.bezier, tile), x + 0.5, y + 0.5)
        } else {
            power_jet(degrees, self.slice(&self.powers, tile), x, y)
        };
        if self.rational { jet.quotient(du, dv) } else { jet.plain(du, dv) }
    }

    fn find_closed(&self) -> [bool; 2] {
        let size = self.points.iter().fold(0.0_f64, |most, &p| most.max(project(p).abs().max_element()));
        let near = |a: DVec4, b: DVec4| {
            (project(a) - project(b)).abs().max_element() <= CLOSED_REL * size
                && (a.w - b.w).abs() <= CLOSED_REL * a.w
        };
        let ([p, q], [m, n]) = (self.degrees(), self.tile_counts());
        let row = q + 1;
        let along_v = (0..n).all(|j| {
            let (first, last) = (self.tile_net([0, j]), self.tile_net([m - 1, j]));
            (0..row).all(|k| near(first[k], last[p * row + k]))
        });
        let along_u = (0..m).all(|i| {
            let (first, last) = (self.tile_net([i, 0]), self.tile_net([i, n - 1]));
            (0..=p).all(|k| near(first[k * row], last[k * row + q]))
        });
        [along_v, along_u]
    }
}

impl ParametricSurface for NurbsSurface {
    #[inline]
    fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        self.jet_in_tile([self.knots[0].find(u), self.knots[1].find(v)], u, v)
    }

    fn domain(&self) -> Rect {
        Rect::new(self.knots[0].domain(), self.knots[1].domain())
    }

    fn periods(&self) -> [Option<f64>; 2] {
        [0, 1].map(|i| self.closed[i].then(|| self.knots[i].domain().width()))
    }
}

/// The first row of another length.
fn ragged<T>(rows: &[Vec<T>], columns: usize) -> Option<(usize, usize)> {
    rows.iter().map(Vec::len).enumerate().find(|&(_, length)| length != columns)
}

/// The Bézier nets of all tiles.
fn extract([u, v]: &[Knots; 2], points: &[DVec4]) -> Vec<DVec4> {
    let (p, q) = (u.degree(), v.degree());
    let columns = v.values().len() - q - 1;
    // Along u first: for every piece, p + 1 rows of the original columns.
    let mut rows = vec![DVec4::ZERO; u.piece_count() * (p + 1) * columns];
    let (mut acting, mut out) = (Vec::with_capacity(p + 1), Vec::with_capacity(p + 1));
    for piece in 0..u.piece_count() {
        let start = u.start(piece) - p;
        for column in 0..columns {
            acting.clear();
            acting.extend((0..=p).map(|i| points[(start + i) * columns + column]));
            out.clear();
            u.extract(piece, &acting, &mut out);
            for (i, &point) in out.iter().enumerate() {
                rows[(piece * (p + 1) + i) * columns + column] = point;
            }
        }
    }
    let mut nets = Vec::with_capacity(u.piece_count() * v.piece_count() * (p + 1) * (q + 1));
    for piece_u in 0..u.piece_count() {
        for piece_v in 0..v.piece_count() {
            let start = v.start(piece_v) - q;
            for i in 0..=p {
                let row = (piece_u * (p + 1) + i) * columns + start;
                v.extract(piece_v, &rows[row..=row + q], &mut nets);
            }
        }
    }
    nets
}

/// The powers about the middle of all tiles; none where a degree is too high for them.
fn powers([u, v]: &[Knots; 2], nets: &[DVec4]) -> Vec<DVec4> {
    let (p, q) = (u.degree(), v.degree());
    if !has_powers(p) || !has_powers(q) {
        return Vec::new();
    }
    let mut powers = nets.to_vec();
    for tile in powers.chunks_exact_mut((p + 1) * (q + 1)) {
        for i in 0..=p {
            powers_in_place(tile, i * (q + 1), 1, q);
        }
        for j in 0..=q {
            powers_in_place(tile, j, q + 1, p);
        }
    }
    powers
}
