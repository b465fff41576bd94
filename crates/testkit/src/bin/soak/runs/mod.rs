//! The runs: what a case is and what it is held to.

#[cfg(feature = "certificates")]
mod certificates;
mod certified;
mod contact;
mod curved;
mod curved_case;
#[cfg(feature = "dynamics")]
mod dynamics;
mod planar;
#[cfg(feature = "qp")]
mod qp;
mod ratio;
mod solid;
mod tracked_pairs;
mod tracking;

use crate::options::{Options, Run};
use crate::tally::{Failure, Tally};
use clearance_geometry::{Body, Pose};
use clearance_proximity::{Proximity, Scratch};
use clearance_testkit::generate::{Arrangement, Member, Pair};
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
        Run::Distance => Ok(solid::distance(seed)),
        Run::LinCanny => Ok(solid::lin_canny(seed)),
        Run::Depth => Ok(solid::depth(seed)),
        Run::Ratio => Ok(ratio::ratio(seed)),
        Run::Planar => Ok(planar::planar(seed)),
        Run::Curved => Ok(curved::curved(seed)),
        Run::Certified => Ok(certified::certified(seed)),
        Run::Contact => Ok(contact::contact(seed)),
        Run::Tracking => Ok(tracking::tracking(seed)),
        #[cfg(feature = "certificates")]
        Run::Certificates => Ok(certificates::certificates(seed)),
        #[cfg(not(feature = "certificates"))]
        Run::Certificates => Err("the run needs a feature: cargo run --features certificates".to_string()),
        #[cfg(feature = "dynamics")]
        Run::Dynamics => Ok(dynamics::dynamics(seed)),
        #[cfg(not(feature = "dynamics"))]
        Run::Dynamics => Err("the run needs a feature: cargo run --features dynamics".to_string()),
        #[cfg(feature = "qp")]
        Run::Qp => Ok(qp::qp(seed)),
        #[cfg(not(feature = "qp"))]
        Run::Qp => Err("the run `qp` needs the feature `qp`: cargo run --features qp".to_string()),
    }
}

/// Something about each body of a pool, under the address of its vertices, which live as long as the pool.
type PerBody<T> = BTreeMap<usize, T>;

fn key(member: &Member) -> usize {
    member.vertices.as_ptr() as usize
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// The production query with reused memory.
fn ask(a: &Body, b: &Body, pose_ab: &Pose) -> Proximity {
    SCRATCH.with_borrow_mut(|scratch| scratch.distance(a, b, pose_ab)).expect("polytopes are supported")
}

fn bodies(pair: &Pair<'_>) -> (Body, Body) {
    (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()))
}

fn group(pair: &Pair<'_>) -> String {
    match pair.arrangement {
        Arrangement::Troubled(trouble) => format!("{trouble:?}"),
        other => format!("{other:?}"),
    }
}

/// Files a fault with what is needed to repeat it without the pool, for bodies of few corners.
fn file(tally: &mut Tally, pair: &Pair<'_>, case: u64, fault: String) {
    let body = |m: &Member| {
        let few = m.vertices.len() <= 24;
        let points = if few { format!("{:?}", m.vertices) } else { format!("{} points", m.vertices.len()) };
        format!("{:?} 1e{} offset {:e} {points}", m.family, m.exponent, m.offset)
    };
    // Few corners, size 1 and no offset are the easiest to look at.
    let size = |m: &Member| {
        m.vertices.len() as u64 + 100 * u64::from(m.exponent != 0) + 100 * u64::from(m.offset > 0.0)
    };
    tally.fail(Failure {
        case,
        group: format!("{}: {}", group(pair), kind(&fault)),
        complexity: size(pair.a) + size(pair.b),
        fault,
        repeat: format!("a: {}; b: {}; pose_ab: {:?}", body(pair.a), body(pair.b), pair.pose_ab),
    });
}

/// The words of a fault before its first number.
fn kind(fault: &str) -> String {
    let plain = |word: &&str| !word.contains(|c: char| c.is_ascii_digit());
    fault.split(' ').take_while(plain).take(4).collect::<Vec<_>>().join(" ")
}
