//! Closed bodies with a formula that says which points are inside.

use clearance_geometry::DVec2;
use clearance_geometry::DVec3;
use clearance_geometry::tiled::{Segment, TiledBody};

/// A body of size about `scale` with a function that is negative inside, and zero on the boundary only.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) body: TiledBody,
    pub(crate) inside: Box<dyn Fn(DVec3) -> f64>,
    /// Half the sides of a box around it.
    pub(crate) half: DVec3,
    /// Points that deserve a look, with their neighbourhoods.
    pub(crate) special: Vec<DVec3>,
}

fn box2(r: f64, z: f64, low: [f64; 2], high: [f64; 2]) -> f64 {
    (low[0] - r).max(r - high[0]).max(low[1] - z).max(z - high[1])
}

fn line(a: [f64; 2], b: [f64; 2], s: f64) -> Segment {
    Segment::Line { from: DVec2::from(a) * s, to: DVec2::from(b) * s }
}

fn chain(points: &[[f64; 2]], s: f64) -> Vec<Segment> {
    points.windows(2).map(|pair| line(pair[0], pair[1], s)).collect()
}

fn radius(p: DVec3) -> f64 {
    p.truncate().length()
}

/// All shapes, scaled by `s`.
pub(crate) fn shapes(s: f64) -> Vec<Shape> {
    let mut all = vec![
        Shape {
            name: "sphere",
            body: TiledBody::sphere(1.3 * s).unwrap(),
            inside: Box::new(move |p| p.length() - 1.3 * s),
            half: DVec3::splat(1.3 * s),
            special: vec![DVec3::Z * 1.3 * s, DVec3::X * 1.3 * s, DVec3::ZERO],
        },
        Shape {
            name: "ellipsoid",
            body: TiledBody::ellipsoid([2.0 * s, 0.5 * s, 1.0 * s]).unwrap(),
            inside: Box::new(move |p| s * ((p / DVec3::new(2.0 * s, 0.5 * s, s)).length() - 1.0)),
            half: DVec3::new(2.0, 0.5, 1.0) * s,
            special: vec![DVec3::Z * s, DVec3::X * 2.0 * s, DVec3::ZERO],
        },
        Shape {
            name: "torus",
            body: TiledBody::torus(2.0 * s, 0.5 * s).unwrap(),
            inside: Box::new(move |p| (radius(p) - 2.0 * s).hypot(p.z) - 0.5 * s),
            half: DVec3::new(2.5, 2.5, 0.5) * s,
            special: vec![DVec3::X * 2.5 * s, DVec3::X * 1.5 * s, DVec3::ZERO, DVec3::X * 2.0 * s],
        },
        Shape {
            name: "cylinder",
            body: TiledBody::cylinder(s, 3.0 * s).unwrap(),
            inside: Box::new(move |p| (radius(p) - s).max(p.z.abs() - 1.5 * s)),
            half: DVec3::new(1.0, 1.0, 1.5) * s,
            special: vec![DVec3::new(s, 0.0, 1.5 * s), DVec3::Z * 1.5 * s, DVec3::ZERO],
        },
        Shape {
            name: "cone",
            body: TiledBody::cone(s, 2.0 * s, None).unwrap(),
            inside: Box::new(move |p| (-p.z).max(radius(p) + 0.5 * p.z - s)),
            half: DVec3::new(1.0, 1.0, 2.0) * s,
            special: vec![DVec3::Z * 2.0 * s, DVec3::X * s, DVec3::ZERO],
        },
        Shape {
            name: "capsule",
            body: TiledBody::capsule(0.7 * s, 2.0 * s).unwrap(),
            inside: Box::new(move |p| radius(p).hypot((p.z.abs() - s).max(0.0)) - 0.7 * s),
            half: DVec3::new(0.7, 0.7, 1.7) * s,
            special: vec![DVec3::Z * 1.7 * s, DVec3::new(0.7 * s, 0.0, s), DVec3::ZERO],
        },
    ];
    all.extend(turned(s));
    all
}

/// Bodies of revolution: reflex edges, cusps of both kinds, a thin wall.
fn turned(s: f64) -> Vec<Shape> {
    let dumbbell =
        [[0.0, -2.0], [1.0, -2.0], [1.0, -1.0], [0.3, -1.0], [0.3, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let arc = |from: [f64; 2], to: [f64; 2], center: [f64; 2], ccw: bool| Segment::Arc {
        center: DVec2::from(center) * s,
        from: DVec2::from(from) * s,
        to: DVec2::from(to) * s,
        ccw,
    };
    // Between the plane z = 0 and a quarter circle that touches it: an edge without an angle.
    let blade = vec![
        line([2.0, 0.0], [3.0, 0.0], s),
        line([3.0, 0.0], [3.0, 1.0], s),
        arc([3.0, 1.0], [2.0, 0.0], [2.0, 1.0], false),
    ];
    let is_blade = move |r: f64, z: f64| {
        let over = if r > 2.0 * s { s - (s * s - (r - 2.0 * s).powi(2)).max(0.0).sqrt() } else { 0.0 };
        (2.0 * s - r).max(r - 3.0 * s).max(-z).max(z - over)
    };
    // The same cut out of a ring: a slit that ends in an edge of 360°.
    let mut slit = chain(&[[1.0, -1.0], [3.0, -1.0], [3.0, 0.0], [2.0, 0.0]], s);
    slit.push(arc([2.0, 0.0], [3.0, 1.0], [2.0, 1.0], true));
    slit.extend(chain(&[[3.0, 1.0], [3.0, 2.0], [1.0, 2.0], [1.0, -1.0]], s));
    let wall = chain(&[[1.0, -1.0], [1.0001, -1.0], [1.0001, 1.0], [1.0, 1.0], [1.0, -1.0]], s);
    let body = |profile: &[Segment]| TiledBody::revolve(profile).unwrap();
    vec![
        Shape {
            name: "dumbbell",
            body: body(&chain(&dumbbell, s)),
            inside: Box::new(move |p| {
                let (r, z) = (radius(p), p.z.abs());
                box2(r, z, [-s, s], [s, 2.0 * s]).min(box2(r, z, [-s, -s], [0.3 * s, 1.5 * s]))
            }),
            half: DVec3::new(1.0, 1.0, 2.0) * s,
            special: vec![DVec3::new(0.3 * s, 0.0, s), DVec3::new(s, 0.0, s), DVec3::new(0.0, 0.3 * s, -s)],
        },
        Shape {
            name: "blade",
            body: body(&blade),
            inside: Box::new(move |p| is_blade(radius(p), p.z)),
            half: DVec3::new(3.0, 3.0, 1.0) * s,
            special: vec![DVec3::new(2.0 * s, 0.0, 0.0), DVec3::new(0.0, 2.0 * s, 0.0)],
        },
        Shape {
            name: "slit",
            body: body(&slit),
            inside: Box::new(move |p| {
                let (r, z) = (radius(p), p.z);
                box2(r, z, [s, -s], [3.0 * s, 2.0 * s]).max(-is_blade(r, z))
            }),
            half: DVec3::new(3.0, 3.0, 2.0) * s,
            special: vec![DVec3::new(2.0 * s, 0.0, 0.0), DVec3::new(0.0, 2.0 * s, 0.0)],
        },
        Shape {
            name: "thin wall",
            body: body(&wall),
            inside: Box::new(move |p| box2(radius(p), p.z, [s, -s], [1.0001 * s, s])),
            half: DVec3::new(1.0001, 1.0001, 1.0) * s,
            special: vec![DVec3::new(1.00005 * s, 0.0, 0.0), DVec3::new(1.00005 * s, 0.0, s)],
        },
    ]
}
