//! Area, volume, mass centre and inertia of a tiled body at unit density.
//!
//! Source: the divergence theorem; every moment of the volume is an integral over the boundary.
//! Differs: nothing to differ from.
//! Ends because: levels are counted.
//! Cost: that of the integrals over each face at two to five levels.
//! Not promised: the errors are those of the coarser of two rules, of rounding and of the gaps at edges; they are
//! estimates that hold for surfaces that are smooth between their knots, not proofs.

use super::integral::{Fineness, over_region};
use super::{Face, TiledBody, TiledEdge};
use crate::tolerance::{MASS_REL, MASS_ROUNDING_REL};
use crate::{DMat3, DVec3};

/// Most levels of refinement.
const LEVELS: u32 = 4;

/// The part of the error by gaps at which an integral is good enough.
const GAP_SHARE: f64 = 1.0 / 64.0;

/// The part of the flux from which on two nodes tell the sign of a volume.
const PLAIN_SHARE: f64 = 1.0 / 8.0;

/// How much a level must lower the error for another one to be worth its time.
const WORTHWHILE: f64 = 4.0;

/// Number of integrals: area, its first moment, volume, its first and second moments.
const COUNT: usize = 14;

/// Mass properties at unit density, body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TiledMass {
    /// Area of all faces.
    pub area: f64,
    /// How far the area may be off.
    pub area_error: f64,
    /// Volume; 0 for an open body.
    pub volume: f64,
    /// How far the volume may be off.
    pub volume_error: f64,
    /// Mass centre; of an open body that of its surface.
    pub center: DVec3,
    /// How far the centre may be off; a length.
    pub center_error: f64,
    /// Inertia tensor about the mass centre, body axes; zero for an open body.
    pub inertia: DMat3,
    /// How far an entry of the inertia may be off.
    pub inertia_error: f64,
}

impl TiledBody {
    /// Area, volume, mass centre and inertia at unit density, with their errors; computed on first use.
    pub fn mass(&self) -> &TiledMass {
        self.data.mass.get_or_init(|| self.integrated())
    }

    fn integrated(&self) -> TiledMass {
        let middle = DVec3::from_array(self.aabb().center());
        let reach = self.aabb().half_extents().length();
        let mut sum = [0.0; COUNT];
        let mut error = [0.0; COUNT];
        let lengths: Vec<f64> = self.edges().iter().map(slit).collect();
        for face in self.faces() {
            let around: f64 = face.loops.iter().flatten().map(|used| lengths[used.edge.index()]).sum();
            let (value, off) = of_face(face, middle, around * GAP_SHARE, reach);
            for i in 0..COUNT {
                sum[i] += value[i];
                error[i] += off[i];
            }
        }
        // A slit of this area lets through at most so much of each flux.
        let slits: f64 = lengths.iter().sum();
        finished(&sum, &error, slits, reach, middle, self.is_closed())
    }
}

/// The area of the slit that the gap at an edge may be.
fn slit(edge: &TiledEdge) -> f64 {
    let ends = [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| edge.point(edge.range.at(s)));
    edge.gap * ends.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f64>()
}

/// The volume that closed faces enclose, negative when they look inward; to a few digits.
pub(super) fn signed_volume(faces: &[Face]) -> f64 {
    let Some(first) = faces.first() else { return 0.0 };
    let bounds = first.region.bounds();
    let origin = first.point(glam::DVec2::new(bounds.u.low, bounds.v.low));
    let summed = |fineness: Fineness| {
        faces.iter().fold((0.0, 0.0), |(volume, size), face| {
            let sign = if face.reversed { -1.0 } else { 1.0 };
            let flux = |jet: &crate::surface::SurfaceJet| [sign * (jet.point - origin).dot(jet.cross())];
            let (value, sizes) = over_region(&face.region, fineness, &flux);
            (volume + value[0], size + sizes[0])
        })
    };
    let (rough, size) = summed(Fineness::Rough);
    // A thin shell is what two large fluxes leave.
    if rough.abs() > PLAIN_SHARE * size { rough } else { summed(Fineness::Level(0)).0 }
}

/// The integrals over one face about `origin`, and their errors. An area of `slits` is uncertain anyway.
fn of_face(face: &Face, origin: DVec3, slits: f64, reach: f64) -> ([f64; COUNT], [f64; COUNT]) {
    let sign = if face.reversed { -1.0 } else { 1.0 };
    let integrands = |jet: &crate::surface::SurfaceJet| {
        let (p, n) = (jet.point - origin, sign * jet.cross());
        let area = n.length();
        let square = p * p;
        let first = 0.5 * square * n;
        let second = square * p * n / 3.0;
        [
            area,
            area * p.x,
            area * p.y,
            area * p.z,
            p.dot(n) / 3.0,
            first.x,
            first.y,
            first.z,
            second.x,
            second.y,
            second.z,
            first.x * p.y,
            first.y * p.z,
            first.z * p.x,
        ]
    };
    let (mut coarse, _) = over_region(&face.region, Fineness::Level(0), &integrands);
    // Powers of a length with which an uncertain area enters each integral.
    let powers: [i32; COUNT] = [0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3];
    let mut last = f64::INFINITY;
    let mut level = 1;
    loop {
        let (fine, sizes) = over_region(&face.region, Fineness::Level(level), &integrands);
        let off: [f64; COUNT] = std::array::from_fn(|i| (fine[i] - coarse[i]).abs());
        let allowed = |i: usize| MASS_REL * sizes[i] + slits * reach.powi(powers[i]);
        let worst = (0..COUNT).map(|i| off[i] / allowed(i)).fold(0.0, f64::max);
        // Written so that NaN ends it.
        if !(worst > 1.0 && worst * WORTHWHILE < last) || level == LEVELS {
            return (fine, std::array::from_fn(|i| off[i] + MASS_ROUNDING_REL * sizes[i]));
        }
        (coarse, last, level) = (fine, worst, level + 1);
    }
}

fn finished(
    sum: &[f64; COUNT],
    error: &[f64; COUNT],
    slits: f64,
    reach: f64,
    middle: DVec3,
    closed: bool,
) -> TiledMass {
    let [area, ax, ay, az, volume, x, y, z, xx, yy, zz, xy, yz, zx] = *sum;
    let size = reach + middle.length();
    let rounding = MASS_ROUNDING_REL * size;
    let vector_error = |from: usize| error[from..from + 3].iter().sum::<f64>();
    if !closed || !(volume > 0.0) {
        let offset = DVec3::new(ax, ay, az) / area;
        let moved = (vector_error(1) + error[0] * reach + slits * reach) / area;
        return TiledMass {
            area,
            area_error: error[0] + slits + area * MASS_ROUNDING_REL * size / reach,
            volume: 0.0,
            volume_error: 0.0,
            center: middle + offset,
            center_error: moved + rounding,
            inertia: DMat3::ZERO,
            inertia_error: 0.0,
        };
    }
    // Coordinates far from the origin carry their rounding into every difference.
    let placed = area * rounding;
    let volume_error = error[4] + slits * reach + placed;
    let offset = DVec3::new(x, y, z) / volume;
    let first_error = vector_error(5) + (slits * reach + placed) * reach;
    let second = DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz));
    let outer = DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z);
    let about = second - outer * volume;
    let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
    let second_error = error[8..].iter().sum::<f64>() + (slits * reach + placed) * reach * reach;
    TiledMass {
        area,
        area_error: error[0] + slits + placed / reach,
        volume,
        volume_error,
        center: middle + offset,
        center_error: (first_error + offset.length() * volume_error) / volume + rounding,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about,
        inertia_error: 3.0
            * (second_error + offset.length() * (first_error + volume_error * offset.length())),
    }
}
