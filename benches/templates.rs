//! Discovering templates: 1,000 `.tpl` files of 100 bytes are indexed in at most 3 times `cat` of them, as alternating
//! whole processes with a warm cache, medians; 500 blocks in 1 MB of Markdown are extracted in under 60 ms, without
//! writing them. Also the index of a desk that has the files cached.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use refdesk_files::write_atomic;
use refdesk_templates::extract;
use serde_json::json;
use support::{Workspace, cat, refdesk, report, time, time_alternately};

const FILES: usize = 1_000;
const BLOCKS: usize = 500;
const MEGABYTE: usize = 1024 * 1024;

/// A workspace with one picked source, a folder of templates: half of them Jinja2, half Mustache.
fn kit() -> Workspace {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |path: PathBuf, text: &str| write_atomic(&path, text.as_bytes()).expect("a writable folder");
    let sources = json!({"preselected": ["kit"], "sources": [{"id": "kit", "name": "Kit", "path": "kit"}]});
    write(folder.path().join("references.json"), &sources.to_string());
    let mut documents = Vec::new();
    for at in 0..FILES {
        let text = if at % 2 == 0 {
            format!(
                "class {{{{ name{at} }}}} {{\n{{% for field in fields %}}    {{{{ field.type }}}};\n{{% endfor %}}}}\n"
            )
        } else {
            format!(
                "class {{{{name{at}}}}} {{\n{{{{#fields}}}}\n    {{{{type}}}} {{{{field}}}};\n{{{{/fields}}}}\n}}\n"
            )
        };
        let text = format!("{text}{}", "x".repeat(100_usize.saturating_sub(text.len())));
        let path = folder.path().join(format!("kit/m{}/T{at:04}.tpl", at / 100));
        write(path.clone(), &text);
        documents.push(path);
    }
    Workspace { folder, documents, entries: Vec::new() }
}

/// 1 MB of Markdown with 500 blocks, and prose between them.
fn document() -> String {
    let mut text = "---\nid: catalogue\n---\n# Catalogue\n".to_owned();
    for at in 0..BLOCKS {
        text.push_str(&format!(
            "\n## Template {at}: Entity {at}\n\n```java\npublic class {{{{ Entity{at} }}}} {{\n{{% for field in fields %}}\n    \
             private {{{{ field.type }}}} {{{{ field.name | lower }}}};\n{{% endfor %}}}}\n```\n\n"
        ));
        while text.len() < (at + 1) * MEGABYTE / BLOCKS {
            text.push_str("The gateway keeps its *own* ledger, so that a [slow](router.md) router never blocks it.\n");
        }
    }
    text
}

fn whole_processes(_: &mut Criterion) {
    let kit = kit();
    let words = ["--format", "json", "templates", "list"];
    let listed = refdesk(&kit, &words).output().expect("a program that starts").stdout;
    let listed: serde_json::Value = serde_json::from_slice(&listed).expect("an answer");
    assert_eq!(listed["count"], FILES);
    let [ours, theirs] = time_alternately(41, || time(&mut refdesk(&kit, &words)), || time(&mut cat(&kit.documents)));
    println!("1,000 templates indexed: {ours:?}, cat: {theirs:?}");
    report("index 1,000 ÷ cat", ours.as_secs_f64() / theirs.as_secs_f64(), 3.0, "×");
}

fn in_process(criterion: &mut Criterion) {
    let markdown = document();
    assert_eq!(extract(&markdown).blocks.len(), BLOCKS);
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let began = Instant::now();
            black_box(extract(black_box(&markdown)));
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    report("extract 500 blocks of 1 MB", times[times.len() / 2].as_secs_f64() * 1_000.0, 60.0, " ms");
    let kit = kit();
    let workspace = kit.folder.path().to_path_buf();
    let context = WorkspaceContext { workspace, ..WorkspaceContext::default() };
    let running = || std::time::SystemTime::now() + Duration::from_secs(60);
    let desk = Desk::open(Options { is_long_running: true, clock: running, ..Options::new(context) });
    criterion.bench_function("index 1,000 templates that are known", |bench| {
        bench.iter(|| desk.templates().0.templates.len());
    });
}

criterion_group!(benches, whole_processes, in_process);
criterion_main!(benches);
