//! Whether a cell, or a witness, lies in the trimmed region of its face.
//!
//! Source: the winding number, as the sum of the signed crossings of a ray toward smaller v.
//! Differs: a part of the boundary is known by its ends and a rectangle around it only. A point outside the rectangle sees
//! it as the line between its ends would look from above or from beside; within the rectangle nothing is decided.
//! Ends because: one pass over the parts.
//! Cost: O(parts).
//! Not promised: that the rectangles contain the boundary; that is part of what describes the body.

use crate::model::TrimPart;
use crate::refusal::Fault;
use crate::tolerance::SEAM_REL;

/// How often the boundary runs around a point; none where the point is in the rectangle of a part.
pub(crate) fn winding(parts: &[TrimPart], at: [f64; 2]) -> Option<i64> {
    let mut sum = 0;
    for part in parts {
        if meets(part, at, at) {
            return None;
        }
        let beyond = |end: [f64; 2]| i64::from(end[0] > at[0]);
        // Both ends are on the same side of a point that is beside the rectangle.
        if at[1] > part.high[1] {
            sum += beyond(part.to) - beyond(part.from);
        }
    }
    Some(sum)
}

/// Whether a cell is outside.
pub(crate) fn outside(parts: &[TrimPart], low: [f64; 2], high: [f64; 2]) -> Result<(), Fault> {
    if parts.iter().any(|part| meets(part, low, high)) {
        return Err(Fault::MeetsBoundary);
    }
    let middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
    if !parts.is_empty() && winding(parts, middle) == Some(0) { Ok(()) } else { Err(Fault::NotOutside) }
}

/// Whether two closed rectangles meet.
fn meets(part: &TrimPart, low: [f64; 2], high: [f64; 2]) -> bool {
    (0..2).all(|k| part.low[k] <= high[k] && low[k] <= part.high[k])
}

/// What is wrong with a list of parts, if anything.
pub(crate) fn fault(parts: &[TrimPart]) -> Option<&'static str> {
    for part in parts {
        let within = |end: [f64; 2]| (0..2).all(|k| part.low[k] <= end[k] && end[k] <= part.high[k]);
        if !(within(part.from) && within(part.to)) {
            return Some("a trim part leaves its rectangle");
        }
        if [part.low, part.high].as_flattened().iter().any(|t| !(-0.5..=1.5).contains(t)) {
            return Some("a trim part is not clamped to [-0.5, 1.5]");
        }
    }
    // Where one part ends, another begins, or windings would be those of an open line.
    let ends = |pick: &dyn Fn(&TrimPart) -> [f64; 2]| {
        let matters = |end: &[f64; 2]| end[0] > SEAM_REL && end[0] < 1.0 - SEAM_REL && end[1] <= 1.0;
        let mut ends: Vec<[f64; 2]> = parts.iter().map(pick).filter(matters).collect();
        ends.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        ends
    };
    (ends(&|part| part.from) != ends(&|part| part.to)).then_some("the boundary of a trimmed region is open")
}
