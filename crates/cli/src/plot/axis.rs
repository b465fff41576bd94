//! Axes: which values they reach, where their ticks stand, how these are written.

/// Beyond this size a value has no place on an axis, and below its inverse it counts as zero: powers and
/// differences of what remains can neither overflow nor vanish.
const LARGEST: f64 = 1e150;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; only positive values have a place.
    Log,
}

/// An axis with its label, which names the unit.
#[derive(Clone, Debug)]
pub struct Axis {
    /// For example `time (s)`.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The values at its ends; fitted to the data unless given.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// Linear, fitted to the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// Logarithmic, fitted to the data.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log, range: None }
    }

    /// With the values at its ends given.
    #[must_use]
    pub fn range(mut self, from: f64, to: f64) -> Self {
        self.range = Some((from, to));
        self
    }
}

impl Scale {
    /// Whether a value has a place on an axis.
    fn accepts(self, value: f64) -> bool {
        value.abs() <= LARGEST && (self == Self::Linear || value >= 1.0 / LARGEST)
    }
}

/// A tick: where, and its label (`None` for a minor one).
pub(super) type Tick = (f64, Option<String>);

/// An axis fitted to data and laid out over pixels.
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    first: f64,
    last: f64,
    ticks: Vec<Tick>,
}

impl Ruler {
    /// Lays `axis` over the pixels `first … last`. `wanted` is about how many labelled ticks have room;
    /// with `padded` the ends move out to ticks.
    pub(super) fn new(
        axis: &Axis,
        data: impl Iterator<Item = f64>,
        first: f64,
        last: f64,
        wanted: usize,
        padded: bool,
    ) -> Self {
        let fitted = data
            .filter(|&value| axis.scale.accepts(value))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let given = axis.range.filter(|&(low, high)| {
            axis.scale.accepts(low) && axis.scale.accepts(high) && high - low >= 1.0 / LARGEST
        });
        let (low, high) = given.unwrap_or_else(|| opened(axis.scale, fitted));
        let padded = padded && given.is_none();
        let (low, high, ticks) = match axis.scale {
            Scale::Linear => linear_ticks(low, high, wanted, padded),
            Scale::Log => log_ticks(low, high, padded),
        };
        Self { scale: axis.scale, low, high, first, last, ticks }
    }

    /// The pixel of a value; values beyond the ends are moved to them.
    pub(super) fn at(&self, value: f64) -> f64 {
        let of = |v: f64| if self.scale == Scale::Log { v.log10() } else { v };
        let share = (of(value) - of(self.low)) / (of(self.high) - of(self.low));
        self.first + (self.last - self.first) * share.clamp(0.0, 1.0)
    }

    /// Whether a value has a place on the axis.
    pub(super) fn accepts(&self, value: f64) -> bool {
        self.scale.accepts(value)
    }

    /// The pixel where it starts.
    pub(super) fn first(&self) -> f64 {
        self.first
    }

    /// The pixel where it ends.
    pub(super) fn last(&self) -> f64 {
        self.last
    }

    pub(super) fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// The values at both ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// A range with some width, whatever the data.
fn opened(scale: Scale, (low, high): (f64, f64)) -> (f64, f64) {
    match scale {
        _ if high - low >= 1.0 / LARGEST => (low, high),
        Scale::Linear if low.is_finite() => {
            let width = if low.abs() < 1.0 / LARGEST { 1.0 } else { low.abs() * 0.1 };
            (low - width, low + width)
        }
        Scale::Log if low.is_finite() => (low / 2.0, low * 2.0),
        Scale::Linear => (0.0, 1.0),
        Scale::Log => (1.0, 10.0),
    }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, wanted: usize, padded: bool) -> (f64, f64, Vec<Tick>) {
    let raw = (high - low) / wanted.max(1) as f64;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= raw).unwrap_or(raw);
    let (low, high) =
        if padded { ((low / step).floor() * step, (high / step).ceil() * step) } else { (low, high) };
    // Half a hundredth of a step forgives the rounding of the two divisions.
    let (from, to) = ((low / step - 0.005).ceil() as i64, (high / step + 0.005).floor() as i64);
    let decimals = usize::try_from(-(step.log10().floor() as i32)).unwrap_or(0);
    let label = |value: f64| {
        let largest = low.abs().max(high.abs());
        if !(0.001..100_000.0).contains(&largest) {
            let text = format!("{value:e}");
            return if value == 0.0 { "0".to_owned() } else { shortened(&text) };
        }
        format!("{:.decimals$}", if value == 0.0 { 0.0 } else { value })
    };
    let ticks = (from..=to).take(100).map(|k| k as f64 * step).map(|v| (v, Some(label(v)))).collect();
    (low, high, ticks)
}

/// Four digits of a number in exponent form are enough for a tick.
fn shortened(text: &str) -> String {
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let kept: String = digits.chars().take(6).collect();
            let kept =
                if kept.contains('.') { kept.trim_end_matches('0').trim_end_matches('.') } else { &kept };
            format!("{kept}e{exponent}")
        }
        None => text.to_owned(),
    }
}

/// Labelled ticks at powers of ten, and at 2 and 5 times them where there are few; minor ones between.
fn log_ticks(low: f64, high: f64, padded: bool) -> (f64, f64, Vec<Tick>) {
    let (mut low, mut high) = (low, high);
    let mantissas = [1.0, 2.0, 5.0, 10.0];
    if padded {
        let floor = 10_f64.powf(low.log10().floor());
        let ceiling = 10_f64.powf(high.log10().floor());
        low = mantissas.iter().rev().map(|m| m * floor).find(|v| *v <= low * 1.000_001).unwrap_or(low);
        high = mantissas.iter().map(|m| m * ceiling).find(|v| *v >= high * 0.999_999).unwrap_or(high);
    }
    let decades = high.log10() - low.log10();
    let mut ticks = Vec::new();
    for exponent in low.log10().floor() as i32..=high.log10().ceil() as i32 {
        for digit in 1..10 {
            let value = f64::from(digit) * 10_f64.powi(exponent);
            if value < low * 0.999_999 || value > high * 1.000_001 {
                continue;
            }
            let labelled = digit == 1 || (decades < 3.0 && (digit == 2 || digit == 5));
            ticks.push((value, labelled.then(|| log_label(value, exponent))));
        }
    }
    (low, high, ticks)
}

fn log_label(value: f64, exponent: i32) -> String {
    match exponent {
        -3..=-1 => format!("{value:.0$}", usize::try_from(-exponent).unwrap_or(0)),
        0..=3 => format!("{value:.0}"),
        4..=5 => {
            let digits = format!("{value:.0}");
            let (head, tail) = digits.split_at(digits.len() - 3);
            format!("{head} {tail}")
        }
        // Only whole digits are labelled; the rest is rounding.
        _ => format!("{value:.0e}"),
    }
}
