//! `clearance track SCENE`, and what `clearance` alone runs.

mod figure;
mod follow;
mod history;
mod summary;

pub(crate) use follow::follow;

use crate::arguments;
use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use crate::source;
use clearance_formats::{Context, Scene, Units};
use follow::Followed;
use std::io::Write as _;
use std::path::Path;

/// The scene that is built in.
const BUILT_IN: &str = include_str!("../../../../scenes/built-in/tumble.toml");

/// Where the built-in scene stands in the repository.
const BUILT_IN_NAME: &str = "scenes/built-in/tumble.toml";

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
    if track.pairs.is_empty() {
        let message = format!("{}: track.pairs: there is no pair of bodies to follow", options.scene);
        return Err(Failure::input("bad_value", message));
    }
    let followed = follow::run(&scene, &track, surroundings, surroundings.common.record.as_deref())?;
    let title = scene.title.clone().unwrap_or_else(|| options.scene.clone());
    if let Some(plot) = &options.plot {
        write_plot(plot, &title, &scene, &followed)?;
    }
    let mut text = if surroundings.common.json {
        summary::json(&title, scene.units.symbol(), &followed.histories) + "\n"
    } else {
        summary::in_words(&title, scene.units.symbol(), &followed)
    };
    if !surroundings.common.json {
        let written = [("plot", &options.plot), ("recording", &surroundings.common.record)];
        for (what, path) in written.iter().filter_map(|(what, path)| Some((what, path.as_ref()?))) {
            text += &format!("{what:11}{}\n", path.display());
        }
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if summary::clashed(&followed.histories) { Verdict::Violated } else { Verdict::Clear })
}

/// Shows what the program does: the built-in scene, a table, a plot and a recording in `folder`.
pub(crate) fn built_in(folder: &Path, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let scene = scene(BUILT_IN, BUILT_IN_NAME)?;
    let track = scene.track()?.clone();
    std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
    let record = surroundings.common.record.clone().unwrap_or_else(|| folder.join("tumble.jsonl"));
    let plot = folder.join("tumble.svg");
    let followed = follow::run(&scene, &track, surroundings, Some(&record))?;
    let title = scene.title.clone().unwrap_or_default();
    write_plot(&plot, &title, &scene, &followed)?;
    let unit = scene.units.symbol();
    let text = if surroundings.common.json {
        summary::json(&title, unit, &followed.histories) + "\n"
    } else {
        format!(
            "{}plot       {}\nrecording  {}\nscene      {BUILT_IN_NAME}, built in\n\n\
             next: clearance --help, clearance track SCENE --plot FILE.svg, clearance reproduce\n",
            summary::in_words(&title, unit, &followed),
            plot.display(),
            record.display(),
        )
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::Clear)
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
