//! Certificates of distances: their file, and a checker that shares no code with the search that writes them.
//!
//! A certificate describes two bodies by control points, says how far apart they are, and proves that no two points are
//! nearer than a bound: a tree of pairs of cells, each left out for a reason that a few interval operations confirm. The
//! page *Certificates* of the book has the format, the argument and what is trusted.
//!
//! [`check()`] reads and checks a file. A writer builds a [`Certificate`], calls [`Certificate::seal`] and writes
//! [`Certificate::to_json`].
//!
//! ```
//! use clearance_certificate::*;
//!
//! let point = |name: &str| BodyDescription {
//!     name: Some(name.to_owned()),
//!     pieces: vec![Piece {
//!         feature: "vertex:0".to_owned(),
//!         slack: 0.0,
//!         shape: Shape::Patch(Patch { degree: vec![], points: vec![[0.0, 0.0, 0.0, 1.0]], trim: None }),
//!     }],
//!     groups: vec![vec![0]],
//! };
//! let mut certificate = Certificate {
//!     certificate: VERSION,
//!     units: None,
//!     bodies: [point("one"), point("other")],
//!     pose: Pose { translation: [0.0, 0.0, 3.0], ..Pose::IDENTITY },
//!     distance: 3.0,
//!     lower_bound: 2.999,
//!     witnesses: [Witness { piece: 0, at: vec![] }, Witness { piece: 0, at: vec![] }],
//!     proof: vec![Step::Slab { direction: [0.0, 0.0, 1.0] }],
//!     digest: String::new(),
//! };
//! assert_eq!(check_certificate(&certificate), Err(Refusal::Digest));
//! certificate.seal();
//! assert_eq!(check(certificate.to_json().as_bytes())?.leaves, 1);
//! # Ok::<(), Refusal>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

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
