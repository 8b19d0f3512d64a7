//! Without a file watcher, the desk polls and reports that. A process that cannot open more files gets no watcher, so
//! this test reruns itself as such a process.

#![cfg(target_os = "linux")]

use std::fs::File;

use refdesk_desk::engine::Watching;
use refdesk_text::Code;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::engine::world::World;
use crate::support::alone::is_alone;

#[test]
fn without_a_watcher_the_desk_polls_and_says_so() {
    if !is_alone("engine::polling::without_a_watcher_the_desk_polls_and_says_so") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    for (name, text) in [
        (
            "references.json",
            r#"{"sources": [{"id": "a", "name": "A", "path": "docs/a.md"},
            {"id": "tree", "name": "Tree", "path": "tree"}]}"#,
        ),
        ("docs/a.md", "Nothing.\n"),
        ("tree/x/b.md", "Nothing.\n"),
    ] {
        crate::engine::world::save(&workspace.join(name), text);
    }
    // No more files can be opened. Files that are already open do not count.
    let limits = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(limits.current.unwrap_or(256).min(256)), ..limits }).unwrap();
    let mut open = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        open.push(file);
    }
    let mut world = World::over(folder, workspace);
    let reported = world.until("it polls", |snapshot| matches!(snapshot.watching, Watching::Polling(_)));
    assert!(
        reported.diagnostics.iter().any(|it| it.code == Code::Polling && it.message.contains("every 2 s")),
        "{reported:?}"
    );
    drop(open);

    world.until("all is read", |snapshot| snapshot.catalog.len() == 2);
    world.until_mentions("a", &[]);
    world.overwrite("docs/a.md", "See tree.\n");
    world.until_mentions("a", &["tree"]);
    world.remove("tree");
    world.overwrite("tree/y/z/c.md", "See a.\n");
    world.until_mentions("tree", &["a"]);
    world.write("docs/a.md", "Nothing.\n");
    world.until_mentions("a", &[]);
}
