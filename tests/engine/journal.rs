//! The journal in a running desk: lines of other processes as they arrive, earlier lines at the start, and no line
//! twice. Also simulations, which record nothing.

use std::path::Path;
use std::time::SystemTime;

use refdesk_desk::engine::{self, Age, Audience, Event, Notice, Receipts, Request, Response, Topic};
use refdesk_desk::session::{JournalEvent, Receipt, Store};
use refdesk_desk::{Desk, EnrichMode, Session};
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_files::Sealer;
use serde_json::json;

use crate::engine::world::{World, options, save, session};

/// A store of another process in the same workspace.
fn other_process(world: &World, desk: &str) -> Store {
    store(&world.workspace, desk)
}

fn store(workspace: &Path, desk: &str) -> Store {
    let sealer = Sealer::new(options(workspace).state.as_deref(), workspace);
    Store::new(workspace, desk, SystemTime::now).sealed_by(sealer)
}

fn append(store: &Store, receipt: Receipt) -> std::io::Result<u64> {
    store.append_all(&another(), vec![receipt]).map(|appended| appended.last)
}

fn another() -> Session {
    Session { id: "s1".to_owned(), who: "another".to_owned() }
}

fn read(id: &str) -> Receipt {
    Receipt { about: vec![id.to_owned()], ..Receipt::new(JournalEvent::Read) }
}

/// The notices up to the first with this text.
fn notices_until(world: &mut World, text: &str) -> Vec<Notice> {
    let mut reported = Vec::new();
    world.event(|event| {
        match event {
            Event::Notice(notice) => reported.push(notice.clone()),
            Event::Receipts(receipts) => reported.extend(receipts.lines.iter().map(|(notice, _)| notice.clone())),
            _ => {}
        }
        reported.iter().any(|notice| notice.text == text)
    });
    reported
}

#[test]
fn a_line_of_another_process_arrives_without_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), r#"{"sources": []}"#);
    // The folder already exists, because creating it would be a different kind of change.
    append(&store(&workspace, "default"), read("old")).unwrap();
    let mut world = World::over(folder, workspace);
    world.event(|event| matches!(event, Event::Receipts(_)));
    let before = world.until("it is read, and again once it is watched", |now| now.reads > 0);
    for at in 0..3 {
        append(&other_process(&world, "default"), read(&format!("x{at}"))).unwrap();
        let reported = notices_until(&mut world, &format!("Read @x{at}"));
        let last = reported.last().unwrap();
        assert_eq!((last.topic, last.session.as_deref(), last.who.word()), (Topic::Read, Some("s1"), "another"));
    }
    let after = world.until("it is there", |_| true);
    assert_eq!((after.generation, after.reads), (before.generation, before.reads));
}

#[test]
fn earlier_lines_come_first_and_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), r#"{"sources": []}"#);
    let store = store(&workspace, "default");
    let lines = (0..400).map(|at| read(&format!("x{at}"))).collect();
    store.append_all(&another(), lines).unwrap();
    let mut world = World::over(folder, workspace);
    let event = world.event(|event| matches!(event, Event::Receipts(_)));
    let Event::Receipts(Receipts { lines: reported, age, gap }) = event else { unreachable!() };
    assert_eq!((reported.len(), age, gap), (300, Age::Past, None), "the last few hundred");
    assert_eq!(reported.last().map(|(notice, _)| notice.text.as_str()), Some("Read @x399"));
}

#[test]
fn a_selection_is_reported_once_by_whichever_process() {
    let mut world = World::new();
    world.send(Request::pick("c"));
    world.until("it is picked", |now| now.selection.is_picked("c"));
    let mut desk = Desk::open(options(&world.workspace));
    desk.pick(&Session { id: "s2".to_owned(), ..session() }, &["a".to_owned()], &[]).unwrap();
    world.until("b is pulled in", |now| now.selection.contains("b"));
    // A selection on another desk is reported only by the journal.
    let choice = Receipt { about: vec!["kit".to_owned()], ..Receipt::new(JournalEvent::Selected) };
    append(&other_process(&world, "other"), choice).unwrap();
    append(&other_process(&world, "default"), read("end")).unwrap();
    let reported = notices_until(&mut world, "Read @end");
    let count = |text: &str| reported.iter().filter(|notice| notice.text == text).count();
    assert_eq!(["Picked @c", "Picked @a", "Picked @kit"].map(count), [1, 1, 1], "{reported:#?}");
    let session =
        |text: &str| reported.iter().find(|it| it.text.starts_with(text)).and_then(|it| it.session.as_deref());
    let brought = "References transitively included: @b";
    let sessions = ["Picked @c", "Picked @a", brought, "Picked @kit"].map(session);
    assert_eq!(sessions, ["default", "s2", "s2", "s1"].map(Some), "{reported:#?}");
}

#[test]
fn a_selection_made_while_the_documents_are_first_read_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    let ids: Vec<String> = (0..300).map(|at| format!("d{at}")).collect();
    ids.iter().for_each(|id| save(&workspace.join(format!("{id}.md")), "Nothing.\n"));
    let sources: Vec<_> = ids.iter().map(|id| json!({"id": id, "name": id, "path": format!("{id}.md")})).collect();
    save(&workspace.join("references.json"), &json!({"sources": sources}).to_string());
    let (engine, events) = engine::start(options(&workspace), session()).unwrap();
    drop(engine.ask(engine.session(), Request::pick("d7")));
    let mut world = World::with(folder, workspace, (engine, events));
    world.until("it is picked", |now| now.selection.is_picked("d7"));
    append(&other_process(&world, "default"), read("end")).unwrap();
    let reported = notices_until(&mut world, "Read @end");
    assert_eq!(reported.iter().filter(|notice| notice.text == "Picked @d7").count(), 1, "{reported:#?}");
}

#[test]
fn after_a_flood_the_last_lines_and_the_number_of_the_others_are_reported() {
    let mut world = World::new();
    let lines = (0..2500).map(|at| read(&format!("x{at}"))).collect();
    other_process(&world, "default").append_all(&another(), lines).unwrap();
    assert!(matches!(world.ask(Request::Match("retry".into())), Response::Findings(_)), "nothing holds the desk up");
    let mut reported = 0;
    world.event(|event| {
        if let Event::Receipts(receipts) = event {
            assert!(receipts.lines.len() <= 1000);
            reported += receipts.lines.len();
            let dropped = receipts.gap.as_ref().and_then(|gap| gap.text.split(' ').next()?.parse::<usize>().ok());
            reported += dropped.unwrap_or(0);
        }
        reported == 2500
    });
}

#[test]
fn a_line_is_found_by_its_number() {
    let world = World::new();
    let number = append(&other_process(&world, "default"), read("x")).unwrap();
    let Response::JournalLine(Ok(line)) = world.ask(Request::JournalLine(number)) else { panic!() };
    assert_eq!(line.line.receipt, read("x"));
    assert!(matches!(world.ask(Request::JournalLine(number + 1)), Response::JournalLine(Err(_))));
}

#[test]
fn a_simulation_records_nothing() {
    let world = World::new();
    let ask = |audience| match world.ask(Request::Simulate { prompt: "on retry".into(), audience }) {
        Response::Simulation { enriched, .. } => enriched.added().to_owned(),
        other => panic!("{other:?}"),
    };
    let said = ask(Audience::ThisSession);
    assert!(said.contains("@c: C"), "{said}");
    assert_eq!([ask(Audience::ThisSession), ask(Audience::NewSession)], [said.clone(), said.clone()]);
    // What the session really received is no longer new.
    let mut desk = Desk::open(options(&world.workspace));
    let (given, _) =
        desk.settled().enrich(&session(), &EnrichRequest::new(TextKind::Prompt, "on retry"), EnrichMode::Send);
    assert_eq!(given.added(), said, "exactly as an agent gets it");
    assert_eq!([ask(Audience::ThisSession), ask(Audience::NewSession)], [String::new(), said]);
}

#[test]
fn agent_activity_is_read_completely_and_then_incrementally() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), r#"{"sources": []}"#);
    let store = store(&workspace, "default");
    // More lines than the feed loads at the start.
    store.append_all(&another(), (0..400).map(|at| read(&format!("x{at}"))).collect()).unwrap();
    let world = World::over(folder, workspace);
    let reads = || match world.ask(Request::Agents) {
        Response::Agents(activity) => {
            assert_eq!(activity.problem, None);
            activity.sessions.iter().map(|it| (it.session.clone(), it.desk.clone(), it.reads)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let row = |session: &str, desk: &str, reads| (session.to_owned(), desk.to_owned(), reads);
    assert_eq!(reads(), [row("s1", "default", 400)]);
    append(&other_process(&world, "default"), read("y")).unwrap();
    let third = Session { id: "s2".to_owned(), who: "another".to_owned() };
    other_process(&world, "second").append_all(&third, vec![read("z")]).unwrap();
    let mut found = reads();
    found.sort();
    assert_eq!(found, [row("s1", "default", 401), row("s2", "second", 1)]);
    // A person's choice does not count as an agent's action.
    world.send(Request::Clear);
    assert_eq!(reads().len(), 2);
}
