//! The run against the interior-point solver.

use super::{Case, PER_FAMILY, ask, bodies, file};
use clearance_testkit::generate::{Arrangement, Family, Pair, Pool, arrange};
use clearance_testkit::oracle::{Placement, qp_distance};
use clearance_testkit::{Random, check_query};

/// Digits that the solver is trusted for in the square of the distance, over the square of the bodies' sizes.
const SOLVER_SQ_REL: f64 = 1e-10;

/// The distance of well-scaled pairs: no needles, no offsets, no mixed scales.
pub(super) fn qp(seed: u64) -> Box<Case<'static>> {
    let pool = Pool::new(seed, PER_FAMILY, 60);
    Box::new(move |case, tally| {
        let pair = tame_pair(&pool, seed, case);
        tally.case(format!("{:?}-{:?}", pair.a.family, pair.b.family));
        let (a, b) = bodies(&pair);
        let p = match check_query(&a, &b, &pair.pose_ab, ask) {
            Ok((p, _)) => p,
            Err(fault) => return file(tally, &pair, case, fault),
        };
        tally.answer(&p);
        let solved = qp_distance(&pair.a.vertices, &pair.b.vertices, &Placement::from(&pair.pose_ab));
        let Some(solved) = solved else {
            *tally.ended.entry("solver gave up".to_string()).or_default() += 1;
            return;
        };
        let size = pair.a.radius + pair.b.radius;
        let off = (solved * solved - p.distance * p.distance).abs() / (size * size * SOLVER_SQ_REL);
        tally.measure("qp", off, case);
        if off > 1.0 {
            let fault = format!("the solver finds {solved:e}, the answer is {:?} {:e}", p.state, p.distance);
            file(tally, &pair, case, fault);
        }
    })
}

fn tame_pair<'a>(pool: &'a Pool, seed: u64, case: u64) -> Pair<'a> {
    let mut random = Random::for_case(seed, case);
    let tame = |f: Family| !matches!(f, Family::Needle | Family::Plate | Family::Sliver);
    loop {
        let (a, b) = pool.two(&mut random);
        if !tame(a.family) || !tame(b.family) || a.offset + b.offset > 0.0 || a.exponent != b.exponent {
            continue;
        }
        let pair = arrange(a, b, &mut random);
        if pair.arrangement != Arrangement::Apart {
            return pair;
        }
    }
}
