//! What a switching system did: the states it was in and when it changed, as a graph.

use std::fmt::Write as _;

/// A change of state.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// When; seconds.
    pub time: f64,
    /// From which state.
    pub from: String,
    /// To which.
    pub to: String,
}

/// The states that a system passed through, with the times at which it changed.
///
/// ```
/// use clearance_proximity::published::Automaton;
/// let mut automaton = Automaton::default();
/// for (time, state) in [(0.0, "S1"), (0.5, "S1"), (1.0, "C12"), (2.0, "S2"), (3.0, "C12")] {
///     automaton.enter(time, state);
/// }
/// assert_eq!(automaton.states(), ["S1", "C12", "S2"]);
/// assert_eq!(automaton.switches().len(), 3);
/// assert!(automaton.to_dot("walk").contains("\"S1\" -> \"C12\" [label=\"t = 1\"]"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Automaton {
    states: Vec<String>,
    /// Transitions that exist whether taken or not.
    possible: Vec<[String; 2]>,
    switches: Vec<Switch>,
    now: Option<String>,
}

impl Automaton {
    /// Adds a state that may never be entered.
    pub fn declare(&mut self, state: &str) {
        if !self.states.iter().any(|known| known == state) {
            self.states.push(state.to_owned());
        }
    }

    /// Adds a transition that may never be taken.
    pub fn allow(&mut self, from: &str, to: &str) {
        self.declare(from);
        self.declare(to);
        if !self.possible.iter().any(|[a, b]| a == from && b == to) {
            self.possible.push([from.to_owned(), to.to_owned()]);
        }
    }

    /// The system is in a state at a time; a change is noted.
    pub fn enter(&mut self, time: f64, state: &str) {
        self.declare(state);
        if let Some(from) = self.now.replace(state.to_owned())
            && from != state
        {
            self.switches.push(Switch { time, from, to: state.to_owned() });
        }
    }

    /// All states, in the order of their first mention.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// All changes, in order.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// Each transition once, with the times at which it was taken; those that never were come last.
    pub fn transitions(&self) -> Vec<(&str, &str, Vec<f64>)> {
        let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
        for switch in &self.switches {
            match all.iter_mut().find(|t| t.0 == switch.from && t.1 == switch.to) {
                Some(known) => known.2.push(switch.time),
                None => all.push((&switch.from, &switch.to, vec![switch.time])),
            }
        }
        for [from, to] in &self.possible {
            if !all.iter().any(|t| t.0 == from && t.1 == to) {
                all.push((from, to, Vec::new()));
            }
        }
        all
    }

    /// The graph in the DOT language, with the switching times on its arrows; arrows never taken are dotted.
    pub fn to_dot(&self, name: &str) -> String {
        let mut text = format!("digraph {} {{\n  node [shape=ellipse];\n", quoted(name));
        for state in &self.states {
            let _ = writeln!(text, "  {};", quoted(state));
        }
        for (from, to, times) in self.transitions() {
            let label: Vec<String> = times.iter().map(|time| format!("{time}")).collect();
            let style = if times.is_empty() {
                "style=dotted".to_owned()
            } else {
                format!("label={}", quoted(&format!("t = {}", label.join(", "))))
            };
            let _ = writeln!(text, "  {} -> {} [{style}];", quoted(from), quoted(to));
        }
        text + "}\n"
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
