//! Points of the common curve of two pieces such that every branch of it has one.
//!
//! Source: Sederberg and Meyers (1988): where no normal of one patch is parallel to one of the other, their common curve has
//! no closed loop, so that every branch meets the rim of one of them.
//! Differs: both pieces are halved until that holds for every pair of parts that may meet; the crossings of the parts' rims
//! are the seeds, so that a loop inside both pieces has one where it leaves a part.
//! Ends because: parts are halved down to a floor; what is left is returned as unresolved.
//! Cost: a pair of parts for each stretch of the curve over which normals turn by the angle between the surfaces.
//! Not promised: where surfaces touch without crossing, anything but the places.

use super::crossing::{Unresolved, crossings};
use super::march::{Place, onto_rim};
use super::net::{Net, apart};
use super::scene::Scene;
use crate::tolerance::{COINCIDENT_REL, CROSSING_BORDER_REL, FLAT_CONE_RAD, PIVOT_REL};
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// Samples along each parameter by which two surfaces are recognised as one.
const SAMPLES: usize = 3;

/// What is known of the common points of two pieces before any curve is followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Seeds {
    /// At least one point of every branch, where nothing is unresolved.
    pub(super) places: Vec<Place>,
    /// Where surfaces are parallel or nearly so.
    pub(super) tangent: Vec<Unresolved>,
    /// Where the rim of a part runs in the other surface, or touches it.
    pub(super) along_rim: Vec<Unresolved>,
    /// Whether both pieces are parts of the same surface.
    pub(super) coincident: bool,
}

/// Finds seeds of the common curve of a piece of A and one of B; `budget` counts pairs of parts down.
pub(super) fn seeds(scene: &Scene, pieces: [u32; 2], floor: f64, budget: &mut u64) -> Seeds {
    let mut found = Seeds::default();
    let mut waiting = vec![[0, 1].map(|i| scene.net(i, pieces[i]).clone())];
    while let Some(nets) = waiting.pop() {
        let outside = |i: usize| scene.cover(i, pieces[i], nets[i].low, nets[i].high) == Cover::Outside;
        if apart(&nets[0], &nets[1]) || outside(0) || outside(1) {
            continue;
        }
        let whole = nets[0].high - nets[0].low == DVec2::ONE && nets[1].high - nets[1].low == DVec2::ONE;
        let normals = [0, 1].map(|i| {
            let known = scene.normals(i, pieces[i], nets[i].low, nets[i].high);
            if known.is_full() { nets[i].normals() } else { known }
        });
        let crossing = !normals[0].meets(&normals[1]) && !normals[0].meets(&normals[1].reversed());
        if crossing {
            rims(&nets, floor, budget, &mut found);
            continue;
        }
        if whole && is_same(scene, pieces, normals[0].angle.max(normals[1].angle)) {
            found.coincident = true;
            return found;
        }
        let give_up = *budget == 0;
        *budget = budget.saturating_sub(1);
        if give_up || nets[0].radius.max(nets[1].radius) <= floor {
            let small = if nets[0].radius < nets[1].radius { &nets[0] } else { &nets[1] };
            found.tangent.push(Unresolved { point: small.center, radius: small.radius });
            if give_up {
                return found;
            }
            continue;
        }
        waiting.extend(halved(nets, normals.map(|cone| cone.angle)));
    }
    found
}

/// Cuts the part whose normals turn more, unless the other is much larger.
fn halved(nets: [Net; 2], angles: [f64; 2]) -> Vec<[Net; 2]> {
    let score = |i: usize| (angles[i] + FLAT_CONE_RAD) * nets[i].radius;
    let first = score(0) >= score(1);
    let [a, b] = nets;
    if first {
        let axis = a.longest().0;
        a.halves(axis).into_iter().map(|half| [half, b.clone()]).collect()
    } else {
        let axis = b.longest().0;
        b.halves(axis).into_iter().map(|half| [a.clone(), half]).collect()
    }
}

/// The common points of each part's rim with the other part.
fn rims(nets: &[Net; 2], floor: f64, budget: &mut u64, found: &mut Seeds) {
    for i in 0..2 {
        let (own, other) = (&nets[i], &nets[1 - i]);
        for (axis, end) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let rim = own.side(axis, end);
            // A side that is a single point belongs to its neighbours.
            if rim.radius <= PIVOT_REL * own.radius + rim.slack {
                continue;
            }
            let fixed = if end == 0 { own.low[axis] } else { own.high[axis] };
            let all = crossings(&rim, other, floor, budget);
            found.along_rim.extend(all.open);
            for crossing in all.found {
                let mut local = DVec2::splat(crossing.t);
                local[axis] = fixed;
                let halves = if i == 0 { [local, crossing.at] } else { [crossing.at, local] };
                let place = [halves[0].x, halves[0].y, halves[1].x, halves[1].y].map(onto_rim);
                let same = |p: &Place| (0..4).all(|k| (p[k] - place[k]).abs() <= CROSSING_BORDER_REL);
                if !found.places.iter().any(same) {
                    found.places.push(place);
                }
            }
        }
    }
}

/// Whether two pieces that may meet lie on one surface.
fn is_same(scene: &Scene, pieces: [u32; 2], widest: f64) -> bool {
    if widest <= FLAT_CONE_RAD {
        return true;
    }
    let owners = [0, 1].map(|i| scene.piece(i, pieces[i]));
    let (Some(_), Some(other)) = (scene.face(0, owners[0]), scene.face(1, owners[1])) else { return false };
    let near = COINCIDENT_REL * scene.reach;
    let domain = other.surface.domain();
    let middle = owners[1].span.parameters(DVec2::splat(0.5));
    (0..SAMPLES * SAMPLES).all(|k| {
        let share = |n: usize| (n as f64 + 0.5) / SAMPLES as f64;
        let local = DVec2::new(share(k % SAMPLES), share(k / SAMPLES));
        let point: DVec3 = crate::global::descend::Shape::jet(scene.net(0, pieces[0]), local).point;
        let target = scene.leaf_point(1, owners[1], point);
        let located = other.surface.locate(target, domain, Some(middle));
        located.distance <= near
    })
}
