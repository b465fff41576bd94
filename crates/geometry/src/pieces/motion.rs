//! The pieces of a deforming body by time, moved in place.
//!
//! Source: cutting a spline into Bézier pieces takes means of control points with factors that knots and weights fix, so the
//! pieces of the velocities are the velocities of the pieces.
//! Differs: edges and vertices move as the sides of the patches that they are of. Sides that lie on each other and move
//! alike stay one edge; where they do not, the body has to be tiled anew, and there is no such motion.
//! Ends because: loops run over features, their pieces and control points.
//! Cost: three products for each control point; making one costs as much as cutting the body twice.
//! Not promised: that sides which meet later become one edge.

use super::{Piece, PieceTree, PiecesError, in_space, of_tiled};
use crate::curve::{Curve, Direction, NurbsCurve, ParametricCurve, Rect};
use crate::interval::mul_up;
use crate::surface::{NurbsSurface, Surface};
use crate::tiled::{DeformingPatch, Face, TiledEdge};
use crate::tolerance::{BLEND_ERROR_REL, STRAIGHT_REL};
use crate::{DVec3, DeformingBody, EdgeId, FaceId, Feature, VertexId};
use thiserror::Error;

/// Why the pieces of a deforming body cannot be moved in place.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// What makes up a feature does not stay together.
    #[error("{feature} comes apart: the patches around it move differently there")]
    ComesApart {
        /// The feature.
        feature: Feature,
    },
    /// A feature that is no side of its patches, control point by control point.
    #[error("{feature} is not one with the sides of its patches")]
    NoSide {
        /// The feature.
        feature: Feature,
    },
    /// A face that moves and has another boundary than the sides of its patch.
    #[error("{feature} moves and ends before the sides of its patch")]
    Trimmed {
        /// The face.
        feature: Feature,
    },
    /// The body has no pieces, or others than the tree.
    #[error(transparent)]
    Pieces(#[from] PiecesError),
    /// A tree of another body.
    #[error("these are pieces of another body")]
    OtherPieces,
    /// A time at which control points leave the range of numbers.
    #[error("at time {time} control points are out of range")]
    OutOfRange {
        /// The time.
        time: f64,
    },
}

/// How many squares of coordinates may be added.
const MOST_TERMS: f64 = 64.0;

/// How the pieces of a deforming body move; see [`PieceMotion::set_time`].
#[derive(Clone, Debug)]
pub struct PieceMotion {
    /// Where every control point is at time 0, and its velocity; piece by piece.
    points: Vec<[DVec3; 2]>,
    /// Slack and gap of every piece at time 0, and what a unit of time may add.
    errors: Vec<[[f64; 2]; 2]>,
    /// The farthest that a point moves in a unit of time; a length.
    fastest: f64,
    /// The largest weighted coordinate, and the largest weight.
    reach: [f64; 2],
    time: f64,
}

impl PieceMotion {
    /// The motion of a body from the shape that it has, which is that of time 0, for its pieces.
    ///
    /// # Errors
    /// [`MotionError`], which names the feature that does not stay together.
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, DeformingBody, DeformingFace, surface::NurbsSurface, tiled::DeformingPatch};
    /// use clearance_geometry::pieces::{self, PieceMotion};
    /// let ends = || vec![0.0, 0.0, 1.0, 1.0];
    /// let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
    /// let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None)?;
    /// let rising = DeformingPatch::new(sheet, &[vec![DVec3::Z; 2], vec![DVec3::Z; 2]])?;
    /// let body = DeformingBody::new(vec![DeformingFace::moving(rising, false)], None)?;
    /// let mut tree = pieces::of_body(&Body::from(body.clone()))?;
    /// let mut motion = PieceMotion::new(&body, &tree)?;
    /// let moved = motion.set_time(&mut tree, 0.5)?;
    /// assert!(moved >= 0.5 && moved < 0.5 + 1e-12);
    /// assert!(tree.leaves().iter().all(|piece| piece.hull().all(|p| p.z == 0.5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(body: &DeformingBody, tree: &PieceTree) -> Result<Self, MotionError> {
        let Rates { pieces: rates, widths, .. } = Rates::new(body)?;
        let own = tree.leaves();
        if own.len() != rates.len() || !own.iter().zip(&rates).all(|(piece, rate)| piece.is_alike(rate)) {
            return Err(MotionError::OtherPieces);
        }
        let mut motion = Self {
            points: Vec::with_capacity(own.iter().map(|piece| piece.net.len()).sum()),
            errors: Vec::with_capacity(own.len()),
            fastest: body.motion_bound(1.0),
            reach: [0.0; 2],
            time: 0.0,
        };
        for ((piece, rate), width) in own.iter().zip(&rates).zip(&widths) {
            motion.errors.push([[piece.slack, rate.slack], [piece.gap + width, rate.gap]]);
            for (p, v) in piece.net.iter().zip(&rate.net) {
                motion.points.push([in_space(p), in_space(v)]);
                let [far, heavy] = &mut motion.reach;
                (*far, *heavy) = (far.max(p.abs().max_element()), heavy.max(p.w));
            }
        }
        Ok(motion)
    }

    /// The time that the pieces are of.
    pub const fn time(&self) -> f64 {
        self.time
    }

    /// Moves the pieces to where they are at a time. The most that a point of the body has moved since they were moved last:
    /// a length, rounded up. Allocates nothing, unless others have a share in the tree.
    ///
    /// # Errors
    /// [`MotionError::OutOfRange`], and [`MotionError::OtherPieces`] for a tree that it was not made for. Nothing is moved
    /// then.
    pub fn set_time(&mut self, tree: &mut PieceTree, time: f64) -> Result<f64, MotionError> {
        // Squares of distances are computed from these. Written so that NaN is refused.
        let reach = self.reach[0] + mul_up(self.fastest, time.abs()) * self.reach[1];
        if !(reach * reach * MOST_TERMS).is_finite() {
            return Err(MotionError::OutOfRange { time });
        }
        let count: usize = tree.leaves().iter().map(|piece| piece.net.len()).sum();
        if count != self.points.len() || tree.leaves().len() != self.errors.len() {
            return Err(MotionError::OtherPieces);
        }
        let moved = mul_up(self.fastest, (time - self.time).abs().next_up());
        let moved = if time == self.time { 0.0 } else { moved };
        let mut points = self.points.iter();
        tree.refit(
            |at, piece| {
                let mut reach = 0.0_f64;
                for (p, [start, velocity]) in piece.net.to_mut().iter_mut().zip(&mut points) {
                    let place = *start + *velocity * time;
                    reach = reach.max(place.abs().max_element());
                    *p = (place * p.w).extend(p.w);
                }
                let [[slack, slacker], [gap, wider]] = self.errors[at];
                // Two roundings of the place, one of each product with the weight and of its quotient.
                piece.slack = slack + slacker * time.abs() + 4.0 * BLEND_ERROR_REL * reach;
                piece.gap = gap + wider * time.abs();
            },
            Piece::bound,
        );
        self.time = time;
        Ok(moved)
    }
}

/// Velocities in place of points, as pieces.
struct Rates<'a> {
    body: &'a DeformingBody,
    /// Velocities that differ by less are the same.
    alike: f64,
    pieces: Vec<Piece>,
    /// How far control points of sides are apart that each piece stands for; a length.
    widths: Vec<f64>,
    /// The velocities of all edges that move, and those lengths.
    edges: Vec<Option<EdgeMotion>>,
}

/// How an edge moves.
struct EdgeMotion {
    velocity: NurbsCurve,
    /// How fast the sides along it may part; a length in a unit of time.
    parting: f64,
    /// How far control points of these sides are apart; a length.
    width: f64,
}

/// A side of a patch that moves: its control points and their velocities, with equal knots and weights.
struct MovingSide {
    shape: NurbsCurve,
    velocity: NurbsCurve,
}

impl MovingSide {
    fn points(&self) -> impl DoubleEndedIterator<Item = DVec3> + '_ {
        self.shape.homogeneous_points().iter().map(in_space)
    }

    fn velocities(&self) -> impl DoubleEndedIterator<Item = DVec3> + '_ {
        self.velocity.homogeneous_points().iter().map(in_space)
    }

    /// Whether it is a single point, as far as it matters, and how much its velocities differ.
    fn collapsed(&self, tolerance: f64) -> Option<f64> {
        let first = self.points().next()?;
        let [start, mut most] = [self.velocities().next()?, DVec3::ZERO];
        most = self
            .velocities()
            .fold(most, |most, v| if (v - start).length() > most.length() { v - start } else { most });
        self.points().all(|p| p.distance(first) <= tolerance).then(|| most.length())
    }

    /// Its velocities in the order of an edge that it lies on, control point on control point, and the farthest that these
    /// are apart.
    fn along(&self, edge: &NurbsCurve, tolerance: f64) -> Option<(Vec<DVec3>, f64)> {
        let of_edge = edge.homogeneous_points();
        let own = self.shape.homogeneous_points();
        if own.len() != of_edge.len() || self.shape.knots().degree() != edge.knots().degree() {
            return None;
        }
        let (knots, of_knots) = (self.shape.knots().values(), edge.knots().values());
        let ends = |knots: &[f64]| (knots[0], knots[knots.len() - 1]);
        let share = |knots: &[f64], k: usize| (knots[k] - ends(knots).0) / (ends(knots).1 - ends(knots).0);
        let close = |a: f64, b: f64| (a - b).abs() <= STRAIGHT_REL;
        let apart = |reversed: bool| {
            let last = own.len() - 1;
            let place = |i: usize| if reversed { last - i } else { i };
            let fits = (0..knots.len()).all(|k| {
                let other = share(of_knots, k);
                close(
                    share(knots, if reversed { knots.len() - 1 - k } else { k }),
                    if reversed { 1.0 - other } else { other },
                )
            });
            let weighs = (0..=last).all(|i| own[place(i)].w == of_edge[i].w);
            let most = (0..=last).map(|i| in_space(&own[place(i)]).distance(in_space(&of_edge[i])));
            let most = most.fold(0.0, f64::max);
            (fits && weighs && most <= tolerance).then_some(most)
        };
        if let Some(most) = apart(false) {
            return Some((self.velocities().collect(), most));
        }
        apart(true).map(|most| (self.velocities().rev().collect(), most))
    }
}

impl<'a> Rates<'a> {
    fn new(body: &'a DeformingBody) -> Result<Self, MotionError> {
        let alike = STRAIGHT_REL * body.motion_bound(1.0);
        let mut rates = Self { body, alike, pieces: Vec::new(), widths: Vec::new(), edges: Vec::new() };
        if body.faces().len() != body.shape().face_count() {
            return Err(MotionError::OtherPieces);
        }
        for at in 0..body.shape().face_count() {
            rates.add_face(FaceId(at as u32))?;
        }
        rates.widths.resize(rates.pieces.len(), 0.0);
        for at in 0..body.shape().edge_count() {
            rates.add_edge(EdgeId(at as u32))?;
        }
        for at in 0..body.shape().vertex_count() {
            rates.add_vertex(VertexId(at as u32))?;
        }
        Ok(rates)
    }

    fn add_face(&mut self, id: FaceId) -> Result<(), MotionError> {
        let (face, feature) = (self.body.shape().face(id), Feature::Face(id));
        let Some(motion) = self.body.motion_of(id) else {
            let from = self.pieces.len();
            of_tiled::of_face(feature, face, &mut self.pieces)
                .map_err(|cause| PiecesError::Convert { feature, cause })?;
            self.pieces[from..].iter_mut().for_each(rest);
            return Ok(());
        };
        // A side that is a point has no edge, and must stay one.
        for side in self.sides(id, motion) {
            if side.collapsed(self.body.shape().tolerance()).is_some_and(|apart| apart > self.alike) {
                return Err(MotionError::ComesApart { feature });
            }
        }
        let velocity = Face { surface: Surface::from(motion.velocities().clone()), ..face.clone() };
        let from = self.pieces.len();
        of_tiled::of_face(feature, &velocity, &mut self.pieces)
            .map_err(|cause| PiecesError::Convert { feature, cause })?;
        // Where its edges run by its parameters may change with time.
        if self.pieces[from..].iter().any(|piece| piece.trimmed) {
            return Err(MotionError::Trimmed { feature });
        }
        Ok(())
    }

    /// The four sides of a patch.
    fn sides(&self, face: FaceId, motion: &DeformingPatch) -> Vec<MovingSide> {
        let Rect { u, v } = self.body.faces()[face.index()].patch().rect;
        let places =
            [(Direction::V, v.low), (Direction::U, u.high), (Direction::V, v.high), (Direction::U, u.low)];
        let curve = |surface: &NurbsSurface, (constant, at)| surface.iso_curve(constant, at).ok();
        let side = |place| {
            Some(MovingSide {
                shape: curve(motion.shape(), place)?,
                velocity: curve(motion.velocities(), place)?,
            })
        };
        places.into_iter().filter_map(side).collect()
    }

    fn add_edge(&mut self, id: EdgeId) -> Result<(), MotionError> {
        let (edge, feature) = (self.body.shape().edge(id), Feature::Edge(id));
        let motion = self.edge_motion(edge, feature)?;
        let from = self.pieces.len();
        let cut = |curve: &Curve, gap: f64, pieces: &mut Vec<Piece>| {
            of_tiled::of_curve(feature, curve, edge.range, gap, pieces)
                .map_err(|cause| PiecesError::Convert { feature, cause })
        };
        match motion {
            None => {
                cut(&edge.curve, 0.0, &mut self.pieces)?;
                self.pieces[from..].iter_mut().for_each(rest);
                self.edges.push(None);
            }
            Some(motion) => {
                cut(&Curve::from(motion.velocity.clone()), motion.parting, &mut self.pieces)?;
                self.edges.push(Some(motion));
            }
        }
        let width = self.edges.last().and_then(Option::as_ref).map_or(0.0, |motion| motion.width);
        self.widths.resize(self.pieces.len(), width);
        Ok(())
    }

    /// How an edge moves; `None` where it is at rest.
    fn edge_motion(&self, edge: &TiledEdge, feature: Feature) -> Result<Option<EdgeMotion>, MotionError> {
        let faces = edge.faces.into_iter().flatten();
        let moving: Vec<_> = faces.clone().filter_map(|id| Some((id, self.body.motion_of(id)?))).collect();
        let rests = moving.len() < faces.count();
        if moving.is_empty() {
            return Ok(None);
        }
        let Curve::Nurbs(curve) = &edge.curve else { return Err(MotionError::NoSide { feature }) };
        let tolerance = 2.0 * self.body.shape().tolerance();
        let mut known: Option<Vec<DVec3>> =
            rests.then(|| vec![DVec3::ZERO; curve.homogeneous_points().len()]);
        let [mut parting, mut width] = [0.0_f64; 2];
        for (face, motion) in moving {
            let sides = self.sides(face, motion);
            let mut found = sides.iter().filter_map(|side| side.along(curve, tolerance)).peekable();
            if found.peek().is_none() {
                return Err(MotionError::NoSide { feature });
            }
            for (velocities, off) in found {
                let first = known.get_or_insert_with(|| velocities.clone());
                let apart = first.iter().zip(&velocities).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                if !(apart <= self.alike) {
                    return Err(MotionError::ComesApart { feature });
                }
                (parting, width) = (parting.max(apart), width.max(off));
            }
        }
        let weights = curve.homogeneous_points().iter().map(|p| p.w);
        let points = known.into_iter().flatten().zip(weights).map(|(v, w)| (v * w).extend(w)).collect();
        let velocity = NurbsCurve::from_homogeneous(curve.knots().clone(), points);
        velocity
            .map(|velocity| Some(EdgeMotion { velocity, parting, width }))
            .map_err(|_| MotionError::NoSide { feature })
    }

    fn add_vertex(&mut self, id: VertexId) -> Result<(), MotionError> {
        let (shape, feature) = (self.body.shape(), Feature::Vertex(id));
        let mut found: Option<DVec3> = None;
        let [mut gap, mut width] = [0.0_f64; 2];
        let mut add = |velocity: DVec3| {
            gap = gap.max(found.get_or_insert(velocity).distance(velocity));
        };
        for (edge, motion) in shape.edges().iter().zip(&self.edges) {
            let ends = edge.vertices.into_iter().flatten().zip([edge.range.low, edge.range.high]);
            for (_, t) in ends.filter(|(vertex, _)| *vertex == id) {
                add(motion.as_ref().map_or(DVec3::ZERO, |motion| motion.velocity.point(t)));
                width = motion.as_ref().map_or(width, |motion| width.max(motion.width));
            }
        }
        for (at, _) in shape.faces().iter().enumerate().filter(|(_, face)| face.tips.contains(&id)) {
            let face = FaceId(at as u32);
            let Some(motion) = self.body.motion_of(face) else {
                add(DVec3::ZERO);
                continue;
            };
            let point = shape.vertex(id);
            let near =
                |side: &&MovingSide| side.points().all(|p| p.distance(point) <= 2.0 * shape.tolerance());
            self.sides(face, motion).iter().filter(near).flat_map(MovingSide::velocities).for_each(&mut add);
        }
        let Some(velocity) = found else { return Err(MotionError::NoSide { feature }) };
        if !(gap <= self.alike) {
            return Err(MotionError::ComesApart { feature });
        }
        let mut piece = of_tiled::of_vertex(id, velocity);
        piece.gap = gap;
        self.pieces.push(piece);
        self.widths.push(width);
        Ok(())
    }
}

/// The velocity of what is at rest.
fn rest(piece: &mut Piece) {
    piece.net.to_mut().iter_mut().for_each(|p| *p = DVec3::ZERO.extend(p.w));
    (piece.slack, piece.gap) = (0.0, 0.0);
}
