//! Figures as SVG: line charts on linear or logarithmic axes, with bands, marks, and lanes of coloured spans
//! on the same horizontal axis.
//!
//! ```
//! use clearance_cli::plot::{Axis, Chart, Figure, Panel, Series};
//! let series = Series::line("ours", vec![(12.0, 60.0), (162.0, 85.0), (10242.0, 95.0)]);
//! let chart = Chart::new(Axis::linear("time (ns)")).with(series);
//! let figure = Figure::new("Time against vertices", Axis::log("vertices")).with(Panel::Chart(chart));
//! assert!(figure.to_svg().starts_with("<svg"));
//! ```

mod axis;
mod draw;
mod svg;

pub use axis::{Axis, Scale};
pub(crate) use svg::{Anchor, Place, Svg, escaped, width_of};

/// A colour as SVG writes it.
pub type Color = &'static str;

/// Colours that stay apart for every kind of colour vision (Okabe and Ito), in the order in which series
/// take them.
pub const PALETTE: [Color; 7] = ["#0072B2", "#D55E00", "#009E73", "#8A4FA3", "#E69F00", "#56B4E9", "#444444"];

/// Panels one above the other on one horizontal axis.
#[derive(Clone, Debug)]
pub struct Figure {
    /// First line.
    pub title: String,
    /// Second line, smaller; may be empty.
    pub subtitle: String,
    /// The axis all panels share.
    pub x: Axis,
    /// From top to bottom.
    pub panels: Vec<Panel>,
}

/// One part of a figure.
#[derive(Clone, Debug)]
pub enum Panel {
    /// Lines over a vertical axis.
    Chart(Chart),
    /// Rows of coloured spans.
    Lanes(Lanes),
}

/// Lines over a vertical axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its vertical axis.
    pub y: Axis,
    /// Height of the plotted area, in pixels.
    pub height: f64,
    /// The lines; each takes the next colour of [`PALETTE`] unless it has its own.
    pub series: Vec<Series>,
    /// Intervals of the horizontal axis shaded behind the lines.
    pub bands: Vec<Span>,
    /// Names of the colours of the bands.
    pub key: Vec<(String, Color)>,
    /// Labelled points.
    pub marks: Vec<Mark>,
    /// A heavier line at y = 0, where the axis reaches it.
    pub zero_line: bool,
}

/// One line of a chart. Points that are not finite, or not positive on a logarithmic axis, leave a gap.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// In the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// Its colour, if not the palette's next.
    pub color: Option<Color>,
    /// Dashes instead of a solid line.
    pub dashed: bool,
    /// A dot at each point.
    pub dots: bool,
}

/// A coloured interval of the horizontal axis.
#[derive(Clone, Debug)]
pub struct Span {
    /// Where it starts.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its colour.
    pub color: Color,
    /// What it says when pointed at.
    pub title: String,
}

/// A labelled point of a chart.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where.
    pub at: (f64, f64),
    /// Its label.
    pub text: String,
    /// Its colour.
    pub color: Color,
}

/// Rows of coloured spans.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// What the rows show.
    pub title: String,
    /// From top to bottom.
    pub rows: Vec<Row>,
    /// Names of the colours.
    pub key: Vec<(String, Color)>,
}

/// One row of coloured spans.
#[derive(Clone, Debug)]
pub struct Row {
    /// Stands to the left of it.
    pub label: String,
    /// In order.
    pub spans: Vec<Span>,
    /// Marked by short strokes.
    pub ticks: Vec<f64>,
}

impl Figure {
    /// A figure without panels.
    pub fn new(title: impl Into<String>, x: Axis) -> Self {
        Self { title: title.into(), subtitle: String::new(), x, panels: Vec::new() }
    }

    /// With a second line under the title.
    #[must_use]
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = text.into();
        self
    }

    /// With one more panel below.
    #[must_use]
    pub fn with(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The figure as a self-contained SVG document.
    pub fn to_svg(&self) -> String {
        draw::figure(self)
    }
}

impl Chart {
    /// A chart without lines.
    pub fn new(y: Axis) -> Self {
        Self {
            y,
            height: 300.0,
            series: Vec::new(),
            bands: Vec::new(),
            key: Vec::new(),
            marks: Vec::new(),
            zero_line: false,
        }
    }

    /// With one more line.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The colour of a series.
    pub fn color(&self, at: usize) -> Color {
        self.series.get(at).and_then(|series| series.color).unwrap_or(PALETTE[at % PALETTE.len()])
    }
}

impl Series {
    /// A solid line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, color: None, dashed: false, dots: false }
    }

    /// With a dot at each point.
    #[must_use]
    pub fn dots(mut self) -> Self {
        self.dots = true;
        self
    }

    /// Dashed.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// In a colour of its own.
    #[must_use]
    pub fn color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }
}

#[cfg(test)]
mod tests;
