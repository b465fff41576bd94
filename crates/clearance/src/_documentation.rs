//! The pages of `docs/`, one module each.

macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!(concat!("../../../docs/", $file))]
        pub mod $name {}
    };
}

page!(algebraic_route, "algebraic-route.md");
page!(certificates, "certificates.md");
page!(contact, "contact.md");
page!(convex, "convex.md");
page!(coupler, "coupler.md");
page!(depth, "depth.md");
page!(dynamics, "dynamics.md");
page!(formats, "formats.md");
page!(impact, "impact.md");
page!(inside, "inside.md");
page!(lin_canny, "lin-canny.md");
page!(methods, "methods.md");
page!(polytopes, "polytopes.md");
page!(curves, "curves.md");
page!(ratio_metric, "ratio-metric.md");
page!(reproductions, "reproductions.md");
page!(scenes, "scenes.md");
page!(search, "search.md");
page!(tracking, "tracking.md");
page!(step, "step.md");
page!(tiled, "tiled.md");
page!(tracker, "tracker.md");
