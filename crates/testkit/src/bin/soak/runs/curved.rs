//! Curves and surfaces of every kind: every bound of a random part contains its samples.

use super::{Case, kind};
use crate::tally::Failure;
use clearance_testkit::generate::{CURVE_KINDS, SURFACE_KINDS, curve, surface};
use clearance_testkit::{Random, check_curve_bounds, check_surface_bounds};

/// Samples of one part.
const SAMPLES: usize = 500;

/// A part of a curve or surface.
pub(super) fn curved(seed: u64) -> Box<Case<'static>> {
    Box::new(move |case, tally| {
        let mut random = Random::for_case(seed, case);
        let which = random.index(CURVE_KINDS.len() + SURFACE_KINDS.len());
        let (name, checked, repeat) = if which < CURVE_KINDS.len() {
            let (curve, part) = curve(&mut random, which);
            let checked = check_curve_bounds(&curve, part, &mut random, SAMPLES).map(|()| "curve");
            (CURVE_KINDS[which], checked, format!("{curve:?} over {part:?}"))
        } else {
            let which = which - CURVE_KINDS.len();
            let (surface, part) = surface(&mut random, which);
            let checked = check_surface_bounds(&surface, part, &mut random, SAMPLES);
            let told = checked.map(|told| if told { "cone of normals" } else { "no cone of normals" });
            (SURFACE_KINDS[which], told, format!("{surface:?} over {part:?}"))
        };
        tally.case(name.to_string());
        match checked {
            Ok(state) => *tally.states.entry(state.to_string()).or_default() += 1,
            Err(fault) => {
                let group = format!("{name}: {}", kind(&fault));
                // The shortest description is the easiest to look at.
                tally.fail(Failure { case, group, complexity: repeat.len() as u64, fault, repeat });
            }
        }
    })
}
