//! Files and streams: what `clearance` reads and writes.
//!
//! Shapes and poses are the same objects everywhere: on the lines of a query stream ([`QueryStream`]), in
//! scene files ([`Scene`]) and in any tree of values ([`Value`]). Whatever is wrong with an input is an
//! [`Error`] with a stable code and the file, line and key it stands at; no input makes this crate panic.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod angle;
mod answer;
mod certificate;
mod certificate_file;
mod certificate_pieces;
mod context;
mod coupler;
mod describe;
mod display;
mod engine;
mod error;
mod events;
mod every;
mod fields;
mod flat;
mod flat_curved;
mod gaps;
mod impact;
mod json;
mod keyframes;
mod kink;
mod live;
mod mesh;
mod method;
mod motion;
mod page;
mod pose;
mod query;
mod recording;
mod request;
mod scene;
mod shape;
mod simulation;
mod solid;
pub mod step;
mod track;
mod units;
mod value;
mod witness;

pub use answer::{Answer, Coordinates, GradientAnswer, LocusAnswer, LocusSet, RegionAnswer};
pub use certificate::{certificate, certificate_of, planar_certificate};
pub use certificate_file::write_certificate;
pub use context::Context;
pub use coupler::{CouplerRow, CouplerSpec};
pub use describe::{Description, Fact};
pub use engine::{PairTracker, answer};
pub use error::{CODES, Error, ErrorKind};
pub use events::EventAnswer;
pub use gaps::{Gap, GapDemand, Member, PairGap, gaps, members_of_scene, members_of_shape};
pub use impact::{ImpactAnswer, ImpactRequest, impact, impact_of_pair};
pub use json::shortest;
pub use live::Live;
pub use mesh::Mesh;
pub use method::MethodRow;
pub use motion::Motion;
pub use page::{Page, VIEWER};
pub use pose::AnyPose;
pub use query::{MAX_LINE_BYTES, QueryStream, Summary};
pub use recording::{RECORDING_VERSION, Recorder};
pub use request::{Request, Wants, pairs_until};
pub use scene::{Scene, SceneBody, Track};
pub use shape::{AnyBody, PartName, Shape};
pub use simulation::{Frame, GaveWay, Simulation, SimulationSummary, run_simulation};
pub use track::{Row, TrackSummary, run_track};
pub use units::{Scale, Units};
pub use value::{Data, Value};
pub use witness::PartFeature;
