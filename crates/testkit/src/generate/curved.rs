//! Curves and surfaces of every kind, with a part of each: at several scales, far from the origin, with doubled
//! knots, collapsed rows, very unequal weights.

use crate::Random;
use clearance_geometry::Pose;
use clearance_geometry::curve::{
    Circle, Curve, Ellipse, Helix, Hyperbola, Line, NurbsCurve, Parabola, ParametricCurve, Range, Rect,
};
use clearance_geometry::surface::{
    Cone, Cylinder, Ellipsoid, Extrusion, NurbsSurface, Paraboloid, ParametricSurface, Plane, Revolution,
    Sphere, Surface, Torus,
};
use glam::DVec3;
use std::f64::consts::TAU;

/// Names of what [`curve`] makes.
pub const CURVE_KINDS: [&str; 7] = ["line", "circle", "ellipse", "parabola", "hyperbola", "helix", "nurbs"];

/// Names of what [`surface`] makes.
pub const SURFACE_KINDS: [&str; 11] = [
    "plane",
    "sphere",
    "ellipsoid",
    "cylinder",
    "cone",
    "paraboloid",
    "torus",
    "revolution",
    "extrusion",
    "nurbs",
    "collapsed",
];

/// Knots with dyadic values for `points` control points: clamped or not, some doubled, sometimes as often as the
/// degree.
pub fn knots(random: &mut Random, degree: usize, points: usize) -> Vec<f64> {
    let clamped = random.chance(0.7);
    let count = points + degree + 1;
    let mut values = Vec::with_capacity(count);
    let mut t = -1.0;
    while values.len() < count {
        let inner = values.len() > degree && values.len() < points;
        let repeat = if inner && random.chance(0.25) { 1 + random.index(degree) } else { 1 };
        for _ in 0..repeat.min(count - values.len()) {
            values.push(t);
        }
        t += *random.pick(&[0.25, 0.5, 1.0]);
    }
    if clamped {
        for i in 0..=degree {
            values[i] = values[degree];
            values[points + i] = values[points];
        }
    }
    values
}

/// 1, or something between a quarter and four for rational shapes.
fn weight(random: &mut Random, rational: bool) -> f64 {
    if rational { f64::from(random.log_uniform(-0.6, 0.6) as f32) } else { 1.0 }
}

/// A point within `scale` of `offset`, with 24 bits per coordinate, so that exact arithmetic stays quick.
fn point(random: &mut Random, scale: f64, offset: DVec3) -> DVec3 {
    let p = offset + scale * random.in_ball();
    DVec3::from_array(p.to_array().map(|x| f64::from(x as f32)))
}

/// A spline curve with control points within `scale` of `offset`.
pub fn nurbs_curve(
    random: &mut Random,
    degree: usize,
    rational: bool,
    scale: f64,
    offset: DVec3,
) -> NurbsCurve {
    loop {
        let n = degree + 1 + random.index(6);
        let knots = knots(random, degree, n);
        let points: Vec<DVec3> = (0..n).map(|_| point(random, scale, offset)).collect();
        let weights: Vec<f64> = (0..n).map(|_| weight(random, rational)).collect();
        // Knots may leave no domain; then once more.
        if let Ok(curve) = NurbsCurve::new(degree, knots, &points, rational.then_some(&weights[..])) {
            return curve;
        }
    }
}

/// A spline surface with control points within `scale` of `offset`; `collapsed` makes the first row one point.
pub fn nurbs_surface(
    random: &mut Random,
    degrees: [usize; 2],
    [rational, collapsed]: [bool; 2],
    scale: f64,
    offset: DVec3,
) -> NurbsSurface {
    loop {
        let counts = degrees.map(|p| p + 1 + random.index(3));
        let knots = [0, 1].map(|i| knots(random, degrees[i], counts[i]));
        let mut row = || (0..counts[1]).map(|_| point(random, scale, offset)).collect::<Vec<_>>();
        let mut net: Vec<Vec<DVec3>> = (0..counts[0]).map(|_| row()).collect();
        let smooth = random.chance(0.6);
        if smooth {
            // A graph over a rectangle with little waves: what real patches look like.
            for (i, row) in net.iter_mut().enumerate() {
                for (j, p) in row.iter_mut().enumerate() {
                    let wave = (*p - offset) * 0.1;
                    *p = offset + scale * DVec3::new(i as f64, j as f64, 0.0) + wave;
                }
            }
        }
        if collapsed {
            let tip = net[0][0];
            net[0].fill(tip);
        }
        let mut row = || (0..counts[1]).map(|_| weight(random, rational)).collect::<Vec<_>>();
        let weights: Vec<Vec<f64>> = (0..counts[0]).map(|_| row()).collect();
        let made = NurbsSurface::new(degrees, knots, &net, rational.then_some(&weights[..]));
        if let Ok(surface) = made {
            return surface;
        }
    }
}

/// A scale, and a place for the frame.
fn size(random: &mut Random) -> (f64, Pose) {
    let scale = *random.pick(&[1e-6, 1.0, 1e6]);
    let far = if random.chance(0.3) { 1e4 } else { 1.0 };
    let offset = random.direction() * (scale * far);
    (scale, Pose::new(random.quaternion(), offset).unwrap())
}

/// A part of a range: all of it, a piece, or a very short piece.
fn part(random: &mut Random, range: Range) -> Range {
    if random.chance(0.2) {
        return range;
    }
    let width = range.width() * random.log_uniform(-5.0, 0.0);
    let low = range.low + random.unit() * (range.width() - width);
    Range::new(low, (low + width).min(range.high))
}

/// A curve of the kind `CURVE_KINDS[kind]`, and a bounded part of it.
pub fn curve(random: &mut Random, kind: usize) -> (Curve, Range) {
    let (scale, frame) = size(random);
    let radius = scale * random.uniform(0.2, 2.0);
    let radii = [radius, scale * random.uniform(0.2, 2.0)];
    let curve: Curve = match CURVE_KINDS[kind] {
        "line" => Line::new(frame.translation(), random.direction() * scale).unwrap().into(),
        "circle" => Circle::new(frame, radius).unwrap().into(),
        "ellipse" => Ellipse::new(frame, radii).unwrap().into(),
        "parabola" => Parabola::new(frame, radius).unwrap().into(),
        "hyperbola" => Hyperbola::new(frame, radii).unwrap().into(),
        "helix" => Helix::new(frame, radius, random.uniform(-1.0, 1.0) * scale).unwrap().into(),
        _ => {
            let (degree, rational) = (1 + random.index(8), random.chance(0.5));
            nurbs_curve(random, degree, rational, scale, frame.translation()).into()
        }
    };
    let domain = curve.domain();
    let whole = if domain.is_bounded() { domain } else { Range::new(-3.0, 4.0) };
    let part = part(random, whole);
    (curve, part)
}

/// A surface of the kind `SURFACE_KINDS[kind]`, and a bounded part of it.
pub fn surface(random: &mut Random, kind: usize) -> (Surface, Rect) {
    let (scale, frame) = size(random);
    let radius = scale * random.uniform(0.2, 2.0);
    let others = [scale * random.uniform(0.2, 2.0), scale * random.uniform(0.2, 2.0)];
    let surface: Surface = match SURFACE_KINDS[kind] {
        "plane" => Plane::new(frame).into(),
        "sphere" => Sphere::new(frame, radius).unwrap().into(),
        "ellipsoid" => Ellipsoid::new(frame, [radius, others[0], others[1]]).unwrap().into(),
        "cylinder" => Cylinder::new(frame, radius).unwrap().into(),
        "cone" => Cone::new(frame, radius, random.uniform(0.1, 2.0)).unwrap().into(),
        "paraboloid" => Paraboloid::new(frame, radius).unwrap().into(),
        "torus" => Torus::new(frame, radius + others[0], radius).unwrap().into(),
        "revolution" => {
            let (curve, _) = curve(random, random.clone().index(CURVE_KINDS.len()));
            Revolution::new(curve, frame.translation(), random.direction()).unwrap().into()
        }
        "extrusion" => {
            let (curve, _) = curve(random, random.clone().index(CURVE_KINDS.len()));
            Extrusion::new(curve, random.direction() * scale).unwrap().into()
        }
        name => {
            let degrees = [1 + random.index(4), 1 + random.index(4)];
            let kind = [random.chance(0.5), name == "collapsed"];
            nurbs_surface(random, degrees, kind, scale, frame.translation()).into()
        }
    };
    let domain = surface.domain();
    let height = match SURFACE_KINDS[kind] {
        "plane" | "cylinder" | "cone" | "paraboloid" => scale,
        _ => 1.0,
    };
    let bounded = |range: Range, random: &mut Random| {
        let free = Range::new(range.low.max(-height), range.high.min(2.0 * height));
        let whole = if range.is_bounded() { range } else { free };
        part(random, whole)
    };
    let u = bounded(domain.u, random);
    let u = if SURFACE_KINDS[kind] == "plane" { u } else { Range::new(u.low, u.high.min(u.low + TAU)) };
    let v = bounded(domain.v, random);
    (surface, Rect::new(u, v))
}
