//! The pages of `docs/` and the README, one module each, so that their code runs as examples.
//!
//! They are Markdown first: their links lead to files, and brackets in their tables to nothing.
#![allow(rustdoc::broken_intra_doc_links)]

macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!(concat!("../../../docs/", $file))]
        pub mod $name {}
    };
}

page!(algebraic_route, "algebraic-route.md");
page!(benchmarks, "benchmarks.md");
page!(certificates, "certificates.md");
page!(closed_forms, "closed-forms.md");
page!(comparison, "comparison.md");
page!(contact, "contact.md");
page!(convex, "convex.md");
page!(coupler, "coupler.md");
page!(curves, "curves.md");
page!(depth, "depth.md");
page!(dynamics, "dynamics.md");
page!(extending, "extending.md");
page!(formats, "formats.md");
page!(gallery, "gallery.md");
page!(impact, "impact.md");
page!(inside, "inside.md");
page!(lin_canny, "lin-canny.md");
page!(methods, "methods.md");
page!(polytopes, "polytopes.md");
page!(quick_start, "quick-start.md");
page!(ratio_metric, "ratio-metric.md");
page!(reading_results, "reading-results.md");
page!(reproductions, "reproductions.md");
page!(scene_reference, "scene-reference.md");
page!(scenes, "scenes.md");
page!(search, "search.md");
page!(soak, "soak.md");
page!(step, "step.md");
page!(support, "support.md");
page!(tiled, "tiled.md");
page!(tracker, "tracker.md");
page!(tracking, "tracking.md");
page!(troubleshooting, "troubleshooting.md");
page!(viewer, "viewer.md");
page!(words, "words.md");
page!(index, "README.md");

#[doc = include_str!("../../../README.md")]
pub mod readme {}
