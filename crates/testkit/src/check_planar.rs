//! The checker of planar answers: the same claims and the same tolerance as in space.

use crate::check::{CHECK_ROUNDINGS, Margins};
use crate::oracle::{Double, Double3, Placement, point_polygon, separation};
use clearance_geometry::{Feature, PlanarPose, Polygon, VertexId, tolerance};
use clearance_proximity::planar::PlanarProximity;
use clearance_proximity::{Ended, State};
use glam::{DMat3, DVec2, DVec3};

/// Checks a planar answer against everything that it claims; the depth of overlapping bodies against all
/// edge directions, which in the plane are all that can be it.
///
/// # Errors
/// A sentence that says which claim is false and by how much.
pub fn check_planar(
    a: &Polygon,
    b: &Polygon,
    pose_ab: &PlanarPose,
    p: &PlanarProximity,
) -> Result<Margins, String> {
    let (points_a, points_b) = (corners(a), corners(b));
    let place = placement(pose_ab);
    let reach = |points: &[DVec3]| points.iter().map(|v| v.length()).fold(0.0, f64::max);
    let scale = reach(&points_a) + reach(&points_b) + pose_ab.translation().length();
    let tolerance = f64::MIN_POSITIVE
        + CHECK_ROUNDINGS * f64::EPSILON * scale
        + tolerance::GAP_REL * p.signed_distance.max(0.0);
    let mut margins = Margins { tolerance, ..Margins::default() };

    let agrees = match p.state {
        State::Separated => p.signed_distance > 0.0 && p.distance == p.signed_distance,
        State::Touching => p.signed_distance.abs() <= tolerance && p.distance == 0.0,
        _ => p.signed_distance <= 0.0 && p.distance == 0.0,
    };
    demand(agrees, || format!("{:?} with signed distance {:e}", p.state, p.signed_distance))?;
    demand((p.normal.length() - 1.0).abs() <= 8.0 * f64::EPSILON, || "the normal is not unit".to_string())?;
    demand(p.ended != Ended::Limit, || "ended by a limit that was not set".to_string())?;

    let [w_a, w_b] = p.witnesses;
    let between = flat(w_b.point - w_a.point) - flat(p.normal * p.signed_distance);
    margins.vector = between.length() / tolerance;
    let off_a = off_feature(a, &points_a, w_a.feature, w_a.point, &Placement::IDENTITY)?;
    let off_b = off_feature(b, &points_b, w_b.feature, w_b.point, &place)?;
    margins.feature = off_a.max(off_b) / tolerance;
    let lower = separation(&points_a, &points_b, &place, flat(p.normal));
    margins.gap = (p.signed_distance - lower).abs() / tolerance;
    demand(margins.vector <= 1.0, || {
        format!("the witnesses differ from signed distance × normal by {:.3}", margins.vector)
    })?;
    demand(margins.feature <= 1.0, || {
        format!("witness off its feature by {:.3} tolerances", margins.feature)
    })?;
    demand(margins.gap <= 1.0, || {
        format!(
            "signed distance {:e}, but its normal proves {lower:e}: {:.3}",
            p.signed_distance, margins.gap
        )
    })?;
    check_certificate(&points_a, &points_b, &place, p)?;
    if p.signed_distance <= 0.0 {
        let best = edge_separation(&points_a, &points_b, &place);
        demand(best <= p.signed_distance + tolerance, || {
            format!("depth {:e}, but an edge direction finds {best:e}", p.signed_distance)
        })?;
        check_containment(&points_a, &points_b, &place, p.state, tolerance)?;
    }
    Ok(margins)
}

fn check_certificate(a: &[DVec3], b: &[DVec3], place: &Placement, p: &PlanarProximity) -> Result<(), String> {
    let Ended::Certified(certificate) = p.ended else { return Ok(()) };
    let proven = separation(a, b, place, certificate.normal);
    demand(certificate.lower <= proven, || {
        format!("the certificate claims {:e}, proven is {proven:e}", certificate.lower)
    })
}

fn check_containment(
    a: &[DVec3],
    b: &[DVec3],
    place: &Placement,
    state: State,
    tolerance: f64,
) -> Result<(), String> {
    let back =
        |v: &DVec3| Double3::turned_back(&place.rotation, Double3::from(*v) - place.translation.into());
    let a_out = excess(b, &a.iter().map(back).collect::<Vec<_>>());
    let b_out = excess(a, &b.iter().map(|&v| place.apply(v)).collect::<Vec<_>>());
    let agrees = match state {
        State::AInsideB => a_out <= tolerance,
        State::BInsideA => b_out <= tolerance,
        State::Penetrating => a_out >= -tolerance && b_out >= -tolerance,
        _ => true,
    };
    demand(agrees, || format!("{state:?}, but A sticks out of B by {a_out:e} and B out of A by {b_out:e}"))
}

/// How far the worst point lies outside a polygon with corners in counter-clockwise order.
fn excess(corners: &[DVec3], points: &[Double3]) -> f64 {
    if corners.len() < 3 {
        return f64::INFINITY;
    }
    sides(corners)
        .map(|(tail, outward)| {
            let highest = points.iter().map(|p| (*p - tail).dot(outward)).reduce(Double::max);
            highest.map_or(f64::NEG_INFINITY, |height| (height / outward.length()).value())
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Start and outward normal of each side.
fn sides(corners: &[DVec3]) -> impl Iterator<Item = (Double3, Double3)> {
    (0..corners.len()).map(|i| {
        let (tail, head) = (Double3::from(corners[i]), Double3::from(corners[(i + 1) % corners.len()]));
        let along = head - tail;
        (tail, Double3 { x: along.y, y: -along.x, z: Double::ZERO })
    })
}

/// The largest separation over the normals of all edges, both ways for segments.
fn edge_separation(a: &[DVec3], b: &[DVec3], place: &Placement) -> f64 {
    let of_a = sides(a).map(|(_, outward)| outward);
    let of_b = sides(b).map(|(_, outward)| -Double3::turned(&place.rotation, outward));
    of_a.chain(of_b)
        .filter(|n| n.dot(*n) > Double::ZERO)
        .map(|n| crate::oracle::exact_separation(a, b, place, n).value())
        .fold(f64::NEG_INFINITY, f64::max)
}

fn off_feature(
    body: &Polygon,
    points: &[DVec3],
    feature: Feature,
    at: DVec2,
    place: &Placement,
) -> Result<f64, String> {
    let missing = || format!("there is no {feature}");
    let ends: Vec<VertexId> = match feature {
        Feature::Vertex(v) if v.index() < body.vertex_count() => vec![v],
        Feature::Edge(e) if e.index() < body.edge_count() => body.edge(e).vertices.to_vec(),
        _ => return Err(missing()),
    };
    let placed: Vec<Double3> = ends.iter().map(|v| place.apply(points[v.index()])).collect();
    Ok(point_polygon(flat(at).into(), &placed).value())
}

fn corners(body: &Polygon) -> Vec<DVec3> {
    (0..body.vertex_count()).map(|i| flat(body.body_vertex(VertexId(i as u32)))).collect()
}

const fn flat(v: DVec2) -> DVec3 {
    DVec3::new(v.x, v.y, 0.0)
}

fn placement(pose: &PlanarPose) -> Placement {
    let (x, y) = (flat(pose.rotate(DVec2::X)), flat(pose.rotate(DVec2::Y)));
    Placement { rotation: DMat3::from_cols(x, y, DVec3::Z), translation: flat(pose.translation()) }
}

fn demand(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
