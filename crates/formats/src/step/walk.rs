//! From the roots of the assembly tree down to the bodies.

use super::bodies::{body, is_body};
use super::products::{self, Products, Usage, is_representation, items, mapped};
use super::source::{Record, Source};
use super::{Fault, StepBody, StepInstance, StepModel, StepRefusal};
use crate::{Error, ErrorKind, Units};
use clearance_geometry::Pose;
use std::collections::{BTreeMap, BTreeSet};

/// Instances of a file; a small file may multiply a part without end.
const MOST_INSTANCES: usize = 1_000_000;

/// Faces of all bodies for each record of a file. A file that names one shell in very many bodies would fill the
/// memory; real ones stay below one.
const FACES_PER_RECORD: usize = 2;

/// Levels of an assembly; deeper ones are taken for circles that the check for circles cannot see.
const DEEPEST_ASSEMBLY: usize = 64;

/// Reads all bodies of a file and where they stand.
pub(super) fn model(source: &Source<'_>, units: Units) -> Result<StepModel, Error> {
    let mut model =
        StepModel { schema: source.schema.clone(), warnings: source.repairs.clone(), ..Default::default() };
    let products = Products::read(source, units, &mut model.warnings);
    let mut walk = Walk {
        model,
        products,
        bodies: BTreeMap::new(),
        seen: BTreeSet::new(),
        full: false,
        passed: BTreeSet::new(),
        faces: 0,
        loose: false,
        usages: 0,
        product: String::new(),
    };
    for root in walk.products.roots() {
        let path = vec![products::name(root)];
        walk.definition(root, Pose::IDENTITY, &path, &mut Vec::new());
    }
    // Representations that hang on no product.
    for record in source.records().filter(|record| is_representation(*record)) {
        if !walk.seen.contains(&record.id()) {
            walk.loose = true;
            walk.representation(record, Pose::IDENTITY, &[], &mut Vec::new());
        }
    }
    if walk.full {
        let reason = format!(
            "the file names its parts too often: more than {MOST_INSTANCES} instances, or more faces than records"
        );
        return Err(Error::new(ErrorKind::BadFile { reason }));
    }
    Ok(walk.finish())
}

struct Walk<'a> {
    model: StepModel,
    products: Products<'a>,
    /// Bodies read so far by record and representation; `None` for refused ones.
    bodies: BTreeMap<(u64, u64), Option<usize>>,
    /// Representations visited.
    seen: BTreeSet<u64>,
    full: bool,
    /// Items passed over and usages without a place, each to be named once.
    passed: BTreeSet<u64>,
    /// Faces of all bodies, which are about as many as the file has.
    faces: usize,
    /// Whether products are done with, and what is left is visited.
    loose: bool,
    /// Usages followed, which may be many without an instance among them.
    usages: usize,
    /// Name of the product whose representations are visited. Paths tell its namesakes apart, this does not.
    product: String,
}

impl<'a> Walk<'a> {
    /// A product definition and all below it. `open` holds the definitions above, to see circles.
    fn definition(&mut self, record: Record<'a>, pose: Pose, path: &[String], open: &mut Vec<u64>) {
        if open.contains(&record.id()) || open.len() > DEEPEST_ASSEMBLY {
            self.model.warnings.push(record.fault("is used within itself; that use is left out"));
            return;
        }
        open.push(record.id());
        let mut maps = false;
        self.product = products::name(record);
        for representation in self.products.representations(record) {
            maps |= self.representation(representation, pose, path, &mut Vec::new());
        }
        let usages = self.products.children.remove(&record.id()).unwrap_or_default();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for usage in &usages {
            self.usages += 1;
            self.full |= self.usages > MOST_INSTANCES;
            if self.full {
                break;
            }
            let name = products::name(usage.child);
            let number = names.entry(name.clone()).or_insert(0);
            *number += 1;
            let mut below = path.to_vec();
            below.push(if *number == 1 { name } else { format!("{name}:{number}") });
            if let Some(placed) = self.placed(usage, maps) {
                self.definition(usage.child, pose * placed, &below, open);
            }
        }
        self.products.children.insert(record.id(), usages);
        open.pop();
    }

    /// Where a usage puts its part; nothing where the part is there already as a map.
    fn placed(&mut self, usage: &Usage<'a>, maps: bool) -> Option<Pose> {
        let mut found = Vec::new();
        let pose = self.products.pose(usage, &mut found);
        self.model.warnings.append(&mut found);
        match pose {
            Ok(Some(pose)) => Some(pose),
            Ok(None) if maps => None,
            Ok(None) => {
                if self.passed.insert(usage.record.id()) {
                    let fault = usage.record.fault("has no placement; its part is left where it was drawn");
                    self.model.warnings.push(fault);
                }
                Some(Pose::IDENTITY)
            }
            Err(fault) => {
                let name = products::name(usage.child);
                self.model.refused.push(StepRefusal { entity: usage.record.id(), name, reason: fault });
                None
            }
        }
    }

    /// Bodies and maps of a representation; whether there was any map. `open` as above.
    fn representation(
        &mut self,
        record: Record<'a>,
        pose: Pose,
        path: &[String],
        open: &mut Vec<u64>,
    ) -> bool {
        let mut maps = false;
        self.seen.insert(record.id());
        if open.contains(&record.id()) || open.len() > DEEPEST_ASSEMBLY || self.full {
            self.model.warnings.push(record.fault("contains itself; that part is left out"));
            return maps;
        }
        open.push(record.id());
        match items(record) {
            Ok(items) => {
                for item in items {
                    maps |= item.is("MAPPED_ITEM");
                    self.item(item, record, pose, path, open);
                }
            }
            Err(fault) => self.model.warnings.push(fault),
        }
        open.pop();
        maps
    }

    fn item(
        &mut self,
        item: Record<'a>,
        representation: Record<'a>,
        pose: Pose,
        path: &[String],
        open: &mut Vec<u64>,
    ) {
        if self.full {
            return;
        }
        if is_body(item) {
            // A body may stand again in representations about properties of its product.
            let known =
                self.loose && self.bodies.range((item.id(), 0)..=(item.id(), u64::MAX)).next().is_some();
            if !known {
                self.body(item, representation, pose, path);
            }
        } else if item.is("MAPPED_ITEM") {
            self.usages += 1;
            self.full |= self.usages > MOST_INSTANCES;
            let mut found = Vec::new();
            let placed = self
                .products
                .scales(representation, &mut found)
                .and_then(|scales| mapped(&mut self.products, item, &scales, &mut found));
            self.model.warnings.append(&mut found);
            match placed {
                Ok((inner, placed)) => _ = self.representation(inner, pose * placed, path, open),
                Err(reason) => {
                    let name = path.last().cloned().unwrap_or_default();
                    self.model.refused.push(StepRefusal { entity: item.id(), name, reason });
                }
            }
        } else if !is_silent(item) && self.passed.insert(item.id()) {
            self.model.warnings.push(item.fault("is no body of faces and is left out"));
        }
    }

    fn body(&mut self, item: Record<'a>, representation: Record<'a>, pose: Pose, path: &[String]) {
        let own = item.own_or_all("REPRESENTATION_ITEM").text(0).unwrap_or_default().trim();
        let name = match (path, own) {
            ([_, ..], _) => self.product.clone(),
            ([], "") => format!("#{}", item.id()),
            ([], own) => own.to_owned(),
        };
        let key = (item.id(), representation.id());
        let index = match self.bodies.get(&key) {
            Some(index) => *index,
            None => {
                let index = match self.read_body(item, representation, &name) {
                    Ok(body) => {
                        self.faces += body.faces.len();
                        self.full |= self.faces > FACES_PER_RECORD * item.source().len();
                        self.model.bodies.push(body);
                        Some(self.model.bodies.len() - 1)
                    }
                    Err(reason) => {
                        let name = name.clone();
                        self.model.refused.push(StepRefusal { entity: item.id(), name, reason });
                        None
                    }
                };
                self.bodies.insert(key, index);
                index
            }
        };
        let Some(body) = index else { return };
        if self.model.instances.len() >= MOST_INSTANCES {
            self.full = true;
            return;
        }
        let path = if path.is_empty() { vec![name] } else { path.to_vec() };
        self.model.instances.push(StepInstance { path, pose, body });
    }

    fn read_body(
        &mut self,
        item: Record<'a>,
        representation: Record<'a>,
        name: &str,
    ) -> Result<StepBody, Fault> {
        let scales = self.products.scales(representation, &mut self.model.warnings)?;
        body(item, name, &scales, &mut self.model.warnings)
    }

    /// Bodies in the order of their records.
    fn finish(mut self) -> StepModel {
        let mut order: Vec<usize> = (0..self.model.bodies.len()).collect();
        order.sort_by_key(|at| self.model.bodies[*at].entity);
        let mut places = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            places[*old] = new;
        }
        self.model.bodies.sort_by_key(|body| body.entity);
        for instance in &mut self.model.instances {
            instance.body = places[instance.body];
        }
        self.model
    }
}

/// Items that carry no shape of their own.
fn is_silent(item: Record<'_>) -> bool {
    item.has_kind(|kind| kind.contains("PLACEMENT") || ["CARTESIAN_POINT", "DIRECTION"].contains(&kind))
}
