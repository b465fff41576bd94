//! What is known of one part must not be taken for another's.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::global::Prepared;
use crate::global::side::Memory;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DQuat, Part as BodyPart, PartTree, Pose};
use clearance_testkit::Random;

/// How far apart two balls are.
const APART: f64 = 2.6;

/// A plane through the top of the first of two balls, along a normal.
fn sight(ready: &Prepared, turn: DQuat, normal: DVec3) -> Sight {
    // Longitude and latitude of the top, in the ball's own frame.
    let own = turn.inverse() * normal;
    let longitude = own.y.atan2(own.x).rem_euclid(std::f64::consts::TAU);
    let parameters = DVec2::new(longitude, own.z.asin());
    let leaves = ready.tree().leaves();
    let holds = |piece: &pieces::Piece| {
        let rect = &piece.span.rect;
        piece.leaf == 0
            && piece.dimension == 2
            && rect.u.contains(parameters.x)
            && rect.v.contains(parameters.y)
    };
    let piece = leaves.iter().position(holds).unwrap();
    let at = leaves[piece].span.local(parameters).clamp(DVec2::ZERO, DVec2::ONE);
    let jet = leaves[piece].jet(at);
    Sight {
        normal,
        point: jet.point,
        bend: 0.0,
        share: 1e-9,
        round: 1e-14,
        span: 8.0,
        piece: piece as u32,
        at,
        jet,
    }
}

/// A plane on top of one ball turns until the top of the other is beyond it, at the very parameters of the nearest point: that the
/// pieces around the nearest point are concave says nothing of the pieces of the other ball.
#[test]
fn top_of_another_ball_is_seen_beyond() {
    let mut random = Random::new(7);
    let (mut concave, mut seen) = (0, 0);
    for case in 0..40 {
        // The same turn for both, so that their pieces have the same places.
        let turn = random.quaternion();
        let ball = || BodyPart::Tiled(TiledBody::sphere(1.0).unwrap());
        let parts = [DVec3::ZERO, DVec3::X * APART].map(|at| (ball(), Pose::new(turn, at).unwrap()));
        let both = Prepared::new(&Body::from(PartTree::of_parts(parts.to_vec()).unwrap())).unwrap();
        let mut memory = Memory::with_capacity(4096, 65_536, both.tree().leaves().len());
        memory.clear(both.tree());
        let mut side = Side::kept(both.body(), both.tree(), &mut memory);
        let mut crest = Crest::new();
        crest.begin();
        let step = [1e-4, 1e-3, 1e-2][case % 3];
        for frame in -12..24 {
            let angle = step * (f64::from(frame) + 0.5);
            let now = sight(&both, turn, DVec3::new(angle.sin(), 0.0, angle.cos()));
            crest.turn(&now);
            let mut verdict = crest.check(&mut side, &now, true);
            if matches!(verdict, Verdict::Beyond(..)) {
                verdict = crest.check(&mut side, &now, false);
            }
            if !matches!(verdict, Verdict::Below) {
                break;
            }
            let of_other = |known: &&Known| {
                let Part::Cell(at) = known.part else { return false };
                let piece = &both.tree().leaves()[side.cell(at).piece as usize];
                piece.leaf == 1 && matches!(known.reason, Reason::Concave(_))
            };
            concave += crest.known.iter().filter(of_other).count();
            let beyond = APART * angle.sin();
            if beyond > 2.0 * now.share {
                assert!(crest.beyond.len() > 0, "case {case}, frame {frame}: {beyond} beyond");
                seen += 1;
            }
        }
    }
    assert!(concave > 20 && seen > 200, "{concave} concave, {seen} seen");
}
