//! A rational Bézier patch or curve, cut as a search for common points needs it.
//!
//! Source: de Casteljau's subdivision in homogeneous coordinates.
//! Differs: a net carries what subdivision may have rounded away as a slack, and knows which part of its piece it is.
//! Ends because: loops run over control points.
//! Cost: one blend per control point and degree for each cut.
//! Not promised: nets smaller than their slack; searches stop before.

use crate::global::derivatives::{Derivatives, Patch};
use crate::global::descend::Shape;
use crate::global::slab::{Slab, across, toward};
use crate::tolerance::{BLEND_ERROR_REL, CONE_ROUNDING_RAD, HEIGHT_ERROR_REL};
use clearance_geometry::bound::DirectionCone;
use clearance_geometry::pieces::{self, Piece};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3, DVec4, Pose};

/// A part of a patch, of a curve, or of a line of parameters on a patch.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub(super) dimension: usize,
    pub(super) degrees: [usize; 2],
    pub(super) net: Vec<DVec4>,
    points: Vec<DVec3>,
    /// Across a patch; zero for a curve.
    across: DVec3,
    /// A ball around it.
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// How far its points may be from those of the feature; a length.
    pub(super) slack: f64,
    /// Its rectangle of the piece's parameters.
    pub(super) low: DVec2,
    pub(super) high: DVec2,
}

impl Net {
    /// A piece, moved.
    pub(super) fn of_piece(piece: &Piece, pose: &Pose) -> Self {
        let moved = |p: &DVec4| (pose.rotate(p.truncate()) + pose.translation() * p.w).extend(p.w);
        let high = DVec2::new(f64::from(piece.dimension > 0), f64::from(piece.dimension > 1));
        let net = piece.net.iter().map(moved).collect();
        Self::new(piece.dimension, piece.degrees, net, piece.slack, [DVec2::ZERO, high])
    }

    /// A segment from one point to another.
    pub(super) fn segment(ends: [DVec3; 2]) -> Self {
        let net = ends.iter().map(|p| p.extend(1.0)).collect();
        Self::new(1, [1, 0], net, 0.0, [DVec2::ZERO, DVec2::X])
    }

    fn new(
        dimension: usize,
        degrees: [usize; 2],
        net: Vec<DVec4>,
        slack: f64,
        [low, high]: [DVec2; 2],
    ) -> Self {
        let points: Vec<DVec3> = net.iter().map(|p| p.truncate() / p.w).collect();
        let (least, most) =
            points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let center = 0.5 * (least + most);
        let square = points.iter().fold(0.0_f64, |most, p| most.max(p.distance_squared(center)));
        let reach = least.abs().max(most.abs()).max_element();
        let blends = (degrees[0].max(degrees[1]) + 1) as f64;
        let slack = slack + BLEND_ERROR_REL * blends * reach;
        let across = if dimension == 2 { across(degrees, &points) } else { DVec3::ZERO };
        Self {
            dimension,
            degrees,
            net,
            points,
            across,
            center,
            radius: square.sqrt() + slack,
            slack,
            low,
            high,
        }
    }

    /// The part below (0) and above (1) a value of its own parameter along an axis.
    fn split(&self, axis: usize, at: f64) -> [Self; 2] {
        let [p, q] = self.degrees;
        let (degree, stride, others, step) =
            if axis == 0 { (p, q + 1, q + 1, 1) } else { (q, 1, p + 1, q + 1) };
        let (mut below, mut above) = (self.net.clone(), self.net.clone());
        for row in 0..others {
            let first = row * step;
            for level in 1..=degree {
                for i in (level..=degree).rev() {
                    let (one, other) = (below[first + (i - 1) * stride], below[first + i * stride]);
                    below[first + i * stride] = one + (other - one) * at;
                }
                for i in 0..=degree - level {
                    let (one, other) = (above[first + i * stride], above[first + (i + 1) * stride]);
                    above[first + i * stride] = one + (other - one) * at;
                }
            }
        }
        let middle = self.low[axis] + (self.high[axis] - self.low[axis]) * at;
        let (mut high, mut low) = (self.high, self.low);
        high[axis] = middle;
        low[axis] = middle;
        [
            Self::new(self.dimension, self.degrees, below, self.slack, [self.low, high]),
            Self::new(self.dimension, self.degrees, above, self.slack, [low, self.high]),
        ]
    }

    /// Both halves along an axis.
    pub(super) fn halves(&self, axis: usize) -> [Self; 2] {
        self.split(axis, 0.5)
    }

    /// The part over a rectangle of its own parameters.
    pub(super) fn restricted(&self, low: DVec2, high: DVec2) -> Self {
        let mut part = self.clone();
        for axis in 0..self.dimension {
            if high[axis] < 1.0 {
                let [below, _] = part.split(axis, high[axis]);
                part = below;
            }
            if low[axis] > 0.0 {
                let [_, above] = part.split(axis, low[axis] / high[axis]);
                part = above;
            }
        }
        part
    }

    /// One side of a patch as a curve: where its parameter along `axis` has its least (0) or greatest (1) value.
    pub(super) fn side(&self, axis: usize, end: usize) -> Self {
        let [p, q] = self.degrees;
        let along = 1 - axis;
        let net = if axis == 0 {
            let first = end * p * (q + 1);
            self.net[first..=first + q].to_vec()
        } else {
            (0..=p).map(|i| self.net[i * (q + 1) + end * q]).collect()
        };
        let range = [DVec2::new(self.low[along], 0.0), DVec2::new(self.high[along], 0.0)];
        Self::new(1, [self.degrees[along], 0], net, self.slack, range)
    }

    /// The curve of a patch at a value of its own parameter along `axis`.
    pub(super) fn line(&self, axis: usize, at: f64) -> Self {
        let [below, above] = self.split(axis, at);
        if at < 1.0 { above.side(axis, 0) } else { below.side(axis, 1) }
    }

    /// Balls around its derivatives by its own parameters.
    pub(super) fn derivatives(&self) -> Derivatives {
        let Self { dimension, degrees, center, radius, .. } = *self;
        Derivatives::of_net(&Patch { dimension, degrees, center, radius, far: 0.0 }, &self.net)
    }

    /// All normals of a patch, from the balls of its derivatives; either way round.
    pub(super) fn normals(&self) -> DirectionCone {
        let [u, v] = self.derivatives().first;
        let normal = u.center.cross(v.center);
        let error = u.center.length() * v.radius + v.center.length() * u.radius + u.radius * v.radius;
        let sine = (error / normal.length()) * (1.0 + HEIGHT_ERROR_REL);
        if sine < 1.0 {
            DirectionCone::new(normal.normalize_or_zero(), sine.asin() + CONE_ROUNDING_RAD)
        } else {
            DirectionCone::FULL
        }
    }

    /// Its own parameters, 0 … 1, as those of its piece.
    pub(super) fn in_piece(&self, own: DVec2) -> DVec2 {
        self.low + (self.high - self.low) * own
    }

    /// Its control points: it is within their hull, but for its slack.
    pub(super) fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// How long it is along an axis.
    pub(super) fn length(&self, axis: usize) -> f64 {
        let [p, q] = self.degrees;
        let at = |i: usize, j: usize| self.points[i * (q + 1) + j];
        if axis >= self.dimension {
            0.0
        } else if axis == 0 {
            (0..=q).fold(0.0_f64, |most, j| most.max(at(0, j).distance(at(p, j))))
        } else {
            (0..=p).fold(0.0_f64, |most, i| most.max(at(i, 0).distance(at(i, q))))
        }
    }

    /// The axis along which it is longest, with that length; a closed row counts with its control polygon.
    pub(super) fn longest(&self) -> (usize, f64) {
        let (u, v) = (self.length(0), self.length(1));
        if u >= v { (0, u.max(0.5 * self.radius)) } else { (1, v.max(0.5 * self.radius)) }
    }
}

impl Shape for Net {
    fn jet(&self, local: DVec2) -> SurfaceJet {
        pieces::jet(self.degrees, &self.net, local)
    }
}

/// A proven lower bound on the distance of two nets; at least `enough` where that is easily shown.
pub(super) fn gap(a: &Net, b: &Net, enough: f64) -> f64 {
    let between = b.center - a.center;
    let distance = between.length();
    let reach = a.center.abs().max_element() + b.center.abs().max_element() + distance;
    let round = HEIGHT_ERROR_REL * reach;
    let balls = distance - a.radius - b.radius - round;
    if balls > enough {
        return balls;
    }
    let mut best = Slab { lower: balls, normal: DVec3::Z };
    let lost = a.slack + b.slack + round;
    for normal in [a.across, b.across] {
        let lower = along(&a.points, &b.points, normal) - lost;
        if lower > best.lower {
            best = Slab { lower, normal };
        }
        if best.lower > enough {
            return best.lower;
        }
    }
    toward(&a.points[..], &b.points[..], between, lost, enough, &mut best);
    best.lower
}

/// How far two sets of points are apart along a direction, whichever of them is ahead.
fn along(a: &[DVec3], b: &[DVec3], normal: DVec3) -> f64 {
    if normal == DVec3::ZERO {
        return f64::NEG_INFINITY;
    }
    let range = |points: &[DVec3]| {
        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
            let height = p.dot(normal);
            (low.min(height), high.max(height))
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    (low_b - high_a).max(low_a - high_b)
}

/// Whether two nets are proven to have no common point.
pub(super) fn apart(a: &Net, b: &Net) -> bool {
    gap(a, b, 0.0) > 0.0
}
