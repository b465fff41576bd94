//! The run against the interior-point solver.

use crate::runs::{ask, file};
use crate::tally::Tally;
use clearance_geometry::Body;
use clearance_testkit::generate::{Arrangement, Family, Pool, arrange};
use clearance_testkit::oracle::{Placement, qp_distance};
use clearance_testkit::{Random, check_query};

/// Digits that the solver is trusted for, as a part of the bodies' sizes.
const SOLVER_REL: f64 = 1e-6;

/// One well-scaled pair: no needles, no offsets, no mixed scales.
pub(crate) fn qp_case(pool: &Pool, seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::for_case(seed, case);
    let pair = loop {
        let (a, b) = pool.two(&mut random);
        let tame = |f: Family| !matches!(f, Family::Needle | Family::Plate | Family::Sliver);
        if !tame(a.family) || !tame(b.family) || a.offset + b.offset > 0.0 || a.exponent != b.exponent {
            continue;
        }
        let pair = arrange(a, b, &mut random);
        if pair.arrangement != Arrangement::Apart {
            break pair;
        }
    };
    tally.case(format!("{:?}-{:?}", pair.a.family, pair.b.family));
    let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
    let p = match check_query(&a, &b, &pair.pose_ab, ask) {
        Ok((p, _)) => p,
        Err(fault) => return file(tally, &pair, case, fault),
    };
    tally.answer(&p);
    let Some(solved) = qp_distance(&pair.a.vertices, &pair.b.vertices, &Placement::from(&pair.pose_ab))
    else {
        *tally.ended.entry("solver gave up".to_string()).or_default() += 1;
        return;
    };
    let off = (solved - p.distance).abs() / ((pair.a.radius + pair.b.radius) * SOLVER_REL);
    tally.measure("qp", off, case);
    if off > 1.0 {
        file(tally, &pair, case, format!("{:?} {:e}, the solver finds {solved:e}", p.state, p.distance));
    }
}
