//! `clearance track SCENE`, and what `clearance` alone runs.

mod figure;
mod follow;
mod history;
mod live;
mod summary;

pub(crate) use follow::follow;

use crate::arguments;
use crate::failure::Failure;
use crate::reproduce::pen::{DISTANCE_DIGITS, first_table};
use crate::run::{Surroundings, Verdict};
use crate::source;
use crate::terminal::{Side, Table};
use clearance_formats::{Context, Scene, Track, Units};
use clearance_proximity::published::{Settings, UnknownName};
use follow::Followed;
use std::io::Write as _;
use std::path::Path;

/// The scene that is built in: the pen and the bowl of 004.
const BUILT_IN: &str = include_str!("../../../../scenes/004/pen-and-bowl.toml");

/// Where the built-in scene stands in the repository.
const BUILT_IN_NAME: &str = "scenes/004/pen-and-bowl.toml";

/// Follows the pairs of a scene; status 1 if any overlapped.
pub(crate) fn track(options: &arguments::Track, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    if let Some(plot) = &options.plot {
        check_plot_name(plot)?;
    }
    let scene = read_scene(&options.scene, surroundings)?;
    let mut track = scene.track()?.clone();
    if let Some(rate) = options.rate {
        track = track.at_rate(rate)?;
    }
    for word in &options.want {
        track.wants.add(word)?;
    }
    if track.wants.impact {
        return Err(Failure::input("bad_value", "`clearance impact` tells when bodies first touch"));
    }
    method(options, &mut track)?;
    if track.pairs.is_empty() {
        let message = format!("{}: track.pairs: there is no pair of bodies to follow", options.scene);
        return Err(Failure::input("bad_value", message));
    }
    let timing = options.rate.map(|rate| live::run(&scene, &track, rate, surroundings)).transpose()?;
    let followed = follow::run(&scene, &track, surroundings, surroundings.common.record.as_deref())?;
    let title = scene.title.clone().unwrap_or_else(|| options.scene.clone());
    if let Some(plot) = &options.plot {
        write_plot(plot, &title, &scene, &followed)?;
    }
    let mut text = if surroundings.common.json {
        summary::json(&title, scene.units.symbol(), &followed, timing.as_ref()) + "\n"
    } else {
        let timing = timing.map_or_else(String::new, |timing| format!("\n{}", timing.in_words()));
        summary::in_words(&title, scene.units.symbol(), &followed) + &timing
    };
    if !surroundings.common.json {
        let written = [("plot", &options.plot), ("recording", &surroundings.common.record)];
        for (what, path) in written.iter().filter_map(|(what, path)| Some((what, path.as_ref()?))) {
            text += &format!("{what:11}{}\n", path.display());
        }
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::of_run(followed.stopped, summary::clashed(&followed.histories)))
}

/// Takes the method of the command line, with the scene's numbers where it has none of its own.
fn method(options: &arguments::Track, track: &mut Track) -> Result<(), Failure> {
    let bad = |error: UnknownName| Failure::input("bad_value", error.to_string());
    let mut settings = match (&options.method, track.method) {
        (None, None) if options.gain.is_none() && options.integrator.is_none() => return Ok(()),
        (None, None) => {
            return Err(Failure::input("bad_value", "`--gain` and `--integrator` go with `--method`"));
        }
        (_, known) => known.unwrap_or(Settings { rate: 1.0 / track.step, ..Settings::default() }),
    };
    if let Some(name) = &options.method {
        settings.method = name.parse().map_err(bad)?;
    }
    if let Some(name) = &options.integrator {
        settings.integrator = name.parse().map_err(bad)?;
    }
    settings.gain = options.gain.unwrap_or(settings.gain);
    track.method = Some(settings);
    Ok(())
}

/// Shows what the program does: the built-in scene, its table beside that of 004, a plot and a page in `folder`.
pub(crate) fn built_in(folder: &Path, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let scene = scene(BUILT_IN, BUILT_IN_NAME)?;
    let track = scene.track()?.clone();
    std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
    let record = surroundings.common.record.clone().unwrap_or_else(|| folder.join("pen-and-bowl.html"));
    let plot = folder.join("pen-and-bowl.svg");
    let followed = follow::run(&scene, &track, surroundings, Some(&record))?;
    let title = scene.title.clone().unwrap_or_default();
    write_plot(&plot, &title, &scene, &followed)?;
    let unit = scene.units.symbol();
    let text = if surroundings.common.json {
        summary::json(&title, unit, &followed, None) + "\n"
    } else {
        format!(
            "{}\n{}\nplot       {}\nrecording  {}\nscene      {BUILT_IN_NAME}, built in\n\n\
             next: open the recording in a browser; clearance --help, clearance track SCENE --record RUN.html, \
             clearance reproduce\n",
            summary::in_words(&title, unit, &followed),
            beside_the_paper(&followed),
            plot.display(),
            record.display(),
        )
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::of_run(followed.stopped, false))
}

/// The first table of 004 with what was found at its rows.
fn beside_the_paper(followed: &Followed) -> String {
    let mut table = Table::new(&[
        ("Y", Side::Right),
        ("004, table 1", Side::Right),
        ("here", Side::Right),
        ("between", Side::Left),
        ("", Side::Left),
    ]);
    let samples = followed.histories.first().map_or(&[][..], |history| &history.samples);
    for (at, printed) in first_table() {
        let near = |sample: &&history::Sample| (sample.time - at).abs();
        let Some(sample) = samples.iter().min_by(|one, other| near(one).total_cmp(&near(other))) else {
            continue;
        };
        let agrees = (sample.distance - printed).abs() <= DISTANCE_DIGITS;
        table.row([
            format!("{at}"),
            format!("{printed:.5}"),
            format!("{:.5}", sample.distance),
            format!("{} – {}", sample.features[0], sample.features[1]),
            if agrees { String::new() } else { "a misprint: see docs/reproductions.md".to_owned() },
        ]);
    }
    table.render()
}

/// A scene file, or `-` for standard input.
pub(crate) fn read_scene(argument: &str, surroundings: &Surroundings) -> Result<Scene, Failure> {
    if argument == "-" {
        let text = source::standard_input()?;
        return Scene::parse(&text, &surroundings.context())
            .map_err(|error| Failure::in_text(&error, "standard input", &text));
    }
    Ok(Scene::load(Path::new(argument), surroundings.units)?)
}

/// A scene that is built in.
pub(crate) fn scene(text: &str, name: &str) -> Result<Scene, Failure> {
    Scene::parse(text, &Context::new("", Units::Metre)).map_err(|error| Failure::in_text(&error, name, text))
}

fn write_plot(path: &Path, title: &str, scene: &Scene, followed: &Followed) -> Result<(), Failure> {
    let figure = figure::figure(title, scene.units.symbol(), &followed.histories);
    std::fs::write(path, figure.to_svg()).map_err(|error| Failure::write(path, &error))
}

pub(crate) fn check_plot_name(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Failure::input("bad_file", format!("{}: a plot ends in .svg", path.display())))
}
