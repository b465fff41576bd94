//! From a figure to SVG elements.

use super::axis::Ruler;
use super::svg::{Anchor, Place, Svg, width_of};
use super::{Chart, Color, Figure, Lanes, Mark, Panel, Series, Span};

const WIDTH: f64 = 960.0;
const NARROWEST_LEFT: f64 = 86.0;
const RIGHT: f64 = 24.0;
const ROW: f64 = 20.0;
const ROW_GAP: f64 = 8.0;
const LEGEND: f64 = 26.0;
const LEGEND_ROW: f64 = 18.0;
const LANES_HEAD: f64 = 46.0;
const INK: &str = "fill=\"#222222\"";
const FAINT: &str = "fill=\"#666666\"";

pub(super) fn figure(figure: &Figure) -> String {
    let head = if figure.subtitle.is_empty() { 44.0 } else { 64.0 };
    let left = left_margin(figure);
    let heights: Vec<f64> = figure.panels.iter().map(|panel| height(panel, left)).collect();
    let bottom = 52.0;
    let mut svg = Svg::new(WIDTH, head + heights.iter().sum::<f64>() + bottom);
    let bold = format!("{INK} font-weight=\"bold\"");
    for (text, base, size, style) in
        [(&figure.title, 28.0, 18.0, bold.as_str()), (&figure.subtitle, 48.0, 12.5, FAINT)]
    {
        // Long ones begin as far left as there is room.
        let start = (WIDTH - RIGHT - width_of(text, size)).clamp(RIGHT, left);
        svg.words((start, base), Anchor::Start, size, style, &fitted(text, size, WIDTH - RIGHT - start));
    }
    let x = Ruler::new(&figure.x, x_values(figure), left, WIDTH - RIGHT, 10, figure.panels.len() == 1);
    let mut top = head;
    for (panel, height) in figure.panels.iter().zip(&heights) {
        match panel {
            Panel::Chart(chart) => draw_chart(&mut svg, chart, &x, top),
            Panel::Lanes(lanes) => draw_lanes(&mut svg, lanes, &x, top),
        }
        top += height;
    }
    draw_x_axis(&mut svg, &figure.x.label, &x, top);
    svg.finish()
}

/// Room for the numbers of the vertical axes and the labels of the rows.
fn left_margin(figure: &Figure) -> f64 {
    let labels = figure.panels.iter().flat_map(|panel| match panel {
        Panel::Chart(_) => &[],
        Panel::Lanes(lanes) => lanes.rows.as_slice(),
    });
    labels.map(|row| width_of(&row.label, 12.0) + 20.0).fold(NARROWEST_LEFT, f64::max).min(WIDTH / 3.0)
}

/// A text, or of one that is too long the beginning and the end.
fn fitted(text: &str, size: f64, room: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let fit = (1..letters.len()).rev().find(|count| width_of(&text_of(&letters, *count), size) <= room);
    text_of(&letters, fit.unwrap_or(1))
}

/// The first and the last of some letters, so many together, with dots between them.
fn text_of(letters: &[char], count: usize) -> String {
    let first = count.div_ceil(2);
    let last = &letters[letters.len() - (count - first)..];
    letters[..first].iter().chain(['…'].iter()).chain(last).collect()
}

fn height(panel: &Panel, left: f64) -> f64 {
    match panel {
        Panel::Chart(chart) => legend_height(&legend(chart, left)) + chart.height + ROW_GAP,
        Panel::Lanes(lanes) => lanes_head(lanes, left) + lanes.rows.len() as f64 * (ROW + ROW_GAP),
    }
}

/// Every value that the horizontal axis has to reach.
fn x_values(figure: &Figure) -> impl Iterator<Item = f64> {
    figure.panels.iter().flat_map(|panel| match panel {
        Panel::Chart(chart) => chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect(),
        Panel::Lanes(lanes) => lanes
            .rows
            .iter()
            .flat_map(|row| row.spans.iter().flat_map(|s| [s.from, s.to]))
            .collect::<Vec<_>>(),
    })
}

fn draw_chart(svg: &mut Svg, chart: &Chart, x: &Ruler, top: f64) {
    let legend = legend(chart, x.first());
    let (head, top) = (top, top + legend_height(&legend));
    let bottom = top + chart.height;
    let values = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let y = Ruler::new(&chart.y, values, bottom, top, 6, true);
    for band in &chart.bands {
        draw_span(svg, band, x, top, chart.height, 0.16);
    }
    draw_grid(svg, x, &y, top, bottom);
    if chart.zero_line && y.ends().0 <= 0.0 && y.ends().1 >= 0.0 {
        svg.line((x.first(), y.at(0.0)), (x.last(), y.at(0.0)), "#222222", 1.2);
    }
    svg.words_up((x.first() - 58.0, (top + bottom) / 2.0), 13.0, INK, &chart.y.label);
    for (at, series) in chart.series.iter().enumerate() {
        draw_series(svg, series, (x, &y), chart.color(at));
    }
    draw_marks(svg, chart, (x, &y), (top, bottom));
    draw_legend(svg, &legend, head);
}

/// Room around the middle of a labelled point that no label takes, in pixels.
const DOT: f64 = 5.5;

/// Between two labels.
const GAP: f64 = 5.0;

/// Labelled points; a label takes the first place beside its point that is free of points and other labels, or is left out.
fn draw_marks(svg: &mut Svg, chart: &Chart, (x, y): (&Ruler, &Ruler), (top, bottom): (f64, f64)) {
    let dot = |mark: &Mark| (x.at(mark.at.0), y.at(mark.at.1));
    let mut taken: Vec<Place> = chart.marks.iter().map(|mark| Place::around(dot(mark), [DOT; 2])).collect();
    for mark in &chart.marks {
        svg.dot(dot(mark), 4.5, mark.color);
    }
    for mark in &chart.marks {
        let (at, wide) = (dot(mark), width_of(&mark.text, 12.0));
        let beside = [(9.0, 18.0), (-9.0 - wide, 18.0), (9.0, -9.0), (-9.0 - wide, -9.0)];
        let above = [(-wide / 2.0, -14.0), (-wide / 2.0, 24.0), (9.0, 4.0), (-9.0 - wide, 4.0)];
        // With a line to the point.
        let far = [26.0, 42.0, 58.0, 74.0].map(|up| [(9.0, -up), (-9.0 - wide, -up)]).into_iter().flatten();
        let near = beside.len() + above.len();
        let mut places = beside.into_iter().chain(above).chain(far).enumerate();
        let free = places.find_map(|(number, (dx, dy))| {
            let (left, base) = (at.0 + dx, at.1 + dy);
            let place = Place { left, top: base - 11.0, right: left + wide, bottom: base + 3.0 };
            let inside =
                left >= x.first() && place.right <= x.last() && place.top >= top && place.bottom <= bottom;
            let is_free = inside && !taken.iter().any(|other| other.meets(&place.widened(GAP)));
            is_free.then_some((place, base, number >= near))
        });
        let Some((place, base, is_far)) = free else { continue };
        if is_far {
            let end = if place.left > at.0 { place.left } else { place.right };
            svg.line(at, (end, base + 2.0), mark.color, 1.0);
        }
        let halo = format!(
            "fill=\"{}\" font-weight=\"bold\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"",
            mark.color
        );
        svg.words((place.left, base), Anchor::Start, 12.0, &halo, &mark.text);
        taken.push(place);
    }
}

fn draw_grid(svg: &mut Svg, x: &Ruler, y: &Ruler, top: f64, bottom: f64) {
    for (value, label) in x.ticks() {
        let color = if label.is_some() { "#e3e3e3" } else { "#f2f2f2" };
        svg.line((x.at(*value), top), (x.at(*value), bottom), color, 1.0);
    }
    for (value, label) in y.ticks() {
        let at = y.at(*value);
        svg.line((x.first(), at), (x.last(), at), if label.is_some() { "#e3e3e3" } else { "#f2f2f2" }, 1.0);
        if let Some(label) = label {
            svg.words((x.first() - 8.0, at + 4.0), Anchor::End, 12.0, INK, &minus(label));
        }
    }
    svg.line((x.first(), top), (x.first(), bottom), "#222222", 1.0);
    svg.line((x.first(), bottom), (x.last(), bottom), "#222222", 1.0);
}

/// A number with a true minus sign.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn draw_series(svg: &mut Svg, series: &Series, (x, y): (&Ruler, &Ruler), color: Color) {
    let mut run: Vec<(f64, f64)> = Vec::new();
    for point in series.points.iter().copied().chain([(f64::NAN, f64::NAN)]) {
        if x.accepts(point.0) && y.accepts(point.1) {
            run.push((x.at(point.0), y.at(point.1)));
            continue;
        }
        let joined = thinned(&run);
        if joined.len() > 1 {
            svg.polyline(&joined, color, series.dashed);
        }
        if series.dots || joined.len() == 1 {
            for &at in &joined {
                svg.dot(at, 3.6, color);
            }
        }
        run.clear();
    }
}

/// At most the first, lowest, highest and last point of each half pixel: what the eye can tell.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() < 4 * WIDTH as usize {
        return points.to_vec();
    }
    let column = |p: &(f64, f64)| (p.0 * 2.0) as i64;
    points
        .chunk_by(|a, b| column(a) == column(b))
        .flat_map(|chunk| {
            let mut kept: Vec<usize> = vec![0, chunk.len() - 1];
            kept.extend((0..chunk.len()).min_by(|&a, &b| chunk[a].1.total_cmp(&chunk[b].1)));
            kept.extend((0..chunk.len()).max_by(|&a, &b| chunk[a].1.total_cmp(&chunk[b].1)));
            kept.sort_unstable();
            kept.dedup();
            kept.into_iter().map(|at| chunk[at]).collect::<Vec<_>>()
        })
        .collect()
}

/// One entry of a legend.
struct Entry<'a> {
    name: &'a str,
    color: Color,
    /// The line it stands for; none for the colour of a band.
    line: Option<&'a Series>,
    /// Where it starts, and in which row.
    x: f64,
    row: usize,
}

/// Lines and band colours, laid out in as many rows as they need.
fn legend(chart: &Chart, left: f64) -> Vec<Entry<'_>> {
    let lines = chart.series.iter().enumerate().map(|(at, series)| Entry {
        name: &series.name,
        color: chart.color(at),
        line: Some(series),
        x: 0.0,
        row: 0,
    });
    let bands = chart.key.iter().map(|(name, color)| Entry { name, color, line: None, x: 0.0, row: 0 });
    let (mut x, mut row) = (left, 0);
    lines
        .chain(bands)
        .filter(|entry| !entry.name.is_empty())
        .map(|entry| {
            let wide = swatch(entry.line) + width_of(entry.name, 12.5);
            if x > left && x + wide > WIDTH - RIGHT {
                (x, row) = (left, row + 1);
            }
            let at = x;
            x += wide + 18.0;
            Entry { x: at, row, ..entry }
        })
        .collect()
}

/// Room for the piece of line or colour before a name.
fn swatch(line: Option<&Series>) -> f64 {
    if line.is_some() { 30.0 } else { 22.0 }
}

fn legend_height(legend: &[Entry<'_>]) -> f64 {
    LEGEND + LEGEND_ROW * legend.last().map_or(0, |entry| entry.row) as f64
}

fn draw_legend(svg: &mut Svg, legend: &[Entry<'_>], top: f64) {
    for entry in legend {
        let (x, y) = (entry.x, top + LEGEND - 10.0 + LEGEND_ROW * entry.row as f64);
        match entry.line {
            Some(series) => {
                svg.polyline(&[(x, y - 4.0), (x + 24.0, y - 4.0)], entry.color, series.dashed);
                if series.dots {
                    svg.dot((x + 12.0, y - 4.0), 3.6, entry.color);
                }
            }
            None => svg.rect([x, y - 11.0, 16.0, 12.0], entry.color, 0.25, ""),
        }
        let start = x + swatch(entry.line);
        svg.words((start, y), Anchor::Start, 12.5, INK, &fitted(entry.name, 12.5, WIDTH - RIGHT - start));
    }
}

fn draw_span(svg: &mut Svg, span: &Span, x: &Ruler, top: f64, height: f64, opacity: f64) {
    let (from, to) = (x.at(span.from), x.at(span.to));
    // A span shorter than a pixel would vanish.
    svg.rect([from, top, (to - from).max(1.0), height], span.color, opacity, &span.title);
}

/// Where the names of the colours of rows stand, after their title, and in which line.
fn key_places(lanes: &Lanes, left: f64) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (left + width_of(&lanes.title, 12.5) + 24.0, 0);
    let place = |(name, _): &(String, Color)| {
        let wide = 22.0 + width_of(name, 12.0);
        if x > left && x + wide > WIDTH - RIGHT {
            (x, row) = (left, row + 1);
        }
        let at = (x, row);
        x += wide + 12.0;
        at
    };
    lanes.key.iter().map(place).collect()
}

/// Room above the rows.
fn lanes_head(lanes: &Lanes, left: f64) -> f64 {
    LANES_HEAD + LEGEND_ROW * key_places(lanes, left).last().map_or(0, |place| place.1) as f64
}

fn draw_lanes(svg: &mut Svg, lanes: &Lanes, x: &Ruler, top: f64) {
    let first = top + LANES_HEAD - 12.0;
    svg.words((x.first(), first), Anchor::Start, 12.5, &format!("{INK} font-weight=\"bold\""), &lanes.title);
    for ((name, color), (at, row)) in lanes.key.iter().zip(key_places(lanes, x.first())) {
        let base = first + LEGEND_ROW * row as f64;
        svg.rect([at, base - 11.0, 16.0, 12.0], color, 1.0, "");
        svg.words((at + 22.0, base), Anchor::Start, 12.0, INK, name);
    }
    let top = top + lanes_head(lanes, x.first());
    for (number, row) in lanes.rows.iter().enumerate() {
        let y = top + number as f64 * (ROW + ROW_GAP);
        let label = fitted(&row.label, 12.0, x.first() - 12.0);
        svg.words((x.first() - 8.0, y + 14.0), Anchor::End, 12.0, INK, &label);
        for span in &row.spans {
            draw_span(svg, span, x, y, ROW, 1.0);
        }
        for &tick in &row.ticks {
            svg.line((x.at(tick), y), (x.at(tick), y + ROW), "#ffffff", 1.0);
        }
    }
}

fn draw_x_axis(svg: &mut Svg, label: &str, x: &Ruler, top: f64) {
    let top = top - 8.0;
    for (value, text) in x.ticks() {
        let at = x.at(*value);
        let long = if text.is_some() { 5.0 } else { 3.0 };
        svg.line((at, top), (at, top + long), "#222222", 1.0);
        if let Some(text) = text {
            svg.words((at, top + 19.0), Anchor::Middle, 12.0, INK, &minus(text));
        }
    }
    svg.line((x.first(), top), (x.last(), top), "#222222", 1.0);
    svg.words(((x.first() + x.last()) / 2.0, top + 42.0), Anchor::Middle, 13.0, INK, label);
}
