//! A joint's two ends in the world, and the rows made of them.

use super::{End, Free, Joint, JointRow};
use crate::body::Twist;
use crate::program::Demand;
use clearance_geometry::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Both ends of a joint in the world.
pub(super) struct Frame {
    /// From the mass centres to the anchors.
    arms: [DVec3; 2],
    /// From A's mass centre to B's anchor: where forces on A act whose direction turns with A.
    reach: DVec3,
    /// From A's anchor to B's.
    pub(super) apart: DVec3,
    /// A's axis, and two directions across it; zero where the joint has none.
    pub(super) axis: DVec3,
    pub(super) across: [DVec3; 2],
    axis_b: DVec3,
    across_b: DVec3,
    orientations: [DQuat; 2],
}

impl Frame {
    pub(super) fn new(joint: &Joint, ends: [End; 2]) -> Self {
        let arms = [0, 1].map(|at| ends[at].orientation * joint.anchors[at]);
        let turned = |at: usize, direction: DVec3| {
            if joint.has_directions() { ends[at].orientation * direction } else { DVec3::ZERO }
        };
        let (axis, first) = (turned(0, joint.axes[0]), turned(0, joint.across[0]));
        let anchor_b = ends[1].center + arms[1];
        Self {
            arms,
            reach: anchor_b - ends[0].center,
            apart: anchor_b - (ends[0].center + arms[0]),
            axis,
            across: [first, axis.cross(first)],
            axis_b: turned(1, joint.axes[1]),
            across_b: turned(1, joint.across[1]),
            orientations: ends.map(|end| end.orientation),
        }
    }

    /// Keeps the anchors together along directions: fixed ones, or ones that turn with A.
    pub(super) fn place(&self, directions: &[DVec3], rows: &mut Vec<JointRow>) {
        rows.extend(directions.iter().map(|&d| self.along(d, d.dot(self.apart), Demand::Zero)));
    }

    /// The change of a distance along a direction that turns with A; exact for fixed ones where the anchors meet.
    pub(super) fn along(&self, direction: DVec3, value: f64, demand: Demand) -> JointRow {
        let twists = [Twist::at(direction, self.reach).reversed(), Twist::at(direction, self.arms[1])];
        JointRow::new(twists, value, demand)
    }

    /// Keeps the axes parallel.
    pub(super) fn align(&self, rows: &mut Vec<JointRow>) {
        for across in self.across {
            let turn = self.axis_b.cross(across);
            let value = across.dot(self.axis_b);
            let twists = [Twist::turn(-turn), Twist::turn(turn)];
            rows.push(JointRow::new(twists, value, Demand::Zero));
        }
    }

    /// Keeps the orientations together.
    pub(super) fn hold(&self, relative: DQuat, rows: &mut Vec<JointRow>) {
        let off = self.orientations[1] * (self.orientations[0] * relative).conjugate();
        let sign = if off.w < 0.0 { -2.0 } else { 2.0 };
        let turn = DVec3::new(off.x, off.y, off.z) * sign;
        for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
            let twists = [Twist::turn(-direction), Twist::turn(direction)];
            let value = direction.dot(turn);
            rows.push(JointRow::new(twists, value, Demand::Zero));
        }
    }

    /// The angle of B about the axis from where it started, with the whole turns that bring it nearest to what is expected.
    pub(super) fn angle(&self, expected: f64) -> f64 {
        let angle = self.across[1].dot(self.across_b).atan2(self.across[0].dot(self.across_b));
        angle + TAU * ((expected - angle) / TAU).round()
    }

    /// What the axis on B has turned about from the axis on A, and by how much; any direction across where they are parallel.
    pub(super) fn swing(&self) -> (DVec3, f64) {
        let cross = self.axis.cross(self.axis_b);
        let angle = cross.length().atan2(self.axis.dot(self.axis_b));
        (cross.try_normalize().unwrap_or(self.across[1]), angle)
    }

    /// Where the axes are nearly parallel the swing may set out any way, and its own row sees one alone: four more do. Exact to
    /// second order in the swing, and left out where it is no longer small.
    pub(super) fn guards(&self, free: &Free, rows: &mut Vec<JointRow>) {
        let Some([_, high]) = free.limits.filter(|[_, high]| free.place < high / 2.0) else { return };
        let swing = self.swing().0 * free.place;
        for about in [self.across[0], self.across[1], -self.across[0], -self.across[1]] {
            let twists = [Twist::turn(about), Twist::turn(-about)];
            rows.push(JointRow::new(twists, high - about.dot(swing), Demand::NotNegative));
        }
    }

    /// Direction and length from A's anchor to B's.
    pub(super) fn between(&self) -> (DVec3, f64) {
        let length = self.apart.length();
        (self.apart.try_normalize().unwrap_or(self.axis), length)
    }
}
