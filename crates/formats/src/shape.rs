//! Shapes as files and streams write them.

use crate::fields::At;
use crate::{Context, Error, ErrorKind, Value, mesh};
use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, Note, Polygon, Polytope, PolytopeError, tolerance};
use std::path::{Path, PathBuf};

/// A body in space or in the plane.
#[derive(Clone, Debug)]
pub enum AnyBody {
    /// In space.
    Solid(Body),
    /// In the plane.
    Planar(Polygon),
}

impl AnyBody {
    /// Whether it is a body of the plane.
    pub const fn is_planar(&self) -> bool {
        matches!(self, Self::Planar(_))
    }

    /// Whether it has no bounds: a half-space.
    pub const fn is_unbounded(&self) -> bool {
        matches!(self, Self::Solid(Body::HalfSpace(_)))
    }
}

/// A shape that has been read: the body and what was noticed on the way.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The `kind` it was given as.
    pub kind: &'static str,
    /// The body.
    pub body: AnyBody,
    /// What was repaired or assumed.
    pub warnings: Vec<String>,
    /// The file it was read from, of a mesh.
    pub source: Option<PathBuf>,
}

impl Shape {
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
    /// let shape = Shape::from_json(r#"{"kind": "box", "size": [1, 2, 3]}"#, &Context::default())?;
    /// assert_eq!(shape.kind, "box");
    /// # Ok::<(), clearance_formats::Error>(())
    /// ```
    pub fn from_json(text: &str, context: &Context) -> Result<Self, Error> {
        Self::from_value(&Value::from_json(text)?, context)
    }

    /// Reads a shape from a file: a mesh by its ending, or a shape object in `.json`.
    ///
    /// # Errors
    /// `file_not_found`, `bad_file`, and what the content can have wrong; all name the file.
    pub fn from_file(path: &Path, context: &Context) -> Result<Self, Error> {
        Self::from_named(path, context).map_err(|error| error.in_file(path))
    }

    fn from_named(path: &Path, context: &Context) -> Result<Self, Error> {
        match extension(path).as_str() {
            "obj" | "stl" | "ply" => mesh::shape(path, None, false, context),
            "step" | "stp" => Err(Error::new(ErrorKind::UnsupportedKind { kind: "step".to_owned() })),
            "json" => {
                let text = read_text(path)?;
                let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
                Self::from_json(&text, &context.in_directory(directory))
            }
            _ => {
                let reason = "the name ends in none of .obj, .stl, .ply, .json".to_owned();
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

/// Kinds that can be built.
const KINDS: [&str; 7] = ["point", "segment", "box", "half_space", "polytope", "polygon", "mesh"];

/// Kinds of the format that cannot be built yet.
const LATER_KINDS: [&str; 14] = [
    "sphere",
    "ellipsoid",
    "cylinder",
    "cone",
    "capsule",
    "torus",
    "step",
    "revolve",
    "nurbs",
    "surface",
    "tiled",
    "planar_tiled",
    "algebraic",
    "union",
];

/// Makes the body of one kind from its fields.
type Builder = fn(&At<'_>, &Context) -> Result<AnyBody, Error>;

/// Reads a shape object.
pub(crate) fn parse(at: At<'_>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("kind")?;
    let word = field.text()?;
    let Some(kind) = KINDS.into_iter().find(|kind| *kind == word) else {
        return Err(field.error(if LATER_KINDS.contains(&word) {
            ErrorKind::UnsupportedKind { kind: word.to_owned() }
        } else {
            ErrorKind::UnknownKind { kind: word.to_owned(), known: KINDS.join(", ") }
        }));
    };
    let (keys, build): (&[&str], Builder) = match kind {
        "point" => (&["planar"], point),
        "segment" => (&["points", "planar"], segment),
        "box" => (&["size"], cuboid),
        "half_space" => (&["normal", "offset"], half_space),
        "polygon" => (&["points", "center"], polygon),
        "mesh" => return mesh_shape(&at, context),
        _ => (&["points", "vertices", "faces", "halfspaces", "center"], polytope),
    };
    check_keys(&at, keys)?;
    let body = build(&at, context)?;
    if context.is_planar() && !body.is_planar() {
        let reason = format!("a solid `{kind}` in a planar scene");
        return Err(at.error(ErrorKind::DimensionMismatch { reason }));
    }
    check_range(&body).map_err(|error| at.place(error))?;
    let warnings = warnings(&body);
    Ok(Shape { kind, body, warnings, source: None })
}

/// Refuses sizes whose squares and products leave double precision.
fn check_range(body: &AnyBody) -> Result<(), Error> {
    let (least, most) = (tolerance::SMALLEST_EXTENT, tolerance::LARGEST_EXTENT);
    let (size, offset) = match body {
        AnyBody::Solid(Body::Polytope(polytope)) => (polytope.reach(), polytope.anchor().abs().max_element()),
        AnyBody::Solid(Body::HalfSpace(half_space)) => (0.0, half_space.plane().offset.abs()),
        AnyBody::Planar(polygon) => (polygon.reach(), polygon.anchor().abs().max_element()),
    };
    let far = size.max(offset);
    if far > most || (size > 0.0 && size < least) {
        return Err(PolytopeError::OutOfRange { extent: if far > most { far } else { size } }.into());
    }
    Ok(())
}

fn check_keys(at: &At<'_>, keys: &[&str]) -> Result<(), Error> {
    let mut known = vec!["kind"];
    known.extend(keys);
    known.push("surface_only");
    at.check_keys(&known)?;
    match at.get("surface_only") {
        Some(field) if field.bool()? => Err(field
            .error(ErrorKind::UnsupportedFeature { what: "`surface_only` on flat-faced bodies".to_owned() })),
        _ => Ok(()),
    }
}

fn is_planar(at: &At<'_>, context: &Context) -> Result<bool, Error> {
    at.get("planar").map_or(Ok(context.is_planar()), |field| field.bool())
}

fn point(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    if is_planar(at, context)? {
        return Ok(AnyBody::Planar(Polygon::point()));
    }
    Ok(AnyBody::Solid(Polytope::point().into()))
}

fn segment(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("points")?;
    if is_planar(at, context)? {
        let ends = two_points(&field, planar_points(&field, context)?)?;
        let segment = Polygon::segment(ends).map_err(|error| field.place(error.into()))?;
        return Ok(AnyBody::Planar(segment));
    }
    let ends = two_points(&field, solid_points(&field, context)?)?;
    let segment = Polytope::segment(ends).map_err(|error| field.place(error.into()))?;
    Ok(AnyBody::Solid(segment.into()))
}

fn two_points<T>(field: &At<'_>, points: Vec<T>) -> Result<[T; 2], Error> {
    <[T; 2]>::try_from(points).map_err(|points| {
        let found = format!("{} points", points.len());
        field.error(ErrorKind::WrongType { expected: "two points".to_owned(), found })
    })
}

fn cuboid(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("size")?;
    let size = DVec3::from_array(context.scale().apply_all(field.vector::<3>()?));
    let cuboid = Polytope::cuboid(size).map_err(|error| field.place(error.into()))?;
    Ok(AnyBody::Solid(cuboid.into()))
}

fn half_space(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let normal = DVec3::from_array(at.need("normal")?.vector::<3>()?);
    let offset = context.scale().apply(at.need("offset")?.number()?);
    let half_space = HalfSpace::new(normal, offset).map_err(|error| at.place(error.into()))?;
    Ok(AnyBody::Solid(half_space.into()))
}

fn polygon(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("points")?;
    let outline = planar_points(&field, context)?;
    let polygon = Polygon::from_points(&outline).map_err(|error| field.place(error.into()))?;
    let Some(field) = at.get("center") else { return Ok(AnyBody::Planar(polygon)) };
    let center = DVec2::from_array(context.scale().apply_all(field.vector::<2>()?));
    polygon.with_center(center).map(AnyBody::Planar).map_err(|error| field.place(error.into()))
}

fn polytope(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let given: Vec<&str> =
        ["points", "vertices", "halfspaces"].into_iter().filter(|key| at.get(key).is_some()).collect();
    let one_form = given.len() <= 1 && (at.get("faces").is_none() || given == ["vertices"]);
    if !one_form {
        let reason = "a polytope takes `points`, or `vertices` and `faces`, or `halfspaces` and `center`";
        return Err(at.error(ErrorKind::BadValue { reason: reason.to_owned() }));
    }
    let center = match at.get("center") {
        Some(field) => Some(DVec3::from_array(context.scale().apply_all(field.vector::<3>()?))),
        None => None,
    };
    let place = |error: PolytopeError| at.place(error.into());
    let built = match given.first() {
        Some(&"vertices") => {
            let vertices = solid_points(&at.need("vertices")?, context)?;
            let faces = at.need("faces")?.index_lists()?;
            Polytope::from_faces(&vertices, &faces).map_err(place)?
        }
        Some(&"halfspaces") => {
            let rows = at.need("halfspaces")?.vectors::<4>()?;
            let half_spaces: Vec<(DVec3, f64)> = rows
                .into_iter()
                .map(|[a, b, c, d]| (DVec3::new(a, b, c), context.scale().apply(d)))
                .collect();
            let Some(center) = center else {
                return Err(at.error(ErrorKind::MissingField { field: "center".to_owned() }));
            };
            return Polytope::from_half_spaces(&half_spaces, center)
                .map(|polytope| AnyBody::Solid(polytope.into()))
                .map_err(place);
        }
        _ => Polytope::from_points(&solid_points(&at.need("points")?, context)?).map_err(place)?,
    };
    let built = match center {
        Some(center) => built.with_center(center).map_err(place)?,
        None => built,
    };
    Ok(AnyBody::Solid(built.into()))
}

fn mesh_shape(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    check_keys(at, &["file", "units", "hull"])?;
    let field = at.need("file")?;
    let path = context.resolve(field.text()?);
    let units = match at.get("units") {
        Some(units) => Some(units.text()?.parse().map_err(|error| units.place(error))?),
        None => None,
    };
    let hull = at.get("hull").map_or(Ok(false), |field| field.bool())?;
    mesh::shape(&path, units, hull, context).map_err(|error| field.place(error.about_file(&path)))
}

fn solid_points(field: &At<'_>, context: &Context) -> Result<Vec<DVec3>, Error> {
    let scale = context.scale();
    let points = field.vectors::<3>()?;
    Ok(points.into_iter().map(|point| DVec3::from_array(scale.apply_all(point))).collect())
}

fn planar_points(field: &At<'_>, context: &Context) -> Result<Vec<DVec2>, Error> {
    let scale = context.scale();
    let points = field.vectors::<2>()?;
    Ok(points.into_iter().map(|point| DVec2::from_array(scale.apply_all(point))).collect())
}

/// What was repaired while the body was built, in words.
pub(crate) fn warnings(body: &AnyBody) -> Vec<String> {
    let notes = match body {
        AnyBody::Solid(Body::Polytope(polytope)) => polytope.notes(),
        AnyBody::Solid(Body::HalfSpace(_)) => &[],
        AnyBody::Planar(polygon) => polygon.notes(),
    };
    notes.iter().map(note_in_words).collect()
}

fn note_in_words(note: &Note) -> String {
    let first =
        |list: &[u32]| list.first().map(|number| format!(", the first is {number}")).unwrap_or_default();
    match note {
        Note::Turned => "the boundary was inside-out and has been turned".to_owned(),
        Note::DroppedVertices { vertices } => {
            format!("points that are no corners were left out: {}{}", vertices.len(), first(vertices))
        }
        Note::MergedFaces { merged } => format!("coplanar faces were merged into their neighbours: {merged}"),
        Note::DroppedHalfSpaces { half_spaces } => {
            let count = half_spaces.len();
            format!("half-spaces that do not touch the body were left out: {count}{}", first(half_spaces))
        }
        other => format!("{other:?}"),
    }
}
