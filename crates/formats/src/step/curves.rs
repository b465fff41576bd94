//! Curves of a STEP file.

use super::Fault;
use super::placement::{frame, point, raw_point, raw_vector};
use super::source::{Fields, Mixed, Record};
use super::trim;
use super::units::Scales;
use clearance_geometry::DVec3;
use clearance_geometry::curve::{
    Circle, Curve, Ellipse, Hyperbola, Line, NurbsCurve, Parabola, ParametricCurve, Range,
};
use std::f64::consts::TAU;
use std::fmt::Display;

/// Curves that refer to curves are followed this far; longer chains are taken for circles.
const DEEPEST_CURVE: usize = 16;

/// A piece of a curve, run backwards where `reversed`.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) curve: Curve,
    pub(super) range: Range,
    pub(super) reversed: bool,
}

/// A curve without bounds, and whether it runs against the record's own direction.
pub(super) fn curve(record: Record<'_>, scales: &Scales) -> Result<(Curve, bool), Fault> {
    curve_at(record, scales, 0)
}

fn curve_at(record: Record<'_>, scales: &Scales, depth: usize) -> Result<(Curve, bool), Fault> {
    if depth > DEEPEST_CURVE {
        return Err(record.fault("refers to itself"));
    }
    if let Some(inner) = spatial(record)? {
        return curve_at(inner, scales, depth + 1);
    }
    let fields = record.fields();
    if record.is("TRIMMED_CURVE") {
        let (curve, reversed) = curve_at(fields.link(1)?, scales, depth + 1)?;
        return Ok((curve, reversed == fields.flag(4)?));
    }
    let refused = |error: &dyn Display| record.fault(format!("is no curve: {error}"));
    let curve = match record.simple_kind() {
        "LINE" => {
            let (along, length) = raw_vector(fields.link(2)?)?;
            let origin = point(fields.link(1)?, scales)?;
            Line::new(origin, along * scales.length(length)).map_err(|e| refused(&e))?.into()
        }
        "CIRCLE" => {
            let radius = scales.length(fields.real(2)?);
            Circle::new(frame(fields.link(1)?, scales)?, radius).map_err(|e| refused(&e))?.into()
        }
        "ELLIPSE" => {
            let radii = [scales.length(fields.real(2)?), scales.length(fields.real(3)?)];
            Ellipse::new(frame(fields.link(1)?, scales)?, radii).map_err(|e| refused(&e))?.into()
        }
        "HYPERBOLA" => {
            let radii = [scales.length(fields.real(2)?), scales.length(fields.real(3)?)];
            Hyperbola::new(frame(fields.link(1)?, scales)?, radii).map_err(|e| refused(&e))?.into()
        }
        "PARABOLA" => {
            let focal = scales.length(fields.real(2)?);
            Parabola::new(frame(fields.link(1)?, scales)?, focal).map_err(|e| refused(&e))?.into()
        }
        "POLYLINE" => polyline(record, scales)?.into(),
        _ if is_spline(record) => {
            let points = spline_points(record, |record| point(record, scales))?;
            spline(record, &points)?.into()
        }
        _ => return Err(record.unsupported("a curve")),
    };
    Ok((curve, false))
}

/// The curve in space of a record that carries parameter curves with it.
pub(super) fn spatial(record: Record<'_>) -> Result<Option<Record<'_>>, Fault> {
    if ["SURFACE_CURVE", "SEAM_CURVE", "INTERSECTION_CURVE"].iter().any(|kind| record.is(kind)) {
        return record
            .own_or_all("SURFACE_CURVE")
            .link(usize::from(!record.simple_kind().is_empty()))
            .map(Some);
    }
    Ok(None)
}

fn polyline(record: Record<'_>, scales: &Scales) -> Result<NurbsCurve, Fault> {
    let points = record.fields().links(1)?;
    let points = points.into_iter().map(|p| point(p, scales)).collect::<Result<Vec<_>, _>>()?;
    let mut knots: Vec<f64> = (0..points.len()).map(|at| at as f64).collect();
    knots.insert(0, 0.0);
    knots.push(points.len().saturating_sub(1) as f64);
    NurbsCurve::new(1, knots, &points, None).map_err(|error| record.fault(format!("is no curve: {error}")))
}

/// Attributes of B-spline curves, ancestors first.
const SPLINE: [(&str, usize); 3] =
    [("REPRESENTATION_ITEM", 1), ("B_SPLINE_CURVE", 5), ("B_SPLINE_CURVE_WITH_KNOTS", 3)];

/// Whether a record is a B-spline curve of any form.
pub(super) fn is_spline(record: Record<'_>) -> bool {
    let kinds = [
        "B_SPLINE_CURVE_WITH_KNOTS",
        "B_SPLINE_CURVE",
        "BEZIER_CURVE",
        "UNIFORM_CURVE",
        "QUASI_UNIFORM_CURVE",
        "RATIONAL_B_SPLINE_CURVE",
    ];
    kinds.iter().any(|kind| record.is(kind))
}

/// The control points of a B-spline curve, each read by `read`.
pub(super) fn spline_points<'a>(
    record: Record<'a>,
    read: impl Fn(Record<'a>) -> Result<DVec3, Fault>,
) -> Result<Vec<DVec3>, Fault> {
    record.own("B_SPLINE_CURVE", &SPLINE)?.links(1)?.into_iter().map(read).collect()
}

/// A B-spline curve through its control points.
pub(super) fn spline(record: Record<'_>, points: &[DVec3]) -> Result<NurbsCurve, Fault> {
    let degree = record.own("B_SPLINE_CURVE", &SPLINE)?.count(0)?;
    let form = if record.is("B_SPLINE_CURVE_WITH_KNOTS") {
        let own = record.own("B_SPLINE_CURVE_WITH_KNOTS", &SPLINE)?;
        KnotForm::Given(own.counts(0)?, own.reals(1)?)
    } else {
        KnotForm::of(record, "CURVE")?
    };
    let knots = form.knots(record, degree, points.len())?;
    let weights = if record.is("RATIONAL_B_SPLINE_CURVE") {
        let chain = [("REPRESENTATION_ITEM", 1), ("B_SPLINE_CURVE", 5), ("RATIONAL_B_SPLINE_CURVE", 1)];
        Some(record.own("RATIONAL_B_SPLINE_CURVE", &chain)?.reals(0)?)
    } else {
        None
    };
    NurbsCurve::new(degree, knots, points, weights.as_deref())
        .map_err(|error| record.fault(format!("is no curve: {error}")))
}

/// How a B-spline says its knots.
pub(super) enum KnotForm {
    /// Multiplicities and values.
    Given(Vec<usize>, Vec<f64>),
    /// One apart, none repeated.
    Uniform,
    /// One apart, the ends repeated so that the curve reaches them.
    QuasiUniform,
    /// One apart, every inner knot repeated as often as the degree.
    Bezier,
}

impl KnotForm {
    /// The form of a record without knots; `what` is `CURVE` or `SURFACE`.
    pub(super) fn of(record: Record<'_>, what: &str) -> Result<Self, Fault> {
        if record.is(&format!("BEZIER_{what}")) {
            Ok(Self::Bezier)
        } else if record.is(&format!("QUASI_UNIFORM_{what}")) {
            Ok(Self::QuasiUniform)
        } else if record.is(&format!("UNIFORM_{what}")) {
            Ok(Self::Uniform)
        } else {
            Err(record.fault("says nothing of its knots"))
        }
    }

    /// The knots one by one.
    pub(super) fn knots(&self, record: Record<'_>, degree: usize, points: usize) -> Result<Vec<f64>, Fault> {
        // Counts are compared before anything is reserved, for a file may claim any number.
        if degree == 0 || degree >= points {
            return Err(record.fault(format!("has degree {degree} with {points} control points")));
        }
        let needed = points + degree + 1;
        let spans = points - degree;
        match self {
            Self::Given(multiplicities, values) => {
                let total = multiplicities.iter().fold(0_usize, |sum, &m| sum.saturating_add(m));
                if multiplicities.len() != values.len() || total != needed {
                    return Err(record.fault(format!(
                        "has {total} knots ({} values, {} multiplicities) where {needed} are needed",
                        values.len(),
                        multiplicities.len()
                    )));
                }
                let repeated = multiplicities.iter().zip(values);
                Ok(repeated.flat_map(|(&count, &value)| std::iter::repeat_n(value, count)).collect())
            }
            Self::Uniform => Ok((0..needed).map(|at| at as f64 - degree as f64).collect()),
            Self::QuasiUniform => {
                Ok((0..needed).map(|at| at.saturating_sub(degree).min(spans) as f64).collect())
            }
            Self::Bezier if (points - 1).is_multiple_of(degree) => {
                let pieces = (points - 1) / degree;
                Ok((0..needed).map(|at| (at.saturating_sub(1) / degree).min(pieces) as f64).collect())
            }
            Self::Bezier => {
                Err(record.fault(format!("has {points} points, not a multiple of the degree and one")))
            }
        }
    }
}

/// A bounded curve as pieces head to tail: of a composite curve its segments, else one.
pub(super) fn pieces(record: Record<'_>, scales: &Scales) -> Result<Vec<Piece>, Fault> {
    let mut found = Vec::new();
    pieces_at(record, scales, 0, &mut 0, &mut found)?;
    Ok(found)
}

/// Whether a record is a chain of curves.
pub(super) fn is_composite(record: Record<'_>) -> bool {
    record.is("COMPOSITE_CURVE") || record.is("COMPOSITE_CURVE_ON_SURFACE")
}

/// Curves visited for one composite curve; more are taken for a curve that contains itself over and over.
const MOST_VISITS: usize = 100_000;

fn pieces_at(
    record: Record<'_>,
    scales: &Scales,
    depth: usize,
    visits: &mut usize,
    found: &mut Vec<Piece>,
) -> Result<(), Fault> {
    *visits += 1;
    if depth > DEEPEST_CURVE || *visits > MOST_VISITS {
        return Err(record.fault("refers to itself"));
    }
    if !is_composite(record) {
        found.push(bounded(record, scales)?);
        return Ok(());
    }
    for segment in record.fields().links(1)? {
        if !segment.is("COMPOSITE_CURVE_SEGMENT") && !segment.is("REPARAMETRISED_COMPOSITE_CURVE_SEGMENT") {
            return Err(segment.unsupported("a segment"));
        }
        let fields = segment.fields();
        let start = found.len();
        pieces_at(fields.link(2)?, scales, depth + 1, visits, found)?;
        if !fields.flag(1)? {
            found[start..].reverse();
            for piece in &mut found[start..] {
                piece.reversed = !piece.reversed;
            }
        }
    }
    Ok(())
}

fn bounded(record: Record<'_>, scales: &Scales) -> Result<Piece, Fault> {
    let record = spatial(record)?.unwrap_or(record);
    let (curve, reversed) = curve(record, scales)?;
    if !record.is("TRIMMED_CURVE") {
        let range = curve.domain();
        if !range.is_bounded() {
            return Err(record.fault("has no ends"));
        }
        return Ok(Piece { curve, range, reversed });
    }
    let fields = record.fields();
    let first = trim_parameter(&curve, fields, 2, scales)?;
    let second = trim_parameter(&curve, fields, 3, scales)?;
    // With `reversed` the piece runs from the first trim to the second against the curve.
    let (low, mut high) = if reversed { (second, first) } else { (first, second) };
    if let Some(period) = curve.period()
        && high <= low
    {
        high += period * ((low - high) / period).floor() + period;
    }
    if !(low < high) {
        return Err(record.fault("is trimmed to nothing"));
    }
    Ok(Piece { curve, range: Range::new(low, high), reversed })
}

/// The parameter at which a trimmed curve begins or ends.
fn trim_parameter(curve: &Curve, fields: Fields<'_>, index: usize, scales: &Scales) -> Result<f64, Fault> {
    let mut place = None;
    let mut parameter = None;
    for item in fields.mixed(index)? {
        match item {
            Mixed::Link(record) => place = Some(point(record, scales)?),
            Mixed::Number(value) => parameter = Some(value),
        }
    }
    match (place, parameter) {
        (Some(place), _) => Ok(trim::nearest(curve, place).0),
        (None, Some(value)) if matches!(curve, Curve::Circle(_) | Curve::Ellipse(_)) => {
            Ok((value * scales.angle).rem_euclid(TAU))
        }
        (None, Some(value)) => Ok(value),
        (None, None) => Err(fields.record.fault("has no trim")),
    }
}

/// A curve in a parameter plane, its coordinates as written; `None` for kinds that are not needed exactly.
pub(super) fn planar(record: Record<'_>, scale: [f64; 2]) -> Result<Option<Curve>, Fault> {
    let fields = record.fields();
    let scaled = |v: DVec3| DVec3::new(v.x * scale[0], v.y * scale[1], 0.0);
    let refused = |error: &dyn Display| record.fault(format!("is no curve: {error}"));
    Ok(match record.simple_kind() {
        "LINE" => {
            let (along, length) = raw_vector(fields.link(2)?)?;
            let origin = scaled(raw_point(fields.link(1)?)?);
            Some(Line::new(origin, scaled(along * length)).map_err(|e| refused(&e))?.into())
        }
        "POLYLINE" => None,
        _ if is_spline(record) => {
            let points = spline_points(record, |record| Ok(scaled(raw_point(record)?)))?;
            Some(spline(record, &points)?.into())
        }
        _ => None,
    })
}
