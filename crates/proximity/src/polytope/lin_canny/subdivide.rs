//! Cutting a convex polygon of many sides into quadrilaterals.
//!
//! Source: 003 section 3.2, the subdivision procedure.
//! Differs: the cut is a balanced tree (DIFFERS: 003 leaves it open): a quadrilateral in the middle, and in
//! each of the four caps beside it again a quadrilateral, and so on.
//! Ends because: a cap has fewer sides than what it was cut from.
//! Cost: linear; the tree of cells is O(log n) deep.
//! Not promised: that all cells have four sides; the last cap may be a triangle.

/// Boundaries up to this many sides stay whole.
pub(super) const WHOLE: usize = 5;

/// What lies beyond a side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The outside, through this side of the polygon.
    Side(usize),
    /// Another cell of the same polygon.
    Cell(usize),
}

/// One corner of a cell and the side from it to the next corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) corner: usize,
    pub(super) link: Link,
}

/// Cells of the polygon with `count` sides, side `i` from corner `i` to the next.
pub(super) fn subdivide(count: usize) -> Vec<Vec<Part>> {
    if count <= WHOLE {
        return vec![(0..count).map(|i| Part { corner: i, link: Link::Side(i) }).collect()];
    }
    let mut cells = vec![Vec::new()];
    let stops = [0, count / 4, count / 2, 3 * count / 4, count];
    cells[0] = stops
        .windows(2)
        .map(|pair| Part { corner: pair[0], link: chain(&mut cells, pair[0], pair[1], 0, count) })
        .collect();
    cells
}

/// What lies beyond the straight line from corner `from` to corner `to`: a side, or the cap of several.
fn chain(cells: &mut Vec<Vec<Part>>, from: usize, to: usize, parent: usize, count: usize) -> Link {
    let sides = to - from;
    if sides == 1 {
        return Link::Side(from);
    }
    let cell = cells.len();
    cells.push(Vec::new());
    let mut stops = vec![from, from + sides.div_ceil(3), from + (2 * sides).div_ceil(3), to];
    stops.dedup();
    let mut parts: Vec<Part> = stops
        .windows(2)
        .map(|pair| Part { corner: pair[0], link: chain(cells, pair[0], pair[1], cell, count) })
        .collect();
    parts.push(Part { corner: to % count, link: Link::Cell(parent) });
    cells[cell] = parts;
    Link::Cell(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_small_and_links_are_mutual() {
        for count in 3..200 {
            let cells = subdivide(count);
            let mut sides = vec![0; count];
            for (at, parts) in cells.iter().enumerate() {
                assert!(parts.len() <= WHOLE && parts.len() >= 3, "{count}: {parts:?}");
                for (i, part) in parts.iter().enumerate() {
                    let to = parts[(i + 1) % parts.len()].corner;
                    match part.link {
                        Link::Side(side) => {
                            assert_eq!((part.corner, to), (side, (side + 1) % count));
                            sides[side] += 1;
                        }
                        Link::Cell(other) => {
                            let back = cells[other].iter().enumerate().any(|(k, p)| {
                                let end = cells[other][(k + 1) % cells[other].len()].corner;
                                p.link == Link::Cell(at) && (p.corner, end) == (to, part.corner)
                            });
                            assert!(back, "{count}: cell {at} and {other}");
                        }
                    }
                }
            }
            assert!(sides.iter().all(|&n| n == 1), "{count}: {sides:?}");
        }
    }
}
