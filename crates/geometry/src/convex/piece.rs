//! What the farthest point of a convex body can lie on.
//!
//! Source: the support functions of points, ellipses, ellipsoids, tori and paraboloids in closed form.
//! Differs: planes, cylinders and cones are left out, since a linear function on them is largest on their edges.
//! Ends because: there are no loops.
//! Cost: a few products and one or two roots each.
//! Not promised: anything where a surface's farthest point lies outside its face; then an edge has it.

use super::tiles::Tiles;
use super::{FaceShape, Trim};
use crate::curve::Range;
use crate::{DMat3, DVec2, DVec3, Feature};

/// A part of the boundary.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// A vertex.
    Point { at: DVec3, feature: Feature },
    /// `center + x cos t + y sin t`, over a range or all around.
    Round { center: DVec3, x: DVec3, y: DVec3, range: Option<Range>, feature: Feature },
    /// `center + axes · w` for unit vectors w, within a face.
    Ball { center: DVec3, axes: DMat3, face: u32, feature: Feature },
    /// The outer half of a torus about `z`, within a face.
    Ring { center: DVec3, axes: DMat3, major: f64, minor: f64, face: u32, feature: Feature },
    /// A paraboloid that opens along `z`, within a face.
    Bowl { apex: DVec3, axes: DMat3, focal: f64, face: u32, feature: Feature },
    /// A spline, within a face if it is trimmed. One that is flat then needs no proof of its own: its edges have its
    /// highest points, and its corners beyond them are no points of the body.
    Tiles { tiles: Tiles, face: Option<u32>, flat: bool, feature: Feature },
}

impl Piece {
    pub(super) const fn feature(&self) -> Feature {
        match self {
            Self::Point { feature, .. }
            | Self::Round { feature, .. }
            | Self::Ball { feature, .. }
            | Self::Ring { feature, .. }
            | Self::Bowl { feature, .. }
            | Self::Tiles { feature, .. } => *feature,
        }
    }

    /// The farthest point along `n` (of about unit length) and the state that [`super::ConvexShape::jet`] takes;
    /// `None` where it is not on this part.
    #[inline]
    pub(super) fn farthest(&self, n: DVec3, faces: &[FaceShape]) -> Option<(DVec3, DVec3)> {
        match self {
            Self::Point { at, .. } => Some((*at, DVec3::ZERO)),
            Self::Round { center, x, y, range, .. } => {
                let (c, s) = (x.dot(n), y.dot(n));
                let turn = unit2(c, s);
                if let Some(range) = range
                    && !holds_angle(*range, turn.y.atan2(turn.x))
                {
                    return None;
                }
                Some((*center + *x * turn.x + *y * turn.y, turn.extend(0.0)))
            }
            Self::Ball { center, axes, face, .. } => {
                let w = (axes.transpose() * n).normalize_or(DVec3::Z);
                faces[*face as usize].holds(w).then(|| (*center + *axes * w, w))
            }
            Self::Ring { center, axes, major, minor, face, .. } => {
                let local = axes.transpose() * n;
                let turn = unit2(local.x, local.y);
                let out = local.normalize_or(DVec3::X);
                let u = turn.y.atan2(turn.x);
                let v = out.z.atan2(out.x.hypot(out.y));
                let at = DVec3::new(u, v, 0.0);
                faces[*face as usize].holds(at).then(|| {
                    let point = DVec3::new(major * turn.x, major * turn.y, 0.0) + out * *minor;
                    (*center + *axes * point, at)
                })
            }
            Self::Bowl { apex, axes, focal, face, .. } => {
                let local = axes.transpose() * n;
                if !(local.z < 0.0) {
                    return None;
                }
                let across = local.x.hypot(local.y);
                let r = -2.0 * focal * across / local.z;
                let turn = unit2(local.x, local.y);
                let at = DVec3::new(turn.y.atan2(turn.x), r, 0.0);
                faces[*face as usize].holds(at).then(|| {
                    let point = DVec3::new(r * turn.x, r * turn.y, 0.25 * r * r / focal);
                    (*apex + *axes * point, at)
                })
            }
            Self::Tiles { tiles, face, .. } => {
                let found = tiles.farthest(n);
                let at = found.at.extend(0.0);
                face.is_none_or(|face| faces[face as usize].holds(at)).then_some((found.point, at))
            }
        }
    }

    /// The height of its farthest point along `n`; minus infinity where that is not on this part, and for splines, which are
    /// bounded together.
    #[inline(always)]
    pub(super) fn height(&self, n: DVec3, faces: &[FaceShape]) -> f64 {
        match self {
            Self::Point { at, .. } => at.dot(n),
            Self::Round { center, x, y, range: None, .. } => {
                let (c, s) = (x.dot(n), y.dot(n));
                center.dot(n) + (c * c + s * s).sqrt()
            }
            Self::Ball { center, axes, face, .. } if matches!(faces[*face as usize].trim, Trim::Whole) => {
                let along = DVec3::new(axes.x_axis.dot(n), axes.y_axis.dot(n), axes.z_axis.dot(n));
                center.dot(n) + along.length()
            }
            _ => self.other_height(n, faces),
        }
    }
}

impl Piece {
    #[inline(never)]
    fn other_height(&self, n: DVec3, faces: &[FaceShape]) -> f64 {
        match self {
            Self::Tiles { .. } => f64::NEG_INFINITY,
            _ => self.farthest(n, faces).map_or(f64::NEG_INFINITY, |(point, _)| point.dot(n)),
        }
    }
}

/// A unit vector along (x, y), or along x.
#[inline]
fn unit2(x: f64, y: f64) -> DVec2 {
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { DVec2::new(x / length, y / length) } else { DVec2::X }
}

/// Whether some turn of an angle lies in a range.
pub(super) fn holds_angle(range: Range, angle: f64) -> bool {
    let turn = std::f64::consts::TAU;
    let up = ((range.low - angle) / turn).ceil();
    angle + up * turn <= range.high
}

impl FaceShape {
    /// Whether a state of [`super::ConvexShape::jet`] belongs to the face.
    #[inline]
    pub(super) fn holds(&self, at: DVec3) -> bool {
        match self.trim {
            Trim::Whole => true,
            Trim::Band(range) => {
                let v = match (&self.sheet, &self.region) {
                    (super::Sheet::Other(_), Some(region)) => region.wrapped(at.x, at.y).y,
                    (super::Sheet::Tube { .. }, _) => at.z,
                    _ => self.sheet.parameters(at).y,
                };
                range.low <= v && v <= range.high
            }
            Trim::Disc { center, x, y } => {
                let off = self.sheet.point(at) - center;
                let (a, b) = (off.dot(x) / x.length_squared(), off.dot(y) / y.length_squared());
                a * a + b * b <= 1.0 + 8.0 * f64::EPSILON
            }
            Trim::Region => self.region.as_ref().is_some_and(|region| {
                let at = self.sheet.parameters(at);
                region.side(at.x, at.y) != crate::tiled::Side::Outside
            }),
        }
    }
}
