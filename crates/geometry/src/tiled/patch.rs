//! Patches: a rectangle of a surface's parameters, or what polygons cut out of them, before they are tiled together.
//!
//! Source: 001 §II, whose bodies are tiled from such patches.
//! Differs: nothing to differ from.
//! Ends because: there are no loops but one over the corners of polygons.
//! Cost: O(corners).
//! Not promised: that polygons do not cross each other.

use super::TiledError;
use crate::curve::{Range, Rect};
use crate::surface::{ParametricSurface, Surface};
use crate::{DVec2, FaceId};

/// The part of a surface over a rectangle of its parameters.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The surface.
    pub surface: Surface,
    /// The rectangle.
    pub rect: Rect,
    /// Whether the outward normal is against S_u × S_v.
    pub reversed: bool,
    /// Polygons in (u, v) that bound it, with the face on their left as in [`TiledBody::from_trim`]; none for all of the
    /// rectangle.
    ///
    /// [`TiledBody::from_trim`]: super::TiledBody::from_trim
    pub trim: Vec<Vec<DVec2>>,
}

impl Patch {
    /// All of a surface.
    pub fn new(surface: impl Into<Surface>) -> Self {
        let surface = surface.into();
        let rect = surface.domain();
        Self { surface, rect, reversed: false, trim: Vec::new() }
    }

    /// The part over a rectangle.
    #[must_use]
    pub fn over(mut self, rect: Rect) -> Self {
        self.rect = rect;
        self
    }

    /// The part to the left of polygons.
    #[must_use]
    pub fn trimmed(mut self, loops: Vec<Vec<DVec2>>) -> Self {
        let corners = || loops.iter().flatten();
        let range = |of: fn(&DVec2) -> f64| {
            Range::new(
                corners().map(of).fold(f64::INFINITY, f64::min),
                corners().map(of).fold(f64::NEG_INFINITY, f64::max),
            )
        };
        self.rect = Rect::new(range(|p| p.x), range(|p| p.y));
        self.trim = loops;
        self
    }

    /// Looking the other way.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reversed = !self.reversed;
        self
    }

    /// Whether the rectangle is one, bounded and within the domain but for periods.
    pub(super) fn check(&self, at: usize) -> Result<(), TiledError> {
        let face = FaceId(at as u32);
        let (domain, periods) = (self.surface.domain(), self.surface.periods());
        let Rect { u, v } = self.rect;
        if !(self.rect.is_bounded() && u.width() > 0.0 && v.width() > 0.0) {
            return Err(TiledError::Unbounded { face });
        }
        if !self.trim.is_empty() {
            return Ok(());
        }
        let fits = |range: crate::curve::Range, domain: crate::curve::Range, period: Option<f64>| match period
        {
            Some(period) => range.width() <= period * (1.0 + crate::tolerance::STRAIGHT_REL),
            None => domain.encloses(range),
        };
        if fits(u, domain.u, periods[0]) && fits(v, domain.v, periods[1]) {
            Ok(())
        } else {
            Err(TiledError::NotFinite { what: "face", index: at })
        }
    }
}
