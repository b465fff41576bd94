//! STEP texts that are hard to make a body of: turned, mirrored, nicked, unbounded, open, tiny, huge, far away.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod step_writer;

use clearance_formats::Units;
use clearance_formats::step::{StepBodyKind, StepModel};
use clearance_geometry::tiled::{TiledBody, TiledError, TiledNote};
use clearance_geometry::{DVec3, Pose};
use step_writer::{MILLIMETRE, Plate, Writer};

fn read(text: &str) -> StepModel {
    StepModel::from_bytes(text.as_bytes(), Units::Millimetre).unwrap()
}

/// The only body of a text that is read without a word.
fn body(text: &str) -> TiledBody {
    let model = read(text);
    assert_eq!(
        (model.bodies.len(), model.warnings.as_slice(), model.refused.as_slice()),
        (1, &[][..], &[][..])
    );
    model.bodies[0].to_tiled().unwrap()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}");
}

/// A plate as it should be.
fn check(tiled: &TiledBody, plate: &Plate) {
    assert!(tiled.is_closed());
    assert_eq!(tiled.notes(), []);
    close(tiled.mass().volume, plate.volume());
    close(tiled.mass().area, plate.area());
    let middle = plate.low + plate.size / 2.0;
    let size = plate.size.length();
    assert!(tiled.mass().center.distance(middle) <= 1e-9 * (size + middle.length()));
    let bound = tiled.aabb();
    let [low, high] = [bound.low, bound.high].map(DVec3::from_array);
    let slack = 2e-6 * size + 1e-15 * middle.length();
    assert!(low.distance(plate.low) <= slack && high.distance(plate.low + plate.size) <= slack, "{bound:?}");
}

#[test]
fn inner_loops_without_parameter_curves_become_holes() {
    let plate = Plate::new(1.0);
    let tiled = body(&plate.text());
    check(&tiled, &plate);
    assert_eq!((tiled.face_count(), tiled.edge_count(), tiled.vertex_count()), (7, 15, 10));
    assert_eq!(tiled.faces()[1].loops.len(), 2);
}

#[test]
fn seams_may_run_anywhere() {
    for angle in [1.0, 3.0, -2.5, std::f64::consts::PI, 6.0] {
        let plate = Plate { angle, ..Plate::new(1.0) };
        check(&body(&plate.text()), &plate);
    }
}

#[test]
fn reversed_faces_are_the_same_body() {
    let plate = Plate { against: true, angle: 0.3, ..Plate::new(1.0) };
    let tiled = body(&plate.text());
    check(&tiled, &plate);
    assert!(tiled.faces().iter().all(|face| face.reversed));
}

#[test]
fn a_shell_inside_out_is_turned_and_said() {
    // Every loop the other way round, every face on the other side.
    let text = Plate::new(1.0).text();
    let swap = |line: &str| match line {
        _ if line.contains("ADVANCED_FACE")
            || line.contains("FACE_OUTER_BOUND")
            || line.contains("FACE_BOUND") =>
        {
            if line.contains(".T.") {
                line.replace(".T.", ".F.")
            } else {
                line.replace(".F.", ".T.")
            }
        }
        _ => line.to_owned(),
    };
    let turned: String = text.lines().map(|line| swap(line) + "\n").collect();
    let tiled = read(&turned).bodies[0].to_tiled().unwrap();
    assert!(tiled.notes().contains(&TiledNote::Turned), "{:?}", tiled.notes());
    close(tiled.mass().volume, Plate::new(1.0).volume());
}

#[test]
fn one_face_the_wrong_way_round_is_put_right_and_said_or_refused() {
    let text = Plate::new(1.0).text();
    let faces: Vec<&str> = text.lines().filter(|line| line.contains("ADVANCED_FACE")).collect();
    assert_eq!(faces.len(), 7);
    for line in faces {
        let other =
            if line.contains(".T.") { line.replace(".T.", ".F.") } else { line.replace(".F.", ".T.") };
        let model = read(&text.replace(line, &other));
        match model.bodies[0].to_tiled() {
            Ok(tiled) => {
                assert!(!tiled.notes().is_empty() || !model.warnings.is_empty(), "{line}");
                close(tiled.mass().volume, Plate::new(1.0).volume());
            }
            Err(error) => assert!(matches!(error, TiledError::LoopTurned { .. }), "{line}: {error}"),
        }
    }
}

#[test]
fn edges_of_length_zero_do_not_open_a_solid() {
    let plate = Plate { nick: true, ..Plate::new(1.0) };
    let model = read(&plate.text());
    assert_eq!(model.warnings.len(), 1, "{:?}", model.warnings);
    assert!(model.warnings[0].message.contains("EDGE_CURVE") && model.warnings[0].line.is_some());
    let tiled = model.bodies[0].to_tiled().unwrap();
    assert_eq!(tiled.edge_count(), 16);
    check(&tiled, &plate);
}

#[test]
fn inches_are_converted() {
    let inch = "(CONVERSION_BASED_UNIT('INCH',#{factor}) LENGTH_UNIT() NAMED_UNIT(#{exponents}))";
    let mut to = Writer::default();
    let faces = Plate::new(1.0).faces(&mut to);
    let solid = to.solid(&faces);
    let millimetre = to.add(MILLIMETRE);
    let factor = to.add(&format!("LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#{millimetre})"));
    let exponents = to.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)");
    let unit = inch.replace("{factor}", &factor.to_string()).replace("{exponents}", &exponents.to_string());
    let context = to.context(&unit);
    to.representation(&[solid], context);
    let text = to.wrapped();
    check(&body(&text), &Plate::new(25.4));
    let metres = StepModel::from_bytes(text.as_bytes(), Units::Metre).unwrap();
    check(&metres.bodies[0].to_tiled().unwrap(), &Plate::new(0.0254));
}

#[test]
fn tiny_huge_and_far_away_are_the_same_body() {
    for exponent in [-6, -4, -2, 0, 2, 4, 6] {
        let scale = 10.0_f64.powi(exponent);
        let plate = Plate { angle: 1.0, ..Plate::new(scale) };
        check(&body(&plate.text()), &plate);
    }
    for scale in [1e-3, 1.0, 1e3] {
        let plate = Plate { low: DVec3::new(200.0, -100.0, 50.0) * scale, ..Plate::new(scale) };
        check(&body(&plate.text()), &plate);
    }
}

#[test]
fn a_shell_that_lacks_a_face_is_open_there() {
    for (closed, kind) in [(true, StepBodyKind::Solid), (false, StepBodyKind::Sheet)] {
        let mut to = Writer::default();
        let mut faces = Plate::new(1.0).faces(&mut to);
        // The right side, with four straight edges.
        faces.remove(3);
        let part = if closed { to.solid(&faces) } else { to.sheet(&faces) };
        let model = read(&to.file(&[part]));
        assert_eq!(model.bodies[0].kind, kind);
        let tiled = model.bodies[0].to_tiled().unwrap();
        assert!(!tiled.is_closed());
        assert_eq!((tiled.face_count(), tiled.open_edges().len(), tiled.mass().volume), (6, 4, 0.0));
        assert!(matches!(tiled.check_closed(), Err(TiledError::OpenEdge { .. })));
        close(tiled.mass().area, Plate::new(1.0).area() - 6.0);
    }
}

#[test]
fn a_face_that_cannot_be_represented_is_never_dropped() {
    let good = Plate::new(1.0).text();
    let planes = good.lines().filter(|line| line.contains("=PLANE(")).count();
    assert_eq!(planes, 6);
    for (at, line) in good.lines().enumerate().filter(|(_, line)| line.contains("=PLANE(")) {
        let id = line.split('=').next().unwrap();
        for odd in ["OFFSET_SURFACE('',#1,1.,.F.)", "BLENDED_SURFACE('')", "SURFACE_REPLICA('',#1,#2)"] {
            let text = good.replace(line, &format!("{id}={odd};"));
            let error = StepModel::from_bytes(text.as_bytes(), Units::Millimetre).unwrap_err().to_string();
            assert!(error.contains("line ") && error.contains('#'), "{error}");
            if !odd.starts_with("OFFSET") {
                let kind = odd.split('(').next().unwrap();
                assert!(error.contains(&format!("line {}: {id} {kind}", at + 1)), "{error}");
            }
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused_with_their_line() {
    let text = Plate::new(1.0).text();
    let (at, line) = text.lines().enumerate().find(|(_, line)| line.contains("CIRCLE(")).unwrap();
    let radius = line.rsplit(',').next().unwrap().trim_end_matches(");");
    for bad in ["NAN", "nan", "1.#IND", "-1.#QNAN", "INF", "-INF", "1.E999", "1.#INF", ".5", "1,5E", "--1."] {
        let damaged = text.replace(line, &line.replace(radius, bad));
        let error = StepModel::from_bytes(damaged.as_bytes(), Units::Millimetre).unwrap_err();
        assert_eq!(error.code(), "bad_file");
        assert!(error.to_string().contains(&format!("line {}", at + 1)), "{bad}: {error}");
    }
}

#[test]
fn mirrored_and_scaled_placements_are_refused() {
    for (axes, scale, expected) in [
        ([DVec3::X, DVec3::Y, DVec3::Z], "1.", Ok(())),
        ([DVec3::X, DVec3::Y, -DVec3::Z], "1.", Err(())),
        ([-DVec3::X, DVec3::Y, DVec3::Z], "$", Err(())),
        ([DVec3::X, DVec3::Y, DVec3::Z], "2.", Err(())),
    ] {
        let mut to = Writer::default();
        let faces = Plate::new(1.0).faces(&mut to);
        let solid = to.solid(&faces);
        let context = to.context(MILLIMETRE);
        let part = to.representation(&[solid], context);
        let origin = to.placement(DVec3::ZERO, DVec3::Z, DVec3::X);
        let [x, y, z] = axes.map(|axis| to.direction(axis));
        let at = to.point(DVec3::new(10.0, 0.0, 0.0));
        let turn =
            to.add(&format!("CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#{x},#{y},#{at},{scale},#{z})"));
        let map = to.add(&format!("REPRESENTATION_MAP(#{origin},#{part})"));
        let item = to.add(&format!("MAPPED_ITEM('',#{map},#{turn})"));
        let whole = to.representation(&[item], context);
        let definition = product(&mut to, "mirrored", whole);
        let model = StepModel::from_bytes(to.wrapped().as_bytes(), Units::Millimetre);
        match expected {
            Ok(()) => {
                let model = model.unwrap();
                assert_eq!((model.instances.len(), model.refused.len()), (1, 0), "{definition}");
                assert_eq!(model.instances[0].pose.translation(), DVec3::new(10.0, 0.0, 0.0));
            }
            Err(()) => {
                // The part itself may remain where it was drawn; its mirrored place is said to be left out.
                let said = match model {
                    Ok(model) => model.refused[0].reason.to_string(),
                    Err(error) => error.to_string(),
                };
                assert!(said.contains(&format!("#{turn} CARTESIAN_TRANSFORMATION_OPERATOR_3D")), "{said}");
            }
        }
    }
}

/// A product with a shape; its definition.
fn product(to: &mut Writer, name: &str, representation: u64) -> u64 {
    let product = to.add(&format!("PRODUCT('{name}','{name}','',())"));
    let formation = to.add(&format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
    let definition = to.add(&format!("PRODUCT_DEFINITION('','',#{formation},$)"));
    let shape = to.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
    to.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{shape},#{representation})"));
    definition
}

/// Puts a child into a parent at a pose; both as (definition, representation).
fn put(to: &mut Writer, child: (u64, u64), parent: (u64, u64), pose: &Pose) {
    let from = to.placement(DVec3::ZERO, DVec3::Z, DVec3::X);
    let turn = |axis| pose.apply(axis) - pose.apply(DVec3::ZERO);
    let into = to.placement(pose.translation(), turn(DVec3::Z), turn(DVec3::X));
    let usage = to.add(&format!("NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{},#{},$)", parent.0, child.0));
    let shape = to.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{usage})"));
    let transformation = to.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{from},#{into})"));
    let relation = to.add(&format!(
        "(REPRESENTATION_RELATIONSHIP('','',#{},#{}) \
         REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#{transformation}) SHAPE_REPRESENTATION_RELATIONSHIP())",
        child.1, parent.1
    ));
    to.add(&format!("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#{relation},#{shape})"));
}

#[test]
fn nested_transformations_multiply_and_names_may_repeat() {
    let mut to = Writer::default();
    let context = to.context(MILLIMETRE);
    let part = |to: &mut Writer, name: &str, scale: f64| {
        let faces = Plate::new(scale).faces(to);
        let solid = to.solid(&faces);
        let representation = to.representation(&[solid], context);
        (product(to, name, representation), representation)
    };
    // Two products of one name, one inside the other's neighbour.
    let small = part(&mut to, "plate", 1.0);
    let large = part(&mut to, "plate", 10.0);
    let group = |to: &mut Writer, name: &str| {
        let frame = to.placement(DVec3::ZERO, DVec3::Z, DVec3::X);
        let representation = to.representation(&[frame], context);
        (product(to, name, representation), representation)
    };
    let [inner, middle, outer] = ["group", "group", "all"].map(|name| group(&mut to, name));
    let pose = |axis: DVec3, angle: f64, by: [f64; 3]| {
        Pose::from_axis_angle(axis.normalize(), angle, DVec3::from_array(by)).unwrap()
    };
    let poses = [
        pose(DVec3::X, 0.5, [1.0, 2.0, 3.0]),
        pose(DVec3::ONE, -1.2, [-4.0, 0.0, 7.0]),
        pose(DVec3::new(1.0, -2.0, 0.5), 2.9, [100.0, 50.0, -25.0]),
        pose(DVec3::Y, 3.0, [0.0, 0.0, 1000.0]),
    ];
    put(&mut to, small, inner, &poses[0]);
    put(&mut to, large, inner, &Pose::IDENTITY);
    put(&mut to, inner, middle, &poses[1]);
    put(&mut to, middle, outer, &poses[2]);
    put(&mut to, small, outer, &poses[3]);
    let model = read(&to.wrapped());
    assert_eq!((model.warnings.as_slice(), model.refused.as_slice()), (&[][..], &[][..]));
    let paths: Vec<String> = model.instances.iter().map(|instance| instance.path.join("/")).collect();
    assert_eq!(paths, ["all/group/group/plate", "all/group/group/plate:2", "all/plate"]);
    let expected = [poses[2] * poses[1] * poses[0], poses[2] * poses[1], poses[3]];
    for (instance, expected) in model.instances.iter().zip(&expected) {
        for point in [DVec3::ZERO, DVec3::new(3.0, -1.0, 2.0)] {
            let off = instance.pose.apply(point).distance(expected.apply(point));
            assert!(off <= 1e-12 * 1000.0, "{}: {off}", instance.path.join("/"));
        }
    }
    assert_eq!(model.instances_of("plate").count(), 3);
    assert_eq!(model.instances_of("plate:2").count(), 1);
    assert!(model.bodies.iter().all(|body| body.name == "plate"));
    let volumes: Vec<f64> = model.bodies.iter().map(|body| body.to_tiled().unwrap().mass().volume).collect();
    close(volumes[0], Plate::new(1.0).volume());
    close(volumes[1], Plate::new(10.0).volume());
}

#[test]
fn two_bodies_of_a_representation_stay_two() {
    let mut to = Writer::default();
    let mut plate = Plate::new(1.0);
    let mut solids = Vec::new();
    for shift in [0.0, 100.0] {
        plate.low = DVec3::X * shift;
        let faces = plate.faces(&mut to);
        solids.push(to.solid(&faces));
    }
    let model = read(&to.file(&solids));
    assert_eq!((model.bodies.len(), model.instances.len()), (2, 2));
    check(&model.bodies[1].to_tiled().unwrap(), &plate);
}

/// A text with the lists of parameter curves emptied; how many there were.
fn without_parameter_curves(text: &str) -> (String, usize) {
    let (mut found, mut result, mut rest) = (0, String::new(), text);
    while let Some(at) = rest.find("_CURVE('',#") {
        let (before, after) = rest.split_at(at);
        result.push_str(before);
        rest = after;
        let listed = rest.find(",(").filter(|start| rest[..*start].len() < 24);
        if let (true, Some(start)) = (before.ends_with("SURFACE") || before.ends_with("SEAM"), listed) {
            let end = start + rest[start..].find(')').unwrap();
            result.push_str(&rest[..start]);
            result.push_str(",()");
            rest = &rest[end + 1..];
            found += 1;
        } else {
            let (kept, after) = rest.split_at(6);
            result.push_str(kept);
            rest = after;
        }
    }
    result.push_str(rest);
    (result, found)
}

#[test]
fn parameter_curves_are_not_needed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made");
    let mut all = 0;
    for name in ["assembly", "nurbs", "poles", "prism", "sheet", "vase", "void"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.step"))).unwrap();
        let (without, found) = without_parameter_curves(&text);
        all += found;
        let [with, without] = [&text, &without].map(|text| read(text));
        for (a, b) in with.bodies.iter().zip(&without.bodies) {
            let [a, b] = [a, b].map(|body| body.to_tiled().unwrap());
            assert_eq!(a.is_closed(), b.is_closed(), "{name}");
            close(b.mass().area, a.mass().area);
            if a.is_closed() {
                close(b.mass().volume, a.mass().volume);
            }
        }
        assert_eq!(with.bodies.len(), without.bodies.len());
    }
    assert!(all > 50, "{all}");
}
