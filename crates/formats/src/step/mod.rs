//! STEP files (ISO 10303-21; AP203, AP214, AP242) as plain data.
//!
//! [`StepModel`] holds the boundary representation as it is written: surfaces and curves exactly, never
//! tessellated, lengths converted to one unit, assemblies flattened to instances with their paths. What this
//! version cannot represent is named with its record and line.

mod bodies;
mod curves;
mod edges;
mod features;
mod model;
mod parameters;
mod placement;
mod products;
mod source;
mod surfaces;
mod syntax;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod syntax_tests;
mod text;
mod tiled;
mod tokens;
mod trim;
mod units;
mod walk;

pub use model::{
    Fault, StepBody, StepBodyKind, StepCourse, StepEdge, StepEdgeUse, StepFace, StepInstance, StepLoop,
    StepModel, StepParameterCurve, StepRefusal, StepShell, StepVertex,
};

use crate::shape::read_bytes;
use crate::{Error, ErrorKind, Units};
use source::Source;
use std::path::Path;

/// How many records the content of a file has, whatever they mean: what reading the syntax alone takes.
///
/// ```
/// let text = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/step_made/void.step"));
/// assert_eq!(clearance_formats::step::record_count(text)?, 362);
/// # Ok::<(), clearance_formats::Error>(())
/// ```
///
/// # Errors
/// `bad_file`, with the line, when it is not a STEP file.
pub fn record_count(bytes: &[u8]) -> Result<usize, Error> {
    Source::parse(bytes).map(|source| source.len())
}

impl StepModel {
    /// Reads a file, with lengths converted to `units`.
    ///
    /// # Errors
    /// `file_not_found`, or as [`StepModel::from_bytes`].
    pub fn read(path: &Path, units: Units) -> Result<Self, Error> {
        Self::from_bytes(&read_bytes(path)?, units)
    }

    /// Reads the content of a file, with lengths converted to `units`.
    ///
    /// ```
    /// use clearance_formats::{Units, step::StepModel};
    /// // A block with a round hole inside it.
    /// let text = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/step_made/void.step"));
    /// let model = StepModel::from_bytes(text, Units::Millimetre)?;
    /// let block = &model.bodies[0];
    /// assert_eq!((block.faces.len(), block.shells.len()), (7, 2));
    /// assert_eq!(block.written_in, "millimetre");
    ///
    /// let error = StepModel::from_bytes(b"solid cube", Units::Millimetre).unwrap_err();
    /// assert_eq!(error.code(), "bad_file");
    /// # Ok::<(), clearance_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_file` when it is not a STEP file, is cut short, or has no body that can be represented.
    pub fn from_bytes(bytes: &[u8], units: Units) -> Result<Self, Error> {
        let source = Source::parse(bytes)?;
        let model = walk::model(&source, units)?;
        if !model.bodies.is_empty() {
            return Ok(model);
        }
        let reason = match (model.refused.first(), model.warnings.last()) {
            (Some(refusal), _) => refusal.reason.to_string(),
            (None, Some(warning)) => format!("the file has no bodies; {warning}"),
            (None, None) => "the file has no bodies".to_owned(),
        };
        Err(Error::new(ErrorKind::BadFile { reason }))
    }

    /// Instances of a part, named by its product, or by the number of its record as `#12`.
    pub fn instances_of<'m>(&'m self, part: &'m str) -> impl Iterator<Item = &'m StepInstance> {
        let entity: Option<u64> = part.strip_prefix('#').and_then(|number| number.parse().ok());
        self.instances.iter().filter(move |instance| {
            let body = &self.bodies[instance.body];
            entity.map_or_else(
                || body.name == part || instance.path.iter().any(|name| name == part),
                |entity| body.entity == entity,
            )
        })
    }
}
