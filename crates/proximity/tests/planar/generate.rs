//! Planar bodies and poses aimed at trouble.

use clearance_geometry::{DVec2, PlanarPose, Polygon};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn vector(&mut self, size: f64) -> DVec2 {
        size * DVec2::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }
}

/// A body of about the given size, somewhere near `offset` in its own frame.
pub fn body(random: &mut Random, size: f64, offset: f64) -> Polygon {
    let shift = random.vector(offset);
    match random.below(12) {
        0 => Polygon::point(),
        1 => {
            let ends = [shift + random.vector(size), shift + random.vector(size)];
            Polygon::segment(ends).unwrap_or_else(|_| Polygon::point())
        }
        _ => polygon(random, size, shift),
    }
}

/// A polygon: round, elongated to 1e9, the hull of few points, or with corners that almost coincide.
pub fn polygon(random: &mut Random, size: f64, shift: DVec2) -> Polygon {
    loop {
        let count = random.pick(&[3, 3, 4, 5, 8, 12, 40]);
        let thin = random.pick(&[1.0, 1.0, 0.5, 1e-2, 1e-4, 1e-6, 1e-9]);
        let tilt = random.range(0.0, 7.0);
        let regular = random.below(2) == 0;
        // How far apart in angle random corners are: all around, or in clusters.
        let spread = random.pick(&[1.0, 1.0, 1e-3, 1e-9]);
        let points: Vec<DVec2> = (0..count)
            .map(|i| {
                let angle = if regular {
                    std::f64::consts::TAU * i as f64 / count as f64
                } else {
                    let cluster = random.pick(&[0.0, 0.3, 0.4, 0.8]);
                    std::f64::consts::TAU * (cluster + spread * random.range(0.0, 1.0))
                };
                let radius = if regular || spread < 1.0 { 1.0 } else { random.range(0.5, 1.0) };
                let round = DVec2::from_angle(angle) * radius * DVec2::new(1.0, thin);
                shift + size * DVec2::from_angle(tilt).rotate(round)
            })
            .collect();
        if let Ok(polygon) = Polygon::hull_of(&points) {
            return polygon;
        }
    }
}

/// A pose of B that is likely to bring it near A: apart, shallow, deep or exactly in contact.
pub fn pose(random: &mut Random, a: &Polygon, b: &Polygon) -> PlanarPose {
    let turn = PlanarPose::new(random.range(-4.0, 4.0), DVec2::ZERO).unwrap();
    let centers = |shift: DVec2| {
        let home = a.center() + a.anchor() + shift - turn.rotate(b.center() + b.anchor());
        turn.with_translation(home)
    };
    let away = DVec2::from_angle(random.range(0.0, 7.0));
    let reach = a.radius() + b.radius();
    match random.below(5) {
        0 => centers(away * reach * random.range(1.0, 3.0)),
        1 => centers(away * reach * random.range(0.0, 1.0)),
        2 => centers(away * reach * random.pick(&[0.0, 1e-9, 0.1, 1e3, 1e6])),
        _ => planted(random, a, b, away * reach, &centers),
    }
}

/// Moves B along a normal of A, or along `away`, until it just touches, then a little on.
fn planted(
    random: &mut Random,
    a: &Polygon,
    b: &Polygon,
    away: DVec2,
    centers: &dyn Fn(DVec2) -> PlanarPose,
) -> PlanarPose {
    let normal = if a.sides().is_empty() || random.below(3) == 0 {
        away.normalize_or(DVec2::X)
    } else {
        a.sides()[random.below(a.sides().len())].normal
    };
    let start = centers(DVec2::ZERO);
    let low = b.vertex(b.support(-start.rotate_inverse(normal))) - b.center();
    let high = a.vertex(a.support(normal)) - a.center();
    let contact = high - start.rotate(low);
    let more = random.pick(&[0.0, 0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-6, -1e-6, 0.1, -0.05]);
    centers(contact + normal * (more * (a.radius() + b.radius())))
}
