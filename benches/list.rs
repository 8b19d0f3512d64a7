//! `list` over 10,000 discovered files: at most 3 times `cat` of them. Alternating whole processes, warm cache, medians.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use support::{Layout, cat, refdesk, report, time, time_alternately, workspace};

fn whole_processes(_: &mut Criterion) {
    let workspace = workspace(10_000, 400, Layout::Discovered);
    let words = ["--format", "json", "list"];
    let [ours, theirs] =
        time_alternately(11, || time(&mut refdesk(&workspace, &words)), || time(&mut cat(&workspace.entries)));
    println!("list over 10,000 discovered files: {ours:?}, cat: {theirs:?}");
    report("list ÷ cat", ours.as_secs_f64() / theirs.as_secs_f64(), 3.0, "×");
}

fn in_process(criterion: &mut Criterion) {
    let workspace = workspace(10_000, 400, Layout::Discovered);
    let context = WorkspaceContext { workspace: workspace.folder.path().to_path_buf(), ..WorkspaceContext::default() };
    let mut group = criterion.benchmark_group("catalog");
    group.sample_size(10);
    group.bench_function("open 10,000 discovered files", |bench| {
        bench.iter(|| Desk::open(Options::new(context.clone())).catalog().len());
    });
    group.finish();
}

criterion_group!(benches, whole_processes, in_process);
criterion_main!(benches);
