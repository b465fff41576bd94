//! Seams between fixed bodies: where two of them have faces in one plane, nothing catches on the edges between them.
//!
//! Source: none; as in unions (`events::seam`).
//! Differs: nothing to differ from.
//! Ends because: loops over events and the fixed bodies near them.
//! Cost: a product for each face of each fixed polytope that is near a body which is near two of them.
//! Not promised: seams of fixed bodies with curved faces, and of half-spaces.

use crate::events::{Limits, Placed, is_seam};
use crate::report::WorldEvent;
use crate::world::World;

impl World {
    /// Drops the events at edges of fixed bodies that others continue flush; `pairs` are those that are near each other, sorted.
    pub(crate) fn drop_seams(&mut self, pairs: &[[usize; 2]]) {
        if self.is_planar() {
            return;
        }
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len()];
        for &[a, b] in pairs {
            for [fixed, moving] in [[a, b], [b, a]] {
                if !self.bodies[fixed].moves() {
                    near[moving].push(fixed);
                }
            }
        }
        if near.iter().all(|fixed| fixed.len() < 2) {
            return;
        }
        let mut events = std::mem::take(&mut self.events);
        events.retain(|event| {
            let [a, b] = event.bodies;
            let ends = [(a, b, 1.0), (b, a, -1.0)];
            !ends.iter().any(|&(fixed, moving, sign)| {
                let seams = !self.bodies[fixed].moves() && near[moving].len() > 1;
                seams && near[moving].iter().any(|&other| self.is_at_seam(event, [fixed, other], sign))
            })
        });
        self.events = events;
    }

    /// Whether an event of a fixed body is at an edge where another is flush with it.
    fn is_at_seam(&self, event: &WorldEvent, [fixed, other]: [usize; 2], sign: f64) -> bool {
        if fixed == other {
            return false;
        }
        let limits: Limits = self.limits(event.bodies);
        let side = event.bodies.iter().position(|&body| body == fixed).unwrap_or(0);
        let own = &self.bodies[fixed];
        let Some(part) = own.parts.get(event.event.id.parts[side] as usize) else { return false };
        let own = Placed { part, pose: own.pose() * part.pose };
        let outward = event.event.normal * sign;
        let point = event.event.point - outward * (event.event.gap / 2.0);
        let center = self.bodies[event.bodies[1 - side]].position;
        let other = &self.bodies[other];
        let others = Placed::all(&other.parts, &other.pose());
        others.iter().any(|other| is_seam(&own, other, point, outward, center, &limits))
    }
}
