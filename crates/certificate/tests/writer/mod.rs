//! A naive writer of certificates for scenes whose answer is known: plain floats, subdivision, no search for the answer.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test program uses a part")]

pub mod scenes;

use clearance_certificate::{
    Axis, BodyDescription, Certificate, Patch, Piece, Pose, Shape, Side, Step, TrimPart, VERSION, Witness,
};

pub type V = [f64; 3];

pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

pub fn moved(pose: &Pose, p: V) -> V {
    let r = pose.rotation;
    [0, 1, 2].map(|k| dot(r[k], p) + pose.translation[k])
}

/// A part of a piece.
#[derive(Clone)]
pub enum Part {
    Group(usize),
    Net { piece: usize, degree: Vec<usize>, net: Vec<[f64; 4]>, low: [f64; 2], high: [f64; 2] },
    Box { piece: usize, low: V, high: V },
    HalfSpace,
}

/// The two bodies of a certificate, as the writer sees them.
pub struct Writer<'a> {
    bodies: &'a [BodyDescription; 2],
    pose: Pose,
    bound: f64,
    /// Directions worth trying everywhere.
    hints: Vec<V>,
    pub proof: Vec<Step>,
    /// Depth at which a claim is made without a reason.
    pub give_up_at: Option<usize>,
    depth: usize,
}

const MOST_STEPS: usize = 200_000;

impl<'a> Writer<'a> {
    pub fn new(bodies: &'a [BodyDescription; 2], pose: Pose, bound: f64, hints: Vec<V>) -> Self {
        Self { bodies, pose, bound, hints, proof: Vec::new(), give_up_at: None, depth: 0 }
    }

    /// Proves what is below a pair. Whatever cannot be proven runs into the limit.
    pub fn prove(&mut self, pair: &[Part; 2]) {
        assert!(self.proof.len() < MOST_STEPS, "the writer is too naive for this scene");
        if let Some(step) = self.leaf(pair) {
            self.proof.push(step);
            return;
        }
        let whole = (0..2).all(|side| self.width(side, &pair[side]) == 0.0);
        if self.give_up_at.is_some_and(|depth| whole || self.depth >= depth) {
            self.proof.push(Step::Slab { direction: self.hints[0] });
            return;
        }
        let side = usize::from(self.width(1, &pair[1]) > self.width(0, &pair[0]));
        let (axis, parts) = self.split(side, &pair[side]);
        self.proof.push(Step::Split { side: [Side::A, Side::B][side], axis });
        self.depth += 1;
        for part in parts {
            let other = pair[1 - side].clone();
            self.prove(&if side == 0 { [part, other] } else { [other, part] });
        }
        self.depth -= 1;
    }

    fn part(&self, side: usize, child: i64) -> Part {
        if child < 0 {
            return Part::Group(child.unsigned_abs() as usize);
        }
        let piece = child as usize;
        match &self.bodies[side].pieces[piece].shape {
            Shape::Patch(patch) => Part::Net {
                piece,
                degree: patch.degree.clone(),
                net: patch.points.clone(),
                low: [0.0; 2],
                high: [1.0; 2],
            },
            Shape::Level(level) => Part::Box { piece, low: level.within[0], high: level.within[1] },
            Shape::HalfSpace(_) => Part::HalfSpace,
        }
    }

    fn split(&self, side: usize, part: &Part) -> (Option<Axis>, Vec<Part>) {
        match part {
            Part::Group(group) => {
                let children = &self.bodies[side].groups[*group];
                (None, children.iter().map(|&child| self.part(side, child)).collect())
            }
            Part::Net { piece, degree, net, low, high } => {
                let axis = usize::from(degree.len() == 2 && high[0] - low[0] < high[1] - low[1]);
                let middle = 0.5 * (low[axis] + high[axis]);
                let (mut ends, mut starts) = (*high, *low);
                (ends[axis], starts[axis]) = (middle, middle);
                let [one, two] = halves(degree, net, axis);
                let make =
                    |net, low, high| Part::Net { piece: *piece, degree: degree.clone(), net, low, high };
                (Some([Axis::U, Axis::V][axis]), vec![make(one, *low, ends), make(two, starts, *high)])
            }
            Part::Box { piece, low, high } => {
                let size = sub(*high, *low);
                let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap();
                let middle = 0.5 * (low[axis] + high[axis]);
                let (mut ends, mut starts) = (*high, *low);
                (ends[axis], starts[axis]) = (middle, middle);
                let parts = vec![
                    Part::Box { piece: *piece, low: *low, high: ends },
                    Part::Box { piece: *piece, low: starts, high: *high },
                ];
                (Some([Axis::X, Axis::Y, Axis::Z][axis]), parts)
            }
            Part::HalfSpace => panic!("a half-space cannot be split"),
        }
    }

    /// Points in the frame of A whose hull contains a part.
    fn hull(&self, side: usize, part: &Part) -> Vec<V> {
        let own: Vec<V> = match part {
            Part::Group(group) => {
                let children = self.bodies[side].groups[*group].iter();
                return children.flat_map(|&child| self.hull(side, &self.part(side, child))).collect();
            }
            Part::Net { net, .. } => net.iter().map(|p| [p[0] / p[3], p[1] / p[3], p[2] / p[3]]).collect(),
            Part::Box { low, high, .. } => (0..8)
                .map(|bits| [0, 1, 2].map(|k| if bits >> k & 1 == 0 { low[k] } else { high[k] }))
                .collect(),
            Part::HalfSpace => vec![],
        };
        if side == 0 { own } else { own.into_iter().map(|p| moved(&self.pose, p)).collect() }
    }

    fn width(&self, side: usize, part: &Part) -> f64 {
        let hull = self.hull(side, part);
        let wide = |k: usize| {
            let values = || hull.iter().map(|p| p[k]);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        if hull.is_empty() { 0.0 } else { wide(0).max(wide(1)).max(wide(2)) }
    }

    fn slack(&self, side: usize, part: &Part) -> f64 {
        let pieces = &self.bodies[side].pieces;
        match part {
            Part::Net { piece, .. } | Part::Box { piece, .. } => pieces[*piece].slack,
            _ => pieces.iter().map(|piece| piece.slack).fold(0.0, f64::max),
        }
    }

    fn half_space(&self) -> Option<(usize, V, f64)> {
        let of = |side: usize| match &self.bodies[side].pieces[0].shape {
            Shape::HalfSpace(half) => Some((side, half.normal, half.offset)),
            _ => None,
        };
        of(0).or_else(|| of(1))
    }

    fn leaf(&self, pair: &[Part; 2]) -> Option<Step> {
        let hulls = [self.hull(0, &pair[0]), self.hull(1, &pair[1])];
        let needed = self.bound + self.slack(0, &pair[0]) + self.slack(1, &pair[1]);
        if let Some((side, normal, offset)) = self.half_space() {
            // Only still half-spaces are written.
            assert_eq!(side, 0);
            let wide = hulls[1].iter().map(|&q| dot(normal, q)).fold(f64::MAX, f64::min) - offset;
            let slab = Step::Slab { direction: normal };
            return if wide > needed * length(normal) {
                Some(slab)
            } else {
                self.free(pair, &hulls, Some(normal))
            };
        }
        for n in self.directions(&hulls) {
            let gap = hulls[1].iter().map(|&q| dot(n, q)).fold(f64::MAX, f64::min)
                - hulls[0].iter().map(|&p| dot(n, p)).fold(f64::MIN, f64::max);
            if gap > needed * length(n) {
                return Some(Step::Slab { direction: n });
            }
        }
        for (at, side) in [Side::A, Side::B].into_iter().enumerate() {
            if self.outside(at, &pair[at]) {
                return Some(Step::Outside { side });
            }
            if self.empty(at, &pair[at]) {
                return Some(Step::Empty { side });
            }
            if let Some(direction) = self.level_slab(at, pair, &hulls, needed) {
                return Some(Step::Slab { direction });
            }
        }
        self.free(pair, &hulls, None)
    }

    fn directions(&self, hulls: &[Vec<V>; 2]) -> Vec<V> {
        let middle =
            |hull: &[V]| [0, 1, 2].map(|k| hull.iter().map(|p| p[k]).sum::<f64>() / hull.len() as f64);
        let mut all = vec![sub(middle(&hulls[1]), middle(&hulls[0]))];
        all.extend(&self.hints);
        all
    }

    fn outside(&self, side: usize, part: &Part) -> bool {
        let Part::Net { piece, low, high, .. } = part else { return false };
        let Shape::Patch(Patch { trim: Some(parts), .. }) = &self.bodies[side].pieces[*piece].shape else {
            return false;
        };
        let apart = |part: &TrimPart| (0..2).any(|k| part.low[k] > high[k] || part.high[k] < low[k]);
        let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
        // By the angle under which the polygon of the ends is seen.
        let angle = |end: [f64; 2]| (end[1] - middle[1]).atan2(end[0] - middle[0]);
        let turn = |part: &TrimPart| {
            let turned = angle(part.to) - angle(part.from);
            (turned + 3.0 * std::f64::consts::PI).rem_euclid(2.0 * std::f64::consts::PI)
                - std::f64::consts::PI
        };
        parts.iter().all(apart) && parts.iter().map(turn).sum::<f64>().abs() < 1.0
    }

    /// Only the polynomial x² + y² + z² − r² is known to this writer.
    fn radius(&self, side: usize, part: &Part) -> Option<(f64, V, V)> {
        let Part::Box { piece, low, high } = part else { return None };
        let Shape::Level(level) = &self.bodies[side].pieces[*piece].shape else { return None };
        Some(((-level.terms[3].0).sqrt(), *low, *high))
    }

    fn empty(&self, side: usize, part: &Part) -> bool {
        let Some((radius, low, high)) = self.radius(side, part) else { return false };
        // The coefficients of each x² in its own coordinate are those of its ends and their product.
        let range = |k: usize| {
            let three = [low[k] * low[k], low[k] * high[k], high[k] * high[k]];
            (three.iter().copied().fold(f64::MAX, f64::min), three.iter().copied().fold(f64::MIN, f64::max))
        };
        let ranges = [0, 1, 2].map(range);
        let square = radius * radius;
        let [least, most] = [
            ranges.iter().map(|r| r.0).sum::<f64>() - square,
            ranges.iter().map(|r| r.1).sum::<f64>() - square,
        ];
        least > 1e-12 * square || most < -1e-12 * square
    }

    /// A slab that uses that a sphere is flat in a small box.
    fn level_slab(&self, side: usize, pair: &[Part; 2], hulls: &[Vec<V>; 2], needed: f64) -> Option<V> {
        let (radius, low, high) = self.radius(side, &pair[side])?;
        if side == 1 {
            return None;
        }
        let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        if length(sub(high, low)) > 0.5 * length(middle) {
            return None;
        }
        let other = hulls[1].iter();
        let n = middle.map(|x| x / length(middle));
        // No point of the sphere is farther along n than the radius.
        let gap = other.map(|&q| dot(n, q)).fold(f64::MAX, f64::min) - radius;
        (gap > needed + 2.0 * length(sub(high, low)).powi(2) / radius).then_some(n)
    }

    fn free(&self, pair: &[Part; 2], hulls: &[Vec<V>; 2], normal: Option<V>) -> Option<Step> {
        for (at, side) in [Side::A, Side::B].into_iter().enumerate() {
            let Part::Net { degree, net, .. } = &pair[at] else { continue };
            let net: Vec<[f64; 4]> =
                if at == 0 { net.clone() } else { net.iter().map(|&p| self.moved(p)).collect() };
            let tries: &[[f64; 2]] = match degree.len() {
                2 => &[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]],
                1 => &[[1.0, 0.0]],
                _ => &[],
            };
            for &along in tries {
                let slopes = slopes(degree, &net, along);
                let mut values = Vec::new();
                for &d in &slopes {
                    match normal {
                        Some(normal) => values.push(dot(d, normal) / length(d)),
                        None => {
                            let range = |hull: &[V]| {
                                let values = || hull.iter().map(|&p| dot(d, p));
                                (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
                            };
                            let ((least, most), (from, to)) = (range(&hulls[1 - at]), range(&hulls[at]));
                            values.extend([(least - to) / length(d), (most - from) / length(d)]);
                        }
                    }
                }
                let margin = 1e-12 * (1.0 + self.bound);
                if values.iter().all(|&x| x > margin) || values.iter().all(|&x| x < -margin) {
                    let beta = (degree.len() == 2).then_some(along[1]);
                    return Some(Step::Free { side, alpha: along[0], beta });
                }
            }
        }
        None
    }

    fn moved(&self, [x, y, z, w]: [f64; 4]) -> [f64; 4] {
        let [x, y, z] = moved(&self.pose, [x / w, y / w, z / w]);
        [x * w, y * w, z * w, w]
    }
}

fn halves(degree: &[usize], net: &[[f64; 4]], axis: usize) -> [Vec<[f64; 4]>; 2] {
    let (n, step) = (degree[axis], if axis == 0 && degree.len() == 2 { degree[1] + 1 } else { 1 });
    let (mut low, mut high) = (net.to_vec(), net.to_vec());
    for start in (0..net.len()).filter(|at| at / step % (n + 1) == 0) {
        for round in 1..=n {
            for j in 0..=n - round {
                let at = start + j * step;
                high[at] = std::array::from_fn(|k| 0.5 * (high[at][k] + high[at + step][k]));
            }
            low[start + round * step] = high[start];
        }
    }
    [low, high]
}

/// Directions among which those of α S_u + β S_v lie, from all pairs of control points and their differences.
fn slopes(degree: &[usize], net: &[[f64; 4]], along: [f64; 2]) -> Vec<V> {
    let mut all: Vec<V> = vec![[0.0; 3]];
    for axis in 0..degree.len() {
        if along[axis] == 0.0 {
            continue;
        }
        let (n, step) = (degree[axis], if axis == 0 && degree.len() == 2 { degree[1] + 1 } else { 1 });
        let mut own = Vec::new();
        for at in (0..net.len()).filter(|at| at / step % (n + 1) < n) {
            let [p, q] = [net[at], net[at + step]];
            for r in net {
                // W (N_next − N) − N (W_next − W), about the control point r itself.
                let c = [r[0] / r[3], r[1] / r[3], r[2] / r[3]];
                own.push(
                    [0, 1, 2].map(|k| {
                        along[axis] * n as f64 * r[3] * ((q[k] - c[k] * q[3]) - (p[k] - c[k] * p[3]))
                    }),
                );
            }
        }
        all = all
            .iter()
            .flat_map(|&a| own.iter().map(move |&b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]))
            .collect();
    }
    all
}

/// A sealed certificate of a scene: the bodies, where B stands, a witness on each piece, how much the bound may be off.
pub fn write(
    bodies: [BodyDescription; 2],
    pose: Pose,
    witnesses: [Witness; 2],
    points: [V; 2],
    error: f64,
) -> Certificate {
    let apart = sub(points[1], points[0]);
    let distance = length(apart);
    let lower_bound = distance - error;
    let mut writer = Writer::new(&bodies, pose, lower_bound + 0.01 * error, vec![apart]);
    writer.prove(&[Part::Group(0), Part::Group(0)]);
    let proof = std::mem::take(&mut writer.proof);
    let mut certificate = Certificate {
        certificate: VERSION,
        units: Some("m".to_owned()),
        bodies,
        pose,
        distance,
        lower_bound,
        witnesses,
        proof,
        digest: String::new(),
    };
    certificate.seal();
    certificate
}

pub fn patch(feature: &str, degree: &[usize], points: Vec<[f64; 4]>) -> Piece {
    let shape = Shape::Patch(Patch { degree: degree.to_vec(), points, trim: None });
    Piece { feature: feature.to_owned(), slack: 0.0, shape }
}

/// Seeded numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn direction(&mut self) -> V {
        loop {
            let v = [0, 1, 2].map(|_| 2.0 * self.unit() - 1.0);
            if (0.1..1.0).contains(&length(v)) {
                return v.map(|x| x / length(v));
            }
        }
    }

    /// A rotation to within rounding.
    pub fn rotation(&mut self) -> [V; 3] {
        let (x, y) = (self.direction(), self.direction());
        let y = sub(y, x.map(|c| c * dot(x, y)));
        if length(y) < 0.1 {
            return self.rotation();
        }
        let y = y.map(|c| c / length(y));
        [x, y, [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]]
    }
}
