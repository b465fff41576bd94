//! Every threshold of this crate: its unit, its reason, and what breaks on either side of it.

pub use clearance_geometry::tolerance::*;

/// Radians. An event's normal may lean this far from the normal of the grown bodies' contact: the faces and edges that can
/// carry the next contact when a body rocks.
/// Larger: faces round a corner act as walls. Smaller: a tilted box misses the corners it is about to land on, and sinks by
/// first order in the step.
pub const EVENT_LEAN_RAD: f64 = 0.3;

/// Dimensionless, times the smaller radius of the two bodies: ε_x of 002, how far outside the outline of a face a corner
/// may lie to stand on it.
/// Larger: corners beyond an edge are held up. Smaller: bodies stacked flush lose their corners to rounding.
pub const EVENT_OUTSIDE_REL: f64 = 1e-3;

/// Dimensionless, times the smaller radius: ε₀ of 002, how far below the gap of the pair an event's own gap may lie.
/// Larger: planes that do not separate the bodies act as walls. Smaller: ties are decided by rounding.
pub const EVENT_BELOW_REL: f64 = 1e-6;

/// Dimensionless, times the smaller radius: the least ε_t of 002 as a length, for bodies that hardly move.
/// Larger: time is lost on events that do not bind. Smaller: events of bodies at rest come and go.
pub const EVENT_MARGIN_REL: f64 = 1e-3;

/// Dimensionless: a share of the smaller radius between points, a sine between normals. Events closer than both say the same
/// and only the first is kept.
/// Larger: events that differ are merged, and a body may tilt by as much. Smaller: flush faces have four events per corner.
pub const EVENT_SAME_REL: f64 = 1e-7;

/// Dimensionless, times the radius of the smaller body, or radians: what joints may be open by at the end of a step.
/// Larger: pendulums gain energy. Smaller: rounds are spent on digits that nobody sees.
pub const BEND_REL: f64 = 1e-10;

/// The same beside contacts that push.
/// Larger: chains that lie down open by as much. Smaller: programs with contacts are solved again for digits that nobody sees.
pub const BESIDE_REL: f64 = 1e-8;

/// Dimensionless, times the speed of bodies against each other: how fast overlaps may be pushed apart besides.
/// Larger: what is thrown into another is thrown out of it. Smaller: overlaps of what is struck fast are of first order in the step
/// where there is no gravity.
pub const CORRECTION_SPEED_REL: f64 = 0.1;

/// Dimensionless, times the energy that bodies had: work of constraints that is not rounding, nor what a solver leaves.
/// Larger: bodies bounce higher than they fell. Smaller: what solvers leave counts as energy that came in.
pub const WORK_REL: f64 = 1e-6;

/// Radians in a step above which a body's joints are not closed at its end.
/// Larger: rounds may lead away from a solution. Smaller: joints of what turns fast open.
pub const BEND_TURN_RAD: f64 = 0.5;

/// Dimensionless, times the energy that each overlap needs alone, were its lighter body as heavy as the island: what all of them may need
/// together, since each box of a stack has to be faster than the one below it.
/// Larger: bodies that overlap all around are thrown about. Smaller: stacks that overlap are pushed apart over many steps, and said to have
/// given way.
pub const TOGETHER_RATIO: f64 = 100.0;

/// Dimensionless, times the energy that all bodies have at the speed at which overlaps are pushed apart: the same, for turning, which is
/// not counted in that.
/// Larger: bodies are thrown about by deep overlaps. Smaller: long bodies, which turn as they part, are said to give way.
pub const FASTER_RATIO: f64 = 4.0;

/// Radians of a turn without torque that one series takes: its terms fall like the powers of this.
/// Larger: series do not end within their terms, and bodies that turn fast gain energy. Smaller: more series.
pub const PART_RAD: f64 = 0.25;

/// Dimensionless: the share of what is left that a step makes good where a joint started outside its limits.
/// Larger: it arrives with some speed, and flies past. Smaller: it takes long to come back.
pub const STRAYED_SHARE: f64 = 0.2;

/// Dimensionless: a share of a body, or of a joint's reach, by which constraints are broken rather than inexact at the end of a run.
/// Larger: bodies left within each other pass for sound. Smaller: what a long step leaves is called broken.
pub const BROKEN_REL: f64 = 0.05;

/// Dimensionless, times the fastest speed in the world: a residual that says nothing was solved.
/// Larger: steps without a solution pass. Smaller: an impact that a step leaves to the next ones is called unsolved.
pub const UNSOLVED_RATIO: f64 = 10.0;

/// Radians in a step by which a body may swing about where the forces of its joints hold it: SHAKE is stable up to 2.
/// Larger: light links under tension gain energy. Smaller: mechanisms are slow.
pub const STIFF_TURN_RAD: f64 = 0.9;

/// The same in a part of a step, once it is taken in parts, and beside contacts.
/// Larger: heavy bodies on light links gain energy. Smaller: steps are cut into more parts than they need.
pub const STIFF_PART_RAD: f64 = 0.5;

/// Dimensionless, as [`BEND_REL`]: joints left more open than this by a step ask for shorter ones.
/// Larger: joints of what moves fast open by as much. Smaller: steps are cut for what rounding leaves.
pub const OPEN_REL: f64 = 1e-8;

/// Dimensionless, a share of the kinetic energy: what joints alone may add to it in a step; in a part of one, as much less as it is shorter.
/// Larger: chains that snap tight gain by as much. Smaller: steps are cut for the swing of the energy about its mean.
pub const GAIN_REL: f64 = 1e-3;

/// Dimensionless: how many times farther from a solution than none the impulses of the last step may be, by the worst contact, to
/// be started from: of a heap's many good ones one bad contact says little.
/// Larger: what an impact left is swept up for long. Smaller: heaps begin anew because of one contact.
pub const STALE_RATIO: f64 = 8.0;

/// Dimensionless. Events of the last step are kept while they hold within this many times the thresholds.
/// Larger: events linger where they no longer bind. Smaller: an event at its threshold flickers.
pub const EVENT_KEEP: f64 = 1.5;

/// Dimensionless, times the smaller radius: features within this of carrying an event are remembered, and they alone are
/// looked at while points of the bodies have moved by less than a quarter of it.
/// Larger: more features are looked at in vain. Smaller: bodies that creep have all of theirs gone through at every step.
pub const EVENT_ROOM_REL: f64 = 2e-3;

/// Radians: the same for how features lean.
/// Larger: more features are looked at in vain. Smaller: as above.
pub const EVENT_ROOM_RAD: f64 = 2e-3;

/// Dimensionless: a sine. Edges that cross at a smaller angle have no normal of their own to be trusted; that of the best
/// face beside them stands in its place. The determinant limit of 002, as an angle.
/// Larger: honest edge pairs lose their exact gradient. Smaller: the normal turns wildly while a box hardly moves.
pub const EVENT_CROSSING: f64 = 0.05;

/// Dimensionless: a sine. Edges closer to parallel have no crossing at all; corners on faces cover their contact.
/// Larger: gaps between that rule and corners. Smaller: the crossing is rounding.
pub const EVENT_PARALLEL: f64 = 1e-7;

/// Dimensionless, a share of an edge's length by which a crossing may lie beyond its ends.
/// Larger: crossings double the corners. Smaller: a crossing at an end is lost to rounding.
pub const EVENT_EDGE_REL: f64 = 1e-9;

/// Dimensionless: a sine, or a length over another. Circles, faces and lines that lean by less lie level, so that which of
/// their points is the lowest means nothing.
/// Larger: a disc that leans by as much touches beside its lowest point, and sinks by as much of its radius. Smaller: the
/// events of a disc at rest turn about with the rounding.
pub const EVENT_LEVEL: f64 = 1e-9;

/// Dimensionless, times the smaller radius: how far bodies that are not convex are drawn apart, at least, where they overlap,
/// to ask for their nearest points.
/// Larger: the nearest points are those of another place. Smaller: queries are made of bodies that still touch.
pub const EVENT_DRAW_REL: f64 = 1e-4;

/// Dimensionless, times the smaller radius: events of bodies that are not convex, kept from earlier steps, are dropped where
/// their points have slid by more, and replaced by new ones that are nearer than this.
/// Larger: bodies are held where they no longer touch. Smaller: a body on three feet stands on one of them at a time.
pub const EVENT_SLIDE_REL: f64 = 0.02;

/// Dimensionless: a share of the lengths of the tangents. A height whose slope along a surface is less has an extremum there.
/// Larger: places beside a minimum count as one. Smaller: rounding hides minima.
pub const EVENT_SLOPE_REL: f64 = 1e-7;

/// Radians: the angle between the faces of an edge above which it is sharp enough for its points to touch of themselves.
/// Larger: blunt edges sink in. Smaller: seams of smooth surfaces are taken for edges.
pub const EVENT_SHARP_RAD: f64 = 0.02;

/// Dimensionless: a sine. Faces of two parts of a union that lean from each other by less are one face, flush.
/// Larger: shallow steps of a floor are slid over. Smaller: the seams of a floor trip what slides over it.
pub const EVENT_FLUSH: f64 = 1e-3;

/// Dimensionless, times the square of a row's length. What is left of a row's square after projection on the active ones
/// below which it depends on them.
/// Larger: independent contacts are taken for dependent. Smaller: the factor of the active rows becomes singular.
pub const DEPENDENT_ROW_SQ: f64 = 1e-14;

/// Dimensionless, times the square of a row's length: as the above, where rows' products are factored and the rest is a
/// difference of squares.
/// Larger: heavy bodies on light links are taken for dependent rows, and held by slower methods. Smaller: rounding is
/// divided by.
pub const DEPENDENT_PIVOT_REL: f64 = 1e-12;

/// Dimensionless, times the largest velocity of a program. A constraint violated by no more counts as held.
/// Larger: bodies sink by this much per step. Smaller: rounding keeps the active set busy.
pub const VIOLATION_REL: f64 = 1e-13;

/// Dimensionless, times the largest velocity of a program: where the block method stops.
/// Larger: stacks sag. Smaller: sweeps are spent on digits that the step does not have.
pub const BLOCK_RESIDUAL_REL: f64 = 1e-6;

/// Dimensionless, times the largest velocity of a program: what `auto` may leave where it gives up on large groups, unless many
/// more sweeps leave it too. Larger: light bodies between heavy ones are driven into them. Smaller: heaps that fall cost more.
pub const ROUGH_RESIDUAL_REL: f64 = 0.2;

/// Dimensionless, times the energy of the velocities that impulses change: what impulses of a large group, left far from a solution, may
/// put in beyond what their constraints ask for. Larger: heaps wake by themselves. Smaller: heaps that fall cost more, and slide as the
/// convex relaxation has it.
pub const SURPLUS_SHARE: f64 = 0.1;

/// Dimensionless, times the largest velocity of a program: where `auto` stops for large groups.
/// Larger: stacks creep. Smaller: steps at rest are spent on digits that nobody sees.
pub const LARGE_RESIDUAL_REL: f64 = 1e-5;

/// Dimensionless, times the product of its diagonal: the least determinant of a contact's 3 × 3 block that can be inverted.
/// Larger: contacts that can stick are only projected, which takes more sweeps. Smaller: the inverse is rounding.
pub const STICK_DETERMINANT_REL: f64 = 1e-9;

/// Dimensionless, times the trace: what is added to the squares of the differences between sweeps before they are combined.
/// Larger: sweeps are hardly accelerated. Smaller: differences that are rounding get large shares.
pub const MEMORY_RIDGE_REL: f64 = 1e-12;

/// Dimensionless, over the square of a constraint's lines: the stiffness of the springs of a round of multipliers. A spring of
/// 1 holds a constraint alone to half of its velocity.
/// Larger: rounding in the velocities, times this, is all that is left of the impulses. Smaller: more rounds.
pub const SPRING_REL: f64 = 1e5;

/// Dimensionless, as the above: the stiffest springs, for groups in which rounds gain little.
/// Larger: rounding in the velocities, times this, moves bodies visibly. Smaller: long chains take more rounds.
pub const SPRING_MOST_REL: f64 = 1e7;

/// Dimensionless, times the largest velocity of a program: where rounds of multipliers stop.
/// Larger: bodies at rest creep. Smaller: rounding times the stiffness of the springs keeps rounds going.
pub const SPARSE_RESIDUAL_REL: f64 = 1e-9;

/// Dimensionless, times the above: the least violation that counts as one when rounds no longer lower it.
/// Larger: jammed programs use up all rounds. Smaller: programs at the limit of rounding are called jammed.
pub const STALL_REL: f64 = 1e3;

/// Dimensionless, times the largest velocity of a program: where the fixed point of friction stops.
/// Larger: sliding bodies hover. Smaller: it is not reached, since a violation ε of an exact cone leaves its direction
/// uncertain by √ε.
pub const FRICTION_RESIDUAL_REL: f64 = 1e-6;

/// Dimensionless, times the largest velocity of a program: where the fixed point of friction stops on cones with facets, whose
/// directions are not uncertain; what is above [`FRICTION_RESIDUAL_REL`] is reported as relaxed all the same.
/// Larger: overlap that is there only because the fixed point was not reached hides what the scheme leaves. Smaller: rounding
/// keeps it going.
pub const FACET_RESIDUAL_REL: f64 = 1e-12;

/// Dimensionless, times the mean diagonal of the Delassus matrix: the compliance of an elastic step.
/// Larger: jammed bodies sink. Smaller: the elastic step does not converge.
pub const ELASTIC_REL: f64 = 1e-4;

/// Dimensionless. A share of the largest pivot below which Lemke's method sees zero.
/// Larger: honest pivots are refused. Smaller: rounding is pivoted on.
pub const PIVOT_REL: f64 = 1e-12;

/// Dimensionless, times the sum of the principal moments: by how much the largest may exceed the sum of the other two.
/// Larger: inertias that no body has are taken. Smaller: that of a plate, written down with three digits, is refused.
pub const INERTIA_REL: f64 = 1e-3;

/// Dimensionless: a length over another, or a sine. What a joint's rows, axes or distances must exceed to have a direction.
/// Larger: honest joints are refused. Smaller: rows are made of rounding.
pub const JOINT_REL: f64 = 1e-9;

/// Dimensionless, times how far a joint reaches, or radians. One that started outside its limits has come back when it is no
/// further outside them, and what is open by less is made good at once.
/// Larger: it is let go with some speed. Smaller: it is led for ever, and cannot leave its limit.
pub const STRAYED_REL: f64 = 1e-9;

/// Dimensionless, and an energy: the duality gap at which the reference stops. Velocities are right to its square root.
/// Larger: the reference is no reference. Smaller: it ends for want of progress.
pub const INTERIOR_GAP: f64 = 1e-12;

/// Dimensionless, times the speed of a fall over a body's radius: bodies slower than this may fall asleep.
/// Larger: bodies that topple slowly freeze. Smaller: heaps that creep within the tolerance of the solver never sleep.
pub const SLEEP_SPEED_REL: f64 = 1e-2;

/// Dimensionless, times the smaller radius of a pair. An overlap that a step would lead to at an event that it did not have, so
/// that it is made again. Larger: struck bodies sink in for a step. Smaller: steps are made again for what nobody sees.
pub const OVERLOOKED_REL: f64 = 1e-3;

/// Dimensionless, a share of [`LARGE_RESIDUAL_REL`]: up to it impulses are taken over from the last step without Newton steps.
/// Larger: what a step leaves is carried on. Smaller: bodies at rest are solved for in every step.
pub const STILL_SHARE: f64 = 0.05;

/// The same after Newton steps. Impulses that made an error good carry that correction on, and would kick bodies at rest again:
/// they are solved for once more, until what is taken over is the weight of the bodies alone.
/// Larger: stacks tremble. Smaller: Newton steps are taken for digits that nobody sees.
pub const STILLER_SHARE: f64 = 5e-3;

/// The same that Newton steps go on to while each round gains much: the errors of impulses add up over the steps that take them
/// over, with the square of their number. Larger: stacks creep. Smaller: rounds are spent on rounding.
pub const FINE_SHARE: f64 = 1e-3;
