//! Whether faces and bodies are convex.
//!
//! Source: a closed connected surface that is locally convex everywhere bounds a convex body; a smooth piece is locally
//! convex where its second fundamental form for the outward normal is negative semidefinite.
//! Differs: of sweeps and splines the signs are those of Bernstein coefficients, see `bound::form`.
//! Ends because: samples are counted, and a spline is cut into at most [`MOST`] pieces, fewer of high degree.
//! Cost: a grid of jets for each face whose kind does not decide, then the form of each tile of a spline.
//! Not promised: an answer for faces that take more than [`MOST`] pieces; they are unknown. A body whose faces touch from
//! outside without an edge is not noticed.

use super::crease::{Crease, crease};
use super::{EdgeKind, Face, Region, Side, TiledBody};
use crate::bound::{Bend, bend_of};
use crate::curve::{Direction, Rect, project};
use crate::surface::home::{home_parts, part_of_domain};
use crate::surface::{BezierPatch, NurbsSurface, ParametricSurface, Surface, SurfaceJet};
use crate::tolerance::{APEX_REL, COPLANAR_REL, HOLLOW_REL, SMOOTH_EDGE_RAD};
use crate::{DVec2, DVec3, EdgeId, FaceId};
use std::collections::VecDeque;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Samples along each parameter.
const GRID: usize = 9;

/// Most pieces of a spline whose form is looked at.
const MOST: usize = 512;

/// Most products of coefficients for all of them: a fraction of a second.
const MOST_PRODUCTS: f64 = 2e8;

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
    /// The surface curves outward here, or folds outward along a knot.
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

    /// Whether its edges and shells leave open that the body is convex; its faces, which may take long, are not asked.
    pub fn may_be_convex(&self) -> bool {
        self.hollow_edges().is_none()
    }

    /// Whether a face is a spline or a sweep, so that it takes a proof to tell whether the body is convex.
    pub fn has_splines(&self) -> bool {
        let is_spline = |face: &Face| {
            matches!(face.surface, Surface::Nurbs(_) | Surface::Revolution(_) | Surface::Extrusion(_))
        };
        self.faces().iter().any(is_spline)
    }

    /// Whether the body is known to be convex. What its edges show already is not looked for on its faces.
    pub(crate) fn is_convex(&self) -> bool {
        self.hollow_edges().is_none() && self.convexity() == Convexity::Convex
    }

    fn decided(&self) -> &(Vec<Convexity>, Convexity) {
        self.data.convexity.get_or_init(|| {
            // A box of hulls does: the size is what small curvatures are told from none by.
            let size = self.hull_box().half_extents().length();
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
        if let Some(hollow) = self.hollow_edges() {
            return Convexity::NotConvex(hollow);
        }
        if faces.iter().all(|c| *c == Convexity::Convex) { Convexity::Convex } else { Convexity::Unknown }
    }

    /// What edges and shells show against the body being convex.
    fn hollow_edges(&self) -> Option<Hollow> {
        let is_hollow = |kind: EdgeKind| matches!(kind, EdgeKind::Reflex | EdgeKind::Mixed);
        if let Some(at) = self.edges().iter().position(|edge| is_hollow(edge.kind)) {
            return Some(Hollow::Edge { edge: EdgeId(at as u32) });
        }
        if let Some(open) = self.open_edges().first() {
            return Some(Hollow::Open { edge: open.edge });
        }
        (self.shell_count() > 1).then(|| Hollow::Pieces { count: self.shell_count() })
    }
}

fn of_face(id: FaceId, face: &Face, size: f64) -> Convexity {
    match (crease(face), of_smooth_parts(id, face, size)) {
        (Crease::Reflex(at), _) => Convexity::NotConvex(Hollow::Face { face: id, at }),
        (Crease::Unknown, Convexity::Convex) => Convexity::Unknown,
        (_, found) => found,
    }
}

/// Whether the face is convex but for what happens along its knots.
fn of_smooth_parts(id: FaceId, face: &Face, size: f64) -> Convexity {
    let decided = match &face.surface {
        Surface::Plane(_) => Some(true),
        Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Cylinder(_) | Surface::Paraboloid(_) => {
            Some(!face.reversed)
        }
        // A cone is round on both sides of its apex; across it nothing is convex.
        Surface::Cone(cone) => {
            let v = face.region.bounds().v;
            let radii = [v.low, v.high].map(|v| cone.radius() + cone.slope() * v);
            let slack = APEX_REL * radii[0].abs().max(radii[1].abs());
            let one_nappe = radii[0].min(radii[1]) >= -slack || radii[0].max(radii[1]) <= slack;
            (one_nappe || face.reversed).then_some(!face.reversed)
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
        Surface::Nurbs(nurbs) => of_spline(id, face, nurbs, Some(&face.region), size),
        Surface::Revolution(_) | Surface::Extrusion(_) => {
            // The same shape with other parameters, so that the region says nothing of it.
            let parts = home_parts(&face.surface, face.region.bounds());
            let of = |part: Rect| match face.surface.to_nurbs(part_of_domain(&face.surface, part)) {
                Ok(spline) => of_spline(id, face, &spline, None, size),
                Err(_) => Convexity::Unknown,
            };
            let all = parts.into_iter().map(of).all(|found| found == Convexity::Convex);
            if all { Convexity::Convex } else { Convexity::Unknown }
        }
        _ => Convexity::Unknown,
    }
}

/// Every tile, in halves where its form does not decide. Pieces that a region misses do not count.
fn of_spline(id: FaceId, face: &Face, nurbs: &NurbsSurface, region: Option<&Region>, size: f64) -> Convexity {
    let wanted = if face.reversed { Bend::Outward } else { Bend::Inward };
    let [rows, columns] = nurbs.tile_counts();
    let mut waiting: VecDeque<(BezierPatch, Rect)> = VecDeque::new();
    for k in 0..rows * columns {
        let tile = [k / columns, k % columns];
        waiting.push_back((nurbs.tile(tile), nurbs.tile_rect(tile)));
    }
    // Of a region that leaves the domain nothing is left out.
    let region = region.filter(|region| {
        let (bounds, domain) = (region.bounds(), nurbs.domain());
        domain.u.encloses(bounds.u) && domain.v.encloses(bounds.v)
    });
    let most = most_pieces(nurbs);
    let mut looked = 0;
    while let Some((piece, rect)) = waiting.pop_front() {
        if region.is_some_and(|region| is_beyond(region, rect)) {
            continue;
        }
        looked += 1;
        if looked > most {
            return Convexity::Unknown;
        }
        let bend = bend_of(&piece);
        if bend == wanted || bend == Bend::Flat {
            continue;
        }
        let middle = DVec2::new(rect.u.middle(), rect.v.middle());
        if region.is_some_and(|region| region.side(middle.x, middle.y) == Side::Inside)
            && is_hollow(face, middle, size)
        {
            return Convexity::NotConvex(Hollow::Face { face: id, at: middle });
        }
        if looked + waiting.len() >= most.min(MOST) {
            return Convexity::Unknown;
        }
        let speeds = patch_extent(&piece);
        let along_u = speeds[0] >= speeds[1];
        let (direction, halves) = if along_u {
            (Direction::U, rect.u.halves().map(|u| Rect::new(u, rect.v)))
        } else {
            (Direction::V, rect.v.halves().map(|v| Rect::new(rect.u, v)))
        };
        waiting.extend(piece.split(direction, 0.5).into_iter().zip(halves));
    }
    Convexity::Convex
}

/// How many pieces of a spline may be looked at. The form's determinant is a product of two polynomials of three times
/// the degrees of the surface, or four times if it is rational.
fn most_pieces(nurbs: &NurbsSurface) -> usize {
    let [p, q] = nurbs.degrees().map(|degree| degree as f64);
    let times = if nurbs.is_rational() { 4.0 } else { 3.0 };
    let products = (times * p * times * q).powi(2);
    (MOST_PRODUCTS / products) as usize
}

/// How far the rows and columns of a patch's control points reach.
fn patch_extent(piece: &BezierPatch) -> [f64; 2] {
    let ([p, q], net) = (piece.degrees(), piece.net());
    let at = |i: usize, j: usize| project(net[i * (q + 1) + j]);
    let along = |steps: usize, rows: usize, point: &dyn Fn(usize, usize) -> DVec3| {
        let length = |row: usize| (0..steps).map(|k| point(k, row).distance(point(k + 1, row))).sum::<f64>();
        (0..=rows).map(length).fold(0.0, f64::max)
    };
    [along(p, q, &at), along(q, p, &|k, row| at(row, k))]
}

/// Whether a rectangle has no point of the region.
fn is_beyond(region: &Region, rect: Rect) -> bool {
    region.bounds().intersection(rect).is_none() || region.misses(rect)
}

fn is_hollow(face: &Face, at: DVec2, size: f64) -> bool {
    let normal = face.normal(at);
    normal.is_some_and(|normal| outward_curvature(&face.jet(at), normal) * size > HOLLOW_REL)
}

/// The first sample inside the face at which it curves outward.
fn hollow_sample(face: &Face, size: f64) -> Option<DVec2> {
    let bounds = face.region.bounds();
    let places = (0..GRID * GRID).map(|k| {
        let s = |i: usize| (i as f64 + 0.5) / GRID as f64;
        DVec2::new(bounds.u.at(s(k / GRID)), bounds.v.at(s(k % GRID)))
    });
    places.filter(|at| face.side(*at) == Side::Inside).find(|at| is_hollow(face, *at, size))
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
