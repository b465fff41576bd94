use super::*;

fn simple(y: Axis, points: Vec<(f64, f64)>) -> String {
    Figure::new("title", Axis::linear("x"))
        .with(Panel::Chart(Chart::new(y).with(Series::line("s", points))))
        .to_svg()
}

/// Every element opened is closed, and nothing unprintable got in.
fn check_document(svg: &str) {
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a coordinate is not a number");
    for name in ["text", "title"] {
        assert_eq!(svg.matches(&format!("<{name}")).count(), svg.matches(&format!("</{name}>")).count());
    }
}

#[test]
fn figure_survives_any_numbers() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300, 5e-324, 1e308, -1e308];
    for axis in [Axis::linear("y"), Axis::log("y"), Axis::log("y").range(-1.0, 2.0)] {
        for &a in &odd {
            for &b in &odd {
                check_document(&simple(axis.clone(), vec![(0.0, a), (1.0, b)]));
                check_document(&simple(axis.clone(), vec![(a, b)]));
            }
        }
        check_document(&simple(axis, vec![]));
    }
}

#[test]
fn gaps_stay_open() {
    let svg =
        simple(Axis::linear("y"), vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)]);
    // Two pieces of the line and one in the legend.
    assert_eq!(svg.matches("<polyline").count(), 3);
}

#[test]
fn log_axis_spaces_decades_equally() {
    let axis = Axis::log("n");
    let ruler = axis::Ruler::new(&axis, [1.0, 100.0].into_iter(), 0.0, 200.0, 5, true);
    assert!((ruler.at(10.0) - 100.0).abs() < 1e-9);
    let labels: Vec<&str> = ruler.ticks().iter().filter_map(|t| t.1.as_deref()).collect();
    assert_eq!(labels, ["1", "2", "5", "10", "20", "50", "100"]);
}

#[test]
fn linear_ticks_are_round_and_cover_the_data() {
    let axis = Axis::linear("d");
    let ruler = axis::Ruler::new(&axis, [-0.13, 0.92].into_iter(), 0.0, 100.0, 6, true);
    assert!(ruler.ends().0 <= -0.13 && ruler.ends().1 >= 0.92);
    assert!(ruler.ticks().iter().any(|t| t.1.as_deref() == Some("0.0")));
}

#[test]
fn text_is_escaped() {
    let svg = Figure::new("a < b & \"c\"", Axis::linear("x")).to_svg();
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
}

#[test]
fn long_lines_are_thinned_without_losing_extremes() {
    let points: Vec<(f64, f64)> =
        (0..200_000).map(|k| (f64::from(k), if k == 123_456 { 50.0 } else { f64::from(k % 7) })).collect();
    let svg = simple(Axis::linear("y").range(0.0, 50.0), points);
    assert!(svg.len() < 400_000, "{} bytes", svg.len());
    // The spike reaches the top of the plotted area.
    assert!(svg.contains(",70.00"), "the spike is gone");
}

#[test]
fn long_legends_take_more_rows() {
    let names = |count: usize| {
        let mut chart = Chart::new(Axis::linear("y"));
        for k in 0..count {
            chart = chart
                .with(Series::line(format!("body number {k} – another body"), vec![(0.0, 1.0), (1.0, 2.0)]));
        }
        Figure::new("t", Axis::linear("x")).with(Panel::Chart(chart)).to_svg()
    };
    let height = |svg: &str| -> f64 {
        svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!(height(&names(12)) > height(&names(2)) + 17.0);
    check_document(&names(12));
}
