//! What is said of pairs of parts, against points of them.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::global::Prepared;
use crate::global::side::Memory;
use crate::tracking::foot::followed;
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{DeformingPatch, TiledBody};
use clearance_geometry::{Body, DeformingBody, DeformingFace};
use clearance_testkit::Random;

/// A square of size 1 that leans along x; weights that differ, where asked for.
fn leaning(lean: f64, rational: bool) -> Body {
    let row = |i: usize| {
        let x = i as f64 / 3.0 - 0.5;
        (0..4).map(|j| DVec3::new(x, j as f64 / 3.0 - 0.5, lean * x)).collect::<Vec<_>>()
    };
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    let weights = vec![vec![1.0, 0.97, 0.97, 1.0]; 4];
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let weights = rational.then_some(weights.as_slice());
    let sheet = NurbsSurface::new([3, 3], [ends(), ends()], &net, weights).unwrap();
    let motion = DeformingPatch::new(sheet, &vec![vec![DVec3::Z; 4]; 4]).unwrap();
    DeformingBody::new(vec![DeformingFace::moving(motion, false)], None).unwrap().into()
}

/// A sheet far below a ball that leans less and less: points hardly move, but the slope of the distance is soon gone.
#[test]
fn slopes_turn_with_the_shape() {
    for (rational, lean, height) in
        [(false, 0.05, 100.0), (true, 0.6, 3.0), (false, 0.3, 5.0), (true, 0.6, 6.0)]
    {
        let ball = Body::from(TiledBody::sphere(0.01).unwrap());
        let bodies = [Prepared::new(&leaning(lean, rational)).unwrap(), Prepared::new(&ball).unwrap()];
        let [mut of_a, mut of_b] = bodies.each_ref().map(|body| {
            let mut memory = Memory::with_capacity(64, 4096, body.tree().leaves().len());
            memory.clear(body.tree());
            memory
        });
        let sides = [
            Side::kept(bodies[0].body(), bodies[0].tree(), &mut of_a),
            Side::kept(bodies[1].body(), bodies[1].tree(), &mut of_b),
        ];
        let pose = Pose::from_translation(DVec3::Z * height).unwrap();
        let border = Border::default();
        let sizes = Sizes::of(bodies.each_ref().map(Prepared::tree));
        let mut scene = Scene::new(sides, [pose, pose.inverse()], &sizes, [&border; 2]);
        let cells = [scene.sides[0].root(0), scene.sides[1].root(0)];
        let between = pose.apply(scene.cell(1, cells[1]).center) - scene.cell(0, cells[0]).center;
        let weights = scene.sides[0].derivatives(cells[0]).steepest(2, between).unwrap();
        let outlasts = scene.slope(0, cells, f64::INFINITY, true);
        assert!(outlasts > 0.0, "{rational} {lean}: {outlasts}");
        scene.pliant = [false; 2];
        let of_motion = scene.slope(0, cells, f64::INFINITY, true);
        // The least derivative of half the squared distance, with control points as far from where they were as said.
        let least = |moved: f64| {
            let later = Prepared::new(&leaning(lean - 2.0 * moved, rational)).unwrap();
            let piece = &later.tree().leaves()[0];
            let at = |k: usize| DVec2::new((k / 9) as f64, (k % 9) as f64) / 8.0;
            (0..81).fold(f64::INFINITY, |least, k| {
                let jet = piece.jet(at(k));
                let along = jet.u * weights[0] + jet.v * weights[1];
                least.min(along.dot(pose.apply(DVec3::ZERO) - jet.point))
            })
        };
        assert!(least(0.999 * outlasts) > 0.0, "{rational} {lean}: {outlasts}");
        // What the motion of the other body may be says nothing of that.
        assert!(least(0.999 * of_motion) < 0.0 && of_motion > 2.0 * outlasts, "{of_motion} {outlasts}");
    }
}

/// A square of size 1 that bulges along z.
fn dome() -> Body {
    let at = |i: usize| i as f64 / 3.0 - 0.5;
    let row = |i: usize| {
        (0..4).map(|j| DVec3::new(at(i), at(j), -at(i) * at(i) - at(j) * at(j))).collect::<Vec<_>>()
    };
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    let ends = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let sheet = NurbsSurface::new([3, 3], [ends(), ends()], &net, None).unwrap();
    let motion = DeformingPatch::new(sheet, &vec![vec![DVec3::ZERO; 4]; 4]).unwrap();
    DeformingBody::new(vec![DeformingFace::moving(motion, false)], None).unwrap().into()
}

/// Where the distance is said to stay convex, the bound from any pair of points of both cells holds for a grid of others,
/// at all poses within the motion and the turn that were asked for.
#[test]
fn bounds_hold_while_the_distance_stays_convex() {
    let mut random = Random::new(3);
    let body = dome();
    let ready = Prepared::new(&body).unwrap();
    let [mut of_a, mut of_b] = [0, 1].map(|_| {
        let mut memory = Memory::with_capacity(16384, 1 << 18, ready.tree().leaves().len());
        memory.clear(ready.tree());
        memory
    });
    let sizes = Sizes::of([ready.tree(); 2]);
    let (mut held, mut tight) = (0, f64::INFINITY);
    for _ in 0..400 {
        let turned =
            |axis: DVec3, angle: f64, shift: DVec3| Pose::from_axis_angle(axis, angle, shift).unwrap();
        let facing = turned(DVec3::X, std::f64::consts::PI, DVec3::new(0.0, 0.0, 2.0));
        let pose = turned(random.direction(), random.uniform(0.0, 0.3), random.in_ball() * 0.3) * facing;
        let sides = [
            Side::kept(ready.body(), ready.tree(), &mut of_a),
            Side::kept(ready.body(), ready.tree(), &mut of_b),
        ];
        let border = Border::default();
        let mut scene = Scene::new(sides, [pose, pose.inverse()], &sizes, [&border; 2]);
        // Cells around the nearest points of two pieces.
        let pieces = [0; 2];
        let shapes = scene.pieces(pieces);
        let mut foot = Foot::new(shapes, pieces, [0.5; 4]);
        followed(shapes, &pose, &mut foot, &Bounds::whole([2; 2]), &mut 0);
        let cells = [0, 1].map(|side: usize| {
            let mut cell = scene.sides[side].root(pieces[side]);
            for axis in [0, 1, 0, 1, 0, 1] {
                let [low, high] = scene.sides[side].halves(cell, axis);
                let is_low = foot.local(side)[axis] <= scene.cell(side, low).high[axis];
                cell = if is_low { low } else { high };
            }
            cell
        });
        let (motion, turn) = (random.uniform(0.0, 0.1), random.uniform(0.0, 0.05));
        let Some((convex, true)) = scene.bend(cells).convex(motion, turn) else { continue };
        let bounds = scene.bounds(cells);
        let place = |shares: [f64; 4]| {
            [0, 1, 2, 3].map(|i| bounds.low[i] + shares[i] * (bounds.high[i] - bounds.low[i]))
        };
        for _ in 0..8 {
            // A turn about the origin of A, which is no farther than 3 from points of B, and a shift.
            let angle = random.uniform(0.0, 1.0) * turn.min(motion / 10.0);
            let shift = random.in_ball() * 0.5 * motion;
            let later = turned(random.direction(), angle, shift) * pose;
            let near = Foot::new(shapes, pieces, place([0; 4].map(|_| random.uniform(0.0, 1.0))));
            let lower = convex.lower_bound(&bounds, &near.value(&later));
            for k in 0..256_u32 {
                let shares = [k % 4, k / 4 % 4, k / 16 % 4, k / 64].map(|x| f64::from(x) / 3.0);
                let truth = Foot::new(shapes, pieces, place(shares)).value(&later).distance();
                assert!(lower <= truth + 1e-12, "{lower} {truth}");
                tight = tight.min(truth - lower);
            }
            held += 1;
        }
    }
    assert!(held > 100 && tight < 0.05, "{held} {tight}");
}
