//! The pairs of bodies that are tracked.

use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose, surface::NurbsSurface};
use clearance_testkit::data::{bezier_patches, data_file};
use clearance_testkit::generate::{nurbs_ellipsoid, nurbs_lathe, nurbs_net, nurbs_torus};

/// Two bodies and how far apart their origins are.
pub(super) struct Tracked {
    pub(super) name: &'static str,
    pub(super) bodies: [Body; 2],
    pub(super) range: [f64; 2],
    /// Sum of their radii.
    pub(super) size: f64,
    /// A length below which their boundaries are not known: edges of files stand off their faces.
    pub(super) gap: f64,
}

/// Of the sizes of bodies from files: what the largest gaps of the parts at hand come to, rounded up.
const FILE_GAP_REL: f64 = 2e-5;

/// All of them whose files are there.
pub(super) fn pairs() -> Vec<Tracked> {
    let body = |tiled: Result<TiledBody, _>| Body::from(tiled.expect("a primitive"));
    let ball = body(TiledBody::sphere(1.0));
    let can = body(TiledBody::cylinder(0.7, 2.0));
    let cone = body(TiledBody::cone(1.0, 2.0, None));
    let egg = body(TiledBody::ellipsoid([1.2, 0.8, 0.5]));
    let capsule = body(TiledBody::capsule(0.5, 1.5));
    let coin = body(TiledBody::cylinder(1.5, 0.03));
    let slab = Body::from(Polytope::cuboid(DVec3::new(3.0, 2.0, 0.02)).expect("a slab"));
    let ring = body(TiledBody::torus(2.0, 0.5));
    let pair = |name, a: &Body, b: &Body, range| tracked(name, [a.clone(), b.clone()], range);
    let mut pairs = vec![
        pair("ball and cylinder", &ball, &can, [2.5, 5.0]),
        pair("cylinders", &can, &can, [2.5, 5.0]),
        pair("cone and ellipsoid", &cone, &egg, [2.5, 5.0]),
        pair("capsules", &capsule, &capsule, [2.5, 5.0]),
        pair("coins", &coin, &coin, [2.0, 5.0]),
        pair("slab and cone", &slab, &cone, [2.5, 5.0]),
        pair("rings", &ring, &ring, [4.0, 7.0]),
        pair("ring and cylinder", &ring, &can, [3.0, 5.0]),
        pair("bowl and pen", &bowl(), &pen(), [5.0, 14.0]),
        pair("unions", &union(), &union(), [3.0, 6.0]),
        pair("sheets", &sheet(0.3), &sheet(1.7), [2.5, 5.0]),
    ];
    pairs.extend(nurbs_pairs());
    if let Some(pot) = teapot() {
        pairs.push(pair("teapots", &pot, &pot, [6.0, 9.0]));
    }
    pairs.extend(step_pairs());
    pairs
}

/// Solids and patches of NURBS surfaces alone.
fn nurbs_pairs() -> [Tracked; 4] {
    let egg = Body::from(nurbs_ellipsoid(DVec3::new(1.0, 0.6, 0.35)));
    let can = Body::from(nurbs_lathe(&[[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]]));
    let cone = Body::from(nurbs_lathe(&[[0.0, 0.0], [0.7, 0.0], [0.0, 1.5]]));
    let ring = Body::from(nurbs_torus(1.0, 0.3));
    let nets = [0.0, 1.0].map(|phase| Body::from(nurbs_net(phase)));
    [
        tracked("ellipsoids of NURBS", [egg.clone(), egg], [1.2, 3.2]),
        tracked("cylinder and cone of NURBS", [can, cone], [1.6, 3.4]),
        tracked("rings of NURBS", [ring.clone(), ring], [2.2, 3.6]),
        tracked("nets", nets, [1.5, 3.5]),
    ]
}

fn tracked(name: &'static str, bodies: [Body; 2], range: [f64; 2]) -> Tracked {
    let radius = |body: &Body| {
        clearance_proximity::global::Prepared::new(body).map_or(1.0, |prepared| prepared.radius())
    };
    let size = radius(&bodies[0]) + radius(&bodies[1]);
    Tracked { name, bodies, range, size, gap: 0.0 }
}

/// Two pairs of files, where they are there and the program can read them.
#[cfg(feature = "certificates")]
fn step_pairs() -> Vec<Tracked> {
    use clearance_formats::{AnyBody, Context, Shape, Units};
    let read = |name: &str| {
        let file = data_file(&format!("step/{name}"))?;
        let spec = format!("{{\"kind\": \"step\", \"file\": \"{name}\"}}");
        let context = Context::new(file.parent()?.to_path_buf(), Units::Millimetre);
        match Shape::from_json(&spec, &context).ok()?.body {
            AnyBody::Solid(body) => Some(body),
            _ => None,
        }
    };
    let pair = |name, files: [&str; 2]| {
        let bodies = [read(files[0])?, read(files[1])?];
        let found = tracked(name, bodies, [0.0; 2]);
        let size = found.size;
        Some(Tracked { range: [0.6 * size, 1.2 * size], gap: FILE_GAP_REL * size, ..found })
    };
    let names = [
        ("screws from files", ["m6-countersunk-screw.step"; 2]),
        ("parts from files", ["abc-0006.step", "abc-0008.step"]),
    ];
    names.into_iter().filter_map(|(name, files)| pair(name, files)).collect()
}

#[cfg(not(feature = "certificates"))]
fn step_pairs() -> Vec<Tracked> {
    Vec::new()
}

/// The bowl of 004.
fn bowl() -> Body {
    let v = DVec2::new;
    let profile = [
        Segment::Parabola { from: v(0.0, 0.0), to: v(4.0, 4.0), focal: None },
        Segment::Arc { center: v(0.0, 7.0), from: v(4.0, 4.0), to: v(0.0, 2.0), ccw: false },
    ];
    TiledBody::revolve(&profile).expect("the bowl").into()
}

/// The pen of 004.
fn pen() -> Body {
    let v = DVec2::new;
    let line = |from, to| Segment::Line { from, to };
    let profile =
        [line(v(0.0, 0.0), v(0.5, 1.0)), line(v(0.5, 1.0), v(0.5, 7.0)), line(v(0.5, 7.0), v(0.0, 7.0))];
    TiledBody::revolve(&profile).expect("the pen").into()
}

/// A ball, a bar and a ring in one body.
fn union() -> Body {
    let at = |x: f64| Pose::from_translation(DVec3::X * x).expect("a pose");
    let bar = Polytope::cuboid(DVec3::new(3.0, 0.4, 0.4)).expect("a bar");
    let parts = vec![
        (Part::Tiled(TiledBody::sphere(0.6).expect("a ball")), at(1.6)),
        (Part::Polytope(bar), at(0.0)),
        (Part::Tiled(TiledBody::torus(0.8, 0.2).expect("a ring")), at(-1.8)),
    ];
    PartTree::of_parts(parts).expect("a union").into()
}

fn bicubic(net: &[Vec<DVec3>]) -> Patch {
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    Patch::new(NurbsSurface::new([3, 3], [ends(), ends()], net, None).expect("a patch"))
}

/// A wavy sheet of one patch.
fn sheet(phase: f64) -> Body {
    let row = |i: usize| {
        let height = |j: usize| 0.4 * (2.0 * i as f64 + phase).sin() + 0.3 * (1.5 * j as f64 - phase).cos();
        (0..4).map(|j| DVec3::new(i as f64 - 1.5, j as f64 - 1.5, height(j))).collect::<Vec<_>>()
    };
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    TiledBody::from_patches(&[bicubic(&net)], None).expect("a sheet").into()
}

/// The teapot of the data folder, where there is one.
fn teapot() -> Option<Body> {
    let file = data_file("teapot-patches.json")?;
    let patches: Vec<Patch> = bezier_patches(&file).iter().map(|net| bicubic(net)).collect();
    TiledBody::from_patches(&patches, None).ok().map(Body::from)
}
