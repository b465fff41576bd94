//! The limits of the gain: from below by the motion, from above by the step.
//!
//! Source: 000 theorem 1 and remark 4; 001 §V.A and §VI.
//! Differs: 000's lower limit, [`printed_lowest_gain`], grows without bound as the errors vanish (its numerator
//! shrinks as the error, its denominator as its square), so no constant gain meets it: with motion the witness lags.
//! DIFFERS: the limit here is the gain that keeps the lag within an error that is asked for.
//! Ends because: nothing is repeated.
//! Cost: one evaluation of both features and a small system.
//! Not promised: stability far from the solution; the upper limit is that of the linearised controller there.

use super::small;
use super::{Couple, Four, Method, Moment, Settings, State, Velocity};
use clearance_geometry::DVec3;

/// Between which gains a method tracks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainLimits {
    /// With less the errors stay larger than asked for.
    pub lowest: f64,
    /// With more the integrator is unstable.
    pub highest: f64,
}

/// The limits at a solution `at`, for errors of at most `largest_error` (a cosine).
///
/// ```
/// use clearance_geometry::{DVec3, Pose, curve::{Range, Rect}, surface::Plane};
/// use clearance_proximity::published::{Carrier, Couple, Method, Moment, Settings, gain_limits};
/// let unit = Range::new(-1.0, 1.0);
/// let square = Carrier::Patch { surface: Plane::new(Pose::IDENTITY).into(), rect: Rect::new(unit, unit) };
/// let couple = Couple { a: square, b: Carrier::Point(DVec3::ZERO) };
/// let moment = Moment::moving(Pose::from_translation(DVec3::Z)?, DVec3::X * 0.1);
/// let settings = Settings { method: Method::Switching, rate: 1000.0, ..Settings::default() };
/// // On a plane at distance 1 the lag is v / K.
/// let limits = gain_limits(&couple, &[0.0; 4], &moment, &settings, 0.01);
/// assert!((limits.lowest - 10.0).abs() < 1e-12 && (limits.highest - 2000.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gain_limits(
    couple: &Couple,
    at: &Four,
    moment: &Moment,
    settings: &Settings,
    largest_error: f64,
) -> GainLimits {
    let state = couple.state(at, &moment.pose_ab);
    let reach = settings.integrator.stable_reach() * settings.rate;
    let (stiffness, lag) = match settings.method {
        Method::Newton | Method::Feedback | Method::Auto => {
            (1.0, state.drift(moment, missed(settings.motion)))
        }
        Method::Switching => {
            let matrix = if settings.enhanced { relative(&state) } else { state.matrix };
            let drift = state.drift(moment, Velocity::Full);
            // At rest relative to the motion: M·(−K Ψ) + b = 0.
            let lag = state.solved(&drift, [true; 4]).unwrap_or([f64::INFINITY; 4]);
            (small::largest_eigenvalue(&matrix, state.count()), lag)
        }
    };
    let scale = |k: usize| largest_error * state.distance() * state.tangents[k].length();
    let lowest = (0..state.count()).map(|k| lag[k].abs() / scale(k)).fold(0.0, f64::max);
    GainLimits { lowest, highest: reach / stiffness }
}

/// What the feedforward leaves to the feedback.
const fn missed(motion: Velocity) -> Velocity {
    match motion {
        // A full feedforward leaves nothing; the part that it does not know is bounded by all of it.
        Velocity::Full => Velocity::Ignored,
        _ => Velocity::Full,
    }
}

/// I⁻¹ M: the stiffness of the enhanced form.
fn relative(state: &State) -> [Four; 4] {
    let metric = state.metric();
    let mut result = [[0.0; 4]; 4];
    for column in 0..state.count() {
        let right = std::array::from_fn(|row| state.matrix[row][column]);
        let solved = small::solve(&metric, &right, [true; 4], state.count()).unwrap_or([0.0; 4]);
        for (row, value) in result.iter_mut().zip(solved) {
            row[column] = value;
        }
    }
    result
}

/// The lower limit of 000's theorem 1 as printed, B·σ·|ΔR| / (Ψᵘ² + Ψᵛ²): B bounds the speed of the point, σ is the
/// length of the difference between the direction to it and the normal at the solution.
pub fn printed_lowest_gain(state: &State, speed: f64, normal_at_solution: DVec3) -> f64 {
    let direction = state.difference / state.distance();
    let off = (direction - normal_at_solution).length().min((direction + normal_at_solution).length());
    let squares: f64 = state.errors.iter().map(|e| e * e).sum();
    speed * off * state.distance() / squares
}
