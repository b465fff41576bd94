//! Polygons in the plane: every answer verified by its own bounds, and the depth by enumeration.

use super::{Case, kind};
use crate::tally::{Failure, Tally};
use clearance_geometry::{DVec2, PlanarPose, Polygon};
use clearance_proximity::planar::distance;
use clearance_testkit::{Random, check_planar, generate::planar_polygon};

/// Polygons per scale.
const POLYGONS: usize = 60;

/// Powers of ten at which polygons are made.
const EXPONENTS: [i32; 5] = [-6, -3, 0, 3, 6];

/// Pairs of polygons, both ways round.
pub(super) fn planar(seed: u64) -> Box<Case<'static>> {
    let mut random = Random::new(seed);
    let groups: Vec<Vec<Polygon>> = EXPONENTS
        .iter()
        .map(|&e| (0..POLYGONS).map(|_| planar_polygon(10.0_f64.powi(e), &mut random)).collect())
        .collect();
    Box::new(move |case, tally| one(&groups, seed, case, tally))
}

fn one(groups: &[Vec<Polygon>], seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::for_case(seed, case);
    let group = random.pick(groups);
    let other = if random.chance(0.1) { random.pick(groups) } else { group };
    let (a, b) = (random.pick(group), random.pick(other));
    let (name, pose) = place(a, b, &mut random);
    tally.case(name.to_string());
    let p = distance(a, b, &pose);
    let back = pose.inverse();
    let mirror = distance(b, a, &back);
    let checked =
        check_planar(a, b, &pose, &p).map_err(|fault| format!("{fault}; {p:?}")).and_then(|margins| {
            check_planar(b, a, &back, &mirror).map_err(|fault| format!("{fault}; exchanged, {mirror:?}"))?;
            let off = (p.signed_distance - mirror.signed_distance).abs() / margins.tolerance;
            if off <= 2.0 {
                Ok(margins)
            } else {
                Err(format!("exchanged, the answer is off by {off:.3}; {p:?} {mirror:?}"))
            }
        });
    match checked {
        Ok(margins) => {
            *tally.states.entry(format!("{:?}", p.state)).or_default() += 1;
            tally.ended(p.ended);
            tally.margins(&margins, case);
        }
        Err(fault) => {
            let complexity = (a.vertex_count() + b.vertex_count()) as u64;
            let group = format!("{name}: {}", kind(&fault));
            let repeat = format!(
                "a: {:?} at {:?}; b: {:?} at {:?}; {pose:?}",
                a.vertices(),
                a.anchor(),
                b.vertices(),
                b.anchor()
            );
            tally.fail(Failure { case, group, complexity, fault, repeat });
        }
    }
}

/// Apart, near, in contact at corners or along edges, overlapping, or middles together.
fn place(a: &Polygon, b: &Polygon, random: &mut Random) -> (&'static str, PlanarPose) {
    let size = a.radius().max(b.radius());
    let smaller = a.radius().min(b.radius()).max(1e-9 * size);
    let towards = DVec2::from_angle(random.uniform(0.0, std::f64::consts::TAU));
    let mut angle = random.uniform(-3.0, 3.0);
    let (name, gap) = match random.index(6) {
        0 => ("Apart", size * random.log_uniform(-1.0, 6.0)),
        1 => ("Near", size * random.log_uniform(-15.0, -1.0)),
        2 => ("Touching", 0.0),
        3 => ("Overlapping", -smaller * random.log_uniform(-14.0, 0.3)),
        4 => ("Deep", -(a.radius() + b.radius())),
        _ => {
            angle = *random.pick(&[0.0, std::f64::consts::FRAC_PI_2, std::f64::consts::PI]);
            ("Aligned", *random.pick(&[0.0, 1e-15, 1e-6, -1e-6, -0.1]) * smaller)
        }
    };
    let turn = PlanarPose::new(angle, DVec2::ZERO).unwrap_or_default();
    let high = a.body_vertex(a.support(towards));
    let low = turn.rotate(b.body_vertex(b.support(turn.rotate_inverse(-towards))));
    (name, turn.with_translation(high - low + gap * towards))
}
