//! The table and the JSON of tracked updates.

use super::{BLOCK, Measured, Row};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How much slower all blocks but one in a hundred may be than the median.
const ASKED_OF_BLOCKS: f64 = 3.0;

/// How many times slower Open CASCADE is to be.
const ASKED_OF_OCCT: f64 = 3_000.0;

/// One line for the screen.
pub fn line(row: &Row) -> String {
    format!(
        "{} {}°: single {:.1}, blocks {:.1}, p99 {:.1} yardsticks ({:.0} ns each); asked {}; {:.1} pairs, {:.1} Newton; \
         {} switches, {} of {} apart not proven",
        row.name,
        row.degrees,
        row.yardsticks(row.single),
        row.yardsticks(row.blocks[0]),
        row.yardsticks(row.blocks[1]),
        row.yardstick,
        row.asked,
        row.work[0],
        row.work[1],
        row.switches,
        row.apart[1],
        row.apart[0]
    )
}

/// The table and what is asked.
pub fn text(measured: &Measured) -> String {
    let mut text = format!(
        "`cargo xtask bench tracking`\n\nTracked updates with features and a proven lower bound, in bicubic evaluations of \
         the same run; asked is the median. Blocks are {BLOCK} updates; asked is that all but one in a hundred stay within \
         {ASKED_OF_BLOCKS}× of the median block. Open CASCADE answers the first poses from scratch; asked is \
         {ASKED_OF_OCCT:.0}×.\n\n| bodies | per frame | median | asked | median block | p99 of blocks | over median | \
         evaluation | switches | not proven | from scratch | OCCT | ratio | ratio from scratch |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in &measured.rows {
        let _ = writeln!(
            text,
            "| {} | {}° | {:.1} | {} | {:.1} | {:.1} | {:.1}× | {:.0} ns | {} | {} of {} | {:.0} | {:.0} | {:.0}× | {:.0}× |",
            row.name,
            row.degrees,
            row.yardsticks(row.single),
            row.asked,
            row.yardsticks(row.blocks[0]),
            row.yardsticks(row.blocks[1]),
            row.blocks[1] / row.blocks[0],
            row.yardstick,
            row.switches,
            row.apart[1],
            row.apart[0],
            row.yardsticks(row.cold),
            row.yardsticks(row.occt),
            row.occt / row.single,
            row.occt / row.cold
        );
    }
    text
}

/// Every number.
pub fn json(measured: &Measured) -> Value {
    let row = |row: &Row| {
        json!({
            "bodies": row.name,
            "degrees": row.degrees,
            "asked": row.asked,
            "yardstick_ns": row.yardstick,
            "ns_median": row.single,
            "ns_median_block": row.blocks[0],
            "ns_p99_block": row.blocks[1],
            "ns_from_scratch": row.cold,
            "occt_ns_median": row.occt,
            "switches": row.switches,
            "apart": row.apart[0],
            "not_proven": row.apart[1],
            "pairs": row.work[0],
            "newton": row.work[1],
        })
    };
    json!({
        "name": "tracking",
        "command": "cargo xtask bench tracking",
        "occt": measured.occt,
        "rows": measured.rows.iter().map(row).collect::<Vec<_>>(),
    })
}
