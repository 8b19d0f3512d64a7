//! Time until a screen shows a change by another process: at most 250 ms in 95 of 100 cases. Edits of documents, and changes
//! acknowledged to agents while two servers, a hook and a screen work as fast as they can.

#![allow(
    missing_docs,
    dead_code,
    unused_imports,
    clippy::restriction,
    clippy::needless_pass_by_value,
    reason = "a benchmark prints, and stops where it cannot measure; it uses a part of the tests"
)]

#[path = "../tests/live/mod.rs"]
mod live;
#[path = "../tests/support/mod.rs"]
mod support;
#[path = "../tests/engine/world.rs"]
mod world;

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use world::World;

const TIMES: usize = 100;
const PROMISED: Duration = Duration::from_millis(250);

fn report(what: &str, p95: Duration) {
    let verdict = if p95 <= PROMISED { "kept" } else { "NOT KEPT" };
    println!("{what}, p95: {p95:.1?}, promised at most {PROMISED:?}: {verdict}");
}

/// Makes a hundred edits, half of them in place and half by renaming, and times each until the snapshot shows it.
fn edits(_: &mut Criterion) {
    let mut world = World::new();
    let edit = |round: usize| {
        let (text, shown) = if round % 4 < 2 { ("See c.\n", "c") } else { ("See a.\n", "a") };
        // Every second edit removes the mention.
        let (text, shown) = if round.is_multiple_of(2) { (text, vec![shown]) } else { ("Nothing.\n", Vec::new()) };
        let began = Instant::now();
        if (round / 2).is_multiple_of(2) {
            world.overwrite("b.md", text);
        } else {
            world.write("b.md", text);
        }
        world.until_mentions("b", &shown);
        began.elapsed()
    };
    let mut times: Vec<Duration> = (0..TIMES).map(edit).collect();
    times.sort_unstable();
    report("an edit shows", times[TIMES * 95 / 100 - 1]);
}

fn acknowledged(_: &mut Criterion) {
    let measured = live::latency::measure(TIMES);
    live::latency::print(&measured);
    for it in &measured {
        report(&format!("a screen knows of a {}", it.kind), it.part(95));
    }
}

criterion_group!(benches, edits, acknowledged);
criterion_main!(benches);
