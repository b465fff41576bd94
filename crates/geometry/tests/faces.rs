//! Polytopes from vertices and faces as given.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, FaceId, Feature, Note, Polytope, PolytopeError};
use common::{Random, check_polytope, check_support, cylinder, label, random_sphere};

const CUBE: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

fn cube_vertices() -> Vec<DVec3> {
    (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect()
}

fn cube_faces() -> Vec<Vec<u32>> {
    CUBE.iter().map(|face| face.to_vec()).collect()
}

/// Each face as a fan of triangles.
fn fans(faces: &[Vec<u32>]) -> Vec<Vec<u32>> {
    faces.iter().flat_map(|f| (2..f.len()).map(|i| vec![f[0], f[i - 1], f[i]])).collect()
}

fn loops(p: &Polytope) -> Vec<Vec<u32>> {
    let face = |f: u32| p.sides(FaceId(f)).iter().map(|side| label(p, side.vertex)).collect();
    (0..p.face_count() as u32).map(face).collect()
}

#[test]
fn given_faces_keep_their_numbers() {
    let cube = Polytope::from_faces(&cube_vertices(), &cube_faces()).unwrap();
    check_polytope(&cube, 8.0);
    assert!(cube.notes().is_empty());
    let mut expected = cube_faces();
    // Each loop starts at its lowest vertex.
    for face in &mut expected {
        let at = (0..4).min_by_key(|&i| face[i]).unwrap();
        face.rotate_left(at);
    }
    assert_eq!(loops(&cube), expected);
    for f in 0..6 {
        assert_eq!(cube.label(Feature::Face(FaceId(f))), Feature::Face(FaceId(f)));
    }
}

#[test]
fn coplanar_given_faces_merge_under_the_lowest_number() {
    let mut faces = fans(&cube_faces());
    faces.swap(0, 7);
    let cube = Polytope::from_faces(&cube_vertices(), &faces).unwrap();
    check_polytope(&cube, 8.0);
    assert_eq!(cube.notes(), [Note::MergedFaces { merged: 6 }]);
    let numbers: Vec<u32> = (0..6).map(|f| cube.label(Feature::Face(FaceId(f))).number()).collect();
    assert_eq!(numbers, [0, 1, 2, 4, 8, 10]);
    assert_eq!(loops(&cube)[0], [2, 6, 7, 3], "the swapped triangle is on +y");
}

#[test]
fn equal_vertices_are_welded_and_noted() {
    // Every face brings its own vertices, as in an STL file; one vertex is not used.
    let corners = cube_vertices();
    let mut vertices = vec![DVec3::splat(0.5)];
    let mut faces = Vec::new();
    for face in cube_faces() {
        faces.push((0..4).map(|i| vertices.len() as u32 + i).collect());
        vertices.extend(face.iter().map(|&i| corners[i as usize]));
    }
    let cube = Polytope::from_faces(&vertices, &faces).unwrap();
    check_polytope(&cube, 8.0);
    let [Note::DroppedVertices { vertices: dropped }] = cube.notes() else { panic!("{:?}", cube.notes()) };
    assert_eq!(dropped.len(), 25 - 8);
    assert!(dropped.contains(&0));
}

#[test]
fn inside_out_surface_is_turned() {
    let mut faces = cube_faces();
    faces.iter_mut().for_each(|face| face.reverse());
    let cube = Polytope::from_faces(&cube_vertices(), &faces).unwrap();
    check_polytope(&cube, 8.0);
    assert_eq!(cube.notes(), [Note::Turned]);
}

#[test]
fn vertices_within_faces_and_edges_are_dropped() {
    let mut vertices = cube_vertices();
    // A vertex in the middle of the top and one in the middle of an edge of the top.
    vertices.extend([DVec3::new(0.5, 0.5, 1.0), DVec3::new(0.5, 0.0, 1.0)]);
    let mut faces = cube_faces();
    faces[5] = vec![4, 9, 8];
    faces.extend([vec![9, 5, 8], vec![5, 7, 8], vec![7, 6, 8], vec![6, 4, 8]]);
    faces[2] = vec![0, 1, 5, 9, 4];
    let cube = Polytope::from_faces(&vertices, &faces).unwrap();
    check_polytope(&cube, 8.0);
    assert_eq!((cube.vertex_count(), cube.face_count()), (8, 6));
    assert_eq!(
        cube.notes(),
        [Note::MergedFaces { merged: 4 }, Note::DroppedVertices { vertices: vec![8, 9] }]
    );
}

#[test]
fn hull_faces_are_accepted_back() {
    // What the hull gives must pass the check, whole and as triangles, at all scales and places.
    let mut random = Random(11);
    let mut merged = 0;
    for round in 0..60 {
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let rotation = random.rotation();
        let points = match round % 4 {
            0 => random_sphere(&mut random, 4 + round),
            1 => cylinder(3 + 7 * round, 1.0, 1.0),
            2 => cylinder(3 + round, 1.0, 1e-5),
            _ => (0..50).map(|_| random.in_cube() * DVec3::new(1.0, 1e-3, 1e-6)).collect(),
        };
        let shift = random.in_cube() * [0.0, 1.0, 1e6][round % 3];
        let points: Vec<DVec3> = points.iter().map(|&p| (rotation * p + shift) * scale).collect();
        let hull = Polytope::from_points(&points).unwrap();
        for faces in [loops(&hull), fans(&loops(&hull))] {
            let back = Polytope::from_faces(&points, &faces).unwrap_or_else(|e| panic!("round {round}: {e}"));
            check_polytope(&back, 256.0);
            check_support(&back, &mut random, 10);
            assert_eq!(back.vertex_count(), hull.vertex_count());
            assert_eq!(back.face_count(), hull.face_count());
            merged += usize::from(back.notes().iter().any(|n| matches!(n, Note::MergedFaces { .. })));
        }
    }
    assert!(merged >= 20, "{merged}");
}

#[test]
fn bad_surfaces_name_the_offender() {
    let vertices = cube_vertices();
    let with = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
        let mut faces = cube_faces();
        change(&mut faces);
        Polytope::from_faces(&vertices, &faces).unwrap_err()
    };
    assert_eq!(Polytope::from_faces(&[], &[]).unwrap_err(), PolytopeError::Empty);
    assert_eq!(Polytope::from_faces(&vertices, &[]).unwrap_err(), PolytopeError::Empty);
    assert_eq!(with(&|faces| faces[3][1] = 8), PolytopeError::NoSuchVertex { face: 3, vertex: 8 });
    assert_eq!(with(&|faces| faces[2] = vec![0, 1, 1, 0]), PolytopeError::DegenerateFace { face: 2 });
    assert_eq!(with(&|faces| faces[2] = vec![0, 1, 5, 1]), PolytopeError::DegenerateFace { face: 2 });
    assert_eq!(
        with(&|faces| drop(faces.remove(5))),
        PolytopeError::NotClosed { vertices: [4, 5], faces: 1, face: 2 }
    );
    assert_eq!(
        with(&|faces| faces.push(vec![0, 4, 6, 2])),
        PolytopeError::NotClosed { vertices: [0, 2], faces: 3, face: 0 }
    );
    assert_eq!(
        with(&|faces| faces[5].reverse()),
        PolytopeError::InconsistentOrientation { faces: [2, 5], vertices: [4, 5] }
    );
    let mut nan = vertices.clone();
    nan[3].y = f64::NAN;
    assert_eq!(Polytope::from_faces(&nan, &cube_faces()).unwrap_err(), PolytopeError::NotFinite { point: 3 });
    let flat: Vec<DVec3> = vertices.iter().map(|v| v.with_z(v.z * 1e-15)).collect();
    assert!(matches!(Polytope::from_faces(&flat, &cube_faces()), Err(PolytopeError::Flat { .. })));
}

#[test]
fn two_cubes_are_two_pieces() {
    let mut vertices = cube_vertices();
    vertices.extend(cube_vertices().iter().map(|&v| v + 3.0 * DVec3::X));
    let mut faces = cube_faces();
    faces.extend(cube_faces().iter().map(|f| f.iter().map(|v| v + 8).collect()));
    assert_eq!(
        Polytope::from_faces(&vertices, &faces).unwrap_err(),
        PolytopeError::SeveralPieces { pieces: 2 }
    );
}

#[test]
fn dents_are_refused_by_depth() {
    // A vertex pushed in from the middle of the top, as deep as a share of the size.
    for turned in [false, true] {
        for depth in [0.9, 1e-3, 1e-9, 1e-13] {
            let mut vertices = cube_vertices();
            vertices.push(DVec3::new(0.5, 0.5, 1.0 - depth));
            let mut faces = cube_faces();
            faces.truncate(5);
            faces.extend([vec![4, 5, 8], vec![5, 7, 8], vec![7, 6, 8], vec![6, 4, 8]]);
            if turned {
                faces.iter_mut().for_each(|face| face.reverse());
            }
            let error = Polytope::from_faces(&vertices, &faces).unwrap_err();
            let PolytopeError::NotConvex { face, by, .. } = error else { panic!("{error}") };
            assert!(face >= 5 && by > 0.5 * depth && by < 4.0 * depth, "{depth:e}: face {face} by {by:e}");
        }
        // Raised by as little it is a pyramid.
        let mut vertices = cube_vertices();
        vertices.push(DVec3::new(0.5, 0.5, 1.0 + 1e-12));
        let mut faces = cube_faces();
        faces.truncate(5);
        faces.extend([vec![4, 5, 8], vec![5, 7, 8], vec![7, 6, 8], vec![6, 4, 8]]);
        assert_eq!(Polytope::from_faces(&vertices, &faces).unwrap().face_count(), 9);
    }
}

#[test]
fn warped_quadrilateral_is_refused() {
    let mut vertices = cube_vertices();
    vertices[7].z += 1e-6;
    let error = Polytope::from_faces(&vertices, &cube_faces()).unwrap_err();
    assert!(matches!(error, PolytopeError::NotConvex { face: 5, by, .. } if by > 1e-7), "{error}");
}
