//! The walk of 003, chapter 3: feature moves against vertices, with and without initialisation.
//!
//! The document's figure shows time on machines of its day; moves from feature pair to feature pair are what it
//! explains the time by, and they do not depend on the machine.

use super::bodies::{self, Random};
use super::slopes::slope;
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, PALETTE, Panel, Series};
use clearance_geometry::{DQuat, DVec3, EdgeId, FaceId, Feature, Polytope, VertexId};
use clearance_proximity::lin_canny::{self, Cells, Options};

/// Steps of one degree about each of several axes.
const STEPS: u32 = 120;
const AXES: usize = 6;

/// Moves per step for one size of body.
struct Point {
    /// Vertices of both bodies.
    vertices: f64,
    /// Starting from the features of the step before.
    tracked: f64,
    /// Starting from arbitrary features.
    arbitrary: f64,
}

/// Spheres: the number of faces around the equator, and with it the moves, grows as the root of n.
pub(super) fn spheres(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let points = sphere_points(bench.seed)?;
    let exponent = exponent(&points, |p| p.tracked);
    Ok(Finding {
        ours: format!("{}\nmoves grow as n to the {exponent:.2}", listed(&points, |p| p.tracked)),
        verdict: Judgement::of((0.3..0.7).contains(&exponent)),
    })
}

/// Cylinders: the number of sides grows as n.
pub(super) fn cylinders(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let points = cylinder_points(bench.seed)?;
    let exponent = exponent(&points, |p| p.tracked);
    Ok(Finding {
        ours: format!("{}\nmoves grow as n to the {exponent:.2}", listed(&points, |p| p.tracked)),
        verdict: Judgement::of((0.3..1.1).contains(&exponent)),
    })
}

/// With and without the features of the step before; draws the figure.
pub(super) fn initialisation(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (spheres, cylinders) = (sphere_points(bench.seed)?, cylinder_points(bench.seed)?);
    bench.write_figure("003-moves-against-vertices.svg", &figure(&spheres, &cylinders).to_svg())?;
    let growth = [exponent(&spheres, |p| p.arbitrary), exponent(&cylinders, |p| p.arbitrary)];
    let largest = |points: &[Point]| points.iter().map(|p| p.tracked).fold(0.0, f64::max);
    let tracked = largest(&spheres).max(largest(&cylinders));
    Ok(Finding {
        ours: format!(
            "with: at most {tracked:.1} moves per step\n\
             without, spheres: {}; as n to the {:.2}\n\
             without, cylinders: {}; as n to the {:.2}",
            listed(&spheres, |p| p.arbitrary),
            growth[0],
            listed(&cylinders, |p| p.arbitrary),
            growth[1]
        ),
        verdict: Judgement::of(growth.iter().all(|g| *g < 1.1)),
    })
}

fn sphere_points(seed: u64) -> Result<Vec<Point>, Failure> {
    (0..5).map(|level| measured(&bodies::sphere(level)?, None, seed)).collect()
}

/// Cylinders turn about their axes: about any other the closest points stay on the rims.
fn cylinder_points(seed: u64) -> Result<Vec<Point>, Failure> {
    [8, 16, 32, 64, 128, 256, 512]
        .into_iter()
        .map(|sides| measured(&bodies::prism(sides)?, Some(DVec3::Z), seed))
        .collect()
}

/// Two copies of a body, one of which turns by a degree per step about random axes, or about its own `axis`.
fn measured(body: &Polytope, axis: Option<DVec3>, seed: u64) -> Result<Point, Failure> {
    let cells = Cells::new(body);
    let body_and_cells = (body, &cells);
    let mut random = Random::new(seed);
    let (mut tracked, mut arbitrary) = (0_u64, 0_u64);
    for _ in 0..AXES {
        let axis = axis.unwrap_or_else(|| random.direction());
        let start = random.rotation();
        let place = random.direction() * 3.5;
        let mut features = None;
        for step in 0..=STEPS {
            let turn = start * DQuat::from_axis_angle(axis, f64::from(step).to_radians());
            let pose_ab = bodies::pose(turn.normalize(), place)?;
            let walk = |from| {
                lin_canny::closest_features(
                    body_and_cells,
                    body_and_cells,
                    &pose_ab,
                    from,
                    Options::default(),
                )
            };
            let near = walk(features);
            // The first step of each axis has nothing to start from.
            if step > 0 {
                tracked += u64::from(near.work.moves);
                let anywhere = [any_feature(body, &mut random), any_feature(body, &mut random)];
                arbitrary += u64::from(walk(Some(anywhere)).work.moves);
            }
            features = Some(near.features);
        }
    }
    let steps = AXES as f64 * f64::from(STEPS);
    Ok(Point {
        vertices: 2.0 * body.vertex_count() as f64,
        tracked: tracked as f64 / steps,
        arbitrary: arbitrary as f64 / steps,
    })
}

fn any_feature(body: &Polytope, random: &mut Random) -> Feature {
    let (vertices, edges) = (body.vertex_count(), body.edge_count());
    let at = random.below(vertices + edges + body.face_count());
    if at < vertices {
        Feature::Vertex(VertexId(at as u32))
    } else if at < vertices + edges {
        Feature::Edge(EdgeId((at - vertices) as u32))
    } else {
        Feature::Face(FaceId((at - vertices - edges) as u32))
    }
}

/// The power of n that moves grow with: the slope of a line through the logarithms.
fn exponent(points: &[Point], moves: impl Fn(&Point) -> f64) -> f64 {
    slope(points.iter().map(|point| (point.vertices, moves(point))).filter(|&(_, moves)| moves > 0.0))
}

/// For example `24: 0.1, 84: 0.2 moves per step`.
fn listed(points: &[Point], moves: impl Fn(&Point) -> f64) -> String {
    let parts: Vec<String> =
        points.iter().map(|point| format!("{}: {:.2}", point.vertices, moves(point))).collect();
    format!("{} moves per step by vertices of both", parts.join(", "))
}

fn figure(spheres: &[Point], cylinders: &[Point]) -> Figure {
    let line = |name: &str, points: &[Point], moves: fn(&Point) -> f64| {
        Series::line(name, points.iter().map(|p| (p.vertices, moves(p))).collect()).dots()
    };
    let chart = Chart::new(Axis::log("feature moves per step"))
        .with(line("spheres, tracked", spheres, |p| p.tracked).color(PALETTE[0]))
        .with(line("spheres, arbitrary start", spheres, |p| p.arbitrary).color(PALETTE[0]).dashed())
        .with(line("cylinders, tracked", cylinders, |p| p.tracked).color(PALETTE[1]))
        .with(line("cylinders, arbitrary start", cylinders, |p| p.arbitrary).color(PALETTE[1]).dashed());
    Figure::new("Feature moves of the walk against vertices", Axis::log("vertices of both bodies"))
        .subtitle("one degree of rotation per step; with and without the features of the step before")
        .with(Panel::Chart(chart))
}
