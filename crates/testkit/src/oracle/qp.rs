//! The distance of two convex bodies as a quadratic program, solved by an interior-point method.
//!
//! Source: min |z|² subject to z = Σ μᵢ bᵢ − Σ λᵢ aᵢ with λ and μ in their simplices; Clarabel solves it.
//! Not promised: more than about nine digits of the *square* of the distance over the size of the bodies,
//! and those only for well-scaled ones.

use super::placement::Placement;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use glam::DVec3;

/// Distance of two bodies given by their vertices; 0 when they overlap. `None` when the solver gives up.
pub fn qp_distance(a: &[DVec3], b: &[DVec3], placement: &Placement) -> Option<f64> {
    let middle = a.iter().sum::<DVec3>() / a.len() as f64;
    // Columns: z, then a weight per vertex, the vertices of A counted negative.
    let points: Vec<(f64, DVec3)> = a
        .iter()
        .map(|&p| (1.0, p - middle))
        .chain(b.iter().map(|&p| (-1.0, placement.apply(p).value() - middle)))
        .collect();
    let size = points.iter().map(|(_, p)| p.length()).fold(0.0, f64::max);
    if size == 0.0 {
        return Some(0.0);
    }
    let weights = points.len();
    let (columns, rows) = (3 + weights, 5 + weights);
    let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
    let mut entry = |row: usize, column: usize, value: f64| {
        i.push(row);
        j.push(column);
        v.push(value);
    };
    for axis in 0..3 {
        entry(axis, axis, 1.0);
    }
    for (k, (sign, point)) in points.iter().enumerate() {
        for axis in 0..3 {
            entry(axis, 3 + k, sign * point[axis] / size);
        }
        entry(if *sign > 0.0 { 3 } else { 4 }, 3 + k, 1.0);
        entry(5 + k, 3 + k, -1.0);
    }
    let constraints = CscMatrix::new_from_triplets(rows, columns, i, j, v);
    let squares = CscMatrix::new_from_triplets(columns, columns, vec![0, 1, 2], vec![0, 1, 2], vec![2.0; 3]);
    let mut right = vec![0.0; rows];
    (right[3], right[4]) = (1.0, 1.0);
    let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(5), NonnegativeConeT(weights)];
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .ok()?;
    let mut solver =
        DefaultSolver::new(&squares, &vec![0.0; columns], &constraints, &right, &cones, settings).ok()?;
    solver.solve();
    let solved = solver.solution.status == SolverStatus::Solved;
    // From the weights, made into true weights: the distance of two points of the bodies, so an upper bound.
    let mut sums = [(0.0, DVec3::ZERO); 2];
    for ((sign, point), weight) in points.iter().zip(&solver.solution.x[3..]) {
        let (total, sum) = &mut sums[usize::from(*sign < 0.0)];
        *total += weight.max(0.0);
        *sum += weight.max(0.0) * *point;
    }
    let apart = sums[1].1 / sums[1].0 - sums[0].1 / sums[0].0;
    solved.then_some(apart.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_two_apart() {
        let corner = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let cube: Vec<DVec3> = (0..8).map(corner).collect();
        let apart = qp_distance(&cube, &cube, &Placement::shift(DVec3::new(3.0, 0.25, -0.5))).unwrap();
        assert!((apart - 2.0).abs() < 1e-7, "{apart}");
        let inside = qp_distance(&cube, &cube, &Placement::shift(DVec3::splat(0.25))).unwrap();
        assert!(inside < 1e-6, "{inside}");
    }
}
