//! What is asked is done and answered; what others do and what edits change shows.

use std::path::Path;
use std::sync::Arc;

use refdesk_desk::engine::{Command, Event};
use refdesk_desk::{Desk, Reader};
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_text::report::Diagnostic;

use crate::engine::world::{World, options};

#[test]
fn a_pick_brings_what_it_mentions_and_an_unpick_releases_it() {
    let mut world = World::new();
    world.send(Command::Pick("a".into()));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    world.event(|event| matches!(event, Event::Notice(text) if text.text.contains("@b (from @a)")));
    world.send(Command::Unpick("b".into()));
    world.event(|event| matches!(event, Event::Refused { message, .. } if message.contains("@a brings it in")));
    world.send(Command::Exclude("b".into()));
    world.until("b is out", |snapshot| !snapshot.selection.contains("b") && snapshot.selection.is_excluded("b"));
    world.send(Command::Clear);
    world.until("nothing is selected", |snapshot| snapshot.selection.members().is_empty());
}

#[test]
fn questions_are_answered_with_their_number() {
    let mut world = World::new();
    world.send(Command::Look { generation: 7, prompt: Arc::from("retry with @b") });
    let Event::Findings { generation, findings } = world.event(|event| matches!(event, Event::Findings { .. })) else {
        panic!("no findings");
    };
    assert_eq!((generation, findings.hints[0].id.as_str(), findings.expansions[0].id.as_str()), (7, "c", "b"));

    world.send(Command::Pick("kit".into()));
    world.until("the template is there", |snapshot| snapshot.templates.templates.len() == 1);
    let values = Some(serde_json::json!({"name": "Ada"}));
    world.send(Command::Preview { generation: 8, template: "greeting.txt.tpl".into(), values, path: None });
    let Event::Preview { generation, outcome, .. } = world.event(|event| matches!(event, Event::Preview { .. })) else {
        panic!("no preview");
    };
    assert_eq!((generation, outcome.unwrap().made.text.as_str()), (8, "Hello Ada!\n"));
}

#[test]
fn a_changed_document_changes_the_selection() {
    let mut world = World::new();
    world.send(Command::Pick("a".into()));
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
    world.write("references.json", &good[..good.len() / 2]);
    let broken = world.until("it is reported", |snapshot| snapshot.diagnostics.iter().any(Diagnostic::is_error));
    assert_eq!(broken.catalog.len(), 4);
    world.write("references.json", &good);
    world.until("it is mended", |snapshot| snapshot.diagnostics.iter().all(|it| !it.is_error()));
}

#[test]
fn what_another_process_picks_shows() {
    let mut world = World::new();
    let mut other = Desk::open(options(&world.workspace));
    other.pick(&["c".to_owned()], &[]).unwrap();
    world.until("c is picked", |snapshot| snapshot.selection.is_picked("c"));
}

#[test]
fn what_left_by_an_edit_and_came_back_is_told_again() {
    let mut world = World::new();
    world.send(Command::Pick("a".into()));
    world.until("b is pulled in", |snapshot| snapshot.selection.contains("b"));
    let notice = |folder: &Path| {
        let mut desk = Desk::open(options(folder));
        desk.settle();
        desk.enrich(&EnrichRequest::new(TextKind::Prompt, "go"), Reader::Session).0.metadata.transitive_references.len()
    };
    assert_eq!((notice(&world.workspace), notice(&world.workspace)), (1, 0), "told once");
    world.write("a.md", "Nothing.\n");
    world.until("b left", |snapshot| !snapshot.selection.contains("b"));
    world.write("a.md", "See b.\n");
    world.until("b is back", |snapshot| snapshot.selection.contains("b"));
    assert_eq!(notice(&world.workspace), 1, "and told again");
}

#[test]
fn an_edit_that_keeps_size_and_mentions_is_there_to_be_read() {
    let mut world = World::new();
    let read = |world: &mut World, generation| {
        world.send(Command::Read { generation, id: "b".into() });
        match world.event(|event| matches!(event, Event::Document { .. })) {
            Event::Document { generation: of, document } if of == generation => document.text,
            other => panic!("no answer to {generation}: {other:?}"),
        }
    };
    assert_eq!(read(&mut world, 1), "Nothing.\n");
    let reads = world.engine.snapshots.borrow().reads;
    world.write("b.md", "Another.\n");
    world.until("the workspace was read again", |snapshot| snapshot.reads > reads);
    assert_eq!(read(&mut world, 2), "Another.\n");
}

#[test]
fn what_was_proposed_is_written_and_told() {
    let mut world = World::of(&[
        ("references.json", r#"{"sources": []}"#),
        (".templates/hello.tpl", "# Output: out/{{ name }}.txt\nHello {{ name }}!\n"),
    ]);
    let propose = |world: &mut World, generation, path: Option<&str>| {
        let (template, path) = ("hello.tpl".into(), path.map(str::to_owned));
        let values = Some(serde_json::json!({"name": "Ada"}));
        world.send(Command::Preview { generation, template, values, path });
        let answer = |event: &Event| matches!(event, Event::Preview { generation: of, .. } if *of == generation);
        let Event::Preview { outcome, .. } = world.event(answer) else { panic!("no preview") };
        outcome.unwrap().proposal.unwrap().unwrap()
    };
    // The path is the one that the template names.
    let proposal = propose(&mut world, 1, None);
    assert_eq!((proposal.shown.as_str(), proposal.diff.summary().as_str()), ("out/Ada.txt", "+2 −0"));
    world.send(Command::Write(Box::new(proposal.clone())));
    let told = world.notice(|notice| notice.text == "Wrote out/Ada.txt (+2 −0)");
    let place = told.place.unwrap();
    assert_eq!((place.path, place.line, told.who.word()), (proposal.path.clone(), 1, "you"));
    world.event(|event| matches!(event, Event::Written(written) if written.bytes == proposal.text.len()));
    assert_eq!(std::fs::read_to_string(world.at("out/Ada.txt")).unwrap(), proposal.text);
    // What somebody changed since is not written over, and the new difference comes back.
    let proposal = propose(&mut world, 2, Some("other.txt"));
    world.write("other.txt", "theirs\n");
    world.send(Command::Write(Box::new(proposal)));
    let Event::Unwritten(unwritten) = world.event(|event| matches!(event, Event::Unwritten(_))) else { panic!() };
    assert_eq!((unwritten.refused.code, unwritten.anew[0].diff.summary().as_str()), ("changed", "+2 −1"));
    world.send(Command::Write(Box::new(unwritten.anew[0].clone())));
    world.notice(|notice| notice.text == "Wrote other.txt (+2 −1)");
    assert!(std::fs::read_to_string(world.at("other.txt")).unwrap().ends_with("Hello Ada!\n"));
}
