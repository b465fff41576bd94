//! Intervals that round outward. (in work)

/// A closed interval of reals that contains the exact result of the operations that made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The interval of one number.
    pub const fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Lower end.
    pub const fn low(self) -> f64 {
        self.low
    }

    /// Upper end.
    pub const fn high(self) -> f64 {
        self.high
    }
}
