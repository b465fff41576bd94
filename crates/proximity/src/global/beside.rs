//! Parts of a body beside the whole of a convex one.
//!
//! Source: the distance from a convex body is known by its farthest points along directions alone (Gilbert, Johnson and
//! Keerthi); branch and bound over the other body's parameters then has two of them, not four.
//! Differs: what is left of the other body once its cells are small against the convex one goes on as pairs of cells, since
//! convexity of the distance is seen on pairs of pieces.
//! Ends because: every cell is cut, or the convex body is opened.
//! Cost: a look at a cell takes a pass over its control points and one farthest point for each step of the direction.
//! Not promised: a gain where the convex body is the smaller one by far.

use super::free;
use super::plane::{Rise, rise};
use super::search::{STEADY, Search, Waiting, is_steady};
use super::side::{Cell, Part, Placed, Side};
use super::survey::SPARE;
use crate::convex::solid::Solid;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::curve::Curve;
use clearance_geometry::pieces::Span;
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{Cover, Face, TiledEdge};
use clearance_geometry::{Below, Body, DVec2, DVec3};

/// Least and greatest number of corners of a polytope whose farthest corner is looked for among all: less are no body.
const MOST_CORNERS: (usize, usize) = (4, 32);

/// Steps of a direction along which a point may be beyond a convex body.
const STEPS_OFF: usize = 12;

/// The share of a convex body's size below which a steady cell beside it is not cut before the body is opened.
const SMALL_BESIDE: f64 = 0.02;

impl Side<'_> {
    /// Lets farthest points of the whole body be those of the body itself and not those of a box, if it is convex and
    /// they are formulas; whether it is. The pieces must be those of the body.
    pub(super) fn become_convex(&mut self) -> bool {
        // Whether a body is convex takes long to decide where it has splines.
        let is_spline = |face: &Face| matches!(face.surface, Surface::Nurbs(_));
        if matches!(self.body.whole(), Body::Tiled(tiled) if tiled.faces().iter().any(is_spline)) {
            return false;
        }
        self.convex = Solid::of(self.body.whole()).filter(|solid| match solid {
            Solid::Polytope(body) => (MOST_CORNERS.0..=MOST_CORNERS.1).contains(&body.vertex_count()),
            // A body with another core may be searched by the pieces of that core.
            Solid::Round(shape) => shape.is_own_core() && !shape.has_splines(),
        });
        self.convex.is_some()
    }

    /// A point of the body.
    fn corner(&self) -> DVec3 {
        self.pose.apply(self.tree.leaves()[0].point(DVec2::ZERO))
    }

    /// Whether a direction is soon found along which a point is beyond the whole convex body.
    fn is_off(&self, point: DVec3) -> bool {
        let mut x = point - self.ball(Part::Node(0)).0;
        for _ in 0..STEPS_OFF {
            let Some(along) = x.try_normalize() else { return false };
            let beyond = point - self.farthest(Part::Node(0), along);
            if beyond.dot(along) > 0.0 {
                return true;
            }
            let step = x - beyond;
            x -= step * (x.dot(step) / step.length_squared()).clamp(0.0, 1.0);
        }
        false
    }

    /// Whether a part is a whole convex body.
    pub(super) fn is_convex_whole(&self, part: Part) -> bool {
        self.convex.is_some() && part == Part::Node(0)
    }

    /// The point of a part's hull farthest along a direction, but for rounding.
    pub(super) fn farthest(&self, part: Part, along: DVec3) -> DVec3 {
        match (part, self.convex) {
            (Part::Cell(at), _) => farthest_of(self.points(self.cell(at)), along),
            (Part::Node(0), Some(solid)) => {
                self.pose.apply(solid.farthest(self.pose.rotate_inverse(along)).point + solid.anchor())
            }
            (Part::Node(at), _) => {
                let Placed { center, halves, .. } = self.placed(at);
                halves.iter().fold(center, |sum, half| sum + *half * half.dot(along).signum())
            }
        }
    }

    /// Whether a cell is of a surface or a curve that may have an axis or a direction in common with others: then whole pieces
    /// are compared.
    fn may_share_axis(&self, cell: &Cell) -> bool {
        let piece = self.piece(cell);
        // The core of a body has the name of a feature, but is none.
        if piece.span == Span::POINT {
            return true;
        }
        let face = self.face(piece).is_some_and(|face| {
            use Surface::{Cone, Cylinder, Plane, Sphere, Torus};
            matches!(face.surface, Plane(_) | Cylinder(_) | Cone(_) | Sphere(_) | Torus(_))
        });
        let edge = |edge: &TiledEdge| matches!(edge.curve, Curve::Line(_) | Curve::Circle(_));
        face || self.edge(piece).is_some_and(edge) || piece.is_flat
    }

    /// The piece whose box is nearest to a point, going down the tree to the nearer node.
    pub(super) fn piece_near(&self, point: DVec3) -> u32 {
        let local = self.pose.apply_inverse(point);
        let nodes = self.tree.nodes();
        let apart = |node: u32| {
            let bound = &nodes[node as usize].bound;
            let off = (bound.axes.transpose() * (local - bound.center)).abs() - bound.half;
            off.max(DVec3::ZERO).length_squared()
        };
        let mut at = 0;
        loop {
            match nodes[at as usize].below {
                Below::Leaf(piece) => return piece,
                Below::Nodes([one, other]) => at = if apart(one) <= apart(other) { one } else { other },
            }
        }
    }
}

fn farthest_of(points: &[DVec3], along: DVec3) -> DVec3 {
    let mut found = (f64::NEG_INFINITY, DVec3::ZERO);
    for &p in points {
        let height = p.dot(along);
        if height > found.0 {
            found = (height, p);
        }
    }
    found.1
}

impl Search<'_> {
    /// Keeps the one of both bodies whole that is convex, if the other is not, and is not inside it: there its farthest points
    /// tell nothing of the boundary.
    pub(super) fn keep_convex_whole(&mut self) {
        let convex = [self.a.become_convex(), self.b.become_convex()];
        let off = match convex {
            [true, false] => self.a.is_off(self.b.corner()),
            [false, true] => self.b.is_off(self.a.corner()),
            _ => false,
        };
        if !off {
            (self.a.convex, self.b.convex) = (None, None);
        }
    }

    /// Looks at a cell beside the whole of a convex body (0: A, 1: B): it is settled or cut, or so small that it is time to
    /// open the body.
    pub(super) fn is_done_beside(&mut self, body: usize, at: u32, pair: &Waiting) -> bool {
        let (most, normal) = (self.upper(), pair.slab.normal);
        let (side, whole) = if body == 0 { (&self.b, &self.a) } else { (&self.a, &self.b) };
        let cell = *side.cell(at);
        // Farthest points tell nothing of what is inside: bodies that reach into each other are searched by pieces alone.
        if pair.slab.lower <= 0.0 && side.points(&cell).first().is_some_and(|corner| !whole.is_off(*corner)) {
            (self.a.convex, self.b.convex) = (None, None);
            self.explore_beside(body, &cell);
            return false;
        }
        let rise = self.rise_beside(body, at, &cell);
        if let Some(Rise::Most(height)) = rise {
            self.take_off(pair.parts, height);
            return true;
        }
        let is_turned = self.is_turned_beside(body, &cell);
        let side = if body == 0 { &self.b } else { &self.a };
        let by_pieces = is_turned || cell.dimension == 0 || side.may_share_axis(&cell);
        if by_pieces && self.nearest.is_none() && cell.dimension == 2 {
            self.explore_beside(body, &cell);
        }
        if cell.dimension == 0 {
            return false;
        }
        let (side, whole) = if body == 0 { (&mut self.b, &self.a) } else { (&mut self.a, &self.b) };
        let first = side.first(at);
        let toward = if body == 0 { -normal } else { normal };
        if free::slope_beside(side, whole, &cell, &first, toward, most).is_some() {
            return true;
        }
        if by_pieces {
            return self.halve_beside_body(pair);
        }
        // Around the nearest points known, parts of a cell may be proven by one plane as long as it does not bend the other way.
        let hopeful = matches!(rise, Some(Rise::Unknown));
        let small = !hopeful
            && is_steady(&cell, &first, STEADY)
            && cell.radius < SMALL_BESIDE * whole.ball(Part::Node(0)).1;
        let scores = Side::scores_of(&cell, &first, normal);
        let axis = usize::from(scores[1] > scores[0]);
        if self.work.pairs >= self.next_try {
            self.explore_beside(body, &cell);
        }
        if small || !(scores[axis] > 0.0) {
            return false;
        }
        let side = if body == 0 { &mut self.b } else { &mut self.a };
        for half in side.halves(at, axis) {
            let side = if body == 0 { &self.b } else { &self.a };
            if side.cell(half).cover != Cover::Outside {
                let half = Part::Cell(half);
                let parts = if body == 0 { [Part::Node(0), half] } else { [half, Part::Node(0)] };
                self.push(parts, Some(&pair.slab), pair.mark);
            }
        }
        true
    }

    /// How far a cell on which the nearest points known are rises along the line between them: as a lower bound on its distance
    /// from the whole of a convex body where that is as much as asked for. `None` for other cells.
    fn rise_beside(&mut self, body: usize, at: u32, cell: &Cell) -> Option<Rise> {
        let near = self.nearest.filter(|near| near.distance > self.demand.contact)?;
        let (piece, local) = (near.pieces[1 - body], near.local[1 - body]);
        if piece != cell.piece || !(local.cmpge(cell.low).all() && local.cmple(cell.high).all()) {
            return None;
        }
        let toward = (near.points[1 - body] - near.points[body]) / near.distance;
        let enough = self.enough();
        let spare = SPARE * self.demand.max_error;
        let (side, whole) = if body == 0 { (&mut self.b, &self.a) } else { (&mut self.a, &self.b) };
        let (height, lost) = whole.height(Part::Node(0), toward);
        // The direction is of unit length but for rounding.
        let reach = near.points[0].abs().max(near.points[1].abs()).max_element();
        let taken = height + lost + 8.0 * HEIGHT_ERROR_REL * reach;
        Some(match rise(side, at, -toward, -taken - enough, spare) {
            Rise::Most(height) => Rise::Most(-height - taken),
            other => other,
        })
    }

    /// Descends from the middle of a cell and the piece of a convex body that is nearest to it.
    fn explore_beside(&mut self, body: usize, cell: &Cell) {
        let (whole, side) = if body == 0 { (&mut self.a, &self.b) } else { (&mut self.b, &self.a) };
        let piece = whole.piece_near(cell.center);
        let near = whole.root(piece);
        let near = *whole.cell(near);
        let root = *side.cell(side.root_of(cell));
        let middle = |cell: &Cell| 0.5 * (cell.low + cell.high);
        let mut roots = [(near, middle(&near)), (root, middle(cell))];
        if body == 1 {
            roots.swap(0, 1);
        }
        let [(a, one), (b, other)] = roots;
        self.explore([a, b], [one.x, one.y, other.x, other.y]);
    }
}
