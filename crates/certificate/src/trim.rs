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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(a: [f64; 2], b: [f64; 2]) -> TrimPart {
        let (low, high) = ([a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]);
        TrimPart { from: a, to: b, low, high }
    }

    /// A square from 0.25 to 0.75, counter-clockwise.
    fn square() -> Vec<TrimPart> {
        let corners = [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]];
        (0..4).map(|k| line(corners[k], corners[(k + 1) % 4])).collect()
    }

    #[test]
    fn windings_of_a_square() {
        let parts = square();
        assert_eq!(fault(&parts), None);
        for (at, expected) in [
            ([0.5, 0.5], Some(1)),
            ([0.5, 0.1], Some(0)),
            ([0.5, 0.9], Some(0)),
            ([0.1, 0.5], Some(0)),
            ([0.9, 0.5], Some(0)),
            ([0.25, 0.9], Some(0)),
            ([0.5, 0.25], None),
        ] {
            assert_eq!(winding(&parts, at), expected, "{at:?}");
        }
        assert_eq!(outside(&parts, [0.0, 0.0], [0.125, 1.0]), Ok(()));
        assert_eq!(outside(&parts, [0.0, 0.0], [0.25, 0.25]), Err(Fault::MeetsBoundary));
        assert_eq!(outside(&parts, [0.375, 0.375], [0.5, 0.5]), Err(Fault::NotOutside));
        assert_eq!(outside(&[], [0.0, 0.0], [0.5, 0.5]), Err(Fault::NotOutside));
    }

    #[test]
    fn open_boundaries_are_found() {
        for at in 0..4 {
            let mut parts = square();
            parts.remove(at);
            assert!(fault(&parts).is_some());
        }
        // What is above the patch, or beside its column, may be left out.
        let over = [
            line([0.25, 0.5], [0.75, 0.5]),
            line([0.75, 0.5], [0.75, 1.25]),
            line([0.25, 1.25], [0.25, 0.5]),
        ];
        assert_eq!(fault(&over), None);
        assert_eq!(winding(&over, [0.5, 0.75]), Some(1));
        let across = [line([-0.5, 0.5], [1.5, 0.5])];
        assert_eq!(fault(&across), None);
        assert_eq!((winding(&across, [0.5, 0.75]), winding(&across, [0.5, 0.25])), (Some(1), Some(0)));
    }
}
