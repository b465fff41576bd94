//! The proof that a search found, as the file that [`clearance_certificate`] checks.
//!
//! Source: the tree of the search, step by step in the words of the file.
//! Differs: an algebraic surface is one piece, cut across its coordinates; a half-space is one piece that is never cut.
//! Ends because: loops run over pieces and steps.
//! Cost: proportional to the file.
//! Not promised: that the checker's own rounding accepts a bound to the last digits; a little is taken off it. Nor a
//! certificate where a witness is a singular point of an algebraic surface, or on a wall of its box that it does not cross:
//! a checker sees no change of sign there.

use crate::certificate_pieces::{Clear, curves, groups, on_face, pieces};
use clearance_certificate::{
    Axis, BodyDescription, Certificate, HalfSpace, Level, Piece, Pose as FilePose, Shape, Side, Step,
    VERSION, Witness,
};
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::pieces::PieceTree;
use clearance_geometry::tolerance::CONTACT_REL;
use clearance_geometry::{Below, DVec2, DVec3, HalfSpace as GeometryHalfSpace, Plane, Pose};
use clearance_proximity::global::{Nearest, Prepared, ProofStep, Ready};
use clearance_proximity::planar::PlanarPrepared;

/// A body as the file has it.
#[derive(Clone, Copy)]
enum Described<'a> {
    Pieces(&'a Prepared),
    Outline(&'a PlanarPrepared),
    Level(&'a AlgebraicSurface),
    HalfSpace(&'a GeometryHalfSpace),
}

impl<'a> Described<'a> {
    /// Its pieces, where it is made of some.
    const fn tree(self) -> Option<&'a PieceTree> {
        match self {
            Self::Pieces(body) => Some(body.tree()),
            Self::Outline(body) => Some(body.tree()),
            Self::Level(_) | Self::HalfSpace(_) => None,
        }
    }
}

impl<'a> From<&'a Ready> for Described<'a> {
    fn from(body: &'a Ready) -> Self {
        match body {
            Ready::Pieces(body) => Self::Pieces(body),
            Ready::Level(_, surface) => Self::Level(surface),
            Ready::HalfSpace(_, half) => Self::HalfSpace(half),
        }
    }
}

/// The certificate of an answer with a proof, between bodies made of pieces; `None` where it has none.
pub fn certificate(
    bodies: [&Prepared; 2],
    names: [&str; 2],
    pose_ab: &Pose,
    answer: &Nearest,
) -> Option<Certificate> {
    file(bodies.map(Described::Pieces), names, pose_ab, answer)
}

/// The certificate of an answer with a proof, between bodies of any kind; `None` where it has none.
pub fn certificate_of(
    bodies: [&Ready; 2],
    names: [&str; 2],
    pose_ab: &Pose,
    answer: &Nearest,
) -> Option<Certificate> {
    file(bodies.map(Described::from), names, pose_ab, answer)
}

/// The certificate of an answer of [`clearance_proximity::planar::proven_nearest`], at the pose in space that came with it:
/// outlines are curves and corners in the plane z = 0.
pub fn planar_certificate(
    bodies: [&PlanarPrepared; 2],
    names: [&str; 2],
    pose_ab: &Pose,
    answer: &Nearest,
) -> Option<Certificate> {
    file(bodies.map(Described::Outline), names, pose_ab, answer)
}

fn file(
    bodies: [Described<'_>; 2],
    names: [&str; 2],
    pose_ab: &Pose,
    answer: &Nearest,
) -> Option<Certificate> {
    let mut walk = Walk::new(bodies);
    let steps: Vec<Step> = answer.proof.as_ref()?.iter().map(|step| walk.step(step)).collect();
    let single = |side: usize| match bodies[side] {
        Described::HalfSpace(_) => false,
        body => body.tree().is_none_or(|tree| matches!(tree.root().below, Below::Leaf(_))),
    };
    let roots = (0..2).filter(|&side| single(side)).map(|side| Step::Split { side: SIDES[side], axis: None });
    let points = answer.proximity.witnesses.map(|witness| witness.point);
    let own = [points[0], pose_ab.apply_inverse(points[1])];
    let sizes = [0, 1].map(|side| size_of(bodies[side]));
    let reach = sizes[0] + sizes[1] + points[0].abs().max(points[1].abs()).max_element();
    walk.note_witnesses(answer.places);
    let described = [0, 1].map(|side| described(bodies[side], names[side], &walk.clear[side]));
    let places = [0, 1].map(|side| on_boundary(bodies[side], &described[side], answer.places[side]));
    let points = [0, 1].map(|side| match (places[side] == answer.places[side], bodies[side].tree()) {
        (false, Some(tree)) => {
            let own = tree.leaves()[places[side].0 as usize].point(places[side].1);
            if side == 0 { own } else { pose_ab.apply(own) }
        }
        _ => points[side],
    });
    let distance = if answer.proximity.state.overlaps() { 0.0 } else { points[0].distance(points[1]) };
    let lower_bound = (answer.lower - CONTACT_REL * reach).min(distance).max(0.0);
    let rows = pose_ab.rotation().transpose();
    let mut file = Certificate {
        certificate: VERSION,
        units: None,
        bodies: described,
        pose: FilePose {
            rotation: [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| row.to_array()),
            translation: pose_ab.translation().to_array(),
        },
        distance,
        lower_bound,
        witnesses: [0, 1].map(|side| placed(bodies[side], places[side], own[side])),
        // A bound of nothing needs no proof.
        proof: if lower_bound > 0.0 { roots.chain(steps).collect() } else { Vec::new() },
        digest: String::new(),
    };
    file.seal();
    Some(file)
}

const SIDES: [Side; 2] = [Side::A, Side::B];

fn size_of(body: Described<'_>) -> f64 {
    match body {
        Described::Pieces(_) | Described::Outline(_) => {
            body.tree().map_or(0.0, |tree| tree.root().bound.half.length())
        }
        Described::Level(surface) => {
            let ends = surface.within().low.into_iter().chain(surface.within().high);
            ends.fold(0.0, |most, end| f64::max(most, end.abs()))
        }
        Described::HalfSpace(half) => half.plane().offset.abs(),
    }
}

fn described(body: Described<'_>, name: &str, clear: &[Clear]) -> BodyDescription {
    let single = |shape: Shape| {
        let piece = Piece { feature: "face:0".to_owned(), slack: 0.0, shape };
        (vec![piece], vec![vec![0]])
    };
    let (pieces, groups) = match body {
        Described::Pieces(body) => (pieces(body, clear), groups(body.tree())),
        Described::Outline(body) => (curves(body), groups(body.tree())),
        Described::Level(surface) => single(Shape::Level(level(surface))),
        Described::HalfSpace(half) => {
            let Plane { normal, offset } = half.plane();
            single(Shape::HalfSpace(HalfSpace { normal: normal.to_array(), offset }))
        }
    };
    BodyDescription { name: Some(name.to_owned()), pieces, groups }
}

fn level(surface: &AlgebraicSurface) -> Level {
    let term = |&(powers, factor): &([u8; 3], f64)| {
        let [i, j, k] = powers.map(usize::from);
        (factor, i, j, k)
    };
    let within = surface.within();
    Level {
        terms: surface.polynomial().terms().iter().map(term).collect(),
        within: [within.low, within.high],
    }
}

/// A witness, moved onto the boundary of its face if it is beside it by rounding.
fn on_boundary(
    body: Described<'_>,
    described: &BodyDescription,
    (piece, local): (u32, DVec2),
) -> (u32, DVec2) {
    let Described::Pieces(prepared) = body else { return (piece, local) };
    let (leaf, file) = (&prepared.tree().leaves()[piece as usize], &described.pieces[piece as usize]);
    (piece, on_face(prepared.body(), leaf, file, local))
}

fn placed(body: Described<'_>, (piece, local): (u32, DVec2), own: DVec3) -> Witness {
    let (piece, at) = match body {
        Described::Pieces(_) | Described::Outline(_) => {
            let dimension = body.tree().map_or(0, |tree| tree.leaves()[piece as usize].dimension);
            (piece as usize, local.to_array()[..dimension].to_vec())
        }
        // The pose may have rounded it out of the box.
        Described::Level(surface) => {
            let [low, high] = [surface.within().low, surface.within().high].map(DVec3::from_array);
            (0, own.clamp(low, high).to_array().to_vec())
        }
        Described::HalfSpace(_) => (0, Vec::new()),
    };
    Witness { piece, at }
}

/// Where a step of a proof is on one side.
#[derive(Clone, Copy)]
enum Place {
    Node(u32),
    Cell {
        piece: u32,
        low: DVec2,
        high: DVec2,
    },
    /// A box of an algebraic surface, or a half-space.
    Other,
}

/// A walk through the steps of a proof, with the cells that it says are outside their faces.
struct Walk<'a> {
    bodies: [Described<'a>; 2],
    waiting: Vec<[Place; 2]>,
    clear: [Vec<Clear>; 2],
}

impl<'a> Walk<'a> {
    fn new(bodies: [Described<'a>; 2]) -> Self {
        let count = |body: Described<'_>| body.tree().map_or(0, |tree| tree.leaves().len());
        let clear = bodies.map(|body| vec![Clear::default(); count(body)]);
        let mut walk = Self { bodies, waiting: Vec::new(), clear };
        walk.waiting.push([walk.entered(0, 0), walk.entered(1, 0)]);
        walk
    }

    /// The boundary of a witness's face is told from it.
    fn note_witnesses(&mut self, places: [(u32, DVec2); 2]) {
        for (clear, (piece, local)) in self.clear.iter_mut().zip(places) {
            if let Some(clear) = clear.get_mut(piece as usize) {
                clear.witness = Some(local);
            }
        }
    }

    fn entered(&self, side: usize, node: u32) -> Place {
        let Some(tree) = self.bodies[side].tree() else { return Place::Other };
        match tree.nodes()[node as usize].below {
            Below::Nodes(_) => Place::Node(node),
            Below::Leaf(piece) => Place::Cell { piece, low: DVec2::ZERO, high: DVec2::ONE },
        }
    }

    /// The step in the file's words.
    fn step(&mut self, step: &ProofStep) -> Step {
        let pair = self.waiting.pop().unwrap_or([Place::Other; 2]);
        match *step {
            ProofStep::Open { side } => {
                if let (Place::Node(node), Some(tree)) = (pair[side], self.bodies[side].tree())
                    && let Below::Nodes(below) = tree.nodes()[node as usize].below
                {
                    self.divide(pair, side, below.map(|child| self.entered(side, child)));
                }
                Step::Split { side: SIDES[side], axis: None }
            }
            ProofStep::Halve { side, axis } => {
                let (halves, axis) = match pair[side] {
                    Place::Cell { piece, low, high } => {
                        let (mut upto, mut from) = (high, low);
                        let axis = axis.min(1);
                        upto[axis] = 0.5 * (low[axis] + high[axis]);
                        from[axis] = upto[axis];
                        let halves =
                            [Place::Cell { piece, low, high: upto }, Place::Cell { piece, low: from, high }];
                        (halves, [Axis::U, Axis::V][axis])
                    }
                    other => ([other; 2], [Axis::X, Axis::Y, Axis::Z][axis.min(2)]),
                };
                self.divide(pair, side, halves);
                Step::Split { side: SIDES[side], axis: Some(axis) }
            }
            ProofStep::Slab { normal } => Step::Slab { direction: normal },
            ProofStep::Slope { side, weights: [alpha, beta] } => {
                Step::Free { side: SIDES[side], alpha, beta: self.is_face(side, pair[side]).then_some(beta) }
            }
            ProofStep::Outside { side } => {
                if let Place::Cell { piece, low, high } = pair[side] {
                    self.clear[side][piece as usize].outside.push([low, high]);
                }
                Step::Outside { side: SIDES[side] }
            }
            ProofStep::Empty { side } => Step::Empty { side: SIDES[side] },
        }
    }

    fn is_face(&self, side: usize, place: Place) -> bool {
        match (self.bodies[side].tree(), place) {
            (Some(tree), Place::Cell { piece, .. }) => tree.leaves()[piece as usize].dimension == 2,
            _ => false,
        }
    }

    fn divide(&mut self, pair: [Place; 2], side: usize, [first, second]: [Place; 2]) {
        for place in [second, first] {
            let mut next = pair;
            next[side] = place;
            self.waiting.push(next);
        }
    }
}
