//! Splines that fold along a knot: the fold is an edge, whichever way the patch is given.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Curve, NurbsCurve, Range, Rect};
use clearance_geometry::surface::{
    Cylinder, Extrusion, NurbsSurface, ParametricSurface, Revolution, Surface, Torus,
};
use clearance_geometry::tiled::{
    Convexity, DeformingPatch, EdgeKind, Hollow, Patch, TiledBody, TiledError, TiledNote,
};
use clearance_geometry::{DVec2, DVec3, DeformingBody, DeformingFace, EdgeId, FaceId, Feature, Pose};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

const ENDS: [f64; 4] = [0.0, 0.0, 1.0, 1.0];

/// A sheet of two bilinear halves that meet at u = 1; rows of two points along y.
fn sheet(rows: [[DVec3; 2]; 3]) -> NurbsSurface {
    let knots = [vec![0.0, 0.0, 1.0, 2.0, 2.0], ENDS.to_vec()];
    NurbsSurface::new([1, 1], knots, &rows.map(|row| row.to_vec()), None).unwrap()
}

/// A roof over x from 0 to 2 and y from 0 to 1: high at the sides, and along the middle at both ends.
fn roof(sides: f64, middle: [f64; 2]) -> NurbsSurface {
    let p = DVec3::new;
    sheet([
        [p(0.0, 0.0, sides), p(0.0, 1.0, sides)],
        [p(1.0, 0.0, middle[0]), p(1.0, 1.0, middle[1])],
        [p(2.0, 0.0, sides), p(2.0, 1.0, sides)],
    ])
}

fn quad(corners: [[f64; 3]; 4]) -> Patch {
    let [a, b, c, d] = corners.map(DVec3::from_array);
    let knots = [ENDS.to_vec(), ENDS.to_vec()];
    Patch::new(NurbsSurface::new([1, 1], knots, &[vec![a, d], vec![b, c]], None).unwrap())
}

fn count(body: &TiledBody, kind: EdgeKind) -> usize {
    body.edges().iter().filter(|edge| edge.kind == kind).count()
}

fn polyline(points: &[DVec3]) -> Curve {
    let last = (points.len() - 1) as f64;
    let mut knots = vec![0.0];
    knots.extend((0..points.len()).map(|k| k as f64));
    knots.push(last);
    NurbsCurve::new(1, knots, points, None).unwrap().into()
}

#[test]
fn folded_sheets_have_an_edge_along_the_knot() {
    let mut kinds = [0, 0];
    for scale in [1e-6, 1.0, 1e6] {
        for away in [DVec3::ZERO, DVec3::new(3e3, -2e3, 1e3) * scale] {
            for (height, turned) in [(1.0, false), (1.0, true), (-1.0, false), (-1.0, true)] {
                let grown =
                    roof(0.0, [height; 2]).transformed(&(clearance_geometry::DMat3::IDENTITY * scale), away);
                let patch = Patch::new(grown.clone());
                let patch = if turned { patch.reversed() } else { patch };
                let body = TiledBody::from_patches(&[patch], None).unwrap();
                assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (2, 7, 6));
                assert_eq!(body.open_edges().len(), 6);
                assert_eq!(body.notes(), []);
                // S_u × S_v looks up, so that a ridge is convex seen from above.
                let convex = (height > 0.0) != turned;
                kinds[usize::from(convex)] += 1;
                let kind = if convex { EdgeKind::Convex } else { EdgeKind::Reflex };
                let at = body.edges().iter().position(|edge| edge.kind != EdgeKind::Open).unwrap();
                let fold = body.edge(EdgeId(at as u32));
                assert_eq!(fold.kind, kind, "{scale} {height} {turned}");
                let angle = if convex { FRAC_PI_2 } else { -FRAC_PI_2 };
                assert!(fold.angles.iter().all(|found| (found - angle).abs() < 1e-9), "{:?}", fold.angles);
                // It bounds both faces, which lie over the two halves of the same parameters.
                let faces = [0, 1].map(|face| Feature::Face(FaceId(face)));
                assert_eq!(body.coboundary(Feature::Edge(EdgeId(at as u32))), faces);
                for (face, along_u) in body.faces().iter().zip([[0.0, 1.0], [1.0, 2.0]]) {
                    let [low, high] = along_u;
                    assert_eq!(face.region.rect().unwrap().u, Range::new(low, high));
                    let middle = DVec2::new(0.5 * (low + high), 0.25);
                    let off = face.point(middle).distance(grown.point(middle.x, middle.y));
                    assert!(off <= 1e-12 * (scale + away.length()));
                }
                for against in [false, true] {
                    let face = fold.faces[usize::from(against)].unwrap();
                    let found = body.parameters(face, EdgeId(at as u32), 0.25, against);
                    assert!((found - DVec2::new(1.0, 0.25)).length() < 1e-6, "{found}");
                }
                let area = 2.0 * 2_f64.sqrt() * scale * scale;
                let mass = body.mass();
                assert!((mass.area - area).abs() <= mass.area_error + 1e-9 * area, "{mass:?}");
            }
        }
    }
    assert_eq!(kinds, [12, 12]);
}

/// A house with vertical walls under `roof`; the gables go along with it, or are plain.
fn house(roof: NurbsSurface, gables: [Patch; 2]) -> TiledBody {
    let h = roof.point(0.0, 0.0).z;
    let floor = quad([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    let wall = |x: f64| quad([[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 1.0, h], [x, 0.0, h]]);
    let [front, back] = gables;
    TiledBody::from_patches(&[floor, wall(0.0), Patch::new(roof), wall(2.0), front, back], None).unwrap()
}

fn gable(y: f64, sides: f64, middle: f64) -> Patch {
    let p = DVec3::new;
    let rows = [(0.0, sides), (1.0, middle), (2.0, sides)].map(|(x, z)| [p(x, y, 0.0), p(x, y, z)]);
    Patch::new(sheet(rows))
}

#[test]
fn folded_roofs_leave_a_house_closed() {
    for middle in [1.5, 0.5] {
        // The gables have a knot at the corner of their outline, but do not fold: they stay in one piece.
        let body = house(roof(1.0, [middle; 2]), [gable(0.0, 1.0, middle), gable(1.0, 1.0, middle)]);
        assert_eq!((body.face_count(), body.vertex_count()), (7, 10));
        assert!(body.is_closed(), "{:?}", body.open_edges());
        let volume = 1.0 + middle;
        let mass = body.mass();
        assert!((mass.volume - volume).abs() <= mass.volume_error && mass.volume_error < 1e-9, "{mass:?}");
        // Input order: the roof is the third patch, its halves the faces 2 and 3.
        for face in [2, 3] {
            assert!((body.face(FaceId(face)).normal(DVec2::new(1.0, 0.5)).unwrap().z) > 0.5);
        }
        let reflex: Vec<usize> =
            (0..body.edge_count()).filter(|&at| body.edges()[at].kind == EdgeKind::Reflex).collect();
        if middle > 1.0 {
            assert_eq!(count(&body, EdgeKind::Convex), body.edge_count());
            assert_eq!(body.convexity(), Convexity::Convex);
        } else {
            let [valley] = reflex.as_slice() else { panic!("{reflex:?}") };
            let edge = EdgeId(*valley as u32);
            assert_eq!(body.convexity(), Convexity::NotConvex(Hollow::Edge { edge }));
            assert_eq!(body.edge(edge).faces.map(|face| face.unwrap().0.min(9)).iter().sum::<u32>(), 5);
        }
        assert!(body.nice_patches().iter().all(|patch| patch.is_nice()));
    }
}

#[test]
fn sides_are_cut_where_a_fold_of_a_neighbour_ends() {
    // At the front the roof is not bent, and the wall there knows nothing of its knot.
    let front = || quad([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 1.0], [0.0, 0.0, 1.0]]);
    let p = DVec2::new;
    let plane = clearance_geometry::surface::Plane::new(
        Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::ZERO).unwrap(),
    );
    let outline = vec![p(0.0, 0.0), p(2.0, 0.0), p(2.0, 1.0), p(0.0, 1.0)];
    let trimmed = Patch::new(plane).trimmed(vec![outline]);
    for (name, front) in [("rectangle", front()), ("polygon", trimmed)] {
        let body = house(roof(1.0, [1.0, 1.5]), [front, gable(1.0, 1.0, 1.5)]);
        assert_eq!((body.face_count(), body.vertex_count()), (7, 10), "{name}");
        assert!(body.is_closed(), "{name} {:?}", body.open_edges());
        let mass = body.mass();
        assert!((mass.volume - 2.25).abs() <= mass.volume_error + 1e-12, "{name} {mass:?}");
        assert_eq!(count(&body, EdgeKind::Convex), body.edge_count(), "{name}");
    }
}

#[test]
fn knots_without_a_fold_stay_inside_their_face() {
    let pose = Pose::new(Random::new(3).quaternion(), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let tube = Cylinder::new(pose, 2.0).unwrap();
    let part = Rect::new(Range::TURN, Range::new(0.0, 1.0));
    let rational = Surface::from(tube).to_nurbs(part).unwrap();
    assert!(rational.breaks()[0].iter().any(|knot| knot.continuity == 0));
    let body = TiledBody::from_patches(&[Patch::new(rational)], None).unwrap();
    assert_eq!((body.face_count(), body.notes().len()), (1, 0));
    let torus = Surface::from(Torus::new(pose, 3.0, 1.0).unwrap());
    let ring = TiledBody::from_patches(&[Patch::new(torus.to_nurbs(torus.domain()).unwrap())], None).unwrap();
    assert_eq!(ring.face_count(), 1);
    assert!(ring.is_closed());
    assert_eq!(count(&ring, EdgeKind::Smooth), 2);
    // A flat sheet with a knot at which it could fold.
    assert_eq!(TiledBody::from_patches(&[Patch::new(roof(1.0, [1.0; 2]))], None).unwrap().face_count(), 1);
}

#[test]
fn folds_along_both_parameters_make_a_grid() {
    // A pyramid-like tent over a grid of 3 × 3 points, of degree 2 along v.
    let knots_u = vec![0.0, 0.0, 1.0, 2.0, 2.0];
    let knots_v = vec![0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 3.0];
    let height = |i: usize, j: usize| f64::from(u8::from(i == 1)) + 2.0 * f64::from(u8::from(j == 2));
    let net: Vec<Vec<DVec3>> =
        (0..3).map(|i| (0..5).map(|j| DVec3::new(i as f64, j as f64, height(i, j))).collect()).collect();
    let tent = NurbsSurface::new([1, 2], [knots_u, knots_v], &net, None).unwrap();
    let body = TiledBody::from_patches(&[Patch::new(tent.clone())], None).unwrap();
    assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (4, 12, 9));
    assert_eq!(count(&body, EdgeKind::Convex), 4);
    // Along u first.
    let starts: Vec<DVec2> = (0..4)
        .map(|face| {
            let rect = body.face(FaceId(face)).region.rect().unwrap();
            DVec2::new(rect.u.low, rect.v.low)
        })
        .collect();
    let p = DVec2::new;
    assert_eq!(starts, [p(0.0, 0.0), p(0.0, 1.0), p(1.0, 0.0), p(1.0, 1.0)]);
    // The part over a rectangle is cut in the same places, and only there.
    let part = Rect::new(Range::new(0.5, 1.5), Range::new(1.0, 3.0));
    let body = TiledBody::from_patches(&[Patch::new(tent.clone()).over(part)], None).unwrap();
    assert_eq!((body.face_count(), body.open_edges().len()), (2, 6));
    // Two patches of one surface that meet at the knot see each its own side of it.
    let halves = [Range::new(0.0, 1.0), Range::new(1.0, 2.0)]
        .map(|u| Patch::new(tent.clone()).over(Rect::new(u, Range::new(0.0, 1.0))));
    let body = TiledBody::from_patches(&halves, None).unwrap();
    assert_eq!((body.face_count(), count(&body, EdgeKind::Convex)), (2, 1));
}

#[test]
fn sweeps_of_bent_lines_are_cut_too() {
    // A double cone: both ends on the axis.
    let profile = polyline(&[DVec3::NEG_Z, DVec3::X, DVec3::Z]);
    let spindle = Revolution::new(profile, DVec3::ZERO, DVec3::Z).unwrap();
    let body = TiledBody::from_patches(&[Patch::new(spindle)], None).unwrap();
    assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (2, 1, 2));
    assert_eq!((body.is_closed(), body.edges()[0].kind), (true, EdgeKind::Convex));
    let mass = body.mass();
    assert!((mass.volume - TAU / 3.0).abs() <= mass.volume_error && mass.volume_error < 1e-9, "{mass:?}");
    // A square tube: closed, its seam an edge like the other three.
    let square = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y, DVec3::ZERO];
    let tube = Patch::new(Extrusion::new(polyline(&square), DVec3::Z).unwrap());
    for start in [0.0, 0.5, -0.5] {
        let rect = Rect::new(Range::new(start, start + 4.0), Range::new(0.0, 2.0));
        let body = TiledBody::from_patches(&[tube.clone().over(rect)], None).unwrap();
        assert_eq!(count(&body, EdgeKind::Convex), 4, "{start}");
        assert_eq!(count(&body, EdgeKind::Smooth), usize::from(start != 0.0), "{start}");
        let mass = body.mass();
        assert!((mass.area - 8.0).abs() <= mass.area_error + 1e-9, "{start} {mass:?}");
    }
}

#[test]
fn torn_splines_are_joined_or_open() {
    let knots = [vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0], ENDS.to_vec()];
    let row = |x: f64, z: f64| vec![DVec3::new(x, 0.0, z), DVec3::new(x, 1.0, z)];
    for (step, open, faces) in [(0.0, 6, 2), (0.5, 8, 2)] {
        let net = [row(0.0, 0.0), row(1.0, 0.0), row(1.0, step), row(2.0, step)];
        let torn = NurbsSurface::new([1, 1], knots.clone(), &net, None).unwrap();
        let body = TiledBody::from_patches(&[Patch::new(torn)], None).unwrap();
        assert_eq!((body.face_count(), body.open_edges().len()), (faces, open), "{step}");
        let mass = body.mass();
        assert!((mass.area - 2.0).abs() <= mass.area_error + 1e-9, "{mass:?}");
    }
}

#[test]
fn deforming_sheets_fold_without_new_numbers() {
    let flat = roof(0.0, [0.0; 2]);
    let velocities = [vec![DVec3::ZERO; 2], vec![DVec3::Z; 2], vec![DVec3::ZERO; 2]];
    let sheet = DeformingFace::moving(DeformingPatch::new(flat, &velocities).unwrap(), false);
    let beside =
        DeformingFace::still(quad([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]]));
    let start = DeformingBody::new(vec![sheet, beside], None).unwrap();
    assert_eq!((start.shape().face_count(), start.faces().len()), (3, 3));
    for (dt, kind) in [(0.0, EdgeKind::Smooth), (1.0, EdgeKind::Convex), (-1.0, EdgeKind::Reflex)] {
        let now = start.advance(dt).unwrap();
        assert_eq!((now.shape().face_count(), now.faces().len()), (3, 3), "{dt}");
        let fold = now.shape().edges().iter().find(|edge| edge.faces == [0, 1].map(|f| Some(FaceId(f))));
        let turned = || now.shape().edges().iter().find(|edge| edge.faces == [1, 0].map(|f| Some(FaceId(f))));
        assert_eq!(fold.or_else(turned).unwrap().kind, kind, "{dt}");
        for (face, at, velocity) in [(0, DVec2::new(0.5, 0.5), 0.5), (1, DVec2::new(1.25, 0.5), 0.75)] {
            assert_eq!(now.velocity(FaceId(face), at).z, velocity, "{dt}");
            let on = now.shape().face(FaceId(face)).point(at).z;
            assert!((on - velocity * dt).abs() < 1e-12, "{dt} {face}");
        }
        assert_eq!(now.velocity(FaceId(2), DVec2::ZERO), DVec3::ZERO);
    }
}

#[test]
fn errors_name_the_patch_and_not_its_part() {
    let bad = quad([[0.0; 3]; 4]);
    let patches = [Patch::new(roof(0.0, [1.0; 2])), bad];
    let error = TiledError::NoExtent { face: FaceId(1) };
    assert_eq!(TiledBody::from_patches(&patches, None).unwrap_err(), error);
    // A loop that runs the wrong way around, behind a patch that becomes two faces.
    let p = DVec2::new;
    let plane = clearance_geometry::surface::Plane::new(Pose::IDENTITY);
    let turned = Patch::new(plane).trimmed(vec![vec![p(5.0, 5.0), p(5.0, 6.0), p(6.0, 6.0)]]);
    let faces = [Patch::new(roof(0.0, [1.0; 2])), turned];
    let error = TiledError::LoopTurned { face: FaceId(1) };
    assert_eq!(TiledBody::from_patches(&faces, None).unwrap_err(), error);
    let faces = faces.map(DeformingFace::still).to_vec();
    assert_eq!(DeformingBody::new(faces, None).unwrap_err(), error);
}

#[test]
fn trimmed_patches_that_fold_are_noted() {
    let p = DVec2::new;
    let roof = Surface::from(roof(0.0, [1.0; 2]));
    let across = vec![p(0.5, 0.2), p(1.5, 0.2), p(1.5, 0.8), p(0.5, 0.8)];
    let beside = vec![p(0.2, 0.2), p(0.9, 0.2), p(0.9, 0.8)];
    for (corners, folded) in [(across, true), (beside, false)] {
        let patch = Patch::new(roof.clone()).trimmed(vec![corners.clone()]);
        let tiled = TiledBody::from_patches(&[patch], None).unwrap();
        let trimmed = TiledBody::from_trim(roof.clone(), false, &[corners]).unwrap();
        for body in [tiled, trimmed] {
            let note = TiledNote::FoldedFaces { faces: vec![FaceId(0)] };
            assert_eq!(body.notes().contains(&note), folded, "{:?}", body.notes());
        }
    }
}
