//! Two bodies of tiled features: a controller on the active pair, and an automaton that switches the pair.
//!
//! Source: 001 §IV (15)–(17), 000 §II.C: a mode for each pair of features, transitions where the opposite point
//! crosses into another Voronoi region.
//! Differs: no Voronoi diagram is computed. DIFFERS: a feature is left for one that bounds it when its parameter is
//! held at the bound, and entered from its bound when its own law leads inward; at the closest points these are the
//! same conditions, since the Voronoi region of a feature is its normal cone. A witness that sees the inner side of
//! its feature starts anew from the feature nearest to the opposite point.
//! Ends because: within one step a body changes its feature at most [`MOST_MOVES`] times.
//! Cost: one step of the controller, and one evaluation of each feature that meets the active one.
//! Not promised: the nearest features of bodies that are not convex, or while the witness is still far from its place.
//! Faces must be rectangles of their parameters; a side may be a single point.

use super::{Automaton, Carrier, Controller, Couple, Four, Moment, Settings, State, Stepped};
use crate::tolerance::{DEGENERATE_SQ, PUBLISHED_BOUND_REL, PUBLISHED_SWITCH_RAD};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, PlanarTiled, Pose, VertexId};

/// The most changes of feature of one body in one step: face, edge, vertex, edge, face.
const MOST_MOVES: usize = 4;

/// Places along a side that is one point, at which a face is tried from its vertex.
const FAN: usize = 9;

/// The features of a body, each with those that bound it and those that it bounds.
///
/// ```
/// use clearance_geometry::tiled::TiledBody;
/// use clearance_proximity::published::FeatureGraph;
/// let can = FeatureGraph::of_body(&TiledBody::cylinder(1.0, 2.0)?);
/// assert_eq!(can.names(), ["S1", "S2", "S3", "C1", "C2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FeatureGraph {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    name: String,
    carrier: Carrier,
    /// Bounded by.
    below: Vec<usize>,
    /// Bounds of.
    above: Vec<usize>,
    /// 1 or −1 where the outward normal is with or against the tangents', 0 for features that are not of full
    /// dimension.
    outward: f64,
}

impl Node {
    /// A normal that points out of the body, of a curve in the plane z = 0 or of a face.
    fn normal(&self, at: [f64; 2]) -> DVec3 {
        let [u, v] = self.carrier.jet(at).first;
        let normal = if self.carrier.dimension() == 2 { u.cross(v) } else { u.cross(DVec3::Z) };
        normal * self.outward
    }
}

impl FeatureGraph {
    /// The faces `S1`, `S2`, …, edges `C1`, … and vertices `V1`, … of a body.
    pub fn of_body(body: &TiledBody) -> Self {
        let faces = (0..body.face_count()).map(|k| Feature::Face(FaceId(k as u32)));
        let edges = (0..body.edge_count()).map(|k| Feature::Edge(EdgeId(k as u32)));
        let vertices = (0..body.vertex_count()).map(|k| Feature::Vertex(VertexId(k as u32)));
        let all: Vec<Feature> = faces.chain(edges).chain(vertices).collect();
        let place = |feature: &Feature| all.iter().position(|known| known == feature);
        let node = |feature: &Feature| {
            let letter = ["V", "C", "S"][feature.dimension()];
            Node {
                name: format!("{letter}{}", feature.number() + 1),
                carrier: Carrier::of(body, *feature),
                below: body.boundary(*feature).iter().filter_map(place).collect(),
                above: body.coboundary(*feature).iter().filter_map(place).collect(),
                outward: match feature {
                    Feature::Face(face) if body.face(*face).reversed => -1.0,
                    Feature::Face(_) => 1.0,
                    _ => 0.0,
                },
            }
        };
        Self { nodes: all.iter().map(node).collect() }
    }

    /// The curves `C1`, … and corners `V1`, … of a planar body, in the plane z = 0; corner k is where curve k begins.
    pub fn of_outline(body: &PlanarTiled) -> Self {
        let count = body.sides().len();
        let curve = |k: usize| {
            let side = &body.sides()[k];
            Node {
                name: format!("C{}", k + 1),
                carrier: Carrier::Arc { curve: side.curve.curve().clone(), range: side.range },
                below: vec![count + k, count + (k + 1) % count],
                above: Vec::new(),
                outward: if side.reversed { -1.0 } else { 1.0 },
            }
        };
        let corner = |k: usize| Node {
            name: format!("V{}", k + 1),
            carrier: Carrier::Point(body.sides()[k].jet(body.sides()[k].ends()[0]).point.extend(0.0)),
            below: Vec::new(),
            above: vec![(k + count - 1) % count, k],
            outward: 0.0,
        };
        Self { nodes: (0..count).map(curve).chain((0..count).map(corner)).collect() }
    }

    /// A single point.
    pub fn of_point(point: DVec3) -> Self {
        let carrier = Carrier::Point(point);
        let node = Node { name: "Q".to_owned(), carrier, below: Vec::new(), above: Vec::new(), outward: 0.0 };
        Self { nodes: vec![node] }
    }

    /// With names of one's own, in the order of the features.
    #[must_use]
    pub fn renamed(mut self, names: &[&str]) -> Self {
        for (node, name) in self.nodes.iter_mut().zip(names) {
            node.name = (*name).to_owned();
        }
        self
    }

    /// The names, in the order of the features.
    pub fn names(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.name.as_str()).collect()
    }
}

/// A hybrid system: the features that are active, the controller between them, and what has switched when.
#[derive(Clone, Debug)]
pub struct Hybrid {
    graphs: [FeatureGraph; 2],
    active: [usize; 2],
    controller: Controller,
    couple: Couple,
    automata: [Automaton; 2],
}

impl Hybrid {
    /// Starts on the given features (by their order in each graph) at the given parameters.
    pub fn new(graphs: [FeatureGraph; 2], active: [usize; 2], settings: Settings, at: [[f64; 2]; 2]) -> Self {
        let active = [0, 1].map(|side| active[side].min(graphs[side].nodes.len().saturating_sub(1)));
        let carrier = |side: usize| graphs[side].nodes[active[side]].carrier.clone();
        let couple = Couple { a: carrier(0), b: carrier(1) };
        let controller = Controller::new(settings, couple.joined(at[0], at[1]));
        let automata = [0, 1].map(|side| possible(&graphs[side]));
        Self { graphs, active, controller, couple, automata }
    }

    /// The names of the active features.
    pub fn names(&self) -> [&str; 2] {
        [0, 1].map(|side| self.graphs[side].nodes[self.active[side]].name.as_str())
    }

    /// Which features are active, by their order in each graph.
    pub const fn active(&self) -> [usize; 2] {
        self.active
    }

    /// The parameters on both features.
    pub fn parameters(&self) -> [[f64; 2]; 2] {
        self.couple.parted(&self.controller.at)
    }

    /// What has switched on A and on B.
    pub const fn automata(&self) -> &[Automaton; 2] {
        &self.automata
    }

    /// Points and errors with B at `pose_ab`.
    pub fn state(&self, pose_ab: &Pose) -> State {
        self.couple.state(&self.controller.at, pose_ab)
    }

    /// One step from `time`, then the switches that it triggers.
    pub fn step(&mut self, moments: &dyn Fn(f64) -> Moment, time: f64) -> Stepped {
        let stepped = self.controller.step(&self.couple, moments, time);
        let after = time + 1.0 / self.controller.settings.rate;
        let pose_ab = moments(after).pose_ab;
        for side in [0, 1] {
            for _ in 0..MOST_MOVES {
                let Some((to, at)) = self.switch(side, &pose_ab) else { break };
                self.activate(side, to, at);
            }
            let name = self.names()[side].to_owned();
            self.automata[side].enter(after, &name);
        }
        stepped
    }

    fn activate(&mut self, side: usize, to: usize, at: [f64; 2]) {
        self.active[side] = to;
        let mut parted = self.parameters();
        parted[side] = at;
        let carrier = self.graphs[side].nodes[to].carrier.clone();
        if side == 0 {
            self.couple.a = carrier;
        } else {
            self.couple.b = carrier;
        }
        let joined = self.couple.joined(parted[0], parted[1]);
        self.controller.restart(joined);
    }

    /// The feature to change to, and the parameters there.
    fn switch(&self, side: usize, pose_ab: &Pose) -> Option<(usize, [f64; 2])> {
        let graph = &self.graphs[side];
        let node = &graph.nodes[self.active[side]];
        let at = self.parameters()[side];
        let point = node.carrier.jet(at).point;
        if let Some(seen) = self.seen_from_behind(side, pose_ab) {
            return Some(seen);
        }
        if self.pushes(side, self.active[side], at, pose_ab, Push::Outward) {
            let off = |&k: &usize| {
                let there = graph.nodes[k].carrier.nearest_to(point);
                graph.nodes[k].carrier.jet(there).point.distance(point)
            };
            let below = node.below.iter().copied().min_by(|x, y| off(x).total_cmp(&off(y)));
            return below.map(|to| (to, graph.nodes[to].carrier.nearest_to(point)));
        }
        let mut above = node.above.clone();
        if node.carrier.dimension() == 0 {
            // Where a side of a face is a single point, its edges do not span its directions.
            above.extend(node.above.iter().flat_map(|&edge| graph.nodes[edge].above.iter().copied()));
        }
        for to in above {
            for at in places(&graph.nodes[to].carrier, point) {
                if self.pushes(side, to, at, pose_ab, Push::Inward) {
                    return Some((to, at));
                }
            }
        }
        None
    }

    /// Where to go from a face or curve whose inner side is seen: to the feature nearest to the opposite point. No
    /// Voronoi region of a convex body reaches behind its feature.
    fn seen_from_behind(&self, side: usize, pose_ab: &Pose) -> Option<(usize, [f64; 2])> {
        let graph = &self.graphs[side];
        let node = &graph.nodes[self.active[side]];
        let points = self.couple.state(&self.controller.at, pose_ab).points;
        let own = |point: DVec3| if side == 0 { point } else { pose_ab.apply_inverse(point) };
        let (here, target) = (own(points[side]), own(points[1 - side]));
        let (normal, toward) = (node.normal(self.parameters()[side]), target - here);
        if !(normal.dot(toward) < -PUBLISHED_SWITCH_RAD * normal.length() * toward.length()) {
            return None;
        }
        let foot = |k: &usize| graph.nodes[*k].carrier.nearest_to(target);
        let off = |k: &usize| graph.nodes[*k].carrier.jet(foot(k)).point.distance(target);
        let best = (0..graph.nodes.len()).min_by(|x, y| off(x).total_cmp(&off(y)))?;
        (best != self.active[side]).then(|| (best, foot(&best)))
    }

    /// Whether the law of a feature pushes a parameter that is at its bound, in the given sense.
    fn pushes(&self, side: usize, node: usize, at: [f64; 2], pose_ab: &Pose, push: Push) -> bool {
        let carrier = &self.graphs[side].nodes[node].carrier;
        let other = self.parameters()[1 - side];
        let (couple, at_both): (Couple, Four) = if side == 0 {
            let couple = Couple { a: carrier.clone(), b: self.couple.b.clone() };
            let joined = couple.joined(at, other);
            (couple, joined)
        } else {
            let couple = Couple { a: self.couple.a.clone(), b: carrier.clone() };
            let joined = couple.joined(other, at);
            (couple, joined)
        };
        let cosines = couple.state(&at_both, pose_ab).normalized_errors();
        let first = if side == 0 { 0 } else { couple.a.dimension() };
        let outward = |k: usize| {
            let bounds = carrier.bounds(k);
            let near = PUBLISHED_BOUND_REL * bounds.width();
            let speed = -cosines[first + k];
            if !bounds.is_bounded() {
                None
            } else if at[k] <= bounds.low + near {
                Some(-speed)
            } else if at[k] >= bounds.high - near {
                Some(speed)
            } else {
                None
            }
        };
        let mut pushed = (0..carrier.dimension()).filter_map(outward);
        match push {
            Push::Outward => pushed.any(|speed| speed > PUBLISHED_SWITCH_RAD),
            Push::Inward => {
                let all: Vec<f64> = pushed.collect();
                all.iter().any(|&speed| speed < -PUBLISHED_SWITCH_RAD)
                    && all.iter().all(|&speed| speed <= PUBLISHED_SWITCH_RAD)
            }
        }
    }
}

/// In which sense a parameter at its bound is pushed.
#[derive(Clone, Copy)]
enum Push {
    Outward,
    Inward,
}

/// Parameters at which a feature is entered from a point of its boundary: one, or several along a side that is a point.
fn places(carrier: &Carrier, point: DVec3) -> Vec<[f64; 2]> {
    let mut at = carrier.nearest_to(point);
    for (k, value) in at.iter_mut().enumerate().take(carrier.dimension()) {
        let bounds = carrier.bounds(k);
        let near = PUBLISHED_BOUND_REL * bounds.width();
        if *value - bounds.low <= near {
            *value = bounds.low;
        } else if bounds.high - *value <= near {
            *value = bounds.high;
        }
    }
    let jet = carrier.jet(at);
    if carrier.dimension() == 2
        && jet.first[0].length_squared() <= DEGENERATE_SQ * jet.first[1].length_squared()
    {
        let along = carrier.home(0);
        return (0..=FAN).map(|k| [along.at(k as f64 / FAN as f64), at[1]]).collect();
    }
    vec![at]
}

/// All transitions of a body's automaton: between each feature and those that bound it.
fn possible(graph: &FeatureGraph) -> Automaton {
    let mut automaton = Automaton::default();
    for node in &graph.nodes {
        // A bound first: around a body features and what bounds them take turns.
        if let Some(&first) = node.below.first() {
            automaton.declare(&graph.nodes[first].name);
        }
        automaton.declare(&node.name);
        for &below in &node.below {
            automaton.allow(&node.name, &graph.nodes[below].name);
            automaton.allow(&graph.nodes[below].name, &node.name);
        }
    }
    automaton
}
