//! Products of a STEP file and how they are put together.
//!
//! A product definition has representations; each holds bodies, or maps of other representations. Definitions
//! are joined by usages, each with a transformation that hangs on a relationship of their representations.

use super::Fault;
use super::placement::motion;
use super::source::{Record, Source};
use super::units::Scales;
use crate::Units;
use clearance_geometry::Pose;
use std::collections::{BTreeMap, BTreeSet};

/// How the file's products hang together, by record numbers.
pub(super) struct Products<'a> {
    source: &'a Source<'a>,
    units: Units,
    /// Representations that a definition names.
    shapes: BTreeMap<u64, Vec<Record<'a>>>,
    /// All of them, by number.
    named: BTreeSet<u64>,
    /// Representations joined without a motion.
    joined: BTreeMap<u64, Vec<Record<'a>>>,
    /// Usages by the definition that uses.
    pub(super) children: BTreeMap<u64, Vec<Usage<'a>>>,
    /// Definitions that are used.
    used: BTreeSet<u64>,
    /// Units by context.
    scales: BTreeMap<u64, Scales>,
}

/// One use of a definition in another.
pub(super) struct Usage<'a> {
    /// The usage itself.
    pub(super) record: Record<'a>,
    /// What is used.
    pub(super) child: Record<'a>,
    /// The relationship of representations that carries its motion.
    relation: Option<Record<'a>>,
}

/// Attributes of representations and their relationships, ancestors first.
const REPRESENTATION: [(&str, usize); 1] = [("REPRESENTATION", 3)];
const RELATION: [(&str, usize); 2] =
    [("REPRESENTATION_RELATIONSHIP", 4), ("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION", 1)];

/// Whether a record is a representation of a shape.
pub(super) fn is_representation(record: Record<'_>) -> bool {
    record.has_kind(|kind| {
        kind.ends_with("SHAPE_REPRESENTATION") && kind != "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"
    })
}

/// Items of a representation.
pub(super) fn items<'a>(representation: Record<'a>) -> Result<Vec<Record<'a>>, Fault> {
    representation.own("REPRESENTATION", &REPRESENTATION)?.links(1)
}

impl<'a> Products<'a> {
    /// Reads all records about products. Those that make no sense are passed over with a warning.
    pub(super) fn read(source: &'a Source<'a>, units: Units, warnings: &mut Vec<Fault>) -> Self {
        let mut products = Self {
            source,
            units,
            shapes: BTreeMap::new(),
            named: BTreeSet::new(),
            joined: BTreeMap::new(),
            children: BTreeMap::new(),
            used: BTreeSet::new(),
            scales: BTreeMap::new(),
        };
        let mut keep = |outcome: Result<(), Fault>| warnings.extend(outcome.err());
        let mut relations = BTreeMap::new();
        for record in source.records() {
            if record.is("SHAPE_DEFINITION_REPRESENTATION") {
                keep(products.read_shape(record));
            } else if record.is("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION") {
                keep(read_placement(record, &mut relations));
            } else if record.is("SHAPE_REPRESENTATION_RELATIONSHIP") {
                keep(products.read_relation(record));
            }
        }
        for record in source.of_kind("NEXT_ASSEMBLY_USAGE_OCCURRENCE") {
            keep(products.read_usage(record, &relations));
        }
        products
    }

    fn read_shape(&mut self, record: Record<'a>) -> Result<(), Fault> {
        let property = record.fields().link(0)?;
        if !property.is("PRODUCT_DEFINITION_SHAPE") {
            return Ok(());
        }
        let definition = property.fields().link(2)?;
        if is_definition(definition) {
            let representation = record.fields().link(1)?;
            self.named.insert(representation.id());
            self.shapes.entry(definition.id()).or_default().push(representation);
        }
        Ok(())
    }

    fn read_relation(&mut self, record: Record<'a>) -> Result<(), Fault> {
        if record.is("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION") {
            return Ok(());
        }
        let fields = record.own("REPRESENTATION_RELATIONSHIP", &RELATION)?;
        let [first, second] = [fields.link(2)?, fields.link(3)?];
        self.joined.entry(first.id()).or_default().push(second);
        self.joined.entry(second.id()).or_default().push(first);
        Ok(())
    }

    fn read_usage(&mut self, record: Record<'a>, relations: &BTreeMap<u64, Record<'a>>) -> Result<(), Fault> {
        let [parent, child] = [record.fields().link(3)?, record.fields().link(4)?];
        let relation = relations.get(&record.id()).copied();
        self.used.insert(child.id());
        self.children.entry(parent.id()).or_default().push(Usage { record, child, relation });
        Ok(())
    }

    /// Definitions that no other uses and that have a shape or parts.
    pub(super) fn roots(&self) -> Vec<Record<'a>> {
        let has_content = |id: u64| self.shapes.contains_key(&id) || self.children.contains_key(&id);
        let root = |record: &Record<'a>| {
            is_definition(*record) && !self.used.contains(&record.id()) && has_content(record.id())
        };
        self.source.records().filter(root).collect()
    }

    /// All representations of a definition: those it names, and those joined to them that are nobody else's.
    pub(super) fn representations(&self, definition: Record<'a>) -> Vec<Record<'a>> {
        let mut found: Vec<Record<'a>> = self.shapes.get(&definition.id()).cloned().unwrap_or_default();
        let mut seen: BTreeSet<u64> = found.iter().map(|record| record.id()).collect();
        let mut at = 0;
        while at < found.len() {
            for next in self.joined.get(&found[at].id()).into_iter().flatten() {
                if !self.named.contains(&next.id()) && seen.insert(next.id()) {
                    found.push(*next);
                }
            }
            at += 1;
        }
        found
    }

    /// The units of a representation.
    pub(super) fn scales(
        &mut self,
        representation: Record<'a>,
        warnings: &mut Vec<Fault>,
    ) -> Result<Scales, Fault> {
        let context = representation.own("REPRESENTATION", &REPRESENTATION)?.link(2)?;
        if let Some(found) = self.scales.get(&context.id()) {
            return Ok(found.clone());
        }
        let scales = Scales::of_context(context, self.units, warnings)?;
        self.scales.insert(context.id(), scales.clone());
        Ok(scales)
    }

    /// From the coordinates of a used definition to those of its user.
    pub(super) fn pose(
        &mut self,
        usage: &Usage<'a>,
        warnings: &mut Vec<Fault>,
    ) -> Result<Option<Pose>, Fault> {
        let Some(relation) = usage.relation else { return Ok(None) };
        let fields = relation.own("REPRESENTATION_RELATIONSHIP", &RELATION)?;
        let ends = [fields.link(2)?, fields.link(3)?];
        let own = relation.own("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION", &RELATION)?;
        let operator = own.link(0)?;
        if !operator.is("ITEM_DEFINED_TRANSFORMATION") {
            let scales = self.scales(ends[1], warnings)?;
            return motion(operator, &scales).map(Some);
        }
        let frames = [
            motion(operator.fields().link(2)?, &self.scales(ends[0], warnings)?)?,
            motion(operator.fields().link(3)?, &self.scales(ends[1], warnings)?)?,
        ];
        // The first representation is the part's and the second the assembly's, but some write it the other
        // way round, which shows in whose they are.
        let part: BTreeSet<u64> =
            self.representations(usage.child).iter().map(|record| record.id()).collect();
        let swapped = part.contains(&ends[1].id()) && !part.contains(&ends[0].id());
        let [from, to] = if swapped { [frames[1], frames[0]] } else { frames };
        Ok(Some(to * from.inverse()))
    }
}

fn is_definition(record: Record<'_>) -> bool {
    record.is("PRODUCT_DEFINITION") || record.is("PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS")
}

/// Notes which usage a relationship of representations belongs to.
fn read_placement<'a>(record: Record<'a>, relations: &mut BTreeMap<u64, Record<'a>>) -> Result<(), Fault> {
    let property = record.fields().link(1)?;
    let usage = property.fields().link(2)?;
    if usage.is("NEXT_ASSEMBLY_USAGE_OCCURRENCE") {
        relations.insert(usage.id(), record.fields().link(0)?);
    }
    Ok(())
}

/// The name of a definition's product.
pub(super) fn name(definition: Record<'_>) -> String {
    let product = || -> Result<String, Fault> {
        let product = definition.fields().link(2)?.fields().link(2)?;
        let named = product.fields().text(1)?.trim();
        Ok(if named.is_empty() { product.fields().text(0)?.trim() } else { named }.to_owned())
    };
    product().ok().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("#{}", definition.id()))
}

/// The motion of a mapped item and the representation it maps.
pub(super) fn mapped<'a>(
    products: &mut Products<'a>,
    item: Record<'a>,
    scales: &Scales,
    warnings: &mut Vec<Fault>,
) -> Result<(Record<'a>, Pose), Fault> {
    let map = item.fields().link(1)?;
    let representation = map.fields().link(1)?;
    let inner = products.scales(representation, warnings)?;
    let origin = motion(map.fields().link(0)?, &inner)?;
    let target = motion(item.fields().link(2)?, scales)?;
    Ok((representation, target * origin.inverse()))
}
