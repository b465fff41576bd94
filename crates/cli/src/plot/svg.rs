//! Writing SVG elements.

use std::fmt::Write as _;

/// The document being written.
pub(crate) struct Svg {
    text: String,
}

/// How text stands to its anchor point.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">"
        );
        let mut svg = Self { text };
        svg.rect([0.0, 0.0, width, height], "#ffffff", 1.0, "");
        svg
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// `[x, y, width, height]`, with a text shown when pointed at.
    pub(crate) fn rect(&mut self, [x, y, w, h]: [f64; 4], fill: &str, opacity: f64, title: &str) {
        let opacity = if opacity < 1.0 { format!(" fill-opacity=\"{opacity}\"") } else { String::new() };
        let _ = write!(
            self.text,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{fill}\"{opacity}"
        );
        if title.is_empty() {
            self.text.push_str("/>\n");
        } else {
            let _ = writeln!(self.text, "><title>{}</title></rect>", escaped(title));
        }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{color}\" stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], color: &str, dashed: bool) {
        let dash = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let _ = write!(
            self.text,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\"{dash} points=\""
        );
        for (at, (x, y)) in points.iter().enumerate() {
            let _ = write!(self.text, "{}{x:.2},{y:.2}", if at == 0 { "" } else { " " });
        }
        self.text.push_str("\"/>\n");
    }

    /// A filled outline; what is behind it shows through where it is not opaque.
    pub(crate) fn polygon(&mut self, points: &[(f64, f64)], fill: &str, opacity: f64, edge: &str) {
        let _ = write!(
            self.text,
            "<polygon fill=\"{fill}\" fill-opacity=\"{opacity:.2}\" stroke=\"{edge}\" stroke-width=\"1\" \
             stroke-linejoin=\"round\" points=\""
        );
        for (at, (x, y)) in points.iter().enumerate() {
            let _ = write!(self.text, "{}{x:.2},{y:.2}", if at == 0 { "" } else { " " });
        }
        self.text.push_str("\"/>\n");
    }

    pub(crate) fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"1\"/>"
        );
    }

    /// A line of text; `style` holds further attributes.
    pub(crate) fn words(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{size}\" {style}>{}</text>",
            escaped(text)
        );
    }

    /// Text that reads upwards.
    pub(crate) fn words_up(&mut self, (x, y): (f64, f64), size: f64, style: &str, text: &str) {
        let turn = format!("{style} transform=\"rotate(-90 {x:.2} {y:.2})\"");
        self.words((x, y), Anchor::Middle, size, &turn, text);
    }
}

/// Text made safe inside an element.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// About how wide a text is set in the font above, in pixels.
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// What a text or a dot takes of the sheet, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Place {
    /// So far around a point, across and up.
    pub(crate) fn around((x, y): (f64, f64), [across, up]: [f64; 2]) -> Self {
        Self { left: x - across, top: y - up, right: x + across, bottom: y + up }
    }

    /// Of a line of text that is set around a middle, on a base line.
    pub(crate) fn of_words((x, base): (f64, f64), size: f64, text: &str) -> Self {
        let half = width_of(text, size) / 2.0;
        Self { left: x - half, top: base - size, right: x + half, bottom: base + size / 4.0 }
    }

    /// The same with more room at both sides.
    pub(crate) fn widened(&self, by: f64) -> Self {
        Self { left: self.left - by, right: self.right + by, ..*self }
    }

    /// Whether another is all within it.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// Whether it has something in common with another.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}
