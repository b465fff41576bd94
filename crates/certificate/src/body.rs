//! A body as the checker sees it: pieces in the frame of A, groups with boxes, or a half-space.
//!
//! Source: bounding volume hierarchies; a half-space {x : n·x ≤ o} moved by R x + t is {y : n'·(y − t) ≤ o det R} with
//! n' = cof(R) n.
//! Differs: boxes only spare work; what a group reaches is what its pieces reach.
//! Ends because: every piece and group has one place in the tree, which is checked first.
//! Cost: O(pieces) for a group at worst, far less where boxes rule most of them out.
//! Not promised: that the pieces make up a closed, smooth body; that is what describes it.

use crate::interval::{Interval, Vector, cross, dot, union, vector};
use crate::level::LevelCell;
use crate::model::{BodyDescription, HalfSpace, Level, Patch, Piece, Shape, TrimPart};
use crate::patch::PatchCell;
use crate::placement::Placement;
use crate::tolerance::{MAX_DEGREE, MAX_POWER};
use std::rc::Rc;

/// What a step of a proof speaks of, one in each body.
#[derive(Clone)]
pub(crate) enum Node {
    Group(usize),
    Patch(Rc<PatchCell>),
    Level(Rc<LevelCell>),
    HalfSpace,
}

/// What is wrong with which piece of a body.
pub(crate) type Complaint = (Option<usize>, &'static str);

pub(crate) struct Body<'a> {
    pieces: Vec<(Node, Vector)>,
    described: &'a BodyDescription,
    boxes: Vec<Vector>,
    pub(crate) placement: Option<Placement>,
    /// Normal and offset in the frame of A, if that is what the body is.
    pub(crate) half_space: Option<(Vector, Interval)>,
}

impl<'a> Body<'a> {
    pub(crate) fn new(
        described: &'a BodyDescription,
        placement: Option<Placement>,
    ) -> Result<Self, Complaint> {
        let order = order(described)?;
        let mut body = Self {
            pieces: Vec::with_capacity(described.pieces.len()),
            described,
            boxes: vec![[Interval::ENTIRE; 3]; described.groups.len()],
            placement,
            half_space: None,
        };
        for (at, piece) in described.pieces.iter().enumerate() {
            let loaded = body.load(at, piece).map_err(|reason| (Some(at), reason))?;
            body.pieces.push(loaded);
        }
        for &group in order.iter().rev() {
            let boxes = described.groups[group].iter().map(|&child| body.child(child).1);
            body.boxes[group] = boxes.reduce(|a, b| union(&a, &b)).unwrap_or([Interval::ENTIRE; 3]);
        }
        Ok(body)
    }

    fn load(&mut self, at: usize, piece: &Piece) -> Result<(Node, Vector), &'static str> {
        if !(piece.slack >= 0.0 && piece.slack.is_finite()) {
            return Err("the slack is negative");
        }
        let placement = self.placement.as_ref();
        let (node, tight) = match &piece.shape {
            Shape::Patch(patch) => {
                check_patch(patch)?;
                let cell = PatchCell::new(at, patch, placement);
                let bounds = cell.bounds();
                (Node::Patch(Rc::new(cell)), bounds)
            }
            Shape::Level(level) => {
                check_level(level)?;
                let cell = LevelCell::new(at, level);
                let bounds = cell.bounds(placement);
                (Node::Level(Rc::new(cell)), bounds)
            }
            Shape::HalfSpace(half) => {
                if self.described.pieces.len() > 1 {
                    return Err("a half-space is a body of its own");
                }
                self.half_space = Some(moved(half, placement)?);
                (Node::HalfSpace, [Interval::ENTIRE; 3])
            }
        };
        let slack = Interval { low: -piece.slack, high: piece.slack };
        Ok((node, tight.map(|range| range + slack)))
    }

    /// A child of a group and a box around it.
    fn child(&self, child: i64) -> (Node, Vector) {
        let index = child.unsigned_abs() as usize;
        if child < 0 { (Node::Group(index), self.boxes[index]) } else { self.pieces[index].clone() }
    }

    /// The children of a group.
    pub(crate) fn children(&self, group: usize) -> impl DoubleEndedIterator<Item = Node> {
        self.described.groups[group].iter().map(|&child| self.child(child).0)
    }

    pub(crate) fn piece(&self, at: usize) -> Option<&Node> {
        self.pieces.get(at).map(|(node, _)| node)
    }

    pub(crate) fn slack(&self, piece: usize) -> f64 {
        self.described.pieces[piece].slack
    }

    pub(crate) fn trim(&self, piece: usize) -> &'a [TrimPart] {
        match &self.described.pieces[piece].shape {
            Shape::Patch(Patch { trim: Some(parts), .. }) => parts,
            _ => &[],
        }
    }

    /// Length of the diagonal of a box around the body; none for a half-space.
    pub(crate) fn size(&self) -> f64 {
        if self.half_space.is_some() {
            return 0.0;
        }
        self.boxes[0].iter().map(|range| range.width() * range.width()).sum::<f64>().sqrt()
    }

    /// No point of the node, moved by its slack times `length`, goes farther along `direction`.
    pub(crate) fn reach(&self, node: &Node, direction: &Vector, length: f64) -> f64 {
        let loosened = |reach: f64, piece: usize| {
            let slack = Interval::point(self.slack(piece)) * Interval::point(length);
            (reach + slack.high).next_up()
        };
        match node {
            Node::Patch(cell) => loosened(cell.reach(direction), cell.piece),
            Node::Level(cell) => loosened(cell.reach(direction, self.placement.as_ref()), cell.piece),
            Node::Group(group) => self.group_reach(*group, direction, length),
            Node::HalfSpace => f64::INFINITY,
        }
    }

    fn group_reach(&self, group: usize, direction: &Vector, length: f64) -> f64 {
        let mut greatest = f64::NEG_INFINITY;
        let mut waiting = vec![group];
        while let Some(group) = waiting.pop() {
            for &child in &self.described.groups[group] {
                let (node, bounds) = self.child(child);
                // The box is as large as the slack asks for.
                if dot(direction, &bounds).high <= greatest {
                    continue;
                }
                match node {
                    Node::Group(group) => waiting.push(group),
                    piece => greatest = greatest.max(self.reach(&piece, direction, length)),
                }
            }
        }
        greatest
    }
}

/// All groups, each before its children, where every piece and group has exactly one place.
fn order(body: &BodyDescription) -> Result<Vec<usize>, Complaint> {
    let (mut pieces, mut groups) = (vec![false; body.pieces.len()], vec![false; body.groups.len()]);
    if groups.is_empty() {
        return Err((None, "there are no groups"));
    }
    groups[0] = true;
    let mut order = vec![0];
    let mut at = 0;
    while at < order.len() {
        let children = &body.groups[order[at]];
        if children.is_empty() {
            return Err((None, "a group is empty"));
        }
        for &child in children {
            let index = usize::try_from(child.unsigned_abs()).unwrap_or(usize::MAX);
            let seen = if child < 0 { groups.get_mut(index) } else { pieces.get_mut(index) };
            match seen {
                None => return Err((None, "a group has a child that there is not")),
                Some(true) => return Err((None, "a piece or a group has two places")),
                Some(seen) => *seen = true,
            }
            if child < 0 {
                order.push(index);
            }
        }
        at += 1;
    }
    if let Some(piece) = pieces.iter().position(|seen| !seen) {
        return Err((Some(piece), "it is in no group"));
    }
    if groups.contains(&false) {
        return Err((None, "a group has no place"));
    }
    Ok(order)
}

fn check_patch(patch: &Patch) -> Result<(), &'static str> {
    if patch.degree.len() > 2 || patch.degree.iter().any(|n| !(1..=MAX_DEGREE).contains(n)) {
        return Err("a degree is 0 or too large, or there are too many");
    }
    if patch.points.len() != patch.degree.iter().map(|n| n + 1).product::<usize>() {
        return Err("the number of points does not go with the degree");
    }
    if !patch.points.as_flattened().iter().all(|x| x.is_finite()) {
        return Err("a coordinate is not finite");
    }
    if !patch.points.iter().all(|point| point[3] > 0.0) {
        return Err("a weight is not positive");
    }
    match &patch.trim {
        Some(_) if patch.degree.len() < 2 => Err("only faces have trims"),
        Some(parts) => crate::trim::fault(parts).map_or(Ok(()), Err),
        None => Ok(()),
    }
}

fn check_level(level: &Level) -> Result<(), &'static str> {
    if level.terms.iter().any(|&(_, i, j, k)| i.max(j).max(k) > MAX_POWER) {
        return Err("a power is too large");
    }
    let finite = level.within.as_flattened().iter().chain(level.terms.iter().map(|term| &term.0));
    if !finite.into_iter().all(|x| x.is_finite()) {
        return Err("a number is not finite");
    }
    let [low, high] = level.within;
    if (0..3).all(|k| low[k] < high[k]) { Ok(()) } else { Err("the box is empty") }
}

fn moved(half: &HalfSpace, placement: Option<&Placement>) -> Result<(Vector, Interval), &'static str> {
    let (normal, offset) = (vector(half.normal), Interval::point(half.offset));
    if half.normal.iter().all(|&x| x == 0.0) {
        return Err("the normal has no length");
    }
    let Some(Placement { rotation: [x, y, z], translation }) = placement else {
        return Ok((normal, offset));
    };
    let cofactors = [cross(y, z), cross(z, x), cross(x, y)];
    let determinant = dot(x, &cofactors[0]);
    if !determinant.is_positive() {
        return Err("the pose turns a half-space inside out");
    }
    let normal = cofactors.map(|row| dot(&row, &normal));
    Ok((normal, offset * determinant + dot(&normal, translation)))
}
