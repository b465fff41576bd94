//! Writes a page as large as one wants, to see how browsers take it: boxes that fall, one after the other, and rest.
//!
//! `cargo run --release -p clearance-formats --example large_page -- FRAMES BODIES FILE.html`
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use clearance_formats::Page;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

/// Frames that a body falls and tumbles before it rests.
const FALL: u64 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [frames, bodies, file] = words.as_slice() else {
        return Err("usage: large_page FRAMES BODIES FILE.html".into());
    };
    let (frames, bodies): (u64, u64) = (frames.parse()?, bodies.parse()?);
    let began = Instant::now();
    let mut page = Page::new(BufWriter::new(File::create(file)?), 1)?;
    page.line(&header(frames, bodies))?;
    for frame in 0..frames {
        let mut events = String::new();
        for body in 0..bodies {
            let (height, turn) = state(frame, body, frames, bodies);
            let (x, y) = place(body);
            let (sine, cosine) = (0.5 * turn).sin_cos();
            page.line(&format!(
                r#"{{"frame":{frame},"time":{},"body":"b{body}","pose":{{"translation":[{x},{y},{height}],"rotation":[{sine},0,0,{cosine}]}}}}"#,
                0.01 * frame as f64
            ))?;
            if height <= 0.5 {
                corners(&mut events, frame, x, y);
            }
        }
        let events = events.trim_end_matches(',');
        page.line(&format!(
            r#"{{"frame":{frame},"time":{},"kinetic":1,"potential":0,"infeasibility":0,"events":[{events}]}}"#,
            0.01 * frame as f64
        ))?;
    }
    page.line(&format!(r#"{{"complete":true,"rows":{}}}"#, frames * (bodies + 1)))?;
    page.into_inner()?;
    let size = std::fs::metadata(file)?.len() as f64 / 1e6;
    println!("{frames} frames of {bodies} bodies: {size:.1} MB in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Where a body comes down.
fn place(body: u64) -> (f64, f64) {
    (1.5 * (body % 32) as f64, 1.5 * (body / 32) as f64)
}

/// Height and angle of a body; each falls in its own time.
fn state(frame: u64, body: u64, frames: u64, bodies: u64) -> (f64, f64) {
    let starts = frames.saturating_sub(FALL) * body / bodies.max(1);
    let left = FALL.saturating_sub(frame.saturating_sub(starts)) as f64;
    let share = left / FALL as f64;
    (0.5 + 6.0 * share, 5.0 * share)
}

/// Four contacts, whose impulses differ in their last digits from frame to frame as those of a solver do.
fn corners(events: &mut String, frame: u64, x: f64, y: f64) {
    for (k, (dx, dy)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        let push = 0.024_525 * (1.0 + f64::EPSILON * ((frame * 31 + k as u64 * 17) % 101) as f64);
        let _ = write!(
            events,
            r#"{{"point":[{},{},0],"normal":[0,0,1],"impulse":[{push},0,0]}},"#,
            x + dx,
            y + dy
        );
    }
}

/// One shape for all bodies.
fn header(frames: u64, bodies: u64) -> String {
    let mut list = String::new();
    for body in 0..bodies {
        let (x, y) = place(body);
        let comma = if body == 0 { "" } else { "," };
        let _ = write!(
            list,
            r#"{comma}{{"name":"b{body}","shape":"box","fixed":false,"pose":{{"translation":[{x},{y},6.5]}}}}"#
        );
    }
    let corner = |k: u32| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|bit| f64::from(bit) - 0.5);
    let mut shape = (Vec::new(), Vec::new(), Vec::new());
    for (normal, ring) in [
        ([-1, 0, 0], [0, 4, 6, 2]),
        ([1, 0, 0], [1, 3, 7, 5]),
        ([0, -1, 0], [0, 1, 5, 4]),
        ([0, 1, 0], [2, 6, 7, 3]),
        ([0, 0, -1], [0, 2, 3, 1]),
        ([0, 0, 1], [4, 5, 7, 6]),
    ] {
        let base = shape.0.len() / 3;
        shape.0.extend(ring.iter().flat_map(|k| corner(*k)));
        shape.1.extend((0..4).flat_map(|_| normal));
        shape.2.extend([base, base + 1, base + 2, base, base + 2, base + 3]);
    }
    let edges: Vec<String> = (0..8_u32)
        .flat_map(|k| [1, 2, 4].map(|bit| (k, k | bit)))
        .filter(|(a, b)| a != b)
        .enumerate()
        .map(|(at, (a, b))| {
            let points = [corner(a), corner(b)].concat();
            format!(r#"{{"feature":"edge:{at}","class":"convex","points":{points:?}}}"#)
        })
        .collect();
    format!(
        r#"{{"clearance":"0","recording":2,"command":"simulate","scene":"Boxes that fall and rest","units":"m","planar":false,"frames":{frames},"step":0.01,"bodies":[{list}],"shapes":{{"box":{{"kind":"box","points":{:?},"normals":{:?},"triangles":{:?},"faces":[],"edges":[{}]}}}}}}"#,
        shape.0,
        shape.1,
        shape.2,
        edges.join(",")
    )
}
