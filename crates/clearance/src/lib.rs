//! How far apart are two bodies, at which points, between which features, and if they overlap, how deep?
//!
//! This crate is the way in: it holds no algorithm and re-exports the crates of the workspace under short
//! names. Data flows one way through them:
//!
//! - [`geometry`]: what bodies are. Poses, convex polytopes and polygons with their feature graphs; curves and
//!   surfaces with their bounds; bodies tiled of them; trees of parts.
//! - [`proximity`]: two bodies. Distance, witnesses, features, depth, contact, overlap; asked once, certified, or tracked.
//! - [`dynamics`]: rigid bodies with contact, joints and friction, stepped in time.
//! - [`formats`]: files and streams. Shapes, scenes, meshes, STEP files, query lines, recordings.
//! - [`certificate`]: proofs of distances as files, and a checker that shares no code with the rest.
//!
//! # A body and a pose
//!
//! Bodies are built once, checked, never change, and are cheap to clone. A pose is a rigid motion; what is
//! asked is always about B at `pose_ab`, the pose of B in the frame of A, and answered in the frame of A.
//!
//! ```
//! use clearance::prelude::*;
//!
//! let crate_ = Body::from(Polytope::cuboid(DVec3::new(2.0, 1.0, 1.0))?);
//! let wedge = Body::from(Polytope::from_points(&[
//!     DVec3::new(0.0, 0.0, 0.0),
//!     DVec3::new(1.0, 0.0, 0.0),
//!     DVec3::new(0.0, 1.0, 0.0),
//!     DVec3::new(0.0, 0.0, 1.0),
//! ])?);
//! let pose_ab = Pose::from_axis_angle(DVec3::Z, 0.4, DVec3::new(3.0, 0.2, 0.1))?;
//!
//! let answer = distance(&crate_, &wedge, &pose_ab)?;
//! assert_eq!(answer.state, State::Separated);
//! let [on_a, on_b] = answer.witnesses;
//! assert!((on_b.point - on_a.point - answer.signed_distance * answer.normal).length() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Overlapping bodies answer with a negative signed distance: minus the length of the shortest translation
//! that separates them, which is exact, and the feature pair that it ends on.
//!
//! ```
//! use clearance::prelude::*;
//!
//! let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0))?);
//! let deep = distance(&cube, &cube, &Pose::from_translation(DVec3::new(1.75, 0.5, 0.0))?)?;
//! assert_eq!((deep.state, deep.signed_distance), (State::Penetrating, -0.25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Frame after frame
//!
//! A [`Tracker`](proximity::Tracker) remembers the closest features of one pair, so that a small motion
//! costs little. What it remembers changes the cost of the next answer, and nothing else but which of several
//! equally near features is named.
//!
//! ```
//! use clearance::prelude::*;
//!
//! let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
//! let mut tracker = Tracker::new();
//! for frame in 0..100 {
//!     let turn = 0.01 * f64::from(frame);
//!     let pose_ab = Pose::from_axis_angle(DVec3::Y, turn, DVec3::new(2.0, 0.0, 0.3))?;
//!     let tracked = tracker.update(&cube, &cube, &pose_ab)?;
//!     assert!((tracked.distance - distance(&cube, &cube, &pose_ab)?.distance).abs() < 1e-12);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How sure
//!
//! Every answer says how it ended. A proof of a lower bound, by a scan of all vertices in outward-rounded
//! intervals, is made on demand; the witnesses themselves bound the distance from above.
//!
//! ```
//! use clearance::prelude::*;
//!
//! let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
//! let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.4, 0.2))?;
//! let answer = distance(&cube, &cube, &pose_ab)?;
//! let proof = certify(&cube, &cube, &pose_ab, &answer)?;
//! assert!(proof.lower <= answer.distance && answer.distance - proof.lower < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Curved bodies
//!
//! Bodies with curved faces, convex or not, unions of them, open patches, algebraic surfaces: the same questions, and
//! every distance has its proven bound. The book's pages on the certified search and on contact say how.
//!
//! ```
//! use clearance::geometry::tiled::TiledBody;
//! use clearance::prelude::*;
//! use clearance::proximity::overlap_regions;
//!
//! let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
//! let pin = Body::from(TiledBody::cylinder(0.25, 6.0)?);
//! let through = distance(&ring, &pin, &Pose::from_translation(DVec3::X * 0.25)?)?;
//! let Ended::Certified(proof) = through.ended else { return Err("no proof".into()) };
//! assert!((through.distance - 1.0).abs() < 1e-9 && through.distance - proof.lower < 1e-7);
//!
//! // Across the ring, the pin overlaps it in two places.
//! let across = Pose::from_axis_angle(DVec3::Y, std::f64::consts::FRAC_PI_2, DVec3::ZERO)?;
//! assert_eq!(overlap_regions(&ring, &pin, &across)?.regions.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When they first touch
//!
//! Two bodies in motion, each steady, spinning, on keyframes, or all of these composed: an interval that contains the first
//! contact, with a proof that there is none before it, or a proof that there is none at all.
//!
//! ```
//! use clearance::prelude::*;
//!
//! let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
//! let still = Motion::still(Pose::IDENTITY);
//! let thrown = Move::steady(DVec3::new(-2.0, 0.0, 0.0), DVec3::new(0.0, 3.0, 1.0))?;
//! let thrown = Motion::new(Pose::from_translation(DVec3::X * 5.0)?, vec![thrown]);
//! let found = time_of_impact([&cube, &cube], [&still, &thrown], [0.0, 10.0], &ImpactDemand::default())?;
//! assert_eq!(found.ended, ImpactEnd::Contact);
//! assert!(found.contact_by.is_some_and(|by| by - found.free_until < 1e-5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In the plane
//!
//! [`proximity::planar`] asks the same questions about convex polygons, and about bodies bounded by curves.
//!
//! ```
//! use clearance::prelude::*;
//! use clearance::proximity::planar;
//!
//! let square = Polygon::rectangle(DVec2::splat(2.0))?;
//! let beside = PlanarPose::from_degrees(45.0, DVec2::new(4.0, 0.0))?;
//! let answer = planar::distance(&square, &square, &beside);
//! assert!((answer.distance - (3.0 - 2_f64.sqrt())).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # By how much they must grow
//!
//! The ratio metric scales both bodies about their centres until they just touch: above 1 apart, below 1
//! overlapping, convex and with gradients throughout. See [`proximity::ratio`].
//!
//! ```
//! use clearance::prelude::*;
//! use clearance::proximity::ratio;
//!
//! let cube = Polytope::cuboid(DVec3::splat(2.0))?;
//! let growth = ratio::growth(&cube, &cube, &Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?)?;
//! assert_eq!(growth.ratio, 1.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files and streams
//!
//! The same shape and pose objects stand in scene files, in query lines and in code; every error has a
//! stable code and says where it stands.
//!
//! ```
//! use clearance::formats::{Context, QueryStream};
//!
//! let mut stream = QueryStream::new(Context::default());
//! let line = br#"{"id": 7, "a": {"kind": "box", "size": [1, 1, 1]}, "b": {"kind": "point"},
//!     "pose_b": {"translation": [2, 0, 0]}, "want": ["certificate"]}"#;
//! let answer = stream.answer_line(line).unwrap();
//! assert!(answer.starts_with(r#"{"id":7,"state":"separated","distance":1.5,"#));
//! ```

pub use clearance_certificate as certificate;
pub use clearance_dynamics as dynamics;
pub use clearance_formats as formats;
pub use clearance_geometry as geometry;
pub use clearance_proximity as proximity;

/// What most programs need, for `use clearance::prelude::*`.
pub mod prelude {
    pub use clearance_geometry::{
        Body, DQuat, DVec2, DVec3, Feature, HalfSpace, PlanarPose, Polygon, Polytope, Pose,
    };
    pub use clearance_proximity::impact::{Impact, ImpactDemand, ImpactEnd, Motion, Move, time_of_impact};
    pub use clearance_proximity::{
        Certificate, Ended, Proximity, State, Tracker, Witness, certify, closer_than, contains_point,
        distance,
    };
}

/// The pages of the book, included so that their code compiles.
pub mod _documentation;
