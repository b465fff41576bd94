//! Loose patches: Newell's pots, boxes of splines, closed splines, turned and broken tilings.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{Cylinder, NurbsSurface, ParametricSurface, Plane, Sphere, Surface, Torus};
use clearance_geometry::tiled::{
    Convexity, DeformingPatch, EdgeKind, Hollow, Patch, Side, TiledBody, TiledError, TiledNote,
};
use clearance_geometry::{DVec2, DVec3, Feature, PatchTree, Pose, VertexId};
use clearance_testkit::Random;
use clearance_testkit::data::{bezier_patches, data_or_skip};
use std::f64::consts::{FRAC_PI_2, PI};

fn newell(test: &str, file: &str) -> Option<Vec<Patch>> {
    let path = data_or_skip(test, file)?;
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let surface = |net: Vec<Vec<DVec3>>| NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    Some(bezier_patches(&path).into_iter().map(|net| Patch::new(surface(net))).collect())
}

const POTS: [(&str, usize, usize, usize, usize); 3] = [
    ("teapot-patches.json", 32, 16, 8, 4),
    ("teacup-patches.json", 26, 12, 0, 2),
    ("teaspoon-patches.json", 16, 8, 0, 1),
];

#[test]
fn newells_pots_have_their_open_edges() {
    for (file, faces, open, collapsed, shells) in POTS {
        let Some(patches) = newell("newells_pots_have_their_open_edges", file) else { return };
        for scale in [1.0, 1e-6, 1e6] {
            let scaled: Vec<Patch> =
                patches.iter().map(|p| Patch::new(scaled(&p.surface, scale, DVec3::ZERO))).collect();
            let body = TiledBody::from_patches(&scaled, None).unwrap();
            assert_eq!(body.face_count(), faces, "{file}");
            assert_eq!(body.open_edges().len(), open, "{file} at {scale}");
            assert_eq!(body.shell_count(), shells, "{file}");
            // Every side of every patch is collapsed, on an open edge, or half of a shared one.
            assert_eq!(4 * faces, collapsed + open + 2 * (body.edge_count() - open), "{file}");
            let expected = TiledNote::CollapsedSides { count: collapsed };
            assert_eq!(body.notes().contains(&expected), collapsed > 0, "{file} {:?}", body.notes());
            // An open edge's gap is where the next open edge is: far more than the tolerance.
            assert!(body.open_edges().iter().all(|o| o.gap > body.tolerance() && o.gap < 10.0 * scale));
            assert!(body.faces().iter().all(|face| face.region.rect().is_some()), "{file}");
        }
    }
}

#[test]
fn teapot_is_described_right() {
    let Some(patches) = newell("teapot_is_described_right", "teapot-patches.json") else { return };
    let body = TiledBody::from_patches(&patches, None).unwrap();
    assert_eq!((body.vertex_count(), body.edge_count()), (37, 68));
    let count = |kind| body.edges().iter().filter(|edge| edge.kind == kind).count();
    assert_eq!((count(EdgeKind::Smooth), count(EdgeKind::Open)), (52, 16));
    // Along y the pot reaches ±2, where the body's widest control points lie on the surface.
    let bounds = body.aabb();
    assert!((bounds.low[1] + 2.0).abs() < 1e-6 && (bounds.high[1] - 2.0).abs() < 1e-6, "{bounds:?}");
    assert!((bounds.high[2] - 3.15).abs() < 1e-6 && bounds.low[2].abs() < 1e-6);
    assert!(matches!(body.convexity(), Convexity::NotConvex(Hollow::Face { .. })));
    assert!(matches!(body.check_closed(), Err(TiledError::OpenEdge { .. })));
    assert!(body.nice_patches().iter().all(|patch| patch.is_nice()), "every patch is nice or divided");
    assert!(body.nice_patches().len() > 32);
    // The area against a sum over fine facets.
    let mut area = 0.0;
    for patch in &patches {
        let n = 64;
        let p = |i: usize, j: usize| patch.surface.point(i as f64 / n as f64, j as f64 / n as f64);
        for i in 0..n {
            for j in 0..n {
                area += 0.5 * (p(i + 1, j + 1) - p(i, j)).cross(p(i, j + 1) - p(i + 1, j)).length();
            }
        }
    }
    assert!((body.mass().area - area).abs() < 1e-3 * area, "{} {area}", body.mass().area);
}

fn scaled(surface: &Surface, scale: f64, origin: DVec3) -> NurbsSurface {
    let Surface::Nurbs(nurbs) = surface else { panic!("a spline") };
    nurbs.transformed(&(clearance_geometry::DMat3::IDENTITY * scale), origin)
}

fn quad(corners: [DVec3; 4]) -> NurbsSurface {
    let ends = || vec![0.0, 0.0, 1.0, 1.0];
    let [a, b, c, d] = corners;
    NurbsSurface::new([1, 1], [ends(), ends()], &[vec![a, d], vec![b, c]], None).unwrap()
}

/// The unit cube of six patches; `turn` says which run the other way.
fn cube(turn: u32, origin: DVec3, k: f64) -> Vec<Patch> {
    let p = |i: usize| origin + k * DVec3::new((i & 1) as f64, ((i >> 1) & 1) as f64, ((i >> 2) & 1) as f64);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let one = |(at, ids): (usize, &[usize; 4])| {
        let mut ids = *ids;
        if turn & (1 << at) != 0 {
            ids.reverse();
        }
        Patch::new(quad(ids.map(p)))
    };
    faces.iter().enumerate().map(one).collect()
}

#[test]
fn cube_of_patches_is_closed_however_they_are_turned() {
    for (k, origin) in [(1.0, DVec3::ZERO), (1e-6, DVec3::ZERO), (1e6, DVec3::ZERO), (1.0, DVec3::splat(1e4))]
    {
        for turn in 0..64 {
            let body = TiledBody::from_patches(&cube(turn, origin, k), None).unwrap();
            assert_eq!((body.vertex_count(), body.edge_count(), body.face_count()), (8, 12, 6));
            assert!(body.is_closed());
            let mass = body.mass();
            assert!((mass.volume - k.powi(3)).abs() <= mass.volume_error, "{turn} {mass:?}");
            assert!(mass.volume_error < 1e-8 * k.powi(3), "{:e}", mass.volume_error);
            assert!((mass.center - origin - 0.5 * k).length() <= mass.center_error);
            assert!(
                body.edges()
                    .iter()
                    .all(|e| e.kind == EdgeKind::Convex && (e.angles[0] - FRAC_PI_2).abs() < 1e-9)
            );
            assert_eq!(body.convexity(), Convexity::Convex);
            let noted = !body.notes().is_empty();
            assert_eq!(noted, turn != 0, "{turn}: {:?}", body.notes());
        }
    }
    let body = TiledBody::from_patches(&cube(63, DVec3::ZERO, 1.0), None).unwrap();
    assert_eq!(body.notes(), [TiledNote::Turned]);
    for v in 0..8 {
        let edges = body.coboundary(Feature::Vertex(VertexId(v)));
        assert_eq!(edges.len(), 3);
        assert!(edges.iter().all(|&e| body.boundary(e).contains(&Feature::Vertex(VertexId(v)))));
    }
}

#[test]
fn one_sided_band_is_refused() {
    // Three quadrilaterals around, twisted by half a turn.
    let p = |i: usize, top: bool| {
        let angle = i as f64 * 2.0 * PI / 3.0;
        DVec3::new(angle.cos(), angle.sin(), if top { 0.3 } else { -0.3 })
    };
    let band = [
        quad([p(0, false), p(1, false), p(1, true), p(0, true)]),
        quad([p(1, false), p(2, false), p(2, true), p(1, true)]),
        quad([p(2, false), p(0, true), p(0, false), p(2, true)]),
    ];
    let found = TiledBody::from_patches(&band.map(Patch::new), None).unwrap_err();
    assert!(matches!(found, TiledError::InconsistentOrientation { .. }), "{found:?}");
}

#[test]
fn gaps_between_patches_are_measured_or_closed() {
    let mut patches = cube(0, DVec3::ZERO, 1.0);
    // The lid a little too high.
    patches[1] = Patch::new(scaled(&patches[1].surface, 1.0, DVec3::Z * 1e-4));
    let open = TiledBody::from_patches(&patches, None).unwrap();
    assert_eq!(open.open_edges().len(), 8);
    assert!(open.open_edges().iter().all(|o| (o.gap - 1e-4).abs() < 1e-9), "{:?}", open.open_edges());
    let closed = TiledBody::from_patches(&patches, Some(1e-3)).unwrap();
    assert!(closed.is_closed());
    assert!(
        closed
            .notes()
            .iter()
            .any(|n| matches!(n, TiledNote::JoinedSides { gap, .. } if (gap - 1e-4).abs() < 1e-9))
    );
    assert!((closed.mass().volume - 1.0).abs() <= closed.mass().volume_error);
    // Three patches along one line stay open; three along one edge are too many.
    let mut fan = cube(0, DVec3::ZERO, 1.0);
    fan.push(Patch::new(quad([DVec3::ZERO, DVec3::X, DVec3::new(1.0, -1.0, 0.0), DVec3::NEG_Y])));
    let fanned = TiledBody::from_patches(&fan, None).unwrap();
    assert_eq!(fanned.open_edges().len(), 4);
}

#[test]
fn closed_splines_have_seams_and_poles() {
    for place in [Pose::IDENTITY, Pose::from_translation(DVec3::new(100.0, 20.0, -30.0)).unwrap()] {
        let ball = Surface::from(Sphere::new(place, 2.0).unwrap());
        let body =
            TiledBody::from_patches(&[Patch::new(ball.to_nurbs(ball.domain()).unwrap())], None).unwrap();
        assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (1, 1, 2));
        assert!(body.is_closed() && body.edges()[0].is_seam() && body.edges()[0].kind == EdgeKind::Smooth);
        assert!(
            (body.mass().volume - 32.0 * PI / 3.0).abs() <= body.mass().volume_error,
            "{:?}",
            body.mass()
        );
        assert!((body.mass().area - 16.0 * PI).abs() <= body.mass().area_error, "{:?}", body.mass());
        assert!(matches!(body.convexity(), Convexity::Unknown | Convexity::Convex));

        let ring = Surface::from(Torus::new(place, 3.0, 1.0).unwrap());
        let body =
            TiledBody::from_patches(&[Patch::new(ring.to_nurbs(ring.domain()).unwrap())], None).unwrap();
        assert_eq!((body.face_count(), body.edge_count(), body.vertex_count()), (1, 2, 1));
        assert!(body.is_closed());
        assert!((body.mass().volume - 6.0 * PI * PI).abs() <= body.mass().volume_error, "{:?}", body.mass());
        assert!(matches!(body.convexity(), Convexity::NotConvex(Hollow::Face { .. })));
    }
}

#[test]
fn analytic_patches_match_by_their_rims() {
    // A quarter of a pipe between two quarters of spheres.
    let (u, r) = (Range::new(0.0, FRAC_PI_2), 1.5);
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let patches = [
        Patch::new(Cylinder::new(at(0.0), r).unwrap()).over(Rect::new(u, Range::new(0.0, 4.0))),
        Patch::new(Sphere::new(at(4.0), r).unwrap()).over(Rect::new(u, Range::new(0.0, FRAC_PI_2))),
        Patch::new(Sphere::new(at(0.0), r).unwrap())
            .over(Rect::new(u, Range::new(-FRAC_PI_2, 0.0)))
            .reversed(),
    ];
    let body = TiledBody::from_patches(&patches, None).unwrap();
    assert_eq!((body.face_count(), body.edge_count(), body.open_edges().len()), (3, 8, 6));
    assert_eq!(body.edges().iter().filter(|e| e.kind == EdgeKind::Smooth).count(), 2);
    assert!((body.mass().area - (FRAC_PI_2 * r * 4.0 + PI * r * r)).abs() <= body.mass().area_error);
    assert!(matches!(body.notes(), [TiledNote::CollapsedSides { count: 2 }, TiledNote::TurnedFaces { .. }]));
    // A whole pipe closed by spheres: rims that are single closed edges.
    let whole = Range::TURN;
    let patches = [
        Patch::new(Cylinder::new(at(0.0), r).unwrap()).over(Rect::new(whole, Range::new(0.0, 4.0))),
        Patch::new(Sphere::new(at(4.0), r).unwrap()).over(Rect::new(whole, Range::new(0.0, FRAC_PI_2))),
        Patch::new(Sphere::new(at(0.0), r).unwrap()).over(Rect::new(whole, Range::new(-FRAC_PI_2, 0.0))),
    ];
    let body = TiledBody::from_patches(&patches, None).unwrap();
    assert_eq!((body.face_count(), body.edge_count()), (3, 2));
    assert!(body.is_closed());
    let volume = PI * r * r * 4.0 + 4.0 / 3.0 * PI * r.powi(3);
    assert!((body.mass().volume - volume).abs() <= body.mass().volume_error);
}

#[test]
fn bad_patches_are_named() {
    assert_eq!(TiledBody::from_patches(&[], None).unwrap_err(), TiledError::Empty);
    let plane = Patch::new(Plane::new(Pose::IDENTITY));
    assert!(matches!(
        TiledBody::from_patches(std::slice::from_ref(&plane), None),
        Err(TiledError::Unbounded { .. })
    ));
    let nan = plane.clone().over(Rect::new(Range::new(0.0, f64::NAN), Range::new(0.0, 1.0)));
    assert!(TiledBody::from_patches(&[nan], None).is_err());
    let turned = plane.over(Rect::new(Range::new(1.0, 0.0), Range::new(0.0, 1.0)));
    assert!(TiledBody::from_patches(&[turned], None).is_err());
    let ball = Patch::new(Sphere::new(Pose::IDENTITY, 1.0).unwrap());
    let beyond = ball.over(Rect::new(Range::new(0.0, 7.0), Range::new(0.0, 1.0)));
    assert!(TiledBody::from_patches(&[beyond], None).is_err());
    let point = quad([DVec3::ONE; 4]);
    assert!(TiledBody::from_patches(&[Patch::new(point)], None).is_err());
}

#[test]
fn patch_tree_holds_every_point_of_the_body() {
    let bodies = [TiledBody::torus(3.0, 1.0).unwrap(), TiledBody::cylinder(1.0, 5.0).unwrap()];
    for body in bodies {
        let tree = PatchTree::of_body(&body).unwrap();
        assert_eq!(tree.nodes().len(), 2 * tree.leaves().len() - 1);
        let mut random = Random::new(5);
        let mut found = 0;
        for _ in 0..2000 {
            let face = &body.faces()[random.index(body.face_count())];
            let bounds = face.region.bounds();
            let at = DVec2::new(bounds.u.at(random.unit()), bounds.v.at(random.unit()));
            if face.side(at) != Side::Inside {
                continue;
            }
            found += 1;
            let point = face.point(at);
            // Down to a leaf with the point through boxes that hold it.
            let mut waiting = vec![0_u32];
            let mut leaves = 0;
            while let Some(place) = waiting.pop() {
                let node = &tree.nodes()[place as usize];
                if !node.bound.contains(point) {
                    continue;
                }
                match node.below {
                    clearance_geometry::Below::Nodes(below) => waiting.extend(below),
                    clearance_geometry::Below::Leaf(leaf) => {
                        let leaf = &tree.leaves()[leaf as usize];
                        let wrapped = body.face(leaf.face).region.wrapped(at.x, at.y);
                        let same = std::ptr::eq(body.face(leaf.face), face);
                        leaves += usize::from(same && leaf.rect.contains(wrapped.x, wrapped.y));
                    }
                }
            }
            assert!(leaves >= 1, "{at}");
        }
        assert!(found > 500);
    }
}

#[test]
fn deforming_patches_move_no_farther_than_their_bound() {
    let mut random = Random::new(77);
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    for case in 0..20 {
        let net: Vec<Vec<DVec3>> = (0..4)
            .map(|i| (0..4).map(|j| DVec3::new(i as f64, j as f64, 0.0) + random.in_ball()).collect())
            .collect();
        let velocities: Vec<Vec<DVec3>> =
            (0..4).map(|_| (0..4).map(|_| random.in_ball() * 3.0).collect()).collect();
        let weights: Vec<Vec<f64>> =
            (0..4).map(|_| (0..4).map(|_| random.uniform(0.5, 2.0)).collect()).collect();
        let weights = (case % 2 == 0).then_some(&weights[..]);
        let shape = NurbsSurface::new([3, 3], [ends(), ends()], &net, weights).unwrap();
        let patch = DeformingPatch::new(shape, &velocities).unwrap();
        let dt = 0.25;
        let later = patch.advance(dt).unwrap();
        let fastest = velocities.iter().flatten().map(|v| v.length()).fold(0.0, f64::max);
        assert!((patch.motion_bound(dt) - fastest * dt).abs() < 1e-12, "exact for the fastest control point");
        for _ in 0..200 {
            let (u, v) = (random.unit(), random.unit());
            let moved = later.shape().point(u, v) - patch.shape().point(u, v);
            assert!(moved.length() <= patch.motion_bound(dt));
            assert!(
                (moved - patch.velocity(u, v) * dt).length() < 1e-13,
                "the velocity of a point is constant"
            );
        }
        let tiled = DeformingPatch::tiled(&[later], None).unwrap();
        assert_eq!(tiled.open_edges().len(), 4);
    }
    let flat = quad([DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y]);
    let found = DeformingPatch::new(flat, &[vec![DVec3::ZERO; 3]]).unwrap_err();
    assert_eq!(found, TiledError::VelocityCount { expected: 4, found: 3 });
}

#[test]
fn motion_bound_of_polynomial_patches_is_attained() {
    let mut random = Random::new(78);
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    for rational in [false, true] {
        for case in 0..20 {
            let net: Vec<Vec<DVec3>> = (0..4)
                .map(|i| (0..4).map(|j| DVec3::new(i as f64, j as f64, 0.0) + random.in_ball()).collect())
                .collect();
            let weights: Vec<Vec<f64>> =
                (0..4).map(|_| (0..4).map(|_| random.uniform(0.5, 2.0)).collect()).collect();
            let shape =
                NurbsSurface::new([3, 3], [ends(), ends()], &net, rational.then_some(&weights[..])).unwrap();
            // The fastest control point is a corner, where the surface goes with it.
            let mut velocities: Vec<Vec<DVec3>> =
                (0..4).map(|_| (0..4).map(|_| random.in_ball()).collect()).collect();
            let corner = [case % 2, case / 2 % 2];
            velocities[3 * corner[0]][3 * corner[1]] = random.in_ball().normalize_or(DVec3::X) * 2.0;
            let now = DeformingPatch::new(shape, &velocities).unwrap();
            let dt = 0.5;
            let later = now.advance(dt).unwrap();
            let (u, v) = (corner[0] as f64, corner[1] as f64);
            let moved = now.shape().point(u, v).distance(later.shape().point(u, v));
            let bound = now.motion_bound(dt);
            assert!(moved <= bound * (1.0 + 1e-15) && moved >= bound * (1.0 - 1e-13), "{moved} {bound}");
            assert!((now.velocity(u, v).length() - 2.0).abs() < 1e-13);
            let steps =
                (0..=20).flat_map(|i| (0..=20).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 20.0)));
            for (u, v) in steps {
                let moved = now.shape().point(u, v).distance(later.shape().point(u, v));
                assert!(moved <= bound * (1.0 + 1e-14), "({u}, {v}): {moved} {bound}");
            }
            // Backward in time it is as far.
            assert_eq!(now.motion_bound(-dt), bound);
        }
    }
}

#[test]
fn zero_length_edges_and_collapsed_rows_become_vertices() {
    // A triangle as a patch whose one side is a point: the row's edge has no length.
    let triangle = quad([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Y]);
    let body = TiledBody::from_patches(&[Patch::new(triangle)], None).unwrap();
    assert_eq!((body.edge_count(), body.vertex_count()), (3, 3));
    assert_eq!(body.notes(), [TiledNote::CollapsedSides { count: 1 }]);
    assert!((body.mass().area - 0.5).abs() <= body.mass().area_error, "{:?}", body.mass());
    assert!(body.mass().area_error < 1e-8);
}

#[test]
fn coincident_knots_make_creases_that_are_kept() {
    // Degree 2 with a double inner knot: a crease along u = 1.
    let knots = vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0];
    let line = vec![0.0, 0.0, 1.0, 1.0];
    let row = |x: f64, z: f64| vec![DVec3::new(x, 0.0, z), DVec3::new(x, 1.0, z)];
    let net = [row(0.0, 0.0), row(0.5, 0.0), row(1.0, 0.0), row(1.0, 0.5), row(1.0, 1.0)];
    let bent = NurbsSurface::new([2, 1], [knots, line], &net, None).unwrap();
    assert_eq!(bent.breaks()[0].len(), 1);
    let body = TiledBody::from_patches(&[Patch::new(bent)], None).unwrap();
    let mass = body.mass();
    assert!((mass.area - 2.0).abs() <= mass.area_error + 1e-12 && mass.area_error < 1e-8, "{mass:?}");
    assert!(body.nice_patches().iter().all(|patch| patch.is_nice()));
    let bounds = body.aabb();
    assert!((bounds.high[2] - 1.0).abs() < 1e-5 && (bounds.high[0] - 1.0).abs() < 1e-5);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let ends = || vec![0.0, 0.0, 1.0, 1.0];
    for bad in [f64::NAN, f64::INFINITY] {
        let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::new(1.0, 1.0, bad)]];
        assert!(NurbsSurface::new([1, 1], [ends(), ends()], &net, None).is_err());
        let flat = quad([DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y]);
        let velocities = [vec![DVec3::ZERO; 2], vec![DVec3::ZERO, DVec3::X * bad]];
        assert!(DeformingPatch::new(flat.clone(), &velocities).is_err());
        let still = DeformingPatch::new(flat, &[vec![DVec3::ZERO; 2], vec![DVec3::X; 2]]).unwrap();
        assert!(still.advance(bad).is_err());
    }
}
