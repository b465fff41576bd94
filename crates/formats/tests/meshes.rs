//! Mesh files: closed convex ones become polytopes, the rest is refused by name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{AnyBody, Context, Error, Mesh, Shape, Units};
use clearance_geometry::{Body, Polytope};
use clearance_testkit::{Random, data};
use common::Folder;

const CUBE_OBJ: &str = "# a cube of side 2\nmtllib nothing.mtl\no cube\n\
v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\nvt 0 0\nvn 0 0 1\n\
usemtl red\ns off\nf 1/1/1 5/1/1 7/1/1 3/1/1\nf 2//1 4//1 8//1 6//1\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf -4 -3 -1 -2\n";

fn load(folder: &Folder, name: &str, content: impl AsRef<[u8]>) -> Result<Shape, Error> {
    Shape::from_file(&folder.write(name, content), &Context::default())
}

fn polytope(shape: &Shape) -> &Polytope {
    match &shape.body {
        AnyBody::Solid(Body::Polytope(polytope)) => polytope,
        other => panic!("{other:?}"),
    }
}

fn counts(shape: &Shape) -> [usize; 3] {
    let p = polytope(shape);
    [p.vertex_count(), p.edge_count(), p.face_count()]
}

/// The twelve triangles of a cube of side 2.
fn cube_triangles() -> Vec<[[f32; 3]; 3]> {
    let corner = |i: usize| [0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 1.0 } else { -1.0 });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .map(|triangle| triangle.map(corner))
        .collect()
}

fn binary_stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn ascii_stl(triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = "solid part\n".to_owned();
    for triangle in triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle {
            text += &format!("vertex {x:?} {y:?} {z:?}\n");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid part\n"
}

const CUBE_PLY: &str = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
element face 6\nproperty list uchar int vertex_indices\nend_header\n-1 -1 -1\n1 -1 -1\n-1 1 -1\n1 1 -1\n-1 -1 1\n1 -1 1\n\
-1 1 1\n1 1 1\n4 0 4 6 2\n4 1 3 7 5\n4 0 1 5 4\n4 2 6 7 3\n4 0 2 3 1\n4 4 5 7 6\n";

#[test]
fn obj_polygons_become_a_polytope_with_the_numbers_of_the_file() {
    let folder = Folder::new("obj");
    let shape = load(&folder, "cube.obj", CUBE_OBJ).unwrap();
    assert_eq!(counts(&shape), [8, 12, 6]);
    assert_eq!(shape.kind, "mesh");
    assert!(shape.warnings.is_empty(), "{:?}", shape.warnings);
    assert!(shape.source.as_ref().unwrap().ends_with("cube.obj"));
    // The parser renumbers vertices by first use; the file's numbers are kept.
    let mesh = Mesh::read(&folder.0.join("cube.obj")).unwrap();
    assert_eq!(mesh.faces[0], [0, 4, 6, 2]);
    assert_eq!(mesh.faces[5], [4, 5, 7, 6]);
    assert_eq!(mesh.vertices[1].to_array(), [1.0, -1.0, -1.0]);
}

#[test]
fn stl_triangles_are_welded_and_merged() {
    let folder = Folder::new("stl");
    for content in [binary_stl(&cube_triangles()), ascii_stl(&cube_triangles()).into_bytes()] {
        let shape = load(&folder, "cube.STL", content).unwrap();
        assert_eq!(counts(&shape), [8, 12, 6]);
        assert!(shape.warnings.iter().any(|line| line.contains("merged")), "{:?}", shape.warnings);
    }
}

#[test]
fn stl_zeros_of_either_sign_are_one_place() {
    let mut triangles = cube_triangles();
    for (i, number) in triangles.iter_mut().flatten().flatten().enumerate() {
        *number = if *number > 0.0 {
            2.0
        } else if i % 2 == 0 {
            0.0
        } else {
            -0.0
        };
    }
    let folder = Folder::new("zeros");
    assert_eq!(counts(&load(&folder, "cube.stl", binary_stl(&triangles)).unwrap()), [8, 12, 6]);
}

#[test]
fn ply_files_are_read() {
    let folder = Folder::new("ply");
    assert_eq!(counts(&load(&folder, "cube.ply", CUBE_PLY).unwrap()), [8, 12, 6]);
    let other =
        CUBE_PLY.replace("vertex_indices", "vertex_index").replace("property float", "property double");
    assert_eq!(counts(&load(&folder, "cube.ply", other).unwrap()), [8, 12, 6]);
}

#[test]
fn single_precision_rounding_does_not_make_a_body_concave() {
    // A prism with 48 sides, turned: its side faces are coplanar only to single precision.
    let around = |i: usize| {
        let (s, c) = (i as f64 / 48.0 * std::f64::consts::TAU).sin_cos();
        (c, s)
    };
    let turn = |p: [f64; 3]| {
        let (s, c) = 0.3_f64.sin_cos();
        let p = [p[0], c * p[1] - s * p[2], s * p[1] + c * p[2]];
        [c * p[0] - s * p[1] + 0.7, s * p[0] + c * p[1] - 0.2, p[2]].map(|number| number as f32)
    };
    let point = |i: usize, z: f64| turn([around(i % 48).0, around(i % 48).1, z]);
    let mut triangles = Vec::new();
    for i in 0..48 {
        triangles.push([point(i, 0.0), point(i + 1, 0.0), point(i + 1, 1.5)]);
        triangles.push([point(i, 0.0), point(i + 1, 1.5), point(i, 1.5)]);
        triangles.push([turn([0.0, 0.0, 1.5]), point(i, 1.5), point(i + 1, 1.5)]);
        triangles.push([turn([0.0, 0.0, 0.0]), point(i + 1, 0.0), point(i, 0.0)]);
    }
    let folder = Folder::new("rounded");
    let shape = load(&folder, "prism.stl", binary_stl(&triangles)).unwrap();
    assert!(shape.warnings.iter().any(|line| line.contains("hull")), "{:?}", shape.warnings);
    let volume = 24.0 * (std::f64::consts::TAU / 48.0).sin() * 1.5;
    assert!((polytope(&shape).mass().volume - volume).abs() < 1e-5);
}

#[test]
fn non_convex_meshes_are_refused_with_the_offender() {
    let folder = Folder::new("dented");
    // One corner of the cube pushed in; the quadrilaterals at it cut in two so that the surface stays closed.
    let dented = CUBE_PLY
        .replace("element face 6", "element face 12")
        .replace("1 1 1\n4 0", "0.2 0.2 0.2\n4 0")
        .replace("4 0 4 6 2", "3 0 4 6\n3 0 6 2")
        .replace("4 1 3 7 5", "3 1 3 7\n3 1 7 5")
        .replace("4 0 1 5 4", "3 0 1 5\n3 0 5 4")
        .replace("4 2 6 7 3", "3 2 6 7\n3 2 7 3")
        .replace("4 0 2 3 1", "3 0 2 3\n3 0 3 1")
        .replace("4 4 5 7 6", "3 4 5 7\n3 4 7 6");
    let error = load(&folder, "dented.ply", dented).unwrap_err();
    assert_eq!(error.code(), "not_convex");
    assert!(
        error.to_string().contains("vertex") && error.to_string().contains("not supported yet"),
        "{error}"
    );
    assert!(error.file().unwrap().ends_with("dented.ply"));
}

#[test]
fn shallow_dents_are_not_taken_for_rounding() {
    let folder = Folder::new("shallow");
    let mut triangles = cube_triangles();
    // The middle of one face pushed in by 1e-4.
    let [a, b, c] = triangles.pop().unwrap();
    let [d, e, _] = triangles.pop().unwrap();
    assert_eq!(a, d);
    let middle = [0.0, 0.0, 1.0 - 1e-4];
    let ring = [d, e, b, c];
    for i in 0..4 {
        triangles.push([ring[i], ring[(i + 1) % 4], middle]);
    }
    let error = load(&folder, "dent.stl", binary_stl(&triangles)).unwrap_err();
    assert_eq!(error.code(), "not_convex", "{error}");
}

#[test]
fn hull_of_any_mesh_is_taken_on_demand() {
    let folder = Folder::new("hull");
    folder.write("open.stl", binary_stl(&cube_triangles()[2..]));
    let context = Context::new(&folder.0, Units::Metre);
    let shape = Shape::from_json(r#"{"kind":"mesh","file":"open.stl","hull":true}"#, &context).unwrap();
    assert_eq!(counts(&shape), [8, 12, 6]);
    assert!(shape.warnings.iter().any(|line| line.contains("hull")), "{:?}", shape.warnings);
}

#[test]
fn open_meshes_are_refused() {
    let folder = Folder::new("open");
    let error = load(&folder, "open.stl", binary_stl(&cube_triangles()[1..])).unwrap_err();
    assert_eq!(error.code(), "not_manifold");
    let error = load(&folder, "open.obj", CUBE_OBJ.replace("f 1 2 6 5\n", "")).unwrap_err();
    assert_eq!(error.code(), "not_manifold");
}

#[test]
fn several_groups_are_told_apart_from_one_body_in_groups() {
    let folder = Folder::new("groups");
    let grouped = CUBE_OBJ.replace("f 1 2 6 5", "g sides\nf 1 2 6 5");
    assert_eq!(counts(&load(&folder, "cube.obj", grouped).unwrap()), [8, 12, 6]);
    let faces: String =
        CUBE_OBJ.lines().filter(|line| line.starts_with('f')).map(|line| format!("{line}\n")).collect();
    let shifted: String = CUBE_OBJ
        .lines()
        .filter(|line| line.starts_with("v "))
        .map(|line| format!("{}\n", line.replace("v -1", "v 9").replace("v 1", "v 11")))
        .collect();
    let second: String = faces
        .lines()
        .map(|line| {
            let words: Vec<String> = line[2..]
                .split_whitespace()
                .map(|word| {
                    let index: i32 = word.split('/').next().unwrap().parse().unwrap();
                    (if index > 0 { index + 8 } else { index }).to_string()
                })
                .collect();
            format!("f {}\n", words.join(" "))
        })
        .collect();
    let error = load(&folder, "two.obj", format!("{CUBE_OBJ}o second\n{shifted}{second}")).unwrap_err();
    assert_eq!(error.code(), "unsupported_feature");
    assert!(error.to_string().contains("2 groups"), "{error}");
}

#[test]
fn units_of_a_mesh_are_converted_and_reported() {
    let folder = Folder::new("mesh-units");
    folder.write("cube.obj", CUBE_OBJ);
    let context = Context::new(&folder.0, Units::Metre);
    let shape = Shape::from_json(r#"{"kind":"mesh","file":"cube.obj","units":"mm"}"#, &context).unwrap();
    assert!((polytope(&shape).mass().volume - 8e-9).abs() < 1e-20);
    assert!(shape.warnings.iter().any(|line| line.contains("mm to m")), "{:?}", shape.warnings);
    let same = Shape::from_json(r#"{"kind":"mesh","file":"cube.obj"}"#, &context).unwrap();
    assert_eq!(polytope(&same).mass().volume, 8.0);
}

#[test]
fn bad_files_have_their_codes() {
    let folder = Folder::new("bad-meshes");
    for (name, content) in [
        ("empty.obj", ""),
        ("empty.stl", ""),
        ("empty.ply", ""),
        ("points.obj", "v 0 0 0\nv 1 0 0\n"),
        ("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("short.obj", "v 0 0\nf 1 1 1\n"),
        ("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        ("words.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n"),
        ("cut.stl", "solid part\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\n"),
        ("text.ply", "ply\nformat ascii 1.0\nend_header\n"),
        (
            "index.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 1 2\n",
        ),
    ] {
        let error = load(&folder, name, content).map(|_| ()).expect_err(name);
        assert_eq!(error.code(), "bad_file", "{name}: {error}");
        assert!(error.file().unwrap().ends_with(name));
    }
    let named =
        Shape::from_json(r#"{"kind":"mesh","file":"empty.obj"}"#, &Context::new(&folder.0, Units::Metre))
            .unwrap_err();
    assert_eq!(named.key(), Some("file"));
    assert!(named.to_string().contains("empty.obj"), "{named}");
}

#[test]
fn mutated_files_never_panic() {
    let folder = Folder::new("mutated");
    let mut random = Random::new(11);
    let seeds: [(&str, Vec<u8>); 4] = [
        ("m.obj", CUBE_OBJ.into()),
        ("m.ply", CUBE_PLY.into()),
        ("m.stl", binary_stl(&cube_triangles())),
        ("m.stl", ascii_stl(&cube_triangles()).into_bytes()),
    ];
    let (mut good, mut bad) = (0, 0);
    for round in 0..1200 {
        let (name, mut bytes) = seeds[round % 4].clone();
        for _ in 0..random.index(4) {
            let at = random.index(bytes.len());
            match random.index(4) {
                0 => bytes[at] = random.bits() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"0123456789-/. \nefvx"[random.index(19)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match load(&folder, name, bytes) {
            Ok(_) => good += 1,
            Err(_) => bad += 1,
        }
    }
    assert!(good > 200 && bad > 200, "{good} good, {bad} bad");
}

#[test]
fn real_meshes_are_read_or_refused_by_name() {
    let file = |path: &str| data::data_or_skip("real_meshes_are_read_or_refused_by_name", path);
    let context = Context::default();
    // Hulls of a robot's links, decimated afterwards: every vertex is extreme, some edges are dents.
    for part in ["finger", "hand", "link0", "link1", "link2", "link3", "link4", "link5", "link6", "link7"] {
        let Some(file) = file(&format!("robots/panda/meshes/collision/{part}.stl")) else { return };
        let error = Shape::from_file(&file, &context).map(|_| ()).expect_err(part);
        assert_eq!(error.code(), "not_convex", "{error}");
        let text = format!(r#"{{"kind":"mesh","file":{:?},"hull":true}}"#, file.to_str().unwrap());
        let hull = Shape::from_json(&text, &context).unwrap();
        assert!(polytope(&hull).mass().volume > 0.0);
        assert!(hull.warnings.iter().any(|line| line.contains("hull")));
    }
    for (name, code) in [
        ("meshes/spot.obj", "not_convex"),
        ("meshes/ycb-power-drill.obj", "unsupported_feature"),
        ("meshes/cup-vhacd.obj", "unsupported_feature"),
    ] {
        let Some(file) = file(name) else { return };
        let error = Shape::from_file(&file, &context).map(|_| ()).expect_err(name);
        assert_eq!(error.code(), code, "{error}");
    }
}

/// A tetrahedron as STL text.
fn tetrahedron_stl() -> String {
    let corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let facet = |face: &[usize; 3]| {
        let vertices: String = face.iter().map(|at| format!("   vertex {}\n", corners[*at])).collect();
        format!(" facet normal 0 0 0\n  outer loop\n{vertices}  endloop\n endfacet\n")
    };
    format!("solid t\n{}endsolid t\n", faces.iter().map(facet).collect::<String>())
}

#[test]
fn stl_text_needs_no_name_and_no_case() {
    let folder = Folder::new("stl-text");
    let text = tetrahedron_stl();
    let nameless = text.replace("solid t", "solid");
    for (name, text) in [
        ("a.stl", text.clone()),
        ("b.stl", nameless),
        ("c.stl", text.to_uppercase()),
        ("d.stl", text.replace('\n', "\r\n")),
    ] {
        assert_eq!(counts(&load(&folder, name, text).unwrap()), [4, 6, 4], "{name}");
    }
    let cut = load(&folder, "cut.stl", &text[..200]).unwrap_err();
    assert_eq!(cut.code(), "bad_file");
}

#[test]
fn obj_comments_and_continued_lines_are_read() {
    let folder = Folder::new("obj-lines");
    let text = "v 0 0 0 # origin\nv 1 0 0\n\tv 0 1 \\\n0\nv 0 0 1\nf 1 3 2#bottom\nf 1 2 4\nf 1 \\\r\n4 3\nf 2 3 4\n";
    assert_eq!(counts(&load(&folder, "a.obj", text).unwrap()), [4, 6, 4]);
}

#[test]
fn ply_errors_are_one_line_and_name_what_is_wrong() {
    let folder = Folder::new("ply-errors");
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                  element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let with = |faces: &str| format!("{header}0 0 0\n1 0 0\n0 1 0\n{faces}\n");
    let negative = load(&folder, "a.ply", with("3 0 1 -2")).unwrap_err();
    assert!(negative.to_string().contains("no vertex numbers"), "{negative}");
    let broken = load(&folder, "b.ply", with("3 0 nan x")).unwrap_err().to_string();
    assert!(!broken.contains('\n'), "{broken}");
}

#[test]
fn every_error_of_a_file_names_it() {
    let folder = Folder::new("file-names");
    for (name, content) in
        [("a.json", &b"\xff\xfe"[..]), ("b.json", b"{"), ("c.obj", b""), ("d.xyz", b""), ("e.step", b"")]
    {
        let error = load(&folder, name, content).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let missing = Shape::from_file(&folder.0.join("none.json"), &Context::default()).unwrap_err();
    assert_eq!((missing.code(), missing.to_string().contains("none.json")), ("file_not_found", true));
}
