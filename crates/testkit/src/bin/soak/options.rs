//! The command line.

/// Which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The production query on all families, both ways round.
    Distance,
    /// The reference kernel on all families.
    LinCanny,
    /// Exact depth against enumeration, bodies of up to 20 vertices.
    Depth,
    /// Distance against a QP solver, well-scaled bodies.
    Qp,
    /// The ratio metric against the bounds that its answer proves.
    Ratio,
    /// Polygons in the plane.
    Planar,
    /// Bounds of curves and surfaces against samples.
    Curved,
    /// Proven distances of curved bodies against a blind descent.
    Certified,
    /// States of curved bodies against points of their surfaces.
    Contact,
    /// Certificates of curved bodies, as they are and tampered with.
    Certificates,
    /// Steps of a shaken box of bodies.
    Dynamics,
    /// Tracked answers of curved bodies and polygons against those from scratch.
    Tracking,
}

impl Run {
    const ALL: [Self; 12] = [
        Self::Distance,
        Self::LinCanny,
        Self::Depth,
        Self::Qp,
        Self::Ratio,
        Self::Planar,
        Self::Curved,
        Self::Certified,
        Self::Contact,
        Self::Certificates,
        Self::Dynamics,
        Self::Tracking,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Depth => "depth",
            Self::LinCanny => "lin-canny",
            Self::Qp => "qp",
            Self::Ratio => "ratio",
            Self::Planar => "planar",
            Self::Curved => "curved",
            Self::Certified => "certified",
            Self::Contact => "contact",
            Self::Certificates => "certificates",
            Self::Dynamics => "dynamics",
            Self::Tracking => "tracking",
        }
    }
}

/// What was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) run: Run,
    pub(crate) count: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) only: Option<u64>,
    /// After so many seconds no further cases are begun.
    pub(crate) seconds: Option<u64>,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let usage = || {
            let names: Vec<&str> = Run::ALL.iter().map(|run| run.name()).collect();
            format!(
                "usage: soak {} --count N --seed S [--threads T] [--seconds S] [--only CASE]",
                names.join("|")
            )
        };
        let name = words.next().ok_or_else(usage)?;
        let run = Run::ALL.into_iter().find(|run| run.name() == name).ok_or_else(usage)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Self { run, count: 10_000, seed: 1, threads, only: None, seconds: None };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(usage)?;
            let number: u64 = value.parse().map_err(|_| format!("{word} {value}: not a number"))?;
            match word.as_str() {
                "--count" => options.count = number,
                "--seed" => options.seed = number,
                "--threads" => options.threads = (number as usize).max(1),
                "--seconds" => options.seconds = Some(number),
                "--only" => options.only = Some(number),
                _ => return Err(usage()),
            }
        }
        Ok(options)
    }
}
