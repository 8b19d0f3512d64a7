//! `profiles`: lists 200 profiles over 1,000 sources of 4 KB and 20 folders with templates, with their picks,
//! transitive sources, templates and prices, in at most 300 ms. Every fifth profile is limited to some sources. Whole
//! processes, warm cache, median.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use refdesk_files::write_atomic;
use serde_json::{Value, json};
use support::{Layout, Workspace, id, refdesk, report, time, time_alternately, workspace};

const SOURCES: usize = 1_000;
const PROFILES: usize = 200;
const KITS: usize = 20;

fn world() -> Workspace {
    let world = workspace(SOURCES, 4_096, Layout::OneFile);
    let root = world.folder.path();
    let write = |path: &str, text: &str| write_atomic(&root.join(path), text.as_bytes()).expect("a writable folder");
    for kit in 0..KITS {
        let entry =
            json!({"id": format!("kit-{kit}"), "name": "Kit", "path": format!("${{workspaceRoot}}/kits/{kit}")});
        write(&format!(".jaato/references/kit-{kit}.json"), &entry.to_string());
        write(&format!("kits/{kit}/README.md"), "# Kit\n\n```java\nclass {{Name}} { {{Field}} field; }\n```\n");
        for template in ["Entity", "Service", "Test"] {
            write(&format!("kits/{kit}/{template}.java.tpl"), &format!("class {{{{{template}}}}} {{}}\n"));
        }
    }
    for at in 0..PROFILES {
        // The first profiles reach all sources, most only a few.
        let mut ours = json!({"preselected": [id(at), id(at * 5), format!("kit-{}", at % KITS)],
                              "exclude_tools": ["selectReferences"]});
        if at % 5 == 4 {
            ours["sources"] = (0..50).map(|nth| Value::from(id((at + nth * 7) % SOURCES))).collect();
        }
        let profile = json!({"name": format!("profile-{at}"), "description": "One of many.",
                             "plugins": ["references"], "plugin_configs": {"references": ours, "lsp": {}}});
        write(&format!(".jaato/profiles/profile-{at:03}.json"), &profile.to_string());
    }
    world
}

fn whole_processes(_: &mut Criterion) {
    let world = world();
    let words = ["--format", "json", "profiles"];
    let [took, again] =
        time_alternately(11, || time(&mut refdesk(&world, &words)), || time(&mut refdesk(&world, &["profiles"])));
    println!("{PROFILES} profiles over {SOURCES} sources: {took:?} as JSON, {again:?} as text");
    report("200 profiles over 1,000 sources", took.as_secs_f64() * 1e3, 300.0, " ms");
}

fn in_process(criterion: &mut Criterion) {
    let world = world();
    let context = WorkspaceContext { workspace: world.folder.path().to_path_buf(), ..WorkspaceContext::default() };
    let mut group = criterion.benchmark_group("profiles");
    group.sample_size(10);
    group.bench_function("open a desk and tell 200 profiles", |bench| {
        bench.iter(|| Desk::open(Options::new(context.clone())).profiles().0.len());
    });
    group.finish();
}

criterion_group!(benches, whole_processes, in_process);
criterion_main!(benches);
