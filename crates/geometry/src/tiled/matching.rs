//! Loose patches tiled together by matching their sides.
//!
//! Source: 001 §II and 004 §2, which take the tiling for given.
//! Differs: shared edges are found: two sides match where their ends coincide and points of one lie on the other.
//! Patches are cut where they fold, see `fold`, and sides of others where such a fold ends on them.
//! Ends because: every side is compared with every edge that has one face so far.
//! Cost: O(sides · open edges) comparisons of end points; projections only where both ends coincide.
//! Not promised: sides that match only in part (three patches along one line) stay open.

use super::draft::{Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, ParameterCurve};
use super::{Patch, TiledBody, TiledError, TiledNote, trimmed};
use crate::bound::{Aabb, ConvexBound};
use crate::curve::{Curve, Direction, ParametricCurve, PlanarCurve, Range, Rect};
use crate::surface::home::jet;
use crate::surface::{ParametricSurface, Surface};
use crate::tolerance::{MATCH_REL, STRAIGHT_REL};
use crate::{DVec2, DVec3, EdgeId, FaceId, VertexId};

/// Inner points of a side that must lie on the edge.
const SAMPLES: usize = 7;

/// A side of a patch as its loop runs it, counter-clockwise in the parameters.
#[derive(Clone, Copy)]
struct Side {
    constant: Direction,
    at: f64,
    /// From and to.
    along: [f64; 2],
}

impl Side {
    fn parameters(&self, t: f64) -> DVec2 {
        if self.constant == Direction::U { DVec2::new(self.at, t) } else { DVec2::new(t, self.at) }
    }

    fn range(&self) -> Range {
        Range::new(self.along[0].min(self.along[1]), self.along[0].max(self.along[1]))
    }

    /// The side cut at ascending parameters, in the order in which it runs.
    fn cut(&self, mut cuts: Vec<f64>) -> Vec<Self> {
        let mut ends = vec![self.range().low];
        ends.append(&mut cuts);
        ends.push(self.range().high);
        if self.along[1] < self.along[0] {
            ends.reverse();
        }
        let piece = |pair: &[f64]| Self { along: [pair[0], pair[1]], ..*self };
        ends.windows(2).map(piece).collect()
    }
}

struct Matcher {
    draft: Draft,
    tolerance: f64,
    /// Faces of each edge so far.
    uses: Vec<usize>,
    collapsed: usize,
    joined: usize,
    widest: f64,
    /// Where folds end: sides are cut there.
    ends: Vec<DVec3>,
}

impl TiledBody {
    /// Tiles patches together: sides that coincide within `max_gap` (a length; [`MATCH_REL`] of the diameter unless
    /// given) become shared edges, sides that are single points vertices. What matches nothing is an open edge.
    ///
    /// Faces are numbered as the patches; one that folds along knots of its surface becomes several, see [`Patch::parts`].
    ///
    /// ```
    /// use clearance_geometry::{DVec3, tiled::{Patch, TiledBody}, surface::NurbsSurface};
    /// let ends = || vec![0.0, 0.0, 1.0, 1.0];
    /// let square = |x: f64| {
    ///     let net = [vec![DVec3::new(x, 0.0, 0.0), DVec3::new(x, 1.0, 0.0)],
    ///                vec![DVec3::new(x + 1.0, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 0.0)]];
    ///     NurbsSurface::new([1, 1], [ends(), ends()], &net, None)
    /// };
    /// let sheet = TiledBody::from_patches(&[Patch::new(square(0.0)?), Patch::new(square(1.0)?)], None)?;
    /// assert_eq!((sheet.edge_count(), sheet.open_edges().len(), sheet.vertex_count()), (7, 6, 6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TiledError`], naming the patch (as a face) or edge at fault.
    pub fn from_patches(patches: &[Patch], max_gap: Option<f64>) -> Result<Self, TiledError> {
        let mut around = Aabb::EMPTY;
        for (at, patch) in patches.iter().enumerate() {
            patch.check(at)?;
            let bounds = patch.surface.aabb(crate::surface::home::part_of_domain(&patch.surface, patch.rect));
            let extent = bounds.half_extents().length();
            // A box around a point is as wide as the rounding that it allows for.
            let size = bounds.high.iter().chain(&bounds.low).fold(0.0_f64, |most, x| most.max(x.abs()));
            if !(extent > STRAIGHT_REL * size) {
                return Err(TiledError::NoExtent { face: FaceId(at as u32) });
            }
            around = around.joined(&bounds);
        }
        if patches.is_empty() {
            return Err(TiledError::Empty);
        }
        let diameter = 2.0 * around.half_extents().length();
        let given = max_gap.filter(|gap| gap.is_finite() && *gap > 0.0);
        let tolerance = given.unwrap_or(MATCH_REL * diameter);
        let draft = Draft { tolerance: Some(tolerance), ..Draft::default() };
        let mut matcher = Matcher::new(draft, tolerance);
        let mut parts = Vec::with_capacity(patches.len());
        let mut source = Vec::with_capacity(patches.len());
        for (at, patch) in patches.iter().enumerate() {
            let cut = patch.parts()?;
            matcher.add_fold_ends(patch, &cut);
            source.extend(std::iter::repeat_n(FaceId(at as u32), cut.len()));
            parts.extend(cut);
        }
        for part in &parts {
            if part.trim.is_empty() {
                matcher.add(part);
            } else {
                matcher.add_trimmed(part, diameter)?;
            }
        }
        let mut notes = Vec::new();
        if matcher.collapsed > 0 {
            notes.push(TiledNote::CollapsedSides { count: matcher.collapsed });
        }
        if matcher.widest > STRAIGHT_REL * diameter {
            notes.push(TiledNote::JoinedSides { count: matcher.joined, gap: matcher.widest });
        }
        // The vertices and edges of one patch stand for those of its neighbours, which may be a gap away from each.
        matcher.draft.tolerance = Some(2.0 * tolerance);
        Self::from_draft_noted(matcher.draft, notes)
            .map_err(|error| error.with_faces(|part| source.get(part.index()).copied().unwrap_or(part)))
    }
}

impl Matcher {
    const fn new(draft: Draft, tolerance: f64) -> Self {
        Self { draft, tolerance, uses: Vec::new(), collapsed: 0, joined: 0, widest: 0.0, ends: Vec::new() }
    }

    /// Where the parts of a patch have corners that it does not have itself.
    fn add_fold_ends(&mut self, patch: &Patch, parts: &[Patch]) {
        if parts.len() < 2 {
            return;
        }
        let corners = |patch: &Patch| {
            let Rect { u, v } = patch.rect;
            let corner = |u: f64, v: f64| jet(&patch.surface, DVec2::new(u, v)).point;
            [corner(u.low, v.low), corner(u.high, v.low), corner(u.low, v.high), corner(u.high, v.high)]
        };
        let own = corners(patch);
        for end in parts.iter().flat_map(corners) {
            let is_near = |other: &DVec3| other.distance(end) <= self.tolerance;
            if !own.iter().chain(&self.ends).any(is_near) {
                self.ends.push(end);
            }
        }
    }

    /// The parameters inside an edge at which folds of patches end on it, in ascending order. A rim without vertices
    /// matches nothing that has them, and is not cut.
    fn cuts(&self, curve: &Curve, range: Range, closed: bool) -> Vec<f64> {
        let ends = [range.low, range.high].map(|t| curve.point(t));
        let is_end = |point: &DVec3| ends.iter().any(|end| end.distance(*point) <= self.tolerance);
        let on = |point: &DVec3| curve.place_of(*point, range, self.tolerance).map(|found| found.parameters);
        let inner = self.ends.iter().filter(|point| !closed && !is_end(point));
        let mut cuts: Vec<f64> = inner.filter_map(on).collect();
        cuts.sort_by(f64::total_cmp);
        cuts
    }

    fn add(&mut self, patch: &Patch) {
        let mut loops: Vec<Vec<DraftUse>> = Vec::new();
        let mut tips: Vec<VertexId> = Vec::new();
        let mut chain = Vec::new();
        let around = goes_around(&patch.surface, patch.rect);
        for side in sides(patch.rect, around) {
            let curve = patch.surface.iso_curve(side.constant, side.at, side.range());
            let inner = (0..=SAMPLES).map(|k| {
                let p = side.parameters(side.range().at(k as f64 / SAMPLES as f64));
                patch.surface.point(p.x, p.y)
            });
            let points: Vec<DVec3> = inner.collect();
            let is_point = points.iter().all(|p| p.distance(points[0]) <= self.tolerance);
            match curve.filter(|_| !is_point) {
                None => {
                    self.collapsed += 1;
                    tips.push(self.vertex(points[0]));
                }
                Some(curve) => {
                    let closed = around[usize::from(side.constant == Direction::U)];
                    let pieces = side.cut(self.cuts(&curve, side.range(), closed)).into_iter();
                    let uses = pieces.map(|piece| self.used(curve.clone(), &piece, closed));
                    if closed { loops.push(uses.collect()) } else { chain.extend(uses) }
                }
            }
        }
        if !chain.is_empty() {
            // Collapsed corners are on the chain and need no loop of their own.
            tips.clear();
            loops.push(chain);
        }
        self.push(patch, loops, tips, Some(patch.rect));
    }

    /// A face bounded by polygons: their sides are matched like those of a rectangle.
    fn add_trimmed(&mut self, patch: &Patch, size: f64) -> Result<(), TiledError> {
        let mut loops = Vec::new();
        for corners in &patch.trim {
            let around = trimmed::goes_around(&patch.surface, corners);
            let mut uses = Vec::new();
            for (i, &from) in corners.iter().enumerate().take(corners.len() - usize::from(around)) {
                let to = corners[(i + 1) % corners.len()];
                // Along a pole there is nothing.
                let Some(edge) = trimmed::side(&patch.surface, from, to, size)? else { continue };
                // A rim in one piece has no vertex, as that of a rectangle.
                let closed = around && corners.len() == 2;
                let mut ends = self.cuts(&edge.curve, edge.range, closed);
                ends.insert(0, edge.range.low);
                ends.push(edge.range.high);
                for pair in ends.windows(2) {
                    let place = |t: f64| from + (to - from) * ((t - edge.range.low) / edge.range.width());
                    let range = Range::new(pair[0], pair[1]);
                    let piece = DraftEdge { curve: edge.curve.clone(), range, ends: None };
                    uses.push(self.trimmed_use(piece, [place(pair[0]), place(pair[1])], closed));
                }
            }
            if !uses.is_empty() {
                loops.push(uses);
            }
        }
        self.push(patch, loops, Vec::new(), None);
        Ok(())
    }

    /// The use of an edge that runs from one place of the parameters straight to another.
    fn trimmed_use(&mut self, edge: DraftEdge, [from, to]: [DVec2; 2], closed: bool) -> DraftUse {
        let ends = [edge.range.low, edge.range.high].map(|t| edge.curve.point(t));
        let ends = (!closed).then(|| ends.map(|end| self.vertex(end)));
        let (at, against) = self.found(DraftEdge { ends, ..edge });
        let [from, to] = if against { [to, from] } else { [from, to] };
        let curve = if closed { None } else { PlanarCurve::segment(from, to).ok() };
        let parameters = curve.map(|curve| ParameterCurve { curve, ends: [0.0, 1.0] });
        DraftUse { edge: EdgeId(at as u32), reversed: against, parameters }
    }

    fn push(
        &mut self,
        patch: &Patch,
        mut loops: Vec<Vec<DraftUse>>,
        tips: Vec<VertexId>,
        rect: Option<Rect>,
    ) {
        if patch.reversed {
            for one in &mut loops {
                one.reverse();
                one.iter_mut().for_each(|used| used.reversed = !used.reversed);
            }
        }
        let edges = loops.into_iter().map(DraftLoop::Edges);
        let loops = edges.chain(tips.into_iter().map(DraftLoop::Vertex)).collect();
        let (surface, reversed) = (patch.surface.clone(), patch.reversed);
        self.draft.faces.push(DraftFace { surface, reversed, loops, rect });
    }

    fn vertex(&mut self, point: DVec3) -> VertexId {
        let found = self.draft.vertices.iter().position(|p| p.distance(point) <= self.tolerance);
        let at = found.unwrap_or_else(|| {
            self.draft.vertices.push(point);
            self.draft.vertices.len() - 1
        });
        VertexId(at as u32)
    }

    /// The edge under a side: one that is there, or a new one.
    fn used(&mut self, curve: Curve, side: &Side, closed: bool) -> DraftUse {
        let range = side.range();
        let ends = [range.low, range.high].map(|t| curve.point(t));
        let ends = (!closed).then(|| ends.map(|end| self.vertex(end)));
        let backward = side.along[1] < side.along[0];
        let (at, against) = self.found(DraftEdge { curve, range, ends });
        self.with_parameters(at, backward != against, side, closed, backward != against)
    }

    /// The number of an edge that is there, and whether the new one runs against it; that of the new one otherwise.
    fn found(&mut self, new: DraftEdge) -> (usize, bool) {
        for at in 0..self.draft.edges.len() {
            if self.uses[at] != 1 {
                continue;
            }
            if let Some((against, gap)) = matched(&new, &self.draft.edges[at], self.tolerance) {
                self.uses[at] = 2;
                self.joined += 1;
                self.widest = self.widest.max(gap);
                return (at, against);
            }
        }
        self.draft.edges.push(new);
        self.uses.push(1);
        (self.draft.edges.len() - 1, false)
    }

    fn with_parameters(
        &self,
        edge: usize,
        reversed: bool,
        side: &Side,
        closed: bool,
        swapped: bool,
    ) -> DraftUse {
        let [from, to] = side.along.map(|t| side.parameters(t));
        let [from, to] = if swapped { [to, from] } else { [from, to] };
        // A closed edge may start anywhere on its neighbour.
        let curve = if closed { None } else { PlanarCurve::segment(from, to).ok() };
        let parameters = curve.map(|curve| ParameterCurve { curve, ends: [0.0, 1.0] });
        DraftUse { edge: EdgeId(edge as u32), reversed, parameters }
    }
}

/// Whether a rectangle covers whole periods along u and v, without a seam that is a feature.
fn goes_around(surface: &Surface, rect: Rect) -> [bool; 2] {
    let whole = |width: f64, period: Option<f64>| period.is_some_and(|p| width >= p * (1.0 - STRAIGHT_REL));
    let around = [whole(rect.u.width(), surface.periods()[0]), whole(rect.v.width(), surface.periods()[1])];
    match surface {
        // Splines are joined there with any continuity: their seam is an edge.
        Surface::Nurbs(_) => [false, false],
        Surface::Revolution(revolution) => {
            let seam = matches!(revolution.curve(), Curve::Nurbs(_));
            [around[0], around[1] && !seam]
        }
        Surface::Extrusion(extrusion) => {
            let seam = matches!(extrusion.curve(), Curve::Nurbs(_));
            [around[0] && !seam, around[1]]
        }
        _ => around,
    }
}

/// The sides that are there: none across a parameter that goes around.
fn sides(rect: Rect, around: [bool; 2]) -> Vec<Side> {
    let Rect { u, v } = rect;
    let side = |constant, at, from, to| Side { constant, at, along: [from, to] };
    let mut found = Vec::with_capacity(4);
    if !around[1] {
        found.push(side(Direction::V, v.low, u.low, u.high));
    }
    if !around[0] {
        found.push(side(Direction::U, u.high, v.low, v.high));
    }
    if !around[1] {
        found.push(side(Direction::V, v.high, u.high, u.low));
    }
    if !around[0] {
        found.push(side(Direction::U, u.low, v.high, v.low));
    }
    found
}

/// Whether a new edge is one that is there: whether it runs against it, and the widest gap between them.
fn matched(new: &DraftEdge, old: &DraftEdge, tolerance: f64) -> Option<(bool, f64)> {
    match (new.ends, old.ends) {
        (None, None) => {}
        (Some([a, b]), Some([c, d])) if (a, b) == (c, d) || (a, b) == (d, c) => {}
        _ => return None,
    }
    // Closed edges may start anywhere on each other; the rest run from end to end.
    let open = new.ends.is_some_and(|[a, b]| a != b);
    let swapped = open && new.ends != old.ends;
    let mut gap = 0.0_f64;
    let mut forward = 0_i32;
    for k in 0..SAMPLES {
        let s = (k as f64 + 0.5) / SAMPLES as f64;
        let here = new.curve.jet(new.range.at(s));
        let start = open.then(|| old.range.at(if swapped { 1.0 - s } else { s }));
        let near = start.map(|start| old.curve.locate(here.point, old.range, Some(start)));
        let found = near
            .filter(|found| found.distance <= tolerance)
            .or_else(|| old.curve.place_of(here.point, old.range, tolerance))?;
        gap = gap.max(found.distance);
        forward += if old.curve.jet(found.parameters).first.dot(here.first) > 0.0 { 1 } else { -1 };
    }
    Some((forward < 0, gap))
}
