//! The middle of the contact of two grown bodies that touch along a segment or a polygon.
//!
//! Source: 002, theorem 3.4 (the contact is the convex hull of its events).
//! Differs: DIFFERS: the events are not enumerated. The boundary of the contact consists of the pieces
//! of each outline inside the other, and the centroid is an integral over these pieces.
//! Ends because: every side is cut by every side of the other outline once.
//! Cost: O(n·m) for outlines of n and m sides, O(n + m) once that product is large; no allocation.
//! Not promised: more than a point of the contact, where it is thinner than the tolerance. On outlines
//! with very many sides the centroid itself: there it is the middle of chords through the contact.

use crate::tolerance;
use clearance_geometry::DVec2;

/// A convex outline in the plane of contact, counter-clockwise; a segment has two corners.
pub(super) struct Outline<F> {
    pub(super) count: usize,
    pub(super) corner: F,
}

impl<F: Fn(usize) -> DVec2> Outline<F> {
    fn sides(&self) -> impl Iterator<Item = [DVec2; 2]> {
        (0..self.count).map(|i| [(self.corner)(i), (self.corner)((i + 1) % self.count)])
    }
}

/// The middle of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Middle {
    pub(super) point: DVec2,
    /// Length of the contact's outline; 0 where it is one point.
    pub(super) outline: f64,
}

/// Sums over the pieces of the boundary, counted from a point nearby.
#[derive(Default)]
struct Sums {
    pieces: u32,
    points: DVec2,
    length: f64,
    along: DVec2,
    area: f64,
    moment: DVec2,
}

impl Sums {
    fn add(&mut self, p: DVec2, q: DVec2) {
        let length = p.distance(q);
        let area = 0.5 * p.perp_dot(q);
        self.pieces += 1;
        self.points += 0.5 * (p + q);
        self.length += length;
        self.along += 0.5 * length * (p + q);
        self.area += area;
        self.moment += area * (p + q) / 3.0;
    }
}

/// The centroid of the common part of two outlines; of its longest extent where it has no area.
/// `near` is a point close to it and the answer if rounding leaves nothing; `slack` is a length.
pub(super) fn middle<F: Fn(usize) -> DVec2, G: Fn(usize) -> DVec2>(
    first: &Outline<F>,
    second: &Outline<G>,
    near: DVec2,
    slack: f64,
) -> Middle {
    if first.count * second.count > tolerance::RATIO_OUTLINE_PRODUCT {
        return middle_of_chords(first, second, near, slack);
    }
    let mut sums = Sums::default();
    for side in first.sides() {
        if let Some([p, q]) = cut(side, second, slack, true) {
            sums.add(p - near, q - near);
        }
    }
    for side in second.sides() {
        if let Some([p, q]) = cut(side, first, slack, false) {
            sums.add(p - near, q - near);
        }
    }
    let outline = if sums.length > 4.0 * slack { sums.length } else { 0.0 };
    let has_area = first.count > 2 && second.count > 2 && sums.area > slack * sums.length;
    let offset = if has_area {
        sums.moment / sums.area
    } else if sums.length > 0.0 {
        sums.along / sums.length
    } else if sums.pieces > 0 {
        sums.points / f64::from(sums.pieces)
    } else {
        DVec2::ZERO
    };
    Middle { point: near + offset, outline }
}

/// An inner point of the common part of two outlines, which should hold `near`: the middle of a chord,
/// then of the chord across it there, and so on.
fn middle_of_chords<F: Fn(usize) -> DVec2, G: Fn(usize) -> DVec2>(
    first: &Outline<F>,
    second: &Outline<G>,
    near: DVec2,
    slack: f64,
) -> Middle {
    let size = first.sides().chain(second.sides()).map(|[p, _]| p.distance(near)).fold(0.0, f64::max);
    let mut point = near;
    let mut longest = 0.0_f64;
    for along in [DVec2::X, DVec2::Y, DVec2::X, DVec2::Y] {
        let whole = [point - along * size, point + along * size];
        let chord = cut(whole, first, slack, true).and_then(|piece| cut(piece, second, slack, true));
        if let Some([p, q]) = chord {
            point = 0.5 * (p + q);
            longest = longest.max(p.distance(q));
        }
    }
    Middle { point, outline: if longest > 4.0 * slack { 2.0 * longest } else { 0.0 } }
}

/// The piece of a side inside an outline. A side that runs along a side of the outline in the same
/// direction belongs to it only if `keep_common`, so that it is counted once.
fn cut<F: Fn(usize) -> DVec2>(
    [p, q]: [DVec2; 2],
    outline: &Outline<F>,
    slack: f64,
    keep_common: bool,
) -> Option<[DVec2; 2]> {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let mut clip = |before: f64, after: f64| {
        if before < -slack || after < -slack {
            let crossing = before / (before - after);
            if before < after { low = low.max(crossing) } else { high = high.min(crossing) }
        }
        before >= -slack || after >= -slack
    };
    for [from, to] in outline.sides() {
        let along = (to - from).normalize_or_zero();
        let [before, after] = [p, q].map(|point| along.perp_dot(point - from));
        if before.abs() <= slack && after.abs() <= slack {
            if !keep_common && along.dot(q - p) > 0.0 {
                return None;
            }
        } else if !clip(before, after) {
            return None;
        }
        // A segment's two sides run along it, so its ends have to cut as well.
        if outline.count == 2 && !clip(along.dot(p - from), along.dot(q - from)) {
            return None;
        }
    }
    (low <= high).then(|| [p + low * (q - p), p + high * (q - p)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(low: DVec2, high: DVec2) -> Vec<DVec2> {
        vec![low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    }

    fn middle_of(first: &[DVec2], second: &[DVec2]) -> Middle {
        let first = Outline { count: first.len(), corner: |i: usize| first[i] };
        let second = Outline { count: second.len(), corner: |i: usize| second[i] };
        middle(&first, &second, DVec2::new(0.1, 0.2), 1e-14)
    }

    #[test]
    fn overlap_of_rectangles_has_its_centroid() {
        let v = DVec2::new;
        let first = rectangle(v(0.0, 0.0), v(2.0, 1.0));
        for (second, expected) in [
            (rectangle(v(1.0, 0.5), v(4.0, 3.0)), v(1.5, 0.75)),
            (rectangle(v(0.0, 0.0), v(2.0, 1.0)), v(1.0, 0.5)),
            (rectangle(v(0.5, 0.0), v(1.0, 1.0)), v(0.75, 0.5)),
            (rectangle(v(-1.0, -1.0), v(9.0, 9.0)), v(1.0, 0.5)),
            (rectangle(v(2.0, 0.0), v(3.0, 1.0)), v(2.0, 0.5)),
            (rectangle(v(2.0, 1.0), v(3.0, 4.0)), v(2.0, 1.0)),
            (vec![v(-1.0, 0.5), v(1.0, 0.5)], v(0.5, 0.5)),
            (vec![v(0.5, 1.0), v(3.0, 1.0)], v(1.25, 1.0)),
        ] {
            let found = middle_of(&first, &second);
            assert!(found.point.distance(expected) < 1e-13, "{found:?} {expected}");
        }
        assert_eq!(middle_of(&first, &rectangle(v(2.0, 1.0), v(3.0, 4.0))).outline, 0.0);
    }

    #[test]
    fn many_sides_have_a_point_in_the_middle() {
        let circle = |x: f64| -> Vec<DVec2> {
            let corner = |i: u32| DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / 500.0);
            (0..500).map(|i| corner(i) + DVec2::new(x, 0.0)).collect()
        };
        let found = middle_of(&circle(0.0), &circle(0.5));
        assert!(found.point.distance(DVec2::new(0.25, 0.0)) < 1e-3, "{found:?}");
        let apart = middle_of(&circle(0.0), &rectangle(DVec2::new(1.0, -0.5), DVec2::new(2.0, 0.5)));
        assert!(apart.outline < 0.01);
    }

    #[test]
    fn segments_on_one_line_meet_in_the_middle() {
        let v = DVec2::new;
        let found = middle_of(&[v(0.0, 0.0), v(2.0, 0.0)], &[v(1.0, 0.0), v(5.0, 0.0)]);
        assert!(found.point.distance(v(1.5, 0.0)) < 1e-14, "{found:?}");
        assert!(found.outline > 1.0);
    }
}
