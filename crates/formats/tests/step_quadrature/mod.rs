//! Areas and volumes of faces by Green's theorem in the parameters of their surfaces, for tests.
//!
//! Loops are carried to parameters point by point from the edges' curves in space, so neither parameter curves of
//! the file nor any trimming code of the library is used.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::step::{StepBody, StepCourse, StepEdgeUse, StepFace};
use clearance_geometry::curve::{Curve, Knots, ParametricCurve, Range};
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Nodes and weights of Gauss and Legendre's rule with eight points on −1..1, one half.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Area of a face, its share of the volume (a third of the flux of x), and how far its edges are off its surface
/// times their length, which is what the area may be off by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) area: f64,
    pub(crate) volume: f64,
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) gap: f64,
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) doubt: f64,
}

/// Nodes with weights between the ends of each panel.
fn nodes(low: f64, high: f64, cuts: &[f64], panels: usize) -> Vec<(f64, f64)> {
    let (least, most) = (low.min(high), low.max(high));
    let mut ends = vec![low];
    let mut inner: Vec<f64> = cuts.iter().copied().filter(|cut| *cut > least && *cut < most).collect();
    if low > high {
        inner.reverse();
    }
    ends.extend(inner);
    ends.push(high);
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        for panel in 0..panels {
            let step = (pair[1] - pair[0]) / panels as f64;
            let middle = pair[0] + step * (panel as f64 + 0.5);
            for (x, w) in GAUSS {
                found.push((middle - x * step / 2.0, w * step / 2.0));
                found.push((middle + x * step / 2.0, w * step / 2.0));
            }
        }
    }
    // Along the path, so that each parameter is found from the one before.
    found.sort_by(|a, b| if low <= high { a.0.total_cmp(&b.0) } else { b.0.total_cmp(&a.0) });
    found
}

/// The parameters of a point on a surface, near `guess` where the formula does not say.
fn invert(surface: &Surface, point: DVec3, guess: DVec2) -> DVec2 {
    let angle = |p: DVec3| p.y.atan2(p.x);
    match surface {
        Surface::Plane(s) => s.frame().apply_inverse(point).truncate(),
        Surface::Cylinder(s) => {
            let p = s.frame().apply_inverse(point);
            DVec2::new(angle(p), p.z)
        }
        Surface::Cone(s) => {
            let p = s.frame().apply_inverse(point);
            let below = if (p.z - s.apex()) * s.slope() < 0.0 { -1.0 } else { 1.0 };
            DVec2::new(angle(p * below), p.z)
        }
        Surface::Sphere(s) => {
            let p = s.frame().apply_inverse(point);
            DVec2::new(angle(p), p.z.atan2(p.truncate().length()))
        }
        Surface::Torus(s) => {
            let p = s.frame().apply_inverse(point);
            let away = p.truncate().length();
            // A tube wider than its circle passes the axis; points there are met from the other side.
            let near = DVec2::new(angle(p), p.z.atan2(away - s.major()));
            let far = DVec2::new(angle(-p), p.z.atan2(-away - s.major()));
            let off = |at: DVec2| surface.point(at.x, at.y).distance(point);
            if off(near) <= off(far) { near } else { far }
        }
        _ => newton(surface, point, guess),
    }
}

/// The same parameters within the domain of a closed surface.
fn wrapped(surface: &Surface, at: DVec2) -> DVec2 {
    let domain = surface.domain();
    let wrap = |value: f64, range: Range, period: Option<f64>| match period {
        Some(period) if !range.contains(value) => range.low + (value - range.low).rem_euclid(period),
        _ => value,
    };
    let [u, v] = surface.periods();
    DVec2::new(wrap(at.x, domain.u, u), wrap(at.y, domain.v, v))
}

fn newton(surface: &Surface, point: DVec3, guess: DVec2) -> DVec2 {
    let mut at = wrapped(surface, guess);
    for _ in 0..50 {
        let jet = surface.jet(at.x, at.y);
        let step = tangent_coordinates(jet.u, jet.v, point - jet.point);
        at = wrapped(surface, at + step);
        if step.length() <= 1e-14 * (1.0 + at.length()) {
            break;
        }
    }
    at
}

/// (a, b) with a·u + b·v nearest to d.
fn tangent_coordinates(u: DVec3, v: DVec3, d: DVec3) -> DVec2 {
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    if !(det > 1e-28 * uu * vv) {
        return if vv > uu { DVec2::new(0.0, v.dot(d) / vv) } else { DVec2::new(u.dot(d) / uu, 0.0) };
    }
    DVec2::new(vv * u.dot(d) - uv * v.dot(d), uu * v.dot(d) - uv * u.dot(d)) / det
}

/// A start for Newton's method: the nearest of a grid.
fn nearest_on_grid(surface: &Surface, point: DVec3) -> DVec2 {
    let [cuts_u, cuts_v] = cuts(surface);
    let domain = surface.domain();
    let along = |range: Range, cuts: &[f64]| -> Vec<f64> {
        let range = if range.is_bounded() { range } else { Range::new(-50.0, 50.0) };
        let mut ends = vec![range.low];
        ends.extend(cuts.iter().copied().filter(|cut| *cut > range.low && *cut < range.high));
        ends.push(range.high);
        ends.windows(2)
            .flat_map(|p| (0..=12).map(move |k| p[0] + (p[1] - p[0]) * f64::from(k) / 12.0))
            .collect()
    };
    let mut best = (f64::INFINITY, DVec2::ZERO);
    for &u in &along(domain.u, &cuts_u) {
        for &v in &along(domain.v, &cuts_v) {
            let off = surface.point(u, v).distance(point);
            if off < best.0 {
                best = (off, DVec2::new(u, v));
            }
        }
    }
    best.1
}

fn inner_knots(knots: &Knots) -> Vec<f64> {
    (1..knots.piece_count()).map(|piece| knots.piece(piece).low).collect()
}

/// All inner knots.
fn cuts(surface: &Surface) -> [Vec<f64>; 2] {
    match surface {
        Surface::Nurbs(spline) => {
            let [u, v] = spline.knots();
            [inner_knots(u), inner_knots(v)]
        }
        Surface::Revolution(s) => [Vec::new(), s.curve().breaks().iter().map(|b| b.at).collect()],
        Surface::Extrusion(s) => [s.curve().breaks().iter().map(|b| b.at).collect(), Vec::new()],
        _ => [Vec::new(), Vec::new()],
    }
}

/// A step of a loop: where, and the weighted change of parameters.
struct Step {
    at: DVec2,
    change: DVec2,
    /// Distance from the surface.
    off: f64,
    /// Length along the curve.
    length: f64,
}

/// The loops of a face in parameters, each unrolled over the surface's periods; and how far each winds.
fn unrolled(body: &StepBody, face: &StepFace) -> Vec<(Vec<Step>, DVec2)> {
    let surface = &face.surface;
    let periods = surface.periods();
    let mut loops = Vec::new();
    for bound in &face.loops {
        let StepCourse::Edges(uses) = &bound.course else { continue };
        let mut steps = Vec::new();
        let mut last: Option<DVec2> = None;
        let mut first = None;
        for (number, used) in uses.iter().enumerate() {
            let edge = &body.edges[used.edge.index()];
            let Range { low, high } = edge.range;
            let (from, to) = if used.reversed { (high, low) } else { (low, high) };
            let (cuts, panels) = match &edge.curve {
                Curve::Nurbs(spline) => (inner_knots(spline.knots()), 2),
                _ => (Vec::new(), 8),
            };
            let mut fresh = true;
            for (t, weight) in nodes(from, to, &cuts, panels) {
                let jet = edge.curve.jet(t);
                let guess = last.unwrap_or_else(|| nearest_on_grid(surface, jet.point));
                let mut at = invert(surface, jet.point, guess);
                let pole = pole_at(body, face, &uses[(number + uses.len() - 1) % uses.len()]);
                if let (Some(from), Some(pole), true) = (last, pole, fresh) {
                    at.x = across_pole(from, pole, at.x, face.reversed, &mut steps);
                } else if let Some(last) = last {
                    for (value, (near, period)) in
                        [&mut at.x, &mut at.y].into_iter().zip([(last.x, periods[0]), (last.y, periods[1])])
                    {
                        if let Some(period) = period {
                            *value += period * ((near - *value) / period).round();
                        }
                    }
                }
                let inside = wrapped(surface, at);
                let s = surface.jet(inside.x, inside.y);
                let off = s.point.distance(jet.point);
                let length = jet.first.length() * weight.abs();
                steps.push(Step {
                    at,
                    change: tangent_coordinates(s.u, s.v, jet.first) * weight,
                    off,
                    length,
                });
                first.get_or_insert(at);
                last = Some(at);
                fresh = false;
            }
        }
        if let (Some(from), Some(pole), Some(to)) = (last, pole_at(body, face, &uses[uses.len() - 1]), first)
        {
            across_pole(from, pole, to.x, face.reversed, &mut steps);
        }
        let winding = steps.iter().map(|step| step.change).sum();
        loops.push((steps, winding));
    }
    loops
}

/// The v of the pole in which an edge of a loop ends, if it does.
fn pole_at(body: &StepBody, face: &StepFace, used: &StepEdgeUse) -> Option<f64> {
    let end = body.edges[used.edge.index()].vertices[usize::from(!used.reversed)];
    let place = body.vertices[end.index()].point;
    let v = match &face.surface {
        Surface::Sphere(_) => [-FRAC_PI_2, FRAC_PI_2].to_vec(),
        Surface::Cone(cone) => vec![cone.apex()],
        _ => Vec::new(),
    };
    let near = |v: &f64| face.surface.point(0.0, *v).distance(place) < 1e-6;
    v.into_iter().find(near)
}

/// Walks along a pole with the face on the side it is on, to a meridian that is `to` up to turns. Where both
/// meridians are one, the face is all around.
fn across_pole(from: DVec2, pole: f64, to: f64, reversed: bool, steps: &mut Vec<Step>) -> f64 {
    let forward = (from.y < pole) == reversed;
    let turn = if forward { (to - from.x).rem_euclid(TAU) } else { -(from.x - to).rem_euclid(TAU) };
    let whole = if forward { TAU } else { -TAU };
    let turn = if turn.abs() < 1e-9 || turn.abs() > TAU - 1e-9 { whole } else { turn };
    for (u, weight) in nodes(from.x, from.x + turn, &[], 8) {
        let change = DVec2::new(weight, 0.0);
        steps.push(Step { at: DVec2::new(u, pole), change, off: 0.0, length: 0.0 });
    }
    from.x + turn
}

/// Area and volume of one face. `origin` is where volumes are measured from.
pub(crate) fn face_sums(body: &StepBody, face: &StepFace, origin: DVec3) -> Sums {
    let surface = &face.surface;
    let sign = if face.reversed { -1.0 } else { 1.0 };
    let density = |u: f64, v: f64| {
        let at = wrapped(surface, DVec2::new(u, v));
        let jet = surface.jet(at.x, at.y);
        let normal = jet.u.cross(jet.v);
        [normal.length(), (jet.point - origin).dot(normal) * sign / 3.0]
    };
    let [cuts_u, cuts_v] = cuts(surface);
    let loops = unrolled(body, face);
    let whole = || {
        let mut sums = [0.0; 2];
        let domain = surface.domain();
        for (u, a) in nodes(domain.u.low, domain.u.high, &cuts_u, 8) {
            for (v, b) in nodes(domain.v.low, domain.v.high, &cuts_v, 8) {
                let d = density(u, v);
                sums = [sums[0] + a * b * d[0], sums[1] + a * b * d[1]];
            }
        }
        sums
    };
    let mut sums = [0.0; 2];
    if loops.is_empty() {
        sums = whole();
        return Sums { area: sums[0], volume: sums[1], gap: 0.0, doubt: 0.0 };
    }
    let periods = surface.periods();
    let winds = |wind: f64, period: Option<f64>| period.is_some_and(|p| wind.abs() > p / 2.0);
    let along_v = loops.iter().any(|(_, wind)| winds(wind.y, periods[1]));
    let total: f64 = loops.iter().map(|(_, wind)| wind.x).sum::<f64>() * sign;
    let start = loops[0].0[0].at;
    // Integrals start at the pole that the loops wind around.
    let from_v = if winds(total, periods[0]) { pole(surface, total > 0.0) } else { start.y };
    for step in loops.iter().flat_map(|(steps, _)| steps) {
        let (inner, factor) = if along_v {
            (nodes(start.x, step.at.x, &cuts_u, 4), step.change.y * sign)
        } else {
            (nodes(from_v, step.at.y, &cuts_v, 4), -step.change.x * sign)
        };
        for (s, weight) in inner {
            let d = if along_v { density(s, step.at.y) } else { density(step.at.x, s) };
            sums = [sums[0] + d[0] * weight * factor, sums[1] + d[1] * weight * factor];
        }
    }
    // Loops around a torus are each known up to a turn of the tube only.
    if sums[0] < 0.0 && periods[1].is_some() {
        let all = whole();
        sums = [sums[0] + all[0], sums[1] + all[1]];
    }
    let steps = || loops.iter().flat_map(|(steps, _)| steps);
    let gap = steps().fold(0.0_f64, |most, step| most.max(step.off));
    let doubt = steps().map(|step| step.off * step.length).sum();
    Sums { area: sums[0], volume: sums[1], gap, doubt }
}

fn pole(surface: &Surface, upper: bool) -> f64 {
    match surface {
        Surface::Sphere(_) => {
            if upper {
                FRAC_PI_2
            } else {
                -FRAC_PI_2
            }
        }
        Surface::Cone(cone) => cone.apex(),
        Surface::Torus(_) => TAU,
        other => {
            let range = other.domain().v;
            if upper { range.high } else { range.low }
        }
    }
}
