//! De Casteljau's cut of a net of control points in its middle.

use clearance_geometry::DVec4;

/// Adds both halves of a net along u (0) or v (1) after all nets; where they begin, and how many blends each took.
pub(super) fn halve(
    nets: &mut Vec<DVec4>,
    from: usize,
    [p, q]: [usize; 2],
    axis: usize,
) -> ([usize; 2], usize) {
    let count = (p + 1) * (q + 1);
    let starts = [nets.len(), nets.len() + count];
    nets.resize(starts[1] + count, DVec4::ZERO);
    (starts, halve_into(nets, from, starts[0], [p, q], axis))
}

/// Puts both halves of a net, the second after the first, where there are some behind it; how many blends each took.
pub(super) fn halve_into(
    nets: &mut [DVec4],
    from: usize,
    to: usize,
    [p, q]: [usize; 2],
    axis: usize,
) -> usize {
    let (degree, stride, rows, step) = if axis == 0 { (p, q + 1, q + 1, 1) } else { (q, 1, p + 1, q + 1) };
    let (whole, halves) = nets.split_at_mut(to);
    let (first, second) = halves.split_at_mut((p + 1) * (q + 1));
    let halve_row = match degree {
        1 => halve_row::<2>,
        2 => halve_row::<3>,
        3 => halve_row::<4>,
        _ => halve_long_row,
    };
    for row in 0..rows {
        let at = row * step;
        halve_row(&whole[from + at..], [&mut first[at..], &mut second[at..]], [stride, degree]);
    }
    degree
}

/// Cuts one row of so many control points in the middle, beside the nets.
fn halve_row<const COUNT: usize>(
    row: &[DVec4],
    [first, second]: [&mut [DVec4]; 2],
    [stride, degree]: [usize; 2],
) {
    debug_assert_eq!(degree + 1, COUNT, "a row is cut by its own number of points");
    let mut kept: [DVec4; COUNT] = std::array::from_fn(|i| row[i * stride]);
    // What falls off the left side of the triangle is the first half, what falls off the right side the second.
    (first[0], second[(COUNT - 1) * stride]) = (kept[0], kept[COUNT - 1]);
    for level in 1..COUNT {
        for i in 0..COUNT - level {
            kept[i] = 0.5 * (kept[i] + kept[i + 1]);
        }
        (first[level * stride], second[(COUNT - 1 - level) * stride]) = (kept[0], kept[COUNT - 1 - level]);
    }
}

/// The same of a row of any length: both halves begin as a copy of it.
fn halve_long_row(row: &[DVec4], [first, second]: [&mut [DVec4]; 2], [stride, degree]: [usize; 2]) {
    for i in 0..=degree {
        (first[i * stride], second[i * stride]) = (row[i * stride], row[i * stride]);
    }
    for level in 1..=degree {
        for i in (level..=degree).rev() {
            first[i * stride] = 0.5 * (first[(i - 1) * stride] + first[i * stride]);
        }
        for i in 0..=degree - level {
            second[i * stride] = 0.5 * (second[i * stride] + second[(i + 1) * stride]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::DVec2;
    use clearance_geometry::pieces::jet;
    use clearance_testkit::Random;

    /// Both halves are the same surface over half the parameter each, short rows and long ones.
    #[test]
    fn halves_are_the_whole_over_half_of_it() {
        let mut random = Random::new(5);
        for degrees in [[0, 0], [1, 3], [3, 3], [7, 2], [2, 8], [9, 1], [5, 0]] {
            let count = (degrees[0] + 1) * (degrees[1] + 1);
            let mut nets: Vec<DVec4> =
                (0..count).map(|_| (random.direction() * 2.0).extend(0.5 + random.unit())).collect();
            for axis in 0..2 {
                nets.truncate(count);
                let ([first, second], degree) = halve(&mut nets, 0, degrees, axis);
                assert_eq!((first, second, degree), (count, 2 * count, degrees[axis]));
                for _ in 0..8 {
                    let at = DVec2::new(random.unit(), random.unit());
                    for (start, shift) in [(first, 0.0), (second, 0.5)] {
                        let mut whole = at;
                        whole[axis] = 0.5 * at[axis] + shift;
                        let half = jet(degrees, &nets[start..start + count], at).point;
                        let there = jet(degrees, &nets[..count], whole).point;
                        assert!((half - there).length() < 1e-12, "{degrees:?} {axis}: {half} {there}");
                    }
                }
            }
        }
    }
}
