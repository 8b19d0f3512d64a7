//! `init` over 5,000 documents of 4 KB, proposed: at most 3 seconds, and at most 12 times `cat` of them. Alternating whole
//! processes, warm cache, medians.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where it cannot measure"
)]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use support::{Layout, cat, in_turn, refdesk, report, time, workspace};

fn whole_processes(_: &mut Criterion) {
    let workspace = workspace(5_000, 4_096, Layout::OneFile);
    std::fs::remove_file(workspace.folder.path().join("references.json")).expect("the catalog is not needed");
    let words = ["--format", "json", "init", "--dry-run"];
    let [ours, theirs] = in_turn(5, || time(&mut refdesk(&workspace, &words)), || time(&mut cat(&workspace.documents)));
    println!("init of 5,000 documents: {ours:?}, cat: {theirs:?}");
    report("init of 5,000 documents", ours.as_secs_f64(), 3.0, " s");
    report("init ÷ cat", ours.as_secs_f64() / theirs.as_secs_f64(), 12.0, "×");
}

criterion_group!(benches, whole_processes);
criterion_main!(benches);
