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

/// Places of the texts of a document that have this size, by their anchors.
fn texts(svg: &str, size: &str) -> Vec<(Place, String)> {
    let attribute = |tag: &str, name: &str| -> String {
        tag.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    svg.lines()
        .filter(|line| line.starts_with("<text") && attribute(line, "font-size") == size)
        .map(|line| {
            let number = |name: &str| attribute(line, name).parse::<f64>().unwrap();
            let (x, base) = (number(" x"), number(" y"));
            let text = line.split('>').nth(1).unwrap().split('<').next().unwrap().to_owned();
            let wide = width_of(&text, number("font-size"));
            let left = match attribute(line, "text-anchor").as_str() {
                "middle" => x - wide / 2.0,
                "end" => x - wide,
                _ => x,
            };
            (Place { left, top: base - 11.0, right: left + wide, bottom: base + 3.0 }, text)
        })
        .collect()
}

#[test]
fn labels_of_marks_lie_on_no_mark_and_no_label() {
    let mut chart = Chart::new(Axis::linear("y")).with(Series::line("s", vec![(0.0, 0.0), (100.0, 10.0)]));
    // Some alone, some so close that their labels want the same place.
    let at = [(10.0, 1.0), (40.0, 5.0), (41.0, 5.0), (42.5, 5.1), (43.0, 4.9), (100.0, 10.0), (0.0, 0.0)];
    for (k, at) in at.into_iter().enumerate() {
        chart.marks.push(Mark { at, text: format!("mark{k}"), color: PALETTE[6] });
    }
    let svg = Figure::new("title", Axis::linear("x")).with(Panel::Chart(chart)).to_svg();
    let labels: Vec<(Place, String)> =
        texts(&svg, "12").into_iter().filter(|label| label.1.starts_with("mark")).collect();
    assert!(labels.len() >= 6, "{labels:?}");
    let dots: Vec<(f64, f64)> = svg
        .lines()
        .filter(|line| line.starts_with("<circle"))
        .map(|line| {
            let number = |name: &str| -> f64 {
                line.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            (number("cx"), number("cy"))
        })
        .collect();
    assert_eq!(dots.len(), 7);
    for (k, (place, text)) in labels.iter().enumerate() {
        assert!(!labels[..k].iter().any(|other| other.0.meets(place)), "{text}");
        assert!(!dots.iter().any(|at| place.meets(&Place::around(*at, [4.0; 2]))), "{text}");
    }
}

#[test]
fn texts_of_a_figure_stay_on_its_sheet() {
    let name = "a body whose name is as long as a sentence – another one with such a name";
    let span =
        |k: usize| Span { from: k as f64, to: k as f64 + 1.0, color: PALETTE[k], title: String::new() };
    let row = |k: usize| Row { label: format!("{name} {k}"), spans: vec![span(k)], ticks: vec![] };
    let key = ["vertex–vertex", "vertex–edge", "vertex–face", "edge–edge", "edge–face", "face–face"];
    let lanes = Lanes {
        title: "closest features".to_owned(),
        rows: (0..3).map(row).collect(),
        key: key.iter().map(|name| ((*name).to_owned(), PALETTE[0])).collect(),
    };
    let mut chart = Chart::new(Axis::linear("y"));
    for k in 0..9 {
        chart.series.push(Series::line(format!("{name} {k}"), vec![(0.0, 0.0), (3.0, k as f64)]));
    }
    let figure = Figure::new(format!("{name}: {name}"), Axis::linear("time (s)"));
    let svg = figure.subtitle(name).with(Panel::Chart(chart)).with(Panel::Lanes(lanes)).to_svg();
    check_document(&svg);
    let mut seen = 0;
    for size in ["12", "12.5", "13", "18"] {
        for (place, text) in texts(&svg, size).iter().filter(|text| !text.1.is_empty()) {
            let upright = *text != "y";
            assert!(!upright || (place.left >= 0.0 && place.right <= 960.0), "{text}: {place:?}");
            seen += usize::from(key.contains(&text.as_str()));
        }
    }
    assert_eq!(seen, key.len());
    // What was cut has its beginning and its end.
    assert!(svg.contains("…") && svg.contains("with such a name 2</text>"));
}
