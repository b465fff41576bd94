//! Patches: a rectangle of a surface's parameters, before they are tiled together.

use super::TiledError;
use crate::FaceId;
use crate::curve::Rect;
use crate::surface::{ParametricSurface, Surface};

/// The part of a surface over a rectangle of its parameters.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The surface.
    pub surface: Surface,
    /// The rectangle.
    pub rect: Rect,
    /// Whether the outward normal is against S_u × S_v.
    pub reversed: bool,
}

impl Patch {
    /// All of a surface.
    pub fn new(surface: impl Into<Surface>) -> Self {
        let surface = surface.into();
        let rect = surface.domain();
        Self { surface, rect, reversed: false }
    }

    /// The part over a rectangle.
    #[must_use]
    pub fn over(mut self, rect: Rect) -> Self {
        self.rect = rect;
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
