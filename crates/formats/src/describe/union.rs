//! What is known about unions and assemblies.

use super::curved::{classes, convexity, open_edges, surfaces};
use super::{Description, Fact, flat, measured, tensor};
use crate::Shape;
use crate::shape::path_in_words;
use clearance_geometry::bound::Aabb;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{DMat3, DVec3, LeafShape, PartLeaf, PartTree, Polytope};

/// The mass of a part in the frame of the union.
struct Weight {
    volume: f64,
    volume_error: f64,
    center: DVec3,
    center_error: f64,
    inertia: DMat3,
    inertia_error: f64,
}

/// Entries of a tensor that turning it mixes.
const MIXED: f64 = 9.0;

impl Description {
    pub(super) fn add_union(&mut self, tree: &PartTree, shape: &Shape) {
        let leaves = tree.leaves();
        let tiled = || leaves.iter().filter_map(|leaf| tiled_of(leaf));
        let all = |sort: usize| leaves.iter().map(|leaf| counts(leaf)[sort]).sum::<usize>();
        let flat = |sort: usize| all(sort) - tiled().map(|body| counts_of(body)[sort]).sum::<usize>();
        self.add("bodies", Fact::Count(leaves.len()));
        self.add("faces", Fact::Count(all(0)));
        self.add("surfaces", surfaces(tiled().flat_map(|body| body.faces()), flat(0)));
        self.add("edges", Fact::Count(all(1)));
        let kinds = tiled().flat_map(|body| body.edges()).map(|edge| edge.kind);
        self.add("edge_classes", classes(kinds, flat(1)));
        self.add("vertices", Fact::Count(all(2)));
        self.add("closed", Fact::Flag(tiled().all(TiledBody::is_closed)));
        let open: Vec<Self> = leaves
            .iter()
            .filter_map(|leaf| Some(open_edges(tiled_of(leaf)?, &format!("{}/", path_in_words(&leaf.path)))))
            .flatten()
            .collect();
        if !open.is_empty() {
            self.add("open_edges", Fact::Rows(open));
        }
        self.add("surface_only", Fact::Flag(shape.surface_only));
        let convex = match leaves {
            [one] => tiled_of(one).map_or("yes", |body| convexity(body).0),
            _ => "unknown",
        };
        self.add("convex", Fact::Text(convex.to_owned()));
        self.add_box(&leaves.iter().map(extent).fold(Aabb::EMPTY, |all, one| all.joined(&one)));
        self.add_sums(leaves);
        self.add("parts", Fact::Rows(leaves.iter().map(|leaf| row(leaf, shape)).collect()));
    }

    /// Area and mass of all parts; what overlaps counts twice.
    fn add_sums(&mut self, leaves: &[PartLeaf]) {
        let areas: Option<Vec<[f64; 2]>> = leaves
            .iter()
            .map(|leaf| tiled_of(leaf).map(|body| [body.mass().area, body.mass().area_error]))
            .collect();
        if let Some(areas) = areas {
            let sum = |at: usize| areas.iter().map(|area| area[at]).sum::<f64>();
            let proven = leaves.iter().filter_map(tiled_of).all(|body| body.mass().area_proven);
            self.add("area", Fact::Estimate { value: sum(0), error: sum(1), proven });
            self.add("area_proven", Fact::Flag(proven));
        }
        let weights: Vec<Weight> = leaves.iter().map(weight).collect();
        let sum = |term: &dyn Fn(&Weight) -> f64| weights.iter().map(term).sum::<f64>();
        let volume = sum(&|part| part.volume);
        if !(volume > 0.0) {
            return;
        }
        // Those that are open weigh nothing.
        let proven = leaves.iter().filter_map(tiled_of).all(|body| body.mass().proven || !body.is_closed());
        self.add("volume", Fact::Estimate { value: volume, error: sum(&|part| part.volume_error), proven });
        let center = weights.iter().map(|part| part.center * part.volume).sum::<DVec3>() / volume;
        let arm = |part: &Weight| part.center - center;
        let error =
            sum(&|part| part.volume * part.center_error + part.volume_error * arm(part).length()) / volume;
        self.add("mass_center", Fact::Estimates { values: center.to_array().to_vec(), error, proven });
        let inertia = weights.iter().fold(DMat3::ZERO, |sum, part| {
            let arm = arm(part);
            let square = DMat3::from_diagonal(DVec3::splat(arm.length_squared()));
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            sum + part.inertia + (square - outer) * part.volume
        });
        let error = sum(&|part| {
            let length = arm(part).length();
            part.inertia_error
                + part.volume_error * length * length
                + 2.0 * part.volume * length * (part.center_error + error)
        });
        self.add("inertia", Fact::Estimates { values: tensor(inertia), error, proven });
        self.add("mass_proven", Fact::Flag(proven));
    }
}

fn tiled_of(leaf: &PartLeaf) -> Option<&TiledBody> {
    match &leaf.shape {
        LeafShape::Tiled(body) => Some(body),
        LeafShape::Polytope(_) => None,
    }
}

/// Faces, edges, vertices.
fn counts(leaf: &PartLeaf) -> [usize; 3] {
    match &leaf.shape {
        LeafShape::Polytope(body) => [body.face_count(), body.edge_count(), body.vertex_count()],
        LeafShape::Tiled(body) => counts_of(body),
    }
}

fn counts_of(body: &TiledBody) -> [usize; 3] {
    [body.face_count(), body.edge_count(), body.vertex_count()]
}

/// A box around a part in the union's frame: around the part's own box where it is turned.
fn extent(leaf: &PartLeaf) -> Aabb<3> {
    let points: Vec<DVec3> = match &leaf.shape {
        LeafShape::Polytope(body) => corners_of(body),
        LeafShape::Tiled(body) => {
            let around = body.aabb();
            let pick = |bit: usize, axis: usize| if bit == 0 { around.low[axis] } else { around.high[axis] };
            (0..8).map(|k| DVec3::new(pick(k & 1, 0), pick(k & 2, 1), pick(k & 4, 2))).collect()
        }
    };
    let moved = points.into_iter().map(|point| leaf.pose.apply(point));
    let (low, high) =
        moved.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    Aabb { low: low.to_array(), high: high.to_array() }
}

fn corners_of(body: &Polytope) -> Vec<DVec3> {
    body.vertices().iter().map(|vertex| *vertex + body.anchor()).collect()
}

fn weight(leaf: &PartLeaf) -> Weight {
    let turn = leaf.pose.rotation();
    let turned = |inertia: DMat3| turn * inertia * turn.transpose();
    match &leaf.shape {
        LeafShape::Polytope(body) => {
            let mass = body.mass();
            let rounding = clearance_geometry::tolerance::MASS_ROUNDING_REL;
            let inertia = turned(mass.inertia);
            Weight {
                volume: mass.volume,
                volume_error: rounding * mass.volume,
                center: leaf.pose.apply(mass.center + body.anchor()),
                center_error: rounding * body.reach(),
                inertia,
                inertia_error: rounding * tensor(inertia).iter().map(|entry| entry.abs()).sum::<f64>(),
            }
        }
        LeafShape::Tiled(body) => {
            let mass = body.mass();
            let weighs = if body.is_closed() { 1.0 } else { 0.0 };
            Weight {
                volume: mass.volume,
                volume_error: weighs * mass.volume_error,
                center: leaf.pose.apply(mass.center),
                center_error: mass.center_error,
                inertia: turned(mass.inertia),
                inertia_error: weighs * MIXED * mass.inertia_error,
            }
        }
    }
}

/// A line about a part.
fn row(leaf: &PartLeaf, shape: &Shape) -> Description {
    let mut row = Description::default().with("part", Fact::Text(path_in_words(&leaf.path)));
    if let Some(name) = shape.parts.iter().find(|name| name.path == leaf.path) {
        row.add("name", Fact::Text(name.name.clone()));
        row.add("entity", Fact::Text(format!("#{}", name.entity)));
    }
    let [faces, edges, vertices] = counts(leaf);
    let kind = match &leaf.shape {
        _ if leaf.boundary => "boundary",
        LeafShape::Polytope(_) => "polytope",
        LeafShape::Tiled(_) => "tiled",
    };
    row.add("body", Fact::Text(kind.to_owned()));
    row.add("faces", Fact::Count(faces));
    row.add("edges", Fact::Count(edges));
    row.add("vertices", Fact::Count(vertices));
    match &leaf.shape {
        LeafShape::Polytope(body) => {
            row.add("closed", Fact::Flag(true));
            row.add("convex", Fact::Text("yes".to_owned()));
            row.add("volume", Fact::Number(body.mass().volume));
            let [low, high] = flat::extent(body);
            row.add("size", measured((high - low).to_array()));
        }
        LeafShape::Tiled(body) => {
            let (convex, _) = convexity(body);
            let mass = body.mass();
            row.add("closed", Fact::Flag(body.is_closed()));
            row.add("convex", Fact::Text(convex.to_owned()));
            let (proven, area_proven) = (mass.proven, mass.area_proven);
            row.add("area", Fact::Estimate { value: mass.area, error: mass.area_error, proven: area_proven });
            row.add("area_proven", Fact::Flag(area_proven));
            if body.is_closed() {
                row.add("volume", Fact::Estimate { value: mass.volume, error: mass.volume_error, proven });
                row.add("mass_proven", Fact::Flag(proven));
            }
            let around = body.aabb();
            let size = DVec3::from_array(around.high) - DVec3::from_array(around.low);
            row.add("size", measured(size.to_array()));
        }
    }
    row.with("translation", measured(leaf.pose.translation().to_array()))
}
