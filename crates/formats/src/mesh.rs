//! Triangle and polygon meshes from `.obj`, `.stl` and `.ply` files; closed convex ones become polytopes.

use crate::shape::{extension, read_bytes};
use crate::{AnyBody, Context, Error, ErrorKind, Shape, Units};
use clearance_geometry::{DVec3, Plane, Polytope, PolytopeError, tolerance};
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

/// The surface in a file: faces list vertices counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices in the numbering of the file; an `.stl` file has none, so there by first appearance.
    pub vertices: Vec<DVec3>,
    /// Faces in the order of the file.
    pub faces: Vec<Vec<u32>>,
    /// Number of groups that the file divides its faces into.
    pub groups: usize,
}

impl Mesh {
    /// Reads a file by its ending. Vertices at the same place are made one, exactly.
    ///
    /// # Errors
    /// `file_not_found`, or `bad_file` when the content is not what the ending says, has no faces or
    /// a number that is not finite.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = read_bytes(path)?;
        let mut mesh = match extension(path).as_str() {
            "obj" => read_obj(&bytes)?,
            "stl" => read_stl(&bytes)?,
            "ply" => read_ply(&bytes)?,
            _ => return Err(bad_file("a mesh file ends in .obj, .stl or .ply")),
        };
        if let Some(at) = mesh.vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(bad_file(&format!("vertex {at} is not finite")));
        }
        if mesh.faces.is_empty() {
            return Err(bad_file("the file has no faces"));
        }
        mesh.weld()?;
        Ok(mesh)
    }

    /// Lets faces name the first of all vertices at one place.
    fn weld(&mut self) -> Result<(), Error> {
        let mut first = BTreeMap::new();
        let mut target = Vec::with_capacity(self.vertices.len());
        for (at, vertex) in self.vertices.iter().enumerate() {
            let number = u32::try_from(at).map_err(|_| bad_file("the file has too many vertices"))?;
            target.push(*first.entry(place_key(*vertex)).or_insert(number));
        }
        for (at, face) in self.faces.iter_mut().enumerate() {
            for corner in face.iter_mut() {
                let Some(welded) = target.get(*corner as usize) else {
                    return Err(bad_file(&format!("face {at} names vertex {corner}, which does not exist")));
                };
                *corner = *welded;
            }
            face.dedup();
            if face.len() > 1 && face.first() == face.last() {
                face.pop();
            }
        }
        // Triangles that collapse when their corners are made one cover nothing.
        self.faces.retain(|face| face.len() > 2);
        Ok(())
    }
}

/// The bits of a place, the same for both zeros.
fn place_key(place: DVec3) -> [u64; 3] {
    (place + DVec3::ZERO).to_array().map(f64::to_bits)
}

fn bad_file(reason: &str) -> Error {
    Error::new(ErrorKind::BadFile { reason: reason.to_owned() })
}

/// Reads a mesh file as a convex body: as it is, or the hull of its vertices. `units` are those of the file,
/// the context's unless given.
pub(crate) fn shape(
    path: &Path,
    units: Option<Units>,
    hull: bool,
    context: &Context,
) -> Result<Shape, Error> {
    let mut mesh = Mesh::read(path)?;
    let units = units.unwrap_or(context.units());
    let scale = units.to(context.answer_units());
    for vertex in &mut mesh.vertices {
        *vertex = DVec3::from_array(scale.apply_all(vertex.to_array()));
    }
    let (polytope, note) = if hull {
        let note = "the convex hull of the mesh's vertices is used".to_owned();
        (Polytope::from_points(&used_vertices(&mesh))?, Some(note))
    } else {
        convex(&mesh)?
    };
    let mut shape = Shape::new("mesh", AnyBody::Solid(polytope.into()));
    shape.source = Some(path.to_path_buf());
    shape.warnings.extend(note);
    if units != context.answer_units() {
        let (from, to) = (units.symbol(), context.answer_units().symbol());
        shape.warnings.push(format!("the lengths of the file were converted from {from} to {to}"));
    }
    Ok(shape)
}

const HULL_ADVICE: &str = "`hull` set to true takes the convex hull";

/// The polytope of a closed convex mesh. One that is convex only to the precision of its file (single
/// precision in `.stl`) is replaced by its hull, with a note.
fn convex(mesh: &Mesh) -> Result<(Polytope, Option<String>), Error> {
    let error = match Polytope::from_faces(&mesh.vertices, &mesh.faces) {
        Ok(polytope) => return Ok((polytope, None)),
        Err(error) => error,
    };
    if matches!(error, PolytopeError::NotConvex { .. }) {
        let hull = Polytope::from_points(&used_vertices(mesh))?;
        if let Some(by) = distance_from_hull(mesh, &hull) {
            let note = format!("the surface is convex only to within {by:e}; its hull is used");
            return Ok((hull, Some(note)));
        }
    }
    if mesh.groups > 1 {
        let groups = mesh.groups;
        let what = format!("a mesh of {groups} groups that is not one convex body ({error}; {HULL_ADVICE})");
        return Err(Error::new(ErrorKind::UnsupportedFeature { what }));
    }
    if matches!(error, PolytopeError::NotConvex { .. }) {
        let reason = format!("{error}; non-convex meshes are not supported yet; {HULL_ADVICE}");
        return Err(Error::new(ErrorKind::NotConvex { reason }));
    }
    Err(error.into())
}

fn used_vertices(mesh: &Mesh) -> Vec<DVec3> {
    let mut used = vec![false; mesh.vertices.len()];
    for corner in mesh.faces.iter().flatten() {
        used[*corner as usize] = true;
    }
    // Unused vertices repeat a used one instead of leaving a gap, so that the numbering stays.
    let stand_in = mesh.faces[0][0] as usize;
    (0..used.len()).map(|at| mesh.vertices[if used[at] { at } else { stand_in }]).collect()
}

/// A bound on how far the surface runs inside its hull, where that is no more than the precision of mesh
/// files explains.
///
/// The depth below the hull's boundary is concave over a triangle of points inside the hull, so nowhere on
/// it more than three times what it is at the centroid.
fn distance_from_hull(mesh: &Mesh, hull: &Polytope) -> Option<f64> {
    let allowed = tolerance::MESH_CONVEX_REL * hull.reach();
    let mut bound = 0.0_f64;
    for face in &mesh.faces {
        let corner = |i: usize| mesh.vertices[face[i] as usize] - hull.anchor();
        for i in 2..face.len() {
            let (p, q, r) = (corner(0), corner(i - 1), corner(i));
            let depth = 3.0 * depth_in(hull, (p + q + r) / 3.0, (q - p).cross(r - p), allowed / 3.0);
            if depth > allowed {
                return None;
            }
            bound = bound.max(depth);
        }
    }
    Some(bound)
}

/// How deep an anchored point lies in a hull: exact where more than `enough`, else an upper bound within it.
/// The faces around the vertex farthest along `outward` are tried first.
fn depth_in(hull: &Polytope, point: DVec3, outward: DVec3, enough: f64) -> f64 {
    let below = |least: f64, plane: &Plane| least.min(plane.offset - plane.normal.dot(point));
    let nearest = hull.ring(hull.support(outward)).faces.iter().map(|face| hull.plane(*face));
    let depth = nearest.fold(f64::INFINITY, below);
    if depth <= enough { depth.max(0.0) } else { hull.planes().iter().fold(depth, below).max(0.0) }
}

/// Reads an OBJ file. Only vertices, faces and groups are handed to the parser: it renumbers vertices
/// by first use, so their numbers in the file are noted here, and texture or normal references add nothing.
fn read_obj(bytes: &[u8]) -> Result<Mesh, Error> {
    // A backslash at the end of a line continues it on the next.
    let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
    let mut kept = String::with_capacity(text.len());
    let mut vertices = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut numbers = words.map(|word| word.parse::<f64>().unwrap_or(f64::NAN));
                let mut next = || numbers.next().unwrap_or(f64::NAN);
                let vertex = DVec3::new(next(), next(), next());
                if !vertex.is_finite() {
                    return Err(bad_file(&format!("vertex {} is not three finite numbers", vertices.len())));
                }
                vertices.push(vertex);
                kept.push_str(&format!("v {:e} {:e} {:e}\n", vertex.x, vertex.y, vertex.z));
            }
            Some("f") => {
                kept.push('f');
                for word in words {
                    kept.push(' ');
                    kept.push_str(word.split('/').next().unwrap_or_default());
                }
                kept.push('\n');
            }
            Some("o" | "g") => {
                kept.push_str(line);
                kept.push('\n');
            }
            _ => {}
        }
    }
    let options = tobj::LoadOptions { ignore_lines: true, ignore_points: true, ..Default::default() };
    let (models, _) =
        tobj::load_obj_buf(&mut Cursor::new(kept), &options, |_| Err(tobj::LoadError::OpenFileFailed))
            .map_err(|error| bad_file(&format!("not an OBJ file: {error}")))?;
    let mut first = BTreeMap::new();
    for (at, vertex) in vertices.iter().enumerate() {
        first.entry(place_key(*vertex)).or_insert(at as u32);
    }
    let mut mesh = Mesh { vertices, ..Mesh::default() };
    for model in models {
        append_model(&mut mesh, &first, &model.mesh)?;
    }
    Ok(mesh)
}

fn append_model(mesh: &mut Mesh, first: &BTreeMap<[u64; 3], u32>, model: &tobj::Mesh) -> Result<(), Error> {
    let number = |index: u32| {
        let at = 3 * index as usize;
        let place = model.positions.get(at..at + 3)?;
        first.get(&place_key(DVec3::from_slice(place))).copied()
    };
    let mut rest = model.indices.as_slice();
    let mut arities = model.face_arities.iter();
    if !rest.is_empty() {
        mesh.groups += 1;
    }
    while !rest.is_empty() {
        let arity = arities.next().map_or(3, |arity| *arity as usize);
        let (face, others) = rest.split_at_checked(arity.max(1)).unwrap_or((rest, &[]));
        rest = others;
        let face: Option<Vec<u32>> = face.iter().map(|index| number(*index)).collect();
        mesh.faces.push(face.ok_or_else(|| bad_file("a face names a vertex that does not exist"))?);
    }
    Ok(())
}

fn read_stl(bytes: &[u8]) -> Result<Mesh, Error> {
    let not_stl = |error: std::io::Error| {
        let cut_short = error.kind() == std::io::ErrorKind::UnexpectedEof;
        let reason = if cut_short { "it ends too early".to_owned() } else { error.to_string() };
        bad_file(&format!("not an STL file: {reason}"))
    };
    let text = stl_text(bytes);
    let mut input = Cursor::new(text.as_deref().map_or(bytes, str::as_bytes));
    let mut mesh = Mesh { groups: 1, ..Mesh::default() };
    let mut number = BTreeMap::new();
    for triangle in stl_io::create_stl_reader(&mut input).map_err(not_stl)? {
        let mut face = Vec::with_capacity(3);
        for vertex in triangle.map_err(not_stl)?.vertices {
            let place = DVec3::new(vertex[0].into(), vertex[1].into(), vertex[2].into());
            let next = mesh.vertices.len() as u32;
            let at = *number.entry(place_key(place)).or_insert(next);
            if at == next {
                mesh.vertices.push(place);
            }
            face.push(at);
        }
        mesh.faces.push(face);
    }
    Ok(mesh)
}

/// The content of an STL file that is text, as the parser wants it: in lower case, its solid with a name. None
/// for a binary file, whatever its header says: its length follows from its number of triangles.
fn stl_text(bytes: &[u8]) -> Option<String> {
    let count = bytes.get(80..84).and_then(|count| <[u8; 4]>::try_from(count).ok()).map(u32::from_le_bytes);
    if count.is_some_and(|count| bytes.len() as u64 == 84 + 50 * u64::from(count)) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?.trim_start().to_ascii_lowercase();
    let (_, facets) = text.split_once('\n').filter(|(header, _)| header.starts_with("solid"))?;
    Some(format!("solid mesh\n{facets}"))
}

fn read_ply(bytes: &[u8]) -> Result<Mesh, Error> {
    let ply = Parser::<DefaultElement>::new().read_ply(&mut Cursor::new(bytes)).map_err(|error| {
        // The rest of the parser's report is about itself.
        let report = error.to_string();
        bad_file(&format!("not a PLY file: {}", report.lines().next().unwrap_or_default()))
    })?;
    let empty = Vec::new();
    let elements = |name: &str| ply.payload.get(name).unwrap_or(&empty);
    let mut mesh = Mesh { groups: 1, ..Mesh::default() };
    for element in elements("vertex") {
        let axis = |key: &str| element.get(key).and_then(coordinate);
        let (Some(x), Some(y), Some(z)) = (axis("x"), axis("y"), axis("z")) else {
            return Err(bad_file("a vertex lacks x, y or z"));
        };
        mesh.vertices.push(DVec3::new(x, y, z));
    }
    for element in elements("face") {
        let list = element.get("vertex_indices").or_else(|| element.get("vertex_index"));
        let Some(list) = list else { return Err(bad_file("a face lacks its list `vertex_indices`")) };
        let face = list.to_u32_list();
        mesh.faces.push(face.ok_or_else(|| bad_file("a face lists what are no vertex numbers"))?);
    }
    Ok(mesh)
}

fn coordinate(property: &Property) -> Option<f64> {
    match property {
        Property::Char(value) => Some((*value).into()),
        Property::UChar(value) => Some((*value).into()),
        Property::Short(value) => Some((*value).into()),
        Property::UShort(value) => Some((*value).into()),
        Property::Int(value) => Some((*value).into()),
        Property::UInt(value) => Some((*value).into()),
        Property::Float(value) => Some((*value).into()),
        Property::Double(value) => Some(*value),
        _ => None,
    }
}
