//! Drawings with equal scales along both axes, side by side, and automata as graphs.

use crate::plot::{Anchor, Color, Place, Svg, width_of};
use clearance_proximity::published::Automaton;

const INK: &str = "fill=\"#222222\"";
const FAINT: &str = "fill=\"#666666\"";
/// Around every drawing, in pixels.
const MARGIN: f64 = 34.0;
/// Above the drawings: the title and a line below it.
const HEAD: f64 = 62.0;

/// What a drawing is made of; places are in its own units.
enum Stroke {
    Line { points: Vec<(f64, f64)>, color: Color, dashed: bool },
    Area { points: Vec<(f64, f64)>, color: Color, shade: f64 },
    Dot { at: (f64, f64), radius: f64, color: Color },
    Text { at: (f64, f64), text: String, color: Color },
}

/// One drawing.
pub(super) struct Sketch {
    title: String,
    /// Lowest and highest x, lowest and highest y.
    window: [f64; 4],
    strokes: Vec<Stroke>,
}

impl Sketch {
    pub(super) fn new(title: impl Into<String>, window: [f64; 4]) -> Self {
        Self { title: title.into(), window, strokes: Vec::new() }
    }

    pub(super) fn line(&mut self, points: Vec<(f64, f64)>, color: Color) {
        self.strokes.push(Stroke::Line { points, color, dashed: false });
    }

    pub(super) fn dashes(&mut self, points: Vec<(f64, f64)>, color: Color) {
        self.strokes.push(Stroke::Line { points, color, dashed: true });
    }

    /// An opaque outline in a colour thinned with white to the share `shade`.
    pub(super) fn area(&mut self, points: Vec<(f64, f64)>, color: Color, shade: f64) {
        self.strokes.push(Stroke::Area { points, color, shade });
    }

    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, color: Color) {
        self.strokes.push(Stroke::Dot { at, radius, color });
    }

    pub(super) fn text(&mut self, at: (f64, f64), text: impl Into<String>, color: Color) {
        self.strokes.push(Stroke::Text { at, text: text.into(), color });
    }

    /// The frame of the window.
    pub(super) fn frame(&mut self, color: Color) {
        let [left, right, low, high] = self.window;
        self.line(vec![(left, low), (right, low), (right, high), (left, high), (left, low)], color);
    }

    fn draw(&self, svg: &mut Svg, left: f64, top: f64, wide: f64, high: f64) {
        let [from, to, low, up] = self.window;
        let scale = ((wide - MARGIN) / (to - from)).min((high - MARGIN) / (up - low));
        let (x0, y0) =
            (left + (wide - scale * (to - from)) / 2.0, top + (high + scale * (up - low)) / 2.0 + 8.0);
        let at = |p: (f64, f64)| (x0 + scale * (p.0 - from), y0 - scale * (p.1 - low));
        svg.words(
            (left + wide / 2.0, y0 - scale * (up - low) - 10.0),
            Anchor::Middle,
            13.0,
            INK,
            &self.title,
        );
        let cell = Place { left, top, right: left + wide, bottom: top + high + MARGIN / 2.0 };
        let mut labels = Labels { cell, taken: Vec::new() };
        for stroke in &self.strokes {
            match stroke {
                Stroke::Line { points, color, dashed } => {
                    svg.polyline(&points.iter().map(|&p| at(p)).collect::<Vec<_>>(), color, *dashed);
                }
                Stroke::Area { points, color, shade } => {
                    let points: Vec<(f64, f64)> = points.iter().map(|&p| at(p)).collect();
                    svg.polygon(&points, "#ffffff", 1.0, "none");
                    svg.polygon(&points, color, *shade, color);
                }
                Stroke::Dot { at: place, radius, color } => svg.dot(at(*place), *radius, color),
                Stroke::Text { .. } => {}
            }
        }
        // Over all lines.
        for stroke in &self.strokes {
            if let Stroke::Text { at: place, text, color } = stroke {
                let wanted = at(*place);
                let beside = SHIFTS.iter().map(|(dx, dy)| (wanted.0 + dx, wanted.1 + dy));
                haloed(svg, labels.put(beside, 12.0, text), 12.0, color, text);
            }
        }
    }
}

/// Where a text may stand instead where it would lie on another one or off its cell, in pixels from where it is wanted.
const SHIFTS: [(f64, f64); 13] = [
    (0.0, 0.0),
    (0.0, -16.0),
    (0.0, 16.0),
    (26.0, 0.0),
    (-26.0, 0.0),
    (26.0, -16.0),
    (-26.0, -16.0),
    (0.0, -32.0),
    (0.0, 32.0),
    (26.0, -32.0),
    (-26.0, -32.0),
    (0.0, -48.0),
    (0.0, 48.0),
];

/// Texts of a drawing that have their places.
struct Labels {
    cell: Place,
    taken: Vec<Place>,
}

impl Labels {
    /// The first place that is free and in the cell; the first of all where there is none.
    fn put(&mut self, places: impl Iterator<Item = (f64, f64)> + Clone, size: f64, text: &str) -> (f64, f64) {
        let free = |at: &(f64, f64)| {
            let place = Place::of_words(*at, size, text);
            self.cell.holds(&place) && !self.taken.iter().any(|other| other.meets(&place))
        };
        let at = places.clone().find(free).or_else(|| places.clone().next()).unwrap_or_default();
        self.taken.push(Place::of_words(at, size, text));
        at
    }
}

/// Drawings in rows of `columns`, each in a cell of the given width and height.
pub(super) fn sheet(
    title: &str,
    subtitle: &str,
    sketches: &[Sketch],
    columns: usize,
    cell: (f64, f64),
) -> String {
    let rows = sketches.len().div_ceil(columns);
    let mut svg = Svg::new(cell.0 * columns as f64 + MARGIN, HEAD + cell.1 * rows as f64 + MARGIN / 2.0);
    heading(&mut svg, title, subtitle);
    for (at, sketch) in sketches.iter().enumerate() {
        let (column, row) = ((at % columns) as f64, (at / columns) as f64);
        sketch.draw(&mut svg, MARGIN / 2.0 + cell.0 * column, HEAD + cell.1 * row, cell.0, cell.1);
    }
    svg.finish()
}

fn heading(svg: &mut Svg, title: &str, subtitle: &str) {
    svg.words((MARGIN, 28.0), Anchor::Start, 18.0, &format!("{INK} font-weight=\"bold\""), title);
    svg.words((MARGIN, 48.0), Anchor::Start, 12.5, FAINT, subtitle);
}

/// Radius of the circle on which the states of an automaton stand, and of a state.
const RING: f64 = 210.0;
const STATE: f64 = 24.0;

/// An automaton as a graph: states on a circle, arrows that were taken with their times, others thin.
pub(super) fn graph(title: &str, subtitle: &str, automaton: &Automaton) -> String {
    let side = 2.0 * (RING + STATE + 70.0);
    let (width, height) = (side + 160.0, side + HEAD);
    let mut svg = Svg::new(width, height);
    heading(&mut svg, title, subtitle);
    let states = shown(automaton);
    let place = |name: &str| {
        let at = states.iter().position(|state| *state == name).unwrap_or(0) as f64;
        let angle = std::f64::consts::TAU * at / states.len().max(1) as f64 - std::f64::consts::FRAC_PI_2;
        (width / 2.0 + RING * angle.cos(), HEAD / 2.0 + height / 2.0 + RING * angle.sin())
    };
    let cell = Place { left: 0.0, top: HEAD, right: width, bottom: height };
    let taken = states.iter().map(|state| Place::around(place(state), [STATE; 2])).collect();
    let mut labels = Labels { cell, taken };
    let mut transitions = automaton.transitions();
    transitions.retain(|t| states.contains(&t.0) && states.contains(&t.1));
    // Those that were taken over the others, and the times over all.
    transitions.sort_by_key(|transition| !transition.2.is_empty());
    for (from, to, times) in &transitions {
        arrow(&mut svg, ends(place(from), place(to)), !times.is_empty());
    }
    for (from, to, times) in transitions.iter().filter(|transition| !transition.2.is_empty()) {
        write_times(&mut svg, &mut labels, ends(place(from), place(to)), times);
    }
    for &state in &states {
        let at = place(state);
        let taken = automaton.switches().iter().any(|s| s.from == state || s.to == state);
        svg.dot(at, STATE, if taken { "#0072B2" } else { "#bbbbbb" });
        svg.words((at.0, at.1 + 4.5), Anchor::Middle, 13.0, "fill=\"#ffffff\" font-weight=\"bold\"", state);
    }
    svg.finish()
}

/// Most states of a graph that can be read.
const MOST_STATES: usize = 10;

/// All states, or of many those that were visited and some that they lead to.
fn shown(automaton: &Automaton) -> Vec<&str> {
    let all: Vec<&str> = automaton.states().iter().map(String::as_str).collect();
    if all.len() <= MOST_STATES {
        return all;
    }
    let visited = |name: &str| automaton.switches().iter().any(|s| s.from == name || s.to == name);
    let near = |name: &str| automaton.transitions().iter().any(|t| t.0 == name && visited(t.1));
    let mut others = all.iter().filter(|name| !visited(name) && near(name));
    let room = MOST_STATES.saturating_sub(all.iter().filter(|name| visited(name)).count());
    let beside: Vec<&str> = others.by_ref().take(room).copied().collect();
    all.iter().filter(|name| visited(name) || beside.contains(name)).copied().collect()
}

/// Where an arrow from state to state begins and ends, to the left of the way so that the way back stands beside it.
fn ends(from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 2] {
    let [(ux, uy), (nx, ny)] = directions(from, to);
    let bow = 9.0;
    [
        (from.0 + ux * STATE + nx * bow, from.1 + uy * STATE + ny * bow),
        (to.0 - ux * (STATE + 2.0) + nx * bow, to.1 - uy * (STATE + 2.0) + ny * bow),
    ]
}

/// Unit vectors along a way and to its left.
fn directions(from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 2] {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    [(ux, uy), (uy, -ux)]
}

/// The colour of arrows that were taken.
const TAKEN: &str = "#D55E00";

fn arrow(svg: &mut Svg, [start, end]: [(f64, f64); 2], taken: bool) {
    let [(ux, uy), (nx, ny)] = directions(start, end);
    let (color, width) = if taken { (TAKEN, 2.0) } else { ("#d0d0d0", 1.0) };
    svg.line(start, end, color, width);
    for turn in [-1.0, 1.0] {
        let tip = (end.0 - 9.0 * ux + turn * 4.5 * nx, end.1 - 9.0 * uy + turn * 4.5 * ny);
        svg.line(end, tip, color, width);
    }
}

/// The times at which an arrow was taken, beside it where there is room.
fn write_times(svg: &mut Svg, labels: &mut Labels, [start, end]: [(f64, f64); 2], times: &[f64]) {
    let [_, (nx, ny)] = directions(start, end);
    let shown: Vec<String> = times.iter().take(3).map(|time| format!("{time:.2}")).collect();
    let more = if times.len() > 3 { ", …" } else { "" };
    let text = format!("t = {}{more}", shown.join(", "));
    let away = 14.0 + width_of(&text, 11.0) / 2.0 * nx.abs();
    let along = [0.5, 0.35, 0.65, 0.25, 0.75].into_iter().map(|share| {
        let at = (start.0 + (end.0 - start.0) * share, start.1 + (end.1 - start.1) * share);
        (at.0 + nx * away, at.1 + ny * away + 4.0)
    });
    let at = labels.put(along, 11.0, &text);
    haloed(svg, at, 11.0, TAKEN, &text);
}

/// Text that stays readable over lines: white around, then itself.
fn haloed(svg: &mut Svg, at: (f64, f64), size: f64, color: &str, text: &str) {
    let around = "fill=\"#ffffff\" stroke=\"#ffffff\" stroke-width=\"4\"";
    svg.words(at, Anchor::Middle, size, around, text);
    svg.words(at, Anchor::Middle, size, &format!("fill=\"{color}\" font-weight=\"bold\""), text);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of all texts of a size; those with a halo are written twice.
    fn places(svg: &str, size: f64) -> Vec<(Place, String)> {
        let mut found: Vec<(Place, String)> = Vec::new();
        for line in svg.lines().filter(|line| line.contains(&format!("font-size=\"{size}\""))) {
            let value = |name: &str| {
                let rest = line.split_once(&format!("{name}=\""))?.1;
                rest.split_once('"')?.0.parse::<f64>().ok()
            };
            let (Some(x), Some(y)) = (value(" x"), value(" y")) else { continue };
            let text = line.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
            let place = Place::of_words((x, y), size, text);
            if found.last() != Some(&(place, text.to_owned())) {
                found.push((place, text.to_owned()));
            }
        }
        found
    }

    #[test]
    fn texts_of_a_drawing_are_apart_and_on_its_sheet() {
        let mut sketch = Sketch::new("", [0.0, 1.0, 0.0, 1.0]);
        // Three at one place, and one below the drawing, where the sheet ends.
        for (k, at) in [(0.5, 0.5), (0.5, 0.5), (0.51, 0.5), (0.5, -0.06)].into_iter().enumerate() {
            sketch.text(at, format!("text {k}"), "#000000");
        }
        let svg = sheet("", "", &[sketch], 1, (560.0, 560.0));
        let texts = places(&svg, 12.0);
        assert_eq!(texts.len(), 4);
        let all = Place { left: 0.0, top: 0.0, right: 594.0, bottom: 639.0 };
        for (k, (place, text)) in texts.iter().enumerate() {
            assert!(all.holds(place), "{text} {place:?}");
            assert!(!texts[..k].iter().any(|other| other.0.meets(place)), "{text}");
        }
    }

    #[test]
    fn times_of_a_graph_are_apart() {
        // Three of the arrows go through the middle.
        let mut automaton = Automaton::default();
        for name in ["S1", "S2", "S3", "C1", "C2", "C3"] {
            automaton.declare(name);
        }
        let order = ["S1", "C1", "S2", "C3", "S3", "C2", "S1"];
        for (k, name) in order.into_iter().enumerate() {
            automaton.enter(k as f64, name);
        }
        let svg = graph("", "", &automaton);
        let times: Vec<(Place, String)> =
            places(&svg, 11.0).into_iter().filter(|text| text.1.starts_with("t =")).collect();
        assert_eq!(times.len(), order.len() - 1);
        for (k, (place, text)) in times.iter().enumerate() {
            assert!(!times[..k].iter().any(|other| other.0.meets(place)), "{text}");
        }
    }
}
