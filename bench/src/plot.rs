//! Line charts as SVG with logarithmic axes.

use std::fmt::Write as _;

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Stroke colour.
    pub color: &'static str,
    /// Whether it is drawn dashed.
    pub dashed: bool,
    /// Whether its points stand alone.
    pub dots: bool,
    /// Points, both coordinates positive.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above the frame.
    pub title: String,
    /// Along the horizontal axis.
    pub x: &'static str,
    /// Along the vertical axis.
    pub y: &'static str,
    /// The lines, in the legend's order.
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 520.0;
/// Left, right, top, bottom of the frame.
const FRAME: [f64; 4] = [80.0, 540.0, 50.0, 450.0];

/// A logarithmic scale from a range of values to a range of pixels.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10();
        let high = values.fold(0.0, f64::max).log10();
        let margin = 0.05 * (high - low).max(0.1);
        Self { low: low - margin, high: high + margin, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value.log10() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// 1, 2 and 5 times powers of ten; fewer where they would crowd.
    fn ticks(&self) -> Vec<f64> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let digits = if self.high - self.low > 3.0 { &[1.0, 3.0][..] } else { &[1.0, 2.0, 5.0] };
        let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10.0_f64.powi(decade)));
        all.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect()
    }
}

impl Chart {
    /// The chart as an SVG file.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = FRAME;
        let points = self.lines.iter().flat_map(|line| &line.points);
        let across = Scale::new(points.clone().map(|point| point.0), left, right);
        let up = Scale::new(points.map(|point| point.1), bottom, top);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"28\" font-size=\"15\">{}</text>\n",
            self.title
        );
        for tick in across.ticks() {
            let x = across.at(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>",
                bottom + 18.0
            );
        }
        for tick in up.ticks() {
            let y = up.at(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                number(tick)
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(22 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            0.5 * (left + right),
            bottom + 42.0,
            self.x,
            0.5 * (top + bottom),
            self.y
        );
        for (number, line) in self.lines.iter().enumerate() {
            line.draw(&mut svg, &across, &up, 20.0 * number as f64 + top + 10.0, right + 20.0);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Line {
    fn draw(&self, svg: &mut String, across: &Scale, up: &Scale, legend_y: f64, legend_x: f64) {
        let dash = if self.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let style = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dash}", self.color);
        let path: Vec<String> =
            self.points.iter().map(|&(x, y)| format!("{:.1} {:.1}", across.at(x), up.at(y))).collect();
        if !self.dots {
            let _ = writeln!(svg, "<path d=\"M{}\" {style}/>", path.join("L"));
        }
        for &(x, y) in &self.points {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{}\"/>",
                across.at(x),
                up.at(y),
                self.color
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{legend_x} {legend_y}h28\" {style}/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            legend_x + 34.0,
            legend_y + 4.0,
            self.name
        );
    }
}

/// Without the digits that binary fractions would add.
fn number(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
