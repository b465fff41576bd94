//! Any body made ready for searches, and the search that goes with each pair of them.
//!
//! Source: the searches of this folder; a half-space is answered by the lowest point of the other body over its plane.
//! Differs: a boundary plane has two sides, and the shorter way out counts; a body is inside a half-space where its highest
//! point is below the plane too.
//! Ends because: at most two searches, each of which ends.
//! Cost: that of a search; against a half-space a second one where the body reaches into it.
//! Not promised: an answer for two half-spaces.

use super::answer::{Nearest, Prepared, nearest_with, normal_of, with_witnesses};
use super::extreme::{Extreme, Level, lowest};
use super::flank::Flank;
use super::found::{Demand, Found, NearPair};
use super::level::{LevelMemory, LevelSide};
use super::level_search::search_flanks;
use super::search::SearchMemory;
use super::side::Side;
use crate::tolerance::HEIGHT_ERROR_REL;
use crate::{Certificate, Ended, Proximity, QueryError, State, Witness};
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::pieces::PiecesError;
use clearance_geometry::{Body, DVec2, DVec3, FaceId, Feature, HalfSpace, Pose};
use std::sync::Arc;

/// A body of any kind made ready for searches.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, algebraic::AlgebraicSurface, bound::Aabb, tiled::TiledBody};
/// use clearance_proximity::global::{Ready, ReadyMemory, nearest_of};
/// let within = Aabb { low: [-2.0; 3], high: [2.0; 3] };
/// let sphere = AlgebraicSurface::new("x^2 + y^2 + z^2 - 1".parse()?, within)?;
/// let (sphere, ring) = (Ready::new(&sphere.into())?, Ready::new(&TiledBody::torus(2.0, 0.5)?.into())?);
/// let beside = Pose::from_translation(DVec3::X * 6.0)?;
/// let demand = sphere.demand(&ring, &beside);
/// let found = nearest_of([&sphere, &ring], &beside, &demand, &mut ReadyMemory::default())?;
/// assert!((found.proximity.distance - 2.5).abs() < 1e-9 && found.lower > 2.5 - 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Ready {
    /// A body made of pieces.
    Pieces(Prepared),
    /// An algebraic surface; it is cut into boxes by the searches themselves.
    Level(Body, Arc<AlgebraicSurface>),
    /// A half-space, or its plane alone.
    HalfSpace(Body, HalfSpace),
}

impl Ready {
    /// Makes a body ready.
    ///
    /// # Errors
    /// For surfaces swept by a helix.
    pub fn new(body: &Body) -> Result<Self, PiecesError> {
        Ok(match body.whole() {
            Body::Algebraic(surface) => Self::Level(body.clone(), Arc::clone(surface)),
            Body::HalfSpace(half) => Self::HalfSpace(body.clone(), *half),
            _ => Self::Pieces(Prepared::new(body)?),
        })
    }

    /// The body.
    pub const fn body(&self) -> &Body {
        match self {
            Self::Pieces(prepared) => prepared.body(),
            Self::Level(body, _) | Self::HalfSpace(body, _) => body,
        }
    }

    /// The pieces of a body made of some.
    pub(crate) const fn pieces(&self) -> Option<&Prepared> {
        match self {
            Self::Pieces(prepared) => Some(prepared),
            Self::Level(..) | Self::HalfSpace(..) => None,
        }
    }

    /// Middle and half the diagonal of a box around it; of a half-space, a point of its plane and 0.
    fn extent(&self) -> (DVec3, f64) {
        match self {
            Self::Pieces(prepared) => prepared.extent(),
            Self::Level(_, surface) => {
                let within = surface.within();
                (DVec3::from_array(within.center()), within.half_extents().length())
            }
            Self::HalfSpace(_, half) => (half.plane().normal * half.plane().offset, 0.0),
        }
    }

    /// What is asked of a search unless something else is: an error of
    /// [`CERTIFIED_REL`](crate::tolerance::CERTIFIED_REL) of the size of both bodies.
    pub fn demand(&self, other: &Self, pose_ab: &Pose) -> Demand {
        let (center, radius) = other.extent();
        Demand::usual([self.extent(), (pose_ab.apply(center), radius)])
    }
}

/// Memory of searches between any two bodies, kept for the next.
#[derive(Clone, Debug, Default)]
pub struct ReadyMemory {
    search: SearchMemory,
    levels: [LevelMemory; 2],
}

impl ReadyMemory {
    /// That of searches between pieces.
    pub(crate) const fn of_pieces(&mut self) -> &mut SearchMemory {
        &mut self.search
    }
}

/// The nearest points of the boundaries of A and of B at `pose_ab`. Against a half-space, the signed distance: minus the
/// depth of the deepest point where the body reaches into it.
///
/// The place of a witness on an algebraic surface is its point alone.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] for two half-spaces.
pub fn nearest_of(
    bodies: [&Ready; 2],
    pose_ab: &Pose,
    demand: &Demand,
    memory: &mut ReadyMemory,
) -> Result<Nearest, QueryError> {
    let ReadyMemory { search, levels: [level_a, level_b] } = memory;
    let still = Pose::IDENTITY;
    Ok(match bodies {
        [Ready::HalfSpace(a, _), Ready::HalfSpace(b, _)] => {
            return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
        }
        [Ready::HalfSpace(body, half), Ready::Pieces(b)] => {
            let mut flank = Side::new(b.body(), b.tree(), *pose_ab, &mut search.sides[1]);
            over_plane(&mut flank, body, Level::of(half, &still), 1, demand)
        }
        [Ready::HalfSpace(body, half), Ready::Level(_, b)] => {
            over_plane(&mut LevelSide::new(b, *pose_ab, level_b), body, Level::of(half, &still), 1, demand)
        }
        [Ready::Pieces(a), Ready::HalfSpace(body, half)] => {
            let mut flank = Side::new(a.body(), a.tree(), still, &mut search.sides[0]);
            over_plane(&mut flank, body, Level::of(half, pose_ab), 0, demand)
        }
        [Ready::Level(_, a), Ready::HalfSpace(body, half)] => {
            over_plane(&mut LevelSide::new(a, still, level_a), body, Level::of(half, pose_ab), 0, demand)
        }
        [Ready::Level(_, a), Ready::Pieces(b)] => {
            let mut flank = Side::new(b.body(), b.tree(), *pose_ab, &mut search.sides[1]);
            between(&mut LevelSide::new(a, still, level_a), &mut flank, demand)
        }
        [Ready::Pieces(a), Ready::Level(_, b)] => {
            let mut flank = Side::new(a.body(), a.tree(), still, &mut search.sides[0]);
            between(&mut flank, &mut LevelSide::new(b, *pose_ab, level_b), demand)
        }
        [Ready::Level(_, a), Ready::Level(_, b)] => {
            between(&mut LevelSide::new(a, still, level_a), &mut LevelSide::new(b, *pose_ab, level_b), demand)
        }
        [Ready::Pieces(a), Ready::Pieces(b)] => nearest_with(a, b, pose_ab, demand, search),
    })
}

impl Level {
    /// The plane of a half-space that stands at a pose.
    fn of(half: &HalfSpace, pose: &Pose) -> Self {
        let plane = half.plane();
        let normal = pose.rotate(plane.normal);
        let shift = normal.dot(pose.translation());
        let far = pose.translation().abs().max_element() + plane.offset.abs();
        Self { normal, offset: plane.offset + shift, slack: HEIGHT_ERROR_REL * far }
    }

    /// Seen from the other side.
    fn flipped(self) -> Self {
        Self { normal: -self.normal, offset: -self.offset, ..self }
    }
}

/// How a search ended that found `upper`; `spent` says whether its budget or the time was.
fn ended(proven: bool, spent: bool, certificate: Certificate, upper: f64) -> Ended {
    if proven {
        Ended::Certified(certificate)
    } else if spent {
        Ended::Limit
    } else {
        // Only rounding ends a search early: around singular points a polynomial cannot be told from zero.
        Ended::Stalled { residual: upper - certificate.lower }
    }
}

/// The answer of a search between two bodies, one of them an algebraic surface.
fn between<A: Flank, B: Flank>(a: &mut A, b: &mut B, demand: &Demand) -> Nearest {
    let Found { nearest, lower, ties, proven, spent, work, proof } = search_flanks(a, b, *demand);
    // A search that found nothing says so by its bounds: any two points stand for the witnesses.
    let best = nearest.unwrap_or_else(|| {
        let middle = |parts: Vec<super::side::Part>, flank: &dyn Fn(super::side::Part) -> DVec3| {
            parts.first().map_or(DVec3::ZERO, |part| flank(*part))
        };
        let points = [middle(a.roots(false), &|p| a.middle(p)), middle(b.roots(false), &|p| b.middle(p))];
        NearPair { distance: points[0].distance(points[1]), points, pieces: [0; 2], local: [DVec2::ZERO; 2] }
    });
    let answer = |pair: &NearPair| {
        let certificate = Certificate { lower, normal: normal_of(pair) };
        let ended = ended(proven, spent, certificate, pair.distance);
        let witnesses = [
            a.witness((pair.pieces[0], pair.local[0]), pair.points[0]),
            b.witness((pair.pieces[1], pair.local[1]), pair.points[1]),
        ];
        Proximity { work: work.into(), ..with_witnesses(pair, witnesses, demand.contact, ended) }
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

/// The answer of a half-space, or of its plane alone, against a bounded body.
fn over_plane<F: Flank>(flank: &mut F, body: &Body, plane: Level, side: usize, demand: &Demand) -> Nearest {
    let found = lowest(flank, plane, side, f64::NEG_INFINITY, *demand);
    let height = |found: &Extreme| found.lowest.map_or(f64::INFINITY, |low| low.height);
    if matches!(body, Body::Boundary(_)) && height(&found) < 0.0 {
        // The plane alone has two sides: the way out is the shorter one.
        let other = lowest(flank, plane.flipped(), side, f64::NEG_INFINITY, *demand);
        let (found, plane) =
            if height(&other) > height(&found) { (other, plane.flipped()) } else { (found, plane) };
        return on_plane(flank, plane, side, demand, &found, false);
    }
    let inside = height(&found) < -demand.contact && {
        let ask = Demand { max_error: demand.contact.max(demand.max_error), proof: None, ..*demand };
        let highest = lowest(flank, plane.flipped(), side, -demand.contact, ask);
        highest.proven && height(&highest) >= -demand.contact
    };
    on_plane(flank, plane, side, demand, &found, inside)
}

fn on_plane<F: Flank>(
    flank: &F,
    plane: Level,
    side: usize,
    demand: &Demand,
    found: &Extreme,
    inside: bool,
) -> Nearest {
    let point = found.lowest.map_or(DVec3::ZERO, |low| low.point);
    let place = found.lowest.map_or((0, DVec2::ZERO), |low| low.place);
    let height = found.lowest.map_or(0.0, |low| low.height);
    let state = if height > demand.contact {
        State::Separated
    } else if height >= -demand.contact {
        State::Touching
    } else if inside {
        if side == 1 { State::BInsideA } else { State::AInsideB }
    } else {
        State::Penetrating
    };
    let signed_distance = if state == State::Touching { 0.0 } else { height };
    let own = flank.witness(place, point);
    let foot = Witness::flat(point - plane.normal * signed_distance, Feature::Face(FaceId(0)));
    // From A to B: out of the half-space when it is A.
    let normal = if side == 1 { plane.normal } else { -plane.normal };
    let spent = found.work.pairs >= demand.max_pairs;
    let ended = ended(found.proven, spent, Certificate { lower: found.lower, normal }, height);
    let proximity = Proximity {
        state,
        distance: signed_distance.max(0.0),
        signed_distance,
        witnesses: if side == 1 { [foot, own] } else { [own, foot] },
        normal,
        ended,
        work: found.work.into(),
    };
    Nearest {
        proximity,
        lower: found.lower,
        ties: vec![proximity],
        work: found.work,
        proof: found.proof.clone(),
        places: if side == 1 { [(0, DVec2::ZERO), place] } else { [place, (0, DVec2::ZERO)] },
    }
}
