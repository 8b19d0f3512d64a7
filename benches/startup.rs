//! `refdesk --version` within 3 ms of the smallest Rust program, because each hook and script pays for the startup.
//! Alternating whole processes, medians. The smallest program is compiled here, with the compiler that built the
//! benchmark.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::process::Command;

use criterion::{Criterion, criterion_group, criterion_main};
use support::{REFDESK, report, time, time_alternately};

fn whole_processes(_: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, smallest) = (folder.path().join("smallest.rs"), folder.path().join("smallest"));
    refdesk_files::write_atomic(&source, b"fn main() { println!(\"refdesk 0.1.0\"); }").expect("writable");
    let built = Command::new("rustc").arg("-O").arg("-o").args([&smallest, &source]).status();
    assert!(built.expect("rustc").success());
    let [ours, theirs] =
        time_alternately(41, || time(Command::new(REFDESK).arg("--version")), || time(&mut Command::new(&smallest)));
    println!("refdesk --version: {ours:?}, the smallest program: {theirs:?}");
    report("difference", ours.saturating_sub(theirs).as_secs_f64() * 1_000.0, 3.0, " ms");
}

criterion_group!(benches, whole_processes);
criterion_main!(benches);
