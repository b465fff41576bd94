//! Certificates of distances: their file, and a checker that shares no code with the search that writes them.

mod digest;
pub mod model;
mod refusal;
mod step;

pub use model::{
    BodyDescription, Certificate, HalfSpace, Level, Patch, Piece, Pose, Shape, TrimPart, VERSION, Witness,
};
pub use refusal::{Fault, Refusal};
pub use step::{Axis, Side, Step};

/// Longest file, in bytes, that is read.
pub const MAX_BYTES: usize = 1 << 28;

impl Certificate {
    /// Reads a certificate; nothing but its form is checked.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], or [`Refusal::TooLarge`] beyond [`MAX_BYTES`].
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
