//! Polytopes in space: both kernels, and the exact depth.

use super::{PER_FAMILY, PerBody, ask, bodies, file, group, key};
use crate::runs::Case;
use crate::tally::Tally;
use clearance_proximity::Proximity;
use clearance_proximity::lin_canny::{Cells, Escape, Options, Relation, Walk, closest_features};
use clearance_testkit::generate::{Arrangement, Pair, Pool, arrange};
use clearance_testkit::oracle::{Placement, SmallHull, standing};
use clearance_testkit::{Margins, Random, check_proximity, check_query, check_tolerance};

/// Vertices of the largest bodies of the runs over all families.
const MOST_VERTICES: usize = 642;

/// Vertices of the largest bodies whose depth is found by enumeration.
const MOST_ENUMERATED: usize = 20;

fn pair_of<'a>(pool: &'a Pool, seed: u64, case: u64) -> Pair<'a> {
    let mut random = Random::for_case(seed, case);
    let (a, b) = pool.two(&mut random);
    arrange(a, b, &mut random)
}

fn cells_of(pool: &Pool) -> PerBody<Cells> {
    pool.members().map(|m| (key(m), Cells::new(&m.body))).collect()
}

/// The production query, both ways round, verified by its own bounds; and the reference kernel agrees.
pub(super) fn distance(seed: u64) -> Box<Case<'static>> {
    let pool = Pool::new(seed, PER_FAMILY, MOST_VERTICES);
    let cells = cells_of(&pool);
    Box::new(move |case, tally| {
        let pair = pair_of(&pool, seed, case);
        tally.case(group(&pair));
        let (a, b) = bodies(&pair);
        match check_query(&a, &b, &pair.pose_ab, ask) {
            Ok((p, margins)) => {
                tally.answer(&p);
                tally.margins(&margins, case);
                agree(tally, &pair, &cells, case, &p);
            }
            Err(fault) => file(tally, &pair, case, fault),
        }
    })
}

fn walk(pair: &Pair<'_>, cells: &PerBody<Cells>, escape: Escape) -> Walk {
    let (a, b) = ((&pair.a.body, &cells[&key(pair.a)]), (&pair.b.body, &cells[&key(pair.b)]));
    closest_features(a, b, &pair.pose_ab, None, Options { escape, ..Options::default() })
}

/// The reference kernel must find the same distance, and overlap where there is overlap.
fn agree(tally: &mut Tally, pair: &Pair<'_>, cells: &PerBody<Cells>, case: u64, p: &Proximity) {
    let (a, b) = bodies(pair);
    let tolerance = 2.0 * check_tolerance(&a, &b, &pair.pose_ab, p.signed_distance);
    let walk = walk(pair, cells, Escape::LinearSearch);
    let off = match walk.relation {
        // A walk knows no depth: it must say overlap exactly where there is some.
        Relation::Overlapping { .. } => p.signed_distance.max(0.0),
        _ => (walk.distance - p.signed_distance).abs(),
    } / tolerance;
    tally.measure("kernels", off, case);
    if off > 1.0 {
        let fault = format!(
            "the kernels disagree: production {:?} {:e}, reference {:?} {:e}: {off:.3} tolerances; {walk:?}",
            p.state, p.signed_distance, walk.relation, walk.distance
        );
        file(tally, pair, case, fault);
    }
}

/// The reference kernel by itself: every answer of both escapes verified by its own bounds.
pub(super) fn lin_canny(seed: u64) -> Box<Case<'static>> {
    let pool = Pool::new(seed, PER_FAMILY, MOST_VERTICES);
    let cells = cells_of(&pool);
    Box::new(move |case, tally| {
        let pair = pair_of(&pool, seed, case);
        tally.case(group(&pair));
        let escape = if case % 2 == 0 { Escape::LinearSearch } else { Escape::InteriorWalk };
        let walk = walk(&pair, &cells, escape);
        // A walk computes no support points; the search that stands in for it does.
        if walk.work.supports > 0 {
            *tally.ended.entry("of these by the doubled search".to_string()).or_default() += 1;
        }
        match check_walk(&pair, &walk) {
            Ok((Some(p), margins)) => {
                tally.answer(&p);
                tally.margins(&margins, case);
            }
            Ok((None, margins)) => {
                *tally.states.entry("Overlapping".to_string()).or_default() += 1;
                tally.margins(&margins, case);
            }
            Err(fault) => file(tally, &pair, case, format!("{fault}; {escape:?}")),
        }
    })
}

/// Apart or touching, a walk is an answer like any other; overlapping, it shows a common point, which is
/// verified as the distance of a point from each body: no direction may separate it.
fn check_walk(pair: &Pair<'_>, walk: &Walk) -> Result<(Option<Proximity>, Margins), String> {
    let (a, b) = bodies(pair);
    if let Some(p) = walk.proximity() {
        let margins =
            check_proximity(&a, &b, &pair.pose_ab, &p).map_err(|fault| format!("{fault}; {p:?}"))?;
        return Ok((Some(p), margins));
    }
    let tolerance = check_tolerance(&a, &b, &pair.pose_ab, 0.0);
    let Relation::Overlapping { common } = walk.relation else { return Err("no relation".to_string()) };
    let place = clearance_testkit::oracle::Placement::from(&pair.pose_ab);
    let outside = clearance_testkit::excess_of_point(&a, &b, &place, common) / tolerance;
    if outside > 1.0 {
        return Err(format!("the common point is outside by {outside:.3} tolerances"));
    }
    Ok((None, Margins { feature: outside.max(0.0), tolerance, ..Margins::default() }))
}

/// The exact depth against enumeration of all facet directions.
pub(super) fn depth(seed: u64) -> Box<Case<'static>> {
    let pool = Pool::new(seed, PER_FAMILY, MOST_ENUMERATED);
    let hulls: PerBody<SmallHull> = pool.members().map(|m| (key(m), SmallHull::new(&m.vertices))).collect();
    Box::new(move |case, tally| {
        let pair = pair_of(&pool, seed, case);
        // Far bodies have no depth to be wrong about.
        if matches!(pair.arrangement, Arrangement::Apart | Arrangement::Near) {
            return;
        }
        tally.case(group(&pair));
        let (a, b) = bodies(&pair);
        let p = match check_query(&a, &b, &pair.pose_ab, ask) {
            Ok((p, _)) => p,
            Err(fault) => return file(tally, &pair, case, fault),
        };
        tally.answer(&p);
        let stand = standing(&hulls[&key(pair.a)], &hulls[&key(pair.b)], &Placement::from(&pair.pose_ab));
        // Without facet directions (two segments in line) there is no depth.
        if stand.separation.is_nan() {
            return;
        }
        // Facet directions give the depth when bodies overlap, a lower bound when they do not.
        let over = stand.separation - p.signed_distance;
        let tolerance = check_tolerance(&a, &b, &pair.pose_ab, p.signed_distance);
        let off = if p.signed_distance > 0.0 { over } else { over.abs() } / tolerance;
        tally.measure("depth", off, case);
        if off > 1.0 {
            let fault = format!(
                "enumeration finds {:e}, the answer is {:?} {:e}: {off:.3} tolerances",
                stand.separation, p.state, p.signed_distance
            );
            file(tally, &pair, case, fault);
        }
    })
}
