//! Pairs of bodies with curved faces: far apart, close, all but touching, one inside the other, and aligned so that
//! nearest points are not unique.

use super::body::{BODY_KINDS, SMALLEST, body};
use crate::Random;
use clearance_geometry::{Body, Part, PartTree, Pose};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

/// Pairs that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CurvedFamily {
    /// Any two primitives, not two boxes.
    Primitives,
    /// Two ellipsoids.
    Ellipsoids,
    /// Two tori.
    Tori,
    /// Two of cylinders, cones and stumps of cones, with their caps.
    Capped,
    /// Two open spline surfaces, rational ones among them.
    Patches,
    /// Any two bodies of [`BODY_KINDS`], not two polytopes.
    Any,
}

impl CurvedFamily {
    /// Every family.
    pub const ALL: [Self; 6] =
        [Self::Primitives, Self::Ellipsoids, Self::Tori, Self::Capped, Self::Patches, Self::Any];

    fn has(self, kind: &str) -> bool {
        let capped = matches!(kind, "cylinder" | "cone" | "stump");
        match self {
            Self::Primitives => {
                capped || matches!(kind, "sphere" | "ellipsoid" | "capsule" | "torus" | "box")
            }
            Self::Ellipsoids => kind == "ellipsoid",
            Self::Tori => kind == "torus",
            Self::Capped => capped,
            Self::Patches => matches!(kind, "sheet" | "rational sheet"),
            Self::Any => true,
        }
    }

    /// Two kinds of body.
    fn kinds(self, random: &mut Random) -> [usize; 2] {
        let all: Vec<usize> = (0..BODY_KINDS.len()).filter(|&kind| self.has(BODY_KINDS[kind])).collect();
        let is_flat = |kind: usize| matches!(BODY_KINDS[kind], "box" | "hull" | "point" | "segment");
        loop {
            let kinds = [*random.pick(&all), *random.pick(&all)];
            if !kinds.into_iter().all(is_flat) {
                return kinds;
            }
        }
    }
}

/// The body moved away from its own origin.
pub fn far_away(body: &Body, to: DVec3) -> Body {
    let part = match body {
        Body::Tiled(tiled) => Part::Tiled(tiled.clone()),
        Body::Polytope(polytope) => Part::Polytope(polytope.clone()),
        _ => return body.clone(),
    };
    let pose = Pose::from_translation(to).expect("a pose");
    PartTree::of_parts(vec![(part, pose)]).map_or_else(|| body.clone(), Into::into)
}

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stand {
    /// By more than their size.
    Apart,
    /// Anywhere near, overlapping or not.
    Close,
    /// Along axes, turned by right angles, at simple distances: loci and ties.
    Aligned,
    /// B small and somewhere in the room that A takes.
    Within,
    /// Away from their own origins by a thousand sizes.
    Far,
}

/// Every way to stand.
pub const STANDS: [Stand; 5] = [Stand::Apart, Stand::Close, Stand::Aligned, Stand::Within, Stand::Far];

/// Two bodies and where B is, seen from A.
#[derive(Clone, Debug)]
pub struct CurvedPair {
    /// Body A.
    pub a: Body,
    /// Body B.
    pub b: Body,
    /// Their kinds, by [`BODY_KINDS`].
    pub kinds: [usize; 2],
    /// Where B is.
    pub pose_ab: Pose,
    /// How they stand.
    pub stand: Stand,
    /// Size of the larger one.
    pub scale: f64,
}

impl CurvedPair {
    /// The kinds in words.
    pub fn names(&self) -> String {
        let [a, b] = self.kinds.map(|kind| BODY_KINDS[kind]);
        format!("{a} and {b}")
    }
}

/// A random pair of a family, scales from 10⁻⁵ to 10⁶.
pub fn curved_pair(random: &mut Random, family: CurvedFamily) -> CurvedPair {
    let kinds = family.kinds(random);
    let scale = 10.0_f64.powi(*random.pick(&[0, 0, 0, -5, 6, -3, 3]));
    let stand = *random.pick(&STANDS);
    let share = if stand == Stand::Within {
        *random.pick(&[0.05, 0.2])
    } else {
        *random.pick(&[1.0, 1.0, 0.3, 0.01])
    };
    let (mut a, mut b) =
        (body(random, kinds[0], scale), body(random, kinds[1], (scale * share).max(SMALLEST)));
    let mut pose_ab = pose(random, stand, scale);
    if stand == Stand::Far {
        let to = random.direction() * 1e3 * scale;
        (a, b) = (far_away(&a, to), far_away(&b, to * share));
        // What was moved in both frames is moved back between them.
        let unions = |kind: usize| BODY_KINDS[kind] == "union";
        let out = if unions(kinds[0]) { DVec3::ZERO } else { to };
        let back = if unions(kinds[1]) { DVec3::ZERO } else { to * share };
        let shift = pose_ab.translation() + out - pose_ab.rotate(back);
        pose_ab = pose_ab.with_translation(shift);
    }
    CurvedPair { a, b, kinds, pose_ab, stand, scale }
}

fn pose(random: &mut Random, stand: Stand, scale: f64) -> Pose {
    let (turn, shift) = match stand {
        Stand::Apart => (random.quaternion(), random.direction() * random.uniform(2.5, 6.0)),
        Stand::Close | Stand::Far => (random.quaternion(), random.direction() * random.uniform(0.2, 3.0)),
        Stand::Within => (random.quaternion(), random.in_ball()),
        Stand::Aligned => {
            let axis = *random.pick(&[DVec3::X, DVec3::Y, DVec3::Z]);
            let turn = DQuat::from_axis_angle(axis, FRAC_PI_2 * random.index(4) as f64);
            let mut at = || 0.5 * random.index(7) as f64 - 1.5;
            let shift = DVec3::new(at(), at(), at());
            // Often along one axis alone.
            (turn, if random.chance(0.5) { shift * axis * 2.0 } else { shift })
        }
    };
    Pose::new(turn, shift * scale).expect("a pose")
}
