//! Distance over time as a figure: lines above, closest features below.

use super::history::{Felt, History, Sample, state_word};
use super::summary::counted;
use crate::plot::{Axis, Chart, Color, Figure, Lanes, Mark, PALETTE, Panel, Row, Series, Span};
use crate::terminal::number;
use clearance_formats::PartFeature;
use clearance_proximity::State;

const TOUCHING: Color = "#E69F00";
const OVERLAPPING: Color = "#D53E4F";
const CONTAINING: Color = "#8A4FA3";

/// Colours of feature pairs by the sum and product of their dimensions; vertex–face and edge–edge, the two
/// generic ones, stand apart most.
const PAIRS: [(&str, Color); 6] = [
    ("vertex–vertex", "#B9B9B9"),
    ("vertex–edge", "#A6CEE3"),
    ("vertex–face", "#2B7BBA"),
    ("edge–edge", "#F0A24B"),
    ("edge–face", "#8CC084"),
    ("face–face", "#3E8E4D"),
];

/// The figure of a tracked scene; lengths are in `unit`.
pub(crate) fn figure(title: &str, unit: &str, histories: &[History]) -> Figure {
    let frames = histories.first().map_or(0, |history| history.samples.len());
    let mut figure = Figure::new(title, Axis::linear("time (s)"))
        .subtitle(format!(
            "{}, {}, tracked; below zero: minus the penetration depth",
            counted(frames, "frame"),
            counted(histories.len(), "pair")
        ))
        .with(Panel::Chart(chart(unit, histories)));
    for panel in felt(histories) {
        figure = figure.with(Panel::Chart(panel));
    }
    figure.with(Panel::Lanes(lanes(histories)))
}

/// What a device feels, and the energy of the tool that it pulls.
fn felt(histories: &[History]) -> Vec<Chart> {
    let samples = histories.first().map_or(&[][..], |history| &history.samples);
    let line = |value: &dyn Fn(&Felt) -> f64| -> Vec<(f64, f64)> {
        samples.iter().filter_map(|s| Some((s.time, value(s.coupler.as_ref()?)))).collect()
    };
    let force = line(&|felt| felt.force);
    if force.is_empty() {
        return Vec::new();
    }
    let mut forces = Chart::new(Axis::linear("force"))
        .with(Series::line("of the coupler on the device".to_owned(), force))
        .with(Series::line("of all contacts".to_owned(), line(&|felt| felt.contact)));
    let mut energy = Chart::new(Axis::linear("energy"))
        .with(Series::line("of the tool and all springs".to_owned(), line(&|felt| felt.energy)));
    (forces.height, energy.height) = (PANEL, PANEL);
    vec![forces, energy]
}

/// Height of the panels of a device.
const PANEL: f64 = 140.0;

fn chart(unit: &str, histories: &[History]) -> Chart {
    let mut chart = Chart::new(Axis::linear(format!("signed distance ({unit})")));
    chart.zero_line = true;
    for (at, history) in histories.iter().enumerate() {
        // Where no depth is defined the line has a gap.
        let value = |s: &Sample| (s.time, s.signed_distance.unwrap_or(f64::NAN));
        let points = history.samples.iter().map(value).collect();
        let line = Series::line(history.label(), points);
        // Of two lines in one colour the second has dashes.
        let again = at / PALETTE.len() % 2 == 1;
        chart.series.push(if again { line.dashed() } else { line });
        add_bands(&mut chart, history);
    }
    for (at, history) in histories.iter().enumerate() {
        let Some((least, signed)) = history.least().and_then(|s| Some((s, s.signed_distance?))) else {
            continue;
        };
        let color = chart.color(at);
        let text = format!("{} {unit}", number(signed).replace('-', "−"));
        chart.marks.push(Mark { at: (least.time, signed), text, color });
    }
    chart
}

/// Shades the times at which the pair is not separated.
fn add_bands(chart: &mut Chart, history: &History) {
    for run in history.runs(|one, next| one.state == next.state) {
        let state = history.samples[run.start].state;
        let Some(color) = state_color(state) else { continue };
        let (from, to) = history.interval(&run);
        let word = state_word(state);
        chart.bands.push(Span { from, to, color, title: format!("{}: {word}", history.label()) });
        if !chart.key.iter().any(|(_, known)| *known == color) {
            chart.key.push((word.to_owned(), color));
        }
    }
}

fn state_color(state: State) -> Option<Color> {
    match state {
        State::Separated => None,
        State::Touching => Some(TOUCHING),
        State::Penetrating => Some(OVERLAPPING),
        State::AInsideB | State::BInsideA => Some(CONTAINING),
    }
}

fn lanes(histories: &[History]) -> Lanes {
    let mut lanes = Lanes { title: "closest features".to_owned(), ..Lanes::default() };
    let mut seen = [false; PAIRS.len()];
    for history in histories {
        let runs = history.runs(Sample::same_features);
        let mut row = Row { label: history.label(), spans: vec![], ticks: vec![] };
        for run in &runs {
            let features = &history.samples[run.start].features;
            let pair = pair_kind(features);
            seen[pair] = true;
            let (from, to) = history.interval(run);
            let title = format!("{} – {}", features[0], features[1]);
            row.spans.push(Span { from, to, color: PAIRS[pair].1, title });
            if run.start > 0 {
                row.ticks.push(from);
            }
        }
        lanes.rows.push(row);
    }
    let used = PAIRS.iter().zip(seen).filter(|(_, seen)| *seen);
    lanes.key = used.map(|((name, color), _)| ((*name).to_owned(), *color)).collect();
    lanes
}

/// The place of a pair of features in [`PAIRS`].
fn pair_kind(features: &[PartFeature; 2]) -> usize {
    let mut dimensions = features.each_ref().map(|named| named.feature.dimension());
    dimensions.sort_unstable();
    match dimensions {
        [0, other] => other,
        [1, 1] => 3,
        [1, _] => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::{EdgeId, FaceId, Feature, VertexId};

    #[test]
    fn pair_kind_ignores_order() {
        let all = [Feature::Vertex(VertexId(0)), Feature::Edge(EdgeId(1)), Feature::Face(FaceId(2))];
        for a in all {
            for b in all {
                let mut words = [a, b].map(|f| f.to_string().split(':').next().unwrap().to_owned());
                words.sort_by_key(|word| ["vertex", "edge", "face"].iter().position(|w| w == word));
                assert_eq!(PAIRS[pair_kind(&[a.into(), b.into()])].0, words.join("–"));
            }
        }
    }
}
