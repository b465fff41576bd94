//! `clearance schema`: the JSON Schema of query lines and of their answers.

use crate::failure::Failure;
use crate::run::Verdict;
use std::io::Write as _;

const SCHEMA: &str = include_str!("query.schema.json");

/// Prints the schema.
pub(crate) fn schema() -> Result<Verdict, Failure> {
    std::io::stdout().write_all(SCHEMA.as_bytes())?;
    Ok(Verdict::Clear)
}
