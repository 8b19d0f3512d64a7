//! What a running desk watches: nothing outside the workspace before trust, and only part of a huge workspace.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use refdesk_desk::engine::Watching;
use refdesk_text::Code;

use super::folders::watched;
use super::world::{World, save};
use crate::support::alone::is_alone;

#[test]
fn nothing_outside_is_watched_before_trust() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    for file in ["out/deep/a.md", "refs/x.json", "templates/a.txt.tpl", "beside/b.md", "ws/in.md", "ws/.git/objects/x"]
    {
        save(&folder.path().join(file), "{}");
    }
    symlink("../templates", workspace.join(".templates")).unwrap();
    symlink("../out", workspace.join("linked")).unwrap();
    save(
        &workspace.join("references.json"),
        r#"{"references_dir": "../refs", "sources": [
            {"id": "root", "name": "R", "path": "/"}, {"id": "usr", "name": "U", "path": "/usr", "mode": "auto"},
            {"id": "out", "name": "O", "path": "../out"}, {"id": "linked", "name": "L", "path": "linked/deep"},
            {"id": "gone", "name": "G", "path": "../beside/gone.md"}, {"id": "git", "name": "G", "path": ".git/objects"},
            {"id": "in", "name": "In", "path": "in.md"}]}"#,
    );
    let mut world = World::over(folder, workspace);
    world.overwrite("in.md", "See out.\n");
    world.until_mentions("in", &["out"]);
    world.overwrite("in.md", "See root.\n");
    world.until_mentions("in", &["root"]);
    let watched = watched();
    let is_watched = |path: &Path| watched.contains(&fs::metadata(path).unwrap().ino());
    assert!(is_watched(&world.workspace));
    for name in ["out", "out/deep", "refs", "templates", "beside", "ws/.git", "ws/.git/objects"] {
        assert!(!is_watched(&world.folder.path().join(name)), "{name}");
    }
}

/// In a separate process, whose watches are counted.
#[test]
fn a_huge_workspace_is_watched_in_part_and_that_is_reported() {
    if !is_alone("engine::watch_limits::a_huge_workspace_is_watched_in_part_and_that_is_reported") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    for at in 0..9_000 {
        fs::create_dir_all(workspace.join(format!("tree/{}/{at}", at % 90))).unwrap();
    }
    save(&workspace.join("in.md"), "Nothing.\n");
    save(
        &workspace.join("references.json"),
        r#"{"sources": [{"id": "tree", "name": "T", "path": "tree"}, {"id": "in", "name": "In", "path": "in.md"}]}"#,
    );
    let mut world = World::over(folder, workspace);
    let reported = world.until("a part is watched", |it| !matches!(it.watching, Watching::Live));
    // A machine without enough free watches polls instead.
    if matches!(reported.watching, Watching::Partly(_)) {
        assert!(reported.diagnostics.iter().any(|it| it.code == Code::WatchLimit), "{:?}", reported.diagnostics);
        let watched: HashSet<u64> = watched();
        assert!((8_000..=8_192).contains(&watched.len()), "{}", watched.len());
    }
    // The most important folders are among the watched ones.
    world.overwrite("in.md", "See tree.\n");
    world.until_mentions("in", &["tree"]);
}
