//! When the walk goes in a circle, or its pair does not meet its own lower bound: a slower, conclusive look.
//!
//! Source: 003 assumes general position and needs none of this.
//! Differs: DIFFERS throughout. All pairs of features around the current pair are compared (polishing); then each
//! nearest point is carried to the nearest point of the whole other body, or found inside it; then the walk is
//! restarted from the farthest vertices along the best direction. Points that stay where they are under both
//! projections are the closest points of two convex bodies.
//! Ends because: going on is only allowed when the distance falls by more than the flare, or once more after a
//! restart, and restarts are counted.
//! Cost: the product of the neighbourhoods, and all sides of both bodies.
//! Not promised: that it is ever needed.

use super::bounds::{self, Bound, Star};
use super::escape;
use super::nearest::{self, Meeting};
use super::pair::{Near, Pair};
use clearance_geometry::{DVec3, Feature};

/// The best pair known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) near: Near,
    pub(super) features: [Feature; 2],
}

/// What the slow look found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Settled {
    /// A pair nearer than `best`.
    Nearer(Best),
    /// A vertex or nearest point of one body, in A's frame, deeper than rounding inside the other.
    Inside(DVec3, [Feature; 2]),
    /// A point of both bodies, in A's frame.
    Common(DVec3, [Feature; 2]),
    /// The best pair, and what bounds it.
    Stands(Best, Bound),
}

/// Looks around `features`; `best` is the best pair known so far.
pub(super) fn settle(pair: &Pair, features: [Feature; 2], best: Option<Best>) -> Settled {
    let polished = match polish(pair, features) {
        Polished::Pierced(point, features) => return Settled::Common(point, features),
        Polished::Near(found, bound) if bound.lower >= bounds::enough(pair, &found.near) => {
            return Settled::Stands(found, bound);
        }
        Polished::Near(found, _) => found,
    };
    let improves = |distance: f64, than: Option<Best>| {
        than.is_none_or(|best| distance < best.near.distance - pair.flare())
    };
    let best = match best {
        Some(best) if !improves(polished.near.distance, Some(best)) => best,
        _ => return Settled::Nearer(polished),
    };
    for of in 0..2 {
        let point = best.near.points[of];
        let local = if of == 0 { pair.across(0, point) } else { point };
        let Some((nearest, feature)) = escape::search(pair, 1 - of, local) else {
            return Settled::Inside(point, best.features);
        };
        let nearest = pair.in_a(1 - of, nearest);
        if improves(nearest.distance(point), Some(best)) {
            let mut found = best;
            found.near.points[1 - of] = nearest;
            found.features[1 - of] = feature;
            let gap = found.near.points[1] - found.near.points[0];
            found.near.distance = gap.length();
            found.near.direction = gap.normalize_or_zero();
            return Settled::Nearer(found);
        }
    }
    Settled::Stands(best, bounds::best(pair, &best.near, best.features, true))
}

enum Polished {
    /// The nearest pair, and the bound along its own direction.
    Near(Best, Bound),
    Pierced(DVec3, [Feature; 2]),
}

/// The nearest of all pairs of features around `features`, or an edge that pierces a face there.
fn polish(pair: &Pair, features: [Feature; 2]) -> Polished {
    let stars = [Star::of(pair, 0, features[0]), Star::of(pair, 1, features[1])];
    let mut nearest: Vec<Best> = Vec::new();
    let mut least = f64::INFINITY;
    let mut offer = |near: Near, features: [Feature; 2]| {
        if near.distance <= least + pair.touch() {
            if near.distance < least {
                least = near.distance;
                nearest.retain(|other| other.near.distance <= least + pair.touch());
            }
            nearest.push(Best { near, features });
        }
    };
    for of in 0..2 {
        let other = 1 - of;
        let order = |own: Feature, far: Feature| if of == 0 { [own, far] } else { [far, own] };
        for &vertex in &stars[of].vertices {
            let point = pair.across(of, pair.vertex(of, vertex));
            for (nearest, feature, direction) in around_point(pair, other, &stars[other], point) {
                let near = pair.near(other, of, [point, nearest], direction);
                offer(near, order(Feature::Vertex(vertex), feature));
            }
        }
        for &edge in &stars[of].edges {
            let segment = pair.segment_across(of, pair.segment(of, edge));
            for &face in &stars[other].faces {
                let heights = [0.0, 1.0].map(|t| pair.height(other, face, segment.at(t)));
                if heights[0] * heights[1] < 0.0 {
                    let point = segment.at(heights[0] / (heights[0] - heights[1]));
                    if pair.bodies[other].sides(face).iter().all(|s| s.inward.dot(point) >= s.offset) {
                        return Polished::Pierced(
                            pair.in_a(other, point),
                            order(Feature::Edge(edge), Feature::Face(face)),
                        );
                    }
                }
            }
        }
    }
    for &a in &stars[0].edges {
        for &b in &stars[1].edges {
            let found = nearest::segments(pair.segment(0, a), pair.segment_across(1, pair.segment(1, b)));
            if found.meeting != Meeting::End {
                let near = pair.near(0, 0, found.points, found.direction);
                offer(near, [Feature::Edge(a), Feature::Edge(b)]);
            }
        }
    }
    if nearest.is_empty() {
        nearest.push(corners(pair, features));
    }
    // Of pairs equally near within rounding, the one whose own direction proves most.
    let proven = |best: &Best| bounds::along(pair, best.near.direction, best.features);
    let mut chosen = (nearest[0], proven(&nearest[0]));
    for best in &nearest[1..] {
        let bound = proven(best);
        if bound.lower > chosen.1.lower {
            chosen = (*best, bound);
        }
    }
    Polished::Near(chosen.0, chosen.1)
}

/// A corner of each feature.
fn corners(pair: &Pair, features: [Feature; 2]) -> Best {
    let [a, b] = [pair.corner(0, features[0]), pair.corner(1, features[1])];
    let points = [pair.vertex(0, a), pair.in_a(1, pair.vertex(1, b))];
    let near = pair.near(0, 0, points, (points[1] - points[0]).normalize_or_zero());
    Best { near, features: [Feature::Vertex(a), Feature::Vertex(b)] }
}

/// Nearest points of side `of`'s star to `point`, in that side's frame, with their directions from `point`.
fn around_point(
    pair: &Pair,
    of: usize,
    star: &Star,
    point: DVec3,
) -> impl Iterator<Item = (DVec3, Feature, DVec3)> {
    let body = pair.bodies[of];
    let faces = star.faces.iter().map(move |&face| {
        let (nearest, feature) = nearest::on_face(body, face, point);
        let up = body.plane(face);
        let direction = match feature {
            Feature::Face(_) if up.distance(point) >= 0.0 => -up.normal,
            _ => (nearest - point).normalize_or_zero(),
        };
        (nearest, feature, direction)
    });
    let edges = star.edges.iter().map(move |&edge| {
        let (nearest, feature) = nearest::on_edge(body, edge, point);
        let along = body.edge(edge).vector.normalize_or_zero();
        let direction = match feature {
            Feature::Edge(_) => nearest::perpendicular(nearest - point, along),
            _ => (nearest - point).normalize_or_zero(),
        };
        (nearest, feature, direction)
    });
    let vertices = star.vertices.iter().map(move |&vertex| {
        let nearest = body.vertex(vertex);
        (nearest, Feature::Vertex(vertex), (nearest - point).normalize_or_zero())
    });
    let found: Vec<_> = faces.chain(edges).chain(vertices).collect();
    found.into_iter()
}
