//! Edges and vertices that are left to the patches they bound, until a slope leads to them.
//!
//! Source: a point of an edge belongs to the closed patch beside it, so that a bound on all of a cell of that patch holds for it
//! too; where a function falls along one direction over a box, its least value is on the sides that the direction leads out of.
//! Differs: a slope that leads out of its patch nowhere but where the surface goes on says the same of edges as of the inside. Where
//! it leads to an edge, the side of the cell is asked for, a curve by its own net, and the ends of that in the same way.
//! Ends because: a side has one parameter less than its cell.
//! Cost: some twenty instructions for each edge or vertex and each patch, once for each body; a row of a net for each side that is
//! asked for.
//! Not promised: anything for edges whose pieces are not sides of patches, as those of trimmed faces: they have cells of their own.
//!
//! A piece of an edge counts as the side of a patch where its control points are those of that side but for rounding. What they are
//! off, and what the piece is off its edge, is in the slack of the patch: no point of the edge is farther from the closed patch.

use super::few::Whole;
use super::search::{Search, Waiting};
use super::side::{Cell, NONE, Part, Side};
use crate::tolerance::{HEIGHT_ERROR_REL, RIM_REL};
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::{DVec2, DVec3, DVec4};

/// The low and the high end of both parameters.
pub(super) type Ends = [[bool; 2]; 2];

/// The corners of a patch, as columns of coordinates.
type Corners = [[f64; 4]; 3];

/// The ends of a piece that stand for edges, or of a row of one for vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Closing {
    pub(super) ends: Ends,
    /// How far points of these edges and vertices may be from the piece; a length.
    pub(super) off: f64,
    /// The greatest gap of these edges and vertices; a length.
    pub(super) gap: f64,
}

/// Times what control points are off: a curve is no farther off than they are, and both ends of a line between bodies may be.
const OFF_TIMES: f64 = 4.0;

impl Cell {
    /// Whether a direction by its parameters leads out of it where it is closed.
    #[inline]
    pub(super) fn is_left_along(&self, weights: [f64; 2]) -> bool {
        self.exit(0, weights[0]).is_some() || self.exit(1, weights[1]).is_some()
    }

    /// The closed end that a direction along one of its parameters leads out of.
    #[inline]
    fn exit(&self, axis: usize, weight: f64) -> Option<usize> {
        let end = usize::from(weight > 0.0);
        (weight != 0.0 && self.closed[axis][end]).then_some(end)
    }
}

impl Search<'_> {
    /// Lets the sides of a cell wait that a slope leads out of it at.
    pub(super) fn push_rims(&mut self, side: usize, weights: [f64; 2], pair: &Waiting) {
        let Part::Cell(at) = pair.parts[side] else { return };
        for (axis, weight) in weights.into_iter().enumerate() {
            let own = if side == 0 { &mut self.a } else { &mut self.b };
            let Some(end) = own.cell(at).exit(axis, weight) else { continue };
            let mut parts = pair.parts;
            parts[side] = Part::Cell(own.rim(at, axis, end));
            self.push(parts, Some(&pair.slab), pair.mark);
        }
    }
}

impl Search<'_> {
    /// Names the nearest points on the sides of patches that stand for edges after these.
    pub(super) fn name_rims(&mut self) {
        let contact = self.demand.contact;
        let Some(near) = &mut self.nearest else { return };
        for (i, side) in [&self.a, &self.b].into_iter().enumerate() {
            let Some((piece, at)) = side.edge_at(near.pieces[i], near.local[i]) else { continue };
            let mut points = near.points;
            points[i] = side.pose.apply(side.tree.leaves()[piece as usize].point(at));
            let distance = points[0].distance(points[1]);
            // Of points that are as near, but for rounding.
            let size = points[i].abs().max_element();
            let moved = points[i].distance(near.points[i]);
            if moved <= 4.0 * HEIGHT_ERROR_REL * size && distance <= near.distance + contact {
                (near.points, near.distance) = (points, distance);
                (near.pieces[i], near.local[i]) = (piece, at);
            }
        }
    }
}

impl Side<'_> {
    /// The piece of an edge that the side of a patch at some place stands for, and where on it that is.
    fn edge_at(&self, piece: u32, local: DVec2) -> Option<(u32, DVec2)> {
        let closing = self.closings.get(piece as usize)?;
        let (leaves, reach) = (self.tree.leaves(), reach_of(self.tree));
        let patch = &leaves[piece as usize];
        let net = &patch.net[..];
        for (axis, ends) in closing.ends.iter().enumerate() {
            let Some(end) = (0..2).find(|&end| ends[end] && local[axis] == end as f64) else { continue };
            let side = || row(patch.degrees, axis, end).map(|k| &net[k]);
            let along = local[1 - axis];
            for (at, edge) in leaves.iter().enumerate() {
                if edge.dimension != 1
                    || edge.leaf != patch.leaf
                    || edge.degrees[0] != patch.degrees[1 - axis]
                {
                    continue;
                }
                if greatest(edge.net.iter().zip(side()), reach) <= RIM_REL * reach {
                    return Some((at as u32, DVec2::new(along, 0.0)));
                }
                if greatest(edge.net.iter().rev().zip(side()), reach) <= RIM_REL * reach {
                    return Some((at as u32, DVec2::new(1.0 - along, 0.0)));
                }
            }
        }
        None
    }

    /// The side of a cell of a patch at one end of a parameter, or the point at one end of such a side.
    fn rim(&mut self, at: u32, axis: usize, end: usize) -> u32 {
        let cell = self.memory.cells[at as usize];
        let known = cell.rims[axis][end];
        if known != NONE {
            return known;
        }
        let [p, q] = cell.degrees;
        let start = self.memory.net.len();
        let along = 1 - axis;
        for k in row(cell.degrees, axis, end) {
            let point = self.memory.net[cell.start as usize + k];
            self.memory.net.push(point);
        }
        let (low, high) = (cell.low, cell.high);
        let fixed = cell.parameter(axis);
        let mut rim = Cell {
            dimension: cell.dimension - 1,
            degrees: if cell.dimension == 2 { [[p, q][along], 0] } else { [0, 0] },
            start: start as u32,
            count: (self.memory.net.len() - start) as u32,
            is_rim: true,
            is_turned: cell.dimension == 2 && along == 1,
            // Both sides that meet in a corner are closed, or it is none.
            closed: if cell.dimension == 2 { [cell.closed[along], [false; 2]] } else { Ends::default() },
            rims: [[NONE; 2]; 2],
            halves: [[NONE; 2]; 2],
            first: NONE,
            derivatives: NONE,
            ..cell
        };
        rim.low[fixed] = if end == 0 { low[fixed] } else { high[fixed] };
        rim.high[fixed] = rim.low[fixed];
        let made = self.finish(rim, 0);
        self.memory.cells[at as usize].rims[axis][end] = made;
        made
    }

    /// Leaves edges and vertices to the patches of which they are sides and corners.
    pub(super) fn leave_rims(&mut self, wholes: &mut [Whole]) {
        // The same whatever the pose: found once for each body.
        let Some(Rims { closings, spare }) = self.tree.note(|| Rims::of(self.tree)) else { return };
        for (whole, is_spare) in wholes.iter_mut().zip(spare) {
            whole.is_spare = *is_spare;
        }
        self.closings = closings;
        // Cells that were made before know of nothing.
        for cell in &mut self.memory.cells {
            let closing = &closings[cell.piece as usize];
            for axis in 0..cell.dimension {
                cell.closed[axis][0] = closing.ends[axis][0] && cell.low[axis] == 0.0;
                cell.closed[axis][1] = closing.ends[axis][1] && cell.high[axis] == 1.0;
            }
            cell.slack += closing.off;
            cell.radius += closing.off;
            cell.gap = cell.gap.max(closing.gap);
        }
    }
}

/// Which pieces of a body are left to which others.
#[derive(Debug)]
struct Rims {
    /// Of each piece, its ends that stand for others.
    closings: Vec<Closing>,
    /// Whether a piece is left to the patches that it bounds.
    spare: Vec<bool>,
}

impl Rims {
    fn of(tree: &PieceTree) -> Self {
        let leaves = tree.leaves();
        let reach = reach_of(tree);
        let near = RIM_REL * reach;
        let (mut closings, mut spare) = (vec![Closing::default(); leaves.len()], vec![false; leaves.len()]);
        let patches = leaves.iter().zip(0_u32..).filter(|(piece, _)| piece.dimension == 2 && !piece.trimmed);
        let corners: Vec<(u32, Corners)> = patches.map(|(patch, at)| (at, corners_of(patch))).collect();
        for dimension in [1, 0] {
            for (own, is_spare) in leaves.iter().zip(&mut spare) {
                if own.dimension != dimension || own.gap + own.slack > near {
                    continue;
                }
                let net = &own.net[..];
                let (first, last) = (in_space(&net[0]), in_space(&net[net.len() - 1]));
                for (at, corners) in &corners {
                    let starts = places(corners, first, near);
                    if starts == [false; 4] {
                        continue;
                    }
                    let (patch, closing) = (&leaves[*at as usize], &mut closings[*at as usize]);
                    let off = if patch.leaf != own.leaf {
                        None
                    } else if dimension == 1 {
                        let stops = places(corners, last, near);
                        if stops == [false; 4] {
                            continue;
                        }
                        side_of(patch, own, [starts, stops], reach, &mut closing.ends)
                    } else {
                        corner_of(corners, starts, first, &closing.ends)
                    };
                    if let Some(off) = off {
                        *is_spare = true;
                        closing.off = closing.off.max(own.slack + OFF_TIMES * off);
                        closing.gap = closing.gap.max(own.gap);
                    }
                }
            }
        }
        Self { closings, spare }
    }
}

/// How far a body reaches from the origin of its own frame.
fn reach_of(tree: &PieceTree) -> f64 {
    let bound = tree.whole();
    bound.half.length() + bound.center.length()
}

/// The control points of a net at one end of a parameter.
fn row([p, q]: [usize; 2], axis: usize, end: usize) -> impl Iterator<Item = usize> + Clone {
    let (start, stride, last) = if axis == 0 { (end * p * (q + 1), 1, q) } else { (end * q, q + 1, p) };
    (0..=last).map(move |k| start + k * stride)
}

/// Which corners of a patch are at a point, but for a length.
#[inline]
fn places(corners: &Corners, point: DVec3, near: f64) -> [bool; 4] {
    let [xs, ys, zs] = corners;
    let off = xs.map(|x| (x - point.x).abs());
    let lesser = |x: f64, other: f64| if x < other { x } else { other };
    // Most patches are elsewhere.
    if !(lesser(lesser(off[0], off[2]), lesser(off[1], off[3])) <= near) {
        return [false; 4];
    }
    let mut found = [false; 4];
    for k in 0..4 {
        found[k] = off[k] <= near && (ys[k] - point.y).abs() <= near && (zs[k] - point.z).abs() <= near;
    }
    found
}

/// Closes the sides of a patch that a piece of an edge is, whose ends are at some of its corners; how far it may be off them.
fn side_of(
    patch: &Piece,
    edge: &Piece,
    [starts, stops]: [[bool; 4]; 2],
    reach: f64,
    ends: &mut Ends,
) -> Option<f64> {
    let (mut found, net, own) = (None::<f64>, &patch.net[..], &edge.net[..]);
    for (axis, ends) in ends.iter_mut().enumerate() {
        if patch.degrees[1 - axis] != edge.degrees[0] {
            continue;
        }
        for (end, is_closed) in ends.iter_mut().enumerate() {
            let [one, other] = if axis == 0 { [2 * end, 2 * end + 1] } else { [end, end + 2] };
            let side = || row(patch.degrees, axis, end).map(|k| &net[k]);
            let mut most = f64::INFINITY;
            if starts[one] && stops[other] {
                most = greatest(own.iter().zip(side()), reach);
            }
            if starts[other] && stops[one] {
                most = most.min(greatest(own.iter().rev().zip(side()), reach));
            }
            if most <= RIM_REL * reach {
                *is_closed = true;
                found = Some(found.map_or(most, |found| found.max(most)));
            }
        }
    }
    found
}

/// How far a vertex is off the corner of a patch that it is at, if two closed sides meet there.
fn corner_of(corners: &Corners, places: [bool; 4], vertex: DVec3, ends: &Ends) -> Option<f64> {
    let is_closed = |k: &usize| places[*k] && ends[0][*k / 2] && ends[1][*k % 2];
    (0..4).find(is_closed).map(|k| DVec3::from_array(corners.map(|column| column[k])).distance(vertex))
}

/// The corners of a patch: at the low and the high end of v for the low end of u, then for the high one.
fn corners_of(patch: &Piece) -> Corners {
    let ([p, q], net) = (patch.degrees, &patch.net[..]);
    let points = [0, q, p * (q + 1), p * (q + 1) + q].map(|k| in_space(&net[k]));
    [0, 1, 2].map(|axis| points.map(|point| point[axis]))
}

/// What the points of two curves may be apart whose control points are these: those in space, and the share that weights are off
/// times what a curve may move by for it. Infinite where it is more than what counts as none.
fn greatest<'a>(pairs: impl Iterator<Item = (&'a DVec4, &'a DVec4)>, reach: f64) -> f64 {
    let near = RIM_REL * reach;
    let (mut square, mut uneven) = (0.0_f64, 0.0_f64);
    for (one, other) in pairs {
        let off = if one.w == 1.0 && other.w == 1.0 {
            one.truncate().distance_squared(other.truncate())
        } else {
            uneven = uneven.max((one.w - other.w).abs() / one.w.min(other.w));
            in_space(one).distance_squared(in_space(other))
        };
        square = square.max(off);
        // Most edges that are asked about are elsewhere, and their first points show it.
        if square > 2.0 * near * near {
            return f64::INFINITY;
        }
    }
    // A point is a mean of control points by shares; each share changes by no more than twice as much as the weights, and points
    // are within twice the reach of each other.
    square.sqrt() + 4.0 * uneven * reach
}

fn in_space(point: &DVec4) -> DVec3 {
    point.truncate() * (1.0 / point.w)
}
