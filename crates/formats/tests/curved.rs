//! Every curved kind of shape: what it becomes, how its features are numbered, in which units.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{AnyBody, Context, Fact, Scene, Shape, Units};
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{EdgeKind, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, EdgeId, FaceId, Kind, LeafShape, PlanarConvexity};
use std::f64::consts::PI;

fn shape(text: &str) -> Shape {
    Shape::from_json(text, &Context::default()).expect(text)
}

fn tiled(text: &str) -> TiledBody {
    match shape(text).body {
        AnyBody::Solid(Body::Tiled(body)) => body,
        other => panic!("{text}: {other:?}"),
    }
}

/// Faces, edges, vertices.
fn counts(body: &TiledBody) -> [usize; 3] {
    [body.face_count(), body.edge_count(), body.vertex_count()]
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-9 * wanted.abs().max(1.0)
}

/// A point of a face, to tell faces apart by.
fn somewhere(body: &TiledBody, face: u32) -> DVec3 {
    let face = body.face(FaceId(face));
    let bounds = face.region.bounds();
    face.point(DVec2::new(bounds.u.middle(), bounds.v.middle()))
}

#[test]
fn round_shapes_have_their_volumes_and_places() {
    for (text, volume, low, high) in [
        (r#"{"kind":"sphere","radius":2}"#, 32.0 * PI / 3.0, [-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]),
        (r#"{"kind":"ellipsoid","radii":[1,2,3]}"#, 8.0 * PI, [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]),
        (r#"{"kind":"cylinder","radius":1,"height":4}"#, 4.0 * PI, [-1.0, -1.0, -2.0], [1.0, 1.0, 2.0]),
        (r#"{"kind":"cone","radius":1,"height":3}"#, PI, [-1.0, -1.0, 0.0], [1.0, 1.0, 3.0]),
        (
            r#"{"kind":"cone","radius":1,"height":3,"top_radius":2}"#,
            7.0 * PI,
            [-2.0, -2.0, 0.0],
            [2.0, 2.0, 3.0],
        ),
        (
            r#"{"kind":"cone","radius":1,"height":3,"top_radius":1}"#,
            3.0 * PI,
            [-1.0, -1.0, 0.0],
            [1.0, 1.0, 3.0],
        ),
        (
            r#"{"kind":"capsule","radius":1,"height":2}"#,
            2.0 * PI + 4.0 * PI / 3.0,
            [-1.0, -1.0, -2.0],
            [1.0, 1.0, 2.0],
        ),
        (r#"{"kind":"torus","major":2,"minor":0.5}"#, PI * PI, [-2.5, -2.5, -0.5], [2.5, 2.5, 0.5]),
    ] {
        let body = tiled(text);
        assert!(body.is_closed(), "{text}");
        assert!(close(body.mass().volume, volume), "{text}: {}", body.mass().volume);
        let around = body.aabb();
        for axis in 0..3 {
            assert!((around.low[axis] - low[axis]).abs() < 1e-5, "{text}: {around:?}");
            assert!((around.high[axis] - high[axis]).abs() < 1e-5, "{text}: {around:?}");
        }
    }
}

#[test]
fn cylinders_cones_and_capsules_number_side_bottom_top() {
    for (text, bottom, top) in [
        (r#"{"kind":"cylinder","radius":1,"height":4}"#, -2.0, 2.0),
        (r#"{"kind":"cone","radius":1,"height":4,"top_radius":0.5}"#, 0.0, 4.0),
    ] {
        let body = tiled(text);
        assert_eq!(counts(&body), [3, 2, 0], "{text}");
        assert!(!matches!(body.face(FaceId(0)).surface, Surface::Plane(_)), "{text}");
        assert!((somewhere(&body, 1).z - bottom).abs() < 1e-12, "{text}");
        assert!((somewhere(&body, 2).z - top).abs() < 1e-12, "{text}");
        let rims = [0, 1].map(|rim| body.edge(EdgeId(rim)).point(0.0).z);
        assert_eq!(rims, [bottom, top], "{text}");
    }
    let apex = tiled(r#"{"kind":"cone","radius":1,"height":4}"#);
    assert_eq!(counts(&apex), [2, 1, 1]);
    assert_eq!(apex.vertices(), [DVec3::Z * 4.0]);
    let capsule = tiled(r#"{"kind":"capsule","radius":1,"height":4}"#);
    assert!(matches!(capsule.face(FaceId(0)).surface, Surface::Cylinder(_)));
    assert!(somewhere(&capsule, 1).z < -2.0 && somewhere(&capsule, 2).z > 2.0);
}

/// The bowl and the pen of 004.
const BOWL: &str = r#"{"kind":"revolve","profile":[{"parabola":{"from":[0,0],"to":[4,4]}},
    {"arc":{"center":[0,7],"from":[4,4],"to":[0,2],"ccw":false}}]}"#;
const PEN: &str = r#"{"kind":"revolve","profile":[{"line":[[0,0],[0.5,1]]},{"line":[[0.5,1],[0.5,7]]},
    {"line":[[0.5,7],[0,7]]}]}"#;

#[test]
fn revolved_profiles_number_faces_and_circles_in_order() {
    let pen = tiled(PEN);
    assert_eq!(counts(&pen), [3, 2, 1]);
    assert!(matches!(pen.face(FaceId(0)).surface, Surface::Cone(_)));
    assert!(matches!(pen.face(FaceId(1)).surface, Surface::Cylinder(_)));
    assert!(matches!(pen.face(FaceId(2)).surface, Surface::Plane(_)));
    assert_eq!([0, 1].map(|rim| pen.edge(EdgeId(rim)).point(0.0).z), [1.0, 7.0]);
    assert_eq!(pen.vertices(), [DVec3::ZERO]);
    let bowl = tiled(BOWL);
    assert_eq!(counts(&bowl), [2, 1, 0]);
    assert!(matches!(bowl.face(FaceId(0)).surface, Surface::Paraboloid(_)));
    // Under the paraboloid's rim, less the cap of the sphere.
    let volume = PI * (8.0 * 4.0 - 16.0 * 2.0) + PI * 2.0 * 16.0 - PI * 4.0 * (3.0 * 5.0 - 2.0) / 3.0;
    assert!(close(bowl.mass().volume, volume), "{}", bowl.mass().volume);
    assert_eq!(bowl.edge(EdgeId(0)).kind, EdgeKind::Convex);
}

#[test]
fn profiles_run_either_way_and_may_stay_open() {
    let turned = r#"{"kind":"revolve","profile":[{"line":[[0,7],[0.5,7]]},{"line":[[0.5,7],[0.5,1]]},
        {"line":[[0.5,1],[0,0]]}]}"#;
    let (pen, back) = (tiled(PEN).mass().volume, tiled(turned).mass().volume);
    assert!(pen > 0.0 && close(back, pen), "{pen} {back}");
    assert!(shape(turned).warnings.is_empty());
    // A full circle off the axis is a torus.
    let ring = tiled(
        r#"{"kind":"revolve","profile":[{"arc":{"center":[2,0],"from":[2.5,0],"to":[2.5,0],"ccw":true}}]}"#,
    );
    assert!(close(ring.mass().volume, PI * PI) && ring.edge_count() == 0);
    // An open shell: its normal is to the left of travel, here inward.
    let shell = shape(r#"{"kind":"revolve","profile":[{"line":[[1,0],[1,2]]}]}"#);
    assert!(shell.surface_only);
    let AnyBody::Solid(Body::Tiled(shell)) = shell.body else { panic!() };
    assert_eq!(shell.open_edges().len(), 2);
    let normal = shell.face(FaceId(0)).normal(DVec2::new(0.0, 1.0)).unwrap();
    assert!((normal + DVec3::X).length() < 1e-12, "{normal}");
    // `focal` may be given.
    tiled(r#"{"kind":"revolve","profile":[{"parabola":{"from":[0,0],"to":[4,4],"focal":1}}]}"#);
}

const SQUARE: &str = r#""degree":[1,1],"knots":[[0,0,1,1],[0,0,1,1]]"#;

#[test]
fn spline_patches_are_read_with_weights_and_reversed() {
    let text = format!(
        r#"{{"kind":"nurbs",{SQUARE},"points":[[[0,0,0],[0,2,0]],[[3,0,0],[3,2,0]]],"weights":[[1,1],[1,1]]}}"#
    );
    let body = tiled(&text);
    assert_eq!(counts(&body), [1, 4, 4]);
    assert!(close(body.mass().area, 6.0));
    // The outer list runs along u.
    let face = body.face(FaceId(0));
    assert_eq!(face.point(DVec2::new(1.0, 0.0)), DVec3::X * 3.0);
    assert_eq!(face.normal(DVec2::splat(0.5)), Some(DVec3::Z));
    let back = tiled(&text.replace("\"nurbs\",", "\"nurbs\",\"reversed\":true,"));
    assert_eq!(back.face(FaceId(0)).normal(DVec2::splat(0.5)), Some(DVec3::NEG_Z));
}

#[test]
fn folds_of_patches_are_edges_in_the_description() {
    let roof = |height: f64| {
        format!(
            r#""degree":[1,1],"knots":[[0,0,1,2,2],[0,0,1,1]],
               "points":[[[0,0,0],[0,1,0]],[[1,0,{height}],[1,1,{height}]],[[2,0,0],[2,1,0]]]"#
        )
    };
    let floor = format!(r#"{SQUARE},"points":[[[0,0,0],[0,1,0]],[[0,0,-1],[0,1,-1]]]"#);
    for (height, class) in [(1.0, "convex"), (-1.0, "reflex"), (0.0, "")] {
        let one = format!(r#"{{"kind":"nurbs",{}}}"#, roof(height));
        let two = format!(
            r#"{{"kind":"tiled","faces":[{{"kind":"nurbs",{}}},{{"kind":"nurbs",{floor}}}]}}"#,
            roof(height)
        );
        // Input order, the roof first: its halves are the faces 0 and 1, the one beside it comes after them.
        let folded = usize::from(height != 0.0);
        assert_eq!(counts(&tiled(&one)), [1 + folded, 4 + 3 * folded, 4 + 2 * folded]);
        let both = tiled(&two);
        assert_eq!(both.face_count(), 2 + folded);
        assert!(somewhere(&both, 1 + folded as u32).z < 0.0);
        let facts = shape(&one).describe(Units::Metre).to_json();
        let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
        let classes = facts["edge_classes"].clone();
        if folded == 1 {
            assert_eq!((&classes[class], &classes["open"]), (&1.into(), &6.into()), "{facts}");
        } else {
            assert_eq!(classes["open"], 4, "{facts}");
        }
        assert_eq!(facts["faces"], 1 + folded);
        assert!(facts.get("warnings").is_none_or(|list| list.as_array().is_some_and(Vec::is_empty)));
    }
}

#[test]
fn velocities_make_a_patch_deform() {
    let text = format!(
        r#"{{"kind":"nurbs",{SQUARE},"points":[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]],
            "velocities":[[[0,0,0],[0,0,0]],[[1,0,0],[1,0,0]]]}}"#
    );
    let context = Context::new("", Units::Millimetre).with_answers_in(Units::Metre);
    let AnyBody::Solid(Body::Deforming(body)) = Shape::from_json(&text, &context).unwrap().body else {
        panic!()
    };
    assert!(close(body.motion_bound(1.0) * 1e3, 1.0), "velocities are lengths per second");
    let later = body.advance(1.0).unwrap();
    assert!((later.shape().mass().area - 2e-6).abs() < 1e-15);
    assert!((body.velocity(FaceId(0), DVec2::new(0.5, 0.0)) - DVec3::X * 5e-4).length() < 1e-15);
    let facts = Shape::from_json(&text, &Context::default()).unwrap().describe(Units::Metre);
    let Some(Fact::Measured { values, .. }) = facts.get("motion_per_second") else { panic!() };
    assert!((values[0] - 1.0).abs() < 1e-12 && values[0] >= 1.0);
}

#[test]
fn analytic_patches_take_degrees_and_lengths() {
    for (text, area) in [
        (r#""surface":"plane","u":[0,2],"v":[0,3]"#, 6.0),
        (r#""surface":"sphere","radius":2,"u":[0,90],"v":[0,90]"#, 2.0 * PI),
        (r#""surface":"sphere","radius":2"#, 16.0 * PI),
        (r#""surface":"ellipsoid","radii":[2,2,2],"u":[0,180]"#, 8.0 * PI),
        (r#""surface":"cylinder","radius":2,"u":[-90,90],"v":[1,2]"#, 2.0 * PI),
        (r#""surface":"cone","radius":3,"height":4"#, 15.0 * PI),
        (r#""surface":"cone","radius":3,"height":4,"top_radius":6,"u":[0,180]"#, 22.5 * PI),
        (r#""surface":"torus","major":2,"minor":1,"u":[0,180]"#, 4.0 * PI * PI),
        (r#""surface":"paraboloid","focal":1,"v":[0,4]"#, 8.0 * PI / 3.0 * (5.0_f64.powf(1.5) - 1.0)),
    ] {
        let body = tiled(&format!(r#"{{"kind":"surface",{text}}}"#));
        assert!(close(body.mass().area, area), "{text}: {} instead of {area}", body.mass().area);
    }
    let moved = tiled(
        r#"{"kind":"surface","surface":"plane","u":[0,1],"v":[0,1],"reversed":true,
            "pose":{"translation":[0,0,5],"axis_angle":[1,0,0,90]}}"#,
    );
    let face = moved.face(FaceId(0));
    assert!((face.point(DVec2::ONE) - DVec3::new(1.0, 0.0, 6.0)).length() < 1e-15);
    assert!((face.normal(DVec2::ONE).unwrap() - DVec3::Y).length() < 1e-15);
}

#[test]
fn trims_cut_patches() {
    for (text, area, edges) in [
        // A triangle, and one across the seam.
        (r#""surface":"plane","trim":[[[0,0],[2,0],[0,2]]]"#, 2.0, 3),
        (r#""surface":"cylinder","radius":2,"trim":[[[-30,0],[30,0],[30,1],[-30,1]]]"#, 2.0 * PI / 3.0, 4),
        // An outer loop with a hole in it.
        (r#""surface":"plane","trim":[[[0,0],[4,0],[4,4],[0,4]],[[1,1],[1,2],[2,2],[2,1]]]"#, 15.0, 8),
        // Holes alone: the rectangle is the outer loop, but for sides at which the surface closes.
        (r#""surface":"plane","u":[0,4],"v":[0,4],"trim":[[[1,1],[1,2],[2,2],[2,1]]]"#, 15.0, 8),
        (
            r#""surface":"cylinder","radius":1,"v":[0,1],"trim":[[[90,0.25],[90,0.75],[180,0.75],[180,0.25]]]"#,
            1.75 * PI,
            6,
        ),
        // Two loops that go around.
        (r#""surface":"cylinder","radius":1,"trim":[[[0,0],[360,0]],[[360,2],[0,2]]]"#, 4.0 * PI, 2),
        // Reversed: the loops are the same, seen with S_u × S_v toward the eye.
        (r#""surface":"plane","reversed":true,"trim":[[[0,0],[2,0],[0,2]]]"#, 2.0, 3),
    ] {
        let body = tiled(&format!(r#"{{"kind":"surface",{text}}}"#));
        assert!((body.mass().area - area).abs() < 1e-8, "{text}: {} instead of {area}", body.mass().area);
        assert_eq!(body.edge_count(), edges, "{text}");
    }
}

#[test]
fn whole_turns_may_begin_anywhere() {
    for start in 0..360 {
        let u = format!("[{start},{}]", start + 360);
        let whole =
            tiled(&format!(r#"{{"kind":"surface","surface":"cylinder","radius":1,"u":{u},"v":[0,2]}}"#));
        assert!(close(whole.mass().area, 4.0 * PI), "{u}: {}", whole.mass().area);
        let [from, to] = [start, start + 360];
        let trim = format!("[[[{from},0],[{to},0]],[[{to},2],[{from},2]]]");
        let trimmed =
            tiled(&format!(r#"{{"kind":"surface","surface":"cylinder","radius":1,"trim":{trim}}}"#));
        assert_eq!(counts(&trimmed)[..2], [1, 2], "{trim}");
        let hole = format!("[[[{a},0.5],[{a},1],[{b},1],[{b},0.5]]]", a = from + 10, b = from + 50);
        let holed = tiled(&format!(
            r#"{{"kind":"surface","surface":"cylinder","radius":1,"u":{u},"v":[0,2],"trim":{hole}}}"#
        ));
        // Two rims and the sides of the hole; no seam.
        assert_eq!(counts(&holed)[..2], [1, 6], "{u}");
    }
}

/// A box of six planes, and one without its lid.
fn box_of_planes(lid: bool) -> String {
    let face = |translation: &str, turn: &str, u: f64, v: f64| {
        format!(
            r#"{{"kind":"surface","surface":"plane","u":[0,{u}],"v":[0,{v}],
                "pose":{{"translation":{translation},"axis_angle":{turn}}}}}"#
        )
    };
    let mut faces = vec![
        face("[0,0,0]", "[1,0,0,0]", 2.0, 3.0),
        face("[0,0,0]", "[1,0,0,90]", 2.0, 4.0),
        face("[0,3,0]", "[1,0,0,90]", 2.0, 4.0),
        face("[0,0,0]", "[0,1,0,-90]", 4.0, 3.0),
        face("[2,0,0]", "[0,1,0,-90]", 4.0, 3.0),
    ];
    if lid {
        faces.push(face("[0,0,4]", "[1,0,0,0]", 2.0, 3.0));
    }
    format!(r#"{{"kind":"tiled","faces":[{}]}}"#, faces.join(","))
}

#[test]
fn tiled_bodies_find_their_edges() {
    let closed = shape(&box_of_planes(true));
    let AnyBody::Solid(Body::Tiled(body)) = &closed.body else { panic!() };
    assert_eq!(counts(body), [6, 12, 8]);
    assert!(body.is_closed() && close(body.mass().volume, 24.0));
    assert!(closed.warnings.iter().any(|note| note.contains("turned")), "{:?}", closed.warnings);
    let open = shape(&box_of_planes(false));
    assert!(open.surface_only);
    let AnyBody::Solid(Body::Tiled(body)) = &open.body else { panic!() };
    assert_eq!(body.open_edges().len(), 4);
}

#[test]
fn trimmed_faces_are_tiled_too() {
    // An L-shaped prism: two L-shaped faces and six rectangles between them.
    let corners = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let outline: Vec<String> = corners.iter().map(|[x, y]| format!("[{x},{y}]")).collect();
    let lid = |z: i32| {
        format!(
            r#"{{"kind":"surface","surface":"plane","trim":[[{}]],"pose":{{"translation":[0,0,{z}]}}}}"#,
            outline.join(",")
        )
    };
    let mut faces = vec![lid(0), lid(3)];
    for (i, [x, y]) in corners.into_iter().enumerate() {
        let [a, b] = corners[(i + 1) % corners.len()];
        faces.push(format!(
            r#"{{"kind":"nurbs",{SQUARE},"points":[[[{x},{y},0],[{x},{y},3]],[[{a},{b},0],[{a},{b},3]]]}}"#
        ));
    }
    let body = tiled(&format!(r#"{{"kind":"tiled","faces":[{}]}}"#, faces.join(",")));
    assert_eq!(counts(&body), [8, 18, 12]);
    assert!(body.is_closed() && close(body.mass().volume, 9.0));
    assert_eq!(body.edges().iter().filter(|edge| edge.kind == EdgeKind::Reflex).count(), 1);
    // A pipe with a window, closed at both ends by cones.
    let capped = tiled(
        r#"{"kind":"tiled","faces":[
            {"kind":"surface","surface":"cylinder","radius":1,"v":[0,2],"trim":[[[60,0.5],[60,1.5],[120,1.5],[120,0.5]]]},
            {"kind":"surface","surface":"cone","radius":1,"height":1,"pose":{"translation":[0,0,2]}},
            {"kind":"surface","surface":"cone","radius":1,"height":1,"pose":{"axis_angle":[1,0,0,180]}}]}"#,
    );
    assert_eq!((capped.edge_count(), capped.open_edges().len()), (6, 4), "the window alone is open");
}

#[test]
fn match_is_a_length() {
    let gap = |by: f64, limit: &str| {
        let text = format!(
            r#"{{"kind":"tiled","faces":[
                {{"kind":"nurbs",{SQUARE},"points":[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]]}},
                {{"kind":"nurbs",{SQUARE},"points":[[[1,0,{by}],[1,1,{by}]],[[2,0,0],[2,1,0]]]}}]{limit}}}"#
        );
        tiled(&text).edge_count()
    };
    assert_eq!(gap(0.0, ""), 7);
    assert_eq!(gap(1e-3, ""), 8);
    assert_eq!(gap(1e-3, r#","match":0.01"#), 7);
}

#[test]
fn patch_files_say_how_far_sides_may_be_apart() {
    let folder = common::Folder::new("patch-match");
    let patches = "[[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]],[[[1,0,0.001],[1,1,0.001]],[[2,0,0],[2,1,0]]]]";
    let wide = folder.write("wide.json", format!(r#"{{"patches":{patches},"match":0.01}}"#));
    let plain = folder.write("plain.json", format!(r#"{{"patches":{patches}}}"#));
    let edges = |file: &std::path::Path, more: &str| {
        tiled(&format!(r#"{{"kind":"tiled","file":{:?}{more}}}"#, file.to_str().unwrap())).edge_count()
    };
    assert_eq!([edges(&plain, ""), edges(&plain, r#","match":0.01"#)], [8, 7]);
    assert_eq!([edges(&wide, ""), edges(&wide, r#","match":0.0001"#)], [7, 8]);
}

#[test]
fn bezier_patches_are_read_inline_and_from_files() {
    let patches =
        r#""patches":[[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]],[[[1,0,0],[1,1,0]],[[2,0,1],[2,1,1]]]]"#;
    assert_eq!(counts(&tiled(&format!(r#"{{"kind":"tiled",{patches}}}"#))), [2, 7, 6]);
    let folder = common::Folder::new("patches");
    let file = folder.write("sheet-patches.json", format!(r#"{{"about":"two squares",{patches}}}"#));
    let context = Context::new(file.parent().unwrap(), Units::Metre);
    let read = Shape::from_file(&file, &context).unwrap();
    assert_eq!((read.kind, read.source.as_deref()), ("tiled", Some(file.as_path())));
    let named = Shape::from_json(r#"{"kind":"tiled","file":"sheet-patches.json"}"#, &context).unwrap();
    let AnyBody::Solid(Body::Tiled(body)) = named.body else { panic!() };
    assert_eq!(counts(&body), [2, 7, 6]);
}

const QUARTER: &str = r#"{"degree":2,"knots":[0,0,0,1,1,1],"points":[[1,0],[1,1],[0,1]],
    "weights":[1,0.7071067811865476,1]},"#;

#[test]
fn planar_bodies_are_bounded_by_curves() {
    let text = format!(
        r#"{{"kind":"planar_tiled","curves":[{QUARTER}
            {{"degree":1,"knots":[0,0,1,1],"points":[[0,1],[0,0]]}},
            {{"degree":1,"knots":[0,0,1,1],"points":[[0,0],[1,0]]}}]}}"#
    );
    let read = shape(&text);
    assert!(read.body.is_planar());
    let AnyBody::PlanarTiled(body) = &read.body else { panic!() };
    assert_eq!(body.corners().len(), 3);
    assert_eq!(body.convexity(), PlanarConvexity::Convex);
    assert!(close(body.mass().area, PI / 4.0));
    let facts = read.describe(Units::Metre);
    assert_eq!(facts.get("corner_classes"), Some(&Fact::Counts(vec![("convex", 3)])));
    // Turned to run counter-clockwise.
    let clockwise = r#"{"kind":"planar_tiled","curves":[{"degree":1,"knots":[0,0,1,2,3,3],
        "points":[[0,0],[0,1],[1,0],[0,0]]}]}"#;
    assert!(shape(clockwise).warnings[0].contains("turned"));
}

#[test]
fn algebraic_surfaces_have_sheets_in_any_unit() {
    let text = r#"{"kind":"algebraic","polynomial":"x^2 - y^2 - z^2 - 1","within":[[-4,-4,-4],[4,4,4]]}"#;
    for (units, scale) in [(Units::Metre, 1.0), (Units::Millimetre, 1e3), (Units::Inch, 1.0 / 0.0254)] {
        let context = Context::new("", Units::Metre).with_answers_in(units);
        let read = Shape::from_json(text, &context).unwrap();
        assert!(read.surface_only);
        let AnyBody::Solid(Body::Algebraic(surface)) = &read.body else { panic!() };
        assert_eq!(surface.sheets().len(), 2, "{units:?}");
        for sheet in surface.sheets() {
            let p = sheet.point / scale;
            assert!((p.x * p.x - p.y * p.y - p.z * p.z - 1.0).abs() < 1e-9, "{units:?}: {p}");
        }
        assert!((surface.within().high[0] - 4.0 * scale).abs() < 1e-9 * scale);
    }
}

const UNION: &str = r#"{"kind":"union","parts":[
    {"shape":{"kind":"box","size":[1,2,3]}},
    {"shape":{"kind":"union","parts":[
        {"shape":{"kind":"sphere","radius":1},"pose":{"translation":[1,2,3]}},
        {"shape":{"kind":"cylinder","radius":1,"height":2,"surface_only":true}}]},
     "pose":{"axis_angle":[0,0,1,90]}}]}"#;

#[test]
fn unions_nest_and_parts_have_paths() {
    let read = shape(UNION);
    let AnyBody::Solid(Body::Union(tree)) = &read.body else { panic!() };
    let paths: Vec<&[u32]> = tree.leaves().iter().map(|leaf| leaf.path.as_slice()).collect();
    assert_eq!(paths, [&[0][..], &[1, 0], &[1, 1]]);
    assert!((tree.leaves()[1].pose.translation() - DVec3::new(-2.0, 1.0, 3.0)).length() < 1e-15);
    assert!(matches!(tree.leaves()[0].shape, LeafShape::Polytope(_)));
    assert_eq!(
        tree.leaves().iter().map(|leaf| leaf.is_surface_only()).collect::<Vec<_>>(),
        [false, false, true]
    );
    assert!(!read.surface_only);
    let hollow = shape(&UNION.replacen("\"union\",", "\"union\",\"surface_only\":true,", 1));
    assert!(hollow.surface_only);
}

#[test]
fn surface_only_is_kept_on_every_kind() {
    for text in [
        r#"{"kind":"box","size":[1,2,3],"surface_only":true}"#,
        r#"{"kind":"sphere","radius":1,"surface_only":true}"#,
        r#"{"kind":"polygon","points":[[0,0],[1,0],[0,1]],"surface_only":true}"#,
        r#"{"kind":"half_space","normal":[0,0,1],"offset":0,"surface_only":true}"#,
    ] {
        let read = shape(text);
        assert!(read.surface_only, "{text}");
        assert_eq!(read.describe(Units::Metre).get("surface_only"), Some(&Fact::Flag(true)), "{text}");
        if let AnyBody::Solid(body) = &read.body {
            assert!(body.is_surface_only(), "{text}");
        }
        assert!(!shape(&text.replace("true", "false")).surface_only, "{text}");
    }
    let ball = shape(r#"{"kind":"sphere","radius":1,"surface_only":true}"#);
    assert!(matches!(&ball.body, AnyBody::Solid(body) if body.kind() == Kind::Tiled));
}

#[test]
fn lengths_of_curved_shapes_are_converted() {
    let context = Context::new("", Units::Inch).with_answers_in(Units::Millimetre);
    for (text, volume) in [
        (r#"{"kind":"sphere","radius":1}"#.to_owned(), 4.0 * PI / 3.0),
        (r#"{"kind":"torus","major":2,"minor":0.5}"#.to_owned(), PI * PI),
        (PEN.to_owned(), PI * 0.25 * (6.0 + 1.0 / 3.0)),
        (r#"{"kind":"revolve","profile":[{"parabola":{"from":[0,0],"to":[4,4],"focal":1}},{"line":[[4,4],[0,4]]}]}"#.to_owned(), 32.0 * PI),
        (box_of_planes(true), 24.0),
    ] {
        let AnyBody::Solid(Body::Tiled(body)) = Shape::from_json(&text, &context).unwrap().body else { panic!() };
        assert!(close(body.mass().volume / 25.4_f64.powi(3), volume), "{text}: {}", body.mass().volume);
    }
}

#[test]
fn scenes_hold_curved_shapes() {
    let text = r#"
        units = "mm"
        [shape.bowl]
        kind = "revolve"
        profile = [
            { parabola = { from = [0, 0], to = [4, 4] } },
            { arc = { center = [0, 7], from = [4, 4], to = [0, 2], ccw = false } },
        ]
        [body.bowl]
        shape = "bowl"
        fixed = true
        [body.ring]
        shape = { kind = "torus", major = 2, minor = 0.5 }
        [track]
        frames = 2
        step = 1
    "#;
    let scene = Scene::parse(text, &Context::default()).unwrap();
    assert_eq!(scene.bodies[0].shape.kind, "revolve");
    assert_eq!(scene.track().unwrap().pairs, [[0, 1]]);
}
