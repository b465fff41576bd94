//! The closest points of two features as the state of a controller: Newton, feedback linearisation, switching.
//!
//! Source: 001 §III (feedback, figures 3 and 4); 000 theorems 1 and 2, remarks 1 and 3, figure 4 (switching, the
//! automaton of the boundary); 004 §3.2 (Newton).
//! Differs: 000's law (1) has one case for each boundary and none for corners: at u = 0, v = 0 with both errors
//! positive its mode 1 still drives v out. DIFFERS: here each parameter is held by itself, which is what its text
//! calls saturation. Remark 3 is damaged in the copy at hand; what is computed is what its text says: a component of
//! the motion is undone where it disturbs and left alone where it helps.
//! Ends because: a run takes as many steps as it is asked for.
//! Cost: one evaluation of both features per stage of the integrator.
//! Not promised: the nearest points. Feedback converges where M is positive definite, and fails by name where it is
//! singular; switching reaches a point where no feasible direction leads nearer, which is the nearest only if there
//! is one such point.

use super::small;
use super::{Carrier, Couple, Diagram, Four, GainRule, Integrator, Method, Moment, Settings, State};

/// What a parameter is held by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Nothing.
    #[default]
    Free,
    /// Its lower bound.
    Low,
    /// Its upper bound.
    High,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// The parameters moved.
    Moved,
    /// M was singular: the parameters stay.
    Singular,
}

/// The closest points of two features, tracked by a published method.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, curve::{Range, Rect}, surface::Sphere};
/// use clearance_proximity::published::{Carrier, Controller, Couple, Method, Moment, Settings};
/// let patch = Rect::new(Range::new(0.0, 1.5), Range::new(0.0, 1.5));
/// let ball = Carrier::Patch { surface: Sphere::new(Pose::IDENTITY, 1.0)?.into(), rect: patch };
/// let couple = Couple { a: ball, b: Carrier::Point(DVec3::ZERO) };
/// let point = Pose::from_translation(DVec3::new(2.0, 2.0, 1.0))?;
/// let settings = Settings { method: Method::Switching, gain: 100.0, ..Settings::default() };
/// let mut controller = Controller::new(settings, [1.4, 0.1, 0.0, 0.0]);
/// for step in 0..100 {
///     controller.step(&couple, &|_| Moment::resting(point), f64::from(step) / settings.rate);
/// }
/// assert!((couple.state(&controller.at, &point).distance() - 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Controller {
    /// The method.
    pub settings: Settings,
    /// The parameters now.
    pub at: Four,
    /// What holds each parameter since the last step: the mode of 000's figure 4.
    pub holds: [Hold; 4],
    /// The errors that figure 3 of 001 integrates.
    errors: Option<Four>,
}

/// Parameters and errors: what is integrated.
type Eight = [f64; 8];

impl Controller {
    /// A controller that starts at the given parameters.
    pub const fn new(settings: Settings, at: Four) -> Self {
        Self { settings, at, holds: [Hold::Free; 4], errors: None }
    }

    /// The mode of 000's automaton, figure 4: 1 to 4 on u = 0, v = 0, u = 1, v = 1 of the first feature, 5 inside; a
    /// corner is in two modes, for example `1+2`.
    pub fn mode(&self) -> String {
        let held = [(0, Hold::Low, "1"), (1, Hold::Low, "2"), (0, Hold::High, "3"), (1, Hold::High, "4")];
        let modes: Vec<&str> = held.iter().filter(|h| self.holds[h.0] == h.1).map(|h| h.2).collect();
        if modes.is_empty() { "5".to_owned() } else { modes.join("+") }
    }

    /// Forgets the integrated errors: after a change of features.
    pub fn restart(&mut self, at: Four) {
        self.at = at;
        self.errors = None;
        self.holds = [Hold::Free; 4];
    }

    /// One step from `time`; `moments` says where B is at a time.
    pub fn step(&mut self, couple: &Couple, moments: &dyn Fn(f64) -> Moment, time: f64) -> Stepped {
        if self.settings.saturated {
            self.at = clamped(couple, &self.at);
        }
        let stepped = match self.settings.method {
            Method::Newton => self.newton(couple, &moments(time)),
            _ => self.integrate(couple, moments, time),
        };
        self.hold(couple, &moments(time + 1.0 / self.settings.rate));
        stepped
    }

    /// 004 (1), held by component at the bounds where that is asked for.
    fn newton(&mut self, couple: &Couple, moment: &Moment) -> Stepped {
        let state = couple.state(&self.at, &moment.pose_ab);
        let Some(step) = state.solved(&state.errors.map(|e| -e), [true; 4]) else { return Stepped::Singular };
        for (at, by) in self.at.iter_mut().zip(step) {
            *at += by;
        }
        if self.settings.saturated {
            self.at = clamped(couple, &self.at);
        }
        Stepped::Moved
    }

    fn integrate(&mut self, couple: &Couple, moments: &dyn Fn(f64) -> Moment, time: f64) -> Stepped {
        let step = 1.0 / self.settings.rate;
        let mut from = [0.0; 8];
        from[..4].copy_from_slice(&self.at);
        let errors = self.errors.unwrap_or_else(|| couple.state(&self.at, &moments(time).pose_ab).errors);
        from[4..].copy_from_slice(&errors);
        // What is held stays so for the whole step. A stage between that is at the bound must not stop a parameter short of it.
        let mut held = self.pressed(couple, &errors.map(|error| -error));
        if self.settings.method != Method::Auto {
            let Some(first) = self.rate(couple, &moments(time), &from, [false; 4]) else {
                return Stepped::Singular;
            };
            held = self.pressed(couple, &std::array::from_fn(|k| first[k]));
        }
        let rate = |after: f64, at: &Eight| self.rate(couple, &moments(time + after), at, held);
        let Some(to) = advanced(self.settings.integrator, step, &from, &rate) else {
            return Stepped::Singular;
        };
        self.at.copy_from_slice(&to[..4]);
        if self.settings.saturated {
            self.at = clamped(couple, &self.at);
        }
        if self.settings.diagram == Diagram::Integrated && self.settings.method == Method::Feedback {
            let mut errors = [0.0; 4];
            errors.copy_from_slice(&to[4..]);
            self.errors = Some(errors);
        }
        Stepped::Moved
    }

    /// The parameters that speeds would drive out of their bounds.
    fn pressed(&self, couple: &Couple, speed: &Four) -> [bool; 4] {
        std::array::from_fn(|k| {
            self.settings.saturated
                && k < couple.dimension()
                && hold_of(couple, k, self.at[k], speed[k]) != Hold::Free
        })
    }

    /// The speeds of the parameters, but for those held, and of the errors.
    fn rate(&self, couple: &Couple, moment: &Moment, at: &Eight, held: [bool; 4]) -> Option<Eight> {
        let mut parameters = [0.0; 4];
        parameters.copy_from_slice(&at[..4]);
        if self.settings.saturated {
            parameters = clamped(couple, &parameters);
        }
        let mut state = couple.state(&parameters, &moment.pose_ab);
        if self.settings.diagram == Diagram::Integrated && self.settings.method == Method::Feedback {
            state.errors.copy_from_slice(&at[4..]);
        }
        let mut speed = law(&self.settings, &state, moment, held)?;
        for (value, held) in speed.iter_mut().zip(held) {
            if held {
                *value = 0.0;
            }
        }
        let mut all = [0.0; 8];
        all[..4].copy_from_slice(&speed);
        // (9) of 001.
        let drift = state.drift(moment, self.settings.motion);
        for i in 0..state.count() {
            all[4 + i] = drift[i] + (0..state.count()).map(|j| state.matrix[i][j] * speed[j]).sum::<f64>();
        }
        Some(all)
    }

    /// Notes what holds each parameter where it now is.
    fn hold(&mut self, couple: &Couple, moment: &Moment) {
        self.holds = [Hold::Free; 4];
        if !self.settings.saturated {
            return;
        }
        let state = couple.state(&self.at, &moment.pose_ab);
        for k in 0..state.count() {
            self.holds[k] = hold_of(couple, k, self.at[k], -state.errors[k]);
        }
    }
}

/// The control law: the speed of each parameter, before it is held.
fn law(settings: &Settings, state: &State, moment: &Moment, held: [bool; 4]) -> Option<Four> {
    let feedback = |free| {
        let drift = state.drift(moment, settings.motion);
        let right = std::array::from_fn(|k| -settings.gain * state.errors[k] - drift[k]);
        state.solved(&right, free)
    };
    match settings.method {
        Method::Feedback => feedback([true; 4]),
        Method::Switching if settings.enhanced => enhanced(settings, state, moment),
        Method::Switching => Some(state.errors.map(|error| -gain(settings, state) * error)),
        _ => {
            let free = held.map(|held| !held);
            if state.is_convex(free) { feedback(free) } else { enhanced(settings, state, moment) }
        }
    }
}

/// K of the switching controller, constant or by remark 1 of 000.
fn gain(settings: &Settings, state: &State) -> f64 {
    let GainRule::Exponential { ball } = settings.rule else { return settings.gain };
    let squares: f64 = state.errors.iter().map(|e| e * e).sum();
    let apart = state.difference.length_squared();
    let floor = ball * ball * apart * state.tangents.iter().map(|t| t.length_squared()).sum::<f64>();
    let below = squares.max(floor);
    if below > 0.0 { settings.gain * apart / below } else { settings.gain }
}

/// Remark 3 of 000.
fn enhanced(settings: &Settings, state: &State, moment: &Moment) -> Option<Four> {
    let drift = state.drift(moment, settings.motion);
    let gain = gain(settings, state);
    let right = std::array::from_fn(|k| {
        // The motion changes the error by `drift`: it helps where that is toward zero.
        let disturbs = drift[k] * state.errors[k] >= 0.0;
        -gain * state.errors[k] - if disturbs { drift[k] } else { 0.0 }
    });
    small::solve(&state.metric(), &right, [true; 4], state.count())
}

/// What holds a parameter that would move at a speed.
fn hold_of(couple: &Couple, parameter: usize, at: f64, speed: f64) -> Hold {
    let (carrier, number) = couple.owner(parameter);
    let bounds = carrier.bounds(number);
    if at <= bounds.low && speed < 0.0 {
        Hold::Low
    } else if at >= bounds.high && speed > 0.0 {
        Hold::High
    } else {
        Hold::Free
    }
}

/// Parameters moved into their bounds.
pub(super) fn clamped(couple: &Couple, at: &Four) -> Four {
    let mut inside = *at;
    for (k, value) in inside.iter_mut().enumerate().take(couple.dimension()) {
        let (carrier, number): (&Carrier, usize) = couple.owner(k);
        *value = carrier.bounds(number).clamp(*value);
    }
    inside
}

/// One step of an integrator; `rate` takes the time since its start.
fn advanced(
    integrator: Integrator,
    step: f64,
    from: &Eight,
    rate: &dyn Fn(f64, &Eight) -> Option<Eight>,
) -> Option<Eight> {
    let along = |slope: &Eight, by: f64| -> Eight { std::array::from_fn(|k| from[k] + by * slope[k]) };
    let first = rate(0.0, from)?;
    let to = match integrator {
        Integrator::Euler => along(&first, step),
        Integrator::RungeKutta2 => along(&rate(step / 2.0, &along(&first, step / 2.0))?, step),
        Integrator::RungeKutta4 => {
            let second = rate(step / 2.0, &along(&first, step / 2.0))?;
            let third = rate(step / 2.0, &along(&second, step / 2.0))?;
            let fourth = rate(step, &along(&third, step))?;
            let mean = std::array::from_fn(|k| (first[k] + 2.0 * (second[k] + third[k]) + fourth[k]) / 6.0);
            along(&mean, step)
        }
    };
    to.iter().all(|v| v.is_finite()).then_some(to)
}
