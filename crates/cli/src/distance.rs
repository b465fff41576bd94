//! `clearance distance A B`: one question about two shapes.

use crate::arguments;
use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use crate::source;
use crate::terminal::number;
use clearance_formats::{Answer, Request, shortest};
use std::fmt::Write as _;
use std::io::Write as _;

/// Prints the answer; status 1 on an overlap or a gap below `--min-gap`.
pub(crate) fn distance(
    options: &arguments::Distance,
    surroundings: &Surroundings,
) -> Result<Verdict, Failure> {
    if options.a == "-" && options.b == "-" {
        return Err(Failure::input("bad_value", "only one of the two shapes can come from standard input"));
    }
    let context = surroundings.context();
    let a = source::shape(&options.a, "A", &context)?;
    let b = source::shape(&options.b, "B", &context)?;
    let pose_a = source::pose(options.pose_a.as_deref(), "--pose-a", a.body.is_planar(), &context)?;
    let pose_b = source::pose(options.pose_b.as_deref(), "--pose-b", b.body.is_planar(), &context)?;
    let mut request = Request::new(&a, pose_a, &b, pose_b);
    request.units = surroundings.units;
    request.max_error = surroundings.common.max_error;
    request.wants.certificate = true;
    let answer = clearance_formats::answer(&request)?;
    let violated = match options.min_gap {
        Some(gap) => !(answer.signed_distance >= gap),
        None => answer.state.overlaps(),
    };
    let text = if surroundings.common.json {
        answer.to_json() + "\n"
    } else {
        in_words(&answer, options.min_gap, violated)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if violated { Verdict::Violated } else { Verdict::Clear })
}

/// The answer for a person.
fn in_words(answer: &Answer, min_gap: Option<f64>, violated: bool) -> String {
    let unit = answer.units.symbol();
    let mut text = String::new();
    let (state, inside) = answer.state_words();
    let state = match inside {
        Some(body) => format!("{state} ({body} is inside)"),
        None => state.to_owned(),
    };
    let _ = writeln!(text, "state     {state}");
    if answer.signed_distance < 0.0 {
        let _ = writeln!(text, "depth     {} {unit}", shortest(-answer.signed_distance));
    } else {
        let _ = writeln!(text, "distance  {} {unit}", shortest(answer.distance));
    }
    if let Some(lower) = answer.lower_bound {
        let error = number(answer.signed_distance - lower);
        let bound = if answer.signed_distance < 0.0 {
            format!("at most {}", shortest(-lower))
        } else {
            format!("at least {}", shortest(lower))
        };
        let _ = writeln!(text, "          {bound}, proven (error at most {error} {unit})");
    }
    for (name, (point, feature)) in ["a", "b"].iter().zip(answer.points.iter().zip(&answer.features)) {
        let _ = writeln!(text, "on {name}      {}  {feature}", vector(point));
    }
    let _ = writeln!(text, "normal    {}  from a to b", vector(&answer.normal));
    if let Some(ratio) = answer.ratio {
        let _ = writeln!(text, "ratio     {}", shortest(ratio));
    }
    let work = &answer.work;
    let _ = writeln!(
        text,
        "ended     {}, {} rounds, {} support points, {} feature moves",
        answer.ended_word(),
        work.iterations,
        work.supports,
        work.moves
    );
    for warning in &answer.warnings {
        let _ = writeln!(text, "note      {warning}");
    }
    if let Some(gap) = min_gap {
        let verdict = if violated { "VIOLATED" } else { "kept" };
        let _ = writeln!(text, "gap       {} {unit} {verdict}", shortest(gap));
    }
    text
}

fn vector(entries: &[f64]) -> String {
    let words: Vec<String> = entries.iter().map(|entry| shortest(*entry)).collect();
    format!("({})", words.join(", "))
}
