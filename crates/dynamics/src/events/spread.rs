//! A few of many events, far from each other.

use super::Event;

/// At most `most` events that span about what all do, with the one of the least gap among them; in the order they came in.
pub(crate) fn spread(events: Vec<Event>, most: usize) -> Vec<Event> {
    if events.len() <= most || most == 0 {
        return events;
    }
    let middle =
        events.iter().map(|event| event.point).sum::<clearance_geometry::DVec3>() / events.len() as f64;
    // Distance of each from those chosen; places do not depend on gaps, so that the choice lasts while bodies rest.
    let mut apart: Vec<f64> = events.iter().map(|event| event.point.distance(middle)).collect();
    let mut chosen = vec![false; events.len()];
    let lowest = (0..events.len()).min_by(|&one, &two| events[one].gap.total_cmp(&events[two].gap));
    for round in 0..most {
        let farthest =
            (0..events.len()).max_by(|&one, &two| apart[one].total_cmp(&apart[two]).then(two.cmp(&one)));
        let last = round + 1 == most;
        let next = match (farthest, lowest) {
            (_, Some(lowest)) if last && !chosen[lowest] => lowest,
            (Some(farthest), _) => farthest,
            _ => break,
        };
        chosen[next] = true;
        for (at, event) in events.iter().enumerate() {
            let off = event.point.distance(events[next].point);
            apart[at] = if round == 0 { off } else { apart[at].min(off) };
        }
    }
    events.into_iter().zip(chosen).filter_map(|(event, chosen)| chosen.then_some(event)).collect()
}
