//! Volume, mass centre and inertia against formulas, and under motions.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DMat3, DVec3, Polytope};
use common::{Random, cube_grid, cylinder, random_sphere};

fn assert_inertia(found: DMat3, expected: DMat3, error: f64) {
    let off = (found - expected).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let size = expected.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(off <= error * size, "inertia off by {:e}", off / size);
}

fn box_inertia(size: DVec3) -> DMat3 {
    let sq = size * size;
    let about = DVec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
    DMat3::from_diagonal(about * (size.x * size.y * size.z / 12.0))
}

#[test]
fn boxes_agree_with_their_formulas() {
    let mut random = Random(71);
    for round in 0..60 {
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let size = DVec3::new(1.0, 10.0_f64.powf(random.range(-6.0, 0.0)), random.range(0.1, 1.0)) * scale;
        let (rotation, shift) = (DMat3::from_quat(random.rotation()), random.in_cube() * scale);
        let points: Vec<DVec3> = cube_grid(2).iter().map(|&p| rotation * (0.5 * p * size) + shift).collect();
        let body = Polytope::from_points(&points).unwrap();
        let mass = body.mass();
        let volume = size.x * size.y * size.z;
        // Rounding of the corners moves the thin sides by this part of their distance.
        let error = 64.0 * f64::EPSILON * size.max_element() / size.min_element();
        assert!((mass.volume / volume - 1.0).abs() < error);
        assert!((mass.center + body.anchor() - shift).length() < error * scale);
        assert_inertia(mass.inertia, rotation * box_inertia(size) * rotation.transpose(), error);
        assert_eq!(body.center(), mass.center);
        assert!((body.inradius() - 0.5 * size.min_element()).abs() < 1e-14 * scale);
    }
    let exact = Polytope::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert!((exact.mass().volume - 6.0).abs() < 1e-14);
}

#[test]
fn tetrahedron_agrees_with_its_formula() {
    let body = Polytope::from_points(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    let mass = body.mass();
    assert!((mass.volume - 1.0 / 6.0).abs() < 1e-16);
    assert!((mass.center + body.anchor() - DVec3::splat(0.25)).length() < 1e-16);
    // Second moments of the corner simplex: x² over it is 1/60, xy is 1/120; less those of its centre.
    let (diagonal, mixed) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
    let row = |i: usize| {
        let mut row = DVec3::splat(-mixed);
        row[i] = 2.0 * diagonal;
        row
    };
    assert_inertia(mass.inertia, DMat3::from_cols(row(0), row(1), row(2)), 1e-14);
    let inradius = 0.25 / 3.0_f64.sqrt();
    assert!((body.inradius() - inradius).abs() < 1e-16);
}

#[test]
fn prisms_agree_with_their_formula() {
    for sides in [3, 6, 50, 1000] {
        let (radius, height) = (1.5, 0.4);
        let body = Polytope::from_points(&cylinder(sides, radius, height)).unwrap();
        let angle = std::f64::consts::TAU / sides as f64;
        let area = 0.5 * sides as f64 * radius * radius * angle.sin();
        let volume = area * height;
        assert!((body.mass().volume / volume - 1.0).abs() < 1e-13);
        // Polar second moment of a regular polygon, per area: r² (2 + cos α) / 6.
        let polar = radius * radius * (2.0 + angle.cos()) / 6.0;
        let across = 0.5 * polar + height * height / 12.0;
        let expected = DMat3::from_diagonal(DVec3::new(across, across, polar) * volume);
        assert_inertia(body.mass().inertia, expected, 1e-12);
    }
}

#[test]
fn mass_moves_with_the_body() {
    let mut random = Random(72);
    for _ in 0..30 {
        let points = random_sphere(&mut random, 60);
        let (rotation, shift) = (DMat3::from_quat(random.rotation()), 1e3 * random.in_cube());
        let moved: Vec<DVec3> = points.iter().map(|&p| rotation * p + shift).collect();
        let (before, after) =
            (Polytope::from_points(&points).unwrap(), Polytope::from_points(&moved).unwrap());
        assert!((after.mass().volume / before.mass().volume - 1.0).abs() < 1e-11);
        let center = rotation * (before.mass().center + before.anchor()) + shift;
        assert!((after.mass().center + after.anchor() - center).length() < 1e-12);
        assert_inertia(after.mass().inertia, rotation * before.mass().inertia * rotation.transpose(), 1e-11);
    }
}
