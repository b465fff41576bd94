//! The plane across the nearest points found so far, on both whole bodies.
//!
//! Source: no two points are closer than min n·q − max n·p over the bodies (see `plane`).
//! Differs: heights of all control points along the normal are kept, and bound pairs of nodes where the plane is no proof. Of
//! bodies of few pieces they are taken first: a corner of a piece above the plane tells that it is none.
//! Ends because: loops run over nodes and pieces.
//! Cost: some ten instructions for each control point of both bodies.
//! Not promised: heights of bodies with curved pieces that are as low as can be.

use super::plane;
use super::search::Search;
use super::side::{PLACINGS, Part, Side};
use super::slab::Slab;
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use clearance_geometry::{Below, DVec3, DVec4};

/// The share of an allowed error that a nearly concave height may take.
pub(super) const SPARE: f64 = 0.25;

/// Pieces of both bodies whose heights cost less than a try to prove a plane.
const FEW_PIECES: usize = 128;

impl Side<'_> {
    /// Middle and radius of a ball around the box of a node, rounding included.
    pub(super) fn ball_of(&self, node: u32) -> (DVec3, f64) {
        let bound = &self.tree.nodes()[node as usize].bound;
        let center = self.pose.apply(bound.center);
        let radius = bound.half.length();
        let reach = center.abs().max_element() + radius + self.far();
        (center, radius + PLACINGS * BLEND_ERROR_REL * reach)
    }

    /// The greatest height of a node, rounding included, along the direction of the last survey.
    pub(super) fn surveyed_node(&self, node: u32) -> f64 {
        self.memory.heights[node as usize]
    }

    /// Takes the greatest heights of all nodes along a unit direction from the control points of their pieces, which says
    /// more than their boxes. Whether a corner of a piece, a point of the body, is above `limit`.
    pub(super) fn survey(&mut self, along: DVec3, limit: f64) -> bool {
        let (own, offset) = (self.pose.rotate_inverse(along), self.pose.translation().dot(along));
        let far = self.far();
        let heights = &mut self.memory.heights;
        heights.clear();
        heights.resize(self.tree.nodes().len(), f64::INFINITY);
        let mut reaches_over = false;
        // Children stand behind their parents.
        for (at, node) in self.tree.nodes().iter().enumerate().rev() {
            heights[at] = match node.below {
                Below::Nodes([one, other]) => {
                    let [one, other] = [heights[one as usize], heights[other as usize]];
                    if one > other { one } else { other }
                }
                Below::Leaf(piece) => {
                    let piece = &self.tree.leaves()[piece as usize];
                    let over = |p: &DVec4| p.truncate().dot(own) / p.w;
                    let highest = piece.net.iter().fold(f64::NEG_INFINITY, |most, p| {
                        let height = over(p);
                        if height > most { height } else { most }
                    });
                    let reach = node.bound.center.abs().max_element() + node.bound.half.max_element() + far;
                    let lost = piece.slack + PLACINGS * BLEND_ERROR_REL * reach;
                    if !(reaches_over || piece.trimmed) && highest + offset > limit {
                        let (last, width) = (piece.net.len() - 1, piece.degrees[1]);
                        let corners = [0, width, last - width, last];
                        reaches_over = corners.iter().any(|k| over(&piece.net[*k]) + offset - lost > limit);
                    }
                    highest + offset + lost + piece.gap
                }
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
            Part::Node(node) => self.surveyed_node(node),
            Part::Cell(_) => {
                let (height, slack) = self.height(part, along);
                height + slack
            }
        }
    }
}

impl Search<'_> {
    /// A proven lower bound as good as is asked for, from a plane across the nearest points found so far; tried once for
    /// each of them.
    pub(super) fn plane(&mut self) -> Option<f64> {
        let near = self.nearest.filter(|near| self.untried && near.distance > self.demand.contact)?;
        self.untried = false;
        if self.record.is_kept() {
            return None;
        }
        let normal = (near.points[1] - near.points[0]) / near.distance;
        let share = 0.25 * self.demand.max_error;
        let limit = [near.points[0].dot(normal) + share, -near.points[1].dot(normal) + share];
        let few = self.a.tree.leaves().len() + self.b.tree.leaves().len() <= FEW_PIECES;
        if few && self.survey(normal, limit) {
            return None;
        }
        let spare = SPARE * share;
        let high = plane::highest(&mut self.a, normal, limit[0], spare, self.parts);
        let low = high.and_then(|_| plane::highest(&mut self.b, -normal, limit[1], spare, self.parts));
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
        let over = [self.a.survey(normal, limit[0]), self.b.survey(-normal, limit[1])];
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
