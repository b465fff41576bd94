//! Times of the algebraic route: `cargo run --release -p clearance-proximity --example algebraic_times`.
//!
//! Random problems of size one, seeded; the median of all of them, the slowest tenth, and how many real critical pairs
//! there are on average.
#![allow(clippy::print_stdout)]

use clearance_geometry::curve::{Circle, Ellipse, Line};
use clearance_geometry::surface::{BezierPatch, Cone, Cylinder, Torus};
use clearance_geometry::{DVec3, Pose};
use clearance_proximity::algebraic::{
    Quadric, circle_circle, ellipsoid_relation, line_circle, point_ellipse, point_patch, point_quadric,
    point_torus, quadric_quadric, quadric_torus, tangent_contacts,
};
use clearance_testkit::Random;
use std::error::Error;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs `count` random problems, each repeated so that the clock's own time does not count.
fn row(name: &str, size: &str, count: u64, problem: impl Fn(&mut Random) -> Outcome<Case>) -> Outcome<()> {
    let mut times = Vec::new();
    let mut solutions = 0;
    for case in 0..count {
        let solve = problem(&mut Random::for_case(7, case))?;
        solutions += solve()?;
        let start = Instant::now();
        for _ in 0..3 {
            solve()?;
        }
        times.push(start.elapsed().as_secs_f64() / 3.0 * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let mean = solutions as f64 / count as f64;
    println!("| {name} | {size} | {:.0} | {:.0} | {mean:.1} |", at(0.5), at(0.9));
    Ok(())
}

type Case = Box<dyn Fn() -> Outcome<usize>>;

fn pose(random: &mut Random) -> Outcome<Pose> {
    Ok(Pose::new(random.quaternion(), random.in_ball() * 2.0)?)
}

fn ellipsoid(random: &mut Random) -> Outcome<Quadric> {
    let frame = pose(random)?;
    Ok(Quadric::ellipsoid(&frame, [0; 3].map(|_| random.uniform(0.3, 2.0)))?)
}

fn torus(random: &mut Random) -> Outcome<Torus> {
    Ok(Torus::new(pose(random)?, random.uniform(1.0, 2.0), random.uniform(0.1, 0.8))?)
}

fn patch(random: &mut Random, degree: usize, rational: bool) -> Outcome<BezierPatch> {
    let at = |i: usize| i as f64 / degree as f64;
    let net: Vec<Vec<DVec3>> = (0..=degree)
        .map(|i| (0..=degree).map(|j| DVec3::new(at(i), at(j), 0.0) + 0.5 * random.in_ball()).collect())
        .collect();
    let weights: Vec<Vec<f64>> =
        net.iter().map(|row| row.iter().map(|_| random.uniform(0.5, 2.0)).collect()).collect();
    Ok(BezierPatch::new(&net, rational.then_some(&weights[..]))?)
}

fn points_and_circles() -> Outcome<()> {
    row("point – ellipsoid", "6", 100, |r| {
        let (p, q) = (2.0 * r.in_ball(), ellipsoid(r)?);
        Ok(Box::new(move || Ok(point_quadric(p, &q)?.pairs.len())))
    })?;
    row("point – ellipse", "4", 100, |r| {
        let (p, e) = (2.0 * r.in_ball(), Ellipse::new(pose(r)?, [r.uniform(0.3, 2.0), 1.0])?);
        Ok(Box::new(move || Ok(point_ellipse(p, &e)?.pairs.len())))
    })?;
    row("point – torus", "closed", 100, |r| {
        let (p, t) = (2.0 * r.in_ball(), torus(r)?);
        Ok(Box::new(move || Ok(point_torus(p, &t)?.pairs.len())))
    })?;
    row("line – circle", "4", 100, |r| {
        let (l, c) = (Line::new(r.in_ball(), r.direction())?, Circle::new(pose(r)?, 1.0)?);
        Ok(Box::new(move || Ok(line_circle(&l, &c)?.pairs.len())))
    })?;
    row("circle – circle", "8", 100, |r| {
        let (a, b) = (Circle::new(pose(r)?, 1.0)?, Circle::new(pose(r)?, r.uniform(0.3, 2.0))?);
        Ok(Box::new(move || Ok(circle_circle(&a, &b)?.pairs.len())))
    })
}

fn quadrics() -> Outcome<()> {
    row("ellipsoid – ellipsoid, relation", "–", 100, |r| {
        let (a, b) = (ellipsoid(r)?, ellipsoid(r)?);
        Ok(Box::new(move || Ok(usize::from(ellipsoid_relation(&a, &b).is_some()))))
    })?;
    row("ellipsoid – ellipsoid, contacts", "4", 100, |r| {
        let (a, b) = (ellipsoid(r)?, ellipsoid(r)?);
        Ok(Box::new(move || Ok(tangent_contacts(&a, &b, f64::INFINITY)?.len())))
    })?;
    row("ellipsoid – ellipsoid", "24", 60, |r| {
        let (a, b) = (ellipsoid(r)?, ellipsoid(r)?);
        Ok(Box::new(move || Ok(quadric_quadric(&a, &b)?.pairs.len())))
    })?;
    row("cylinder – ellipsoid", "12", 60, |r| {
        let (a, b) = (Quadric::from(&Cylinder::new(pose(r)?, r.uniform(0.3, 2.0))?), ellipsoid(r)?);
        Ok(Box::new(move || Ok(quadric_quadric(&a, &b)?.pairs.len())))
    })?;
    row("cylinder – cylinder", "4", 60, |r| {
        let cylinder =
            |r: &mut Random| Outcome::Ok(Quadric::from(&Cylinder::new(pose(r)?, r.uniform(0.3, 2.0))?));
        let (a, b) = (cylinder(r)?, cylinder(r)?);
        Ok(Box::new(move || Ok(quadric_quadric(&a, &b)?.pairs.len())))
    })?;
    row("cone – ellipsoid", "24", 60, |r| {
        let (a, b) = (Quadric::from(&Cone::new(pose(r)?, 0.5, r.uniform(0.3, 2.0))?), ellipsoid(r)?);
        Ok(Box::new(move || Ok(quadric_quadric(&a, &b)?.pairs.len())))
    })?;
    row("ellipsoid – ellipsoid, axes parallel", "24, disturbed", 40, |r| {
        let radii = [0; 6].map(|_| r.uniform(0.3, 2.0));
        let one = Quadric::ellipsoid(&Pose::IDENTITY, [radii[0], radii[1], radii[2]])?;
        let frame = Pose::from_translation(DVec3::new(r.uniform(1.0, 4.0), r.uniform(1.0, 4.0), 0.0))?;
        let other = Quadric::ellipsoid(&frame, [radii[3], radii[4], radii[5]])?;
        Ok(Box::new(move || Ok(quadric_quadric(&one, &other)?.pairs.len())))
    })?;
    row("ellipsoid – torus", "32", 60, |r| {
        let (a, b) = (ellipsoid(r)?, torus(r)?);
        Ok(Box::new(move || Ok(quadric_torus(&a, &b)?.pairs.len())))
    })?;
    row("cylinder – torus", "8", 60, |r| {
        let (a, b) = (Quadric::from(&Cylinder::new(pose(r)?, r.uniform(0.3, 2.0))?), torus(r)?);
        Ok(Box::new(move || Ok(quadric_torus(&a, &b)?.pairs.len())))
    })
}

fn patches() -> Outcome<()> {
    for (name, size, degree, rational) in [
        ("point – bilinear patch", "5", 1, false),
        ("point – biquadratic patch", "25", 2, false),
        ("point – rational biquadratic patch", "52", 2, true),
        ("point – bicubic patch", "61", 3, false),
        ("point – rational bicubic patch", "130", 3, true),
    ] {
        row(name, size, if rational { 8 } else { 20 }, |r| {
            let (p, s) = (DVec3::new(0.5, 0.5, 0.0) + r.in_ball(), patch(r, degree, rational)?);
            Ok(Box::new(move || Ok(point_patch(p, &s)?.len())))
        })?;
    }
    Ok(())
}

fn main() -> Outcome<()> {
    println!("| problem | size | median µs | slowest tenth µs | real solutions |");
    println!("|---|---|---|---|---|");
    points_and_circles()?;
    quadrics()?;
    patches()
}
