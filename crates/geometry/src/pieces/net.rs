//! The control points of a piece.
//!
//! Source: those of a spline's pieces lie one after the other in the spline itself.
//! Differs: they are shared with it until they are changed; a single point needs no memory of its own.
//! Ends because: nothing is repeated.
//! Cost: none for pieces of splines; else memory for the points.
//! Not promised: that a change takes no memory: what is shared is copied first.

use glam::DVec4;
use std::ops::Deref;
use std::sync::Arc;

/// Control points as (x·w, y·w, z·w, w), read as a slice of them.
#[derive(Clone)]
pub struct Net(Points);

#[derive(Clone)]
enum Points {
    Single([DVec4; 1]),
    Own(Vec<DVec4>),
    /// So many of a spline's, from one on.
    Shared(Arc<[DVec4]>, u32, u32),
}

impl Net {
    /// A point alone.
    pub const fn single(point: DVec4) -> Self {
        Self(Points::Single([point]))
    }

    /// Some points of a spline, from one on; as many as there are where `count` is more.
    pub(crate) fn shared(all: &Arc<[DVec4]>, start: usize, count: usize) -> Self {
        match (u32::try_from(start), u32::try_from(count)) {
            (Ok(first), Ok(many)) if start + count <= all.len() => {
                Self(Points::Shared(Arc::clone(all), first, many))
            }
            _ => all.iter().skip(start).take(count).copied().collect::<Vec<_>>().into(),
        }
    }

    /// The points, to be changed: of this piece alone from then on.
    pub(crate) fn to_mut(&mut self) -> &mut [DVec4] {
        if let Points::Shared(..) = self.0 {
            self.0 = Points::Own(self.to_vec());
        }
        match &mut self.0 {
            Points::Single(point) => point,
            Points::Own(points) => points,
            Points::Shared(..) => &mut [],
        }
    }
}

impl Deref for Net {
    type Target = [DVec4];

    #[inline]
    fn deref(&self) -> &[DVec4] {
        match &self.0 {
            Points::Single(point) => point,
            Points::Own(points) => points,
            Points::Shared(all, start, count) => &all[*start as usize..][..*count as usize],
        }
    }
}

impl From<Vec<DVec4>> for Net {
    fn from(points: Vec<DVec4>) -> Self {
        Self(Points::Own(points))
    }
}

impl FromIterator<DVec4> for Net {
    fn from_iter<I: IntoIterator<Item = DVec4>>(points: I) -> Self {
        Vec::from_iter(points).into()
    }
}

impl<'a> IntoIterator for &'a Net {
    type Item = &'a DVec4;
    type IntoIter = std::slice::Iter<'a, DVec4>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Net {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl std::fmt::Debug for Net {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
