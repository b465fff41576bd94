//! Shapes and poses named on the command line.

use crate::failure::Failure;
use crate::json::quoted;
use clearance_formats::{AnyPose, Context, Shape};
use std::io::Read as _;

/// A shape: inline JSON, a file, or `-` for JSON on standard input.
pub(crate) fn shape(argument: &str, name: &str, context: &Context) -> Result<Shape, Failure> {
    if argument == "-" {
        let text = standard_input()?;
        return Shape::from_json(&text, context)
            .map_err(|error| Failure::in_text(&error, "standard input", &text));
    }
    let inline = argument.trim_start().starts_with('{');
    Shape::from_argument(argument, context).map_err(|error| {
        if inline {
            return Failure::in_text(&error, name, argument);
        }
        let body_is_at_fault =
            ["not_convex", "not_manifold", "inconsistent_orientation", "unsupported_feature"];
        let advised = body_is_at_fault.contains(&error.code());
        let failure = Failure::from(error);
        if !advised {
            return failure;
        }
        let file = quoted(argument);
        failure.help(format!("its convex hull: '{{\"kind\": \"mesh\", \"file\": {file}, \"hull\": true}}'"))
    })
}

/// A pose as JSON; none is no motion.
pub(crate) fn pose(
    argument: Option<&str>,
    name: &str,
    planar: bool,
    context: &Context,
) -> Result<AnyPose, Failure> {
    let Some(text) = argument else { return Ok(AnyPose::identity(planar)) };
    AnyPose::from_json(text, planar, context).map_err(|error| Failure::in_text(&error, name, text))
}

/// All of standard input.
pub(crate) fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| Failure::input("bad_file", format!("standard input: {error}")))?;
    Ok(text)
}
