//! Shapes as files and streams write them.

mod algebraic;
mod flat;
mod notes;
mod patch;
mod planar;
mod primitive;
mod revolve;
mod step;
mod surface;
mod union;

pub(crate) use notes::{path_in_words, warnings};

use crate::fields::At;
use crate::{AnyPose, Context, Error, ErrorKind, Value, mesh, pose};
use clearance_geometry::{Body, PlanarTiled, Polygon, PolytopeError, Pose, tolerance};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A body in space or in the plane.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyBody {
    /// In space.
    Solid(Body),
    /// In the plane, with straight sides.
    Planar(Polygon),
    /// In the plane, bounded by curves.
    PlanarTiled(PlanarTiled),
}

impl AnyBody {
    /// Whether it is a body of the plane.
    pub const fn is_planar(&self) -> bool {
        matches!(self, Self::Planar(_) | Self::PlanarTiled(_))
    }

    /// Whether it has no bounds: a half-space.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Self::Solid(body) if matches!(body.whole(), Body::HalfSpace(_)))
    }
}

/// A shape that has been read: the body and what was noticed on the way.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The `kind` it was given as.
    pub kind: &'static str,
    /// The body.
    pub body: AnyBody,
    /// Whether its boundary alone is meant, so that nothing is ever inside.
    pub surface_only: bool,
    /// What was repaired or assumed.
    pub warnings: Vec<String>,
    /// The file it was read from, of a mesh or a STEP file.
    pub source: Option<PathBuf>,
    /// Parts that have a name: those of a STEP file.
    pub parts: Vec<PartName>,
}

/// The name of a part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartName {
    /// Its place: the number of the part in each union from the outermost inward; empty for a body of one piece.
    pub path: Vec<u32>,
    /// Products from the root of the assembly down to its own, separated by `/`.
    pub name: String,
    /// Number of the body's record in its file.
    pub entity: u64,
}

impl Shape {
    /// A body without anything to say about it but its own notes.
    pub(crate) fn new(kind: &'static str, body: AnyBody) -> Self {
        let surface_only = matches!(&body, AnyBody::Solid(body) if body.is_surface_only());
        let warnings = warnings(&body);
        Self { kind, body, surface_only, warnings, source: None, parts: Vec::new() }
    }

    /// The shape at time `t`, in seconds: another one than at time 0 where it deforms.
    ///
    /// # Errors
    /// When its patches outgrow double precision, or no longer make a body.
    pub fn at_time(&self, t: f64) -> Result<Cow<'_, Self>, Error> {
        let AnyBody::Solid(body) = &self.body else { return Ok(Cow::Borrowed(self)) };
        let Body::Deforming(deforming) = body.whole() else { return Ok(Cow::Borrowed(self)) };
        let later = Body::from(deforming.advance(t)?);
        let later = if matches!(body, Body::Boundary(_)) { later.boundary() } else { later };
        Ok(Cow::Owned(Self { body: AnyBody::Solid(later), ..self.clone() }))
    }

    /// Reads a shape object.
    ///
    /// # Errors
    /// Whatever can be wrong with one; the error names the key and, where there is one, the file.
    pub fn from_value(value: &Value, context: &Context) -> Result<Self, Error> {
        parse(At::root(value, ""), context)
    }

    /// Reads a shape object from JSON text.
    ///
    /// # Errors
    /// As [`Shape::from_value`], and `bad_json`.
    ///
    /// ```
    /// use clearance_formats::{Context, Shape};
    /// let shape = Shape::from_json(r#"{"kind": "torus", "major": 2, "minor": 0.5}"#, &Context::default())?;
    /// assert_eq!(shape.kind, "torus");
    /// # Ok::<(), clearance_formats::Error>(())
    /// ```
    pub fn from_json(text: &str, context: &Context) -> Result<Self, Error> {
        Self::from_value(&Value::from_json(text)?, context)
    }

    /// Reads a shape from a file: a mesh or STEP file by its ending, or from `.json` a shape object or a list of Bézier
    /// patches, `{"patches": [net, …]}`.
    ///
    /// # Errors
    /// `file_not_found`, `bad_file`, and what the content can have wrong; all name the file.
    pub fn from_file(path: &Path, context: &Context) -> Result<Self, Error> {
        Self::from_named(path, context).map_err(|error| error.in_file(path))
    }

    fn from_named(path: &Path, context: &Context) -> Result<Self, Error> {
        match extension(path).as_str() {
            "obj" | "stl" | "ply" => mesh::shape(path, None, false, context),
            "step" | "stp" => step::shape(path, None, context),
            "json" => {
                let value = Value::from_json(&read_text(path)?)?;
                let at = At::root(&value, "");
                if at.get("kind").is_none() && at.get("patches").is_some() {
                    return patch::loose_patches(&at, context)
                        .map(|shape| Self { source: Some(path.to_path_buf()), ..shape });
                }
                let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
                parse(at, &context.in_directory(directory))
            }
            _ => {
                let reason = "the name ends in none of .obj, .stl, .ply, .step, .stp, .json".to_owned();
                Err(Error::new(ErrorKind::BadFile { reason }))
            }
        }
    }

    /// Reads a shape from a command-line argument: a shape object if it starts with `{`, else a file name.
    ///
    /// # Errors
    /// As [`Shape::from_json`] and [`Shape::from_file`].
    pub fn from_argument(text: &str, context: &Context) -> Result<Self, Error> {
        if text.trim_start().starts_with('{') {
            return Self::from_json(text, context);
        }
        Self::from_file(&context.resolve(text), context)
    }

    /// The same with its boundary alone.
    fn boundary(self) -> Self {
        let body = match self.body {
            AnyBody::Solid(body) => AnyBody::Solid(body.boundary()),
            planar => planar,
        };
        Self { body, surface_only: true, ..self }
    }
}

/// The ending of a file name in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads a text file; a byte-order mark at its start is left out.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = read_bytes(path)?;
    let mut text = String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::BadFile { reason: "the file is not UTF-8 text".to_owned() }))?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| Error::new(ErrorKind::FileNotFound { reason: error.to_string() }))
}

/// Makes the body of one kind from its fields.
type Builder = fn(&At<'_>, &Context) -> Result<AnyBody, Error>;

/// How a kind is read.
enum Reader {
    /// The keys it takes and the way to its body.
    Body(&'static [&'static str], Builder),
    /// The keys it takes and the way to the whole shape, where there is more to say.
    Shape(&'static [&'static str], fn(&At<'_>, &Context) -> Result<Shape, Error>),
}

const KINDS: [(&str, Reader); 21] = [
    ("point", Reader::Body(&["planar"], flat::point)),
    ("segment", Reader::Body(&["points", "planar"], flat::segment)),
    ("box", Reader::Body(&["size"], flat::cuboid)),
    ("sphere", Reader::Body(&["radius"], primitive::sphere)),
    ("ellipsoid", Reader::Body(&["radii"], primitive::ellipsoid)),
    ("cylinder", Reader::Body(&["radius", "height"], primitive::cylinder)),
    ("cone", Reader::Body(&["radius", "height", "top_radius"], primitive::cone)),
    ("capsule", Reader::Body(&["radius", "height"], primitive::capsule)),
    ("torus", Reader::Body(&["major", "minor"], primitive::torus)),
    ("half_space", Reader::Body(&["normal", "offset"], flat::half_space)),
    ("polytope", Reader::Body(&["points", "vertices", "faces", "halfspaces", "center"], flat::polytope)),
    ("polygon", Reader::Body(&["points", "center"], flat::polygon)),
    ("mesh", Reader::Shape(&["file", "units", "hull"], mesh_shape)),
    ("step", Reader::Shape(&["file", "part"], step_shape)),
    ("revolve", Reader::Body(&["profile"], revolve::revolve)),
    ("nurbs", Reader::Body(&patch::NURBS_KEYS, patch::nurbs)),
    ("surface", Reader::Body(&surface::KEYS, surface::surface)),
    ("tiled", Reader::Shape(&["faces", "patches", "file", "match"], patch::tiled)),
    ("planar_tiled", Reader::Body(&["curves"], planar::planar_tiled)),
    ("algebraic", Reader::Body(&["polynomial", "within"], algebraic::algebraic)),
    ("union", Reader::Shape(&["parts"], union::union)),
];

/// Reads a shape object.
pub(crate) fn parse(at: At<'_>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("kind")?;
    let word = field.text()?;
    let Some((kind, reader)) = KINDS.iter().find(|(kind, _)| *kind == word) else {
        let known: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
        let kind = ErrorKind::UnknownKind { kind: word.to_owned(), known: known.join(", ") };
        return Err(field.error(kind));
    };
    let (Reader::Body(keys, _) | Reader::Shape(keys, _)) = reader;
    check_keys(&at, keys)?;
    let surface_only = at.get("surface_only").map_or(Ok(false), |field| field.bool())?;
    let shape = match reader {
        Reader::Body(_, build) => {
            let body = build(&at, context)?;
            check_range(&body).map_err(|error| at.place(error))?;
            Shape::new(kind, body)
        }
        Reader::Shape(_, build) => build(&at, context)?,
    };
    if context.is_planar() && !shape.body.is_planar() {
        let reason = format!("a solid `{kind}` in a planar scene");
        return Err(at.error(ErrorKind::DimensionMismatch { reason }));
    }
    Ok(if surface_only { shape.boundary() } else { shape })
}

/// Refuses sizes whose squares and products leave double precision. Curved shapes are checked as they are read.
fn check_range(body: &AnyBody) -> Result<(), Error> {
    let (least, most) = (tolerance::SMALLEST_EXTENT, tolerance::LARGEST_EXTENT);
    let (size, offset) = match body {
        AnyBody::Solid(Body::Polytope(polytope)) => (polytope.reach(), polytope.anchor().abs().max_element()),
        AnyBody::Solid(Body::HalfSpace(half_space)) => (0.0, half_space.plane().offset.abs()),
        AnyBody::Planar(polygon) => (polygon.reach(), polygon.anchor().abs().max_element()),
        _ => return Ok(()),
    };
    let far = size.max(offset);
    if far > most || (size > 0.0 && size < least) {
        return Err(PolytopeError::OutOfRange { extent: if far > most { far } else { size } }.into());
    }
    Ok(())
}

/// A positive length within the range that shapes may have, converted.
fn size(field: &At<'_>, context: &Context) -> Result<f64, Error> {
    let size = context.scale().apply(field.positive()?);
    if (tolerance::SMALLEST_EXTENT..=tolerance::LARGEST_EXTENT).contains(&size) {
        return Ok(size);
    }
    Err(field.error(ErrorKind::NumberOutOfRange { number: format!("{size:e} (a size)") }))
}

/// A coordinate or offset within the range that shapes may have, converted.
fn length(field: &At<'_>, number: f64, context: &Context) -> Result<f64, Error> {
    let length = context.scale().apply(number);
    if length.abs() <= tolerance::LARGEST_EXTENT {
        return Ok(length);
    }
    Err(field.error(ErrorKind::NumberOutOfRange { number: format!("{length:e} (a length)") }))
}

/// A point within the range that shapes may have, converted.
fn place<const N: usize>(field: &At<'_>, context: &Context) -> Result<[f64; N], Error> {
    let mut point = field.vector::<N>()?;
    for number in &mut point {
        *number = length(field, *number, context)?;
    }
    Ok(point)
}

/// The `pose` of a part or a surface, within the range that shapes may have.
fn solid_pose(at: &At<'_>, context: &Context) -> Result<Pose, Error> {
    let Some(field) = at.get("pose") else { return Ok(Pose::IDENTITY) };
    let AnyPose::Solid(pose) = pose::parse(field, false, context)? else { return Ok(Pose::IDENTITY) };
    let far = pose.translation().abs().max_element();
    if far <= tolerance::LARGEST_EXTENT {
        return Ok(pose);
    }
    Err(field.error(ErrorKind::NumberOutOfRange { number: format!("{far:e} (a length)") }))
}

fn check_keys(at: &At<'_>, keys: &[&str]) -> Result<(), Error> {
    let mut known = vec!["kind"];
    known.extend(keys);
    known.push("surface_only");
    at.check_keys(&known)
}

fn mesh_shape(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("file")?;
    let path = context.resolve(field.text()?);
    let units = match at.get("units") {
        Some(units) => Some(units.text()?.parse().map_err(|error| units.place(error))?),
        None => None,
    };
    let hull = at.get("hull").map_or(Ok(false), |field| field.bool())?;
    mesh::shape(&path, units, hull, context).map_err(|error| field.place(error.about_file(&path)))
}

fn step_shape(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("file")?;
    let path = context.resolve(field.text()?);
    let part = at.get("part");
    let name = part.as_ref().map(|part| part.text()).transpose()?;
    step::shape(&path, name, context).map_err(|error| {
        let place = if error.code() == "unknown_name" { part.as_ref().unwrap_or(&field) } else { &field };
        place.place(error.about_file(&path))
    })
}
