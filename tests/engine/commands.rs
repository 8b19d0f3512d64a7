//! Requests are answered, and the effects of other processes and of edits appear.

use std::collections::BTreeSet;
use std::path::Path;

use refdesk_desk::engine::{self, Event, Request, Response};
use refdesk_desk::{Desk, EnrichMode, NewSource};
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_files::workspace::WorkspaceReason;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use crate::engine::world::{World, options, save, session};

#[test]
fn a_pick_pulls_in_what_it_mentions_and_an_unpick_releases_it() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    world.event(|event| matches!(event, Event::Notice(text) if text.text.contains("@b (from @a)")));
    assert!(world.refused(Request::unpick("b")).contains("pulled in by @a"));
    world.send(Request::exclude("b"));
    world.until("b is out", |snapshot| !snapshot.selection.contains("b") && snapshot.selection.is_excluded("b"));
    world.send(Request::Clear);
    world.until("nothing is selected", |snapshot| snapshot.selection.members().is_empty());
}

#[test]
fn questions_are_answered() {
    let mut world = World::new();
    let Response::Findings(findings) = world.ask(Request::Match("retry with @b".into())) else { panic!() };
    assert_eq!((findings.hints[0].id.as_str(), findings.expansions[0].id.as_str()), ("c", "b"));

    world.send(Request::pick("kit"));
    world.until("the template is there", |snapshot| snapshot.templates.templates.len() == 1);
    let values = Some(serde_json::json!({"name": "Ada"}));
    let preview = Request::Preview { template: "greeting.txt.tpl".into(), values, typed: BTreeSet::new(), path: None };
    let Response::Preview { outcome, .. } = world.ask(preview) else { panic!() };
    assert_eq!(outcome.unwrap().made.text.as_str(), "Hello Ada!\n");
}

#[test]
fn a_changed_document_changes_the_selection() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    world.write("b.md", "See [c](./c.md).\n");
    world.until("c is pulled in", |snapshot| snapshot.selection.contains("c"));
    world.write("a.md", "Nothing.\n");
    world.until("both left", |snapshot| snapshot.selection.members().len() == 1);
}

#[test]
fn a_broken_catalog_keeps_its_last_good_content_and_is_reported() {
    let mut world = World::new();
    let good = std::fs::read_to_string(world.at("references.json")).unwrap();
    for bad in [&good[..good.len() / 2], "", "[]", "3"] {
        world.write("references.json", bad);
        let broken = world.until(bad, |snapshot| snapshot.diagnostics.iter().any(Diagnostic::is_error));
        assert_eq!(broken.catalog.len(), 4, "{bad}");
        world.write("references.json", &good);
        world.until("it is fixed", |snapshot| snapshot.diagnostics.iter().all(|it| !it.is_error()));
    }
}

#[test]
fn a_configuration_that_is_gone_is_an_error_until_it_is_back() {
    let mut world = World::new();
    let good = std::fs::read_to_string(world.at("references.json")).unwrap();
    std::fs::remove_file(world.at("references.json")).unwrap();
    let gone = world.until("its sources left", |snapshot| snapshot.catalog.is_empty());
    let errors: Vec<String> = gone.diagnostics.iter().filter(|it| it.is_error()).map(|it| it.message.clone()).collect();
    assert_eq!(errors, ["the file is gone, and its 4 sources left the catalog"]);
    world.ask(Request::Reload);
    let later = world.until("it was read again", |snapshot| snapshot.generation > gone.generation);
    assert!(later.diagnostics.iter().any(Diagnostic::is_error), "it stays");
    world.write("references.json", &good);
    let back = world.until("its sources are back", |snapshot| snapshot.catalog.len() == 4);
    assert!(back.diagnostics.iter().all(|it| !it.is_error()));
}

/// As by `git clean -fdx`.
#[test]
fn picks_whose_file_is_deleted_stay_and_are_stored_with_the_next_change() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    let file = world.at(".jaato/refdesk/selection.json");
    std::fs::remove_file(&file).unwrap();
    let is_deleted = |it: &Diagnostic| it.code == refdesk_text::Code::NotStored;
    let now = world.until("it is reported", |snapshot| snapshot.diagnostics.iter().any(is_deleted));
    assert!(now.selection.is_picked("a"));
    world.send(Request::pick("c"));
    world.until("it is stored again", |snapshot| !snapshot.diagnostics.iter().any(is_deleted));
    let stored = std::fs::read_to_string(&file).unwrap();
    assert!(stored.contains("\"a\"") && stored.contains("\"c\""), "{stored}");
    let mut other = Desk::open(options(&world.workspace));
    other.clear(&session(), false).unwrap();
    world.until("another process can clear them", |snapshot| snapshot.selection.members().is_empty());
}

#[test]
fn a_pick_of_another_process_appears() {
    let mut world = World::new();
    let mut other = Desk::open(options(&world.workspace));
    other.pick(&session(), &["c".to_owned()], &[]).unwrap();
    world.until("c is picked", |snapshot| snapshot.selection.is_picked("c"));
}

#[test]
fn a_source_that_an_edit_removed_and_restored_is_reported_again() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    let notice = |folder: &Path| {
        let mut desk = Desk::open(options(folder));
        desk.settled()
            .enrich(&session(), &EnrichRequest::new(TextKind::Prompt, "go"), EnrichMode::Send)
            .0
            .metadata
            .transitive_references
            .len()
    };
    assert_eq!((notice(&world.workspace), notice(&world.workspace)), (1, 0), "told once");
    world.write("a.md", "Nothing.\n");
    world.until("b left", |snapshot| !snapshot.selection.contains("b"));
    world.write("a.md", "See b.\n");
    world.until("b is back", |snapshot| snapshot.selection.contains("b"));
    assert_eq!(notice(&world.workspace), 1, "and told again");
}

#[test]
fn an_edit_that_keeps_size_and_mentions_is_read() {
    let mut world = World::new();
    let read = |world: &World| match world.ask(Request::Read { id: "b".into(), file: None }) {
        Response::Document(document) => document.text,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(&world), "Nothing.\n");
    let reads = world.snapshots.borrow().reads;
    world.write("b.md", "Another.\n");
    world.until("the workspace was read again", |snapshot| snapshot.reads > reads);
    assert_eq!(read(&world), "Another.\n");
}

#[test]
fn a_proposal_is_written_and_reported() {
    let mut world = World::of(&[
        ("references.json", r#"{"sources": []}"#),
        (".templates/hello.tpl", "# Output: out/{{ name }}.txt\nHello {{ name }}!\n"),
    ]);
    let propose = |world: &World, path: Option<&str>| {
        let (template, path) = ("hello.tpl".into(), path.map(str::to_owned));
        let values = Some(serde_json::json!({"name": "Ada"}));
        let Response::Preview { outcome, .. } =
            world.ask(Request::Preview { template, values, typed: BTreeSet::new(), path })
        else {
            panic!()
        };
        outcome.unwrap().proposal.unwrap().unwrap()
    };
    // The path is the one in the template.
    let proposal = propose(&world, None);
    assert_eq!((proposal.shown.as_str(), proposal.diff.summary().as_str()), ("out/Ada.txt", "+2 −0"));
    let write = |proposal| Request::Write { proposal: Box::new(proposal), reason: String::new() };
    let Response::Written(Ok(written)) = world.ask(write(proposal.clone())) else { panic!() };
    assert_eq!(written.bytes, proposal.text.len());
    let reported = world.notice(|notice| notice.text == "Wrote out/Ada.txt (+2 −0)");
    let place = reported.place.unwrap();
    assert_eq!((place.path, place.line, reported.who.word()), (proposal.path.clone(), 1, "you"));
    assert_eq!(std::fs::read_to_string(world.at("out/Ada.txt")).unwrap(), proposal.text);
    // A file that changed since is not overwritten. The new diff is returned instead.
    let proposal = propose(&world, Some("other.txt"));
    world.write("other.txt", "theirs\n");
    let Response::Written(Err(unwritten)) = world.ask(write(proposal)) else { panic!() };
    assert_eq!((unwritten.refused.code.as_str(), unwritten.current[0].diff.summary().as_str()), ("changed", "+2 −1"));
    world.send(write(unwritten.current[0].clone()));
    world.notice(|notice| notice.text == "Wrote other.txt (+2 −1)");
    assert!(std::fs::read_to_string(world.at("other.txt")).unwrap().ends_with("Hello Ada!\n"));
}

#[test]
fn a_path_may_start_with_the_home_folder() {
    let World { folder, workspace, engine, .. } = World::of(&[
        ("references.json", r#"{"sources": []}"#),
        (".templates/hello.tpl", "# Output: ~/../ws/own.md\nHello!\n"),
    ]);
    drop(engine);
    let mut options = options(&workspace);
    options.context.home = Some(folder.path().join("home"));
    std::fs::create_dir(folder.path().join("home")).unwrap();
    save(&folder.path().join("home/notes.md"), "Notes.\n");
    let world = World::with(folder, workspace, engine::start(options, session()).unwrap());
    let path = |path: &str| Some(path.to_owned());
    for (path, refused) in
        [(path("~/new.md"), true), (path("a~/new.md"), false), (path("~new.md"), false), (None, true)]
    {
        let preview =
            Request::Preview { template: "hello.tpl".into(), values: None, typed: BTreeSet::new(), path: path.clone() };
        let Response::Preview { outcome, .. } = world.ask(preview) else { panic!("{path:?}") };
        let proposal = outcome.unwrap().proposal.unwrap();
        assert_eq!(
            proposal.as_ref().is_err_and(|it| it.message.contains("outside the workspace")),
            refused,
            "{path:?}"
        );
    }
    let notes = || "~/notes.md".to_owned();
    assert!(matches!(world.ask(Request::CanAdd(notes())), Response::CanAdd(Ok(1))));
    assert!(matches!(world.ask(Request::AddSource(notes())), Response::SourceAdded(Ok(_))));
}

#[test]
fn the_engine_says_beforehand_what_can_be_added() {
    let config = r#"{"sources": [{"id": "one", "name": "One", "path": "docs/one.md"}]}"#;
    let world = World::of(&[("references.json", config), ("docs/one.md", "One.\n"), ("docs/two.md", "Two.\n")]);
    for (place, expected) in [
        ("docs/two.md", Ok(1)),
        ("docs", Ok(2)),
        ("https://example.org/page", Ok(1)),
        ("docs/*.md", Ok(2)),
        ("nothing.md", Err("'nothing.md' does not exist")),
        ("docs/one.md", Err("'docs/one.md' is already in the catalog, as 'one'")),
        ("https://", Err("'https://' is not an address: it has no host, or it contains a space")),
        (".git", Err("'.git' does not exist")),
    ] {
        let Response::CanAdd(answer) = world.ask(Request::CanAdd(place.to_owned())) else { panic!("{place}") };
        assert_eq!(answer.map_err(|error| error.message), expected.map_err(str::to_owned), "{place}");
    }
    let Response::SourceAdded(Ok(added)) = world.ask(Request::AddSource("docs/two.md".to_owned())) else { panic!() };
    let ids: Vec<&str> = added.added.iter().map(|new| new.id.as_str()).collect();
    assert_eq!(ids, ["docs-two"]);
    let again = world.ask(Request::CanAdd("docs/two.md".to_owned()));
    assert!(matches!(&again, Response::CanAdd(Err(error)) if error.message.contains("as 'docs-two'")), "{again:?}");
}

/// As with the commands: it would take in everything that the user has.
#[test]
fn the_home_folder_does_not_become_a_workspace() {
    let world = World::of(&[("a.md", "# A\n"), ("home/b.md", "# B\n")]);
    let home = world.at("home");
    for (folder, place, refusal) in [
        (home.clone(), "b.md", "in your home folder".to_owned()),
        (world.workspace.clone(), "a.md", format!("in {}, which contains your home folder", world.workspace.display())),
    ] {
        let mut options = options(&folder);
        options.context.current.clone_from(&folder);
        options.context.home = Some(home.clone());
        options.context.reason = WorkspaceReason::NothingFound;
        let mut desk = Desk::open(options.clone());
        let path = folder.join(place).to_string_lossy().into_owned();
        let new = [NewSource::selectable(path)];
        let refused = |what: &str, error: Error| {
            assert_eq!((error.code, error.message), (Code::NoWorkspace, format!("refdesk does not {what} {refusal}")));
        };
        refused("make a catalog", desk.can_add(place).unwrap_err());
        refused("make a catalog", desk.add(&session(), &new, &|_| Ok(())).unwrap_err());
        refused("look for documents", desk.discoverer(&[]).unwrap_err());
        assert!(!folder.join(".jaato").exists());
        // Its own catalog counts, and so does its name.
        options.context.reason = WorkspaceReason::Named;
        Desk::open(options).add(&session(), &new, &|_| Ok(())).unwrap();
        assert!(folder.join(".jaato").exists());
    }
}
