//! Convex bodies with support functions and implicit surfaces written down a second time, by hand.
// Each test file uses a part of it.
#![allow(dead_code)]

use clearance_geometry::tiled::{Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Feature, Polytope, Pose};
use clearance_proximity::{Ended, Parameters, Proximity, State};
use clearance_testkit::Random;

/// A body with its closed forms.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) body: Body,
    pub(crate) form: Form,
    pub(crate) scale: f64,
}

/// What the body is, at scale 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Ellipsoid([f64; 3]),
    /// Radius at the bottom, at the top, z of both.
    Frustum([f64; 4]),
    Capsule(f64, f64),
    Cuboid(DVec3),
    /// A disc of a radius grown by another.
    Pill(f64, f64),
    /// z = r²/4f up to this z.
    Bowl(f64, f64),
}

impl Known {
    /// h(n) of the body in its own frame.
    pub(crate) fn support(&self, n: DVec3) -> f64 {
        let across = n.x.hypot(n.y);
        let h = match self.form {
            Form::Ellipsoid([a, b, c]) => DVec3::new(a * n.x, b * n.y, c * n.z).length(),
            Form::Frustum([r, s, low, high]) => (r * across + low * n.z).max(s * across + high * n.z),
            Form::Capsule(r, height) => r * n.length() + 0.5 * height * n.z.abs(),
            Form::Cuboid(size) => 0.5 * size.dot(n.abs()),
            Form::Pill(r, grown) => r * across + grown * n.length(),
            Form::Bowl(focal, top) => {
                let rim = (4.0 * focal * top).sqrt();
                let r = if n.z < 0.0 { (-2.0 * focal * across / n.z).min(rim) } else { rim };
                (r * across + 0.25 * r * r / focal * n.z).max(rim * across + top * n.z)
            }
        };
        h * self.scale
    }

    /// How far a point is from the boundary, to first order; a length.
    pub(crate) fn miss(&self, point: DVec3) -> f64 {
        let p = point / self.scale;
        let r = p.x.hypot(p.y);
        // The signed distance of (r, z) to a convex profile, by its supporting lines.
        let beyond = match self.form {
            Form::Ellipsoid([a, b, c]) => {
                let w = p / DVec3::new(a, b, c);
                let gradient = (w / DVec3::new(a, b, c)).length();
                (w.length_squared() - 1.0) / (2.0 * gradient)
            }
            Form::Frustum([r0, r1, low, high]) => {
                let side = DVec2::new(high - low, r0 - r1).normalize();
                (p.z - high).max(low - p.z).max(side.dot(DVec2::new(r - r0, p.z - low)))
            }
            Form::Capsule(radius, height) => {
                let z = (p.z.abs() - 0.5 * height).max(0.0);
                r.hypot(z) - radius
            }
            Form::Cuboid(size) => (p.abs() - 0.5 * size).max_element(),
            Form::Pill(disc, grown) => {
                if r > disc {
                    (r - disc).hypot(p.z) - grown
                } else {
                    p.z.abs() - grown
                }
            }
            Form::Bowl(focal, top) => {
                let bowl = (0.25 * r * r / focal - p.z) / (1.0 + 0.25 * r * r / (focal * focal)).sqrt();
                bowl.max(p.z - top)
            }
        };
        beyond.abs() * self.scale
    }

    pub(crate) fn size(&self) -> f64 {
        3.0 * self.scale
    }

    /// Whether the witness's parameters give its point.
    pub(crate) fn check_parameters(
        &self,
        feature: Feature,
        parameters: Parameters,
        point: DVec3,
    ) -> Result<(), String> {
        let Body::Tiled(body) = &self.body else {
            return if parameters == Parameters::None {
                Ok(())
            } else {
                Err("a flat feature has parameters".into())
            };
        };
        let there = match (feature, parameters) {
            (Feature::Face(face), Parameters::Surface(at)) => body.face(face).point(at),
            (Feature::Edge(edge), Parameters::Curve(t)) => body.edge(edge).point(t),
            (Feature::Vertex(vertex), Parameters::None) => body.vertex(vertex),
            other => return Err(format!("{other:?} do not go together")),
        };
        let off = there.distance(point);
        if off <= 1e-12 * self.size() {
            Ok(())
        } else {
            Err(format!("{feature} {parameters:?} is {off:e} away"))
        }
    }
}

/// One of each kind at a scale.
pub(crate) fn bodies(scale: f64) -> Vec<Known> {
    let p = |r: f64, z: f64| DVec2::new(r, z) * scale;
    let s = |x: f64| x * scale;
    let size = DVec3::new(1.0, 1.6, 0.7);
    let frustum = [0.9, 0.4, 0.0, 1.5];
    let known = |name, body, form| Known { name, body, form, scale };
    vec![
        known("sphere", TiledBody::sphere(s(0.8)).unwrap().into(), Form::Ellipsoid([0.8; 3])),
        known(
            "ellipsoid",
            TiledBody::ellipsoid([s(1.5), s(0.7), s(0.4)]).unwrap().into(),
            Form::Ellipsoid([1.5, 0.7, 0.4]),
        ),
        known(
            "cylinder",
            TiledBody::cylinder(s(0.6), s(2.0)).unwrap().into(),
            Form::Frustum([0.6, 0.6, -1.0, 1.0]),
        ),
        known(
            "cone",
            TiledBody::cone(s(0.9), s(1.5), None).unwrap().into(),
            Form::Frustum([0.9, 0.0, 0.0, 1.5]),
        ),
        known(
            "frustum",
            TiledBody::cone(s(0.9), s(1.5), Some(s(0.4))).unwrap().into(),
            Form::Frustum(frustum),
        ),
        known("capsule", TiledBody::capsule(s(0.5), s(1.4)).unwrap().into(), Form::Capsule(0.5, 1.4)),
        known("box", Polytope::cuboid(size * scale).unwrap().into(), Form::Cuboid(size)),
        known(
            "pill",
            TiledBody::revolve(&[
                Segment::Line { from: p(0.0, -0.5), to: p(0.8, -0.5) },
                Segment::Arc { center: p(0.8, 0.0), from: p(0.8, -0.5), to: p(0.8, 0.5), ccw: true },
                Segment::Line { from: p(0.8, 0.5), to: p(0.0, 0.5) },
            ])
            .unwrap()
            .into(),
            Form::Pill(0.8, 0.5),
        ),
        known(
            "bowl",
            TiledBody::revolve(&[
                Segment::Parabola { from: p(0.0, 0.0), to: p(1.0, 1.0), focal: None },
                Segment::Line { from: p(1.0, 1.0), to: p(0.0, 1.0) },
            ])
            .unwrap()
            .into(),
            Form::Bowl(0.25, 1.0),
        ),
    ]
}

/// A random pose; a quarter of them with axes along axes.
pub(crate) fn pose(random: &mut Random, from: f64, to: f64) -> Pose {
    let shift = random.direction() * random.uniform(from, to);
    if random.chance(0.25) {
        let quarter = std::f64::consts::FRAC_PI_2 * random.index(4) as f64;
        let axis = *random.pick(&[DVec3::X, DVec3::Y, DVec3::Z]);
        return Pose::from_axis_angle(axis, quarter, shift).unwrap();
    }
    Pose::from_matrix(random.rotation(), shift).unwrap()
}

/// min_B n·b − max_A n·a from the closed forms.
pub(crate) fn separation(a: &Known, b: &Known, pose: &Pose, n: DVec3) -> f64 {
    let seen = -pose.rotate_inverse(n);
    n.dot(pose.translation()) - b.support(seen) - a.support(n)
}

/// Everything that an answer claims, against the closed forms: its witnesses bound the signed distance from one side, its
/// normal from the other.
pub(crate) fn check(a: &Known, b: &Known, pose: &Pose, answer: &Proximity) -> Result<(), String> {
    let size = a.size() + b.size() + pose.translation().length();
    // What an answer admits to be off by.
    let admitted = if let Ended::Stalled { residual } = answer.ended { residual } else { 0.0 };
    let slack = 1e-12 * size + admitted;
    let demand = |holds: bool, what: &str, by: f64| {
        if holds {
            Ok(())
        } else {
            Err(format!("{} {}: {what} by {by:e}; {answer:?} {pose:?}", a.name, b.name))
        }
    };
    let [pa, pb] = answer.witnesses.map(|w| w.point);
    demand(answer.normal.is_finite() && (answer.normal.length() - 1.0).abs() < 1e-14, "normal", 0.0)?;
    let local = pose.apply_inverse(pb);
    let off = (pb - pa - answer.normal * answer.signed_distance).length();
    demand(off <= slack, "witnesses and normal disagree", off)?;
    demand(a.miss(pa) <= slack, "A's witness is off", a.miss(pa))?;
    demand(b.miss(local) <= slack, "B's witness is off", b.miss(local))?;
    let bound = separation(a, b, pose, answer.normal);
    let gap = answer.signed_distance - bound;
    demand(gap.abs() <= slack, "the normal proves another distance", gap)?;
    let agrees = match answer.state {
        State::Separated => answer.signed_distance > 0.0 && answer.distance == answer.signed_distance,
        State::Touching => answer.signed_distance == 0.0 && answer.distance == 0.0,
        _ => answer.signed_distance < 0.0 && answer.distance == 0.0,
    };
    demand(agrees, "state", answer.signed_distance)?;
    match answer.ended {
        Ended::Certified(proof) => {
            let true_bound = separation(a, b, pose, proof.normal);
            let over = proof.lower - true_bound;
            demand(over <= 1e-15 * size, "the certificate claims too much", over)?;
            let loss = answer.signed_distance - proof.lower;
            demand(loss <= slack, "the certificate gives away too much", loss)?;
        }
        other => demand(answer.signed_distance <= 0.0, &format!("ended {other:?}"), 0.0)?,
    }
    let points = [pa, local];
    for ((known, witness), point) in [a, b].into_iter().zip(answer.witnesses).zip(points) {
        known.check_parameters(witness.feature, witness.parameters, point).map_err(|fault| {
            format!("{} of {} {}: {fault}; {answer:?} {pose:?}", known.name, a.name, b.name)
        })?;
    }
    Ok(())
}
