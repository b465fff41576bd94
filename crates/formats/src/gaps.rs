//! Whether all bodies of a scene, or all parts of an assembly, keep a gap between each other.
//!
//! Source: none; every pair is one question, and boxes around bodies answer most of them.
//! Differs: pairs whose boxes are nearer than the gap are asked about first, all of them. Then those that may be nearer than
//! the nearest pair found, the nearest boxes first, so that the least gap of all is known as well.
//! Ends because: every pair is asked about once at most.
//! Cost: a few operations for each pair of boxes, and a proven distance for each pair that is asked about.
//! Not promised: the distance of a pair whose boxes are farther apart than the gap and the least distance; it has a bound.

use crate::{Answer, AnyBody, AnyPose, Error, Request, Scene, Shape, Units, answer, pairs_until};
use clearance_geometry::bound::{Aabb, Obb};
use clearance_geometry::{Body, DVec3, LeafShape, Pose, Tolerance};
use clearance_proximity::{Ended, State};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A body of a scene, or a part of an assembly.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Where it stands in the world.
    pub pose: AnyPose,
}

/// The bodies of a scene where they stand at time 0.
pub fn members_of_scene(scene: &Scene) -> Vec<Member> {
    let member = |body: &crate::SceneBody| Member {
        name: body.name.clone(),
        shape: body.shape.clone(),
        pose: body.pose,
    };
    scene.bodies.iter().map(member).collect()
}

/// The parts of a shape: the bodies of a STEP file or of a union, each by itself.
pub fn members_of_shape(shape: &Shape) -> Vec<Member> {
    let AnyBody::Solid(Body::Union(tree)) = &shape.body else {
        let name = shape.parts.first().map_or(shape.kind, |part| &part.name).to_owned();
        let pose = AnyPose::identity(shape.body.is_planar());
        return vec![Member { name, shape: shape.clone(), pose }];
    };
    let mut members: Vec<Member> = Vec::with_capacity(tree.leaves().len());
    for leaf in tree.leaves() {
        let body = match &leaf.shape {
            LeafShape::Polytope(polytope) => Body::from(polytope.clone()),
            LeafShape::Tiled(tiled) => Body::from(tiled.clone()),
        };
        let body = if leaf.boundary { body.boundary() } else { body };
        let numbers: Vec<String> = leaf.path.iter().map(u32::to_string).collect();
        let name = shape.parts.iter().find(|part| part.path == leaf.path).map(|part| part.name.clone());
        members.push(Member {
            name: name.unwrap_or_else(|| format!("part:{}", numbers.join("."))),
            shape: Shape::new(shape.kind, AnyBody::Solid(body)),
            pose: AnyPose::Solid(leaf.pose),
        });
    }
    number_namesakes(&mut members);
    members
}

/// Several parts may be one product: each gets its number.
fn number_namesakes(members: &mut [Member]) {
    let names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
    for (at, member) in members.iter_mut().enumerate() {
        let before = names[..at].iter().filter(|name| **name == names[at]).count();
        let after = names[at + 1..].contains(&names[at]);
        if before > 0 || after {
            member.name = format!("{}#{}", names[at], before + 1);
        }
    }
}

/// What is proven about a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Proven to be kept.
    Kept,
    /// Two points are nearer.
    Violated,
    /// Neither is known.
    Undecided,
}

impl Gap {
    /// What an answer with its lower bound says about a gap.
    pub fn of(answer: &Answer, gap: f64) -> Self {
        let Some(signed) = answer.signed_distance else {
            // In contact, to an unknown depth.
            let violated = gap > 0.0 || gap == 0.0 && answer.state.overlaps();
            return if violated { Self::Violated } else { Self::Undecided };
        };
        let proven = answer.lower_bound.flatten();
        if proven.is_some_and(|lower| lower >= gap) {
            Self::Kept
        } else if signed < gap {
            Self::Violated
        } else {
            Self::Undecided
        }
    }

    /// What an answer says where bodies may touch but not overlap.
    pub fn of_contact(answer: &Answer) -> Self {
        match answer.state {
            State::Separated => Self::Kept,
            State::Touching if answer.ended == Ended::Limit => Self::Undecided,
            State::Touching => Self::Kept,
            _ => Self::Violated,
        }
    }

    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Violated => "violated",
            Self::Undecided => "undecided",
        }
    }
}

/// A pair of bodies and its gap.
#[derive(Clone, Debug, PartialEq)]
pub struct PairGap {
    /// The bodies, by index.
    pub pair: [usize; 2],
    /// Whether the gap is kept.
    pub gap: Gap,
    /// Proven: the signed distance is no less; −∞ where nothing is.
    pub lower: f64,
    /// The answer, where boxes did not suffice.
    pub answer: Option<Box<Answer>>,
}

impl PairGap {
    /// What pairs are ordered by: the signed distance, or its bound.
    pub fn nearness(&self) -> f64 {
        self.answer.as_ref().map_or(self.lower, |answer| answer.nearness())
    }
}

/// What is asked of the gaps of an assembly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapDemand {
    /// The gap that every pair must keep; a length. Without one they may touch but not overlap.
    pub min_gap: Option<f64>,
    /// Largest error accepted on a distance; a length.
    pub max_error: Option<f64>,
    /// When searches end with the bounds they have.
    pub deadline: Option<Instant>,
    /// The unit of every length.
    pub units: Units,
    /// Threads that share the pairs; the answer is the same with any number.
    pub threads: usize,
}

/// The gaps of all pairs but those to be ignored, the nearest first. `done` hears of every pair that was asked about.
///
/// # Errors
/// What a query can have wrong, with the names of both bodies; two half-spaces are no pair.
///
/// ```
/// use clearance_formats::{Context, Gap, GapDemand, Shape, Units, gaps, members_of_shape};
/// let text = r#"{"kind": "union", "parts": [{"shape": {"kind": "sphere", "radius": 1}},
///     {"shape": {"kind": "sphere", "radius": 1}, "pose": {"translation": [2.5, 0, 0]}}]}"#;
/// let members = members_of_shape(&Shape::from_json(text, &Context::default())?);
/// let demand = GapDemand { min_gap: Some(0.25), max_error: None, deadline: None, units: Units::Metre, threads: 1 };
/// let found = gaps(&members, &[], &demand, &|| {})?;
/// assert!(found.len() == 1 && found[0].gap == Gap::Kept);
/// # Ok::<(), clearance_formats::Error>(())
/// ```
pub fn gaps(
    members: &[Member],
    ignore: &[[usize; 2]],
    demand: &GapDemand,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<PairGap>, Error> {
    let boxes: Vec<Option<Aabb<3>>> = members.iter().map(around).collect();
    let mut pairs: Vec<PairGap> = Vec::new();
    for i in 0..members.len() {
        for j in i + 1..members.len() {
            let unbounded = members[i].shape.body.is_unbounded() && members[j].shape.body.is_unbounded();
            if unbounded || ignore.contains(&[i, j]) {
                continue;
            }
            let lower = match (&boxes[i], &boxes[j]) {
                (Some(one), Some(other)) => one.distance_sq_below(other).sqrt(),
                _ => 0.0,
            };
            // Boxes that meet prove nothing.
            let lower = if lower > 0.0 { lower } else { f64::NEG_INFINITY };
            pairs.push(PairGap { pair: [i, j], gap: Gap::Kept, lower, answer: None });
        }
    }
    pairs.sort_by(|one, other| one.lower.total_cmp(&other.lower).then(one.pair.cmp(&other.pair)));
    let near = pairs.partition_point(|pair| pair.lower < demand.min_gap.unwrap_or(0.0) || pair.lower <= 0.0);
    let (first, rest) = pairs.split_at_mut(near);
    ask_all(members, first, demand, done)?;
    let mut least = first.iter().map(PairGap::nearness).fold(f64::INFINITY, f64::min);
    for pair in rest {
        if pair.lower >= least {
            break;
        }
        ask(members, pair, demand)?;
        done();
        least = least.min(pair.nearness());
    }
    pairs.sort_by(|one, other| one.nearness().total_cmp(&other.nearness()).then(one.pair.cmp(&other.pair)));
    Ok(pairs)
}

/// Asks about pairs on several threads.
fn ask_all(
    members: &[Member],
    pairs: &mut [PairGap],
    demand: &GapDemand,
    done: &(dyn Fn() + Sync),
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut own: Vec<(usize, Result<PairGap, Error>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(pair) = pairs.get(at) else { return own };
            let mut pair = pair.clone();
            let asked = ask(members, &mut pair, demand);
            done();
            own.push((at, asked.map(|()| pair)));
        }
    };
    let threads = demand.threads.clamp(1, pairs.len().max(1));
    let mut answered: Vec<(usize, Result<PairGap, Error>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut all = worker();
        // A worker does not panic; if one did, its pairs would be asked about below.
        all.extend(others.into_iter().filter_map(|other| other.join().ok()).flatten());
        all
    });
    answered.sort_by_key(|(at, _)| *at);
    for (at, pair) in answered {
        pairs[at] = pair?;
    }
    pairs.iter_mut().filter(|pair| pair.answer.is_none()).try_for_each(|pair| ask(members, pair, demand))
}

/// Asks about one pair.
fn ask(members: &[Member], pair: &mut PairGap, demand: &GapDemand) -> Result<(), Error> {
    let [a, b] = pair.pair.map(|at| &members[at]);
    let mut request = Request::new(&a.shape, a.pose, &b.shape, b.pose);
    request.units = demand.units;
    request.max_error = demand.max_error;
    request.max_pairs = demand.deadline.map(pairs_until);
    request.deadline = demand.deadline;
    request.wants.certificate = true;
    let found = answer(&request).map_err(|error| error.at_key(format!("{} and {}", a.name, b.name)))?;
    pair.gap = demand.min_gap.map_or_else(|| Gap::of_contact(&found), |gap| Gap::of(&found, gap));
    pair.lower = pair.lower.max(found.lower_bound.flatten().unwrap_or(f64::NEG_INFINITY));
    pair.answer = Some(Box::new(found));
    Ok(())
}

/// A box around a body in the world; `None` for one without bounds, and in the plane.
fn around(member: &Member) -> Option<Aabb<3>> {
    let (AnyBody::Solid(body), AnyPose::Solid(pose)) = (&member.shape.body, &member.pose) else {
        return None;
    };
    let own = match body.whole() {
        Body::Polytope(polytope) => {
            Aabb::from_points(polytope.vertices().iter().map(|vertex| *vertex + polytope.anchor()))
        }
        Body::Tiled(tiled) => tiled.aabb(),
        Body::Deforming(deforming) => deforming.shape().aabb(),
        Body::Algebraic(surface) => *surface.within(),
        Body::Union(tree) => tree.root().bound.aabb(),
        // `whole` is no boundary.
        Body::HalfSpace(_) | Body::Boundary(_) => return None,
    };
    Some(placed(&own, pose))
}

fn placed(own: &Aabb<3>, pose: &Pose) -> Aabb<3> {
    let center = DVec3::from_array(own.center());
    let half = own.half_extents();
    let moved = Obb { center: pose.apply(center), axes: pose.rotation(), half };
    let size = center.length() + half.length() + pose.translation().length();
    moved.aabb().inflated(Tolerance::for_size(size).length())
}
