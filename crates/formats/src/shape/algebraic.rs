//! Zero sets of polynomials.

use super::{AnyBody, place};
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::Body;
use clearance_geometry::algebraic::{AlgebraicError, AlgebraicSurface, Polynomial};
use clearance_geometry::bound::Aabb;

pub(super) fn algebraic(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("polynomial")?;
    let written: Polynomial = field.text()?.parse().map_err(|error| field.place(Error::from(error)))?;
    // The polynomial is written in the unit of the input.
    let polynomial =
        written.enlarged(context.scale().apply(1.0)).map_err(|error| field.place(error.into()))?;
    let within = at.need("within")?;
    let corners = within.items()?;
    let [low, high] = corners.as_slice() else {
        let found = format!("{} points", corners.len());
        return Err(within.error(ErrorKind::WrongType { expected: "two points".to_owned(), found }));
    };
    let within_box = Aabb { low: place(low, context)?, high: place(high, context)? };
    AlgebraicSurface::new(polynomial, within_box).map(|surface| AnyBody::Solid(Body::from(surface))).map_err(
        |error| match error {
            AlgebraicError::BadBox { .. } => within.place(error.into()),
            _ => field.place(error.into()),
        },
    )
}
