//! A convex body to which nearest points are asked for many points in a row, each by the quickest way that its shape has.
//!
//! Source: closed formulas for points, segments and bodies with closed formulas for all features; a root of one increasing
//! function for ellipsoids (Eberly's secular equation); the trackers of this crate for everything else.
//! Differs: nothing to differ from.
//! Ends because: each way does; Newton's steps on a convex function are counted.
//! Cost: some tens to some hundreds of nanoseconds for a point.
//! Not promised: nearest points of points inside the body.

use super::feet::Feet;
use crate::convex::ConvexTracker;
use crate::convex::solid::Solid;
use crate::tolerance::NEWTON_SETTLED_REL;
use crate::{Parameters, PolytopeTracker, State};
use clearance_geometry::convex::Axis;
use clearance_geometry::surface::{Ellipsoid, Surface};
use clearance_geometry::{Body, DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};

/// Newton steps on the equation of an ellipsoid.
const STEPS: usize = 40;

/// A point of the core, anchored, with its feature of the core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) point: DVec3,
    pub(super) feature: Feature,
}

/// What is kept of a body for the next query.
#[derive(Clone, Debug, Default)]
pub(super) struct TargetMemory {
    /// Of the body asked about last; none where it has no closed formulas.
    feet: Option<(Body, Option<Feet>)>,
    polytopes: Option<Box<PolytopeTracker>>,
    convex: ConvexTracker,
    point: Option<Body>,
}

/// A convex body.
pub(super) struct Target<'a> {
    body: &'a Body,
    solid: Solid<'a>,
    way: Way<'a>,
    memory: &'a mut TargetMemory,
}

enum Way<'a> {
    Center(DVec3),
    Segment([DVec3; 2]),
    Ellipsoid(&'a Ellipsoid),
    Feet,
    Polytope(&'a Polytope, Polytope),
    Any(Body),
}

impl<'a> Target<'a> {
    /// `None` for what is not convex.
    pub(super) fn new(body: &'a Body, memory: &'a mut TargetMemory) -> Option<Self> {
        let solid = Solid::of(body)?;
        let way = Way::of(body, &solid, memory);
        memory.convex.reset();
        memory.polytopes.iter_mut().for_each(|tracker| tracker.reset());
        Some(Self { body, solid, way, memory })
    }

    /// What it is as the convex kernels see it.
    pub(super) const fn solid(&self) -> &Solid<'a> {
        &self.solid
    }

    /// At least the largest coordinate of its core, anchored or not.
    pub(super) fn size(&self) -> f64 {
        self.solid.reach() + self.solid.radius() + self.solid.anchor().length()
    }

    /// Whether its core is a point: then [`Target::middle`] is that point.
    pub(super) const fn is_point(&self) -> bool {
        matches!(self.way, Way::Center(_))
    }

    /// A point well inside, anchored.
    pub(super) fn middle(&self) -> DVec3 {
        if let Way::Center(center) = self.way { center } else { self.solid.center() }
    }

    /// The axis that its core is turned about, if it has one.
    pub(super) fn axis(&self) -> Option<Axis> {
        match self.solid {
            Solid::Polytope(_) => None,
            Solid::Round(shape) => shape.axis(),
        }
    }

    /// A height that no point of the core exceeds along `n`.
    #[inline]
    pub(super) fn height_above(&self, n: DVec3) -> f64 {
        match &self.way {
            Way::Center(center) => center.dot(n),
            Way::Segment([a, b]) => a.dot(n).max(b.dot(n)),
            _ => self.solid.height_above(n),
        }
    }

    /// The point of the core nearest to a point outside it, both anchored; `None` where that is not found.
    #[inline]
    pub(super) fn nearest(&mut self, point: DVec3) -> Option<Near> {
        let anchor = self.solid.anchor();
        Some(match &self.way {
            Way::Center(center) => Near { point: *center, feature: Feature::Vertex(VertexId(0)) },
            Way::Segment([a, b]) => {
                let along = *b - *a;
                let t = (point - *a).dot(along) / along.length_squared();
                if t > 0.0 && t < 1.0 {
                    Near { point: *a + along * t, feature: Feature::Edge(EdgeId(0)) }
                } else if t >= 1.0 {
                    Near { point: *b, feature: Feature::Vertex(VertexId(1)) }
                } else {
                    Near { point: *a, feature: Feature::Vertex(VertexId(0)) }
                }
            }
            Way::Ellipsoid(ellipsoid) => {
                let frame = ellipsoid.frame();
                let local = on_ellipsoid(ellipsoid.radii(), frame.apply_inverse(point + anchor))?;
                Near { point: frame.apply(local) - anchor, feature: Feature::Face(FaceId(0)) }
            }
            Way::Feet => {
                let foot = self.memory.feet.as_ref()?.1.as_ref()?.nearest(point + anchor);
                Near { point: foot.point - anchor, feature: foot.feature }
            }
            Way::Polytope(body, single) => {
                let at = Pose::IDENTITY.with_translation(point + anchor);
                let tracker = self.memory.polytopes.get_or_insert_default();
                let answer = tracker.update(body, single, &at);
                if answer.state != State::Separated {
                    return None;
                }
                let witness = answer.witnesses[0];
                Near { point: witness.point - anchor, feature: witness.feature }
            }
            Way::Any(single) => {
                let at = Pose::IDENTITY.with_translation(point + anchor);
                let answer = self.memory.convex.update(self.body, single, &at)?;
                if answer.state != State::Separated {
                    return None;
                }
                let witness = answer.witnesses[0];
                Near {
                    point: witness.point - anchor - answer.normal * self.solid.radius(),
                    feature: witness.feature,
                }
            }
        })
    }

    /// The body's feature and parameters of a nearest point, seen along the outward unit normal.
    pub(super) fn witness(&self, near: &Near, n: DVec3) -> (Feature, Parameters) {
        match self.solid {
            Solid::Polytope(_) => (near.feature, Parameters::None),
            Solid::Round(shape) => {
                let at = shape.located(near.feature, near.point, n);
                self.solid.witness(near.feature, at, n)
            }
        }
    }
}

impl<'a> Way<'a> {
    fn of(body: &'a Body, solid: &Solid<'a>, memory: &mut TargetMemory) -> Self {
        let mut single = || memory.point.get_or_insert_with(|| Body::from(Polytope::point())).clone();
        let shape = match solid {
            Solid::Polytope(polytope) => return Self::Polytope(polytope, Polytope::point()),
            Solid::Round(shape) => shape,
        };
        let vertex = |at: u32| shape.jet(Feature::Vertex(VertexId(at)), DVec3::ZERO).point;
        match shape.counts() {
            [1, ..] if !shape.is_own_core() => return Self::Center(vertex(0)),
            [2, ..] if !shape.is_own_core() => return Self::Segment([vertex(0), vertex(1)]),
            _ => {}
        }
        let Body::Tiled(tiled) = body else { return Self::Any(single()) };
        if let [face] = tiled.faces()
            && let Surface::Ellipsoid(ellipsoid) = &face.surface
        {
            return Self::Ellipsoid(ellipsoid);
        }
        if !memory.feet.as_ref().is_some_and(|(known, _)| known.is_same(body)) {
            memory.feet = Some((body.clone(), Feet::of(tiled)));
        }
        let has_feet = matches!(&memory.feet, Some((_, Some(_))));
        if has_feet { Self::Feet } else { Self::Any(single()) }
    }
}

/// The point of an ellipsoid about the origin nearest to a point outside it: x = a² p / (a² + t) for the root t of
/// Σ (a p / (a² + t))² = 1, a function that falls and is convex, so that Newton's steps come from the left.
fn on_ellipsoid(radii: [f64; 3], point: DVec3) -> Option<DVec3> {
    let squares = DVec3::from_array(radii.map(|a| a * a));
    let scaled = DVec3::from_array(radii) * point;
    let value = |t: f64| {
        let share = scaled / (squares + DVec3::splat(t));
        (share.length_squared() - 1.0, share)
    };
    // Outside, the root is positive; with the least radius in all places it is known, and less than the root.
    let least = squares.min_element();
    let mut t = (scaled.length() - least)
        .max((point.length() - squares.max_element().sqrt()) * least.sqrt())
        .max(0.0);
    t = if value(t).0 < 0.0 { 0.0 } else { t };
    for _ in 0..STEPS {
        let (off, share) = value(t);
        let slope = -2.0 * (share * share / (squares + DVec3::splat(t))).element_sum();
        let step = -off / slope;
        if !step.is_finite() {
            return None;
        }
        t += step;
        if step <= NEWTON_SETTLED_REL * (t + least) {
            break;
        }
    }
    Some(squares * point / (squares + DVec3::splat(t)))
}
