//! Certificates of distances: their file, and a checker that shares no code with the search that writes them.

mod bernstein;
mod body;
mod bounds;
mod check;
mod digest;
mod interval;
mod level;
pub mod model;
mod patch;
mod placement;
mod refusal;
mod step;
mod tolerance;
mod trim;
mod witness;

pub use check::{Verdict, check, check_certificate};

pub use model::{
    BodyDescription, Certificate, HalfSpace, Level, Patch, Piece, Pose, Shape, TrimPart, VERSION, Witness,
};
pub use refusal::{Fault, Refusal};
pub use step::{Axis, Side, Step};

use tolerance::MAX_BYTES;

impl Certificate {
    /// Reads a certificate; nothing but its form is checked.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], or [`Refusal::TooLarge`] beyond 256 MiB.
    pub fn from_json(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > MAX_BYTES {
            return Err(Refusal::TooLarge { reason: "bytes" });
        }
        serde_json::from_slice(bytes).map_err(|error| Refusal::Unreadable { reason: error.to_string() })
    }

    /// The file. Numbers that are not finite become `null`, which no reader takes.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
