//! Newell's patches: real bicubic patches, some with collapsed rows.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::bound::{ConvexBound, NormalCone};
use clearance_geometry::curve::{Direction, Range, Rect};
use clearance_geometry::surface::{NurbsSurface, ParametricSurface};
use clearance_testkit::data::{bezier_patches, data_or_skip};

fn patches(test: &str, file: &str) -> Option<Vec<NurbsSurface>> {
    let path = data_or_skip(test, file)?;
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let surface = |net: Vec<Vec<DVec3>>| NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    Some(bezier_patches(&path).into_iter().map(surface).collect())
}

#[test]
fn collapsed_rows_are_flagged_and_have_normals() {
    let Some(patches) = patches("collapsed_rows_are_flagged_and_have_normals", "teapot-patches.json") else {
        return;
    };
    assert_eq!(patches.len(), 32);
    let mut found = 0;
    for patch in &patches {
        for pole in patch.poles() {
            found += 1;
            // The knob of the lid and the middle of the bottom: on the axis, normal along it.
            assert!(pole.point.truncate().length() < 1e-12, "{pole:?}");
            let normal = pole.normal.unwrap();
            assert!(normal.z.abs() > 1.0 - 1e-12, "{pole:?}");
            for k in 0..=10 {
                let along = f64::from(k) / 10.0;
                let beside = 1e-4;
                let inside = if pole.at == 0.0 { beside } else { 1.0 - beside };
                let (at, near) = match pole.direction {
                    Direction::U => ([pole.at, along], [inside, along]),
                    Direction::V => ([along, pole.at], [along, inside]),
                };
                assert!(patch.jet(at[0], at[1]).is_degenerate());
                let limit = patch.normal(at[0], at[1]).unwrap();
                let close = patch.jet(near[0], near[1]).normal().unwrap();
                assert!(limit.dot(close) > 0.999, "{limit} {close}");
            }
        }
    }
    // Four patches each around the knob and the middle of the bottom.
    assert_eq!(found, 8);
}

#[test]
fn patches_have_normals_and_cones() {
    let mut count = 0;
    for file in ["teapot-patches.json", "teacup-patches.json", "teaspoon-patches.json"] {
        let Some(patches) = patches("patches_have_normals_and_cones", file) else { return };
        for patch in &patches {
            let mut told = 0;
            for i in 0..8 {
                for j in 0..8 {
                    let range = |k: i32| Range::new(f64::from(k) / 8.0, f64::from(k + 1) / 8.0);
                    let part = Rect::new(range(i), range(j));
                    let (cone, hull) = (patch.normal_cone(part), patch.obb(part));
                    told += i32::from(!cone.is_full());
                    let (u, v) = (part.u.middle(), part.v.middle());
                    assert!(hull.contains(patch.point(u, v)));
                    let normal = patch.normal(u, v);
                    assert!(cone.contains(normal.unwrap_or(cone.axis)), "{file} {cone:?} {normal:?}");
                }
            }
            count += told;
        }
    }
    assert!(count > 74 * 64 * 9 / 10, "{count} cones of {}", 74 * 64);
}
