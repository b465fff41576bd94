//! Scenes with known answers, each of any scale.

use super::{Random, V, dot, length, moved, patch, sub, write};
use clearance_certificate::{
    BodyDescription, Certificate, HalfSpace, Level, Piece, Pose, Shape, TrimPart, Witness,
};

pub const NAMES: [&str; 9] = [
    "spheres",
    "plates",
    "crossed edges",
    "point and sphere",
    "curves",
    "hole",
    "half-space",
    "level and point",
    "level and sphere",
];

/// A scene of a kind, of a size, with a random pose.
pub fn scene(name: &str, scale: f64, random: &mut Random) -> Certificate {
    match name {
        "spheres" => spheres(scale, random),
        "plates" => plates(scale, random),
        "crossed edges" => crossed_edges(scale, random),
        "point and sphere" => point_and_sphere(scale, random),
        "curves" => curves(scale, random),
        "hole" => hole(scale, random),
        "half-space" => half_space(scale, random),
        "level and point" => level(scale, random, false),
        "level and sphere" => level(scale, random, true),
        _ => panic!("no scene {name}"),
    }
}

pub fn body(name: &str, pieces: Vec<Piece>) -> BodyDescription {
    // Halves of the pieces in groups of their own, where there are several.
    let count = pieces.len() as i64;
    let groups = if count < 4 {
        vec![(0..count).collect()]
    } else {
        vec![vec![-1, -2], (0..count / 2).collect(), (count / 2..count).collect()]
    };
    BodyDescription { name: Some(name.to_owned()), pieces, groups }
}

pub fn vertex(at: V) -> Piece {
    patch("vertex:0", &[], vec![[at[0], at[1], at[2], 1.0]])
}

fn at(piece: usize, at: &[f64]) -> Witness {
    Witness { piece, at: at.to_vec() }
}

const ROOT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Eight octants, each a rational biquadratic patch with a side in a pole.
pub fn sphere(radius: f64) -> BodyDescription {
    let arc = [[1.0, 0.0, 1.0], [1.0, 1.0, ROOT_HALF], [0.0, 1.0, 1.0]];
    let octant = |bits: usize| {
        let sign = |k: usize| if bits >> k & 1 == 0 { radius } else { -radius };
        let mut points = Vec::new();
        for [x, y, w] in arc {
            for [r, z, weight] in arc {
                let w = w * weight;
                points.push([sign(0) * x * r * w, sign(1) * y * r * w, sign(2) * z * w, w]);
            }
        }
        patch("face:0", &[2, 2], points)
    };
    body("sphere", (0..8).map(octant).collect())
}

/// Where a direction meets a sphere, and the point there as the patch has it.
fn on_sphere(direction: V) -> Witness {
    let bits = (0..3).map(|k| usize::from(direction[k] < 0.0) << k).sum();
    // The parameter of a quarter of a circle at an angle, by halving.
    let parameter = |angle: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let t: f64 = 0.5 * (low + high);
            let (b0, b1, b2) = ((1.0 - t).powi(2), 2.0 * t * (1.0 - t) * ROOT_HALF, t * t);
            if (b1 + b2).atan2(b0 + b1) < angle { low = t } else { high = t }
        }
        low
    };
    let [x, y, z] = direction.map(f64::abs);
    at(bits, &[parameter(y.atan2(x)), parameter(z.atan2(x.hypot(y)))])
}

fn turned_back(pose: &Pose, direction: V) -> V {
    [0, 1, 2].map(|k| (0..3).map(|row| pose.rotation[row][k] * direction[row]).sum())
}

fn spheres(scale: f64, random: &mut Random) -> Certificate {
    let [one, other] = [scale, 0.5 * scale];
    let n = random.direction();
    let far = scale * (1.6 + random.unit());
    let center = n.map(|x| x * far);
    let pose = Pose { rotation: random.rotation(), translation: center };
    let witnesses = [on_sphere(n), on_sphere(turned_back(&pose, n.map(|x| -x)))];
    let points = [n.map(|x| x * one), sub(center, n.map(|x| x * other))];
    write([sphere(one), sphere(other)], pose, witnesses, points, 0.02 * scale)
}

/// A bilinear patch with its edges and vertices: the face, four edges, four vertices.
pub fn plate(corners: [V; 4]) -> BodyDescription {
    let h = |p: V| [p[0], p[1], p[2], 1.0];
    let [a, b, c, d] = corners;
    let mut pieces = vec![patch("face:0", &[1, 1], vec![h(a), h(b), h(c), h(d)])];
    for (k, [p, q]) in [[a, b], [b, d], [d, c], [c, a]].into_iter().enumerate() {
        pieces.push(patch(&format!("edge:{k}"), &[1], vec![h(p), h(q)]));
    }
    pieces.extend(corners.map(vertex));
    body("plate", pieces)
}

fn square(scale: f64, height: f64) -> [V; 4] {
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|[x, y]| [scale * x, scale * y, scale * height])
}

/// A corner over a face.
fn plates(scale: f64, random: &mut Random) -> Certificate {
    let gap = 0.1 + random.unit();
    let tip = [0.3 + 0.4 * random.unit(), 0.3 + 0.4 * random.unit()];
    let offsets = [[0.0, 0.0, gap], [0.3, 1.0, gap + 0.4], [1.0, -0.2, gap + 0.5], [1.1, 0.9, gap + 0.8]];
    // In its own frame the plate begins in the origin.
    let corners = offsets.map(|o| [scale * o[0], scale * o[1], scale * (o[2] - gap)]);
    let translation = [scale * tip[0], scale * tip[1], scale * gap];
    let pose = Pose { translation, ..Pose::IDENTITY };
    let witnesses = [at(0, &tip), at(5, &[])];
    let points = [[scale * tip[0], scale * tip[1], 0.0], translation];
    write([plate(square(scale, 0.0)), plate(corners)], pose, witnesses, points, 1e-9 * scale)
}

/// The edge x = 1 of a square against an edge that crosses it at right angles.
fn crossed_edges(scale: f64, random: &mut Random) -> Certificate {
    let gap = 0.1 + random.unit();
    let corners = [[0.0, 0.0, 0.0], [0.0, 0.2, 1.0], [1.0, 0.2, 0.0], [1.0, 0.4, 1.0]];
    let corners = corners.map(|c| c.map(|x| x * scale));
    let pose = Pose { translation: [scale * (1.0 + gap), scale * 0.3, scale * -0.5], ..Pose::IDENTITY };
    // Edge 0 of B runs from its first corner to the second, edge 2 of A from (1, 1) to (1, 0); they meet over z = 0.
    let witnesses = [at(3, &[0.6]), at(1, &[0.5])];
    let points = [[scale, scale * 0.4, 0.0], moved(&pose, [0.0, 0.1 * scale, 0.5 * scale])];
    write([plate(square(scale, 0.0)), plate(corners)], pose, witnesses, points, 1e-6 * scale)
}

fn point_and_sphere(scale: f64, random: &mut Random) -> Certificate {
    let n = random.direction();
    let far = scale * (1.2 + random.unit());
    let pose = Pose { rotation: random.rotation(), translation: n.map(|x| x * -far) };
    let witnesses = [at(0, &[]), on_sphere(turned_back(&pose, n))];
    let points = [[0.0; 3], n.map(|x| x * (scale - far))];
    let point = body("point", vec![vertex([0.0; 3])]);
    write([point, sphere(scale)], pose, witnesses, points, 1e-6 * scale)
}

/// A cubic that is lowest in its middle over a quarter of a circle that is highest in its middle.
fn curves(scale: f64, random: &mut Random) -> Certificate {
    let gap = 0.2 + random.unit();
    let h = |x: f64, y: f64, z: f64, w: f64| [scale * x * w, scale * y * w, scale * z * w, w];
    let s = ROOT_HALF;
    let arc = vec![h(-s, 0.0, s, 1.0), h(0.0, 0.0, 2.0 * s, s), h(s, 0.0, s, 1.0)];
    let cubic =
        vec![h(0.0, -1.0, 1.0, 1.0), h(0.0, -0.3, 0.0, 1.0), h(0.0, 0.3, 0.0, 1.0), h(0.0, 1.0, 1.0, 1.0)];
    let ends =
        |points: &[[f64; 4]]| [points[0], points[points.len() - 1]].map(|p| vertex([p[0], p[1], p[2]]));
    let whole = |name: &str, degree: usize, points: Vec<[f64; 4]>| {
        let mut pieces = ends(&points).to_vec();
        pieces.push(patch("edge:0", &[degree], points));
        body(name, pieces)
    };
    let pose = Pose { translation: [0.0, 0.0, scale * (1.0 + gap - 0.25)], ..Pose::IDENTITY };
    let points = [[0.0, 0.0, scale], [0.0, 0.0, scale * (1.0 + gap)]];
    write(
        [whole("arc", 2, arc), whole("cubic", 3, cubic)],
        pose,
        [at(2, &[0.5]), at(2, &[0.5])],
        points,
        1e-9 * scale,
    )
}

const HOLE: f64 = 0.25;

/// A square plate with a round hole, its trims in short parts.
pub fn plate_with_hole(scale: f64) -> BodyDescription {
    let mut plate = plate(square(scale, 0.0));
    let Shape::Patch(face) = &mut plate.pieces[0].shape else { panic!("a plate has a face") };
    let line = |a: [f64; 2], b: [f64; 2]| TrimPart {
        from: a,
        to: b,
        low: [a[0].min(b[0]), a[1].min(b[1])],
        high: [a[0].max(b[0]), a[1].max(b[1])],
    };
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut parts: Vec<TrimPart> = (0..4).map(|k| line(corners[k], corners[(k + 1) % 4])).collect();
    // Clockwise, so that the plate is on the left. A quarter is monotonous, and so are its parts.
    let count = 64;
    let on = |k: usize| {
        let (sin, cos) = (-std::f64::consts::TAU * (k % count) as f64 / count as f64).sin_cos();
        [0.5 + HOLE * cos, 0.5 + HOLE * sin]
    };
    parts.extend((0..count).map(|k| line(on(k), on(k + 1))));
    face.trim = Some(parts);
    let h = |x: f64, y: f64, w: f64| [scale * (0.5 + HOLE * x) * w, scale * (0.5 + HOLE * y) * w, 0.0, w];
    let corners = [
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 1.0],
        [-1.0, 1.0],
        [-1.0, 0.0],
        [-1.0, -1.0],
        [0.0, -1.0],
        [1.0, -1.0],
    ];
    for k in 0..4 {
        let [a, b, c] = [corners[2 * k], corners[2 * k + 1], corners[(2 * k + 2) % 8]];
        let mut arc =
            patch("edge:4", &[2], vec![h(a[0], a[1], 1.0), h(b[0], b[1], ROOT_HALF), h(c[0], c[1], 1.0)]);
        // As if the edge were known to some digits only.
        arc.slack = 1e-12 * scale;
        plate.pieces.push(arc);
    }
    body("plate with a hole", plate.pieces)
}

/// A point over the hole.
fn hole(scale: f64, random: &mut Random) -> Certificate {
    let (off, high) = (0.05 + 0.1 * random.unit(), 0.02 + 0.2 * random.unit());
    let translation = [scale * (0.5 + off * ROOT_HALF), scale * (0.5 + off * ROOT_HALF), scale * high];
    let pose = Pose { translation, rotation: random.rotation() };
    let edge = 0.5 + HOLE * ROOT_HALF;
    let points = [[scale * edge, scale * edge, 0.0], translation];
    let point = body("point", vec![vertex([0.0; 3])]);
    write([plate_with_hole(scale), point], pose, [at(9, &[0.5]), at(0, &[])], points, 1e-5 * scale)
}

fn half_space(scale: f64, random: &mut Random) -> Certificate {
    let n = random.direction().map(|x| x * 3.0);
    let gap = scale * (0.1 + random.unit());
    let unit = n.map(|x| x / length(n));
    let pose = Pose { rotation: random.rotation(), translation: unit.map(|x| x * (gap + scale)) };
    let shape = Shape::HalfSpace(HalfSpace { normal: n, offset: 0.0 });
    let half = body("floor", vec![Piece { feature: "face:0".to_owned(), slack: 0.0, shape }]);
    let witnesses = [at(0, &[]), on_sphere(turned_back(&pose, unit.map(|x| -x)))];
    write([half, sphere(scale)], pose, witnesses, [[0.0; 3], unit.map(|x| x * gap)], 1e-7 * scale)
}

/// The zeros of x² + y² + z² − r².
pub fn level_sphere(radius: f64) -> BodyDescription {
    let terms = vec![(1.0, 2, 0, 0), (1.0, 0, 2, 0), (1.0, 0, 0, 2), (-radius * radius, 0, 0, 0)];
    let within = [[-1.125 * radius; 3], [1.125 * radius; 3]];
    let shape = Shape::Level(Level { terms, within });
    body("level set", vec![Piece { feature: "face:0".to_owned(), slack: 0.0, shape }])
}

fn level(scale: f64, random: &mut Random, against_sphere: bool) -> Certificate {
    let n = random.direction();
    let gap = scale * (0.1 + random.unit());
    let radius = if against_sphere { 0.5 * scale } else { 0.0 };
    let translation = n.map(|x| x * (scale + gap + radius));
    let pose = Pose { rotation: random.rotation(), translation };
    let foot = n.map(|x| x * scale);
    let end = n.map(|x| x * (scale + gap));
    let other = if against_sphere { sphere(radius) } else { body("point", vec![vertex([0.0; 3])]) };
    let witness = if against_sphere { on_sphere(turned_back(&pose, n.map(|x| -x))) } else { at(0, &[]) };
    let error = if against_sphere { 0.05 } else { 1e-3 };
    assert!((dot(n, n) - 1.0).abs() < 1e-14);
    write([level_sphere(scale), other], pose, [at(0, &foot), witness], [foot, end], error * scale)
}
