//! Points as given, made ready for the exact predicates.

use super::assemble::{Boundary, assemble, exact_anchor};
use super::hull::NoHull;
use super::reduce::{Polygons, reduce};
use super::{Note, Polytope};
use crate::{DVec3, Kind, PolytopeError, tolerance};

/// Different points, shifted by the anchor and scaled by a power of two to a size of about 1, both
/// without rounding, in the order of the input.
#[derive(Clone, Debug)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<DVec3>,
    /// Extent of the scaled points.
    pub(crate) size: f64,
    /// Where each distinct point stands in the input, ascending; of equal points the first.
    pub(crate) labels: Vec<u32>,
    /// Length of one scaled unit.
    pub(crate) unit: f64,
}

impl Cloud {
    /// # Errors
    /// When there is no point, one is not finite, or the extent is out of range.
    pub(crate) fn new(input: &[DVec3]) -> Result<Self, PolytopeError> {
        let first = first_equals(input)?;
        let labels = (0..input.len() as u32).filter(|&i| first[i as usize] == i).collect();
        Self::chosen(input, labels)
    }

    /// Of some points of the input, all different and finite, in ascending order.
    ///
    /// # Errors
    /// When there is no point or the extent is out of range.
    pub(crate) fn chosen(input: &[DVec3], labels: Vec<u32>) -> Result<Self, PolytopeError> {
        if labels.is_empty() {
            return Err(PolytopeError::Empty);
        }
        let mut points: Vec<DVec3> = labels.iter().map(|&i| input[i as usize]).collect();
        let anchor = exact_anchor(&points);
        points.iter_mut().for_each(|point| *point -= anchor);
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = (high - low).max_element();
        let reach = low.abs().max(high.abs()).max_element();
        check_extent(reach, extent)?;
        let unit = if reach > 0.0 { 2.0_f64.powi(reach.log2().ceil() as i32) } else { 1.0 };
        let ready = |x: f64| if x.abs() < tolerance::SMALLEST_COORDINATE_REL { 0.0 } else { x };
        points.iter_mut().for_each(|point| *point = (*point / unit).map(ready));
        Ok(Self { points, size: extent / unit, labels, unit })
    }

    /// An error of the hull in the units of the input.
    pub(crate) fn error(&self, no_hull: NoHull) -> PolytopeError {
        match no_hull {
            NoHull::Flat { thickness, diameter, .. } => {
                PolytopeError::Flat { thickness: thickness * self.unit, diameter: diameter * self.unit }
            }
            NoHull::Broken => PolytopeError::OutOfRange { extent: self.size * self.unit },
        }
    }

    /// The polytope whose vertices are the corners of the hull, under their input numbers, with faces
    /// in the order of their vertex lists.
    pub(crate) fn polytope(&self, input: &[DVec3]) -> Result<Polytope, PolytopeError> {
        let slack = tolerance::COPLANAR_REL * self.size;
        let polytope = assemble(Kind::Polytope, self.boundary(input, slack)?, None);
        // A narrow merged face may lean by more than its neighbours bend away.
        if polytope.overhang() <= tolerance::HELD_SLACKS * slack * self.unit {
            return Ok(polytope);
        }
        Ok(assemble(Kind::Polytope, self.boundary(input, 0.0)?, None))
    }

    /// As above; coplanar within `slack`, a scaled length.
    fn boundary(&self, input: &[DVec3], slack: f64) -> Result<Boundary, PolytopeError> {
        let all: Vec<u32> = (0..self.points.len() as u32).collect();
        let Polygons { mut loops, mut chords } =
            reduce(&self.points, &all, slack).map_err(|e| self.error(e))?;
        let mut place = vec![u32::MAX; self.points.len()];
        for &corner in loops.iter().flatten() {
            place[corner as usize] = 0;
        }
        let corners: Vec<u32> = all.into_iter().filter(|&i| place[i as usize] == 0).collect();
        for (new, &old) in corners.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        for face in &mut loops {
            let lowest = (0..face.len()).min_by_key(|&i| face[i]).unwrap_or(0);
            face.rotate_left(lowest);
            face.iter_mut().for_each(|corner| *corner = place[*corner as usize]);
        }
        loops.sort_unstable();
        chords.iter_mut().flatten().for_each(|end| *end = place[*end as usize]);
        chords.sort_unstable();
        let vertex_labels: Vec<u32> = corners.iter().map(|&i| self.labels[i as usize]).collect();
        let notes = dropped_note(input.len(), &vertex_labels);
        Ok(Boundary {
            vertices: vertex_labels.iter().map(|&i| input[i as usize]).collect(),
            vertex_labels,
            face_labels: (0..loops.len() as u32).collect(),
            loops,
            chords,
            notes,
        })
    }
}

/// Names the points of the input that are not among the kept ones, which ascend.
pub(crate) fn dropped_note(input: usize, kept: &[u32]) -> Vec<Note> {
    let mut dropped = Vec::with_capacity(input - kept.len());
    let mut kept = kept.iter().peekable();
    for point in 0..input as u32 {
        if kept.next_if_eq(&&point).is_none() {
            dropped.push(point);
        }
    }
    if dropped.is_empty() { Vec::new() } else { vec![Note::DroppedVertices { vertices: dropped }] }
}

/// For each point the first that equals it.
///
/// # Errors
/// When there is no point or one is not finite.
pub(crate) fn first_equals(input: &[DVec3]) -> Result<Vec<u32>, PolytopeError> {
    if input.is_empty() {
        return Err(PolytopeError::Empty);
    }
    if let Some(point) = input.iter().position(|p| !p.is_finite()) {
        return Err(PolytopeError::NotFinite { point });
    }
    let mut order: Vec<u32> = (0..input.len() as u32).collect();
    // Adding zero makes −0 and 0 one key.
    let key = |i: u32| (input[i as usize] + DVec3::ZERO).to_array();
    order.sort_unstable_by(|&i, &j| {
        let ([a, b, c], [d, e, f]) = (key(i), key(j));
        a.total_cmp(&d).then(b.total_cmp(&e)).then(c.total_cmp(&f)).then(i.cmp(&j))
    });
    let mut first = vec![0; input.len()];
    for equal in order.chunk_by(|&i, &j| input[i as usize] == input[j as usize]) {
        for &point in equal {
            first[point as usize] = equal[0];
        }
    }
    Ok(first)
}

/// Refuses coordinates, and extents other than zero, of which products leave double precision.
pub(crate) fn check_extent(reach: f64, extent: f64) -> Result<(), PolytopeError> {
    if reach > tolerance::LARGEST_EXTENT || (extent > 0.0 && extent < tolerance::SMALLEST_EXTENT) {
        return Err(PolytopeError::OutOfRange { extent });
    }
    Ok(())
}
