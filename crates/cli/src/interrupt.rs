//! Ctrl-C. A run stops at its next frame, keeps what it has recorded and says what it came to; a second one ends the
//! program on the spot.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells report of a program that an interrupt ended.
pub(crate) const STATUS: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on an interrupt is a wish that the run looks for between its frames.
pub(crate) fn listen() {
    // Where the system has no such thing, or somebody listens already, an interrupt ends the program as ever.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS.into());
        }
        let _ = writeln!(std::io::stderr(), "\nstopping at the next frame; once more to end at once");
    });
}

/// Whether somebody wants the run to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
