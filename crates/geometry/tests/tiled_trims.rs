//! Trim loops: across seams, through poles, with gaps, with holes, of one closed curve, without parameter curves; at
//! several scales and far from the origin.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{Circle, Curve, Ellipse, Line, Range};
use clearance_geometry::surface::{Cone, Cylinder, Plane, Sphere, Surface, Torus};
use clearance_geometry::tiled::{
    Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, EdgeKind, Side, TiledBody, TiledError, TiledNote,
};
use clearance_geometry::{DMat3, DVec2, DVec3, EdgeId, FaceId, Pose, VertexId};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Where a draft stands: scale and place.
#[derive(Clone, Copy)]
struct Place {
    k: f64,
    origin: DVec3,
}

const PLACES: [Place; 4] = [
    Place { k: 1.0, origin: DVec3::ZERO },
    Place { k: 1e-6, origin: DVec3::ZERO },
    Place { k: 1e6, origin: DVec3::ZERO },
    Place { k: 1.0, origin: DVec3::new(1e4, -2e4, 5e3) },
];

impl Place {
    fn point(self, x: f64, y: f64, z: f64) -> DVec3 {
        self.origin + DVec3::new(x, y, z) * self.k
    }

    /// Axes z and x, through a point.
    fn frame(self, at: [f64; 3], z: DVec3, x: DVec3) -> Pose {
        let (z, x) = (z.normalize(), x.normalize());
        let axes = DMat3::from_cols(x, z.cross(x), z);
        Pose::from_matrix(axes, self.point(at[0], at[1], at[2])).unwrap()
    }

    fn upright(self, z: f64) -> Pose {
        self.frame([0.0, 0.0, z], DVec3::Z, DVec3::X)
    }
}

fn used(edge: u32, reversed: bool) -> DraftUse {
    DraftUse::new(EdgeId(edge), reversed)
}

fn face(surface: impl Into<Surface>, reversed: bool, loops: Vec<Vec<DraftUse>>) -> DraftFace {
    let loops = loops.into_iter().map(DraftLoop::Edges).collect();
    DraftFace { surface: surface.into(), reversed, loops, rect: None }
}

fn segment(place: Place, vertices: &[DVec3], from: u32, to: u32) -> DraftEdge {
    let [a, b] = [from, to].map(|i| vertices[i as usize]);
    let curve = Line::new(a, (b - a) / place.k).unwrap().into();
    DraftEdge { curve, range: Range::new(0.0, place.k), ends: Some([VertexId(from), VertexId(to)]) }
}

fn arc(frame: Pose, radius: f64, from: f64, to: f64, ends: [u32; 2]) -> DraftEdge {
    let curve = Circle::new(frame, radius).unwrap().into();
    DraftEdge { curve, range: Range::new(from, to), ends: Some(ends.map(VertexId)) }
}

fn closed(curve: impl Into<Curve>) -> DraftEdge {
    DraftEdge { curve: curve.into(), range: Range::TURN, ends: None }
}

fn close(found: f64, expected: f64, error: f64) {
    assert!(
        (found - expected).abs() <= error.max(1e-13 * expected.abs()),
        "{found} for {expected}, stated {error:e}"
    );
    assert!(error <= 1e-7 * expected.abs(), "stated {error:e} of {expected}");
}

/// Asks the region about random points, most of them near the boundary, where `inside` is positive inside.
fn check_sides(body: &TiledBody, at: usize, seed: u64, inside: impl Fn(f64, f64) -> f64) {
    let region = &body.faces()[at].region;
    let bounds = region.bounds();
    let mut random = Random::new(seed);
    let mut counts = [0; 2];
    for k in 0..4000 {
        let wide = |range: Range, s: f64| range.low + (1.2 * s - 0.1) * range.width();
        let (mut u, v) = (wide(bounds.u, random.unit()), wide(bounds.v, random.unit()));
        if k % 3 == 0 && body.faces()[at].surface_is_round() {
            u += TAU * f64::from((k % 5) - 2);
        }
        let value = inside(u, v);
        if value.abs() < 1e-9 {
            continue;
        }
        let expected = if value > 0.0 { Side::Inside } else { Side::Outside };
        assert_eq!(region.side(u, v), expected, "({u}, {v}): {value}");
        counts[usize::from(value > 0.0)] += 1;
    }
    assert!(counts[0] > 200 && counts[1] > 200, "{counts:?}");
}

trait Round {
    fn surface_is_round(&self) -> bool;
}

impl Round for clearance_geometry::tiled::Face {
    fn surface_is_round(&self) -> bool {
        !matches!(self.surface, Surface::Plane(_))
    }
}

#[test]
fn loop_across_a_seam_is_a_rectangle() {
    for place in PLACES {
        let k = place.k;
        let corner = |u: f64, z: f64| place.point(u.cos(), u.sin(), z);
        let vertices = vec![corner(-0.5, 0.0), corner(0.5, 0.0), corner(0.5, 1.0), corner(-0.5, 1.0)];
        let edges = vec![
            arc(place.upright(0.0), k, -0.5, 0.5, [0, 1]),
            segment(place, &vertices, 1, 2),
            arc(place.upright(1.0), k, TAU - 0.5, TAU + 0.5, [3, 2]),
            segment(place, &vertices, 3, 0),
        ];
        let uses = vec![used(0, false), used(1, false), used(2, true), used(3, false)];
        let surface = Cylinder::new(place.upright(0.0), k).unwrap();
        let faces = vec![face(surface, false, vec![uses])];
        let body = TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap();
        let region = &body.faces()[0].region;
        if place.origin == DVec3::ZERO {
            assert!(region.rect().is_some(), "{:?}", region.bounds());
        }
        for (u, side) in
            [(0.2, Side::Inside), (TAU - 0.2, Side::Inside), (PI, Side::Outside), (0.6, Side::Outside)]
        {
            assert_eq!(region.side(u, 0.5 * k), side, "{u}");
        }
        assert_eq!(region.side(0.5, 0.5 * k), Side::Boundary);
        close(body.mass().area, k * k, body.mass().area_error);
        assert_eq!(body.open_edges().len(), 4);
        // The same loop the other way around has nothing on its left but an endless cylinder.
        let turned = vec![used(3, true), used(2, false), used(1, true), used(0, true)];
        let mut draft = redraft(&body);
        draft.faces[0].loops = vec![DraftLoop::Edges(turned.clone())];
        assert_eq!(
            TiledBody::from_draft(draft.clone()).unwrap_err(),
            TiledError::LoopTurned { face: FaceId(0) }
        );
        // On a reversed face it is right.
        draft.faces[0].reversed = true;
        let inner = TiledBody::from_draft(draft).unwrap();
        close(inner.mass().area, k * k, inner.mass().area_error);
    }
}

/// The draft of a body.
fn redraft(body: &TiledBody) -> Draft {
    let edges = body.edges().iter();
    let edges =
        edges.map(|e| DraftEdge { curve: e.curve.clone(), range: e.range, ends: e.vertices }).collect();
    let of = |f: &clearance_geometry::tiled::Face| {
        let uses = |one: &Vec<clearance_geometry::tiled::EdgeUse>| {
            one.iter().map(|u| DraftUse::new(u.edge, u.reversed)).collect::<Vec<_>>()
        };
        face(f.surface.clone(), f.reversed, f.loops.iter().map(uses).collect())
    };
    let faces = body.faces().iter().map(of).collect();
    Draft { faces, edges, vertices: body.vertices().to_vec(), tolerance: Some(body.tolerance()) }
}

/// A cylinder of radius 1 from z = 0 to the plane z = 2 + x/2.
fn slanted(place: Place) -> TiledBody {
    let k = place.k;
    let up = DVec3::new(-0.5, 0.0, 1.0);
    let long = DVec3::new(1.0, 0.0, 0.5);
    let top = place.frame([0.0, 0.0, 2.0], up, long);
    let ellipse = Ellipse::new(top, [long.length() * k, k]).unwrap();
    let edges = vec![closed(Circle::new(place.upright(0.0), k).unwrap()), closed(ellipse)];
    let faces = vec![
        face(
            Cylinder::new(place.upright(0.0), k).unwrap(),
            false,
            vec![vec![used(0, false)], vec![used(1, true)]],
        ),
        face(Plane::new(place.upright(0.0)), true, vec![vec![used(0, true)]]),
        face(Plane::new(top), false, vec![vec![used(1, false)]]),
    ];
    TiledBody::from_draft(Draft { faces, edges, ..Draft::default() }).unwrap()
}

#[test]
fn loop_of_one_closed_curve_bounds_a_slanted_cylinder() {
    for place in PLACES {
        let (k, body) = (place.k, slanted(place));
        let mass = body.mass();
        close(mass.volume, 2.0 * PI * k.powi(3), mass.volume_error);
        close(mass.area, (4.0 * PI + PI + PI * 1.25_f64.sqrt()) * k * k, mass.area_error);
        // ∫ x (2 + x/2) = π/8 and ∫ (2 + x/2)²/2 = 2π + π/32, each over V = 2π.
        assert!(
            (mass.center - place.point(1.0 / 16.0, 0.0, 1.0 + 1.0 / 64.0)).length()
                <= 1e-9 * k + mass.center_error
        );
        assert!(body.edges().iter().all(|e| e.kind == EdgeKind::Convex && e.vertices.is_none()));
        assert!(body.notes().is_empty() && body.is_closed());
        check_sides(&body, 0, 11, |u, v| {
            let z = v / k;
            z.min(2.0 + 0.5 * u.cos() - z)
        });
        check_sides(&body, 2, 12, |u, v| {
            let (x, y) = (u / k / 1.25_f64.sqrt(), v / k);
            1.0 - x * x - y * y
        });
    }
}

#[test]
fn holes_of_a_sphere_are_left_out() {
    // The cap x > 0.8 across the seam, and what is left of the sphere.
    for place in PLACES {
        let k = place.k;
        let ball = Sphere::new(place.upright(0.0), k).unwrap();
        let rim = Circle::new(place.frame([0.8, 0.0, 0.0], DVec3::X, DVec3::Y), 0.6 * k).unwrap();
        let disk = Plane::new(place.frame([0.8, 0.0, 0.0], DVec3::X, DVec3::Y));
        let cap =
            vec![face(ball, false, vec![vec![used(0, false)]]), face(disk, true, vec![vec![used(0, true)]])];
        let rest =
            vec![face(ball, false, vec![vec![used(0, true)]]), face(disk, false, vec![vec![used(0, false)]])];
        let (h, whole) = (0.2_f64, 4.0 / 3.0 * PI);
        let cut = PI * h * h * (3.0 - h) / 3.0;
        for (faces, volume, area, sign) in
            [(cap, cut, 2.0 * PI * h, 1.0), (rest, whole - cut, 4.0 * PI - 2.0 * PI * h, -1.0)]
        {
            let body =
                TiledBody::from_draft(Draft { faces, edges: vec![closed(rim)], ..Draft::default() }).unwrap();
            let mass = body.mass();
            close(mass.volume, volume * k.powi(3), mass.volume_error);
            close(mass.area, (area + PI * 0.36) * k * k, mass.area_error);
            assert_eq!(body.edges()[0].kind, EdgeKind::Convex);
            check_sides(&body, 0, 13, |u, v| {
                if v.abs() > FRAC_PI_2 { -1.0 } else { sign * (u.cos() * v.cos() - 0.8) }
            });
        }
    }
}

#[test]
fn loops_through_poles_are_followed() {
    for place in PLACES {
        let k = place.k;
        // An octant: the pole is a corner of the spherical face.
        let vertices = vec![
            place.point(1.0, 0.0, 0.0),
            place.point(0.0, 1.0, 0.0),
            place.point(0.0, 0.0, 1.0),
            place.point(0.0, 0.0, 0.0),
        ];
        let frame = |z, x| place.frame([0.0; 3], z, x);
        let quarter = |z, x, ends| arc(frame(z, x), k, 0.0, FRAC_PI_2, ends);
        let edges = vec![
            quarter(DVec3::Z, DVec3::X, [0, 1]),
            quarter(DVec3::X, DVec3::Y, [1, 2]),
            quarter(DVec3::Y, DVec3::Z, [2, 0]),
            segment(place, &vertices, 3, 0),
            segment(place, &vertices, 3, 1),
            segment(place, &vertices, 3, 2),
        ];
        let faces = vec![
            face(
                Sphere::new(place.upright(0.0), k).unwrap(),
                false,
                vec![vec![used(0, false), used(1, false), used(2, false)]],
            ),
            face(
                Plane::new(frame(DVec3::Z, DVec3::X)),
                true,
                vec![vec![used(4, false), used(0, true), used(3, true)]],
            ),
            face(
                Plane::new(frame(DVec3::X, DVec3::Y)),
                true,
                vec![vec![used(5, false), used(1, true), used(4, true)]],
            ),
            face(
                Plane::new(frame(DVec3::Y, DVec3::Z)),
                true,
                vec![vec![used(3, false), used(2, true), used(5, true)]],
            ),
        ];
        let body = TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap();
        let mass = body.mass();
        close(mass.volume, PI / 6.0 * k.powi(3), mass.volume_error);
        close(mass.area, (FRAC_PI_2 + 0.75 * PI) * k * k, mass.area_error);
        assert!((mass.center - place.point(0.375, 0.375, 0.375)).length() <= 1e-9 * k + mass.center_error);
        let euler = body.vertex_count() as i32 - body.edge_count() as i32 + body.face_count() as i32;
        assert_eq!(euler, 2);
        assert!(body.edges().iter().all(|e| e.kind == EdgeKind::Convex));
        if place.origin == DVec3::ZERO {
            assert!(body.faces()[0].region.rect().is_some());
        }
        let region = &body.faces()[0].region;
        assert_eq!(region.side(0.3, 1.5), Side::Inside);
        assert_eq!(region.side(2.0, 1.5), Side::Outside);
    }
}

#[test]
fn seams_run_twice_close_sphere_cone_and_torus() {
    for place in PLACES {
        let k = place.k;
        // A sphere cut along one meridian, up and down.
        let vertices = vec![place.point(0.0, 0.0, -1.0), place.point(0.0, 0.0, 1.0)];
        let meridian = arc(place.frame([0.0; 3], DVec3::NEG_Y, DVec3::X), k, -FRAC_PI_2, FRAC_PI_2, [0, 1]);
        let ball = face(
            Sphere::new(place.upright(0.0), k).unwrap(),
            false,
            vec![vec![used(0, false), used(0, true)]],
        );
        let draft = Draft { faces: vec![ball], edges: vec![meridian], vertices, tolerance: None };
        let body = TiledBody::from_draft(draft).unwrap();
        close(body.mass().volume, 4.0 / 3.0 * PI * k.powi(3), body.mass().volume_error);
        assert!(body.edges()[0].is_seam() && body.edges()[0].kind == EdgeKind::Smooth);

        // A cone with a seam up to its apex.
        let vertices = vec![place.point(1.0, 0.0, 0.0), place.point(0.0, 0.0, 2.0)];
        let edges = vec![arc(place.upright(0.0), k, 0.0, TAU, [0, 0]), segment(place, &vertices, 0, 1)];
        let side = Cone::new(place.upright(0.0), k, -0.5).unwrap();
        let faces = vec![
            face(side, false, vec![vec![used(0, false), used(1, false), used(1, true)]]),
            face(Plane::new(place.upright(0.0)), true, vec![vec![used(0, true)]]),
        ];
        let body = TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap();
        close(body.mass().volume, 2.0 / 3.0 * PI * k.powi(3), body.mass().volume_error);

        // A torus with both seams.
        let vertices = vec![place.point(4.0, 0.0, 0.0)];
        let edges = vec![
            arc(place.upright(0.0), 4.0 * k, 0.0, TAU, [0, 0]),
            arc(place.frame([3.0, 0.0, 0.0], DVec3::NEG_Y, DVec3::X), k, 0.0, TAU, [0, 0]),
        ];
        let uses = vec![used(0, false), used(1, false), used(0, true), used(1, true)];
        let torus = Torus::new(place.upright(0.0), 3.0 * k, k).unwrap();
        let faces = vec![face(torus, false, vec![uses])];
        let body = TiledBody::from_draft(Draft { faces, edges, vertices, tolerance: None }).unwrap();
        close(body.mass().volume, 6.0 * PI * PI * k.powi(3), body.mass().volume_error);
        let euler = body.vertex_count() as i32 - body.edge_count() as i32 + body.face_count() as i32;
        assert_eq!(euler, 0);
    }
}

/// A plate 4 × 3 × 1 with a round hole of radius 1, corners displaced by `gap` where edges should meet.
fn plate(place: Place, gap: f64, tolerance: Option<f64>) -> Result<TiledBody, TiledError> {
    let k = place.k;
    let corner = |i: usize, z: f64| {
        let [x, y] = [[-2.0, -1.5], [2.0, -1.5], [2.0, 1.5], [-2.0, 1.5]][i % 4];
        place.point(x, y, z)
    };
    let vertices: Vec<DVec3> = (0..8).map(|i| corner(i, if i < 4 { 0.0 } else { 1.0 })).collect();
    let mut shifted = vertices.clone();
    shifted[0] += DVec3::X * gap;
    let mut edges = Vec::new();
    for i in 0..4 {
        // The first edge starts off its vertex, along itself.
        let from = if i == 0 { &shifted } else { &vertices };
        edges.push(segment(place, from, i, (i + 1) % 4));
    }
    edges.extend((0..4).map(|i| segment(place, &vertices, 4 + i, 4 + (i + 1) % 4)));
    edges.extend((0..4).map(|i| segment(place, &vertices, i, 4 + i)));
    edges.push(closed(Circle::new(place.upright(0.0), k).unwrap()));
    edges.push(closed(Circle::new(place.upright(1.0), k).unwrap()));
    let bottom = vec![(0..4).rev().map(|i| used(i, true)).collect(), vec![used(12, false)]];
    let top = vec![(4..8).map(|i| used(i, false)).collect(), vec![used(13, true)]];
    let mut faces = vec![
        face(Plane::new(place.upright(0.0)), true, bottom),
        face(Plane::new(place.upright(1.0)), false, top),
        face(
            Cylinder::new(place.upright(0.0), k).unwrap(),
            true,
            vec![vec![used(12, true)], vec![used(13, false)]],
        ),
    ];
    for i in 0..4_u32 {
        let (here, next) = (vertices[i as usize], vertices[(i as usize + 1) % 4]);
        let along = (next - here) / k;
        let frame = Pose::from_matrix(
            DMat3::from_cols(along.normalize(), DVec3::Z, along.normalize().cross(DVec3::Z)),
            here,
        )
        .unwrap();
        let uses = vec![used(i, false), used(8 + (i + 1) % 4, false), used(4 + i, true), used(8 + i, true)];
        faces.push(face(Plane::new(frame), false, vec![uses]));
    }
    TiledBody::from_draft(Draft { faces, edges, vertices, tolerance })
}

#[test]
fn inner_loops_are_holes() {
    for place in PLACES {
        let (k, body) = (place.k, plate(place, 0.0, None).unwrap());
        assert!(body.is_closed() && body.notes().is_empty(), "{:?}", body.notes());
        close(body.mass().volume, (12.0 - PI) * k.powi(3), body.mass().volume_error);
        close(body.mass().area, (24.0 - 2.0 * PI + 14.0 + 2.0 * PI) * k * k, body.mass().area_error);
        assert!(body.edges().iter().all(|e| e.kind == EdgeKind::Convex));
        check_sides(&body, 1, 17, |u, v| {
            let (x, y) = (u / k, v / k);
            (2.0 - x.abs()).min(1.5 - y.abs()).min(x.hypot(y) - 1.0)
        });
        assert!(body.faces()[3].region.rect().is_some() && body.faces()[1].region.rect().is_none());
    }
}

#[test]
fn gaps_between_loop_ends_are_bridged_or_named() {
    let place = PLACES[0];
    let body = plate(place, 1e-4, Some(1e-3)).unwrap();
    assert!((body.mass().volume - (12.0 - PI)).abs() < 1e-3);
    assert!(body.is_closed());
    let wide = plate(place, 1e-2, Some(1e-3)).unwrap_err();
    assert!(matches!(wide, TiledError::VertexOffEdge { gap, .. } if (gap - 1e-2).abs() < 1e-9), "{wide:?}");
    // Without vertices to tell, the loop itself shows the gap.
    let mut draft = redraft(&plate(place, 0.0, None).unwrap());
    let shifted = draft.vertices[0] + DVec3::X * 0.01;
    draft.edges[0].curve = Line::new(shifted, draft.vertices[1] - shifted).unwrap().into();
    draft.edges[0].ends = None;
    let gap = TiledBody::from_draft(draft).unwrap_err();
    assert!(matches!(gap, TiledError::LoopGap { gap, .. } if (gap - 1e-2).abs() < 1e-9), "{gap:?}");
}

#[test]
fn faults_of_drafts_are_named() {
    let good = redraft(&plate(PLACES[0], 0.0, None).unwrap());
    let fail = |change: &dyn Fn(&mut Draft)| {
        let mut draft = good.clone();
        change(&mut draft);
        TiledBody::from_draft(draft).unwrap_err()
    };
    assert_eq!(TiledBody::from_draft(Draft::default()).unwrap_err(), TiledError::Empty);
    let nan = fail(&|d| d.vertices[3].x = f64::NAN);
    assert_eq!(nan, TiledError::NotFinite { what: "vertex", index: 3 });
    let endless = fail(&|d| d.edges[2].range = Range::new(0.0, f64::INFINITY));
    assert_eq!(endless, TiledError::NotFinite { what: "edge", index: 2 });
    let none = fail(&|d| d.faces[3].loops = vec![DraftLoop::Edges(vec![used(77, false)])]);
    assert_eq!(none, TiledError::NoSuchEdge { face: FaceId(3), edge: EdgeId(77) });
    let vertex = fail(&|d| d.edges[0].ends = Some([VertexId(9), VertexId(1)]));
    assert_eq!(vertex, TiledError::NoSuchVertex { vertex: VertexId(9) });
    let off = fail(&|d| d.faces[2].surface = Cylinder::new(Pose::IDENTITY, 1.1).unwrap().into());
    assert!(matches!(off, TiledError::EdgeOffSurface { face: FaceId(2), by, .. } if (by - 0.1).abs() < 1e-9));
    let bare = fail(&|d| d.faces[1].loops.clear());
    assert_eq!(bare, TiledError::Unbounded { face: FaceId(1) });
    let half = fail(&|d| {
        d.faces[2].loops.pop();
    });
    assert_eq!(half, TiledError::Unbounded { face: FaceId(2) });
    let extra = fail(&|d| {
        let copy = d.faces[1].clone();
        d.faces.push(copy);
    });
    assert!(matches!(extra, TiledError::NotManifold { faces: 3, .. }));
    let unused = fail(&|d| {
        let copy = d.edges[0].clone();
        d.edges.push(copy);
    });
    assert_eq!(unused, TiledError::UnusedEdge { edge: EdgeId(14) });
}

#[test]
fn missing_faces_leave_named_open_edges() {
    let mut draft = redraft(&plate(PLACES[0], 0.0, None).unwrap());
    draft.faces.remove(1);
    let body = TiledBody::from_draft(draft).unwrap();
    let open: Vec<u32> = body.open_edges().iter().map(|o| o.edge.0).collect();
    assert_eq!(open, [4, 5, 6, 7, 13]);
    assert!(matches!(body.check_closed(), Err(TiledError::OpenEdge { edge: EdgeId(4), .. })));
}

#[test]
fn faces_that_disagree_are_turned() {
    let good = plate(PLACES[0], 0.0, None).unwrap();
    let turn = |face: &mut DraftFace| {
        face.reversed = !face.reversed;
        for one in &mut face.loops {
            let DraftLoop::Edges(uses) = one else { continue };
            uses.reverse();
            uses.iter_mut().for_each(|u| u.reversed = !u.reversed);
        }
    };
    let mut draft = redraft(&good);
    turn(&mut draft.faces[4]);
    let body = TiledBody::from_draft(draft.clone()).unwrap();
    assert_eq!(body.notes(), [TiledNote::TurnedFaces { faces: vec![FaceId(4)] }]);
    assert_eq!(body.mass().volume, good.mass().volume);
    turn(&mut draft.faces[4]);
    draft.faces.iter_mut().for_each(turn);
    let body = TiledBody::from_draft(draft).unwrap();
    assert_eq!(body.notes(), [TiledNote::Turned]);
    assert!((body.mass().volume - good.mass().volume).abs() < 1e-12);
    assert!(body.edges().iter().all(|e| e.kind == EdgeKind::Convex));
}

#[test]
fn polygons_of_parameters_cut_faces() {
    let p = DVec2::new;
    for place in PLACES {
        let k = place.k;
        // A square with a triangular hole in a plane.
        let square = vec![p(0.0, 0.0), p(4.0, 0.0), p(4.0, 4.0), p(0.0, 4.0)];
        let hole = vec![p(1.0, 1.0), p(1.0, 3.0), p(3.0, 1.0)];
        let scaled = |one: &Vec<DVec2>| one.iter().map(|q| *q * k).collect::<Vec<_>>();
        let plane = Surface::from(Plane::new(place.upright(0.0)));
        for reversed in [false, true] {
            let loops = [scaled(&square), scaled(&hole)];
            let body = TiledBody::from_trim(plane.clone(), reversed, &loops).unwrap();
            close(body.mass().area, 14.0 * k * k, body.mass().area_error);
            assert_eq!((body.edge_count(), body.open_edges().len(), body.vertex_count()), (7, 7, 7));
            let normal = body.faces()[0].normal(p(0.5 * k, 0.5 * k)).unwrap();
            assert_eq!(normal.z, if reversed { -1.0 } else { 1.0 });
            check_sides(&body, 0, 23, |u, v| {
                let (x, y) = (u / k, v / k);
                let out = (1.0 - x).max(1.0 - y).max(x + y - 4.0);
                x.min(y).min(4.0 - x).min(4.0 - y).min(out)
            });
        }
        // A triangle of longitudes and latitudes; its area is ∫ (1 − v) cos v from 0 to 1.
        let ball = Surface::from(Sphere::new(place.upright(0.0), k).unwrap());
        let body =
            TiledBody::from_trim(ball.clone(), false, &[vec![p(-0.5, 0.0), p(0.5, 0.0), p(-0.5, 1.0)]])
                .unwrap();
        let area = 1.0 - 1.0_f64.cos();
        assert!((body.mass().area - area * k * k).abs() < 1e-8 * k * k, "{:?}", body.mass());
        assert_eq!(body.face_count(), 1);
        check_sides(&body, 0, 29, |u, v| {
            let u = u - TAU * (u / TAU).round();
            let value = (u + 0.5).min(v).min(1.0 - v - (u + 0.5));
            if value.abs() < 1e-7 { 0.0 } else { value }
        });
        // Up to the pole and around it.
        let lune = vec![p(0.0, 0.0), p(1.0, 0.0), p(1.0, FRAC_PI_2), p(0.0, FRAC_PI_2)];
        let body = TiledBody::from_trim(ball, false, &[lune]).unwrap();
        assert_eq!((body.edge_count(), body.vertex_count()), (3, 3));
        let (off, stated) = ((body.mass().area - k * k).abs(), body.mass().area_error);
        assert!(off <= stated && stated < 1e-4 * k * k, "{:?}", body.mass());
    }
    let plane = Surface::from(Plane::new(Pose::IDENTITY));
    let turned = TiledBody::from_trim(plane.clone(), false, &[vec![p(0.0, 0.0), p(0.0, 1.0), p(1.0, 0.0)]]);
    assert_eq!(turned.unwrap_err(), TiledError::LoopTurned { face: FaceId(0) });
    let nan = TiledBody::from_trim(plane.clone(), false, &[vec![p(0.0, f64::NAN), p(0.0, 1.0), p(1.0, 0.0)]]);
    assert_eq!(nan.unwrap_err(), TiledError::NotFinite { what: "face", index: 0 });
    assert!(TiledBody::from_trim(plane, false, &[vec![p(0.0, 0.0)]]).is_err());
}

#[test]
fn parameter_curves_may_be_missing_right_or_wrong() {
    use clearance_geometry::curve::PlanarCurve;
    use clearance_geometry::tiled::ParameterCurve;
    let plain = slanted(PLACES[0]);
    let p = DVec2::new;
    let hint = |from: DVec2, to: DVec2| {
        let curve = PlanarCurve::segment(from, to).unwrap();
        Some(ParameterCurve { curve, ends: [0.0, 1.0] })
    };
    // Of the circle at the bottom of the cylinder: right, on another turn, and off by as much as a file may be.
    let hints = [
        hint(p(0.0, 0.0), p(TAU, 0.0)),
        hint(p(TAU, 0.0), p(2.0 * TAU, 0.0)),
        hint(p(0.1, 0.3), p(TAU + 0.1, -0.2)),
    ];
    for hint in hints {
        let mut draft = redraft(&plain);
        let DraftLoop::Edges(uses) = &mut draft.faces[0].loops[0] else { panic!("edges") };
        uses[0].parameters = hint;
        let body = TiledBody::from_draft(draft).unwrap();
        let (one, other) = (body.mass(), plain.mass());
        assert!((one.volume - other.volume).abs() <= one.volume_error + other.volume_error);
        check_sides(&body, 0, 31, |u, v| v.min(2.0 + 0.5 * u.cos() - v));
    }
}

#[test]
fn edges_without_length_change_nothing() {
    // At one corner of the plate an edge that starts and ends there.
    let good = plate(PLACES[0], 0.0, None).unwrap();
    let mut draft = redraft(&good);
    let corner = draft.vertices[5];
    let curve = Line::new(corner, DVec3::X).unwrap().into();
    draft.edges.push(DraftEdge { curve, range: Range::new(0.0, 0.0), ends: Some([VertexId(5); 2]) });
    let extra = EdgeId(draft.edges.len() as u32 - 1);
    // Both faces that run along edge 5 get it where the edge begins.
    for (face, forward) in [(1_usize, true), (4, false)] {
        let DraftLoop::Edges(uses) = &mut draft.faces[face].loops[0] else { panic!("edges") };
        let at = uses.iter().position(|used| used.edge == EdgeId(5)).unwrap();
        assert_eq!(uses[at].reversed, !forward);
        let at = if forward { at } else { at + 1 };
        uses.insert(at, DraftUse::new(extra, !forward));
    }
    match TiledBody::from_draft(draft) {
        Ok(body) => {
            assert!(body.is_closed());
            close(body.mass().volume, 12.0 - PI, body.mass().volume_error);
            close(body.mass().area, good.mass().area, body.mass().area_error);
            assert!(body.edges().iter().take(14).all(|e| e.kind == EdgeKind::Convex));
        }
        Err(error) => panic!("{error}"),
    }
}
