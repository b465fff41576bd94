//! Area, volume, mass centre and inertia of a tiled body at unit density.
//!
//! Source: the divergence theorem; every moment of the volume is an integral over the boundary.
//! Differs: nothing to differ from.
//! Ends because: `integral` ends for each face.
//! Cost: that of the integrals over each face.
//! Not promised: what may pass through gaps at edges, since gaps are measured at samples; and that remainders are bounds
//! where [`TiledMass::proven`] is false.

use super::integral::{Integrals, Integrands, over_region, roughly};
use super::majorant::Reach;
use super::{Face, TiledBody, TiledEdge};
use crate::bound::DerivativeBound;
use crate::surface::SurfaceJet;
use crate::tolerance::{
    FINE_FLUX_REL, GAP_SHARE_REL, MASS_AREA_REL, MASS_REL, MASS_ROUNDING_REL, ROUGH_FLUX_REL,
};
use crate::{DMat3, DVec3};

/// Nodes along each side of a cell of the rules that tell the sign of a volume, the rough one and the fine one.
const NODES: [usize; 2] = [2, 4];

/// Number of integrals: area, its first moment, volume, its first and second moments.
const COUNT: usize = 14;

/// An entry of the inertia is made of two moments at most, and a trace of three.
const INERTIA_SHARE: f64 = 3.0;

/// Powers of a length with which an uncertain area enters each integral.
const POWERS: [i32; COUNT] = [0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3];

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
    /// Whether the errors of volume, centre and inertia (of an open body those of its area and centre) are bounds: the
    /// remainder of every rule of quadrature is bounded, and rounding and measured gaps are added. It is false where a
    /// face is cut along a curve whose parameters are known by projection alone, or bounds stay too large; the share of
    /// such pieces is then a cautious estimate.
    pub proven: bool,
    /// The same of the area.
    pub area_proven: bool,
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
        let mut proven = [true; COUNT];
        let slits: Vec<f64> = self.edges().iter().map(slit).collect();
        for face in self.faces() {
            let around: f64 = face.loops.iter().flatten().map(|used| slits[used.edge.index()]).sum();
            let found = of_face(face, middle, around * GAP_SHARE_REL, reach, self.is_closed());
            for i in 0..COUNT {
                proven[i] &= found.proven[i];
                sum[i] += found.value[i];
                error[i] += found.error[i] + MASS_ROUNDING_REL * found.sizes[i];
            }
        }
        // A slit of this area lets through at most so much of each flux.
        let slits: f64 = slits.iter().sum();
        let mass = finished(&sum, &error, slits, reach, middle, self.is_closed());
        let all = |of: std::ops::Range<usize>| proven[of].iter().all(|proven| *proven);
        let by = if mass.volume > 0.0 { 4..COUNT } else { 0..4 };
        TiledMass { proven: all(by), area_proven: proven[0], ..mass }
    }
}

/// The area of the slit that the gap at an edge may be.
fn slit(edge: &TiledEdge) -> f64 {
    if edge.gap == 0.0 {
        return 0.0;
    }
    let length = edge.curve.derivative_bounds(edge.range).first * edge.range.width();
    // A spline whose range leaves its domain, or one without a bound: its samples.
    let ends = [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| edge.point(edge.range.at(s)));
    let sampled = ends.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f64>();
    let length = if length.is_finite() { length.max(sampled) } else { 2.0 * sampled };
    edge.gap * length
}

/// The volume that closed faces enclose, negative when they look inward; to a few digits.
pub(super) fn signed_volume(faces: &[Face]) -> f64 {
    let Some(first) = faces.first() else { return 0.0 };
    let bounds = first.region.bounds();
    let origin = first.point(glam::DVec2::new(bounds.u.low, bounds.v.low));
    let summed = |nodes: usize| {
        faces.iter().fold((0.0, 0.0), |(volume, size), face| {
            let sign = if face.reversed { -1.0 } else { 1.0 };
            let flux = |jet: &SurfaceJet| sign * (jet.point - origin).dot(jet.cross());
            let (value, terms) = roughly(&face.region, nodes, &flux);
            (volume + value, size + terms)
        })
    };
    let (volume, size) = summed(NODES[0]);
    if volume.abs() > ROUGH_FLUX_REL * size {
        return volume;
    }
    // A thin shell is what two large fluxes leave.
    let (volume, size) = summed(NODES[1]);
    if volume.abs() > FINE_FLUX_REL * size {
        return volume;
    }
    let reach = size.cbrt();
    faces.iter().map(|face| of_face(face, origin, 0.0, reach, true).value[4]).sum()
}

/// Area and volume with their moments about a point.
struct Moments {
    origin: DVec3,
    sign: f64,
}

impl Integrands<COUNT> for Moments {
    fn at(&self, jet: &SurfaceJet) -> [f64; COUNT] {
        let (p, n) = (jet.point - self.origin, self.sign * jet.cross());
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
    }

    fn bound(&self, reach: &Reach) -> [f64; COUNT] {
        let (p, n, area) = (reach.point, reach.normal(), reach.area.unwrap_or(f64::INFINITY));
        let [volume, first, second, mixed] =
            [p * n / 3.0, 0.5 * p * p * n, p * p * p * n / 3.0, 0.5 * p * p * p * n];
        let ([a, b], [v, f, s, m]) = ([area, area * p], [volume, first, second, mixed]);
        [a, b, b, b, v, f, f, f, s, s, s, m, m, m]
    }

    fn about(&self) -> DVec3 {
        self.origin
    }

    fn has_area(&self, at: usize) -> bool {
        at < 4
    }
}

/// The integrals over one face about `origin`. An area of `slits` is uncertain anyway.
fn of_face(face: &Face, origin: DVec3, slits: f64, reach: f64, closed: bool) -> Integrals<COUNT> {
    let moments = Moments { origin, sign: if face.reversed { -1.0 } else { 1.0 } };
    over_region(&face.region, &moments, &|sizes: &[f64; COUNT]| {
        std::array::from_fn(|i| match i {
            // The centre of the area is asked for where there is no volume.
            1..4 if closed => f64::INFINITY,
            0..4 => (MASS_AREA_REL * sizes[0] + slits) * reach.powi(POWERS[i]),
            _ => (MASS_REL * sizes[0] + slits) * reach.powi(POWERS[i]),
        })
    })
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
    let first_size = DVec3::new(x, y, z).length();
    // Coordinates far from the origin carry their rounding into every difference.
    let placed = area * rounding;
    let volume_error = error[4] + slits * reach + placed;
    let first_error = vector_error(5) + (slits * reach + placed) * reach;
    let second_error = error[8..].iter().sum::<f64>() + (slits * reach + placed) * reach * reach;
    if !closed || !(volume > 0.0) {
        let offset = DVec3::new(ax, ay, az) / area;
        let moved = (vector_error(1) + error[0] * reach + slits * reach) / area;
        // Nothing is left of a volume that should be there: what was found instead is error.
        let [volume_error, center_error, inertia_error] = if closed {
            let second: f64 = sum[8..].iter().map(|size| size.abs()).sum();
            [volume_error + volume.abs(), f64::INFINITY, INERTIA_SHARE * (second + second_error)]
        } else {
            [0.0, moved + rounding, 0.0]
        };
        return TiledMass {
            area,
            area_error: error[0] + slits + area * MASS_ROUNDING_REL * size / reach,
            volume: 0.0,
            volume_error,
            center: middle + offset,
            center_error,
            inertia: DMat3::ZERO,
            inertia_error,
            proven: false,
            area_proven: false,
        };
    }
    let offset = DVec3::new(x, y, z) / volume;
    let second = DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz));
    let outer = DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z);
    let about = second - outer * volume;
    let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
    // The volume may be as small as this.
    let least = volume - volume_error;
    let moved =
        if least > 0.0 { (first_error + offset.length() * volume_error) / least } else { f64::INFINITY };
    let outer_error = offset.length() * first_error + (first_size + first_error) * moved;
    TiledMass {
        area,
        area_error: error[0] + slits + placed / reach,
        volume,
        volume_error,
        center: middle + offset,
        center_error: moved + rounding,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about,
        inertia_error: INERTIA_SHARE * (second_error + outer_error),
        proven: false,
        area_proven: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_hold_where_little_or_no_volume_is_left() {
        let mut sum = [0.0; COUNT];
        (sum[0], sum[8], sum[9]) = (6.0, 0.5, 0.25);
        let error = [1.0 / 8.0; COUNT];
        let of = |volume: f64, closed: bool| {
            let mut sum = sum;
            (sum[4], sum[5]) = (volume, 0.25);
            finished(&sum, &error, 0.0, 1.0, DVec3::ZERO, closed)
        };
        for volume in [0.0, -0.5] {
            let mass = of(volume, true);
            assert!(mass.volume == 0.0 && mass.volume_error >= 0.125 + volume.abs(), "{mass:?}");
            assert!(mass.center_error == f64::INFINITY && mass.inertia_error >= 0.75, "{mass:?}");
        }
        let open = of(0.0, false);
        assert!(open.volume_error == 0.0 && open.center_error < 1.0, "{open:?}");
        // The volume may be nothing.
        let thin = of(1.0 / 16.0, true);
        assert!(thin.center_error == f64::INFINITY && thin.inertia_error == f64::INFINITY, "{thin:?}");
        // The centre is at 1/4, and may be at (1/4 + 1/8) / (1 − 1/8).
        let whole = of(1.0, true);
        assert!(whole.center_error >= 0.375 / 0.875 - 0.25 && whole.center_error < 1.0, "{whole:?}");
    }
}
