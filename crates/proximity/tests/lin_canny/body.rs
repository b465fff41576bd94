//! Bodies with their cells, walks between them, and everything that an answer says about itself.

use crate::oracle::{Rng, Solid};
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::Ended;
use clearance_proximity::lin_canny::{Cells, Escape, Options, Relation, Walk, closest_features};
use clearance_testkit::check_proximity;

pub(crate) const INTERIOR: Options = Options { escape: Escape::InteriorWalk, max_pairs: u32::MAX };
pub(crate) const SEARCH: Options = Options { escape: Escape::LinearSearch, max_pairs: u32::MAX };

pub(crate) struct Body {
    pub(crate) polytope: Polytope,
    pub(crate) cells: Cells,
    /// How far a vertex lies outside a face, by rounding of the input: slivers are not quite convex.
    pub(crate) defect: f64,
}

impl Body {
    pub(crate) fn new(polytope: Polytope) -> Self {
        let cells = Cells::new(&polytope);
        let over = polytope.planes().iter().flat_map(|p| polytope.vertices().iter().map(|&v| p.distance(v)));
        let defect = over.fold(0.0, f64::max);
        Self { polytope, cells, defect }
    }

    pub(crate) fn of(solid: &Solid) -> Self {
        Self::new(solid.polytope())
    }

    pub(crate) fn feature(&self, rng: &mut Rng) -> Feature {
        let p = &self.polytope;
        let n = rng.below(p.vertex_count() + p.edge_count() + p.face_count());
        if n < p.vertex_count() {
            Feature::Vertex(VertexId(n as u32))
        } else if n < p.vertex_count() + p.edge_count() {
            Feature::Edge(EdgeId((n - p.vertex_count()) as u32))
        } else {
            Feature::Face(FaceId((n - p.vertex_count() - p.edge_count()) as u32))
        }
    }
}

pub(crate) fn walk(a: &Body, b: &Body, pose: &Pose, start: Option<[Feature; 2]>, options: Options) -> Walk {
    closest_features((&a.polytope, &a.cells), (&b.polytope, &b.cells), pose, start, options)
}

/// Distance of a body-frame point from a feature's closure, roughly: its plane, line or point.
pub(crate) fn off_feature(body: &Polytope, feature: Feature, point: DVec3) -> f64 {
    let local = point - body.anchor();
    match feature {
        Feature::Vertex(v) => local.distance(body.vertex(v)),
        Feature::Edge(e) => {
            let edge = body.edge(e);
            let tail = body.vertex(edge.vertices[0]);
            let t = ((local - tail).dot(edge.vector) / edge.vector.length_squared()).clamp(0.0, 1.0);
            local.distance(tail + edge.vector * t)
        }
        Feature::Face(f) => {
            let sides = body.sides(f).iter().map(|s| s.offset - s.inward.dot(local)).fold(0.0, f64::max);
            body.plane(f).distance(local).abs().max(sides)
        }
    }
}

/// Everything an answer says about itself.
pub(crate) fn check(a: &Body, b: &Body, pose: &Pose, walk: &Walk, slack: f64) -> Result<(), String> {
    if let Relation::Overlapping { common } = walk.relation {
        for (body, point) in [(a, common), (b, pose.apply_inverse(common))] {
            let local = point - body.polytope.anchor();
            let out =
                body.polytope.planes().iter().map(|p| p.distance(local)).fold(f64::NEG_INFINITY, f64::max);
            if out > slack {
                return Err(format!("common point {out:e} outside"));
            }
        }
        return Ok(());
    }
    let length = walk.points[0].distance(walk.points[1]);
    if (length - walk.distance).abs() > slack {
        return Err(format!("witnesses {length} apart, distance {}", walk.distance));
    }
    if (walk.normal.length() - 1.0).abs() > 1e-12 {
        return Err(format!("normal {}", walk.normal));
    }
    if (walk.points[1] - walk.points[0] - walk.normal * walk.distance).length() > slack {
        return Err("the normal does not lead from witness to witness".into());
    }
    for (body, feature, point) in
        [(a, walk.features[0], walk.points[0]), (b, walk.features[1], pose.apply_inverse(walk.points[1]))]
    {
        let off = off_feature(&body.polytope, feature, point);
        if off > slack {
            return Err(format!("witness {off:e} off {feature}"));
        }
    }
    if walk.ended != Ended::Converged {
        return Err(format!("{:?}", walk.ended));
    }
    let bodies = [a, b].map(|body| clearance_geometry::Body::from(body.polytope.clone()));
    let answer = walk.proximity().ok_or("no answer")?;
    // Two points at the origin have no size to be wrong by.
    if a.polytope.reach() + b.polytope.reach() + pose.translation().length() > 0.0 {
        check_proximity(&bodies[0], &bodies[1], pose, &answer)?;
    }
    Ok(())
}

pub(crate) fn expect(
    a: &Body,
    b: &Body,
    pose: &Pose,
    start: Option<[Feature; 2]>,
    distance: f64,
    slack: f64,
) -> Walk {
    let mut last = None;
    for options in [SEARCH, INTERIOR] {
        let found = walk(a, b, pose, start, options);
        check(a, b, pose, &found, slack).unwrap();
        assert!(
            (found.distance - distance).abs() <= slack
                && !matches!(found.relation, Relation::Overlapping { .. }),
            "expected {distance}, found {found:?}"
        );
        last = Some(found);
    }
    last.unwrap()
}

pub(crate) fn every_start(a: &Body, b: &Body) -> Vec<[Feature; 2]> {
    let all = |p: &Polytope| {
        let mut list: Vec<Feature> =
            (0..p.vertex_count()).map(|i| Feature::Vertex(VertexId(i as u32))).collect();
        list.extend((0..p.edge_count()).map(|i| Feature::Edge(EdgeId(i as u32))));
        list.extend((0..p.face_count()).map(|i| Feature::Face(FaceId(i as u32))));
        list
    };
    let second = all(&b.polytope);
    all(&a.polytope).iter().flat_map(|&x| second.iter().map(move |&y| [x, y])).collect()
}

pub(crate) fn cube(size: f64) -> Body {
    Body::new(Polytope::cuboid(DVec3::splat(size)).unwrap())
}

pub(crate) fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

pub(crate) fn turned(axis: DVec3, degrees: f64, x: f64, y: f64, z: f64) -> Pose {
    Pose::from_axis_angle(axis.normalize(), degrees.to_radians(), DVec3::new(x, y, z)).unwrap()
}
