//! Certificates with something wrong in them: claims that are false, proofs with holes, bodies that are not those proved
//! about. A checker must refuse every one.

use crate::Random;
use clearance_certificate::{Axis, Certificate, Patch, Shape, Side, Step};
use glam::{DMat3, DVec3};

/// Names of what [`tampered`] does.
pub const TAMPERINGS: [&str; 13] = [
    "distance raised",
    "distance lowered",
    "bound raised",
    "leaf dropped",
    "subtree dropped",
    "leaf shrunk to a half",
    "leaf that says nothing",
    "body changed",
    "pose moved",
    "pose moved and sealed",
    "piece dropped and sealed",
    "worse witness, bound raised",
    "worse witness, bound raised, leaf of a neighbour",
];

/// The certificate with `TAMPERINGS[how]` done to it, by a length `by`; `None` where that cannot be done to it.
pub fn tampered(file: &Certificate, how: usize, by: f64, random: &mut Random) -> Option<Certificate> {
    let mut out = file.clone();
    let leaves: Vec<usize> = (0..file.proof.len()).filter(|&at| is_leaf(&file.proof[at])).collect();
    let any_leaf = |random: &mut Random| (!leaves.is_empty()).then(|| *random.pick(&leaves));
    match TAMPERINGS[how] {
        "distance raised" => out.distance += by,
        "distance lowered" => out.distance -= by,
        "bound raised" => out.lower_bound += by,
        "leaf dropped" => {
            out.proof.remove(any_leaf(random)?);
        }
        "subtree dropped" => drop_subtree(&mut out, random)?,
        "leaf shrunk to a half" => {
            // Its cell is cut in two and only one half is proved.
            let side = random.index(2);
            let axis = match file.bodies[side].pieces[0].shape {
                Shape::Level(_) => Axis::X,
                _ => Axis::U,
            };
            out.proof
                .insert(any_leaf(random)?, Step::Split { side: [Side::A, Side::B][side], axis: Some(axis) });
        }
        "leaf that says nothing" => {
            say_nothing(&mut out, any_leaf(random)?, random)?;
        }
        "body changed" => change_body(&mut out, by, random),
        "pose moved" => out.pose.translation[random.index(3)] += by,
        "pose moved and sealed" => {
            let [a, b] = witnesses(file)?;
            let toward = (a - b).normalize_or_zero() * by;
            let moved = DVec3::from_array(out.pose.translation) + toward;
            out.pose.translation = moved.to_array();
            out.seal();
        }
        "piece dropped and sealed" => {
            out.bodies[random.index(2)].pieces.pop();
            out.seal();
        }
        other => {
            worse_witness(&mut out, by, random)?;
            if other.ends_with("neighbour") {
                let (at, from) = (any_leaf(random)?, any_leaf(random)?);
                out.proof[at] = file.proof[from];
            }
        }
    }
    Some(out)
}

fn is_leaf(step: &Step) -> bool {
    !matches!(step, Step::Split { .. })
}

/// Puts a step that claims nothing in the place of a slab; `None` for other leaves: an edge that is one point, and a face
/// outside its trim, do say something whatever is claimed of them.
fn say_nothing(out: &mut Certificate, at: usize, random: &mut Random) -> Option<()> {
    let nothing = [
        Step::Slab { direction: [0.0; 3] },
        Step::Slab { direction: [f64::NAN, 0.0, 1.0] },
        Step::Free { side: Side::A, alpha: 0.0, beta: Some(0.0) },
        Step::Free { side: Side::B, alpha: 0.0, beta: None },
    ];
    // Against a half-space a slab has the direction of its normal, whatever is written.
    let mut pieces = out.bodies.iter().flat_map(|body| &body.pieces);
    let over_plane = pieces.any(|piece| matches!(piece.shape, Shape::HalfSpace(_)));
    if over_plane || !matches!(out.proof[at], Step::Slab { .. }) {
        return None;
    }
    out.proof[at] = *random.pick(&nothing);
    Some(())
}

/// Moves one number of one body, a coordinate by about `by`; the digest stays.
fn change_body(out: &mut Certificate, by: f64, random: &mut Random) {
    let pieces = &mut out.bodies[random.index(2)].pieces;
    let piece = random.index(pieces.len());
    match &mut pieces[piece].shape {
        Shape::Patch(patch) => {
            let point = random.index(patch.points.len());
            let weight = patch.points[point][3];
            patch.points[point][random.index(3)] += by * weight;
        }
        Shape::Level(level) => {
            let term = random.index(level.terms.len());
            level.terms[term].0 *= 1.0 + 1e-9;
        }
        Shape::HalfSpace(half) => half.offset += by,
    }
}

/// Ends the proof with a split, below which nothing is said.
fn drop_subtree(out: &mut Certificate, random: &mut Random) -> Option<()> {
    let at: Vec<usize> =
        (0..out.proof.len().saturating_sub(1)).filter(|&at| !is_leaf(&out.proof[at])).collect();
    if at.is_empty() {
        return None;
    }
    let at = *random.pick(&at);
    out.proof.truncate(at + 1);
    Some(())
}

/// Witnesses that are farther apart, and a bound between their distance and the true one.
fn worse_witness(out: &mut Certificate, by: f64, random: &mut Random) -> Option<()> {
    let true_distance = out.distance;
    for _ in 0..20 {
        let side = random.index(2);
        let pieces = &out.bodies[side].pieces;
        let piece = random.index(pieces.len());
        let Shape::Patch(patch) = &pieces[piece].shape else { continue };
        if patch.trim.as_ref().is_some_and(|trim| !trim.is_empty()) {
            continue;
        }
        let at = (0..patch.degree.len()).map(|_| random.unit()).collect();
        let before =
            std::mem::replace(&mut out.witnesses[side], clearance_certificate::Witness { piece, at });
        let [a, b] = witnesses(out)?;
        if a.distance(b) > true_distance + 2.0 * by {
            out.distance = a.distance(b);
            out.lower_bound = true_distance + by;
            return Some(());
        }
        out.witnesses[side] = before;
    }
    None
}

/// Both witnesses in the frame of A; `None` where one is not on a patch.
fn witnesses(file: &Certificate) -> Option<[DVec3; 2]> {
    let point = |side: usize| {
        let witness = &file.witnesses[side];
        let Shape::Patch(patch) = &file.bodies[side].pieces[witness.piece].shape else { return None };
        Some(evaluated(patch, &witness.at))
    };
    let rows = DMat3::from_cols_array_2d(&file.pose.rotation);
    Some([point(0)?, rows.transpose() * point(1)? + DVec3::from_array(file.pose.translation)])
}

/// De Casteljau, the second parameter first.
fn evaluated(patch: &Patch, at: &[f64]) -> DVec3 {
    let along = |mut row: Vec<[f64; 4]>, t: f64| {
        while row.len() > 1 {
            let mix = |p: [f64; 4], q: [f64; 4]| std::array::from_fn(|i| p[i] + t * (q[i] - p[i]));
            row = row.windows(2).map(|pair| mix(pair[0], pair[1])).collect();
        }
        row[0]
    };
    let [x, y, z, w] = match patch.degree[..] {
        [_, v] => {
            let rows = patch.points.chunks(v + 1).map(|row| along(row.to_vec(), at[1])).collect();
            along(rows, at[0])
        }
        [_] => along(patch.points.clone(), at[0]),
        _ => patch.points[0],
    };
    DVec3::new(x, y, z) / w
}
