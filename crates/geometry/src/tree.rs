//! Trees of boxes: over the parts of a union, over the patches of a tiled body.
//!
//! Source: 003 §4.1, sub-part hierarchies: leaves are parts, inner nodes carry a bound of what is below them.
//! Differs: all nodes carry oriented boxes and have two children; they are split at the middle of the longest axis, however
//! parts were grouped, and at the middle leaf along it where that would leave less than a quarter of them on one side. Above the leaves all boxes have the axes of the whole, so that each is made of numbers alone. DIFFERS: hulls are asked for apart, and are points with a slack: everything below a node is
//! within the slack of the hull of the points, which holds in floating point where a polytope's facets would not.
//! Ends because: every split leaves both halves with fewer leaves.
//! Cost: O(n) leaves to know the box around all, O(n log n) for the nodes, once they are asked for; a hull costs O(m log m) for the m points of the hulls below it.
//! Not promised: the smallest boxes. A node whose hull would have more than [`MOST_HULL_POINTS`] points has the corners of
//! its box instead.

mod refit;

use crate::bound::{ConvexBound, Hull, Obb};
use crate::curve::Rect;
use crate::tiled::TiledBody;
use crate::tolerance::{COPLANAR_REL, DROPPED_SLACKS};
use crate::{DMat3, DVec3, FaceId, Polytope, Pose};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A binary tree of oriented boxes over leaves of any kind; immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct BoxTree<L> {
    data: Arc<Data<L>>,
}

#[derive(Debug)]
struct Data<L> {
    leaves: Vec<L>,
    /// The boxes of leaves, as many, and the box around all.
    bounds: Vec<Obb>,
    whole: Obb,
    heights: Heights,
    /// Grown when they are asked for: a search of few pieces does without.
    nodes: OnceLock<Vec<TreeNode>>,
    /// One per node; none where they were not asked for.
    hulls: Vec<Hull>,
    /// What a search has found out about the leaves.
    note: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Most points of a node's hull.
const MOST_HULL_POINTS: usize = 256;

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// A box around everything below.
    pub bound: Obb,
    /// What is below.
    pub below: Below,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Two nodes, by their place among [`BoxTree::nodes`].
    Nodes([u32; 2]),
    /// A leaf, by its place among [`BoxTree::leaves`].
    Leaf(u32),
}

impl<L> BoxTree<L> {
    /// A tree over leaves with their boxes; leaves keep their order. `None` without leaves.
    pub fn new(leaves: Vec<(L, Obb)>) -> Option<Self> {
        let (leaves, bounds): (Vec<L>, Vec<Obb>) = leaves.into_iter().unzip();
        Self::with_bounds(leaves, bounds)
    }

    /// As [`BoxTree::new`], with as many boxes as leaves. `None` where these differ in number too.
    pub(crate) fn with_bounds(leaves: Vec<L>, bounds: Vec<Obb>) -> Option<Self> {
        if leaves.is_empty() || leaves.len() != bounds.len() {
            return None;
        }
        let heights = Heights::new(&bounds);
        let whole = if let [only] = &*bounds { *only } else { heights.bound(heights.range_of_all()) };
        let data = Data {
            leaves,
            bounds,
            whole,
            heights,
            nodes: OnceLock::new(),
            hulls: Vec::new(),
            note: OnceLock::new(),
        };
        Some(Self { data: Arc::new(data) })
    }

    /// The same tree whose nodes have hulls too: everything below a node is within the slack of the hull of its points.
    ///
    /// `of_leaf` gives a hull around a leaf, in the frame of the tree.
    #[must_use]
    pub fn with_hulls(&self, of_leaf: impl Fn(&L) -> Hull) -> Self
    where
        L: Clone,
    {
        let (nodes, leaves) = (self.nodes(), self.data.leaves.clone());
        let mut hulls = vec![Hull::unknown(); nodes.len()];
        // Children come after their parents.
        for at in (0..nodes.len()).rev() {
            let found = match nodes[at].below {
                Below::Leaf(leaf) => of_leaf(&leaves[leaf as usize]),
                Below::Nodes([one, other]) => joined(&hulls[one as usize], &hulls[other as usize]),
            };
            hulls[at] = outermost(found, &nodes[at].bound);
        }
        Self { data: Arc::new(Data { hulls, ..self.data.with_leaves(leaves) }) }
    }

    /// The hull of a node, by its place among [`BoxTree::nodes`]; `None` for a tree without hulls.
    pub fn hull(&self, node: u32) -> Option<&Hull> {
        self.data.hulls.get(node as usize)
    }

    /// All nodes; the root is the first.
    pub fn nodes(&self) -> &[TreeNode] {
        self.data.nodes()
    }

    /// How many nodes there are, which need not be grown for it.
    pub fn node_count(&self) -> usize {
        2 * self.data.leaves.len() - 1
    }

    /// The box around all leaves, that of the node at the top.
    pub fn whole(&self) -> &Obb {
        &self.data.whole
    }

    /// The boxes of leaves, in their order.
    pub fn bounds(&self) -> &[Obb] {
        &self.data.bounds
    }

    /// What follows from the leaves alone, found when it is first asked for and kept until they change. A tree keeps one such
    /// thing; `None` where it keeps one of another kind.
    pub fn note<T: Any + Send + Sync>(&self, find: impl FnOnce() -> T) -> Option<&T> {
        self.data.note.get_or_init(|| Box::new(find())).downcast_ref()
    }

    /// Whether the other is a clone of this one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// The node at the top.
    pub fn root(&self) -> &TreeNode {
        &self.nodes()[0]
    }

    /// All leaves, in the order given.
    pub fn leaves(&self) -> &[L] {
        &self.data.leaves
    }
}

impl<L> Data<L> {
    fn nodes(&self) -> &[TreeNode] {
        self.nodes.get_or_init(|| {
            let mut order: Vec<u32> = (0..self.leaves.len() as u32).collect();
            let mut nodes = Vec::with_capacity(2 * self.leaves.len());
            self.heights.grow(&mut nodes, &self.bounds, &mut order);
            nodes
        })
    }

    /// The same with other leaves, as many and with the same boxes, and without hulls.
    fn with_leaves(&self, leaves: Vec<L>) -> Self {
        let (bounds, heights, nodes) = (self.bounds.clone(), self.heights.clone(), self.nodes.clone());
        Self { leaves, bounds, whole: self.whole, heights, nodes, hulls: Vec::new(), note: OnceLock::new() }
    }
}

/// A hull around two.
fn joined(one: &Hull, other: &Hull) -> Hull {
    let points = one.points.iter().chain(&other.points).copied().collect();
    Hull { points, slack: one.slack.max(other.slack) }
}

/// The same hull without the points inside it; the box where there are too many, or nothing is known.
fn outermost(hull: Hull, bound: &Obb) -> Hull {
    let of_box = || {
        let points = corners(bound).to_vec();
        let size = points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
        Hull { points, slack: crate::tolerance::HEIGHT_ERROR_REL * size }
    };
    if !hull.slack.is_finite() {
        return of_box();
    }
    // Few points, or flat ones, are kept as they are.
    let kept = match Polytope::from_points(&hull.points) {
        Ok(body) if hull.points.len() > 8 => {
            let size = hull.points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
            // A point left out is within rounding of the hull of the rest.
            let slack = hull.slack + 4.0 * DROPPED_SLACKS * COPLANAR_REL * size;
            let points: Vec<DVec3> = body.vertices().iter().map(|p| *p + body.anchor()).collect();
            Hull { points, slack }
        }
        _ => hull,
    };
    if kept.points.len() > MOST_HULL_POINTS { of_box() } else { kept }
}

/// The boxes of leaves as heights over a point along common axes: what the boxes of all nodes but leaves are made of.
#[derive(Clone, Debug)]
struct Heights {
    reference: DVec3,
    axes: DMat3,
    /// Least and greatest heights of each leaf.
    ranges: Vec<[DVec3; 2]>,
    /// What a height may lose to rounding, but for that of a node's own middle.
    lost: f64,
}

impl Heights {
    fn new(bounds: &[Obb]) -> Self {
        let reference = bounds[0].center;
        let mean = bounds.iter().map(|bound| bound.center - reference).sum::<DVec3>() / bounds.len() as f64;
        let mut spread = Spread::default();
        for bound in bounds {
            spread.add(bound.center - reference - mean);
            // Eight corners spread as much as the three half axes.
            (0..3).for_each(|i| spread.add(bound.axes.col(i) * bound.half[i]));
        }
        let axes = spread.axes();
        let to_axes = axes.transpose();
        let mut reach = 0.0_f64;
        let range = |bound: &Obb| {
            let from = bound.center - reference;
            let middle = to_axes * from;
            let half =
                (0..3).fold(DVec3::ZERO, |sum, i| sum + (to_axes * bound.axes.col(i)).abs() * bound.half[i]);
            let size = from.abs().element_sum() + bound.half.element_sum();
            reach = if size > reach { size } else { reach };
            [middle - half, middle + half]
        };
        let ranges = bounds.iter().map(range).collect();
        // Heights of middles and of half axes, the slabs' leaning, and the middle, each a few roundings.
        let lost = 4.0 * crate::tolerance::HEIGHT_ERROR_REL * (reach + reference.abs().max_element());
        Self { reference, axes, ranges, lost }
    }

    /// Least and greatest heights of some leaves.
    fn range(&self, order: &[u32]) -> [DVec3; 2] {
        joined_range(order.iter().map(|leaf| &self.ranges[*leaf as usize]))
    }

    fn range_of_all(&self) -> [DVec3; 2] {
        joined_range(self.ranges.iter())
    }

    fn bound(&self, [low, high]: [DVec3; 2]) -> Obb {
        let center = self.reference + self.axes * (0.5 * (low + high));
        let lost = self.lost + 4.0 * crate::tolerance::HEIGHT_ERROR_REL * center.abs().max_element();
        Obb { center, axes: self.axes, half: 0.5 * (high - low) + lost }
    }

    /// Adds the node over `order`, then what is below it; its place.
    fn grow(&self, nodes: &mut Vec<TreeNode>, bounds: &[Obb], order: &mut [u32]) -> u32 {
        let place = nodes.len() as u32;
        if let [leaf] = *order {
            nodes.push(TreeNode { bound: bounds[leaf as usize], below: Below::Leaf(leaf) });
            return place;
        }
        let range = self.range(order);
        nodes.push(TreeNode { bound: self.bound(range), below: Below::Leaf(0) });
        let size = range[1] - range[0];
        let longest =
            if size.x >= size.y && size.x >= size.z { 0 } else { 2 - usize::from(size.y >= size.z) };
        let height = |leaf: u32| {
            let [low, high] = &self.ranges[leaf as usize];
            low[longest] + high[longest]
        };
        let middle = match parted(order, |leaf| height(leaf) < range[0][longest] + range[1][longest]) {
            // Parts that differ little in number make a tree that is not deep.
            count if 4 * count >= order.len() && 4 * count <= 3 * order.len() => count,
            _ => {
                let middle = order.len() / 2;
                // Equal heights are told apart by the leaves' order, so that the same leaves make the same tree.
                order
                    .select_nth_unstable_by(middle, |&a, &b| height(a).total_cmp(&height(b)).then(a.cmp(&b)));
                middle
            }
        };
        let (low, high) = order.split_at_mut(middle);
        let below = [self.grow(nodes, bounds, low), self.grow(nodes, bounds, high)];
        nodes[place as usize].below = Below::Nodes(below);
        place
    }
}

/// Least and greatest heights of all these.
fn joined_range<'a>(ranges: impl Iterator<Item = &'a [DVec3; 2]>) -> [DVec3; 2] {
    // Plain comparisons: a minimum that minds NaN costs six times as much.
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for [least, most] in ranges {
        for k in 0..3 {
            low[k] = if least[k] < low[k] { least[k] } else { low[k] };
            high[k] = if most[k] > high[k] { most[k] } else { high[k] };
        }
    }
    [DVec3::from_array(low), DVec3::from_array(high)]
}

/// Puts the leaves that are low before the others; how many they are.
fn parted(order: &mut [u32], is_low: impl Fn(u32) -> bool) -> usize {
    let mut count = 0;
    for at in 0..order.len() {
        if is_low(order[at]) {
            order.swap(at, count);
            count += 1;
        }
    }
    count
}

/// The corners of a box, moved out by what its slabs may lean.
fn corners(bound: &Obb) -> [DVec3; 8] {
    let grown = bound.half * (1.0 + crate::tolerance::HEIGHT_ERROR_REL);
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        bound.center + bound.axes * (grown * DVec3::new(sign(1), sign(2), sign(4)))
    })
}

/// Axes along the directions in which points spread.
pub(crate) fn axes_of(points: &[DVec3]) -> DMat3 {
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut spread = Spread::default();
    points.iter().for_each(|p| spread.add(*p - mean));
    spread.axes()
}

/// A sum of squares of vectors: the symmetric matrix by its diagonal and what is beside it (yz, xz, xy).
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    diagonal: [f64; 3],
    beside: [f64; 3],
}

impl Spread {
    fn add(&mut self, d: DVec3) {
        for (sum, square) in self.diagonal.iter_mut().zip([d.x * d.x, d.y * d.y, d.z * d.z]) {
            *sum += square;
        }
        for (sum, product) in self.beside.iter_mut().zip([d.y * d.z, d.x * d.z, d.x * d.y]) {
            *sum += product;
        }
    }

    /// Its axes, found by Jacobi's rotations; nearly, which is enough for a box.
    fn axes(mut self) -> DMat3 {
        let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for _ in 0..SWEEPS {
            for (i, j, k) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
                let off = self.beside[k];
                let (a, b) = (self.diagonal[i], self.diagonal[j]);
                if !(off.abs() > NEGLIGIBLE * (a + b)) {
                    continue;
                }
                // The tangent of the smaller angle that makes the entry vanish.
                let lean = (b - a) / (2.0 * off);
                let tangent = 1.0_f64.copysign(lean) / (lean.abs() + (lean * lean + 1.0).sqrt());
                let cos = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sin = tangent * cos;
                self.diagonal[i] = a - tangent * off;
                self.diagonal[j] = b + tangent * off;
                self.beside[k] = 0.0;
                let (one, other) = (self.beside[j], self.beside[i]);
                self.beside[j] = cos * one - sin * other;
                self.beside[i] = sin * one + cos * other;
                let (u, v) = (axes[i], axes[j]);
                (axes[i], axes[j]) = (cos * u - sin * v, sin * u + cos * v);
            }
        }
        let [x, y, _] = axes;
        let x = x.normalize_or(DVec3::X);
        let y = (y - x * x.dot(y)).normalize_or(x.any_orthonormal_vector());
        DMat3::from_cols(x, y, x.cross(y))
    }
}

/// Sweeps of Jacobi's rotations.
const SWEEPS: usize = 4;

/// Share of the diagonal that an entry beside it may have: boxes lean by no more than that.
const NEGLIGIBLE: f64 = 1.0 / 1024.0;

/// A part of a union.
#[derive(Clone, Debug)]
pub enum Part {
    /// A convex polytope.
    Polytope(Polytope),
    /// A body with curved faces.
    Tiled(TiledBody),
    /// Parts with their poses.
    Union(Vec<(Part, Pose)>),
    /// The boundary alone of a part: of a union, of each of its parts.
    Boundary(Box<Part>),
}

/// A leaf of a union's tree.
#[derive(Clone, Debug)]
pub struct PartLeaf {
    /// Its place: the number of the part in each union from the outermost inward.
    pub path: Vec<u32>,
    /// The polytope or tiled body.
    pub shape: LeafShape,
    /// Where it stands in the union's frame.
    pub pose: Pose,
    /// Whether its boundary alone is meant.
    pub boundary: bool,
}

impl PartLeaf {
    /// Whether it is a surface without an inside.
    pub fn is_surface_only(&self) -> bool {
        self.boundary || matches!(&self.shape, LeafShape::Tiled(body) if !body.is_closed())
    }
}

/// What a leaf is.
#[derive(Clone, Debug)]
pub enum LeafShape {
    /// A convex polytope.
    Polytope(Polytope),
    /// A body with curved faces.
    Tiled(TiledBody),
}

/// The tree of a union.
pub type PartTree = BoxTree<PartLeaf>;

impl BoxTree<PartLeaf> {
    /// The tree of a union's parts, with the leaves in the order of their paths. `None` where there is no body in it.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Part, PartTree, Polytope, Pose, tiled::TiledBody};
    /// let cube = Polytope::cuboid(DVec3::ONE)?;
    /// let ball = TiledBody::sphere(1.0)?;
    /// let inner = Part::Union(vec![(Part::Polytope(cube), Pose::from_translation(DVec3::X * 5.0)?)]);
    /// let tree = PartTree::of_parts(vec![(Part::Tiled(ball), Pose::IDENTITY), (inner, Pose::IDENTITY)]).unwrap();
    /// assert_eq!(tree.leaves()[1].path, [1, 0]);
    /// assert!(tree.root().bound.contains(DVec3::X * 5.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_parts(parts: Vec<(Part, Pose)>) -> Option<Self> {
        let mut collector = Collector { path: Vec::new(), leaves: Vec::new() };
        collector.collect(parts, &Pose::IDENTITY, false);
        let with_box = |leaf: PartLeaf| {
            let bound = moved(&leaf.shape.obb(), &leaf.pose);
            (leaf, bound)
        };
        Self::new(collector.leaves.into_iter().map(with_box).collect())
    }
}

impl BoxTree<PartLeaf> {
    /// The same tree with hulls: of polytopes the hull of their vertices, of tiled bodies that of their patches' hulls.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Part, PartTree, Polytope, Pose};
    /// let cube = || Part::Polytope(Polytope::cuboid(DVec3::ONE).unwrap());
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    /// let tree = PartTree::of_parts(vec![(cube(), at(0.0)), (cube(), at(3.0))]).unwrap().hulled();
    /// assert_eq!(tree.hull(0).unwrap().points.len(), 8);
    /// ```
    #[must_use]
    pub fn hulled(&self) -> Self {
        self.with_hulls(|leaf| {
            let local = match &leaf.shape {
                LeafShape::Polytope(body) => {
                    let points: Vec<DVec3> = body.vertices().iter().map(|p| *p + body.anchor()).collect();
                    let size = points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
                    Hull { points, slack: f64::EPSILON * size }
                }
                LeafShape::Tiled(body) => {
                    let patches = body.nice_patches().iter();
                    let none = Hull { points: Vec::new(), slack: 0.0 };
                    patches
                        .map(|patch| patch_hull(body, patch.face, patch.rect))
                        .fold(none, |all, one| joined(&all, &one))
                }
            };
            let size =
                local.points.iter().fold(leaf.pose.translation().length(), |most, p| most.max(p.length()));
            let points = local.points.iter().map(|p| leaf.pose.apply(*p)).collect();
            Hull { points, slack: local.slack + crate::tolerance::HEIGHT_ERROR_REL * size }
        })
    }
}

/// A hull around a part of a face, from its control points.
fn patch_hull(body: &TiledBody, face: FaceId, rect: Rect) -> Hull {
    let surface = &body.face(face).surface;
    surface.hull(crate::surface::home::part_of_domain(surface, rect))
}

/// Gathers the leaves of a union.
struct Collector {
    path: Vec<u32>,
    leaves: Vec<PartLeaf>,
}

impl Collector {
    fn collect(&mut self, parts: Vec<(Part, Pose)>, outer: &Pose, boundary: bool) {
        for (at, (part, pose)) in parts.into_iter().enumerate() {
            self.path.push(at as u32);
            self.add(part, *outer * pose, boundary);
            self.path.pop();
        }
    }

    fn add(&mut self, part: Part, pose: Pose, boundary: bool) {
        let shape = match part {
            Part::Polytope(body) => LeafShape::Polytope(body),
            Part::Tiled(body) => LeafShape::Tiled(body),
            Part::Union(inner) => return self.collect(inner, &pose, boundary),
            Part::Boundary(whole) => return self.add(*whole, pose, true),
        };
        self.leaves.push(PartLeaf { path: self.path.clone(), shape, pose, boundary });
    }
}

impl LeafShape {
    /// A box around it, in its own frame.
    pub fn obb(&self) -> Obb {
        match self {
            Self::Polytope(body) => {
                let points: Vec<DVec3> = body.vertices().iter().map(|p| *p + body.anchor()).collect();
                // An anchored vertex and its anchor are added with one rounding.
                let size = points.iter().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
                Obb::around(&points, axes_of(&points), f64::EPSILON * size)
            }
            Self::Tiled(body) => {
                let around = body.aabb();
                let (center, half) = (DVec3::from_array(around.center()), around.half_extents());
                let rounding = crate::tolerance::HEIGHT_ERROR_REL * (center.abs() + half);
                Obb { center, axes: DMat3::IDENTITY, half: half + rounding }
            }
        }
    }
}

/// The box moved; larger by what the rounding of the pose may lose.
fn moved(bound: &Obb, pose: &Pose) -> Obb {
    let points = corners(bound).map(|p| pose.apply(p));
    let size = corners(bound).iter().fold(pose.translation().length(), |most, p| most.max(p.length()));
    Obb::around(&points, pose.rotation() * bound.axes, crate::tolerance::HEIGHT_ERROR_REL * size)
}

/// A part of a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchLeaf {
    /// The face.
    pub face: FaceId,
    /// The rectangle of its parameters.
    pub rect: Rect,
}

/// The tree of a tiled body's patches.
pub type PatchTree = BoxTree<PatchLeaf>;

impl BoxTree<PatchLeaf> {
    /// The tree over the nice patches of a body.
    pub fn of_body(body: &TiledBody) -> Option<Self> {
        let leaf = |patch: &crate::tiled::NicePatch| {
            let surface = &body.face(patch.face).surface;
            let bound = surface.obb(crate::surface::home::part_of_domain(surface, patch.rect));
            (PatchLeaf { face: patch.face, rect: patch.rect }, bound)
        };
        Self::new(body.nice_patches().iter().map(leaf).collect())
    }

    /// The same tree with the hulls of control points; `body` is the one it was made of.
    #[must_use]
    pub fn hulled(&self, body: &TiledBody) -> Self {
        self.with_hulls(|leaf| patch_hull(body, leaf.face, leaf.rect))
    }
}
