//! The axis that a convex body is turned about.
//!
//! Source: none; a body is one of revolution where all that a linear function can be largest on is.
//! Differs: nothing to differ from.
//! Ends because: one pass over the parts of the boundary for each of two purposes.
//! Cost: some ten operations for each.
//! Not promised: the axis of a spline, or of a ball that is cut into patches about another axis.

use super::piece::Piece;
use super::{ConvexShape, Trim};
use crate::DVec3;

/// An axis of a core, anchored.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// A point on it.
    pub origin: DVec3,
    /// Its unit direction; `None` where every direction will do, as for a ball.
    pub direction: Option<DVec3>,
    /// How far points of the core may be from those of a core that is turned about it exactly; a length.
    pub off: f64,
}

/// What one part of the boundary asks of an axis.
#[derive(Clone, Copy)]
struct Part {
    center: DVec3,
    direction: Option<DVec3>,
    /// The radius that is turned.
    extent: f64,
}

impl ConvexShape {
    /// The axis that the core is turned about, within rounding; `None` where there is none, or a part of it is a spline.
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, tiled::TiledBody};
    /// let axis = |body: TiledBody| body.convex_shape().and_then(|shape| shape.axis());
    /// let pin = axis(TiledBody::cylinder(1.0, 2.0)?).unwrap();
    /// assert!(pin.direction.unwrap().z.abs() == 1.0 && pin.origin.truncate().length() == 0.0);
    /// assert!(axis(TiledBody::ellipsoid([1.0, 2.0, 3.0])?).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn axis(&self) -> Option<Axis> {
        let mut parts = [Part { center: DVec3::ZERO, direction: None, extent: 0.0 }; MOST_PARTS];
        let parts = parts.get_mut(..self.pieces.len())?;
        for (part, piece) in parts.iter_mut().zip(&self.pieces) {
            *part = self.turned(piece)?;
        }
        let first = parts.first()?;
        let direction = parts.iter().find_map(|part| part.direction).or_else(|| {
            let far = |part: &&Part| part.center.distance(first.center) > self.slack;
            parts.iter().find(far).and_then(|part| (part.center - first.center).try_normalize())
        });
        let Some(way) = direction else {
            return Some(Axis { origin: first.center, direction: None, off: self.slack });
        };
        let origin = parts.iter().find(|part| part.direction.is_some()).unwrap_or(first).center;
        let off = parts.iter().fold(0.0_f64, |most, part| {
            let between = part.center - origin;
            let aside = (between - way * between.dot(way)).length();
            let tilt = part.direction.map_or(0.0, |own| own.cross(way).length());
            most.max(aside + 2.0 * tilt * part.extent)
        });
        (off <= MOST_OFF * self.slack).then_some(Axis { origin, direction, off: off + self.slack })
    }

    fn turned(&self, piece: &Piece) -> Option<Part> {
        let all_around = |face: u32| matches!(self.faces[face as usize].trim, Trim::Whole | Trim::Band(_));
        let part = |center: DVec3, direction: DVec3, extent: f64| {
            Some(Part { center, direction: Some(direction.try_normalize()?), extent })
        };
        let is_same = |one: f64, other: f64| (one - other).abs() <= self.slack;
        match piece {
            Piece::Point { at, .. } => Some(Part { center: *at, direction: None, extent: 0.0 }),
            Piece::Round { center, x, y, range: None, .. } if is_same(x.length(), y.length()) => {
                part(*center, x.cross(*y), x.length())
            }
            Piece::Ball { center, axes, face, .. } if all_around(*face) => {
                let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis];
                if !is_same(x.length(), y.length()) {
                    return None;
                }
                let is_whole = matches!(self.faces[*face as usize].trim, Trim::Whole);
                if is_whole && is_same(x.length(), z.length()) {
                    return Some(Part { center: *center, direction: None, extent: 0.0 });
                }
                part(*center, z, x.length().max(z.length()))
            }
            Piece::Ring { center, axes, major, minor, face, .. } if all_around(*face) => {
                part(*center, axes.z_axis, major + minor)
            }
            Piece::Bowl { apex, axes, face, .. } if all_around(*face) => {
                part(*apex, axes.z_axis, 2.0 * self.reach)
            }
            _ => None,
        }
    }
}

/// Most parts of a body whose axis is asked for.
const MOST_PARTS: usize = 32;

/// Times what heights may lose: farther from an axis a body is not one of revolution.
const MOST_OFF: f64 = 16.0;
