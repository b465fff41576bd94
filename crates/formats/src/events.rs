//! `want: "events"`: what of two bodies nearly touches, as the steps of a simulation see it.

use crate::answer::{Answer, Coordinates};
use crate::json::Json;
use crate::{AnyBody, AnyPose, Error, PartFeature, Request, flat_curved, solid, witness};
use clearance_dynamics::tolerance::EVENT_MARGIN_REL;
use clearance_dynamics::{DynamicsError, Event, EventKind, Shape, events_between};
use clearance_geometry::{Body, DMat3, DVec3, Pose};

/// An event of two bodies: a contact that may bind soon.
#[derive(Clone, Debug, PartialEq)]
pub struct EventAnswer {
    /// `corner_face`, `edge_edge`, `growth`, `locus` or `witness`.
    pub kind: &'static str,
    /// The features that nearly touch, in the numbering of the input.
    pub features: [PartFeature; 2],
    /// Between them.
    pub point: Coordinates,
    /// Unit vector from A to B.
    pub normal: Coordinates,
    /// Their distance along the normal; a length, negative where they overlap.
    pub gap: f64,
    /// The derivative of the gap by both poses: velocity, then angular velocity about the pose's origin, world axes, per radian;
    /// of `growth` in contact only.
    pub gradient: [Vec<f64>; 2],
}

impl EventAnswer {
    pub(crate) fn write(&self, json: &mut Json) {
        json.object(|json| {
            json.field("kind", |json| json.string(self.kind));
            json.field("features", |json| {
                json.array(&self.features, |json, feature| json.string(&feature.to_string()));
            });
            json.field("point", |json| json.numbers(&self.point));
            json.field("normal", |json| json.numbers(&self.normal));
            json.field("gap", |json| json.number(self.gap));
            json.field("gradient", |json| {
                json.object(|json| {
                    json.field("a", |json| json.numbers(&self.gradient[0]));
                    json.field("b", |json| json.numbers(&self.gradient[1]));
                });
            });
        });
    }
}

/// The events of the bodies of a request, whose nearest points were found: of bodies that cannot be simulated, these points.
pub(crate) fn events(request: &Request<'_>, nearest: &Answer) -> Result<Vec<EventAnswer>, Error> {
    let poses = [space_pose(&request.pose_a)?, space_pose(&request.pose_b)?];
    let planar = request.a.body.is_planar();
    if let (Some(a), Some(b)) = (shape_of(request.a), shape_of(request.b)) {
        let shapes = [a, b];
        match events_between(shapes.clone(), poses, request.margin) {
            Ok(found) => {
                return Ok(found.events.iter().map(|event| answer(event, &shapes, poses, planar)).collect());
            }
            Err(DynamicsError::NoInside | DynamicsError::UnsupportedShape { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    let margin = match request.margin {
        Some(margin) => at_least_zero(margin)?,
        None => EVENT_MARGIN_REL * smaller_radius([request.a, request.b]),
    };
    Ok(of_nearest(nearest, poses, planar).into_iter().filter(|event| event.gap <= margin).collect())
}

// Written so that NaN is refused.
fn at_least_zero(margin: f64) -> Result<f64, Error> {
    let refused = DynamicsError::OutOfRange { field: "margin", value: margin, wanted: "at least 0" };
    if margin >= 0.0 { Ok(margin) } else { Err(refused.into()) }
}

/// The radius of the smaller of two bodies, of those that have one.
fn smaller_radius(shapes: [&crate::Shape; 2]) -> f64 {
    let radius = |shape: &crate::Shape| match &shape.body {
        AnyBody::Solid(body) => solid::radius(body),
        AnyBody::Planar(polygon) => polygon.radius(),
        AnyBody::PlanarTiled(tiled) => flat_curved::radius(tiled),
    };
    let [a, b] = shapes.map(radius);
    if a.min(b) > 0.0 { a.min(b) } else { a.max(b) }
}

/// The nearest points of two bodies, or the ends of their depth, as an event; none where they have no normal.
fn of_nearest(nearest: &Answer, poses: [Pose; 2], planar: bool) -> Option<EventAnswer> {
    let (gap, normal) = (nearest.signed_distance?, nearest.normal.as_deref()?);
    let in_space = |v: &[f64]| DVec3::new(v[0], v[1], v.get(2).copied().unwrap_or(0.0));
    let [on_a, on_b] = nearest.points.each_ref().map(|point| in_space(point));
    let kind = kind_word(EventKind::Witness);
    Some(stated((kind, nearest.features.clone()), on_a.midpoint(on_b), in_space(normal), gap, poses, planar))
}

fn answer(event: &Event, shapes: &[Shape; 2], poses: [Pose; 2], planar: bool) -> EventAnswer {
    let named = (kind_word(event.id.kind), features(event, shapes.each_ref()));
    stated(named, event.point, event.normal, event.gap, poses, planar)
}

fn stated(
    (kind, features): (&'static str, [PartFeature; 2]),
    point: DVec3,
    normal: DVec3,
    gap: f64,
    poses: [Pose; 2],
    planar: bool,
) -> EventAnswer {
    let vector = |v: DVec3| -> Coordinates {
        if planar { v.truncate().to_array().into() } else { v.to_array().into() }
    };
    let twist = |pose: &Pose, force: DVec3| {
        let turn = (point - pose.translation()).cross(force);
        if planar { vec![force.x, force.y, turn.z] } else { [force.to_array(), turn.to_array()].concat() }
    };
    EventAnswer {
        kind,
        features,
        point: vector(point),
        normal: vector(normal),
        gap,
        gradient: [twist(&poses[0], -normal), twist(&poses[1], normal)],
    }
}

/// The word of a kind of events.
pub(crate) const fn kind_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::CornerFace => "corner_face",
        EventKind::EdgeEdge => "edge_edge",
        EventKind::Locus => "locus",
        EventKind::Witness => "witness",
        _ => "growth",
    }
}

/// The features of an event in the numbering of the input.
pub(crate) fn features(event: &Event, shapes: [&Shape; 2]) -> [PartFeature; 2] {
    let named = |side: usize| {
        let (feature, part) = (event.id.features[side], event.id.parts[side]);
        match shapes[side] {
            Shape::Solid(polytope) => polytope.label(feature).into(),
            Shape::Planar(polygon) => polygon.label(feature).into(),
            Shape::Body(body) => witness::named(body, part, feature),
            Shape::HalfSpace(_) | Shape::PlanarCurved(_) => feature.into(),
        }
    };
    [named(0), named(1)]
}

/// A shape as simulations have it; none for those that have none there.
pub(crate) fn shape_of(shape: &crate::Shape) -> Option<Shape> {
    match &shape.body {
        AnyBody::Solid(Body::Polytope(polytope)) => Some(Shape::Solid(polytope.clone())),
        AnyBody::Solid(Body::HalfSpace(half_space)) => Some(Shape::HalfSpace(*half_space)),
        AnyBody::Solid(body @ (Body::Tiled(_) | Body::Union(_))) => Some(Shape::Body(body.clone())),
        AnyBody::Planar(polygon) if !shape.surface_only => Some(Shape::Planar(polygon.clone())),
        AnyBody::PlanarTiled(tiled) if !shape.surface_only => Some(Shape::PlanarCurved(tiled.clone())),
        _ => None,
    }
}

/// A pose in space; of the plane z = 0 for one of the plane.
pub(crate) fn space_pose(pose: &AnyPose) -> Result<Pose, Error> {
    let planar = match pose {
        AnyPose::Solid(pose) => return Ok(*pose),
        AnyPose::Planar(planar) => planar,
    };
    let (x, y) = (DVec3::new(planar.cos(), planar.sin(), 0.0), DVec3::new(-planar.sin(), planar.cos(), 0.0));
    Ok(Pose::from_matrix(DMat3::from_cols(x, y, DVec3::Z), planar.translation().extend(0.0))?)
}
