//! The branches of the common curve of two pieces, cut where they leave the faces.
//!
//! Source: none. A branch is followed from each seed that no branch before it passes.
//! Differs: rims and trims are looked for before: a rim's seeds and the crossings of a face's edges with the other piece
//! are put on the branch, so that one which leaves and comes back between two of its points is cut.
//! Ends because: every branch takes at least its own seed away.
//! Cost: that of the seeds, of following each branch, and of an inside test for each point on a trimmed face.
//! Not promised: a cut where an edge touches the other face without crossing it.

use super::crossing::{Unresolved, crossings};
use super::intersection::to_segment;
use super::march::{End, March, Place, Step, onto_rim};
use super::scene::Scene;
use super::seeds::{Seeds, seeds};
use crate::global::descend::Shape;
use crate::tolerance::PIECE_BORDER_REL;
use clearance_geometry::{DVec2, DVec3};

/// Halvings of a step where it crosses a trim.
const TRIM_HALVINGS: usize = 48;

/// Times what counts as on the rim: how far a curve may leave it that runs along it.
const RIM_SLACKS: f64 = 64.0;

/// A part of the common curve of two pieces, within both faces.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) pieces: [u32; 2],
    pub(super) steps: Vec<Step>,
    pub(super) closed: bool,
    /// Whether it ended for lack of progress.
    pub(super) stuck: bool,
}

impl Branch {
    /// Whether all of it runs on the rim of a piece of one body.
    pub(super) fn is_on_rim(&self) -> bool {
        let on = |x: f64| x.abs().min((x - 1.0).abs()) <= RIM_SLACKS * PIECE_BORDER_REL;
        (0..4).any(|i| self.steps.iter().all(|step| on(step.at[i])))
    }
}

/// All branches of the common curve of a piece of A and one of B.
pub(super) fn branches(
    scene: &Scene,
    pieces: [u32; 2],
    floor: f64,
    budget: &mut u64,
) -> (Vec<Branch>, Seeds) {
    let mut found = seeds(scene, pieces, floor, budget);
    let march = March::new(scene, pieces);
    let marks = if found.places.is_empty() { Vec::new() } else { marks(scene, pieces, floor, budget) };
    let places: Vec<Place> = std::mem::take(&mut found.places);
    let mut left = vec![true; places.len()];
    let (mut all, mut followed) = (Vec::new(), Vec::<Branch>::new());
    while let Some(at) = left.iter().rposition(|left| *left) {
        left[at] = false;
        let Some(branch) = through(&march, pieces, places[at]) else {
            continue;
        };
        // Seeds of earlier branches too: this one may leave and come back where an earlier one began.
        let mut on_rim: Vec<(usize, Step)> = Vec::new();
        for (other, left) in places.iter().zip(&mut left) {
            if let Some(k) = march.passes_at(&branch.steps, &march.step(*other, branch.steps[0].tangent)) {
                *left = false;
                if other.iter().any(|x| *x == 0.0 || *x == 1.0) {
                    on_rim.push((k, march.step(*other, branch.steps[k].tangent)));
                }
            }
        }
        // Where a rim runs in the other surface, the curve found along it is all there is.
        found.along_rim.retain(|place| !is_on(place, &branch));
        for part in without_detours(&march, branch, on_rim) {
            let middle = part.steps[part.steps.len() / 2];
            if followed.iter().all(|known| march.passes_at(&known.steps, &middle).is_none()) {
                all.extend(trimmed(scene, &march, part.clone(), &marks));
                followed.push(part);
            }
        }
    }
    (all, found)
}

/// A branch without what leaves the pieces and comes back within one step: `on_rim` are common points on a rim, each with
/// the step that passes it.
fn without_detours(march: &March, branch: Branch, on_rim: Vec<(usize, Step)>) -> Vec<Branch> {
    if on_rim.is_empty() {
        return vec![branch];
    }
    let Branch { pieces, steps, closed, stuck } = branch;
    let mut dense: Vec<Step> = Vec::with_capacity(steps.len() + on_rim.len());
    let mut leaves: Vec<bool> = Vec::with_capacity(dense.capacity());
    for (k, step) in steps.iter().enumerate() {
        dense.push(*step);
        let chord = steps.get(k + 1).map_or(step.tangent, |next| next.point - step.point);
        let mut here: Vec<Step> = on_rim.iter().filter(|(at, _)| *at == k).map(|(_, step)| *step).collect();
        here.sort_by(|one, other| one.point.dot(chord).total_cmp(&other.point.dot(chord)));
        dense.append(&mut here);
        leaves.resize(dense.len(), false);
    }
    for k in 0..dense.len() - 1 {
        leaves[k] = march.is_outside_between(&dense[k], &dense[k + 1]);
    }
    let Some(first) = leaves.iter().position(|leaves| *leaves) else {
        return vec![Branch { pieces, steps: dense, closed, stuck }];
    };
    if closed {
        // Start behind a detour; the last point is the first one.
        dense.pop();
        leaves.pop();
        dense.rotate_left(first + 1);
        leaves.rotate_left(first + 1);
    }
    let mut parts = vec![Vec::new()];
    for (step, leaves) in dense.into_iter().zip(leaves) {
        if let Some(part) = parts.last_mut() {
            part.push(step);
        }
        if leaves {
            parts.push(Vec::new());
        }
    }
    parts.retain(|part| part.len() > 1);
    parts.into_iter().map(|steps| Branch { pieces, steps, closed: false, stuck }).collect()
}

/// Where the edges of trimmed faces cross the other piece.
fn marks(scene: &Scene, pieces: [u32; 2], floor: f64, budget: &mut u64) -> Vec<DVec3> {
    let mut found = Vec::new();
    for side in 0..2 {
        if !scene.piece(side, pieces[side]).trimmed {
            continue;
        }
        let (own, other) = (scene.net(side, pieces[side]), scene.net(1 - side, pieces[1 - side]));
        for edge in scene.edges_of(side, pieces[side]) {
            let curve = scene.net(side, edge);
            let near = curve.center.distance(other.center) <= curve.radius + other.radius
                && curve.center.distance(own.center) <= curve.radius + own.radius + scene.join_distance();
            if near {
                let all = crossings(curve, other, floor, budget);
                found.extend(all.found.iter().map(|crossing| other.jet(crossing.at).point));
            }
        }
    }
    found
}

/// Whether a place where the search did not decide is on a branch.
pub(super) fn is_on(place: &Unresolved, branch: &Branch) -> bool {
    branch.steps.windows(2).any(|pair| {
        let [one, next] = [&pair[0], &pair[1]];
        let sag = one.point.distance(next.point) * one.tangent.distance(next.tangent);
        to_segment(place.point, [one.point, next.point]) <= 2.0 * place.radius + sag
    })
}

/// The branch through a common point; `None` where it has no length.
fn through(march: &March, pieces: [u32; 2], place: Place) -> Option<Branch> {
    let (tangent, _) = march.tangent(&place)?;
    let point = march.jets(&place)[0].point;
    let start = Step { at: place, point, tangent, along_cross: true };
    let back = Step { tangent: -tangent, along_cross: false, ..start };
    let mut ends = [End::Rim; 2];
    let mut steps = vec![start];
    if enters(march, &start) {
        (steps, ends[0]) = march.follow(start);
    }
    if ends[0] != End::Closed && enters(march, &back) {
        let (behind, end) = march.follow(back);
        ends[1] = end;
        let turned = |step: &Step| Step { tangent: -step.tangent, along_cross: !step.along_cross, ..*step };
        let mut whole: Vec<Step> = behind.iter().skip(1).rev().map(turned).collect();
        whole.append(&mut steps);
        steps = whole;
    }
    (steps.len() > 1).then(|| Branch {
        pieces,
        steps,
        closed: ends[0] == End::Closed || ends[1] == End::Closed,
        stuck: ends.contains(&End::Stuck),
    })
}

/// Whether a direction does not lead out of the pieces at once.
fn enters(march: &March, start: &Step) -> bool {
    let pace = march.pace(start);
    let most = pace.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    (0..4).all(|i| {
        let at = start.at[i];
        let out = if at <= PIECE_BORDER_REL {
            -pace[i]
        } else if at >= 1.0 - PIECE_BORDER_REL {
            pace[i]
        } else {
            0.0
        };
        out <= PIECE_BORDER_REL * most
    })
}

/// The faces of two pieces.
struct Faces<'a> {
    scene: &'a Scene<'a>,
    pieces: [u32; 2],
}

impl Faces<'_> {
    /// Whether a common point of the pieces belongs to both.
    fn hold(&self, at: &Place) -> bool {
        (0..2).all(|i| self.scene.holds(i, self.pieces[i], DVec2::new(at[2 * i], at[2 * i + 1])))
    }
}

/// The parts of a branch within both faces. `marks` are points where the edges of the faces cross the other face.
fn trimmed(scene: &Scene, march: &March, branch: Branch, marks: &[DVec3]) -> Vec<Branch> {
    let pieces = branch.pieces;
    if (0..2).all(|i| !scene.is_trimmed(i, pieces[i])) {
        return vec![branch];
    }
    let faces = Faces { scene, pieces };
    let (steps, kept) = marked(march, &branch, marks, &faces);
    let Branch { closed, stuck, .. } = branch;
    let (mut steps, mut kept) = (steps, kept);
    if kept.iter().all(|held| *held) {
        return vec![Branch { pieces, steps, closed, stuck }];
    }
    if closed && let Some(out) = kept.iter().position(|held| !held) {
        // Start where it is outside; the last point is the first one.
        steps.pop();
        steps.rotate_left(out);
        steps.push(steps[0]);
        kept.rotate_left(out);
    }
    let mut parts = vec![vec![steps[0]]];
    for (k, held) in kept.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if *held => part.push(steps[k + 1]),
            _ => parts.push(vec![steps[k + 1]]),
        }
    }
    parts.retain(|part| part.len() > 1);
    parts.into_iter().map(|steps| Branch { pieces, steps, closed: false, stuck }).collect()
}

/// A branch with points where it crosses the boundary of a face, and for each two neighbours whether what is between them
/// is within both faces.
fn marked(march: &March, branch: &Branch, marks: &[DVec3], faces: &Faces) -> (Vec<Step>, Vec<bool>) {
    let at_mark = |mark: &DVec3| {
        let apart = |k: usize| to_segment(*mark, [branch.steps[k].point, branch.steps[k + 1].point]);
        let nearest = (0..branch.steps.len() - 1).min_by(|&i, &j| apart(i).total_cmp(&apart(j))).unwrap_or(0);
        let [from, to] = [&branch.steps[nearest], &branch.steps[nearest + 1]];
        let sag = from.point.distance(to.point) * from.tangent.distance(to.tangent);
        let at = march.across(from, to, *mark).filter(|_| apart(nearest) <= sag + march.mark)?;
        let step = march.step(at.map(onto_rim), from.tangent);
        (step.point.distance(*mark) <= march.mark).then_some((nearest, step))
    };
    let found: Vec<(usize, Step)> = marks.iter().filter_map(at_mark).collect();
    let mut steps: Vec<Step> = Vec::with_capacity(branch.steps.len() + found.len());
    let mut kept = Vec::with_capacity(steps.capacity());
    for (k, pair) in branch.steps.windows(2).enumerate() {
        steps.push(pair[0]);
        let chord = pair[1].point - pair[0].point;
        let mut here: Vec<Step> = found.iter().filter(|(at, _)| *at == k).map(|(_, step)| *step).collect();
        here.sort_by(|one, other| one.point.dot(chord).total_cmp(&other.point.dot(chord)));
        let ends = [faces.hold(&pair[0].at), faces.hold(&pair[1].at)];
        if here.is_empty() && ends[0] == ends[1] {
            kept.push(ends[0]);
            continue;
        }
        let cut = cut(march, pair, here, faces);
        kept.extend(cut.windows(2).map(|two| two[0].1));
        steps.extend(cut[1..cut.len() - 1].iter().map(|(step, _)| *step));
    }
    steps.extend(branch.steps.last());
    (steps, kept)
}

/// The ends of a step, the points between them where edges of the faces cross it, and those where it leaves or enters the faces
/// beside; each with whether what follows it is within both faces.
fn cut(march: &March, ends: &[Step], marks: Vec<Step>, faces: &Faces) -> Vec<(Step, bool)> {
    // A mark is on the border of a face: what is beside it tells.
    let mut known = vec![(ends[0], Some(faces.hold(&ends[0].at)))];
    for to in marks.into_iter().chain([ends[1]]) {
        let from = known[known.len() - 1].0;
        let middle = march.across(&from, &to, 0.5 * (from.point + to.point)).map(|at| at.map(onto_rim));
        known.extend(middle.map(|at| (march.step(at, from.tangent), Some(faces.hold(&at)))));
        known.push((to, None));
    }
    let last = known.len() - 1;
    known[last].1 = Some(faces.hold(&ends[1].at));
    let mut found = Vec::with_capacity(2 * known.len());
    for two in known.windows(2) {
        let (from, to) = (&two[0], &two[1]);
        match (from.1, to.1) {
            (Some(one), Some(other)) if one != other => {
                found.push((from.0, one));
                found.push((border(march, [&from.0, &to.0], one, faces), other));
            }
            (one, other) => found.push((from.0, one.or(other).unwrap_or(false))),
        }
    }
    found.push((ends[1], false));
    found
}

/// The last point within both faces between two neighbouring points of which one is.
fn border(march: &March, ends: [&Step; 2], first_held: bool, faces: &Faces) -> Step {
    let [from, to] = ends;
    let length = (to.point - from.point).dot(from.tangent);
    let (mut held, mut out) = if first_held { (0.0, 1.0) } else { (1.0, 0.0) };
    let mut best = if first_held { *from } else { *to };
    for _ in 0..TRIM_HALVINGS {
        let share = 0.5 * (held + out);
        let Some(at) = march.advanced(from, share * length) else { break };
        if faces.hold(&at) {
            held = share;
            best = march.step(at.map(onto_rim), from.tangent);
        } else {
            out = share;
        }
    }
    best
}
