//! Folders that disappear and return: their new content shows, and so do later edits.

use std::fs;

use refdesk_desk::Desk;
use refdesk_desk::engine::{Snapshot, Watching};

use crate::engine::world::{World, options, save, session};

const CONFIG: &str = r#"{"sources": [
    {"id": "doc", "name": "Doc", "path": "docs/deep/doc.md"},
    {"id": "tree", "name": "Tree", "path": "tree"},
    {"id": "one", "name": "One", "type": "inline", "content": "One."},
    {"id": "two", "name": "Two", "type": "inline", "content": "Two."}
]}"#;

fn world() -> World {
    World::of(&[("references.json", CONFIG), ("docs/deep/doc.md", "Nothing.\n"), ("tree/x/y/a.md", "Nothing.\n")])
}

/// Checks that the document is watched: its current content shows, and so does an edit.
fn is_watched(world: &mut World, source: &str, file: &str) {
    world.overwrite(file, "See two.\n");
    world.until_mentions(source, &["two"]);
    world.write(file, "See one.\n");
    world.until_mentions(source, &["one"]);
    world.overwrite(file, "Nothing.\n");
    world.until_mentions(source, &[]);
}

fn is_missing(snapshot: &Snapshot, id: &str) -> bool {
    snapshot.catalog.get(id).is_some_and(refdesk_core::catalog::Source::is_missing)
}

#[test]
fn removed_and_created_again_at_once() {
    let mut world = world();
    for folder in ["docs/deep", "docs", "docs/deep", "docs"] {
        world.remove(folder);
        world.overwrite("docs/deep/doc.md", "See one.\n");
        world.until_mentions("doc", &["one"]);
        is_watched(&mut world, "doc", "docs/deep/doc.md");
    }
    for folder in ["tree/x/y", "tree/x", "tree"] {
        world.remove(folder);
        world.overwrite("tree/x/y/a.md", "See one.\n");
        world.until_mentions("tree", &["one"]);
        is_watched(&mut world, "tree", "tree/x/y/a.md");
    }
}

#[test]
fn removed_noticed_and_created_again() {
    let mut world = world();
    for folder in ["docs/deep", "docs"] {
        world.remove(folder);
        world.until("it is missing", |snapshot| is_missing(snapshot, "doc"));
        world.overwrite("docs/deep/doc.md", "See one.\n");
        world.until_mentions("doc", &["one"]);
        is_watched(&mut world, "doc", "docs/deep/doc.md");
    }
    world.remove("tree");
    world.until("it is missing", |snapshot| is_missing(snapshot, "tree"));
    world.overwrite("tree/x/y/a.md", "See one.\n");
    world.until_mentions("tree", &["one"]);
    is_watched(&mut world, "tree", "tree/x/y/a.md");
}

#[test]
fn removed_and_created_again_repeatedly() {
    let mut world = world();
    for round in 0..40 {
        let (text, shown): (&str, &[&str]) =
            if round % 2 == 0 { ("See one.\n", &["one"]) } else { ("See two.\n", &["two"]) };
        for _ in 0..round % 5 {
            world.remove("docs");
            fs::create_dir(world.at("docs")).unwrap();
        }
        world.overwrite("docs/deep/doc.md", text);
        world.until_mentions("doc", shown);
    }
}

#[test]
fn moved_away_and_replaced_by_another() {
    let mut world = world();
    for round in 0..3 {
        save(&world.at("other/deep/doc.md"), "See one.\n");
        world.rename("docs", &format!("old-{round}"));
        world.rename("other", "docs");
        world.until_mentions("doc", &["one"]);
        is_watched(&mut world, "doc", "docs/deep/doc.md");
    }
    // The first one is moved back.
    world.rename("docs", "away");
    world.rename("old-0", "docs");
    world.overwrite("docs/deep/doc.md", "See one.\n");
    world.until_mentions("doc", &["one"]);
    is_watched(&mut world, "doc", "docs/deep/doc.md");
}

#[test]
fn the_whole_workspace_disappears_and_returns() {
    let mut world = world();
    let beside = world.folder.path().join("beside");
    fs::rename(&world.workspace, &beside).unwrap();
    let now = world.until("it is reported", |snapshot| !snapshot.diagnostics.is_empty());
    assert_eq!(now.catalog.len(), 4, "what was there is still shown");
    fs::rename(&beside, &world.workspace).unwrap();
    world.until("it is back", |snapshot| snapshot.diagnostics.is_empty() && snapshot.loading.is_none());
    is_watched(&mut world, "doc", "docs/deep/doc.md");
    is_watched(&mut world, "tree", "tree/x/y/a.md");
}

#[test]
fn missing_files_and_folders_appear() {
    let mut world = World::of(&[]);
    let one = |id: &str, text: &str| format!(r#"{{"id": "{id}", "name": "X", "type": "inline", "content": "{text}"}}"#);
    world.overwrite(".jaato/references/one.json", &one("one", "One."));
    world.until("one is there", |snapshot| snapshot.catalog.get("one").is_some());
    world.remove(".jaato");
    world.until("it is gone", |snapshot| snapshot.catalog.is_empty());
    world.overwrite(".jaato/references/two.json", &one("two", "See one."));
    world.overwrite(".jaato/references/one.json", &one("one", "One."));
    world.until_mentions("two", &["one"]);

    world.overwrite(".templates/sub/first.txt.tpl", "{{ a }}\n");
    world.until("a template", |snapshot| snapshot.templates.templates.len() == 1);
    world.remove(".templates");
    world.until("no template", |snapshot| snapshot.templates.templates.is_empty());
    world.overwrite(".templates/sub/first.txt.tpl", "{{ a }}\n");
    world.until("again a template", |snapshot| snapshot.templates.templates.len() == 1);

    let mut other = Desk::open(options(&world.workspace));
    other.pick(&session(), &["one".to_owned()], &[]).unwrap();
    world.until("one is picked", |snapshot| snapshot.selection.is_picked("one"));
    world.remove(".jaato/refdesk");
    other.pick(&session(), &["two".to_owned()], &[]).unwrap();
    world.until("another is picked in a new folder", |snapshot| snapshot.selection.is_picked("two"));
    Desk::open(options(&world.workspace)).pick(&session(), &["two".to_owned()], &[]).unwrap();
    world.until("two is picked", |snapshot| snapshot.selection.is_picked("two"));

    world.overwrite("references.json", CONFIG);
    world.until("a configuration", |snapshot| is_missing(snapshot, "doc") && is_missing(snapshot, "tree"));
    world.overwrite("docs/deep/doc.md", "See one.\n");
    world.until_mentions("doc", &["one"]);
    is_watched(&mut world, "doc", "docs/deep/doc.md");
    world.overwrite("tree/x/y/a.md", "See one.\n");
    world.until_mentions("tree", &["one"]);
    is_watched(&mut world, "tree", "tree/x/y/a.md");
}

#[test]
fn new_folders_of_a_directory_source_are_followed() {
    let mut world = world();
    world.overwrite("tree/new/newer/newest/b.md", "See one.\n");
    world.until_mentions("tree", &["one"]);
    is_watched(&mut world, "tree", "tree/new/newer/newest/b.md");
}

#[test]
fn every_meaning_of_a_written_path_is_watched() {
    let mut world = World::of(&[
        ("conf/one.json", r#"{"id": "one", "name": "One", "path": "late/doc.md"}"#),
        (
            "references.json",
            r#"{"references_dir": "conf", "sources": [
        {"id": "moved", "name": "Moved", "path": "/nowhere/at/all/knowledge/last/doc.md"}]}"#,
        ),
    ]);
    let waits =
        |snapshot: &Snapshot| snapshot.catalog.get("moved").is_some_and(refdesk_core::catalog::Source::is_untrusted);
    world.until("one is missing, the other waits for trust", |it| is_missing(it, "one") && waits(it));
    world.overwrite("late/doc.md", "See moved.\n");
    world.until_mentions("one", &["moved"]);
    world.overwrite("conf/late/doc.md", "Nothing.\n");
    world.until_mentions("one", &[]);
    world.overwrite("last/doc.md", "See one.\n");
    world.until_mentions("moved", &["one"]);
    both_are_watched(&mut world);
}

/// Checks that both are watched at their current location.
fn both_are_watched(world: &mut World) {
    world.overwrite("conf/late/doc.md", "See moved.\n");
    world.until_mentions("one", &["moved"]);
    world.overwrite("last/doc.md", "Nothing.\n");
    world.until_mentions("moved", &[]);
}

#[test]
fn targets_of_links_are_watched() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    let out = |name: &str| folder.path().join(name);
    save(&out("first/deep/doc.md"), "Nothing.\n");
    save(&out("second/deep/doc.md"), "See two.\n");
    save(&out("file.md"), "Nothing.\n");
    save(&workspace.join("references.json"), &CONFIG.replace("\"tree\"}", "\"link.md\"}"));
    symlink(out("first"), workspace.join("docs")).unwrap();
    symlink(out("file.md"), workspace.join("link.md")).unwrap();
    let mut world = World::trusting(folder, workspace);
    is_watched(&mut world, "doc", "../first/deep/doc.md");
    is_watched(&mut world, "tree", "../file.md");
    // The link gets another target.
    fs::remove_file(world.at("docs")).unwrap();
    symlink(world.folder.path().join("second"), world.at("docs")).unwrap();
    world.trust();
    world.until_mentions("doc", &["two"]);
    is_watched(&mut world, "doc", "../second/deep/doc.md");
}

#[test]
fn a_link_far_above_a_file_outside_changes_its_target() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    let out = |name: &str| folder.path().join(name);
    save(&out("v1/a/b/doc.md"), "Nothing.\n");
    save(&out("v2/a/b/doc.md"), "See two.\n");
    symlink(out("v1"), out("current")).unwrap();
    save(&workspace.join("references.json"), &CONFIG.replace("docs/deep", "../current/a/b"));
    let mut world = World::trusting(folder, workspace);
    is_watched(&mut world, "doc", "../v1/a/b/doc.md");
    fs::remove_file(world.at("../current")).unwrap();
    symlink(world.folder.path().join("v2"), world.at("../current")).unwrap();
    world.trust();
    world.until_mentions("doc", &["two"]);
    is_watched(&mut world, "doc", "../v2/a/b/doc.md");
    // The whole tree disappears and returns.
    world.remove("../v2");
    world.until("it is missing", |snapshot| is_missing(snapshot, "doc"));
    world.overwrite("../v2/a/b/doc.md", "See two.\n");
    world.until_mentions("doc", &["two"]);
    is_watched(&mut world, "doc", "../v2/a/b/doc.md");
}

#[cfg(target_os = "linux")]
#[test]
fn build_output_is_not_watched() {
    use std::os::unix::fs::MetadataExt;
    let mut world = world();
    for name in ["node_modules/lib", "target/doc", ".git/objects", ".jaato/refdesk/cache", "kept"] {
        world.overwrite(&format!("tree/{name}/x.md"), "x");
        world.overwrite(&format!("{name}/x.md"), "x");
    }
    world.overwrite("tree/kept/y.md", "See one.\n");
    world.until_mentions("tree", &["one"]);
    is_watched(&mut world, "tree", "tree/kept/y.md");
    let watched = watched();
    let is_watched = |name: &str| watched.contains(&fs::metadata(world.at(name)).unwrap().ino());
    for name in [".", "docs", "docs/deep", "tree", "tree/x/y", "tree/kept", "tree/.jaato"] {
        assert!(is_watched(name), "{name}");
    }
    for name in ["node_modules/lib", "target/doc", ".git/objects", ".jaato/refdesk/cache"] {
        for place in [name.to_owned(), name.split('/').next().unwrap().to_owned()] {
            let within = [place.clone(), format!("tree/{place}")].map(|at| (is_watched(&at), at));
            let wrong: Vec<_> = within.iter().filter(|(watched, at)| *watched && !at.ends_with(".jaato")).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }
    assert_eq!(world.snapshots.borrow().watching, Watching::Live);
}

/// The inodes of all folders that this process watches.
#[cfg(target_os = "linux")]
pub fn watched() -> std::collections::HashSet<u64> {
    let files = fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    let number = |line: &str| {
        u64::from_str_radix(line.strip_prefix("inotify ")?.split("ino:").nth(1)?.split(' ').next()?, 16).ok()
    };
    texts.flat_map(|text| text.lines().filter_map(number).collect::<Vec<_>>()).collect()
}
