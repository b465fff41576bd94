//! Conservative advancement: from one moment to the next that no contact can precede.
//!
//! Source: 003's scheduling of tests by the time that two bodies need at least to meet; a distance of at least L cannot be
//! used up before the motion bound has reached L.
//! Differs: DIFFERS: where a plane keeps the bodies apart, its gap along the fixed normal n is followed in place of the
//! distance. The height n·x(s) of every point has a second derivative of at most C, so that between two moments with gaps
//! g₀ and g₁ no gap is below their chord by more than Cσ(τ − σ)/2, which is positive throughout if
//! (√g₀ + √g₁)² > Cτ²/2. First derivatives cost nothing: motion along the plane, and rotation about the normal or about the
//! body's own centre, are not charged for. A grazing contact is approached by halving, not in ever smaller steps.
//! Ends because: every step is one of a budget of looks.
//! Cost: some ten distances for convex bodies; for others as many as the motion bound is larger than the motion towards each
//! other.
//! Not promised: which of two contacts within the tolerance is first; what happens after the first contact.

use super::closing::Closing;
use super::motion::Motion;
use crate::tolerance::{IMPACT_TOLERANCE_REL, RATE_MARGIN_REL};
use crate::{QueryError, State};
use clearance_geometry::{DVec3, Pose};
use std::time::Instant;

pub(super) use super::closing::Subject;

/// What is asked of a search for the first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactDemand {
    /// How far the bodies may move between both ends of the interval; a length. By default 10⁻⁶ of the size of both, or of
    /// their distance at the start where they have no size.
    pub tolerance: Option<f64>,
    /// Most moments at which the distance may be asked for.
    pub max_looks: u32,
    /// When the search ends with what is proven by then, if not before.
    pub deadline: Option<Instant>,
}

impl Default for ImpactDemand {
    fn default() -> Self {
        Self { tolerance: None, max_looks: 2000, deadline: None }
    }
}

/// How a search for the first contact ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactEnd {
    /// The first contact is between `free_until` and `contact_by`.
    Contact,
    /// Proven: there is no contact.
    Free,
    /// The budget, the precision of numbers or a moment at which the state of the bodies is not decided ended the search:
    /// nothing is known beyond `free_until`.
    Limit,
}

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactWork {
    /// Moments at which the distance was asked for.
    pub looks: u32,
    /// Gaps of planes that were asked for.
    pub gaps: u32,
}

/// An answer at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen<A> {
    /// When.
    pub time: f64,
    /// How the bodies stand to each other then, in the world.
    pub answer: A,
}

/// When two bodies first touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact<A> {
    /// How the search ended.
    pub ended: ImpactEnd,
    /// Proven: there is no contact before this time, counted from the start.
    pub free_until: f64,
    /// A time at which the bodies are in contact.
    pub contact_by: Option<f64>,
    /// The last look at the bodies while they are apart; none where they begin in contact.
    pub before: Option<Seen<A>>,
    /// The look that found them in contact.
    pub contact: Option<Seen<A>>,
    /// Work done.
    pub work: ImpactWork,
}

/// Two bodies that can be asked how they stand to each other.
pub(super) trait Pair {
    /// What is answered, in the frame of A.
    type Answer: Clone;

    fn subjects(&self) -> &[Subject; 2];

    /// How they stand to each other, with the bound on their distance within about `max_error`.
    fn look(
        &mut self,
        poses: [&Pose; 2],
        time: f64,
        max_error: f64,
    ) -> Result<Look<Self::Answer>, QueryError>;

    /// From now on a look may be undecided rather than take long.
    fn hurry(&mut self) {}

    /// A lower bound on the gap between both along a unit vector from A to B; of a half-space along its own normal. `None`
    /// where there is no such bound.
    fn gap(&mut self, poses: [&Pose; 2], normal: DVec3, max_error: f64) -> Result<Option<f64>, QueryError>;

    fn in_world(answer: &Self::Answer, pose_a: &Pose) -> Self::Answer;
}

/// How two bodies stand to each other.
#[derive(Clone, Debug)]
pub(super) struct Look<A> {
    pub(super) state: State,
    pub(super) distance: f64,
    /// Proven.
    pub(super) lower: f64,
    /// From A to B; in the world, as are the points.
    pub(super) normal: Option<DVec3>,
    pub(super) points: [DVec3; 2],
    pub(super) answer: A,
}

/// The share of a gap that a step is to leave.
const LEFT: f64 = 1.0 / 32.0;

/// Most gaps that are tried for one step.
const TRIES: usize = 24;

/// A share of the tolerance: how close bounds of distances are asked for.
const CLOSE: f64 = 1.0 / 4.0;

/// Doublings of a step beyond which no contact is looked for.
const PROBES: usize = 12;

/// Looks for the moment at which a point is on a surface that it passes through.
const PASSES: usize = 64;

/// Rounds that narrow an interval to no less than this share of it are slow; after so many the interval stays as it is.
const SLOW: f64 = 0.9;
const SLOW_ROUNDS: u32 = 12;

/// Looks after which a plane is tried again where there was none.
const PAUSE: u32 = 8;

/// Advances two bodies to their first contact.
pub(super) fn advance<P: Pair>(
    pair: P,
    motions: [&Motion; 2],
    [from, to]: [f64; 2],
    demand: &ImpactDemand,
) -> Result<Impact<P::Answer>, QueryError> {
    // Written so that NaN is refused.
    QueryError::demand(from.is_finite() && to.is_finite() && from <= to, "span")?;
    QueryError::demand(demand.tolerance.is_none_or(|length| length > 0.0), "tolerance")?;
    let size: f64 = pair.subjects().iter().map(|subject| subject.radius).sum();
    let tolerance = demand.tolerance.unwrap_or(IMPACT_TOLERANCE_REL * size).max(f64::MIN_POSITIVE);
    let apart = Motion::apart(motions[0], motions[1]);
    let full = motions[0].clone();
    let budget = demand.max_looks.max(1);
    let (deadline, work) = (demand.deadline, ImpactWork::default());
    Run { pair, motions: apart, full, to, tolerance, budget, deadline, work, pause: 0 }.run(from)
}

struct Run<P: Pair> {
    pair: P,
    /// Without what both have in common.
    motions: [Motion; 2],
    /// All of A's motion, which leads to the world.
    full: Motion,
    to: f64,
    tolerance: f64,
    budget: u32,
    deadline: Option<Instant>,
    work: ImpactWork,
    /// Looks until a plane is tried again.
    pause: u32,
}

/// A moment and what was seen.
type Moment<P> = (f64, Look<<P as Pair>::Answer>);

impl<P: Pair> Run<P> {
    fn run(mut self, from: f64) -> Result<Impact<P::Answer>, QueryError> {
        let Some(first) = self.look(from)? else { return self.ended(ImpactEnd::Limit, from, None, None) };
        let mut now = (from, first);
        if now.1.state != State::Separated {
            return self.ended(ImpactEnd::Contact, from, None, Some(now));
        }
        if self.tolerance == f64::MIN_POSITIVE {
            // A point and a half-space have no size; their distance is what there is.
            self.tolerance = IMPACT_TOLERANCE_REL * now.1.distance;
        }
        let mut tried = f64::INFINITY;
        while now.0 < self.to {
            let distance = now.1.distance;
            if distance <= self.tolerance && distance < tried {
                tried = distance * CLOSE;
                if let Some(contact) = self.probe(&now)? {
                    return self.narrow(now, contact);
                }
            }
            let next = now.0 + self.step(&now)?;
            if self.is_spent() || next <= now.0 {
                let free = now.0;
                return self.ended(ImpactEnd::Limit, free, Some(now), None);
            }
            let next = next.min(self.to);
            let Some(look) = self.look(next)? else {
                // Nothing is known of the moment itself, but nothing can have happened before it.
                return self.ended(ImpactEnd::Limit, next, Some(now), None);
            };
            if look.state != State::Separated {
                return self.ended(ImpactEnd::Contact, next, Some(now), Some((next, look)));
            }
            now = (next, look);
        }
        let free = now.0;
        self.ended(ImpactEnd::Free, free, Some(now), None)
    }

    fn ended(
        self,
        ended: ImpactEnd,
        free_until: f64,
        before: Option<Moment<P>>,
        contact: Option<Moment<P>>,
    ) -> Result<Impact<P::Answer>, QueryError> {
        let seen = |moment: Option<Moment<P>>| -> Result<Option<Seen<P::Answer>>, QueryError> {
            let Some((time, look)) = moment else { return Ok(None) };
            let answer = P::in_world(&look.answer, &self.full.pose(time)?);
            Ok(Some(Seen { time, answer }))
        };
        let contact_by = contact.as_ref().map(|(time, _)| *time);
        Ok(Impact {
            ended,
            free_until,
            contact_by,
            before: seen(before)?,
            contact: seen(contact)?,
            work: self.work,
        })
    }

    /// Whether looks or the time are used up.
    fn is_spent(&self) -> bool {
        self.work.looks >= self.budget || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn poses(&self, time: f64) -> Result<[Pose; 2], QueryError> {
        Ok([self.motions[0].pose(time)?, self.motions[1].pose(time)?])
    }

    /// How the bodies stand to each other at a moment; `None` where that is not decided.
    fn look(&mut self, time: f64) -> Result<Option<Look<P::Answer>>, QueryError> {
        self.work.looks += 1;
        let [a, b] = self.poses(time)?;
        let look = match self.pair.look([&a, &b], time, CLOSE * self.tolerance) {
            Err(QueryError::Undecided { .. }) => return Ok(None),
            found => found?,
        };
        Ok(Some(Look { lower: look.lower - self.slack(time), ..look }))
    }

    /// What rounding of both poses may take off a bound.
    fn slack(&self, time: f64) -> f64 {
        let subjects = self.pair.subjects();
        [0, 1].iter().map(|&i| self.motions[i].rounding(time, subjects[i].reach())).sum()
    }

    fn closing(&self, from: f64, span: f64) -> Closing<'_> {
        Closing::new(self.pair.subjects(), &self.motions, from, span)
    }

    /// The end of the span that begins at `time`: beyond it velocities jump.
    fn end(&self, time: f64) -> f64 {
        self.motions.iter().map(|motion| motion.next_knot(time)).fold(self.to, f64::min)
    }

    /// How long there can be no contact from now on; 0 where nothing is proven.
    fn step(&mut self, (time, look): &Moment<P>) -> Result<f64, QueryError> {
        if look.lower.is_nan() || look.lower <= 0.0 {
            return Ok(0.0);
        }
        let by_speed = self.step_by_speed(*time, look.lower);
        let whole = self.end(*time) - time;
        if by_speed >= whole {
            return Ok(whole);
        }
        if self.pause > 0 {
            self.pause -= 1;
            return Ok(by_speed);
        }
        let by_plane = match look.normal {
            Some(normal) => self.step_by_plane(*time, normal, by_speed)?,
            None => None,
        };
        Ok(by_plane.unwrap_or(by_speed).max(by_speed))
    }

    /// By the speed at which points can come nearer at most.
    fn step_by_speed(&self, time: f64, lower: f64) -> f64 {
        let mut span = self.end(time) - time;
        let mut best = 0.0_f64;
        for _ in 0..TRIES {
            let speed = self.closing(time, span).speed();
            if speed * span <= lower {
                return span.max(best);
            }
            let step = lower / speed;
            best = best.max(step);
            // Over a span that is not much longer than the step the bounds are as good as they get.
            if step * 2.0 >= span {
                break;
            }
            span = (span * 0.5).min(step * 2.0);
        }
        best
    }

    /// By the gap along a fixed normal; `None` where that is not more than `least`.
    fn step_by_plane(&mut self, time: f64, normal: DVec3, least: f64) -> Result<Option<f64>, QueryError> {
        let Some(first) = self.gap(time, normal)?.filter(|gap| *gap > 0.0) else {
            self.pause = PAUSE;
            return Ok(None);
        };
        let mut span = self.end(time) - time;
        for _ in 0..TRIES {
            // Written so that NaN ends it.
            if !(span > least) {
                break;
            }
            let closing = self.closing(time, span);
            let (bend, speed) = (closing.bend(normal) * (1.0 + RATE_MARGIN_REL), closing.speed());
            let reach = |last: f64| (first.sqrt() + last.max(0.0).sqrt()) * (2.0 / bend).sqrt();
            // As far as bodies could be apart at the end.
            let most = reach(first + speed * span);
            if most < span {
                span = most.min(span * 0.5);
                continue;
            }
            let Some(last) = self.gap(time + span, normal)? else { break };
            if last > 0.0 && reach(last) > span {
                return Ok(Some(span));
            }
            let by_slope =
                if last < LEFT * first { span * (1.0 - LEFT) * first / (first - last) } else { span };
            span = by_slope.min(reach(last)).min(span * 0.875);
        }
        Ok(None)
    }

    fn gap(&mut self, time: f64, normal: DVec3) -> Result<Option<f64>, QueryError> {
        self.work.gaps += 1;
        let [a, b] = self.poses(time)?;
        let found = self.pair.gap([&a, &b], normal, CLOSE * self.tolerance)?;
        Ok(found.map(|gap| gap - self.slack(time)))
    }

    /// Looks for a contact a little later.
    fn probe(&mut self, (time, look): &Moment<P>) -> Result<Option<Moment<P>>, QueryError> {
        let closing = self.closing(*time, 0.0);
        let nearing = look.normal.map_or(0.0, |normal| closing.nearing(look.points, normal));
        let speed = if nearing > 0.0 { 0.5 * nearing } else { closing.speed() };
        let mut ahead = look.distance / speed;
        let far = 4.0 * look.distance.max(self.tolerance);
        for _ in 0..PROBES {
            let at = (time + ahead).min(self.to);
            // Written so that NaN ends it.
            if !(at > *time) || self.is_spent() {
                break;
            }
            let Some(seen) = self.look(at)? else { break };
            if seen.state != State::Separated {
                return Ok(Some((at, seen)));
            }
            if let Some([before, after]) = look.normal.zip(seen.normal).map(<[DVec3; 2]>::from)
                && before.dot(after) < 0.0
            {
                return self.pass([*time, at], [look.distance, seen.distance], before);
            }
            if seen.distance > far || at >= self.to {
                break;
            }
            ahead *= 2.0;
        }
        Ok(None)
    }

    /// Looks for the moment at which a point passes through a surface without an inside: between two times the nearest point went to
    /// its other side. Where they touch, both are within rounding.
    fn pass(
        &mut self,
        mut times: [f64; 2],
        mut heights: [f64; 2],
        normal: DVec3,
    ) -> Result<Option<Moment<P>>, QueryError> {
        for round in 0..PASSES {
            let [low, high] = times;
            let share = heights[0] / (heights[0] + heights[1]);
            // A line through both heights, but now and then the middle: a line alone may creep.
            let share = if round % 3 == 2 { 0.5 } else { share };
            let at = low + share * (high - low);
            if !(at > low && at < high) || self.is_spent() {
                break;
            }
            let Some(seen) = self.look(at)? else { break };
            if seen.state != State::Separated {
                return Ok(Some((at, seen)));
            }
            let Some(now) = seen.normal else { break };
            let side = usize::from(now.dot(normal) < 0.0);
            (times[side], heights[side]) = (at, seen.distance);
        }
        Ok(None)
    }

    /// Closes in on the first contact between a moment apart and one in contact.
    fn narrow(mut self, mut low: Moment<P>, mut high: Moment<P>) -> Result<Impact<P::Answer>, QueryError> {
        self.pair.hurry();
        let mut slow = 0;
        while self.path(low.0, high.0) > self.tolerance && !self.is_spent() && slow < SLOW_ROUNDS {
            let width = high.0 - low.0;
            let next = (low.0 + self.step(&low)?).min(high.0);
            let mut moved = false;
            if next > low.0
                && let Some(look) = self.look(next)?
            {
                if look.state != State::Separated {
                    return self.ended(ImpactEnd::Contact, next, Some(low), Some((next, look)));
                }
                low = (next, look);
                moved = true;
            }
            let middle = 0.5 * (low.0 + high.0);
            if middle > low.0
                && middle < high.0
                && let Some(look) = self.look(middle)?
                && look.state != State::Separated
            {
                high = (middle, look);
                moved = true;
            }
            if !moved {
                break;
            }
            slow += u32::from(high.0 - low.0 > SLOW * width);
        }
        let free = low.0;
        self.ended(ImpactEnd::Contact, free, Some(low), Some(high))
    }

    /// How far points can come nearer between two times.
    fn path(&self, from: f64, to: f64) -> f64 {
        let (mut at, mut sum) = (from, 0.0);
        while at < to {
            let end = self.end(at).min(to);
            sum += self.closing(at, end - at).speed() * (end - at);
            at = end;
        }
        sum
    }
}
