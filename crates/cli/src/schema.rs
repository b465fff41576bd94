//! `clearance schema`: the JSON Schemas of query lines with their answers, and of scenes.

use crate::failure::Failure;
use crate::run::Verdict;
use std::io::Write as _;

const QUERY: &str = include_str!("query.schema.json");
const SCENE: &str = include_str!("scene.schema.json");

/// What a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Subject {
    /// Lines of `clearance query`, and its answers
    Query,
    /// Scene files; shapes and poses are those of `query`
    Scene,
}

/// Prints a schema.
pub(crate) fn schema(subject: Subject) -> Result<Verdict, Failure> {
    let text = match subject {
        Subject::Query => QUERY,
        Subject::Scene => SCENE,
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::Clear)
}
