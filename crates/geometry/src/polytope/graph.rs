//! The feature graph: which edges bound which faces, and what surrounds a vertex.
//!
//! Source: half-edges in the order of the face loops; twins by sorting.
//! Ends because: every ring is walked at most once per half-edge.
//! Cost: O(n log n) for the sort, linear otherwise.
//! Not promised: anything for loops that are not a closed, consistently oriented surface.

use super::twofold::unit;
use super::{Edge, Side, Spoke};
use crate::{DVec3, EdgeId, FaceId, Plane, VertexId, tolerance};

/// The sides of all faces, in the order of the loops.
pub(crate) struct Graph {
    /// First side of each face, and the number of sides.
    pub(crate) starts: Vec<u32>,
    /// Vertex where each side starts.
    from: Vec<u32>,
    face: Vec<u32>,
    edge: Vec<EdgeId>,
    /// The same edge seen from the other face.
    twin: Vec<u32>,
    /// The two vertices of each edge, the lower label first.
    ends: Vec<[u32; 2]>,
}

impl Graph {
    pub(crate) fn new(loops: &[Vec<u32>], labels: &[u32]) -> Self {
        let sides = loops.iter().map(Vec::len).sum();
        let mut starts = Vec::with_capacity(loops.len() + 1);
        let (mut from, mut face) = (Vec::with_capacity(sides), Vec::with_capacity(sides));
        let mut keys = Vec::with_capacity(sides);
        for (number, corners) in loops.iter().enumerate() {
            starts.push(from.len() as u32);
            for (i, &corner) in corners.iter().enumerate() {
                let [a, b] = [corner, corners[(i + 1) % corners.len()]];
                keys.push((a.min(b), a.max(b), from.len() as u32));
                from.push(corner);
                face.push(number as u32);
            }
        }
        starts.push(from.len() as u32);
        keys.sort_unstable();
        let mut graph = Self {
            starts,
            from,
            face,
            edge: vec![EdgeId(0); sides],
            twin: (0..sides as u32).collect(),
            ends: Vec::with_capacity(sides / 2),
        };
        for pair in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [first, last] = [pair[0].2, pair[pair.len() - 1].2];
            let [a, b] = [graph.from[first as usize], graph.to(first)];
            for &(.., side) in pair {
                graph.edge[side as usize] = EdgeId(graph.ends.len() as u32);
            }
            graph.twin[first as usize] = last;
            graph.twin[last as usize] = first;
            graph.ends.push(if labels[a as usize] < labels[b as usize] { [a, b] } else { [b, a] });
        }
        if loops.is_empty() && labels.len() == 2 {
            graph.ends.push([0, 1]);
        }
        graph
    }

    /// The side after this one in its face.
    fn next(&self, side: u32) -> u32 {
        let face = self.face[side as usize] as usize;
        if side + 1 == self.starts[face + 1] { self.starts[face] } else { side + 1 }
    }

    fn previous(&self, side: u32) -> u32 {
        let face = self.face[side as usize] as usize;
        if side == self.starts[face] { self.starts[face + 1] - 1 } else { side - 1 }
    }

    fn to(&self, side: u32) -> u32 {
        self.from[self.next(side) as usize]
    }

    /// The place of each edge in the order of (low, high) vertex labels.
    pub(crate) fn edge_labels(&self, labels: &[u32]) -> Vec<u32> {
        let pair = |&[tail, head]: &[u32; 2]| (labels[tail as usize], labels[head as usize]);
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_by_key(|&edge| pair(&self.ends[edge as usize]));
        let mut numbers = vec![0; order.len()];
        for (number, edge) in order.into_iter().enumerate() {
            numbers[edge as usize] = number as u32;
        }
        numbers
    }

    /// All edges, by (low, high) vertex.
    pub(crate) fn edges(&self, vertices: &[DVec3], planes: &[Plane]) -> Vec<Edge> {
        let blank = |&[tail, head]: &[u32; 2]| Edge {
            vertices: [VertexId(tail), VertexId(head)],
            faces: [Edge::NO_FACE; 2],
            vector: vertices[head as usize] - vertices[tail as usize],
            inward: [DVec3::ZERO; 2],
        };
        let mut edges: Vec<Edge> = self.ends.iter().map(blank).collect();
        for (side, id) in self.edge.iter().enumerate() {
            let edge = &mut edges[id.index()];
            let forward = edge.vertices[0].0 == self.from[side];
            let along = if forward { edge.vector } else { -edge.vector };
            let face = self.face[side];
            // The face lies to the left of its own direction of travel.
            let hand = usize::from(!forward);
            edge.faces[hand] = FaceId(face);
            edge.inward[hand] = unit(planes[face as usize].normal.cross(along));
        }
        edges
    }

    /// The sides of all faces, flattened as `starts` says.
    pub(crate) fn sides(&self, vertices: &[DVec3], edges: &[Edge]) -> Vec<Side> {
        let of = |(&from, &edge): (&u32, &EdgeId)| {
            let ends = &edges[edge.index()];
            let inward = ends.inward[usize::from(ends.vertices[0].0 != from)];
            let to = ends.vertices[usize::from(ends.vertices[0].0 == from)];
            // The lower of the two, so that both ends are within the side.
            let offset = inward.dot(vertices[from as usize]).min(inward.dot(vertices[to.index()]));
            Side { inward, offset, vertex: VertexId(from), edge }
        };
        self.from.iter().zip(&self.edge).map(of).collect()
    }

    /// The rings of all vertices, counter-clockwise, each from its lowest face on, and the chords, which
    /// ascend.
    pub(crate) fn rings(&self, vertices: &[DVec3], chords: &[[u32; 2]]) -> Rings {
        const NONE: u32 = u32::MAX;
        let mut first = vec![NONE; vertices.len()];
        for (side, &from) in self.from.iter().enumerate().rev() {
            first[from as usize] = side as u32;
        }
        let mut rings = Rings::default();
        let mut chords = chords.iter().peekable();
        for (vertex, &first) in first.iter().enumerate() {
            rings.starts.push(rings.spokes.len() as u32);
            let mut side = first;
            // No ring is longer than all sides, even of a surface that is none.
            for _ in 0..self.from.len() {
                if side == NONE {
                    break;
                }
                rings.push(vertices, vertex, self.to(side) as usize);
                rings.edges.push(self.edge[side as usize]);
                rings.faces.push(FaceId(self.face[side as usize]));
                side = self.twin[self.previous(side) as usize];
                if side == first {
                    side = NONE;
                }
            }
            // A segment's end has one spoke and no face.
            if self.from.is_empty() && vertices.len() == 2 {
                rings.push(vertices, vertex, 1 - vertex);
                rings.edges.push(EdgeId(0));
            }
            rings.ends.push(rings.spokes.len() as u32);
            while let Some(&[_, to]) = chords.next_if(|chord| chord[0] as usize == vertex) {
                rings.push(vertices, vertex, to as usize);
                rings.edges.push(EdgeId(NONE));
                rings.faces.push(Edge::NO_FACE);
            }
        }
        rings.starts.push(rings.spokes.len() as u32);
        rings
    }
}

/// What surrounds each vertex, flattened.
#[derive(Default)]
pub(crate) struct Rings {
    pub(crate) starts: Vec<u32>,
    /// Where the ring ends and the chords begin.
    pub(crate) ends: Vec<u32>,
    pub(crate) spokes: Vec<Spoke>,
    pub(crate) edges: Vec<EdgeId>,
    pub(crate) faces: Vec<FaceId>,
}

impl Rings {
    fn push(&mut self, vertices: &[DVec3], from: usize, to: usize) {
        let vector = vertices[to] - vertices[from];
        // Never zero, however short the edge: a climb ends only because its gains beat something.
        let slack = ((vector.length() * tolerance::CLIMB_REL) as f32).max(f32::MIN_POSITIVE);
        self.spokes.push(Spoke { vector, slack, vertex: VertexId(to as u32) });
    }

    /// Whether the spokes of each vertex are nearly in one plane: against their mean direction, which points
    /// into the body, one of them rises too little.
    pub(crate) fn blunt(&self) -> Vec<bool> {
        let ring = |ends: &[u32]| {
            let units = || {
                self.spokes[ends[0] as usize..ends[1] as usize].iter().map(|s| s.vector.normalize_or_zero())
            };
            let inward = units().sum::<DVec3>().normalize_or_zero();
            !units().all(|unit| unit.dot(inward) >= tolerance::BLUNT_SLOPE_REL)
        };
        self.starts.windows(2).map(ring).collect()
    }
}
