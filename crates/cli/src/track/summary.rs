//! What a tracked scene came to: a table for people, JSON for scripts.

use super::follow::Followed;
use super::history::{History, Sample, state_word};
use super::live::Timing;
use crate::json::quoted;
use crate::terminal::{Side, Table, number, sparkline};
use clearance_proximity::State;
use std::fmt::Write as _;

/// Width of the picture of distance over time.
const SPARK: usize = 60;

/// What a tracked scene came to, for a person; lengths are in `unit`.
pub(crate) fn in_words(title: &str, unit: &str, followed: &Followed) -> String {
    let histories = &followed.histories;
    let frames = histories.first().map_or(0, |history| history.samples.len());
    let seconds = histories.first().and_then(|history| history.samples.last()).map_or(0.0, |s| s.time);
    let answers = frames * histories.len();
    let took = followed.took.as_secs_f64();
    let mut text = format!("{title}\n{} over {seconds:.2} s, ", counted(frames, "frame"));
    let _ = write!(text, "{} followed: ", counted(histories.len(), "pair"));
    let _ = writeln!(text, "{} in {:.1} ms\n", counted(answers, "answer"), took * 1000.0);
    if followed.stopped {
        text += "stopped before its end\n\n";
    }
    text += &table(unit, histories);
    text.push('\n');
    let wide = histories.iter().map(|history| history.label().chars().count()).max().unwrap_or(0);
    for history in histories {
        let distances: Vec<f64> = history.samples.iter().map(Sample::nearness).collect();
        let label = history.label();
        let space = wide - label.chars().count();
        let _ = writeln!(text, "{label}{:space$}  {}", "", sparkline(&distances, SPARK));
    }
    text.push('\n');
    text += &nearest(unit, histories);
    text += &method_in_words(unit, histories);
    text += &coupler_in_words(histories);
    text
}

/// How far a published method was off.
fn method_in_words(unit: &str, histories: &[History]) -> String {
    let mut text = String::new();
    for history in histories {
        let Some(off) = history.method_off() else { continue };
        let _ = writeln!(
            text,
            "method     {}, off by {} {unit} at most, {} {unit} at the end, {}",
            history.label(),
            number(off.most),
            number(off.last),
            counted(off.switches, "switch").replace("switchs", "switches"),
        );
    }
    text
}

/// What a device felt.
fn coupler_in_words(histories: &[History]) -> String {
    let Some(history) = histories.first() else { return String::new() };
    let felt = || history.samples.iter().filter_map(|sample| sample.coupler);
    let Some(last) = felt().next_back() else { return String::new() };
    let most = felt().fold(0.0_f64, |most, felt| most.max(felt.force));
    format!(
        "device     feels a force of {} at most, {} at the end; contacts push with {} then\n",
        number(most),
        number(last.force),
        number(last.contact)
    )
}

fn table(unit: &str, histories: &[History]) -> String {
    let least = format!("least ({unit})");
    let mut table = Table::new(&[
        ("pair", Side::Left),
        (&least, Side::Right),
        ("at (s)", Side::Right),
        ("between", Side::Left),
        ("apart", Side::Right),
        ("touch", Side::Right),
        ("overlap", Side::Right),
        ("feature changes", Side::Right),
        ("rounds/frame", Side::Right),
    ]);
    for history in histories {
        let Some(least) = history.least() else { continue };
        table.row([
            history.label(),
            least.signed_distance.map_or_else(|| "contact".to_owned(), number),
            format!("{:.2}", least.time),
            format!("{} – {}", least.features[0], least.features[1]),
            history.count(|state| state == State::Separated).to_string(),
            history.count(|state| state == State::Touching).to_string(),
            history.count(State::overlaps).to_string(),
            history.feature_changes().to_string(),
            format!("{:.2}", history.mean_work(|work| work.iterations)),
        ]);
    }
    table.render()
}

/// A sentence about the closest encounter of all pairs.
fn nearest(unit: &str, histories: &[History]) -> String {
    let closest = histories
        .iter()
        .filter_map(|history| Some((history, history.least()?)))
        .min_by(|(_, a), (_, b)| a.nearness().total_cmp(&b.nearness()));
    let Some((history, least)) = closest else { return String::new() };
    let how = match least.signed_distance {
        Some(deep) if least.state.overlaps() => format!("{} {unit} deep", number(deep.abs())),
        Some(apart) => format!("{} {unit} apart", number(apart.abs())),
        None => "in contact".to_owned(),
    };
    let (label, place) = (history.label(), place(&least.place));
    format!("closest    {label}, {how} at {:.2} s, near ({place}) {unit}\n", least.time)
}

/// How many of something, in words.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Coordinates to a thousandth of the largest, and no coarser than a thousandth of the unit.
fn place(coordinates: &[f64]) -> String {
    let largest = coordinates.iter().fold(0.0_f64, |largest, c| largest.max(c.abs()));
    let decimals = if largest > 0.0 { (3.0 - largest.log10().floor()).clamp(3.0, 30.0) as usize } else { 3 };
    let words: Vec<String> = coordinates
        .iter()
        .map(|c| {
            let text = if largest < 1e6 { format!("{c:.decimals$}") } else { number(*c) };
            // What rounds to zero has no sign.
            if text.trim_start_matches('-').chars().all(|c| "0.".contains(c)) {
                text.trim_start_matches('-').to_owned()
            } else {
                text
            }
        })
        .collect();
    words.join(", ")
}

/// Whether any pair overlapped at any frame.
pub(crate) fn clashed(histories: &[History]) -> bool {
    histories.iter().any(|history| history.count(State::overlaps) > 0)
}

/// One JSON object for a tracked scene.
pub(crate) fn json(title: &str, unit: &str, followed: &Followed, timing: Option<&Timing>) -> String {
    let histories = &followed.histories;
    let pairs: Vec<String> = histories.iter().filter_map(pair_json).collect();
    let timing = timing.map_or_else(String::new, |timing| format!(", \"timing\": {}", timing.json()));
    format!(
        "{{\"title\": {}, \"units\": \"{unit}\", \"complete\": {}, \"frames\": {}, \"clear\": {}, \"pairs\": [{}]{timing}}}",
        quoted(title),
        !followed.stopped,
        histories.first().map_or(0, |history| history.samples.len()),
        !clashed(histories),
        pairs.join(", ")
    )
}

fn pair_json(history: &History) -> Option<String> {
    let least = history.least()?;
    let mut text = format!(
        "{{\"a\": {}, \"b\": {}, \"min_signed_distance\": {}, \"time\": {}, \"features\": [\"{}\", \"{}\"], \"states\": {{",
        quoted(&history.names[0]),
        quoted(&history.names[1]),
        least.signed_distance.map_or_else(|| "null".to_owned(), clearance_formats::shortest),
        clearance_formats::shortest(least.time),
        least.features[0],
        least.features[1],
    );
    for (at, word) in ["separated", "touching", "penetrating", "containing"].iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}\"{word}\": {}", history.count(|state| state_word(state) == *word));
    }
    let _ = write!(
        text,
        "}}, \"feature_changes\": {}, \"mean_iterations\": {}, \"mean_moves\": {}",
        history.feature_changes(),
        clearance_formats::shortest(history.mean_work(|work| work.iterations)),
        clearance_formats::shortest(history.mean_work(|work| work.moves)),
    );
    if let Some(off) = history.method_off() {
        let [most, last] = [off.most, off.last].map(clearance_formats::shortest);
        let _ = write!(
            text,
            ", \"method\": {{\"max_error\": {most}, \"last_error\": {last}, \"switches\": {}}}",
            off.switches
        );
    }
    if let Some(felt) = history.samples.last().and_then(|sample| sample.coupler) {
        let [force, contact] = [felt.force, felt.contact].map(clearance_formats::shortest);
        let _ = write!(text, ", \"device\": {{\"force\": {force}, \"contact_force\": {contact}}}");
    }
    text.push('}');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{counted, place};

    #[test]
    fn counted_knows_the_singular() {
        assert_eq!((counted(1, "pair"), counted(0, "pair")), ("1 pair".to_owned(), "0 pairs".to_owned()));
    }

    #[test]
    fn place_keeps_digits_at_any_size_and_no_minus_at_zero() {
        assert_eq!(place(&[-1e-19, 0.0316, 0.1]), "0.0000, 0.0316, 0.1000");
        assert_eq!(place(&[1.5, -2.25]), "1.500, -2.250");
        assert_eq!(place(&[-2.5e-6, 1e-6]), "-0.000002500, 0.000001000");
        assert_eq!(place(&[1e30, -1.0]), "1.000e30, -1.0000");
        assert_eq!(place(&[0.0, -0.0]), "0.000, 0.000");
    }
}
