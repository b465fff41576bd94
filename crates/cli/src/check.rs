//! `clearance check SCENE|FILE`: whether all bodies of a scene, or all parts of an assembly, keep a gap.

use crate::failure::Failure;
use crate::json::quoted;
use crate::run::{Surroundings, Verdict};
use crate::terminal::{Side, Table, number};
use crate::{arguments, source, track};
use clearance_formats::{
    Gap, GapDemand, Member, PairGap, Scene, Shape, Units, gaps, members_of_scene, members_of_shape, shortest,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

/// What is checked.
struct Assembly {
    title: String,
    members: Vec<Member>,
    ignore: Vec<[usize; 2]>,
    units: Units,
}

/// Prints every near pair and what is proven of its gap; status 1 unless all gaps are proven to be kept.
pub(crate) fn check(options: &arguments::Check, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let assembly = read(&options.what, surroundings)?;
    let count = assembly.members.len();
    if count < 2 {
        let message = format!("{}: one body alone has no gap to another", options.what);
        return Err(Failure::input("bad_value", message));
    }
    let began = Instant::now();
    let progress = surroundings.progress((count * (count - 1) / 2) as u64, "pairs");
    let demand = GapDemand {
        min_gap: options.min_gap,
        max_error: surroundings.common.max_error,
        deadline: surroundings.deadline,
        units: assembly.units,
        threads: surroundings.common.threads.into(),
    };
    let found = gaps(&assembly.members, &assembly.ignore, &demand, &|| progress.inc(1))?;
    progress.finish_and_clear();
    let text = if surroundings.common.json {
        json(&assembly, options.min_gap, &found)
    } else {
        in_words(&assembly, options, &found, began.elapsed().as_secs_f64())
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if is_clear(&found) { Verdict::Clear } else { Verdict::Violated })
}

fn read(what: &str, surroundings: &Surroundings) -> Result<Assembly, Failure> {
    let context = surroundings.context();
    if what == "-" {
        let text = source::standard_input()?;
        let at_fault = |error| Failure::in_text(&error, "standard input", &text);
        if text.trim_start().starts_with('{') {
            let shape = Shape::from_json(&text, &context).map_err(at_fault)?;
            return Ok(of_shape("standard input", &shape, surroundings));
        }
        return Ok(of_scene("standard input", &Scene::parse(&text, &context).map_err(at_fault)?));
    }
    if what.to_lowercase().ends_with(".toml") {
        return Ok(of_scene(what, &track::read_scene(what, surroundings)?));
    }
    Ok(of_shape(what, &source::shape(what, "SHAPE", &context)?, surroundings))
}

fn of_scene(what: &str, scene: &Scene) -> Assembly {
    Assembly {
        title: scene.title.clone().unwrap_or_else(|| what.to_owned()),
        members: members_of_scene(scene),
        ignore: scene.ignore.clone(),
        units: scene.units,
    }
}

fn of_shape(what: &str, shape: &Shape, surroundings: &Surroundings) -> Assembly {
    Assembly {
        title: what.to_owned(),
        members: members_of_shape(shape),
        ignore: Vec::new(),
        units: surroundings.units,
    }
}

fn is_clear(found: &[PairGap]) -> bool {
    found.iter().all(|pair| pair.gap == Gap::Kept)
}

fn in_words(assembly: &Assembly, options: &arguments::Check, found: &[PairGap], took: f64) -> String {
    let unit = assembly.units.symbol();
    let gap_title = format!("gap ({unit})");
    let lower_title = format!("at least ({unit})");
    let mut table = Table::new(&[
        ("pair", Side::Left),
        ("gap is", Side::Left),
        (&gap_title, Side::Right),
        (&lower_title, Side::Right),
        ("state", Side::Left),
        ("between", Side::Left),
    ]);
    for pair in found.iter().take(options.list) {
        let [a, b] = pair.pair.map(|at| assembly.members[at].name.replace(char::is_control, "\u{fffd}"));
        let lower = if pair.lower.is_finite() { number(pair.lower) } else { String::new() };
        let answer = pair.answer.as_ref();
        table.row([
            format!("{a} – {b}"),
            pair.gap.word().to_owned(),
            answer.map_or_else(String::new, |answer| {
                answer.signed_distance.map_or_else(|| "no depth".to_owned(), number)
            }),
            lower,
            answer.map_or("apart", |answer| answer.state_words().0).to_owned(),
            answer.map_or_else(String::new, |answer| {
                format!("{} – {}", answer.features[0], answer.features[1])
            }),
        ]);
    }
    let mut text = format!("{}\n{}", assembly.title, table.render());
    if found.len() > options.list {
        let _ = writeln!(text, "and {} pairs farther apart", found.len() - options.list);
    }
    let count = |gap: Gap| found.iter().filter(|pair| pair.gap == gap).count();
    let asked = options
        .min_gap
        .map_or_else(|| "no overlap".to_owned(), |gap| format!("a gap of {} {unit}", shortest(gap)));
    let _ = writeln!(
        text,
        "{} bodies, {} pairs, {asked}: {} kept, {} violated, {} undecided; {} pairs were searched, the rest by boxes; {:.1} ms",
        assembly.members.len(),
        found.len(),
        count(Gap::Kept),
        count(Gap::Violated),
        count(Gap::Undecided),
        found.iter().filter(|pair| pair.answer.is_some()).count(),
        took * 1000.0,
    );
    text
}

fn json(assembly: &Assembly, min_gap: Option<f64>, found: &[PairGap]) -> String {
    let nullable = |value: f64| if value.is_finite() { shortest(value) } else { "null".to_owned() };
    let pair = |pair: &PairGap| {
        let [a, b] = pair.pair.map(|at| quoted(&assembly.members[at].name));
        let answer = pair.answer.as_ref().map_or_else(|| "null".to_owned(), |answer| answer.to_json());
        format!(
            "{{\"a\": {a}, \"b\": {b}, \"gap\": \"{}\", \"lower_bound\": {}, \"answer\": {answer}}}",
            pair.gap.word(),
            nullable(pair.lower)
        )
    };
    let pairs: Vec<String> = found.iter().map(pair).collect();
    format!(
        "{{\"title\": {}, \"units\": \"{}\", \"min_gap\": {}, \"clear\": {}, \"pairs\": [{}]}}\n",
        quoted(&assembly.title),
        assembly.units.symbol(),
        min_gap.map_or_else(|| "null".to_owned(), shortest),
        is_clear(found),
        pairs.join(", ")
    )
}
