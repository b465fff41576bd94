//! The first point of a body's boundary on a ray.
//!
//! Source: subdivision of the patches, nearest first, in a frame whose third axis is the ray (Toth's ray tracing of
//! parametric surfaces): where the map from a cell to the plane across the ray is injective, Newton's method decides.
//! Differs: injectivity is proved by balls around the derivatives, and a cell without a crossing by the box that Krawczyk's
//! operator leaves. Edges take part with their gaps, so that a ray through a crack or along a rim is seen to be doubtful.
//! Ends because: cells are cut until they are as small as their own rounding, or a budget of cells is used up.
//! Cost: some tens of cells for a ray that crosses; a tangent ray needs a few at each of some fifty sizes.
//! Not promised: which of several points a ray along a surface meets first, beyond rounding; such an answer is not clean.

use super::derivatives::Derivatives;
use super::side::{Cell, Children, Memory, Part, Side};
use crate::tolerance::{CONTACT_REL, GRAZING_REL, RAY_BESIDE_REL, RAY_BEYOND_REL, RAY_MARGIN_REL};
use clearance_geometry::pieces::{self, PieceTree};
use clearance_geometry::tiled::{self, Cover};
use clearance_geometry::{Body, DVec2, DVec3, Pose, Ranked};
use std::collections::BinaryHeap;

/// Most cells that a ray may look at.
const MOST_CELLS: i64 = 200_000;

/// Steps of Newton's method in one cell.
const STEPS: usize = 16;

/// A cell is not cut when its control points are within so many of its slacks.
const SMALL_SLACKS: f64 = 16.0;

/// Row sums of the relative error of a Jacobian below which a map counts as injective; 1 would do without rounding.
const INJECTIVE: f64 = 0.75;

/// Where a ray first meets a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Distance along the ray.
    pub(crate) distance: f64,
    /// The piece met, by its place in the tree, and local parameters there.
    pub(crate) piece: u32,
    pub(crate) local: DVec2,
}

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cast {
    /// The first point; `None` where there is none.
    pub(crate) first: Option<Crossing>,
    /// Whether it says which side the ray started on: it crosses the inside of one face, or meets nothing, and comes close
    /// to no other feature until then; and the budget lasted.
    pub(crate) clean: bool,
    /// Whether the budget lasted: else the ray may meet nearer points.
    pub(crate) complete: bool,
}

/// Memory of a ray, kept for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct RayMemory {
    side: Memory,
    waiting: BinaryHeap<Ranked<Part>>,
}

/// How a ray meets a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// At an angle, the surface's normal along the ray or against it.
    Crossed { along: bool },
    /// At next to no angle.
    Grazed,
    /// Somewhere in a cell too small to cut.
    Small,
}

struct Search<'a> {
    side: Side<'a>,
    waiting: &'a mut BinaryHeap<Ranked<Part>>,
    max_distance: f64,
    /// What counts as no distance behind the origin, and as beside an edge; lengths.
    touch: f64,
    margin: f64,
    /// How close to an edge a ray must not pass to be clean, and how far beyond its first point; lengths.
    beside: f64,
    beyond: f64,
    /// The first clean crossing, and whether the ray leaves the body there.
    face: Option<(Crossing, bool)>,
    doubtful: Option<Crossing>,
    /// Where two sheets are met at once, one entered and one left, or an edge is passed closely.
    pinched: f64,
    turn: i64,
}

/// The first point of the boundary on the ray from `origin` along the unit vector `direction`.
pub(crate) fn cast(
    body: &Body,
    tree: &PieceTree,
    origin: DVec3,
    direction: DVec3,
    max_distance: f64,
    memory: &mut RayMemory,
) -> Cast {
    let none = Cast { first: None, clean: false, complete: false };
    let across = direction.any_orthonormal_vector();
    let axes = clearance_geometry::DMat3::from_cols(across, direction.cross(across), direction);
    let Ok(frame) = Pose::from_matrix(axes, origin) else { return none };
    let RayMemory { side, waiting } = memory;
    waiting.clear();
    let bound = &tree.root().bound;
    let reach = origin.abs().max(bound.center.abs()).max_element() + bound.half.length();
    let side = Side::new(body, tree, frame.inverse(), side);
    let mut search = Search {
        side,
        waiting,
        max_distance,
        touch: CONTACT_REL * reach,
        margin: RAY_MARGIN_REL * reach,
        beside: RAY_BESIDE_REL * reach,
        beyond: RAY_BEYOND_REL * reach,
        face: None,
        doubtful: None,
        pinched: f64::INFINITY,
        turn: 0,
    };
    search.push(Part::Node(0));
    search.run()
}

impl Search<'_> {
    fn run(mut self) -> Cast {
        let mut complete = true;
        while let Some(Ranked { rank, item: part, .. }) = self.waiting.pop() {
            if -rank > self.first() + self.look() {
                break;
            }
            if self.turn > MOST_CELLS {
                complete = false;
                break;
            }
            match part {
                Part::Node(node) => match self.side.below(node) {
                    Children::One(child) => self.push(child),
                    Children::Two(children) => children.into_iter().for_each(|child| self.push(child)),
                },
                Part::Cell(at) => self.visit(at),
            }
        }
        let first = match (self.face, self.doubtful) {
            // A point of a face says more than the edge beside it.
            (Some((face, _)), Some(other)) if face.distance <= other.distance + self.margin => Some(face),
            (_, Some(other)) => Some(other),
            (face, None) => face.map(|(face, _)| face),
        };
        let far = first.map_or(self.max_distance, |first| first.distance) + self.beyond;
        let doubtful = self.doubtful.is_some_and(|other| other.distance <= far);
        let clean = complete && !doubtful && self.pinched > far;
        let first = first.map(|c| Crossing { distance: c.distance.max(0.0), ..c });
        Cast { first: first.filter(|c| c.distance <= self.max_distance), clean, complete }
    }

    /// The nearest point so far.
    fn first(&self) -> f64 {
        let distance = |found: Option<Crossing>| found.map_or(f64::INFINITY, |c| c.distance);
        let face = self.face.map(|(face, _)| face);
        distance(face).min(distance(self.doubtful)).min(self.max_distance)
    }

    /// How far beyond the nearest point so far there is something to learn: nothing more, once the ray is not clean.
    fn look(&self) -> f64 {
        if self.doubtful.is_some() || self.pinched <= self.first() { self.margin } else { self.beyond }
    }

    /// Lets a part wait that the ray may meet.
    fn push(&mut self, part: Part) {
        let near = match part {
            Part::Node(_) => self.near_node(part),
            Part::Cell(at) => self.near_cell(at),
        };
        if let Some(near) = near
            && near <= self.first() + self.look()
        {
            self.turn += 1;
            self.waiting.push(Ranked { rank: -near, turn: self.turn, item: part });
        }
    }

    fn near_node(&self, node: Part) -> Option<f64> {
        let over = |along: DVec3| {
            let (height, slack) = self.side.height(node, along);
            height + slack + self.touch + self.beside
        };
        let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z];
        axes.iter().all(|axis| over(*axis) >= 0.0).then(|| -over(DVec3::NEG_Z))
    }

    /// How far off the ray a cell matters.
    fn slack(&self, cell: &Cell) -> f64 {
        cell.slack + cell.gap + if cell.dimension == 1 { self.beside } else { 0.0 }
    }

    /// The least distance along the ray at which it may meet a cell; `None` where it passes by.
    fn near_cell(&self, at: u32) -> Option<f64> {
        let cell = self.side.cell(at);
        if cell.dimension == 0 {
            return None;
        }
        let slack = self.slack(cell);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in self.side.points(cell) {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let passes = low.truncate().max_element() > slack
            || high.truncate().min_element() < -slack
            || high.z < -slack - self.touch;
        if passes {
            return None;
        }
        let beside = cell.center.truncate().normalize_or_zero();
        let nearest =
            self.side.points(cell).iter().fold(f64::INFINITY, |l, p| l.min(p.truncate().dot(beside)));
        (nearest <= slack).then_some(low.z - slack)
    }

    fn visit(&mut self, at: u32) {
        let cell = *self.side.cell(at);
        let wide = (0..cell.dimension).all(|axis| cell.high[axis] - cell.low[axis] > f64::EPSILON);
        if cell.dimension == 1 && cell.radius <= self.beside && self.beside > cell.slack + cell.gap {
            self.pinched = self.pinched.min(cell.center.z);
            let off = cell.center.truncate().length();
            if off > cell.radius + cell.slack + cell.gap {
                return;
            }
        }
        if !wide || cell.radius <= SMALL_SLACKS * (cell.slack + cell.gap) {
            self.offer(&cell, DVec2::splat(0.5), cell.center.z, Met::Small);
            return;
        }
        let mut axis = 0;
        if cell.dimension == 2 {
            let derivatives = self.side.derivatives(at);
            if self.settle(&cell, &derivatives) {
                return;
            }
            let [u, v] = derivatives.first.map(|ball| ball.center.length());
            axis = usize::from(v > u);
        }
        for half in self.side.halves(at, axis) {
            if self.side.cell(half).cover != Cover::Outside {
                self.push(Part::Cell(half));
            }
        }
    }

    /// Whether a cell has nothing more to say: its one crossing is found, or there is none.
    fn settle(&mut self, cell: &Cell, derivatives: &Derivatives) -> bool {
        let [u, v] = &derivatives.first;
        let (a, b) = (u.center.truncate(), v.center.truncate());
        let area = a.perp_dot(b);
        if !(area != 0.0) {
            return false;
        }
        let inverse = [DVec2::new(b.y, -b.x) / area, DVec2::new(-a.y, a.x) / area];
        let spread = inverse.map(|row| row.length() * (u.radius + v.radius));
        if !(spread[0] < INJECTIVE && spread[1] < INJECTIVE) {
            return false;
        }
        let net = self.side.net(cell);
        let middle = DVec2::splat(0.5);
        let off = pieces::jet(cell.degrees, net, middle).point.truncate();
        let allowed = inverse.map(|row| row.length() * cell.slack + f64::EPSILON);
        let toward = middle - DVec2::new(inverse[0].dot(off), inverse[1].dot(off));
        let outside = |i: usize| (toward[i] - 0.5).abs() > 0.5 + 0.5 * spread[i] + SMALL_SLACKS * allowed[i];
        if outside(0) || outside(1) {
            return true;
        }
        let Some(root) = newton(cell.degrees, net, toward) else { return false };
        let inside = |i: usize| (root[i] - 0.5).abs() <= 0.5 + SMALL_SLACKS * allowed[i];
        if !(inside(0) && inside(1)) {
            return false;
        }
        let root = root.clamp(DVec2::ZERO, DVec2::ONE);
        let jet = pieces::jet(cell.degrees, net, root);
        let normal = jet.cross();
        let steep = normal.z.abs() > GRAZING_REL * normal.length();
        let met = if steep { Met::Crossed { along: normal.z > 0.0 } } else { Met::Grazed };
        self.offer(cell, root, jet.point.z, met);
        true
    }

    /// Takes a point of a cell into account, if it belongs to the face and lies on the ray.
    fn offer(&mut self, cell: &Cell, at: DVec2, distance: f64, met: Met) {
        if distance < -self.touch - cell.slack {
            return;
        }
        let local = cell.low + (cell.high - cell.low) * at;
        let piece = self.side.piece(cell);
        let face = self.side.face(piece);
        let mut clean = matches!(met, Met::Crossed { .. });
        if piece.trimmed
            && let Some(face) = face
        {
            match face.side(piece.span.parameters(local)) {
                tiled::Side::Inside => {}
                tiled::Side::Boundary => clean = false,
                // A small cell across the boundary may have points of the face.
                tiled::Side::Outside if met == Met::Small && cell.cover == Cover::Unknown => {}
                tiled::Side::Outside => return,
            }
        }
        let found = Crossing { distance, piece: cell.piece, local };
        if let Met::Crossed { along } = met
            && clean
        {
            let leaves = along != face.is_some_and(|face| face.reversed);
            if let Some((known, other)) = self.face
                && other != leaves
                && (known.distance - distance).abs() <= self.margin
            {
                self.pinched = self.pinched.min(known.distance.min(distance));
            }
            if self.face.is_none_or(|(known, _)| distance < known.distance) {
                self.face = Some((found, leaves));
            }
        } else if self.doubtful.is_none_or(|known| distance < known.distance) {
            self.doubtful = Some(found);
        }
    }
}

/// The parameters of a cell's point on the ray, from a start near it.
fn newton(degrees: [usize; 2], net: &[clearance_geometry::DVec4], start: DVec2) -> Option<DVec2> {
    let mut here = start.clamp(DVec2::ZERO, DVec2::ONE);
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let jet = pieces::jet(degrees, net, here);
        let (f, a, b) = (jet.point.truncate(), jet.u.truncate(), jet.v.truncate());
        let step = DVec2::new(b.perp_dot(f), -a.perp_dot(f)) / a.perp_dot(b);
        let size = step.abs().max_element();
        if !(size.is_finite() && size < 2.0) {
            return None;
        }
        here += step;
        // Steps shrink until rounding stops them.
        if size == 0.0 || (size < GRAZING_REL && size >= 0.5 * last) {
            return Some(here);
        }
        last = size;
    }
    (last < GRAZING_REL).then_some(here)
}
