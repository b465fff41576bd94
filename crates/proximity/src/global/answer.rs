//! What a search found, as an answer to a query.

use super::found::{Demand, Found, NearPair, SearchWork};
use super::proof::ProofStep;
use super::search::{SearchMemory, search};
use crate::answer::Parameters;
use crate::tolerance::{CERTIFIED_REL, CONTACT_REL};
use crate::{Certificate, Ended, Proximity, QueryError, State, Witness, Work};
use clearance_geometry::pieces::{self, Piece, PieceMotion, PieceTree, PiecesError};
use clearance_geometry::{Body, DVec2, DVec3, Feature, Polytope, Pose};

/// Pairs of parts that a one-shot search may look at.
pub const ONE_SHOT_PAIRS: u64 = 4_000_000;

/// A body made ready for searches: its pieces in a tree. Making one takes about as long as a query of simple bodies.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::global::{Prepared, nearest};
/// let ring = Prepared::new(&Body::from(TiledBody::torus(2.0, 0.5)?))?;
/// let beside = Pose::from_translation(DVec3::X * 6.0)?;
/// let answer = nearest(&ring, &ring, &beside, &ring.demand(&ring, &beside)).proximity;
/// assert!((answer.distance - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prepared {
    body: Body,
    tree: PieceTree,
    /// Middle and half the diagonal of a box around the body, where the pieces are a part of it.
    whole: Option<(DVec3, f64)>,
}

impl Prepared {
    /// Cuts a body into pieces.
    ///
    /// # Errors
    /// For half-spaces and algebraic surfaces, and for surfaces swept by a helix.
    pub fn new(body: &Body) -> Result<Self, PiecesError> {
        Ok(Self { body: body.clone(), tree: pieces::of_body(body)?, whole: None })
    }

    /// Pieces without an area, of which a search asks nothing but themselves.
    pub(crate) fn of_curves(tree: PieceTree) -> Self {
        Self { body: Body::from(Polytope::point()), tree, whole: None }
    }

    /// What stands for a body in a search: its core, by its pieces.
    pub(crate) fn of_core(body: &Body, tree: PieceTree) -> Self {
        Self { body: body.clone(), tree, whole: None }
    }

    /// Some of a body's pieces, with middle and half the diagonal of a box around all of it.
    pub(crate) fn of_part(body: &Body, tree: PieceTree, whole: (DVec3, f64)) -> Self {
        Self { body: body.clone(), tree, whole: Some(whole) }
    }

    /// Its boundary alone, made ready by the same pieces.
    pub(crate) fn boundary(&self) -> Self {
        Self { body: self.body.boundary(), tree: self.tree.clone(), whole: self.whole }
    }

    /// Whether another body is cut into the same pieces, control points left aside, and the same of each belongs to its
    /// face: what is cut out of one is cut out of the other.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let has_same = |(own, new): (&Piece, &Piece)| {
            let [own, new] = [(own, &self.body), (new, &other.body)].map(|(piece, body)| piece.face(body));
            own.map(|face| &face.region) == new.map(|face| &face.region)
        };
        let pieces = || self.tree.leaves().iter().zip(other.tree.leaves());
        self.tree.is_alike(&other.tree) && pieces().filter(|(own, _)| own.trimmed).all(has_same)
    }

    /// Takes over another shape of the body, which [is cut into the same pieces](Prepared::is_alike); nodes of the tree and
    /// pieces keep their places. The most that a point has moved; `None`, and nothing done, where pieces differ.
    pub(crate) fn reshape(&mut self, other: &Self) -> Option<f64> {
        if !self.is_alike(other) {
            return None;
        }
        let moved = self.tree.reshape(&other.tree)?;
        self.body = other.body.clone();
        Some(moved)
    }

    /// Moves its pieces to where they are at a time; the most that a point has moved. The body stays as it is.
    pub(crate) fn set_time(&mut self, motion: &mut PieceMotion, time: f64) -> Result<f64, QueryError> {
        motion
            .set_time(&mut self.tree, time)
            .map_err(|error| QueryError::NoPieces { reason: format!("{}: {error}", self.body.kind()) })
    }

    /// Sets the body that its pieces are of.
    pub(crate) fn set_body(&mut self, body: &Body) {
        self.body = body.clone();
    }

    /// The body.
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// Its pieces.
    pub const fn tree(&self) -> &PieceTree {
        &self.tree
    }

    /// Half the diagonal of a box around it.
    pub fn radius(&self) -> f64 {
        self.extent().1
    }

    /// Middle and half the diagonal of a box around it.
    pub(crate) fn extent(&self) -> (DVec3, f64) {
        let bound = self.tree.whole();
        self.whole.unwrap_or_else(|| (bound.center, bound.half.length()))
    }

    /// What is asked of a search unless something else is: an error of [`CERTIFIED_REL`] of the size of both bodies.
    pub fn demand(&self, other: &Self, pose_ab: &Pose) -> Demand {
        let (center, radius) = other.extent();
        Demand::usual([self.extent(), (pose_ab.apply(center), radius)])
    }
}

impl Demand {
    /// What is asked unless something else is, of bodies within balls around points of the frame of A.
    pub(crate) fn usual([(center_a, radius_a), (center_b, radius_b)]: [(DVec3, f64); 2]) -> Self {
        let size = radius_a + radius_b;
        let reach = center_a.abs().max(center_b.abs()).max_element().max(size);
        Self {
            max_error: CERTIFIED_REL * size,
            contact: CONTACT_REL * reach,
            max_pairs: ONE_SHOT_PAIRS,
            proof: None,
            deadline: None,
        }
    }
}

impl From<SearchWork> for Work {
    fn from(work: SearchWork) -> Self {
        let iterations = u32::try_from(work.pairs).unwrap_or(u32::MAX);
        Self { iterations, newton: work.newton, ..Self::default() }
    }
}

/// The nearest points of two bodies, and what is proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The answer; its state takes no notice of one body being inside the other.
    pub proximity: Proximity,
    /// Proven: no two points of the boundaries are closer.
    pub lower: f64,
    /// All pairs of points as near as the nearest, within the error asked for; the nearest first.
    pub ties: Vec<Proximity>,
    /// Work done.
    pub work: SearchWork,
    /// The proof, where it was asked for.
    pub proof: Option<Vec<ProofStep>>,
    /// The pieces of the witnesses and the parameters there.
    pub places: [(u32, DVec2); 2],
}

/// The nearest points of the boundaries of A and of B at `pose_ab`.
pub fn nearest(a: &Prepared, b: &Prepared, pose_ab: &Pose, demand: &Demand) -> Nearest {
    nearest_with(a, b, pose_ab, demand, &mut SearchMemory::default())
}

/// As [`nearest`], with memory of an earlier search.
pub fn nearest_with(
    a: &Prepared,
    b: &Prepared,
    pose_ab: &Pose,
    demand: &Demand,
    memory: &mut SearchMemory,
) -> Nearest {
    let found = search([&a.body, &b.body], [&a.tree, &b.tree], pose_ab, *demand, memory);
    let Found { nearest, lower, ties, proven, spent, work, proof } = found;
    // A search that found nothing has not left its first pair: any two points will do.
    let best = nearest.unwrap_or_else(|| first_points(a, b, pose_ab));
    let answer = |pair: &NearPair| {
        let ended = if proven {
            Ended::Certified(Certificate { lower, normal: normal_of(pair) })
        } else if spent {
            Ended::Limit
        } else {
            // Rounding keeps the bounds apart.
            Ended::Stalled { residual: best.distance - lower }
        };
        Proximity { work: work.into(), ..proximity_of([&a.tree, &b.tree], pair, demand.contact, ended) }
    };
    Nearest {
        proximity: answer(&best),
        lower,
        ties: ties.iter().map(answer).collect(),
        work,
        proof,
        places: [0, 1].map(|i| (best.pieces[i], best.local[i])),
    }
}

pub(crate) fn first_points(a: &Prepared, b: &Prepared, pose_ab: &Pose) -> NearPair {
    let corner = |tree: &PieceTree| tree.leaves()[0].point(DVec2::ZERO);
    let points = [corner(&a.tree), pose_ab.apply(corner(&b.tree))];
    NearPair { distance: points[0].distance(points[1]), points, pieces: [0, 0], local: [DVec2::ZERO; 2] }
}

pub(crate) fn normal_of(pair: &NearPair) -> DVec3 {
    (pair.points[1] - pair.points[0]).normalize_or_zero()
}

/// A pair of points as an answer.
pub(crate) fn proximity_of(trees: [&PieceTree; 2], pair: &NearPair, contact: f64, ended: Ended) -> Proximity {
    let witness =
        |i: usize| witness(&trees[i].leaves()[pair.pieces[i] as usize], pair.local[i], pair.points[i]);
    with_witnesses(pair, [witness(0), witness(1)], contact, ended)
}

/// A pair of points, as witnesses, as an answer.
pub(super) fn with_witnesses(
    pair: &NearPair,
    witnesses: [Witness; 2],
    contact: f64,
    ended: Ended,
) -> Proximity {
    let touching = pair.distance <= contact;
    let distance = if touching { 0.0 } else { pair.distance };
    Proximity {
        state: if touching { State::Touching } else { State::Separated },
        distance,
        signed_distance: distance,
        witnesses,
        normal: if touching { DVec3::ZERO } else { normal_of(pair) },
        ended,
        work: Work::default(),
    }
}

/// A point of a piece as a witness.
pub(crate) fn witness(piece: &Piece, local: DVec2, point: DVec3) -> Witness {
    let at = piece.span.parameters(local);
    let parameters = match piece.feature {
        _ if piece.is_flat => Parameters::None,
        Feature::Vertex(_) => Parameters::None,
        Feature::Edge(_) => Parameters::Curve(at.x),
        Feature::Face(_) => Parameters::Surface(at),
    };
    Witness { point, feature: piece.feature, leaf: piece.leaf, parameters }
}

impl From<PiecesError> for QueryError {
    fn from(error: PiecesError) -> Self {
        match error {
            PiecesError::NoPatches { kind } => Self::UnsupportedBody { kind },
            other => Self::NoPieces { reason: other.to_string() },
        }
    }
}
