//! Whether faces and bodies are convex.
//!
//! Source: a closed connected surface that is locally convex everywhere bounds a convex body; a smooth piece is locally
//! convex where its second fundamental form for the outward normal is negative semidefinite.
//! Differs: nothing to differ from.
//! Ends because: samples are counted.
//! Cost: a grid of jets for each face whose kind does not decide.
//! Not promised: an answer for sweeps and splines without a hollow among the samples; they are unknown, unless flat.

use super::{EdgeKind, Face, Side, TiledBody};
use crate::surface::{Surface, SurfaceJet};
use crate::tolerance::{COPLANAR_REL, HOLLOW_REL, SMOOTH_EDGE_RAD};
use crate::{DVec2, DVec3, EdgeId, FaceId};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Samples along each parameter.
const GRID: usize = 9;

/// Whether something is convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convexity {
    /// It is, up to [`SMOOTH_EDGE_RAD`] at edges that count as smooth.
    Convex,
    /// It is not, and this shows it.
    NotConvex(Hollow),
    /// Nothing shows that it is not.
    Unknown,
}

/// Why something is not convex.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Hollow {
    /// The surface curves outward here.
    Face {
        /// The face.
        face: FaceId,
        /// The parameters of the point.
        at: DVec2,
    },
    /// The faces make a reflex angle along this edge, or part of it.
    Edge {
        /// The edge.
        edge: EdgeId,
    },
    /// The boundary has an end.
    Open {
        /// An open edge.
        edge: EdgeId,
    },
    /// The boundary has several pieces.
    Pieces {
        /// How many.
        count: usize,
    },
}

impl TiledBody {
    /// Whether the body is convex; decided on first use.
    pub fn convexity(&self) -> Convexity {
        self.decided().1
    }

    /// Whether a face curves inward everywhere.
    pub fn face_convexity(&self, face: FaceId) -> Convexity {
        self.decided().0[face.index()]
    }

    fn decided(&self) -> &(Vec<Convexity>, Convexity) {
        self.data.convexity.get_or_init(|| {
            let size = self.aabb().half_extents().length();
            let of = |(at, face): (usize, &Face)| of_face(FaceId(at as u32), face, size);
            let faces: Vec<Convexity> = self.faces().iter().enumerate().map(of).collect();
            let body = self.of_body(&faces);
            (faces, body)
        })
    }

    fn of_body(&self, faces: &[Convexity]) -> Convexity {
        let hollow = faces.iter().find(|c| matches!(c, Convexity::NotConvex(_)));
        if let Some(&hollow) = hollow {
            return hollow;
        }
        let is_hollow = |kind: EdgeKind| matches!(kind, EdgeKind::Reflex | EdgeKind::Mixed);
        if let Some(at) = self.edges().iter().position(|edge| is_hollow(edge.kind)) {
            return Convexity::NotConvex(Hollow::Edge { edge: EdgeId(at as u32) });
        }
        if let Some(open) = self.open_edges().first() {
            return Convexity::NotConvex(Hollow::Open { edge: open.edge });
        }
        if self.shell_count() > 1 {
            return Convexity::NotConvex(Hollow::Pieces { count: self.shell_count() });
        }
        if faces.iter().all(|c| *c == Convexity::Convex) { Convexity::Convex } else { Convexity::Unknown }
    }
}

fn of_face(id: FaceId, face: &Face, size: f64) -> Convexity {
    let decided = match &face.surface {
        Surface::Plane(_) => Some(true),
        Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Cylinder(_) | Surface::Paraboloid(_) => {
            Some(!face.reversed)
        }
        Surface::Torus(torus) if torus.minor() < torus.major() && !face.reversed => {
            // The outer half, in any turn.
            let v = face.region.bounds().v;
            let shift = TAU * (v.middle() / TAU).round();
            let outer = FRAC_PI_2 + SMOOTH_EDGE_RAD;
            (v.low - shift >= -outer && v.high - shift <= outer).then_some(true)
        }
        Surface::Nurbs(nurbs) => {
            let points: Vec<DVec3> =
                nurbs.homogeneous_points().iter().map(|p| DVec3::new(p.x, p.y, p.z) / p.w).collect();
            is_flat(&points).then_some(true)
        }
        _ => None,
    };
    if decided == Some(true) {
        return Convexity::Convex;
    }
    if let Some(at) = hollow_sample(face, size) {
        return Convexity::NotConvex(Hollow::Face { face: id, at });
    }
    match &face.surface {
        // One sample of a cone stands for all.
        Surface::Cone(_) => Convexity::Convex,
        _ => Convexity::Unknown,
    }
}

/// The first sample inside the face at which it curves outward.
fn hollow_sample(face: &Face, size: f64) -> Option<DVec2> {
    let bounds = face.region.bounds();
    let places = (0..GRID * GRID).map(|k| {
        let s = |i: usize| (i as f64 + 0.5) / GRID as f64;
        DVec2::new(bounds.u.at(s(k / GRID)), bounds.v.at(s(k % GRID)))
    });
    places.filter(|at| face.side(*at) == Side::Inside).find(|at| {
        let normal = face.normal(*at);
        normal.is_some_and(|normal| outward_curvature(&face.jet(*at), normal) * size > HOLLOW_REL)
    })
}

/// The largest normal curvature toward `normal`; negative where the surface curves away from it in all directions.
pub(super) fn outward_curvature(jet: &SurfaceJet, normal: DVec3) -> f64 {
    let (e, f, g) = (jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared());
    let (l, m, n) = (normal.dot(jet.uu), normal.dot(jet.uv), normal.dot(jet.vv));
    let area = e * g - f * f;
    let mean = (e * n - 2.0 * f * m + g * l) / (2.0 * area);
    let gauss = (l * n - m * m) / area;
    mean + (mean * mean - gauss).max(0.0).sqrt()
}

/// Whether points lie in a plane within rounding.
fn is_flat(points: &[DVec3]) -> bool {
    let Some(&first) = points.first() else { return false };
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points
            .iter()
            .map(|p| *p - first)
            .max_by(|a, b| measure(*a).total_cmp(&measure(*b)))
            .unwrap_or(DVec3::ZERO)
    };
    let x = farthest(&|d| d.length());
    let across = farthest(&|d| d.cross(x).length());
    let Some(normal) = crate::surface::unit(x.cross(across)) else { return false };
    let slack = COPLANAR_REL * (x.length() + first.length());
    points.iter().all(|p| normal.dot(*p - first).abs() <= slack)
}
