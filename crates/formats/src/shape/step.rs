//! STEP files as shapes: one body, or a union of the instances of an assembly.

use super::notes::curved;
use super::{AnyBody, PartName, Shape};
use crate::step::{Fault, StepBody, StepBodyKind, StepFace, StepInstance, StepModel};
use crate::{Context, Error, ErrorKind, Units};
use clearance_geometry::bound::Aabb;
use clearance_geometry::tiled::{TiledError, TiledNote};
use clearance_geometry::{Body, DVec3, Part, PartTree, Pose, tolerance};
use std::path::Path;

/// Reads a file, all of it or one part. A body that cannot be represented is left out as a whole, and that is said.
pub(super) fn shape(path: &Path, part: Option<&str>, context: &Context) -> Result<Shape, Error> {
    let model = StepModel::read(path, context.answer_units())?;
    let chosen: Vec<&StepInstance> = match part {
        Some(part) => model.instances_of(part).collect(),
        None => model.instances.iter().collect(),
    };
    if let (Some(part), []) = (part, chosen.as_slice()) {
        // There, but not to be represented, is another thing than not there.
        let is_asked_for = |name: &str, entity: u64| name == part || part == format!("#{entity}");
        if let Some(found) = model.refused.iter().find(|body| is_asked_for(&body.name, body.entity)) {
            let reason = left_out(&found.name, found.entity, &found.reason);
            return Err(Error::new(ErrorKind::BadFile { reason }));
        }
        return Err(Error::new(ErrorKind::UnknownName { what: "part".into(), name: part.to_owned() }));
    }
    let warnings = warnings(&model, &chosen, context.answer_units());
    let mut reader = Reader { model: &model, read: vec![None; model.bodies.len()], warnings };
    let built = match chosen.as_slice() {
        [one] => reader.single(one),
        several => reader.assembly(several),
    };
    let Some((body, parts)) = built else {
        let reason = reader.warnings.pop().unwrap_or_else(|| "the file has no bodies".to_owned());
        return Err(Error::new(ErrorKind::BadFile { reason }));
    };
    Ok(Shape {
        warnings: reader.warnings,
        source: Some(path.to_path_buf()),
        parts,
        ..Shape::new("step", AnyBody::Solid(body))
    })
}

/// What the file itself gives rise to.
fn warnings(model: &StepModel, chosen: &[&StepInstance], units: Units) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    let name = match units {
        Units::Metre => "metre",
        Units::Millimetre => "millimetre",
        Units::Centimetre => "centimetre",
        Units::Inch => "inch",
    };
    for instance in chosen {
        let written = &model.bodies[instance.body].written_in;
        if !written.eq_ignore_ascii_case(name) {
            let line = format!("the lengths of the file were converted from {written} to {}", units.symbol());
            if !warnings.contains(&line) {
                warnings.push(line);
            }
        }
    }
    warnings.extend(model.warnings.iter().map(Fault::to_string));
    let refused = model.refused.iter();
    warnings.extend(refused.map(|refusal| left_out(&refusal.name, refusal.entity, &refusal.reason)));
    warnings
}

fn left_out(name: &str, entity: u64, reason: &Fault) -> String {
    format!("left out: #{entity} {name}: {reason}")
}

/// A body that was read; `None` inside where it cannot be built.
type Read = Option<Part>;

struct Reader<'m> {
    model: &'m StepModel,
    /// Every body once, however many instances it has.
    read: Vec<Option<Read>>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// One instance: moved to its place, so that its features need no path.
    fn single(&mut self, instance: &StepInstance) -> Option<(Body, Vec<PartName>)> {
        let moved = moved(&self.model.bodies[instance.body], &instance.pose);
        let body = match self.part(&moved)? {
            Part::Boundary(whole) => body_of(*whole)?.boundary(),
            part => body_of(part)?,
        };
        Some((body, vec![self.name(instance, Vec::new())]))
    }

    /// Several instances: a union, its parts in the order of the assembly tree.
    fn assembly(&mut self, instances: &[&StepInstance]) -> Option<(Body, Vec<PartName>)> {
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for instance in instances {
            let read = match &self.read[instance.body] {
                Some(read) => read.clone(),
                None => {
                    let read = self.part(&self.model.bodies[instance.body]);
                    self.read[instance.body].insert(read).clone()
                }
            };
            let far = instance.pose.translation().abs().max_element();
            if !(far <= tolerance::LARGEST_EXTENT) {
                let name = self.name(instance, Vec::new());
                let line =
                    format!("left out: #{} {}: a place at {far:e} is out of range", name.entity, name.name);
                self.warnings.push(line);
            } else if let Some(part) = read {
                names.push(self.name(instance, vec![parts.len() as u32]));
                parts.push((part, instance.pose));
            }
        }
        Some((Body::Union(PartTree::of_parts(parts)?), names))
    }

    fn name(&self, instance: &StepInstance, path: Vec<u32>) -> PartName {
        let body = &self.model.bodies[instance.body];
        let name = if instance.path.is_empty() { body.name.clone() } else { instance.path.join("/") };
        PartName { path, name, entity: body.entity }
    }

    /// The checked body, with what there is to say about it; none where it is left out.
    fn part(&mut self, body: &StepBody) -> Read {
        let who = format!("#{} {}", body.entity, body.name);
        let tiled = match body.to_tiled() {
            Ok(tiled) => tiled,
            Err(error) => {
                // What is too small or too large fails in many ways, none of which is the reason.
                let fault = vertex_range(body).unwrap_or_else(|| in_file(body, &error));
                self.warnings.push(format!("left out: {who}: {fault}"));
                return None;
            }
        };
        if let Some(extent) = out_of_range(&tiled.aabb()) {
            self.warnings.push(format!("left out: {who}: {}", range_fault(body, extent)));
            return None;
        }
        for note in tiled.notes() {
            match note {
                TiledNote::FoldedFaces { faces } => {
                    let folded = faces.iter().filter_map(|face| body.faces.get(face.index()));
                    self.warnings.extend(folded.map(|face| format!("{who}: {}", fold_fault(face))));
                }
                note => self.warnings.push(format!("{who}: {}", curved(note))),
            }
        }
        match body.kind {
            StepBodyKind::Sheet if tiled.is_closed() => Some(Part::Boundary(Box::new(Part::Tiled(tiled)))),
            StepBodyKind::Solid if !tiled.is_closed() => {
                let open = tiled.open_edges().len();
                self.warnings.push(format!("{who}: called a solid, but {open} of its edges are open"));
                Some(Part::Tiled(tiled))
            }
            _ => Some(Part::Tiled(tiled)),
        }
    }
}

/// The extent of a box, or how far away it is, where its squares and products would leave double precision.
fn out_of_range(around: &Aabb<3>) -> Option<f64> {
    let [low, high] = [around.low, around.high].map(DVec3::from_array);
    let (size, far) = ((high - low).max_element(), low.abs().max(high.abs()).max_element());
    if !(far <= tolerance::LARGEST_EXTENT) {
        return Some(far);
    }
    (!(size >= tolerance::SMALLEST_EXTENT)).then_some(size)
}

fn range_fault(body: &StepBody, extent: f64) -> Fault {
    let message = format!("an extent of {extent:e} is out of range");
    Fault { entity: Some(body.entity), line: Some(body.line), message }
}

fn fold_fault(face: &StepFace) -> Fault {
    let message = "the face folds along a knot of its surface and has no edge there".to_owned();
    Fault { entity: Some(face.entity), line: Some(face.line), message }
}

/// What is wrong with the extent of the vertices, if they have any.
fn vertex_range(body: &StepBody) -> Option<Fault> {
    let points = || body.vertices.iter().map(|vertex| vertex.point);
    let (low, high) = (points().reduce(DVec3::min)?, points().reduce(DVec3::max)?);
    let around = Aabb { low: low.to_array(), high: high.to_array() };
    let extent = out_of_range(&around).filter(|extent| *extent > 0.0)?;
    Some(range_fault(body, extent))
}

fn body_of(part: Part) -> Option<Body> {
    match part {
        Part::Tiled(body) => Some(Body::Tiled(body)),
        _ => None,
    }
}

/// The error at the record of the face or edge that it names.
fn in_file(body: &StepBody, error: &TiledError) -> Fault {
    use TiledError as T;
    let face = match error {
        T::EdgeOffSurface { face, .. }
        | T::LoopGap { face, .. }
        | T::Unbounded { face }
        | T::LoopTurned { face }
        | T::NoExtent { face }
        | T::InconsistentOrientation { faces: [face, _], .. } => body.faces.get(face.index()),
        T::NotFinite { what: "face", index } => body.faces.get(*index),
        _ => None,
    };
    let edge = match error {
        T::VertexOffEdge { edge, .. } | T::NotManifold { edge, .. } | T::UnusedEdge { edge } => {
            body.edges.get(edge.index())
        }
        _ => None,
    };
    let face = face.map(|face| (face.entity, face.line));
    let edge = edge.map(|edge| (edge.entity, edge.line));
    let (entity, line) = face.or(edge).unwrap_or((body.entity, body.line));
    Fault { entity: Some(entity), line: Some(line), message: error.to_string() }
}

fn moved(body: &StepBody, pose: &Pose) -> StepBody {
    let mut body = body.clone();
    if *pose == Pose::IDENTITY {
        return body;
    }
    for face in &mut body.faces {
        face.surface = face.surface.moved(pose);
    }
    for edge in &mut body.edges {
        edge.curve = edge.curve.moved(pose);
    }
    for vertex in &mut body.vertices {
        vertex.point = pose.apply(vertex.point);
    }
    body
}
