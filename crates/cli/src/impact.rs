//! `clearance impact SCENE`: when the pairs of a scene first touch.

use crate::arguments;
use crate::failure::Failure;
use crate::json::quoted;
use crate::run::{Surroundings, Verdict};
use crate::terminal::{Side, Table, number};
use crate::track::read_scene;
use clearance_formats::{ImpactAnswer, Scene, impact_of_pair, shortest};
use clearance_proximity::impact::{ImpactDemand, ImpactEnd};
use std::io::Write as _;
use std::time::Instant;

/// One pair of a scene and what was found.
struct Found {
    names: [String; 2],
    answer: ImpactAnswer,
}

/// Prints when each pair first touches; status 1 unless all are proven free.
pub(crate) fn impact(options: &arguments::Impact, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let scene = read_scene(&options.scene, surroundings)?;
    let track = scene.track()?;
    let until = options.until.unwrap_or_else(|| f64::from(track.frames - 1) * track.step);
    if track.pairs.is_empty() {
        let message = format!("{}: track.pairs: there is no pair of bodies to follow", options.scene);
        return Err(Failure::input("bad_value", message));
    }
    let began = Instant::now();
    let demand = ImpactDemand {
        tolerance: options.tolerance,
        max_looks: options.max_looks,
        deadline: surroundings.deadline,
    };
    let mut all = Vec::new();
    for pair in &track.pairs {
        if surroundings.expired() {
            return Err(surroundings.gave_up("not every pair was looked at"));
        }
        let answer = impact_of_pair(&scene, *pair, until, demand)?;
        all.push(Found { names: pair.map(|at| scene.bodies[at].name.clone()), answer });
    }
    let title = scene.title.clone().unwrap_or_else(|| options.scene.clone());
    let free = all.iter().all(|found| found.answer.ended == ImpactEnd::Free);
    let text = if surroundings.common.json {
        json(&title, &scene, until, free, &all)
    } else {
        in_words(&title, &scene, until, &all, began.elapsed().as_secs_f64())
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if free { Verdict::Clear } else { Verdict::Violated })
}

fn in_words(title: &str, scene: &Scene, until: f64, all: &[Found], took: f64) -> String {
    let unit = scene.units.symbol();
    let place = format!("near ({unit})");
    let mut table = Table::new(&[
        ("pair", Side::Left),
        ("first contact", Side::Left),
        ("from (s)", Side::Right),
        ("to (s)", Side::Right),
        ("between", Side::Left),
        (&place, Side::Left),
        ("looks", Side::Right),
    ]);
    for Found { names: [a, b], answer } in all {
        let word = match answer.ended {
            ImpactEnd::Contact => "yes",
            ImpactEnd::Free => "none, proven",
            ImpactEnd::Limit => "not decided",
        };
        let contact = answer.contact.as_ref().map(|seen| &seen.answer);
        let near = |points: &[clearance_formats::Coordinates; 2]| {
            let middle = points[0].iter().zip(points[1].iter()).map(|(x, y)| number((x + y) / 2.0));
            middle.collect::<Vec<_>>().join(", ")
        };
        table.row([
            format!("{a} – {b}").replace(char::is_control, "\u{fffd}"),
            word.to_owned(),
            shortest(answer.free_until),
            answer.contact_by.map_or_else(String::new, shortest),
            contact.map_or_else(String::new, |seen| format!("{} – {}", seen.features[0], seen.features[1])),
            contact.map_or_else(String::new, |seen| near(&seen.points)),
            answer.work.looks.to_string(),
        ]);
    }
    format!("{title}\nup to {} s, found in {:.1} ms\n\n{}", shortest(until), took * 1000.0, table.render())
}

fn json(title: &str, scene: &Scene, until: f64, free: bool, all: &[Found]) -> String {
    let pair = |found: &Found| {
        let [a, b] = &found.names;
        format!("{{\"a\": {}, \"b\": {}, \"impact\": {}}}", quoted(a), quoted(b), found.answer.to_json())
    };
    let pairs: Vec<String> = all.iter().map(pair).collect();
    format!(
        "{{\"title\": {}, \"units\": \"{}\", \"until\": {}, \"clear\": {free}, \"pairs\": [{}]}}\n",
        quoted(title),
        scene.units.symbol(),
        shortest(until),
        pairs.join(", ")
    )
}
