//! `resolve` of one id that reaches 1,000 files of 4 KB: at most 3 times `cat` of the same files; 4,000 files: at most
//! 5.2 times as long as 1,000. Alternating whole processes, warm cache, medians. Also the closure alone.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use support::{Layout, cat, id, refdesk, report, time, time_alternately, workspace};

fn whole_processes(_: &mut Criterion) {
    let thousand = workspace(1_000, 4_096, Layout::OneFile);
    let four_thousand = workspace(4_000, 4_096, Layout::OneFile);
    let first = id(0);
    let words = ["--format", "json", "resolve", &first];
    let [ours, theirs] =
        time_alternately(15, || time(&mut refdesk(&thousand, &words)), || time(&mut cat(&thousand.documents)));
    println!("resolve reaching 1,000 files: {ours:?}, cat: {theirs:?}");
    report("resolve 1,000 ÷ cat", ours.as_secs_f64() / theirs.as_secs_f64(), 3.0, "×");
    let [large, small] =
        time_alternately(11, || time(&mut refdesk(&four_thousand, &words)), || time(&mut refdesk(&thousand, &words)));
    println!("resolve reaching 4,000 files: {large:?}, 1,000: {small:?}");
    report("resolve 4,000 ÷ 1,000", large.as_secs_f64() / small.as_secs_f64(), 5.2, "×");
}

fn in_process(criterion: &mut Criterion) {
    let thousand = workspace(1_000, 4_096, Layout::OneFile);
    let context = WorkspaceContext { workspace: thousand.folder.path().to_path_buf(), ..WorkspaceContext::default() };
    criterion.bench_function("open and resolve 1,000 files", |bench| {
        bench.iter(|| Desk::open(Options::new(context.clone())).resolve(&[id(0)]).selection.members().len());
    });
}

criterion_group!(benches, whole_processes, in_process);
criterion_main!(benches);
