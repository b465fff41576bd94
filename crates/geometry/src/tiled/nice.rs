//! Faces cut into "nice" patches: those whose normals all lie within a hemisphere.
//!
//! Source: 000, which asks this of patches and notes that any other can be divided into such ones.
//! Differs: the angle is bounded by a cone around the normals of a rectangle of parameters, which may divide more often
//! than needed. Faces are cut first where their normals jump: at knots, at the apex of a cone, where a tube meets itself.
//! Ends because: rectangles are halved at most [`DEPTH`] times, and no more than [`MOST`] of a face are looked at; one
//! that is left over says so.
//! Cost: five cones of normals per rectangle that is halved.
//! Not promised: the fewest patches. A patch around a point without a normal (the tip of a needle, a collapsed corner, a
//! cusp) stays not nice, however small.

use super::strip::{tube_crossings, with_copies};
use super::{Face, TiledBody};
use crate::FaceId;
use crate::bound::{DerivativeBound, DirectionCone, NormalCone};
use crate::curve::{Knots, Range, Rect};
use crate::surface::home::{home_parts, part_of_domain};
use crate::surface::{ParametricSurface, Surface};
use std::collections::VecDeque;

/// Halvings of a face's rectangle.
const DEPTH: usize = 16;

/// Most rectangles of one face that are looked at.
const MOST: usize = 1_500;

/// By how many halvings one parameter may be ahead of the other.
const LEAD: usize = 4;

/// A part of a face with its normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NicePatch {
    /// The face.
    pub face: FaceId,
    /// The part: what of the face lies over this rectangle.
    pub rect: Rect,
    /// A cone around its outward normals.
    pub normals: DirectionCone,
}

impl NicePatch {
    /// Whether the normals are known to lie within a hemisphere. The tip of a needle may not have it.
    pub fn is_nice(&self) -> bool {
        self.normals.is_within_hemisphere()
    }
}

impl TiledBody {
    /// All faces cut into nice patches, in the order of the faces; computed on first use.
    pub fn nice_patches(&self) -> &[NicePatch] {
        self.data.nice.get_or_init(|| {
            let mut found = Vec::new();
            for (at, face) in self.faces().iter().enumerate() {
                of_face(FaceId(at as u32), face, &mut found);
            }
            found
        })
    }
}

/// The widest cones first, so that a face that uses up its rectangles has been cut evenly.
fn of_face(id: FaceId, face: &Face, found: &mut Vec<NicePatch>) {
    let first = first_parts(&face.surface, face.region.bounds());
    let mut waiting: VecDeque<(Rect, [usize; 2])> = first.into_iter().map(|rect| (rect, [0, 0])).collect();
    let mut looked = 0;
    while let Some((rect, depth)) = waiting.pop_front() {
        if face.region.misses(rect) {
            continue;
        }
        looked += 1;
        let inside = part_of_domain(&face.surface, rect);
        let cone = face.surface.normal_cone(off_knots(&face.surface, inside));
        let normals = if face.reversed { cone.reversed() } else { cone };
        if depth[0] + depth[1] == DEPTH || looked > MOST || normals.is_within_hemisphere() {
            found.push(NicePatch { face: id, rect, normals });
            continue;
        }
        let (axis, halves) = halved(face, rect, inside, depth);
        let mut deeper = depth;
        deeper[axis] += 1;
        waiting.extend(halves.map(|half| (half, deeper)));
    }
}

/// The parameter that is halved, and both halves: at first the way that leaves the narrower cones, later, or where they
/// are equal, the longer way, but neither is forgotten.
fn halved(face: &Face, rect: Rect, inside: Rect, depth: [usize; 2]) -> (usize, [Rect; 2]) {
    let across_u = rect.u.halves().map(|u| Rect::new(u, rect.v));
    let across_v = rect.v.halves().map(|v| Rect::new(rect.u, v));
    let cone = |half: &Rect| {
        let inside = part_of_domain(&face.surface, *half);
        face.surface.normal_cone(off_knots(&face.surface, inside)).angle
    };
    let measure = |halves: &[Rect; 2]| {
        let angles = halves.each_ref().map(cone);
        // One half that is known is better than none.
        (angles[0].max(angles[1]), angles[0].min(angles[1]))
    };
    let (u, v) = (measure(&across_u), measure(&across_v));
    let speeds = face.surface.derivative_bounds(inside);
    let along_u = if u != v && depth[0] + depth[1] < DEPTH / 2 {
        u < v
    } else if depth[0].abs_diff(depth[1]) >= LEAD {
        depth[0] < depth[1]
    } else {
        speeds.u * rect.u.width() >= speeds.v * rect.v.width()
    };
    if along_u { (0, across_u) } else { (1, across_v) }
}

/// A rectangle that does not touch the inner knots of a spline, so that the normals beyond a crease are not among its
/// own; those along the knot itself are limits of its own.
fn off_knots(surface: &Surface, rect: Rect) -> Rect {
    let Surface::Nurbs(nurbs) = surface else { return rect };
    let off = |range: Range, knots: &Knots| {
        let domain = knots.domain();
        let low = if range.low > domain.low { range.low.next_up() } else { range.low };
        let high = if range.high < domain.high { range.high.next_down() } else { range.high };
        if low < high { Range::new(low, high) } else { range }
    };
    Rect::new(off(rect.u, &nurbs.knots()[0]), off(rect.v, &nurbs.knots()[1]))
}

/// A rectangle cut where normals may jump.
fn first_parts(surface: &Surface, rect: Rect) -> Vec<Rect> {
    let [u, mut v] = surface.breaks().map(|breaks| {
        let sharp = breaks.iter().filter(|at| at.continuity <= 0);
        sharp.map(|at| at.at).collect::<Vec<f64>>()
    });
    match surface {
        Surface::Cone(cone) => v.push(cone.apex()),
        Surface::Torus(torus) if torus.major() < torus.minor() => {
            v.extend(tube_crossings(torus));
        }
        _ => {}
    }
    let periods = surface.periods();
    let cut = |range: Range, cuts: Vec<f64>, period: Option<f64>| {
        let mut cuts = with_copies(cuts, period);
        cuts.retain(|t| range.low < *t && *t < range.high);
        cuts.extend([range.low, range.high]);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        cuts.windows(2).map(|pair| Range::new(pair[0], pair[1])).collect::<Vec<Range>>()
    };
    let across = cut(rect.v, v, periods[1]);
    let parts = cut(rect.u, u, periods[0]).into_iter();
    let parts = parts.flat_map(|u| across.iter().map(move |v| Rect::new(u, *v)));
    parts.flat_map(|part| home_parts(surface, part)).collect()
}
