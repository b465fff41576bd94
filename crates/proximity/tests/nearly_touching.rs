//! Bodies a billionth of their size apart: the normal of the answer is as good as rounding of the points allows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DVec3, Pose};
use clearance_proximity::{Ended, Precision, nearest_points};
use clearance_testkit::check_nearest;

fn posed(columns: [[f64; 3]; 3], translation: [f64; 3]) -> Pose {
    let [x, y, z] = columns.map(DVec3::from);
    Pose::from_matrix(DMat3::from_cols(x, y, z), translation.into()).unwrap()
}

/// Checks the nearest points, and that they are found soon: descents that stop beside a rim leave it to branch and bound.
fn assert_met_squarely(a: &Body, b: &Body, pose_ab: &Pose) {
    for (a, b, pose) in [(a, b, *pose_ab), (b, a, pose_ab.inverse())] {
        let (found, [of_a, of_b]) = nearest_points(a, b, &pose, &Precision::default()).unwrap();
        let answer = found.proximity;
        assert!(matches!(answer.ended, Ended::Certified(_)), "{answer:?}");
        assert!(answer.distance > 1e-10 && answer.distance < 1e-8, "{answer:?}");
        assert!(found.work.pairs < 64, "{:?}", found.work);
        check_nearest(a, b, &pose, &answer, of_a.radius() + of_b.radius()).unwrap();
    }
}

/// The nearest point of B's side is on its rim, where the slope of the distance leads back into the side as long as the other
/// parameters are off: a step of all of them leads out over the rim, and cut off there it led up.
#[test]
fn rims_of_cylinders_that_nearly_touch_have_their_normal() {
    let can = |radius: f64, half: f64| Body::from(TiledBody::cylinder(radius, 2.0 * half).unwrap());
    let a = can(0.5511581051472092, 0.2616263507030157);
    let b = can(0.2438282022597174, 0.024294366772563705);
    let columns = [
        [-0.49185874851190703, -0.5231294940331424, 0.6959960517021121],
        [-0.8592702321289367, 0.1626937615242784, -0.484959181929948],
        [0.14046223581227757, -0.8365801052103198, -0.5295319517053776],
    ];
    let translation = [-0.5011894299902758, 0.5211573644382091, -0.43602579149895604];
    assert_met_squarely(&a, &b, &posed(columns, translation));
}

#[test]
fn rims_of_a_cylinder_and_a_cone_that_nearly_touch_have_their_normal() {
    let a = Body::from(TiledBody::cylinder(0.4562922217275085, 2.0 * 0.4643454006267902).unwrap());
    let (radius, height) = (0.7747115388197956, 0.20588162956770106);
    let top = radius - 3.2029776196282924 * height;
    let b = Body::from(TiledBody::cone(radius, height, Some(top)).unwrap());
    let columns = [
        [-0.8524261633381436, -0.48627356352345275, 0.19211365769985098],
        [-0.22323664746092217, 0.6707573739175886, 0.707283496602026],
        [-0.47279491884644964, 0.560020148524482, -0.6803252148491901],
    ];
    let translation = [-0.23218247822499433, 0.9871861655822034, 0.02241612873800619];
    assert_met_squarely(&a, &b, &posed(columns, translation));
}
