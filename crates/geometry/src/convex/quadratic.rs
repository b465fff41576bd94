//! The largest value of a polynomial in Bernstein form of degrees up to two, without halvings.
//!
//! Source: a quadratic with coefficients a, b, c is a + 2(b − a)t − (2b − a − c)t²; its top is a + (b − a)² / (2b − a − c).
//! Differs: a polynomial that is linear along the other parameter is largest on one of two lines, so that the sides and caps of
//! cylinders and cones, and their rims, have their largest value in closed form.
//! Ends because: there are no loops but over coefficients.
//! Cost: one quotient for each line; of two parameters of degree two, five lines.
//! Not promised: a closed form where both degrees are two or one is higher.

/// Roundings of the top of a quadratic, in last digits of its largest coefficient: six of the quotient and its factors, half a one
/// of the sum.
pub(super) const TOP_ROUNDINGS: f64 = 8.0;

/// Whether [`largest`] has a closed form.
pub(super) const fn is_closed([p, q]: [usize; 2]) -> bool {
    (p <= 2 && q <= 1) || (p <= 1 && q <= 2)
}

/// The largest value over the unit square, [`TOP_ROUNDINGS`] apart; the degrees must be such that [`is_closed`].
#[inline]
pub(super) fn largest(coefficients: &[f64], [p, q]: [usize; 2]) -> f64 {
    let at = |i: usize, j: usize| coefficients[i * (q + 1) + j];
    let mut most = f64::NEG_INFINITY;
    if p == 2 {
        for j in 0..=q {
            most = most.max(top(at(0, j), at(1, j), at(2, j)));
        }
    } else if q == 2 {
        for i in 0..=p {
            most = most.max(top(at(i, 0), at(i, 1), at(i, 2)));
        }
    } else {
        most = coefficients[..(p + 1) * (q + 1)].iter().fold(most, |most, &c| most.max(c));
    }
    most
}

/// The largest value of a quadratic over the unit interval.
#[inline]
fn top(a: f64, b: f64, c: f64) -> f64 {
    let (up, down) = (b - a, b - c);
    if up > 0.0 && down > 0.0 { a + up * (up / (up + down)) } else { a.max(c) }
}

/// What a biquadratic polynomial is at most, by the parts on both sides of a cut across one parameter (0 or 1) at `share`: a
/// mixture of lines along the other one, none of which is above its own top. Of a surface of revolution or one stretched from it,
/// cut at its highest meridian or parallel, that is the largest value. With it the largest value on the cut itself.
#[inline]
pub(super) fn highest_beside(coefficients: &[f64; 9], direction: usize, share: f64) -> [f64; 2] {
    let [a, b, c, d, e, f, g, h, i] = *coefficients;
    let lines =
        if direction == 0 { [[a, b, c], [d, e, f], [g, h, i]] } else { [[a, d, g], [b, e, h], [c, f, i]] };
    let (left, right) = (1.0 - share, share);
    let mix = |one: [f64; 3], other: [f64; 3]| {
        [left * one[0] + right * other[0], left * one[1] + right * other[1], left * one[2] + right * other[2]]
    };
    let (low, high) = (mix(lines[0], lines[1]), mix(lines[1], lines[2]));
    let top_of = |[a, b, c]: [f64; 3]| top(a, b, c);
    let on_cut = top_of(mix(low, high));
    let beside = [lines[0], low, high, lines[2]];
    [beside.iter().fold(on_cut, |most, &line| most.max(top_of(line))), on_cut]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn value(coefficients: &[f64], [p, q]: [usize; 2], u: f64, v: f64) -> f64 {
        let basis = |degree: usize, t: f64| match degree {
            0 => vec![1.0],
            1 => vec![1.0 - t, t],
            _ => vec![(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t],
        };
        let (bu, bv) = (basis(p, u), basis(q, v));
        let terms = (0..=p).flat_map(|i| (0..=q).map(move |j| (i, j)));
        terms.map(|(i, j)| coefficients[i * (q + 1) + j] * bu[i] * bv[j]).sum()
    }

    #[test]
    fn largest_values_are_above_all_samples_and_close() {
        let mut state = 5;
        let mut inner = 0;
        for degrees in [[2, 1], [1, 2], [2, 0], [0, 2], [1, 1], [1, 0], [0, 0]] {
            assert!(is_closed(degrees));
            for _ in 0..500 {
                let c: Vec<f64> = (0..9).map(|_| noise(&mut state)).collect();
                let found = largest(&c, degrees);
                let samples = (0..=64).flat_map(|i| (0..=64).map(move |j| (i, j)));
                let values =
                    samples.map(|(i, j)| value(&c, degrees, f64::from(i) / 64.0, f64::from(j) / 64.0));
                let most = values.fold(f64::NEG_INFINITY, f64::max);
                assert!(found >= most - TOP_ROUNDINGS * f64::EPSILON, "{degrees:?} {c:?}: {found} {most}");
                assert!(found <= most + 1e-3, "{degrees:?} {c:?}: {found} {most}");
                let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
                inner += i32::from(corners.iter().all(|&(u, v)| value(&c, degrees, u, v) < found - 1e-9));
            }
        }
        assert!(inner > 300, "{inner}");
        assert!(!is_closed([2, 2]) && !is_closed([3, 0]));
    }

    #[test]
    fn parts_beside_a_cut_bound_a_biquadratic() {
        let mut state = 6;
        for _ in 0..500 {
            let c: [f64; 9] = std::array::from_fn(|_| noise(&mut state));
            for share in [0.0, 1.0, 0.5 + 0.5 * noise(&mut state)] {
                for direction in 0..2 {
                    let [bound, on_cut] = highest_beside(&c, direction, share);
                    let across = |k: i32| {
                        let along = f64::from(k) / 64.0;
                        let (u, v) = if direction == 0 { (share, along) } else { (along, share) };
                        value(&c, [2, 2], u, v)
                    };
                    let known = (0..=64).map(across).fold(f64::NEG_INFINITY, f64::max);
                    assert!((known - 2e-15..known + 1e-3).contains(&on_cut), "{c:?} {share}");
                    let above = c.iter().fold(f64::NEG_INFINITY, |most, &c| most.max(c));
                    assert!(bound <= above + 1e-15, "{c:?} {share}");
                    for k in 0..400 {
                        let (u, v) = (f64::from(k % 20) / 19.0, f64::from(k / 20) / 19.0);
                        assert!(bound >= value(&c, [2, 2], u, v) - 2e-15, "{c:?} {share} {u} {v}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_arches_are_bounded_by_their_top() {
        // −(u − x)² (1 + v) − (v − y)², cut at x, is at most 0 whatever y is.
        let (x, y) = (0.3, 0.8);
        let arch = |x: f64| [-x * x, x - x * x, -(1.0 - x) * (1.0 - x)];
        let grows = [1.0, 1.5, 2.0];
        let c: [f64; 9] = std::array::from_fn(|k| arch(x)[k / 3] * grows[k % 3] + arch(y)[k % 3]);
        assert!(highest_beside(&c, 0, x).iter().all(|found| found.abs() < 1e-15));
        assert!(highest_beside(&c, 0, 0.5)[0] > 1e-3);
    }
}
