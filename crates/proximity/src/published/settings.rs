//! How a published method is run: by name, with its gain, integrator and rate.

use super::Velocity;
use std::fmt;
use std::str::FromStr;

/// A published method, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Newton's iteration on the orthogonality conditions, one step per sample: 004 (1), and what 000 compares itself
    /// with.
    Newton,
    /// Feedback linearisation with feedforward of the motion: 001 (12), (14).
    Feedback,
    /// The switching controller of 000, theorems 1 and 2: the gradient times a gain, held at the boundary.
    Switching,
    /// Feedback where the second derivatives are positive definite, otherwise the enhanced switching controller.
    #[default]
    Auto,
}

/// A fixed-step integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Explicit Euler.
    Euler,
    /// Midpoint rule.
    #[default]
    RungeKutta2,
    /// The classical rule of four stages.
    RungeKutta4,
}

/// Which block diagram of 001 is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagram {
    /// Figure 3: the errors Ψ are a state of their own, integrated beside the parameters. What the integrator does
    /// wrong to the parameters is never seen by the feedback.
    Integrated,
    /// Figure 4: the errors are computed from the parameters.
    #[default]
    Computed,
}

/// How the gain of the switching controller follows the state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GainRule {
    /// One number.
    #[default]
    Constant,
    /// Remark 1 of 000: growing as the errors shrink, so that the distance decays at the rate of the gain, down to
    /// errors of `ball`, the cosine below which the gain no longer grows.
    Exponential {
        /// Dimensionless.
        ball: f64,
    },
}

/// A method with all its numbers.
///
/// ```
/// use clearance_proximity::published::{Integrator, Method, Settings};
/// let settings = Settings {
///     method: "switching".parse()?,
///     integrator: "rk4".parse()?,
///     gain: 50.0,
///     rate: 1000.0,
///     ..Settings::default()
/// };
/// assert_eq!((settings.method, settings.integrator), (Method::Switching, Integrator::RungeKutta4));
/// # Ok::<(), clearance_proximity::published::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which.
    pub method: Method,
    /// K; per second for [`Method::Feedback`], per second and length² over parameter² for [`Method::Switching`].
    pub gain: f64,
    /// How the controller is integrated.
    pub integrator: Integrator,
    /// Steps per second.
    pub rate: f64,
    /// Whether parameters are held at the bounds of their features.
    pub saturated: bool,
    /// Feedback alone.
    pub diagram: Diagram,
    /// Switching alone.
    pub rule: GainRule,
    /// Switching alone: the form of remark 3, measured by the first fundamental form, with the motion undone where it
    /// disturbs.
    pub enhanced: bool,
    /// What the feedforward knows.
    pub motion: Velocity,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            gain: 500.0,
            integrator: Integrator::default(),
            rate: 1000.0,
            saturated: true,
            diagram: Diagram::default(),
            rule: GainRule::default(),
            enhanced: false,
            motion: Velocity::default(),
        }
    }
}

/// A method or integrator was asked for by a name that none has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is none of {known}")]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// Those that there are.
    pub known: &'static str,
}

const METHODS: [(&str, Method); 4] = [
    ("newton", Method::Newton),
    ("feedback", Method::Feedback),
    ("switching", Method::Switching),
    ("auto", Method::Auto),
];

const INTEGRATORS: [(&str, Integrator); 3] =
    [("euler", Integrator::Euler), ("rk2", Integrator::RungeKutta2), ("rk4", Integrator::RungeKutta4)];

fn named<T: Copy>(all: &[(&str, T)], name: &str, known: &'static str) -> Result<T, UnknownName> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| UnknownName { name: name.to_owned(), known })
}

impl FromStr for Method {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named(&METHODS, name, "newton, feedback, switching, auto")
    }
}

impl FromStr for Integrator {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named(&INTEGRATORS, name, "euler, rk2, rk4")
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = METHODS.iter().find(|(_, method)| method == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = INTEGRATORS.iter().find(|(_, way)| way == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl Integrator {
    /// The largest step times rate of decay at which it is stable: the end of its stability interval on the real axis.
    pub const fn stable_reach(self) -> f64 {
        match self {
            Self::Euler | Self::RungeKutta2 => 2.0,
            Self::RungeKutta4 => 2.785_293_563_405_282,
        }
    }
}
