//! `clearance check-certificate FILE`: whether the proof in a file holds.

use crate::failure::Failure;
use crate::json::quoted;
use crate::run::{Surroundings, Verdict};
use crate::terminal::number;
use clearance_certificate::{Refusal, check};
use clearance_formats::shortest;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

/// Prints what is proven, or why nothing is; status 1 where the certificate is refused.
pub(crate) fn check_certificate(file: &str, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let bytes = read(file)?;
    let outcome = check(&bytes);
    let (text, verdict) = match outcome {
        Err(refusal) if refusal.is_unreadable() => {
            return Err(Failure::input("bad_file", format!("{file}: {refusal}")));
        }
        Ok(proven) if surroundings.common.json => (proven_json(&proven), Verdict::Clear),
        Ok(proven) => (proven_in_words(&proven), Verdict::Clear),
        Err(refusal) if surroundings.common.json => (refused_json(&refusal), Verdict::Violated),
        Err(refusal) => (format!("REFUSED   {refusal}\n"), Verdict::Violated),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(verdict)
}

fn read(file: &str) -> Result<Vec<u8>, Failure> {
    if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::input("bad_file", format!("standard input: {error}")))?;
        return Ok(bytes);
    }
    std::fs::read(file).map_err(|error| Failure::input("file_not_found", format!("{file}: {error}")))
}

fn proven_in_words(proven: &clearance_certificate::Verdict) -> String {
    let unit = proven.units.as_deref().unwrap_or("");
    let mut text = String::from("accepted\n");
    for ((side, name), pieces) in ["a", "b"].iter().zip(&proven.names).zip(proven.pieces) {
        let name = name.as_deref().unwrap_or("(no name)");
        let _ = writeln!(text, "body {side}    {name}, {pieces} pieces");
    }
    let _ = writeln!(text, "distance  {} {unit}", shortest(proven.distance));
    let error = number(proven.error());
    let _ = writeln!(
        text,
        "          at least {}, proven (error at most {error} {unit})",
        shortest(proven.lower_bound)
    );
    let _ = writeln!(text, "proof     {} steps, {} leaves", proven.steps, proven.leaves);
    for (side, _) in ["a", "b"].iter().zip(proven.on_boundary).filter(|(_, on_boundary)| *on_boundary) {
        let _ = writeln!(
            text,
            "note      witness {side} is on the boundary of its face, as closely as that is described"
        );
    }
    text
}

fn proven_json(proven: &clearance_certificate::Verdict) -> String {
    let text = |name: &Option<String>| name.as_deref().map_or_else(|| "null".to_owned(), quoted);
    let [a, b] = &proven.names;
    let [on_a, on_b] = proven.on_boundary;
    format!(
        "{{\"accepted\":true,\"bodies\":[{},{}],\"units\":{},\"distance\":{},\"lower_bound\":{},\"error\":{},\
         \"steps\":{},\"leaves\":{},\"pieces\":[{},{}],\"on_boundary\":[{on_a},{on_b}]}}\n",
        text(a),
        text(b),
        text(&proven.units),
        shortest(proven.distance),
        shortest(proven.lower_bound),
        shortest(proven.error()),
        proven.steps,
        proven.leaves,
        proven.pieces[0],
        proven.pieces[1],
    )
}

fn refused_json(refusal: &Refusal) -> String {
    let step = refusal.step().map_or_else(|| "null".to_owned(), |step| step.to_string());
    format!("{{\"accepted\":false,\"step\":{step},\"reason\":{}}}\n", quoted(&refusal.to_string()))
}
