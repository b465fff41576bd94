//! `clearance distance A B`: one question about two shapes.

use crate::arguments;
use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use crate::source;
use crate::terminal::number;
use clearance_formats::{Answer, Gap, Request, pairs_until, shortest, write_certificate};
use clearance_proximity::Work;
use std::fmt::Write as _;
use std::io::Write as _;

/// Prints the answer; status 1 on an overlap, or a gap that is not proven to be at least `--min-gap`.
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
    request.max_pairs = surroundings.deadline.map(pairs_until);
    request.deadline = surroundings.deadline;
    request.wants.certificate = true;
    let mut answer = clearance_formats::answer(&request)?;
    if let Some(folder) = &surroundings.common.certificates {
        write_certificate(&request, &mut answer, &folder.join(CERTIFICATE))?;
    }
    let gap = options.min_gap.map(|gap| (gap, Gap::of(&answer, gap)));
    let text = if surroundings.common.json { answer.to_json() + "\n" } else { in_words(&answer, gap) };
    std::io::stdout().write_all(text.as_bytes())?;
    let clear = gap.map_or(!answer.state.overlaps(), |(_, gap)| gap == Gap::Kept);
    Ok(if clear { Verdict::Clear } else { Verdict::Violated })
}

/// The name of the proof in the folder of `--certificates`.
const CERTIFICATE: &str = "distance.json";

/// The answer for a person.
fn in_words(answer: &Answer, gap: Option<(f64, Gap)>) -> String {
    let unit = answer.units.symbol();
    let mut text = String::new();
    let (state, inside) = answer.state_words();
    let state = match inside {
        Some(body) => format!("{state} ({body} is inside)"),
        None => state.to_owned(),
    };
    let _ = writeln!(text, "state     {state}");
    text += &length_in_words(answer, unit);
    for (name, (point, feature)) in ["a", "b"].iter().zip(answer.points.iter().zip(&answer.features)) {
        let _ = writeln!(text, "on {name}      {}  {feature}", vector(point));
    }
    if let Some(normal) = &answer.normal {
        let _ = writeln!(text, "normal    {}  from a to b", vector(normal));
    }
    let work = &answer.work;
    let _ = writeln!(text, "ended     {}, {}", answer.ended_word(), work_in_words(work));
    if let Some(file) = &answer.certificate {
        let _ = writeln!(text, "proof     {}", file.display());
    }
    for warning in &answer.warnings {
        let _ = writeln!(text, "note      {warning}");
    }
    if let Some((gap, verdict)) = gap {
        let verdict = match verdict {
            Gap::Kept => "kept",
            Gap::Violated => "VIOLATED",
            Gap::Undecided => "UNDECIDED: neither kept nor violated by what is proven",
        };
        let _ = writeln!(text, "gap       {} {unit} {verdict}", shortest(gap));
    }
    text
}

/// Distance or depth, and what is proven of it.
fn length_in_words(answer: &Answer, unit: &str) -> String {
    let Some(signed) = answer.signed_distance else {
        return "depth     not defined: the boundaries meet or cross\n".to_owned();
    };
    let mut text = if signed < 0.0 {
        format!("depth     {} {unit}\n", shortest(-signed))
    } else {
        format!("distance  {} {unit}\n", shortest(answer.distance))
    };
    if let Some(lower) = answer.lower_bound.flatten() {
        // A depth is proved from one side only: that there is no shorter way out is the kernel's word.
        let _ = if signed < 0.0 {
            writeln!(text, "          at most {} {unit}, proven", shortest(-lower))
        } else {
            let error = number(signed - lower);
            writeln!(text, "          at least {}, proven (error at most {error} {unit})", shortest(lower))
        };
    }
    text
}

fn work_in_words(work: &Work) -> String {
    let mut counts = vec![format!("{} rounds", work.iterations)];
    let others =
        [(work.supports, "support points"), (work.moves, "feature moves"), (work.newton, "Newton steps")];
    counts
        .extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    counts.join(", ")
}

/// Entries that are lost in the rounding of the largest are zero to a person; `--json` has them as they are.
fn vector(entries: &[f64]) -> String {
    let least = f64::EPSILON * entries.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let shown = |entry: &f64| if entry.abs() < least { 0.0 } else { *entry };
    let words: Vec<String> = entries.iter().map(|entry| shortest(shown(entry))).collect();
    format!("({})", words.join(", "))
}
