//! The runs: what a case is and what it is held to.

use crate::options::{Options, Run};
use crate::tally::{Failure, Tally};
use clearance_geometry::{Body, Pose};
use clearance_proximity::{Proximity, Scratch};
use clearance_testkit::generate::{Arrangement, Member, Pair, Pool, arrange};
use clearance_testkit::oracle::{Placement, SmallHull, standing};
use clearance_testkit::{Random, check_query, check_tolerance};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Runs one case.
pub(crate) type Case<'a> = dyn Fn(u64, &mut Tally) + Sync + 'a;

/// Bodies of each family and scale.
const PER_FAMILY: usize = 12;

/// Builds the bodies and says what a case is.
pub(crate) fn prepare(options: &Options) -> Result<Box<Case<'static>>, String> {
    let seed = options.seed;
    match options.run {
        Run::Distance => {
            let pool = Pool::new(seed, PER_FAMILY, 642);
            Ok(Box::new(move |case, tally| distance_case(&pool, seed, case, tally)))
        }
        Run::Depth => {
            let pool = Pool::new(seed, PER_FAMILY, 20);
            let hulls = pool.members().map(|m| (key(m), SmallHull::new(&m.vertices))).collect();
            Ok(Box::new(move |case, tally| depth_case(&pool, &hulls, seed, case, tally)))
        }
        #[cfg(feature = "qp")]
        Run::Qp => {
            let pool = Pool::new(seed, PER_FAMILY, 60);
            Ok(Box::new(move |case, tally| crate::qp_run::qp_case(&pool, seed, case, tally)))
        }
        #[cfg(not(feature = "qp"))]
        Run::Qp => Err("the run `qp` needs the feature `qp`: cargo run --features qp".to_string()),
    }
}

/// Hulls by the body they belong to: the address of its vertices, which live as long as the pool.
type Hulls = BTreeMap<usize, SmallHull>;

fn key(member: &Member) -> usize {
    member.vertices.as_ptr() as usize
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// The production query with reused memory.
pub(crate) fn ask(a: &Body, b: &Body, pose_ab: &Pose) -> Proximity {
    SCRATCH.with_borrow_mut(|scratch| scratch.distance(a, b, pose_ab)).expect("polytopes are supported")
}

fn group(pair: &Pair<'_>) -> String {
    match pair.arrangement {
        Arrangement::Troubled(trouble) => format!("{trouble:?}"),
        other => format!("{other:?}"),
    }
}

/// Files a fault with what is needed to repeat it without the pool, for bodies of few corners.
pub(crate) fn file(tally: &mut Tally, pair: &Pair<'_>, case: u64, fault: String) {
    let body = |m: &Member| {
        let points = if m.vertices.len() <= 24 {
            format!("{:?}", m.vertices)
        } else {
            format!("{} points", m.vertices.len())
        };
        format!("{:?} 1e{} offset {:e} {points}", m.family, m.exponent, m.offset)
    };
    let repeat = format!("a: {}; b: {}; pose_ab: {:?}", body(pair.a), body(pair.b), pair.pose_ab);
    // Few corners, size 1 and no offset are the easiest to look at.
    let size = |m: &Member| {
        m.vertices.len() as u64 + 100 * u64::from(m.exponent != 0) + 100 * u64::from(m.offset > 0.0)
    };
    let kind: Vec<&str> =
        fault.split(' ').take_while(|w| !w.contains(|c: char| c.is_ascii_digit())).take(4).collect();
    let group = format!("{}: {}", group(pair), kind.join(" "));
    tally.fail(Failure { case, group, complexity: size(pair.a) + size(pair.b), fault, repeat });
}

fn distance_case(pool: &Pool, seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::for_case(seed, case);
    let (a, b) = pool.two(&mut random);
    let pair = arrange(a, b, &mut random);
    tally.case(group(&pair));
    let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
    match check_query(&a, &b, &pair.pose_ab, ask) {
        Ok((p, margins)) => {
            tally.answer(&p);
            tally.margins(&margins, case);
        }
        Err(fault) => file(tally, &pair, case, fault),
    }
}

fn depth_case(pool: &Pool, hulls: &Hulls, seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::for_case(seed, case);
    let (a, b) = pool.two(&mut random);
    let pair = arrange(a, b, &mut random);
    // Far bodies have no depth to be wrong about.
    if pair.arrangement == Arrangement::Apart {
        return;
    }
    tally.case(group(&pair));
    let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
    let p = match check_query(&a, &b, &pair.pose_ab, ask) {
        Ok((p, _)) => p,
        Err(fault) => return file(tally, &pair, case, fault),
    };
    tally.answer(&p);
    let stand = standing(&hulls[&key(pair.a)], &hulls[&key(pair.b)], &Placement::from(&pair.pose_ab));
    let tolerance = check_tolerance(&a, &b, &pair.pose_ab, p.signed_distance);
    // Without facet directions (two segments in line) there is no depth.
    if stand.separation.is_nan() {
        return;
    }
    // Facet directions give the depth when bodies overlap, a lower bound when they do not.
    let over = stand.separation - p.signed_distance;
    let off = if p.signed_distance > 0.0 { over } else { over.abs() } / tolerance;
    tally.measure("depth", off, case);
    if off > 1.0 {
        let fault = format!(
            "{:?} {:e}, but enumeration finds {:e}: {off:.3} tolerances",
            p.state, p.signed_distance, stand.separation
        );
        file(tally, &pair, case, fault);
    }
}
