//! The support matrix: every kind against every kind, each question asked and what came of it written down.

use clearance_formats::{
    Answer, AnyPose, Context, GradientAnswer, Request, Scene, Shape, Units, Wants, answer,
};
use clearance_geometry::{DVec3, PlanarPose, Pose};
use std::fmt::Write as _;
use std::path::Path;

/// Every kind by a body of about unit size, and a point inside it, or on it where it has no inside.
const KINDS: [(&str, [f64; 3], &str); 21] = [
    ("point", [0.0, 0.0, 0.0], r#"{"kind": "point"}"#),
    ("segment", [0.0, 0.0, 0.25], r#"{"kind": "segment", "points": [[-1, 0, 0], [1, 0, 0.5]]}"#),
    ("box", [0.3, 0.1, 0.2], r#"{"kind": "box", "size": [2, 1, 1.5]}"#),
    (
        "polytope",
        [0.3, 0.3, 0.3],
        r#"{"kind": "polytope", "points": [[-0.5, -0.4, -0.6], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]}"#,
    ),
    (
        "mesh",
        [0.0, 0.0, 0.0],
        r#"{"kind": "mesh", "file": "scenes/parts/ycb-tomato-soup-can.obj", "units": "cm", "hull": true}"#,
    ),
    ("half_space", [0.0, 0.0, 0.2], r#"{"kind": "half_space", "normal": [0.6, 0, -0.8], "offset": 0.1}"#),
    ("sphere", [0.2, 0.1, 0.3], r#"{"kind": "sphere", "radius": 1}"#),
    ("ellipsoid", [0.1, 0.1, 0.2], r#"{"kind": "ellipsoid", "radii": [1, 0.7, 1.4]}"#),
    ("cylinder", [0.2, 0.1, 0.3], r#"{"kind": "cylinder", "radius": 0.8, "height": 2}"#),
    ("cone", [0.1, 0.1, 0.5], r#"{"kind": "cone", "radius": 1, "height": 2}"#),
    ("capsule", [0.1, 0.0, 0.3], r#"{"kind": "capsule", "radius": 0.5, "height": 1.5}"#),
    ("torus", [1.0, 0.05, 0.0], r#"{"kind": "torus", "major": 1, "minor": 0.3}"#),
    (
        "revolve",
        [0.2, 0.0, 0.1],
        r#"{"kind": "revolve", "profile": [{"line": [[0, -0.5], [0.5, 0.5]]}, {"line": [[0.5, 0.5], [0, 0.2]]}]}"#,
    ),
    (
        "tiled",
        [0.2, 0.1, 0.4],
        r#"{"kind": "tiled", "faces": [
            {"kind": "surface", "surface": "cylinder", "radius": 1, "v": [0, 1]},
            {"kind": "surface", "surface": "cone", "radius": 1, "height": 0.5, "pose": {"translation": [0, 0, 1]}},
            {"kind": "surface", "surface": "cone", "radius": 1, "height": 0.5, "pose": {"axis_angle": [1, 0, 0, 180]}}]}"#,
    ),
    ("step", [1.77, 1.77, 0.2], r#"{"kind": "step", "file": "crates/formats/tests/step_made/vase.step"}"#),
    (
        "union",
        [0.1, 0.1, 0.1],
        r#"{"kind": "union", "parts": [{"shape": {"kind": "sphere", "radius": 0.5}},
            {"shape": {"kind": "box", "size": [1, 1, 1]}, "pose": {"translation": [1, 0, 0]}}]}"#,
    ),
    (
        "nurbs",
        [0.0, 0.0, 0.375],
        r#"{"kind": "nurbs", "degree": [2, 1], "knots": [[0, 0, 0, 2, 2, 2], [0, 0, 3, 3]], "points":
            [[[-0.5, -0.5, 0], [-0.5, 0.5, 0]], [[0, -0.5, 0.8], [0, 0.5, 0.6]], [[0.5, -0.5, 0], [0.5, 0.5, 0.2]]]}"#,
    ),
    (
        "surface",
        [0.0, 0.6, 0.18],
        r#"{"kind": "surface", "surface": "paraboloid", "focal": 0.5, "u": [0, 200], "v": [0.2, 1]}"#,
    ),
    (
        "algebraic",
        [1.0, 0.0, 0.0],
        r#"{"kind": "algebraic", "polynomial": "x^2 + y^2/4 + z^2 - 1", "within": [[-3, -3, -3], [3, 3, 3]]}"#,
    ),
    ("polygon", [0.1, 0.1, 0.0], r#"{"kind": "polygon", "points": [[-0.5, -0.5], [1, 0], [0, 1]]}"#),
    (
        "planar_tiled",
        [0.0, -0.4, 0.0],
        r#"{"kind": "planar_tiled", "curves": [{"degree": 2, "knots": [0, 0, 0, 1, 1, 1],
            "points": [[-1, 0], [0, -2], [1, 0]]}, {"degree": 1, "knots": [0, 0, 1, 1], "points": [[1, 0], [-1, 0]]}]}"#,
    ),
];

/// What is asked, and what stands in a cell that has an answer to it.
struct Question {
    heading: &'static str,
    about: &'static str,
    wants: Wants,
    apart: bool,
    cell: fn(&Answer) -> &'static str,
}

const NONE: Wants = Wants {
    ratio: false,
    certificate: false,
    gradient: false,
    locus: false,
    all_minima: false,
    events: false,
    impact: false,
};

const QUESTIONS: [Question; 6] = [
    Question {
        heading: "Distance and its proof",
        about: "Bodies apart: distance, witnesses and features, with `want: \"certificate\"`. **proven**: the lower bound is \
                within 10⁻⁶ of the distance.",
        wants: Wants { certificate: true, ..NONE },
        apart: true,
        cell: |answer| match answer.lower_bound {
            Some(Some(lower)) if answer.distance - lower <= 1e-6 * answer.distance => "proven",
            _ => "distance",
        },
    },
    Question {
        heading: "Overlap",
        about: "Bodies that overlap. **depth**: one signed distance. **regions**: one depth for each connected part of the \
                overlap. **state**: that they meet, and where.",
        wants: NONE,
        apart: false,
        cell: |answer| {
            assert!(answer.distance < 1e-9, "bodies that should overlap are {} apart", answer.distance);
            if answer.signed_distance.is_some_and(|signed| signed < 0.0) {
                "depth"
            } else if answer.regions.as_ref().is_some_and(|regions| !regions.is_empty()) {
                "regions"
            } else {
                "state"
            }
        },
    },
    Question {
        heading: "Derivative",
        about: "`want: \"gradient\"`: of the signed distance by both poses, bodies apart.",
        wants: Wants { gradient: true, ..NONE },
        apart: true,
        cell: |answer| match answer.gradient {
            Some(GradientAnswer::Twists(_)) => "yes",
            _ => "no",
        },
    },
    Question {
        heading: "All local minima",
        about: "`want: \"all_minima\"`, bodies apart. **some**: the answer warns that some may be missing.",
        wants: Wants { all_minima: true, ..NONE },
        apart: true,
        cell: |answer| {
            // Warnings about a body begin with its side.
            let about_it = |warning: &String| !warning.starts_with("a: ") && !warning.starts_with("b: ");
            if answer.warnings.iter().any(about_it) { "some" } else { "all" }
        },
    },
    Question {
        heading: "Nearest points that are not unique",
        about: "`want: \"locus\"`, bodies apart.",
        wants: Wants { locus: true, ..NONE },
        apart: true,
        cell: |_| "yes",
    },
    Question {
        heading: "Ratio metric",
        about: "`want: \"ratio\"`, bodies apart.",
        wants: Wants { ratio: true, ..NONE },
        apart: true,
        cell: |answer| if answer.ratio.is_some() { "yes" } else { "no" },
    },
];

/// A kind with a body of it and a point inside.
struct Specimen {
    shape: Shape,
    inside: DVec3,
}

/// The page.
pub fn page(root: &Path) -> String {
    // Millimetres, because that is the size of the STEP file.
    let context = Context::new(root, Units::Millimetre);
    let specimens = KINDS.map(|(kind, inside, text)| {
        let shape = Shape::from_json(text, &context).unwrap_or_else(|error| panic!("{kind}: {error}"));
        Specimen { shape, inside: DVec3::from_array(inside) }
    });
    let mut text = String::from(
        "# What is answered\n\n\
         <!-- Made by `cargo xtask book`, which asks every question below of the engine and writes down what came of it. -->\n\n\
         Every kind of shape against every other, by asking: one body of each kind, apart from or overlapping one of each \
         other\nkind. Kinds with equal rows share one. A code in place of a word is the [error](troubleshooting.md) that the \
         question is\nrefused with; *dimension* is `dimension_mismatch`. The same holds when pairs are tracked. Points in \
         bodies and rays are asked\nof [closed bodies](inside.md) of any kind.\n",
    );
    for question in &QUESTIONS {
        let _ = write!(text, "\n## {}\n\n{}\n\n", question.heading, question.about);
        table(&mut text, &ask(question, &specimens));
    }
    text.push_str("\n## Simulation\n\n`clearance simulate`: whether a body of the kind can move there, and stand still there.\n\n");
    simulated(&mut text);
    text
}

/// All cells of a question, by the numbers of both kinds.
fn ask(question: &Question, specimens: &[Specimen; 21]) -> Vec<Vec<String>> {
    let mut cells = vec![vec![String::new(); specimens.len()]; specimens.len()];
    for (i, a) in specimens.iter().enumerate() {
        for (j, b) in specimens.iter().enumerate().skip(i) {
            let cell = asked(question, a, b);
            cells[j][i].clone_from(&cell);
            cells[i][j] = cell;
        }
    }
    cells
}

fn asked(question: &Question, a: &Specimen, b: &Specimen) -> String {
    let planar = [a, b].map(|side| side.shape.body.is_planar());
    let turn = if planar[1] { DVec3::Z } else { DVec3::new(0.48, 0.6, 0.64) };
    let turned = Pose::from_axis_angle(turn, 1.35, DVec3::ZERO).unwrap();
    // Away from the half-space, where there is one; its normal is the same in every direction of the turn but B's.
    let away = match (a.shape.body.is_unbounded(), b.shape.body.is_unbounded()) {
        (true, _) => DVec3::new(0.6, 0.0, -0.8) * 15.0,
        (_, true) => -turned.apply(DVec3::new(0.6, 0.0, -0.8)) * 15.0,
        _ => DVec3::new(9.0, 5.0, if planar[1] { 0.0 } else { -8.0 }),
    };
    let at = a.inside - turned.apply(b.inside) + if question.apart { away } else { DVec3::ZERO };
    let pose_b = if planar[1] {
        AnyPose::Planar(PlanarPose::new(1.35, at.truncate()).unwrap())
    } else {
        AnyPose::Solid(turned.with_translation(at))
    };
    let mut request = Request::new(&a.shape, AnyPose::identity(planar[0]), &b.shape, pose_b);
    request.wants = question.wants;
    match answer(&request) {
        Ok(answer) => (question.cell)(&answer).to_owned(),
        Err(error) if error.code() == "dimension_mismatch" => "*dimension*".to_owned(),
        Err(error) => format!("`{}`", error.code()),
    }
}

/// A table with one row for all kinds whose rows are equal.
fn table(text: &mut String, cells: &[Vec<String>]) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for kind in 0..cells.len() {
        match groups.iter_mut().find(|group| cells[group[0]] == cells[kind]) {
            Some(group) => group.push(kind),
            None => groups.push(vec![kind]),
        }
    }
    let names = |group: &[usize]| {
        group.iter().map(|kind| format!("`{}`", KINDS[*kind].0)).collect::<Vec<_>>().join(", ")
    };
    let letter = |index: usize| char::from(b'A' + index as u8);
    let letters: Vec<String> = (0..groups.len()).map(|index| letter(index).to_string()).collect();
    let _ = writeln!(text, "| | kinds | {} |", letters.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(groups.len()));
    for (index, group) in groups.iter().enumerate() {
        let row: Vec<&str> = groups.iter().map(|other| cells[group[0]][other[0]].as_str()).collect();
        let _ = writeln!(text, "| **{}** | {} | {} |", letter(index), names(group), row.join(" | "));
    }
}

/// Which kinds can be bodies of a simulation.
fn simulated(text: &mut String) {
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for (kind, _, shape) in KINDS {
        let table = inline(&serde_json::from_str(shape).expect("JSON"));
        let takes = |mass: &str| {
            let planar = if matches!(kind, "polygon" | "planar_tiled") { "planar = true\n" } else { "" };
            let scene = format!(
                "{planar}[body.a]\nshape = {table}\n{mass}\n[simulation]\nstep = 0.01\nduration = 1\n"
            );
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let scene = Scene::parse(&scene, &Context::new(root, Units::Metre));
            match scene.and_then(|scene| scene.simulation()) {
                Ok(_) => "yes",
                Err(_) => "no",
            }
        };
        let word = match [takes("density = 1"), takes("fixed = true")] {
            ["yes", "yes"] => "moves or stands",
            ["no", "yes"] => "stands",
            ["yes", "no"] => "moves",
            _ => "no",
        };
        match rows.iter_mut().find(|(other, _)| *other == word) {
            Some((_, kinds)) => kinds.push(format!("`{kind}`")),
            None => rows.push((word, vec![format!("`{kind}`")])),
        }
    }
    text.push_str("| | kinds |\n|---|---|\n");
    for (word, kinds) in rows {
        let _ = writeln!(text, "| {word} | {} |", kinds.join(", "));
    }
}

/// JSON as an inline table of TOML.
fn inline(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        serde_json::Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
