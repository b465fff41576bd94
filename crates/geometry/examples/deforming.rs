//! A sheet of control points that ripples: velocities, `advance`, and the motion bound against what points really do.
//!
//! Prints a table and writes a picture of the sheet's profile over time; the path of the picture may be given as argument.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use clearance_geometry::DVec3;
use clearance_geometry::surface::{NurbsSurface, ParametricSurface};
use clearance_geometry::tiled::DeformingPatch;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Control points along each side.
const SIDE: usize = 7;
/// Time between pictures.
const STEP: f64 = 0.125;
/// Number of steps.
const STEPS: usize = 8;
/// Samples along each side where displacements are measured.
const SAMPLES: usize = 40;

fn sheet() -> Result<NurbsSurface, Box<dyn Error>> {
    let knots: Vec<f64> = [0.0; 3].into_iter().chain((0..=4).map(f64::from)).chain([4.0; 3]).collect();
    let place = |i: usize| i as f64 / (SIDE - 1) as f64 * 4.0;
    let net: Vec<Vec<DVec3>> =
        (0..SIDE).map(|i| (0..SIDE).map(|j| DVec3::new(place(i), place(j), 0.0)).collect()).collect();
    Ok(NurbsSurface::new([3, 3], [knots.clone(), knots], &net, None)?)
}

/// A wave that travels along x, stronger in the middle of the sheet; velocities of the control points at a time.
fn wave(time: f64) -> Vec<Vec<DVec3>> {
    let velocity = |i: usize, j: usize| {
        let phase = 1.1 * i as f64 - 5.0 * time;
        let strength = if j == SIDE / 2 { 1.6 } else { 1.0 };
        DVec3::new(0.25, 0.0, strength * 1.4 * phase.cos())
    };
    (0..SIDE).map(|i| (0..SIDE).map(|j| velocity(i, j)).collect()).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut shape = sheet()?;
    let mut profiles = vec![profile(&shape)];
    println!(" time   fastest point   bound of its speed   moved most    motion bound   share");
    for step in 0..STEPS {
        let time = step as f64 * STEP;
        let now = DeformingPatch::new(shape.clone(), &wave(time))?;
        let later = now.advance(STEP)?;
        let (mut fastest, mut most) = (0.0_f64, 0.0_f64);
        for k in 0..=SAMPLES * SAMPLES {
            let at = |i: usize| i as f64 / SAMPLES as f64 * 4.0;
            let (u, v) = (at(k / SAMPLES), at(k % SAMPLES));
            fastest = fastest.max(now.velocity(u, v).length());
            most = most.max(now.shape().point(u, v).distance(later.shape().point(u, v)));
        }
        let bound = now.motion_bound(STEP);
        println!(
            "{time:5.3}   {fastest:13.6}   {:18.6}   {most:10.6}   {bound:13.6}   {:4.0} %",
            bound / STEP,
            100.0 * most / bound
        );
        if most > bound {
            return Err("a point moved farther than the bound".into());
        }
        shape = later.shape().clone();
        profiles.push(profile(&shape));
    }
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let path = std::env::args().nth(1).map_or_else(|| target.join("deforming.svg"), PathBuf::from);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&path, picture(&profiles))?;
    println!("\nprofiles of the sheet's middle: {}", path.display());
    Ok(())
}

/// The line v = 2 of the sheet, as (x, z).
fn profile(shape: &NurbsSurface) -> Vec<[f64; 2]> {
    let at = |k: usize| shape.point(k as f64 / 120.0 * 4.0, 2.0);
    (0..=120).map(|k| [at(k).x, at(k).z]).collect()
}

/// All profiles in one picture, from light (early) to dark (late).
fn picture(profiles: &[Vec<[f64; 2]>]) -> String {
    let points = || profiles.iter().flatten();
    let most = |i: usize| points().map(|p| p[i]).fold(f64::NEG_INFINITY, f64::max);
    let least = |i: usize| points().map(|p| p[i]).fold(f64::INFINITY, f64::min);
    let scale = 640.0 / (most(0) - least(0));
    let (width, height) = (700.0, (most(1) - least(1)) * scale + 90.0);
    let place = |p: [f64; 2]| [30.0 + (p[0] - least(0)) * scale, 30.0 + (most(1) - p[1]) * scale];
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0}' height='{height:.0}' font-family='sans-serif' \
         font-size='13'>\n<rect width='100%' height='100%' fill='white'/>\n"
    );
    let last = profiles.len() - 1;
    for (step, line) in profiles.iter().enumerate() {
        let share = step as f64 / last as f64;
        let shade = |light: f64, dark: f64| (light + (dark - light) * share).round();
        let color = format!("rgb({},{},{})", shade(190.0, 10.0), shade(215.0, 50.0), shade(240.0, 120.0));
        let path: Vec<String> = line
            .iter()
            .map(|p| {
                let [x, y] = place(*p);
                format!("{x:.2},{y:.2}")
            })
            .collect();
        let thick = if step == 0 || step == last { 2.5 } else { 1.2 };
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<polyline fill='none' stroke='{color}' stroke-width='{thick}' points='{}'/>",
            path.join(" ")
        );
    }
    let _ = writeln!(
        svg,
        "<text x='30' y='{:.0}'>profile of the sheet at v = 2, from t = 0 (light) to t = {} (dark)</text>\n</svg>",
        height - 18.0,
        STEP * last as f64
    );
    svg
}
