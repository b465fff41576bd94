//! What can be asked about two bodies.

use crate::fields::At;
use crate::{AnyPose, Error, ErrorKind, Shape, Units};
use clearance_proximity::global::ONE_SHOT_PAIRS;
use std::time::Instant;

/// What is wanted beyond the distance.
///
/// ```
/// use clearance_formats::Wants;
/// let wants = Wants { ratio: true, ..Wants::default() };
/// assert!(!wants.certificate);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The ratio metric.
    pub ratio: bool,
    /// A proven lower bound.
    pub certificate: bool,
    /// The derivative of the signed distance.
    pub gradient: bool,
    /// All closest points.
    pub locus: bool,
    /// All local minima.
    pub all_minima: bool,
    /// What nearly touches, as the steps of a simulation see it.
    pub events: bool,
    /// The time of the first contact; of lines that say how the bodies move.
    pub impact: bool,
}

const WANTS: [&str; 7] = ["ratio", "certificate", "gradient", "locus", "all_minima", "events", "impact"];

impl Wants {
    /// Adds a wish by its word.
    ///
    /// # Errors
    /// `unknown_want`.
    pub fn add(&mut self, word: &str) -> Result<(), Error> {
        let flag = match word {
            "ratio" => &mut self.ratio,
            "certificate" => &mut self.certificate,
            "gradient" => &mut self.gradient,
            "locus" => &mut self.locus,
            "all_minima" => &mut self.all_minima,
            "impact" => &mut self.impact,
            "events" => &mut self.events,
            _ => {
                let kind = ErrorKind::UnknownWant { want: word.to_owned(), known: WANTS.join(", ") };
                return Err(kind.into());
            }
        };
        *flag = true;
        Ok(())
    }

    /// What either asks for.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            ratio: self.ratio || other.ratio,
            certificate: self.certificate || other.certificate,
            gradient: self.gradient || other.gradient,
            locus: self.locus || other.locus,
            all_minima: self.all_minima || other.all_minima,
            events: self.events || other.events,
            impact: self.impact || other.impact,
        }
    }

    /// Reads `want`: a list of words, or one word.
    pub(crate) fn parse(at: At<'_>) -> Result<Self, Error> {
        let mut wants = Self::default();
        if let Ok(word) = at.text() {
            wants.add(word).map_err(|error| at.place(error))?;
            return Ok(wants);
        }
        for item in at.items()? {
            wants.add(item.text()?).map_err(|error| item.place(error))?;
        }
        Ok(wants)
    }
}

/// A question about two bodies in the world.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Where A stands.
    pub pose_a: AnyPose,
    /// Body B.
    pub b: &'a Shape,
    /// Where B stands.
    pub pose_b: AnyPose,
    /// What is wanted beyond the distance.
    pub wants: Wants,
    /// Largest error accepted on the signed distance; a length.
    pub max_error: Option<f64>,
    /// Most pairs of parts that a search between curved bodies may look at; it ends in `limit` then, with the bounds it
    /// has. A few million unless given.
    pub max_pairs: Option<u64>,
    /// Largest gap of the events that are wanted; a length. A thousandth of the smaller body's radius unless given.
    pub margin: Option<f64>,
    /// When a search ends with the bounds it has, if not before.
    pub deadline: Option<Instant>,
    /// The unit of every length, for the answer to repeat.
    pub units: Units,
}

impl<'a> Request<'a> {
    /// Asks for the distance of two bodies, in metres.
    pub fn new(a: &'a Shape, pose_a: AnyPose, b: &'a Shape, pose_b: AnyPose) -> Self {
        let (wants, units) = (Wants::default(), Units::Metre);
        Self {
            a,
            pose_a,
            b,
            pose_b,
            wants,
            max_error: None,
            max_pairs: None,
            margin: None,
            deadline: None,
            units,
        }
    }
}

/// Pairs of parts that a search looks at in a second, on a slow machine.
const PAIRS_PER_SECOND: f64 = 250_000.0;

/// Fewest pairs that a search is given, however little time is left: enough for bounds that mean something.
const FEWEST_PAIRS: u64 = 256;

/// How many pairs a search may look at so that it ends about at `deadline`; a [`Request`]'s `max_pairs`.
pub fn pairs_until(deadline: Instant) -> u64 {
    let left = deadline.saturating_duration_since(Instant::now());
    let pairs = left.as_secs_f64() * PAIRS_PER_SECOND;
    (pairs as u64).clamp(FEWEST_PAIRS, ONE_SHOT_PAIRS)
}
