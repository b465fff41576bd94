//! A pool of bodies, built once and posed many times, over all families and scales.

use super::solid::Solid;
use crate::Random;
use clearance_geometry::{Polytope, VertexId};
use glam::DVec3;

/// What a body is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// One point.
    Point,
    /// A segment.
    Segment,
    /// Four corners.
    Tetrahedron,
    /// A box with sides of like size.
    Box,
    /// A cylinder with 3 to 64 sides.
    Prism,
    /// A sphere-like body with 12 to 642 corners.
    Round,
    /// The hull of random points.
    Hull,
    /// Long in one direction, up to a million to one.
    Needle,
    /// Thin in one direction, up to a million to one.
    Plate,
    /// Three very different extents, or faces that are nearly lines.
    Sliver,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Point,
        Self::Segment,
        Self::Tetrahedron,
        Self::Box,
        Self::Prism,
        Self::Round,
        Self::Hull,
        Self::Needle,
        Self::Plate,
        Self::Sliver,
    ];
}

/// A body of the pool with what the generators and oracles want to know about it.
#[derive(Clone, Debug)]
pub struct Member {
    /// What it is like.
    pub family: Family,
    /// Power of ten of its size.
    pub exponent: i32,
    /// How far from its own origin it was modelled, in diameters.
    pub offset: f64,
    /// The body.
    pub body: Polytope,
    /// Its corners in the body frame.
    pub vertices: Vec<DVec3>,
    /// A point amid the corners.
    pub middle: DVec3,
    /// Largest distance of a corner from the middle; 1 power of ten for a point.
    pub radius: f64,
}

impl Member {
    /// Wraps a body.
    pub fn new(family: Family, exponent: i32, offset: f64, body: Polytope) -> Self {
        let vertices: Vec<DVec3> =
            (0..body.vertex_count()).map(|i| body.body_vertex(VertexId(i as u32))).collect();
        let middle =
            vertices[0] + vertices.iter().map(|&v| v - vertices[0]).sum::<DVec3>() / vertices.len() as f64;
        let radius = vertices.iter().map(|v| v.distance(middle)).fold(0.0, f64::max);
        let radius = if radius > 0.0 { radius } else { 10.0_f64.powi(exponent) };
        Self { family, exponent, offset, body, vertices, middle, radius }
    }
}

/// Bodies in groups of one scale each.
#[derive(Clone, Debug)]
pub struct Pool {
    groups: Vec<Vec<Member>>,
}

/// Powers of ten at which bodies are made.
const EXPONENTS: [i32; 5] = [-6, -3, 0, 3, 6];

/// Share of bodies that are modelled away from their own origin.
const OFFSET_SHARE: f64 = 0.25;

/// Largest difference of the scales of a pair, in powers of ten.
const MOST_DECADES_APART: i32 = 6;

/// Share of pairs whose bodies come from groups of different scale.
const MIXED_SCALE_SHARE: f64 = 0.1;

impl Pool {
    /// `per_family` bodies of every family at every scale; no body with more than `most_vertices`.
    ///
    /// # Panics
    /// When a body cannot be built, which is a finding about the constructor.
    pub fn new(seed: u64, per_family: usize, most_vertices: usize) -> Self {
        let mut random = Random::new(seed);
        let mut group = |exponent: i32| {
            let mut members = Vec::new();
            for family in Family::ALL {
                for _ in 0..per_family {
                    members.push(member(family, exponent, most_vertices, &mut random));
                }
            }
            members
        };
        Self { groups: EXPONENTS.iter().map(|&exponent| group(exponent)).collect() }
    }

    /// A random body, each family equally often.
    pub fn one(&self, random: &mut Random) -> &Member {
        let group = random.pick(&self.groups);
        random.pick(group)
    }

    /// Two random bodies, mostly of the same scale, at most a factor of about 1e6 apart: beyond it the smaller
    /// body is as large as the rounding of the larger one's coordinates times a hundred or less.
    pub fn two(&self, random: &mut Random) -> (&Member, &Member) {
        let group = random.pick(&self.groups);
        let first = random.pick(group);
        if !random.chance(MIXED_SCALE_SHARE) {
            return (first, random.pick(group));
        }
        loop {
            let other: &Vec<Member> = random.pick(&self.groups);
            let second = random.pick(other);
            if (first.exponent - second.exponent).abs() <= MOST_DECADES_APART {
                return (first, second);
            }
        }
    }

    /// All bodies.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.groups.iter().flatten()
    }
}

fn member(family: Family, exponent: i32, most: usize, random: &mut Random) -> Member {
    let size = 10.0_f64.powi(exponent) * random.uniform(0.5, 2.0);
    if family == Family::Point {
        return Member::new(family, exponent, 0.0, Polytope::point());
    }
    let solid = shape(family, most, random).turned(&random.rotation()).stretched(DVec3::splat(size));
    let offset = if random.chance(OFFSET_SHARE) { random.log_uniform(0.0, 6.0) } else { 0.0 };
    // Far out, the corners round and faces with more than three of them are no longer flat.
    let solid = if offset > 0.0 { without_faces(solid) } else { solid };
    let solid = solid.shifted(random.direction() * (2.0 * size * offset));
    match solid.polytope() {
        Ok(body) => Member::new(family, exponent, offset, body),
        Err(error) => panic!("{family:?} at 1e{exponent}, offset {offset:e}: {error}\n{solid:?}"),
    }
}

/// A body of about unit radius, not turned.
fn shape(family: Family, most: usize, random: &mut Random) -> Solid {
    let longest = DVec3::ONE;
    let long = random.log_uniform(0.5, 6.0);
    let roundish = |random: &mut Random| match random.index(4) {
        0 => Solid::cuboid(DVec3::ONE),
        1 => Solid::prism(3 + random.index(most.min(26) / 2 - 2), 1.0),
        2 => Solid::icosphere(usize::from(most >= 42) * random.index(2)),
        _ => Solid { faces: Vec::new(), ..Solid::on_sphere(4 + random.index(most.min(60) - 3), random) },
    };
    match family {
        Family::Point => Solid::default(),
        Family::Segment => Solid { vertices: vec![random.in_ball(), random.direction()], faces: Vec::new() },
        Family::Tetrahedron => Solid::tetrahedron(random),
        Family::Box => Solid::cuboid(longest.map(|_| random.uniform(0.3, 1.5))),
        Family::Prism => Solid::prism(3 + random.index(most.min(128) / 2 - 2), random.log_uniform(-1.0, 1.0)),
        Family::Round => {
            let finest = (0..4).rev().find(|&s| 10 * 4_usize.pow(s) + 2 <= most).unwrap_or(0);
            Solid::icosphere(random.index(finest as usize + 1))
        }
        Family::Hull if random.chance(0.5) => Solid::on_sphere(5 + random.index(most.min(200) - 4), random),
        Family::Hull => Solid::in_ball(8 + random.index(most.min(200) - 7), random),
        Family::Needle => without_faces(roundish(random)).stretched(DVec3::new(1.0 / long, 1.0 / long, 1.0)),
        Family::Plate => without_faces(roundish(random)).stretched(DVec3::new(1.0, 1.0, 1.0 / long)),
        Family::Sliver if random.chance(0.5) => {
            without_faces(roundish(random)).stretched(DVec3::new(1.0, long.powf(-0.5), 1.0 / long))
        }
        Family::Sliver => blade(long, random),
    }
}

/// Stretching makes neighbouring faces coplanar within rounding; the hull decides anew.
fn without_faces(solid: Solid) -> Solid {
    Solid { faces: Vec::new(), ..solid }
}

/// A tetrahedron all of whose faces are nearly lines: two short edges far apart, at an angle.
fn blade(long: f64, random: &mut Random) -> Solid {
    let angle = random.uniform(0.2, 1.5);
    let across = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let (low, high) = (DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.0, 0.0, 1.0));
    let fat = vec![low - DVec3::X, low + DVec3::X, high - across, high + across];
    without_faces(Solid { vertices: fat, faces: Vec::new() }).stretched(DVec3::new(
        1.0 / long,
        1.0 / long,
        1.0,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pool_has_every_family_and_scale() {
        let pool = Pool::new(1, 2, 24);
        assert_eq!(pool.members().count(), 2 * Family::ALL.len() * EXPONENTS.len());
        for member in pool.members() {
            assert!(member.vertices.len() <= 24, "{:?} {}", member.family, member.vertices.len());
            let size = member.radius / 10.0_f64.powi(member.exponent);
            assert!((0.1..8.0).contains(&size), "{:?} {size}", member.family);
        }
        assert!(pool.members().filter(|m| m.offset > 0.0).count() > 10);
    }
}
