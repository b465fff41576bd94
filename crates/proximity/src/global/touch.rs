//! Points where two features touch, from points nearly so; and a plane between bodies that touch.
//!
//! Source: the conditions of 001, that the line between the points be orthogonal to both features, with the normal of a face in
//! place of that line: two coinciding points have no line between them.
//! Differs: half the squared distance bends by its distance alone along the face, so that Newton's method on it has no
//! second derivatives left where features touch, and closes in by a third of the way in each step. These equations are regular
//! through contact, as long as the features bend differently there; unknowns without a pivot stay.
//! Ends because: at most [`STEPS`] steps; a budget of parts.
//! Cost: two jets and a system of four for each step; for the plane some hundred cells of each body.
//! Not promised: nearer points than given, as features may cross there; where two edges or a vertex meet something, descents find contact themselves.

use super::answer::Prepared;
use super::descend::{Bounds, Parameters, Shape, Value};
use super::found::NearPair;
use super::plane;
use super::search::{Over, Search};
use super::side::{Cell, Memory, Part, Side};
use crate::convex::solve;
use crate::tolerance::{CLOSE_TO_TOUCH_REL, NEWTON_PIVOT_REL, POLE_TANGENT_REL};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3, Pose};

/// Steps of one try.
const STEPS: usize = 8;

/// Most parts of one body that are looked at for a plane.
const MOST_PARTS: u32 = 4096;

/// Points where two shapes touch, or nearly: the vector between them is along the normal of a face, and that is the other
/// feature's normal too. `None` where steps from `start` do not lead to such. `size` is a length of the shapes.
pub(crate) fn touch(
    [a, b]: [&dyn Shape; 2],
    start: Parameters,
    dimensions: [usize; 2],
    size: f64,
    work: &mut u32,
) -> Option<Value> {
    if dimensions[0].min(dimensions[1]) == 0 || dimensions[0].max(dimensions[1]) < 2 {
        return None;
    }
    let bounds = Bounds::whole(dimensions);
    let mut at = bounds.clamped(start);
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        *work += 1;
        let jets = [a.jet(DVec2::new(at[0], at[1])), b.jet(DVec2::new(at[2], at[3]))];
        let (step, length) = step(&jets, dimensions, size)?;
        let next = bounds.clamped([0, 1, 2, 3].map(|i| at[i] + step[i]));
        // Steps that no longer shrink are rounding.
        let is_last = next == at || length >= last && last <= CLOSE_TO_TOUCH_REL * size;
        if is_last {
            return Some(Value::of_jets(&jets[0], &jets[1], at));
        }
        (at, last) = (next, length);
    }
    let settled = last <= CLOSE_TO_TOUCH_REL * size;
    settled.then(|| Value::of_jets(&a.jet(DVec2::new(at[0], at[1])), &b.jet(DVec2::new(at[2], at[3])), at))
}

/// How even a face's parameters are at a point: its tangents as the sides of a parallelogram, its area over that of a square.
fn evenness(jet: &SurfaceJet) -> f64 {
    let square = jet.u.length_squared().max(jet.v.length_squared());
    if square > 0.0 { jet.u.cross(jet.v).length() / square } else { 0.0 }
}

/// Newton's step and its length. The unknowns are lengths along the features, the equations lengths too.
fn step(jets: &[SurfaceJet; 2], dimensions: [usize; 2], size: f64) -> Option<(Parameters, f64)> {
    // The normal is that of the face whose parameters are the more even: at a pole there is none.
    let even = [0, 1].map(|i| if dimensions[i] == 2 { evenness(&jets[i]) } else { -1.0 });
    let own = usize::from(even[1] > even[0]);
    let (f, g) = (&jets[own], &jets[1 - own]);
    let normal = f.u.cross(f.v);
    let area = normal.length();
    if !(area > 0.0) {
        return None;
    }
    let n = normal / area;
    let turn = [(f.uu.cross(f.v) + f.u.cross(f.uv)) / area, (f.uv.cross(f.v) + f.u.cross(f.vv)) / area];
    let r = g.point - f.point;
    // A parameter that hardly moves a point, as the longitude beside a pole, takes no part.
    let unit = |tangent: DVec3, other: DVec3| {
        let length = tangent.length();
        if length > POLE_TANGENT_REL * other.length() { length.recip() } else { 0.0 }
    };
    let across = if dimensions[1 - own] == 2 { unit(g.v, g.u) } else { 0.0 };
    let units = [unit(f.u, f.v), unit(f.v, f.u), unit(g.u, g.v), across];
    let mut rows: solve::System = [[0.0; solve::MOST + 1]; solve::MOST];
    let bends = [[f.uu, f.uv], [f.uv, f.vv]];
    for (i, tangent) in [f.u, f.v].into_iter().enumerate() {
        let values = [
            r.dot(bends[i][0]) - tangent.dot(f.u),
            r.dot(bends[i][1]) - tangent.dot(f.v),
            tangent.dot(g.u),
            tangent.dot(g.v),
        ];
        for k in 0..4 {
            rows[i][k] = values[k] * units[i] * units[k];
        }
        rows[i][solve::MOST] = -r.dot(tangent) * units[i];
    }
    let others = [[g.uu, g.uv], [g.uv, g.vv]];
    for (i, tangent) in [g.u, g.v].into_iter().enumerate() {
        let values = [turn[0].dot(tangent), turn[1].dot(tangent), n.dot(others[i][0]), n.dot(others[i][1])];
        let scale = size * units[2 + i];
        for k in 0..4 {
            rows[2 + i][k] = values[k] * scale * units[k];
        }
        rows[2 + i][solve::MOST] = -n.dot(tangent) * scale;
    }
    let found = solve::solve(&rows, 4, NEWTON_PIVOT_REL);
    let lengths = [0, 1, 2, 3].map(|k| found[k] * units[k]);
    // Written so that NaN is no step.
    if !lengths.iter().all(|x| x.is_finite()) {
        return None;
    }
    let length = found[..4].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let [u, v, s, t] = lengths;
    Some((if own == 0 { [u, v, s, t] } else { [s, t, u, v] }, length))
}

impl Search<'_> {
    /// Nearer points beside two that nearly touch: those where the features do, if descents have not come there.
    pub(super) fn touching(&mut self, near: &NearPair) -> Option<NearPair> {
        let at = [self.a.root(near.pieces[0]), self.b.root(near.pieces[1])];
        let roots: [Cell; 2] = [*self.a.cell(at[0]), *self.b.cell(at[1])];
        let size = roots[0].radius.max(roots[1].radius);
        if !(near.distance > self.demand.contact && near.distance <= CLOSE_TO_TOUCH_REL * size) {
            return None;
        }
        let over_a = Over { degrees: roots[0].degrees, net: self.a.net(&roots[0]) };
        let over_b = Over { degrees: roots[1].degrees, net: self.b.net(&roots[1]) };
        let [p, q] = near.local;
        let dimensions = [roots[0].dimension, roots[1].dimension];
        let start = [p.x, p.y, q.x, q.y];
        let value = touch([&over_a, &over_b], start, dimensions, size, &mut self.work.newton)?;
        let distance = (2.0 * value.half_square).sqrt();
        let at = value.at;
        let local = [DVec2::new(at[0], at[1]), DVec2::new(at[2], at[3])];
        let held = self.a.holds(&roots[0], local[0]) && self.b.holds(&roots[1], local[1]);
        // Features that overlap are nearer where they cross.
        (distance < near.distance && held).then_some(NearPair {
            distance,
            points: value.points,
            local,
            ..*near
        })
    }
}

/// Whether a plane through a point keeps two bodies apart, but for an overlap along its normal, from A to B, that is
/// `allowed`; a length. The point and the normal are in the frame of A.
pub(crate) fn is_plane_between(
    [a, b]: [&Prepared; 2],
    pose_ab: &Pose,
    point: DVec3,
    normal: DVec3,
    allowed: f64,
) -> bool {
    let mut parts = Vec::new();
    let mut is_below = |side: &mut Side, along: DVec3| {
        let limit = point.dot(along) + 0.5 * allowed;
        parts.clear();
        parts.push(Part::Node(0));
        plane::highest_of(side, true, (along, limit, 0.125 * allowed), MOST_PARTS, &mut parts, None).is_some()
    };
    let mut memory = [Memory::default(), Memory::default()];
    let [of_a, of_b] = &mut memory;
    is_below(&mut Side::new(a.body(), a.tree(), Pose::IDENTITY, of_a), normal)
        && is_below(&mut Side::new(b.body(), b.tree(), *pose_ab, of_b), -normal)
}
