//! Solvers against each other, against the conditions of optimality, and against Lemke's pivots.
#![allow(clippy::unwrap_used)]

use clearance_dynamics::{
    ActiveSet, Block, Cone, Contact, Demand, Ended, Lemke, Line, Program, Row, Solution, Solver, Sparse,
    settle,
};
use clearance_testkit::Random;

/// A line between two slots, or one and a fixed body.
fn line(random: &mut Random, slots: usize, width: usize) -> Line {
    let mut line = Line::default();
    line.slots[0] = Some(random.index(slots));
    let second = random.index(slots + 1);
    line.slots[1] = (second < slots && Some(second) != line.slots[0]).then_some(second);
    for at in 0..2 {
        for value in &mut line.values[at][..width] {
            *value = if line.slots[at].is_some() { random.uniform(-1.0, 1.0) } else { 0.0 };
        }
    }
    line
}

/// A program that y = `point` satisfies strictly, so that it has a solution.
fn program(random: &mut Random, planar: bool, cone: Cone, count: usize, joints: usize) -> Program {
    let (slots, width) = (3, if planar { 3 } else { 6 });
    let mut program = Program { width, slots, cone, ..Program::default() };
    let point: Vec<f64> = (0..program.size()).map(|_| random.uniform(-1.0, 1.0)).collect();
    for _ in 0..count {
        let first = line(random, slots, width);
        let mut contact = Contact { friction: random.uniform(0.0, 0.8), ..Contact::default() };
        contact.lines = [first; 3];
        for at in 0..3 {
            let flat = planar && at == 2;
            for body in 0..2 {
                for value in &mut contact.lines[at].values[body] {
                    *value = if flat || *value == 0.0 { 0.0 } else { random.uniform(-1.0, 1.0) };
                }
            }
            contact.start[at] = if flat { 0.0 } else { random.uniform(-1.0, 1.0) };
        }
        let u = program.velocity(&contact, &point);
        let sliding = cone.sliding(planar, [u[1], u[2]]);
        contact.bias = contact.friction * sliding - u[0] + random.uniform(0.0, 0.5);
        program.contacts.push(contact);
    }
    for at in 0..joints {
        let line = line(random, slots, width);
        let mut row = Row { line, start: random.uniform(-1.0, 1.0), bias: 0.0, demand: Demand::Zero };
        row.bias = -program.row_velocity(&row, &point);
        if at % 2 == 1 {
            row.demand = Demand::NotNegative;
            row.bias += 0.1;
        }
        program.rows.push(row);
    }
    program
}

/// The conditions of optimality: feasible, impulses in their cones, complementary, and y made of them.
fn misses(program: &Program, solution: &Solution) -> f64 {
    let mut worst = 0.0_f64;
    let planar = program.is_planar();
    for (contact, impulse) in program.contacts.iter().zip(&solution.contacts) {
        let u = program.velocity(contact, &solution.y);
        let sliding = program.cone.sliding(planar, [u[1], u[2]]);
        worst = worst.max(contact.friction * sliding - u[0]);
        worst = worst.max(impulse[1].hypot(impulse[2]) - contact.friction * impulse[0]);
        let power: f64 = u.iter().zip(impulse).map(|(u, p)| u * p).sum();
        worst = worst.max(power.abs());
    }
    for (row, impulse) in program.rows.iter().zip(&solution.rows) {
        let u = program.row_velocity(row, &solution.y);
        worst = worst.max(match row.demand {
            Demand::Zero => u.abs(),
            Demand::NotNegative => (-u).max(-impulse).max((u * impulse).abs()),
            Demand::Within(most) => impulse.abs() - most,
        });
    }
    let made = program.response(&solution.contacts, &solution.rows);
    made.iter().zip(&solution.y).fold(worst, |worst, (a, b)| worst.max((a - b).abs()))
}

fn apart(a: &Solution, b: &Solution) -> f64 {
    a.y.iter().zip(&b.y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn active_set_is_optimal_on_random_programs() {
    let (mut slid, mut idle) = (0, 0);
    for case in 0..300 {
        let mut random = Random::for_case(601, case);
        let cone = if case % 3 == 0 { Cone::Facets(6) } else { Cone::Exact };
        let joints = random.index(5);
        let count = 1 + random.index(12);
        let program = program(&mut random, case % 2 == 0, cone, count, joints);
        let solution = ActiveSet::default().solve(&program, None);
        assert_eq!(solution.ended, Ended::Converged, "case {case}");
        let off = misses(&program, &solution);
        assert!(off < 1e-9, "case {case}: {off}");
        slid += solution.contacts.iter().filter(|p| p[0] > 0.0).count();
        idle += solution.contacts.iter().filter(|p| p[0] == 0.0).count();
    }
    assert!(slid > 200 && idle > 200, "{slid} {idle}");
}

#[test]
fn block_method_agrees_with_the_active_set() {
    for case in 0..100 {
        let mut random = Random::for_case(602, case);
        let cone = if case % 3 == 0 { Cone::Facets(6) } else { Cone::Exact };
        let program = program(&mut random, case % 2 == 0, cone, 4, 1);
        let exact = ActiveSet::default().solve(&program, None);
        let mut block = Block { sweeps: 20_000, ..Block::default() };
        let swept = block.solve(&program, None);
        let off = apart(&exact, &swept);
        assert!(off < 1e-3, "case {case}: {off} after {} sweeps", swept.iterations);
    }
}

#[test]
fn sparse_method_agrees_with_the_active_set() {
    for case in 0..150 {
        let mut random = Random::for_case(609, case);
        let (joints, count) = (random.index(5), 1 + random.index(12));
        let program = program(&mut random, case % 2 == 0, Cone::Exact, count, joints);
        let exact = ActiveSet::default().solve(&program, None);
        let mut sparse = Sparse::default();
        let solved = sparse.solve(&program, None);
        assert_eq!(solved.ended, Ended::Converged, "case {case}");
        let off = apart(&exact, &solved);
        assert!(off < 1e-6, "case {case}: {off} after {} steps", solved.iterations);
        let again = sparse.solve(&program, Some(&solved));
        assert!(again.iterations <= solved.iterations && apart(&exact, &again) < 1e-6, "case {case}");
    }
}

#[test]
fn sparse_method_solves_coulombs_law_at_once() {
    let mut sliding = 0;
    for case in 0..60 {
        let mut random = Random::for_case(610, case);
        let mut program = program(&mut random, case % 2 == 0, Cone::Exact, 3, 0);
        program.contacts.iter_mut().for_each(|contact| contact.friction *= 0.25);
        let exact = settle(&mut program, &mut ActiveSet::default(), 60, None);
        let solved = Sparse::default().solve_coulomb(&program, None).unwrap();
        assert!(exact.relaxed || apart(&exact.solution, &solved) < 1e-3, "case {case}: {solved:?}");
        sliding += usize::from(!exact.relaxed && exact.sweeps > 1);
    }
    assert!(sliding > 20, "{sliding}");
}

#[test]
fn fixed_point_reaches_lemkes_solution() {
    let (mut settled, mut sliding) = (0, 0);
    for case in 0..120 {
        let mut random = Random::for_case(603, case);
        let planar = case % 2 == 0;
        let mut program = program(&mut random, planar, Cone::Facets(4), 3, 0);
        for contact in &mut program.contacts {
            contact.friction *= 0.25;
        }
        let Some(exact) = Lemke.solve_coulomb(&program, None) else { continue };
        let found = settle(&mut program, &mut ActiveSet::default(), 60, None);
        if found.relaxed {
            continue;
        }
        settled += 1;
        let off = apart(&exact, &found.solution);
        assert!(off < 1e-4, "case {case}: {off}");
        sliding += usize::from(found.sweeps > 1);
    }
    assert!(settled > 80 && sliding > 30, "{settled} {sliding}");
}

#[test]
fn lemke_solves_the_convex_program_with_joints_limits_and_motors() {
    let (mut limits, mut motors, mut joints) = (0, 0, 0);
    for case in 0..150 {
        let mut random = Random::for_case(611, case);
        let planar = case % 2 == 0;
        let mut program = program(&mut random, planar, Cone::Facets(6), 3, 3);
        // The last joint is a motor that may be too weak.
        program.rows[2].demand = Demand::Within(random.uniform(0.05, 3.0));
        let ours = ActiveSet::default().solve(&program, None);
        let pivoted = Lemke.solve(&program, None);
        assert_eq!((ours.ended, pivoted.ended), (Ended::Converged, Ended::Converged), "case {case}");
        assert!(apart(&ours, &pivoted) < 1e-7, "case {case}: {}", apart(&ours, &pivoted));
        // What the impulses make is y.
        let mut y = pivoted.y.clone();
        for (contact, impulse) in program.contacts.iter().zip(&pivoted.contacts) {
            for (line, impulse) in contact.lines.iter().zip(impulse) {
                take(program.width, line, *impulse, &mut y);
            }
        }
        for (row, impulse) in program.rows.iter().zip(&pivoted.rows) {
            take(program.width, &row.line, *impulse, &mut y);
            match row.demand {
                Demand::Zero => joints += usize::from(impulse.abs() > 1e-6),
                Demand::NotNegative => limits += usize::from(*impulse > 1e-6),
                Demand::Within(most) => motors += usize::from(impulse.abs() < most * (1.0 - 1e-9)),
            }
        }
        let left = y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        assert!(left < 1e-9, "case {case}: {left}");
    }
    assert!(joints > 60 && limits > 20 && motors > 20 && motors < 140, "{joints} {limits} {motors}");
}

/// Takes a line's share off y.
fn take(width: usize, line: &Line, impulse: f64, y: &mut [f64]) {
    for (slot, values) in line.slots.iter().zip(&line.values) {
        if let Some(slot) = slot {
            for (at, value) in values.iter().take(width).enumerate() {
                y[slot * width + at] -= impulse * value;
            }
        }
    }
}

#[test]
fn lemke_says_what_it_cannot() {
    let mut random = Random::new(612);
    let exact = program(&mut random, false, Cone::Exact, 3, 0);
    assert_eq!(Lemke.solve(&exact, None).ended, Ended::Limit);
    assert!(Lemke.solve_coulomb(&exact, None).is_none());
    let large = program(&mut random, false, Cone::Facets(8), Lemke::MOST / 10 + 1, 0);
    assert_eq!(Lemke.solve(&large, None).ended, Ended::Limit);
    let mut torn = program(&mut random, false, Cone::Facets(4), 0, 1);
    let other = torn.rows[0];
    torn.rows.push(Row { bias: other.bias + 1.0, ..other });
    assert_eq!(Lemke.solve(&torn, None).ended, Ended::Infeasible);
}

#[test]
fn block_method_solves_coulombs_law_at_once() {
    let mut sliding = 0;
    for case in 0..60 {
        let mut random = Random::for_case(608, case);
        let mut program = program(&mut random, case % 2 == 0, Cone::Exact, 3, 0);
        program.contacts.iter_mut().for_each(|contact| contact.friction *= 0.25);
        let exact = settle(&mut program, &mut ActiveSet::default(), 60, None);
        let mut block = Block { sweeps: 20_000, ..Block::default() };
        let swept = block.solve_coulomb(&program, None).unwrap();
        assert!(exact.relaxed || apart(&exact.solution, &swept) < 1e-3, "case {case}");
        sliding += usize::from(!exact.relaxed && exact.sweeps > 1);
    }
    assert!(sliding > 20, "{sliding}");
}

#[test]
fn used_solver_gives_the_velocities_of_a_fresh_one() {
    let mut used = ActiveSet::default();
    for case in 0..100 {
        let mut random = Random::for_case(609, case);
        let joints = random.index(3);
        let mut program = program(&mut random, case % 2 == 0, Cone::Exact, 6, joints);
        for _ in 0..4 {
            let [warm, cold] = [&mut used, &mut ActiveSet::default()].map(|s| s.solve(&program, None));
            assert_eq!((warm.ended, cold.ended), (Ended::Converged, Ended::Converged), "case {case}");
            assert!(apart(&warm, &cold) < 1e-6, "case {case}: {}", apart(&warm, &cold));
            program.contacts.iter_mut().for_each(|contact| contact.bias += random.uniform(0.0, 0.3));
        }
    }
}

#[test]
fn redundant_contacts_give_the_same_velocity() {
    for case in 0..50 {
        let mut random = Random::for_case(604, case);
        let mut program = program(&mut random, false, Cone::Exact, 4, 1);
        let once = ActiveSet::default().solve(&program, None);
        let copies = program.contacts.clone();
        program.contacts.extend(copies);
        let joints = program.rows.clone();
        program.rows.extend(joints);
        let twice = ActiveSet::default().solve(&program, None);
        assert_eq!(twice.ended, Ended::Converged);
        assert!(apart(&once, &twice) < 1e-6, "case {case}: {}", apart(&once, &twice));
    }
}

#[test]
fn contradiction_is_called_infeasible() {
    let mut random = Random::new(605);
    let mut program = program(&mut random, false, Cone::Exact, 0, 1);
    let mut other = program.rows[0];
    other.bias += 1.0;
    program.rows.push(other);
    assert_eq!(ActiveSet::default().solve(&program, None).ended, Ended::Infeasible);
    assert_eq!(Sparse::default().solve(&program, None).ended, Ended::Infeasible);
    let elastic = Block::elastic(&program).solve(&program, None);
    assert!(elastic.y.iter().all(|y| y.is_finite()));
}

#[test]
fn motor_pushes_with_what_it_has() {
    let mut random = Random::new(606);
    let mut program = program(&mut random, false, Cone::Exact, 0, 1);
    program.rows[0].bias += 5.0;
    for (most, used_up) in [(1e3, false), (0.1, true)] {
        program.rows[0].demand = Demand::Within(most);
        for solution in [ActiveSet::default().solve(&program, None), Block::default().solve(&program, None)] {
            let u = program.row_velocity(&program.rows[0], &solution.y);
            assert_eq!(u.abs() > 1e-3, used_up);
            assert!(solution.rows[0].abs() <= most * (1.0 + 1e-12));
        }
    }
}

#[cfg(feature = "reference")]
#[test]
fn reference_agrees_with_the_active_set() {
    use clearance_dynamics::Interior;
    for case in 0..200 {
        let mut random = Random::for_case(607, case);
        let cone = if case % 3 == 0 { Cone::Facets(8) } else { Cone::Exact };
        let joints = random.index(4);
        let program = program(&mut random, case % 2 == 0, cone, 6, joints);
        let ours = ActiveSet::default().solve(&program, None);
        let theirs = Interior.solve(&program, None);
        assert_eq!(theirs.ended, Ended::Converged, "case {case}");
        assert!(apart(&ours, &theirs) < 2e-5, "case {case}: {}", apart(&ours, &theirs));
    }
}
