//! Which of many events over one plane can bind in a step.
//!
//! Source: none. Over a plane the gaps after a step are those before it and a linear function of the place, so that an event
//! whose gap is on or above the lower convex hull of the others' holds wherever theirs do.
//! Differs: DIFFERS from the convex hull: bodies turn by no more than a lean in a step, so that the hull ends at walls of that
//! slope, and what is below it by a tolerance only is left out. It is built from its lowest corner, the farthest below what there
//! is first, as in the quickhull algorithm.
//! Ends because: each round takes in one event more, and they are counted.
//! Cost: the events times the corners squared, a product each.
//! Not promised: all corners of the hull where there are more than asked for; those left out are the nearest to it.

use super::Event;
use crate::tolerance::{EVENT_LEAN_RAD, EVENT_LEVEL};
use clearance_geometry::{DVec2, DVec3};
use std::f64::consts::FRAC_PI_3;

/// How far away the walls' corners are, in sizes of the events' places.
const FAR: f64 = 1e3;

/// At most `most` of events that share a normal, such that no other is violated by more than `near`, if so many will do, where
/// none of these is; in the order they came in.
pub(crate) fn lowest(events: Vec<Event>, near: f64, most: usize) -> Vec<Event> {
    let Some(first) = events.first() else { return events };
    let mut hull = Hull::new(&events, first.normal);
    let mut chosen = vec![false; events.len()];
    for _ in 0..most {
        let Some(next) = hull.farthest(&chosen, near) else { break };
        chosen[next] = true;
        hull.insert(next, near);
    }
    events.into_iter().zip(chosen).filter_map(|(event, chosen)| chosen.then_some(event)).collect()
}

/// A gap at a place.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec2,
    gap: f64,
}

/// A triangle of the hull, counter-clockwise, and its plane: the gap at the origin and how it rises.
struct Facet {
    corners: [usize; 3],
    gap: f64,
    slope: DVec2,
}

impl Facet {
    fn gap_at(&self, at: DVec2) -> f64 {
        self.gap + self.slope.dot(at)
    }

    /// The triangle of three corners; none where it has no area.
    fn new(all: &[Corner], corners: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|corner| all[corner]);
        let (one, two) = (b.at - a.at, c.at - a.at);
        let area = one.perp_dot(two);
        let level = EVENT_LEVEL * one.length() * two.length();
        let (rise_one, rise_two) = (b.gap - a.gap, c.gap - a.gap);
        let slope = (one * rise_two - two * rise_one).perp() / area;
        (area > level).then(|| Self { corners, gap: a.gap - slope.dot(a.at), slope })
    }
}

struct Hull {
    /// Those of the events, and three far away.
    corners: Vec<Corner>,
    facets: Vec<Facet>,
}

impl Hull {
    /// The hull of what is far away alone.
    fn new(events: &[Event], normal: DVec3) -> Self {
        let middle = events.iter().map(|event| event.point).sum::<DVec3>() / events.len() as f64;
        let (across, up) = normal.any_orthonormal_pair();
        let place = |event: &Event| {
            let off = event.point - middle;
            Corner { at: DVec2::new(across.dot(off), up.dot(off)), gap: event.gap }
        };
        let mut corners: Vec<Corner> = events.iter().map(place).collect();
        let size = corners.iter().map(|corner| corner.at.length()).fold(0.0, f64::max);
        let least = events.iter().map(|event| event.gap).fold(f64::INFINITY, f64::min);
        let reach = FAR * if size > 0.0 { size } else { 1.0 };
        // The sides of this triangle are `reach` away, and the gap rises by the lean on the way to its corners.
        let high = least + 2.0 * EVENT_LEAN_RAD * reach;
        let far = |k: usize| DVec2::from_angle(2.0 * FRAC_PI_3 * k as f64) * (2.0 * reach);
        let count = corners.len();
        corners.extend((0..3).map(|k| Corner { at: far(k), gap: high }));
        let facets = Facet::new(&corners, [count, count + 1, count + 2]).into_iter().collect();
        Self { corners, facets }
    }

    /// The event farthest below the hull, if by more than `near`.
    fn farthest(&self, chosen: &[bool], near: f64) -> Option<usize> {
        let below = |corner: &Corner| {
            let over = self.facets.iter().map(|facet| facet.gap_at(corner.at));
            over.fold(f64::NEG_INFINITY, f64::max) - corner.gap
        };
        let open = (0..chosen.len()).filter(|&at| !chosen[at]);
        let (deep, at) = open
            .map(|at| (below(&self.corners[at]), at))
            .max_by(|one, two| one.0.total_cmp(&two.0).then(two.1.cmp(&one.1)))?;
        (deep > near).then_some(at)
    }

    /// Takes in a corner below the hull: the facets over it give way to those between it and their outline.
    fn insert(&mut self, new: usize, near: f64) {
        let corner = self.corners[new];
        let mut sides: Vec<[usize; 2]> = Vec::new();
        self.facets.retain(|facet| {
            // Facets that share a side are as high on it, but for rounding.
            let over = facet.gap_at(corner.at) > corner.gap + near / 2.0;
            if over {
                let [a, b, c] = facet.corners;
                sides.extend([[a, b], [b, c], [c, a]]);
            }
            !over
        });
        for &[from, to] in &sides {
            if !sides.contains(&[to, from]) {
                self.facets.extend(Facet::new(&self.corners, [from, to, new]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EventId, EventKind};
    use super::*;
    use clearance_geometry::{FaceId, Feature};
    use clearance_testkit::Random;

    fn event(at: DVec2, gap: f64) -> Event {
        let face = Feature::Face(FaceId(0));
        let id = EventId::new(EventKind::Locus, [face, face]);
        Event { id, point: at.extend(0.0), normal: DVec3::Z, gap }
    }

    /// The least of gap + slope · place.
    fn least(events: &[Event], slope: DVec2) -> f64 {
        let tilted = |event: &Event| event.gap + slope.dot(event.point.truncate());
        events.iter().map(tilted).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn what_is_left_out_binds_at_no_slope() {
        let mut random = Random::new(3);
        let (mut kept, mut all) = (0, 0);
        for round in 0..200 {
            let count = 3 + round % 60;
            // In a heap, on a line, level, level on a grid, on a bowl.
            let place = |random: &mut Random| match round % 5 {
                1 => DVec2::new(random.uniform(-1.0, 1.0), 0.0),
                3 => DVec2::new(random.uniform(0.0, 5.0).floor(), random.uniform(0.0, 5.0).floor()),
                _ => DVec2::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)),
            };
            let events: Vec<Event> = (0..count)
                .map(|_| {
                    let at = place(&mut random);
                    let gap = match round % 5 {
                        2 | 3 => 0.0,
                        4 => 0.1 * at.length_squared(),
                        _ => random.uniform(0.0, 0.2),
                    };
                    event(at, gap)
                })
                .collect();
            let few = lowest(events.clone(), 1e-6, 100);
            (kept, all) = (kept + few.len(), all + events.len());
            for _ in 0..100 {
                let slope = DVec2::from_angle(random.uniform(0.0, 7.0)) * random.uniform(0.0, EVENT_LEAN_RAD);
                let off = least(&few, slope) - least(&events, slope);
                assert!(off <= 2e-6, "{round}: {off:e}, {} of {}", few.len(), events.len());
            }
        }
        assert!(3 * kept < 2 * all, "{kept} of {all}");
    }

    #[test]
    fn few_are_those_that_matter_most() {
        // A square with a bump in its middle that stands out, and a hundred places that do not.
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let mut events: Vec<Event> = (0..100)
            .map(|k| {
                event(DVec2::new(f64::from(k % 10) / 10.0 - 0.45, f64::from(k / 10) / 10.0 - 0.45), 0.01)
            })
            .collect();
        events.extend(square.map(|(x, y)| event(DVec2::new(x, y), 0.0)));
        events.push(event(DVec2::new(0.1, 0.0), -0.01));
        let few = lowest(events.clone(), 1e-6, 5);
        assert_eq!(few, events[100..]);
    }
}
