//! Ours alone in a loop, for a profiler: `hot BODIES DEGREES|cold COUNT [overlapping]`.
//!
//! The stream is laid out before; `--toggle-collect='*measured_region*'` leaves that out of a
//! callgrind profile.

use clearance_bench::candidate::Answer;
use clearance_bench::clock::thread_nanoseconds;
use clearance_bench::lineup::entries;
use clearance_bench::measure::measured_region;
use clearance_bench::shape::Shape;
use clearance_bench::stream::{Pace, Scene, stream};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [family, pace, count, ref rest @ ..] = words[..] else {
        return Err("usage: hot BODIES DEGREES|cold COUNT [overlapping]".into());
    };
    let shape = Shape::named(family).ok_or("no such bodies")?;
    let pace = Pace::parse(pace).ok_or("not a step")?;
    let count: usize = count.parse()?;
    let scene = if rest == ["overlapping"] { Scene::Overlapping } else { Scene::Separated };
    let ours = &mut entries(scene, pace)[0].build(&shape, scene);
    let warm_up = count / 10 + 1;
    ours.load(&stream(&shape, scene, pace, warm_up + count));
    let mut answers = vec![Answer::default(); count];
    ours.run(0..warm_up, &mut answers);
    let before = thread_nanoseconds();
    measured_region(ours.as_mut(), warm_up..warm_up + count, &mut answers);
    let each = (thread_nanoseconds() - before) / count as f64;
    println!("{each:.1} ns per query, {:?}", ours.work(warm_up..warm_up + count));
    Ok(())
}
