//! Gaps between all bodies of a scene and all parts of an assembly, against every pair asked about alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use clearance_formats::{
    AnyBody, AnyPose, Context, Gap, GapDemand, Member, PairGap, Scene, Shape, Units, gaps, members_of_scene,
    members_of_shape,
};
use clearance_geometry::Body;
use clearance_proximity::{Ended, distance};
use clearance_testkit::Random;

fn demand(min_gap: Option<f64>, threads: usize) -> GapDemand {
    GapDemand { min_gap, max_error: None, deadline: None, units: Units::Metre, threads }
}

fn check(members: &[Member], min_gap: Option<f64>, threads: usize) -> Vec<PairGap> {
    gaps(members, &[], &demand(min_gap, threads), &|| {}).unwrap()
}

fn shape(text: &str) -> Shape {
    Shape::from_json(text, &Context::default()).unwrap()
}

/// Bodies of five kinds strewn over a box, some of which overlap.
fn strewn(seed: u64, count: usize) -> Vec<Member> {
    let mut random = Random::new(seed);
    let kinds = [
        r#"{"kind": "box", "size": [0.6, 0.4, 0.8]}"#,
        r#"{"kind": "sphere", "radius": 0.4}"#,
        r#"{"kind": "cylinder", "radius": 0.3, "height": 0.9}"#,
        r#"{"kind": "torus", "major": 0.5, "minor": 0.15}"#,
        r#"{"kind": "cone", "radius": 0.4, "height": 0.8}"#,
    ];
    let place = |random: &mut Random| {
        let [x, y, z] = [0; 3].map(|_| random.uniform(-1.6, 1.6));
        let angle = random.uniform(0.0, 360.0);
        format!(r#"{{"translation": [{x}, {y}, {z}], "axis_angle": [0.6, 0, 0.8, {angle}]}}"#)
    };
    (0..count)
        .map(|k| Member {
            name: format!("body {k}"),
            shape: shape(kinds[k % kinds.len()]),
            pose: AnyPose::from_json(&place(&mut random), false, &Context::default()).unwrap(),
        })
        .collect()
}

fn alone(members: &[Member], [i, j]: [usize; 2]) -> clearance_proximity::Proximity {
    let body = |at: usize| match &members[at].shape.body {
        AnyBody::Solid(body) => body.clone(),
        _ => panic!("planar"),
    };
    let pose = |at: usize| match members[at].pose {
        AnyPose::Solid(pose) => pose,
        AnyPose::Planar(_) => panic!("planar"),
    };
    let (a, b): (Body, Body) = (body(i), body(j));
    distance(&a, &b, &clearance_geometry::Pose::between(&pose(i), &pose(j))).unwrap()
}

#[test]
fn every_pair_is_judged_as_it_would_be_alone() {
    let members = strewn(5, 24);
    let (mut kept, mut violated, mut by_boxes) = (0, 0, 0);
    for min_gap in [None, Some(0.3)] {
        let found = check(&members, min_gap, 2);
        assert_eq!(found.len(), 24 * 23 / 2);
        assert_eq!(found, check(&members, min_gap, 1));
        assert!(found.windows(2).all(|pair| pair[0].nearness() <= pair[1].nearness()));
        for pair in &found {
            let truth = alone(&members, pair.pair);
            let too_near = match min_gap {
                None => truth.state.overlaps(),
                Some(gap) => truth.distance < gap,
            };
            let expected = if too_near { Gap::Violated } else { Gap::Kept };
            assert_eq!(pair.gap, expected, "{pair:?} {truth:?}");
            if !truth.state.overlaps() {
                assert!(pair.lower <= truth.distance, "{pair:?} {truth:?}");
            }
            kept += usize::from(!too_near);
            violated += usize::from(too_near);
            by_boxes += usize::from(pair.answer.is_none());
        }
        // The least gap is a distance, not a bound.
        assert!(found[0].answer.is_some());
    }
    assert!(kept > 300 && violated > 20 && by_boxes > 100, "{kept} {violated} {by_boxes}");
}

#[test]
fn least_gap_is_known_where_no_box_is_near() {
    let members = members_of_shape(&shape(
        r#"{"kind": "union", "parts": [
            {"shape": {"kind": "sphere", "radius": 1}},
            {"shape": {"kind": "sphere", "radius": 1}, "pose": {"translation": [6, 6, 0]}},
            {"shape": {"kind": "box", "size": [1, 1, 1]}, "pose": {"translation": [0, 0, 7]}}]}"#,
    ));
    assert_eq!(
        members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>(),
        ["part:0", "part:1", "part:2"]
    );
    let found = check(&members, Some(0.1), 1);
    assert!(found.iter().all(|pair| pair.gap == Gap::Kept));
    let least = found[0].answer.as_ref().unwrap();
    assert!((least.distance - 5.5).abs() < 1e-12 && matches!(least.ended, Ended::Certified(_)), "{least:?}");
}

#[test]
fn touching_parts_are_no_clash_but_keep_no_gap() {
    let members = members_of_shape(&shape(
        r#"{"kind": "union", "parts": [
            {"shape": {"kind": "box", "size": [1, 1, 1]}},
            {"shape": {"kind": "box", "size": [1, 1, 1]}, "pose": {"translation": [1, 0, 0]}}]}"#,
    ));
    assert_eq!(check(&members, None, 1)[0].gap, Gap::Kept);
    assert_eq!(check(&members, Some(1e-6), 1)[0].gap, Gap::Violated);
}

#[test]
fn scenes_leave_out_what_they_ignore_and_pairs_of_half_spaces() {
    let text = r#"
        [body.floor]
        shape = {kind = "half_space", normal = [0, 0, 1], offset = 0}
        [body.wall]
        shape = {kind = "half_space", normal = [1, 0, 0], offset = -9}
        [body.ball]
        shape = {kind = "sphere", radius = 1}
        pose = {translation = [0, 0, 1.5]}
        [body.cube]
        shape = {kind = "box", size = [1, 1, 1]}
        pose = {translation = [0.5, 0, 1.5]}
    "#;
    let scene = Scene::parse(text, &Context::default());
    let scene = scene.unwrap_or_else(|error| panic!("{error}"));
    let members = members_of_scene(&scene);
    let found = gaps(&members, &[[2, 3]], &demand(Some(0.2), 1), &|| {}).unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|pair| pair.gap == Gap::Kept), "{found:?}");
    assert!((found[0].nearness() - 0.5).abs() < 1e-12);
}

#[test]
fn namesakes_of_an_assembly_are_numbered() {
    let mut assembly = shape(
        r#"{"kind": "union", "parts": [
            {"shape": {"kind": "sphere", "radius": 1}},
            {"shape": {"kind": "sphere", "radius": 1}, "pose": {"translation": [6, 6, 0]}}]}"#,
    );
    for part in 0..2 {
        assembly.parts.push(clearance_formats::PartName { path: vec![part], name: "bolt".into(), entity: 7 });
    }
    let names: Vec<String> = members_of_shape(&assembly).into_iter().map(|member| member.name).collect();
    assert_eq!(names, ["bolt#1", "bolt#2"]);
}
