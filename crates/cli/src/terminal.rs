//! Tables, sparklines and numbers for people to read.

/// Which side of its column a cell stands on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table with a header, drawn with lines.
pub(crate) struct Table {
    columns: Vec<(String, Side)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Side)]) -> Self {
        Self {
            columns: columns.iter().map(|(name, side)| ((*name).to_owned(), *side)).collect(),
            rows: vec![],
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text that ends in a newline.
    pub(crate) fn render(&self) -> String {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, (name, _))| {
                let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell));
                cells.fold(width(name), usize::max)
            })
            .collect();
        let rule = |left: &str, middle: &str, right: &str| {
            let parts: Vec<String> = widths.iter().map(|w| "─".repeat(w + 2)).collect();
            format!("{left}{}{right}\n", parts.join(middle))
        };
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let parts: Vec<String> = cells
                .zip(&widths)
                .zip(&self.columns)
                .map(|((cell, &wide), (_, side))| padded(cell, wide, *side))
                .collect();
            format!("│ {} │\n", parts.join(" │ "))
        };
        let mut text = rule("┌", "┬", "┐");
        text += &line(&mut self.columns.iter().map(|(name, _)| name.as_str()));
        text += &rule("├", "┼", "┤");
        for row in &self.rows {
            text += &line(&mut row.iter().map(String::as_str));
        }
        text + &rule("└", "┴", "┘")
    }
}

fn padded(cell: &str, wide: usize, side: Side) -> String {
    let space = " ".repeat(wide.saturating_sub(width(cell)));
    if side == Side::Left { format!("{cell}{space}") } else { format!("{space}{cell}") }
}

/// Columns a text takes on a terminal; colour codes take none.
fn width(text: &str) -> usize {
    let mut count = 0;
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => in_code = true,
            'm' if in_code => in_code = false,
            _ if in_code => {}
            _ => count += 1,
        }
    }
    count
}

/// Values as a row of blocks, `columns` wide; each shows the least of the values it covers.
pub(crate) fn sparkline(values: &[f64], columns: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let columns = columns.min(values.len());
    let least: Vec<f64> = (0..columns)
        .map(|at| {
            let part = &values[at * values.len() / columns..(at + 1) * values.len() / columns];
            part.iter().copied().filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min)
        })
        .collect();
    let finite = || least.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    least
        .iter()
        .map(|&value| {
            if !value.is_finite() {
                return ' ';
            }
            let share = if high > low { (value - low) / (high - low) } else { 0.5 };
            BLOCKS[((share * 8.0) as usize).min(7)]
        })
        .collect()
}

/// A number with about five significant digits, without an exponent where that is readable.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(0.001..100_000.0).contains(&size) {
        return format!("{value:.3e}");
    }
    let exponent = size.log10().floor() as i32;
    // One digit less where a zero stands before the point.
    let decimals = usize::try_from(if exponent < 0 { 3 - exponent } else { 4 - exponent }).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_lines_are_equally_wide() {
        let mut table = Table::new(&[("a", Side::Left), ("long name", Side::Right)]);
        table.row(["é".to_owned(), "\u{1b}[31m−1\u{1b}[0m".to_owned()]);
        let text = table.render();
        let widths: Vec<usize> = text.lines().map(width).collect();
        assert!(widths.iter().all(|w| *w == widths[0]), "{text}");
    }

    #[test]
    fn sparkline_shows_extremes() {
        let line = sparkline(&[1.0, 5.0, 9.0, f64::NAN], 4);
        assert_eq!(line, "▁▅█ ");
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!(sparkline(&[2.0; 3], 10).chars().count(), 3);
        // A dip within a column stays visible.
        let mut values = vec![1.0; 100];
        values[37] = -1.0;
        assert_eq!(sparkline(&values, 10).chars().filter(|c| *c == '▁').count(), 1);
    }

    #[test]
    fn number_keeps_five_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.25, "1.2500"),
            (-0.0421, "-0.04210"),
            (1234.56, "1234.6"),
            (3.2e-9, "3.200e-9"),
            (0.00198123, "0.001981"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
