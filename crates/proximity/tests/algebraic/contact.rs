use crate::{case_of, placed, pose};
use clearance_geometry::surface::{Ellipsoid, ParametricSurface, Surface};
use clearance_geometry::{DVec3, Pose};
use clearance_proximity::algebraic::{
    EllipsoidRelation, Isolation, Quadric, QuadricError, ellipsoid_relation, quadric_quadric,
    tangent_contacts,
};
use clearance_testkit::Random;
use std::f64::consts::FRAC_PI_2;

/// Two ellipsoids that touch at a chosen point: the second is pushed along the first's normal.
fn touching(random: &mut Random, scale: f64, offset: DVec3, inner: bool) -> ([Ellipsoid; 2], DVec3, DVec3) {
    let radii = |random: &mut Random, size: f64| [0; 3].map(|_| scale * size * random.uniform(0.5, 1.0));
    let first = Ellipsoid::new(placed(pose(random, scale), offset), radii(random, 1.0)).unwrap();
    let at = |s: &Ellipsoid, random: &mut Random| {
        let jet = Surface::from(*s).jet(random.uniform(0.0, 6.0), random.uniform(-1.2, 1.2));
        let normal = jet.normal().unwrap();
        let outward = if normal.dot(jet.point - s.frame().translation()) > 0.0 { normal } else { -normal };
        (jet.point, outward)
    };
    let (point, normal) = at(&first, random);
    // Small enough inside for its curvature to exceed the other's everywhere.
    let second = Ellipsoid::new(Pose::IDENTITY, radii(random, if inner { 0.1 } else { 1.0 })).unwrap();
    let (q, m) = at(&second, random);
    let turn = clearance_geometry::DQuat::from_rotation_arc(m, if inner { normal } else { -normal });
    let frame = Pose::new(turn, point - turn * q).unwrap();
    ([first, second.moved(&frame)], point, normal)
}

#[test]
fn planted_contacts_are_found_and_classified() {
    for case in 0..200 {
        let (mut random, scale, offset) = case_of(61, case);
        let inner = case % 2 == 1;
        let ([first, second], point, normal) = touching(&mut random, scale, offset, inner);
        let quadrics = [first, second].map(|s| Quadric::from(&s));
        // Placing the second rounds at the size of the coordinates.
        let rounding = scale * 1e-9;
        let contacts = tangent_contacts(&quadrics[0], &quadrics[1], rounding).unwrap();
        let hit = contacts.iter().find(|c| (c.point - point).length() < 1e-4 * scale);
        assert!(
            hit.is_some_and(|c| c.inner == inner && c.normal.cross(normal).length() < 1e-4),
            "case {case}: {contacts:?}"
        );
        // Moved a little apart or together, the relation says so.
        let by = |gap: f64| {
            let shift = Pose::from_translation(normal * gap * scale).unwrap();
            ellipsoid_relation(&quadrics[0], &Quadric::from(&second.moved(&shift))).unwrap()
        };
        if inner {
            assert_eq!(by(-1e-4), EllipsoidRelation::SecondInside { touching: false }, "case {case}");
            assert_eq!(by(1e-4), EllipsoidRelation::Overlapping, "case {case}");
        } else {
            assert_eq!(by(1e-6), EllipsoidRelation::Separate, "case {case}");
            assert_eq!(by(-1e-6), EllipsoidRelation::Overlapping, "case {case}");
        }
    }
}

#[test]
fn relation_agrees_with_sampling_and_with_critical_points() {
    let mut counts = [0; 4];
    for case in 0..400 {
        let (mut random, scale, offset) = case_of(62, case);
        let reach = scale * random.uniform(0.0, 2.0);
        let small = [0.3, 1.0, 3.0][case as usize % 3];
        let ellipsoid = |random: &mut Random, size: f64| {
            let frame = placed(pose(random, reach), offset);
            Ellipsoid::new(frame, [0; 3].map(|_| scale * size * random.uniform(0.3, 1.5))).unwrap()
        };
        let pair = [ellipsoid(&mut random, 1.0), ellipsoid(&mut random, small)];
        let quadrics = pair.map(|s| Quadric::from(&s));
        let relation = ellipsoid_relation(&quadrics[0], &quadrics[1]).unwrap();
        // Signs of each equation on a grid of the other surface.
        let signs = |k: usize| {
            let surface = Surface::from(pair[k]);
            let mut seen = [false; 2];
            for i in 0..40 {
                for j in 0..=20 {
                    let p = surface.point(f64::from(i) * 0.157_08, FRAC_PI_2 * (0.1 * f64::from(j) - 1.0));
                    seen[usize::from(quadrics[1 - k].value(p) > 0.0)] = true;
                }
            }
            seen
        };
        let (first, second) = (signs(0), signs(1));
        let index = match relation {
            EllipsoidRelation::Separate => 0,
            EllipsoidRelation::Overlapping => 1,
            EllipsoidRelation::FirstInside { .. } => 2,
            EllipsoidRelation::SecondInside { .. } => 3,
            other => panic!("case {case}: {other:?}"),
        };
        counts[index] += 1;
        match index {
            0 => assert!(!first[0] && !second[0], "case {case}: separate, but a sample is inside"),
            2 => assert!(!first[1] && !second[0], "case {case}: first inside, but a sample says not"),
            3 => assert!(!second[1] && !first[0], "case {case}: second inside, but a sample says not"),
            _ => {}
        }
        if first == [true, true] || second == [true, true] {
            assert_eq!(index, 1, "case {case}: samples on both sides, but {relation:?}");
        }
        if case % 10 == 0 && index == 0 {
            let nearest = quadric_quadric(&quadrics[0], &quadrics[1]).unwrap().pairs[0].distance;
            assert!(nearest > 0.0);
        }
    }
    assert!(counts.iter().all(|&n| n >= 10), "{counts:?}");
}

#[test]
fn degenerate_relations_have_their_names() {
    let frame = Pose::from_axis_angle(DVec3::Z, 0.4, DVec3::new(3.0, 0.0, 1.0)).unwrap();
    let ellipsoid = |r| Quadric::ellipsoid(&frame, r).unwrap();
    let one = ellipsoid([1.0, 2.0, 3.0]);
    assert_eq!(ellipsoid_relation(&one, &one), Some(EllipsoidRelation::Equal));
    assert_eq!(
        ellipsoid_relation(&one, &ellipsoid([0.5, 1.0, 1.5])),
        Some(EllipsoidRelation::SecondInside { touching: false })
    );
    assert_eq!(
        ellipsoid_relation(&one, &ellipsoid([1.0, 2.5, 3.5])),
        Some(EllipsoidRelation::FirstInside { touching: true })
    );
    assert_eq!(ellipsoid_relation(&one, &ellipsoid([0.5, 2.5, 3.5])), Some(EllipsoidRelation::Overlapping));
    assert_eq!(ellipsoid_relation(&one, &Quadric::elliptic_cylinder(&frame, [1.0; 2]).unwrap()), None);
    // The sign of the equation does not matter.
    let flipped = Quadric::new(one.anchor(), one.form() * -1.0, -one.half_linear(), -one.constant()).unwrap();
    assert_eq!(ellipsoid_relation(&flipped, &one), Some(EllipsoidRelation::Equal));
}

#[test]
fn contact_along_a_circle_is_a_continuum() {
    let frame = Pose::from_axis_angle(DVec3::Y, 0.9, DVec3::new(1.0, 5.0, -2.0)).unwrap();
    let ball = Quadric::ellipsoid(&frame, [2.0; 3]).unwrap();
    let cylinder = Quadric::elliptic_cylinder(&frame, [2.0, 2.0]).unwrap();
    let contacts = tangent_contacts(&ball, &cylinder, 1e-9).unwrap();
    assert!(contacts.iter().any(|c| c.isolation == Isolation::Continuum && c.inner), "{contacts:?}");
    // An ellipsoid in the cylinder touches it twice.
    let egg = Quadric::ellipsoid(&frame, [2.0, 1.0, 1.0]).unwrap();
    let contacts = tangent_contacts(&egg, &cylinder, 1e-9).unwrap();
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    // Two balls apart do not touch, though their pencil always has a multiple root.
    let away = Quadric::ellipsoid(&frame.with_translation(DVec3::new(9.0, 9.0, 9.0)), [1.0; 3]).unwrap();
    assert_eq!(tangent_contacts(&ball, &away, 1e-9).unwrap(), vec![]);
}

#[test]
fn bad_quadrics_are_refused() {
    assert_eq!(
        Quadric::ellipsoid(&Pose::IDENTITY, [1.0, 0.0, 1.0]),
        Err(QuadricError::BadAxis { axis: 1, value: 0.0 })
    );
    assert_eq!(
        Quadric::from_polynomial(&"x + y - 1".parse().unwrap()),
        Err(QuadricError::NotQuadratic { degree: 1 })
    );
    assert_eq!(Quadric::from_matrix([[0.0; 4]; 4]), Err(QuadricError::NotQuadratic { degree: 0 }));
    assert_eq!(Quadric::from_matrix([[f64::NAN; 4]; 4]), Err(QuadricError::NotFinite));
}
