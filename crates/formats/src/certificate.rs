//! The proof that a search found, as the file that [`clearance_certificate`] checks.
//!
//! Source: the tree of the search, and the control points that it worked on.
//! Differs: the boundary of a trimmed face is written as parts with rectangles around them, halved until none meets a cell
//! that the proof says is outside.
//! Ends because: loops run over pieces and steps; parts are halved a bounded number of times.
//! Cost: proportional to the file.
//! Not promised: that the checker's own rounding accepts a bound to the last digits; a little is taken off it.

use clearance_certificate::{
    Axis, BodyDescription, Certificate, Patch, Piece as FilePiece, Pose as FilePose, Shape, Side, Step,
    TrimPart, VERSION, Witness,
};
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::tiled::Face;
use clearance_geometry::tolerance::CONTACT_REL;
use clearance_geometry::{Below, Body, DVec2, Feature, LeafShape, Pose};
use clearance_proximity::global::{Nearest, Prepared, ProofStep};

/// The certificate of an answer with a proof; `None` where it has none.
pub fn certificate(
    [a, b]: [&Prepared; 2],
    names: [&str; 2],
    pose_ab: &Pose,
    answer: &Nearest,
) -> Option<Certificate> {
    let steps = answer.proof.as_ref()?;
    let outside = outside_cells([a.tree(), b.tree()], steps);
    let body = |prepared: &Prepared, name: &str, outside: &[Vec<[DVec2; 2]>]| BodyDescription {
        name: Some(name.to_owned()),
        pieces: pieces(prepared, outside),
        groups: groups(prepared.tree()),
    };
    let witness = |prepared: &Prepared, (piece, local): (u32, DVec2)| Witness {
        piece: piece as usize,
        at: local.to_array()[..prepared.tree().leaves()[piece as usize].dimension].to_vec(),
    };
    let [at_a, at_b] = answer.proximity.witnesses.map(|witness| witness.point);
    let reach = [a, b].iter().map(|it| it.radius()).sum::<f64>() + at_a.abs().max(at_b.abs()).max_element();
    let distance = at_a.distance(at_b);
    let lower_bound = (answer.lower - CONTACT_REL * reach).max(0.0);
    let rows = pose_ab.rotation().transpose();
    let mut file = Certificate {
        certificate: VERSION,
        units: None,
        bodies: [body(a, names[0], &outside[0]), body(b, names[1], &outside[1])],
        pose: FilePose {
            rotation: [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| row.to_array()),
            translation: pose_ab.translation().to_array(),
        },
        distance,
        lower_bound,
        witnesses: [witness(a, answer.places[0]), witness(b, answer.places[1])],
        proof: if lower_bound > 0.0 { proof([a.tree(), b.tree()], steps) } else { Vec::new() },
        digest: String::new(),
    };
    file.seal();
    Some(file)
}

const SIDES: [Side; 2] = [Side::A, Side::B];

fn proof(trees: [&PieceTree; 2], steps: &[ProofStep]) -> Vec<Step> {
    // A body of one piece has a root of its own in the file.
    let single = |side: usize| matches!(trees[side].root().below, Below::Leaf(_));
    let roots = (0..2).filter(|&side| single(side)).map(|side| Step::Split { side: SIDES[side], axis: None });
    let mut walk = Walk::new(trees);
    let mut all: Vec<Step> = roots.collect();
    for step in steps {
        let dimensions = walk.dimensions();
        walk.step(step);
        all.push(match *step {
            ProofStep::Open { side } => Step::Split { side: SIDES[side], axis: None },
            ProofStep::Halve { side, axis } => {
                Step::Split { side: SIDES[side], axis: Some([Axis::U, Axis::V][axis]) }
            }
            ProofStep::Slab { normal } => Step::Slab { direction: normal },
            ProofStep::Slope { side, weights: [alpha, beta] } => {
                Step::Free { side: SIDES[side], alpha, beta: (dimensions[side] == 2).then_some(beta) }
            }
            ProofStep::Outside { side } => Step::Outside { side: SIDES[side] },
            ProofStep::Empty { side } => Step::Empty { side: SIDES[side] },
        });
    }
    all
}

/// The cells that a proof says are outside their faces, for each piece of both bodies.
fn outside_cells(trees: [&PieceTree; 2], steps: &[ProofStep]) -> [Vec<Vec<[DVec2; 2]>>; 2] {
    let mut found = trees.map(|tree| vec![Vec::new(); tree.leaves().len()]);
    let mut walk = Walk::new(trees);
    for step in steps {
        if let (ProofStep::Outside { side }, Some(pair)) = (step, walk.waiting.last())
            && let Place::Cell { piece, low, high } = pair[*side]
        {
            found[*side][piece as usize].push([low, high]);
        }
        walk.step(step);
    }
    found
}

/// Where a step of a proof is.
#[derive(Clone, Copy)]
enum Place {
    Node(u32),
    Cell { piece: u32, low: DVec2, high: DVec2 },
}

/// A walk through the steps of a proof.
struct Walk<'a> {
    trees: [&'a PieceTree; 2],
    waiting: Vec<[Place; 2]>,
}

impl<'a> Walk<'a> {
    fn new(trees: [&'a PieceTree; 2]) -> Self {
        let mut walk = Self { trees, waiting: Vec::new() };
        walk.waiting.push([walk.entered(0, 0), walk.entered(1, 0)]);
        walk
    }

    /// A node, or the whole cell of a piece where the node is one.
    fn entered(&self, side: usize, node: u32) -> Place {
        match self.trees[side].nodes()[node as usize].below {
            Below::Nodes(_) => Place::Node(node),
            Below::Leaf(piece) => Place::Cell { piece, low: DVec2::ZERO, high: DVec2::ONE },
        }
    }

    /// Dimensions of the cells whose turn it is; 3 for a node.
    fn dimensions(&self) -> [usize; 2] {
        let pair = self.waiting.last();
        [0, 1].map(|side| match pair.map(|pair| pair[side]) {
            Some(Place::Cell { piece, .. }) => self.trees[side].leaves()[piece as usize].dimension,
            _ => 3,
        })
    }

    fn step(&mut self, step: &ProofStep) {
        let Some(pair) = self.waiting.pop() else { return };
        let halves = match (*step, pair) {
            (ProofStep::Open { side }, pair) => {
                let Place::Node(node) = pair[side] else { return };
                let Below::Nodes(below) = self.trees[side].nodes()[node as usize].below else { return };
                (side, below.map(|child| self.entered(side, child)))
            }
            (ProofStep::Halve { side, axis }, pair) => {
                let Place::Cell { piece, low, high } = pair[side] else { return };
                let (mut upto, mut from) = (high, low);
                upto[axis] = 0.5 * (low[axis] + high[axis]);
                from[axis] = upto[axis];
                (side, [Place::Cell { piece, low, high: upto }, Place::Cell { piece, low: from, high }])
            }
            _ => return,
        };
        let (side, [first, second]) = halves;
        for place in [second, first] {
            let mut next = pair;
            next[side] = place;
            self.waiting.push(next);
        }
    }
}

/// Inner nodes as groups, the root first.
fn groups(tree: &PieceTree) -> Vec<Vec<i64>> {
    let mut numbers = vec![0_i64; tree.nodes().len()];
    let mut count = 0;
    for (at, node) in tree.nodes().iter().enumerate() {
        if matches!(node.below, Below::Nodes(_)) {
            numbers[at] = count;
            count += 1;
        }
    }
    if let Below::Leaf(piece) = tree.root().below {
        return vec![vec![i64::from(piece)]];
    }
    let child = |at: u32| match tree.nodes()[at as usize].below {
        Below::Leaf(piece) => i64::from(piece),
        Below::Nodes(_) => -numbers[at as usize],
    };
    let group = |below: Below| match below {
        Below::Nodes(pair) => Some(pair.map(child).to_vec()),
        Below::Leaf(_) => None,
    };
    tree.nodes().iter().filter_map(|node| group(node.below)).collect()
}

fn pieces(prepared: &Prepared, outside: &[Vec<[DVec2; 2]>]) -> Vec<FilePiece> {
    let one = |(piece, outside): (&Piece, &Vec<[DVec2; 2]>)| FilePiece {
        feature: named(prepared.body(), piece),
        slack: piece.slack + piece.gap,
        shape: Shape::Patch(Patch {
            degree: piece.degrees[..piece.dimension].to_vec(),
            points: piece.net.iter().map(|p| p.to_array()).collect(),
            trim: piece.trimmed.then(|| trim(prepared.body(), piece, outside)).flatten(),
        }),
    };
    prepared.tree().leaves().iter().zip(outside).map(one).collect()
}

/// The boundary of the face in the parameters of one of its pieces.
fn trim(body: &Body, piece: &Piece, outside: &[[DVec2; 2]]) -> Option<Vec<TrimPart>> {
    let face = face_of(body, piece)?;
    let clear: Vec<_> = outside.iter().map(|[low, high]| piece.span.part(*low, *high)).collect();
    let within = |p: DVec2| p.clamp(DVec2::splat(-0.5), DVec2::splat(1.5));
    let clamped = |p: DVec2| within(piece.span.local(p));
    let part = |([from, to], rect): ([DVec2; 2], clearance_geometry::curve::Rect)| {
        let low = within(clamped(DVec2::new(rect.u.low, rect.v.low)) - DVec2::splat(LOCAL_ROUNDING));
        let high = within(clamped(DVec2::new(rect.u.high, rect.v.high)) + DVec2::splat(LOCAL_ROUNDING));
        let (from, to) = (clamped(from), clamped(to));
        TrimPart {
            from: from.to_array(),
            to: to.to_array(),
            low: low.min(from).min(to).to_array(),
            high: high.max(from).max(to).to_array(),
        }
    };
    let over = |part: &TrimPart| part.high[0] >= 0.0 && part.low[0] <= 1.0;
    Some(face.region.boundary(&clear).into_iter().map(part).filter(over).collect())
}

/// What mapping parameters to a piece's own, from 0 to 1, may lose.
const LOCAL_ROUNDING: f64 = 64.0 * f64::EPSILON;

fn face_of<'a>(body: &'a Body, piece: &Piece) -> Option<&'a Face> {
    let Feature::Face(face) = piece.feature else { return None };
    match body.whole() {
        Body::Tiled(body) => Some(body.face(face)),
        Body::Deforming(body) => Some(body.shape().face(face)),
        Body::Union(parts) => match &parts.leaves()[piece.leaf as usize].shape {
            LeafShape::Tiled(body) => Some(body.face(face)),
            LeafShape::Polytope(_) => None,
        },
        _ => None,
    }
}

/// The feature, with the path of its part before it in a union.
fn named(body: &Body, piece: &Piece) -> String {
    match body.whole() {
        Body::Union(parts) => {
            let path: Vec<String> =
                parts.leaves()[piece.leaf as usize].path.iter().map(ToString::to_string).collect();
            format!("{}/{}", path.join("/"), piece.feature)
        }
        Body::Polytope(polytope) => polytope.label(piece.feature).to_string(),
        _ => piece.feature.to_string(),
    }
}
