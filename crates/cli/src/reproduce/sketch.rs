//! Drawings with equal scales along both axes, side by side, and automata as graphs.

use crate::plot::{Anchor, Color, Svg, width_of};
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
                Stroke::Text { at: place, text, color } => {
                    haloed(svg, at(*place), 12.0, color, text);
                }
            }
        }
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
    let mut transitions = automaton.transitions();
    transitions.retain(|t| states.contains(&t.0) && states.contains(&t.1));
    for (from, to, times) in
        transitions.iter().filter(|t| t.2.is_empty()).chain(transitions.iter().filter(|t| !t.2.is_empty()))
    {
        arrow(&mut svg, place(from), place(to), times);
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

/// An arrow from state to state, bent to its left so that the way back stands beside it, with its times.
fn arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64), times: &[f64]) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (nx, ny) = (uy, -ux);
    let bow = 9.0;
    let start = (from.0 + ux * STATE + nx * bow, from.1 + uy * STATE + ny * bow);
    let end = (to.0 - ux * (STATE + 2.0) + nx * bow, to.1 - uy * (STATE + 2.0) + ny * bow);
    let (color, width) = if times.is_empty() { ("#d0d0d0", 1.0) } else { ("#D55E00", 2.0) };
    svg.line(start, end, color, width);
    for turn in [-1.0, 1.0] {
        let tip = (end.0 - 9.0 * ux + turn * 4.5 * nx, end.1 - 9.0 * uy + turn * 4.5 * ny);
        svg.line(end, tip, color, width);
    }
    if times.is_empty() {
        return;
    }
    let shown: Vec<String> = times.iter().take(3).map(|time| format!("{time:.2}")).collect();
    let more = if times.len() > 3 { ", …" } else { "" };
    let text = format!("t = {}{more}", shown.join(", "));
    let away = 14.0 + width_of(&text, 11.0) / 2.0 * nx.abs();
    let middle = ((start.0 + end.0) / 2.0 + nx * away, (start.1 + end.1) / 2.0 + ny * away + 4.0);
    haloed(svg, middle, 11.0, color, &text);
}

/// Text that stays readable over lines: white around, then itself.
fn haloed(svg: &mut Svg, at: (f64, f64), size: f64, color: &str, text: &str) {
    let around = "fill=\"#ffffff\" stroke=\"#ffffff\" stroke-width=\"4\"";
    svg.words(at, Anchor::Middle, size, around, text);
    svg.words(at, Anchor::Middle, size, &format!("fill=\"{color}\" font-weight=\"bold\""), text);
}
