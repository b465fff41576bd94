//! Contact within a tolerance, and proven intersection, told apart.
//!
//! Source: 003 §4.2.3: surfaces touch tangentially, where their normals are parallel, or at the boundary of one of them.
//! Differs: a crossing is proven by Krawczyk's operator on a line of one surface and the other. Where none is proven, a point
//! deeper inside both bodies than the tolerance is looked for; only where there is none either they are said to touch.
//! Ends because: the searches have budgets.
//! Cost: a search for the nearest points, and next to contact one for crossings and one for a point inside.
//! Not promised: that every overlap is proven; one no deeper than the tolerance may be called touching.

use super::inner::{Inner, inner_point};
use super::inside::is_inside;
use super::intersection::{TraceDemand, trace};
use super::proof::{CrossingProof, prove_near, prove_segment};
use super::scene::{Scene, has_faces, has_inside, lost};
use crate::global::descend::Shape;
use crate::global::touch::{is_plane_between, touch};
use crate::global::{Demand, Found, NearPair, Prepared, SearchMemory, search};
use crate::tolerance::{CLASSIFY_ERROR_REL, PARALLEL_CONTACT_RAD, PLANE_BETWEEN_REL, TRACE_FLOOR_REL};
use crate::{Precision, State};
use clearance_geometry::tiled::Side;
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose};
use std::time::Instant;

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// Two faces with a common tangent plane.
    Tangential,
    /// An edge or a vertex of one of them, or the rim of an open surface.
    Boundary,
}

/// How two surfaces stand to each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Contact {
    /// Proven to be farther apart than the tolerance.
    Apart {
        /// The proven lower bound on the distance of the surfaces.
        lower: f64,
    },
    /// Closer than the tolerance and what rounding leaves open of their points, and not proven to cross.
    Touching {
        /// Tangential, or at a boundary.
        kind: ContactKind,
        /// The points.
        pair: NearPair,
        /// The features that they are on.
        features: [Feature; 2],
        /// Whether all places where they might cross were looked at; false where a budget ended before.
        settled: bool,
    },
    /// Proven to cross.
    Crossing(CrossingProof),
    /// Not proven to cross, but a point of both bodies is inside by more than the tolerance: faces lie in one surface, curves run
    /// along the rims of faces, or one body touches the other from inside.
    Overlapping {
        /// How the surfaces touch at their nearest points.
        kind: ContactKind,
        /// The point, in the frame of A.
        point: DVec3,
        /// How far the point is at least from the boundaries that it is inside; a length.
        depth: f64,
        /// [`State::Penetrating`], or which body is wholly inside the other, as far as samples tell.
        state: State,
    },
    /// Neither a point closer than the tolerance nor a bound beyond it was found within the budget, or but for rounding.
    Open {
        /// The proven lower bound.
        lower: f64,
        /// The least distance found.
        upper: f64,
        /// Whether a budget ended the search; else rounding did.
        spent: bool,
    },
}

/// Pairs that the search for crossings may look at: enough that the share of one pair of pieces lasts for rims that all run
/// in the other surface, as those of a pin in its hole do.
const MOST_PAIRS: u64 = 80_000;

/// Pairs that the search for nearest points may look at.
const MOST_NEAR_PAIRS: u64 = 1_000_000;

/// How long it may take to tell contact from a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Most pairs of parts that one search may look at.
    max_pairs: u64,
    /// When searches end with what they have.
    deadline: Option<Instant>,
}

impl Patience {
    const FULL: Self = Self { max_pairs: MOST_NEAR_PAIRS, deadline: None };

    /// As long as a query may take.
    pub(crate) fn of(precision: &Precision) -> Self {
        let max_pairs = precision.max_pairs.map_or(MOST_NEAR_PAIRS, |most| most.min(MOST_NEAR_PAIRS));
        Self { max_pairs, deadline: precision.deadline }
    }
}

/// Tells whether the surfaces of A and of B at `pose_ab` are apart, touch within `tolerance` (a length), or are proven to
/// cross. A body inside the other without contact is apart. Bodies that are surfaces alone touch or cross, and never overlap.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::contact::{Contact, ContactKind, classify};
/// use clearance_proximity::global::Prepared;
/// let ball = Prepared::new(&Body::from(TiledBody::sphere(1.0)?))?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// assert!(matches!(classify(&ball, &ball, &at(2.1)?, 1e-9), Contact::Apart { .. }));
/// assert!(matches!(classify(&ball, &ball, &at(1.9)?, 1e-9), Contact::Crossing(_)));
/// let touching = classify(&ball, &ball, &at(2.0)?, 1e-9);
/// assert!(matches!(touching, Contact::Touching { kind: ContactKind::Tangential, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn classify(a: &Prepared, b: &Prepared, pose_ab: &Pose, tolerance: f64) -> Contact {
    classify_within(a, b, pose_ab, tolerance, &Patience::FULL)
}

/// As [`classify`], within a time.
pub(crate) fn classify_within(
    a: &Prepared,
    b: &Prepared,
    pose_ab: &Pose,
    tolerance: f64,
    patience: &Patience,
) -> Contact {
    let scene = Scene::new(a, b, pose_ab);
    let found = bounded(&scene, pose_ab, tolerance, patience);
    if found.lower > tolerance {
        return Contact::Apart { lower: found.lower };
    }
    judged(&scene, pose_ab, (found.lower, found.nearest, found.spent), tolerance, patience)
}

/// As [`classify_within`], with a nearest pair that is known to be closer than the tolerance.
pub(crate) fn classify_met(
    a: &Prepared,
    b: &Prepared,
    pose_ab: &Pose,
    near: NearPair,
    tolerance: f64,
    patience: &Patience,
) -> Contact {
    judged(&Scene::new(a, b, pose_ab), pose_ab, (0.0, Some(near), false), tolerance, patience)
}

/// What surfaces do that are not known to be apart.
fn judged(
    scene: &Scene,
    pose_ab: &Pose,
    (lower, nearest, spent): (f64, Option<NearPair>, bool),
    tolerance: f64,
    patience: &Patience,
) -> Contact {
    // Points whose distance is within their own rounding cannot be told from common ones.
    let tolerance = tolerance + nearest.map_or(0.0, |near| lost(scene.bodies, &near, pose_ab));
    // Mostly the nearest points of bodies that cross are on the curve along which they do.
    if let Some(proof) = nearest.and_then(|near| prove_near(scene, &near)) {
        return Contact::Crossing(proof);
    }
    if let Some(pair) = nearest.filter(|pair| touches(scene, pose_ab, pair, tolerance)) {
        return touching(scene, pair, true);
    }
    // A loop around an overlap of this depth has this radius.
    let floor = (0.25 * (tolerance * scene.size).sqrt()).min(TRACE_FLOOR_REL * scene.size);
    let max_pairs = MOST_PAIRS.min(patience.max_pairs);
    let found =
        trace(scene, &TraceDemand { floor, max_pairs, first_only: true, deadline: patience.deadline });
    if let Some(proof) = found.proof {
        return Contact::Crossing(proof);
    }
    if !scene.bodies.iter().all(|body| has_faces(body))
        && let Some(proof) = prove_segment(scene, floor)
    {
        return Contact::Crossing(proof);
    }
    let Some(pair) = nearest.filter(|pair| pair.distance <= tolerance) else {
        let upper = nearest.map_or(f64::INFINITY, |pair| pair.distance);
        return Contact::Open { lower, upper, spent: spent || found.limited };
    };
    if scene.bodies.iter().all(|body| !body.body().is_surface_only())
        && scene.bodies.iter().any(|body| has_inside(body))
        && let Some(Inner { point, depth, state }) = inner_point(scene, pose_ab, &found, &pair, tolerance)
    {
        return Contact::Overlapping { kind: kind_of(scene, &pair), point, depth, state };
    }
    touching(scene, pair, !found.limited)
}

fn touching(scene: &Scene, pair: NearPair, settled: bool) -> Contact {
    let features = [0, 1].map(|i| scene.piece(i, pair.pieces[i]).feature);
    Contact::Touching { kind: kind_of(scene, &pair), pair, features, settled }
}

/// Whether features within the tolerance touch and a plane between them keeps the bodies apart, but for rounding: then there is
/// no overlap to be looked for.
fn touches(scene: &Scene, pose_ab: &Pose, pair: &NearPair, tolerance: f64) -> bool {
    let nets = [0, 1].map(|i| scene.net(i, pair.pieces[i]));
    let [p, q] = pair.local;
    let dimensions = nets.map(|net| net.dimension);
    let size = nets[0].radius.max(nets[1].radius);
    if !(pair.distance <= tolerance) {
        return false;
    }
    let start = [p.x, p.y, q.x, q.y];
    let Some(value) = touch([nets[0], nets[1]], start, dimensions, size, &mut 0) else { return false };
    // Features that cross beside the pair are this deep in each other between the curve's branches.
    if !((2.0 * value.half_square).sqrt() <= tolerance) {
        return false;
    }
    let at = value.at;
    let local = [DVec2::new(at[0], at[1]), DVec2::new(at[2], at[3])];
    let normals = [0, 1].map(|i| scene.normal(i, pair.pieces[i], local[i]));
    let allowed = tolerance.max(PLANE_BETWEEN_REL * scene.reach);
    let between = scene.ball(1).0 - scene.ball(0).0;
    // Seen from A to B.
    let turned = |normal: DVec3| if normal.dot(between) < 0.0 { -normal } else { normal };
    normals.into_iter().flatten().next().is_some_and(|normal| {
        is_plane_between(scene.bodies, pose_ab, value.points[0], turned(normal), allowed)
    })
}

/// Searches until the bounds are on one side of the tolerance.
fn bounded(scene: &Scene, pose_ab: &Pose, tolerance: f64, patience: &Patience) -> Found {
    let [a, b] = scene.bodies;
    let mut memory = SearchMemory::default();
    let mut look = |bodies: [&Body; 2], max_error: f64| {
        let Patience { max_pairs, deadline } = *patience;
        let demand = Demand { max_error, contact: tolerance, max_pairs, proof: None, deadline };
        search(bodies, [a.tree(), b.tree()], pose_ab, demand, &mut memory)
    };
    let solids = [a.body(), b.body()];
    let surfaces = [a.body().boundary(), b.body().boundary()];
    let least = 0.25 * tolerance;
    let mut max_error = (CLASSIFY_ERROR_REL * scene.size).max(least);
    let mut outside = false;
    loop {
        let mut found = look(solids, max_error);
        // A search between solid bodies takes no notice of surfaces seen from inside.
        if found.lower > tolerance && !outside {
            outside = is_outside(scene, 0) && is_outside(scene, 1);
            if !outside {
                found = look([&surfaces[0], &surfaces[1]], max_error);
            }
        }
        let upper = found.nearest.map_or(f64::INFINITY, |pair| pair.distance);
        if found.lower > tolerance || upper <= tolerance || max_error <= least || !found.proven {
            return found;
        }
        max_error = (0.5 * (upper - tolerance)).clamp(least, 0.5 * max_error);
    }
}

/// Whether no part of a body is known to be inside the other body, or may be.
fn is_outside(scene: &Scene, side: usize) -> bool {
    if scene.bodies[1 - side].body().is_surface_only() {
        return true;
    }
    let mut seen: Vec<(u32, usize)> = Vec::new();
    scene.bodies[side].tree().leaves().iter().enumerate().all(|(at, piece)| {
        let part = (piece.leaf, scene.shell(side, piece));
        if seen.contains(&part) {
            return true;
        }
        seen.push(part);
        let point = scene.net(side, at as u32).jet(DVec2::ZERO).point;
        is_inside(scene, 1 - side, point) == Some(false)
    })
}

fn kind_of(scene: &Scene, pair: &NearPair) -> ContactKind {
    let normal = |i: usize| scene.normal(i, pair.pieces[i], pair.local[i]);
    let (Some(one), Some(other)) = (normal(0), normal(1)) else { return ContactKind::Boundary };
    let on_edge = |i: usize| {
        let piece = scene.piece(i, pair.pieces[i]);
        scene
            .face(i, piece)
            .filter(|_| piece.trimmed)
            .is_some_and(|face| face.side(piece.span.parameters(pair.local[i])) == Side::Boundary)
    };
    let parallel = one.cross(other).length() <= PARALLEL_CONTACT_RAD;
    if parallel && !on_edge(0) && !on_edge(1) { ContactKind::Tangential } else { ContactKind::Boundary }
}
