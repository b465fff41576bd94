//! What a viewer needs to draw a shape, in body coordinates, as JSON.

use super::display;
use crate::json::Json;
use crate::{AnyBody, Shape};
use clearance_geometry::{Body, DVec3};

/// Places are rounded to this part of the size of a shape: what is drawn cannot tell.
const PLACE_REL: f64 = 1.0 / 16_777_216.0;

/// Normals are rounded to this.
const NORMAL_GRAIN: f64 = 1.0 / 4096.0;

/// Writes a shape.
pub(crate) fn write_shape(json: &mut Json, shape: &Shape) {
    json.object(|json| {
        json.field("kind", |json| json.string(shape.kind));
        if let AnyBody::Solid(body) = &shape.body
            && let Body::HalfSpace(half_space) = body.whole()
        {
            json.field("normal", |json| json.numbers(&half_space.plane().normal.to_array()));
            json.field("offset", |json| json.number(half_space.plane().offset));
            return;
        }
        let drawn = display(&shape.body);
        let size = drawn.points.iter().chain(drawn.edges.iter().flat_map(|line| &line.points));
        let size = size.fold(0.0, |size: f64, point| size.max(point.abs().max_element()));
        let grain = (PLACE_REL * size).log2().floor().exp2();
        let places = |json: &mut Json, points: &[DVec3]| flat(json, points, grain);
        json.field("points", |json| places(json, &drawn.points));
        json.field("normals", |json| flat(json, &drawn.normals, NORMAL_GRAIN));
        if !drawn.velocities.is_empty() {
            json.field("velocities", |json| places(json, &drawn.velocities));
        }
        json.field("triangles", |json| {
            json.array(drawn.triangles.iter().flatten(), |json, at| json.whole((*at).into()));
        });
        json.field("faces", |json| {
            json.array(&drawn.faces, |json, (feature, count)| {
                json.object(|json| {
                    json.field("feature", |json| json.string(feature));
                    json.field("triangles", |json| json.whole(*count as u64));
                });
            });
        });
        json.field("edges", |json| {
            json.array(&drawn.edges, |json, line| {
                json.object(|json| {
                    json.field("feature", |json| json.string(&line.feature));
                    json.field("class", |json| json.string(line.class));
                    json.field("points", |json| places(json, &line.points));
                    let sides: Vec<_> = line.normals.iter().filter(|side| !side.is_empty()).collect();
                    json.field("normals", |json| {
                        json.array(sides, |json, side| flat(json, side, NORMAL_GRAIN));
                    });
                });
            });
        });
        json.field("boxes", |json| {
            json.array(&drawn.boxes, |json, (level, bound)| {
                json.object(|json| {
                    json.field("level", |json| json.whole(*level as u64));
                    json.field("center", |json| json.numbers(&bound.center.to_array()));
                    json.field("axes", |json| json.numbers(&bound.axes.to_cols_array()));
                    json.field("half", |json| json.numbers(&bound.half.to_array()));
                });
            });
        });
        json.field("corners", |json| {
            json.array(&drawn.corners, |json, (feature, point)| {
                json.object(|json| {
                    json.field("feature", |json| json.string(feature));
                    json.field("point", |json| places(json, std::slice::from_ref(point)));
                });
            });
        });
    });
}

/// Coordinates one after the other, as multiples of a grain, so that they print short.
fn flat(json: &mut Json, points: &[DVec3], grain: f64) {
    let rounded = |number: f64| if grain > 0.0 { (number / grain).round() * grain } else { number };
    json.array(points.iter().flat_map(DVec3::to_array), |json, number| json.number(rounded(number)));
}
