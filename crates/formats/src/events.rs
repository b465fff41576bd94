//! `want: "events"`: what of two bodies nearly touches, as the steps of a simulation see it.

use crate::answer::Coordinates;
use crate::json::Json;
use crate::{AnyBody, AnyPose, Error, ErrorKind, PartFeature, Request, witness};
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

/// The events of the bodies of a request.
pub(crate) fn events(request: &Request<'_>) -> Result<Vec<EventAnswer>, Error> {
    let shape = |side: &crate::Shape| shape_of(side).ok_or_else(|| undefined(&format!("of `{}`", side.kind)));
    let shapes = [shape(request.a)?, shape(request.b)?];
    let poses = [space_pose(&request.pose_a)?, space_pose(&request.pose_b)?];
    let planar = request.a.body.is_planar();
    let found = events_between(shapes.clone(), poses, request.margin).map_err(|error| match error {
        DynamicsError::NoInside | DynamicsError::UnsupportedShape { .. } => {
            undefined(&format!("between `{}` and `{}`: {error}", request.a.kind, request.b.kind))
        }
        other => other.into(),
    })?;
    Ok(found.events.iter().map(|event| answer(event, &shapes, poses, planar)).collect())
}

fn undefined(what: &str) -> Error {
    ErrorKind::UnsupportedPair { reason: format!("no events are defined {what}") }.into()
}

fn answer(event: &Event, shapes: &[Shape; 2], poses: [Pose; 2], planar: bool) -> EventAnswer {
    let vector = |v: DVec3| -> Coordinates {
        if planar { v.truncate().to_array().into() } else { v.to_array().into() }
    };
    let twist = |pose: &Pose, force: DVec3| {
        let turn = (event.point - pose.translation()).cross(force);
        if planar { vec![force.x, force.y, turn.z] } else { [force.to_array(), turn.to_array()].concat() }
    };
    EventAnswer {
        kind: kind_word(event.id.kind),
        features: features(event, shapes.each_ref()),
        point: vector(event.point),
        normal: vector(event.normal),
        gap: event.gap,
        gradient: [twist(&poses[0], -event.normal), twist(&poses[1], event.normal)],
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

/// A shape as simulations have it; none for those that have no events.
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
