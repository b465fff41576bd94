//! Bodies, pairs of bodies and motions: ordinary ones, and those aimed at trouble.

mod body;
mod curved;
mod curved_pair;
mod motion;
mod nurbs_solid;
mod pair;
mod planar;
mod pool;
mod shaken;
mod solid;
mod trouble;

pub use body::{BODY_KINDS, body};
pub use curved::{CURVE_KINDS, SURFACE_KINDS, curve, knots, nurbs_curve, nurbs_surface, surface};
pub use curved_pair::{CurvedFamily, CurvedPair, STANDS, Stand, curved_pair, far_away};
pub use motion::{Tumble, Wander};
pub use nurbs_solid::{nurbs_ellipsoid, nurbs_lathe, nurbs_net, nurbs_torus};
pub use pair::{Arrangement, Pair, arrange};
pub use planar::{PLANAR_KINDS, planar_body, planar_polygon};
pub use pool::{Family, Member, Pool};
pub use shaken::ShakenBox;
pub use solid::Solid;
pub use trouble::{Trouble, troubled_pair};
