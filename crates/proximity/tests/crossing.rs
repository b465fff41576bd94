//! Nearest points at the end of a piece and beside a pole, where no parameters lead on: normals are exact there too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DMat3, DVec3, Part, PartTree, Pose};
use clearance_proximity::global::Nearest;
use clearance_proximity::{Ended, Precision, State, distance, nearest_points};
use clearance_testkit::generate::{BODY_KINDS, CurvedFamily, Stand, curved_pair};
use clearance_testkit::{Random, check_nearest};

/// The nearest points, checked.
fn nearest(a: &Body, b: &Body, pose_ab: &Pose) -> Nearest {
    let (nearest, bodies) = nearest_points(a, b, pose_ab, &Precision::default()).unwrap();
    let size = bodies[0].radius() + bodies[1].radius();
    if let Err(why) = check_nearest(a, b, pose_ab, &nearest.proximity, size) {
        panic!("{why}: {nearest:?}");
    }
    nearest
}

fn moved(body: TiledBody, by: DVec3) -> Body {
    PartTree::of_parts(vec![(Part::Tiled(body), Pose::from_translation(by).unwrap())]).unwrap().into()
}

#[test]
fn a_cap_over_the_pole_of_an_ellipsoid_has_an_upright_normal() {
    let capsule = Body::from(TiledBody::capsule(0.13739381591054514, 0.710022252194402).unwrap());
    let radii = [0.46651875434787204, 0.5019500892766745, 0.11829101632057552];
    let ellipsoid = Body::from(TiledBody::ellipsoid(radii).unwrap());
    let off = DVec3::new(-7.998291401311442e-10, -8.653992928947407e-12, -0.6106959593283217);
    let found = nearest(&capsule, &ellipsoid, &Pose::from_translation(off).unwrap()).proximity;
    assert!((found.distance - 1e-9).abs() < 1e-14, "{found:?}");
    assert!(found.normal.distance(DVec3::NEG_Z) < 1e-6, "{found:?}");
}

/// The centres tell distance and normal of two balls.
#[test]
fn balls_pole_to_pole_have_the_normal_of_their_centres() {
    let mut random = Random::new(31);
    let ball = |radius: f64| Body::from(TiledBody::sphere(radius).unwrap());
    let (a, b) = (ball(1.0), ball(0.5));
    for off in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        for gap in [1e-9, 1e-6, 1e-3, 0.3] {
            let side = random.direction() * off;
            let between = DVec3::new(side.x, side.y, 0.0) + DVec3::Z * (1.5 + gap);
            let found = nearest(&a, &b, &Pose::from_translation(between).unwrap()).proximity;
            let distance = between.length() - 1.5;
            assert!((found.distance - distance).abs() < 1e-14, "{off:e} {gap:e}: {found:?}");
            // A lean by s lengthens the way by s² / 2 of the gap, which is lost where that is less than rounding of the points.
            let lean = found.normal.distance(between.normalize());
            assert!(lean < 1e-7 + (4.0 * f64::EPSILON / gap).sqrt(), "{off:e} {gap:e}: leans by {lean:e}");
        }
    }
}

#[test]
fn rings_far_away_are_nearest_across_the_seam_of_one() {
    let far = DVec3::new(54658.92477065321, -985359.0396897804, 161492.92506035653);
    let a = moved(TiledBody::torus(957.5567968825304, 175.89785358392257).unwrap(), far);
    let b = moved(TiledBody::torus(630.9957716392664, 321.3295724355643).unwrap(), far);
    let turned = DMat3::from_cols(
        DVec3::new(-0.6558843800320098, 0.33284636039756343, -0.6775167749953661),
        DVec3::new(-0.43262602114579796, -0.9012552898100279, -0.0239505410585637),
        DVec3::new(-0.6185874278204995, 0.27740260085215085, 0.7351172635592778),
    );
    let to = DVec3::new(-233969.2364749488, -1938077.3638445248, 56611.87458459023);
    let found = nearest(&a, &b, &Pose::from_matrix(turned, to).unwrap());
    assert_eq!(found.proximity.state, State::Separated);
}

/// A ball that stands a little off where pieces of a ring meet: its centre's distance from the circle tells all.
#[test]
fn balls_beside_seams_of_a_ring_have_the_normal_of_its_circle() {
    let (ring, ball) = (TiledBody::torus(2.0, 0.5).unwrap(), TiledBody::sphere(0.25).unwrap());
    let (ring, ball) = (Body::from(ring), Body::from(ball));
    for turn in 0..4 {
        for off in [1e-3, 1e-5, -1e-5, 1e-7, -1e-7, 1e-9, 0.0] {
            let angle = f64::from(turn) * std::f64::consts::FRAC_PI_2 + off;
            let center = DVec3::new(4.0 * angle.cos(), 4.0 * angle.sin(), 2.0 * off);
            let found = nearest(&ring, &ball, &Pose::from_translation(center).unwrap()).proximity;
            let circle = DVec3::new(2.0 * angle.cos(), 2.0 * angle.sin(), 0.0);
            assert!((found.distance - center.distance(circle) + 0.75).abs() < 1e-14, "{off:e}: {found:?}");
            let lean = found.normal.distance((center - circle).normalize());
            assert!(lean < 1e-8, "{turn} {off:e}: leans by {lean:e}");
        }
    }
}

/// A bowl a little off where arcs of the circle in a ring meet: the ring is searched by that circle.
#[test]
fn sheets_beside_seams_of_a_ring_have_the_normal_of_its_circle() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let knots = || vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    // A bowl about the x axis, which opens toward it: x = 1 + (y² + z²) / 10.
    let point = |i: usize, j: usize| {
        let (y, z) = (i as f64 - 1.0, j as f64 - 1.0);
        let square = |k: usize| if k == 1 { -1.0 } else { 1.0 };
        DVec3::new(1.0 + 0.1 * (square(i) + square(j)), y, z)
    };
    let net: Vec<Vec<DVec3>> = (0..3).map(|i| (0..3).map(|j| point(i, j)).collect()).collect();
    let bowl = NurbsSurface::new([2, 2], [knots(), knots()], &net, None).unwrap();
    let bowl = Body::from(TiledBody::from_patches(&[Patch::new(bowl)], None).unwrap());
    for turn in 0..4 {
        for off in [1e-3, 1e-5, -1e-5, 1e-7, -1e-7, 1e-9, 0.0] {
            let angle = f64::from(turn) * std::f64::consts::FRAC_PI_2 + off;
            let pose_ab =
                Pose::from_axis_angle(DVec3::Z, angle, DVec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), 0.0));
            let found = distance(&ring, &bowl, &pose_ab.unwrap()).unwrap();
            assert!((found.distance - 1.5).abs() < 1e-12, "{turn} {off:e}: {found:?}");
            let lean = found.normal.distance(DVec3::new(angle.cos(), angle.sin(), 0.0));
            assert!(lean < 1e-7, "{turn} {off:e}: leans by {lean:e}");
        }
    }
}

/// The error that is asked for is a little more than rounding allows: it is chased for a while.
#[test]
fn sheets_far_away_are_certified_although_rounding_is_near() {
    let mut random = Random::for_case(12, 4318);
    let family = CurvedFamily::ALL[4318 % CurvedFamily::ALL.len()];
    let pair = curved_pair(&mut random, family);
    assert_eq!((pair.stand, pair.kinds.map(|kind| BODY_KINDS[kind])), (Stand::Far, ["sheet"; 2]));
    let found = nearest(&pair.a, &pair.b, &pair.pose_ab);
    assert!(matches!(found.proximity.ended, Ended::Certified(_)), "{found:?}");
}
