//! Unions: sub-part trees.

use super::{AnyBody, PartName, Shape, parse};
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::{Body, LeafShape, Part, PartLeaf, PartTree, Pose};

pub(super) fn union(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("parts")?;
    let mut parts = Vec::new();
    let (mut warnings, mut names) = (Vec::new(), Vec::new());
    for (index, item) in field.items()?.iter().enumerate() {
        item.check_keys(&["shape", "pose"])?;
        let shape_field = item.need("shape")?;
        let shape = parse(shape_field, context)?;
        let (part, pose) = (part(&shape_field, &shape)?, super::solid_pose(item, context)?);
        parts.push((part, pose));
        warnings.extend(shape.warnings.iter().map(|warning| within(index, warning)));
        names.extend(shape.parts.into_iter().map(|name| {
            let path = std::iter::once(index as u32).chain(name.path).collect();
            PartName { path, ..name }
        }));
    }
    let Some(tree) = PartTree::of_parts(parts) else {
        return Err(field.error(ErrorKind::BadValue { reason: "the union has no parts".to_owned() }));
    };
    let body = AnyBody::Solid(Body::Union(tree));
    Ok(Shape { warnings, parts: names, ..Shape::new("union", body) })
}

/// What is said about a part, in the union around it.
fn within(index: usize, warning: &str) -> String {
    match warning.strip_prefix("part ") {
        Some(deeper) => format!("part {index}/{deeper}"),
        None => format!("part {index}: {warning}"),
    }
}

fn part(at: &At<'_>, shape: &Shape) -> Result<Part, Error> {
    let AnyBody::Solid(body) = &shape.body else {
        let reason = format!("a planar `{}` in a union", shape.kind);
        return Err(at.error(ErrorKind::DimensionMismatch { reason }));
    };
    part_of(body).ok_or_else(|| {
        let what = format!("a `{}` as a part of a union", shape.kind);
        at.error(ErrorKind::UnsupportedFeature { what })
    })
}

/// The body as a part; none where a tree has no such leaves.
fn part_of(body: &Body) -> Option<Part> {
    match body {
        Body::Polytope(polytope) => Some(Part::Polytope(polytope.clone())),
        Body::Tiled(body) => Some(Part::Tiled(body.clone())),
        Body::Union(tree) => Some(Part::Union(nested(tree.leaves(), 0))),
        Body::Boundary(whole) => Some(Part::Boundary(Box::new(part_of(whole)?))),
        _ => None,
    }
}

/// The parts whose paths the leaves have, from the step `depth` on. Leaves stand in the order of their paths, and their
/// poses already have those of the unions around them.
fn nested(leaves: &[PartLeaf], depth: usize) -> Vec<(Part, Pose)> {
    let groups = leaves.chunk_by(|a, b| a.path.get(depth) == b.path.get(depth));
    groups
        .map(|group| match group {
            [leaf] if leaf.path.len() == depth + 1 => {
                let part = match &leaf.shape {
                    LeafShape::Polytope(polytope) => Part::Polytope(polytope.clone()),
                    LeafShape::Tiled(body) => Part::Tiled(body.clone()),
                };
                (if leaf.boundary { Part::Boundary(Box::new(part)) } else { part }, leaf.pose)
            }
            _ => (Part::Union(nested(group, depth + 1)), Pose::IDENTITY),
        })
        .collect()
}
