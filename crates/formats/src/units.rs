//! Units of length.

use crate::{Error, ErrorKind};
use std::str::FromStr;

/// A unit of length; metres unless said otherwise.
///
/// ```
/// use clearance_formats::Units;
/// let inch: Units = "in".parse()?;
/// assert_eq!(inch.to(Units::Millimetre).apply(2.0), 50.8);
/// # Ok::<(), clearance_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// `m`
    #[default]
    Metre,
    /// `mm`
    Millimetre,
    /// `cm`
    Centimetre,
    /// `in`
    Inch,
}

impl Units {
    /// As files and answers write it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Inch => "in",
        }
    }

    /// Tenths of a millimetre: whole for every unit, so that conversions are ratios of whole numbers.
    const fn tenths(self) -> u32 {
        match self {
            Self::Metre => 10_000,
            Self::Millimetre => 10,
            Self::Centimetre => 100,
            Self::Inch => 254,
        }
    }

    /// How numbers in this unit become numbers in another.
    pub const fn to(self, other: Self) -> Scale {
        let (mut a, mut b) = (self.tenths(), other.tenths());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Scale { multiply: self.tenths() / a, divide: other.tenths() / a }
    }
}

impl FromStr for Units {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        [Self::Metre, Self::Millimetre, Self::Centimetre, Self::Inch]
            .into_iter()
            .find(|units| units.symbol() == text)
            .ok_or_else(|| Error::new(ErrorKind::UnknownUnits { units: text.to_owned() }))
    }
}

/// A ratio of whole numbers that lengths are multiplied with; one rounding where the units are metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    multiply: u32,
    divide: u32,
}

impl Scale {
    /// Leaves lengths as they are.
    pub const ONE: Self = Self { multiply: 1, divide: 1 };

    /// Converts a length.
    pub fn apply(self, length: f64) -> f64 {
        length * f64::from(self.multiply) / f64::from(self.divide)
    }

    /// Converts every length of a vector.
    pub fn apply_all<const N: usize>(self, vector: [f64; N]) -> [f64; N] {
        vector.map(|length| self.apply(length))
    }
}
