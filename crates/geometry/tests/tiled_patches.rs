//! Loose patches: Newell's pots, boxes of splines, turned and broken tilings.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_testkit::data::{bezier_patches, data_or_skip};

fn newell(test: &str, file: &str) -> Option<Vec<Patch>> {
    let path = data_or_skip(test, file)?;
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let surface = |net: Vec<Vec<DVec3>>| NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    Some(bezier_patches(&path).into_iter().map(|net| Patch::new(surface(net))).collect())
}

#[test]
fn newells_pots_have_their_open_edges() {
    for (file, faces, open) in
        [("teapot-patches.json", 32, 16), ("teacup-patches.json", 26, 12), ("teaspoon-patches.json", 16, 8)]
    {
        let Some(patches) = newell("newells_pots_have_their_open_edges", file) else { return };
        let body = TiledBody::from_patches(&patches, None).unwrap();
        assert_eq!(body.face_count(), faces, "{file}");
        assert_eq!(body.open_edges().len(), open, "{file}");
    }
}
