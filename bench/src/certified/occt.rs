//! Open CASCADE, through its Python wheel, as a process that answers one question at a time.

use crate::report::root;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The wheel: without the part that draws, which is not needed.
pub const WHEEL: &str = "cadquery-ocp-novtk==8.0.1.1.0";

/// A running process.
pub struct Occt {
    python: PathBuf,
    plan: PathBuf,
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Numbers; `None` where there is none.
    Numbers(Vec<Option<f64>>),
    /// It took longer than the limit, or the process failed.
    Late,
}

impl Reply {
    /// The number at a place.
    pub fn number(&self, at: usize) -> Option<f64> {
        match self {
            Self::Numbers(numbers) => numbers.get(at).copied().flatten(),
            Self::Late => None,
        }
    }
}

impl Occt {
    /// Starts it on a file with bodies, poses and points.
    ///
    /// # Errors
    /// When there is no Python, or the wheel cannot be installed, or the process does not answer.
    pub fn start(plan: PathBuf) -> Result<Self, Box<dyn Error>> {
        let python = python()?;
        let (child, questions, answers) = launch(&python, &plan)?;
        let mut occt = Self { python, plan, child, questions, answers };
        // A process that cannot answer at all would count as one that is late every time.
        if occt.ask("ready")? == Reply::Late {
            return Err("the process that answers for it ended at once".into());
        }
        Ok(occt)
    }

    /// One question, one answer. A process that has ended is started again for the next question.
    ///
    /// # Errors
    /// When it cannot be started again.
    pub fn ask(&mut self, question: &str) -> Result<Reply, Box<dyn Error>> {
        let sent = writeln!(self.questions, "{question}").and_then(|()| self.questions.flush());
        let mut line = String::new();
        if sent.is_ok() && self.answers.read_line(&mut line)? > 0 {
            let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
            return Ok(Reply::Numbers(line.split_whitespace().map(number).collect()));
        }
        self.child.wait()?;
        (self.child, self.questions, self.answers) = launch(&self.python, &self.plan)?;
        Ok(Reply::Late)
    }
}

impl Drop for Occt {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing else to do about it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

type Launched = (Child, ChildStdin, BufReader<ChildStdout>);

fn launch(python: &Path, plan: &Path) -> Result<Launched, Box<dyn Error>> {
    let mut child = Command::new(python)
        .arg(root().join("bench/occt/distance.py"))
        .arg(plan)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let questions = child.stdin.take().ok_or("no way to ask")?;
    let answers = BufReader::new(child.stdout.take().ok_or("no way to answer")?);
    Ok((child, questions, answers))
}

/// An interpreter with the wheel: the one named in the environment, else one made under the build folder.
fn python() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(named) = std::env::var_os("CLEARANCE_OCCT_PYTHON") {
        return Ok(named.into());
    }
    let folder = PathBuf::from(env!("OUT_DIR")).join("occt");
    let python = folder.join("bin/python");
    let has_wheel = |python: &Path| {
        let call = Command::new(python).args(["-c", "import OCP.BRepExtrema"]).stderr(Stdio::null()).status();
        call.is_ok_and(|status| status.success())
    };
    if has_wheel(&python) {
        return Ok(python);
    }
    eprintln!("installing {WHEEL} under the build folder");
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status()?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL];
    if !made.success() || !Command::new(&python).args(install).status()?.success() || !has_wheel(&python) {
        return Err(format!("{WHEEL} could not be installed").into());
    }
    Ok(python)
}
