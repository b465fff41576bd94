//! Units of a STEP file: each representation names its own.

use super::Fault;
use super::source::{Mixed, Record};
use crate::Units;

/// How the numbers of one representation become lengths in the unit asked for and radians.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scales {
    multiply: f64,
    divide: f64,
    /// Radians per unit of angle.
    pub(super) angle: f64,
    /// The unit of length as the file calls it.
    pub(super) name: String,
    /// Points that should coincide may be this far apart; a length, converted.
    pub(super) uncertainty: Option<f64>,
}

/// A unit of the file: `multiply / divide` metres or radians.
struct Unit {
    multiply: f64,
    divide: f64,
    name: String,
}

/// Chains of units longer than this are taken for circles.
const DEEPEST_UNIT: usize = 8;

const METRES: [(&str, f64, f64); 17] = [
    ("EXA", 1e18, 1.0),
    ("PETA", 1e15, 1.0),
    ("TERA", 1e12, 1.0),
    ("GIGA", 1e9, 1.0),
    ("MEGA", 1e6, 1.0),
    ("KILO", 1e3, 1.0),
    ("HECTO", 1e2, 1.0),
    ("DECA", 1e1, 1.0),
    ("", 1.0, 1.0),
    ("DECI", 1.0, 1e1),
    ("CENTI", 1.0, 1e2),
    ("MILLI", 1.0, 1e3),
    ("MICRO", 1.0, 1e6),
    ("NANO", 1.0, 1e9),
    ("PICO", 1.0, 1e12),
    ("FEMTO", 1.0, 1e15),
    ("ATTO", 1.0, 1e18),
];

impl Scales {
    /// Of a file that names no unit: millimetres and radians, as such files mean as a rule.
    pub(super) fn assumed(units: Units) -> Self {
        let unit = Unit { multiply: 1.0, divide: 1e3, name: "millimetre".to_owned() };
        Self::of(&unit, 1.0, units)
    }

    /// Of a representation with this context.
    pub(super) fn of_context(
        context: Record<'_>,
        units: Units,
        warnings: &mut Vec<Fault>,
    ) -> Result<Self, Fault> {
        let mut length = None;
        let mut angle = None;
        if context.is("GLOBAL_UNIT_ASSIGNED_CONTEXT") {
            let chain = [("REPRESENTATION_CONTEXT", 2), ("GLOBAL_UNIT_ASSIGNED_CONTEXT", 1)];
            for unit in context.own("GLOBAL_UNIT_ASSIGNED_CONTEXT", &chain)?.links(0)? {
                match dimension(unit) {
                    Some("METRE") => length = Some(unit_of(unit, 0)?),
                    Some("RADIAN") => angle = Some(unit_of(unit, 0)?),
                    _ => {}
                }
            }
        }
        let mut scales = match length {
            Some(unit) => Self::of(&unit, 1.0, units),
            None => {
                warnings.push(context.fault("names no unit of length; millimetres are assumed"));
                Self::assumed(units)
            }
        };
        if let Some(unit) = angle {
            scales.angle = unit.multiply / unit.divide;
        }
        scales.uncertainty = uncertainty(context, units)?;
        Ok(scales)
    }

    fn of(unit: &Unit, angle: f64, units: Units) -> Self {
        // Units per metre are whole numbers but for the inch, whose reciprocal is taken instead.
        let to_target = match units {
            Units::Metre => (1.0, 1.0),
            Units::Centimetre => (1e2, 1.0),
            Units::Millimetre => (1e3, 1.0),
            Units::Inch => (1e4, 254.0),
        };
        let (multiply, divide) = (unit.multiply * to_target.0, unit.divide * to_target.1);
        // Powers of ten cancel exactly, so that millimetres stay millimetres to the bit.
        let (multiply, divide) = if multiply >= divide && multiply % divide == 0.0 {
            (multiply / divide, 1.0)
        } else if divide % multiply == 0.0 {
            (1.0, divide / multiply)
        } else {
            (multiply, divide)
        };
        Self { multiply, divide, angle, name: unit.name.clone(), uncertainty: None }
    }

    /// Converts a length.
    pub(super) fn length(&self, value: f64) -> f64 {
        value * self.multiply / self.divide
    }
}

/// Of which quantity a unit is, by the name of its SI unit; metres and radians are all that matter here.
fn dimension(unit: Record<'_>) -> Option<&'static str> {
    if unit.is("LENGTH_UNIT") {
        return Some("METRE");
    }
    if unit.is("PLANE_ANGLE_UNIT") {
        return Some("RADIAN");
    }
    let chain = [("NAMED_UNIT", 1), ("SI_UNIT", 2)];
    match unit.own("SI_UNIT", &chain).and_then(|fields| fields.word(1)) {
        Ok("METRE") => Some("METRE"),
        Ok("RADIAN") => Some("RADIAN"),
        _ => None,
    }
}

fn unit_of(unit: Record<'_>, depth: usize) -> Result<Unit, Fault> {
    if depth > DEEPEST_UNIT {
        return Err(unit.fault("is defined by itself"));
    }
    if unit.is("SI_UNIT") {
        let fields = unit.own("SI_UNIT", &[("NAMED_UNIT", 1), ("SI_UNIT", 2)])?;
        let prefix = if fields.is_unset(0) { "" } else { fields.word(0)? };
        let Some((_, multiply, divide)) = METRES.iter().find(|(name, ..)| *name == prefix) else {
            return Err(unit.fault(format!("has the unknown prefix {prefix}")));
        };
        let name = format!("{prefix}{}", fields.word(1)?).to_lowercase();
        return Ok(Unit { multiply: *multiply, divide: *divide, name });
    }
    if unit.is("CONVERSION_BASED_UNIT") {
        let chain = [("NAMED_UNIT", 1), ("CONVERSION_BASED_UNIT", 2)];
        let fields = unit.own("CONVERSION_BASED_UNIT", &chain)?;
        let (factor, base) = measure(fields.link(1)?, depth)?;
        let name = fields.text(0)?.to_lowercase();
        return Ok(Unit { multiply: base.multiply * factor, divide: base.divide, name });
    }
    Err(unit.unsupported("a unit"))
}

/// Value and unit of a measure.
fn measure(measure: Record<'_>, depth: usize) -> Result<(f64, Unit), Fault> {
    let fields = measure.own_or_all("MEASURE_WITH_UNIT");
    let value = fields.real(0)?;
    if !(value > 0.0) {
        return Err(measure.fault("is not positive"));
    }
    Ok((value, unit_of(fields.link(1)?, depth + 1)?))
}

fn uncertainty(context: Record<'_>, units: Units) -> Result<Option<f64>, Fault> {
    if !context.is("GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT") {
        return Ok(None);
    }
    let chain = [("REPRESENTATION_CONTEXT", 2), ("GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT", 1)];
    for item in context.own("GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT", &chain)?.mixed(0)? {
        let Mixed::Link(record) = item else { continue };
        let fields = record.own_or_all("MEASURE_WITH_UNIT");
        // Zero is written by some and says nothing; an angle is of no use here.
        let (Ok(value), Ok(unit)) = (fields.real(0), fields.link(1)) else { continue };
        if value > 0.0 && dimension(unit) == Some("METRE") {
            return Ok(Some(Scales::of(&unit_of(unit, 0)?, 1.0, units).length(value)));
        }
    }
    Ok(None)
}
