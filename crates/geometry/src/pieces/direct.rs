//! Control points of planes, round surfaces and conics straight from their formulas.
//!
//! Source: a surface of revolution is a rational circle times its profile, as in `surface::convert`.
//! Differs: only the control points of one tile at a time, without the spline around them, which a search does not need.
//! Ends because: loops run over control points.
//! Cost: some ten products for each control point, and a sine and a cosine for each arc.
//! Not promised: sweeps, paraboloids, parabolas, hyperbolas and helices; they go by way of splines.

use crate::curve::{Arcs, Curve, Direction, Range, Rect, arcs, mapped};
use crate::surface::Surface;
use crate::{DMat3, DVec3, DVec4};

/// A row of arcs, or a straight line: control points (x, y, w) in a plane.
struct Strip {
    degree: usize,
    points: Vec<[f64; 3]>,
    /// Where each tile begins, and where the last ends.
    ends: Vec<f64>,
}

impl Strip {
    fn round(range: Range, direction: Direction) -> Option<Self> {
        let Arcs { knots, points } = arcs(range, false, direction).ok()?;
        // Each end is in the knots twice, the outermost three times.
        let mut ends: Vec<f64> = knots[2..knots.len() - 3].iter().step_by(2).copied().collect();
        ends.push(range.high);
        Some(Self { degree: 2, points, ends })
    }

    fn straight(range: Range, point: impl Fn(f64) -> [f64; 3]) -> Self {
        let ends = vec![range.low, range.high];
        Self { degree: 1, points: ends.iter().map(|t| point(*t)).collect(), ends }
    }

    fn count(&self) -> usize {
        self.ends.len() - 1
    }

    fn range(&self, tile: usize) -> Range {
        Range::new(self.ends[tile], self.ends[tile + 1])
    }

    fn tile(&self, tile: usize) -> &[[f64; 3]] {
        &self.points[tile * self.degree..=(tile + 1) * self.degree]
    }
}

/// The tiles of a surface.
pub(super) struct Tiles {
    u: Strip,
    v: Strip,
    /// Whether the first strip turns about an axis; else both are straight.
    turns: bool,
    linear: DMat3,
    offset: DVec3,
}

impl Tiles {
    /// Of a part of a surface; `None` for other surfaces, and where numbers are out of range.
    pub(super) fn of(surface: &Surface, part: Rect) -> Option<Self> {
        let moved = |strip: Strip, by: &dyn Fn([f64; 3]) -> [f64; 3]| Strip {
            points: strip.points.into_iter().map(by).collect(),
            ..strip
        };
        let line = |radius: f64, slope: f64| Strip::straight(part.v, |z| [radius + slope * z, z, 1.0]);
        let (frame, v, stretch) = match surface {
            Surface::Plane(plane) => {
                let [u, v] = [part.u, part.v].map(|range| Strip::straight(range, |t| [t, 0.0, 1.0]));
                let (linear, offset) = (plane.frame().rotation(), plane.frame().translation());
                return Self { u, v, turns: false, linear, offset }.checked(part);
            }
            Surface::Cylinder(tube) => (tube.frame(), line(tube.radius(), 0.0), DVec3::ONE),
            Surface::Cone(cone) => (cone.frame(), line(cone.radius(), cone.slope()), DVec3::ONE),
            Surface::Sphere(ball) => {
                (ball.frame(), Strip::round(part.v, Direction::V)?, DVec3::splat(ball.radius()))
            }
            Surface::Ellipsoid(egg) => {
                (egg.frame(), Strip::round(part.v, Direction::V)?, DVec3::from_array(egg.radii()))
            }
            Surface::Torus(torus) => {
                let (major, minor) = (torus.major(), torus.minor());
                let tube = Strip::round(part.v, Direction::V)?;
                (torus.frame(), moved(tube, &|[x, y, w]| [major * w + minor * x, minor * y, w]), DVec3::ONE)
            }
            _ => return None,
        };
        let linear = frame.rotation() * DMat3::from_diagonal(stretch);
        let u = Strip::round(part.u, Direction::U)?;
        Self { u, v, turns: true, linear, offset: frame.translation() }.checked(part)
    }

    fn checked(self, part: Rect) -> Option<Self> {
        let sound = part.u.width() > 0.0 && part.v.width() > 0.0;
        let strips = [&self.u, &self.v];
        let finite = |strip: &&Strip| strip.points.iter().flatten().all(|x| x.is_finite());
        (sound && strips.iter().all(finite)).then_some(self)
    }

    pub(super) fn counts(&self) -> [usize; 2] {
        [self.u.count(), self.v.count()]
    }

    pub(super) const fn degrees(&self) -> [usize; 2] {
        [self.u.degree, self.v.degree]
    }

    pub(super) fn rect(&self, [i, j]: [usize; 2]) -> Rect {
        Rect::new(self.u.range(i), self.v.range(j))
    }

    /// The control points of a tile.
    pub(super) fn net(&self, [i, j]: [usize; 2]) -> Vec<DVec4> {
        let mut net = Vec::with_capacity((self.u.degree + 1) * (self.v.degree + 1));
        for [x, y, w] in self.u.tile(i) {
            for [s, z, weight] in self.v.tile(j) {
                let local = if self.turns {
                    DVec4::new(s * x, s * y, z * w, weight * w)
                } else {
                    DVec4::new(*x, *s, 0.0, 1.0)
                };
                net.push(mapped(local, &self.linear, self.offset));
            }
        }
        net
    }
}

/// The pieces of a line, circle or ellipse: their parts of the range and their control points. `None` for other curves, and
/// where numbers are out of range.
pub(super) fn of_curve(curve: &Curve, range: Range) -> Option<Vec<(Range, Vec<DVec4>)>> {
    let (frame, [a, b]) = match curve {
        Curve::Line(line) => {
            let ends = [range.low, range.high].map(|t| line.jet(t).point.extend(1.0));
            let sound = range.width() > 0.0 && ends.iter().all(|p| p.is_finite());
            return sound.then(|| vec![(range, ends.to_vec())]);
        }
        Curve::Circle(circle) => (circle.frame(), [circle.radius(); 2]),
        Curve::Ellipse(ellipse) => (ellipse.frame(), ellipse.radii()),
        _ => return None,
    };
    let strip = Strip::round(range, Direction::U)?;
    let linear = frame.rotation() * DMat3::from_diagonal(DVec3::new(a, b, 1.0));
    let point = |&[x, y, w]: &[f64; 3]| mapped(DVec4::new(x, y, 0.0, w), &linear, frame.translation());
    let piece = |at: usize| (strip.range(at), strip.tile(at).iter().map(point).collect());
    Some((0..strip.count()).map(piece).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Pose;
    use crate::curve::{Circle, Ellipse, Line};
    use crate::surface::{Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus};

    fn frame() -> Pose {
        Pose::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), 1.1, DVec3::new(4.0, -2.0, 7.0))
            .unwrap()
    }

    #[test]
    fn tiles_are_those_of_the_spline() {
        let part = Rect::new(Range::new(-0.4, 2.9), Range::new(-0.7, 1.3));
        let surfaces: [Surface; 6] = [
            Plane::new(frame()).into(),
            Cylinder::new(frame(), 1.5).unwrap().into(),
            Cone::new(frame(), 1.5, -0.3).unwrap().into(),
            Sphere::new(frame(), 1.5).unwrap().into(),
            Ellipsoid::new(frame(), [1.5, 0.5, 2.5]).unwrap().into(),
            Torus::new(frame(), 3.0, 0.5).unwrap().into(),
        ];
        for surface in surfaces {
            let spline = surface.to_nurbs(part).unwrap();
            let tiles = Tiles::of(&surface, part).unwrap();
            assert_eq!((tiles.counts(), tiles.degrees()), (spline.tile_counts(), spline.degrees()));
            let [columns, rows] = tiles.counts();
            for at in (0..columns).flat_map(|i| (0..rows).map(move |j| [i, j])) {
                assert_eq!(tiles.rect(at), spline.tile_rect(at), "{surface:?}");
                for (one, other) in tiles.net(at).iter().zip(spline.tile_net(at)) {
                    assert!((*one - *other).abs().max_element() < 1e-14 * 16.0, "{surface:?} {one} {other}");
                }
            }
        }
    }

    #[test]
    fn pieces_of_curves_are_those_of_the_spline() {
        let range = Range::new(-0.4, 5.9);
        let curves: [Curve; 3] = [
            Line::new(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.5, -1.0, 2.0)).unwrap().into(),
            Circle::new(frame(), 1.5).unwrap().into(),
            Ellipse::new(frame(), [1.5, 0.5]).unwrap().into(),
        ];
        for curve in curves {
            let spline = curve.to_nurbs(range).unwrap();
            let pieces = of_curve(&curve, range).unwrap();
            assert_eq!(pieces.len(), spline.knots().piece_count());
            for (at, (over, net)) in pieces.iter().enumerate() {
                assert_eq!(*over, spline.knots().piece(at), "{curve:?}");
                for (one, other) in net.iter().zip(spline.piece(at).homogeneous_points()) {
                    assert!((*one - *other).abs().max_element() < 1e-14 * 16.0, "{curve:?} {one} {other}");
                }
            }
        }
    }
}
