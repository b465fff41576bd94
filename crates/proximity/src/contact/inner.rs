//! A point deeper inside both bodies than a tolerance, looked for where surfaces meet and no crossing could be proven.
//!
//! Source: none. Bodies overlap by more than a tolerance if and only if such a point exists; where they meet it is next to the
//! place, against the outward normals of both.
//! Differs: this finds what Krawczyk's operator cannot: faces of both bodies in one surface, curves along the rims of faces,
//! a body that touches the other from inside.
//! Ends because: lists of places and of distances are finite.
//! Cost: some ten microseconds for each place and distance, some hundred of them where bodies only touch.
//! Not promised: that every overlap is found; overlaps that are flush on all sides and smaller than a piece may be missed.

use super::gauge::Gauge;
use super::inside::is_inside;
use super::intersection::Intersection;
use super::scene::{Scene, has_inside};
use crate::State;
use crate::global::descend::Shape;
use crate::global::{NearPair, Prepared};
use clearance_geometry::{Body, DVec2, DVec3, Polytope, Pose};

/// A point inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    pub(super) point: DVec3,
    /// Proven: how far it is at least from the boundaries of the bodies that it is inside; a length.
    pub(super) depth: f64,
    /// Whether one body is wholly inside the other, as far as samples tell.
    pub(super) state: State,
}

/// Most curves next to which a point is looked for, and most pieces.
const MOST_CURVES: usize = 12;
const MOST_PIECES: usize = 24;

/// How far from a place a point is looked for, as shares of the length of what meets there.
const SHARES: [f64; 3] = [1.0 / 8.0, 1.0 / 256.0, 1.0 / 65_536.0];

/// The share of that length by which the depth of a point may be unknown.
const DEPTH_SHARE: f64 = 0.25;

/// Most points by which a body is told to be wholly inside another.
const MOST_SAMPLES: usize = 64;

/// A place where bodies meet, and the way into both.
struct Candidate {
    point: DVec3,
    inward: DVec3,
    scale: f64,
}

/// Looks for a point inside both bodies; of a body without an inside, for one of its own points inside the other.
pub(super) fn inner_point(
    scene: &Scene,
    pose_ab: &Pose,
    found: &Intersection,
    near: &NearPair,
    tolerance: f64,
) -> Option<Inner> {
    let point = Prepared::new(&Body::from(Polytope::point())).ok()?;
    let solid = scene.bodies.map(has_inside);
    let mut search = Search { scene, gauge: Gauge::new(scene, *pose_ab, point), solid, tolerance };
    let candidates = [at_nearest(scene, near)].into_iter().flatten();
    let candidates = candidates.chain(at_curves(scene, found)).chain(at_pieces(scene));
    for Candidate { point, inward, scale } in candidates {
        for share in SHARES {
            let step = share * scale;
            if let Some((point, depth)) = search.depth_at(point + inward * step, step) {
                return Some(Inner { point, depth, state: search.state() });
            }
        }
    }
    None
}

/// The way against some outward normals; `None` where they cancel.
fn inward(normals: [Option<DVec3>; 2]) -> Option<DVec3> {
    let [one, other] = normals.map(Option::unwrap_or_default);
    let sum = one + other;
    // Faces that lie flat against each other from outside have opposite normals.
    (sum.length() > crate::tolerance::PARALLEL_CONTACT_RAD).then(|| -sum.normalize())
}

fn at_nearest(scene: &Scene, near: &NearPair) -> Option<Candidate> {
    let normals = [0, 1].map(|i| scene.normal(i, near.pieces[i], near.local[i]));
    let scale = (0..2).map(|i| scene.net(i, near.pieces[i]).radius).filter(|radius| *radius > 0.0);
    let scale = scale.fold(scene.size, f64::min);
    Some(Candidate { point: near.points[0], inward: inward(normals)?, scale })
}

/// Places along curves that were found, the longest curves first.
fn at_curves<'a>(scene: &'a Scene, found: &'a Intersection) -> impl Iterator<Item = Candidate> + 'a {
    let mut order: Vec<usize> = (0..found.curves.len()).collect();
    order.sort_by(|&i, &j| found.curves[j].length.total_cmp(&found.curves[i].length));
    order.into_iter().take(MOST_CURVES).filter_map(|at| {
        let stretches = found.curves[at].stretches.iter();
        let stretch = stretches.max_by(|one, other| one.length.total_cmp(&other.length))?;
        let chord = |pair: &&[super::CurvePoint]| pair[0].point.distance(pair[1].point);
        let pairs = stretch.points.windows(2);
        let pair = pairs.max_by(|one, other| chord(one).total_cmp(&chord(other)))?;
        let normals = [0, 1].map(|i| {
            let piece = scene.piece(i, stretch.pieces[i]);
            let at = pair[0].parameters[i];
            let local = if piece.is_flat { at } else { piece.span.local(at) };
            scene.normal(i, stretch.pieces[i], local)
        });
        let point = pair[0].point.midpoint(pair[1].point);
        Some(Candidate { point, inward: inward(normals)?, scale: chord(&pair) })
    })
}

/// The middles of pieces that may meet.
fn at_pieces<'a>(scene: &'a Scene) -> impl Iterator<Item = Candidate> + 'a {
    let pairs = scene.pairs(true, 0.0);
    let mut pieces: Vec<(usize, u32)> = pairs.iter().flat_map(|pair| [(0, pair[0]), (1, pair[1])]).collect();
    pieces.sort_unstable();
    pieces.dedup();
    let stride = pieces.len().div_ceil(MOST_PIECES).max(1);
    let middle = DVec2::splat(0.5);
    let held = move |&(side, piece): &(usize, u32)| scene.holds(side, piece, middle);
    pieces.into_iter().step_by(stride).filter(held).filter_map(move |(side, piece)| {
        let net = scene.net(side, piece);
        let inward = inward([scene.normal(side, piece, middle), None])?;
        Some(Candidate { point: net.jet(middle).point, inward, scale: net.radius })
    })
}

struct Search<'a> {
    scene: &'a Scene<'a>,
    gauge: Gauge<'a>,
    /// Which bodies have an inside.
    solid: [bool; 2],
    tolerance: f64,
}

impl Search<'_> {
    /// How deep a point is in the bodies that have an inside, where that is deeper than the tolerance. Of a body without one,
    /// its point nearest to the given one is looked at.
    fn depth_at(&mut self, target: DVec3, scale: f64) -> Option<(DVec3, f64)> {
        let error = DEPTH_SHARE * scale;
        let thin = self.solid.iter().position(|solid| !solid);
        let point = match thin {
            Some(side) => self.gauge.nearest(side, target, error)?.points[0],
            None => target,
        };
        let mut depth = f64::INFINITY;
        for side in (0..2).filter(|&side| self.solid[side]) {
            if is_inside(self.scene, side, point) != Some(true) {
                return None;
            }
            depth = depth.min(self.gauge.room(side, point, error));
        }
        (depth > self.tolerance).then_some((point, depth))
    }

    /// Whether one body is wholly inside the other.
    fn state(&mut self) -> State {
        match [self.is_within(0), self.is_within(1)] {
            [true, false] => State::AInsideB,
            [false, true] => State::BInsideA,
            _ => State::Penetrating,
        }
    }

    /// Whether no sample of a body is outside the other by more than the tolerance.
    fn is_within(&mut self, side: usize) -> bool {
        let (scene, other) = (self.scene, 1 - side);
        if !self.solid[other] {
            return false;
        }
        let leaves = scene.bodies[side].tree().leaves();
        let stride = leaves.len().div_ceil(MOST_SAMPLES).max(1);
        (0..leaves.len()).step_by(stride).all(|at| {
            let local = DVec2::splat(0.5);
            let point = scene.net(side, at as u32).jet(local).point;
            !scene.holds(side, at as u32, local)
                || is_inside(scene, other, point) != Some(false)
                || self.gauge.room(other, point, self.tolerance) <= self.tolerance
        })
    }
}
