//! The plane across the nearest points found so far, on both whole bodies.
//!
//! Source: no two points are closer than min n·q − max n·p over the bodies (see `plane`).
//! Differs: heights of all control points along the normal are kept, and bound pairs of nodes where the plane is no proof. Of
//! bodies of few pieces they are taken first: a corner of a piece above the plane tells that it is none.
//! Ends because: loops run over nodes and pieces.
//! Cost: some ten instructions for each control point of both bodies.
//! Not promised: heights of bodies with curved pieces that are as low as can be.

use super::found::NearPair;
use super::plane;
use super::search::Search;
use super::side::{PLACINGS, Part, Side};
use super::slab::Slab;
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::Obb;
use clearance_geometry::pieces::Piece;
use clearance_geometry::{Below, DVec3, DVec4};

/// The share of an allowed error that a nearly concave height may take.
pub(super) const SPARE: f64 = 0.25;

/// Pieces of both bodies whose heights cost less than a try to prove a plane.
const FEW_PIECES: usize = 128;

impl Side<'_> {
    /// Middle and radius of a ball around a box, rounding included.
    pub(super) fn ball_of(&self, bound: &Obb) -> (DVec3, f64) {
        let center = self.pose.apply(bound.center);
        let radius = bound.half.length();
        let reach = center.abs().max_element() + radius + self.far();
        (center, radius + PLACINGS * BLEND_ERROR_REL * reach)
    }

    /// The greatest height of a node, or where nodes were left out of a piece, rounding included, along the direction of the last
    /// survey.
    pub(super) fn surveyed_at(&self, at: u32) -> f64 {
        self.memory.heights[at as usize]
    }

    /// Takes the greatest heights of all nodes, or of `pieces` alone, along a unit direction from the control points of pieces, which
    /// says more than their boxes. Whether a corner of a piece, a point of the body, is above `limit`.
    pub(super) fn survey(&mut self, along: DVec3, limit: f64, pieces: bool) -> bool {
        let (own, offset) = (self.pose.rotate_inverse(along), self.pose.translation().dot(along));
        let plane = Ruler { along: own, offset, far: self.far(), limit };
        let heights = &mut self.memory.heights;
        heights.clear();
        let mut reaches_over = false;
        let mut of_leaf = |leaf: usize| {
            let (height, is_over) =
                plane.top(&self.tree.leaves()[leaf], &self.tree.bounds()[leaf], reaches_over);
            reaches_over |= is_over;
            height
        };
        if pieces {
            heights.extend((0..self.tree.leaves().len()).map(of_leaf));
            return reaches_over;
        }
        let nodes = self.tree.nodes();
        heights.resize(nodes.len(), f64::INFINITY);
        // Children stand behind their parents.
        for (at, node) in nodes.iter().enumerate().rev() {
            heights[at] = match node.below {
                Below::Nodes([one, other]) => {
                    let [one, other] = [heights[one as usize], heights[other as usize]];
                    if one > other { one } else { other }
                }
                Below::Leaf(leaf) => of_leaf(leaf as usize),
            };
        }
        if self.convex.is_some() {
            let (height, lost) = self.height(Part::Node(0), along);
            self.memory.heights[0] = height + lost;
        }
        reaches_over
    }

    /// The greatest height of a part, rounding included, along the direction of the last survey.
    pub(super) fn surveyed(&self, part: Part, along: DVec3) -> f64 {
        match part {
            Part::Node(node) => self.surveyed_at(node),
            Part::Cell(_) => {
                let (height, slack) = self.height(part, along);
                height + slack
            }
        }
    }
}

/// What heights of pieces are taken by, in the frame of a body: a direction, and where the limit is.
struct Ruler {
    along: DVec3,
    offset: f64,
    far: f64,
    limit: f64,
}

impl Ruler {
    /// The greatest height of a piece, and whether a corner of it is above the limit, unless that is `known` of another.
    #[inline]
    fn top(&self, piece: &Piece, bound: &Obb, known: bool) -> (f64, bool) {
        let over = |p: &DVec4| p.truncate().dot(self.along) / p.w;
        let highest = piece.net.iter().fold(f64::NEG_INFINITY, |most, p| {
            let height = over(p);
            if height > most { height } else { most }
        });
        let reach = bound.center.abs().max_element() + bound.half.max_element() + self.far;
        let lost = piece.slack + PLACINGS * BLEND_ERROR_REL * reach;
        let mut is_over = false;
        if !(known || piece.trimmed) && highest + self.offset > self.limit {
            let (last, width) = (piece.net.len() - 1, piece.degrees[1]);
            let corners = [0, width, last - width, last];
            is_over = corners.iter().any(|k| over(&piece.net[*k]) + self.offset - lost > self.limit);
        }
        (highest + self.offset + lost + piece.gap, is_over)
    }
}

impl Search<'_> {
    /// A proven lower bound as good as is asked for, from a plane across the nearest points found so far, or of few pieces a sphere
    /// between them; tried once for each of them.
    pub(super) fn plane(&mut self) -> Option<f64> {
        let near = self.nearest.filter(|near| self.untried && near.distance > self.demand.contact)?;
        self.untried = false;
        if self.record.is_kept() {
            return None;
        }
        let flat = self.flat(&near).filter(|lower| *lower >= self.enough());
        if flat.is_some() || !self.is_of_few {
            return flat;
        }
        self.sphere(&near)
    }

    /// The bound that a plane across the nearest points gives.
    fn flat(&mut self, near: &NearPair) -> Option<f64> {
        let normal = (near.points[1] - near.points[0]) / near.distance;
        let share = 0.25 * self.demand.max_error;
        let limit = [near.points[0].dot(normal) + share, -near.points[1].dot(normal) + share];
        let few = self.a.tree.leaves().len() + self.b.tree.leaves().len() <= FEW_PIECES;
        if few && self.survey(normal, limit) {
            return None;
        }
        let spare = SPARE * share;
        let is_of_few = few && self.is_of_few;
        let highest = |side: &mut Side, along: DVec3, limit: f64, parts: &mut Vec<Part>| {
            if is_of_few {
                plane::highest_of_pieces(side, (along, limit, spare), parts)
            } else {
                plane::highest(side, along, limit, spare, parts)
            }
        };
        let high = highest(&mut self.a, normal, limit[0], self.parts);
        let low = high.and_then(|_| highest(&mut self.b, -normal, limit[1], self.parts));
        let (Some(high), Some(low)) = (high, low) else {
            if !few {
                self.survey(normal, limit);
            }
            return None;
        };
        // The normal is of unit length but for rounding.
        let reach = near.points[0].abs().max(near.points[1].abs()).max_element();
        Some(-low - high - 8.0 * HEIGHT_ERROR_REL * reach)
    }

    /// Takes the heights of both bodies along a direction; whether a corner of one is above its limit.
    fn survey(&mut self, normal: DVec3, limit: [f64; 2]) -> bool {
        let pieces = self.is_of_few;
        let over = [self.a.survey(normal, limit[0], pieces), self.b.survey(-normal, limit[1], pieces)];
        self.surveyed = Some(normal);
        over[0] || over[1]
    }

    /// A bound on a pair with a node from the last survey.
    pub(super) fn between_planes(&self, parts: [Part; 2]) -> Option<Slab> {
        let normal = self.surveyed.filter(|_| !matches!(parts, [Part::Cell(_), Part::Cell(_)]))?;
        let (high, low) = (self.a.surveyed(parts[0], normal), self.b.surveyed(parts[1], -normal));
        let round = HEIGHT_ERROR_REL * (high.abs() + low.abs());
        Some(Slab { lower: -low - high - round, normal })
    }
}
