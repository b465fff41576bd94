//! The ratio metric of 002, chapter 2: propositions, the equivalence theorem, figures.

use super::bodies::{self, Random};
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::terminal::number;
use crate::track;
use clearance_formats::{Answer, AnyBody, Request, Scene, Shape, Wants};
use clearance_geometry::{DVec2, Polygon, Polytope, Pose, tolerance};
use clearance_proximity::{Proximity, ratio};

/// A little less than 1: bodies grown by this much less than r are apart by a small but clear gap.
const HAIR: f64 = 0.999;

/// Random pairs per claim.
const PAIRS: usize = 4000;

/// A pair of random hulls with both measures.
struct Pair {
    a: Polytope,
    b: Polytope,
    pose_ab: Pose,
    growth: ratio::Growth,
    answer: Proximity,
}

/// Random pairs: about half overlapping, the rest apart.
fn pairs(seed: u64) -> impl Iterator<Item = Result<Pair, Failure>> {
    let mut random = Random::new(seed);
    (0..PAIRS).map(move |_| {
        let (a, b) = (bodies::random_hull(&mut random)?, bodies::random_hull(&mut random)?);
        let pose_ab = bodies::pose(random.rotation(), random.vector() * 2.5)?;
        let growth = grown(&a, &b, &pose_ab)?;
        let answer = answered(&a, &b, &pose_ab)?;
        Ok(Pair { a, b, pose_ab, growth, answer })
    })
}

fn grown(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Result<ratio::Growth, Failure> {
    ratio::growth(a, b, pose_ab).map_err(|error| Failure::input("unsupported_pair", error.to_string()))
}

fn answered(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Result<Proximity, Failure> {
    clearance_proximity::distance(&a.clone().into(), &b.clone().into(), pose_ab)
        .map_err(|error| Failure::from(clearance_formats::Error::from(error)))
}

/// Proposition 2.13.
pub(super) fn symmetry(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let mut worst = 0.0_f64;
    for pair in pairs(bench.seed) {
        let pair = pair?;
        let back = grown(&pair.b, &pair.a, &pair.pose_ab.inverse())?;
        worst = worst.max((back.ratio - pair.growth.ratio).abs() / pair.growth.ratio);
    }
    Ok(Finding {
        ours: format!("{PAIRS} pairs; largest relative difference {}", number(worst)),
        verdict: Judgement::of(worst <= tolerance::AGREEMENT_REL),
    })
}

/// Proposition 2.14, with contact made by moving each pair along its normal until it touches.
pub(super) fn trichotomy(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (mut apart, mut overlapping, mut touching, mut wrong) = (0, 0, 0, 0);
    let mut worst = 0.0_f64;
    for pair in pairs(bench.seed) {
        let Pair { a, b, pose_ab, growth, answer } = pair?;
        if answer.state.overlaps() {
            overlapping += 1;
            wrong += usize::from(growth.ratio >= 1.0);
        } else {
            apart += 1;
            wrong += usize::from(growth.ratio <= 1.0);
        }
        let touch = pose_ab.translation() - answer.normal * answer.signed_distance;
        let growth = grown(&a, &b, &pose_ab.with_translation(touch))?;
        touching += 1;
        worst = worst.max((growth.ratio - 1.0).abs());
    }
    Ok(Finding {
        ours: format!(
            "{apart} apart, {overlapping} overlapping: {wrong} on the wrong side of 1\n\
             {touching} moved into contact: largest |r - 1| = {}",
            number(worst)
        ),
        verdict: Judgement::of(
            wrong == 0 && apart > PAIRS / 10 && overlapping > PAIRS / 10 && worst <= tolerance::AGREEMENT_REL,
        ),
    })
}

/// Theorem 2.16 with the hypothesis it lacks: ε replaced by the inradii about the centres.
pub(super) fn theorem_2_16(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (mut apart, mut overlapping, mut beyond, mut broken) = (0, 0, 0, 0);
    for pair in pairs(bench.seed) {
        let Pair { a, b, pose_ab, growth, answer } = pair?;
        let between = pose_ab.apply(b.center() + b.anchor()) - (a.center() + a.anchor());
        let (centers, inradii) = (between.length(), a.inradius() + b.inradius());
        let s = answer.signed_distance.abs();
        let Some(rho) = growth.rho else { continue };
        let slack = tolerance::AGREEMENT_REL * (1.0 + rho.abs());
        let (low, high) = if answer.state.overlaps() {
            if s >= inradii {
                beyond += 1;
                continue;
            }
            overlapping += 1;
            (-s / (inradii - s), -s / centers)
        } else {
            apart += 1;
            (s / centers, s / (inradii + s))
        };
        broken += usize::from(!(low - slack <= rho && rho <= high + slack));
    }
    Ok(Finding {
        ours: format!(
            "printed without the inradii it fails for nearly concentric bodies; with R = R1 + R2:\n\
             s/D <= rho <= s/(R+s) held on {apart} pairs apart, -s/(R-s) <= rho <= -s/D on {overlapping} overlapping\n\
             {broken} broken, {beyond} deeper than R and outside the theorem"
        ),
        verdict: Judgement::of(broken == 0 && apart > PAIRS / 10 && overlapping > PAIRS / 10),
    })
}

/// Figure 2: after growing or shrinking by r about their centres, both pairs of triangles just touch.
pub(super) fn figure_2(_: &Bench<'_>) -> Result<Finding, Failure> {
    let scene =
        track::scene(include_str!("../../../../scenes/002/figure-2.toml"), "scenes/002/figure-2.toml")?;
    let mut lines = Vec::new();
    let mut agrees = true;
    for (pair, answer) in first_frame(&scene)? {
        let Some(r) = answer.ratio else { continue };
        let gap = answer_of(&scene, pair, Some(r))?.nearness();
        let names = pair.map(|at| scene.bodies[at].name.as_str());
        lines.push(format!(
            "{} – {}: r = {}, gap after scaling by r: {}",
            names[0],
            names[1],
            number(r),
            number(gap)
        ));
        agrees &= gap.abs() <= tolerance::AGREEMENT_REL && ((r > 1.0) == (answer.nearness() > 0.0));
    }
    Ok(Finding { ours: lines.join("\n"), verdict: Judgement::of(agrees && lines.len() == 2) })
}

/// Figure 5: the two planes, as the angle between their normals.
pub(super) fn figure_5(_: &Bench<'_>) -> Result<Finding, Failure> {
    let scene =
        track::scene(include_str!("../../../../scenes/002/figure-5.toml"), "scenes/002/figure-5.toml")?;
    let mut lines = Vec::new();
    let mut agrees = false;
    for (pair, answer) in first_frame(&scene)? {
        let Some(r) = answer.ratio else { continue };
        // A hair short of contact, so that the closest points have a direction between them.
        let touch = answer_of(&scene, pair, Some(r * HAIR))?;
        let entries = |answer: &Answer| answer.normal.map_or_else(Vec::new, |normal| normal.to_vec());
        let cos: f64 = entries(&touch).iter().zip(entries(&answer)).map(|(x, y)| x * y).sum();
        let degrees = cos.clamp(-1.0, 1.0).acos().to_degrees();
        lines.push(format!(
            "depth {}, r = {}: the normals are {degrees:.1} degrees apart",
            number(-answer.nearness()),
            number(r)
        ));
        agrees = degrees > 1.0 && answer.state.overlaps();
    }
    Ok(Finding { ours: lines.join("\n"), verdict: Judgement::of(agrees) })
}

/// Figure 10: the distance of a turning bar from the floor against its closed form, and the jump of its slope.
pub(super) fn figure_10(_: &Bench<'_>) -> Result<Finding, Failure> {
    let scene =
        track::scene(include_str!("../../../../scenes/002/figure-10.toml"), "scenes/002/figure-10.toml")?;
    let histories = track::follow(&scene)?;
    let Some(samples) = histories.first().map(|history| &history.samples) else {
        return Ok(Finding { ours: "no frames".to_owned(), verdict: Judgement::Disagrees });
    };
    let mut worst = 0.0_f64;
    for sample in samples {
        let angle = (2.0 * sample.time).to_radians();
        worst = worst.max((sample.nearness() - (2.0 - 1.5 * angle.sin().abs())).abs());
    }
    let slope = |at: usize| samples[at + 1].nearness() - samples[at].nearness();
    let jump = slope(90) - slope(89);
    let degree = 2_f64.to_radians();
    Ok(Finding {
        ours: format!(
            "{} frames: largest difference from y1 - a |sin angle| is {}\n\
             slope jumps by {} per radian at the level frame 90 (-2 a = -3)",
            samples.len(),
            number(worst),
            number(jump / degree)
        ),
        verdict: Judgement::of(worst <= tolerance::AGREEMENT_REL && (jump / degree + 3.0).abs() < 0.01),
    })
}

/// Names and answers, with the ratio, of every pair of a scene at its start.
fn first_frame(scene: &Scene) -> Result<Vec<([usize; 2], Answer)>, Failure> {
    scene.track()?.pairs.iter().map(|&pair| Ok((pair, answer_of(scene, pair, None)?))).collect()
}

/// The answer for a pair at its start; both bodies scaled about their centres by `growth`, if given.
fn answer_of(scene: &Scene, pair: [usize; 2], growth: Option<f64>) -> Result<Answer, Failure> {
    let shapes = pair.map(|at| {
        let shape = &scene.bodies[at].shape;
        growth.map_or_else(|| Ok(shape.clone()), |by| scaled(shape, by))
    });
    let [a, b] = shapes;
    let (a, b) = (a?, b?);
    let mut request = Request::new(&a, scene.bodies[pair[0]].pose, &b, scene.bodies[pair[1]].pose);
    request.wants = Wants { ratio: growth.is_none(), ..Wants::default() };
    Ok(clearance_formats::answer(&request)?)
}

/// A polygon scaled about its centre.
fn scaled(shape: &Shape, by: f64) -> Result<Shape, Failure> {
    let AnyBody::Planar(polygon) = &shape.body else {
        return Err(Failure::input("dimension_mismatch", "the figure is planar"));
    };
    let center = polygon.center();
    let corners: Vec<DVec2> =
        polygon.vertices().iter().map(|corner| polygon.anchor() + center + (*corner - center) * by).collect();
    let grown = Polygon::from_points(&corners).map_err(clearance_formats::Error::from)?;
    Ok(Shape { body: AnyBody::Planar(grown), ..shape.clone() })
}
