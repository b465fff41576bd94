//! The point of a convex body farthest along a direction.
//!
//! Source: the farthest point of a body is the farthest of the farthest points of its parts.
//! Differs: an upper bound of its height that rounding cannot spoil comes beside it.
//! Ends because: one pass over the parts.
//! Cost: tens of products for a primitive; linear in the parts of the boundary.
//! Not promised: which point, when several are equally far.

use super::piece::Piece;
use super::{ConvexShape, Sheet, Spine};
use crate::tolerance::{SPLINE_RISE_REL, SUPPORT_ROUNDING_REL};
use crate::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId};

/// Halvings in a proof that no spline is higher than one point.
const KNOWN_HALVINGS: usize = 256;

/// A farthest point of a core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farthest {
    /// The point, anchored.
    pub point: DVec3,
    /// The core's feature that it was found on.
    pub feature: Feature,
    /// Its state there, as [`ConvexShape::jet`] takes it.
    pub at: DVec3,
}

impl ConvexShape {
    /// The point of the core farthest along `n`, which must have about unit length.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, tiled::TiledBody};
    /// let can = TiledBody::cylinder(1.0, 4.0)?;
    /// let far = can.convex_shape().unwrap().farthest(DVec3::new(0.6, 0.0, 0.8));
    /// assert_eq!(far.point, DVec3::new(1.0, 0.0, 2.0));
    /// # Ok::<(), clearance_geometry::tiled::TiledError>(())
    /// ```
    #[inline]
    pub fn farthest(&self, n: DVec3) -> Farthest {
        let mut best =
            Farthest { point: DVec3::ZERO, feature: Feature::Vertex(VertexId(0)), at: DVec3::ZERO };
        let (mut highest, mut from) = (f64::NEG_INFINITY, 0);
        let tie = if self.splines { SUPPORT_ROUNDING_REL * self.reach } else { 0.0 };
        for (index, piece) in self.pieces.iter().enumerate() {
            if let Some((point, at)) = piece.farthest(n, &self.faces) {
                let height = point.dot(n);
                // The corner of a spline may come out a rounding above the vertex that it is.
                if height > highest + tie {
                    highest = height;
                    from = index;
                    best = Farthest { point, feature: piece.feature(), at };
                }
            }
        }
        if let Some(Piece::Tiles { tiles, feature, .. }) = self.pieces.get(from)
            && !tiles.own
        {
            best.at = self.located(*feature, best.point, n);
        }
        best
    }

    /// A number that the height of no point of the core along `n` exceeds, rounding included; `n` of any length, tight where that is about 1.
    #[inline]
    pub fn height_above(&self, n: DVec3) -> f64 {
        if self.splines {
            return self.height_of_splines(n, None);
        }
        self.highest_of_others(n) + self.rounding(n)
    }

    /// As [`ConvexShape::height_above`], where a point is known that is likely to be the farthest: a feature, its state, the point.
    #[inline]
    pub fn height_above_known(&self, n: DVec3, known: (Feature, DVec3, DVec3)) -> f64 {
        if self.splines {
            return self.height_of_splines(n, Some(known));
        }
        self.highest_of_others(n) + self.rounding(n)
    }

    /// What is added to a height along `n` for rounding.
    #[inline]
    fn rounding(&self, n: DVec3) -> f64 {
        // At least the length of n: (1 + x²) / 2 is never below x.
        self.slack * (0.5 + 0.5 * n.length_squared())
    }

    /// The height of the farthest point that is not on a spline.
    #[inline]
    fn highest_of_others(&self, n: DVec3) -> f64 {
        self.pieces.iter().fold(f64::NEG_INFINITY, |most, piece| most.max(piece.height(n, &self.faces)))
    }

    /// One spline has the highest point, a known one or that of the highest control point; of the others it is proven that they
    /// do not reach it.
    #[inline(never)]
    fn height_of_splines(&self, n: DVec3, known: Option<(Feature, DVec3, DVec3)>) -> f64 {
        let mut highest = self.highest_of_others(n);
        let of_splines = || {
            self.pieces.iter().filter_map(|piece| match piece {
                Piece::Tiles { tiles, feature, flat: false, .. } => Some((tiles, *feature)),
                _ => None,
            })
        };
        let mut halvings = KNOWN_HALVINGS;
        let first = match known {
            Some((feature, at, point)) if point.dot(n).is_finite() => {
                highest = highest.max(point.dot(n));
                Some((feature, Some(at.truncate())))
            }
            _ => {
                let top = of_splines().fold((f64::NEG_INFINITY, None), |most, (tiles, feature)| {
                    let top = tiles.top(n);
                    if top > most.0 { (top, Some((tiles, feature))) } else { most }
                });
                top.1.map(|(tiles, feature)| {
                    highest = highest.max(tiles.height_above(n));
                    (feature, None)
                })
            }
        };
        for (tiles, feature) in of_splines() {
            let at = first.and_then(|(first, at)| (first == feature).then_some(at));
            let touch = match at {
                // Its height is proven already.
                Some(None) => continue,
                Some(Some(at)) => tiles.touch(n, at),
                None => None,
            };
            let rise = tiles.rise(n, highest, touch, &mut halvings);
            if rise > SPLINE_RISE_REL * self.reach {
                // A higher point: it has to be found.
                highest = highest.max(tiles.height_above(n).min(highest + rise));
            } else {
                highest += rise;
            }
        }
        highest + self.rounding(n)
    }

    /// The body's feature for a state on a feature of the core, seen along the outward normal `n`, and the parameters of the
    /// body's point there, as its file counts them.
    #[inline]
    pub fn on_body(&self, feature: Feature, at: DVec3, n: DVec3) -> (Feature, DVec2) {
        let body = match (self.spine, feature) {
            (Spine::Body, _) => feature,
            (Spine::Center, _) => Feature::Face(FaceId(0)),
            (Spine::Axis { side, .. }, Feature::Edge(_) | Feature::Face(_)) => Feature::Face(FaceId(side)),
            (Spine::Axis { caps, rims, .. }, Feature::Vertex(vertex)) => {
                let end = vertex.index().min(1);
                let outward = (self.vertices[end] - self.vertices[1 - end]).dot(n);
                if outward > 0.0 {
                    Feature::Face(FaceId(caps[end]))
                } else {
                    Feature::Edge(EdgeId(rims[end]))
                }
            }
        };
        let point = || self.point(feature, at) + n * self.radius;
        let parameters = match body {
            Feature::Face(face) => {
                let state = match &self.faces[face.index()].sheet {
                    // The normal of a ball says where, and angles do not ask for its length.
                    Sheet::Ball { axes, .. } if self.radius > 0.0 => axes.transpose() * n,
                    sheet => sheet.near(point()).unwrap_or(DVec3::X),
                };
                self.face_parameters(face, state)
            }
            Feature::Edge(edge) => {
                let edges = if self.is_own_core() { &self.edges } else { &self.rims };
                let edge = &edges[edge.index()];
                DVec2::new(edge.parameter(edge.near(point()).unwrap_or(DVec3::X)), 0.0)
            }
            Feature::Vertex(_) => DVec2::ZERO,
        };
        (body, parameters)
    }

    /// Points of the body, anchored, whose hull holds every point within about `slack` of the farthest along the
    /// unit vector `n` that is farthest itself: one for a round place, the ends of a ruling, the corners of a flat
    /// face; of circles and ellipses `samples` points.
    pub fn flat(&self, n: DVec3, slack: f64, samples: usize) -> Vec<DVec3> {
        let highest = self.farthest(n).point.dot(n);
        let (mut points, mut tops) = (Vec::new(), Vec::new());
        for piece in &self.pieces {
            match piece {
                Piece::Round { center, x, y, range, .. } if x.dot(n).hypot(y.dot(n)) <= slack => {
                    let range = range.unwrap_or(crate::curve::Range::TURN);
                    let at = |k: usize| range.at(k as f64 / samples as f64);
                    points.extend((0..=samples).map(|k| *center + *x * at(k).cos() + *y * at(k).sin()));
                }
                Piece::Tiles { tiles, face, .. } => {
                    let holds =
                        |at: DVec2| face.is_none_or(|face| self.faces[face as usize].holds(at.extend(0.0)));
                    for (to, found) in
                        [&mut points, &mut tops].into_iter().zip(tiles.flat(n, highest - slack, samples))
                    {
                        to.extend(found.into_iter().filter(|(_, at)| holds(*at)).map(|(point, _)| point));
                    }
                }
                _ => points.extend(piece.farthest(n, &self.faces).map(|(point, _)| point)),
            }
        }
        points.retain(|point| point.dot(n) >= highest - slack);
        // Round places are level within the slack as far as this: tops of several tiles that are nearer are the same.
        let near = (8.0 * slack * self.reach).sqrt();
        for top in tops {
            if points.iter().all(|point| point.distance(top) > near) {
                points.push(top);
            }
        }
        points.iter_mut().for_each(|point| *point += n * self.radius);
        points
    }

    /// Whether a part of it is a spline, so that farthest points are found by steps and not by formulas.
    pub const fn has_splines(&self) -> bool {
        self.splines
    }

    /// Whether the core is the body itself.
    pub const fn is_own_core(&self) -> bool {
        matches!(self.spine, Spine::Body)
    }
}
