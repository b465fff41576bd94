//! Bodies and motions of the tests of tracking.
#![allow(dead_code, clippy::unwrap_used)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_testkit::data::{bezier_patches, data_file};

/// The bowl of 004.
pub(crate) fn bowl() -> Body {
    let v = DVec2::new;
    let profile = [
        Segment::Parabola { from: v(0.0, 0.0), to: v(4.0, 4.0), focal: None },
        Segment::Arc { center: v(0.0, 7.0), from: v(4.0, 4.0), to: v(0.0, 2.0), ccw: false },
    ];
    TiledBody::revolve(&profile).unwrap().into()
}

/// The pen of 004.
pub(crate) fn pen() -> Body {
    let v = DVec2::new;
    let line = |from, to| Segment::Line { from, to };
    let profile =
        [line(v(0.0, 0.0), v(0.5, 1.0)), line(v(0.5, 1.0), v(0.5, 7.0)), line(v(0.5, 7.0), v(0.0, 7.0))];
    TiledBody::revolve(&profile).unwrap().into()
}

pub(crate) fn torus() -> Body {
    TiledBody::torus(2.0, 0.5).unwrap().into()
}

/// A wavy bicubic sheet.
pub(crate) fn sheet(phase: f64) -> Body {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let row = |i: usize| {
        let height = |j: usize| 0.4 * (2.0 * i as f64 + phase).sin() + 0.3 * (1.5 * j as f64 - phase).cos();
        (0..4).map(|j| DVec3::new(i as f64 - 1.5, j as f64 - 1.5, height(j))).collect::<Vec<_>>()
    };
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    let surface = NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    TiledBody::from_patches(&[Patch::new(surface)], None).unwrap().into()
}

/// The teapot of the data folder, where there is one.
pub(crate) fn teapot() -> Option<Body> {
    let file = data_file("teapot-patches.json")?;
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let patch =
        |net: Vec<Vec<DVec3>>| Patch::new(NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap());
    let patches: Vec<Patch> = bezier_patches(&file).into_iter().map(patch).collect();
    TiledBody::from_patches(&patches, None).ok().map(Body::from)
}

/// A ball, a bar and a ring in one body.
pub(crate) fn union() -> Body {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let parts = vec![
        (Part::Tiled(TiledBody::sphere(0.6).unwrap()), at(1.6, 0.0, 0.0)),
        (Part::Polytope(Polytope::cuboid(DVec3::new(3.0, 0.4, 0.4)).unwrap()), at(0.0, 0.0, 0.0)),
        (Part::Tiled(TiledBody::torus(0.8, 0.2).unwrap()), at(-1.8, 0.0, 0.0)),
    ];
    PartTree::of_parts(parts).unwrap().into()
}
