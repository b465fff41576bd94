//! STEP texts written for one question each: kinds of curves, surfaces and assemblies, units, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod step_quadrature;

use clearance_formats::step::{StepBody, StepBodyKind, StepCourse, StepModel};
use clearance_formats::{Error, Units};
use clearance_geometry::DVec3;
use clearance_geometry::curve::{Curve, ParametricCurve};
use clearance_geometry::surface::{ParametricSurface, Surface};
use std::f64::consts::{PI, TAU};
use step_quadrature::face_sums;

const MILLI: &str = "#11=(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));";
const RADIAN: &str = "#12=(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.));";
const CONTEXT: &str = "#10=(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#11,#12)) \
                       REPRESENTATION_CONTEXT('',''));";

/// A whole file around its records; the header takes five lines.
fn file(records: &str) -> String {
    format!(
        "ISO-10303-21;\nHEADER;FILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n\
         FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));ENDSEC;\nDATA;\n{records}\nENDSEC;\nEND-ISO-10303-21;\n"
    )
}

/// A sheet of one face on surface #50, bounded by the loop #25, in millimetres and radians.
fn sheet(records: &str) -> String {
    file(&format!(
        "{CONTEXT}{MILLI}{RADIAN}\
         #1=CARTESIAN_POINT('',(0.,0.,0.));#2=DIRECTION('',(0.,0.,1.));#3=DIRECTION('',(1.,0.,0.));\
         #4=AXIS2_PLACEMENT_3D('',#1,#2,#3);\
         #20=MANIFOLD_SURFACE_SHAPE_REPRESENTATION('',(#21),#10);#21=SHELL_BASED_SURFACE_MODEL('sheet',(#22));\
         #22=OPEN_SHELL('',(#23));#23=ADVANCED_FACE('',(#24),#50,.T.);#24=FACE_OUTER_BOUND('',#25,.T.);\n{records}"
    ))
}

/// A sheet bounded by one edge on curve #40 that begins and ends at (1, 0, 0).
fn disc(records: &str) -> String {
    sheet(&format!(
        "#25=EDGE_LOOP('',(#26));#26=ORIENTED_EDGE('',*,*,#27,.T.);#27=EDGE_CURVE('',#30,#30,#40,.T.);\
         #30=VERTEX_POINT('',#31);#31=CARTESIAN_POINT('',(1.,0.,0.));\n{records}"
    ))
}

/// A sheet bounded by curve #40 from (1, 0, 0) to (−1, 0, 0) and a line back.
fn half(records: &str) -> String {
    sheet(&format!(
        "#25=EDGE_LOOP('',(#26,#28));#26=ORIENTED_EDGE('',*,*,#27,.T.);#27=EDGE_CURVE('',#30,#32,#40,.T.);\
         #28=ORIENTED_EDGE('',*,*,#29,.F.);#29=EDGE_CURVE('',#30,#32,#34,.F.);\
         #30=VERTEX_POINT('',#31);#31=CARTESIAN_POINT('',(1.,0.,0.));\
         #32=VERTEX_POINT('',#33);#33=CARTESIAN_POINT('',(-1.,0.,0.));\
         #34=LINE('',#1,#35);#35=VECTOR('',#3,2.);\n{records}"
    ))
}

fn read(text: &str) -> StepModel {
    StepModel::from_bytes(text.as_bytes(), Units::Millimetre).unwrap()
}

fn refused(text: &str) -> Error {
    StepModel::from_bytes(text.as_bytes(), Units::Millimetre).unwrap_err()
}

fn only(model: &StepModel) -> &StepBody {
    assert_eq!(model.bodies.len(), 1);
    assert_eq!(model.warnings, [], "warnings");
    &model.bodies[0]
}

/// The area of a text with one face.
fn area(text: &str) -> f64 {
    let model = read(text);
    let body = only(&model);
    face_sums(body, &body.faces[0], DVec3::ZERO).area
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}");
}

#[test]
fn conics_bound_their_areas() {
    let plane = "#50=PLANE('',#4);";
    close(area(&disc(&format!("{plane}#40=CIRCLE('',#4,1.);"))), PI);
    close(area(&disc(&format!("{plane}#40=ELLIPSE('',#4,1.,0.5);"))), PI / 2.0);
    close(area(&half(&format!("{plane}#40=CIRCLE('',#4,1.);"))), PI / 2.0);
    // y = (1 − x²)/2: apex (0, 1/2), axis −y, focal 1/2; the parameter grows towards +x, so against the edge.
    let parabola = "#40=PARABOLA('',#41,0.5);#41=AXIS2_PLACEMENT_3D('',#42,#43,#44);#42=CARTESIAN_POINT('',(0.,0.5,0.));\
                    #43=DIRECTION('',(0.,0.,1.));#44=DIRECTION('',(0.,-1.,0.));";
    let text = half(&format!("{plane}{parabola}")).replace("#32,#40,.T.", "#32,#40,.F.");
    close(area(&text), 2.0 / 3.0);
    // y = 2 − √(1 + x²)·c through (±1, 0): a = c = √2, b = 1.
    let hyperbola = format!(
        "#40=HYPERBOLA('',#41,{:?},1.);#41=AXIS2_PLACEMENT_3D('',#42,#43,#44);#42=CARTESIAN_POINT('',(0.,2.,0.));\
         #43=DIRECTION('',(0.,0.,1.));#44=DIRECTION('',(0.,-1.,0.));",
        2.0_f64.sqrt()
    );
    let text = half(&format!("{plane}{hyperbola}")).replace("#32,#40,.T.", "#32,#40,.F.");
    // ∫ 2 − √2·√(1 + x²) over −1..1.
    let under = 2.0_f64.sqrt() + 1.0_f64.asinh();
    close(area(&text), 4.0 - 2.0_f64.sqrt() * under);
}

#[test]
fn an_edge_against_its_sense_is_turned_and_said() {
    let parabola = "#50=PLANE('',#4);#40=PARABOLA('',#41,0.5);#41=AXIS2_PLACEMENT_3D('',#42,#43,#44);\
                    #42=CARTESIAN_POINT('',(0.,0.5,0.));#43=DIRECTION('',(0.,0.,1.));#44=DIRECTION('',(0.,-1.,0.));";
    let model = read(&half(parabola));
    assert_eq!(model.warnings.len(), 1);
    assert_eq!((model.warnings[0].entity, model.warnings[0].line), (Some(27), Some(7)));
    let body = &model.bodies[0];
    close(face_sums(body, &body.faces[0], DVec3::ZERO).area, 2.0 / 3.0);
}

#[test]
fn polylines_trimmed_and_composite_curves_become_edges() {
    let plane = "#50=PLANE('',#4);#36=CARTESIAN_POINT('',(0.,2.,0.));";
    close(area(&half(&format!("{plane}#40=POLYLINE('',(#31,#36,#33));"))), 2.0);
    close(
        area(&half(&format!(
            "{plane}#40=TRIMMED_CURVE('',#41,(#31),(#33),.T.,.CARTESIAN.);#41=CIRCLE('',#4,1.);"
        ))),
        PI / 2.0,
    );
    // A quarter circle and the chord from (0, 1) on, the latter written the other way round.
    let composite = "#40=COMPOSITE_CURVE('',(#41,#42),.F.);#41=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#43);\
        #42=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.F.,#45);\
        #43=TRIMMED_CURVE('',#44,(PARAMETER_VALUE(0.)),(PARAMETER_VALUE(1.5707963267948966)),.T.,.PARAMETER.);\
        #44=CIRCLE('',#4,1.);#45=POLYLINE('',(#33,#46));#46=CARTESIAN_POINT('',(0.,1.,0.));";
    let text = half(&format!("{plane}{composite}"));
    close(area(&text), PI / 4.0 + 0.5);
    let body = &read(&text).bodies[0];
    assert_eq!((body.edges.len(), body.vertices.len()), (3, 3));
    assert_eq!(body.edges.iter().filter(|edge| edge.entity == 27).count(), 2);
}

#[test]
fn splines_of_every_form_become_edges() {
    let points = "#50=PLANE('',#4);#36=CARTESIAN_POINT('',(1.,2.,0.));#37=CARTESIAN_POINT('',(-1.,2.,0.));";
    let list = "3,(#31,#36,#37,#33),.UNSPECIFIED.,.F.,.F.";
    let complex = |middle: &str, tail: &str| {
        format!(
            "#40=(BOUNDED_CURVE() B_SPLINE_CURVE({list}) {middle} CURVE() GEOMETRIC_REPRESENTATION_ITEM() {tail} REPRESENTATION_ITEM(''));"
        )
    };
    // The area under a cubic Bézier curve with these points.
    let expected = 2.4;
    let forms = [
        format!("#40=B_SPLINE_CURVE_WITH_KNOTS('',{list},(4,4),(0.,1.),.UNSPECIFIED.);"),
        format!("#40=BEZIER_CURVE('',{list});"),
        format!("#40=QUASI_UNIFORM_CURVE('',{list});"),
        complex("BEZIER_CURVE()", "RATIONAL_B_SPLINE_CURVE((1.,1.,1.,1.))"),
        complex(
            "B_SPLINE_CURVE_WITH_KNOTS((4,4),(-2.,7.),.UNSPECIFIED.)",
            "RATIONAL_B_SPLINE_CURVE((2.,2.,2.,2.))",
        ),
    ];
    for form in forms {
        close(area(&half(&format!("{points}{form}"))), expected);
    }
    // A quarter circle of each half as rational pieces.
    let w = 0.5_f64.sqrt();
    let round = format!(
        "#36=CARTESIAN_POINT('',(1.,1.,0.));#37=CARTESIAN_POINT('',(0.,1.,0.));#38=CARTESIAN_POINT('',(-1.,1.,0.));#50=PLANE('',#4);\
         #40=(BEZIER_CURVE() BOUNDED_CURVE() B_SPLINE_CURVE(2,(#31,#36,#37,#38,#33),.CIRCULAR_ARC.,.F.,.F.) CURVE() \
         GEOMETRIC_REPRESENTATION_ITEM() RATIONAL_B_SPLINE_CURVE((1.,{w:?},1.,{w:?},1.)) REPRESENTATION_ITEM(''));"
    );
    close(area(&half(&round)), PI / 2.0);
}

#[test]
fn uniform_splines_do_not_reach_their_points() {
    // Degree 1 with uniform knots −1, 0, 1, 2 is the segment itself.
    let text = half(
        "#50=PLANE('',#4);#36=CARTESIAN_POINT('',(0.,3.,0.));#40=UNIFORM_CURVE('',1,(#31,#36,#33),.UNSPECIFIED.,.F.,.F.);",
    );
    close(area(&text), 3.0);
    let body = &read(&text).bodies[0];
    let Curve::Nurbs(spline) = &body.edges[0].curve else { panic!() };
    assert_eq!([spline.domain().low, spline.domain().high], [0.0, 2.0]);
}

#[test]
fn a_closed_spline_entered_between_its_ends_becomes_two_edges() {
    // A square through (1, 0), but beginning at (0, 1).
    let text = disc(
        "#50=PLANE('',#4);#36=CARTESIAN_POINT('',(0.,1.,0.));#37=CARTESIAN_POINT('',(-1.,0.,0.));\
         #38=CARTESIAN_POINT('',(0.,-1.,0.));#40=POLYLINE('',(#36,#37,#38,#31,#36));",
    );
    close(area(&text), 2.0);
    let model = read(&text);
    let body = only(&model);
    assert_eq!((body.edges.len(), body.vertices.len()), (2, 2));
    let StepCourse::Edges(uses) = &body.faces[0].loops[0].course else { panic!() };
    let ends: Vec<_> = uses.iter().map(|used| body.edges[used.edge.index()].vertices).collect();
    assert_eq!([ends[0][1], ends[1][1]], [ends[1][0], ends[0][0]]);
}

#[test]
fn swept_trimmed_and_offset_surfaces_are_exact() {
    let circle = "#40=CIRCLE('',#4,1.);";
    let slab = "#51=PLANE('',#52);#52=AXIS2_PLACEMENT_3D('',#53,#2,#3);#53=CARTESIAN_POINT('',(0.,0.,-0.5));";
    close(area(&disc(&format!("{circle}{slab}#50=OFFSET_SURFACE('',#51,0.5,.F.);"))), PI);
    close(
        area(&disc(&format!(
            "{circle}#50=RECTANGULAR_TRIMMED_SURFACE('',#51,-2.,2.,-2.,2.,.T.,.T.);#51=PLANE('',#4);"
        ))),
        PI,
    );
    // Both senses turned leave the normal; one turns it.
    for (senses, reversed) in [(".T.,.F.", true), (".F.,.F.", false)] {
        let text = disc(&format!(
            "{circle}#50=RECTANGULAR_TRIMMED_SURFACE('',#51,-2.,2.,-2.,2.,{senses});#51=PLANE('',#4);"
        ));
        assert_eq!(read(&text).bodies[0].faces[0].reversed, reversed);
    }
    let sphere = "#51=SPHERICAL_SURFACE('',#4,0.75);";
    close(area(&disc(&format!("{circle}{sphere}#50=OFFSET_SURFACE('',#51,0.25,.F.);"))), TAU);
    // A meridian turned about z.
    let meridian = "#60=CIRCLE('',#61,1.);#61=AXIS2_PLACEMENT_3D('',#1,#62,#3);#62=DIRECTION('',(0.,-1.,0.));#63=AXIS1_PLACEMENT('',#1,#2);";
    let text = disc(&format!("{circle}{meridian}#50=SURFACE_OF_REVOLUTION('',#60,#63);"));
    let model = read(&text);
    let Surface::Revolution(_) = &model.bodies[0].faces[0].surface else { panic!() };
    assert!(model.bodies[0].faces[0].surface.point(0.0, PI / 2.0).distance(DVec3::Z) < 1e-12);
    let wall = half(&format!("{circle}#50=SURFACE_OF_LINEAR_EXTRUSION('',#40,#60);#60=VECTOR('',#2,3.);"));
    let model = read(&wall);
    assert!(model.bodies[0].faces[0].surface.point(0.0, 2.0).distance(DVec3::new(1.0, 0.0, 6.0)) < 1e-12);
}

#[test]
fn spline_surfaces_of_every_form_are_read() {
    let points = "#60=CARTESIAN_POINT('',(-2.,-2.,0.));#61=CARTESIAN_POINT('',(-2.,2.,0.));\
                  #62=CARTESIAN_POINT('',(2.,-2.,0.));#63=CARTESIAN_POINT('',(2.,2.,0.));#40=CIRCLE('',#4,1.);";
    let list = "1,1,((#60,#61),(#62,#63)),.UNSPECIFIED.,.F.,.F.,.F.";
    let complex = |middle: &str| {
        format!(
            "#50=(BOUNDED_SURFACE() B_SPLINE_SURFACE({list}) {middle} GEOMETRIC_REPRESENTATION_ITEM() \
                 RATIONAL_B_SPLINE_SURFACE(((1.,1.),(1.,1.))) REPRESENTATION_ITEM('') SURFACE());"
        )
    };
    let forms = [
        format!("#50=B_SPLINE_SURFACE_WITH_KNOTS('',{list},(2,2),(2,2),(0.,1.),(0.,3.),.UNSPECIFIED.);"),
        format!("#50=BEZIER_SURFACE('',{list});"),
        format!("#50=UNIFORM_SURFACE('',{list});"),
        format!("#50=QUASI_UNIFORM_SURFACE('',{list});"),
        complex("B_SPLINE_SURFACE_WITH_KNOTS((2,2),(2,2),(0.,1.),(0.,3.),.UNSPECIFIED.)"),
        complex("BEZIER_SURFACE()"),
    ];
    for form in forms {
        close(area(&disc(&format!("{points}{form}"))), PI);
    }
}

#[test]
fn units_are_those_of_the_representation() {
    let records = "#50=PLANE('',#4);#40=CIRCLE('',#4,1.);";
    let square = |text: &str, units: Units| {
        let model = StepModel::from_bytes(text.as_bytes(), units).unwrap();
        let body = only(&model);
        (face_sums(body, &body.faces[0], DVec3::ZERO).area.sqrt(), body.written_in.clone())
    };
    let root = PI.sqrt();
    let inch = "#11=(CONVERSION_BASED_UNIT('INCH',#13) LENGTH_UNIT() NAMED_UNIT(#15));#15=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\
                #13=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#14);#14=(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));";
    let text = disc(records).replace(MILLI, inch);
    close(square(&text, Units::Millimetre).0, 25.4 * root);
    assert_eq!(square(&text, Units::Inch).1, "inch");
    close(square(&text, Units::Inch).0, root);
    close(square(&disc(records), Units::Metre).0, root / 1000.0);
    assert_eq!(square(&disc(records), Units::Metre).1, "millimetre");
    let metres = disc(records).replace(".MILLI.", "$");
    close(square(&metres, Units::Centimetre).0, root * 100.0);
    // Same unit in and out: the same bits.
    let model = read(&disc(records));
    assert_eq!(model.bodies[0].vertices[0].point, DVec3::X);
}

#[test]
fn degrees_are_radians_here() {
    let degree = "#12=(CONVERSION_BASED_UNIT('DEGREE',#13) NAMED_UNIT(#15) PLANE_ANGLE_UNIT());#15=DIMENSIONAL_EXPONENTS(0.,0.,0.,0.,0.,0.,0.);\
                  #13=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.0174532925199432957),#14);#14=(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.));";
    let cone = disc("#50=CONICAL_SURFACE('',#4,1.,45.);#40=CIRCLE('',#4,1.);").replace(RADIAN, degree);
    let model = read(&cone);
    let Surface::Cone(cone) = &model.bodies[0].faces[0].surface else { panic!() };
    close(cone.slope(), 1.0);
}

#[test]
fn a_file_without_units_is_taken_for_millimetres_and_said() {
    let text = disc("#50=PLANE('',#4);#40=CIRCLE('',#4,1.);").replace("(#11,#12)", "()");
    let model = read(&text);
    assert_eq!(model.bodies.len(), 1);
    assert_eq!(model.warnings[0].entity, Some(10));
}

/// A tetrahedron of polygons.
fn faceted() -> String {
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut records = format!("{CONTEXT}{MILLI}{RADIAN}");
    for (at, [x, y, z]) in corners.iter().enumerate() {
        records += &format!("#{}=CARTESIAN_POINT('',({x}.,{y}.,{z}.));", 100 + at);
    }
    for (at, [a, b, c]) in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].iter().enumerate() {
        let [face, bound, path] = [200 + at, 210 + at, 220 + at];
        records += &format!(
            "#{face}=FACE('',(#{bound}));#{bound}=FACE_OUTER_BOUND('',#{path},.T.);\
             #{path}=POLY_LOOP('',(#{},#{},#{}));",
            100 + a,
            100 + b,
            100 + c
        );
    }
    file(&format!(
        "{records}#20=FACETED_BREP_SHAPE_REPRESENTATION('',(#21),#10);#21=FACETED_BREP('tetra',#22);\
         #22=CLOSED_SHELL('',(#200,#201,#202,#203));"
    ))
}

#[test]
fn faceted_bodies_share_their_edges() {
    let model = read(&faceted());
    let body = only(&model);
    assert_eq!((body.faces.len(), body.edges.len(), body.vertices.len()), (4, 6, 4));
    assert_eq!((body.name.as_str(), body.kind), ("tetra", StepBodyKind::Solid));
    let volume: f64 = body.faces.iter().map(|face| face_sums(body, face, DVec3::ONE).volume).sum();
    close(volume, 1.0 / 6.0);
}

#[test]
fn mapped_items_place_representations() {
    let text = disc("#50=PLANE('',#4);#40=CIRCLE('',#4,1.);").replace(
        "\nENDSEC;\nEND-ISO",
        "#70=SHAPE_REPRESENTATION('',(#71,#75,#4),#10);#71=MAPPED_ITEM('',#72,#73);#72=REPRESENTATION_MAP(#4,#20);\
         #73=AXIS2_PLACEMENT_3D('',#74,#3,#2);#74=CARTESIAN_POINT('',(5.,0.,0.));#75=MAPPED_ITEM('',#72,#4);\
         #80=PRODUCT_DEFINITION('','',#81,$);#81=PRODUCT_DEFINITION_FORMATION('','',#82);#82=PRODUCT('id','twice','',());\
         #83=PRODUCT_DEFINITION_SHAPE('','',#80);#84=SHAPE_DEFINITION_REPRESENTATION(#83,#70);\nENDSEC;\nEND-ISO",
    );
    let model = read(&text);
    assert_eq!(model.warnings, []);
    assert_eq!((model.bodies.len(), model.instances.len()), (1, 2));
    // z goes to x, x to z.
    let turned = model.instances[0].pose.apply(DVec3::new(1.0, 0.0, 2.0));
    assert!(turned.distance(DVec3::new(7.0, 0.0, 1.0)) < 1e-12, "{turned}");
    assert_eq!(model.instances[1].pose.apply(DVec3::X), DVec3::X);
    assert_eq!(model.instances_of("twice").count(), 2);
    assert_eq!(model.instances_of("#21").count(), 2);
    assert_eq!(model.instances_of("nothing").count(), 0);
}

#[test]
fn assemblies_have_paths_and_places() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made");
    let text = std::fs::read_to_string(folder.join("assembly.step")).unwrap();
    let model = read(&text);
    assert_eq!(model.warnings, []);
    let paths: Vec<String> = model.instances.iter().map(|instance| instance.path.join("/")).collect();
    assert_eq!(paths, ["machine/pair/plate", "machine/pair/plate:2", "machine/ball"]);
    assert_eq!(model.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(), ["plate", "ball"]);
    let ball = model.instances[2].pose.translation();
    assert!(ball.distance(DVec3::new(100.0, 0.0, 0.0)) < 1e-9, "{ball}");
    let metres = StepModel::from_bytes(text.as_bytes(), Units::Metre).unwrap();
    assert!(metres.instances[2].pose.translation().distance(DVec3::new(0.1, 0.0, 0.0)) < 1e-12);
    assert_eq!(metres.bodies[0].written_in, "inch");
}

#[test]
fn an_assembly_in_itself_is_cut_and_said() {
    let text = disc(
        "#50=PLANE('',#4);#40=CIRCLE('',#4,1.);#80=PRODUCT_DEFINITION('','',#81,$);\
         #81=PRODUCT_DEFINITION_FORMATION('','',#82);#82=PRODUCT('id','a','',());#83=PRODUCT_DEFINITION_SHAPE('','',#80);\
         #84=SHAPE_DEFINITION_REPRESENTATION(#83,#20);#85=PRODUCT_DEFINITION('','',#81,$);\
         #86=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#80,#85,$);#87=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#85,#85,$);",
    );
    let model = read(&text);
    assert_eq!(model.instances.len(), 1);
    assert!(model.warnings.iter().any(|w| w.entity == Some(85) && w.message.contains("within itself")));
}

#[test]
fn what_is_no_body_is_said() {
    let text = disc("#50=PLANE('',#4);#40=CIRCLE('',#4,1.);#90=GEOMETRIC_CURVE_SET('',(#40));")
        .replace("(#21),#10", "(#21,#90),#10");
    let model = read(&text);
    assert_eq!((model.warnings.len(), model.warnings[0].entity), (1, Some(90)));
    let text = disc("#50=PLANE('',#4);#40=CIRCLE('',#4,1.);#90=GEOMETRIC_CURVE_SET('',(#40));")
        .replace("(#21),#10", "(#90),#10");
    assert!(refused(&text).to_string().contains("#90"), "{}", refused(&text));
}

#[test]
fn what_cannot_be_represented_names_record_and_line() {
    let cases = [
        (
            "#50=OFFSET_SURFACE('',#51,1.,.F.);#51=SURFACE_OF_LINEAR_EXTRUSION('',#40,#52);#52=VECTOR('',#2,3.);#40=CIRCLE('',#4,1.);",
            "line 8: #50 OFFSET_SURFACE",
        ),
        ("#40=CIRCLE('',#4,1.);\n#50=SOMETHING_NEW('',#4);", "line 9: #50 SOMETHING_NEW"),
        ("#50=PLANE('',#4);#40=OFFSET_CURVE_3D('',#4,1.,.F.,#2);", "line 8: #40 OFFSET_CURVE_3D"),
        ("#50=PLANE('',#4);#40=CIRCLE('',#4,-1.);", "line 8: #40 CIRCLE"),
        ("#50=PLANE('',#99);#40=CIRCLE('',#4,1.);", "line 8: #50 PLANE names #99"),
        ("#50=PLANE('',#4);#40=CIRCLE('',#4);", "line 8: #40 CIRCLE has no attribute 3"),
        (
            "#50=PLANE('',#4);#40=TRIMMED_CURVE('',#40,(#31),(#31),.T.,.CARTESIAN.);",
            "#40 TRIMMED_CURVE refers to itself",
        ),
        ("#50=OFFSET_SURFACE('',#50,1.,.F.);#40=CIRCLE('',#4,1.);", "#50 OFFSET_SURFACE refers to itself"),
        (
            "#50=PLANE('',#4);#40=COMPOSITE_CURVE('',(#41,#41),.F.);#41=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#40);",
            "#40 COMPOSITE_CURVE refers to itself",
        ),
        (
            "#50=PLANE('',#4);#40=B_SPLINE_CURVE_WITH_KNOTS('',1,(#31,#1),.U.,.F.,.F.,(999999999999,2),(0.,1.),.U.);",
            "#40 B_SPLINE_CURVE_WITH_KNOTS has 1000000000001 knots",
        ),
        (
            "#50=PLANE('',#4);#40=B_SPLINE_CURVE_WITH_KNOTS('',1,(#31,#1),.U.,.F.,.F.,(2,2),(1.,0.),.U.);",
            "#40 B_SPLINE_CURVE_WITH_KNOTS is no curve",
        ),
        ("#50=CONICAL_SURFACE('',#4,1.,1.6);#40=CIRCLE('',#4,1.);", "#50 CONICAL_SURFACE has the semi-angle"),
        (
            "#50=PLANE('',#4);#40=LINE('',#1,#41);#41=VECTOR('',#3,1.);",
            "#27 EDGE_CURVE begins and ends in one vertex",
        ),
    ];
    for (records, expected) in cases {
        let error = refused(&disc(records));
        assert_eq!(error.code(), "bad_file");
        assert!(error.to_string().contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn one_bad_body_leaves_the_others_and_is_named() {
    let text = disc("#50=PLANE('',#4);#40=CIRCLE('',#4,1.);#91=SHELL_BASED_SURFACE_MODEL('bad',(#92));#92=OPEN_SHELL('',(#93));#93=SUBFACE('',(#24),#23);")
        .replace("(#21),#10", "(#21,#91),#10");
    let model = read(&text);
    assert_eq!((model.bodies.len(), model.refused.len()), (1, 1));
    assert_eq!((model.refused[0].entity, model.refused[0].reason.entity), (91, Some(93)));
    assert_eq!(model.refused[0].name, "bad");
}

#[test]
fn edges_of_length_zero_are_kept_and_said() {
    // Two vertices in one place between the two edges of the half disc.
    let text = half(
        "#50=PLANE('',#4);#40=CIRCLE('',#4,1.);#60=ORIENTED_EDGE('',*,*,#61,.T.);\
                     #61=EDGE_CURVE('',#32,#62,#63,.T.);#62=VERTEX_POINT('',#33);#63=CIRCLE('',#4,1.);",
    )
    .replace("(#26,#28)", "(#26,#60,#28)")
    .replace("#29=EDGE_CURVE('',#30,#32", "#29=EDGE_CURVE('',#30,#62");
    let model = read(&text);
    assert_eq!((model.warnings.len(), model.warnings[0].entity), (1, Some(61)));
    let body = &model.bodies[0];
    assert_eq!(body.edges.len(), 3);
    let zero = body.edges.iter().find(|edge| edge.entity == 61).unwrap();
    assert_eq!(zero.range.low, zero.range.high);
    close(face_sums(body, &body.faces[0], DVec3::ZERO).area, PI / 2.0);
}

#[test]
fn faces_without_edges_are_whole_surfaces_or_refused() {
    let point = |surface: &str| {
        sheet(&format!(
            "#25=VERTEX_LOOP('',#30);#30=VERTEX_POINT('',#31);#31=CARTESIAN_POINT('',(1.,0.,0.));\n{surface}"
        ))
    };
    close(area(&point("#50=SPHERICAL_SURFACE('',#4,1.);")), 4.0 * PI);
    close(area(&point("#50=TOROIDAL_SURFACE('',#4,2.,1.);")), 8.0 * PI * PI);
    for surface in [
        "#50=PLANE('',#4);",
        "#50=CYLINDRICAL_SURFACE('',#4,1.);",
        "#50=CONICAL_SURFACE('',#4,1.,0.5);",
        "#50=DEGENERATE_TOROIDAL_SURFACE('',#4,1.,2.,.T.);",
    ] {
        assert!(refused(&point(surface)).to_string().contains("line 6: #23 ADVANCED_FACE has no edges"));
    }
    let text = point("#50=SPHERICAL_SURFACE('',#4,1.);").replace("(#24),#50", "(),#50");
    let model = read(&text);
    assert_eq!((model.warnings.len(), model.warnings[0].entity), (1, Some(23)));
}
