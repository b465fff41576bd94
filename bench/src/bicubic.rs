//! One bicubic patch: point with all first and second derivatives, ours beside curvo and textbook methods.
//!
//! One surface is a single patch, the other has 8 × 8 knot spans, so that looking up the span and fetching its
//! numbers are part of the work. Random parameters jump all over it, coherent ones wander in small steps.

use crate::clock::thread_nanoseconds;
use crate::random::Random;
use crate::textbook::{BasisFunctions, DeBoor, Net};
use clearance_geometry::DVec3;
use clearance_geometry::surface::{NurbsSurface, SurfaceHint};
use curvo::prelude::NurbsSurface3D;
use nalgebra::Point4;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::hint::black_box;

/// Point, u, v, uu, uv, vv.
pub type Jet = [[f64; 3]; 6];

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Parameters evaluated in one go.
    pub segment: usize,
    /// Goes of each candidate; the first only warms up.
    pub rounds: usize,
}

impl Plan {
    /// For the table.
    pub const FULL: Self = Self { segment: 2000, rounds: 41 };
    /// To see that everything runs.
    pub const SMOKE: Self = Self { segment: 50, rounds: 3 };
}

/// What was measured of one way to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in the table.
    pub name: &'static str,
    /// Median and least over the rounds, ns per evaluation.
    pub nanoseconds: [f64; 2],
    /// Largest difference from the reference, points over the size and derivatives over theirs.
    pub error: f64,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Knot spans along each parameter.
    pub spans: usize,
    /// Polynomial or rational.
    pub surface: &'static str,
    /// Random or coherent.
    pub parameters: &'static str,
    /// Ours first.
    pub columns: Vec<Column>,
    /// Hash of our answers' bits.
    pub hash: u64,
}

type Evaluate<'a> = Box<dyn FnMut(&[[f64; 2]], &mut [Jet]) + 'a>;

/// For each surface: polynomial and rational, random and coherent.
pub fn rows(plan: Plan) -> Vec<Row> {
    let mut rows = Vec::new();
    for spans in [1, 8] {
        for rational in [false, true] {
            let net = net(spans, rational);
            for coherent in [false, true] {
                rows.push(row(&net, rational, coherent, plan));
            }
        }
    }
    rows
}

/// Control points over a wavy rectangle, clamped uniform knots.
fn net(spans: usize, rational: bool) -> Net {
    let mut random = Random::new(5);
    let mut unit = move || uniform(&mut random, -1.0, 1.0);
    let count = spans + 3;
    let mut points = Vec::new();
    for i in 0..count {
        for j in 0..count {
            let w = if rational { 1.0 + 0.5 * unit() } else { 1.0 };
            let p = [i as f64 + 0.3 * unit(), j as f64 + 0.3 * unit(), unit()];
            points.push([p[0] * w, p[1] * w, p[2] * w, w]);
        }
    }
    let inner = (1..spans).map(|k| k as f64);
    let knots: Vec<f64> = [0.0; 4].into_iter().chain(inner).chain([spans as f64; 4]).collect();
    Net { count, knots, points }
}

fn uniform(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * 0.5 * (1.0 + random.signed())
}

fn parameters(spans: usize, coherent: bool, count: usize) -> Vec<[f64; 2]> {
    let mut random = Random::new(6);
    let end = spans as f64;
    let mut at = [0.5 * end; 2];
    let mut next = || {
        at = [0, 1].map(|i: usize| {
            if coherent {
                // A walk of small steps, reflected at the sides.
                let t: f64 = at[i] + uniform(&mut random, -0.02, 0.02);
                let t = if t < 0.0 { -t } else { t };
                if t < end { t } else { 2.0 * end - t - f64::EPSILON * end }
            } else {
                uniform(&mut random, 0.0, end)
            }
        });
        at
    };
    (0..count).map(|_| next()).collect()
}

fn row(net: &Net, rational: bool, coherent: bool, plan: Plan) -> Row {
    let ours = ours(net, rational);
    let theirs = curvo(net);
    let (de_boor, basis) = (DeBoor::new(net), BasisFunctions::new(net));
    let mut hint = SurfaceHint::default();
    let mut candidates: Vec<(&'static str, Evaluate<'_>)> = vec![
        ("ours", Box::new(move |at, out| ours_loop(&ours, &mut hint, at, out))),
        (
            "curvo",
            Box::new(|at, out| {
                for (p, out) in at.iter().zip(out) {
                    let d = theirs.rational_derivatives(p[0], p[1], 2);
                    let get = |k: usize, l: usize| [d[k][l][0], d[k][l][1], d[k][l][2]];
                    *out = [get(0, 0), get(1, 0), get(0, 1), get(2, 0), get(1, 1), get(0, 2)];
                }
            }),
        ),
        (
            "de Boor",
            Box::new(|at, out| {
                for (p, out) in at.iter().zip(out) {
                    *out = de_boor.jet(p[0], p[1]);
                }
            }),
        ),
        (
            "basis functions",
            Box::new(|at, out| {
                for (p, out) in at.iter().zip(out) {
                    *out = basis.jet(p[0], p[1]);
                }
            }),
        ),
    ];
    let all = parameters(net.count - 3, coherent, plan.segment * plan.rounds);
    let mut answers = vec![vec![[[0.0; 3]; 6]; plan.segment]; candidates.len()];
    let mut times = vec![Vec::new(); candidates.len()];
    let mut errors = vec![0.0_f64; candidates.len()];
    let mut hash = 0;
    for (round, at) in all.chunks_exact(plan.segment).enumerate() {
        for turn in 0..candidates.len() {
            let which = (turn + round) % candidates.len();
            let before = thread_nanoseconds();
            candidates[which].1(black_box(at), &mut answers[which]);
            let each = (thread_nanoseconds() - before) / plan.segment as f64;
            if round > 0 {
                times[which].push(each);
            }
        }
        for (error, found) in errors.iter_mut().zip(&answers) {
            *error = error.max(largest_difference(found, &answers[2]));
        }
        hash = answers[0].iter().flatten().flatten().fold(hash, |hash: u64, x| {
            (hash.rotate_left(5) ^ x.to_bits()).wrapping_mul(0x517c_c1b7_2722_0a95)
        });
    }
    let column = |(((name, _), mut times), error): ((&(&'static str, _), Vec<f64>), f64)| {
        times.sort_unstable_by(f64::total_cmp);
        Column { name, nanoseconds: [times[times.len() / 2], times[0]], error }
    };
    Row {
        spans: net.count - 3,
        surface: if rational { "rational" } else { "polynomial" },
        parameters: if coherent { "coherent" } else { "random" },
        columns: candidates.iter().zip(times).zip(errors).map(column).collect(),
        hash,
    }
}

#[inline(never)]
fn ours_loop(surface: &NurbsSurface, hint: &mut SurfaceHint, at: &[[f64; 2]], out: &mut [Jet]) {
    for (p, out) in at.iter().zip(out) {
        let jet = surface.jet_from(hint, p[0], p[1]);
        *out = [jet.point, jet.u, jet.v, jet.uu, jet.uv, jet.vv].map(|v| v.to_array());
    }
}

fn ours(net: &Net, rational: bool) -> NurbsSurface {
    let row = |i: usize| &net.points[i * net.count..(i + 1) * net.count];
    let points: Vec<Vec<DVec3>> = (0..net.count)
        .map(|i| row(i).iter().map(|p| DVec3::new(p[0], p[1], p[2]) / p[3]).collect())
        .collect();
    let weights: Vec<Vec<f64>> = (0..net.count).map(|i| row(i).iter().map(|p| p[3]).collect()).collect();
    let weights = rational.then_some(&weights[..]);
    NurbsSurface::new([3, 3], [net.knots.clone(), net.knots.clone()], &points, weights)
        .unwrap_or_else(|error| panic!("the benchmark's own net: {error}"))
}

fn curvo(net: &Net) -> NurbsSurface3D<f64> {
    let rows = net.points.chunks_exact(net.count);
    let points = rows.map(|row| row.iter().map(|p| Point4::new(p[0], p[1], p[2], p[3])).collect()).collect();
    NurbsSurface3D::new(3, 3, net.knots.clone(), net.knots.clone(), points)
}

fn largest_difference(found: &[Jet], reference: &[Jet]) -> f64 {
    let size = |jet: usize| {
        let entries = reference.iter().flat_map(|r| r[jet]);
        entries.fold(0.0_f64, |most, x| most.max(x.abs()))
    };
    (0..6).fold(0.0, |most, k| {
        let differences =
            found.iter().zip(reference).flat_map(|(f, r)| (0..3).map(move |i| (f[k][i] - r[k][i]).abs()));
        most.max(differences.fold(0.0, f64::max) / size(k))
    })
}

/// The slower of the two ratios that are asked for: against curvo and against de Boor.
fn ratio(row: &Row, which: usize) -> f64 {
    row.columns[1..3]
        .iter()
        .map(|c| c.nanoseconds[which] / row.columns[0].nanoseconds[which])
        .fold(f64::INFINITY, f64::min)
}

/// The table and what is asked.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "`cargo xtask bench bicubic`\n\nPoint with all first and second derivatives of a bicubic surface, ns per \
         evaluation: median [least].\nThe ratio is to the faster of curvo and de Boor; asked is 10×. \
         The error is the largest difference from de Boor, relative.\n\n",
    );
    text.push_str("| spans | surface | parameters |");
    for column in &rows[0].columns {
        let _ = write!(text, " {} |", column.name);
    }
    text.push_str(" ratio | by least | error | hash |\n|---|---|---|");
    text.push_str(&"---|".repeat(rows[0].columns.len() + 4));
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {0} × {0} | {1} | {2} |", row.spans, row.surface, row.parameters);
        for column in &row.columns {
            let _ = write!(text, " {:.1} [{:.1}] |", column.nanoseconds[0], column.nanoseconds[1]);
        }
        let _ = writeln!(
            text,
            " {:.1}× | {:.1}× | {:.0e} | `{:016x}` |",
            ratio(row, 0),
            ratio(row, 1),
            row.columns[0].error,
            row.hash
        );
    }
    let worst = |which: usize| {
        let ours = |at: usize| rows[at].columns[0].nanoseconds[which];
        // Four lines per surface: two polynomial, two rational.
        (0..rows.len()).filter(|at| at % 4 < 2).map(|at| ours(at + 2) / ours(at)).fold(0.0, f64::max)
    };
    let _ = writeln!(
        text,
        "\nRational over polynomial: at most {:.2}× (by least {:.2}×); asked is at most 1.7×.",
        worst(0),
        worst(1)
    );
    text
}

/// The rows as JSON.
pub fn json(rows: &[Row]) -> Value {
    let column = |c: &Column| {
        json!({
            "name": c.name, "ns_median": c.nanoseconds[0], "ns_least": c.nanoseconds[1], "error": c.error,
        })
    };
    let row = |row: &Row| {
        json!({
            "spans": row.spans,
            "surface": row.surface,
            "parameters": row.parameters,
            "columns": row.columns.iter().map(column).collect::<Vec<_>>(),
            "ratio": ratio(row, 0),
            "hash": format!("{:016x}", row.hash),
        })
    };
    json!({
        "name": "bicubic",
        "command": "cargo xtask bench bicubic",
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
