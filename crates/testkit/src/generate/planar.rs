//! Planar bodies: polygons of all kinds, and outlines of curves.

use crate::Random;
use clearance_geometry::curve::{PlanarCurve, Range};
use clearance_geometry::{PlanarTiled, Polygon};
use clearance_proximity::planar::PlanarBody;
use glam::DVec2;
use std::f64::consts::{PI, TAU};

/// Names of what [`planar_body`] makes.
pub const PLANAR_KINDS: [&str; 6] = ["point", "segment", "polygon", "ellipse", "half disk", "spline outline"];

/// A body of [`PLANAR_KINDS`]`[kind]`, about `size` across; outlines of splines have dents.
///
/// # Panics
/// When it cannot be built, which is a finding about the constructor.
pub fn planar_body(size: f64, kind: usize, random: &mut Random) -> PlanarBody {
    let mut about = |angle: f64| size * random.uniform(0.5, 1.0) * DVec2::from_angle(angle);
    let around = |k: usize, count: usize| TAU * k as f64 / count as f64;
    match PLANAR_KINDS[kind] {
        "point" => Polygon::point().into(),
        "segment" => Polygon::segment([about(0.3), about(3.0)]).expect("a segment").into(),
        "polygon" => {
            let points: Vec<DVec2> = (0..7).map(|k| about(around(k, 7))).collect();
            Polygon::hull_of(&points).expect("a polygon").into()
        }
        "ellipse" => {
            let radii = [about(0.0).x, about(0.0).x];
            let curve = PlanarCurve::ellipse(about(1.0), radii, 0.4, false).expect("an ellipse");
            PlanarTiled::new(vec![(curve, Range::new(0.0, TAU))]).expect("an ellipse").into()
        }
        "half disk" => {
            let radius = about(0.0).x;
            let arc = PlanarCurve::circle(DVec2::ZERO, radius, 0.0, false).expect("an arc");
            let ends = [DVec2::new(-radius, 0.0), DVec2::new(radius, 0.0)];
            let side = PlanarCurve::segment(ends[0], ends[1]).expect("a side");
            PlanarTiled::new(vec![(arc, Range::new(0.0, PI)), (side, Range::new(0.0, 1.0))])
                .expect("half a disk")
                .into()
        }
        _ => {
            let mut points: Vec<DVec2> = (0..8).map(|k| about(around(k, 8))).collect();
            points.push(points[0]);
            let knots: Vec<f64> = (0..13_usize).map(|i| i.saturating_sub(3).min(6) as f64).collect();
            let curve = PlanarCurve::nurbs(3, knots, &points, None).expect("a spline");
            PlanarTiled::new(vec![(curve, Range::new(0.0, 6.0))]).expect("an outline").into()
        }
    }
}

/// A point, a segment, a rectangle, a regular polygon, or the hull of random points; some stretched up to a
/// million to one, some modelled away from their origin.
///
/// # Panics
/// When it cannot be built, which is a finding about the constructor.
pub fn planar_polygon(size: f64, random: &mut Random) -> Polygon {
    let count = match random.index(5) {
        0 if random.chance(0.3) => return Polygon::point(),
        0 => 2,
        1 => 4,
        _ => 3 + random.index(60),
    };
    let regular = random.chance(0.3);
    let stretch = if random.chance(0.3) { random.log_uniform(-6.0, 0.0) } else { 1.0 };
    let turn = DVec2::from_angle(random.uniform(0.0, TAU));
    let offset = if random.chance(0.2) { size * random.log_uniform(0.0, 6.0) } else { 0.0 };
    let shift = offset * DVec2::from_angle(random.uniform(0.0, TAU));
    let points: Vec<DVec2> = (0..count)
        .map(|i| {
            let angle = if regular { TAU * i as f64 / count as f64 } else { random.uniform(0.0, TAU) };
            let flat = size * DVec2::from_angle(angle) * DVec2::new(1.0, stretch);
            turn.rotate(flat) + shift
        })
        .collect();
    let built = if let [tail, head] = points[..] {
        Polygon::segment([tail, head])
    } else {
        Polygon::hull_of(&points)
    };
    built.unwrap_or_else(|error| panic!("{error}: {points:?}"))
}
