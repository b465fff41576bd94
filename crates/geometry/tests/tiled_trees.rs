//! Trees: boxes and hulls of every node hold all that is below it.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::surface::{Ellipsoid, ParametricSurface, Sphere, Surface, Torus};
use clearance_geometry::tiled::{Patch, Segment, Side, TiledBody};
use clearance_geometry::{
    Below, BoxTree, DVec2, DVec3, LeafShape, Part, PartTree, PatchTree, Polytope, Pose,
};
use clearance_testkit::Random;

/// The leaves below each node.
fn below<L>(tree: &BoxTree<L>) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes().len()];
    for at in (0..tree.nodes().len()).rev() {
        found[at] = match tree.nodes()[at].below {
            Below::Leaf(leaf) => vec![leaf],
            Below::Nodes(nodes) => nodes.iter().flat_map(|&n| found[n as usize].clone()).collect(),
        };
    }
    found
}

/// Points of the leaves lie in the boxes and hulls of all nodes above them.
fn check<L>(name: &str, tree: &BoxTree<L>, points: &[Vec<DVec3>], random: &mut Random) {
    let directions: Vec<DVec3> = (0..40).map(|_| random.in_ball().normalize_or(DVec3::X)).collect();
    let all = below(tree);
    for (at, leaves) in all.iter().enumerate() {
        let (node, hull) = (&tree.nodes()[at], tree.hull(at as u32).unwrap());
        let mut reach: Vec<f64> = vec![f64::NEG_INFINITY; directions.len()];
        for &leaf in leaves {
            for p in &points[leaf as usize] {
                assert!(node.bound.contains(*p), "{name}: {p} is not in the box of node {at}");
                for (far, d) in reach.iter_mut().zip(&directions) {
                    *far = far.max(p.dot(*d));
                }
            }
        }
        for (far, d) in reach.iter().zip(&directions) {
            assert!(*far <= hull.support(*d), "{name}: node {at} along {d}: {far} {}", hull.support(*d));
        }
    }
    assert_eq!(all[0].len(), tree.leaves().len());
}

fn samples(
    body: &TiledBody,
    rect: Option<(usize, clearance_geometry::curve::Rect)>,
    random: &mut Random,
) -> Vec<DVec3> {
    let mut found = Vec::new();
    for (at, face) in body.faces().iter().enumerate() {
        let bounds = match rect {
            Some((of, rect)) if of == at => rect,
            Some(_) => continue,
            None => face.region.bounds(),
        };
        for _ in 0..60 {
            let p = DVec2::new(bounds.u.at(random.unit()), bounds.v.at(random.unit()));
            if face.side(p) != Side::Outside {
                found.push(face.point(p));
            }
        }
    }
    found
}

fn bodies(k: f64) -> Vec<(&'static str, TiledBody)> {
    let p = |r: f64, z: f64| DVec2::new(r, z) * k;
    let spline = |surface: Surface| {
        let spline = surface.to_nurbs(surface.domain()).unwrap();
        TiledBody::from_patches(&[Patch::new(spline)], None).unwrap()
    };
    let at = Pose::from_translation(DVec3::new(5.0, -7.0, 2.0) * k).unwrap();
    vec![
        ("torus", TiledBody::torus(3.0 * k, k).unwrap()),
        ("capsule", TiledBody::capsule(k, 3.0 * k).unwrap()),
        (
            "bowl",
            TiledBody::revolve(&[
                Segment::Parabola { from: p(0.0, 0.0), to: p(2.0, 1.0), focal: None },
                Segment::Line { from: p(2.0, 1.0), to: p(0.0, 1.0) },
            ])
            .unwrap(),
        ),
        ("spline ball", spline(Sphere::new(at, k).unwrap().into())),
        ("spline egg", spline(Ellipsoid::new(at, [k, 2.0 * k, 3.0 * k]).unwrap().into())),
        ("spline torus", spline(Torus::new(at, 3.0 * k, k).unwrap().into())),
    ]
}

#[test]
fn hulls_of_patch_trees_hold_their_patches() {
    let mut random = Random::new(51);
    for k in [1e-6, 1.0, 1e6] {
        for (name, body) in bodies(k) {
            let plain = PatchTree::of_body(&body).unwrap();
            assert!(plain.hull(0).is_none());
            let tree = plain.hulled(&body);
            let points: Vec<Vec<DVec3>> = tree
                .leaves()
                .iter()
                .map(|leaf| samples(&body, Some((leaf.face.index(), leaf.rect)), &mut random))
                .collect();
            check(name, &tree, &points, &mut random);
            // A hull is no looser than the boxes of the leaves, all of which it is made of.
            let (hull, size) = (tree.hull(0).unwrap(), body.aabb().half_extents().length());
            assert!(hull.slack < 1e-9 * size, "{name}: {:e}", hull.slack);
        }
    }
}

#[test]
fn hulls_of_unions_hold_their_parts() {
    let mut random = Random::new(52);
    for (k, far) in [(1e-6, 0.0), (1.0, 0.0), (1e6, 0.0), (1.0, 1e4)] {
        let mut parts: Vec<(Part, Pose)> = Vec::new();
        for _ in 0..12 {
            let shift = DVec3::splat(far) + random.in_ball() * 10.0 * k;
            let pose = Pose::new(random.quaternion(), shift).unwrap();
            let cloud: Vec<DVec3> = (0..20).map(|_| random.in_ball() * k).collect();
            parts.push((Part::Polytope(Polytope::from_points(&cloud).unwrap()), pose));
        }
        for (_, body) in bodies(k).into_iter().take(3) {
            let pose =
                Pose::new(random.quaternion(), DVec3::splat(far) + random.in_ball() * 10.0 * k).unwrap();
            parts.push((Part::Tiled(body), pose));
        }
        let inner = Part::Union(parts.split_off(8));
        parts.push((inner, Pose::new(random.quaternion(), random.in_ball() * k).unwrap()));
        let tree = PartTree::of_parts(parts).unwrap().hulled();
        let points: Vec<Vec<DVec3>> = tree
            .leaves()
            .iter()
            .map(|leaf| {
                let local: Vec<DVec3> = match &leaf.shape {
                    LeafShape::Polytope(body) => body.vertices().iter().map(|p| *p + body.anchor()).collect(),
                    LeafShape::Tiled(body) => samples(body, None, &mut random),
                };
                local.iter().map(|p| leaf.pose.apply(*p)).collect()
            })
            .collect();
        assert_eq!(tree.leaves().len(), 15);
        check("union", &tree, &points, &mut random);
        // The hull of two points of view: no wider than the box in any direction of the box's axes.
        let (hull, root) = (tree.hull(0).unwrap(), tree.root().bound);
        for axis in [root.axes.x_axis, root.axes.y_axis, root.axes.z_axis] {
            let wide = hull.support(axis) + hull.support(-axis);
            let half = root.half.x.max(root.half.y).max(root.half.z);
            assert!(wide <= 2.0 * half * (1.0 + 1e-6) + far * 1e-12);
        }
    }
}
