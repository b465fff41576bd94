//! When Newton steps are worth trying: in small heaps that move they end nowhere, and cost ten times as much as all else.

/// Steps without them, at most.
const MOST: u8 = 8;

/// What is remembered of a group's Newton steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Steps left without.
    wait: u8,
    /// Steps without after the last failure.
    last: u8,
    /// Whether the last step did not need them.
    calm: bool,
}

impl Patience {
    /// Whether they are tried in the step to come.
    pub(crate) const fn is_over(self) -> bool {
        self.wait == 0
    }

    /// Whether the last step would have tried them, and did not need to.
    pub(crate) const fn is_calm(self) -> bool {
        self.calm
    }

    /// After a step in which they came nearer to the solution, did not, or were not tried: each failure in a row doubles the wait.
    pub(crate) fn after(self, reached: Option<bool>) -> Self {
        match reached {
            Some(true) => Self::default(),
            Some(false) => {
                let wait = (2 * self.last).clamp(1, MOST);
                Self { wait, last: wait, calm: false }
            }
            None => Self { wait: self.wait.saturating_sub(1), calm: self.wait == 0, ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end_with_a_success() {
        let mut patience = Patience::default();
        let mut tried = Vec::new();
        for step in 0..40 {
            let tries = patience.is_over();
            if tries {
                tried.push(step);
            }
            patience = patience.after(tries.then_some(step >= 30));
        }
        assert_eq!(tried[..5], [0, 2, 5, 10, 19]);
        assert_eq!(tried[5], 28);
        assert_eq!(tried[6..], [37, 38, 39]);
    }
}
