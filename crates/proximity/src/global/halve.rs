//! De Casteljau's cut of a net of control points in its middle.

use clearance_geometry::DVec4;

/// Adds both halves of a net along u (0) or v (1) after all nets; where they begin, and how many blends each took.
pub(super) fn halve(
    nets: &mut Vec<DVec4>,
    from: usize,
    [p, q]: [usize; 2],
    axis: usize,
) -> ([usize; 2], usize) {
    let (degree, stride, rows, step) = if axis == 0 { (p, q + 1, q + 1, 1) } else { (q, 1, p + 1, q + 1) };
    let count = (p + 1) * (q + 1);
    let starts = [nets.len(), nets.len() + count];
    // Both halves begin as a copy; each row is blended to its half in place.
    nets.extend_from_within(from..from + count);
    nets.extend_from_within(from..from + count);
    for row in 0..rows {
        halve_row(nets, starts.map(|start| start + row * step), stride, degree);
    }
    (starts, degree)
}

/// Cuts one row of control points in the middle: both copies of it become its halves.
fn halve_row(net: &mut [DVec4], [first, second]: [usize; 2], stride: usize, degree: usize) {
    for level in 1..=degree {
        // The first copy keeps what falls off the left side of the triangle, the second is the triangle itself.
        for i in (level..=degree).rev() {
            net[first + i * stride] = 0.5 * (net[first + (i - 1) * stride] + net[first + i * stride]);
        }
        for i in 0..=degree - level {
            net[second + i * stride] = 0.5 * (net[second + i * stride] + net[second + (i + 1) * stride]);
        }
    }
}
